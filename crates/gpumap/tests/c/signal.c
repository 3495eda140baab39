/* One-dimensional convolution of a signal whose border wraps. */
void convolve(double *out, const double *in, int size, int slice)
{
    for (int i = 0; i < size; i++) {
        double sum = 0;
        for (int k = i - slice; k < i + slice; k++) {
            int index = 0 <= k && k < size ? slice + k : size + k;
            sum += in[index];
        }
        out[i] = sum;
    }
}
