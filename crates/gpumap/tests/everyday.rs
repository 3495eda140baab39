//! Everyday C and C++ that was refused, crashed or copied wrongly (issue 31): what is said of each loop, and which sections are copied.

use std::path::Path;

use gpumap::Compiler;
use gpumap::calls::{Cone, LENGTH};
use gpumap::device::{Block, Device};
use gpumap::emit::Dialect;
use gpumap::frontend::Texts;
use gpumap::offload::show::{Asked, show_candidates, show_directives};
use gpumap::recurrence::Given;
use gpumap::shared::Scheme;

/// What is said of the loops of a function, and the directives for them.
fn shown(file: &str, function: &str) -> String {
    shown_with(file, function, &[])
}

fn shown_with(file: &str, function: &str, options: &[String]) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c").join(file);
    let module = Compiler::find().unwrap().read(&path, options).unwrap_or_else(|error| panic!("{error}"));
    let found = module.defined().find(|one| module.shown_name(one.symbol) == function);
    let found = found.unwrap_or_else(|| panic!("{file} has no function {function}"));
    let given = Given::default();
    let (block, device) = (Block::new(32, 8, 1).unwrap(), Device::named("sm_90").unwrap());
    let asked = Asked { observed: None, line: None, given: &given, block, device, scheme: Scheme::default() };
    let cone = Cone::new(&module, found, LENGTH);
    let report = show_candidates(&module, &cone, asked).unwrap();
    report + &show_directives(&module, &cone, asked, (Dialect::OpenMp, &Texts::new(&module)), None).unwrap()
}

/// Each part is in what is said, in this order.
fn check(file: &str, function: &str, parts: &[&str]) {
    let text = shown(file, function);
    let mut rest = text.as_str();
    for part in parts {
        let at = rest.find(part).unwrap_or_else(|| panic!("{part:?} is missing in:\n{text}"));
        rest = &rest[at + part.len()..];
    }
}

/// `continue` is no other way out of a loop.
#[test]
fn loops_go_on() {
    let file = "regression_31_continue.c";
    check(file, "pos", &["line 3: can", "in, array: a [0, 4*n)", "map(tofrom: b[0:n])"]);
    check(file, "nested", &["line 12: can", "out, array: b [0, 8*n)", "map(to: a[0:(long)n * m])"]);
}

/// Remainders of numbers of any sign end, and what may lie before an array is not copied.
#[test]
fn remainders_have_ends() {
    let file = "regression_31_remainder.c";
    check(file, "up_to_remainder", &["in, array: a [0, min(4, max(0, 4*n)))"]);
    check(file, "halves", &["none, as what is used of a may begin before it does"]);
    check(file, "wrapped", &["none, as what is used of a may begin before it does"]);
    check(file, "cycled", &["in, array: a [0, min(4*width, 4*n))", "conditions decide", "#pragma"]);
}

/// The lesser of two ends is the end.
#[test]
fn the_lesser_end_counts() {
    for function in ["copy_min", "copy_min2"] {
        let parts = ["out, array: b [0, min(4*n, 4*m))", "map(from: b[0:((n) < (m) ? (n) : (m))])"];
        check("regression_31_least.c", function, &parts);
    }
}

/// Nothing beyond an array is copied, whatever keeps a loop from reading there.
#[test]
fn sections_stay_in_their_objects() {
    let file = "regression_31_padding.c";
    check(file, "ends", &["in, array: in [0, 512)", "out, array: out [0, 512)"]);
    check(file, "window", &["in, array: a [0, 8*n); conditions decide", "map(to: a[0:n])"]);
    check(file, "clamped", &["in, array: a [0, max(4*h*w - 4, 4*h*w - 4*w + 4))"]);
    check(file, "as_unsigned", &["in, array: a [0, 4*h*w)", "map(to: a[0:(long)h * w])"]);
    check(file, "whole", &["out [0, min(512, 8*n + 16))"]);
}

/// What is copied and filled at once is accessed too.
#[test]
fn blocks_are_accesses() {
    let file = "regression_31_blocks.c";
    check(file, "assigned", &["in, array: from [0, 24*n)", "out, array: to [0, 24*n)"]);
    check(file, "cleared", &["a (bytes not known)", "none, as whether iterations"]);
    check(file, "called", &["line 17: cannot", "line 18: it calls fill", "none"]);
    check(file, "own", &["private: row", "map(to: a[0:4L * n])"]);
}

/// Rows that pointers lead to are arrays of their own.
#[test]
fn rows_are_several_arrays() {
    let file = "regression_31_rows.c";
    check(file, "rows", &["may run", "each a[] [0, 8*m)", "none, as whether iterations"]);
    check(file, "cube", &["in a[][]: line 12", "each a[][] [0, 8*n)"]);
    check(file, "structs", &["each v[].x (bytes not known)", "none, as whether iterations"]);
}

/// What iterations combine and hand on: reductions that are recognised have clauses, all else is refused by name.
#[test]
fn what_iterations_combine_is_reduced_or_refused() {
    let file = "regression_31_combined.c";
    for (function, clause) in [
        ("greatest", "map(tofrom: most) reduction(max: most)"),
        ("least_by_choice", "reduction(min: least)"),
        ("behind_condition", "reduction(+: sum)"),
        ("nested", "collapse(2) map(to: a[0:(long)n * m]) map(tofrom: sum) reduction(+: sum)"),
        ("any", "reduction(|: found)"),
    ] {
        check(file, function, &["can run", clause]);
    }
    for (function, reason) in [
        ("where_least", "at keeps its value from one iteration to the next"),
        ("last", "at keeps its value from one iteration to the next"),
        ("packed", "count keeps its value from one iteration to the next"),
        ("reset", "most keeps its value from one iteration to the next"),
        ("noted", "most keeps its value from one iteration to the next"),
        ("prefix", "different iterations touch the same places in a"),
        ("columns", "different iterations touch the same places in sums"),
        ("histogram", "the source alone does not show that iterations touch different parts in counts"),
    ] {
        check(file, function, &[reason, "none, as"]);
    }
    check("regression_31_blocks.c", "outside", &["row", "none, as"]);
}

/// Iterations that touch different parts are proved to, also where strides are inputs; loops inside are listed.
#[test]
fn independent_iterations_are_proved() {
    let file = "regression_31_independent.c";
    check(file, "columns_inside", &["nest line 4 and line 6: can"]);
    check("regression_31_continue.c", "nested", &["line 12: can", "inside: loop line 14: can"]);
    for function in ["strided", "transposed", "interleaved", "halves", "mirrored", "shifted"] {
        check(file, function, &["can run"]);
    }
    // Minus one by two is zero, so the loop runs once: rounding down would say not at all.
    check(file, "half_up_to", &["can run", "array: a [0, max(8, 8*floor((n)/2) + 8))", "map("]);
    check(file, "overlapping", &["may run", "in a: line 47 to line 47"]);
    check(file, "stencil", &["cannot run", "different iterations touch the same places in a"]);
}

/// A way that ends the program leaves no loop, and is the reason against it.
#[test]
fn ends_of_programs_are_named() {
    let text = shown("regression_31_forms.c", "checked");
    assert!(text.contains("cannot run") && text.contains("a call that ends the program"), "{text}");
    assert!(!text.contains("the number of iterations is not known"), "{text}");
}

/// Loops that directives cannot stand before are named.
#[test]
fn loops_of_other_forms_have_no_directive() {
    let file = "regression_31_forms.c";
    for function in ["two_counters", "walking", "of_macro"] {
        check(
            file,
            function,
            &["can run", "the loop is no `for` that sets, compares and moves one variable"],
        );
    }
}

#[test]
fn numbers_that_devices_lack_are_named() {
    let file = "regression_31_numbers.c";
    check(file, "extended", &["cannot", "line 10: it computes with numbers of type long double"]);
    check(file, "of_64_bits", &["can run", "map(from: b[0:n])"]);
}

/// Functions of classes and templates, references, containers, exceptions.
#[test]
fn classes_are_read() {
    let file = "regression_31_classes.cc";
    check(file, "axpy<double>", &["map(to: x[0:n]) map(tofrom: y[0:n])"]);
    check(file, "refs", &["map(to: n, k) map(tofrom: a[0:n])"]);
    check(file, "moved", &["map(to: d) map(tofrom: p[0:n])"]);
    check(file, "guarded", &["line 42: a call that may throw an exception"]);
    check(file, "app::Field::scale", &["nested: this->data_._M_impl [0, 8*this->n_)", "none, as"]);
}

/// Regions of OpenMP are the loops that they are without it, also where options turn it on.
#[test]
fn regions_of_openmp_are_loops() {
    let options = ["-fopenmp".to_owned()];
    let text = shown_with("regression_31_regions.c", "region", &options);
    for part in ["line 15: can", "map(tofrom: x[0:n])"] {
        assert!(text.contains(part), "{part:?} is missing in:\n{text}");
    }
}
