/* A lower triangular matrix with ones on the diagonal, transposed, times another one, in place. */
#include <stdio.h>
#include <stdlib.h>

static void multiply(int n, int m, double a[n][n], double b[n][m])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            for (int k = i + 1; k < n; k++)
                b[i][j] += a[k][i] * b[k][j];
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 7;
    int m = argc > 2 ? atoi(argv[2]) : 4;
    double *a = malloc(sizeof *a * n * n);
    double *b = malloc(sizeof *b * n * m);
    for (int i = 0; i < n * n; i++)
        a[i] = i % 7 - 3;
    for (int i = 0; i < n * m; i++)
        b[i] = i % 7 - 3;
    multiply(n, m, (void *)a, (void *)b);
    double check = 0;
    for (int i = 0; i < n * m; i++)
        check += b[i];
    printf("%.9f\n", check);
    return 0;
}
