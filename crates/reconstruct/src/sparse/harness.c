#define _POSIX_C_SOURCE 199309L
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

void spmv_arrange(const double *csr, double *value);
void spmv(const double *restrict value, const double *restrict x, double *restrict y);

/* Seconds that each of the two products gets, and rounds at least. */
enum { ROUNDS = 5 };
static const double LEAST = 0.4;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *taken(size_t bytes)
{
    void *p = calloc(bytes ? bytes : 1, 1);
    if (!p) {
        fputs("no memory\n", stderr);
        exit(1);
    }
    return p;
}

static void *read_list(FILE *f, size_t count, size_t size)
{
    void *p = taken(count * size);
    if (fread(p, size, count, f) != count) {
        fputs("the file of the matrix is too short\n", stderr);
        exit(1);
    }
    return p;
}

__attribute__((noinline)) static void csr(long rows, const int64_t *restrict start, const int32_t *restrict column,
                                          const double *restrict value, const double *restrict x, double *restrict y)
{
    for (long r = 0; r < rows; r++) {
        double s = 0;
        for (int64_t k = start[r]; k < start[r + 1]; k++)
            s += value[k] * x[column[k]];
        y[r] += s;
    }
}

int main(int argc, char **argv)
{
    FILE *f = argc == 2 ? fopen(argv[1], "rb") : NULL;
    if (!f) {
        fputs("a matrix is expected\n", stderr);
        return 1;
    }
    int64_t *sizes = read_list(f, 3, sizeof *sizes);
    long rows = sizes[0], columns = sizes[1], entries = sizes[2];
    int64_t *start = read_list(f, rows + 1, sizeof *start);
    int32_t *column = read_list(f, entries, sizeof *column);
    double *value = read_list(f, entries, sizeof *value);
    fclose(f);
    double *arranged = taken(entries * sizeof *arranged);
    double *x = taken(columns * sizeof *x);
    double *y = taken(rows * sizeof *y), *z = taken(rows * sizeof *z);
    spmv_arrange(value, arranged);
    uint64_t state = 1;
    for (long c = 0; c < columns; c++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        x[c] = (double)(state >> 11) / 9007199254740992.0 + 0.5;
    }
    csr(rows, start, column, value, x, y);
    spmv(arranged, x, z);
    double worst = 0;
    int near = 1;
    for (long r = 0; r < rows; r++) {
        double sum = 0;
        for (int64_t k = start[r]; k < start[r + 1]; k++)
            sum += fabs(value[k] * x[column[k]]);
        double error = fabs(y[r] - z[r]);
        if (!(error <= 2 * DBL_EPSILON * (double)(start[r + 1] - start[r] + 1) * sum))
            near = 0;
        if (sum > 0 && error / sum > worst)
            worst = error / sum;
    }
    double least[2] = {1e300, 1e300}, spent = 0;
    long times = 1;
    for (int round = 0; round < ROUNDS || spent < 2 * LEAST; round++) {
        for (int which = 0; which < 2; which++) {
            double begin = now();
            for (long k = 0; k < times; k++) {
                if (which == 0)
                    csr(rows, start, column, value, x, y);
                else
                    spmv(arranged, x, z);
            }
            double took = now() - begin;
            spent += took;
            if (took / (double)times < least[which])
                least[which] = took / (double)times;
            if (took < 0.01)
                times *= 2;
        }
    }
    printf("%.9g %.9g %.3g %d\n", least[0], least[1], worst, near);
    return 0;
}
