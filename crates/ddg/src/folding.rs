//! How streams are folded: what was asked for, and the meters of what is under way.

use fold::{GiveUp, Meter, Options};

/// How streams are folded.
#[derive(Debug, Clone, Default)]
pub struct Folding {
    /// Replace coefficients of dependences by ⊤ where that lets instances fold together. (Those of addresses always are.)
    pub widen_dependences: bool,
    /// When a stream is given up.
    pub give_up: GiveUp,
    /// Counts the intermediate pieces of the program's own statements and accesses.
    pub instructions: Meter,
    /// Counts the intermediate pieces of dependences between them.
    pub dependences: Meter,
}

impl Folding {
    /// How iteration domains are folded.
    pub fn of_domains(&self, dims: usize) -> Options {
        Options::giving_up(dims, false, self.give_up)
    }

    /// How addresses are folded.
    pub fn of_words(&self, dims: usize) -> Options {
        Options::giving_up(dims, true, self.give_up)
    }

    /// How dependences are folded.
    pub fn of_dependences(&self, dims: usize) -> Options {
        Options::widening_late(dims, self.widen_dependences, self.give_up)
    }
}
