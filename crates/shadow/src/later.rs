//! Iterations of a loop that were not applied, as they repeat the latest one.
//!
//! If an iteration has the same accesses as the one before, every byte that it writes was written last at the same place of that one,
//! and every byte that it reads was read there. So any number of further iterations like it leave what the latest two have left, that
//! much later: the coordinate along the loop is all that changes, of writers and readers in these two iterations. Those of older
//! iterations, and those outside of the loop, stay.
//!
//! One interned vector may stand for executions inside the loop and outside of it, so those that move get new ones. Chains of
//! classes are relative to the last reader, which may move without them.

use rustc_hash::FxHashMap;

use crate::arena::{Arena, Point};
use crate::class::{Class, Earlier, Field, NO_CHAIN, PLAIN};
use crate::iv::Iv;
use crate::memory::Memory;
use crate::page::{Seg, Tables};
use crate::{Stmt, query::Piece};

/// Iterations to come to, see [`Memory::move_on`].
#[derive(Clone, Copy)]
pub struct Later<'a> {
    /// The dimension of the loop.
    pub dim: usize,
    /// A vector in the latest iteration.
    pub latest: &'a Iv,
    /// How many iterations later.
    pub by: i64,
    /// Whether a statement lies in the loop.
    pub is_inside: &'a dyn Fn(Stmt) -> bool,
}

impl Later<'_> {
    /// Whether a vector would be one of the latest two iterations if its statement lies in the loop.
    fn may_move(&self, iv: &Iv) -> bool {
        let (dim, latest) = (self.dim, &self.latest.0);
        let before = latest[dim].wrapping_sub(1);
        iv.0[..dim] == latest[..dim] && (iv.0[dim] == latest[dim] || iv.0[dim] == before)
    }

    /// Whether an execution is one of the latest two iterations.
    pub fn moves(&self, stmt: Stmt, iv: &Iv) -> bool {
        self.may_move(iv) && (self.is_inside)(stmt)
    }

    /// Whether all elements along a step lie in the same iterations of the loop and of those around it.
    fn stays_along(&self, step: &Iv) -> bool {
        step.0[..=self.dim].iter().all(|x| *x == 0)
    }

    /// By how much something goes along, relative to something else.
    fn shift(&self, moves: bool, other: bool) -> i64 {
        self.by.wrapping_mul(i64::from(moves) - i64::from(other))
    }
}

/// What becomes of the interned vectors.
struct Moved<'a> {
    later: &'a Later<'a>,
    /// For each, whether some of its points may move.
    candidates: Vec<bool>,
    /// New numbers.
    to: FxHashMap<u32, u32>,
}

impl<'a> Moved<'a> {
    fn new(later: &'a Later<'a>, arena: &Arena) -> Moved<'a> {
        let candidates = (0..arena.len() as u32).map(|inst| {
            let mut iv = arena.iv(Point { inst, k: 0 });
            if arena.lane(inst) == later.dim {
                // Its points differ in this coordinate.
                iv.0[later.dim] = later.latest.0[later.dim];
            }
            later.may_move(&iv)
        });
        Moved { later, candidates: candidates.collect(), to: FxHashMap::default() }
    }

    fn point(&mut self, arena: &mut Arena, stmt: Stmt, point: &mut Point) {
        let is_candidate = self.candidates.get(point.inst as usize).copied().unwrap_or(false);
        if !is_candidate || !self.later.moves(stmt, &arena.iv(*point)) {
            return;
        }
        let (dim, by) = (self.later.dim, self.later.by);
        point.inst = *self.to.entry(point.inst).or_insert_with(|| {
            let origin = arena.iv(Point { k: 0, ..*point }).advanced(dim, by);
            arena.point(&origin, arena.lane(point.inst)).inst
        });
    }
}

impl Memory {
    /// Leaves what it would be if so many more iterations like the latest one had been applied. `false`, and nothing has changed, if
    /// that cannot be done: where elements of one segment lie in several iterations.
    pub fn move_on(&mut self, later: &Later) -> bool {
        let halves = self.directory.pages.iter().flat_map(|p| [&p.writers, &p.readers]);
        let can_move = halves.flat_map(|half| &half.segs).all(|seg| can_move(&self.tables, later, seg))
            && self.lattices().all(|lattice| {
                let class = self.tables.classes.get(lattice.class);
                later.stays_along(&lattice.by_row)
                    && later.stays_along(&lattice.by_column)
                    && self.tables.classes.chain(class.chain).iter().all(|e| later.stays_along(&e.step))
            });
        if !can_move {
            return false;
        }
        self.answers.clear();
        let t = &mut self.tables;
        let mut moved = Moved::new(later, &t.arena);
        for half in self.directory.pages.iter_mut().flat_map(|p| [&mut p.writers, &mut p.readers]) {
            for seg in &mut half.segs {
                let iv = t.arena.iv(seg.point);
                let stmt = t.classes.get(seg.class).stmt;
                seg.class = class_after(t, later, seg.class, &iv);
                moved.point(&mut t.arena, stmt, &mut seg.point);
            }
            for cell in half.dense.iter_mut().flat_map(|dense| dense.live_mut()) {
                moved.point(&mut t.arena, cell.stmt, &mut cell.point);
            }
        }
        for node in t.nodes.live_mut() {
            moved.point(&mut t.arena, node.stmt, &mut node.point);
        }
        self.pending.move_on(&mut |stmt, point| moved.point(&mut t.arena, stmt, point), &|piece| {
            may_move_piece(later, piece)
        });
        for lattice in self.overlays.iter_mut().flat_map(|o| &mut o.lattices) {
            lattice.class = class_after(t, later, lattice.class, &lattice.iv);
            if later.moves(lattice.stmt, &lattice.iv) {
                lattice.iv = lattice.iv.advanced(later.dim, later.by);
            }
        }
        true
    }
}

/// Whether a remembered source may be in the latest two iterations.
fn may_move_piece(later: &Later, piece: &Piece) -> bool {
    !later.stays_along(&piece.step) || later.may_move(&piece.iv)
}

/// Whether a segment moves as a whole, or not at all.
fn can_move(t: &Tables, later: &Later, seg: &Seg) -> bool {
    let class = t.classes.get(seg.class);
    if class.chain == NO_CHAIN && class.fields == PLAIN && later.stays_along(&class.step) {
        return true;
    }
    let last = seg.len().div_ceil(class.size.max(1)).max(1) - 1;
    let mut one = [Field::NONE];
    t.classes.fields(class, &mut one).iter().all(|field| {
        // Vectors grow or shrink along a segment: where both ends are older than the latest two iterations, all elements are.
        let is_old = |e: &u32| {
            let iv = t.iv(seg, *e).after(1, &field.shift);
            iv.0[..=later.dim] < later.latest.0[..=later.dim] && !later.may_move(&iv)
        };
        let is_even =
            later.stays_along(&class.step) || !(later.is_inside)(field.stmt) || [0, last].iter().all(is_old);
        is_even && t.classes.chain(field.chain).iter().all(|e| later.stays_along(&e.step))
    })
}

/// The class of elements at a vector once they, and readers in their chains, have moved.
fn class_after(t: &mut Tables, later: &Later, id: u32, iv: &Iv) -> u32 {
    let class = *t.classes.get(id);
    if class.chain == NO_CHAIN && class.fields == PLAIN {
        return id;
    }
    let moves = later.moves(class.stmt, iv);
    let mut fields = t.classes.fields(&class, &mut [Field::NONE]).to_vec();
    let mut is_same = true;
    for field in &mut fields {
        let last = iv.after(1, &field.shift);
        let field_moves = later.moves(field.stmt, &last);
        let chain = t.classes.chain(field.chain);
        let by = |e: &Earlier| later.shift(later.moves(e.stmt, &last.after(1, &e.offset)), field_moves);
        if chain.iter().any(|e| by(e) != 0) {
            let entries =
                chain.iter().map(|e| Earlier { offset: e.offset.advanced(later.dim, by(e)), ..*e }).collect();
            field.chain = t.classes.chain_id(entries);
            is_same = false;
        }
        if field_moves != moves {
            field.shift = field.shift.advanced(later.dim, later.shift(field_moves, moves));
            is_same = false;
        }
    }
    if is_same {
        return id;
    }
    match class.fields {
        PLAIN => t.classes.id(Class { chain: fields[0].chain, ..class }),
        _ => t.classes.with_fields(class.size, class.step, &fields),
    }
}
