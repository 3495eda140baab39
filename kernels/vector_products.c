/* A matrix plus two outer products, then its transpose and itself times vectors.

   multiply, loops i and j: every iteration has its own elements: parallel. Loops p, l and v: parallel; q and w add to one
   element: reductions. */
#include <stdio.h>
#include <stdlib.h>

static __attribute__((noinline)) void multiply(int n, double *a, const double *u, const double *v, double *x, const double *y, double *z)
{
    for (int i = 0; i < n; i++) /* @i */
        for (int j = 0; j < n; j++) /* @j */
            a[i * n + j] += u[i] * v[j] + v[i] * u[j];
    for (int p = 0; p < n; p++) /* @p */
        for (int q = 0; q < n; q++) /* @q */
            x[p] += 1.25 * a[q * n + p] * y[q];
    for (int l = 0; l < n; l++) /* @l */
        x[l] += y[l];
    for (int e = 0; e < n; e++) /* @e */
        for (int w = 0; w < n; w++) /* @w */
            z[e] += 0.5 * a[e * n + w] * x[w];
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 40;
    double *a = malloc(sizeof *a * n * n), *x = calloc(n, sizeof *x), *z = calloc(n, sizeof *z);
    double *u = malloc(sizeof *u * n), *v = malloc(sizeof *v * n), *y = malloc(sizeof *y * n);
    for (int i = 0; i < n * n; i++)
        a[i] = i % 17 / 8.0 - 1.0;
    for (int i = 0; i < n; i++) {
        u[i] = i % 5 / 4.0;
        v[i] = i % 7 - 2.5;
        y[i] = i % 3 + 0.5;
    }
    multiply(n, a, u, v, x, y, z);
    double check = 0.0;
    for (int i = 0; i < n; i++)
        check += (x[i] + 2.0 * z[i]) * (i % 11 + 1);
    printf("%.17g\n", check);
    return 0;
}
