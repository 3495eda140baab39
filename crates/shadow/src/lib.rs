//! Memory dependences at the granularity of runs.
//!
//! A [`Record`] says: these operands were executed in this order, `count` times, each at an address that advances
//! by a constant. [`Memory`] keeps, for every byte, its last writer and enough of its readers since that write, as
//! segments of affine families instead of single cells wherever the accesses allow it, and reports dependences as
//! [`DependenceRun`]s.
//!
//! What is exact:
//! - flow: for every load and byte loaded, the pair (last writer, load);
//! - output: for every store and byte, the pair (previous writer, store);
//! - anti: for every store, the set of loop levels at which some read since the previous write precedes it, each
//!   with a true witness (`class.rs` says why a few readers per cell suffice).
//!
//! Invariants:
//! - at every byte, accesses are applied in execution order; `record.rs` reorders or splits a record so that
//!   applying whole operands one after the other has that property;
//! - iteration vectors grow lexicographically along the loops two statements share, and loops form a tree, so
//!   `common` is the length of a shared path;
//! - a statement executes at most once per iteration vector.
//!
//! Limits: 2^32 live interned vectors, 2^32 pages; an access of one iteration that overlaps the next iteration's
//! (stride below size) is applied one by one.
#![forbid(unsafe_code)]

mod arena;
mod block;
mod cache;
pub mod check;
mod class;
mod dense;
mod emit;
pub mod fuzzing;
mod gather;
mod iv;
pub mod kernels;
mod later;
mod memory;
mod overlay;
mod page;
mod pending;
mod query;
mod readers;
mod record;
mod strided;
mod tiles;

pub use block::{Block, Rows, course};
pub use gather::{Gather, PatternId};
pub use iv::{Iv, MAX_DIMS};
pub use later::Later;
pub use memory::{Memory, Options};

/// A memory operand of a statement; dense from 0.
pub type Stmt = u32;

/// One memory operand of a record: at iteration `t` it touches `size` bytes from `base + t·stride`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Operand {
    /// The operand's identity.
    pub stmt: Stmt,
    /// Store (`true`) or load.
    pub write: bool,
    /// Address at the record's first iteration.
    pub base: u64,
    /// Bytes the address advances per iteration; any value, addresses wrap.
    pub stride: i64,
    /// Bytes touched, 1 to 4096.
    pub size: u32,
}

/// `count` iterations of dimension `lane`, every operand executed once per iteration, in order.
#[derive(Clone, Copy, Debug)]
pub struct Record<'a> {
    /// Iteration vector of the first iteration, shared by all operands.
    pub iv: Iv,
    /// The dimension that advances by one per iteration; `None` only with `count` 1.
    pub lane: Option<u8>,
    /// Iterations.
    pub count: u64,
    /// Operands in execution order.
    pub operands: &'a [Operand],
}

/// Kind of a dependence.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// Store, then load.
    Flow,
    /// Load, then store.
    Anti,
    /// Store, then store.
    Output,
}

/// For `t` in `0..count`: `(sink, sink_iv + t·sink_step)` depends on `(source, source_iv + t·source_step)`, and
/// `address + t·address_step` is the first byte they share (0 if there is no such step).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DependenceRun {
    /// Flow, anti or output.
    pub kind: Kind,
    /// The earlier operand.
    pub source: Stmt,
    /// The later operand.
    pub sink: Stmt,
    /// Iteration vector of the first source.
    pub source_iv: Iv,
    /// Step from one source to the next.
    pub source_step: Iv,
    /// Iteration vector of the first sink.
    pub sink_iv: Iv,
    /// Step from one sink to the next.
    pub sink_step: Iv,
    /// Number of pairs, at least 1.
    pub count: u64,
    /// First byte shared by the first pair; 0 if those of the others are not a step apart.
    pub address: u64,
    /// Step of that byte from pair to pair.
    pub address_step: i64,
}

impl DependenceRun {
    /// A run of one pair, given by statement and vector of both ends.
    pub fn one(
        kind: Kind,
        (source, source_iv): (Stmt, &Iv),
        (sink, sink_iv): (Stmt, &Iv),
        address: u64,
    ) -> DependenceRun {
        DependenceRun {
            kind,
            source,
            sink,
            source_iv: *source_iv,
            source_step: Iv::ZERO,
            sink_iv: *sink_iv,
            sink_step: Iv::ZERO,
            count: 1,
            address,
            address_step: 0,
        }
    }
}

/// What the engine must know about statements, and who receives the dependences.
pub trait Client {
    /// Number of leading dimensions that are the same loops for both statements.
    fn common(&self, a: Stmt, b: Stmt) -> u32;
    /// Receives one run of dependences, in execution order of the records that contain the sinks.
    fn dependence(&mut self, run: &DependenceRun);
    /// Whether dependences are received at all; what nobody receives is not looked for.
    #[inline]
    fn listens(&self) -> bool {
        true
    }
    /// Receives a run of one pair.
    #[inline]
    fn single(&mut self, kind: Kind, source: Stmt, source_iv: &Iv, sink: Stmt, sink_iv: &Iv, address: u64) {
        self.dependence(&DependenceRun::one(kind, (source, source_iv), (sink, sink_iv), address));
    }
}
