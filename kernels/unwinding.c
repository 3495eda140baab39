/* Parsing of records, where an error deep inside leaves two loops and two functions by longjmp.

   parse, loop record: records write different sums; where one is left early does not matter: parallel, each with its own jump buffer,
   which every iteration writes before it is read.
   (Not in the table: the registers that longjmp restores are taken for values that iterations hand on.)
   fields, loop field: carries the check digit: not parallel. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#define FIELDS 12

static jmp_buf bad;

static __attribute__((noinline)) void digits(const int *in, long *sum)
{
    for (int d = 0; d < 5; d++) /* @digit */
        if (in[d] == 77)
            longjmp(bad, 1);
        else
            sum[d] = in[d] * 3L;
}

static __attribute__((noinline)) void fields(const int *in, long *sum)
{
    long check = 1;
    for (int f = 0; f < FIELDS; f++) { /* @field */
        digits(in + 5 * f, sum + 5 * f);
        check = check * 31 % 65537 + sum[5 * f];
    }
    sum[5 * FIELDS] = check;
}

static __attribute__((noinline)) void record(const int *in, long *sum, char *failed)
{
    if (setjmp(bad) == 0)
        fields(in, sum);
    else
        *failed = 1;
}

static __attribute__((noinline)) void parse(int records, const int *in, long *sum, char *failed)
{
    for (int r = 0; r < records; r++) /* @record */
        record(in + r * 5 * FIELDS, sum + r * (5 * FIELDS + 1), failed + r);
}

int main(int argc, char **argv)
{
    int records = argc > 1 ? atoi(argv[1]) : 60;
    int *in = malloc(sizeof *in * records * 5 * FIELDS);
    long *sum = calloc(records * (5 * FIELDS + 1), sizeof *sum);
    char *failed = calloc(records, 1);
    for (int i = 0; i < records * 5 * FIELDS; i++)
        in[i] = i % 97 == 5 ? 77 : i % 50;
    parse(records, in, sum, failed);
    long check = 0;
    for (int i = 0; i < records * (5 * FIELDS + 1); i++)
        check += sum[i];
    for (int r = 0; r < records; r++)
        check += failed[r];
    printf("%ld\n", check);
    return 0;
}
