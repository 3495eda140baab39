//! Which loads and stores of a function save registers for its caller, and bring them back.
//!
//! Definition: a *save* is a store of a register that the function has to leave as it found it, made while it still is so, on every
//! way from the entry, to a place of the frame that no other store of the function names. A load of the same register from that
//! place brings it back, after which it is so again.
//!
//! Limits: frames of which the stack pointer's distance to the entry is not constant have no saves from there on.

use rustc_hash::FxHashMap;
use trace::block::{Addend, FunctionCode, Instr, OpKind, REG_MORE, REG_STACK, REG_VECTOR, Role, Terminator};

use crate::instruction::Decoded;
use crate::machine::Machine;

/// By address, the registers that an instruction saves or brings back, in order of their places.
pub(crate) type Marks = FxHashMap<u64, [Option<u8>; 2]>;

/// What is known at some point of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct State {
    /// Distance of the stack pointer from what it was at the entry.
    stack: Option<i64>,
    /// The same of the frame pointer.
    frame: Option<i64>,
    /// Registers that are as they were at the entry, by number.
    intact: u128,
    /// Where they were stored while they were so.
    kept: [Option<i64>; REGISTERS],
}

/// General registers, by [`index`].
const REGISTERS: usize = 32;

/// Place of a general register among all of them.
fn index(register: u8) -> usize {
    let at = if register < REG_VECTOR {
        register
    } else {
        register.wrapping_sub(REG_MORE).wrapping_add(REG_VECTOR)
    };
    usize::from(at).min(REGISTERS - 1)
}

/// A load or store of a register in the frame.
#[derive(Debug, Clone, Copy)]
struct Site {
    pc: u64,
    at: usize,
    register: u8,
    place: i64,
    size: i64,
    is_load: bool,
    /// A store of a register that was intact.
    saves: bool,
}

/// Finds the saves of a function. `instructions` gives those of a block.
pub(crate) fn find(
    machine: Machine,
    code: &FunctionCode,
    mut instructions: impl FnMut(u64, u64) -> Vec<Decoded>,
) -> Marks {
    let index: FxHashMap<u64, usize> = code.blocks.iter().enumerate().map(|(at, b)| (b.start, at)).collect();
    let bodies: Vec<Vec<Decoded>> = code.blocks.iter().map(|b| instructions(b.start, b.end)).collect();
    let mut states: Vec<Option<State>> = vec![None; code.blocks.len()];
    let Some(&entry) = index.get(&code.entry) else { return Marks::default() };
    states[entry] = Some(State { stack: Some(0), frame: None, intact: u128::MAX, kept: [None; REGISTERS] });
    let mut work = vec![entry];
    while let Some(at) = work.pop() {
        let Some(mut state) = states[at] else { continue };
        for decoded in &bodies[at] {
            state.pass(machine, decoded, &mut |_| {});
        }
        for next in successors(&code.blocks[at].terminator).into_iter().flatten() {
            let Some(&to) = index.get(&next) else { continue };
            // What follows a call that never returns is another function, which may lead back here.
            if to == entry && state.stack != Some(0) {
                continue;
            }
            let met = states[to].map_or(state, |before| before.meet(state));
            if states[to] != Some(met) {
                states[to] = Some(met);
                work.push(to);
            }
        }
    }
    let mut sites = Vec::new();
    for (body, state) in bodies.iter().zip(&states) {
        let Some(mut state) = *state else { continue };
        for decoded in body {
            state.pass(machine, decoded, &mut |site| sites.push(site));
        }
    }
    marks(&sites)
}

fn successors(terminator: &Terminator) -> [Option<u64>; 2] {
    match *terminator {
        Terminator::Fallthrough(next)
        | Terminator::Jump(next)
        | Terminator::Call { next, .. }
        | Terminator::IndirectCall { next }
        | Terminator::Syscall { next } => [Some(next), None],
        Terminator::Branch { taken, next } => [Some(taken), Some(next)],
        Terminator::Return | Terminator::IndirectJump | Terminator::Leaves | Terminator::Trap => [None, None],
    }
}

fn marks(sites: &[Site]) -> Marks {
    let overlap = |a: &Site, b: &Site| a.place < b.place + b.size && b.place < a.place + a.size;
    let is_alone = |save: &Site| {
        let others = sites.iter().filter(|s| !s.is_load && overlap(s, save));
        others.into_iter().all(|s| s.saves && s.register == save.register && s.place == save.place)
    };
    let saves: Vec<&Site> = sites.iter().filter(|s| s.saves && is_alone(s)).collect();
    let mut out = Marks::default();
    for site in sites {
        let same = |save: &&&Site| save.register == site.register && save.place == site.place;
        let belongs = if site.is_load {
            saves.iter().any(|s| same(&s))
        } else {
            saves.iter().any(|s| s.pc == site.pc && s.at == site.at)
        };
        if belongs && site.size == 8 && site.at < 2 {
            out.entry(site.pc).or_default()[site.at] = Some(site.register);
        }
    }
    out
}

impl State {
    fn meet(self, other: State) -> State {
        let same = |a: Option<i64>, b: Option<i64>| a.filter(|_| a == b);
        State {
            stack: same(self.stack, other.stack),
            frame: same(self.frame, other.frame),
            intact: self.intact & other.intact,
            kept: std::array::from_fn(|at| same(self.kept[at], other.kept[at])),
        }
    }

    fn is_intact(&self, register: u8) -> bool {
        self.intact >> register & 1 == 1
    }

    fn place(&self, machine: Machine, register: u8) -> Option<i64> {
        match register {
            REG_STACK => self.stack,
            r if r == machine.frame_pointer() => self.frame,
            _ => None,
        }
    }

    /// What is known after an instruction; tells of its places in the frame.
    fn pass(&mut self, machine: Machine, decoded: &Decoded, tell: &mut impl FnMut(Site)) {
        let mut back = 0;
        if let Some(memory) = &decoded.memory
            && let Some((base, offset)) = memory.base
            && let Some(start) = self.place(machine, base)
        {
            // Of what is not known, a place is as long as any.
            let size = if memory.element == 0 { 64 } else { i64::from(memory.element) };
            for at in 0..usize::from(memory.count) {
                let register = memory.data.get(at).copied().flatten().unwrap_or(u8::MAX);
                let is_kept = register != u8::MAX && machine.is_callee_saved(register);
                let is_load = memory.read;
                let saves = !is_load && is_kept && size == 8 && self.is_intact(register);
                let place = start.wrapping_add(offset).wrapping_add(at as i64 * size);
                if saves {
                    self.kept[index(register)] = Some(place);
                }
                if is_load && is_kept && size == 8 && self.kept[index(register)] == Some(place) {
                    back |= 1 << register;
                }
                tell(Site { pc: decoded.instr.pc, at, register, place, size, is_load, saves });
            }
        }
        self.step(machine, &decoded.instr);
        self.intact |= back;
        if let Some(moved) = &decoded.moves_base {
            self.step(machine, moved);
        }
    }

    fn step(&mut self, machine: Machine, instr: &Instr) {
        let by = match (instr.operation.kind, instr.operation.addend) {
            (OpKind::Copy, _) => Some(0),
            (OpKind::Add, Some(Addend::Constant(by))) => Some(by),
            _ => None,
        };
        let moved = match (&instr.uses[..], by) {
            ([from], Some(by)) if from.role != Role::Address && from.range.hi == 8 => {
                Some((from.range.reg, by))
            }
            _ => None,
        };
        let value = moved.and_then(|(from, by)| Some(self.place(machine, from)?.wrapping_add(by)));
        for def in &instr.defs {
            if def.reg == REG_STACK {
                self.stack = value;
            }
            if def.reg == machine.frame_pointer() {
                self.frame = value;
            }
            self.intact &= !(1 << def.reg);
        }
    }
}
