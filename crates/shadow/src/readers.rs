//! Adding readers to half a page: new segments over old ones, each with the chain of those before it.
//!
//! Where an old segment lies on the same element grid with the same step as the new run, the distance between both
//! is constant and one chain serves the whole overlap; with other sizes and steps a pattern of fields with affine
//! chains does. What remains (ends, and places where the diverging loop changes) is cut into atoms, one old and one
//! new field each; a few atoms become segments, more of them make the page dense.

use crate::arena::{Arena, Point};
use crate::class::{AFFINE, Class, Field, Key, NO_CHAIN, PLAIN, Preceding, key};
use crate::dense::{Cell, Dense, add_reader};
use crate::iv::Iv;
use crate::page::{Half, Run, Seg, Tables};
use crate::query::gcd;
use crate::{Client, Stmt};

const MAX_ATOMS: u32 = 24;

/// Adds the elements of `run` inside `lo..hi` as the latest readers of their bytes.
pub(crate) fn add_run(half: &mut Half, t: &mut Tables, client: &impl Client, run: &Run, lo: u32, hi: u32) {
    if half.segs.is_empty() && half.dense.is_none() {
        return half.assign_run(t, run, lo, hi);
    }
    if half.dense.is_none() {
        if let Some(new) = overlay(half, t, client, run, lo, hi) {
            match *new.as_slice() {
                [seg] if seg.len() == t.classes.get(seg.class).size => half.assign_point(t, seg),
                _ => half.assign(t, lo, hi, &new),
            }
            return;
        }
        half.freeze(t);
    }
    if let Some(dense) = &mut half.dense {
        add_to_cells(dense, t, client, run, lo, hi);
    }
    half.thaw(t, hi - lo);
}

/// Adds one access to the bytes `lo..hi` as their latest reader.
#[inline]
pub(crate) fn add_point(
    half: &mut Half,
    t: &mut Tables,
    client: &impl Client,
    stmt: Stmt,
    point: Point,
    lo: u32,
    hi: u32,
) {
    if let Some(dense) = &mut half.dense {
        return add_point_to_cells(dense, t, client, stmt, point, lo, hi);
    }
    let i = half.find(lo);
    let Some(old) = half.segs.get(i).copied().filter(|s| u32::from(s.start) < hi) else {
        return half.assign_access(t, lo, hi, stmt, point);
    };
    let before = *t.classes.get(old.class);
    if (u32::from(old.start), u32::from(old.end)) != (lo, hi)
        || before.size != hi - lo
        || before.fields != PLAIN
    {
        let class = t.classes.id(Class::plain(stmt, hi - lo, Iv::ZERO, NO_CHAIN));
        let run = Run { start: lo.into(), class, point, e0: 0 };
        return add_run(half, t, client, &run, lo, hi);
    }
    let (then, now) = (t.iv(&old, 0), t.arena.iv(point));
    let key = key(client, before.stmt, &then, stmt, &now);
    let chain = t.classes.extended(Preceding {
        stmt: before.stmt,
        chain: before.chain,
        key,
        offset: then.minus(&now),
        step: Iv::ZERO,
        origin: old.e0.into(),
        ratio: 0,
    });
    let class = t.classes.id(Class::plain(stmt, hi - lo, Iv::ZERO, chain));
    half.assign_point(t, Seg { class, point, e0: 0, ..old });
}

fn overlay(
    half: &Half,
    t: &mut Tables,
    client: &impl Client,
    run: &Run,
    lo: u32,
    hi: u32,
) -> Option<Vec<Seg>> {
    let class = *t.classes.get(run.class);
    let size = i64::from(class.size);
    let mut new = Vec::new();
    let mut atoms = 0;
    let mut at = lo;
    let mut i = half.find(lo);
    while at < hi {
        let Some(old) = half.segs.get(i).filter(|s| u32::from(s.start) < hi) else {
            run.clip(t, at, hi, &mut new);
            break;
        };
        if u32::from(old.start) > at {
            run.clip(t, at, old.start.into(), &mut new);
            at = old.start.into();
        }
        let before = *t.classes.get(old.class);
        let mut end = u32::from(old.end).min(hi);
        let is_parallel = before.size == class.size
            && before.step == class.step
            && (before.fields | class.fields) == PLAIN
            && before.chain & AFFINE == 0
            && (i64::from(old.start) - run.start) % size == 0;
        if is_parallel {
            let then = t.iv(old, (at - u32::from(old.start)) / before.size);
            let now = t
                .arena
                .iv(run.point)
                .after(i64::from(run.e0) + (i64::from(at) - run.start) / size, &class.step);
            let key = key(client, before.stmt, &then, class.stmt, &now);
            let chain = t.classes.extended(Preceding {
                stmt: before.stmt,
                chain: before.chain,
                key,
                offset: then.minus(&now),
                step: Iv::ZERO,
                origin: 0,
                ratio: 0,
            });
            let id = t.classes.id(Class { chain, ..class });
            Run { class: id, ..*run }.clip(t, at, end, &mut new);
        } else {
            let weave = Weave { old, before: &before, run, class: &class, at, end };
            end = weave.apply(t, client, &mut new, &mut atoms);
            if atoms > MAX_ATOMS {
                return None;
            }
        }
        if end == u32::from(old.end) {
            i += 1;
        }
        at = end;
    }
    join_continued(t, &mut new);
    Some(new)
}

/// An old segment and a new run over the bytes `at..end`, with elements of any size.
///
/// Both together repeat every least common multiple of the element sizes: a *frame*. Where the loop level at which
/// old and new readers diverge is the same in all frames, they become one segment with a field for each meeting of
/// an old and a new field.
struct Weave<'a> {
    old: &'a Seg,
    before: &'a Class,
    run: &'a Run,
    class: &'a Class,
    at: u32,
    end: u32,
}

const MAX_RATIO: u32 = 32;

/// A reader of one byte: its field (and the field's number), the bytes left in it, and its iteration vector.
struct Reader {
    field: Field,
    left: u32,
    iv: Iv,
    e: i64,
}

impl Weave<'_> {
    fn is_single(&self) -> bool {
        self.old.len() == self.before.size
    }

    fn old_at(&self, t: &Tables, at: u32) -> Reader {
        let into = at - u32::from(self.old.start);
        let e = into / self.before.size;
        reader(t, self.before, into % self.before.size, t.iv(self.old, e), i64::from(self.old.e0 + e))
    }

    fn new_at(&self, t: &Tables, at: u32) -> Reader {
        let into = i64::from(at) - self.run.start;
        let size = i64::from(self.class.size);
        let e = i64::from(self.run.e0) + into / size;
        let iv = t.arena.iv(self.run.point).after(e, &self.class.step);
        reader(t, self.class, (into % size) as u32, iv, e)
    }

    /// Appends new segments for the first bytes, and returns where these end.
    fn apply(mut self, t: &mut Tables, client: &impl Client, out: &mut Vec<Seg>, atoms: &mut u32) -> u32 {
        let (z, s) = (self.before.size, self.class.size);
        let (old, new) = (self.old_at(t, self.at), self.new_at(t, self.at));
        let within = |r: &Reader, class: &Class| class.fields == PLAIN && r.left >= self.end - self.at;
        let (mut in_old, mut in_new) = (within(&old, self.before), within(&new, self.class));
        let frame = z / gcd(z, s) * s;
        if !in_old && !in_new && (frame / z > MAX_RATIO || frame / s > MAX_RATIO) {
            if z >= s && self.before.fields == PLAIN {
                self.end = self.at + old.left;
                in_old = true;
            } else if s > z && self.class.fields == PLAIN {
                self.end = self.at + new.left;
                in_new = true;
            }
        }
        let frame = match (in_old, in_new) {
            (true, true) => self.end - self.at,
            (true, false) => s,
            (false, true) => z,
            (false, false) => frame,
        };
        let in_old = in_old || self.is_single();
        if frame / z.min(s) <= 2 * MAX_RATIO
            && 2 * frame <= self.end - self.at
            && let Some(end) = self.frames(t, client, frame, in_old, in_new, out)
        {
            return end;
        }
        *atoms += 1;
        let end = self.end.min(self.at + old.left.min(new.left));
        let key = key(client, old.field.stmt, &old.iv, new.field.stmt, &new.iv);
        let chain = t.classes.extended(preceding(&old, &new.iv, key, Iv::ZERO, 0));
        let class = Class::plain(new.field.stmt, end - self.at, self.class.step, chain);
        let point = t.arena.moved(self.run.point, 1, &new.field.shift);
        let class = t.classes.id(class);
        out.push(Seg { start: self.at as u16, end: end as u16, class, point, e0: new.e as u32 });
        end
    }

    /// As many whole frames as possible, if there are two.
    fn frames(
        &self,
        t: &mut Tables,
        client: &impl Client,
        frame: u32,
        in_old: bool,
        in_new: bool,
        out: &mut Vec<Seg>,
    ) -> Option<u32> {
        let (z, s) = (self.before.size, self.class.size);
        let mut n = i64::from((self.end - self.at) / frame);
        // Elements per frame.
        let ratio = if in_old { 0 } else { i64::from(frame / z) };
        let new_ratio = if in_new { 0 } else { i64::from(frame / s) };
        let step = self.class.step.times(new_ratio);
        let delta = self.before.step.times(ratio).minus(&step);
        let first = self.new_at(t, self.at).e;
        let (point, e0) = if in_new {
            (t.arena.moved(self.run.point, first, &self.class.step), 0)
        } else {
            (self.run.point, first / new_ratio)
        };
        let origin = t.arena.iv(point).after(e0, &step);
        let mut fields: Vec<Field> = Vec::new();
        let mut at = 0;
        while at < frame {
            let (old, new) = (self.old_at(t, self.at + at), self.new_at(t, self.at + at));
            let size = old.left.min(new.left).min(frame - at);
            let offset = old.iv.minus(&new.iv);
            let common = client.common(old.field.stmt, new.field.stmt) as usize;
            let (key, same) = uniform(common, &offset, &delta, n);
            n = same;
            if n < 2 {
                return None;
            }
            let preceding = Preceding {
                offset: offset.after(-e0, &delta),
                origin: old.e - e0 * ratio,
                ..preceding(&old, &new.iv, key, delta, ratio)
            };
            let chain = t.classes.extended(preceding);
            let shift = new.iv.minus(&origin);
            match fields.last_mut() {
                Some(f) if f.stmt == new.field.stmt && f.chain == chain && f.shift == shift => f.size += size,
                _ => fields.push(Field { at, size, stmt: new.field.stmt, chain, shift }),
            }
            at += size;
        }
        let end = self.at + n as u32 * frame;
        let parts = if in_new { 1 } else { new_ratio as usize };
        let mut seg = Seg { start: self.at as u16, end: end as u16, class: 0, point, e0: e0 as u32 };
        if parts > 1 && repeats(&fields, parts, s, &self.class.step) {
            fields.truncate(fields.len() / parts);
            seg.e0 = first as u32;
            let by = t.arena.iv(point).after(first, &self.class.step).minus(&origin);
            for f in &mut fields {
                f.shift = f.shift.minus(&by);
            }
            seg.class = t.classes.with_fields(s, self.class.step, &fields);
        } else {
            seg.class = t.classes.with_fields(frame, step, &fields);
        }
        out.push(seg);
        Some(end)
    }
}

fn reader(t: &Tables, class: &Class, into: u32, iv: Iv, e: i64) -> Reader {
    let mut one = [Field::NONE];
    let fields = t.classes.fields(class, &mut one);
    let field = *fields.iter().find(|f| into < f.at + f.size).unwrap_or(&fields[0]);
    Reader { field, left: field.at + field.size - into, iv: iv.after(1, &field.shift), e }
}

fn preceding(old: &Reader, now: &Iv, key: Key, step: Iv, ratio: i64) -> Preceding {
    let (stmt, chain) = (old.field.stmt, old.field.chain);
    Preceding { stmt, chain, key, offset: old.iv.minus(now), step, origin: old.e, ratio }
}

/// The key of two executions `offset` apart, and for how many of `n` steps by `delta` it stays the same.
fn uniform(common: usize, offset: &Iv, delta: &Iv, n: i64) -> (Key, i64) {
    for d in 0..common {
        let (x, by) = (offset.0[d], delta.0[d]);
        if x != 0 {
            let is_met = by != 0 && x.wrapping_rem(by) == 0 && x.signum() != by.signum();
            let same = if is_met { n.min((x / by).abs()) } else { n };
            return ((2 * d + 1) as Key, same);
        }
        if by != 0 {
            let (key, _) = uniform(common, offset, &Iv::ZERO, n);
            return (key, 1);
        }
    }
    ((2 * common) as Key, n)
}

/// Whether the fields are `parts` times the same, `size` bytes and one `step` apart.
fn repeats(fields: &[Field], parts: usize, size: u32, step: &Iv) -> bool {
    let m = fields.len() / parts;
    fields.len() == m * parts
        && fields[m - 1].at + fields[m - 1].size == size
        && fields.windows(m + 1).all(|w| {
            let (f, g) = (&w[0], &w[m]);
            (g.at, g.size, g.stmt, g.chain) == (f.at + size, f.size, f.stmt, f.chain)
                && f.chain & AFFINE == 0
                && g.shift == f.shift.after(1, step)
        })
}

fn join_continued(t: &Tables, segs: &mut Vec<Seg>) {
    segs.dedup_by(|next, last| {
        let size = t.classes.get(last.class).size;
        let continued = last.class == next.class
            && last.end == next.start
            && last.point == next.point
            && last.e0 + last.len() / size == next.e0;
        if continued {
            last.end = next.end;
        }
        continued
    });
}

/// The key between a cell's reader and a new one.
#[inline]
pub(crate) fn key_to(arena: &Arena, client: &impl Client, cell: &Cell, stmt: Stmt, point: Point) -> Key {
    if cell.point.inst == point.inst {
        let lane = arena.lane(point.inst) as u32;
        let common = client.common(cell.stmt, stmt);
        return (if cell.point.k != point.k && lane < common { 2 * lane + 1 } else { 2 * common }) as Key;
    }
    key(client, cell.stmt, &arena.iv(cell.point), stmt, &arena.iv(point))
}

fn add_to_cells(dense: &mut Dense, t: &mut Tables, client: &impl Client, run: &Run, lo: u32, hi: u32) {
    let class = *t.classes.get(run.class);
    let fields = t.classes.fields(&class, &mut [Field::NONE]).to_vec();
    let size = i64::from(class.size);
    let mut e = (i64::from(lo) - run.start) / size;
    while run.start + e * size < i64::from(hi) {
        let first = t.arena.moved(run.point, i64::from(run.e0) + e, &class.step);
        for f in &fields {
            let at = run.start + e * size + i64::from(f.at);
            let (from, to) = (at.max(lo.into()), (at + i64::from(f.size)).min(hi.into()));
            if from < to {
                let point = t.arena.moved(first, 1, &f.shift);
                add_point_to_cells(dense, t, client, f.stmt, point, from as u32, to as u32);
            }
        }
        e += 1;
    }
}

/// Adds one reader of the bytes `lo..hi`.
#[inline]
pub(crate) fn add_point_to_cells(
    dense: &mut Dense,
    t: &mut Tables,
    client: &impl Client,
    stmt: Stmt,
    point: Point,
    lo: u32,
    hi: u32,
) {
    let arena = &t.arena;
    dense.each(&mut t.nodes, lo, hi, |nodes, cell| {
        add_reader(nodes, cell, stmt, point, |c| key_to(arena, client, c, stmt, point));
    });
}
