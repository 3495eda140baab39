/* A symmetric matrix, of which the lower triangle is stored, times another one. */
#include <stdio.h>
#include <stdlib.h>

static void multiply(int n, int m, double c[n][m], double a[n][n], double b[n][m])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            double sum = 0;
            for (int k = 0; k < i; k++) {
                c[k][j] += b[i][j] * a[i][k];
                sum += b[k][j] * a[i][k];
            }
            c[i][j] += b[i][j] * a[i][i] + sum;
        }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 7;
    int m = argc > 2 ? atoi(argv[2]) : 4;
    double *a = malloc(sizeof *a * n * n);
    double *b = malloc(sizeof *b * n * m);
    double *c = malloc(sizeof *c * n * m);
    for (int i = 0; i < n * n; i++)
        a[i] = i % 7 - 3;
    for (int i = 0; i < n * m; i++)
        b[i] = i % 7 - 3;
    for (int i = 0; i < n * m; i++)
        c[i] = i % 7 - 3;
    multiply(n, m, (void *)c, (void *)a, (void *)b);
    double check = 0;
    for (int i = 0; i < n * m; i++)
        check += c[i];
    printf("%.9f\n", check);
    return 0;
}
