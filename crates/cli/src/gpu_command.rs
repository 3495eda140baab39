//! `loopwright gpu`.

use std::cell::Cell;

use anyhow::{Result, bail};
use gpumap::Compiler;
use gpumap::access::show::show_ranges_with;
use gpumap::calls::Cone;
use gpumap::control::{choices, show as control_show};
use gpumap::device::Device;
use gpumap::emit::{Dialect, KernelLanguage, Request};
use gpumap::frontend::Texts;
use gpumap::ir::module::Unread;
use gpumap::ir::{Function, Module};
use gpumap::offload::show::{self, Asked, Trial, show_candidates, show_directives};
use gpumap::recurrence::Given;
use gpumap::recurrence::show::show_expressions;
use gpumap::shared::Scheme;
use gpumap::verify::{Change, Verdict};
use source::Clang;

use crate::args::{Emitted, GpuArgs, Grouping, PlainFormat, Stage};
use crate::{gpu_profile, output};

/// Runs the command; gives the exit code.
pub fn run(args: &GpuArgs) -> Result<u8> {
    if !args.values.is_empty() && args.dump.is_some_and(|stage| stage != Stage::Ranges) {
        bail!(
            "--set gives inputs values for the report and for --dump ranges; other stages are in terms of inputs"
        )
    }
    if args.verify && args.emit == Some(Emitted::Acc) {
        bail!("--verify runs directives of OpenMP and kernels: with --emit omp, opencl or cuda")
    }
    let compiler = Compiler::find()?;
    let module = compiler.read(&args.file, &args.options)?;
    let functions = functions(&module, args)?;
    let has_failed = Cell::new(false);
    let (clang, file, options) = (compiler.clang(), args.file.as_path(), args.options.as_slice());
    let trial = args.verify.then_some(Trial { clang, file, options, has_failed: &has_failed });
    let shown: Vec<String> = match args.dump {
        Some(stage) => functions.iter().map(|function| dump(&module, function, stage, args)).collect(),
        None => report(&module, &functions, args, trial)?,
    };
    for unread in &module.unread {
        eprintln!("loopwright: {}", unread_function(&module, unread));
    }
    output::print(&shown.join("\n"), args.output.as_deref(), true)?;
    Ok(u8::from(has_failed.get()))
}

/// A function that is left out as it is not understood.
fn unread_function(module: &Module, unread: &Unread) -> String {
    let place = unread.location.and_then(|location| module.metadata.place(location));
    let place = place.map_or(String::new(), |place| format!("{}:{}: ", place.file, place.line));
    let name = module.shown_name(unread.symbol);
    format!("{place}function {name} is left out, others are not: {}", unread.error.problem)
}

/// What can run on a device, function by function; functions without loops are left out.
fn report(
    module: &Module,
    functions: &[&Function],
    args: &GpuArgs,
    trial: Option<Trial<'_>>,
) -> Result<Vec<String>> {
    let observed = args
        .profile
        .as_deref()
        .map(|profile| gpu_profile::observed(profile, &args.file, module))
        .transpose()?;
    let given = given(args);
    let (block, device) = (args.block, Device::named(&args.device)?);
    let scheme = match args.grouping {
        Grouping::Close => Scheme::default(),
        Grouping::Whole => Scheme::Whole,
    };
    let asked = Asked { observed: observed.as_ref(), line: args.line, given: &given, block, device, scheme };
    let cones: Vec<Cone> = functions.iter().map(|function| Cone::new(module, function, args.calls)).collect();
    if args.format == PlainFormat::Json {
        return Ok(vec![output::json(&report::gpu::wire::report(module, &cones, asked))?]);
    }
    let texts = Texts::new(module);
    let directives = |dialect| {
        let of = |cone: &Cone| show_directives(module, cone, asked, (dialect, &texts), trial);
        cones.iter().filter_map(of).collect()
    };
    let shown: Vec<String> = match args.emit {
        None => cones.iter().filter_map(|cone| show_candidates(module, cone, asked)).collect(),
        Some(Emitted::Omp) => directives(Dialect::OpenMp),
        Some(Emitted::Acc) => directives(Dialect::OpenAcc),
        Some(Emitted::Opencl) => kernels(module, &cones, asked, args, KernelLanguage::OpenCl, trial)?,
        Some(Emitted::Cuda) => kernels(module, &cones, asked, args, KernelLanguage::Cuda, trial)?,
    };
    match (shown.is_empty(), args.line) {
        (true, Some(line)) => bail!("no loop of {} begins on line {line}", args.file.display()),
        (true, None) => Ok(vec![format!("{} has no loops\n", args.file.display())]),
        _ => Ok(shown),
    }
}

/// The values that inputs are given.
fn given(args: &GpuArgs) -> Given {
    let mut given = Given::default();
    args.values.iter().for_each(|(name, value)| given.set(name, *value));
    given
}

/// Kernels for the loops that are asked for, in one file, and why others have none; nothing if there are no loops.
fn kernels(
    module: &Module,
    cones: &[Cone],
    asked: Asked<'_>,
    args: &GpuArgs,
    language: KernelLanguage,
    trial: Option<Trial<'_>>,
) -> Result<Vec<String>> {
    let clang = Clang::find()?;
    let source = clang.read(&args.file, &args.options)?;
    let macros = clang.macros(&args.file, &args.options)?;
    let request =
        Request { source: &source, language, block: asked.block, device: asked.device, scheme: asked.scheme };
    let name = args.file.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let (mut found, mut notes) = (Vec::new(), String::new());
    for cone in cones {
        for emitted in show::kernels(module, cone, asked, request) {
            let line = emitted.line.map_or("?".into(), |line| line.to_string());
            let function = module.shown_name(cone.function.symbol);
            let mut refuse = |why: &str| {
                notes += &format!("/* {function}, line {line}: no kernel, as {why}. */\n");
            };
            let kernel = match emitted.kernel {
                Ok(kernel) => kernel,
                Err(why) => {
                    refuse(&why.to_string());
                    continue;
                }
            };
            let verdict = trial.map(|trial| {
                let change = Change::kernel(&kernel, language, &name, &macros);
                trial.of(emitted.inputs, &change, kernel.is_inexact())
            });
            match verdict {
                None => found.push(kernel),
                Some(Verdict::Same(inputs)) => {
                    notes += &format!("/* {}: it ran as the loop does on {inputs} inputs. */\n", kernel.name);
                    found.push(kernel);
                }
                Some(Verdict::Other(fault)) => refuse(&fault.to_string()),
                Some(Verdict::NotRun(why)) => refuse(&format!("it could not be run: {why}")),
            }
        }
    }
    if found.is_empty() && notes.is_empty() {
        return Ok(Vec::new());
    }
    Ok(vec![language.file(&name, &found, &macros), notes])
}

/// The function that is asked for, or all that the source defines.
fn functions<'m>(module: &'m Module, args: &GpuArgs) -> Result<Vec<&'m Function>> {
    let Some(name) = &args.function else { return Ok(module.defined().collect()) };
    if let Some(function) = module.function(name) {
        return Ok(vec![function]);
    }
    // Several of C++ may be called so.
    let is_called_so = |function: &&Function| module.shown_name(function.symbol) == *name;
    let found: Vec<&Function> = module.defined().filter(is_called_so).collect();
    if found.is_empty() {
        let names: Vec<String> =
            module.defined().map(|function| module.shown_name(function.symbol)).collect();
        bail!("{} defines no function {name}, but {}", args.file.display(), names.join(", "))
    }
    Ok(found)
}

fn dump(module: &Module, function: &Function, stage: Stage, args: &GpuArgs) -> String {
    let function = choices::branched(module, function);
    match stage {
        Stage::Ir => module.show_function(&function),
        Stage::Loops => control_show::show_loops(module, &function),
        Stage::Expressions => show_expressions(module, &Cone::new(module, &function, args.calls).function),
        Stage::Ranges => show_ranges_with(module, &Cone::new(module, &function, args.calls), &given(args)),
    }
}
