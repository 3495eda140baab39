/* First occurrence of a value in every row of a matrix.

   locate, loop row: rows write different answers: parallel.
   locate, loop at: leaves the row at the first match; iterations only compare: parallel (what decides that a loop ends is
   not a dependence here). */
#include <stdio.h>
#include <stdlib.h>

static __attribute__((noinline)) void locate(int rows, int columns, const int *in, int wanted, int *where)
{
    for (int r = 0; r < rows; r++) { /* @row */
        int at = columns;
        for (int c = 0; c < columns; c++) /* @at */
            if (in[r * columns + c] == wanted) {
                at = c;
                break;
            }
        where[r] = at;
    }
}

int main(int argc, char **argv)
{
    int rows = argc > 1 ? atoi(argv[1]) : 80, columns = argc > 2 ? atoi(argv[2]) : 60;
    int wanted = argc > 3 ? atoi(argv[3]) : 7;
    int *in = malloc(sizeof *in * rows * columns), *where = malloc(sizeof *where * rows);
    unsigned state = 11;
    for (int i = 0; i < rows * columns; i++) {
        state = state * 1664525u + 1013904223u;
        in[i] = (state >> 8) % 40u;
    }
    locate(rows, columns, in, wanted, where);
    long check = 0;
    for (int r = 0; r < rows; r++)
        check += where[r];
    printf("%ld\n", check);
    return 0;
}
