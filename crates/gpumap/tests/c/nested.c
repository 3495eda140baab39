/* Structures by value, copies of structures, and rows behind pointers. */
struct view {
    long rows, columns;
    int *cells;
};

void by_value(struct view v)
{
    for (long i = 0; i < v.rows; i++)
        for (long j = 0; j < v.columns; j++)
            v.cells[i * v.columns + j] = 1;
}

void copied(const struct view *v)
{
    struct view own = *v;
    for (long i = 0; i < own.rows * own.columns; i++)
        own.cells[i] = 1;
}

struct size {
    int width, height;
};

void small(struct size s, float *a)
{
    for (int y = 0; y < s.height; y++)
        for (int x = 0; x < s.width; x++)
            a[y * s.width + x] = 1;
}

int sum(int **a, int n, int m)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            sum += a[i][j];
    return sum;
}

struct row {
    int length;
    double *cells;
};

void scale(struct row *rows, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 8; j++)
            rows[i].cells[j] *= 2;
}
