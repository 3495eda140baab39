//! Ranges of values against runs on numbers, functions that are called in place of the calls.
#![allow(clippy::unwrap_used, reason = "a failed preparation is a failed test")]

mod support;

use gpumap::calls::{Cone, LENGTH};
use gpumap::control::Control;
use gpumap::ir::{Module, Operand, Value};
use gpumap::ranges::{Usage, ranges_of};
use gpumap::recurrence::{Forms, Reading};
use gpumap::symbolic::{Bound, Range, Side};
use num_rational::BigRational;
use support::interpreter::{Sequence, State};
use support::numbers::{Symbols, concrete, number, symbols};
use support::sources;

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
        let name = module.name(function.symbol);
        for seed in 0..seeds {
            let mut from = Sequence(seed * 91 + 3);
            let mut state = State::new(module, &cone.function, &control, &mut from);
            state.run(&mut from, 2000, &mut |state, instruction, _| {
                let Some(result) = instruction.and_then(|instruction| instruction.result) else { return };

                for (of, fact) in uses.iter().zip(&facts).filter(|of| of.0.operand.value == Value::Local(result)) {
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
