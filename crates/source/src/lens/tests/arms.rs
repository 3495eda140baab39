//! Conditional compilation: which arms were compiled.

use std::collections::BTreeSet;

use profile::lens::{AfterLoop, Language};

use super::super::arms::{Arms, Compiled, Given, Names, Unfollowed};
use super::{c, fortran, scalar};

/// What is known of a file whose one function begins on line 1, by the lines with code.
fn compiled(lines: &[u32], is_unoptimised: bool) -> Compiled {
    let lines: BTreeSet<u32> = lines.iter().copied().collect();
    let (always, functions) = (lines.clone(), [1].into());
    Compiled { lines, always, functions, is_unoptimised, openmp: Some(true), is_cplusplus: Some(false) }
}

fn arms(text: &str, of: Option<&Compiled>) -> Arms {
    Arms::of(text.as_bytes(), Given::file(Language::C, of), &mut Names::default(), &mut Unfollowed)
}

/// First and last lines.
type Lines = Vec<(u32, u32)>;

/// The lines that were left out, and those that are open.
fn decided(text: &str, of: Option<&Compiled>) -> (Lines, Lines) {
    let own = arms(text, of);
    assert_eq!(own.text.len(), text.len());
    assert_eq!(own.text.iter().filter(|byte| **byte == b'\n').count(), text.matches('\n').count());
    (own.left_out, own.open.iter().map(|open| open.lines).collect())
}

#[test]
fn conditions_are_evaluated() {
    let is = |condition: &str| {
        let text = format!(
            "#define ONE 1\n#define NAME\n#define AGAIN 1\n#undef AGAIN\n#if {condition}\nx = 1;\n#else\nx = 2;\n#endif\n"
        );
        let (left_out, open) = decided(&text, None);
        match (&left_out[..], open.len()) {
            ([(5, 5), (7, 9)], 0) => Some(true),
            ([(5, 7), (9, 9)], 0) => Some(false),
            ([], 2) => None,
            other => panic!("{condition}: {other:?}"),
        }
    };
    for (condition, expected) in [
        ("0", Some(false)),
        ("1", Some(true)),
        ("ONE", Some(true)),
        ("defined(NAME) && !defined AGAIN", Some(true)),
        ("AGAIN", Some(false)),
        ("(ONE + 1) * 2 == 0x4", Some(true)),
        ("ONE > 2 || UNKNOWN", None),
        // Any text may stand for it.
        ("ONE > 2 && UNKNOWN", None),
        ("ONE > 2 && (UNKNOWN)", Some(false)),
        ("ONE || UNKNOWN(3)", None),
        ("ONE || defined UNKNOWN", Some(true)),
        ("UNKNOWN", None),
        ("defined(UNKNOWN)", None),
        ("__GNUC__ >= 4", None),
        ("defined(__GNUC__) && defined(__linux__)", Some(true)),
        // The command line may define it.
        ("defined(_WIN32) || defined(WIN32)", None),
        ("1 / 0", None),
        ("ONE +", None),
        ("\"a\"", None),
    ] {
        assert_eq!(is(condition), expected, "{condition}");
    }
}

/// Whether the first of two arms is known to be what was compiled, behind some lines.
fn first(before: &str, condition: &str) -> Option<bool> {
    let text = format!("{before}\n{condition}\nint x = 1;\n#else\nint x = 2;\n#endif\n");
    let own = arms(&text, None);
    let code = String::from_utf8_lossy(&own.text).into_owned();
    match (code.contains("x = 1"), code.contains("x = 2")) {
        (true, true) => None,
        (is_first, _) => Some(is_first),
    }
}

#[test]
fn what_comes_before_changes_macros() {
    for (before, condition, expected) in [
        ("#define A 1\n#define B A\n#undef A\n#define A 0", "#if B", Some(false)),
        ("#define A\n// off: \\\n#undef A", "#ifdef A", Some(true)),
        (
            "#define A 1\n#pragma push_macro(\"A\")\n#undef A\n#define A 0\n#pragma pop_macro(\"A\")",
            "#if A",
            Some(true),
        ),
        ("#define A 1\n#pragma pop_macro(\"A\")", "#if A", Some(true)),
        ("#define A 1\n#pragma push_macro(A)", "#if A", None),
        (
            "#define A 0\n#pragma push_macro(\"A\")\n#ifdef B\n#pragma pop_macro(\"A\")\n#endif\n#pragma pop_macro(\"A\")",
            "#if A",
            None,
        ),
        ("#define A 1\nvoid f() { _Pragma(\"pop_macro(\\\"A\\\")\") }", "#if A", None),
        // The system leaves a program's names alone, but may define others.
        ("#define A 1\n#include <stdio.h>", "#if A", Some(true)),
        ("#undef A\n#include <stdio.h>", "#ifdef A", None),
        ("#define A 1\n#include \"unknown.h\"", "#if A", None),
        ("#define A 1\n#include HEADER", "#if A", None),
        ("#define A 1\n#include_next <stdio.h>", "#if A", None),
        ("#include HEADER\n#define A 1", "#if A", Some(true)),
        ("#ifdef B\n#define A 1\n#else\n#define A 2\n#endif", "#if A", None),
        ("#ifdef B\n#define A 1\n#else\n#define A 2\n#endif", "#if defined(A)", Some(true)),
        ("#ifndef A\n#define A 1\n#endif", "#if A", None),
    ] {
        assert_eq!(first(before, condition), expected, "{before}");
    }
}

#[test]
fn directives_behind_comments_leave_their_ends() {
    let text = "/* a\n*/ #if 0\nint x;\n#endif\nint y;\n";
    let own = arms(text, None);
    assert_eq!(String::from_utf8_lossy(&own.text), "/* a\n*/      \n      \n      \nint y;\n");
}

/// Whether a file is C++ the debug information says.
#[test]
fn a_file_is_what_it_was_compiled_as() {
    let text = "#ifdef __cplusplus\nint x = 1;\n#else\nint x = 2;\n#endif\n";
    for (is_cplusplus, expected) in [(Some(true), (1, 0)), (Some(false), (1, 0)), (None, (0, 2))] {
        let compiled = Compiled { is_cplusplus, ..Compiled::default() };
        let (left_out, open) = decided(text, Some(&compiled));
        assert_eq!((left_out.len().min(1), open.len()), expected, "{is_cplusplus:?}");
        let is_cpp = left_out == [(1, 1), (3, 5)];
        assert_eq!(is_cpp, is_cplusplus == Some(true));
    }
}

#[test]
fn lines_with_code_decide() {
    let two = "void f() {\n#if A\nx = 1;\n#else\nx = 2;\n#endif\n}\n";
    let of = |lines: &[u32], is_unoptimised| decided(two, Some(&compiled(lines, is_unoptimised)));
    assert_eq!(of(&[1, 5, 7], false), (vec![(2, 4), (6, 6)], vec![]));
    assert_eq!(of(&[1, 3, 7], false), (vec![(2, 2), (4, 6)], vec![]));
    // Compiled in two ways; not compiled at all; optimised away.
    assert_eq!(of(&[1, 3, 5, 7], false), (vec![], vec![(3, 3), (5, 5)]));
    assert_eq!(of(&[], true), (vec![], vec![(3, 3), (5, 5)]));
    assert_eq!(of(&[1, 7], false), (vec![], vec![(3, 3), (5, 5)]));
    // In one of the units only.
    let mut some = compiled(&[1, 5, 7], false);
    some.always.remove(&5);
    assert_eq!(decided(two, Some(&some)), (vec![], vec![(3, 3), (5, 5)]));
}

#[test]
fn what_leaves_no_trace_was_not_compiled() {
    for (text, optimised, plain) in [
        ("double t;", true, true),
        ("const struct box *t = 0;", true, true),
        ("printf(\"%d\", i);", true, true),
        ("if (a[i] > 2) own->print(i);", false, false),
        ("#pragma omp critical", true, true),
        ("#pragma omp for", false, false),
        ("t = i;", false, true),
        ("n++;", false, true),
        ("static double t;", false, false),
        ("extern double t;", false, false),
        ("STORED t;", false, false),
        ("assert(t);", false, false),
        ("MAYBE(t);", false, false),
    ] {
        let text = format!("void f() {{\n#ifdef A\n{text}\n#endif\n}}\n");
        for (is_unoptimised, expected) in [(false, optimised), (true, plain)] {
            let (left_out, open) = decided(&text, Some(&compiled(&[1, 5], is_unoptimised)));
            let is_left_out = left_out == [(2, 4)] && open.is_empty();
            let is_open = left_out.is_empty() && open == [(3, 3)];
            assert!(if expected { is_left_out } else { is_open }, "{text} {is_unoptimised}");
        }
    }
}

#[test]
fn common_forms_are_harmless() {
    for text in [
        "#ifdef _OPENMP\n#include <omp.h>\n#endif\n",
        "#ifndef F_H\n#define F_H\nint f(int);\n#endif\n",
        "#ifndef MAX\n#define MAX(a, b) ((a) > (b) ? (a) : (b))\n#endif\n",
        "#ifndef LENGTH\n#define LENGTH 100\n#endif\n",
        "#if CLASS == 1\n#define LENGTH (2 * 100)\n#else\n#define LENGTH 200\n#endif\n",
        "#ifdef FLOAT\n#define REAL float\n#else\n#define REAL double\n#endif\n",
        "#ifdef DEBUG\n#define SAY(x) printf(\"%d\", x)\n#else\n#define SAY(x)\n#endif\n",
        "#if defined(__clang__)\n#define ALONE __attribute__((noinline, unused))\n#else\n#define ALONE __attribute__((noipa))\n#endif\nALONE\n",
        "#ifdef A\n#define REAL __restrict\n#else\n#define REAL\n#endif\n",
        "#ifdef A\n#define KEPT static\n#else\n#define KEPT extern\n#endif\nKEPT\n",
        "#ifdef __cplusplus\nextern \"C\" {\n#endif\n",
    ] {
        let file = c(&format!(
            "{text}void f(double *a, int n) {{ for (int i = 0; i < LENGTH; i++) {{ REAL x = MAX(a[i], 1); a[i] = x; SAY(i); }} }}\n"
        ));
        assert!(!file.loops[0].errors, "{text}");
    }
    let text = "#ifdef _OPENMP\n#pragma omp parallel for\n#endif\n";
    let file = c(&format!("void f(double *a) {{\n{text}for (int i = 0; i < 9; i++) a[i] = i;\n}}\n"));
    assert!(file.loops[0].directive.is_some() && !file.loops[0].errors);
}

#[test]
fn loops_with_open_text_are_marked() {
    let marks = |before: &str, inside: &str| {
        let text = format!(
            "{before}void f(double *a) {{\n double s = 0;\n for (int i = 0; i < 9; i++) {{\n{inside}\n s = s + i; a[i] = s;\n }}\n}}\n"
        );
        c(&text).loops[0].errors
    };
    let both = "#ifdef LOCAL\n#define DECL double s = 0;\n#else\n#define DECL\n#endif\n";
    for (before, inside) in [
        ("", "#ifdef A\n double s;\n#endif"),
        (both, "DECL"),
        ("#define DECL double s = 0;\n#undef DECL\n#define DECL\n", "DECL"),
        ("#define ZERO(s) s = 0\n#undef ZERO\n#define ZERO(s)\n", "ZERO(s);"),
        (
            "#ifdef A\n#define INNER x = 1\n#else\n#define INNER x = 2\n#endif\n#define OUTER INNER\n",
            "OUTER;",
        ),
        ("#ifdef A\nstatic double t;\n#else\nstatic _Thread_local double t;\n#endif\n", "t = s;"),
    ] {
        assert!(marks(before, inside), "{before} {inside}");
    }
    for (before, inside) in [(both, ""), ("#define DECL\n", "DECL"), ("", "#if 0\n double s;\n#endif")] {
        assert!(!marks(before, inside), "{before} {inside}");
    }
    // What stands for nothing is nothing.
    let file = c(
        "#define DECL\nvoid f(double *a, double s) { for (int i = 0; i < 9; i++) { DECL s = s + i; a[i] = s; } }\n",
    );
    assert!(scalar(&file.loops[0], "s").declared.is_some_and(|at| at.column < 40));
    // Directives in all arms that share out: in any case it is shared out.
    let file = c(
        "void f(double *a) {\n#ifdef A\n#pragma omp for nowait\n#else\n#pragma omp for\n#endif\nfor (int i = 0; i < 9; i++) a[i] = i;\n}\n",
    );
    assert!(file.loops[0].errors && file.loops[0].directive.as_ref().is_some_and(|own| own.shares_out()));
    let file = fortran(
        "subroutine f(a)\n#ifdef A\n  real(8), save :: t\n#else\n  real(8) :: t\n#endif\n  do i = 1, 9\n    t = i\n    a(i) = t\n  end do\n\
         end subroutine\nsubroutine g(a)\n  do i = 1, 9\n    a(i) = i\n  end do\nend subroutine\n",
    );
    let marks: Vec<bool> = file.loops.iter().map(|one| one.errors).collect();
    assert_eq!(marks, [true, false]);
}

#[test]
fn what_a_function_returns_is_used() {
    let file = fortran(
        "function last(n) result(x)\n  integer :: n, x, i, y\n  do i = 1, n\n    x = i\n    y = i\n  end do\nend function\n\
         integer function other(n)\n  integer :: n, i\n  do i = 1, n\n    other = i\n  end do\nend function\n",
    );
    assert!(matches!(scalar(&file.loops[0], "x").after, AfterLoop::Read(_)));
    assert_eq!(scalar(&file.loops[0], "y").after, AfterLoop::Unused);
    assert!(matches!(scalar(&file.loops[1], "other").after, AfterLoop::Read(_)));
}

#[test]
fn unclosed_conditionals_are_left() {
    for text in
        ["#if 0\nx\n", "#endif\n", "#else\n", "#if 0\n#if 1\n#endif\n", "#if\n#endif\n", "#", "#if 0\\"]
    {
        assert_eq!(arms(text, None).text.len(), text.len(), "{text}");
    }
    let deep = "#if A\n".repeat(5000) + &"#endif\n".repeat(5000);
    assert_eq!(arms(&deep, None).text.len(), deep.len());
}
