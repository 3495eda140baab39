/* Sums of tiles of two by two, and a picture enlarged to twice its size. */
#include <stdio.h>
#include <stdlib.h>

static void shrink(int rows, int columns, const double *in, double *out)
{
    for (int y = 0; y < rows; y++)
        for (int x = 0; x < columns; x++) {
            double sum = 0;
            for (int v = 0; v < 2; v++)
                for (int u = 0; u < 2; u++)
                    sum += in[(2 * y + v) * 2 * columns + 2 * x + u];
            out[y * columns + x] = sum;
        }
}

static void enlarge(int rows, int columns, const double *in, double *out)
{
    for (int y = 0; y < 2 * rows; y++)
        for (int x = 0; x < 2 * columns; x++)
            out[y * 2 * columns + x] = in[y / 2 * columns + x / 2];
}

int main(int argc, char **argv)
{
    int rows = argc > 1 ? atoi(argv[1]) : 4;
    int columns = argc > 2 ? atoi(argv[2]) : 3;
    double *a = malloc(sizeof *a * 4 * rows * columns);
    double *b = malloc(sizeof *b * rows * columns);
    for (int i = 0; i < 4 * rows * columns; i++)
        a[i] = i % 7 - 3;
    for (int i = 0; i < rows * columns; i++)
        b[i] = i % 7 - 3;
    shrink(rows, columns, a, b);
    enlarge(rows, columns, b, a);
    double check = 0;
    for (int i = 0; i < 4 * rows * columns; i++)
        check += a[i];
    printf("%.9f\n", check);
    return 0;
}
