//! What a profile says of loops, for the analyses of sources.

use gpumap::offload::observed::{Change, Loop, Reduced, Storage};
use gpumap::offload::{Carried, Found, Observed};
use profile::{ObjectIndex, Profile};
use schedule::needs::{Class, Need, Way};
use schedule::{Parallel, SourceLoop};

use crate::finding::{self, Report};

/// The loops of a report, by their places. Loops without a line are left out.
pub fn observed(report: &Report<'_>) -> Observed {
    let has_place = |entry: &&SourceLoop| entry.line > 0 && !entry.file.is_empty();
    Observed { loops: report.loops.iter().filter(has_place).map(|entry| seen(report, entry)).collect() }
}

fn seen(report: &Report<'_>, entry: &SourceLoop) -> Loop {
    let blocking = finding::blocking(report.profile, entry);
    // What only shares memory needs memory of its own; what passes on a value, or shares memory that nobody can have for
    // himself, has to wait.
    let is_passed_on = entry.class() == Some(Class::C);
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
        storage: entry.needs().iter().map(|need| storage(report.profile, need)).collect(),
        reduced: reduced(report.profile, entry),
        trips: entry.trips,
    }
}

fn storage(profile: &Profile, need: &Need) -> Storage {
    let change = match need.way {
        Way::Private => Change::Private,
        Way::LastPrivate => Change::LastPrivate,
        Way::Copy => Change::Copy,
        Way::Expand => Change::Expand,
    };
    Storage { name: name(profile, need.object), change }
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
