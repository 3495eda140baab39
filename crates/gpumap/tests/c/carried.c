/* Pointers and counters that an inner loop moves on and the outer one carries. */
void rows(double *p, int n, int m)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            *p++ = 1;
}

/* One row after the other, each one longer. */
void triangle(double *a, int n)
{
    int at = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            a[at++] = 1;
}

void falling(double *a, int n)
{
    int at = 0;
    for (int i = 0; i < n; i++)
        for (int j = i; j < n; j++)
            a[at++] = 1;
}

/* What a first loop has moved on, a second one goes on with. */
void after(double *p, int n, int m)
{
    for (int i = 0; i < n; i++)
        *p++ = 1;
    for (int i = 0; i < m; i++)
        *p++ = 2;
}

/* Not by the same number in each row. */
void ragged(double *p, const int *length, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < length[i]; j++)
            *p++ = 1;
}

/* Sums of the counter. */
void squares(int *a, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++) {
        a[sum] = 1;
        sum += 2 * i + 1;
    }
}

void same(int *a, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0, k = 0; j < n; j++, k++)
            if (j > i)
                a[k - i] = 1;
}
