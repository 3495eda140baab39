/* What every C and C++ program here shares: no call is inlined or specialised, data is the same in every run. */
#ifndef COMMON_H
#define COMMON_H
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__clang__)
#define ALONE __attribute__((noinline, unused))
#else
#define ALONE __attribute__((noipa, unused))
#endif

/* An array of n doubles, none alike. */
ALONE static double *reals(int n) {
    double *a = (double *)malloc(n * sizeof *a);
    for (int i = 0; i < n; i++) a[i] = 0.5 + (i * 37 % 101) / 8.0;
    return a;
}

/* An array of n integers of both signs. */
ALONE static int *integers(int n) {
    int *a = (int *)malloc(n * sizeof *a);
    for (int i = 0; i < n; i++) a[i] = i * 53 % 97 - 40;
    return a;
}

/* An array of n zeros. */
ALONE static int *zeros(int n) { return (int *)calloc(n, sizeof(int)); }

/* A permutation of 0 to n-1. */
ALONE static int *permutation(int n) {
    int *p = (int *)malloc(n * sizeof *p);
    for (int i = 0; i < n; i++) p[i] = i;
    for (int i = n - 1; i > 0; i--) {
        int j = i * 31 % (i + 1), t = p[i];
        p[i] = p[j];
        p[j] = t;
    }
    return p;
}

ALONE static void show_reals(const char *name, const double *a, int n) {
    double s = 0;
    for (int i = 0; i < n; i++) s = s * 0.75 + a[i];
    printf("%s %.6g\n", name, s);
}

ALONE static void show(const char *name, const int *a, int n) {
    unsigned s = 0;
    for (int i = 0; i < n; i++) s = s * 31 + a[i];
    printf("%s %u\n", name, s);
}
#endif
