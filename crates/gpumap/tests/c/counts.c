/* Loops whose numbers of iterations say something about inputs. */
void plain(int n, int *a)
{
    for (int i = 0; i < n; i++)
        a[i] = i;
}

void fourth(int n, int *a)
{
    for (int i = -n; i < n; i += 4)
        a[i + n] = i;
}

void product(int n, int m, int *a, int *b)
{
    for (int i = 0; i < n; i++)
        a[i] = i;
    for (int j = 0; j < n * m; j++)
        b[j] = j;
}

void sums(int x, int y, int *a, int *b)
{
    for (int i = 0; i < x + y; i++)
        a[i] = i;
    for (int j = 0; j < x - y; j++)
        b[j] = j;
}

void chosen(int n, int m, int *a)
{
    int end = m > 10 ? n : 2 * m;
    for (int i = 0; i < end; i++)
        a[i] = i;
}

void square(int n, int *a)
{
    for (int i = 0; i < n * n; i++)
        a[i] = i;
}

void even(int n, int *a, int *b)
{
    for (int i = 0; i < 2 * n; i++)
        a[i] = i;
    for (int j = 0; j < n; j++)
        b[j] = j;
}

struct image {
    int width;
    int *data;
};

int member(struct image *image)
{
    int sum = 0;
    for (int i = 0; i < image->width; i++)
        sum += image->data[i];
    return sum;
}

int silent(int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum ^= i * sum;
    return sum;
}

void sum_of(struct image *image, int *a)
{
    int sum = 0;
    for (int i = 0; i < image->width; i++)
        sum += image->data[i];
    *a = sum;
}

/* What is written may be the bound. */
void bounded(struct image *image, int *a)
{
    for (int i = 0; i < image->width; i++)
        a[i] = i;
}
