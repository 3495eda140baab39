/* A quadratic index, an input read as characters, and values that branches bound. */
void ranges(const int *in, int *out, int n, int m)
{
    for (int i = 0; i < n; i++) {
        int k = i * i;
        out[i] = ((const char *)in)[k];
        if (i < m) {
            out[i] += i;
        } else {
            int j = i * out[0];
            int l = j * ((const char *)in)[i];
            out[i] += l;
        }
        int chosen = m > 10 ? n : m;
        int w = chosen + i;
        out[i] += w;
    }
}
