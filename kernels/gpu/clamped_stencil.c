/* A stencil whose indices stop at the border, and a table by distance: least, greatest and absolute values. */
#include <stdio.h>
#include <stdlib.h>

#define MIN(a, b) __builtin_elementwise_min(a, b)
#define MAX(a, b) __builtin_elementwise_max(a, b)

static void smooth(double *out, const double *in, int n, int radius)
{
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int k = -radius; k <= radius; k++)
            sum += in[MIN(MAX(i + k, 0), n - 1)];
        out[i] = sum;
    }
}

static void fold(double *out, const double *in, int n)
{
    for (int i = 0; i < 2 * n; i++)
        out[abs(i - n)] += in[i];
}

static void overlap(double *a, const double *b, int n, int m)
{
    int least = MIN(n, m);
    for (int i = 0; i < least; i++)
        a[i] += b[i];
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 10;
    int radius = argc > 2 ? atoi(argv[2]) : 2;
    double *in = malloc(sizeof *in * (2 * n));
    double *out = malloc(sizeof *out * (2 * n));
    for (int i = 0; i < 2 * n; i++)
        in[i] = i % 7;
    for (int i = 0; i < 2 * n; i++)
        out[i] = 0;
    smooth(out, in, n, radius);
    fold(out, in, n);
    overlap(out, in, n, radius);
    double check = 0;
    for (int i = 0; i <= n; i++)
        check += out[i];
    printf("%g\n", check);
    return 0;
}
