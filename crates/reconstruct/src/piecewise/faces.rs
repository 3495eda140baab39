//! Bounds of one loop, fitted to the executions seen.
//!
//! An upper bound is the minimum of faces `⌊(slopes·x + constant)/divisor⌋` over the counters x of the loops around it,
//! nearest first; a lower bound is minus such a minimum. Faces are supporting planes of the points: each is valid
//! everywhere and tight somewhere, found by a linear programme and made exact; a greedy cover keeps few of them.
//!
//! [`fit`] demands that every point lies on a face; [`fit_most`] tolerates a few per cent of wrong points, which is how
//! a mostly right grouping gets the bounds that put the rest right.

use rustc_hash::FxHashSet;

use super::lp;
use super::points::Point;

/// One plane.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Face {
    /// Slopes over the counters around, nearest first.
    pub slopes: Vec<i64>,
    /// Constant term.
    pub constant: i64,
    /// At least 1.
    pub divisor: i64,
}

impl Face {
    /// Value at a point, rounded down.
    #[inline]
    pub fn value(&self, x: &[i64]) -> i64 {
        let mut sum = self.constant;
        for (a, b) in self.slopes.iter().zip(x) {
            sum = sum.wrapping_add(a.wrapping_mul(*b));
        }
        if self.divisor == 1 { sum } else { sum.div_euclid(self.divisor) }
    }

    /// Preference between faces that explain the same points: simple ones.
    fn complexity(&self) -> i64 {
        (self.divisor - 1).saturating_mul(20)
            + self.slopes.iter().map(|a| a.saturating_abs().min(50)).sum::<i64>()
    }
}

/// Bounds of one loop.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bounds {
    /// Upper bounds.
    pub upper: Vec<Face>,
    /// Lower bounds, negated.
    pub lower: Vec<Face>,
}

impl Bounds {
    /// Last value of the counter.
    #[inline]
    pub fn high(&self, x: &[i64]) -> i64 {
        least(&self.upper, x)
    }

    /// First value of the counter.
    #[inline]
    pub fn low(&self, x: &[i64]) -> i64 {
        least(&self.lower, x).wrapping_neg()
    }
}

#[inline]
fn least(faces: &[Face], x: &[i64]) -> i64 {
    faces.iter().map(|f| f.value(x)).min().unwrap_or(i64::MAX)
}

/// Which bound is fitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Upper bounds.
    Upper,
    /// Lower bounds.
    Lower,
}

fn targets(points: &[Point], side: Side) -> Vec<i64> {
    points.iter().map(|p| if side == Side::Upper { p.high } else { p.low.saturating_neg() }).collect()
}

/// A deterministic sequence of choices.
struct Choices(u64);

impl Choices {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n.max(1)
    }
}

/// Points on a face that is being considered.
struct Candidate {
    face: Face,
    on: Vec<bool>,
}

/// The cover under construction.
struct Cover {
    pool: Vec<Candidate>,
    seen: FxHashSet<Face>,
    covered: Vec<bool>,
    left: usize,
}

impl Cover {
    fn new(points: usize) -> Cover {
        Cover { pool: Vec::new(), seen: FxHashSet::default(), covered: vec![false; points], left: points }
    }

    /// The n-th point that is on no face yet.
    fn uncovered(&self, n: usize) -> usize {
        self.covered.iter().enumerate().filter(|c| !c.1).nth(n).map_or(0, |c| c.0)
    }

    /// Adds a face; returns whether it holds a point that no other did.
    fn add(&mut self, face: Face, points: &[Point], y: &[i64]) -> bool {
        if !self.seen.insert(face.clone()) {
            return false;
        }
        let on: Vec<bool> = points.iter().zip(y).map(|(p, &v)| face.value(&p.outer) == v).collect();
        let before = self.left;
        for (covered, &on) in self.covered.iter_mut().zip(&on) {
            if on && !*covered {
                *covered = true;
                self.left -= 1;
            }
        }
        self.pool.push(Candidate { face, on });
        self.left < before
    }

    /// Faces in the order in which they hold most points not yet held; ends when at most `spare` points are left and
    /// the next face would hold hardly any.
    fn choose(&self, spare: Option<usize>) -> Vec<Face> {
        let mut held = vec![false; self.covered.len()];
        let mut left = held.len();
        let mut faces: Vec<Face> = Vec::new();
        loop {
            let mut best: Option<(i64, usize, usize)> = None;
            for (i, c) in self.pool.iter().enumerate() {
                let gain = c.on.iter().zip(&held).filter(|(on, held)| **on && !**held).count();
                if gain == 0 {
                    continue;
                }
                let score = gain as i64 * 1000 - c.face.complexity();
                if best.is_none_or(|b| score > b.0) {
                    best = Some((score, i, gain));
                }
            }
            let Some((_, i, gain)) = best else { break };
            if spare.is_some_and(|spare| left <= spare && gain <= 1 + spare / 8) {
                break;
            }
            left -= gain;
            for (held, &on) in held.iter_mut().zip(&self.pool[i].on) {
                *held |= on;
            }
            faces.push(self.pool[i].face.clone());
        }
        faces
    }
}

/// Points nearest to x0 among those accepted.
fn nearest(points: &[Point], x0: usize, k: usize, most: usize, accept: impl Fn(usize) -> bool) -> Vec<usize> {
    if most == 0 {
        return Vec::new();
    }
    let mut by_distance: Vec<(i64, usize)> = (0..points.len())
        .filter(|&i| i != x0 && accept(i))
        .map(|i| {
            let d = (0..k).map(|q| points[i].outer[q].saturating_sub(points[x0].outer[q]).saturating_abs());
            (d.fold(0, i64::saturating_add), i)
        })
        .collect();
    if by_distance.len() > most {
        by_distance.select_nth_unstable(most - 1);
        by_distance.truncate(most);
    }
    by_distance.sort_unstable();
    by_distance.into_iter().map(|e| e.1).collect()
}

/// Faces through all points: integral slopes first, then slopes with denominators up to `divisor`. `None` if some point
/// is on no face found.
pub fn fit(points: &[Point], k: usize, side: Side, divisor: i64, work: &mut u64) -> Option<Vec<Face>> {
    let y = targets(points, side);
    match fit_with(points, &y, k, 1, &[], None, work) {
        Ok(faces) => Some(faces),
        Err(Unfit::Denominator) if divisor > 1 => fit_with(points, &y, k, divisor, &[], None, work).ok(),
        Err(_) => None,
    }
}

/// What is known of a fit to all but the last points.
pub struct Earlier<'a> {
    /// Faces through the other points.
    pub faces: &'a [Face],
    /// How many points are new.
    pub fresh: usize,
    /// Slopes of an upper bound that clips at a constant address, tried first.
    pub clipping: &'a [i64],
}

/// As [`fit`], from an earlier fit; gives up sooner.
pub fn refit(
    points: &[Point],
    earlier: &Earlier<'_>,
    k: usize,
    side: Side,
    divisor: i64,
    work: &mut u64,
) -> Option<Vec<Face>> {
    let Earlier { faces: old, fresh, clipping } = *earlier;
    let y = targets(points, side);
    let turned = |s: &i64| if side == Side::Upper { *s } else { s.wrapping_neg() };
    let data: Vec<i64> = clipping.iter().map(turned).collect();
    let data = &data[..];
    for x0 in points.len().saturating_sub(fresh)..points.len() {
        if fresh - (points.len() - x0) >= CHECKED {
            break;
        }
        let chosen = lp::tight(points, &y, &[(x0, 1.0)], k, true, work);
        let chosen = chosen?;
        let face = lp::through(points, &y, &chosen, k);
        let face = face?;
        if face.value(&points[x0].outer) > y[x0] {
            return None;
        }
    }
    match fit_with(points, &y, k, 1, old, Some(data), work) {
        Ok(faces) => Some(faces),
        Err(Unfit::Denominator) if divisor > 1 => {
            fit_with(points, &y, k, divisor, old, Some(data), work).ok()
        }
        Err(_) => None,
    }
}

/// Why no faces were found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unfit {
    /// Some point is on no supporting plane at all.
    Never,
    /// Supporting planes were found, but not with so small a denominator.
    Denominator,
}

/// Planes tried without progress.
const PATIENCE: usize = 40;
/// The same where a fit is one of many tries.
const IMPATIENCE: usize = 6;
/// Planes tried without progress before simple ones are.
const SIMPLE: usize = 2;
/// Simple planes taken at a time.
const SIMPLEST: usize = 3;
/// Fresh points for which a supporting plane is looked for first of all.
const CHECKED: usize = 3;

fn fit_with(
    points: &[Point],
    y: &[i64],
    k: usize,
    divisor: i64,
    old: &[Face],
    data: Option<&[i64]>,
    work: &mut u64,
) -> Result<Vec<Face>, Unfit> {
    let one_of_many = data.is_some();
    let patience = if one_of_many { IMPATIENCE } else { PATIENCE };
    let mut cover = Cover::new(points.len());
    for face in old.iter().filter(|f| f.divisor <= divisor) {
        let mut face = face.clone();
        face.slopes.resize(k, 0);
        if points.iter().zip(y).all(|(p, &v)| face.value(&p.outer) >= v) {
            cover.add(face, points, y);
        }
    }
    let mut choices = Choices(12345);
    let mut stale = 0;
    while cover.left > 0 {
        if stale >= patience {
            return Err(Unfit::Denominator);
        }
        let x0 = cover.uncovered(choices.below(cover.left));
        if stale == 0
            && let Some(face) = data.and_then(|slopes| plane(points, y, x0, slopes))
            && cover.add(face, points, y)
        {
            *work += 4 * points.len() as u64;
            continue;
        }
        // Where a fit is one of many tries it is to fail soon: without neighbours an impossible point shows.
        let forced = stale == 5 || (stale == 1 && one_of_many);
        let neighbours = if forced { 0 } else { [0, 4, 16, 64][choices.below(4)] };
        let near = nearest(points, x0, k, neighbours, |i| !cover.covered[i] || stale > 20);
        *work += 2 * points.len() as u64;
        let mut weights = vec![(x0, 1.0)];
        weights.extend(near.into_iter().map(|i| (i, 0.05)));
        let chosen = lp::tight(points, y, &weights, k, one_of_many, work);
        let face = chosen.and_then(|chosen| lp::through(points, y, &chosen, k));
        if neighbours == 0
            && let Some(face) = &face
            && face.value(&points[x0].outer) > y[x0]
        {
            // The least supporting plane there is already too high.
            return Err(Unfit::Never);
        }
        let mut progress = false;
        if let Some(face) = face.filter(|f| f.divisor <= divisor) {
            progress = add_valid(&mut cover, face, points, y);
            *work += 4 * points.len() as u64;
        }
        if !progress && stale == SIMPLE && one_of_many {
            for face in simple_planes(points, y, k, x0, old) {
                progress |= cover.add(face, points, y);
            }
            *work += ((1 + old.len()) * k * points.len()) as u64;
        }
        stale = if progress { 0 } else { stale + 1 };
    }
    let mut faces = cover.choose(None);
    let mut i = 0;
    while i < faces.len() && faces.len() > 1 {
        let mut fewer = faces.clone();
        fewer.remove(i);
        if points.iter().zip(y).all(|(p, &v)| least(&fewer, &p.outer) == v) {
            faces = fewer;
        } else {
            i += 1;
        }
    }
    let right = points.iter().zip(y).all(|(p, &v)| least(&faces, &p.outer) == v);
    if right { Ok(faces) } else { Err(Unfit::Denominator) }
}

/// Integral planes through point x0 and beyond no point, simplest first: horizontal or parallel to an old face but for the
/// slope along one axis. Where few points are known, the facets that a linear programme finds have odd slopes.
fn simple_planes(points: &[Point], y: &[i64], k: usize, x0: usize, old: &[Face]) -> Vec<Face> {
    let flat = vec![0; k];
    let mut out: Vec<Face> = Vec::new();
    for base in std::iter::once(&flat).chain(old.iter().filter(|f| f.divisor == 1).map(|f| &f.slopes)) {
        for axis in 0..k {
            let mut slopes = base.clone();
            slopes.resize(k, 0);
            let Some(change) = least_turn(points, y, x0, &slopes, axis) else { continue };
            slopes[axis] = slopes[axis].wrapping_add(change);
            out.extend(plane(points, y, x0, &slopes));
        }
    }
    out.sort_by_key(Face::complexity);
    out.truncate(SIMPLEST);
    out
}

/// The integral plane through point x0 if it is beyond no point.
fn plane(points: &[Point], y: &[i64], x0: usize, slopes: &[i64]) -> Option<Face> {
    let face = Face { slopes: slopes.to_vec(), constant: 0, divisor: 1 };
    let constant = y[x0].wrapping_sub(face.value(&points[x0].outer));
    let face = Face { constant, ..face };
    points.iter().zip(y).all(|(p, &v)| face.value(&p.outer) >= v).then_some(face)
}

/// Least change of the slope along an axis with which the plane through point x0 is beyond no point.
fn least_turn(points: &[Point], y: &[i64], x0: usize, slopes: &[i64], axis: usize) -> Option<i64> {
    let origin = &points[x0].outer;
    let (mut low, mut high) = (i64::MIN, i64::MAX);
    for (p, &v) in points.iter().zip(y) {
        let rise = slopes
            .iter()
            .zip(p.outer.iter().zip(origin))
            .fold(0i64, |sum, (s, (x, o))| sum.wrapping_add(s.wrapping_mul(x.wrapping_sub(*o))));
        let needed = i128::from(v.wrapping_sub(y[x0])) - i128::from(rise);
        let along = i128::from(p.outer[axis]) - i128::from(origin[axis]);
        if along == 0 {
            if needed > 0 {
                return None;
            }
        } else if along > 0 {
            low = low.max(i64::try_from(-(-needed).div_euclid(along)).ok()?);
        } else {
            high = high.min(i64::try_from((-needed).div_euclid(-along)).ok()?);
        }
    }
    (low <= high).then(|| 0.clamp(low, high))
}

/// Adds the face, raised until it is valid at all points, and for divisors its variants that round differently.
fn add_valid(cover: &mut Cover, face: Face, points: &[Point], y: &[i64]) -> bool {
    let mut needed = i64::MIN;
    for (p, &v) in points.iter().zip(y) {
        let mut rest = v.wrapping_mul(face.divisor);
        for (a, x) in face.slopes.iter().zip(&p.outer) {
            rest = rest.wrapping_sub(a.wrapping_mul(*x));
        }
        needed = needed.max(rest);
    }
    let mut progress = cover.add(Face { constant: needed, ..face.clone() }, points, y);
    for extra in 1..face.divisor.min(12) {
        progress |= cover.add(Face { constant: needed.saturating_add(extra), ..face.clone() }, points, y);
    }
    progress
}

/// Faces that hold most points: at most one in `tolerance` may be beyond a face or on none. Also the number of points that the
/// faces get wrong.
pub fn fit_most(
    points: &[Point],
    k: usize,
    side: Side,
    tolerance: usize,
    work: &mut u64,
) -> (Vec<Face>, usize) {
    let y = targets(points, side);
    let n = points.len();
    let spare = (n / tolerance).max(1);
    let mut choices = Choices(777);
    let mut cover = Cover::new(n);
    for attempt in 0..160 {
        // What is fitted hardly at all by then is no loop.
        if cover.left <= spare / 2 || (attempt >= 24 && cover.left > n / 2) {
            break;
        }
        let x0 = cover.uncovered(choices.below(cover.left));
        let mut chosen = vec![x0];
        chosen.extend((0..[6, 12, 24, 40][attempt % 4]).map(|_| choices.below(n)));
        chosen.extend(nearest(points, x0, k, 12, |i| !cover.covered[i]));
        for _ in 0..12 {
            let sub: Vec<Point> = chosen.iter().map(|&i| points[i]).collect();
            let targets: Vec<i64> = chosen.iter().map(|&i| y[i]).collect();
            let mut weights = vec![(0, 1.0)];
            weights.extend((1..chosen.len().min(6)).map(|i| (chosen.len() - i, 0.05)));
            let Some(basis) = lp::tight(&sub, &targets, &weights, k, false, work) else { break };
            let Some(face) = lp::through(&sub, &targets, &basis, k).filter(|f| f.divisor <= 64) else {
                break;
            };
            *work += 2 * n as u64;
            let beyond: Vec<usize> = (0..n).filter(|&i| face.value(&points[i].outer) < y[i]).collect();
            if beyond.len() <= spare {
                cover.add(face, points, &y);
                break;
            }
            chosen.extend((0..4).map(|_| beyond[choices.below(beyond.len())]));
        }
    }
    let faces = cover.choose(Some(spare));
    let wrong = points.iter().zip(&y).filter(|(p, v)| least(&faces, &p.outer) != **v).count();
    (faces, wrong)
}
