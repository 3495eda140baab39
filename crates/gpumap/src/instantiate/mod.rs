//! Values that inputs of a function had in a run.
//!
//! How often a loop went on in the run, and how often it does by its source, are an *equation* ([`equations`]). Equations of a
//! function are solved together for inputs, for contents of memory that stay the same, and for values without a closed form
//! ([`solving`]); all solutions are kept. What has one value is an input of that value for the analyses, which then know more than
//! in terms of inputs; what rests on it is *from run*.
//!
//! A value that is given (`--set`) counts more than one that is solved for. If both, or two loops, contradict each other, that is said
//! and neither's equation is used.
//!
//! Source: ALGORITHMS 7.3 and 8.5; thesis, chapter 6, with research note 18.

pub mod equations;
pub mod show;
pub mod solving;

use num_bigint::BigInt;

use crate::access::Accesses;
use crate::control::Control;
use crate::ir::Module;
use crate::offload::Observed;
use crate::recurrence::Given;

pub use equations::{Counted, Unused};
pub use solving::{Conflict, Solved};

use solving::System;

/// What a run says about the inputs of a function.
#[derive(Debug, Clone, Default)]
pub struct Instance {
    /// The loops that ran, as their equations or why they have none.
    pub counted: Vec<Counted>,
    /// What was solved for, by name; several values if they cannot be told apart.
    pub values: Vec<Solved>,
    /// What contradicts the equations.
    pub conflicts: Vec<Conflict>,
    /// What was given, and what has one value.
    pub given: Given,
}

impl Instance {
    /// What the loops of a function say about its inputs, `accesses` being in terms of inputs.
    pub fn new(
        module: &Module,
        control: &Control,
        accesses: &mut Accesses<'_>,
        observed: Option<&Observed>,
        given: &Given,
    ) -> Instance {
        let mut instance = Instance { given: given.clone(), ..Instance::default() };
        let Some(observed) = observed else { return instance };
        let (counted, equations) = equations::equations(module, control, accesses, observed);
        instance.counted = counted;
        if equations.is_empty() {
            return instance;
        }
        let system = System::new(accesses.assumed_mut(), equations, given);
        let (values, conflicts) = system.solved();
        for value in values.iter().filter(|value| value.is_input) {
            if let [number] = value.numbers.as_slice()
                && given.value(&value.name).is_none()
            {
                instance.given.set(&value.name, number.clone());
            }
        }
        (instance.values, instance.conflicts) = (values, conflicts);
        instance
    }

    /// Whether inputs have values.
    pub fn has_values(&self) -> bool {
        !self.given.is_empty()
    }
}

/// A number that can be counted.
fn number(count: u64) -> BigInt {
    BigInt::from(count)
}
