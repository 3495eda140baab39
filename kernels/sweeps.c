/* Sweeps over one vector: a gathered update, then a running mean. The first sweep also sets the weights, and every 32nd
   one the first element, so that most sweeps repeat the accesses of the one before, and some do not.

   relax, loop t: a sweep reads what the sweep before wrote into x, distance 1: not parallel.
   weigh, loop k (weights, first sweep alone): parallel.
   gather, loop i (y from gathered x): parallel.
   mean, loop j (x from y): x[j] needs x[j-1] of the same sweep, distance 1: not parallel. */
#include <stdio.h>
#include <stdlib.h>

static __attribute__((noinline)) void weigh(int n, double *w)
{
    for (int k = 0; k < n; k++) /* @k */
        w[k] = 1.0 / (k + 2);
}

static __attribute__((noinline)) void gather(int n, const double *x, double *y, const double *w, const int *p)
{
    for (int i = 0; i < n; i++) /* @i */
        y[i] = w[i] * x[p[i]];
}

static __attribute__((noinline)) void mean(int n, double *x, const double *y)
{
    for (int j = 1; j < n; j++) /* @j */
        x[j] = 0.5 * (x[j - 1] + y[j]);
}

static __attribute__((noinline)) void relax(int steps, int n, double *x, double *y, double *w, const int *p)
{
    for (int t = 0; t < steps; t++) { /* @t */
        if (t == 0)
            weigh(n, w);
        if (t % 32 == 31)
            x[0] = t;
        gather(n, x, y, w, p);
        mean(n, x, y);
    }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 50;
    int steps = argc > 2 ? atoi(argv[2]) : 100;
    double *x = malloc(sizeof *x * n), *y = malloc(sizeof *y * n), *w = malloc(sizeof *w * n);
    int *p = malloc(sizeof *p * n);
    for (int i = 0; i < n; i++) {
        x[i] = i;
        p[i] = (int)(i * 37L % n);
    }
    relax(steps, n, x, y, w, p);
    double check = 0.0;
    for (int i = 0; i < n; i++)
        check += x[i];
    printf("%.9f\n", check);
    return 0;
}
