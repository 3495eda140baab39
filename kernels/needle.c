/* Alignment of two sequences by dynamic programming (Needleman and Wunsch).

   align, loops i and j: a cell needs its neighbours above left, above and left, flow distances (1,1), (1,0), (0,1):
   neither loop is parallel; they can be interchanged and tiled, since no distance is negative. */
#include <stdio.h>
#include <stdlib.h>

static __attribute__((noinline)) void align(int n, const unsigned char *x, const unsigned char *y, int *score)
{
    int width = n + 1;
    for (int i = 1; i <= n; i++) /* @i */
        for (int j = 1; j <= n; j++) { /* @j */
            int best = score[(i - 1) * width + j - 1] + (x[i] == y[j] ? 3 : -1);
            int above = score[(i - 1) * width + j] - 2;
            int left = score[i * width + j - 1] - 2;
            if (above > best)
                best = above;
            if (left > best)
                best = left;
            score[i * width + j] = best;
        }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 100;
    int repeat = argc > 2 ? atoi(argv[2]) : 1;
    int width = n + 1;
    unsigned char *x = malloc(width), *y = malloc(width);
    int *score = malloc(sizeof *score * width * width);
    for (int i = 0; i < width; i++) {
        x[i] = (i * i + 3 * i) % 7 % 4;
        y[i] = (i * 5 + i / 3) % 4;
        score[i] = score[i * width] = -2 * i;
    }
    for (int r = 0; r < repeat; r++)
        align(n, x, y, score);
    printf("%d\n", score[n * width + n]);
    return 0;
}
