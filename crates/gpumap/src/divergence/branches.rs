//! Branches that may part the lanes of a warp.

use super::lanes::{Parted, parted};
use crate::coalescing::Coalescing;
use crate::coalescing::offsets::has_rule;
use crate::control::LoopId;
use crate::device::Block;
use crate::ir::{BlockId, Operand, Operation, Value};
use crate::recurrence::conditions::Condition;
use crate::recurrence::{Forms, Reading};
use crate::symbolic::Polynomial;

/// What decides a branch that is not uniform.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// The number of the thread: a comparison that changes once along x. In each row of a grid it parts one warp at most, if
    /// warps lie in rows.
    Place,
    /// The number of the thread, by another rule.
    Thread,
    /// What memory holds, or a value without a closed form.
    Data,
}

/// A branch that is not uniform.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Branch {
    /// The block that ends in it.
    pub block: BlockId,
    /// Its line and column in the source, if it has any.
    pub place: Option<(u32, u32)>,
    /// What decides it.
    pub by: By,
    /// In how many warps it parts lanes, where that can be counted.
    pub parted: Option<Parted>,
}

/// The branches of a nest that are not uniform, in order, the nest being mapped as advised.
pub fn branches(forms: &mut Forms<'_>, found: &Coalescing, block: Block) -> Vec<Branch> {
    let axes = found.axes_from(found.advice.x);
    let (Some(&outermost), Some(&x)) = (found.loops.first(), axes.first()) else { return Vec::new() };
    let blocks = forms.control.loops.get(outermost).blocks.clone();
    let is_test = |at: BlockId, forms: &Forms<'_>| {
        let of = |&id: &LoopId| forms.control.loops.get(id).exits.iter().any(|exit| exit.0 == at);
        axes.iter().any(of)
    };
    let mut list = Vec::new();
    for at in blocks {
        if forms.control.successors[at.index()].len() < 2 || is_test(at, forms) {
            continue;
        }
        let Some(by) = decided(forms, at, x, outermost) else { continue };
        let location = forms.function.block(at).last().and_then(|last| last.location);
        let place = location.and_then(|location| forms.module.metadata.place(location));
        let place = place.map(|place| (place.line, place.column));
        let parted = if by == By::Data { None } else { parted(forms, &axes, block, at) };
        list.push(Branch { block: at, place, by, parted });
    }
    list.sort_by_key(|branch| branch.place);
    list
}

/// What decides the branch at the end of a block; `None` if it is uniform.
fn decided(forms: &mut Forms<'_>, at: BlockId, x: LoopId, outermost: LoopId) -> Option<By> {
    if forms.is_branch_uniform(at, x) || is_from_outside(forms, at, outermost) {
        return None;
    }
    let to = *forms.control.successors[at.index()].first()?;
    let Some(condition) = forms.condition_of(at, to) else { return Some(By::Data) };
    let Some(distance) = distance(forms, condition) else { return Some(By::Data) };
    if !has_rule(forms, &distance, x) {
        return Some(By::Data);
    }
    let iteration = forms.iteration(x);
    let parts = [distance.coefficient(iteration, 0), distance.coefficient(iteration, 1)];
    let is_linear = distance.degree_in(iteration) <= 1 && parts.iter().all(|part| forms.is_uniform(part, x));
    Some(if is_linear { By::Place } else { By::Thread })
}

/// The difference of the sides of a comparison; in the reading in which both have a form that says something.
fn distance(forms: &mut Forms<'_>, condition: Condition) -> Option<Polynomial> {
    let readings = match condition.reading() {
        Some(reading) => vec![reading],
        None => vec![Reading::Signed, Reading::Unsigned],
    };
    let differences = readings.into_iter().filter_map(|reading| {
        Some(&forms.of(condition.left, reading)? - &forms.of(condition.right, reading)?)
    });
    let all: Vec<Polynomial> = differences.collect();
    let plain = all.iter().find(|of| !forms.mentions_opaque(of)).cloned();
    plain.or_else(|| all.into_iter().next())
}

/// Whether all that the branch of a block is decided by is computed before the nest.
fn is_from_outside(forms: &Forms<'_>, at: BlockId, outermost: LoopId) -> bool {
    let is_before = |operand: &Operand| match operand.value {
        Value::Constant(_) => true,
        Value::Local(value) => {
            let definition = forms.definition(value);
            definition.is_none_or(|(block, _)| !forms.control.loops.contains(outermost, block))
        }
    };
    let decider = match forms.function.block(at).last().map(|last| &last.operation) {
        Some(Operation::ConditionalBranch { condition, .. }) => *condition,
        Some(Operation::Switch { value, .. }) => *value,
        _ => return false,
    };
    let compared = match decider.value {
        Value::Local(value) => forms.definition(value).map(|(_, instruction)| &instruction.operation),
        Value::Constant(_) => None,
    };
    let is_compared = match compared {
        Some(Operation::CompareFloat(_, left, right)) => is_before(left) && is_before(right),
        _ => false,
    };
    is_before(&decider) || is_compared
}
