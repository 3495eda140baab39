//! Nests of sources, mapped to a device.

use gpumap::access::Accesses;
use gpumap::calls::{Cone, LENGTH};
use gpumap::coalescing::Coalescing;
use gpumap::control::{Control, LoopId};
use gpumap::device::{Block, Device};
use gpumap::memory::effects::Summaries;

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
    let module = read(source);
    let cone = Cone::new(&module, module.function(function).unwrap(), LENGTH);
    let control = Control::new(&cone.function);
    let mut accesses = Accesses::new(&module, &cone.function, &control, &mut Summaries::default());
    let mut loops: Vec<LoopId> = Vec::new();
    for _ in 0..depth {
        loops.push(control.loops.children(loops.last().copied()).next().unwrap());
    }
    let (block, device) = (block.parse().unwrap(), Device::named(device).unwrap());
    let mut found = Coalescing::new(&mut accesses, &loops, block, device).unwrap();
    if !values.is_empty() {
        found = found.with_values(&mut accesses, block, device, values).unwrap();
    }
    look(&mut accesses, &found, block, device)
}
