/* Remainders and quotients whose signs nothing pins. */
void up_to_remainder(int n, const int *a, int *b)
{
    for (int i = 0; i < n % 2; i++)
        b[i] = a[i];
}
void halves(int n, const int *a, int *b)
{
    int odd = n % 2;
    for (int i = 0; i < n / 2; i++)
        b[i] = a[2 * i + odd];
}
void wrapped(int n, int width, const int *a, int *b)
{
    for (int i = 0; i < n; i++)
        b[i] = a[i % width] + a[i / width];
}
void cycled(unsigned n, unsigned width, const int *a, int *b)
{
    for (unsigned i = 0; i < n; i++)
        b[i] = a[i % width];
}
