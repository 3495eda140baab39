/* Values that go around in other types than they are computed in, places that the body chooses, and counters that others advance. */
#include "common.h"
#include <algorithm>
#include <alloca.h>
#include <functional>
#include <new>
#include <utility>
typedef bool flag; typedef int num; struct Any { flag any; num k; };
ALONE int any_of(const int *a, int n) {
    flag b = false;
    for (int i = 0; i < n; i++) //= no
        b += a[i];
    return b;
}
ALONE int odd(const int *a, int n) {
    flag b = false;
    for (int i = 0; i < n; i++) //= no
        b ^= a[i];
    return b;
}
ALONE int in_a_member(const int *a, int n) {
    Any s = {false, 0};
    for (int i = 0; i < n; i++) //= no
        s.any += a[i];
    return s.any;
}
ALONE int cut(const int *a, int n) {
    num s = 0;
    for (int i = 0; i < n; i++) //= no
        s += a[i] * 0.3;
    return s;
}
ALONE int cut_by_inference(const int *a, int n) {
    auto s = 0;
    for (int i = 0; i < n; i++) //= no
        s += a[i] * 0.3;
    return s;
}
ALONE int cut_in_an_element(const int *a, int n) {
    int h[4] = {0, 0, 0, 0};
    for (int i = 0; i < n; i++) //= no
        h[2] += a[i] * 0.3;
    return h[2];
}
ALONE int whole(const int *a, int n) {
    num s = 0;
    for (int i = 0; i < n; i++) //= reduction
        s += a[i] * 3;
    return s;
}
ALONE double of_whole_parts(const int *a, int n) {
    double s = 0;
    for (int i = 0; i < n; i++) //= reduction
        s += (int)(a[i] * 0.3) * 0.5;
    return s;
}
ALONE int narrow_maximum(const int *a, int n) {
    short m = 0;
    for (int i = 0; i < n; i++) //= no
        if (a[i] * 1 > m) m = a[i];
    return m;
}
ALONE int narrow(const int *a, int n) {
    short m = 0;
    for (int i = 0; i < n; i++) //= no
        if (a[i] > m) m = a[i];
    return m;
}
ALONE int unsigned_elements(const unsigned *a, int n) {
    int m = 5;
    for (int i = 0; i < n; i++) //= no
        if (a[i] > m) m = a[i];
    return m;
}
ALONE long wide(const int *a, int n) {
    long m = 0;
    for (int i = 0; i < n; i++) //= reduction
        if (a[i] > m) m = a[i];
    return m;
}
ALONE void chosen(double *b, const double *a, int n) {
    double p = 0, q = 0;
    for (int i = 0; i < n; i++) { //= no
        double &r = i & 1 ? p : q;
        b[i] = r;
        r = a[i];
    }
}
ALONE void chosen_element(double *b, const double *a, int n) {
    double p[2] = {0, 0};
    for (int i = 0; i < n; i++) { //= no
        double &r = p[i & 1];
        b[i] = r; r = a[i];
    }
}
ALONE void own_element(double *b, const double *a, int n) {
    for (int i = 0; i < n; i++) { //= yes
        double &r = b[i];
        r = a[i];
        r += 1;
    }
}
ALONE void walked(double *b, const double *a, int n) {
    double p[2] = {0, 0};
    for (int i = 0; i < n; i++) { //= no
        for (double *r = p; r < p + 2; r++) {
            b[i] += *r;
            *r = a[i];
        }
    }
}
ALONE void one_line(double *p, double *b, const double *a, int n) {
    for (int i = 0; i < n; i++) { //= no
        double *r = p + i % 2;
        b[i] += *r; *r = a[i];
    }
}
ALONE void two_flags(int *f, int *g, const int *a, int n) {
    for (int i = 0; i < n; i++) { //= no
        if (a[i] == 5) *f = 1; if (a[i] == 6) *g = 0; }
}
static void skip(int &k) { k++; }
static void (*advance)(int &) = skip;
struct Skipper { void operator()(int &k) const { k++; } };
ALONE void by_lambda(int *b, int n) {
    auto up = [](int &k) { k++; };
    for (int i = 0; i < n; i++) { //= no
        if (b[i] == 3) up(i);
        b[i] += 10;
    }
}
ALONE void by_pointer(int *b, int n) {
    for (int i = 0; i < n; i++) { //= no
        if (b[i] == 3) advance(i);
        b[i] += 10;
    }
}
ALONE void by_object(int *b, int n) {
    Skipper up;
    for (int i = 0; i < n; i++) { //= no
        if (b[i] == 3) up(i);
        b[i] += 10;
    }
}
ALONE void by_wrapper(int *b, int n, const std::function<void(int &)> &up) {
    for (int i = 0; i < n; i++) { //= no
        if (b[i] == 3) up(i);
        b[i] += 10;
    }
}
ALONE void by_exchange(int *b, int n) {
    for (int i = 0; i < n; i++) { //= no
        int k = i + 1;
        if (b[i] == 3) std::swap(i, k);
        b[i] += 10;
    }
}
ALONE void by_value(int *b, int n) {
    auto up = [](int k) { return k + 1; };
    for (int i = 0; i < n; i++) { //= yes
        b[i] += up(i);
    }
}
static inline void halve(double *y, int k, double x) { y[k] = y[k] * 0.5 + x; }
#pragma GCC push_options
#pragma GCC optimize("unroll-loops")
ALONE void in_pairs(double *y, const int *place, const double *a, int n) {
    for (int i = 0; i < n; i++) //= no
        halve(y, place[i], a[i]);
}
ALONE void apart(double *y, const double *a, int n) {
    for (int i = 0; i < n; i++) //= yes
        halve(y, i, a[i]);
}
#pragma GCC pop_options
struct Row { double w[8]; };
alignas(16) static char storage[sizeof(Row)];
ALONE void made_in_place(double *b, const double *a, int n) {
    for (int i = 0; i < n; i++) { //= private
        Row *p = new (storage) Row;
        for (int k = 0; k < 8; k++) p->w[k] = a[i] * k;
        double s = 0;
        for (int k = 0; k < 8; k++) s += p->w[k];
        b[i] = s;
    }
}
ALONE double left_in_place(const double *a, int n) {
    for (int i = 0; i < n; i++) //= no
        new (storage) double(a[i]);
    return *(double *)storage;
}
ALONE void at_least(int *b, int n) {
    for (int i = 0; i < n; i++) //= yes
        b[i] += std::max(i, 5);
}
ALONE void left_on_the_stack(int *b, int n) {
    int *p = (int *)alloca(16);
    *p = 5;
    for (int i = 0; i < n; i++) { //= no
        if (i > n - 30) *p = i;
        b[i] = *p;
    }
}
ALONE void scratch_on_the_stack(double *b, const double *a, int n) {
    double *s = (double *)alloca(16);
    for (int i = 0; i < n; i++) { //= private
        s[0] = a[i];
        s[1] = s[0] * 2;
        b[i] = s[0] + s[1];
    }
}
ALONE int unsigned_variable(const int *a, int n) {
    unsigned m = 5;
    for (int i = 0; i < n; i++) //= reduction
        if (a[i] > m) m = a[i];
    return m;
}
ALONE void own_array(double *b, const double *a, int n) {
    for (int i = 0; i < n; i++) { //= yes
        double t[3] = {a[i], 1, 2}, s = 0;
        for (double &x : t) x *= 2;
        for (double x : t) s += x;
        b[i] = s;
    }
}
int main(void) {
    enum { N = 300 };
    static int a[N]; static unsigned u[N]; static double x[N], y[N], p[2]; static int few[N], half[N]; int f = 0;
    int *b = zeros(2 * N);
    for (int i = 0; i < N; i++) { a[i] = i * 53 % 97 * 1000 + 1; u[i] = i % 9 == 4 ? 0xffffffffu - i : i % 9; x[i] = i % 11; few[i] = i % 9; half[i] = i / 2; }
    printf("%d %d %d %d %d %d %d %g\n", any_of(a, N), odd(a, N), in_a_member(a, N), cut(a, N), cut_by_inference(a, N), cut_in_an_element(a, N), whole(a, N), of_whole_parts(a, N));
    printf("%d %d %d %ld\n", narrow_maximum(a, N), narrow(a, N), unsigned_elements(u, N), wide(a, N));
    chosen(y, x, N); chosen_element(y, x, N); own_element(y, x, N); walked(y, x, N); one_line(p, y, x, N); two_flags(&f, &f, few, N); in_pairs(y, half, x, N); apart(y, x, N);
#define T(call) for (int i = 0; i < N; i++) b[i] = i / 2 % 7; call; show(#call, b, N);
    T(by_lambda(b, N)) T(by_pointer(b, N)) T(by_object(b, N)) T(by_wrapper(b, N, skip)) T(by_exchange(b, N)) T(by_value(b, N)) T(at_least(b, N)) T(left_on_the_stack(b, N))
    made_in_place(y, x, N); scratch_on_the_stack(y, x, N); own_array(y, x, N);
    printf("%d\n", unsigned_variable(a, N));
    double s = left_in_place(x, N);
    for (int i = 0; i < N; i++) s += y[i] * (i % 5);
    printf("%g %d\n", s, f);
    return 0;
}
