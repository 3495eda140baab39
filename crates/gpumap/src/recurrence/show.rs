//! Forms as text for people.

use std::fmt::Write as _;

use super::forms::{Forms, Reading};
use super::inputs::Given;
use crate::control::obstacles::obstacles;
use crate::control::{Control, LoopId};
use crate::ir::{BlockId, Function, Instruction, Module, Operand, Operation, ValueId};
use crate::memory::Memory;
use crate::memory::effects::Summaries;
use crate::symbolic::{Atoms, Polynomial};

/// Loops with their counters, and accesses with their addresses; what differs between ways has a form for each. `#k` is the number
/// of iterations of loop k begun before.
pub fn show_expressions(module: &Module, function: &Function) -> String {
    let control = Control::new(function);
    let memory = Memory::new(module, function, &control, &mut Summaries::default());
    let mut forms = Forms::with_memory(module, function, &control, memory, true, Given::default());
    let mut out = format!("function {}\n", module.shown_name(function.symbol));
    let mut left_out: Vec<LoopId> = Vec::new();
    for (id, _) in control.loops.iter() {
        let reasons = obstacles(module, function, &control, id);
        let reasons: Vec<String> = reasons.iter().map(|(obstacle, _)| obstacle.to_string()).collect();
        if reasons.is_empty() {
            show_loop(&mut out, &mut forms, id);
        } else {
            left_out.push(id);
            // Writing to a string cannot fail, here and elsewhere.
            let place = place(&forms, id);
            let _ = writeln!(out, "  loop #{} {place}: is not analysed: {}", id.index(), reasons.join(", "));
        }
    }
    if forms.is_truncated() {
        let _ = writeln!(out, "  the function is too large: some values are not known for that reason");
    }
    for block in function.block_ids().filter(|&block| is_described(&control, &left_out, block)) {
        for access in accesses(&forms, block) {
            let (alternatives, premises) = forms.tracked(|forms| {
                let form = forms.of_at(block, access.address, Reading::Unsigned);
                form.map_or_else(Vec::new, |form| forms.alternatives(&form))
            });
            let form = show_alternatives(&forms.atoms, &alternatives);
            let known =
                if premises.is_empty() { String::new() } else { format!(" ({})", forms.known(&premises)) };
            let _ = writeln!(out, "  {} {} {form}{known}", access.place, access.kind);
        }
    }
    out
}

/// A load or store.
struct Access {
    place: String,
    kind: &'static str,
    address: Operand,
}

fn accesses(forms: &Forms<'_>, block: BlockId) -> Vec<Access> {
    let of = |instruction: &Instruction| {
        let (kind, address) = match &instruction.operation {
            Operation::Load { address, .. } => ("load", *address),
            Operation::Store { address, .. } => ("store", *address),
            _ => return None,
        };
        let place = instruction.location.and_then(|location| forms.module.metadata.place(location));
        let place = place.map_or("?".into(), |place| format!("{}:{}", place.line, place.column));
        Some(Access { place, kind, address })
    };
    forms.function.block(block).instructions.iter().filter_map(of).collect()
}

/// Whether a block is in no loop that is not analysed.
fn is_described(control: &Control, left_out: &[LoopId], block: BlockId) -> bool {
    !left_out.iter().any(|&id| control.loops.contains(id, block))
}

fn show_loop(out: &mut String, forms: &mut Forms<'_>, id: LoopId) {
    let found = forms.control.loops.get(id);
    let place = place(forms, id);
    let trips = forms.trips(id);
    let trips = trips.iter().map(|trips| {
        let count = forms.atoms.show(&trips.count);
        if trips.exact { count } else { format!("at most {count}") }
    });
    let trips = trips.collect::<Vec<_>>().join(", ");
    let trips = if trips.is_empty() { "an unknown number of".into() } else { trips };
    let _ = writeln!(out, "  loop #{} {place}: goes on {trips} times", id.index());
    for instruction in &forms.function.block(found.header).instructions {
        let (Operation::Phi(_), Some(result)) = (&instruction.operation, instruction.result) else {
            continue;
        };
        if forms.bits(forms.function.value(result).of).is_none() {
            continue;
        }
        let name = variable(forms, result);
        let reading = reading(forms, result);
        let form = forms.of_value(result, reading);
        let shown = forms.atoms.show(&form);
        let recursion = forms.recursion(result, reading).filter(|_| forms.is_opaque(&form));
        let _ = match recursion {
            Some((first, next)) => {
                let next = forms.alternatives(&next);
                let (first, next) = (forms.atoms.show(&first), show_alternatives(&forms.atoms, &next));
                writeln!(out, "    {name} = {shown}: first {first}, then {next}")
            }
            None => writeln!(out, "    {name} = {shown}"),
        };
    }
}

/// Forms of which one is a value.
fn show_alternatives(atoms: &Atoms, list: &[Polynomial]) -> String {
    let shown: Vec<String> = list.iter().map(|form| atoms.show(form)).collect();
    match shown.as_slice() {
        [] => "?".into(),
        [one] => one.clone(),
        several => format!("one of {}", several.join(", ")),
    }
}

/// Where a loop stands.
fn place(forms: &Forms<'_>, id: LoopId) -> String {
    let places = forms.control.loops.get(id).places(forms.module);
    places.map_or("?".into(), |(start, _)| start.to_string())
}

/// The reading in which more is known; the signed one if that is nothing in both.
fn reading(forms: &mut Forms<'_>, value: ValueId) -> Reading {
    let is_unknown = |forms: &mut Forms<'_>, reading| {
        let form = forms.of_value(value, reading);
        forms.mentions_opaque(&form)
    };
    let is_better = is_unknown(forms, Reading::Signed) && !is_unknown(forms, Reading::Unsigned);
    if is_better { Reading::Unsigned } else { Reading::Signed }
}

/// What a value is called in the source.
pub(crate) fn variable(forms: &Forms<'_>, value: ValueId) -> String {
    let metadata = &forms.module.metadata;
    let mut names = forms.function.variables_of(value).filter_map(|variable| metadata.text(variable, "name"));
    names.next().unwrap_or(&forms.function.value(value).name).to_owned()
}
