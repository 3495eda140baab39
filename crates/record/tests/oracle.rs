//! Recordings in every encoding decode to what an independent single-step run saw.

use crate::support;

use support::{ENCODINGS, agrees, difference, oracle, record};

fn check(name: &str, body: &str, levels: &[&[&str]]) {
    levels.iter().for_each(|level| agrees(name, body, level, &|_, _, _| {}));
}

const ALL: [&[&str]; 4] =
    [&["-O0"], &["-O2"], &["-O3", "-march=native"], &["-O3", "-mavx2", "-mfma", "-ftree-vectorize"]];

/// A loop that is entered in its middle is one straight block with a branch target inside.
#[test]
fn loops_entered_in_the_middle() {
    check(
        "rotated",
        "static long a[64], b[64];
        int work(void) {
            long s = 0, i = 0;
            for (int k = 0; k < 64; k++) a[k] = 3 * k;
            for (int t = 0; t < 3; t++)
                __asm__ volatile(\"xor %1, %1\\n jmp 2f\\n1: mov %%rax, %0\\n mov %0, (%3,%1,8)\\n\"
                    \"2: mov (%2,%1,8), %%rax\\n add %0, %%rax\\n inc %1\\n cmp $60, %1\\n jne 1b\"
                    : \"+r\"(s), \"+r\"(i) : \"r\"(a), \"r\"(b) : \"rax\", \"memory\", \"cc\");
            return s + b[7];
        }",
        &ALL,
    );
}

/// Addresses that fall as a counter grows, through a negated index or base.
#[test]
fn negated_registers() {
    check(
        "negated",
        "static long a[64], b[64];
        int work(void) {
            long s = 0, i = 0, n = -(long)a, z = 8, low = -(long)(a + 3);
            for (int k = 0; k < 64; k++) a[k] = 3 * k;
            __asm__ volatile(\"1: mov %1, %%rax\\n neg %%rax\\n add 16(%2,%%rax,8), %0\\n mov %0, -8(%2,%%rax,8)\\n inc %1\\n cmp $9, %1\\n jne 1b\"
                : \"+r\"(s), \"+r\"(i) : \"r\"(a + 40) : \"rax\", \"cc\", \"memory\");
            __asm__ volatile(\"1: mov %1, %%rax\\n neg %%rax\\n add 8(%%rax,%2), %0\\n add (%%rax), %0\\n sub $8, %1\\n add $24, %2\\n cmp $80, %2\\n jl 1b\"
                : \"+r\"(s), \"+r\"(n), \"+r\"(z) : : \"rax\", \"cc\", \"memory\");
            __asm__ volatile(\"1: mov %1, %%rax\\n neg %%rax\\n lea 8(%%rax), %%rcx\\n add (%%rcx), %0\\n neg %%rcx\\n neg %%rcx\\n add 8(%%rcx), %0\\n sub $16, %1\\n cmp %2, %1\\n jne 1b\"
                : \"+r\"(s), \"+r\"(low) : \"r\"(low - 16 * 7) : \"rax\", \"rcx\", \"cc\", \"memory\");
            for (int k = 0; k < 60; k++) b[k] = a[k] * a[59 - k];
            return (int)(s + b[7]);
        }",
        &ALL,
    );
}

#[test]
fn matrix_product() {
    check(
        "product",
        "static double a[9][9], b[9][9], c[9][9];
        int work(void) {
            for (int i = 0; i < 9; i++) for (int j = 0; j < 9; j++) { a[i][j] = i + j; b[i][j] = i - j; }
            for (int i = 0; i < 9; i++) for (int k = 0; k < 9; k++) for (int j = 0; j < 9; j++) c[i][j] += a[i][k] * b[k][j];
            double s = 0; for (int i = 0; i < 9; i++) s += c[i][i];
            return (int)s;
        }",
        &ALL,
    );
}

#[test]
fn stencil() {
    check(
        "stencil",
        "static float a[20][20], b[20][20];
        int work(void) {
            for (int i = 0; i < 20; i++) for (int j = 0; j < 20; j++) a[i][j] = i * j % 7;
            for (int t = 0; t < 2; t++) {
                for (int i = 1; i < 19; i++) for (int j = 1; j < 19; j++)
                    b[i][j] = 0.2f * (a[i][j] + a[i][j-1] + a[i][j+1] + a[i-1][j] + a[i+1][j]);
                for (int i = 1; i < 19; i++) for (int j = 1; j < 19; j++) a[i][j] = b[i][j];
            }
            return (int)a[7][9];
        }",
        &ALL,
    );
}

#[test]
fn repeated_string_instructions() {
    check(
        "strings",
        r#"static char a[300], b[300];
        int work(void) {
            long n = 300; char *d = a; const char *s = b;
            __asm__ volatile("rep stosb" : "+D"(d), "+c"(n) : "a"(7) : "memory");
            n = 17; d = a + 3; s = b;
            __asm__ volatile("rep movsq" : "+D"(d), "+S"(s), "+c"(n) :: "memory");
            n = 0; __asm__ volatile("rep movsb" : "+D"(d), "+S"(s), "+c"(n) :: "memory");
            n = 9; d = a + 100; s = a + 104;
            __asm__ volatile("std; rep movsl; cld" : "+D"(d), "+S"(s), "+c"(n) :: "memory");
            n = -1; d = a + 200; a[250] = 0;
            __asm__ volatile("repne scasb" : "+D"(d), "+c"(n) : "a"(0) : "memory", "cc");
            long m = 40; d = a; s = a + 1;
            __asm__ volatile("repe cmpsb" : "+D"(d), "+S"(s), "+c"(m) :: "memory", "cc");
            d = a; s = b;
            __asm__ volatile("movsb; lodsb; stosw" : "+D"(d), "+S"(s) :: "rax", "memory");
            return (int)(n + m);
        }"#,
        &[&["-O0"], &["-O2"]],
    );
}

#[test]
fn gathers_and_masks() {
    if !std::arch::is_x86_feature_detected!("avx512bw") {
        return;
    }
    check(
        "gathers",
        "#include <immintrin.h>
        static double a[64], b[64]; static int idx[64]; static float f[64];
        __attribute__((noinline)) static void gather(int n) { for (int i = 0; i < n; i++) b[i] += a[idx[i]]; }
        __attribute__((noinline)) static void scatter(int n) { for (int i = 0; i < n; i++) a[idx[i]] = b[i]; }
        int work(void) {
            for (int i = 0; i < 64; i++) { a[i] = i; idx[i] = (i * 37) % 64; f[i] = i; }
            gather(61); scatter(59);
            __m256d m = _mm256_castsi256_pd(_mm256_set_epi64x(-1, 0, -1, 0));
            __m256d g = _mm256_mask_i32gather_pd(_mm256_setzero_pd(), a, _mm_set_epi32(1, 2, 3, 4), m, 8);
            __m256d l = _mm256_maskload_pd(a + 5, _mm256_castpd_si256(m));
            _mm256_maskstore_pd(b + 3, _mm256_castpd_si256(m), _mm256_add_pd(g, l));
            _mm512_mask_storeu_ps(f + 1, 0x5a5a, _mm512_mask_loadu_ps(_mm512_setzero_ps(), 0x0ff1, f + 7));
            __m512i q = _mm512_set_epi64(-1, 2, 3, 4, 5, 6, 7, 8);
            __m512d h = _mm512_mask_i64gather_pd(_mm512_setzero_pd(), 0x3c, q, a + 2, 8);
            _mm512_storeu_pd(b, _mm512_add_pd(h, _mm512_set1_pd(a[3])));
            return (int)b[3] + (int)f[3];
        }",
        &[&["-O0", "-march=native"], &["-O3", "-march=native"]],
    );
}

#[test]
fn recursion_and_jump_tables() {
    check(
        "control",
        "static int table[16];
        __attribute__((noinline)) static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
        __attribute__((noinline)) static int choose(int n) {
            switch (n) { case 0: return 4; case 1: return table[3]; case 2: return fib(3); case 3: return 9;
                case 4: return table[n]; case 5: return 1; case 6: return 88; case 7: return fib(n); default: return n * 3; }
        }
        typedef int (*unary)(int); static unary volatile calls[2] = { fib, choose };
        int work(void) {
            int s = 0; unsigned char seen[16];
            for (int i = 0; i < 16; i++) table[i] = i * i;
            for (int i = 0; i < 12; i++) { seen[i] = i; s += choose(i) + calls[i & 1](i); }
            long n = 5; __asm__ volatile(\"1: incl %1; loop 1b\" : \"+c\"(n), \"+m\"(s));
            n = 0; __asm__ volatile(\"jrcxz 1f; incl %1; 1:\" : \"+c\"(n), \"+m\"(s));
            __asm__ volatile(\"movb %%ah, %0\" : \"+m\"(table[2]) :: \"memory\");
            long top; __asm__ volatile(\"pushq %1; pushq %1; popq (%%rsp); popq %0\" : \"=r\"(top) : \"m\"(table[4]) : \"memory\");
            return s + seen[3] + (int)(top & 1);
        }",
        &[&["-O0", "-mno-red-zone"], &["-O2", "-mno-red-zone"]],
    );
}

#[test]
fn integer_loops() {
    check(
        "integers",
        "static int a[40]; static short h[40]; static unsigned char b[40]; static long l[40];
        int work(void) {
            int s = 0;
            for (int i = 39; i >= 0; i--) { a[i] = i * 5; h[i] = i; b[i] = i * 7; l[i] = -i; }
            for (int i = 0; i < 40; i += 3) s ^= a[i] << (i & 7);
            for (int i = 0; i < 40; i++) s += h[i] * b[i] + (l[i] > -9 ? a[i] : b[i]);
            for (int i = 0; i < 30; i++) __asm__ volatile(\"addl $1, %0\" : \"+r\"(s));
            for (int i = 0; i < 20; i++) a[b[i] % 40]++;
            return s;
        }",
        &ALL,
    );
}

/// Minutes of single steps: run with `--ignored`.
#[test]
#[ignore = "slow"]
fn system_programs() {
    for program in ["/bin/true", "/bin/ls"] {
        let program = std::path::Path::new(program);
        let (exit, expected) = oracle(program);
        for encoding in ENCODINGS {
            let (outcome, got) = record(program, &[], encoding, 2048);
            assert_eq!(outcome.exit, exit);
            assert_eq!(got.digest, expected, "{program:?} {encoding:?}: {}", difference(program, encoding));
        }
    }
}

#[test]
fn faults() {
    check(
        "traps",
        "typedef void (*handler)(int); struct action { handler h; unsigned long flags; void (*restore)(void); unsigned long mask; };
        static volatile int hits; __asm__(\"restore: movl $15, %eax; syscall\"); void restore(void);
        static void caught(int s, void *i, long *u) { hits += s; u[5 + 16] += s == 11 ? 7 : 2; }
        static int a[100];
        int work(void) {
            struct action x = { (handler)caught, 0x04000004, restore, ~0ul };
            for (int s = 4; s < 12; s += 7) { register long r10 __asm__(\"r10\") = 8; long r; __asm__ volatile(\"syscall\" : \"=a\"(r) : \"a\"(13), \"D\"(s), \"S\"(&x), \"d\"(0), \"r\"(r10) : \"rcx\", \"r11\", \"memory\"); }
            a[1] = 3; __asm__ volatile(\"ud2\"); a[2] = hits;
            for (int i = 0; i < 4; i++) { a[i] += i; __asm__ volatile(\"nop; movb 8, %%al\" ::: \"rax\"); }
            long p = (long)a & -64, end = p + 800;
            __asm__ volatile(\"1: addq $8, %0; movl (%0), %%eax; cmpq %1, %0; jne 1b\" : \"+r\"(p) : \"r\"(end) : \"rax\");
            return hits;
        }",
        &[&["-O1"]],
    );
}

/// Faults in a later piece of a long block, in a loop of it, and in the middle of loops that the handler leaves or goes on with
/// other registers.
#[test]
fn faults_in_pieces() {
    check(
        "pieces",
        "typedef void (*handler)(int); struct action { handler h; unsigned long flags; void (*restore)(void); unsigned long mask; };
        static volatile int hits, mode; __asm__(\"restore: movl $15, %eax; syscall\"); void restore(void); extern char out[];
        /* Goes past an instruction of three bytes, leaves the loop, or gives the register a good address. */
        static void caught(int s, void *i, long *u) { hits++; if (mode == 0) u[5 + 16] += 3; else if (mode == 1) u[5 + 16] = (long)out; else u[5 + 9] = (long)&hits + 64; }
        static long a[700], b[700];
        int work(void) {
            struct action x = { (handler)caught, 0x04000004, restore, ~0ul }; long s = 0;
            register long r10 __asm__(\"r10\") = 8; long r; __asm__ volatile(\"syscall\" : \"=a\"(r) : \"a\"(13), \"D\"(11), \"S\"(&x), \"d\"(0), \"r\"(r10) : \"rcx\", \"r11\", \"memory\");
            for (int k = 0; k < 700; k++) a[k] = k;
            for (int t = 0; t < 8; t++) {
                mode = t & 1 ? 0 : 2; long *p = t % 3 == 1 ? (long *)16 : b, *q = a;
                __asm__ volatile(\"mov $30, %%ecx\\n1: .rept 90\\n add (%1), %0\\n mov %0, 8(%1)\\n .endr\\n mov (%%rsi), %%rax\\n .rept 40\\n add 16(%1), %0\\n .endr\\n mov %%rax, (%2)\\n add $8, %1\\n dec %%ecx\\n jne 1b\"
                    : \"+r\"(s), \"+r\"(q) : \"r\"(b), \"S\"(p) : \"rax\", \"rcx\", \"memory\", \"cc\");
            }
            for (int t = 0; t < 12; t++) {
                mode = t % 3; long *p = b; long n = 100 + t, bad = t & 2 ? n - 37 : -1;
                __asm__ volatile(\"xor %%ecx, %%ecx\\n1: mov %%rcx, (%2,%%rcx,8)\\n test $3, %%cl\\n je 2f\\n add %%rcx, %0\\n2: mov %1, %%rsi\\n cmp %4, %%rcx\\n jne 3f\\n mov $24, %%esi\\n3: add (%%rsi), %0\\n add $8, %1\\n inc %%rcx\\n cmp %3, %%rcx\\n jne 1b\\n .ifndef out\\n .globl out\\n out:\\n .endif\"
                    : \"+r\"(s), \"+r\"(p) : \"r\"(a), \"r\"(n), \"r\"(bad) : \"rcx\", \"rsi\", \"memory\", \"cc\");
            }
            return (hits * 3 + s) & 1023;
        }",
        &[&["-O1"]],
    );
}

/// Code in memory that is writable, or shared, is rewritten without a system call: short and long blocks, calls, loops, under
/// both entries.
#[test]
fn rewritten_code() {
    check(
        "rewritten",
        "static unsigned char code[4096] __attribute__((aligned(4096)));
        static long sys6(long n, long a, long b, long c, long d, long e, long f) {
            register long r10 __asm__(\"r10\") = d, r8 __asm__(\"r8\") = e, r9 __asm__(\"r9\") = f; long r;
            __asm__ volatile(\"syscall\" : \"=a\"(r) : \"a\"(n), \"D\"(a), \"S\"(b), \"d\"(c), \"r\"(r10), \"r\"(r8), \"r\"(r9) : \"rcx\", \"r11\", \"memory\"); return r; }
        static long cells[64];
        static void put(volatile unsigned char *to, const char *from, int n) { for (int i = 0; i < n; i++) to[i] = from[i]; }
        static long use(volatile unsigned char *run, volatile unsigned char *edit) {
            put(edit, \"\\xb8\\x01\\0\\0\\0\\xc3\", 6); /* mov eax, 1; ret */
            put(edit + 64, \"\\x48\\x8d\\x04\\x3e\\x48\\x0f\\xaf\\xc7\\x48\\x05\\x09\\0\\0\\0\\xc3\", 15); /* lea rax, [rsi + rdi]; imul rax, rdi; add rax, 9; ret */
            put(edit + 128, \"\\x31\\xc0\\x48\\x03\\x07\\x48\\x83\\xc7\\x08\\x48\\xff\\xce\\x75\\xf4\\xc3\", 15); /* xor eax, eax; 1: add rax, [rdi]; add rdi, 8; dec rsi; jne 1b; ret */
            edit[4091] = 0x90; put(edit + 4092, \"\\x89\\xf8\\x90\\xc3\", 4); /* mov eax, edi; nop; ret at the end of the page */
            long s = 0;
            for (int i = 0; i < 300; i++) {
                cells[i % 64] += i;
                if (i % 10 == 0) edit[1] = i / 10;
                if (i % 50 == 25) edit[64 + 10] = i / 50;
                if (i % 30 == 15) { edit[128 + 4] = i % 60 == 15 ? 0x07 : 0x47; edit[128 + 3] = 0x03; if (i % 60 != 15) put(edit + 128 + 2, \"\\x48\\x33\\x07\", 3); else put(edit + 128 + 2, \"\\x48\\x03\\x07\", 3); }
                if (i % 7 == 3) edit[4092 + 1] = i & 8 ? 0xf8 : 0xf0;
                s += ((int (*)(void))run)();
                s ^= ((long (*)(long, long))(run + 64))(i, s);
                s += ((long (*)(long *, long))(run + 128))(cells, 5 + i % 40);
                s += ((int (*)(long, long))(run + 4092))(i, 3);
            }
            return s; }
        int work(void) {
            sys(10, (long)code, 4096, 7);
            long s = use(code, code);
            long file = sys(319, (long)\"c\", 0, 0); sys(77, file, 4096, 0);
            long a = sys6(9, 0, 4096, 5, 1, file, 0), b = sys6(9, 0, 4096, 3, 1, file, 0);
            if (a > 0 && b > 0) s ^= use((void *)a, (void *)b);
            return (s >> 3) & 0xffff;
        }",
        &ALL,
    );
}
