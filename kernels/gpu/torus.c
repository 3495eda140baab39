/* A generation of the game of life on a torus: neighbours beyond the border are those at the other side. */
#include <stdio.h>
#include <stdlib.h>

static void generation(int n, int m, const int *a, int *b)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            int up = i == 0 ? n - 1 : i - 1, down = i == n - 1 ? 0 : i + 1;
            int count = a[up * m + j] + a[down * m + j];
            count += a[i * m + (j + 1) % m];
            b[i * m + j] = count == 3 || (a[i * m + j] && count == 2);
        }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 5;
    int m = argc > 2 ? atoi(argv[2]) : 6;
    int *a = malloc(sizeof *a * n * m);
    int *b = malloc(sizeof *b * n * m);
    for (int i = 0; i < n * m; i++)
        a[i] = i % 7 - 3;
    for (int i = 0; i < n * m; i++)
        b[i] = i % 7 - 3;
    generation(n, m, a, b);
    long check = 0;
    for (int i = 0; i < n * m; i++)
        check += b[i];
    printf("%ld\n", check);
    return 0;
}
