/* Squared distances of all pairs of points, those of the lower triangle, and the nearest point of each. */
#include <stdio.h>
#include <stdlib.h>

static void pairs(int n, int d, const double *p, double *out)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double sum = 0;
            for (int k = 0; k < d; k++)
                sum += (p[i * d + k] - p[j * d + k]) * (p[i * d + k] - p[j * d + k]);
            out[i * n + j] = out[j * n + i] = sum;
        }
}

static void nearest(int n, const double *distance, int *best)
{
    for (int i = 0; i < n; i++) {
        best[i] = i == 0 ? n - 1 : 0;
        for (int j = 0; j < n; j++)
            if (j != i && distance[i * n + j] < distance[i * n + best[i]])
                best[i] = j;
    }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 5;
    int d = argc > 2 ? atoi(argv[2]) : 3;
    double *p = malloc(sizeof *p * n * d);
    double *out = malloc(sizeof *out * n * n);
    for (int i = 0; i < n * d; i++)
        p[i] = i % 7 - 3;
    for (int i = 0; i < n * n; i++)
        out[i] = i % 7 - 3;
    int *best = calloc(n, sizeof *best);
    pairs(n, d, p, out);
    nearest(n, out, best);
    long check = 0;
    for (int i = 0; i < n; i++)
        check += best[i];
    printf("%ld\n", check);
    return 0;
}
