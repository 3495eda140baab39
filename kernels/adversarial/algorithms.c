#include "common.h"
#include <math.h>
#include <complex.h>
union U {
    float f;
    unsigned u;
    unsigned char b[4];
};
struct bits {
    unsigned a : 3, b : 5, c : 8;
};
struct pt {
    double x, y, z, m, fx, fy, fz;
};
ALONE void floyd(int *d, int n) {
    for (int k = 0; k < n; k++)         //= no
        for (int i = 0; i < n; i++)     //= yes|no
            for (int j = 0; j < n; j++) //= yes|no
                if (d[i * n + k] + d[k * n + j] < d[i * n + j])
                    d[i * n + j] = d[i * n + k] + d[k * n + j];
}
ALONE void lu(double *a, int n) {
    for (int k = 0; k < n; k++)           //= no
        for (int i = k + 1; i < n; i++) { //= yes
            a[i * n + k] /= a[k * n + k];
            for (int j = k + 1; j < n; j++) //= yes
                a[i * n + j] -= a[i * n + k] * a[k * n + j];
        }
}
ALONE void cholesky(double *a, int n) {
    for (int j = 0; j < n; j++) { //= no
        double s = a[j * n + j];
        for (int k = 0; k < j; k++) //= reduction
            s -= a[j * n + k] * a[j * n + k];
        a[j * n + j] = sqrt(fabs(s) + 1);
        for (int i = j + 1; i < n; i++) { //= yes
            double t = a[i * n + j];
            for (int k = 0; k < j; k++) //= reduction
                t -= a[i * n + k] * a[j * n + k];
            a[i * n + j] = t / a[j * n + j];
        }
    }
}
ALONE void fft(double complex *x, int n) {
    for (int i = 0, j = 0; i < n; i++) { //= no|induction
        if (j > i) {
            double complex t = x[i];
            x[i] = x[j];
            x[j] = t;
        }
        int m = n >> 1;
        while (m >= 1 && j & m) { //= no
            j ^= m;
            m >>= 1;
        }
        j |= m;
    }
    for (int len = 2; len <= n; len <<= 1) { //= no
        for (int i = 0; i < n; i += len) {   //= yes
            double complex w = 1, wl = cexp(-2 * M_PI * I / len);
            for (int k = 0; k < len / 2; k++) { //= no
                double complex u = x[i + k], v = x[i + k + len / 2] * w;
                x[i + k] = u + v;
                x[i + k + len / 2] = u - v;
                w *= wl;
            }
        }
    }
}
ALONE void fft_table(double complex *x, const double complex *w, int n) {
    for (int len = 2; len <= n; len <<= 1) //= no
        for (int k = 0; k < n / 2; k++) {  //= yes
            int h = len / 2, g = k / h, p = k % h, i = g * len + p;
            double complex u = x[i], v = x[i + h] * w[p * (n / len)];
            x[i] = u + v;
            x[i + h] = u - v;
        }
}
ALONE void thomas(double *c, double *d, const double *a, const double *b, int n) {
    for (int i = 1; i < n; i++) { //= no
        double m = 1 / (b[i] + 5 - a[i] * c[i - 1]);
        c[i] *= m;
        d[i] = (d[i] - a[i] * d[i - 1]) * m;
    }
    for (int i = n - 2; i >= 0; i--) //= no
        d[i] -= c[i] * d[i + 1];
}
ALONE void seidel(double *a, int n) {
    for (int t = 0; t < 10; t++)            //= no
        for (int i = 1; i < n - 1; i++)     //= no
            for (int j = 1; j < n - 1; j++) //= no
                a[i * n + j] = 0.25 * (a[(i - 1) * n + j] + a[(i + 1) * n + j] + a[i * n + j - 1] + a[i * n + j + 1]);
}
ALONE void jacobi_swap(double *a, double *b, int n) {
    for (int t = 0; t < 10; t++) {      //= no
        for (int i = 1; i < n - 1; i++) //= yes
            b[i] = (a[i - 1] + a[i + 1]) / 2;
        double *x = a;
        a = b;
        b = x;
    }
}
ALONE void jacobi_index(double a[2][64], int n) {
    for (int t = 0; t < 10; t++)        //= no
        for (int i = 1; i < n - 1; i++) //= yes
            a[(t + 1) & 1][i] = (a[t & 1][i - 1] + a[t & 1][i + 1]) / 2;
}
ALONE void wavefront(double *a, int n) {
    for (int d = 2; d < 2 * n - 1; d++)                               //= no
        for (int i = d < n ? 1 : d - n + 1; i < (d < n ? d : n); i++) //= yes
            a[i * n + d - i] = a[(i - 1) * n + d - i] + a[i * n + d - i - 1];
}
ALONE int lcs(const char *s, const char *t, int n, int m, int *L) {
    for (int i = 1; i <= n; i++)     //= no
        for (int j = 1; j <= m; j++) //= no
            L[i * (m + 1) + j] = s[i - 1] == t[j - 1]                                ? L[(i - 1) * (m + 1) + j - 1] + 1
                                 : L[(i - 1) * (m + 1) + j] > L[i * (m + 1) + j - 1] ? L[(i - 1) * (m + 1) + j]
                                                                                     : L[i * (m + 1) + j - 1];
    return L[n * (m + 1) + m];
}
ALONE int knapsack(const int *w, const int *v, int n, int cap, int *best) {
    for (int i = 0; i < n; i++)           //= no
        for (int c = cap; c >= w[i]; c--) //= no
            if (best[c - w[i]] + v[i] > best[c])
                best[c] = best[c - w[i]] + v[i];
    return best[cap];
}
ALONE int knapsack2(const int *w, const int *v, int n, int cap, int *b, int *q) {
    for (int i = 0; i < n; i++) {      //= no
        for (int c = 0; c <= cap; c++) //= yes
            q[c] = c >= w[i] && b[c - w[i]] + v[i] > b[c] ? b[c - w[i]] + v[i] : b[c];
        int *t = b;
        b = q;
        q = t;
    }
    return b[cap];
}
ALONE void prefix(int *a, int n) {
    for (int i = 1; i < n; i++) //= no
        a[i] += a[i - 1];
}
ALONE void hillis(int *a, int *b, int n) {
    for (int s = 1; s < n; s *= 2) { //= no
        for (int i = 0; i < n; i++)  //= yes
            b[i] = i >= s ? a[i] + a[i - s] : a[i];
        for (int i = 0; i < n; i++) //= yes
            a[i] = b[i];
    }
}
ALONE void oddeven(int *a, int n) {
    for (int p = 0; p < n; p++)                //= no
        for (int i = p & 1; i + 1 < n; i += 2) //= yes
            if (a[i] > a[i + 1]) {
                int t = a[i];
                a[i] = a[i + 1];
                a[i + 1] = t;
            }
}
ALONE void bitonic(int *a, int n) {
    for (int k = 2; k <= n; k *= 2)        //= no
        for (int j = k / 2; j > 0; j /= 2) //= no
            for (int i = 0; i < n; i++) {  //= yes
                int l = i ^ j;
                if (l > i && ((i & k) == 0) == (a[i] > a[l])) {
                    int t = a[i];
                    a[i] = a[l];
                    a[l] = t;
                }
            }
}
ALONE void transpose_in(double *a, int n) {
    for (int i = 0; i < n; i++)           //= yes
        for (int j = i + 1; j < n; j++) { //= yes
            double t = a[i * n + j];
            a[i * n + j] = a[j * n + i];
            a[j * n + i] = t;
        }
}
ALONE void transpose_wrong(double *a, int n) {
    for (int i = 0; i < n; i++)       //= no
        for (int j = 0; j < n; j++) { //= yes
            double t = a[i * n + j];
            a[i * n + j] = a[j * n + i];
            a[j * n + i] = t;
        }
}
ALONE void spmv(double *y, const int *p, const int *c, const double *v, const double *x, int n) {
    for (int i = 0; i < n; i++) { //= yes
        y[i] = 0;
        for (int k = p[i]; k < p[i + 1]; k++) //= reduction
            y[i] += v[k] * x[c[k]];
    }
}
ALONE void spmv_t(double *y, const int *p, const int *c, const double *v, const double *x, int n) {
    for (int i = 0; i < n; i++)               //= reduction
        for (int k = p[i]; k < p[i + 1]; k++) //= yes|reduction
            y[c[k]] += v[k] * x[i];
}
ALONE void trisolve(double *x, const int *p, const int *c, const double *v, int n) {
    for (int i = 0; i < n; i++)               //= no
        for (int k = p[i]; k < p[i + 1]; k++) //= reduction
            if (c[k] < i)
                x[i] -= 0.01 * v[k] * x[c[k]];
}
ALONE int find(int *p, int x) {
    while (p[x] != x) {
        p[x] = p[p[x]];
        x = p[x];
    }
    return x;
}
ALONE void unite(int *p, const int *u, const int *v, int n) {
    for (int i = 0; i < n; i++) //= no
        p[find(p, u[i])] = find(p, v[i]);
}
ALONE int bfs(int *dist, int *queue, const int *p, const int *c, int n) {
    int head = 0, tail = 1;
    queue[0] = 0;
    dist[0] = 0;
    while (head < tail) { //= no
        int u = queue[head++];
        for (int k = p[u]; k < p[u + 1]; k++) //= no
            if (dist[c[k]] < 0) {
                dist[c[k]] = dist[u] + 1;
                queue[tail++] = c[k];
            }
    }
    return tail;
}
ALONE void nbody(struct pt *p, int n) {
    for (int i = 0; i < n; i++) { //= yes
        double fx = 0, fy = 0;
        for (int j = 0; j < n; j++) { //= reduction
            if (i == j)
                continue;
            double dx = p[j].x - p[i].x, dy = p[j].y - p[i].y, r = dx * dx + dy * dy + 0.1, q = p[j].m / (r * sqrt(r));
            fx += q * dx;
            fy += q * dy;
        }
        p[i].fx = fx;
        p[i].fy = fy;
    }
}
ALONE void nbody_half(struct pt *p, int n) {
    for (int i = 0; i < n; i++)           //= reduction
        for (int j = i + 1; j < n; j++) { //= reduction
            double dx = p[j].x - p[i].x, f = dx / (1 + dx * dx);
            p[i].fz += f;
            p[j].fz -= f;
        }
}
ALONE void move(struct pt *p, int n) {
    for (int i = 0; i < n; i++) { //= yes
        p[i].x += p[i].fx;
        p[i].y += p[i].fy;
    }
}
ALONE void kmeans(const double *x, double *c, int *lab, int n, int k) {
    double s[8] = {0};
    int cnt[8] = {0};
    for (int i = 0; i < n; i++) { //= reduction
        double b = 1e9;
        int w = 0;
        for (int j = 0; j < k; j++) { //= reduction|no
            double d = fabs(x[i] - c[j]);
            if (d < b) {
                b = d;
                w = j;
            }
        }
        lab[i] = w;
        s[w] += x[i];
        cnt[w]++;
    }
    for (int j = 0; j < k; j++) //= yes
        if (cnt[j])
            c[j] = s[j] / cnt[j];
}
ALONE void pic(double *rho, const double *x, int n) {
    for (int i = 0; i < n; i++) { //= reduction
        int c = (int)x[i];
        double f = x[i] - c;
        rho[c] += 1 - f;
        rho[c + 1] += f;
    }
}
ALONE int kmp(const char *s, int *fail, int n) {
    fail[0] = 0;
    int k = 0;
    for (int i = 1; i < n; i++) { //= no
        while (k && s[i] != s[k]) //= no
            k = fail[k - 1];
        if (s[i] == s[k])
            k++;
        fail[i] = k;
    }
    return k;
}
ALONE void hash_insert(int *table, const int *keys, int n) {
    for (int i = 0; i < n; i++) { //= no|yes
        int h = (keys[i] + 100) * 7 % 128;
        while (table[h] && table[h] != keys[i] + 100) //= no|exit|induction
            h = (h + 1) % 128;
        table[h] = keys[i] + 100;
    }
}
ALONE int hash_find(const int *table, const int *keys, int n) {
    int hits = 0;
    for (int i = 0; i < n; i++) { //= reduction
        int h = (keys[i] + 100) * 7 % 128;
        while (table[h] && table[h] != keys[i] + 100) //= no|exit|induction
            h = (h + 1) % 128;
        hits += table[h] != 0;
    }
    return hits;
}
ALONE void union_pun(float *o, const float *a, int n) {
    for (int i = 0; i < n; i++) { //= yes
        union U u;
        u.f = a[i];
        u.u ^= 0x80000000u;
        u.b[0] = 0;
        o[i] = u.f;
    }
}
ALONE void union_outside(float *o, const float *a, int n) {
    union U u;
    for (int i = 0; i < n; i++) { //= private
        u.f = a[i];
        u.u ^= 0x80000000u;
        o[i] = u.f;
    }
}
ALONE void union_carried(float *o, const float *a, int n) {
    union U u;
    u.u = 0;
    for (int i = 0; i < n; i++) { //= no
        u.b[i & 3] = i;
        o[i] = u.u;
    }
}
ALONE void bitfields(struct bits *b, int n) {
    for (int i = 0; i < n; i++) { //= yes
        b[i].a = i;
        b[i].b = i * 3;
        b[i].c ^= 5;
    }
}
ALONE void bitset(unsigned *w, const int *a, int n) {
    for (int i = 0; i < n; i++) //= reduction
        w[(a[i] + 64) >> 5] |= 1u << ((a[i] + 64) & 31);
}
ALONE void bitset_clear(unsigned *w, int n) {
    for (int i = 0; i < n; i += 3) //= reduction|no
        w[i >> 5] &= ~(1u << (i & 31));
}
ALONE void nibbles(unsigned char *p, int n) {
    for (int i = 0; i < n; i++) //= no
        p[i / 2] = i & 1 ? (p[i / 2] & 0x0f) | (i & 15) << 4 : (p[i / 2] & 0xf0) | (i & 15);
}
ALONE void sieve(char *c, int n) {
    for (int i = 2; i * i < n; i++) //= no
        if (!c[i])
            for (int j = i * i; j < n; j += i) //= yes
                c[j] = 1;
}
ALONE int compact(int *o, const int *a, int n) {
    int k = 0;
    for (int i = 0; i < n; i++) //= no
        if (a[i] > 0)
            o[k++] = a[i];
    return k;
}
ALONE int rle(char *o, const char *s, int n) {
    int k = 0;
    for (int i = 0; i < n;) { //= no
        int j = i;
        while (j < n && s[j] == s[i]) //= exit|no|induction
            j++;
        o[k++] = s[i];
        o[k++] = '0' + (j - i) % 10;
        i = j;
    }
    return k;
}
ALONE void matmul_ptr(double **c, double **a, double **b, int n) {
    for (int i = 0; i < n; i++)       //= yes
        for (int j = 0; j < n; j++) { //= yes
            c[i][j] = 0;
            for (int k = 0; k < n; k++) //= reduction
                c[i][j] += a[i][k] * b[k][j];
        }
}
ALONE void vla2d(int n, double a[n][n], double b[n][n]) {
    for (int i = 1; i < n - 1; i++)     //= yes
        for (int j = 1; j < n - 1; j++) //= yes
            b[i][j] = a[i - 1][j] + a[i][j + 1] - a[j][i];
}
ALONE void alias_in(double *a, double *b, int n) {
    for (int i = 0; i < n; i++) //= no
        a[i] = b[i] * 2;
}
ALONE void pascal(int *c, int n) {
    for (int i = 1; i < n; i++)     //= no
        for (int j = i; j > 0; j--) //= no
            c[j] = (c[j] + c[j - 1]) % 9973;
}
ALONE void conv(double *o, const double *a, const double *k, int n, int m) {
    for (int i = 0; i < n; i++)     //= yes
        for (int j = 0; j < m; j++) //= reduction
            o[i] += a[i + j] * k[j];
}
ALONE void poly_mul(double *o, const double *a, const double *b, int n) {
    for (int i = 0; i < n; i++)     //= reduction
        for (int j = 0; j < n; j++) //= yes
            o[i + j] += a[i] * b[j];
}
ALONE void gram(double *q, int n, int m) {
    for (int k = 0; k < n; k++) { //= no
        double r = 0;
        for (int i = 0; i < m; i++) //= reduction
            r += q[i * n + k] * q[i * n + k];
        r = sqrt(r);
        for (int i = 0; i < m; i++) //= yes
            q[i * n + k] /= r;
        for (int j = k + 1; j < n; j++) { //= yes
            double d = 0;
            for (int i = 0; i < m; i++) //= reduction
                d += q[i * n + k] * q[i * n + j];
            for (int i = 0; i < m; i++) //= yes
                q[i * n + j] -= d * q[i * n + k];
        }
    }
}
ALONE double power_it(double *a, double *x, double *y, int n) {
    double l = 0;
    for (int t = 0; t < 12; t++) { //= no
        l = 0;
        for (int i = 0; i < n; i++) {
            y[i] = 0;
            for (int j = 0; j < n; j++) //= reduction|private
                y[i] += a[i * n + j] * x[j];
            l += y[i] * y[i];
        }
        l = sqrt(l);
        for (int i = 0; i < n; i++) //= yes
            x[i] = y[i] / l;
    }
    return l;
}
int main(void) {
    int n = 24, m = n * n;
    double *a = reals(4000), *b = reals(4000), *c = reals(4000), *d = reals(4000);
    int *k = integers(4000), *o = zeros(4000), *q = zeros(4000);
    for (int i = 0; i < m; i++)
        o[i] = abs(k[i]) + 1;
    floyd(o, n);
    show("floyd", o, m);
    lu(a, n);
    show_reals("lu", a, m);
    cholesky(b, n);
    show_reals("ch", b, m);
    double complex x[64], w[32];
    for (int i = 0; i < 64; i++)
        x[i] = c[i] + I * d[i];
    for (int i = 0; i < 32; i++)
        w[i] = cexp(-2 * M_PI * I * i / 64);
    fft(x, 64);
    printf("%.6g %.6g\n", creal(x[5]), cimag(x[9]));
    fft_table(x, w, 64);
    printf("%.6g %.6g\n", creal(x[5]), cimag(x[9]));
    a = reals(4000);
    b = reals(4000);
    thomas(a, b, c, d, n);
    show_reals("th", b, n);
    seidel(c, n);
    show_reals("se", c, m);
    jacobi_swap(c, d, 64);
    show_reals("ja", c, 64);
    double z[2][64];
    for (int i = 0; i < 128; i++)
        z[i / 64][i % 64] = i % 11;
    jacobi_index(z, 64);
    show_reals("ji", z[0], 64);
    wavefront(d, n);
    show_reals("wa", d, m);
    const char *s = "abcabdabcabcdabxyabcabcaabca";
    memset(o, 0, 16000);
    printf("%d\n", lcs(s, s + 7, 20, 20, o));
    memset(o, 0, 16000);
    int wt[12], v[12];
    for (int i = 0; i < 12; i++)
        wt[i] = i * 7 % 11 + 2, v[i] = i * 5 % 13 + 1;
    printf("%d\n", knapsack(wt, v, 12, 50, o));
    memset(o, 0, 16000);
    printf("%d\n", knapsack2(wt, v, 12, 50, o, q));
    prefix(k, 64);
    show("px", k, 64);
    hillis(k, o, 64);
    show("hi", k, 64);
    k = integers(4000);
    oddeven(k, 40);
    show("oe", k, 40);
    k = integers(4000);
    bitonic(k, 64);
    show("bi", k, 64);
    transpose_in(d, n);
    show_reals("ti", d, m);
    transpose_wrong(d, n);
    show_reals("tw", d, m);
    int p[41], col[400];
    for (int i = 0; i <= 40; i++)
        p[i] = i * 9 + i % 3;
    for (int i = 0; i < 400; i++)
        col[i] = i * 17 % 40;
    spmv(a, p, col, b, c, 40);
    show_reals("sp", a, 40);
    spmv_t(a, p, col, b, c, 40);
    show_reals("st", a, 40);
    trisolve(a, p, col, b, 40);
    show_reals("tr", a, 40);
    for (int i = 0; i < 64; i++)
        o[i] = i, q[i] = i * 23 % 64;
    k = integers(64);
    for (int i = 0; i < 64; i++)
        k[i] = i * 13 % 64;
    unite(o, q, k, 40);
    show("un", o, 64);
    for (int i = 0; i < 64; i++)
        o[i] = -1;
    printf("%d\n", bfs(o, q, p, col, 40));
    show("bfs", o, 40);
    struct pt *pt = calloc(32, sizeof *pt);
    for (int i = 0; i < 32; i++)
        pt[i].x = i * 7 % 13, pt[i].y = i * 5 % 11, pt[i].m = 1 + i % 3;
    nbody(pt, 32);
    nbody_half(pt, 32);
    move(pt, 32);
    printf("%.6g %.6g %.6g\n", pt[5].x, pt[9].y, pt[11].fz);
    kmeans(b, c, o, 64, 8);
    show("km", o, 64);
    show_reals("kc", c, 8);
    memset(a, 0, 800);
    pic(a, b, 64);
    show_reals("pic", a, 64);
    printf("%d\n", kmp(s, o, 28));
    memset(q, 0, 1000);
    k = integers(64);
    hash_insert(q, k, 64);
    printf("%d\n", hash_find(q, k, 64));
    float f[64], g[64];
    for (int i = 0; i < 64; i++)
        f[i] = i * 1.37f;
    union_pun(g, f, 64);
    union_outside(g, f, 64);
    printf("%g\n", g[8]);
    union_carried(g, f, 64);
    printf("%g\n", g[8]);
    struct bits bb[64] = {{0}};
    bitfields(bb, 64);
    printf("%d\n", bb[9].c);
    bitset((unsigned *)o, k, 64);
    bitset_clear((unsigned *)o, 60);
    show("bs", o, 4);
    nibbles((unsigned char *)o, 64);
    show("ni", o, 8);
    char ch[400] = {0};
    sieve(ch, 400);
    printf("%d\n", ch[97] + ch[91]);
    printf("%d\n", compact(o, k, 64));
    show("co", o, 20);
    printf("%d\n", rle(ch, "aaabbbbccdaaaaeeffgghiijjjjjkkkk", 32));
    double *ra[24], *rb[24], *rc[24];
    for (int i = 0; i < 24; i++)
        ra[i] = a + 24 * i, rb[i] = b + 24 * i, rc[i] = c + 24 * i;
    matmul_ptr(rc, ra, rb, n);
    show_reals("mm", c, m);
    vla2d(n, (double(*)[n])a, (double(*)[n])d);
    show_reals("vl", d, m);
    alias_in(a + 1, a, 60);
    show_reals("al", a, 60);
    k[0] = 1;
    memset(k + 1, 0, 200);
    pascal(k, 40);
    show("pa", k, 40);
    conv(a, b, c, 40, 9);
    show_reals("cv", a, 40);
    poly_mul(a, b, c, 30);
    show_reals("pm", a, 60);
    gram(b, 12, 20);
    show_reals("gr", b, 240);
    printf("%.6g\n", power_it(b, c, d, 20));
}
