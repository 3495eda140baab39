/* A filter over a signal with unsigned counters; sums of unsigned 32-bit numbers may wrap, so nothing is known of x[i
   + k]. */
#include <stdio.h>
#include <stdlib.h>

static void filter(unsigned n, unsigned m, const double *h, const double *x, double *y)
{
    for (unsigned i = 0; i < n; i++) {
        y[i] = 0;
        for (unsigned k = 0; k < m; k++)
            y[i] += h[k] * x[i + k];
    }
}

static void halves(unsigned n, const double *x, double *y)
{
    for (unsigned i = 0; i < n; i++)
        y[i] += x[i / 2];
    for (unsigned i = 0; i < n / 2; i++)
        y[2 * i] += x[2 * i + 1];
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 8;
    int m = argc > 2 ? atoi(argv[2]) : 4;
    double *h = malloc(sizeof *h * m);
    double *x = malloc(sizeof *x * (n + m));
    double *y = malloc(sizeof *y * n);
    for (int i = 0; i < m; i++)
        h[i] = i % 7 - 3;
    for (int i = 0; i < n + m; i++)
        x[i] = i % 7 - 3;
    for (int i = 0; i < n; i++)
        y[i] = i % 7 - 3;
    filter(n, m, h, x, y);
    halves(n, x, y);
    double check = 0;
    for (int i = 0; i < n; i++)
        check += y[i];
    printf("%.9f\n", check);
    return 0;
}
