/* Choices that the compiler writes as selects, as branches, and among vectors. */
int clamped(const int *a, int n, int most)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i < most ? i : most - 1];
    return sum;
}

void least_and_most(const int *a, int n, int *least, int *most)
{
    int low = a[0], high = a[0];
    for (int i = 1; i < n; i++) {
        low = a[i] < low ? a[i] : low;
        high = a[i] > high ? a[i] : high;
    }
    *least = low;
    *most = high;
}

int ordered(int x, int y)
{
    int low = x < y ? x : y;
    int high = x < y ? y : x;
    return high - low;
}
