//! Broken invariants.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Counts what the analysis left out because something that always holds did not. In builds with debug assertions it stops
/// there instead. Clones count together.
#[derive(Debug, Clone, Default)]
pub(crate) struct Lost(Arc<AtomicU64>);

impl Lost {
    /// Counts a broken invariant.
    #[cold]
    #[track_caller]
    pub fn note(&self, invariant: &str) {
        debug_assert!(false, "broken invariant: {invariant}");
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    /// What holds, or `None` after counting.
    #[inline]
    #[track_caller]
    pub fn expect<T>(&self, value: Option<T>, invariant: &str) -> Option<T> {
        if value.is_none() {
            self.note(invariant);
        }
        value
    }

    /// Number of broken invariants.
    pub fn count(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::Lost;

    #[test]
    #[should_panic(expected = "broken invariant: two and two are four")]
    fn tests_stop_at_a_broken_invariant() {
        Lost::default().note("two and two are four");
    }

    #[test]
    fn what_holds_costs_nothing() {
        let lost = Lost::default();
        assert_eq!(lost.expect(Some(4), "there is a number"), Some(4));
        assert_eq!(lost.count(), 0);
    }
}
