/* Loops that compilers split: a vector body with a scalar rest, an unrolled body with a remainder, a first iteration apart.

   scale, loop i: iterations write different cells: parallel.
   total, loop i: carries the sum alone: parallel as a reduction.
   shift, loop i: reads what the iteration before wrote: not parallel. */
#include <stdio.h>
#include <stdlib.h>

static __attribute__((noinline)) void scale(int n, const int *in, int *out)
{
    for (int i = 0; i < n; i++) /* @scale */
        out[i] = in[i] * 3 + 1;
}

static __attribute__((noinline)) int total(int n, const int *in)
{
    int sum = 0;
    for (int i = 0; i < n; i++) /* @total */
        sum += in[i];
    return sum;
}

#ifndef __clang__
__attribute__((noinline, optimize("unroll-loops")))
#endif
static void shift(int n, unsigned *cells)
{
    for (int i = 1; i < n; i++) /* @shift */
        cells[i] = cells[i] * 5 ^ cells[i - 1];
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 75;
    int *in = malloc(sizeof *in * n), *out = malloc(sizeof *out * n);
    for (int i = 0; i < n; i++)
        in[i] = i * 37 % 101;
    scale(n, in, out);
    shift(n, (unsigned *)in);
    printf("%d %d\n", total(n, out), total(n, in));
    return 0;
}
