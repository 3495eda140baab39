//! The order with the smallest estimate.
//!
//! Bands are decided one after the other, outer ones first, each with the choices made before: every parallel loop as the
//! innermost, and tiles of powers of two. Tiles and diagonals have to gain `MARGIN` over plain loops. An order that takes longer on
//! one processor than what it is compared with is taken where nothing else is left.

use isl::Tree;

use super::Machine;
use super::cost::{Estimate, estimate, near, used_again};
use super::facts::Facts;
use super::times::{Choice, Order, order};

/// By how much tiles have to be better than plain loops.
const MARGIN: f64 = 0.9;
/// By how much an order may be slower on one processor.
pub const SLOWER: f64 = 1.05;
/// Iterations of an innermost loop in a tile.
const INNER: [i64; 3] = [64, 256, 1024];
/// Of the loops around it.
const OUTER: [i64; 4] = [16, 32, 64, 128];

/// An order, and what it is estimated to take.
#[derive(Debug, Clone)]
pub struct Chosen {
    /// The order.
    pub order: Order,
    /// Per band.
    pub choices: Vec<Choice>,
    /// Cycles; `None` if they cannot be estimated.
    pub estimate: Option<Estimate>,
    /// Tiles are legal somewhere.
    pub is_tilable: bool,
}

impl Chosen {
    /// A tree with the loops of its bands in the order that was chosen.
    pub fn permuted(&self, tree: &Tree) -> Tree {
        permuted(tree, &mut self.choices.iter())
    }
}

fn permuted<'a>(tree: &Tree, choices: &mut impl Iterator<Item = &'a Choice>) -> Tree {
    match tree {
        Tree::Leaf => Tree::Leaf,
        Tree::Sequence(parts) => Tree::Sequence(
            parts.iter().map(|(names, part)| (names.clone(), permuted(part, choices))).collect(),
        ),
        Tree::Unordered(parts) => Tree::Unordered(
            parts.iter().map(|(names, part)| (names.clone(), permuted(part, choices))).collect(),
        ),
        Tree::Band { members, is_permutable, inside } => {
            let mut members = members.clone();
            if let Some(last) =
                choices.next().and_then(|choice| choice.innermost).filter(|&m| m < members.len())
            {
                let member = members.remove(last);
                members.push(member);
            }
            Tree::Band { members, is_permutable: *is_permutable, inside: Box::new(permuted(inside, choices)) }
        }
    }
}

/// What the model says of a region.
#[derive(Debug, Clone, PartialEq)]
pub struct Advice {
    /// Cycles as it is, on one processor.
    pub before: f64,
    /// Cycles of the preferred order.
    pub after: Estimate,
    /// Tiles of the preferred order: of its innermost loop, and of the others.
    pub tiles: Option<(i64, i64)>,
    /// Its tiles run on diagonals.
    pub has_diagonals: bool,
    /// Tiles are legal.
    pub is_tilable: bool,
    /// Bytes that have to stay in a cache from one iteration of an outermost loop to the next to be used again.
    pub used_again: f64,
    /// Share of accesses with a stride of 0 or one element along the innermost loops, before and after.
    pub near: (Option<f64>, Option<f64>),
}

impl Advice {
    /// Compares what is chosen with what is written.
    pub fn new(facts: &[Facts], written: &Order, before: Estimate, chosen: &Chosen) -> Option<Advice> {
        let tiled = chosen.choices.iter().find(|choice| choice.tiles.is_some());
        Some(Advice {
            before: before.one,
            after: chosen.estimate?,
            tiles: tiled.and_then(|choice| choice.tiles),
            has_diagonals: tiled.is_some_and(|choice| choice.has_diagonals),
            is_tilable: chosen.is_tilable,
            used_again: used_again(facts, written),
            near: (near(facts, written), near(facts, &chosen.order)),
        })
    }

    /// Whether it is expected to gain at all.
    pub fn pays(&self) -> bool {
        self.after.all < self.before
    }
}

/// The preferred order of a schedule tree. `limit`: cycles on one processor of what it is compared with.
///
/// # Errors
/// What of the tree is not understood, in words.
pub fn choose(facts: &[Facts], tree: &Tree, machine: &Machine, limit: Option<f64>) -> Result<Chosen, String> {
    let (first, bands) = order(facts, tree, &[])?;
    let best = estimate(facts, &first, machine);
    let choices = vec![Choice::default(); bands.len()];
    let mut search = Search { facts, tree, machine, limit, choices, order: first, best };
    for (at, band) in bands.iter().enumerate() {
        let all = || std::iter::once(None).chain(band.innermost.iter().map(|&m| Some(m)));
        for innermost in all() {
            search.take(at, Choice { innermost, ..Choice::default() }, 1.0);
        }
        let mut margin = MARGIN;
        for innermost in all().filter(|_| band.is_tilable) {
            for tiles in INNER.iter().flat_map(|&inner| OUTER.iter().map(move |&outer| (inner, outer))) {
                let choice = Choice { innermost, tiles: Some(tiles), has_diagonals: band.is_diagonal };
                if search.take(at, choice, margin) {
                    margin = 1.0;
                }
            }
        }
    }
    let is_tilable = bands.iter().any(|band| band.is_tilable);
    let Search { order, choices, best, .. } = search;
    Ok(Chosen { order, choices, estimate: best, is_tilable })
}

/// The best order so far.
struct Search<'a> {
    facts: &'a [Facts],
    tree: &'a Tree,
    machine: &'a Machine,
    limit: Option<f64>,
    choices: Vec<Choice>,
    order: Order,
    best: Option<Estimate>,
}

impl Search<'_> {
    /// Takes a choice for a band if it is better by a margin.
    fn take(&mut self, at: usize, choice: Choice, margin: f64) -> bool {
        let mut choices = self.choices.clone();
        choices[at] = choice;
        let Ok((order, _)) = order(self.facts, self.tree, &choices) else { return false };
        let found = estimate(self.facts, &order, self.machine);
        let (Some(new), Some(old)) = (found, self.best) else { return false };
        let is_better = weight(new, self.limit) < margin * weight(old, self.limit);
        if is_better {
            (self.choices, self.order, self.best) = (choices, order, found);
        }
        is_better
    }
}

/// What orders are compared by: cycles on all processors; those on one where these are too many.
pub fn weight(estimate: Estimate, limit: Option<f64>) -> f64 {
    match limit {
        // Orders beyond the limit come after all others.
        Some(limit) if estimate.one > SLOWER * limit => 1e6 * estimate.one,
        _ => estimate.all,
    }
}
