/* Smallest and largest, with and without what else is kept. */
#include "common.h"
#include <math.h>

double largest_of_all;
struct box { double x0, y0, x1, y1; };

ALONE double by_function(const double *a, int n) {
    double m = -1e9;
    for (int i = 0; i < n; i++) //= reduction
        m = fmax(m, a[i]);
    return m;
}
ALONE double by_absolute(const double *a, int n) {
    double m = 0;
    for (int i = 0; i < n; i++) //= reduction
        m = fabs(a[i]) > m ? fabs(a[i]) : m;
    return m;
}
ALONE float reversed_select(const float *a, int n) {
    float m = 1e9f;
    for (int i = 0; i < n; i++) //= reduction
        m = m < a[i] ? m : a[i];
    return m;
}
ALONE unsigned unsigned_minimum(const unsigned *a, int n) {
    unsigned m = ~0u;
    for (int i = 0; i < n; i++) //= reduction
        if (a[i] < m) m = a[i];
    return m;
}
ALONE void global_maximum(const double *a, int n) {
    for (int i = 0; i < n; i++) //= reduction
        if (a[i] > largest_of_all) largest_of_all = a[i];
}
ALONE void pointed_maximum(double *m, const double *a, int n) {
    for (int i = 0; i < n; i++) //= reduction
        if (*m < a[i]) *m = a[i];
}
ALONE void bounding_box(struct box *b, const double *x, const double *y, int n) {
    for (int i = 0; i < n; i++) { //= reduction
        if (x[i] < b->x0) b->x0 = x[i];
        if (y[i] < b->y0) b->y0 = y[i];
        if (x[i] > b->x1) b->x1 = x[i];
        if (y[i] > b->y1) b->y1 = y[i];
    }
}
ALONE int conditional_maximum(const int *a, const int *f, int n) {
    int m = -1000;
    for (int i = 0; i < n; i++) //= reduction
        if ((f[i] & 1) && a[i] > m) m = a[i];
    return m;
}
ALONE int index_of_minimum(const int *a, int n) {
    int at = 0;
    for (int i = 1; i < n; i++) //= reduction|no
        if (a[i] < a[at]) at = i;
    return at;
}
ALONE int last_of_the_minima(const int *a, int n) {
    int m = a[0], at = 0;
    for (int i = 1; i < n; i++) //= reduction|no
        if (a[i] <= m) m = a[i], at = i;
    return at;
}
ALONE int number_of_maxima(const int *a, int n) {
    int m = -1000, c = 0;
    for (int i = 0; i < n; i++) { //= no
        if (a[i] > m)
            m = a[i], c = 1;
        else if (a[i] == m)
            c++;
    }
    return c;
}
ALONE int second_largest(const int *a, int n) {
    int m = -1000, s = -1000;
    for (int i = 0; i < n; i++) { //= no
        if (a[i] > m)
            s = m, m = a[i];
        else if (a[i] > s)
            s = a[i];
    }
    return s;
}
ALONE double nested_maximum(const double *a, int rows, int columns) {
    double m = 0;
    for (int i = 0; i < rows; i++) //= reduction
        for (int j = 0; j < columns; j++) //= reduction
            if (a[i * columns + j] > m) m = a[i * columns + j];
    return m;
}
ALONE void row_maxima(double *out, const double *a, int rows, int columns) {
    for (int i = 0; i < rows; i++) { //= yes
        double m = a[i * columns];
        for (int j = 1; j < columns; j++) //= reduction
            if (a[i * columns + j] > m) m = a[i * columns + j];
        out[i] = m;
    }
}
ALONE void raised_to_the_maximum(int *a, int n) {
    int m = a[0];
    for (int i = 0; i < n; i++) { //= no
        m = a[i] > m ? a[i] : m;
        a[i] = m;
    }
}
ALONE int decaying_maximum(const int *a, int n) {
    int m = 0;
    for (int i = 0; i < n; i++) { //= no
        m = m > a[i] ? m : a[i];
        m = m - 1;
    }
    return m;
}
ALONE int maximum_of_sums(const int *a, int n) {
    int best = 0, sum = 0;
    for (int i = 0; i < n; i++) { //= no
        sum = sum + a[i] > 0 ? sum + a[i] : 0;
        best = sum > best ? sum : best;
    }
    return best;
}
ALONE int nearest(const double *x, double at, int n) {
    double d = 1e9;
    int best = -1;
    for (int i = 0; i < n; i++) { //= reduction|no
        double e = fabs(x[i] - at);
        if (e < d) {
            d = e;
            best = i;
        }
    }
    return best;
}
ALONE int minimum_with_reset(const int *a, int n) {
    int m = 1000;
    for (int i = 0; i < n; i++) { //= no
        if (a[i] < m) m = a[i];
        if (a[i] == -39) m = 500;
    }
    return m;
}
ALONE int minimum_never_reset(const int *a, int n) {
    int m = 1000;
    for (int i = 0; i < n; i++) { //= no
        if (a[i] < m) m = a[i];
        if (a[i] == 9999) m = 500;
    }
    return m;
}
ALONE int clamped_below_the_bound(const int *a, int n) {
    int m = -1000;
    for (int i = 0; i < n; i++) //= reduction
        if (a[i] < 20 && a[i] > m) m = a[i];
    return m;
}
/* The condition compares one array, the assignment takes from another. */
ALONE double key_and_value(const double *key, const double *value, int n) {
    double m = 1e9, v = 0;
    for (int i = 0; i < n; i++) //= reduction|no
        if (key[i] < m) {
            m = key[i];
            v = value[i];
        }
    return v;
}
ALONE double wrong_candidate(const double *key, const double *value, int n) {
    double m = 0;
    for (int i = 0; i < n; i++) //= no
        if (key[i] > m) m = value[i];
    return m;
}
ALONE int maximum_and_uses(int *out, const int *a, int n) {
    int m = -1000;
    for (int i = 0; i < n; i++) { //= no
        if (a[i] > m) m = a[i];
        if (i == n / 2) out[0] = m;
    }
    return m;
}
/* The use of the partial value is never reached in this run. */
ALONE int maximum_and_unreached_use(int *out, const int *a, int n) {
    int m = -1000;
    for (int i = 0; i < n; i++) { //= no
        if (a[i] > m) m = a[i];
        if (a[i] == 9999) out[0] = m;
    }
    return m;
}
ALONE int sum_and_unreached_use(int *out, const int *a, int n) {
    int s = 0;
    for (int i = 0; i < n; i++) { //= no
        s += a[i];
        if (a[i] == 9999) out[0] = s;
    }
    return s;
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 80, rows = 20, columns = 25;
    double *x = reals(n), *y = reals(rows * columns);
    int *a = integers(n), *f = integers(n);
    float *z = malloc(n * sizeof *z);
    for (int i = 0; i < n; i++) z[i] = x[i], x[i] += i % 9;
    printf("%g %g %g %u\n", by_function(x, n), by_absolute(x, n), reversed_select(z, n), unsigned_minimum((unsigned *)a, n));
    double m = -5;
    global_maximum(x, n);
    pointed_maximum(&m, x, n);
    struct box b = {1e9, 1e9, -1e9, -1e9};
    bounding_box(&b, x, y, n);
    printf("%g %g %g %g\n", largest_of_all, m, b.x0, b.y1);
    printf("%d %d %d %d %d\n", conditional_maximum(a, f, n), index_of_minimum(a, n), last_of_the_minima(a, n), number_of_maxima(a, n), second_largest(a, n));
    printf("%g\n", nested_maximum(y, rows, columns));
    row_maxima(x, y, rows, columns);
    show_reals("row_maxima", x, rows);
    printf("%d %d %d\n", decaying_maximum(a, n), maximum_of_sums(a, n), nearest(x, 7.3, n));
    printf("%d %d %d\n", minimum_with_reset(a, n), minimum_never_reset(a, n), clamped_below_the_bound(a, n));
    printf("%g %g\n", key_and_value(x, y, n), wrong_candidate(x, y, n));
    printf("%d %d %d\n", maximum_and_uses(f, a, n), maximum_and_unreached_use(f, a, n), sum_and_unreached_use(f, a, n));
    raised_to_the_maximum(a, n);
    show("raised", a, n);
    return 0;
}
