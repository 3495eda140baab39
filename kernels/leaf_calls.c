/* Loops whose iterations call small functions, some of them twice.

   blend, loop i: every element of c is computed from others alone, by functions that read through pointers: parallel.
   total, loop j: carries sum alone, through what the function returns: parallel as a reduction.
   decay, loop k: every iteration reads what the one before stored, flow distance 1, and all values are kept: not parallel. */
#include <stdio.h>
#include <stdlib.h>

static __attribute__((noinline)) double mixed(const double *x, const double *y)
{
    return 0.75 * *x + 0.25 * *y;
}

/* The branch is taken for one element in a thousand. */
static __attribute__((noinline)) void put(double *to, double x)
{
    if (x > 996.0)
        x = 996.0;
    *to = x;
}

static __attribute__((noinline)) void blend(int n, const double *a, const double *b, double *c)
{
    for (int i = 0; i < n; i++) /* @i */
        put(c + i, mixed(a + i, b + i) + mixed(b + i, a + i));
}

static __attribute__((noinline)) double total(int n, const double *a, const double *b)
{
    double sum = 0.0;
    for (int j = 0; j < n; j++) /* @j */
        sum += mixed(a + j, b + j);
    return sum;
}

static __attribute__((noinline)) void decay(int n, const double *a, double *s)
{
    for (int k = 1; k < n; k++) /* @k */
        put(s + k, mixed(s + k - 1, a + k));
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 4000;
    int repeat = argc > 2 ? atoi(argv[2]) : 1;
    double *a = malloc(sizeof *a * n), *b = malloc(sizeof *b * n), *c = malloc(sizeof *c * n);
    double *s = malloc(sizeof *s * n);
    for (int i = 0; i < n; i++) {
        a[i] = i % 1000 - 0.5;
        b[i] = i % 7;
        s[i] = 0.0;
    }
    double check = 0.0;
    for (int r = 0; r < repeat; r++) {
        blend(n, a, b, c);
        check += total(n, a, c);
        decay(n, c, s);
    }
    for (int i = 0; i < n; i++)
        check += s[i];
    printf("%.1f\n", check);
    return 0;
}
