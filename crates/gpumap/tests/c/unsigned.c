/* Unsigned counters and sizes: what is known of them where they are used. */
void counting_down(unsigned n, float *a, float *b)
{
    for (unsigned i = n; i-- > 0;)
        b[i] = 1;
    for (unsigned i = n; i > 0; i--)
        a[i - 1] = 2;
}

void sizes(unsigned long n, float *a)
{
    for (unsigned long i = 0; i < n; i++)
        a[i] = 1;
}

/* The step may wrap, and so may the sum. */
void wrapping(unsigned n, unsigned m, float *a, float *b)
{
    for (unsigned i = 0; i < n; i++)
        for (unsigned j = 0; j < m; j++)
            a[i + j] = 1;
    for (unsigned i = n; i >= 2; i -= 3)
        b[i] = 2;
}

/* Sizes are checked nowhere, but the innermost body runs only if they are positive. */
void cube(int n, double a[n][n][n])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                a[i][j][k] = 1;
}

static double faces[3][4][5];

void second(void)
{
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 5; j++)
            faces[1][i][j] = 1;
}

void enlarge(int rows, int columns, const double *in, double *out)
{
    for (int y = 0; y < 2 * rows; y++)
        for (int x = 0; x < 2 * columns; x++)
            out[y * 2 * columns + x] = in[y / 2 * columns + x / 2];
}
