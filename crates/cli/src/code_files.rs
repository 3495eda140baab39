//! `loopwright report --schedule --code DIR`: transformed sources.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use isl::worker::Worker;
use report::Report;
use report::code::Written;
use schedule::code::{Code, Outcome, Sources, generate, replaced};
use schedule::propose::{Budget, Region};

use crate::args::ReportArgs;

/// Writes the code of some regions into a directory.
///
/// A file per nest: the original with that nest replaced; and one per source with all of them.
pub fn write(
    report: &Report,
    args: &ReportArgs,
    directory: &Path,
    regions: &[&Region],
    (worker, budget): (&Worker, Budget),
) -> Result<Written> {
    std::fs::create_dir_all(directory).with_context(|| directory.display().to_string())?;
    let beside = args.profiles.first().and_then(|path| path.parent()).unwrap_or(Path::new("."));
    let mut sources = Sources::new(beside, &args.code_option);
    let outcomes = generate(report.profile, &report.loops, regions, &mut sources, (worker, budget));
    let mut all: BTreeMap<PathBuf, Vec<&Code>> = BTreeMap::new();
    let mut files = Vec::new();
    for outcome in &outcomes {
        let Ok(code) = &outcome.code else {
            files.push(None);
            continue;
        };
        let l = &report.loops[outcome.of];
        let name = format!("{}.{}.{}.c", stem(&code.file), l.function, l.line);
        files.push(Some(file(directory, &name, &sources, &[code])?));
        let of_source = all.entry(code.file.clone()).or_default();
        if of_source.iter().all(|other| are_apart(&other.range, &code.range)) {
            of_source.push(code);
        }
    }
    let together = all
        .values()
        .filter(|codes| codes.len() > 1)
        .map(|codes| file(directory, &format!("{}.all.c", stem(&codes[0].file)), &sources, codes))
        .collect::<Result<_>>()?;
    let nests: Vec<(Outcome, Option<String>)> = outcomes.iter().cloned().zip(files).collect();
    Ok(Written { nests, together, machine: budget.machine })
}

fn stem(file: &Path) -> String {
    file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
}

fn are_apart(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.end <= b.start || b.end <= a.start
}

/// Writes a source with nests replaced; gives the file's name.
fn file(directory: &Path, name: &str, sources: &Sources, codes: &[&Code]) -> Result<String> {
    // Names of functions are the program's: none leads out of the directory.
    let name: String =
        name.chars().map(|c| if matches!(c, '/' | '\\') || c.is_control() { '_' } else { c }).collect();
    let path = directory.join(name);
    let original = codes.first().and_then(|code| sources.text(&code.file)).unwrap_or_default();
    let edits = codes.iter().map(|code| (code.range.clone(), code.text.clone())).collect();
    let body = replaced(original, &(0..original.len()), edits);
    let prelude = codes.iter().map(|code| code.prelude).find(|prelude| !prelude.is_empty()).unwrap_or("");
    profile::file::replace(&path, |file| write!(file, "{prelude}{body}"))
        .with_context(|| path.display().to_string())?;
    Ok(path.display().to_string())
}
