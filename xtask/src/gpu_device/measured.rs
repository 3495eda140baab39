//! What kernels move, and how long they take, beside what is predicted.
//!
//! A program is a source of `kernels/gpu` with its own `main` and large arguments, and one kernel in place of its loops: reading from
//! memory as the source does (*plain*), and from tiles in shared memory where these are advised (*tiled*). Predictions are about the
//! former, but for conflicts in the banks of shared memory. Every access of the source counts, as if the compiler kept no value in a
//! register that memory holds too.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};
use gpumap::calls::{Cone, LENGTH};
use gpumap::coalescing::Coalescing;
use gpumap::cost::visits::visits;
use gpumap::cost::{Estimate, Grid};
use gpumap::device::{Block, Device};
use gpumap::divergence::branches;
use gpumap::emit::{Kernel, KernelLanguage, Request};
use gpumap::ir::{Function, Module};
use gpumap::offload::show::{self, Asked};
use gpumap::offload::{Observed, with_candidates};
use gpumap::recurrence::Given;
use gpumap::shared::{Scheme, opportunities};
use gpumap::verify::{COMPILED, Change};
use num_traits::ToPrimitive;

use super::{Package, Table};

/// What ncu measures: the time of the kernel; sectors and requests of loads and stores; conflicts in banks; branches that part no warp.
pub(super) const METRICS: [&str; 7] = [
    "gpu__time_duration.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
    "smsp__sass_average_branch_targets_threads_uniform.pct",
];
/// The table of programs.
pub(super) const PROGRAMS: &str = "measured.programs.tsv";
const COLUMNS: &str = "id\tprogram\tsource\targuments\tkernel\tform\tload_requests\tload_sectors\tstore_requests\tstore_sectors\tleast\tmost\tways\tparted\tcome\n";
const HEAD: &str = "
## What kernels move

Kernels of `kernels/gpu` at sizes that fill a GPU, by ncu. *Sectors per request* are the 32-byte sectors that a request of a warp moves,
on average; *MB* all that requests move; predictions stand before the arrow, what was measured behind it. Predicted is the kernel that reads
from memory as the source does (*plain*); *tiled* ones read from shared memory, and *conflicts* are the passes that its banks cost
beyond one. The time that is predicted lies between that of caches that keep everything and of caches that keep nothing, by the printed
rates of one product. *Parted* are warps whose lanes take different ways at a branch of the source, of those that come there; *uniform*
is the share of all branches that are taken by no part of a warp alone.

| kernel | arguments | form | loads: sectors per request | stores: sectors per request | MB | ms | conflicts | parted | uniform |
|---|---|---|--:|--:|--:|--:|--:|--:|--:|
";

/// A kernel at a size.
struct Case {
    source: &'static str,
    /// The function that it is in; its first kernel is meant.
    function: &'static str,
    /// Arguments of the program.
    arguments: &'static [&'static str],
    /// What these make of the function's parameters.
    values: &'static [(&'static str, i64)],
}

const fn case(
    source: &'static str,
    function: &'static str,
    arguments: &'static [&'static str],
    values: &'static [(&'static str, i64)],
) -> Case {
    Case { source, function, arguments, values }
}

const CASES: [Case; 12] = [
    case("axpy.c", "add", &["16777216"], &[("n", 16_777_216)]),
    case("wave.c", "vibrate", &["16777216", "1"], &[("n", 16_777_216), ("steps", 1)]),
    case("heat_3d.c", "half", &["256", "1"], &[("n", 256)]),
    case("bordered_blur.c", "blur", &["4096", "4096"], &[("rows", 4096), ("columns", 4096)]),
    case("gemm.c", "multiply", &["1024", "1024", "1024"], &[("n", 1024), ("m", 1024), ("q", 1024)]),
    case("syrk.c", "update", &["1024", "512"], &[("n", 1024), ("m", 512)]),
    case("tiled_transpose.c", "transpose", &["4096"], &[("n", 4096)]),
    case("rank_two.c", "update", &["4096"], &[("n", 4096)]),
    case("pooling.c", "shrink", &["2048", "2048"], &[("rows", 2048), ("columns", 2048)]),
    case("colours.c", "apart", &["16777216"], &[("n", 16_777_216)]),
    case("walking_rows.c", "columns", &["4096", "4096"], &[("n", 4096), ("m", 4096)]),
    case("distances.c", "pairs", &["2048", "8"], &[("n", 2048), ("d", 8)]),
];

/// What is predicted of a kernel.
#[derive(Default)]
struct Predicted {
    /// Requests and sectors of loads, and of stores.
    loads: (u64, u64),
    stores: (u64, u64),
    /// Seconds, at least and at most.
    seconds: (f64, f64),
    /// How many lanes wait for each other in shared memory, at most.
    ways: u32,
    /// Warps that part at branches, and that come there.
    parted: (u64, u64),
}

/// Writes the programs; gives the rows of their table.
pub(super) fn write(package: &Package<'_>) -> Result<()> {
    let mut rows = COLUMNS.to_owned();
    let mut number = 0;
    for case in &CASES {
        let path = crate::ci::root().join(super::USUAL).join(case.source);
        let module = package.compiler.read(&path, &[])?;
        let function = module.defined().find(|function| module.shown_name(function.symbol) == case.function);
        let function = function.with_context(|| format!("{} has no {}", case.source, case.function))?;
        let observed = package.observed(&path, &[])?;
        for kernel in kernels(package, &path, &module, function, observed.as_ref())? {
            number += 1;
            let form = if kernel.tiled.is_some() { "tiled" } else { "plain" };
            let id = format!("m{number:02}-{}-{form}", kernel.name);
            program(package, case, &path, &kernel, &id)?;
            let of = predicted(&module, function, &kernel, case, observed.as_ref())?;
            let ways = if of.ways == 0 { String::new() } else { of.ways.to_string() };
            writeln!(
                rows,
                "{id}\tkernels\t{}\t{}\t{}\t{form}\t{}\t{}\t{}\t{}\t{:e}\t{:e}\t{ways}\t{}\t{}",
                case.source,
                case.arguments.join(" "),
                kernel.name,
                of.loads.0,
                of.loads.1,
                of.stores.0,
                of.stores.1,
                of.seconds.0,
                of.seconds.1,
                of.parted.0,
                of.parted.1
            )?;
        }
    }
    Ok(fs::write(package.directory.join(PROGRAMS), rows)?)
}

/// The first kernel of a function without tiles, and with them if they are advised.
fn kernels(
    package: &Package<'_>,
    path: &Path,
    module: &Module,
    function: &Function,
    observed: Option<&Observed>,
) -> Result<Vec<Kernel>> {
    let source = package.clang.read(path, &[])?;
    let (given, block, device) = (Given::default(), Block::new(32, 8, 1)?, Device::named("sm_90")?);
    let (language, scheme) = (KernelLanguage::Cuda, Scheme::default());
    let request = Request { source: &source, language, block, device, scheme };
    let asked = Asked { observed, line: None, given: &given, block, device, scheme };
    let cone = Cone::new(module, function, LENGTH);
    let found = show::kernels(module, &cone, asked, request).into_iter().find_map(|found| found.kernel.ok());
    let kernel = found.with_context(|| format!("{} has no kernel", path.display()))?;
    let plain = Kernel { tiled: None, ..kernel.clone() };
    Ok(if kernel.tiled.is_some() { vec![plain, kernel] } else { vec![plain] })
}

/// A source with a kernel in place of its loops, and what it prints without.
fn program(package: &Package<'_>, case: &Case, path: &Path, kernel: &Kernel, id: &str) -> Result<()> {
    let directory = package.directory.join(id);
    fs::create_dir(&directory)?;
    let macros = package.clang.macros(path, &[])?;
    let text = fs::read_to_string(path)?;
    let change = Change::kernel(kernel, KernelLanguage::Cuda, case.source, &macros);
    let Change::Kernel { file, .. } = &change else { bail!("a kernel that is none") };
    let place = tempfile::tempdir()?;
    let own = place.path().join("program");
    let mut clang = Command::new(package.compiler.clang());
    crate::product::checked(clang.args(COMPILED).arg(path).arg("-o").arg(&own).arg("-lm"))?;
    let printed = crate::product::checked(Command::new(&own).args(case.arguments))?;
    let arguments = case.arguments.join(" ");
    for (name, text) in [
        ("caller.c", change.applied(&text).as_str()),
        ("kernels.cu", file.as_str()),
        ("arguments", &arguments),
        ("options", ""),
    ] {
        fs::write(directory.join(name), text)?;
    }
    fs::write(directory.join(super::EXPECTED), super::compressed(&printed)?)?;
    Ok(())
}

fn predicted(
    module: &Module,
    function: &Function,
    kernel: &Kernel,
    case: &Case,
    observed: Option<&Observed>,
) -> Result<Predicted> {
    let mut given = Given::default();
    case.values.iter().for_each(|(name, value)| given.set(name, *value));
    let (device, block) = (Device::named("sm_90")?, kernel.block);
    let scheme = Scheme::default();
    let asked = Asked { observed, line: Some(kernel.lines.0), given: &given, block, device, scheme };
    let cone = Cone::new(module, function, LENGTH);
    let found = with_candidates(module, &cone, asked, |analysed, candidates| {
        let needs = analysed.needs(candidates).into_iter().next()??;
        let loops = &candidates.first()?.loops;
        let accesses = &mut analysed.accesses;
        let found = Coalescing::new(accesses, loops, block, device)?;
        let mut of = Predicted::default();
        let grid =
            Grid::new(accesses.assumed_mut(), &found.axes_from(found.advice.x), *loops.first()?, block);
        let warps = grid.warps()?;
        for requested in found.accesses.iter().filter(|requested| !requested.is_scalar) {
            let access = accesses.list.get(requested.access)?.clone();
            let visits = visits(accesses.assumed_mut(), &found.loops, access.block);
            let requests = visits.most?.integer()?.to_u64()?.checked_mul(warps)?;
            let list = requested.mappings.get(found.advice.x)?.as_ref().ok()?;
            let to = if access.writes { &mut of.stores } else { &mut of.loads };
            for mapped in list {
                to.0 += requests;
                to.1 += requests.checked_mul(u64::from(mapped.sectors.numbers()?.1))?;
            }
        }
        let estimate = Estimate::new(accesses, &found, &needs.parameters, block, device)?;
        of.seconds = estimate.times.map(|times| (times.kernel_least, times.kernel_most))?;
        for branch in branches(accesses.assumed_mut(), &found, block) {
            if let Some(parted) = branch.parted {
                of.parted.0 += parted.parted;
                of.parted.1 += parted.all;
            }
        }
        let shapes = opportunities(accesses, &found, block, device, scheme);
        let shapes = shapes.iter().filter_map(|opportunity| opportunity.shape.as_ref().ok());
        of.ways =
            shapes.filter_map(|shape| shape.passes(block, 0)).map(|passes| passes.ways()).max().unwrap_or(0);
        Some(of)
    });
    found.with_context(|| format!("nothing is predicted of {} of {}", kernel.name, case.source))
}

/// The table of what was measured.
pub(super) fn document(out: &mut String, table: &Table) -> Result<()> {
    *out += HEAD;
    for row in &table.rows {
        let number = |column: &str| table.at(row, column).parse::<f64>().ok();
        let shown = |value: Option<f64>, digits: usize| match value {
            Some(value) => format!("{value:.digits$}"),
            None => "?".to_owned(),
        };
        let ratio = |of: &str, by: &str| Some(number(of)? / number(by)?).filter(|ratio| ratio.is_finite());
        let measured = |kind: &str, what: &str| format!("l1tex__t_{what}_pipe_lsu_mem_global_op_{kind}.sum");
        let per_request = |kind: &str, short: &str| {
            let predicted = ratio(&format!("{kind}_sectors"), &format!("{kind}_requests"));
            let found = ratio(&measured(short, "sectors"), &measured(short, "requests"));
            format!("{} → {}", shown(predicted, 1), shown(found, 1))
        };
        let megabytes = |loads: &str, stores: &str| Some((number(loads)? + number(stores)?) * 32.0 / 1e6);
        let bytes = format!(
            "{} → {}",
            shown(megabytes("load_sectors", "store_sectors"), 0),
            shown(megabytes(&measured("ld", "sectors"), &measured("st", "sectors")), 0)
        );
        let thousandth = |column: &str, of: f64| number(column).map(|value| value * of);
        let time = format!(
            "{} to {} → {}",
            shown(thousandth("least", 1e3), 2),
            shown(thousandth("most", 1e3), 2),
            shown(thousandth("gpu__time_duration.sum", 1e-6), 2)
        );
        let is_tiled = table.at(row, "form") == "tiled";
        let conflicts = shown(number("l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"), 0);
        let conflicts = match table.at(row, "ways") {
            ways if is_tiled && !ways.is_empty() => format!("{ways} ways → {conflicts}"),
            _ => conflicts,
        };
        let [source, kernel, arguments, form] =
            ["source", "kernel", "arguments", "form"].map(|column| table.at(row, column));
        // The host takes the plain one where tiles do not fit.
        let is_plain = is_tiled && !table.at(row, "launched").ends_with("_tiled");
        let form = if is_plain { "tiled: too large, plain ran" } else { form };
        writeln!(
            out,
            "| {source}, `{kernel}` | {arguments} | {form} | {} | {} | {bytes} | {time} | {conflicts} | {} of {} | {} % |",
            per_request("load", "ld"),
            per_request("store", "st"),
            table.at(row, "parted"),
            table.at(row, "come"),
            shown(number("smsp__sass_average_branch_targets_threads_uniform.pct"), 1)
        )?;
    }
    super::others(out, table, "same")
}
