#include "common.h"
#include <math.h>
#define T tmp
#define LOOP(n) for (int i = 0; i < n; i++)
static int gi;
static double gt;
static _Thread_local double tl;
double garr[64];
struct S {
    double t, u;
    int k;
} gs;
static double buffer[128];
ALONE int after_value(double *a, int n) {
    int i;
    for (i = 0; i < n; i++) //= yes|private
        a[i] += 1;
    return i;
}
ALONE int after_value2(double *a, int n) {
    int i = 0;
    for (; i < n; i++) //= yes|private|words
        a[i] += 1;
    return i;
}
ALONE void no_init_header(double *a, int i, int n) {
    for (; i < n; ++i) //= yes|private|words
        a[i] += 1;
}
ALONE void pointer_scratch(double *out, const double *a, double *buf, int n) {
    for (int i = 0; i < n; i++) {   //= words|private
        for (int j = 0; j < 8; j++) //= yes
            buf[j] = a[i] * j;
        double s = 0;
        for (int j = 0; j < 8; j++) //= reduction
            s += buf[j];
        out[i] = s;
    }
}
ALONE void global_scratch(double *out, const double *a, int n) {
    for (int i = 0; i < n; i++) { //= private
        gt = a[i] * 2;
        out[i] = gt * gt;
    }
}
ALONE double global_scratch_used_by_callee_f(void) {
    return gt * 3;
}
ALONE void global_scratch_callee(double *out, const double *a, int n) {
    for (int i = 0; i < n; i++) { //= words|no
        gt = a[i] * 2;
        out[i] = global_scratch_used_by_callee_f();
    }
}
ALONE void tls_scratch(double *out, const double *a, int n) {
    for (int i = 0; i < n; i++) { //= yes|private
        tl = a[i] * 2;
        out[i] = tl * tl;
    }
}
ALONE void static_local(double *out, const double *a, int n) {
    static double t;
    for (int i = 0; i < n; i++) { //= private
        t = a[i] * 2;
        out[i] = t * t;
    }
}
ALONE void struct_scratch(double *out, const double *a, int n) {
    struct S s;
    for (int i = 0; i < n; i++) { //= private
        s.t = a[i];
        s.u = s.t * 2;
        out[i] = s.t + s.u;
    }
}
ALONE void struct_partly(double *out, const double *a, int n) {
    struct S s = {3, 4, 5};
    for (int i = 0; i < n; i++) { //= private|words
        s.t = a[i];
        out[i] = s.t * s.u * s.k;
    }
}
ALONE void global_struct(double *out, const double *a, int n) {
    for (int i = 0; i < n; i++) { //= private|words
        gs.t = a[i];
        out[i] = gs.t * 3;
    }
}
ALONE void pointer_to_scalar(double *out, const double *a, int n) {
    double t, *p = &t;
    for (int i = 0; i < n; i++) { //= words|private
        *p = a[i] * 2;
        out[i] = *p * t;
    }
}
ALONE void half_initialised(double *out, const double *a, int n) {
    double w[4] = {1, 2, 3, 4};
    for (int i = 0; i < n; i++) { //= private|words
        w[2] = a[i];
        out[i] = w[0] * w[1] + w[2] * w[3];
    }
}
ALONE double cond_read_first(double *out, const double *a, int n) {
    double t = 7;
    for (int i = 0; i < n; i++) { //= no|private|words
        if (i >= 1)
            t = a[i];
        out[i] = t;
    }
    return t;
}
ALONE double first_only_read(double *out, const double *a, int n) {
    double t = 7;
    for (int i = 0; i < n; i++) { //= no|private|words
        if (i == 0)
            out[i] = t;
        else {
            t = a[i];
            out[i] = t;
        }
    }
    return 0;
}
ALONE double shadowed(double *out, const double *a, int n) {
    double t = 5;
    for (int i = 0; i < n; i++) { //= yes
        double t = a[i];
        out[i] = t * t;
    }
    return t;
}
ALONE double shadowed2(double *out, const double *a, int n) {
    double t;
    t = 2;
    {
        double t = n;
        for (int i = 0; i < n; i++) { //= private
            t = a[i];
            out[i] = t * t;
        }
    }
    return t;
}
ALONE void macro_name(double *out, const double *a, int n) {
    double T;
    for (int i = 0; i < n; i++) { //= private
        T = a[i];
        out[i] = T * T;
    }
}
ALONE void macro_loop(double *out, const double *a, int n) {
    LOOP(n) //= yes
    out[i] = a[i] * 2;
}
ALONE void inner_index_outside(double *m, int n) {
    int i, j;
    for (i = 0; i < n; i++)     //= private
        for (j = 0; j < n; j++) //= yes
            m[i * n + j] += i * j;
}
ALONE int inner_index_used_after(double *m, int n) {
    int i, j;
    for (i = 0; i < n; i++)     //= private
        for (j = 0; j < n; j++) //= yes|private
            m[i * n + j] += i * j;
    return i * 1000 + j;
}
ALONE void inner_global_index(double *m, int n) {
    for (int i = 0; i < n; i++)    //= private|yes
        for (gi = 0; gi < n; gi++) //= yes|private
            m[i * n + gi] += i;
}
ALONE int array_reduction(int *h, const int *a, int n) {
    for (int i = 0; i < n; i++) //= reduction
        h[(a[i] + 64) & 15]++;
    return h[3];
}
ALONE int local_hist(const int *a, int n) {
    int h[16] = {0};
    for (int i = 0; i < n; i++) //= reduction
        h[(a[i] + 64) & 15]++;
    return h[3] * 7 + h[9];
}
ALONE int vla_hist(const int *a, int n, int m) {
    int h[m];
    memset(h, 0, sizeof h);
    for (int i = 0; i < n; i++) //= reduction
        h[(a[i] + 64) % m]++;
    return h[3] * 7 + h[9];
}
ALONE void static_hist(const double *a, int n) {
    for (int i = 0; i < n; i++) //= reduction
        garr[(int)a[i] & 7] += 1;
}
ALONE void static_scratch_array(double *out, const double *a, int n) {
    for (int i = 0; i < n; i++) {    //= private
        for (int j = 0; j < 10; j++) //= yes
            buffer[j] = a[i] + j;
        out[i] = buffer[3] * buffer[9];
    }
}
ALONE void scratch_grown(double *out, const double *a, int n) {
    double b[100];
    for (int j = 0; j < 100; j++) //= yes
        b[j] = 0;
    for (int i = 0; i < n; i++) { //= no
        b[i] = a[i];
        double s = 0;
        for (int j = 0; j <= i; j++) //= reduction
            s += b[j];
        out[i] = s;
    }
}
ALONE void scratch_shrunk(double *out, const double *a, int n) {
    double b[100];
    for (int j = 0; j < 100; j++) //= yes
        b[j] = 0;
    for (int i = 0; i < n; i++) { //= no
        for (int j = 0; j < n - i; j++) //= yes
            b[j] = a[j] + i;
        double s = 0;
        for (int j = 0; j < n; j++) //= reduction
            s += b[j];
        out[i] = s;
    }
}
ALONE void descending_unsigned(double *a, unsigned n) {
    for (unsigned i = n; i-- > 0;) //= yes|induction|words
        a[i] += 1;
}
ALONE void multiplied_step(double *a, int n) {
    for (int i = 1; i < n; i *= 2) //= yes|induction|words|no
        a[i] += 1;
}
ALONE void not_equal(double *a, int n) {
    for (int i = 0; i != n; i++) //= yes
        a[i] += 1;
}
ALONE void constant_left(double *a, int n) {
    for (int i = 0; n > i; i = 2 + i) //= yes
        a[i] += 1;
}
ALONE void two_vars(double *a, double *b, int n) {
    for (int i = 0, j = n - 1; i < n; i++, j--) //= induction
        a[i] = b[j] + 1;
}
ALONE void char_counter(double *a) {
    for (unsigned char c = 0; c < 60; c++) //= yes
        a[c] += 1;
}
ALONE void double_counter(double *a) {
    for (double x = 0; x < 20; x += 0.5) //= yes|induction|words
        a[(int)(2 * x)] += 1;
}
ALONE void pointer_loop(double *a, double *e) {
    for (double *p = a; p < e; p++) //= yes
        *p += 1;
}
ALONE void pointer_loop_ne(double *a, double *e) {
    for (double *p = a; p != e; ++p) //= yes
        *p += 1;
}
ALONE void skipping_inside(double *a, int n) {
    for (int i = 0; i < n; i++) { //= no|induction|exit
        a[i] += 1;
        if ((int)a[i] % 5 == 0)
            i++;
    }
}
ALONE void bound_changes(double *a, int n) {
    int m = n;
    for (int i = 0; i < m; i++) { //= no|exit|reduction
        a[i] += 1;
        if (i < 10)
            m--;
    }
}
ALONE void bound_in_memory(double *a, int *m) {
    for (int i = 0; i < *m; i++) //= yes
        a[i] += 1;
}
ALONE void bound_written(int *a, int *m) {
    for (int i = 0; i < a[0]; i++) //= no|exit
        if (i % 20 == 19)
            a[0] -= 10;
}
ALONE int leaves_return(int *a, int n) {
    for (int i = 0; i < n; i++) { //= exit
        if (a[i] == 999)
            return i;
        a[i] += 2;
    }
    return -1;
}
ALONE int labelled(double *a, int n) {
    goto L;
L:
    for (int i = 0; i < n; i++) //= yes
        a[i] += 1;
    return 0;
}
ALONE void in_if(double *a, int n) {
    if (n > 3)
        for (int i = 0; i < n; i++) //= yes
            a[i] += 1;
    else
        for (int i = 0; i < n; i++)
            a[i] -= 1;
}
ALONE void in_switch(double *a, int n) {
    switch (n & 1) {
    case 0:
        for (int i = 0; i < n; i++) //= yes
            a[i] += 1;
        break;
    case 1:
        a[0] = 1;
    }
}
ALONE void spread_header(double *a, int n) {
    for (int i = 0; //= yes
         i < n; i++)
        a[i] += 1;
}
ALONE void two_on_line(double *a, double *b, int n) {
    for (int i = 0; i < n; i++)
        a[i] += 1;
    for (int i = 1; i < n; i++) //= no|yes
        b[i] += b[i - 1];
}
ALONE void second_on_line(double *a, double *b, int n) {
    for (int i = 1; i < n; i++)
        b[i] += b[i - 1];
    for (int i = 0; i < n; i++) //= no|yes
        a[i] += 1;
}
ALONE double reg(const double *a, int n) {
    register double s = 0;
    for (register int i = 0; i < n; i++) //= reduction
        s += a[i];
    return s;
}
ALONE double param_private(double *a, double t, int n) {
    for (int i = 0; i < n; i++) { //= private
        t = a[i] * 2;
        a[i] = t + 1;
    }
    return 0;
}
ALONE double param_last(double *a, double t, int n) {
    for (int i = 0; i < n; i++) { //= private
        t = a[i] * 2;
        a[i] = t + 1;
    }
    return t;
}
ALONE double volatile_sum(const double *a, int n) {
    volatile double s = 0;
    for (int i = 0; i < n; i++) //= reduction
        s += a[i];
    return s;
}
int main(int argc, char **argv) {
    int n = 64;
    double *a = reals(5000), *b = reals(5000), buf[8];
    int *k = integers(n), h[16] = {0};
    printf("%d %d\n", after_value(a, n), after_value2(a, n));
    no_init_header(a, argc, n);
    pointer_scratch(b, a, buf, n);
    global_scratch(b, a, n);
    show_reals("b", b, n);
    printf("%g\n", gt);
    global_scratch_callee(b, a, n);
    tls_scratch(b, a, n);
    static_local(b, a, n);
    show_reals("b", b, n);
    struct_scratch(b, a, n);
    struct_partly(b, a, n);
    global_struct(b, a, n);
    show_reals("b", b, n);
    printf("%g\n", gs.t);
    pointer_to_scalar(b, a, n);
    show_reals("b", b, n);
    half_initialised(b, a, n);
    show_reals("b", b, n);
    printf("%g\n", cond_read_first(b, a, n));
    first_only_read(b, a, n);
    show_reals("b", b, n);
    printf("%g\n", shadowed(b, a, n));
    printf("%g\n", shadowed2(b, a, n));
    macro_name(b, a, n);
    macro_loop(b, a, n);
    show_reals("b", b, n);
    inner_index_outside(a, n);
    printf("%d\n", inner_index_used_after(a, n));
    inner_global_index(a, n);
    printf("%d\n", gi);
    printf("%d %d %d\n", array_reduction(h, k, n), local_hist(k, n), vla_hist(k, n, argc + 11));
    static_hist(a, n);
    show_reals("g", garr, 64);
    static_scratch_array(b, a, n);
    scratch_grown(b, a, n);
    show_reals("b", b, n);
    scratch_shrunk(b, a, n);
    show_reals("b", b, n);
    descending_unsigned(a, n);
    multiplied_step(a, n);
    not_equal(a, n);
    constant_left(a, n);
    two_vars(a, b, n);
    char_counter(a);
    double_counter(a);
    pointer_loop(a, a + n);
    pointer_loop_ne(a, a + n);
    skipping_inside(a, n);
    bound_changes(a, n);
    show_reals("a", a, n);
    bound_in_memory(a, &n);
    k[0] = 90;
    bound_written(k, &n);
    printf("%d\n", leaves_return(k, n));
    labelled(a, n);
    in_if(a, n);
    in_switch(a, n);
    spread_header(a, n);
    two_on_line(a, b, n);
    second_on_line(b, a, n);
    show_reals("a", a, n);
    printf("%.6g %g %g %.6g\n", reg(a, n), param_private(a, 3, n), param_last(a, 3, n), volatile_sum(a, n));
    show_reals("a", a, n);
    show("k", k, n);
}
