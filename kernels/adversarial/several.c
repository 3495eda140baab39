/* Accumulators that several statements update, or that have another type than what is added, or lie in structures and behind
 * pointers; each beside one that looks alike and carries. */
#include "common.h"

struct vector { double x, y, z; };
struct totals { double sum, square; int count; };
struct body { struct vector force; double mass; };
static struct totals all;
static double sums[4], bins[16];

ALONE void two_updates_of_an_element(double *f, const int *at, const double *x, int n) {
    for (int i = 0; i < n; i++) { //= reduction|words
        f[at[i]] += x[i];
        f[at[i]] += x[i] * 0.5;
    }
}
ALONE void eight_updates_of_an_element(double *f, const int *at, const double *x, int n) {
    for (int i = 0; i < n; i++) { //= reduction|words
        int k = at[i];
        f[k] += x[i];
        f[k] += x[i] * 2;
        f[k] -= x[i] / 3;
        f[k] += 1;
        f[k] += x[i] * x[i];
        f[k] -= 4;
        f[k] += i;
        f[k] += x[i] + i;
    }
}
ALONE void action_and_reaction(double *f, const int *a, const int *b, const double *x, int n) {
    for (int i = 0; i < n; i++) { //= reduction|words
        double d = x[a[i]] - x[b[i]];
        f[a[i]] += d;
        f[b[i]] -= d;
    }
}
ALONE void scaled_between(double *f, const int *at, const double *x, int n) {
    for (int i = 0; i < n; i++) { //= no
        f[at[i]] += x[i];
        f[at[i]] *= 1.5;
    }
}
ALONE void looked_at_between(double *f, double *out, const int *at, const double *x, int n) {
    for (int i = 0; i < n; i++) { //= no
        f[at[i]] += x[i];
        out[i] = f[at[i]];
        f[at[i]] += 1;
    }
}
ALONE void added_from_another(double *f, const int *at, const double *x, int n) {
    for (int i = 0; i < n; i++) { //= no
        f[at[i]] += x[i];
        f[at[i]] += f[(at[i] + 1) % 8];
    }
}
ALONE double three_statements(const double *a, const double *b, int n) {
    double s = 0;
    for (int i = 0; i < n; i++) { //= reduction
        s += a[i];
        s -= b[i];
        s = s + a[i] * b[i];
    }
    return s;
}
ALONE double sum_and_product(const double *a, int n) {
    double s = 1;
    for (int i = 0; i < n; i++) { //= no
        s += a[i];
        s *= 0.5;
    }
    return s;
}
ALONE float narrow_sum(const double *a, const double *b, int n) {
    float s = 0;
    for (int i = 0; i < n; i++) //= reduction
        s += a[i] * b[i];
    return s;
}
ALONE float narrow_from_mixed(const float *a, const double *b, int n) {
    float s = 0;
    for (int i = 0; i < n; i++) { //= reduction
        s += a[i] * b[i];
        s += a[i];
    }
    return s;
}
ALONE double wide_sum(const float *a, int n) {
    double s = 0;
    for (int i = 0; i < n; i++) //= reduction
        s += a[i];
    return s;
}
ALONE long wide_count(const int *a, int n) {
    long s = 0;
    for (int i = 0; i < n; i++) //= reduction
        s += a[i];
    return s;
}
ALONE unsigned char byte_sum(const int *a, int n) {
    unsigned char s = 0;
    for (int i = 0; i < n; i++) //= reduction
        s += a[i];
    return s;
}
/* The sum is cut to an integer in every iteration. */
ALONE int cut_each_time(const double *a, int n) {
    int s = 0;
    for (int i = 0; i < n; i++) //= no
        s += a[i] * 0.7;
    return s;
}
ALONE void into_a_structure(struct totals *t, const double *a, int n) {
    for (int i = 0; i < n; i++) { //= reduction
        t->sum += a[i];
        t->square += a[i] * a[i];
        t->count++;
    }
}
ALONE struct totals into_a_local_structure(const double *a, int n) {
    struct totals t = {0, 0, 0};
    for (int i = 0; i < n; i++) { //= reduction
        t.sum += a[i];
        t.square += a[i] * a[i];
        t.count++;
    }
    return t;
}
ALONE void into_a_global_structure(const double *a, int n) {
    for (int i = 0; i < n; i++) { //= reduction
        all.sum += a[i];
        all.square += a[i] * a[i];
        if (a[i] > 5) all.count++;
    }
}
ALONE struct totals members_of_each_other(const double *a, int n) {
    struct totals t = {0, 0, 0};
    for (int i = 0; i < n; i++) { //= no
        t.sum += a[i];
        t.square += t.sum;
        t.count++;
    }
    return t;
}
ALONE void copied_out(struct totals *out, const double *a, int n) {
    struct totals t = {0, 0, 0};
    for (int i = 0; i < n; i++) { //= no
        t.sum += a[i];
        t.count++;
        out[i] = t;
    }
}
ALONE double mean_so_far(const struct totals *t) { return t->sum / (t->count + 1); }
ALONE void handed_over(double *out, const double *a, int n) {
    struct totals t = {0, 0, 0};
    for (int i = 0; i < n; i++) { //= no
        t.sum += a[i];
        t.count++;
        out[i] = mean_so_far(&t);
    }
}
ALONE struct totals reset_as_a_whole(const double *a, int n) {
    struct totals t = {0, 0, 0};
    for (int i = 0; i < n; i++) { //= no
        t.sum += a[i];
        t.count++;
        if (a[i] > 12.9) t = (struct totals){0, 0, 0};
    }
    return t;
}
ALONE void through_a_pointer(double *s, const double *a, const double *b, int n) {
    for (int i = 0; i < n; i++) { //= reduction
        *s += a[i];
        *s -= b[i] * 0.25;
    }
}
ALONE void through_two_pointers(double *s, double *t, const double *a, int n) {
    for (int i = 0; i < n; i++) { //= reduction|words
        *s += a[i];
        *t += a[i] * a[i];
    }
}
ALONE void through_a_pointer_and_seen(double *s, double *out, const double *a, int n) {
    for (int i = 0; i < n; i++) { //= no
        *s += a[i];
        out[i] = *s;
    }
}
ALONE void fixed_elements(const double *a, int n) {
    for (int i = 0; i < n; i++) { //= reduction|words
        sums[0] += a[i];
        sums[1] += a[i] * a[i];
        sums[2] += 1;
    }
}
ALONE void fixed_elements_that_feed(const double *a, int n) {
    for (int i = 0; i < n; i++) { //= no
        sums[0] += a[i];
        sums[1] += sums[0];
    }
}
ALONE void forces(struct body *b, const int *at, const struct vector *d, int n) {
    for (int i = 0; i < n; i++) { //= reduction|words
        struct body *p = &b[at[i]];
        p->force.x += d[i].x;
        p->force.y += d[i].y;
        p->force.z += d[i].z;
    }
}
ALONE void pairs_of_bodies(struct body *b, int n) {
    for (int i = 0; i < n; i++) //= reduction|words
        for (int j = i + 1; j < n; j++) { //= reduction|words
            double d = b[i].mass - b[j].mass;
            b[i].force.x += d;
            b[j].force.x -= d;
        }
}
ALONE void positions_move(struct body *b, int n) {
    for (int i = 0; i < n; i++) //= no
        for (int j = i + 1; j < n; j++) { //= no
            double d = b[i].mass - b[j].mass;
            b[i].mass -= d * 0.01;
            b[j].mass += d * 0.01;
        }
}
ALONE void weighted_histogram(const double *a, const float *w, int n) {
    for (int i = 0; i < n; i++) { //= reduction|words
        int k = (int)a[i] & 15;
        bins[k] += w[i] * a[i];
    }
}
ALONE void by_pointer_into_bins(const double *a, int n) {
    for (int i = 0; i < n; i++) { //= reduction|words
        double *p = &bins[(int)a[i] & 15];
        *p += a[i];
    }
}
ALONE void shared_between_bins(const double *a, int n) {
    for (int i = 0; i < n; i++) { //= reduction|words
        int k = (int)a[i] & 14;
        double t = a[i] - (int)a[i];
        bins[k] += 1 - t;
        bins[k + 1] += t;
    }
}
ALONE void running_bins(const double *a, int n) {
    for (int i = 0; i < n; i++) { //= no
        int k = (int)a[i] & 14;
        bins[k] += 1;
        bins[k + 1] += bins[k];
    }
}
ALONE void product_of_matrices(double *c, const double *a, const double *b, int n) {
    for (int i = 0; i < n; i++) //= yes
        for (int j = 0; j < n; j++) //= yes
            for (int k = 0; k < n; k++) //= reduction
                c[i * n + j] += a[i * n + k] * b[k * n + j];
}
ALONE void product_by_columns(double *c, const double *a, const double *b, int n) {
    for (int k = 0; k < n; k++) //= reduction|words
        for (int i = 0; i < n; i++) //= yes
            for (int j = 0; j < n; j++) //= yes
                c[i * n + j] += a[i * n + k] * b[k * n + j];
}
ALONE double through_a_local(const double *a, int n) {
    double s = 0;
    for (int i = 0; i < n; i++) { //= reduction|no
        double t = s;
        t += a[i];
        s = t;
    }
    return s;
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 60;
    double *x = reals(n), *y = reals(n), *f = calloc(n, sizeof *f), *c = calloc(144, sizeof *c);
    int *at = zeros(n), *ends = zeros(n), *a = integers(n);
    float *z = calloc(n, sizeof *z);
    struct vector *d = calloc(n, sizeof *d);
    struct body *b = calloc(n, sizeof *b);
    struct totals *many = calloc(n, sizeof *many), t = {0, 0, 0};
    for (int i = 0; i < n; i++) {
        at[i] = i * 7 % 8, ends[i] = (i * 5 + 3) % n, z[i] = x[i] / 3, y[i] -= 2;
        d[i].x = x[i], d[i].y = y[i], d[i].z = i, b[i].mass = x[i];
    }
    two_updates_of_an_element(f, at, x, n);
    eight_updates_of_an_element(f, at, x, n);
    action_and_reaction(f, at, ends, x, n);
    show_reals("elements", f, n);
    scaled_between(f, at, x, n);
    looked_at_between(f, y, at, x, n);
    added_from_another(f, at, x, n);
    show_reals("carried", f, n);
    printf("%g %g %g %g\n", three_statements(x, y, n), sum_and_product(x, n), narrow_sum(x, y, n), narrow_from_mixed(z, x, n));
    printf("%g %ld %d %d\n", wide_sum(z, n), wide_count(a, n), byte_sum(a, n), cut_each_time(x, n));
    into_a_structure(&t, x, n);
    into_a_global_structure(x, n);
    printf("%g %g %g %g\n", t.sum, into_a_local_structure(x, n).square, all.sum, members_of_each_other(x, n).square);
    copied_out(many, x, n);
    handed_over(y, x, n);
    printf("%g %g %g\n", many[n - 1].sum, y[n - 1], reset_as_a_whole(x, n).sum);
    through_a_pointer(&t.sum, x, y, n);
    through_two_pointers(&t.sum, &t.square, x, n);
    through_a_pointer_and_seen(&t.sum, y, x, n);
    fixed_elements(x, n);
    fixed_elements_that_feed(x, n);
    printf("%g %g %g\n", t.sum, sums[0], sums[1]);
    forces(b, at, d, n);
    pairs_of_bodies(b, n);
    positions_move(b, n);
    printf("%g %g\n", b[1].force.x, b[n - 1].mass);
    weighted_histogram(x, z, n);
    by_pointer_into_bins(x, n);
    shared_between_bins(x, n);
    running_bins(x, n);
    show_reals("bins", bins, 16);
    
    for (int i = 0; i < 144; i++) c[i] = i % 13;
    product_of_matrices(c, x, c + 72, 7);
    product_by_columns(c, x, c + 72, 7);
    show_reals("products", c, 144);
    printf("%g\n", through_a_local(x, n));
    return 0;
}
