/* What stores and calls may change, and what they cannot. */
#include <stdlib.h>
#include <string.h>

struct shape { int rows, columns; double *cells; };

/* A table of the function's own: nobody else knows its address. */
int local_table(const int *a, int n)
{
    int table[4] = {0, 1, 2, 3};
    int size = 0;
    for (int i = 0; i < n; i++)
        size += table[a[i] & 3];
    return size;
}

/* The bound is in memory that the loop writes as the same type. */
void bumped(int *size, int *a)
{
    for (int i = 0; i < *size; i++)
        a[i] = i;
}

/* Rows of different lengths, as a sparse matrix has them: the loop writes another type. */
void rows_of(const int *starts, double *cells, int n)
{
    for (int i = 0; i < n; i++)
        for (int k = starts[i]; k < starts[i + 1]; k++)
            cells[k] = 0;
}

/* Types exclude that cells hold the sizes. */
void unrelated(struct shape *shape)
{
    for (int i = 0; i < shape->rows; i++)
        for (int j = 0; j < shape->columns; j++)
            shape->cells[i * shape->columns + j] = 1;
}

void restricted(int *restrict size, int *restrict a)
{
    for (int i = 0; i < *size; i++)
        a[i] = i;
}

int *heap(int n)
{
    int *a = malloc((size_t)n * sizeof *a);
    int *b = calloc((size_t)n, sizeof *b);
    for (int i = 0; i < n; i++) {
        a[i] = i;
        b[n - 1 - i] = a[i];
    }
    free(a);
    return b;
}

static void set(int *to, int from, int count)
{
    for (int i = 0; i < count; i++)
        to[from + i] = 0;
}

void passed(int *a, int n)
{
    set(a, 0, n);
    set(a, 2 * n, 5);
}

/* Others know the address of the local variable. */
void escaped(int *a)
{
    extern void keep(int *);
    extern void act(void);
    int n = 10;
    keep(&n);
    act();
    for (int i = 0; i < n; i++)
        a[i] = 0;
}

/* The size is written before the loop, not in it. */
void filled(struct shape *shape, float *a, int n)
{
    shape->rows = n;
    for (int i = 0; i < shape->rows; i++)
        a[i] = 0;
}

void either(int *a, int *b, int n, int which)
{
    int *to = which ? a : b;
    for (int i = 0; i < n; i++)
        to[i] = 0;
}

int width;
float image[64][64];

void global_size(void)
{
    for (int i = 0; i < 64; i++)
        for (int j = 0; j < width; j++)
            image[i][j] = 0;
}

void unknown_call(struct shape *shape, double *a)
{
    extern void act(void);
    for (int i = 0; i < shape->rows; i++) {
        act();
        a[i] = 0;
    }
}

static int third(int x) { return 3 * x; }
static int sixth(int x) { return 2 * third(x); }
static int twelfth(int x) { return 2 * sixth(x); }

void deep(int *a, int n)
{
    for (int i = 0; i < n; i++)
        a[sixth(i)] = 0;
}

void deeper(int *a, int n)
{
    for (int i = 0; i < n; i++)
        a[twelfth(i)] = 0;
}
