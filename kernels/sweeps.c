/* Sweeps over one vector: a gathered update, then a running mean. The first sweep also sets the weights, and every 32nd
   one the first element, so that most sweeps repeat the accesses of the one before, and some do not.

   relax, loop t: a sweep reads what the sweep before wrote into x, distance 1: not parallel.
   relax, loop k (weights, first sweep alone): parallel.
   relax, loop i (y from gathered x): parallel.
   relax, loop j (x from y): x[j] needs x[j-1] of the same sweep, distance 1: not parallel. */
#include <stdio.h>
#include <stdlib.h>

static __attribute__((noinline)) void relax(int steps, int n, double *x, double *y, double *w, const int *p)
{
    for (int t = 0; t < steps; t++) { /* @t */
        if (t == 0)
            for (int k = 0; k < n; k++) /* @k */
                w[k] = 1.0 / (k + 2);
        if (t % 32 == 31)
            x[0] = t;
        for (int i = 0; i < n; i++) /* @i */
            y[i] = w[i] * x[p[i]];
        for (int j = 1; j < n; j++) /* @j */
            x[j] = 0.5 * (x[j - 1] + y[j]);
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
