//! Loops whose iterations call functions are recorded along their way, and decode to what an independent single-step run saw.

use crate::support;

use support::agrees_along_ways as check;

/// One function twice in an iteration, functions with stack slots, and one that calls another one.
#[test]
fn functions_called_in_every_iteration() {
    let body = "static long a[900], b[900], c[900];
        __attribute__((noinline)) static long scaled(long x, long by) { return x * by + 1; }
        __attribute__((noinline)) static void put(long *to, long x) { *to = x; }
        __attribute__((noinline)) static long slots(long x) {
            volatile long first = x, second = first + 3; first = second; return first + second;
        }
        __attribute__((noinline)) static long twice(long x) { return scaled(x, 2) + scaled(x, 3); }
        int work(void) {
            for (long i = 0; i < 900; i++) a[i] = scaled(i, 3);
            for (long i = 0; i < 900; i++) b[i] = scaled(a[i], 3) + scaled(i, 5);
            for (long i = 0; i < 900; i++) put(&c[i], slots(b[i]) - slots(i));
            long s = 0;
            for (long i = 0; i < 900; i++) { s += twice(c[i]); put(a + 899 - i, s); }
            return s & 1023;
        }";
    check("leaves", body, &["-O0"], 60);
    check("leaves", body, &["-O2", "-fno-inline"], 70);
    check("leaves", body, &["-O2", "-fno-inline", "-fPIE", "-static-pie"], 70);
    check("leaves", body, &["-O1", "-mno-red-zone", "-fno-omit-frame-pointer"], 50);
}

/// Addresses that the caller adds up of registers, one of which goes on before the call.
#[test]
fn sums_as_arguments() {
    let body = "static long a[900], b[900], c[1900];
        __attribute__((noipa)) static void put(long *to, long x) { *to = x; to[3] ^= x; }
        __attribute__((noipa)) static void fill(long *x, long *y, long *z, long n, long by) {
            for (long i = 0; i < n; i++) { put(x + i, y[i] + 3); put(z + by + 2 * i, x[i]); put(z - i, i); }
        }
        int work(void) {
            for (long t = 0; t < 6; t++) fill(a, b, c + 900 - t, 400 + t, t);
            return (a[5] + b[7] + c[900]) & 1023;
        }";
    check("leafsums", body, &["-O2"], 70);
    check("leafsums", body, &["-O1"], 70);
}

/// A branch in the function that is taken rarely, and a way out of the loop by what it returns.
#[test]
fn branches_in_the_function() {
    let body = "static long a[600], b[600]; static volatile long found;
        __attribute__((noinline)) static long clamped(long x) { if (x > 5000) { b[0]++; return 5000; } return x; }
        __attribute__((noinline)) static int is_key(const long *at, long key) { return *at == key; }
        __attribute__((noinline)) static long search(long key, long n) {
            for (long i = 0; i < n; i++) { if (is_key(a + i, key)) return i; b[i]++; }
            return n;
        }
        int work(void) {
            long s = 0;
            for (long i = 0; i < 600; i++) a[i] = i % 97 == 90 ? 9000 + i : 3 * i;
            for (long t = 0; t < 5; t++) for (long i = 0; i < 600; i++) b[i] += clamped(a[i]);
            for (long k = 0; k < 40; k++) found += search(k * 9, 300 + k);
            for (long k = 0; k < 5; k++) found += search(-1, k);
            return (found + b[17] + s) & 1023;
        }";
    check("leafbranches", body, &["-O0"], 40);
    check("leafbranches", body, &["-O2", "-fno-inline"], 60);
}

/// What the registers hold around a call, and the flags behind a return, are the program's; no register is free.
#[test]
fn registers_and_flags_around_calls() {
    check(
        "leafflags",
        "static long a[300], b[300]; static long s;
        __asm__(\"odd: mov (%rsi), %rax\\n test $1, %al\\n ret\\n\"
            \"moved: push %rcx\\n push %rbx\\n mov 8(%rsp), %rbx\\n lea 1(%rbx), %rcx\\n mov %rcx, (%rdi)\\n pop %rbx\\n pop %rcx\\n ret\\n\");
        int work(void) {
            for (long i = 0; i < 300; i++) a[i] = i * 6 + (i % 50 == 49);
            for (long t = 0; t < 6; t++)
                __asm__ volatile(\"push %%rbp\\n lea %1, %%rsi\\n lea %2, %%rdi\\n mov $290, %%ecx\\n xor %%ebx, %%ebx\\n xor %%ebp, %%ebp\\n\"
                    \"1: call odd\\n jne 2f\\n add %%rax, %%rbx\\n2: mov $1, %%r8d\\n mov $2, %%r9d\\n mov $3, %%r10d\\n mov $4, %%r11d\\n mov $5, %%r12d\\n\"
                    \"mov $6, %%r13d\\n mov $7, %%r14d\\n mov $8, %%r15d\\n mov $9, %%edx\\n call moved\\n adc $0, %%rbp\\n add $8, %%rsi\\n add $8, %%rdi\\n\"
                    \"dec %%rcx\\n jne 1b\\n lea (%%rbx,%%rbp), %%rax\\n pop %%rbp\\n mov %%rax, %0\"
                    : \"+m\"(s) : \"m\"(a), \"m\"(b) : \"rax\", \"rbx\", \"rcx\", \"rdx\", \"rsi\", \"rdi\", \"r8\", \"r9\", \"r10\", \"r11\", \"r12\", \"r13\", \"r14\", \"r15\", \"memory\", \"cc\");
            return s & 1023;
        }",
        &["-O1", "-mno-red-zone", "-fomit-frame-pointer"],
        70,
    );
}

/// A function that changes its return address now and then; the flags matter behind it.
#[test]
fn returns_to_elsewhere() {
    check(
        "leafreturns",
        "static long a[500]; static long s;
        __asm__(\"skips: mov (%rsi), %rax\\n add %rdx, (%rsp)\\n cmp $5, %rdx\\n ret\\n\");
        int work(void) {
            for (long i = 0; i < 500; i++) a[i] = i;
            for (long t = 0; t < 20; t++)
                __asm__ volatile(\"lea %1, %%rsi\\n mov $400, %%ecx\\n xor %%ebx, %%ebx\\n\"
                    \"1: xor %%edx, %%edx\\n mov $4, %%r8d\\n test $63, %%cl\\n cmove %%r8, %%rdx\\n call skips\\n adc $1, %%rbx\\n adc %%rax, %%rbx\\n\"
                    \"add $8, %%rsi\\n dec %%rcx\\n jne 1b\\n add %%rbx, %0\\n\"
                    : \"+m\"(s) : \"m\"(a) : \"rax\", \"rbx\", \"rcx\", \"rdx\", \"rsi\", \"r8\", \"memory\", \"cc\");
            return s & 1023;
        }",
        &["-O1", "-mno-red-zone"],
        80,
    );
}

/// Functions put registers back that the caller's addresses depend on, but one of them changes what it has pushed now and then.
#[test]
fn registers_that_functions_put_back() {
    check(
        "leafkept",
        "static long a[900], b[900]; static long s;
        __asm__(\"keeps: push %rbx\\n push %rbp\\n push %r12\\n mov %rsp, %rbp\\n mov (%rsi), %rbx\\n lea (%rbx,%rdx), %r12\\n sub $16, %rsp\\n mov %r12, -8(%rbp)\\n\"
            \"call inner\\n add %rdx, 16(%rbp)\\n mov -8(%rbp), %rax\\n add $16, %rsp\\n pop %r12\\n pop %rbp\\n pop %rbx\\n ret\\n\"
            \"inner: push %rbp\\n mov %rsp, %rbp\\n push %rcx\\n mov $5, %ecx\\n pop %rcx\\n leave\\n ret\\n\");
        int work(void) {
            for (long i = 0; i < 900; i++) a[i] = i;
            for (long t = 0; t < 20; t++)
                __asm__ volatile(\"push %%rbp\\n lea %1, %%rsi\\n mov %%rsi, %%rbx\\n lea %2, %%rbp\\n mov $400, %%ecx\\n xor %%r9d, %%r9d\\n\"
                    \"1: xor %%edx, %%edx\\n mov $8, %%r8d\\n test $63, %%cl\\n cmove %%r8, %%rdx\\n call keeps\\n add (%%rbx), %%r9\\n mov %%rax, (%%rbp,%%rcx,8)\\n\"
                    \"add %%rax, %%r9\\n add $8, %%rsi\\n add $8, %%rbx\\n dec %%rcx\\n jne 1b\\n pop %%rbp\\n add %%r9, %0\\n\"
                    : \"+m\"(s) : \"m\"(a), \"m\"(b) : \"rax\", \"rbx\", \"rcx\", \"rdx\", \"rsi\", \"r8\", \"r9\", \"r12\", \"memory\", \"cc\");
            return s & 1023;
        }",
        &["-O1", "-mno-red-zone", "-fomit-frame-pointer"],
        80,
    );
}

/// Faults in the function, in the first block of an iteration and at the call.
#[test]
fn faults_around_calls() {
    check(
        "leaftraps",
        "typedef void (*handler)(int); struct action { handler h; unsigned long flags; void (*restore)(void); unsigned long mask; };
        static volatile int hits; __asm__(\"restore: movl $15, %eax; syscall\"); void restore(void);
        static char handlers[16384]; static long a[400];
        /* Puts the stack pointer right that r12 keeps, or goes past an instruction of three bytes. */
        static void caught(int s, void *i, long *u) { hits += s; if (u[5 + 15] < 0) u[5 + 15] = u[5 + 4]; else u[5 + 16] += 3; }
        __asm__(\"leaf: mov (%r8), %rax\\n add %rax, %rbx\\n mov %rbx, (%r9)\\n ret\\n\");
        int work(void) {
            struct action x = { (handler)caught, 0x0c000004, restore, ~0ul };
            long apart[3] = { (long)handlers, 0, sizeof handlers };
            register long r10 __asm__(\"r10\") = 8; long r;
            sys(131, (long)apart, 0, 0);
            __asm__ volatile(\"syscall\" : \"=a\"(r) : \"a\"(13), \"D\"(11), \"S\"(&x), \"d\"(0), \"r\"(r10) : \"rcx\", \"r11\", \"memory\");
            for (long t = 0; t < 15; t++) {
                /* Some rows have a wrong pointer in the first block, some in an instruction of the function, some at one call. */
                long *p = t % 4 == 3 ? (long *)-8192 : a, *q = t % 5 == 4 ? (long *)-12288 : a, *o = t % 6 == 5 ? (long *)-16384 : a;
                long n = t % 3 == 2 ? 150 : -1;
                __asm__ volatile(\"mov %0, %%r8\\n mov %1, %%r9\\n mov %2, %%r10\\n mov %3, %%r13\\n mov $300, %%ecx\\n xor %%ebx, %%ebx\\n sub $128, %%rsp\\n mov %%rsp, %%r12\\n\"
                    \"1: mov (%%r10), %%rax\\n add %%rax, %%rbx\\n cmp %%r13, %%rcx\\n mov $-4096, %%r11\\n cmove %%r11, %%rsp\\n call leaf\\n\"
                    \"add $8, %%r8\\n add $8, %%r9\\n add $8, %%r10\\n dec %%rcx\\n jne 1b\\n add $128, %%rsp\"
                    : : \"m\"(p), \"m\"(q), \"m\"(o), \"m\"(n) : \"rax\", \"rbx\", \"rcx\", \"r8\", \"r9\", \"r10\", \"r11\", \"r12\", \"r13\", \"memory\", \"cc\");
            }
            return hits & 1023;
        }",
        &["-O1", "-fno-omit-frame-pointer"],
        25,
    );
}
