/* Accumulations that order their iterations. */
#include "common.h"

ALONE double limited_sum(const double *a, int n) {
    double s = 0;
    for (int i = 0; i < n; i++) //= no
        if (s < 100) s += a[i];
    return s;
}
/* The limit is never reached in this run. */
ALONE double unreached_limit(const double *a, int n) {
    double s = 0;
    for (int i = 0; i < n; i++) //= no
        if (s < 1e9) s += a[i];
    return s;
}
ALONE int saturating(const int *a, int n) {
    int s = 0;
    for (int i = 0; i < n; i++) { //= no
        s += a[i];
        if (s > 60) s = 60;
    }
    return s;
}
ALONE int never_saturating(const int *a, int n) {
    int s = 0;
    for (int i = 0; i < n; i++) { //= no
        s += a[i];
        if (s > 1000000) s = 1000000;
    }
    return s;
}
ALONE int reset_sum(const int *a, int n) {
    int s = 0;
    for (int i = 0; i < n; i++) { //= no
        if (a[i] < -30)
            s = 0;
        else
            s += a[i];
    }
    return s;
}
/* No element asks for the reset in this run. */
ALONE int never_reset(const int *a, int n) {
    int s = 0;
    for (int i = 0; i < n; i++) { //= no
        if (a[i] < -1000)
            s = 0;
        else
            s += a[i];
    }
    return s;
}
ALONE double subtracted_from(const double *a, int n) {
    double s = 0;
    for (int i = 0; i < n; i++) //= no
        s = a[i] - s;
    return s;
}
ALONE double divided(const double *a, int n) {
    double s = 1;
    for (int i = 0; i < n; i++) //= no
        s = a[i] / (s + 1);
    return s;
}
ALONE double doubled(const double *a, int n) {
    double s = 0;
    for (int i = 0; i < n; i++) //= no
        s = s + s + a[i] / 1e30;
    return s;
}
ALONE double horner(const double *a, int n, double x) {
    double s = 0;
    for (int i = 0; i < n; i++) //= no
        s = s * x + a[i];
    return s;
}
ALONE unsigned hash(const int *a, int n) {
    unsigned h = 5381;
    for (int i = 0; i < n; i++) //= no
        h = h * 33 ^ a[i];
    return h;
}
ALONE double smoothed(const double *a, int n) {
    double s = a[0];
    for (int i = 1; i < n; i++) //= no
        s = 0.9 * s + 0.1 * a[i];
    return s;
}
ALONE double two_operators(const double *a, const int *f, int n) {
    double s = 1;
    for (int i = 0; i < n; i++) { //= no
        if (f[i] & 1)
            s += a[i];
        else
            s *= 1.01;
    }
    return s;
}
ALONE int records(const int *a, int n) {
    int m = -1000, records = 0;
    for (int i = 0; i < n; i++) { //= no
        if (a[i] > m) {
            m = a[i];
            records++;
        }
    }
    return records + m;
}
/* The index is used in the loop. */
ALONE double read_index_of_maximum(double *d, const double *a, int n) {
    double m = a[0];
    int at = 0;
    for (int i = 1; i < n; i++) { //= no
        if (a[i] > m) {
            m = a[i];
            at = i;
        }
        d[i] = i - at;
    }
    return m;
}
ALONE double swapped_pair(const double *a, int n) {
    double s = 0, t = 1;
    for (int i = 0; i < n; i++) { //= no
        double u = s;
        s = t;
        t = u + a[i];
    }
    return s - t;
}
ALONE double cross_fed(const double *a, int n) {
    double s = 0, t = 0;
    for (int i = 0; i < n; i++) { //= no
        s += a[i];
        t += s;
    }
    return t;
}
ALONE double mean_so_far(const double *a, int n) {
    double m = 0;
    for (int i = 0; i < n; i++) //= no
        m += (a[i] - m) / (i + 1);
    return m;
}
ALONE void prefix(double *s, const double *a, int n) {
    for (int i = 1; i < n; i++) //= no
        s[i] = s[i - 1] + a[i];
}
ALONE void prefix_of_ones(int *s, const int *ones, int n) {
    for (int i = 1; i < n; i++) //= no
        s[i] = s[i - 1] + ones[i];
}
ALONE double stopped_sum(const double *a, int n) {
    double s = 0;
    for (int i = 0; i < n; i++) { //= no
        s += a[i];
        if (s > 200) break;
    }
    return s;
}
ALONE int index_of_last_maximum_and_sum(const int *a, int n) {
    int m = -1000, s = 0;
    for (int i = 0; i < n; i++) { //= no
        if (a[i] >= m) m = a[i];
        s += m;
    }
    return s;
}
ALONE int longest_run(const int *a, int n) {
    int run = 0, best = 0;
    for (int i = 0; i < n; i++) { //= no
        run = a[i] > 0 ? run + 1 : 0;
        best = run > best ? run : best;
    }
    return best;
}
/* Every element is positive in this run: nothing ends the run. */
ALONE int endless_run(const int *ones, int n) {
    int run = 0;
    for (int i = 0; i < n; i++) //= no
        run = ones[i] > 0 ? run + 1 : 0;
    return run;
}
ALONE void scattered_last(int *last, const int *a, int n) {
    for (int i = 0; i < n; i++) //= no
        last[(a[i] + 64) & 15] = i;
}
ALONE void counted_positions(int *at, int *h, const int *a, int n) {
    for (int i = 0; i < n; i++) //= no
        at[i] = h[(a[i] + 64) & 15]++;
}
ALONE void saturating_histogram(unsigned char *h, const int *a, int n) {
    for (int i = 0; i < n; i++) //= no
        if (h[(a[i] + 64) & 7] < 9) h[(a[i] + 64) & 7]++;
}
ALONE double seeded_minimum(const double *a, int n) {
    double m = 1e9;
    for (int i = 0; i < n; i++) //= no
        if (a[i] < m) m = a[i] + 0.125;
    return m;
}
ALONE double compensated(const double *a, int n) {
    double s = 0, c = 0;
    for (int i = 0; i < n; i++) { //= no
        double y = a[i] - c, t = s + y;
        c = (t - s) - y;
        s = t;
    }
    return s;
}
ALONE int counted_before(int *b, const int *a, int n) {
    int c = 0;
    for (int i = 0; i < n; i++) { //= no
        if (a[i] > 0) c++;
        b[i] = c;
    }
    return c;
}
ALONE int shifted_and(const int *a, int n) {
    unsigned s = 1;
    for (int i = 0; i < n; i++) //= no
        s = (s << 1) | (a[i] & 1);
    return s;
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 100;
    double *a = reals(n), *b = reals(n);
    int *k = integers(n), *ones = zeros(n), *h = zeros(64), *c = zeros(n);
    unsigned char bytes[8] = {0};
    for (int i = 0; i < n; i++) ones[i] = argc;
    printf("%g %g %d %d\n", limited_sum(a, n), unreached_limit(a, n), saturating(k, n), never_saturating(k, n));
    printf("%d %d\n", reset_sum(k, n), never_reset(k, n));
    printf("%g %g %g\n", subtracted_from(a, n), divided(a, n), doubled(a, n));
    printf("%g %u %g\n", horner(a, n, 0.5), hash(k, n), smoothed(a, n));
    printf("%g %d %g\n", two_operators(a, k, n), records(k, n), read_index_of_maximum(b, a, n));
    printf("%g %g %g\n", swapped_pair(a, n), cross_fed(a, n), mean_so_far(a, n));
    prefix(b, a, n);
    prefix_of_ones(c, ones, n);
    show("prefix_of_ones", c, n);
    show_reals("prefix", b, n);
    printf("%g %d\n", stopped_sum(a, n), index_of_last_maximum_and_sum(k, n));
    printf("%d %d\n", longest_run(k, n), endless_run(ones, n));
    scattered_last(h, k, n);
    counted_positions(c, h, k, n);
    show("counted_positions", c, n);
    show("histogram", h, 16);
    saturating_histogram(bytes, k, n);
    printf("%d %d\n", bytes[0], bytes[3]);
    printf("%g %g\n", seeded_minimum(a, n), compensated(a, n));
    printf("%d %d\n", counted_before(c, k, n), shifted_and(k, n));
    show("counted_before", c, n);
    return 0;
}
