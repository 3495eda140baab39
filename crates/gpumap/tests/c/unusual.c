/* What has no counted loops, or cannot be analysed: each function has one reason. */
#include <setjmp.h>
#include <stdarg.h>

static jmp_buf place;

int jumps(int *a, int n)
{
    if (setjmp(place))
        return 1;
    for (int i = 0; i < n; i++)
        a[i] = 0;
    return 0;
}

int variadic(int n, ...)
{
    va_list list;
    va_start(list, n);
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += va_arg(list, int);
    va_end(list);
    return sum;
}

void assembly(int *a, int n)
{
    for (int i = 0; i < n; i++) {
        __asm__ volatile("" : : : "memory");
        a[i] = i;
    }
}

void volatile_store(volatile int *a, int n)
{
    for (int i = 0; i < n; i++)
        *a = i;
}

double variable_rows(int n, int m, double a[n][m])
{
    double local[n];
    double sum = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            local[i] = sum += a[i][j];
    return local[0];
}

int irreducible(int *a, int n)
{
    int i = 0;
    if (n > 5)
        goto middle;
top:
    a[i] = 1;
middle:
    i++;
    if (i < n)
        goto top;
    return i;
}

int two_entries(int *a, int n)
{
    int i = 0;
    if (n & 1)
        goto second;
first:
    a[i++] = 1;
    if (i >= n)
        return i;
second:
    a[i++] = 2;
    if (i < n)
        goto first;
    return i;
}

int recursive(const int *a, int n)
{
    return n == 0 ? 0 : a[n - 1] + recursive(a, n - 1);
}

int computed(int n)
{
    static const void *const targets[] = {&&zero, &&one};
    goto *targets[n & 1];
zero:
    return 0;
one:
    return 1;
}

int cases(int *a, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++) {
        switch (a[i]) {
        case 1:
            sum += 2;
            break;
        case -7:
            sum -= 1;
            break;
        default:
            sum ^= 1;
        }
    }
    return sum;
}

_Atomic int shared;

long double wide(long double x, __int128 y)
{
    shared++;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    return x * (long double)(y + 12345678901234567890u);
}

int sums(const int *a, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += recursive(a, i);
    return sum;
}

void applies(int *a, int n, int (*function)(int))
{
    for (int i = 0; i < n; i++)
        a[i] = function(a[i]);
}
