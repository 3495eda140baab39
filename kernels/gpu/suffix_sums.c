/* Sums of what follows, every second, and every third element, from the end of an array. */
#include <stdio.h>
#include <stdlib.h>

static void sums(long n, long *a, long *b)
{
    for (long i = n - 2; i >= 0; i--)
        a[i] += a[i + 1];
    for (long i = n - 1; i >= 0; i -= 3)
        b[i] = a[i];
    for (long i = n; i > 1; i -= 2)
        b[i - 2] += a[i - 1];
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 12;
    long *a = malloc(sizeof *a * n), *b = malloc(sizeof *b * n);
    for (int i = 0; i < n; i++)
        a[i] = i % 7 - 3;
    for (int i = 0; i < n; i++)
        b[i] = i % 7 - 3;
    sums(n, a, b);
    long check = 0;
    for (int i = 0; i < n; i++)
        check += b[i];
    printf("%ld\n", check);
    return 0;
}
