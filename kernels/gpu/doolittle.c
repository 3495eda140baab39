/* LU decomposition without pivoting, row by row: each row is reduced by those above it. */
#include <stdio.h>
#include <stdlib.h>

static void factor(int n, double a[n][n])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            for (int k = 0; k < j; k++)
                a[i][j] -= a[i][k] * a[k][j];
            a[i][j] /= a[j][j];
        }
        for (int j = i; j < n; j++)
            for (int k = 0; k < i; k++)
                a[i][j] -= a[i][k] * a[k][j];
    }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 8;
    double *a = malloc(sizeof *a * n * n);
    for (int i = 0; i < n * n; i++)
        a[i] = i % 7 - 3;
    for (int i = 0; i < n; i++)
        a[i * n + i] = 8 * n;
    factor(n, (void *)a);
    double check = 0;
    for (int i = 0; i < n * n; i++)
        check += a[i];
    printf("%.9f\n", check);
    return 0;
}
