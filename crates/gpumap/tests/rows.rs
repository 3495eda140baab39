//! Every row of ALGORITHMS 7.9, and the numbers that were traced for them.

use crate::support;

use gpumap::access::show::{show_bound, show_ranges_with};
use gpumap::calls::{Cone, LENGTH};
use gpumap::control::Control;
use gpumap::ir::{BlockId, Function, Module, Value};
use gpumap::memory::Memory;
use gpumap::memory::effects::Summaries;
use gpumap::ranges::{Usage, ranges_of};
use gpumap::recurrence::show::show_expressions;
use gpumap::recurrence::{Forms, Given, Reading};
use gpumap::symbolic::{Range, Side};
use support::read;

/// What is said of a function whose inputs have these values.
fn with(source: &str, function: &str, values: &[(&str, i64)]) -> String {
    let module = read(source);
    let cone = Cone::new(&module, module.function(function).unwrap(), LENGTH);
    let mut given = Given::default();
    values.iter().for_each(|(name, value)| given.set(name, *value));
    show_ranges_with(&module, &cone, &given)
}

/// The block of the first instruction on a line of the source that is not a φ.
fn block_at(module: &Module, function: &Function, line: u32) -> BlockId {
    let is_there = |location| module.metadata.place(location).is_some_and(|place| place.line == line);
    let has = |block: &BlockId| {
        function.block(*block).instructions.iter().any(|i| i.location.is_some_and(is_there))
    };
    function.block_ids().find(has).unwrap()
}

/// Where the values of a variable lie on a line of the source: the ends, as text.
fn range(source: &str, function: &str, variable: &str, line: u32) -> (String, String) {
    let module = read(source);
    let cone = Cone::new(&module, module.function(function).unwrap(), LENGTH);
    let function = &cone.function;
    let control = Control::new(function);
    let memory = Memory::new(&module, function, &control, &mut Summaries::default());
    let mut forms = Forms::with_memory(&module, function, &control, memory, false, Given::default());
    let bindings = function.blocks.iter().flat_map(|block| &block.bindings);
    let of = bindings.filter(|of| module.metadata.text(of.variable, "name") == Some(variable));
    let operand = of.filter_map(|of| of.value).find(|of| matches!(of.value, Value::Local(_))).unwrap();
    let block = block_at(&module, function, line);
    let found = ranges_of(&mut forms, &[Usage { block, operand, reading: Reading::Signed }], None);
    let Range::Between(lower, upper) = &found[0].range else { panic!("line {line} is reached") };
    (show_bound(&forms.atoms, lower, Side::Lower), show_bound(&forms.atoms, upper, Side::Upper))
}

fn ends(lower: &str, upper: &str) -> (String, String) {
    (lower.to_owned(), upper.to_owned())
}

/// Row 5: squares, a guard, a value that the loop stores, a choice and what is computed from it.
#[test]
fn values_of_the_range_example() {
    let of = |variable, line| range("ranges", "ranges", variable, line);
    assert_eq!(of("k", 6), ends("0", "n^2 - 2*n + 1"));
    assert_eq!(of("i", 8), ends("0", "min(n - 1, m - 1)"));
    // out[0] is stored in the loop.
    assert_eq!(of("j", 10), ends("?", "?"));
    assert_eq!(of("l", 12), ends("?", "?"));
    assert_eq!(of("chosen", 15), ends("min(n, m)", "max(n, m)"));
    assert_eq!(of("w", 16), ends("min(n, m)", "max(n + m - 1, 2*n - 1)"));
}

/// Row 7: a row pointer, a content, and a sum whose form is no set of values.
#[test]
fn expressions_of_rows() {
    let module = read("rows");
    let cone = Cone::new(&module, module.function("total").unwrap(), LENGTH);
    let shown = show_expressions(&module, &cone.function);
    for part in [
        "i = #0",
        "j = #1",
        "8:25 load 4*n*#0 + image + 4*#1",
        ": first 0, then ?",
        " + *(4*n*#0 + image + 4*#1)",
    ] {
        assert!(shown.contains(part), "{part:?} is missing in:\n{shown}");
    }
    assert_eq!(range("rows", "total", "sum", 9), ends("?", "?"));
}

/// Row 6: what an index is on each of its ways.
#[test]
fn ways_of_a_wrapped_border() {
    let module = read("signal");
    let cone = Cone::new(&module, module.function("convolve").unwrap(), LENGTH);
    let shown = show_expressions(&module, &cone.function);
    let expected = "8:20 load one of in + 8*size - 8*slice + 8*#0 + 8*#1, in + 8*#0 + 8*#1";
    assert!(shown.contains(expected), "{shown}");
}

/// A function of a source, values of its inputs, and what is said then.
type Traced = (&'static str, &'static str, &'static [(&'static str, i64)], &'static [&'static str]);

/// The numbers that traces of these programs have, each first to last byte.
#[test]
fn numbers_of_runs() {
    let of: [Traced; 7] = [
        ("counter", "widen", &[], &["load in [0, 15)", "store out [0, 60)"]),
        (
            "matrix_addition",
            "add",
            &[("n", 37)],
            &["in all a: reads [0, 5476)", "in all c->data: may write [0, 5476), certainly writes [0, 5476)"],
        ),
        ("strided", "sum", &[("n", 200)], &["load b [0, 1588)", "load c [0, 1588)", "store a [800, 2388)"]),
        ("contexts", "fill", &[("n", 23)], &["store a [16, 196)", "store b [16, 4068)", "store c [16, 92)"]),
        ("ranges", "ranges", &[("n", 29), ("m", 40)], &["load in [0, 785)", "store out [0, 116)"]),
        ("signal", "convolve", &[("size", 40), ("slice", 6)], &["load in [48, 680)"]),
        (
            "colour_convolution",
            "convolve",
            &[("in->width", 13), ("in.height", 11), ("filter_width", 5), ("filter_height", 3)],
            &["load filter [0, 60)", "in all in->pixels: reads [0, 429)", "may write [0, 429)"],
        ),
    ];
    for (source, function, values, parts) in of {
        let shown = with(source, function, values);
        for part in parts {
            assert!(shown.contains(part), "{source}: {part:?} is missing in:\n{shown}");
        }
        assert!(!shown.contains("nothing is called"), "{shown}");
        let of_runs = shown.lines().filter(|line| line.contains("from run: "));
        assert_eq!(of_runs.count() > 0, !values.is_empty(), "{shown}");
    }
}

/// A value that is out of the range of its type is none.
#[test]
fn values_are_those_of_the_type() {
    let shown = with("matrix_addition", "add", &[("n", 1 << 40)]);
    assert!(shown.contains("nothing is called n "), "{shown}");
}
