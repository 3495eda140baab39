/* The lower triangle of a symmetric matrix: C scaled, plus A times its transpose.

   update, loop i: every iteration has its own row of C: parallel, as are j and l, the elements of the row. Loop k adds to
   them: a reduction. */
#include <stdio.h>
#include <stdlib.h>

static __attribute__((noinline)) void update(int n, int m, const double *a, double *c)
{
    for (int i = 0; i < n; i++) { /* @i */
        for (int j = 0; j <= i; j++) /* @j */
            c[i * n + j] *= 0.75;
        for (int k = 0; k < m; k++) /* @k */
            for (int l = 0; l <= i; l++) /* @l */
                c[i * n + l] += 1.5 * a[i * m + k] * a[l * m + k];
    }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 30;
    int m = n + 4;
    double *a = malloc(sizeof *a * n * m), *c = malloc(sizeof *c * n * n);
    for (int i = 0; i < n * m; i++)
        a[i] = i % 13 / 5.0 - 1.0;
    for (int i = 0; i < n * n; i++)
        c[i] = i % 7;
    update(n, m, a, c);
    double check = 0.0;
    for (int i = 0; i < n * n; i++)
        check += c[i] * (i % 11 + 1);
    printf("%.17g\n", check);
    return 0;
}
