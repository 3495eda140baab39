/* Kernels that leave data on the device for others. */
#include <stdio.h>

void chain(int n, const float *restrict a, float *restrict b, float *restrict c)
{
    for (int i = 0; i < n; i++)
        b[i] = 2 * a[i];
    for (int i = 0; i < n; i++)
        c[i] = a[i] + b[i];
}

/* The second one overwrites what the first one has written. */
void twice(int n, float *restrict a)
{
    for (int i = 0; i < n; i++)
        a[i] = i;
    for (int i = 0; i < n; i++)
        a[i] = 2 * a[i];
}

/* The host reads, or writes, in between. */
void read_between(int n, float *restrict a, float *restrict b)
{
    for (int i = 0; i < n; i++)
        a[i] = i;
    *b = a[0];
    for (int i = 0; i < n; i++)
        a[i] = 2 * a[i];
}

void written_between(int n, float *restrict a)
{
    for (int i = 0; i < n; i++)
        a[i] = i;
    a[0] = 3;
    for (int i = 0; i < n; i++)
        a[i] = 2 * a[i];
}

/* May be the same array. */
void perhaps_written(int n, float *a, float *b)
{
    for (int i = 0; i < n; i++)
        a[i] = i;
    *b = 3;
    for (int i = 0; i < n; i++)
        a[i] = 2 * a[i];
}

void called_between(int n, float *restrict a)
{
    for (int i = 0; i < n; i++)
        a[i] = i;
    puts("half");
    for (int i = 0; i < n; i++)
        a[i] = 2 * a[i];
}

/* The first one does not always run. */
void sometimes(int n, int m, float *restrict a)
{
    if (m > 3)
        for (int i = 0; i < n; i++)
            a[i] = i;
    for (int i = 0; i < n; i++)
        a[i] = 2 * a[i];
}

/* The second one does not always run: what the first one wrote has to come back. */
void perhaps_next(int n, int m, float *restrict a)
{
    for (int i = 0; i < n; i++)
        a[i] = i;
    if (m > 3)
        for (int i = 0; i < n; i++)
            a[i] = 2 * a[i];
}

/* Half of it. */
void half(int n, float *restrict a)
{
    for (int i = 0; i < n; i++)
        a[i] = i;
    for (int i = 0; i < 2 * n; i++)
        a[i] = 2 * a[i];
}

/* From one time step to the next. */
void steps(int times, int n, const float *restrict a, float *restrict b)
{
    for (int t = 0; t < times; t++)
        for (int i = 0; i < n; i++)
            b[i] += a[i] * t;
}
