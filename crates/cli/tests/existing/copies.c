/* What compilers make of several iterations, of the loop and of those around it, and what only seems to be passed on there. */
#include <stdio.h>
#define ALONE static __attribute__((noinline))
#define N 28
static double t[N][N], x[N], even[600], p[400], q[400], grid[N][N];
static volatile int many = 400;
/*! none */
ALONE void columns_in_turn(double (*l)[N], double *v) {
    for (int c = 0; c < N; c++) {
        v[c] /= l[c][c];
#pragma omp parallel for
        for (int r = c + 1; r < N; r++)
            v[r] -= l[r][c] * v[c];
    }
}
/*! none */
ALONE void there_and_back(double *one, double *other, int n) {
    for (int step = 0; step < 4; step++) {
        double *from = step & 1 ? other : one, *to = step & 1 ? one : other;
#pragma omp parallel for
        for (int i = 1; i < n - 1; i++)
            to[i] = from[i - 1] * 0.25 + from[i + 1];
    }
}
/*! none */
ALONE void every_second(double *v, int n) {
#pragma omp parallel for
    for (int i = 1; i < n - 1; i += 2)
        v[i] = (v[i - 1] + v[i + 1]) * 0.5;
}
/*! none */
ALONE void of_one_colour(double (*u)[N], int colour) {
#pragma omp parallel for
    for (int i = 1; i < N - 1; i++)
        for (int j = 1 + (i + colour) % 2; j < N - 1; j += 2)
            u[i][j] = (u[i - 1][j] + u[i + 1][j]) * 0.5;
}
/*! race */
ALONE void overwritten_too_early(double *v, int n) {
#pragma omp parallel for
    for (int i = 0; i < n - 1; i++)
        v[i] = v[i + 1] * 0.5;
}
/*! race */
ALONE void passed_on(double *v, int n) {
#pragma omp parallel for
    for (int i = 1; i < n; i++)
        v[i] = v[i - 1] * 0.5 + 1;
}
/*! none */
int main(void) {
    for (int i = 0; i < N; i++) {
        x[i] = i + 1;
        for (int j = 0; j < N; j++)
            t[i][j] = (i * 5 + j * 3) % 11 + (i == j ? 30 : 0), grid[i][j] = j;
    }
    for (int i = 0; i < 400; i++)
        p[i] = i % 13;
    columns_in_turn(t, x), there_and_back(p, q, many), every_second(even, many), of_one_colour(grid, 1);
    overwritten_too_early(p, many), passed_on(q, many);
    printf("%g %g %g %g\n", x[7], p[8] + q[9], even[4], grid[3][4]);
}
