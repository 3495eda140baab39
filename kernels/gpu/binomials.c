/* Binomial coefficients, row by row in a square, and a packed triangle whose row i begins at i (i + 1) / 2. */
#include <stdio.h>
#include <stdlib.h>

static void square(int n, int *c)
{
    for (int i = 0; i < n; i++) {
        c[i * n] = 1;
        for (int j = 1; j <= i; j++)
            c[i * n + j] = c[(i - 1) * n + j - 1] + (j < i ? c[(i - 1) * n + j] : 0);
    }
}

static void pack(int n, const int *c, int *packed)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            packed[i * (i + 1) / 2 + j] = c[i * n + j];
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 7;
    int *c = malloc(sizeof *c * n * n);
    int *packed = malloc(sizeof *packed * (n * (n + 1) / 2));
    for (int i = 0; i < n * n; i++)
        c[i] = i % 7 - 3;
    for (int i = 0; i < n * (n + 1) / 2; i++)
        packed[i] = i % 7 - 3;
    square(n, c);
    pack(n, c, packed);
    long check = 0;
    for (int i = 0; i < n * (n + 1) / 2; i++)
        check += packed[i];
    printf("%ld\n", check);
    return 0;
}
