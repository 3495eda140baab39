/* LU decomposition without pivoting, in place.

   factor, loop k: a step reads what the step before left of the matrix, distance 1: not parallel. eliminate, loop i: every
   iteration has its own row, and reads row k, which nothing writes any more: parallel; so is j, the elements of the row. */
#include <stdio.h>
#include <stdlib.h>

static __attribute__((noinline)) void eliminate(int n, int k, double *a)
{
    for (int i = k + 1; i < n; i++) { /* @i */
        a[i * n + k] /= a[k * n + k];
        for (int j = k + 1; j < n; j++) /* @j */
            a[i * n + j] -= a[i * n + k] * a[k * n + j];
    }
}

static __attribute__((noinline)) void factor(int n, double *a)
{
    for (int k = 0; k < n; k++) /* @k */
        eliminate(n, k, a);
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 30;
    double *a = malloc(sizeof *a * n * n);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            a[i * n + j] = (i == j ? 2.0 * n : 0.0) + (i * 7 + j * 3) % 5;
    factor(n, a);
    double check = 0.0;
    for (int i = 0; i < n * n; i++)
        check += a[i] * (i % 11 + 1);
    printf("%.17g\n", check);
    return 0;
}
