/* A five-point stencil over a rectangle whose rows and columns are one loop: the row is q / columns, the column
   q % columns, and the border is left out by comparing both.

   sweep, loop q: iterations read one array and write different elements of the other: parallel.
   run, loop t: a step reads what the step before wrote: not parallel. */
#include <stdio.h>
#include <stdlib.h>

static __attribute__((noinline)) void sweep(int rows, int columns, const double *in, double *out)
{
    for (int q = 0; q < rows * columns; q++) { /* @q */
        int r = q / columns, c = q % columns;
        if (r > 0 && r < rows - 1 && c > 0 && c < columns - 1)
            out[q] = 0.25 * (in[q - columns] + in[q + columns] + in[q - 1] + in[q + 1]);
    }
}

static __attribute__((noinline)) void run(int steps, int rows, int columns, double *a, double *b)
{
    for (int t = 0; t < steps; t++) { /* @t */
        sweep(rows, columns, a, b);
        sweep(rows, columns, b, a);
    }
}

int main(int argc, char **argv)
{
    int rows = argc > 1 ? atoi(argv[1]) : 24, columns = argc > 2 ? atoi(argv[2]) : 40;
    int steps = argc > 3 ? atoi(argv[3]) : 3;
    double *a = malloc(sizeof *a * rows * columns), *b = malloc(sizeof *b * rows * columns);
    for (int i = 0; i < rows * columns; i++)
        a[i] = b[i] = i < columns ? 1.0 : 0.0;
    run(steps, rows, columns, a, b);
    double check = 0.0;
    for (int i = 0; i < rows * columns; i++)
        check += a[i];
    printf("%.9f\n", check);
    return 0;
}
