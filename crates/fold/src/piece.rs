//! Results of folding.
//!
//! A [`Piece`] is a loop nest over counters `t_0, t_1, …` (each from 0, step 1), one per level. A level has a coordinate
//! `x = start(t_0 … t_{q−1}) + step · t_q`, or is a *new dimension* that the program does not have: then it has a counter
//! alone, and the start of the next level with a coordinate depends on that counter (`x = W·t_new + start + step·t`). The
//! number of iterations of every level is affine in the outer counters. The module [`crate::coordinates`] translates a
//! piece into the coordinates x.

use poly::Affine;
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
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Level {
    /// First coordinate, affine in the outer counters.
    pub start: Affine,
    /// Number of iterations, affine in the outer counters.
    pub count: Affine,
    /// Distance of neighbouring coordinates.
    pub step: i64,
    /// A new dimension: it has a counter and no coordinate; its start is 0 and its step 1.
    pub is_new: bool,
}

impl Level {
    /// Whether the level has one iteration, always.
    pub fn is_single(&self) -> bool {
        self.count.constant == 1 && self.count.coefficients.iter().all(|&c| c == 0)
    }
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
    /// Whether the domain is exact and no label has an unknown coefficient.
    pub fn is_affine(&self) -> bool {
        !self.over_approximated && self.labels.iter().all(Label::is_affine)
    }

    /// Whether every label that is a function of the counters is one of the coordinates too.
    pub fn is_in_coordinates(&self) -> bool {
        let is_function = |o: usize| self.label(o).is_some_and(|l| l.is_affine());
        self.labels.iter().enumerate().all(|(o, label)| !label.is_affine() || is_function(o))
    }

    /// A range per coordinate that holds all its values.
    pub fn extent(&self) -> Vec<(i64, i64)> {
        crate::emit::extent(&self.levels)
    }

    /// Number of coordinates.
    pub fn dims(&self) -> usize {
        self.levels.iter().filter(|l| !l.is_new).count()
    }

    /// The levels that make up a coordinate: its new dimensions, then its own. Empty if there is no such coordinate.
    pub fn levels_of(&self, dim: usize) -> &[Level] {
        let (from, to) = (self.level_after(dim), self.level_after(dim + 1));
        if dim < self.dims() { &self.levels[from..to] } else { &[] }
    }

    /// Index of the level after the first `dims` coordinates.
    fn level_after(&self, dims: usize) -> usize {
        let mut own = self.levels.iter().enumerate().filter(|(_, l)| !l.is_new).map(|(at, _)| at + 1);
        match dims.checked_sub(1) {
            None => 0,
            Some(before) => own.nth(before).unwrap_or(self.levels.len()),
        }
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
            x.extend((!level.is_new).then(|| start.wrapping_add(level.step.wrapping_mul(k))));
            let complete = self.walk(t, x, left, visit);
            t.pop();
            x.truncate(x.len() - usize::from(!level.is_new));
            if !complete {
                return false;
            }
        }
        true
    }
}

/// A folded stream.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Folded {
    /// Pieces in order of their end. Those that are exact are disjoint if no vector came twice; boxes of what was given up
    /// may overlap them.
    pub pieces: Vec<Piece>,
    /// Number of points of the stream.
    pub points: u64,
    /// A limit on pieces was reached: some pieces are boxes.
    pub gave_up: bool,
    /// Per output: smallest and largest label seen.
    pub ranges: Vec<(i64, i64)>,
    /// Most intermediate pieces (those that could still grow) at one time: #MPI of the publication.
    pub most_alive: usize,
}

/// Figures of one folded stream, as the publication prints them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Statistics {
    /// Points of the stream.
    pub points: u64,
    /// Pieces emitted, #P.
    pub pieces: usize,
    /// Most intermediate pieces at one time, #MPI.
    pub most_alive: usize,
    /// Points in pieces without unknown coefficients; their share is %A.
    pub affine_points: u64,
}

impl Folded {
    /// A stream that was given up from the start: so many points in a box, smallest to largest value per coordinate, with
    /// labels of which the ranges alone are known.
    pub fn boxed(points: u64, extent: &[(i64, i64)], ranges: &[(i64, i64)]) -> Folded {
        let level = |&(low, high): &(i64, i64)| Level {
            start: Affine::constant(low),
            count: Affine::constant(high.saturating_sub(low).saturating_add(1)),
            step: 1,
            is_new: false,
        };
        let label = |range: &(i64, i64)| Label {
            coefficients: vec![Coefficient::Unknown; extent.len()],
            constant: range.0,
        };
        let piece = Piece {
            levels: extent.iter().map(level).collect(),
            labels: ranges.iter().map(label).collect(),
            points,
            over_approximated: true,
        };
        Folded { pieces: vec![piece], points, gave_up: true, ranges: ranges.to_vec(), most_alive: 1 }
    }

    /// Figures of the stream.
    pub fn statistics(&self) -> Statistics {
        let affine = self.pieces.iter().filter(|p| p.is_affine());
        Statistics {
            points: self.points,
            pieces: self.pieces.len(),
            most_alive: self.most_alive,
            affine_points: affine.fold(0, |sum, p| sum.saturating_add(p.points)),
        }
    }

    /// The same stream with coordinate 0 inserted at dimension `dim` of every vector.
    pub fn with_zero_dimension(mut self, dim: usize) -> Folded {
        for piece in &mut self.pieces {
            let at = piece.level_after(dim);
            for level in &mut piece.levels[at..] {
                for f in [&mut level.start, &mut level.count] {
                    if f.coefficients.len() >= at {
                        f.coefficients.insert(at, 0);
                    }
                }
            }
            let (start, count) = (Affine::constant(0), Affine::constant(1));
            piece.levels.insert(at, Level { start, count, step: 1, is_new: false });
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
        !self.gave_up && self.pieces.iter().all(Piece::is_affine)
    }
}
