//! Which loop of a nest to map to x: the one with the fewest sectors in all, every access counted once.
//!
//! It is proved if numbers decide it, or if no access has a greater stride than under any other mapping. Else strides without a
//! number count as large, and so do accesses of which nothing is known.

use super::nest::Requested;
use crate::device::WARP;
use crate::recurrence::Forms;
use crate::symbolic::Prover;

/// Which loop to map to x.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Advice {
    /// Its place in the nest.
    pub x: usize,
    /// Why.
    pub basis: Basis,
}

/// Why a mapping is advised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Basis {
    /// There is no other.
    Only,
    /// It moves the fewest sectors, whatever the inputs are.
    Proved,
    /// It moves the fewest sectors if what is not known is large.
    LargeInputs,
    /// No other one is known to be better.
    Equal,
}

/// The mapping to advise for a nest of so many loops.
pub(super) fn advised(forms: &Forms<'_>, found: &[Requested], loops: usize) -> Advice {
    // The innermost one, where all are alike.
    let innermost = loops.saturating_sub(1);
    if innermost == 0 {
        return Advice { x: 0, basis: Basis::Only };
    }
    let totals: Vec<Total> = (0..loops).map(|x| Total::of(found, x)).collect();
    let others = |x: usize| (0..totals.len()).filter(move |&other| other != x);
    let is_best = |x: usize| {
        others(x).all(|other| totals[x].most <= totals[other].least || is_shorter(forms, found, x, other))
    };
    let order = || (0..=innermost).rev();
    let large = order().min_by_key(|&x| totals[x].most).unwrap_or(innermost);
    let is_alike = |x: usize| others(x).all(|other| totals[x].most == totals[other].most);
    match order().find(|&x| is_best(x)) {
        // Better in no case that is known of.
        Some(x) if is_alike(x) => Advice { x, basis: Basis::Equal },
        Some(x) => Advice { x, basis: Basis::Proved },
        None if is_alike(large) => Advice { x: large, basis: Basis::Equal },
        None => Advice { x: large, basis: Basis::LargeInputs },
    }
}

/// Sectors of all accesses: the fewest, and the most, which are those for large inputs.
struct Total {
    least: u32,
    most: u32,
}

impl Total {
    fn of(found: &[Requested], x: usize) -> Total {
        let mut total = Total { least: 0, most: 0 };
        let mut add = |least: u32, most: u32| {
            total.least = total.least.saturating_add(least);
            total.most = total.most.saturating_add(most);
        };
        for requested in found {
            match &requested.mappings[x] {
                Err(_) => add(1, 2 * WARP),
                Ok(list) => {
                    for mapped in list {
                        let (least, most) = (&mapped.sectors.least, &mapped.sectors.most);
                        add(least.number().unwrap_or(1), most.number().unwrap_or(most.cap));
                    }
                }
            }
        }
        total
    }
}

/// Whether no access has a greater stride under one mapping than under another.
fn is_shorter(forms: &Forms<'_>, found: &[Requested], x: usize, other: usize) -> bool {
    found.iter().all(|requested| {
        let prover = Prover::new(&forms.atoms, &requested.facts);
        let (Ok(short), Ok(long)) = (&requested.mappings[x], &requested.mappings[other]) else {
            return false;
        };
        let pairs = short.iter().zip(long);
        short.len() == long.len()
            && pairs.into_iter().all(|(short, long)| {
                let strides = short.linear.iter().zip(&long.linear);
                short.linear.len() == long.linear.len()
                    && strides
                        .into_iter()
                        .all(|(short, long)| prover.is_at_least(&long.distance, &short.distance))
            })
    })
}
