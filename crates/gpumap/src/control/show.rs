//! Loops as text for people.

use std::fmt::Write as _;

use super::obstacles::obstacles;
use super::{Control, LoopId};
use crate::ir::{Function, Module};

/// The loops of a function, a line each, inner ones indented.
pub fn show_loops(module: &Module, function: &Function) -> String {
    let control = Control::new(function);
    let mut out = format!("function {}\n", module.shown_name(function.symbol));
    show_within(&mut out, (module, function, &control), None);
    out
}

fn show_within(out: &mut String, of: (&Module, &Function, &Control), parent: Option<LoopId>) {
    let (module, function, control) = of;
    for id in control.loops.children(parent) {
        let found = control.loops.get(id);
        let place = match found.places(module) {
            Some((start, Some(end))) => format!("{start} to {}:{}", end.line, end.column),
            Some((start, None)) => start.to_string(),
            None => "unknown place".into(),
        };
        let name = |block| &*function.block(block).name;
        let mut from: Vec<&str> = found.exits.iter().map(|exit| name(exit.0)).collect();
        from.dedup();
        let left =
            if from.is_empty() { "never left".into() } else { format!("left from {}", from.join(", ")) };
        let indent = "  ".repeat(found.depth + 1);
        // Writing to a string cannot fail.
        let _ = writeln!(
            out,
            "{indent}{place}: header {}, {} blocks, {left}",
            name(found.header),
            found.blocks.len()
        );
        for (obstacle, location) in obstacles(module, function, control, id) {
            let at = location.and_then(|location| module.metadata.place(location));
            let at = at.map(|place| format!(" ({}:{})", place.line, place.column)).unwrap_or_default();
            let _ = writeln!(out, "{indent}  not analysed: {obstacle}{at}");
        }
        show_within(out, of, Some(id));
    }
}
