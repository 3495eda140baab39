/* The lower triangle of a matrix times its transpose is added to another: c[i][j] is c[i][j] plus the sum of a[i][k]
   a[j][k]. */
#include <stdio.h>
#include <stdlib.h>

static void update(int n, int m, double c[n][n], double a[n][m])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            for (int k = 0; k < m; k++)
                c[i][j] += a[i][k] * a[j][k];
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 6;
    int m = argc > 2 ? atoi(argv[2]) : 4;
    double *a = malloc(sizeof *a * n * m);
    double *c = malloc(sizeof *c * n * n);
    for (int i = 0; i < n * m; i++)
        a[i] = i % 7 - 3;
    for (int i = 0; i < n * n; i++)
        c[i] = i % 7 - 3;
    update(n, m, (void *)c, (void *)a);
    double check = 0;
    for (int i = 0; i < n * n; i++)
        check += c[i];
    printf("%.9f\n", check);
    return 0;
}
