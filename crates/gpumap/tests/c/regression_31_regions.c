/* Regions of OpenMP. */
double dot(int n, const double *x, const double *y)
{
    double sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}
void region(int n, double *x)
{
#pragma omp parallel
    {
#pragma omp for
        for (int i = 0; i < n; i++)
            x[i] = 2 * x[i];
    }
}
