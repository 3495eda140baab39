//! Nests of sources, mapped to a device.

use gpumap::access::Accesses;
use gpumap::calls::{Cone, LENGTH};
use gpumap::coalescing::Coalescing;
use gpumap::control::{Control, LoopId};
use gpumap::device::{Block, Device};
use gpumap::ir::Module;
use gpumap::memory::effects::Summaries;
use gpumap::recurrence::Given;

use super::read;

/// A nest: its source, its function and how many loops of it are mapped, the first ones from the outside in.
pub type Source = (&'static str, &'static str, usize);

/// What is found of a nest with numbers for some names, and the accesses that it speaks of.
pub fn with_nest<T>(
    (source, function, depth): Source,
    (block, device): (&str, &str),
    values: &[(&str, i64)],
    look: impl FnOnce(&mut Accesses<'_>, &Coalescing, Block, &Device) -> T,
) -> T {
    with_loops((source, function, depth), &[], |_, accesses, loops| {
        let (block, device) = (block.parse().unwrap(), Device::named(device).unwrap());
        let mut found = Coalescing::new(accesses, loops, block, device).unwrap();
        if !values.is_empty() {
            found = found.with_values(accesses, block, device, values).unwrap();
        }
        look(accesses, &found, block, device)
    })
}

/// The accesses of a function whose inputs are given these values, and the loops of a nest.
pub fn with_loops<T>(
    (source, function, depth): Source,
    values: &[(&str, i64)],
    look: impl FnOnce((&Module, &Control), &mut Accesses<'_>, &[LoopId]) -> T,
) -> T {
    let module = read(source);
    let cone = Cone::new(&module, module.function(function).unwrap(), LENGTH);
    let control = Control::new(&cone.function);
    let mut given = Given::default();
    values.iter().for_each(|(name, value)| given.set(name, *value));
    let mut summaries = Summaries::default();
    let mut accesses = Accesses::with_values(&module, &cone.function, &control, &mut summaries, &given);
    let mut loops: Vec<LoopId> = Vec::new();
    for _ in 0..depth {
        loops.push(control.loops.children(loops.last().copied()).next().unwrap());
    }
    look((&module, &control), &mut accesses, &loops)
}
