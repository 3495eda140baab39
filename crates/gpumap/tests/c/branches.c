/* Branches that part the lanes of a warp, and branches that do not. */
void border(int n, int m, int *a)
{
    for (int i = 0; i < n; i++)
        if (i < m)
            a[i] = 1;
}

void parity(int n, int *a)
{
    for (int i = 0; i < n; i++)
        if (i % 2 == 0)
            a[i] = 1;
}

void single(int n, int m, int *a)
{
    for (int i = 0; i < n; i++)
        if (i == m)
            a[i] = 1;
}

void triangle(int n, const int *a, int *b)
{
    for (int i = 0; i < n; i++) {
        int sum = 0;
        for (int k = 0; k < i; k++)
            sum += a[k];
        b[i] = sum;
    }
}

/* Rows are alike in all lanes, columns are not. */
void frame(int n, int m, int *a)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (i >= m)
                if (j >= m)
                    a[i * n + j] = 1;
}

void window(int n, int m, const int *a, int *b)
{
    for (int i = 0; i < n; i++) {
        int sum = 0;
        for (int k = 0; k < m; k++) {
            int at = i + k - m / 2;
            if (at >= 0 && at < n)
                sum += a[at];
        }
        b[i] = sum;
    }
}

void data(int n, float limit, const int *a, const float *b, int *c)
{
    for (int i = 0; i < n; i++) {
        if (a[i] > 3)
            c[i] = 1;
        if (b[i] > limit)
            c[i] += 2;
        if (limit > 4)
            c[i] += 3;
    }
}

/* What comes behind a branch by data is counted as if all lanes came there. */
void behind(int n, int m, const int *a, int *b)
{
    for (int i = 0; i < n; i++)
        if (a[i] > 3)
            if (i < m)
                b[i] = 1;
}

/* Both ways meet before the second one. */
void meeting(int n, int m, int *a)
{
    for (int i = 0; i < n; i++) {
        if (i < m)
            a[i] = 1;
        else
            a[i] = 2;
        if (i % 3 == 1)
            a[i] += 1;
    }
}

/* Rows of different lengths: the inner one is mapped too. */
void slope(int n, int m, int *a)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            if (j < m)
                a[i * n + j] = 1;
}
