//! Options and ends of programs that are recorded under QEMU.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

const LOOPWRIGHT: &str = env!("CARGO_BIN_EXE_loopwright");
const COMPILERS: [&str; 2] = ["aarch64-linux-gnu-gcc", "riscv64-linux-gnu-gcc"];

const PROGRAM: &str = "
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile int hits;
static sigjmp_buf env;
static void hit(int signal) { (void)signal; hits++; }
static void fault(int signal) { (void)signal; siglongjmp(env, 1); }
__attribute__((noinline)) double work(int n) {
    double *a = malloc(n * sizeof *a), s = 0;
    for (int i = 0; i < n; i++)
        a[i] = i;
    for (int i = 0; i < n; i++)
        s += a[i];
    free(a);
    return s;
}
int main(int argc, char **argv) {
    double s = 0;
    int faults = 0, status = 0, sum = 0;
    char line[64];
    signal(SIGUSR1, hit);
    signal(SIGSEGV, fault);
    for (int k = 0; k < 10; k++) {
        s += work(50);
        if (k % 5 == 0)
            raise(SIGUSR1);
    }
    if (!sigsetjmp(env, 1))
        *(volatile int *)8 = 1;
    else
        faults++;
    pid_t child = fork();
    if (child == 0)
        _exit(3);
    waitpid(child, &status, 0);
    while (fgets(line, sizeof line, stdin))
        sum += atoi(line);
    printf(\"%g %d %d %d %d\\n\", s, hits, faults, WEXITSTATUS(status), sum);
    fflush(stdout);
    if (argc > 1)
        abort();
    return 7;
}
";

fn compile(compiler: &str, directory: &Path) -> PathBuf {
    let (source, program) = (directory.join("p.c"), directory.join(compiler));
    std::fs::write(&source, PROGRAM).unwrap();
    let status =
        Command::new(compiler).args(["-g", "-O1", "-o"]).arg(&program).arg(&source).status().unwrap();
    assert!(status.success());
    program
}

fn run(command: &str, options: &[&str], program: &Path, arguments: &[&str], directory: &Path) -> Output {
    let mut child = Command::new(LOOPWRIGHT)
        .current_dir(directory)
        .args([command, "-o", "out"])
        .args(options)
        .arg("--")
        .arg(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A program that is not started reads nothing.
    let _ = child.stdin.take().unwrap().write_all(b"1\n2\n3\n");
    child.wait_with_output().unwrap()
}

fn report(directory: &Path) -> Value {
    let output = Command::new(LOOPWRIGHT)
        .current_dir(directory)
        .args(["report", "out", "--format", "json"])
        .output()
        .unwrap();
    serde_json::from_slice(&output.stdout).unwrap()
}

fn lines_of_loops(report: &Value) -> Vec<u64> {
    let loops = report["loops"].as_array().unwrap().iter();
    let own = loops.filter(|l| l["file"].as_str().is_some_and(|f| f.ends_with("p.c")));
    own.filter_map(|l| l["line"].as_u64()).collect()
}

/// Output, exit status, signals, faults and children are those of the program alone; what is said of it is named.
#[test]
fn programs_behave_as_alone() {
    for compiler in COMPILERS {
        let directory = tempfile::tempdir().unwrap();
        let program = compile(compiler, directory.path());
        let output = run("profile", &["--quiet"], &program, &[], directory.path());
        assert_eq!(String::from_utf8_lossy(&output.stdout), "12250 2 1 3 6\n", "{compiler}");
        assert_eq!(output.status.code(), Some(7), "{}", String::from_utf8_lossy(&output.stderr));
        let report = report(directory.path());
        assert_eq!(report["trust"]["untracked"].as_array().unwrap().len(), 1, "{}", report["trust"]);
        assert!(report["trust"]["untracked"][0].as_str().unwrap().starts_with("child process"));
        let lines = lines_of_loops(&report);
        for line in [14, 16, 27, 40] {
            assert!(lines.contains(&line), "{compiler}: {line} in {lines:?}");
        }
        let killed = run("profile", &["--quiet"], &program, &["x"], directory.path());
        assert_eq!(killed.status.code(), Some(128 + 6));
    }
}

#[test]
fn parts_of_a_run_are_recorded() {
    for compiler in COMPILERS {
        let directory = tempfile::tempdir().unwrap();
        let program = compile(compiler, directory.path());
        let output = run("profile", &["--quiet", "--function", "work"], &program, &[], directory.path());
        assert_eq!(output.status.code(), Some(7), "{}", String::from_utf8_lossy(&output.stderr));
        let whole = report(directory.path());
        assert_eq!(lines_of_loops(&whole), [14, 16], "{compiler}");
        let first = whole["loops"].as_array().unwrap().iter().find(|l| l["line"] == 14).unwrap();
        assert_eq!((first["entries"].as_u64(), first["iterations"].as_u64()), (Some(10), Some(500)));
        let options = ["--quiet", "--max-instructions", "20000"];
        let output = run("profile", &options, &program, &[], directory.path());
        assert_eq!(output.stdout, b"12250 2 1 3 6\n");
        let report = report(directory.path());
        let instructions = report["trust"]["instructions"].as_u64().unwrap();
        assert!((20_000..22_000).contains(&instructions), "{instructions}");
        assert_eq!(report["trust"]["truncated"][0], "recording ended at --max-instructions");
    }
}

#[test]
fn addresses_are_traced() {
    for compiler in COMPILERS {
        let directory = tempfile::tempdir().unwrap();
        let program = compile(compiler, directory.path());
        let output = run("trace", &["--quiet"], &program, &[], directory.path());
        assert_eq!(output.status.code(), Some(7), "{}", String::from_utf8_lossy(&output.stderr));
        assert!(std::fs::metadata(directory.path().join("out")).unwrap().len() > 1000);
    }
}

#[test]
fn what_does_not_work_is_refused_by_name() {
    let directory = tempfile::tempdir().unwrap();
    let program = compile(COMPILERS[0], directory.path());
    for options in [&["--two-pass"][..], &["--fast"], &["--follow"], &["--scope", "main"]] {
        let output = run("profile", options, &program, &[], directory.path());
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(125), "{said}");
        assert!(said.contains(&options.join(" ")) && said.contains("64-bit ARM"), "{said}");
    }
    let output = Command::new(LOOPWRIGHT)
        .current_dir(directory.path())
        .args(["profile", "--"])
        .arg(&program)
        .env("PATH", directory.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("qemu-aarch64") && said.contains("qemu-user"), "{said}");
    assert_eq!(output.status.code(), Some(126), "{said}");
    // A head without anything behind it: QEMU says what it thinks of it, and nothing is left.
    let hollow = directory.path().join("hollow");
    std::fs::write(&hollow, &std::fs::read(&program).unwrap()[..64]).unwrap();
    std::fs::set_permissions(&hollow, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let output = run("profile", &[], &hollow, &[], directory.path());
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("hollow: qemu-aarch64 could not start it"), "{said}");
    assert_eq!(output.status.code(), Some(125), "{said}");
    assert!(!directory.path().join("out").exists());
}
