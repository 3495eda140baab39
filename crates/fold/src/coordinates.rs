//! Pieces in coordinates.
//!
//! Counters are expressed in the coordinates x by elimination. The counter of a new dimension is no affine function of
//! coordinates; it is carried as a symbol of its own, and a result in which symbols are left does not exist in coordinates
//! ([`Piece::domain`]) or is unknown in the coordinates that determine them ([`Piece::label`]).
//! [`Piece::with_new_dimensions`] gives new dimensions coordinates instead.

use poly::{Affine, Bounds, Domain};

use crate::piece::{Coefficient, Label, Level, Piece};

/// Levels in coordinates, variables `0..dims` being coordinates and the later ones symbols.
struct Elimination {
    /// Per level that has a coordinate, its start.
    starts: Vec<Ratio>,
    /// Per level, its counter.
    counters: Vec<Ratio>,
    /// Per level, the coordinates that determine its counter.
    determined_by: Vec<Vec<bool>>,
}

impl Elimination {
    fn of(levels: &[Level]) -> Option<Elimination> {
        let dims = levels.iter().filter(|l| !l.is_new).count();
        let mut out = Elimination { starts: Vec::new(), counters: Vec::new(), determined_by: Vec::new() };
        let mut symbols: Vec<usize> = Vec::new();
        for (at, level) in levels.iter().enumerate() {
            if level.is_new {
                let numerator = Affine::coordinate(dims + symbols.len());
                symbols.push(at);
                out.counters.push(Ratio { numerator, denominator: 1 });
                out.determined_by.push(Vec::new());
                continue;
            }
            let start = substitute(&level.start, &out.counters)?;
            let coordinate = Ratio { numerator: Affine::coordinate(out.starts.len()), denominator: 1 };
            let difference = coordinate.plus(-1, &start)?;
            let denominator = difference.denominator.checked_mul(level.step.max(1))?;
            out.starts.push(start);
            // A symbol and the counter it shifts are determined together.
            let mut by: Vec<bool> = (0..dims).map(|q| difference.numerator.coefficient(q) != 0).collect();
            for (s, &owner) in symbols.iter().enumerate() {
                if difference.numerator.coefficient(dims + s) != 0 {
                    by.iter_mut().zip(&out.determined_by[owner]).for_each(|(a, b)| *a |= b);
                }
            }
            for &owner in &symbols {
                if out.determined_by[owner].is_empty() {
                    out.determined_by[owner].clone_from(&by);
                }
            }
            out.counters.push(Ratio { numerator: difference.numerator, denominator });
            out.determined_by.push(by);
        }
        Some(out)
    }

    fn dims(&self) -> usize {
        self.starts.len()
    }
}

impl Piece {
    /// The domain in coordinates. `None` where a bound would need fractions, or new dimensions leave gaps.
    pub fn domain(&self) -> Option<Domain> {
        let merged;
        let levels = if self.levels.iter().any(|l| l.is_new) {
            merged = without_new_dimensions(&self.levels)?;
            &merged
        } else {
            &self.levels
        };
        let nest = Elimination::of(levels)?;
        let mut dimensions = Vec::new();
        for (level, start) in levels.iter().zip(&nest.starts) {
            let last = substitute(&level.count, &nest.counters)?;
            let last = last.plus(-1, &Ratio { numerator: Affine::constant(1), denominator: 1 })?;
            let upper = start.plus(level.step, &last)?.integral()?;
            dimensions.push(Bounds { lower: start.integral()?, upper, step: level.step });
        }
        Some(Domain { dimensions })
    }

    /// The label function of one output in coordinates. `None` where it would need fractions.
    pub fn label(&self, output: usize) -> Option<Label> {
        let label = self.labels.get(output)?;
        let nest = Elimination::of(&self.levels)?;
        let dims = nest.dims();
        let mut function = Ratio { numerator: Affine::constant(label.constant), denominator: 1 };
        // An unknown function of a counter is an unknown function of every coordinate the counter depends on.
        let mut unknown = vec![false; dims];
        for (at, c) in label.coefficients.iter().enumerate() {
            match c {
                Coefficient::Known(c) => function = function.plus(*c, &nest.counters[at])?,
                Coefficient::Unknown => mark(&mut unknown, &nest.determined_by[at]),
            }
        }
        // So is what depends on a new dimension.
        let symbols = self.levels.iter().enumerate().filter(|(_, l)| l.is_new);
        for (s, (at, _)) in symbols.enumerate() {
            if function.numerator.coefficient(dims + s) != 0 {
                mark(&mut unknown, &nest.determined_by[at]);
            }
        }
        let coefficient = |q: usize| if unknown[q] { 0 } else { function.numerator.coefficient(q) };
        // The constant is meaningless beside unknown coefficients; only the known ones must be integral.
        let constant = if unknown.contains(&true) { 0 } else { function.numerator.constant };
        let numerator = Affine { coefficients: (0..dims).map(coefficient).collect(), constant };
        let function = Ratio { numerator, denominator: function.denominator }.integral()?;
        let coefficients = (0..dims)
            .map(|q| match unknown[q] {
                true => Coefficient::Unknown,
                false => Coefficient::Known(function.coefficient(q)),
            })
            .collect();
        Some(Label { coefficients, constant: function.constant })
    }

    /// The piece with a coordinate for every level: coordinate `x = W·t + a` of a new dimension of counter t becomes `x / W`
    /// and `x mod W`, the constant part of the start being shared out between the two. Bounds, starts and labels are
    /// functions of the coordinates of all levels. `None` where they would need fractions.
    pub fn with_new_dimensions(&self) -> Option<Piece> {
        let mut piece = self.clone();
        for at in (0..self.levels.len()).filter(|&at| self.levels[at].is_new) {
            let own = at + self.levels[at..].iter().position(|l| !l.is_new)?;
            let width = piece.levels[own].start.coefficient(at);
            if width < 1 {
                return None;
            }
            let whole = piece.levels[own].start.constant.div_euclid(width);
            piece.levels[own].start.constant -= whole * width;
            piece.levels[own].start.coefficients[at] = 0;
            piece.levels[at].start.constant = whole;
            piece.levels[at].is_new = false;
        }
        Some(piece)
    }
}

fn mark(unknown: &mut [bool], by: &[bool]) {
    unknown.iter_mut().zip(by).for_each(|(a, b)| *a |= b);
}

/// The levels without new dimensions, where each one and its coordinate make one progression: the blocks follow each
/// other, or their lattices interleave without gaps.
fn without_new_dimensions(levels: &[Level]) -> Option<Vec<Level>> {
    let mut levels = levels.to_vec();
    // The innermost new dimension stands before a level with a coordinate.
    while let Some(at) = levels.iter().rposition(|l| l.is_new) {
        let (outer, inner) = (levels.get(at)?, levels.get(at + 1)?);
        let constant = |f: &Affine| f.coefficients.iter().all(|&c| c == 0).then_some(f.constant);
        let width = inner.start.coefficient(at);
        let (blocks, count) = (constant(&outer.count), constant(&inner.count));
        // How often the joint counter advances for one step of each.
        let (step, per_outer, per_inner, total) = match (blocks, count) {
            (_, Some(n)) if inner.step.checked_mul(n)? == width => {
                (inner.step, n, 1, Affine::constant(0).plus(n, &outer.count)?)
            }
            (Some(n), _) if width.checked_mul(n)? == inner.step && inner.count.coefficient(at) == 0 => {
                (width, 1, n, Affine::constant(0).plus(n, &inner.count)?)
            }
            _ => return None,
        };
        let mut start = inner.start.clone();
        remove(&mut start, at, 0);
        let mut joint = Level { start, count: total, step, is_new: false };
        remove(&mut joint.count, at, 0);
        for level in &mut levels[at + 2..] {
            for f in [&mut level.start, &mut level.count] {
                let (a, b) = (f.coefficient(at), f.coefficient(at + 1));
                // Both are one coefficient of the joint counter.
                let common = if per_outer == 1 { a } else { b };
                if common.checked_mul(per_outer)? != a || common.checked_mul(per_inner)? != b {
                    return None;
                }
                remove(f, at, common);
            }
        }
        levels.splice(at..at + 2, [joint]);
    }
    Some(levels)
}

/// Removes variable `at`; the next one gets a coefficient if it occurs.
fn remove(f: &mut Affine, at: usize, coefficient: i64) {
    if f.coefficients.len() > at {
        f.coefficients.remove(at);
        if let Some(next) = f.coefficients.get_mut(at) {
            *next = coefficient;
        }
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
