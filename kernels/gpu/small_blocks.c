/* Many products of 4 by 4 matrices that lie one behind the other. */
#include <stdio.h>
#include <stdlib.h>

static void multiply(int count, double (*a)[4][4], double (*b)[4][4], double (*c)[4][4])
{
    for (int at = 0; at < count; at++)
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++) {
                c[at][i][j] = 0;
                for (int k = 0; k < 4; k++)
                    c[at][i][j] += a[at][i][k] * b[at][k][j];
            }
}

int main(int argc, char **argv)
{
    int count = argc > 1 ? atoi(argv[1]) : 5;
    double *a = malloc(sizeof *a * count * 16);
    double *b = malloc(sizeof *b * count * 16);
    double *c = malloc(sizeof *c * count * 16);
    for (int i = 0; i < count * 16; i++)
        a[i] = i % 7 - 3;
    for (int i = 0; i < count * 16; i++)
        b[i] = i % 7 - 3;
    for (int i = 0; i < count * 16; i++)
        c[i] = i % 7 - 3;
    multiply(count, (void *)a, (void *)b, (void *)c);
    double check = 0;
    for (int i = 0; i < count * 16; i++)
        check += c[i];
    printf("%.9f\n", check);
    return 0;
}
