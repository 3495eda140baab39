//! Strided accesses: queries through lattices and cached answers, and new lattices.
//!
//! Invariant: a lattice is newer than the pages below it. Writers below may stay; readers below may stay too,
//! because a store, which leaves a hole, clears the pages it covers whether or not a lattice lay above.

use crate::arena::Point;
use crate::cache::{Answer, is_worth};
use crate::class::{AFFINE, Class, Field, NO_CHAIN, PLAIN, Preceding, key};
use crate::iv::Iv;
use crate::memory::{Memory, Part, Side};
use crate::overlay::{Lattice, Meeting, Strided};
use crate::page::{PAGE, Run, Seg};
use crate::query::{Accesses, Elements, NO_CLASS, Piece, query, slack};
use crate::{Client, Stmt};

impl Memory {
    /// Appends what the accesses find on one side, in order of access except among sources of one access.
    pub(crate) fn gather(&mut self, side: Side, a: &Strided, stmt: Stmt, out: &mut Vec<Piece>) {
        if !self.side(side).touches(a.first, a.first + a.span()) {
            return self.ask_pages(side, a, stmt, out);
        }
        let mut open = vec![(0, a.count)];
        let mut i = 0;
        while i < self.side(side).lattices.len() {
            let lattice = self.side(side).lattices[i];
            match lattice.meet(a) {
                Meeting::Nothing => i += 1,
                Meeting::Rows { from, to, row, into } => {
                    self.read_rows(&lattice, a, (from, to), row, into, out);
                    open = open
                        .into_iter()
                        .flat_map(|(x, y)| [(x, y.min(from)), (x.max(to), y)])
                        .filter(|(x, y)| x < y)
                        .collect();
                    i += 1;
                }
                Meeting::Row { row, into } => {
                    let chain = self.tables.classes.get(lattice.class).chain;
                    let Lattice { size, stmt, .. } = lattice;
                    let elements = Elements {
                        base: lattice.base + lattice.stride * row as u64,
                        size,
                        class: NO_CLASS,
                        fields: &[Field { at: 0, size, stmt, chain, shift: Iv::ZERO }],
                        e: 0,
                        iv: lattice.iv_at(row, 0),
                        step: lattice.by_column,
                    };
                    elements.query(into, a.stride, a.size, a.count, 0, out);
                    return;
                }
                Meeting::Covered | Meeting::Clash => {
                    let lattice = self.side(side).take(i);
                    self.flush(side, &lattice);
                }
            }
        }
        match *open.as_slice() {
            [] => {}
            [(0, n)] if n == a.count => return self.ask_pages(side, a, stmt, out),
            _ => {
                for (x, y) in open {
                    let part = Strided { first: a.at(x), count: y - x, ..*a };
                    let mut found = std::mem::take(&mut self.fresh);
                    found.clear();
                    self.query_pages(side, &part, &mut found, None);
                    out.extend(found.iter().map(|p| Piece { t: p.t + x, ..*p }));
                    self.fresh = found;
                }
            }
        }
        out.sort_by_key(|p| p.t);
    }

    fn read_rows(
        &self,
        l: &Lattice,
        a: &Strided,
        (from, to): (i64, i64),
        row: i64,
        into: u64,
        out: &mut Vec<Piece>,
    ) {
        let size = u64::from(l.size);
        for column in into / size..=(into + u64::from(a.size) - 1) / size {
            out.push(Piece {
                t: from,
                t_step: 1,
                count: to - from,
                stmt: l.stmt,
                class: if l.size == a.size { l.class } else { NO_CLASS },
                chain: self.tables.classes.get(l.class).chain,
                e: 0,
                e_step: 0,
                iv: l.iv_at(row, column as i64),
                step: l.by_row,
                address: l.base + l.stride * row as u64 + into.max(column * size),
                address_step: l.stride as i64,
                width: 0,
            });
        }
    }

    /// What pages alone say, from the statement's cached answer where possible.
    fn ask_pages(&mut self, side: Side, a: &Strided, stmt: Stmt, out: &mut Vec<Piece>) {
        if !is_worth(a) {
            return self.query_pages(side, a, out, None);
        }
        let s = stmt as usize;
        if self.answers.len() <= s {
            self.answers.resize_with(s + 1, Default::default);
        }
        let mut answer = self.answers[s][side as usize].take().unwrap_or_else(|| Box::new(Answer::none(a)));
        let known = answer.adapt(a, &self.tables, &self.changes[side as usize]);
        let time = self.changes[side as usize].now();
        if known < a.count {
            let rest = Strided { first: a.at(known), count: a.count - known, ..*a };
            let mut slack = answer.slack;
            let mut pieces = std::mem::take(&mut self.fresh);
            pieces.clear();
            self.query_pages(side, &rest, &mut pieces, Some(&mut slack));
            for piece in &mut pieces {
                piece.t += known;
                crate::query::push(&mut answer.pieces, *piece);
            }
            self.fresh = pieces;
            answer.slack = slack;
        }
        if answer.is_all(a) {
            out.extend_from_slice(&answer.pieces);
            answer.complete(a, time, &self.tables);
        } else {
            out.extend(answer.pieces.iter().filter_map(|p| p.within(0, a.count)));
        }
        self.answers[s][side as usize] = Some(answer);
    }

    /// Asks the pages, access by access or page by page; lowers `room` to how far the accesses may move.
    fn query_pages(
        &mut self,
        side: Side,
        a: &Strided,
        out: &mut Vec<Piece>,
        mut room: Option<&mut (u64, u64)>,
    ) {
        let mut t = 0;
        while t < a.count {
            let at = a.at(t);
            let offset = at as u32 % PAGE;
            if offset + a.size > PAGE {
                let (mut at, mut left) = (at, a.size);
                while left > 0 {
                    let offset = at as u32 % PAGE;
                    let size = left.min(PAGE - offset);
                    if let Some(number) = self.directory.lookup(at) {
                        let half = side.of(&mut self.directory.pages[number]);
                        let page = at - u64::from(offset);
                        query(
                            half,
                            &self.tables,
                            &Accesses { page, offset, stride: 0, size, count: 1, t, is_whole: false },
                            out,
                        );
                    }
                    at += u64::from(size);
                    left -= size;
                }
                if let Some(room) = &mut room {
                    **room = (0, 0);
                }
                t += 1;
                continue;
            }
            let fits = u64::from(PAGE - a.size - offset).checked_div(a.stride).unwrap_or(0);
            let count = (a.count - t).min(fits as i64 + 1);
            let number = self.directory.lookup(at);
            if let Some(number) = number {
                let half = side.of(&mut self.directory.pages[number]);
                if !half.is_empty() {
                    let page = at - u64::from(offset);
                    let stride = if count == 1 { 0 } else { a.stride as u32 };
                    let accesses = Accesses { page, offset, stride, size: a.size, count, t, is_whole: true };
                    query(half, &self.tables, &accesses, out);
                }
            }
            if let Some(room) = &mut room {
                for t in t..t + count {
                    let (down, up) = self.slack_at(side, number, a.at(t), a.size);
                    **room = (room.0.min(down), room.1.min(up));
                }
            }
            t += count;
        }
    }

    /// How far an access inside a page may move, also a little into the neighbouring pages.
    fn slack_at(&mut self, side: Side, number: Option<usize>, at: u64, size: u32) -> (u64, u64) {
        let offset = at as u32 % PAGE;
        let (down, up) = match number {
            None => (offset, PAGE - offset - size),
            Some(number) => slack(side.of(&mut self.directory.pages[number]), offset, size),
        };
        let is_dense = number.is_some_and(|n| side.of(&mut self.directory.pages[n]).dense.is_some());
        let at_end = offset + size + up == PAGE && up < 512 && !is_dense;
        let more = if at_end { self.continued(side, number, at + u64::from(size + up)) } else { 0 };
        (down.into(), u64::from(up) + more)
    }

    /// By how many bytes the page at `next` continues what ends the page `number`.
    fn continued(&mut self, side: Side, number: Option<usize>, next: u64) -> u64 {
        let last = number.and_then(|n| side.of(&mut self.directory.pages[n]).segs.last().copied());
        let last = last.filter(|s| u32::from(s.end) == PAGE);
        let first = match self.directory.lookup(next) {
            None => None,
            Some(n) => {
                let half = side.of(&mut self.directory.pages[n]);
                if half.dense.is_some() {
                    return 0;
                }
                half.segs.first().copied()
            }
        };
        match (last, first) {
            (None, None) => u64::from(PAGE),
            (None, Some(s)) => s.start.into(),
            (Some(s), Some(f)) if f.start == 0 && s.class == f.class => {
                let n = s.len() / self.tables.classes.get(s.class).size;
                let is_numbered_on = {
                    let class = self.tables.classes.get(s.class);
                    class.fields == PLAIN && class.chain & AFFINE == 0 || s.e0 + n == f.e0
                };
                let is_continued = is_numbered_on && self.tables.iv(&s, n) == self.tables.iv(&f, 0);
                if is_continued { f.len().into() } else { 0 }
            }
            _ => 0,
        }
    }

    /// Writes a lattice into pages.
    pub(crate) fn flush(&mut self, side: Side, l: &Lattice) {
        let chain = self.tables.classes.get(l.class).chain;
        let step = if l.columns == 1 { Iv::ZERO } else { l.by_column };
        let class = self.tables.classes.id(Class::plain(l.stmt, l.size, step, chain));
        let lane = l.by_row.0.iter().position(|x| *x != 0).unwrap_or(0);
        let first = self.tables.arena.point(&l.iv, lane);
        for row in 0..l.rows {
            let point = self.tables.arena.moved(first, row, &l.by_row);
            let lo = l.base + l.stride * row as u64;
            let hi = lo + l.columns as u64 * u64::from(l.size);
            self.assign_elements(side, lo, hi, class, point, l.columns == 1);
        }
    }

    fn assign_elements(&mut self, side: Side, lo: u64, hi: u64, class: u32, point: Point, is_one: bool) {
        self.changes[side as usize].touch_all(lo, hi);
        self.for_each_page(lo, hi, |page, t, base, x, y| {
            let run = Run { start: lo.wrapping_sub(base) as i64, class, point, e0: 0 };
            let half = side.of(page);
            if is_one && half.dense.is_none() && t.classes.get(class).size == y - x {
                half.assign_point(t, Seg { start: x as u16, end: y as u16, class, point, e0: 0 });
            } else {
                half.assign_run(t, &run, x, y);
            }
        });
    }

    /// Removes bytes about to be assigned from the lattices of one side.
    #[inline]
    pub(crate) fn cover(&mut self, side: Side, a: &Strided) {
        if self.side(side).touches(a.first, a.first + a.span()) {
            for lattice in self.side(side).cover(a) {
                self.flush(side, &lattice);
            }
        }
    }

    /// Flushes all lattices of one side that meet the accesses.
    pub(crate) fn flush_met(&mut self, side: Side, a: &Strided) {
        if !self.side(side).touches(a.first, a.first + a.span()) {
            return;
        }
        let mut i = 0;
        while let Some(lattice) = self.side(side).lattices.get(i).copied() {
            if let Meeting::Nothing = lattice.meet(a) {
                i += 1;
            } else {
                self.side(side).take(i);
                self.flush(side, &lattice);
            }
        }
    }

    /// Makes strided elements of `class` (without a step) the latest of one side.
    fn assign_strided(&mut self, side: Side, a: &Strided, class: u32, iv: Iv, by_row: Iv) {
        let Class { stmt, size, .. } = *self.tables.classes.get(class);
        let lattice = Lattice {
            base: a.first,
            stride: a.stride,
            rows: a.count,
            columns: 1,
            size,
            stmt,
            class,
            iv,
            by_row,
            by_column: Iv::ZERO,
        };
        if self.side(side).accepts(stmt, a) {
            if let Some(old) = self.side(side).add(lattice) {
                self.flush(side, &old);
            }
        } else {
            self.flush(side, &lattice);
        }
    }

    /// Makes a store the last writer of its strided elements and drops their readers.
    pub(crate) fn store_strided(&mut self, a: &Strided, stmt: Stmt, iv: Iv, by_row: Iv) {
        self.pending.store_lattice();
        self.cover(Side::Readers, a);
        let mut below = Vec::new();
        self.ask_pages(Side::Readers, a, stmt, &mut below);
        if !below.is_empty() {
            for t in 0..a.count {
                let at = a.at(t);
                self.changes[Side::Readers as usize].touch_all(at, at + u64::from(a.size));
                self.for_each_page(at, at + u64::from(a.size), |page, tables, _, x, y| {
                    page.readers.clear(tables, x, y);
                });
            }
        }
        self.cover(Side::Writers, a);
        let class = self.tables.classes.id(Class::plain(stmt, a.size, Iv::ZERO, NO_CHAIN));
        self.assign_strided(Side::Writers, a, class, iv, by_row);
    }

    /// Makes a load the latest reader of its strided elements; false if that takes single accesses.
    pub(crate) fn read_strided(
        &mut self,
        a: &Strided,
        stmt: Stmt,
        iv: Iv,
        by_row: Iv,
        client: &impl Client,
    ) -> bool {
        if !self.side(Side::Readers).accepts(stmt, a) {
            self.flush_met(Side::Readers, a);
            return false;
        }
        let mut old = std::mem::take(&mut self.pieces);
        old.clear();
        self.gather(Side::Readers, a, stmt, &mut old);
        let mut ranges: Vec<(i64, i64, u32)> = Vec::new();
        let mut add = |from: i64, to: i64, chain: u32| match ranges.last_mut() {
            Some(last) if last.2 == chain => last.1 = to,
            _ => ranges.push((from, to, chain)),
        };
        let mut at = 0;
        let mut is_plain = true;
        for piece in &old {
            is_plain = piece.class != NO_CLASS
                && piece.chain & AFFINE == 0
                && self.tables.classes.get(piece.class).size == a.size
                && piece.t >= at
                && piece.t_step == 1
                && (piece.count == 1 || piece.step == by_row)
                && piece.address == a.at(piece.t);
            if !is_plain {
                break;
            }
            if piece.t > at {
                add(at, piece.t, NO_CHAIN);
            }
            let now = iv.after(piece.t, &by_row);
            let key = key(client, piece.stmt, &piece.iv, stmt, &now);
            let chain = self.tables.classes.extended(Preceding {
                stmt: piece.stmt,
                chain: piece.chain,
                key,
                offset: piece.iv.minus(&now),
                step: Iv::ZERO,
                origin: 0,
                ratio: 0,
            });
            at = piece.t + piece.count;
            add(piece.t, at, chain);
        }
        self.pieces = old;
        if !is_plain {
            self.flush_met(Side::Readers, a);
            return false;
        }
        if at < a.count {
            add(at, a.count, NO_CHAIN);
        }
        self.cover(Side::Readers, a);
        for (from, to, chain) in ranges {
            let part = Strided { first: a.at(from), count: to - from, ..*a };
            let class = self.tables.classes.id(Class::plain(stmt, a.size, Iv::ZERO, chain));
            self.assign_strided(Side::Readers, &part, class, iv.after(from, &by_row), by_row);
        }
        true
    }

    /// Adds one reader where lattices may lie above the pages; false if the pages alone know.
    pub(crate) fn read_through(
        &mut self,
        at: u64,
        size: u32,
        stmt: Stmt,
        point: Point,
        client: &impl Client,
    ) -> bool {
        let a = Strided::one(at, size);
        let met = self.side(Side::Readers).lattices.iter().find_map(|l| match l.meet(&a) {
            Meeting::Nothing => None,
            Meeting::Row { row, into } if into % u64::from(l.size) == 0 && l.size == size => {
                Some(Some((*l, row, into / u64::from(size))))
            }
            _ => Some(None),
        });
        let Some(met) = met else { return false };
        let Some((l, row, column)) = met else {
            self.flush_met(Side::Readers, &a);
            return false;
        };
        let (then, now) = (l.iv_at(row, column as i64), self.tables.arena.iv(point));
        let key = key(client, l.stmt, &then, stmt, &now);
        let chain = self.tables.classes.get(l.class).chain;
        let chain = self.tables.classes.extended(Preceding {
            stmt: l.stmt,
            chain,
            key,
            offset: then.minus(&now),
            step: Iv::ZERO,
            origin: 0,
            ratio: 0,
        });
        let class = self.tables.classes.id(Class::plain(stmt, size, Iv::ZERO, chain));
        self.cover(Side::Readers, &a);
        self.assign_elements(Side::Readers, at, at + u64::from(size), class, point, true);
        true
    }

    /// The accesses of a strided operand whose extent does not wrap, in ascending address order, with the
    /// iteration vector of the first and its step.
    pub(crate) fn ascending(stride: i64, base: u64, size: u32, part: &Part) -> (Strided, Iv, Iv) {
        let n = part.count;
        let width = stride.unsigned_abs();
        let forward = stride > 0;
        let first = if forward { base } else { base - width * (n as u64 - 1) };
        let iv = if forward { part.iv } else { part.iv.advanced(part.lane, n - 1) };
        let step = Iv::along(part.lane, if forward { 1 } else { -1 });
        (Strided { first, stride: width, size, count: n }, iv, step)
    }
}
