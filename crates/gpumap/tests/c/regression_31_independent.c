/* Iterations that touch different parts of an array, and some that do not. */
void columns_inside(int n, int m, double *a)
{
    for (int i = 0; i < n; i++) {
        double first = i;
        for (int j = 0; j < m; j++)
            a[i * m + j] = first + j;
    }
}
void strided(int n, int s, double *a)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < s; k++)
            a[i * s + k] += 1;
}
void transposed(int n, double *a)
{
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            a[i * n + j] *= 2;
}
void interleaved(int n, float *a)
{
    for (int i = 0; i < n; i++) {
        a[3 * i] = a[3 * i + 2];
        a[3 * i + 1] = 0;
    }
}
void halves(int n, double *a)
{
    for (int i = 0; i < n; i++)
        a[i] = a[n + i];
}
void mirrored(int n, double *a)
{
    for (int i = 0; i < n / 2; i++)
        a[i] = a[n - 1 - i];
}
void shifted(int n, int m, double *a)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            a[i * (m + 1) + j] = a[i * (m + 1) + m];
}
void overlapping(int n, int m, double *a)
{
    for (int i = 0; i < n; i++) a[i] = a[2 * i];
}
void stencil(int n, double *a)
{
    for (int i = 1; i < n; i++)
        a[i] = a[i - 1] + 1;
}
void half_up_to(int n, double *a)
{
    for (int i = 0; i <= n / 2; i++)
        a[i] = 1;
}
