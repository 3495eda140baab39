/* Matrix product C = A B, loops in the order i, k, j: all accesses of the innermost loop go along rows.

   multiply, loop i: rows of C are independent: parallel.
   multiply, loop k: every iteration adds to the whole row i of C: a reduction whose accumulator is an array.
   multiply, loop j: elements of one row: parallel.
   All three can be interchanged: the only carried dependence is C[i][j] to itself, distance (0, 1, 0). */
#include <stdio.h>
#include <stdlib.h>

static __attribute__((noinline)) void multiply(int n, const double *a, const double *b, double *c)
{
    for (int i = 0; i < n; i++) /* @i */
        for (int k = 0; k < n; k++) /* @k */
            for (int j = 0; j < n; j++) /* @j */
                c[i * n + j] += a[i * n + k] * b[k * n + j];
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 32;
    double *a = malloc(sizeof *a * n * n), *b = malloc(sizeof *b * n * n), *c = calloc((size_t)n * n, sizeof *c);
    for (int i = 0; i < n * n; i++) {
        a[i] = (i % 13) - 6;
        b[i] = (i % 7) - 3;
    }
    multiply(n, a, b, c);
    double check = 0.0;
    for (int i = 0; i < n * n; i++)
        check += c[i] * (i % 5);
    printf("%.1f\n", check);
    return 0;
}
