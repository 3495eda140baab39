/* Counters of every kind: steps, readings, shapes of loops, and recursions that have no closed form. */
void steps(int *a, int n, int step)
{
    for (int i = 0; i < n; i += step)
        a[i] = i;
    for (int i = n; i > 0; i -= 3)
        a[i - 1] = i;
    for (int i = 1; i < n; i *= 2)
        a[i] = i;
    for (int i = 0, j = n; i < j; i++, j--)
        a[i] = a[j];
}

void readings(int *a, unsigned n, unsigned long m, unsigned char c)
{
    for (unsigned i = 0; i < n; i++)
        a[i] = 0;
    for (unsigned i = 0; i < n; i += 2)
        a[i] = 1;
    for (unsigned i = n; i-- > 0;)
        a[i] = 2;
    for (unsigned long i = 0; i < m; i++)
        a[i] = 3;
    for (unsigned char i = 0; i < c; i++)
        a[i] = 4;
    for (unsigned char i = c; i != 0; i++)
        a[i] = 5;
    for (short i = 0; i < (short)n; i++)
        a[i] = 6;
}

int afterwards(int *a, int n)
{
    int i, sum = 0, k = 0;
    for (i = 0; i < n; i++) {
        k += 2;
        a[i] = k;
    }
    for (int j = 0; j < 10; j++)
        sum += 3;
    do {
        n--;
        a[n] = 0;
    } while (n > 5);
    return a[i] + a[k] + sum + n;
}

void unresolved(int *a, int n)
{
    int previous = 1, current = 1, triangle = 0;
    for (int i = 0; i < n; i++) {
        int next = previous + current;
        previous = current;
        current = next;
        triangle += i;
        a[triangle] = current;
        if (a[i])
            i++;
        if (a[i] < 0)
            break;
    }
}

void triangular(double *a, int n)
{
    int position = 0;
    for (int i = 0; i < n; i++)
        for (int j = i; j < n; j++) {
            a[i * n + j] = a[j * (j + 1) / 2 + i];
            a[position++] = a[(n - 1 - i) * n + (j - i) / 2 + (j - i) % 3];
        }
}

void bits(int *a, int n, unsigned u)
{
    for (int i = -n; i < n; i++) {
        a[i & 7] = a[i >> 1];
        a[i << 1] = a[~i];
        a[u >> 3] = a[u % 5];
        a[(i / 4) * 4] = a[i % 4];
        a[-i - 1] = (char)i + (short)(i + 1);
    }
}

void walking(const char *from, char *to, long n)
{
    const char *end = from + n;
    while (from < end)
        *to++ = *from++;
    for (const char *back = end; back > from - n; back--)
        *to = back[-1];
}

struct row { int length; short cells[8]; struct { char tag; double weight; } parts[3]; };

double structures(struct row *rows, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 8; j++) {
            rows[i].cells[j] = (short)rows[i].length;
            sum += rows[i].parts[j % 3].weight;
        }
    return sum;
}

/* Quotients of quotients: each doubles what the next one is made of. */
unsigned mixed(unsigned *a, unsigned x)
{
    unsigned y = x & 1023;
    y = (y >> 1) + (y >> 3) + (y & 5);
    y = (y >> 1) + (y >> 3) + (y & 7);
    y = (y >> 1) + (y >> 3) + (y & 3);
    y = (y >> 1) + (y >> 3) + (y & 7);
    y = (y >> 1) + (y >> 3) + (y & 3);
    y = (y >> 1) + (y >> 3) + (y & 7);
    y = (y >> 1) + (y >> 3) + (y & 3);
    y = (y >> 1) + (y >> 3) + (y & 7);
    return a[y];
}
