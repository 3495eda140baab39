//! Whether iterations of a loop depend on each other, as far as the program itself shows.
//!
//! *Memory.* Of two accesses to one object of which one writes, offsets in iterations k ≠ k′ of the loop, and any iterations of the loops
//! inside, differ by d = Σ s·δ + r. The sum is over the loops that both are in and that move both by the same step s, δ is how
//! far their iterations are apart, and r lies between ends that follow from all else. If for one of these loops |s| is at least what
//! the other ones, r and the size of an access add up to, then the accesses meet only where its δ is zero; so on without it.
//! When the loop itself is found so, its iterations do not meet: positions in a number with mixed radices. They do not
//! meet either if |r| is at least what all loops and the size add up to.
//!
//! *Numbers.* What the φ at the loop's header are in an iteration follows from its number, or is a reduction.
//!
//! A dependence is *shown* if two accesses that no condition decides about are at a constant distance that is a multiple of the loop's
//! step, or at the same place in all iterations, and if a number is handed on in another way. Objects of different origin are not
//! compared here: that they do not overlap is checked before a kernel runs (`parameters`).
//!
//! Source: Goff, Kennedy, Tseng, "Practical dependence testing", PLDI 1991; Maslov, "Delinearization", PLDI 1992; ALGORITHMS 8.1.

use num_bigint::BigInt;

use super::observed::Carried;
use super::parameters::{assume, calls_that_touch, is_own};
use super::reduction;
use crate::access::{Access, Accesses};
use crate::control::{Control, LoopId};
use crate::ir::{BlockId, Module, Operation};
use crate::memory::captured::captured;
use crate::memory::overlap::{Distinct, Overlap};
use crate::memory::{Assumption, Object};
use crate::recurrence::{Forms, Reading};
use crate::symbolic::{Coefficient, Facts, Polynomial, Prover, Range};

/// Most pairs of accesses that are compared in a loop.
const PAIRS: usize = 4_000;

/// What is known of the iterations of a loop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Dependence {
    /// They do not depend on each other, if these assumptions hold.
    None(Vec<Assumption>),
    /// They do.
    Carried(Carried),
    /// A variable keeps its value from one to the next.
    Kept(Option<u32>, String),
    /// That is not known; the object and the lines of the first accesses of which it is not, if it is for these.
    Unknown(Option<Carried>),
}

/// Whether iterations of a loop depend on each other.
pub fn dependence(module: &Module, control: &Control, accesses: &mut Accesses<'_>, id: LoopId) -> Dependence {
    let is_inside = |access: &&Access| control.loops.contains(id, access.block);
    let list: Vec<Access> = accesses.list.iter().filter(is_inside).cloned().collect();
    let has_stray = accesses.strays(Some(id)).next().is_some();
    let forms = accesses.forms_mut(true);
    let has_calls = !calls_that_touch(module, forms.function, control, id).is_empty();
    let (found, premises) = forms.tracked(|forms| match kept(module, control, forms, id) {
        Some((line, name)) => Dependence::Kept(line, name),
        None => compared(module, control, forms, id, &list),
    });
    match found {
        Dependence::None(_) if has_stray || has_calls => Dependence::Unknown(None),
        Dependence::None(_) => Dependence::None(accesses.forms_mut(true).assumptions(&premises)),
        found => found,
    }
}

/// A variable that is handed on from one iteration to the next, and is neither counted nor a reduction.
fn kept(
    module: &Module,
    control: &Control,
    forms: &mut Forms<'_>,
    id: LoopId,
) -> Option<(Option<u32>, String)> {
    let function = forms.function;
    let header = function.block(control.loops.get(id).header);
    for phi in header.instructions.iter().filter(|one| matches!(one.operation, Operation::Phi(_))) {
        let Some(result) = phi.result else { continue };
        let is_number = forms.bits(function.value(result).of).is_some();
        let is_closed = is_number
            && [Reading::Signed, Reading::Unsigned].into_iter().any(|reading| {
                let form = forms.of_value(result, reading);
                !forms.mentions_opaque_of(&form, result)
            });
        if is_closed || reduction::operator(module, function, control, id, phi).is_some() {
            continue;
        }
        let name = forms.memory().and_then(|memory| memory.names().value(result));
        let place = phi.location.and_then(|location| module.metadata.place(location));
        return Some((
            place.map(|place| place.line),
            name.unwrap_or_else(|| "a value without a name".into()),
        ));
    }
    None
}

/// Whether accesses of different iterations meet.
fn compared(
    module: &Module,
    control: &Control,
    forms: &mut Forms<'_>,
    id: LoopId,
    list: &[Access],
) -> Dependence {
    let (mut pairs, mut unknown) = (0usize, None);
    for (place, write) in list.iter().enumerate().filter(|(_, access)| access.writes) {
        for (other_place, other) in list.iter().enumerate() {
            let is_done = other.writes && other_place < place;
            let (Some(object), Some(second)) = (write.object(), other.object()) else { continue };
            let meeting = meeting(forms, id, object, second);
            if is_done || meeting == Meeting::Apart || is_private(module, control, forms, id, object) {
                continue;
            }
            pairs += 1;
            if pairs > PAIRS {
                return Dependence::Unknown(None);
            }
            let line = |access: &Access| Some(module.metadata.place(access.location?)?.line);
            let name = forms.memory().map(|memory| memory.names().object(object));
            let carried = Carried { source: line(write), sink: line(other), object: name };
            let found = match meeting {
                Meeting::One => meet(control, forms, id, (write, object), (other, second)),
                _ => None,
            };
            match found {
                Some(false) => {}
                Some(true) => return Dependence::Carried(carried),
                None => unknown = unknown.or(Some(carried)),
            }
        }
    }
    match unknown {
        Some(unknown) => Dependence::Unknown(Some(unknown)),
        None => Dependence::None(Vec::new()),
    }
}

/// Whether two objects are one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Meeting {
    /// They start at one address, which is the same in all iterations.
    One,
    /// They are of different origin: not compared here.
    Apart,
    /// That is not known.
    Unknown,
}

fn meeting(forms: &mut Forms<'_>, id: LoopId, a: Object, b: Object) -> Meeting {
    let (Some(first), Some(second)) = (forms.start_of(a), forms.start_of(b)) else { return Meeting::Unknown };
    if first == second {
        // Rows that pointers lead to: that these are several is not known.
        return if forms.is_fixed(&first, id) { Meeting::One } else { Meeting::Unknown };
    }
    let Some(memory) = forms.memory() else { return Meeting::Unknown };
    let captured = captured(&memory.objects);
    let distinct = Distinct { objects: &memory.objects, captured: &captured };
    if a == b || distinct.of_objects(a, b) == Overlap::Perhaps { Meeting::Unknown } else { Meeting::Apart }
}

/// Whether each iteration has an object of its own.
fn is_private(module: &Module, control: &Control, forms: &Forms<'_>, id: LoopId, object: Object) -> bool {
    let Some(memory) = forms.memory() else { return false };
    is_own(module, control, memory, id, object)
        || matches!(object, Object::Heap(value) if forms.definition(value).is_some_and(|(block, _)| control.loops.contains(id, block)))
}

/// How an access moves: steps of loops around it, the loop itself among them, and what is left.
struct Motion {
    steps: Vec<(LoopId, Polynomial)>,
    rest: Polynomial,
}

fn motion(
    control: &Control,
    forms: &mut Forms<'_>,
    id: LoopId,
    access: &Access,
    object: Object,
) -> Option<Motion> {
    let address = forms.of_at(access.block, access.address, Reading::Unsigned)?;
    let mut rest = &address - &forms.start_of(object)?;
    let outside = control.loops.get(id).parent;
    let around: Vec<LoopId> =
        control.loops.around(access.block).take_while(|&inner| Some(inner) != outside).collect();
    let mut steps = Vec::new();
    for inner in around {
        let iteration = forms.iteration(inner);
        if rest.degree_in(iteration) > 1 {
            return None;
        }
        let step = rest.coefficient(iteration, 1);
        if !forms.is_fixed(&step, id) {
            return None;
        }
        rest = rest.with(iteration, &Polynomial::default())?;
        if !step.is_zero() {
            steps.push((inner, step));
        }
    }
    forms.is_fixed(&rest, id).then_some(Motion { steps, rest })
}

/// Whether accesses meet in different iterations of a loop; `None` if that is not known.
fn meet(
    control: &Control,
    forms: &mut Forms<'_>,
    id: LoopId,
    (a, of_a): (&Access, Object),
    (b, of_b): (&Access, Object),
) -> Option<bool> {
    let size = Polynomial::from(BigInt::from(a.bytes?.max(b.bytes?)));
    let (x, y) = (motion(control, forms, id, a, of_a)?, motion(control, forms, id, b, of_b)?);
    let mut facts = forms.facts_where_made(a.block, Some(id));
    let last = most(forms, id, id, a.block)?;
    // There are two iterations to be compared.
    assume(&mut facts, &last - &Polynomial::from(1));
    let distance = &x.rest - &y.rest;
    if let Some(is_shown) = shown(forms, (a, &x), (b, &y), id, &distance) {
        return Some(is_shown);
    }
    // Common loops with one step; the others move each access by itself.
    let (mut common, mut low, mut high) = (Vec::new(), distance.clone(), distance);
    for (of, motion, other, is_first) in [(a, &x, &y, true), (b, &y, &x, false)] {
        for (inner, step) in &motion.steps {
            let is_common = other.steps.contains(&(*inner, step.clone()));
            if is_common && is_first {
                common.push((*inner, magnitude(forms, &facts, step)?, most(forms, id, *inner, of.block)?));
            } else if !is_common {
                // Of the loop itself the iterations differ, so each has a range of its own as well.
                let reach = magnitude(forms, &facts, step)?.times(&most(forms, id, *inner, of.block)?)?;
                let is_up = is_positive(forms, &facts, step)? == is_first;
                if is_up { high = &high + &reach } else { low = &low - &reach }
            }
        }
    }
    let is_proved =
        |forms: &Forms<'_>, of: &Polynomial| Prover::new(&forms.atoms, &facts).is_not_negative(of);
    // What lies apart whatever the iterations are.
    let mut all = size.clone();
    for (_, step, count) in &common {
        all = &all + &step.times(count)?;
    }
    if is_proved(forms, &(&low - &all)) || is_proved(forms, &(&-&high - &all)) {
        return Some(false);
    }
    while !common.is_empty() {
        let mut found = None;
        for (place, (_, step, _)) in common.iter().enumerate() {
            let mut others = size.clone();
            for (other, (_, step, count)) in common.iter().enumerate() {
                if other != place {
                    others = &others + &step.times(count)?;
                }
            }
            let left = step - &others;
            if is_proved(forms, &(&left - &high)) && is_proved(forms, &(&left + &low)) {
                found = Some(place);
                break;
            }
        }
        let (inner, ..) = common.remove(found?);
        if inner == id {
            return Some(false);
        }
    }
    None
}

/// Whether two accesses that are always made meet at a distance of whole iterations, nothing else moving them apart; `None` if that is
/// not shown.
fn shown(
    forms: &mut Forms<'_>,
    (a, x): (&Access, &Motion),
    (b, y): (&Access, &Motion),
    id: LoopId,
    distance: &Polynomial,
) -> Option<bool> {
    if x.steps != y.steps || forms.has_guards(a.block) || forms.has_guards(b.block) {
        return None;
    }
    let number = distance.integer()?;
    match x.steps.iter().find(|step| step.0 == id) {
        // All iterations go to the same place.
        None if number == BigInt::from(0) => Some(true),
        None => None,
        Some((_, step)) => {
            let step = step.integer()?;
            let is_whole = number != BigInt::from(0) && &number % &step == BigInt::from(0);
            let apart = Polynomial::from(number / step);
            let is_reached = |of: &Polynomial| of.integer().is_some_and(|of| of < BigInt::from(i32::MAX));
            (is_whole && is_reached(&apart)).then_some(true)
        }
    }
}

/// How far iterations of a loop are apart at most, in one entry of another one.
fn most(forms: &mut Forms<'_>, id: LoopId, inner: LoopId, block: BlockId) -> Option<Polynomial> {
    let iteration = Polynomial::from(forms.iteration(inner));
    let Range::Between(_, upper) = forms.ends(block, &iteration, Some(id)) else { return None };
    let found = upper.clauses().iter().find_map(|clause| match clause.as_slice() {
        [one] => Some(one.clone()),
        _ => None,
    });
    found.filter(|found| forms.is_fixed(found, id))
}

fn is_positive(forms: &Forms<'_>, facts: &Facts, of: &Polynomial) -> Option<bool> {
    let prover = Prover::new(&forms.atoms, facts);
    if prover.is_not_negative(of) {
        Some(true)
    } else {
        prover.is_not_negative(&of.scaled(&Coefficient::from(-1))).then_some(false)
    }
}

/// The absolute value of a step, if its sign is known.
fn magnitude(forms: &Forms<'_>, facts: &Facts, of: &Polynomial) -> Option<Polynomial> {
    Some(if is_positive(forms, facts, of)? { of.clone() } else { -of })
}
