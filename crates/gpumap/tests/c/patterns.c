/* What branches say of one value by another: ALGORITHMS 7.4 and 7.5. */

/* φ with the same arguments are one variable. */
void equal(int *a, const long *b, int n, int m)
{
    for (int i = 0; i < n; i++) {
        long x, y;
        if (i < m) {
            x = b[i];
            y = x;
        } else {
            x = n;
            y = n;
        }
        if (y >= 0 && y < m)
            a[x] = 1;
    }
}

/* What is compared is made of one other value. */
void multiple(int *a, const long *b, long n)
{
    for (long i = 0; i < n; i++) {
        long k = b[i];
        long triple = 3 * k;
        if (triple >= 0 && triple < 3 * n)
            a[k] = 1;
    }
}

/* What is compared has several values: a + b > c with c > b makes a positive. */
void several(int *a, const long *v, int n, int b, int c)
{
    for (int i = 0; i < n; i++) {
        long x = v[i];
        if (c > b)
            if (x + b > c && x < n)
                a[x - 1] = 1;
    }
}

/* What a choice gives is restricted by its condition. */
void chosen(int *a, const long *v, int n)
{
    for (int i = 0; i < n; i++) {
        long x = v[i];
        long k = x < 0 ? 0 : x >= n ? n - 1 : x;
        a[k] = 1;
    }
}
