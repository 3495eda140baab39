/* Loops whose iterations share storage and pass nothing on: what has to become of the storage.

   shift: iteration i reads line[i + 1], which iteration i + 1 overwrites: parallel if it is read from a copy. In lockstep every
   read comes before the write as it is.
   peak: every iteration writes top before it reads it, and the last value is used after the loop: private, the last one kept.
   halves: iteration i reads half[i + 1], which later iterations overwrite twice: an element per iteration.
   pairs: of two neighbours the first reads what it wrote, the second what its successor overwrites: an element per iteration.
   echo: iteration i reads what iteration i - 8 wrote: not parallel, eight at a time in lockstep. */
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 4096 };
static double line[MOST + 1], half[MOST + 2], pair[MOST + 1], delay[MOST], in[MOST], out[MOST];
static volatile double top;

static __attribute__((noinline)) void shift(int n)
{
    for (int i = 0; i < n; i++) /* @shift */
        line[i] = 0.5 * line[i + 1] + 1.0;
}

static __attribute__((noinline)) void peak(int n)
{
    for (int i = 0; i < n; i++) { /* @peak */
        top = 2.0 * in[i];
        out[i] = top + 1.0;
    }
}

static __attribute__((noinline)) void halves(int n)
{
    for (int i = 0; i < n; i++) { /* @halves */
        out[i] = out[i] + half[i + 1];
        half[i / 2] = in[i];
    }
}

static __attribute__((noinline)) void pairs(int n)
{
    for (int i = 0; i < n; i++) { /* @pairs */
        pair[i] = in[i];
        out[i] = out[i] + pair[i + (i & 1)];
    }
}

static __attribute__((noinline)) void echo(int n)
{
    for (int i = 8; i < n; i++) /* @echo */
        delay[i] = 0.5 * delay[i - 8] + in[i];
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 400;
    if (n > MOST)
        return 1;
    for (int i = 0; i < n; i++)
        line[i] = half[i] = delay[i] = in[i] = i % 19 - 9;
    shift(n);
    peak(n);
    halves(n);
    pairs(n);
    echo(n);
    double check = top;
    for (int i = 0; i < n; i++)
        check += (line[i] + half[i] + pair[i] + delay[i] + out[i]) * (i % 3);
    printf("%.6f\n", check);
    return 0;
}
