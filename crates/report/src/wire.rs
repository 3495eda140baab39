//! The JSON report, schema `loopwright.report/1`. Fields may be added, never changed.

use profile::Profile;
use serde::Serialize;

use crate::finding::{self, Report};
use crate::proposals::{self, WireProposal};

/// Name of the schema.
pub const SCHEMA: &str = "loopwright.report/1";

#[derive(Debug, Serialize)]
struct Root {
    schema: &'static str,
    program: Program,
    trust: Trust,
    loops: Vec<Loop>,
    nests: Vec<Nest>,
    #[serde(skip_serializing_if = "Option::is_none")]
    proposals: Option<Vec<WireProposal>>,
}

#[derive(Debug, Serialize)]
struct Program {
    argv: Vec<String>,
    exit_status: Option<i32>,
    build_id: Option<String>,
}

#[derive(Debug, Serialize)]
struct Trust {
    instructions: u64,
    memory_accesses: u64,
    scope: &'static str,
    main_accesses: u64,
    main_accesses_folded: u64,
    main_accesses_partly_folded: u64,
    recorded_fraction: f64,
    exact_fraction: f64,
    dependences: u64,
    truncated: Vec<String>,
    untracked: Vec<String>,
    missing_debug_info: Vec<String>,
}

#[derive(Debug, Serialize)]
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
    blocking: Vec<Blocking>,
    privatise: Vec<String>,
    reductions: Vec<Reduction>,
    directive: Option<String>,
    stride01_fraction: Option<f64>,
    simd: bool,
    accesses: Vec<Access>,
}

/// Iterations per entry; the extremes only where they were counted.
#[derive(Debug, Serialize)]
struct TripCount {
    minimum: Option<u64>,
    mean: f64,
    maximum: Option<u64>,
}

#[derive(Debug, Serialize)]
struct Reduction {
    operator: &'static str,
    variable: Option<String>,
    line: u32,
}

#[derive(Debug, Serialize)]
struct Place {
    file: String,
    line: u32,
    pc: u64,
}

#[derive(Debug, Serialize)]
struct Object {
    name: String,
    offset: i64,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Distance {
    Known(i64),
    Unknown(&'static str),
}

#[derive(Debug, Serialize)]
struct Example {
    source_iv: Vec<i64>,
    sink_iv: Vec<i64>,
    address: u64,
}

#[derive(Debug, Serialize)]
struct Blocking {
    kind: &'static str,
    via: &'static str,
    distance: Vec<Distance>,
    source: Place,
    sink: Place,
    object: Option<Object>,
    example: Example,
    count: u64,
}

/// One memory operand of the loop's own code: its advance in bytes per loop around it, outermost first.
#[derive(Debug, Serialize)]
struct Access {
    line: u32,
    op: &'static str,
    size: u32,
    strides: Vec<Distance>,
    executions: u64,
}

#[derive(Debug, Serialize)]
struct Nest {
    loops: Vec<String>,
    permutable: Vec<Vec<String>>,
    tilable_depth: usize,
    skew: Option<Vec<Vec<i64>>>,
    advice: Vec<Advice>,
}

#[derive(Debug, Serialize)]
struct Advice {
    kind: &'static str,
    loops: Vec<String>,
    why: String,
    lines: Vec<u32>,
}

/// Renders the report as JSON, ending in a newline.
pub fn json(report: &Report<'_>) -> String {
    let p = report.profile;
    let all = p.trust.instructions + p.trust.unrecorded;
    let root = Root {
        schema: SCHEMA,
        program: Program {
            argv: p.program.argv.clone(),
            exit_status: p.program.exit_status,
            build_id: p.program.build_id.clone(),
        },
        trust: Trust {
            instructions: p.trust.instructions,
            memory_accesses: p.trust.memory_accesses,
            scope: if p.trust.main_only { "main" } else { "all" },
            main_accesses: p.trust.main_accesses,
            main_accesses_folded: p.trust.main_accesses_folded,
            main_accesses_partly_folded: p.trust.main_accesses_partly_folded,
            recorded_fraction: if all == 0 { 0.0 } else { p.trust.instructions as f64 / all as f64 },
            exact_fraction: report.exact_fraction,
            dependences: p.trust.dependences,
            truncated: p.trust.truncated.clone(),
            untracked: p.trust.untracked.clone(),
            missing_debug_info: p.trust.missing_debug_information.clone(),
        },
        loops: loops(report),
        nests: nests(report),
        proposals: report
            .proposals
            .as_ref()
            .map(|all| all.iter().map(|proposal| proposals::wire(p, &report.loops, proposal)).collect()),
    };
    // Serialising plain data to a string cannot fail; if it did, an empty document would be noticed at once.
    let mut text = serde_json::to_string_pretty(&root).unwrap_or_default();
    text.push('\n');
    text
}

fn loops(report: &Report<'_>) -> Vec<Loop> {
    let p = report.profile;
    let accesses = accesses_by_loop(p);
    report
        .loops
        .iter()
        .map(|l| Loop {
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
                mean: l.iterations as f64 / l.entries.max(1) as f64,
                maximum: l.trips.map(|t| t.1),
            },
            instructions: l.instructions,
            ops_fraction: l.share,
            parallel: finding::verdict_name(l.parallel),
            blocking: finding::blocking(p, l).into_iter().map(blocking).collect(),
            privatise: finding::privatise(p, l),
            reductions: finding::reductions(p, l)
                .into_iter()
                .map(|(operator, variable, line)| Reduction { operator, variable, line })
                .collect(),
            directive: finding::directive(p, l),
            stride01_fraction: l.stride01,
            simd: finding::is_vectorisable(l),
            accesses: l
                .contexts
                .iter()
                .filter_map(|c| accesses.get(c))
                .flatten()
                .map(|&a| access(p, a))
                .collect(),
        })
        .collect()
}

fn blocking(b: finding::BlockingFinding) -> Blocking {
    Blocking {
        kind: b.kind,
        via: b.via,
        distance: b.distance.into_iter().map(distance).collect(),
        source: Place { file: b.source.0, line: b.source.1, pc: b.pcs.0 },
        sink: Place { file: b.sink.0, line: b.sink.1, pc: b.pcs.1 },
        object: b.object.map(|o| Object { name: o.name, offset: o.offset }),
        example: Example { source_iv: b.example.0, sink_iv: b.example.1, address: b.example.2 },
        count: b.count,
    }
}

fn distance(d: Option<i64>) -> Distance {
    d.map_or(Distance::Unknown("*"), Distance::Known)
}

fn accesses_by_loop(p: &Profile) -> std::collections::BTreeMap<u32, Vec<u32>> {
    let mut out: std::collections::BTreeMap<u32, Vec<u32>> = std::collections::BTreeMap::new();
    for (index, access) in p.accesses.iter().enumerate().filter(|(_, a)| a.executions > 0) {
        // What library code accesses inside is not an access of the loop's own code.
        let context = p.context_of(access.statement);
        let own = p.functions.get(p.contexts[context as usize].function as usize).is_some_and(|f| f.main);
        if let Some(&innermost) = p.loops_around(context).last()
            && own
        {
            out.entry(innermost).or_default().push(index as u32);
        }
    }
    out
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
    let mut out = Vec::new();
    for (leaf, _) in loops.iter().enumerate().filter(|(_, l)| l.innermost) {
        let mut chain = vec![leaf];
        while let Some(parent) = chain.last().and_then(|&at| loops[at].parent) {
            chain.push(parent);
        }
        chain.reverse();
        let mut bands: Vec<Vec<String>> = Vec::new();
        for &at in &chain {
            match bands.last_mut() {
                Some(band) if loops[at].permutable_with_parent => band.push(loops[at].id.clone()),
                _ => bands.push(vec![loops[at].id.clone()]),
            }
        }
        bands.retain(|b| b.len() > 1);
        let advice = chain
            .iter()
            .find(|&&at| finding::is_parallelisable(&loops[at]))
            .map(|&at| Advice {
                kind: "parallelise",
                loops: vec![loops[at].id.clone()],
                why: finding::directive(report.profile, &loops[at])
                    .unwrap_or_else(|| "iterations are independent".into()),
                lines: vec![loops[at].line],
            })
            .into_iter()
            .collect();
        out.push(Nest {
            loops: chain.iter().map(|&at| loops[at].id.clone()).collect(),
            tilable_depth: bands.iter().map(Vec::len).max().unwrap_or(0),
            permutable: bands,
            skew: None,
            advice,
        });
    }
    out
}
