//! The nest of a long trace from one of its ends.
//!
//! Triangular nests have small iterations of the outermost loop at their beginning or end. An end of the trace, cut where
//! its integers jump furthest, is a number of such iterations, small enough for the whole search; the outermost loop of
//! the nest found is run on over the rest of the trace, which decides.

use std::sync::Arc;

use super::search::{Effort, single, strides};
use super::tree::Rows;
use crate::extend::around;
use crate::nest::Nest;
use crate::run::{Differences, Run};
use crate::simplify::simplified;
use crate::verify;

/// Runs of an end.
const END: usize = 100_000;
/// A cut that leaves fewer is none.
const LEAST: usize = 5_000;

/// A nest for all runs that was found from the last or the first of them.
pub fn from_ends(rows: &Rows, effort: &Effort) -> Option<Nest> {
    let n = rows.len();
    let (low, high) = (n.saturating_sub(END), n.min(END));
    let last = furthest(rows, low..n).filter(|&cut| n - cut >= LEAST).map(|cut| cut..n);
    let first = furthest(rows, 0..high).filter(|&cut| cut >= LEAST).map(|cut| 0..cut);
    last.into_iter().chain(first).find_map(|part| whole(rows, part, effort))
}

/// The run to which the integers jump furthest in a part of the trace.
fn furthest(rows: &Rows, part: std::ops::Range<usize>) -> Option<usize> {
    part.skip(1).max_by_key(|&i| (rows.start(i).abs_diff(rows.start(i - 1)), std::cmp::Reverse(i)))
}

fn whole(rows: &Rows, part: std::ops::Range<usize>, effort: &Effort) -> Option<Nest> {
    let count = |range: std::ops::Range<usize>| rows.pairs_in(range).map(|run| run.1 as u128).sum::<u128>();
    let (before, after) = (count(0..part.start), count(part.end..rows.len()));
    let run = |i: usize| Run { start: rows.start(i), stride: rows.stride, count: rows.count(i) as u64 };
    let trace = Differences::of(part.map(run))?;
    let strides = strides(&trace);
    let sample = Arc::new(Rows::cut(&trace, strides[0]));
    let nest = single(&trace, &strides, &sample, &Effort { rounds: 0, ..effort.clone() })?;
    let nests = around(nest, before, after, effort.divisor)?;
    nests.into_iter().map(simplified).find(|nest| verify::generates([nest], rows.stride, rows.pairs()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generators;

    fn rows(name: &str) -> Rows {
        let generator = generators::named(name).map(|g| g.all()).unwrap_or_default();
        let trace = Differences::of(generator).unwrap_or_default();
        Rows::cut(&trace, strides(&trace)[0])
    }

    #[test]
    fn a_triangle_from_its_last_iterations() {
        let rows = rows("tiled_lu_ij");
        assert!(rows.len() > 3 * END);
        let nest = from_ends(&rows, &Effort::default());
        assert_eq!(nest.as_ref().map(Nest::accesses), Some(8_955_050));
        assert!(nest.is_some_and(|n| verify::generates([&n], rows.stride, rows.pairs())));
    }

    #[test]
    fn iterations_longer_than_an_end_show_nothing() {
        assert_eq!(from_ends(&rows("tiled_heat3d"), &Effort::default()), None);
    }
}
