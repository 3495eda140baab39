//! Whatever happens to the recorder or the program, nothing is left behind: no stopped program, no process, and what was
//! recorded can be read. `LOOPWRIGHT_INJECTIONS` says how often each kind of trouble is made, in all 200 times if it is 40.

use crate::support;

use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use support::{CODE_BYTES, compile, output_and_exit, recording, rounds, same_under, until};

fn times() -> u64 {
    let usual = if std::env::var_os("LOOPWRIGHT_THOROUGH").is_some() { 4 } else { 2 };
    std::env::var("LOOPWRIGHT_INJECTIONS").ok().and_then(|n| n.parse().ok()).unwrap_or(usual)
}

/// Something between 0 and `below`, different for each `k`.
fn some(k: u64, below: u64) -> u64 {
    (k.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ k << 7).rotate_left(29) % below
}

/// The program under a name that no other process has.
fn program(name: &str) -> PathBuf {
    let show = "printf(\"%d %d %g\\n\", left, faults == rounds, a[77]);";
    compile(&format!("injected{name}.c"), &rounds("signal(SIGUSR1, other);", 700, show), &["-O2"])
}

fn start(program: &Path, rounds: &str, k: u64) -> Child {
    let encoding = ["addresses", "folded", "none", "survey"][k as usize % 4];
    let mut command = recording(program, &[rounds], encoding);
    command.process_group(0).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Processes that run the program, with their states.
fn running(program: &Path) -> Vec<(i32, char)> {
    let program = program.canonicalize().unwrap();
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let Ok(pid) = entry.file_name().to_string_lossy().parse::<i32>() else { continue };
        // A zombie has no program any more.
        if std::fs::read_link(entry.path().join("exe")).is_ok_and(|exe| exe == program) {
            let status = std::fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
            let state = status.rsplit(") ").next().and_then(|s| s.chars().next()).unwrap_or('?');
            found.push((pid, state));
        }
    }
    found
}

/// Whether a process has set up the last of its handlers.
fn has_handlers(pid: i32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let caught = status.lines().find_map(|l| l.strip_prefix("SigCgt:")).unwrap_or("0").trim();
    u64::from_str_radix(caught, 16).unwrap() >> (libc::SIGSEGV - 1) & 1 != 0
}

fn send(pid: i32, signal: i32) {
    // SAFETY: a plain system call; the process belongs to this test.
    unsafe { libc::kill(pid, signal) };
}

fn nobody_is_left(program: &Path, what: &str) {
    until(what, || running(program).is_empty().then_some(()));
}

/// A child that must end by itself; its output.
fn end(child: Child, what: &str) -> std::process::Output {
    let pid = child.id() as i32;
    let (done, is_done) = std::sync::mpsc::channel::<()>();
    let watch = std::thread::spawn(move || {
        let is_late = is_done.recv_timeout(Duration::from_secs(60)).is_err();
        if is_late {
            send(-pid, libc::SIGKILL);
        }
        is_late
    });
    let output = child.wait_with_output().unwrap();
    let _ = done.send(());
    assert!(!watch.join().unwrap(), "{what} hangs");
    output
}

#[test]
fn program_is_killed() {
    let program = program("target");
    for k in 0..times() {
        let child = start(&program, "1000000", k);
        let target = until("no program", || running(&program).first().map(|p| p.0));
        std::thread::sleep(Duration::from_micros(some(k, 300_000)));
        send(target, libc::SIGKILL);
        let output = end(child, "the recorder of a killed program");
        if String::from_utf8_lossy(&output.stderr).contains("it was killed while it was started") {
            nobody_is_left(&program, "a program killed while it was started");
            continue;
        }
        let (_, exit) = output_and_exit(&output, &format!("{k}"));
        assert_eq!(exit, "Signal(9)", "{k}");
        nobody_is_left(&program, "a killed program");
    }
}

#[test]
fn recorder_is_killed() {
    let program = program("recorder");
    for k in 0..times() {
        let mut child = start(&program, "1000000", k);
        std::thread::sleep(Duration::from_micros(some(k, 200_000)));
        child.kill().unwrap();
        child.wait().unwrap();
        nobody_is_left(&program, "a program whose recorder was killed");
    }
}

/// Signals with and without handlers, and stops, from outside.
#[test]
fn signals_rain() {
    let program = program("rain");
    let native = Command::new(&program).arg("800").output().unwrap();
    for k in 0..times() {
        let child = start(&program, "800", k);
        let recorder = child.id() as i32;
        let target = until("no program", || running(&program).first().map(|p| p.0));
        until("no handlers", || has_handlers(target).then_some(()));
        let mut sent = 0;
        while !running(&program).is_empty() && sent < 4000 {
            let signals =
                [libc::SIGUSR1, libc::SIGWINCH, libc::SIGCHLD, libc::SIGURG, libc::SIGCONT, libc::SIGSTOP];
            let signal = signals[some(k << 20 | sent, 6) as usize];
            send(target, signal);
            if signal == libc::SIGSTOP {
                send(target, libc::SIGCONT);
            }
            send(recorder, libc::SIGWINCH);
            std::thread::sleep(Duration::from_micros(some(sent, 400)));
            sent += 1;
        }
        send(target, libc::SIGCONT);
        assert!(sent > 100, "{sent} signals only");
        let output = end(child, "a program in the rain");
        let (text, exit) = output_and_exit(&output, &format!("{k}"));
        assert_eq!(text, String::from_utf8_lossy(&native.stdout), "{k}");
        assert_eq!(exit, format!("Code({})", native.status.code().unwrap()), "{k}");
        nobody_is_left(&program, "a program in the rain");
    }
}

/// Room for so little translated code that all of it is forgotten again and again.
#[test]
fn code_does_not_fit() {
    let program = program("code");
    for k in 0..times() {
        let bytes = 20_000 + some(k, 100_000);
        same_under(&program, &["4"], &|command| {
            command.env(CODE_BYTES, bytes.to_string());
        });
    }
    same_under(Path::new("/bin/ls"), &["/"], &|command| {
        command.env(CODE_BYTES, "60000");
    });
}

/// Files may not become as large as the recorder needs: it says so, and leaves no program behind.
#[test]
fn files_may_not_be_large() {
    let program = program("large");
    let mut command = recording(&program, &["4"], "folded");
    let limit = || {
        let limit = libc::rlimit { rlim_cur: 1 << 20, rlim_max: 1 << 20 };
        // SAFETY: a plain system call with a valid argument.
        unsafe { libc::setrlimit(libc::RLIMIT_FSIZE, &limit) };
        Ok(())
    };
    // SAFETY: the closure makes a plain system call.
    unsafe { command.pre_exec(limit) };
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(101), "{output:?}");
    let text =
        String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
    assert!(
        text.contains("shared memory") && text.contains("EFBIG") || text.contains("File too large"),
        "{text}"
    );
    nobody_is_left(&program, "a program that could not be recorded");
}

/// 64 threads beside the one that is recorded, which send each other signals and end at all times.
#[test]
fn many_threads() {
    let source = "#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; static long sum; static volatile int got; static pthread_t first;
static void note(int s) { got++; }
static void *work(void *p) { double s = 0; for (int r = 0; r < 20 + (long)p; r++) { for (int i = 1; i < 2000; i++) s += 1.0 / i;
    pthread_mutex_lock(&m); sum += r; pthread_mutex_unlock(&m); pthread_kill(first, SIGUSR1); } return malloc((long)p + (s < 0)); }
int main(int n, char **v) { pthread_t t[64]; long left = 0; signal(SIGUSR1, note); first = pthread_self();
    for (int round = 0; round < atoi(v[1]); round++) { for (long k = 0; k < 64; k++) pthread_create(&t[k], 0, work, (void *)k);
        double d = 0; for (int i = 1; i < 30000; i++) d += i * .5; left += d > 7;
        for (int k = 0; k < 64; k++) { void *p; pthread_join(t[k], &p); free(p); } }
    printf(\"%ld %ld %d\\n\", sum, left, got > 0); return 3; }";
    let program = compile("injectedthreads.c", source, &["-O1", "-pthread"]);
    for _ in 0..times().div_ceil(4) {
        same_under(&program, &["2"], &|_| {});
    }
    nobody_is_left(&program, "a program with many threads");
}
