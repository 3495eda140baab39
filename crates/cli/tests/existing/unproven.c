/* Subscripts that may meet, and those that do. */
#include <stdio.h>
#define ALONE static __attribute__((noipa))
#define N 26
static double g[N][N], h[N + N][N + N], w[400], r[N][N], flag[400];
/*! none */
ALONE void of_two_colours(double (*u)[N], int colour) {
#pragma omp parallel for
    for (int row = 1; row < N - 1; row++)
        for (int col = 1 + (row + colour) % 2; col < N - 1; col += 2)
            u[row][col] = 0.2 * (u[row - 1][col] + u[row + 1][col]);
}
/*! none */
ALONE void along_diagonals(int d) {
    int from = d < N ? 1 : d - N + 1, to = d < N ? d - 1 : N - 1;
#pragma omp parallel for
    for (int x = from; x <= to; x++) {
        int y = d - x;
        h[x][y] = (h[x - 1][y] + h[x][y - 1]) * 0.5;
    }
}
/*! none */
ALONE void on_a_condition(int n) {
#pragma omp parallel for
    for (int i = 1; i < n; i++)
        if (flag[i] > 0)
            w[i] = w[i - 1] + 1;
}
/*! race */
ALONE void of_the_one_before(int n) {
#pragma omp parallel for
    for (int i = 1; i < n; i++)
        w[i] = w[i - 1] * 0.5 + i;
}
/*! race */
ALONE void of_the_row_before(int n) {
#pragma omp parallel for
    for (int i = 1; i < n; i++)
        for (int j = 0; j < n; j++)
            r[i][j] = r[i - 1][j] + 1;
}
/*! none */
int main(void) {
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            g[i][j] = (i * 7 + j * 3) % 11;
    for (int i = 0; i < 400; i += 2)
        flag[i] = 1;
    of_two_colours(g, 0), of_two_colours(g, 1);
    for (int d = 2; d < N + N - 2; d++)
        along_diagonals(d);
    on_a_condition(400), of_the_one_before(400), of_the_row_before(N);
    printf("%g %g %g %g\n", g[3][4], h[5][5], w[7], r[3][3]);
}
