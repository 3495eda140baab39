/* Loops with several tests, loops that end where two values are equal, and intrinsics that choose numbers. */
void both(int *a, int n, int m)
{
    for (int i = 0; i < n && i < m; i++)
        a[i] = 1;
}

int copied(int *to, const int *from, const int *end, const int *last)
{
    int *start = to;
    while (from < end && to < last)
        *to++ = *from++;
    return to - start;
}

/* The first of a key, if there is one. */
int first(const int *a, int n, int key)
{
    int i = 0;
    while (i < n && a[i] != key)
        i++;
    return i;
}

void counted(double *a, unsigned n)
{
    for (unsigned i = 0; i != n; i++)
        a[i] = 1;
}

void backwards(double *a, unsigned n)
{
    for (unsigned i = n; i != 0; i--)
        a[i - 1] = 1;
}

void guarded(int *a, int n)
{
    if (n > 0)
        for (int i = 0; i != 2 * n; i += 2)
            a[i] = 1;
}

/* It may pass its end: n negative, or no multiple of three. */
void passing(int *a, int n)
{
    for (int i = 0; i != n; i += 3)
        a[i] = 1;
}

int walk(const int *p, const int *q)
{
    int sum = 0;
    while (p != q)
        sum += *p++;
    return sum;
}

/* The end moves: where they meet is not known. */
void moving(int *a, int n)
{
    for (int i = 0; i != n; i++) {
        a[i] = 1;
        if (a[i + 1])
            n--;
    }
}

void chosen(int *a, int n, int m)
{
    if (n < 1 || m < 1)
        return;
    int least = __builtin_elementwise_min(n, m);
    for (int i = 0; i < least; i++)
        a[i] = 1;
    for (int i = 0; i < n; i++)
        a[__builtin_elementwise_max(i, m)] = 2;
    for (int i = 0; i < 2 * n; i++)
        a[__builtin_abs(i - n)] = 3;
}

void chosen_unsigned(int *a, unsigned n, unsigned m)
{
    for (unsigned i = 0; i < n; i++)
        a[__builtin_elementwise_min(i, m)] = 1;
}

/* Proved to be the one that it is. */
void decided(int *a, int n)
{
    for (int i = 0; i < n; i++)
        a[__builtin_elementwise_min(i, n) + __builtin_elementwise_max(i, -1) + __builtin_abs(i + 1)] = 1;
}

/* The sum is made before the test: it wraps if the counter is at its end there, and that is the largest number. */
void before(char *a, unsigned n)
{
    for (unsigned i = 0;; i++) {
        a[i + 1] = 1;
        if (i == n)
            break;
    }
}

/* Ten is no multiple of three. */
void passed(int *a)
{
    for (unsigned char i = 0; i != 10; i += 3)
        a[i] = 1;
}
