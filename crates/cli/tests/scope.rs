//! How much of a recording came folded, and recordings of the program's own code alone.

use crate::reported;
use crate::support;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use kernels::Level;
use reported::{recorded, report};
use serde_json::Value;
use support::Place;

/// Accesses of the program's own code, and the share of them recorded as folded loops.
fn folded(report: &Value) -> (u64, f64) {
    let figure = |name: &str| report["trust"][name].as_u64().unwrap();
    let all = figure("main_accesses");
    (all, figure("main_accesses_folded") as f64 / all as f64)
}

const SWEEP: &str = "#include <stdio.h>\n\
    static double a[400][400];\n\
    __attribute__((noinline)) static void sweep(int n) {\n\
      for (int i = 0; i < n; i++)\n\
        for (int j = 0; j < n; j++) a[i][j] = a[i][j] * 0.5 + 1;\n\
    }\n\
    int main(void) { sweep(400); printf(\"%g\\n\", a[3][4]); return 0; }\n";

const CHASE: &str = "#include <stdio.h>\n\
    static int next[1 << 12];\n\
    __attribute__((noinline)) static int chase(int n) {\n\
      int at = 0;\n\
      for (int i = 0; i < n; i++) at = next[at];\n\
      return at;\n\
    }\n\
    int main(void) {\n\
      for (int i = 0; i < 1 << 12; i++) next[i] = (i * 5 + 1) & 4095;\n\
      printf(\"%d\\n\", chase(400000)); return 0; }\n";

#[test]
fn the_share_of_folded_accesses_is_counted() {
    let place = Place::new();
    let sweep = place.compile("sweep", SWEEP, &["-O2", "-fno-tree-vectorize", "-g"]);
    let (all, share) = folded(&report(&place, &sweep, &[]));
    // A load and a store per element, and what stands around the loops.
    assert!((320_000..321_000).contains(&all) && share > 0.95, "{share} of {all}");
    let chase = place.compile("chase", CHASE, &["-O2", "-g"]);
    let (all, share) = folded(&report(&place, &chase, &[]));
    assert!((400_000..410_000).contains(&all) && share < 0.02, "{share} of {all}");
}

/// Iterations that are counted instead of applied count as what they are.
#[test]
fn repeated_iterations_are_in_the_share() {
    let place = Place::new();
    let source = SWEEP.replace("sweep(400);", "for (int t = 0; t < 50; t++) sweep(100);");
    let program = place.compile("sweeps", &source, &["-O2", "-fno-tree-vectorize", "-g"]);
    let (all, share) = folded(&report(&place, &program, &[]));
    assert!((1_000_000..1_020_000).contains(&all) && share > 0.95, "{share} of {all}");
}

/// Verdicts of the loops of the program itself, by function and line, each once.
fn verdicts(report: &Value) -> BTreeMap<(String, u64), Vec<String>> {
    let mut all: BTreeMap<(String, u64), Vec<String>> = BTreeMap::new();
    for found in report["loops"].as_array().unwrap().iter().filter(|l| l["main"] == true) {
        let place = (found["function"].as_str().unwrap().to_owned(), found["line"].as_u64().unwrap());
        all.entry(place).or_default().push(found["parallel"].as_str().unwrap().to_owned());
    }
    all.values_mut().for_each(|verdicts| {
        verdicts.sort();
        verdicts.dedup();
    });
    all
}

/// Loops that call nothing outside are judged as in a recording of everything; the others not at all. Every other kernel, and
/// those with such loops; all kernels with `LOOPWRIGHT_THOROUGH`.
#[test]
fn verdicts_of_the_programs_own_code_are_the_same_alone() {
    // In leaf_calls memset does a part of the loop.
    let callers = [
        "callbacks",
        "exceptions",
        "leaf_calls",
        "perceptron",
        "polynomial",
        "smooth",
        "tree_search",
        "unwinding",
    ];
    // Loops that have no verdict, as they call libraries: their number at -O2.
    let mut open: BTreeMap<String, usize> = BTreeMap::new();
    let all = kernels::load().unwrap().into_iter().enumerate();
    let is_asked = |(at, kernel): &(usize, kernels::Kernel)| {
        at % 4 == 0 || callers.contains(&kernel.name()) || kernels::is_thorough()
    };
    for (_, kernel) in all.filter(is_asked) {
        let place = Place::new();
        let program = kernels::compile(&kernel, Level::O2, place.directory()).unwrap().path;
        let [whole, alone] = [&[][..], &["--scope", "main"]].map(|options| report(&place, &program, options));
        assert_eq!(whole["trust"]["scope"], "all");
        assert_eq!(alone["trust"]["scope"], "main");
        assert_eq!(whole["trust"]["main_accesses"], alone["trust"]["main_accesses"], "{}", kernel.name());
        let (whole, alone) = (verdicts(&whole), verdicts(&alone));
        assert!(whole.keys().eq(alone.keys()), "{}: {whole:?} {alone:?}", kernel.name());
        for (place, found) in &alone {
            let known: Vec<&String> = found.iter().filter(|v| *v != "unknown").collect();
            assert!(known.iter().all(|v| whole[place].contains(v)), "{} {place:?}", kernel.name());
            if known.len() < found.len() {
                *open.entry(kernel.name().to_owned()).or_default() += 1;
            } else {
                assert_eq!(found, &whole[place], "{} {place:?}", kernel.name());
            }
        }
    }
    let kernels: Vec<&str> = open.keys().map(String::as_str).collect();
    assert_eq!(kernels, callers, "{open:?}");
}

/// The output of a program alone and under `profile --scope main`, and the report.
fn alone(place: &Place, program: &Path) -> Value {
    let native = Command::new(program).output().unwrap();
    let (done, report) = recorded(place, program, &["--scope", "main"]);
    assert_eq!((&done.stdout, done.status), (&native.stdout, native.status), "{done:?}");
    report
}

const SORTS: &str = "#include <stdio.h>\n#include <stdlib.h>\n\
    static int log_[256]; static unsigned calls;\n\
    static int order(const void *a, const void *b) {\n\
      int x = *(const int *)a, y = *(const int *)b;\n\
      for (int k = 0; k < 4; k++) log_[(calls + k) % 256] = x;\n\
      calls++; return (x > y) - (x < y); }\n\
    __attribute__((noinline)) static void scale(int *v, int n) {\n\
      for (int i = 0; i < n; i++) v[i] = v[i] * 3 + 1; }\n\
    int main(void) {\n\
      int n = 300, *v = malloc(n * sizeof *v);\n\
      for (int t = 0; t < 5; t++) {\n\
        for (int i = 0; i < n; i++) v[i] = (i * 7919 + t) % n;\n\
        qsort(v, n, sizeof *v, order);\n\
        scale(v, n);\n\
      }\n\
      printf(\"%d %u %d\\n\", v[3], calls, log_[9]); free(v); return 0; }\n";

/// A library function that calls back: what it does itself is said to be missing, and no loop around it is judged.
#[test]
fn callbacks_from_libraries_are_recorded() {
    for flags in [&["-O1", "-g"][..], &["-O1", "-g", "-fno-plt"], &["-O0", "-g", "-Wl,-z,now"]] {
        let place = Place::new();
        let report = alone(&place, &place.compile("sorts", SORTS, flags));
        let untracked = report["trust"]["untracked"][0].as_str().unwrap();
        assert!(untracked.starts_with("call of library code, left out by --scope main"), "{untracked}");
        let found = verdicts(&report);
        assert_eq!(found[&("main".to_owned(), 12)], ["unknown"], "{flags:?}");
        assert_eq!(found[&("main".to_owned(), 13)], ["yes"]);
        assert_eq!(found[&("scale".to_owned(), 9)], ["yes"]);
        assert_eq!(found[&("order".to_owned(), 6)], ["yes"], "{flags:?}");
        let loops = report["loops"].as_array().unwrap();
        assert!(loops.iter().all(|l| l["recursive"] == false && l["main"] == true));
        let order: u64 =
            loops.iter().filter(|l| l["function"] == "order").map(|l| l["entries"].as_u64().unwrap()).sum();
        assert!(order > 5 * 1_000, "{order}");
    }
}

const INTERRUPTED: &str = "#include <setjmp.h>\n#include <signal.h>\n#include <stdio.h>\n#include <stdlib.h>\n\
    #include <string.h>\n#include <sys/time.h>\n\
    static volatile int ticks; static double a[1000]; static char text[1 << 16]; static jmp_buf back;\n\
    static void tick(int s) { (void)s; for (int k = 0; k < 10; k++) ticks++; }\n\
    static int order(const void *p, const void *q) {\n\
      if (*(const int *)p == 77) longjmp(back, 1);\n\
      return *(const int *)p - *(const int *)q; }\n\
    __attribute__((noinline)) static void fill(int n) { for (int i = 0; i < n; i++) a[i] = a[i] * 0.5 + i; }\n\
    int main(void) {\n\
      signal(SIGALRM, tick);\n\
      struct itimerval every = {{0, 2000}, {0, 2000}}; setitimer(ITIMER_REAL, &every, 0);\n\
      size_t length = 0; int jumps = 0;\n\
      for (int t = 0; t < 300 || ticks < 200; t++) {\n\
        memset(text, 'a' + t % 26, sizeof text - 1); length = strlen(text); fill(1000);\n\
        int v[40]; for (int i = 0; i < 40; i++) v[i] = 100 - i;\n\
        if (setjmp(back)) jumps = 1; else qsort(v, 40, sizeof *v, order);\n\
      }\n\
      printf(\"%zu %d %.3f\\n\", length, jumps, a[3]); return 0; }\n";

/// Signals wherever the program is, and jumps out of a library.
#[test]
fn signals_and_long_jumps_across_libraries() {
    for flags in [&["-O1", "-g"][..], &["-O2", "-g", "-fno-plt"]] {
        let place = Place::new();
        let report = alone(&place, &place.compile("interrupted", INTERRUPTED, flags));
        let found = verdicts(&report);
        // A handler returns through the C library: unrecorded code inside the loop that the signal met.
        let fill = &found[&("fill".to_owned(), 12)];
        assert!(fill.iter().all(|verdict| verdict == "yes" || verdict == "unknown"), "{flags:?}: {fill:?}");
        assert_eq!(found[&("main".to_owned(), 17)], ["unknown"], "{flags:?}");
    }
}

const AGAIN: &str = "#include <signal.h>\n#include <stdio.h>\n\
    static volatile int ticks; static double a[100];\n\
    static void tick(int s) { for (int k = 0; k < 10; k++) ticks += s; }\n\
    static void tock(int s) { for (int k = 0; k < 20; k++) ticks += s; }\n\
    static void toll(int s) { for (int k = 0; k < 30; k++) ticks += s; }\n\
    __attribute__((noinline)) static void fill(int n) { for (int i = 0; i < n; i++) a[i] = a[i] * 0.5 + i; }\n\
    int main(void) {\n\
      signal(SIGUSR1, tick); signal(SIGUSR2, tock); signal(SIGALRM, toll);\n\
      sigset_t all, none; sigfillset(&all); sigemptyset(&none);\n\
      for (int t = 0; t < 50; t++) {\n\
        sigprocmask(SIG_SETMASK, &all, 0); raise(SIGUSR1); raise(SIGUSR2); raise(SIGALRM);\n\
        sigprocmask(SIG_SETMASK, &none, 0);\n\
        fill(100);\n\
      }\n\
      printf(\"%d %.3f\\n\", ticks, a[3]); return 0; }\n";

/// Regression: a signal that comes as soon as the handler of another has returned interrupts what that one did.
#[test]
fn signals_one_after_another() {
    for (flags, options) in [(["-O1", "-g"], &[][..]), (["-O2", "-g"], &["--scope", "main"][..])] {
        let place = Place::new();
        let report = report(&place, &place.compile("again", AGAIN, &flags), options);
        let loops = report["loops"].as_array().unwrap();
        let at = |line: u64| -> Vec<&Value> { loops.iter().filter(|l| l["line"] == line).collect() };
        let outer = &at(11)[0]["id"];
        for (line, parent, verdict) in [
            (11, &Value::Null, None),
            (7, outer, Some("yes")),
            (4, outer, None),
            (5, outer, None),
            (6, outer, None),
        ] {
            let found = at(line);
            assert_eq!(found.len(), 1, "{options:?} {line}: {loops:#?}");
            assert_eq!(&found[0]["parent"], parent, "{options:?} {line}");
            assert_eq!(found[0]["recursive"], false, "{options:?} {line}");
            // What libraries call has a loop of its own from the second call on.
            let entries = if line == 11 { 1..=1 } else { 49..=50 };
            assert!(entries.contains(&found[0]["entries"].as_u64().unwrap()), "{options:?} {line}");
            assert!(verdict.is_none_or(|verdict| found[0]["parallel"] == verdict), "{options:?} {line}");
        }
    }
}
