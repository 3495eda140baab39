//! The floating-point stack: which of its slots an instruction reads and writes, and how it renames them.
//!
//! Slots are named by their distance from the top before the instruction; the slot that a push takes is the farthest. Where the
//! top is in the machine does not matter: whoever follows the instructions keeps the names in step ([`Turn`]). An exchange only
//! renames. The control word and the status word are registers apart from the stack.

use iced_x86::{Instruction, Mnemonic as M, OpKind as Kind};
use trace::block::{OpKind, REG_OTHER, REG_X87, RegRange, Role, Turn};

/// The slot that a push takes.
const PUSHED: u8 = 7;
const CONTROL: RegRange = RegRange { reg: REG_OTHER, lo: 0, hi: 2 };
const STATUS: RegRange = RegRange { reg: REG_OTHER, lo: 2, hi: 4 };

/// What an instruction does to the stack and the two words.
#[derive(Debug, Default)]
pub(crate) struct Effect {
    pub(crate) uses: Vec<(RegRange, Role)>,
    pub(crate) defs: Vec<RegRange>,
    pub(crate) turn: Turn,
}

impl Effect {
    fn new(uses: &[(u8, Role)], defs: &[u8], turn: Turn) -> Effect {
        Effect {
            uses: uses.iter().map(|&(at, role)| (slot(at), role)).collect(),
            defs: defs.iter().map(|&at| slot(at)).collect(),
            turn,
        }
    }

    fn reading(mut self, word: RegRange) -> Effect {
        self.uses.push((word, Role::Value));
        self
    }

    fn writing(mut self, word: RegRange) -> Effect {
        self.defs.push(word);
        self
    }
}

fn slot(at: u8) -> RegRange {
    RegRange { reg: REG_X87 + (at & 7), lo: 0, hi: 10 }
}

/// Whether it only renames slots, or empties one.
pub(crate) fn is_renaming(i: &Instruction) -> bool {
    match i.mnemonic() {
        M::Fxch | M::Ffree | M::Ffreep | M::Fincstp | M::Fdecstp | M::Fnop | M::Wait => true,
        // `fstp st(0)` drops the top.
        M::Fstp => register(i, 0) == Some(0),
        _ => false,
    }
}

/// The role of what is loaded from memory by an operation on the stack.
pub(crate) fn role_of_load(i: &Instruction, kind: OpKind) -> Role {
    match (kind, i.mnemonic()) {
        (OpKind::Multiply, _) | (_, M::Fadd | M::Fiadd | M::Fsubr | M::Fisubr) => Role::Accumulator,
        _ => Role::Value,
    }
}

/// What an instruction of class `kind` does.
pub(crate) fn effect(i: &Instruction, kind: OpKind) -> Effect {
    use Role::Value;
    let moved = i.fpu_stack_increment_info().increment();
    let turn = match (i.mnemonic(), u8::try_from(moved)) {
        (M::Fxch, _) => Turn::Exchange(register(i, 0).into_iter().chain(register(i, 1)).max().unwrap_or(1)),
        (_, Ok(0)) => Turn::Stays,
        (_, Ok(popped)) => Turn::Pop(popped),
        (_, Err(_)) => Turn::Push,
    };
    match i.mnemonic() {
        _ if is_renaming(i) => Effect { turn, ..Effect::default() },
        M::Fld => {
            let from: Vec<(u8, Role)> = register(i, 0).map(|at| (at, Value)).into_iter().collect();
            Effect::new(&from, &[PUSHED], turn)
        }
        M::Fild | M::Fbld | M::Fld1 | M::Fldz | M::Fldpi | M::Fldl2e | M::Fldl2t | M::Fldlg2 | M::Fldln2 => {
            Effect::new(&[], &[PUSHED], turn)
        }
        M::Fst | M::Fstp | M::Fist | M::Fistp | M::Fisttp | M::Fbstp => {
            let to: Vec<u8> = register(i, 0).into_iter().collect();
            Effect::new(&[(0, Value)], &to, turn)
        }
        M::Fchs | M::Fabs | M::Fsqrt | M::Frndint | M::Fsin | M::Fcos | M::F2xm1 => {
            Effect::new(&[(0, Value)], &[0], turn)
        }
        M::Fsincos | M::Fptan | M::Fxtract => Effect::new(&[(0, Value)], &[0, PUSHED], turn),
        M::Fpatan | M::Fyl2x | M::Fyl2xp1 => Effect::new(&[(0, Value), (1, Value)], &[1], turn),
        M::Fscale => Effect::new(&[(0, Value), (1, Value)], &[0], turn),
        M::Fprem | M::Fprem1 => Effect::new(&[(0, Value), (1, Value)], &[0], turn).writing(STATUS),
        M::Fldcw => Effect::default().writing(CONTROL),
        M::Fnstcw | M::Fstcw => Effect::default().reading(CONTROL),
        M::Fnstsw | M::Fstsw => Effect::default().reading(STATUS),
        // Exceptions alone; no comparison is lost.
        M::Fnclex | M::Fclex => Effect::default(),
        M::Fnstenv | M::Fstenv => Effect::default().reading(CONTROL).reading(STATUS),
        M::Fldenv => Effect::default().writing(CONTROL).writing(STATUS),
        M::Fninit | M::Finit | M::Frstor => {
            Effect::new(&[], &[0, 1, 2, 3, 4, 5, 6, 7], Turn::Stays).writing(CONTROL).writing(STATUS)
        }
        _ => match kind {
            OpKind::Compare => comparison(i, turn),
            OpKind::Add | OpKind::Multiply | OpKind::Divide | OpKind::Select => arithmetic(i, kind, turn),
            // All of it takes part.
            _ => {
                let all: [u8; 8] = std::array::from_fn(|at| at as u8);
                let effect = Effect::new(&all.map(|at| (at, Value)), &all, turn);
                effect.reading(CONTROL).reading(STATUS).writing(CONTROL).writing(STATUS)
            }
        },
    }
}

fn comparison(i: &Instruction, turn: Turn) -> Effect {
    let with = match i.mnemonic() {
        M::Ftst | M::Fxam => None,
        _ if i.op_count() == 0 => Some(1),
        _ if i.op0_kind() == Kind::Memory => None,
        _ => register(i, 1).or_else(|| register(i, 0)),
    };
    let read: Vec<(u8, Role)> = [Some(0), with].into_iter().flatten().map(|at| (at, Role::Value)).collect();
    let effect = Effect::new(&read, &[], turn);
    match i.mnemonic() {
        M::Fcomi | M::Fcomip | M::Fucomi | M::Fucomip => effect,
        _ => effect.writing(STATUS),
    }
}

fn arithmetic(i: &Instruction, kind: OpKind, turn: Turn) -> Effect {
    let is_sum = kind == OpKind::Add;
    let is_reversed = matches!(i.mnemonic(), M::Fsubr | M::Fsubrp | M::Fisubr);
    let is_commutative =
        kind == OpKind::Multiply || is_sum && matches!(i.mnemonic(), M::Fadd | M::Faddp | M::Fiadd);
    let role = |is_minuend: bool| match is_commutative || is_sum && is_minuend {
        true => Role::Accumulator,
        false => Role::Value,
    };
    // With memory the top is the first operand.
    let to = register(i, 0).unwrap_or(0);
    let mut uses: Vec<(u8, Role)> = vec![(to, role(!is_reversed))];
    if let Some(with) = register(i, 1) {
        match to == with {
            // `fadd st, st` takes the value twice.
            true => uses[0].1 = Role::Value,
            false => uses.push((with, role(is_reversed))),
        }
    }
    Effect::new(&uses, &[to], turn)
}

/// The slot that operand `at` names.
fn register(i: &Instruction, at: u32) -> Option<u8> {
    let is_register = at < i.op_count() && i.op_kind(at) == Kind::Register && i.op_register(at).is_st();
    is_register.then(|| i.op_register(at).number() as u8 & 7)
}
