#include "common.h"
#include <math.h>
#define A(i, j) a[(i)*n + (j)]
#define W(c) ways[c]
#define MIN(x, y) ((x) < (y) ? (x) : (y))
#define MAX(x, y) ((x) > (y) ? (x) : (y))
struct tree {
    int parent, size;
    double sum;
    struct tree *up;
};
struct edge {
    int u, v, w;
};
ALONE void coins(long *ways, const int *coin, int m, int n) {
    for (int k = 0; k < m; k++)            //= no
        for (int c = coin[k]; c <= n; c++) //= no
            ways[c] += ways[c - coin[k]];
}
ALONE void coins_macro(long *ways, const int *coin, int m, int n) {
    for (int k = 0; k < m; k++)            //= no
        for (int c = coin[k]; c <= n; c++) //= no
            W(c) += W(c - coin[k]);
}
ALONE void coins_pointer(long *ways, const int *coin, int m, int n) {
    for (int k = 0; k < m; k++) { //= no
        const long *from = ways - coin[k];
        for (int c = coin[k]; c <= n; c++) //= no
            ways[c] += from[c];
    }
}
ALONE void subtree(struct tree *t, int n) {
    for (int i = n - 1; i > 0; i--) //= no
        t[t[i].parent].size += t[i].size;
}
ALONE void subtree_up(struct tree *t, int n) {
    for (int i = n - 1; i > 0; i--) //= no
        t[i].up->size += t[i].size;
}
ALONE void path_sum(struct tree *t, int n) {
    for (int i = 1; i < n; i++) //= no
        t[i].sum += t[t[i].parent].sum;
}
ALONE void path_sum_up(struct tree *t, int n) {
    for (int i = 1; i < n; i++) //= no
        t[i].sum += t[i].up->sum;
}
ALONE void bellman(int *dist, const struct edge *e, int m) {
    for (int r = 0; r < 8; r++)     //= no
        for (int k = 0; k < m; k++) //= no
            if (dist[e[k].u] + e[k].w < dist[e[k].v])
                dist[e[k].v] = dist[e[k].u] + e[k].w;
}
ALONE void bellman_min(int *dist, const struct edge *e, int m) {
    for (int r = 0; r < 8; r++)       //= no
        for (int k = 0; k < m; k++) { //= no
            int *d = &dist[e[k].v];
            *d = MIN(*d, dist[e[k].u] + e[k].w);
        }
}
ALONE void summed_area(double *a, int n) {
    for (int i = 1; i < n; i++)     //= no
        for (int j = 1; j < n; j++) //= no
            A(i, j) += A(i - 1, j) + A(i, j - 1) - A(i - 1, j - 1);
}
ALONE void row_sums(double *a, int n) {
    for (int i = 0; i < n; i++) { //= yes
        double *r = a + i * n, *l = r;
        for (int j = 1; j < n; j++) //= no
            r[j] += l[j - 1];
    }
}
ALONE void double_prefix(const double *a, double *o, int n) {
    double s = 0, t = 0;
    for (int i = 0; i < n; i++) { //= no
        s += a[i];
        t += s;
    }
    *o = t;
}
ALONE double coupled(const double *a, int n) {
    double x = 1, y = 0;
    for (int i = 0; i < n; i++) { //= no
        x += 0.1 * y;
        y -= 0.1 * x + a[i] * 0.001;
    }
    return x + y;
}
ALONE double coupled_plain(int n) {
    double x = 1, y = 2;
    for (int i = 0; i < n; i++) { //= no
        x += y;
        y += x;
    }
    return x + y;
}
ALONE int max_alias(int *m, const int *x, int n) {
    for (int i = 0; i < n; i++) //= no
        m[i] = MAX(m[i], x[i]);
    return m[n - 1];
}
ALONE int max_alias_if(int *m, const int *x, int n) {
    for (int i = 0; i < n; i++) //= no
        if (x[i] > m[i])
            m[i] = x[i];
    return m[n - 1];
}
ALONE int lis(const int *a, int *len, int n) {
    int best = 0;
    for (int i = 0; i < n; i++) { //= no
        len[i] = 1;
        for (int j = 0; j < i; j++) //= reduction
            if (a[j] < a[i] && len[j] + 1 > len[i])
                len[i] = len[j] + 1;
        best = MAX(best, len[i]);
    }
    return best;
}
ALONE void count_sort(int *o, int *pos, const int *k, int n) {
    for (int i = 0; i < n; i++) //= no
        o[pos[k[i] & 7]++] = k[i];
}
ALONE void ranks(int *o, int *h, const int *k, int n) {
    for (int i = 0; i < n; i++) { //= no
        o[i] = h[k[i] & 7];
        h[k[i] & 7] += 1;
    }
}
ALONE void ranks_after(int *o, int *h, const int *k, int n) {
    for (int i = 0; i < n; i++) { //= no
        h[k[i] & 7] += 1;
        o[i] = h[k[i] & 7];
    }
}
ALONE void or_neighbour(unsigned *a, const unsigned *b, int n) {
    for (int i = 0; i < n; i++) //= no
        a[i] |= b[i];
}
ALONE void xor_chain(unsigned *a, const unsigned *b, int n) {
    for (int i = 0; i < n; i++) //= no
        a[i] ^= b[i];
}
ALONE void mul_chain(unsigned *a, const unsigned *b, int n) {
    for (int i = 0; i < n; i++) //= no
        a[i] *= b[i];
}
ALONE void sub_chain(int *a, const int *b, int n) {
    for (int i = 0; i < n; i++) //= no
        a[i] -= b[i];
}
ALONE void scatter_chain(int *a, const int *b, const int *p, int n) {
    for (int i = 0; i < n; i++) //= no
        a[p[i]] += b[i];
}
ALONE void scatter_from(int *a, const int *p, const int *q, int n) {
    for (int i = 0; i < n; i++) { //= no
        int *d = a + p[i], *s = a + q[i];
        *d += *s;
    }
}
ALONE void flow_out(int *w, const int *next, int n) {
    for (int i = 0; i < n; i++) { //= no
        int out = w[i] / 2;
        w[i] -= out;
        w[next[i]] += out;
    }
}
ALONE void sandpile(int *h, int n) {
    for (int i = 1; i < n - 1; i++) //= no
        if (h[i] > 3) {
            h[i] -= 2;
            h[i - 1]++;
            h[i + 1]++;
        }
}
ALONE void transfer(long *bal, const struct edge *e, int m) {
    for (int k = 0; k < m; k++) { //= reduction
        bal[e[k].u] -= e[k].w;
        bal[e[k].v] += e[k].w;
    }
}
ALONE void transfer_if(long *bal, const struct edge *e, int m) {
    for (int k = 0; k < m; k++) //= no
        if (bal[e[k].u] >= e[k].w) {
            bal[e[k].u] -= e[k].w;
            bal[e[k].v] += e[k].w;
        }
}
ALONE void degree(int *deg, const struct edge *e, int m) {
    for (int k = 0; k < m; k++) { //= reduction
        deg[e[k].u]++;
        deg[e[k].v]++;
    }
}
ALONE void clip_sum(int *h, const int *k, int n) {
    for (int i = 0; i < n; i++) //= no
        if (h[k[i] & 7] < 5)
            h[k[i] & 7]++;
}
ALONE void assemble(double *K, const int (*el)[3], int m, int n) {
    for (int e = 0; e < m; e++)         //= reduction
        for (int i = 0; i < 3; i++)     //= reduction|yes
            for (int j = 0; j < 3; j++) //= reduction|yes
                K[el[e][i] * n + el[e][j]] += 1.0 / (1 + i + j + e);
}
ALONE void residual(double *r, const double *x, const struct edge *e, int m) {
    for (int k = 0; k < m; k++) { //= reduction
        double f = x[e[k].u] - x[e[k].v];
        r[e[k].u] -= f;
        r[e[k].v] += f;
    }
}
ALONE void relax_edges(double *x, const struct edge *e, int m) {
    for (int k = 0; k < m; k++) { //= no
        double f = 0.25 * (x[e[k].u] - x[e[k].v]);
        x[e[k].u] -= f;
        x[e[k].v] += f;
    }
}
ALONE void pagerank(double *nx, const double *x, const struct edge *e, const int *deg, int m) {
    for (int k = 0; k < m; k++) //= reduction
        nx[e[k].v] += 0.85 * x[e[k].u] / deg[e[k].u];
}
ALONE void pagerank_in_place(double *nx, const double *x, const struct edge *e, const int *deg, int m) {
    for (int k = 0; k < m; k++) //= no
        nx[e[k].v] += 0.85 * x[e[k].u] / deg[e[k].u];
}
ALONE void newton_forces(double *f, const double *x, int n) {
    for (int i = 0; i < n; i++)           //= reduction
        for (int j = i + 1; j < n; j++) { //= reduction
            double d = 1 / (0.1 + fabs(x[i] - x[j]));
            f[i] += d;
            f[j] -= d;
        }
}
ALONE void springs(double *f, const double *x, int n) {
    for (int i = 0; i + 1 < n; i++) { //= reduction
        double d = x[i + 1] - x[i] - 1;
        f[i] += d;
        f[i + 1] -= d;
    }
}
int main(void) {
    int n = 24;
    double *a = reals(2000), *b = reals(2000);
    int *k = integers(2000), *o = zeros(2000), *h = zeros(100);
    long *w = calloc(200, 8);
    w[0] = 1;
    int coin[] = {1, 2, 5, 10, 20};
    coins(w, coin, 5, 60);
    printf("%ld\n", w[60]);
    memset(w, 0, 1600);
    w[0] = 1;
    coins_macro(w, coin, 5, 60);
    memset(w, 0, 1600);
    w[0] = 1;
    coins_pointer(w, coin, 5, 60);
    printf("%ld\n", w[60]);
    struct tree t[40];
    for (int i = 0; i < 40; i++)
        t[i] = (struct tree){(i - 1) / 2, 1, i, &t[i ? (i - 1) / 2 : 0]};
    subtree(t, 40);
    subtree_up(t, 40);
    path_sum(t, 40);
    path_sum_up(t, 40);
    printf("%d %g\n", t[0].size, t[39].sum);
    struct edge e[80];
    for (int i = 0; i < 80; i++)
        e[i] = (struct edge){i * 7 % 30, (i * 7 + i * 5 % 11 + 1) % 30, 1 + i % 6};
    for (int i = 0; i < 30; i++)
        o[i] = i ? 1000000 : 0;
    bellman(o, e, 80);
    show("bf", o, 30);
    for (int i = 0; i < 30; i++)
        o[i] = i ? 1000000 : 0;
    bellman_min(o, e, 80);
    show("bf", o, 30);
    for (int i = 0; i < 576; i++)
        a[i] = i % 7;
    summed_area(a, n);
    printf("%.12g\n", a[575]);
    row_sums(a, n);
    printf("%.12g\n", a[575]);
    double r;
    double_prefix(b, &r, 64);
    printf("%.9g %.9g %.9g\n", r, coupled(b, 64), coupled_plain(20));
    printf("%d\n", max_alias(k + 1, k, 64));
    show("k", k, 65);
    k = integers(2000);
    max_alias_if(k + 1, k, 64);
    show("k", k, 65);
    k = integers(2000);
    printf("%d\n", lis(k, o, 64));
    for (int i = 0; i < 8; i++)
        h[i] = i * 20;
    count_sort(o, h, k, 64);
    show("cs", o, 160);
    ranks(o, h, k, 64);
    show("r", o, 64);
    ranks_after(o, h, k, 64);
    show("r", o, 64);
    unsigned *u = (unsigned *)integers(200);
    for (int i = 0; i < 100; i++)
        u[i] = 1u << i % 29;
    or_neighbour(u + 1, u, 50);
    show("u", (int *)u, 60);
    xor_chain(u + 1, u, 50);
    show("u", (int *)u, 60);
    for (int i = 0; i < 100; i++)
        u[i] |= 1;
    mul_chain(u + 1, u, 50);
    sub_chain((int *)u + 1, (int *)u, 50);
    show("u", (int *)u, 60);
    for (int i = 0; i < 64; i++)
        o[i] = (i * 13 + 5) % 64;
    scatter_chain(k, k, o, 64);
    show("sc", k, 64);
    scatter_from(k, o, o + 7, 50);
    show("sf", k, 64);
    flow_out(k, o, 64);
    show("fo", k, 64);
    for (int i = 0; i < 64; i++)
        h[i] = i * 7 % 9;
    sandpile(h, 60);
    show("sp", h, 64);
    for (int i = 0; i < 30; i++)
        w[i] = 5;
    transfer(w, e, 80);
    transfer_if(w, e, 80);
    printf("%ld %ld\n", w[3], w[17]);
    memset(o, 0, 400);
    degree(o, e, 80);
    show("dg", o, 30);
    memset(h, 0, 400);
    clip_sum(h, k, 64);
    show("cl", h, 8);
    int el[40][3];
    for (int i = 0; i < 120; i++)
        el[i / 3][i % 3] = i * 5 % 20;
    assemble(a, el, 40, 20);
    printf("%.6g\n", a[105]);
    residual(a, b, e, 80);
    printf("%.6g\n", a[7]);
    relax_edges(b, e, 80);
    printf("%.9g\n", b[7]);
    for (int i = 0; i < 30; i++)
        o[i]++;
    pagerank(a, b, e, o, 80);
    printf("%.6g\n", a[7]);
    pagerank_in_place(b, b, e, o, 80);
    printf("%.9g\n", b[7]);
    newton_forces(a, b, 40);
    springs(a, b, 40);
    printf("%.6g\n", a[7]);
}
