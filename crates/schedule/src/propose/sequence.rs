//! The core transformations that lead from a region as it is written to what is proposed, simplest first.
//!
//! They are read off the outline: every proposed loop counts, for each statement, a sum of loops of the source, the innermost
//! of which that no loop around it counts already is its *subject*. Loops with several subjects were fused, subjects of
//! several loops in one body distributed; a sum of several loops is a skew of its subject; subjects in another order than in
//! the source were interchanged.
//!
//! Invariant: the sequence as a whole leads to a schedule that respects all dependences. Every step was also tried alone, after
//! those before it, by [`crate::check`]; where distances do not show that it is legal by itself, it is said to be so together
//! with what follows.

use std::collections::BTreeMap;

use profile::{ObjectIndex, Profile};

use super::expanded::{self, expanded};
use super::outline::{Count, Loop, Node, Statement, worthwhile};
use super::region::Region;
use super::statements::Statements;
use crate::SourceLoop;
use crate::check::{Arrow, Transformation, check, observed, skewed};
use crate::graph::dimension;
use crate::verdict::Parallel;

/// A core transformation; loops are indices into the loops of the source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// Every iteration of a loop gets its own copy of a variable.
    Privatise {
        /// The loop.
        of: usize,
        /// The variable.
        object: ObjectIndex,
    },
    /// A variable becomes an array with an element for each iteration of a loop.
    Expand {
        /// The loop.
        of: usize,
        /// The variable; `None` for a value that is kept in a register.
        object: Option<ObjectIndex>,
        /// Lines that compute its values, ascending.
        lines: Vec<u32>,
    },
    /// A loop becomes several, one after the other.
    Distribute {
        /// The loop.
        of: usize,
        /// The statements of each.
        parts: Vec<Vec<Statement>>,
    },
    /// Loops become one.
    Fuse {
        /// The loops, in the order of the source.
        loops: Vec<usize>,
        /// By how many iterations each is delayed.
        shifts: Vec<i64>,
    },
    /// A loop runs backwards.
    Reverse {
        /// The loop.
        of: usize,
    },
    /// Iterations of a loop are renumbered by adding a multiple of an outer loop's number.
    Skew {
        /// The loop.
        of: usize,
        /// The outer loop.
        by: usize,
        /// The multiple.
        factor: i64,
    },
    /// Loops are nested in this order.
    Interchange {
        /// From the outermost.
        loops: Vec<usize>,
    },
    /// Loops are cut into blocks.
    Tile {
        /// From the outermost.
        loops: Vec<usize>,
    },
    /// Blocks on one diagonal of two tiled loops run in parallel.
    Wavefront {
        /// The two loops.
        loops: Vec<usize>,
    },
    /// Iterations run in parallel.
    Parallelise {
        /// The loop.
        of: usize,
    },
    /// Iterations run in lockstep.
    Vectorise {
        /// The loop.
        of: usize,
    },
}

/// A step of a sequence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// What is done.
    pub change: Change,
    /// The observed distances show that it is legal by itself after the steps before it; else it is together with those
    /// after it.
    pub is_legal_alone: bool,
}

/// A proposed loop with what it is about.
struct Proposed<'a> {
    own: &'a Loop,
    /// The distinct subjects, with the sum of which each is the subject.
    subjects: Vec<(usize, &'a Count)>,
    /// The proposed loop around it.
    parent: Option<usize>,
}

/// What is to be made of a region.
#[derive(Debug, Clone, Copy)]
pub struct Target<'a> {
    /// The transformed loops.
    pub nodes: &'a [Node],
    /// Bands that can be tiled are.
    pub is_tiled: bool,
    /// Tiles run on diagonals where no loop is parallel.
    pub has_diagonals: bool,
}

/// The sequence that leads to an outline.
pub fn sequence(
    profile: &Profile,
    loops: &[SourceLoop],
    region: &Region,
    statements: &Statements,
    target: Target,
) -> Vec<Step> {
    let nodes = worthwhile(target.nodes, region.instructions, &mut 0);
    let mut proposed = Vec::new();
    collect(loops, &nodes, None, &mut proposed);
    let mut changes = distributed(&proposed);
    changes.extend(fused(&proposed));
    changes.extend(renumbered(&proposed));
    changes.extend(interchanged(loops, &proposed));
    changes.extend(tiled(&proposed).into_iter().filter(|_| target.is_tiled));
    let is_meant = |change: &Change| target.has_diagonals || !matches!(change, Change::Wavefront { .. });
    changes.extend(parallel(&proposed).into_iter().filter(is_meant));
    let mut nest = Nest {
        profile,
        loops,
        outermost: region.contexts.iter().map(|&c| dimension(profile, c)).min().unwrap_or(0),
        arrows: observed(profile, loops, region, statements),
    };
    let shown: Vec<u32> = statements_in(&nodes).iter().map(|s| s.block).collect();
    // What is left out of the outline is of no interest; it has to come along.
    nest.arrows.retain(|a| [a.source, a.sink].iter().any(|end| shown.contains(end)));
    nest.arrows.iter_mut().for_each(|a| a.orders &= shown.contains(&a.source) && shown.contains(&a.sink));
    let order = order_of(&proposed, &changes);
    let mut storage = privatised(loops, region);
    storage.extend(expanded(profile, loops, nest.outermost, &nest.arrows, &order));
    let mut out: Vec<Step> = Vec::new();
    for change in storage.into_iter().chain(changes) {
        if out.iter().all(|step| step.change != change) {
            let is_legal_alone = nest.allows(&change);
            out.push(Step { change, is_legal_alone });
        }
    }
    out
}

/// All proposed loops, outer ones first.
fn collect<'a>(loops: &[SourceLoop], nodes: &'a [Node], parent: Option<usize>, out: &mut Vec<Proposed<'a>>) {
    for node in nodes {
        match node {
            Node::Statement(_) => {}
            Node::AnyOrder(parts) => parts.iter().for_each(|part| collect(loops, part, parent, out)),
            Node::Loop(own) => {
                let around: Vec<usize> =
                    ancestors(out, parent).flat_map(|at| out[at].subjects.iter().map(|s| s.0)).collect();
                let mut subjects: Vec<(usize, &Count)> = Vec::new();
                for count in &own.counts {
                    let free = count.terms.iter().filter(|term| !around.contains(&term.of));
                    let Some(term) = free.max_by_key(|term| loops[term.of].depth) else { continue };
                    if subjects.iter().all(|s| s.0 != term.of) {
                        subjects.push((term.of, count));
                    }
                }
                let at = out.len();
                out.push(Proposed { own, subjects, parent });
                collect(loops, &own.inside, Some(at), out);
            }
        }
    }
}

/// The proposed order as what storage depends on.
fn order_of(proposed: &[Proposed], changes: &[Change]) -> expanded::Proposed {
    let mut around: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (at, l) in proposed.iter().enumerate() {
        for statement in statements_in(&l.own.inside) {
            around.entry(statement.block).or_default().push(at);
        }
    }
    let tile = |change: &Change| match change {
        Change::Tile { loops } => Some(loops.clone()),
        _ => None,
    };
    expanded::Proposed {
        around,
        subjects: proposed.iter().map(|l| l.subjects.iter().map(|s| s.0).collect()).collect(),
        tiles: changes.iter().filter_map(tile).collect(),
    }
}

/// The proposed loops from `at` outwards.
fn ancestors<'a>(proposed: &'a [Proposed], at: Option<usize>) -> impl Iterator<Item = usize> + 'a {
    std::iter::successors(at, |&at| proposed[at].parent)
}

fn privatised(loops: &[SourceLoop], region: &Region) -> Vec<Change> {
    let is_inside =
        |at: usize| std::iter::successors(Some(at), |&at| loops[at].parent).any(|at| at == region.outermost);
    let mut out = Vec::new();
    for (of, l) in loops.iter().enumerate().filter(|&(at, l)| l.main && is_inside(at)) {
        if l.parallel == Parallel::AfterPrivatisation {
            let objects = l.verdicts.iter().flat_map(|v| &v.privatise);
            out.extend(objects.map(|&object| Change::Privatise { of, object }));
        }
    }
    out
}

fn distributed(proposed: &[Proposed]) -> Vec<Change> {
    // By the loop around them and their subject.
    let mut groups: BTreeMap<(Option<usize>, usize), Vec<usize>> = BTreeMap::new();
    for (at, l) in proposed.iter().enumerate() {
        for (subject, _) in &l.subjects {
            groups.entry((l.parent, *subject)).or_default().push(at);
        }
    }
    let parts =
        |members: Vec<usize>| members.iter().map(|&at| statements_in(&proposed[at].own.inside)).collect();
    groups
        .into_iter()
        .filter(|(_, members)| members.len() > 1)
        .map(|((_, of), members)| Change::Distribute { of, parts: parts(members) })
        .collect()
}

fn statements_in(nodes: &[Node]) -> Vec<Statement> {
    nodes
        .iter()
        .flat_map(|node| match node {
            Node::Statement(statement) => vec![statement.clone()],
            Node::Loop(l) => statements_in(&l.inside),
            Node::AnyOrder(parts) => parts.iter().flat_map(|part| statements_in(part)).collect(),
        })
        .collect()
}

fn fused(proposed: &[Proposed]) -> Vec<Change> {
    let several = proposed.iter().filter(|l| l.subjects.len() > 1);
    several
        .map(|l| {
            let mut all = l.subjects.clone();
            all.sort_by_key(|s| s.0);
            let first = all.iter().map(|(_, count)| count.shift).min().unwrap_or(0);
            Change::Fuse {
                loops: all.iter().map(|s| s.0).collect(),
                shifts: all.iter().map(|(_, count)| count.shift.saturating_sub(first)).collect(),
            }
        })
        .collect()
}

fn renumbered(proposed: &[Proposed]) -> Vec<Change> {
    let mut out = Vec::new();
    for &(of, count) in proposed.iter().flat_map(|l| &l.subjects) {
        let own = count.terms.iter().find(|term| term.of == of).map_or(1, |term| term.factor);
        if own < 0 {
            out.push(Change::Reverse { of });
        }
        let others = count.terms.iter().filter(|term| term.of != of);
        out.extend(others.map(|term| Change::Skew { of, by: term.of, factor: term.factor }));
    }
    out
}

fn interchanged(loops: &[SourceLoop], proposed: &[Proposed]) -> Vec<Change> {
    let mut out = Vec::new();
    let is_leaf = |at: &usize| proposed.iter().all(|l| l.parent != Some(*at));
    for at in (0..proposed.len()).filter(is_leaf) {
        let mut path: Vec<usize> = ancestors(proposed, Some(at)).collect();
        path.reverse();
        let all = path.iter().flat_map(|&p| proposed[p].subjects.iter().map(|s| s.0));
        let Some(deepest) = all.max_by_key(|&of| loops[of].depth) else { continue };
        let chain: Vec<usize> = std::iter::successors(Some(deepest), |&l| loops[l].parent).collect();
        let on_chain = |p: &usize| proposed[*p].subjects.iter().map(|s| s.0).find(|of| chain.contains(of));
        let order: Vec<usize> = path.iter().filter_map(on_chain).collect();
        if order.windows(2).any(|pair| loops[pair[0]].depth > loops[pair[1]].depth) {
            out.push(Change::Interchange { loops: order });
        }
    }
    out
}

/// The loops of the band that a loop begins, by their subjects.
fn band(proposed: &[Proposed], at: usize) -> Vec<usize> {
    let mut out = Vec::new();
    let mut next = Some(at);
    while let Some(l) = next.filter(|_| out.len() < proposed[at].own.band.1) {
        out.push(l);
        next = (0..proposed.len()).find(|&inner| proposed[inner].parent == Some(l));
    }
    out
}

fn subjects(proposed: &[Proposed], members: &[usize]) -> Vec<usize> {
    members.iter().filter_map(|&m| proposed[m].subjects.first().map(|s| s.0)).collect()
}

fn tiled(proposed: &[Proposed]) -> Vec<Change> {
    // Tiles are for what uses again what it fetched; a band that carries nothing is as well without.
    let carries = |at: &usize| band(proposed, *at).iter().any(|&m| !proposed[m].own.is_parallel);
    let starts =
        (0..proposed.len()).filter(|&at| proposed[at].own.band.0 == 0 && proposed[at].own.band.1 > 1);
    starts.filter(carries).map(|at| Change::Tile { loops: subjects(proposed, &band(proposed, at)) }).collect()
}

fn parallel(proposed: &[Proposed]) -> Vec<Change> {
    let (mut across, mut lockstep) = (Vec::new(), Vec::new());
    for (at, l) in proposed.iter().enumerate() {
        let Some(&(of, _)) = l.subjects.first() else { continue };
        let is_inside_parallel = ancestors(proposed, l.parent).any(|outer| proposed[outer].own.is_parallel);
        if l.own.is_parallel && !is_inside_parallel {
            across.push(Change::Parallelise { of });
        }
        let members = band(proposed, at);
        let is_carried = members.iter().all(|&m| !proposed[m].own.is_parallel);
        if l.own.band.0 == 0 && members.len() > 1 && is_carried && l.parent.is_none() {
            across.push(Change::Wavefront { loops: subjects(proposed, &members[..2]) });
        }
        let is_innermost = proposed.iter().all(|inner| inner.parent != Some(at));
        if l.own.is_parallel && is_innermost {
            lockstep.push(Change::Vectorise { of });
        }
    }
    across.append(&mut lockstep);
    across
}

/// The dependences of the region, as the steps so far left them.
struct Nest<'a> {
    profile: &'a Profile,
    loops: &'a [SourceLoop],
    outermost: usize,
    arrows: Vec<Arrow>,
}

impl Nest<'_> {
    /// Whether a step is legal by itself; it is then done.
    fn allows(&mut self, change: &Change) -> bool {
        match change {
            Change::Privatise { of, object } => {
                self.try_all(&[*of], &Transformation::Privatise { depth: self.depth(*of), object: *object })
            }
            // Storage of its own for everything takes no order away.
            Change::Expand { .. } => true,
            Change::Distribute { of, parts } => {
                let blocks = |part: &Vec<Statement>| part.iter().map(|s| s.block).collect();
                let parts = parts.iter().map(blocks).collect();
                self.try_all(&[*of], &Transformation::Distribute { depth: self.depth(*of), parts })
            }
            Change::Fuse { loops, shifts } => self.fuses(loops, shifts),
            // Renumbering changes no order; running backwards does if anything is carried.
            Change::Skew { of, by, factor } => {
                self.arrows = skewed(&self.arrows, self.depth(*of), self.depth(*by), *factor);
                true
            }
            Change::Reverse { of } => {
                self.try_all(&[*of], &Transformation::Parallelise { depth: self.depth(*of) })
            }
            Change::Interchange { loops } => {
                let mut order: Vec<usize> = loops.iter().map(|&of| self.depth(of)).collect();
                let outer = order.iter().copied().min().unwrap_or(0);
                order.splice(0..0, 0..outer);
                self.try_all(loops, &Transformation::Interchange { order })
            }
            Change::Tile { loops } | Change::Wavefront { loops } => {
                let depths = || loops.iter().map(|&of| self.depth(of));
                let (from, to) = (depths().min().unwrap_or(0), depths().max().unwrap_or(0));
                self.try_all(loops, &Transformation::Tile { from, to })
            }
            Change::Parallelise { of } => {
                self.try_all(&[*of], &Transformation::Parallelise { depth: self.depth(*of) })
            }
            Change::Vectorise { of } => {
                let depth = self.depth(*of);
                let transformation = Transformation::Vectorise { depth, loops: depth + 1, lanes: i64::MAX };
                self.try_all(&[*of], &transformation)
            }
        }
    }

    fn fuses(&self, loops: &[usize], shifts: &[i64]) -> bool {
        let inside = |of: usize| -> Vec<u32> {
            let ends = self.arrows.iter().flat_map(|a| [a.source, a.sink]);
            ends.filter(|&block| self.is_in(block, of)).collect()
        };
        let pairs = loops.iter().zip(shifts).zip(loops.iter().zip(shifts).skip(1));
        pairs.into_iter().all(|((a, from), (b, to))| {
            let transformation = Transformation::Fuse {
                depth: self.depth(*a),
                first: inside(*a),
                second: inside(*b),
                shift: to.saturating_sub(*from),
            };
            self.depth(*a) == self.depth(*b) && check(&self.arrows, &transformation).is_ok()
        })
    }

    /// Tries a transformation of some loops on the dependences with an end in one of them.
    fn try_all(&self, loops: &[usize], transformation: &Transformation) -> bool {
        let is_inside = |block: u32| loops.iter().any(|&of| self.is_in(block, of));
        let concerned: Vec<Arrow> =
            self.arrows.iter().filter(|a| is_inside(a.source) || is_inside(a.sink)).cloned().collect();
        check(&concerned, transformation).is_ok()
    }

    fn depth(&self, of: usize) -> usize {
        let dims = self.loops[of].contexts.iter().map(|&c| dimension(self.profile, c)).min();
        dims.unwrap_or(0).saturating_sub(self.outermost)
    }

    /// Whether a statement is inside a loop.
    fn is_in(&self, block: u32, of: usize) -> bool {
        let Some(block) = self.profile.blocks.get(block as usize) else { return false };
        self.profile.loops_around(block.context).iter().any(|c| self.loops[of].contexts.contains(c))
    }
}
