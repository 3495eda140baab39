/* A matrix as pointers to its rows, and a view by value. */
#include <stdio.h>
#include <stdlib.h>

struct view {
    long rows, columns;
    double *cells;
};

static double trace(double **a, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i][i];
    return sum;
}

static void transpose(double **out, double **in, int rows, int columns)
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++)
            out[j][i] = in[i][j];
}

static void fill(struct view v)
{
    for (long i = 0; i < v.rows; i++)
        for (long j = 0; j < v.columns; j++)
            v.cells[i * v.columns + j] = i - j;
}

static double total(const struct view *of)
{
    struct view v = *of;
    double sum = 0;
    for (long k = 0; k < v.rows * v.columns; k++)
        sum += v.cells[k];
    return sum;
}

static double **rows(double *cells, int n, int m)
{
    double **list = malloc(sizeof *list * n);
    for (int i = 0; i < n; i++)
        list[i] = cells + i * m;
    return list;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 6;
    int m = argc > 2 ? atoi(argv[2]) : 4;
    struct view a = {n, m, malloc(sizeof(double) * n * m)};
    struct view b = {m, n, malloc(sizeof(double) * n * m)};
    fill(a);
    transpose(rows(b.cells, m, n), rows(a.cells, n, m), n, m);
    double square = trace(rows(a.cells, n, m), n < m ? n : m);
    printf("%g %g\n", total(&b), square);
    return 0;
}
