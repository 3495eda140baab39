//! Definitions: how a scalar is updated from its own value, and when.

use profile::lens::{DefinitionKind, Operator};

use super::{cpp, in_c, in_cpp, scalar, update};

fn updated(statement: &str) -> Option<(Operator, String)> {
    update(&in_c(&format!("double s; for (int i = 0; i < n; i++) {{ {statement} }}")).loops[0], "s")
}

#[test]
fn recognised() {
    use Operator::*;
    for (statement, operator, operand) in [
        ("s += a[i];", Add, "a[i]"),
        ("s -= a[i];", Subtract, "a[i]"),
        ("s *= e;", Multiply, "e"),
        ("s++;", Add, "1"),
        ("s = s + a[i];", Add, "a[i]"),
        ("s = a[i] + s;", Add, "a[i]"),
        ("s = s - a[i];", Subtract, "a[i]"),
        ("s = a[i] - s;", SubtractFrom, "a[i]"),
        ("s = s + a[i] + b[i];", Add, "a[i] + b[i]"),
        ("s = a[i] * b[i] + s;", Add, "a[i] * b[i]"),
        ("s = s - a[i] + e;", Add, "- a[i] + e"),
        ("s = e * s;", Multiply, "e"),
        ("s = s / e;", Divide, "e"),
        ("s = fmax(s, a[i]);", Maximum, "a[i]"),
        ("s = fminf(a[i], s);", Minimum, "a[i]"),
        ("s = MAX(s, a[i]);", Maximum, "a[i]"),
        ("s = a[i] > s ? a[i] : s;", Maximum, "a[i]"),
        ("s = s < a[i] ? s : a[i];", Minimum, "a[i]"),
        ("s = (s) + (a[i]);", Add, "(a[i])"),
        ("if (a[i] > s) s = a[i];", Maximum, "a[i]"),
        ("if (s > a[i]) { s = a[i]; }", Minimum, "a[i]"),
        ("s = fma(a[i], b[i], s);", Add, "a[i] * b[i]"),
        ("s = s && e;", LogicalAnd, "e"),
        ("s = s || a[i] > 2;", LogicalOr, "a[i] > 2"),
        ("if (!(a[i] <= s)) s = a[i];", Maximum, "a[i]"),
        ("if (a[i] >= s) continue; s = a[i];", Minimum, "a[i]"),
        ("if (e || a[i] >= s) { continue; } s = a[i];", Minimum, "a[i]"),
        ("s = e ? s + a[i] : s;", Add, "a[i]"),
        ("s = e ? s : s * a[i];", Multiply, "a[i]"),
        ("s = e ? s + a[i] : s - 1;", Add, "a[i], 1"),
    ] {
        assert_eq!(updated(statement), Some((operator, operand.to_owned())), "{statement}");
    }
}

#[test]
fn not_recognised() {
    for statement in [
        "s = a[i];",
        "s = f(s);",
        "s = s * a[i] + e;",
        "s = 2 * (s + e);",
        "s = a[i] - s - e;",
        "s = -s;",
        "if (a[i] > e) s = a[i];",
        "if (a[i] > s) s = b[i];",
        "s = s > 0 ? a[i] : e;",
        "s = fmax(a[i], e);",
        "if (!(a[i] == s)) s = a[i];",
        "if (a[i] >= s && e) continue; s = a[i];",
        "if (a[i] >= s) continue; s = b[i];",
        "s = s > e ? s + a[i] : s;",
        "s = e ? s + a[i] : s * 2;",
        "s = e ? s + a[i] : 0;",
        "s = e ? s : s;",
    ] {
        assert_eq!(updated(statement), None, "{statement}");
    }
}

#[test]
fn operand_that_reads_the_scalar() {
    let file = in_c("double s; for (;;) s = s + s * e;");
    let definition = &scalar(&file.loops[0], "s").definitions[0];
    assert!(definition.update.as_ref().is_some_and(|update| update.operand_reads_itself));
}

#[test]
fn maximum_with_index() {
    let file =
        in_c("double s = 0; int at = 0; for (int i = 0; i < n; i++) if (a[i] >= s) { s = a[i]; at = i; }");
    let s = scalar(&file.loops[0], "s");
    let update = s.definitions[0].update.as_ref().expect("update");
    assert_eq!(
        (update.operator, update.companions.as_slice()),
        (Operator::Maximum, ["at".to_owned()].as_slice())
    );
    assert_eq!(update.comparison.as_deref(), Some(">="));
    assert!(s.reads.is_empty());
    assert!(s.definitions[0].conditional);
}

#[test]
fn maximum_with_a_count_is_none() {
    let file = in_c("double s = 0; int c = 0; for (int i = 0; i < n; i++) if (a[i] > s) { s = a[i]; c++; }");
    let s = scalar(&file.loops[0], "s");
    assert!(s.definitions[0].update.is_none());
    assert!(!s.reads.is_empty());
}

#[test]
fn conditions_that_read_the_sum() {
    let file = in_c("double s = 0; for (int i = 0; i < n; i++) if (s < e) s += a[i];");
    let s = scalar(&file.loops[0], "s");
    assert_eq!(s.reads.len(), 1);
    assert!(s.definitions[0].conditional);
}

#[test]
fn value_that_is_used() {
    let file = in_c("int m = 0; for (int i = 0; i < n; i++) a[m++] = b[i];");
    let m = scalar(&file.loops[0], "m");
    assert_eq!(m.definitions[0].kind, DefinitionKind::Increment(1));
    assert_eq!(m.reads.len(), 1);
    let file = in_c("double s = 0; for (int i = 0; i < n; i++) a[i] = s += b[i];");
    assert_eq!(scalar(&file.loops[0], "s").reads.len(), 1);
}

#[test]
fn conditional() {
    for (body, conditional) in [
        ("c++;", false),
        ("if (e) c++;", true),
        ("if (e) continue; c++;", true),
        ("c++; if (e) continue;", false),
        ("if (e) break; c++;", true),
        ("e && c++;", true),
        ("e ? c++ : 0;", true),
        ("switch (k) { case 1: c++; }", true),
        ("for (int j = 0; j < k; j++) c++;", true),
        ("do { c++; } while (e);", false),
        ("do { if (e) break; c++; } while (e);", true),
        ("{ { c++; } }", false),
        ("if (e) goto l; c++; l: ;", true),
    ] {
        let file = in_c(&format!("int c = 0; for (int i = 0; i < n; i++) {{ {body} }}"));
        let definition = &scalar(&file.loops[0], "c").definitions[0];
        assert_eq!(definition.conditional, conditional, "{body}");
    }
}

#[test]
fn depth() {
    let file = in_c("int c = 0; for (int i = 0; i < n; i++) for (int j = 0; j < k; j++) c += j;");
    assert_eq!(scalar(&file.loops[0], "c").definitions[0].depth, 1);
    assert_eq!(scalar(&file.loops[1], "c").definitions[0].depth, 0);
}

#[test]
fn in_cpp_too() {
    let file = in_cpp("double s = 0; for (int i = 0; i < n; i++) s = std::max<double>(s, a[i]);");
    assert_eq!(update(&file.loops[0], "s"), Some((Operator::Maximum, "a[i]".to_owned())));
    let file = cpp("void f() { int x; while (std::cin >> x) {} }");
    assert_eq!(scalar(&file.loops[0], "x").definitions[0].kind, DefinitionKind::Input);
}

#[test]
fn names_that_are_read() {
    let file = in_c("double s; for (int i = 0; i < n; i++) s = g(a[i + k], e);");
    assert_eq!(scalar(&file.loops[0], "s").definitions[0].reads, ["a", "e", "i", "k"]);
}

/// A maximum of those elements for which something holds; not of what the maximum itself decides about.
#[test]
fn extremes_under_conditions() {
    for (condition, is) in [
        ("b[i] < 20 && a[i] > m", true),
        ("a[i] > m && b[i] < 20", true),
        ("k && e > 0 && m < a[i]", true),
        ("(b[i] == 1) && (a[i] > m)", true),
        ("b[i] < 20 || a[i] > m", false),
        ("b[i] < 20 && k || a[i] > m", false),
        ("m < 20 && a[i] > m", false),
        ("b[i] < m && a[i] > m", false),
        ("b[i] < 20 && a[i] > b[i]", false),
    ] {
        let file = in_c(&format!("double m = 0; for (int i = 0; i < n; i++) if ({condition}) m = a[i];"));
        let found = update(&file.loops[0], "m").map(|update| update.0);
        assert_eq!(found, is.then_some(Operator::Maximum), "{condition}");
    }
    // What comes along may decide about itself.
    let file = in_c(
        "double m = 0; int w = -1; for (int i = 0; i < n; i++) if (w != k && a[i] > m) { m = a[i]; w = i; }",
    );
    assert_eq!(update(&file.loops[0], "m"), None);
}
