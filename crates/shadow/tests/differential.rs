//! Random programs against the definition.

use shadow::check::{Observed, Reference, compare};
use shadow::kernels::ALL;
use shadow::{Client, DependenceRun, Gather, Iv, Later, Memory, Operand, Options, Record, Stmt, fuzzing};

/// How many of so many random cases are taken: a third, or all with `LOOPWRIGHT_THOROUGH`.
fn seeds(all: u64) -> u64 {
    if std::env::var_os("LOOPWRIGHT_THOROUGH").is_some() { all } else { all / 3 }
}

#[test]
fn random_programs() {
    for seed in 0..seeds(2500) {
        if let Err(difference) = fuzzing::check(seed) {
            panic!("seed {seed}: {difference}");
        }
    }
}

#[test]
fn kernels() {
    for kernel in ALL {
        for n in [kernel.sizes[0], kernel.sizes[0] / 2 + 5, 7] {
            let mut memory = Memory::new(Options { compact_from: 50 });
            let mut reference = Reference::default();
            let mut observed = Observed::new(kernel.contexts.iter().map(|c| c.to_vec()).collect());
            (kernel.run)(n, &mut |record| {
                memory.record(record, &mut observed);
                reference.record(record);
            });
            if let Err(difference) = compare(&reference, &observed) {
                panic!("{} at {n}: {difference}", kernel.name);
            }
        }
    }
}

/// Accesses of all sizes to one page of single accesses: few odd ones among those of eight bytes, many, and odd ones alone.
#[test]
fn cells_that_accesses_cut() {
    let cases = [(1, 2048, 800), (6, 2048, 800), (9, 5120, 3000)];
    for (seed, (odd, span, steps)) in (0..12).flat_map(|seed| cases.map(|case| (seed, case))) {
        let mut random = fuzzing::Random::new(seed);
        let mut memory = Memory::new(Options { compact_from: 200 });
        let mut reference = Reference::default();
        let mut observed = Observed::new(vec![vec![0, 1]; 12]);
        for step in 0..steps {
            let mut iv = Iv::ZERO;
            (iv.0[0], iv.0[1]) = (step / 25, step % 25);
            let mut operands = Vec::new();
            for stmt in 0..12 {
                let size = if random.below(16) < odd {
                    random.pick(&[1, 2, 3, 4, 12])
                } else {
                    random.pick(&[8, 16])
                };
                let grain = if size % 4 == 0 { u64::from(size.min(8)) } else { 1 };
                let base = (1 << 20) + random.below(span) / grain * grain;
                let operand = Operand { stmt, write: stmt % 3 == 0, base, stride: 0, size };
                operands.extend((random.below(3) == 0).then_some(operand));
            }
            let record = Record { iv, lane: None, count: 1, operands: &operands };
            memory.record(&record, &mut observed);
            reference.record(&record);
        }
        if let Err(difference) = compare(&reference, &observed) {
            panic!("seed {seed}, {odd} of 16 odd: {difference}");
        }
    }
}

/// Strides and addresses at the ends of their ranges: wrapping is exact and nothing overflows.
#[test]
fn extremes() {
    let bases = [0, 3, u64::MAX - 5, u64::MAX, 1 << 63, (1 << 47) - 4];
    let strides = [0, 8, -8, 3, i64::MAX, i64::MIN, 1 << 62, -(1 << 40), 1 << 14];
    for (i, &base) in bases.iter().enumerate() {
        for &stride in &strides {
            let mut memory = Memory::new(Options::default());
            let mut reference = Reference::default();
            let mut observed = Observed::new(vec![vec![0, 1]; 4]);
            for outer in 0..3 {
                let mut iv = Iv::ZERO;
                iv.0[0] = outer;
                let operands = [(0, false, 8), (1, true, 8), (2, true, 4), (3, false, 4096)]
                    .map(|(stmt, write, size)| Operand { stmt, write, base, stride, size });
                let record = Record { iv, lane: Some(1), count: 5 + i as u64, operands: &operands };
                memory.record(&record, &mut observed);
                reference.record(&record);
            }
            memory.forget(0, u64::MAX, &observed);
            if let Err(difference) = compare(&reference, &observed) {
                panic!("base {base:#x} stride {stride}: {difference}");
            }
        }
    }
}

/// Memory follows what is live, not how long the program runs.
#[test]
fn memory_is_bounded_by_live_shadow() {
    let mut memory = Memory::new(Options { compact_from: 1000 });
    let mut observed = Silent;
    let mut sizes = Vec::new();
    for outer in 0..200_000i64 {
        let mut iv = Iv::ZERO;
        iv.0[0] = outer;
        let operands = [
            Operand { stmt: 0, write: false, base: 0x1000, stride: 8, size: 8 },
            Operand { stmt: 1, write: true, base: 0x1000 + 8 * (outer as u64 % 7), stride: 8, size: 8 },
        ];
        memory.record(&Record { iv, lane: Some(1), count: 20, operands: &operands }, &mut observed);
        if outer % 50_000 == 49_999 {
            sizes.push(memory.bytes());
        }
    }
    assert!(sizes[3] < 2 * sizes[0] && sizes[3] < 4 << 20, "{sizes:?}");
}

struct Silent;

impl Client for Silent {
    fn common(&self, _: Stmt, _: Stmt) -> u32 {
        2
    }

    fn dependence(&mut self, _: &DependenceRun) {}
}

/// Regression 1: a page stored to between executions of one gather, and taken again while every load was reported, came
/// back with the sources remembered from before the store.
#[test]
fn regression_1_sources_of_a_gap_taken_again() {
    let mut memory = Memory::new(Options::default());
    let mut reference = Reference::default();
    // A store of everything, the loads, and a store of one element, all in two loops.
    let mut observed = Observed::new(vec![vec![9], vec![0, 1, 2], vec![0, 1]]);
    let at = |t: u64| (1 << 20) + (t % 2) * (1 << 14) + 8 * t;
    let addresses: Vec<u64> = (0..8).map(at).collect();
    for page in [at(0), at(1) - 8] {
        let operands = [Operand { stmt: 0, write: true, base: page, stride: 8, size: 8 }];
        let mut iv = Iv::ZERO;
        iv.0[0] = (page >> 14) as i64 * 100;
        let record = Record { iv, lane: Some(0), count: 16, operands: &operands };
        memory.record(&record, &mut observed);
        reference.record(&record);
    }
    for (outer, inner) in [(0, 0), (0, 1), (0, 2), (0, 3), (1, 0), (1, 1), (1, 2)] {
        let mut iv = Iv::ZERO;
        (iv.0[0], iv.0[1]) = (outer, inner);
        if (outer, inner) == (0, 3) {
            let operands = [Operand { stmt: 2, write: true, base: at(2), stride: 0, size: 8 }];
            let record = Record { iv, lane: None, count: 1, operands: &operands };
            memory.record(&record, &mut observed);
            reference.record(&record);
            continue;
        }
        let pattern = memory.pattern(&addresses).expect("few patterns");
        let gather = Gather { stmt: 1, size: 8, iv, lane: 2, pattern, addresses: &addresses };
        memory.gather_loads(&gather, &mut observed);
        for (t, &base) in addresses.iter().enumerate() {
            let operands = [Operand { stmt: 1, write: false, base, stride: 0, size: 8 }];
            let iv = iv.advanced(2, t as i64);
            reference.record(&Record { iv, lane: None, count: 1, operands: &operands });
        }
    }
    if let Err(difference) = compare(&reference, &observed) {
        panic!("{difference}");
    }
}

/// Loops around the statements of each kind, three of them: before the loop, in two loops inside it, in it, and behind it.
const KINDS: [&[u32]; 5] = [&[7], &[0, 1], &[0], &[0, 2], &[8]];

/// What one entry of a loop, or one iteration of the loop around, executes: numbers of iterations, and operands.
type Entry = Vec<(u64, Vec<Operand>)>;

fn entry(random: &mut fuzzing::Random, kind: usize) -> Entry {
    let is_alone = KINDS[kind] == [0];
    let operand = |random: &mut fuzzing::Random, k: usize| Operand {
        stmt: (3 * kind + k) as Stmt,
        write: random.below(2) == 0,
        base: (1 << 20) + 8 * random.below(100),
        stride: random.pick(&[8, 8, 16, 512, 0]),
        size: random.pick(&[8, 8, 8, 4, 16]),
    };
    let record = |random: &mut fuzzing::Random| {
        let count = if is_alone { 1 } else { random.pick(&[1, 2, 9, 30]) };
        let operands = 1 + random.below(3) as usize;
        (count, (0..operands).map(|k| operand(random, k)).collect())
    };
    let records = if is_alone { 1 } else { 1 + random.below(3) };
    (0..records).map(|_| record(random)).collect()
}

/// Hands on what an iteration of the loop around executes.
fn execute(kind: usize, outer: i64, entry: &Entry, take: &mut dyn FnMut(&Record)) {
    let mut done = 0;
    for (count, operands) in entry {
        let mut iv = Iv::ZERO;
        match KINDS[kind] {
            [0] => iv.0[0] = outer,
            [0, _] => (iv.0[0], iv.0[1]) = (outer, done),
            _ => iv.0[0] = done,
        }
        let lane = (*count > 1).then_some(KINDS[kind].len() as u8 - 1);
        take(&Record { iv, lane, count: *count, operands });
        done += *count as i64;
    }
}

/// Iterations like the latest one, moved over instead of applied: accesses behind them find what they would have found.
#[test]
fn iterations_moved_over() {
    let contexts: Vec<Vec<u32>> = (0..15).map(|s| KINDS[s / 3].to_vec()).collect();
    let mut moved = 0;
    for seed in 0..seeds(1500) {
        let random = &mut fuzzing::Random::new(seed);
        let mut memory = Memory::new(Options { compact_from: random.pick(&[40, 1000]) });
        let mut reference = Reference::default();
        let mut observed = Observed::new(contexts.clone());
        let body = [1, 2, 3].map(|kind| (kind, entry(random, kind)));
        let (before, other, behind) = (entry(random, 0), entry(random, 3), entry(random, 4));
        let latest = 4 + random.below(3) as i64;
        let by = 1 + random.below(9) as i64;
        let last = latest + by;
        let mut both = |record: &Record| {
            memory.record(record, &mut observed);
            reference.record(record);
        };
        execute(0, 0, &before, &mut both);
        for t in 0..=latest {
            if t == latest - 3 {
                execute(3, t, &other, &mut both);
            }
            body.iter()
                .filter(|b| t != latest - 3 || b.0 < 3)
                .for_each(|(kind, b)| execute(*kind, t, b, &mut both));
        }
        let is_inside = |stmt: Stmt| (3..12).contains(&stmt);
        if !memory.move_on(&Later { dim: 0, latest: &Iv::along(0, latest), by, is_inside: &is_inside }) {
            continue;
        }
        moved += 1;
        for t in latest + 1..=last {
            body.iter().for_each(|(kind, b)| execute(*kind, t, b, &mut |record| reference.record(record)));
        }
        reference.drop_dependences();
        observed = Observed::new(contexts.clone());
        let mut both = |record: &Record| {
            memory.record(record, &mut observed);
            reference.record(record);
        };
        execute(1, last + 1, &body[0].1, &mut both);
        execute(3, last + 1, &other, &mut both);
        body.iter().for_each(|(kind, b)| execute(*kind, last + 2, b, &mut both));
        execute(4, 0, &behind, &mut both);
        if let Err(difference) = compare(&reference, &observed) {
            panic!("seed {seed}: {difference}");
        }
    }
    assert!(moved > seeds(750), "{moved}");
}
