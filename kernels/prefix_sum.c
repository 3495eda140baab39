/* Prefix sum of doubles: s[i] = s[i-1] + x[i].

   scan, loop i: every iteration reads the sum the one before stored, flow distance 1, and every partial sum is kept: not
   parallel, and not a reduction. */
#include <stdio.h>
#include <stdlib.h>

static __attribute__((noinline)) void scan(int n, const double *x, double *s)
{
    for (int i = 1; i < n; i++) /* @i */
        s[i] = s[i - 1] + x[i];
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 4000;
    int repeat = argc > 2 ? atoi(argv[2]) : 1;
    double *x = malloc(sizeof *x * n), *s = malloc(sizeof *s * n);
    for (int i = 0; i < n; i++)
        x[i] = (i % 17) - 7.5;
    s[0] = x[0];
    for (int r = 0; r < repeat; r++)
        scan(n, x, s);
    double check = 0.0;
    for (int i = 0; i < n; i++)
        check += s[i];
    printf("%.1f\n", check);
    return 0;
}
