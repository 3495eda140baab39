//! The engine: applies records to the shadow and reports what they depend on.

use crate::arena::{MAX_OFFSET, Point};
use crate::block::Parts;
use crate::cache::{Answer, Changes};
use crate::class::{Class, Field, NO_CHAIN};
use crate::dense::Sources;
use crate::emit::{Sink, Sinks};
use crate::gather::Patterns;
use crate::iv::Iv;
use crate::overlay::{Lattice, Overlay, Strided};
use crate::page::{Directory, PAGE, Page, Run, Tables};
use crate::pending::Pending;
use crate::query::{Accesses, Found, Piece, find, query};
use crate::readers::{add_point, add_run};
use crate::record::{Plan, Planner};
use crate::tiles::Groups;
use crate::{Client, DependenceRun, Kind, Operand, Record, Stmt};

/// Settings of [`Memory`].
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Interned iteration vectors and classes below which nothing is compacted.
    pub compact_from: usize,
}

impl Default for Options {
    fn default() -> Options {
        Options { compact_from: 1 << 16 }
    }
}

/// Bytes forgotten at once from which all remembered answers are dropped.
const FORGET_ALL: u64 = 1 << 24;

/// Last writers and readers of every byte.
pub struct Memory {
    options: Options,
    pub(crate) directory: Directory,
    pub(crate) tables: Tables,
    /// Boxed, like the groups, as they are taken out for every record.
    planner: Option<Box<Planner>>,
    groups: Option<Box<Groups>>,
    pub(crate) pieces: Vec<Piece>,
    /// For each statement, the number of the last (part of a) record that contained it.
    pub(crate) seen: Vec<u64>,
    pub(crate) now: u64,
    compact_at: usize,
    pub(crate) overlays: [Overlay; 2],
    pub(crate) changes: [Changes; 2],
    pub(crate) answers: Vec<[Option<Box<Answer>>; 2]>,
    pub(crate) fresh: Vec<Piece>,
    pub(crate) pending: Pending,
    /// Room for pages and their blocks.
    pub(crate) numbers: Vec<(usize, u64)>,
    pub(crate) patterns: Patterns,
    pub(crate) parts: Parts,
}

/// Part of a record: `count` iterations from `iv`.
#[derive(Clone, Copy)]
pub(crate) struct Part {
    pub iv: Iv,
    pub point: Point,
    pub lane: usize,
    pub count: i64,
}

impl Part {
    pub(crate) fn sink(&self, stmt: Stmt, sinks: Sinks) -> Sink<'_> {
        Sink { stmt, iv: &self.iv, lane: self.lane, sinks }
    }

    pub(crate) fn point_at(&self, t: i64) -> Point {
        Point { k: self.point.k + t as i32, ..self.point }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Writers,
    Readers,
}

impl Side {
    pub(crate) fn of(self, page: &mut Page) -> &mut crate::page::Half {
        match self {
            Side::Writers => &mut page.writers,
            Side::Readers => &mut page.readers,
        }
    }
}

impl Memory {
    /// An empty memory: no byte has a known writer or reader.
    pub fn new(options: Options) -> Memory {
        Memory {
            options,
            directory: Directory::new(),
            tables: Tables::new(),
            planner: None,
            groups: None,
            pieces: Vec::new(),
            seen: Vec::new(),
            now: 0,
            compact_at: options.compact_from,
            overlays: Default::default(),
            changes: [Changes::new(), Changes::new()],
            answers: Vec::new(),
            fresh: Vec::new(),
            pending: Pending::new(),
            numbers: Vec::new(),
            patterns: Patterns::default(),
            parts: Parts::default(),
        }
    }

    pub(crate) fn side(&mut self, side: Side) -> &mut Overlay {
        &mut self.overlays[side as usize]
    }

    /// The lattices of both sides.
    pub(crate) fn lattices(&self) -> impl Iterator<Item = &Lattice> {
        self.overlays.iter().flat_map(|overlay| &overlay.lattices)
    }

    /// Bytes of heap memory in use, approximately.
    pub fn bytes(&self) -> usize {
        let t = &self.tables;
        self.directory.bytes()
            + t.arena.bytes()
            + t.classes.bytes()
            + t.nodes.bytes()
            + self.seen.len() * 8
            + self.pending.bytes()
            + self.patterns.bytes()
    }

    /// The bytes `start..end` have new content from nowhere: their writers and readers are dropped.
    pub fn forget(&mut self, start: u64, end: u64, client: &impl Client) {
        if start >= end {
            return;
        }
        self.apply_range(start, end - 1, client);
        if end - start > FORGET_ALL {
            self.answers.clear();
        } else {
            self.changes.iter_mut().for_each(|c| c.touch_all(start, end));
        }
        for side in [Side::Writers, Side::Readers] {
            while let Some(i) = self.side(side).meeting(start, end) {
                let lattice = self.side(side).take(i);
                self.flush(side, &lattice);
            }
        }
        let tables = &mut self.tables;
        let now = self.pending.store();
        self.directory.for_each_in(start, end - 1, |page, lo, hi| {
            page.stored = now;
            page.writers.clear(tables, lo, hi);
            page.readers.clear(tables, lo, hi);
        });
    }

    /// Applies a record and reports its dependences.
    pub fn record(&mut self, record: &Record, client: &mut impl Client) {
        if record.count == 1 {
            let point = self.tables.arena.enter(&record.iv, record.lane);
            let lane = self.tables.arena.lane(point.inst);
            self.each_once(record.operands, &Part { iv: record.iv, point, lane, count: 1 }, client);
            return self.tidy();
        }
        let most = MAX_OFFSET as u64;
        let mut done = 0;
        while done < record.count {
            let count = (record.count - done).min(most);
            self.part(record, done, count, client);
            done += count;
        }
        self.tidy();
    }

    /// Applies a record that consists of one load, of several iterations.
    pub(crate) fn load_alone(&mut self, o: &Operand, record: &Record, client: &mut impl Client) {
        if record.count > MAX_OFFSET as u64 {
            return self.record(&Record { operands: &[*o], ..*record }, client);
        }
        let point = self.tables.arena.enter(&record.iv, record.lane);
        let lane = self.tables.arena.lane(point.inst);
        let part = Part { iv: record.iv, point, lane, count: record.count as i64 };
        if o.stride == 0 {
            self.load_constant(o, &part, client);
        } else if !self.read_again(o, &part, client) {
            let (a, ..) = Self::ascending(o.stride, o.base, o.size, &part);
            self.report(Side::Writers, &[(Kind::Flow, o.stmt)], o, &a, &part, client);
            self.put(o, &part, client);
        }
        self.tidy();
    }

    /// Drops what is not needed when there is enough of it.
    #[inline]
    fn tidy(&mut self) {
        if self.tables.arena.len() + self.tables.classes.len() >= self.compact_at {
            self.compact();
        }
    }

    fn part(&mut self, record: &Record, done: u64, count: u64, client: &mut impl Client) {
        let iv = match record.lane {
            Some(lane) if done > 0 => record.iv.advanced(usize::from(lane), done as i64),
            _ => record.iv,
        };
        let point = self.tables.arena.enter(&iv, record.lane);
        let lane = self.tables.arena.lane(point.inst);
        let part = Part { iv, point, lane, count: count as i64 };
        let at = |o: &Operand| Operand {
            base: o.base.wrapping_add_signed(o.stride.wrapping_mul(done as i64)),
            ..*o
        };
        let moved: Vec<Operand>;
        let operands = if done == 0 {
            record.operands
        } else {
            moved = record.operands.iter().map(at).collect();
            &moved
        };
        if count == 1 {
            return self.each_once(operands, &part, client);
        }
        let mut planner = self.planner.take().unwrap_or_default();
        let is_final = done + count == record.count;
        let mut plan = planner.plan(operands, count, is_final);
        let mut cut;
        let mut operands = operands;
        while let Plan::Cut = plan {
            cut = planner.cut.clone();
            operands = &cut;
            plan = planner.plan(operands, count, is_final);
        }
        match plan {
            Plan::Split(first) => {
                self.planner = Some(planner);
                self.part(record, done, first, client);
                self.part(record, done + first, count - first, client);
                return;
            }
            plan => self.apply(operands, &plan, &mut planner, &part, client),
        }
        self.planner = Some(planner);
    }

    /// Applies the operands of a single iteration.
    #[inline]
    fn each_once(&mut self, operands: &[Operand], part: &Part, client: &mut impl Client) {
        let mut at = 0;
        while let Some(mut o) = operands.get(at) {
            let mut loaded = None;
            if let Some(store) = operands.get(at + 1).filter(|store| is_update(o, store)) {
                (loaded, o) = (Some(o.stmt), store);
                at += 1;
            }
            self.single(o, loaded, part, Sinks::Each, 0, client);
            at += 1;
        }
    }

    fn apply(
        &mut self,
        operands: &[Operand],
        plan: &Plan,
        planner: &mut Planner,
        part: &Part,
        client: &mut impl Client,
    ) {
        let mut groups = self.groups.take().unwrap_or_default();
        groups.find(operands, part.count);
        let mut order = std::mem::take(&mut planner.order);
        match plan {
            Plan::Ordered => {}
            Plan::Loads => groups.sort_loads(operands, &mut order),
            _ => {
                order.clear();
                order.extend(0..operands.len() as u32);
            }
        }
        let is_ordered = *plan == Plan::Ordered;
        let moving = order.iter().map(|i| *i as usize).filter(|i| operands[*i].stride != 0);
        for (i, loaded) in updates(operands, moving) {
            let o = &operands[i];
            if is_ordered && planner.is_involved(i) {
                self.settle(&mut groups, operands, planner, i, part, client);
            }
            if o.write {
                self.report_store(o, loaded.map(|l| operands[l].stmt), part, client);
            } else {
                if groups.is_alone(i) && self.read_again(o, part, client) {
                    continue;
                }
                let (a, ..) = Self::ascending(o.stride, o.base, o.size, part);
                self.report(Side::Writers, &[(Kind::Flow, o.stmt)], o, &a, part, client);
            }
            if !groups.defer(i) {
                self.put(o, part, client);
            } else if !is_ordered && let Some(g) = groups.completed_by(i) {
                self.put_group(&mut groups, g, operands, part, client);
            }
        }
        for g in 0..groups.all.len() {
            self.put_group(&mut groups, g, operands, part, client);
        }
        self.groups = Some(groups);
        planner.order = order;
        let mut repeated = false;
        for (i, o) in operands.iter().enumerate() {
            if o.stride != 0 {
                continue;
            }
            if o.write || planner.is_involved(i) {
                repeated = true;
            } else {
                self.load_constant(o, part, client);
            }
        }
        if !repeated {
            return;
        }
        let constants = || {
            (0..operands.len())
                .filter(|&i| operands[i].stride == 0 && (operands[i].write || planner.is_involved(i)))
        };
        self.now += 1;
        for i in constants() {
            let s = operands[i].stmt as usize;
            if self.seen.len() <= s {
                self.seen.resize(s + 1, 0);
            }
            self.seen[s] = self.now;
        }
        for (sinks, t) in [(Sinks::Each, 0), (Sinks::Repeated(part.count - 1), part.count - 1)] {
            for (i, loaded) in updates(operands, constants()) {
                let loaded = loaded.map(|l| operands[l].stmt);
                self.single(&operands[i], loaded, part, sinks, t, client);
            }
        }
    }

    /// One access at iteration `t` of the part, reported as `sinks` says; a store may follow a load of the same
    /// bytes (see [`updates`]).
    #[allow(clippy::too_many_arguments)]
    fn single(
        &mut self,
        o: &Operand,
        loaded: Option<Stmt>,
        part: &Part,
        sinks: Sinks,
        t: i64,
        client: &mut impl Client,
    ) {
        let (mut at, mut left) = (o.base, o.size);
        if at as u32 % PAGE + left <= PAGE && left > 0 {
            return self.single_in_page(o, loaded, at, left, part, sinks, t, client);
        }
        while left > 0 {
            let offset = at as u32 % PAGE;
            let size = left.min(PAGE - offset);
            self.single_in_page(o, loaded, at, size, part, sinks, t, client);
            at = at.wrapping_add(u64::from(size));
            left -= size;
        }
    }

    #[allow(clippy::too_many_arguments)]
    #[inline]
    fn single_in_page(
        &mut self,
        o: &Operand,
        loaded: Option<Stmt>,
        at: u64,
        size: u32,
        part: &Part,
        sinks: Sinks,
        t: i64,
        client: &mut impl Client,
    ) {
        let sink = part.sink(o.stmt, sinks);
        let point = part.point_at(t);
        let number = self.directory.entry(at);
        if !o.write {
            self.report_at(number, Side::Writers, &[(Kind::Flow, sink)], at, size, client);
            return self.add_reader(number, at, size, o.stmt, point, client);
        }
        self.apply_met(number, at, size, client);
        if let Some(load) = loaded {
            let sinks = [(Kind::Flow, part.sink(load, sinks)), (Kind::Output, sink)];
            self.report_at(number, Side::Writers, &sinks, at, size, client);
            let iv = part.iv.advanced(part.lane, t);
            sink.report_one(client, Kind::Anti, load, &iv, at, |_| true);
        } else {
            self.report_at(number, Side::Writers, &[(Kind::Output, sink)], at, size, client);
        }
        self.report_at(number, Side::Readers, &[(Kind::Anti, sink)], at, size, client);
        let end = at.wrapping_add(u64::from(size));
        for side in [Side::Readers, Side::Writers] {
            if self.overlays[side as usize].touches(at, end) {
                self.cover(side, &Strided::one(at, size));
            }
            self.changes[side as usize].touch(at);
        }
        let offset = at as u32 % PAGE;
        let page = &mut self.directory.pages[number];
        page.stored = self.pending.store();
        page.readers.clear(&mut self.tables, offset, offset + size);
        page.writers.assign_access(&mut self.tables, offset, offset + size, o.stmt, point);
    }

    /// Makes one access inside the page `number` the latest reader of its bytes.
    pub(crate) fn add_reader(
        &mut self,
        number: usize,
        at: u64,
        size: u32,
        stmt: Stmt,
        point: Point,
        client: &impl Client,
    ) {
        self.apply_met(number, at, size, client);
        if self.overlays[1].touches(at, at.wrapping_add(u64::from(size)))
            && self.read_through(at, size, stmt, point, client)
        {
            return;
        }
        self.changes[1].touch(at);
        let offset = at as u32 % PAGE;
        let half = &mut self.directory.pages[number].readers;
        add_point(half, &mut self.tables, client, stmt, point, offset, offset + size);
    }

    /// Reports what one access inside the page `number` finds in lattices and pages of one side.
    #[inline]
    pub(crate) fn report_at(
        &mut self,
        number: usize,
        side: Side,
        sinks: &[(Kind, Sink)],
        at: u64,
        size: u32,
        client: &mut impl Client,
    ) {
        if !client.listens() {
            return;
        }
        if !self.overlays[side as usize].touches(at, at.wrapping_add(u64::from(size))) {
            return self.report_in(number, side, sinks, at, size, client);
        }
        self.pieces.clear();
        let mut pieces = std::mem::take(&mut self.pieces);
        self.gather(side, &Strided::one(at, size), sinks[0].1.stmt, &mut pieces);
        self.pieces = pieces;
        self.report_pieces(sinks, client);
    }

    fn report_pieces(&self, sinks: &[(Kind, Sink)], client: &mut impl Client) {
        let is_ours = |s: Stmt| self.seen.get(s as usize) == Some(&self.now);
        for (kind, sink) in sinks {
            for piece in &self.pieces {
                sink.report_all(client, *kind, piece, &self.tables.classes, is_ours);
            }
        }
    }

    /// Reports what one access inside a page finds in the page.
    #[inline]
    fn report_in(
        &mut self,
        number: usize,
        side: Side,
        sinks: &[(Kind, Sink)],
        at: u64,
        size: u32,
        client: &mut impl Client,
    ) {
        let half = side.of(&mut self.directory.pages[number]);
        if half.is_empty() {
            return;
        }
        let (t, seen, now) = (&self.tables, &self.seen, &self.now);
        let is_ours = |s: Stmt| seen.get(s as usize) == Some(now);
        let offset = at as u32 % PAGE;
        match find(half, t, offset, size) {
            Found::Nothing => {}
            Found::Cell(cell) => {
                let iv = t.arena.iv(cell.point);
                for (kind, sink) in sinks {
                    sink.report_one(client, *kind, cell.stmt, &iv, at, is_ours);
                    for node in t.nodes.iter(cell.chain) {
                        sink.report_one(client, *kind, node.stmt, &t.arena.iv(node.point), at, is_ours);
                    }
                }
            }
            Found::Element { stmt, iv, chain, e } => {
                for (kind, sink) in sinks {
                    sink.report_one(client, *kind, stmt, &iv, at, is_ours);
                    for earlier in t.classes.chain(chain) {
                        sink.report_one(client, *kind, earlier.stmt, &earlier.iv(&iv, e), at, is_ours);
                    }
                }
            }
            Found::Several => {
                if let Some(dense) = &half.dense {
                    let mut sources = Sources::new();
                    dense.sources(&t.nodes, offset, offset + size, &mut sources);
                    for (kind, sink) in sinks {
                        for (stmt, point, first) in &sources {
                            let at = at + u64::from(first - offset);
                            sink.report_one(client, *kind, *stmt, &t.arena.iv(*point), at, is_ours);
                        }
                    }
                    return;
                }
                let accesses = Accesses {
                    page: at - u64::from(offset),
                    offset,
                    stride: 0,
                    size,
                    count: 1,
                    t: 0,
                    is_whole: true,
                };
                self.pieces.clear();
                query(half, t, &accesses, &mut self.pieces);
                self.report_pieces(sinks, client);
            }
        }
    }

    fn load_constant(&mut self, o: &Operand, part: &Part, client: &mut impl Client) {
        let (mut at, mut left) = (o.base, o.size);
        while left > 0 {
            let offset = at as u32 % PAGE;
            let size = left.min(PAGE - offset);
            let sink = part.sink(o.stmt, Sinks::All(part.count));
            let number = self.directory.entry(at);
            let points = [part.point_at(part.count - 2), part.point_at(part.count - 1)];
            self.report_at(number, Side::Writers, &[(Kind::Flow, sink)], at, size, client);
            for point in points {
                self.add_reader(number, at, size, o.stmt, point, client);
            }
            at = at.wrapping_add(u64::from(size));
            left -= size;
        }
    }

    /// Makes all groups that operand `i` meets part of the shadow.
    fn settle(
        &mut self,
        groups: &mut Groups,
        operands: &[Operand],
        planner: &Planner,
        i: usize,
        part: &Part,
        client: &mut impl Client,
    ) {
        let o = &operands[i];
        for g in 0..groups.all.len() {
            let mut is_met = false;
            for m in 0..groups.all[g].members.len() {
                let j = groups.all[g].members[m] as usize;
                if !groups.is_pending[j] || !planner.meets(operands, part.count as u64, i, j) {
                    continue;
                }
                if is_update(&operands[j], o) {
                    groups.drop(j);
                    Self::report_update(o, operands[j].stmt, part, client);
                } else {
                    is_met = true;
                }
            }
            if is_met {
                self.put_group(groups, g, operands, part, client);
            }
        }
    }

    /// Makes the pending members of a group part of the shadow.
    fn put_group(
        &mut self,
        groups: &mut Groups,
        g: usize,
        operands: &[Operand],
        part: &Part,
        client: &mut impl Client,
    ) {
        let group = &mut groups.all[g];
        let is_whole = group.pending == group.members.len() as u32;
        group.is_broken = true;
        group.pending = 0;
        let mut at = 0;
        let mut fields = Vec::new();
        for &j in &group.members {
            let o = &operands[j as usize];
            if std::mem::take(&mut groups.is_pending[j as usize]) && !is_whole {
                self.put(o, part, client);
            }
            fields.push(Field { at, size: o.size, stmt: o.stmt, chain: NO_CHAIN, shift: Iv::ZERO });
            at += o.size;
        }
        if is_whole {
            let is_up = operands[group.members[0] as usize].stride > 0;
            let step = Iv::along(part.lane, if is_up { 1 } else { -1 });
            let class = self.tables.classes.with_fields(at, step, &fields);
            self.put_contiguous(group.write, class, is_up, part, &group.extent, client);
        }
    }

    /// Makes a strided operand the latest writer or reader of its bytes.
    fn put(&mut self, o: &Operand, part: &Part, client: &mut impl Client) {
        let (a, iv, step) = Self::ascending(o.stride, o.base, o.size, part);
        if a.stride == u64::from(o.size) {
            let class = self.tables.classes.id(Class::plain(o.stmt, o.size, step, NO_CHAIN));
            return self.put_contiguous(o.write, class, o.stride > 0, part, &a, client);
        }
        if o.write {
            return self.store_strided(&a, o.stmt, iv, step);
        }
        let is_up = o.stride > 0;
        if a.stride > u64::from(o.size) {
            let class = self.tables.classes.id(Class::plain(o.stmt, o.size, Iv::ZERO, NO_CHAIN));
            let point = part.point_at(if is_up { 0 } else { part.count - 1 });
            if self.put_off(class, &a, is_up, point, client) {
                return;
            }
        }
        self.apply_pending(&a, client);
        if a.stride > u64::from(o.size) && self.read_strided(&a, o.stmt, iv, step, client) {
            return;
        }
        self.flush_met(Side::Readers, &a);
        for t in 0..part.count {
            let (mut at, mut left) = (o.base.wrapping_add_signed(o.stride.wrapping_mul(t)), o.size);
            while left > 0 {
                let size = left.min(PAGE - at as u32 % PAGE);
                let number = self.directory.entry(at);
                self.add_reader(number, at, size, o.stmt, part.point_at(t), client);
                at = at.wrapping_add(u64::from(size));
                left -= size;
            }
        }
    }

    fn report_store(&mut self, o: &Operand, loaded: Option<Stmt>, part: &Part, client: &mut impl Client) {
        let (a, ..) = Self::ascending(o.stride, o.base, o.size, part);
        self.apply_pending(&a, client);
        let stores = [(Kind::Output, o.stmt)];
        match loaded {
            None => self.report(Side::Writers, &stores, o, &a, part, client),
            Some(load) => {
                self.report(Side::Writers, &[(Kind::Flow, load), stores[0]], o, &a, part, client);
                Self::report_update(o, load, part, client);
            }
        }
        self.report(Side::Readers, &[(Kind::Anti, o.stmt)], o, &a, part, client);
    }

    /// Reports that the store `o` follows a load of the same bytes in the same iteration.
    fn report_update(o: &Operand, load: Stmt, part: &Part, client: &mut impl Client) {
        let step = Iv::along(part.lane, 1);
        client.dependence(&DependenceRun {
            kind: Kind::Anti,
            source: load,
            sink: o.stmt,
            source_iv: part.iv,
            source_step: step,
            sink_iv: part.iv,
            sink_step: step,
            count: part.count as u64,
            address: o.base,
            address_step: o.stride,
        });
    }

    /// Makes elements without gaps the latest of their bytes.
    fn put_contiguous(
        &mut self,
        write: bool,
        class: u32,
        is_up: bool,
        part: &Part,
        a: &Strided,
        client: &impl Client,
    ) {
        let point = part.point_at(if is_up { 0 } else { part.count - 1 });
        let run = Ascending { lo: a.first, class, point };
        let end = a.first + a.span();
        if write {
            self.cover(Side::Readers, a);
            self.cover(Side::Writers, a);
            let now = self.pending.store();
            self.for_each_page(a.first, end, |page, t, base, x, y| {
                page.stored = now;
                page.readers.clear(t, x, y);
                page.writers.assign_run(t, &run.in_page(base), x, y);
            });
            self.changes[0].touch_all(a.first, end);
        } else {
            if self.put_off(class, a, is_up, point, client) {
                return;
            }
            self.apply_pending(a, client);
            self.flush_met(Side::Readers, a);
            self.for_each_page(a.first, end, |page, t, base, x, y| {
                add_run(&mut page.readers, t, client, &run.in_page(base), x, y);
            });
        }
        self.changes[1].touch_all(a.first, end);
    }

    pub(crate) fn for_each_page(
        &mut self,
        lo: u64,
        hi: u64,
        mut f: impl FnMut(&mut Page, &mut Tables, u64, u32, u32),
    ) {
        let mut at = lo;
        while at < hi {
            let base = at - at % u64::from(PAGE);
            let end = hi.min(base.saturating_add(u64::from(PAGE)));
            let number = self.directory.entry(at);
            f(
                &mut self.directory.pages[number],
                &mut self.tables,
                base,
                (at - base) as u32,
                (end - base) as u32,
            );
            at = end;
        }
    }

    /// Reports what a strided operand, whose extent does not wrap, finds on one side, as each of `sinks`.
    fn report(
        &mut self,
        side: Side,
        sinks: &[(Kind, Stmt)],
        o: &Operand,
        a: &Strided,
        part: &Part,
        client: &mut impl Client,
    ) {
        if !client.listens() {
            return;
        }
        let mut pieces = std::mem::take(&mut self.pieces);
        pieces.clear();
        self.gather(side, a, o.stmt, &mut pieces);
        for &(kind, stmt) in sinks {
            let sink = part.sink(stmt, Sinks::Each);
            for piece in &pieces {
                let piece = if o.stride > 0 { *piece } else { piece.reversed(part.count) };
                sink.report_all(client, kind, &piece, &self.tables.classes, |_| false);
            }
        }
        self.pieces = pieces;
    }

    /// Drops interned vectors and classes that no live byte refers to.
    fn compact(&mut self) {
        self.answers.clear();
        let t = &mut self.tables;
        let mut instances = vec![false; t.arena.len()];
        let mut classes = vec![false; t.classes.count()];
        for half in self.directory.pages.iter().flat_map(|p| [&p.writers, &p.readers]) {
            half.mark(&mut classes, &mut instances);
        }
        t.nodes.mark(&mut instances);
        self.pending.mark(&mut classes, &mut instances);
        let mut lattices: Vec<_> = self.overlays.iter_mut().flat_map(|o| &mut o.lattices).collect();
        for lattice in &lattices {
            classes[lattice.class as usize] = true;
        }
        let instances = t.arena.compact(&mut instances);
        let classes = t.classes.compact(&classes);
        for half in self.directory.pages.iter_mut().flat_map(|p| [&mut p.writers, &mut p.readers]) {
            half.renumber(&classes, &instances);
        }
        t.nodes.renumber(&instances);
        self.pending.renumber(&classes, &instances);
        for lattice in &mut lattices {
            lattice.class = classes[lattice.class as usize];
        }
        let shadow = self.directory.bytes() / 256;
        self.compact_at = 2 * (t.arena.len() + t.classes.len()) + self.options.compact_from + shadow;
    }
}

/// Whether the second operand is a store to the bytes that the first loads in the same iteration.
fn is_update(load: &Operand, store: &Operand) -> bool {
    !load.write
        && store.write
        && (load.base, load.stride, load.size) == (store.base, store.stride, store.size)
}

/// Operands in order, a load directly followed by a store to the same bytes (an update) as that store and the
/// load: the store ends the load's life as a reader at once.
fn updates(
    operands: &[Operand],
    order: impl Iterator<Item = usize>,
) -> impl Iterator<Item = (usize, Option<usize>)> {
    let mut order = order.peekable();
    std::iter::from_fn(move || {
        let i = order.next()?;
        Some(match order.next_if(|&j| is_update(&operands[i], &operands[j])) {
            Some(store) => (store, Some(i)),
            None => (i, None),
        })
    })
}

/// A contiguous run in ascending address order.
struct Ascending {
    lo: u64,
    class: u32,
    point: Point,
}

impl Ascending {
    fn in_page(&self, base: u64) -> Run {
        Run { start: self.lo.wrapping_sub(base) as i64, class: self.class, point: self.point, e0: 0 }
    }
}
