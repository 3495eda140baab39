/* Packed triangular matrices: a position, and a pointer, that inner loops move on and the outer ones carry. */
#include <stdio.h>
#include <stdlib.h>

static void pack(double *packed, const double *full, int n)
{
    int at = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            packed[at++] = full[i * n + j];
}

static void unpack_upper(double *full, const double *packed, int n)
{
    const double *from = packed;
    for (int i = 0; i < n; i++)
        for (int j = i; j < n; j++)
            full[i * n + j] = *from++;
}

static double sum(const double *at, int rows, int columns)
{
    double sum = 0;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++)
            sum += *at++;
    return sum;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 8;
    double *full = malloc(sizeof *full * n * n);
    double *packed = malloc(sizeof *packed * (n * (n + 1) / 2));
    for (int i = 0; i < n * n; i++)
        full[i] = i % 11 - 4;
    pack(packed, full, n);
    unpack_upper(full, packed, n);
    printf("%g\n", sum(full, n, n));
    return 0;
}
