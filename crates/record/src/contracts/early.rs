//! What functions do to memory whose contracts tell it at their entry: code that writes it to the record, without a stop.
//!
//! Definition: such a function reads and writes ranges that begin at its arguments, or where a constant address leads, and that have a constant number of bytes,
//! or as many as an argument says. Registers that hold no argument, and the flags, are free where a function begins (System V ABI,
//! AMD64 supplement, "Registers").
//!
//! Invariant: the code reads none of the memory that arguments lead to, where a fault would be the program's own. So texts are measured when the
//! function has returned.

use trace::block::{Access, Address, Operand, Role};
use trace::contract::{Deed, Deeds, Extent, INTEGER_ARGUMENTS, Mark, Place, Product, Value};
use trace::stream::hidden_state;

use super::FIXED;
use crate::asm::Code;

/// A range, and how it gets into the record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Range {
    /// At a constant address: nothing is recorded.
    Constant(u64),
    /// So many bytes where a register leads.
    Sized(u8),
    /// So many bytes where the word at a constant address leads.
    Behind(u64),
    /// From where one register leads, as many bytes as another one says.
    Counted(u8, u8),
}

/// All that such a function does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Early(Vec<(Range, u16, Access)>);

impl Early {
    /// What a function does, if that is known at its entry.
    pub(super) fn of(deeds: &Deeds) -> Option<Early> {
        let is_plain = deeds.format.is_none()
            && deeds.mode.is_none()
            && deeds.unclear.is_empty()
            && !deeds.list.is_empty();
        is_plain.then(|| deeds.list.iter().map(range).collect::<Option<_>>().map(Early))?
    }

    /// Words of a record with them.
    pub(super) fn words(&self) -> u16 {
        FIXED + self.0.iter().map(|own| own.0.words()).sum::<u16>()
    }

    /// The operands of the instruction that stands for the function.
    pub(super) fn operands(&self) -> Vec<Operand> {
        let mut word = FIXED;
        let mut out = Vec::with_capacity(self.0.len());
        for &(range, size, access) in &self.0 {
            let address = match range {
                Range::Constant(at) => Address::Constant(at),
                Range::Sized(_) | Range::Behind(_) => Address::Word { word, delta: 0 },
                Range::Counted(..) => Address::Span { from: word, to: word + 1 },
            };
            word += range.words();
            out.push(Operand { instr: 0, access, size, role: Role::Value, address, saves: None });
        }
        out
    }

    /// Stores the words at `p`, with `s` free.
    pub(super) fn store(&self, code: &mut Code, p: u8, s: u8) {
        let mut at = i32::from(FIXED) * 8;
        for &(range, ..) in &self.0 {
            match range {
                Range::Constant(_) => {}
                Range::Sized(start) => code.store(p, at, start),
                Range::Behind(address) => {
                    code.constant(s, address);
                    code.load(s, s, 0);
                    code.store(p, at, s);
                }
                Range::Counted(start, count) => {
                    code.store(p, at, start);
                    code.lea_full(s, Some(start), Some((count, 1)), 0, false);
                    code.store(p, at + 8, s);
                }
            }
            at += i32::from(range.words()) * 8;
        }
    }
}

impl Range {
    fn words(self) -> u16 {
        match self {
            Range::Constant(_) => 0,
            Range::Sized(_) | Range::Behind(_) => 1,
            Range::Counted(..) => 2,
        }
    }
}

/// The register of an argument of 64 bits.
fn register(value: Value) -> Option<u8> {
    match value {
        Value::Argument { number, is_int: false } => INTEGER_ARGUMENTS.get(usize::from(number)).copied(),
        _ => None,
    }
}

fn range(deed: &Deed) -> Option<(Range, u16, Access)> {
    if deed.condition.is_some() || !matches!(deed.mark, Mark::None | Mark::Input | Mark::Output) {
        return None;
    }
    let (range, size) = match (deed.place, &deed.extent) {
        (Place::State(number), _) => (Range::Constant(hidden_state(number)), 8),
        (place, Extent::Bytes(Product { factors, plus }, None)) => match (place, &factors[..]) {
            (Place::At(value), []) => (Range::Sized(register(value)?), u16::try_from(*plus).ok()?),
            (Place::At(value), &[count]) if *plus == 0 => {
                (Range::Counted(register(value)?, register(count)?), 1)
            }
            (Place::Behind(Value::Constant(at)), []) => (Range::Behind(at), u16::try_from(*plus).ok()?),
            _ => return None,
        },
        _ => return None,
    };
    Some((range, size, deed.access))
}
