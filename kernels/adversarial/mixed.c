#include "common.h"
#include <math.h>
struct q {
    double v;
    int w;
    struct q *prev;
};
static double sg[64];
double *gp;
typedef double V __attribute__((vector_size(32)));
/* aliases at -O0 in other operators and kinds; frames; bitfields; conditional reductions; multi-statement */
ALONE void sat_add(int *a, const int *b, int n) {
    for (int i = 0; i < n; i++) { //= no
        int t = a[i] + b[i];
        a[i] = t;
    }
}
ALONE void tmp_mul(double *a, const double *b, int n) {
    for (int i = 0; i < n; i++) { //= no
        double x = b[i];
        a[i] = a[i] * x;
    }
}
ALONE void plus_expr(double *a, const double *b, int n) {
    for (int i = 0; i < n; i++) //= no
        a[i] = b[i] + a[i];
}
ALONE void minus_expr(double *a, const double *b, int n) {
    for (int i = 0; i < n; i++) //= no
        a[i] = b[i] - a[i];
}
ALONE void struct_chain(struct q *t, int n) {
    for (int i = 1; i < n; i++) //= no
        t[i].v += t[i].prev->v;
}
ALONE void struct_assign(struct q *t, int n) {
    for (int i = 1; i < n; i++) { //= no
        t[i] = *t[i].prev;
        t[i].w++;
        t[i].prev = &t[i];
    }
}
ALONE void linked(struct q *h) {
    for (struct q *p = h; p->prev != p; p = p->prev) //= no
        p->prev->v += p->v;
}
ALONE double weights(const struct q *t, int n) {
    double s = 0, w = 0;
    for (int i = 0; i < n; i++) { //= reduction
        if (t[i].w <= 0)
            continue;
        s += t[i].v * t[i].w;
        w += t[i].w;
    }
    return s / w;
}
ALONE void vec_ext(V *a, const V *b, int n) {
    for (int i = 0; i < n; i++) //= yes
        a[i] = a[i] * 2 + b[i];
}
ALONE void vec_chain(V *a, int n) {
    for (int i = 1; i < n; i++) //= no
        a[i] = a[i - 1] * 0.5 + a[i];
}
ALONE void mc(int *in, int n) {
    unsigned s = 12345;
    int c = 0;
    for (int i = 0; i < n; i++) { //= no
        s ^= s << 13;
        s ^= s >> 17;
        s ^= s << 5;
        c += s & 1;
    }
    *in = c;
}
ALONE void affine_rng(unsigned *o, int n) {
    unsigned s = 1;
    for (int i = 0; i < n; i++) { //= no
        s = s * 5 + 3;
        o[i] = s;
    }
}
ALONE void power(double *o, double x, int n) {
    double p = 1;
    for (int i = 0; i < n; i++) { //= no
        o[i] = p;
        p *= x;
    }
}
ALONE void doubling(unsigned *o, int n) {
    unsigned p = 1;
    for (int i = 0; i < n; i++) { //= no|induction
        o[i] = p;
        p <<= 1;
    }
}
ALONE void quad_ind(int *o, int n) {
    int k = 0;
    for (int i = 0; i < n; i++) { //= no|induction
        o[i] = k;
        k += i;
    }
}
ALONE void two_ind(int *o, int n) {
    int j = 3, k = 100;
    for (int i = 0; i < n; i++) { //= induction|no
        o[j] = k;
        j += 2;
        k -= 3;
    }
}
ALONE void cond_ind(int *o, const int *a, int n) {
    int j = 0;
    for (int i = 0; i < n; i++) { //= no
        o[i] = j;
        if (a[i] > 0)
            j += 2;
    }
}
ALONE void both_ind(int *o, const int *a, int n) {
    int j = 0;
    for (int i = 0; i < n; i++) { //= induction|no
        if (a[i] > 0) {
            o[j] = 1;
            j++;
        } else {
            o[j] = 2;
            j++;
        }
    }
}
ALONE void wrap(double *o, const double *a, int n) {
    int p = n - 1;
    for (int i = 0; i < n; i++) { //= no|private|induction|words
        o[i] = a[p] - a[i];
        p = i;
    }
}
ALONE void toggle(int *o, int n) {
    int t = 0;
    for (int i = 0; i < n; i++) { //= no|induction
        o[i] = t;
        t = !t;
    }
}
ALONE void toggle2(double a[2][64], int n) {
    int cur = 0;
    for (int t = 0; t < n; t++) {    //= no
        for (int i = 1; i < 63; i++) //= yes
            a[!cur][i] = (a[cur][i - 1] + a[cur][i + 1]) * 0.5;
        cur = !cur;
    }
}
ALONE void counter_mod(int *o, const int *a, int n, int m) {
    int k = 0;
    for (int i = 0; i < n; i++) { //= no|induction
        o[i] = a[k];
        k = (k + 1) % m;
    }
}
ALONE void local_frame(double *o, const double *a, int n) {
    double w[64] = {0};
    for (int i = 0; i < n; i++) { //= no
        w[i] = a[i];
        o[i] = w[i / 3] + w[0];
    }
}
ALONE void local_frame_int(int *o, const int *a, int n) {
    int w[256];
    for (int i = 0; i < 256; i++) //= yes
        w[i] = -1;
    for (int i = 0; i < n; i++) { //= no|yes
        o[i] = w[a[i] + 100];
        w[a[i] + 100] = i;
    }
}
ALONE int dup(const int *a, int n) {
    char seen[256] = {0};
    int d = 0;
    for (int i = 0; i < n; i++) { //= no
        if (seen[a[i] & 63])
            d++;
        seen[a[i] & 63] = 1;
    }
    return d;
}
ALONE void local_table(int *o, const int *a, int n) {
    int sq[128];
    for (int i = 0; i < 128; i++) //= yes
        sq[i] = i * i;
    for (int i = 0; i < n; i++) //= yes
        o[i] = sq[a[i] & 127];
}
ALONE long memo_fib(int n) {
    long f[90];
    f[0] = 0;
    f[1] = 1;
    for (int i = 2; i < n; i++) //= no
        f[i] = f[i - 1] + f[i - 2];
    return f[n - 1];
}
ALONE int catalan(int n) {
    int c[20] = {1};
    for (int i = 1; i < n; i++) { //= no
        c[i] = 0;
        for (int j = 0; j < i; j++) //= reduction
            c[i] += c[j] * c[i - 1 - j];
    }
    return c[n - 1];
}
ALONE int edit(const char *s, const char *t, int n, int m) {
    int prev[64], cur[64];
    for (int j = 0; j <= m; j++) //= yes
        prev[j] = j;
    for (int i = 1; i <= n; i++) { //= no
        cur[0] = i;
        for (int j = 1; j <= m; j++) { //= no
            int k = prev[j - 1] + (s[i - 1] != t[j - 1]);
            if (prev[j] + 1 < k)
                k = prev[j] + 1;
            if (cur[j - 1] + 1 < k)
                k = cur[j - 1] + 1;
            cur[j] = k;
        }
        for (int j = 0; j <= m; j++) //= yes
            prev[j] = cur[j];
    }
    return prev[m];
}
ALONE int rod(const int *price, int n) {
    int best[64] = {0};
    for (int i = 1; i <= n; i++)     //= no
        for (int j = 1; j <= i; j++) //= reduction
            if (price[j] + best[i - j] > best[i])
                best[i] = price[j] + best[i - j];
    return best[n];
}
ALONE long stairs(int n) {
    long w[64] = {1, 1};
    for (int i = 2; i < n; i++) { //= no
        w[i] = 0;
        for (int k = 1; k <= 2; k++) //= reduction
            w[i] += w[i - k];
    }
    return w[n - 1];
}
ALONE int subset(const int *a, int n, int target) {
    char ok[512] = {1};
    for (int i = 0; i < n; i++)              //= no
        for (int s = target; s >= a[i]; s--) //= no
            ok[s] |= ok[s - a[i]];
    return ok[target];
}
ALONE int maxsub(const int *a, int n) {
    int best = a[0], cur = a[0];
    for (int i = 1; i < n; i++) { //= no
        cur = cur > 0 ? cur + a[i] : a[i];
        if (cur > best)
            best = cur;
    }
    return best;
}
ALONE int water(const int *h, int n) {
    int L[64], R[64], s = 0;
    L[0] = h[0];
    R[n - 1] = h[n - 1];
    for (int i = 1; i < n; i++) //= no
        L[i] = h[i] > L[i - 1] ? h[i] : L[i - 1];
    for (int i = n - 2; i >= 0; i--) //= no
        R[i] = h[i] > R[i + 1] ? h[i] : R[i + 1];
    for (int i = 0; i < n; i++) //= reduction
        s += (L[i] < R[i] ? L[i] : R[i]) - h[i];
    return s;
}
int main(void) {
    int n = 48;
    double *a = reals(4000), *b = reals(4000);
    int *k = integers(400), *o = zeros(400);
    sat_add(k + 1, k, n);
    show("k", k, n);
    a[0] = 1;
    for (int i = 0; i < 100; i++)
        a[i] = 1 + i % 3 * 0.01;
    tmp_mul(a + 1, a, n);
    show_reals("a", a, n);
    plus_expr(a + 1, a, n);
    minus_expr(a + 1, a, n);
    show_reals("a", a, n);
    struct q t[48];
    for (int i = 0; i < n; i++)
        t[i] = (struct q){i, i % 3, &t[i ? i - 1 : 0]};
    struct_chain(t, n);
    printf("%g\n", t[40].v);
    linked(&t[47]);
    printf("%g %g\n", t[3].v, weights(t, n));
    struct_assign(t, n);
    printf("%d\n", t[30].w);
    V *v = aligned_alloc(32, 3200);
    for (int i = 0; i < 400; i++)
        ((double *)v)[i] = i % 7;
    vec_ext(v, v + 50, 40);
    vec_chain(v, 40);
    printf("%.9g\n", v[39][2]);
    int in;
    mc(&in, 100);
    printf("%d\n", in);
    affine_rng((unsigned *)o, n);
    show("o", o, n);
    power(b, 1.01, n);
    show_reals("b", b, n);
    doubling((unsigned *)o, n);
    show("o", o, n);
    quad_ind(o, n);
    show("o", o, n);
    two_ind(o, n);
    show("o", o, n);
    cond_ind(o, k, n);
    show("o", o, n);
    both_ind(o, k, n);
    show("o", o, n);
    wrap(b, a, n);
    show_reals("b", b, n);
    toggle(o, n);
    show("o", o, n);
    double z[2][64];
    for (int i = 0; i < 128; i++)
        z[i / 64][i % 64] = i % 9;
    toggle2(z, 9);
    show_reals("z", z[1], 64);
    counter_mod(o, k, n, 7);
    show("o", o, n);
    k = integers(400);
    local_frame(b, a, n);
    show_reals("b", b, n);
    local_frame_int(o, k, 90);
    show("o", o, 90);
    printf("%d\n", dup(k, 90));
    local_table(o, k, 90);
    show("o", o, 90);
    printf("%ld %d %d %d %ld\n", memo_fib(80), catalan(18),
           edit("the kitten on the mat", "a sitting on the map", 21, 20), rod(k + 40, 40), stairs(50));
    int w[20];
    for (int i = 0; i < 20; i++)
        w[i] = i * 7 % 23 + 3;
    printf("%d %d %d\n", subset(w, 20, 150), maxsub(k, 90), water(o, 50));
}
