/* Jacobi relaxation on a line, two half steps per time step.

   relax, loop t: a step reads what the step before wrote into a, distance 1: not parallel. Loops i (b from a) and j (a from b):
   parallel. */
#include <stdio.h>
#include <stdlib.h>

static __attribute__((noinline)) void relax(int steps, int n, double *a, double *b)
{
    for (int t = 0; t < steps; t++) { /* @t */
        for (int i = 1; i < n - 1; i++) /* @i */
            b[i] = 0.33 * (a[i - 1] + a[i] + a[i + 1]);
        for (int j = 1; j < n - 1; j++) /* @j */
            a[j] = 0.33 * (b[j - 1] + b[j] + b[j + 1]);
    }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 120;
    int steps = argc > 2 ? atoi(argv[2]) : 20;
    double *a = malloc(sizeof *a * n), *b = malloc(sizeof *b * n);
    for (int i = 0; i < n; i++)
        a[i] = b[i] = i % 17 / 3.0;
    relax(steps, n, a, b);
    double check = 0.0;
    for (int i = 0; i < n; i++)
        check += a[i] * (i % 11 + 1);
    printf("%.17g\n", check);
    return 0;
}
