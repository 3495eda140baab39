//! Half pages as cells of 8, 4 or 1 bytes.
//!
//! A cell names its last writer or reader; a reader cell also heads a list of earlier readers, latest (largest
//! key) first, in a slab shared by all pages. The lists follow the rule of [`crate::class`].

use crate::Stmt;
use crate::arena::Point;
use crate::class::{Class, Earlier, Field, Key, NO_CHAIN, is_redundant};
use crate::iv::Iv;
use crate::page::{PAGE, Seg, Tables};
use smallvec::SmallVec;

/// No statement: an empty cell.
pub(crate) const NONE: Stmt = u32::MAX;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Cell {
    pub stmt: Stmt,
    pub point: Point,
    /// First node of the earlier readers; 0 without any.
    pub chain: u32,
}

const EMPTY: Cell = Cell { stmt: NONE, point: Point { inst: 0, k: 0 }, chain: 0 };

#[derive(Clone, Copy)]
pub(crate) struct Node {
    pub stmt: Stmt,
    pub point: Point,
    pub key: Key,
    pub next: u32,
}

/// Slab of list nodes; number 0 is the end of every list.
pub(crate) struct Nodes {
    pub all: Vec<Node>,
    free: u32,
}

impl Nodes {
    pub fn new() -> Nodes {
        let end = Node { stmt: NONE, point: EMPTY.point, key: 0, next: 0 };
        Nodes { all: vec![end], free: 0 }
    }

    pub fn bytes(&self) -> usize {
        self.all.capacity() * size_of::<Node>()
    }

    pub fn push(&mut self, node: Node) -> u32 {
        if self.free != 0 {
            let at = self.free;
            self.free = self.all[at as usize].next;
            self.all[at as usize] = node;
            at
        } else {
            self.all.push(node);
            (self.all.len() - 1) as u32
        }
    }

    pub fn pop(&mut self, at: u32) -> u32 {
        let next = self.all[at as usize].next;
        self.all[at as usize] = Node { stmt: NONE, next: self.free, ..self.all[at as usize] };
        self.free = at;
        next
    }

    pub fn iter(&self, mut at: u32) -> impl Iterator<Item = &Node> {
        std::iter::from_fn(move || {
            let node = (at != 0).then(|| &self.all[at as usize])?;
            at = node.next;
            Some(node)
        })
    }

    /// Marks the instances that live nodes refer to.
    pub fn mark(&self, instances: &mut [bool]) {
        for node in self.all.iter().filter(|n| n.stmt != NONE) {
            instances[node.point.inst as usize] = true;
        }
    }

    /// Applies new instance numbers.
    pub fn renumber(&mut self, instances: &[u32]) {
        for node in self.all.iter_mut().filter(|n| n.stmt != NONE) {
            node.point.inst = instances[node.point.inst as usize];
        }
    }

    fn copy(&mut self, at: u32) -> u32 {
        if at == 0 {
            return 0;
        }
        let node = self.all[at as usize];
        let next = self.copy(node.next);
        self.push(Node { next, ..node })
    }
}

/// Writers or readers met, with the offset in the page at which each is met first.
pub(crate) type Sources = SmallVec<[(Stmt, Point, u32); 8]>;

pub(crate) struct Dense {
    shift: u32,
    pub cells: Box<[Cell]>,
    /// Bytes assigned in long runs lately, and how many it takes to try segments again.
    streak: u32,
    patience: u32,
}

fn shift_for(bits: u32) -> u32 {
    match bits.trailing_zeros() {
        0 | 1 => 0,
        2 => 2,
        _ => 3,
    }
}

impl Dense {
    /// Cells as large as `bits` (the or of all offsets and sizes) allows.
    pub fn new(bits: u32) -> Dense {
        let shift = shift_for(bits);
        Dense { shift, cells: vec![EMPTY; (PAGE >> shift) as usize].into(), streak: 0, patience: 2 * PAGE }
    }

    pub fn bytes(&self) -> usize {
        self.cells.len() * size_of::<Cell>()
    }

    #[inline]
    pub fn shift(&self) -> u32 {
        self.shift
    }

    /// Makes `lo..hi` consist of whole cells and returns their numbers.
    #[inline]
    pub fn range(&mut self, nodes: &mut Nodes, lo: u32, hi: u32) -> std::ops::Range<usize> {
        if (lo | hi) & ((1 << self.shift) - 1) != 0 {
            self.refine(nodes, shift_for(lo | hi));
        }
        (lo >> self.shift) as usize..(hi >> self.shift) as usize
    }

    fn refine(&mut self, nodes: &mut Nodes, shift: u32) {
        let copies = 1 << (self.shift - shift);
        let mut cells = Vec::with_capacity((PAGE >> shift) as usize);
        for cell in &self.cells {
            cells.push(*cell);
            for _ in 1..copies {
                cells.push(Cell { chain: nodes.copy(cell.chain), ..*cell });
            }
        }
        self.cells = cells.into();
        self.shift = shift;
    }

    #[inline]
    pub fn clear(&mut self, nodes: &mut Nodes, lo: u32, hi: u32) {
        for i in self.range(nodes, lo, hi) {
            let mut chain = self.cells[i].chain;
            while chain != 0 {
                chain = nodes.pop(chain);
            }
            self.cells[i] = EMPTY;
        }
    }

    /// Appends the writers or readers of the bytes `lo..hi` with the first offset at which each is met: an access over
    /// several cells has one dependence on each of them, whatever it finds in how many cells.
    pub fn sources(&self, nodes: &Nodes, lo: u32, hi: u32, out: &mut Sources) {
        let (first, last) = ((lo >> self.shift) as usize, ((hi - 1) >> self.shift) as usize);
        let mut previous = None;
        for (i, cell) in self.cells.iter().enumerate().take(last + 1).skip(first) {
            if cell.stmt == NONE || previous == Some(cell) {
                continue;
            }
            previous = Some(cell);
            let chain = nodes.iter(cell.chain).map(|n| (n.stmt, n.point));
            for (stmt, point) in std::iter::once((cell.stmt, cell.point)).chain(chain) {
                if !out.iter().any(|met| (met.0, met.1) == (stmt, point)) {
                    out.push((stmt, point, lo.max((i as u32) << self.shift)));
                }
            }
        }
    }

    /// Fills empty cells from a segment.
    pub fn fill(&mut self, t: &mut Tables, seg: &Seg) {
        let class = *t.classes.get(seg.class);
        let mut at = u32::from(seg.start);
        let mut e = i64::from(seg.e0);
        while at < u32::from(seg.end) {
            let first = t.arena.moved(seg.point, e, &class.step);
            let mut f = 0;
            while let Some(field) = t.classes.fields(&class, &mut [Field::NONE]).get(f).copied() {
                let point = t.arena.moved(first, 1, &field.shift);
                let at = at + field.at;
                for i in self.range(&mut t.nodes, at, at + field.size) {
                    let chain = if field.chain == NO_CHAIN { 0 } else { absolute(t, field.chain, point, e) };
                    self.cells[i] = Cell { stmt: field.stmt, point, chain };
                }
                f += 1;
            }
            at += class.size;
            e += 1;
        }
    }

    pub fn is_due(&mut self, bytes: u32) -> bool {
        if bytes < 256 {
            self.streak = self.streak.saturating_sub(64);
            return false;
        }
        self.streak += bytes;
        if self.streak < self.patience {
            return false;
        }
        self.streak = 0;
        self.patience = (2 * self.patience).min(64 * PAGE);
        true
    }

    /// The cells as at most `most` segments.
    pub fn segments(&self, t: &mut Tables, most: usize) -> Option<Vec<Seg>> {
        let mut out = Vec::new();
        let cells = &self.cells;
        let same = |a: &Cell, b: &Cell| a.stmt == b.stmt && a.point == b.point;
        let mut i = 0;
        while i < cells.len() {
            let first = cells[i];
            if first.stmt == NONE {
                i += 1;
                continue;
            }
            let chain = relative(t, &first);
            let width = |t: &mut Tables, at: usize, most: usize| {
                let head = cells[at];
                let end = cells.len().min(at + most);
                (at..end).take_while(|&j| same(&cells[j], &head) && relative(t, &cells[j]) == chain).count()
            };
            let w = width(t, i, 4096);
            let mut n = 1;
            let mut dk = 0;
            loop {
                let j = i + n * w;
                let Some(next) = cells.get(j) else { break };
                let d = i64::from(next.point.k) - i64::from(first.point.k);
                if n == 1 {
                    dk = d;
                }
                if next.stmt != first.stmt
                    || next.point.inst != first.point.inst
                    || dk.abs() != 1
                    || d != dk * n as i64
                    || relative(t, next) != chain
                    || width(t, j, w + 1) != w
                {
                    break;
                }
                n += 1;
            }
            if out.len() == most {
                return None;
            }
            if n <= 2
                && let Some((seg, cells)) = self.pattern(t, i)
            {
                out.push(seg);
                i += cells;
                continue;
            }
            let step = Iv::along(t.arena.lane(first.point.inst), dk);
            let step = if n == 1 { Iv::ZERO } else { step };
            let size = (w << self.shift) as u32;
            let class = t.classes.id(Class::plain(first.stmt, size, step, chain));
            let (start, end) = (i << self.shift, (i + n * w) << self.shift);
            out.push(Seg { start: start as u16, end: end as u16, class, point: first.point, e0: 0 });
            i += n * w;
        }
        Some(out)
    }
}

/// Most cells of an element looked for in cells.
const MAX_PERIOD: usize = 64;

impl Dense {
    /// At least three elements with several fields from cell `i` on, as a segment, and their number of cells.
    fn pattern(&self, t: &mut Tables, i: usize) -> Option<(Seg, usize)> {
        let first = self.cells[i];
        let ahead = |c: &Cell| i64::from(c.point.k) - i64::from(first.point.k);
        let is_next =
            |c: &Cell| c.stmt == first.stmt && c.point.inst == first.point.inst && ahead(c).abs() == 1;
        let rest = &self.cells[i..];
        let period = (2..rest.len().min(MAX_PERIOD)).find(|&p| is_next(&rest[p]))?;
        let by = ahead(&rest[period]);
        let mut same = 0;
        while let Some(next) = rest.get(same + period) {
            let this = rest[same];
            let is_repeated = this.stmt != NONE
                && next.stmt == this.stmt
                && next.point.inst == this.point.inst
                && i64::from(next.point.k) - i64::from(this.point.k) == by
                && relative(t, next) == relative(t, &this);
            if !is_repeated {
                break;
            }
            same += 1;
        }
        let n = same / period + 1;
        if n < 3 {
            return None;
        }
        let origin = t.arena.iv(first.point);
        let mut fields: Vec<Field> = Vec::new();
        for (j, cell) in rest[..period].iter().enumerate() {
            let (chain, shift) = (relative(t, cell), t.arena.iv(cell.point).minus(&origin));
            match fields.last_mut() {
                Some(f) if (f.stmt, f.chain, f.shift) == (cell.stmt, chain, shift) => {
                    f.size += 1 << self.shift
                }
                _ => {
                    let (at, size) = ((j as u32) << self.shift, 1 << self.shift);
                    fields.push(Field { at, size, stmt: cell.stmt, chain, shift });
                }
            }
        }
        let step = Iv::along(t.arena.lane(first.point.inst), by);
        // One instance has one lane, so its points are one step apart in all fields.
        if rest[..period].iter().any(|c| t.arena.lane(c.point.inst) != t.arena.lane(first.point.inst)) {
            return None;
        }
        let class = t.classes.with_fields((period << self.shift) as u32, step, &fields);
        let (start, end) = (i << self.shift, (i + n * period) << self.shift);
        Some((Seg { start: start as u16, end: end as u16, class, point: first.point, e0: 0 }, n * period))
    }
}

/// Adds a reader to a cell; `key_to` gives the key between the cell's reader and the new one.
#[inline]
pub(crate) fn add_reader(
    nodes: &mut Nodes,
    cell: &mut Cell,
    stmt: Stmt,
    point: Point,
    key_to: impl FnOnce(&Cell) -> Key,
) {
    if cell.stmt == NONE {
        *cell = Cell { stmt, point, chain: 0 };
        return;
    }
    if cell.stmt == stmt && cell.point == point {
        return;
    }
    let key = key_to(cell);
    let mut chain = cell.chain;
    while chain != 0 && nodes.all[chain as usize].key >= key {
        chain = nodes.pop(chain);
    }
    // An odd key never makes one redundant; then the rest of the list, seldom in the cache, need not be read.
    if key & 1 == 1 || !nodes.iter(chain).any(|n| is_redundant(n.key, key)) {
        chain = nodes.push(Node { stmt: cell.stmt, point: cell.point, key, next: chain });
    }
    *cell = Cell { stmt, point, chain };
}

fn absolute(t: &mut Tables, chain: u32, last: Point, e: i64) -> u32 {
    let mut list = 0;
    for i in 0..t.classes.chain(chain).len() {
        let Earlier { stmt, offset, step, key } = t.classes.chain(chain)[i];
        let point = t.arena.moved(last, 1, &offset.after(e, &step));
        list = t.nodes.push(Node { stmt, point, key, next: list });
    }
    list
}

fn relative(t: &mut Tables, cell: &Cell) -> u32 {
    if cell.chain == 0 {
        return NO_CHAIN;
    }
    let last = t.arena.iv(cell.point);
    let mut entries: Vec<Earlier> = t
        .nodes
        .iter(cell.chain)
        .map(|n| Earlier {
            stmt: n.stmt,
            offset: t.arena.iv(n.point).minus(&last),
            step: Iv::ZERO,
            key: n.key,
        })
        .collect();
    entries.reverse();
    t.classes.chain_id(entries)
}
