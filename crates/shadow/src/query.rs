//! What a strided access finds in half a page, as pieces.
//!
//! A piece is an affine family of (access, source) pairs. Accesses and segment elements may differ in size and
//! stride: with element size `w` and stride `s`, the phase of an access relative to the elements repeats every
//! `w / gcd(w, s)` accesses, so each phase and each element touched in it is one piece with that step.

use crate::Stmt;
use crate::arena::Point;
use crate::class::{AFFINE, Field, NO_CHAIN, PLAIN};
use crate::dense::{Cell, NONE, PARTS};
use crate::iv::Iv;
use crate::page::{Half, Seg, Tables};

/// Access `t + u·t_step` meets `(stmt, iv + u·step)` first at byte `address + u·address_step`, for `u < count`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece {
    pub t: i64,
    pub t_step: i64,
    pub count: i64,
    pub stmt: Stmt,
    /// The class of the elements; [`NO_CLASS`] if there is not one or only parts of accesses meet them.
    pub class: u32,
    /// Their chain of earlier readers.
    pub chain: u32,
    /// Number of the first element in its class and step to the next, for affine chains.
    pub e: i64,
    pub e_step: i64,
    pub iv: Iv,
    pub step: Iv,
    pub address: u64,
    pub address_step: i64,
    /// Bytes of the elements met if they are those of one segment, else 0.
    pub width: u32,
}

/// Most accesses apart that two of one phase are looked for.
const MAX_APART: i64 = 8;

/// See [`Piece::class`].
pub(crate) const NO_CLASS: u32 = u32::MAX;

impl Piece {
    /// The piece as seen when the accesses are numbered from the last (`n − 1 − t`).
    pub fn reversed(&self, n: i64) -> Piece {
        let last = self.count - 1;
        Piece {
            t: n - 1 - (self.t + last * self.t_step),
            e: self.e.wrapping_add(last.wrapping_mul(self.e_step)),
            e_step: self.e_step.wrapping_neg(),
            iv: self.iv.after(last, &self.step),
            step: self.step.times(-1),
            address: self.address.wrapping_add_signed(last.wrapping_mul(self.address_step)),
            address_step: self.address_step.wrapping_neg(),
            ..*self
        }
    }

    /// The pairs of accesses `from..to`, if any.
    pub fn within(&self, from: i64, to: i64) -> Option<Piece> {
        let skip = (from - self.t).max(0).div_euclid(self.t_step)
            + i64::from((from - self.t).max(0).rem_euclid(self.t_step) != 0);
        let end = self.count.min((to - self.t + self.t_step - 1).div_euclid(self.t_step));
        (skip < end).then(|| Piece {
            t: self.t + skip * self.t_step,
            count: end - skip,
            e: self.e.wrapping_add(skip.wrapping_mul(self.e_step)),
            iv: self.iv.after(skip, &self.step),
            address: self.address.wrapping_add_signed(skip.wrapping_mul(self.address_step)),
            ..*self
        })
    }

    /// Both together, if `next` continues this one. Steps of sources that decide alone that it does must be `usual`.
    fn continues(&self, next: &Piece, usual: impl Fn(&Iv) -> bool) -> Option<Piece> {
        let ahead = next.t - self.t;
        let is_next = match (self.count, next.count) {
            (1, 1) => (1..=MAX_APART).contains(&ahead),
            (1, _) => ahead == next.t_step,
            (n, _) => ahead == n * self.t_step,
        };
        if !is_next || self.stmt != next.stmt || self.chain != next.chain {
            return None;
        }
        let shape = |p: &Piece| (p.t_step, p.step, p.address_step, p.e_step);
        let is_same = |p: &Piece, q: &Piece| {
            let of = |p: &Piece| (p.t_step, p.step, p.address_step);
            of(p) == of(q) && (p.chain & AFFINE == 0 || p.e_step == q.e_step)
        };
        let (t_step, step, address_step, e_step) = match (self.count, next.count) {
            (1, 1) => {
                let step = next.iv.minus(&self.iv);
                let apart = next.address.wrapping_sub(self.address);
                // At the same place in elements of one size, or just the next.
                let is_in_phase = self.width != 0
                    && self.width == next.width
                    && apart.is_multiple_of(u64::from(self.width));
                if !is_in_phase && (ahead != 1 || !usual(&step)) {
                    return None;
                }
                (ahead, step, apart as i64, next.e.wrapping_sub(self.e))
            }
            (1, _) => shape(next),
            (_, 1) => shape(self),
            _ if is_same(self, next) => shape(self),
            _ => return None,
        };
        let n = self.count;
        (self.t + n * t_step == next.t
            && (self.chain & AFFINE == 0 || self.e.wrapping_add(n.wrapping_mul(e_step)) == next.e)
            && self.address.wrapping_add_signed(n.wrapping_mul(address_step)) == next.address
            && self.iv.after(n, &step) == next.iv)
            .then_some(Piece {
                t_step,
                step,
                address_step,
                e_step,
                count: n + next.count,
                class: if self.class == next.class { self.class } else { NO_CLASS },
                ..*self
            })
    }
}

/// Appends a piece, joining it to one of the latest if it continues that.
pub(crate) fn push(out: &mut Vec<Piece>, piece: Piece) {
    push_near(out, piece, 4);
}

/// Appends a piece, joining it to one of the `near` latest if it continues that.
fn push_near(out: &mut Vec<Piece>, piece: Piece, near: usize) {
    for last in out.iter_mut().rev().take(near) {
        if let Some(joined) = last.continues(&piece, Iv::is_simple) {
            *last = joined;
            return;
        }
    }
    out.push(piece);
}

/// As [`push`], wherever the accesses are: the address of a joined piece is 0.
pub(crate) fn push_anywhere(out: &mut Vec<Piece>, piece: Piece) {
    for last in out.iter_mut().rev().take(4) {
        let address = last.address.wrapping_add_signed(last.count.wrapping_mul(last.address_step));
        let usual = |step: &Iv| step.is_simple() || step.is_along_one();
        if let Some(joined) = last.continues(&Piece { address, width: 0, ..piece }, usual) {
            *last = Piece { address: 0, address_step: 0, ..joined };
            return;
        }
    }
    out.push(Piece { address_step: 0, width: 0, ..piece });
}

/// `count` accesses of `size` bytes, the first at byte `offset` of a page, each `stride` ≥ 0 further; all inside
/// the page.
#[derive(Clone, Copy)]
pub(crate) struct Accesses {
    pub page: u64,
    pub offset: u32,
    pub stride: u32,
    pub size: u32,
    pub count: i64,
    /// Number of the first access.
    pub t: i64,
    /// Whether these are whole accesses, not parts of some.
    pub is_whole: bool,
}

impl Accesses {
    fn skip(&mut self, n: i64) {
        self.t += n;
        self.count -= n;
        if self.count > 0 {
            self.offset += n as u32 * self.stride;
        }
    }

    /// How many of the accesses end at or before `limit`; at least 1 is assumed to.
    fn before(&self, limit: u32) -> i64 {
        let room = limit.saturating_sub(self.offset + self.size);
        match self.stride {
            0 => self.count,
            s => self.count.min(i64::from(room / s) + 1),
        }
    }
}

/// Appends what the accesses find, with the chains of readers spelled out.
pub(crate) fn query(half: &Half, t: &Tables, accesses: &Accesses, out: &mut Vec<Piece>) {
    let mut a = *accesses;
    if half.dense.is_some() {
        while a.count > 0 {
            let n = query_cells(half, t, &a, out);
            a.skip(n);
        }
        return;
    }
    let segs = &half.segs;
    let mut i = half.find(a.offset);
    while a.count > 0 {
        while i < segs.len() && u32::from(segs[i].end) <= a.offset {
            i += 1;
        }
        let Some(seg) = segs.get(i) else { return };
        let (start, end) = (u32::from(seg.start), u32::from(seg.end));
        let n = if start >= a.offset + a.size {
            a.before(start)
        } else if start <= a.offset && a.offset + a.size <= end {
            let n = a.before(end);
            query_segment(t, seg, &Accesses { count: n, ..a }, out);
            n
        } else {
            for seg in segs[i..].iter().take_while(|s| u32::from(s.start) < a.offset + a.size) {
                let lo = a.offset.max(u32::from(seg.start));
                let hi = (a.offset + a.size).min(u32::from(seg.end));
                query_segment(
                    t,
                    seg,
                    &Accesses { offset: lo, size: hi - lo, count: 1, is_whole: false, ..a },
                    out,
                );
            }
            1
        };
        a.skip(n);
    }
}

/// How far (bytes down, bytes up) an access may move and still find the same elements' neighbours, or still
/// nothing; zero where that is not obvious.
pub(crate) fn slack(half: &Half, offset: u32, size: u32) -> (u32, u32) {
    if half.dense.is_some() {
        return (0, 0);
    }
    let i = half.find(offset);
    let before = i.checked_sub(1).map_or(0, |i| u32::from(half.segs[i].end));
    match half.segs.get(i) {
        None => (offset - before, crate::page::PAGE - offset - size),
        Some(s) if u32::from(s.start) >= offset + size => {
            (offset - before, u32::from(s.start) - offset - size)
        }
        Some(s) if u32::from(s.start) <= offset && u32::from(s.end) >= offset + size => {
            (offset - u32::from(s.start), u32::from(s.end) - offset - size)
        }
        Some(_) => (0, 0),
    }
}

/// What one access finds.
pub(crate) enum Found {
    Nothing,
    /// One cell, or several that agree.
    Cell(Cell),
    /// One element of a segment.
    Element {
        stmt: Stmt,
        iv: Iv,
        chain: u32,
        e: i64,
    },
    /// Anything else: [`query`] tells.
    Several,
}

/// What an access of `size` bytes at `offset` finds.
#[inline]
pub(crate) fn find(half: &Half, t: &Tables, offset: u32, size: u32) -> Found {
    if let Some(dense) = &half.dense {
        return match dense.uniform(offset, offset + size) {
            None => Found::Several,
            Some(cell) if cell.stmt == NONE => Found::Nothing,
            Some(cell) => Found::Cell(cell),
        };
    }
    let Some(seg) = half.segs.get(half.find(offset)) else { return Found::Nothing };
    let (start, end) = (u32::from(seg.start), u32::from(seg.end));
    if start >= offset + size {
        return Found::Nothing;
    }
    if start > offset || end < offset + size {
        return Found::Several;
    }
    let class = t.classes.get(seg.class);
    let (first, last) = if seg.len() == class.size {
        (0, 0)
    } else {
        ((offset - start) / class.size, (offset - start + size - 1) / class.size)
    };
    if first != last {
        return Found::Several;
    }
    let (iv, e) = (t.iv(seg, first), i64::from(seg.e0 + first));
    if class.fields == PLAIN {
        return Found::Element { stmt: class.stmt, iv, chain: class.chain, e };
    }
    let into = offset - start - first * class.size;
    let mut one = [Field::NONE];
    let mut fields = t.classes.fields(class, &mut one).iter();
    match fields.find(|f| f.at <= into && into + size <= f.at + f.size) {
        Some(f) => Found::Element { stmt: f.stmt, iv: iv.after(1, &f.shift), chain: f.chain, e },
        None => Found::Several,
    }
}

pub(crate) fn gcd(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Adjacent elements: element `e` is `size` bytes at `base + e·size`; its fields belong to `iv + e·step + shift`.
pub(crate) struct Elements<'a> {
    pub base: u64,
    pub size: u32,
    pub class: u32,
    pub fields: &'a [Field],
    /// Number of element 0 in its class.
    pub e: i64,
    pub iv: Iv,
    pub step: Iv,
}

/// More phases than this are not told apart.
const MAX_PHASES: u64 = 32;

impl Elements<'_> {
    /// Appends what `count` accesses of `size` bytes find, the first (number `t`) at byte `into`, all inside.
    pub fn query(&self, into: u64, stride: u64, size: u32, count: i64, t: i64, out: &mut Vec<Piece>) {
        let width = u64::from(self.size);
        let (period, elements) = if stride == width {
            (1, 1)
        } else if count == 1 || stride == 0 {
            (1, 0)
        } else {
            let g = gcd(self.size, (stride % width) as u32) as u64;
            (width / g, stride / g)
        };
        if period > MAX_PHASES && stride < width && count > 1 {
            return self.query_pieces(into, stride, size, count, t, out);
        }
        let is_plain = self.fields.len() == 1 && period == 1 && width <= u64::from(size);
        let near = 4 + if is_plain { 0 } else { 2 * MAX_PHASES as usize };
        let period = period as i64;
        for phase in 0..period.min(count) {
            let r = into + phase as u64 * stride;
            let count = (count - phase + period - 1) / period;
            let elements = if count == 1 { 0 } else { elements as i64 };
            let shape = (period, count, elements, period * stride as i64);
            self.phase(r, size, t + phase, shape, near, out);
        }
    }

    /// The accesses at byte `r` and then every `elements` elements.
    #[inline]
    fn phase(
        &self,
        r: u64,
        size: u32,
        t: i64,
        (t_step, count, elements, address_step): (i64, i64, i64, i64),
        near: usize,
        out: &mut Vec<Piece>,
    ) {
        let width = u64::from(self.size);
        let end = r + u64::from(size);
        for e in r / width..=(end - 1) / width {
            for f in self.fields {
                let at = e * width + u64::from(f.at);
                if at >= end || at + u64::from(f.size) <= r {
                    continue;
                }
                let piece = Piece {
                    t,
                    t_step,
                    count,
                    stmt: f.stmt,
                    class: self.class,
                    chain: f.chain,
                    e: self.e + e as i64,
                    e_step: elements,
                    iv: self.iv.after(e as i64, &self.step).after(1, &f.shift),
                    step: if elements == 0 { Iv::ZERO } else { self.step.times(elements) },
                    address: self.base + r.max(at),
                    address_step,
                    width: self.size,
                };
                push_near(out, piece, near);
            }
        }
    }

    /// The accesses, those inside one field of one element together.
    fn query_pieces(&self, into: u64, stride: u64, size: u32, count: i64, t: i64, out: &mut Vec<Piece>) {
        let width = u64::from(self.size);
        let mut done = 0;
        while done < count {
            let r = into + done as u64 * stride;
            let within = (r % width) as u32;
            let mut fields = self.fields.iter();
            let field = fields.find(|f| f.at <= within && within + size <= f.at + f.size);
            let n = field.map_or(1, |f| u64::from(f.at + f.size - within - size) / stride + 1);
            let n = (count - done).min(n as i64);
            self.phase(r, size, t + done, (1, n, 0, stride as i64), 4, out);
            done += n;
        }
    }
}

/// Accesses wholly inside one segment.
fn query_segment(t: &Tables, seg: &Seg, a: &Accesses, out: &mut Vec<Piece>) {
    let class = t.classes.get(seg.class);
    let mut one = [Field::NONE];
    let elements = Elements {
        base: a.page + u64::from(seg.start),
        size: class.size,
        class: if a.is_whole && class.fields == PLAIN { seg.class } else { NO_CLASS },
        fields: t.classes.fields(class, &mut one),
        e: seg.e0.into(),
        iv: t.iv(seg, 0),
        step: if seg.len() == class.size { Iv::ZERO } else { class.step },
    };
    elements.query((a.offset - u32::from(seg.start)).into(), a.stride.into(), a.size, a.count, a.t, out);
}

/// The longest run of accesses that meet one cell each in arithmetic progression, with parallel earlier readers;
/// or the first access alone. Returns the number of accesses.
fn query_cells(half: &Half, t: &Tables, a: &Accesses, out: &mut Vec<Piece>) -> i64 {
    let Some(dense) = &half.dense else { return a.count };
    let shift = dense.shift();
    let (first, last) = ((a.offset >> shift) as usize, ((a.offset + a.size - 1) >> shift) as usize);
    let mut n = 1;
    let mut stride = 0;
    if first == last && (a.stride | a.offset) & ((1 << shift) - 1) == 0 {
        stride = (a.stride >> shift) as usize;
        let cell = |i: i64| dense.cells[first + i as usize * stride];
        if cell(0).stmt == NONE {
            return (1..a.count).find(|&i| cell(i).stmt != NONE).unwrap_or(a.count);
        }
        while n < a.count && cell(0).stmt != PARTS && continues(t, &cell(0), &cell(1), &cell(n), n) {
            n += 1;
        }
        if n < MAX_PERIOD && a.count >= 2 * MAX_PERIOD {
            for period in [2, 4, MAX_PERIOD] {
                let n = periodic(&cell, period, a.count);
                if n >= 2 * MAX_PERIOD {
                    for phase in 0..period {
                        push(out, phase_of(t, a, cell, period, phase, n));
                    }
                    return n;
                }
            }
        }
    }
    let mut previous = None;
    // An access over several cells has one dependence on each reader or writer, whatever it finds in how many of them.
    let mut met: Vec<(Stmt, Point)> = Vec::new();
    let is_several = first < last || dense.cells[first].stmt == PARTS;
    for (at, &cell) in dense.within(a.offset, a.offset + a.size) {
        if cell.stmt == NONE || previous == Some(cell) {
            continue;
        }
        previous = Some(cell);
        let next = if n > 1 { dense.cells[first + stride] } else { cell };
        let mut add = |stmt, from: Point, to: Point| {
            if is_several {
                if met.contains(&(stmt, from)) {
                    return;
                }
                met.push((stmt, from));
            }
            let piece = Piece {
                t: a.t,
                t_step: 1,
                count: n,
                stmt,
                class: NO_CLASS,
                chain: NO_CHAIN,
                e: 0,
                e_step: 0,
                iv: t.arena.iv(from),
                step: Iv::along(t.arena.lane(from.inst), i64::from(to.k) - i64::from(from.k)),
                address: a.page + u64::from(at),
                address_step: i64::from(a.stride),
                width: 0,
            };
            push(out, piece);
        };
        add(cell.stmt, cell.point, next.point);
        for (from, to) in t.nodes.iter(cell.chain).zip(t.nodes.iter(next.chain)) {
            add(from.stmt, from.point, to.point);
        }
    }
    n
}

/// Longest period looked for in cells: eight elements written by one vector store.
const MAX_PERIOD: i64 = 8;

/// How many cells each continue the one `period` before, all by the same step, without earlier readers.
fn periodic(cell: &impl Fn(i64) -> Cell, period: i64, count: i64) -> i64 {
    let ahead = |i: i64| {
        let (this, next) = (cell(i - period), cell(i));
        let is_parallel = this.stmt == next.stmt
            && this.stmt != NONE
            && this.point.inst == next.point.inst
            && (this.chain | next.chain) == 0;
        is_parallel.then(|| i64::from(next.point.k) - i64::from(this.point.k))
    };
    let Some(step) = ahead(period) else { return 0 };
    period + (period..count).take_while(|&i| ahead(i) == Some(step)).count() as i64
}

/// The cells of one phase among the first `n`.
fn phase_of(t: &Tables, a: &Accesses, cell: impl Fn(i64) -> Cell, period: i64, phase: i64, n: i64) -> Piece {
    let (first, second) = (cell(phase), cell(phase + period));
    let ahead = i64::from(second.point.k) - i64::from(first.point.k);
    Piece {
        t: a.t + phase,
        t_step: period,
        count: (n - phase + period - 1) / period,
        stmt: first.stmt,
        class: NO_CLASS,
        chain: NO_CHAIN,
        e: 0,
        e_step: 0,
        iv: t.arena.iv(first.point),
        step: Iv::along(t.arena.lane(first.point.inst), ahead),
        address: a.page + u64::from(a.offset) + phase as u64 * u64::from(a.stride),
        address_step: period * i64::from(a.stride),
        width: 0,
    }
}

/// Whether cell number `n` continues what cells 0 and 1 begin.
fn continues(t: &Tables, zero: &Cell, one: &Cell, this: &Cell, n: i64) -> bool {
    let in_line = |a: Point, b: Point, c: Point| {
        let (a_k, b_k, c_k) = (i64::from(a.k), i64::from(b.k), i64::from(c.k));
        a.inst == b.inst && a.inst == c.inst && c_k - a_k == n * (b_k - a_k)
    };
    if zero.stmt != one.stmt || zero.stmt != this.stmt || !in_line(zero.point, one.point, this.point) {
        return false;
    }
    let (mut z, mut o, mut c) = (zero.chain, one.chain, this.chain);
    while z != 0 && o != 0 && c != 0 {
        let [a, b, d] = [z, o, c].map(|i| &t.nodes.all[i as usize]);
        if a.stmt != b.stmt || a.stmt != d.stmt || !in_line(a.point, b.point, d.point) {
            return false;
        }
        (z, o, c) = (a.next, b.next, d.next);
    }
    z == 0 && o == 0 && c == 0
}
