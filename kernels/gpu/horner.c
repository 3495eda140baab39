/* A polynomial at many places, from its highest coefficient down (Horner). */
#include <stdio.h>
#include <stdlib.h>

static void evaluate(int n, int degree, const double *coefficient, const double *x, double *y)
{
    for (int i = 0; i < n; i++) {
        double value = 0;
        for (int k = degree; k >= 0; k--)
            value = value * x[i] + coefficient[k];
        y[i] = value;
    }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 6;
    int degree = argc > 2 ? atoi(argv[2]) : 4;
    double *coefficient = malloc(sizeof *coefficient * (degree + 1));
    double *x = malloc(sizeof *x * n);
    double *y = malloc(sizeof *y * n);
    for (int i = 0; i < degree + 1; i++)
        coefficient[i] = i % 7 - 3;
    for (int i = 0; i < n; i++)
        x[i] = i % 7 - 3;
    for (int i = 0; i < n; i++)
        y[i] = i % 7 - 3;
    evaluate(n, degree, coefficient, x, y);
    double check = 0;
    for (int i = 0; i < n; i++)
        check += y[i];
    printf("%.9f\n", check);
    return 0;
}
