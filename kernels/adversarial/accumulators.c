/* Accumulators of unusual kinds, in unusual places, and some that only look like one. */
#include "common.h"
#include <math.h>

struct pair { double a, b; };
typedef struct { double re, im; } complex_number;

ALONE double turned(const double *a, int n) {
    double s = 0;
    for (int i = 0; i < n; i++) //= reduction
        s = a[i] + s;
    return s;
}
ALONE double by_temporary(const double *a, int n) {
    double s = 0;
    for (int i = 0; i < n; i++) { //= reduction
        double t = s;
        t += a[i];
        s = t;
    }
    return s;
}
ALONE unsigned char narrow(const int *a, int n) {
    unsigned char s = 0;
    for (int i = 0; i < n; i++) //= reduction
        s += a[i];
    return s;
}
ALONE short narrow_product(const int *a, int n) {
    short p = 1;
    for (int i = 0; i < n; i++) //= reduction
        p *= a[i] | 1;
    return p;
}
/* Every sum is cut to an integer: the order matters. */
ALONE int cut_sum(const double *a, int n) {
    int s = 0;
    for (int i = 0; i < n; i++) //= no
        s += a[i] - 6.3;
    return s;
}
ALONE long sum_of_cut(const double *a, int n) {
    long s = 0;
    for (int i = 0; i < n; i++) //= reduction
        s += (int)a[i];
    return s;
}
ALONE int sum_with_its_sign(const int *a, int n) {
    int s = 1;
    for (int i = 0; i < n; i++) //= no
        s += s > 0 ? a[i] : -a[i];
    return s;
}
ALONE int maximum_and_more(const int *a, int n) {
    int s = 0;
    for (int i = 0; i < n; i++) //= no
        s = (s > a[i] ? s : a[i]) + 1;
    return s;
}
ALONE double folded_over(const double *a, int n) {
    double s = 0;
    for (int i = 0; i < n; i++) //= no
        s = fabs(s - a[i]);
    return s;
}
ALONE double divided(const double *a, int n) {
    double s = 1e30;
    for (int i = 0; i < n; i++) //= no|reduction
        s /= 1 + a[i];
    return s;
}
ALONE int all_true(const int *a, int n) {
    int ok = 1;
    for (int i = 0; i < n; i++) //= reduction
        ok = ok & (a[i] > -1000);
    return ok;
}
ALONE int read_mask(int *b, const int *a, int n) {
    int s = 0;
    for (int i = 0; i < n; i++) { //= no
        s |= a[i] & 3;
        if (s & 2) b[i] = 1;
    }
    return s;
}
/* The accumulator is one of the elements. */
ALONE void aliased_accumulator(double *s, const double *a, int n) {
    for (int i = 0; i < n; i++) //= no
        *s += a[i];
}
ALONE void sum_into_the_first(double *a, int n) {
    for (int i = 1; i < n; i++) //= reduction
        a[0] += a[i];
}
ALONE void first_into_all(double *a, int n) {
    for (int i = 0; i < n; i++) //= no
        a[i] += a[0];
}
ALONE void counted_and_read(int *b, int *h, const int *a, int n) {
    for (int i = 0; i < n; i++) { //= no
        int k = (a[i] + 64) & 7;
        h[k]++;
        if (h[k] > 3) b[i] = 1;
    }
}
ALONE void chased(int *h, int n) {
    int k = 0;
    for (int i = 0; i < n; i++) { //= no
        h[k]++;
        k = (h[k] + k) & 15;
    }
}
ALONE void two_histograms(int *g, int *h, const int *a, int n) {
    for (int i = 0; i < n; i++) { //= reduction
        g[(a[i] + 64) & 7]++;
        h[(a[i] + 64) >> 3 & 7] += 2;
    }
}
ALONE void mixed_operators(double *h, const int *a, const double *w, int n) {
    for (int i = 0; i < n; i++) { //= no
        int k = (a[i] + 64) & 7;
        if (a[i] & 1)
            h[k] += w[i];
        else
            h[k] *= 1.5;
    }
}
ALONE void histogram_of_products(double *h, const int *a, const double *w, int n) {
    for (int i = 0; i < n; i++) //= reduction
        h[(a[i] + 64) & 7] *= 1 + w[i] / 64;
}
ALONE double local_struct(const double *a, const double *b, int n) {
    struct pair p = {0, 0};
    for (int i = 0; i < n; i++) { //= reduction
        p.a += a[i];
        p.b += b[i] * a[i];
    }
    return p.a - p.b;
}
ALONE double small_array(const double *a, int n) {
    double s[4] = {0};
    for (int i = 0; i < n; i++) { //= reduction
        s[0] += a[i];
        s[1] += a[i] * a[i];
        s[i & 1 ? 2 : 3] += 1;
    }
    return s[0] + s[1] + s[2] * 2 + s[3] * 3;
}
ALONE complex_number complex_power(const complex_number *a, int n) {
    complex_number p = {1, 0};
    for (int i = 0; i < n; i++) { //= no
        complex_number q = {p.re * a[i].re - p.im * a[i].im, p.re * a[i].im + p.im * a[i].re};
        p = q;
    }
    return p;
}
ALONE double continued_sum(const double *a, const int *f, int n) {
    double s = 0;
    for (int i = 0; i < n; i++) { //= reduction
        if (f[i] < 0) continue;
        s += a[i];
    }
    return s;
}
ALONE double alternating_accumulators(const double *a, int n) {
    double s = 0, t = 0;
    for (int i = 0; i < n; i++) { //= reduction
        if (i & 1)
            s += a[i];
        else
            t += a[i];
    }
    return s - 2 * t;
}
ALONE double shared_between(const double *a, int n) {
    double s = 0, t = 0;
    for (int i = 0; i < n; i++) { //= no
        s += a[i];
        if (i % 10 == 9) {
            t += s;
            s = 0;
        }
    }
    return t;
}
ALONE double from_the_other(const double *a, int n) {
    double s = 0, t = 1;
    for (int i = 0; i < n; i++) { //= no
        s += t;
        t = a[i];
    }
    return s;
}
ALONE int steps_of_the_sum(const int *a, int n) {
    int s = 0, c = 0;
    for (int i = 0; i < n; i++) { //= no
        s += a[i];
        c += s > 0;
    }
    return c;
}
ALONE double squared_each_time(int n, double x) {
    double s = x;
    for (int i = 0; i < n; i++) //= no
        s = s * s * 0.999;
    return s;
}
ALONE float float_in_double(const float *a, int n) {
    double s = 0;
    for (int i = 0; i < n; i++) //= reduction
        s += a[i];
    return (float)s;
}
ALONE void add_to(double *s, double x) { *s += x; }
ALONE double by_callee(const double *a, int n) {
    double s = 0;
    for (int i = 0; i < n; i++) //= reduction|words
        add_to(&s, a[i]);
    return s;
}
ALONE double rotated(const double *a, int n) {
    double s = 0, t = 0, u = 0;
    for (int i = 0; i < n; i++) { //= no
        double v = s + a[i];
        s = t;
        t = u;
        u = v;
    }
    return s + 2 * t + 3 * u;
}
ALONE unsigned rotated_bits(const int *a, int n) {
    unsigned s = 0;
    for (int i = 0; i < n; i++) //= no
        s = (s << 5 | s >> 27) ^ a[i];
    return s;
}
ALONE unsigned sum_in_a_field(const int *a, int n) {
    unsigned s = 0;
    for (int i = 0; i < n; i++) //= reduction
        s = (s + a[i]) & 0xffff;
    return s;
}
ALONE double negated_sum(const double *a, int n) {
    double s = 0;
    for (int i = 0; i < n; i++) //= no
        s = -(s + a[i]);
    return s;
}
ALONE double weighted_by_position(const double *a, int n) {
    double s = 0, w = 1;
    for (int i = 0; i < n; i++) { //= no|induction
        s += a[i] * w;
        w *= 0.5;
    }
    return s;
}
ALONE long dot_of_matrices(const int *a, const int *b, int rows, int columns) {
    long s = 0;
    for (int j = 0; j < columns; j++) //= reduction
        for (int i = 0; i < rows; i++) //= reduction
            s += (long)a[i * columns + j] * b[i * columns + j];
    return s;
}
ALONE void diagonal_sums(double *d, const double *a, int n) {
    for (int i = 0; i < n; i++) //= reduction
        for (int j = 0; j < n; j++) //= yes
            d[i + j] += a[i * n + j];
}
ALONE void triangle_of_sums(double *c, const double *a, int n) {
    for (int i = 0; i < n; i++) //= yes
        for (int j = 0; j <= i; j++) { //= yes
            c[i * n + j] = 0;
            for (int k = 0; k < n; k++) //= reduction
                c[i * n + j] += a[i * n + k] * a[j * n + k];
        }
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 60, m = 20;
    double *a = reals(n), *b = reals(m * m), *h = calloc(64, sizeof *h), *c = calloc(m * m, sizeof *c);
    int *k = integers(m * m), *g = zeros(64), *out = zeros(n);
    printf("%g %g %d %d\n", turned(a, n), by_temporary(a, n), narrow(k, n), narrow_product(k, n));
    printf("%d %ld %d %d\n", cut_sum(a, n), sum_of_cut(a, n), sum_with_its_sign(k, n), maximum_and_more(k, n));
    printf("%g %g %d %d\n", folded_over(a, n), divided(a, n), all_true(k, n), read_mask(out, k, n));
    aliased_accumulator(a + n / 2, a, n);
    sum_into_the_first(a, n);
    printf("%g %g\n", a[n / 2], a[0]);
    first_into_all(b, n);
    show_reals("first_into_all", b, n);
    counted_and_read(out, g, k, n);
    chased(g, n);
    two_histograms(g, g + 32, k, n);
    show("histograms", g, 64);
    mixed_operators(h, k, b, n);
    for (int i = 0; i < 8; i++) h[i] = 1;
    histogram_of_products(h, k, b, n);
    show_reals("products", h, 8);
    printf("%g %g\n", local_struct(b, a, n), small_array(b, n));
    complex_number *z = calloc(n, sizeof *z);
    for (int i = 0; i < n; i++) z[i].re = 0.6 + 0.01 * (i % 9), z[i].im = 0.7;
    complex_number p = complex_power(z, n);
    printf("%g %g\n", p.re, p.im);
    printf("%g %g %g %g\n", continued_sum(b, k, n), alternating_accumulators(b, n), shared_between(b, n), from_the_other(b, n));
    printf("%d %g\n", steps_of_the_sum(k, n), squared_each_time(n, 1.0));
    float *f = calloc(n, sizeof *f);
    for (int i = 0; i < n; i++) f[i] = i * 0.5f;
    printf("%g %g %g %u\n", float_in_double(f, n), by_callee(b, n), rotated(b, n), rotated_bits(k, n));
    printf("%u %g %g\n", sum_in_a_field(k, n), negated_sum(b, n), weighted_by_position(b, n));
    printf("%ld\n", dot_of_matrices(k, k, m, m));
    diagonal_sums(h, b, m);
    triangle_of_sums(c, b, m);
    show_reals("diagonals", h, 2 * m - 1);
    show_reals("triangle", c, m * m);
    return 0;
}
