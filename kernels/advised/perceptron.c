/* The perceptron of ../perceptron.c as the report advises: sums of a layer expanded to an element per output (y itself), loops
   interchanged so that a row of weights is read as it is stored, and the inner loop run in lockstep. Every sum is added up in
   the order of before. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static double **matrix(int rows, int columns)
{
    double **m = malloc(rows * sizeof *m);
    for (int i = 0; i < rows; i++) {
        m[i] = malloc((columns + 7 * (i % 5)) * sizeof **m);
        for (int j = 0; j < columns; j++)
            m[i][j] = ((double)((i * 31 + j * 17) % 23) / 23.0 - 0.4) * 4.0 / rows;
    }
    return m;
}

static __attribute__((noinline)) void layer(int inputs, int outputs, double **weight, const double *x, double *y)
{
    for (int j = 0; j < outputs; j++)
        y[j] = 0.0;
    for (int k = 0; k < inputs; k++) {
        const double *row = weight[k], input = x[k];
#pragma omp simd
        for (int j = 0; j < outputs; j++)
            y[j] += row[j] * input;
    }
    for (int j = 0; j < outputs; j++)
        y[j] = tanh(y[j]);
}

int main(int argc, char **argv)
{
    int scale = argc > 1 ? atoi(argv[1]) : 4;
    int repeat = argc > 2 ? atoi(argv[2]) : 1;
    int n0 = 64 * scale, n1 = 40 * scale, n2 = 16;
    double **w = matrix(n0, n1), **v = matrix(n1, n2);
    double *x = malloc(n0 * sizeof *x), *h = malloc(n1 * sizeof *h), *y = malloc(n2 * sizeof *y);
    for (int i = 0; i < n0; i++)
        x[i] = (double)(i % 11) / 11.0;
    for (int r = 0; r < repeat; r++) {
        layer(n0, n1, w, x, h);
        layer(n1, n2, v, h, y);
    }
    double check = 0.0;
    for (int i = 0; i < n2; i++)
        check += y[i] * (i % 11 + 1);
    printf("%.17g\n", check);
    return 0;
}
