/* A tensor of three dimensions times a matrix along the last one, through a row of sums.

   contract, loops r and q: every iteration has its own row of the tensor and its own sums: parallel. Loop p: every iteration has
   its own sum: parallel; s adds to it: a reduction. Loop u copies: parallel. */
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 128 };

static __attribute__((noinline)) void contract(int n, double *a, const double *c)
{
    for (int r = 0; r < n; r++) /* @r */
        for (int q = 0; q < n; q++) { /* @q */
            double sum[MOST];
            for (int p = 0; p < n; p++) { /* @p */
                sum[p] = 0.0;
                for (int s = 0; s < n; s++) /* @s */
                    sum[p] += a[(r * n + q) * n + s] * c[s * n + p];
            }
            for (int u = 0; u < n; u++) /* @u */
                a[(r * n + q) * n + u] = sum[u];
        }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 12;
    if (n > MOST)
        return 1;
    double *a = malloc(sizeof *a * n * n * n), *c = malloc(sizeof *c * n * n);
    for (int i = 0; i < n * n * n; i++)
        a[i] = i % 13 / 4.0;
    for (int i = 0; i < n * n; i++)
        c[i] = i % 7 / 8.0 - 0.25;
    contract(n, a, c);
    double check = 0.0;
    for (int i = 0; i < n * n * n; i++)
        check += a[i] * (i % 11 + 1);
    printf("%.17g\n", check);
    return 0;
}
