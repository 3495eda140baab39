//! Nearly affine traces: statements that generate a *regular* trace, and the few places where the trace is another.
//!
//! An exception is an integer that stands for the regular one, one that comes in addition, or one that is missing. Every
//! exception has a place in the regular trace, so that statements and exceptions together give the trace exactly. Where
//! places and integers of exceptions follow rules they are traces of nests themselves.
//!
//! Found by prediction ([`crate::predict`]): where an integer was not foreseen, the predictor goes on in four ways, as the trace
//! has it and with an exception of each kind. If after one of these everything comes as foreseen, and as the trace has it it
//! does not, that is an exception, and prediction goes on as if it had not been there. The trace is gone through twice, the second
//! time knowing what follows in it, since what is new looks like an exception at first. Of the results the one with the
//! shortest description counts (as in [`crate::description`], an exception being an integer and its place), that without
//! exceptions among them.

use crate::codec::Integers;
use crate::description::{self, RAW};
use crate::predict::Predictor;
use crate::stream::{Options, Reconstruction, Reconstructor};

/// What an exception is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Change {
    /// This integer comes before the regular one at the place.
    Added(i64),
    /// This integer stands for the regular one.
    Replaced(i64),
    /// The regular integer is missing.
    Missing,
}

/// A place where a trace is not regular.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Exception {
    /// Which integer of the regular trace, from 0; its length for what is added at the end.
    pub place: u64,
    /// What is there instead.
    pub change: Change,
}

/// A trace that is regular but for exceptions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Approximation {
    /// Statements that generate the regular trace.
    pub regular: Reconstruction,
    /// Where the trace is another, in order.
    pub exceptions: Vec<Exception>,
    /// Length of the trace.
    pub accesses: u64,
}

impl Approximation {
    /// The places of exceptions of one kind, and the integers there: traces of their own.
    pub fn traces(&self, which: Which, options: &Options) -> (Reconstruction, Reconstruction) {
        let of: Vec<(i64, Option<i64>)> = self
            .exceptions
            .iter()
            .filter(|e| which == Which::of(e.change))
            .map(|e| (i64::try_from(e.place).unwrap_or(i64::MAX), e.change.integer()))
            .collect();
        let values: Vec<i64> = of.iter().filter_map(|e| e.1).collect();
        let places: Vec<i64> = of.into_iter().map(|e| e.0).collect();
        (reconstructed(&places, options), reconstructed(&values, options))
    }

    /// Calls `visit` with every integer of the trace, in order, until it returns false; whether it wanted all.
    pub fn integers(&self, visit: &mut dyn FnMut(i64) -> bool) -> bool {
        let mut exceptions = self.exceptions.iter().peekable();
        let mut place = 0;
        let mut at = |regular: Option<i64>, visit: &mut dyn FnMut(i64) -> bool| {
            let mut kept = regular;
            while let Some(e) = exceptions.next_if(|e| e.place == place) {
                match e.change {
                    Change::Added(value) if !visit(value) => return false,
                    Change::Added(_) => {}
                    Change::Replaced(value) => kept = Some(value),
                    Change::Missing => kept = None,
                }
            }
            place += 1;
            kept.is_none_or(visit)
        };
        let all = Integers::of(&self.regular.nests).all(|value| at(Some(value), visit));
        all && at(None, visit)
    }

    /// Length of its description in bytes.
    fn length(&self) -> u64 {
        description::length(&self.regular.nests) + EXCEPTION * self.exceptions.len() as u64
    }
}

/// Bytes of an exception: its integer, and where it is.
const EXCEPTION: u64 = RAW + 4;

/// A kind of exceptions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// [`Change::Added`].
    Added,
    /// [`Change::Replaced`].
    Replaced,
    /// [`Change::Missing`].
    Missing,
}

impl Which {
    /// All kinds.
    pub const ALL: [Which; 3] = [Which::Replaced, Which::Added, Which::Missing];

    /// Of what kind a change is.
    pub fn of(change: Change) -> Which {
        match change {
            Change::Added(_) => Which::Added,
            Change::Replaced(_) => Which::Replaced,
            Change::Missing => Which::Missing,
        }
    }
}

impl Which {
    /// Its name for programs.
    pub fn name(self) -> &'static str {
        match self {
            Which::Added => "added",
            Which::Replaced => "replaced",
            Which::Missing => "missing",
        }
    }
}

impl Change {
    /// The integer of the trace, if there is one.
    pub fn integer(self) -> Option<i64> {
        match self {
            Change::Added(value) | Change::Replaced(value) => Some(value),
            Change::Missing => None,
        }
    }
}

fn reconstructed(values: &[i64], options: &Options) -> Reconstruction {
    let mut all = Reconstructor::new(options.clone());
    all.push(values);
    all.finish()
}

/// Integers that are looked at behind one that was not foreseen.
const AHEAD: usize = 24;
/// Of these, so many fewer have to surprise with an exception than without.
const GAIN: usize = 2;
/// More surprises than that say no more.
const MANY: usize = 6;
/// Integers that were not foreseen and are looked at: so many, one in so many, and twice the exceptions that are allowed.
const LOOKED_AT: usize = 1000;
const ONE_IN: usize = 100;

/// Reconstructs a trace with at most this share of its integers as exceptions; without any where that gives no shorter
/// description. With no search of more than `options` allows.
pub fn approximate(values: &[i64], share: f64, options: &Options) -> Approximation {
    let exact = Approximation {
        regular: reconstructed(values, options),
        exceptions: Vec::new(),
        accesses: values.len() as u64,
    };
    let most = (share.clamp(0.0, 1.0) * values.len() as f64) as usize;
    let mut best = exact;
    let mut seen = Predictor::new();
    for _ in 0..2 {
        let Some(found) = exceptions(values, most, &mut seen) else { break };
        if found.exceptions.is_empty() {
            continue;
        }
        let candidate = Approximation {
            regular: reconstructed(&found.regular, options),
            exceptions: found.exceptions,
            accesses: values.len() as u64,
        };
        if candidate.length() < best.length() {
            best = candidate;
        }
    }
    best
}

/// A regular trace and what the trace has instead.
struct Found {
    regular: Vec<i64>,
    exceptions: Vec<Exception>,
}

/// Goes through a trace, on from what was seen before; `None` if there are more exceptions than allowed, or too much that was not
/// foreseen.
fn exceptions(values: &[i64], most: usize, seen: &mut Predictor) -> Option<Found> {
    let mut found = Found { regular: Vec::with_capacity(values.len()), exceptions: Vec::new() };
    let mut looked_at = 0;
    let mut k = 0;
    while let Some(&value) = values.get(k) {
        let foreseen = seen.next();
        if let Some(foreseen) = foreseen.filter(|&f| f != value) {
            looked_at += 1;
            if looked_at > LOOKED_AT + values.len() / ONE_IN + 2 * most {
                return None;
            }
            if let Some(which) = exception(&values[k..], foreseen, seen) {
                if found.exceptions.len() == most {
                    return None;
                }
                let (change, taken) = match which {
                    Which::Replaced => (Change::Replaced(value), 1),
                    Which::Added => (Change::Added(value), 1),
                    Which::Missing => (Change::Missing, 0),
                };
                found.exceptions.push(Exception { place: found.regular.len() as u64, change });
                if which != Which::Added {
                    found.regular.push(foreseen);
                    seen.push(foreseen);
                }
                k += taken;
                continue;
            }
        }
        found.regular.push(value);
        seen.push(value);
        k += 1;
    }
    Some(found)
}

/// What kind of exception the first of these integers is, if any.
fn exception(values: &[i64], foreseen: i64, seen: &Predictor) -> Option<Which> {
    // Integers that are not foreseen among the next ones, up to a number that is too many.
    let surprises = |from: usize, regular: Option<i64>, many: usize| {
        let mut ahead = seen.clone();
        regular.iter().for_each(|&value| ahead.push(value));
        let mut count = 0;
        for &value in values.iter().skip(from).take(AHEAD) {
            count += usize::from(ahead.next() != Some(value));
            if count >= many {
                break;
            }
            ahead.push(value);
        }
        count
    };
    let as_it_is = surprises(0, None, MANY);
    let with = |which: Which| match which {
        _ if values.len() < 2 => as_it_is,
        Which::Replaced => surprises(1, Some(foreseen), as_it_is),
        Which::Added => surprises(1, None, as_it_is),
        Which::Missing => surprises(0, Some(foreseen), as_it_is),
    };
    let (count, which) = Which::ALL.map(|which| (with(which), which)).into_iter().min_by_key(|w| w.0)?;
    // Behind a missing integer everything else goes on as before.
    let gain = if which == Which::Missing && count == 0 { 1 } else { GAIN };
    (count + gain <= as_it_is).then_some(which)
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;
    use crate::fuzzing::Random;

    fn regenerated(found: &Approximation) -> Vec<i64> {
        let mut out = Vec::new();
        assert!(found.integers(&mut |value| {
            out.push(value);
            true
        }));
        out
    }

    fn rows(n: i64) -> Vec<i64> {
        (0..n).flat_map(|i| (0..40).map(move |j| 1000 * i + 8 * j)).collect()
    }

    #[test]
    fn integers_that_were_replaced_added_or_left_out_are_found() {
        let regular = rows(50);
        let mut random = Random::new(3);
        let mut trace = regular.clone();
        for _ in 0..12 {
            let at = 200 + random.below(1700) as usize;
            match random.below(3) {
                0 => trace[at] = 77_000_000 + random.between(0, 1000),
                1 => trace.insert(at, 88_000_000 + random.between(0, 1000)),
                _ => {
                    trace.remove(at);
                }
            }
        }
        let found = approximate(&trace, 0.01, &Options::default());
        assert_eq!(regenerated(&found), trace);
        assert!((6..=12).contains(&found.exceptions.len()), "{:?}", found.exceptions);
        assert_eq!(found.regular.nests.len(), 1, "{:?}", found.regular.nests);
        assert_eq!(found.regular.accesses, 2000);
    }

    /// Where their places or integers follow a rule, these are loops too.
    #[test]
    fn exceptions_are_a_trace_of_their_own() {
        let mut trace = rows(60);
        let places: Vec<usize> = (0..10).map(|k| 405 + 120 * k + 7 * k * k).collect();
        places.iter().zip(0..).for_each(|(&at, k)| trace[at] = 5_000_000 + 16 * k);
        let found = approximate(&trace, 0.02, &Options::default());
        assert_eq!(regenerated(&found), trace);
        assert_eq!(found.exceptions.len(), 10);
        let (at, values) = found.traces(Which::Replaced, &Options::default());
        assert_eq!((at.accesses, values.nests.len()), (10, 1));
        let (at, values) = found.traces(Which::Missing, &Options::default());
        assert!(at.nests.is_empty() && values.nests.is_empty());
    }

    /// What comes again and again is no exception, nor is anything where there would be too many.
    #[test]
    fn what_is_regular_or_not_nearly_so_has_no_exceptions() {
        for trace in crate::corpus::ALL {
            let values: Vec<i64> = trace.all().into_iter().take(5000).collect();
            let mut options = Options::default();
            options.effort.deadline = Some(Instant::now() + Duration::from_millis(50));
            let found = approximate(&values, 0.02, &options);
            assert_eq!(regenerated(&found), values, "{}", trace.name);
            assert!(found.exceptions.len() <= 100, "{}", trace.name);
        }
        let mut trace = rows(20);
        (0..trace.len()).step_by(7).for_each(|at| trace[at] = 9_000_000 + (at * at) as i64);
        let found = approximate(&trace, 0.05, &Options::default());
        assert!(found.exceptions.len() <= 40 && regenerated(&found) == trace);
        assert_eq!(approximate(&[], 0.5, &Options::default()).accesses, 0);
    }
}
