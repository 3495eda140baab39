/* Borders: what lies beyond an array is not read, as conditions of all kinds see to. */
#define N 64
double in[N], out[N];
void ends(void)
{
    for (int i = 0; i < N; i++) {
        double left = i > 0 ? in[i - 1] : 0;
        double right = i < N - 1 ? in[i + 1] : 0;
        out[i] = left + right;
    }
}
void window(int n, int k, const double *a, double *b)
{
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = -k; j <= k; j++) {
            int p = i + j;
            if (p >= 0 && p < n)
                sum += a[p];
        }
        b[i] = sum;
    }
}
void clamped(int h, int w, const float *a, float *b)
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            int left = x - 1;
            if (left < 0)
                left = 0;
            int below = y + 1;
            if (below >= h)
                below = h - 1;
            b[y * w + x] = a[below * w + left];
        }
}
void as_unsigned(int h, int w, const float *a, float *b)
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            float sum = 0;
            for (int dy = -1; dy <= 1; dy++)
                for (int dx = -1; dx <= 1; dx++) {
                    int yy = y + dy, xx = x + dx;
                    if ((unsigned)yy < (unsigned)h && (unsigned)xx < (unsigned)w)
                        sum += a[yy * w + xx];
                }
            b[y * w + x] = sum;
        }
}
void whole(const int *mask, int n)
{
    for (int i = 0; i < n; i++)
        out[i - mask[i] % 3] = 1;
}
