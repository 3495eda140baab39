//! Bytes that are copied to a device and back.

use num_bigint::BigInt;
use num_traits::{ToPrimitive, Zero};

use crate::access::Accesses;
use crate::offload::{Direction, Kind, Parameter, Parameters};
use crate::symbolic::{Polynomial, Range};

/// A number of bytes. Arrays are described in the terms of what is proved, or of what is assumed: each have a sum of their own.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Volume {
    proved: Polynomial,
    assumed: Polynomial,
}

/// Bytes that are copied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Copies {
    /// Before the kernel; `None` if that is not known.
    pub inwards: Option<Volume>,
    /// After it.
    pub outwards: Option<Volume>,
}

impl Copies {
    /// Those of a kernel with these parameters.
    pub fn new(parameters: &Parameters) -> Copies {
        let all = |but: Direction| {
            let others = parameters.list.iter().filter(|parameter| parameter.direction != but);
            others.filter(|_| parameters.strays.is_empty()).try_fold(Volume::default(), Volume::with)
        };
        let is_known = parameters.strays.is_empty();
        Copies {
            inwards: all(Direction::Out).filter(|_| is_known),
            outwards: all(Direction::In).filter(|_| is_known),
        }
    }
}

impl Volume {
    /// That of one parameter.
    pub fn of(parameter: &Parameter) -> Option<Volume> {
        Volume::default().with(parameter)
    }

    fn with(mut self, parameter: &Parameter) -> Option<Volume> {
        let sum = if parameter.known.is_assumed() { &mut self.assumed } else { &mut self.proved };
        *sum = &*sum + &bytes(parameter)?;
        Some(self)
    }

    /// The number, where it is one.
    pub fn number(&self) -> Option<u64> {
        (self.proved.integer()? + self.assumed.integer()?).to_u64()
    }

    /// As it is written, in terms of inputs.
    pub fn show(&self, accesses: &mut Accesses<'_>) -> String {
        if let Some(number) = self.number() {
            return number.to_string();
        }
        let assumed = accesses.assumed_mut().atoms.show(&self.assumed);
        let proved = accesses.proved_mut().atoms.show(&self.proved);
        match (self.proved.is_zero(), self.assumed.is_zero()) {
            (_, true) => proved,
            (true, _) => assumed,
            _ => format!("{proved} + {assumed}"),
        }
    }
}

/// Bytes of an array that are used; none of a number.
pub fn bytes(of: &Parameter) -> Option<Polynomial> {
    let bytes = match &of.section {
        Some(Range::Between(lower, upper)) => upper.single()? - lower.single()?,
        Some(Range::Unreached) => Polynomial::default(),
        None => Some(Polynomial::default()).filter(|_| of.kind == Kind::Scalar)?,
    };
    // Of a loop that does not run the end lies before the start.
    Some(bytes.integer().map_or(bytes, |number| number.max(BigInt::zero()).into()))
}
