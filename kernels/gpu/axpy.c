/* A vector times a number is added to another one: y = y + f x. */
#include <stdio.h>
#include <stdlib.h>

static void add(int n, double f, const double *x, double *y)
{
    for (int i = 0; i < n; i++)
        y[i] += f * x[i];
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 20;
    double *x = malloc(sizeof *x * n);
    double *y = malloc(sizeof *y * n);
    for (int i = 0; i < n; i++)
        x[i] = i % 7 - 3;
    for (int i = 0; i < n; i++)
        y[i] = i % 7 - 3;
    add(n, 0.5, x, y);
    double check = 0;
    for (int i = 0; i < n; i++)
        check += y[i];
    printf("%.9f\n", check);
    return 0;
}
