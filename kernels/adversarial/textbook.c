#include "common.h"
/* textbook dependences: distance, direction, symbolic, wraparound, peeling, splitting */
double G[200];
ALONE void dist3(double *a, int n) {
    for (int i = 3; i < n; i++) //= no
        a[i] = a[i - 3] * 0.5 + 1;
}
ALONE void half(double *a, int n) {
    for (int i = 0; i < n / 2; i++) //= yes
        a[i] = a[i + n / 2] * 0.5;
}
ALONE void cross(double *a, int n) {
    for (int i = 0; i < n; i++) //= no
        a[i] = a[n - 1 - i] + 1;
}
ALONE void anti1(double *a, double *b, int n) {
    for (int i = 0; i < n - 1; i++) //= no
        a[i] = a[i + 1] + b[i];
}
ALONE void peel(double *a, int n) {
    for (int i = 0; i < n; i++) //= no
        a[i] = a[0] + i;
}
ALONE void peel_last(double *a, int n) {
    for (int i = 0; i < n; i++) //= no
        a[i] = a[n - 1] + i;
}
ALONE void gcd_ok(double *a, int n) {
    for (int i = 0; i < n / 2; i++) //= yes
        a[2 * i] = a[2 * i + 1] * 3;
}
ALONE void gcd_bad(double *a, int n) {
    for (int i = 0; i < n / 3; i++) //= no
        a[3 * i] = a[2 * i + 1] * 0.5;
}
ALONE void symbolic(double *a, int n, int k) {
    for (int i = 0; i + k < n; i++) //= no
        a[i + k] = a[i] + 1;
}
ALONE void symbolic_far(double *a, int n, int k) {
    for (int i = 0; i < n; i++) //= yes
        a[i + k] = a[i] + 1;
}
ALONE void wraparound(double *a, const double *b, int n) {
    int j = n - 1;
    for (int i = 0; i < n; i++) { //= no|induction|private
        a[i] = b[i] + b[j];
        j = i;
    }
}
ALONE void forwarded(double *a, double *b, int n) {
    for (int i = 1; i < n; i++) { //= no
        a[i] = b[i] + 1;
        b[i] = a[i - 1] * 2;
    }
}
ALONE void loop_indep(double *a, double *b, int n) {
    for (int i = 0; i < n; i++) { //= yes
        a[i] = b[i] + 1;
        b[i] = a[i] * 2;
    }
}
ALONE void crossing_half(double *a, int n) {
    for (int i = 0; i < n / 2; i++) //= yes
        a[i] = a[n - 1 - i] + 1;
}
ALONE void swap_half(double *a, int n) {
    for (int i = 0; i < n / 2; i++) { //= yes
        double t = a[i];
        a[i] = a[n - 1 - i];
        a[n - 1 - i] = t;
    }
}
ALONE void coupled(double *a, int n) {
    for (int i = 1; i < n; i++)         //= no
        for (int j = 0; j < n - 1; j++) //= yes
            a[i * n + j] = a[(i - 1) * n + j + 1] * 0.5 + 1;
}
ALONE void diag(double *a, int n) {
    for (int i = 1; i < n; i++)     //= no
        for (int j = 1; j < n; j++) //= no
            a[i * n + j] = a[(i - 1) * n + j] + a[i * n + j - 1];
}
ALONE void inner_only(double *a, int n) {
    for (int i = 0; i < n; i++)     //= yes
        for (int j = 1; j < n; j++) //= no
            a[i * n + j] = a[i * n + j - 1] * 0.5 + 1;
}
ALONE void outer_only(double *a, int n) {
    for (int i = 1; i < n; i++)     //= no
        for (int j = 0; j < n; j++) //= yes
            a[i * n + j] = a[(i - 1) * n + j] * 0.5 + 1;
}
ALONE void two_wr(double *a, const double *b, int n) {
    for (int i = 0; i < n - 1; i++) { //= no
        a[i] = b[i];
        a[i + 1] = b[i] * 2;
    }
}
ALONE void fixed_place(double *a, const double *b, int n) {
    for (int i = 0; i < n; i++) //= private|words|no
        a[5] = b[i] * 2;
}
ALONE double scalar_expanded(double *a, const double *b, int n) {
    double t;
    for (int i = 0; i < n; i++) { //= private
        t = b[i] * 2;
        a[i] = t + t * t;
    }
    return 0;
}
ALONE double last_value(double *a, const double *b, int n) {
    double t = 0;
    for (int i = 0; i < n; i++) { //= private
        t = b[i] * 2;
        a[i] = t + t * t;
    }
    return t;
}
ALONE double cond_last(double *a, const double *b, int n) {
    double t = 0;
    for (int i = 0; i < n; i++) { //= no
        if (b[i] > 5)
            t = b[i];
        a[i] = t;
    }
    return t;
}
ALONE double cond_last_out(double *a, const double *b, int n) {
    double t = 0;
    for (int i = 0; i < n; i++) { //= private|words|no
        if (b[i] > 5) {
            t = b[i];
            a[i] = t;
        }
    }
    return t;
}
ALONE void triang(double *a, int n) {
    for (int i = 0; i < n; i++)     //= no
        for (int j = 0; j < i; j++) //= yes|reduction
            a[i] += a[j] * 0 + j;
}
ALONE void global_prev(int n) {
    for (int i = 1; i < n; i++) //= no
        G[i] = G[i - 1] + i;
}
ALONE void stepping(double *a, int n, int s) {
    for (int i = 0; i < n; i += s) //= yes
        a[i] *= 2;
}
ALONE void stepping_bad(double *a, int n, int s) {
    for (int i = s; i < n; i += s) //= no
        a[i] += a[i - s];
}
ALONE void stepping_ok2(double *a, int n, int s) {
    for (int i = s; i < n; i += s) //= yes
        a[i] += a[i - 1];
}
ALONE void backwards(double *a, int n) {
    for (int i = n - 1; i > 0; i--) //= no
        a[i] = a[i - 1];
}
ALONE void backwards_ok(double *a, const double *b, int n) {
    for (int i = n - 1; i >= 0; i--) //= yes
        a[i] = b[i];
}
ALONE void mod_index(double *a, int n) {
    for (int i = 0; i < n; i++) //= reduction
        a[i % 8] += i;
}
ALONE void mod_index_ok(double *a, int n) {
    for (int i = 0; i < n; i++) //= yes|reduction
        a[(i * 7) % n] += i;
}
ALONE void square(double *a, int n) {
    for (int i = 0; i < n; i++) //= yes
        a[i * i] = i;
}
ALONE void overlapped_sq(double *a, int n) {
    for (int i = 0; i < n; i++) //= no
        a[i * i] = a[i] + 1;
}
int main(int argc, char **argv) {
    int n = 64;
    double *a = reals(8000), *b = reals(8000);
    dist3(a, n);
    half(a, n);
    cross(a, n);
    anti1(a, b, n);
    peel(a, n);
    peel_last(a, n);
    gcd_ok(a, n);
    gcd_bad(a, n);
    symbolic(a, n, argc + 3);
    symbolic_far(a, n, n + argc);
    show_reals("1", a, 200);
    wraparound(a, b, n);
    show_reals("w", a, 200);
    forwarded(a, b, n);
    loop_indep(a, b, n);
    crossing_half(a, n);
    swap_half(a, n);
    show_reals("s", a, 200);
    coupled(a, n);
    diag(a, n);
    inner_only(a, n);
    outer_only(a, n);
    show_reals("m", a, 4096);
    two_wr(a, b, n);
    fixed_place(a, b, n);
    scalar_expanded(a, b, n);
    show_reals("x", a, 100);
    printf("%g %g\n", last_value(a, b, n), cond_last(a, b, n));
    show_reals("x", a, 100);
    printf("%g\n", cond_last_out(a, b, n));
    triang(a, n);
    global_prev(200);
    show_reals("G", G, 200);
    stepping(a, n, argc + 2);
    stepping_bad(a, n, argc + 1);
    stepping_ok2(a, n, argc + 1);
    backwards(a, n);
    show_reals("b", a, 100);
    backwards_ok(a, b, n);
    mod_index(a, n);
    mod_index_ok(a, n - 1);
    square(a, n);
    show_reals("q", a, 5000);
    overlapped_sq(a, n);
    show_reals("z", a, 5000);
}
