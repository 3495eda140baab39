/* Macros that name elements, assign variables, or stand for parts of statements: the text of the loop alone does not say what they do. */
#include "common.h"
#define AT(p, i, j) ((p)[(i) * 4 + (j)])
#define PREV(p, i) ((p)[(i) - 1])
#define CUR o[i]
#define LAST o[i - 1]
#define IDX(i, j) ((i) * w + (j))
#define PUT(v) (o[k++] = (v))
#define ADVANCE() (k += 3)
#define NEXT(s) ((s) = (s) * 1103515245u + 12345u)
#define SWAP(x, y) do { int t_ = (x); (x) = (y); (y) = t_; } while (0)
#define VADD(d, a, b) do { (d).x = (a).x + (b).x; (d).y = (a).y + (b).y; } while (0)
#define VACC(d, a) ((d).x += (a).x, (d).y += (a).y)
#define PUSH(s, v) ((s)->data[(s)->n++] = (v))
#define SHIFT2(p, i) AT(p, i, 0) = AT(p, (i) - 1, 0) + 2
#define MAXOF(a, b) ((a) > (b) ? (a) : (b))
#define CLAMP(v) ((v) < 0 ? 0 : (v) > 50 ? 50 : (v))
#define KEEP(v) ({ int t_ = (v); last = t_; t_; })
#define EARLIER(p) ({ int t_ = (p)[-1]; t_; })
#define FIELD(n) s_##n
#define COUNT if (a[i] > 0) hits++
struct vec { double x, y; };
struct box { int data[600]; int n; };

ALONE void at_before(int *o, int n) {
    for (int i = 1; i < n; i++) //= no
        AT(o, i, 0) = AT(o, i - 1, 0) + 2;
}
ALONE void at_own(int *o, int n) {
    for (int i = 0; i < n; i++) //= yes
        AT(o, i, 1) = AT(o, i, 0) + 2;
}
ALONE void prev(int *o, int n) {
    for (int i = 1; i < n; i++) //= no
        o[i] = PREV(o, i) + 2;
}
ALONE void prev_of_other(int *o, const int *a, int n) {
    for (int i = 1; i < n; i++) //= yes
        o[i] = PREV(a, i) + 2;
}
ALONE void cur_last(int *o, int n) {
    for (int i = 1; i < n; i++) //= no
        CUR = LAST + 3;
}
ALONE void cur_alone(int *o, const int *a, int n) {
    for (int i = 0; i < n; i++) //= yes
        CUR = a[i] + 3;
}
ALONE void rows(int *o, int h, int w) {
    for (int i = 1; i < h; i++) //= no
        for (int j = 0; j < w; j++) //= yes
            o[IDX(i, j)] = o[IDX(i - 1, j)] + 1;
}
ALONE void columns(int *o, int h, int w) {
    for (int i = 0; i < h; i++) //= yes
        for (int j = 1; j < w; j++) //= no
            o[IDX(i, j)] = o[IDX(i, j - 1)] + 1;
}
ALONE int put(int *o, const int *a, int n) {
    int k = 0;
    for (int i = 0; i < n; i++) //= induction|no
        PUT(a[i] * 2);
    return k;
}
ALONE int put_if(int *o, const int *a, int n) {
    int k = 0;
    for (int i = 0; i < n; i++) { //= no
        if (a[i] > 0) PUT(a[i]);
    }
    return k;
}
ALONE int put_ahead(int *o, const int *a, int n) {
    int k = 0;
    for (int i = 0; i < n; i++) { //= induction|no
        ADVANCE();
        o[k] = a[i];
    }
    return k;
}
ALONE unsigned generator(unsigned *o, int n) {
    unsigned s = 7;
    for (int i = 0; i < n; i++) { //= no
        NEXT(s);
        o[i] = s >> 16;
    }
    return s;
}
ALONE void swap_pairs(int *o, int n) {
    for (int i = 0; i + 1 < n; i += 2) //= yes
        SWAP(o[i], o[i + 1]);
}
ALONE void swap_along(int *o, int n) {
    for (int i = 0; i + 1 < n; i++) //= no
        SWAP(o[i], o[i + 1]);
}
ALONE void swap_else(int *o, const int *a, int n) {
    for (int i = 0; i + 1 < n; i += 2) { //= yes
        if (a[i] > 0) SWAP(o[i], o[i + 1]);
        else o[i] = 0;
    }
}
ALONE void vectors(struct vec *u, const struct vec *v, const struct vec *w, int n) {
    for (int i = 0; i < n; i++) //= yes
        VADD(u[i], v[i], w[i]);
}
ALONE double vector_sum(const struct vec *v, int n) {
    struct vec s = {0, 0};
    for (int i = 0; i < n; i++) //= reduction|words
        VACC(s, v[i]);
    return s.x + s.y;
}
ALONE void pushed(struct box *b, const int *a, int n) {
    for (int i = 0; i < n; i++) //= induction|no
        PUSH(b, a[i]);
}
ALONE int pushed_local(const int *a, int n) {
    static struct box b;
    b.n = 0;
    for (int i = 0; i < n; i++) //= induction|no
        PUSH(&b, a[i]);
    return b.data[n / 2];
}
ALONE void nested(int *o, int n) {
    for (int i = 1; i < n; i++) //= no
        SHIFT2(o, i);
}
ALONE int largest(const int *a, int n) {
    int m = -1000;
    for (int i = 0; i < n; i++) //= reduction
        m = MAXOF(m, a[i]);
    return m;
}
ALONE void clamped(int *o, const int *a, int n) {
    for (int i = 0; i < n; i++) //= yes
        o[i] = CLAMP(a[i]);
}
ALONE int keeps(int *o, const int *a, int n) {
    int last = 0;
    for (int i = 0; i < n; i++) { //= no
        int before = last;
        o[i] = before + KEEP(a[i]);
    }
    return last;
}
ALONE void earlier(int *o, int n) {
    for (int i = 1; i < n; i++) //= no
        o[i] = EARLIER(o + i) + 2;
}
ALONE int pasted(int *o, const int *a, int n) {
    int s_a = 0;
    for (int i = 0; i < n; i++) { //= no|induction
        o[i] = a[i] + FIELD(a);
        FIELD(a) += 2;
    }
    return s_a;
}
ALONE int counted(const int *a, int n) {
    int hits = 0;
    for (int i = 0; i < n; i++) { //= reduction
        COUNT;
    }
    return hits;
}
#if defined(WIDE)
#define STEP(p, i) ((p)[(i)])
#else
#define STEP(p, i) ((p)[(i) - 1])
#endif
ALONE void chosen(int *o, int n) {
    for (int i = 1; i < n; i++) //= no
        o[i] = STEP(o, i) + 2;
}
ALONE void several_lines(int *o, int n) {
    for (int i = 1; i < n; i++) { //= no
        AT(o,
           i, 2) = AT(o, i - 1,
                      2) + 5;
    }
}
int main(void) {
    enum { N = 100 };
    int *a = integers(600), *o = integers(600);
    struct vec u[N], v[N], w[N];
    static struct box b;
    for (int i = 0; i < N; i++) v[i].x = i, v[i].y = 2 * i, w[i].x = w[i].y = 1;
#define R(k) k; show(#k, o, 600);
    R(at_before(o, N)) R(at_own(o, N)) R(prev(o, 500)) R(prev_of_other(o, a, 500)) R(cur_last(o, 500)) R(cur_alone(o, a, 500))
    R(rows(o, 20, 30)) R(columns(o, 20, 30)) R(put(o, a, 300)) R(put_if(o, a, 300)) R(put_ahead(o, a, 150)) R(generator((unsigned *)o, 300))
    R(swap_pairs(o, 500)) R(swap_along(o, 500)) R(swap_else(o, a, 500)) R(vectors(u, v, w, N)) R(pushed(&b, a, 300)) R(nested(o, N))
    R(clamped(o, a, 500)) R(keeps(o, a, 500)) R(earlier(o, 500)) R(pasted(o, a, 500)) R(chosen(o, 500)) R(several_lines(o, N))
    printf("%g %d %d %d\n", vector_sum(v, N), pushed_local(a, 300), largest(a, 500), counted(a, 500));
    show("b", b.data, 600);
    return 0;
}
