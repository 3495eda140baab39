//! Intermediate pieces of many folders together: #MPI of the publication is the largest number alive at one time in all
//! streams, which is less than the sum of the largest numbers of each.
//!
//! A folder that serves several streams (statements that share a domain) counts once for each of them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

#[derive(Debug, Default)]
struct Counts {
    now: AtomicU64,
    most: AtomicU64,
}

/// Counts pieces that may still grow.
#[derive(Debug, Clone, Default)]
pub struct Meter(Arc<Counts>);

impl Meter {
    /// Most pieces at one time so far.
    pub fn most(&self) -> u64 {
        self.0.most.load(Ordering::Relaxed)
    }

    /// A gauge for a folder that serves so many streams; none for none.
    pub fn gauge(&self, streams: u32) -> Option<Gauge> {
        (streams > 0).then(|| Gauge { meter: Meter::clone(self), streams, shown: 0 })
    }
}

/// The share of one folder; what it shows is taken back when it is dropped.
#[derive(Debug)]
pub struct Gauge {
    meter: Meter,
    streams: u32,
    shown: u64,
}

impl Gauge {
    /// Shows the number of pieces there are now.
    #[inline]
    pub fn show(&mut self, alive: usize) {
        let alive = alive as u64 * u64::from(self.streams);
        if alive == self.shown {
            return;
        }
        let counts = &self.meter.0;
        let change = alive.wrapping_sub(self.shown);
        let now = counts.now.fetch_add(change, Ordering::Relaxed).wrapping_add(change);
        counts.most.fetch_max(now, Ordering::Relaxed);
        self.shown = alive;
    }
}

impl Drop for Gauge {
    fn drop(&mut self) {
        self.show(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_at_one_time_is_not_the_sum_of_the_most() {
        let meter = Meter::default();
        assert!(meter.gauge(0).is_none());
        let (mut one, mut two) = (meter.gauge(1).expect("a stream"), meter.gauge(3).expect("streams"));
        one.show(10);
        one.show(2);
        two.show(2);
        assert_eq!(meter.most(), 10);
        two.show(4);
        assert_eq!(meter.most(), 14);
        drop(one);
        drop(two);
        let mut three = meter.gauge(1).expect("a stream");
        three.show(13);
        assert_eq!(meter.most(), 14);
    }
}
