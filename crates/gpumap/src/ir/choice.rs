//! Intrinsics that choose among numbers: least, greatest, absolute value.
//!
//! Source: LLVM language reference, "Standard C/C++ Library Intrinsics".

use super::instruction::Callee;
use super::{Module, Operand, Operation};

/// What an intrinsic gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// The lesser of two numbers.
    Least {
        /// Whether they are read in two's complement.
        signed: bool,
        /// One.
        a: Operand,
        /// The other one.
        b: Operand,
    },
    /// The greater one.
    Greatest {
        /// Whether they are read in two's complement.
        signed: bool,
        /// One.
        a: Operand,
        /// The other one.
        b: Operand,
    },
    /// The absolute value of a number in two's complement that is not the least one of its type.
    Size(Operand),
}

impl Module {
    /// What a call gives, if it is one of such an intrinsic on integers.
    pub fn choice(&self, operation: &Operation) -> Option<Choice> {
        let Operation::Call { callee: Callee::Symbol(symbol), arguments, .. } = operation else {
            return None;
        };
        let name = self.name(*symbol).strip_prefix("llvm.")?;
        let (kind, of) = name.split_once('.')?;
        let is_integer = of.strip_prefix('i').is_some_and(|bits| bits.bytes().all(|b| b.is_ascii_digit()));
        let &[a, b] = arguments.as_slice() else { return None };
        match kind {
            _ if !is_integer => None,
            "smin" => Some(Choice::Least { signed: true, a, b }),
            "umin" => Some(Choice::Least { signed: false, a, b }),
            "smax" => Some(Choice::Greatest { signed: true, a, b }),
            "umax" => Some(Choice::Greatest { signed: false, a, b }),
            // What has no negative counterpart has no meaning if the second argument is true, and is itself otherwise.
            "abs" if self.integer(b).is_some_and(|flag| flag != 0) => Some(Choice::Size(a)),
            _ => None,
        }
    }
}

impl Choice {
    /// The numbers.
    pub fn operands(self) -> Vec<Operand> {
        match self {
            Choice::Least { a, b, .. } | Choice::Greatest { a, b, .. } => vec![a, b],
            Choice::Size(of) => vec![of],
        }
    }
}
