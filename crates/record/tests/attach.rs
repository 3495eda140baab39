//! Processes that run already: they are recorded from the middle on, let go of, and nothing of that shows in them.
#![allow(clippy::unwrap_used, reason = "a failed preparation is a failed test")]

mod support;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use record::{Config, Encoding, Exit, Outcome, StopReason};
use support::{Checked, Unguided, compile, until};

const ENCODINGS: [Encoding; 4] = [Encoding::Addresses, Encoding::Derived, Encoding::Folded, Encoding::None];

/// A program that a shell runs, which says in the end how that ended.
struct Running {
    shell: Child,
    pid: i32,
}

impl Running {
    fn start(program: &Path, args: &str) -> Running {
        let line = format!("{} {args}; echo \"<$?>\"", program.display());
        let mut shell = Command::new("sh");
        shell.args(["-c", &line]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let shell = shell.spawn().unwrap();
        let children = format!("/proc/{0}/task/{0}/children", shell.id());
        let pid = until("no program", || {
            let pid = std::fs::read_to_string(&children).ok()?.trim().parse().ok()?;
            let exe = std::fs::read_link(format!("/proc/{pid}/exe")).ok()?;
            (exe == program.canonicalize().unwrap()).then_some(pid)
        });
        Running { shell, pid }
    }

    fn record(&self, config: Config) -> (Outcome, Checked) {
        let config = Config { pid: Some(self.pid), ..config };
        record::run(&config, &mut Unguided::default(), Checked::default()).unwrap()
    }

    /// Waits until the program sleeps in a system call.
    fn until_it_sleeps(&self) {
        until("it does not sleep", || {
            let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.pid)).unwrap();
            stat.rsplit(") ").next().is_some_and(|rest| rest.starts_with('S')).then_some(())
        });
    }

    /// Nothing of the recorder is in the process.
    fn is_alone(&self) {
        let maps = std::fs::read_to_string(format!("/proc/{}/maps", self.pid)).unwrap();
        assert!(!maps.contains("loopwright"), "{maps}");
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.pid)).unwrap();
        assert!(status.contains("TracerPid:\t0"), "{status}");
    }

    fn end(self) -> String {
        let output = self.shell.wait_with_output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    }
}

fn short(millis: u64) -> Config {
    Config { duration: Some(Duration::from_millis(millis)), ..Config::new("") }
}

/// Loops that are folded, calls, system calls, timers, faults, jumps out of handlers; what it prints depends on all of them.
fn busy() -> PathBuf {
    let source = "#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>
static double a[3000]; static int order[500]; static volatile int ticks; static sigjmp_buf b; static char *volatile wrong;
static void tick(int s) { ticks++; } static void fault(int s) { siglongjmp(b, 1); }
static int by(const void *x, const void *y) { return *(const int *)x - *(const int *)y; }
int main(int n, char **v) {
    int rounds = atoi(v[1]), left = 0, faults = 0; signal(SIGALRM, tick); signal(SIGSEGV, fault); signal(SIGTRAP, SIG_IGN);
    sigset_t trap; sigemptyset(&trap); sigaddset(&trap, SIGTRAP); sigaddset(&trap, SIGUSR2); sigprocmask(SIG_BLOCK, &trap, 0);
    struct itimerval t = { { 0, 900 }, { 0, 900 } }; setitimer(ITIMER_REAL, &t, 0); int ends[2]; pipe(ends);
    for (int r = 0; r < rounds; r++) {
        for (int i = 1; i < 3000; i++) a[i] = a[i - 1] * 0.5 + i + r;
        for (int i = 0; i < 500; i++) order[i] = (i * 7919 + r) % 1009;
        qsort(order, 500, sizeof *order, by); char c[64]; memset(c, order[7], 64); write(ends[1], c, 64); while (read(ends[0], c, 64) < 0);
        if (!sigsetjmp(b, 1)) { wrong = 0; wrong[r & 7] = 1; } else faults++;
        usleep(50); left += order[3] + c[9];
    }
    memset(&t, 0, sizeof t); setitimer(ITIMER_REAL, &t, 0);
    sigset_t now; sigprocmask(SIG_BLOCK, 0, &now); struct sigaction old; sigaction(SIGTRAP, 0, &old);
    printf(\"%d %d %g %d%d%d %d\\n\", left, faults == rounds, a[77], sigismember(&now, SIGTRAP), sigismember(&now, SIGUSR2),
        sigismember(&now, SIGSEGV), old.sa_handler == SIG_IGN);
    return left & 63; }";
    compile("attached.c", source, &["-O2"])
}

#[test]
fn programs_run_on() {
    let program = busy();
    let expected = Running::start(&program, "6000").end();
    assert!(expected.contains(" 1 "), "{expected}");
    let running = Running::start(&program, "6000");
    let mut recorded = 0;
    for k in 0..24u64 {
        std::thread::sleep(Duration::from_millis(k % 5));
        let encoding = ENCODINGS[k as usize % 4];
        let config = Config { encoding, buffer_words: 2048, ..short(3 + 7 * k % 40) };
        let config = if k % 3 == 1 { Config { max_instructions: Some(5000 * k), ..config } } else { config };
        let (outcome, got) = running.record(config);
        assert_eq!(outcome.exit, Exit::Running, "{k}");
        assert!(outcome.stopped.is_some());
        running.is_alone();
        recorded += u64::from(got.digest.instructions > 1000);
    }
    assert!(recorded >= 12, "{recorded}");
    assert_eq!(running.end(), expected);
}

#[test]
fn ends_are_seen() {
    let program = busy();
    let running = Running::start(&program, "300");
    let (outcome, got) = running.record(Config::new(""));
    let expected = Running::start(&program, "300").end();
    assert!(got.digest.instructions > 0 && outcome.stopped.is_none());
    let Exit::Code(code) = outcome.exit else { panic!("{:?}", outcome.exit) };
    let text = running.end();
    assert!(text.ends_with(&format!("<{code}>\n")) && text == expected, "{text}{expected}");
}

/// Calls that wait: what they wait for comes after the process was let go of, or while it is recorded.
#[test]
fn waiting_calls_go_on() {
    let source = "#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
static volatile int got; static void note(int s) { got = s; }
int main(int n, char **v) {
    struct timespec start, end, left = { 0, 0 }; char c = '?'; int result = 0; signal(SIGUSR1, note);
    clock_gettime(CLOCK_MONOTONIC, &start); struct timespec wait = { 0, 700000000 };
    switch (v[1][0]) {
        case 'r': result = read(0, &c, 1); break;
        case 'p': { struct pollfd p = { 0, POLLIN, 0 }; result = poll(&p, 1, 700); break; }
        case 'n': result = nanosleep(&wait, &left); break;
        case 'u': result = pause() + 2 * (errno == EINTR) + got; break;
        case 's': { sigset_t all; sigfillset(&all); sigprocmask(SIG_BLOCK, &all, 0); sigdelset(&all, SIGUSR1);
            result = sigsuspend(&all) + 2 * (errno == EINTR) + got; sigprocmask(SIG_BLOCK, 0, &all);
            result += 100 * sigismember(&all, SIGUSR1); break; }
        case 'c': { pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t k = PTHREAD_COND_INITIALIZER; pthread_mutex_lock(&m);
            clock_gettime(CLOCK_REALTIME, &wait); wait.tv_sec += 1; result = pthread_cond_timedwait(&k, &m, &wait); break; }
    }
    clock_gettime(CLOCK_MONOTONIC, &end); double s = end.tv_sec - start.tv_sec + (end.tv_nsec - start.tv_nsec) * 1e-9;
    printf(\"%d %c %s\\n\", result, c, s < 0.65 ? \"early\" : s < 1.6 ? \"in time\" : \"late\"); return 0; }";
    let program = compile("waiting.c", source, &["-O1", "-pthread"]);
    let cases = [
        ("r", "1 x "),
        ("p", "0 ? in time"),
        ("n", "0 ? in time"),
        ("u", "11 ? "),
        ("s", "111 ? "),
        ("c", "110 ? in time"),
    ];
    for (case, expected) in cases {
        // The last time, what it waits for comes while it is recorded.
        for last in [200, 3000] {
            let mut running = Running::start(&program, case);
            running.until_it_sleeps();
            for _ in 0..2 {
                assert_eq!(running.record(short(30)).0.exit, Exit::Running, "{case}");
                running.is_alone();
            }
            let pid = running.pid;
            let mut input = running.shell.stdin.take();
            let wake = std::thread::spawn(move || {
                std::thread::sleep(Duration::from_millis(300));
                match case {
                    "r" => input.as_mut().unwrap().write_all(b"x").unwrap(),
                    // SAFETY: a plain system call about a process of this test.
                    "u" | "s" => _ = unsafe { libc::kill(pid, libc::SIGUSR1) },
                    _ => {}
                }
                // Its end would wake a poll.
                input
            });
            let (outcome, _) = running.record(short(last));
            let _input = wake.join().unwrap();
            let ends = if last > 1000 { Exit::Code(0) } else { Exit::Running };
            assert_eq!(outcome.exit, ends, "{case} {last}");
            let text = running.end();
            assert!(text.starts_with(expected), "{case} {last}: {text}");
        }
    }
}

/// Stopped and continued by somebody, a process is let go of in time all the same.
#[test]
fn stopped_meanwhile() {
    let program = busy();
    let running = Running::start(&program, "20000");
    // SAFETY: plain system calls about a process of this test.
    let send = |signal| unsafe { libc::kill(running.pid, signal) };
    let pid = running.pid;
    let recording = std::thread::spawn(move || {
        let config = Config { pid: Some(pid), ..short(400) };
        record::run(&config, &mut Unguided::default(), Checked::default()).unwrap().0
    });
    std::thread::sleep(Duration::from_millis(200));
    send(libc::SIGSTOP);
    std::thread::sleep(Duration::from_millis(600));
    send(libc::SIGCONT);
    let outcome = recording.join().unwrap();
    assert_eq!((outcome.exit, outcome.stopped), (Exit::Running, Some(StopReason::Duration)));
    running.is_alone();
    send(libc::SIGKILL);
    running.end();
}

/// The first thread is recorded, the others run on; functions that all of them use stay what they are.
#[test]
fn other_threads_run_on() {
    let source = "#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; static long shared; static double parts[4];
static void *work(void *p) { long k = (long)p; double s = 0; for (int r = 0; r < 8000; r++) { for (int i = 1; i < 20000; i++) s += 1.0 / (i + k);
    pthread_mutex_lock(&m); shared++; pthread_mutex_unlock(&m); usleep(10); } parts[k] = s; return 0; }
int main(void) { pthread_t t[4]; for (long k = 1; k < 4; k++) pthread_create(&t[k], 0, work, (void *)k); work(0);
    for (int k = 1; k < 4; k++) pthread_join(t[k], 0); printf(\"%ld %.9g\\n\", shared, parts[0] + parts[1] + parts[2] + parts[3]); return 5; }";
    let program = compile("threads_attached.c", source, &["-O2", "-pthread"]);
    let expected = Running::start(&program, "").end();
    let running = Running::start(&program, "");
    until("no threads", || {
        let tasks = std::fs::read_dir(format!("/proc/{}/task", running.pid)).unwrap().count();
        (tasks == 4).then_some(())
    });
    for k in 0..6u64 {
        let (outcome, got) = running.record(short(10 + k));
        assert!(
            outcome.untracked.iter().any(|u| u.what == "thread" && u.count == 3),
            "{:?}",
            outcome.untracked
        );
        assert!(got.digest.instructions > 0);
        running.is_alone();
    }
    assert_eq!(running.end(), expected);
}

/// What is recorded of a part of a run is what happened in it: a program that counts its own rounds.
#[test]
fn recordings_fit_together() {
    let source = "#include <stdio.h>
volatile long rounds; static long a[512];
int main(void) { for (long r = 0; r < 3000000; r++) { for (int i = 0; i < 512; i++) a[i] += r ^ i; rounds = r; } printf(\"%ld\\n\", a[9]); return 0; }";
    for encoding in [Encoding::Addresses, Encoding::Derived, Encoding::Folded] {
        let program = compile("rounds.c", source, &["-O1", "-static", "-no-pie"]);
        let expected = Running::start(&program, "").end();
        let running = Running::start(&program, "");
        let config =
            Config { pid: Some(running.pid), encoding, max_instructions: Some(3_000_000), ..Config::new("") };
        let mut sink = Checked::default();
        sink.trail = Some(Vec::new());
        let (outcome, got) = record::run(&config, &mut Unguided::default(), sink).unwrap();
        assert_eq!(outcome.stopped, Some(StopReason::Instructions));
        // Every element of the array in its turn, read and written, from anywhere to anywhere.
        let symbols = Command::new("nm").arg(&program).output().unwrap();
        let symbols = String::from_utf8(symbols.stdout).unwrap();
        let line = symbols.lines().find(|l| l.ends_with(" a")).unwrap();
        let start = u64::from_str_radix(line.split(' ').next().unwrap(), 16).unwrap();
        let places: Vec<u64> = got
            .trail
            .unwrap()
            .iter()
            .filter(|t| (start..start + 4096).contains(&t.1) && t.3 == trace::block::Access::Write)
            .map(|t| (t.1 - start) / 8)
            .collect();
        assert!(places.len() > 100_000, "{encoding:?}: {}", places.len());
        let steps = places.windows(2).filter(|p| p[1] != (p[0] + 1) % 512).count();
        assert_eq!(steps, 0, "{encoding:?}");
        assert_eq!(running.end(), expected, "{encoding:?}");
    }
}

#[test]
fn others_are_refused() {
    let refused = |pid: i32, text: &str| {
        let config = Config { pid: Some(pid), ..Config::new("") };
        let error = record::run(&config, &mut Unguided::default(), Checked::default()).err().unwrap();
        assert!(error.to_string().contains(text), "{error}");
    };
    refused(i32::MAX, "there is no such process");
    let program = busy();
    let running = Running::start(&program, "100000");
    // SAFETY: plain system calls about a process of this test.
    let send = |signal| unsafe { libc::kill(running.pid, signal) };
    send(libc::SIGSTOP);
    until("it does not stop", || {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", running.pid)).unwrap();
        stat.contains(") T ").then_some(())
    });
    refused(running.pid, &format!("it is stopped; let it run first (kill -CONT {})", running.pid));
    send(libc::SIGCONT);
    let thread = std::thread::spawn({
        let pid = running.pid;
        move || {
            let config = Config { pid: Some(pid), ..short(600) };
            record::run(&config, &mut Unguided::default(), Checked::default()).unwrap().0.exit
        }
    });
    let status = format!("/proc/{}/status", running.pid);
    until("nobody traces", || {
        (!std::fs::read_to_string(&status).unwrap().contains("TracerPid:\t0")).then_some(())
    });
    refused(running.pid, "traces it already");
    assert_eq!(thread.join().unwrap(), Exit::Running);
    send(libc::SIGKILL);
    running.end();
    let limited = "import ctypes, time, sys\nctypes.CDLL(None).prctl(38, 1, 0, 0, 0)\nclass P(ctypes.Structure):\n    _fields_ = [('n', ctypes.c_ushort), ('p', ctypes.c_char_p)]
import struct\np = P(1, struct.pack('HBBI', 6, 0, 0, 0x7fff0000))\nctypes.CDLL(None).prctl(22, 2, ctypes.byref(p), 0, 0)\nprint('ready', flush=True)\ntime.sleep(60)";
    let mut python = Command::new("python3").args(["-c", limited]).stdout(Stdio::piped()).spawn().unwrap();
    let mut ready = [0; 5];
    std::io::Read::read_exact(python.stdout.as_mut().unwrap(), &mut ready).unwrap();
    refused(python.id() as i32, "seccomp");
    python.kill().unwrap();
    python.wait().unwrap();
}
