/* Every pixel becomes the sum of its neighbours that are there. */
#include <stdio.h>
#include <stdlib.h>

static void blur(int rows, int columns, const int *in, int *out)
{
    for (int y = 0; y < rows; y++)
        for (int x = 0; x < columns; x++) {
            int sum = in[y * columns + x];
            if (y > 0)
                sum += in[(y - 1) * columns + x];
            if (y < rows - 1)
                sum += in[(y + 1) * columns + x];
            if (x > 0)
                sum += in[y * columns + x - 1];
            if (x < columns - 1)
                sum += in[y * columns + x + 1];
            out[y * columns + x] = sum;
        }
}

int main(int argc, char **argv)
{
    int rows = argc > 1 ? atoi(argv[1]) : 5;
    int columns = argc > 2 ? atoi(argv[2]) : 7;
    int *a = malloc(sizeof *a * rows * columns);
    int *b = malloc(sizeof *b * rows * columns);
    for (int i = 0; i < rows * columns; i++)
        a[i] = i % 7 - 3;
    for (int i = 0; i < rows * columns; i++)
        b[i] = i % 7 - 3;
    blur(rows, columns, a, b);
    long check = 0;
    for (int i = 0; i < rows * columns; i++)
        check += b[i];
    printf("%ld\n", check);
    return 0;
}
