/* Relaxation of every second point of a square, then of the others: rows begin at 1 or 2. */
#include <stdio.h>
#include <stdlib.h>

static void relax(int n, double *a, int colour)
{
    for (int i = 1; i < n - 1; i++)
        for (int j = 1 + (i + colour) % 2; j < n - 1; j += 2)
            a[i * n + j] = 0.25 * (a[(i - 1) * n + j] + a[(i + 1) * n + j] + a[i * n + j - 1] + a[i * n + j + 1]);
}

static void columns(int n, double *a)
{
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j += 2)
            a[i * n + j] += a[i * n + j + 1];
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 8;
    int steps = argc > 2 ? atoi(argv[2]) : 2;
    double *a = malloc(sizeof *a * n * n);
    for (int i = 0; i < n * n; i++)
        a[i] = i % 7 - 3;
    for (int t = 0; t < steps; t++) {
        relax(n, a, 0);
        relax(n, a, 1);
        columns(n, a);
    }
    double check = 0;
    for (int i = 0; i < n * n; i++)
        check += a[i];
    printf("%.9f\n", check);
    return 0;
}
