void copy_min(int n, int m, const int *a, int *b)
{
    int k = n < m ? n : m;
    for (int i = 0; i < k; i++)
        b[i] = a[i];
}
#define MIN(a, b) ((a) < (b) ? (a) : (b))
void copy_min2(int n, int m, const int *a, int *b)
{
    for (int i = 0; i < MIN(n, m); i++)
        b[i] = a[i];
}
