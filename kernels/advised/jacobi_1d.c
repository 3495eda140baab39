/* The relaxation of ../jacobi_1d.c as the report advises: both half steps skewed by 2 points per time step, the second one
   point behind the first, so that tiles of HEIGHT steps and WIDTH points depend on the tiles before them alone; tiles on a
   diagonal in parallel. Within a tile the half steps are loops of their own, which compilers turn into vectors. */
#include <stdio.h>
#include <stdlib.h>

#define HEIGHT 64
#define WIDTH 2048

static int least(int x, int y) { return x < y ? x : y; }
static int most(int x, int y) { return x > y ? x : y; }

/* Steps of a band, on the points of which i + 2 t is in a column. */
static void tile(int band, int column, int steps, int n, double *a, double *b)
{
    for (int t = band * HEIGHT; t < least(steps, (band + 1) * HEIGHT); t++) {
        int from = column * WIDTH - 2 * t, to = from + WIDTH;
        for (int i = most(1, from); i < least(n - 1, to); i++)
            b[i] = 0.33 * (a[i - 1] + a[i] + a[i + 1]);
        for (int j = most(1, from - 1); j < least(n - 1, to - 1); j++)
            a[j] = 0.33 * (b[j - 1] + b[j] + b[j + 1]);
    }
}

static __attribute__((noinline)) void relax(int steps, int n, double *a, double *b)
{
    int bands = (steps + HEIGHT - 1) / HEIGHT, columns = (n + 2 * steps + WIDTH - 1) / WIDTH;
    for (int diagonal = 0; diagonal < bands + columns - 1; diagonal++) {
#pragma omp parallel for
        for (int band = most(0, diagonal - columns + 1); band <= least(bands - 1, diagonal); band++)
            tile(band, diagonal - band, steps, n, a, b);
    }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 120;
    int steps = argc > 2 ? atoi(argv[2]) : 20;
    double *a = malloc(sizeof *a * n), *b = malloc(sizeof *b * n);
    for (int i = 0; i < n; i++)
        a[i] = b[i] = i % 17 / 3.0;
    relax(steps, n, a, b);
    double check = 0.0;
    for (int i = 0; i < n; i++)
        check += a[i] * (i % 11 + 1);
    printf("%.17g\n", check);
    return 0;
}
