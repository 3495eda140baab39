//! The numbers that forms are in a run.

use gpumap::ir::{Operand, Value, ValueId};
use gpumap::recurrence::{Forms, Reading};
use gpumap::symbolic::{Atom, AtomId, Polynomial};
use num_bigint::BigInt;
use num_rational::BigRational;

use super::interpreter::{State, address_of};

/// The atoms of parameters, and what they stand for.
pub type Symbols = Vec<(AtomId, ValueId, Reading)>;

/// Those of a function.
pub fn symbols(forms: &mut Forms<'_>) -> Symbols {
    let mut symbols = Vec::new();
    for parameter in &forms.function.parameters {
        for reading in [Reading::Signed, Reading::Unsigned] {
            let form = forms.of_value(parameter.value, reading);
            symbols.extend(form.atoms().into_iter().map(|atom| (atom, parameter.value, reading)));
        }
    }
    symbols
}

/// The number that a form is in a state.
pub fn number(
    forms: &Forms<'_>,
    state: &State<'_>,
    symbols: &[(AtomId, ValueId, Reading)],
    of: &Polynomial,
) -> Option<BigRational> {
    forms.atoms.value(of, &|atom| match forms.atoms.get(atom) {
        Atom::Induction(id, _) => Some(BigInt::from(state.iterations[*id]).into()),
        Atom::Opaque(code) => {
            let reading = if code % 2 == 0 { Reading::Signed } else { Reading::Unsigned };
            concrete(state, ValueId::new(*code as usize / 2), reading)
        }
        Atom::Symbol(name) => match symbols.iter().find(|symbol| symbol.0 == atom) {
            Some(&(_, value, reading)) => concrete(state, value, reading),
            None => Some(BigInt::from(address_of(name.strip_prefix('&')?)).into()),
        },
        _ => None,
    })
}

/// The number that a value is in a state.
pub fn concrete(state: &State<'_>, value: ValueId, reading: Reading) -> Option<BigRational> {
    let operand = Operand { of: state.function.value(value).of, value: Value::Local(value) };
    let number: BigInt = match reading {
        Reading::Signed => state.signed(operand)?.into(),
        Reading::Unsigned => state.unsigned(operand)?.into(),
    };
    Some(number.into())
}
