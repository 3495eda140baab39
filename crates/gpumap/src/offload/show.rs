//! Candidates and their parameters as text for people.

use std::cell::Cell;
use std::fmt::Write as _;
use std::path::Path;

use super::analysed::{Analysed, with_candidates};
use super::{Candidate, Direction, Friendly, Kept, Kind, Needs, Parameter, Parameters, Reason, candidates};
use crate::access::show::show_bytes;
use crate::access::{Accesses, Known, Reach};
use crate::calls::Cone;
use crate::coalescing::Coalescing;
use crate::coalescing::show::show_coalescing;
use crate::control::{Control, LoopId};
use crate::cost::Estimate;
use crate::cost::show::show_estimate;
use crate::device::{Block, Device};
use crate::divergence::branches;
use crate::divergence::show::show_branches;
use crate::emit::{Dialect, Kernel, Refusal, Request, directive, kernel};
use crate::frontend::Texts;
use crate::instantiate;
use crate::ir::Module;
use crate::memory::effects::Summaries;
use crate::recurrence::Given;
use crate::shared::show::show_opportunities;
use crate::shared::{Scheme, opportunities};
use crate::verify::{Change, Check, Inputs, NotRun, Unmade, Verdict, check};

use super::Observed;
use super::observed::{Part, Reduced};

/// What is asked of a function.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// What a run showed.
    pub observed: Option<&'a Observed>,
    /// Only loops that begin on this line.
    pub line: Option<u32>,
    /// Values of inputs.
    pub given: &'a Given,
    /// Threads of a block.
    pub block: Block,
    /// The device.
    pub device: &'a Device,
    /// Which accesses are kept in shared memory together.
    pub scheme: Scheme,
}

/// The candidates that are asked for, what their kernels need, move and cost; `None` if there are none.
pub fn show_candidates(module: &Module, cone: &Cone, asked: Asked<'_>) -> Option<String> {
    with_candidates(module, cone, asked, |analysed, candidates| {
        if candidates.is_empty() {
            return None;
        }
        let mut out = format!("function {}\n", module.shown_name(cone.function.symbol));
        for line in instantiate::show::lines(&analysed.instance) {
            let _ = writeln!(out, "  {line}");
        }
        let needs = analysed.needs(candidates);
        for (candidate, needs) in candidates.iter().zip(needs) {
            show_candidate(&mut out, module, analysed.control, candidate);
            if candidate.is_inside {
                continue;
            }
            if let Some(needs) = needs {
                show_kernel(&mut out, analysed, (candidate, &needs), candidates, asked);
            }
        }
        for name in analysed.accesses.unknown_names(asked.given) {
            let _ = writeln!(out, "  nothing is called {name} that sections may depend on");
        }
        Some(out)
    })
}

/// What a kernel needs, moves and costs; `all` are the candidates of the function.
fn show_kernel(
    out: &mut String,
    analysed: &mut Analysed<'_>,
    (candidate, needs): (&Candidate, &Needs),
    all: &[Candidate],
    asked: Asked<'_>,
) {
    let Asked { block, device, scheme, .. } = asked;
    show_parameters(out, analysed, &needs.parameters, needs.symbolic.as_ref());
    for kept in &needs.kept {
        show_kept(out, analysed, kept, all);
    }
    let accesses = &mut analysed.accesses;
    let Some(found) = Coalescing::new(accesses, &candidate.loops, block, device) else { return };
    indented(out, &show_coalescing(accesses, &found, block, device));
    indented(out, &show_branches(&branches(accesses.assumed_mut(), &found, block), block));
    let list = opportunities(accesses, &found, block, device, scheme);
    indented(out, &show_opportunities(accesses, &list, block, device));
    if let Some(estimate) = Estimate::new(accesses, &found, &needs.parameters, block, device) {
        indented(out, &show_estimate(accesses, &estimate, device));
    }
}

/// What an earlier kernel leaves on the device.
fn show_kept(out: &mut String, analysed: &mut Analysed<'_>, kept: &Kept, all: &[Candidate]) {
    let line = |id: LoopId| {
        line_of(analysed.module, analysed.control, id).map_or("?".into(), |line| line.to_string())
    };
    let by =
        all.get(kept.by).and_then(|candidate| candidate.loops.first()).map_or("?".into(), |&id| line(id));
    let before = kept
        .before
        .map_or(String::new(), |id| format!(", in the iteration before of the loop of line {}", line(id)));
    let accesses = &mut analysed.accesses;
    let part = if kept.is_part { " (the rest has to come in)" } else { "" };
    let inwards = kept.inwards.as_ref().map(|bytes| format!("{} bytes fewer in{part}", bytes.show(accesses)));
    let outwards =
        kept.outwards.as_ref().map(|bytes| format!("{} bytes fewer back there", bytes.show(accesses)));
    let saved: Vec<String> = inwards.into_iter().chain(outwards).collect();
    let _ =
        writeln!(out, "    on the device: {}, left by line {by}{before}: {}", kept.name, saved.join(", "));
}

fn indented(out: &mut String, text: &str) {
    for line in text.lines() {
        // Writing to a string cannot fail, here and below.
        let _ = writeln!(out, "    {line}");
    }
}

/// A directive, or why there is none.
#[derive(Debug)]
pub struct Directed {
    /// The line that it stands before.
    pub line: Option<u32>,
    /// The directive.
    pub text: Result<String, Refusal>,
    /// What running it showed, if it was to be run.
    pub verdict: Option<Verdict>,
    /// What it rests on, which nothing checks when it runs.
    pub premises: Vec<String>,
    /// Names that were given values and that nothing has.
    unknown: Vec<String>,
}

/// A directive for every candidate that is asked for.
pub fn directives(
    module: &Module,
    cone: &Cone,
    asked: Asked<'_>,
    (dialect, texts): (Dialect, &Texts),
    trial: Option<Trial<'_>>,
) -> Vec<Directed> {
    each_candidate(module, cone, asked, |control, accesses, candidate| {
        let parameters = Parameters::new(module, control, accesses, &candidate.loops);
        let line = candidate.loops.first().and_then(|&id| line_of(module, control, id));
        let text = directive(control, accesses, candidate, &parameters, (dialect, texts));
        let tried = trial.zip(text.as_ref().ok());
        let verdict =
            tried.map(|(trial, text)| trial.of_directive(module, accesses, line.unwrap_or(0), text));
        let premises = premises(candidate, &parameters);
        let unknown = accesses.unknown_names(asked.given).into_iter().map(str::to_owned).collect();
        Directed { line, text, verdict, premises, unknown }
    })
}

/// Directives for the candidates that are asked for, each behind the line that it stands before; `None` if there are no candidates.
pub fn show_directives(
    module: &Module,
    cone: &Cone,
    asked: Asked<'_>,
    emitted: (Dialect, &Texts),
    trial: Option<Trial<'_>>,
) -> Option<String> {
    let list = directives(module, cone, asked, emitted, trial);
    let last = list.last()?;
    let mut out = format!("function {}\n", module.shown_name(cone.function.symbol));
    for directed in &list {
        show_directive(&mut out, directed);
    }
    for name in &last.unknown {
        let _ = writeln!(out, "  nothing is called {name} that sections may depend on");
    }
    Some(out)
}

fn show_directive(out: &mut String, of: &Directed) {
    let start = of.line.map_or("?".into(), |line| line.to_string());
    let text = match &of.text {
        Ok(text) => text,
        Err(refusal) => {
            let _ = writeln!(out, "  line {start}: none, as {refusal}");
            return;
        }
    };
    let ran = match &of.verdict {
        None => String::new(),
        Some(Verdict::Same(inputs)) => format!("  it ran as the loop does on {inputs} inputs\n"),
        Some(Verdict::Other(fault)) => {
            let _ = writeln!(out, "  line {start}: none, as {fault}");
            return;
        }
        Some(Verdict::NotRun(why)) => {
            let _ = writeln!(out, "  line {start}: none that was run, as {why}");
            return;
        }
    };
    let _ = write!(out, "  before line {start}:\n{text}\n{ran}");
    for premise in &of.premises {
        let _ = writeln!(out, "  it rests on this: {premise}");
    }
}

/// How what is emitted is run before it is shown.
#[derive(Debug, Clone, Copy)]
pub struct Trial<'a> {
    /// The compiler.
    pub clang: &'a Path,
    /// The source.
    pub file: &'a Path,
    /// Options for the compiler.
    pub options: &'a [String],
    /// Whether something failed.
    pub has_failed: &'a Cell<bool>,
}

impl Trial<'_> {
    /// What running a directive before a line shows.
    fn of_directive(self, module: &Module, accesses: &mut Accesses<'_>, line: u32, text: &str) -> Verdict {
        let change = Change::Directive { line, text: text.to_owned() };
        self.of(Inputs::new(module, accesses), &change, text.contains("reduction("))
    }

    /// What running a change shows.
    pub fn of(self, inputs: Result<Inputs, Unmade>, change: &Change, is_inexact: bool) -> Verdict {
        let Trial { clang, file, options, has_failed } = self;
        let inputs = match inputs {
            Ok(inputs) => inputs,
            Err(why) => return Verdict::NotRun(NotRun::Inputs(why)),
        };
        let verdict = check(Check { clang, file, options, inputs: &inputs, change, is_inexact });
        has_failed.set(has_failed.get() || matches!(verdict, Verdict::Other(_)));
        verdict
    }
}

/// What a directive rests on, which nothing checks when it runs.
fn premises(candidate: &Candidate, parameters: &Parameters) -> Vec<String> {
    let overlaps = parameters.overlaps.iter().map(|(a, b)| format!("{a} and {b} do not overlap"));
    let arrays = parameters.list.iter().filter(|parameter| parameter.reach == Reach::Guarded);
    let whole = arrays.map(|parameter| format!("{} has all bytes of its section", parameter.name));
    let of_sections = parameters.list.iter().flat_map(|parameter| parameter.known.assumptions());
    let assumed = candidate.assumed.iter().chain(of_sections).map(ToString::to_string);
    let mut list: Vec<String> = Vec::new();
    for premise in overlaps.chain(whole).chain(assumed) {
        if !list.contains(&premise) {
            list.push(premise);
        }
    }
    list
}

/// A kernel, or why there is none.
#[derive(Debug)]
pub struct Emitted {
    /// The line on which its loops begin.
    pub line: Option<u32>,
    /// The kernel.
    pub kernel: Result<Kernel, Refusal>,
    /// What its function can be called with.
    pub inputs: Result<Inputs, Unmade>,
}

/// A kernel for every candidate that is asked for.
pub fn kernels(module: &Module, cone: &Cone, asked: Asked<'_>, request: Request<'_>) -> Vec<Emitted> {
    each_candidate(module, cone, asked, |control, accesses, candidate| Emitted {
        line: candidate.loops.first().and_then(|&id| line_of(module, control, id)),
        kernel: kernel(module, control, accesses, candidate, request),
        inputs: Inputs::new(module, accesses),
    })
}

/// What is made of every candidate that is asked for, outermost loops first.
pub fn each_candidate<T>(
    module: &Module,
    cone: &Cone,
    asked: Asked<'_>,
    mut each: impl FnMut(&Control, &mut Accesses<'_>, &Candidate) -> T,
) -> Vec<T> {
    let control = Control::new(&cone.function);
    let mut summaries = Summaries::default();
    let mut accesses = Accesses::with_values(module, &cone.function, &control, &mut summaries, asked.given);
    let found = candidates(module, cone, &control, &mut accesses, asked.observed);
    let is_asked = |candidate: &&Candidate| {
        let start = candidate.loops.first().and_then(|&id| line_of(module, &control, id));
        asked.line.map_or(!candidate.is_inside, |line| start == Some(line))
    };
    found.iter().filter(is_asked).map(|candidate| each(&control, &mut accesses, candidate)).collect()
}

/// The line of the source that a loop begins on.
pub(super) fn line_of(module: &Module, control: &Control, id: LoopId) -> Option<u32> {
    control.loops.get(id).places(module).map(|(start, _)| start.line)
}

/// A candidate with the reasons against it. Writing to a string cannot fail, here and below.
fn show_candidate(out: &mut String, module: &Module, control: &Control, candidate: &Candidate) {
    let starts = candidate.loops.iter().filter_map(|&id| line_of(module, control, id));
    let lines: Vec<String> = starts.map(|line| format!("line {line}")).collect();
    let shape = match (candidate.is_inside, candidate.loops.len() > 1) {
        (true, true) => "inside: nest",
        (true, false) => "inside: loop",
        (false, true) => "nest",
        (false, false) => "loop",
    };
    let verdict = match candidate.friendly {
        Friendly::Yes => "can run on a device",
        Friendly::Unknown => "may run on a device",
        Friendly::No => "cannot run on a device",
    };
    let lines = match lines.as_slice() {
        [outer @ .., last] if !outer.is_empty() => format!("{} and {last}", outer.join(", ")),
        _ => lines.concat(),
    };
    let proved = if candidate.friendly == Friendly::Yes && candidate.proved.len() == candidate.loops.len() {
        ": the source shows that iterations do not depend on each other, if arrays do not overlap"
    } else {
        ""
    };
    let _ = writeln!(out, "  {shape} {lines}: {verdict}{proved}");
    for assumed in &candidate.assumed {
        let _ = writeln!(out, "    that rests on this: {assumed}");
    }
    for Reason { why, line } in &candidate.reasons {
        let line = line.map_or(String::new(), |line| format!("line {line}: "));
        let _ = writeln!(out, "    {line}{why}");
    }
    if !candidate.parts.is_empty() {
        let parts: Vec<String> = candidate.parts.iter().map(show_part).collect();
        let parts = parts.join("; ");
        let _ = writeln!(
            out,
            "    split into loops in this order: {parts} (what variables pass on is computed again)"
        );
    }
    let mut note = |text: &str, names: Vec<String>| {
        if !names.is_empty() {
            let _ = writeln!(out, "    {text}: {}", names.join(", "));
        }
    };
    note("needs a version for the device", candidate.functions.clone());
    let repeated = candidate.repeated.iter().map(ToString::to_string);
    note("each thread computes again, lines", repeated.collect());
    for storage in &candidate.storage {
        let _ = writeln!(out, "    {} is shared: it needs {}", storage.name, storage.change);
    }
    for Reduced { object, is_array } in &candidate.reduced {
        let object = object.as_ref().map_or(String::new(), |name| format!(" into {name}"));
        let array =
            if *is_array { ", whose elements several threads add to: by atomic operations" } else { "" };
        let _ = writeln!(out, "    needs a reduction{object}{array}");
    }
}

fn show_part(part: &Part) -> String {
    let lines: Vec<String> = part.lines.iter().map(ToString::to_string).collect();
    let lines = match lines.as_slice() {
        [line] => format!("line {line}"),
        _ => format!("lines {}", lines.join(", ")),
    };
    format!("{lines} {} run on a device", if part.is_independent { "can" } else { "cannot" })
}

/// The bytes of a parameter: in terms of inputs, and with their values where that is something else.
fn bytes(analysed: &Analysed<'_>, parameter: &Parameter, symbolic: Option<&Parameters>) -> Option<String> {
    let section = parameter.section.as_ref()?;
    let own = show_bytes(analysed.accesses.atoms_of(&parameter.known), section);
    let same = |other: &&Parameter| (other.object, &other.name) == (parameter.object, &parameter.name);
    let twin = symbolic.and_then(|parameters| parameters.list.iter().find(same));
    let written = twin.zip(analysed.symbolic.as_ref()).and_then(|(twin, accesses)| {
        Some(show_bytes(accesses.atoms_of(&twin.known), twin.section.as_ref()?))
    });
    Some(match written.filter(|written| *written != own) {
        Some(written) => format!(" {written} = {own}"),
        None => format!(" {own}"),
    })
}

fn show_parameters(
    out: &mut String,
    analysed: &Analysed<'_>,
    parameters: &Parameters,
    symbolic: Option<&Parameters>,
) {
    for parameter in &parameters.list {
        let way = match parameter.direction {
            Direction::In => "in",
            Direction::Out => "out",
            Direction::InOut => "in and out",
        };
        let kind = match parameter.kind {
            Kind::Scalar => "scalar",
            Kind::Array => "array",
            Kind::Nested => "nested",
        };
        let bytes = match (bytes(analysed, parameter, symbolic), parameter.kind) {
            (Some(bytes), _) => bytes,
            (None, Kind::Scalar) => String::new(),
            (None, _) => " (bytes not known)".into(),
        };
        let known = match &parameter.known {
            Known::Proved => String::new(),
            known => format!(" ({known})"),
        };
        let each = if parameter.is_several { "each " } else { "" };
        let reach = match parameter.reach {
            Reach::Accessed => "",
            Reach::Guarded => "; conditions decide what of it is used",
            Reach::Before => "; conditions decide what of it is used, and it may begin before the array",
        };
        let _ = writeln!(out, "    {way}, {kind}: {each}{}{bytes}{known}{reach}", parameter.name);
    }
    for name in &parameters.private {
        let _ = writeln!(out, "    private: {name}");
    }
    for (a, b) in &parameters.overlaps {
        let _ = writeln!(out, "    to be checked: {a} and {b} do not overlap");
    }
    for line in &parameters.strays {
        let _ = writeln!(out, "    line {line}: it is not known which array is accessed");
    }
}
