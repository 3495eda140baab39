//! Elements to which several iterations come by way of loops inside: `a[i + j]`, `a[j]`.
//!
//! Two instances of accesses with subscripts that differ by a constant alone meet where `c·Δi + Σ c_v·Δv` is that constant in every
//! dimension, with `Δi ≠ 0` and each `Δv` shorter than its loop. Compilers know this too: of several stores to one element they keep the
//! last, and hand on in registers what was stored; then nothing of it is seen in a run.
//!
//! Limits: small distances are tried, at most two loops inside; loops whose bounds depend on the iterator are left out.

use profile::lens::{AccessMode, Array, ArrayAccess, SourceLoop};

use crate::facts::{Facts, mentions, writes};

/// Distances that are tried.
const FARTHEST: i64 = 8;

/// An array that the loop writes, where by its subscripts several iterations come to one element, with the lines of a write and of another
/// access. Elements that are only combined with an operator do not count where the loop `reduces`.
pub fn overlap<'a>(facts: &Facts<'a>, trips: u64, reduces: bool) -> Option<(&'a str, (u32, u32))> {
    let [iterator] = &facts.source.iterators[..] else { return None };
    let step = iterator.step_value.filter(|&step| step != 0)?;
    let farthest = i64::try_from(trips.saturating_sub(1)).unwrap_or(FARTHEST).min(FARTHEST);
    let nests: Vec<&SourceLoop> = facts.inner_loops().collect();
    facts.source.arrays.iter().filter(|array| facts.is_one_place(array)).find_map(|array| {
        let runs = |access: &&ArrayAccess| access.depth > 0 && is_certain(&nests, array, access);
        let pairs = writes(array)
            .filter(runs)
            .flat_map(|write| array.accesses.iter().filter(runs).map(move |other| (write, other)));
        let mut pairs = pairs.filter(|(write, other)| {
            let are_updates = [write, other].iter().all(|own| matches!(own.mode, AccessMode::Update(_)));
            other.mode != AccessMode::Shared
                && write.member == other.member
                && !(are_updates && reduces)
                && !facts.depends(write)
                && !facts.depends(other)
        });
        let (write, other) = pairs.find(|(write, other)| {
            let around = around(&nests, write);
            let is_same = around.len() == around_count(&nests, other, &around);
            is_same && meet(write, other, (&iterator.name, step, farthest), &around)
        })?;
        Some((array.name.as_str(), (write.at.line, other.at.line)))
    })
}

/// Whether an access runs in every iteration of the loop that it stands in.
fn is_certain(nests: &[&SourceLoop], array: &Array, access: &ArrayAccess) -> bool {
    let inner = around(nests, access).into_iter().max_by_key(|own| (own.at.line, own.at.column));
    let arrays = inner.into_iter().flat_map(|own| &own.arrays).filter(|own| own.name == array.name);
    let mut same = arrays.flat_map(|own| &own.accesses).filter(|own| own.at == access.at);
    same.any(|own| !own.conditional)
}

/// Whether an access runs in every iteration of a loop: no condition stands around it there, and of loops inside the start, the bound and the
/// step name nothing that the loop sets, so that each iteration has the same iterations of those; some, as the text has them.
pub(crate) fn always_runs(
    nests: &[&SourceLoop],
    source: &SourceLoop,
    array: &Array,
    access: &ArrayAccess,
) -> bool {
    let around = around(nests, access);
    if around.is_empty() {
        return !access.conditional;
    }
    let is_steady = |own: &&SourceLoop| {
        let [counter] = &own.iterators[..] else { return false };
        !own.conditional
            && !own.jumps
            && own.leaves.is_empty()
            && counter.step_value.is_some_and(|step| step != 0)
            && [&counter.start, &counter.bound].into_iter().all(|text| {
                let mut set = source.scalars.iter().map(|own| &own.name);
                let mut counted = source.iterators.iter().map(|own| &own.name);
                text.as_ref().is_some_and(|text| {
                    !set.any(|name| mentions(text, name)) && !counted.any(|name| mentions(text, name))
                })
            })
    };
    around.iter().all(is_steady) && is_certain(nests, array, access)
}

/// The loops around an access.
fn around<'a>(nests: &[&'a SourceLoop], access: &ArrayAccess) -> Vec<&'a SourceLoop> {
    let at = (access.at.line, access.at.column);
    let is_around =
        |own: &&&SourceLoop| (own.at.line, own.at.column) < at && at <= (own.end.line, own.end.column);
    nests.iter().filter(is_around).copied().collect()
}

/// Number of loops around an access, if they are these; else none of those.
fn around_count(nests: &[&SourceLoop], access: &ArrayAccess, known: &[&SourceLoop]) -> usize {
    let own = around(nests, access);
    let are_same = own.len() == known.len() && own.iter().zip(known).all(|(a, b)| std::ptr::eq(*a, *b));
    if are_same { own.len() } else { usize::MAX }
}

/// Whether instances of two accesses in different iterations meet.
fn meet(
    write: &ArrayAccess,
    other: &ArrayAccess,
    (iterator, step, farthest): (&str, i64, i64),
    around: &[&SourceLoop],
) -> bool {
    let mut inner: Vec<(&str, i64, i64)> = Vec::new();
    for own in around {
        let [counter] = &own.iterators[..] else { return false };
        let Some(step) = counter.step_value.filter(|&step| step != 0) else { return false };
        inner.push((&counter.name, step, trips(own).unwrap_or(FARTHEST).saturating_sub(1).min(FARTHEST)));
    }
    if inner.len() > 2 || write.affine.len() != other.affine.len() {
        return false;
    }
    // Per dimension: the coefficients of the iterator and of those inside, and the constant.
    let mut equations: Vec<(i64, Vec<i64>, i64)> = Vec::new();
    for pair in write.affine.iter().zip(&other.affine) {
        let (Some(a), Some(b)) = pair else { return false };
        let Some(constant) = a.constant.checked_sub(b.constant).filter(|_| a.terms == b.terms) else {
            return false;
        };
        let coefficients = inner.iter().map(|own| a.of(own.0)).collect();
        equations.push((a.of(iterator), coefficients, constant));
    }
    let holds = |own: i64, inner_by: &[i64]| {
        equations.iter().all(|(c, coefficients, constant)| {
            let terms = coefficients.iter().zip(inner_by).map(|(c, by)| i128::from(*c) * i128::from(*by));
            terms.sum::<i128>() + i128::from(*c) * i128::from(own) + i128::from(*constant) == 0
        })
    };
    let distances = |own: Option<&(&str, i64, i64)>| {
        let (step, most) = own.map_or((0, 0), |own| (own.1, own.2));
        (-most..=most).map(move |by| by.saturating_mul(step))
    };
    (1..=farthest).flat_map(|by| [by, -by]).any(|by| {
        distances(inner.first()).any(|first| {
            distances(inner.get(1)).any(|second| {
                let by = by.saturating_mul(step);
                holds(by, &[first, second][..inner.len()])
            })
        })
    })
}

/// Number of iterations of a loop, if its text says it by numbers.
fn trips(own: &SourceLoop) -> Option<i64> {
    let [counter] = &own.iterators[..] else { return None };
    let number = |text: &Option<String>| text.as_ref()?.trim().parse::<i64>().ok();
    let length = number(&counter.bound)?.checked_sub(number(&counter.start)?)?.checked_abs()?;
    let is_closed = counter.comparison.as_deref().is_some_and(|sign| sign.ends_with('='));
    length.checked_add(i64::from(is_closed))?.checked_div(counter.step_value?.checked_abs()?.max(1))
}
