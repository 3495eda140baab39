//! The program's code outside of what has been run: read from the files that are mapped.
//!
//! Limit: code that is in no file is known as far as it has run.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

use rustc_hash::FxHashMap;
use trace::sink::Mapping;

/// Bytes that are read at a time.
const CHUNK: usize = 4096;

/// The mappings met so far; later ones hide earlier ones.
#[derive(Debug, Default)]
pub(crate) struct Files {
    mappings: Vec<Mapping>,
    open: FxHashMap<PathBuf, Option<File>>,
}

impl Files {
    /// Adds a mapping; false if it is known.
    pub(crate) fn add(&mut self, mapping: &Mapping) -> bool {
        let is_news = !self.mappings.contains(mapping);
        if is_news {
            self.mappings.push(mapping.clone());
        }
        is_news
    }

    /// Bytes at an address: as many as are read at a time, fewer at the end of a mapping.
    pub(crate) fn bytes(&mut self, pc: u64) -> Vec<u8> {
        self.read(pc, CHUNK)
    }

    /// So many bytes at an address, as far as they are there.
    pub(crate) fn read(&mut self, pc: u64, len: usize) -> Vec<u8> {
        let Some(mapping) = self.mappings.iter().rev().find(|m| (m.start..m.end).contains(&pc)) else {
            return Vec::new();
        };
        let Some(path) = &mapping.path else { return Vec::new() };
        let file = self.open.entry(path.clone()).or_insert_with(|| File::open(path).ok());
        let Some(file) = file else { return Vec::new() };
        let most = usize::try_from(mapping.end - pc).unwrap_or(usize::MAX).min(len);
        let mut bytes = vec![0; most];
        let mut done = 0;
        while done < most {
            let at = mapping.offset.saturating_add(pc - mapping.start).saturating_add(done as u64);
            match file.read_at(&mut bytes[done..], at) {
                Ok(0) | Err(_) => break,
                Ok(count) => done += count,
            }
        }
        bytes.truncate(done);
        bytes
    }
}
