//! Symbolic register values within a block: an unknown origin, or its negative, plus a constant.
//!
//! Two addresses whose registers have the same origins differ by a constant, so one recorded word serves both.

use iced_x86::{Code, Mnemonic, OpKind as Kind};

use crate::asm::RSP;
use crate::decode::{Decoded, Memory, number};

/// Marks an origin that is subtracted.
pub(crate) const NEGATIVE: u32 = 1 << 31;

/// `origin + offset`, and some times a register's value at block entry if so asked. Origins 0 to 15 are the registers'
/// values at block entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Value {
    pub(crate) origin: u32,
    pub(crate) offset: i64,
    /// Register and multiplier.
    pub(crate) scaled: Option<(u8, i64)>,
}

impl Value {
    /// What register `n` holds at block entry.
    pub(crate) fn entry(n: u8) -> Value {
        Value { origin: n.into(), offset: 0, scaled: None }
    }

    /// The value subtracted from 0.
    pub(crate) fn negated(self) -> Value {
        Value {
            origin: self.origin ^ NEGATIVE,
            offset: self.offset.wrapping_neg(),
            scaled: self.scaled.map(|(r, factor)| (r, factor.wrapping_neg())),
        }
    }

    /// Its part that is not constant, if that is a sum that an address can have.
    fn sum(self) -> Option<Key> {
        let (register, factor) = self.scaled.filter(|&(register, _)| register != RSP)?;
        let scale = u8::try_from(factor).ok().filter(|scale| matches!(scale, 1 | 2 | 4 | 8))?;
        Some(Key { base: Some(self.origin), index: Some(register.into()), scale })
    }

    fn plus(self, register: u8, factor: i64) -> Option<Value> {
        let scaled = match self.scaled {
            None => (register, factor),
            Some((r, f)) if r == register => (r, f.wrapping_add(factor)),
            Some(_) => return None,
        };
        Some(Value { scaled: Some(scaled).filter(|s| s.1 != 0), ..self })
    }
}

/// The part of an address that is not constant: `base + index * scale`, by origins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    pub(crate) base: Option<u32>,
    pub(crate) index: Option<u32>,
    pub(crate) scale: u8,
}

/// The registers' symbolic values at one point of a block.
#[derive(Debug, Clone)]
pub(crate) struct Symbols {
    pub(crate) values: [Value; 16],
    next: u32,
    /// Sums of registers are followed too.
    sums: bool,
}

/// Stands for an origin in a key that no other key may equal and that no register holds at entry.
const SUM: u32 = u32::MAX;

impl Symbols {
    /// At block entry.
    pub(crate) fn new() -> Self {
        Symbols { values: std::array::from_fn(|n| Value::entry(n as u8)), next: 16, sums: false }
    }

    /// At block entry; sums of a register and multiples of another's value at entry are followed too. Keys with sums that no
    /// address can have compare equal though they may differ: they are for whoever refuses them.
    pub(crate) fn with_sums() -> Self {
        Symbols { sums: true, ..Symbols::new() }
    }

    /// The variable part of an address and the constant beside it (displacement included); `None` for a constant
    /// address.
    pub(crate) fn address(&self, m: &Memory) -> (Option<Key>, i64) {
        let value = |r: Option<u8>| r.map(|r| self.values[usize::from(r)]);
        let (base, index) = (value(m.base), value(m.index));
        let offset = base.map_or(0, |b| b.offset);
        let scaled = index.map_or(0, |i| i.offset.wrapping_mul(i64::from(m.scale)));
        let constant = offset.wrapping_add(scaled).wrapping_add(m.disp);
        let key = match (base.and_then(Value::sum), index) {
            (Some(sum), None) => sum,
            _ => Key {
                base: base.map(|b| if b.scaled.is_some() { SUM } else { b.origin }),
                index: index.map(|i| if i.scaled.is_some() { SUM } else { i.origin }),
                scale: if index.is_some() { m.scale } else { 1 },
            },
        };
        (if base.is_none() && index.is_none() { None } else { Some(key) }, constant)
    }

    fn fresh(&mut self) -> Value {
        self.next += 1;
        Value { origin: self.next, offset: 0, scaled: None }
    }

    /// `value` plus `factor` times register `n`, if that holds what it held at entry.
    fn sum(&self, value: Value, n: iced_x86::Register, factor: i64) -> Option<Value> {
        let n = number(n) & 15;
        (self.sums && self.values[usize::from(n)] == Value::entry(n)).then(|| value.plus(n, factor))?
    }

    /// Accounts for one instruction.
    pub(crate) fn step(&mut self, d: &Decoded) {
        let i = &d.raw;
        let to = i.op0_register();
        let target = usize::from(number(to) & 15);
        let register = |k: u32| i.op_kind(k) == Kind::Register && i.op_register(k).is_gpr64();
        let constant = matches!(i.op1_kind(), Kind::Immediate8to64 | Kind::Immediate32to64);
        let known = match i.mnemonic() {
            Mnemonic::Push | Mnemonic::Call | Mnemonic::Pushfq => {
                let delta = if i.mnemonic() == Mnemonic::Call { -8 } else { i.stack_pointer_increment() };
                let sp = self.values[4];
                Some((4, Value { offset: sp.offset.wrapping_add(i64::from(delta)), ..sp }))
            }
            Mnemonic::Pop => {
                let sp = self.values[4];
                let sp =
                    Value { offset: sp.offset.wrapping_add(i64::from(i.stack_pointer_increment())), ..sp };
                if i.op_kind(0) == Kind::Register {
                    let value = self.fresh();
                    self.values[target] = value;
                    if target == 4 {
                        return;
                    }
                }
                self.values[4] = sp;
                return;
            }
            Mnemonic::Ret => {
                let sp = self.values[4];
                let by = i64::from(i.stack_pointer_increment());
                Some((4, Value { offset: sp.offset.wrapping_add(by), ..sp }))
            }
            // The stack pointer is above the word that is loaded; the frame pointer's value is not known.
            Mnemonic::Leave if i.code() == Code::Leaveq => {
                let frame = self.values[5];
                Some((4, Value { offset: frame.offset.wrapping_add(8), ..frame }))
            }
            Mnemonic::Add if register(0) && constant => {
                let v = self.values[target];
                Some((target, Value { offset: v.offset.wrapping_add(i.immediate(1) as i64), ..v }))
            }
            Mnemonic::Sub if register(0) && constant => {
                let v = self.values[target];
                Some((target, Value { offset: v.offset.wrapping_sub(i.immediate(1) as i64), ..v }))
            }
            Mnemonic::Inc if register(0) => {
                let v = self.values[target];
                Some((target, Value { offset: v.offset.wrapping_add(1), ..v }))
            }
            Mnemonic::Dec if register(0) => {
                let v = self.values[target];
                Some((target, Value { offset: v.offset.wrapping_sub(1), ..v }))
            }
            Mnemonic::Add if register(0) && register(1) => {
                self.sum(self.values[target], i.op_register(1), 1).map(|v| (target, v))
            }
            Mnemonic::Sub if register(0) && register(1) => {
                self.sum(self.values[target], i.op_register(1), -1).map(|v| (target, v))
            }
            Mnemonic::Lea if register(0) && i.memory_base().is_gpr64() && i.memory_index().is_gpr64() => {
                let (base, index) = (i.memory_base(), i.memory_index());
                let scale = i64::from(i.memory_index_scale());
                // Either register may be the one that moves.
                let moving = number(index) as usize == target && scale == 1;
                let (from, by) = if moving { (index, base) } else { (base, index) };
                let v = self.values[usize::from(number(from))];
                self.sum(v, by, scale).map(|v| {
                    (target, Value { offset: v.offset.wrapping_add(i.memory_displacement64() as i64), ..v })
                })
            }
            Mnemonic::Neg if register(0) => Some((target, self.values[target].negated())),
            Mnemonic::Mov if register(0) && register(1) => {
                Some((target, self.values[usize::from(number(i.op1_register()))]))
            }
            Mnemonic::Lea
                if register(0)
                    && i.memory_index() == iced_x86::Register::None
                    && i.memory_base().is_gpr64() =>
            {
                let v = self.values[usize::from(number(i.memory_base()))];
                Some((target, Value { offset: v.offset.wrapping_add(i.memory_displacement64() as i64), ..v }))
            }
            _ => None,
        };
        for r in 0..16 {
            if d.written >> r & 1 != 0 && known.is_none_or(|(k, _)| k != r) {
                self.values[r] = self.fresh();
            }
        }
        if let Some((r, value)) = known {
            self.values[r] = value;
        }
    }
}
