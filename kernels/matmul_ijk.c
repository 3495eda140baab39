/* Matrix product C = A B, loops in the order i, j, k: B is read down its columns.

   multiply, loops i and j: each writes its own element of C: parallel.
   multiply, loop k: carries the scalar sum alone: parallel as a reduction.
   All three can be interchanged once sum is an element of C; as carried dependences stand, distance (0, 0, 1). */
#include <stdio.h>
#include <stdlib.h>

static __attribute__((noinline)) void multiply(int n, const double *a, const double *b, double *c)
{
    for (int i = 0; i < n; i++) /* @i */
        for (int j = 0; j < n; j++) { /* @j */
            double sum = 0.0;
            for (int k = 0; k < n; k++) /* @k */
                sum += a[i * n + k] * b[k * n + j];
            c[i * n + j] = sum;
        }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 32;
    double *a = malloc(sizeof *a * n * n), *b = malloc(sizeof *b * n * n), *c = malloc(sizeof *c * n * n);
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
