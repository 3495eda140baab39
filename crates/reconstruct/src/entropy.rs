//! General compressors of bytes, as the codec uses them: Zstandard, and LZMA2 without a container.
//!
//! Bytes are unpacked only up to a length that the caller knows beforehand, so a hostile file costs no more memory than it
//! says. LZMA2's dictionary is as large as the bytes, up to 4 MiB, of which a compressor needs about 50.

use std::io::Read;

use liblzma::stream::{Filters, LzmaOptions, Stream};

/// A way to pack bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coder {
    /// As they are.
    Plain,
    /// Zstandard.
    Zstd,
    /// LZMA2 with the contexts that `xz -6` uses.
    Lzma,
    /// LZMA2 with contexts by the position in words of 8 bytes.
    LzmaWords,
}

/// All of them.
pub const ALL: [Coder; 4] = [Coder::Plain, Coder::Zstd, Coder::Lzma, Coder::LzmaWords];

/// Most time for the last bytes: what `zstd -19` and `xz -6` do.
pub const THOROUGH: i32 = 19;
/// Little time.
pub const QUICK: i32 = 3;

/// Bytes of LZMA's dictionary.
const LEAST_DICTIONARY: usize = 1 << 12;
const MOST_DICTIONARY: usize = 1 << 22;

impl Coder {
    /// As a number in files.
    pub fn code(self) -> u8 {
        match self {
            Coder::Plain => 0,
            Coder::Zstd => 1,
            Coder::Lzma => 2,
            Coder::LzmaWords => 3,
        }
    }

    /// From a number in files.
    pub fn of(code: u8) -> Option<Coder> {
        ALL.into_iter().find(|coder| coder.code() == code)
    }

    /// LZMA's options for so many bytes; `None` for the others.
    fn filters(self, length: usize) -> Option<Filters> {
        let mut options = LzmaOptions::new_preset(6).ok()?;
        let dictionary = length.clamp(LEAST_DICTIONARY, MOST_DICTIONARY).next_power_of_two();
        options.dict_size(u32::try_from(dictionary).ok()?);
        match self {
            Coder::Plain | Coder::Zstd => return None,
            Coder::Lzma => {}
            Coder::LzmaWords => {
                options.position_bits(3).literal_position_bits(3).literal_context_bits(1);
            }
        }
        let mut filters = Filters::new();
        filters.lzma2(&options);
        Some(filters)
    }
}

/// The bytes packed; `level` is Zstandard's. `None` if the compressor has no memory.
pub fn pack(coder: Coder, level: i32, bytes: &[u8]) -> Option<Vec<u8>> {
    match coder {
        Coder::Plain => Some(bytes.to_vec()),
        Coder::Zstd => {
            let mut encoder = zstd::bulk::Compressor::new(level).ok()?;
            // The length and a checksum of the whole are in the file already.
            encoder.include_contentsize(false).ok()?;
            encoder.include_checksum(false).ok()?;
            encoder.compress(bytes).ok()
        }
        Coder::Lzma | Coder::LzmaWords => {
            let stream = Stream::new_raw_encoder(&coder.filters(bytes.len())?).ok()?;
            let mut out = Vec::new();
            liblzma::bufread::XzEncoder::new_stream(bytes, stream).read_to_end(&mut out).ok()?;
            Some(out)
        }
    }
}

/// The smallest of the bytes themselves and what some coders make of them.
pub fn smallest(coders: &[Coder], level: i32, bytes: Vec<u8>) -> (Coder, Vec<u8>) {
    let packed = coders.iter().filter_map(|&coder| Some((coder, pack(coder, level, &bytes)?)));
    let best = packed.min_by_key(|p| p.1.len());
    best.filter(|b| b.1.len() < bytes.len()).unwrap_or((Coder::Plain, bytes))
}

/// What was packed, if it has exactly this length.
pub fn unpack(coder: Coder, bytes: &[u8], length: usize) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let most = u64::try_from(length).ok()?.checked_add(1)?;
    match coder {
        Coder::Plain => out.extend_from_slice(bytes),
        Coder::Zstd => {
            zstd::Decoder::new(bytes).ok()?.take(most).read_to_end(&mut out).ok()?;
        }
        Coder::Lzma | Coder::LzmaWords => {
            let stream = Stream::new_raw_decoder(&coder.filters(length)?).ok()?;
            liblzma::bufread::XzDecoder::new_stream(bytes, stream).take(most).read_to_end(&mut out).ok()?;
        }
    }
    (out.len() == length).then_some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_comes_back_and_no_more_than_was_asked_for() {
        let bytes: Vec<u8> = (0..50_000u32).flat_map(|k| (k * k / 7).to_le_bytes()).collect();
        for bytes in [&bytes[..], &[], &[7]] {
            for coder in ALL {
                let packed = pack(coder, QUICK, bytes).expect("memory");
                assert_eq!(unpack(coder, &packed, bytes.len()).as_deref(), Some(bytes), "{coder:?}");
                assert_eq!(unpack(coder, &packed, bytes.len() + 1), None, "{coder:?}");
                if !bytes.is_empty() {
                    assert_eq!(unpack(coder, &packed, bytes.len() - 1), None, "{coder:?}");
                }
            }
        }
        let (coder, packed) = smallest(&ALL, THOROUGH, bytes.clone());
        assert!(
            coder != Coder::Plain && packed.len() < bytes.len() / 2 + 1000,
            "{coder:?}: {}",
            packed.len()
        );
    }
}
