/* One index function, called from three places. */
static int at(int x)
{
    return 2 * x + 4;
}

void fill(int *a, int *b, int *c, int n)
{
    for (int i = 0; i < n; i++) {
        a[at(i)] = i;
        b[at(i * n)] = i;
        for (int k = 0; k < 10; k++)
            c[at(k)] = k;
    }
}
