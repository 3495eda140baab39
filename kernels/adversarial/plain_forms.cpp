// Loops that are parallel in some form and easily taken for less: loops without a canonical header, minima by else-if and through
// pointers, swaps, references that are bound in the body.
#include "common.h"
#include <utility>
#include <vector>
struct vec { double x, y; };
ALONE void count_down(int *o, int n) {
    while (n--) //= induction|words
        o[n] = n * 3 + 1;
}
ALONE int count_down_sum(const int *a, int n) {
    int s = 0;
    while (n--) //= reduction|induction|words
        s += a[n];
    return s;
}
ALONE void pointer_down(int *p, int n) {
    while (n-- > 0) //= induction|words
        *p++ = n;
}
ALONE void count_before(int *o, int n) {
    int i = 0;
    do o[i] = i * 5; while (++i < n); //= induction|words
}
ALONE void count_before_block(int *o, const int *a, int n) {
    int i = 0;
    do {
        o[i] = a[i] * 5;
    } while (++i < n); //= induction|words
}
ALONE void count_after(int *o, const int *a, int n) {
    int i = 0;
    while (i < n) { //= induction|words
        o[i] = a[i] + 1;
        i++;
    }
}
ALONE int between(const int *a, int n) {
    int lo = 1000, hi = -1000;
    // What lowers the minimum is not looked at for the maximum: threads that begin anew lose some.
    for (int i = 0; i < n; i++) { //= no
        if (a[i] < lo) lo = a[i];
        else if (a[i] > hi) hi = a[i];
    }
    return hi - lo;
}
ALONE int both(const int *a, int n) {
    int lo = 1000, hi = -1000;
    for (int i = 0; i < n; i++) { //= reduction
        if (a[i] < lo) {
            lo = a[i];
        }
        if (a[i] > hi) {
            hi = a[i];
        }
    }
    return hi - lo;
}
ALONE void least(const double *a, int n, double *m) {
    for (int i = 0; i < n; i++) { //= reduction|words
        if (a[i] < *m)
            *m = a[i];
    }
}
ALONE void least_line(const double *a, int n, double *m) {
    for (int i = 0; i < n; i++) //= reduction|words
        if (a[i] < *m) *m = a[i];
}
ALONE void ends_swapped(int *a, int n) {
    for (int i = 0; i < n / 2; i++) //= yes
        std::swap(a[i], a[n - 1 - i]);
}
ALONE void rows_swapped(std::vector<int> &a, std::vector<int> &b) {
    for (size_t i = 0; i < a.size(); i++) //= yes
        std::swap(a[i], b[i]);
}
ALONE void bound(std::vector<int> &a, const std::vector<int> &b) {
    for (size_t i = 0; i < a.size(); i++) { //= yes
        int &x = a[i];
        const int &y = b[i];
        x = y * 2 + 1;
    }
}
ALONE void bound_twice(std::vector<vec> &a) {
    for (auto &v : a) { //= yes
        double &x = v.x, &y = v.y;
        double t = x;
        x = y + 1;
        y = t;
    }
}
ALONE void bound_along(std::vector<int> &a) {
    for (size_t i = 1; i < a.size(); i++) { //= no
        int &x = a[i];
        const int &y = a[i - 1];
        x = y * 2 + 1;
    }
}
ALONE void bits_read(const std::vector<bool> &f, int *o, int n) {
    for (int i = 0; i < n; i++) //= yes
        o[i] = f[i] ? i : -i;
}
ALONE void promised(double *__restrict a, double *__restrict b, const double *__restrict c, int n) {
    for (int i = 0; i < n; i++) { //= yes
        a[i] = 0;
        b[i] = c[i] * 2;
    }
}
ALONE void object_made(int *o, const int *a, int n) {
    struct pair_of {
        int a, b;
        pair_of(int x, int y) : a(x), b(y) {}
    };
    for (int i = 0; i < n; i++) { //= yes
        pair_of p(a[i], i);
        o[i] = p.a * p.b;
    }
}
int main() {
    enum { N = 300 };
    int *a = integers(N), *o = integers(N);
    double *x = reals(N), *y = reals(N), *z = reals(N), m = 1e9, k = 1e9;
    std::vector<int> v(a, a + N), w(o, o + N);
    std::vector<vec> u(N, vec{1, 2});
    std::vector<bool> f(N);
    for (int i = 0; i < N; i += 3) f[i] = true;
#define R(k) k; show(#k, o, N);
    R(count_down(o, N)) R(pointer_down(o, N)) R(count_before(o, N)) R(count_before_block(o, a, N)) R(count_after(o, a, N))
    R(ends_swapped(o, N)) R(bits_read(f, o, N)) R(object_made(o, a, N))
    rows_swapped(v, w); bound(v, w); bound_twice(u); bound_along(v);
    least(x, N, &m); least_line(x, N, &k); promised(x, y, z, N);
    printf("%d %d %d %g %g %d %g\n", count_down_sum(a, N), between(a, N), both(a, N), m, k, v[N - 1], u[3].x);
    show_reals("y", y, N);
}
