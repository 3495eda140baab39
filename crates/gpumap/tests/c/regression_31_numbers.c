/* Numbers of types that a device has another meaning for, or none. */
void of_64_bits(int n, const long long *a, unsigned long long *b, unsigned long long k)
{
    for (int i = 0; i < n; i++)
        b[i] = (unsigned long long)a[i] + k + 5ULL;
}
void extended(int n, const long double *a, long double *b)
{
    for (int i = 0; i < n; i++)
        b[i] = a[i] * 2;
}
