//! The program's code as it lies in memory, and the mappings it comes from.
//!
//! Invariant: bytes of writable or generated code are read anew each time; only pages of read-only file mappings are
//! kept, until the program changes its mappings.

use rustc_hash::{FxHashMap, FxHashSet};
use trace::sink::Mapping;

use crate::process::Tracee;

const PAGE: u64 = 4096;

struct Area {
    mapping: Mapping,
    fixed: bool,
    changeable: bool,
}

/// Code of one process.
#[derive(Default)]
pub(crate) struct CodeMap {
    areas: Vec<Area>,
    published: FxHashSet<(u64, u64, u64)>,
    pages: FxHashMap<u64, Vec<u8>>,
}

impl CodeMap {
    /// Forgets everything: a new program was started.
    pub(crate) fn clear(&mut self) {
        *self = CodeMap::default();
    }

    /// The program changes its mappings in a range.
    pub(crate) fn changed(&mut self, start: u64, end: u64) {
        self.areas.retain(|a| a.mapping.end <= start || a.mapping.start >= end);
        self.published.retain(|&(s, e, _)| e <= start || s >= end);
        self.pages.retain(|&p, _| p + PAGE <= start || p >= end);
    }

    /// Makes sure the mapping around `pc` is known; returns executable mappings not seen before.
    pub(crate) fn locate(&mut self, tracee: &Tracee, pc: u64) -> Vec<Mapping> {
        if self.area(pc).is_some() {
            return Vec::new();
        }
        self.areas.clear();
        let maps = std::fs::read(format!("/proc/{}/maps", tracee.pid())).unwrap_or_default();
        let mut fresh = Vec::new();
        for line in maps.split(|&b| b == b'\n') {
            let Some(area) = parse(line) else { continue };
            let m = &area.mapping;
            if self.published.insert((m.start, m.end, m.offset)) {
                fresh.push(m.clone());
            }
            self.areas.push(area);
        }
        fresh
    }

    /// Whether the process had no code left when its mappings were read last: it was killed, and reports its end at the
    /// next wait.
    pub(crate) fn is_gone(&self) -> bool {
        self.areas.is_empty()
    }

    fn area(&self, pc: u64) -> Option<&Area> {
        self.areas.iter().find(|a| (a.mapping.start..a.mapping.end).contains(&pc))
    }

    /// Whether the code at `pc` cannot change without a system call.
    pub(crate) fn is_fixed(&self, pc: u64) -> bool {
        self.area(pc).is_some_and(|a| a.fixed)
    }

    /// Whether the code at `pc` can change by a mere store.
    pub(crate) fn is_changeable(&self, pc: u64) -> bool {
        self.area(pc).is_some_and(|a| a.changeable)
    }

    /// Up to `len` bytes at `pc`.
    pub(crate) fn bytes(&mut self, tracee: &Tracee, pc: u64, len: usize) -> Vec<u8> {
        let mut out = Vec::with_capacity(len);
        let mut at = pc;
        while out.len() < len {
            let page = at & !(PAGE - 1);
            let read = || {
                let mut bytes = vec![0; PAGE as usize];
                let n = tracee.read(page, &mut bytes);
                bytes.truncate(n);
                bytes
            };
            let fresh;
            let bytes = if self.pages.contains_key(&page) || self.is_fixed(page) {
                &*self.pages.entry(page).or_insert_with(read)
            } else {
                fresh = read();
                &fresh
            };
            let rest = bytes.get((at - page) as usize..).unwrap_or_default();
            if rest.is_empty() {
                break;
            }
            out.extend_from_slice(&rest[..rest.len().min(len - out.len())]);
            at = page + PAGE;
        }
        out
    }
}

/// One line of a `maps` file, if it is executable.
fn parse(line: &[u8]) -> Option<Area> {
    use std::os::unix::ffi::OsStrExt;
    let mut fields = line.splitn(6, |&b| b == b' ');
    let text = |f: Option<&[u8]>| f.and_then(|f| std::str::from_utf8(f).ok()).map(str::to_owned);
    let range = text(fields.next())?;
    let permissions = text(fields.next())?;
    let offset = u64::from_str_radix(&text(fields.next())?, 16).ok()?;
    let path = fields.nth(2).unwrap_or_default().trim_ascii();
    let (start, end) = range.split_once('-')?;
    if !permissions.contains('x') {
        return None;
    }
    let file = path.starts_with(b"/");
    // What is shared may be mapped a second time.
    let changeable = permissions.contains('w') || permissions.ends_with('s');
    Some(Area {
        fixed: (file || path == b"[vdso]") && !changeable,
        changeable,
        mapping: Mapping {
            start: u64::from_str_radix(start, 16).ok()?,
            end: u64::from_str_radix(end, 16).ok()?,
            offset,
            path: file.then(|| std::ffi::OsStr::from_bytes(path).into()),
        },
    })
}
