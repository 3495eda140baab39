//! Random programs against the definition.

use shadow::check::{Observed, Reference, compare};
use shadow::kernels::ALL;
use shadow::{Memory, Options, fuzzing};

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
