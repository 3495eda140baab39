/* A matrix and its transpose, each times a vector: x += A y, z += transpose(A) w.

   products, loops i and p: every iteration has its own element of the result: parallel. Loops j and q: all iterations add to one
   element: a reduction. The second nest walks down columns: interchanged, it walks along rows. */
#include <stdio.h>
#include <stdlib.h>

static __attribute__((noinline)) void products(int n, const double *a, double *x, double *z, const double *y, const double *w)
{
    for (int i = 0; i < n; i++) /* @i */
        for (int j = 0; j < n; j++) /* @j */
            x[i] += a[i * n + j] * y[j];
    for (int p = 0; p < n; p++) /* @p */
        for (int q = 0; q < n; q++) /* @q */
            z[p] += a[q * n + p] * w[q];
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 40;
    double *a = malloc(sizeof *a * n * n), *x = malloc(sizeof *x * n), *z = malloc(sizeof *z * n);
    double *y = malloc(sizeof *y * n), *w = malloc(sizeof *w * n);
    for (int i = 0; i < n * n; i++)
        a[i] = i % 17 / 8.0 - 1.0;
    for (int i = 0; i < n; i++) {
        x[i] = z[i] = i % 5;
        y[i] = i % 7 + 0.5;
        w[i] = i % 3 - 0.25;
    }
    products(n, a, x, z, y, w);
    double check = 0.0;
    for (int i = 0; i < n; i++)
        check += (x[i] + 2.0 * z[i]) * (i % 11 + 1);
    printf("%.17g\n", check);
    return 0;
}
