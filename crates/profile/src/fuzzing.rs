//! Cases for fuzzing: damaged profiles, and those of other formats.

use std::path::Path;

use crate::file::{self, FileError};

/// A profile of another format, whatever follows the number, is refused by that number.
///
/// # Errors
/// What was said instead.
pub fn check_format(valid: &[u8], seed: u64) -> Result<(), String> {
    let mut bytes = damaged(valid, seed);
    let version = file::MAGIC.len()..file::MAGIC.len() + 4;
    if bytes.len() < version.end {
        return Ok(());
    }
    let other = (seed as u32).max(file::VERSION + 1);
    bytes[..version.start].copy_from_slice(file::MAGIC);
    bytes[version].copy_from_slice(&other.to_le_bytes());
    match file::decode(&bytes, Path::new("other")) {
        Err(FileError::Version { found, .. }) if found == other => Ok(()),
        Err(error) => Err(format!("format {other}: {error}")),
        Ok(_) => Err(format!("format {other} was read")),
    }
}

/// A profile's bytes, damaged: either the file itself, or the encoded profile under a checksum that is right again, which
/// only the checks of single values can notice.
pub fn damaged(valid: &[u8], seed: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = move |n: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as usize % n.max(1)
    };
    let inside = next(4) != 0;
    let mut damage = |bytes: &mut Vec<u8>| {
        for _ in 0..1 + next(8) {
            if bytes.is_empty() {
                return;
            }
            let at = next(bytes.len());
            match next(6) {
                0 => bytes.truncate(at),
                1 => bytes.insert(at, next(256) as u8),
                2 => {
                    bytes.remove(at);
                }
                3 => bytes[at] ^= 1 << next(8),
                4 => bytes[at] = [0, 1, 0x7f, 0x80, 0xff][next(5)],
                _ => {
                    let from = next(bytes.len());
                    let piece = bytes[from..bytes.len().min(from + next(64))].to_vec();
                    bytes.splice(at..bytes.len().min(at + piece.len()), piece);
                }
            }
        }
    };
    if inside && let Some(bytes) = file::reframed(valid, &mut damage) {
        return bytes;
    }
    let mut bytes = valid.to_vec();
    damage(&mut bytes);
    bytes
}
