/* Lengths of the Collatz sequences of 1, 2, 3, …: a loop that ends when the data says so.

   lengths, loop i: iterations write different elements: parallel.
   lengths, loop step: every term is made of the one before: not parallel. */
#include <stdio.h>
#include <stdlib.h>

static __attribute__((noinline)) void lengths(int n, int *length)
{
    for (int i = 0; i < n; i++) { /* @i */
        long x = i + 1;
        int steps = 0;
        while (x != 1) { /* @step */
            x = x % 2 ? 3 * x + 1 : x / 2;
            steps++;
        }
        length[i] = steps;
    }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 50;
    int *length = malloc(sizeof *length * n);
    lengths(n, length);
    long check = 0;
    for (int i = 0; i < n; i++)
        check += length[i];
    printf("%ld\n", check);
    return 0;
}
