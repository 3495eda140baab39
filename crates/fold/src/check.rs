//! Independent checker: replays a stream against its folded form, point by point.
//!
//! Definition checked (ALGORITHMS 3.1): without give-up the pieces hold exactly the stream's vectors, each once; every
//! label without ⊤ is regenerated; with ⊤ on T, labels minus the known part agree for all points that agree on T.

use std::collections::HashMap;

use crate::piece::Folded;

/// Compares a result with the stream it came from. Returns the first disagreement in words.
///
/// # Errors
/// A sentence naming the vector and what is wrong with it.
pub fn check(stream: &[(Vec<i64>, Vec<i64>)], folded: &Folded) -> Result<(), String> {
    let mut expected: HashMap<&[i64], &[i64]> = stream.iter().map(|(iv, l)| (&iv[..], &l[..])).collect();
    for piece in &folded.pieces {
        let mut failure = None;
        let mut residuals: HashMap<(usize, Vec<i64>), i64> = HashMap::new();
        let labels: Vec<_> = (0..piece.labels.len()).map(|o| piece.label(o)).collect();
        let domain = piece.domain();
        let complete = piece.points(10_000_000, &mut |x, values| {
            if failure.is_some() {
                return;
            }
            let Some(truth) =
                (if piece.over_approximated { expected.get(x).copied() } else { expected.remove(x) })
            else {
                if !piece.over_approximated {
                    failure = Some(format!("{x:?} is not in the stream or in two pieces"));
                }
                return;
            };
            if let Some(domain) = &domain
                && !domain.contains(x)
            {
                failure = Some(format!("{x:?} is not in the domain in coordinates"));
            }
            for (o, value) in values.iter().enumerate() {
                if value.is_some_and(|v| v != truth[o]) {
                    failure = Some(format!("label {o} at {x:?} is {} not {value:?}", truth[o]));
                }
                let Some(label) = &labels[o] else { continue };
                let mut rest = truth[o];
                let mut key = Vec::new();
                for (q, c) in label.coefficients.iter().enumerate() {
                    match c.known() {
                        Some(c) => rest = rest.wrapping_sub(c.wrapping_mul(x[q])),
                        None => key.push(x[q]),
                    }
                }
                if key.is_empty() && rest != label.constant {
                    failure = Some(format!(
                        "label {o} in coordinates at {x:?} misses by {}",
                        rest - label.constant
                    ));
                }
                if *residuals.entry((o, key)).or_insert(rest) != rest {
                    failure = Some(format!("a stated coefficient of label {o} does not hold at {x:?}"));
                }
            }
        });
        if let Some(failure) = failure {
            return Err(failure);
        }
        if !complete && !piece.over_approximated {
            return Err("a piece has more points than the stream".into());
        }
        if piece.over_approximated {
            expected.retain(|x, _| !domain.as_ref().is_some_and(|d| d.contains(x)));
        }
    }
    match expected.keys().next() {
        Some(x) => Err(format!("{x:?} is in no piece")),
        None => Ok(()),
    }
}
