/* Pointers that walk: a copy up to an end, one backwards, one with a step, and a product that counts down. */
#include <stdio.h>
#include <stdlib.h>

static void copy(const int *from, const int *end, int *to)
{
    while (from < end)
        *to++ = *from++;
}

static void backwards(const int *start, int n, int *to)
{
    for (const int *at = start + n; at > start;)
        *to++ = *--at;
}

static int every_second(const int *from, int n)
{
    int sum = 0;
    for (const int *at = from; at < from + n; at += 2)
        sum += *at;
    return sum;
}

static int product(const int *a, const int *b, int n)
{
    int sum = 0;
    while (n-- > 0)
        sum += *a++ * *b++;
    return sum;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 9;
    int *a = malloc(sizeof *a * n);
    int *b = malloc(sizeof *b * n);
    for (int i = 0; i < n; i++)
        a[i] = i % 7 - 3;
    for (int i = 0; i < n; i++)
        b[i] = i % 7 - 3;
    copy(a, a + n, b);
    backwards(a, n, b);
    b[0] = every_second(a, n) + product(a, b, n);
    long check = 0;
    for (int i = 0; i < n; i++)
        check += b[i];
    printf("%ld\n", check);
    return 0;
}
