void pos(int n, const int *a, int *b)
{
    for (int i = 0; i < n; i++) {
        int v = a[i];
        if (v < 0)
            continue;
        b[i] = v;
    }
}
void nested(int n, int m, const double *a, double *b)
{
    for (int i = 0; i < n; i++) {
        double s = 0;
        for (int j = 0; j < m; j++) {
            double x = a[i * m + j];
            if (x < 0)
                continue;
            s += x;
        }
        b[i] = s;
    }
}
