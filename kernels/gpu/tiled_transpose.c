/* A matrix is transposed in tiles of four by four; the last tiles are cut off. */
#include <stdio.h>
#include <stdlib.h>

static void transpose(int n, const double *a, double *b)
{
    for (int ti = 0; ti < n; ti += 4)
        for (int tj = 0; tj < n; tj += 4)
            for (int i = ti; i < ti + 4 && i < n; i++)
                for (int j = tj; j < tj + 4 && j < n; j++)
                    b[j * n + i] = a[i * n + j];
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 10;
    double *a = malloc(sizeof *a * n * n);
    double *b = malloc(sizeof *b * n * n);
    for (int i = 0; i < n * n; i++)
        a[i] = i % 7 - 3;
    for (int i = 0; i < n * n; i++)
        b[i] = i % 7 - 3;
    transpose(n, a, b);
    double check = 0;
    for (int i = 0; i < n * n; i++)
        check += b[i];
    printf("%.9f\n", check);
    return 0;
}
