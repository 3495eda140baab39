//! Where values lie: intervals between bounds in terms of inputs, as a monotone analysis over the work list of `solver`.
//!
//! A fact is about a value in a reading, where it is computed. Where it is used, the branches that every way to that place has
//! taken restrict it (`conditions`), on both of their edges, and so do facts about what is computed from it. Values with a closed form have the ends of that form, at every
//! iteration of the loops around them; what is computed from restricted operands has the range that C's arithmetic gives
//! besides, and both hold. A φ is the union of what comes over its edges. A φ at the head of a loop with a closed form is that form;
//! any other one starts as the union and is widened from the third change on: an end stays if the new one provably does not
//! exceed it, otherwise it goes to the nearest bound with which branches compare the φ, then it has none; afterwards ends that
//! have none may come back. So a recursion that is not resolved has an end only where one is proved.
//!
//! - [`transfer`]: what instructions make of ranges; [`refine`]: what branches say.
//!
//! Types bound the values of at most [`transfer::NARROW`] bits; wider ones say nothing useful of an address.
//!
//! Source: ALGORITHMS 7.4 and 7.5, research note 3, 4 and 6.

pub mod refine;
pub mod transfer;

use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::control::LoopId;
use crate::ir::{BlockId, Operand, Operation, ValueId};
use crate::recurrence::forms::Premises;
use crate::recurrence::{Forms, Reading};
use crate::solver::{self, Analysis};
use crate::symbolic::range::Arithmetic;
use crate::symbolic::{Bound, Facts, Polynomial, Prover, Range, Side};

/// Changes of a φ before it is widened.
const VISITS: u32 = 3;

/// A value in a reading.
pub type Node = (ValueId, Reading);

/// Where a value lies, and what is assumed for that.
#[derive(Debug, Clone, PartialEq)]
pub struct Fact {
    /// Where it lies.
    pub range: Range,
    /// What is assumed.
    pub premises: Premises,
}

/// Facts that were found.
pub type Found = solver::Facts<Node, Fact>;

/// The analysis of one function, or of one entry of a loop in it.
#[derive(Debug)]
pub struct Ranges<'a, 'f> {
    forms: &'a mut Forms<'f>,
    within: Option<LoopId>,
    facts: FxHashMap<BlockId, (Rc<Facts>, Premises)>,
    closed: FxHashMap<Node, (Closed, Premises)>,
    /// Where values lie in blocks by facts about other ones.
    allowed: FxHashMap<(Node, BlockId), (Range, Premises)>,
    /// Whether an end was lost by widening.
    is_widened: bool,
}

/// What the closed form of a value says.
#[derive(Debug, Clone)]
struct Closed {
    range: Range,
    /// Whether that is all there is to say: nothing it is computed from is looked at.
    is_all: bool,
    /// Whether nothing is known of the value but that it is the same all the time.
    is_itself: bool,
}

/// A use of a value.
#[derive(Debug, Clone, Copy)]
pub struct Usage {
    /// The block that uses it.
    pub block: BlockId,
    /// The operand.
    pub operand: Operand,
    /// How it is read.
    pub reading: Reading,
}

/// Where operands lie where they are used, in terms of what does not change in the loop, or in the function.
pub fn ranges_of(forms: &mut Forms<'_>, uses: &[Usage], within: Option<LoopId>) -> Vec<Fact> {
    let mut steps = forms.steps();
    let mut ranges = Ranges {
        forms,
        within,
        facts: FxHashMap::default(),
        closed: FxHashMap::default(),
        allowed: FxHashMap::default(),
        is_widened: false,
    };
    let mut roots = Vec::new();
    for of in uses {
        roots.extend(refine::node(of.operand, of.reading));
        roots.extend(ranges.compared_with(of.operand, of.reading, &[(of.block, None)]));
    }
    let found = solver::solve(&mut ranges, roots, &mut steps);
    let uses = uses.iter().map(|of| {
        let tracked =
            |ranges: &mut Ranges<'_, '_>| ranges.refined(of.operand, of.reading, of.block, None, &found);
        ranges.tracked(tracked)
    });
    let list = uses.collect();
    ranges.forms.set_steps(steps);
    list
}

impl Ranges<'_, '_> {
    /// What is known in a block.
    fn facts_at(&mut self, block: BlockId) -> Rc<Facts> {
        if let Some((facts, premises)) = self.facts.get(&block) {
            self.forms.suppose(premises);
            return facts.clone();
        }
        let (facts, premises) = self.forms.tracked(|forms| Rc::new(forms.facts_of_iterations(block)));
        self.facts.insert(block, (facts.clone(), premises));
        facts
    }

    /// What is computed, with all that is assumed for it.
    fn tracked(&mut self, compute: impl FnOnce(&mut Self) -> Range) -> Fact {
        let outer = self.forms.take_premises();
        let range = compute(self);
        let premises = self.forms.take_premises();
        self.forms.suppose(&outer);
        self.forms.suppose(&premises);
        Fact { range, premises }
    }

    /// Arithmetic on what is known in a block.
    fn with_facts<T>(&mut self, block: BlockId, compute: impl FnOnce(&mut Arithmetic<'_>) -> T) -> T {
        let facts = self.facts_at(block);
        compute(&mut Arithmetic { atoms: &mut self.forms.atoms, facts: &facts })
    }

    /// What the closed form of a value says.
    fn closed(&mut self, node: Node) -> Closed {
        if let Some((closed, premises)) = self.closed.get(&node) {
            self.forms.suppose(premises);
            return closed.clone();
        }
        let within = self.within;
        let (closed, premises) = self.forms.tracked(|forms| closed_form(forms, node, within));
        self.closed.insert(node, (closed.clone(), premises));
        closed
    }

    fn is_phi(&self, value: ValueId) -> bool {
        let definition = self.forms.definition(value);
        definition.is_some_and(|(_, instruction)| matches!(instruction.operation, Operation::Phi(_)))
    }

    /// An end that stays, goes to a threshold or is lost.
    fn widened_end(&self, side: Side, old: &Bound, new: &Bound, thresholds: &[Polynomial]) -> Bound {
        let facts = Facts::none();
        let prover = Prover::new(&self.forms.atoms, &facts);
        let contains = |outer: &Polynomial, inner: &Bound| {
            inner.clauses().iter().any(|clause| {
                clause.iter().all(|end| match side {
                    Side::Lower => prover.is_at_least(end, outer),
                    Side::Upper => prover.is_at_least(outer, end),
                })
            })
        };
        if old == new || old.single().is_some_and(|end| contains(end, new)) {
            return old.clone();
        }
        let threshold =
            thresholds.iter().find(|threshold| contains(threshold, new) && contains(threshold, old));
        threshold.map_or_else(Bound::none, |threshold| threshold.clone().into())
    }
}

/// The ends of a range, or those of another one where they are missing or in terms of what is not known.
fn known_ends(forms: &Forms<'_>, range: &Range, otherwise: &Range) -> Range {
    let (Range::Between(a, b), Range::Between(c, d)) = (range, otherwise) else { return range.clone() };
    let is_known = |bound: &Bound| {
        let mut members = bound.clauses().iter().flatten();
        !bound.is_none() && members.all(|member| !forms.mentions_opaque(member))
    };
    let end = |bound: &Bound, other: &Bound| if is_known(bound) { bound.clone() } else { other.clone() };
    Range::Between(end(a, c), end(b, d))
}

fn closed_form(forms: &mut Forms<'_>, (value, reading): Node, within: Option<LoopId>) -> Closed {
    let form = forms.of_value(value, reading);
    let definition = forms.definition(value);
    let block = definition.map_or(BlockId::new(0), |(block, _)| block);
    let is_phi = definition.is_some_and(|(_, of)| matches!(of.operation, Operation::Phi(_)));
    let is_head = is_phi && forms.control.loops.headed_by(block).is_some();
    let is_input = definition.is_none();
    let is_resolved = !forms.is_opaque(&form);
    // An atom of its own is no bound of what it stands for, unless it is the same all the time: of a number that a call gives, for
    // example. What it is computed from may say more in terms of inputs.
    if !is_resolved && !is_input {
        let is_wide = forms.bits(forms.function.value(value).of).is_some_and(|bits| bits > transfer::NARROW);
        let is_start = definition.is_some_and(|(_, of)| transfer::used(forms.module, of, reading).is_empty());
        let is_same = forms.is_settled(&form, within);
        let range = if is_same { form.into() } else { Range::all() };
        return Closed { range, is_all: is_same && is_start && is_wide, is_itself: is_same };
    }
    let range = forms.ends(block, &form, within);
    let is_one = range.single().is_some();
    // Ends in terms of values of which nothing is known are of no use, unless they are the value.
    let is_useful = |clause: &&Vec<Polynomial>| !clause.iter().any(|end| forms.mentions_opaque(end));
    let useful = |bound: &Bound| Bound::of(bound.clauses().iter().filter(is_useful).cloned());
    let range = match &range {
        Range::Between(lower, upper) if !is_one => Range::Between(useful(lower), useful(upper)),
        _ => range,
    };
    Closed { range, is_all: is_one || is_input || is_head, is_itself: false }
}

impl Analysis for Ranges<'_, '_> {
    type Node = Node;
    type Fact = Fact;

    fn unreached(&self) -> Fact {
        Fact { range: Range::Unreached, premises: Premises::new() }
    }

    fn inputs(&mut self, node: Node) -> Vec<Node> {
        if self.closed(node).is_all { Vec::new() } else { self.operands(node) }
    }

    fn transfer(&mut self, node: Node, facts: &Found) -> Fact {
        self.tracked(|ranges| {
            let closed = ranges.closed(node);
            if closed.is_all {
                return closed.range;
            }
            let computed = ranges.computed(node, facts);
            if closed.is_itself {
                return known_ends(ranges.forms, &computed, &closed.range);
            }
            let block = ranges.forms.definition(node.0).map_or(BlockId::new(0), |(block, _)| block);
            match &closed.range {
                Range::Between(lower, upper) if lower.is_none() && upper.is_none() => computed,
                range => ranges.with_facts(block, |arithmetic| arithmetic.refined(range, &computed)),
            }
        })
    }

    fn widened(&mut self, node: Node, old: &Fact, new: Fact, visits: u32) -> Fact {
        if visits < VISITS || !self.is_phi(node.0) {
            return new;
        }
        self.is_widened = true;
        let (Range::Between(a, b), Range::Between(c, d)) = (&old.range, &new.range) else { return new };
        let mut premises = new.premises.clone();
        premises.extend(&old.premises);
        let Fact { range, premises: of_thresholds } = self.tracked(|ranges| {
            let thresholds = ranges.thresholds(node);
            Range::Between(
                ranges.widened_end(Side::Lower, a, c, &thresholds),
                ranges.widened_end(Side::Upper, b, d, &thresholds),
            )
        });
        premises.extend(of_thresholds);
        Fact { range, premises }
    }

    fn may_narrow(&self) -> bool {
        self.is_widened
    }

    fn narrowed(&mut self, node: Node, old: &Fact, new: Fact) -> Fact {
        if !self.is_phi(node.0) {
            return new;
        }
        // Only ends that were lost come back.
        let (Range::Between(a, b), Range::Between(c, d)) = (&old.range, &new.range) else {
            return old.clone();
        };
        let end = |old: &Bound, new: &Bound| if old.is_none() { new.clone() } else { old.clone() };
        let mut premises = new.premises;
        premises.extend(&old.premises);
        Fact { range: Range::Between(end(a, c), end(b, d)), premises }
    }
}
