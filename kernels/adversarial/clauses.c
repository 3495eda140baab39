#include "common.h"
#include <math.h>
#include <stdbool.h>
static int K, J;
static double T, U[8];
struct S {
    double s;
    int n;
    double v[4];
} gs;
const int LIM = 40;
enum { N = 40 };
ALONE void set_k(int x) {
    K = x;
}
ALONE int get_k(void) {
    return K * 3;
}
ALONE void nest3(double *a, int n) {
    int i, j, k;
    for (i = 0; i < n; i++)         //= private
        for (j = 0; j < n; j++)     //= private
            for (k = 0; k < n; k++) //= yes
                a[(i * n + j) * n + k] += i + j + k;
}
ALONE void nest3_temp(double *a, int n) {
    int i, j, k;
    double t, u = 0;
    for (i = 0; i < n; i++) { //= private
        t = i * 0.5;
        for (j = 0; j < n; j++) { //= private
            u = t + j;
            for (k = 0; k < n; k++) //= yes
                a[(i * n + j) * n + k] += u;
        }
    }
    a[0] += u;
}
ALONE void callee_global(double *a, int n) {
    for (int i = 0; i < n; i++) { //= words
        set_k(i);
        a[i] += get_k();
    }
}
ALONE void body_global(double *a, int n) {
    for (int i = 0; i < n; i++) { //= private
        K = i * 2;
        a[i] += K;
    }
}
ALONE void writes_global_reads_callee(double *a, int n) {
    for (int i = 0; i < n; i++) { //= words
        K = i * 2;
        a[i] += get_k();
    }
}
ALONE void callee_writes_body_reads(double *a, int n) {
    for (int i = 0; i < n; i++) { //= words
        set_k(i);
        a[i] += K;
    }
}
ALONE void fill_u(double x) {
    for (int j = 0; j < 8; j++)
        U[j] = x * j;
}
ALONE void callee_fills_array(double *a, int n) {
    for (int i = 0; i < n; i++) { //= words
        fill_u(a[i]);
        a[i] = U[3] + U[7];
    }
}
ALONE void fill_p(double *u, double x) {
    for (int j = 0; j < 8; j++)
        u[j] = x * j;
}
ALONE void callee_fills_local(double *a, int n) {
    double u[8];
    for (int i = 0; i < n; i++) { //= private
        fill_p(u, a[i]);
        a[i] = u[3] + u[7];
    }
}
ALONE void callee_fills_by_pointer(double *a, int n) {
    double u[8], *p = u;
    for (int i = 0; i < n; i++) { //= words
        fill_p(p, a[i]);
        a[i] = p[3] + u[7];
    }
}
ALONE void struct_array_field(double *a, int n) {
    struct S s;
    for (int i = 0; i < n; i++) { //= private
        for (int j = 0; j < 4; j++) //= yes
            s.v[j] = a[i] * j;
        a[i] = s.v[1] + s.v[3];
    }
}
ALONE double sum_field(const double *a, int n) {
    struct S s = {0};
    for (int i = 0; i < n; i++) //= reduction
        s.s += a[i];
    return s.s;
}
ALONE double sum_array_elem(const double *a, int n) {
    double s[3] = {0};
    for (int i = 0; i < n; i++) { //= reduction
        s[0] += a[i];
        s[1] += a[i] * a[i];
    }
    return s[0] + s[1];
}
ALONE double sum_pp(double **s, const double *a, int n) {
    for (int i = 0; i < n; i++) //= reduction
        **s += a[i];
    return **s;
}
ALONE void count_static(const double *a, int n) {
    static int c;
    for (int i = 0; i < n; i++) //= reduction
        if (a[i] > 3)
            c++;
    printf("%d\n", c);
}
ALONE int abort_inside(double *a, int n) {
    for (int i = 0; i < n; i++) { //= exit|no|yes
        if (a[i] < -1e9)
            exit(3);
        a[i] *= 2;
    }
    return 0;
}
ALONE int goto_out(double *a, int n) {
    for (int i = 0; i < n; i++) { //= exit
        if (a[i] < -1e9)
            goto bad;
        a[i] *= 2;
    }
    return 0;
bad:
    return 1;
}
ALONE int outer_break(double *a, int n) {
    for (int i = 0; i < n; i++) {   //= exit
        for (int j = 0; j < 8; j++) //= exit
            if (a[i * 8 + j] < -1e9)
                goto bad;
            else
                a[i * 8 + j]++;
    }
    return 0;
bad:
    return 1;
}
ALONE int switch_break(double *a, int n) {
    for (int i = 0; i < n; i++) //= yes
        switch (i % 3) {
        case 0:
            a[i]++;
            break;
        case 1:
            a[i]--;
            break;
        default:
            continue;
        }
    return 0;
}
ALONE void cond_bound(double *a, int n, bool stop) {
    for (int i = 0; i < n && !stop; i++) //= exit|no|yes
        a[i]++;
}
ALONE void float_bound(double *a, double x) {
    for (int i = 0; i < x; i++) //= yes|exit
        a[i]++;
}
ALONE void call_bound(const char *s, char *o) {
    for (size_t i = 0; i < strlen(s); i++) //= yes
        o[i] = s[i] ^ 1;
}
ALONE void bound_expr(double *a, int n) {
    for (int i = 0; i * i < n; i++) //= exit|yes|no
        a[i]++;
}
ALONE void body_step(double *a, int n) {
    for (int i = 0; i < n;) { //= induction|exit|no
        a[i]++;
        i += 2;
    }
}
ALONE void var_step(double *a, int n, int s) {
    for (int i = 0; i < n; i += s) { //= no|exit|induction
        a[i]++;
        if (i == 10)
            s = 2;
    }
}
ALONE void assigned_iterator(double *a, int n) {
    for (int i = 0; i < n; i++) { //= no|exit|induction
        a[i]++;
        if (i == 7)
            i = 11;
    }
}
ALONE void iterator_address(double *a, int n) {
    for (int i = 0; i < n; i++) { //= no|exit|induction
        int *p = &i;
        a[i]++;
        if (*p == 7)
            *p = 11;
    }
}
ALONE void le(double *a, int n) {
    for (int i = 1; i <= n; i++) //= yes
        a[i - 1]++;
}
ALONE void ge_down(double *a, int n) {
    for (int i = n - 1; i >= 0; --i) //= yes
        a[i]++;
}
ALONE void long_iter(double *a, long n) {
    for (long i = 0L; i < n; i += 2L) //= yes
        a[i]++;
}
ALONE int iter_after_break(const double *a, int n) {
    int i;
    for (i = 0; i < n; i++) //= exit
        if (a[i] > 12)
            break;
    return i;
}
ALONE int iter_after_nested(double *a, int n) {
    int i, j = 0;
    for (i = 0; i < n; i++) {    //= private
        for (j = 0; j < 10; j++) //= yes|private
            a[i * 10 + j]++;
    }
    return i + 100 * j;
}
ALONE double lastcond(double *a, int n) {
    double t = -1;
    for (int i = 0; i < n; i++) //= no|private|words
        if (a[i] > 5) {
            t = a[i] * 2;
            a[i] = t - 1;
        }
    return t;
}
ALONE double first_then(double *a, int n) {
    double t = 3;
    for (int i = 0; i < n; i++) { //= no
        a[i] += t;
        t = a[i] * 0.1;
    }
    return t;
}
ALONE void read_first(double *a, int n) {
    double t = 3, u;
    for (int i = 0; i < n; i++) { //= private
        u = t * a[i];
        a[i] = u + t;
    }
}
ALONE void const_used(double *a) {
    for (int i = 0; i < LIM; i++) //= yes
        a[i] += LIM;
}
ALONE void enum_used(double *a) {
    for (int i = 0; i < N; i++) //= yes
        a[i] += N;
}
ALONE void compound(double *a, int n) {
    double t;
    int k;
    for (int i = 0; i < n; i++) { //= private
        if (i & 1) {
            t = a[i];
            k = 1;
        } else {
            t = -a[i];
            k = 2;
        }
        a[i] = t * k;
    }
}
ALONE void comma(double *a, int n) {
    double t;
    for (int i = 0; i < n; i++) //= private
        t = a[i], a[i] = t * t;
}
ALONE void nested_assign(double *a, double *b, int n) {
    double t;
    for (int i = 0; i < n; i++) //= private
        a[i] = (t = b[i]) * t;
}
ALONE void in_cond(double *a, int n) {
    double t;
    for (int i = 0; i < n; i++) //= private
        if ((t = a[i] * 2) > 5)
            a[i] = t;
}
ALONE void cond_assign(double *a, int n) {
    int m = 0;
    for (int i = 0; i < n; i++) { //= no
        int k = i & 3;
        if (k == 0)
            m = (int)a[i];
        a[i] += m;
    }
}
ALONE void block_scope_static(double *a, int n) {
    for (int i = 0; i < n; i++) { //= no
        static double prev = 1;
        double t = a[i];
        a[i] += prev;
        prev = t;
    }
}
ALONE void block_scope_static_priv(double *a, int n) {
    for (int i = 0; i < n; i++) { //= words|private
        static double t;
        t = a[i];
        a[i] = t * t;
    }
}
ALONE void extern_decl(double *a, int n) {
    for (int i = 0; i < n; i++) { //= private|words
        extern double ext;
        ext = a[i];
        a[i] = ext * 2;
    }
}
double ext;
ALONE void ptr_var(double *a, int n) {
    double *p;
    for (int i = 0; i < n; i++) { //= private
        p = a + i;
        *p *= 2;
    }
}
ALONE void ptr_var_range(double *a, int n) {
    double *p, *e;
    for (int i = 0; i < n; i++) {                  //= private
        for (p = a + i * 8, e = p + 8; p < e; p++) //= yes|private|induction
            *p += i;
    }
}
int main(int argc, char **argv) {
    int n = 40;
    double *a = reals(4000), *b = reals(4000);
    nest3(a, 10);
    nest3_temp(a, 10);
    show_reals("n", a, 1000);
    a = reals(4000);
    callee_global(a, n);
    body_global(a, n);
    printf("%d\n", K);
    K = -5;
    writes_global_reads_callee(a, n);
    show_reals("w", a, n);
    callee_writes_body_reads(a, n);
    show_reals("w", a, n);
    callee_fills_array(a, n);
    show_reals("u", a, n);
    a = reals(4000);
    callee_fills_local(a, n);
    callee_fills_by_pointer(a, n);
    struct_array_field(a, n);
    show_reals("u", a, n);
    a = reals(4000);
    double s = 0, *sp = &s;
    printf("%.6g %.6g %.6g\n", sum_field(a, n), sum_array_elem(a, n), sum_pp(&sp, a, n));
    count_static(a, n);
    abort_inside(a, n);
    goto_out(a, n);
    outer_break(a, n);
    switch_break(a, n);
    cond_bound(a, n, argc > 5);
    float_bound(a, 39.5);
    char o[80];
    call_bound("a string of some length, more than eight", o);
    printf("%d\n", o[9]);
    bound_expr(a, 200);
    body_step(a, n);
    var_step(a, n, 1 + (argc > 5));
    assigned_iterator(a, n);
    iterator_address(a, n);
    le(a, n);
    ge_down(a, n);
    long_iter(a, n);
    show_reals("l", a, n);
    printf("%d %d\n", iter_after_break(b, n), iter_after_nested(a, n));
    printf("%.9g %.9g\n", lastcond(a, n), first_then(a, n));
    read_first(a, n);
    const_used(a);
    enum_used(a);
    compound(a, n);
    comma(b, n);
    nested_assign(a, b, n);
    in_cond(a, n);
    cond_assign(a, n);
    block_scope_static(a, n);
    show_reals("s", a, n);
    a = reals(4000);
    block_scope_static_priv(a, n);
    extern_decl(a, n);
    ptr_var(a, n);
    ptr_var_range(a, n);
    show_reals("s", a, 400);
    printf("%g\n", ext);
}
