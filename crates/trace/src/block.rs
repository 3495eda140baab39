//! Static tables: what one translated block does, in architecture-neutral terms.
//!
//! Definition: a block is a straight sequence of instructions with one entry. It ends at its first control transfer,
//! at a known branch target, or at a length limit; only its last instruction transfers control. A *loop* of several such
//! blocks that run one after the other is published as a block that consists of parts.
//!
//! Invariants: operands stand in execution order (a read-modify-write appears as its read followed by its write, with
//! the same instruction index); `Address` word indices are below [`Block::words`]; word 0 is the record header.

use std::borrow::Cow;

/// Number of a translated block; dense from 0, in order of publication.
pub type BlockId = u32;

/// Registers 0 to 15: general purpose, 8 bytes each, in the machine's encoding order, but for the stack pointer.
pub const REG_GENERAL: u8 = 0;
/// The stack pointer, on every machine.
pub const REG_STACK: u8 = 4;
/// Registers 16 to 47: vector, up to 64 bytes each.
pub const REG_VECTOR: u8 = 16;
/// Registers 48 to 55: vector masks, 8 bytes each.
pub const REG_MASK: u8 = 48;
/// Register 56: the flags, one flag per byte (carry, parity, adjust, zero, sign, overflow, direction), as far as the machine has
/// them.
pub const REG_FLAGS: u8 = 56;
/// Registers 57 to 64: the floating-point stack by distance from its top before the instruction, and multimedia registers, 10 bytes
/// each.
pub const REG_X87: u8 = 57;
/// Register 65: everything else that carries data between instructions (bound, tile and control registers). Bytes 0 and 1 are the
/// control word of the floating-point stack, bytes 2 and 3 its status word.
pub const REG_OTHER: u8 = 65;
/// Registers 66 to 81: general purpose as well, on machines with more than sixteen.
pub const REG_MORE: u8 = 66;
/// One past the last register number.
pub const REG_COUNT: u8 = 82;

/// Bytes `lo..hi` of a register.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RegRange {
    /// Register number, below [`REG_COUNT`].
    pub reg: u8,
    /// First byte.
    pub lo: u8,
    /// One past the last byte.
    pub hi: u8,
}

/// How an instruction uses a value it reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// An ordinary input of the computation.
    Value,
    /// An input that may be the accumulator of a reduction: the result is `accumulator op rest` with the
    /// associative operator of [`Operation::kind`] (the minuend of a subtraction, the addend of a fused multiply-add,
    /// either side of a commutative operator).
    Accumulator,
    /// Only part of an address computation of a memory operand.
    Address,
    /// A byte range that merely passes through unchanged (lanes a merging instruction keeps): never a dependence.
    Kept,
    /// Only decides whether or where control goes (flags of a branch, the target of an indirect jump, a count).
    Control,
}

/// A register read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RegUse {
    /// What is read.
    pub range: RegRange,
    /// What it is read for.
    pub role: Role,
}

/// Kind of computation an instruction performs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OpKind {
    /// No effect on data (no-operation, prefetch, fence, endbranch).
    Nop,
    /// The result does not depend on any input: immediate moves and zero idioms (which list no uses).
    Constant,
    /// Moves a value unchanged, possibly widened or narrowed: moves, loads, stores, push, pop.
    Copy,
    /// Rearranges lanes: shuffles, unpacks, extracts, inserts, broadcasts.
    Shuffle,
    /// Addition, subtraction, increment, address arithmetic, fused multiply-add.
    Add,
    /// Multiplication.
    Multiply,
    /// Division, remainder, square root.
    Divide,
    /// Minimum.
    Minimum,
    /// Maximum.
    Maximum,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// Shift or rotate.
    Shift,
    /// Comparison or test; only flags or a mask result.
    Compare,
    /// Conversion between representations.
    Convert,
    /// Conditional move, select or blend.
    Select,
    /// Control transfer.
    Control,
    /// System call.
    System,
    /// Anything else.
    Other,
}

impl OpKind {
    /// Whether a value combined with itself is that value.
    pub fn is_idempotent(self) -> bool {
        matches!(self, OpKind::And | OpKind::Or | OpKind::Minimum | OpKind::Maximum)
    }
}

/// What an instruction computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Operation {
    /// Kind of computation.
    pub kind: OpKind,
    /// The operands are floating point.
    pub float: bool,
    /// The (integer, register-width) result is a constant-coefficient combination of the `Value` and `Accumulator`
    /// operands plus a constant: moves, additions, subtractions, `lea`, negation, shift left and multiplication by
    /// an immediate. Flags set beside it do not matter.
    pub linear: bool,
    /// What is added to one operand to give the result, if that is all.
    pub addend: Option<Addend>,
}

/// What an integer addition adds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Addend {
    /// A constant.
    Constant(i64),
    /// A general register; the sum replaces the other operand.
    Register {
        /// The operand that the sum replaces.
        to: RegRange,
        /// The register added, another one, of as many bytes.
        from: RegRange,
        /// It is subtracted.
        negated: bool,
    },
}

/// How the slots of the floating-point stack go by other names after an instruction than before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Turn {
    /// They do not.
    #[default]
    Stays,
    /// The slot farthest from the top is the top.
    Push,
    /// So many slots from the top on are the farthest.
    Pop(u8),
    /// The top and the slot at this distance have changed places.
    Exchange(u8),
}

impl Turn {
    /// Renames slots: what stands at a distance from the top.
    pub fn apply<T>(self, slots: &mut [T; 8]) {
        match self {
            Turn::Stays => {}
            Turn::Push => slots.rotate_right(1),
            Turn::Pop(count) => slots.rotate_left(usize::from(count & 7)),
            Turn::Exchange(with) => slots.swap(0, usize::from(with & 7)),
        }
    }
}

/// One instruction of a block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instr {
    /// Address of the instruction in the program's memory.
    pub pc: u64,
    /// Length in bytes; 0 if it is what else the instruction before it does (another one to no counter).
    pub len: u8,
    /// What it computes.
    pub operation: Operation,
    /// Registers read. Zero idioms list none. The stack pointer's implicit adjustment by push, pop, call and return
    /// is left out here and in `defs`; its use as an address is listed with [`Role::Address`].
    pub uses: Vec<RegUse>,
    /// Registers written (a 32-bit general-purpose write lists all 8 bytes).
    pub defs: Vec<RegRange>,
    /// Some of `defs` are written only under a condition (conditional move, masked, shift by zero): the old value may
    /// survive, so it is listed in `uses` as well.
    pub conditional: bool,
    /// What it does to the names of the floating-point stack's slots, after its uses and definitions.
    pub turn: Turn,
}

/// Direction of a memory operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Access {
    /// Load.
    Read,
    /// Store.
    Write,
}

/// How the address of an operand is found from a record.
///
/// Words are indices into the record (word 0 is the header). All arithmetic wraps modulo 2^64.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address {
    /// The same address always.
    Constant(u64),
    /// `words[word] + delta`.
    Word {
        /// Index of the base word.
        word: u16,
        /// Static displacement.
        delta: i64,
    },
    /// `thread base + words[word] + delta`, for segment-relative (thread-local) operands; the base comes with the
    /// latest [`crate::stream::Special::ThreadBase`] record.
    Segment {
        /// Index of the offset word, if any part of it is dynamic.
        word: Option<u16>,
        /// Static displacement.
        delta: i64,
    },
    /// A repeated string instruction: with `from = words[from]` and `to = words[to]` taken before and after it, the
    /// bytes touched are `[from, to)` ascending when `to >= from`, else `[to + size, from + size)` descending, in
    /// elements of the operand's size.
    Span {
        /// Index of the word with the address before the instruction.
        from: u16,
        /// Index of the word with the address after it.
        to: u16,
    },
    /// One lane of a gather or scatter: `base + sign_extend(index) * scale + delta`. The lane is inactive, and makes
    /// no access, if its mask bit is clear.
    Lane {
        /// Index of the base word, if there is a base register.
        base: Option<u16>,
        /// Index of the word that holds the lane's index.
        index_word: u16,
        /// Bit at which the index starts in that word (0 or 32).
        index_shift: u8,
        /// Bits of the index: 32 or 64.
        index_bits: u8,
        /// Multiplier of the index.
        scale: u8,
        /// Static displacement.
        delta: i64,
        /// Word and bit that say whether the lane is active.
        mask: Option<(u16, u8)>,
    },
}

/// One memory operand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operand {
    /// Index of the instruction in [`Block::instrs`].
    pub instr: u16,
    /// Load or store.
    pub access: Access,
    /// Bytes touched (one element for [`Address::Span`]).
    pub size: u16,
    /// What a loaded value is used for. For stores always [`Role::Value`].
    pub role: Role,
    /// Where it is.
    pub address: Address,
    /// The callee-saved register, all 8 bytes of it, that is put into its place on the stack, or brought back from it. The
    /// place is for nothing else as long as the activation lasts.
    pub saves: Option<u8>,
}

/// How a block ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Terminator {
    /// Continues with the instruction at this address.
    Fallthrough(u64),
    /// Unconditional direct jump.
    Jump(u64),
    /// Conditional direct jump.
    Branch {
        /// Target when taken.
        taken: u64,
        /// Next instruction otherwise.
        next: u64,
    },
    /// Direct call.
    Call {
        /// Function called.
        target: u64,
        /// Return address.
        next: u64,
    },
    /// Indirect call.
    IndirectCall {
        /// Return address.
        next: u64,
    },
    /// Return.
    Return,
    /// Indirect jump.
    IndirectJump,
    /// System call; control normally continues at `next`.
    Syscall {
        /// Next instruction.
        next: u64,
    },
    /// Control goes on in code that is not recorded; a record says where it comes back ([`crate::stream::Outside`]).
    Leaves,
    /// An instruction that always traps, or bytes that are no instruction.
    Trap,
}

impl Terminator {
    /// Where control can go from a block without leaving the activation.
    pub fn local_successors(&self) -> Vec<u64> {
        match *self {
            Terminator::Fallthrough(next)
            | Terminator::Jump(next)
            | Terminator::Call { next, .. }
            | Terminator::IndirectCall { next }
            | Terminator::Syscall { next } => vec![next],
            Terminator::Branch { taken, next } => vec![taken, next],
            Terminator::Return | Terminator::IndirectJump | Terminator::Leaves | Terminator::Trap => {
                Vec::new()
            }
        }
    }
}

/// A loop whose addresses advance by constants: one record stands for all its iterations. The number of whole iterations is
/// `(words[exit] - words[entry]) / step` (wrapping); operand addresses at iteration t are those of the recipe plus t times
/// [`Folded::advance`] of their word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folded {
    /// Index of the word with the induction register at entry.
    pub entry: u16,
    /// Index of the word with the induction register at exit.
    pub exit: u16,
    /// Its advance per iteration; never 0.
    pub step: i64,
    /// Words recorded in every iteration, which follow the others ([`Block::words`]) iteration by iteration; those of the last
    /// one may be fewer. The high half of the header is the number of their bytes.
    pub each: u16,
    /// How the loop is left but at the end of an iteration; none if it is not, and then there is at least one iteration.
    pub leaves: Option<Leaves>,
    /// Constant part of what [`Folded::advance`] gives.
    strides: Vec<i64>,
    scaled: Vec<Scaled>,
}

/// The ways out of a loop in the middle of an iteration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leaves {
    /// Index of the word with the number of the way out: 0 if the last iteration was a whole one.
    pub number: u16,
    /// By number less 1, how many parts of the last, incomplete iteration ran (see [`Block::parts`]).
    pub parts: Vec<u16>,
}

/// A block that is run in every iteration of a loop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// The block, which has no parts and is not folded.
    pub block: BlockId,
    /// The words of its record after the header, by those of the loop's record at the iteration in question.
    pub words: Vec<PartWord>,
}

impl Part {
    /// Appends the part's record to `out`; `words` are those of the loop's record at the iteration in question.
    pub fn write(&self, words: &[u64], out: &mut Vec<u64>) {
        out.push(u64::from(self.block));
        out.extend(self.words.iter().map(|word| word.of(words)));
    }
}

/// A word of a part's record: a word of the loop's record, if any, plus a constant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PartWord {
    /// Index of the word of the loop's record, if any; those recorded in the iteration come after the others.
    pub word: Option<u16>,
    /// What is added.
    pub delta: i64,
}

impl PartWord {
    /// Its content, by the words of the loop's record.
    pub fn of(&self, words: &[u64]) -> u64 {
        let base = self.word.and_then(|w| words.get(usize::from(w))).copied().unwrap_or(0);
        base.wrapping_add(self.delta as u64)
    }
}

/// Per iteration, word `word` advances by `factor` times the content of word `by`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scaled {
    /// Index of the word that advances.
    pub word: u16,
    /// Index of the word with the register's value.
    pub by: u16,
    /// Multiplier.
    pub factor: i64,
}

impl Folded {
    /// A loop whose induction register is in the words `entry` and `exit`. `strides` is the constant advance per iteration
    /// of each word (0 for the header and the exit word), one for every word; `scaled` what comes to it by registers the
    /// loop leaves alone.
    pub fn new(entry: u16, exit: u16, step: i64, strides: Vec<i64>, scaled: Vec<Scaled>) -> Folded {
        Folded { entry, exit, step, each: 0, leaves: None, strides, scaled }
    }

    /// The same with words recorded in every iteration.
    pub fn with_each(self, each: u16) -> Folded {
        Folded { each, ..self }
    }

    /// The same, left in the middle of iterations too.
    pub fn leaving(self, leaves: Leaves) -> Folded {
        Folded { leaves: Some(leaves), ..self }
    }

    /// How many iterations `record` stands for: whole ones, and parts of one more. A hostile record (exit not reachable from
    /// entry, an unknown way out) stands for one iteration.
    pub fn extent(&self, record: &[u64]) -> (u64, usize) {
        let word = |at: u16| record.get(usize::from(at)).copied();
        let (Some(entry), Some(exit)) = (word(self.entry), word(self.exit)) else { return (1, 0) };
        let whole =
            (exit.wrapping_sub(entry) as i64).checked_div(self.step).and_then(|n| u64::try_from(n).ok());
        let number = self.leaves.as_ref().map_or(Some(0), |l| word(l.number));
        let parts = match (number, &self.leaves) {
            (Some(n), Some(leaves)) if n > 0 => leaves.parts.get(n as usize - 1).map(|&p| usize::from(p)),
            (Some(_), _) => Some(0),
            (None, _) => None,
        };
        match (whole, parts) {
            (Some(0), Some(0)) | (None, _) | (_, None) => (1, 0),
            (Some(whole), Some(parts)) => (whole, parts),
        }
    }

    /// Advance per iteration of every word of `record` (header included), 0 for words beyond it.
    pub fn advance(&self, record: &[u64]) -> Cow<'_, [i64]> {
        if self.scaled.is_empty() {
            return Cow::Borrowed(&self.strides);
        }
        let mut strides = self.strides.clone();
        for s in &self.scaled {
            let by = record.get(usize::from(s.by)).map_or(0, |&w| w as i64);
            if let Some(stride) = strides.get_mut(usize::from(s.word)) {
                *stride = stride.wrapping_add(by.wrapping_mul(s.factor));
            }
        }
        Cow::Owned(strides)
    }

    /// The words of `record` at iteration `t`, followed by those recorded in that iteration.
    pub fn at(&self, record: &[u64], t: u64) -> Vec<u64> {
        let (record, own) = match self.each {
            0 => (record, &[][..]),
            each => {
                let (fixed, rest) = record.split_at(record.len().min(self.strides.len()));
                let each = usize::from(each);
                let own = rest.get(usize::try_from(t).map_or(usize::MAX, |t| t.saturating_mul(each))..);
                (fixed, own.map_or(&[][..], |own| &own[..own.len().min(each)]))
            }
        };
        let advance = self.advance(record);
        let moved = |(w, &word): (usize, &u64)| {
            word.wrapping_add((advance.get(w).copied().unwrap_or(0) as u64).wrapping_mul(t))
        };
        record.iter().enumerate().map(moved).chain(own.iter().copied()).collect()
    }
}

/// Static table of one translated block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// Its number.
    pub id: BlockId,
    /// Address of its first instruction.
    pub pc: u64,
    /// Address after its last instruction.
    pub end: u64,
    /// Length of its record in words, header included, without those of [`Folded::each`].
    pub words: u16,
    /// Instructions in order.
    pub instrs: Vec<Instr>,
    /// Memory operands in execution order.
    pub operands: Vec<Operand>,
    /// How it ends.
    pub terminator: Terminator,
    /// If not empty, the block is a loop through these blocks: its record stands for theirs, and it has no instructions and
    /// operands of its own. Control never is at the loop as a whole.
    pub parts: Vec<Part>,
    /// Set if one record stands for all iterations of the block as a loop.
    pub folded: Option<Folded>,
    /// Words holding the first three integer arguments, in blocks where the guide asked for them.
    pub arguments: Option<[u16; 3]>,
    /// Word holding the integer result, in blocks that end with a return. It is 0 where the block is a [part](Block::parts).
    pub result: Option<u16>,
    /// Word holding the canonical frame address of the activation called (0 if unknown), in blocks that end with a call that
    /// stores no return address.
    pub frame: Option<u16>,
    /// Instructions that run in it unrecorded, about: those of a function that stands for itself by its
    /// [contract](crate::sink::Contract).
    pub unrecorded: u16,
}

impl Block {
    /// Instructions of one execution, up to but without that with index `end`.
    pub fn count_to(&self, end: usize) -> u64 {
        let recorded = self.instrs.iter().take(end).filter(|instr| instr.len > 0).count() as u64;
        if end >= self.instrs.len() { recorded + u64::from(self.unrecorded) } else { recorded }
    }

    /// Length in words of the record that begins with this header.
    pub fn length(&self, header: u64) -> usize {
        let more = self.folded.as_ref().is_some_and(|folded| folded.each > 0);
        usize::from(self.words) + if more { (header >> 35) as usize } else { 0 }
    }

    /// Number of whole iterations a record of this block stands for: 1 unless [`Block::folded`].
    ///
    /// `record` is the whole record, header included.
    pub fn iterations(&self, record: &[u64]) -> u64 {
        self.folded.as_ref().map_or(1, |folded| folded.extent(record).0)
    }
}

/// A block of a function's control-flow graph as decoded statically, executed or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CodeBlock {
    /// Address of the first instruction.
    pub start: u64,
    /// Address after the last instruction.
    pub end: u64,
    /// How it ends.
    pub terminator: Terminator,
    /// What it does to registers, as far as that was looked at.
    pub registers: Registers,
}

/// What a block does to registers: a bit for each, by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Registers {
    /// It writes them.
    pub written: u128,
    /// All that it does to them is to add constants, or other registers.
    pub stepped: u128,
    /// It gives them values that do not depend on those they had.
    pub set: u128,
    /// It changes them in other ways.
    pub other: u128,
    /// The comparison that decides where control goes at its end reads them.
    pub tested: u128,
}

impl Registers {
    /// Goes on with the next instruction.
    pub fn execute(&mut self, instr: &Instr) {
        let bit = |reg: u8| 1u128 << reg;
        let used = instr.uses.iter().fold(0, |all, one| all | bit(one.range.reg));
        let defined = instr.defs.iter().fold(0, |all, one| all | bit(one.reg));
        let flags = bit(REG_FLAGS);
        let added = match instr.operation.addend {
            Some(Addend::Constant(_)) => Some(0),
            Some(Addend::Register { to, from, .. }) if to.reg != from.reg => Some(bit(from.reg)),
            _ => None,
        };
        let is_step = added.is_some_and(|added| used & !added == defined & !flags);
        let written = defined & !flags;
        let set = written & !used;
        let rest = written & used & !self.set;
        if is_step {
            self.stepped |= rest & !self.other;
        } else {
            self.stepped &= !rest;
            self.other |= rest;
        }
        self.set |= set;
        (self.stepped, self.other) = (self.stepped & !set, self.other & !set);
        self.written |= written;
        let decides = instr.operation.kind == OpKind::Control;
        if decides && used & flags == 0 {
            self.tested = used;
        } else if defined & flags != 0 {
            self.tested = (used | defined) & !flags;
        }
    }
}

/// A function's control-flow graph as decoded when its first block runs: everything reachable from the entry by direct
/// branches, past calls and by exceptions. Blocks are split at every known branch target, sorted by address, and do not overlap
/// unless the code itself jumps into the middle of an instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FunctionCode {
    /// Address of the entry block.
    pub entry: u64,
    /// All blocks.
    pub blocks: Vec<CodeBlock>,
    /// First addresses of blocks that end with calls, each with that of the block at which an exception thrown there arrives.
    pub landings: Vec<(u64, u64)>,
}
