//! From what QEMU translates at a time to blocks of records.
//!
//! Definition: a *unit* is what QEMU translates at a time: instructions up to a transfer of control, the end of a page or a limit. A unit
//! is cut into *pieces* where control may also come from elsewhere (leaders). What its instructions accessed, in which order, is its
//! *shape*; a unit with a shape is published as one block per piece.
//!
//! Invariants: the accesses of a block are those that QEMU made, not those that the instructions should have made; accesses that
//! share a word lie side by side in every execution of the shape, because that is part of it.

use trace::block::{Access, Address, Block, BlockId, Instr, Operand, Role, Terminator};

use crate::instruction::Decoded;
use crate::protocol::{ADDRESS_BITS, INDEX_BITS, STORE_AT};
use crate::saves::Marks;

/// The shape of one access: instruction, logarithm of bytes, direction, and whether it goes on where the one before ended.
pub(crate) type Key = u16;

const INDEX: Key = (1 << INDEX_BITS) - 1;
const SIZE_SHIFT: u32 = INDEX_BITS;
const STORE: Key = 1 << (STORE_AT - ADDRESS_BITS);
/// The access goes on where the one before ended.
pub(crate) const GOES_ON: Key = 1 << 15;

/// The key of an access as the plugin writes it.
#[inline]
pub(crate) fn key(word: u64) -> Key {
    (word >> ADDRESS_BITS) as Key & 0x1fff
}

pub(crate) fn index(key: Key) -> usize {
    usize::from(key & INDEX)
}

fn bytes(key: Key) -> u16 {
    1 << (key >> SIZE_SHIFT & 7)
}

/// An access that was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Made {
    pub(crate) key: Key,
    pub(crate) address: u64,
}

/// Keys of accesses, given those of the plugin, in place: marks those that go on where the one before ended.
pub(crate) fn shape(made: &mut [Made]) {
    let mut before: Option<(Key, u64)> = None;
    for access in made {
        let goes_on = before == Some((access.key & !GOES_ON & !(7 << SIZE_SHIFT), access.address));
        before = Some((
            access.key & !GOES_ON & !(7 << SIZE_SHIFT),
            access.address.wrapping_add(u64::from(bytes(access.key))),
        ));
        if goes_on {
            access.key |= GOES_ON;
        }
    }
}

/// What stands at the end of a piece's record beside addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tail {
    /// Nothing.
    None,
    /// The stack pointer at the entry of what is called.
    Frame,
    /// The result that is returned.
    Result,
}

/// A piece of a unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) id: BlockId,
    /// Its first address.
    pub(crate) pc: u64,
    /// First and last but one of its accesses.
    pub(crate) accesses: (usize, usize),
    /// First and last but one of its instructions, as the unit has them.
    pub(crate) instrs: (usize, usize),
    /// Three arguments come first.
    pub(crate) arguments: bool,
    pub(crate) tail: Tail,
}

/// A unit as it is now cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Version {
    pub(crate) shape: Vec<Key>,
    pub(crate) pieces: Vec<Piece>,
    /// The first instruction that should have made an access but has not, with none after it having made one.
    pub(crate) stuck_at: Option<usize>,
    /// Instructions.
    pub(crate) instructions: u64,
}

/// Code that QEMU translates at a time.
#[derive(Debug, Clone)]
pub(crate) struct Unit {
    pub(crate) pc: u64,
    pub(crate) end: u64,
    pub(crate) instrs: Vec<Decoded>,
    pub(crate) terminator: Terminator,
    pub(crate) versions: Vec<Version>,
    /// The version met last.
    pub(crate) latest: usize,
    /// As of when it was cut.
    pub(crate) epoch: u64,
    /// Some of its instructions were known to save registers then.
    pub(crate) is_marked: bool,
}

impl Unit {
    pub(crate) fn new(pc: u64, mut instrs: Vec<Decoded>, is_for_linkage: impl Fn(u8) -> bool) -> Unit {
        mark_linkage(&mut instrs, is_for_linkage);
        let length: u64 = instrs.iter().map(|d| u64::from(d.instr.len)).sum();
        let end = pc.wrapping_add(length);
        let terminator = instrs.last().and_then(|d| d.end).unwrap_or(Terminator::Fallthrough(end));
        Unit { pc, end, instrs, terminator, versions: Vec::new(), latest: 0, epoch: 0, is_marked: false }
    }

    /// Index of the instruction at an address.
    pub(crate) fn at(&self, pc: u64) -> Option<usize> {
        self.instrs.iter().position(|d| d.instr.pc == pc)
    }

    /// Where pieces begin, by instruction.
    pub(crate) fn cuts(&self, is_leader: impl Fn(u64) -> bool) -> Vec<usize> {
        let others = (1..self.instrs.len()).filter(|&at| is_leader(self.instrs[at].instr.pc));
        std::iter::once(0).chain(others).collect()
    }

    /// Whether its instructions can have made these accesses: one after the other.
    pub(crate) fn can_make(&self, made: &[Made]) -> bool {
        let in_order = made.is_sorted_by_key(|access| index(access.key));
        in_order && made.last().is_none_or(|last| index(last.key) < self.instrs.len())
    }

    /// See [`Version::stuck_at`].
    pub(crate) fn stuck_at(&self, shape: &[Key]) -> Option<usize> {
        let last = shape.iter().map(|&key| index(key)).max();
        let from = last.map_or(0, |last| last + 1);
        let accesses = |d: &Decoded| d.memory.is_some_and(|memory| !memory.optional);
        (from..self.instrs.len()).find(|&at| accesses(&self.instrs[at]))
    }
}

/// The load of an address that a unit ends by jumping to, in a register for that alone, is for control, as in the stubs through
/// which functions of libraries are called.
fn mark_linkage(instrs: &mut [Decoded], is_for_linkage: impl Fn(u8) -> bool) {
    let Some((last, before)) = instrs.split_last_mut() else { return };
    if last.end != Some(Terminator::IndirectJump) {
        return;
    }
    let Some(target) = last.instr.uses.first().map(|u| u.range.reg).filter(|&r| is_for_linkage(r)) else {
        return;
    };
    let load = before.iter_mut().rev().find(|d| d.instr.defs.iter().any(|def| def.reg == target));
    if let Some(memory) = load.and_then(|load| load.memory.as_mut()).filter(|memory| !memory.write) {
        memory.role = Role::Control;
    }
}

/// What a block is made with.
pub(crate) struct Making<'a> {
    pub(crate) marks: &'a Marks,
    pub(crate) id: BlockId,
    /// Three arguments are recorded.
    pub(crate) arguments: bool,
}

/// Makes the block of the instructions `from..to` of a unit, which made these accesses (indices into the shape).
pub(crate) fn make(
    unit: &Unit,
    (from, to): (usize, usize),
    shape: &[Key],
    (first, end): (usize, usize),
    making: &Making<'_>,
) -> (Block, Tail) {
    let mut words: u16 = 1;
    let arguments = making.arguments.then(|| {
        words = 4;
        [1, 2, 3]
    });
    let mut instrs: Vec<Instr> = Vec::new();
    let mut operands = Vec::new();
    let mut at = first;
    for (number, decoded) in unit.instrs.iter().enumerate().take(to).skip(from) {
        let group = shape[at..end].iter().take_while(|&&key| index(key) == number).count();
        let marks = making.marks.get(&decoded.instr.pc);
        append(decoded, instrs.len() as u16, &shape[at..at + group], marks, &mut words, &mut operands);
        at += group;
        instrs.push(decoded.instr.clone());
        instrs.extend(decoded.moves_base.clone());
    }
    let last = unit.instrs.get(to.wrapping_sub(1));
    let pc = unit.instrs.get(from).map_or(unit.pc, |d| d.instr.pc);
    let next = last.map_or(unit.end, |d| d.instr.pc.wrapping_add(u64::from(d.instr.len)));
    let terminator = last.and_then(|d| d.end).unwrap_or(Terminator::Fallthrough(next));
    let tail = match terminator {
        Terminator::Call { .. } | Terminator::IndirectCall { .. } => Tail::Frame,
        Terminator::Return => Tail::Result,
        _ => Tail::None,
    };
    let word = (tail != Tail::None).then_some(words);
    words += u16::from(word.is_some());
    let block = Block {
        id: making.id,
        pc,
        end: next,
        words,
        instrs,
        operands,
        terminator,
        parts: Vec::new(),
        folded: None,
        arguments,
        result: word.filter(|_| tail == Tail::Result),
        frame: word.filter(|_| tail == Tail::Frame),
        unrecorded: 0,
    };
    (block, tail)
}

/// Appends the operands of one instruction: its accesses, which are joined to registers where they lie side by side.
fn append(
    decoded: &Decoded,
    instr: u16,
    shape: &[Key],
    marks: Option<&[Option<u8>; 2]>,
    words: &mut u16,
    operands: &mut Vec<Operand>,
) {
    let element = decoded.memory.map_or(0, |memory| memory.element);
    let mut at = 0;
    let mut number = 0;
    while at < shape.len() {
        let run = 1 + shape[at + 1..].iter().take_while(|&&key| key & GOES_ON != 0).count();
        let word = *words;
        *words += 1;
        let sizes = sizes(&shape[at..at + run], element);
        let mut delta = 0;
        for size in sizes {
            let address = Address::Word { word, delta };
            let saves = marks.and_then(|marks| *marks.get(number)?).filter(|_| size == 8);
            let is_store = shape[at] & STORE != 0;
            for &access in directions(decoded, is_store) {
                let role = match (access, decoded.memory) {
                    (Access::Read, Some(memory)) => memory.role,
                    _ => Role::Value,
                };
                operands.push(Operand { instr, access, size, role, address: address.clone(), saves });
            }
            delta += i64::from(size);
            number += 1;
        }
        at += run;
    }
}

/// Sizes of the operands that accesses side by side are.
fn sizes(run: &[Key], element: u16) -> Vec<u16> {
    let total: u32 = run.iter().map(|&key| u32::from(bytes(key))).sum();
    if element > 0 && total.is_multiple_of(u32::from(element)) {
        return vec![element; (total / u32::from(element)) as usize];
    }
    run.iter().map(|&key| bytes(key)).collect()
}

/// An instruction that updates memory is told of once, as a store.
fn directions(decoded: &Decoded, is_store: bool) -> &'static [Access] {
    match decoded.memory {
        Some(memory) if memory.read && memory.write => &[Access::Read, Access::Write],
        _ if is_store => &[Access::Write],
        _ => &[Access::Read],
    }
}
