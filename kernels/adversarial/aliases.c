#include "common.h"
#include <math.h>
/* pointers, aliases, strides, buffers, indirect, contexts, inlining */
struct m {
    int r, c;
    double *d;
};
struct item {
    int key;
    double val;
    struct item *next;
    struct {
        int lo, hi;
    } range[4];
};
static double ring[16];
static int table2[8][8];
extern double shared_[64];
double shared_[64];
int *gp;
static int depth, maxdepth;
static inline double at(const struct m *x, int i, int j) {
    return x->d[i * x->c + j];
}
static inline void set(struct m *x, int i, int j, double v) {
    x->d[i * x->c + j] = v;
}
static inline void axpy(double *y, const double *x, double s, int n) {
    for (int i = 0; i < n; i++) //= no|yes
        y[i] += s * x[i];
}
ALONE void axpy_apart(double *y, const double *x, int n) {
    axpy(y, x, 0.5, n);
}
ALONE void axpy_over(double *y, int n) {
    axpy(y + 1, y, 0.5, n);
}
ALONE void scale_n(double *y, double s, int n, int d) {
    for (int i = d; i < n; i++) //= no|yes
        y[i] = y[i - d] * s + y[i];
}
ALONE void mat_add(struct m *c, const struct m *a, const struct m *b) {
    for (int i = 0; i < a->r; i++)     //= yes
        for (int j = 0; j < a->c; j++) //= yes
            set(c, i, j, at(a, i, j) + at(b, i, j));
}
ALONE void mat_smooth(struct m *a) {
    for (int i = 1; i < a->r; i++)     //= no
        for (int j = 1; j < a->c; j++) //= no
            set(a, i, j, 0.5 * (at(a, i - 1, j) + at(a, i, j - 1)));
}
ALONE void ringbuf(double *o, const double *a, int n) {
    for (int i = 0; i < n; i++) { //= no
        ring[i & 15] = a[i];
        double s = 0;
        for (int k = 0; k < 16; k++) //= reduction
            s += ring[k];
        o[i] = s;
    }
}
ALONE void delay(double *o, const double *a, int n) {
    double z[8] = {0};
    for (int i = 0; i < n; i++) { //= no
        o[i] = z[i & 7];
        z[i & 7] = a[i];
    }
}
ALONE void fir_shift(double *o, const double *a, int n) {
    double z[8] = {0};
    for (int i = 0; i < n; i++) { //= no
        for (int k = 7; k > 0; k--) //= no
            z[k] = z[k - 1];
        z[0] = a[i];
        double s = 0;
        for (int k = 0; k < 8; k++) //= reduction
            s += z[k] / (k + 1);
        o[i] = s;
    }
}
ALONE void iir(double *o, const double *a, int n) {
    double y1 = 0, y2 = 0;
    for (int i = 0; i < n; i++) { //= no
        double y = a[i] + 0.5 * y1 - 0.2 * y2;
        y2 = y1;
        y1 = y;
        o[i] = y;
    }
}
ALONE void fir(double *o, const double *a, int n) {
    for (int i = 3; i < n; i++) //= yes
        o[i] = a[i] + a[i - 1] * 0.5 + a[i - 2] * 0.25 + a[i - 3] * 0.125;
}
ALONE void carried_window(double *o, const double *a, int n) {
    double p = a[0], q = a[1];
    for (int i = 2; i < n; i++) { //= no|private|words
        double r = a[i];
        o[i] = p + q + r;
        p = q;
        q = r;
    }
}
ALONE double moving(double *o, const double *a, int n) {
    double s = 0;
    for (int i = 0; i < n; i++) { //= no
        s += a[i];
        if (i >= 8)
            s -= a[i - 8];
        o[i] = s / 8;
    }
    return s;
}
ALONE void fib(unsigned *f, int n) {
    f[0] = f[1] = 1;
    for (int i = 2; i < n; i++) //= no
        f[i] = f[i - 1] + f[i - 2];
}
ALONE unsigned fib_scalar(int n) {
    unsigned a = 0, b = 1;
    for (int i = 0; i < n; i++) { //= no
        unsigned t = a + b;
        a = b;
        b = t;
    }
    return a;
}
ALONE void scatter_dup(double *o, const int *p, const double *a, int n) {
    for (int i = 0; i < n; i++) //= no|words|private
        o[p[i] & 7] = a[i];
}
ALONE void scatter_perm(double *o, const int *p, const double *a, int n) {
    for (int i = 0; i < n; i++) //= yes
        o[p[i]] = a[i];
}
ALONE void permute_cycle(int *a, const int *p, int n) {
    int i = 0, v = a[0];
    do {
        int j = p[i], t = a[j];
        a[j] = v;
        v = t;
        i = j;
    } while (i != 0); //= no
}
ALONE int pointer_jump(const int *next, int n) {
    int x = 0, c = 0;
    while (c < n) { //= no
        x = next[x];
        c++;
    }
    return x;
}
ALONE void jump_all(int *next, int *out, int n) {
    for (int i = 0; i < n; i++) //= yes
        out[i] = next[next[i]];
}
ALONE void jump_in_place(int *next, int n) {
    for (int i = 0; i < n; i++) //= no
        next[i] = next[next[i]];
}
ALONE void items_reset(struct item *t, int n) {
    for (int i = 0; i < n; i++) { //= yes
        t[i].key = 0;
        t[i].val = i;
        for (int k = 0; k < 4; k++) //= yes
            t[i].range[k].lo = k, t[i].range[k].hi = k + i;
    }
}
ALONE void items_link(struct item *t, int n) {
    for (int i = 0; i + 1 < n; i++) //= yes
        t[i].next = &t[i + 1];
}
ALONE void items_field_shift(struct item *t, int n) {
    for (int i = 1; i < n; i++) { //= no
        t[i].range[0].lo = t[i - 1].range[0].hi;
        t[i].range[0].hi++;
        t[i].range[0].hi += t[i].range[0].lo;
    }
}
ALONE void items_other_field(struct item *t, int n) {
    for (int i = 1; i < n; i++) //= yes
        t[i].range[1].lo = t[i - 1].range[1].hi;
}
ALONE void buckets(struct item **b, struct item *t, int n) {
    for (int i = 0; i < n; i++) { //= no
        int h = t[i].range[2].hi & 7;
        t[i].next = b[h];
        b[h] = &t[i];
    }
}
ALONE void via_global_pointer(int n) {
    for (int i = 0; i < n; i++) //= yes
        gp[i] = gp[i] * 3 + 1;
}
ALONE void advance_global_pointer(int n) {
    int *save = gp;
    for (int i = 0; i < n; i++) //= induction|no
        *gp++ = i;
    gp = save;
}
ALONE void row_pointers(double **rows, int n) {
    for (int i = 0; i < n; i++) { //= yes
        double *r = rows[i];
        for (int j = 0; j < n; j++) //= yes|induction
            *r++ = i - j;
    }
}
ALONE void row_shared(double **rows, int n) {
    for (int i = 0; i < n; i++) { //= no
        double *r = rows[i & 7];
        for (int j = 0; j < n; j++) //= yes
            r[j] = r[j] * 0.5 + i;
    }
}
ALONE void walk_both(double *o, const double *a, int n) {
    const double *p = a;
    double *q = o;
    for (int i = 0; i < n; i++) //= induction
        *q++ = *p++ * 2;
}
ALONE void tree_sum(double *a, int n) {
    for (int s = n / 2; s > 0; s /= 2) //= no
        for (int i = 0; i < s; i++)    //= yes
            a[i] += a[i + s];
}
ALONE void heapify(int *a, int n) {
    for (int i = n / 2 - 1; i >= 0; i--) { //= no
        int k = i;
        while (2 * k + 1 < n) { //= no
            int c = 2 * k + 1;
            if (c + 1 < n && a[c + 1] > a[c])
                c++;
            if (a[k] >= a[c])
                break;
            int t = a[k];
            a[k] = a[c];
            a[c] = t;
            k = c;
        }
    }
}
ALONE int visit(int x) {
    depth++;
    if (depth > maxdepth)
        maxdepth = depth;
    int r = x > 1 ? visit(x / 2) + 1 : 0;
    depth--;
    return r;
}
ALONE void depths(int *o, int n) {
    for (int i = 0; i < n; i++) //= words|no
        o[i] = visit(i);
}
ALONE void swap_int(int *x, int *y) {
    int t = *x;
    *x = *y;
    *y = t;
}
ALONE void swap_pairs(int *a, int n) {
    for (int i = 0; i + 1 < n; i += 2) //= yes
        swap_int(&a[i], &a[i + 1]);
}
ALONE void bubble_once(int *a, int n) {
    for (int i = 0; i + 1 < n; i++) //= no
        if (a[i] > a[i + 1])
            swap_int(&a[i], &a[i + 1]);
}
ALONE void minmax_out(const int *a, int n, int *lo, int *hi) {
    *lo = a[0];
    *hi = a[0];
    for (int i = 1; i < n; i++) { //= reduction
        if (a[i] < *lo)
            *lo = a[i];
        if (a[i] > *hi)
            *hi = a[i];
    }
}
ALONE void out_param(int i, int *r, double *q) {
    *r = i * 3;
    *q = i * 0.5;
}
ALONE void callee_temp(double *o, int n) {
    int r;
    double q;
    for (int i = 0; i < n; i++) { //= private
        out_param(i, &r, &q);
        o[i] = r + q;
    }
}
ALONE void callee_temp_in(double *o, int n) {
    for (int i = 0; i < n; i++) { //= yes
        int r;
        double q;
        out_param(i, &r, &q);
        o[i] = r + q;
    }
}
ALONE void flag_found(const int *a, int n, int *found) {
    for (int i = 0; i < n; i++) //= flag|reduction
        if (a[i] == 51 || a[i] > 52)
            *found = 1;
}
ALONE int local_flag(const int *a, int n) {
    int f = 0;
    for (int i = 0; i < n; i++) //= flag|reduction
        if (a[i] > 40)
            f = 1;
    return f;
}
ALONE int first_flag(int *o, const int *a, int n) {
    int first = 1;
    for (int i = 0; i < n; i++) { //= no
        if (first) {
            o[i] = -1;
            first = 0;
        } else
            o[i] = a[i];
    }
    return first;
}
ALONE int state_machine(const char *s, int n) {
    int st = 0, words = 0;
    for (int i = 0; i < n; i++) { //= no
        if (s[i] == ' ')
            st = 0;
        else if (!st) {
            st = 1;
            words++;
        }
    }
    return words;
}
ALONE int word_starts(const char *s, int n) {
    int words = 0;
    for (int i = 1; i < n; i++) //= reduction
        if (s[i] != ' ' && s[i - 1] == ' ')
            words++;
    return words;
}
ALONE int parse_number(const char *s) {
    int v = 0;
    while (*s >= '0' && *s <= '9') //= no
        v = v * 10 + (*s++ - '0');
    return v;
}
ALONE void caesar(char *s, int k) {
    for (int i = 0; s[i]; i++) //= yes|exit
        s[i] = s[i] == ' ' ? ' ' : 'a' + (s[i] - 'a' + k + 26) % 26;
}
ALONE void vigenere(char *s, const char *key, int n, int m) {
    for (int i = 0, j = 0; i < n; i++) { //= no|induction
        s[i] ^= key[j];
        if (++j == m)
            j = 0;
    }
}
ALONE void cbc(unsigned char *s, int n) {
    unsigned char prev = 0x5a;
    for (int i = 0; i < n; i++) { //= no
        s[i] ^= prev;
        prev = s[i];
    }
}
ALONE void rev_words(char *s, int n) {
    for (int i = 0, j = n - 1; i < j; i++, j--) { //= induction|no
        char t = s[i];
        s[i] = s[j];
        s[j] = t;
    }
}
int main(int argc, char **argv) {
    int n = 48;
    double *a = reals(2000), *b = reals(2000), *c = reals(2000);
    int *k = integers(2000), *p = permutation(200), *o = zeros(2000);
    axpy_apart(a, b, n);
    axpy_over(a, n);
    scale_n(a, 0.5, 40, 30 + argc);
    scale_n(a, 0.5, 40, 2);
    show_reals("a", a, n);
    struct m A = {20, 20, a}, B = {20, 20, b}, C = {20, 20, c};
    mat_add(&C, &A, &B);
    mat_smooth(&C);
    show_reals("c", c, 400);
    ringbuf(b, a, n);
    show_reals("b", b, n);
    delay(b, a, n);
    show_reals("b", b, n);
    fir_shift(b, a, n);
    show_reals("b", b, n);
    iir(b, a, n);
    show_reals("b", b, n);
    fir(b, a, n);
    carried_window(c, a, n);
    show_reals("b", b, n);
    show_reals("c", c, n);
    moving(b, a, n);
    show_reals("b", b, n);
    fib((unsigned *)o, n);
    show("f", o, n);
    printf("%u\n", fib_scalar(n + argc));
    scatter_dup(b, k, a, n);
    show_reals("b", b, n);
    scatter_perm(b, p, a, 200);
    show_reals("b", b, n);
    permute_cycle(k, p, 200);
    show("k", k, 200);
    printf("%d\n", pointer_jump(p, 90));
    jump_all(p, o, 200);
    show("o", o, 200);
    for (int i = 0; i < 200; i++)
        o[i] = (i * 13 + 5) % 200;
    jump_in_place(o, 200);
    show("o", o, 200);
    struct item *t = calloc(60, sizeof *t), *bk[8] = {0};
    items_reset(t, 60);
    items_link(t, 60);
    items_field_shift(t, 60);
    items_other_field(t, 60);
    buckets(bk, t, 60);
    printf("%d %d %g\n", t[50].range[0].hi, t[33].range[1].lo, bk[3] ? bk[3]->val : 0);
    gp = k;
    via_global_pointer(n);
    advance_global_pointer(n);
    show("k", k, n);
    double *rows[48];
    for (int i = 0; i < 48; i++)
        rows[i] = b + i * 24;
    row_pointers(rows, 24);
    row_shared(rows, 24);
    show_reals("r", b, 500);
    walk_both(c, a, n);
    tree_sum(c, 64);
    printf("%.6g\n", c[0]);
    k = integers(2000);
    heapify(k, 60);
    show("h", k, 60);
    depths(o, n);
    show("d", o, n);
    printf("%d %d\n", maxdepth, depth);
    swap_pairs(k, 60);
    bubble_once(k, 60);
    show("s", k, 60);
    int lo, hi, fd = 0;
    minmax_out(k, 60, &lo, &hi);
    callee_temp(c, n);
    callee_temp_in(c, n);
    show_reals("c", c, n);
    flag_found(k, 60, &fd);
    printf("%d %d %d %d\n", lo, hi, fd, local_flag(k, 60));
    printf("%d\n", first_flag(o, k, n));
    show("o", o, n);
    char s[] = "the quick brown fox jumps over the lazy dog again and again until the end";
    int m = sizeof s - 1;
    printf("%d %d %d\n", state_machine(s, m), word_starts(s, m), parse_number("1234567890123x"));
    caesar(s, argc + 4);
    puts(s);
    vigenere(s, "\1\2\3\4\5", m, 5);
    cbc((unsigned char *)s, m);
    rev_words(s, m);
    int h = 0;
    for (int i = 0; i < m; i++)
        h = h * 31 + s[i];
    printf("%d\n", h);
}
