//! From which address to which an access goes, over all iterations of the loops around it.
//!
//! Iterations are replaced by their ends, innermost loops first: k lies between 0 and one less than the number of times that a
//! test succeeds which every way to the access has passed in the same iteration. Which end is the least follows from the sign of
//! f(k + 1) − f(k). Where f is linear in k that difference is one number per access, so all that is known at the access may
//! be used; otherwise it has to have its sign for every k in between, and only what does not involve k is.
//!
//! The span of k is narrowed by what branches say at the access, and by the spans of loops inside: if these are empty, the access is
//! not made.
//!
//! Where several tests end a loop, k is less than each of their numbers: the greatest start has an end for each, of which the least
//! counts.
//!
//! Ends are those of starts of accesses, in terms of inputs. What is not decided has no section.

use std::rc::Rc;

use num_traits::Signed;

use super::forms::{Forms, Key};
use super::trips::Trips;
use crate::control::LoopId;
use crate::ir::BlockId;
use crate::symbolic::{Atom, AtomId, Bound, Facts, Polynomial, Prover, Range};

/// Constraints that are looked at.
const CONSTRAINTS: usize = 32;
/// Last iterations of one loop that are kept beside each other,
const LASTS: usize = 3;
/// and ends of one form.
const ENDS: usize = 4;

/// Which end is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Least,
    Most,
}

/// Between which iterations of a loop an access is made.
#[derive(Debug, Clone)]
pub(super) struct Span {
    /// The iteration.
    atom: AtomId,
    /// Not before this one.
    first: Polynomial,
    /// Not after any of these; none if that is not known.
    last: Vec<Polynomial>,
    /// Not after any of these, whatever is known of the access.
    of_all: Vec<Polynomial>,
}

impl Forms<'_> {
    /// Where the values of a form lie in a block, in terms of inputs; `None` if an end is not known.
    pub fn section(&mut self, block: BlockId, form: &Polynomial) -> Option<Range> {
        let range = self.ends(block, form, None);
        range.is_bounded().then_some(range)
    }

    /// Where the values of a form lie in a block during one entry of a loop, or in the whole function, in terms of what does not
    /// change there. Of several ends on one side each holds.
    pub fn ends(&mut self, block: BlockId, form: &Polynomial, within: Option<LoopId>) -> Range {
        if self.is_settled(form, within) {
            return form.clone().into();
        }
        let spanned = self.spans(block, within);
        let (spans, facts) = &*spanned;
        let [least, most] = [End::Least, End::Most].map(|end| {
            let mut ends = self.end(form, spans, facts, end);
            ends.retain(|end| self.is_settled(end, within));
            Bound::of(ends.into_iter().map(|end| vec![end]))
        });
        Range::Between(least, most)
    }

    /// What is known in a block of what does not change in the loops around it, up to one of them.
    pub(crate) fn facts_where_made(&mut self, block: BlockId, within: Option<LoopId>) -> Facts {
        self.spans(block, within).1.clone()
    }

    /// The spans of the loops around a block, up to one of them, and what is known in the block.
    fn spans(&mut self, block: BlockId, within: Option<LoopId>) -> Rc<(Vec<Span>, Facts)> {
        if let Some((spans, premises)) = self.spans.get(&(block, within)) {
            self.premises.extend(premises);
            return spans.clone();
        }
        let (spans, premises) = self.tracked(|forms| Rc::new(forms.narrowed_spans(block, within)));
        self.spans.insert((block, within), (spans.clone(), premises));
        self.note(Key::Spans(block, within));
        spans
    }

    fn narrowed_spans(&mut self, block: BlockId, within: Option<LoopId>) -> (Vec<Span>, Facts) {
        let around = self.control.loops.around(block);
        let outside = within.and_then(|id| self.control.loops.get(id).parent);
        let loops: Vec<LoopId> = around.take_while(|&id| Some(id) != outside).collect();
        let mut spans = Vec::new();
        for id in loops {
            let last = self.last_iterations(id, block);
            let atom = self.iteration(id);
            spans.push(Span { atom, first: Polynomial::default(), last: last.clone(), of_all: last });
        }
        let mut facts = self.facts_of_iterations(block);
        for of_inputs in self.narrow(&mut spans, &facts, within) {
            facts.assume(of_inputs);
        }
        (spans, facts)
    }

    /// What is known in a block, iterations of the loops around it included.
    pub fn facts_of_iterations(&mut self, block: BlockId) -> Facts {
        let mut facts = (*self.facts_at(block)).clone();
        let loops: Vec<LoopId> = self.control.loops.around(block).collect();
        for id in loops {
            let atom = self.iteration(id);
            facts.at_least(atom, 0);
            for last in self.last_iterations(id, block) {
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

    /// Iterations of a loop after which a block is not reached, one for each test that every way to it has passed.
    pub(crate) fn last_iterations(&mut self, id: LoopId, block: BlockId) -> Vec<Polynomial> {
        let trips = self.trips(id);
        let is_passed = |trip: &&Trips| {
            let mut inside = self.control.successors[trip.test.index()]
                .iter()
                .filter(|&&to| self.control.loops.contains(id, to));
            inside.next().is_some_and(|&to| {
                self.control.predecessors[to.index()].len() == 1
                    && self.control.dominators.dominates(to, block)
            })
        };
        let passed = trips.iter().filter(is_passed).take(LASTS);
        passed.map(|trip| &trip.count - &Polynomial::from(1)).collect()
    }

    /// Takes from spans the iterations in which the access is not made, innermost loops first.
    ///
    /// What holds at the access bounds an iteration k where it is c·k + r ≥ 0 with a number c. All bounds of k hold together, so
    /// none of the lower ones is above one of the upper ones: that bounds the iterations further out (Fourier, Motzkin).
    /// Gives what is left: what inputs are like where the access is made at all.
    fn narrow(&mut self, spans: &mut [Span], facts: &Facts, within: Option<LoopId>) -> Vec<Polynomial> {
        let iterations: Vec<AtomId> = spans.iter().map(|span| span.atom).collect();
        let mut constraints: Vec<Polynomial> = facts.not_negative().to_vec();
        constraints.retain(|constraint| self.is_in_terms_of(constraint, &iterations, within));
        for span in spans {
            let zero = Polynomial::default();
            let (mut lower, mut upper) = (vec![zero], span.last.clone());
            for constraint in constraints.iter().filter(|constraint| constraint.mentions(span.atom)) {
                match self.bound(constraint, span.atom, &iterations) {
                    Some((End::Least, bound)) => lower.push(bound),
                    Some((End::Most, bound)) => upper.push(bound),
                    None => {}
                }
            }
            let prover = Prover::short(&self.atoms, facts);
            let greatest =
                |a: Polynomial, b: &Polynomial| if prover.is_at_least(b, &a) { b.clone() } else { a };
            span.first = lower.iter().fold(Polynomial::default(), greatest);
            span.last = least_of(&prover, &upper, span.last.len().max(1));
            constraints.retain(|constraint| !self.atoms.involves(constraint, span.atom));
            let between = lower.iter().flat_map(|low| upper.iter().map(move |high| high - low));
            for constraint in between.filter(|constraint| constraint.constant().is_none()) {
                if constraints.len() < CONSTRAINTS && !constraints.contains(&constraint) {
                    constraints.push(constraint);
                }
            }
        }
        constraints.retain(|constraint| !facts.not_negative().contains(constraint));
        constraints
    }

    /// The bound of an iteration that follows from c·k + r ≥ 0, if other iterations stand in no quotient of it.
    fn bound(
        &mut self,
        constraint: &Polynomial,
        atom: AtomId,
        iterations: &[AtomId],
    ) -> Option<(End, Polynomial)> {
        if constraint.degree_in(atom) != 1 || !constraint.is_integral() {
            return None;
        }
        let factor = constraint.coefficient(atom, 1).integer()?;
        let rest = constraint.with(atom, &Polynomial::default())?;
        let bound = if factor.is_positive() {
            (End::Least, self.atoms.ceiling(&-&rest, &factor)?)
        } else {
            (End::Most, self.atoms.floor(&rest, &-factor)?)
        };
        let is_direct =
            |other: AtomId| iterations.iter().all(|&k| other == k || !self.atoms.involves(&other.into(), k));
        (bound.1.atoms().into_iter().all(is_direct) && !bound.1.mentions(atom)).then_some(bound)
    }

    /// Whether a form changes with these iterations alone, in one entry of a loop or in the function.
    fn is_in_terms_of(&self, of: &Polynomial, iterations: &[AtomId], within: Option<LoopId>) -> bool {
        let is_one = |atom: AtomId| iterations.contains(&atom) || self.is_settled(&atom.into(), within);
        of.atoms().into_iter().all(is_one)
    }

    /// A form with all iterations replaced by the ends at which it is least or greatest: several, if iterations have several.
    fn end(&mut self, form: &Polynomial, spans: &[Span], facts: &Facts, end: End) -> Vec<Polynomial> {
        let mut forms = vec![form.clone()];
        for span in spans {
            let mut next: Vec<Polynomial> = Vec::new();
            for form in forms {
                next.extend(self.at_end(form, span, facts, end));
            }
            next.truncate(ENDS);
            forms = next;
        }
        forms
    }

    /// A form with the iteration of one span replaced; none if that is not known.
    fn at_end(&mut self, form: Polynomial, span: &Span, facts: &Facts, end: End) -> Vec<Polynomial> {
        if !self.atoms.involves(&form, span.atom) {
            return vec![form];
        }
        let Some(form) = self.without_remainders(&form, span.atom, facts, end) else { return Vec::new() };
        let Some(trend) = self.trend(&form, span, facts) else { return Vec::new() };
        let is_first = match (end, trend) {
            (End::Least, (true, _)) | (End::Most, (_, true)) => true,
            (_, (true, _) | (_, true)) => false,
            _ => return Vec::new(),
        };
        let values = if is_first { std::slice::from_ref(&span.first) } else { span.last.as_slice() };
        let at = values.iter().filter_map(|value| self.atoms.replaced(&form, span.atom, value));
        let at: Vec<Polynomial> = at.collect();
        at.into_iter().map(|form| self.without_choices(form, facts)).collect()
    }

    /// A form with lesser and greater ones replaced by the one that they provably are.
    fn without_choices(&self, form: Polynomial, facts: &Facts) -> Polynomial {
        let mut form = form;
        while let Some((is_least, a, b)) = self.atoms.chosen(&form) {
            let prover = Prover::new(&self.atoms, facts);
            let (least, most) = if prover.is_at_least(&b, &a) {
                (a, b)
            } else if prover.is_at_least(&a, &b) {
                (b, a)
            } else {
                break;
            };
            form = if is_least { least } else { most };
        }
        form
    }

    /// A form that is not greater (not less), with remainders that an iteration changes replaced by the least or greatest ones;
    /// `None` if that depends on what else they are multiplied with.
    fn without_remainders(
        &self,
        form: &Polynomial,
        of: AtomId,
        facts: &Facts,
        end: End,
    ) -> Option<Polynomial> {
        let mut form = form.clone();
        for remainder in form.atoms() {
            let Atom::Modulo(_, divisor) = self.atoms.get(remainder) else { continue };
            if !self.atoms.involves(&remainder.into(), of) {
                continue;
            }
            let factor = form.coefficient(remainder, 1);
            if form.degree_in(remainder) != 1 || self.atoms.involves(&factor, of) {
                return None;
            }
            let greatest = &Polynomial::from(divisor.clone()) - &Polynomial::from(1);
            let value = match (self.directions(&factor, facts), end) {
                ((true, _), End::Least) | ((_, true), End::Most) => Polynomial::default(),
                ((true, _), End::Most) | ((_, true), End::Least) => greatest,
                _ => return None,
            };
            form = form.with(remainder, &value)?;
        }
        Some(form)
    }

    /// Whether a form never falls from one iteration of a loop to the next, and whether it never rises; `None` if it is made of
    /// remainders, or of products of quotients.
    fn trend(&self, form: &Polynomial, span: &Span, facts: &Facts) -> Option<(bool, bool)> {
        if let Some((_, a, b)) = self.atoms.chosen(form) {
            // The lesser or greater of two moves as both do.
            let (a, b) = (self.trend(&a, span, facts)?, self.trend(&b, span, facts)?);
            return Some((a.0 && b.0, a.1 && b.1));
        }
        let (mut direct, mut trend) = (form.clone(), (true, true));
        let is_quotient =
            |&other: &AtomId| other != span.atom && self.atoms.involves(&other.into(), span.atom);
        for quotient in form.atoms().into_iter().filter(is_quotient) {
            let Atom::Floor(inner, _) = self.atoms.get(quotient) else { return None };
            let factor = form.coefficient(quotient, 1);
            if form.degree_in(quotient) != 1 || self.atoms.involves(&factor, span.atom) {
                return None;
            }
            // Rounding down keeps the order.
            let (rises, falls) = self.trend(inner, span, facts)?;
            let (keeps, turns) = self.directions(&factor, facts);
            trend.0 &= keeps && rises || turns && falls;
            trend.1 &= keeps && falls || turns && rises;
            direct = direct.with(quotient, &Polynomial::default())?;
        }
        let change = direct.difference(span.atom)?;
        let (rises, falls) = if direct.degree_in(span.atom) <= 1 {
            self.directions(&change, facts)
        } else {
            self.directions(&change, &self.facts_of_any(span.atom, &span.of_all))
        };
        Some((trend.0 && rises, trend.1 && falls))
    }

    fn directions(&self, change: &Polynomial, facts: &Facts) -> (bool, bool) {
        let prover = Prover::new(&self.atoms, facts);
        (prover.is_not_negative(change), prover.is_not_negative(&-change))
    }

    /// What is known of every iteration up to the last one.
    fn facts_of_any(&self, atom: AtomId, last: &[Polynomial]) -> Facts {
        let mut facts = Facts::none();
        facts.at_least(atom, 0);
        for last in last {
            facts.at_most(atom, last.clone());
        }
        facts
    }
}

/// The least of some ends, as far as that is proved: at most so many of those that are not comparable, the first ones.
fn least_of(prover: &Prover<'_>, ends: &[Polynomial], most: usize) -> Vec<Polynomial> {
    let mut kept: Vec<Polynomial> = Vec::new();
    for end in ends {
        match kept.iter().position(|other| prover.is_at_least(other, end)) {
            Some(place) => {
                kept[place] = end.clone();
                // Others may be greater than it too.
                let others = kept.split_off(place + 1);
                kept.extend(others.into_iter().filter(|other| !prover.is_at_least(other, end)));
            }
            None if kept.len() < most && !kept.iter().any(|other| prover.is_at_least(end, other)) => {
                kept.push(end.clone());
            }
            None => {}
        }
    }
    kept
}
