//! The least solution of a system of monotone equations, by a work list.
//!
//! An analysis has *nodes*, each with a fact that follows from those of other nodes (`inputs`). Facts start as *unreached* and
//! only grow, inputs before what uses them, until nothing changes. Nodes on cycles may be widened, so that they change finitely
//! often; afterwards every equation is looked at again in a bounded number of rounds, in which facts may shrink where the
//! analysis allows it: a solution stays one if every fact follows from others that are solutions.
//!
//! Limit: a number of steps. Past it nothing is known of any node ([`Facts::complete`] is false), which is always sound.
//!
//! Source: ALGORITHMS 7.4.

use std::collections::BTreeSet;
use std::hash::Hash;

use rustc_hash::FxHashMap;

/// Rounds in which facts may shrink.
const ROUNDS: usize = 2;

/// A system of equations.
pub trait Analysis {
    /// What a fact is about.
    type Node: Copy + Eq + Hash;
    /// What is known.
    type Fact: Clone + PartialEq;

    /// The fact of what is never reached: neutral for joining.
    fn unreached(&self) -> Self::Fact;

    /// The nodes whose facts `transfer` asks for.
    fn inputs(&mut self, node: Self::Node) -> Vec<Self::Node>;

    /// What follows for a node from the facts of others.
    fn transfer(&mut self, node: Self::Node, facts: &Facts<Self::Node, Self::Fact>) -> Self::Fact;

    /// The fact that a node gets when it changes for the `visits`-th time. It contains both.
    fn widened(&mut self, _node: Self::Node, _old: &Self::Fact, new: Self::Fact, _visits: u32) -> Self::Fact {
        new
    }

    /// Whether facts may shrink afterwards.
    fn may_narrow(&self) -> bool {
        false
    }

    /// The fact that a node has afterwards, if its equation now gives `new`: one that contains `new`.
    fn narrowed(&mut self, _node: Self::Node, old: &Self::Fact, _new: Self::Fact) -> Self::Fact {
        old.clone()
    }
}

/// A solution.
#[derive(Debug, Clone)]
pub struct Facts<N, F> {
    known: FxHashMap<N, F>,
    /// Whether the system was solved; otherwise nothing is known.
    pub complete: bool,
}

impl<N: Copy + Eq + Hash, F> Facts<N, F> {
    /// The fact of a node; `None` if it is not part of the system or the system was not solved: nothing is known of it.
    pub fn get(&self, node: N) -> Option<&F> {
        self.known.get(&node)
    }
}

/// Nodes in an order in which inputs come first, and who uses which.
struct Order<N> {
    nodes: Vec<N>,
    places: FxHashMap<N, usize>,
    users: Vec<Vec<usize>>,
}

impl<N: Copy + Eq + Hash> Order<N> {
    /// All that the roots depend on; `None` if that takes more steps than there are.
    fn new<A: Analysis<Node = N>>(
        analysis: &mut A,
        roots: impl IntoIterator<Item = N>,
        steps: &mut u64,
    ) -> Option<Order<N>> {
        let mut order = Order { nodes: Vec::new(), places: FxHashMap::default(), users: Vec::new() };
        let mut inputs_of: FxHashMap<N, Vec<N>> = FxHashMap::default();
        for root in roots {
            let mut open = vec![(root, false)];
            while let Some((node, is_done)) = open.pop() {
                *steps = steps.checked_sub(1)?;
                if is_done {
                    order.places.insert(node, order.nodes.len());
                    order.nodes.push(node);
                    continue;
                }
                if inputs_of.contains_key(&node) {
                    continue;
                }
                let inputs = analysis.inputs(node);
                open.push((node, true));
                open.extend(inputs.iter().rev().map(|&input| (input, false)));
                inputs_of.insert(node, inputs);
            }
        }
        order.users = vec![Vec::new(); order.nodes.len()];
        for (place, node) in order.nodes.iter().enumerate() {
            for input in inputs_of.get(node).into_iter().flatten() {
                if let Some(&input) = order.places.get(input) {
                    order.users[input].push(place);
                }
            }
        }
        Some(order)
    }
}

/// The facts of these nodes and of all that they depend on. Each look at a node takes a step.
pub fn solve<A: Analysis>(
    analysis: &mut A,
    roots: impl IntoIterator<Item = A::Node>,
    steps: &mut u64,
) -> Facts<A::Node, A::Fact> {
    try_solve(analysis, roots, steps)
        .unwrap_or_else(|| Facts { known: FxHashMap::default(), complete: false })
}

fn try_solve<A: Analysis>(
    analysis: &mut A,
    roots: impl IntoIterator<Item = A::Node>,
    steps: &mut u64,
) -> Option<Facts<A::Node, A::Fact>> {
    let order = Order::new(analysis, roots, steps)?;
    let known = order.nodes.iter().map(|&node| (node, analysis.unreached())).collect();
    let mut facts = Facts { known, complete: true };
    let mut visits = vec![0u32; order.nodes.len()];
    let mut open: BTreeSet<usize> = (0..order.nodes.len()).collect();
    while let Some(place) = open.pop_first() {
        *steps = steps.checked_sub(1)?;
        let node = order.nodes[place];
        let new = analysis.transfer(node, &facts);
        let old = facts.known.get(&node)?;
        if new != *old {
            visits[place] = visits[place].saturating_add(1);
            let new = analysis.widened(node, old, new, visits[place]);
            if new != *old {
                facts.known.insert(node, new);
                open.extend(&order.users[place]);
            }
        }
    }
    let rounds = if analysis.may_narrow() { ROUNDS } else { 0 };
    for _ in 0..rounds {
        for &node in &order.nodes {
            *steps = steps.checked_sub(1)?;
            let new = analysis.transfer(node, &facts);
            let old = facts.known.get(&node)?;
            if new != *old {
                let new = analysis.narrowed(node, old, new);
                facts.known.insert(node, new);
            }
        }
    }
    Some(facts)
}
