/* A loop that is entered in its middle by a goto, every other time.

   merge, loop row: rows write different sums: parallel.
   merge, loop at: has two ways in; iterations write different cells, but each reads what the one before wrote: not parallel. */
#include <stdio.h>
#include <stdlib.h>

static __attribute__((noinline)) void merge(int rows, int columns, const volatile int *in, volatile int *out)
{
    for (int r = 0; r < rows; r++) { /* @row */
        int c = 1;
        const volatile int *from = in + r * columns;
        volatile int *to = out + r * columns;
        if (from[0] & 1)
            goto middle;
        do { /* @at */
            to[c] = from[c] + to[c - 1];
        middle:
            to[c] += 3;
            c++;
        } while (c < columns); /* @end */
    }
}

int main(int argc, char **argv)
{
    int rows = argc > 1 ? atoi(argv[1]) : 30, columns = 25;
    int *in = malloc(sizeof *in * rows * columns), *out = calloc(rows * columns, sizeof *out);
    for (int i = 0; i < rows * columns; i++)
        in[i] = i * 7 % 13;
    merge(rows, columns, in, out);
    long check = 0;
    for (int i = 0; i < rows * columns; i++)
        check += out[i] * (i % 5 + 1L);
    printf("%ld\n", check);
    return 0;
}
