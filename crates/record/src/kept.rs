//! Registers that functions called along a way put back.
//!
//! Definition: a register is *kept* if a function pushes it and takes it from the same place of the stack again, with nothing but
//! pops up to its return. A store through a pointer may have changed what lies there, so the register is compared at the
//! return with what was pushed, of which a slot holds a copy; the loop is left if they differ. Hence its symbolic value is
//! the one before the push.
//!
//! Invariant: no address in between depends on a register that has yet to be compared.

use iced_x86::{Code, Mnemonic, OpKind};

use crate::asm::{RCX, RSP};
use crate::decode::{Decoded, number};
use crate::emit::Emit;
use crate::fold::Turn;
use crate::shared::{KEPT, SLOT_KEPT, SLOT_T, SLOT_U};
use crate::symbols::{Symbols, Value};

/// Number of the frame pointer.
const RBP: u8 = 5;

/// A register that is kept, by indices of instructions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Kept {
    /// The instruction that pushes it.
    pub(crate) push: usize,
    /// The return at which it is compared.
    pub(crate) compare: usize,
    /// The register.
    pub(crate) register: u8,
    /// Slot of what was pushed.
    pub(crate) slot: i32,
}

/// A register that was pushed.
struct Pushed {
    instruction: usize,
    register: u8,
    /// Where it lies.
    place: Value,
    /// What it held, sums followed and not.
    values: [Value; 2],
}

/// Follows what is pushed and popped.
#[derive(Default)]
pub(crate) struct Keeper {
    pushed: Vec<Pushed>,
    /// What is kept.
    pub(crate) kept: Vec<Kept>,
}

impl Keeper {
    /// Accounts for the instruction with index `at` of the body, in all symbols: sums followed and not.
    pub(crate) fn step(&mut self, body: &[Decoded], turns: &[Turn], at: usize, all: [&mut Symbols; 2]) {
        let Some(d) = body.get(at) else { return };
        let [symbols, direct] = all;
        let restored = self.restored(body, turns, at, symbols);
        let pushed = general(d, Mnemonic::Push).map(|register| {
            let values = [&*symbols, &*direct].map(|s| s.values[usize::from(register)]);
            (register, values)
        });
        symbols.step(d);
        direct.step(d);
        if let Some((register, values)) = pushed {
            let place = symbols.values[usize::from(RSP)];
            self.pushed.push(Pushed { instruction: at, register, place, values });
        }
        if let Some((register, [value, direct_value])) = restored {
            symbols.values[usize::from(register)] = value;
            direct.values[usize::from(register)] = direct_value;
        }
    }

    /// The register that the instruction puts back, and what it then holds.
    fn restored(
        &mut self,
        body: &[Decoded],
        turns: &[Turn],
        at: usize,
        symbols: &Symbols,
    ) -> Option<(u8, [Value; 2])> {
        let d = body.get(at)?;
        let (register, from) = match general(d, Mnemonic::Pop) {
            Some(register) => (register, RSP),
            None if d.raw.code() == Code::Leaveq => (RBP, RBP),
            None => return None,
        };
        let place = symbols.values[usize::from(from)];
        let pushed = self.pushed.iter().rev().find(|p| p.register == register && p.place == place)?;
        let compare = return_after(body, turns, at, register)?;
        let is_taken =
            |slot: &i32| self.kept.iter().any(|k| k.slot == *slot && k.compare >= pushed.instruction);
        let slot = (0..KEPT).map(|k| SLOT_KEPT + 8 * k).find(|slot| !is_taken(slot))?;
        self.kept.push(Kept { push: pushed.instruction, compare, register, slot });
        Some((register, pushed.values))
    }
}

impl Emit<'_> {
    /// A return to `back`, without touching the flags. Gives the jumps that are taken, with RCX in its slot, if it leads
    /// elsewhere or a register that should be kept is not: it has not been executed then.
    pub(crate) fn go_back(&mut self, d: &Decoded, progress: i64, back: u64, kept: &[Kept]) -> Vec<usize> {
        self.code.save(SLOT_T, RCX);
        self.point(d, progress, [Some(RCX), None]);
        let mut elsewhere = self.code.unless_at(RSP, back);
        for &Kept { register, slot, .. } in kept {
            self.code.save(SLOT_U, register);
            self.code.copy(RCX, register);
            self.code.not(RCX);
            self.code.restore(register, slot);
            // What was pushed less what is there: 0, or the latter is put back.
            self.code.lea_full(RCX, Some(RCX), Some((register, 1)), 1, false);
            elsewhere.push(self.code.unless_zero(|code| code.restore(register, SLOT_U)));
        }
        self.code.restore(RCX, SLOT_T);
        self.code.lea(RSP, RSP, 8);
        elsewhere
    }
}

/// The register that an instruction pushes or pops whole, if it can be kept.
fn general(d: &Decoded, mnemonic: Mnemonic) -> Option<u8> {
    let i = &d.raw;
    let is_register =
        i.mnemonic() == mnemonic && i.op_kind(0) == OpKind::Register && i.op0_register().is_gpr64();
    is_register.then(|| number(i.op0_register())).filter(|&r| r != RSP && r != RCX)
}

/// Index of the return that follows on an instruction that puts `register` back, with nothing but pops of others between.
fn return_after(body: &[Decoded], turns: &[Turn], at: usize, register: u8) -> Option<usize> {
    for (k, (d, turn)) in body.iter().zip(turns).enumerate().skip(at + 1) {
        match turn {
            Turn::Return { .. } => return Some(k),
            Turn::None if general(d, Mnemonic::Pop).is_some_and(|other| other != register) => {}
            _ => return None,
        }
    }
    None
}
