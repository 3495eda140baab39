/* What is chosen by conditions: extremes with their places, conditional sums and counts, in the forms that become conditional
 * moves, blends and masks; each beside one that looks alike and carries. */
#include "common.h"
#include <math.h>

#define MIN(x, y) ((x) < (y) ? (x) : (y))
#define MAX(x, y) ((x) > (y) ? (x) : (y))

struct place { double value; int at; };
struct range { int low, high; };
static struct range seen;
static int best_at;
static double best_value;

ALONE int place_of_maximum(const float *a, int n) {
    float m = -1e9f;
    int at = -1;
    for (int i = 0; i < n; i++) { //= reduction|no
        if (a[i] > m) {
            m = a[i];
            at = i;
        }
    }
    return at;
}
ALONE int place_by_selects(const int *a, int n) {
    int m = a[0], at = 0;
    for (int i = 1; i < n; i++) { //= reduction|no
        at = a[i] < m ? i : at;
        m = a[i] < m ? a[i] : m;
    }
    return at;
}
ALONE int place_in_globals(const double *a, int n) {
    best_value = 1e9;
    for (int i = 0; i < n; i++) //= reduction|no
        if (a[i] < best_value) {
            best_value = a[i];
            best_at = i;
        }
    return best_at;
}
ALONE struct place place_in_a_structure(const double *a, int n) {
    struct place p = {-1e9, -1};
    for (int i = 0; i < n; i++) //= reduction|no
        if (a[i] > p.value) {
            p.value = a[i];
            p.at = i;
        }
    return p;
}
ALONE int place_in_two_dimensions(const double *a, int rows, int columns, int *column) {
    double m = 1e9;
    int row = -1;
    for (int i = 0; i < rows; i++) //= reduction|no
        for (int j = 0; j < columns; j++) //= reduction|no
            if (a[i * columns + j] < m) {
                m = a[i * columns + j];
                row = i;
                *column = j;
            }
    return row;
}
/* How often the maximum changed depends on the order. */
ALONE int number_of_changes(const int *a, int n) {
    int m = -1000, changes = 0;
    for (int i = 0; i < n; i++) { //= no
        if (a[i] > m) {
            m = a[i];
            changes++;
        }
    }
    return changes * 1000 + m;
}
ALONE int places_in_order(int *places, const int *a, int n) {
    int m = -1000, count = 0;
    for (int i = 0; i < n; i++) //= no
        if (a[i] > m) {
            m = a[i];
            places[count++] = i;
        }
    return count;
}
ALONE void least_so_far(int *out, const int *a, int n) {
    int m = 1000;
    for (int i = 0; i < n; i++) { //= no
        m = MIN(m, a[i]);
        out[i] = m;
    }
}
ALONE int maximum_of_differences(const int *a, int n) {
    int low = a[0], best = 0;
    for (int i = 1; i < n; i++) { //= no
        best = MAX(best, a[i] - low);
        low = MIN(low, a[i]);
    }
    return best;
}
ALONE struct range both_ends(const int *a, int n) {
    struct range r = {a[0], a[0]};
    for (int i = 1; i < n; i++) { //= reduction
        r.low = MIN(r.low, a[i]);
        r.high = MAX(r.high, a[i]);
    }
    return r;
}
ALONE void both_ends_in_a_global(const int *a, int n) {
    for (int i = 0; i < n; i++) { //= reduction
        if (a[i] < seen.low) seen.low = a[i];
        if (a[i] > seen.high) seen.high = a[i];
    }
}
ALONE int by_negation(const int *a, int n) {
    int m = 1000;
    for (int i = 0; i < n; i++) //= reduction
        if (!(a[i] >= m)) m = a[i];
    return m;
}
ALONE int by_continue(const int *a, int n) {
    int m = -1000;
    for (int i = 0; i < n; i++) { //= reduction
        if (a[i] <= m) continue;
        m = a[i];
    }
    return m;
}
ALONE int by_a_local(const int *a, int n) {
    int m = 0;
    for (int i = 0; i < n; i++) { //= reduction
        int v = abs(a[i]);
        if (v > m) m = v;
    }
    return m;
}
ALONE float by_library(const float *a, int n) {
    float m = 0;
    for (int i = 0; i < n; i++) //= reduction
        m = fmaxf(m, fabsf(a[i]));
    return m;
}
ALONE unsigned char of_bytes(const unsigned char *a, int n) {
    unsigned char m = 0;
    for (int i = 0; i < n; i++) //= reduction
        m = a[i] > m ? a[i] : m;
    return m;
}
ALONE long of_long(const long *a, int n) {
    long m = 0;
    for (int i = 0; i < n; i++) //= reduction
        m = MAX(m, a[i]);
    return m;
}
/* The condition is of another value than the one that is taken. */
ALONE int value_beside_the_key(const int *key, const int *value, int n) {
    int m = -1000;
    for (int i = 0; i < n; i++) //= no
        if (key[i] > m) m = value[i];
    return m;
}
ALONE int one_above(const int *a, int n) {
    int m = -1000;
    for (int i = 0; i < n; i++) //= no
        if (a[i] > m) m = a[i] + 1;
    return m;
}
ALONE int scaled_comparison(const int *a, int n) {
    int m = 1;
    for (int i = 0; i < n; i++) //= no
        if (a[i] > 2 * m) m = a[i];
    return m;
}
ALONE int positive_sum(const int *a, int n) {
    int s = 0;
    for (int i = 0; i < n; i++) //= reduction
        s += a[i] > 0 ? a[i] : 0;
    return s;
}
ALONE int sum_by_select(const int *a, int n) {
    int s = 0;
    for (int i = 0; i < n; i++) //= reduction
        s = a[i] > 0 ? s + a[i] : s;
    return s;
}
ALONE double sum_if(const double *a, const int *f, int n) {
    double s = 0;
    for (int i = 0; i < n; i++) //= reduction
        if (f[i] > 0) s += a[i];
    return s;
}
ALONE double sum_either_way(const double *a, const int *f, int n) {
    double s = 0;
    for (int i = 0; i < n; i++) //= reduction
        if (f[i] > 0)
            s += a[i];
        else
            s -= 2 * a[i];
    return s;
}
ALONE int sum_by_mask(const int *a, int n) {
    int s = 0;
    for (int i = 0; i < n; i++) //= reduction
        s += a[i] & -(a[i] > 0);
    return s;
}
ALONE int count_if(const int *a, int n) {
    int c = 0;
    for (int i = 0; i < n; i++) //= reduction
        c += a[i] > 0;
    return c;
}
ALONE int count_both(const int *a, int n) {
    int c = 0;
    for (int i = 0; i < n; i++) //= reduction
        if (a[i] > 0 && a[i] % 3 == 1) c++;
    return c;
}
ALONE int three_counts(const int *a, int n) {
    int below = 0, above = 0, at = 0;
    for (int i = 0; i < n; i++) { //= reduction
        if (a[i] < 0)
            below++;
        else if (a[i] > 0)
            above++;
        else
            at++;
    }
    return below * 10000 + above * 100 + at;
}
ALONE double product_if(const double *a, int n) {
    double p = 1;
    for (int i = 0; i < n; i++) //= reduction
        if (a[i] > 12) p *= a[i] / 12;
    return p;
}
ALONE int any_of(const int *a, int n) {
    int any = 0;
    for (int i = 0; i < n; i++) //= reduction
        any |= a[i] == 7;
    return any;
}
ALONE int all_of(const int *a, int n) {
    int all = 1;
    for (int i = 0; i < n; i++) //= reduction
        all = all && a[i] < 1000;
    return all;
}
ALONE int saturated(const int *a, int n) {
    int s = 0;
    for (int i = 0; i < n; i++) //= no
        s = s + a[i] > 100 ? 100 : s + a[i];
    return s;
}
ALONE int bounded(const int *a, int n) {
    int s = 0;
    for (int i = 0; i < n; i++) //= no
        if (s < 100) s += a[i];
    return s;
}
ALONE int longest_run(const int *a, int n) {
    int run = 0, best = 0;
    for (int i = 0; i < n; i++) { //= no
        run = a[i] > 0 ? run + 1 : 0;
        best = MAX(best, run);
    }
    return best;
}
ALONE int reset_by_select(const int *a, int n) {
    int s = 0;
    for (int i = 0; i < n; i++) //= no
        s = a[i] < 0 ? 0 : s + a[i];
    return s;
}
ALONE void last_seen(int *out, const int *a, int n) {
    int last = 0;
    for (int i = 0; i < n; i++) { //= no
        last = a[i] > 0 ? a[i] : last;
        out[i] = last;
    }
}
ALONE int last_place(const int *a, int n) {
    int at = -1;
    for (int i = 0; i < n; i++) //= no
        at = a[i] > 0 ? i : at;
    return at;
}
ALONE void chosen(int *out, const int *a, const int *b, int n) {
    for (int i = 0; i < n; i++) //= yes
        out[i] = a[i] > b[i] ? a[i] : b[i];
}
ALONE void clamped(double *out, const double *a, int n) {
    for (int i = 0; i < n; i++) { //= yes
        double v = a[i];
        v = v < 2 ? 2 : v;
        v = v > 9 ? 9 : v;
        out[i] = v;
    }
}
ALONE void chosen_neighbour(int *a, int n) {
    for (int i = 1; i < n; i++) //= no
        a[i] = a[i] > 0 ? a[i] : a[i - 1];
}
/* The other way is never taken in this run. */
ALONE void neighbour_never_chosen(int *a, const int *f, int n) {
    for (int i = 1; i < n; i++) //= yes|no
        a[i] = f[i] < 1000 ? f[i] + 1 : a[i - 1];
}
ALONE void chosen_in_a_branch(double *out, const double *a, int n) {
    double t = 0;
    for (int i = 0; i < n; i++) { //= private
        if (a[i] > 5)
            t = a[i] - 5;
        else
            t = 5 - a[i];
        out[i] = t * t;
    }
}
ALONE void chosen_in_one_branch(double *out, const double *a, int n) {
    double t = 0;
    for (int i = 0; i < n; i++) { //= no
        if (a[i] > 5) t = a[i] - 5;
        out[i] = t * t;
    }
}
ALONE void row_minima(int *out, const int *a, int rows, int columns) {
    for (int i = 0; i < rows; i++) { //= yes
        int m = 1000, at = -1;
        for (int j = 0; j < columns; j++) //= reduction|no
            if (a[i * columns + j] < m) {
                m = a[i * columns + j];
                at = j;
            }
        out[i] = at;
    }
}
ALONE int greatest_within(const int *a, int n, int limit) {
    int m = -1000;
    for (int i = 0; i < n; i++) //= reduction
        if (a[i] <= limit) m = MAX(m, a[i]);
    return m;
}
ALONE double norm(const double *a, int n) {
    double scale = 0;
    for (int i = 0; i < n; i++) { //= reduction
        double v = fabs(a[i]);
        scale = scale < v ? v : scale;
    }
    return scale;
}
/* The scaled sum of squares of linear algebra: the sum depends on the maximum so far. */
ALONE double scaled_squares(const double *a, int n) {
    double scale = 0, sum = 1;
    for (int i = 0; i < n; i++) { //= no
        double v = fabs(a[i]);
        if (scale < v) {
            sum = 1 + sum * (scale / v) * (scale / v);
            scale = v;
        } else {
            sum += (v / scale) * (v / scale);
        }
    }
    return scale * sqrt(sum);
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 80, rows = 8, columns = 10;
    int *a = integers(n), *b = zeros(n), *c = permutation(n);
    double *x = reals(n), *y = reals(n);
    float *f = calloc(n, sizeof *f);
    long *l = calloc(n, sizeof *l);
    unsigned char *u = calloc(n, 1);
    for (int i = 0; i < n; i++) f[i] = x[i] - 3, l[i] = a[i] * 3, u[i] = a[i];
    int column = 0;
    printf("%d %d %d %d\n", place_of_maximum(f, n), place_by_selects(a, n), place_in_globals(x, n), place_in_a_structure(x, n).at);
    printf("%d %d\n", place_in_two_dimensions(x, rows, columns, &column), column);
    printf("%d %d %d\n", number_of_changes(a, n), places_in_order(b, a, n), maximum_of_differences(a, n));
    least_so_far(b, a, n);
    show("least_so_far", b, n);
    struct range r = both_ends(a, n);
    both_ends_in_a_global(a, n);
    printf("%d %d %d %d\n", r.low, r.high, seen.low, seen.high);
    printf("%d %d %d %g %d %ld\n", by_negation(a, n), by_continue(a, n), by_a_local(a, n), by_library(f, n), of_bytes(u, n), of_long(l, n));
    printf("%d %d %d\n", value_beside_the_key(a, c, n), one_above(a, n), scaled_comparison(a, n));
    printf("%d %d %g %g %d\n", positive_sum(a, n), sum_by_select(a, n), sum_if(x, a, n), sum_either_way(x, a, n), sum_by_mask(a, n));
    printf("%d %d %d %g %d %d\n", count_if(a, n), count_both(a, n), three_counts(a, n), product_if(x, n), any_of(a, n), all_of(a, n));
    printf("%d %d %d %d %d\n", saturated(a, n), bounded(a, n), longest_run(a, n), reset_by_select(a, n), last_place(a, n));
    last_seen(b, a, n);
    show("last_seen", b, n);
    chosen(b, a, c, n);
    show("chosen", b, n);
    clamped(y, x, n);
    show_reals("clamped", y, n);
    chosen_neighbour(b, n);
    neighbour_never_chosen(b, a, n);
    show("neighbours", b, n);
    chosen_in_a_branch(y, x, n);
    show_reals("branch", y, n);
    chosen_in_one_branch(y, x, n);
    show_reals("one branch", y, n);
    row_minima(b, a, rows, columns);
    show("row_minima", b, rows);
    printf("%d %g %g\n", greatest_within(a, n, 20), norm(x, n), scaled_squares(x, n));
    return 0;
}
