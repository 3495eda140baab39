//! Runs and the loops that they are grouped into, bottom up.
//!
//! Level 1 nodes are the runs of the inner stride. A level m+1 node is a stretch of neighbouring level m nodes taken to be
//! the iterations of one loop with a coefficient c. Each node has a frame: coordinates of its inner loops counted from
//! its first access. Two neighbours i, i+1 belong to one loop if some corner (first or last child at every level) moves
//! by exactly c; the corner that moves so fixes the *shift*, the translation between the two frames. Bounds that move
//! with an outer counter, clipped and skewed tiles show up as shifts.
//!
//! Which corner is meant can be ambiguous: [`super::grouping`] has the ways that are tried.

use std::sync::Arc;

use rustc_hash::FxHashMap;

pub use super::rows::Rows;
use crate::nest::MAX_DEPTH;
use crate::run::Trace;

/// Coordinates indexed by level, innermost at 0.
pub type Coordinates = [i64; MAX_DEPTH];

impl Rows {
    /// Cuts a trace at every difference other than `stride`.
    pub fn cut(trace: &dyn Trace, stride: i64) -> Rows {
        let mut rows = Rows::new(stride);
        let (mut start, mut count) = (trace.first(), 1i64);
        trace.each(&mut |difference, times| {
            if difference == stride {
                count += times as i64;
                return;
            }
            for _ in 0..times {
                rows.push(start, count);
                start = start.wrapping_add(stride.wrapping_mul(count - 1)).wrapping_add(difference);
                count = 1;
            }
        });
        rows.push(start, count);
        rows
    }

    /// Splits runs of which a suffix is what the three runs after it, extrapolated backwards, ask for: there the step
    /// between two rows happened to equal the stride. `None` if there are none, or too many to be coincidences.
    pub fn split_coincidences(&self) -> Option<Rows> {
        let mut splits: Vec<(usize, i64)> = Vec::new();
        let mut four = [(0, 0); 4];
        for (end, run) in self.pairs().enumerate() {
            four = [four[1], four[2], four[3], run];
            let [first, second, third, fourth] = four;
            let (ds, dn) = (third.0 - second.0, third.1 - second.1);
            let (start, count) = (second.0 - ds, second.1 - dn);
            if end < 3 || count <= 0 || count >= first.1 || second.0 - first.0 == ds {
                continue;
            }
            if fourth.0 - third.0 != ds || fourth.1 - third.1 != dn {
                continue;
            }
            let kept = first.1 - count;
            if self.stride != 0 && first.0.wrapping_add(self.stride.wrapping_mul(kept)) == start {
                splits.push((end - 3, kept));
            }
        }
        if splits.is_empty() || splits.len() * 50 > self.len() + 50 {
            return None;
        }
        let mut rows = Rows::new(self.stride);
        let mut next = splits.into_iter().peekable();
        for (i, (start, count)) in self.pairs().enumerate() {
            match next.next_if(|x| x.0 == i) {
                Some((_, kept)) => {
                    rows.push(start, kept);
                    rows.push(start.wrapping_add(self.stride.wrapping_mul(kept)), count - kept);
                }
                None => rows.push(start, count),
            }
        }
        Some(rows)
    }

    /// Splits every run at multiples of the most frequent length, if longer runs look like joined ones.
    pub fn split_at_mode(&self, from_end: bool) -> Option<Rows> {
        let (mode, times, longer, all) = mode(self.pairs().map(|run| run.1))?;
        if mode <= 1 || times * 10 < all * 5 || longer == 0 || longer * 4 > all {
            return None;
        }
        let total: i64 = self.pairs().map(|run| run.1).sum();
        if total / mode > 4 * self.len() as i64 {
            return None;
        }
        let mut rows = Rows::new(self.stride);
        for (mut start, mut count) in self.pairs() {
            let odd = count % mode;
            if from_end && count > mode && odd > 0 {
                rows.push(start, odd);
                start = start.wrapping_add(self.stride.wrapping_mul(odd));
                count -= odd;
            }
            while count > mode {
                rows.push(start, mode);
                start = start.wrapping_add(self.stride.wrapping_mul(mode));
                count -= mode;
            }
            rows.push(start, count);
        }
        Some(rows)
    }
}

/// The most frequent length, how often it occurs, how many are longer, how many there are.
pub fn mode(lengths: impl Iterator<Item = i64>) -> Option<(i64, usize, usize, usize)> {
    let mut counts: FxHashMap<i64, usize> = FxHashMap::default();
    let mut all = 0;
    for length in lengths {
        all += 1;
        *counts.entry(length).or_default() += 1;
    }
    let (&mode, &times) = counts.iter().max_by_key(|(length, times)| (**times, **length))?;
    let longer = counts.iter().filter(|(length, _)| **length > mode).map(|(_, times)| times).sum();
    Some((mode, times, longer, all))
}

/// Values by how often they repeat: `(value, repetitions of neighbours, occurrences)`, best first.
pub fn principal(values: impl Iterator<Item = i64>) -> Vec<(i64, u64, u64)> {
    let mut counts: FxHashMap<i64, (u64, u64)> = FxHashMap::default();
    let mut current: Option<(i64, u64)> = None;
    let mut add = |value: i64, times: u64| {
        let entry = counts.entry(value).or_default();
        entry.0 += times - 1;
        entry.1 += times;
    };
    for value in values {
        match &mut current {
            Some((v, times)) if *v == value => *times += 1,
            other => {
                if let Some((v, times)) = *other {
                    add(v, times);
                }
                *other = Some((value, 1));
            }
        }
    }
    if let Some((v, times)) = current {
        add(v, times);
    }
    let mut out: Vec<(i64, u64, u64)> = counts.into_iter().map(|(v, (a, b))| (v, a, b)).collect();
    out.sort_unstable_by_key(|e| (std::cmp::Reverse((e.1, e.2)), e.0.unsigned_abs(), e.0));
    out
}

/// One level of loops above the runs.
#[derive(Debug, Clone)]
pub struct Loops {
    /// Advance of the address per iteration.
    pub coefficient: i64,
    /// Index of the first child per node, and one more entry at the end.
    pub first: Vec<u32>,
    /// Shift of each child in the frame of its node, `level − 1` entries per child; empty if all are 0.
    pub shifts: Vec<i64>,
    /// First integer per node.
    pub start: Vec<i64>,
}

/// Runs and the loops found above them so far.
#[derive(Debug, Clone)]
pub struct Tree {
    /// Level 1.
    pub rows: Arc<Rows>,
    /// Levels 2, 3, ….
    pub loops: Vec<Arc<Loops>>,
}

/// A corner of a node.
#[derive(Debug, Clone, Copy)]
pub struct Corner {
    /// Its integer.
    pub address: i64,
    /// Its coordinates in the frame of the node.
    pub at: Coordinates,
}

/// A corner to be overwritten.
pub const NO_CORNER: Corner = Corner { address: 0, at: [0; MAX_DEPTH] };

impl Tree {
    /// A tree of bare runs.
    pub fn new(rows: Arc<Rows>) -> Tree {
        Tree { rows, loops: Vec::new() }
    }

    /// Number of levels.
    pub fn height(&self) -> usize {
        self.loops.len() + 1
    }

    /// Number of nodes of a level.
    pub fn count(&self, m: usize) -> usize {
        if m == 1 { self.rows.len() } else { self.loops[m - 2].start.len() }
    }

    /// First integer of a node.
    pub fn start(&self, m: usize, i: usize) -> i64 {
        if m == 1 { self.rows.start(i) } else { self.loops[m - 2].start[i] }
    }

    /// Children of a node of level 2 or more.
    pub fn children(&self, m: usize, i: usize) -> (usize, usize) {
        let first = &self.loops[m - 2].first;
        (first[i] as usize, first[i + 1] as usize)
    }

    /// Trip count of a node's own loop.
    pub fn trips(&self, m: usize, i: usize) -> i64 {
        if m == 1 {
            self.rows.count(i)
        } else {
            let (a, b) = self.children(m, i);
            (b - a) as i64
        }
    }

    /// Shift of a child (a node of level m−1) in the frame of its node of level m.
    pub fn shift(&self, m: usize, child: usize, q: usize) -> i64 {
        let shifts = &self.loops[m - 2].shifts;
        if shifts.is_empty() { 0 } else { shifts[child * (m - 1) + q] }
    }

    /// Coefficient of a level.
    pub fn coefficient(&self, m: usize) -> i64 {
        if m == 1 { self.rows.stride } else { self.loops[m - 2].coefficient }
    }

    /// All 2^m corners of a node; bit q of the index says whether loop q+1 stands at its last iteration.
    pub fn corners(&self, m: usize, i: usize, out: &mut [Corner]) {
        if m == 1 {
            let (start, n) = self.rows.run(i);
            out[0] = Corner { address: start, ..NO_CORNER };
            out[1] =
                Corner { address: start.wrapping_add(self.rows.stride.wrapping_mul(n - 1)), ..NO_CORNER };
            out[1].at[0] = n - 1;
            return;
        }
        let (a, b) = self.children(m, i);
        let (low, high) = out.split_at_mut(1 << (m - 1));
        self.corners(m - 1, a, low);
        if b - a == 1 {
            high.copy_from_slice(low);
            return;
        }
        self.corners(m - 1, b - 1, high);
        let trips = (b - a - 1) as i64;
        let shifts: Coordinates =
            std::array::from_fn(|q| if q < m - 1 { self.shift(m, b - 1, q) } else { 0 });
        for corner in high {
            for (at, shift) in corner.at.iter_mut().zip(&shifts[..m - 1]) {
                *at += shift;
            }
            corner.at[m - 1] = trips;
        }
        // The first child's shift is 0 by definition of the frame.
    }

    /// Address of a node's last corner.
    fn last(&self, m: usize, i: usize) -> i64 {
        let mut node = i;
        for level in (2..=m).rev() {
            node = self.children(level, node).1 - 1;
        }
        self.rows.last(node)
    }

    /// Candidates for the coefficient of the loop above level m, best first: steps between first integers and, if
    /// `ends`, between last integers.
    pub fn candidates(&self, m: usize, ends: bool, most: usize) -> Vec<i64> {
        let n = self.count(m);
        let starts = principal((1..n).map(|i| self.start(m, i).wrapping_sub(self.start(m, i - 1))));
        let mut out: Vec<i64> = starts.iter().take(most).map(|e| e.0).collect();
        if ends {
            let ends = principal((1..n).map(|i| self.last(m, i).wrapping_sub(self.last(m, i - 1))));
            if let Some(best) = ends.first()
                && !out.contains(&best.0)
            {
                out.push(best.0);
            }
        }
        out
    }

    /// Nodes a to b of level m, as a tree of their own under one loop of the level above.
    pub fn slice(&self, m: usize, a: usize, b: usize) -> Tree {
        let coefficient = self.loops.get(m - 1).map_or(0, |l| l.coefficient);
        let mut shifts = Vec::new();
        if let Some(above) = self.loops.get(m - 1)
            && !above.shifts.is_empty()
        {
            for child in a..b {
                shifts.extend((0..m).map(|q| above.shifts[child * m + q] - above.shifts[a * m + q]));
            }
        }
        let root =
            Loops { coefficient, first: vec![0, (b - a) as u32], shifts, start: vec![self.start(m, a)] };
        let mut loops = vec![Arc::new(root)];
        let (mut low, mut high) = (a, b);
        for level in (2..=m).rev() {
            let l = &self.loops[level - 2];
            let origin = l.first[low];
            let first = l.first[low..=high].iter().map(|x| x - origin).collect();
            let (next_low, next_high) = (l.first[low] as usize, l.first[high] as usize);
            let width = level - 1;
            let shifts = match l.shifts.is_empty() {
                true => Vec::new(),
                false => l.shifts[next_low * width..next_high * width].to_vec(),
            };
            let start = l.start[low..high].to_vec();
            loops.push(Arc::new(Loops { coefficient: l.coefficient, first, shifts, start }));
            (low, high) = (next_low, next_high);
        }
        loops.reverse();
        let rows = self.rows.slice(low..high);
        Tree { rows: Arc::new(rows), loops }
    }
}
