//! How often a loop runs.
//!
//! A test that is made in every iteration and continues while d(k) > 0, with d(k) = d(0) − s·k and a number s > 0, succeeds
//! max(0, ⌈d(0)/s⌉) times in a row. It bounds the iterations; it counts them if the loop can be left by it alone.

use std::rc::Rc;

use num_bigint::BigInt;
use num_traits::Signed;

use super::forms::{Forms, Key};
use crate::control::LoopId;
use crate::ir::BlockId;
use crate::symbolic::{Polynomial, Prover};

/// How often a test of a loop succeeds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trips {
    /// The block that tests.
    pub test: BlockId,
    /// How often it succeeds, if it succeeds at all; where this is negative it never does.
    pub count: Polynomial,
    /// Whether the loop can be left by this test alone.
    pub exact: bool,
}

impl Forms<'_> {
    /// What each test of a loop says about its number of iterations.
    pub fn trips(&mut self, id: LoopId) -> Rc<Vec<Trips>> {
        if let Some((trips, premises)) = self.trips.get(&id) {
            self.premises.extend(premises);
            return trips.clone();
        }
        let (trips, premises) = self.tracked(|forms| Rc::new(forms.counted(id)));
        self.trips.insert(id, (trips.clone(), premises));
        self.note(Key::Trips(id));
        trips
    }

    fn counted(&mut self, id: LoopId) -> Vec<Trips> {
        let found = self.control.loops.get(id);
        if !found.reducible {
            return Vec::new();
        }
        let mut list = Vec::new();
        for &(test, _) in &found.exits {
            let is_always_made =
                found.latches.iter().all(|&latch| self.control.dominators.dominates(test, latch));
            let is_own = self.control.loops.innermost(test) == Some(id);
            if !is_always_made || !is_own {
                continue;
            }
            let inside: Vec<BlockId> = self.control.successors[test.index()]
                .iter()
                .copied()
                .filter(|&to| self.control.loops.contains(id, to))
                .collect();
            let &[continues] = inside.as_slice() else { continue };
            let exact = found.exits.len() == 1;
            list.extend(self.successes(id, test, continues).map(|count| Trips { test, count, exact }));
        }
        list
    }

    /// How often the branch from a block of a loop to another one is taken in a row.
    fn successes(&mut self, id: LoopId, test: BlockId, continues: BlockId) -> Option<Polynomial> {
        let (less, greater, reading, by) = self.condition_of(test, continues)?.ascending()?;
        let (less, greater) = (self.of(less, reading)?, self.of(greater, reading)?);
        // Continues while this is positive.
        let rest = &(&greater - &less) + &Polynomial::from(1 - by);
        let iteration = self.iteration(id);
        let step = -&rest.difference(iteration)?;
        let step = step.integer().filter(BigInt::is_positive)?;
        let first = &rest + &Polynomial::from(iteration).scaled(&step.clone().into());
        if !self.is_fixed(&first, id) {
            return None;
        }
        self.atoms.ceiling(&first, &step)
    }

    /// The number of iterations begun before the one in which a loop is left from a block, if it is left by one test alone and
    /// that test provably does not fail before it is made.
    pub(super) fn complete_iterations(&mut self, id: LoopId, from: BlockId) -> Option<Polynomial> {
        let trips = self.trips(id);
        let [Trips { test, count, exact: true }] = trips.as_slice() else { return None };
        let &[entry] = self.control.loops.get(id).entries.as_slice() else { return None };
        if *test != from {
            return None;
        }
        let facts = self.facts_at(entry);
        Prover::new(&self.atoms, &facts).is_not_negative(count).then(|| count.clone())
    }
}
