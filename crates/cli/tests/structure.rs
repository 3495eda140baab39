//! Control structure of real programs: what enters and leaves loops other than by their own jumps.

use crate::support;

use std::path::Path;
use std::process::Command;

use kernels::Level;
use serde_json::Value;
use support::Place;

/// The loops of a program's report; `options` are those of `profile`.
fn loops(place: &Place, program: &Path, options: &[&str]) -> Vec<Value> {
    let profile = place.path("program.lwp");
    let mut command = place.loopwright();
    command.args(["profile", "--quiet", "-o"]).arg(&profile).args(options).arg("--").arg(program);
    let done = command.output().unwrap();
    assert!(done.status.success() && done.stderr.is_empty(), "{done:?}");
    let report = place.loopwright().arg("report").arg(&profile).args(["--format", "json"]).output().unwrap();
    let report: Value = serde_json::from_slice(&report.stdout).unwrap();
    report["loops"].as_array().unwrap().clone()
}

fn kernel(place: &Place, name: &str, level: Level) -> std::path::PathBuf {
    let kernel = kernels::load().unwrap().into_iter().find(|k| k.name() == name).unwrap();
    kernels::compile(&kernel, level, place.directory()).unwrap().path
}

/// Verdicts of the loops of a function, by line.
fn verdicts(loops: &[Value], function: &str) -> Vec<(u64, String)> {
    let of = |l: &&Value| l["function"] == function;
    let mut out: Vec<_> = loops
        .iter()
        .filter(of)
        .map(|l| (l["line"].as_u64().unwrap(), l["parallel"].as_str().unwrap().to_owned()))
        .collect();
    out.sort();
    out.dedup();
    out
}

/// The second call of a function reads what the first one wrote: no iteration of the loops inside does. Two entries of
/// the function that is recorded alone had equal vectors.
#[test]
fn regression_3_entries_of_the_recorded_function_are_apart() {
    for level in Level::ALL {
        let place = Place::new();
        let program = kernel(&place, "perceptron", level);
        let whole = verdicts(&loops(&place, &program, &[]), "layer");
        let alone = verdicts(&loops(&place, &program, &["--function", "layer"]), "layer");
        assert_eq!(whole.len(), 2);
        assert_eq!(whole, alone, "{level}");
    }
}

/// An exception caught in a loop's body continues the loop: iterations after the first exception were outside of it.
#[test]
fn regression_4_exceptions_caught_in_a_loop_do_not_end_it() {
    for level in Level::ALL {
        let place = Place::new();
        let program = kernel(&place, "exceptions", level);
        let all = loops(&place, &program, &[]);
        let rows: u64 =
            all.iter().filter(|l| l["function"] == "sums").map(|l| l["iterations"].as_u64().unwrap()).sum();
        assert!((28..=34).contains(&rows), "{level}: {rows} of 30 iterations");
    }
}

/// Ways through a loop's body that add different values, or one only sometimes, make no induction variable.
#[test]
fn regression_5_ways_that_do_not_add_the_same_register() {
    const SOURCE: &str = "#include <stdio.h>\n\
        __attribute__((noipa)) static long other(int n, const int *in, long *out, long a, long b) {\n\
          long k = 0;\n\
          for (int i = 0; i < n; i++) {\n\
            if (in[i] & 1) { out[2 * i] = k; __asm__ volatile(\"add %1, %0\" : \"+r\"(k) : \"r\"(a)); }\n\
            else { out[2 * i + 1] = k; __asm__ volatile(\"add %1, %0\" : \"+r\"(k) : \"r\"(b)); }\n\
          }\n\
          return k; }\n\
        __attribute__((noipa)) static long some(int n, const int *in, long *out, long a) {\n\
          long k = 0;\n\
          for (int i = 0; i < n; i++) {\n\
            out[i] = k;\n\
            if (in[i] & 1) __asm__ volatile(\"add %1, %0\" : \"+r\"(k) : \"r\"(a));\n\
          }\n\
          return k; }\n\
        int main(void) { static int in[200]; static long out[400];\n\
          for (int i = 0; i < 200; i++) in[i] = i * 7 % 11;\n\
          printf(\"%ld %ld\\n\", other(200, in, out, 3, 5), some(200, in, out, 9)); return 0; }\n";
    for flags in [["-O2", "-g"], ["-O1", "-g"]] {
        let place = Place::new();
        let program = place.compile("ways", SOURCE, &flags);
        let native = Command::new(&program).output().unwrap();
        assert!(native.status.success());
        let all = loops(&place, &program, &[]);
        for function in ["other", "some"] {
            let found = verdicts(&all, function);
            assert!(!found.is_empty() && found.iter().all(|v| v.1 != "yes"), "{function}: {found:?}");
        }
    }
}

/// The analysis ends at its limit of time and says so; the program runs on.
#[test]
fn the_analysis_ends_at_its_time_limit() {
    let place = Place::new();
    let program = kernel(&place, "jacobi", Level::O2);
    let profile = place.path("p.lwp");
    let mut command = place.loopwright();
    command.args(["profile", "--time-limit", "0.001", "-o"]).arg(&profile).arg("--").arg(&program);
    let done = command.output().unwrap();
    assert!(done.status.success(), "{done:?}");
    assert_eq!(done.stdout, Command::new(&program).output().unwrap().stdout);
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(said.contains("truncated: analysis ended at --time-limit"), "{said}");
}

/// A freed block is looked into by the allocator: what the loop left there counted as read after it, so that a buffer that
/// every iteration fills anew could not be private.
#[test]
fn regression_6_what_an_allocator_reads_of_a_freed_block() {
    const SOURCE: &str = "#include <stdio.h>\n#include <stdlib.h>\n\
        __attribute__((noinline)) static void rows(int n, double *row, double (*out)[8]) {\n\
          for (int i = 0; i < n; i++) {\n\
            for (int j = 0; j < 8; j++) row[j] = i * 0.5 + j;\n\
            for (int j = 0; j < 8; j++) out[i][j] = row[7 - j];\n\
          } }\n\
        int main(void) { static double out[50][8]; double *row = malloc(8 * sizeof *row);\n\
          rows(50, row, out); printf(\"%g\\n\", out[4][3]); free(row); return 0; }\n";
    let place = Place::new();
    let program = place.compile("rows", SOURCE, &["-O1", "-g"]);
    let found = verdicts(&loops(&place, &program, &[]), "rows");
    assert!(found.contains(&(4, "after-privatisation".to_owned())), "{found:?}");
}

/// Values that change places from iteration to iteration are no induction variables: which one an iteration finds depends
/// on how many came before. Moves alone, and moves with an addition, were taken for one. Beside them, what only looks like
/// it: a value that is kept twice (in memory at -O0, where the next iteration reads what this one stored), and two counters.
#[test]
fn regression_7_values_that_change_places() {
    const SOURCE: &str = "#include <stdio.h>\n\
        #define LOOP __attribute__((noinline)) static void\n\
        static double x[400];\n\
        static long y[400];\n\
        LOOP swap_floats(double a, double b, int n) {\n\
          for (int t = 0; t < n; t++) { x[t] = a; double c = a; a = b; b = c; } }\n\
        LOOP swap_integers(long a, long b, int n) {\n\
          for (int t = 0; t < n; t++) { y[t] = a; long c = a; a = b; b = c; } }\n\
        LOOP count_in_turns(long a, long b, int n) {\n\
          for (int t = 0; t < n; t++) { y[t] = a; long c = a + 3; a = b; b = c; } }\n\
        LOOP exchange(long a, long b, int n) {\n\
          for (int t = 0; t < n; t++) { y[t] = a; __asm__ volatile(\"xchg %0, %1\" : \"+r\"(a), \"+r\"(b)); } }\n\
        LOOP kept_twice(long a, int n) {\n\
          long last = a;\n\
          for (int t = 0; t < n; t++) { y[t] = a + last; last = a; a += 5; } }\n\
        LOOP two_counters(long a, long b, int n) {\n\
          for (int t = 0; t < n; t++) { y[t] = a ^ b; a += 3; b += 4; } }\n\
        int main(int argc, char **argv) {\n\
          swap_floats(argc, 2, 300); swap_integers(argc, 3, 300); count_in_turns(argc, 4, 300);\n\
          exchange(argc, 5, 300); kept_twice(argc, 300); two_counters(argc, 6, 300);\n\
          printf(\"%f %ld\\n\", x[7], y[8]); return 0; }\n";
    let place = Place::new();
    for level in ["-O0", "-O1", "-O2", "-O3"] {
        let program = place.compile("places", SOURCE, &[level, "-g", "-fno-unroll-loops"]);
        let all = loops(&place, &program, &[]);
        for (function, expected) in [
            ("swap_floats", "no"),
            ("swap_integers", "no"),
            ("count_in_turns", "no"),
            ("exchange", "no"),
            ("kept_twice", "no"),
            // By their source they are variables that have to be written anew.
            ("two_counters", "no"),
        ] {
            let found = verdicts(&all, function);
            assert!(
                !found.is_empty() && found.iter().all(|v| v.1 == expected),
                "{level} {function}: {found:?}"
            );
        }
    }
}

/// A caller's local variables that debug information does not name lie in its frame like spills; what a loop leaves in them
/// was taken for spilled registers, and the loop for parallel. Beside it, a row that every iteration fills anew, the caller's too:
/// threads need one each.
#[test]
fn regression_8_variables_of_callers_without_names() {
    const SOURCE: &str = "#include <stdio.h>\n\
        #define LOOP __attribute__((noinline)) static void\n\
        static int out[810];\n\
        LOOP remainders(int n, int *a) {\n\
          for (int i = 0; i < n; i++) a[i % 37] = i; }\n\
        LOOP latest(int n, const int *key, int *place) {\n\
          for (int i = 0; i < n; i++) if (key[i] & 1) place[0] = i; }\n\
        LOOP rows(int n, int *row, int *out) {\n\
          for (int i = 0; i < n; i++) {\n\
            for (int j = 0; j < 9; j++) row[j] = i ^ j;\n\
            for (int j = 0; j < 9; j++) out[9 * i + j] = row[8 - j]; } }\n\
        int main(void) { int a[37] = {0}, place[2] = {0}, key[90], row[9]; long sum = 0;\n\
          for (int i = 0; i < 90; i++) key[i] = i * i % 7;\n\
          remainders(90, a); latest(90, key, place); rows(90, row, out);\n\
          for (int i = 0; i < 37; i++) sum += a[i] * i;\n\
          printf(\"%ld %d %d\\n\", sum, place[0], out[100]); return 0; }\n";
    let place = Place::new();
    for level in ["-O1", "-O2"] {
        let program = place.compile("callers", SOURCE, &[level, "-g1", "-fno-tree-vectorize"]);
        let all = loops(&place, &program, &[]);
        for (function, line, expected) in
            [("remainders", 5, "no"), ("latest", 7, "no"), ("rows", 9, "after-privatisation")]
        {
            let found = verdicts(&all, function);
            assert!(found.contains(&(line, expected.to_owned())), "{level} {function}: {found:?}");
        }
    }
}

/// What is left out where a loop has too many reads before its writes is said, and no change of order is proposed for it.
#[test]
fn loops_with_more_reads_than_can_be_listed() {
    const READS: usize = 4200;
    let source = format!(
        "#include <stdio.h>\nint main(void) {{ static volatile int a[4]; int sum = 0;\n\
         for (int i = 0; i < 20; i++) {{\n {} a[0] = sum; }}\n\
         printf(\"%d\\n\", sum + a[1]); return 0; }}\n",
        "sum ^= a[0];\n".repeat(READS)
    );
    let place = Place::new();
    let program = place.compile("many", &source, &["-O0", "-g"]);
    let profile = place.path("many.lwp");
    let mut command = place.loopwright();
    let done = command.args(["profile", "-o"]).arg(&profile).arg("--").arg(&program).output().unwrap();
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(said.contains("too many reads before writes to list them all in 1 loop (many.c:3)"), "{said}");
    let mut command = place.loopwright();
    let report =
        command.args(["report", "--schedule", "--region", "many.c:3"]).arg(&profile).output().unwrap();
    let said = String::from_utf8_lossy(&report.stdout).into_owned();
    assert!(said.contains("it has too many reads before writes to list them all"), "{said}");
}

/// A straight body that is so long that it is recorded in pieces: seen for the first time, the second piece was outside of the
/// loops, so that each was entered once too often and an iteration was lost.
#[test]
fn regression_9_bodies_recorded_in_pieces() {
    let terms: Vec<String> = (0..24).map(|k| format!("a[i * 10 + j + {}] * {k}", k % 3 - 1)).collect();
    let source = format!(
        "static void half(double *a, double *b) {{
             for (int i = 1; i < 9; i++)
                 for (int j = 1; j < 9; j++)
                     b[i * 10 + j] = {};
         }}
         static double a[100], b[100];
         int main(void) {{ half(a, b); half(a, b); return 0; }}",
        terms.join(" + ")
    );
    let place = Place::new();
    let program = place.compile("pieces", &source, &["-g", "-O0"]);
    for options in [[].as_slice(), &["--two-pass"]] {
        let loops = loops(&place, &program, options);
        let count = |l: &Value| (l["line"].as_u64(), l["entries"].as_u64(), l["iterations"].as_u64());
        let mut of_half: Vec<_> = loops.iter().filter(|l| l["function"] == "half").map(count).collect();
        of_half.sort();
        let expected = [(2, 1, 8), (2, 1, 8), (3, 8, 64), (3, 8, 64)];
        assert_eq!(of_half, expected.map(|(line, entries, count)| (Some(line), Some(entries), Some(count))));
    }
}

/// What stands behind a call that never returns is the next function: it was translated before its own blocks were known, and the first
/// iteration of its loops was taken for code in front of them.
#[test]
fn regression_10_functions_behind_calls_that_never_return() {
    const SOURCE: &str = "#include <stdio.h>
#include <stdlib.h>
__attribute__((noipa)) static int stop(int n) { if (n > 1000) abort(); return 2 * n; }
__attribute__((noipa)) static double sums(int rows, const int *lengths, const double *from) {
    double s = 0;
    for (int r = 0; r < rows; r++)
        for (int k = 64 * r, c = 0; c < lengths[r]; c++, k++)
            s += from[k];
    return s;
}
int main(void) { static int lengths[8]; static double from[512];
    for (int r = 0; r < 8; r++) lengths[r] = 32;
    stop(2); printf(\"%g\\n\", sums(8, lengths, from)); return 0; }
";
    for level in ["-O1", "-O2"] {
        let place = Place::new();
        let program = place.compile("behind", SOURCE, &[level, "-g"]);
        let all = loops(&place, &program, &[]);
        let counts = |line: u64| -> Vec<(u64, u64)> {
            let own = all.iter().filter(|l| l["function"] == "sums" && l["line"] == line);
            own.map(|l| (l["entries"].as_u64().unwrap(), l["iterations"].as_u64().unwrap())).collect()
        };
        assert_eq!((counts(6), counts(7)), (vec![(1, 8)], vec![(8, 256)]), "{level}: {all:#?}");
    }
}

/// Of the outer loop's header nothing is left: it jumps to that of the inner one. They were one loop of 50 iterations.
#[test]
fn regression_11_loops_that_share_a_header() {
    const SOURCE: &str = "long a[64];
void nest(long *);
__asm__(\".text\\n.globl nest\\n.type nest, @function\\nnest: xor %esi, %esi\\n xor %edx, %edx\\n\"
    \"1: imul $10, %esi, %eax\\n add %edx, %eax\\n cltq\\n addq $1, (%rdi,%rax,8)\\n\"
    \" add $1, %edx\\n cmp $10, %edx\\n jne 1b\\n\"
    \" add $1, %esi\\n xor %edx, %edx\\n cmp $5, %esi\\n jne 1b\\n ret\\n.size nest, .-nest\\n\");
int main(void) { nest(a); return a[49] != 1; }
";
    let place = Place::new();
    let program = place.compile("nest", SOURCE, &["-O1", "-g"]);
    for options in [[].as_slice(), &["--two-pass"]] {
        let all = loops(&place, &program, options);
        let mut counts: Vec<_> = all
            .iter()
            .filter(|l| l["function"].as_str().unwrap().starts_with("nest"))
            .map(|l| (l["entries"].as_u64(), l["iterations"].as_u64(), l["parallel"].as_str()))
            .collect();
        counts.sort();
        assert_eq!(counts, [(Some(1), Some(5), Some("yes")), (Some(5), Some(50), Some("yes"))], "{all:#?}");
    }
}
