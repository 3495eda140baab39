/* Blocks that are filled and copied at once: of structures, of constant size, of any size, by functions of which nothing is known. */
#include <string.h>
struct cell { double x, y; int kind; };
void fill(int *a, int n);
void assigned(int n, const struct cell *from, struct cell *to)
{
    for (int i = 0; i < n; i++)
        to[i] = from[n - 1 - i];
}
void cleared(int n, int m, double *a)
{
    for (int i = 0; i < n; i++)
        memset(a + i * m, 0, m * sizeof *a);
}
void called(int n, int m, int *a)
{
    for (int i = 0; i < n; i++)
        fill(a + i * m, m);
}
void own(int n, const double *a, double *b)
{
    for (int i = 0; i < n; i++) {
        double row[4] = {0};
        for (int k = 0; k < 4; k++)
            row[k] += a[4 * i + k];
        b[i] = row[0] + row[i & 3];
    }
}
void outside(int n, const double *a, double *b)
{
    double row[4] = {0};
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < 4; k++)
            row[k] += a[4 * i + k];
        b[i] = row[i & 3];
    }
}
