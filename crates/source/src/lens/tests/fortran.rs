//! Fortran, both forms.

use profile::lens::{AccessMode, Canonical, Home, Language, LeaveKind, LoopKind, Operator, SharingKind};

use super::{array, fortran, scalar, update};

fn in_fortran(declarations: &str, body: &str) -> profile::lens::FileLoops {
    let text = format!(
        "subroutine f(n, a, b)\nimplicit none\ninteger :: n\nreal(8) :: a(n), b(n, n)\n{declarations}\n{body}\nend subroutine\n"
    );
    let file = fortran(&text);
    assert!(!file.errors, "{text}");
    file
}

#[test]
fn counted() {
    let file = in_fortran(
        "integer :: i, j\nreal(8) :: s",
        "do i = 1, n\ndo j = i, n, 2\ns = s + a(i) * b(i, j + 1)\nend do\nend do",
    );
    let (outer, inner) = (&file.loops[0], &file.loops[1]);
    assert_eq!((outer.kind, &outer.canonical), (LoopKind::FortranDo, &Canonical::Yes));
    assert_eq!((outer.at.line, outer.end.line, inner.body.0.line), (7, 11, 9));
    let iterator = &inner.iterators[0];
    assert_eq!(
        (iterator.name.as_str(), iterator.step_value, iterator.start.as_deref()),
        ("j", Some(2), Some("i"))
    );
    assert_eq!(outer.inner_iterators.len(), 1);
    assert_eq!(update(inner, "s"), Some((Operator::Add, "a(i) * b(i, j + 1)".to_owned())));
    let b = array(inner, "b");
    assert!(b.fixed);
    assert_eq!(
        b.accesses[0].affine[1].as_ref().map(|affine| (affine.of("j"), affine.constant)),
        Some((1, 1))
    );
}

#[test]
fn names_have_no_case() {
    let file =
        in_fortran("integer :: I\nreal(8) :: Sum", "DO i = 1, N\nSUM = Sum + A(I)\nEND DO\nprint *, sum");
    let one = &file.loops[0];
    assert_eq!(update(one, "sum"), Some((Operator::Add, "A(I)".to_owned())));
    assert_eq!(array(one, "a").accesses[0].affine[0].as_ref().map(|affine| affine.of("i")), Some(1));
    assert!(scalar(one, "sum").reads.is_empty());
}

#[test]
fn homes() {
    let file = fortran(
        "module m\nreal :: g\ninteger :: h(3)\ncontains\nsubroutine f(n, x)\ninteger, intent(in) :: n\nreal :: x, l, init = 2.0\nreal, save :: s\ncommon /blk/ c\n\
         do i = 1, n\nblock\nreal :: q\nq = 1\nend block\ng = 1\nx = 1\nl = 1\ninit = 1\ns = 1\nc = 1\nimplied = 1\nh(1) = 1\nend do\nend subroutine\nend module\n",
    );
    let one = &file.loops[0];
    for (name, home) in [
        ("g", Home::FileScope),
        ("x", Home::Parameter),
        ("l", Home::Local),
        ("init", Home::StaticLocal),
        ("s", Home::StaticLocal),
        ("c", Home::FileScope),
        ("implied", Home::Local),
        ("i", Home::Local),
        ("q", Home::InBody),
    ] {
        assert_eq!(scalar(one, name).home, home, "{name}");
    }
    assert_eq!(array(one, "h").home, Home::FileScope);
    assert!(scalar(one, "x").storage.reference);
    let file = fortran("subroutine f\nuse other\ndo i = 1, 3\nq = 1\nend do\nend subroutine\n");
    assert_eq!(scalar(&file.loops[0], "q").home, Home::Unknown);
}

#[test]
fn other_loops() {
    let file = in_fortran(
        "integer :: i, j\nlogical :: ok",
        "do while (ok)\nok = .false.\nend do\ndo\nexit\nend do\ndo concurrent (i = 1:n, j = 1:n)\nb(i, j) = 0\nend do\n\
         forall (i = 1:n) a(i) = i\na(:) = 2\na = a * 2\nb(1, :) = a\nwhere (a > 0) a = 1\na(1) = 2",
    );
    let kinds: Vec<_> = file.loops.iter().map(|one| one.kind).collect();
    use LoopKind::{ArrayExpression, DoConcurrent, ForAll, FortranDoWhile};
    assert_eq!(
        kinds,
        [
            FortranDoWhile,
            FortranDoWhile,
            DoConcurrent,
            ForAll,
            ArrayExpression,
            ArrayExpression,
            ArrayExpression,
            ArrayExpression
        ]
    );
    assert_eq!(file.loops[2].iterators.len(), 2);
    assert_eq!(array(&file.loops[4], "a").accesses[0].mode, AccessMode::Write);
    assert_eq!(array(&file.loops[5], "a").accesses[0].mode, AccessMode::Update(Operator::Multiply));
    assert_eq!(array(&file.loops[6], "a").accesses[0].mode, AccessMode::Read);
}

#[test]
fn labels() {
    let file = in_fortran(
        "integer :: i, j",
        "do 10 i = 1, n\na(i) = 0\n10 continue\ndo 20 i = 1, n\ndo 20 j = 1, n\n20 b(i, j) = 0\nouter: do i = 1, n\ndo j = 1, n\nif (a(j) > 0) cycle outer\nif (a(j) < 0) exit outer\nend do\nend do outer",
    );
    let ends: Vec<_> = file.loops.iter().map(|one| (one.at.line, one.end.line)).collect();
    assert_eq!(&ends[..3], [(6, 8), (9, 11), (10, 11)]);
    assert_eq!(array(&file.loops[2], "b").accesses.len(), 1);
    assert_eq!(file.loops[3].label.as_deref(), Some("outer"));
    let leaves: Vec<_> = file.loops[3].leaves.iter().map(|leave| leave.kind).collect();
    assert_eq!(leaves, [LeaveKind::Break]);
    let leaves: Vec<_> = file.loops[4].leaves.iter().map(|leave| leave.kind).collect();
    assert_eq!(leaves, [LeaveKind::Goto, LeaveKind::Goto]);
}

#[test]
fn calls_and_references() {
    let file = in_fortran(
        "integer :: i\nreal(8) :: s, t, fun",
        "do i = 1, n\ncall sub(s, a(i), i)\nt = fun(s) + sqrt(s)\nread *, t\nend do",
    );
    let one = &file.loops[0];
    let callees: Vec<_> = one.calls.iter().map(|call| call.callee.as_str()).collect();
    assert_eq!(callees, ["sub", "fun", "sqrt", "read"]);
    assert_eq!(
        scalar(one, "s").shared.iter().map(|s| s.kind).collect::<Vec<_>>(),
        [SharingKind::Reference; 2]
    );
    assert_eq!(array(one, "a").accesses[0].mode, AccessMode::Shared);
    // A procedure may not assign the iterator it is given.
    assert_eq!(one.canonical, Canonical::Yes);
    assert_eq!(scalar(one, "t").definitions.len(), 2);
}

#[test]
fn maxima() {
    let file = in_fortran(
        "integer :: i, at\nreal(8) :: s, t",
        "do i = 1, n\nif (a(i) .gt. s) then\ns = a(i)\nat = i\nend if\nt = max(t, a(i))\nend do",
    );
    assert_eq!(update(&file.loops[0], "s"), Some((Operator::Maximum, "a(i)".to_owned())));
    assert_eq!(update(&file.loops[0], "t"), Some((Operator::Maximum, "a(i)".to_owned())));
}

#[test]
fn derived_types() {
    let file = in_fortran("integer :: i\ntype(p) :: q", "do i = 1, n\nq%x = q%x + 1\nq%v(i) = 2\nend do");
    assert_eq!(update(&file.loops[0], "q%x"), Some((Operator::Add, "1".to_owned())));
    assert_eq!(array(&file.loops[0], "q%v").root, "q");
}

#[test]
fn fixed_form() {
    let text = "      SUBROUTINE SUB(A,N)\nC     a comment\n      DOUBLE PRECISION A(N),S\n      DO 10 I=1,N\n        S=S+A(I)\nc between\n     &    *2.0                                                          SEQ00001\n   10 CONTINUE\nC$OMP PARALLEL DO\nC$OMP& PRIVATE(I)\n      DO I=1,N\n      A(I)=S\n      ENDDO\n      END\n";
    let file = super::super::file(text.as_bytes(), Language::FixedFortran);
    assert!(!file.errors);
    assert_eq!(update(&file.loops[0], "s"), Some((Operator::Add, "A(I) *2.0".to_owned())));
    assert_eq!((file.loops[0].at.line, file.loops[0].at.column, file.loops[0].end.line), (4, 7, 8));
    let directive = file.loops[1].directive.as_ref().expect("directive");
    assert_eq!((directive.text.as_str(), directive.line), ("!$OMP PARALLEL DO PRIVATE(I)", 9));
    assert_eq!(file.loops[1].function.as_deref(), Some("sub"));
}

#[test]
fn exits() {
    let file = in_fortran(
        "integer :: i",
        "do i = 1, n\nif (a(i) > 0) return\nif (a(i) < 0) stop\nif (a(i) == 0) goto 30\nend do\n30 continue",
    );
    let leaves: Vec<_> = file.loops[0].leaves.iter().map(|leave| leave.kind).collect();
    assert_eq!(leaves, [LeaveKind::Return, LeaveKind::Exit, LeaveKind::Goto]);
}

#[test]
fn procedures_inside() {
    let file = fortran(
        "program p\ninteger :: i, s, t\ndo i = 1, 3\ns = i\nt = i\ncall inc\nend do\ncontains\nsubroutine inc\ns = s + 1\nend subroutine\nend program\n",
    );
    assert!(!scalar(&file.loops[0], "s").is_own_storage());
    assert!(scalar(&file.loops[0], "t").is_own_storage());
}

/// Bounds and other properties may stand in statements of their own, before the type or behind it, or without one.
#[test]
fn properties_apart_from_types() {
    let file = fortran(
        "subroutine f(n)\nimplicit double precision (a-h,o-z)\ndimension v(9,9), w(9)\ninteger w\ntarget t\ndo i = 1, n\nv(i,k) = w(i)\nt = i\nend do\nend \
         subroutine\n",
    );
    let one = &file.loops[0];
    assert!(one.calls.is_empty(), "{:?}", one.calls);
    assert!(array(one, "v").fixed && array(one, "w").fixed);
    assert_eq!(array(one, "w").type_text, "integer");
    // Nothing is handed to `v`.
    assert!(one.scalars.iter().all(|own| own.name != "k"));
    assert!(scalar(one, "t").storage.reference);
}

/// Compilers give what they make of an assignment or a call the last line of its text.
#[test]
fn statements_of_several_lines_stand_on_their_last() {
    let file = in_fortran(
        "integer :: i",
        "do i = 2, n - 1\na(i) = b(i, 1) + &\n  b(i, 2) + &\n  b(i, 3)\nif (a(i) > 1 .and. &\n  a(i) < 2) a(i) = &\n  0\ncall g(a, &\n  i)\nend do",
    );
    let one = &file.loops[0];
    let lines =
        |name: &str| -> Vec<u32> { array(one, name).accesses.iter().map(|own| own.at.line).collect() };
    assert_eq!(lines("b"), [9, 9, 9]);
    assert_eq!(lines("a"), [9, 10, 11, 12]);
    assert_eq!(one.calls[0].at.line, 14);
    assert_eq!((one.at.line, one.end.line), (6, 15));
}

/// What a module of the same file declares is an array, whatever it is called where it is used.
#[test]
fn modules_of_the_file_are_known() {
    let file = fortran(
        "module m\nreal :: u(9), v(9), w(9)\n!$omp threadprivate(w)\nend module\nmodule o\nuse m, only: u, vv => v, w\nend module\n\
         subroutine f(n)\nuse o\nimplicit none\ninteger :: n, i\ndo i = 1, n\nvv(i) = u(i) + w(i)\nend do\nend subroutine\n\
         subroutine g(n)\nuse m, only: v\ninteger :: n, i\ndo i = 1, n\nv(i) = u(i)\nend do\nend subroutine\n",
    );
    let (first, second) = (&file.loops[0], &file.loops[1]);
    assert!(first.calls.is_empty(), "{:?}", first.calls);
    assert_eq!(array(first, "u").accesses[0].mode, AccessMode::Read);
    assert_eq!(first.thread_locals, [("w".to_owned(), 13)]);
    // This `u` is a function.
    assert_eq!(second.calls.len(), 1);
}

/// A name that is a function is no array of a module, and what is private there is not seen; statement functions are
/// functions.
#[test]
fn functions_are_no_arrays() {
    let hidden = "module m\nreal, private :: v(9)\nreal :: w(9)\nend module\nmodule o\nprivate\nreal :: x(9)\nreal, public :: y(9)\nend module\n";
    let file = fortran(&format!(
        "{hidden}program p\nuse m\nuse o\nimplicit none\ninteger :: i, k\nreal :: b(9), x, z\nz(i) = g(i) + 1\ndo i = 1, 9\n\
         b(i) = v(i) + w(i) + x(i) + y(i) + z(i)\nend do\ncontains\nreal function v(j)\ninteger :: j\nv = j\nend function\n\
         real function g(j)\ninteger :: j\nk = k + 1\ng = k\nend function\nend program\n"
    ));
    let one = file.loops.iter().find(|one| one.kind == LoopKind::FortranDo).expect("the loop");
    let called: Vec<&str> = one.calls.iter().map(|call| call.callee.as_str()).collect();
    assert_eq!(called, ["v", "x", "z"]);
    assert_eq!(one.calls.iter().map(|call| call.keeps).collect::<Vec<_>>(), [false, false, true]);
    assert_eq!(one.arrays.iter().map(|own| own.name.as_str()).collect::<Vec<_>>(), ["w", "y", "b"]);
}

/// Signs and components that are procedures of the file count as calls.
#[test]
fn procedures_by_other_names() {
    let file = fortran(
        "module m\ninteger :: n\ntype t\nreal :: x\ncontains\nprocedure :: look => seen\nend type\ninterface operator(+)\nmodule procedure add\nend interface\n\
         interface any\nmodule procedure seen\nend interface\ncontains\nfunction add(a, b) result(c)\ntype(t), intent(in) :: a, b\ntype(t) :: c\nn = n + 1\nc%x = a%x + n\nend function\n\
         real function seen(o)\nclass(t), intent(in) :: o\nn = n + 1\nseen = n\nend function\nsubroutine f(v, b)\ntype(t) :: v(9), w\nreal :: b(9)\ninteger :: i\n\
         do i = 1, 9\nw = v(i) + v(1)\nend do\ndo i = 1, 9\nb(i) = w%look() + any(w)\nend do\nend subroutine\nend module\n",
    );
    let keeping = |at: usize| file.loops[at].calls.iter().filter(|call| call.keeps).count();
    // A sign may stand wherever a variable of such a type does.
    assert_eq!((keeping(0), keeping(1)), (1, 3));
}

#[test]
fn long_lines_of_fixed_form() {
    let long = "      double precision a(n), some_other_array_with_a_long_name(10), bb(2)";
    assert!((73..80).contains(&long.len()));
    let numbered = format!("{:<72}{}", "      a(i) = s + 1", "00000120");
    let named = format!("{:<71} {}", "      bb(1) = a(i)", "FIELDS");
    let text = format!(
        "      subroutine f(n, a)\n      integer n, i, s\n{long}\n      do i = 1, n\n      s = i\n{numbered}\n{named}\n      end do\n      end\n"
    );
    let file = super::super::file(text.as_bytes(), Language::FixedFortran);
    assert!(!file.errors);
    let one = &file.loops[0];
    assert_eq!(scalar(one, "s").home, Home::Local);
    assert!(array(one, "bb").fixed);
}
