//! Directives on loops and around them.

use super::{fortran, in_c, in_rust};

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
