//! What limits a profile, in words.

use profile::{ContextIndex, GivenUp, Limit, LocationIndex, Part, Profile, Reached, Untracked};

/// Most names in a list.
const NAMED: usize = 8;

/// The limits that were reached, in words; of several runs each with its command line.
pub fn reached(profile: &Profile) -> Vec<String> {
    let is_one_run = profile.further_runs.is_empty();
    let words = |reached: &Reached| {
        let words = limit(profile, &reached.limit);
        match profile.runs().nth(reached.run as usize).filter(|_| !is_one_run) {
            Some(run) => format!("{}: {words}", run.argv.join(" ")),
            None => words,
        }
    };
    profile.trust.limits.iter().map(words).collect()
}

fn limit(profile: &Profile, limit: &Limit) -> String {
    let plain = match limit {
        Limit::Instructions => "recording ended at --max-instructions",
        Limit::Duration => "recording ended at --duration",
        Limit::Interrupted => "recording was interrupted",
        Limit::Seccomp => "recording ended where the program limits its system calls (seccomp)",
        Limit::Traced => "recording ended where the program asks to be traced (ptrace)",
        Limit::Segment => "recording ended where the program sets the base of the segment gs",
        Limit::SharedMemory => {
            "recording ended where the program starts a process that shares its memory and runs beside it"
        }
        Limit::Namespace => "recording ended where the program enters another user namespace",
        Limit::Memory => "analysis ended at --memory-limit",
        Limit::Time => "analysis ended at --time-limit",
        Limit::Abandoned => "the analysis was interrupted: the end of the recording is missing",
        Limit::Counted => "accesses and dependences were not recorded (--fast)",
        Limit::Input(why) => return format!("the program's input ended early: {why}"),
        Limit::Malformed(count) => return format!("{count} malformed records"),
        Limit::Streams { count, some } => return streams(profile, *count, some),
        Limit::Loops(loops) => {
            let [number, names] = named(profile, loops);
            return format!("{number} given up at --time-limit, dependences in them are missing ({names})");
        }
        Limit::Crowded(loops) => {
            let [number, names] = named(profile, loops);
            return format!("too many reads before writes to list them all in {number} ({names})");
        }
    };
    plain.to_owned()
}

fn streams(profile: &Profile, count: u64, some: &[GivenUp]) -> String {
    let place = |&(location, pc): &(LocationIndex, u64)| position(profile, location, pc);
    let mut named: Vec<String> = some
        .iter()
        .map(|stream| match stream {
            GivenUp::Dependence { source, sink } => {
                format!("dependence {} <- {}", place(sink), place(source))
            }
            GivenUp::Domain(at) => format!("iterations from {}", place(at)),
            GivenUp::Addresses(at) => format!("addresses from {}", place(at)),
        })
        .collect();
    named.dedup();
    if count > some.len() as u64 {
        named.push(format!("{} more", count - some.len() as u64));
    }
    let streams = if count == 1 { "stream" } else { "streams" };
    format!("{count} {streams} given up at --memory-limit ({})", named.join(", "))
}

/// What was not recorded, in words; the part that was recorded first.
pub fn untracked(profile: &Profile) -> Vec<String> {
    let part = profile.trust.part.iter().map(|part| {
        format!("what runs outside of {}, which may read what is said to be private", self::part(part))
    });
    part.chain(profile.trust.untracked.iter().map(|untracked| left_out(profile, untracked))).collect()
}

/// The part of a program that was recorded, as its option names it.
fn part(part: &Part) -> String {
    match part {
        Part::Function(name) => format!("--function {name}"),
        Part::Window(begin, end) => format!("--region {begin}:{end}"),
        Part::Focus { loops, .. } => format!("the loops of --focus ({})", list(loops)),
        Part::Attached => "the time of recording (--pid, --skip)".to_owned(),
        Part::Forked => "the process after it was forked (--follow)".to_owned(),
    }
}

fn left_out(profile: &Profile, untracked: &Untracked) -> String {
    match untracked {
        Untracked::Met { what, count } => format!("{what} ({count})"),
        Untracked::BetweenThreads(count) => {
            format!("dependence between threads, kept apart from those of loops ({count})")
        }
        Untracked::Exchanged(loops) => {
            let [number, names] = named(profile, loops);
            format!(
                "{number} and what is around: what iterations pass on through other threads, with which they exchange data ({names})"
            )
        }
        Untracked::NotMet { begin, end } => not_met(begin.as_deref(), end.as_deref()),
        Untracked::MappedTwice([first, second]) => format!(
            "what loops pass on between two mappings of the same memory, at {:#x} and {:#x} ({} KiB)",
            first.0,
            second.0,
            first.1.saturating_sub(first.0) / 1024
        ),
        Untracked::Contracts(names) => {
            format!(
                "functions of libraries, which stand for what they do ({}; --record-libraries)",
                list(names)
            )
        }
        Untracked::Runtimes(names) => {
            format!("what the runtime of OpenMP does itself ({}; --record-libraries)", list(names))
        }
        Untracked::StartUp => "what loads it and starts its libraries (--record-startup)".to_owned(),
        Untracked::Passes(first, second) => {
            format!("the passes ended differently (status {first}, then {second})")
        }
    }
}

/// The first names of a list, and how many more there are.
fn list(names: &[String]) -> String {
    let shown = names.get(..names.len().min(NAMED)).unwrap_or_default().join(", ");
    match names.len().saturating_sub(NAMED) {
        0 => shown,
        more => format!("{shown}, {more} more"),
    }
}

/// That functions which should have begun and ended the recording were not met.
pub fn not_met(begin: Option<&str>, end: Option<&str>) -> String {
    match (begin, end) {
        (Some(begin), Some(end)) => format!("no function {begin} and none {end} was met"),
        (Some(begin), None) => format!("no function {begin} was met"),
        (None, Some(end)) => {
            format!("no function {end} was met: what is recorded reaches to the end of the run")
        }
        (None, None) => "all functions were met".to_owned(),
    }
}

/// File and line of an instruction, or its function and address.
fn position(profile: &Profile, location: LocationIndex, pc: u64) -> String {
    let location = profile.location(location);
    match location.file.rsplit('/').next().filter(|_| location.line > 0) {
        Some(file) => format!("{file}:{}", location.line),
        None => format!("{} ({pc:#x})", location.function),
    }
}

/// How many places loops stand at, and which, in words.
fn named(profile: &Profile, loops: &[ContextIndex]) -> [String; 2] {
    let mut named: Vec<String> = Vec::new();
    for context in loops.iter().filter_map(|&index| profile.contexts.get(index as usize)) {
        let name = position(profile, context.location, context.at);
        if !named.contains(&name) {
            named.push(name);
        }
    }
    let all = named.len();
    if all > NAMED {
        named.truncate(NAMED);
        named.push(format!("{} more", all - NAMED));
    }
    [format!("{all} {}", if all == 1 { "loop" } else { "loops" }), named.join(", ")]
}
