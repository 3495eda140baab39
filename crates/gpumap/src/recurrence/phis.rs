//! What φ are: closed forms at headers of loops, values after loops, and what several ways have in common.
//!
//! A φ at a header with the value `init` from outside and `next` from inside is `init` + Σ s(t), t from 0 to k − 1, if `next` − φ
//! is a polynomial s in the iteration of the loop with coefficients that the loop leaves unchanged.
//!
//! *Provisos*: after a loop whose test succeeds c times, c ≥ 0, a value is that of iteration c. Where c ≥ 0 is not proved where
//! the loop is entered, the value keeps an atom of its own, and its form is kept with the proviso c ≥ 0. It holds wherever the
//! proviso is proved, as in the body of a loop that runs as often: a pointer that an inner loop moves on is so
//! known inside of that loop.
//!
//! φ of one block with the same arguments are one variable (ALGORITHMS 7.4).

use num_bigint::BigInt;
use rustc_hash::FxHashMap;

use super::forms::{Forms, Key, Premises, Reading};
use crate::control::LoopId;
use crate::ir::{BlockId, Function, Operand, Operation, ValueId};
use crate::symbolic::{AtomId, Coefficient, Polynomial};

/// Highest power of an iteration in a step that is summed up.
const POWER: u32 = 2;

/// What a value is where some polynomials are not negative.
#[derive(Debug, Clone)]
pub(super) struct Provided {
    /// Its form.
    form: Polynomial,
    /// What must not be negative.
    provisos: Vec<Polynomial>,
    /// What the form rests on.
    premises: Premises,
}

/// A value, and the block from which a φ has it.
pub(super) type Input = (Operand, BlockId);

/// Which counts are taken not to be negative.
#[derive(Debug, Default)]
pub(super) enum Provisos {
    /// None; whether one was missing is noted.
    #[default]
    None,
    /// None, and one was missing.
    Missing,
    /// All: these.
    Taken(Vec<Polynomial>),
}

/// For each φ that is another one of its block: that one.
pub(super) fn equal_phis(function: &Function) -> FxHashMap<ValueId, ValueId> {
    let mut same = FxHashMap::default();
    for block in &function.blocks {
        let mut known: Vec<(Vec<Input>, ValueId)> = Vec::new();
        for instruction in &block.instructions {
            let (Operation::Phi(inputs), Some(result)) = (&instruction.operation, instruction.result) else {
                break;
            };
            let mut inputs = inputs.clone();
            inputs.sort_by_key(|input| input.1);
            match known.iter().find(|other| other.0 == inputs) {
                Some(&(_, first)) => drop(same.insert(result, first)),
                None => known.push((inputs, result)),
            }
        }
    }
    same
}

impl Forms<'_> {
    /// The form of a φ; where it holds under provisos alone, these are kept with it and there is none.
    pub(super) fn phi(
        &mut self,
        value: ValueId,
        block: BlockId,
        inputs: &[Input],
        reading: Reading,
    ) -> Option<Polynomial> {
        if matches!(self.provisos, Provisos::Taken(_)) {
            return self.joined(value, block, inputs, reading);
        }
        let was_missing = matches!(std::mem::take(&mut self.provisos), Provisos::Missing);
        let form = self.joined(value, block, inputs, reading);
        let is_missing = matches!(self.provisos, Provisos::Missing);
        if form.is_none() && is_missing {
            self.provide(value, block, inputs, reading);
        }
        self.provisos = if is_missing || was_missing { Provisos::Missing } else { Provisos::None };
        form
    }

    /// Looks for the form of a φ under provisos, and keeps it.
    fn provide(&mut self, value: ValueId, block: BlockId, inputs: &[Input], reading: Reading) {
        self.provisos = Provisos::Taken(Vec::new());
        let outer = self.take_premises();
        self.open.push(Vec::new());
        let form = self.joined(value, block, inputs, reading);
        self.close(Key::Value(value, reading));
        let premises = std::mem::replace(&mut self.premises, outer);
        let Provisos::Taken(provisos) = std::mem::take(&mut self.provisos) else { return };
        let provisos = match self.control.loops.headed_by(block) {
            Some(id) => provisos.iter().map(|proviso| self.of_all_before(proviso, id)).collect(),
            None => Some(provisos),
        };
        let own = self.opaque(value, reading);
        if let (Some(form), Some(provisos), &[atom]) = (form, provisos, own.atoms().as_slice())
            && !self.atoms.involves(&form, atom)
        {
            self.provided.insert(atom, Provided { form, provisos, premises });
        }
    }

    /// What must not be negative in an iteration of a loop so that a polynomial is not in all iterations before; `None` if that is
    /// not known.
    fn of_all_before(&mut self, of: &Polynomial, id: LoopId) -> Option<Polynomial> {
        if self.is_fixed(of, id) {
            return Some(of.clone());
        }
        let iteration = self.iteration(id);
        let change = of.coefficient(iteration, 1).integer().filter(|_| of.degree_in(iteration) == 1)?;
        let first = of.with(iteration, &Polynomial::default())?;
        let is_falling = change < BigInt::from(0);
        self.is_fixed(&first, id).then(|| if is_falling { of.clone() } else { first })
    }

    /// A form with values replaced by what they are where a block is reached.
    pub(super) fn resolved_at(&mut self, block: BlockId, form: Polynomial) -> Polynomial {
        if self.provided.is_empty() {
            return form;
        }
        let mut form = form;
        for atom in self.atoms.leaves(&form) {
            let Some(provided) = self.provided.get(&atom).cloned() else { continue };
            if self.is_of_iteration(atom, block)
                && provided.provisos.iter().all(|proviso| self.is_not_negative(block, proviso))
                && let Some(resolved) = self.atoms.replaced(&form, atom, &provided.form)
            {
                self.premises.extend(&provided.premises);
                form = resolved;
            }
        }
        form
    }

    /// Whether a block is in all loops in which the value is computed that an atom stands for.
    fn is_of_iteration(&self, atom: AtomId, block: BlockId) -> bool {
        let at = self.opaque.get(&atom).and_then(|&value| self.definition(value));
        let loops = &self.control.loops;
        at.is_some_and(|(at, _)| loops.around(at).all(|id| loops.contains(id, block)))
    }

    fn joined(
        &mut self,
        value: ValueId,
        block: BlockId,
        inputs: &[Input],
        reading: Reading,
    ) -> Option<Polynomial> {
        if let Some(id) = self.control.loops.headed_by(block) {
            return self.recurrence(value, id, inputs, reading);
        }
        let mut others = inputs.iter();
        let &(operand, from) = others.next()?;
        let first = self.left_with(operand, from, block, reading)?;
        let is_only = others.len() == 0;
        for &(operand, from) in others {
            if self.left_with(operand, from, block, reading)? != first {
                return self.least_or_greatest(block, inputs, reading);
            }
        }
        (is_only || self.is_of(block, &first)).then_some(first)
    }

    /// The form of a φ that is the lesser or the greater of what comes by two ways, as the branch that parts them says.
    ///
    /// Where q ≥ 0 it is a, else b. That is the lesser one if q ≥ 0 means the same as b − a ≥ 0 or as b − a > 0: where both
    /// are equal it does not matter which one is taken.
    fn least_or_greatest(
        &mut self,
        block: BlockId,
        inputs: &[Input],
        reading: Reading,
    ) -> Option<Polynomial> {
        let &[one, other] = inputs else { return None };
        let fork = self.control.dominators.immediate(block)?;
        let &[then, otherwise] = self.control.successors[fork.index()].as_slice() else { return None };
        let condition = self.condition_of(fork, then)?;
        let comes_by = |input: Input, target: BlockId| {
            let is_edge = input.1 == fork && target == block;
            let is_behind = self.control.predecessors[target.index()].len() == 1
                && self.control.dominators.dominates(target, input.1);
            is_edge || target != block && is_behind
        };
        let (a, b) = if comes_by(one, then) && comes_by(other, otherwise) {
            (one, other)
        } else if comes_by(other, then) && comes_by(one, otherwise) {
            (other, one)
        } else {
            return None;
        };
        let (less, greater, compared, by) = condition.ascending()?;
        let (less, greater) = (self.of(less, compared)?, self.of(greater, compared)?);
        let holds = &(&greater - &less) - &Polynomial::from(by);
        let (a, b) = (self.left_with(a.0, a.1, block, reading)?, self.left_with(b.0, b.1, block, reading)?);
        if !self.is_of(block, &a) || !self.is_of(block, &b) {
            return None;
        }
        let (rise, one) = (&b - &a, Polynomial::from(1));
        if holds == rise || holds == &rise - &one {
            self.atoms.least(&a, &b)
        } else if holds == -&rise || holds == &-&rise - &one {
            self.atoms.greatest(&a, &b)
        } else {
            None
        }
    }

    /// Whether a form changes with the loops around a block alone.
    pub(super) fn is_of(&self, block: BlockId, form: &Polynomial) -> bool {
        match self.control.loops.innermost(block) {
            Some(id) => self.is_fixed_outside_of_others(form, id),
            None => self.has_no_iterations(form),
        }
    }

    /// What a φ at the header of a loop starts as, and what it becomes in terms of itself: a form, never a set of values.
    pub fn recursion(&mut self, value: ValueId, reading: Reading) -> Option<(Polynomial, Polynomial)> {
        let (block, instruction) = self.definition(value)?;
        let Operation::Phi(inputs) = &instruction.operation else { return None };
        let id = self.control.loops.headed_by(block)?;
        let ((init, _), (next, latch)) = self.ends_of_phi(id, inputs)?;
        Some((self.of(init, reading)?, self.of_at(latch, next, reading)?))
    }

    /// What a φ at the header of a loop starts as and what it becomes, and from where it has both, if it has one of each.
    pub(super) fn ends_of_phi(&self, id: LoopId, inputs: &[Input]) -> Option<(Input, Input)> {
        let (inside, outside): (Vec<_>, Vec<_>) =
            inputs.iter().partition(|input| self.control.loops.contains(id, input.1));
        match (outside.as_slice(), inside.as_slice()) {
            (&[init], &[next]) => Some((init, next)),
            _ => None,
        }
    }

    /// The closed form of a φ at the header of a loop.
    fn recurrence(
        &mut self,
        value: ValueId,
        id: LoopId,
        inputs: &[Input],
        reading: Reading,
    ) -> Option<Polynomial> {
        let found = self.control.loops.get(id);
        if !found.reducible {
            return None;
        }
        let ((init, _), (next, latch)) = self.ends_of_phi(id, inputs)?;
        let init = self.of(init, reading)?;
        let own = self.opaque(value, reading);
        self.open.push(Vec::new());
        let next = self.of_at(latch, next, reading);
        // What was found meanwhile speaks of an unresolved φ.
        self.close(Key::Value(value, reading));
        let step = &next? - &own;
        let iteration = self.iteration(id);
        Some(&init + &self.sum_before(&step, iteration, id)?)
    }

    /// The sum of a step over all iterations of a loop before one, in terms of that one.
    fn sum_before(&self, step: &Polynomial, iteration: AtomId, id: LoopId) -> Option<Polynomial> {
        let degree = step.degree_in(iteration);
        if degree > POWER {
            return None;
        }
        let mut sum = Polynomial::default();
        for power in 0..=degree {
            let factor = step.coefficient(iteration, power);
            if !self.is_fixed(&factor, id) {
                return None;
            }
            sum = &sum + &factor.times(&power_sum(iteration, power)?)?;
        }
        Some(sum)
    }

    /// What a value is behind an edge, which may leave loops: its form in their last iterations.
    pub(super) fn left_with(
        &mut self,
        operand: Operand,
        from: BlockId,
        at: BlockId,
        reading: Reading,
    ) -> Option<Polynomial> {
        let mut form = self.of(operand, reading)?;
        let left: Vec<LoopId> =
            self.control.loops.around(from).filter(|&id| !self.control.loops.contains(id, at)).collect();
        for id in left {
            if self.is_fixed(&form, id) {
                continue;
            }
            let iteration = self.iteration(id);
            let count = self.complete_iterations(id, from)?;
            form = self.atoms.replaced(&form, iteration, &count)?;
            if !self.is_fixed(&form, id) {
                return None;
            }
        }
        Some(form)
    }
}

/// 0^p + 1^p + … + (k − 1)^p for p up to [`POWER`].
fn power_sum(k: AtomId, power: u32) -> Option<Polynomial> {
    let (k, one) = (Polynomial::from(k), Polynomial::from(1));
    let part = |number: i64| Coefficient::inverse(&BigInt::from(number));
    let below = k.times(&(&k - &one))?;
    match power {
        0 => Some(k),
        1 => Some(below.scaled(&part(2))),
        2 => Some(below.times(&(&(&k + &k) - &one))?.scaled(&part(6))),
        _ => None,
    }
}
