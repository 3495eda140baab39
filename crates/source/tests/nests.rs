//! Nests cut from sources, and what is not cut.
#![allow(clippy::unwrap_used, reason = "a failed preparation is a failed test")]

use std::collections::BTreeSet;

use source::{Clang, Counted, Item, Nest, Source, Symbol, Uncut};

/// The source of a function `f`, if there is a clang to read it.
fn read(body: &str) -> Option<Source> {
    let clang = match Clang::find() {
        Ok(clang) => clang,
        Err(missing) => {
            eprintln!("SKIPPED: {missing}");
            return None;
        }
    };
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("f.c");
    std::fs::write(&file, body).unwrap();
    Some(clang.read(&file, &[]).unwrap())
}

fn nest(body: &str, line: u32) -> Option<Result<Nest, Uncut>> {
    read(body).map(|source| source.nest("f", line, &BTreeSet::new()))
}

fn text(nest: &Nest, l: &Counted) -> String {
    let name = |symbol: Symbol| match symbol {
        Symbol::Iterator(depth) => format!("i{depth}"),
        Symbol::Parameter(at) => nest.parameters[at].text.clone(),
    };
    let (first, last) = (l.first.text(&name), l.last.text(&name));
    let inside: Vec<String> = l
        .body
        .iter()
        .map(|item| match item {
            Item::Loop(inner) => text(nest, inner),
            Item::Statement(at) => format!("S{at}"),
        })
        .collect();
    format!("[{first} to {last} by {}: {}]", l.step, inside.join(" "))
}

#[test]
fn bounds_and_statements() {
    let body = "#define N 10\n#define MAX(a,b) ((a)>(b)?(a):(b))\n\
        void f(int n, double *a)\n{\n  int k;\n  for (k = 0; k < N; k++) {\n    double s = 0, *q = a;\n\
        \x20   for (int j = n * n - 1; 2 * k <= j; j -= 2)\n      s += a[j] * q[MAX(j, k)];\n\
        \x20   a[k] = MAX(s, 1);\n    if (s > 2) { a[k] /* odd; */ = 3; }\n  }\n}\n";
    let Some(found) = nest(body, 6) else { return };
    let nest = found.unwrap();
    assert_eq!(text(&nest, &nest.outermost), "[0 to 9 by 1: S0 [n * n - 1 to 2*i0 by -2: S1] S2]");
    let cut: Vec<&str> = nest.statements.iter().map(|s| &body[s.range.clone()]).collect();
    assert_eq!(cut[0], "double s = 0, *q = a;");
    assert_eq!(cut[1], "s += a[j] * q[MAX(j, k)];");
    assert_eq!(cut[2], "a[k] = MAX(s, 1);\n    if (s > 2) { a[k] /* odd; */ = 3; }");
    assert_eq!(nest.statements[0].declares.len(), 2);
    assert_eq!(body[nest.range.clone()].lines().count(), 7);
    let written = nest.statements[1].references.iter().filter_map(|r| r.at);
    assert!(written.clone().all(|at| body[at..].starts_with(['s', 'a', 'q', 'j', 'k'])));
    assert_eq!(written.count(), 6);
}

#[test]
fn what_is_not_cut_is_named() {
    let cases = [
        ("for (int i = 0; i < n; i++) { if (a[i] > 3) break; a[i] = 0; }", "early"),
        ("for (int i = 0; i < n; i++) { if (a[i] > 3) goto out; a[i] = 0; } out: ;", "goto"),
        ("for (int i = 0; i < n; i++) { if (a[i] > 3) return; a[i] = 0; }", "returns"),
        ("for (int i = 0; i < a[3]; i++) a[i] = 0;", "affine"),
        ("for (int i = 0; i < n; i++) n--;", "affine"),
        ("for (int i = 0; i < n; i *= 2) a[i] = 0;", "constant"),
        ("for (int i = 0; i < n; i++) i += a[i];", "change the iterator"),
        ("for (int i = 0; i > n; i++) a[i] = 0;", "direction"),
        ("int i; for (i = 0; i < n; i++) a[i] = 0; a[i] = 1;", "outside"),
        ("while (n > 3) a[n--] = 0;", "no `for`"),
        ("n++;", "no loop"),
    ];
    for (statement, why) in cases {
        let Some(found) = nest(&format!("void f(int n, int *a)\n{{\n{statement}\n}}\n"), 3) else {
            return;
        };
        let refused = found.map(|nest| text(&nest, &nest.outermost)).unwrap_err();
        assert!(refused.why.contains(why), "{statement}: {refused}");
    }
}

/// A loop inside that is not counted is part of a statement.
#[test]
fn inner_loops_may_stay() {
    let body = "void f(int n, int *a)\n{\nfor (int i = 0; i < n; i++) {\na[i] = 0;\n\
        for (int k = a[i]; k < n; k++)\n{ a[k] = k; }\na[i] = 1;\n}\n}\n";
    let Some(found) = nest(body, 3) else { return };
    let nest = found.unwrap();
    assert_eq!(text(&nest, &nest.outermost), "[0 to n - 1 by 1: S0]");
    assert!(nest.statements[0].has_loop);
    assert_eq!(nest.uncut.len(), 1);
    assert_eq!(nest.uncut[0].line, 5);
}

#[test]
fn sources_that_are_none() {
    let Ok(clang) = Clang::find() else { return eprintln!("SKIPPED: no clang") };
    let directory = tempfile::tempdir().unwrap();
    for (name, content) in [("a.c", "int f( {"), ("b.f90", "end"), ("c.c", "\u{0}\u{1}x y z")] {
        let file = directory.path().join(name);
        std::fs::write(&file, content).unwrap();
        assert!(clang.read(&file, &[]).is_err(), "{name}");
    }
    assert!(clang.read(&directory.path().join("none.c"), &[]).is_err());
}

/// A loop that is to stay whole is part of a statement, with its neighbours.
#[test]
fn loops_can_be_kept_whole() {
    let body = "void f(int n, int *a)\n{\nfor (int i = 0; i < n; i++) {\nint s = 0;\nfor (int k = 0; k < n; k++)\n\
        s += a[k];\na[i] = s;\n}\n}\n";
    let Some(source) = read(body) else { return };
    let nest = source.nest("f", 3, &BTreeSet::from([5])).unwrap();
    assert_eq!(text(&nest, &nest.outermost), "[0 to n - 1 by 1: S0]");
    assert!(body[nest.statements[0].range.clone()].ends_with("a[i] = s;"));
}
