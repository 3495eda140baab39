//! How often a thread comes to a block of its kernel.
//!
//! Loops that are mapped are gone: each thread does one of their iterations. A loop inside runs as often as its tests say, between the
//! least and the most over all threads and iterations around it; what a branch may leave out is done at least never. Numbers of
//! iterations that are expressions are taken not to be negative.

use num_bigint::BigInt;
use num_traits::Zero;

use crate::control::LoopId;
use crate::ir::BlockId;
use crate::recurrence::Forms;
use crate::symbolic::{Polynomial, Range};

/// Between which numbers something lies.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Between {
    /// Not less.
    pub least: Polynomial,
    /// Not more; `None` if that is not known.
    pub most: Option<Polynomial>,
}

impl Between {
    /// A number.
    pub fn exactly(number: impl Into<Polynomial>) -> Between {
        let number = number.into();
        Between { most: Some(number.clone()), least: number }
    }

    /// The sum; not known where one of them is not.
    pub fn plus(&self, other: &Between) -> Between {
        let most = self.most.as_ref().zip(other.most.as_ref()).map(|(a, b)| a + b);
        Between { least: &self.least + &other.least, most }
    }

    /// The product of numbers that are not negative.
    pub fn times(&self, other: &Between) -> Between {
        let most = self.most.as_ref().zip(other.most.as_ref()).and_then(|(a, b)| a.times(b));
        Between { least: self.least.times(&other.least).unwrap_or_default(), most }
    }

    /// Both ends, where they are integers.
    pub fn numbers(&self) -> Option<(BigInt, BigInt)> {
        Some((self.least.integer()?, self.most.as_ref()?.integer()?))
    }
}

/// How often a thread of a nest comes to a block.
pub fn visits(forms: &mut Forms<'_>, nest: &[LoopId], block: BlockId) -> Between {
    let mut all = Between::exactly(1);
    let Some(&outermost) = nest.first() else { return all };
    let around: Vec<LoopId> = forms.control.loops.around(block).collect();
    let mut at = block;
    for id in around {
        let found = forms.control.loops.get(id);
        if !found.latches.iter().all(|&latch| forms.control.dominators.dominates(at, latch)) {
            all.least = Polynomial::default();
        }
        at = found.header;
        if !nest.contains(&id) {
            all = all.times(&iterations(forms, outermost, id, block));
        }
        if id == outermost {
            break;
        }
    }
    all
}

/// How often a loop inside of a nest comes to a block in one entry; a block before its test once more than it goes on.
fn iterations(forms: &mut Forms<'_>, outermost: LoopId, id: LoopId, block: BlockId) -> Between {
    let trips = forms.trips(id);
    let more = i64::from(forms.last_iterations(id, block).is_empty());
    let (header, is_exact) = (forms.control.loops.get(id).header, trips.iter().any(|trips| trips.exact));
    let mut most: Option<Polynomial> = None;
    let mut least = Polynomial::default();
    for trips in trips.iter() {
        let Range::Between(lower, upper) = forms.ends(header, &trips.count, Some(outermost)) else {
            continue;
        };
        let is_better = |new: &Polynomial| {
            most.as_ref()
                .is_none_or(|old| old.integer().is_none_or(|old| new.integer().is_some_and(|new| new < old)))
        };
        if let Some(upper) = upper.single().filter(|upper| is_better(upper)) {
            most = Some(not_negative(upper));
        }
        if is_exact {
            least = lower.single().map(not_negative).unwrap_or_default();
        }
    }
    let more = Polynomial::from(more);
    Between { least: if is_exact { &least + &more } else { least }, most: most.map(|most| &most + &more) }
}

/// A number of iterations: none if it is negative.
fn not_negative(of: &Polynomial) -> Polynomial {
    match of.integer() {
        Some(number) => number.max(BigInt::zero()).into(),
        None => of.clone(),
    }
}
