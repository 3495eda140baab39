//! Vectors and words of the executions of a path.
//!
//! Definition: the stream of `(iteration vector, word of every column)` in order of execution. The first [`KEPT`] single
//! executions are kept as they came; one more, or a run of many, folds them and everything after. Once they are given up,
//! a box that holds their vectors and a range of each word is all that is kept.
//!
//! Invariant: the result is that of folders that had seen every execution when it happened. Most paths of irregular
//! programs are executed once or a few times; a folder takes a hundred times what an execution does.

use std::sync::Arc;

use fold::{Folded, Folder, Gauge};
use shadow::Iv;

use crate::blocks::Stretch;
use crate::folding::Folding;

/// Most executions kept as they came.
const KEPT: u32 = 8;

/// The executions of one path.
#[derive(Debug)]
pub struct Executions {
    folding: Arc<Folding>,
    dims: u8,
    /// How many streams of the program's own are told by the domain alone, then by each column.
    streams: Box<[u32]>,
    /// Counts what is kept as one piece of each of those.
    gauge: Option<Gauge>,
    /// Number of executions in `kept`.
    count: u32,
    /// Per execution the coordinates, then the words.
    kept: Vec<i64>,
    folders: Option<Box<Folders>>,
    /// What is kept since they were given up.
    bounds: Option<Box<Bounds>>,
    /// What was left when the executions were handed on.
    left: Option<Box<(Folded, Vec<Folded>)>>,
}

/// Executions handed on: vectors in increasing order, and per column the words, if they are known.
pub struct HandedOn {
    /// The vectors.
    pub vectors: Vec<Vec<i64>>,
    /// Per column, the words in the order of the vectors.
    pub columns: Vec<Option<Vec<i64>>>,
}

/// What is kept of executions that were given up.
#[derive(Debug)]
struct Bounds {
    points: u64,
    /// Smallest and largest value per coordinate.
    extent: Vec<(i64, i64)>,
    /// Smallest and largest word per column.
    words: Vec<(i64, i64)>,
    /// Most intermediate pieces of the domain and of each column.
    most_alive: Vec<usize>,
}

/// The range that no value is in.
const EMPTY: (i64, i64) = (i64::MAX, i64::MIN);

fn include(range: &mut (i64, i64), other: (i64, i64)) {
    *range = (range.0.min(other.0), range.1.max(other.1));
}

/// The folders of one path.
#[derive(Debug)]
pub struct Folders {
    /// Iteration domain.
    pub domain: Folder,
    /// Per column: the word as a function of the vector.
    pub words: Vec<Folder>,
}

impl Executions {
    /// No execution yet of a path with vectors of `dims` coordinates. `streams` counts for the domain alone, then for
    /// each word of interest, the statements and accesses of the program's own that it tells.
    pub fn new(folding: &Arc<Folding>, dims: u8, streams: Box<[u32]>) -> Executions {
        Executions {
            folding: Arc::clone(folding),
            dims,
            streams,
            gauge: None,
            count: 0,
            kept: Vec::new(),
            folders: None,
            bounds: None,
            left: None,
        }
    }

    fn columns(&self) -> usize {
        self.streams.len().saturating_sub(1)
    }

    /// Adds one execution: `words` are all of it, `columns` the positions of those of interest.
    pub fn one(&mut self, iv: &Iv, columns: &[u16], words: &[u64]) {
        let iv = &iv.0[..usize::from(self.dims)];
        let labels = columns.iter().map(|&c| words[usize::from(c)] as i64);
        if self.folders.is_none() && self.count < KEPT {
            self.kept.reserve_exact(iv.len() + columns.len());
            self.kept.extend_from_slice(iv);
            self.kept.extend(labels);
            self.count += 1;
            if self.count == 1 {
                self.gauge = self.folding.instructions.gauge(self.streams.iter().sum());
                self.gauge.iter_mut().for_each(|gauge| gauge.show(1));
            }
            return;
        }
        self.folders().add(iv, labels);
    }

    /// Adds the executions of a path that comes once in every row of a block: `columns` are the positions of the words of
    /// interest.
    pub fn rows(&mut self, stretch: &Stretch, (dim, rows): (usize, u64), columns: &[u16]) {
        if self.folders.is_none() && stretch.count == 1 && u64::from(self.count) + rows <= u64::from(KEPT) {
            for row in 0..rows {
                let (iv, words) = stretch.at(dim, row);
                self.one(&iv, columns, &words);
            }
            return;
        }
        let dims = usize::from(self.dims);
        let iv = &stretch.iv.0[..dims];
        let folders = self.folders();
        let is_along = dim + 1 == dims && stretch.count == 1;
        let add = |folder: &mut Folder, label: &[i64], advance: &[i64], shift: &[i64]| match is_along {
            true => folder.run(iv, rows, label, shift),
            false => folder.rows(iv, 1, stretch.count, label, advance, dim, shift, rows),
        };
        add(&mut folders.domain, &[], &[], &[]);
        for (folder, &column) in folders.words.iter_mut().zip(columns) {
            let at = usize::from(column);
            let stride = stretch.strides.get(at).copied().unwrap_or(0);
            add(folder, &[stretch.words[at] as i64], &[stride], &[stretch.shifts[at] as i64]);
        }
    }

    /// Adds the executions of a path that comes several times in every row of a block, in the order of a row.
    pub fn many_rows(&mut self, stretches: &[&Stretch], (dim, rows): (usize, u64), columns: &[u16]) {
        let count: u64 = stretches.iter().map(|stretch| stretch.count).sum();
        let are_single = stretches.iter().all(|stretch| stretch.count == 1);
        let all = u64::from(self.count).saturating_add(count.saturating_mul(rows));
        if self.folders.is_none() && are_single && all <= u64::from(KEPT) {
            for row in 0..rows {
                for stretch in stretches {
                    let (iv, words) = stretch.at(dim, row);
                    self.one(&iv, columns, &words);
                }
            }
            return;
        }
        let dims = usize::from(self.dims);
        let folders = self.folders();
        let along = |folder: &mut Folder, column: Option<usize>| {
            let row = |folder: &mut Folder, row: u64| {
                for stretch in stretches {
                    let iv = stretch.iv.advanced(dim, row as i64);
                    let Some(at) = column else {
                        folder.run(&iv.0[..dims], stretch.count, &[], &[]);
                        continue;
                    };
                    let word = stretch.words[at].wrapping_add(stretch.shifts[at].wrapping_mul(row));
                    let stride = stretch.strides.get(at).copied().unwrap_or(0);
                    folder.run(&iv.0[..dims], stretch.count, &[word as i64], &[stride]);
                }
            };
            let shift = column.map_or(0, |at| stretches[0].shifts[at]);
            let is_uniform = column.is_none_or(|at| stretches.iter().all(|s| s.shifts[at] == shift));
            row(folder, 0);
            // The rows before the block go on in the same way: what was predicted of the first one holds for the others.
            if rows < 2 || !folder.can_go_on(dim, is_uniform) {
                return (1..rows).for_each(|at| row(folder, at));
            }
            folder.repeat(dim, rows - 1, count, &|_, _| shift as i64);
            folder.end_repeat(dim, stretches[0].iv.0[dim].saturating_add(rows as i64 - 1), None);
            for (stretch, at) in stretches.iter().filter_map(|stretch| Some((stretch, column?))) {
                let word = stretch.words[at].wrapping_add(stretch.shifts[at].wrapping_mul(rows - 1));
                let stride = stretch.strides.get(at).copied().unwrap_or(0);
                folder.include(stretch.count, &[word as i64], &[stride]);
            }
        };
        along(&mut folders.domain, None);
        for (folder, &column) in folders.words.iter_mut().zip(columns) {
            along(folder, Some(usize::from(column)));
        }
    }

    /// Whether the executions may be too ragged to fold before long.
    pub fn are_crowded(&self) -> bool {
        self.folders.as_ref().is_some_and(|folders| folders.domain.is_crowded())
    }

    /// The folders, with everything so far in them.
    pub fn folders(&mut self) -> &mut Folders {
        let (dims, columns) = (usize::from(self.dims), self.columns());
        let (count, kept) = (std::mem::take(&mut self.count), std::mem::take(&mut self.kept));
        let (folding, streams, gauge) = (&self.folding, &self.streams, &mut self.gauge);
        self.folders.get_or_insert_with(|| {
            *gauge = None;
            let gauge = |at: usize| folding.instructions.gauge(streams.get(at).copied().unwrap_or(0));
            let word = |at| Folder::new(dims, 1, folding.of_words(dims)).metered(gauge(at));
            let mut folders = Folders {
                domain: Folder::new(dims, 0, folding.of_domains(dims)).metered(gauge(0)),
                words: (1..=columns).map(word).collect(),
            };
            for k in 0..count as usize {
                let (iv, labels) = kept[k * (dims + columns)..][..dims + columns].split_at(dims);
                folders.add(iv, labels.iter().copied());
            }
            Box::new(folders)
        })
    }

    /// Hands on all executions, at most `limit`; only words that are not known exactly stay. `None` if there are more or
    /// their vectors are not known. Nothing may be added afterwards.
    pub fn hand_on(&mut self, limit: u64) -> Option<HandedOn> {
        let (mut domain, mut words) =
            std::mem::replace(self, Executions::new(&self.folding, self.dims, Box::default())).finish();
        let points = |folded: &Folded, out: &mut Vec<(Vec<i64>, Option<i64>)>| {
            let is_whole = folded.is_exact()
                && folded.points <= limit
                && folded.pieces.iter().all(|piece| {
                    piece.points(limit, &mut |x, labels| {
                        out.push((x.to_vec(), labels.first().copied().flatten()));
                    })
                });
            out.sort_unstable();
            is_whole
        };
        let mut all = Vec::new();
        let handed_on = points(&domain, &mut all).then(|| {
            let vectors: Vec<Vec<i64>> = all.into_iter().map(|(x, _)| x).collect();
            let columns = words
                .iter_mut()
                .map(|word| {
                    let mut all = Vec::new();
                    let is_known = points(word, &mut all) && all.len() == vectors.len();
                    let labels: Option<Vec<i64>> = all.into_iter().map(|(_, label)| label).collect();
                    let labels = labels.filter(|_| is_known)?;
                    *word = Folded::default();
                    Some(labels)
                })
                .collect();
            domain = Folded::default();
            HandedOn { vectors, columns }
        });
        self.left = Some(Box::new((domain, words)));
        handed_on
    }

    /// From now on keeps bounds alone, unless the executions were handed on; those to come are added to them.
    pub fn give_up(&mut self) {
        if self.bounds.is_some() || self.left.is_some() {
            return;
        }
        let fresh = Executions::new(&self.folding, self.dims, self.streams.clone());
        let (domain, words) = std::mem::replace(self, fresh).finish();
        let mut extent = vec![EMPTY; usize::from(self.dims)];
        for piece in &domain.pieces {
            extent.iter_mut().zip(piece.extent()).for_each(|(own, other)| include(own, other));
        }
        self.bounds = Some(Box::new(Bounds {
            points: domain.points,
            extent,
            words: words.iter().map(|word| word.ranges.first().copied().unwrap_or(EMPTY)).collect(),
            most_alive: std::iter::once(&domain).chain(&words).map(|folded| folded.most_alive).collect(),
        }));
    }

    /// Adds `count` executions to those given up, the vectors of which lie between two.
    pub fn bound(&mut self, low: &[i64], high: &[i64], count: u64) {
        let Some(bounds) = &mut self.bounds else { return };
        bounds.points = bounds.points.saturating_add(count);
        let ranges = low.iter().copied().zip(high.iter().copied());
        bounds.extent.iter_mut().zip(ranges).for_each(|(own, other)| include(own, other));
    }

    /// Adds the words that a column had in them.
    pub fn bound_words(&mut self, column: usize, range: (i64, i64)) {
        let bounds = self.bounds.as_mut().and_then(|bounds| bounds.words.get_mut(column));
        bounds.into_iter().for_each(|own| include(own, range));
    }

    /// Whether all folders take further iterations of a dimension as a number; see [`Folder::can_repeat`].
    pub fn can_repeat(&mut self, dim: usize) -> bool {
        let folders = self.folders();
        std::iter::once(&mut folders.domain).chain(&mut folders.words).all(|f| f.can_repeat(dim, true))
    }

    /// Adds `times` iterations of a dimension that repeat the latest one, in which there were `count` executions; the coordinate of the
    /// last of them, unless executions of a further one follow.
    pub fn repeat(&mut self, dim: usize, times: u64, count: u64, last: Option<i64>) {
        let folders = self.folders();
        for folder in std::iter::once(&mut folders.domain).chain(&mut folders.words) {
            folder.repeat(dim, times, count, &|_, _| 0);
            last.into_iter().for_each(|last| folder.end_repeat(dim, last, None));
        }
    }

    /// The folded domain, and per column the folded words.
    pub fn finish(mut self) -> (Folded, Vec<Folded>) {
        if let Some(left) = self.left {
            return *left;
        }
        if let Some(bounds) = self.bounds {
            return bounds.finish();
        }
        self.folders();
        match self.folders {
            Some(folders) => {
                (folders.domain.finish(), folders.words.into_iter().map(Folder::finish).collect())
            }
            None => Default::default(),
        }
    }

    /// About how many bytes are used.
    pub fn bytes(&self) -> usize {
        let bounds = self.bounds.as_ref().map_or(0, |b| 16 * (b.extent.len() + 2 * b.words.len()));
        8 * self.kept.len() + bounds + self.folder_bytes().sum::<usize>()
    }

    /// About how many bytes each folder uses: that of the domain, then those of the words.
    pub fn folder_bytes(&self) -> impl Iterator<Item = usize> {
        let folders = self.folders.iter().flat_map(|f| std::iter::once(&f.domain).chain(&f.words));
        folders.map(Folder::bytes)
    }

    /// Gives up the stream of a folder, counted as in [`Executions::folder_bytes`].
    pub fn abandon(&mut self, at: usize) {
        let Some(folders) = &mut self.folders else { return };
        let folder = match at.checked_sub(1) {
            None => Some(&mut folders.domain),
            Some(word) => folders.words.get_mut(word),
        };
        folder.into_iter().for_each(Folder::abandon);
    }
}

impl Bounds {
    fn finish(self) -> (Folded, Vec<Folded>) {
        if self.points == 0 {
            return (Folded::default(), vec![Folded::default(); self.words.len()]);
        }
        let most_alive = |at: usize| self.most_alive.get(at).copied().unwrap_or(0);
        let of = |ranges: &[(i64, i64)], at: usize| Folded {
            most_alive: most_alive(at),
            ..Folded::boxed(self.points, &self.extent, ranges)
        };
        let words = self.words.iter().enumerate().map(|(k, range)| of(&[*range], k + 1)).collect();
        (of(&[], 0), words)
    }
}

impl Folders {
    fn add(&mut self, iv: &[i64], labels: impl Iterator<Item = i64>) {
        self.domain.point(iv, &[]);
        for (folder, label) in self.words.iter_mut().zip(labels) {
            folder.point(iv, &[label]);
        }
    }
}

#[cfg(test)]
mod tests {
    use fold::Options;

    use super::*;

    /// However many executions are kept before they are folded, the result is that of folding each at once.
    #[test]
    fn keeping_does_not_change_the_result() {
        for n in 0..3 * i64::from(KEPT) {
            let mut executions = Executions::new(&Arc::default(), 2, [1, 1, 1].into());
            let mut domain = Folder::new(2, 0, Options::for_dimensions(2, false));
            let mut words: Vec<Folder> =
                (0..2).map(|_| Folder::new(2, 1, Options::for_dimensions(2, true))).collect();
            for k in 0..n {
                let mut iv = Iv::ZERO;
                (iv.0[0], iv.0[1]) = (k / 5, k % 5);
                let labels = [1000 + 8 * k, k * k % 7];
                executions.one(&iv, &[1, 3], &[9, labels[0] as u64, 9, labels[1] as u64]);
                domain.point(&iv.0[..2], &[]);
                for (folder, label) in words.iter_mut().zip(labels) {
                    folder.point(&iv.0[..2], &[label]);
                }
            }
            let expected = (domain.finish(), words.into_iter().map(Folder::finish).collect::<Vec<_>>());
            assert_eq!(expected.0.points, n as u64);
            assert_eq!(executions.finish(), expected, "{n} executions");
        }
    }
}
