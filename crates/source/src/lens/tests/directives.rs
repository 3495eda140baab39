//! Directives on loops and around them.

use profile::lens::Directive;

use super::{c, fortran, in_c, in_rust, scalar};

#[test]
fn on_loops() {
    let file = in_c(
        "#pragma omp parallel for \\\n reduction(+:e)\nfor (int i = 0; i < n; i++)\n  for (int j = 0; j < n; j++) e += 1;\n\
         for (;;) ;\n#pragma unroll\nfor (;;) ;",
    );
    let directive = file.loops[0].directive.as_ref().expect("directive");
    assert_eq!(directive.text, "#pragma omp parallel for reduction(+:e)");
    assert_eq!(directive.line, 2);
    assert!(file.loops[0].in_parallel.is_none());
    assert!(file.loops[1].directive.is_none());
    assert!(file.loops[1].in_parallel.is_some());
    assert!(file.loops[2].directive.is_none() && file.loops[2].in_parallel.is_none());
    assert!(file.loops[3].directive.is_none());
}

#[test]
fn on_blocks() {
    let file = in_c(
        "#pragma omp parallel\n{\n#pragma omp for schedule(static)\nfor (;;) ;\n#pragma omp barrier\nfor (;;) ;\n}\nfor (;;) ;\n\
         #pragma omp simd\nfor (;;) { for (;;) ; }\n#pragma omp parallel\n#pragma omp for\nfor (;;) ;",
    );
    let known: Vec<_> = file.loops.iter().map(|l| (l.directive.is_some(), l.in_parallel.is_some())).collect();
    assert_eq!(
        known,
        [(true, true), (false, true), (false, false), (true, false), (false, false), (true, true)]
    );
}

#[test]
fn between_a_header_and_its_body() {
    let file = in_c(
        "for (int i = 0; i < n; i++)\n#pragma omp simd\nfor (int j = 0; j < n; j++) e[i] += 1;\n\
         for (int i = 0; i < n; i++)\n#pragma omp task\ns += i;\nfor (int i = 0; i < n; i++)\nif (i)\n#pragma omp atomic\ns++;\nelse\nt++;",
    );
    assert!(!file.errors);
    let lines: Vec<_> = file.loops.iter().map(|own| (own.at.line, own.end.line)).collect();
    assert_eq!(lines, [(2, 4), (4, 4), (5, 7), (8, 13)]);
    let directives: Vec<_> =
        file.loops.iter().map(|own| own.directive.as_ref().map(|own| own.line)).collect();
    assert_eq!(directives, [None, Some(3), None, None]);
    assert_eq!(file.loops[1].parent, Some(0));
    assert!(
        !scalar(&file.loops[2], "s").definitions.is_empty()
            && !scalar(&file.loops[3], "t").definitions.is_empty()
    );
}

#[test]
fn in_fortran() {
    let file = fortran(
        "subroutine f(n)\n!$omp parallel private(i) &\n!$omp shared(n)\n!$OMP DO\ndo i = 1, n\nend do\n!$omp end do\n\
         do i = 1, n\nend do\n!$omp end parallel\ndo i = 1, n\nend do\n!$acc kernels\ndo i = 1, n\nend do\n\
         !$acc end kernels\nend subroutine\n",
    );
    let known: Vec<_> = file.loops.iter().map(|l| (l.directive.is_some(), l.in_parallel.is_some())).collect();
    assert_eq!(known, [(true, true), (false, true), (false, false), (false, true)]);
    let region = file.loops[0].in_parallel.as_ref().expect("region");
    assert_eq!(region.text, "!$omp parallel private(i) shared(n)");
}

#[test]
fn in_rust_chains() {
    let file = in_rust("let s: f64 = v.par_iter().map(|x| x * 2.0).sum();");
    assert!(file.loops[0].directive.is_some());
}

#[test]
fn thread_private_variables_are_their_threads_own() {
    let file = c(
        "int a, b, d;\n#pragma omp threadprivate(a, b)\nvoid f(int n) { for (int i = 0; i < n; i++) { a = i; d = a; } }",
    );
    let is_local = |name: &str| scalar(&file.loops[0], name).storage.thread_local;
    assert!(is_local("a") && !is_local("d"));
    let file = fortran(
        "subroutine f(n)\ninteger :: n, i, a, b, d\ncommon /own/ a, b\n!$omp threadprivate(/own/)\ndo i = 1, n\n  a = i\n  d = a\nend do\nend subroutine\n",
    );
    let is_local = |name: &str| scalar(&file.loops[0], name).storage.thread_local;
    assert!(is_local("a") && !is_local("d"));
}

#[test]
fn loops_that_a_directive_joins() {
    let joined = |text: &str| Directive { text: text.to_owned(), line: 1 }.joined();
    assert_eq!(joined("#pragma omp parallel for collapse(2) private(x)"), 2);
    assert_eq!(joined("!$omp do collapse ( 3 )"), 3);
    assert_eq!((joined("#pragma omp for"), joined("#pragma omp for collapse(n)")), (1, 1));
}

#[test]
fn sections_of_fortran_end() {
    let file = fortran(
        "subroutine f(n)\n!$omp parallel private(x)\n!$omp sections\n!$omp section\ndo i = 1, n\nend do\n!$omp section\ndo i = 1, n\n\
         end do\n!$omp end sections\n!$omp do ordered(1)\ndo i = 1, n\n!$omp ordered depend(sink: i-1)\nend do\n!$omp end do\n\
         !$omp end parallel\ndo i = 1, n\nend do\nend subroutine\n",
    );
    let around: Vec<_> = file.loops.iter().map(|l| l.in_parallel.as_ref().map(|own| &own.text[..])).collect();
    let (sections, region) = (Some("!$omp sections"), Some("!$omp parallel private(x)"));
    assert_eq!(around, [sections, sections, region, None]);
}
