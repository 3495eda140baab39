/* Forward step of a two-layer perceptron: h = tanh(W x), y = tanh(V h).
   The weight matrices are arrays of row pointers, each row its own block, so the distance between rows is irregular.

   layer, loop j: iterations write different y[j] and read what the loop never writes: parallel.
   layer, loop k: carries sum alone: parallel as a reduction.
   j and k can be interchanged: the only carried dependence has distance (0, 1). */
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
    for (int j = 0; j < outputs; j++) { /* @j */
        double sum = 0.0;
        for (int k = 0; k < inputs; k++) /* @k */
            sum += weight[k][j] * x[k];
        y[j] = tanh(sum);
    }
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
