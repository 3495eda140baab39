/* Storage that a loop reaches by a second name, that each thread has its own of, or whose size the compiler does not know. */
#include "common.h"
#include <fenv.h>
#include <math.h>

static int t, pos, buf[8];
static _Thread_local int base, table[4];

ALONE void read_by_pointer(const int *view, int *o, const int *a, int n)
{
    for (int i = 0; i < n; i++) { //= words
        t = a[i] * 2;
        o[i] = *view + 1;
    }
}

ALONE void row_by_pointer(const int *view, int *o, const int *a, int n)
{
    for (int i = 0; i < n; i++) { //= words
        buf[0] = a[i];
        buf[1] = a[i] * 2;
        o[i] = view[0] + view[1];
    }
}

ALONE void thread_base(int *o, const int *a, int n)
{
    for (int i = 0; i < n; i++) //= words
        o[i] = a[i] + table[i & 3];
}

ALONE void thread_table(const int *a, int n)
{
    for (int i = 0; i < n; i++) //= words|no
        table[i & 3] = a[i];
}

ALONE void work_before(int *o, const int *a, int n, int m)
{
    int w[m];
    for (int i = 0; i < n; i++) { //= words|private
        for (int k = 0; k < m; k++) //= yes
            w[k] = a[i] * k;
        o[i] = w[1] + w[m - 1];
    }
}

ALONE void work_inside(int *o, const int *a, int n, int m)
{
    for (int i = 0; i < n; i++) { //= yes
        int w[m];
        for (int k = 0; k < m; k++) //= yes
            w[k] = a[i] * k;
        o[i] = w[1] + w[m - 1];
    }
}

ALONE void rounding(double *o, int n)
{
    for (int i = 0; i < n; i++) { //= no|unknown
        o[i] = rint(i * 0.3);
        if (i == n / 2)
            fesetround(FE_UPWARD);
    }
    fesetround(FE_TONEAREST);
}

int main(void)
{
    enum { N = 40 };
    int a[N], o[N];
    double r[N];
    for (int i = 0; i < N; i++)
        a[i] = i * 7 % 11;
    read_by_pointer(&t, o, a, N);
    pos += o[N - 1];
    row_by_pointer(buf, o, a, N);
    pos += o[N - 1];
    base = 3;
    for (int i = 0; i < 4; i++)
        table[i] = base * i;
    thread_base(o, a, N);
    pos += o[N - 1];
    thread_table(a, N);
    pos += table[2];
    work_before(o, a, N, 6);
    pos += o[3];
    work_inside(o, a, N, 6);
    pos += o[5];
    rounding(r, N);
    printf("%d %g\n", pos, r[N - 1]);
    return 0;
}
