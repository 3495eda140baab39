//! The slow, obvious way to the same dependences, for tests and `--verify`.
//!
//! Definition: every byte remembers its last writer and all its readers since; every access looks at its bytes one by
//! one. In reference mode the engine also takes every iteration of every record on its own, as a path of one block, so
//! that neither run folding nor path summaries nor the segment shadow take part.

use rustc_hash::FxHashMap;
use shadow::{
    Block, Client, DependenceRun, Gather, Iv, Kind, Later, Memory, Options, PatternId, Record, Rows,
};

type Execution = (u32, Iv);

#[derive(Debug, Default)]
struct Byte {
    writer: Option<Execution>,
    readers: Vec<Execution>,
}

/// One hash map entry per byte.
#[derive(Debug, Default)]
pub struct ByteMemory {
    bytes: FxHashMap<u64, Byte>,
}

impl ByteMemory {
    fn record(&mut self, record: &Record, client: &mut impl Client) {
        for t in 0..record.count as i64 {
            let iv = record.lane.map_or(record.iv, |lane| record.iv.advanced(usize::from(lane), t));
            for o in record.operands {
                let base = o.base.wrapping_add_signed(o.stride.wrapping_mul(t));
                let this = (o.stmt, iv);
                // (kind, source) → first address, so that several bytes of one access count once.
                let mut found: Vec<(Kind, Execution, u64)> = Vec::new();
                let mut note = |kind, source: Execution, at: u64| {
                    if !found.iter().any(|f| f.0 == kind && f.1 == source) {
                        found.push((kind, source, at));
                    }
                };
                for at in (0..u64::from(o.size)).map(|b| base.wrapping_add(b)) {
                    let byte = self.bytes.entry(at).or_default();
                    if o.write {
                        if let Some(writer) = byte.writer.replace(this) {
                            note(Kind::Output, writer, at);
                        }
                        for reader in byte.readers.drain(..) {
                            note(Kind::Anti, reader, at);
                        }
                    } else {
                        if let Some(writer) = byte.writer {
                            note(Kind::Flow, writer, at);
                        }
                        if byte.readers.last() != Some(&this) {
                            byte.readers.push(this);
                        }
                    }
                }
                for (kind, (source, source_iv), address) in found {
                    client.dependence(&DependenceRun::one(
                        kind,
                        (source, &source_iv),
                        (o.stmt, &iv),
                        address,
                    ));
                }
            }
        }
    }
}

/// The memory an engine works with.
pub enum AnyMemory {
    /// Segments.
    Runs(Box<Memory>),
    /// Bytes.
    Bytes(ByteMemory),
}

impl AnyMemory {
    /// The usual one.
    pub fn runs() -> AnyMemory {
        AnyMemory::Runs(Box::new(Memory::new(Options::default())))
    }

    /// About how many bytes it uses.
    pub fn bytes(&self) -> usize {
        match self {
            AnyMemory::Runs(memory) => memory.bytes(),
            AnyMemory::Bytes(memory) => memory.bytes.len() * 100,
        }
    }

    /// Applies a record.
    pub fn record(&mut self, record: &Record, client: &mut impl Client) {
        match self {
            AnyMemory::Runs(memory) => memory.record(record, client),
            AnyMemory::Bytes(memory) => memory.record(record, client),
        }
    }

    /// Applies a block of rows, if it takes them.
    pub fn block(&mut self, block: &Block, client: &mut impl Rows) {
        if let AnyMemory::Runs(memory) = self {
            memory.block(block, client);
        }
    }

    /// The number of the pattern of some addresses, if it takes loads by patterns.
    pub fn pattern(&mut self, addresses: &[u64]) -> Option<PatternId> {
        match self {
            AnyMemory::Runs(memory) => memory.pattern(addresses),
            AnyMemory::Bytes(_) => None,
        }
    }

    /// Applies loads of a pattern.
    pub fn gather_loads(&mut self, gather: &Gather, client: &mut impl Client) {
        if let AnyMemory::Runs(memory) = self {
            memory.gather_loads(gather, client);
        }
    }

    /// Leaves what iterations like the latest one would leave, if it can.
    pub fn move_on(&mut self, later: &Later) -> bool {
        match self {
            AnyMemory::Runs(memory) => memory.move_on(later),
            AnyMemory::Bytes(_) => false,
        }
    }

    /// The bytes have new content from nowhere.
    pub fn forget(&mut self, start: u64, end: u64, client: &impl Client) {
        match self {
            AnyMemory::Runs(memory) => memory.forget(start, end, client),
            AnyMemory::Bytes(memory) => memory.bytes.retain(|&at, _| at < start || at >= end),
        }
    }
}
