/* A filter as states that hand over to each other in tail position, directly and through a table of functions.

   filter, loop item: items write different results: parallel.
   drive, loop step: the state that a step leaves is the next step's: not parallel. */
#include <stdio.h>
#include <stdlib.h>

typedef long (*State)(long value, long left);

static long odd(long value, long left);
static long even(long value, long left);
static State states[] = {even, odd};

static __attribute__((noinline)) long done(long value, long left)
{
    return value * 2 + left;
}

static __attribute__((noinline)) long even(long value, long left)
{
    if (left == 0)
        return done(value, left);
    return states[value / 2 & 1](value / 2, left - 1);
}

static __attribute__((noinline)) long odd(long value, long left)
{
    if (left == 0)
        return done(value, left);
    return states[0](3 * value + 1, left - 1);
}

static __attribute__((noinline)) void filter(int items, const long *in, long *out)
{
    for (int i = 0; i < items; i++) /* @item */
        out[i] = states[in[i] & 1](in[i], in[i] % 4);
}

static __attribute__((noinline)) long drive(int steps, long value)
{
    for (int s = 0; s < steps; s++) /* @step */
        value = states[value & 1](value, 2);
    return value;
}

int main(int argc, char **argv)
{
    int items = argc > 1 ? atoi(argv[1]) : 200;
    long *in = malloc(sizeof *in * items), *out = malloc(sizeof *out * items), check = 0;
    for (int i = 0; i < items; i++)
        in[i] = i * 37L % 101;
    filter(items, in, out);
    for (int i = 0; i < items; i++)
        check += out[i] * (i + 1);
    printf("%ld %ld\n", check, drive(items, 27) % 1000003);
    return 0;
}
