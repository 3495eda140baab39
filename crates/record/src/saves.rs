//! Which pushes save a register for the caller, and which pops bring it back.

use trace::block::{Access, Instr, OpKind, Operand, RegRange, Role};

use crate::decode::Decoded;

/// Longest push, pop or leave in bytes. Slots these use are theirs alone; those of other stores may be overwritten.
const SHORT: u8 = 2;

/// Registers that a function must leave as it found them.
fn is_callee_saved(register: u8) -> bool {
    matches!(register, 3 | 5 | 12..=15)
}

/// Marks the operands of a block that put callee-saved registers into their places, or bring them back.
pub(crate) fn mark(operands: &mut [Operand], body: &[Decoded]) {
    for at in 0..operands.len() {
        let instr = operands[at].instr;
        let is_alone = operands.iter().filter(|o| o.instr == instr).count() == 1;
        operands[at].saves =
            body.get(usize::from(instr)).filter(|_| is_alone).and_then(|d| saved(&d.instr, &operands[at]));
    }
}

fn saved(i: &Instr, operand: &Operand) -> Option<u8> {
    if i.operation.kind != OpKind::Copy || i.conditional || i.len > SHORT || operand.size != 8 {
        return None;
    }
    let whole = |r: &RegRange| (r.lo, r.hi) == (0, 8) && is_callee_saved(r.reg);
    match operand.access {
        Access::Write => Some(i.uses.iter().find(|u| u.role == Role::Value && whole(&u.range))?.range.reg),
        Access::Read => Some(i.defs.iter().find(|d| whole(d))?.reg),
    }
}
