//! Adding readers to half a page: new segments over old ones, each with the chain of those before it.
//!
//! Where an old segment lies on the same element grid with the same step as the new run, the distance between both
//! is constant and one chain serves the whole overlap. Elsewhere the overlap is cut into atoms (one old and one
//! new element); a few atoms become segments, more of them make the page dense.

use crate::arena::{Arena, Point};
use crate::class::{Class, Key, NO_CHAIN, key};
use crate::dense::{Cell, Dense, add_reader};
use crate::page::{Half, Run, Seg, Tables};
use crate::{Client, Stmt};

const MAX_ATOMS: u32 = 8;

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
            run.clip(&mut t.classes, at, hi, &mut new);
            break;
        };
        if u32::from(old.start) > at {
            run.clip(&mut t.classes, at, old.start.into(), &mut new);
            at = old.start.into();
        }
        let before = *t.classes.get(old.class);
        let old_element = (at - u32::from(old.start)) / before.size;
        let new_element = (i64::from(at) - run.start) / size;
        let mut end = u32::from(old.end).min(hi);
        let aligned = before.size == class.size
            && before.step == class.step
            && (i64::from(old.start) - run.start) % size == 0;
        if !aligned {
            end = end.min(u32::from(old.start) + (old_element + 1) * before.size);
            end = end.min((run.start + (new_element + 1) * size) as u32);
            atoms += 1;
            if atoms > MAX_ATOMS {
                return None;
            }
        }
        let then = t.iv(old, old_element);
        let now = t.arena.iv(run.point).after(i64::from(run.e0) + new_element, &class.step);
        let key = key(client, before.stmt, &then, class.stmt, &now);
        let chain = t.classes.extended(before.stmt, before.chain, key, then.minus(&now));
        let id = t.classes.id(Class { chain, ..class });
        Run { class: id, ..*run }.clip(&mut t.classes, at, end, &mut new);
        if end == u32::from(old.end) {
            i += 1;
        }
        at = end;
    }
    join_continued(t, &mut new);
    Some(new)
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
    debug_assert_eq!(class.chain, NO_CHAIN);
    let size = i64::from(class.size);
    let mut at = lo;
    while at < hi {
        let e = (i64::from(at) - run.start) / size;
        let end = hi.min((run.start + (e + 1) * size) as u32);
        let point = t.arena.moved(run.point, i64::from(run.e0) + e, &class.step);
        add_point_to_cells(dense, t, client, class.stmt, point, at, end);
        at = end;
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
    for i in dense.range(&mut t.nodes, lo, hi) {
        let arena = &t.arena;
        add_reader(&mut t.nodes, &mut dense.cells[i], stmt, point, |c| key_to(arena, client, c, stmt, point));
    }
}
