//! Recognition of loops along one way through the code, all addresses of which advance by constants, or by multiples of
//! registers that the loop leaves alone.
//!
//! Definition: the *body* is the instructions of one iteration, in the order in which they run; where a branch goes another
//! way, or a return does not lead behind its call, the loop is left. It is recorded once, by its registers at entry and an
//! induction value at entry and exit.
//! The body runs without instrumentation and with all the program's own registers, unless some addresses do not advance by
//! constants: their variable parts are recorded in every iteration, nothing else is.
//! Limits: gathers, masked accesses, repeated string instructions and 32-bit addressing do not fold; functions called must be seen
//! to leave the stack pointer as it was.

use rustc_hash::FxHashMap;
use trace::block::Terminator;

use crate::asm;
use crate::decode::{Decoded, Form, Memory};
use crate::emit::condition;
use crate::function;
use crate::kept::{Keeper, Kept};
use crate::symbols::{Key, NEGATIVE, Symbols, Value};
use crate::translate::is_pause;

/// Where the iteration count comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Induction {
    /// A register of the program that advances by a constant.
    Register(u8, i64),
    /// The scratch register, counting iterations from 0.
    Counter,
}

/// What an instruction of the body does to control.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Turn {
    /// Nothing.
    None,
    /// It jumps along the way.
    Jump,
    /// It leaves the loop under a condition, in the machine's encoding.
    Leave {
        /// The condition.
        condition: u8,
        /// Where to.
        target: u64,
    },
    /// It calls what follows on the way.
    Call {
        /// Return address.
        back: u64,
    },
    /// It returns behind the latest call, or leaves the loop.
    Return {
        /// Where to.
        back: u64,
    },
}

impl Turn {
    /// Of an instruction that is followed by the one at `next`; `None` if that cannot be.
    fn of(d: &Decoded, next: u64) -> Option<Turn> {
        Some(match function::terminator(&d.raw) {
            None if d.raw.next_ip() == next => Turn::None,
            Some(Terminator::Jump(target)) if target == next => Turn::Jump,
            // A call of what follows it is a way to read the program counter.
            Some(Terminator::Call { target, next: back }) if target == next && back != next => {
                Turn::Call { back }
            }
            Some(Terminator::Return) if d.raw.op_count() == 0 => Turn::Return { back: next },
            Some(Terminator::Branch { taken, next: other }) if d.raw.is_jcc_short_or_near() => {
                let condition = condition(&d.raw);
                match (taken == next, other == next) {
                    (true, false) => Turn::Leave { condition: condition ^ 1, target: other },
                    (false, true) => Turn::Leave { condition, target: taken },
                    _ => return None,
                }
            }
            _ => return None,
        })
    }
}

/// The word that an address is a constant distance from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Word {
    /// That of a key, recorded at entry.
    Entry(usize),
    /// One recorded in every iteration.
    Each(usize),
}

/// A word recorded in every iteration: the sum of two registers before an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Each {
    /// Index of the instruction.
    pub(crate) before: usize,
    /// First register.
    pub(crate) base: Option<u8>,
    /// Second register and what it is multiplied by.
    pub(crate) index: Option<(u8, u8)>,
}

/// How to translate a loop.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    /// What each instruction does to control.
    pub(crate) turns: Vec<Turn>,
    /// Distinct variable address parts, one word each.
    pub(crate) keys: Vec<Key>,
    /// Constant advance of each per iteration.
    pub(crate) strides: Vec<i64>,
    /// Further advances: key, register and factor.
    pub(crate) scaled: Vec<(usize, u8, i64)>,
    /// Words recorded in every iteration, in order.
    pub(crate) each: Vec<Each>,
    /// Recipe of each memory operand in order: word (none if the address is constant) and displacement.
    pub(crate) recipes: Vec<(Option<Word>, i64)>,
    /// The induction.
    pub(crate) induction: Induction,
    /// Advance of the induction register before each instruction of the body.
    pub(crate) progress: Vec<i64>,
    /// Registers that functions called in the body put back.
    pub(crate) kept: Vec<Kept>,
    /// Register that holds the record pointer outside the body.
    pub(crate) p: u8,
    /// Scratch register outside the body.
    pub(crate) s: u8,
    /// `p` serves as scratch inside the body, or holds the end of the record if words are recorded there.
    pub(crate) holds_p: bool,
    /// `s` counts inside the body.
    pub(crate) holds_s: bool,
}

/// Registers in the order in which the translator prefers to take them.
pub(crate) const PREFERENCE: [u8; 13] = [15, 14, 13, 12, 11, 10, 9, 8, 3, 5, 6, 7, 2];

impl Plan {
    /// Whether the loop can be left in the middle of an iteration.
    pub(crate) fn has_side_exits(&self) -> bool {
        let rest = self.turns.split_last().map_or(&[][..], |(_, rest)| rest);
        let is_return = |turn: &Turn| matches!(turn, Turn::Return { .. });
        rest.iter().any(|turn| matches!(turn, Turn::Leave { .. })) || self.turns.iter().any(is_return)
    }

    /// Number of words recorded in every iteration.
    pub(crate) fn each(&self) -> u16 {
        self.each.len() as u16
    }
}

/// Index of the stack pointer.
const RSP: usize = asm::RSP as usize;
/// Most words of either kind.
const MOST_WORDS: usize = 100;

/// A memory operand, by what its address consists of.
struct Operand<'a> {
    memory: &'a Memory,
    /// Index of its instruction.
    instruction: usize,
    /// Variable part and constant, sums of registers followed.
    address: (Option<Key>, i64),
    /// The same, sums not followed.
    direct: (Option<Key>, i64),
}

/// A call that has not returned.
struct OpenCall {
    /// Return address.
    back: u64,
    /// Stack pointer before it.
    stack: Value,
}

/// Plans the folding of the loop with this body, if it is one and can be folded. With `partly`, some addresses need not
/// advance by constants.
pub(crate) fn plan(body: &[Decoded], hint: Option<(u8, u8)>, partly: bool) -> Option<Plan> {
    let following = body.iter().skip(1).chain(body.first()).map(|d| d.raw.ip());
    let turns: Vec<Turn> =
        body.iter().zip(following).map(|(d, next)| Turn::of(d, next)).collect::<Option<_>>()?;
    if !turns.iter().any(|turn| matches!(turn, Turn::Leave { .. })) || body.iter().any(is_pause) {
        return None;
    }
    let mut symbols = Symbols::with_sums();
    let mut direct = Symbols::new();
    let mut operands: Vec<Operand> = Vec::new();
    let mut states = Vec::with_capacity(body.len());
    let mut calls: Vec<OpenCall> = Vec::new();
    let mut keeper = Keeper::default();
    for (instruction, (d, &turn)) in body.iter().zip(&turns).enumerate() {
        states.push(symbols.values);
        if let Turn::Call { back } = turn {
            calls.push(OpenCall { back, stack: symbols.values[RSP] });
        }
        for memory in &d.memory {
            let address = symbols.address(memory);
            if memory.form != Form::Plain || (memory.short && address.0.is_some()) {
                return None;
            }
            operands.push(Operand { memory, instruction, address, direct: direct.address(memory) });
        }
        keeper.step(body, &turns, instruction, [&mut symbols, &mut direct]);
        if let Turn::Return { back } = turn {
            let call = calls.pop()?;
            if call.back != back || call.stack != symbols.values[RSP] {
                return None;
            }
        }
    }
    if !calls.is_empty() {
        return None;
    }
    let advance = |origin: u32| {
        let register = origin & !NEGATIVE;
        let v = *symbols.values.get(register as usize)?;
        // What it advances by must be the same in every iteration.
        let lasts = v.scaled.is_none_or(|(r, _)| symbols.values[usize::from(r)] == Value::entry(r));
        (v.origin == register && lasts).then_some(if origin == register { v } else { v.negated() })
    };
    // Constant and scaled advance of a key.
    let stride = |key: &Key| {
        let negative = |o: Option<u32>| o.is_some_and(|o| o & NEGATIVE != 0);
        if negative(key.base) && negative(key.index) {
            return None;
        }
        let (mut stride, mut scaled) = (0i64, Vec::new());
        for (origin, scale) in [(key.base, 1), (key.index, i64::from(key.scale))] {
            let Some(origin) = origin else { continue };
            let value = advance(origin)?;
            stride = stride.wrapping_add(value.offset.wrapping_mul(scale));
            scaled.extend(value.scaled.map(|(r, factor)| (r, factor.wrapping_mul(scale))));
        }
        Some((stride, scaled))
    };
    let mut keys: Vec<Key> = Vec::new();
    let mut strides: Vec<i64> = Vec::new();
    let mut scaled: Vec<(usize, u8, i64)> = Vec::new();
    let mut recipes = Vec::with_capacity(operands.len());
    let mut each: Vec<Each> = Vec::new();
    let mut known: FxHashMap<Key, (usize, i64)> = FxHashMap::default();
    for o in &operands {
        let (Some(key), constant) = o.address else {
            recipes.push((None, o.address.1));
            continue;
        };
        if let Some(k) = keys.iter().position(|k| *k == key) {
            recipes.push((Some(Word::Entry(k)), constant));
        } else if let Some((by, more)) = stride(&key) {
            scaled.extend(more.into_iter().map(|(r, factor)| (keys.len(), r, factor)));
            recipes.push((Some(Word::Entry(keys.len())), constant));
            keys.push(key);
            strides.push(by);
        } else {
            let (Some(key), constant) = o.direct else { return None };
            let &mut (word, at) = known.entry(key).or_insert_with(|| {
                let index = o.memory.index.map(|r| (r, o.memory.scale));
                each.push(Each { before: o.instruction, base: o.memory.base, index });
                (each.len() - 1, constant.wrapping_sub(o.memory.disp))
            });
            recipes.push((Some(Word::Each(word)), constant.wrapping_sub(at)));
        }
    }
    let is_partly = !each.is_empty();
    let is_each = |r: &&(Option<Word>, i64)| matches!(r.0, Some(Word::Each(_)));
    let is_worth_it = partly && recipes.iter().filter(is_each).count() < recipes.len();
    if keys.len() > MOST_WORDS || each.len() > MOST_WORDS || (is_partly && !is_worth_it) {
        return None;
    }
    let alone = |r: u32| keys.contains(&Key { base: Some(r), index: None, scale: 1 });
    // It must hold the induction value wherever the loop can be left.
    let lasts = |r: u32| {
        states.iter().all(|v: &[Value; 16]| v[r as usize].origin == r && v[r as usize].scaled.is_none())
    };
    let inductions = (0..16u32).filter(|&r| r != 4 && lasts(r)).filter_map(|r| match advance(r) {
        Some(Value { offset, scaled: None, .. }) if offset != 0 => Some((alone(r), r, offset)),
        _ => None,
    });
    let register = inductions.max_by_key(|&(alone, r, _)| (alone, std::cmp::Reverse(r)));
    let touched = body.iter().fold(1u16 << 4, |t, d| t | d.touched);
    let mut keyed = 1u16 << 4;
    for key in &keys {
        for o in [key.base, key.index].into_iter().flatten() {
            keyed |= 1 << (o & !NEGATIVE);
        }
    }
    for &(_, r, _) in &scaled {
        keyed |= 1 << r;
    }
    let induction = match register {
        Some((_, r, step)) => {
            keyed |= 1 << r;
            Induction::Register(r as u8, step)
        }
        None => Induction::Counter,
    };
    let high = body.iter().any(|d| d.high_byte);
    let usable = |r: u8| !high || r < 8;
    let free = |r: &u8| touched >> r & 1 == 0 && usable(*r);
    let apart = |r: &u8| keyed >> r & 1 == 0 && usable(*r);
    let holds_s = induction == Induction::Counter;
    let constant = body.iter().any(|d| d.raw.is_ip_rel_memory_operand());
    let s = match (holds_s, hint) {
        (true, Some((_, s))) if free(&s) => s,
        (true, _) => PREFERENCE.into_iter().rev().find(free)?,
        (false, Some((_, s))) if apart(&s) => s,
        (false, _) => PREFERENCE.into_iter().rev().find(apart)?,
    };
    let other = |r: &u8| *r != s;
    let takes_p = constant || is_partly;
    let (p, holds_p) = match hint {
        Some((p, _)) if p != s && (free(&p) || (!takes_p && apart(&p))) => (p, takes_p),
        _ => match PREFERENCE.into_iter().filter(other).find(free) {
            Some(p) => (p, takes_p),
            None => (PREFERENCE.into_iter().filter(other).find(apart)?, false),
        },
    };
    let progress = match induction {
        Induction::Register(r, _) => states.iter().map(|v| v[usize::from(r)].offset).collect(),
        Induction::Counter => vec![0; body.len()],
    };
    let kept = keeper.kept;
    Some(Plan {
        turns,
        keys,
        strides,
        scaled,
        each,
        recipes,
        induction,
        progress,
        kept,
        p,
        s,
        holds_p,
        holds_s,
    })
}
