//! Long streams in chunks: each is folded by itself, somewhere, and compressed; put together they are reconstructed as if
//! they had come in one piece.
//!
//! A chunk is a `.lwc` file of one stream, in as many parts as it was compressed in. Its nests are those
//! that folding finds; nothing is searched in it, since where a stream is cut says nothing about its loops. What
//! [`append`] feeds to a [`Reconstructor`] are the runs of these nests, and runs are taken like their integers however
//! they are cut. So the result of a stream does not depend on chunks.
//!
//! Limits: a [`Chunker`] keeps at most some 33,000 nests and items beside the bytes of those before; reading a chunk takes
//! memory for its nests or, where compressed differences are smaller than these, for its integers.

use crate::codec::{self, Aim, DecodeError, Section};
use crate::run::Run;
use crate::stream::{Options, Reconstructor};

/// Nests and items, of some hundred bytes each, after which a part is compressed.
const KEPT: usize = 1 << 15;
/// Integers between two looks at how much is kept.
const LOOK: usize = 1 << 16;
/// The id of streams that have none.
const PLAIN: (u64, u8) = (0, 0);

/// Folds one chunk of a stream.
#[derive(Debug)]
pub struct Chunker {
    open: Reconstructor,
    parts: Vec<((u64, u8), Section)>,
    kept: usize,
    accesses: u64,
}

impl Default for Chunker {
    fn default() -> Self {
        Chunker::keeping(KEPT)
    }
}

impl Chunker {
    /// At the start of a chunk; keeps so many nests and items at a time.
    fn keeping(kept: usize) -> Chunker {
        Chunker { open: folding(kept), parts: Vec::new(), kept, accesses: 0 }
    }

    /// Takes integers.
    pub fn push(&mut self, values: &[i64]) {
        for part in values.chunks(LOOK) {
            self.open.push(part);
            self.relieve();
        }
    }

    /// Takes a run. A run that leaves 64 bits is taken modulo 2^64.
    pub fn push_run(&mut self, run: Run) {
        self.open.push_run(run);
        self.relieve();
    }

    /// Number of integers so far.
    pub fn accesses(&self) -> u64 {
        self.accesses.saturating_add(self.open.accesses())
    }

    /// Compresses what is kept, if it is much.
    fn relieve(&mut self) {
        if self.open.kept() > self.kept {
            self.compress();
        }
    }

    fn compress(&mut self) {
        let part = std::mem::replace(&mut self.open, folding(self.kept)).finish();
        self.accesses = self.accesses.saturating_add(part.accesses);
        self.parts.push((PLAIN, codec::section(&part, Aim::Fast)));
    }

    /// The chunk as a file.
    pub fn finish(mut self) -> Vec<u8> {
        if self.open.accesses() > 0 {
            self.compress();
        }
        codec::file(&self.parts, None)
    }
}

fn folding(kept: usize) -> Reconstructor {
    Reconstructor::new(Options { as_folded: true, items: kept, ..Options::default() })
}

/// Takes the integers of a chunk.
///
/// # Errors
/// If the bytes are no chunk; then nothing was taken.
pub fn append(chunk: &[u8], to: &mut Reconstructor) -> Result<(), DecodeError> {
    let file = codec::decode(chunk)?;
    if file.order.is_some() || file.streams.len() > 1 {
        return Err(DecodeError::Content("several streams in a chunk of one"));
    }
    file.streams.iter().for_each(|stream| to.push_statements(&stream.statements));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fuzzing::Random;
    use crate::stream::Reconstruction;

    fn joined(parts: &[&[i64]], kept: usize) -> (Reconstruction, usize) {
        let mut all = Reconstructor::default();
        let mut compressed = 0;
        for part in parts {
            let mut chunker = Chunker::keeping(kept);
            // As integers and as runs.
            let (values, runs) = part.split_at(part.len() / 2);
            chunker.push(values);
            runs.iter().for_each(|&v| chunker.push_run(Run::single(v)));
            assert_eq!(chunker.accesses(), part.len() as u64);
            compressed += 1 + chunker.parts.len();
            let bytes = chunker.finish();
            append(&bytes, &mut all).expect("a chunk");
        }
        (all.finish(), compressed)
    }

    #[test]
    fn chunks_that_are_compressed_in_parts() {
        let mut random = Random::new(7);
        let noise: Vec<i64> = (0..5000).map(|_| random.below(u64::MAX) as i64).collect();
        let rows: Vec<i64> = (0..300).flat_map(|i| (0..20).map(move |j| (i * i * 7919) % 1013 + j)).collect();
        for values in [noise, rows] {
            let mut whole = Reconstructor::default();
            whole.push(&values);
            let whole = whole.finish();
            let (few, compressed) = joined(&values.chunks(1700).collect::<Vec<_>>(), 10);
            assert!(compressed > 20, "{compressed}");
            assert_eq!(few, whole);
            assert_eq!(joined(&[&values], 1 << 20), (whole, 1));
        }
    }

    #[test]
    fn nothing_and_what_is_no_chunk() {
        let mut all = Reconstructor::default();
        append(&Chunker::default().finish(), &mut all).expect("an empty chunk");
        assert_eq!(append(b"x", &mut all), Err(DecodeError::NotATrace));
        let one = Reconstruction { nests: vec![crate::nest::Nest::point(1).into()], accesses: 1 };
        let two = codec::encode(&[((0, 0), &one), ((1, 0), &one)], None);
        assert!(append(&two, &mut all).is_err());
        assert_eq!(all.finish(), Reconstruction::default());
    }
}
