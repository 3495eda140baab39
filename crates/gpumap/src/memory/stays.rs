//! Where in a function the content of an address stays the same.
//!
//! The largest part of the function counts, of the whole function and the loops around a load, in which no write may reach what is
//! loaded: there the content is one symbol for each address. Either nothing is assumed, or that objects of different origin do
//! not overlap; then every assumption that was needed is noted.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::assumption::{Assumption, AssumptionId};
use super::captured::captured;
use super::effects::{Summaries, Write, writes};
use super::names::{Names, Variables};
use super::object::{Bases, Objects};
use super::overlap::{Distinct, Overlap, Read};
use crate::control::{Control, LoopId};
use crate::ir::{BlockId, Function, Instruction, Module, Operation};

/// Most pairs of a load and a write that are looked at; then nothing is known of other loads.
const PAIRS: usize = 400_000;

/// A part of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Span {
    /// All of it.
    Function,
    /// One entry of a loop, from its first iteration to its last.
    Loop(LoopId),
}

/// Where a content stays the same, and which assumptions that needs.
pub type Stays = Option<(Span, BTreeSet<AssumptionId>)>;

/// What is known about the memory that a function accesses.
#[derive(Debug)]
pub struct Memory<'f> {
    /// Its objects.
    pub objects: Objects<'f>,
    /// Its variables in the source.
    pub variables: Variables,
    control: &'f Control,
    captured: BTreeSet<super::Object>,
    writes: Vec<Write>,
    assumptions: Vec<Assumption>,
    known: FxHashMap<(Read, BlockId, bool), Stays>,
    pairs: usize,
    /// Whether a content would stay the same for longer under assumptions.
    may_assume: bool,
}

impl<'f> Memory<'f> {
    /// That of a function.
    pub fn new(
        module: &'f Module,
        function: &'f Function,
        control: &'f Control,
        summaries: &mut Summaries,
    ) -> Memory<'f> {
        let objects = Objects::new(module, function);
        let captured = captured(&objects);
        let writes = writes(&objects, summaries);
        let variables = Variables::new(function);
        let (assumptions, known) = (Vec::new(), FxHashMap::default());
        Memory {
            objects,
            variables,
            control,
            captured,
            writes,
            assumptions,
            known,
            pairs: PAIRS,
            may_assume: false,
        }
    }

    /// All writes.
    pub fn writes(&self) -> &[Write] {
        &self.writes
    }

    /// Whether a content that was asked for would stay the same for longer under assumptions.
    pub fn may_assume(&self) -> bool {
        self.may_assume
    }

    /// An assumption.
    pub fn assumption(&self, id: AssumptionId) -> &Assumption {
        &self.assumptions[id]
    }

    /// Whether an input of this name was given a value.
    pub(crate) fn is_given(&self, name: &str) -> bool {
        let is_it = |of: &Assumption| matches!(of, Assumption::Value { name: given, .. } if given == name);
        self.assumptions.iter().any(is_it)
    }

    /// Names of the function's variables.
    pub fn names(&self) -> Names<'_, 'f> {
        Names::new(&self.objects, &self.variables)
    }

    /// Where the content stays the same that a load reads; `None` if it may change between any two iterations, or may be changed by
    /// others at any time.
    pub fn stays(&mut self, block: BlockId, load: &Instruction, assuming: bool) -> Stays {
        let Operation::Load { address, access } = &load.operation else { return None };
        if access.volatile || access.atomic {
            return None;
        }
        let of = self.objects.function.value(load.result?).of;
        let bytes = self.objects.module.layout.stored(&self.objects.module.types, of)?;
        let read = Read { at: self.objects.rooted(*address), bytes, tag: load.access_type };
        let key = (read, block, assuming);
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let from = self.objects.bases(*address);
        let stays = self.largest(&key.0, &from, block, assuming).map(|(span, origins)| {
            let kept = self.names().content(*address, Some(bytes));
            let kept = kept.unwrap_or_else(|| self.named(&from));
            (span, origins.into_iter().map(|written| self.unchanged(written, kept.clone())).collect())
        });
        self.known.insert(key, stays.clone());
        stays
    }

    /// What objects are called.
    fn named(&self, bases: &Bases) -> String {
        match bases {
            Bases::Any => "anything".into(),
            Bases::Among(list) => {
                let names = self.names();
                list.iter().map(|object| names.object(*object)).collect::<Vec<_>>().join(" or ")
            }
        }
    }

    fn unchanged(&mut self, written: String, kept: String) -> AssumptionId {
        self.assume(Assumption::Unchanged { written, kept })
    }

    /// The number of an assumption.
    pub(crate) fn assume(&mut self, assumption: Assumption) -> AssumptionId {
        self.assumptions.iter().position(|other| *other == assumption).unwrap_or_else(|| {
            self.assumptions.push(assumption);
            self.assumptions.len() - 1
        })
    }

    /// The largest part of the function in which nothing reaches what is read, and the objects that are assumed to be others.
    fn largest(
        &mut self,
        read: &Read,
        from: &Bases,
        block: BlockId,
        assuming: bool,
    ) -> Option<(Span, BTreeSet<String>)> {
        self.pairs = self.pairs.checked_sub(self.writes.len())?;
        let distinct = Distinct { objects: &self.objects, captured: &self.captured };
        let least = if assuming { Overlap::Perhaps } else { Overlap::Objects };
        let met: Vec<(&Write, Overlap)> = self
            .writes
            .iter()
            .map(|write| (write, distinct.overlap(write, read, from)))
            .filter(|(_, overlap)| *overlap != Overlap::No)
            .collect();
        let mut spans: Vec<Span> = self.control.loops.around(block).map(Span::Loop).collect();
        spans.push(Span::Function);
        let is_in = |span: Span, write: &Write| match span {
            Span::Function => true,
            Span::Loop(id) => self.control.loops.contains(id, write.block),
        };
        let stays =
            |span: &&Span| met.iter().all(|(write, overlap)| !is_in(**span, write) || *overlap < least);
        self.may_assume |= met.iter().any(|(_, overlap)| *overlap == Overlap::Objects);
        let span = *spans.iter().rev().find(stays)?;
        let needed = met.iter().filter(|(write, _)| is_in(span, write));
        Some((span, needed.map(|(write, _)| self.named(&write.to)).collect()))
    }
}
