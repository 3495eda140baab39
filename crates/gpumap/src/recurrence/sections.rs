//! From which address to which an access goes, over all iterations of the loops around it.
//!
//! Iterations are replaced by their ends, innermost loops first: k lies between 0 and one less than the number of times that a
//! test succeeds which every way to the access has passed in the same iteration. Which end is the least follows from the sign of
//! f(k + 1) − f(k). Where f is linear in k that difference is one number per access, so all that is known at the access may
//! be used; otherwise it has to have its sign for every k in between, and only what does not involve k is.
//!
//! Ends are those of starts of accesses, in terms of inputs. What is not decided has no section.

use super::forms::Forms;
use crate::control::LoopId;
use crate::ir::BlockId;
use crate::symbolic::{AtomId, Facts, Polynomial, Prover};

/// Addresses from the first to the last start of an access.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// No start is less.
    pub lower: Polynomial,
    /// No start is greater.
    pub upper: Polynomial,
}

/// Which end is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Least,
    Most,
}

/// The ends of the values of a form; `None` where one is not known.
pub type Ends = (Option<Polynomial>, Option<Polynomial>);

impl Forms<'_> {
    /// Where the values of a form lie in a block, in terms of inputs; `None` if that is not known.
    pub fn section(&mut self, block: BlockId, form: &Polynomial) -> Option<Section> {
        let (lower, upper) = self.ends(block, form, None);
        Some(Section { lower: lower?, upper: upper? })
    }

    /// The ends of the values of a form in a block during one entry of a loop, or in the whole function, in terms of what does not
    /// change there.
    pub fn ends(&mut self, block: BlockId, form: &Polynomial, within: Option<LoopId>) -> Ends {
        if self.is_settled(form, within) {
            return (Some(form.clone()), Some(form.clone()));
        }
        let around = self.control.loops.around(block);
        let outside = within.and_then(|id| self.control.loops.get(id).parent);
        let loops: Vec<LoopId> = around.take_while(|&id| Some(id) != outside).collect();
        let mut bounds = Vec::new();
        for id in loops {
            let last = self.last_iteration(id, block);
            bounds.push((self.iteration(id), last));
        }
        let facts = self.facts_of_iterations(block);
        let settled = |end| self.end(form, &bounds, &facts, end).filter(|form| self.is_settled(form, within));
        (settled(End::Least), settled(End::Most))
    }

    /// What is known in a block, iterations of the loops around it included.
    pub fn facts_of_iterations(&mut self, block: BlockId) -> Facts {
        let mut facts = (*self.facts_at(block)).clone();
        let loops: Vec<LoopId> = self.control.loops.around(block).collect();
        for id in loops {
            let atom = self.iteration(id);
            facts.at_least(atom, 0);
            if let Some(last) = self.last_iteration(id, block) {
                facts.at_most(atom, last);
            }
        }
        facts
    }

    /// Whether branches other than the tests of the loops around a block decide whether it is reached.
    pub fn has_guards(&mut self, block: BlockId) -> bool {
        let loops: Vec<LoopId> = self.control.loops.around(block).collect();
        let tests: Vec<BlockId> = loops
            .iter()
            .flat_map(|&id| self.trips(id).iter().map(|trip| trip.test).collect::<Vec<_>>())
            .collect();
        self.branches_at(block).iter().any(|from| !tests.contains(from))
    }

    /// Whether a form does not change in one entry of a loop, or in the function.
    pub fn is_settled(&self, form: &Polynomial, within: Option<LoopId>) -> bool {
        match within {
            None => self.has_no_iterations(form),
            Some(id) => self.is_fixed(form, id),
        }
    }

    /// The last iteration of a loop in which a block can be reached; `None` if that is not known.
    fn last_iteration(&mut self, id: LoopId, block: BlockId) -> Option<Polynomial> {
        let trips = self.trips(id);
        let passed = trips.iter().find(|trip| {
            let mut inside = self.control.successors[trip.test.index()]
                .iter()
                .filter(|&&to| self.control.loops.contains(id, to));
            inside.next().is_some_and(|&to| {
                self.control.predecessors[to.index()].len() == 1
                    && self.control.dominators.dominates(to, block)
            })
        })?;
        Some(&passed.count - &Polynomial::from(1))
    }

    /// A form with all iterations replaced by the ends at which it is least or greatest.
    fn end(
        &self,
        form: &Polynomial,
        bounds: &[(AtomId, Option<Polynomial>)],
        facts: &Facts,
        end: End,
    ) -> Option<Polynomial> {
        let mut form = form.clone();
        for (atom, last) in bounds {
            if !self.atoms.involves(&form, *atom) {
                continue;
            }
            // Inside of a quotient it is not replaced.
            let is_direct = |other: &AtomId| other == atom || !self.atoms.involves(&(*other).into(), *atom);
            if !form.atoms().iter().all(is_direct) {
                return None;
            }
            let change = form.difference(*atom)?;
            let (rises, falls) = if form.degree_in(*atom) == 1 {
                self.directions(&change, facts)
            } else {
                self.directions(&change, &self.facts_of_any(*atom, last.as_ref()))
            };
            let is_first = match end {
                End::Least if rises => true,
                End::Most if falls => true,
                _ if rises || falls => false,
                _ => return None,
            };
            let value = if is_first { Polynomial::default() } else { last.clone()? };
            form = form.with(*atom, &value)?;
        }
        Some(form)
    }

    fn directions(&self, change: &Polynomial, facts: &Facts) -> (bool, bool) {
        let prover = Prover::new(&self.atoms, facts);
        (prover.is_not_negative(change), prover.is_not_negative(&-change))
    }

    /// What is known of every iteration up to the last one.
    fn facts_of_any(&self, atom: AtomId, last: Option<&Polynomial>) -> Facts {
        let mut facts = Facts::none();
        facts.at_least(atom, 0);
        if let Some(last) = last {
            facts.at_most(atom, last.clone());
        }
        facts
    }
}
