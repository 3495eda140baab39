//! Blocks of rows: records that are repeated, each operand's address moving by a constant.
//!
//! Definition: the rows of a block are executions of the same records; from each row to the next one coordinate of all vectors
//! grows by one, and each operand's address by its own constant. A block says what applying its records row by row says.
//!
//! Operands are taken apart by the bytes that they touch in all rows: two of different *parts* have none in common, so that
//! the parts can be applied one after the other, each row by row. A part no operand of which moves does the same in every
//! row. After each row all bytes that it stores were stored last in it, as they were in the row before by that row; so the
//! next row finds what this one found: one row later where that lies in the rows and is not older than the row before, the
//! same elsewhere. Such a part is applied in its first two rows (before them, others may have touched its bytes) and, without a
//! report, in its last two, which leaves what all leave: of readers of earlier rows only the latest before the last would be
//! kept (`class.rs`).
//!
//! Where no row of a part touches bytes of another row, its records are applied to all rows one after the other. Single
//! accesses are then iterations of one record along the rows, unless they store with gaps: columns of stores would be in the
//! way of rows. Loads of one address per row are asked for their writers along the rows, once, and noted for the last two
//! iterations of each row alone.
//!
//! Limits: whether operands have bytes in common is decided as for the operands of one record, for the whole stretch of a
//! record at once; what may have some is one part, and so are fields of one structure.

use std::ops::Range;

use crate::iv::Iv;
use crate::memory::Memory;
use crate::page::PAGE;
use crate::record::{Meeting, meeting};
use crate::{Client, DependenceRun, Operand, Record};

/// Fewest rows of which a part that does not move leaves some out.
const WORTH: u64 = 5;

/// Pairs of operands tested for bytes in common, per operand of a block; beyond that, what overlaps is one part.
const TESTS: usize = 32;

/// Records of one row, and how they go on from row to row.
#[derive(Clone, Copy, Debug)]
pub struct Block<'a> {
    /// The records of the first row, in order.
    pub records: &'a [Record<'a>],
    /// Per record, what each operand's address grows by from row to row.
    pub shifts: &'a [Vec<i64>],
    /// The dimension that advances by one from row to row.
    pub dim: usize,
    /// Number of rows.
    pub rows: u64,
}

impl Block<'_> {
    /// The records of all rows, in order.
    pub fn each(&self, sink: &mut dyn FnMut(&Record)) {
        let mut operands = Vec::new();
        for row in 0..self.rows as i64 {
            for (record, shifts) in self.records.iter().zip(self.shifts) {
                let moved = |(o, shift): (&Operand, &i64)| {
                    let base = o.base.wrapping_add_signed(shift.wrapping_mul(row));
                    Operand { base, ..*o }
                };
                operands.clear();
                operands.extend(record.operands.iter().zip(shifts).map(moved));
                sink(&Record { iv: record.iv.advanced(self.dim, row), operands: &operands, ..*record });
            }
        }
    }
}

/// Who receives the dependences of a block: those of a row, then [`Rows::end_row`], and so on for the rows of every part.
pub trait Rows: Client {
    /// A part begins with its first row.
    fn begin(&mut self);
    /// A row has ended.
    fn end_row(&mut self);
    /// Takes a run of the first of `rows` rows; from each to the next its sources go on by `source` and the address by `address`.
    /// Outside of rows that end with [`Rows::end_row`].
    fn rows(&mut self, first: &DependenceRun, source: &Iv, address: i64, rows: u64);
    /// Says that `rows` more rows follow that have what the latest one has: one row later where that lies in the rows and is
    /// not older than the row before it, the same elsewhere. False if that cannot be said; then nothing was.
    fn repeat(&mut self, rows: u64) -> bool;
}

/// What the sources of a run go on by in the rows after one that found what the next ones find (see [`Rows::repeat`]); rows
/// advance along `dim`, and `common` dimensions are those of the same loops for source and sink. `None` if some of the
/// sources go on and some do not.
pub fn course(run: &DependenceRun, dim: usize, common: u32) -> Option<Iv> {
    if common as usize <= dim {
        return Some(Iv::ZERO);
    }
    let sink = &run.sink_iv.0;
    let goes_on = |source: Iv| source.0[..dim] == sink[..dim] && source.0[dim] >= sink[dim].saturating_sub(1);
    let last = run.source_iv.after(run.count as i64 - 1, &run.source_step);
    let first = goes_on(run.source_iv);
    (first == goes_on(last)).then(|| if first { Iv::along(dim, 1) } else { Iv::ZERO })
}

/// Asks another client, and reports nothing.
struct Silent<'a, C>(&'a C);

impl<C: Client> Client for Silent<'_, C> {
    fn common(&self, a: u32, b: u32) -> u32 {
        self.0.common(a, b)
    }
    fn dependence(&mut self, _: &DependenceRun) {}
    fn listens(&self) -> bool {
        false
    }
    fn single(&mut self, _: crate::Kind, _: u32, _: &Iv, _: u32, _: &Iv, _: u64) {}
}

/// Takes loads along the rows, one iteration before the last, each of which stands for all `count` iterations of its row.
struct AcrossRows<'a, C> {
    client: &'a mut C,
    dim: usize,
    lane: usize,
    count: u64,
}

impl<C: Rows> Client for AcrossRows<'_, C> {
    fn common(&self, a: u32, b: u32) -> u32 {
        self.client.common(a, b)
    }

    fn listens(&self) -> bool {
        self.client.listens()
    }

    fn dependence(&mut self, run: &DependenceRun) {
        let mut first = DependenceRun {
            sink_iv: run.sink_iv.advanced(self.lane, 2 - self.count as i64),
            source_step: Iv::ZERO,
            sink_step: Iv::along(self.lane, 1),
            count: self.count,
            address_step: 0,
            ..*run
        };
        if run.count == 1 || run.sink_step == Iv::along(self.dim, 1) {
            return self.client.rows(&first, &run.source_step, run.address_step, run.count);
        }
        for _ in 0..run.count {
            self.client.rows(&first, &Iv::ZERO, 0, 1);
            first.source_iv = first.source_iv.after(1, &run.source_step);
            first.sink_iv = first.sink_iv.after(1, &run.sink_step);
            first.address = first.address.wrapping_add_signed(run.address_step);
        }
    }
}

/// An operand of a block: what it touches in one row, as one access that is repeated.
struct Stretch {
    row: Operand,
    record: usize,
    /// In the first row.
    operand: Operand,
    /// First byte of all rows, and the one after the last.
    extent: Range<u64>,
    part: usize,
}

/// What is asked of an operand behind which others may begin.
#[derive(Clone)]
struct Open {
    extent: Range<u64>,
    /// Distance of rows, where the first begins in frames of that length, and its bytes.
    stride: i64,
    phase: u64,
    size: u32,
    record: usize,
    /// Distance of iterations of the record.
    step: i64,
    at: usize,
}

/// Reusable space for blocks.
#[derive(Default)]
pub(crate) struct Parts {
    stretches: Vec<Stretch>,
    /// Their numbers, part by part.
    order: Vec<usize>,
    /// While parts are looked for: those behind which others may begin, and what each has been joined to.
    open: Vec<Open>,
    part: Vec<usize>,
    /// Those of one part, in order.
    members: Vec<Member>,
    operands: Vec<Operand>,
}

/// An operand of a part.
#[derive(Clone, Copy)]
struct Member {
    record: usize,
    /// In the first row.
    operand: Operand,
    /// The bytes from its first one on that it may touch in the first row.
    low: u64,
    bytes: u32,
    shift: i64,
}

/// The part that an operand has come to belong to, by the number of its first operand.
#[inline]
fn root(part: &mut [usize], mut at: usize) -> usize {
    while part[at] != at {
        part[at] = part[part[at]];
        at = part[at];
    }
    at
}

/// Whether operands move alike, by so much that no two rows touch a common byte.
fn are_rows_apart(members: &[Member]) -> bool {
    let shift = members[0].shift;
    let low = members.iter().map(|m| m.low).min().unwrap_or(0);
    let fits = |m: &Member| (m.low - low).saturating_add(m.bytes.into()) <= shift.unsigned_abs();
    members.iter().all(|m| m.shift == shift && fits(m))
}

/// Whether no store leaves gaps between the bytes that it stores row after row. Columns that are stored would stand in the
/// way of rows.
fn is_dense(members: &[Member]) -> bool {
    let stored: u64 = members.iter().filter(|m| m.operand.write).map(|m| u64::from(m.operand.size)).sum();
    stored == 0 || members.iter().all(|m| !m.operand.write || m.shift.unsigned_abs() <= stored)
}

/// Whether accesses of several rows share a page: otherwise each of them is on its own anyway, and a page more is in use.
fn is_near(members: &[Member]) -> bool {
    members.iter().all(|m| m.shift.unsigned_abs() <= u64::from(PAGE / 8))
}

impl Member {
    fn at(&self, row: u64) -> Operand {
        let base = self.operand.base.wrapping_add_signed(self.shift.wrapping_mul(row as i64));
        Operand { base, ..self.operand }
    }
}

impl Parts {
    /// Finds the operands of a block and the parts they belong to; false if addresses wrap.
    fn find(&mut self, block: &Block) -> bool {
        self.stretches.clear();
        for (r, (record, shifts)) in block.records.iter().zip(block.shifts).enumerate() {
            for (o, &shift) in record.operands.iter().zip(shifts) {
                let Some(stretch) = stretch(o, record.count, shift, block.rows, r) else { return false };
                self.stretches.push(stretch);
            }
        }
        self.join(block.rows);
        true
    }

    /// Joins those that may touch a common byte, or belong together, to parts.
    fn join(&mut self, rows: u64) {
        let Parts { stretches, order, open, part, .. } = self;
        order.clear();
        order.extend(0..stretches.len());
        order.sort_unstable_by_key(|&at| (stretches[at].extent.start, stretches[at].extent.end, at));
        part.clear();
        part.extend(0..stretches.len());
        open.clear();
        // What is left of the tests is for the nearest ones.
        let mut tests = stretches.len().saturating_mul(TESTS);
        let mut before: Option<Open> = None;
        for &at in &*order {
            let new = Open::of(&stretches[at], at);
            // Most operands touch what the one before does, as statements of one row come to the same place.
            if let Some(before) = before.replace(new.clone()).filter(|before| before.is_same(&new)) {
                part[at] = root(part, before.at);
                continue;
            }
            open.retain(|other| other.extent.end > new.extent.start);
            let mut is_covered = false;
            let mut own = at;
            let mut k = 0;
            while let Some(known) = open.get(k) {
                let other = root(part, known.at);
                let is_certain = known.is_same(&new) || tests == 0 || known.stride == 0 && new.stride == 0;
                if other != own {
                    tests = tests.saturating_sub(1);
                    if is_certain || known.may_meet(&new, stretches, rows) {
                        part[other.max(own)] = other.min(own);
                        own = other.min(own);
                    }
                }
                // What begins later meets one that reaches as far, if it meets the other.
                if is_certain && known.extent.end >= new.extent.end {
                    is_covered = true;
                    break;
                }
                if is_certain {
                    open.swap_remove(k);
                } else {
                    k += 1;
                }
            }
            if !is_covered {
                open.push(new);
            }
        }
        for (at, stretch) in stretches.iter_mut().enumerate() {
            stretch.part = root(part, at);
        }
        order.clear();
        order.extend(0..stretches.len());
        order.sort_by_key(|&at| stretches[at].part);
    }

    /// Lists the operands of the part that is the next one behind so many operands; how many it has.
    fn list(&mut self, done: usize) -> usize {
        let rest = self.order.get(done..).unwrap_or(&[]);
        let part = |at: &usize| self.stretches[*at].part;
        let all = rest.iter().take_while(|at| part(at) == part(&rest[0]));
        self.members.clear();
        self.members.extend(all.map(|&at| &self.stretches[at]).map(|s| Member {
            record: s.record,
            operand: s.operand,
            low: s.row.base,
            bytes: s.row.size,
            shift: s.row.stride,
        }));
        self.members.len()
    }
}

impl Open {
    fn of(stretch: &Stretch, at: usize) -> Open {
        let Stretch { row, record, ref operand, ref extent, .. } = *stretch;
        let phase = row.base.checked_rem(row.stride.unsigned_abs()).unwrap_or(0);
        let (stride, size, step) = (row.stride, row.size, operand.stride);
        Open { extent: extent.clone(), stride, phase, size, record, step, at }
    }

    /// Whether both touch the same bytes in the same rows.
    #[inline]
    fn is_same(&self, other: &Open) -> bool {
        (&self.extent, self.stride, self.size) == (&other.extent, other.stride, other.size)
    }

    /// Whether both, whose extents have bytes in common, may touch one of them in some rows, or belong together.
    #[inline]
    fn may_meet(&self, other: &Open, stretches: &[Stretch], rows: u64) -> bool {
        // Fields of one structure the memory keeps together.
        if (self.record, self.step, self.stride) == (other.record, other.step, other.stride) {
            return true;
        }
        if self.stride == other.stride && self.stride != 0 {
            // As `meeting` says it, without a division: of most pairs of a block both move alike.
            let frame = self.stride.unsigned_abs();
            let ahead = match other.phase.checked_sub(self.phase) {
                Some(ahead) => ahead,
                None => frame - (self.phase - other.phase),
            };
            return ahead < u64::from(self.size) || u64::from(other.size) > frame - ahead;
        }
        let [one, two] = [self, other].map(|open| &stretches[open.at].row);
        !matches!(meeting(one, two, rows), Meeting::Never)
    }
}

/// What an operand touches; `None` if that wraps or is too long for one access.
fn stretch(o: &Operand, count: u64, shift: i64, rows: u64, record: usize) -> Option<Stretch> {
    let span = i64::try_from(count - 1).ok()?.checked_mul(o.stride)?;
    let last = o.base.checked_add_signed(span)?;
    let low = o.base.min(last);
    let size = u32::try_from(o.base.max(last) - low).ok()?.checked_add(o.size)?;
    let moved = i64::try_from(rows.checked_sub(1)?).ok()?.checked_mul(shift)?;
    let final_low = low.checked_add_signed(moved)?;
    let end = low.max(final_low).checked_add(u64::from(size))?;
    let row = Operand { base: low, stride: shift, size, ..*o };
    Some(Stretch { row, record, operand: *o, extent: low.min(final_low)..end, part: 0 })
}

impl Memory {
    /// Applies a block and reports its dependences, part by part and in each row by row.
    pub fn block(&mut self, block: &Block, client: &mut impl Rows) {
        let mut parts = std::mem::take(&mut self.parts);
        if parts.find(block) {
            let mut done = 0;
            while done < parts.stretches.len() {
                done += parts.list(done);
                client.begin();
                self.part_of_block(block, &mut parts, client);
            }
        } else {
            client.begin();
            block.each(&mut |record| self.record(record, client));
            client.end_row();
        }
        self.parts = parts;
    }

    /// Applies the operands listed in `parts` to all rows.
    fn part_of_block(&mut self, block: &Block, parts: &mut Parts, client: &mut impl Rows) {
        let members = std::mem::take(&mut parts.members);
        let iv_of = |m: &Member| block.records[m.record].iv;
        let is_single = |m: &Member| block.records[m.record].count == 1 && iv_of(m) == iv_of(&members[0]);
        let is_apart = are_rows_apart(&members);
        if members.iter().all(is_single) || members.len() == 1 && members[0].shift != 0 {
            self.record_of_block(block, &members, &mut parts.operands, client);
        } else if is_apart {
            // No row touches bytes of another: each record can be applied to all rows before the next one.
            for members in members.chunk_by(|a, b| a.record == b.record) {
                client.begin();
                self.record_of_block(block, members, &mut parts.operands, client);
            }
        } else {
            self.rows_of_block(block, &members, &mut parts.operands, client);
        }
        parts.members = members;
    }

    /// Applies operands row by row, or as many rows as show what the others find.
    fn rows_of_block(
        &mut self,
        block: &Block,
        members: &[Member],
        operands: &mut Vec<Operand>,
        client: &mut impl Rows,
    ) {
        let stays = block.rows >= WORTH && members.iter().all(|m| m.shift == 0);
        for row in 0..block.rows {
            if row == 2 && stays && client.repeat(block.rows - 2) {
                let mut silent = Silent(client);
                for row in [block.rows - 2, block.rows - 1] {
                    self.row_of_block(block, members, operands, row, &mut silent);
                }
                return;
            }
            self.row_of_block(block, members, operands, row, client);
            client.end_row();
        }
    }

    /// Applies operands of one record, or of several of one iteration each with the same vector, to all rows.
    fn record_of_block(
        &mut self,
        block: &Block,
        members: &[Member],
        operands: &mut Vec<Operand>,
        client: &mut impl Rows,
    ) {
        let record = &block.records[members[0].record];
        let lane = u8::try_from(block.dim).ok();
        match members {
            _ if record.count == 1 && is_dense(members) && is_near(members) => {
                // The rows are the iterations of one record.
                operands.clear();
                operands.extend(members.iter().map(|m| Operand { stride: m.shift, ..m.operand }));
                self.record(&Record { iv: record.iv, lane, count: block.rows, operands }, client);
                client.end_row();
            }
            [one] if !one.operand.write && record.count > 1 => self.loads_of_block(block, one, client),
            _ => self.rows_of_block(block, members, operands, client),
        }
    }

    /// A load that meets nothing else.
    fn loads_of_block(&mut self, block: &Block, member: &Member, client: &mut impl Rows) {
        let record = &block.records[member.record];
        let is_constant =
            member.operand.stride == 0 && member.shift.unsigned_abs() >= member.operand.size.into();
        if let (true, Some(lane), Ok(dim)) = (is_constant, record.lane, u8::try_from(block.dim)) {
            // Of the loads of each row the latest two matter: all of them see what the first sees.
            let along = Operand { stride: member.shift, ..member.operand };
            let lane = usize::from(lane);
            let from = |t: u64| Record {
                iv: record.iv.advanced(lane, t as i64),
                lane: Some(dim),
                count: block.rows,
                ..*record
            };
            let last = record.count - 1;
            let mut across = AcrossRows { client, dim: block.dim, lane, count: record.count };
            self.load_alone(&along, &from(last - 1), &mut across);
            return self.load_alone(&along, &from(last), &mut Silent(client));
        }
        for row in 0..block.rows {
            let iv = record.iv.advanced(block.dim, row as i64);
            self.load_alone(&member.at(row), &Record { iv, ..*record }, client);
            client.end_row();
        }
    }

    /// Applies operands in one row.
    fn row_of_block(
        &mut self,
        block: &Block,
        members: &[Member],
        operands: &mut Vec<Operand>,
        row: u64,
        client: &mut impl Client,
    ) {
        for members in members.chunk_by(|a, b| a.record == b.record) {
            let record = &block.records[members[0].record];
            operands.clear();
            operands.extend(members.iter().map(|m| m.at(row)));
            let iv = record.iv.advanced(block.dim, row as i64);
            self.record(&Record { iv, operands, ..*record }, client);
        }
    }
}
