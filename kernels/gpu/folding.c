/* Most pairs of a sequence of bases without crossings (Nussinov): rows from the last one up. */
#include <stdio.h>
#include <stdlib.h>

static void pair(int n, const int *base, int *table)
{
    for (int i = n - 1; i >= 0; i--)
        for (int j = i + 1; j < n; j++) {
            int best = table[i * n + j - 1];
            if (table[(i + 1) * n + j] > best)
                best = table[(i + 1) * n + j];
            if (i + 1 < j) {
                int paired = table[(i + 1) * n + j - 1] + (base[i] + base[j] == 3);
                best = paired > best ? paired : best;
            }
            for (int k = i + 1; k < j; k++) {
                int split = table[i * n + k] + table[(k + 1) * n + j];
                best = split > best ? split : best;
            }
            table[i * n + j] = best;
        }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 8;
    int *base = malloc(sizeof *base * n);
    int *table = malloc(sizeof *table * n * n);
    for (int i = 0; i < n; i++)
        base[i] = i % 7 - 3;
    for (int i = 0; i < n * n; i++)
        table[i] = i % 7 - 3;
    pair(n, base, table);
    long check = 0;
    for (int i = 0; i < n * n; i++)
        check += table[i];
    printf("%ld\n", check);
    return 0;
}
