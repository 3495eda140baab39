//! Nests with as many loops as somebody asks for: loops with a constant trip count are split.

use crate::cursor::Cursor;
use crate::nest::Nest;
use crate::{simplify, verify};

/// Why a nest has not as many loops as asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SplitError {
    /// No loop can be split by the trip count that was asked for.
    #[error(
        "no {levels} loops with an inner trip count of {trip}: no constant trip count of the {found} found is a multiple"
    )]
    NoMultiple {
        /// Loops asked for.
        levels: usize,
        /// Trip count asked for.
        trip: i64,
        /// Loops there are.
        found: usize,
    },
    /// No loop can be split into equal parts.
    #[error("no {levels} loops: the {found} found cannot be split evenly")]
    NotEven {
        /// Loops asked for.
        levels: usize,
        /// Loops there are.
        found: usize,
    },
}

/// Constant trip counts of innermost loops, most frequent first.
pub fn modal_trips<'a>(nests: impl IntoIterator<Item = &'a Nest>) -> Vec<i64> {
    let mut counts: Vec<(i64, usize)> = Vec::new();
    let innermost = nests.into_iter().filter_map(|n| n.levels.last());
    for trips in innermost.filter_map(simplify::trips) {
        match counts.iter_mut().find(|c| c.0 == trips) {
            Some(count) => count.1 += 1,
            None => counts.push((trips, 1)),
        }
    }
    counts.sort_by_key(|c| (std::cmp::Reverse(c.1), c.0));
    counts.into_iter().map(|c| c.0).collect()
}

/// A nest of at least so many loops, by the trip count asked for or else one that other nests have or else evenly.
///
/// # Errors
/// If no loop of the nest can be split so; a nest without loops stays as it is.
pub fn split(nest: &Nest, levels: usize, trip: Option<i64>, modal: &[i64]) -> Result<Nest, SplitError> {
    let found = nest.depth();
    if found >= levels || found == 0 {
        return Ok(nest.clone());
    }
    let tried = match trip {
        Some(_) => vec![trip],
        None => modal.iter().map(|&t| Some(t)).chain([None]).collect(),
    };
    for trip in tried {
        let more = simplify::split(nest.clone(), levels, trip);
        if more.depth() == levels && verify::generates([&more], nest.stride(), Cursor::new(nest)) {
            return Ok(more);
        }
    }
    Err(match trip {
        Some(trip) => SplitError::NoMultiple { levels, trip, found },
        None => SplitError::NotEven { levels, found },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_twelve_as_rows() {
        let line = Nest::line(0, 1, 12);
        let rows = split(&line, 2, None, &modal_trips([&Nest::line(5, 1, 4)])).expect("three rows of four");
        assert_eq!(rows.coefficients, [4, 1]);
        assert_eq!(split(&line, 1, None, &[]), Ok(line.clone()));
        let refused = split(&line, 2, Some(5), &[]);
        assert_eq!(refused, Err(SplitError::NoMultiple { levels: 2, trip: 5, found: 1 }));
        assert_eq!(
            split(&Nest::line(0, 1, 7), 2, None, &[]),
            Err(SplitError::NotEven { levels: 2, found: 1 })
        );
    }
}
