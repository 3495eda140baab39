/* One array by two names, where nothing but an overwriting joins them; rests of unrolled and vector loops; instructions that hide what they do. */
#include "common.h"
#include <wchar.h>
#define N 400
static int D[N + 8], E[N + 8], F[N + 8];
static unsigned bits[64];
ALONE void clear_ahead(int *d) {
    int *q = d + 3;
    for (int i = 0; i < N; i++) { //= no
        q[i] = 0;
        d[i] = i;
    }
}
ALONE void clear_ahead_global(void) {
    int *q = D + 3;
    for (int i = 0; i < N; i++) { //= no
        q[i] = 0;
        D[i] = i;
    }
}
ALONE void clear_ahead_line(void) {
    int *q = D + 3;
    for (int i = 0; i < N; i++) q[i] = 0, D[i] = i; //= no
}
ALONE void clear_ahead_parameters(int *q, int *d) {
    for (int i = 0; i < N; i++) { q[i] = 0; d[i] = i; } //= no
}
ALONE void copy_ahead(int *q, int *d, const int *a) {
    for (int i = 0; i < N; i++) { //= no
        d[i] = a[i] + 1;
        q[i] = a[i];
    }
}
static inline void clr(int *p) { *p = 0; }
ALONE void clear_called(int *b) {
    int *q = D + 1;
    for (int i = 0; i < N; i++) { //= no
        clr(q + i);
        b[i] = D[i];
    }
}
ALONE void clear_called_line(int *b) {
    int *q = D + 1;
    for (int i = 0; i < N; i++) { clr(q + i); b[i] = D[i]; } //= no
}
ALONE void clear_apart(int *b, int *c) {
    for (int i = 0; i < N; i++) { //= yes
        b[i] = 0;
        c[i] = i;
    }
}
ALONE void clear_named(void) {
    for (int i = 0; i < N; i++) { //= yes
        E[i] = 0;
        F[i] = i;
    }
}
ALONE void clear_promised(double *__restrict b, double *__restrict c, const double *__restrict a) {
    for (int i = 0; i < N; i++) { //= yes
        b[i] = 0;
        c[i] = a[i] * 2;
    }
}
ALONE void ahead_hundred(int *a, int n) {
    for (int i = 0; i < n; i++) //= no
        a[i + 100] = a[i] * 3;
}
ALONE void ahead_sixty(int *a, int n) {
    for (int i = 0; i < n; i++) //= no
        a[i + 60] = a[i] + 1;
}
ALONE void ahead_bytes(unsigned char *a, int n) {
    for (int i = 0; i < n; i++) //= no
        a[i + 64] = a[i] + 1;
}
ALONE void behind(int *a, int n) {
    for (int i = 0; i < n; i++) //= no
        a[i] = a[i + 100] * 3;
}
ALONE int multibyte(const char *s, int *o, int n) {
    int k = 0;
    for (int i = 0; i < n; i++) { //= no
        wchar_t c;
        o[i] = mbtowc(&c, s + i, 1) + (int)c;
        k += o[i];
    }
    return k;
}
ALONE void restartable(const char *s, int *o, int n) {
    mbstate_t state;
    memset(&state, 0, sizeof state);
    for (int i = 0; i < n; i++) { //= no
        wchar_t c = 0;
        o[i] = (int)mbrtowc(&c, s + i, 1, &state);
    }
}
ALONE void bit_set(const int *a, int n) {
    for (int i = 0; i < n; i++) //= no|words|reduction
        bits[a[i] >> 5] |= 1u << (a[i] & 31);
}
ALONE int bit_seen(const int *a, int n) {
    int again = 0;
    for (int i = 0; i < n; i++) { //= no
        if (bits[a[i] >> 5] >> (a[i] & 31) & 1) again++;
        bits[a[i] >> 5] |= 1u << (a[i] & 31);
    }
    return again;
}
ALONE int bit_by_instruction(const int *a, int n) {
    int again = 0;
#if defined(__x86_64__)
    for (int i = 0; i < n; i++) { //= no
        unsigned char was;
        __asm__ volatile("btsl %2, %0\n\tsetc %1" : "+m"(*(unsigned(*)[64])bits), "=r"(was) : "r"(a[i]) : "cc");
        again += was;
    }
#endif
    return again;
}
ALONE int nested_function(int *o, const int *a, int n) {
    int k = 0;
#if defined(__GNUC__) && !defined(__clang__)
    void put(int v) { o[k++] = v; }
    for (int i = 0; i < n; i++) //= no|induction
        put(a[i]);
#endif
    return k;
}
ALONE int nested_state(int *o, const int *a, int n) {
    int s = 1;
#if defined(__GNUC__) && !defined(__clang__)
    int step(int v) { s = s * 3 + v; return s & 31; }
    for (int i = 0; i < n; i++) //= no
        o[i] = step(a[i]);
#endif
    return s;
}
int main(void) {
    int *a = integers(N), *d = zeros(2 * N), *o = zeros(N), *p = permutation(N);
    double *x = reals(N), *y = reals(N), *z = reals(N);
    unsigned char *u = (unsigned char *)calloc(1, 300);
    char *s = (char *)malloc(N + 1);
    for (int i = 0; i < N; i++) s[i] = 'a' + i % 20;
    s[N] = 0;
    for (int i = 0; i < 100; i++) d[i] = i;
#define R(k) k; show("d", d, 2 * N); show(#k, D, N); show("o", o, N);
    R(ahead_hundred(d, 102)) R(ahead_sixty(d, 67)) R(behind(d, 102)) R(clear_ahead(d)) R(clear_ahead_global()) R(clear_ahead_line())
    R(clear_ahead_parameters(d + 3, d)) R(copy_ahead(d + 2, d, a)) R(clear_called(o)) R(clear_called_line(o)) R(clear_apart(d, o)) R(clear_named())
    clear_promised(x, y, z); show_reals("y", y, N);
    for (int i = 0; i < 64; i++) u[i] = i;
    ahead_bytes(u, 67); printf("%d\n", u[130]);
    R(restartable(s, o, N)) printf("%d\n", multibyte(s, o, N));
    bit_set(p, N); printf("%d %d\n", bit_seen(p, N), bit_by_instruction(p, N));
    R(nested_function(o, a, N)) R(nested_state(o, a, N))
    show("E", E, N); show("F", F, N);
    return 0;
}
