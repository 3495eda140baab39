//! Counters and addresses of loops in closed form, those that have none, and all forms against runs on numbers.

use crate::support;

use std::collections::HashMap;

use gpumap::access::show::show_ranges;
use gpumap::calls::{Cone, LENGTH};
use gpumap::control::{Control, choices};
use gpumap::ir::Module;
use gpumap::recurrence::show::show_expressions;
use gpumap::recurrence::{Forms, Reading};
use gpumap::symbolic::{Bound, Range, Side};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::Zero;
use support::interpreter::{End, Sequence, State};
use support::numbers::{Symbols, concrete, number, symbols};
use support::{read, sources};

/// What is shown of a function, without its name and the places of loops.
fn shown(source: &str, function: &str) -> Vec<String> {
    let module = read(source);
    let function = choices::branched(&module, module.function(function).unwrap());
    let text = show_expressions(&module, &function);
    let without_place = |line: &str| match (line.strip_prefix("loop #"), line.split_once(": ")) {
        (Some(rest), Some((_, what))) => format!("loop #{} {what}", rest.split(' ').next().unwrap()),
        _ => line.to_owned(),
    };
    text.lines().skip(1).map(|line| without_place(line.trim())).collect()
}

#[test]
fn addresses_of_nests() {
    let expected = [
        "loop #0 goes on n times",
        "i = #0",
        "loop #1 goes on n times",
        "j = #1",
        "8:25 load 4*n*#0 + image + 4*#1",
    ];
    let lines = shown("rows", "total");
    assert_eq!(
        lines.iter().filter(|line| !line.starts_with("sum")).collect::<Vec<_>>(),
        expected.iter().collect::<Vec<_>>()
    );
}

#[test]
fn steps_of_four_from_a_negative_start() {
    let expected = [
        // ⌈2n/4⌉ = ⌈n/2⌉
        "loop #0 goes on n - floor((n)/2) times",
        "i = -n + 4*#0",
        "5:24 load b + 16*#0",
        "5:35 load c + 16*#0",
        "5:22 store a + 4*n + 16*#0",
    ];
    assert_eq!(shown("strided", "sum"), expected);
}

#[test]
fn walking_pointers_and_loops_that_count_down() {
    let walk = ["loop #0 goes on -1/4*p + 1/4*q times", "p = p + 4*#0", "5:14 store p + 4*#0"];
    assert_eq!(shown("walks", "set"), walk);
    let reverse = [
        "loop #0 goes on n times",
        "i = n - #0 - 1",
        "11:24 load b + 8*n - 8*#0 - 8",
        "11:22 store a + 8*#0",
    ];
    assert_eq!(shown("walks", "reverse"), reverse);
    let counter = ["loop #0 goes on n times", "k = #0 + 10", "i = #0", "6:14 store a + 4*#0 + 40"];
    assert_eq!(shown("counter", "count"), counter);
}

/// `p[i * 3u]` may wrap: nothing is said of it. What the loop counts is known.
#[test]
fn unsigned_products_may_wrap() {
    let lines = shown("walks", "thirds");
    assert_eq!(lines[..2], ["loop #0 goes on n times", "i = #0"]);
    assert!(lines[2].starts_with("17:19 store p + 4*?"), "{lines:?}");
}

/// Fibonacci numbers, triangular numbers, counters that branches change: no closed form, no number of iterations.
#[test]
fn recursions_that_are_not_resolved_stay_unknown() {
    let lines = shown("counters", "unresolved");
    for name in ["i", "previous", "current", "triangle"] {
        let prefix = format!("{name} = {name}?");
        assert!(lines.iter().any(|line| line.starts_with(&prefix)), "{name}: {lines:?}");
    }
    assert_eq!(lines[0], "loop #0 goes on an unknown number of times");
}

/// A loop that is not analysed says why, and nothing else.
#[test]
fn what_is_not_analysed_is_not_described() {
    assert_eq!(shown("unusual", "volatile_store"), ["loop #0 is not analysed: a volatile access"]);
    assert_eq!(shown("unusual", "two_entries"), ["loop #0 is not analysed: it is entered in several places"]);
}

/// The number that an end of single members is: the greatest of them for a lower one, the least for an upper one.
fn end(forms: &Forms<'_>, state: &State<'_>, symbols: &Symbols, of: &Bound, side: Side) -> BigRational {
    let members = of.clauses().iter().map(|clause| number(forms, state, symbols, &clause[0]).unwrap());
    if side == Side::Lower { members.max().unwrap() } else { members.min().unwrap() }
}

/// Runs every function of a module on numbers; gives how many values, numbers of iterations and sections were compared.
fn compare(module: &Module, seeds: u64) -> [usize; 3] {
    let (mut values, mut counts, mut within) = (0, 0, 0);
    for function in module.defined() {
        let function = choices::branched(module, function);
        let control = Control::new(&function);
        let mut forms = Forms::new(module, &function, &control);
        let symbols = symbols(&mut forms);
        // Where each value lies, in the reading in which it is shown.
        let mut sections = HashMap::new();
        for block in function.block_ids() {
            for result in function.block(block).instructions.iter().filter_map(|i| i.result) {
                for reading in [Reading::Signed, Reading::Unsigned] {
                    if forms.bits(function.value(result).of).is_some() {
                        let form = forms.of_value(result, reading);
                        let section = forms.section(block, &form);
                        sections.extend(section.map(|section| ((result, reading), section)));
                    }
                }
            }
        }
        let trips: Vec<_> = control.loops.iter().map(|(id, _)| (id, forms.trips(id))).collect();
        for seed in 0..seeds {
            let mut from = Sequence(seed * 77 + 5);
            let mut state = State::new(module, &function, &control, &mut from);
            let name = module.name(function.symbol);
            let end = state.run(&mut from, 3000, &mut |state, instruction, (block, to)| {
                let Some(instruction) = instruction else {
                    // An edge: the loops that it leaves have run as often as their tests say.
                    for (id, trips) in &trips {
                        let leaves = control.loops.contains(*id, block) && !control.loops.contains(*id, to);
                        for trip in trips.iter().filter(|trip| leaves && trip.exact && trip.test == block) {
                            let count = number(&forms, state, &symbols, &trip.count).unwrap();
                            let real: BigRational = BigInt::from(state.iterations[id.index()]).into();
                            assert_eq!(real, count.max(BigRational::zero()), "{name}: seed {seed}");
                            counts += 1;
                        }
                    }
                    return;
                };
                let Some(result) = instruction.result else { return };
                if forms.bits(function.value(result).of).is_none() {
                    return;
                }
                for reading in [Reading::Signed, Reading::Unsigned] {
                    // Addresses are unsigned.
                    let is_address = forms.bits(function.value(result).of) == Some(64)
                        && module.types.integer_bits(function.value(result).of).is_none();
                    if is_address && reading == Reading::Signed {
                        continue;
                    }
                    let form = forms.of_value(result, reading);
                    let Some(claimed) = number(&forms, state, &symbols, &form) else { continue };
                    let real = concrete(state, result, reading).unwrap();
                    if let Some(Range::Between(lower, upper)) = sections.get(&(result, reading)) {
                        let [least, most] = [(lower, Side::Lower), (upper, Side::Upper)]
                            .map(|(bound, side)| end(&forms, state, &symbols, bound, side));
                        let is_within = least <= real && real <= most;
                        assert!(is_within, "{name}, line {}: {least} {real} {most}", instruction.line);
                        within += usize::from(least < most);
                    }
                    let shown = forms.atoms.show(&form);
                    let line = instruction.line;
                    assert_eq!(claimed, real, "{name}, line {line}: {shown} {reading:?}, seed {seed}");
                    values += usize::from(!form.atoms().is_empty());
                }
            });
            assert!(matches!(end, End::Returned | End::Meaningless | End::Stopped));
        }
    }
    [values, counts, within]
}

/// Every form and every number of iterations, in every source of these tests, in every step of runs on many numbers.
#[test]
fn forms_are_the_values_of_runs() {
    let mut all = [0; 3];
    let runs = kernels::cases(30, 4);
    for source in sources() {
        let module = gpumap::Compiler::find().unwrap().read(&source, &[]).unwrap();
        let compared = compare(&module, runs);
        all = std::array::from_fn(|kind| all[kind] + compared[kind]);
    }
    let most = |of: usize| of * runs as usize / 30;
    assert!(all[0] > most(50_000) && all[1] > most(250) && all[2] > most(5000), "{all:?}");
}

/// The forms of functions of zstd 1.5 are found in bounded time, however large they are; of all with `LOOPWRIGHT_THOROUGH`.
#[test]
fn forms_of_a_large_program_are_bounded() {
    let compiler = gpumap::Compiler::find().unwrap();
    let (mut instructions, mut in_cones, mut accesses) = (0, 0, 0);
    let mut time = std::time::Duration::ZERO;
    let parts: &[&str] =
        if kernels::is_thorough() { &["common", "compress", "decompress"] } else { &["common"] };
    for part in parts {
        for file in support::c_sources(&support::bundled("zstd-sys").join("zstd/lib").join(part)) {
            let module = compiler.read(&file, &[]).unwrap();
            for function in module.defined() {
                let function = choices::branched(&module, function);
                instructions += function.blocks.iter().map(|block| block.instructions.len()).sum::<usize>();
                let start = std::time::Instant::now();
                accesses += show_expressions(&module, &function).lines().count();
                let cone = Cone::new(&module, &function, LENGTH);
                in_cones += cone.function.blocks.iter().map(|block| block.instructions.len()).sum::<usize>();
                let shown = show_ranges(&module, &cone);
                let own = start.elapsed();
                accesses += shown.lines().count();
                assert!(own < std::time::Duration::from_secs(40), "{}", module.name(function.symbol));
                time += own;
            }
        }
    }
    println!("{instructions} instructions, {in_cones} with those called, in {time:?}, {accesses} lines");
    assert!(accesses > kernels::cases(5000, 1500), "{accesses}");
}

/// The same on the kernels.
#[test]
fn forms_are_the_values_of_runs_of_kernels() {
    let mut all = [0; 3];
    let runs = kernels::cases(8, 2);
    for kernel in support::c_sources(&kernels::directory()) {
        let module = gpumap::Compiler::find().unwrap().read(&kernel, &[]).unwrap();
        let compared = compare(&module, runs);
        all = std::array::from_fn(|kind| all[kind] + compared[kind]);
    }
    let most = |of: usize| of * runs as usize / 8;
    assert!(all[0] > most(50_000) && all[1] > most(200) && all[2] > most(5000), "{all:?}");
}
