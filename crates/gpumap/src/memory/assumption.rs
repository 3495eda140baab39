//! What facts may rest on beside the program itself.

use num_bigint::BigInt;

/// Something that is not known to hold.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Assumption {
    /// Writes to one object leave the content of another one as it is.
    Unchanged {
        /// What is written, by its name in the source.
        written: String,
        /// What keeps its content.
        kept: String,
    },
    /// A loop that goes on until two values are equal comes to where they are: they do not pass each other.
    Met {
        /// Where the loop stands in the source.
        place: String,
    },
    /// An input has this value, as it had in a run.
    Value {
        /// The input, by its name in the source.
        name: String,
        /// Its value.
        value: BigInt,
    },
}

impl std::fmt::Display for Assumption {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Assumption::Unchanged { written, kept } => {
                write!(to, "writes to {written} leave {kept} unchanged")
            }
            Assumption::Met { place } => write!(to, "the loop at {place} meets its end"),
            Assumption::Value { name, value } => write!(to, "{name} is {value}"),
        }
    }
}

/// The number of an assumption of a function.
pub type AssumptionId = usize;
