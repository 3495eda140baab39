//! Where two streams of addresses meet: between which iterations the same bytes are accessed.
//!
//! Definition: for pieces a and b with byte addresses as labels, [`meet`] encloses the differences y − x, per coordinate,
//! of all points x of a and y of b that agree in the coordinates before `level`, differ in coordinate `level` by a given
//! range, and access a byte in common.
//!
//! An address `Σ cᵢ·tᵢ` is taken apart into digits first: where the smaller terms together span less than a larger
//! coefficient, an equation of addresses is one equation per digit. Without that, rational bounds would let rows of an
//! array run into each other.
//!
//! Invariant: every such pair lies in the result; the result may be wider, and never is [`Meeting::Never`] wrongly.

use std::collections::HashMap;

use poly::Affine;
use poly::system::{System, TooLarge};

use crate::piece::{Coefficient, Level, Piece};

/// Values of one digit that are looked at one by one.
const MOST_VALUES: i64 = 4;
/// Combinations of digits.
const MOST_WAYS: usize = 32;

/// Accesses of one piece of a stream.
#[derive(Debug, Clone, Copy)]
pub struct Accesses<'a> {
    /// Points and addresses (label 0).
    pub piece: &'a Piece,
    /// Bytes from each address.
    pub size: u32,
}

/// Which pairs are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Pairs {
    /// Number of leading coordinates both share.
    pub common: usize,
    /// Coordinates before it agree; `common` if all do.
    pub level: usize,
    /// Range of the difference of coordinate `level`, if there is one.
    pub at_level: (i64, i64),
}

/// See the module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Meeting {
    /// No such pair.
    Never,
    /// All pairs have differences in these ranges, one per shared coordinate.
    Within(Vec<(i64, i64)>),
    /// Nothing is known: labels are not affine, or numbers too large.
    Unknown,
}

/// Numbers of shapes. Two pieces have one shape if they are equal but for the constant term of their addresses; where two
/// pieces meet depends on their shapes and on the difference of those terms.
#[derive(Debug, Default)]
pub struct Shapes<'a> {
    numbers: HashMap<(bool, &'a [Level], &'a [Coefficient]), u32>,
}

impl<'a> Shapes<'a> {
    /// The number of a piece's shape.
    pub fn of(&mut self, piece: &'a Piece) -> u32 {
        let coefficients = piece.labels.first().map_or(&[][..], |label| &label.coefficients);
        let next = self.numbers.len() as u32;
        *self.numbers.entry((piece.over_approximated, &piece.levels, coefficients)).or_insert(next)
    }
}

/// See the module.
pub fn meet(a: Accesses<'_>, b: Accesses<'_>, pairs: Pairs) -> Meeting {
    distances(a, b, pairs).map_or(Meeting::Unknown, |found| found.map_or(Meeting::Never, Meeting::Within))
}

type Ranges = Vec<(i64, i64)>;

fn distances(a: Accesses<'_>, b: Accesses<'_>, pairs: Pairs) -> Result<Option<Ranges>, TooLarge> {
    let Pairs { common, level, at_level } = pairs;
    let is_too_wide = |piece: &Piece| {
        piece.over_approximated || piece.levels.iter().filter(|level| !level.is_new).count() < common
    };
    if is_too_wide(a.piece) || is_too_wide(b.piece) {
        return Err(TooLarge);
    }
    // Addresses alone first: most pairs that are asked for have no byte in common, whatever their iterations.
    let (of_a, of_b) = (Reach::of(a.piece)?, Reach::of(b.piece)?);
    let hull: Vec<i64> = of_a.last.iter().chain(&of_b.last).copied().collect();
    let apart = of_a.address.plus(-1, &shifted(&of_b.address, of_a.last.len())).ok_or(TooLarge)?;
    // [x, x + a) and [y, y + b) have a byte in common.
    let bounds = (1 - i64::from(a.size.max(1)), i64::from(b.size.max(1)) - 1);
    let mut ways = Vec::new();
    digits(&apart, bounds, &hull, &mut Vec::new(), &mut ways)?;
    if ways.is_empty() {
        return Ok(None);
    }
    let (x, y) = (Counted::new(a.piece, 0)?, Counted::new(b.piece, a.piece.levels.len())?);
    let difference = |q: usize| y.coordinates[q].plus(-1, &x.coordinates[q]).ok_or(TooLarge);
    let mut system = System::default();
    x.bound(&mut system)?;
    y.bound(&mut system)?;
    for q in 0..level.min(common) {
        system.equal(difference(q)?);
    }
    if level < common {
        let above = difference(level)?.plus(-at_level.0, &Affine::constant(1)).ok_or(TooLarge)?;
        let below = Affine::constant(at_level.1).plus(-1, &difference(level)?).ok_or(TooLarge)?;
        system.at_least_zero(above);
        system.at_least_zero(below);
    }
    let mut out: Option<Ranges> = None;
    for way in ways {
        let mut system = system.clone();
        way.equalities.into_iter().for_each(|digit| system.equal(digit));
        if let Some(rest) = way.rest {
            system.at_least_zero(rest.plus(-bounds.0, &Affine::constant(1)).ok_or(TooLarge)?);
            system.at_least_zero(Affine::constant(bounds.1).plus(-1, &rest).ok_or(TooLarge)?);
        }
        let equal = level.min(common);
        let Some(ranges) = ranges(&system, hull.len(), equal, (equal..common).map(difference))? else {
            continue;
        };
        match &mut out {
            None => out = Some(ranges),
            Some(all) => {
                for (all, one) in all.iter_mut().zip(ranges) {
                    *all = (all.0.min(one.0), all.1.max(one.1));
                }
            }
        }
    }
    // Boxes are tighter where the system has no bound.
    let (in_a, in_b) = (a.piece.extent(), b.piece.extent());
    for (range, (x, y)) in out.iter_mut().flatten().zip(in_a.iter().zip(&in_b)) {
        *range = (range.0.max(y.0.saturating_sub(x.1)), range.1.min(y.1.saturating_sub(x.0)));
    }
    Ok(out)
}

/// Ranges of some functions that are 0 and of some others over the solutions of a system; `None` without solutions.
fn ranges(
    system: &System,
    variables: usize,
    zeros: usize,
    functions: impl ExactSizeIterator<Item = Result<Affine, TooLarge>>,
) -> Result<Option<Ranges>, TooLarge> {
    // The range of any function says whether there are solutions.
    if functions.len() == 0 && system.range(variables, &Affine::constant(0))?.is_none() {
        return Ok(None);
    }
    let mut out = vec![(0, 0); zeros];
    for function in functions {
        match system.range(variables, &function?)? {
            Some((low, high)) => out.push((low.unwrap_or(i64::MIN), high.unwrap_or(i64::MAX))),
            None => return Ok(None),
        }
    }
    Ok(Some(out))
}

/// A function of other variables: those from `first` on.
fn shifted(f: &Affine, first: usize) -> Affine {
    let coefficients = std::iter::repeat_n(0, first).chain(f.coefficients.iter().copied()).collect();
    Affine { coefficients, constant: f.constant }
}

/// The addresses of a piece.
struct Reach {
    /// A function of the piece's counters.
    address: Affine,
    /// The largest value of each counter, at most.
    last: Vec<i64>,
}

impl Reach {
    fn of(piece: &Piece) -> Result<Reach, TooLarge> {
        let address = piece.labels.first().and_then(|label| label.function()).ok_or(TooLarge)?;
        let mut last = Vec::with_capacity(piece.levels.len());
        for level in &piece.levels {
            let (_, most) = span(&level.count, &last)?;
            last.push(most.saturating_sub(1).max(0));
        }
        // Addresses that leave 64 bits wrap around, and are no function of the counters then.
        span(&address, &last)?;
        Ok(Reach { address, last })
    }
}

/// A piece over counters that are variables of a larger system.
struct Counted {
    counts: Vec<Affine>,
    coordinates: Vec<Affine>,
    first: usize,
}

impl Counted {
    fn new(piece: &Piece, first: usize) -> Result<Counted, TooLarge> {
        let mut coordinates = Vec::with_capacity(piece.levels.len());
        for (at, level) in piece.levels.iter().enumerate().filter(|(_, level)| !level.is_new) {
            let counter = Affine::coordinate(first + at);
            coordinates.push(shifted(&level.start, first).plus(level.step, &counter).ok_or(TooLarge)?);
        }
        let counts = piece.levels.iter().map(|level| shifted(&level.count, first)).collect();
        Ok(Counted { counts, coordinates, first })
    }

    /// The bounds of the counters.
    fn bound(&self, system: &mut System) -> Result<(), TooLarge> {
        for (at, count) in self.counts.iter().enumerate() {
            let counter = Affine::coordinate(self.first + at);
            let left = count.plus(-1, &counter).and_then(|f| f.plus(-1, &Affine::constant(1)));
            system.at_least_zero(left.ok_or(TooLarge)?);
            system.at_least_zero(counter);
        }
        Ok(())
    }
}

/// Smallest and largest value of a function over counters from 0 to `last`.
fn span(f: &Affine, last: &[i64]) -> Result<(i64, i64), TooLarge> {
    let (mut low, mut high) = (i128::from(f.constant), i128::from(f.constant));
    for (at, &c) in f.coefficients.iter().enumerate() {
        let end = i128::from(c) * i128::from(last.get(at).copied().unwrap_or(0));
        low += end.min(0);
        high += end.max(0);
    }
    Ok((i64::try_from(low).map_err(|_| TooLarge)?, i64::try_from(high).map_err(|_| TooLarge)?))
}

/// One way for a sum to lie within bounds.
struct Way {
    /// Functions that are 0.
    equalities: Vec<Affine>,
    /// What is left, to lie within the bounds.
    rest: Option<Affine>,
}

/// The ways in which `sum` lies within bounds, its larger coefficients taken as digits where that leaves few values.
fn digits(
    sum: &Affine,
    bounds: (i64, i64),
    hull: &[i64],
    before: &mut Vec<Affine>,
    out: &mut Vec<Way>,
) -> Result<(), TooLarge> {
    if out.len() >= MOST_WAYS {
        return Err(TooLarge);
    }
    let mut bases: Vec<i64> =
        sum.coefficients.iter().map(|c| c.saturating_abs()).filter(|&c| c > 0).collect();
    bases.sort_unstable_by(|a, b| b.cmp(a));
    bases.dedup();
    if bases.is_empty() {
        if (bounds.0..=bounds.1).contains(&sum.constant) {
            out.push(Way { equalities: before.clone(), rest: None });
        }
        return Ok(());
    }
    for base in bases {
        // sum = base · digit + rest, with the smallest rest.
        let digit = |c: &i64| (c.saturating_add(base / 2)).div_euclid(base);
        let digit = Affine { coefficients: sum.coefficients.iter().map(digit).collect(), constant: 0 };
        let rest = sum.plus(-base, &digit).ok_or(TooLarge)?;
        let ((least, most), (low, high)) = (span(&rest, hull)?, span(&digit, hull)?);
        let at_least = -(most.checked_sub(bounds.0).ok_or(TooLarge)?).div_euclid(base);
        let at_most = bounds.1.checked_sub(least).ok_or(TooLarge)?.div_euclid(base);
        let values = low.max(at_least)..=high.min(at_most);
        if values.end().saturating_sub(*values.start()) >= MOST_VALUES {
            continue;
        }
        for value in values {
            let is_value = digit.plus(-value, &Affine::constant(1)).ok_or(TooLarge)?;
            let constant = value.checked_mul(base).ok_or(TooLarge)?;
            let rest = rest.plus(constant, &Affine::constant(1)).ok_or(TooLarge)?;
            before.push(is_value);
            digits(&rest, bounds, hull, before, out)?;
            before.pop();
        }
        return Ok(());
    }
    out.push(Way { equalities: before.clone(), rest: Some(sum.clone()) });
    Ok(())
}
