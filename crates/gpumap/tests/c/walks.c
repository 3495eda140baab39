/* Pointers that walk, loops that count down, and loops without a counter. */
void set(int *p, int *q, int value)
{
    while (p != q)
        *p++ = value;
}

void reverse(double *a, const double *b, int n)
{
    for (int i = n - 1; i >= 0; i--)
        a[n - 1 - i] = b[i];
}

void thirds(int *p, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        p[i * 3u] = 0;
}

int list_length(const struct node { const struct node *next; int value; } *node)
{
    int length = 0;
    while (node) {
        length++;
        node = node->next;
    }
    return length;
}
