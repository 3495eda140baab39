/* Sizes and addresses in memory: what stays the same, what is assumed to, and a run in which it does not. */
struct row {
    long size;
    int *at;
};

static int numbers[32], size = 6;

/* An int is no long and no pointer. */
static void kept(struct row *row)
{
    for (long i = 0; i < row->size; i++)
        row->at[i] = 1;
}

/* Nothing but the assumption that a does not hold the size. */
static void assumed(int *a, const int *n)
{
    for (int i = 0; i < *n; i++)
        a[i] = 3;
}

static void refuted(int *a, const int *n)
{
    for (int i = 0; i < *n; i++)
        a[i] = 3;
}

/* Loaded twice, with a store in between that changes it. */
static void changed(int *a, int *n)
{
    for (int i = 0; i < *n; i++)
        a[i] = 1;
    *n = 9;
    for (int i = 0; i < *n; i++)
        a[i] = 2;
}

int main(void)
{
    struct row row = {12, numbers + 2};
    kept(&row);
    assumed(numbers, &size);
    numbers[2] = 8;
    refuted(numbers, numbers + 2);
    changed(numbers, &size);
    return 0;
}
