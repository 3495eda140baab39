/* Histogram: counts how often each of 256 values occurs.

   count, loop i: an iteration updates one bin, which one depends on the data; the value of a bin is used for nothing
   else: a reduction whose accumulator is the array bins. */
#include <stdio.h>
#include <stdlib.h>

static unsigned bins[256];

static __attribute__((noinline)) void count(int n, const unsigned char *data)
{
    for (int i = 0; i < n; i++) /* @i */
        bins[data[i]]++;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 8000;
    int repeat = argc > 2 ? atoi(argv[2]) : 1;
    unsigned char *data = malloc(n);
    unsigned state = 12345;
    for (int i = 0; i < n; i++) {
        state = state * 1664525u + 1013904223u;
        data[i] = state >> 24;
    }
    for (int r = 0; r < repeat; r++)
        count(n, data);
    unsigned long check = 0;
    for (int i = 0; i < 256; i++)
        check += (unsigned long)bins[i] * (i % 10 + 1);
    printf("%lu\n", check);
    return 0;
}
