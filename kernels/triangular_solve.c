/* Forward substitution: solves L x = b for a lower triangular L.

   solve, loop i: x[i] needs every x[j] with j < i, flow distances 1 to i: not parallel.
   solve, loop j: carries sum alone: parallel as a reduction. */
#include <stdio.h>
#include <stdlib.h>

static __attribute__((noinline)) void solve(int n, const double *l, const double *b, double *x)
{
    for (int i = 0; i < n; i++) { /* @i */
        double sum = b[i];
        for (int j = 0; j < i; j++) /* @j */
            sum -= l[i * n + j] * x[j];
        x[i] = sum / l[i * n + i];
    }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 120;
    int repeat = argc > 2 ? atoi(argv[2]) : 1;
    double *l = malloc(sizeof *l * n * n), *b = malloc(sizeof *b * n), *x = malloc(sizeof *x * n);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            l[i * n + j] = i == j ? n : (i * 7 + j * 3) % 5 - 2;
        b[i] = i % 9;
    }
    for (int r = 0; r < repeat; r++)
        solve(n, l, b, x);
    double check = 0.0;
    for (int i = 0; i < n; i++)
        check += x[i];
    printf("%.9f\n", check);
    return 0;
}
