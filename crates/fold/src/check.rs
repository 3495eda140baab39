//! Independent checker: replays a stream against its folded form, point by point.
//!
//! Definition checked (ALGORITHMS 3.1): without give-up the pieces hold exactly the stream's points, each once; every
//! label without ⊤ is regenerated; with ⊤ on T, labels minus the known part agree for all points that agree on T. What was
//! given up lies in its boxes. A vector may come several times in a stream, with any labels.

use std::collections::HashMap;

use crate::piece::{Folded, Label, Piece};

/// Points of one piece that are compared at most.
const LIMIT: u64 = 10_000_000;

/// Labels per vector that no piece has accounted for yet.
type Expected<'a> = HashMap<&'a [i64], Vec<&'a [i64]>>;

/// Compares a result with the stream it came from. Returns the first disagreement in words.
///
/// # Errors
/// A sentence naming the vector and what is wrong with it.
pub fn check(stream: &[(Vec<i64>, Vec<i64>)], folded: &Folded) -> Result<(), String> {
    let mut expected: Expected<'_> = HashMap::new();
    for (iv, label) in stream {
        expected.entry(iv).or_default().push(label);
    }
    // Labels that are known decide which of several points with one vector a piece stands for; boxes take what is left.
    let rank = |p: &&Piece| (p.over_approximated, !p.is_affine());
    let mut pieces: Vec<&Piece> = folded.pieces.iter().collect();
    pieces.sort_by_key(rank);
    for piece in pieces {
        if piece.over_approximated {
            // Bounds of inner levels may count steps of outer ones, which inequalities in coordinates do not say.
            match piece.domain() {
                Some(domain) => expected.retain(|x, _| !domain.contains(x)),
                None if piece.points(LIMIT, &mut |x, _| drop(expected.remove(x))) => {}
                None => return Err("a box without bounds".into()),
            }
        } else {
            exact(piece, &mut expected)?;
        }
    }
    let covered: u64 = folded.pieces.iter().fold(0, |sum, p| sum.saturating_add(p.points));
    if covered != stream.len() as u64 || folded.points != covered {
        return Err(format!("{covered} points in pieces and {} in all, not {}", folded.points, stream.len()));
    }
    match expected.keys().next() {
        Some(x) => Err(format!("{x:?} is in no piece")),
        None => Ok(()),
    }
}

/// Removes the points of an exact piece from what is expected.
fn exact(piece: &Piece, expected: &mut Expected<'_>) -> Result<(), String> {
    let labels: Vec<Option<Label>> = (0..piece.labels.len()).map(|o| piece.label(o)).collect();
    let domain = piece.domain();
    let mut residuals: Residuals = HashMap::new();
    let mut failure = None;
    let mut points = 0;
    let complete = piece.points(LIMIT, &mut |x, values| {
        points += 1;
        if failure.is_some() {
            return;
        }
        if domain.as_ref().is_some_and(|domain| !domain.contains(x)) {
            failure = Some(format!("{x:?} is not in the domain in coordinates"));
        }
        let Some(candidates) = expected.get_mut(x) else {
            failure = Some(format!("{x:?} is not in the stream or in two pieces"));
            return;
        };
        let fits = candidates.iter().map(|truth| agrees(&labels, &residuals, x, values, truth));
        match fits.enumerate().find(|(_, r)| r.is_ok()) {
            Some((at, _)) => note(&labels, &mut residuals, x, candidates.swap_remove(at)),
            None => failure = agrees(&labels, &residuals, x, values, candidates[0]).err(),
        }
        if candidates.is_empty() {
            expected.remove(x);
        }
    });
    if let Some(failure) = failure {
        return Err(failure);
    }
    if !complete || points != piece.points {
        return Err(format!("a piece of {points} points says {}", piece.points));
    }
    Ok(())
}

/// Per output and coordinates with ⊤: what a label is without its known part.
type Residuals = HashMap<(usize, Vec<i64>), i64>;

/// Coordinates with ⊤, and the rest of a label.
fn residual(label: &Label, x: &[i64], truth: i64) -> (Vec<i64>, i64) {
    let (mut key, mut rest) = (Vec::new(), truth);
    for (c, &x) in label.coefficients.iter().zip(x) {
        match c.known() {
            Some(c) => rest = rest.wrapping_sub(c.wrapping_mul(x)),
            None => key.push(x),
        }
    }
    (key, rest)
}

fn agrees(
    labels: &[Option<Label>],
    residuals: &Residuals,
    x: &[i64],
    values: &[Option<i64>],
    truth: &[i64],
) -> Result<(), String> {
    for (o, label) in labels.iter().enumerate() {
        if values[o].is_some_and(|v| v != truth[o]) {
            return Err(format!("label {o} at {x:?} is {} not {:?}", truth[o], values[o]));
        }
        let Some(label) = label else { continue };
        let (key, rest) = residual(label, x, truth[o]);
        if key.is_empty() && rest != label.constant {
            return Err(format!("label {o} in coordinates at {x:?} misses by {}", rest - label.constant));
        }
        if residuals.get(&(o, key)).is_some_and(|&other| other != rest) {
            return Err(format!("a stated coefficient of label {o} does not hold at {x:?}"));
        }
    }
    Ok(())
}

fn note(labels: &[Option<Label>], residuals: &mut Residuals, x: &[i64], truth: &[i64]) {
    for (o, label) in labels.iter().enumerate() {
        if let Some(label) = label {
            let (key, rest) = residual(label, x, truth[o]);
            residuals.insert((o, key), rest);
        }
    }
}
