//! Loops of several blocks are recorded along the way that most iterations take, and decode to what an independent
//! single-step run saw, whichever way they are left.

use crate::support;

use record::Encoding;
use support::{BARE, START, agrees_along_ways as check, compile, record};

#[test]
fn boundary_conditions() {
    check(
        "boundaries",
        "static float a[40][40], b[40][40];
        int work(void) {
            for (long i = 0; i < 40; i++) for (long j = 0; j < 40; j++) a[i][j] = i * j % 7;
            for (long i = 1; i < 39; i++)
                for (long j = 0; j < 40; j++) {
                    float s = a[i][j];
                    if (j > 0) s += a[i][j - 1] * b[i][j]; else __asm__ volatile(\"\" ::: \"memory\");
                    if (j < 39) s += a[i - 1][j + 1]; else __asm__ volatile(\"nop\" ::: \"memory\");
                    b[i][j] = s;
                }
            return (int)b[7][9];
        }",
        &["-O1"],
        50,
    );
}

/// Found in the middle, at the end, at once, or not at all.
#[test]
fn searches() {
    check(
        "searches",
        "static long a[200], b[200]; static volatile long found;
        __attribute__((noinline)) static long search(long key, long n) {
            for (long i = 0; i < n; i++) {
                if (a[i] == key) return i;
                b[i]++;
                if (b[i] > 40) return -b[i];
            }
            return n;
        }
        int work(void) {
            for (long k = 0; k < 200; k++) a[k] = 3 * k;
            for (long k = 0; k < 60; k++) found += search(k * 9, 150 + k);
            for (long k = 0; k < 5; k++) found += search(k, k);
            return found;
        }",
        &["-O1"],
        70,
    );
}

/// A way along which nothing goes any more is given up, and recording goes on.
#[test]
fn ways_that_are_left_at_once() {
    check(
        "fickle",
        "static long a[64], b[64];
        int work(void) {
            long s = 0;
            for (long t = 0; t < 12; t++)
                for (long i = 0; i < 60; i++) { s += a[i]; if (s > 0) { s -= b[i]; a[i] = s; } b[i + 1] = s; }
            a[0] = 5;
            for (long t = 0; t < 12; t++)
                for (long i = 0; i < 60; i++) { s += a[i & 3] + t - i; if (s & 1) { s -= b[i]; a[i] = s; } b[i + 1] = s; }
            return s;
        }",
        &["-O1"],
        20,
    );
}

/// Another way from some iteration on, in every row. The first one is given up, and the second one learnt.
#[test]
fn regression_phases_after_the_first_one_are_recorded_along_ways() {
    check(
        "phases",
        "static long a[600], b[600];
        int work(void) {
            long s = 0;
            for (long t = 0; t < 60; t++)
                for (long i = 0; i < 600; i++) {
                    long v = a[i];
                    if (i < 60 + (t & 3)) v += b[i] * 3; else __asm__ volatile(\"\" ::: \"memory\");
                    if (i > 580) { v -= b[i - 1]; a[i] = v + 1; }
                    s += v; b[i] = s;
                }
            return s & 1023;
        }",
        &["-O1"],
        60,
    );
}

/// Ways that change places after some iterations: both are recorded, each by a loop of its own.
#[test]
fn two_ways_in_turn() {
    check(
        "turns",
        "static long a[512], b[512];
        int work(void) {
            long s = 0;
            for (long t = 0; t < 80; t++)
                for (long i = 1; i < 512; i++) {
                    long v = a[i];
                    if (i & 32) { v += b[i - 1]; a[i] = v; } else { v -= b[i]; __asm__ volatile(\"\" ::: \"memory\"); }
                    s += v; b[i] = s;
                }
            return s & 1023;
        }",
        &["-O1"],
        80,
    );
}

/// The same, with faults in either; also where the buffer ends before the words that are written when a loop is left.
#[test]
fn regression_faults_along_two_ways_and_at_the_end_of_the_last_buffer() {
    check(
        "turntraps",
        "typedef void (*handler)(int); struct action { handler h; unsigned long flags; void (*restore)(void); unsigned long mask; };
        static volatile int hits; __asm__(\"restore: movl $15, %eax; syscall\"); void restore(void);
        static void caught(int s, void *i, long *u) { hits += s; u[5 + 16] += 3; }
        static long a[512], b[512];
        int work(void) {
            struct action x = { (handler)caught, 0x04000004, restore, ~0ul };
            register long r10 __asm__(\"r10\") = 8; long r;
            __asm__ volatile(\"syscall\" : \"=a\"(r) : \"a\"(13), \"D\"(11), \"S\"(&x), \"d\"(0), \"r\"(r10) : \"rcx\", \"r11\", \"memory\");
            long s = 0;
            for (long t = 0; t < 60; t++) {
                /* Loads and stores three bytes long; in some rows one or the other pointer is wrong. */
                long i = 0, *p = t % 9 == 7 ? (long *)-8192 : a, *q = t % 7 == 6 ? (long *)-12288 : b;
                __asm__ volatile(\"1: test $16, %b3\\n jne 2f\\n mov (%1), %%rax\\n add %%rax, %0\\n jmp 3f\\n\"
                    \"2: mov %0, (%2)\\n inc %0\\n3: add $8, %1\\n add $8, %2\\n inc %3\\n cmp $400, %3\\n jne 1b\"
                    : \"+r\"(s), \"+r\"(p), \"+r\"(q), \"+r\"(i) : : \"rax\", \"memory\", \"cc\");
            }
            return (hits + s) & 1023;
        }",
        &["-O1"],
        60,
    );
}

/// The counter is not a register that addresses use, or there is none at all.
#[test]
fn counters() {
    check(
        "counters",
        "static long a[300], b[300];
        int work(void) {
            long s = 0, i, n;
            for (int t = 0; t < 6; t++) {
                i = 0; n = 77 + t;
                __asm__ volatile(\"1: mov (%2,%1,8), %%rax\\n test %%rax, %%rax\\n js 3f\\n add %%rax, %0\\n jmp 2f\\n nop\\n\"
                    \"2: mov %0, 8(%3,%1,8)\\n inc %1\\n cmp %4, %1\\n jne 1b\\n3:\"
                    : \"+r\"(s), \"+r\"(i) : \"r\"(a), \"r\"(b), \"r\"(n) : \"rax\", \"memory\", \"cc\");
                n = 60;
                __asm__ volatile(\"1: mov 16(%2), %%rax\\n cmp $9999, %%rax\\n je 3f\\n add %%rax, %0\\n dec %1\\n\"
                    \"je 3f\\n mov %0, 8(%3)\\n jmp 1b\\n3:\"
                    : \"+r\"(s), \"+r\"(n) : \"r\"(a), \"r\"(b) : \"rax\", \"memory\", \"cc\");
                a[40 + t] = -1; a[3] = t;
            }
            return s & 1023;
        }",
        &["-O1"],
        25,
    );
}

/// Faults in each block of an iteration, handled by going past the instruction.
#[test]
fn faults_along_a_way() {
    check(
        "waytraps",
        "typedef void (*handler)(int); struct action { handler h; unsigned long flags; void (*restore)(void); unsigned long mask; };
        static volatile int hits; __asm__(\"restore: movl $15, %eax; syscall\"); void restore(void);
        static void caught(int s, void *i, long *u) { hits += s; u[5 + 16] += 3; }
        static long a[400], b[400];
        int work(void) {
            struct action x = { (handler)caught, 0x04000004, restore, ~0ul };
            register long r10 __asm__(\"r10\") = 8; long r;
            __asm__ volatile(\"syscall\" : \"=a\"(r) : \"a\"(13), \"D\"(11), \"S\"(&x), \"d\"(0), \"r\"(r10) : \"rcx\", \"r11\", \"memory\");
            for (long t = 0; t < 3; t++) {
                /* Loads and stores three bytes long; the pointers leave the program's memory at the end. */
                long s = 0, n = 300, *p = a, *q = b;
                __asm__ volatile(\"1: mov (%1), %%rax\\n test %%rax, %%rax\\n jne 3f\\n mov %%rax, (%2)\\n add $8, %1\\n\"
                    \"cmp $7, %%rax\\n je 3f\\n add $8, %2\\n cmp $150, %3\\n jne 2f\\n\"
                    \"3: mov $-4096, %1\\n mov $-8192, %2\\n2: dec %3\\n jne 1b\"
                    : \"+r\"(s), \"+r\"(p), \"+r\"(q), \"+r\"(n) : : \"rax\", \"memory\", \"cc\");
                /* Loads past the end of the stack's page are found out by the second block of an iteration. */
                long top = (long)__builtin_frame_address(0) & ~0xffffl, i = 0;
                __asm__ volatile(\"1: inc %1\\n cmp $100000, %1\\n je 2f\\n mov (%0), %%rax\\n add $512, %0\\n cmp $290, %1\\n jne 1b\\n2:\"
                    : \"+r\"(top), \"+r\"(i) : : \"rax\", \"memory\", \"cc\");
            }
            return hits & 1023;
        }",
        &["-O1"],
        10,
    );
}

/// Loops entered by a call's return, through a table, and with another loop around the same head.
#[test]
fn other_entries() {
    check(
        "entries",
        "static long a[100]; static long volatile which;
        __attribute__((noinline)) static long id(long x) { return x + which; }
        int work(void) {
            long s = 0;
            for (long t = 0; t < 30; t++) {
                static void *const targets[2] = { &&one, &&two };
                long i = id(0), n = 20 + t;
                goto *targets[t & 1];
            one: for (; i < n; i++) { two: s += a[i]; if (s == -5) { s = 0; __asm__ volatile(\"nop\"); } a[i] = s & 63; }
            }
            return s & 511;
        }",
        &["-O1"],
        50,
    );
}

/// Loaded indices and rows of pointers: some words of every iteration, in records that end with their buffer.
#[test]
fn loaded_addresses() {
    check_partly(
        "loaded",
        "static long a[64], b[64], p[3000]; static long *rows[70];
        __attribute__((noinline)) static long gather(long n) { long s = 0; for (long i = 0; i < n; i++) s += a[p[i]] * b[p[i] ^ 1]; return s; }
        __attribute__((noinline)) static void histogram(long n) { for (long i = 0; i < n; i++) b[p[i]]++; }
        __attribute__((noinline)) static long column(long n, long j) { long s = 0; for (long i = 0; i < n; i++) { if (rows[i][j] == 77) return s; s += rows[i][j]; } return s; }
        int work(void) {
            long s = 0;
            for (long i = 0; i < 3000; i++) p[i] = i * 37 % 64;
            for (long i = 0; i < 70; i++) rows[i] = p + (i * 29 % 50) * 8;
            for (long t = 0; t < 8; t++) { s += gather(20 + t * 40); histogram(30 + t); s += column(70, t) + column(t, 1); }
            s += gather(3000);
            p[8 * 29] = 77;
            for (long t = 0; t < 8; t++) s += column(70, t);
            return s & 1023;
        }",
        &["-O1"],
    );
    // No register is free, and addresses are sums.
    check_partly(
        "pressed",
        "static long a[70], p[900], *q, n, s;
        int work(void) {
            for (long i = 0; i < 900; i++) p[i] = i * 41 % 60;
            for (long t = 0; t < 6; t++) {
                n = 90 + t; q = p;
                __asm__ volatile(\"push %%rbp\\n mov %0, %%rcx\\n mov %1, %%rdx\\n lea %3, %%rsi\\n xor %%ebp, %%ebp\\n xor %%r10d, %%r10d\\n\"
                    \"1: mov (%%rcx,%%rbp,8), %%rax\\n mov (%%rsi,%%rax,8), %%rbx\\n add %%rbx, %%rdi\\n lea (%%rsi,%%rax,8), %%r8\\n\"
                    \"test %%rbx, %%rbx\\n js 2f\\n mov 8(%%r8), %%r9\\n add %%r9, %%r10\\n mov %%rax, %%r11\\n mov 16(%%rsi,%%r11,8), %%r12\\n\"
                    \"mov %%r12, %%r13\\n mov %%r13, %%r14\\n and $63, %%r14\\n mov (%%rsi,%%r14,8), %%r15\\n add %%r15, %%r10\\n mov %%r10, (%%rsi,%%rax,8)\\n\"
                    \"andq $1023, (%%rsi,%%rax,8)\\n inc %%rbp\\n dec %%rdx\\n jne 1b\\n2: pop %%rbp\\n mov %%r10, %2\"
                    : \"+m\"(q), \"+m\"(n), \"=m\"(s) : \"m\"(a) : \"rax\", \"rbx\", \"rcx\", \"rdx\", \"rsi\", \"rdi\", \"r8\", \"r9\", \"r10\", \"r11\", \"r12\", \"r13\", \"r14\", \"r15\", \"memory\", \"cc\");
            }
            return s & 1023;
        }",
        &["-O1", "-mno-red-zone", "-fomit-frame-pointer"],
    );
}

/// A fault in every block of an iteration with loaded addresses, and at the first one.
#[test]
fn faults_with_loaded_addresses() {
    check_partly(
        "loadedtraps",
        "typedef void (*handler)(int); struct action { handler h; unsigned long flags; void (*restore)(void); unsigned long mask; };
        static volatile int hits; __asm__(\"restore: movl $15, %eax; syscall\"); void restore(void);
        static void caught(int s, void *i, long *u) { hits += s; u[5 + 16] += 3; }
        static long a[400]; static long *rows[400];
        int work(void) {
            struct action x = { (handler)caught, 0x04000004, restore, ~0ul };
            register long r10 __asm__(\"r10\") = 8; long r;
            __asm__ volatile(\"syscall\" : \"=a\"(r) : \"a\"(13), \"D\"(11), \"S\"(&x), \"d\"(0), \"r\"(r10) : \"rcx\", \"r11\", \"memory\");
            for (long i = 0; i < 400; i++) rows[i] = i % 90 == 70 ? (long *)-4096 : a + i * 31 % 300;
            for (long t = 0; t < 4; t++) {
                long **p = rows + t, n = 300, s = 0;
                __asm__ volatile(\"1: mov (%1), %%rax\\n mov (%%rax), %%rdx\\n test %%rdx, %%rdx\\n js 2f\\n mov %0, (%%rax)\\n add $8, %1\\n dec %2\\n jne 1b\\n2:\"
                    : \"+r\"(s), \"+r\"(p), \"+r\"(n) : : \"rax\", \"rdx\", \"memory\", \"cc\");
            }
            return hits & 1023;
        }",
        &["-O1"],
    );
}

/// The register that is borrowed for an address relative to the instruction is the one that holds the end of the record.
#[test]
fn regression_faults_where_a_register_is_borrowed_in_a_loop_with_loaded_addresses() {
    check_partly(
        "borrowedtraps",
        "typedef void (*handler)(int); struct action { handler h; unsigned long flags; void (*restore)(void); unsigned long mask; };
        static volatile int hits; __asm__(\"restore: movl $15, %eax; syscall\"); void restore(void);
        static void caught(int s, void *i, long *u) { hits += s; u[5 + 16] += 7; }
        static long a[400]; static long *rows[400]; __attribute__((aligned(4096), used)) static long page[512];
        int work(void) {
            struct action x = { (handler)caught, 0x04000004, restore, ~0ul };
            register long r10 __asm__(\"r10\") = 8; long r;
            __asm__ volatile(\"syscall\" : \"=a\"(r) : \"a\"(13), \"D\"(11), \"S\"(&x), \"d\"(0), \"r\"(r10) : \"rcx\", \"r11\", \"memory\");
            for (long i = 0; i < 400; i++) rows[i] = a + i * 31 % 300;
            for (long t = 0; t < 12; t++) {
                long **p = rows + t, n = 300;
                if (t > 8) sys(10, (long)page, 4096, 0);
                __asm__ volatile(\"1: mov (%0), %%rax\\n mov (%%rax), %%rdx\\n mov page(%%rip), %%rdx\\n add $8, %0\\n dec %1\\n jne 1b\\n\"
                    : \"+r\"(p), \"+r\"(n) : : \"rax\", \"rdx\", \"memory\", \"cc\");
            }
            return hits & 1023;
        }",
        &["-O1"],
    );
}

/// The only register that advances holds something else where the loop is left.
#[test]
fn regression_the_counter_is_elsewhere_where_a_loop_is_left() {
    check(
        "away",
        "static long a[300], b[300];
        int work(void) {
            long s = 0;
            for (long t = 0; t < 40; t++) {
                long i = 0, n = 100 + t;
                __asm__ volatile(\"1: mov (%2,%1,8), %%rax\\n add %%rax, %0\\n mov %1, %%r8\\n mov $7, %1\\n cmp %4, %%r8\\n je 2f\\n\"
                    \"mov %0, 8(%3,%%r8,8)\\n lea 1(%%r8), %1\\n jmp 1b\\n2:\"
                    : \"+r\"(s), \"+r\"(i) : \"r\"(a), \"r\"(b), \"r\"(n) : \"rax\", \"r8\", \"memory\", \"cc\");
                a[t] = t;
            }
            return s & 1023;
        }",
        &["-O1"],
        50,
    );
}

fn check_partly(name: &str, body: &str, level: &[&str]) {
    check(name, body, level, 10);
    let mut flags = BARE.to_vec();
    flags.extend_from_slice(level);
    let program = compile(&format!("{name}.c"), &format!("{START}{body}"), &flags);
    let (_, got) = record(&program, &[], Encoding::Folded, 512);
    assert!(got.partly * 10 >= got.all_passes(), "{name}: {} of {}", got.partly, got.all_passes());
}
