//! Remembered answers to strided queries of pages.
//!
//! A column read touches as many pages as rows, and the next one is the same a few bytes further. The answer of a
//! query is kept with how far the accesses may move together so that each still meets the same segment (or still
//! nothing), and stays valid for the prefix of accesses below the first region changed since.

use crate::overlay::Strided;
use crate::page::Tables;
use crate::query::{NO_CLASS, Piece};

/// Strides (bytes) and counts from which answers are kept.
const MIN_STRIDE: u64 = 512;
const MIN_COUNT: i64 = 8;

/// Whether the answer to a query is worth keeping.
pub(crate) fn is_worth(a: &Strided) -> bool {
    a.stride > MIN_STRIDE && a.count >= MIN_COUNT
}

/// When each region of the address space last changed, by hashed region: collisions only cost time.
pub(crate) struct Changes {
    fine: Box<[u64]>,
    coarse: Box<[u64]>,
    clock: u64,
}

const FINE: u32 = 16;
const COARSE: u32 = 20;
const SLOTS: usize = 4096;

fn slot(address: u64, bits: u32) -> usize {
    (address >> bits) as usize % SLOTS
}

impl Changes {
    pub fn new() -> Changes {
        Changes { fine: vec![0; SLOTS].into(), coarse: vec![0; SLOTS].into(), clock: 1 }
    }

    #[inline]
    pub fn touch(&mut self, address: u64) {
        self.fine[slot(address, FINE)] = self.clock;
        self.coarse[slot(address, COARSE)] = self.clock;
    }

    /// The bytes `lo..hi` change.
    #[inline]
    pub fn touch_all(&mut self, lo: u64, hi: u64) {
        let mut at = lo;
        while at < hi {
            self.touch(at);
            let Some(next) = ((at >> FINE) + 1).checked_shl(FINE).filter(|next| *next > at) else { break };
            at = next;
        }
    }

    /// A time before all later changes and after all earlier ones.
    pub fn now(&mut self) -> u64 {
        self.clock += 1;
        self.clock - 1
    }

    /// The first address in `lo..hi` that may have changed after `time`.
    fn first_since(&self, time: u64, lo: u64, hi: u64) -> Option<u64> {
        let mut at = lo;
        while at < hi {
            let end = ((at >> COARSE) + 1) << COARSE;
            if self.coarse[slot(at, COARSE)] > time {
                while at < end.min(hi) {
                    if self.fine[slot(at, FINE)] > time {
                        return Some(at);
                    }
                    at = ((at >> FINE) + 1) << FINE;
                }
            }
            at = end;
        }
        None
    }
}

/// The answer to a query: pieces, and the bytes by which all accesses may move (down, up).
pub(crate) struct Answer {
    accesses: Strided,
    time: u64,
    pub pieces: Vec<Piece>,
    pub slack: (u64, u64),
}

impl Answer {
    /// No accesses answered yet, like `a`.
    pub fn none(a: &Strided) -> Answer {
        Answer {
            accesses: Strided { count: 0, ..*a },
            time: 0,
            pieces: Vec::new(),
            slack: (u64::MAX, u64::MAX),
        }
    }

    /// Adapts the answer to `a` and returns how many of its first accesses it answers.
    pub fn adapt(&mut self, a: &Strided, t: &Tables, changes: &Changes) -> i64 {
        let known = self.accesses;
        let moved = a.first.wrapping_sub(known.first) as i64;
        let is_same = known.stride == a.stride && known.size == a.size;
        let room = if moved < 0 { self.slack.0 } else { self.slack.1 };
        if known.count == 0 || !is_same || moved.unsigned_abs() > room || moved % i64::from(a.size) != 0 {
            *self = Answer { pieces: std::mem::take(&mut self.pieces), ..Answer::none(a) };
            self.pieces.clear();
            return 0;
        }
        let count = known.count.min(a.count);
        let prefix = Strided { count, ..*a };
        let keep = match changes.first_since(self.time, a.first, a.first + prefix.span()) {
            None => count,
            Some(at) => {
                let whole = (at - a.first).checked_sub(u64::from(a.size));
                whole.map_or(0, |b| (b / a.stride) as i64 + 1).min(count)
            }
        };
        if moved != 0 {
            for piece in &mut self.pieces {
                let step = &t.classes.get(piece.class).step;
                piece.iv = piece.iv.after(moved / i64::from(a.size), step);
                piece.e += moved / i64::from(a.size);
                piece.address = piece.address.wrapping_add_signed(moved);
            }
            let shifted = |s: u64, by: i64| if s == u64::MAX { s } else { s.wrapping_add_signed(by) };
            self.slack = (shifted(self.slack.0, moved), shifted(self.slack.1, -moved));
            self.accesses.first = a.first;
        }
        if keep < count || keep < a.count {
            self.truncate(keep);
        }
        keep
    }

    fn truncate(&mut self, keep: i64) {
        while let Some(last) = self.pieces.last_mut() {
            if last.t < keep {
                last.count = last.count.min(keep - last.t);
                break;
            }
            self.pieces.pop();
        }
        self.accesses.count = self.accesses.count.min(keep);
    }

    /// The answer is now that of `a` at `time`, or of nothing if it cannot be moved or cut later.
    pub fn complete(&mut self, a: &Strided, time: u64, t: &Tables) {
        let is_plain =
            |p: &Piece| p.class != NO_CLASS && p.t_step == 1 && t.classes.get(p.class).size == a.size;
        if self.accesses.count < a.count {
            self.accesses.count = a.count;
        }
        self.time = time;
        if !self.pieces.iter().all(is_plain) || self.pieces.windows(2).any(|w| w[0].t + w[0].count > w[1].t) {
            self.accesses.count = 0;
        }
    }

    /// Whether `a` is all of what is answered.
    pub fn is_all(&self, a: &Strided) -> bool {
        self.accesses.count <= a.count
    }
}
