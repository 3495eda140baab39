/* Loops of which compilers write out several iterations as one, where functions that are put in the place of calls come to the elements. */
#include "common.h"
#include <utility>
static double A[808], Y[808], Z[808];
static int P[808];
static inline double get(const double *y, int k) { return y[k >> 1]; }
static inline void put(double *y, int k, double x) { y[k >> 1] = x; }
static inline double read(const double *y, int k) { return y[k]; }
static inline void write(double *p, double x) { *p = x; }
struct Holder { double &r; };
template <class F> static inline void each(int n, F f) {
    for (int i = 0; i < n; i++) //= no
        f(i);
}
template <class F> static inline void every(int n, F f) {
    for (int i = 0; i < n; i++) //= yes
        f(i);
}
ALONE void by_a_lambda(int n) {
    auto f = [](int k, double x) { Y[k >> 1] = x; };
    for (int i = 0; i < n; i++) //= no
        f(i, A[i]);
}
ALONE void by_a_lambda_that_gives_places(int n) {
    auto f = [](int k) -> double & { return Y[k >> 1]; };
    for (int i = 0; i < n; i++) { //= no
        Z[i] = f(i);
        f(i) = A[i];
    }
}
ALONE void in_a_template(int n) { each(n, [](int i) { Y[i >> 1] = A[i]; }); }
ALONE void apart_in_a_template(int n) { every(n, [](int i) { Y[i] = A[i] * 0.5; }); }
ALONE void by_two_functions(int n) {
    for (int i = 0; i < n; i++) { //= no
        Z[i] = get(Y, i);
        put(Y, i, A[i]);
    }
}
ALONE void by_two_functions_at_chosen_places(int n) {
    for (int i = 0; i < n; i++) { //= no
        Z[i] = read(Y, P[i]);
        write(&Y[P[i]], A[i]);
    }
}
ALONE void by_two_functions_apart(int n) {
    for (int i = 0; i < n; i++) { //= yes
        Z[i] = read(Y, i) + read(A, i);
        write(&Y[i], Z[i] * 0.5);
    }
}
ALONE void exchanged(int n) {
    struct T { double x, y; } *r = (T *)Y;
    for (int i = 0; i < n; i++) //= no
        std::swap(r[i >> 1].x, A[i]);
}
ALONE void exchanged_apart(int n) {
    for (int i = 0; i < n; i++) //= yes
        std::swap(Y[i], A[i]);
}
ALONE void through_a_member(const double *a, double *b, int n) {
    double p = 0, q = 0;
    for (int i = 0; i < n; i++) { //= no
        Holder m{i & 1 ? p : q};
        b[i] = m.r;
        m.r = a[i];
    }
}
/* Which elements iterations come to, the body computes. */
ALONE void at_a_place_of_the_body(double *y, const double *x, int n) {
    for (int i = 0; i < n; i++) { //= no
        int k = P[i];
        y[k] = y[k] * 0.5 + x[i];
    }
}
ALONE void at_a_place_of_the_body_of_its_own(double *y, const double *x, int n) {
    for (int i = 0; i < n; i++) { //= yes
        int k = n - 1 - i;
        y[k] = y[k] * 0.5 + x[i];
    }
}
ALONE void by_a_reference(double *y, const double *x, int n) {
    for (int i = 0; i < n; i++) { //= no
        double &r = y[P[i]];
        r = r * 0.5 + x[i];
    }
}
ALONE void where_it_is_small(int *first, int n) {
    for (int i = 0; i < n; i++) { //= no
        int k = P[i];
        if (first[k] == 0)
            first[k] = i + 1;
    }
}
ALONE void in_lists(int *next, int *head, int n) {
    for (int i = 0; i < n; i++) { //= no
        int h = P[i];
        next[i] = head[h];
        head[h] = i;
    }
}
ALONE void in_rows(double **rows, const double *x, int n) {
    for (int i = 0; i < n; i++) //= no
        rows[i][0] = x[i];
}
ALONE void in_rows_of_its_own(double **rows, const double *x, int n) {
    for (int i = 0; i < n; i++) //= yes
        rows[i][0] = x[i];
}
ALONE double cut_in_a_register(const double *x, int n) {
    int p = 1000;
    for (int i = 0; i < n; i++) //= no
        p += x[i];
    return p;
}
ALONE int place_of_a_rounded_maximum(const double *x, int n) {
    float v = -1;
    int at = -1;
    for (int i = 0; i < n; i++) //= no
        if (x[i] > v) {
            v = x[i];
            at = i;
        }
    return at;
}
/* What an iteration alone uses need not be kept. */
ALONE void scratch(const double *a, double *b, int n) {
    double t[4];
    for (int i = 0; i < n; i++) { //= private
        t[0] = a[i];
        t[1] = t[0] * 2;
        b[i] = t[1] + t[0];
    }
}
ALONE void scratch_in_a_loop_inside(const double *a, double *b, int n) {
    double t[40];
    for (int i = 0; i < n; i++) //= private
        for (int j = 0; j < 20; j++) { //= yes|private
            t[j] = a[i * 20 + j] * 2;
            b[i * 20 + j] = t[j] + t[j] * t[j];
        }
}
int main() {
    static double *rows[808], *own[808], table[808][2];
    static int first[808], next[808], head[808];
    for (int i = 0; i < 808; i++) {
        rows[i] = table[i / 2];
        own[i] = table[i];
    }
    for (int i = 0; i < 808; i++) {
        A[i] = i * 37 % 23;
        P[i] = i / 2;
    }
    by_a_lambda(800);
    by_a_lambda_that_gives_places(800);
    in_a_template(800);
    apart_in_a_template(800);
    by_two_functions(800);
    by_two_functions_at_chosen_places(800);
    by_two_functions_apart(800);
    exchanged(800);
    exchanged_apart(800);
    through_a_member(A, Z, 800);
    at_a_place_of_the_body(Y, A, 800);
    at_a_place_of_the_body_of_its_own(Y, A, 800);
    by_a_reference(Y, A, 800);
    where_it_is_small(first, 800);
    in_lists(next, head, 800);
    in_rows(rows, A, 800);
    in_rows_of_its_own(own, A, 800);
    scratch(A, Z, 800);
    scratch_in_a_loop_inside(A, Z, 40);
    printf("%g %d %d %d\n", cut_in_a_register(A, 800), place_of_a_rounded_maximum(A, 800), first[9], next[700]);
    printf("%g %g\n", Y[3], Z[5]);
    return 0;
}
