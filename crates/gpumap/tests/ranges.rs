//! Ranges and signs of values against runs on numbers, functions that are called in place of the calls; and in which loops values
//! change.

use crate::support;

use std::cmp::Ordering;

use gpumap::calls::{Cone, LENGTH};
use gpumap::control::Control;
use gpumap::invariance::Invariance;
use gpumap::ir::{Module, Operand, Value};
use gpumap::memory::Memory;
use gpumap::memory::effects::Summaries;
use gpumap::ranges::{Usage, ranges_of};
use gpumap::recurrence::{Forms, Reading};
use gpumap::sign;
use gpumap::symbolic::{Bound, Range, Side, Signs};
use num_rational::BigRational;
use num_traits::Zero;
use support::interpreter::{Sequence, State};
use support::numbers::{Symbols, concrete, number, symbols};
use support::{read, sources};

/// Whether a number is on the right side of a bound in a state: of some member of each clause. `None` if that needs what the run
/// does not know.
fn is_within(
    (forms, state, symbols): (&Forms<'_>, &State<'_>, &Symbols),
    bound: &Bound,
    side: Side,
    real: &BigRational,
) -> Option<bool> {
    let mut holds = true;
    for clause in bound.clauses() {
        let ends: Option<Vec<_>> = clause.iter().map(|end| number(forms, state, symbols, end)).collect();
        holds &= ends?.iter().any(|end| if side == Side::Lower { end <= real } else { real <= end });
    }
    Some(holds)
}

/// Runs every function of a module on numbers; gives how many values were compared with an end of their range.
fn compare(module: &Module, seeds: u64) -> usize {
    let mut compared = 0;
    for function in module.defined() {
        let cone = Cone::new(module, function, LENGTH);
        let control = Control::new(&cone.function);
        let mut forms = Forms::new(module, &cone.function, &control);
        let symbols = symbols(&mut forms);
        let mut uses = Vec::new();
        for block in cone.function.block_ids() {
            for result in cone.function.block(block).instructions.iter().filter_map(|i| i.result) {
                let of = cone.function.value(result).of;
                if forms.bits(of).is_some() {
                    let operand = Operand { of, value: Value::Local(result) };
                    uses.push(Usage { block, operand, reading: Reading::Unsigned });
                    if module.types.integer_bits(of).is_some() {
                        uses.push(Usage { block, operand, reading: Reading::Signed });
                    }
                }
            }
        }
        let facts = ranges_of(&mut forms, &uses, None);
        let signs = sign::signs(&forms);
        let name = module.name(function.symbol);
        for seed in 0..seeds {
            let mut from = Sequence(seed * 91 + 3);
            let mut state = State::new(module, &cone.function, &control, &mut from);
            state.run(&mut from, 2000, &mut |state, instruction, _| {
                let Some(result) = instruction.and_then(|instruction| instruction.result) else { return };
                let of = cone.function.value(result).of;
                let integer = module.types.integer_bits(of).filter(|_| forms.bits(of).is_some());
                if let (Some(_), Some(signs)) = (integer, signs.get(result)) {
                    let real = concrete(state, result, Reading::Signed).unwrap();
                    let holds = match real.cmp(&BigRational::zero()) {
                        Ordering::Less => signs.negative,
                        Ordering::Equal => signs.zero,
                        Ordering::Greater => signs.positive,
                    };
                    assert!(holds, "{name}, {}: {real} {signs:?}", cone.function.value(result).name);
                    compared += usize::from(*signs != Signs::ALL);
                }

                for (of, fact) in
                    uses.iter().zip(&facts).filter(|of| of.0.operand.value == Value::Local(result))
                {
                    let Some(real) = concrete(state, result, of.reading) else { continue };
                    let Range::Between(lower, upper) = &fact.range else {
                        panic!("{name}: {} is reached", cone.function.value(result).name)
                    };
                    for (side, bound) in [(Side::Lower, lower), (Side::Upper, upper)] {
                        let Some(holds) = is_within((&forms, state, &symbols), bound, side, &real) else {
                            continue;
                        };
                        let what = &cone.function.value(result).name;
                        assert!(holds, "{name}, {what} {:?}: {real}, {side:?}, seed {seed}", of.reading);
                        compared += usize::from(!bound.is_none());
                    }
                }
            });
        }
    }
    compared
}

#[test]
fn ranges_hold_in_runs() {
    let mut compared = 0;
    for source in sources() {
        let module = gpumap::Compiler::find().unwrap().read(&source, &[]).unwrap();
        compared += compare(&module, 20);
    }
    assert!(compared > 50_000, "{compared}");
}

#[test]
fn ranges_hold_in_runs_of_kernels() {
    let mut compared = 0;
    for kernel in support::c_sources(&kernels::directory()) {
        let module = gpumap::Compiler::find().unwrap().read(&kernel, &[]).unwrap();
        compared += compare(&module, 5);
    }
    assert!(compared > 50_000, "{compared}");
}

/// The depth of the loop in which each value with a name changes: 0 for none.
fn depths(source: &str, function: &str) -> Vec<(String, usize)> {
    let module = read(source);
    let cone = Cone::new(&module, module.function(function).unwrap(), LENGTH);
    let control = Control::new(&cone.function);
    let mut memory = Memory::new(&module, &cone.function, &control, &mut Summaries::default());
    let found = Invariance::new(&cone.function, &control, &mut memory);
    let mut list = Vec::new();
    for block in cone.function.block_ids() {
        for result in cone.function.block(block).instructions.iter().filter_map(|i| i.result) {
            let depth = found.of(result).unwrap().map_or(0, |id| control.loops.get(id).depth + 1);
            list.push((cone.function.value(result).name.to_string(), depth));
        }
    }
    list
}

#[test]
fn values_change_in_the_loops_that_decide_about_them() {
    let of = depths("invariance", "nest");
    let depth = |name: &str| {
        let found = of.iter().find(|value| value.0 == name);
        found.unwrap_or_else(|| panic!("{name} is missing in {of:?}")).1
    };
    assert_eq!([depth("i.0"), depth("j.0")], [1, 2]);
    // A quotient of arguments, a choice by an argument, a function of a row's number, a choice by it.
    assert_eq!([depth("div"), depth("chosen.0"), depth("mul"), depth("picked.0")], [0, 0, 1, 1]);
    // What the loops store is not what they load: another type. What they store as the same type may be.
    assert_eq!([depth("0"), depth("1"), depth("conv")], [0, 2, 0]);
}
