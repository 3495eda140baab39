/* Matrix product C = A B by blocks of `side` rows and columns, as a program tiled by hand has it: inner loops are short.

   multiply, loops ii, jj, i, j: different elements of C: parallel.
   multiply, loops kk, k: every iteration adds to the same elements: reductions. */
#include <stdio.h>
#include <stdlib.h>

static __attribute__((noinline)) void multiply(int n, int side, const double *a, const double *b, double *c)
{
    for (int ii = 0; ii < n; ii += side) /* @ii */
        for (int kk = 0; kk < n; kk += side) /* @kk */
            for (int jj = 0; jj < n; jj += side) /* @jj */
                for (int i = ii; i < ii + side; i++) /* @i */
                    for (int k = kk; k < kk + side; k++) /* @k */
                        for (int j = jj; j < jj + side; j++) /* @j */
                            c[i * n + j] += a[i * n + k] * b[k * n + j];
}

int main(int argc, char **argv)
{
    int side = argc > 1 ? atoi(argv[1]) : 32;
    int n = side * (argc > 2 ? atoi(argv[2]) : 2);
    double *a = malloc(sizeof *a * n * n), *b = malloc(sizeof *b * n * n), *c = calloc((size_t)n * n, sizeof *c);
    for (int i = 0; i < n * n; i++) {
        a[i] = (i % 13) - 6;
        b[i] = (i % 7) - 3;
    }
    multiply(n, side, a, b, c);
    double check = 0.0;
    for (int i = 0; i < n * n; i++)
        check += c[i] * (i % 5);
    printf("%.1f\n", check);
    return 0;
}
