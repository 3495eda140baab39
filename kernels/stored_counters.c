/* Loops that store their counter, a multiple of it or a constant: what is stored is a function of the iteration, where it is
   stored is what matters.

   remainders: iterations i and i + 37 store into one element, the later one stays: not parallel.
   shifted: an iteration reads what the previous one stored, 2 i: not parallel.
   seen: an iteration reads whether an earlier one stored a 1: not parallel.
   latest: the last iteration that finds an odd number leaves its counter: not parallel, nothing is read in the loop.
   start: the flag is 1 in the first iteration and 0 in all others: not parallel.
   ramp: iterations store i into elements of their own: parallel. */
#include <stdio.h>
#include <stdlib.h>

static __attribute__((noinline)) void remainders(int n, int *a)
{
    for (int i = 0; i < n; i++) /* @remainders */
        a[i % 37] = i;
}

static __attribute__((noinline)) void shifted(int n, int *a, int *b)
{
    for (int i = 1; i < n; i++) { /* @shifted */
        a[i] = 2 * i;
        b[i] = a[i - 1];
    }
}

static __attribute__((noinline)) int seen(int n, const int *key, int *mark)
{
    int different = 0;
    for (int i = 0; i < n; i++) /* @seen */
        if (mark[key[i]] == 0) {
            mark[key[i]] = 1;
            different++;
        }
    return different;
}

static __attribute__((noinline)) void latest(int n, const int *key, int *place)
{
    for (int i = 0; i < n; i++) /* @latest */
        if (key[i] & 1)
            place[0] = i;
}

static __attribute__((noinline)) void start(int n, const int *key, int *is_first, int *out)
{
    for (int i = 0; i < n; i++) { /* @start */
        out[i] = is_first[0] ? key[i] : -key[i];
        is_first[0] = 0;
    }
}

static __attribute__((noinline)) void ramp(int n, int *a)
{
    for (int i = 0; i < n; i++) /* @ramp */
        a[i] = i;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 200;
    int *key = malloc(n * sizeof *key), *a = malloc(n * sizeof *a), *b = malloc(n * sizeof *b);
    int *mark = calloc(97, sizeof *mark), *out = malloc(n * sizeof *out);
    int *rest = calloc(37, sizeof *rest), *place = calloc(1, sizeof *place), *is_first = malloc(sizeof *is_first);
    *is_first = 1;
    for (int i = 0; i < n; i++)
        key[i] = i * i % 97;
    ramp(n, a);
    shifted(n, a, b);
    remainders(n, rest);
    int different = seen(n, key, mark);
    latest(n, key, place);
    start(n, key, is_first, out);
    long check = different + *place;
    for (int i = 1; i < n; i++)
        check += a[i] + b[i] * 3L + out[i] * 5L;
    for (int i = 0; i < 37; i++)
        check += rest[i] * (i + 1);
    printf("%ld\n", check);
    return 0;
}
