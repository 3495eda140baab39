//! Directives put to the test: what is tried of a report, and what a trial found in words.

use std::fmt::Write;

use schedule::facts::Facts;
use trial::{
    Agreement, Candidate, Comparison, Difference, Fate, Held, NotApplied, Outcome, Reason, Speedup, Spread,
    Tried,
};

use crate::finding::Report;
use crate::text::paragraph;
use crate::worth::{Choice, Withheld};

/// What is pasted where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// What the report prints.
    Printed,
    /// The outermost loops that can be parallel, whether or not that pays.
    Outermost,
    /// The innermost ones.
    Innermost,
}

/// The directives of some loops, or of all, one per line of the source.
pub fn candidates(report: &Report<'_>, loops: Option<&[usize]>, which: Which) -> Vec<Candidate> {
    let mut out: Vec<Candidate> = Vec::new();
    let alone = |at: usize| crate::directive::alone(report, at);
    for at in (0..report.loops.len()).filter(|at| loops.is_none_or(|loops| loops.contains(at))) {
        let own = &report.loops[at];
        let text = match which {
            Which::Printed => crate::directive::pasted(report, at),
            Which::Outermost => alone(at).filter(|_| {
                let mut around = std::iter::successors(own.parent, |&outer| report.loops[outer].parent);
                !around.any(|outer| alone(outer).is_some())
            }),
            Which::Innermost => alone(at).filter(|_| {
                !report
                    .loops
                    .iter()
                    .enumerate()
                    .any(|(inner, l)| l.parent == Some(at) && alone(inner).is_some())
            }),
        };
        let facts = own.contexts.first().and_then(|&context| Facts::of(report.profile, context));
        let Some((text, facts)) = text.zip(facts) else { continue };
        let form = crate::directive::form(Some(facts.language));
        let candidate = Candidate {
            loop_id: own.id.clone(),
            file: own.file.clone().into(),
            line: facts.source.at.line,
            column: facts.source.at.column,
            last_line: facts.source.end.line,
            text: text.to_owned(),
            form,
        };
        let is_there = |other: &Candidate| (&other.file, other.line) == (&candidate.file, candidate.line);
        if !out.iter().any(is_there) {
            out.push(candidate);
        }
    }
    out
}

/// Puts what a trial found into a report: directives that did not hold are not printed.
pub fn apply(report: &mut Report<'_>, outcome: Outcome) {
    report.tried = Some(outcome);
    for at in 0..report.loops.len() {
        let Some(Tried { fate: Fate::Dropped(reason), .. }) = of(report, at) else { continue };
        // Those may hold another time.
        if matches!(reason, Reason::NotApplied(_) | Reason::NoOpenMp) {
            continue;
        }
        let why = Withheld::Tried(reason.clone());
        if let Some(Choice::Paste { alone, .. }) = report.directives[at].clone() {
            report.directives[at] = Some(Choice::Withheld { alone, why });
        }
    }
}

/// What became of the directive of a loop, if it was tried.
pub fn of<'a>(report: &'a Report<'_>, at: usize) -> Option<&'a Tried> {
    let own = report.loops.get(at)?;
    let line = own
        .contexts
        .first()
        .and_then(|&context| Facts::source(report.profile, context))
        .map(|text| text.at.line);
    let tried = report.tried.as_ref()?;
    tried.directives.iter().find(|tried| tried.file == own.file && Some(tried.line) == line)
}

/// What a loop's directive gains, in words.
pub fn measured(report: &Report<'_>, at: usize) -> Option<String> {
    let tried = of(report, at).filter(|tried| tried.fate == Fate::Kept)?;
    let held = tried.measured.as_ref()?;
    let best = held.best()?;
    let with = if tried.alone { "" } else { ", with the other directives" };
    Some(format!("measured {}, {}{with}", times(&best), agreement(held.agreement)))
}

fn times(speedup: &Speedup) -> String {
    let threads = if speedup.threads == 1 { "thread" } else { "threads" };
    format!("{:.1}x with {} {threads}", speedup.times.median, speedup.threads)
}

fn agreement(own: Agreement) -> String {
    format!("same output {} of {}", own.same, own.runs)
}

/// Why a directive did not hold, as the end of a sentence.
pub fn reason(reason: &Reason) -> String {
    match reason {
        Reason::NotApplied(why) => not_applied(*why).to_owned(),
        Reason::DoesNotBuild(said) => format!("the program does not build with it: {said}"),
        Reason::NoOpenMp => "the program was built without OpenMP".to_owned(),
        Reason::Differs(found) => format!("the output differs{}", difference(found)),
        Reason::Status(status) => format!("the program ended with status {status}"),
        Reason::TimedOut(seconds) => format!("the program did not end within {seconds} seconds"),
        Reason::Slower => "the program takes longer".to_owned(),
        Reason::Race(lines) => format!("ThreadSanitizer saw a race: {}", lines.join(", ")),
        Reason::Together => "it does not hold together with the others".to_owned(),
    }
}

fn not_applied(why: NotApplied) -> &'static str {
    match why {
        NotApplied::Outside => "its file is not in the directory: give the right one with --directory",
        NotApplied::Missing => "its file is not there",
        NotApplied::Changed => {
            "its file was changed after the profile was written: profile the program again"
        }
        NotApplied::NoLoop => "no loop begins on its line",
        NotApplied::Occupied => "its line belongs to a macro, or has a directive already",
    }
}

fn difference(found: &Difference) -> String {
    match found.line {
        0 => " as the command of --compare says".to_owned(),
        line => {
            let lines = format!(" in line {line}: `{}` became `{}`", found.expected, found.found);
            let hint = if found.close { " (numbers that differ this little: --tolerance 1e-6)" } else { "" };
            lines + hint
        }
    }
}

/// What `loopwright try` prints.
pub fn text(outcome: &Outcome) -> String {
    let mut out = String::new();
    let original = &outcome.original;
    let kept = outcome.directives.iter().filter(|tried| tried.fate == Fate::Kept).count();
    let head = format!(
        "{}: {} of {} directives hold; the original takes {} s{}",
        outcome.run,
        kept,
        outcome.directives.len(),
        spread(original.seconds, 3),
        match original.status {
            0 => String::new(),
            status => format!(" and ends with status {status}"),
        }
    );
    paragraph(&mut out, "", &head);
    if let Some(found) = &original.differs {
        let how = match &outcome.comparison {
            Comparison::Exact => String::new(),
            Comparison::Tolerance(tolerance) => {
                format!("; numbers may differ by {tolerance:e} of their size")
            }
            Comparison::Command(line) => format!("; `{line}` decides what counts"),
        };
        let words = format!(
            "two runs of the original print different things (line {}: `{}` and `{}`){how}",
            found.line, found.expected, found.found
        );
        paragraph(&mut out, "  ", &words);
    }
    for tried in &outcome.directives {
        let (sign, fate) = match &tried.fate {
            Fate::Kept => ("kept", None),
            Fate::Dropped(reason) => ("dropped", Some(reason)),
        };
        // Writing to a string does not fail.
        let _ = writeln!(out, "\n{sign:>7}  {}", tried.loop_id);
        let pad = "         ";
        paragraph(&mut out, pad, &tried.directive);
        if let Some(why) = fate {
            why_dropped(&mut out, pad, why);
        }
        if let Some(held) = &tried.measured {
            let with = if tried.alone { "alone: " } else { "with the others: " };
            paragraph(&mut out, pad, &format!("{with}{}", measurements(held)));
        }
    }
    if let Some(held) = &outcome.together {
        out.push('\n');
        let what =
            if kept == 1 { "what holds".to_owned() } else { format!("the {kept} that hold, together") };
        paragraph(&mut out, "", &format!("{what}: {}", measurements(held)));
    }
    if let Some(races) = &outcome.races {
        let archer = if races.archer { " and Archer" } else { "" };
        let words = match &races.failed {
            Some(said) => format!("ThreadSanitizer ({}) could not be used: {said}", races.compiler),
            None if races.elsewhere.is_empty() => {
                format!("ThreadSanitizer ({}{archer}) saw no race in what holds", races.compiler)
            }
            None => format!(
                "ThreadSanitizer ({}{archer}) saw races in lines of no directive: {}",
                races.compiler,
                races.elsewhere.join(", ")
            ),
        };
        paragraph(&mut out, "", &words);
    }
    out
}

/// Why a directive was dropped; what a compiler said has lines of its own.
fn why_dropped(out: &mut String, pad: &str, why: &Reason) {
    match why {
        Reason::DoesNotBuild(said) => {
            paragraph(out, pad, "the program does not build with it:");
            said.lines().for_each(|line| paragraph(out, &format!("{pad}  "), line));
        }
        Reason::NoOpenMp => paragraph(
            out,
            pad,
            "the program was built without OpenMP: it was switched on for compilers found by name in PATH; a build that names \
             its compiler otherwise has to take $LOOPWRIGHT_OPENMP, as in --build 'make CFLAGS=\"-O2 $LOOPWRIGHT_OPENMP\"'",
        ),
        other => paragraph(out, pad, &reason(other)),
    }
}

fn measurements(held: &Held) -> String {
    let each: Vec<String> = held
        .speedups
        .iter()
        .map(|own| format!("{} ({:.2} to {:.2})", times(own), own.times.least, own.times.greatest))
        .collect();
    format!("{}; {}", agreement(held.agreement), each.join(", "))
}

fn spread(own: Spread, digits: usize) -> String {
    format!("{:.digits$} ({:.digits$} to {:.digits$})", own.median, own.least, own.greatest)
}
