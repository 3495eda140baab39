/* Shortest paths between all pairs of nodes (Floyd and Warshall), distances without negative cycles and d[i][i] = 0.

   improve stores only a distance that becomes shorter. In step k neither row k nor column k can become shorter, so no
   iteration of i or j writes what another one of the same step reads.
   improve, loop k: not parallel. Loops i, j: parallel.

   assign stores every distance. The values of row k and column k are the same before and after step k, but they are
   stored: iteration i = k writes the row that iterations i > k read, iteration j = k writes the d[i][k] that j > k reads.
   assign, loops k, i, j: not parallel as they stand. */
#include <stdio.h>
#include <stdlib.h>

static __attribute__((noinline)) void improve(int n, int *d)
{
    for (int k = 0; k < n; k++) /* @k */
        for (int i = 0; i < n; i++) /* @i */
            for (int j = 0; j < n; j++) { /* @j */
                int through = d[i * n + k] + d[k * n + j];
                if (through < d[i * n + j])
                    d[i * n + j] = through;
            }
}

static __attribute__((noinline)) void assign(int n, int *d)
{
    for (int k = 0; k < n; k++) /* @assign-k */
        for (int i = 0; i < n; i++) /* @assign-i */
            for (int j = 0; j < n; j++) { /* @assign-j */
                int through = d[i * n + k] + d[k * n + j], direct = d[i * n + j];
                d[i * n + j] = through < direct ? through : direct;
            }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 30;
    int *d = malloc(sizeof *d * n * n), *e = malloc(sizeof *e * n * n);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            d[i * n + j] = e[i * n + j] = i == j ? 0 : (i * 37 + j * 101) % 97 + 1;
    improve(n, d);
    assign(n, e);
    long check = 0;
    for (int i = 0; i < n * n; i++)
        check += d[i] + 2 * e[i];
    printf("%ld\n", check);
    return 0;
}
