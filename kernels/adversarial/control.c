/* Loops made and left by other means than loop statements, storage that lives in an iteration, calls through pointers. */
#include "common.h"
#include <setjmp.h>
#include <alloca.h>
#include <stdint.h>
static jmp_buf back;
ALONE static double risky(int i, int every) { if (i % every == 0) longjmp(back, i + 1); return i * .5; }
ALONE static void jumped(double *a, int n, int every) {
    for (volatile int i = 0; i < n; i++) { //= no
        int k = setjmp(back);
        if (k == 0) a[i] = risky(i, every) + (i ? a[i - 1] : 0);
        else a[i] = i ? a[i - 1] - k : 0;
    }
}
ALONE static void jumped_apart(double *a, int n, int every) {
    for (volatile int i = 0; i < n; i++) { //= no
        int k = setjmp(back);
        if (k == 0) a[i] = risky(i, every);
        else a[i] = -k;
    }
}
ALONE static void by_goto(double *a, int n) {
    int i = 1;
again:
    a[i] = a[i - 1] * .5 + i;
    if (++i < n) //= no
        goto again;
}
ALONE static void by_goto_apart(double *a, double *b, int n) {
    int i = 0;
again:
    a[i] = b[i] * .5 + i;
    if (++i < n) //= yes|no
        goto again;
}
/* Threaded code: the loop is made of indirect jumps. */
ALONE static double interpreted(const unsigned char *code, double *a, int n) {
    static void *ops[] = { &&add, &&mul, &&copy, &&end };
    int pc = 0, at = 0; double acc = 0;
    goto *ops[code[pc++]];
add: acc += a[at]; at = (at + 1) % n; goto *ops[code[pc++]];
mul: acc *= 1.5; a[at] = acc; goto *ops[code[pc++]];
copy: a[at] = a[(at + n - 1) % n]; at = (at + 1) % n; goto *ops[code[pc++]];
end: return acc;
}
ALONE static void duff(double *to, const double *from, int n) {
    int i = 0;
    switch (n % 4) {
    case 0: do { to[i] = from[i] * 2; i++;
    case 3: to[i] = from[i] * 2; i++;
    case 2: to[i] = from[i] * 2; i++;
    case 1: to[i] = from[i] * 2; i++;
        } while (i < n); //= yes|no
    }
}
ALONE static void duff_carried(double *to, int n) {
    int i = 0;
    switch (n % 4) {
    case 0: do { to[i + 4] = to[i] * 2; i++;
    case 3: to[i + 4] = to[i] * 2; i++;
    case 2: to[i + 4] = to[i] * 2; i++;
    case 1: to[i + 4] = to[i] * 2; i++;
        } while (i < n - 8); //= no
    }
}
ALONE static void with_alloca(double *a, int n) {
    double *last = 0;
    for (int i = 0; i < n; i++) { //= no
        double *p = alloca(32);
        p[0] = i; p[1] = last ? last[0] : 0;
        a[i] = p[1];
        last = p;
    }
}
ALONE static void with_alloca_apart(double *a, int n) {
    for (int i = 0; i < n; i++) { //= yes|private
        double *p = alloca(32);
        p[0] = i; p[1] = i * .5;
        a[i] = p[0] + p[1];
    }
}
ALONE static void with_array(double *a, int n, int m) {
    for (int i = 0; i < n; i++) { //= yes|private
        double t[m];
        for (int j = 0; j < m; j++) t[j] = a[i] + j; //= yes
        a[i] = t[m - 1] + t[0];
    }
}
/* Not written in every iteration: what the array held before is read. */
ALONE static void with_array_left(double *a, int n, int m) {
    for (int i = 0; i < n; i++) { //= no
        double t[m];
        if (i % 3 == 0) for (int j = 0; j < m; j++) t[j] = a[i] + j;
        a[i] = t[m - 1] + 1;
    }
}
static void (*handler)(int, double *);
static void set(int i, double *a) { a[i] = i; }
static void pass(int i, double *a) { if (i) a[i] = a[i - 1] + 1; }
ALONE static void by_pointer(double *a, int n) {
    for (int i = 0; i < n; i++) //= no
        (i < n / 2 ? set : pass)(i, a);
}
ALONE static void by_pointer_apart(double *a, int n) {
    handler = set;
    for (int i = 0; i < n; i++) //= yes
        handler(i, a);
}
static int compared;
ALONE static int compare(const void *a, const void *b) { compared++; double x = *(double *)a, y = *(double *)b; return (x > y) - (x < y); }
ALONE static void sorts(double *a, int n, int m) {
    for (int i = 0; i < n; i++) //= no|reduction
        qsort(a + i * m, m, sizeof *a, compare);
}
ALONE static void moved(double *a, int n) {
    for (int i = 0; i + 16 < n; i += 8) //= no
        memmove(a + i + 8, a + i, 8 * sizeof *a);
}
ALONE static void moved_apart(double *a, double *b, int n) {
    for (int i = 0; i + 8 <= n; i += 8) //= yes
        memcpy(a + i, b + i, 8 * sizeof *a);
}
ALONE static void by_rep(char *a, int n) {
    for (int i = 0; i + 32 < n; i += 16) { //= no
        char *to = a + i + 16, *from = a + i; long k = 16;
        __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(k) : : "memory");
    }
}
ALONE static void bits_set(unsigned *w, const int *at, int n) {
    for (int i = 0; i < n; i++) //= no|reduction
        w[at[i] >> 5] |= 1u << (at[i] & 31);
}
ALONE static void bytes_in_words(unsigned char *b, int n) {
    for (int i = 1; i < n; i++) { //= no
        uint32_t w; memcpy(&w, b + i - 1, 4); b[i] = w ^ (w >> 8);
    }
}
ALONE static unsigned lcg(unsigned *state) { return *state = *state * 1664525u + 1013904223u; }
ALONE static void random_fill(int *a, int n, unsigned *state) {
    for (int i = 0; i < n; i++) //= no
        a[i] = lcg(state) >> 8;
}
ALONE static void random_own(int *a, int n) {
    for (int i = 0; i < n; i++) { //= yes|private
        unsigned s = i * 7919u;
        a[i] = lcg(&s) >> 8;
    }
}
ALONE static int zero_trip(double *a, int n) {
    int done = 0;
    while (done < n) { //= no
        double v = a[done];
        if (v > 40) { a[done] = v - 40; continue; }
        done++;
    }
    return done;
}
int main(void) {
    double *a = reals(400), *b = reals(400); int *k = integers(400); unsigned w[16] = { 0 }, st = 5; char text[400]; unsigned char by[400];
    for (int i = 0; i < 400; i++) { text[i] = i; by[i] = i * 7; }
    jumped(a, 100, 4); jumped_apart(b, 100, 5); by_goto(a, 300); by_goto_apart(a, b, 300);
    unsigned char code[300]; for (int i = 0; i < 299; i++) code[i] = i % 3; code[299] = 3;
    printf("%g\n", interpreted(code, a, 300));
    duff(a, b, 303); duff_carried(a, 303); with_alloca(a, 100); with_alloca_apart(b, 100); with_array(a, 100, 10); with_array_left(b, 100, 10);
    by_pointer(a, 200); by_pointer_apart(b, 200); sorts(a, 10, 30); moved(a, 400); moved_apart(b, a, 400); by_rep(text, 400);
    for (int i = 0; i < 400; i++) k[i] = (i * 37) & 511;
    bits_set(w, k, 400); bytes_in_words(by, 390); random_fill(k, 300, &st); random_own(k, 300);
    a[5] = 100; printf("%d\n", zero_trip(a, 300));
    show_reals("a", a, 400); show_reals("b", b, 400); show("k", k, 400); printf("%u %d %d %d\n", w[3], text[300], by[300], compared);
}
