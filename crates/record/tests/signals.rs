//! Signals reach recorded programs as they do alone: what is inherited, masks, handlers, job control.

use crate::support;

use std::collections::HashMap;
use std::os::unix::process::CommandExt;
use std::process::Command;

use record::{Config, Encoding, Exit};
use support::{Checked, compile, record, same, same_under};
use trace::block::Access;

const HEAD: &str = "#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
static double cells[4000];
static double churn(int n) { double s = 0; for (int t = 0; t < n; t++) for (int i = 1; i < 4000; i++) { cells[i] += cells[i - 1] * 0.5 + t; s += cells[(i * 7) % 4000]; } return s; }
static void on(int s, void (*f)(int, siginfo_t *, void *), int flags, int full) {
    struct sigaction a = { .sa_sigaction = f, .sa_flags = flags | SA_SIGINFO }; if (full) sigfillset(&a.sa_mask); sigaction(s, &a, 0);
}
static void mask(int how, int a, int b) { sigset_t s; sigemptyset(&s); if (a) sigaddset(&s, a); if (b) sigaddset(&s, b); sigprocmask(how, &s, 0); }
static void show(const char *what) {
    sigset_t s; sigprocmask(SIG_BLOCK, 0, &s); printf(\"%s:\", what); for (int i = 1; i < 65; i++) if (sigismember(&s, i) == 1) printf(\" %d\", i);
    sigpending(&s); printf(\" pending:\"); for (int i = 1; i < 65; i++) if (sigismember(&s, i) == 1) printf(\" %d\", i); puts(\"\"); fflush(stdout);
}
";

fn c(name: &str, source: &str, levels: &[&str]) {
    for level in levels {
        same(&compile(&format!("{name}.c"), &format!("{HEAD}{source}"), &[level]), &[]);
    }
}

/// Ignored and blocked signals, also those that the recorder needs itself.
#[test]
fn what_is_inherited() {
    let source = "int main(void) {
        for (int s = 1; s < 32; s++) { struct sigaction a; if (s != 9 && s != 19) { sigaction(s, 0, &a); if (a.sa_handler != SIG_DFL) printf(\"%d %s\\n\", s, a.sa_handler == SIG_IGN ? \"ignored\" : \"?\"); } }
        show(\"mask\"); kill(getpid(), SIGINT); kill(getpid(), SIGTRAP); show(\"mask\"); printf(\"%g\\n\", churn(20)); return 3; }";
    let program = compile("inherits.c", &format!("{HEAD}{source}"), &["-O2"]);
    same(&program, &[]);
    let prepare = |ignored: &'static [i32], blocked: &'static [i32]| {
        move |command: &mut Command| {
            let set_up = move || {
                // SAFETY: async-signal-safe calls with valid arguments.
                unsafe {
                    let mut set: libc::sigset_t = std::mem::zeroed();
                    blocked.iter().for_each(|&s| {
                        libc::sigaddset(&mut set, s);
                    });
                    libc::sigprocmask(libc::SIG_BLOCK, &set, std::ptr::null_mut());
                    ignored.iter().for_each(|&s| {
                        libc::signal(s, libc::SIG_IGN);
                    });
                }
                Ok(())
            };
            // SAFETY: as above.
            unsafe { command.pre_exec(set_up) };
        }
    };
    use libc::{SIGHUP, SIGINT, SIGPIPE, SIGSEGV, SIGTRAP, SIGUSR1, SIGXFSZ};
    same_under(&program, &[], &prepare(&[SIGINT, SIGTRAP, SIGHUP], &[SIGUSR1]));
    same_under(&program, &[], &prepare(&[SIGPIPE, SIGXFSZ, SIGSEGV, SIGTRAP, SIGINT], &[SIGSEGV, SIGUSR1]));
    same_under(&program, &[], &prepare(&[SIGINT], &[SIGTRAP, SIGSEGV]));
}

/// The signals that the recorder needs itself are blocked, and wait if they are sent.
#[test]
fn own_signals_blocked() {
    c(
        "blocked",
        "static volatile int seen; static pid_t from; static sigset_t inside;
        static void h(int s, siginfo_t *i, void *u) { seen += s; from = i->si_pid; inside = ((ucontext_t *)u)->uc_sigmask; churn(1); }
        int main(void) {
            on(SIGSEGV, h, 0, 1); on(SIGTRAP, h, 0, 0); on(SIGUSR1, h, 0, 1);
            mask(SIG_BLOCK, SIGSEGV, SIGTRAP); show(\"both\"); printf(\"%g\\n\", churn(30));
            kill(getpid(), SIGSEGV); kill(getpid(), SIGSEGV); raise(SIGTRAP); show(\"sent\"); printf(\"%g %d\\n\", churn(30), seen);
            mask(SIG_UNBLOCK, SIGSEGV, 0); printf(\"%d %d\\n\", seen, from == getpid()); show(\"one\");
            mask(SIG_SETMASK, SIGHUP, 0); printf(\"%d\\n\", seen); show(\"none\");
            mask(SIG_BLOCK, SIGSEGV, SIGUSR2); raise(SIGUSR1); show(\"after\"); printf(\"%d %d%d%d\\n\", seen, sigismember(&inside, SIGSEGV), sigismember(&inside, SIGUSR2), sigismember(&inside, SIGTRAP));
            sigset_t w; sigemptyset(&w); sigaddset(&w, SIGSEGV); sigaddset(&w, SIGUSR2); kill(getpid(), SIGSEGV);
            siginfo_t i; struct timespec t = { 0, 20000000 }; printf(\"%d\", sigtimedwait(&w, &i, &t)); printf(\" %d\", i.si_pid == getpid()); printf(\" %d\", sigtimedwait(&w, &i, &t)); printf(\" %d\\n\", errno);
            sigset_t e; sigemptyset(&e); kill(getpid(), SIGSEGV); printf(\"%d\", sigsuspend(&e)); printf(\" %d %d\\n\", errno, seen); show(\"suspended\");
            sigfillset(&e); sigdelset(&e, SIGALRM); on(SIGALRM, h, 0, 0);
            for (int k = 0; k < 4; k++) { struct itimerval v = { { 0, 0 }, { 0, 30000 } }; setitimer(ITIMER_REAL, &v, 0); int r; struct epoll_event ev; struct timespec l = { 5, 0 };
                if (k == 0) r = sigsuspend(&e); else if (k == 1) r = ppoll(0, 0, &l, &e); else if (k == 2) r = pselect(0, 0, 0, 0, &l, &e); else { int f = epoll_create1(0); r = epoll_pwait(f, &ev, 1, 5000, &e); }
                printf(\"%d %d %d %d%d\\n\", r, errno, seen, sigismember(&inside, SIGSEGV), sigismember(&inside, SIGTRAP)); show(\"waited\"); }
            struct timespec n = { 0, 1000 }; printf(\"%d\\n\", ppoll(0, 0, &n, &e)); show(\"expired\");
            printf(\"%d\", sigprocmask(7, &e, 0)); printf(\" %d\", errno); printf(\" %d\", (int)syscall(14, SIG_BLOCK, 8, 0, 8)); printf(\" %d\\n\", errno);
            if (fork() == 0) { show(\"child\"); _exit(3); } int st; wait(&st); printf(\"%g %d\\n\", churn(10), WEXITSTATUS(st)); return 0; }",
        &["-O0", "-O2"],
    );
}

#[test]
fn own_signals_ignored() {
    c(
        "ignored",
        "static volatile int seen; static void h(int s) { seen += s; }
        static void ask(int s) { struct sigaction a; sigaction(s, 0, &a); printf(\"%s \", a.sa_handler == SIG_IGN ? \"ignored\" : a.sa_handler == SIG_DFL ? \"default\" : \"handled\"); fflush(stdout); }
        int main(void) {
            ask(SIGSEGV); signal(SIGSEGV, SIG_IGN); signal(SIGTRAP, SIG_IGN); ask(SIGSEGV); ask(SIGTRAP); printf(\"%g\\n\", churn(30));
            kill(getpid(), SIGSEGV); raise(SIGTRAP); printf(\"%g\\n\", churn(30)); printf(\"%s \", signal(SIGSEGV, h) == SIG_IGN ? \"was\" : \"?\"); ask(SIGSEGV);
            raise(SIGSEGV); printf(\"%d \", seen); fflush(stdout); if (fork() == 0) { ask(SIGTRAP); ask(SIGSEGV); kill(getpid(), SIGTRAP); _exit(7); } int st; wait(&st); printf(\"%d\\n\", WEXITSTATUS(st));
            signal(SIGTRAP, SIG_DFL); ask(SIGTRAP); return 0; }",
        &["-O0", "-O2"],
    );
}

/// What is fatal alone is fatal here, whatever handler there is.
#[test]
fn faults_that_are_hidden() {
    let start = "static void h(int s) { puts(\"handled\"); fflush(stdout); _exit(4); }
        int main(void) { volatile int *volatile p = 0; puts(\"start\"); fflush(stdout); signal(SIGSEGV, h); signal(SIGTRAP, h);";
    for (k, end) in [
        "mask(SIG_BLOCK, SIGSEGV, 0); churn(9); return *p; }",
        "signal(SIGSEGV, SIG_IGN); churn(9); return *p; }",
        "mask(SIG_BLOCK, SIGTRAP, 0); churn(9); __asm__ volatile(\"int3\"); return 1; }",
        "signal(SIGTRAP, SIG_IGN); __asm__ volatile(\"int3\"); return 1; }",
        "mask(SIG_BLOCK, SIGTRAP, 0); churn(9); return *p; }",
        "mask(SIG_BLOCK, SIGSEGV, 0); mask(SIG_UNBLOCK, SIGSEGV, 0); return *p; }",
    ]
    .iter()
    .enumerate()
    {
        c(&format!("fatal{k}"), &format!("{start}{end}"), &["-O1"]);
    }
}

/// Nested handlers, flags of handlers, alternate stacks, what handlers see and change.
#[test]
fn handlers() {
    c(
        "handlers",
        "static volatile int depth, most, seen, order[40], n; static volatile long stack; static char alternate[65536]; static sigjmp_buf b;
        static void nest(int s, siginfo_t *i, void *u) { depth++; if (depth > most) most = depth; order[n++ % 40] = s * 10 + depth; if (depth < 4 && n < 12) { raise(s); raise(SIGUSR2); } order[n++ % 40] = -s; depth--; }
        static void where(int s, siginfo_t *i, void *u) { char c; stack = &c >= alternate && &c < alternate + 65536; seen++; churn(1); }
        static void value(int s, siginfo_t *i, void *u) { order[n++ % 40] = s - SIGRTMIN; order[n++ % 40] = i->si_value.sival_int; order[n++ % 40] = i->si_code; }
        static void out(int s, siginfo_t *i, void *u) { siglongjmp(b, s); }
        static void list(const char *w) { printf(\"%s %d:\", w, most); for (int k = 0; k < n && k < 40; k++) printf(\" %d\", order[k]); puts(\"\"); n = most = 0; }
        int main(void) {
            on(SIGUSR1, nest, 0, 0); on(SIGUSR2, nest, 0, 0); raise(SIGUSR1); list(\"plain\");
            on(SIGUSR1, nest, SA_NODEFER, 0); raise(SIGUSR1); list(\"nodefer\");
            on(SIGUSR1, nest, 0, 1); on(SIGUSR2, nest, SA_RESETHAND, 1); raise(SIGUSR1); list(\"full\");
            struct sigaction a; sigaction(SIGUSR2, 0, &a); printf(\"%d\\n\", a.sa_handler == SIG_DFL); on(SIGUSR2, nest, SA_RESETHAND | SA_NODEFER, 0); raise(SIGUSR2); sigaction(SIGUSR2, 0, &a); printf(\"%d\\n\", a.sa_handler == SIG_DFL);
            stack_t t = { .ss_sp = alternate, .ss_size = sizeof alternate }; sigaltstack(&t, 0);
            on(SIGALRM, where, SA_ONSTACK, 0); raise(SIGALRM); printf(\"%ld\", stack); on(SIGALRM, where, 0, 0); raise(SIGALRM); printf(\" %ld\\n\", stack);
            for (int s = 0; s < 6; s++) on(SIGRTMIN + s, value, 0, 1);
            sigset_t all; sigfillset(&all); sigprocmask(SIG_BLOCK, &all, 0); n = 0;
            for (int k = 0; k < 12; k++) { union sigval v = { .sival_int = 100 + k }; sigqueue(getpid(), SIGRTMIN + (k * 5) % 4, v); }
            show(\"queued\"); sigemptyset(&all); sigprocmask(SIG_SETMASK, &all, 0); list(\"queue\");
            on(SIGUSR1, out, 0, 0); int r = 0; for (int k = 0; k < 50; k++) { int v = sigsetjmp(b, k & 1); if (v) { r += v; if (!(k & 1)) mask(SIG_UNBLOCK, SIGUSR1, 0); } else raise(SIGUSR1); } printf(\"%d\\n\", r); show(\"jumped\");
            double x = churn(3); printf(\"%g\\n\", x); return 0; }",
        &["-O0", "-O2"],
    );
}

/// Registers that a handler sees and changes, of faults at known places and of signals from a timer.
#[test]
fn contexts_of_handlers() {
    c(
        "contexts",
        "static volatile int n, bad; static long want[16], got[17]; extern char at[], after[], loop[], done[];
        static const int regs[] = { REG_RBX, REG_RBP, REG_R8, REG_R9, REG_R10, REG_R12, REG_R13, REG_R14, REG_R15, REG_RSI, REG_RDI };
        static void fault(int s, siginfo_t *i, void *u) { greg_t *g = ((ucontext_t *)u)->uc_mcontext.gregs; for (int k = 0; k < 11; k++) got[k] = g[regs[k]]; got[11] = g[REG_RIP] == (long)at; got[12] = g[REG_RAX]; got[13] = g[REG_RCX]; got[14] = (long)i->si_addr;
            got[15] = g[REG_EFL] & 0x8d5; for (int k = 0; k < 11; k++) g[regs[k]] += 1000; g[REG_RIP] = (long)after; g[REG_RDX] = 77; }
        static void tick(int s, siginfo_t *i, void *u) { greg_t *g = ((ucontext_t *)u)->uc_mcontext.gregs; long p = g[REG_RIP]; n++;
            if (p >= (long)loop && p < (long)done) { if (g[REG_R8] != 8 || g[REG_R9] != 9 || g[REG_R10] != 10 || g[REG_R12] != 12 || g[REG_R13] != 13 || g[REG_R14] != 14 || g[REG_R15] != 15) bad++; if (n >= 30) g[REG_RAX] = 1; }
            __asm__ volatile(\"pxor %%xmm1, %%xmm1\\n pxor %%xmm7, %%xmm7\\n stc\" ::: \"xmm1\", \"xmm7\", \"cc\"); }
        int main(void) {
            on(SIGSEGV, fault, 0, 0); long out[12]; register long *to __asm__(\"r11\") = out;
            __asm__ volatile(\"push %%rbp\\n mov $1, %%ebx\\n mov $2, %%ebp\\n mov $3, %%r8d\\n mov $4, %%r9d\\n mov $5, %%r10d\\n mov $6, %%r12d\\n mov $7, %%r13d\\n mov $8, %%r14d\\n mov $9, %%r15d\\n mov $10, %%esi\\n mov $11, %%edi\\n mov $12, %%eax\\n mov $13, %%ecx\\n cmp $13, %%ecx\\n stc\\n\"
                \"at: mov %%rcx, 24\\n nop\\n after: mov %%rbx, 0(%0)\\n mov %%rbp, 8(%0)\\n mov %%r8, 16(%0)\\n mov %%r9, 24(%0)\\n mov %%r10, 32(%0)\\n mov %%r12, 40(%0)\\n mov %%r13, 48(%0)\\n mov %%r14, 56(%0)\\n mov %%r15, 64(%0)\\n mov %%rsi, 72(%0)\\n mov %%rdi, 80(%0)\\n mov %%rdx, 88(%0)\\n pop %%rbp\"
                : : \"r\"(to) : \"rax\", \"rbx\", \"rcx\", \"rdx\", \"r8\", \"r9\", \"r10\", \"r12\", \"r13\", \"r14\", \"r15\", \"rsi\", \"rdi\", \"memory\", \"cc\");
            for (int k = 0; k < 16; k++) printf(\"%ld \", got[k]); puts(\"\"); for (int k = 0; k < 12; k++) printf(\"%ld \", out[k]); puts(\"\");
            on(SIGALRM, tick, SA_RESTART, 0); struct itimerval v = { { 0, 3000 }, { 0, 3000 } }; setitimer(ITIMER_REAL, &v, 0); double x = 3, y; long r;
            __asm__ volatile(\"mov $8, %%r8d\\n mov $9, %%r9d\\n mov $10, %%r10d\\n mov $12, %%r12d\\n mov $13, %%r13d\\n mov $14, %%r14d\\n mov $15, %%r15d\\n movsd %2, %%xmm1\\n movsd %2, %%xmm7\\n xor %%eax, %%eax\\n mov $1, %%ecx\\n\"
                \"loop: add $2, %%rsi\\n test %%rax, %%rax\\n je loop\\n done: addsd %%xmm7, %%xmm1\\n movsd %%xmm1, %0\\n mov %%rcx, %1\" : \"=m\"(y), \"=r\"(r) : \"m\"(x) : \"rax\", \"rcx\", \"rsi\", \"r8\", \"r9\", \"r10\", \"r12\", \"r13\", \"r14\", \"r15\", \"xmm1\", \"xmm7\", \"memory\", \"cc\");
            memset(&v, 0, sizeof v); setitimer(ITIMER_REAL, &v, 0); printf(\"%d %g %ld %d\\n\", bad, y, r, n >= 30); return 0; }",
        &["-O1"],
    );
}

/// Calls that signals interrupt go on, or say so.
#[test]
fn interrupted_calls() {
    c(
        "interrupted",
        "static volatile int seen; static int pipes[2]; static void h(int s) { seen++; }
        static void put(int s) { char c = 'x'; write(pipes[1], &c, 1); seen++; }
        static void later(int us) { struct itimerval v = { { 0, 0 }, { 0, us } }; setitimer(ITIMER_REAL, &v, 0); }
        static void with(void (*f)(int), int flags) { struct sigaction a = { .sa_handler = f, .sa_flags = flags }; sigaction(SIGALRM, &a, 0); }
        int main(void) {
            char c; pipe(pipes); with(h, 0); later(20000); printf(\"%d\", (int)read(pipes[0], &c, 1)); printf(\" %d %d\\n\", errno, seen);
            with(put, SA_RESTART); later(20000); printf(\"%d\", (int)read(pipes[0], &c, 1)); printf(\" %c %d\\n\", c, seen);
            for (int k = 0; k < 30; k++) { struct pollfd p = { pipes[0], POLLIN, 0 }; later(100 + 37 * k); int r; do r = poll(&p, 1, -1); while (r < 0 && errno == EINTR); read(pipes[0], &c, 1); } printf(\"%d\\n\", seen);
            with(h, SA_RESTART); later(10000); struct timespec t = { 0, 60000000 }, left = { 0, 0 }; printf(\"%d\", nanosleep(&t, &left)); printf(\" %d %d\\n\", errno, left.tv_nsec > 10000000);
            later(10000); printf(\"%d\", pause()); printf(\" %d\\n\", errno);
            for (int k = 0; k < 3; k++) { int me = getpid(); int child = fork(); if (!child) { for (int q = 0; q < 5; q++) { usleep(3000); kill(me, k == 0 ? SIGCHLD : k == 1 ? SIGWINCH : SIGURG); } usleep(3000); write(pipes[1], \"y\", 1); _exit(k); }
                printf(\"%d \", (int)read(pipes[0], &c, 1)); int st; printf(\"%d \", wait(&st) == child); printf(\"%d\\n\", WEXITSTATUS(st)); fflush(stdout); }
            int me = getpid(); if (!fork()) { usleep(10000); kill(me, SIGSTOP); usleep(20000); kill(me, SIGCONT); usleep(10000); write(pipes[1], \"z\", 1); _exit(0); } printf(\"%d %c\\n\", (int)read(pipes[0], &c, 1), c); wait(0);
            return 0; }",
        &["-O0", "-O2"],
    );
}

/// A stopped program stands still until it is continued.
#[test]
fn job_control() {
    c(
        "jobs",
        "static volatile int n; static void h(int s) { n += s; } static int state(int pid) { char b[300], *e; sprintf(b, \"/proc/%d/stat\", pid); FILE *f = fopen(b, \"r\"); int r = fread(b, 1, 299, f); fclose(f); b[r] = 0; e = strrchr(b, ')'); return e[2]; }
        int main(void) { signal(SIGCONT, h); int ends[2], me = getpid(); pipe(ends); fflush(stdout); int stops[] = { SIGSTOP, SIGTSTP, SIGTTIN };
            for (int k = 0; k < 3; k++) { fflush(stdout); if (!fork()) { for (int t = 0; t < 500 && state(me) != 'T' && state(me) != 't'; t++) usleep(1000); usleep(30000); int before = state(me); usleep(60000); char now = state(me), same = now == before && (now == 'T' || now == 't'); write(ends[1], &same, 1); kill(me, SIGCONT); _exit(0); }
                raise(stops[k]); char c = 9; read(ends[0], &c, 1); wait(0); printf(\"%d %d\\n\", c, n); }
            signal(SIGTSTP, h); raise(SIGTSTP); printf(\"%d\\n\", n); signal(SIGTSTP, SIG_IGN); raise(SIGTSTP); printf(\"%d\\n\", n); return 0; }",
        &["-O1"],
    );
}

/// Timers that expire faster than signals are delivered. On some machines that is so without the recorder too, and the
/// program would stand still: each timer stops after a thousand signals.
#[test]
fn rapid_timers() {
    c(
        "rapid",
        "static volatile long n[3], wrong; static volatile int next; static timer_t t[2]; static long each[2];
        static void tick(int s, siginfo_t *i, void *u) { struct itimerval none = { 0 }; if (++n[0] == 1000) setitimer(ITIMER_REAL, &none, 0); cells[9] += 1; cells[9] -= 1; }
        static void timed(int s, siginfo_t *i, void *u) { struct itimerspec none = { 0 }; n[1]++; if (i->si_value.sival_int != s) wrong++; if (++each[s - SIGRTMIN] == 1000) timer_settime(t[s - SIGRTMIN], 0, &none, 0); }
        static void queued(int s, siginfo_t *i, void *u) { if (i->si_value.sival_int != next) wrong++; next++; }
        int main(void) {
            on(SIGALRM, tick, SA_RESTART, 0); on(SIGRTMIN, timed, SA_RESTART, 0); on(SIGRTMIN + 1, timed, 0, 1); on(SIGRTMIN + 2, queued, SA_RESTART, 0);
            struct itimerval v = { { 0, 50 }, { 0, 50 } }; setitimer(ITIMER_REAL, &v, 0);
            for (int k = 0; k < 2; k++) { struct sigevent e = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN + k, .sigev_value.sival_int = SIGRTMIN + k }; timer_create(CLOCK_MONOTONIC, &e, &t[k]); struct itimerspec s = { { 0, 50000 }, { 0, 50000 } }; timer_settime(t[k], 0, &s, 0); }
            printf(\"%g\\n\", churn(40)); struct timespec p = { 0, 20000000 }, left; while (nanosleep(&p, &left)) p = left;
            for (int k = 0; k < 200; k++) { char c[40]; sprintf(c, \"%d\", k * 7); cells[k] += c[0]; getppid(); }
            printf(\"%d\\n\", n[0] > 20 && n[1] > 20); memset(&v, 0, sizeof v); setitimer(ITIMER_REAL, &v, 0); for (int k = 0; k < 2; k++) timer_delete(t[k]);
            int me = getpid(); fflush(stdout); if (!fork()) { for (int k = 0; k < 300; k++) { union sigval q = { .sival_int = k }; while (sigqueue(me, SIGRTMIN + 2, q)) usleep(100); if (k % 20 == 0) usleep(300); } _exit(0); }
            int st; while (wait(&st) < 0); double s = 0; while (next < 300) s += churn(1); printf(\"%d %ld %d\\n\", next, wrong, s >= 0); return 0; }",
        &["-O2"],
    );
}

/// Regression: a program that dies while a record of a loop has begun, or is about to be completed, leaves no record with what
/// was in the buffer before.
#[test]
fn records_end_where_a_program_dies() {
    const EACH: u64 = 5;
    let source = format!(
        "static double sums[64]; static int at[{EACH}] = {{ 3, 1, 40, 17, 9 }};
        int main(int n, char **v) {{
            volatile unsigned long *rounds = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, open(v[1], 2), 0);
            struct itimerval t = {{ {{ 0, 0 }}, {{ 0, atoi(v[2]) }} }};
            for (;;) {{ if (*rounds == 30) setitimer(ITIMER_REAL, &t, 0); for (int i = 0; i < {EACH}; i++) sums[at[i]] += 1; ++*rounds; }} }}"
    );
    let program = compile("dies.c", &format!("{HEAD}#include <fcntl.h>\n{source}"), &["-O0", "-Wl,-z,now"]);
    let file = support::directory().join("dies.rounds");
    let mut seen = 0;
    for k in 0..40 {
        std::fs::write(&file, [0; 4096]).unwrap();
        let args = vec![program.clone().into(), file.clone().into(), format!("{}", 2000 + 57 * k).into()];
        let config = Config { args, skip_startup: true, encoding: Encoding::Folded, ..Config::new(&program) };
        let (outcome, got) =
            record::run(&config, &mut support::Unguided::default(), Checked::with_trail()).unwrap();
        assert_eq!(outcome.exit, Exit::Signal(libc::SIGALRM));
        let rounds = u64::from_le_bytes(std::fs::read(&file).unwrap()[..8].try_into().unwrap());
        let mut executions: HashMap<u64, u64> = HashMap::new();
        let reads = got.trail.as_ref().unwrap().iter().filter(|access| access.3 == Access::Read);
        reads.clone().for_each(|&(pc, ..)| *executions.entry(pc).or_default() += 1);
        let most = executions.values().copied().max().unwrap_or_default();
        if rounds <= 31 || got.partly == 0 {
            // It died where it sets the timer, or before the loop was known as one: the machine is busy.
            continue;
        }
        seen += 1;
        // What it was doing is what it did all the time.
        let latest: Vec<u64> = reads.rev().take(20).map(|&(pc, ..)| pc).collect();
        assert!(latest.iter().all(|pc| executions[pc] >= rounds - 1), "{latest:x?}, run {k}");
        // The comparison runs most often, once more than the body. The last record may be lost.
        let expected = (EACH + 1) * rounds;
        assert!(most.abs_diff(expected) <= 2 * EACH, "{most}, not {expected}, run {k}");
    }
    assert!(seen > 5, "{seen}");
}

/// Regression: a signal inside a repeated string instruction waits for its end, not for a stop after every element.
#[test]
fn repeated_strings_are_not_stepped_through() {
    let source = "static char bytes[1 << 20]; static volatile int n; static void tick(int s) { n++; }
        int main(void) {
            signal(SIGALRM, tick); struct itimerval v = { { 0, 3000 }, { 0, 3000 } }; setitimer(ITIMER_REAL, &v, 0);
            for (int t = 0; n < 20; t++) { void *d = bytes; long c = sizeof bytes; asm volatile(\"rep stosb\" : \"+D\"(d), \"+c\"(c) : \"a\"(t) : \"memory\"); }
            return bytes[7] != bytes[sizeof bytes - 1]; }";
    let program = compile("strings.c", &format!("{HEAD}{source}"), &["-O1", "-static"]);
    for encoding in [Encoding::None, Encoding::Folded] {
        let (outcome, _) = record(&program, &[], encoding, 1 << 14);
        assert_eq!(outcome.exit, Exit::Code(0));
        assert!(outcome.stops < 20_000, "{encoding:?}: {} stops", outcome.stops);
    }
}
