//! Results of folding.
//!
//! A [`Piece`] is a loop nest over counters `t_0, t_1, …` (each from 0, step 1) with
//! `x_q = start_q(t_0 … t_{q−1}) + step_q · t_q`; the number of iterations of level q is affine in the outer counters.
//! [`Piece::domain`] and [`Piece::label`] translate it into the coordinates x.

use poly::{Affine, Bounds, Domain};
use serde::{Deserialize, Serialize};

/// A coefficient of a label function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Coefficient {
    /// Known.
    Known(i64),
    /// ⊤: unknown.
    Unknown,
}

impl Coefficient {
    /// The value if known.
    pub fn known(self) -> Option<i64> {
        match self {
            Coefficient::Known(value) => Some(value),
            Coefficient::Unknown => None,
        }
    }
}

/// A label function in coordinates: `constant + Σ coefficients[i] · x_i`, where unknown coefficients stand for any
/// function of those coordinates: points that agree on all unknown coordinates differ by the known part alone.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Label {
    /// One per dimension, outermost first.
    pub coefficients: Vec<Coefficient>,
    /// Constant term; meaningless if a coefficient is unknown.
    pub constant: i64,
}

impl Label {
    /// Whether no coefficient is unknown.
    pub fn is_affine(&self) -> bool {
        self.coefficients.iter().all(|c| *c != Coefficient::Unknown)
    }

    /// The function, if no coefficient is unknown.
    pub fn function(&self) -> Option<Affine> {
        let coefficients: Option<Vec<i64>> = self.coefficients.iter().map(|c| c.known()).collect();
        Some(Affine { coefficients: coefficients?, constant: self.constant })
    }
}

/// One level of a piece.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Level {
    /// First coordinate, affine in the outer counters.
    pub start: Affine,
    /// Number of iterations, affine in the outer counters.
    pub count: Affine,
    /// Distance of neighbouring coordinates.
    pub step: i64,
}

/// Receives a point and its labels, `None` where a label is unknown.
pub type Visit<'a> = dyn FnMut(&[i64], &[Option<i64>]) + 'a;

/// A convex part of a stream.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Piece {
    /// Levels, outermost first.
    pub levels: Vec<Level>,
    /// Per output: the label over the counters t.
    pub labels: Vec<Label>,
    /// Number of points.
    pub points: u64,
    /// The domain holds all points of the piece but possibly more (after give-up).
    pub over_approximated: bool,
}

impl Piece {
    /// Per level: the start of its coordinate and its counter, both in coordinates.
    fn in_coordinates(&self) -> Option<Vec<(Ratio, Ratio)>> {
        let mut counters: Vec<Ratio> = Vec::new();
        let mut out = Vec::new();
        for (q, level) in self.levels.iter().enumerate() {
            let start = substitute(&level.start, &counters)?;
            let coordinate = Ratio { numerator: Affine::coordinate(q), denominator: 1 };
            let difference = coordinate.plus(-1, &start)?;
            let counter = Ratio {
                denominator: difference.denominator.checked_mul(level.step.max(1))?,
                numerator: difference.numerator,
            };
            counters.push(counter.clone());
            out.push((start, counter));
        }
        Some(out)
    }

    /// The domain in coordinates. `None` where a bound would need fractions.
    pub fn domain(&self) -> Option<Domain> {
        let levels = self.in_coordinates()?;
        let counters: Vec<Ratio> = levels.iter().map(|l| l.1.clone()).collect();
        let mut dimensions = Vec::new();
        for (level, (start, _)) in self.levels.iter().zip(&levels) {
            let last = substitute(&level.count, &counters)?;
            let last = last.plus(-1, &Ratio { numerator: Affine::constant(1), denominator: 1 })?;
            let upper = start.plus(level.step, &last)?.integral()?;
            dimensions.push(Bounds { lower: start.integral()?, upper, step: level.step });
        }
        Some(Domain { dimensions })
    }

    /// The label function of one output in coordinates. `None` where it would need fractions.
    pub fn label(&self, output: usize) -> Option<Label> {
        let label = self.labels.get(output)?;
        let levels = self.in_coordinates()?;
        // An unknown function of a counter is an unknown function of every coordinate the counter depends on.
        let n = self.levels.len();
        let mut unknown = vec![false; n];
        let mut function = Ratio { numerator: Affine::constant(label.constant), denominator: 1 };
        for (c, (_, counter)) in label.coefficients.iter().zip(&levels) {
            match c {
                Coefficient::Known(c) => function = function.plus(*c, counter)?,
                Coefficient::Unknown => {
                    for (q, flag) in unknown.iter_mut().enumerate() {
                        *flag |= counter.numerator.coefficient(q) != 0;
                    }
                }
            }
        }
        let known = Affine {
            coefficients: (0..n)
                .map(|q| if unknown[q] { 0 } else { function.numerator.coefficient(q) })
                .collect(),
            constant: function.numerator.constant,
        };
        let any_unknown = unknown.contains(&true);
        let function = if any_unknown {
            // The constant is meaningless then; only the known coefficients must be integral.
            let known = Affine { constant: 0, ..known };
            Ratio { numerator: known, denominator: function.denominator }.integral()?
        } else {
            function.integral()?
        };
        let coefficients =
            (0..n)
                .map(|q| {
                    if unknown[q] {
                        Coefficient::Unknown
                    } else {
                        Coefficient::Known(function.coefficient(q))
                    }
                })
                .collect();
        Some(Label { coefficients, constant: function.constant })
    }

    /// Visits `(point, labels)` of the piece in order; unknown labels are `None`. Returns false when `limit` points
    /// were not enough.
    pub fn points(&self, limit: u64, visit: &mut Visit<'_>) -> bool {
        let mut left = limit;
        self.walk(&mut Vec::new(), &mut Vec::new(), &mut left, visit)
    }

    fn walk(&self, t: &mut Vec<i64>, x: &mut Vec<i64>, left: &mut u64, visit: &mut Visit<'_>) -> bool {
        let Some(level) = self.levels.get(t.len()) else {
            if *left == 0 {
                return false;
            }
            *left -= 1;
            let labels: Vec<Option<i64>> = self.labels.iter().map(|l| l.function()?.at(t)).collect();
            visit(x, &labels);
            return true;
        };
        let (Some(start), Some(count)) = (level.start.at(t), level.count.at(t)) else { return false };
        for k in 0..count {
            t.push(k);
            x.push(start.wrapping_add(level.step.wrapping_mul(k)));
            let complete = self.walk(t, x, left, visit);
            t.pop();
            x.pop();
            if !complete {
                return false;
            }
        }
        true
    }
}

/// `numerator / denominator`, the denominator positive.
#[derive(Debug, Clone)]
struct Ratio {
    numerator: Affine,
    denominator: i64,
}

impl Ratio {
    /// `self + factor · other`.
    fn plus(&self, factor: i64, other: &Ratio) -> Option<Ratio> {
        let common = lcm(self.denominator, other.denominator)?;
        let zero = Affine::constant(0);
        let mine = zero.plus(common / self.denominator, &self.numerator)?;
        let numerator = mine.plus(factor.checked_mul(common / other.denominator)?, &other.numerator)?;
        Some(Ratio { numerator, denominator: common })
    }

    fn integral(&self) -> Option<Affine> {
        let d = self.denominator;
        let f = &self.numerator;
        if f.constant % d != 0 || f.coefficients.iter().any(|c| c % d != 0) {
            return None;
        }
        Some(Affine {
            coefficients: f.coefficients.iter().map(|c| c / d).collect(),
            constant: f.constant / d,
        })
    }
}

fn lcm(a: i64, b: i64) -> Option<i64> {
    let (mut x, mut y) = (a, b);
    while y != 0 {
        (x, y) = (y, x % y);
    }
    (a / x).checked_mul(b)
}

/// Replaces the counters of `f` by their expressions in coordinates.
fn substitute(f: &Affine, counters: &[Ratio]) -> Option<Ratio> {
    let mut out = Ratio { numerator: Affine::constant(f.constant), denominator: 1 };
    for (c, counter) in f.coefficients.iter().zip(counters) {
        if *c != 0 {
            out = out.plus(*c, counter)?;
        }
    }
    Some(out)
}

/// A folded stream.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Folded {
    /// Disjoint pieces in order of their end.
    pub pieces: Vec<Piece>,
    /// Number of points of the stream.
    pub points: u64,
    /// The limit on pieces was reached: one box holds everything.
    pub gave_up: bool,
    /// Per output: smallest and largest label seen.
    pub ranges: Vec<(i64, i64)>,
    /// Most pieces alive at one time.
    pub most_alive: usize,
}

impl Folded {
    /// The same stream with coordinate 0 inserted at dimension `dim` of every vector.
    pub fn with_zero_dimension(mut self, dim: usize) -> Folded {
        for piece in &mut self.pieces {
            let at = dim.min(piece.levels.len());
            for level in &mut piece.levels[at..] {
                for f in [&mut level.start, &mut level.count] {
                    if f.coefficients.len() >= at {
                        f.coefficients.insert(at, 0);
                    }
                }
            }
            piece
                .levels
                .insert(at, Level { start: Affine::constant(0), count: Affine::constant(1), step: 1 });
            for label in &mut piece.labels {
                label.coefficients.insert(at, Coefficient::Known(0));
            }
        }
        self
    }

    /// The same stream with an output 0 inserted before output `at`.
    pub fn with_zero_output(mut self, at: usize) -> Folded {
        for piece in &mut self.pieces {
            let coefficients = vec![Coefficient::Known(0); piece.levels.len()];
            let at = at.min(piece.labels.len());
            piece.labels.insert(at, Label { coefficients, constant: 0 });
        }
        let at = at.min(self.ranges.len());
        self.ranges.insert(at, (0, 0));
        self
    }

    /// The same domain with one constant label.
    pub fn with_constant_label(mut self, constant: i64) -> Folded {
        for piece in &mut self.pieces {
            let coefficients = vec![Coefficient::Known(0); piece.levels.len()];
            piece.labels = vec![Label { coefficients, constant }];
        }
        self.ranges = vec![(constant, constant)];
        self
    }

    /// The same stream with `by` added to every label (wrapping).
    pub fn shifted(mut self, by: i64) -> Folded {
        for label in self.pieces.iter_mut().flat_map(|p| &mut p.labels) {
            label.constant = label.constant.wrapping_add(by);
        }
        for range in &mut self.ranges {
            *range = (range.0.wrapping_add(by), range.1.wrapping_add(by));
        }
        self
    }

    /// Whether the domain is exact and no label of any piece is unknown.
    pub fn is_exact(&self) -> bool {
        !self.gave_up
            && self.pieces.iter().all(|p| !p.over_approximated && p.labels.iter().all(Label::is_affine))
    }
}
