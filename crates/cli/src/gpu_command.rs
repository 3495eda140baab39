//! `loopwright gpu`.

use anyhow::{Result, bail};
use gpumap::Compiler;
use gpumap::access::show::show_ranges_with;
use gpumap::calls::Cone;
use gpumap::control::{choices, show};
use gpumap::ir::{Function, Module};
use gpumap::recurrence::Given;
use gpumap::recurrence::show::show_expressions;

use crate::args::{GpuArgs, Stage};
use crate::output;

/// Runs the command; gives the exit code.
pub fn run(args: &GpuArgs) -> Result<u8> {
    if !args.values.is_empty() && args.dump != Stage::Ranges {
        bail!("--set gives inputs values for --dump ranges; other stages are in terms of inputs")
    }
    let module = Compiler::find()?.read(&args.file, &args.options)?;
    let functions = functions(&module, args)?;
    let shown = functions.iter().map(|function| dump(&module, function, args)).collect::<Vec<_>>();
    output::print(&shown.join("\n"), args.output.as_deref(), true)?;
    Ok(0)
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

fn dump(module: &Module, function: &Function, args: &GpuArgs) -> String {
    let function = choices::branched(module, function);
    match args.dump {
        Stage::Ir => module.show_function(&function),
        Stage::Loops => show::show_loops(module, &function),
        Stage::Expressions => show_expressions(module, &Cone::new(module, &function, args.calls).function),
        Stage::Ranges => {
            let mut given = Given::default();
            args.values.iter().for_each(|(name, value)| given.set(name, *value));
            show_ranges_with(module, &Cone::new(module, &function, args.calls), &given)
        }
    }
}
