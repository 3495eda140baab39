//! Programs that have OpenMP already: their loops are found, compiled with and without it, and races are named.

use crate::support;

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use serde_json::Value;
use support::Place;

/// Each race beside its fixed twin; what is expected stands behind the loop: a kind of race and its variable.
const C: &str = r#"
#include <stdio.h>
#define ALONE static __attribute__((noipa))
static double a[400], b[400], m[40][40];
static int hist[16], found[400], slot[400], half[200];
static int own;
static int owned[4];
#pragma omp threadprivate(own, owned)
ALONE void p1(int n) {
    double t;
#pragma omp parallel for
    for (int i = 0; i < n; i++) { /*@ private t */
        t = a[i] * 2.0;
        b[i] = t + 1.0;
    }
}
ALONE void p2(int n) {
    double t;
#pragma omp parallel for private(t)
    for (int i = 0; i < n; i++) { /*@ */
        t = a[i] * 2.0;
        b[i] = t + 1.0;
    }
}
ALONE double r1(int n) {
    double s = 0.0;
#pragma omp parallel for
    for (int i = 0; i < n; i++) /*@ reduction s */
        s += b[i];
    return s;
}
ALONE double r2(int n) {
    double s = 0.0;
#pragma omp parallel for \
    reduction(+ : s)
    for (int i = 0; i < n; i++) /*@ */
        s += b[i];
    return s;
}
ALONE double r3(int n) {
    double s = 0.0;
#pragma omp parallel for
    for (int i = 0; i < n; i++) { /*@ */
#pragma omp critical
        {
            s += b[i];
        }
    }
    return s;
}
ALONE void d1(int n) {
#pragma omp parallel for
    for (int i = 1; i < n; i++) /*@ dependence a | carried a */
        a[i] = a[i - 1] * 0.5 + b[i];
}
ALONE void d2(int n) {
#pragma omp parallel for
    for (int i = 1; i < n; i++) /*@ */
        a[i] = b[i - 1] * 0.5 + b[i];
}
ALONE void i1(int n) {
    int i, j;
#pragma omp parallel for
    for (i = 0; i < n; i++) /*@ private j */
        for (j = 0; j < n; j++)
            m[i][j] = i + j;
}
ALONE void i2(int n) {
    int i, j;
#pragma omp parallel for private(j)
    for (i = 0; i < n; i++) /*@ */
        for (j = 0; j < n; j++)
            m[i][j] = i + j;
}
ALONE void i3(int n) {
    int i, j;
#pragma omp parallel for collapse(2)
    for (i = 0; i < n; i++) /*@ */
        for (j = 0; j < n; j++)
            m[i][j] = i + j;
}
ALONE void h1(int n) {
#pragma omp parallel for
    for (int i = 0; i < n; i++) /*@ reduction hist[:] */
        hist[(i * 7) % 16]++;
}
ALONE void h2(int n) {
#pragma omp parallel for
    for (int i = 0; i < n; i++) { /*@ */
#pragma omp atomic
        hist[(i * 7) % 16]++;
    }
}
ALONE int k1(int n) {
    int k = 0;
#pragma omp parallel for
    for (int i = 0; i < n; i++) { /*@ carried k */
        found[k] = i;
        k += 1;
    }
    return k;
}
ALONE int l1(int n) {
    int last = 0;
#pragma omp parallel for
    for (int i = 0; i < n; i++) { /*@ lastprivate last */
        last = i * 3;
        found[i] = last;
    }
    return last;
}
ALONE int l2(int n) {
    int last = 0;
#pragma omp parallel for lastprivate(last)
    for (int i = 0; i < n; i++) { /*@ */
        last = i * 3;
        found[i] = last;
    }
    return last;
}
ALONE void g1(int n) {
#pragma omp parallel
    {
        double own;
#pragma omp for
        for (int i = 0; i < n; i++) { /*@ */
            own = a[i];
            b[i] = own * 1.5;
        }
    }
}
/* Each half of the iterations comes to every element once: only two threads together come to one twice. */
ALONE void h3(int n) {
#pragma omp parallel for
    for (int i = 0; i < n; i++) /*@ reduction half[:] */
        half[slot[i]] += 1;
}
ALONE void h4(int n) {
#pragma omp parallel for
    for (int i = 0; i < n; i++) { /*@ */
#pragma omp atomic
        half[slot[i]] += 1;
    }
}
ALONE void add(int k) { hist[k]++; }
ALONE void c1(int n) {
#pragma omp parallel for
    for (int i = 0; i < n; i++) /*@ reduction hist */
        add(i % 16);
}
ALONE void c2(int n) {
#pragma omp parallel for collapse(2)
    for (int i = 1; i < n; i++) /*@ dependence m | carried m */
        for (int j = 0; j < n; j++)
            m[i][j] = m[i - 1][j] + 1;
}
ALONE void e1(int n) {
#pragma omp parallel for schedule(dynamic, 8)
    for (int i = 0; i < n; i++) /*@ */
        b[i] = a[i] * 0.5;
}
ALONE void e2(int n) {
#pragma omp parallel for schedule(dynamic, 8)
    for (int i = 0; i < n - 1; i++) /*@ dependence a */
        a[i] = a[i + 1] * 0.5;
}
/* Neighbouring iterations are of different threads. */
ALONE void e3(int n) {
#pragma omp parallel for schedule(static, 1)
    for (int i = 1; i < n; i++) /*@ dependence a | carried a */
        a[i] = a[i - 1] * 0.5;
}
/* What one loop writes the next one reads, behind a barrier. */
ALONE void t1(int n) {
#pragma omp parallel
    for (int t = 0; t < 3; t++) {
#pragma omp for
        for (int i = 1; i < n - 1; i++) /*@ */
            b[i] = a[i - 1] + a[i + 1];
#pragma omp for
        for (int i = 1; i < n - 1; i++) /*@ */
            a[i] = b[i] * 0.5;
    }
}
ALONE void o1(int n) {
#pragma omp parallel for
    for (int i = 0; i < n; i++) { /*@ */
        own = i;
        found[i] = own * 2;
    }
}
/* Two critical sections with two names are two. */
ALONE int g2(int n) {
    int s = 0;
#pragma omp parallel for
    for (int i = 0; i < n; i++) { /*@ reduction s */
#pragma omp critical(one)
        s += i;
#pragma omp critical(other)
        s -= 3;
    }
    return s;
}
ALONE int g3(int n) {
    int s = 0;
#pragma omp parallel for
    for (int i = 0; i < n; i++) { /*@ reduction s */
        if (i & 1) {
#pragma omp critical
            s += i;
        } else
            s -= 3;
    }
    return s;
}
/* What is read outside may be written at that time. */
ALONE double g4(int n) {
    double s = 0;
#pragma omp parallel for
    for (int i = 0; i < n; i++) { /*@ carried s */
#pragma omp critical
        s += b[i];
        a[i] = s;
    }
    return s;
}
ALONE void g5(int n) {
#pragma omp parallel for
    for (int i = 0; i < n; i++) { /*@ */
#pragma omp critical
        {
            add(i % 16);
        }
    }
}
ALONE void r4(int n, double *s) {
#pragma omp parallel for
    for (int i = 0; i < n; i++) /*@ reduction *s */
        *s += b[i];
}
ALONE void r5(int n) {
#pragma omp parallel
    {
        double part[4] = {0, 0, 0, 0};
#pragma omp for
        for (int i = 0; i < n; i++) /*@ */
            part[i % 4] += b[i];
#pragma omp critical
        m[1][2] += part[0] + part[1];
    }
}
ALONE void o2(int n) {
#pragma omp parallel for
    for (int i = 0; i < n; i++) /*@ */
        owned[i % 4] += i;
}
ALONE int f1(int n) {
    int any = 0;
#pragma omp parallel for
    for (int i = 0; i < n; i++) /*@ unordered any */
        if (b[i] > 3)
            any = 1;
    return any;
}
ALONE void c3(int n) {
#pragma omp parallel for collapse(2)
    for (int i = 0; i < n; i++) /*@ dependence m | carried m */
        for (int j = 1; j < n; j++)
            m[i][j] = m[i][j - 1] + 1;
}
int main(void) {
    int n = 400;
    double sum = 0;
    for (int i = 0; i < n; i++) slot[i] = i % 200;
    printf("%d %d\n", g2(n), g3(n));
    g4(n); g5(n); r4(n, &sum); r5(n); o2(n); c3(40);
    printf("%g %d\n", sum, f1(n));
    h3(n); h4(n); c1(n); c2(40); e1(n); e2(n); e3(n); t1(n); o1(n);
    for (int i = 0; i < n; i++) a[i] = i % 7;
    p1(n); p2(n); d1(n); d2(n); i1(40); i2(40); i3(40); h1(n); h2(n); g1(n);
    int k = k1(n) + l1(n) + l2(n);
    printf("%g %d %d %g %d\n", r1(n) + r2(n) + r3(n), k, hist[3], m[3][4], found[k % n]);
    return 0;
}
"#;

const FORTRAN: &str = "
module loops
contains
  subroutine last(n, x)
    integer, intent(in) :: n
    integer, intent(out) :: x
    integer :: i
    !$omp parallel do
    do i = 1, n !@ lastprivate x
      x = i
    end do
  end subroutine
  function locked(n) result(x)
    !$ use omp_lib
    integer, intent(in) :: n
    integer :: x, i
    !$ integer(omp_lock_kind) :: l
    !$ call omp_init_lock(l)
    x = 0
    !$omp parallel do
    do i = 1, n !@
      if (mod(i, 2) == 0) then
        !$ call omp_set_lock(l)
        x = x + 1
        !$ call omp_unset_lock(l)
      else
        !$ call omp_set_lock(l)
        x = x + 2
        !$ call omp_unset_lock(l)
      end if
    end do
  end function
  subroutine p1(a, b, n)
    integer, intent(in) :: n
    real(8), intent(in) :: a(n)
    real(8), intent(out) :: b(n)
    real(8) :: t
    integer :: i
    !$omp parallel do
    do i = 1, n !@ private t
      t = a(i) * 2
      b(i) = t + 1
    end do
  end subroutine
  subroutine p2(a, b, n)
    integer, intent(in) :: n
    real(8), intent(in) :: a(n)
    real(8), intent(out) :: b(n)
    real(8) :: t
    integer :: i
    !$OMP PARALLEL DO PRIVATE(T)
    do i = 1, n !@
      t = a(i) * 2
      b(i) = t + 1
    end do
  end subroutine
  function r1(b, n) result(s)
    integer, intent(in) :: n
    real(8), intent(in) :: b(n)
    real(8) :: s
    integer :: i
    s = 0
    !$omp parallel do
    do i = 1, n !@ reduction s
      s = s + b(i)
    end do
  end function
  function r2(b, n) result(s)
    integer, intent(in) :: n
    real(8), intent(in) :: b(n)
    real(8) :: s
    integer :: i
    s = 0
    !$omp parallel do &
    !$omp reduction(+:s)
    do i = 1, n !@
      s = s + b(i)
    end do
  end function
end module
program main
  use loops
  real(8) :: a(400), b(400)
  integer :: i, x
  do i = 1, 400
    a(i) = mod(i, 7)
  end do
  call p1(a, b, 400)
  call last(400, x)
  call p2(a, b, 400)
  print *, r1(b, 400) + r2(b, 400) + x + locked(400)
end program
";

/// Lines that have an expectation, with its alternatives.
fn expected(source: &str) -> Vec<(u64, Vec<String>)> {
    let of = |(index, line): (usize, &str)| {
        let (_, rest) = line.split_once("/*@").or_else(|| line.split_once("!@"))?;
        let rest = rest.trim_end_matches("*/").trim();
        Some((index as u64 + 1, rest.split('|').map(|own| own.trim().to_owned()).collect()))
    };
    source.lines().enumerate().filter_map(of).collect()
}

/// The report in JSON and as text, of a run with two threads.
fn check(name: &str, compiler: &str, source: &str, flags: &[&str]) -> (Value, String) {
    check_with("2", name, compiler, source, flags)
}

/// The same of a run with so many threads.
fn check_with(threads: &str, name: &str, compiler: &str, source: &str, flags: &[&str]) -> (Value, String) {
    let place = Place::new();
    let file = place.path(name);
    std::fs::write(&file, source).unwrap();
    if compiler == "cc" {
        place.compile("program", source, &[flags, &["-g"]].concat());
    } else {
        let mut command = Command::new(compiler);
        command.current_dir(place.directory()).args(flags).args(["-g", "-o", "program"]).arg(&file);
        let done = command.output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    }
    let mut command = place.loopwright();
    command.args(["profile", "--quiet", "-o", "p.lwp", "--", "./program"]).env("OMP_NUM_THREADS", threads);
    assert!(command.output().unwrap().status.success());
    let output = place.loopwright().args(["report", "--format", "json", "p.lwp"]).output().unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let text = place.loopwright().args(["report", "--top", "40", "p.lwp"]).output().unwrap();
    let text = String::from_utf8_lossy(&text.stdout).into_owned();
    let loops = report["loops"].as_array().unwrap();
    for (line, wanted) in expected(source) {
        let is_there = |own: &&Value| own["line"] == line && own["main"] == true;
        let found: Vec<&Value> = loops.iter().filter(is_there).collect();
        // The members of a team are one loop.
        assert_eq!(found.len(), 1, "{compiler} {flags:?}: line {line}: {text}");
        let existing = &found[0]["existing"];
        let is_shared_out = !existing["directive"].as_str().is_some_and(|own| own.contains("simd"));
        assert_eq!(existing["parallel"], is_shared_out, "{compiler} {flags:?}: line {line}: {text}");
        let race = |own: &Value| {
            format!("{} {}", own["kind"].as_str().unwrap(), own["variable"].as_str().unwrap_or_default())
        };
        let races = existing["races"].as_array().unwrap().iter().map(race).collect::<Vec<_>>().join(", ");
        assert!(
            wanted.contains(&races),
            "{compiler} {flags:?}: line {line}: {races:?}, not {wanted:?}: {text}"
        );
        assert!(found[0]["directive"].is_null());
    }
    assert!(text.contains("already parallel"), "{text}");
    (report, text)
}

#[test]
fn races_of_c_are_named() {
    for flags in [&["-O0"][..], &["-O2"], &["-O0", "-fopenmp"], &["-O2", "-fopenmp"]] {
        check("program.c", "cc", C, flags);
    }
}

/// Locks are taken by name; iterations that run in lockstep have to be as far apart as the directive says.
const OTHERS: &str = r#"
#include <omp.h>
#include <stdio.h>
#define ALONE static __attribute__((noipa))
static double a[400], b[400];
ALONE int w1(int n) {
    int k = 0;
    omp_lock_t lock;
    omp_init_lock(&lock);
#pragma omp parallel for
    for (int i = 0; i < n; i++) { /*@ */
        omp_set_lock(&lock);
        k++;
        omp_unset_lock(&lock);
    }
    omp_destroy_lock(&lock);
    return k;
}
static int hist[16];
ALONE void w2(int n) {
    omp_lock_t locks[16];
    for (int i = 0; i < 16; i++)
        omp_init_lock(&locks[i]);
#pragma omp parallel for
    for (int i = 0; i < n; i++) { /*@ */
        int k = (i * 7) % 16;
        omp_set_lock(&locks[k]);
        hist[k]++;
        omp_unset_lock(&locks[k]);
    }
}
ALONE int w3(int n) {
    int k = 0;
    omp_lock_t locks[2];
    omp_init_lock(&locks[0]);
    omp_init_lock(&locks[1]);
#pragma omp parallel for
    for (int i = 0; i < n; i++) { /*@ reduction k */
        omp_set_lock(&locks[i & 1]);
        k++;
        omp_unset_lock(&locks[i & 1]);
    }
    return k;
}
ALONE double w4(int n) {
    double part[64] = {0};
#pragma omp parallel
    {
        int me = omp_get_thread_num();
#pragma omp for
        for (int i = 0; i < n; i++) /*@ */
            part[me] += b[i];
    }
    return part[0] + part[1];
}
ALONE void s1(int n) {
#pragma omp simd
    for (int i = 1; i < n; i++) /*@ dependence a */
        a[i] = a[i - 1] + b[i];
}
ALONE void s2(int n) {
#pragma omp simd safelen(4)
    for (int i = 4; i < n; i++) /*@ */
        a[i] = a[i - 4] + b[i];
}
int main(void) {
    s1(400); s2(400);
    w2(400);
    printf("%d %g %d %g %d\n", w1(400), a[3], w3(400), w4(400), hist[2]);
    return 0;
}
"#;

/// Regions in which two members of a team meet and no loop shows it: a race is named behind the lines that it is between.
const REGIONS: &str = r#"
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#define N 200
#define ALONE static __attribute__((noipa))
static double a[N], b[N], c[N];
ALONE void two_loops(void) {
#pragma omp parallel
    {
#pragma omp for nowait
        for (int i = 0; i < N; i++)
            a[i] = i * 2.0; /*~ a 1 */
#pragma omp for
        for (int i = 0; i < N; i++)
            b[i] = a[N - 1 - i]; /*~ a 1 */
    }
}
ALONE void two_loops_with_a_barrier(void) {
#pragma omp parallel
    {
#pragma omp for
        for (int i = 0; i < N; i++)
            a[i] = i * 2.0;
#pragma omp for
        for (int i = 0; i < N; i++)
            c[i] = a[N - 1 - i];
    }
}
ALONE int of_one_member(void) {
    int first = 0, sum = 0;
#pragma omp parallel
    {
#pragma omp master
        first = 10; /*~ first 2 */
#pragma omp critical
        sum += first; /*~ first 2 */
    }
    return sum;
}
ALONE int behind_a_barrier(void) {
    int first = 0, sum = 0;
#pragma omp parallel
    {
#pragma omp master
        first = 10;
#pragma omp barrier
#pragma omp critical
        sum += first;
    }
    return sum;
}
ALONE double combined(void) {
    double s = 0, m = 0;
#pragma omp parallel for reduction(+ : s) reduction(max : m)
    for (int i = 0; i < N; i++) {
        s += a[i];
        m = m < a[i] ? a[i] : m;
    }
    return s + m;
}
ALONE double combined_by_hand(void) {
    double s = 0;
#pragma omp parallel
    {
        double own = 0;
#pragma omp for nowait
        for (int i = 0; i < N; i++)
            own += a[i];
#pragma omp atomic
        s += own;
    }
    return s;
}
ALONE double combined_without(void) {
    double s = 0;
#pragma omp parallel
    {
        double own = 0;
#pragma omp for
        for (int i = 0; i < N; i++)
            own += a[i];
        s += own; /*~ s 3 */
    }
    return s;
}
ALONE int set_once(void) {
    int k;
#pragma omp parallel
    {
#pragma omp single
        k = 5;
#pragma omp for
        for (int i = 0; i < N; i++)
            c[i] += k;
    }
    return k;
}
ALONE int handed_to_all(void) {
    int s = 0;
#pragma omp parallel
    {
        int k;
#pragma omp single copyprivate(k)
        k = 7;
#pragma omp atomic
        s += k;
    }
    return s;
}
ALONE void blocks_of_each(void) {
#pragma omp parallel
    {
        double *t = malloc(64 * sizeof *t);
        for (int i = 0; i < 64; i++)
            t[i] = i;
#pragma omp critical
        c[3] += t[5];
        free(t);
    }
}
ALONE int tasks_in_order(void) {
    int x = 0, y = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp task depend(out : x) shared(x)
        x = 1;
#pragma omp task depend(in : x) shared(x, y)
        y = x;
    }
    return y;
}
ALONE void steps(void) {
#pragma omp parallel
    for (int t = 0; t < 3; t++) {
#pragma omp single
        c[t] = a[t];
#pragma omp for
        for (int i = 3; i < N; i++)
            c[i] += c[t];
    }
}
ALONE int counted(int x) {
    static int last;
    last += x;
    return last;
}
ALONE void counts(int n) {
#pragma omp parallel for
    for (int i = 0; i < n; i++) /*@ unordered last */
        b[i] = counted(i);
}
int main(void) {
    two_loops();
    two_loops_with_a_barrier();
    int r = of_one_member() + behind_a_barrier() + set_once() + handed_to_all() + tasks_in_order();
    double d = combined() + combined_by_hand() + combined_without();
    blocks_of_each();
    steps();
    counts(N);
    printf("%d %g %g %g\n", r, d, b[3], c[3]);
    return 0;
}
"#;

#[test]
fn races_of_regions_are_named() {
    let mut wanted: BTreeMap<(String, String), Vec<u64>> = BTreeMap::new();
    for (number, line) in (1..).zip(REGIONS.lines()) {
        if let Some((_, mark)) = line.split_once("/*~ ") {
            let mut words = mark.split_whitespace().map(str::to_owned);
            wanted.entry((words.next().unwrap(), words.next().unwrap())).or_default().push(number);
        }
    }
    let wanted: BTreeSet<(String, u64, u64)> =
        wanted.into_iter().map(|((name, _), lines)| (name, lines[0], lines[lines.len() - 1])).collect();
    for level in ["-O0", "-O2"] {
        let (report, text) = check("regions.c", "cc", REGIONS, &[level, "-fopenmp"]);
        let of = |race: &Value| {
            let line = |at: usize| race["lines"][at].as_u64().unwrap();
            (race["variable"].as_str().unwrap().to_owned(), line(0), line(1))
        };
        let found: BTreeSet<_> = report["races"].as_array().into_iter().flatten().map(of).collect();
        assert_eq!(found, wanted, "{level}: {text}");
        assert!(text.contains("race: threads of one region"), "{text}");
    }
}

/// What members of a team were seen to do, function by function: behind each stands whether it has a race, and at which level alone that
/// is known.
const SEEN: &str = r#"
#include <errno.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#define N 128
#define ALONE __attribute__((noipa)) static
static double a[N + 2], b[N + 2], f[N + 2];
static int elements[N][2], x, y, k[N];
ALONE void scratch_behind_a_pointer(void) { /*! race */
    double *t = malloc(4 * sizeof *t);
#pragma omp parallel for
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < 4; j++)
            t[j] = i * j;
        b[i] = t[0] + t[3];
    }
    free(t);
}
ALONE void scratch_of_each(void) { /*! */
#pragma omp parallel for
    for (int i = 0; i < N; i++) {
        double *t = malloc(4 * sizeof *t);
        for (int j = 0; j < 4; j++)
            t[j] = i * j;
        b[i] = t[0] + t[3];
        free(t);
    }
}
ALONE void pointer_of_each(double *t) { /*! race */
#pragma omp parallel for firstprivate(t)
    for (int i = 0; i < N; i++) {
        t[0] = i;
        b[i] = t[0];
    }
}
ALONE void static_in_the_body(void) { /*! race O0 */
#pragma omp parallel for
    for (int i = 0; i < N; i++) {
        static double t;
        t = a[i];
        b[i] = t;
    }
}
ALONE void scattered(void) { /*! race */
#pragma omp parallel for
    for (int e = 0; e < N; e++)
        for (int j = 0; j < 2; j++)
            f[elements[e][j]] += 1.0;
}
ALONE void scattered_atomically(void) { /*! */
#pragma omp parallel for
    for (int e = 0; e < N; e++)
        for (int j = 0; j < 2; j++)
#pragma omp atomic
            f[elements[e][j]] += 1.0;
}
ALONE void loop_of_all(void) { /*! race */
#pragma omp parallel
    for (int i = 0; i < N; i++)
        a[i] += 1.0;
}
ALONE void split_by_hand(void) { /*! */
#pragma omp parallel num_threads(4)
    {
        int me = omp_get_thread_num();
        for (int i = me * (N / 4); i < (me + 1) * (N / 4); i++)
            a[i] += 1.0;
    }
}
ALONE void counted_by_all(void) { /*! race */
#pragma omp parallel
    x++;
}
ALONE void counted_by_one(void) { /*! */
#pragma omp parallel
#pragma omp single
    x++;
}
ALONE void sections_that_share(void) { /*! race O0 */
#pragma omp parallel sections
    {
#pragma omp section
        x = 1;
#pragma omp section
        y = x;
    }
}
ALONE void sections_apart(void) { /*! */
#pragma omp parallel sections
    {
#pragma omp section
        x = 1;
#pragma omp section
        y = 2;
    }
}
ALONE void read_before_the_barrier(void) { /*! race */
#pragma omp parallel
    {
#pragma omp single nowait
        x = 42;
        k[omp_get_thread_num()] = x;
    }
}
ALONE void guarded_by_a_comment(void) { /*! race */
    int s = 0;
#pragma omp parallel for
    for (int i = 0; i < N; i++) {
        // #pragma omp critical
        s += k[i];
    }
    x = s;
}
ALONE void guarded_either_way(void) { /*! */
    int s = 0;
#pragma omp parallel for
    for (int i = 0; i < N; i++) {
#pragma omp critical
        if (k[i] > 3)
            s += k[i];
        else
            s--;
    }
    x = s;
}
ALONE void written_by_one_iteration(void) { /*! O0 */
#pragma omp parallel for
    for (int i = 0; i < N; i++) {
        if (i == 17)
            x = i;
    }
}
ALONE void team_of_one(void) { /*! */
#pragma omp parallel for num_threads(1)
    for (int i = 1; i < N; i++)
        a[i] = a[i - 1] + 1.0;
}
ALONE void red_and_black(void) { /*! */
    for (int colour = 0; colour < 2; colour++) {
#pragma omp parallel for
        for (int i = 1 + colour; i < N; i += 2)
            a[i] = 0.5 * (a[i - 1] + a[i + 1]);
    }
}
ALONE void sum_in_lanes(void) { /*! race */
    double s = 0;
#pragma omp simd
    for (int i = 0; i < N; i++)
        s += a[i];
    b[0] = s;
}
ALONE void task_without_a_wait(void) { /*! race */
#pragma omp parallel
#pragma omp single
    {
#pragma omp task
        x = 1;
        y = x;
    }
}
ALONE void task_with_a_wait(void) { /*! */
#pragma omp parallel
#pragma omp single
    {
#pragma omp task
        x = 1;
#pragma omp taskwait
        y = x;
    }
}
ALONE void task_of_a_task(void) { /*! race */
#pragma omp parallel
#pragma omp single
    {
#pragma omp task
        {
#pragma omp task
            x = 1;
        }
#pragma omp taskwait
        y = x;
    }
}
ALONE void group_of_tasks(void) { /*! */
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskgroup
        {
#pragma omp task
            {
#pragma omp task
                x = 1;
            }
        }
        y = x;
    }
}
ALONE void tasks_beside(void) { /*! race */
#pragma omp parallel
#pragma omp single
    {
#pragma omp task depend(out : x)
        x = 1;
#pragma omp task
        y = x;
    }
}
ALONE void tasks_of_a_loop(void) { /*! race */
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 16; i++) {
#pragma omp task firstprivate(i)
        x += i;
    }
}
ALONE void tasks_in_turn(void) { /*! */
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 16; i++) {
#pragma omp task firstprivate(i) depend(inout : x)
        x += i;
    }
}
ALONE int of_halves(int n) { /*! */
    int p, q;
    if (n < 2)
        return n;
#pragma omp task shared(p)
    p = of_halves(n - 1);
#pragma omp task shared(q)
    q = of_halves(n - 2);
#pragma omp taskwait
    return p + q;
}
ALONE void shifted_without_waiting(void) { /*! race O0 */
#pragma omp parallel
    {
#pragma omp for nowait
        for (int i = 0; i < N; i++)
            a[i] = i;
#pragma omp for
        for (int i = 1; i < N; i++)
            b[i] = a[i - 1];
    }
}
ALONE void in_turn_without_waiting(void) { /*! */
#pragma omp parallel
    {
#pragma omp for nowait
        for (int i = 0; i < N; i++)
            a[i] = i;
#pragma omp for
        for (int i = 0; i < N; i++)
            b[i] = a[i];
    }
}
ALONE void dealt_without_waiting(void) { /*! race O0 */
#pragma omp parallel
    {
#pragma omp for schedule(dynamic, 4) nowait
        for (int i = 0; i < N; i++)
            a[i] = i;
#pragma omp for schedule(dynamic, 4)
        for (int i = 0; i < N; i++)
            b[i] = a[i];
    }
}
ALONE void dealt_with_a_barrier(void) { /*! */
#pragma omp parallel
    {
#pragma omp for schedule(dynamic, 4) nowait
        for (int i = 0; i < N; i++)
            a[i] = i;
#pragma omp barrier
#pragma omp for schedule(dynamic, 4)
        for (int i = 0; i < N; i++)
            b[i] = a[i];
    }
}
ALONE void chunks_of_one(void) { /*! race */
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < N; i++)
        for (int j = 0; j < 8; j++)
            f[j] += a[i];
}
ALONE void chunks_of_one_apart(void) { /*! */
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < N; i++)
        for (int j = 0; j < 8; j++)
            f[i] += a[j];
}
ALONE int sections_on_a_local(void) { /*! race O0 */
    int n = 0;
#pragma omp parallel sections
    {
#pragma omp section
        for (int i = 0; i < 20; i++)
            n += i;
#pragma omp section
        for (int i = 0; i < 20; i++)
            n -= 2 * i;
    }
    return n;
}
ALONE int sections_on_two_locals(void) { /*! */
    int n = 0, m = 0;
#pragma omp parallel sections
    {
#pragma omp section
        for (int i = 0; i < 20; i++)
            n += i;
#pragma omp section
        for (int i = 0; i < 20; i++)
            m -= 2 * i;
    }
    return n + m;
}
ALONE void asked_for_errors(void) { /*! */
#pragma omp parallel for
    for (int i = 0; i < N; i++) {
        errno = 0;
        k[i] = strtol(i % 3 ? "12" : "99999999999999999999999", NULL, 10) > 0 && errno == ERANGE;
    }
}
int main(void) { /*! race */
    for (int e = 0; e < N; e++)
        elements[e][0] = e, elements[e][1] = e + 1;
    scratch_behind_a_pointer(), scratch_of_each(), pointer_of_each(f), static_in_the_body();
    scattered(), scattered_atomically(), loop_of_all(), split_by_hand(), counted_by_all(), counted_by_one();
    sections_that_share(), sections_apart(), read_before_the_barrier();
    guarded_by_a_comment(), guarded_either_way(), written_by_one_iteration(), team_of_one(), red_and_black();
    sum_in_lanes(), task_without_a_wait(), task_with_a_wait(), task_of_a_task(), group_of_tasks();
    tasks_beside(), tasks_of_a_loop(), tasks_in_turn(), chunks_of_one(), chunks_of_one_apart();
    sections_on_a_local(), sections_on_two_locals(), asked_for_errors();
    shifted_without_waiting(), in_turn_without_waiting(), dealt_without_waiting(), dealt_with_a_barrier();
    int z = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp task shared(z)
        z = 10;
        y = z + 1;
    }
#pragma omp parallel
#pragma omp single
    x += of_halves(6);
    printf("%d %d %g %g %g\n", x, y, a[3], b[4], f[5]);
    return 0;
}
"#;

/// What functions and classes of the program lock, what tasks are ordered by, and what orders none.
const ORDERED: &str = r#"
#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#define ALONE __attribute__((noipa)) static
struct account {
    omp_lock_t lock;
    int held;
};
static struct account one;
static omp_lock_t two;
static atomic_flag turn = ATOMIC_FLAG_INIT;
static int s, t, u, v, w, x, y, z, e[12], f[12], g[12], calls, copied, own[64];
static void enter(struct account *a) { omp_set_lock(&a->lock); }
static void leave(struct account *a) { omp_unset_lock(&a->lock); }
ALONE void locked_by_functions(struct account *a) { /*! */
#pragma omp parallel for
    for (int i = 0; i < 60; i++) {
        enter(a);
        a->held += i;
        leave(a);
    }
}
ALONE void left_too_early(struct account *a) { /*! race */
#pragma omp parallel for
    for (int i = 0; i < 60; i++) {
        enter(a);
        leave(a);
        a->held += i;
    }
}
ALONE void locked_by_two_names(void) { /*! */
    omp_lock_t *same = &two;
#pragma omp parallel
    {
        if (omp_get_thread_num()) {
            omp_set_lock(same);
            s += 2;
            omp_unset_lock(same);
        } else {
            omp_set_lock(&two);
            s += 1;
            omp_unset_lock(&two);
        }
    }
}
ALONE void waited_for_by_turns(void) { /*! */
#pragma omp parallel
    for (int i = 0; i < 4; i++) {
        while (atomic_flag_test_and_set_explicit(&turn, memory_order_acquire))
            ;
        t += i;
        atomic_flag_clear_explicit(&turn, memory_order_release);
    }
}
ALONE void ordered_by_a_third(void) { /*! */
#pragma omp parallel
#pragma omp single
    {
#pragma omp task depend(out : x)
        x = z = 1;
#pragma omp task depend(in : x) depend(out : y)
        y = x;
#pragma omp task depend(in : y)
        z += y;
    }
}
ALONE void each_depends_on_its_own(void) { /*! race */
#pragma omp parallel
#pragma omp single
    for (int i = 1; i < 12; i++) {
#pragma omp task depend(out : e[i])
        e[i] = e[i - 1] + i;
    }
}
ALONE void each_depends_on_the_one_before(void) { /*! */
#pragma omp parallel
#pragma omp single
    for (int i = 1; i < 12; i++) {
#pragma omp task depend(in : f[i - 1]) depend(out : f[i])
        f[i] = f[i - 1] + i;
    }
}
ALONE void depends_on_another_element(void) { /*! race */
#pragma omp parallel
#pragma omp single
    {
#pragma omp task depend(out : g[1])
        g[0] = 1;
#pragma omp task depend(in : g[0])
        g[2] = g[0];
    }
}
ALONE void of_other_parents(void) { /*! race */
#pragma omp parallel
#pragma omp single
    {
#pragma omp task
        {
#pragma omp task depend(inout : u)
            u += 1;
        }
#pragma omp task
        {
#pragma omp task depend(inout : u)
            u += 2;
        }
    }
}
ALONE void counted_behind_copies(void) { /*! race */
#pragma omp parallel
    {
        int q;
#pragma omp single copyprivate(q)
        q = 7;
        copied += q;
    }
}
ALONE void copies_of_each(void) { /*! */
#pragma omp parallel
    {
        int q = omp_get_thread_num();
#pragma omp single copyprivate(q)
        q += 7;
        own[omp_get_thread_num()] = q;
    }
}
ALONE void waits_for_the_other(void) { /*! race */
#pragma omp parallel
#pragma omp single
    {
#pragma omp task depend(out : v)
        v = 1;
#pragma omp task depend(out : w)
        w = 1;
#pragma omp taskwait depend(in : w)
        y += v + w;
    }
}
static void walk_counted(int n) { /*! */
#pragma omp atomic
    calls++;
    if (n == 0)
        return;
#pragma omp task
    walk_counted(n - 1);
#pragma omp task
    walk_counted(n - 1);
#pragma omp taskwait
}
int main(void) { /*! */
    omp_init_lock(&one.lock), omp_init_lock(&two);
    locked_by_functions(&one), left_too_early(&one), locked_by_two_names(), waited_for_by_turns();
    ordered_by_a_third(), each_depends_on_its_own(), each_depends_on_the_one_before();
    depends_on_another_element(), of_other_parents(), waits_for_the_other();
    counted_behind_copies(), copies_of_each();
#pragma omp parallel
#pragma omp single
    walk_counted(4);
    printf("%d %d %d %d %d\n", one.held, s, t, y, calls);
    return 0;
}
"#;

/// What functions do with what they are handed and with what they keep, functions that share out a loop of their callers' region, and locks
/// that elements choose.
const HANDED: &str = r#"
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define N 60
#define ALONE __attribute__((noipa)) static
static int from[N][8], to[8], rows[N][8], a[N], h[8], chosen[N], d, sum;
static unsigned seed = 7;
static omp_lock_t locks[8];
static int *kept(void) {
    static int own[4];
    return own;
}
ALONE void copied_to_one(void) { /*! race */
#pragma omp parallel for
    for (int i = 0; i < N; i++)
        memcpy(to, from[i], sizeof to);
}
ALONE void copied_to_each(void) { /*! */
#pragma omp parallel for
    for (int i = 0; i < N; i++)
        memcpy(rows[i], from[i], sizeof to);
}
ALONE void one_seed(void) { /*! race */
#pragma omp parallel for
    for (int i = 0; i < N; i++)
        a[i] = rand_r(&seed) % 8;
}
ALONE void seed_of_each(void) { /*! */
#pragma omp parallel for
    for (int i = 0; i < N; i++) {
        unsigned own = i;
        a[i] = rand_r(&own) % 8;
    }
}
ALONE void what_a_function_keeps(void) { /*! race O0 */
#pragma omp parallel for
    for (int i = 0; i < N; i++) {
        int *p = kept();
        p[0] = i;
        p[1] = p[0] * 2;
        a[i] = p[1];
    }
}
ALONE void shares_out(int *p, int n) { /*! */
    int k = 0, last = -1, part[3];
#pragma omp for
    for (int i = 0; i < n; i++) {
        k += p[i];
        part[i % 3] = i;
        last = i;
        p[i] = part[i % 3] + last - i;
    }
#pragma omp atomic
    sum += k;
}
ALONE void called_by_all(void) { /*! */
#pragma omp parallel
    shares_out(a, N);
}
ALONE void declared_in_the_region(void) { /*! */
#pragma omp parallel
    {
        int k = 0, last = -1, part[3];
#pragma omp for
        for (int i = 0; i < N; i++) {
            k += i;
            part[i % 3] = i;
            a[i] = part[i % 3] + k - k;
        }
#pragma omp atomic
        sum += k + last;
    }
}
ALONE void locked_by_elements(void) { /*! */
#pragma omp parallel for schedule(static, 1)
    for (int i = 0; i < N; i++) {
        int k = chosen[i], l = (k + 3) % 8;
        int low = k < l ? k : l, high = k < l ? l : k;
        omp_set_lock(&locks[low]);
        omp_set_lock(&locks[high]);
        h[k] += i;
        h[l] -= i;
        omp_unset_lock(&locks[high]);
        omp_unset_lock(&locks[low]);
    }
}
ALONE void locked_by_others(void) { /*! race */
#pragma omp parallel for schedule(static, 1)
    for (int i = 0; i < N; i++) {
        omp_set_lock(&locks[i % 4]);
        h[chosen[i]]++;
        omp_unset_lock(&locks[i % 4]);
    }
}
ALONE void depends_by_pointers(void) { /*! */
    int *first = &d, *second = &d;
#pragma omp parallel
#pragma omp single
    {
#pragma omp task depend(out : *first)
        *first = 1;
#pragma omp task depend(in : *second)
        sum += *second;
    }
}
ALONE void depends_on_all(void) { /*! */
#pragma omp parallel
#pragma omp single
    {
        for (int i = 0; i < 8; i++) {
#pragma omp task depend(out : to[i])
            to[i] = i;
        }
#pragma omp task depend(iterator(k = 0 : 8), in : to[k])
        for (int k = 0; k < 8; k++)
            sum += to[k];
    }
}
ALONE void too_short_for_a_team(int n) { /*! */
#pragma omp parallel for if (n > 1000)
    for (int i = 1; i < n; i++)
        a[i] = a[i - 1] + i;
}
ALONE void long_enough_for_a_team(int n) { /*! race */
#pragma omp parallel for if (n > 10)
    for (int i = 1; i < n; i++)
        a[i] = a[i - 1] + i;
}
ALONE void combined_without_waiting(void) { /*! race */
    int all = 0;
#pragma omp parallel
    {
#pragma omp for reduction(+ : all) nowait
        for (int i = 0; i < N; i++)
            all += chosen[i];
#pragma omp master
        sum += all;
    }
}
ALONE void combined_and_waited_for(void) { /*! */
    int all = 0;
#pragma omp parallel
    {
#pragma omp for reduction(+ : all)
        for (int i = 0; i < N; i++)
            all += chosen[i];
#pragma omp master
        sum += all;
    }
}
ALONE void written_by_two_sections(void) { /*! race */
    int both = 0, own = 0;
#pragma omp parallel sections shared(both, own)
    {
#pragma omp section
        {
            both = 1;
            own = both + 4;
        }
#pragma omp section
        { both = 2; }
    }
    sum += both + own;
}
int main(void) { /*! */
    for (int i = 0; i < N; i++)
        chosen[i] = (i * 5 + i / 7) % 8;
    for (int i = 0; i < 8; i++)
        omp_init_lock(&locks[i]);
    copied_to_one(), copied_to_each(), one_seed(), seed_of_each(), what_a_function_keeps();
    called_by_all(), declared_in_the_region(), locked_by_elements(), locked_by_others();
    too_short_for_a_team(N), long_enough_for_a_team(N), combined_without_waiting(), combined_and_waited_for();
    depends_by_pointers(), depends_on_all(), written_by_two_sections();
    printf("%d %d %d %d\n", to[1] + rows[3][1], a[7] >= 0, h[3], sum > 0);
    return 0;
}
"#;

#[test]
fn what_members_of_a_team_do_is_seen() {
    seen("seen.c", SEEN);
}

#[test]
fn what_orders_members_of_a_team_is_known() {
    seen("ordered.c", ORDERED);
}

#[test]
fn what_functions_are_handed_is_seen() {
    seen("handed.c", HANDED);
}

#[test]
fn iterations_that_wait_for_others_are_known() {
    seen("doacross.c", include_str!("existing/doacross.c"));
}

#[test]
fn pieces_of_loops_and_what_stands_before_their_bodies_are_known() {
    seen("pieces.c", include_str!("existing/pieces.c"));
}

/// What orders tasks is what they were asked for, however many threads there are and whatever they happened to do.
#[test]
fn tasks_are_ordered_by_what_they_wait_for_and_depend_on() {
    for threads in ["1", "2", "4"] {
        seen_with(threads, "tasks.c", include_str!("existing/tasks.c"));
    }
}

/// Locks are taken by argument, by callers, by one object each, on one line, on conditions, more than once.
#[test]
fn locks_are_those_that_the_run_takes() {
    for threads in ["2", "4"] {
        seen_with(threads, "locks.c", include_str!("existing/locks.c"));
    }
}

/// Races are found in those functions alone that say so, as both compilers build them at one level or the other by turns, or at both.
fn seen(file: &str, program: &str) {
    seen_with("2", file, program);
}

fn seen_with(threads: &str, file: &str, program: &str) {
    seen_by(["cc", "clang-19"], threads, file, program);
}

fn seen_by(compilers: [&str; 2], threads: &str, file: &str, program: &str) {
    seen_in((compilers, &["-fopenmp"]), threads, file, program);
}

/// The same of builds without OpenMP. Functions that say `unknown` have no race, but what may be one.
fn seen_without(compilers: [&str; 2], file: &str, program: &str) {
    seen_in((compilers, &[]), "1", file, program);
}

fn seen_in((compilers, flags): ([&str; 2], &[&str]), threads: &str, file: &str, program: &str) {
    let builds = compilers.into_iter().flat_map(|own| [(own, "-O0"), (own, "-O2")]);
    let place = file.len() + usize::from(threads == "4");
    let builds = builds.enumerate().filter(|(at, _)| kernels::is_taken(at + place, 2));
    for (_, (compiler, level)) in builds {
        seen_at(level, ([compiler], flags), threads, (file, program));
    }
}

/// The same at one level.
fn seen_at<const N: usize>(
    level: &str,
    (compilers, flags): ([&str; N], &[&str]),
    threads: &str,
    (file, program): (&str, &str),
) {
    for compiler in compilers {
        let (report, text) = check_with(threads, file, compiler, program, &[&[level], flags].concat());
        let mut doubts: BTreeSet<u64> = BTreeSet::new();
        let mut lines: BTreeSet<u64> = BTreeSet::new();
        let all = |list: &Value| -> Vec<Value> { list.as_array().into_iter().flatten().cloned().collect() };
        for own in all(&report["loops"]) {
            let raced = !all(&own["existing"]["races"]).is_empty();
            lines.extend(own["line"].as_u64().filter(|_| raced && own["main"] == true));
            let is_doubted = !all(&own["existing"]["unknown"]).is_empty();
            doubts.extend(own["line"].as_u64().filter(|_| is_doubted && own["main"] == true));
        }
        for race in all(&report["races"]) {
            lines.extend(all(&race["lines"]).iter().filter_map(Value::as_u64));
        }
        let functions: Vec<(u64, &str)> = (1..)
            .zip(program.lines())
            .filter_map(|(at, line)| Some((at, line.split_once("/*!")?.1)))
            .collect();
        for (at, (first, mark)) in functions.iter().enumerate() {
            let last = functions.get(at + 1).map_or(u64::MAX, |next| next.0 - 1);
            let mark = mark.trim_end_matches("*/").trim();
            let (wanted, only) = match mark.split_once('O') {
                Some((wanted, only)) => (wanted.trim(), format!("-O{only}")),
                None => (mark, level.to_owned()),
            };
            if only == level {
                let found = lines.range(first..=&last).next().is_some();
                let name = program.lines().nth(*first as usize - 1).unwrap();
                assert_eq!(found, wanted == "race", "{compiler} {level}, {threads} threads: {name}\n{text}");
                let is_doubted = doubts.range(first..=&last).next().is_some();
                assert!(is_doubted || wanted != "unknown", "{compiler} {level}: {name}\n{text}");
            }
        }
    }
}

#[test]
fn locks_and_lockstep_are_known() {
    for flags in [&["-O0", "-fopenmp"][..], &["-O2", "-fopenmp"]] {
        check("others.c", "cc", OTHERS, flags);
    }
}

#[test]
fn races_of_fortran_are_named() {
    for flags in [&["-O0"][..], &["-O0", "-fopenmp"]] {
        check("races.f90", "gfortran", FORTRAN, flags);
    }
}

/// What methods change in one object, and what is combined by functions.
const METHODS: &str = r#"
#include <cstdio>
#include <mutex>
#include <omp.h>
#include <vector>
struct pair {
    double x, y;
    pair &operator+=(const pair &o) {
        x += o.x, y += o.y;
        return *this;
    }
};
class Lock {
    omp_lock_t inner;

public:
    Lock() { omp_init_lock(&inner); }
    ~Lock() { omp_destroy_lock(&inner); }
    void lock() { omp_set_lock(&inner); }
    void unlock() { omp_unset_lock(&inner); }
};
class Holds {
    Lock &of;

public:
    explicit Holds(Lock &of) : of(of) { of.lock(); }
    ~Holds() { of.unlock(); }
};
#pragma omp declare reduction(+ : pair : omp_out += omp_in)
int main() {
    std::vector<int> v, w, u(400);
    v.reserve(500), w.reserve(500);
#pragma omp parallel for
    for (int i = 0; i < 400; i++) /*@ unordered v */
        v.push_back(i);
#pragma omp parallel for
    for (int i = 0; i < 400; i++) { /*@ */
#pragma omp critical
        w.push_back(i);
    }
#pragma omp parallel for
    for (int i = 0; i < 400; i++) /*@ */
        u[i] = i;
    pair s = {0, 0};
#pragma omp parallel for reduction(+ : s)
    for (int i = 0; i < 400; i++) { /*@ */
        pair one = {i * 1.0, 1.0};
        s += one;
    }
    Lock own;
    std::mutex of_library;
    int n = 0, m = 0, k = 0;
#pragma omp parallel for
    for (int i = 0; i < 400; i++) { /*@ */
        own.lock();
        n += i;
        own.unlock();
    }
#pragma omp parallel for
    for (int i = 0; i < 400; i++) { /*@ */
        Holds holds(own);
        m += i;
    }
#pragma omp parallel for
    for (int i = 0; i < 400; i++) { /*@ */
        of_library.lock();
        k += i;
        of_library.unlock();
    }
    std::printf("%zu %zu %d %g %d\n", v.size(), w.size(), u[3], s.x, n + m + k);
}
"#;

#[test]
fn methods_and_combiners_are_known() {
    check("methods.cpp", "c++", METHODS, &["-O0", "-fopenmp"]);
}

/// Arrays on the stack of the thread that begins a region.
const STACKS: &str = "
program stacks
  implicit none
  real(8) :: s
  call scattered()
  call of_the_region(s)
  print *, s
  call apart()
contains
  subroutine scattered()
    integer :: j, k
    real(8) :: a(402)
    a = 0
    !$omp parallel do
    do j = 1, 400 !@ unordered a
      do k = 0, 2
        a(j + k) = a(j + k) + 1
      end do
    end do
    print *, a(7)
  end subroutine
  subroutine of_the_region(s)
    integer :: i
    real(8) :: w(10), s
    s = 0
    !$omp parallel private(w)
    w = 0
    !$omp do
    do i = 1, 400 !@
      w(1 + mod(i, 10)) = w(1 + mod(i, 10)) + i
    end do
    !$omp end do nowait
    !$omp critical
    s = s + sum(w)
    !$omp end critical
    !$omp end parallel
  end subroutine
  subroutine apart()
    integer :: j, k
    real(8) :: b(3, 400)
    b = 0
    !$omp parallel do
    do j = 1, 400 !@
      do k = 1, 3
        b(k, j) = b(k, j) + 1
      end do
    end do
    print *, b(2, 7)
  end subroutine
end program
";

#[test]
fn stacks_of_other_threads_are_seen() {
    check("stacks.f90", "gfortran", STACKS, &["-O0", "-fopenmp"]);
}

/// Parts that conditional compilation leaves out, and those that it does not.
const CONDITIONS: &str = r#"
#include <stdio.h>
static double a[400], s, u, v;
/*! race */
static void not_guarded(void) {
#pragma omp parallel
    {
        double l = 1;
#ifdef SAFE
#pragma omp critical
#endif
        s += l;
    }
}
/*! none */
static void guarded(void) {
#pragma omp parallel
    {
        double l = 1;
#ifndef SAFE
#pragma omp critical
#endif
        u += l;
    }
}
/*! race */
static void left_by_one(void) {
#pragma omp parallel
    {
        double l = 1;
#pragma omp single nowait
        v = 0;
#pragma omp critical
        v += l;
    }
}
/*! none */
static void waited_for(void) {
#pragma omp parallel
    {
        double l = 1;
#pragma omp single
        v = 0;
#pragma omp critical
        v += l;
    }
}
/*! none */
static void shared_out(void) {
#pragma omp parallel
    {
#ifdef DYNAMIC
#pragma omp for schedule(dynamic)
#else
#pragma omp for schedule(static)
#endif
        for (int i = 0; i < 400; i++) /*@ */
            a[i] = i;
    }
}
int main(void) {
    not_guarded();
    guarded();
    left_by_one();
    waited_for();
    shared_out();
    printf("%g %g %g %g\n", a[7], s, u, v);
}
"#;

#[test]
fn what_was_not_compiled_orders_nothing() {
    seen("conditions.c", CONDITIONS);
}

/// Regression: a lock of another library, a flag or a brace within a line hid the races of all that follows in the file.
#[test]
fn guards_excuse_what_they_are_about() {
    seen("apart.c", include_str!("existing/apart.c"));
    seen_by(["g++", "clang++-19"], "2", "chosen.cpp", include_str!("existing/chosen.cpp"));
}

/// Regression: elements that threads choose by their number were taken for shared where the text of the loop did not ask for it itself.
#[test]
fn elements_of_each_thread_are_known() {
    for threads in ["2", "4"] {
        seen_with(threads, "numbers.c", include_str!("existing/numbers.c"));
    }
    for flags in [&["-O0", "-fopenmp"][..], &["-O1"], &["-O2", "-fopenmp"]] {
        check("numbers.f90", "gfortran", include_str!("existing/numbers.f90"), flags);
    }
}

/// Regression: a run of a build without OpenMP was taken for what one with it does, whatever that has otherwise.
#[test]
fn what_rests_on_the_build_is_not_known() {
    seen_without(["cc", "clang-19"], "builds.c", include_str!("existing/builds.c"));
}

/// Regression: loops of which a compiler makes several iterations one were taken for others than they are.
#[test]
fn iterations_stay_with_their_threads() {
    let program = include_str!("existing/kept.c");
    for level in ["-O0", "-O3"] {
        seen_at(level, (["cc", "clang-19"], &["-fopenmp"]), "3", ("kept.c", program));
    }
}

/// Regression: what vectors load and do not use, and what copies of loops pass on, was taken for a race.
#[test]
fn what_compilers_make_of_loops_is_no_race() {
    let program = include_str!("existing/copies.c");
    for level in ["-O0", "-O2", "-O3"] {
        seen_at(level, (["cc", "clang-19"], &[]), "1", ("copies.c", program));
    }
    seen_at("-O3", (["cc", "clang-19"], &["-march=native"]), "1", ("copies.c", program));
}

/// Regression: that subscripts may meet was taken for a race.
#[test]
fn what_may_meet_is_no_race() {
    seen_without(["cc", "clang-19"], "unproven.c", include_str!("existing/unproven.c"));
}

/// Regression: a directive was said to be right of a loop that by its verdict is not parallel so.
#[test]
fn the_verdict_on_a_loop_is_heard() {
    seen_without(["g++", "clang++-19"], "captured.cpp", include_str!("existing/captured.cpp"));
}

/// Whether an atomic operation was compiled is said not to be known.
#[test]
fn atomic_operations_that_may_not_be_compiled_are_named() {
    let source = "int s;\nint main(void) {\n#pragma omp parallel for\n for (int i = 0; i < 40; i++) {\n#ifdef A\n#pragma omp atomic\n#endif\n s += i;\n }\n return s & 1;\n}\n";
    for define in ["-DA", "-DB"] {
        let (report, text) = check("maybe.c", "cc", source, &["-O0", "-fopenmp", define]);
        assert!(text.contains("whether the atomic operation (line 8) was compiled as one"), "{text}");
        assert!(report["races"].as_array().is_none_or(Vec::is_empty), "{text}");
    }
}

/// Constructs of Fortran that end, variables that outlive calls, and what one member leaves.
const ORPHANS: &str = "
module m
  real(8) :: rho, z(400)
end module
subroutine work
  use m
  integer :: j
  real(8) :: rho0
  rho0 = rho
  !$omp master
  rho = 0
  !$omp end master
  !$omp barrier
  !$omp do reduction(+:rho)
  do j = 1, 400 !@
    rho = rho + z(j)*rho0
  end do
  !$omp end do
end subroutine
subroutine saved(n, v, b)
  implicit none
  integer :: n, i, j
  real(8) :: v(n,n), b(n,n)
#ifdef LOCAL
  real(8) :: t
#else
  real(8), save :: t
#endif
  !$omp do
  do j = 1, n !@ private t
    do i = 1, n
      t = 1d0/v(i,j)
      b(i,j) = t*t
    end do
  end do
  !$omp end do
end subroutine
subroutine local(n, v, b)
  implicit none
  integer :: n, i, j
  real(8) :: v(n,n), b(n,n)
#ifdef KEEP
  real(8), save :: t
#else
  real(8) :: t
#endif
  !$omp do
  do j = 1, n !@
    do i = 1, n
      t = 1d0/v(i,j)
      b(i,j) = t*t
    end do
  end do
  !$omp end do
end subroutine
program p
  use m
  implicit none
  real(8) :: v(60,60), b(60,60), a(40), x
  integer :: i
  v = 2; z = 1d-3; rho = 1; a = 1
  !$omp parallel
  call work
  call saved(60, v, b)
  call local(60, v, b)
  !$omp end parallel
  !$omp parallel private(i, x)
  !$omp sections
  !$omp section
  a(1:20) = 2
  !$omp section
  a(21:40) = 3
  !$omp end sections
  !$omp do
  do i = 1, 40 !@
    x = a(i)*i
    a(i) = x + 1
  end do
  !$omp end do
  !$omp end parallel
  print *, sum(b), rho, a(7)
end program
";

#[test]
fn directives_of_procedures_are_known() {
    let (report, text) = check("orphans.F90", "gfortran", ORPHANS, &["-O0", "-fopenmp"]);
    let races = report["races"].as_array().unwrap();
    let of: Vec<(&str, u64)> = races
        .iter()
        .map(|own| (own["variable"].as_str().unwrap(), own["lines"][0].as_u64().unwrap()))
        .collect();
    assert_eq!(of, [("rho", 9)], "{text}");
}
