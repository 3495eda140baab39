//! For each load and store: the object it accesses, which bytes of it, and how that is known.
//!
//! - [`list`]: the accesses of a function with their sections; [`hull`]: unions of them by object, [`mod@certain`]: what stores
//!   certainly write; [`show`]: all this as text.
//!
//! A *section* is half open: from the least start to the greatest start plus the size of the access, in bytes from the start
//! of the object. It holds every byte that the access touches whenever it is made; it says nothing of whether it is made.
//! Ends are bounds (`symbolic::bound`): one polynomial, or several of which the greatest or least counts.
//!
//! What is not found without assumptions is looked for once more under the assumptions that objects of different origin do not
//! overlap (`memory`) and that loops meet their ends (`recurrence::trips`); only what used one carries it. Inputs may be given the
//! values of a run (`recurrence::inputs`): what rests on them says so.

pub mod certain;
pub mod hull;
pub mod list;
pub mod show;

pub use hull::{Extent, Hull, Reach};
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
    /// It follows from the program with these values of a run, and from assumptions among them.
    FromRun(Vec<Assumption>),
}

impl Known {
    /// How a fact is known that rests on these premises.
    pub fn new(premises: Vec<Assumption>) -> Known {
        let is_value = |premise: &Assumption| matches!(premise, Assumption::Value { .. });
        if premises.is_empty() {
            Known::Proved
        } else if premises.iter().any(is_value) {
            Known::FromRun(premises)
        } else {
            Known::Assumed(premises)
        }
    }

    /// All that it rests on.
    pub fn premises(&self) -> &[Assumption] {
        match self {
            Known::Proved => &[],
            Known::Assumed(list) | Known::FromRun(list) => list,
        }
    }

    /// What it rests on beside values in a run.
    pub fn assumptions(&self) -> impl Iterator<Item = &Assumption> {
        self.premises().iter().filter(|premise| !matches!(premise, Assumption::Value { .. }))
    }

    /// Whether it rests on anything that a value in a run does not show.
    pub fn is_assumed(&self) -> bool {
        self.assumptions().next().is_some()
    }
}

impl std::fmt::Display for Known {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (how, list) = match self {
            Known::Proved => return to.write_str("proved"),
            Known::Assumed(list) => ("assumed", list),
            Known::FromRun(list) => ("from run", list),
        };
        let list: Vec<String> = list.iter().map(ToString::to_string).collect();
        write!(to, "{how}: {}", list.join("; "))
    }
}
