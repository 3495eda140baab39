//! What branches say of an operand at a place.

use num_traits::Signed;

use super::transfer::used;
use super::{Found, Node, Ranges};
use crate::control::LoopId;
use crate::ir::instruction::Predicate;
use crate::ir::{BlockId, Operand, Operation, Value};
use crate::recurrence::conditions::At;
use crate::recurrence::{Forms, Reading};
use crate::symbolic::{Bound, Facts, Polynomial, Range};

/// Values that a φ is computed from whose comparisons are looked at.
const BEHIND: usize = 12;

impl Ranges<'_, '_> {
    /// What an operand is compared with at places.
    pub(super) fn compared_with(&self, operand: Operand, reading: Reading, at: &[At]) -> Vec<Node> {
        let readings: &[Reading] = match reading {
            Reading::Signed => &[Reading::Signed, Reading::Unsigned],
            Reading::Unsigned => &[Reading::Unsigned],
        };
        let of = |at: &At| {
            let all = readings.iter().flat_map(|&compared| self.forms.comparisons(operand, compared, *at));
            all.filter_map(|condition| node(condition.right, reading)).collect::<Vec<_>>()
        };
        at.iter().flat_map(of).collect()
    }

    /// Where an operand lies, without what branches say.
    fn plain(&mut self, operand: Operand, reading: Reading, found: &Found) -> Range {
        match operand.value {
            Value::Local(value) => match found.get((value, reading)) {
                Some(fact) => {
                    self.forms.suppose(&fact.premises);
                    fact.range.clone()
                }
                None => Range::all(),
            },
            Value::Constant(_) => self.forms.of(operand, reading).map_or_else(Range::all, Range::from),
        }
    }

    /// Where an operand lies in a block, or on the edge from it to another one.
    pub(super) fn refined(
        &mut self,
        operand: Operand,
        reading: Reading,
        block: BlockId,
        to: Option<BlockId>,
        found: &Found,
    ) -> Range {
        let mut range = self.plain(operand, reading, found);
        for condition in self.forms.comparisons(operand, reading, (block, to)) {
            let other = self.plain(condition.right, reading, found);
            // What is never reached has not been looked at yet, or will not be.
            if range == Range::Unreached || other == Range::Unreached {
                return Range::Unreached;
            }
            range = self.with_facts(block, |arithmetic| match condition.predicate {
                Predicate::Equal => arithmetic.equal(&range, &other).0,
                Predicate::Unequal => arithmetic.unequal(&range, &other),
                Predicate::LessSigned | Predicate::LessUnsigned => arithmetic.less(&range, &other).0,
                Predicate::LessEqualSigned | Predicate::LessEqualUnsigned => {
                    arithmetic.not_greater(&range, &other).0
                }
                Predicate::GreaterSigned | Predicate::GreaterUnsigned => arithmetic.less(&other, &range).1,
                Predicate::GreaterEqualSigned | Predicate::GreaterEqualUnsigned => {
                    arithmetic.not_greater(&other, &range).1
                }
            });
        }
        if reading == Reading::Signed {
            range = self.refined_unsigned(operand, (block, to), range, found);
        }
        match node(operand, reading) {
            Some(node) if range != Range::Unreached => self.restricted(node, block, range),
            _ => range,
        }
    }

    /// What comparisons of an operand as an unsigned number say of it as a signed one: what is less than a number that is not negative
    /// is not negative either (`(unsigned)x < (unsigned)width`).
    fn refined_unsigned(&mut self, operand: Operand, at: At, mut range: Range, found: &Found) -> Range {
        for condition in self.forms.comparisons(operand, Reading::Unsigned, at) {
            let is_strict = match condition.predicate {
                Predicate::LessUnsigned => true,
                Predicate::LessEqualUnsigned => false,
                _ => continue,
            };
            let other = self.plain(condition.right, Reading::Signed, found);
            if range == Range::Unreached || other == Range::Unreached {
                return Range::Unreached;
            }
            let zero = Range::Between(Polynomial::default().into(), Bound::none());
            range = self.with_facts(at.0, |arithmetic| {
                if !arithmetic.is_not_negative(&other) {
                    return range;
                }
                let (below, _) = if is_strict {
                    arithmetic.less(&range, &other)
                } else {
                    arithmetic.not_greater(&range, &other)
                };
                arithmetic.refined(&below, &zero)
            });
        }
        range
    }

    /// The values of a range that other facts of a block allow, such as `3 * k < n` for k.
    fn restricted(&mut self, node: Node, block: BlockId, range: Range) -> Range {
        let allowed = match self.allowed.get(&(node, block)) {
            Some((allowed, premises)) => {
                self.forms.suppose(premises);
                allowed.clone()
            }
            None => {
                let known = self.facts_at(block);
                let within = self.within;
                let (allowed, premises) =
                    self.forms.tracked(|forms| allowed_by(forms, node, block, &known, within));
                self.allowed.insert((node, block), (allowed.clone(), premises));
                allowed
            }
        };
        match &allowed {
            Range::Between(lower, upper) if lower.is_none() && upper.is_none() => range,
            _ => self.with_facts(block, |arithmetic| arithmetic.refined(&range, &allowed)),
        }
    }

    /// Bounds with which branches compare a φ or what comes back to it, and their neighbours: in terms of what does not change.
    pub(super) fn thresholds(&mut self, (value, reading): Node) -> Vec<Polynomial> {
        let mut list = Vec::new();
        // The values that come back to it, nearest first.
        let mut values = vec![value];
        let mut at = 0;
        while let Some(&next) = values.get(at).filter(|_| values.len() < BEHIND) {
            if let Some((_, instruction)) = self.forms.definition(next) {
                let inputs = used(self.forms.module, instruction, reading);
                let new = inputs.into_iter().filter_map(|input| node(input.0, reading)).map(|node| node.0);
                let new: Vec<_> = new.filter(|value| !values.contains(value)).collect();
                values.extend(new);
            }
            at += 1;
        }
        let is_it = |operand: &Operand| matches!(operand.value, Value::Local(v) if values.contains(&v));
        let function = self.forms.function;
        for instruction in function.blocks.iter().flat_map(|block| &block.instructions) {
            let Operation::Compare(_, left, right) = &instruction.operation else { continue };
            let other = match (is_it(left), is_it(right)) {
                (true, false) => *right,
                (false, true) => *left,
                _ => continue,
            };
            if let Some(form) =
                self.forms.of(other, reading).filter(|form| self.forms.has_no_iterations(form))
            {
                let one = Polynomial::from(1);
                list.extend([&form - &one, form.clone(), &form + &one]);
            }
        }
        list
    }
}

/// Between which ends c·x + r ≥ 0 lets a value x lie, for all such facts with a number c, if nothing else is known of x. Ends are in
/// terms of what does not change in the loop, or in the function.
fn allowed_by(
    forms: &mut Forms<'_>,
    (value, reading): Node,
    block: BlockId,
    facts: &Facts,
    within: Option<LoopId>,
) -> Range {
    let form = forms.of_value(value, reading);
    let &[atom] = form.atoms().as_slice() else { return Range::all() };
    if form != Polynomial::from(atom) || forms.is_settled(&form, within) {
        return Range::all();
    }
    let (mut lower, mut upper) = (Bound::none(), Bound::none());
    for fact in facts.not_negative().iter().filter(|fact| fact.degree_in(atom) == 1 && fact.is_integral()) {
        let rest = fact.coefficient(atom, 0);
        let Some(factor) = fact.coefficient(atom, 1).integer() else { continue };
        if forms.mentions_opaque(&rest) || forms.atoms.involves(&rest, atom) {
            continue;
        }
        let is_lower = factor.is_positive();
        let end =
            if is_lower { forms.atoms.ceiling(&-&rest, &factor) } else { forms.atoms.floor(&rest, &-factor) };
        let Some(Range::Between(least, most)) = end.map(|end| forms.ends(block, &end, within)) else {
            continue;
        };
        if is_lower { lower = lower.and(&least) } else { upper = upper.and(&most) }
    }
    Range::Between(lower, upper)
}

/// A value of the function in a reading.
pub(super) fn node(operand: Operand, reading: Reading) -> Option<Node> {
    match operand.value {
        Value::Local(value) => Some((value, reading)),
        Value::Constant(_) => None,
    }
}
