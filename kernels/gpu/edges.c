/* Gradients of a picture of fixed size, without its border, and how many exceed a limit. */
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 12, COLUMNS = 10 };
static int picture[ROWS][COLUMNS], gradient[ROWS][COLUMNS], count[2];

static void detect(int limit)
{
    for (int y = 1; y < ROWS - 1; y++)
        for (int x = 1; x < COLUMNS - 1; x++) {
            int across = picture[y][x + 1] - picture[y][x - 1], down = picture[y + 1][x] - picture[y - 1][x];
            gradient[y][x] = across * across + down * down;
        }
    for (int y = 0; y < ROWS; y++)
        for (int x = 0; x < COLUMNS; x++)
            count[gradient[y][x] > limit]++;
}

int main(int argc, char **argv)
{
    int limit = argc > 1 ? atoi(argv[1]) : 40;
    for (int y = 0; y < ROWS; y++)
        for (int x = 0; x < COLUMNS; x++)
            picture[y][x] = y * x % 11;
    detect(limit);
    printf("%d\n", count[1]);
    return 0;
}
