/* A vibrating string: the next displacement from the present and the last one, ends fixed. */
#include <stdio.h>
#include <stdlib.h>

static void vibrate(int steps, int n, double *last, double *now, double *next)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            next[i] = 2 * now[i] - last[i] + 0.25 * (now[i - 1] - 2 * now[i] + now[i + 1]);
        for (int i = 1; i < n - 1; i++) {
            last[i] = now[i];
            now[i] = next[i];
        }
    }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 12;
    int steps = argc > 2 ? atoi(argv[2]) : 5;
    double *last = malloc(sizeof *last * n);
    double *now = malloc(sizeof *now * n);
    double *next = malloc(sizeof *next * n);
    for (int i = 0; i < n; i++)
        last[i] = i % 7 - 3;
    for (int i = 0; i < n; i++)
        now[i] = i % 7 - 3;
    for (int i = 0; i < n; i++)
        next[i] = i % 7 - 3;
    vibrate(steps, n, last, now, next);
    double check = 0;
    for (int i = 0; i < n; i++)
        check += now[i];
    printf("%.9f\n", check);
    return 0;
}
