/* A band matrix times a vector: row i has elements from column i - w to i + w, as far as these are there. */
#include <stdio.h>
#include <stdlib.h>

static void multiply(int n, int w, const double *a, const double *x, double *y)
{
    for (int i = 0; i < n; i++) {
        y[i] = 0;
        for (int d = -w; d <= w; d++) {
            int j = i + d;
            if (j >= 0 && j < n)
                y[i] += a[i * (2 * w + 1) + d + w] * x[j];
        }
    }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 9;
    int w = argc > 2 ? atoi(argv[2]) : 2;
    double *a = malloc(sizeof *a * (n * (2 * w + 1)));
    double *x = malloc(sizeof *x * n);
    double *y = malloc(sizeof *y * n);
    for (int i = 0; i < n * (2 * w + 1); i++)
        a[i] = i % 7 - 3;
    for (int i = 0; i < n; i++)
        x[i] = i % 7 - 3;
    for (int i = 0; i < n; i++)
        y[i] = i % 7 - 3;
    multiply(n, w, a, x, y);
    double check = 0;
    for (int i = 0; i < n; i++)
        check += y[i];
    printf("%.9f\n", check);
    return 0;
}
