/* Loops with two tests, and loops that end where a counter is equal to a size. */
#include <stdio.h>
#include <stdlib.h>

static int copy(int *to, const int *last, const int *from, const int *end)
{
    int count = 0;
    while (from < end && to < last) {
        *to++ = *from++;
        count++;
    }
    return count;
}

static void blend(int *a, const int *b, int n, int m)
{
    for (int i = 0; i < n && i < m; i++)
        a[i] += 3 * b[i];
}

static int first(const int *a, int n, int key)
{
    int i = 0;
    while (i < n && a[i] != key)
        i++;
    return i;
}

static void scale(double *x, unsigned n)
{
    for (unsigned i = 0; i != n; i++)
        x[i] *= 2;
}

static void differences(double *x, unsigned n)
{
    for (unsigned i = n - 1; i != 0; i--)
        x[i] -= x[i - 1];
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 12;
    int m = argc > 2 ? atoi(argv[2]) : 7;
    int *a = malloc(sizeof *a * n);
    int *b = malloc(sizeof *b * m);
    double *x = malloc(sizeof *x * n);
    for (int i = 0; i < n; i++)
        a[i] = i % 5;
    for (int i = 0; i < m; i++)
        b[i] = i % 3;
    for (int i = 0; i < n; i++)
        x[i] = i * 0.5;
    blend(a, b, n, m);
    scale(x, n);
    differences(x, n);
    int count = copy(a, a + n, b, b + m) + first(a, n, 99);
    double check = count;
    for (int i = 0; i < n; i++)
        check += a[i] + x[i];
    printf("%g\n", check);
    return 0;
}
