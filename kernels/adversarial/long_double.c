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

ALONE long double lessened(const long double *a, int n) {
    long double s = 1000;
    for (int i = 0; i < n; i++) //= reduction
        s -= a[i];
    return s;
}
/* The sum changes its sign in every iteration. */
ALONE long double alternating(const long double *a, int n) {
    long double s = 0;
    for (int i = 0; i < n; i++) //= no
        s = a[i] - s;
    return s;
}
ALONE long double multiplied(const long double *a, int n) {
    long double p = 1;
    for (int i = 0; i < n; i++) //= reduction
        p *= 1 + a[i] / 1000;
    return p;
}
ALONE long double divided(const long double *a, int n) {
    long double p = 1;
    for (int i = 0; i < n; i++) //= no
        p = (1 + a[i]) / (1 + p);
    return p;
}
ALONE long double two_sums(const long double *a, const long double *b, int n) {
    long double s = 0, t = 0;
    for (int i = 0; i < n; i++) { //= reduction
        s += a[i];
        t += a[i] * b[i];
    }
    return s - t;
}
/* Each sum is the other's addend. */
ALONE long double fibonacci(int n) {
    long double a = 0, b = 1;
    for (int i = 0; i < n; i++) { //= no
        long double c = a + b;
        a = b;
        b = c;
    }
    return a;
}
ALONE long double exchanging(long double *out, int n) {
    long double a = 3, b = 5;
    for (int i = 0; i < n; i++) { //= no
        long double t = a;
        out[i] = a;
        a = b;
        b = t;
    }
    return a;
}
ALONE long double of_three(const long double *a, int n) {
    long double s = 0, t = 1, u = 2;
    for (int i = 0; i < n; i++) { //= no
        long double v = s + a[i];
        s = t;
        t = u;
        u = v;
    }
    return s;
}
ALONE long double half_of(long double x) { return x / 2 + 1; }
ALONE void called(long double *out, const long double *a, int n) {
    for (int i = 0; i < n; i++) //= yes
        out[i] = half_of(a[i]) - half_of(a[i] + 1);
}
ALONE long double called_with_its_result(int n) {
    long double x = 100;
    for (int i = 0; i < n; i++) //= no
        x = half_of(x);
    return x;
}
ALONE long double sum_of_calls(const long double *a, int n) {
    long double s = 0;
    for (int i = 0; i < n; i++) //= reduction
        s += half_of(a[i]);
    return s;
}
ALONE void numbers_read(double *out, const char (*text)[16], int n) {
    for (int i = 0; i < n; i++) //= yes
        out[i] = atof(text[i]) + strtod(text[i], NULL);
}
ALONE double numbers_summed(const char (*text)[16], int n) {
    double s = 0;
    for (int i = 0; i < n; i++) //= reduction
        s += atof(text[i]);
    return s;
}
ALONE void rounded(long *out, const long double *a, int n) {
    for (int i = 0; i < n; i++) //= yes
        out[i] = lrintl(a[i]) + (long)ceill(a[i]);
}
ALONE void rounded_sums(long *out, const long double *a, int n) {
    long double s = 0;
    for (int i = 0; i < n; i++) { //= no
        s += a[i];
        out[i] = (long)s;
    }
}
ALONE void angles(double *out, const double *x, int n) {
    for (int i = 0; i < n; i++) { //= yes
        long double s = sinl(x[i]), c = cosl(x[i]);
        out[i] = (double)atan2l(s, c) + (double)fmodl(s * 10, 3);
    }
}
ALONE long double carried_through_memory(long double *a, int n) {
    long double *p = a;
    for (int i = 0; i + 1 < n; i++) //= no
        p[i + 1] = p[i + 1] * 0.5L + p[i];
    return p[n - 1];
}
ALONE long double greatest_by_function(const long double *a, int n) {
    long double m = 0;
    for (int i = 0; i < n; i++) //= reduction
        m = fmaxl(m, a[i]);
    return m;
}
ALONE void rows_of_sums(long double *out, const long double *a, int rows, int columns) {
    for (int i = 0; i < rows; i++) { //= yes
        long double s = 0;
        for (int j = 0; j < columns; j++) //= reduction
            s += a[i * columns + j];
        out[i] = s;
    }
}
ALONE void rows_that_add_up(long double *out, const long double *a, int rows, int columns) {
    long double s = 0;
    for (int i = 0; i < rows; i++) { //= no
        for (int j = 0; j < columns; j++) //= reduction
            s += a[i * columns + j];
        out[i] = s;
    }
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
    printf("%Lg %Lg %Lg %Lg\n", lessened(a, n), alternating(a, n), multiplied(a, n), divided(a, n));
    printf("%Lg %Lg %Lg %Lg\n", two_sums(a, b, n), fibonacci(n), exchanging(b, n), of_three(a, n));
    called(b, a, n);
    printf("%Lg %Lg %Lg\n", b[2], called_with_its_result(n), sum_of_calls(a, n));
    numbers_read(x, text, n);
    show_reals("numbers_read", x, n);
    printf("%g\n", numbers_summed(text, n));
    long *y = calloc(n, sizeof *y);
    rounded(y, a, n);
    printf("%ld\n", y[n - 1]);
    rounded_sums(y, a, n);
    printf("%ld\n", y[n - 1]);
    angles(x, x, n);
    show_reals("angles", x, n);
    printf("%Lg %Lg\n", carried_through_memory(b, n), greatest_by_function(a, n));
    rows_of_sums(b, a, 5, n / 5);
    printf("%Lg\n", b[4]);
    rows_that_add_up(b, a, 5, n / 5);
    printf("%Lg\n", b[4]);
    return 0;
}
