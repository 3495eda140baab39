/* Integer prefix sum over data that are all equal: s[i] = s[i-1] + x[i] with x[i] = 1, so s[i] = i + 1.

   scan, loop i: the stored values are an affine function of i, but only because of the data: the flow dependence of
   distance 1 is real and the loop is not parallel. */
#include <stdio.h>
#include <stdlib.h>

static __attribute__((noinline)) void scan(int n, const int *x, int *s)
{
    for (int i = 1; i < n; i++) /* @i */
        s[i] = s[i - 1] + x[i];
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 4000;
    int repeat = argc > 2 ? atoi(argv[2]) : 1;
    int *x = malloc(sizeof *x * n), *s = malloc(sizeof *s * n);
    for (int i = 0; i < n; i++)
        x[i] = 1;
    s[0] = x[0];
    for (int r = 0; r < repeat; r++)
        scan(n, x, s);
    long check = 0;
    for (int i = 0; i < n; i++)
        check += s[i];
    printf("%ld\n", check);
    return 0;
}
