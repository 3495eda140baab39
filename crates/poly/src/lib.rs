//! Affine functions and iteration domains over integer vectors.
//!
//! Invariants: all arithmetic is checked; an operation that leaves 64 bits returns `None` instead of a wrong value.
//! Coordinates are numbered from the outermost, 0.
//! [`system`] bounds affine functions under linear constraints.
#![forbid(unsafe_code)]

pub mod system;

use std::fmt;

use serde::{Deserialize, Serialize};

/// `constant + Σ coefficients[i] · x_i`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Affine {
    /// Coefficients, outermost first; missing ones are 0.
    pub coefficients: Vec<i64>,
    /// Constant term.
    pub constant: i64,
}

impl Affine {
    /// A constant function.
    pub fn constant(constant: i64) -> Affine {
        Affine { coefficients: Vec::new(), constant }
    }

    /// The coordinate `x_i`.
    pub fn coordinate(i: usize) -> Affine {
        let mut coefficients = vec![0; i + 1];
        coefficients[i] = 1;
        Affine { coefficients, constant: 0 }
    }

    /// Coefficient of `x_i`.
    pub fn coefficient(&self, i: usize) -> i64 {
        self.coefficients.get(i).copied().unwrap_or(0)
    }

    /// Value at `point` (missing coordinates count as 0).
    pub fn at(&self, point: &[i64]) -> Option<i64> {
        let mut sum = i128::from(self.constant);
        for (c, x) in self.coefficients.iter().zip(point) {
            sum = sum.checked_add(i128::from(*c) * i128::from(*x))?;
        }
        i64::try_from(sum).ok()
    }

    /// `self + factor · other`.
    pub fn plus(&self, factor: i64, other: &Affine) -> Option<Affine> {
        let n = self.coefficients.len().max(other.coefficients.len());
        let mut coefficients = Vec::with_capacity(n);
        for i in 0..n {
            coefficients.push(self.coefficient(i).checked_add(factor.checked_mul(other.coefficient(i))?)?);
        }
        let constant = self.constant.checked_add(factor.checked_mul(other.constant)?)?;
        while coefficients.last() == Some(&0) {
            coefficients.pop();
        }
        Some(Affine { coefficients, constant })
    }

    /// Writes the function with the given names of coordinates.
    pub fn display<'a>(&'a self, names: &'a [String]) -> impl fmt::Display + 'a {
        Shown { function: self, names }
    }
}

struct Shown<'a> {
    function: &'a Affine,
    names: &'a [String],
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut first = true;
        for (i, &c) in self.function.coefficients.iter().enumerate() {
            if c == 0 {
                continue;
            }
            let name = self.names.get(i).map_or("?", String::as_str);
            match (first, c) {
                (true, 1) => write!(f, "{name}")?,
                (true, -1) => write!(f, "-{name}")?,
                (true, c) => write!(f, "{c}{name}")?,
                (false, 1) => write!(f, "+{name}")?,
                (false, c) if c < 0 => {
                    if c == -1 {
                        write!(f, "-{name}")?;
                    } else {
                        write!(f, "{c}{name}")?;
                    }
                }
                (false, c) => write!(f, "+{c}{name}")?,
            }
            first = false;
        }
        if first {
            write!(f, "{}", self.function.constant)
        } else if self.function.constant != 0 {
            write!(f, "{:+}", self.function.constant)
        } else {
            Ok(())
        }
    }
}

/// One dimension of a [`Domain`]: `lower ≤ x ≤ upper`, both affine in the outer coordinates, and `x ≡ lower (mod step)`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Bounds {
    /// Smallest value.
    pub lower: Affine,
    /// Largest value.
    pub upper: Affine,
    /// Distance between neighbouring values, at least 1.
    pub step: i64,
}

/// A set of integer points: one pair of affine bounds per dimension.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct Domain {
    /// Bounds per dimension, outermost first.
    pub dimensions: Vec<Bounds>,
}

impl Domain {
    /// Whether the domain contains `point`.
    pub fn contains(&self, point: &[i64]) -> bool {
        if point.len() != self.dimensions.len() {
            return false;
        }
        self.dimensions.iter().zip(point).all(|(b, &x)| match (b.lower.at(point), b.upper.at(point)) {
            (Some(lower), Some(upper)) => {
                lower <= x && x <= upper && x.checked_sub(lower).is_some_and(|d| d % b.step.max(1) == 0)
            }
            _ => false,
        })
    }

    /// Calls `visit` on every point in lexicographic order, at most `limit` of them; returns whether that was all.
    pub fn points(&self, limit: u64, visit: &mut dyn FnMut(&[i64])) -> bool {
        let mut point = Vec::with_capacity(self.dimensions.len());
        let mut left = limit;
        self.walk(&mut point, &mut left, visit)
    }

    fn walk(&self, point: &mut Vec<i64>, left: &mut u64, visit: &mut dyn FnMut(&[i64])) -> bool {
        let Some(bounds) = self.dimensions.get(point.len()) else {
            if *left == 0 {
                return false;
            }
            *left -= 1;
            visit(point);
            return true;
        };
        let (Some(mut x), Some(upper)) = (bounds.lower.at(point), bounds.upper.at(point)) else {
            return false;
        };
        while x <= upper {
            point.push(x);
            let complete = self.walk(point, left, visit);
            point.pop();
            if !complete {
                return false;
            }
            match x.checked_add(bounds.step.max(1)) {
                Some(next) => x = next,
                None => break,
            }
        }
        true
    }

    /// Writes the constraints with the given names of coordinates, e.g. `0<=i<=9, 0<=j<=i`.
    pub fn display<'a>(&'a self, names: &'a [String]) -> impl fmt::Display + 'a {
        ShownDomain { domain: self, names }
    }
}

struct ShownDomain<'a> {
    domain: &'a Domain,
    names: &'a [String],
}

impl fmt::Display for ShownDomain<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, bounds) in self.domain.dimensions.iter().enumerate() {
            let name = self.names.get(i).map_or("?", String::as_str);
            if i > 0 {
                write!(f, ", ")?;
            }
            if bounds.lower == bounds.upper {
                write!(f, "{name}={}", bounds.lower.display(self.names))?;
            } else {
                write!(
                    f,
                    "{}<={name}<={}",
                    bounds.lower.display(self.names),
                    bounds.upper.display(self.names)
                )?;
            }
            if bounds.step > 1 {
                write!(f, " step {}", bounds.step)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> Vec<String> {
        vec!["i".into(), "j".into()]
    }

    #[test]
    fn affine_functions_print_and_evaluate() {
        let f = Affine { coefficients: vec![3, -1], constant: 2 };
        assert_eq!(f.display(&names()).to_string(), "3i-j+2");
        assert_eq!(f.at(&[2, 5]), Some(3));
        assert_eq!(f.at(&[i64::MAX, 0]), None);
        assert_eq!(Affine::constant(0).display(&names()).to_string(), "0");
        assert_eq!(f.plus(1, &Affine::coordinate(1)), Some(Affine { coefficients: vec![3], constant: 2 }));
        assert_eq!(f.plus(i64::MAX, &f), None);
    }

    #[test]
    fn a_triangle_holds_its_points_and_no_others() {
        let triangle = Domain {
            dimensions: vec![
                Bounds { lower: Affine::constant(0), upper: Affine::constant(4), step: 2 },
                Bounds { lower: Affine::constant(0), upper: Affine::coordinate(0), step: 1 },
            ],
        };
        let mut points = Vec::new();
        assert!(triangle.points(100, &mut |p| points.push(p.to_vec())));
        assert_eq!(points.len(), 1 + 3 + 5);
        assert!(points.iter().all(|p| triangle.contains(p)));
        assert!(!triangle.contains(&[1, 0]) && !triangle.contains(&[2, 3]) && !triangle.contains(&[2]));
        assert!(!triangle.points(3, &mut |_| {}));
        assert_eq!(triangle.display(&names()).to_string(), "0<=i<=4 step 2, 0<=j<=i");
    }
}
