//! Objects and sections of accesses, and on which assumptions they rest: the programs of ALGORITHMS 7.9 and others.

use crate::support;

use gpumap::access::show::show_ranges;
use gpumap::access::{Accesses, Known};
use gpumap::calls::{Cone, LENGTH};
use gpumap::control::Control;
use gpumap::memory::effects::Summaries;
use support::read;

/// What is said of the accesses of a function.
fn ranges(source: &str, function: &str) -> Vec<String> {
    let module = read(source);
    let cone = Cone::new(&module, module.function(function).unwrap(), LENGTH);
    show_ranges(&module, &cone).lines().skip(1).map(|line| line.trim().to_owned()).collect()
}

/// What is said of single accesses, without what is used in all.
fn accesses(source: &str, function: &str) -> Vec<String> {
    let lines = ranges(source, function).into_iter();
    lines.filter(|line| !line.starts_with("in all")).collect()
}

/// What is used in all.
fn hulls(source: &str, function: &str) -> Vec<String> {
    ranges(source, function)
        .iter()
        .filter_map(|line| line.strip_prefix("in all "))
        .map(str::to_owned)
        .collect()
}

#[test]
fn matrices_through_a_structure() {
    let expected = [
        "a: reads [0, 4*n^2)",
        "b: reads [0, 4*n^2)",
        "c: reads [8, 16)",
        "c->data: may write [0, 4*n^2), certainly writes [0, 4*n^2)",
    ];
    assert_eq!(hulls("matrix_addition", "add"), expected);
}

/// The guards make the section of the image exact. What is stored has the type of characters, so nothing excludes that it changes
/// the sizes: that is assumed and said.
#[test]
fn colours_of_an_image() {
    let of_input = "(assumed: writes to out->pixels leave in->height unchanged; writes to out->pixels leave \
                    in->width unchanged; writes to out->pixels leave in->pixels unchanged)";
    let of_output = of_input.replace("leave in->pixels", "leave out->pixels");
    let all = "[0, 3*in->height*in->width)";
    let expected = [
        "in: reads [0, 16)".to_owned(),
        "filter: reads [0, 4*filter_width*filter_height)".to_owned(),
        format!("in->pixels: reads {all} {of_input}"),
        "out: reads [8, 16)".to_owned(),
        format!("out->pixels: may write {all}, certainly writes {all} {of_output}"),
    ];
    assert_eq!(hulls("colour_convolution", "convolve"), expected);
}

/// ⌈2n/4⌉ = n − ⌊n/2⌋ iterations: the last start is 16 bytes before the end of the section of 16 bytes each, 12 of them a hole.
#[test]
fn steps_of_four() {
    let expected = [
        "5:24 load b [0, 16*n - 16*floor((n)/2) - 12)",
        "5:35 load c [0, 16*n - 16*floor((n)/2) - 12)",
        "5:22 store a [4*n, 20*n - 16*floor((n)/2) - 12)",
    ];
    assert_eq!(accesses("strided", "sum"), expected);
    // There are holes: nothing is certainly written as a whole.
    assert_eq!(hulls("strided", "sum")[2], "a: may write [4*n, 20*n - 16*floor((n)/2) - 12)");
}

#[test]
fn wrapped_border_of_a_signal() {
    let expected = [
        "8:20 load in [min(8*size - 8*slice, 8*slice), 16*size + 8*slice - 8)",
        "10:16 store out [0, 8*size)",
    ];
    assert_eq!(accesses("signal", "convolve"), expected);
}

/// A square as an index, an input read as characters, and a load of what the loop stores.
#[test]
fn squares_and_characters() {
    let lines = accesses("ranges", "ranges");
    assert_eq!(lines[0], "6:18 load in [0, n^2 - 2*n + 2)");
    assert_eq!(lines[1], "6:16 store out [0, 4*n)");
    assert_eq!(lines[3], "10:25 load out [0, 4)");
    let widened = [
        "14:9 store in [0, 40)",
        "16:18 load in [0, 15)",
        "16:16 store out [0, 60)",
        // The call at the end.
        "what calls and atomic operations write is not counted",
    ];
    assert_eq!(accesses("counter", "widen"), widened);
}

/// One index function called from three places has three sections.
#[test]
fn calls_have_their_own_sections() {
    let expected =
        ["a: may write [16, 8*n + 12)", "b: may write [16, 8*n^2 - 8*n + 20)", "c: may write [16, 92)"];
    let mut found = hulls("contexts", "fill");
    found.sort();
    assert_eq!(found, expected);
    let passed = [
        "61:22 store a [0, 4*n), in set called at 66:5",
        "61:22 store a [8*n, 8*n + 20), in set called at 67:5",
    ];
    assert_eq!(accesses("memory", "passed"), passed);
}

/// Calls beyond the length of call strings are not followed: nothing is known of what they give.
#[test]
fn call_strings_have_a_length() {
    assert_eq!(accesses("memory", "deep"), ["123:21 store a [0, 24*n - 20)"]);
    assert_eq!(accesses("memory", "deeper"), ["129:23 store somewhere in a: nothing bounds the offset"]);
}

#[test]
fn rows_and_counters() {
    assert_eq!(accesses("rows", "total"), ["8:25 load image [0, 4*n^2)"]);
    assert_eq!(accesses("counter", "count"), ["6:14 store a [40, 4*n + 40)"]);
    let reverse = ["11:24 load b [0, 8*n)", "11:22 store a [0, 8*n)"];
    assert_eq!(accesses("walks", "reverse"), reverse);
}

/// An unsigned product may wrap, and lists have no last node.
#[test]
fn what_is_not_bounded_has_no_end() {
    assert_eq!(accesses("walks", "thirds"), ["17:19 store somewhere in p: nothing bounds the offset"]);
    assert_eq!(accesses("walks", "list_length"), ["25:22 load somewhere in node or node->next"]);
    assert_eq!(accesses("wandering", "search"), ["7:13 load somewhere in a: nothing bounds the offset"]);
}

/// Recursions without a closed form that branches bound, and indices whose type bounds them.
#[test]
fn branches_and_types_bound_what_has_no_closed_form() {
    assert_eq!(accesses("wandering", "doubling"), ["18:14 store a [4, 4*n)"]);
    assert_eq!(accesses("wandering", "collatz"), ["47:14 store a [8, 4000)"]);
    assert_eq!(accesses("wandering", "ring"), ["37:15 store a [0, 256)"]);
    assert_eq!(accesses("wandering", "histogram")[1], "24:26 load counts [0, 1024)");
    assert_eq!(accesses("memory", "local_table")[3], "13:17 load table [0, 16)");
}

/// Contents of one type that another object of the same type may hold are assumed not to change; of other types they provably
/// do not, and what `restrict` excludes neither.
#[test]
fn contents_stay_or_are_assumed_to() {
    let bumped = "21:14 store a [0, 4*(*size)) (assumed: writes to a leave *size unchanged)";
    assert_eq!(accesses("memory", "bumped")[1], bumped);
    assert_eq!(accesses("memory", "restricted")[1], "43:14 store a [0, 4*(*size))");
    let unrelated = "37:50 store shape->cells [0, 8*shape->rows*shape->columns)";
    assert_eq!(accesses("memory", "unrelated")[3], unrelated);
    assert_eq!(accesses("memory", "filled")[1], "87:14 store a [0, 4*n)");
    assert_eq!(accesses("memory", "global_size")[1], "104:25 store image [0, 4*width + 16128)");
}

/// What unknown functions may change is not assumed to stay.
#[test]
fn unknown_calls_change_what_others_know() {
    assert_eq!(accesses("memory", "unknown_call")[1], "112:14 store a [0, ?)");
    // The content after the call, while the loop runs.
    assert_eq!(accesses("memory", "escaped")[2], "79:14 store a [0, 4*n@#0)");
}

/// A loop that is not analysed says why, whatever its addresses are.
#[test]
fn loops_that_are_not_analysed_have_no_sections() {
    let lines = ranges("unusual", "volatile_store");
    assert_eq!(lines[0], "38:12 store in a loop that is not analysed: a volatile access");
    assert_eq!(lines[1], "in all a: may write anything");
}

#[test]
fn memory_of_the_function_is_its_own() {
    let heap = [
        "a: may write [0, 4*n), certainly writes [0, 4*n)",
        "b: may write [0, 4*n), certainly writes [0, 4*n)",
    ];
    assert_eq!(hulls("memory", "heap"), heap);
    assert_eq!(accesses("memory", "either"), ["94:15 store somewhere in a or b"]);
}

/// During one entry of the inner loop, in terms of the outer one.
#[test]
fn sections_of_inner_loops() {
    let module = read("rows");
    let cone = Cone::new(&module, module.function("total").unwrap(), LENGTH);
    let control = Control::new(&cone.function);
    let mut found = Accesses::new(&module, &cone.function, &control, &mut Summaries::default());
    let access = found.list[0].clone();
    assert_eq!(access.known, Known::Proved);
    let inner = control.loops.innermost(access.block).unwrap();
    let place = found.within(&access, inner).unwrap();
    let gpumap::symbolic::Range::Between(lower, upper) = place.starts else { panic!("it is reached") };
    let atoms = found.atoms(&access);
    assert_eq!(atoms.show(lower.single().unwrap()), "4*n*#0");
    assert_eq!(atoms.show(upper.single().unwrap()), "4*n*#0 + 4*n - 4");
}

/// Iterations in which an access is not made are no part of its section.
#[test]
fn accesses_that_are_not_always_made() {
    let below = ["7:24 load a [16*n + 8, 8*n^2 - 8)", "7:22 store b [0, 8*n - 16)"];
    assert_eq!(accesses("guards", "below"), below);
    let inside = ["14:20 load b [0, 4*n - 20)", "14:31 load b [20, 4*n)", "14:18 store a [8, 4*n - 12)"];
    assert_eq!(accesses("guards", "inside"), inside);
    assert_eq!(accesses("guards", "above"), ["22:30 store a [4, 4*n^2 - 4*n)"]);
    assert_eq!(accesses("guards", "skewed"), ["31:30 store a [0, 4*n*m)"]);
    let remainders = ["50:21 load b [20*n - 72, 20*n + 4)", "50:19 store a [0, 64)"];
    assert_eq!(accesses("guards", "remainders"), remainders);
    let undecided = ["40:21 load b [0, 4*n)", "41:22 store a [0, 4*n)", "43:26 store a [4*n, 8*n)"];
    assert_eq!(accesses("guards", "undecided"), undecided);
    for function in ["below", "inside", "above", "skewed", "remainders", "undecided"] {
        assert!(hulls("guards", function).iter().all(|hull| !hull.contains("certainly")), "{function}");
    }
}

/// Unsigned numbers, and sizes of which something is known only where they are used.
#[test]
fn unsigned_counters_and_sizes() {
    let down = ["5:14 store b [0, 4*n)", "7:18 store a [0, 4*n)"];
    assert_eq!(accesses("unsigned", "counting_down"), down);
    assert_eq!(accesses("unsigned", "sizes"), ["13:14 store a [0, 4*n)"]);
    let wrapping = ["21:22 store somewhere in a: nothing bounds the offset", "23:14 store b [8, ?)"];
    assert_eq!(accesses("unsigned", "wrapping"), wrapping);
    assert_eq!(accesses("unsigned", "cube"), ["32:28 store a [0, 8*n^3)"]);
}

#[test]
fn constant_addresses_and_quotients() {
    assert_eq!(accesses("unsigned", "second"), ["41:28 store faces [160, 320)"]);
    let enlarge = ["48:40 load in [0, 8*rows*columns)", "48:38 store out [0, 32*rows*columns)"];
    assert_eq!(accesses("unsigned", "enlarge"), enlarge);
}

/// Of several tests each bounds the iterations.
#[test]
fn loops_with_several_tests() {
    assert_eq!(accesses("ends", "both"), ["5:14 store a [0, min(4*n, 4*m))"]);
    assert!(!hulls("ends", "both")[0].contains("certainly"));
    assert_eq!(accesses("ends", "first"), ["20:21 load a [0, 4*n)"]);
    let last = "[0, min(4*end - 4*floor((from + 3*end)/4), 4*last - 4*floor((to + 3*last)/4)))";
    let copied = [format!("12:17 load from {last}"), format!("12:15 store to {last}")];
    assert_eq!(accesses("ends", "copied"), copied);
}

/// Loops that end where two values are equal: proved to get there, assumed to, or of unknown length.
#[test]
fn loops_that_end_where_values_meet() {
    assert_eq!(accesses("ends", "counted"), ["28:14 store a [0, 8*n)"]);
    assert_eq!(accesses("ends", "backwards"), ["34:18 store a [0, 8*n)"]);
    assert_eq!(accesses("ends", "guarded"), ["41:18 store a [0, 8*n - 4)"]);
    let assumed = |line: u32| format!("(assumed: the loop at tests/c/ends.c:{line}:5 meets its end)");
    assert_eq!(accesses("ends", "passing"), [format!("48:14 store a [0, 4*n - 8) {}", assumed(47))]);
    assert_eq!(accesses("ends", "walk"), [format!("55:16 load p [0, -p + q) {}", assumed(54))]);
    assert_eq!(accesses("ends", "moving")[0], "63:14 store a [0, ?)");
    assert_eq!(accesses("ends", "before"), ["99:18 store somewhere in a: nothing bounds the offset"]);
    assert_eq!(accesses("ends", "passed"), ["109:14 store a [0, 1024)"]);
}

/// Least and greatest numbers and absolute values, with their ends, or decided.
#[test]
fn numbers_chosen_by_intrinsics() {
    let expected = [
        "75:14 store a [0, min(4*n, 4*m))",
        "77:44 store a [4*m, max(4*m + 4, 4*n))",
        "79:33 store a [0, 4*n + 4)",
    ];
    assert_eq!(accesses("ends", "chosen"), expected);
    assert_eq!(accesses("ends", "chosen_unsigned"), ["85:44 store a [0, min(4*m + 4, 4*n))"]);
    assert_eq!(accesses("ends", "decided"), ["92:102 store a [4, 12*n - 4)"]);
}

/// What an inner loop moves on and the outer one carries, where its total is known.
#[test]
fn walks_over_nests() {
    let whole = "p: may write [0, 8*n*m), certainly writes [0, 8*n*m)";
    assert_eq!(hulls("carried", "rows"), [whole]);
    assert_eq!(accesses("carried", "triangle"), ["15:21 store a [0, 4*n^2 + 4*n)"]);
    assert_eq!(accesses("carried", "falling"), ["23:21 store a [0, 4*n^2 + 4*n)"]);
    assert_eq!(accesses("carried", "squares"), ["48:16 store a [0, 4*n^2 - 8*n + 8)"]);
    // How far the first loop goes is not known where n may be negative.
    assert_eq!(accesses("carried", "after")[1], "32:14 store somewhere in p: nothing bounds the offset");
    assert_eq!(accesses("carried", "ragged")[1], "40:18 store somewhere in p: nothing bounds the offset");
}

/// Structures by value and copies of them; rows behind pointers, relative to the start of each.
#[test]
fn structures_and_rows() {
    let cells = |name: &str, size: String| {
        format!("{name}->cells: may write [0, {size}), certainly writes [0, {size})")
    };
    assert_eq!(hulls("nested", "by_value")[1], cells("v", "4*v.rows*v.columns".into()).replace("->", "."));
    assert_eq!(hulls("nested", "copied")[1], cells("v", "4*v->rows*v->columns".into()));
    assert_eq!(hulls("nested", "sum"), ["a: reads [0, 8*n)", "a[]: reads [0, 4*m)"]);
    let rows = ["rows: reads [8, 16*n)", "rows[].cells: reads [0, 64), may write [0, 64)"];
    assert_eq!(hulls("nested", "scale"), rows);
}

/// Equal φ, the sign patterns, and choices: sections that follow from what branches say of other values.
#[test]
fn branches_restrict_values_by_others() {
    let store = |function: &str| accesses("patterns", function).pop().unwrap();
    assert_eq!(store("equal"), "16:18 store a [0, 4*m)");
    assert_eq!(store("multiple"), "27:18 store a [0, 4*n)");
    assert_eq!(store("several"), "38:26 store a [-4*b + 4*c, 4*n - 4)");
    assert_eq!(store("chosen"), "48:14 store a [0, 4*n)");
}
