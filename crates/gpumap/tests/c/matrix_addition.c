/* Sum of two matrices, the result through a structure. */
struct matrix {
    int rows;
    int *data;
};

void add(int *a, int *b, struct matrix *c, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            c->data[i * n + j] = a[i * n + j] + b[i * n + j];
}
