/* Macros with a definition for a build that checks, which was compiled, and a shorter one. */
//: compile -DFILTER -DCAP=1000000
#include "common.h"

ALONE static int ok(int i) { return i >= 0; }
#ifdef FILTER
#define KEEP(x) if (x > -1) t = x
#else
#define KEEP(x) t = x
#endif
ALONE double builds_kept(double *b, const double *a, int n) {
    double t = 0;
    for (int i = 0; i < n; i++) { //= no
        KEEP(a[i]);
        b[i] = t * 2;
    }
    return b[n - 1];
}
#ifdef CAP
#define ADD(x) if (t < CAP) t += x
#else
#define ADD(x) t += x
#endif
ALONE double builds_summed(double *b, const double *a, int n) {
    double t = 0;
    for (int i = 0; i < n; i++) { //= no
        ADD(a[i]);
        b[i] = 1;
    }
    return b[n - 1] + t;
}
#ifdef FILTER
#define PEAK(x) if (x > t) t = x
#else
#define PEAK(x) t = x
#endif
ALONE double builds_largest(double *b, const double *a, int n) {
    double t = 0;
    for (int i = 0; i < n; i++) { //= reduction
        PEAK(a[i]);
        b[i] = a[i] * 2;
    }
    return b[n - 1] + t;
}
#ifndef NDEBUG
#define PUT(c, x) if (c) t = (x)
#else
#define PUT(c, x) t = (x)
#endif
ALONE double builds_checked(double *b, const double *a, int n) {
    double t = 0;
    for (int i = 0; i < n; i++) { //= no
        PUT(a[i] > -1, a[i]);
        b[i] = t * 2;
    }
    return b[n - 1];
}
#ifndef NDEBUG
#define VALID(x) ((x) > -1)
#else
#define VALID(x) 1
#endif
ALONE double builds_valid(double *b, const double *a, int n) {
    double t = 0;
    for (int i = 0; i < n; i++) { //= no
        if (VALID(a[i])) t = a[i];
        b[i] = t;
    }
    return b[n - 1];
}
#ifndef NDEBUG
#define RESET(x) if (a[3] < 0) (x = 0)
#else
#define RESET(x) (x = 0)
#endif
ALONE double builds_reset(double *b, const double *a, int n) {
    double t = 0;
    for (int i = 0; i < n; i++) { //= no
        RESET(t); t += a[i];
        b[i] = t;
    }
    return b[n - 1];
}
#ifndef NDEBUG
#define MAYBE(c) if (c(i))
#else
#define MAYBE(c)
#endif
ALONE double builds_maybe(double *b, const double *a, int n) {
    double t = 0;
    for (int i = 0; i < n; i++) { //= no
        MAYBE(ok) t = a[i];
        b[i] = t;
    }
    return b[n - 1];
}
#ifndef NDEBUG
#define CHECK(x) ((x) ? (void)0 : abort())
#else
#define CHECK(x) ((void)0)
#endif
ALONE double builds_asserted(double *b, const double *a, int n) {
    double t = 0;
    for (int i = 0; i < n; i++) { //= private
        CHECK(a[i] > -1); t = a[i];
        b[i] = t;
    }
    return b[n - 1];
}
int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 50;
    double *a = (double *)calloc(n, sizeof *a), *b = (double *)calloc(n, sizeof *b), s = 0;
    for (int i = 0; i < n; i++) a[i] = i; //= yes
    s += builds_kept(b, a, n);
    s += builds_summed(b, a, n);
    s += builds_largest(b, a, n);
    s += builds_checked(b, a, n);
    s += builds_valid(b, a, n);
    s += builds_reset(b, a, n);
    s += builds_maybe(b, a, n);
    s += builds_asserted(b, a, n);
    show_reals("b", b, n);
    printf("%g\n", s);
    return 0;
}
