//! For each load and store: the object it accesses, which bytes of it, and how that is known.
//!
//! - [`list`]: the accesses of a function with their sections; [`hull`]: unions of them by object; [`show`]: all this as text.
//!
//! A *section* is half open: from the least start to the greatest start plus the size of the access, in bytes from the start
//! of the object. It holds every byte that the access touches whenever it is made; it says nothing of whether it is made.
//! Ends are bounds (`symbolic::bound`): one polynomial, or several of which the greatest or least counts.
//!
//! What is not found without assumptions is looked for once more under the assumption that objects of different origin do not
//! overlap (`memory`); only what used it carries it.

pub mod hull;
pub mod list;
pub mod show;

pub use hull::{Extent, Hull};
pub use list::{Access, Accesses, Place, Unknown};

use crate::memory::Assumption;

/// How a fact is known.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Known {
    /// It follows from the program.
    Proved,
    /// It follows from the program and these assumptions.
    Assumed(Vec<Assumption>),
}

impl std::fmt::Display for Known {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Known::Proved => to.write_str("proved"),
            Known::Assumed(list) => {
                let list: Vec<String> = list.iter().map(ToString::to_string).collect();
                write!(to, "assumed: {}", list.join("; "))
            }
        }
    }
}
