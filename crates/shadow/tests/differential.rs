//! Random programs against the definition.

use shadow::fuzzing;

#[test]
fn random_programs() {
    for seed in 0..2500 {
        if let Err(difference) = fuzzing::check(seed) {
            panic!("seed {seed}: {difference}");
        }
    }
}
