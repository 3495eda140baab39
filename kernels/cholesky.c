/* Cholesky decomposition, in place.

   factor, loop i: a row needs the rows above it: not parallel. Loop j: an element needs those to its left: not parallel. Loops k
   and m subtract from one element: reductions. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static __attribute__((noinline)) void factor(int n, double *a)
{
    for (int i = 0; i < n; i++) { /* @i */
        for (int j = 0; j < i; j++) { /* @j */
            for (int k = 0; k < j; k++) /* @k */
                a[i * n + j] -= a[i * n + k] * a[j * n + k];
            a[i * n + j] /= a[j * n + j];
        }
        for (int m = 0; m < i; m++) /* @m */
            a[i * n + i] -= a[i * n + m] * a[i * n + m];
        a[i * n + i] = sqrt(a[i * n + i]);
    }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 30;
    double *a = malloc(sizeof *a * n * n);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            a[i * n + j] = (i == j ? 4.0 * n : 0.0) + (i + j) % 3;
    factor(n, a);
    double check = 0.0;
    for (int i = 0; i < n * n; i++)
        check += a[i] * (i % 11 + 1);
    printf("%.17g\n", check);
    return 0;
}
