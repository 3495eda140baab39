//! Reductions (ALGORITHMS 2.5).
//!
//! A strongly connected set of flow dependences is a reduction of loop L if its members are only one associative operator
//! (through its accumulator operand), moves and lane shuffles; the accumulator is one cell, or
//! every store writes what a load of the same iteration read (histogram) and no other element is added; and no member's value is used outside the set
//! while the loop runs, but by stores to one place that nothing reads meanwhile. Conversions between widths of floating point are
//! moves.
//!
//! Each accumulator goes through one simple chain: a member takes one value of the set per execution and gives one, so that
//! `a, b = b, a + b` and `s = s + s + x` are none.

use profile::place::is_of_standard_library;
use profile::{ContextIndex, Kind, Operation, Profile, StatementIndex, Use};
use rustc_hash::FxHashSet;

use crate::graph::{Components, LoopEdges, components, dimension, is_flow};
use crate::scev::{Scevs, is_of_update, moves_along};

/// One reduction of a loop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reduction {
    /// The operator.
    pub operator: Operation,
    /// On floating point: parallel execution changes rounding.
    pub float: bool,
    /// The accumulator is many cells, not one.
    pub array: bool,
    /// Members.
    pub statements: Vec<StatementIndex>,
}

/// Finds all reductions of a loop.
pub fn find(profile: &Profile, context: ContextIndex, inside: &LoopEdges, scevs: &Scevs) -> Vec<Reduction> {
    let dim = dimension(profile, context);
    let flows: Vec<_> = inside
        .edges
        .iter()
        .map(|e| (e, &profile.dependences[e.dependence as usize]))
        .filter(|(_, d)| is_flow(d) && !scevs.contains(d.source))
        .collect();
    let graph = components(&flows.iter().map(|(_, d)| (d.source, d.sink)).collect::<Vec<_>>());
    let mut out = Vec::new();
    for (index, members) in graph.members.iter().enumerate() {
        if !graph.is_cyclic(index) {
            continue;
        }
        let member = |s: StatementIndex| members.binary_search(&s).is_ok();
        let internal: Vec<_> = flows.iter().filter(|(_, d)| member(d.source) && member(d.sink)).collect();
        if !internal.iter().any(|(e, _)| e.carried) {
            continue;
        }
        if let Some(reduction) = recognise(profile, dim, members, &internal, &flows, inside) {
            out.push(reduction);
        }
    }
    out
}

/// Values that go around in a loop by way of a conversion: of a sum of floating point that is cut to an integer each time, or a
/// truth value, of which only that it is not 0 is kept. Then it matters which iteration is first, whatever the text calls the type.
pub struct Converted {
    graph: Components,
    /// The conversions, by number of a component.
    conversions: Vec<Vec<StatementIndex>>,
}

impl Converted {
    /// Those of a loop.
    pub fn of(profile: &Profile, inside: &LoopEdges) -> Converted {
        let all = inside.edges.iter().map(|edge| &profile.dependences[edge.dependence as usize]);
        let flows: Vec<_> = all.filter(|d| is_flow(d)).map(|d| (d.source, d.sink)).collect();
        let graph = components(&flows);
        let converts = |s: &StatementIndex| {
            let own = &profile.statements[*s as usize];
            own.operation == Operation::Convert && !own.linear
        };
        let of = |members: &Vec<StatementIndex>| members.iter().copied().filter(converts).collect();
        let conversions = graph.members.iter().map(of).collect();
        Converted { graph, conversions }
    }

    /// The conversions on the way of a value that a dependence hands on.
    pub fn conversions(&self, d: &profile::Dependence) -> &[StatementIndex] {
        let of = |s: StatementIndex| self.graph.of.get(&s);
        let own = of(d.source).filter(|own| of(d.sink) == Some(*own));
        own.map_or(&[], |&own| &self.conversions[own])
    }
}

/// Whether what an iteration of the loop of dimension `dim` hands on through memory always goes to another iteration of a loop inside,
/// along which the addresses move: to the next element, not the same one.
fn moves_on(profile: &Profile, d: &profile::Dependence, dim: usize) -> bool {
    let address = |access: Option<u32>| {
        let access = access.and_then(|access| profile.accesses.get(access as usize));
        access.map_or(&[][..], |access| &access.address)
    };
    let (source, sink) = (address(d.source_access), address(d.sink_access));
    let levels = d.levels.iter().filter(|level| d.memory && usize::from(level.level) == dim);
    levels.into_iter().any(|level| {
        let inside = level.minimum.iter().zip(&level.maximum).enumerate().skip(dim + 1);
        inside.into_iter().any(|(at, (least, most))| {
            least == most && *least != 0 && moves_along(source, at) && moves_along(sink, at)
        })
    })
}

type Flow<'a> = (&'a crate::graph::Edge, &'a profile::Dependence);

fn recognise(
    profile: &Profile,
    dim: usize,
    members: &[StatementIndex],
    internal: &[&Flow<'_>],
    flows: &[Flow<'_>],
    inside: &LoopEdges,
) -> Option<Reduction> {
    let member = |s: StatementIndex| members.binary_search(&s).is_ok();
    let mut operator = None;
    for &s in members {
        let statement = &profile.statements[s as usize];
        match statement.operation {
            Operation::Copy | Operation::Shuffle => {}
            Operation::Convert if statement.linear => {}
            Operation::Add
            | Operation::Multiply
            | Operation::Minimum
            | Operation::Maximum
            | Operation::And
            | Operation::Or
            | Operation::Xor => {
                let this = (statement.operation, statement.float);
                if operator.is_some_and(|o| o != this) {
                    return None;
                }
                operator = Some(this);
            }
            _ => return None,
        }
    }
    let (operator, float) = operator?;
    for (_, d) in internal {
        let into_operator = !matches!(
            profile.statements[d.sink as usize].operation,
            Operation::Copy | Operation::Shuffle | Operation::Convert
        );
        if d.role == Use::Address || (into_operator && d.role != Use::Accumulator) {
            return None;
        }
    }
    if !is_chain(profile, members, internal)
        || internal.iter().any(|(e, d)| e.carried && moves_on(profile, d, dim))
    {
        return None;
    }
    // Partial values must not be seen outside.
    let mut statements = members.to_vec();
    for (_, d) in flows.iter().filter(|(_, d)| member(d.source) && !member(d.sink)) {
        if is_unread_store(profile, dim, d.sink, inside) {
            statements.push(d.sink);
        } else if !is_dropped(profile, d.sink) {
            return None;
        }
    }
    statements.sort_unstable();
    statements.dedup();
    let mut array = false;
    let mut accesses: FxHashSet<u32> = FxHashSet::default();
    for (_, d) in internal {
        accesses.extend(d.source_access.iter().chain(&d.sink_access));
    }
    // Unrolled code has a cell of its own for each access.
    let cells: FxHashSet<Option<((i64, i64), u32)>> = accesses
        .iter()
        .map(|&index| {
            let access = &profile.accesses[index as usize];
            let range = access.address.first()?.ranges.first()?;
            Some(((range.0, range.1), access.size))
        })
        .collect();
    let is_one_cell = cells.len() <= 1;
    for &index in &accesses {
        let access = &profile.accesses[index as usize];
        let several = access.address.is_empty()
            || access.address.iter().any(|f| f.ranges.first().is_none_or(|r| r.0 != r.1))
            || access.address.windows(2).any(|w| w[0].ranges != w[1].ranges);
        array |= several;
        // Of many cells each has to get its own old value.
        if (several || !is_one_cell) && !updates_in_place(profile, members, index, inside) {
            return None;
        }
    }
    // What is added may be another element, which a later iteration changes: then it matters which is first.
    let reads_another = |d: &profile::Dependence| {
        d.memory
            && d.kind == Kind::Anti
            && member(d.source)
            && member(d.sink)
            && d.source_access.is_some_and(|access| !updates_in_place(profile, members, access, inside))
    };
    let mut carried = inside.edges.iter().filter(|edge| edge.carried);
    if array && carried.any(|edge| reads_another(&profile.dependences[edge.dependence as usize])) {
        return None;
    }
    Some(Reduction { operator, float, array, statements })
}

/// Whether the members of a set hand an accumulator on one after the other: an operator takes one value of the set each time it is
/// executed, whichever way it comes.
fn is_chain(profile: &Profile, members: &[StatementIndex], internal: &[&Flow<'_>]) -> bool {
    members.iter().all(|&s| {
        let statement = &profile.statements[s as usize];
        if matches!(statement.operation, Operation::Copy | Operation::Shuffle | Operation::Convert) {
            return true;
        }
        let taken = |memory: bool| {
            let into = internal.iter().filter(|(_, d)| d.sink == s && d.memory == memory);
            into.map(|(_, d)| d.count).fold(0u64, u64::saturating_add)
        };
        let executions = profile.executions(s);
        // What comes through memory counts once per byte that another store wrote.
        taken(false).saturating_add(taken(true).min(executions)) <= executions
    })
}

/// Whether a statement only stores a value to a place that stays the same in the loop of dimension `dim`, and nothing reads it there.
fn is_unread_store(profile: &Profile, dim: usize, statement: StatementIndex, inside: &LoopEdges) -> bool {
    // Whatever the values are: those of a counter too.
    let mut flows = inside.edges.iter().map(|e| &profile.dependences[e.dependence as usize]);
    let mut writes = profile.accesses.iter().filter(|a| a.statement == statement).peekable();
    profile.statements[statement as usize].operation == Operation::Copy
        && writes.peek().is_some()
        && writes.all(|a| a.write && crate::scev::is_fixed(&a.address, dim))
        && !flows.any(|d| is_flow(d) && d.source == statement)
}

/// Whether a function of a standard library computes something that nobody takes from it: what `a += x` leaves of an atomic variable where
/// that is a call. Only there: the program's own code may look at it in a branch that was not taken.
fn is_dropped(profile: &Profile, statement: StatementIndex) -> bool {
    let mut open = vec![statement];
    let mut seen: FxHashSet<StatementIndex> = FxHashSet::default();
    while let Some(s) = open.pop() {
        if !seen.insert(s) {
            continue;
        }
        let own = &profile.statements[s as usize];
        let is_computed = !matches!(own.operation, Operation::Control | Operation::System)
            && is_of_standard_library(&profile.location_of(s).file)
            && !profile.accesses.iter().any(|access| access.statement == s && access.write);
        if !is_computed {
            return false;
        }
        open.extend(profile.dependences.iter().filter(|d| is_flow(d) && d.source == s).map(|d| d.sink));
    }
    true
}

/// Whether every store of the set overwrites, in the same iteration, what a load of the set has just read.
fn updates_in_place(profile: &Profile, members: &[StatementIndex], access: u32, inside: &LoopEdges) -> bool {
    let a = &profile.accesses[access as usize];
    let same_iteration = |d: &profile::Dependence| -> u64 {
        d.levels.iter().filter(|l| l.level == d.common).map(|l| l.count).sum()
    };
    let member = |s: StatementIndex| members.binary_search(&s).is_ok();
    let matched: u64 = inside
        .edges
        .iter()
        .map(|e| &profile.dependences[e.dependence as usize])
        .filter(|d| member(d.source) && member(d.sink) && is_of_update(profile, d))
        .filter(|d| if a.write { d.sink_access == Some(access) } else { d.source_access == Some(access) })
        .map(same_iteration)
        .sum();
    matched >= a.executions
}
