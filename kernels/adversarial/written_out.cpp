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
int main() {
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
    printf("%g %g\n", Y[3], Z[5]);
    return 0;
}
