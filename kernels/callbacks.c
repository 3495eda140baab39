/* Every row of a table is sorted by the C library and searched in it; the library calls back.

   order, loop row: rows are sorted in place and write different answers; the sort's working space is its own: parallel.
   compare, called by the library, has no loop. */
#include <stdio.h>
#include <stdlib.h>

#define COLUMNS 24

static int compare(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static __attribute__((noinline)) void order(int rows, int (*table)[COLUMNS], int wanted, int *where)
{
    for (int r = 0; r < rows; r++) { /* @row */
        qsort(table[r], COLUMNS, sizeof table[r][0], compare);
        const int *found = bsearch(&wanted, table[r], COLUMNS, sizeof table[r][0], compare);
        where[r] = found ? (int)(found - table[r]) : -1;
    }
}

int main(int argc, char **argv)
{
    int rows = argc > 1 ? atoi(argv[1]) : 20;
    int (*table)[COLUMNS] = malloc(sizeof *table * rows), *where = malloc(sizeof *where * rows);
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < COLUMNS; c++)
            table[r][c] = (r * 31 + c * 17) % 29;
    order(rows, table, 5, where);
    long check = 0;
    for (int r = 0; r < rows; r++)
        check = check * 7 % 1000003 + where[r];
    printf("%ld\n", check);
    return 0;
}
