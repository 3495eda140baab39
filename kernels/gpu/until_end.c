/* A loop that ends where a pointer is equal to the end, not beyond it. */
#include <stdio.h>
#include <stdlib.h>

static void clear(int *at, int *end)
{
    while (at != end)
        *at++ = 1;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 9;
    int *a = malloc(sizeof *a * n);
    for (int i = 0; i < n; i++)
        a[i] = i % 7 - 3;
    clear(a, a + n);
    long check = 0;
    for (int i = 0; i < n; i++)
        check += a[i];
    printf("%ld\n", check);
    return 0;
}
