//! Bounds as sets.
//!
//! A lower bound is a list of clauses, each a set of polynomials: the value is at least the least member of *every* clause. An
//! upper bound is its mirror image. Refinement adds clauses, joining ways unites them member by member, so both stay in this
//! form. No clause at all means that there is no bound. A clause that gets too large is dropped, which is always sound.

use super::{Polynomial, Prover};

/// Most members of a clause.
const MEMBERS: usize = 8;
/// Most clauses of a bound.
const CLAUSES: usize = 4;

/// Which end of a range a bound is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Side {
    /// Values are not less.
    Lower,
    /// Values are not greater.
    Upper,
}

/// A bound.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Bound {
    clauses: Vec<Vec<Polynomial>>,
}

impl From<Polynomial> for Bound {
    fn from(of: Polynomial) -> Bound {
        Bound { clauses: vec![vec![of]] }
    }
}

impl Bound {
    /// No bound.
    pub fn none() -> Bound {
        Bound::default()
    }

    /// Whether there is none.
    pub fn is_none(&self) -> bool {
        self.clauses.is_empty()
    }

    /// Its clauses.
    pub fn clauses(&self) -> &[Vec<Polynomial>] {
        &self.clauses
    }

    /// A bound of these clauses.
    pub fn of(clauses: impl IntoIterator<Item = Vec<Polynomial>>) -> Bound {
        let mut bound = Bound::none();
        for mut clause in clauses {
            clause.sort();
            clause.dedup();
            let is_usable = !clause.is_empty() && clause.len() <= MEMBERS;
            if is_usable && bound.clauses.len() < CLAUSES && !bound.clauses.contains(&clause) {
                bound.clauses.push(clause);
            }
        }
        bound
    }

    /// The one polynomial that it is, if it is one.
    pub fn single(&self) -> Option<&Polynomial> {
        match self.clauses.as_slice() {
            [clause] if clause.len() == 1 => clause.first(),
            _ => None,
        }
    }

    /// Both hold.
    pub fn and(&self, other: &Bound) -> Bound {
        Bound::of(other.clauses.iter().chain(&self.clauses).cloned())
    }

    /// One of both holds.
    pub fn or(&self, other: &Bound) -> Bound {
        let pairs = self.clauses.iter().flat_map(|a| other.clauses.iter().map(move |b| (a, b)));
        Bound::of(pairs.map(|(a, b)| a.iter().chain(b).cloned().collect()))
    }

    /// The bound of something computed from one value.
    pub fn map(&self, compute: impl Fn(&Polynomial) -> Option<Polynomial>) -> Bound {
        Bound::of(self.clauses.iter().filter_map(|clause| clause.iter().map(&compute).collect()))
    }

    /// The bound of something computed from two values, in which it is monotone.
    pub fn combine(
        &self,
        other: &Bound,
        compute: impl Fn(&Polynomial, &Polynomial) -> Option<Polynomial>,
    ) -> Bound {
        let pairs = self.clauses.iter().flat_map(|a| other.clauses.iter().map(move |b| (a, b)));
        let combined = |(a, b): (&Vec<Polynomial>, &Vec<Polynomial>)| {
            a.iter().flat_map(|x| b.iter().map(|y| compute(x, y)).collect::<Vec<_>>()).collect()
        };
        Bound::of(pairs.filter_map(combined))
    }

    /// The bound without members and clauses that follow from others.
    pub fn pruned(&self, side: Side, prover: &Prover<'_>) -> Bound {
        let is_implied = |weak: &Polynomial, strong: &Polynomial| match side {
            Side::Lower => prover.is_at_least(strong, weak),
            Side::Upper => prover.is_at_least(weak, strong),
        };
        // Of a clause of a lower bound the least member counts.
        let mut clauses: Vec<Vec<Polynomial>> = Vec::new();
        for clause in &self.clauses {
            let mut kept: Vec<Polynomial> = Vec::new();
            for member in clause {
                if kept.iter().any(|other| is_implied(other, member)) {
                    continue;
                }
                kept.retain(|other| !is_implied(member, other));
                kept.push(member.clone());
            }
            clauses.push(kept);
        }
        let follows = |weak: &Vec<Polynomial>, strong: &Vec<Polynomial>| {
            strong.iter().all(|s| weak.iter().any(|w| is_implied(w, s)))
        };
        let mut all: Vec<Vec<Polynomial>> = Vec::new();
        for clause in clauses {
            if all.iter().any(|other| follows(&clause, other)) {
                continue;
            }
            all.retain(|other| !follows(other, &clause));
            all.push(clause);
        }
        Bound::of(all)
    }
}
