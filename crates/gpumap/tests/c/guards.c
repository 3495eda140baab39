/* Accesses that are not made in every iteration: the section is that of the iterations in which they are. */
void below(double *a, double *b, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            for (int k = 0; k < j; k++)
                b[k] = a[i * n + j];
}

void inside(int *a, const int *b, int n)
{
    for (int i = 0; i < n; i++)
        if (i > 1 && i < n - 3)
            a[i] = b[i - 2] + b[i + 3];
}

void above(int *a, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (j > i)
                a[i * n + j] = 1;
}

void skewed(int *a, int n, int m)
{
    for (int t = 0; t < n + m - 1; t++)
        for (int i = 0; i < n; i++) {
            int j = t - i;
            if (j >= 0 && j < m)
                a[i * m + j] = t;
        }
}

/* No bound of i follows from what is loaded, nor from a product of iterations. */
void undecided(int *a, const int *b, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            if (i < b[j])
                a[i] = 1;
            if (i * j > 10)
                a[n + i] = 2;
        }
}

void remainders(int *a, int *b, int n)
{
    for (int i = 0; i < n; i++)
        a[i & 15] = b[5 * n - 3 * (i % 7)];
}
