/* Relaxation in place of a square with all nine neighbours (Gauss and Seidel).

   relax, loops t, i and j: a point reads neighbours of this sweep, (0,0,1), (0,1,1), (0,1,0), (0,1,-1), and of the one before,
   (1,0,0) to (1,-1,-1): none is parallel. After skewing i by t, and j by t and i, they can be tiled. */
#include <stdio.h>
#include <stdlib.h>

static __attribute__((noinline)) void relax(int steps, int n, double *a)
{
    for (int t = 0; t < steps; t++) /* @t */
        for (int i = 1; i < n - 1; i++) /* @i */
            for (int j = 1; j < n - 1; j++) /* @j */
                a[i * n + j] = (a[(i - 1) * n + j - 1] + a[(i - 1) * n + j] + a[(i - 1) * n + j + 1] + a[i * n + j - 1] + a[i * n + j] + a[i * n + j + 1] + a[(i + 1) * n + j - 1] + a[(i + 1) * n + j] + a[(i + 1) * n + j + 1]) / 9.0;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 30;
    int steps = argc > 2 ? atoi(argv[2]) : 8;
    double *a = malloc(sizeof *a * n * n);
    for (int i = 0; i < n * n; i++)
        a[i] = i % 19 / 3.0;
    relax(steps, n, a);
    double check = 0.0;
    for (int i = 0; i < n * n; i++)
        check += a[i] * (i % 11 + 1);
    printf("%.17g\n", check);
    return 0;
}
