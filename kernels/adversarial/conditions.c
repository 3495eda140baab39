/* Conditional compilation, and macros with several definitions: what was not compiled says nothing of a loop. */
#include "common.h"
#ifdef LOCAL
#define DECL double s = 0;
#define STORED double
#else
#define DECL
#define STORED static double
#endif
#define AGAIN double s = 0;
#undef AGAIN
#define AGAIN
#define ZERO(s) s = 0
#undef ZERO
#define ZERO(s)
#define LARGE 0
#if LARGE
#define LENGTH 300
#else
#define LENGTH 200
#endif
#ifdef _OPENMP
#include <omp.h>
#endif
static int lengths[LENGTH];

ALONE void declared_by_a_macro(double *a, int n) {
    double s = 0;
    for (int i = 0; i < n; i++) { //= no
        DECL
        s = s * 0.5 + i;
        a[i] = s;
    }
}
ALONE void stored_by_a_macro(double *a, int n) {
    for (int i = 0; i < n; i++) { //= no
        STORED t;
        if (i & 1) t = i;
        a[i] = t;
    }
}
ALONE void declared_by_another_definition(double *a, int n) {
    double s = 0;
    for (int i = 0; i < n; i++) { //= no
        AGAIN
        s = s * 0.5 + i;
        a[i] = s;
    }
}
ALONE void set_by_another_definition(double *a, int n) {
    double s = 0;
    for (int i = 0; i < n; i++) { //= no
        ZERO(s);
        s = s * 0.5 + i;
        a[i] = s;
    }
}
ALONE void declared_elsewhere(double *a, int n) {
    double s = 0;
    for (int i = 0; i < n; i++) { //= no
#ifdef LOCAL
        double s = 0;
#endif
        s = s * 0.5 + i;
        a[i] = s;
    }
}
ALONE void left_out(double *a, int n) {
    double s = 0;
    for (int i = 0; i < n; i++) { //= no
#if 0
        double s = 0;
#endif
        s = s * 0.5 + i;
        a[i] = s;
    }
}
ALONE void declared_in_an_inner_loop(double *a, int n) {
    double s = 0;
    int i, j;
    for (i = 0; i < n; i++) { //= no
        for (j = 0; j < 3; j++) { //= no
#ifdef LOCAL
            double s = 0;
#endif
            s = s * 0.5 + i;
            a[i] = s;
        }
    }
}
ALONE void set_elsewhere(double *a, int n) {
    static double t;
    for (int i = 0; i < n; i++) { //= no
#if OLD
        t = i;
#endif
        if (i % 3 == 0) t = a[i] + i;
        a[i] = t;
    }
}
ALONE void one_of_two(double *a, double *b, int n) {
    for (int i = 1; i < n; i++) //= no
#ifdef JACOBI
        b[i] = a[i - 1];
#else
        a[i] = a[i - 1] * 0.5 + b[i];
#endif
}
ALONE void compiled(double *a, int n) {
    for (int i = 0; i < n; i++) { //= yes
#if defined(ZERO) && !LARGE
        double s = 0;
#else
        static double s;
#endif
        s = s * 0.5 + i;
        a[i] = s;
    }
}
ALONE void says_more(double *a, int n) {
    for (int i = 0; i < n; i++) { //= yes
        a[i] = a[i] * 2;
#ifdef VERBOSE
        printf("%d %g\n", i, a[i]);
#endif
    }
}
ALONE void of_one_length(int n) {
    for (int i = 0; i < LENGTH; i++) //= yes
        lengths[i] = i + n;
}

int main(void) {
    double *a = reals(600), *b = reals(600);
    declared_by_a_macro(a, 600);
    stored_by_a_macro(a, 600);
    declared_by_another_definition(a, 600);
    set_by_another_definition(a, 600);
    declared_elsewhere(a, 600);
    left_out(a, 600);
    declared_in_an_inner_loop(a, 600);
    set_elsewhere(a, 600);
    one_of_two(a, b, 600);
    compiled(a, 600);
    says_more(a, 600);
    of_one_length(3);
    printf("%g %g %d\n", a[7], b[8], lengths[9]);
    return 0;
}
