/* Stores that write something together. */
void colours(int n, const unsigned char *in, unsigned char *out)
{
    for (int i = 0; i < n; i++) {
        out[3 * i + 2] = in[i];
        out[3 * i] = in[i];
        out[3 * i + 1] = in[i];
    }
}

/* A hole in every pixel. */
void two_of_three(int n, const unsigned char *in, unsigned char *out)
{
    for (int i = 0; i < n; i++) {
        out[3 * i] = in[i];
        out[3 * i + 2] = in[i];
    }
}

/* One of them not always. */
void sometimes(int n, const unsigned char *in, unsigned char *out)
{
    for (int i = 0; i < n; i++) {
        out[2 * i] = in[i];
        if (in[i] > 4)
            out[2 * i + 1] = in[i];
    }
}

struct pair {
    int first;
    int second;
};

void pairs(int n, int m, struct pair *out)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            out[i * m + j].second = i;
            out[i * m + j].first = j;
        }
}

/* Rows with a margin. */
void margin(int n, int m, struct pair *out)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            out[i * (m + 1) + j].second = i;
            out[i * (m + 1) + j].first = j;
        }
}

/* Downwards, overlapping. */
void downwards(int n, short *out)
{
    for (int i = n; i > 0; i--) {
        out[2 * i - 2] = 1;
        out[2 * i - 1] = 2;
        out[2 * i - 2] = 3;
    }
}

/* The even ones first, the odd ones later. */
void apart(int n, short *out)
{
    for (int i = 0; i < n; i++)
        out[2 * i] = 1;
    for (int i = 0; i < n; i++)
        out[2 * i + 1] = 2;
}
