/* The last sixteen values of a signal in a ring whose index is masked, and their sum. */
#include <stdio.h>
#include <stdlib.h>

static void average(int n, const int *x, int *ring, int *y)
{
    for (int i = 0; i < n; i++) {
        ring[i & 15] = x[i];
        int sum = 0;
        for (int k = 0; k < 16; k++)
            sum += ring[k];
        y[i] = sum;
    }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 30;
    int *x = malloc(sizeof *x * n);
    int *ring = malloc(sizeof *ring * 16);
    int *y = malloc(sizeof *y * n);
    for (int i = 0; i < n; i++)
        x[i] = i % 7 - 3;
    for (int i = 0; i < 16; i++)
        ring[i] = i % 7 - 3;
    for (int i = 0; i < n; i++)
        y[i] = i % 7 - 3;
    average(n, x, ring, y);
    long check = 0;
    for (int i = 0; i < n; i++)
        check += y[i];
    printf("%ld\n", check);
    return 0;
}
