//! Whether a transformation of a loop nest respects its dependences.
//!
//! A nest is a list of loops, outermost first (*depth* 0 is the outermost of the region), with statements inside some or all
//! of them. A dependence is an [`Arrow`]: from an instance of a statement to a later one, with the smallest and largest
//! distance (sink − source, in iterations) per loop around both. A transformation is legal if every arrow still points
//! forward in time after it (polyhedral note, "Legality without a scheduler").
//!
//! Invariant: never an illegal one is called legal. Distances are boxes, so that a legal one may be refused where they are
//! not constant; what is not known refuses.
//!
//! Limits: conditions and input and output are not dependences.

mod observed;

use profile::{Kind, ObjectIndex};

pub use observed::observed;

/// Smallest and largest value.
pub type Range = (i64, i64);

/// A dependence between statements of a nest, or between one of them and something outside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arrow {
    /// What it is reported as: index into [`profile::Profile::dependences`].
    pub dependence: u32,
    /// Flow, anti or output.
    pub kind: Kind,
    /// The earlier statement.
    pub source: u32,
    /// The later statement.
    pub sink: u32,
    /// Distance per loop around both, outermost first; empty if only one end is in the nest.
    pub distance: Vec<Range>,
    /// Distance in the next loop around each end, which are different loops; `None` if not known.
    pub beyond: Option<Range>,
    /// The variables it passes through; empty for registers and what has no name.
    pub objects: Vec<ObjectIndex>,
    /// Whether the value may be from before the iterations of the innermost loop around both: for anti dependences, if not
    /// every read follows a write of its own iteration.
    pub is_exposed: bool,
    /// It orders iterations: induction variables and storage that is private anyway do not.
    pub orders: bool,
}

impl Arrow {
    /// The outermost loop whose iterations it may leave: the first with a distance that is not 0; the number of loops around
    /// both ends if there is none.
    pub fn level(&self) -> usize {
        self.distance.iter().position(|d| *d != (0, 0)).unwrap_or(self.distance.len())
    }

    /// Whether some instance may stay in one iteration of all loops outside of a depth.
    fn may_reach(&self, depth: usize) -> bool {
        self.distance.len() >= depth && self.distance[..depth].iter().all(|d| d.0 <= 0 && d.1 >= 0)
    }
}

/// A change of a nest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Transformation {
    /// Runs the iterations of a loop at the same time.
    Parallelise {
        /// The loop.
        depth: usize,
    },
    /// Runs so many neighbouring iterations of a loop in lockstep, innermost.
    Vectorise {
        /// The loop.
        depth: usize,
        /// Number of loops in the nest.
        loops: usize,
        /// Iterations at a time.
        lanes: i64,
    },
    /// Nests loops in another order: `order[k]` is the loop that comes to stand at depth k.
    Interchange {
        /// A permutation of all depths.
        order: Vec<usize>,
    },
    /// Cuts neighbouring loops into blocks.
    Tile {
        /// The outermost.
        from: usize,
        /// The innermost.
        to: usize,
    },
    /// Makes one loop of two at the same depth.
    Fuse {
        /// Depth of the loops.
        depth: usize,
        /// Statements of the first.
        first: Vec<u32>,
        /// Statements of the second.
        second: Vec<u32>,
        /// Iterations by which the second is delayed.
        shift: i64,
    },
    /// Makes several loops of one.
    Distribute {
        /// Depth of the loop.
        depth: usize,
        /// The statements of each, in the order in which they are to run.
        parts: Vec<Vec<u32>>,
    },
    /// Gives every iteration of a loop its own copy of a variable.
    Privatise {
        /// Depth of the loop.
        depth: usize,
        /// The variable.
        object: ObjectIndex,
    },
}

/// Why a transformation is not legal, and the dependence that forbids it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Iterations of the loop depend on one another.
    #[error("the loop carries dependence {0}")]
    Carried(u32),
    /// Some distance becomes negative.
    #[error("dependence {0} would go backwards")]
    Backwards(u32),
    /// A loop of the band takes a dependence backwards.
    #[error("a loop of the band takes dependence {0} backwards; skewing may help")]
    Band(u32),
    /// The statements of a dependence are not in the same loops.
    #[error("the ends of dependence {0} are not both in all of the loops")]
    Imperfect(u32),
    /// A later part hands something to an earlier one.
    #[error("dependence {0} leads from a later part to an earlier one")]
    Cycle(u32),
    /// The variable's content comes from another iteration, or is used by one or after the loop.
    #[error("dependence {0} takes the variable's content out of an iteration")]
    Live(u32),
    /// No such loops.
    #[error("there are no such loops")]
    Loops,
}

/// Whether a transformation respects some dependences.
///
/// # Errors
/// The first dependence that forbids it.
pub fn check(arrows: &[Arrow], transformation: &Transformation) -> Result<(), Refusal> {
    let ordering = || arrows.iter().filter(|a| a.orders);
    match transformation {
        Transformation::Parallelise { depth } => each(ordering(), |a| is_carried_by(a, *depth)),
        Transformation::Vectorise { depth, loops, lanes } => {
            each(ordering().filter(|a| !is_farther(a, *depth, *lanes)), |a| is_carried_by(a, *depth))?;
            let inner = (0..*loops).filter(|k| k != depth).chain([*depth]);
            interchange(ordering(), &inner.collect::<Vec<_>>())
        }
        Transformation::Interchange { order } => interchange(ordering(), order),
        Transformation::Tile { from, to } => each(ordering(), |a| tile(a, *from, *to)),
        Transformation::Fuse { depth, first, second, shift } => {
            let between = |a: &&Arrow| first.contains(&a.source) && second.contains(&a.sink);
            each(ordering().filter(between), |a| fuse(a, *depth, *shift))
        }
        Transformation::Distribute { depth, parts } => each(ordering(), |a| distribute(a, *depth, parts)),
        Transformation::Privatise { depth, object } => {
            each(arrows.iter().filter(|a| a.objects.contains(object)), |a| privatise(a, *depth))
        }
    }
}

/// The dependences after the iterations of loop `depth` were renumbered as their own number plus `factor` times that of an
/// outer loop. That is legal at any time: it changes no order.
pub fn skewed(arrows: &[Arrow], depth: usize, by: usize, factor: i64) -> Vec<Arrow> {
    let mut out = arrows.to_vec();
    for arrow in &mut out {
        let Some(&outer) = arrow.distance.get(by) else { continue };
        let Some(inner) = arrow.distance.get_mut(depth) else { continue };
        let (a, b) = (outer.0.saturating_mul(factor), outer.1.saturating_mul(factor));
        *inner = (inner.0.saturating_add(a.min(b)), inner.1.saturating_add(a.max(b)));
    }
    out
}

fn each<'a>(
    mut arrows: impl Iterator<Item = &'a Arrow>,
    refused: impl Fn(&Arrow) -> Result<(), Refusal>,
) -> Result<(), Refusal> {
    arrows.try_for_each(refused)
}

fn is_carried_by(arrow: &Arrow, depth: usize) -> Result<(), Refusal> {
    match arrow.distance.get(depth) {
        Some(&distance) if distance != (0, 0) && arrow.may_reach(depth) => {
            Err(Refusal::Carried(arrow.dependence))
        }
        _ => Ok(()),
    }
}

/// Whether the ends of what a loop carries are always at least so many iterations apart.
fn is_farther(arrow: &Arrow, depth: usize, lanes: i64) -> bool {
    arrow.level() == depth && arrow.distance.get(depth).is_some_and(|d| d.0 >= lanes)
}

fn interchange<'a>(arrows: impl Iterator<Item = &'a Arrow>, order: &[usize]) -> Result<(), Refusal> {
    let mut sorted = order.to_vec();
    sorted.sort_unstable();
    if sorted.iter().enumerate().any(|(k, &depth)| k != depth) {
        return Err(Refusal::Loops);
    }
    // The loops that stay where they are, outside of those that move.
    let fixed = order.iter().enumerate().take_while(|&(k, &depth)| k == depth).count();
    for arrow in arrows.filter(|a| a.may_reach(fixed.min(a.distance.len()))) {
        if fixed < order.len() && arrow.distance.len() < order.len() && !arrow.distance.is_empty() {
            let moved = order[fixed..].iter().any(|&depth| depth >= arrow.distance.len());
            if moved && arrow.level() >= fixed {
                return Err(Refusal::Imperfect(arrow.dependence));
            }
        }
        for &depth in order {
            match arrow.distance.get(depth) {
                Some(d) if d.0 > 0 => break,
                Some(d) if d.0 < 0 => return Err(Refusal::Backwards(arrow.dependence)),
                _ => {}
            }
        }
    }
    Ok(())
}

fn tile(arrow: &Arrow, from: usize, to: usize) -> Result<(), Refusal> {
    // What an outer loop carries, always, stays in order whatever happens inside.
    if !arrow.may_reach(from) || arrow.distance.is_empty() {
        return Ok(());
    }
    for depth in from..=to {
        match arrow.distance.get(depth) {
            Some(d) if d.0 < 0 => return Err(Refusal::Band(arrow.dependence)),
            Some(_) => {}
            None => return Err(Refusal::Imperfect(arrow.dependence)),
        }
    }
    Ok(())
}

fn fuse(arrow: &Arrow, depth: usize, shift: i64) -> Result<(), Refusal> {
    // Loops around both already keep the order of what they carry.
    if arrow.distance.len() != depth || !arrow.may_reach(depth) {
        return Ok(());
    }
    match arrow.beyond {
        Some((least, _)) if least.saturating_add(shift) >= 0 => Ok(()),
        _ => Err(Refusal::Backwards(arrow.dependence)),
    }
}

fn distribute(arrow: &Arrow, depth: usize, parts: &[Vec<u32>]) -> Result<(), Refusal> {
    let part = |statement: u32| parts.iter().position(|part| part.contains(&statement));
    let is_inside = arrow.distance.len() > depth && arrow.may_reach(depth);
    match (part(arrow.source), part(arrow.sink)) {
        (Some(from), Some(to)) if is_inside && from > to => Err(Refusal::Cycle(arrow.dependence)),
        _ => Ok(()),
    }
}

fn privatise(arrow: &Arrow, depth: usize) -> Result<(), Refusal> {
    let leaves = arrow.distance.len() <= depth || arrow.distance[..=depth].iter().any(|d| *d != (0, 0));
    match arrow.kind {
        Kind::Flow if leaves => Err(Refusal::Live(arrow.dependence)),
        Kind::Anti if leaves && arrow.is_exposed => Err(Refusal::Live(arrow.dependence)),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arrow(kind: Kind, ends: (u32, u32), distance: &[Range]) -> Arrow {
        Arrow {
            dependence: 7,
            kind,
            source: ends.0,
            sink: ends.1,
            distance: distance.to_vec(),
            beyond: None,
            objects: vec![3],
            is_exposed: false,
            orders: true,
        }
    }

    fn flow(distance: &[Range]) -> Arrow {
        arrow(Kind::Flow, (0, 0), distance)
    }

    #[test]
    fn a_parallel_loop_carries_nothing() {
        let arrows = [flow(&[(0, 0), (1, 1)])];
        let parallel = |depth| check(&arrows, &Transformation::Parallelise { depth });
        assert_eq!(parallel(0), Ok(()));
        assert_eq!(parallel(1), Err(Refusal::Carried(7)));
        // What the outer loop carries is no matter of the inner one, unless it may stay in an iteration.
        let outer = [flow(&[(1, 1), (-1, 1)])];
        assert_eq!(check(&outer, &Transformation::Parallelise { depth: 1 }), Ok(()));
        let maybe = [flow(&[(0, 1), (-1, 1)])];
        assert_eq!(check(&maybe, &Transformation::Parallelise { depth: 1 }), Err(Refusal::Carried(7)));
    }

    #[test]
    fn interchange_keeps_vectors_positive() {
        let order = Transformation::Interchange { order: vec![1, 0] };
        assert_eq!(check(&[flow(&[(1, 1), (-1, -1)])], &order), Err(Refusal::Backwards(7)));
        assert_eq!(check(&[flow(&[(1, 1), (0, 1)]), flow(&[(0, 0), (1, 1)])], &order), Ok(()));
        assert_eq!(check(&[flow(&[(0, 0)])], &order), Err(Refusal::Imperfect(7)));
        assert_eq!(check(&[], &Transformation::Interchange { order: vec![1, 2] }), Err(Refusal::Loops));
        // A loop around them that always carries the dependence decides.
        let inner = Transformation::Interchange { order: vec![0, 2, 1] };
        assert_eq!(check(&[flow(&[(1, 1), (1, 1), (-1, -1)])], &inner), Ok(()));
        assert_eq!(check(&[flow(&[(0, 1), (1, 1), (-1, -1)])], &inner), Err(Refusal::Backwards(7)));
    }

    #[test]
    fn tiling_takes_skewing() {
        let seidel = [flow(&[(1, 1), (-1, -1)]), flow(&[(0, 0), (1, 1)]), flow(&[(1, 1), (0, 0)])];
        let tile = Transformation::Tile { from: 0, to: 1 };
        assert_eq!(check(&seidel, &tile), Err(Refusal::Band(7)));
        assert_eq!(check(&skewed(&seidel, 1, 0, 1), &tile), Ok(()));
        assert_eq!(
            check(&skewed(&seidel, 1, 0, 1), &Transformation::Interchange { order: vec![1, 0] }),
            Ok(())
        );
    }

    #[test]
    fn fusion_reverses_nothing() {
        let between = |beyond| [Arrow { beyond, ..arrow(Kind::Flow, (0, 1), &[(0, 0)]) }];
        let fuse = |shift| Transformation::Fuse { depth: 1, first: vec![0], second: vec![1], shift };
        assert_eq!(check(&between(Some((0, 4))), &fuse(0)), Ok(()));
        assert_eq!(check(&between(Some((-1, 1))), &fuse(0)), Err(Refusal::Backwards(7)));
        assert_eq!(check(&between(Some((-1, 1))), &fuse(1)), Ok(()));
        assert_eq!(check(&between(None), &fuse(1)), Err(Refusal::Backwards(7)));
    }

    #[test]
    fn distribution_breaks_no_cycle() {
        let (down, up) = (arrow(Kind::Flow, (0, 1), &[(0, 0)]), arrow(Kind::Flow, (1, 0), &[(1, 1)]));
        let parts =
            |parts: [u32; 2]| Transformation::Distribute { depth: 0, parts: parts.map(|p| vec![p]).to_vec() };
        assert_eq!(check(std::slice::from_ref(&down), &parts([0, 1])), Ok(()));
        assert_eq!(check(std::slice::from_ref(&down), &parts([1, 0])), Err(Refusal::Cycle(7)));
        assert_eq!(check(&[down.clone(), up.clone()], &parts([0, 1])), Err(Refusal::Cycle(7)));
        assert_eq!(check(&[down, up], &parts([1, 0])), Err(Refusal::Cycle(7)));
    }

    #[test]
    fn a_recurrence_is_not_vectorised() {
        let vectorise = |depth, lanes| Transformation::Vectorise { depth, loops: 2, lanes };
        assert_eq!(check(&[flow(&[(0, 0), (1, 1)])], &vectorise(1, 4)), Err(Refusal::Carried(7)));
        assert_eq!(check(&[flow(&[(0, 0), (8, 9)])], &vectorise(1, 8)), Ok(()));
        assert_eq!(check(&[flow(&[(0, 0), (1, 1)])], &vectorise(0, 4)), Ok(()));
        assert_eq!(check(&[flow(&[(1, 1), (-1, -1)])], &vectorise(0, 4)), Err(Refusal::Carried(7)));
    }

    #[test]
    fn a_live_value_is_not_privatised() {
        let privatise = |depth| Transformation::Privatise { depth, object: 3 };
        let within = flow(&[(0, 0), (1, 1)]);
        let overwritten = arrow(Kind::Output, (0, 0), &[(1, 1)]);
        assert_eq!(check(&[within.clone(), overwritten.clone()], &privatise(0)), Ok(()));
        assert_eq!(check(std::slice::from_ref(&within), &privatise(1)), Err(Refusal::Live(7)));
        // Used after the loop; read before it is written.
        assert_eq!(check(&[within.clone(), flow(&[])], &privatise(0)), Err(Refusal::Live(7)));
        let exposed = Arrow { is_exposed: true, ..arrow(Kind::Anti, (0, 0), &[(1, 1)]) };
        assert_eq!(check(&[within, exposed], &privatise(0)), Err(Refusal::Live(7)));
        let other = Transformation::Privatise { depth: 0, object: 4 };
        assert_eq!(check(&[flow(&[(1, 1)])], &other), Ok(()));
    }
}
