//! One run of a path: domain, addresses, memory, registers.

use fold::Row;
use shadow::{Gather, Iv, Operand, PatternId, Record};
use trace::block::Address;

use crate::code::{address, lane_address, span};
use crate::contexts::ContextId;
use crate::engine::{Engine, pieces};
use crate::executions::Executions;
use crate::observer::observer;
use crate::paths::{Path, PathOperand, add_streams};
use crate::shared::Split;

/// Runs whose words break their pattern more often than once in this many iterations are looked at singly.
const SEGMENT: usize = 4;
/// Fewer irregular loads than this are not worth a pattern.
const SHORTEST_PATTERN: usize = 4;
/// Most executions of one path that are folded again when its loop becomes shared.
const MAX_ADOPTED: u64 = 1 << 12;
/// Largest load that a pattern may consist of.
const MAX_ELEMENT: u32 = 4096;

impl Engine {
    /// Applies `count` executions of a path in consecutive iterations from `iv` on: see [`Engine::run`].
    pub(crate) fn apply(&mut self, id: u32, iv: Iv, count: u64, words: &[u64]) {
        if self.walker.is_none() {
            return;
        }
        let Some(mut path) = self.paths.take(id) else { return };
        let n = count as usize;
        let tracking = self.streams.tracking();
        if tracking != 0 && path.noted.0 != tracking {
            path.noted = (tracking, path.repeats);
        }
        self.account(&mut path, if self.is_muted { 0 } else { count });
        let before = self.budget.work();
        self.budget.add(1 + path.live_in.len());
        if path.flat {
            for t in 0..n {
                let words = &words[if path.folded.is_some() { 0 } else { t * path.length }..];
                self.single(&path, iv, t as i64, words);
            }
            self.registers_of(&mut path, iv, (1, 1), None, words);
            path.work += self.budget.work() - before;
            self.paths.put(id, path);
            return;
        }
        let lane = path.dims.checked_sub(1);
        if !self.is_muted {
            self.share(&mut path);
            self.file_domain(&mut path, iv, count, words);
        }
        if n == 1 {
            self.single(&path, iv, 0, words);
        } else if let Some(folded) = path.folded.take() {
            self.segment(&mut path, iv, n, words, &folded.advance(words), None);
            path.folded = Some(folded);
        } else {
            self.segments(&mut path, iv, n, words);
        }
        self.registers_of(&mut path, iv, (count, 1), lane, words);
        path.work += self.budget.work() - before;
        self.paths.put(id, path);
    }

    /// Files executions under the domain; one alone with its words.
    fn file_domain(&mut self, path: &mut Path, iv: Iv, count: u64, words: &[u64]) {
        let vector = &iv.0[..usize::from(path.dims)];
        self.budget.add(1 + if count == 1 { path.columns.len() } else { 0 });
        match (&path.split, count) {
            (Some(split), 1) => self.shared.one(split, &iv, words),
            (Some(split), _) => self.shared.domains(split, vector, count),
            (None, 1) => path.seen.one(&iv, &path.columns, words),
            (None, _) => path.seen.folders().domain.run(vector, count, &[], &[]),
        }
    }

    /// Counts executions of a path.
    pub(crate) fn account(&mut self, path: &mut Path, count: u64) {
        path.executions += count;
        self.instructions += count * path.instructions;
        self.accesses += count * path.operands.len() as u64;
        self.main_accesses.add(path.own_accesses, count);
    }

    /// Splits a path whose loop is shared, or makes its loop shared.
    fn share(&mut self, path: &mut Path) {
        let Some(innermost) = path.innermost.filter(|_| path.split.is_none()) else { return };
        if path.seen.are_crowded() && !self.shared.contains(innermost) {
            self.shared.add(innermost);
            self.adopt(innermost, path);
            return;
        }
        if self.shared.contains(innermost) {
            path.split = self.split(path);
            if path.split.is_none() {
                // It stays as it is, for good.
                path.innermost = None;
            }
        }
    }

    /// How the executions of a path of a shared loop go to its blocks.
    fn split(&mut self, path: &Path) -> Option<Split> {
        let (instances, codes, folding) = (&self.instances, &self.codes, &self.folding);
        self.shared.split(path, &|instance, columns| {
            let mut streams = vec![0; columns.len() + 1];
            add_streams(codes, instances.get(instance).code, (columns, 0), &mut streams);
            Executions::new(folding, path.dims, streams.into())
        })
    }

    /// Hands the executions of all paths of a loop to its blocks.
    fn adopt(&mut self, innermost: ContextId, path: &mut Path) {
        // The one that asks is taken already.
        let mut others = self.paths.of_loop(innermost).to_vec();
        others.retain(|&id| self.paths.is_there(id));
        let mut all: Vec<(u32, Box<Path>)> =
            others.into_iter().filter_map(|id| Some((id, self.paths.take(id)?))).collect();
        let mut early = Vec::new();
        for path in all.iter_mut().map(|(_, path)| &mut **path).chain([path]) {
            path.split = self.split(path);
            match &path.split {
                Some(split) => {
                    let handed_on = path.seen.hand_on(MAX_ADOPTED);
                    early.extend(handed_on.map(|handed_on| (split, handed_on)));
                }
                None => path.innermost = None,
            }
        }
        self.shared.adopt(&early);
        drop(early);
        all.into_iter().for_each(|(id, path)| self.paths.put(id, path));
    }

    /// Cuts the iterations where words stop advancing by constants.
    fn segments(&mut self, path: &mut Path, iv: Iv, n: usize, words: &[u64]) {
        let length = path.length;
        if words.len() < n * length {
            // The first two iterations stand for all.
            let (first, second) = words.split_at(length);
            let strides: Vec<i64> =
                second.iter().zip(first).map(|(b, a)| b.wrapping_sub(*a) as i64).collect();
            return self.segment(path, iv, n, first, &strides, None);
        }
        let lane = usize::from(path.dims.max(1) - 1);
        let mut cuts: Vec<(usize, usize)> = Vec::new();
        let mut at = 0;
        let mut expected = vec![0u64; length];
        let mut delta = vec![0u64; length];
        let mut steady = true;
        while at < n {
            if at + 1 == n {
                cuts.push((at, 1));
                break;
            }
            let (first, second) = (&words[at * length..][..length], &words[(at + 1) * length..][..length]);
            for j in 0..length {
                delta[j] = second[j].wrapping_sub(first[j]);
                expected[j] = second[j].wrapping_add(delta[j]);
            }
            let mut end = at + 2;
            while end < n {
                let next = &words[end * length..][..length];
                let mut differs = 0;
                for ((e, w), d) in expected.iter_mut().zip(next).zip(&delta) {
                    differs |= *e ^ *w;
                    *e = e.wrapping_add(*d);
                }
                if differs != 0 {
                    break;
                }
                end += 1;
            }
            cuts.push((at, end - at));
            at = end;
            if cuts.len() >= 16 && at < cuts.len() * SEGMENT {
                steady = false;
                break;
            }
        }
        if steady && cuts.len() * SEGMENT <= n.max(2 * SEGMENT) {
            for (from, count) in cuts {
                let part = &words[from * length..];
                let strides: Vec<i64> = match count {
                    1 => vec![0; length],
                    _ => (0..length).map(|j| part[length + j].wrapping_sub(part[j]) as i64).collect(),
                };
                self.segment(path, iv.advanced(lane, from as i64), count, part, &strides, None);
            }
            return;
        }
        // Which words are regular over all iterations?
        let (first, second) = (&words[..length], &words[length..][..length]);
        let mut wrong = vec![0u64; length];
        for j in 0..length {
            delta[j] = second[j].wrapping_sub(first[j]);
            expected[j] = second[j].wrapping_add(delta[j]);
        }
        for next in words[2 * length..n * length].chunks_exact(length) {
            for j in 0..length {
                wrong[j] |= next[j] ^ expected[j];
                expected[j] = expected[j].wrapping_add(delta[j]);
            }
        }
        let irregular: Vec<bool> = wrong.iter().map(|&w| w != 0).collect();
        let strides: Vec<i64> = delta.iter().map(|&d| d as i64).collect();
        self.segment(path, iv, n, words, &strides, Some(&irregular));
    }

    /// `n` iterations whose words advance by `strides`, except those marked irregular.
    fn segment(
        &mut self,
        path: &mut Path,
        iv: Iv,
        n: usize,
        words: &[u64],
        strides: &[i64],
        irregular: Option<&[bool]>,
    ) {
        let dims = usize::from(path.dims);
        let is_irregular = |word: u16| irregular.is_some_and(|i| i[usize::from(word)]);
        let patterns =
            if irregular.is_some() { self.patterns(path, n, words, &is_irregular) } else { Vec::new() };
        let pattern_of = |word: u16| patterns.iter().find(|p| p.0 == word).map(|p| p.1);
        let columns = if self.is_muted { &[] } else { &path.columns[..] };
        for (k, column) in columns.iter().enumerate() {
            let folder = match &path.split {
                Some(split) => self.shared.words(split, k),
                None => &mut path.seen.folders().words[k],
            };
            let at = usize::from(*column);
            self.budget.add(if is_irregular(*column) { n } else { 1 });
            if !is_irregular(*column) {
                folder.run(&iv.0[..dims], n as u64, &[words[at] as i64], &[strides[at]]);
                continue;
            }
            let labels = (0..n).map(|t| words[t * path.length + at] as i64);
            let row = pattern_of(*column).and_then(|p| self.rows.get_mut(p as usize));
            folder.row(&iv.0[..dims], row, labels);
        }
        if path.operands.is_empty() {
            return;
        }
        if n == 1 {
            self.single(path, iv, 0, words);
            return;
        }
        let mut operands = std::mem::take(&mut self.operands);
        operands.clear();
        let mut singles = Vec::new();
        let mut gathers: Vec<(usize, PatternId)> = Vec::new();
        for (i, operand) in path.operands.iter().enumerate() {
            let (stmt, write, size) = (operand.id, operand.write, operand.size.max(1));
            let course = match (word_of(&operand.address), &operand.address) {
                (_, Address::Lane { .. }) => self.course_of_lane(operand, n, words, path.length),
                (Some(word), _) if is_irregular(word) => match pattern_of(word) {
                    Some(id) if serves(operand) => Course::Pattern(id),
                    _ => Course::Free,
                },
                (word, recipe) => address(recipe, words, self.thread_base).map_or(Course::Free, |base| {
                    Course::Strided(base, word.map_or(0, |word| strides[usize::from(word)]))
                }),
            };
            match course {
                Course::Never => {}
                Course::Strided(base, stride) => operands.push(Operand { stmt, write, base, stride, size }),
                Course::Pattern(id) => gathers.push((i, id)),
                Course::Free => singles.push(i),
            }
        }
        let lane = path.dims.checked_sub(1);
        if singles.is_empty() && gathers.is_empty() {
            self.record(&Record { iv, lane, count: n as u64, operands: &operands });
            self.operands = operands;
            return;
        }
        // Irregular operands can be taken after the regular ones if none of them meet.
        let mut ranges: Vec<Range> = Vec::new();
        let length = path.length;
        for &i in gathers.iter().map(|g| &g.0).chain(&singles) {
            let operand = &path.operands[i];
            let (mut low, mut high) = (u64::MAX, 0);
            for t in 0..n {
                let words = &words[t * length..];
                let (start, bytes) = extent(&operand.address, words, self.thread_base, operand.size);
                if bytes > 0 {
                    low = low.min(start);
                    high = high.max(start.saturating_add(bytes));
                }
            }
            ranges.push((low, high, operand.write));
        }
        let meet = |a: &Range, b: &Range| a.0 < b.1 && b.0 < a.1;
        let strided: Vec<Range> = operands.iter().map(|o| range_of(o, n)).collect();
        let apart = strided.iter().all(|o| ranges.iter().all(|r| !meet(o, r) || !(o.2 || r.2)));
        let (gathered, rest) = ranges.split_at(gathers.len());
        let meets_store = |r: &Range| rest.iter().any(|s| s.2 && meet(r, s));
        // The last iteration may go on elsewhere: no load of an earlier one may come after its loads of the same bytes.
        let disorders = |(k, r): (usize, &Range)| {
            let others = strided.iter().chain(&ranges[..k.min(gathers.len())]);
            others.into_iter().any(|other| meet(r, other))
        };
        let last = (apart && ranges.iter().enumerate().any(disorders)).then(|| n - 1);
        let all = n;
        let n = last.unwrap_or(n);
        if apart {
            self.record(&Record { iv, lane, count: n as u64, operands: &operands });
        } else {
            singles = (0..path.operands.len()).collect();
        }
        if apart && !gathered.iter().any(meets_store) {
            let mut addresses = Vec::with_capacity(n);
            for &(i, pattern) in &gathers {
                let operand = &path.operands[i];
                addresses.clear();
                addresses.extend((0..n).map(|t| {
                    extent(&operand.address, &words[t * length..], self.thread_base, operand.size).0
                }));
                let pattern = if n == all { Some(pattern) } else { self.pattern(&addresses) };
                match pattern {
                    Some(pattern) => self.gather(operand.id, operand.size, iv, pattern, &addresses, lane),
                    None => singles.push(i),
                }
            }
            singles.sort_unstable();
        } else if apart {
            singles.extend(gathers.iter().map(|g| g.0));
            singles.sort_unstable();
        }
        for t in 0..n {
            operands.clear();
            for &i in &singles {
                let operand = &path.operands[i];
                let (start, bytes) =
                    extent(&operand.address, &words[t * length..], self.thread_base, operand.size);
                if bytes > 0 {
                    pieces(start, bytes, operand.id, operand.write, &mut operands);
                }
            }
            let iv = match lane {
                Some(lane) => iv.advanced(usize::from(lane), t as i64),
                None => iv,
            };
            self.record(&Record { iv, lane: None, count: 1, operands: &operands });
        }
        self.operands = operands;
        if let (Some(last), Some(lane)) = (last, lane) {
            let words = &words[last * length..];
            self.single(path, iv.advanced(usize::from(lane), last as i64), 0, words);
        }
    }

    /// The patterns of the irregular columns.
    fn patterns(
        &mut self,
        path: &Path,
        n: usize,
        words: &[u64],
        is_irregular: &dyn Fn(u16) -> bool,
    ) -> Vec<(u16, PatternId)> {
        let mut found = Vec::new();
        if n < SHORTEST_PATTERN {
            return found;
        }
        for &column in path.columns.iter().filter(|c| is_irregular(**c)) {
            // A pattern serves loads; stores to such addresses are looked at one by one.
            let uses =
                |write| path.operands.iter().any(|o| o.write == write && word_of(&o.address) == Some(column));
            if uses(true) || !uses(false) {
                continue;
            }
            let all: Vec<u64> = (0..n).map(|t| words[t * path.length + usize::from(column)]).collect();
            found.extend(self.pattern(&all).map(|pattern| (column, pattern)));
        }
        found
    }

    fn pattern(&mut self, all: &[u64]) -> Option<PatternId> {
        let pattern = self.memory.pattern(all)?;
        if self.rows.len() <= pattern as usize {
            let relative: Vec<i64> = all.iter().map(|w| w.wrapping_sub(all[0]) as i64).collect();
            // Patterns are numbered in order of appearance, here alone.
            self.rows.push(Row::new(&relative));
        }
        Some(pattern)
    }

    /// The course of a lane of a gather or scatter.
    fn course_of_lane(&mut self, operand: &PathOperand, n: usize, words: &[u64], length: usize) -> Course {
        let addresses =
            words.chunks(length).take(n).filter_map(|words| lane_address(&operand.address, words));
        let all: Vec<u64> = addresses.collect();
        let stride = match all[..] {
            [] => return Course::Never,
            [first, second, ..] => second.wrapping_sub(first),
            [_] => 0,
        };
        if all.len() < n {
            return Course::Free;
        }
        if all.windows(2).all(|w| w[1].wrapping_sub(w[0]) == stride) {
            return Course::Strided(all[0], stride as i64);
        }
        if n < SHORTEST_PATTERN || !serves(operand) {
            return Course::Free;
        }
        self.pattern(&all).map_or(Course::Free, Course::Pattern)
    }

    /// Hands loads of a pattern to the memory.
    fn gather(
        &mut self,
        stmt: u32,
        size: u32,
        iv: Iv,
        pattern: PatternId,
        addresses: &[u64],
        lane: Option<u8>,
    ) {
        let (Some(walker), Some(lane)) = (&self.walker, lane) else { return };
        self.budget.add(addresses.len());
        let mut observer = observer!(self, walker);
        self.memory.gather_loads(&Gather { stmt, size, iv, lane, pattern, addresses }, &mut observer);
    }

    /// The accesses of one iteration; words advanced by `t` iterations where the path is a folded block.
    fn single(&mut self, path: &Path, iv: Iv, t: i64, words: &[u64]) {
        let mut operands = std::mem::take(&mut self.operands);
        operands.clear();
        let moved: Vec<u64>;
        let words = match &path.folded {
            Some(folded) if t > 0 => {
                moved = folded.at(words, t as u64);
                &moved
            }
            _ => words,
        };
        for operand in &path.operands {
            let (start, bytes) = extent(&operand.address, words, self.thread_base, operand.size);
            if bytes > 0 {
                pieces(start, bytes, operand.id, operand.write, &mut operands);
            }
        }
        self.record(&Record { iv, lane: None, count: 1, operands: &operands });
        self.operands = operands;
    }

    /// Hands a record to the memory.
    pub(crate) fn record(&mut self, record: &Record) {
        let Some(walker) = &self.walker else { return };
        if record.operands.is_empty() {
            return;
        }
        if self.tracing.is_some() {
            return self.trace_record(record);
        }
        self.budget.add(record.operands.len());
        let mut observer = observer!(self, walker);
        self.memory.record(record, &mut observer);
    }
}

/// How the addresses of an operand go in consecutive iterations.
enum Course {
    /// No access at all.
    Never,
    /// One access in each: the first address and the advance.
    Strided(u64, i64),
    /// One load in each, at addresses of a pattern.
    Pattern(PatternId),
    /// To be looked at one by one.
    Free,
}

/// First byte, the one after the last, and whether any is written.
type Range = (u64, u64, bool);

/// What a strided operand touches in `n` iterations.
fn range_of(o: &Operand, n: usize) -> Range {
    let end = o.base.wrapping_add((o.stride.wrapping_mul(n as i64 - 1)) as u64);
    (o.base.min(end), o.base.max(end).saturating_add(u64::from(o.size)), o.write)
}

/// The word that an address is a constant distance from.
fn word_of(recipe: &Address) -> Option<u16> {
    match *recipe {
        Address::Word { word, .. } | Address::Segment { word: Some(word), .. } => Some(word),
        _ => None,
    }
}

/// Whether an operand may be taken by a pattern.
fn serves(operand: &PathOperand) -> bool {
    !operand.write && (1..=MAX_ELEMENT).contains(&operand.size)
}

/// Start and number of bytes of an operand in one iteration; none if it made no access.
fn extent(recipe: &Address, words: &[u64], thread_base: u64, size: u32) -> (u64, u64) {
    match *recipe {
        Address::Span { from, to } => {
            let word = |at: u16| words.get(usize::from(at)).copied().unwrap_or(0);
            span(word(from), word(to), size as u16)
        }
        Address::Lane { .. } => lane_address(recipe, words).map_or((0, 0), |a| (a, u64::from(size))),
        _ => address(recipe, words, thread_base).map_or((0, 0), |a| (a, u64::from(size))),
    }
}
