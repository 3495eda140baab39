//! Imperfect nests of the latest runs: what their bodies do next.

use super::Forecast;
use crate::nest::MAX_DEPTH;
use crate::recognise::{Recogniser, WINDOW};
use crate::run::Run;

/// Terms that are kept, at most, and after some were forgotten.
const MOST: usize = 4096;
const KEPT: usize = 4 * WINDOW;

/// Foresees runs by nested loop recognition.
#[derive(Debug, Clone)]
pub struct Nested(Recogniser);

impl Default for Nested {
    fn default() -> Self {
        Nested(Recogniser::new(MAX_DEPTH))
    }
}

impl Nested {
    /// A run is complete and another has started at `next`: what is foreseen of that.
    pub fn complete(&mut self, run: Run, next: i64) -> Forecast {
        self.0.line(run.start, run.stride, run.count);
        if self.0.len() > MOST {
            self.0.forget(KEPT);
        }
        match self.0.expected() {
            Some((start, count, after)) if start == next => {
                Forecast { count: i64::try_from(count).ok(), next: after }
            }
            _ => Forecast::default(),
        }
    }
}
