//! Figures of a region: the columns of the published summary table (ALGORITHMS section 4).
//!
//! - [`structure`]: what share of a region runs in parallel, vectorisable and tilable loops, as it is or as proposed;
//! - [`obstacles`]: why a static tool could not model it;
//! - [`locality`]: strides, and the data it touches;
//! - [`profit`]: what a proposal is worth.
//!
//! Operations are executed instructions. Shares are 0 to 1.

pub mod locality;
pub mod obstacles;
pub mod profit;
pub mod structure;

use profile::{ContextIndex, ContextKind, Kind, Operation, Profile};
use rustc_hash::FxHashSet;

use crate::SourceLoop;
use crate::graph::inside;
use crate::nest::Innermost;
use crate::propose::Region;

pub use locality::Reuse;
pub use obstacles::Obstacles;
pub use profit::Profit;
pub use structure::Structure;

/// Figures of one region of a program.
#[derive(Debug, Clone, PartialEq)]
pub struct Metrics {
    /// Share of the region's operations that access memory.
    pub memory: f64,
    /// Share of the region's operations that compute in floating point.
    pub float: f64,
    /// It calls functions, of the program or of libraries.
    pub is_interprocedural: bool,
    /// Why a static tool could not model it.
    pub obstacles: Obstacles,
    /// Deepest nest of loops of the source, as far as debug information tells.
    pub source_depth: usize,
    /// Deepest nest of loops of the compiled program.
    pub binary_depth: usize,
    /// What nests are described by too.
    pub shape: Shape,
}

/// Figures of a whole program.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Graph {
    /// Statement instances, all and without induction variables: #V.
    pub instances: (u64, u64),
    /// Flow dependence instances, all and without those of induction variables: #E.
    pub dependences: (u64, u64),
    /// Share of the operations with an exact domain, exact addresses and exact dependences: %Aff.
    pub affine: f64,
}

/// Operations, and how many of them have an exact domain, exact addresses and exact dependences.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Exact {
    /// All.
    pub all: u64,
    /// The exact ones.
    pub exact: u64,
}

/// What the figures of all regions of a program rest on, gathered once.
#[derive(Debug)]
pub struct Survey<'a> {
    profile: &'a Profile,
    loops: &'a [SourceLoop],
    innermost: Innermost,
    /// Statements that access memory.
    accessing: FxHashSet<u32>,
    /// Induction variables and invariants of any loop.
    inductions: FxHashSet<u32>,
    /// See [`exact_operations`].
    exact: Vec<Exact>,
}

/// Shares and the structure of a region's loops: what nests are described by.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shape {
    /// Share of its operations with an exact domain, exact addresses and exact dependences.
    pub affine: f64,
    /// Loads and stores that stay or go on to the next element.
    pub reuse: Reuse,
    /// Loops as they are.
    pub before: Structure,
}

impl<'a> Survey<'a> {
    /// Looks at a whole program.
    pub fn new(profile: &'a Profile, loops: &'a [SourceLoop]) -> Survey<'a> {
        let accessing = profile
            .accesses
            .iter()
            .filter(|a| a.executions > 0 && !a.is_of_calls())
            .map(|a| a.statement)
            .collect();
        let inductions = inductions(loops);
        let exact = exact_operations(profile, &inexact(profile, &inductions));
        Survey { profile, loops, innermost: Innermost::new(profile), accessing, inductions, exact }
    }

    /// The executed accesses by the innermost loop around them.
    pub fn innermost(&self) -> &Innermost {
        &self.innermost
    }

    /// What was executed directly in every context, and how much of it is exact.
    pub fn exact_operations(&self) -> &[Exact] {
        &self.exact
    }

    /// Share of a region's operations with an exact domain, exact addresses and exact dependences.
    pub fn affine(&self, region: &Region) -> f64 {
        self.affine_in(&inside(self.profile, &region.contexts))
    }

    fn affine_in(&self, contexts: &FxHashSet<ContextIndex>) -> f64 {
        affine(contexts.iter().map(|&context| self.exact[context as usize]))
    }

    /// Computes a region's shape.
    pub fn shape(&self, region: &Region) -> Shape {
        self.shape_of(region, &inside(self.profile, &region.contexts))
    }

    fn shape_of(&self, region: &Region, contexts: &FxHashSet<ContextIndex>) -> Shape {
        let Survey { profile, loops, .. } = *self;
        Shape {
            affine: self.affine_in(contexts),
            reuse: locality::reuse(profile, loops, &self.innermost, region),
            before: structure::before(profile, loops, region),
        }
    }

    /// Computes a region's figures.
    pub fn metrics(&self, region: &Region) -> Metrics {
        let Survey { profile, loops, .. } = *self;
        let contexts = inside(profile, &region.contexts);
        let (mut all, mut memory, mut float) = (0u64, 0u64, 0u64);
        for block in profile.blocks.iter().filter(|block| contexts.contains(&block.context)) {
            for s in block.first..block.first + block.count {
                let statement = &profile.statements[s as usize];
                let moves = matches!(
                    statement.operation,
                    Operation::Copy | Operation::Shuffle | Operation::Constant | Operation::Control
                );
                all += block.executions;
                memory += block.executions * u64::from(self.accessing.contains(&s));
                float += block.executions * u64::from(statement.float && !moves);
            }
        }
        let share = |part: u64| part as f64 / all.max(1) as f64;
        Metrics {
            memory: share(memory),
            float: share(float),
            is_interprocedural: contexts.iter().any(|&c| is_call(profile, c)),
            obstacles: obstacles::of(profile, loops, &contexts),
            source_depth: source_depth(loops, region),
            binary_depth: binary_depth(profile, region, &contexts),
            shape: self.shape_of(region, &contexts),
        }
    }

    /// Computes the program's figures.
    pub fn graph(&self) -> Graph {
        let mut dependences = (0u64, 0u64);
        for d in self.profile.dependences.iter().filter(|d| d.kind == Kind::Flow) {
            dependences.0 = dependences.0.saturating_add(d.count);
            if !self.inductions.contains(&d.source) {
                dependences.1 = dependences.1.saturating_add(d.count);
            }
        }
        let mut instances = (0u64, 0u64);
        for block in &self.profile.blocks {
            for s in block.first..block.first + block.count {
                instances.0 = instances.0.saturating_add(block.executions);
                if !self.inductions.contains(&s) {
                    instances.1 = instances.1.saturating_add(block.executions);
                }
            }
        }
        Graph { instances, dependences, affine: affine(self.exact.iter().copied()) }
    }
}

/// Share of a program's operations with an exact domain and exact addresses.
pub fn exact_fraction(profile: &Profile) -> f64 {
    affine(exact_operations(profile, &inexact_addresses(profile)).into_iter())
}

/// Induction variables and invariants of any loop.
fn inductions(loops: &[SourceLoop]) -> FxHashSet<u32> {
    loops.iter().flat_map(|l| &l.verdicts).flat_map(|v| v.scevs.iter().copied()).collect()
}

/// Statements with an address that is not known exactly.
fn inexact_addresses(profile: &Profile) -> FxHashSet<u32> {
    let is_exact = |folded: &[fold::Folded]| !folded.is_empty() && folded.iter().all(fold::Folded::is_exact);
    let accesses =
        profile.accesses.iter().filter(|a| a.executions > 0 && !a.is_of_calls() && !is_exact(&a.address));
    accesses.map(|a| a.statement).collect()
}

/// Statements with an address or a flow dependence that is not known exactly.
fn inexact(profile: &Profile, inductions: &FxHashSet<u32>) -> FxHashSet<u32> {
    let mut out = inexact_addresses(profile);
    for d in profile.dependences.iter().filter(|d| d.kind == Kind::Flow && d.memory) {
        let is_widened = d.relation.as_ref().is_some_and(|relation| !relation.is_exact());
        if is_widened && !inductions.contains(&d.source) {
            out.extend([d.source, d.sink]);
        }
    }
    out
}

/// Share of some operations that are exact.
fn affine(operations: impl Iterator<Item = Exact>) -> f64 {
    let mut sum = Exact::default();
    for own in operations {
        sum.all = sum.all.saturating_add(own.all);
        sum.exact = sum.exact.saturating_add(own.exact);
    }
    sum.exact as f64 / sum.all.max(1) as f64
}

/// Operations by context.
fn exact_operations(profile: &Profile, inexact: &FxHashSet<u32>) -> Vec<Exact> {
    let mut out = vec![Exact::default(); profile.contexts.len()];
    for block in &profile.blocks {
        let is_exact = !block.domain.is_empty() && block.domain.iter().all(|folded| !folded.gave_up);
        let own = &mut out[block.context as usize];
        for s in block.first..block.first + block.count {
            own.all = own.all.saturating_add(block.executions);
            if is_exact && !inexact.contains(&s) {
                own.exact = own.exact.saturating_add(block.executions);
            }
        }
    }
    out
}

fn is_call(profile: &Profile, context: ContextIndex) -> bool {
    matches!(profile.contexts[context as usize].kind, ContextKind::Call { .. })
}

/// The deepest nest of the program's own loops of the source in a region, itself included.
fn source_depth(loops: &[SourceLoop], region: &Region) -> usize {
    let own = within(loops, region).filter(|&at| loops[at].main);
    let depth = |at: usize| 1 + loops[at].depth - loops[region.outermost].depth;
    own.map(depth).max().unwrap_or(0)
}

/// The deepest nest of loop contexts of the program's own code in a region.
fn binary_depth(profile: &Profile, region: &Region, contexts: &FxHashSet<ContextIndex>) -> usize {
    let around = |context: ContextIndex| usize::from(profile.contexts[context as usize].dims);
    let outside = region.contexts.iter().map(|&c| around(c).saturating_sub(1)).min().unwrap_or(0);
    let own = contexts.iter().filter(|&&context| profile.is_own(context));
    let iterates = |context: ContextIndex| {
        let own = &profile.contexts[context as usize];
        own.iterations > own.entries
    };
    own.filter(|&&c| iterates(c)).map(|&c| around(c).saturating_sub(outside)).max().unwrap_or(0)
}

/// Indices of the loops in a region, its outermost included; outer before inner.
pub fn within<'a>(loops: &'a [SourceLoop], region: &'a Region) -> impl Iterator<Item = usize> + 'a {
    let is_around = move |at: usize| {
        std::iter::successors(Some(at), |&at| loops[at].parent).any(|at| at == region.outermost)
    };
    (0..loops.len()).filter(move |&at| is_around(at))
}
