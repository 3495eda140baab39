/* Sizes and data of a matrix are members of a structure behind a pointer. */
#include <stdio.h>
#include <stdlib.h>

struct matrix {
    int rows, columns;
    double *data;
};

static void scale(struct matrix *m, double by)
{
    for (int i = 0; i < m->rows; i++)
        for (int j = 0; j < m->columns; j++)
            m->data[i * m->columns + j] *= by;
}

static void scale_copied(const struct matrix *m, double by)
{
    int rows = m->rows, columns = m->columns;
    double *data = m->data;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++)
            data[i * columns + j] *= by;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 5;
    int k = argc > 2 ? atoi(argv[2]) : 4;
    double *a = malloc(sizeof *a * n * k);
    for (int i = 0; i < n * k; i++)
        a[i] = i % 7 - 3;
    struct matrix m = {n, k, a};
    scale(&m, 2);
    scale_copied(&m, 3);
    double check = 0;
    for (int i = 0; i < n * k; i++)
        check += a[i];
    printf("%.9f\n", check);
    return 0;
}
