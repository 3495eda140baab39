/* Row sums by a pointer that goes on from one row to the next, and column sums by one that steps over rows. */
#include <stdio.h>
#include <stdlib.h>

static void rows(int n, int m, const double *at, double *sums)
{
    for (int i = 0; i < n; i++) {
        sums[i] = 0;
        for (int j = 0; j < m; j++)
            sums[i] += *at++;
    }
}

static void columns(int n, int m, const double *a, double *sums)
{
    for (int j = 0; j < m; j++) {
        const double *at = a + j;
        double sum = 0;
        for (int i = 0; i < n; i++, at += m)
            sum += *at;
        sums[j] = sum;
    }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 5;
    int m = argc > 2 ? atoi(argv[2]) : 4;
    double *a = malloc(sizeof *a * n * m);
    double *b = malloc(sizeof *b * n);
    double *c = malloc(sizeof *c * m);
    for (int i = 0; i < n * m; i++)
        a[i] = i % 7 - 3;
    for (int i = 0; i < n; i++)
        b[i] = i % 7 - 3;
    for (int i = 0; i < m; i++)
        c[i] = i % 7 - 3;
    rows(n, m, a, b);
    columns(n, m, a, c);
    double check = 0;
    for (int i = 0; i < n; i++)
        check += b[i];
    printf("%.9f\n", check);
    return 0;
}
