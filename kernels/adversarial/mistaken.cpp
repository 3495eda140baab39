/* Functions that may be taken for others, or for less than they do, where they are read in the place of their calls. */
#include "common.h"
#include <array>
static double T, X[304], A[304], R[32][32]; static int G;
static void count(double *s, double x) { *s += 1; }
static void choose(double *s, bool b, double x) { if (b) *s += x; }
static void later(double *s, double x, double y) { *s += y; }
static void whole(int *s, double x) { *s += x; }
struct Step { double v; Step(double x) : v(x - T) { T = x; } };
static void squares(double *s, Step c) { *s += c.v * c.v; }
static void mix(double &s, double x, double f = 0.5) { s = s * f + x; }
static void mix(float &s, double x) { s += x; }
template <class... P> static void all(double &s, P... p) { s = s * 0.5 + (p + ...); }
static void all(float &s, double x) { s += x; }
struct Base { double s = 0; void put(double x) { s = x - s; } void take(double x) { s = s * 0.5 + x; } };
static inline void put(double) {}
struct Derived : Base {
    using Base::take;
    void take(float x) { s += x; }
    ALONE void run(const double *a, int n) {
        for (int i = 0; i < n; i++) //= no
            put(a[i]);
    }
};
struct Half {
    double s = 0;
    void add(double x) { s += x - half(); }
    double half() const { return s / 2; }
};
#ifdef NOT_DEFINED_ANYWHERE
static void either(double *s, double x) { *s += x; }
#else
static void either(double *s, double x) { *s = *s * 0.5 + x; }
#endif
struct Point { double x, y; };
static void hand_on(Point *p, int i) { p[i].x = p[i].y; p[i + 1].y = p[i].x; }
static Point points[304];
ALONE double dropped(double *q, const double *a, int n) {
    double s = 0, t = 0;
    for (int i = 0; i < n; i++) { //= no
        q[i] = t;
        count(&s, t = a[i]);
    }
    return s;
}
ALONE double moved_on(double *q, int n) {
    double s = 0;
    for (int i = 0; i < n; i++) { //= no
        count(&s, i++);
        q[i] = i;
    }
    return s;
}
ALONE double set_first(double *b, const double *a, int n) {
    double s = 0, p = 0, q = 0;
    for (int i = 0; i < n; i++) { //= no
        later(&s, p = q, a[i]);
        q = p * .5 + a[i];
        b[i] = p;
    }
    return s;
}
ALONE double counted_at_times(const double *a, int n) {
    double s = 0; int m = 0;
    for (int i = 0; i < n; i++) //= no
        choose(&s, a[i] > 3, m++ * 0.5);
    return s + m;
}
ALONE double truncated(const double *a, int n) {
    int s = -300;
    for (int i = 0; i < n; i++) //= no
        whole(&s, a[i]);
    return s;
}
ALONE double converted(const double *a, int n) {
    double s = 0;
    for (int i = 0; i < n; i++) //= no
        squares(&s, a[i]);
    return s;
}
ALONE double by_default(const double *a, int n) {
    double s = 0;
    for (int i = 0; i < n; i++) //= no
        mix(s, a[i]);
    return s;
}
ALONE double by_pack(const double *a, int n) {
    double s = 0;
    for (int i = 0; i < n; i++) //= no
        all(s, a[i]);
    return s;
}
ALONE double by_using(const double *a, int n) {
    Derived d;
    for (int i = 0; i < n; i++) //= no
        d.take(a[i]);
    return d.s;
}
ALONE double by_half(const double *a, int n) {
    Half h;
    for (int i = 0; i < n; i++) //= no
        h.add(a[i]);
    return h.s;
}
ALONE double by_branch(const double *a, int n) {
    double s = 0;
    for (int i = 0; i < n; i++) //= no
        either(&s, a[i]);
    return s;
}
ALONE void handed_on(int n) {
    for (int i = 0; i < n; i++) //= no
        hand_on(points, i);
}
ALONE void by_pointer(int n) {
    double *b = X;
    for (double *p = b; p != b + n; p++) { //= no
        *p = 5;
        if (p + 1 == b + n) *p = b[0] + 1;
    }
}
ALONE void by_rows() {
    double (*m)[32] = R;
    for (int i = 0; i < 32; i++) { //= no
        double *row = m[i], *top = m[0];
        for (int j = 0; j < 32; j++) //= yes
            row[j] = A[i + j];
        if (i == 31)
            for (int j = 0; j < 32; j++) //= yes
                row[j] = top[j] + 1;
    }
}
ALONE void by_name_and_row() {
    for (int i = 0; i < 32; i++) { //= no
        double *r = R[i];
        for (int j = 0; j < 32; j++) //= yes
            if (i == 31) r[j] = R[0][j]; else r[j] = A[i + j];
    }
}
ALONE double by_elements(std::array<double, 300> &ar) {
    for (double &x : ar) { //= no
        x = 4;
        if (&x == &ar.back()) x = ar.front() + 1;
    }
    return ar[299];
}
ALONE void set_by_pointer(int n) {
    double *p = &T;
    for (int i = 0; i < n; i++) { //= no
        X[i] = A[i] * T;
        if (i == n - 1) *p = 2;
    }
}
int main() {
    const int n = 300;
    double *a = reals(n), *q = reals(n + 2);
    for (int i = 0; i < 304; i++) A[i] = i % 7;
    double sums[] = {dropped(q, a, n), moved_on(q, n), set_first(q, a, n), counted_at_times(a, n), truncated(a, n), converted(a, n),
        by_default(a, n), by_pack(a, n), by_using(a, n), by_half(a, n), by_branch(a, n)};
    show_reals("sums", sums, 11);
    Derived d; d.run(a, n); points[0].y = 3; handed_on(n); printf("%.6g %.6g\n", d.s, points[n - 1].x);
    by_pointer(n); show_reals("pointer", X, n); by_rows(); show_reals("rows", R[0], 1024); by_name_and_row(); show_reals("row", R[0], 1024);
    std::array<double, 300> ar{}; printf("%.6g\n", by_elements(ar));
    T = 3; set_by_pointer(n); show_reals("set", X, n);
    return 0;
}
