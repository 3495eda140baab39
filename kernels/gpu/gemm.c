/* Product of two matrices: C = 2 A B + C, A n by q, B q by m. */
#include <stdio.h>
#include <stdlib.h>

static void multiply(int n, int m, int q, double c[n][m], double a[n][q], double b[q][m])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            double sum = 0;
            for (int k = 0; k < q; k++)
                sum += a[i][k] * b[k][j];
            c[i][j] += 2 * sum;
        }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 6;
    int m = argc > 2 ? atoi(argv[2]) : 5;
    int q = argc > 3 ? atoi(argv[3]) : 4;
    double *a = malloc(sizeof *a * n * q);
    double *b = malloc(sizeof *b * q * m);
    double *c = malloc(sizeof *c * n * m);
    for (int i = 0; i < n * q; i++)
        a[i] = i % 7 - 3;
    for (int i = 0; i < q * m; i++)
        b[i] = i % 7 - 3;
    for (int i = 0; i < n * m; i++)
        c[i] = i % 7 - 3;
    multiply(n, m, q, (void *)c, (void *)a, (void *)b);
    double check = 0;
    for (int i = 0; i < n * m; i++)
        check += c[i];
    printf("%.9f\n", check);
    return 0;
}
