/* An upper triangular system, solved from the last row up. */
#include <stdio.h>
#include <stdlib.h>

static void solve(int n, double u[n][n], const double *b, double *x)
{
    for (int i = n - 1; i >= 0; i--) {
        double sum = b[i];
        for (int j = i + 1; j < n; j++)
            sum -= u[i][j] * x[j];
        x[i] = sum / u[i][i];
    }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 8;
    double *u = malloc(sizeof *u * n * n);
    double *b = malloc(sizeof *b * n);
    double *x = malloc(sizeof *x * n);
    for (int i = 0; i < n * n; i++)
        u[i] = i % 7 - 3;
    for (int i = 0; i < n; i++)
        b[i] = i % 7 - 3;
    for (int i = 0; i < n; i++)
        x[i] = i % 7 - 3;
    for (int i = 0; i < n; i++)
        u[i * n + i] = 8;
    solve(n, (void *)u, b, x);
    double check = 0;
    for (int i = 0; i < n; i++)
        check += x[i];
    printf("%.9f\n", check);
    return 0;
}
