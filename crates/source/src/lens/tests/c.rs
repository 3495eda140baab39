//! C: headers, homes, what leaves, macros.

use profile::lens::{AccessMode, Canonical, Home, InMacro, LeaveKind, LoopKind, NotCanonical, Operator};

use super::{array, c, in_c, scalar};

fn form(header: &str, body: &str) -> Canonical {
    let file = in_c(&format!("int i, j; double x; char *p; for ({header}) {{ {body} }}"));
    file.loops[0].canonical.clone()
}

#[test]
fn canonical() {
    for header in [
        "i = 0; i < n; i++",
        "int i = 0; i < n; ++i",
        "i = n; i > 0; i--",
        "i = n - 1; i >= 0; i -= 2",
        "i = 0; n > i; i += k",
        "i = 0; i <= n; i = i + 1",
        "i = 0; i < n; i = 2 + i",
        "i = 0; i != n; i++",
        "p = (char *) a; p < (char *) b; p++",
        "i = 0; i < n * k + 1; i++",
        "i = 0; i < abs(e); i++",
    ] {
        assert_eq!(form(header, "a[i] = 0;"), Canonical::Yes, "{header}");
    }
}

#[test]
fn not_canonical() {
    use NotCanonical::*;
    for (header, body, lacks) in [
        ("; i < n; i++", "", Start),
        ("j = 0; i < n; i++", "", Start),
        ("i = 0, j = 0; i < n; i++", "", SeveralStarts),
        ("i = 0; ; i++", "", Test),
        ("i = 0; i < n && j; i++", "", Test),
        ("i = 0; a[i]; i++", "", TestOfData),
        ("i = 0; i < n && a[i] > 0; i++", "", TestOfData),
        ("i = 0; i < n && a[j] > 0; i++", "", Test),
        ("i = 0; i < a[i]; i++", "", TestOfData),
        ("i = 0; i < n; i *= 2", "", Step),
        ("i = 0; i < n; i--", "", Step),
        ("i = 0; i != n; i += 2", "", Step),
        ("i = 0; i < n; i++, j++", "", SeveralSteps),
        ("x = 0; x < n; x++", "", Type),
        ("i = 0; i < n; i++", "i++;", IteratorAssigned),
        ("i = 0; i < n; i++", "if (e) i = n;", IteratorAssigned),
        ("i = 0; i < n; i++", "g(&i);", IteratorShared),
        ("i = 0; i < n; i++", "n--;", BoundAssigned),
        ("i = 0; i < n; i += k", "k = 2;", BoundAssigned),
        ("i = 0; i < n; i++", "g(&n);", BoundMayChange),
        ("i = 0; i < count(); i++", "", BoundMayChange),
        ("i = 0; i < sqrt(e); i++", "", BoundType),
        ("i = 0; i < n * 0.5; i++", "", BoundType),
    ] {
        assert_eq!(form(header, body), Canonical::No(lacks), "{header} {body}");
    }
}

#[test]
fn header() {
    let file = in_c("double *p; int i;\nfor (i = 0, p = a;\n     i < n;\n     i++, p += 2)\n{ *p = 0; }");
    let one = &file.loops[0];
    assert_eq!((one.at.line, one.at.column, one.header_last_line, one.body.0.line), (3, 1, 5, 6));
    let iterator = &one.iterators[0];
    assert_eq!((iterator.name.as_str(), iterator.home), ("i", Home::Local));
    assert_eq!(iterator.start.as_deref(), Some("0"));
    assert_eq!(iterator.comparison.as_deref(), Some("<"));
    assert_eq!(iterator.bound.as_deref(), Some("n"));
    assert_eq!(iterator.step_value, Some(1));
    let advanced = &one.advanced[0];
    assert_eq!(
        (advanced.name.as_str(), advanced.step_value, advanced.start.as_deref()),
        ("p", Some(2), Some("a"))
    );
}

#[test]
fn homes() {
    let file = c(
        "int g; static int h; extern int x; _Thread_local int tl; volatile int vo; _Atomic int at;\n\
                  void f(int n, int p) { static int s; int l; extern int ex;\n\
                  for (int i = 0; i < n; i++) { static int sb; int b; register int r; g = h = x = tl = vo = at = 1; ex = 1;\n\
                  s = l = p = sb = b = r = unknown = 1; } }",
    );
    let one = &file.loops[0];
    for (name, home) in [
        ("g", Home::FileScope),
        ("h", Home::FileScope),
        ("x", Home::FileScope),
        ("ex", Home::FileScope),
        ("s", Home::StaticLocal),
        ("l", Home::Local),
        ("p", Home::Parameter),
        ("sb", Home::StaticInBody),
        ("b", Home::InBody),
        ("r", Home::InBody),
        ("i", Home::InHeader),
        ("unknown", Home::Unknown),
    ] {
        assert_eq!(scalar(one, name).home, home, "{name}");
    }
    assert!(scalar(one, "tl").storage.thread_local);
    assert!(scalar(one, "vo").storage.volatile);
    assert!(scalar(one, "at").storage.atomic);
}

#[test]
fn homes_of_nested_loops() {
    let file = in_c("int j; for (int i = 0; i < n; i++) { double t; for (j = 0; j < n; j++) { t = a[j]; } }");
    let (outer, inner) = (&file.loops[0], &file.loops[1]);
    assert_eq!(scalar(outer, "t").home, Home::InBody);
    assert_eq!(scalar(inner, "t").home, Home::Local);
    assert_eq!(inner.parent, Some(0));
    assert_eq!(inner.depth, 1);
    let iterators: Vec<_> = outer.inner_iterators.iter().map(|i| (i.name.as_str(), i.home, i.of)).collect();
    assert_eq!(iterators, [("j", Home::Local, 1)]);
    assert!(inner.inner_iterators.is_empty());
}

#[test]
fn shadowing() {
    let file = in_c("double t = 0; for (int i = 0; i < n; i++) { t += 1; double t = 2; t = 3; }");
    let homes: Vec<_> = file.loops[0].scalars.iter().filter(|s| s.name == "t").map(|s| s.home).collect();
    assert_eq!(homes, [Home::Local, Home::InBody]);
}

#[test]
fn leaves() {
    let file = in_c(
        "for (int i = 0; i < n; i++) {\n\
         switch (k) { case 1: break; default: continue; }\n\
         for (;;) { if (a[i]) break; if (b[i]) goto out; if (e) return; }\n\
         if (a[i]) break;\n if (e) exit(1); }\nout: ;",
    );
    let leaves =
        |index: usize| -> Vec<_> { file.loops[index].leaves.iter().map(|l| (l.kind, l.at.line)).collect() };
    assert_eq!(
        leaves(0),
        [(LeaveKind::Goto, 4), (LeaveKind::Return, 4), (LeaveKind::Break, 5), (LeaveKind::Exit, 6)]
    );
    assert_eq!(leaves(1), [(LeaveKind::Break, 4), (LeaveKind::Goto, 4), (LeaveKind::Return, 4)]);
    assert!(file.loops[0].jumps);
}

#[test]
fn gotos_inside_stay() {
    let file = in_c("for (int i = 0; i < n; i++) { if (e) goto next; a[i] = 1; next: ; }");
    assert!(file.loops[0].leaves.is_empty());
    assert!(file.loops[0].jumps);
}

#[test]
fn arrays() {
    let file = c("struct S { double x; double *row; }; double g[10][10];\n\
                  void f(int n, double *a, struct S *s, int *k) { double buf[8];\n\
                  for (int i = 0; i < n; i++) {\n\
                  a[2 * i - 1] = a[i + n] + *(a + i - 3);\n\
                  g[i][n - i] += 1; s[i].x = 2; s->row[i] = 3; buf[i % 8] = 4; a[k[i]]++; } }");
    let one = &file.loops[0];
    let accesses: Vec<_> = array(one, "a").accesses.iter().map(|x| (x.mode, x.affine[0].clone())).collect();
    let affine = |index: usize| accesses[index].1.as_ref().expect("affine");
    assert_eq!((affine(0).of("i"), affine(0).of("n"), affine(0).constant), (1, 1, 0));
    assert_eq!((affine(1).of("i"), affine(1).constant), (1, -3));
    assert_eq!(accesses[2].0, AccessMode::Write);
    assert_eq!((affine(2).of("i"), affine(2).constant), (2, -1));
    assert_eq!(accesses[3].0, AccessMode::Update(Operator::Add));
    assert_eq!(accesses[3].1, None);
    let g = array(one, "g");
    assert_eq!((g.home, g.fixed), (Home::FileScope, true));
    assert_eq!(g.accesses[0].subscripts, ["i", "n - i"]);
    assert_eq!(g.accesses[0].mode, AccessMode::Update(Operator::Add));
    assert_eq!(array(one, "s").accesses[0].member, "x");
    assert_eq!(array(one, "s->row").root, "s");
    assert!(array(one, "buf").fixed);
    assert!(!array(one, "a").fixed);
    assert_eq!(array(one, "k").accesses[0].mode, AccessMode::Read);
}

#[test]
fn histogram() {
    let file = in_c("int h[9]; for (int i = 0; i < n; i++) h[(int) a[i]] = h[(int) a[i]] + 2;");
    let h = array(&file.loops[0], "h");
    assert_eq!(h.accesses.len(), 1);
    assert_eq!(h.accesses[0].mode, AccessMode::Update(Operator::Add));
}

#[test]
fn macros() {
    let file = c("#define FOR(i, n) for (int i = 0; i < n; i++)\n\
                  #define SWAP(x, y) { t = x; x = y; y = t; }\n\
                  #define FILL(a, n) do { for (int j = 0; j < (n); j++) \\\n (a)[j] = 0; } while (0)\n\
                  void f(int n, int *a) { int s = 0;\n FOR(i, n) { a[i] = s; }\n\
                  each(x, list) { s++; }\n\
                  for (int i = 0; i < n; i++) { SWAP(s, n); g(s); } }");
    let kinds: Vec<_> =
        file.loops.iter().map(|one| (one.at.line, one.kind, one.in_macro, one.errors)).collect();
    use InMacro::{Definition, Invocation, No};
    assert_eq!(
        kinds,
        [
            (1, LoopKind::For, Definition, true),
            (3, LoopKind::DoWhile, Definition, false),
            (3, LoopKind::For, Definition, false),
            (6, LoopKind::For, Invocation, true),
            (7, LoopKind::For, Invocation, true),
            (8, LoopKind::For, No, false),
        ]
    );
    // What it assigns is there in its place.
    let swapped = &file.loops[5];
    assert_eq!(swapped.calls.len(), 1);
    assert!(["t", "s", "n"].iter().all(|name| scalar(swapped, name).definitions.len() == 1));
}

#[test]
fn conditional_compilation() {
    let file = c(
        "#ifndef X_H\n#define X_H\nvoid f(int n) {\n for (;;) {\n#if A\n int q = 1;\n#else\n double q = 2;\n#endif\n\
                  q = n; }\n for (;;) {}\n}\n#if B\nvoid g(int n) { while (n) n--; }\n#endif\n#endif\n",
    );
    let marks: Vec<_> = file.loops.iter().map(|one| one.conditional_compilation).collect();
    // The declarations of the first may be those of the second one's function.
    assert_eq!(marks, [true, true, true]);
    assert!(file.loops.iter().all(|one| one.errors));
    assert_eq!(file.open, [(6, 6), (8, 8), (14, 14)]);
    assert_eq!(scalar(&file.loops[0], "q").home, Home::InBody);
}

#[test]
fn errors_are_of_the_loop() {
    let file = c("void f(int n) { for (int i = 0; i < n; i++) { x = = 2 @ ; }\n for (;;) { y = 1; } }");
    assert!(file.errors);
    assert!(file.loops[0].errors);
    let file = c("void f(int n) { for (;;) { asm volatile(\"nop\"); } }");
    assert!(file.loops[0].errors);
}

#[test]
fn generated() {
    assert!(c("#line 3 \"x.y\"\nint x;\n").generated);
    assert!(c("# 3 \"x.y\"\nint x;\n").generated);
    assert!(!c("#define line 3\nint x;\n").generated);
}

#[test]
fn old_style_parameters() {
    let file = c("int f(n, a) int n; int *a; { int i; for (i = 0; i < n; i++) n += a[i]; return n; }");
    assert_eq!(scalar(&file.loops[0], "n").home, Home::Parameter);
}

#[test]
fn other_loops() {
    let file = in_c("do { k--; } while (k > 0);\nwhile (n--) *a++ = 0;");
    assert_eq!(file.loops[0].kind, LoopKind::DoWhile);
    assert_eq!(file.loops[1].kind, LoopKind::While);
    let one = &file.loops[1];
    assert_eq!(one.canonical, Canonical::No(NotCanonical::Kind));
    // The test reads the old value of n, and the store that of a.
    assert!(!scalar(one, "n").reads.is_empty());
    assert!(!scalar(one, "a").reads.is_empty());
    assert_eq!(scalar(one, "*a").definitions.len(), 1);
    for (text, is_data) in [
        ("while (a[k]) k++;", true),
        ("while (*a) a++;", true),
        ("do a++; while (*a++);", true),
        ("while (k < n && a[k] != 3) k++;", true),
        ("while (k < a[n]) k++;", false),
        ("while (k < n) k++;", false),
    ] {
        let lacks = if is_data { NotCanonical::TestOfData } else { NotCanonical::Kind };
        assert_eq!(in_c(text).loops[0].canonical, Canonical::No(lacks), "{text}");
    }
}

#[test]
fn conditionals_that_cut_statements() {
    let text = "void f(int n, int *a, int k) {
#ifdef A
        if (k) {
#else
        if (!k) {
#endif
            for (int i = 0; i < n; i++) a[i] = i;
            for (int i = 0; i < n; i++) {
#ifdef B
                a[i] = 1;
#endif
            }
            for (int i = 0; i < n; i++) {
#ifdef B
                // a[i] = 1;
                /* a
                   comment */
#endif
            }
        }
    }";
    let file = c(text);
    let errors: Vec<(u32, bool)> = file.loops.iter().map(|one| (one.at.line, one.errors)).collect();
    assert_eq!(errors, [(7, false), (8, true), (13, false)]);
    assert!(file.errors);
    // What is not closed is left as it is.
    assert!(c("#ifdef A\nvoid f() { if (x { for (;;) ; }").errors);
}

/// Regression: where blanks follow the name, the next line was taken for the value, and the rest of the file for conditional text.
#[test]
fn macros_without_a_value() {
    let body = "#endif\nint a[9]; void f(int n) { for (int i = 0; i < n; i++) a[i] = i; }";
    for value in ["", " ", "   ", "\t\r", " __attribute__((noinline, unused))", " /* none */ "] {
        let found = c(&format!("#if 1\n#define ALONE{value}\n{body}"));
        assert!(!found.errors && !found.loops[0].conditional_compilation, "{value:?}");
    }
}

#[test]
fn attributes() {
    let text = "void f(int n) { for (int i = 0; i < n; i++) { int v[4] __attribute__ ((aligned (64))); v[0] = i; g(v); } }";
    assert!(!c(text).errors && !c(text).loops[0].errors);
    assert!(!c("static void f(int n) __attribute__((noinline)); void f(int n) { for (;;) ; }").errors);
    assert!(c("int __attribute__((x;").errors || c("int __attribute__((x;").loops.is_empty());
}

/// Calls after which something is kept that the loop does not show.
#[test]
fn calls_that_keep() {
    const AROUND: &str = "static int seen, list[9];\n\
        #define NEXT(s) ({ (s) = (s) * 5 + 1; })\n#define PUT(a, i, v) ((a)[i] = (v))\n#define PUSH(a, v) ({ a[top++] = v; })\n\
        #define RK 3 // RK steps\n#define HALF(x) /* n++ */ ((x) / 2) // x = 2\n#define AGAIN(s) NEXT(s)\n#define TWICE(x) (2 * (x))\n#define FIRST(a, v) ({ a[0] += v; })\n\
        int counts(void) { static int n; return n++; }\nint through(void) { return counts() + 1; }\n\
        int plain(int x) { return x * 2; }\nvoid fills(int x) { list[x & 7] = x; }\n";
    let about = |body: &str| {
        let text = format!(
            "{AROUND}void f(int n, int s, int *a) {{ int top = 0; for (int i = 0; i < n; i++) {body}; }}"
        );
        let file = c(&text);
        let calls = &file.loops[0].calls;
        (
            calls.iter().any(|call| call.keeps),
            calls.iter().flat_map(|call| call.arrays.clone()).collect::<Vec<_>>(),
        )
    };
    for (body, keeps) in [
        ("a[i] = NEXT(s)", true),
        ("NEXT(a[i])", false),
        ("PUT(a, i, 2)", false),
        ("PUSH(a, i)", true),
        ("a[i] = AGAIN(s)", true),
        ("a[i] = TWICE(i)", false),
        ("FIRST(a, i)", true),
        ("a[i] = counts()", true),
        ("a[i] = through()", true),
        ("a[i] = plain(i)", false),
        ("a[i] = RK + HALF(i)", false),
    ] {
        assert_eq!(about(body), (keeps, Vec::new()), "{body}");
    }
    assert_eq!(about("fills(i)"), (false, vec!["list".to_owned()]));
}

/// What functions change through what they are handed, and which arguments choose it.
#[test]
fn functions_that_are_read_in_the_place_of_their_calls() {
    const AROUND: &str = "struct pair { double x, y; }; static double all[9];\n\
        static void add(double *s, double v) { *s += v; }\nstatic void add_pair(struct pair *s, struct pair v) { s->x += v.x; s->y += v.y; }\n\
        static void largest(double *m, double v) { if (v > *m) *m = v; }\nstatic void put(double *a, int i, double v) { a[i] = v; }\n\
        static void twice(double *s, double v) { *s = v; *s = v + 1; }\nstatic double left(const double *a, int i) { return 0.5 * a[i - 1]; }\n\
        static double of_all(int i) { return all[i]; }\nstatic void own(double *s, double v) { v = *s; }\n\
        static void count(int *n) { ++*n; }\n";
    let about = |body: &str| {
        let file = c(&format!(
            "{AROUND}double f(int n, double *a, struct pair *p, double *all_of_it) {{ double s = 0, t = 0; struct pair q = {{0}}; int c = 0; \
             for (int i = 1; i < n; i++) {body} return s + t + q.x + c; }}"
        ));
        let one = &file.loops[0];
        let calls: Vec<String> = one.calls.iter().map(|call| call.callee.clone()).collect();
        let updates =
            one.scalars.iter().filter(|scalar| !scalar.definitions.is_empty() && scalar.name != "i");
        let updates = updates.map(|scalar| {
            let operators = scalar.definitions.iter().filter_map(|d| d.update.as_ref());
            (
                scalar.name.clone(),
                operators.map(|update| format!("{:?}", update.operator)).collect::<String>(),
            )
        });
        let elements = one.arrays.iter().flat_map(|array| {
            array
                .accesses
                .iter()
                .map(|own| format!("{:?} {}[{}]", own.mode, array.name, own.subscripts.join(",")))
        });
        (calls.join(" "), updates.collect::<Vec<_>>(), elements.collect::<Vec<_>>())
    };
    let update = |name: &str, operator: &str| (name.to_owned(), operator.to_owned());
    assert_eq!(
        about("add(&s, a[i]);"),
        (String::new(), vec![update("s", "Add")], vec!["Read a[i]".to_owned()])
    );
    assert_eq!(about("largest(&s, a[i]);").1, [update("s", "Maximum")]);
    assert_eq!(about("add_pair(&q, p[i]);").1, [update("q.x", "Add"), update("q.y", "Add")]);
    assert_eq!(about("count(&c);").1, [update("c", "Add")]);
    assert_eq!(about("put(a, i, 2);"), (String::new(), vec![], vec!["Write a[i]".to_owned()]));
    assert_eq!(about("put(a + 1, i, 2);").2, ["Write a[1 + i]"]);
    assert_eq!(about("a[i] = left(a, i);").2, ["Read a[i - 1]", "Write a[i]"]);
    assert_eq!(about("a[i] = left(&a[i], 0);").2, ["Read a[i + 0 - 1]", "Write a[i]"]);
    assert_eq!(about("a[i] = of_all(i);").2, ["Read all[i]", "Write a[i]"]);
    // What is asked for again has another value by then; what assigns a parameter is none; a variable hides a name.
    assert_eq!(about("twice(&s, s + a[i]);").0, "twice");
    assert_eq!(about("own(&s, a[i]);").0, "own");
    assert_eq!(about("{ double all[9]; a[i] = of_all(i); }").0, "of_all");
    assert_eq!(about("{ void (*add)(double *, double) = 0; add(&s, a[i]); }").0, "add");
}

#[test]
fn places_that_callees_change() {
    const AROUND: &str = "struct stack { int top, v[9]; }; struct grid { struct stack *cells; };\n\
        static int counters[4];\n\
        void push(struct stack *s, int x) { int at = s->top++; s->v[at] = x; }\nvoid put(int *a, int i, int x) { int y = x; a[i] = y; }\n\
        void set(struct grid *g, int i) { struct stack *c = &g->cells[i]; c->top = 0; }\n\
        void both(struct stack *s, int *a, int i) { push(s, i); put(a, i, 2); }\n\
        void count(int w) { int *c = counters + w; (*c)++; }\nint *cell(void);\nvoid next(void) { (*cell())++; }\n\
        int sum(const int *a, int n) { int s = 0, own[3]; own[1] = 2; for (int k = 0; k < n; k++) s += a[k]; return s; }\n";
    let about = |call: &str| {
        let text = format!(
            "{AROUND}void f(int n, struct stack *s, struct grid *g, int *a) {{ for (int i = 0; i < n; i++) {call}; }}"
        );
        let file = c(&text);
        // The first is that of `sum`.
        let call = &file.loops[1].calls[0];
        (call.keeps, call.places.iter().map(|names| names.join(" ")).collect::<Vec<_>>())
    };
    for (call, keeps, places) in [
        ("push(s, i)", false, &["s"][..]),
        ("push(&s[i], 1)", false, &["i s"]),
        ("put(a, i, 2)", false, &["a i"]),
        ("set(g, i)", false, &["g i"]),
        ("both(s, a, i)", false, &["s", "a i"]),
        ("count(i)", false, &["i"]),
        ("next()", true, &[]),
        ("a[i] = sum(a, n)", false, &[]),
    ] {
        assert_eq!(about(call), (keeps, places.iter().map(|&one| one.to_owned()).collect()), "{call}");
    }
}
