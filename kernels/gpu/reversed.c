/* An array is turned around by a counter from each end, and copied from its last element to the first. */
#include <stdio.h>
#include <stdlib.h>

static void turn(int n, int *a)
{
    for (int i = 0, j = n - 1; i < j; i++, j--) {
        int kept = a[i];
        a[i] = a[j];
        a[j] = kept;
    }
}

static void copy(int n, const int *a, int *b)
{
    for (int i = n; i-- > 0;)
        b[n - 1 - i] = a[i];
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
    turn(n, a);
    copy(n, a, b);
    long check = 0;
    for (int i = 0; i < n; i++)
        check += b[i];
    printf("%ld\n", check);
    return 0;
}
