/* Jacobi relaxation of the Laplace equation on a square, two half steps per time step: b from a, then a from b.

   relax, loop t: a step reads what the step before wrote into a, distance 1: not parallel.
   relax, loops i, j (b from a) and p, q (a from b): a sweep reads one array and writes the other: parallel. */
#include <stdio.h>
#include <stdlib.h>

static __attribute__((noinline)) void relax(int steps, int n, double *a, double *b)
{
    for (int t = 0; t < steps; t++) { /* @t */
        for (int i = 1; i < n - 1; i++) /* @i */
            for (int j = 1; j < n - 1; j++) /* @j */
                b[i * n + j] = 0.25 * (a[(i - 1) * n + j] + a[(i + 1) * n + j] + a[i * n + j - 1] + a[i * n + j + 1]);
        for (int p = 1; p < n - 1; p++) /* @p */
            for (int q = 1; q < n - 1; q++) /* @q */
                a[p * n + q] = 0.25 * (b[(p - 1) * n + q] + b[(p + 1) * n + q] + b[p * n + q - 1] + b[p * n + q + 1]);
    }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 40;
    int steps = argc > 2 ? atoi(argv[2]) : 8;
    double *a = malloc(sizeof *a * n * n), *b = malloc(sizeof *b * n * n);
    for (int i = 0; i < n * n; i++)
        a[i] = b[i] = i < n ? 1.0 : 0.0;
    relax(steps, n, a, b);
    double check = 0.0;
    for (int i = 0; i < n * n; i++)
        check += a[i];
    printf("%.9f\n", check);
    return 0;
}
