//! Rust.

use profile::lens::{AccessMode, Canonical, Home, InMacro, LeaveKind, LoopKind, Operator, SharingKind};

use super::{array, in_rust, rust, scalar, update};

#[test]
fn ranges() {
    let file = in_rust(
        "for i in 0..n { v[i] = e; }\nfor i in (1..=n).rev() { k = i; }\nfor i in (0..n).step_by(4) {}\nfor _ in 0..n { k += 1; }",
    );
    for one in &file.loops {
        assert_eq!((one.kind, &one.canonical), (LoopKind::RustFor, &Canonical::Yes));
    }
    let iterator = |index: usize| &file.loops[index].iterators[0];
    assert_eq!((iterator(0).name.as_str(), iterator(0).home), ("i", Home::InHeader));
    assert_eq!((iterator(0).start.as_deref(), iterator(0).bound.as_deref()), (Some("0"), Some("n")));
    assert_eq!((iterator(1).comparison.as_deref(), iterator(1).step_value), (Some("..="), Some(-1)));
    assert_eq!(iterator(2).step_value, Some(4));
    assert_eq!(array(&file.loops[0], "v").accesses[0].mode, AccessMode::Write);
}

#[test]
fn containers() {
    let file = in_rust(
        "for (i, x) in v.iter_mut().enumerate() { *x += i as f64; }\nfor x in v.iter() { k += *x as usize; }\nfor &x in v.iter() { s(x); }\nfor x in make() {}",
    );
    let one = &file.loops[0];
    assert_eq!(one.canonical, Canonical::Yes);
    let names: Vec<_> = one.iterators.iter().map(|i| (i.name.as_str(), i.reference)).collect();
    assert_eq!(names, [("i", false), ("x", true)]);
    assert_eq!(one.iterators[0].adapters, ["enumerate", "iter_mut"]);
    assert_eq!(update(one, "*x"), Some((Operator::Add, "i as f64".to_owned())));
    assert!(!file.loops[3].canonical.is_yes());
}

#[test]
fn while_and_loop() {
    let file = in_rust(
        "while let Some(x) = it.next() { k += x; }\nwhile k < n { k += 1; }\nlet r = loop { if k > 3 { break k; } k += 1; };",
    );
    let kinds: Vec<_> = file.loops.iter().map(|one| one.kind).collect();
    assert_eq!(kinds, [LoopKind::RustWhile, LoopKind::RustWhile, LoopKind::RustLoop]);
    assert_eq!(file.loops[2].leaves[0].kind, LeaveKind::Break);
    assert!(scalar(&file.loops[2], "k").definitions[0].conditional);
}

#[test]
fn chains() {
    let file = in_rust(
        "let s: f64 = v.iter().map(|x| x * 2.0).filter(|x| *x > 1.0).sum();\nv.iter_mut().for_each(|x| { *x += 1.0; k += 1; });\n\
         let m = (0..n).map(|i| v[i]).fold(0.0, f64::max);\nlet o = a.max(b);\nlet q = opt.map(|x| x + 1);",
    );
    let kinds: Vec<_> = file.loops.iter().map(|one| (one.at.line, one.kind)).collect();
    assert_eq!(
        kinds,
        [(2, LoopKind::RustIterator), (3, LoopKind::RustIterator), (4, LoopKind::RustIterator)]
    );
    let each = &file.loops[1];
    assert_eq!(update(each, "k"), Some((Operator::Add, "1".to_owned())));
    assert_eq!(scalar(each, "k").home, Home::Parameter);
    assert_eq!(scalar(each, "*x").home, Home::InBody);
    assert!(scalar(each, "v").shared.iter().any(|s| s.kind == SharingKind::Address));
    assert_eq!(array(&file.loops[2], "v").accesses.len(), 1);
}

#[test]
fn labels_and_leaves() {
    let file = in_rust(
        "'outer: for i in 0..n {\nfor j in 0..n { if j == k { continue 'outer; } if j > k { break 'outer; } }\ng(i)?;\nif e > 1.0 { return None; } if e > 2.0 { panic!(\"no\"); } }",
    );
    let leaves = |index: usize| -> Vec<_> { file.loops[index].leaves.iter().map(|l| l.kind).collect() };
    assert_eq!(leaves(0), [LeaveKind::Break, LeaveKind::Question, LeaveKind::Return, LeaveKind::Throw]);
    assert_eq!(leaves(1), [LeaveKind::Goto, LeaveKind::Goto]);
    assert_eq!(file.loops[0].label.as_deref(), Some("'outer"));
    assert_eq!((file.loops[0].at.line, file.loops[0].at.column), (2, 9));
}

#[test]
fn homes() {
    let file = rust(
        "static COUNT: AtomicUsize = AtomicUsize::new(0); static mut G: i32 = 0;\n\
         impl S { fn f(&mut self, p: &mut i32) { let mut l = 0; for i in 0..3 { let mut b = i; b += 1; static mut SB: i32 = 0; unsafe { SB += 1; G += 1; } self.total += b; *p += 1; l = b; } } }",
    );
    let one = &file.loops[0];
    for (name, home) in [
        ("b", Home::InBody),
        ("SB", Home::StaticInBody),
        ("G", Home::FileScope),
        ("self.total", Home::Member),
        ("*p", Home::Parameter),
        ("l", Home::Local),
    ] {
        assert_eq!(scalar(one, name).home, home, "{name}");
    }
}

#[test]
fn updates() {
    for (statement, operator) in [
        ("s = s.max(v[i]);", Some(Operator::Maximum)),
        ("s = f64::min(s, v[i]);", Some(Operator::Minimum)),
        ("s = if v[i] > s { v[i] } else { s };", Some(Operator::Maximum)),
        ("if v[i] < s { s = v[i]; }", Some(Operator::Minimum)),
        ("s = v[i].mul_add(e, s);", Some(Operator::Add)),
        ("s = s.wrapping_add(3);", Some(Operator::Add)),
        ("s = v[i] * e + s;", Some(Operator::Add)),
        ("s |= 4;", Some(Operator::Or)),
        ("s = s.saturating_add(3);", None),
    ] {
        let file = in_rust(&format!("let mut s = 0.0; for i in 0..n {{ {statement} }}"));
        assert_eq!(update(&file.loops[0], "s").map(|update| update.0), operator, "{statement}");
    }
}

#[test]
fn patterns() {
    let file = in_rust(
        "for i in 0..n { let (mut p, q) = pair(i); p += q; let Some(r) = opt else { continue }; match r { Some(t) if t > 2 => k = t, _ => {} } }",
    );
    let one = &file.loops[0];
    for name in ["p", "q", "r", "t"] {
        let home = one.scalars.iter().find(|s| s.name == name).map(|s| s.home);
        assert!(home.is_none_or(|home| home == Home::InBody), "{name}");
    }
    assert_eq!(scalar(one, "p").home, Home::InBody);
    assert!(scalar(one, "k").definitions[0].conditional);
    let file = in_rust("for i in 0..n { (k, n2) = (n2, k); }");
    assert!(scalar(&file.loops[0], "k").definitions[0].update.is_none());
}

#[test]
fn closures() {
    let file = in_rust(
        "let mut s = 0; for i in 0..n { let mut g = |x| { s += x; }; g(i); let h = move |y| { k + y }; }",
    );
    assert!(scalar(&file.loops[0], "s").shared.iter().any(|s| s.kind == SharingKind::Capture));
    assert_eq!(file.loops[0].closures.len(), 2);
}

#[test]
fn macros() {
    let file = rust(
        "macro_rules! m { ($n:expr) => { for i in 0..$n { f(i); } }; }\nfn f(n: usize) { let mut s = 0; vec_op! { for i in 0..n { g(i); } }\nfor i in 0..n { println!(\"{}\", s); change!(s); } }",
    );
    let known: Vec<_> = file.loops.iter().map(|one| (one.at.line, one.in_macro, one.errors)).collect();
    assert_eq!(
        known,
        [(1, InMacro::Definition, true), (2, InMacro::Invocation, true), (3, InMacro::No, false)]
    );
    let s = scalar(&file.loops[2], "s");
    assert_eq!(s.shared.iter().map(|s| s.kind).collect::<Vec<_>>(), [SharingKind::PerhapsMacro]);
}
