/* Unsigned counters of several widths: up, down, and with steps. */
#include <stdio.h>
#include <stdlib.h>

static void scale(unsigned n, size_t m, float *a, float *b)
{
    for (unsigned i = 0; i < n; i++)
        a[i] = a[i] * 2 + 1;
    for (size_t i = 0; i < m; i++)
        b[i] = a[i];
    for (unsigned i = n; i-- > 0;)
        b[i] += 1;
    for (unsigned i = n; i > 0; i--)
        a[i - 1] -= b[i - 1];
    for (size_t i = 0; i < m; i += 4)
        b[i] -= 3;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 10;
    float *a = malloc(sizeof *a * n), *b = malloc(sizeof *b * n);
    for (int i = 0; i < n; i++)
        a[i] = i % 7 - 3;
    for (int i = 0; i < n; i++)
        b[i] = i % 7 - 3;
    scale(n, n, a, b);
    double check = 0;
    for (int i = 0; i < n; i++)
        check += b[i];
    printf("%.9f\n", check);
    return 0;
}
