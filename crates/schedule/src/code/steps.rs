//! Steps in terms of a text: what the report takes apart by the calls that lead to it is one loop of the source.
//!
//! Invariant: no loop stands for another one of the same line, no step is said twice, and nothing is fused with itself.

use crate::SourceLoop;
use crate::propose::sequence::{Change, Step};

/// The steps to the code of a nest that is executed in several contexts.
pub fn of_source(loops: &[SourceLoop], steps: Vec<Step>) -> Vec<Step> {
    let place = |at: usize| loops.get(at).map(|l| (&l.function, &l.file, l.line, l.column));
    let first = |at: usize| (0..at).find(|&other| place(other) == place(at)).unwrap_or(at);
    let mut out: Vec<Step> = Vec::new();
    for mut step in steps {
        renamed(&mut step.change, &first);
        let is_said = out.iter().any(|own| own.change == step.change);
        let is_alone = matches!(&step.change, Change::Fuse { loops, .. } if loops.len() < 2);
        if !is_said && !is_alone {
            out.push(step);
        }
    }
    out
}

/// Lets loops be others; those that have become the same are one.
fn renamed(change: &mut Change, name: &dyn Fn(usize) -> usize) {
    match change {
        Change::Privatise { of, .. }
        | Change::Expand { of, .. }
        | Change::Distribute { of, .. }
        | Change::Reverse { of }
        | Change::Parallelise { of }
        | Change::Vectorise { of } => *of = name(*of),
        Change::Skew { of, by, .. } => (*of, *by) = (name(*of), name(*by)),
        Change::Fuse { loops, shifts } => {
            let mut kept: Vec<(usize, i64)> = Vec::new();
            for (at, shift) in loops.iter().zip(shifts.iter()) {
                let own = (name(*at), *shift);
                if !kept.contains(&own) {
                    kept.push(own);
                }
            }
            (*loops, *shifts) = kept.into_iter().unzip();
        }
        Change::Interchange { loops } | Change::Tile { loops } | Change::Wavefront { loops } => {
            loops.iter_mut().for_each(|at| *at = name(*at));
            loops.dedup();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synthetic::{Shape, profile};

    #[test]
    fn contexts_of_a_loop_are_one() {
        let mut loops = crate::analyse(&profile(Shape::Stencil, 2));
        let (first, again, other) = (0, 1, 2);
        loops[again] = loops[first].clone();
        let step = |change: Change| Step { change, is_legal_alone: true };
        let fuse = |loops: [usize; 2], shifts: [i64; 2]| {
            step(Change::Fuse { loops: loops.to_vec(), shifts: shifts.to_vec() })
        };
        let steps = vec![
            fuse([first, again], [0, 0]),
            fuse([again, other], [0, 1]),
            step(Change::Parallelise { of: first }),
            step(Change::Parallelise { of: again }),
        ];
        let expected = vec![fuse([first, other], [0, 1]), step(Change::Parallelise { of: first })];
        assert_eq!(of_source(&loops, steps), expected);
    }
}
