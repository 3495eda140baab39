//! Address streams: what foreign traces and `.lwt` files hold.
//!
//! A trace is a sequence of accesses `(stream, address)`. Files of runs keep the order inside each stream only.

use std::fmt;

/// Which stream an access belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct StreamId {
    /// Number given by the trace: an instruction's address, or any id.
    pub number: u64,
    /// What the stream does.
    pub kind: Kind,
}

/// What the accesses of a stream are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum Kind {
    /// Integers without further meaning.
    #[default]
    Plain,
    /// Loads of one instruction.
    Load,
    /// Stores of one instruction.
    Store,
    /// Integers of a stream that is known by a name; its number counts the names of the trace.
    Named,
}

impl Kind {
    /// As a number in files.
    pub fn code(self) -> u8 {
        match self {
            Kind::Plain => 0,
            Kind::Load => 1,
            Kind::Store => 2,
            Kind::Named => 3,
        }
    }

    /// From a number in files.
    pub fn of(code: u8) -> Option<Kind> {
        match code {
            0 => Some(Kind::Plain),
            1 => Some(Kind::Load),
            2 => Some(Kind::Store),
            3 => Some(Kind::Named),
            _ => None,
        }
    }
}

impl StreamId {
    /// A stream known by a number only.
    pub fn plain(number: u64) -> StreamId {
        StreamId { number, kind: Kind::Plain }
    }
}

impl fmt::Display for StreamId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            Kind::Plain => write!(f, "{}", self.number),
            Kind::Load => write!(f, "{:#x}:load", self.number),
            Kind::Store => write!(f, "{:#x}:store", self.number),
            Kind::Named => write!(f, "#{}", self.number),
        }
    }
}

/// Receives accesses.
pub trait Accesses {
    /// Consecutive accesses of one stream.
    fn values(&mut self, stream: StreamId, values: &[i64]);
    /// `count` accesses of one stream, `stride` apart.
    fn run(&mut self, stream: StreamId, start: i64, stride: i64, count: u64);
    /// `count` iterations, each of which makes an access in each of these streams, in this order: stream, first address, stride.
    fn rows(&mut self, steps: &[(StreamId, i64, i64)], count: u64) {
        rows_as_runs(self, steps, count);
    }
    /// An access of this many bytes belongs to the stream.
    fn size(&mut self, _stream: StreamId, _bytes: u32) {}
    /// The name of a stream of [`Kind::Named`], before its first access.
    fn named(&mut self, _stream: StreamId, _name: &str) {}
    /// Integers of the trace are unsigned: a negative one stands for itself plus 2^64.
    fn unsigned(&mut self) {}
}

/// Hands on the rows of [`Accesses::rows`] as runs of streams.
pub fn rows_as_runs<A: Accesses + ?Sized>(to: &mut A, steps: &[(StreamId, i64, i64)], count: u64) {
    let is_repeated = |at: usize| steps[..at].iter().any(|step| step.0 == steps[at].0);
    if count == 1 || !(1..steps.len()).any(is_repeated) {
        steps.iter().for_each(|&(stream, start, stride)| to.run(stream, start, stride, count));
        return;
    }
    // A stream in several steps takes turns with itself.
    for t in 0..count {
        for &(stream, start, stride) in steps {
            to.run(stream, start.wrapping_add(stride.wrapping_mul(t as i64)), 0, 1);
        }
    }
}
