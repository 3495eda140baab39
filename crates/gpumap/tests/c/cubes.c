/* Nests of three loops. */
void weigh(int n, const float *restrict a, float *restrict b)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                b[(i * n + j) * n + k] = a[(i * n + j) * n + k] * 2;
}

/* Columns are copied to planes. */
void turn(int n, const float *restrict a, float *restrict b)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                b[(k * n + j) * n + i] = a[(i * n + j) * n + k];
}

/* Each thread reads a box of three by two by two. */
void boxes(int n, int m, const float *restrict a, float *restrict b)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++) {
                float sum = 0;
                for (int x = 0; x < 2; x++)
                    for (int y = 0; y < 2; y++)
                        for (int z = 0; z < 3; z++)
                            sum += a[((i + x) * m + (j + y)) * m + (k + z)];
                b[(i * n + j) * n + k] = sum;
            }
}

/* What is computed between the loops is computed again by each thread. */
void between(int n, const float *restrict a, float *restrict b)
{
    for (int i = 0; i < n; i++) {
        float x = a[i];
        for (int j = 0; j < n; j++) {
            float y = x * a[j];
            for (int k = 0; k < n; k++)
                b[(i * n + j) * n + k] = y + k;
        }
    }
}

/* A fourth loop is run by the threads; a store between two loops ends the nest. */
void four(int n, float *restrict a)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                for (int l = 0; l < 4; l++)
                    a[((i * n + j) * n + k) * 4 + l] = l;
}

void ended(int n, float *restrict a, float *restrict b)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            a[i * n + j] = j;
            for (int k = 0; k < n; k++)
                b[(i * n + j) * n + k] = k;
        }
}

/* Lengths that follow from the iterations around. */
void pyramid(int n, float *restrict a)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            for (int k = 0; k < i + j; k++)
                a[(i * n + j) * 2 * n + k] = k;
}

/* One that does not. */
void ragged(int n, const int *restrict lengths, float *restrict a)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < lengths[j]; k++)
                a[(i * n + j) * n + k] = k;
}
