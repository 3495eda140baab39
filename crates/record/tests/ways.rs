//! Loops of several blocks are recorded along the way that most iterations take, and decode to what an independent
//! single-step run saw, whichever way they are left.
#![allow(clippy::unwrap_used, reason = "a failed preparation is a failed test")]

mod support;

use record::Encoding;
use support::{BARE, ENCODINGS, START, compile, difference, oracle, record};

/// Checks a program in every encoding; with records of whole loops, at least `share` percent of the passes through blocks
/// come in records of loops.
fn check(name: &str, body: &str, level: &[&str], share: u64) {
    let mut flags = BARE.to_vec();
    flags.extend_from_slice(level);
    let program = compile(&format!("{name}.c"), &format!("{START}{body}"), &flags);
    let (exit, expected) = oracle(&program);
    for encoding in ENCODINGS {
        for buffer in [512, 1 << 14] {
            let (outcome, got) = record(&program, &[], encoding, buffer);
            assert_eq!(outcome.exit, exit, "{name} {encoding:?}");
            assert_eq!(
                got.digest,
                expected,
                "{name} {encoding:?} {buffer}: {}",
                difference(&program, encoding)
            );
            if encoding == Encoding::Folded {
                let (along, all) = (got.passes_along_ways, got.all_passes());
                assert!(along * 100 >= share * all, "{name} {buffer}: {along} of {all}");
            }
        }
    }
}

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
