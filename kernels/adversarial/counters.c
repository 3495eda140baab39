/* Counters of all kinds, and recurrences that compilers fold to a closed form. */
#include "common.h"

int limit, step_of_all;

ALONE int sum_of_counters(int n) {
    int s = 0;
    for (int i = 0; i < n; i++) //= reduction
        s += i;
    return s;
}
ALONE int repeated_constant(int n) {
    int s = 1;
    for (int i = 0; i < n; i++) //= reduction|induction
        s += 3;
    return s;
}
ALONE double repeated_invariant(int n, double y) {
    double s = 0;
    for (int i = 0; i < n; i++) //= reduction|induction
        s += y;
    return s;
}
ALONE double power(int n, double x) {
    double p = 1;
    for (int i = 0; i < n; i++) //= reduction
        p *= x;
    return p;
}
ALONE void propagated(int *a, int n) {
    for (int i = 1; i < n; i++) //= no|folded
        a[i] = a[i - 1];
}
ALONE void propagated_and_increased(int *a, int n) {
    a[0] = 4;
    for (int i = 1; i < n; i++) //= no|folded
        a[i] = a[i - 1] + 2;
}
ALONE void propagated_two_ways(int *a, int *b, int n) {
    for (int i = 1; i < n; i++) { //= no
        a[i] = b[i - 1] + 1;
        b[i] = a[i - 1] + 1;
    }
}
ALONE void first_to_all(int *a, int n) {
    for (int i = 1; i < n; i++) //= yes
        a[i] = a[0];
}
ALONE void ring(int *out, int n) {
    int k = 3;
    for (int i = 0; i < n; i++) { //= no
        k = (k + 1) % 7;
        out[i] = k;
    }
}
ALONE void ring_by_branch(int *out, int n) {
    int k = 0;
    for (int i = 0; i < n; i++) { //= no
        out[i] = k;
        if (++k == 6) k = 0;
    }
}
/* The branch is never taken in this run. */
ALONE void ring_never_full(int *out, int n) {
    int k = 0;
    for (int i = 0; i < n; i++) { //= no
        out[i] = k;
        if (++k == 100000) k = 0;
    }
}
ALONE void toggled(int *out, int n) {
    int k = 0;
    for (int i = 0; i < n; i++) { //= no
        out[i] = k;
        k ^= 1;
    }
}
ALONE void counting_down(int *out, int n) {
    int k = n;
    for (int i = 0; i < n; i++) { //= induction
        k--;
        out[k] = i;
    }
}
struct wide { int a, b, c; };
ALONE void moving_pointer(struct wide *p, int n) {
    for (int i = 0; i < n; i++) { //= induction
        p->b = i;
        p++;
    }
}
ALONE void product_of_the_counter(int *out, int n) {
    int k;
    for (int i = 0; i < n; i++) { //= private
        k = i * 2;
        out[k] = i;
    }
}
ALONE int kept_product_of_the_counter(int *out, int n) {
    int k = 0;
    for (int i = 0; i < n; i++) { //= private
        k = i * 2 + 1;
        out[k] = i;
    }
    return k;
}
ALONE void nested_position(int *out, int rows, int columns) {
    int k = 0;
    for (int i = 0; i < rows; i++) //= induction
        for (int j = 0; j < columns; j++) //= induction
            out[k++] = i ^ j;
}
ALONE void position_of_each_row(int *out, int rows, int columns) {
    int k;
    for (int i = 0; i < rows; i++) { //= private
        k = i * columns;
        for (int j = 0; j < columns; j++) //= induction
            out[k++] = i + j;
    }
}
ALONE void row_position_in_the_body(int *out, int rows, int columns) {
    for (int i = 0; i < rows; i++) { //= yes
        int k = i * columns;
        for (int j = 0; j < columns; j++) //= induction
            out[k++] = i - j;
    }
}
ALONE void packed_triangle(int *out, int n) {
    int k = 0;
    for (int i = 0; i < n; i++) //= no|induction
        for (int j = 0; j <= i; j++) //= induction
            out[k++] = i * j;
}
ALONE void from_both_ends(int *a, int n) {
    int l = 0, r = n - 1;
    while (l < r) { //= induction
        int t = a[l];
        a[l++] = a[r];
        a[r--] = t;
    }
}
ALONE int real_counter(double *a, double h) {
    int n = 0;
    for (double x = 0; x < 6; x += h) { //= no|induction
        a[n] = x * x;
        n++;
    }
    return n;
}
ALONE void bump(int *p, int c) {
    if (c > 30) *p += 1;
}
ALONE void iterator_by_address(int *a, const int *f, int n) {
    for (int i = 0; i < n; i++) { //= no
        a[i] = 5;
        bump(&i, f[i]);
    }
}
ALONE int shrinking_bound(int *a, int n) {
    for (int i = 0; i < n; i++) //= no
        if (a[i] == 5) n--;
    return n;
}
ALONE void global_bound(int *a) {
    for (int i = 0; i < limit; i++) //= yes
        a[i] = i + 6;
}
ALONE void changing_bound(int *a, const int *f) {
    for (int i = 0; i < limit; i++) { //= no
        a[i] = i;
        if (f[i] > 50) limit--;
    }
}
ALONE void global_step(int *a, int n) {
    for (int i = 0; i < n; i += step_of_all) //= yes
        a[i] = i;
}
int counter_of_all;
ALONE void global_iterator(int *a, int n) {
    for (counter_of_all = 0; counter_of_all < n; counter_of_all++) //= private|yes
        a[counter_of_all] = 8;
}
ALONE void see_counter(int *a) { a[counter_of_all] += 1; }
ALONE void global_iterator_in_a_callee(int *a, int n) {
    for (counter_of_all = 0; counter_of_all < n; counter_of_all++) //= words|no
        see_counter(a);
}
ALONE void sum_of_counters_kept(int *out, int n) {
    int s = 0;
    for (int i = 0; i < n; i++) { //= no|induction
        s += i;
        out[i] = s;
    }
}
ALONE void difference_engine(int *out, int n) {
    int a = 0, b = 1, c = 2;
    for (int i = 0; i < n; i++) { //= no|induction
        out[i] = a;
        a += b;
        b += c;
    }
}
ALONE void power_kept(double *out, int n, double x) {
    double p = 1;
    for (int i = 0; i < n; i++) { //= no|induction
        out[i] = p;
        p *= x;
    }
}
ALONE unsigned long shifted_mask(unsigned *out, int n) {
    unsigned long m = 1;
    for (int i = 0; i < n; i++) { //= no|induction|folded
        out[i] = (unsigned)m;
        m <<= 1;
    }
    return m;
}
ALONE int step_from_data(int *out, const int *a, int n) {
    int k = 0;
    for (int i = 0; i < n; i++) { //= no
        out[k] = i;
        k += a[i];
    }
    return k;
}
ALONE int sometimes_two(int *out, const int *a, int n) {
    int k = 0;
    for (int i = 0; i < n; i++) { //= no
        out[k] = i;
        k += a[i] > 1000 ? 2 : 1;
    }
    return k;
}
ALONE int counted_down_to_zero(int n, int *a) {
    int k = 0;
    for (int i = n; i; i--) //= reduction|induction
        if (a) k += 2;
    return k;
}
ALONE int halved(int n, int *out) {
    int k = 0;
    for (int v = n; v > 0; v /= 2) //= no
        out[k++] = v;
    return k;
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 60;
    int *a = integers(n * n), *b = zeros(n * n), *ones = zeros(n);
    double *x = reals(n);
    for (int i = 0; i < n; i++) ones[i] = argc;
    printf("%d %d %g %g\n", sum_of_counters(n), repeated_constant(n), repeated_invariant(n, 0.25 * argc), power(n, 1.0 + argc / 8.0));
    propagated(b, n);
    propagated_and_increased(b, n);
    propagated_two_ways(a, b, n);
    show("propagated", b, n);
    first_to_all(b, n);
    ring(b, n);
    ring_by_branch(b + n, n);
    ring_never_full(b + 2 * n, n);
    toggled(b + 3 * n, n);
    show("rings", b, 4 * n);
    counting_down(b, n);
    struct wide *w = calloc(n, sizeof *w);
    moving_pointer(w, n);
    printf("%d\n", w[n - 1].b);
    product_of_the_counter(b, n);
    printf("%d\n", kept_product_of_the_counter(b, n));
    show("products", b, 2 * n);
    nested_position(b, n / 2, n / 2);
    show("nested_position", b, n * n / 4);
    position_of_each_row(b, n / 2, n / 2);
    row_position_in_the_body(b, n / 2, n / 2);
    show("rows", b, n * n / 4);
    packed_triangle(b, n / 2);
    from_both_ends(b, n);
    show("from_both_ends", b, n);
    printf("%d\n", real_counter(x, 0.125 * argc));
    iterator_by_address(b, a, n);
    b[7] = 5;
    printf("%d\n", shrinking_bound(b, n));
    limit = n;
    global_bound(b);
    changing_bound(b, a);
    printf("%d\n", limit);
    step_of_all = argc;
    global_step(b, n);
    global_iterator(b, n);
    global_iterator_in_a_callee(b, n);
    show("global_iterator", b, n);
    sum_of_counters_kept(b, n);
    difference_engine(b + n, n);
    show("sums", b, 2 * n);
    power_kept(x, n, 1.0 + argc / 16.0);
    show_reals("power_kept", x, n);
    printf("%lu\n", shifted_mask((unsigned *)b, n));
    printf("%d %d\n", step_from_data(b, ones, n), sometimes_two(b, a, n));
    printf("%d %d\n", counted_down_to_zero(n, a), halved(n * 1000, b));
    show("b", b, n);
    return 0;
}
