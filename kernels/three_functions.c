/* Matrix product with one loop in each of three functions.

   multiply, loop i and row, loop j: every dot product has its own element of C: parallel.
   dot, loop k: carries sum alone: parallel as a reduction.
   The three loops are one nest, across calls. */
#include <stdio.h>
#include <stdlib.h>

static __attribute__((noinline)) double dot(int n, const double *a, const double *b)
{
    double sum = 0.0;
    for (int k = 0; k < n; k++) /* @k */
        sum += a[k] * b[k * n];
    return sum;
}

static __attribute__((noinline)) void row(int n, const double *a, const double *b, double *c)
{
    for (int j = 0; j < n; j++) /* @j */
        c[j] = dot(n, a, b + j);
}

static __attribute__((noinline)) void multiply(int n, const double *a, const double *b, double *c)
{
    for (int i = 0; i < n; i++) /* @i */
        row(n, a + i * n, b, c + i * n);
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
