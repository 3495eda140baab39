//! Data that one kernel leaves on the device for the next one.
//!
//! Of an array that a kernel needs, the bytes are there already that the last kernel before it used, in the same function and in the same
//! loop of the host, if every way to the kernel comes from that one and nothing on such a way may write the array. In a loop of
//! the host that kernel may be one of the iteration before, or the same one: then bytes are there from the second iteration on.
//! Bytes need not be copied back that the next kernel uses and brings back itself, if that runs in any case and nothing in between may
//! read them.
//!
//! What is not proved is not kept. Calls that are not followed may do anything.

use std::collections::BTreeSet;

use super::candidate::{Candidate, Friendly};
use super::parameters::{Direction, Kind, Parameter, Parameters};
use crate::access::Accesses;
use crate::control::{Control, LoopId};
use crate::cost::Volume;
use crate::ir::instruction::Callee;
use crate::ir::{BlockId, Module, Operation};
use crate::memory::overlap::{Distinct, Overlap};
use crate::memory::{Object, captured::captured, library};
use crate::symbolic::{Facts, Prover, Range};

/// An array of which bytes are on the device already.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// Its name.
    pub name: String,
    /// The candidate that left it, by its place in the list.
    pub by: usize,
    /// The loop of the host in whose iteration before that ran; `None` if it is the same iteration.
    pub before: Option<LoopId>,
    /// Bytes that need not be copied in.
    pub inwards: Option<Volume>,
    /// Bytes that the earlier kernel need not copy back.
    pub outwards: Option<Volume>,
    /// Whether other bytes of the array still have to be copied in.
    pub is_part: bool,
}

/// A kernel: its place in the list of candidates, and what it needs.
pub type Kernel<'a> = (usize, &'a Candidate, &'a Parameters);

/// For each kernel of a function what is on the device already. `kernels` are those that can run on a device, in order.
pub fn kept(
    module: &Module,
    control: &Control,
    accesses: &mut Accesses<'_>,
    kernels: &[Kernel<'_>],
) -> Vec<(usize, Vec<Kept>)> {
    let search = Search { module, control, kernels };
    kernels.iter().map(|kernel| (kernel.0, search.of(accesses, kernel))).collect()
}

struct Search<'a> {
    module: &'a Module,
    control: &'a Control,
    kernels: &'a [Kernel<'a>],
}

/// What lies between two kernels.
struct Between {
    blocks: BTreeSet<BlockId>,
    /// Whether every way from the first one leads to the second one.
    is_certain: bool,
}

impl Search<'_> {
    fn of(&self, accesses: &mut Accesses<'_>, next: &Kernel<'_>) -> Vec<Kept> {
        let arrays = next.2.list.iter().filter(|parameter| parameter.kind != Kind::Scalar);
        arrays.filter_map(|parameter| self.array(accesses, next, parameter)).collect()
    }

    /// The last kernel before another one that leaves an array, and what that saves.
    fn array(&self, accesses: &mut Accesses<'_>, next: &Kernel<'_>, needed: &Parameter) -> Option<Kept> {
        let own = *next.1.loops.first()?;
        let parent = self.control.loops.get(own).parent;
        let is_same_place = |of: &&Kernel<'_>| {
            of.1.friendly != Friendly::No
                && of.1.loops.first().is_some_and(|&id| self.control.loops.get(id).parent == parent)
        };
        let siblings: Vec<&Kernel<'_>> = self.kernels.iter().filter(is_same_place).collect();
        let place = siblings.iter().position(|other| other.0 == next.0)?;
        // The nearest one first; then those of the iteration before.
        let earlier = siblings[..place].iter().rev().map(|&kernel| (kernel, None));
        let later = siblings[place..].iter().rev().map(|&kernel| (kernel, parent));
        let later = later.filter(|(_, parent)| parent.is_some());
        for (kernel, before) in earlier.chain(later) {
            let Some(left) = self.same_array(accesses, kernel.2, needed) else { continue };
            return self.saved(accesses, (kernel, left), (own, needed), before);
        }
        None
    }

    /// The parameter of a kernel that is the same array.
    fn same_array<'p>(
        &self,
        accesses: &mut Accesses<'_>,
        parameters: &'p Parameters,
        needed: &Parameter,
    ) -> Option<&'p Parameter> {
        let forms = accesses.forms_mut(true);
        let start = forms.start_of(needed.object?)?;
        let arrays = parameters.list.iter().filter(|parameter| parameter.kind != Kind::Scalar);
        arrays.into_iter().find(|other| {
            other.name == needed.name
                && other.object.and_then(|object| forms.start_of(object)) == Some(start.clone())
        })
    }

    fn saved(
        &self,
        accesses: &mut Accesses<'_>,
        (kernel, left): (&Kernel<'_>, &Parameter),
        (own, needed): (LoopId, &Parameter),
        before: Option<LoopId>,
    ) -> Option<Kept> {
        let from = *kernel.1.loops.first()?;
        let between = self.between(from, own, before)?;
        let object = needed.object?;
        if kernel.2.strays.len() + self.touches(accesses, &between.blocks, object, true) > 0 {
            return None;
        }
        let (common, is_part) = common(accesses, left, needed)?;
        let comes_in = needed.direction != Direction::Out;
        let goes_out = left.direction != Direction::In && needed.direction != Direction::In;
        // All that the earlier one would bring back has to be among what the later one brings back.
        let is_covered = common == Volume::of(left)?;
        let is_unread = self.touches(accesses, &between.blocks, object, false) == 0;
        let is_brought = goes_out && is_covered && is_unread && between.is_certain && before.is_none();
        let kept = Kept {
            name: needed.name.clone(),
            by: kernel.0,
            before,
            inwards: comes_in.then(|| common.clone()),
            outwards: is_brought.then_some(common),
            is_part: is_part && comes_in,
        };
        (kept.inwards.is_some() || kept.outwards.is_some()).then_some(kept)
    }

    /// The blocks on ways from one kernel to another one, in the same iteration of the host's loop or from one to the next; `None` if there
    /// are ways to the latter that do not come from the former.
    fn between(&self, from: LoopId, to: LoopId, before: Option<LoopId>) -> Option<Between> {
        let loops = &self.control.loops;
        let (first, last) = (loops.get(from), loops.get(to));
        let dominates = |a: BlockId, b: BlockId| self.control.dominators.dominates(a, b);
        let always = match before {
            None => dominates(first.header, last.header),
            Some(around) => loops.get(around).latches.iter().all(|&latch| dominates(first.header, latch)),
        };
        if !always {
            return None;
        }
        let around = loops.get(from).parent;
        let header = around.map(|id| loops.get(id).header);
        let mut between = Between { blocks: BTreeSet::new(), is_certain: true };
        let mut open: Vec<BlockId> = first.exits.iter().map(|exit| exit.1).collect();
        while let Some(block) = open.pop() {
            let is_outside = around.is_some_and(|id| !loops.contains(id, block));
            if block == last.header {
                continue;
            }
            if is_outside || before.is_none() && Some(block) == header {
                between.is_certain = false;
                continue;
            }
            if between.blocks.insert(block) {
                let next = &self.control.successors[block.index()];
                between.is_certain &= !next.is_empty();
                open.extend(next.iter().copied());
            }
        }
        Some(between)
    }

    /// How many instructions of some blocks may write an object, or read it.
    fn touches(
        &self,
        accesses: &mut Accesses<'_>,
        blocks: &BTreeSet<BlockId>,
        object: Object,
        writes: bool,
    ) -> usize {
        let inside =
            accesses.list.iter().filter(|access| blocks.contains(&access.block) && access.writes == writes);
        let places: Vec<Option<Object>> = inside.map(|access| access.object()).collect();
        let forms = accesses.proved_mut();
        let Some(memory) = forms.memory() else { return usize::MAX };
        let captured = captured(&memory.objects);
        let distinct = Distinct { objects: &memory.objects, captured: &captured };
        let may_be = |other: &Option<Object>| {
            other.is_none_or(|other| distinct.of_objects(other, object) != Overlap::No)
        };
        let all = blocks.iter().flat_map(|&block| &forms.function.block(block).instructions);
        let calls = all.filter(|instruction| match &instruction.operation {
            Operation::Call { callee: Callee::Symbol(symbol), .. } => {
                !library::only_computes(self.module, *symbol)
            }
            Operation::Call { .. } | Operation::Atomic { .. } => true,
            _ => false,
        });
        places.iter().filter(|place| may_be(place)).count() + calls.count()
    }
}

/// The bytes that two uses of an array have in common, one being within the other, and whether the second one has more; `None` if that
/// is not proved.
fn common(accesses: &mut Accesses<'_>, left: &Parameter, needed: &Parameter) -> Option<(Volume, bool)> {
    if left.known.is_assumed() != needed.known.is_assumed() {
        return None;
    }
    let ends = |of: &Parameter| match &of.section {
        Some(Range::Between(lower, upper)) => Some((lower.single()?.clone(), upper.single()?.clone())),
        _ => None,
    };
    let (a, b) = (ends(left)?, ends(needed)?);
    let atoms = &accesses.forms_of(&needed.known).atoms;
    let facts = Facts::none();
    let prover = Prover::new(atoms, &facts);
    let is_within = |inner: &(_, _), outer: &(_, _)| {
        prover.is_at_least(&inner.0, &outer.0) && prover.is_at_least(&outer.1, &inner.1)
    };
    if is_within(&b, &a) {
        Some((Volume::of(needed)?, false))
    } else if is_within(&a, &b) {
        Some((Volume::of(left)?, true))
    } else {
        None
    }
}
