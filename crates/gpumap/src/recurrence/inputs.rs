//! Inputs of a function: symbols, or the values that they are given.

use std::collections::BTreeMap;

use num_bigint::BigInt;
use num_traits::{One, Signed};

use super::forms::{Forms, Reading};
use super::operators::limits;
use crate::ir::{Type, ValueId};
use crate::memory::Assumption;
use crate::symbolic::Polynomial;

/// Values of inputs by their names in the source, as they were in a run: parameters (`n`) and contents of memory that stay the same
/// (`in->width`, also written `in.width`).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Given {
    /// By name, with `.` for all members.
    values: BTreeMap<String, (String, BigInt)>,
}

impl Given {
    /// Gives an input a value; a later one counts.
    pub fn set(&mut self, name: &str, value: impl Into<BigInt>) {
        self.values.insert(plain(name), (name.to_owned(), value.into()));
    }

    /// The value of an input, and its name as it was given.
    fn get(&self, name: &str) -> Option<&(String, BigInt)> {
        self.values.get(&plain(name))
    }

    /// The value that an input of this name is given.
    pub fn value(&self, name: &str) -> Option<&BigInt> {
        self.get(name).map(|(_, value)| value)
    }

    /// Whether nothing is given.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The names that have a value, as they were given.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.values.values().map(|(name, _)| name.as_str())
    }
}

/// A name with one way of writing members.
fn plain(name: &str) -> String {
    name.replace("->", ".")
}

impl Forms<'_> {
    /// A parameter is a symbol in the reading of its type in the source, or the value that it is given.
    pub(super) fn parameter(&mut self, value: ValueId, reading: Reading) -> Option<Polynomial> {
        let metadata = &self.module.metadata;
        let is_own = |variable: &crate::ir::MetadataId| metadata.number(*variable, "arg").is_some();
        let variable = self.function.variables_of(value).find(is_own);
        let name = variable.and_then(|variable| metadata.text(variable, "name"));
        let own = variable
            .and_then(|variable| metadata.stripped(metadata.node(variable, "type")?))
            .and_then(|of| metadata.text(of, "encoding"))
            .map_or(Reading::Signed, |encoding| {
                let is_unsigned = encoding.starts_with("DW_ATE_unsigned") || encoding == "DW_ATE_boolean";
                if is_unsigned { Reading::Unsigned } else { Reading::Signed }
            });
        let is_address = *self.module.types.get(self.function.value(value).of) == Type::Pointer;
        let name = name.unwrap_or(&self.function.value(value).name);
        if !is_address
            && let Some(bits) = self.bits(self.function.value(value).of)
            && let Some(number) = self.given(name, bits, reading)
        {
            return Some(number);
        }
        let symbol = (is_address || own == reading).then(|| self.atoms.symbol(name))?;
        if is_address {
            symbol.atoms().into_iter().for_each(|atom| self.atoms.note_address(atom));
        }
        Some(symbol)
    }

    /// The number that an input of so many bits is given, in a reading; `None` if it is given none, or one that its bits cannot
    /// hold in either reading.
    pub(super) fn given(&mut self, name: &str, bits: u32, reading: Reading) -> Option<Polynomial> {
        let (name, value) = self.given.get(name)?.clone();
        let (least, most) =
            (limits(bits, Reading::Signed).0.integer()?, limits(bits, Reading::Unsigned).1.integer()?);
        if value < least || value > most {
            return None;
        }
        let assumption = Assumption::Value { name, value: value.clone() };
        let id = self.memory.as_mut()?.assume(assumption);
        self.premises.insert(id);
        let modulus = BigInt::one() << bits;
        let highest = limits(bits, Reading::Signed).1.integer()?;
        Some(
            match reading {
                Reading::Unsigned if value.is_negative() => value + modulus,
                Reading::Signed if value > highest => value - modulus,
                _ => value,
            }
            .into(),
        )
    }
}
