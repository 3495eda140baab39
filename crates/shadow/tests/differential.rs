//! Random programs against the definition.

use shadow::check::{Observed, Reference, compare};
use shadow::kernels::ALL;
use shadow::{Client, DependenceRun, Iv, Memory, Operand, Options, Record, Stmt, fuzzing};

#[test]
fn random_programs() {
    for seed in 0..2500 {
        if let Err(difference) = fuzzing::check(seed) {
            panic!("seed {seed}: {difference}");
        }
    }
}

#[test]
fn kernels() {
    for kernel in ALL {
        for n in [kernel.sizes[0], kernel.sizes[0] + 5, 7] {
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
