//! What one iteration leaves to the next, and the loop to what follows.

use profile::lens::{AfterLoop, SharingKind};

use super::{c, cpp, in_c, in_cpp, in_rust, scalar};

#[test]
fn read_before_write() {
    for (body, before) in [
        ("t = a[i]; b[i] = t;", false),
        ("b[i] = t; t = a[i];", true),
        ("if (e) t = a[i]; b[i] = t;", true),
        ("if (e) { t = a[i]; b[i] = t; }", false),
        ("if (e) t = 1; else t = 2; b[i] = t;", false),
        ("if (e) t = 1; else if (k) t = 2; b[i] = t;", true),
        ("if (e) t = 1; else continue; b[i] = t;", false),
        ("if (e) t = 1; else { b[i] = t; continue; }", true),
        ("switch (k) { case 1: t = 1; break; default: t = 2; } b[i] = t;", false),
        ("switch (k) { case 1: t = 1; break; case 2: t = 2; } b[i] = t;", true),
        ("switch (k) { case 1: if (e) break; t = 1; break; default: t = 2; } b[i] = t;", true),
        ("for (int j = 0; j < k; j++) t = j; b[i] = t;", true),
        ("do { t = e; } while (k--); b[i] = t;", false),
        ("do { if (e) break; t = e; } while (k--); b[i] = t;", true),
        ("t += a[i];", true),
        ("e && (t = 1); b[i] = t;", true),
        ("if (e) goto l; t = 1; l: b[i] = t;", true),
    ] {
        let file = in_c(&format!("double t; for (int i = 0; i < n; i++) {{ {body} }}"));
        assert_eq!(scalar(&file.loops[0], "t").read_before_write, before, "{body}");
    }
}

#[test]
fn previous_value() {
    let file = in_c("double prev = 0; for (int i = 0; i < n; i++) { b[i] = a[i] - prev; prev = a[i]; }");
    let prev = scalar(&file.loops[0], "prev");
    assert!(prev.read_before_write && prev.always_written);
    assert!(prev.definitions[0].update.is_none());
}

#[test]
fn always_written() {
    for (body, always) in [
        ("t = 1;", true),
        ("if (e) t = 1;", false),
        ("if (e) t = 1; else t = 2;", true),
        ("if (e) break; t = 1;", false),
        ("t = 1; if (e) break;", true),
        ("for (t = 0; t < 3; t++) ;", true),
        ("for (int j = 0; j < k; j++) t = 1;", false),
    ] {
        let file = in_c(&format!("double t; for (int i = 0; i < n; i++) {{ {body} }}"));
        assert_eq!(scalar(&file.loops[0], "t").always_written, always, "{body}");
    }
}

#[test]
fn after() {
    use AfterLoop::{Read, Unknown, Unused};
    for (following, after) in [
        ("", Unused),
        ("g(t);", Read(3)),
        ("t = 1; g(t);", Unused),
        ("if (e) t = 1;\ng(t);", Read(4)),
        ("for (t = 0; t < 3; t++) ;", Unused),
        ("if (e) g(t);", Read(3)),
        ("if (e) return; t = 1; g(t);", Unused),
        ("g(&t);", Read(3)),
        ("if (e) { t = 1; g(t); }", Unused),
        ("if (e) t = 1; else t = 2;\ng(t);", Unused),
        ("for (int j = 0; j < k; j++) { t = j; g(t); }", Unused),
        ("for (int j = 0; j < k; j++) { if (e) continue; t = j; g(t); }", Unused),
        ("for (int j = 0; j < k; j++) { g(t); t = j; }", Read(3)),
        ("for (int j = 0; j < k; j++) t = j;\ng(t);", Read(4)),
        ("while (k--) { if (e) break; t = 1; }\ng(t);", Read(4)),
    ] {
        let file = in_c(&format!("double t; for (int i = 0; i < n; i++) t = a[i];\n{following}"));
        assert_eq!(scalar(&file.loops[0], "t").after, after, "{following}");
    }
    let file = in_c("static double t; for (int i = 0; i < n; i++) t = a[i];");
    assert_eq!(scalar(&file.loops[0], "t").after, Unknown);
    let file = in_c("double t, *p = &t; for (int i = 0; i < n; i++) t = a[i];");
    assert_eq!(scalar(&file.loops[0], "t").after, Unknown);
    let file = in_c("for (int i = 0; i < n; i++) e = a[i];");
    assert_eq!(scalar(&file.loops[0], "e").after, Unused);
    let file = in_cpp("double t; double &r = t; for (int i = 0; i < n; i++) { r = a[i]; t = 1; }");
    assert_eq!(scalar(&file.loops[0], "r").after, Unknown);
    assert_eq!(scalar(&file.loops[0], "t").after, Unknown);
}

#[test]
fn after_in_an_outer_loop() {
    use AfterLoop::{Read, Unused};
    let inner = |text: &str| scalar(&in_c(text).loops[1], "t").after;
    // The next outer iteration reads it.
    assert_eq!(inner("double t = 0; for (;;) {\ng(t);\nfor (int i = 0; i < n; i++) t = a[i]; }"), Read(3));
    // The next outer iteration has its own, or writes it first.
    assert_eq!(inner("for (;;) { double t = 0; g(t); for (int i = 0; i < n; i++) t = a[i]; }"), Unused);
    assert_eq!(inner("double t; for (;;) { t = 0; g(t); for (int i = 0; i < n; i++) t = a[i]; }"), Unused);
    assert_eq!(inner("double t; for (;;) { for (int i = 0; i < n; i++) t = a[i]; t = 0; } g(t);"), Unused);
    // The write is jumped over.
    assert_eq!(
        inner("double t; for (;;) { for (int i = 0; i < n; i++) t = a[i]; if (e) break; t = 0; }\ng(t);"),
        Read(3)
    );
}

#[test]
fn sharing() {
    let file = in_c("int x; int v[3]; for (;;) { g(&x); scanf(\"%d\", &k); h(v); }");
    let kinds = |name: &str| scalar(&file.loops[0], name).shared.iter().map(|s| s.kind).collect::<Vec<_>>();
    assert_eq!(kinds("x"), [SharingKind::Address]);
    assert_eq!(kinds("v"), [SharingKind::Address]);
    assert_eq!(scalar(&file.loops[0], "k").shared[0].callee, "scanf");
    let file = in_cpp("int x, y; for (;;) { g(x); sqrt(y); std::swap(x, y); }");
    let kinds = |name: &str| scalar(&file.loops[0], name).shared.iter().map(|s| s.kind).collect::<Vec<_>>();
    assert_eq!(kinds("x"), [SharingKind::PerhapsReference, SharingKind::Reference]);
    assert_eq!(kinds("y"), [SharingKind::Reference]);
    // What variables take that can be called, where they are declared says; others may have their name.
    let file = cpp("#include <functional>
void f(int n, void (*fp)(int &), const std::function<void(int)> &by_value) {
    auto up = [](int &k) { k++; }; int a, b, c, d;
    for (;;) { up(a); fp(b); by_value(c); g(d); } }
void h(int n) { auto up = [](const int &k) { return k; }; for (int i = 0; i < n; i++) { up(i); } }");
    let kinds = |name: &str| {
        let own = file.loops[0].scalars.iter().find(|own| own.name == name);
        own.map(|own| own.shared.iter().map(|s| s.kind).collect::<Vec<_>>()).unwrap_or_default()
    };
    assert_eq!(["a", "b"].map(kinds), [[SharingKind::Reference]; 2]);
    assert_eq!((kinds("c"), kinds("d")), (vec![], vec![SharingKind::PerhapsReference]));
    assert!(file.loops[1].canonical.is_yes());
    // Nobody changes a constant, or a number that an enumeration names.
    let file = cpp("enum { WRONG = -1 };\nvoid f(int n) { const int k = n; for (;;) { g(k, WRONG); } }");
    assert!(file.loops[0].scalars.iter().all(|s| s.shared.is_empty()));
    let file = in_rust("let mut x = 0; loop { g(&mut x); h(&k); }");
    assert_eq!(scalar(&file.loops[0], "x").shared[0].kind, SharingKind::Address);
    assert!(!file.loops[0].scalars.iter().any(|s| s.name == "k"));
}

#[test]
fn recursion_through_members() {
    let file = c(
        "struct S { int a, b; }; void f(struct S s, int n) { for (;;) { s.a = s.b; struct S t = s; g(t); } }",
    );
    let a = scalar(&file.loops[0], "s.a");
    // The whole is read, so the member is; the other member is another place.
    assert_eq!(a.reads.len(), 1);
    assert!(!a.read_before_write);
}
