/* A sum of two neighbours over a rectangle, diagonal by diagonal. */
#include <stdio.h>
#include <stdlib.h>

static void diagonals(int n, int m, double *a)
{
    for (int t = 0; t < n + m - 1; t++)
        for (int i = 0; i < n; i++) {
            int j = t - i;
            if (j >= 1 && j < m && i >= 1)
                a[i * m + j] += 0.5 * (a[(i - 1) * m + j] + a[i * m + j - 1]);
        }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 5;
    int m = argc > 2 ? atoi(argv[2]) : 6;
    double *a = malloc(sizeof *a * n * m);
    for (int i = 0; i < n * m; i++)
        a[i] = i % 7 - 3;
    diagonals(n, m, a);
    double check = 0;
    for (int i = 0; i < n * m; i++)
        check += a[i];
    printf("%.9f\n", check);
    return 0;
}
