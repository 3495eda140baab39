//! Recognition of loops along one way through the code, all addresses of which advance by constants, or by multiples of
//! registers that the loop leaves alone.
//!
//! Definition: the *body* is the instructions of one iteration, in the order in which they run; where a branch goes another
//! way, the loop is left. It is recorded once, by its registers at entry and an induction value at entry and exit.
//! The body runs without instrumentation and with all the program's own registers.
//! Limits: gathers, masked accesses, repeated string instructions and 32-bit addressing do not fold.

use trace::block::Terminator;

use crate::decode::{Decoded, Form};
use crate::emit::condition;
use crate::function;
use crate::symbols::{Key, NEGATIVE, Symbols, Value};

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
}

impl Turn {
    /// Of an instruction that is followed by the one at `next`; `None` if that cannot be.
    fn of(d: &Decoded, next: u64) -> Option<Turn> {
        Some(match function::terminator(&d.raw) {
            None if d.raw.next_ip() == next => Turn::None,
            Some(Terminator::Jump(target)) if target == next => Turn::Jump,
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
    /// Recipe of each memory operand in order: key (or constant address) and displacement.
    pub(crate) recipes: Vec<(Option<usize>, i64)>,
    /// The induction.
    pub(crate) induction: Induction,
    /// Advance of the induction register before each instruction of the body.
    pub(crate) progress: Vec<i64>,
    /// Register that holds the record pointer outside the body.
    pub(crate) p: u8,
    /// Scratch register outside the body.
    pub(crate) s: u8,
    /// `p` serves as scratch inside the body.
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
        rest.iter().any(|turn| matches!(turn, Turn::Leave { .. }))
    }
}

/// Plans the folding of the loop with this body, if it is one and can be folded.
pub(crate) fn plan(body: &[Decoded], hint: Option<(u8, u8)>) -> Option<Plan> {
    let following = body.iter().skip(1).chain(body.first()).map(|d| d.raw.ip());
    let turns: Vec<Turn> =
        body.iter().zip(following).map(|(d, next)| Turn::of(d, next)).collect::<Option<_>>()?;
    if !turns.iter().any(|turn| matches!(turn, Turn::Leave { .. })) {
        return None;
    }
    let mut symbols = Symbols::with_sums();
    let mut keys: Vec<Key> = Vec::new();
    let mut recipes = Vec::new();
    let mut states = Vec::with_capacity(body.len());
    for d in body {
        states.push(symbols.values);
        for m in &d.memory {
            let (key, constant) = symbols.address(m);
            if m.form != Form::Plain || (m.short && key.is_some()) {
                return None;
            }
            let word = match key {
                None => None,
                Some(key) => {
                    let entry = |o: Option<u32>| o.is_none_or(|o| o & !NEGATIVE < 16);
                    let negative = |o: Option<u32>| o.is_some_and(|o| o & NEGATIVE != 0);
                    if !entry(key.base) || !entry(key.index) || (negative(key.base) && negative(key.index)) {
                        return None;
                    }
                    Some(keys.iter().position(|k| *k == key).unwrap_or_else(|| {
                        keys.push(key);
                        keys.len() - 1
                    }))
                }
            };
            recipes.push((word, constant));
        }
        symbols.step(d);
    }
    if keys.len() > 100 {
        return None;
    }
    let advance = |origin: u32| {
        let register = origin & !NEGATIVE;
        let v = symbols.values[register as usize];
        // What it advances by must be the same in every iteration.
        let lasts = v.scaled.is_none_or(|(r, _)| symbols.values[usize::from(r)] == Value::entry(r));
        (v.origin == register && lasts).then_some(if origin == register { v } else { v.negated() })
    };
    let mut strides = Vec::with_capacity(keys.len());
    let mut scaled = Vec::new();
    for (k, key) in keys.iter().enumerate() {
        let mut stride = 0i64;
        for (origin, scale) in [(key.base, 1), (key.index, i64::from(key.scale))] {
            let Some(origin) = origin else { continue };
            let value = advance(origin)?;
            stride = stride.wrapping_add(value.offset.wrapping_mul(scale));
            scaled.extend(value.scaled.map(|(r, factor)| (k, r, factor.wrapping_mul(scale))));
        }
        strides.push(stride);
    }
    let alone = |r: u32| keys.contains(&Key { base: Some(r), index: None, scale: 1 });
    let inductions = (0..16u32).filter(|&r| r != 4).filter_map(|r| match advance(r) {
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
    let (p, holds_p) = match hint {
        Some((p, _)) if p != s && (free(&p) || (!constant && apart(&p))) => (p, constant),
        _ => match PREFERENCE.into_iter().filter(other).find(free) {
            Some(p) => (p, constant),
            None => (PREFERENCE.into_iter().filter(other).find(apart)?, false),
        },
    };
    let progress = match induction {
        Induction::Register(r, _) => states.iter().map(|v| v[usize::from(r)].offset).collect(),
        Induction::Counter => vec![0; body.len()],
    };
    Some(Plan { turns, keys, strides, scaled, recipes, induction, progress, p, s, holds_p, holds_s })
}
