/* Everyday loops: structures, stencils, strings, lists, unions, recursion, state machines, filters. */
#include "common.h"
#define N 256
typedef struct { int total, count; double sum; int hist[16]; } stats;
typedef struct node { struct node *next; int v, w; } node;
typedef union { unsigned u; float f; unsigned char b[4]; } pun;
static int G[N + 16], H[N + 16]; static double X[N + 16], Y[N + 16];
static int pos; static volatile int port; static _Thread_local int tl; static int state = 3;
static stats S;

ALONE void struct_acc(stats *s, const int *a, int n) {
    for (int i = 0; i < n; i++) { //= reduction|words
        s->total += a[i];
        s->count++;
    }
}
ALONE double struct_local(const double *a, int n) {
    stats s = {0, 0, 0.0, {0}};
    for (int i = 0; i < n; i++) //= reduction|words
        s.sum += a[i];
    return s.sum;
}
ALONE void struct_avg(stats *s, double *o, const double *a, int n) {
    for (int i = 0; i < n; i++) { //= no
        s->sum += a[i];
        o[i] = s->sum / (i + 1);
    }
}
ALONE void struct_hist(stats *s, const int *a, int n) {
    for (int i = 0; i < n; i++) //= reduction|words
        s->hist[a[i] & 15]++;
}
ALONE void stencil_in_place(double *a, int n) {
    for (int i = 1; i < n - 1; i++) //= no
        a[i] = (a[i - 1] + a[i + 1]) * 0.5;
}
ALONE void stencil_out(double *o, const double *a, int n) {
    for (int i = 1; i < n - 1; i++) //= yes
        o[i] = (a[i - 1] + a[i + 1]) * 0.5;
}
ALONE void forward_only(double *a, int n) {
    for (int i = 0; i < n - 1; i++) //= no
        a[i] = a[i + 1] * 0.5;
}
ALONE void red_black(double *a, int n) {
    for (int c = 0; c < 2; c++) //= no
        for (int i = 1 + c; i < n - 1; i += 2) //= yes
            a[i] = (a[i - 1] + a[i + 1]) * 0.5;
}
ALONE void scatter_perm(int *o, const int *p, const int *a, int n) {
    for (int i = 0; i < n; i++) //= yes
        o[p[i]] = a[i];
}
ALONE void scatter_dup(int *o, const int *p, const int *a, int n) {
    for (int i = 0; i < n; i++) //= no
        o[p[i] / 2] = a[i];
}
ALONE void gather_self(int *o, const int *p, int n) {
    for (int i = 0; i < n; i++) //= no
        o[i] = o[p[i]] + 1;
}
ALONE void prefix(int *o, const int *a, int n) {
    int s = 0;
    for (int i = 0; i < n; i++) { //= no
        s += a[i];
        o[i] = s;
    }
}
ALONE void prefix_exclusive(int *o, const int *a, int n) {
    int s = 0;
    for (int i = 0; i < n; i++) { //= no
        o[i] = s;
        s += a[i];
    }
}
ALONE void prefix_in_place(int *a, int n) {
    for (int i = 1; i < n; i++) //= no
        a[i] += a[i - 1];
}
ALONE void suffix(int *a, int n) {
    for (int i = n - 2; i >= 0; i--) //= no
        a[i] += a[i + 1];
}
ALONE void ones_prefix(int *a, int n) {
    for (int i = 1; i < n; i++) //= no
        a[i] = a[i - 1] + 1;
}
ALONE int machine(const char *s, int *o, int n) {
    int st = 0;
    for (int i = 0; i < n; i++) { //= no
        switch (st) {
        case 0: st = s[i] == 'a' ? 1 : 0; break;
        case 1: st = s[i] == 'b' ? 2 : 0; break;
        default: st = 0;
        }
        o[i] = st;
    }
    return st;
}
ALONE int count_words(const char *s, int n) {
    int in = 0, words = 0;
    for (int i = 0; i < n; i++) { //= no
        if (s[i] == ' ') in = 0;
        else if (!in) in = 1, words++;
    }
    return words;
}
ALONE int find_first(const int *a, int n, int v) {
    int at = -1;
    for (int i = 0; i < n; i++) //= exit|no
        if (a[i] == v) { at = i; break; }
    return at;
}
ALONE int find_last(const int *a, int n, int v) {
    int at = -1;
    for (int i = 0; i < n; i++) //= no
        if (a[i] == v) at = i;
    return at;
}
ALONE void scratch_outer(double *o, const double *a, int n) {
    double t[8];
    for (int i = 0; i < n; i++) { //= private
        for (int j = 0; j < 8; j++) t[j] = a[i] * j;
        o[i] = t[3] + t[5];
    }
}
ALONE void scratch_partial(double *o, const double *a, int n) {
    double t[8] = {0};
    for (int i = 0; i < n; i++) { //= no
        for (int j = 0; j < (i & 7); j++) t[j] = a[i] * j;
        o[i] = t[3] + t[5];
    }
}
ALONE void scratch_inner(double *o, const double *a, int n) {
    for (int i = 0; i < n; i++) { //= yes
        double t[8];
        for (int j = 0; j < 8; j++) t[j] = a[i] * j;
        o[i] = t[3] + t[5];
    }
}
static int sq(int x) { return x * x; }
static int stateful(int x) { state = state * 5 + x; return state & 63; }
ALONE void callback(int *o, const int *a, int n, int (*f)(int)) {
    for (int i = 0; i < n; i++) //= yes|unknown
        o[i] = f(a[i]);
}
ALONE void callback_state(int *o, const int *a, int n, int (*f)(int)) {
    for (int i = 0; i < n; i++) //= no
        o[i] = f(a[i]);
}
ALONE void direct_state(int *o, const int *a, int n) {
    for (int i = 0; i < n; i++) //= no
        o[i] = stateful(a[i]);
}
ALONE void upper(char *s, int n) {
    for (int i = 0; i < n; i++) //= yes
        if (s[i] >= 'a' && s[i] <= 'z') s[i] -= 32;
}
ALONE void reverse(char *s, int n) {
    for (int i = 0; i < n / 2; i++) { //= yes
        char c = s[i];
        s[i] = s[n - 1 - i];
        s[n - 1 - i] = c;
    }
}
ALONE void copy_string(char *d, const char *s) {
    while ((*d++ = *s++)) ; //= no|induction|exit
}
ALONE int squeeze(char *s, int n) {
    int k = 0;
    for (int i = 0; i < n; i++) //= no
        if (s[i] != ' ') s[k++] = s[i];
    s[k] = 0;
    return k;
}
ALONE unsigned hash(const char *s, int n) {
    unsigned h = 5381;
    for (int i = 0; i < n; i++) //= no
        h = h * 33 + s[i];
    return h;
}
ALONE int list_total(node *l) {
    int s = 0;
    for (node *p = l; p; p = p->next) //= reduction|no|unknown
        s += p->v;
    return s;
}
ALONE void list_prefix(node *l) {
    for (node *p = l; p->next; p = p->next) //= no
        p->next->v += p->v;
}
ALONE node *list_reverse(node *l) {
    node *r = 0;
    while (l) { //= no
        node *t = l->next;
        l->next = r;
        r = l;
        l = t;
    }
    return r;
}
ALONE void overlap(int *a, int n, int k) {
    int *b = a + k;
    for (int i = 0; i < n; i++) //= no
        b[i] = a[i] + 1;
}
ALONE void strided(int *a, int n) {
    for (int i = 0; i < n; i++) //= yes
        a[2 * i] = a[2 * i + 1] + 1;
}
ALONE void strided_meet(int *a, int n) {
    for (int i = 0; i < n; i++) //= no
        a[2 * i] = a[i] + 1;
}
ALONE void strided_pointers(int *p, int *q, int n) {
    for (int i = 0; i < n; i++, p += 2, q += 2) //= induction|no|words
        *p = *q + 1;
}
ALONE void punned(float *o, const float *a, int n) {
    pun p;
    for (int i = 0; i < n; i++) { //= private
        p.f = a[i];
        p.u &= 0x7fffffffu;
        o[i] = p.f;
    }
}
ALONE void punned_keep(float *o, const float *a, int n) {
    pun p;
    p.u = 0;
    for (int i = 0; i < n; i++) { //= no
        p.b[i & 3] = (unsigned char)a[i];
        o[i] = p.u;
    }
}
ALONE void punned_array(float *a, int n) {
    unsigned *u = (unsigned *)a;
    for (int i = 1; i < n; i++) //= no
        a[i] = (float)(u[i - 1] & 0xff) + 1.0f;
}
static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
static int depth_seen;
static int deep(int n) { if (n > depth_seen) depth_seen = n; return n ? deep(n - 1) + 1 : 0; }
ALONE void recursion(int *o, int n) {
    for (int i = 0; i < n; i++) //= yes
        o[i] = fib(i & 7);
}
ALONE void recursion_state(int *o, int n) {
    for (int i = 0; i < n; i++) //= no|words
        o[i] = deep(i & 15) + depth_seen;
}
ALONE void gotos(int *o, const int *a, int n) {
    int i = 0, s = 0;
again:
    if (i >= n) return;
    s += a[i];
    o[i] = s;
    i++;
    goto again; 
}
ALONE void goto_body(int *o, const int *a, int n) {
    for (int i = 0; i < n; i++) { //= yes
        if (a[i] < 0) goto skip;
        o[i] = a[i];
        continue;
    skip:
        o[i] = 0;
    }
}
ALONE void goto_carry(int *o, const int *a, int n) {
    int t = 0;
    for (int i = 0; i < n; i++) { //= no
        if (a[i] < 0) goto skip;
        t = a[i];
    skip:
        o[i] = t;
    }
}
ALONE void volatile_port(const int *a, int n) {
    for (int i = 0; i < n; i++) //= no|unknown|words|private
        port = a[i];
}
ALONE int thread_counter(int *o, int n) {
    for (int i = 0; i < n; i++) //= no|induction|words
        o[i] = tl++;
    return tl;
}
ALONE void ping_pong(double *a, double *b, int n, int t) {
    for (int k = 0; k < t; k++) { //= no
        for (int i = 1; i < n - 1; i++) //= yes
            b[i] = (a[i - 1] + a[i + 1]) * 0.5;
        double *c = a; a = b; b = c;
    }
}
ALONE void last_value(int *o, const int *a, int n, int *out) {
    int t = 0;
    for (int i = 0; i < n; i++) { //= private
        t = a[i] * 2;
        o[i] = t;
    }
    *out = t;
}
ALONE void wrap(int *o, const int *a, int n) {
    int j = n - 1;
    for (int i = 0; i < n; i++) { //= no
        o[i] = a[i] + a[j];
        j = i;
    }
}
ALONE void ring(int *o, const int *a, int n) {
    int buf[8] = {0};
    for (int i = 0; i < n; i++) { //= no
        o[i] = buf[i & 7];
        buf[i & 7] = a[i];
    }
}
ALONE void minmax_index(const int *a, int n, int *lo, int *at) {
    int m = a[0], k = 0;
    for (int i = 1; i < n; i++) { //= reduction|no
        if (a[i] < m) { m = a[i]; k = i; }
    }
    *lo = m; *at = k;
}
ALONE void saturate(int *o, const int *a, int n) {
    int s = 0;
    for (int i = 0; i < n; i++) { //= no
        s += a[i];
        if (s > 100) s = 100;
        o[i] = i;
    }
    S.total = s;
}
ALONE int budget(const int *a, int n) {
    int left = 500, taken = 0;
    for (int i = 0; i < n; i++) { //= no
        if (a[i] > 0 && a[i] <= left) {
            left -= a[i];
            taken++;
        }
    }
    return taken;
}
ALONE void global_pos(int *o, const int *a, int n) {
    for (int i = 0; i < n; i++) //= no|induction
        o[pos++] = a[i];
}
ALONE void two_steps(int *o, const int *a, int n) {
    int k = 0;
    for (int i = 0; i < n; i++) { //= no|induction
        o[k] = a[i];
        o[k + 1] = -a[i];
        k += 2;
    }
}
ALONE void triangle(int *o, int n) {
    int k = 0;
    for (int i = 0; i < n; i++) //= no|induction
        for (int j = 0; j <= i; j++) o[k++] = i * j; //= no|induction
}
ALONE void delay(double *o, const double *a, int n) {
    double d1 = 0, d2 = 0;
    for (int i = 0; i < n; i++) { //= no
        double y = a[i] + 0.5 * d1 - 0.25 * d2;
        d2 = d1;
        d1 = y;
        o[i] = y;
    }
}
ALONE void fir(double *o, const double *a, int n) {
    for (int i = 2; i < n; i++) { //= yes
        double acc = 0;
        for (int k = 0; k < 3; k++) acc += a[i - k] * (k + 1); //= reduction
        o[i] = acc;
    }
}
ALONE void bubble(int *a, int n) {
    for (int i = 0; i + 1 < n; i++) //= no
        if (a[i] > a[i + 1]) { int t = a[i]; a[i] = a[i + 1]; a[i + 1] = t; }
}
ALONE void bitmap(unsigned *m, const int *p, int n) {
    for (int i = 0; i < n; i++) //= reduction|words|no
        m[p[i] >> 5] |= 1u << (p[i] & 31);
}
ALONE void global_array_mix(int n) {
    for (int i = 4; i < n; i++) { //= no
        G[i] = H[i] + 1;
        H[i] = G[i - 4] * 2;
    }
}
ALONE void two_loops_fused(int n) {
    for (int i = 0; i < n; i++) { //= yes
        X[i] = i * 0.5;
        Y[i] = X[i] * 2;
    }
}
ALONE void row_sums(double *o, double (*m)[16], int n) {
    for (int i = 0; i < n; i++) { //= yes
        o[i] = 0;
        for (int j = 0; j < 16; j++) o[i] += m[i][j]; //= reduction
    }
}
ALONE void col_sums(double *o, double (*m)[16], int n) {
    for (int i = 0; i < n; i++) //= reduction|words
        for (int j = 0; j < 16; j++) o[j] += m[i][j]; //= yes
}
int main(void) {
    int *a = integers(N), *o = zeros(4 * N), *p = permutation(N); double *x = reals(N), *y = reals(N); float *f = (float *)malloc(N * 4), *g = (float *)malloc(N * 4);
    char s[N + 1], d[N + 1]; static double m[N][16]; node *l = 0; unsigned bits[64] = {0};
    for (int i = 0; i < N; i++) { s[i] = "ab c"[i * 7 % 4]; f[i] = i - 50; G[i] = i, H[i] = 2 * i; for (int j = 0; j < 16; j++) m[i][j] = i + j; node *q = malloc(sizeof *q); q->next = l; q->v = i; l = q; }
    s[N] = 0; int u, v;
#define R(k) k; show(#k, o, N); show_reals("x", x, N);
    R(struct_acc(&S, a, N)) printf("%g\n", struct_local(x, N)); R(struct_avg(&S, y, x, N)) R(struct_hist(&S, a, N)) R(stencil_in_place(x, N)) R(stencil_out(y, x, N)) R(forward_only(x, N)) R(red_black(x, N))
    R(scatter_perm(o, p, a, N)) R(scatter_dup(o, p, a, N)) R(gather_self(o, p, N)) R(prefix(o, a, N)) R(prefix_exclusive(o, a, N)) R(prefix_in_place(o, N)) R(suffix(o, N)) R(ones_prefix(o, N))
    printf("%d %d %d %d\n", machine(s, o, N), count_words(s, N), find_first(a, N, a[100]), find_last(a, N, a[5]));
    R(scratch_outer(y, x, N)) R(scratch_partial(y, x, N)) R(scratch_inner(y, x, N)) R(callback(o, a, N, sq)) R(callback_state(o, a, N, stateful)) R(direct_state(o, a, N)) upper(s, N); reverse(s, N); copy_string(d, s); printf("%d %u\n", squeeze(d, N), hash(s, N));
    printf("%d\n", list_total(l)); list_prefix(l); l = list_reverse(l); printf("%d\n", l->v);
    R(overlap(o, N, 3)) R(strided(o, N / 2)) R(strided_meet(o, N)) R(strided_pointers(o + 2, o, N)) punned(g, f, N); punned_keep(g, f, N); punned_array(f, N); printf("%g %g\n", g[7], f[N - 1]);
    R(recursion(o, N)) R(recursion_state(o, N)) R(gotos(o, a, N)) R(goto_body(o, a, N)) R(goto_carry(o, a, N)) volatile_port(a, N); R(thread_counter(o, N)) R(ping_pong(x, y, N, 9)) R(last_value(o, a, N, &u)) R(wrap(o, a, N)) R(ring(o, a, N)) minmax_index(a, N, &u, &v);
    R(saturate(o, a, N)) printf("%d\n", budget(a, N)); R(global_pos(o, a, N)) R(two_steps(o, a, N)) R(triangle(o, 22)) R(delay(y, x, N)) R(fir(y, x, N)) R(bubble(o, N)) bitmap(bits, p, N); global_array_mix(N); two_loops_fused(N); row_sums(y, m, N); col_sums(y, m, N);
    show("G", G, N); show("H", H, N); show_reals("y", y, N); printf("%u %d %d\n", bits[3], u, v);
    return 0;
}
