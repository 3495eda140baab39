//! Sub-matrices that linearised accesses touch.
//!
//! An offset a + s·(mx + ix) + s·w·(my + iy) is element (mx + ix, my + iy) of a matrix of w elements per row, s bytes from one to
//! the next: mx and my are axes of the grid, ix and iy loops inside, and each may be missing. In general there are *directions*,
//! each with a stride: columns, rows, planes and so on. A loop inside gives a direction its extent, and no two loops the same one.
//! An axis moves along the direction of its stride, or not at all; several elements at once if that is a multiple of a loop's
//! stride and smaller than what the loop goes through.
//!
//! Elements are distinct as long as what is used along a direction ends before the next element of the next one: for two
//! directions, as long as no more columns are used than a row has. That is proved, or assumed and said.

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{Signed, ToPrimitive, Zero};

use super::section::Section;
use crate::symbolic::{Coefficient, Monomial, Polynomial};

/// What a thread touches of a matrix.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    /// Bytes from an element to the next one along each direction, columns first.
    pub strides: Vec<Polynomial>,
    /// Elements that a thread touches along each direction.
    pub counts: Vec<Polynomial>,
    /// How each axis of the grid moves, x first; `None` if neighbours touch the same.
    pub axes: Vec<Option<Step>>,
}

/// How an axis of the grid moves from a thread to its neighbour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// Along which direction.
    pub direction: usize,
    /// By how many elements; against the direction if negative.
    pub elements: i64,
}

impl Pattern {
    /// The sub-matrix of a section, if it is one.
    pub fn of(section: &Section) -> Option<Pattern> {
        let mut directions: Vec<(Polynomial, Polynomial)> = Vec::new();
        for dimension in &section.inside {
            let stride = forward(&dimension.step);
            if directions.iter().any(|direction| direction.0 == stride) {
                return None;
            }
            directions.push((stride, dimension.count.clone()));
        }
        let loops = directions.len();
        for stride in section.threads.iter().filter(|stride| !stride.is_zero()) {
            let is_known = |of: &(Polynomial, Polynomial)| of.0 == forward(stride);
            if !directions.iter().any(is_known)
                && !directions[..loops].iter().any(|of| elements(stride, of).is_some())
            {
                directions.push((forward(stride), 1.into()));
            }
        }
        directions.sort_by_key(|direction| rank(&direction.0));
        let axes = section.threads.iter().map(|stride| moved(stride, &directions)).collect();
        let (strides, counts) = directions.into_iter().unzip();
        Some(Pattern { strides, counts, axes })
    }

    /// Elements of a row, w, if there are rows of a whole number of them.
    pub fn width(&self) -> Option<Polynomial> {
        let [columns, rows, ..] = self.strides.as_slice() else { return None };
        let inverse = Coefficient::inverse(&columns.integer()?);
        Some(rows.scaled(&inverse)).filter(Polynomial::is_integral)
    }

    /// Bytes from column to column, if that is a number.
    pub fn step(&self) -> Option<i64> {
        self.strides.first()?.integer()?.to_i64()
    }

    /// Where one start lies behind another: elements along each direction from rows on, and the bytes that remain; along columns
    /// too if their stride is no number. `None` if it is none in the same matrix.
    pub fn placed(&self, distance: &Polynomial) -> Option<(Vec<i64>, i64)> {
        let mut rest = distance.clone();
        let mut elements = vec![0; self.strides.len()];
        for (at, stride) in self.strides.iter().enumerate().rev() {
            let count = match stride.integer() {
                // Columns are told from bytes by all members together.
                Some(_) if at == 0 => continue,
                Some(stride) => nearest(&constant_part(&rest), &stride),
                None => ratio(&rest, stride)?,
            };
            rest = &rest - &stride.scaled(&count.clone().into());
            elements[at] = count.to_i64()?;
        }
        Some((elements, rest.integer()?.to_i64()?))
    }
}

/// How an axis with this stride moves.
fn moved(stride: &Polynomial, directions: &[(Polynomial, Polynomial)]) -> Option<Step> {
    let sign = if *stride == forward(stride) { 1 } else { -1 };
    if let Some(direction) = directions.iter().position(|of| of.0 == forward(stride)) {
        return (!stride.is_zero()).then_some(Step { direction, elements: sign });
    }
    let mut moves = directions.iter().enumerate();
    moves.find_map(|(direction, of)| Some(Step { direction, elements: sign * elements(stride, of)? }))
}

/// How many elements a stride goes along a direction that it does not leave at once.
fn elements(stride: &Polynomial, (along, count): &(Polynomial, Polynomial)) -> Option<i64> {
    let (stride, count) = (forward(stride), count.integer()?);
    let elements = ratio(&stride, along)?;
    let is_multiple = stride == along.scaled(&elements.clone().into());
    (is_multiple && elements.is_positive() && elements < count).then(|| elements.to_i64()).flatten()
}

/// A stride without its direction: the leading coefficient positive.
fn forward(stride: &Polynomial) -> Polynomial {
    let is_backward = leading(stride).is_some_and(|term| term.1.is_negative());
    if is_backward { -stride } else { stride.clone() }
}

/// The term of the highest degree.
fn leading(of: &Polynomial) -> Option<&(Monomial, Coefficient)> {
    of.terms().iter().max_by_key(|term| (term.0.degree(), &term.0))
}

/// By which strides are ordered: numbers by size, then products of ever more inputs.
fn rank(stride: &Polynomial) -> (u32, BigInt) {
    leading(stride).map_or((0, BigInt::zero()), |term| (term.0.degree(), term.1.to_integer().abs()))
}

fn constant_part(of: &Polynomial) -> BigInt {
    let constant = of.terms().iter().find(|term| term.0.powers().is_empty());
    constant.map_or_else(BigInt::zero, |term| term.1.to_integer())
}

/// The nearest quotient.
fn nearest(of: &BigInt, by: &BigInt) -> BigInt {
    (of * BigInt::from(2) + by).div_floor(&(by * BigInt::from(2)))
}

/// How often the leading term of a stride is in a distance; `None` if that is no whole number.
fn ratio(of: &Polynomial, stride: &Polynomial) -> Option<BigInt> {
    let leading = leading(stride)?;
    let term = of.terms().iter().find(|term| term.0 == leading.0);
    let ratio = term.map_or(Some(Coefficient::ZERO), |term| term.1.over(&leading.1))?;
    ratio.is_integer().then(|| ratio.to_integer())
}
