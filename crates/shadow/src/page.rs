//! Pages of the shadow: sorted segments, or dense cells when segments do not pay.
//!
//! A half page (writers or readers of 16 KiB) holds disjoint segments in address order, each made of whole
//! elements: element `e` of a segment is `class.size` bytes and belongs to `point + (e0+e)·class.step`. A part of
//! an element becomes a segment of its own with a smaller size. When the segments of a half get too many, or
//! single accesses keep failing to coalesce, the half turns [`Dense`]; long runs turn it back (with hysteresis).

use crate::Stmt;
use crate::arena::{Arena, Point};
use crate::class::{AFFINE, Class, Classes, Field, NO_CHAIN, PLAIN};
use crate::dense::{Dense, Nodes};
use crate::iv::Iv;
use crate::pending::Trust;
use rustc_hash::FxHashMap;

pub(crate) const PAGE_BITS: u32 = 14;
pub(crate) const PAGE: u32 = 1 << PAGE_BITS;
/// More segments than this in half a page and it turns dense.
const MAX_SEGMENTS: usize = 96;
/// Single accesses that may fail to coalesce before a half with more than this many segments turns dense.
const MAX_MISSES: u32 = 24;

/// Everything segments and cells refer to.
pub(crate) struct Tables {
    pub arena: Arena,
    pub classes: Classes,
    pub nodes: Nodes,
    scratch: Vec<Seg>,
}

impl Tables {
    pub fn new() -> Tables {
        Tables { arena: Arena::new(), classes: Classes::new(), nodes: Nodes::new(), scratch: Vec::new() }
    }

    /// The iteration vector of element `e` of a segment.
    #[inline]
    pub fn iv(&self, seg: &Seg, e: u32) -> Iv {
        let step = &self.classes.get(seg.class).step;
        self.arena.iv(seg.point).after(i64::from(seg.e0) + i64::from(e), step)
    }
}

/// Bytes `start..end` of a page; see the module text.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Seg {
    pub start: u16,
    pub end: u16,
    pub class: u32,
    pub point: Point,
    pub e0: u32,
}

impl Seg {
    pub fn len(&self) -> u32 {
        u32::from(self.end) - u32::from(self.start)
    }
}

/// A segment before it is cut into pages: its start may lie before the page, its end behind it.
#[derive(Clone, Copy)]
pub(crate) struct Run {
    pub start: i64,
    pub class: u32,
    pub point: Point,
    pub e0: u32,
}

impl From<&Seg> for Run {
    fn from(s: &Seg) -> Run {
        Run { start: i64::from(s.start), class: s.class, point: s.point, e0: s.e0 }
    }
}

impl Run {
    /// The bytes `lo..hi` of the run as segments: at most a partial element at either side of whole ones.
    pub fn clip(&self, t: &mut Tables, lo: u32, hi: u32, out: &mut Vec<Seg>) {
        let class = *t.classes.get(self.class);
        let size = i64::from(class.size);
        let (mut at, hi) = (i64::from(lo), i64::from(hi));
        while at < hi {
            let e = (at - self.start) / size;
            let first = self.start + e * size;
            let whole = self.start + (hi - self.start) / size * size;
            let e0 = (i64::from(self.e0) + e) as u32;
            let mut seg =
                Seg { start: at as u16, end: whole as u16, class: self.class, point: self.point, e0 };
            if first == at && whole > at {
                out.push(seg);
                at = whole;
                continue;
            }
            let end = hi.min(first + size);
            if class.fields == PLAIN {
                seg.end = end as u16;
                seg.class = t.classes.id(Class { size: (end - at) as u32, ..class });
                out.push(seg);
            } else {
                self.clip_fields(t, &class, seg, (at - first, end - first), out);
            }
            at = end;
        }
    }
}

impl Run {
    /// The bytes `lo..hi` of one element, which start at `seg`, as a segment per field.
    fn clip_fields(&self, t: &mut Tables, class: &Class, seg: Seg, (lo, hi): (i64, i64), out: &mut Vec<Seg>) {
        let fields = t.classes.fields(class, &mut [Field::NONE]).to_vec();
        for f in &fields {
            let (from, to) = (lo.max(f.at.into()), hi.min(i64::from(f.at + f.size)));
            if from < to {
                let part = Class::plain(f.stmt, (to - from) as u32, class.step, f.chain);
                let start = i64::from(seg.start) + from - lo;
                out.push(Seg {
                    start: start as u16,
                    end: (start + to - from) as u16,
                    class: t.classes.id(part),
                    point: t.arena.moved(seg.point, 1, &f.shift),
                    ..seg
                });
            }
        }
    }
}

/// Last writers, or readers since the last write, of one page.
#[derive(Default)]
pub(crate) struct Half {
    pub segs: Vec<Seg>,
    pub dense: Option<Dense>,
    misses: u32,
}

impl Half {
    pub fn is_empty(&self) -> bool {
        self.segs.is_empty() && self.dense.is_none()
    }

    pub fn bytes(&self) -> usize {
        self.segs.capacity() * size_of::<Seg>() + self.dense.as_ref().map_or(0, Dense::bytes)
    }

    /// Marks what is referred to.
    pub fn mark(&self, classes: &mut [bool], instances: &mut [bool]) {
        for s in &self.segs {
            classes[s.class as usize] = true;
            instances[s.point.inst as usize] = true;
        }
        for cell in self.dense.iter().flat_map(Dense::live) {
            instances[cell.point.inst as usize] = true;
        }
    }

    /// Applies new numbers.
    pub fn renumber(&mut self, classes: &[u32], instances: &[u32]) {
        for s in &mut self.segs {
            s.class = classes[s.class as usize];
            s.point.inst = instances[s.point.inst as usize];
        }
        for cell in self.dense.iter_mut().flat_map(Dense::live_mut) {
            cell.point.inst = instances[cell.point.inst as usize];
        }
    }

    /// Index of the first segment that ends behind `offset`.
    #[inline]
    pub fn find(&self, offset: u32) -> usize {
        let v = &self.segs;
        if v.len() <= 8 {
            v.iter().position(|s| u32::from(s.end) > offset).unwrap_or(v.len())
        } else {
            v.partition_point(|s| u32::from(s.end) <= offset)
        }
    }

    /// Forgets the bytes `lo..hi`.
    pub fn clear(&mut self, t: &mut Tables, lo: u32, hi: u32) {
        if self.is_empty() {
            return;
        }
        if hi - lo == PAGE {
            self.drop_all(t);
        } else if let Some(dense) = &mut self.dense {
            dense.clear(&mut t.nodes, lo, hi);
        } else {
            self.splice(t, lo, hi, &[]);
        }
    }

    fn drop_all(&mut self, t: &mut Tables) {
        self.segs.clear();
        if let Some(mut dense) = self.dense.take() {
            dense.clear(&mut t.nodes, 0, PAGE);
        }
    }

    /// Makes a run the content of `lo..hi`.
    pub fn assign_run(&mut self, t: &mut Tables, run: &Run, lo: u32, hi: u32) {
        let mut new = std::mem::take(&mut t.scratch);
        new.clear();
        run.clip(t, lo, hi, &mut new);
        self.assign(t, lo, hi, &new);
        t.scratch = new;
    }

    /// Makes `new` (ordered, disjoint, inside `lo..hi`) the content of `lo..hi`.
    pub fn assign(&mut self, t: &mut Tables, lo: u32, hi: u32, new: &[Seg]) {
        if self.dense.is_some() && hi - lo == PAGE && new.len() <= MAX_SEGMENTS / 2 {
            self.drop_all(t);
        }
        if let Some(dense) = &mut self.dense {
            dense.clear(&mut t.nodes, lo, hi);
            for seg in new {
                dense.fill(t, seg);
            }
            self.thaw(t, hi - lo);
            return;
        }
        self.misses = self.misses.saturating_sub((hi - lo) / 64);
        self.splice(t, lo, hi, new);
        if self.segs.len() > MAX_SEGMENTS {
            self.freeze(t);
        }
    }

    /// Makes one access the content of its bytes.
    #[inline]
    pub fn assign_access(&mut self, t: &mut Tables, lo: u32, hi: u32, stmt: Stmt, point: Point) {
        if let Some(dense) = &mut self.dense {
            return dense.assign(&mut t.nodes, lo, hi, stmt, point);
        }
        let class = t.classes.id(Class::plain(stmt, hi - lo, Iv::ZERO, NO_CHAIN));
        self.assign_point(t, Seg { start: lo as u16, end: hi as u16, class, point, e0: 0 });
    }

    /// Makes one element the content of its bytes (not dense) and tries to join it to its neighbours.
    pub fn assign_point(&mut self, t: &mut Tables, seg: Seg) {
        let (lo, hi) = (u32::from(seg.start), u32::from(seg.end));
        let before = self.segs.len();
        let mut i = self.find(lo);
        if i < before && self.segs[i].start == seg.start && self.segs[i].end == seg.end {
            self.segs[i] = seg;
        } else if i == before || u32::from(self.segs[i].start) >= hi {
            self.segs.insert(i, seg);
        } else {
            i = self.splice(t, lo, hi, &[seg]);
        }
        if i > 0 && self.join(t, i - 1) {
            i -= 1;
        }
        if i + 1 < self.segs.len() {
            self.join(t, i);
        }
        if self.segs.len() > before {
            self.misses += 1;
            if self.segs.len() > MAX_SEGMENTS
                || (self.misses > MAX_MISSES && self.segs.len() > MAX_MISSES as usize)
            {
                self.freeze(t);
            }
        }
    }

    /// Replaces `lo..hi` by `new` and returns the index of the first new segment.
    fn splice(&mut self, t: &mut Tables, lo: u32, hi: u32, new: &[Seg]) -> usize {
        let i = self.find(lo);
        let mut j = i;
        while j < self.segs.len() && u32::from(self.segs[j].start) < hi {
            j += 1;
        }
        if i == j {
            self.segs.splice(i..i, new.iter().copied());
            return i;
        }
        let (head, tail) = (self.segs[i], self.segs[j - 1]);
        let cut_head = u32::from(head.start) < lo;
        let cut_tail = u32::from(tail.end) > hi;
        if !cut_head && !cut_tail && new.len() == j - i {
            self.segs[i..j].copy_from_slice(new);
            return i;
        }
        let mut parts = Vec::new();
        if cut_head {
            Run::from(&head).clip(t, u32::from(head.start), lo, &mut parts);
        }
        let first = i + parts.len();
        parts.extend_from_slice(new);
        if cut_tail {
            Run::from(&tail).clip(t, hi, u32::from(tail.end), &mut parts);
        }
        self.segs.splice(i..j, parts);
        first
    }

    /// Joins segments `i` and `i+1` if they continue each other.
    fn join(&mut self, t: &mut Tables, i: usize) -> bool {
        let (a, b) = (self.segs[i], self.segs[i + 1]);
        if a.end != b.start {
            return false;
        }
        let (ca, cb) = (t.classes.get(a.class), t.classes.get(b.class));
        let is_plain = (ca.fields | cb.fields) == PLAIN && ca.chain & AFFINE == 0;
        if ca.stmt != cb.stmt || ca.size != cb.size || ca.chain != cb.chain || !is_plain {
            return false;
        }
        if b.len() == cb.size && a.len() > ca.size && a.point.inst == b.point.inst && b.e0 == 0 {
            let lane = t.arena.lane(a.point.inst);
            if ca.step.is_along(lane) {
                let e = i64::from(a.e0) + i64::from(a.len() / ca.size);
                let continued = i64::from(a.point.k).wrapping_add(e.wrapping_mul(ca.step.0[lane]));
                if continued != i64::from(b.point.k) {
                    return false;
                }
                self.segs[i].end = b.end;
                self.segs.remove(i + 1);
                return true;
            }
        }
        let (ca, cb) = (*ca, *cb);
        let (na, nb) = (a.len() / ca.size, b.len() / cb.size);
        let (ia, ib) = (t.iv(&a, 0), t.iv(&b, 0));
        let step = match (na, nb) {
            (1, 1) => ib.minus(&ia),
            (1, _) => cb.step,
            _ => ca.step,
        };
        if (nb > 1 && step != cb.step) || ia.after(i64::from(na), &step) != ib {
            return false;
        }
        let joined = if na > 1 {
            Seg { end: b.end, ..a }
        } else {
            if !step.is_simple() {
                return false;
            }
            let point = t.arena.moved(a.point, i64::from(a.e0), &ca.step);
            let class = t.classes.id(Class { step, ..ca });
            Seg { end: b.end, class, point, e0: 0, ..a }
        };
        self.segs[i] = joined;
        self.segs.remove(i + 1);
        true
    }

    /// Turns segments into cells.
    pub fn freeze(&mut self, t: &mut Tables) -> &mut Dense {
        if self.dense.is_none() {
            let (mut all, mut small) = (0, 0);
            for s in &self.segs {
                let class = t.classes.get(s.class);
                let ends = u32::from(s.start) | u32::from(s.end) | class.size;
                let ends =
                    t.classes.fields(class, &mut [Field::NONE]).iter().fold(ends, |ends, f| ends | f.at);
                all += s.len();
                small += if ends & 7 == 0 { 0 } else { s.len() };
            }
            let mut dense = Dense::new(4 * small > all);
            for seg in std::mem::take(&mut self.segs) {
                dense.fill(t, &seg);
            }
            self.misses = 0;
            self.dense = Some(dense);
        }
        self.dense.as_mut().expect("made dense above")
    }

    /// Counts `bytes` assigned at once; after enough of them, turns cells back into segments if few result.
    pub fn thaw(&mut self, t: &mut Tables, bytes: u32) {
        if let Some(dense) = &mut self.dense
            && dense.is_due(bytes)
            && let Some(segs) = dense.segments(t, MAX_SEGMENTS / 2)
        {
            self.drop_all(t);
            self.segs = segs;
        }
    }
}

/// A page: both halves, and what will become readers.
#[derive(Default)]
pub(crate) struct Page {
    pub base: u64,
    pub writers: Half,
    pub readers: Half,
    /// Reads not yet among the readers: entries, and the time up to which their executions are.
    pub pending: Vec<(u32, u64)>,
    /// The blocks they lie in.
    pub blocks: u64,
    pub trust: Trust,
    /// Time of the latest store, lattices apart.
    pub stored: u64,
}

const CHUNK_BITS: u32 = 26;
const PAGES: usize = 1 << (CHUNK_BITS - PAGE_BITS);
const CACHE: usize = 16;
const RECENT: usize = 64;

/// The sparse directory of pages: chunks of 64 MiB in a hash map, behind a small direct-mapped cache.
pub(crate) struct Directory {
    chunks: FxHashMap<u64, u32>,
    tables: Vec<Box<[u32; PAGES]>>,
    pub pages: Vec<Page>,
    cache: [(u64, u32); CACHE],
    /// Pages used lately.
    recent: [(u64, u32); RECENT],
}

impl Directory {
    pub fn new() -> Directory {
        Directory {
            chunks: FxHashMap::default(),
            tables: Vec::new(),
            pages: Vec::new(),
            cache: [(u64::MAX, 0); CACHE],
            recent: [(u64::MAX, 0); RECENT],
        }
    }

    pub fn bytes(&self) -> usize {
        self.tables.len() * size_of::<[u32; PAGES]>()
            + self
                .pages
                .iter()
                .map(|p| size_of::<Page>() + p.writers.bytes() + p.readers.bytes())
                .sum::<usize>()
    }

    #[inline]
    fn table(&mut self, address: u64) -> Option<u32> {
        let chunk = address >> CHUNK_BITS;
        let slot = chunk as usize % CACHE;
        if self.cache[slot].0 == chunk {
            return Some(self.cache[slot].1);
        }
        let table = *self.chunks.get(&chunk)?;
        self.cache[slot] = (chunk, table);
        Some(table)
    }

    /// The number of the page that holds `address`, if anything was ever recorded there.
    #[inline]
    pub fn lookup(&mut self, address: u64) -> Option<usize> {
        let table = self.table(address)?;
        let page = self.tables[table as usize][Self::slot(address)];
        page.checked_sub(1).map(|p| p as usize)
    }

    #[inline]
    fn slot(address: u64) -> usize {
        (address >> PAGE_BITS) as usize % PAGES
    }

    /// The number of the page that holds `address`, made if absent.
    #[inline]
    pub fn entry(&mut self, address: u64) -> usize {
        let number = address >> PAGE_BITS;
        let slot = number as usize % RECENT;
        if self.recent[slot].0 == number {
            return self.recent[slot].1 as usize;
        }
        let page = self.lookup(address).unwrap_or_else(|| self.insert(address));
        self.recent[slot] = (number, page as u32);
        page
    }

    fn insert(&mut self, address: u64) -> usize {
        let next = self.tables.len() as u32;
        let table = *self.chunks.entry(address >> CHUNK_BITS).or_insert(next);
        if table == next {
            self.tables.push(Box::new([0; PAGES]));
        }
        self.pages.push(Page { base: address - address % u64::from(PAGE), ..Page::default() });
        self.tables[table as usize][Self::slot(address)] = self.pages.len() as u32;
        self.pages.len() - 1
    }

    /// Calls `f` with every page that overlaps `start..=last` and the bytes of it inside.
    pub fn for_each_in(&mut self, start: u64, last: u64, mut f: impl FnMut(&mut Page, u32, u32)) {
        let mut chunks: Vec<(u64, u32)> = self
            .chunks
            .iter()
            .map(|(c, t)| (*c, *t))
            .filter(|(c, _)| *c >= start >> CHUNK_BITS && *c <= last >> CHUNK_BITS)
            .collect();
        chunks.sort_unstable();
        for (chunk, table) in chunks {
            let low = start.max(chunk << CHUNK_BITS);
            let high = last.min((chunk << CHUNK_BITS) | ((1 << CHUNK_BITS) - 1));
            for slot in Self::slot(low)..=Self::slot(high) {
                let Some(page) = self.tables[table as usize][slot].checked_sub(1) else { continue };
                let base = (chunk << CHUNK_BITS) + ((slot as u64) << PAGE_BITS);
                let end = base + u64::from(PAGE - 1);
                if base <= last && end >= start {
                    let lo = start.saturating_sub(base) as u32;
                    let hi = last.min(end).wrapping_sub(base) as u32 + 1;
                    f(&mut self.pages[page as usize], lo, hi);
                }
            }
        }
    }
}
