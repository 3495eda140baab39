/* Nests whose loops can be mapped to a grid in several ways. */
void add(int n, const int *a, const int *b, int *c)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            c[i * n + j] = a[i * n + j] + b[i * n + j];
}

/* One access is better one way, the other the other way. */
void transpose(int n, const double *a, double *b)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            b[j * n + i] = a[i * n + j];
}

/* One index of two, one pointer of two. */
void either(int n, int m, const int *a, const int *b, int *c)
{
    for (int i = 0; i < n; i++) {
        int k = i < m ? 2 * i : i + m;
        const int *p = m > 4 ? a : b;
        c[i] = a[k] + p[3 * i];
    }
}

/* What is read decides where is read; a square; a quotient; downwards. */
void irregular(int n, const int *index, const float *a, float *b)
{
    for (int i = 0; i < n; i++)
        b[n - 1 - i] = a[index[i]] + a[i * i] + a[i / 2];
}

/* A stride of any sign, and colours of three bytes. */
void strides(int n, int s, const int *a, const unsigned char *pixels, unsigned char *grey)
{
    for (int i = 0; i < n; i++)
        grey[i] = pixels[3 * i] / 4 + pixels[3 * i + 1] / 2 + pixels[3 * i + 2] / 4 + a[s * i];
}

/* Three loops. */
void scale(int n, float factor, float *a)
{
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 16; j++)
            for (int k = 0; k < 64; k++)
                a[(i * 16 + j) * 64 + k] *= factor;
}

/* A product of matrices: the loop inside is run by every thread. */
void product(int n, const float *a, const float *b, float *c)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            float sum = 0;
            for (int k = 0; k < n; k++)
                sum += a[i * n + k] * b[k * n + j];
            c[i * n + j] = sum;
        }
}

/* Five points of a grid; three of a line, of which one is missing in the second. */
void heat(int n, const double *a, double *b)
{
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++)
            b[i * n + j] = a[i * n + j] + a[i * n + j - 1] + a[i * n + j + 1] + a[(i - 1) * n + j] + a[(i + 1) * n + j];
}

void line(int n, const int *a, const int *b, int *c)
{
    for (int i = 1; i < n - 1; i++)
        c[i] = a[i - 1] + a[i] + a[i + 1] + b[i - 1] + b[i + 1];
}

/* Neighbours interleave and share nothing; a filter that is read backwards; a triangle. */
void spread(int n, const int *a, int *b)
{
    for (int i = 0; i < 64; i++) {
        int sum = 0;
        for (int k = 0; k < 8; k++)
            sum += a[64 * k + i];
        b[i] = sum + n;
    }
}

void filtered(int n, int m, const float *a, const float *filter, float *b)
{
    for (int i = 0; i < n; i++) {
        float sum = 0;
        for (int k = 0; k < m; k++)
            sum += a[i - k + m] * filter[k];
        b[i] = sum;
    }
}

void triangle(int n, const float *a, float *b)
{
    for (int i = 0; i < n; i++) {
        float sum = 0;
        for (int k = 0; k < i; k++)
            sum += a[k];
        b[i] = sum;
    }
}

/* All lanes take the same way. */
void shared_choice(int n, int m, const int *a, int *c)
{
    for (int i = 0; i < n; i++) {
        int k = m < 7 ? 2 * i : i + 64;
        c[i] = a[k];
    }
}

/* Windows of three, two apart; a pointer that is read in two manners. */
void pooled(int n, const int *a, int *b)
{
    for (int i = 0; i < n; i++) {
        int sum = 0;
        for (int k = 0; k < 3; k++)
            sum += a[2 * i + k];
        b[i] = sum;
    }
}

void mixed(int n, int m, const int *a, int *b)
{
    for (int i = 0; i < n; i++) {
        int sum = a[i];
        for (int k = 0; k < m; k++)
            sum += a[m * i + 64 + k];
        b[i] = sum;
    }
}

/* A pointer of two for each lane. */
void pointers(int n, int m, const int *a, const int *b, int *c)
{
    for (int i = 0; i < n; i++) {
        const int *p = i < m ? a : b;
        c[i] = p[i];
    }
}
