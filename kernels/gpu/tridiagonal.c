/* A tridiagonal system by elimination forwards and substitution backwards (Thomas). */
#include <stdio.h>
#include <stdlib.h>

static void solve(int n, const double *below, const double *diagonal, const double *above, double *c, double *d)
{
    c[0] = above[0] / diagonal[0];
    d[0] = d[0] / diagonal[0];
    for (int i = 1; i < n; i++) {
        double scale = 1 / (diagonal[i] - below[i] * c[i - 1]);
        c[i] = above[i] * scale;
        d[i] = (d[i] - below[i] * d[i - 1]) * scale;
    }
    for (int i = n - 2; i >= 0; i--)
        d[i] -= c[i] * d[i + 1];
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 9;
    double *below = malloc(sizeof *below * n);
    double *diagonal = malloc(sizeof *diagonal * n);
    double *above = malloc(sizeof *above * n);
    double *c = malloc(sizeof *c * n);
    double *d = malloc(sizeof *d * n);
    for (int i = 0; i < n; i++)
        below[i] = i % 7 - 3;
    for (int i = 0; i < n; i++)
        diagonal[i] = i % 7 - 3;
    for (int i = 0; i < n; i++)
        above[i] = i % 7 - 3;
    for (int i = 0; i < n; i++)
        c[i] = i % 7 - 3;
    for (int i = 0; i < n; i++)
        d[i] = i % 7 - 3;
    for (int i = 0; i < n; i++)
        diagonal[i] = 9;
    solve(n, below, diagonal, above, c, d);
    double check = 0;
    for (int i = 0; i < n; i++)
        check += d[i];
    printf("%.9f\n", check);
    return 0;
}
