/* Heat conduction in a cube, seven neighbours, two half steps per step. */
#include <stdio.h>
#include <stdlib.h>

static void half(int n, double a[n][n][n], double b[n][n][n])
{
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++)
            for (int k = 1; k < n - 1; k++)
                b[i][j][k] = 0.125 * (a[i + 1][j][k] + a[i - 1][j][k] + a[i][j + 1][k] + a[i][j - 1][k] + a[i][j][k + 1] +
                                      a[i][j][k - 1] + 2 * a[i][j][k]);
}

static void conduct(int steps, int n, double a[n][n][n], double b[n][n][n])
{
    for (int t = 0; t < steps; t++) {
        half(n, a, b);
        half(n, b, a);
    }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 6;
    int steps = argc > 2 ? atoi(argv[2]) : 2;
    double *a = malloc(sizeof *a * n * n * n);
    double *b = malloc(sizeof *b * n * n * n);
    for (int i = 0; i < n * n * n; i++)
        a[i] = i % 7 - 3;
    for (int i = 0; i < n * n * n; i++)
        b[i] = i % 7 - 3;
    conduct(steps, n, (void *)a, (void *)b);
    double check = 0;
    for (int i = 0; i < n * n * n; i++)
        check += a[i];
    printf("%.9f\n", check);
    return 0;
}
