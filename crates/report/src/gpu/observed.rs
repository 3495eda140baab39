//! What a profile says of loops, for the analyses of sources.

use gpumap::offload::observed::{Change, Executed, Loop, Part, Reduced, Storage};
use gpumap::offload::{Carried, Found, Observed};
use profile::{Block, ContextIndex, Dependence, ObjectIndex, ObjectKind, Profile};
use schedule::arrange::distribution::Share;
use schedule::graph::dimension;
use schedule::needs::{Class, Need, Way};
use schedule::nest::stride;
use schedule::{Parallel, SourceLoop};

use rustc_hash::FxHashMap;

use crate::finding::{self, Report};

/// The loops of a report, by their places. Loops without a line are left out.
pub fn observed(report: &Report<'_>) -> Observed {
    let has_place = |entry: &SourceLoop| entry.line > 0 && !entry.file.is_empty();
    let loops = report.loops.iter().zip(&report.distributions).filter(|(entry, _)| has_place(entry));
    Observed { loops: loops.map(|(entry, shares)| seen(report, entry, shares)).collect() }
}

fn seen(report: &Report<'_>, entry: &SourceLoop, shares: &[Share]) -> Loop {
    let blocking = finding::blocking(report.profile, entry);
    // What only shares memory needs memory of its own; what passes on a value, or shares memory that nobody can have for
    // himself, has to wait.
    let is_passed_on =
        entry.class() == Some(Class::C) || entry.needs().iter().any(|need| is_advanced(report.profile, need));
    let carried = blocking.iter().filter(|_| is_passed_on).map(|found| Carried {
        source: Some(found.source.1).filter(|line| *line > 0),
        sink: Some(found.sink.1).filter(|line| *line > 0),
        object: found.object.as_ref().map(|object| object.name.clone()),
    });
    Loop {
        file: entry.file.clone(),
        line: entry.line,
        column: Some(entry.column).filter(|column| *column > 0),
        found: match (entry.parallel, is_passed_on) {
            (Parallel::Unknown, _) => Found::Unknown,
            _ if entry.iterations <= entry.entries => Found::Once,
            (Parallel::No, true) => Found::Dependent,
            _ => Found::Independent,
        },
        carried: carried.collect(),
        storage: entry.needs().iter().filter_map(|need| storage(report.profile, need)).collect(),
        reduced: reduced(report.profile, entry),
        trips: trips(report.profile, entry),
        pieces: entry.pieces(report.profile),
        executed: executed(report.profile, entry),
        parts: if shares.is_empty() { Vec::new() } else { parts(report.profile, entry, shares) },
    }
}

/// The parts that a loop can be split into, in the order of their lines; none if a part passes something on to one before it.
///
/// The parts of a report may run in another order than they are written in, where a compiler keeps in registers what the source reads
/// from memory: who splits the source keeps the order of its lines.
fn parts(profile: &Profile, entry: &SourceLoop, shares: &[Share]) -> Vec<Part> {
    let mut parts: Vec<Part> = shares
        .iter()
        .map(|share| Part { lines: share.lines.clone(), is_independent: share.is_parallel })
        .collect();
    parts.sort_by(|a, b| a.lines.cmp(&b.lines));
    let is_before = |pair: &[Part]| pair[0].lines.last() < pair[1].lines.first();
    let place = |statement| {
        let line = profile.location_of(statement).line;
        parts.iter().position(|part| part.lines.binary_search(&line).is_ok())
    };
    let is_backwards = |of: &Dependence| {
        let inside = |statement| {
            let around = profile.loops_around(profile.context_of(statement));
            around.into_iter().find(|at| entry.contexts.contains(at))
        };
        let Some(context) = inside(of.source).filter(|&context| inside(of.sink) == Some(context)) else {
            return false;
        };
        let is_here = of.levels.iter().any(|level| usize::from(level.level) >= dimension(profile, context));
        is_here && place(of.source) > place(of.sink) && place(of.sink).is_some()
    };
    let is_split = parts.windows(2).all(is_before) && !profile.dependences.iter().any(is_backwards);
    if is_split { parts } else { Vec::new() }
}

/// Least and greatest number of iterations of an entry: as they were counted, else of a loop that was entered once, else of one that
/// makes the same number in every entry, by the domain of a block that runs in every iteration.
fn trips(profile: &Profile, entry: &SourceLoop) -> Option<(u64, u64)> {
    if entry.trips.is_some() {
        return entry.trips;
    }
    let &[context] = entry.contexts.as_slice() else { return None };
    let each = match entry.entries {
        1 => entry.iterations,
        entries => {
            let is_whole = |block: &&Block| block.context == context && block.executions == entry.iterations;
            let mut blocks = profile.blocks.iter().filter(is_whole);
            let each = blocks.find_map(|block| of_each_entry(block, dimension(profile, context)))?;
            each.checked_mul(entries).filter(|all| *all == entry.iterations).map(|_| each)?
        }
    };
    Some((each, each))
}

/// The number of iterations of a loop that its block makes in every entry, if it is one number.
fn of_each_entry(block: &Block, dim: usize) -> Option<u64> {
    let [folded] = block.domain.as_slice() else { return None };
    let [piece] = folded.pieces.as_slice() else { return None };
    let [level] = piece.levels_of(dim) else { return None };
    let is_constant = level.count.coefficients.iter().all(|&coefficient| coefficient == 0);
    let is_exact = !folded.gave_up && !piece.over_approximated;
    u64::try_from(level.count.constant).ok().filter(|_| is_constant && is_exact)
}

/// The accesses inside of a loop whose address changes there.
fn executed(profile: &Profile, entry: &SourceLoop) -> Vec<Executed> {
    let loop_around = |context: ContextIndex| {
        let around = profile.loops_around(context);
        around.into_iter().find(|at| entry.contexts.contains(at))
    };
    let mut of_context: FxHashMap<ContextIndex, Option<ContextIndex>> = FxHashMap::default();
    let mut list = Vec::new();
    for access in profile.accesses.iter().filter(|access| access.executions > 0 && !access.is_of_calls()) {
        let context = profile.context_of(access.statement);
        let Some(around) = *of_context.entry(context).or_insert_with(|| loop_around(context)) else {
            continue;
        };
        let first = dimension(profile, around);
        let is_still = |dim: usize| stride(access, dim) == Some(0);
        if (first..=dimension(profile, context)).all(is_still) {
            continue;
        }
        let line = profile.location_of(access.statement).line;
        list.push(Executed { line, writes: access.write, stride: stride(access, first) });
    }
    list
}

/// Whether iterations advance a variable that is not the function's own: what the static analysis of a loop does not see as one of its
/// induction variables.
fn is_advanced(profile: &Profile, need: &Need) -> bool {
    let object = profile.objects.get(need.object as usize);
    matches!(need.way, Way::Induction(_)) && object.is_some_and(|object| object.kind != ObjectKind::Stack)
}

/// What has to become of a variable; nothing of an induction variable, which the static analysis knows itself.
fn storage(profile: &Profile, need: &Need) -> Option<Storage> {
    let change = match need.way {
        Way::Induction(_) | Way::Combine | Way::CombinePair | Way::CopyIn | Way::AtomicWrite => return None,
        Way::Private => Change::Private,
        Way::LastPrivate => Change::LastPrivate,
        Way::Copy => Change::Copy,
        Way::Expand => Change::Expand,
    };
    let name = if need.name.is_empty() { name(profile, need.object) } else { need.name.clone() };
    Some(Storage { name, change })
}

fn name(profile: &Profile, object: ObjectIndex) -> String {
    profile.objects.get(object as usize).map_or_else(String::new, |object| object.name.clone())
}

/// The reductions of all pieces of a loop, with the variables that they go through.
fn reduced(profile: &Profile, entry: &SourceLoop) -> Vec<Reduced> {
    let mut list = Vec::new();
    for reduction in entry.verdicts.iter().flat_map(|verdict| &verdict.reductions) {
        let is_member = |statement: u32| reduction.statements.binary_search(&statement).is_ok();
        let own = profile.dependences.iter().filter(|d| d.memory && is_member(d.source) && is_member(d.sink));
        let objects = own.flat_map(|d| &d.levels).flat_map(|level| &level.objects).map(|used| used.object);
        let mut objects: Vec<Option<String>> = objects.map(|object| Some(name(profile, object))).collect();
        if objects.is_empty() {
            objects.push(None);
        }
        for object in objects {
            let new = Reduced { object, is_array: reduction.array };
            if !list.contains(&new) {
                list.push(new);
            }
        }
    }
    list
}
