/* Loops that are counted, and not of the form that directives need. */
#define EACH(i, n) for (int i = 0; i < n; i++)
void two_counters(int n, const int *a, int *b)
{
    for (int i = 0, j = n - 1; i < n; i++, j--)
        b[i] = a[j];
}
void walking(const int *p, const int *end, int *q)
{
    while (p != end)
        *q++ = *p++;
}
void of_macro(int n, int *a)
{
    EACH(i, n)
        a[i] = i;
}
void exit(int status) __attribute__((noreturn));
void checked(int n, double *a)
{
    for (int i = 0; i < n; i++) {
        if (a[i] <= 0)
            exit(1);
        a[i] = 1 / a[i];
    }
}
