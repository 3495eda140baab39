/* Loops that compilers cut into pieces, the later of which need what the earlier ones have stored. */
#include "common.h"
#define N 100
static int A[256], B[256]; static double X[256];
ALONE void split_far(int *a, int n) {
    for (int i = 0; i < n; i++) //= no
        a[i] = i < n - 3 ? i : a[i - (n - 3)] + 1;
}
ALONE void split_half2(int *a, int *b, int n, int m) {
    for (int i = 0; i < n; i++) //= no
        if (i < m) a[i] = i * 3;
        else b[i] = a[n - 1 - i] + 1;
}
ALONE void split_gt(int *a, int *b, int n, int m) {
    for (int i = 0; i < n; i++) { //= no
        if (i >= m) b[i] = a[i - m] + 1;
        else a[i] = i * 5;
    }
}
ALONE void split_scalar(int *o, int n, int m) {
    int s = 4;
    for (int i = 0; i < n; i++) { //= no
        if (i < m) s = i;
        o[i] = s;
    }
}
static int gsc;
ALONE void split_global(int *o, int n, int m) {
    for (int i = 0; i < n; i++) { //= no
        if (i < m) gsc = i;
        else o[i] = gsc;
    }
}
ALONE int split_sum(int *o, int n, int m) {
    int s = 0;
    for (int i = 0; i < n; i++) { //= no
        if (i < m) s += o[i];
        else o[i] = s;
    }
    return s;
}
ALONE void vec_const(void) {
    int *p = A + 97;
    for (int i = 0; i < N; i++) //= no
        p[i] = A[i] * 3 + 1;
}
ALONE void vec_const2(void) {
    int *p = A + 94;
    for (int i = 0; i < 101; i++) //= no
        p[i] = A[i] * 3 + 1;
}
ALONE void vec_anti(void) {
    int *p = A + 97;
    for (int i = 0; i < N; i++) //= no
        A[i] = p[i] * 3 + 1;
}
ALONE void vec_out(void) {
    int *p = A + 97;
    for (int i = 0; i < N; i++) { //= no
        A[i] = B[i] + 1;
        p[i] = i;
    }
}
ALONE void vec_dbl(void) {
    double *p = X + 98;
    for (int i = 0; i < 101; i++) //= no
        p[i] = X[i] * 0.5 + i;
}
ALONE void vec_down(void) {
    int *p = A + 97;
    for (int i = N - 1; i >= 0; i--) //= no
        A[i] = p[i] + i;
}
ALONE void vec_half(void) {
    int *p = A + 50;
    for (int i = 0; i < N; i++) //= no
        p[i] = A[i] * 3 + 1;
}
ALONE void vec_idx(void) {
    for (int i = 0; i < N; i++) { //= no
        int k = i + 97;
        A[k] = A[i] * 3 + 1;
    }
}
static inline int rd(int i) { return A[i]; } static inline void wr(int i, int v) { A[i] = v; }
ALONE void vec_fn(void) {
    for (int i = 0; i < N; i++) //= no
        wr(i + 97, rd(i) * 3 + 1);
}
ALONE void vec_n(int *a, int n) {
    int *p = a + n - 3;
    for (int i = 0; i < n; i++) //= no
        p[i] = a[i] * 3 + 1;
}
ALONE void peel_first(int *o, const int *a, int n) {
    for (int i = 0; i < n; i++) { //= no
        if (i == 0) o[n] = a[0];
        else o[i] = o[n] + a[i];
    }
}
ALONE void peel_first2(int *o, const int *a, int n) {
    int *t = o + n;
    for (int i = 0; i < n; i++) { //= no
        if (!i) *t = a[0];
        o[i] = *t + a[i];
    }
}
ALONE void peel_last(int *o, const int *a, int n) {
    for (int i = 0; i < n; i++) { //= no
        o[i] = a[i] * 2;
        if (i == n - 1) o[i] += o[0];
    }
}
ALONE void unswitched(int *o, const int *a, int n, int f) {
    int *p = o - 1;
    for (int i = 1; i < n; i++) //= no
        if (f) o[i] = p[i] * 3 + a[i];
        else o[i] = a[i];
}
ALONE void thread_state(int *o, const int *a, int n) {
    struct { int in; } s = {0}; int *q = &s.in;
    for (int i = 0; i < n; i++) { //= no
        if (*q) { o[i] = 1; if (a[i] > 20) *q = 0; }
        else { o[i] = 2; if (a[i] < -20) *q = 1; }
    }
}
static int inq; static inline int in_get(void) { return inq; } static inline void in_set(int v) { inq = v; }
ALONE void thread_state2(int *o, const int *a, int n) {
    in_set(0);
    for (int i = 0; i < n; i++) { //= no
        if (in_get()) { o[i] = 1; if (a[i] > 20) in_set(0); }
        else { o[i] = 2; if (a[i] < -20) in_set(1); }
    }
}
ALONE void small_full(int *o) {
    for (int i = 1; i < 5; i++) //= no
        o[i] = o[i - 1] * 3 + 1;
    int *p = o - 1;
    for (int i = 1; i < 6; i++) //= no
        o[i] = p[i] * 3 + 1;
}
ALONE void unroll_epi(int *o, int n) {
    int *p = o + 4;
#pragma GCC unroll 4
    for (int i = 0; i < n; i++) //= no
        p[i] = o[i] * 3 + 1;
}
int main(void) {
    int n = 100, *a = integers(256), *o = zeros(400);
#define R(c) c; show(#c, o, 256);
#define S(c) c; show(#c, A, 256);
    for (int i = 0; i < 256; i++) A[i] = i * 7 % 31, B[i] = i;
    R(split_far(o, n))
    R(split_half2(o, o + 128, n, 50))
    R(split_gt(o, o + 128, n, 40))
    R(split_scalar(o, n, 40))
    R(split_global(o, n, 40)) printf("%d\n", split_sum(o, n, 40)); show("ss", o, 256); S(vec_const())
    S(vec_const2())
    S(vec_anti())
    S(vec_out()) vec_dbl(); show_reals("vd", X, 200); S(vec_down())
    S(vec_half())
    S(vec_idx())
    S(vec_fn())
    R(vec_n(o, n))
    R(peel_first(o, a, n))
    R(peel_first2(o, a, n))
    R(peel_last(o, a, n))
    R(unswitched(o, a, n, 1))
    R(thread_state(o, a, n))
    R(thread_state2(o, a, n))
    R(small_full(o))
    R(unroll_epi(o, n)) 
    return 0;
}
