//! Directives of OpenMP and OpenACC, with the sections that a loop uses.
//!
//! The directive stands before the loop, or before the outer one of a nest. Sections are those of the whole loop, in elements of the
//! pointers as the source declares them: a section that does not begin and end with an element is made larger. They hold for a loop
//! that runs at least once. Reductions are those that the source shows: a variable that is set to itself combined with something.
//! What has no expression in the source's terms has no directive, and why not is said.
//!
//! Source: OpenMP 5.2, 5.8 "Data-mapping" and 13.8; OpenACC 3.3, 2.7.

use std::fmt;

use num_bigint::BigInt;

use super::expression;
use crate::access::Accesses;
use crate::control::{Control, LoopId};
use crate::ir::instruction::{BinaryOperator, Callee};
use crate::ir::{Instruction, Operand, Operation, Value, ValueId};
use crate::memory::Object;
use crate::offload::observed::{Change, Reduced, Storage};
use crate::offload::{Candidate, Direction, Friendly, Kind, Parameter, Parameters};
use crate::recurrence::Forms;
use crate::symbolic::{Atoms, Bound, Polynomial, Range, Side};

/// Most operations of one iteration on a variable that is reduced.
const MOST: usize = 64;

/// Whose directives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// OpenMP.
    OpenMp,
    /// OpenACC.
    OpenAcc,
}

/// Why there is no directive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// The loop cannot run on a device.
    Unfriendly,
    /// It is not known which array an access in this line goes to.
    Stray(u32),
    /// It is not known which bytes of this array are used.
    Unbounded(String),
    /// The bytes used of this array have no expression in the terms of the source.
    Unnamed(String),
    /// The size of the elements of this array is not known.
    Element(String),
    /// This variable comes out, and it is not a reduction that is recognised.
    Outbound(String),
    /// Iterations combine something in memory into one, which clauses cannot say.
    Reduction(Option<String>),
    /// Something has to become of this variable that clauses cannot say.
    Storage(String, Change),
    /// This variable comes out, which kernels leave to directives.
    Combined(String),
    /// This variable may keep its value from iteration to iteration.
    Variable(String),
    /// The number of iterations has no expression in the terms of the source.
    Count,
    /// The text of the source does not tell.
    Source(source::Uncut),
}

impl From<source::Uncut> for Refusal {
    fn from(why: source::Uncut) -> Refusal {
        Refusal::Source(why)
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Unfriendly => to.write_str("the loop cannot run on a device"),
            Refusal::Stray(line) => write!(to, "line {line}: it is not known which array is accessed"),
            Refusal::Unbounded(name) => write!(to, "it is not known which bytes of {name} are used"),
            Refusal::Unnamed(name) => {
                write!(to, "what is used of {name} has no expression in terms of the source")
            }
            Refusal::Element(name) => write!(to, "the size of the elements of {name} is not known"),
            Refusal::Reduction(Some(name)) => write!(to, "iterations combine what they add to {name}"),
            Refusal::Reduction(None) => to.write_str("iterations combine something that has no name"),
            Refusal::Storage(name, change) => write!(to, "{name} is shared: it needs {change}"),
            Refusal::Combined(name) => write!(to, "{name} comes out: directives say so (--emit omp, acc)"),
            Refusal::Variable(name) => write!(to, "{name} may keep its value from iteration to iteration"),
            Refusal::Count => {
                to.write_str("the number of iterations has no expression in terms of the source")
            }
            Refusal::Source(why) => why.fmt(to),
            Refusal::Outbound(name) => write!(to, "{name} comes out, and no reduction is recognised"),
        }
    }
}

/// The directive of a candidate, in one line.
///
/// # Errors
///
/// Why there is none.
pub fn directive(
    control: &Control,
    accesses: &mut Accesses<'_>,
    candidate: &Candidate,
    parameters: &Parameters,
    dialect: Dialect,
) -> Result<String, Refusal> {
    let &[outer, ..] = candidate.loops.as_slice() else { return Err(Refusal::Unfriendly) };
    if candidate.friendly == Friendly::No {
        return Err(Refusal::Unfriendly);
    }
    if let Some(&line) = parameters.strays.first() {
        return Err(Refusal::Stray(line));
    }
    let mut clauses = Clauses::default();
    for parameter in &parameters.list {
        match (parameter.kind, parameter.direction) {
            (Kind::Scalar, Direction::In) => {}
            (Kind::Scalar, _) => {
                let operator = reduction(accesses.proved_mut(), control, outer, &parameter.name);
                let operator = operator.ok_or_else(|| Refusal::Outbound(parameter.name.clone()))?;
                clauses.reductions.push((operator, parameter.name.clone()));
            }
            _ if candidate.storage.iter().any(|storage| storage.name == parameter.name) => {}
            _ => clauses.arrays.push((parameter.direction, array(accesses, parameter)?)),
        }
    }
    for Reduced { object, is_array } in &candidate.reduced {
        let is_said = match object {
            Some(name) => clauses.reductions.iter().any(|reduction| reduction.1 == *name),
            None => !clauses.reductions.is_empty(),
        };
        if *is_array || !is_said {
            return Err(Refusal::Reduction(object.clone()));
        }
    }
    for Storage { name, change } in &candidate.storage {
        if *change != Change::Private || !is_name(name) {
            return Err(Refusal::Storage(name.clone(), *change));
        }
        clauses.private.push(name.clone());
    }
    let levels = if candidate.repeated.is_empty() { candidate.loops.len() } else { 1 };
    Ok(clauses.text(dialect, levels))
}

/// Whether a name can stand in a clause.
fn is_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|part| part.is_ascii_alphanumeric() || part == '_')
}

#[derive(Debug, Default)]
struct Clauses {
    arrays: Vec<(Direction, String)>,
    reductions: Vec<(&'static str, String)>,
    private: Vec<String>,
}

impl Clauses {
    fn text(&self, dialect: Dialect, levels: usize) -> String {
        let mut out = String::from(match dialect {
            Dialect::OpenMp => "#pragma omp target teams distribute parallel for",
            Dialect::OpenAcc => "#pragma acc parallel loop",
        });
        if levels > 1 {
            out += &format!(" collapse({levels})");
        }
        for direction in [Direction::In, Direction::Out, Direction::InOut] {
            let arrays: Vec<&str> = self
                .arrays
                .iter()
                .filter(|array| array.0 == direction)
                .map(|array| array.1.as_str())
                .collect();
            if arrays.is_empty() {
                continue;
            }
            let list = arrays.join(", ");
            out += &match (dialect, direction) {
                (Dialect::OpenMp, Direction::In) => format!(" map(to: {list})"),
                (Dialect::OpenMp, Direction::Out) => format!(" map(from: {list})"),
                (Dialect::OpenMp, Direction::InOut) => format!(" map(tofrom: {list})"),
                (Dialect::OpenAcc, Direction::In) => format!(" copyin({list})"),
                (Dialect::OpenAcc, Direction::Out) => format!(" copyout({list})"),
                (Dialect::OpenAcc, Direction::InOut) => format!(" copy({list})"),
            };
        }
        for (operator, name) in &self.reductions {
            if dialect == Dialect::OpenMp {
                out += &format!(" map(tofrom: {name})");
            }
            out += &format!(" reduction({operator}: {name})");
        }
        if !self.private.is_empty() {
            out += &format!(" private({})", self.private.join(", "));
        }
        out
    }
}

/// An array with its section in elements; variables that are arrays themselves are taken whole.
fn array(accesses: &mut Accesses<'_>, of: &Parameter) -> Result<String, Refusal> {
    let Some(object) = of.object else { return Err(Refusal::Unbounded(of.name.clone())) };
    if matches!(object, Object::Global(_) | Object::Local(_)) {
        return if is_name(&of.name) { Ok(of.name.clone()) } else { Err(Refusal::Unnamed(of.name.clone())) };
    }
    let forms = accesses.forms_of(&of.known);
    let element = forms.memory().and_then(|memory| memory.names().element_size(object));
    let Some(Range::Between(lower, upper)) = &of.section else {
        return Err(Refusal::Unbounded(of.name.clone()));
    };
    let is_variable = of.name.chars().all(|part| part.is_ascii_alphanumeric() || "_->.".contains(part));
    let section = match (element, object) {
        (Some(element), _) => elements(&mut forms.atoms, lower, upper, element),
        // Rows whose length is a variable's value: the compiler knows their size.
        (None, Object::Argument(_)) => rows(&forms.atoms, lower, upper, &of.name),
        (None, _) => return Err(Refusal::Element(of.name.clone())),
    };
    let (first, count) = section.filter(|_| is_variable).ok_or_else(|| Refusal::Unnamed(of.name.clone()))?;
    Ok(format!("{}[{first}:{count}]", of.name))
}

/// First element and number of elements of an array whose elements have a size that is known when the program runs.
fn rows(atoms: &Atoms, lower: &Bound, upper: &Bound, name: &str) -> Option<(String, String)> {
    let size = format!("(long)sizeof(*{name})");
    let first = expression::bound(atoms, lower, Side::Lower)?;
    let end = expression::bound(atoms, upper, Side::Upper)?;
    if lower.single().is_some_and(Polynomial::is_zero) {
        return Some(("0".into(), format!("({end} + {size} - 1) / {size}")));
    }
    // Nothing is used before the array, so rounding towards zero is rounding down.
    let first = format!("({first}) / {size}");
    Some((first.clone(), format!("({end} + {size} - 1) / {size} - {first}")))
}

/// First element and number of elements.
fn elements(atoms: &mut Atoms, lower: &Bound, upper: &Bound, size: u64) -> Option<(String, String)> {
    let size = BigInt::from(size);
    let lower = divided(lower, |end| atoms.floor(end, &size))?;
    let upper = divided(upper, |end| atoms.ceiling(end, &size))?;
    let first = expression::bound(atoms, &lower, Side::Lower)?;
    let count = match (lower.single(), upper.single()) {
        (Some(first), Some(end)) => expression::expression(atoms, &(end - first))?,
        _ => format!("({}) - ({first})", expression::bound(atoms, &upper, Side::Upper)?),
    };
    Some((first, count))
}

/// A bound with all members divided; `None` if one cannot be.
fn divided(of: &Bound, mut divide: impl FnMut(&Polynomial) -> Option<Polynomial>) -> Option<Bound> {
    let clauses =
        of.clauses().iter().map(|clause| clause.iter().map(&mut divide).collect::<Option<Vec<_>>>());
    Some(Bound::of(clauses.collect::<Option<Vec<_>>>()?)).filter(|bound| !bound.is_none())
}

/// The operator by which a loop combines a variable with something in every iteration, as clauses name it.
fn reduction(forms: &Forms<'_>, control: &Control, id: LoopId, name: &str) -> Option<&'static str> {
    let header = control.loops.get(id).header;
    let memory = forms.memory()?;
    forms.function.block(header).instructions.iter().find_map(|instruction| {
        let Operation::Phi(inputs) = &instruction.operation else { return None };
        let result = instruction.result?;
        if memory.names().value(result).as_deref() != Some(name) {
            return None;
        }
        let back = inputs.iter().find(|input| control.loops.contains(id, input.1))?;
        let Value::Local(last) = back.0.value else { return None };
        combined(forms, control, id, (result, last))
    })
}

/// The operator of a chain from one value of an iteration to the last one; each value of it has one use in the loop, the next one.
fn combined(
    forms: &Forms<'_>,
    control: &Control,
    id: LoopId,
    (first, last): (ValueId, ValueId),
) -> Option<&'static str> {
    let (mut at, mut all) = (first, None);
    // Chains are as long as they are written.
    for _ in 0..MOST {
        let (operator, next) = next_of(forms, control, id, at)?;
        if all.is_some_and(|known| known != operator) {
            return None;
        }
        all = Some(operator);
        if next == last {
            let is_used = |user: &&Instruction| user.result != Some(first);
            return if uses(forms, control, id, next).iter().any(is_used) { None } else { all };
        }
        at = next;
    }
    None
}

/// The instructions of a loop that use a value.
fn uses<'f>(forms: &Forms<'f>, control: &Control, id: LoopId, value: ValueId) -> Vec<&'f Instruction> {
    let blocks = control.loops.get(id).blocks.iter();
    let all = blocks.flat_map(|&block| &forms.function.block(block).instructions);
    let is_user = |instruction: &&Instruction| {
        instruction.operation.operands().iter().any(|operand| operand.value == Value::Local(value))
    };
    all.filter(is_user).collect()
}

/// What a value becomes in its one use, and by which operator.
fn next_of(
    forms: &Forms<'_>,
    control: &Control,
    id: LoopId,
    value: ValueId,
) -> Option<(&'static str, ValueId)> {
    let users = uses(forms, control, id, value);
    let &[user] = users.as_slice() else { return None };
    let is_value = |operand: &Operand| operand.value == Value::Local(value);
    let operator = match &user.operation {
        Operation::Binary(operator, _, left, right) if is_value(left) != is_value(right) => match operator {
            BinaryOperator::Add | BinaryOperator::AddFloat => "+",
            BinaryOperator::Multiply | BinaryOperator::MultiplyFloat => "*",
            BinaryOperator::And => "&",
            BinaryOperator::Or => "|",
            BinaryOperator::Xor => "^",
            _ => return None,
        },
        // A product and a sum in one.
        Operation::Call { callee: Callee::Symbol(symbol), arguments, .. } => {
            let is_sum = forms.module.name(*symbol).starts_with("llvm.fmuladd.");
            let is_summand = |(place, argument): (usize, &Operand)| is_value(argument) == (place == 2);
            if !is_sum || !arguments.iter().enumerate().all(is_summand) {
                return None;
            }
            "+"
        }
        _ => return None,
    };
    Some((operator, user.result?))
}
