/* A matrix indexed by size_t: products of unsigned 64-bit numbers may wrap for all that is known. */
#include <stdio.h>
#include <stdlib.h>

static void clear(size_t n, size_t m, double *a)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++)
            a[i * m + j] = 0.5;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 6;
    double *a = malloc(sizeof *a * n * n);
    for (int i = 0; i < n * n; i++)
        a[i] = i % 7 - 3;
    clear(n, n, a);
    double check = 0;
    for (int i = 0; i < n * n; i++)
        check += a[i];
    printf("%.9f\n", check);
    return 0;
}
