/* Correlations of the columns of a table: means, deviations, normalised columns, products of all pairs of columns.

   correlate, loops j, l, x and s: every iteration has its own column, row or pairs: parallel, as are y (elements of a row) and t
   (pairs of one column). Loops i, m and u add up: reductions. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static __attribute__((noinline)) void correlate(int n, int rows, double *data, double *mean, double *deviation, double *c)
{
    for (int j = 0; j < n; j++) { /* @j */
        mean[j] = 0.0;
        for (int i = 0; i < rows; i++) /* @i */
            mean[j] += data[i * n + j];
        mean[j] /= rows;
    }
    for (int l = 0; l < n; l++) { /* @l */
        deviation[l] = 0.0;
        for (int m = 0; m < rows; m++) /* @m */
            deviation[l] += (data[m * n + l] - mean[l]) * (data[m * n + l] - mean[l]);
        deviation[l] = sqrt(deviation[l] / rows) + 0.1;
    }
    for (int x = 0; x < rows; x++) /* @x */
        for (int y = 0; y < n; y++) /* @y */
            data[x * n + y] = (data[x * n + y] - mean[y]) / (sqrt(rows) * deviation[y]);
    for (int s = 0; s < n; s++) /* @s */
        for (int t = s; t < n; t++) { /* @t */
            c[s * n + t] = 0.0;
            for (int u = 0; u < rows; u++) /* @u */
                c[s * n + t] += data[u * n + s] * data[u * n + t];
        }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 20;
    int rows = n + 8;
    double *data = malloc(sizeof *data * rows * n), *c = calloc(n * n, sizeof *c);
    double *mean = malloc(sizeof *mean * n), *deviation = malloc(sizeof *deviation * n);
    for (int i = 0; i < rows * n; i++)
        data[i] = i % 23 / 7.0 + i % 5;
    correlate(n, rows, data, mean, deviation, c);
    double check = 0.0;
    for (int i = 0; i < n * n; i++)
        check += c[i] * (i % 11 + 1);
    printf("%.17g\n", check);
    return 0;
}
