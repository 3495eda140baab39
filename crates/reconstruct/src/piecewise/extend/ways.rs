//! The search for ways to the end of the trace: best first, in the order of the costs of the decisions made and the runs
//! foreseen.
//!
//! What a decision leads to is worked out only when it is the best left, since wrong ones cost most: no bounds agree with
//! them, which only many fits show. Runs taken with a node of the tree count little, because the tree may be wrong there.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::{Extension, Known};
use crate::piecewise::faces::Face;
use crate::piecewise::labels::{Labelled, fingerprint};
use crate::piecewise::relabel::{Model, Step};

/// Decisions looked at in one direction.
const EXPANSIONS: usize = 1000;
/// A decision costs 10 and this part of the cost of its step.
const SHARE: i64 = 4;
/// Cost of every further extent of a step.
const VARIANT: i64 = 5;
/// Runs foreseen that make up for a decision.
const PACE: i64 = 3;
/// What runs taken with a node of the tree make up for, per binary digit of their number: the tree may be wrong.
const TAKEN: i64 = 6;
/// Ways to the end of the trace that are looked at.
const WAYS: usize = 3;

/// The state after a decision and everything foreseen from there.
struct Node {
    parent: usize,
    /// Coordinates given since the parent.
    labels: Vec<Labelled>,
    row: usize,
    used: i64,
    model: Model,
    known: Vec<Arc<Known>>,
    cost: i64,
    gain: i64,
}

/// What is to be done next.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Open {
    /// To list the decisions after a node.
    Node(usize),
    /// To make one of them.
    Try(usize),
}

/// A decision that has not been made.
struct Try {
    node: usize,
    step: Step,
    model: Option<Model>,
    /// Which of the extents of the step.
    variant: usize,
    order: i64,
}

impl Try {
    fn cost(step: &Step, variant: usize) -> i64 {
        10 + step.0 / SHARE + VARIANT * variant as i64
    }
}

/// The search in one direction.
struct Ways<'a, 'b> {
    /// Stands at the state looked at.
    at: &'b mut Extension<'a>,
    /// The nodes whose runs have coordinates now, with the number of runs.
    path: Vec<(usize, usize)>,
    nodes: Vec<Node>,
    tries: Vec<Try>,
    open: BinaryHeap<(i64, Reverse<usize>, Open)>,
    seen: FxHashSet<u64>,
    /// Ways found, with their costs.
    complete: Vec<(i64, Extension<'a>)>,
}

impl<'a> Extension<'a> {
    /// Gives coordinates to all runs from the next on. Several ways, best first, if little more work finds them.
    pub fn forward(&mut self, work: &mut u64, limit: u64) -> Vec<Extension<'a>> {
        let begun = *work;
        let mut limit = limit;
        let base = self.labels.len();
        self.advance(work);
        if self.row == self.rows.len() {
            return vec![self.clone()];
        }
        let root = Node::after(self, usize::MAX, base, 0, 0);
        let mut ways = Ways {
            path: vec![(0, self.labels.len())],
            at: self,
            nodes: vec![root],
            tries: Vec::new(),
            open: BinaryHeap::from([(0, Reverse(0), Open::Node(0))]),
            seen: FxHashSet::default(),
            complete: Vec::new(),
        };
        let mut expanded = 0;
        while let Some((_, _, next)) = ways.open.pop() {
            if *work > limit || expanded > EXPANSIONS || ways.complete.len() >= WAYS {
                break;
            }
            match next {
                Open::Node(node) => {
                    expanded += 1;
                    ways.list(node, work);
                }
                Open::Try(index) => {
                    let before = ways.complete.len();
                    ways.make(index, work);
                    if ways.complete.len() > before {
                        limit = limit.min(*work + (*work - begun) / 2);
                    }
                }
            }
        }
        let mut complete = ways.complete;
        complete.sort_by_key(|c| c.0);
        complete.into_iter().map(|c| c.1).collect()
    }
}

impl Node {
    /// The state in which `at` is, with the runs from `from` on.
    fn after(at: &Extension<'_>, parent: usize, from: usize, cost: i64, gain: i64) -> Node {
        Node {
            parent,
            labels: at.labels[from..].to_vec(),
            row: at.row,
            used: at.used,
            model: at.model.clone(),
            known: at.known.clone(),
            cost,
            gain,
        }
    }
}

impl Ways<'_, '_> {
    fn push(&mut self, order: i64, item: Open) {
        self.open.push((order, Reverse(self.nodes.len() + self.tries.len()), item));
    }

    /// Queues the decisions after a node.
    fn list(&mut self, node: usize, work: &mut u64) {
        self.restore(node, work);
        for (foreseen, step, model) in self.at.decisions(work) {
            let chance = foreseen * 5 / PACE;
            let order = self.nodes[node].gain - self.nodes[node].cost + chance - Try::cost(&step, 0);
            self.push(order, Open::Try(self.tries.len()));
            self.tries.push(Try { node, step, model, variant: 0, order });
        }
    }

    /// Makes a decision; queues the state after it and the decision's next extent.
    fn make(&mut self, index: usize, work: &mut u64) {
        let Try { node, step, ref model, variant, order } = self.tries[index];
        let other = model.clone();
        self.restore(node, work);
        let model = other.clone().unwrap_or_else(|| self.at.model.clone());
        if variant == 0 && !self.at.opens(&step, &model, work) {
            return;
        }
        let mut extents = self.at.extents(&step, &model, self.at.address());
        if variant + 1 < extents.len() {
            let order = order - VARIANT;
            self.push(order, Open::Try(self.tries.len()));
            self.tries.push(Try { node, step, model: other, variant: variant + 1, order });
        }
        let (row, length) = (self.at.row, self.at.labels.len());
        // What is added now belongs to no node unless it is right.
        self.path.push((usize::MAX, length));
        if !self.at.decide(step, &model, extents.swap_remove(variant), work) {
            return;
        }
        let decided = self.at.row;
        self.at.advance(work);
        if !self.seen.insert(fingerprint(&self.at.labels[length..], node)) {
            return;
        }
        let parent = &self.nodes[node];
        let foreseen = (self.at.row - decided) as i64;
        let gain = parent.gain + foreseen * 10 / PACE + TAKEN * digits((decided - row) as i64);
        let more = complexity(&self.at.model) - complexity(&parent.model);
        let cost = parent.cost + Try::cost(&step, variant) + more;
        if self.at.row == self.at.rows.len() {
            self.complete.push((cost, self.at.clone()));
            return;
        }
        self.path.pop();
        self.path.push((self.nodes.len(), self.at.labels.len()));
        self.push(gain - cost, Open::Node(self.nodes.len()));
        self.nodes.push(Node::after(self.at, node, length, cost, gain));
    }

    /// Goes to the state after a decision.
    fn restore(&mut self, node: usize, work: &mut u64) {
        let mut missing = Vec::new();
        let mut common = node;
        let place = loop {
            match self.path.iter().position(|p| p.0 == common) {
                Some(place) => break place,
                None => missing.push(common),
            }
            common = self.nodes[common].parent;
        };
        self.path.truncate(place + 1);
        self.at.labels.truncate(self.path[place].1);
        for &n in missing.iter().rev() {
            self.at.labels.extend_from_slice(&self.nodes[n].labels);
            *work += 10 * self.nodes[n].labels.len() as u64;
            self.path.push((n, self.at.labels.len()));
        }
        let node = &self.nodes[node];
        (self.at.row, self.at.used) = (node.row, node.used);
        self.at.model.clone_from(&node.model);
        self.at.known.clone_from(&node.known);
    }
}

fn digits(a: i64) -> i64 {
    i64::from(64 - a.unsigned_abs().leading_zeros())
}

/// Cost of the bounds of a model: many, steep and rational ones are rarely right.
fn complexity(model: &Model) -> i64 {
    let face = |f: &Face| 4 + f.slopes.iter().map(|&a| digits(a)).sum::<i64>() + 3 * (digits(f.divisor) - 1);
    model.bounds.iter().flat_map(|b| b.lower.iter().chain(&b.upper)).map(face).sum()
}
