//! Half pages as cells of 8, 4 or 1 bytes.
//!
//! Where an access ends inside a cell, that cell is in parts from then on, until all of it is written at once. Only a page
//! with many such cells gets smaller ones throughout: one odd byte in a page does not make every access to it eight.
//!
//! A cell names its last writer or reader; a reader cell also heads a list of earlier readers, latest (largest
//! key) first, in a slab shared by all pages. The lists follow the rule of [`crate::class`].

use crate::Stmt;
use crate::arena::{Arena, Point};
use crate::class::{Class, Classes, Earlier, Field, Key, NO_CHAIN, is_redundant};
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

    /// Frees a list.
    #[inline]
    pub fn pop_all(&mut self, mut at: u32) {
        while at != 0 {
            at = self.pop(at);
        }
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

    /// The nodes of all lists.
    pub fn live_mut(&mut self) -> impl Iterator<Item = &mut Node> {
        self.all.iter_mut().filter(|n| n.stmt != NONE)
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

/// A cell in parts: `chain` is the number of the group of parts.
pub(crate) const PARTS: Stmt = u32::MAX - 1;

/// Most parts of a cell.
const MOST_PARTS: usize = 4;

/// Parts of one cell: two of 4 bytes, or four of 1 byte.
type Group = [Cell; MOST_PARTS];

pub(crate) struct Dense {
    shift: u32,
    pub cells: Box<[Cell]>,
    /// Parts of cells that accesses have cut. The first group belongs to none.
    groups: Vec<Group>,
    /// Groups that belong to no cell any more.
    free: Vec<u32>,
    /// Bytes assigned in long runs lately, and how many it takes to try segments again.
    streak: u32,
    patience: u32,
}

/// The size of the parts of a cell.
fn finer(shift: u32) -> u32 {
    if shift == 3 { 2 } else { 0 }
}

/// Where a cell stands.
#[derive(Clone, Copy)]
enum Slot {
    Cell(usize),
    Part(usize, usize),
}

impl Dense {
    /// Cells of 8 bytes, or of 4.
    pub fn new(are_small: bool) -> Dense {
        let shift = if are_small { 2 } else { 3 };
        Dense {
            shift,
            cells: vec![EMPTY; (PAGE >> shift) as usize].into(),
            groups: vec![[EMPTY; MOST_PARTS]],
            free: Vec::new(),
            streak: 0,
            patience: 2 * PAGE,
        }
    }

    pub fn bytes(&self) -> usize {
        size_of_val(&*self.cells) + self.groups.capacity() * size_of::<Group>()
    }

    #[inline]
    pub fn shift(&self) -> u32 {
        self.shift
    }

    /// Number of cells in parts, and of parts in parts.
    #[inline]
    fn cut_cells(&self) -> usize {
        self.groups.len() - 1 - self.free.len()
    }

    /// The cells and parts that name somebody.
    pub fn live(&self) -> impl Iterator<Item = &Cell> {
        self.cells.iter().chain(self.groups.iter().flatten()).filter(|cell| cell.stmt < PARTS)
    }

    /// The same.
    pub fn live_mut(&mut self) -> impl Iterator<Item = &mut Cell> {
        self.cells.iter_mut().chain(self.groups.iter_mut().flatten()).filter(|cell| cell.stmt < PARTS)
    }

    /// The smallest cell that holds a byte, and the byte behind its last.
    #[inline]
    fn at(&self, offset: u32) -> (&Cell, u32) {
        let mut shift = self.shift;
        let mut cell = &self.cells[(offset >> shift) as usize];
        while cell.stmt == PARTS {
            let within = offset & ((1 << shift) - 1);
            shift = finer(shift);
            cell = &self.groups[cell.chain as usize][(within >> shift) as usize];
        }
        (cell, ((offset >> shift) + 1) << shift)
    }

    /// The smallest cells that hold the bytes `lo..hi`, each with the first of these bytes in it.
    pub fn within(&self, lo: u32, hi: u32) -> impl Iterator<Item = (u32, &Cell)> {
        let mut at = lo;
        std::iter::from_fn(move || {
            let first = at;
            let (cell, end) = (first < hi).then(|| self.at(first))?;
            at = end;
            Some((first, cell))
        })
    }

    /// The cell of the bytes `lo..hi`, or what all of theirs say.
    #[inline]
    pub fn uniform(&self, lo: u32, hi: u32) -> Option<Cell> {
        let (first, last) = (lo >> self.shift, (hi - 1) >> self.shift);
        let cell = self.cells[first as usize];
        if first == last && cell.stmt != PARTS {
            return Some(cell);
        }
        let mut all = self.within(lo, hi).map(|(_, cell)| *cell);
        let cell = all.next()?;
        all.all(|other| other == cell).then_some(cell)
    }

    fn get(&mut self, slot: Slot) -> &mut Cell {
        match slot {
            Slot::Cell(i) => &mut self.cells[i],
            Slot::Part(group, i) => &mut self.groups[group][i],
        }
    }

    /// Calls `f` with every cell of the bytes `lo..hi`; those that reach beyond them are cut into parts.
    #[inline]
    pub fn each(&mut self, nodes: &mut Nodes, lo: u32, hi: u32, mut f: impl FnMut(&mut Nodes, &mut Cell)) {
        let shift = self.shift;
        if (lo | hi) & ((1 << shift) - 1) != 0 {
            return self.each_cut(nodes, (lo, hi), &mut f);
        }
        for i in (lo >> shift) as usize..(hi >> shift) as usize {
            match self.cells[i].stmt {
                PARTS => self.each_part(nodes, Slot::Cell(i), (shift, (i as u32) << shift), (lo, hi), &mut f),
                _ => f(nodes, &mut self.cells[i]),
            }
        }
    }

    #[inline(never)]
    fn each_cut(
        &mut self,
        nodes: &mut Nodes,
        (lo, hi): (u32, u32),
        f: &mut dyn FnMut(&mut Nodes, &mut Cell),
    ) {
        while self.shift > 0 && self.cut_cells() > self.cells.len() / 4 {
            self.refine(nodes);
        }
        let shift = self.shift;
        for i in lo >> shift..=(hi - 1) >> shift {
            self.each_part(nodes, Slot::Cell(i as usize), (shift, i << shift), (lo, hi), f);
        }
    }

    /// The same as [`Dense::each`] for those of the bytes that lie in one cell, whose size and first byte are given.
    fn each_part(
        &mut self,
        nodes: &mut Nodes,
        slot: Slot,
        (shift, start): (u32, u32),
        (lo, hi): (u32, u32),
        f: &mut dyn FnMut(&mut Nodes, &mut Cell),
    ) {
        if start >= hi || start + (1 << shift) <= lo {
            return;
        }
        if self.get(slot).stmt != PARTS {
            if lo <= start && start + (1 << shift) <= hi {
                return f(nodes, self.get(slot));
            }
            self.cut(nodes, slot, shift);
        }
        let (group, part) = (self.get(slot).chain as usize, finer(shift));
        for k in 0..1 << (shift - part) {
            self.each_part(nodes, Slot::Part(group, k), (part, start + ((k as u32) << part)), (lo, hi), f);
        }
    }

    /// Cuts a cell into parts.
    fn cut(&mut self, nodes: &mut Nodes, slot: Slot, shift: u32) {
        let cell = *self.get(slot);
        let group = self.free.pop().map_or(self.groups.len(), |group| group as usize);
        if group == self.groups.len() {
            self.groups.push([EMPTY; MOST_PARTS]);
        }
        for k in 0..1 << (shift - finer(shift)) {
            let chain = if k == 0 { cell.chain } else { nodes.copy(cell.chain) };
            self.groups[group][k] = Cell { chain, ..cell };
        }
        *self.get(slot) = Cell { stmt: PARTS, chain: group as u32, ..EMPTY };
    }

    /// Makes all cells smaller.
    fn refine(&mut self, nodes: &mut Nodes) {
        let shift = finer(self.shift);
        let parts = 1 << (self.shift - shift);
        let mut cells = Vec::with_capacity((PAGE >> shift) as usize);
        for cell in &self.cells {
            if cell.stmt == PARTS {
                let group = std::mem::replace(&mut self.groups[cell.chain as usize], [EMPTY; MOST_PARTS]);
                cells.extend_from_slice(&group[..parts]);
                self.free.push(cell.chain);
                continue;
            }
            cells.push(*cell);
            for _ in 1..parts {
                cells.push(Cell { chain: nodes.copy(cell.chain), ..*cell });
            }
        }
        self.cells = cells.into();
        self.shift = shift;
    }

    /// Forgets a cell with its parts.
    fn drop_cell(&mut self, nodes: &mut Nodes, slot: Slot) {
        let cell = std::mem::replace(self.get(slot), EMPTY);
        if cell.stmt == PARTS {
            for k in 0..MOST_PARTS {
                self.drop_cell(nodes, Slot::Part(cell.chain as usize, k));
            }
            self.free.push(cell.chain);
            return;
        }
        nodes.pop_all(cell.chain);
    }

    /// Forgets cells that are in parts and lie in the bytes `lo..hi`.
    #[inline]
    fn drop_parts(&mut self, nodes: &mut Nodes, lo: u32, hi: u32) {
        if self.cut_cells() > 0 {
            let whole = lo.div_ceil(1 << self.shift)..hi >> self.shift;
            for i in whole.start as usize..whole.end as usize {
                if self.cells[i].stmt == PARTS {
                    self.drop_cell(nodes, Slot::Cell(i));
                }
            }
        }
    }

    /// Makes one access the only one of the bytes `lo..hi`.
    #[inline]
    pub fn assign(&mut self, nodes: &mut Nodes, lo: u32, hi: u32, stmt: Stmt, point: Point) {
        self.drop_parts(nodes, lo, hi);
        self.each(nodes, lo, hi, |nodes, cell| {
            let before = std::mem::replace(cell, Cell { stmt, point, chain: 0 });
            nodes.pop_all(before.chain);
        });
    }

    #[inline]
    pub fn clear(&mut self, nodes: &mut Nodes, lo: u32, hi: u32) {
        self.drop_parts(nodes, lo, hi);
        self.each(nodes, lo, hi, |nodes, cell| {
            let before = std::mem::replace(cell, EMPTY);
            nodes.pop_all(before.chain);
        });
    }

    /// Appends the writers or readers of the bytes `lo..hi` with the first offset at which each is met: an access over
    /// several cells has one dependence on each of them, whatever it finds in how many cells.
    pub fn sources(&self, nodes: &Nodes, lo: u32, hi: u32, out: &mut Sources) {
        let mut previous = None;
        for (first, cell) in self.within(lo, hi) {
            if cell.stmt == NONE || previous == Some(cell) {
                continue;
            }
            previous = Some(cell);
            let chain = nodes.iter(cell.chain).map(|n| (n.stmt, n.point));
            for (stmt, point) in std::iter::once((cell.stmt, cell.point)).chain(chain) {
                if !out.iter().any(|met| (met.0, met.1) == (stmt, point)) {
                    out.push((stmt, point, first));
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
                self.assign(&mut t.nodes, at, at + field.size, field.stmt, point);
                if field.chain != NO_CHAIN {
                    let (classes, arena) = (&t.classes, &mut t.arena);
                    self.each(&mut t.nodes, at, at + field.size, |nodes, cell| {
                        cell.chain = absolute(classes, arena, nodes, (field.chain, point, e));
                    });
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
        if self.cut_cells() > 0 {
            return None;
        }
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

/// The chain of element `e` of a segment, whose last reader is given, as a list.
fn absolute(
    classes: &Classes,
    arena: &mut Arena,
    nodes: &mut Nodes,
    (chain, last, e): (u32, Point, i64),
) -> u32 {
    let mut list = 0;
    for &Earlier { stmt, offset, step, key } in classes.chain(chain) {
        let point = arena.moved(last, 1, &offset.after(e, &step));
        list = nodes.push(Node { stmt, point, key, next: list });
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
