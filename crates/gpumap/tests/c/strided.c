/* Every fourth element, from a negative start. */
void sum(int *restrict a, const int *restrict b, const int *restrict c, int n)
{
    for (int i = -n; i < n; i += 4)
        a[i + 2 * n] = b[i + n] + c[i + n];
}
