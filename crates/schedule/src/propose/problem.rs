//! A region as a scheduling problem in the notation of isl.
//!
//! `S12[i0, i1]` is the statement named by block 12 of the profile ([`Statements`]) in iteration (i0, i1). Large constants are parameters
//! ([`Parameters`]), so a schedule is found for all sizes; the observed ones are among them.
//!
//! Over-approximations, all safe: boxes of domains and of distances stand for what has no exact form, and for relations of
//! more than `MOST_PIECES` pieces.

use std::collections::{BTreeMap, BTreeSet};

use fold::{Folded, Piece};
use isl::schedule::Observed;
use isl::{Algorithm, Fusion, Problem};
use profile::{ContextIndex, ContextKind, Dependence, Kind, LevelSummary, ObjectIndex, Operation, Profile};
use rustc_hash::{FxHashMap, FxHashSet};

use super::region::Region;
use super::renaming::Renaming;
use super::statements::{Statements, allocated};
use crate::SourceLoop;
use crate::graph::{dimension, inside};
use crate::notation::{Condition, Parameters, constants, distance, function, names, pieces, tuple};
use crate::verdict::Verdict;

/// Pieces of a relation beyond which its distances are used instead.
const MOST_PIECES: usize = 32;
/// Pieces of a domain beyond which the box around them is used.
const MOST_OF_DOMAIN: usize = 8;
/// Pieces of an address beyond which distances are used instead of addresses.
const MOST_OF_ADDRESSES: usize = 4;

/// Why a region is no scheduling problem.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    /// A block's iterations are not known.
    #[error("the iterations of block {0} are not known")]
    Domain(u32),
    /// The profile has no dependences.
    #[error("executions were counted alone, without dependences")]
    Counted,
    /// Some of it ran without being recorded, or lies in more loops than are told apart.
    #[error("not all of it was recorded loop by loop")]
    Unrecorded,
    /// See [`profile::Context::is_crowded`].
    #[error("it has too many reads before writes to list them all")]
    Crowded,
    /// It has no statement that anything depends on.
    #[error("no statement of it accesses memory or depends on another")]
    Empty,
}

/// A region's problem.
#[derive(Debug, Clone)]
pub struct Formulated {
    /// The statements, ascending: each the block that names it, and all its blocks.
    pub statements: Vec<(u32, Vec<u32>)>,
    /// All blocks of the region by the statement that they belong to.
    pub sorted: Statements,
    /// The problem, to be solved for bands.
    pub problem: Problem,
    /// The dependences in it.
    pub kept: Vec<Kept>,
    /// What the problem names otherwise than by blocks.
    pub renaming: Renaming,
    /// What its parameters stand for.
    pub parameters: Parameters,
}

/// Whether every iteration of the loop of a verdict can be given its own copy of a variable.
pub type IsPrivate<'a> = dyn Fn(&Verdict, ObjectIndex) -> bool + 'a;

/// A nest of the source to formulate the problem of, instead of blocks as the program has them.
pub struct Cut<'a> {
    /// The statements of the source.
    pub statements: Statements,
    /// Their names and coordinates.
    pub renaming: Renaming,
    /// Whether every iteration of a loop can be given its own copy of a variable.
    pub is_private: &'a IsPrivate<'a>,
}

/// A dependence that a schedule has to respect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// Index into [`Profile::dependences`].
    pub dependence: u32,
    /// Its levels that order something.
    pub levels: Vec<u8>,
    /// The statements that its ends belong to, by name.
    pub source: u32,
    /// As said.
    pub sink: u32,
    /// Number of coordinates of the two.
    pub dims: (usize, usize),
}

/// A dependence at one level that a schedule has to respect.
struct Ordering<'a> {
    /// The statements.
    source: u32,
    sink: u32,
    /// Loops around both statements.
    common: usize,
    /// Both ends have the coordinates of the blocks that name the statements.
    is_direct: bool,
    /// Index of the dependence.
    index: u32,
    dependence: &'a Dependence,
    level: &'a LevelSummary,
}

impl Ordering<'_> {
    /// Whether a loop around both statements carries it.
    fn is_carried(&self) -> bool {
        usize::from(self.level.level) < self.common
    }

    /// Whether its source is known as functions of its sink.
    fn pieces(&self) -> Option<&[Piece]> {
        let pieces = &self.dependence.relation.as_ref()?.pieces;
        (self.is_direct && self.dependence.kind == Kind::Flow && (1..=MOST_PIECES).contains(&pieces.len()))
            .then_some(pieces)
    }
}

/// The contexts of a region, all of which were recorded with their dependences.
fn recorded(profile: &Profile, region: &Region) -> Result<FxHashSet<ContextIndex>, Unfit> {
    if profile.trust.counted_only {
        return Err(Unfit::Counted);
    }
    let contexts = inside(profile, &region.contexts);
    let is_lost = |&context: &ContextIndex| {
        let own = &profile.contexts[context as usize];
        own.gap.is_some()
            || own.kind == ContextKind::Loop && !own.is_dimension && own.iterations > own.entries
    };
    if contexts.iter().any(|&context| profile.contexts[context as usize].is_crowded) {
        return Err(Unfit::Crowded);
    }
    if contexts.iter().any(is_lost) { Err(Unfit::Unrecorded) } else { Ok(contexts) }
}

/// Number of loops and recursions around a region.
pub(super) fn outermost(profile: &Profile, region: &Region) -> usize {
    region.contexts.iter().map(|&c| dimension(profile, c)).min().unwrap_or(0)
}

/// Formulates a region's problem.
///
/// # Errors
/// [`Unfit`].
pub fn formulate(profile: &Profile, loops: &[SourceLoop], region: &Region) -> Result<Formulated, Unfit> {
    let contexts = recorded(profile, region)?;
    let is_inside =
        |context: ContextIndex| contexts.contains(&context) && !profile.contexts[context as usize].allocator;
    let mut statements = Statements::new(profile, &is_inside);
    let orderings = orderings(profile, loops, region, (&contexts, &statements), None);
    let orderings = join(profile, &mut statements, orderings);
    let mut blocks: BTreeSet<u32> = orderings.iter().flat_map(|o| [o.source, o.sink]).collect();
    // A call stores where to return to.
    let stores = profile.accesses.iter().filter(|a| {
        let operation = profile.statements[a.statement as usize].operation;
        a.write && a.executions > 0 && operation != Operation::Control
    });
    blocks.extend(stores.filter_map(|a| statements.of(profile, a.statement)));
    let fixed = outermost(profile, region);
    assemble(profile, blocks, statements, &orderings, Renaming::default(), fixed)
}

/// Formulates the problem of a nest of the source.
///
/// # Errors
/// [`Unfit`].
pub fn formulate_cut(
    profile: &Profile,
    loops: &[SourceLoop],
    region: &Region,
    cut: Cut<'_>,
) -> Result<Formulated, Unfit> {
    let contexts = recorded(profile, region)?;
    let orderings = orderings(profile, loops, region, (&contexts, &cut.statements), Some(cut.is_private));
    let blocks = cut.statements.names().collect();
    assemble(profile, blocks, cut.statements.clone(), &orderings, cut.renaming, 0)
}

/// The problem of some statements and what orders them.
fn assemble(
    profile: &Profile,
    blocks: BTreeSet<u32>,
    statements: Statements,
    orderings: &[Ordering],
    renaming: Renaming,
    fixed: usize,
) -> Result<Formulated, Unfit> {
    if blocks.is_empty() {
        return Err(Unfit::Empty);
    }
    let pieces_of = |block: u32| pieces(&profile.blocks[block as usize].domain);
    let of_domains = blocks.iter().flat_map(|&block| pieces_of(block));
    let of_relations = orderings.iter().filter_map(Ordering::pieces).flatten();
    // Loops and recursions around the region stay as they are: it is scheduled for one iteration of them.
    let parameters = Parameters::of(of_domains.chain(of_relations).flat_map(constants)).fixing(fixed);
    let domain = |parameters: &Parameters| -> Result<String, Unfit> {
        let each = |&block: &u32| instances(profile, (block, statements.members(block)), parameters);
        let parts: Result<Vec<_>, _> = blocks.iter().map(each).collect();
        Ok(union(parameters, parts?.into_iter().flatten()))
    };
    let (mut validity, mut proximity, mut observed) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for ordering in orderings {
        if let Some(pairs) = overlaps(profile, ordering) {
            observed.extend(pairs);
            continue;
        }
        let pairs = pairs(profile, ordering, &parameters);
        if ordering.dependence.kind == Kind::Flow {
            proximity.extend(pairs.iter().cloned());
        }
        validity.extend(pairs);
    }
    let observed = match observed.is_empty() {
        true => None,
        false => Some(Observed {
            domain: domain(&Parameters::NONE)?,
            validity: union(&Parameters::NONE, observed.into_iter()),
        }),
    };
    let problem = Problem {
        context: parameters.context(),
        domain: domain(&parameters)?,
        validity: union(&parameters, validity.into_iter()),
        proximity: union(&parameters, proximity.into_iter()),
        observed,
        renaming: renaming.text(),
        algorithm: Algorithm::Bands,
        fusion: Fusion::Smart,
    };
    let named = blocks.into_iter().map(|block| (block, statements.members(block).to_vec())).collect();
    let kept = kept(profile, orderings);
    Ok(Formulated { statements: named, sorted: statements, problem, kept, renaming, parameters })
}

/// The dependences of some orderings, which stand together.
fn kept(profile: &Profile, orderings: &[Ordering]) -> Vec<Kept> {
    let of_one = orderings.chunk_by(|a, b| a.index == b.index);
    of_one
        .map(|all| Kept {
            dependence: all[0].index,
            levels: all.iter().map(|o| o.level.level).collect(),
            source: all[0].source,
            sink: all[0].sink,
            dims: (dims(profile, all[0].source), dims(profile, all[0].sink)),
        })
        .collect()
}

/// Joins statements of one body that pass values in registers inside an iteration, and gives the orderings of what remains.
fn join<'a>(
    profile: &Profile,
    statements: &mut Statements,
    mut orderings: Vec<Ordering<'a>>,
) -> Vec<Ordering<'a>> {
    let context = |block: u32| profile.blocks[block as usize].context;
    let (mut pairs, mut edges) = (Vec::new(), Vec::new());
    for ordering in orderings.iter().filter(|o| !o.is_carried()) {
        let ends = (ordering.source, ordering.sink);
        edges.push(ends);
        if !ordering.dependence.memory && context(ends.0) == context(ends.1) {
            pairs.push(ends);
        }
    }
    statements.join(&pairs, &edges);
    // Joined statements have one context: nothing but the names changes.
    for ordering in &mut orderings {
        ordering.source = statements.of_block(ordering.source).unwrap_or(ordering.source);
        ordering.sink = statements.of_block(ordering.sink).unwrap_or(ordering.sink);
    }
    orderings.retain(|o| o.is_carried() || o.source != o.sink);
    orderings
}

fn union(parameters: &Parameters, parts: impl Iterator<Item = String>) -> String {
    format!("{}{{ {} }}", parameters.declaration(), parts.collect::<Vec<_>>().join("; "))
}

/// The instances of a statement, as parts of a union set.
///
/// Of several blocks, or of many pieces, they are those of the header or the first block of the body, if these are simple:
/// it runs in every iteration that some other does.
fn instances(
    profile: &Profile,
    (block, members): (u32, &[u32]),
    parameters: &Parameters,
) -> Result<Vec<String>, Unfit> {
    let dims = dims(profile, block);
    let tuple = tuple(block, "i", dims);
    let own = &profile.blocks[block as usize];
    let peers = || members.iter().map(|&m| &profile.blocks[m as usize]).filter(|b| b.context == own.context);
    let is_simple = |domain: &[Folded]| (1..=MOST_OF_DOMAIN).contains(&pieces(domain).count());
    let is_alone = peers().count() == 1 && is_simple(&own.domain);
    let header = first_block(profile, own.context).filter(|first| !is_alone && is_simple(&first.domain));
    let all: Vec<&Piece> = match header {
        Some(first) => pieces(&first.domain).collect(),
        None => peers().flat_map(|block| pieces(&block.domain)).collect(),
    };
    let parts: Vec<String> = match all.len() {
        0 if dims == 0 => return Ok(vec![tuple]),
        0 => return Err(Unfit::Domain(block)),
        1..=MOST_OF_DOMAIN => all.iter().map(|piece| Condition::of(piece, "i", parameters).text()).collect(),
        _ => {
            let extents: Vec<Vec<(i64, i64)>> = all.iter().map(|piece| piece.extent()).collect();
            let range = |q: usize| {
                let ranges = extents.iter().filter_map(|extent| extent.get(q).copied());
                let (low, high) = ranges.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))?;
                Some(format!("{} <= i{q} <= {}", parameters.constant(low), parameters.constant(high)))
            };
            let parts: Option<Vec<String>> = (0..dims).map(range).collect();
            vec![Condition::from(parts.ok_or(Unfit::Domain(block))?).text()]
        }
    };
    let fixed: Vec<String> = parameters.fixed().take(dims).collect();
    let and = if fixed.is_empty() { String::new() } else { format!(" and {}", fixed.join(" and ")) };
    Ok(parts.iter().map(|part| format!("{tuple} : ({part}){and}")).collect())
}

/// The block that every iteration of a loop, or every call of a function, begins with.
fn first_block(profile: &Profile, context: ContextIndex) -> Option<&profile::Block> {
    let own = &profile.contexts[context as usize];
    let at = match own.kind {
        ContextKind::Loop => own.at,
        _ => profile.functions.get(own.function as usize)?.entry,
    };
    let starts = |block: &&profile::Block| {
        block.context == context && profile.statements.get(block.first as usize).is_some_and(|s| s.pc == at)
    };
    profile.blocks.iter().find(starts)
}

/// Number of coordinates of a block.
fn dims(profile: &Profile, block: u32) -> usize {
    usize::from(profile.contexts[profile.blocks[block as usize].context as usize].dims)
}

/// The dependences inside one instance of the region that order iterations, and those inside one iteration between
/// different blocks. Of a nest of the source, `of_nest` says what can be private; all other storage orders.
fn orderings<'a>(
    profile: &'a Profile,
    loops: &[SourceLoop],
    region: &Region,
    (contexts, statements): (&FxHashSet<ContextIndex>, &Statements),
    of_nest: Option<&IsPrivate<'_>>,
) -> Vec<Ordering<'a>> {
    let verdicts: FxHashMap<ContextIndex, &Verdict> =
        loops.iter().flat_map(|l| l.contexts.iter().copied().zip(&l.verdicts)).collect();
    let outermost = outermost(profile, region);
    let mut around: BTreeMap<ContextIndex, Vec<ContextIndex>> = BTreeMap::new();
    let allocated = allocated(profile, contexts);
    let mut out = Vec::new();
    for (index, dependence) in profile.dependences.iter().enumerate() {
        let ends = [dependence.source, dependence.sink];
        let [Some(source), Some(sink)] = ends.map(|s| statements.of(profile, s)) else { continue };
        let context = profile.context_of(dependence.sink);
        let chain = around.entry(context).or_insert_with(|| profile.loops_around(context));
        let common = usize::from(dependence.common).min(dims(profile, source)).min(dims(profile, sink));
        let is_direct =
            ends.map(|s| profile.context_of(s)) == [source, sink].map(|s| profile.blocks[s as usize].context);
        let verdict = |dim: usize| chain.get(dim).and_then(|context| verdicts.get(context));
        // What passes an induction variable on, and what overwrites it: every iteration computes its own.
        let is_induction = || {
            let mut scevs = (outermost..common).filter_map(verdict).map(|v| &v.scevs);
            dependence.induction().is_some_and(|writer| {
                !allocated.contains(&writer) && scevs.any(|scevs| scevs.binary_search(&writer).is_ok())
            })
        };
        for level in &dependence.levels {
            let dim = usize::from(level.level);
            let is_shared = |verdict: &Verdict, is_private: &IsPrivate<'_>| {
                let own = level
                    .objects
                    .iter()
                    .filter(|used| !used.callee && !verdict.is_spill(profile, used.object));
                dependence.memory
                    && dependence.kind != Kind::Flow
                    && own.into_iter().any(|used| !is_private(verdict, used.object))
            };
            // Ends without a common loop of the nest are in different instances of it.
            let orders = if dim < outermost || of_nest.is_some() && common <= outermost {
                false
            } else if dim < common {
                verdict(dim).is_some_and(|v| {
                    v.ordering.binary_search(&(index as u32)).is_ok()
                        || of_nest.is_some_and(|is_private| is_shared(v, is_private))
                })
            } else {
                source != sink && !is_induction()
            };
            if orders {
                let index = index as u32;
                out.push(Ordering { source, sink, common, is_direct, index, dependence, level });
            }
        }
    }
    out
}

/// An anti or output dependence at a level as all pairs of iterations that access a byte in common; `None` if addresses are
/// not known in exact form, or in too many pieces. Without parameters: rows may lie one after the other.
fn overlaps(profile: &Profile, ordering: &Ordering) -> Option<Vec<String>> {
    let &Ordering { source, sink, common, is_direct, dependence, level, .. } = ordering;
    if dependence.kind == Kind::Flow || !is_direct {
        return None;
    }
    let accesses = [dependence.source_access?, dependence.sink_access?];
    let accesses = accesses.map(|access| &profile.accesses[access as usize]);
    let [first, second] = accesses.map(|access| {
        let all: Vec<&Piece> = pieces(&access.address).collect();
        let is_exact = access.address.iter().all(Folded::is_exact);
        (is_exact && (1..=MOST_OF_ADDRESSES).contains(&all.len())).then_some(all)
    });
    let (first, second) = (first?, second?);
    let [from, to] = [source, sink].map(|block| dims(profile, block));
    let arrow = format!("{} -> {}", tuple(source, "o", from), tuple(sink, "i", to));
    let mut out = Vec::new();
    for (a, b) in first.iter().flat_map(|a| second.iter().map(move |b| (a, b))) {
        let (mut x, mut y) = (function(a, 0)?, function(b, 0)?);
        // Relative to the first address: numbers stay small.
        y.constant = y.constant.checked_sub(x.constant)?;
        x.constant = 0;
        let (x_names, y_names) = (names("o", from), names("i", to));
        let (x, y) = (x.display(&x_names).to_string(), y.display(&y_names).to_string());
        let mut parts = Condition::of(a, "o", &Parameters::NONE).conjuncts()?;
        parts.extend(Condition::of(b, "i", &Parameters::NONE).conjuncts()?);
        parts.push(format!("{x} < {y} + {}", accesses[1].size.max(1)));
        parts.push(format!("{y} < {x} + {}", accesses[0].size.max(1)));
        parts.extend((0..common).filter_map(|q| distance_at(level, q, &Parameters::NONE)));
        out.push(format!("{arrow} : {}", Condition::from(parts).text()));
    }
    Some(out)
}

/// Between which bounds a distance at a level lies.
fn distance_at(level: &LevelSummary, q: usize, parameters: &Parameters) -> Option<String> {
    let (low, high) = (level.minimum.get(q)?, level.maximum.get(q)?);
    let (low, high) = (parameters.constant(*low), parameters.constant(*high));
    Some(distance(q, low, high))
}

/// The pairs of source and sink of a dependence at a level, as parts of a union map.
fn pairs(profile: &Profile, ordering: &Ordering, parameters: &Parameters) -> Vec<String> {
    let &Ordering { source, sink, common, level, .. } = ordering;
    let [from, to] = [source, sink].map(|block| dims(profile, block));
    let arrow = format!("{} -> {}", tuple(source, "o", from), tuple(sink, "i", to));
    let distance = |q: usize| distance_at(level, q, parameters);
    let Some(pieces) = ordering.pieces() else {
        let parts: Vec<String> = (0..common).filter_map(distance).collect();
        return vec![format!("{arrow} : {}", Condition::from(parts).text())];
    };
    let carried = usize::from(level.level);
    let mut at_level: Vec<String> = (0..carried.min(from).min(to)).map(|q| format!("i{q} = o{q}")).collect();
    if carried < common {
        at_level.push(format!("i{carried} > o{carried}"));
    }
    pieces
        .iter()
        .map(|piece| {
            let mut condition = Condition::of(piece, "i", parameters);
            for q in 0..from {
                if !condition.output(piece, q, &format!("o{q}"), 1, parameters) {
                    condition.parts.extend(distance(q));
                }
            }
            condition.parts.extend(at_level.iter().cloned());
            format!("{arrow} : {}", condition.text())
        })
        .collect()
}
