//! What stores certainly write: sections as they are said, and every byte of them in runs of functions on numbers.

use crate::support;

use std::collections::HashSet;

use gpumap::access::show::show_ranges;
use gpumap::access::{Accesses, Hull};
use gpumap::calls::{Cone, LENGTH};
use gpumap::control::Control;
use gpumap::ir::instruction::Callee;
use gpumap::ir::{BlockId, Function, Module, Operation};
use gpumap::memory::effects::Summaries;
use gpumap::memory::{Object, library};
use gpumap::symbolic::Range;
use num_traits::ToPrimitive;
use support::interpreter::{End, Sequence, State};
use support::numbers::{number, symbols};
use support::{read, source, sources};

fn certainly(function: &str) -> Option<String> {
    let module = read("parts");
    let cone = Cone::new(&module, module.function(function).unwrap(), LENGTH);
    let shown = show_ranges(&module, &cone);
    let line = shown.lines().find_map(|line| line.strip_prefix("  in all out: "))?;
    line.split("certainly writes ").nth(1).map(str::to_owned)
}

#[test]
fn stores_write_together() {
    assert_eq!(certainly("colours").as_deref(), Some("[0, 3*n)"));
    assert_eq!(certainly("pairs").as_deref(), Some("[0, 8*n*m)"));
    assert_eq!(certainly("downwards").as_deref(), Some("[0, 4*n)"));
    // Holes, branches, margins, and what comes in two loops.
    for function in ["two_of_three", "sometimes", "margin", "apart"] {
        assert_eq!(certainly(function), None, "{function}");
    }
}

/// The bytes that a run writes, and whether every loop that it came to ran at least once.
fn written<'f>(
    module: &'f Module,
    function: &'f Function,
    control: &'f Control,
    seed: u64,
) -> (State<'f>, HashSet<u64>, bool) {
    let mut from = Sequence(seed);
    let mut state = State::new(module, function, control, &mut from);
    let (mut bytes, mut all_ran) = (HashSet::new(), true);
    let (mut fresh, mut last): (HashSet<usize>, _) = (HashSet::new(), BlockId::new(0));
    let end = state.run(&mut from, 20_000, &mut |state, instruction, (block, to)| {
        if instruction.is_some() {
            return;
        }
        bytes.extend(stored(state, block));
        last = to;
        for (id, found) in control.loops.iter() {
            let (from_inside, to_inside) =
                (control.loops.contains(id, block), control.loops.contains(id, to));
            if found.header == to && from_inside {
                fresh.remove(&id.index());
            } else if to_inside && !from_inside {
                fresh.insert(id.index());
            } else if from_inside && !to_inside {
                all_ran &= !fresh.remove(&id.index());
            }
        }
    });
    // The last block is left by no edge.
    bytes.extend(stored(&state, last));
    (state, bytes, all_ran && end == End::Returned)
}

/// The bytes that the stores of a block write.
fn stored(state: &State<'_>, block: BlockId) -> Vec<u64> {
    let mut bytes = Vec::new();
    for instruction in &state.function.block(block).instructions {
        let (address, size) = match &instruction.operation {
            Operation::Store { value, address, .. } => {
                (*address, state.module.layout.stored(&state.module.types, value.of))
            }
            Operation::Call { callee: Callee::Symbol(symbol), arguments, .. }
                if library::blocks_touched(state.module, *symbol).contains(&(true, 0)) =>
            {
                (arguments[0], state.unsigned(arguments[2]))
            }
            _ => continue,
        };
        let (Some(address), Some(size)) = (state.unsigned(address), size) else { continue };
        bytes.extend(address..address.saturating_add(size));
    }
    bytes
}

/// A section of an argument in numbers, with its address.
fn section(accesses: &mut Accesses<'_>, state: &State<'_>, hull: &Hull) -> Option<std::ops::Range<u64>> {
    let Object::Argument(place) = hull.object else { return None };
    let Some(Range::Between(lower, upper)) = &hull.certain else { return None };
    let forms = if hull.known.is_assumed() { return None } else { accesses.proved_mut() };
    let symbols = symbols(forms);
    let [lower, upper] = [lower, upper].map(|end| {
        let number = number(forms, state, &symbols, end.single()?)?;
        number.to_integer().to_i64()
    });
    let base = *state.values.get(&state.function.parameters.get(place)?.value)?;
    Some(base.checked_add_signed(lower?)?..base.checked_add_signed(upper?)?)
}

#[test]
fn every_byte_is_written_in_runs() {
    let mut checked = 0;
    for path in sources() {
        let name = path.file_stem().unwrap().to_str().unwrap();
        if !source(name).is_file() {
            continue;
        }
        let module = read(name);
        for function in module.defined() {
            let cone = Cone::new(&module, function, 0);
            let control = Control::new(&cone.function);
            let mut accesses = Accesses::new(&module, &cone.function, &control, &mut Summaries::default());
            let hulls: Vec<Hull> =
                accesses.hulls(None).into_iter().filter(|hull| hull.certain.is_some()).collect();
            for seed in 0..if hulls.is_empty() { 0 } else { 60 } {
                let (state, bytes, is_whole) = written(&module, &cone.function, &control, seed);
                for hull in hulls.iter().filter(|_| is_whole) {
                    let Some(section) = section(&mut accesses, &state, hull) else { continue };
                    let missing = section.clone().find(|byte| !bytes.contains(byte));
                    let function = module.name(function.symbol);
                    assert_eq!(missing, None, "{name}, {function}, {}: {section:?}, seed {seed}", hull.name);
                    checked += 1;
                }
            }
        }
    }
    assert!(checked > 200, "{checked}");
}
