/* A transposed matrix times a vector, row by row: y[j] is the sum of a[i][j] x[i]. */
#include <stdio.h>
#include <stdlib.h>

static void multiply(int rows, int columns, const double *a, const double *x, double *y)
{
    for (int i = 0; i < rows; i++) {
        const double *row = a + i * columns;
        for (int j = 0; j < columns; j++)
            y[j] += row[j] * x[i];
    }
}

int main(int argc, char **argv)
{
    int rows = argc > 1 ? atoi(argv[1]) : 7;
    int columns = argc > 2 ? atoi(argv[2]) : 5;
    double *a = malloc(sizeof *a * rows * columns);
    double *x = malloc(sizeof *x * rows);
    double *y = malloc(sizeof *y * columns);
    for (int i = 0; i < rows * columns; i++)
        a[i] = i % 7 - 3;
    for (int i = 0; i < rows; i++)
        x[i] = i % 7 - 3;
    for (int i = 0; i < columns; i++)
        y[i] = i % 7 - 3;
    multiply(rows, columns, a, x, y);
    double check = 0;
    for (int i = 0; i < columns; i++)
        check += y[i];
    printf("%.9f\n", check);
    return 0;
}
