//! Which neighbouring nodes of a tree are iterations of one loop with a given coefficient, and how far their frames are
//! shifted.
//!
//! The [`Transitions`] of a level hold what all choices have in common: every step that is not plainly one coefficient,
//! with the shift that explains it. A [`Choice`] turns them into [`Loops`]. Which corner of a node explains a step, and
//! where loops end that touch, can be ambiguous; the verification of the nest decides.

use std::borrow::Cow;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::tree::{Coordinates, Corner, Loops, NO_CORNER, Tree, mode};
use crate::nest::MAX_DEPTH;

/// How to decide between shifts that explain one transition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Policy {
    /// Most corners agree, then the smallest.
    Agreement,
    /// First those that move loops with non-zero coefficients only.
    Moving,
    /// As agreement, but loops that do not move the address never shift.
    Still,
}

/// A step between nodes i and i+1 whose first integers are not one coefficient apart, and the shift if it is explained.
/// Most shifts are alike, and there are as many as loops inside.
type Transition = (u32, Option<Arc<Coordinates>>);

/// The steps between neighbouring nodes of a level as iterations of a loop with one coefficient.
pub struct Transitions {
    coefficient: i64,
    all: Vec<Transition>,
    /// Places among all of those that few corners agree on, with the shift that does without corners.
    infirm: Vec<Transition>,
}

impl Transitions {
    /// Whether a choice gives the same loops as the one that is strict where it is not, or without dictionary.
    pub fn repeats(&self, choice: Choice) -> bool {
        if self.infirm.is_empty() && !choice.strict {
            return true;
        }
        let explained = |list: &[Transition]| list.iter().all(|t| t.1.is_some());
        choice.dictionary
            && choice.convex == 0
            && explained(&self.all)
            && (!choice.strict || explained(&self.infirm))
    }

    fn chosen(&self, strict: bool) -> Cow<'_, [Transition]> {
        if !strict || self.infirm.is_empty() {
            return Cow::Borrowed(&self.all);
        }
        let mut chosen = self.all.clone();
        for (place, shift) in &self.infirm {
            chosen[*place as usize].1.clone_from(shift);
        }
        Cow::Owned(chosen)
    }
}

/// How transitions of one level are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Choice {
    /// Split long loops at the most frequent trip count: not, from the start, from the end.
    pub modal: u8,
    /// A transition that explains itself elsewhere is accepted where it does not.
    pub dictionary: bool,
    /// At least an eighth of the corners must agree.
    pub strict: bool,
    /// Shifts up to this size are accepted without any corner.
    pub window: i64,
    /// Up to this level, bounds of loops inside one loop must bend inwards only: tiles may touch at their tips.
    pub convex: u8,
}

impl Tree {
    /// The shift that explains the step from node i to i+1 of level m as one iteration of a loop with coefficient c, and
    /// whether enough corners agree on it for a strict choice.
    fn explain(
        &self,
        m: usize,
        i: usize,
        c: i64,
        policy: Policy,
        scratch: &mut Scratch,
    ) -> Option<(Coordinates, bool)> {
        let corners = 1usize << m;
        scratch.a.resize(corners, NO_CORNER);
        scratch.b.resize(corners, NO_CORNER);
        if scratch.node == Some(i) {
            std::mem::swap(&mut scratch.a, &mut scratch.b);
        } else {
            self.corners(m, i, &mut scratch.a);
        }
        self.corners(m, i + 1, &mut scratch.b);
        scratch.node = Some(i + 1);
        let shift_at = |k: usize| -> Coordinates {
            std::array::from_fn(|q| if q < m { scratch.a[k].at[q] - scratch.b[k].at[q] } else { 0 })
        };
        scratch.tried.clear();
        let mut best: Option<((bool, u32, i64), Coordinates)> = None;
        // The last corner first, then corners with few moved coordinates.
        let order = std::iter::once(corners - 1).chain((1..corners - 1).filter(|k| k.count_ones() == 1));
        let order = order.chain((1..corners - 1).filter(|k| k.count_ones() > 1));
        for k in order {
            if scratch.b[k].address.wrapping_sub(scratch.a[k].address) != c {
                continue;
            }
            let shift = shift_at(k);
            if scratch.tried.contains(&shift) {
                continue;
            }
            scratch.tried.push(shift);
            let agree = (0..corners).filter(|&k| shift_at(k) == shift).count() as u32;
            let size: i64 = shift[..m].iter().map(|x| x.abs()).sum();
            let moving =
                policy == Policy::Moving && (0..m).all(|q| shift[q] == 0 || self.coefficient(q + 1) != 0);
            let score = (moving, agree, -size);
            if best.is_none_or(|b| score > b.0) {
                best = Some((score, shift));
            }
        }
        best.map(|(score, mut shift)| {
            if policy == Policy::Still {
                for (q, s) in shift.iter_mut().enumerate().take(m) {
                    if self.coefficient(q + 1) == 0 {
                        *s = 0;
                    }
                }
            }
            (shift, (score.1 as usize) * 8 >= corners && (m == 1 || score.1 >= 2))
        })
    }

    /// The smallest shift of one loop, or of one and the innermost, that explains the step; at most `window` each.
    fn near(&self, m: usize, i: usize, c: i64, window: i64) -> Option<Coordinates> {
        if window == 0 {
            return None;
        }
        let rest = self.start(m, i + 1).wrapping_sub(self.start(m, i)).wrapping_sub(c);
        let mut best: Option<(i64, usize, i64, i64)> = None;
        let stride = self.coefficient(1);
        for q in 0..m {
            let c = self.coefficient(q + 1);
            if c == 0 {
                continue;
            }
            for inner in if q == 0 { 0..=0 } else { -window..=window } {
                let left = rest.wrapping_sub(stride.wrapping_mul(inner));
                if left % c != 0 {
                    continue;
                }
                let size = (left / c).saturating_abs();
                let candidate = (size.saturating_add(inner.abs()), q, left / c, inner);
                if size <= window && best.is_none_or(|b| candidate.0 < b.0) {
                    best = Some(candidate);
                }
            }
        }
        let (_, q, shift, inner) = best?;
        let mut out = [0; MAX_DEPTH];
        out[0] = inner;
        out[q] += shift;
        Some(out)
    }

    /// The steps between the nodes of level m for coefficient c, and the work done.
    pub fn transitions(&self, m: usize, c: i64, policy: Policy, window: i64) -> (Transitions, u64) {
        let n = self.count(m);
        let mut work = n as u64;
        let mut scratch = Scratch::default();
        let mut out = Transitions { coefficient: c, all: Vec::new(), infirm: Vec::new() };
        let mut alike = FxHashMap::default();
        let mut shared = |shift: Coordinates| -> Arc<Coordinates> {
            alike.entry(shift).or_insert_with(|| Arc::new(shift)).clone()
        };
        for i in 0..n.saturating_sub(1) {
            if self.start(m, i + 1).wrapping_sub(self.start(m, i)) == c {
                continue;
            }
            let found = if m == 1 {
                self.explain_rows(i, c, policy).map(|shift| (shift, true))
            } else {
                work += 2 << m;
                self.explain(m, i, c, policy, &mut scratch)
            };
            let shift = match found {
                Some((shift, firm)) => {
                    if !firm {
                        let near = self.near(m, i, c, window);
                        out.infirm.push((out.all.len() as u32, near.map(&mut shared)));
                    }
                    Some(shift)
                }
                None => self.near(m, i, c, window),
            };
            out.all.push((i as u32, shift.map(&mut shared)));
        }
        (out, work)
    }

    /// Groups the nodes of level m into the loops that a choice makes of the steps between them.
    pub fn grouped(&self, m: usize, transitions: &Transitions, choice: Choice) -> Loops {
        let mut odd = transitions.chosen(choice.strict);
        let explained = choice.dictionary.then(|| self.dictionary(m, &odd));
        if m <= usize::from(choice.convex) {
            self.break_at_kinks(m, odd.to_mut());
        }
        if let Some(explained) = explained {
            for (i, shift) in odd.to_mut().iter_mut().filter(|e| e.1.is_none()) {
                *shift = explained.get(&self.step(m, *i)).cloned();
            }
        }
        self.assemble(m, transitions.coefficient, &odd, choice.modal)
    }

    /// Groups the nodes of level m into loops with coefficient c. Returns the loops and the work done.
    pub fn group(&self, m: usize, c: i64, policy: Policy, choice: Choice) -> (Loops, u64) {
        let (transitions, work) = self.transitions(m, c, policy, choice.window);
        (self.grouped(m, &transitions, choice), work)
    }

    /// Advance of the first integer from node i of level m to the next.
    fn step(&self, m: usize, i: u32) -> i64 {
        self.start(m, i as usize + 1).wrapping_sub(self.start(m, i as usize))
    }

    /// Shifts by the advance of the first integer, where it is mostly explained.
    fn dictionary(&self, m: usize, odd: &[Transition]) -> FxHashMap<i64, Arc<Coordinates>> {
        let mut seen: FxHashMap<i64, (u32, u32, Option<&Arc<Coordinates>>)> = FxHashMap::default();
        for (i, shift) in odd {
            let entry = seen.entry(self.step(m, *i)).or_insert((0, 0, None));
            match shift {
                Some(shift) => {
                    if entry.0 == 0 {
                        entry.2 = Some(shift);
                    }
                    entry.0 += 1;
                }
                None => entry.1 += 1,
            }
        }
        seen.retain(|_, (explained, not, _)| *explained >= 2 && not <= explained);
        seen.into_iter().filter_map(|(step, (_, _, shift))| Some((step, shift?.clone()))).collect()
    }

    /// Ends loops where a bound of the loop inside bends outwards: maxima of lower and minima of upper bounds do not.
    fn break_at_kinks(&self, m: usize, odd: &mut Vec<Transition>) {
        let mut moved: Vec<Option<i64>> = vec![Some(0); self.count(m).saturating_sub(1)];
        for (i, shift) in odd.iter() {
            moved[*i as usize] = shift.as_ref().map(|s| s[m - 1]);
        }
        // Advance of both ends per transition.
        let slopes: Vec<Option<(i64, i64)>> = moved
            .iter()
            .enumerate()
            .map(|(i, low)| low.map(|low| (low, low + self.trips(m, i + 1) - self.trips(m, i))))
            .collect();
        let mut broken: Vec<u32> = Vec::new();
        let mut before: Option<(i64, i64)> = None;
        for (i, slope) in slopes.iter().enumerate() {
            let Some((low, high)) = *slope else {
                before = None;
                continue;
            };
            if before.is_some_and(|(l, h)| low < l || high > h) {
                // A single jump between two equal slopes is the end itself; else the end is where the bend shows.
                let jump = i >= 2 && slopes[i - 2] == *slope;
                broken.push(if jump { i - 1 } else { i } as u32);
                before = jump.then_some((low, high));
            } else {
                before = Some((low, high));
            }
        }
        for i in broken {
            match odd.binary_search_by_key(&i, |e| e.0) {
                Ok(place) => odd[place].1 = None,
                Err(place) => odd.insert(place, (i, None)),
            }
        }
    }

    /// [`Tree::explain`] for runs, where the last integer is the only other corner.
    fn explain_rows(&self, i: usize, c: i64, policy: Policy) -> Option<Coordinates> {
        let rows = &self.rows;
        let last = |i: usize| rows.last(i);
        if last(i + 1).wrapping_sub(last(i)) == c {
            let mut shift = [0; MAX_DEPTH];
            if policy != Policy::Still || rows.stride != 0 {
                shift[0] = rows.count(i) - rows.count(i + 1);
            }
            return Some(shift);
        }
        None
    }

    fn assemble(&self, m: usize, c: i64, odd: &[Transition], modal: u8) -> Loops {
        let n = self.count(m);
        let shifted = odd.iter().any(|e| e.1.as_ref().is_some_and(|s| s.iter().any(|&x| x != 0)));
        let mut first: Vec<u32> = vec![0];
        let mut shifts: Vec<i64> = Vec::new();
        if shifted {
            shifts.reserve(n * m);
            shifts.resize(m, 0);
            let mut current = [0; MAX_DEPTH];
            let mut next = odd.iter().peekable();
            for i in 0..n - 1 {
                if let Some((_, shift)) = next.next_if(|e| e.0 as usize == i) {
                    match shift {
                        Some(shift) => {
                            for q in 0..m {
                                current[q] += shift[q];
                            }
                        }
                        None => {
                            first.push(i as u32 + 1);
                            current = [0; MAX_DEPTH];
                        }
                    }
                }
                shifts.extend_from_slice(&current[..m]);
            }
        } else {
            first.extend(odd.iter().filter(|e| e.1.is_none()).map(|e| e.0 + 1));
        }
        if modal > 0 && first.len() > 4 {
            first = split_nodes(first, n as u32, modal == 2);
        }
        let start = first.iter().map(|&i| self.start(m, i as usize)).collect();
        first.push(n as u32);
        if shifted {
            for w in first.windows(2) {
                let (a, b) = (w[0] as usize, w[1] as usize);
                let origin: Vec<i64> = shifts[a * m..(a + 1) * m].to_vec();
                if origin.iter().any(|&x| x != 0) {
                    for child in a..b {
                        for q in 0..m {
                            shifts[child * m + q] -= origin[q];
                        }
                    }
                }
            }
        }
        Loops { coefficient: c, first, shifts, start }
    }

    /// Joins nodes i and i+1 of level m, one shift of one inner loop apart.
    pub fn joined(&self, m: usize, i: usize) -> Option<Loops> {
        let loops = &self.loops[m - 2];
        let k = m - 1;
        let (begin, end) = (loops.first[i + 1] as usize, loops.first[i + 2] as usize);
        let difference = self.start(k, begin).wrapping_sub(self.start(k, begin - 1));
        let rest = difference.wrapping_sub(loops.coefficient);
        let (shift, q) = if rest == 0 {
            (0, 0)
        } else {
            (0..k)
                .filter_map(|q| {
                    let c = self.coefficient(q + 1);
                    (c != 0 && rest % c == 0).then(|| (rest / c, q))
                })
                .min_by_key(|e| e.0.unsigned_abs())?
        };
        if shift.abs() > 64 {
            return None;
        }
        let mut shifts = loops.shifts.clone();
        if shifts.is_empty() {
            shifts = vec![0; self.count(k) * k];
        }
        let mut origin = shifts[(begin - 1) * k..begin * k].to_vec();
        origin[q] += shift;
        for child in begin..end {
            for x in 0..k {
                shifts[child * k + x] += origin[x];
            }
        }
        let mut first = loops.first.clone();
        first.remove(i + 1);
        let mut start = loops.start.clone();
        start.remove(i + 1);
        Some(Loops { coefficient: loops.coefficient, first, shifts, start })
    }
}

/// Splits nodes with more children than most at multiples of the most frequent number.
fn split_nodes(first: Vec<u32>, n: u32, from_end: bool) -> Vec<u32> {
    let ends = first.iter().skip(1).copied().chain([n]);
    let bounds: Vec<(u32, u32)> = first.iter().copied().zip(ends).collect();
    let Some((mode, times, longer, all)) = mode(bounds.iter().map(|(a, b)| i64::from(b - a))) else {
        return first;
    };
    if mode <= 1 || times * 10 < all * 4 || longer == 0 || longer * 3 > all {
        return first;
    }
    let mode = mode as u32;
    let mut out = Vec::with_capacity(first.len() + 16);
    for (mut a, b) in bounds {
        let odd = (b - a) % mode;
        if from_end && b - a > mode && odd > 0 {
            out.push(a);
            a += odd;
        }
        while a < b {
            out.push(a);
            a += mode;
        }
    }
    out
}

#[derive(Default)]
struct Scratch {
    a: Vec<Corner>,
    b: Vec<Corner>,
    tried: Vec<Coordinates>,
    /// The node whose corners are in `b`.
    node: Option<usize>,
}
