//! C++: range-for, members, references, lambdas.

use profile::lens::{
    AccessMode, Canonical, Home, LeaveKind, LoopKind, NotCanonical, ScalarForm, SharingKind,
};

use super::{array, cpp, in_cpp, scalar};

#[test]
fn range_for() {
    let file =
        in_cpp("for (auto &x : a) x += 1;\nfor (double x : a) e += x;\nfor (const auto &[p, q] : m) e += p;");
    let [by_reference, by_value, bound] = &file.loops[..] else { panic!() };
    assert_eq!(by_reference.kind, LoopKind::RangeFor);
    assert_eq!(by_reference.canonical, Canonical::Yes);
    assert!(by_reference.iterators[0].reference);
    assert_eq!(by_reference.iterators[0].bound.as_deref(), Some("a"));
    assert!(scalar(by_reference, "x").storage.reference);
    assert!(scalar(by_reference, "a").shared.iter().any(|s| s.kind == SharingKind::Bound));
    assert!(!by_value.iterators[0].reference);
    assert!(!by_value.scalars.iter().any(|s| s.name == "a"));
    let names: Vec<_> = bound.iterators.iter().map(|i| i.name.as_str()).collect();
    assert_eq!(names, ["p", "q"]);
    assert!(!bound.scalars.iter().any(|s| s.name == "m"));
}

#[test]
fn container_that_grows() {
    let file = in_cpp("for (auto x : a) a.push_back(x);\nfor (int i = 0; i < a.size(); i++) a.push_back(1);");
    assert_eq!(file.loops[0].canonical, Canonical::No(NotCanonical::BoundMayChange));
    assert_eq!(file.loops[1].canonical, Canonical::No(NotCanonical::BoundMayChange));
    let file = in_cpp(
        "for (size_t i = 0; i < a.size(); i++) a[i] = 1;\nfor (auto it = a.begin(); it != a.end(); ++it) *it = 1;",
    );
    assert_eq!(file.loops[0].canonical, Canonical::Yes);
    assert_eq!(file.loops[1].canonical, Canonical::Yes);
    assert_eq!(scalar(&file.loops[1], "*it").form, ScalarForm::Dereference);
}

#[test]
fn members() {
    let file = cpp(
        "int g; class C { int m; static int sm; std::vector<int> v; void f(int n) { for (;;) { m = this->m + 1; sm = 1; g = 2; inherited = 3; v[n] = 4; } } };\n\
         void D::f(int n) { for (;;) { count++; this->count--; n = 1; } }\n\
         void f(S &s, S *p) { for (;;) { s.x = 1; p->y.z = 2; (*p).w = 3; } }",
    );
    let one = &file.loops[0];
    let m = scalar(one, "this->m");
    assert_eq!(
        (m.home, m.form, m.root.as_str(), m.type_text.as_str()),
        (Home::Member, ScalarForm::PointedMember, "this", "int")
    );
    assert_eq!(scalar(one, "this->sm").home, Home::FileScope);
    assert_eq!(scalar(one, "g").home, Home::FileScope);
    assert_eq!(scalar(one, "this->inherited").home, Home::Member);
    assert_eq!(array(one, "this->v").home, Home::Member);
    assert_eq!(scalar(&file.loops[1], "this->count").definitions.len(), 2);
    assert_eq!(scalar(&file.loops[1], "n").home, Home::Parameter);
    let free = &file.loops[2];
    assert_eq!(scalar(free, "s.x").form, ScalarForm::Member);
    assert_eq!(scalar(free, "p->y.z").form, ScalarForm::PointedMember);
    assert_eq!(scalar(free, "p->w").root, "p");
}

#[test]
fn lambdas() {
    let capture = |lambda: &str| {
        let file =
            in_cpp(&format!("int s = 0, t = 0; for (int i = 0; i < n; i++) {{ auto f = {lambda}; f(1); }}"));
        let one = &file.loops[0];
        let shared = one
            .scalars
            .iter()
            .find(|x| x.name == "s")
            .map(|s| s.shared.iter().any(|x| x.kind == SharingKind::Capture));
        (shared, one.closures[0].shares.clone())
    };
    assert_eq!(capture("[&](int q) { s += q; }"), (Some(true), vec!["s".to_owned()]));
    assert_eq!(capture("[&s](int q) { s += q; }"), (Some(true), vec!["s".to_owned()]));
    assert_eq!(capture("[=](int q) mutable { s += q; }"), (None, vec![]));
    assert_eq!(capture("[s](int q) mutable { s += q; }"), (None, vec![]));
    assert_eq!(capture("[&, s](int q) mutable { s += q; }"), (None, vec![]));
    assert_eq!(capture("[=, &s](int q) mutable { s += q; }"), (Some(true), vec!["s".to_owned()]));
    assert_eq!(capture("[&](int s) { s += 1; }").1, Vec::<String>::new());
    let file = in_cpp("for (auto x : a) { auto f = [&] { return x; }; f(); }");
    assert!(file.loops[0].leaves.is_empty());
}

#[test]
fn members_in_lambdas_are_shared() {
    let file = cpp("struct C { int m; void f() { for (;;) { auto g = [=] { m++; }; g(); } } };");
    assert!(scalar(&file.loops[0], "this->m").shared.iter().any(|s| s.kind == SharingKind::Capture));
}

#[test]
fn references_of_functions_in_the_file() {
    let file = cpp("void value(int); void refers(int &x); void constant(const int &x) {}\n\
         void f() { int p = 0, q = 0, r = 0; for (;;) { value(p); refers(q); constant(r); } }");
    let one = &file.loops[0];
    assert!(!one.scalars.iter().any(|s| s.name == "p" || s.name == "r"));
    assert_eq!(scalar(one, "q").shared[0].kind, SharingKind::Reference);
}

#[test]
fn leaves() {
    let file = in_cpp("for (;;) {\ntry { throw 1; } catch (int x) { x = 2; } }");
    assert_eq!(file.loops[0].leaves[0].kind, LeaveKind::Throw);
    assert_eq!(scalar(&file.loops[0], "x").home, Home::InBody);
}

#[test]
fn constructed_in_the_body() {
    let file = in_cpp(
        "for (int i = 0; i < n; i++) { std::vector<double> t(n); t[i] = 1; int x{3}; std::string w; w = \"\"; }",
    );
    let one = &file.loops[0];
    assert_eq!(array(one, "t").home, Home::InBody);
    assert_eq!(scalar(one, "x").home, Home::InBody);
    assert_eq!(scalar(one, "w").home, Home::InBody);
}

#[test]
fn templates_and_namespaces() {
    let file = cpp(
        "namespace A { namespace { template <class T> T sum(const T *p, int n) { T s{}; for (int i = 0; i < n; ++i) s += p[i]; return s; } } }",
    );
    assert_eq!(file.loops[0].function.as_deref(), Some("sum"));
    assert_eq!(scalar(&file.loops[0], "s").home, Home::Local);
    assert_eq!(scalar(&file.loops[0], "s").type_text, "T");
}

#[test]
fn elements() {
    let file = in_cpp(
        "for (int i = 0; i < n; i++) { a.at(i) = 1; m(i, k) = 2; std::swap(a[i], a[k]); w.x[i] *= 2; }",
    );
    let one = &file.loops[0];
    assert_eq!(array(one, "m").accesses[0].mode, AccessMode::Write);
    let modes: Vec<_> = array(one, "a").accesses.iter().map(|x| x.mode).collect();
    assert_eq!(modes, [AccessMode::Write, AccessMode::Shared, AccessMode::Shared]);
    assert_eq!(array(one, "w.x").root, "w");
}

#[test]
fn declared_in_conditions() {
    let file = in_cpp("for (;;) { if (int q = k; q > 2) q = 3; while (auto *p = next()) p = 0; }");
    assert_eq!(scalar(&file.loops[0], "q").home, Home::InBody);
    assert_eq!(scalar(&file.loops[1], "p").home, Home::InHeader);
}

#[test]
fn closures_that_run_in_the_loop() {
    let file = in_cpp(
        "int s = 0, t = 0; double w[9]; auto g = [&](int q) { s += t; w[q] = 1; };\nfor (int i = 0; i < n; i++) { t = i; g(i); }\nuse();",
    );
    let one = &file.loops[0];
    for name in ["s", "t", "w"] {
        assert!(scalar(one, name).shared.iter().any(|x| x.kind == SharingKind::Capture), "{name}");
    }
    assert_eq!(scalar(one, "t").after, profile::lens::AfterLoop::Unknown);
}

#[test]
fn elements_by_another_name() {
    let file = in_cpp(
        "for (int i = 0; i < n; i++) { auto &r = a[i]; r = 1; w[i].push_back(2); for (auto &x : m[i]) x = 0; }",
    );
    let one = &file.loops[0];
    for name in ["a", "w", "m"] {
        assert!(array(one, name).accesses.iter().any(|x| x.mode == AccessMode::Shared), "{name}");
    }
    assert!(!scalar(one, "r").is_private());
}

#[test]
fn accessors() {
    let text = "struct D { double *m; int n; int ids;
        double &x(int i) { return m[i]; } int size() const { return n; } int *list(int i) { return &k[Index_t(8) * i]; }
        int next() { return ids++; } int twice() { return next() * 2; } void set(int v) { n = v; } int both() { return n; } };
        struct E { int c; int both() { return ++c; } };";
    let mut methods = crate::lens::Methods::default();
    methods.of_text(text.as_bytes());
    for (name, gives) in [
        ("x", true),
        ("size", true),
        ("list", true),
        ("next", false),
        ("twice", false),
        ("set", false),
        ("both", false),
        ("unknown", false),
    ] {
        assert_eq!(methods.only_gives(name), gives, "{name}");
    }
    let mut file =
        in_cpp("D d; for (int i = 0; i < n; i++) d.x(i) = d.x(i - 1) + d.size(); for (;;) b[d.next()] = 1;");
    methods.refine(&mut file);
    assert!(file.loops[0].scalars.iter().all(|scalar| scalar.name != "d"));
    let x = &array(&file.loops[0], "d.x").accesses;
    let of = |mode| {
        x.iter()
            .filter(|access| access.mode == mode)
            .map(|access| access.subscripts.join(","))
            .collect::<String>()
    };
    assert_eq!((of(AccessMode::Write), of(AccessMode::Read)), ("i".to_owned(), "i - 1".to_owned()));
    assert!(file.loops[1].scalars.iter().any(|scalar| scalar.name == "d"));
}

/// Of functions of one name those that take as many arguments say how they take them.
/// What an accessor returns is read in its place: elements have subscripts, and the names of members.
#[test]
fn calls_of_accessors() {
    let file = cpp("struct Matrix {
           Matrix(int n) : n(n), v(n * n) {}
           int at_row(int i) const { return i * n; }
           double &operator()(int i, int j) { assert(i < n); return v[at_row(i) + j]; }
           double operator()(int k, int l) const { return v[at_row(k) + l]; }
           double *operator[](int i) { return &v[i * n]; }
           double &flat(int i) { return v[i]; }
           double &flat(long i) { return v[i + 1]; }
           virtual double &far(int i) { return v[i]; }
           void shift();
           int n; std::vector<double> v;
         };
         void Matrix::shift() { for (int i = 1; i < n; i++) (*this).v[i] = flat(i) + at_row(i); }
         void f(Matrix &m, const Matrix *p, std::vector<Matrix> &all, int n) {
           for (int i = 1; i < n; i++) m(i, 2 * i + 1) = m(i - 1, 0) + (*p)(i, i) + all[i](i, i);
           for (int i = 0; i < n; i++) m[i][i + 1] += p->at_row(i);
           for (int i = 0; i < n; i++) m.flat(i) = m.far(i);
           for (int i = 0, k = 0; i < n; i++) m(i, k++) = 1;
         }");
    let accesses = |at: usize| -> Vec<(String, Vec<String>)> {
        let of = &file.loops[at].arrays;
        of.iter().flat_map(|a| a.accesses.iter().map(|b| (a.name.clone(), b.subscripts.clone()))).collect()
    };
    let is = |name: &str, subscript: &str| (name.to_owned(), vec![subscript.to_owned()]);
    assert!(!accesses(0).iter().any(|own| own.0.contains("at_row")), "{:?}", accesses(0));
    let shown = accesses(1);
    assert!(shown.contains(&is("m.v", "(i * m.n) + (2 * i + 1)")), "{shown:?}");
    assert!(shown.contains(&is("m.v", "((i - 1) * m.n) + 0")), "{shown:?}");
    let rows = accesses(2);
    assert!(rows.contains(&is("m.v", "i * m.n + i + 1")), "{rows:?}");
    // What is only declared may be what is called; what doubles with each call ends somewhere.
    let declared = cpp(
        "struct V { double *d; double &at(long i); double &at(int i) { return d[i]; } };\nvoid f(V &v, int n) { for (int i = 0; i < n; i++) v.at(i) = i; }",
    );
    assert!(!declared.loops[0].arrays.iter().any(|own| own.name == "v.d"));
    let inner = (0..40).fold("i".to_owned(), |inner, _| format!("v.twice({inner})"));
    let doubled = format!(
        "struct V {{ double *d; int twice(int i) {{ return i + i; }} }};\nvoid f(V &v, int n) {{ for (int i = 0; i < n; i++) v.d[i] = {inner}; }}"
    );
    assert_eq!(cpp(&doubled).loops.len(), 1);
    // Overloads with other texts, virtual methods, and arguments that may be evaluated once alone, are calls.
    for at in [3, 4] {
        assert!(!accesses(at).iter().any(|own| own.0 == "m.v"), "{:?}", accesses(at));
    }
}

#[test]
fn overloads_by_number() {
    let file = cpp("int at(int k); int at(int k, int i); void put(double &x); void put(double x, int n);\n\
         void f(int n, double *a, double s) { for (int i = 0; i < n; i++) { a[at(1, i)] = 2; put(s, i); } }");
    assert!(file.loops[0].scalars.iter().all(|scalar| scalar.shared.is_empty()));
    let file = cpp("template <class... T> void all(T &...rest); void few(int n, ...);\n\
         void f(int n, double s, double t) { for (int i = 0; i < n; i++) { all(s, t); few(n, i); } }");
    let shared = |name: &str| scalar(&file.loops[0], name).shared.len();
    assert_eq!((shared("s"), shared("t"), shared("i")), (1, 1, 0));
}

/// What is written like a call, and converts.
#[test]
fn conversions_are_no_calls() {
    let file = cpp("typedef double Real; using Index = long; class Own;\n\
         template <typename T> void f(int n, T *a) { for (int i = 0; i < n; i++) \
         a[i] = Real(1) + T(i) + Index(i) + float(i) + std::size_t(i) + uint8_t(i) + other(i); }");
    let unknown: Vec<_> = file.loops[0].calls.iter().flat_map(|call| call.elsewhere.clone()).collect();
    assert_eq!(unknown, ["other"]);
}

/// What methods change, and elements of global variables that are no arrays.
#[test]
fn places_that_methods_change() {
    let about = |call: &str| {
        let text = format!(
            "static int *count; struct V {{ double x; V(double y) {{ x = y; }} V twice() const {{ return V(2 * x); }} }};\n\
             struct Range {{ int lo, at[9]; int pop() {{ return lo++; }} void put(int i, int v) {{ int w = v; at[i] = w; }} int two(); }};\n\
             int Range::two() {{ return pop() + pop(); }}\nvoid tick() {{ int k = 0; count[k]++; }}\nvoid mark(int i) {{ int k = i; count[k] = 1; }}\n\
             int both(Range &r) {{ return r.pop(); }}\n\
             void f(int n, Range *r, Range *all, V v) {{ for (int i = 0; i < n; i++) {call}; }}"
        );
        let file = cpp(&text);
        let calls = &file.loops[0].calls;
        let places = calls.iter().flat_map(|call| &call.places).map(|names| names.join(" "));
        (calls.iter().any(|call| call.keeps), places.collect::<Vec<_>>())
    };
    for (call, keeps, places) in [
        ("r->pop()", false, &["r"][..]),
        ("all[i].pop()", false, &["all i"]),
        ("r->put(i, 2)", false, &["i r"]),
        ("r->two()", false, &["r"]),
        ("both(*r)", false, &["r"]),
        ("V(1).twice()", false, &[]),
        ("tick()", true, &[]),
        ("mark(i)", false, &["i"]),
    ] {
        assert_eq!(about(call), (keeps, places.iter().map(|&one| one.to_owned()).collect()), "{call}");
    }
}

/// Conversions in the form of calls, of which the grammar knows but some.
#[test]
fn conversions_by_names_of_integers() {
    let file = cpp(
        "struct R { unsigned s; };\nvoid f(int n) { for (int i = 0; i < n; i++) { R r{unsigned(i)}; g(long (i), r); unsigned (*p)[4] = 0; } }\n\
         void h(int n) { for (;;) { n = short(n) + unsigned(2); } }",
    );
    assert!(!file.errors);
    assert_eq!(file.loops.len(), 2);
}

#[test]
fn counters_handed_to_objects_without_a_name() {
    let file = cpp(
        "struct Skips { void operator()(int &k) const { k++; } };\nvoid f(int *b, int n) { for (int i = 0; i < n; i++) { if (b[i] == 3) Skips{}(i);\n b[i] += 10; } }",
    );
    let shared = &scalar(&file.loops[0], "i").shared;
    assert!(shared.iter().any(|own| own.kind == SharingKind::Reference), "{shared:?}");
}

#[test]
fn members_that_are_references_lead_elsewhere() {
    let file = in_cpp(
        "double p = 0, q = 0; struct Holder { double &r; double own; }; for (int i = 0; i < n; i++) {\n Holder m{i & 1 ? p : q}; m.r = a[i]; m.own = e; }",
    );
    assert_eq!(scalar(&file.loops[0], "m.r").form, ScalarForm::PointedMember);
    assert_eq!(scalar(&file.loops[0], "m.own").form, ScalarForm::Member);
}
