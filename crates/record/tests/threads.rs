//! Programs with several threads: they behave as they do alone, and what is recorded is in the order in which it happened.

use crate::support;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use record::{Config, Encoding, Exit, StopReason};
use support::{CODE_BYTES, Checked, ENCODINGS, Unguided, compile, same, same_under};
use trace::block::{Access, Block, FunctionCode};
use trace::expand::{Event, Expander};
use trace::sink::{Mapping, Sink, ThreadId};
use trace::stream::Special;

const HEAD: &str = "#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
";

fn program(name: &str, source: &str) -> PathBuf {
    compile(&format!("threads_{name}.c"), &format!("{HEAD}{source}"), &["-O2", "-pthread", "-w"])
}

/// Mutexes, condition variables, barriers, semaphores, atomic and plain flags, thread-local variables, pipes, sleep.
#[test]
fn ways_to_wait() {
    let source = "
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; static pthread_cond_t c = PTHREAD_COND_INITIALIZER; static pthread_barrier_t b; static sem_t s;
static int turn; static atomic_int spun; static volatile int flag; static long sum, seen[4]; static __thread long own; static int ends[2]; static double a[4][500];
static void *work(void *p) { long k = (long)p;
    for (int r = 0; r < 30; r++) {
        pthread_mutex_lock(&m); while (turn % 4 != k) pthread_cond_wait(&c, &m); turn++; sum = sum * 3 + k; pthread_cond_broadcast(&c); pthread_mutex_unlock(&m);
        for (int i = 1; i < 500; i++) a[k][i] = a[k][i - 1] * .5 + i + r;
        pthread_barrier_wait(&b); own += r; if (k == r % 4) { atomic_fetch_add(&spun, 1); char x = 'a' + r % 26; write(ends[1], &x, 1); } else while (atomic_load(&spun) <= r) __builtin_ia32_pause();
        if (k == (r + 1) % 4) { char x; read(ends[0], &x, 1); sum += x; } pthread_barrier_wait(&b); if (r % 10 == 0) usleep(50 * k);
        sem_wait(&s); seen[k] += r; sem_post(&s); sched_yield();
    }
    while (flag != k) ; seen[k] += own; flag = k + 1; return (void *)own; }
int main(void) { pthread_t t[4]; long all = 0; pthread_barrier_init(&b, 0, 4); sem_init(&s, 0, 2); pipe(ends);
    for (long k = 0; k < 4; k++) pthread_create(&t[k], 0, work, (void *)k);
    for (int k = 0; k < 4; k++) { void *p; pthread_join(t[k], &p); all += (long)p; }
    printf(\"%ld %ld %d %d %ld %ld %g\\n\", sum, all, turn, flag, seen[0], seen[3], a[2][499]); return 9; }";
    same(&program("wait", source), &[]);
}

/// Threads that come and go, in threads, detached, with keys and cleanup, and cancelled ones.
#[test]
fn ways_to_begin_and_end() {
    let source = "
static atomic_long sum, ended, cleaned; static pthread_key_t key;
static void gone(void *p) { cleaned += (long)p; } static void undo(void *p) { cleaned += 1000; }
static void *leaf(void *p) { pthread_setspecific(key, p); long s = 0; for (long i = 0; i < 3000; i++) s += i ^ (long)p; sum += s; return p; }
static void *branch(void *p) { pthread_t t[3]; for (long k = 0; k < 3; k++) pthread_create(&t[k], 0, leaf, (void *)(k + (long)p));
    for (int k = 0; k < 3; k++) { void *r; pthread_join(t[k], &r); sum += (long)r; } ended++; pthread_exit(0); }
static void *sleeper(void *p) { pthread_cleanup_push(undo, 0); for (;;) pause(); pthread_cleanup_pop(0); return 0; }
int main(void) { pthread_key_create(&key, gone);
    for (int r = 0; r < 20; r++) { pthread_t t; pthread_create(&t, 0, branch, (void *)(long)r); if (r % 2) pthread_join(t, 0); else pthread_detach(t); }
    while (ended < 20) usleep(100);
    for (int r = 0; r < 5; r++) { pthread_t t; pthread_create(&t, 0, sleeper, 0); if (r % 2) usleep(200); pthread_cancel(t); void *how; pthread_join(t, &how); sum += how == PTHREAD_CANCELED; }
    printf(\"%ld %ld\\n\", (long)sum, (long)cleaned / 1000 * 1000); return 0; }";
    same(&program("begin", source), &[]);
}

/// The process ends in whatever thread.
#[test]
fn ends_of_processes() {
    let others = "static void *spin(void *p) { for (volatile long i = 0;; i++) ; } static void *sleep_on(void *p) { for (;;) pause(); }
static void start(void *(*f)(void *)) { pthread_t t; pthread_create(&t, 0, f, 0); usleep(300); }\n";
    let ends = [
        ("exit", "static void *end(void *p) { puts(\"end\"); exit(5); }"),
        ("group", "static void *end(void *p) { write(1, \"end\\n\", 4); _exit(6); }"),
        ("abort", "static void *end(void *p) { abort(); }"),
        ("fault", "static void *end(void *p) { *(volatile int *)p = 1; return 0; }"),
        ("kill", "static void *end(void *p) { kill(getpid(), SIGKILL); return 0; }"),
        (
            "exec",
            "static void *end(void *p) { execl(\"/bin/echo\", \"echo\", \"replaced\", (char *)0); return 0; }",
        ),
    ];
    for (name, end) in ends {
        let main = "int main(int n, char **v) { setvbuf(stdout, 0, _IONBF, 0); start(spin); start(sleep_on); if (n > 1) { pthread_t t; pthread_create(&t, 0, end, 0); if (n > 2) pthread_exit(0); for (;;) pause(); } end(0); return 0; }";
        let program = program(&format!("end_{name}"), &format!("{others}{end}\n{main}"));
        for args in [&[][..], &["1"], &["1", "2"]] {
            same(&program, args);
        }
    }
    let first = "static void *late(void *p) { usleep(3000); puts(\"late\"); return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, late, 0); pthread_exit(0); }";
    same(&program("first_ends", first), &[]);
}

/// Signals to one thread and to the process, masks, faults and jumps in threads, timers, waiting for signals.
#[test]
fn signals_of_threads() {
    let source = "
static __thread volatile int got; static atomic_int ticks, hits; static __thread sigjmp_buf b; static pthread_t all[4]; static volatile int is_over; static __thread char *volatile wrong;
static void note(int s) { got++; } static void tick(int s) { ticks++; } static void fault(int s) { hits++; siglongjmp(b, 1); }
static void *waits(void *p) { sigset_t set; sigemptyset(&set); sigaddset(&set, SIGUSR2); sigaddset(&set, SIGTRAP); long sum = 0; int s; while (sigwait(&set, &s) == 0 && s != SIGTRAP) sum += s; return (void *)sum; }
static void *work(void *p) { double d = 0; for (int r = 0; r < 60; r++) { for (int i = 1; i < 2000; i++) d += 1.0 / i;
    if (!sigsetjmp(b, 1)) { wrong = 0; wrong[r & 7] = 1; } if (r % 16 == 0) usleep(20); }
    while (!got) usleep(50); return (void *)(long)(d > 1); }
int main(void) { struct sigaction n = { .sa_handler = note }, t = { .sa_handler = tick, .sa_flags = SA_RESTART }, f = { .sa_handler = fault };
    sigaction(SIGUSR1, &n, 0); sigaction(SIGALRM, &t, 0); sigaction(SIGSEGV, &f, 0);
    sigset_t set; sigemptyset(&set); sigaddset(&set, SIGUSR2); sigaddset(&set, SIGTRAP); pthread_sigmask(SIG_BLOCK, &set, 0);
    pthread_t w; pthread_create(&w, 0, waits, 0); for (long k = 0; k < 4; k++) pthread_create(&all[k], 0, work, (void *)k);
    struct itimerval every = { { 0, 1500 }, { 0, 1500 } }; setitimer(ITIMER_REAL, &every, 0);
    for (int r = 0; r < 10; r++) { pthread_kill(w, SIGUSR2); usleep(1000); } for (int k = 0; k < 4; k++) pthread_kill(all[k], SIGUSR1);
    long sum = 0; for (int k = 0; k < 4; k++) { void *p; pthread_join(all[k], &p); sum += (long)p; }
    pthread_kill(w, SIGTRAP); void *p; pthread_join(w, &p); memset(&every, 0, sizeof every); setitimer(ITIMER_REAL, &every, 0);
    sigset_t now; pthread_sigmask(SIG_BLOCK, 0, &now); printf(\"%ld %d %d %d%d\\n\", sum, hits, (long)p >= SIGUSR2, sigismember(&now, SIGTRAP), sigismember(&now, SIGSEGV)); return ticks > 0 ? 4 : 5; }";
    same(&program("signals", source), &[]);
}

/// Processes made by threads, and code that comes and goes while others run it.
#[test]
fn processes_and_code_of_threads() {
    let source = "
typedef long (*code)(long); static atomic_long sum; static volatile int is_over;
static void *forks(void *p) { for (int r = 0; r < 6; r++) { pid_t c = r % 2 ? fork() : vfork(); if (c == 0) { if (r % 2) usleep(500); _exit(r + 1); } int s; waitpid(c, &s, 0); sum += WEXITSTATUS(s); }
    for (int r = 0; r < 2; r++) sum += system(\"exit 3\") >> 8; return 0; }
static void *makes(void *p) { for (long r = 0; r < 40; r++) { unsigned char *m = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    unsigned char text[] = { 0x48, 0x8d, 0x47, (unsigned char)r, 0xc3 }; memcpy(m, text, sizeof text); mprotect(m, 4096, PROT_READ | PROT_EXEC);
    for (long i = 0; i < 50; i++) sum += ((code)m)(i); munmap(m, 4096); sched_yield(); } return 0; }
static void *loops(void *p) { double d = 0; for (int r = 0; r < 3000; r++) for (int i = 1; i < 300; i++) d += 1.0 / (i + r); return (void *)(long)(d > 1); }
int main(void) { pthread_t t[4]; pthread_create(&t[0], 0, forks, 0); pthread_create(&t[1], 0, makes, 0); pthread_create(&t[2], 0, makes, 0); pthread_create(&t[3], 0, loops, 0);
    for (int k = 0; k < 4; k++) pthread_join(t[k], 0); printf(\"%ld\\n\", (long)sum); return 2; }";
    let program = program("code", source);
    same(&program, &[]);
    // The code cache is cleared while threads wait in system calls.
    for bytes in ["6000", "40000"] {
        same_under(&program, &[], &|command| _ = command.env(CODE_BYTES, bytes));
    }
}

/// Recording ends, and all threads run on alone.
#[test]
fn limits_let_all_threads_go() {
    let source = "
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; static pthread_cond_t c = PTHREAD_COND_INITIALIZER; static int turn; static long sum; static int failed;
static void *work(void *p) { long k = (long)p; double d = 0; for (int r = 0; r < 1500; r++) { for (int i = 1; i < 3000; i++) d += 1.0 / i;
    pthread_mutex_lock(&m); while (turn % 3 != k) pthread_cond_wait(&c, &m); turn++; sum = sum * 3 + k + r; pthread_cond_broadcast(&c); pthread_mutex_unlock(&m);
    struct timespec t = { 0, 20000 }; if (r % 8 == 0 && nanosleep(&t, 0)) failed++; } return 0; }
int main(int n, char **v) { pthread_t t[3]; for (long k = 0; k < 3; k++) pthread_create(&t[k], 0, work, (void *)k); if (n > 1) usleep(2000);
    for (int k = 0; k < 3; k++) pthread_join(t[k], 0); FILE *f = fopen(v[1], \"w\"); fprintf(f, \"%ld %d\\n\", sum, failed); return 3; }";
    let program = program("limits", source);
    let text = |k: usize| support::directory().join(format!("threads_limits.{k}"));
    let run = |k: usize, limit: &dyn Fn(&mut Config)| {
        let mut config =
            Config { args: vec![program.clone().into(), text(k).into()], ..Config::new(&program) };
        limit(&mut config);
        let (outcome, _) = record::run(&config, &mut Unguided::default(), Checked::default()).unwrap();
        assert_eq!(outcome.exit, Exit::Code(3));
        (outcome.stopped, std::fs::read_to_string(text(k)).unwrap())
    };
    let (_, expected) = run(0, &|_| {});
    for k in 1..6u64 {
        let (stopped, got) =
            run(k as usize, &|config| config.duration = Some(Duration::from_millis(20 + 17 * k)));
        assert_eq!(got, expected);
        assert!(stopped.is_none_or(|why| why == StopReason::Duration));
        let (stopped, got) = run(k as usize, &|config| config.max_instructions = Some(500_000 * k));
        assert_eq!((k, stopped, got), (k, Some(StopReason::Instructions), expected.clone()));
    }
}

/// Accesses of all threads, in the order of the words.
#[derive(Default)]
struct InOrder {
    blocks: Vec<Block>,
    expanders: HashMap<ThreadId, Expander>,
    ends: u64,
    kept: Option<fn(u64) -> bool>,
    /// Thread, address, access; if `kept` says so of the address.
    trail: Vec<(ThreadId, u64, Access)>,
}

impl Sink for InOrder {
    fn mapping(&mut self, _: Mapping) {}
    fn function(&mut self, _: FunctionCode) {}
    fn block(&mut self, block: Block) {
        self.blocks.push(block);
    }
    fn words(&mut self, thread: ThreadId, words: &[u64]) {
        let (trail, ends, kept) = (&mut self.trail, &mut self.ends, self.kept);
        let expander = self.expanders.entry(thread).or_default();
        let mut take = |event: Event| match event {
            Event::Touch { address, access, .. } if kept.is_none_or(|kept| kept(address)) => {
                trail.push((thread, address, access));
            }
            Event::Special(Special::End) => *ends += 1,
            _ => {}
        };
        expander.expand(words, &self.blocks, &mut take).unwrap();
    }
}

/// What one thread hands to another by plain stores and loads is recorded after it was written and before it is overwritten.
#[test]
fn words_are_in_order() {
    let source = "
volatile long box[64] __attribute__((aligned(4096))); volatile long flag; long sum;
static void *takes(void *p) { for (long r = 1; r <= 120; r++) { while (flag != r) if (r & 31) __builtin_ia32_pause(); sum += box[r & 63]; flag = -r; } return 0; }
int main(int n, char **v) { pthread_t t; pthread_create(&t, 0, takes, 0); for (long r = 1; r <= 120; r++) { box[r & 63] = r; flag = r; while (flag != -r) if (r & 31) __builtin_ia32_pause(); }
    pthread_join(t, 0); FILE *f = fopen(v[1], \"w\"); fprintf(f, \"%p %ld\\n\", (void *)box, sum); return 0; }";
    let program = program("order", source);
    let text = support::directory().join("threads_order.txt");
    for encoding in ENCODINGS {
        let args = vec![program.clone().into(), text.clone().into()];
        // Where the box may lie: spinning touches other places.
        let sink = InOrder { kept: Some(|address| address & 4095 < 512), ..InOrder::default() };
        let config = Config { args, encoding, buffer_words: 512, ..Config::new(&program) };
        let (outcome, got) = record::run(&config, &mut Unguided::default(), sink).unwrap();
        assert_eq!((outcome.exit, got.ends), (Exit::Code(0), 1));
        let printed = std::fs::read_to_string(&text).unwrap();
        let (place, sum) = printed.trim().split_once(' ').unwrap();
        assert_eq!(sum, (120 * 121 / 2).to_string());
        let start = u64::from_str_radix(&place[2..], 16).unwrap();
        let boxes = got.trail.iter().filter(|touch| (start..start + 512).contains(&touch.1));
        let mut written: HashMap<u64, u64> = HashMap::new();
        let mut reads = 0;
        for (k, &(thread, address, access)) in boxes.enumerate() {
            // Written and read in turns, by two threads.
            let is_write = k % 2 == 0;
            assert_eq!(
                (thread, access),
                if is_write { (0, Access::Write) } else { (1, Access::Read) },
                "{k}"
            );
            match is_write {
                true => _ = written.insert(address, k as u64),
                false => assert_eq!(written.get(&address), Some(&(k as u64 - 1))),
            }
            reads += u64::from(!is_write);
        }
        assert_eq!(reads, 120, "{encoding:?}");
    }
}

/// A process that was attached to makes threads.
#[test]
fn threads_of_an_attached_process() {
    let source = "
static atomic_long sum; static void *work(void *p) { long s = 0; for (long i = 0; i < 20000; i++) s += i ^ (long)p; sum += s; return 0; }
int main(int n, char **v) { for (int r = 0; r < 400; r++) { pthread_t t[2]; for (long k = 0; k < 2; k++) pthread_create(&t[k], 0, work, (void *)(k + r)); for (int k = 0; k < 2; k++) pthread_join(t[k], 0); usleep(1000); }
    FILE *f = fopen(v[1], \"w\"); fprintf(f, \"%ld\\n\", (long)sum); return 8; }";
    let program = program("attached", source);
    let text = |name: &str| support::directory().join(format!("threads_attached.{name}"));
    let run = |name: &str| {
        let path: &Path = &program;
        std::process::Command::new(path).arg(text(name)).spawn().unwrap()
    };
    assert_eq!(run("alone").wait().unwrap().code(), Some(8));
    let mut running = run("recorded");
    for k in 0..4 {
        let pid = Some(running.id() as i32);
        let config = Config { pid, duration: Some(Duration::from_millis(60 + 13 * k)), ..Config::new("") };
        let (outcome, _) = record::run(&config, &mut Unguided::default(), Checked::default()).unwrap();
        assert_eq!((outcome.exit, outcome.stopped), (Exit::Running, Some(StopReason::Duration)));
    }
    assert_eq!(running.wait().unwrap().code(), Some(8));
    let read = |name| std::fs::read_to_string(text(name)).unwrap();
    assert_eq!(read("recorded"), read("alone"));
}

/// Threads that a process has when it is attached to, of all kinds: that compute, hand things on, sleep, wait from beginning to end, make
/// threads, end; the first one waits for them.
#[test]
fn threads_that_run_already() {
    let source = "
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; static pthread_cond_t c = PTHREAD_COND_INITIALIZER; static int turn, failed; static long sum, other; static int ends[2];
static atomic_int ticks; static void tick(int s) { ticks++; }
static void *brief(void *p) { long s = 0; for (long i = 0; i < 3000; i++) s += i ^ (long)p; return (void *)s; }
static void *waits(void *p) { char x; return (void *)(long)read(ends[0], &x, 1); }
static void *work(void *p) { long k = (long)p; double d = 0; sigset_t set; sigemptyset(&set); sigaddset(&set, SIGTRAP); if (k == 1) pthread_sigmask(SIG_BLOCK, &set, 0);
    for (int r = 0; r < ROUNDS; r++) { for (int i = 1; i < 2000; i++) d += 1.0 / i;
        pthread_mutex_lock(&m); while (turn % 3 != k) pthread_cond_wait(&c, &m); turn++; sum = sum * 3 + k + r; pthread_cond_broadcast(&c); pthread_mutex_unlock(&m);
        struct timespec t = { 0, 20000 }; if (r % 8 == 0 && nanosleep(&t, 0) && errno != EINTR) failed++;
        if (k == 2 && r % 4 == 0) { pthread_t t; void *p; pthread_create(&t, 0, brief, (void *)(long)r); pthread_join(t, &p); other += (long)p; } }
    pthread_sigmask(SIG_BLOCK, 0, &set); return (void *)(long)(sigismember(&set, SIGTRAP) + (d > 1)); }
int main(int n, char **v) { pthread_t t[3], w; long all = 0; void *p; pipe(ends); signal(SIGALRM, tick); pthread_create(&w, 0, waits, 0);
    struct itimerval i = { { 0, 3000 }, { 0, 3000 } }; setitimer(ITIMER_REAL, &i, 0);
    for (long k = 0; k < 3; k++) pthread_create(&t[k], 0, work, (void *)k); for (int k = 0; k < 3; k++) { pthread_join(t[k], &p); all += (long)p; }
    write(ends[1], v[1], 1); pthread_join(w, &p); memset(&i, 0, sizeof i); setitimer(ITIMER_REAL, &i, 0);
    FILE *f = fopen(v[1], \"w\"); fprintf(f, \"%ld %ld %d %ld %ld %d\\n\", sum, other, failed, all, (long)p, ticks > 0); return 4; }";
    let program = program("there", &source.replace("ROUNDS", "40000"));
    let text = |name: &str| support::directory().join(format!("threads_there.{name}"));
    let run = |name: &str| std::process::Command::new(&program).arg(text(name)).spawn().unwrap();
    assert_eq!(run("alone").wait().unwrap().code(), Some(4));
    let mut running = run("recorded");
    let tasks = || std::fs::read_dir(format!("/proc/{}/task", running.id())).unwrap();
    support::until("no threads", || (tasks().count() >= 5).then_some(()));
    let mut is_over = false;
    for k in 0..8 {
        let encoding = ENCODINGS[k as usize % ENCODINGS.len()];
        let duration = Some(Duration::from_millis(30 + 13 * k));
        let config = Config { pid: Some(running.id() as i32), encoding, duration, ..Config::new("") };
        let (outcome, got) = record::run(&config, &mut Unguided::default(), InOrder::default()).unwrap();
        is_over = outcome.exit != Exit::Running;
        if is_over {
            break;
        }
        assert_eq!(outcome.stopped, Some(StopReason::Duration));
        assert!(outcome.untracked.iter().all(|u| u.what != "thread"), "{:?}", outcome.untracked);
        assert!(
            encoding == Encoding::None || got.expanders.len() >= 3,
            "{encoding:?} {}",
            got.expanders.len()
        );
        for task in tasks().flatten() {
            let status = std::fs::read_to_string(task.path().join("status")).unwrap_or_default();
            assert!(status.is_empty() || status.contains("TracerPid:\t0"), "{status}");
        }
    }
    assert!(!is_over);
    assert_eq!(running.wait().unwrap().code(), Some(4));
    let read = |name| std::fs::read_to_string(text(name)).unwrap();
    assert_eq!(read("recorded"), read("alone"));
}

/// Regression: threads that never call anything get their turns, too, and a limit ends the recording while the first one sleeps.
#[test]
fn threads_that_compute_already() {
    let source = "
static volatile long over; static void *work(void *p) { double s = 1; while (!over) for (long i = 0; i < 1000; i++) s += 1 / s; return s > 9 ? p : 0; }
int main(int n, char **v) { pthread_t t[3]; for (long k = 0; k < 3; k++) pthread_create(&t[k], 0, work, 0);
    for (int r = 0; r < 6000; r++) usleep(10000); over = 1; for (int k = 0; k < 3; k++) pthread_join(t[k], 0); return 6; }";
    let mut running = std::process::Command::new(program("compute", source)).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(50));
    for k in 0..3 {
        let duration = Some(Duration::from_millis(150 + 20 * k));
        let config = Config {
            pid: Some(running.id() as i32),
            encoding: Encoding::Folded,
            duration,
            ..Config::new("")
        };
        let start = std::time::Instant::now();
        let sink = InOrder { kept: Some(|_| false), ..InOrder::default() };
        let (outcome, got) = record::run(&config, &mut Unguided::default(), sink).unwrap();
        assert_eq!((outcome.exit, outcome.stopped), (Exit::Running, Some(StopReason::Duration)));
        assert!(got.expanders.len() >= 3, "{}", got.expanders.len());
        assert!(start.elapsed() < Duration::from_secs(20));
    }
    running.kill().unwrap();
    assert_eq!(running.wait().unwrap().code(), None);
}

/// Regression: when all threads that were recorded have ended, the recorder's memory is taken away through one that waits; and the process can be attached
/// to again.
#[test]
fn nothing_stays_when_the_recorded_threads_have_ended() {
    let source = "
static void *brief(void *p) { volatile long s = 0; for (long i = 0; i < 30000000; i++) s += i; return 0; }
int main(int n, char **v) { pthread_t t; pthread_create(&t, 0, brief, 0); pthread_detach(t); char c; read(0, &c, 1); read(0, &c, 1); return 2; }";
    // It waits until it is told to end: it outlives both recordings however long they take.
    let mut running = std::process::Command::new(program("left", source));
    let mut running = running.stdin(std::process::Stdio::piped()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(20));
    for _ in 0..2 {
        let duration = Some(Duration::from_millis(900));
        let config = Config { pid: Some(running.id() as i32), duration, ..Config::new("") };
        let (outcome, _) = record::run(&config, &mut Unguided::default(), Checked::default()).unwrap();
        assert_eq!((outcome.exit, outcome.stopped), (Exit::Running, Some(StopReason::Duration)));
        let maps = std::fs::read_to_string(format!("/proc/{}/maps", running.id())).unwrap();
        assert!(!maps.contains("loopwright"), "{maps}");
    }
    // Waiting closes its standard input, which ends its reads.
    assert_eq!(running.wait().unwrap().code(), Some(2));
}

/// What is recorded of threads can be counted on to be all.
#[test]
fn nothing_is_lost() {
    let source = "
static void *work(void *p) { volatile long s = 0; for (long i = 0; i < 50000; i++) s += i; return 0; }
int main(void) { pthread_t t[3]; for (long k = 0; k < 3; k++) pthread_create(&t[k], 0, work, (void *)k); for (int k = 0; k < 3; k++) pthread_join(t[k], 0); return 0; }";
    let program = program("lost", source);
    for encoding in [Encoding::Addresses, Encoding::Folded] {
        let config = Config { encoding, buffer_words: 1024, ..Config::new(&program) };
        let (_, got) = record::run(&config, &mut Unguided::default(), InOrder::default()).unwrap();
        for thread in 1..=3 {
            let own = got.trail.iter().filter(|touch| touch.0 == thread);
            let mut stores: HashMap<u64, u64> = HashMap::new();
            own.filter(|touch| touch.2 == Access::Write).for_each(|t| *stores.entry(t.1).or_default() += 1);
            // The variable is set and then stored to in every iteration; its place on the stack has other uses, too.
            let most = stores.values().max().unwrap();
            assert!((50_001..50_020).contains(most), "{encoding:?} {thread} {most}");
        }
        assert_eq!(got.ends, 3);
    }
}
