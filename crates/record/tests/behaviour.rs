//! Recorded programs behave as they do alone.

use crate::support;

use std::path::Path;

use record::{Encoding, Exit};
use support::{Checked, compile, record, same};

fn c(name: &str, source: &str, flags: &[&str]) {
    same(&compile(&format!("{name}.c"), source, flags), &[]);
}

#[test]
fn setjmp_and_longjmp() {
    c(
        "jump",
        "#include <setjmp.h>\n#include <stdio.h>\nstatic jmp_buf b; static void f(int n) { if (n == 0) longjmp(b, 7); f(n - 1); }
        int main(void) { int s = 0; for (int i = 0; i < 50; i++) { int r = setjmp(b); if (r) s += r; else f(i); } printf(\"%d\\n\", s); return s & 63; }",
        &["-O2"],
    );
}

#[test]
fn faults_with_handlers() {
    let source = "#define _GNU_SOURCE\n#include <setjmp.h>\n#include <signal.h>\n#include <stdio.h>\n#include <sys/mman.h>\n#include <ucontext.h>
        static sigjmp_buf b; static volatile long at; static char *page; static volatile int n;
        static void caught(int s, siginfo_t *i, void *u) { at += (long)i->si_addr == (long)(page + 4096); n++; siglongjmp(b, s); }
        static void skip(int s, siginfo_t *i, void *u) { ((ucontext_t *)u)->uc_mcontext.gregs[REG_RIP] += 2; n += 100; }
        int main(void) {
            struct sigaction a = { .sa_sigaction = caught, .sa_flags = SA_SIGINFO }; sigfillset(&a.sa_mask);
            sigaction(SIGSEGV, &a, 0); sigaction(SIGFPE, &a, 0); sigaction(SIGTRAP, &a, 0);
            struct sigaction k = { .sa_sigaction = skip, .sa_flags = SA_SIGINFO }; sigaction(SIGILL, &k, 0);
            page = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); mprotect(page + 4096, 4096, PROT_NONE);
            volatile long i = 0; long sum = 0;
            for (int t = 0; t < 5; t++) if (!sigsetjmp(b, 1)) for (char *p = page; ; p++) { *p = 1; i++; }
            for (int t = 0; t < 3; t++) if (!sigsetjmp(b, 1)) { volatile char *q = page; while (1) sum += *q++; }
            volatile int zero = 0; if (!sigsetjmp(b, 1)) i += 5 / zero;
            __asm__ volatile(\"ud2\"); __asm__ volatile(\"ud2\");
            if (!sigsetjmp(b, 1)) __asm__ volatile(\"int3\");
            printf(\"%ld %ld %ld %d\\n\", i, at, sum, n); return 0; }";
    c("fault", source, &["-O0"]);
    c("fault", source, &["-O2"]);
}

/// Regression 12 of record: code that may change is compared while the program has alignment checked, as a JVM does.
#[test]
fn alignment_checked() {
    let source = "#include <stdio.h>\n#include <string.h>\n#include <sys/mman.h>
        int main(void) { unsigned char *m = mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); long sum = 0;
            unsigned char text[] = { 0x9c, 0x81, 0x0c, 0x24, 0, 0, 4, 0, 0x9d, 0xeb, 1, 0x90, 0x48, 0x8d, 0x47, 7, 0xeb, 0, 0x9c, 0x81, 0x24, 0x24, 0xff, 0xff, 0xfb, 0xff, 0x9d, 0xc3 };
            for (int k = 0; k < 24; k++) { memcpy(m + 65 * k, text, sizeof text); m[65 * k + 15] = k; for (int r = 0; r < 3; r++) sum = sum * 5 + ((long (*)(long))(m + 65 * k))(r); }
            printf(\"%ld\\n\", sum); return 0; }";
    c("aligned", source, &["-O1"]);
}

/// Code that changes, compared where it reads the flags, some of them or none, and `rax`; and blocks of two and three bytes.
#[test]
fn flags_across_comparisons() {
    let source = "#include <limits.h>\n#include <stdio.h>\n#include <string.h>\n#include <sys/mman.h>
        #define COMPARE 0x48, 0x39, 0xf7, 0xeb, 0
        static unsigned char all[] = { COMPARE, 0x0f, 0x92, 0xc0, 0x0f, 0x90, 0xc1, 0x0f, 0x9c, 0xc2, 0x0f, 0xb6, 0xc0, 0x0f, 0xb6, 0xc9, 0x0f, 0xb6, 0xd2, 0x8d, 4, 0x48, 0x8d, 0x84, 0x90, 5, 0, 0, 0, 0xc3 };
        static unsigned char carry[] = { COMPARE, 0xff, 0xc2, 0x0f, 0x92, 0xc0, 0x0f, 0xb6, 0xc0, 0x8d, 0x80, 5, 0, 0, 0, 0xc3 };
        static unsigned char rax[] = { 0x89, 0xf8, COMPARE, 0x90, 0xeb, 0, 0x15, 5, 0, 0, 0, 0xc3 };
        static unsigned char none[] = { 0x89, 0xf8, COMPARE, 5, 5, 0, 0, 0, 0xeb, 0, 0xc3 };
        int main(void) { unsigned char *m = mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); unsigned long sum = 0;
            struct { unsigned char *from; int size, changed; } codes[] = { { all, sizeof all, 25 }, { carry, sizeof carry, 15 }, { rax, sizeof rax, 11 }, { none, sizeof none, 8 } };
            long values[] = { 0, 1, -1, 7, LONG_MAX, LONG_MIN, LONG_MIN + 1, INT_MAX };
            for (int c = 0; c < 4; c++) memcpy(m + 512 * c + 3, codes[c].from, codes[c].size);
            for (int k = 0; k < 12; k++) for (int c = 0; c < 4; c++) { m[512 * c + 3 + codes[c].changed] = k / 3;
                for (int i = 0; i < 64; i++) { int r = ((int (*)(long, long))(m + 512 * c + 3))(values[i / 8], values[i % 8]); sum = sum * 31 + (unsigned)r; }
                printf(\"%d %d %lx\\n\", k, c, sum); }
            return 0; }";
    c("compared", source, &["-O1"]);
}

#[test]
fn death_by_signal() {
    c(
        "die",
        "#include <stdio.h>\nint main(void) { puts(\"a\"); fflush(stdout); volatile int *p = 0; return *p; }",
        &["-O2"],
    );
    c("abort", "#include <stdlib.h>\nint main(void) { abort(); }", &["-O2"]);
    c(
        "terminate",
        "#include <signal.h>\n#include <unistd.h>\nint main(void) { kill(getpid(), SIGTERM); for (;;) pause(); }",
        &["-O2"],
    );
    c("trap", "int main(void) { __builtin_trap(); }", &["-O2"]);
}

#[test]
fn timer_signals() {
    c(
        "timer",
        "#include <signal.h>\n#include <stdio.h>\n#include <sys/time.h>
        static volatile int ticks; static double a[1000];
        static void tick(int s) { ticks++; for (int i = 0; i < 100; i++) a[i] += i; }
        int main(void) {
            signal(SIGALRM, tick); struct itimerval t = { { 0, 2000 }, { 0, 2000 } }; setitimer(ITIMER_REAL, &t, 0);
            double s = 0; long n = 0; while (ticks < 40) { for (int i = 100; i < 1000; i++) { a[i] += 1; } n++; }
            t.it_value.tv_usec = t.it_interval.tv_usec = 0; setitimer(ITIMER_REAL, &t, 0);
            for (int i = 100; i < 1000; i++) s += a[i] == (double)n; printf(\"%g %g\\n\", s, a[99] / ticks); return 0; }",
        &["-O2"],
    );
}

#[test]
fn processes_and_threads() {
    c(
        "fork",
        "#include <stdio.h>\n#include <stdlib.h>\n#include <sys/wait.h>\n#include <unistd.h>
        int main(void) { int s = 0; for (int i = 0; i < 4; i++) { fflush(stdout); int p = fork(); if (!p) { printf(\"child %d\\n\", i); fflush(stdout); _exit(i + 3); } int st; waitpid(p, &st, 0); s += WEXITSTATUS(st); }
          fflush(stdout); s += WEXITSTATUS(system(\"echo shell; exit 5\")); printf(\"%d\\n\", s); return s; }",
        &["-O2"],
    );
    c(
        "thread",
        "#include <pthread.h>\n#include <stdio.h>
        static long total; static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; static __thread int local = 4;
        static void *work(void *x) { for (long i = 0; i < 20000; i++) { pthread_mutex_lock(&m); total += local; pthread_mutex_unlock(&m); } return x; }
        int main(void) { pthread_t t[4]; for (long i = 0; i < 4; i++) pthread_create(&t[i], 0, work, (void *)i); work(0);
          long s = 0; void *r; for (int i = 0; i < 4; i++) { pthread_join(t[i], &r); s += (long)r; } printf(\"%ld %ld\\n\", total, s); return 0; }",
        &["-O2"],
    );
}

#[test]
fn program_replaces_itself() {
    c(
        "exec",
        "#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>
        int main(int n, char **v) { if (n > 1) { printf(\"second %s\\n\", v[1]); return 9; } puts(\"first\"); fflush(stdout); execl(v[0], v[0], \"x\", (char *)0); return 1; }",
        &["-O1"],
    );
    let script = support::directory().join("script.sh");
    std::fs::write(&script, "#!/bin/sh\necho script $1\nexit 3\n").unwrap();
    std::fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    same(&script, &["argument"]);
}

#[test]
fn exceptions() {
    let program = compile(
        "exception.cc",
        "#include <cstdio>\n#include <stdexcept>\n#include <string>
        struct Guard { int &n; ~Guard() { n++; } };
        static int f(int n, int &c) { Guard g{c}; if (n == 0) throw std::runtime_error(\"deep\" + std::to_string(c)); return f(n - 1, c) + 1; }
        int main() { int c = 0, s = 0; for (int i = 0; i < 30; i++) try { s += f(i, c); } catch (const std::exception &e) { s += e.what()[4]; } std::printf(\"%d %d\\n\", c, s); }",
        &["-O2"],
    );
    same(&program, &[]);
}

#[test]
fn link_styles_and_system_programs() {
    let source = "#include <stdio.h>\n#include <string.h>\nint main(int n, char **v) { char b[200]; memset(b, 'x', 199); b[199] = 0; printf(\"%zu %s\\n\", strlen(b), strchr(b + 190, 'x')); return 0; }";
    for flags in [&["-O2", "-static"][..], &["-O2", "-no-pie"], &["-O2", "-static-pie"], &["-O0"]] {
        c("style", source, flags);
    }
    same(Path::new("/bin/ls"), &["/"]);
    same(Path::new("/bin/true"), &[]);
    same(Path::new("/bin/false"), &[]);
    same(Path::new("/bin/sh"), &["-c", "for i in 1 2 3; do echo $i; done | tail -n 1; kill -9 $$"]);
}

/// Programs of tens of millions of instructions, recorded whole.
#[test]
fn large_programs() {
    let installed = |program: &str| {
        let path = Path::new("/usr/bin").join(program);
        assert!(path.exists(), "{program} is not installed: apt-get install {program}");
        path
    };
    same(
        &installed("perl"),
        &["-e", "my %h; $h{$_ % 7} += $_ for 1..3000; print $h{$_} for sort keys %h; exit 3"],
    );
    same(&installed("openssl"), &["dgst", "-sha256", "/etc/passwd"]);
    same(&installed("python3"), &["-S", "-c", "import json; print(json.dumps(list(range(99))))"]);
}

#[test]
fn partial_and_signal_records() {
    let program = compile(
        "records.c",
        "#include <setjmp.h>\n#include <signal.h>\nstatic sigjmp_buf b; static void h(int s) { siglongjmp(b, 1); }
        int main(void) { signal(SIGSEGV, h); if (!sigsetjmp(b, 1)) { volatile int *p = (int *)8; *p = 1; } return 4; }",
        &["-O2"],
    );
    let (outcome, got) = record(&program, &[], Encoding::Folded, 1 << 14);
    assert_eq!(outcome.exit, Exit::Code(4));
    assert_eq!((got.signals, got.partials), (1, 1));
    let Checked { functions, .. } = &got;
    assert!(functions.len() > 20);
}

/// Code that comes and goes, code outside all mappings that can be read, transactions that the processor may abort.
#[test]
fn unusual_code() {
    c(
        "libraries",
        "#include <dlfcn.h>\n#include <stdio.h>\nint main(void) { double s = 0; for (int i = 0; i < 20; i++) {
            void *h = dlopen(\"libm.so.6\", RTLD_NOW); double (*f)(double) = dlsym(h, i & 1 ? \"cos\" : \"sin\"); s += f(i); dlclose(h); }
            printf(\"%g\\n\", s); return 0; }",
        &["-O1"],
    );
    c(
        "replaced",
        "#include <stdio.h>\n#include <string.h>\n#include <sys/mman.h>\nint main(void) { int s = 0; for (int k = 0; k < 40; k++) {
            unsigned char *p = mmap((void *)0x700000000, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
            unsigned char c[] = { 0xb8, k, 0, 0, 0, 0xc3 }; memcpy(p, c, 6); mprotect(p, 4096, PROT_READ | PROT_EXEC);
            for (int t = 0; t < 3; t++) s += ((int (*)(void))p)(); if (k & 1) munmap(p, 4096); } printf(\"%d\\n\", s); return 0; }",
        &["-O1"],
    );
    c(
        "vsyscall",
        "#include <stdio.h>\n#include <sys/time.h>\nint main(void) { struct timeval v = { 0 }; long (*f)(void *, void *) = (void *)0xffffffffff600000; long s = 0;
            for (int i = 0; i < 100; i++) s += f(&v, 0); printf(\"%ld %d\\n\", s, v.tv_sec > 1000000); return 0; }",
        &["-O1"],
    );
    c(
        "transactions",
        "#include <stdio.h>\nint main(void) { int n = 0; for (int i = 0; i < 10; i++) { int r = 1; asm volatile(\"xbegin 1f\\n xend\\n1:\" ::: \"eax\", \"memory\"); n += r; }
            printf(\"%d\\n\", n); return 0; }",
        &["-O1"],
    );
}
