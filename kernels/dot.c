/* Dot product of two vectors.

   dot, loop i: carries sum alone: parallel as a reduction. */
#include <stdio.h>
#include <stdlib.h>

static __attribute__((noinline)) double dot(int n, const double *x, const double *y)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) /* @i */
        sum += x[i] * y[i];
    return sum;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 4000;
    int repeat = argc > 2 ? atoi(argv[2]) : 1;
    double *x = malloc(sizeof *x * n), *y = malloc(sizeof *y * n);
    for (int i = 0; i < n; i++) {
        x[i] = i % 13 - 6;
        y[i] = i % 5 - 1;
    }
    double check = 0.0;
    for (int r = 0; r < repeat; r++) {
        x[r % n] += 1.0;
        check += dot(n, x, y);
    }
    printf("%.1f\n", check);
    return 0;
}
