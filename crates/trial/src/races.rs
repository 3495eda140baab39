//! ThreadSanitizer's word on a program with directives.
//!
//! It has to know what OpenMP synchronises: with LLVM's runtime, Archer tells it (Atzeni et al., ARCHER: effectively spotting data
//! races in large OpenMP applications, IPDPS 2016). GCC's runtime is opaque to it, so the program is built with clang.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use crate::bench::Bench;
use crate::compilers::{self, With};
use crate::edit::Form;
use crate::error::Error;
use crate::outcome::Races;
use crate::process::{Ended, run, shell};
use crate::tree;

/// How many times as long as the original a program may take under it, and how many seconds more.
const TIMES: f64 = 200.0;
const MORE: f64 = 60.0;
/// Most places that are named.
const MOST: usize = 8;

/// Races of a program with some of the candidates: by candidate the lines; and those elsewhere.
pub type Found = (Vec<(usize, Vec<String>)>, Races);

/// Builds and runs the program under ThreadSanitizer.
pub(crate) fn look(bench: &mut Bench, set: &[usize]) -> Result<Found, Error> {
    let (c, cpp, archer) = compilers::sanitizing().ok_or(Error::NoSanitizer)?;
    let copy = bench.place().join("sanitized");
    if !copy.exists() {
        tree::copy(bench.tree(), &copy)?;
    }
    // gfortran's OpenMP is opaque to ThreadSanitizer, as that of gcc is.
    let fortran = set.iter().filter(|&&at| bench.candidates[at].form != Form::Pragma).count();
    bench.write("sanitized", set)?;
    tree::renew(&copy)?;
    let with = With::ThreadSanitizer { c: c.clone(), cpp };
    let path = compilers::wrap(&bench.place().join("sanitizing"), &with)?;
    let mut races = Races {
        compiler: c.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default(),
        archer: archer.is_some(),
        failed: None,
        elsewhere: Vec::new(),
    };
    let mut command = shell(&bench.plan.build, &copy);
    let flags = format!("{} -fsanitize=thread", compilers::FLAG);
    command.env("PATH", path).env(compilers::VARIABLE, flags);
    races.failed = match fortran {
        0 => bench.build(&mut command)?,
        count => Some(format!("it looks at C and C++, and {count} of the directives are in Fortran")),
    };
    if races.failed.is_some() {
        return Ok((Vec::new(), races));
    }
    let logs = bench.place().join("races");
    // There are none the first time.
    let _ = std::fs::remove_dir_all(&logs);
    std::fs::create_dir_all(&logs).map_err(Error::io(&logs))?;
    let mut options =
        format!("exitcode=0 ignore_noninstrumented_modules=1 log_path={}", logs.join("race").display());
    let symbolizer = c.canonicalize().ok().and_then(|c| c.parent().map(|at| at.join("llvm-symbolizer")));
    if let Some(symbolizer) = symbolizer.filter(|file| file.exists()) {
        options += &format!(" external_symbolizer_path={}", symbolizer.display());
    }
    let threads = bench.plan.threads.iter().copied().max().unwrap_or(2).max(2);
    let mut command = shell(&bench.plan.run, &copy);
    command.env("OMP_NUM_THREADS", threads.to_string()).env("TSAN_OPTIONS", options);
    if let Some(archer) = archer {
        command.env("OMP_TOOL_LIBRARIES", archer);
    }
    let limit = TIMES * bench.original().seconds.greatest + MORE;
    let limit = Duration::try_from_secs_f64(limit).unwrap_or(bench.plan.time_limit);
    let files = ["race.out", "race.err"].map(|name| bench.place().join(name));
    if run(&mut command, (&files[0], &files[1]), limit, bench.interrupted)? == Ended::TimedOut {
        races.failed = Some(format!("it did not end within {} seconds", limit.as_secs()));
    }
    let mut text = String::new();
    for entry in std::fs::read_dir(&logs).map_err(Error::io(&logs))?.flatten() {
        text += &String::from_utf8_lossy(&std::fs::read(entry.path()).map_err(Error::io(entry.path()))?);
    }
    let mut by_candidate: Vec<(usize, Vec<String>)> = Vec::new();
    for race in parsed(&text, &copy) {
        let of = race.iter().find_map(|(file, line)| bench.candidate_at(set, Path::new(file), *line));
        let place = race.first().map_or("?".to_owned(), |(file, line)| format!("{file}:{line}"));
        let list = match of {
            None => &mut races.elsewhere,
            Some(of) => match by_candidate.iter().position(|(own, _)| *own == of) {
                Some(at) => &mut by_candidate[at].1,
                None => {
                    by_candidate.push((of, Vec::new()));
                    let last = by_candidate.len() - 1;
                    &mut by_candidate[last].1
                }
            },
        };
        if list.len() < MOST && !list.contains(&place) {
            list.push(place);
        }
    }
    Ok((by_candidate, races))
}

/// The places in the copy that each race names, as file in the tree and line.
fn parsed(text: &str, copy: &Path) -> BTreeSet<Vec<(String, usize)>> {
    let prefix = format!("{}/", copy.display());
    let place = |line: &str| -> Option<(String, usize)> {
        let rest = &line[line.find(&prefix)? + prefix.len()..];
        let mut parts = rest.split(|c: char| c == ':' || c.is_whitespace());
        Some((parts.next()?.to_owned(), parts.next()?.parse().ok()?))
    };
    let reports = text.split("WARNING: ThreadSanitizer: data race").skip(1);
    reports
        .map(|report| report.split("==================").next().unwrap_or_default())
        .map(|report| {
            report.lines().filter(|line| line.trim_start().starts_with('#')).filter_map(place).collect()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_of_races_are_read() {
        let text = "==================\nWARNING: ThreadSanitizer: data race (pid=1)\n  Write of size 8 at 0x1 by thread T1:\n\
                    \x20   #0 main.omp_outlined /t/copy/src/a.c:7:9 (prog+0x1)\n    #1 x <null> (lib.so+0x2)\n\n\
                    \x20 Previous write:\n    #0 main /t/copy/src/a.c:8 (prog+0x1)\n==================\n";
        let found = parsed(text, Path::new("/t/copy"));
        let expected: Vec<(String, usize)> = vec![("src/a.c".into(), 7), ("src/a.c".into(), 8)];
        assert_eq!(found.into_iter().collect::<Vec<_>>(), [expected]);
    }
}
