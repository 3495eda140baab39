/* Electric and magnetic fields in a plane, one half step after the other (finite differences in the time domain). */
#include <stdio.h>
#include <stdlib.h>

static void propagate(int steps, int n, int m, double ex[n][m], double ey[n][m], double hz[n][m])
{
    for (int t = 0; t < steps; t++) {
        for (int j = 0; j < m; j++)
            ey[0][j] = t;
        for (int i = 1; i < n; i++)
            for (int j = 0; j < m; j++)
                ey[i][j] -= 0.5 * (hz[i][j] - hz[i - 1][j]);
        for (int i = 0; i < n; i++)
            for (int j = 1; j < m; j++)
                ex[i][j] -= 0.5 * (hz[i][j] - hz[i][j - 1]);
        for (int i = 0; i < n - 1; i++)
            for (int j = 0; j < m - 1; j++)
                hz[i][j] -= 0.7 * (ex[i][j + 1] - ex[i][j] + ey[i + 1][j] - ey[i][j]);
    }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 6;
    int m = argc > 2 ? atoi(argv[2]) : 5;
    int steps = argc > 3 ? atoi(argv[3]) : 3;
    double *ex = malloc(sizeof *ex * n * m);
    double *ey = malloc(sizeof *ey * n * m);
    double *hz = malloc(sizeof *hz * n * m);
    for (int i = 0; i < n * m; i++)
        ex[i] = i % 7 - 3;
    for (int i = 0; i < n * m; i++)
        ey[i] = i % 7 - 3;
    for (int i = 0; i < n * m; i++)
        hz[i] = i % 7 - 3;
    propagate(steps, n, m, (void *)ex, (void *)ey, (void *)hz);
    double check = 0;
    for (int i = 0; i < n * m; i++)
        check += hz[i];
    printf("%.9f\n", check);
    return 0;
}
