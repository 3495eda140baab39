#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Arguments: rounds of the first loop, times of the second, cells that the third one uses, and how often it runs. */
enum { CELLS = 100000, SHORT = 12000 };
static unsigned cell[CELLS];
static int at[CELLS];
static float row[SHORT];
static double field[CELLS];

/* Helps: much to do, and nothing shared. */
static void heavy(int rounds)
{
    for (int i = 0; i < CELLS; i++) {
        double x = i;
        for (int k = 0; k < rounds; k++)
            x = sqrt(x * x + 1.0 / (k + 1.0));
        field[i] = x;
    }
}

/* Costs: optimised, an entry takes less than starting threads does. */
static void light(int times)
{
    for (int t = 0; t < times; t++)
        for (int i = 0; i < SHORT; i++)
            row[i] = row[i] * 0.5f + 1.0f;
}

/* Wrong: the numbers in `at` are all different in the run that is profiled, and not in others. */
static void scatter(void)
{
    for (int i = 0; i < CELLS; i++)
        cell[at[i]] = cell[at[i]] * 3u + (unsigned)i;
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 2, times = argc > 2 ? atoi(argv[2]) : 4;
    int cells = argc > 3 ? atoi(argv[3]) : CELLS;
    int sweeps = argc > 4 ? atoi(argv[4]) : 1;
    unsigned state = 1;
    for (int i = 0; i < CELLS; i++) {
        state = state * 1103515245u + 12345u;
        cell[i] = state;
        at[i] = i % cells;
    }
    heavy(rounds);
    light(times);
    for (int s = 0; s < sweeps; s++)
        scatter();
    unsigned sum = 0;
    for (int i = 0; i < CELLS; i++)
        sum = sum * 31u + cell[i];
    printf("%u %.6f %.6f\n", sum, field[CELLS - 1], (double)row[SHORT - 1]);
    return 0;
}
