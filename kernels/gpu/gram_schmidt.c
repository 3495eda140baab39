/* Gram and Schmidt: columns of a (n by m) become orthogonal in q, r is upper triangular. Lengths stay squared. */
#include <stdio.h>
#include <stdlib.h>

static void orthogonalise(int n, int m, double a[n][m], double r[m][m], double q[n][m])
{
    for (int k = 0; k < m; k++) {
        double norm = 1;
        for (int i = 0; i < n; i++)
            norm += a[i][k] * a[i][k];
        r[k][k] = norm;
        for (int i = 0; i < n; i++)
            q[i][k] = a[i][k] / r[k][k];
        for (int j = k + 1; j < m; j++) {
            r[k][j] = 0;
            for (int i = 0; i < n; i++)
                r[k][j] += q[i][k] * a[i][j];
            for (int i = 0; i < n; i++)
                a[i][j] -= q[i][k] * r[k][j];
        }
    }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 7;
    int m = argc > 2 ? atoi(argv[2]) : 4;
    double *a = malloc(sizeof *a * n * m);
    double *r = malloc(sizeof *r * m * m);
    double *q = malloc(sizeof *q * n * m);
    for (int i = 0; i < n * m; i++)
        a[i] = i % 7 - 3;
    for (int i = 0; i < m * m; i++)
        r[i] = i % 7 - 3;
    for (int i = 0; i < n * m; i++)
        q[i] = i % 7 - 3;
    orthogonalise(n, m, (void *)a, (void *)r, (void *)q);
    double check = 0;
    for (int i = 0; i < n * m; i++)
        check += a[i];
    printf("%.9f\n", check);
    return 0;
}
