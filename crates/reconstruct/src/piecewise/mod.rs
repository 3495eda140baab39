//! Reconstruction of piecewise-affine traces (ALGORITHMS 6): several bounds per loop, rational slopes, tiles.
//!
//! 1. `rows`, `tree`, `grouping`, `explore`: runs are grouped level by level into loops; what is ambiguous is tried in several
//!    ways, the likely ones first (`search`).
//! 2. `points`, `faces`, `lp`: bounds are fitted to the executions of each loop as supporting planes.
//! 3. `relabel`, `assembly`: a mostly right model is repaired by replaying the trace through it.
//! 4. `seeds`, `extend`: the largest parts that are one nest are extended to the whole trace.
//! 5. `sample`: a long trace is solved from one of its ends where that consists of whole iterations.
//! 6. Every candidate is regenerated and compared with the runs; the best exact one wins: fewest loops, then fewest
//!    bounds, then the order of strategies.
//! 7. `cover`: if no single nest was found, a sequence of nests.
//!
//! Invariants: a nest that is returned generates the runs; a cover is always found. Work is counted, not timed, so the
//! result does not depend on the machine; only a time limit, if given, can end the search early.

mod assembly;
mod attempt;
mod cover;
mod explore;
mod extend;
mod faces;
mod grouping;
mod labels;
mod lp;
mod points;
mod relabel;
mod rows;
mod sample;
mod search;
mod seeds;
mod tree;

pub use search::{Effort, solve};
