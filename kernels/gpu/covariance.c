/* Covariances of the columns of a table of n rows and m columns; the matrix is symmetric. */
#include <stdio.h>
#include <stdlib.h>

static void covariances(int n, int m, double data[n][m], double mean[m], double c[m][m])
{
    for (int j = 0; j < m; j++) {
        mean[j] = 0;
        for (int i = 0; i < n; i++)
            mean[j] += data[i][j] / n;
    }
    for (int i = 0; i < m; i++)
        for (int j = i; j < m; j++) {
            double sum = 0;
            for (int k = 0; k < n; k++)
                sum += (data[k][i] - mean[i]) * (data[k][j] - mean[j]);
            c[i][j] = c[j][i] = sum / n;
        }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 6;
    int m = argc > 2 ? atoi(argv[2]) : 5;
    double *data = malloc(sizeof *data * n * m);
    double *mean = malloc(sizeof *mean * m);
    double *c = malloc(sizeof *c * m * m);
    for (int i = 0; i < n * m; i++)
        data[i] = i % 7 - 3;
    for (int i = 0; i < m; i++)
        mean[i] = i % 7 - 3;
    for (int i = 0; i < m * m; i++)
        c[i] = i % 7 - 3;
    covariances(n, m, (void *)data, mean, (void *)c);
    double check = 0;
    for (int i = 0; i < m * m; i++)
        check += c[i];
    printf("%.9f\n", check);
    return 0;
}
