/* Two outer products are added to a matrix, which then is multiplied with a vector. */
#include <stdio.h>
#include <stdlib.h>

static void update(int n, double a[n][n], const double *u, const double *v, const double *x, double *y)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            a[i][j] += u[i] * v[j] + v[i] * u[j];
    for (int i = 0; i < n; i++) {
        y[i] = 0;
        for (int j = 0; j < n; j++)
            y[i] += a[i][j] * x[j];
    }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 8;
    double *a = malloc(sizeof *a * n * n);
    double *u = malloc(sizeof *u * n);
    double *v = malloc(sizeof *v * n);
    double *x = malloc(sizeof *x * n);
    double *y = malloc(sizeof *y * n);
    for (int i = 0; i < n * n; i++)
        a[i] = i % 7 - 3;
    for (int i = 0; i < n; i++)
        u[i] = i % 7 - 3;
    for (int i = 0; i < n; i++)
        v[i] = i % 7 - 3;
    for (int i = 0; i < n; i++)
        x[i] = i % 7 - 3;
    for (int i = 0; i < n; i++)
        y[i] = i % 7 - 3;
    update(n, (void *)a, u, v, x, y);
    double check = 0;
    for (int i = 0; i < n; i++)
        check += y[i];
    printf("%.9f\n", check);
    return 0;
}
