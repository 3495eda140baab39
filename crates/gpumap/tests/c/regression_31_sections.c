/* Sections that have bytes beside those that are used: what is not written stays as it was. */
void part_of_row(int n, int m, int r, double a[n][m], const double *b)
{
    for (int i = 1; i < m; i++)
        a[r][i] = b[i];
}
void all_rows(int n, int m, double a[n][m])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            a[i][j] = i + 2 * j;
}
struct sample { double value; double weight; };
void first_members(int n, struct sample *a)
{
    for (int i = 0; i < n; i++)
        a[i].value = i;
}
void plain(int n, double *a, const double *b)
{
    for (int i = 0; i < n; i++)
        a[i] = 2 * b[i];
}
void half_up_to(int n, double *a)
{
    for (int i = 0; i <= n / 2; i++)
        a[i] = 1;
}
double sum_of_some(int n, const double *a)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        if (a[i] > 1)
            sum += a[i];
    return sum;
}
double dot(int n, const double *x, const double *y)
{
    double sum = 0;
    if (x == y) {
        for (int i = 0; i < n; i++)
            sum += x[i] * x[i];
    } else {
        for (int i = 0; i < n; i++)
            sum += x[i] * y[i];
    }
    return sum;
}
