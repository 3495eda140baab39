//! `--single-thread`: loops of a program that OpenMP runs in parallel. `--pid`: loops of a process that runs already. `--follow`: those of processes that a program starts.

use crate::support;

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::Value;
use support::Place;

const PROGRAM: &str = "#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
enum { N = 120 };
static double a[N][N], b[N][N], c[N][N];
__attribute__((noinline)) static void multiply(void)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double s = 0;
            for (int k = 0; k < N; k++)
                s += a[i][k] * b[k][j];
            c[i][j] = s;
        }
}
int main(int argc, char **argv)
{
    double sum = 0;
    for (int i = 0; i < N; i++) {
        a[i][i % 7] = i;
        b[i % 7][i] = i;
    }
    puts(\"ready\");
    fflush(stdout);
    for (int r = 0; r < atoi(argv[1]); r++) {
        multiply();
        usleep(3000);
        for (int i = 0; i < N; i++)
            sum += c[i][i] * r;
    }
    printf(\"%g\\n\", sum);
    return 3;
}
";

/// A process that this one does not wait for, and which runs by now. The shell says how it ended.
fn start(program: &Path, rounds: u32) -> (Child, BufReader<std::process::ChildStdout>, String) {
    let line = format!("{} {rounds} & echo $!; wait $!; echo \"<$?>\"", program.display());
    let mut shell = Command::new("sh").args(["-c", &line]).stdout(Stdio::piped()).spawn().unwrap();
    let mut output = BufReader::new(shell.stdout.take().unwrap());
    let mut pid = String::new();
    // Either may come first.
    for _ in 0..2 {
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        if line.trim() != "ready" {
            pid = line.trim().to_owned();
        }
    }
    (shell, output, pid)
}

fn rest((mut shell, mut output, _): (Child, BufReader<std::process::ChildStdout>, String)) -> String {
    let mut text = String::new();
    std::io::Read::read_to_string(&mut output, &mut text).unwrap();
    shell.wait().unwrap();
    text
}

#[test]
fn loops_of_a_process() {
    let place = Place::new();
    let program = place.compile("busy", PROGRAM, &["-O1", "-g"]);
    let expected = rest(start(&program, 300));
    for scope in ["all", "main"] {
        let running = start(&program, 300);
        let path = place.path("process.lwp");
        let mut profile = place.loopwright();
        profile.args(["profile", "--format", "json", "--duration", "0.7", "--scope", scope, "-o"]);
        let output = profile.arg(&path).args(["--pid", &running.2]).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(rest(running), expected, "{scope}");
        let report: Value = serde_json::from_slice(&output.stderr).unwrap();
        let known = |line: u64| {
            let all = report["loops"].as_array().unwrap();
            let most = |l: &&Value| l["iterations"].as_u64();
            all.iter()
                .filter(|l| l["line"].as_u64() == Some(line))
                .max_by_key(most)
                .unwrap_or_else(|| panic!("{line}: {all:#?}"))
        };
        // Whole entries of inner loops, and the outer one from somewhere on.
        let (inner, rows, rounds) = (known(11), known(8), known(25));
        // What was under way at either end of the recording is not judged.
        for (own, verdict) in [(inner, "reduction"), (rows, "yes")] {
            let is_cut = own["reason"].as_str().is_some_and(|reason| reason.contains("under way"));
            assert_eq!(own["parallel"], if is_cut { "unknown" } else { verdict }, "{own:#}");
        }
        assert!(inner["iterations"].as_u64() > rows["iterations"].as_u64(), "{inner:#}");
        assert_eq!(
            rounds["trip_count"]["mean"].as_f64().map(|mean| mean > 2.0 && mean < 300.0),
            Some(true),
            "{rounds:#}"
        );
        assert_eq!(report["program"]["exit_status"], Value::Null);
        let argv = report["program"]["argv"].as_array().unwrap();
        assert_eq!(argv[0], program.to_str().unwrap());
        let said = |list: &str, text: &str| {
            report["trust"][list].as_array().unwrap().iter().any(|line| line.as_str().unwrap().contains(text))
        };
        assert!(said("truncated", "recording ended at --duration"), "{}", report["trust"]);
        assert!(
            said("untracked", "what runs outside of the time of recording (--pid, --skip)"),
            "{}",
            report["trust"]
        );
    }
}

/// A loop that is under way when recording begins is not judged, wherever in its body that is.
#[test]
fn loops_that_began_before() {
    let place = Place::new();
    // It ends by the clock, however slow it is.
    let text = "#include <signal.h>
#include <sys/time.h>
static int a[2000], n = 2000;
static volatile int over;
static void end(int signal) { over = signal; }
int main(void) {
    struct itimerval in = {{0, 0}, {0, 200000}};
    signal(SIGALRM, end);
    setitimer(ITIMER_REAL, &in, 0);
    for (long i = 1; !over; i++)
        a[i % n] = i % n < n / 10 ? a[i % 7] + 1 : i % 7;
    return a[3] & 1;
}
";
    place.compile("began", text, &["-O0", "-g"]);
    for skip in ["0.03", "0.05", "0.06", "0.07", "0.08", "0.09"] {
        let mut profile = place.loopwright();
        profile.args(["profile", "--force", "--format", "json", "--skip", skip]);
        let output = profile.args(["--", "./began"]).output().unwrap();
        let report: Value = serde_json::from_slice(&output.stderr)
            .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)));
        let lines: Vec<(u64, &str)> = report["loops"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|l| l["main"] == true)
            .filter_map(|l| Some((l["line"].as_u64()?, l["parallel"].as_str()?)))
            .collect();
        assert!(!lines.is_empty() && lines.iter().all(|own| own.1 == "unknown"), "{skip}: {lines:?}");
    }
}

/// What a program does first may be left out: it is judged by what it does later, and ends as it does alone.
#[test]
fn loops_of_a_later_part() {
    let place = Place::new();
    let text = PROGRAM.replace(
        "    puts(\"ready\");",
        "    volatile double waste = 0;\n    for (long n = 0; n < 400; n++) { waste += n; usleep(1000); }\n    puts(\"ready\");",
    );
    let program = place.compile("late", &text, &["-O1", "-g"]);
    let expected = Command::new(&program).arg("200").output().unwrap().stdout;
    let path = place.path("late.lwp");
    let mut profile = place.loopwright();
    profile.args(["profile", "--format", "json", "--skip", "0.9", "--duration", "0.5", "-o"]);
    let output = profile.arg(&path).arg("--").arg(&program).arg("200").output().unwrap();
    // Its end is waited for, and its exit code is this one's.
    assert_eq!(output.status.code(), Some(3), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.stdout, expected);
    let report: Value = serde_json::from_slice(&output.stderr).unwrap();
    assert_eq!(report["program"]["exit_status"], 3);
    let all = report["loops"].as_array().unwrap();
    let of = |line: u64| all.iter().filter(move |l| l["line"].as_u64() == Some(line));
    // The loop in which it wastes time was over; the rows are judged but where they were under way at either end.
    let waste = text.lines().position(|line| line.contains("waste += n")).unwrap() as u64 + 1;
    assert_eq!(of(waste).count(), 0, "{report:#}");
    let rows = of(8).max_by_key(|l| l["iterations"].as_u64()).unwrap();
    let is_cut = rows["reason"].as_str().is_some_and(|reason| reason.contains("under way"));
    assert_eq!(rows["parallel"], if is_cut { "unknown" } else { "yes" }, "{rows:#}");
    // A loop that was under way is not.
    assert!(of(26).all(|l| l["parallel"] == "unknown"), "{report:#}");
    let left_out = report["trust"]["untracked"].as_array().unwrap();
    assert!(left_out.iter().any(|line| line.as_str().unwrap().contains("--skip")), "{}", report["trust"]);
}

#[test]
fn programs_that_end_before_they_are_recorded() {
    let place = Place::new();
    let mut profile = place.loopwright();
    let output = profile.args(["profile", "--skip", "20", "--", "true"]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(125) && said.contains("true ended in the first 20 s"), "{said}");
    assert_eq!(std::fs::read_dir(place.directory()).unwrap().count(), 0);
}

#[test]
fn addresses_of_a_process() {
    let place = Place::new();
    let program = place.compile("busy", PROGRAM, &["-O1", "-g"]);
    let running = start(&program, 200);
    let path = place.path("process.lwt");
    let mut trace = place.loopwright();
    trace.args(["trace", "--max-instructions", "200000", "--pid", &running.2, "-o"]).arg(&path);
    let output = trace.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("recording ended before the program did"), "{said}");
    assert!(rest(running).ends_with("<3>\n"));
    let found = place.loopwright().arg("reconstruct").arg(&path).output().unwrap();
    assert!(found.status.success() && !found.stdout.is_empty());
}

#[test]
fn processes_that_are_not_there() {
    let place = Place::new();
    let fails = |arguments: &[&str], code: i32, text: &str| {
        let output = place.loopwright().args(arguments).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(code) && said.contains(text), "{arguments:?}: {said}");
    };
    fails(
        &["profile", "--pid", "2147483647"],
        125,
        "process 2147483647 cannot be attached to: there is no such process",
    );
    fails(&["profile", "--pid", "0"], 125, "invalid value '0'");
    fails(&["profile", "--pid", "7", "--", "true"], 125, "cannot be used with");
    fails(&["profile", "--pid", "7", "--two-pass"], 125, "cannot be used with");
    fails(&["profile", "--pid", "7", "--skip", "1"], 125, "cannot be used with");
    fails(&["profile", "--skip", "0", "--", "true"], 125, "nothing can be done in no time");
    fails(&["profile"], 125, "PROGRAM");
    assert_eq!(std::fs::read_dir(place.directory()).unwrap().count(), 0);
}

#[test]
fn loops_of_children() {
    let place = Place::new();
    let program = place.compile("busy", PROGRAM, &["-O1", "-g"]);
    let line = format!("{0} 2; (cd / && {0} 3) & wait; exit 7", program.display());
    let path = place.path("shell.lwp");
    let mut profile = place.loopwright();
    let output = profile
        .args(["profile", "--follow", "-o"])
        .arg(&path)
        .args(["--", "sh", "-c", &line])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(7));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("child process, recorded apart"), "{said}");
    let mut rounds = Vec::new();
    for entry in std::fs::read_dir(place.directory()).unwrap() {
        let child = entry.unwrap().path();
        let name = child.file_name().unwrap().to_string_lossy().into_owned();
        let Some(pid) = name.strip_prefix("shell.busy.").and_then(|rest| rest.strip_suffix(".lwp")) else {
            continue;
        };
        assert!(said.contains(&format!("process {pid}, {}", program.display())), "{said}");
        let report = place.loopwright().args(["report", "--format", "json"]).arg(&child).output().unwrap();
        let report: Value = serde_json::from_slice(&report.stdout).unwrap();
        assert_eq!(report["program"]["exit_status"], 3);
        let inner = report["loops"].as_array().unwrap().iter().find(|l| l["line"] == 11).unwrap();
        assert_eq!(inner["parallel"], "reduction", "{inner:#}");
        rounds.push(inner["iterations"].as_u64().unwrap() / (120 * 120 * 120));
    }
    rounds.sort_unstable();
    assert_eq!(rounds, [2, 3], "{said}");
}

#[test]
fn loops_of_openmp() {
    const PARALLEL: &str = "#include <stdio.h>
enum { N = 300 };
static double a[N][N];
int main(void)
{
    double sum = 0;
    // Every round needs what the one before has left.
    for (int t = 0; t < 5; t++) {
        double own = 0;
#pragma omp parallel for num_threads(4) reduction(+:own)
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) {
                a[i][j] = a[i][j] * 0.5 + i * j;
                own += a[i][j];
            }
        sum = sum * 0.5 + own;
    }
    printf(\"%g\\n\", sum);
    return 0;
}
";
    let place = Place::new();
    let program = place.compile("openmp", PARALLEL, &["-O1", "-g", "-fopenmp"]);
    let report = |options: &[&str]| -> Value {
        let mut profile = place.loopwright();
        profile
            .args(["profile", "--format", "json", "-o", "openmp.lwp"])
            .args(options)
            .arg("--")
            .arg(&program);
        let output = profile.output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stderr).unwrap()
    };
    let between = |report: &Value| {
        let untracked = report["trust"]["untracked"].as_array().unwrap();
        untracked
            .iter()
            .filter(|line| line.as_str().unwrap().starts_with("dependence between threads"))
            .count()
    };
    let at = |report: &Value, line: u64| -> Vec<Value> {
        report["loops"].as_array().unwrap().iter().filter(|l| l["line"] == line).cloned().collect()
    };
    let parallel = report(&[]);
    let text = place.loopwright().args(["report", "openmp.lwp"]).output().unwrap().stdout;
    let alone = report(&["--single-thread"]);
    for (report, exchange) in [(&parallel, 1), (&alone, 0)] {
        assert_eq!(between(report), exchange);
        // The compiler puts both loops at the line of the inner one; the source knows better.
        for (line, expected) in [(11, 5 * 300), (12, 5 * 300 * 300)] {
            let loops = at(report, line);
            let rounds: u64 = loops.iter().filter_map(|l| l["iterations"].as_u64()).sum();
            assert_eq!(rounds, expected, "{loops:#?}");
            assert!(loops.iter().all(|l| l["parallel"] == "reduction"), "{loops:#?}");
        }
    }
    // What one iteration leaves for the next goes through the other threads, too.
    assert_eq!(at(&parallel, 8)[0]["parallel"], "unknown");
    let text = String::from_utf8_lossy(&text);
    assert!(text.contains("loop exchanges data with other threads"), "{text}");
    assert_eq!(at(&alone, 8)[0]["parallel"], "no");
}
