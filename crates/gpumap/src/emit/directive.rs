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

use source::head;

use super::expression;
use crate::access::{Accesses, Reach};
use crate::control::{Control, LoopId};
use crate::frontend::Texts;
use crate::ir::{Module, Operation};
use crate::memory::Object;
use crate::offload::observed::{Change, Reduced, Storage};
use crate::offload::{Candidate, Direction, Friendly, Kind, Parameter, Parameters, reduction};
use crate::recurrence::Forms;
use crate::symbolic::{Atoms, Bound, Coefficient, Polynomial, Range, Side};

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
    /// Whether its iterations depend on each other is not known.
    Open,
    /// Something stands before the loop on this line, where the directive would have to.
    Behind(u32),
    /// The loop on this line is not of the form that directives need.
    Form(u32),
    /// It is not known which array an access in this line goes to.
    Stray(u32),
    /// It is not known which bytes of this array are used.
    Unbounded(String),
    /// What is used of this array may begin before it does.
    Before(String),
    /// Something else is assigned to this pointer: what is used behind it is known from where it began.
    Moved(String),
    /// There is one such array for each element of another one: each would have to be copied by itself.
    Several(String),
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
            Refusal::Open => to.write_str(
                "whether iterations depend on each other is not known: a run shows it (`loopwright profile`, --profile)",
            ),
            Refusal::Behind(line) => write!(to, "line {line}: something stands before the loop on its line"),
            Refusal::Form(line) => {
                write!(to, "line {line}: the loop is no `for` that sets, compares and moves one variable")
            }
            Refusal::Stray(line) => write!(to, "line {line}: it is not known which array is accessed"),
            Refusal::Unbounded(name) => write!(to, "it is not known which bytes of {name} are used"),
            Refusal::Before(name) => {
                write!(to, "what is used of {name} may begin before it does, where conditions decide")
            }
            Refusal::Moved(name) => write!(to, "{name} does not point to the same place all the time"),
            Refusal::Several(name) => {
                write!(to, "{name} is another array in each iteration, and each would have to be copied by itself")
            }
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
    (dialect, texts): (Dialect, &Texts),
) -> Result<String, Refusal> {
    let &[outer, ..] = candidate.loops.as_slice() else { return Err(Refusal::Unfriendly) };
    match candidate.friendly {
        Friendly::Yes => {}
        Friendly::Unknown => return Err(Refusal::Open),
        Friendly::No => return Err(Refusal::Unfriendly),
    }
    if let Some(&line) = parameters.strays.first() {
        return Err(Refusal::Stray(line));
    }
    let mut clauses = Clauses::default();
    let is_scalar = |parameter: &&Parameter| parameter.kind == Kind::Scalar;
    for Parameter { name, .. } in
        parameters.list.iter().filter(is_scalar).filter(|parameter| parameter.direction != Direction::In)
    {
        let operator = reduction(accesses.proved_mut(), control, outer, name);
        let operator = operator.ok_or_else(|| Refusal::Outbound(name.clone()))?;
        clauses.reductions.push((operator, name.clone()));
    }
    let module = accesses.proved_mut().module;
    let most = if candidate.repeated.is_empty() { candidate.loops.len() } else { 1 };
    let (levels, iterators) = levels(module, control, &candidate.loops, most, texts)?;
    let is_array = |parameter: &&Parameter| parameter.kind != Kind::Scalar;
    for parameter in parameters.list.iter().filter(is_array) {
        if candidate.storage.iter().all(|storage| storage.name != parameter.name) {
            let Section { text, is_exact } = array(accesses, parameter)?;
            let direction = match parameter.direction {
                // What is copied beside what is written has to stay as it was.
                Direction::Out if !is_exact => Direction::InOut,
                direction => direction,
            };
            clauses.arrays.push((direction, text));
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
    for (&id, iterator) in candidate.loops.iter().zip(&iterators) {
        moved_on(accesses.proved_mut(), control, id, iterator)?;
    }
    Ok(clauses.text(dialect, levels))
}

/// Whether nothing but the iterator of a loop and reductions is handed on from one iteration to the next: a thread would begin with what
/// there was before the loop.
fn moved_on(forms: &Forms<'_>, control: &Control, id: LoopId, iterator: &str) -> Result<(), Refusal> {
    let header = forms.function.block(control.loops.get(id).header);
    for phi in header.instructions.iter().filter(|one| matches!(one.operation, Operation::Phi(_))) {
        let name = phi.result.zip(forms.memory()).and_then(|(result, memory)| memory.names().value(result));
        let is_reduced = || reduction::operator(forms.module, forms.function, control, id, phi).is_some();
        if name.as_deref() != Some(iterator) && !is_reduced() {
            return Err(Refusal::Variable(name.unwrap_or_else(|| "a value without a name".into())));
        }
    }
    Ok(())
}

/// How many of nested loops a directive is for, of so many at most: those of the form that it needs, with nothing between them. Gives their
/// iterators too.
fn levels(
    module: &Module,
    control: &Control,
    loops: &[LoopId],
    most: usize,
    texts: &Texts,
) -> Result<(usize, Vec<String>), Refusal> {
    let (mut end, mut iterators) = (None, Vec::new());
    for (level, &id) in loops.iter().take(most).enumerate() {
        let place = control.loops.get(id).places(module).map(|places| places.0);
        let found = place.and_then(|place| {
            let text = texts.of(place.file)?;
            let at = (place.line, place.column);
            let is_next = end.is_none_or(|end| head::is_perfect(&text, end, at));
            head::canonical(&text, at).filter(|_| is_next)
        });
        if let (0, Some(place)) = (level, place)
            && let Some(text) = texts.of(place.file)
            && !head::begins_line(&text, (place.line, place.column))
        {
            return Err(Refusal::Behind(place.line));
        }
        match found {
            Some(found) => {
                end = Some(found.end);
                iterators.push(found.iterator);
            }
            None if level == 0 => return Err(Refusal::Form(place.map_or(0, |place| place.line))),
            None => return Ok((level, iterators)),
        }
    }
    Ok((most, iterators))
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

/// An array with its section.
struct Section {
    text: String,
    /// Whether it has no bytes but those that are used.
    is_exact: bool,
}

/// An array with its section in elements; variables that are arrays themselves are taken whole.
fn array(accesses: &mut Accesses<'_>, of: &Parameter) -> Result<Section, Refusal> {
    copied(accesses, of)?;
    let Some(object) = of.object else { return Err(Refusal::Unbounded(of.name.clone())) };
    let memory = accesses.forms_of(&of.known).memory();
    if memory.is_some_and(|memory| memory.names().is_by_name(object)) {
        let text = Some(of.name.clone()).filter(|name| is_name(name));
        let text = text.ok_or_else(|| Refusal::Unnamed(of.name.clone()))?;
        return Ok(Section { text, is_exact: false });
    }
    let forms = accesses.forms_of(&of.known);
    let element = forms.memory().and_then(|memory| memory.names().element_size(object));
    let Some(Range::Between(lower, upper)) = &of.section else {
        return Err(Refusal::Unbounded(of.name.clone()));
    };
    let is_variable = of.name.chars().all(|part| part.is_ascii_alphanumeric() || "_->.".contains(part));
    let mut is_exact = false;
    let section = match (element, object) {
        (Some(element), _) => {
            is_exact = is_whole(lower, element) && is_whole(upper, element);
            elements(&mut forms.atoms, lower, upper, element)
        }
        // Rows whose length is a variable's value: the compiler knows their size.
        (None, Object::Argument(_)) => rows(&forms.atoms, lower, upper, &of.name),
        (None, _) => return Err(Refusal::Element(of.name.clone())),
    };
    let (first, count) = section.filter(|_| is_variable).ok_or_else(|| Refusal::Unnamed(of.name.clone()))?;
    Ok(Section { text: format!("{}[{first}:{count}]", of.name), is_exact })
}

/// Whether an end lies between elements of this size.
fn is_whole(of: &Bound, size: u64) -> bool {
    let part = Coefficient::inverse(&BigInt::from(size));
    of.clauses().iter().flatten().all(|end| end.scaled(&part).is_integral())
}

/// Whether the section of an array can be copied.
///
/// # Errors
///
/// Why it cannot.
pub(super) fn copied(accesses: &mut Accesses<'_>, of: &Parameter) -> Result<(), Refusal> {
    if of.is_several {
        return Err(Refusal::Several(of.name.clone()));
    }
    let memory = accesses.forms_of(&of.known).memory();
    let names = memory.map(|memory| memory.names()).zip(of.object);
    if names.is_some_and(|(names, object)| !names.is_steady(object)) {
        return Err(Refusal::Moved(of.name.clone()));
    }
    if of.reach == Reach::Before {
        return Err(Refusal::Before(of.name.clone()));
    }
    Ok(())
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
    let (lower, upper) = (expression::expressible(atoms, &lower), expression::expressible(atoms, &upper));
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
    forms.function.block(header).instructions.iter().find_map(|phi| {
        let is_phi = matches!(phi.operation, Operation::Phi(_));
        if !is_phi || memory.names().value(phi.result?).as_deref() != Some(name) {
            return None;
        }
        reduction::operator(forms.module, forms.function, control, id, phi)
    })
}
