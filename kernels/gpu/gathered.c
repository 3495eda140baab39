/* Elements are taken from places that another array holds: these are not known before the run. */
#include <stdio.h>
#include <stdlib.h>

static void gather(int n, const int *place, const double *a, double *b)
{
    for (int i = 0; i < n; i++)
        b[i] = a[place[i]];
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 8;
    int *place = malloc(sizeof *place * n);
    for (int i = 0; i < n; i++)
        place[i] = i * 3 % n;
    double *a = malloc(sizeof *a * n);
    double *b = malloc(sizeof *b * n);
    for (int i = 0; i < n; i++)
        a[i] = i % 7 - 3;
    for (int i = 0; i < n; i++)
        b[i] = i % 7 - 3;
    gather(n, place, a, b);
    double check = 0;
    for (int i = 0; i < n; i++)
        check += b[i];
    printf("%.9f\n", check);
    return 0;
}
