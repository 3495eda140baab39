#include "common.h"
#include "headers.h"
ALONE void fill_random(int *a, int n) {
    for (int i = 0; i < n; i++) //= no
        a[i] = rng_next() % 100;
}
ALONE void fill_unit(double *a, int n) {
    for (int i = 0; i < n; i++) //= no
        a[i] = rng_unit();
}
ALONE int monte(int n) {
    int in = 0;
    for (int i = 0; i < n; i++) { //= no
        double x = rng_unit(), y = rng_unit();
        if (x * x + y * y < 1) in++;
    }
    return in;
}
ALONE void pushes(const int *a, int n) {
    for (int i = 0; i < n; i++) //= induction|no
        hdr_push(a[i]);
}
ALONE void pushes_if(const int *a, int n) {
    for (int i = 0; i < n; i++) //= no
        if (a[i] > 0) hdr_push(a[i]);
}
ALONE void tickets(int *o, int n) {
    for (int i = 0; i < n; i++) //= no|induction
        o[i] = hdr_ticket();
}
ALONE int steps(int *o, const int *a, int n) {
    int s = 1;
    for (int i = 0; i < n; i++) //= no
        o[i] = hdr_step(&s, a[i]);
    return s;
}
ALONE int adds(const int *a, int n) {
    int s = 1;
    for (int i = 0; i < n; i++) //= reduction
        hdr_add(&s, a[i]);
    return s;
}
ALONE int maxs(const int *a, int n) {
    int s = -1000;
    for (int i = 0; i < n; i++) //= reduction
        hdr_max(&s, a[i]);
    return s;
}
ALONE void smooths(double *o, const double *a, int n) {
    for (int i = 0; i < n; i++) //= no
        o[i] = hdr_smooth(a[i]);
}
ALONE void tmps(int *o, const int *a, int n) {
    for (int i = 0; i < n; i++) //= words
        o[i] = hdr_tmp(a[i]);
}
ALONE void works(double *o, const double *a, int n) {
    for (int i = 0; i < n; i++) //= words
        o[i] = hdr_work(a[i]);
}
ALONE int puts_next(int *outp, const int *a, int n) {
    int pos = 0;
    for (int i = 0; i < n; i++) //= induction
        put_next(a[i]);
    return pos;
}
ALONE int puts_if(int *outp, const int *a, int n) {
    int pos = 0;
    for (int i = 0; i < n; i++) { //= no
        if (a[i] & 1) put_next(a[i]);
    }
    return pos;
}
ALONE void macro_at(int *x, const int *a, int n) {
    for (int i = 1; i < n; i++) //= no
        x[i] = AT1(x, i) * 3 + a[i];
}
ALONE void macro_prev(int *o, const int *a, int n) {
    int prev = 0;
    for (int i = 0; i < n; i++) { //= no
        o[i] = prev * 2 + a[i];
        setprev(a[i] & 7);
    }
}
ALONE int macro_acc(const int *a, int n) {
    int total = 0;
    for (int i = 0; i < n; i++) //= no
        accumulate(a[i]);
    return total;
}
ALONE void macro_each(int *o, const int *a, int n) {
    each_i(n) //= yes
        o[i] = a[i] + 1;
}
ALONE void macro_each_carried(int *o, const int *a, int n) {
    int k = 0;
    each_i(n) { //= no|induction
        o[i] = a[i] + k;
        bump(k);
    }
}
ALONE void rings(int *o, const int *a, int n) {
    struct ring r = {{0}, 0};
    for (int i = 0; i < n; i++) //= no
        o[i] = ring_put(&r, a[i]);
}
ALONE void lfsrs(int *o, int n) {
    struct lfsr l = {0xACE1u};
    for (int i = 0; i < n; i++) //= no
        o[i] = lfsr_next(&l);
}
ALONE void lfsrs_adv(int *o, int n) {
    struct lfsr l = {7};
    for (int i = 0; i < n; i++) { //= no
        l = lfsr_adv(l);
        o[i] = l.s >> 4;
    }
}
ALONE void strided_take(int *o, const int *a, int n, int stride0) {
    int v = 0;
    for (int i = 0; i < n; i++) { //= induction|no
        take(v);
        o[i] = a[i] + v * v;
    }
}
#include "body.inc"
int main(void) {
    int n = 96;
    int *a = integers(n), *b = zeros(n); double *x = reals(n), *y = reals(n);
    fill_random(b, n); show("fr", b, n); fill_unit(y, n); show_reals("fu", y, n); printf("%d\n", monte(n));
    pushes(a, n); pushes_if(a, n); show("push", hdr_buf, hdr_pos); tickets(b, n); show("t", b, n);
    printf("%d\n", steps(b, a, n)); show("s", b, n); printf("%d %d\n", adds(a, n), maxs(a, n));
    smooths(y, x, n); show_reals("sm", y, n); tmps(b, a, n); show("tm", b, n); works(y, x, n); show_reals("w", y, n);
    printf("%d\n", puts_next(b, a, n)); show("pn", b, n); printf("%d\n", puts_if(b, a, n)); show("pi", b, n);
    macro_at(b, a, n); show("ma", b, n); macro_prev(b, a, n); show("mp", b, n); printf("%d\n", macro_acc(a, n));
    macro_each(b, a, n); show("me", b, n); macro_each_carried(b, a, n); show("mc", b, n);
    rings(b, a, n); show("ri", b, n); lfsrs(b, n); show("lf", b, n); lfsrs_adv(b, n); show("la", b, n);
    strided_take(b, a, n, 3); show("st", b, n); included(b, a, n); show("in", b, n);
    return 0;
}
