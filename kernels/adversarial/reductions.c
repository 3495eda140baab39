/* Accumulations that iterations may share out among themselves. */
#include "common.h"

int total;
struct stats { double sum, square; int count; };

ALONE double sum(const double *a, int n) {
    double s = 0;
    for (int i = 0; i < n; i++) //= reduction
        s += a[i];
    return s;
}
ALONE int integer_sum(const int *a, int n) {
    int s = 0;
    for (int i = 0; i < n; i++) //= reduction
        s += a[i];
    return s;
}
/* All ones, so the partial sums are affine; nobody reads them. */
ALONE int sum_of_ones(const int *ones, int n) {
    int s = 0;
    for (int i = 0; i < n; i++) //= reduction
        s += ones[i];
    return s;
}
ALONE float narrow_sum(const double *a, const double *b, int n) {
    float s = 0;
    for (int i = 0; i < n; i++) //= reduction
        s += a[i] * b[i];
    return s;
}
ALONE double difference(const double *a, int n) {
    double s = 1000;
    for (int i = 0; i < n; i++) //= reduction
        s -= a[i];
    return s;
}
ALONE double product(const double *a, int n) {
    double p = 1;
    for (int i = 0; i < n; i++) //= reduction
        p *= 0.25 + a[i] / 16;
    return p;
}
ALONE unsigned bits(const int *a, int n) {
    unsigned all = ~0u, any = 0, odd = 0;
    for (int i = 0; i < n; i++) { //= reduction
        all &= a[i] | 0xff00;
        any |= a[i];
        odd ^= a[i];
    }
    return all + any * 3 + odd * 7;
}
ALONE double several_accumulators(const double *a, int n) {
    double s = 0, t = 0, u = 0;
    for (int i = 0; i < n; i++) { //= reduction
        s += a[i];
        t += a[i] * a[i];
        u += a[n - 1 - i] * a[i];
    }
    return s + 2 * t + 3 * u;
}
ALONE double same_accumulator(const double *a, const double *b, int n) {
    double s = 0;
    for (int i = 0; i < n; i++) { //= reduction
        s += a[i];
        s += b[i];
        s -= 0.5;
    }
    return s;
}
ALONE void global_sum(const int *a, int n) {
    for (int i = 0; i < n; i++) //= reduction
        total += a[i];
}
ALONE void pointed_sum(double *s, const double *a, int n) {
    for (int i = 0; i < n; i++) //= reduction
        *s += a[i];
}
ALONE void member_sums(struct stats *s, const double *a, int n) {
    for (int i = 0; i < n; i++) { //= reduction
        s->sum += a[i];
        s->square += a[i] * a[i];
        s->count++;
    }
}
ALONE int conditional_count(const int *a, int n) {
    int c = 0;
    for (int i = 0; i < n; i++) //= reduction
        if (a[i] > 7) c++;
    return c;
}
ALONE double conditional_sum(const double *a, int n) {
    double s = 0;
    for (int i = 0; i < n; i++) //= reduction
        if (a[i] > 4) s += a[i];
    return s;
}
ALONE double selected_sum(const double *a, const int *f, int n) {
    double s = 0;
    for (int i = 0; i < n; i++) //= reduction
        s += f[i] & 1 ? a[i] : -a[i];
    return s;
}
/* The accumulator's update is counted by the iterator too. */
ALONE int unread_counter(int *a, int n) {
    int c = 0;
    for (int i = 0; i < n; i++) { //= reduction|induction
        a[i] = i;
        c++;
    }
    return c;
}
ALONE int maximum(const int *a, int n) {
    int m = a[0];
    for (int i = 1; i < n; i++) //= reduction
        if (a[i] > m) m = a[i];
    return m;
}
ALONE double maximum_by_select(const double *a, int n) {
    double m = a[0];
    for (int i = 1; i < n; i++) //= reduction
        m = a[i] > m ? a[i] : m;
    return m;
}
ALONE int minimum_and_maximum(const int *a, int n) {
    int lo = a[0], hi = a[0];
    for (int i = 1; i < n; i++) { //= reduction
        lo = a[i] < lo ? a[i] : lo;
        hi = a[i] > hi ? a[i] : hi;
    }
    return hi * 1000 + lo;
}
ALONE double largest_change(const double *a, const double *b, int n) {
    double m = 0;
    for (int i = 0; i < n; i++) { //= reduction
        double d = a[i] - b[i];
        if (d < 0) d = -d;
        if (d > m) m = d;
    }
    return m;
}
/* First of the largest: to be declared as a reduction of pairs, or not at all. */
ALONE int index_of_maximum(const double *a, int n) {
    double m = a[0];
    int at = 0;
    for (int i = 1; i < n; i++) //= reduction|no
        if (a[i] > m) {
            m = a[i];
            at = i;
        }
    return at;
}
ALONE void histogram(int *h, const int *a, int n) {
    for (int i = 0; i < n; i++) //= reduction
        h[(a[i] + 64) & 15]++;
}
ALONE void weighted_histogram(double *h, const int *a, const double *w, int n) {
    for (int i = 0; i < n; i++) //= reduction
        h[(a[i] + 64) & 7] += w[i] * 0.5;
}
ALONE void corners(double *f, const int (*corner)[4], const double *x, int cells) {
    for (int c = 0; c < cells; c++) { //= reduction
        f[corner[c][0]] += x[c];
        f[corner[c][1]] += x[c] * 2;
        f[corner[c][2]] -= x[c] * 3;
        f[corner[c][3]] += x[c] * 4;
    }
}
ALONE void column_sums(double *s, const double *a, int rows, int columns) {
    for (int i = 0; i < rows; i++) //= reduction
        for (int j = 0; j < columns; j++) //= yes
            s[j] += a[i * columns + j];
}
ALONE void row_sums(double *s, const double *a, int rows, int columns) {
    for (int i = 0; i < rows; i++) { //= yes
        double t = 0;
        for (int j = 0; j < columns; j++) //= reduction
            t += a[i * columns + j];
        s[i] = t;
    }
}
ALONE double nested_sum(const double *a, int rows, int columns) {
    double s = 0;
    for (int i = 0; i < rows; i++) //= reduction
        for (int j = 0; j < columns; j++) //= reduction
            s += a[i * columns + j];
    return s;
}
ALONE int any_negative(const int *a, int n) {
    int found = 0;
    for (int i = 0; i < n; i++) //= reduction
        found = found || a[i] < -38;
    return found;
}
ALONE unsigned long long checksum(const int *a, int n) {
    unsigned long long s = 0;
    for (int i = 0; i < n; i++) //= reduction
        s += (unsigned long long)(a[i] + 100) * (i + 1);
    return s;
}
ALONE double complex_product(const double *re, const double *im, int n, double *out) {
    double r = 0, m = 0;
    for (int i = 0; i < n; i++) { //= reduction
        r += re[i] * re[i] - im[i] * im[i];
        m += 2 * re[i] * im[i];
    }
    *out = m;
    return r;
}
ALONE void forces(double *f, const double *x, int n) {
    for (int i = 0; i < n; i++) //= reduction
        for (int j = i + 1; j < n; j++) { //= reduction
            double d = x[i] - x[j];
            f[i] += d;
            f[j] -= d;
        }
}
ALONE int counted_by_arithmetic(const int *a, int n) {
    int c = 0;
    for (int i = 0; i < n; i++) //= reduction
        c += a[i] % 3 == 0;
    return c;
}
ALONE double strided_sum(const double *a, int n) {
    double s = 0;
    for (int i = 0; i < n; i += 3) //= reduction
        s += a[i];
    return s;
}
ALONE double by_hand_unrolled(const double *a, int n) {
    double s = 0, t = 0;
    for (int i = 0; i + 1 < n; i += 2) { //= reduction
        s += a[i];
        t += a[i + 1];
    }
    return s + t;
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 100, rows = 24, columns = 30;
    double *a = reals(n), *b = reals(rows * columns), *s = calloc(n, sizeof *s);
    int *k = integers(n), *ones = zeros(n), *h = zeros(64);
    for (int i = 0; i < n; i++) ones[i] = argc;
    printf("%g %d %d\n", sum(a, n), integer_sum(k, n), sum_of_ones(ones, n));
    printf("%g %g %g %u\n", narrow_sum(a, b, n), difference(a, n), product(a, n), bits(k, n));
    printf("%g %g\n", several_accumulators(a, n), same_accumulator(a, b, n));
    global_sum(k, n);
    pointed_sum(s, a, n);
    struct stats st = {0, 0, 0};
    member_sums(&st, a, n);
    printf("%d %g %g %g %d\n", total, *s, st.sum, st.square, st.count);
    printf("%d %g %g\n", conditional_count(k, n), conditional_sum(a, n), selected_sum(a, k, n));
    printf("%d\n", unread_counter(ones, n));
    printf("%d %g %d %g\n", maximum(k, n), maximum_by_select(a, n), minimum_and_maximum(k, n), largest_change(a, b + 7, n));
    printf("%d\n", index_of_maximum(a, n));
    histogram(h, k, n);
    show("histogram", h, 16);
    weighted_histogram(s, k, a, n);
    int(*corner)[4] = calloc(n, sizeof *corner);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 4; j++) corner[i][j] = (i + j * j) % 20;
    corners(s, corner, a, n);
    column_sums(s, b, rows, columns);
    show_reals("column_sums", s, n);
    row_sums(s, b, rows, columns);
    show_reals("row_sums", s, n);
    printf("%g %d %llu\n", nested_sum(b, rows, columns), any_negative(k, n), checksum(k, n));
    double im;
    double re = complex_product(a, b, n, &im);
    printf("%g %g\n", re, im);
    forces(s, a, 40);
    show_reals("forces", s, n);
    printf("%d %g %g\n", counted_by_arithmetic(k, n), strided_sum(a, n), by_hand_unrolled(a, n));
    return 0;
}
