void rows(int n, int m, double **a, double **b)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            b[i][j] = 2 * a[i][j];
}
void cube(int n, double ***a)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                a[i][j][k] = i + j + k;
}
struct vec { double *x; int n; };
void structs(int n, struct vec *v)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < v[i].n; j++)
            v[i].x[j] = 0;
}
