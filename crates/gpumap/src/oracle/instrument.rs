//! Calls of the runtime, written into the text that was analysed.
//!
//! Before every load and store stands a call that names it, so that the compiler's own callback, which it writes directly
//! before the access, is matched to the access by the line of the text alone. Nothing else of the text changes: accesses are
//! those that were analysed.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::claims::{Claims, Origin};
use crate::calls::cone::callee;
use crate::ir::{Block, Function, Instruction, Module, Operation, Type, ValueId};

/// What stands in the text, in the order of numbers that the runtime uses.
#[derive(Debug, Default)]
pub struct Numbers {
    /// For each function the values that it notes.
    pub values: Vec<Vec<ValueId>>,
    /// Names of symbols with addresses.
    pub globals: Vec<Box<str>>,
}

/// A function, and what is said of it.
#[derive(Debug, Clone, Copy)]
pub struct Described<'a> {
    /// The function.
    pub function: &'a Function,
    /// What is said of its own accesses.
    pub claims: &'a Claims,
    /// What is said of accesses of functions that it calls, in its own terms.
    pub behind_calls: &'a Claims,
}

/// Lines to be written, by the line of the text that they stand before.
type Inserted = BTreeMap<u32, String>;

/// The text of a module with calls of the runtime in the functions of which something is claimed, in order.
pub fn instrumented(text: &str, module: &Module, functions: &[Described<'_>]) -> (String, Numbers) {
    let mut inserted = Inserted::new();
    let mut numbers = Numbers::default();
    for (number, of) in functions.iter().enumerate() {
        let values = values(of);
        function_calls(&mut inserted, number, of.function, of.claims, values.len());
        call_calls(&mut inserted, module, of.function);
        value_calls(&mut inserted, module, of.function, &values);
        numbers.values.push(values);
        for origin in of.claims.origins().chain(of.behind_calls.origins()) {
            if let Origin::Address(name) = origin
                && !numbers.globals.contains(name)
            {
                numbers.globals.push(name.clone());
            }
        }
    }
    let mut out = String::with_capacity(text.len() * 2);
    for (line, number) in text.lines().zip(1..) {
        out.push_str(inserted.get(&number).map_or("", String::as_str));
        out.push_str(line);
        out.push('\n');
    }
    out.push_str(&tail(&numbers.globals));
    (out, numbers)
}

/// Calls that tell which call of a function is made.
fn call_calls(inserted: &mut Inserted, module: &Module, function: &Function) {
    for instruction in function.blocks.iter().flat_map(|block| &block.instructions) {
        if callee(module, instruction).is_some() {
            let line = instruction.line;
            let call = format!("  call void @oracle_call(i32 {line})\n");
            inserted.entry(line).or_default().push_str(&call);
        }
    }
}

/// The values that sections are made of.
fn values(of: &Described<'_>) -> Vec<ValueId> {
    let origins = of.claims.origins().chain(of.behind_calls.origins());
    let mut list: Vec<ValueId> = origins
        .flat_map(|origin| match origin {
            Origin::Values(values, _) => values.as_slice(),
            Origin::Address(_) => &[],
        })
        .copied()
        .collect();
    list.sort_unstable();
    list.dedup();
    list
}

/// Calls at the entry, at returns and before accesses.
fn function_calls(
    inserted: &mut Inserted,
    number: usize,
    function: &Function,
    claims: &Claims,
    values: usize,
) {
    let instructions = || function.blocks.iter().flat_map(|block| &block.instructions);
    if let Some(first) = instructions().next() {
        let sites = claims.list.len();
        let call = format!("  call void @oracle_enter(i32 {number}, i32 {values}, i32 {sites})\n");
        // Before the calls that note values.
        inserted.entry(first.line).or_default().insert_str(0, &call);
    }
    for (site, claim) in claims.list.iter().enumerate() {
        let call = match claim.base {
            Some(base) => {
                let name = quoted(&function.value(base).name);
                format!(
                    "  %oracle.base.{site} = ptrtoint ptr %{name} to i64\n  \
                     call void @oracle_site(i32 {site}, i64 %oracle.base.{site})\n"
                )
            }
            None => format!("  call void @oracle_site(i32 {site}, i64 0)\n"),
        };
        inserted.entry(claim.line).or_default().push_str(&call);
    }
    for leaving in instructions().filter(|i| matches!(i.operation, Operation::Return(_))) {
        inserted.entry(leaving.line).or_default().push_str("  call void @oracle_leave()\n");
    }
}

/// Calls that note values where they are defined.
fn value_calls(inserted: &mut Inserted, module: &Module, function: &Function, values: &[ValueId]) {
    for (number, &value) in values.iter().enumerate() {
        let Some(line) = line_after(function, value) else { continue };
        let info = function.value(value);
        let name = quoted(&info.name);
        let converted = match module.types.get(info.of) {
            Type::Pointer => format!("ptrtoint ptr %{name} to i64"),
            Type::Integer(64) => format!("add i64 %{name}, 0"),
            Type::Integer(bits) if *bits < 64 => format!("zext i{bits} %{name} to i64"),
            _ => continue,
        };
        let call = format!(
            "  %oracle.{number} = {converted}\n  call void @oracle_value(i32 {number}, i64 %oracle.{number})\n"
        );
        // What already stands there names the function or an access, and an access stands directly before its line.
        let before = inserted.entry(line).or_default();
        let named = ["  call void @oracle_site", "  %oracle.base.", "  call void @oracle_call"];
        let at = named.iter().filter_map(|name| before.find(name)).min().unwrap_or(before.len());
        before.insert_str(at, &call);
    }
}

/// The line before which a value can be used first.
fn line_after(function: &Function, value: ValueId) -> Option<u32> {
    let is_phi = |instruction: &&Instruction| matches!(instruction.operation, Operation::Phi(_));
    let first = |block: &Block| block.instructions.iter().find(|i| !is_phi(i)).map(|i| i.line);
    for block in &function.blocks {
        let Some(place) = block.instructions.iter().position(|i| i.result == Some(value)) else { continue };
        return match block.instructions.get(place).filter(is_phi) {
            Some(_) => first(block),
            None => block.instructions.get(place + 1).map(|next| next.line),
        };
    }
    // A parameter.
    function.blocks.first().and_then(first)
}

/// A name as the text writes it.
fn quoted(name: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-$._".contains(&byte);
    if name.bytes().all(is_plain) { name.to_owned() } else { format!("\"{name}\"") }
}

/// Declarations of the runtime, and a function that tells it addresses.
fn tail(globals: &[Box<str>]) -> String {
    let mut out = String::from(
        "declare void @oracle_enter(i32, i32, i32)\ndeclare void @oracle_leave()\ndeclare void @oracle_call(i32)\ndeclare void @oracle_site(i32, i64)\n\
         declare void @oracle_value(i32, i64)\ndeclare void @oracle_global(i32, ptr)\ndefine void @oracle_globals() {\n",
    );
    for (number, name) in globals.iter().enumerate() {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "  call void @oracle_global(i32 {number}, ptr @{})", quoted(name));
    }
    out + "  ret void\n}\n"
}
