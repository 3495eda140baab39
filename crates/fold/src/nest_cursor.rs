//! The cursor of nests: the item that the only group of a level predicts next, run by run.
//!
//! Definition: a group of level q that took two or more items says what the next one is, point by point: its class and the
//! vector it expects. While the cursor is active, runs are compared with that item, and with those after it. What agrees is
//! counted; the group is told in [`Folder::settle`] of the items that are complete, and the levels inside get the points of
//! the one that is not as if each had come then.
//!
//! So a nest of short loops, every iteration of which is like the one before, costs a comparison per run, however its levels
//! open and close. A cursor that fails within its first item was set for nothing and has to put its points back; it is then
//! set less often.
//!
//! Limits: labels without ⊤, nests of two or more levels inside the group (one is the affair of `row_cursor`), [`DIMS`]
//! coordinates, [`LOOPS`] levels, [`OUTPUTS`] outputs.

use crate::class::{Kind, NO_CLASS};
use crate::cursor::OUTPUTS;
use crate::folder::Folder;

/// Most coordinates.
const DIMS: usize = 8;
/// Most levels inside the group, new dimensions included.
const LOOPS: usize = 12;
/// Attempts that are let pass after failures in a row, at most, as a power of two.
const LONGEST_WAIT: u32 = 8;

/// A level inside the group.
#[derive(Debug, Clone, Copy)]
struct Loop {
    /// Its coordinate; none for a new dimension.
    dim: Option<usize>,
    step: i64,
    /// Items of it are known to be single: how a second one would go on is not known.
    is_single: bool,
    /// Number of the item under way.
    at: i64,
}

/// What is left of a run.
#[derive(Debug, Default)]
struct Row {
    x: i64,
    step: i64,
    left: u64,
    label: [i64; OUTPUTS],
    advance: [i64; OUTPUTS],
}

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct NestCursor {
    is_active: bool,
    /// Level of the group.
    level: usize,
    /// Complete items that the group has not been told of.
    items: i64,
    /// Complete runs of the item under way, and points of the run under way.
    runs: u64,
    points: u64,
    loops: Vec<Loop>,
    /// Length of the vector of an item.
    width: usize,
    /// Per level the vector of what is under way, `[x, n, …, labels]`, each in a line of `width`.
    vectors: Vec<i64>,
    /// Per level what the vector of the level inside grows by, likewise.
    deltas: Vec<i64>,
    /// What the vector and the coordinate of the item grow by.
    growth: Vec<i64>,
    step: i64,
    coordinates: [i64; DIMS],
    row: Row,
    failed: u32,
    wait: u32,
}

/// What is known of the point that comes next. Where the item under way is complete, it may still belong to that.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Next<'a> {
    /// Nothing.
    Unknown,
    /// The point.
    Point(&'a [i64]),
    /// It lies in another iteration of this dimension, or further out.
    Beyond(usize),
}

impl NestCursor {
    /// About how many bytes are used.
    pub fn bytes(&self) -> usize {
        size_of::<NestCursor>()
            + self.loops.capacity() * size_of::<Loop>()
            + (self.vectors.capacity() + self.deltas.capacity() + self.growth.capacity()) * size_of::<i64>()
    }

    fn fail(&mut self) {
        self.failed = (self.failed + 1).min(LONGEST_WAIT);
        self.wait = (1 << self.failed) - 1;
    }

    /// Whether a run is what comes next; then it has been taken.
    #[inline]
    fn takes(&mut self, iv: &[i64], step: i64, count: u64, label: &[i64], advance: &[i64]) -> bool {
        let Some((x, outer)) = iv.split_last() else { return false };
        let row = &self.row;
        let is_next = count <= row.left
            && *x == row.x
            && outer.iter().zip(&self.coordinates).all(|(a, b)| a == b)
            && label.iter().zip(&row.label).all(|(a, b)| a == b)
            && (count == 1 || step == row.step && advance.iter().zip(&row.advance).all(|(a, b)| a == b));
        if is_next {
            self.go_on(count);
        }
        is_next
    }

    /// Goes on by points of the run under way.
    #[inline]
    fn go_on(&mut self, count: u64) {
        let row = &mut self.row;
        row.left -= count;
        if row.left == 0 {
            self.points = 0;
            self.runs += 1;
            self.next_run();
            return;
        }
        self.points += count;
        let count = count as i64;
        row.x = row.x.wrapping_add(row.step.wrapping_mul(count));
        let labels = row.label.iter_mut().zip(&row.advance);
        labels.for_each(|(label, by)| *label = label.wrapping_add(by.wrapping_mul(count)));
    }

    fn next_run(&mut self) {
        let width = self.width;
        for l in (0..self.loops.len() - 1).rev() {
            let own = &mut self.loops[l];
            own.at += 1;
            if own.at < self.vectors[l * width + 1] {
                if let Some(dim) = own.dim {
                    self.coordinates[dim] = self.coordinates[dim].wrapping_add(own.step);
                }
                let length = width - 2 * (l + 1);
                let inner = self.vectors[(l + 1) * width..][..length].iter_mut();
                inner.zip(&self.deltas[l * width..]).for_each(|(x, by)| *x = x.wrapping_add(*by));
                return self.begin(l + 1);
            }
        }
        self.items += 1;
        self.runs = 0;
        self.move_item(1);
    }

    /// Goes to the beginning of the item so many items on from the one under way.
    fn move_item(&mut self, by: i64) {
        let level = self.level;
        self.coordinates[level] = self.coordinates[level].wrapping_add(self.step.wrapping_mul(by));
        let vector = self.vectors.iter_mut().zip(&self.growth);
        vector.for_each(|(x, d)| *x = x.wrapping_add(d.wrapping_mul(by)));
        self.begin(0);
    }

    /// Goes to the first run of a level, whose vector is known. Where that is none, nothing comes next.
    fn begin(&mut self, from: usize) {
        let width = self.width;
        let innermost = self.loops.len() - 1;
        for l in from..=innermost {
            let line = l * width;
            let (x, count) = (self.vectors[line], self.vectors[line + 1]);
            let own = &mut self.loops[l];
            own.at = 0;
            if count < 1 || own.is_single != (count == 1) {
                self.row.left = 0;
                return;
            }
            if l < innermost {
                if let Some(dim) = own.dim {
                    self.coordinates[dim] = x;
                }
                self.vectors.copy_within(line + 2..line + width - 2 * l, line + width);
                continue;
            }
            (self.row.x, self.row.step, self.row.left) = (x, own.step, count as u64);
            let labels = line + 2..line + width - 2 * l;
            let outputs = labels.len();
            self.row.label[..outputs].copy_from_slice(&self.vectors[labels]);
            self.row.advance[..outputs].copy_from_slice(&self.deltas[line..line + outputs]);
        }
    }
}

impl Folder {
    /// Whether a cursor of nests predicts the run; then it has it.
    #[inline]
    pub(crate) fn takes_nested(
        &mut self,
        iv: &[i64],
        step: i64,
        count: u64,
        label: &[i64],
        advance: &[i64],
    ) -> bool {
        let Some(cursor) = self.nest.as_deref_mut().filter(|cursor| cursor.is_active) else { return false };
        let takes = cursor.takes(iv, step, count, label, advance);
        if takes {
            self.note(i64::try_from(count).unwrap_or(i64::MAX), label, advance);
        }
        takes
    }

    /// Sets the cursor where an item of level `q` begins with this run, if its only group predicts so; then it has the run.
    pub(crate) fn begins_nest(
        &mut self,
        q: usize,
        iv: &[i64],
        (step, count): (i64, i64),
        (label, advance): (&[i64], &[i64]),
    ) -> bool {
        let [group] = &self.levels[q][..] else { return false };
        let is_plain = group.count >= 2
            && group.kind == Kind::Coordinate
            && group.unknown == 0
            && group.class != NO_CLASS
            && group.next_x() == iv[q]
            && self.classes.at(group.class).inner != NO_CLASS;
        if !is_plain || self.is_telling || self.dims > DIMS || self.outputs > OUTPUTS {
            return false;
        }
        let cursor = self.nest.get_or_insert_default();
        if cursor.wait > 0 {
            cursor.wait -= 1;
            return false;
        }
        let width = group.expected.len();
        cursor.loops.clear();
        cursor.deltas.clear();
        let mut dim = q;
        for (l, class) in self.classes.chain(group.class).enumerate() {
            if class.kind == Kind::Box || class.unknown != 0 || l == LOOPS {
                return false;
            }
            let coordinate = (class.kind == Kind::Coordinate).then(|| {
                dim += 1;
                dim
            });
            let (step, is_single) = (class.step.unwrap_or(1), class.delta.is_none());
            cursor.loops.push(Loop { dim: coordinate, step, is_single, at: 0 });
            cursor.deltas.extend(class.delta.iter().flatten());
            cursor.deltas.resize((l + 1) * width, 0);
        }
        let is_innermost = cursor.loops.last().is_some_and(|innermost| innermost.dim == Some(self.dims - 1));
        if !is_innermost || width != 2 * cursor.loops.len() + self.outputs {
            return false;
        }
        cursor.vectors.clear();
        cursor.vectors.extend_from_slice(&group.expected);
        cursor.vectors.resize(cursor.loops.len() * width, 0);
        cursor.growth.clear();
        cursor.growth.extend_from_slice(&group.delta);
        cursor.coordinates[..=q].copy_from_slice(&iv[..=q]);
        (cursor.level, cursor.step, cursor.width) = (q, group.step, width);
        (cursor.items, cursor.runs, cursor.points) = (0, 0, 0);
        cursor.begin(0);
        cursor.is_active = cursor.takes(iv, step, count.unsigned_abs(), label, advance);
        if !cursor.is_active {
            cursor.fail();
        }
        cursor.is_active
    }

    /// Tells the levels what the cursor took; then there is none.
    pub(crate) fn settle_nest(&mut self, next: Next<'_>) {
        if self.nest.as_ref().is_some_and(|cursor| cursor.is_active)
            && let Some(mut cursor) = self.nest.take()
        {
            self.is_telling = true;
            self.tell_levels(&mut cursor, next);
            self.is_telling = false;
            self.nest = Some(cursor);
        }
    }

    fn tell_levels(&mut self, cursor: &mut NestCursor, next: Next<'_>) {
        cursor.is_active = false;
        let NestCursor { level, items, mut runs, points, .. } = *cursor;
        match items {
            0 => cursor.fail(),
            _ => cursor.failed = 0,
        }
        let is_between = runs == 0 && points == 0;
        // The next point may belong to the item that is complete.
        let last = cursor.coordinates[level].wrapping_sub(cursor.step);
        let goes_on = |next: &[i64]| next[level] == last && next[..level] == cursor.coordinates[..level];
        let may_go_on = match next {
            Next::Unknown => true,
            Next::Point(next) => goes_on(next),
            Next::Beyond(ended) => level < ended,
        };
        let is_open = is_between && items > 0 && may_go_on;
        let told = items - i64::from(is_open);
        let [group] = &mut self.levels[level][..] else { return };
        group.advance(told);
        self.outer[level] = group.last_x();
        if is_between && !is_open {
            return;
        }
        if is_open {
            runs = u64::MAX;
        }
        cursor.move_item(if is_open { -1 } else { 0 });
        (cursor.items, cursor.runs) = (0, 0);
        let inner = self.dims - 1;
        let mut iv = [0; DIMS];
        let advance = cursor.row.advance;
        while cursor.runs < runs && cursor.items == 0 || cursor.runs == runs && points > 0 {
            let NestCursor { coordinates, ref row, .. } = *cursor;
            iv[..inner].copy_from_slice(&coordinates[..inner]);
            iv[inner] = row.x;
            let is_partial = cursor.runs == runs;
            let count = if is_partial { points } else { row.left };
            let own = self.outputs;
            self.feed(&iv[..=inner], row.step, count as i64, &row.label[..own], &advance[..own]);
            if is_partial {
                return;
            }
            cursor.go_on(count);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Options;

    /// Small random numbers.
    struct Random(u64);

    impl Random {
        fn below(&mut self, n: u64) -> i64 {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            ((self.0 >> 11) % n) as i64
        }
    }

    /// A run of a stream: vector of its first point, number of points, label of the first and advance.
    type Run = (Vec<i64>, u64, Vec<i64>, Vec<i64>);

    /// A nest: per dimension its number of iterations and what that grows by with the iterations of the dimension around it.
    struct Nest {
        counts: Vec<(i64, i64)>,
        /// Per output its coefficients.
        labels: Vec<Vec<i64>>,
        /// Runs that are left out, come twice, or have another label, of a thousand each.
        odd: u64,
        /// Points come one by one.
        singly: bool,
        /// The innermost dimension is the program's `q / width` and `q % width`.
        width: i64,
    }

    impl Nest {
        fn random(random: &mut Random) -> Nest {
            let dims = 3 + random.below(3) as usize;
            let counts = (0..dims).map(|_| (1 + random.below(5), random.below(3) % 2)).collect();
            let outputs = random.below(3) as usize;
            let labels = (0..outputs).map(|_| (0..dims).map(|_| random.below(20) - 4).collect()).collect();
            let odd = [0, 0, 4, 20][random.below(4) as usize];
            Nest { counts, labels, odd, singly: random.below(2) == 0, width: 1 + random.below(4) / 3 }
        }

        fn runs(&self, random: &mut Random) -> Vec<Run> {
            let mut out = Vec::new();
            self.level(&mut Vec::new(), random, &mut out);
            out
        }

        fn level(&self, iv: &mut Vec<i64>, random: &mut Random, out: &mut Vec<Run>) {
            let q = iv.len();
            let (count, growth) = self.counts[q];
            let count = count + growth * iv.last().unwrap_or(&0);
            if q + 1 < self.counts.len() {
                for x in 0..count {
                    iv.push(x);
                    self.level(iv, random, out);
                    iv.pop();
                }
                return;
            }
            for row in 0..self.width {
                let at = |x: i64| -> Vec<i64> { iv.iter().copied().chain([x]).collect() };
                let label = |iv: &[i64]| -> Vec<i64> {
                    let of = |c: &Vec<i64>| iv.iter().zip(c).map(|(x, c)| x * c).sum::<i64>() + 1000 * row;
                    self.labels.iter().map(of).collect()
                };
                let advance: Vec<i64> = self.labels.iter().map(|c| c[q]).collect();
                let first = row * (count + 2);
                let oddity = if self.odd > 0 { random.below(1000) as u64 } else { 1000 };
                if oddity < self.odd {
                    continue;
                }
                let mut add = |x: i64, n: i64| {
                    let mut label = label(&at(x));
                    if oddity < 2 * self.odd {
                        label.iter_mut().for_each(|l| *l += 7);
                    }
                    out.push((at(x), n as u64, label, advance.clone()));
                };
                match self.singly {
                    true => (first..first + count).for_each(|x| add(x, 1)),
                    false => add(first, count),
                }
                if oddity < 3 * self.odd {
                    add(first + count, 1);
                }
            }
        }
    }

    /// Folding with the cursor gives what folding without it does, and the cursor takes its share.
    #[test]
    fn random_nests() {
        let (mut active, mut all) = (0, 0);
        for seed in 1..3000u64 {
            let random = &mut Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
            let nest = Nest::random(random);
            let (dims, outputs) = (nest.counts.len(), nest.labels.len());
            let runs = nest.runs(random);
            let options = [Options::for_dimensions(dims, seed % 3 == 0), Options::unlimited(false)]
                [(seed % 2) as usize];
            let mut with = Folder::new(dims, outputs, options);
            let mut without = Folder::new(dims, outputs, options);
            without.is_telling = true;
            for (iv, count, label, advance) in &runs {
                with.run(iv, *count, label, advance);
                without.run(iv, *count, label, advance);
                all += 1;
                active += u32::from(with.nest.as_ref().is_some_and(|nest| nest.is_active));
                if random.below(200) == 0 {
                    // What is known of a stream may be asked at any time.
                    let level = random.below(dims as u64) as usize;
                    let is_same = random.below(2) == 0;
                    assert_eq!(
                        with.can_repeat(level, is_same),
                        without.can_repeat(level, is_same),
                        "seed {seed}"
                    );
                }
            }
            let points: u64 = runs.iter().map(|run| run.1).sum();
            assert_eq!((with.points(), without.points()), (points, points), "seed {seed}: {runs:?}");
            assert_eq!(with.finish(), without.finish(), "seed {seed}: {runs:?}");
        }
        assert!(6 * active > all, "the cursor took {active} runs of {all}");
    }
}
