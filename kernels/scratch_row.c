/* Every row of an image convolved with its own mirror image, through one static scratch row.

   mirror, loop i: every iteration fills row[] and then reads it; nothing flows from one iteration to the next, but they
   share the storage: parallel after privatisation of row.
   mirror, loops j (fill) and k (use): parallel. */
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 4096 };
static double row[MOST];

static __attribute__((noinline)) void mirror(int rows, int columns, const double *in, double *out)
{
    for (int i = 0; i < rows; i++) { /* @i */
        for (int j = 0; j < columns; j++) /* @j */
            row[j] = 0.5 * in[i * columns + j] + 1.0;
        for (int k = 0; k < columns; k++) /* @k */
            out[i * columns + k] = row[k] * row[columns - 1 - k];
    }
}

int main(int argc, char **argv)
{
    int rows = argc > 1 ? atoi(argv[1]) : 60;
    int columns = argc > 2 ? atoi(argv[2]) : 50;
    int repeat = argc > 3 ? atoi(argv[3]) : 1;
    if (columns > MOST)
        return 1;
    double *in = malloc(sizeof *in * rows * columns), *out = malloc(sizeof *out * rows * columns);
    for (int i = 0; i < rows * columns; i++)
        in[i] = i % 19 - 9;
    for (int r = 0; r < repeat; r++)
        mirror(rows, columns, in, out);
    double check = 0.0;
    for (int i = 0; i < rows * columns; i++)
        check += out[i] * (i % 3);
    printf("%.2f\n", check);
    return 0;
}
