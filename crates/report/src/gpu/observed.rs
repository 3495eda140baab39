//! What a profile says of loops, for the analyses of sources.

use gpumap::offload::observed::Loop;
use gpumap::offload::{Carried, Found, Observed};
use schedule::needs::Class;
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
    let shared = blocking.iter().filter(|_| !is_passed_on);
    let mut privatise: Vec<String> =
        shared.filter_map(|found| Some(found.object.as_ref()?.name.clone())).collect();
    let named = entry.verdicts.iter().flat_map(|verdict| &verdict.privatise);
    privatise
        .extend(named.filter_map(|&object| Some(report.profile.objects.get(object as usize)?.name.clone())));
    privatise.retain(|name| !name.is_empty());
    privatise.sort();
    privatise.dedup();
    Loop {
        file: entry.file.clone(),
        line: entry.line,
        column: Some(entry.column).filter(|column| *column > 0),
        found: match (entry.parallel, is_passed_on) {
            (Parallel::Unknown, _) => Found::Unknown,
            (Parallel::No, true) => Found::Dependent,
            _ => Found::Independent,
        },
        carried: carried.collect(),
        privatise,
        reduces: entry.verdicts.iter().any(|verdict| !verdict.reductions.is_empty()),
        trips: entry.trips,
    }
}
