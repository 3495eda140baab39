//! Processes that run already: they are recorded from the middle on, let go of, and nothing of that shows in them.

use crate::support;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use record::{Config, Encoding, Exit, Outcome, StopReason};
use support::{Checked, Unguided, compile, rounds, until};

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

    /// The same of a program that may have ended by now: then nothing.
    fn record_while_it_runs(&self, config: Config) -> Option<(Outcome, Checked)> {
        let config = Config { pid: Some(self.pid), ..config };
        match record::run(&config, &mut Unguided::default(), Checked::default()) {
            Err(record::Error::Attach { .. }) if self.has_ended() => None,
            recorded => Some(recorded.unwrap()),
        }
    }

    fn has_ended(&self) -> bool {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.pid)).unwrap_or_default();
        stat.rsplit(") ").next().is_none_or(|state| state.is_empty() || state.starts_with(['Z', 'X']))
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
        let maps = std::fs::read_to_string(format!("/proc/{}/maps", self.pid)).unwrap_or_default();
        assert!(!maps.contains("loopwright"), "{maps}");
        for task in std::fs::read_dir(format!("/proc/{}/task", self.pid)).into_iter().flatten().flatten() {
            // A thread, or the whole program, may end meanwhile.
            let status = std::fs::read_to_string(task.path().join("status")).unwrap_or_default();
            assert!(status.is_empty() || status.contains("TracerPid:\t0"), "{status}");
        }
    }

    fn end(self) -> String {
        let output = self.shell.wait_with_output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    }
}

fn short(millis: u64) -> Config {
    Config { duration: Some(Duration::from_millis(millis)), ..Config::new("") }
}

/// What it prints also tells of masks and actions.
fn busy() -> PathBuf {
    let prepare = "signal(SIGTRAP, SIG_IGN); sigset_t trap; sigemptyset(&trap); sigaddset(&trap, SIGTRAP); sigaddset(&trap, SIGUSR2);
    sigprocmask(SIG_BLOCK, &trap, 0);";
    let show = "sigset_t now; sigprocmask(SIG_BLOCK, 0, &now); struct sigaction old; sigaction(SIGTRAP, 0, &old);
    printf(\"%d %d %g %d%d%d %d\\n\", left, faults == rounds, a[77], sigismember(&now, SIGTRAP), sigismember(&now, SIGUSR2),
        sigismember(&now, SIGSEGV), old.sa_handler == SIG_IGN);";
    compile("attached.c", &rounds(prepare, 900, show), &["-O2"])
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

/// A process with several threads is recorded with all of them; functions that they share stay what they are.
#[test]
fn all_threads_are_taken_over() {
    let source = "#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; static long shared, own[4]; static volatile int over; static double part;
static void *work(void *p) { long k = (long)p; double s = 0; for (int r = 0; k ? !over : r < 8000; r++) { for (int i = 1; i < 20000; i++) s += 1.0 / (i + k);
    pthread_mutex_lock(&m); shared++; pthread_mutex_unlock(&m); own[k]++; usleep(10); } if (!k) part = s; return 0; }
int main(void) { pthread_t t[4]; for (long k = 1; k < 4; k++) pthread_create(&t[k], 0, work, (void *)k); work(0); over = 1;
    for (int k = 1; k < 4; k++) pthread_join(t[k], 0); printf(\"%d %.9g\\n\", shared == own[0] + own[1] + own[2] + own[3], part); return 5; }";
    let program = compile("threads_attached.c", source, &["-O2", "-pthread"]);
    let expected = Running::start(&program, "").end();
    let running = Running::start(&program, "");
    until("no threads", || {
        let tasks = std::fs::read_dir(format!("/proc/{}/task", running.pid)).unwrap().count();
        (tasks == 4).then_some(())
    });
    for k in 0..6u64 {
        let (outcome, got) = running.record(short(30 + k));
        assert!(outcome.untracked.iter().all(|u| u.what != "thread"), "{:?}", outcome.untracked);
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

/// A process that ends in time, or is killed.
fn ends_in_time(running: Running, seconds: u64) -> String {
    let pid = running.pid;
    let (done, is_done) = std::sync::mpsc::channel::<()>();
    let watch = std::thread::spawn(move || {
        if is_done.recv_timeout(Duration::from_secs(seconds)).is_err() {
            // SAFETY: a plain system call about a process of this test.
            unsafe { libc::kill(pid, libc::SIGKILL) };
        }
    });
    let text = running.end();
    let _ = done.send(());
    watch.join().unwrap();
    text
}

/// 1: what a call waits for comes while the process is taken over or let go of. Each timer is started again only after the one before.
#[test]
fn what_is_waited_for_comes_meanwhile() {
    let source = "#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>
static volatile int got; static void note(int s) { got++; }
static void start(int micros) { struct itimerval t; memset(&t, 0, sizeof t); t.it_value.tv_usec = micros; setitimer(ITIMER_REAL, &t, 0); }
int main(int n, char **v) { sigset_t set, old; signal(SIGALRM, note); int micros = atoi(v[2]), rounds = atoi(v[3]);
    if (v[1][0] == 's') { sigemptyset(&set); sigaddset(&set, SIGALRM); sigprocmask(SIG_BLOCK, &set, &old); }
    for (int r = 0; r < rounds; r++) { start(micros); if (v[1][0] == 's') sigsuspend(&old); else pause(); }
    printf(\"%d\\n\", got); return 0; }";
    let program = compile("one_shot.c", source, &["-O1"]);
    for (args, rounds) in [("p 80000 60", 60), ("s 700 4000", 4000)] {
        let running = Running::start(&program, args);
        for k in 0..30u64 {
            let recorded = running.record_while_it_runs(short(1 + 5 * k % 31));
            if recorded.is_none_or(|(outcome, _)| outcome.exit != Exit::Running) {
                break;
            }
            running.is_alone();
        }
        assert_eq!(ends_in_time(running, 60), format!("{rounds}\n<0>\n"), "{args}");
    }
}

/// Calls that fail with EINTR where a process is stopped, with a short time to wait: how many of them did.
const PATIENT: &str = "#define _GNU_SOURCE
#include <errno.h>
#include <linux/aio_abi.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
int main(int n, char **v) {
    struct timespec t = { 0, 12000000 }; struct timeval tv = { 0, 12000 }, given; int failed[12] = { 0 }, all = 0, c; char b[64];
    int e = epoll_create1(0), pair[2]; socketpair(AF_UNIX, SOCK_STREAM, 0, pair); setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof tv);
    int sem = semget(IPC_PRIVATE, 1, 0600); struct sembuf down = { 0, -1, 0 }; aio_context_t io = 0; syscall(SYS_io_setup, 4, &io);
    struct io_event event; struct epoll_event ready; sigset_t set; sigemptyset(&set); sigaddset(&set, SIGUSR2); sigprocmask(SIG_BLOCK, &set, 0);
    struct pollfd p = { pair[0], POLLIN, 0 }; struct msghdr m; struct iovec part = { b, sizeof b };
    for (int r = 0; r < atoi(v[1]); r++) {
        failed[0] += epoll_wait(e, &ready, 1, 12) < 0 && errno == EINTR;
        failed[1] += epoll_pwait(e, &ready, 1, 12, &set) < 0 && errno == EINTR;
        failed[2] += sigtimedwait(&set, 0, &t) < 0 && errno == EINTR;
        failed[3] += semtimedop(sem, &down, 1, &t) < 0 && errno == EINTR;
        failed[4] += recv(pair[0], b, sizeof b, 0) < 0 && errno == EINTR;
        failed[5] += syscall(SYS_io_getevents, io, 1, 1, &event, &t) < 0 && errno == EINTR;
        failed[6] += read(pair[0], b, sizeof b) < 0 && errno == EINTR;
        memset(&m, 0, sizeof m); m.msg_iov = &part; m.msg_iovlen = 1; failed[7] += recvmsg(pair[0], &m, 0) < 0 && errno == EINTR;
        failed[8] += poll(&p, 1, 12) < 0; failed[9] += ppoll(&p, 1, &t, &set) < 0; given = tv; failed[10] += select(0, 0, 0, 0, &given) < 0;
        failed[11] += nanosleep(&t, 0) < 0;
    }
    semctl(sem, 0, IPC_RMID); FILE *f = n > 2 ? fopen(v[2], \"w\") : stdout;
    for (c = 0; c < 12; c++) { all += failed[c]; if (failed[c]) fprintf(f, \"%d: %d \", c, failed[c]); } fprintf(f, \"%d failed\\n\", all); fclose(f); return 0; }";

/// 2: calls that fail with EINTR at a stop go on where the stop is the recorder's.
#[test]
fn calls_do_not_fail() {
    let program = compile("patient.c", PATIENT, &["-O1"]);
    let running = Running::start(&program, "30");
    for k in 0..60u64 {
        let recorded = running.record_while_it_runs(short(1 + 7 * k % 23));
        if recorded.is_none_or(|(outcome, _)| outcome.exit != Exit::Running) {
            break;
        }
        running.is_alone();
    }
    assert_eq!(ends_in_time(running, 60), "0 failed\n<0>\n");
}

/// 3: the same at the end of a recording of a program that was started.
#[test]
fn calls_do_not_fail_at_the_end_of_a_recording() {
    let program = compile("patient_started.c", PATIENT, &["-O1"]);
    let file = support::directory().join("patient_started.txt");
    for k in 0..6u64 {
        let args = [&program, Path::new("2"), &file].map(|word| word.as_os_str().to_owned()).to_vec();
        let config = Config { args, program: program.clone(), ..short(30 + 25 * k) };
        let (outcome, _) = record::run(&config, &mut Unguided::default(), Checked::default()).unwrap();
        assert_eq!(outcome.exit, Exit::Code(0));
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "0 failed\n", "{k}");
    }
}

/// 4: signals that come at any time name their sender, none is lost, and queued ones keep their order.
#[test]
fn signals_name_their_sender() {
    let target = "#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static volatile int next, wrong, foreign, sender, users; static volatile double a[100];
static void note(int s, siginfo_t *i, void *c) {
    if (s == SIGUSR1) { users++; foreign += i->si_code != SI_USER || (sender && i->si_pid != sender); return; }
    sender = i->si_pid; foreign += i->si_code != SI_QUEUE; wrong += i->si_value.sival_int != next; next = i->si_value.sival_int + 1; }
int main(int n, char **v) { struct sigaction act = { .sa_sigaction = note, .sa_flags = SA_SIGINFO | SA_RESTART }; sigaction(SIGUSR1, &act, 0); sigaction(SIGRTMIN, &act, 0);
    while (next < atoi(v[1])) { for (int i = 1; i < 100; i++) a[i] = a[i - 1] * .5 + i; if (next & 64) usleep(100); }
    printf(\"%d lost or in disorder, %d of others, %d\\n\", wrong, foreign, users > 10); return 0; }";
    let source = "#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
int main(int n, char **v) { union sigval value; for (int k = 0; k < atoi(v[2]); k++) { value.sival_int = k;
    while (sigqueue(atoi(v[1]), SIGRTMIN, value)) usleep(100); if (k % 3 == 2) kill(atoi(v[1]), SIGUSR1); usleep(300 + k * 37 % 500); } return 0; }";
    let (target, sender) = (compile("named.c", target, &["-O1"]), compile("names.c", source, &["-O1"]));
    let running = Running::start(&target, "6000");
    until("no handlers", || {
        let status = std::fs::read_to_string(format!("/proc/{}/status", running.pid)).unwrap();
        let caught = status.lines().find_map(|l| l.strip_prefix("SigCgt:")).unwrap().trim().to_owned();
        (u64::from_str_radix(&caught, 16).unwrap() >> 33 & 1 != 0).then_some(())
    });
    let mut sender = Command::new(sender).args([&running.pid.to_string(), "6000"]).spawn().unwrap();
    for k in 0..30u64 {
        let recorded = running.record_while_it_runs(short(1 + 11 * k % 37));
        if recorded.is_none_or(|(outcome, _)| outcome.exit != Exit::Running) {
            break;
        }
        running.is_alone();
    }
    assert!(sender.wait().unwrap().success());
    assert_eq!(ends_in_time(running, 60), "0 lost or in disorder, 0 of others, 1\n<0>\n");
}

/// 5: a process that waits for the child of `vfork` is let go of in time, wherever the recording began.
#[test]
fn children_that_are_waited_for() {
    let source = "#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static volatile double a[1000]; static volatile int got; static void note(int s) { got++; }
static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec + t.tv_nsec * 1e-9; }
static void work(double seconds) { for (double end = now() + seconds; now() < end;) for (int i = 1; i < 1000; i++) a[i] = a[i - 1] * .5 + i; }
int main(int n, char **v) { int status, total = 0, rounds = atoi(v[3]); signal(SIGUSR1, note); work(atof(v[1]));
    for (int r = 0; r < rounds; r++) { struct timespec t = { atol(v[2]) / 1000, atol(v[2]) % 1000 * 1000000 };
        pid_t p = vfork(); if (!p) { nanosleep(&t, 0); _exit(7); }
        while (waitpid(p, &status, 0) < 0); total += WEXITSTATUS(status); }
    work(.1); printf(\"%d %g %d\\n\", total, a[99], got); return 0; }";
    let program = compile("waits_for_child.c", source, &["-O1"]);
    for before in ["0", "1"] {
        let running = Running::start(&program, &format!("{before} 3000 1"));
        if before == "0" {
            until("no child", || {
                let stat = std::fs::read_to_string(format!("/proc/{}/stat", running.pid)).unwrap();
                stat.contains(") D ").then_some(())
            });
        }
        let start = std::time::Instant::now();
        let (outcome, _) = running.record(short(if before == "0" { 300 } else { 1800 }));
        assert!(start.elapsed() < Duration::from_millis(2700), "{before}: {:?}", start.elapsed());
        assert_eq!((outcome.exit, outcome.stopped), (Exit::Running, Some(StopReason::Duration)));
        running.is_alone();
        // SAFETY: a plain system call about a process of this test.
        unsafe { libc::kill(running.pid, libc::SIGUSR1) };
        assert_eq!(ends_in_time(running, 30), "7 196 1\n<0>\n", "{before}");
    }
    // Many, that are recorded through, with signals.
    let running = Running::start(&program, "0.3 2 300");
    let pid = running.pid;
    let sender = std::thread::spawn(move || {
        for _ in 0..200 {
            std::thread::sleep(Duration::from_millis(3));
            // SAFETY: a plain system call about a process of this test.
            unsafe { libc::kill(pid, libc::SIGUSR1) };
        }
    });
    let mut children = 0;
    for k in 0..20u64 {
        let Some((outcome, got)) = running.record_while_it_runs(short(20 + 13 * k % 90)) else { break };
        assert!(got.digest.instructions > 0 || outcome.exit == Exit::Running);
        children +=
            outcome.untracked.iter().filter(|u| u.what == "child process").map(|u| u.count).sum::<u64>();
        if outcome.exit != Exit::Running {
            break;
        }
        running.is_alone();
    }
    sender.join().unwrap();
    let text = ends_in_time(running, 60);
    assert!(text.starts_with("2100 196 ") && text.ends_with("<0>\n"), "{text}");
    assert!(children > 20, "{children}");
}
