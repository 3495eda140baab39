/* A matrix times a vector and its transpose times another one, in one nest (as in the biconjugate gradient method).

   products, loop i: all iterations add to s, each to its own element of q: a reduction. Loop j: all iterations add to q[i], each
   to its own element of s: a reduction. */
#include <stdio.h>
#include <stdlib.h>

static __attribute__((noinline)) void products(int n, const double *a, double *s, double *q, const double *p, const double *r)
{
    for (int i = 0; i < n; i++) /* @i */
        for (int j = 0; j < n; j++) { /* @j */
            s[j] += r[i] * a[i * n + j];
            q[i] += a[i * n + j] * p[j];
        }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 40;
    double *a = malloc(sizeof *a * n * n), *s = malloc(sizeof *s * n), *q = malloc(sizeof *q * n);
    double *p = malloc(sizeof *p * n), *r = malloc(sizeof *r * n);
    for (int i = 0; i < n * n; i++)
        a[i] = i % 17 / 8.0 - 1.0;
    for (int i = 0; i < n; i++) {
        s[i] = q[i] = 0.0;
        p[i] = i % 7 + 0.5;
        r[i] = i % 3 - 0.25;
    }
    products(n, a, s, q, p, r);
    double check = 0.0;
    for (int i = 0; i < n; i++)
        check += (s[i] + 2.0 * q[i]) * (i % 11 + 1);
    printf("%.17g\n", check);
    return 0;
}
