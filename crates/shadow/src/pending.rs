//! Reads put off until a store asks for them.
//!
//! Most data that loops read again and again is not written in between: the operands of a matrix product, a table, a
//! graph. The readers of such bytes matter to nobody before the next store to them, so a run of reads is only noted,
//! as one *entry* per (class, first address, stride, count). The same run read again changes the entry in constant
//! time: an earlier execution is kept per key to the latest one, as in every chain of readers (`class.rs`), and two
//! executions of one entry are equally far apart at all of their elements.
//!
//! Single reads are not noted: a cell is cheaper than an entry, and an entry that has to become readers again costs most.
//!
//! Such data has the same last writers all the while: what a run of reads depends on is remembered with its entry. Pages
//! that refer to the entry were not stored to since; gaps are asked when they were.
//!
//! Invariants:
//! - entries of a page are newer than its readers and than all lattices of readers that meet it: whoever adds readers
//!   to the same bytes of a page by another way applies its entries first;
//! - the entries of a page are applied all at once and in order of time, before anyone asks for the readers of bytes
//!   they may touch. From then on the page is a *gap* of these entries: further executions are applied to it at once,
//!   until it takes entries again. An entry with too many gaps takes no more executions;
//! - a page whose entries are applied more often than they are met again refuses new ones for a while, and so does a
//!   statement whose entries are closed before they are met again.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::arena::{Arena, Point};
use crate::class::{Class, Key, NO_CHAIN};
use crate::emit::{Sink, Sinks};
use crate::gather::{Gather, Patterns};
use crate::iv::{Iv, MAX_DIMS};
use crate::memory::{Memory, Part, Side};
use crate::overlay::Strided;
use crate::page::{PAGE, Page, Run, Tables};
use crate::query::Piece;
use crate::readers::{add_point, add_run};
use crate::{Client, Kind, Operand, Stmt};

/// Bytes beyond which all entries are applied.
const MAX_BYTES: usize = 64 << 20;
/// Most entries of one page.
const MAX_PER_PAGE: usize = 1 << 13;
const NONE: u32 = u32::MAX;
/// In the stride of a shape: the rest is the number of a pattern.
const PATTERN: u64 = 1 << 63;
/// Regions of 1 MiB, hashed, that count references.
const REGION: u32 = 20;
const REGIONS: usize = 1 << 12;
/// Costly entries of a statement before they have to pay, and refusals after which it is tried again.
const TRIED: u32 = 1 << 12;
const RETRIED: u32 = 1 << 16;
/// Entries of a statement that may be closed in vain before most have to pay.
const VAIN: u32 = 4;
/// Bytes of a block of a page: a store to blocks without entries leaves the entries alone.
const BLOCK: u64 = PAGE as u64 / 64;
/// Most entries compared with a store one by one.
const MAX_COMPARED: usize = 64;
/// Refusals of a page that was once applied in vain, doubled for each time after.
const REFUSALS: u16 = 4;
/// Most pieces of remembered sources, and bytes of all of them.
const MAX_SOURCES: usize = 64;
const MAX_SOURCE_BYTES: usize = 32 << 20;
/// Most pages of an entry that are gaps.
const MAX_GAPS: usize = 4;
const MAX_DISTRUST: u8 = 5;

/// Whether a page takes entries. One applied in vain refuses a number of them, and takes all again until the next time.
#[derive(Default)]
pub(crate) struct Trust {
    distrust: u8,
    refused: u16,
}

impl Trust {
    fn accepts(&mut self) -> bool {
        if self.distrust == 0 || self.refused >= REFUSALS << self.distrust {
            return true;
        }
        self.refused += 1;
        false
    }

    fn applied(&mut self, paid: bool) {
        self.refused = 0;
        self.distrust = if paid { 0 } else { (self.distrust + 1).min(MAX_DISTRUST) };
    }
}

/// One execution of a run.
#[derive(Clone, Copy)]
struct Execution {
    /// The vector of the element of lowest address.
    point: Point,
    time: u64,
    /// To the latest execution.
    key: Key,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Shape {
    class: u32,
    first: u64,
    stride: u64,
    count: i64,
    up: bool,
}

impl Shape {
    /// The blocks of the page at `base` that its reads of `size` bytes touch.
    fn blocks(&self, size: u32, base: u64, patterns: &Patterns) -> u64 {
        let Shape { first, stride, count, .. } = *self;
        if stride & PATTERN == 0 {
            return blocks(&Strided { first, stride, size, count }, base);
        }
        let reads = patterns.get(stride as u32).iter().map(|o| first.wrapping_add_signed(*o));
        let end = base + u64::from(PAGE - 1);
        reads
            .filter(|at| *at <= end && at.saturating_add(u64::from(size - 1)) >= base)
            .fold(0, |all, at| all | blocks(&Strided::one(at, size), base))
    }

    fn gather(class: u32, gather: &Gather) -> Shape {
        let first = gather.addresses.first().copied().unwrap_or(0);
        let count = gather.addresses.len() as i64;
        Shape { class, first, stride: PATTERN | u64::from(gather.pattern), count, up: true }
    }
}

struct Entry {
    shape: Shape,
    stmt: Stmt,
    size: u32,
    latest: Execution,
    /// In order of increasing key.
    earlier: Vec<Execution>,
    /// Pages that refer to it.
    references: u32,
    /// Pages to which executions are applied at once.
    gaps: SmallVec<[u32; 2]>,
    /// Takes no more executions.
    closed: bool,
    /// Executions after the first.
    meets: u32,
    /// The smallest key of executions whose sources were reported load by load, for loads of a pattern.
    told: Key,
    /// The entry met after this one the last time.
    next: u32,
    /// What the reads depend on.
    sources: Option<Box<[Piece]>>,
    /// When that was found out.
    known: u64,
}

/// All entries.
pub(crate) struct Pending {
    entries: Vec<Entry>,
    free: Vec<u32>,
    ids: FxHashMap<Shape, u32>,
    latest: u32,
    time: u64,
    references: usize,
    regions: Box<[u32]>,
    /// Bytes of remembered sources.
    source_bytes: usize,
    /// The time of the latest store of a lattice.
    lattice: u64,
    /// By statement.
    uses: Vec<Use>,
}

/// How the entries of a statement pay.
#[derive(Default)]
struct Use {
    noted: u32,
    met: u32,
    /// Entries closed before they were met again.
    vain: u32,
    refused: u32,
}

impl Use {
    /// Whether to note another one, which is costly to apply or not.
    fn accepts(&mut self, is_costly: bool) -> bool {
        let pays = !is_costly || self.noted < TRIED || self.met >= self.noted / 2;
        if pays && (self.vain < VAIN || self.met / 4 >= self.vain) {
            self.noted = self.noted.saturating_add(1);
            return true;
        }
        self.refused += 1;
        if self.refused == RETRIED {
            *self = Use::default();
        }
        false
    }
}

impl Pending {
    pub fn new() -> Pending {
        Pending {
            entries: Vec::new(),
            free: Vec::new(),
            ids: FxHashMap::default(),
            latest: NONE,
            time: 0,
            references: 0,
            regions: vec![0; REGIONS].into(),
            source_bytes: 0,
            lattice: 0,
            uses: Vec::new(),
        }
    }

    pub fn bytes(&self) -> usize {
        (self.entries.len() - self.free.len()) * (size_of::<Entry>() + 2 * size_of::<Shape>() + 32)
            + self.references * 4
            + self.source_bytes
            + self.uses.len() * size_of::<Use>()
    }

    fn remember(&mut self, id: u32, pieces: &[Piece]) {
        self.forget(id);
        let bytes = size_of_val(pieces);
        if pieces.len() <= MAX_SOURCES && self.source_bytes + bytes <= MAX_SOURCE_BYTES {
            self.source_bytes += bytes;
            let entry = &mut self.entries[id as usize];
            entry.sources = Some(pieces.into());
            entry.known = self.time;
        }
    }

    fn forget(&mut self, id: u32) {
        if let Some(sources) = self.entries[id as usize].sources.take() {
            self.source_bytes -= size_of_val(&*sources);
        }
    }

    /// Whether the sources of an entry are remembered and still right.
    fn knows(&self, id: u32, pages: &[Page]) -> bool {
        let entry = &self.entries[id as usize];
        let is_unchanged = |gap: &u32| pages[*gap as usize].stored < entry.known;
        entry.sources.is_some()
            && (entry.gaps.is_empty() || (self.lattice < entry.known && entry.gaps.iter().all(is_unchanged)))
    }

    /// The time of a store.
    #[inline]
    pub fn store(&mut self) -> u64 {
        self.time += 1;
        self.time
    }

    /// A lattice was stored, to pages that are not told.
    pub fn store_lattice(&mut self) {
        self.lattice = self.store();
    }

    /// The entry of a shape; mostly the one that followed the entry met before.
    fn find(&mut self, shape: &Shape) -> Option<u32> {
        let guess = self.entries.get(self.latest as usize).map_or(NONE, |e| e.next);
        let is_it = self.entries.get(guess as usize).is_some_and(|e| !e.closed && e.shape == *shape);
        let id = if is_it { guess } else { *self.ids.get(shape)? };
        self.follow(id);
        Some(id)
    }

    fn follow(&mut self, id: u32) {
        if let Some(e) = self.entries.get_mut(self.latest as usize) {
            e.next = id;
        }
        self.latest = id;
    }

    /// Another execution of an entry.
    fn meet(&mut self, id: u32, point: Point, arena: &Arena) {
        self.time += 1;
        let time = self.time;
        let entry = &mut self.entries[id as usize];
        entry.meets = entry.meets.saturating_add(1);
        let key = diverge(arena, entry.latest.point, point);
        while entry.earlier.last().is_some_and(|e| e.key >= key) {
            entry.earlier.pop();
        }
        if usize::from(key) < MAX_DIMS {
            entry.earlier.push(Execution { key, ..entry.latest });
        }
        entry.latest = Execution { point, time, key: 0 };
    }

    fn use_of(&mut self, stmt: Stmt) -> &mut Use {
        let s = stmt as usize;
        if self.uses.len() <= s {
            self.uses.resize_with(s + 1, Use::default);
        }
        &mut self.uses[s]
    }

    fn add(&mut self, shape: Shape, stmt: Stmt, size: u32, point: Point) -> u32 {
        self.time += 1;
        let entry = Entry {
            shape,
            stmt,
            size,
            latest: Execution { point, time: self.time, key: 0 },
            earlier: Vec::new(),
            references: 0,
            gaps: SmallVec::new(),
            closed: false,
            meets: 0,
            told: MAX_DIMS as Key,
            next: NONE,
            sources: None,
            known: 0,
        };
        let id = match self.free.pop() {
            Some(id) => {
                self.entries[id as usize] = entry;
                id
            }
            None => {
                self.entries.push(entry);
                self.entries.len() as u32 - 1
            }
        };
        self.ids.insert(shape, id);
        self.follow(id);
        id
    }

    /// A page refers to an entry, whose reads lie in these blocks of it. Executions up to now are among the page's
    /// readers unless the entry is new.
    fn refer(&mut self, page: &mut Page, id: u32, blocks: u64, is_new: bool) {
        page.pending.push((id, if is_new { 0 } else { self.time }));
        page.blocks |= blocks;
        self.regions[region(page.base)] += 1;
        self.references += 1;
        self.entries[id as usize].references += 1;
    }

    /// The page `number` at `base` no longer refers to an entry.
    fn release(&mut self, id: u32, number: usize, base: u64) {
        self.references -= 1;
        self.regions[region(base)] -= 1;
        let entry = &mut self.entries[id as usize];
        entry.references -= 1;
        entry.gaps.push(number as u32);
        if !entry.closed && (entry.references == 0 || entry.gaps.len() > MAX_GAPS) {
            entry.closed = true;
            self.ids.remove(&entry.shape);
            let (stmt, is_vain) = (entry.stmt, entry.meets == 0);
            self.use_of(stmt).vain += u32::from(is_vain);
        }
        let entry = &mut self.entries[id as usize];
        if entry.references == 0 {
            entry.earlier = Vec::new();
            self.free.push(id);
            self.forget(id);
        }
    }

    /// Whether any page that overlaps `lo..hi` may have entries.
    fn is_near(&self, lo: u64, hi: u64) -> bool {
        let last = (hi - 1) >> REGION;
        self.references > 0
            && (last - (lo >> REGION) >= REGIONS as u64
                || ((lo >> REGION)..=last).any(|r| self.regions[r as usize % REGIONS] > 0))
    }

    /// Whether accesses may meet entries of a page.
    fn may_meet(&self, page: &Page, a: &Strided) -> bool {
        if page.blocks & blocks(a, page.base) == 0 {
            return false;
        }
        page.pending.len() > MAX_COMPARED
            || page.pending.iter().any(|&(id, _)| {
                let Entry { shape: Shape { first, stride, count, .. }, size, .. } = self.entries[id as usize];
                stride & PATTERN != 0 || {
                    let reads = Strided { first, stride, size, count };
                    first <= last_byte(a) && a.first <= last_byte(&reads)
                }
            })
    }

    /// Marks what entries refer to.
    pub fn mark(&self, classes: &mut [bool], instances: &mut [bool]) {
        for e in self.entries.iter().filter(|e| e.references > 0) {
            classes[e.shape.class as usize] = true;
            for x in e.earlier.iter().chain([&e.latest]) {
                instances[x.point.inst as usize] = true;
            }
        }
    }

    /// Moves executions, and forgets sources some of which may have moved.
    pub fn move_on(&mut self, move_on: &mut dyn FnMut(Stmt, &mut Point), may_move: &dyn Fn(&Piece) -> bool) {
        for id in 0..self.entries.len() as u32 {
            let entry = &mut self.entries[id as usize];
            if entry.references == 0 {
                continue;
            }
            let stmt = entry.stmt;
            entry.earlier.iter_mut().chain([&mut entry.latest]).for_each(|x| move_on(stmt, &mut x.point));
            if entry.sources.iter().flat_map(|sources| &sources[..]).any(may_move) {
                self.forget(id);
            }
        }
    }

    /// Applies new numbers.
    pub fn renumber(&mut self, classes: &[u32], instances: &[u32]) {
        self.ids.clear();
        self.source_bytes = 0;
        for (id, e) in self.entries.iter_mut().enumerate().filter(|(_, e)| e.references > 0) {
            e.shape.class = classes[e.shape.class as usize];
            // Pieces name classes that may be gone.
            e.sources = None;
            for x in e.earlier.iter_mut().chain([&mut e.latest]) {
                x.point.inst = instances[x.point.inst as usize];
            }
            if !e.closed {
                self.ids.insert(e.shape, id as u32);
            }
        }
    }
}

/// Which blocks of the page at `base` the accesses, some of which lie in it, touch (or may, if they are close to each
/// other). Byte ranges include their last byte: they may end with the address space.
pub(crate) fn blocks(a: &Strided, base: u64) -> u64 {
    let end = base + u64::from(PAGE - 1);
    let range = |first: u64, last: u64| {
        let (first, last) = (first.max(base) - base, last.min(end) - base);
        // From the first block up, less those behind the last.
        (u64::MAX << (first / BLOCK)) & (u64::MAX >> (63 - last / BLOCK))
    };
    if a.count == 1 || a.stride <= BLOCK {
        return range(a.first, last_byte(a));
    }
    let first = first_in(a.first, a.stride, a.size, base);
    (first..a.count as u64)
        .map(|t| a.first + a.stride * t)
        .take_while(|at| *at <= end)
        .fold(0, |all, at| all | range(at, at + u64::from(a.size - 1)))
}

fn last_byte(a: &Strided) -> u64 {
    a.first + (a.span() - 1)
}

/// The number of the first access that ends behind the start of the page at `base`.
fn first_in(first: u64, stride: u64, size: u32, base: u64) -> u64 {
    base.saturating_sub(first + u64::from(size - 1)).div_ceil(stride)
}

fn region(address: u64) -> usize {
    (address >> REGION) as usize % REGIONS
}

/// The first dimension in which two executions of one run differ.
fn diverge(arena: &Arena, a: Point, b: Point) -> Key {
    if a.inst == b.inst {
        return if a.k == b.k { MAX_DIMS } else { arena.lane(a.inst) } as Key;
    }
    let (a, b) = (arena.iv(a), arena.iv(b));
    a.0.iter().zip(&b.0).position(|(x, y)| x != y).unwrap_or(MAX_DIMS) as Key
}

impl Memory {
    /// Notes reads of disjoint elements instead of making them readers; false if the pages want to know at once.
    /// Element 0, at the lowest address, is read at `point`, the others after it if `up`, else before it.
    pub(crate) fn put_off(
        &mut self,
        class: u32,
        a: &Strided,
        up: bool,
        point: Point,
        client: &impl Client,
    ) -> bool {
        if a.stride >= PATTERN {
            return false;
        }
        let shape = Shape { class, first: a.first, stride: a.stride, count: a.count, up };
        if let Some(id) = self.pending.find(&shape) {
            self.meet(id, point, client);
            return true;
        }
        let stmt = self.tables.classes.get(class).stmt;
        if !self.pending.use_of(stmt).accepts(a.stride != u64::from(a.size)) {
            return false;
        }
        let mut numbers = std::mem::take(&mut self.numbers);
        numbers.clear();
        let mut gaps = SmallVec::new();
        self.pages_of(a, |page, number| {
            let blocks = blocks(a, page.base);
            if page.accepts(blocks) {
                numbers.push((number, blocks));
            } else {
                gaps.push(number as u32);
            }
            gaps.len() <= MAX_GAPS
        });
        let accepted = self.note(shape, a.size, (&numbers, gaps), point, client);
        self.numbers = numbers;
        accepted
    }

    /// Makes an entry that lies in some pages (with the blocks of each) and in gaps; false if there are too many of these.
    fn note(
        &mut self,
        shape: Shape,
        size: u32,
        (numbers, gaps): (&[(usize, u64)], SmallVec<[u32; 2]>),
        point: Point,
        client: &impl Client,
    ) -> bool {
        if gaps.len() > MAX_GAPS || numbers.is_empty() {
            return false;
        }
        if self.pending.bytes() + 4 * numbers.len() > MAX_BYTES {
            self.apply_range(0, u64::MAX, client);
        }
        for &number in &gaps {
            self.apply_at_once(number as usize, &shape, size, point, client);
        }
        let stmt = self.tables.classes.get(shape.class).stmt;
        let id = self.pending.add(shape, stmt, size, point);
        for &(number, blocks) in numbers {
            self.pending.refer(&mut self.directory.pages[number], id, blocks, true);
        }
        self.pending.entries[id as usize].gaps = gaps;
        true
    }

    /// As [`Memory::put_off`], for loads of a pattern in these pages.
    pub(crate) fn put_off_gather(
        &mut self,
        class: u32,
        gather: &Gather,
        numbers: &mut Vec<(usize, u64)>,
        point: Point,
        client: &impl Client,
    ) -> bool {
        let mut gaps = SmallVec::new();
        numbers.retain(|&(number, blocks)| {
            let accepts = self.directory.pages[number].accepts(blocks);
            if !accepts {
                gaps.push(number as u32);
            }
            accepts
        });
        self.note(Shape::gather(class, gather), gather.size, (numbers, gaps), point, client)
    }

    /// The entry of loads of a pattern, and whether they may depend on their sources at a level not reported load by
    /// load before.
    pub(crate) fn find_gather(&mut self, class: u32, gather: &Gather, point: Point) -> Option<(u32, bool)> {
        let id = self.pending.find(&Shape::gather(class, gather))?;
        let entry = &mut self.pending.entries[id as usize];
        let key = diverge(&self.tables.arena, entry.latest.point, point);
        let is_new = key < entry.told;
        entry.told = entry.told.min(key);
        Some((id, is_new))
    }

    /// Reports and notes a strided load that was noted before and whose bytes nothing has written since; false if
    /// there is no such.
    pub(crate) fn read_again(&mut self, o: &Operand, part: &Part, client: &mut impl Client) -> bool {
        let is_up = o.stride > 0;
        let (a, _, step) = Self::ascending(o.stride, o.base, o.size, part);
        if a.stride < u64::from(o.size) || a.stride >= PATTERN {
            return false;
        }
        let step = if a.stride == u64::from(o.size) { step } else { Iv::ZERO };
        let class = self.tables.classes.id(Class::plain(o.stmt, o.size, step, NO_CHAIN));
        let shape = Shape { class, first: a.first, stride: a.stride, count: a.count, up: is_up };
        let Some(id) = self.pending.find(&shape) else { return false };
        let point = part.point_at(if is_up { 0 } else { part.count - 1 });
        if !client.listens() {
            self.meet(id, point, client);
            return true;
        }
        let is_known = self.pending.knows(id, &self.directory.pages);
        let sources = self.sources(id, is_known, |m, out| m.gather(Side::Writers, &a, o.stmt, out));
        let sink = part.sink(o.stmt, Sinks::Each);
        for piece in &sources {
            let piece = if is_up { *piece } else { piece.reversed(part.count) };
            sink.report(client, Kind::Flow, &piece, |_| false);
        }
        self.known(id, is_known, sources);
        self.meet(id, point, client);
        true
    }

    /// Reports the sources of loads of a pattern noted before.
    pub(crate) fn report_gather(&mut self, id: u32, gather: &Gather, sink: &Sink, client: &mut impl Client) {
        if !client.listens() {
            return;
        }
        let is_known = self.pending.knows(id, &self.directory.pages);
        let sources = self.sources(id, is_known, |m, out| m.sources_of(gather, out));
        for piece in &sources {
            sink.report(client, Kind::Flow, piece, |_| false);
        }
        self.known(id, is_known, sources);
    }

    pub(crate) fn meet(&mut self, id: u32, point: Point, client: &impl Client) {
        let stmt = self.pending.entries[id as usize].stmt;
        let used = self.pending.use_of(stmt);
        used.met = used.met.saturating_add(1);
        let mut gap = 0;
        while let Some(&number) = self.pending.entries[id as usize].gaps.get(gap) {
            let Entry { shape, size, .. } = self.pending.entries[id as usize];
            let page = &mut self.directory.pages[number as usize];
            let blocks = shape.blocks(size, page.base, &self.patterns);
            if page.accepts(blocks) {
                if page.stored.max(self.pending.lattice) >= self.pending.entries[id as usize].known {
                    // Only of gaps it is asked whether they were stored to.
                    self.pending.forget(id);
                }
                self.pending.entries[id as usize].gaps.swap_remove(gap);
                self.pending.refer(page, id, blocks, false);
            } else {
                self.apply_at_once(number as usize, &shape, size, point, client);
                gap += 1;
            }
        }
        self.pending.meet(id, point, &self.tables.arena);
    }

    /// The sources of the entry `id`, asked for if they are not remembered; give them back with [`Memory::known`].
    fn sources(
        &mut self,
        id: u32,
        is_known: bool,
        ask: impl FnOnce(&mut Memory, &mut Vec<Piece>),
    ) -> Vec<Piece> {
        if is_known {
            return self.pending.entries[id as usize].sources.take().unwrap_or_default().into_vec();
        }
        let mut pieces = std::mem::take(&mut self.pieces);
        pieces.clear();
        ask(self, &mut pieces);
        pieces
    }

    fn known(&mut self, id: u32, is_known: bool, sources: Vec<Piece>) {
        if is_known {
            self.pending.entries[id as usize].sources = Some(sources.into_boxed_slice());
        } else {
            self.pending.remember(id, &sources);
            self.pieces = sources;
        }
    }

    /// Calls `f` with every page that the accesses touch, until it says no; whether it never did.
    fn pages_of(&mut self, a: &Strided, mut f: impl FnMut(&mut Page, usize) -> bool) -> bool {
        let mut before = None;
        let mut t = 0;
        while t < a.count {
            let at = a.at(t);
            let last = at + u64::from(a.size - 1);
            for address in [at, last] {
                let number = address / u64::from(PAGE);
                if before == Some(number) {
                    continue;
                }
                before = Some(number);
                let number = self.directory.entry(address);
                if !f(&mut self.directory.pages[number], number) {
                    return false;
                }
            }
            // On to the first access that ends behind this page.
            let room = u64::from(PAGE) - 1 - last % u64::from(PAGE);
            t += room.checked_div(a.stride).unwrap_or(0) as i64 + 1;
        }
        true
    }

    /// Makes the entries of all pages that the accesses touch readers.
    pub(crate) fn apply_pending(&mut self, a: &Strided, client: &impl Client) {
        if !self.pending.is_near(a.first, a.first + a.span()) {
            return;
        }
        let mut numbers = std::mem::take(&mut self.numbers);
        numbers.clear();
        self.pages_of(a, |page, number| {
            if !page.pending.is_empty() {
                numbers.push((number, 0));
            }
            true
        });
        for &(number, _) in &numbers {
            if self.pending.may_meet(&self.directory.pages[number], a) {
                self.apply_page(number, client);
            }
        }
        self.numbers = numbers;
    }

    /// Makes the entries of the pages that overlap `start..=last` readers.
    pub(crate) fn apply_range(&mut self, start: u64, last: u64, client: &impl Client) {
        if self.pending.references == 0 {
            return;
        }
        for number in 0..self.directory.pages.len() {
            let page = &self.directory.pages[number];
            if !page.pending.is_empty() && page.base <= last && page.base + u64::from(PAGE - 1) >= start {
                self.apply_page(number, client);
            }
        }
    }

    /// Makes the entries of a page readers if they may meet one access inside it.
    #[inline]
    pub(crate) fn apply_met(&mut self, number: usize, at: u64, size: u32, client: &impl Client) {
        let page = &self.directory.pages[number];
        if !page.pending.is_empty() && self.pending.may_meet(page, &Strided::one(at, size)) {
            self.apply_page(number, client);
        }
    }

    /// Makes the entries of a page readers, in order of time.
    pub(crate) fn apply_page(&mut self, number: usize, client: &impl Client) {
        let page = &mut self.directory.pages[number];
        let base = page.base;
        page.blocks = 0;
        let mut executions: Vec<(u64, Shape, u32, Point)> = Vec::with_capacity(page.pending.len() + 8);
        let (mut meets, entries) = (0u64, page.pending.len() as u64);
        for (id, since) in std::mem::take(&mut page.pending) {
            let entry = &self.pending.entries[id as usize];
            meets += u64::from(entry.meets);
            let all = entry.earlier.iter().chain([&entry.latest]).filter(|x| x.time > since);
            executions.extend(all.map(|x| (x.time, entry.shape, entry.size, x.point)));
            self.pending.release(id, number, base);
        }
        page.trust.applied(meets >= entries);
        executions.sort_unstable_by_key(|x| x.0);
        self.flush_page(number);
        let page = &mut self.directory.pages[number];
        for (_, shape, size, point) in executions {
            page.read(&mut self.tables, &self.patterns, client, &shape, size, point);
        }
    }

    /// Makes one execution readers of a page, whose entries are older.
    fn apply_at_once(&mut self, number: usize, shape: &Shape, size: u32, point: Point, client: &impl Client) {
        let page = &self.directory.pages[number];
        if !page.pending.is_empty() && page.blocks & shape.blocks(size, page.base, &self.patterns) != 0 {
            self.apply_page(number, client);
        }
        self.flush_page(number);
        self.directory.pages[number].read(&mut self.tables, &self.patterns, client, shape, size, point);
    }

    /// Writes the lattices of readers that meet a page into it, whose readers are about to change.
    fn flush_page(&mut self, number: usize) {
        let base = self.directory.pages[number].base;
        while let Some(i) = self.side(Side::Readers).meeting(base, base.saturating_add(u64::from(PAGE))) {
            let lattice = self.side(Side::Readers).take(i);
            self.flush(Side::Readers, &lattice);
        }
        self.changes[Side::Readers as usize].touch(base);
    }
}

impl Page {
    /// Whether the page takes another entry, of reads in these blocks.
    fn accepts(&mut self, blocks: u64) -> bool {
        self.pending.len() < MAX_PER_PAGE && (self.is_disturbed(blocks) || self.trust.accepts())
    }

    /// Whether readers in these blocks that are not noted would make entries readers too.
    fn is_disturbed(&self, blocks: u64) -> bool {
        self.blocks & blocks != 0
    }

    /// Makes the elements of a run inside the page readers.
    fn read(
        &mut self,
        t: &mut Tables,
        patterns: &Patterns,
        client: &impl Client,
        shape: &Shape,
        size: u32,
        point: Point,
    ) {
        let Shape { class, first, stride, count, up } = *shape;
        let (base, half) = (self.base, &mut self.readers);
        let end = base + u64::from(PAGE - 1);
        // The bytes of a range that lie in the page, as offsets.
        let inside =
            |first: u64, last: u64| ((first.max(base) - base) as u32, (last.min(end) - base) as u32 + 1);
        if stride & PATTERN != 0 {
            let stmt = t.classes.get(class).stmt;
            for (i, offset) in patterns.get(stride as u32).iter().enumerate() {
                let at = first.wrapping_add_signed(*offset);
                let last = at.saturating_add(u64::from(size - 1));
                if at <= end && last >= base {
                    let (x, y) = inside(at, last);
                    let point = Point { k: point.k + i as i32, ..point };
                    add_point(half, t, client, stmt, point, x, y);
                }
            }
            return;
        }
        if stride == u64::from(size) {
            let run = Run { start: first.wrapping_sub(base) as i64, class, point, e0: 0 };
            let (lo, hi) = inside(first, first + (stride * count as u64 - 1));
            return add_run(half, t, client, &run, lo, hi);
        }
        let stmt = t.classes.get(class).stmt;
        for i in first_in(first, stride, size, base) as i64..count {
            let at = first + stride * i as u64;
            if at > end {
                break;
            }
            let (x, y) = inside(at, at + u64::from(size - 1));
            let k = if up { point.k + i as i32 } else { point.k - i as i32 };
            add_point(half, t, client, stmt, Point { k, ..point }, x, y);
        }
    }
}
