/* Sparse matrix times vector, y = A x, A in compressed sparse rows.

   product, loop row: rows write different y[row]: parallel.
   product, loop e: carries sum alone, trip count and addresses of x depend on the data: parallel as a reduction. */
#include <stdio.h>
#include <stdlib.h>

static __attribute__((noinline)) void product(int rows, const int *start, const int *column, const double *value,
                                              const double *x, double *y)
{
    for (int row = 0; row < rows; row++) { /* @row */
        double sum = 0.0;
        for (int e = start[row]; e < start[row + 1]; e++) /* @e */
            sum += value[e] * x[column[e]];
        y[row] = sum;
    }
}

int main(int argc, char **argv)
{
    int rows = argc > 1 ? atoi(argv[1]) : 400;
    int repeat = argc > 2 ? atoi(argv[2]) : 1;
    int *start = malloc(sizeof *start * (rows + 1)), *column = malloc(sizeof *column * rows * 20);
    double *value = malloc(sizeof *value * rows * 20), *x = malloc(sizeof *x * rows), *y = malloc(sizeof *y * rows);
    unsigned state = 1;
    int entries = 0;
    for (int row = 0; row < rows; row++) {
        start[row] = entries;
        x[row] = row % 9 - 4;
        state = state * 1664525u + 1013904223u;
        for (int left = 4 + (state >> 28); left > 0; left--) {
            state = state * 1664525u + 1013904223u;
            column[entries] = (state >> 8) % (unsigned)rows;
            value[entries++] = (state >> 24) % 8;
        }
    }
    start[rows] = entries;
    for (int r = 0; r < repeat; r++)
        product(rows, start, column, value, x, y);
    double check = 0.0;
    for (int row = 0; row < rows; row++)
        check += y[row] * (row % 3 + 1);
    printf("%.1f\n", check);
    return 0;
}
