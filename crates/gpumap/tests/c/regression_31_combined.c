/* What iterations combine, and what they hand on. */
double greatest(int n, const double *a)
{
    double most = a[0];
    for (int i = 0; i < n; i++)
        if (a[i] > most)
            most = a[i];
    return most;
}
int least_by_choice(int n, const int *a)
{
    int least = 1000;
    for (int i = 0; i < n; i++)
        least = a[i] < least ? a[i] : least;
    return least;
}
double behind_condition(int n, const double *a)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        if (a[i] > 0)
            sum += a[i];
    return sum;
}
double nested(int n, int m, const double *a)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            sum += a[i * m + j];
    return sum;
}
int any(int n, const int *a)
{
    int found = 0;
    for (int i = 0; i < n; i++)
        found |= a[i] == 3;
    return found;
}
int where_least(int n, const double *a)
{
    int at = 0;
    double least = a[0];
    for (int i = 1; i < n; i++)
        if (a[i] < least) {
            least = a[i];
            at = i;
        }
    return at;
}
int last(int n, const int *a)
{
    int at = -1;
    for (int i = 0; i < n; i++)
        if (a[i] == 3)
            at = i;
    return at;
}
int packed(int n, const int *a, int *b)
{
    int count = 0;
    for (int i = 0; i < n; i++)
        if (a[i] > 0)
            b[count++] = a[i];
    return count;
}
int reset(int n, const int *a)
{
    int most = 0;
    for (int i = 0; i < n; i++) {
        if (a[i] > most)
            most = a[i];
        if (a[i] < 0)
            most = 0;
    }
    return most;
}
int noted(int n, const int *a, int *b)
{
    int most = 0;
    for (int i = 0; i < n; i++)
        if (a[i] > most) {
            most = a[i];
            b[i] = 1;
        }
    return most;
}
void prefix(int n, double *a)
{
    for (int i = 1; i < n; i++)
        a[i] += a[i - 1];
}
void columns(int n, int m, const double *a, double *sums)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            sums[j] += a[i * m + j];
}
void histogram(int n, const int *a, int *counts)
{
    for (int i = 0; i < n; i++)
        counts[a[i]]++;
}
