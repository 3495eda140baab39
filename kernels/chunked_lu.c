/* LU decomposition in place without pivoting, by blocks of CHUNK rows and columns. The blocks right of and below the
   diagonal one are numbered in one loop, which finds its row and column of blocks by division and remainder.

   factor, loop d: a diagonal block is what the blocks before it left: not parallel.
   update, loop block: blocks are different, each is written from the first row and column of blocks: parallel.
   update, loops i, j: parallel; loop k: parallel as a reduction. */
#include <stdio.h>
#include <stdlib.h>

#define CHUNK 8

/* The rows and columns of the diagonal block, and the strips right of and below it. */
static __attribute__((noinline)) void strips(int n, int from, double *a)
{
    for (int k = from; k < from + CHUNK; k++)
        for (int i = k + 1; i < n; i++) {
            a[i * n + k] /= a[k * n + k];
            int end = i < from + CHUNK ? n : from + CHUNK;
            for (int j = k + 1; j < end; j++)
                a[i * n + j] -= a[i * n + k] * a[k * n + j];
        }
}

static __attribute__((noinline)) void update(int n, int from, double *a)
{
    int chunks = (n - from) / CHUNK - 1;
    for (int block = 0; block < chunks * chunks; block++) { /* @block */
        int row = from + CHUNK * (1 + block / chunks), column = from + CHUNK * (1 + block % chunks);
        for (int i = row; i < row + CHUNK; i++) /* @i */
            for (int j = column; j < column + CHUNK; j++) { /* @j */
                double sum = 0.0;
                for (int k = from; k < from + CHUNK; k++) /* @k */
                    sum += a[i * n + k] * a[k * n + j];
                a[i * n + j] -= sum;
            }
    }
}

static __attribute__((noinline)) void factor(int n, double *a)
{
    for (int d = 0; d < n; d += CHUNK) { /* @d */
        strips(n, d, a);
        update(n, d, a);
    }
}

int main(int argc, char **argv)
{
    int n = CHUNK * (argc > 1 ? atoi(argv[1]) : 5);
    double *a = malloc(sizeof *a * n * n);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            a[i * n + j] = i == j ? 2.0 * n : (i * 7 + j * 3) % 11;
    factor(n, a);
    double check = 0.0;
    for (int i = 0; i < n * n; i++)
        check += a[i];
    printf("%.6f\n", check);
    return 0;
}
