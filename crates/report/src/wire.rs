//! The JSON report, schema `loopwright.report/1`. Fields may be added, never changed.

use std::collections::BTreeMap;

use profile::Profile;
use schedule::metrics::{Survey, locality};
use schedule::nest::Innermost;
use schedule::{Parallel, SourceLoop, propose};
use serde::Serialize;

use crate::code::{self, WireCode};
use crate::directive;
use crate::existing::{Doubt, Race, Why};
use crate::finding::{self, Report};
use crate::inputs;
use crate::limits;
use crate::proposals::{self, Weighed, WireProposal};
use crate::recommend::{self, WireRecommendation};
use crate::trying;

/// Name of the schema.
pub const SCHEMA: &str = "loopwright.report/1";

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Root {
    schema: &'static str,
    program: Program,
    trust: Trust,
    /// What to change first, largest gain first.
    recommendations: Vec<WireRecommendation>,
    loops: Vec<Loop>,
    /// Loops that follow one another.
    fusions: Vec<Fusion>,
    nests: Vec<Nest>,
    /// Races of parallel regions that no loop shows.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    races: Vec<WireBetween>,
    #[serde(skip_serializing_if = "Option::is_none")]
    proposals: Option<Vec<WireProposal>>,
    code: Option<WireCode>,
}

/// Two lines to which members of a team come at a time.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct WireBetween {
    file: String,
    lines: (u32, u32),
    functions: (String, String),
    variable: String,
    /// Both write; else one reads.
    written_twice: bool,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Program {
    argv: Vec<String>,
    exit_status: Option<i32>,
    build_id: Option<String>,
    /// Of a merged profile the runs, in the order of merging; what stands above is of the first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    inputs: Vec<Input>,
}

/// One run of a merged profile.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Input {
    argv: Vec<String>,
    exit_status: Option<i32>,
}

/// A loop on one input of a merged profile.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct OnInput {
    /// Index into the inputs of the program.
    input: usize,
    parallel: &'static str,
    entries: u64,
    iterations: u64,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Trust {
    instructions: u64,
    memory_accesses: u64,
    scope: &'static str,
    main_accesses: u64,
    main_accesses_folded: u64,
    main_accesses_partly_folded: u64,
    /// Of the instructions that ran; null if it is not known how many ran.
    recorded_fraction: Option<f64>,
    /// Instructions known to have run unrecorded.
    unrecorded: u64,
    /// Instructions recorded after the analysis had ended at a limit.
    unanalysed: u64,
    /// Broken invariants that the analysis met: 0 unless Loopwright has a defect.
    lost: u64,
    /// A limit ended the recording or the analysis before the program ended.
    cut_short: bool,
    exact_fraction: f64,
    dependences: u64,
    truncated: Vec<String>,
    untracked: Vec<String>,
    missing_debug_info: Vec<String>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct WireExisting {
    directive: String,
    line: u32,
    /// It shares out the iterations of this very loop.
    parallel: bool,
    races: Vec<WireRace>,
    /// What may be races, where one thread alone had iterations.
    unknown: Vec<WireDoubt>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct WireDoubt {
    variable: String,
    lines: Vec<u32>,
    /// What it rests on: `thread` (its number) or `team` (how many threads there are, or code that a build with OpenMP alone has); `verdict` where
    /// it is not parallel by the verdict on the loop, and the text does not say whether threads share the variable.
    why: &'static str,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct WireRace {
    /// The clause that is missing (`private`, `lastprivate`, `reduction`), or `carried`, `unordered`, `unawaited`, `nowait` or
    /// `dependence`.
    kind: &'static str,
    variable: Option<String>,
    lines: Vec<u32>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct WireTried {
    kept: bool,
    /// Why it was dropped.
    why: Option<String>,
    /// The figures are of this directive alone.
    alone: bool,
    /// The number of threads with which it was fastest, and how many times as fast as the original.
    threads: Option<u32>,
    speedup: Option<f64>,
    /// Runs with the output of the original, of so many.
    same_output: Option<u32>,
    runs: Option<u32>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Loop {
    id: String,
    function: String,
    file: Option<String>,
    line: Option<u32>,
    column: Option<u32>,
    parent: Option<String>,
    depth: usize,
    context: Vec<String>,
    recursive: bool,
    main: bool,
    entries: u64,
    iterations: u64,
    trip_count: TripCount,
    instructions: u64,
    ops_fraction: f64,
    parallel: &'static str,
    /// Of a merged profile what it is on each input that reaches it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    inputs: Vec<OnInput>,
    /// `A` as it is, `B` after the changes of storage in `needs`, `C` blocked; null if dependences were not recorded.
    class: Option<&'static str>,
    needs: Vec<Need>,
    blocking: Vec<Blocking>,
    privatise: Vec<String>,
    reductions: Vec<Reduction>,
    directive: Option<String>,
    /// The same as a call of a parallel algorithm of C++17.
    algorithm: Option<String>,
    /// What would make it parallel, whether or not that pays.
    directive_alone: Option<String>,
    /// Why there is none to paste, where its iterations can run in parallel.
    directive_withheld: Option<String>,
    /// What came of trying the directive.
    tried: Option<WireTried>,
    /// The directive that it has already, or runs under.
    existing: Option<WireExisting>,
    /// It has ways out beside its own condition: how often it iterates depends on the data.
    data_dependent_trip_count: bool,
    /// Why nothing is said about it.
    reason: Option<String>,
    stride01_fraction: Option<f64>,
    /// The parts that it can be distributed into; empty if it has to stay one.
    distribution: Vec<Part>,
    simd: bool,
    /// How many neighbouring iterations of an innermost loop may run in lockstep where not all may.
    simd_lanes: Option<i64>,
    accesses: Vec<Access>,
}

/// Iterations per entry; the extremes only where they were counted.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct TripCount {
    minimum: Option<u64>,
    mean: f64,
    maximum: Option<u64>,
}

/// A part of a loop.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Part {
    lines: Vec<u32>,
    parallel: bool,
}

/// Two loops that follow one another.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Fusion {
    loops: [String; 2],
    legal: bool,
    /// Iterations by which the second has to be delayed, if legal.
    delay: Option<i64>,
    /// The one loop is parallel.
    parallel: bool,
    shares_data: bool,
    /// Why it is not legal.
    why: Option<String>,
}

/// What has to become of a variable.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Need {
    variable: String,
    /// `private`, `last-private`, `copy` or `expand`.
    way: &'static str,
    bytes: Option<u64>,
    lines: Vec<u32>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Reduction {
    operator: &'static str,
    variable: Option<String>,
    line: u32,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Place {
    file: String,
    line: u32,
    pc: u64,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Object {
    name: String,
    offset: i64,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged)]
enum Distance {
    Known(i64),
    Unknown(&'static str),
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Example {
    source_iv: Vec<i64>,
    sink_iv: Vec<i64>,
    address: u64,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Blocking {
    kind: &'static str,
    via: &'static str,
    distance: Vec<Distance>,
    source: Place,
    sink: Place,
    object: Option<Object>,
    example: Example,
    /// Two threads of a team executed the example, and nothing ordered them: vectors count the iterations of each one's own.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    between_members: bool,
    count: u64,
    /// Of a merged profile the input on which the example was seen.
    #[serde(skip_serializing_if = "Option::is_none")]
    input: Option<usize>,
}

/// One memory operand of the loop's own code: its advance in bytes per loop around it, outermost first.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Access {
    line: u32,
    op: &'static str,
    size: u32,
    strides: Vec<Distance>,
    executions: u64,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Nest {
    loops: Vec<String>,
    permutable: Vec<Vec<String>>,
    tilable_depth: usize,
    skew: Option<Vec<Vec<i64>>>,
    advice: Vec<Advice>,
    /// Some addresses or dependences in the outermost of these loops have no exact form: what is said of them rests on the
    /// smallest and largest distances seen.
    judged_by_ranges: bool,
    /// Of the whole region: the outermost of the program's own loops here, with all inside.
    metrics: Option<NestMetrics>,
}

/// As the loops are, and as proposed where `--schedule` found something.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct NestMetrics {
    aff: f64,
    par_ops: f64,
    simd_ops: f64,
    reuse: Option<f64>,
    preuse: Option<f64>,
    til_ops: f64,
    components_before: usize,
    components_after: Option<usize>,
    fusion: Option<&'static str>,
}

/// Something to do with some loops of a nest.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Advice {
    /// `parallelise`, `vectorise`, `interchange`, `tile`, `skew`.
    pub kind: &'static str,
    /// Names of the loops.
    pub loops: Vec<String>,
    /// Why, in words.
    pub why: String,
    lines: Vec<u32>,
}

/// Renders the report as JSON, ending in a newline.
pub fn json(report: &Report<'_>) -> String {
    let p = report.profile;
    let root = Root {
        schema: SCHEMA,
        program: Program {
            argv: p.program.argv.clone(),
            exit_status: p.program.exit_status,
            build_id: p.program.build_id.clone(),
            inputs: match p.further_runs.is_empty() {
                true => Vec::new(),
                false => p.runs().map(input).collect(),
            },
        },
        trust: Trust {
            instructions: p.trust.instructions,
            memory_accesses: p.trust.memory_accesses,
            scope: if p.trust.main_only { "main" } else { "all" },
            main_accesses: p.trust.main_accesses,
            main_accesses_folded: p.trust.main_accesses_folded,
            main_accesses_partly_folded: p.trust.main_accesses_partly_folded,
            recorded_fraction: p.trust.recorded_fraction(),
            unrecorded: p.trust.unrecorded,
            unanalysed: p.trust.unanalysed,
            lost: p.trust.lost,
            cut_short: p.trust.is_cut_short(),
            exact_fraction: report.exact_fraction,
            dependences: p.trust.dependences,
            truncated: limits::reached(p),
            untracked: limits::untracked(p),
            missing_debug_info: p.trust.missing_debug_information.clone(),
        },
        recommendations: recommend::wire(report),
        loops: loops(report),
        fusions: report.neighbours.iter().map(|pair| fusion(report, pair)).collect(),
        nests: nests(report),
        races: report.between.iter().map(between).collect(),
        proposals: report.proposals.as_ref().map(|all| proposals::wire(p, &report.loops, all)),
        code: report.code.as_ref().map(|written| code::wire(p, &report.loops, written)),
    };
    // Serialising plain data to a string cannot fail; if it did, an empty document would be noticed at once.
    let mut text = serde_json::to_string_pretty(&root).unwrap_or_default();
    text.push('\n');
    text
}

fn loops(report: &Report<'_>) -> Vec<Loop> {
    let p = report.profile;
    let innermost = Innermost::new(p);
    report
        .loops
        .iter()
        .enumerate()
        .map(|(at, l)| Loop {
            id: l.id.clone(),
            function: l.function.clone(),
            file: Some(l.file.clone()).filter(|f| !f.is_empty()),
            line: Some(l.line).filter(|&n| n > 0),
            column: Some(l.column).filter(|&n| n > 0),
            parent: l.parent.map(|at| report.loops[at].id.clone()),
            depth: l.depth,
            context: l.calls.clone(),
            recursive: l.recursive,
            main: l.main,
            entries: l.entries,
            iterations: l.iterations,
            trip_count: TripCount {
                minimum: l.trips.map(|t| t.0),
                mean: l.mean_trips(),
                maximum: l.trips.map(|t| t.1),
            },
            instructions: l.instructions,
            ops_fraction: l.share,
            parallel: finding::verdict_name(l.parallel),
            inputs: inputs::of_loop(p, l).into_iter().map(on_input).collect(),
            class: l.class().map(finding::class_name),
            needs: l.needs().iter().map(|own| need(p, own)).collect(),
            blocking: finding::blocking(p, l).into_iter().map(|found| blocking(p, found)).collect(),
            privatise: finding::privatise(p, l),
            reductions: finding::reductions(p, l)
                .into_iter()
                .map(|own| Reduction { operator: own.operator, variable: own.name, line: own.line })
                .collect(),
            directive: directive::pasted(report, at)
                .map(|text| directive::in_lines(report, at, text).join("\n")),
            algorithm: directive::as_algorithm(report, at).map(str::to_owned),
            directive_alone: directive::alone(report, at)
                .map(|text| directive::in_lines(report, at, text).join("\n")),
            directive_withheld: directive::instead(report, at),
            tried: trying::of(report, at).map(tried),
            existing: report.existing[at].as_ref().map(|own| WireExisting {
                directive: own.directive.clone(),
                line: own.line,
                parallel: own.is_shared_out,
                races: own.races.iter().map(race).collect(),
                unknown: own.doubts.iter().map(doubt).collect(),
            }),
            data_dependent_trip_count: directive::is_left_early(p, l),
            reason: (l.parallel == Parallel::Unknown).then(|| finding::why_unknown(p, l)),
            stride01_fraction: l.stride01,
            distribution: report.distributions[at].iter().map(part).collect(),
            simd: finding::is_vectorisable(p, l),
            simd_lanes: finding::limited_lanes(p, l),
            accesses: own_accesses(p, &innermost, l).map(|a| access(p, a)).collect(),
        })
        .collect()
}

fn between(of: &crate::existing::between::Between) -> WireBetween {
    WireBetween {
        file: of.file.clone(),
        lines: of.lines,
        functions: of.functions.clone(),
        variable: of.name.clone(),
        written_twice: of.is_written_twice,
    }
}

fn doubt(of: &Doubt) -> WireDoubt {
    let why = match of.why {
        Why::Number => "thread",
        Why::Team => "team",
        Why::Verdict => "verdict",
    };
    WireDoubt { variable: of.name.clone(), lines: of.lines.clone(), why }
}

fn race(of: &Race) -> WireRace {
    let (kind, variable, lines) = match of {
        Race::NotPrivate { name, lines, last: false } => ("private", Some(name), lines.clone()),
        Race::NotPrivate { name, lines, last: true } => ("lastprivate", Some(name), lines.clone()),
        Race::NotReduced { name, lines, .. } => ("reduction", Some(name), lines.clone()),
        Race::Carried { name, lines } => ("carried", Some(name), lines.clone()),
        Race::NotAwaited { name, lines, .. } => ("unawaited", Some(name), lines.clone()),
        Race::NotWaited { name, lines } => ("nowait", Some(name), lines.clone()),
        Race::Unordered { name, lines, .. } => ("unordered", Some(name), lines.clone()),
        Race::Dependence(found) => {
            let name = found.object.as_ref().map(|object| &object.name);
            ("dependence", name, vec![found.source.1, found.sink.1])
        }
    };
    WireRace { kind, variable: variable.cloned(), lines }
}

fn tried(of: &trial::Tried) -> WireTried {
    let held = of.measured.as_ref();
    let best = held.and_then(trial::Held::best);
    WireTried {
        kept: of.fate == trial::Fate::Kept,
        why: match &of.fate {
            trial::Fate::Kept => None,
            trial::Fate::Dropped(reason) => Some(trying::reason(reason)),
        },
        alone: of.alone,
        threads: best.map(|best| best.threads),
        speedup: best.map(|best| best.times.median),
        same_output: held.map(|held| held.agreement.same),
        runs: held.map(|held| held.agreement.runs),
    }
}

fn input(run: &profile::Program) -> Input {
    Input { argv: run.argv.clone(), exit_status: run.exit_status }
}

fn on_input(on: inputs::OnInput) -> OnInput {
    OnInput {
        input: on.input,
        parallel: finding::verdict_name(on.parallel),
        entries: on.entries,
        iterations: on.iterations,
    }
}

fn part(own: &schedule::arrange::distribution::Share) -> Part {
    Part { lines: own.lines.clone(), parallel: own.is_parallel }
}

fn fusion(report: &Report<'_>, pair: &schedule::arrange::fusion::Neighbours) -> Fusion {
    let found = pair.fusion.ok();
    Fusion {
        loops: [pair.loops.0, pair.loops.1].map(|at| report.loops[at].id.clone()),
        legal: found.is_some(),
        delay: found.map(|fusion| fusion.delay),
        parallel: found.is_some_and(|fusion| fusion.is_parallel),
        shares_data: found.is_some_and(|fusion| fusion.shares_data),
        why: pair.fusion.err().map(|why| why.to_string()),
    }
}

fn need(p: &Profile, own: &schedule::needs::Need) -> Need {
    Need {
        variable: finding::need_name(p, own).to_owned(),
        way: finding::way_name(own.way),
        bytes: own.bytes,
        lines: own.lines.clone(),
    }
}

fn blocking(p: &Profile, b: finding::BlockingFinding) -> Blocking {
    Blocking {
        kind: b.kind,
        via: b.via,
        distance: b.distance.into_iter().map(distance).collect(),
        source: Place { file: b.source.0, line: b.source.1, pc: b.pcs.0 },
        sink: Place { file: b.sink.0, line: b.sink.1, pc: b.pcs.1 },
        object: b.object.map(|o| Object { name: o.name, offset: o.offset }),
        example: Example { source_iv: b.example.0, sink_iv: b.example.1, address: b.example.2 },
        between_members: b.between_members,
        count: b.count,
        input: (!p.further_runs.is_empty()).then_some(b.run),
    }
}

fn distance(d: Option<i64>) -> Distance {
    d.map_or(Distance::Unknown("*"), Distance::Known)
}

/// The accesses of a loop's own code; not what library code accesses inside.
fn own_accesses<'a>(
    p: &'a Profile,
    innermost: &'a Innermost,
    l: &'a SourceLoop,
) -> impl Iterator<Item = u32> + 'a {
    let is_own = |&access: &u32| p.is_own(p.context_of(p.accesses[access as usize].statement));
    l.contexts.iter().flat_map(|&context| innermost.of(context)).copied().filter(is_own)
}

fn access(p: &Profile, index: u32) -> Access {
    let access = &p.accesses[index as usize];
    let dims = usize::from(p.contexts[p.context_of(access.statement) as usize].dims);
    let strides = (0..dims).map(|q| schedule::nest::stride(access, q)).map(distance).collect();
    Access {
        line: p.location_of(access.statement).line,
        op: if access.write { "store" } else { "load" },
        size: access.size,
        strides,
        executions: access.executions,
    }
}

fn nests(report: &Report<'_>) -> Vec<Nest> {
    let loops = &report.loops;
    let survey = Survey::new(report.profile, loops);
    let mut metrics: BTreeMap<usize, NestMetrics> = BTreeMap::new();
    let mut inexact: BTreeMap<usize, bool> = BTreeMap::new();
    let mut out = Vec::new();
    for (leaf, _) in loops.iter().enumerate().filter(|(_, l)| l.innermost) {
        let (chain, bands) = chain_and_bands(loops, leaf);
        let outermost = chain.iter().copied().find(|&at| loops[at].main && !loops[at].recursive);
        let known = outermost.filter(|_| !report.profile.trust.counted_only);
        let ids = |band: &Vec<usize>| band.iter().map(|&at| loops[at].id.clone()).collect();
        out.push(Nest {
            loops: ids(&chain),
            tilable_depth: bands
                .iter()
                .map(Vec::len)
                .chain(loops[leaf].skew.as_ref().map(Vec::len))
                .max()
                .unwrap_or(0),
            permutable: bands.iter().map(ids).collect(),
            skew: loops[leaf].skew.clone(),
            advice: advice(report, survey.innermost(), &chain, &bands),
            judged_by_ranges: chain.first().is_some_and(|&at| {
                *inexact.entry(at).or_insert_with(|| survey.affine(&propose::around(loops, at)) < 1.0)
            }),
            metrics: known
                .map(|at| metrics.entry(at).or_insert_with(|| nest_metrics(report, &survey, at)).clone()),
        });
    }
    out
}

/// The loops around an innermost one, itself last, and the permutable bands of two loops and more among them.
fn chain_and_bands(loops: &[SourceLoop], leaf: usize) -> (Vec<usize>, Vec<Vec<usize>>) {
    let mut chain: Vec<usize> = std::iter::successors(Some(leaf), |&at| loops[at].parent).collect();
    chain.reverse();
    let mut bands: Vec<Vec<usize>> = Vec::new();
    for &at in &chain {
        match bands.last_mut() {
            Some(band) if loops[at].permutable_with_parent => band.push(at),
            _ => bands.push(vec![at]),
        }
    }
    bands.retain(|b| b.len() > 1);
    (chain, bands)
}

/// What is advised for the nest that ends in an innermost loop.
pub(crate) fn advice_for(report: &Report<'_>, innermost: &Innermost, leaf: usize) -> Vec<Advice> {
    let (chain, bands) = chain_and_bands(&report.loops, leaf);
    advice(report, innermost, &chain, &bands)
}

/// What the verdicts on the loops of a nest advise, simplest first.
fn advice(report: &Report<'_>, innermost: &Innermost, chain: &[usize], bands: &[Vec<usize>]) -> Vec<Advice> {
    let loops = &report.loops;
    let of = |kind, which: &[usize], why| Advice {
        kind,
        loops: which.iter().map(|&at| loops[at].id.clone()).collect(),
        why,
        lines: which.iter().map(|&at| loops[at].line).collect(),
    };
    let mut out = Vec::new();
    let p = report.profile;
    // What is written into the source holds for all calls that reach it.
    let is_candidate = |at: &&usize| {
        let own = &loops[**at];
        finding::is_parallelisable(own) && !own.differs_elsewhere && !directive::is_left_early(p, own)
    };
    let pasted = chain.iter().find(|at| directive::pasted(report, **at).is_some());
    if let Some(&at) = pasted.or_else(|| chain.iter().find(is_candidate)) {
        let text = directive::pasted(report, at).map(str::to_owned);
        let why = text.or_else(|| directive::instead(report, at));
        out.push(of("parallelise", &[at], why.unwrap_or_else(|| "iterations are independent".into())));
    }
    for &at in chain {
        if let Some(needs) = finding::needs(report.profile, &loops[at]) {
            out.push(of("expand", &[at], needs));
        }
    }
    let Some(&leaf) = chain.last() else { return out };
    if let Some(lanes) = finding::limited_lanes(report.profile, &loops[leaf]) {
        let why =
            format!("up to {lanes} neighbouring iterations may run in lockstep (omp simd safelen({lanes}))");
        out.push(of("vectorise", &[leaf], why));
    }
    if finding::is_vectorisable(report.profile, &loops[leaf]) {
        let share = loops[leaf].stride01.map_or(String::new(), |share| {
            format!("; {:.0} % of its accesses have stride 0 or one element", 100.0 * share)
        });
        let why = match loops[leaf].parallel {
            Parallel::AfterPrivatisation => directive::on_lanes(p, &loops[leaf]).unwrap_or_default(),
            _ => "iterations of the innermost loop are independent".to_owned(),
        };
        out.push(of("vectorise", &[leaf], format!("{why}{share}")));
    }
    for &at in chain {
        if let Some(why) = finding::fusing(report, at)
            && let Some(pair) = report.neighbours.iter().find(|pair| pair.loops.1 == at)
        {
            out.push(of("fuse", &[pair.loops.0, at], why));
        }
        if let Some(why) = finding::distributing(report, at) {
            out.push(of("distribute", &[at], why));
        }
    }
    let inward = report.inward.iter().find(|own| chain.contains(&own.of) && own.past.contains(&leaf));
    if let Some(own) = inward {
        let which: Vec<usize> = std::iter::once(own.of).chain(own.past.iter().copied()).collect();
        out.push(of("interchange", &which, recommend::inward_words(report, own)));
    }
    let (best, share) = locality::best_innermost(report.profile, loops, innermost, leaf);
    if best != leaf && inward.is_none() {
        let share = 100.0 * share.unwrap_or(0.0);
        let why = format!(
            "with the first of them innermost {share:.0} % of the accesses have stride 0 or one element"
        );
        out.push(of("interchange", &[best, leaf], why));
    }
    for band in bands {
        out.push(of("tile", band, "no dependence goes backwards along any of these loops".into()));
    }
    if let Some(rows) = &loops[leaf].skew
        && let Some(skewed) = chain.get(chain.len().saturating_sub(rows.len())..)
    {
        let rows: Vec<String> = rows.iter().map(|row| format!("{row:?}")).collect();
        let why = format!(
            "with new counters {} of these loops' no dependence goes backwards, and they can be tiled",
            rows.join(", ")
        );
        out.push(of("skew", skewed, why));
    }
    out
}

fn nest_metrics(report: &Report<'_>, survey: &Survey<'_>, outermost: usize) -> NestMetrics {
    let proposals = report.proposals.iter().flat_map(|proposals| &proposals.all);
    let weighed = proposals.into_iter().find(|w| w.proposal.region.outermost == outermost);
    let shape = match weighed {
        Some(weighed) => weighed.metrics.shape,
        None => survey.shape(&propose::around(&report.loops, outermost)),
    };
    let structure = weighed.map_or(shape.before, |weighed| weighed.profit.structure);
    let fusion = weighed.and_then(Weighed::fusion_letter);
    NestMetrics {
        aff: shape.affine,
        par_ops: structure.parallel,
        simd_ops: structure.vector,
        reuse: shape.reuse.present,
        preuse: shape.reuse.best,
        til_ops: structure.tilable,
        components_before: shape.before.components,
        components_after: fusion.map(|_| structure.components),
        fusion,
    }
}

/// Compares the schema of a type with a file of the documentation; with UPDATE_SCHEMA set that is written.
#[cfg(test)]
pub(crate) fn is_documented<T: schemars::JsonSchema>(name: &str) {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name);
    let settings = schemars::generate::SchemaSettings::draft2020_12().for_serialize();
    let schema = settings.into_generator().into_root_schema_for::<T>();
    let text = serde_json::to_string_pretty(&schema).expect("a schema") + "\n";
    if std::env::var_os("UPDATE_SCHEMA").is_some() {
        std::fs::write(&path, &text).expect("the documentation can be written");
    }
    let documented = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(documented == text, "docs/{name} is not up to date: run this test with UPDATE_SCHEMA=1");
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_schema_is_that_of_the_documentation() {
        super::is_documented::<super::Root>("report.schema.json");
    }
}
