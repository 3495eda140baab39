/* Values without a closed form that branches bound, and values from several ways. */
int search(const int *a, int n, int key)
{
    int low = 0, high = n;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (a[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void doubling(int *a, int n)
{
    for (int i = 1; i < n; i *= 2)
        a[i] = i;
}

void histogram(const unsigned char *pixels, int *counts, int n)
{
    for (int i = 0; i < n; i++)
        counts[pixels[i]]++;
}

int clamped(const int *a, int n, int x)
{
    int at = x < 0 ? 0 : x >= n ? n - 1 : x;
    return n > 0 ? a[at] : 0;
}

void ring(int *a, int n, int steps)
{
    int at = 0;
    for (int i = 0; i < steps; i++) {
        a[at] = i;
        at++;
        if (at == 64)
            at = 0;
    }
}

void collatz(int *a, unsigned n)
{
    while (n > 1 && n < 1000) {
        a[n] = 1;
        n = n % 2 ? 3 * n + 1 : n / 2;
    }
}
