//! Races of a parallel region that no loop of it shows: between two loops without a barrier, or what one member alone does.
//!
//! Definition: two members of a team came to one place, one of them wrote, no barrier stands between, and the text of the two lines has no
//! guard in common (module `guards`). The run has shown it; another run may not.
//!
//! Limits: what the run's members happened not to do is not seen; regions with tasks are not looked at; without the source nothing is said,
//! since guards are not known.

use std::collections::{BTreeMap, BTreeSet};

use profile::{Dependence, Kind, ObjectKind, Profile};

use super::guards::{Guarded, Guards};
use super::text_of;
use crate::html::Sources;

/// A pair of lines to which members of a team come at a time.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Between {
    /// The file of both.
    pub file: String,
    /// The lines, in order.
    pub lines: (u32, u32),
    /// The functions in which they are.
    pub functions: (String, String),
    /// What lies there.
    pub name: String,
    /// Both write.
    pub is_written_twice: bool,
}

/// Whether a dependence is one that no loop carries.
fn is_open(d: &&Dependence) -> bool {
    d.between_members && d.memory && d.levels.iter().all(|level| level.level == d.common)
}

/// Files in which such dependences have their ends.
pub fn files(profile: &Profile) -> BTreeSet<String> {
    let ends = profile.dependences.iter().filter(is_open).flat_map(|d| [d.source, d.sink]);
    ends.map(|end| profile.location_of(end).file.clone()).filter(|file| !file.is_empty()).collect()
}

/// All of a profile.
pub fn races(profile: &Profile, sources: &Sources) -> Vec<Between> {
    let mut guards: BTreeMap<&str, (Guards, BTreeSet<u32>)> = BTreeMap::new();
    let mut found: BTreeSet<Between> = BTreeSet::new();
    for d in profile.dependences.iter().filter(is_open) {
        let [a, b] = [d.source, d.sink].map(|end| profile.location_of(end));
        let Some(text) = text_of(sources, &a.file).filter(|_| a.file == b.file && a.line > 0 && b.line > 0)
        else {
            continue;
        };
        let (guards, directives) = guards.entry(&a.file).or_insert_with(|| of_text(&a.file, text));
        // What compilers put on a directive's line combines what its clauses say.
        if [a, b].iter().any(|place| directives.contains(&place.line)) {
            continue;
        }
        if guards.exclude(&[a.line, b.line], &Guarded::Place(&|_| true)) {
            continue;
        }
        let (first, second) = if (a.line, &a.function) <= (b.line, &b.function) { (a, b) } else { (b, a) };
        let lines =
            [first, second].map(|place| text.lines().nth(place.line as usize - 1).unwrap_or_default());
        let used = d.levels.iter().flat_map(|level| &level.objects);
        let mut objects = used.filter_map(|used| profile.objects.get(used.object as usize)).peekable();
        let name = match objects.peek() {
            Some(object) if object.is_volatile || object.thread_local || object.library => None,
            Some(object) if matches!(object.kind, ObjectKind::Global | ObjectKind::Heap) => {
                Some(object.name.clone())
            }
            // What a team shares of a function's variables compilers put together, without their names.
            _ => common_name(lines).map(str::to_owned),
        };
        if let Some(name) = name {
            found.insert(Between {
                file: a.file.clone(),
                lines: (first.line, second.line),
                functions: (first.function.clone(), second.function.clone()),
                name,
                is_written_twice: d.kind == Kind::Output,
            });
        }
    }
    // A pair that both write and one reads is one finding.
    let all: Vec<Between> = found.into_iter().collect();
    let is_second = |own: &Between| {
        let other = Between { is_written_twice: false, ..own.clone() };
        own.is_written_twice && all.contains(&other)
    };
    all.iter().filter(|own| !is_second(own)).cloned().collect()
}

/// The variable that two lines are about: the first name in what one of them assigns that stands in both, and is no function's.
fn common_name([a, b]: [&str; 2]) -> Option<&str> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let words = |line: &'_ str| -> Vec<(usize, usize)> {
        let mut out = Vec::new();
        let mut from = None;
        for (at, c) in line.char_indices().chain([(line.len(), ' ')]) {
            match (from, is_word(c)) {
                (None, true) => from = Some(at),
                (Some(start), false) => {
                    let is_name = line[start..].starts_with(|c: char| c.is_alphabetic() || c == '_');
                    if is_name && !line[at..].trim_start().starts_with('(') {
                        out.push((start, at));
                    }
                    from = None;
                }
                _ => {}
            }
        }
        out
    };
    let of = |line: &'_ str| -> Vec<String> {
        words(line).iter().map(|&(from, to)| line[from..to].to_owned()).collect()
    };
    let other = of(b);
    let shared: Vec<(usize, usize)> =
        words(a).into_iter().filter(|&(from, to)| other.iter().any(|own| *own == a[from..to])).collect();
    // What an operator changes, not what it takes.
    let is_changed = |line: &str, name: &str| {
        words(line).iter().any(|&(from, to)| {
            let after = line[to..].trim_start();
            let operator = after.trim_start_matches(['+', '-', '*', '/', '&', '|', '^', '<', '>', '%']);
            let is_set = operator.starts_with('=') && !operator.starts_with("==")
                || after.starts_with("++")
                || after.starts_with("--");
            &line[from..to] == name
                && (is_set
                    || line[..from].trim_end().ends_with("++")
                    || line[..from].trim_end().ends_with("--"))
        })
    };
    let names = || shared.iter().map(|&(from, to)| &a[from..to]);
    names().find(|name| is_changed(a, name) || is_changed(b, name))
}

/// The guards of a text, and the lines of its directives.
fn of_text(file: &str, text: &str) -> (Guards, BTreeSet<u32>) {
    let extension = file.rsplit_once('.').map_or("", |(_, extension)| extension);
    let is_fortran = extension.starts_with(['f', 'F']);
    let mut directives = BTreeSet::new();
    let mut goes_on = false;
    for (number, line) in (1..).zip(text.lines()) {
        let start = line.trim_start().to_ascii_lowercase();
        let begins = start.starts_with("!$omp")
            || start.starts_with("c$omp")
            || start.strip_prefix('#').is_some_and(|rest| rest.trim_start().starts_with("pragma"));
        if begins || goes_on {
            directives.insert(number);
        }
        goes_on = (begins || goes_on) && line.trim_end().ends_with('\\');
    }
    (Guards::of(text, is_fortran), directives)
}

/// One in words.
pub fn words(own: &Between) -> String {
    let file = own.file.rsplit('/').next().unwrap_or(&own.file);
    let (first, second) = own.lines;
    let at = if first == second { format!("line {first}") } else { format!("lines {first} and {second}") };
    let (a, b) = &own.functions;
    let function = if a == b { a.clone() } else { format!("{a} and {b}") };
    let what = if own.is_written_twice { "write" } else { "write and read" };
    format!(
        "race: threads of one region {what} `{}` in {function} ({file}, {at}) with no barrier or guard between them",
        own.name
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_about_what_one_of_them_changes() {
        assert_eq!(common_name(["me = omp_get_thread_num();", "me = omp_get_thread_num();"]), Some("me"));
        assert_eq!(common_name(["  init = 10;", "  sum += init;"]), Some("init"));
        assert_eq!(common_name(["  b[me] = me;", "  me = f();"]), Some("me"));
        assert_eq!(common_name(["  s += own;", "  s += own;"]), Some("s"));
        assert_eq!(common_name(["  print(s);", "  t = u;"]), None);
        assert_eq!(common_name(["  if (k == 2) f(k);", "  ++k;"]), Some("k"));
    }

    #[test]
    fn lines_of_directives_are_known() {
        let (_, found) =
            of_text("a.c", "int s;\n#pragma omp parallel for \\\n  reduction(+:s)\nfor (;;)\n s++;\n");
        assert_eq!(found.into_iter().collect::<Vec<_>>(), [2, 3]);
        let (_, found) = of_text("a.f90", "s = 0\n!$OMP parallel do\ndo i = 1, n\n");
        assert_eq!(found.into_iter().collect::<Vec<_>>(), [2]);
    }
}
