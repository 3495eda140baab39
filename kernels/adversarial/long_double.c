/* The stack of x87, its control word and its status word. */
#include "common.h"
#include <math.h>

ALONE void scaled(long double *a, int n) {
    for (int i = 0; i < n; i++) //= yes
        a[i] = a[i] * 1.5L + 2;
}
ALONE long double sum(const long double *a, int n) {
    long double s = 0;
    for (int i = 0; i < n; i++) //= reduction
        s += a[i];
    return s;
}
ALONE double wide_sum(const double *a, int n) {
    long double s = 0;
    for (int i = 0; i < n; i++) //= reduction
        s += a[i];
    return (double)s;
}
ALONE void previous(long double *d, const long double *a, int n) {
    long double prev = 0;
    for (int i = 0; i < n; i++) { //= no
        d[i] = a[i] - prev;
        prev = a[i];
    }
}
ALONE void truncated(int *out, const long double *a, int n) {
    for (int i = 0; i < n; i++) //= yes
        out[i] = (int)a[i];
}
ALONE void parsed(long double *out, const char (*text)[16], int n) {
    for (int i = 0; i < n; i++) //= yes
        out[i] = strtold(text[i], NULL);
}
ALONE long double evaluated(const long double *c, int n, long double x) {
    long double s = 0;
    for (int i = 0; i < n; i++) //= no
        s = s * x + c[i];
    return s;
}
ALONE long double maximum(const long double *a, int n) {
    long double m = 0;
    for (int i = 0; i < n; i++) //= reduction
        if (a[i] > m) m = a[i];
    return m;
}
ALONE void remainders(double *out, const double *a, int n) {
    for (int i = 0; i < n; i++) //= yes
        out[i] = fmod(a[i] * 100, 7.25);
}
ALONE void long_functions(long double *out, const long double *a, int n) {
    for (int i = 0; i < n; i++) //= yes
        out[i] = sinl(a[i]) + sqrtl(a[i]) + floorl(a[i]);
}
ALONE void polynomials(long double *out, const long double *x, int n) {
    for (int i = 0; i < n; i++) { //= yes
        long double s = 0;
        for (int k = 0; k < 8; k++) //= no
            s = s * x[i] + k;
        out[i] = s;
    }
}
ALONE void prefix(long double *a, int n) {
    for (int i = 1; i < n; i++) //= no
        a[i] += a[i - 1];
}
ALONE void chosen(long double *out, const long double *a, const long double *b, int n) {
    for (int i = 0; i < n; i++) //= yes
        out[i] = a[i] > b[i] ? a[i] : b[i];
}
ALONE void fallen_through(long double *out, const long double *a, int n) {
    long double t = 1;
    for (int i = 0; i < n; i++) { //= no
        if (a[i] > 2) t = a[i];
        out[i] = t;
    }
}
ALONE long double distance(const long double *a, const long double *b, int n) {
    long double s = 0;
    for (int i = 0; i < n; i++) { //= reduction
        long double d = a[i] - b[i];
        s += d * d;
    }
    return s;
}
ALONE void printed_into_rows(char (*text)[16], const long double *a, int n) {
    for (int i = 0; i < n; i++) //= yes
        snprintf(text[i], 16, "%.3Lf", a[i]);
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 50;
    long double *a = calloc(n, sizeof *a), *b = calloc(n, sizeof *b);
    double *x = reals(n);
    int *out = zeros(n);
    char(*text)[16] = calloc(n, 16);
    for (int i = 0; i < n; i++) a[i] = 0.5L + i * 37 % 101 / 8.0L, b[i] = i;
    printed_into_rows(text, a, n);
    scaled(a, n);
    printf("%Lg %g\n", sum(a, n), wide_sum(x, n));
    previous(b, a, n);
    truncated(out, a, n);
    show("truncated", out, n);
    printf("%Lg %Lg\n", evaluated(a, n, 0.5L), maximum(a, n));
    parsed(b, text, n);
    remainders(x, x, n);
    show_reals("remainders", x, n);
    printf("%Lg\n", distance(a, b, n));
    long_functions(b, a, n);
    printf("%Lg\n", b[3]);
    polynomials(b, a, n);
    printf("%Lg\n", b[4]);
    prefix(b, n);
    chosen(b, a, b, n);
    printf("%Lg\n", b[n - 1]);
    fallen_through(b, a, n);
    printf("%Lg\n", b[n - 1]);
    return 0;
}
