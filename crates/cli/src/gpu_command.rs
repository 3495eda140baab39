//! `loopwright gpu`.

use std::collections::BTreeMap;

use anyhow::{Result, bail};
use gpumap::Compiler;
use gpumap::access::show::show_ranges_with;
use gpumap::calls::Cone;
use gpumap::control::{choices, show as control_show};
use gpumap::device::Device;
use gpumap::emit::{Dialect, Kernel, Request, cuda, opencl};
use gpumap::ir::{Function, Module};
use gpumap::offload::show::{self, Asked, show_candidates, show_directives};
use gpumap::recurrence::Given;
use gpumap::recurrence::show::show_expressions;
use gpumap::shared::Scheme;
use source::{Clang, Language};

use crate::args::{Emitted, GpuArgs, Grouping, PlainFormat, Stage};
use crate::{gpu_profile, output};

/// Runs the command; gives the exit code.
pub fn run(args: &GpuArgs) -> Result<u8> {
    if !args.values.is_empty() && args.dump.is_some_and(|stage| stage != Stage::Ranges) {
        bail!(
            "--set gives inputs values for the report and for --dump ranges; other stages are in terms of inputs"
        )
    }
    let module = Compiler::find()?.read(&args.file, &args.options)?;
    let functions = functions(&module, args)?;
    let shown: Vec<String> = match args.dump {
        Some(stage) => functions.iter().map(|function| dump(&module, function, stage, args)).collect(),
        None => report(&module, &functions, args)?,
    };
    output::print(&shown.join("\n"), args.output.as_deref(), true)?;
    Ok(0)
}

/// What can run on a device, function by function; functions without loops are left out.
fn report(module: &Module, functions: &[&Function], args: &GpuArgs) -> Result<Vec<String>> {
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
    let directives = |dialect| {
        cones.iter().filter_map(move |cone| show_directives(module, cone, asked, dialect)).collect()
    };
    let shown: Vec<String> = match args.emit {
        None => cones.iter().filter_map(|cone| show_candidates(module, cone, asked)).collect(),
        Some(Emitted::Omp) => directives(Dialect::OpenMp),
        Some(Emitted::Acc) => directives(Dialect::OpenAcc),
        Some(Emitted::Opencl) => kernels(module, &cones, asked, args, opencl::WORDS.language, opencl::file)?,
        Some(Emitted::Cuda) => kernels(module, &cones, asked, args, cuda::WORDS.language, cuda::file)?,
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

/// Writes a file with kernels.
type File = fn(&str, &[Kernel], &BTreeMap<String, String>) -> String;

/// Kernels for the loops that are asked for, in one file, and why others have none; nothing if there are no loops.
fn kernels(
    module: &Module,
    cones: &[Cone],
    asked: Asked<'_>,
    args: &GpuArgs,
    language: Language,
    file: File,
) -> Result<Vec<String>> {
    let clang = Clang::find()?;
    let source = clang.read(&args.file, &args.options)?;
    let macros = clang.macros(&args.file, &args.options)?;
    let request =
        Request { source: &source, language, block: asked.block, device: asked.device, scheme: asked.scheme };
    let (mut found, mut notes) = (Vec::new(), String::new());
    for cone in cones {
        for (line, kernel) in show::kernels(module, cone, asked, request) {
            let line = line.map_or("?".into(), |line| line.to_string());
            let function = module.name(cone.function.symbol);
            match kernel {
                Ok(kernel) => found.push(kernel),
                Err(why) => notes += &format!("/* {function}, line {line}: no kernel, as {why}. */\n"),
            }
        }
    }
    if found.is_empty() && notes.is_empty() {
        return Ok(Vec::new());
    }
    let name = args.file.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    Ok(vec![file(&name, &found, &macros), notes])
}

/// The function that is asked for, or all that the source defines.
fn functions<'m>(module: &'m Module, args: &GpuArgs) -> Result<Vec<&'m Function>> {
    let Some(name) = &args.function else { return Ok(module.defined().collect()) };
    match module.function(name) {
        Some(function) => Ok(vec![function]),
        None => {
            let names: Vec<&str> = module.defined().map(|function| module.name(function.symbol)).collect();
            bail!("{} defines no function {name}, but {}", args.file.display(), names.join(", "))
        }
    }
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
