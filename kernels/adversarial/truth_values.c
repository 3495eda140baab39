#include "common.h"
#include <stdbool.h>
/* Every value of a truth value but 0 is 1: what is added to it is no sum. */
ALONE bool sum_of_truths(const int *x, int n) {
    bool any = false;
    for (int i = 0; i < n; i++) //= no
        any += x[i];
    return any;
}
ALONE bool parity(const int *x, int n) {
    bool odd = false;
    for (int i = 0; i < n; i++) //= no
        odd ^= x[i];
    return odd;
}
ALONE bool all_of(const int *x, int n) {
    bool all = true;
    for (int i = 0; i < n; i++) //= reduction
        all *= x[i];
    return all;
}
ALONE bool any_of(const int *x, int n) {
    bool any = false;
    for (int i = 0; i < n; i++) //= reduction
        any |= x[i] > 2;
    return any;
}
ALONE void diagonals(double *u, int l, int n) {
    for (int i = 1; i < l; i++) { //= yes
        int j = l - i;
        u[i * n + j] = 0.3 * (u[(i - 1) * n + j] + u[i * n + j - 1]);
    }
}
ALONE double the_one_before(const double *a, double *b, int n) {
    double before = 0;
    for (int i = 0; i < n; i++) { //= no
        b[i] = before + a[i];
        before = a[i];
    }
    return before;
}
ALONE double smoothed(double *a, int n) {
    double before = a[0];
    for (int i = 1; i < n - 1; i++) { //= no
        double own = a[i];
        a[i] = 0.5 * (before + a[i + 1]);
        before = own;
    }
    return before;
}
int main(void) {
    static int x[64];
    static double u[24 * 24], b[64];
    for (int i = 0; i < 64; i++) //= yes
        x[i] = 1 + i % 3;
    for (int i = 0; i < 24 * 24; i++) //= yes
        u[i] = i % 7;
    int r = sum_of_truths(x, 64) + parity(x, 64) + all_of(x, 64) + any_of(x, 64);
    for (int l = 2; l < 24; l++)
        diagonals(u, l, 24);
    r += the_one_before(u, b, 64) > 3;
    r += smoothed(b, 64) > 2;
    printf("%d %g %g\n", r, u[77], b[5]);
    return 0;
}
