//! Pieces of folds in the notation of isl.
//!
//! Constants of a piece are numbers, or a parameter plus a small number: isl's scheduler is 10 to 40 times faster on
//! bounds that are parameters.

use std::fmt::Display;

use fold::{Folded, Piece};
use poly::Affine;

/// Constants from this size on become parameters.
const LARGE: i64 = 32;
/// Constants that differ by no more share a parameter.
const NEAR: i64 = 8;
/// More parameters than this cost more than they save.
const MOST: usize = 8;

/// Large constants that have names `n0`, `n1`, …, ascending.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Parameters {
    values: Vec<i64>,
    /// So many outermost coordinates are the same in all instances: `r0`, `r1`, ….
    fixed: usize,
}

impl Parameters {
    /// All constants are numbers.
    pub const NONE: Parameters = Parameters { values: Vec::new(), fixed: 0 };

    /// Parameters for the large ones among some constants; none if there would be too many.
    pub fn of(constants: impl Iterator<Item = i64>) -> Parameters {
        let mut large: Vec<i64> = constants.filter_map(i64::checked_abs).filter(|c| *c >= LARGE).collect();
        large.sort_unstable();
        let mut values: Vec<i64> = Vec::new();
        for constant in large {
            if values.last().is_none_or(|base| constant - base > NEAR) {
                values.push(constant);
            }
        }
        if values.len() > MOST { Parameters::NONE } else { Parameters { values, fixed: 0 } }
    }

    /// The same, with so many outermost coordinates that all instances share.
    pub fn fixing(self, fixed: usize) -> Parameters {
        Parameters { fixed, ..self }
    }

    /// That the outermost coordinates are those that all instances share.
    pub fn fixed(&self) -> impl Iterator<Item = String> {
        (0..self.fixed).map(|q| format!("i{q} = r{q}"))
    }

    /// Their declaration, to stand before a set or map.
    pub fn declaration(&self) -> String {
        let all = self.names();
        if all.is_empty() { String::new() } else { format!("[{}] -> ", all.join(", ")) }
    }

    /// What is known of them, as a set.
    pub fn context(&self) -> String {
        let lowest = |k: usize| match k.checked_sub(1) {
            None => format!("n0 >= {LARGE}"),
            Some(before) => format!("n{k} > n{before} + {NEAR}"),
        };
        match self.values.len() {
            0 => String::new(),
            n => format!(
                "{}{{ : {} }}",
                self.declaration(),
                (0..n).map(lowest).collect::<Vec<_>>().join(" and ")
            ),
        }
    }

    /// The observed value of a parameter; of a coordinate that all instances share that of an iteration.
    pub fn value(&self, name: &str, iteration: &[i64]) -> Option<i64> {
        let fixed = name.strip_prefix('r').and_then(|at| at.parse::<usize>().ok());
        if let Some(at) = fixed.filter(|&at| at < self.fixed) {
            return iteration.get(at).copied();
        }
        let at: usize = name.strip_prefix('n')?.parse().ok()?;
        self.values.get(at).copied()
    }

    fn names(&self) -> Vec<String> {
        let mut all = names("n", self.values.len());
        all.extend(names("r", self.fixed));
        all
    }

    /// The parameter near a constant, and what is to be added to it.
    fn split(&self, constant: i64) -> Option<(usize, i64)> {
        let size = constant.checked_abs().filter(|c| *c >= LARGE)?;
        let at = self.values.partition_point(|value| *value <= size).checked_sub(1)?;
        let rest = size - self.values[at];
        (rest <= NEAR).then_some((at, if constant < 0 { -rest } else { rest }))
    }

    /// A function of the coordinates with these names.
    fn text(&self, function: &Affine, coordinates: &[String]) -> String {
        let Some((at, rest)) = self.split(function.constant) else {
            return function.display(coordinates).to_string();
        };
        let mut all = coordinates.to_vec();
        let mut coefficients = function.coefficients.clone();
        coefficients.resize(all.len(), 0);
        all.push(format!("n{at}"));
        coefficients.push(function.constant.signum());
        Affine { coefficients, constant: rest }.display(&all).to_string()
    }

    /// A constant.
    pub fn constant(&self, constant: i64) -> String {
        self.text(&Affine::constant(constant), &[])
    }
}

/// The function that an output of a piece is of its coordinates, if it is one.
pub fn function(piece: &Piece, output: usize) -> Option<Affine> {
    piece.label(output).and_then(|label| label.function())
}

/// All constants of a piece.
pub fn constants(piece: &Piece) -> impl Iterator<Item = i64> {
    let in_coordinates = piece.domain().filter(|_| piece.is_in_coordinates());
    let of_domain = in_coordinates
        .into_iter()
        .flat_map(|domain| domain.dimensions)
        .flat_map(|bounds| [bounds.lower.constant, bounds.upper.constant]);
    let of_levels = piece.levels.iter().flat_map(|level| [level.start.constant, level.count.constant]);
    let of_labels = (0..piece.labels.len()).filter_map(|o| Some(function(piece, o)?.constant));
    of_domain.chain(of_levels).chain(of_labels)
}

/// A conjunction over the coordinates, and over the counters of a piece where coordinates alone do not do.
#[derive(Debug, Clone)]
pub struct Condition {
    /// Number of counters; 0 where coordinates do.
    counters: usize,
    /// What holds together.
    pub parts: Vec<String>,
}

impl From<Vec<String>> for Condition {
    fn from(parts: Vec<String>) -> Condition {
        Condition { counters: 0, parts }
    }
}

impl Condition {
    /// The points of a piece.
    pub fn of(piece: &Piece, letter: &str, parameters: &Parameters) -> Condition {
        let x = names(letter, piece.dims());
        if let Some(domain) = piece.domain().filter(|_| piece.is_in_coordinates()) {
            let mut parts = Vec::new();
            for (bounds, x_q) in domain.dimensions.iter().zip(&x) {
                let (lower, upper) = (parameters.text(&bounds.lower, &x), parameters.text(&bounds.upper, &x));
                parts.push(format!("{lower} <= {x_q} <= {upper}"));
                if bounds.step > 1 {
                    parts.push(format!("({x_q} - ({lower})) mod {} = 0", bounds.step));
                }
            }
            return Condition { counters: 0, parts };
        }
        let t = names("t", piece.levels.len());
        let mut parts = Vec::new();
        let mut coordinates = x.iter();
        for (level, t_q) in piece.levels.iter().zip(&t) {
            // A new dimension has a counter alone.
            if !level.is_new
                && let Some(x_q) = coordinates.next()
            {
                parts.push(format!("{x_q} = {} + {}{t_q}", parameters.text(&level.start, &t), level.step));
            }
            parts.push(format!("0 <= {t_q} < {}", parameters.text(&level.count, &t)));
        }
        Condition { counters: piece.levels.len(), parts }
    }

    /// Adds that `name` is one of `width` integers from an output of the piece on; false if the output is not affine.
    pub fn output(
        &mut self,
        piece: &Piece,
        output: usize,
        name: &str,
        width: i64,
        parameters: &Parameters,
    ) -> bool {
        // A function of the coordinates where there is one; else of the counters, if they are at hand.
        let in_coordinates = function(piece, output);
        let in_counters =
            || piece.labels.get(output).filter(|_| self.counters > 0).and_then(|l| l.function());
        let (first, names) = match in_coordinates {
            Some(f) => (f, names("i", piece.dims())),
            None => match in_counters() {
                Some(f) => (f, names("t", self.counters)),
                None => return false,
            },
        };
        let first = parameters.text(&first, &names);
        self.parts.push(match width {
            1 => format!("{name} = {first}"),
            _ => format!("{first} <= {name} < {first} + {width}"),
        });
        true
    }

    /// Its parts, if they are about coordinates alone.
    pub fn conjuncts(self) -> Option<Vec<String>> {
        (self.counters == 0).then_some(self.parts)
    }

    /// The conjunction.
    pub fn text(&self) -> String {
        let all = if self.parts.is_empty() { "true".to_owned() } else { self.parts.join(" and ") };
        match self.counters {
            0 => all,
            n => format!("exists ({} : {all})", names("t", n).join(", ")),
        }
    }
}

/// All pieces of some folds.
pub fn pieces(folds: &[Folded]) -> impl Iterator<Item = &Piece> {
    folds.iter().flat_map(|folded| &folded.pieces)
}

/// That the difference of two iterations in dimension q, sink − source, lies between two bounds.
pub fn distance(q: usize, low: impl Display, high: impl Display) -> String {
    format!("{low} <= i{q} - o{q} <= {high}")
}

/// A statement at an iteration: `S12[i0, i1]`.
pub fn tuple(statement: u32, letter: &str, dims: usize) -> String {
    format!("S{statement}[{}]", names(letter, dims).join(", "))
}

/// Names `i0`, `i1`, ….
pub fn names(letter: &str, count: usize) -> Vec<String> {
    (0..count).map(|q| format!("{letter}{q}")).collect()
}
