/* One access per verdict of the address oracle; what is observed follows from main. */
static int all[64], some[64], picked[64];
static long double wide[8];

static void every(int n, int *a)
{
    for (int i = 0; i < n; i++)
        a[i] = i;
}

static void sometimes(int n, const int *a, int *b)
{
    for (int i = 0; i < n; i++)
        if (a[i] > 4)
            b[i] = 1;
}

static void through(int n, const int *place, int *b)
{
    for (int i = 0; i < n; i++)
        b[place[i]] = 2;
}

static void extended(int n)
{
    for (int i = 0; i < n; i++)
        wide[i] = 1;
}

static void again(int n, int *a)
{
    a[n] = n;
    if (n > 0)
        again(n - 1, a + 1);
}

int main(int argc, char **argv)
{
    (void)argv;
    every(7, all);
    every(20, all + 7);
    sometimes(8, all, some);
    through(6, all, picked);
    extended(4);
    again(5, some);
    if (argc > 1)
        every(1, picked + 3);
    return 0;
}
