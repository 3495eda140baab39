#include "common.h"
#include <math.h>
#include <stdint.h>
#include <complex.h>
#include <stdbool.h>
#include <ctype.h>
/* what people write every day; all of it parallel or a reduction */
typedef struct {
    float r, g, b, a;
} color;
typedef struct {
    int w, h;
    uint8_t *px;
} image;
typedef double mat4[4][4];
typedef struct {
    double re, im;
} cplx;
typedef enum { RED, GREEN, BLUE } kind;
typedef struct {
    char name[16];
    int age;
    double pay;
    kind k;
} person;
typedef double (*fn)(double);
#define SQ(x) ((x) * (x))
#define CLAMP(x, a, b) ((x) < (a) ? (a) : (x) > (b) ? (b) : (x))
#define PX(im, x, y) (im)->px[(y) * (im)->w + (x)]
ALONE void blend(color *o, const color *a, const color *b, float t, int n) {
    for (int i = 0; i < n; i++) { //= yes
        o[i].r = a[i].r * (1 - t) + b[i].r * t;
        o[i].g = a[i].g * (1 - t) + b[i].g * t;
        o[i].b = a[i].b * (1 - t) + b[i].b * t;
        o[i].a = 1;
    }
}
ALONE color tint(color c, float k) {
    c.r *= k;
    c.g *= k;
    return c;
}
ALONE void tints(color *o, int n) {
    for (int i = 0; i < n; i++) //= yes
        o[i] = tint(o[i], 0.5f);
}
ALONE void structs_copy(person *o, const person *a, int n) {
    for (int i = 0; i < n; i++) //= yes
        o[i] = a[i];
}
ALONE void raise(person *p, int n, double pct) {
    for (int i = 0; i < n; i++) { //= yes
        person *q = &p[i];
        if (q->age > 30)
            q->pay *= 1 + pct / 100;
        else
            q->pay += 10;
    }
}
ALONE double payroll(const person *p, int n) {
    double s = 0;
    for (int i = 0; i < n; i++) //= reduction
        s += p[i].pay;
    return s;
}
ALONE int oldest(const person *p, int n) {
    int m = 0;
    for (int i = 0; i < n; i++) //= reduction
        if (p[i].age > m)
            m = p[i].age;
    return m;
}
ALONE void by_kind(const person *p, int n, int *cnt) {
    for (int i = 0; i < n; i++) //= reduction
        switch (p[i].k) {
        case RED:
            cnt[0]++;
            break;
        case GREEN:
            cnt[1]++;
            break;
        default:
            cnt[2]++;
        }
}
ALONE void names(person *p, int n) {
    for (int i = 0; i < n; i++) { //= yes
        strcpy(p[i].name, "person ");
        p[i].name[7] = 'a' + i % 26;
        p[i].name[8] = 0;
    }
}
ALONE int name_matches(const person *p, int n, const char *s) {
    int c = 0;
    for (int i = 0; i < n; i++) //= reduction
        if (strcmp(p[i].name, s) == 0)
            c++;
    return c;
}
ALONE void invert(image *im) {
    for (int y = 0; y < im->h; y++)     //= yes
        for (int x = 0; x < im->w; x++) //= yes
            PX(im, x, y) = 255 - PX(im, x, y);
}
ALONE void box3(image *o, const image *im) {
    for (int y = 1; y < im->h - 1; y++)       //= yes
        for (int x = 1; x < im->w - 1; x++) { //= yes
            int s = 0;
            for (int dy = -1; dy <= 1; dy++)
                for (int dx = -1; dx <= 1; dx++)
                    s += PX(im, x + dx, y + dy);
            PX(o, x, y) = CLAMP(s / 9, 0, 255);
        }
}
ALONE void flip_h(image *im) {
    for (int y = 0; y < im->h; y++)           //= yes
        for (int x = 0; x < im->w / 2; x++) { //= yes
            uint8_t t = PX(im, x, y);
            PX(im, x, y) = PX(im, im->w - 1 - x, y);
            PX(im, im->w - 1 - x, y) = t;
        }
}
ALONE void img_hist(const image *im, unsigned h[256]) {
    for (int y = 0; y < im->h; y++)     //= reduction
        for (int x = 0; x < im->w; x++) //= reduction
            h[PX(im, x, y)]++;
}
ALONE int otsu_max(const unsigned h[256]) {
    unsigned m = 0;
    for (int i = 0; i < 256; i++) //= reduction
        m = h[i] > m ? h[i] : m;
    return m;
}
ALONE void mats(mat4 *o, const mat4 *a, const mat4 *b, int n) {
    for (int m = 0; m < n; m++) //= yes
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++) {
                double s = 0;
                for (int k = 0; k < 4; k++)
                    s += a[m][i][k] * b[m][k][j];
                o[m][i][j] = s;
            }
}
ALONE void dft(cplx *o, const double *x, int n) {
    for (int k = 0; k < n; k++) { //= yes
        o[k].re = o[k].im = 0;
        for (int t = 0; t < n; t++) { //= reduction
            o[k].re += x[t] * cos(2 * M_PI * k * t / n);
            o[k].im -= x[t] * sin(2 * M_PI * k * t / n);
        }
    }
}
ALONE double trapezoid(fn f, double a, double b, int n) {
    double h = (b - a) / n, s = 0.5 * (f(a) + f(b));
    for (int i = 1; i < n; i++) //= reduction
        s += f(a + i * h);
    return s * h;
}
ALONE double simpson(double a, double b, int n) {
    double h = (b - a) / n, s = exp(a) + exp(b);
    for (int i = 1; i < n; i += 2) //= reduction
        s += 4 * exp(a + i * h);
    for (int i = 2; i < n - 1; i += 2) //= reduction
        s += 2 * exp(a + i * h);
    return s * h / 3;
}
ALONE double pi(int n) {
    double s = 0, h = 1.0 / n, x;
    for (int i = 0; i < n; i++) { //= reduction|private
        x = (i + 0.5) * h;
        s += 4 / (1 + x * x);
    }
    return s * h;
}
ALONE double leibniz(int n) {
    double s = 0;
    for (int i = 0; i < n; i++) //= reduction
        s += (i % 2 ? -1.0 : 1.0) / (2 * i + 1);
    return 4 * s;
}
ALONE double norm2(const double *a, int n) {
    double s = 0;
    for (int i = 0; i < n; i++) //= reduction
        s += SQ(a[i]);
    return sqrt(s);
}
ALONE void normalise(double *a, int n) {
    double m = 0, v = 0;
    for (int i = 0; i < n; i++) //= reduction
        m += a[i];
    m /= n;
    for (int i = 0; i < n; i++) //= reduction
        v += SQ(a[i] - m);
    v = sqrt(v / n);
    for (int i = 0; i < n; i++) //= yes
        a[i] = (a[i] - m) / v;
}
ALONE void softmax(double *o, const double *a, int n) {
    double m = -INFINITY, s = 0;
    for (int i = 0; i < n; i++) //= reduction
        m = fmax(m, a[i]);
    for (int i = 0; i < n; i++) //= reduction
        s += o[i] = exp(a[i] - m);
    for (int i = 0; i < n; i++) //= yes
        o[i] /= s;
}
ALONE void relu(double *o, const double *a, int n) {
    for (int i = 0; i < n; i++) //= yes
        o[i] = a[i] > 0 ? a[i] : 0;
}
ALONE void dense(double *y, const double *W, const double *x, const double *b, int m, int n) {
    for (int i = 0; i < m; i++) { //= yes
        double s = b[i];
        for (int j = 0; j < n; j++) //= reduction
            s += W[i * n + j] * x[j];
        y[i] = 1 / (1 + exp(-s));
    }
}
ALONE int primes(int n) {
    int c = 0;
    for (int i = 2; i < n; i++) { //= reduction
        bool ok = true;
        for (int j = 2; j * j <= i; j++) //= exit|yes
            if (i % j == 0) {
                ok = false;
                break;
            }
        if (ok)
            c++;
    }
    return c;
}
ALONE int perfect(int n) {
    int c = 0;
    for (int i = 1; i < n; i++) { //= reduction
        int s = 0;
        for (int d = 1; d < i; d++) //= reduction
            if (i % d == 0)
                s += d;
        c += s == i;
    }
    return c;
}
ALONE void mandel(uint8_t *o, int w, int h) {
    for (int y = 0; y < h; y++)       //= yes
        for (int x = 0; x < w; x++) { //= yes
            double complex c = 3.0 * x / w - 2 + (2.0 * y / h - 1) * I, z = 0;
            int k = 0;
            while (k < 30 && cabs(z) < 2) { //= no
                z = z * z + c;
                k++;
            }
            o[y * w + x] = k;
        }
}
ALONE void life(uint8_t *o, const uint8_t *a, int w, int h) {
    for (int y = 0; y < h; y++)       //= yes
        for (int x = 0; x < w; x++) { //= yes
            int n = 0;
            for (int dy = -1; dy <= 1; dy++)
                for (int dx = -1; dx <= 1; dx++)
                    if (dx || dy)
                        n += a[(y + dy + h) % h * w + (x + dx + w) % w];
            o[y * w + x] = n == 3 || (n == 2 && a[y * w + x]);
        }
}
ALONE void pairwise(double *d, const double (*p)[3], int n) {
    for (int i = 0; i < n; i++)       //= yes
        for (int j = 0; j < i; j++) { //= yes
            double s = 0;
            for (int k = 0; k < 3; k++)
                s += SQ(p[i][k] - p[j][k]);
            d[i * n + j] = d[j * n + i] = sqrt(s);
        }
}
ALONE double closest(const double (*p)[3], int n) {
    double best = 1e30;
    for (int i = 0; i < n; i++)           //= reduction
        for (int j = i + 1; j < n; j++) { //= reduction
            double s = 0;
            for (int k = 0; k < 3; k++)
                s += SQ(p[i][k] - p[j][k]);
            if (s < best)
                best = s;
        }
    return sqrt(best);
}
ALONE int vowels(const char *s) {
    int c = 0;
    for (int i = 0; s[i]; i++) //= reduction|exit|no
        if (strchr("aeiou", s[i]))
            c++;
    return c;
}
ALONE void letters(const char *s, int n, int *cnt) {
    for (int i = 0; i < n; i++) //= reduction
        if (isalpha((unsigned char)s[i]))
            cnt[tolower((unsigned char)s[i]) - 'a']++;
}
ALONE int palindrome(const char *s, int n) {
    int ok = 1;
    for (int i = 0; i < n / 2; i++) //= reduction|flag
        if (s[i] != s[n - 1 - i])
            ok = 0;
    return ok;
}
ALONE int sorted(const int *a, int n) {
    int ok = 1;
    for (int i = 1; i < n; i++) //= reduction
        ok &= a[i - 1] <= a[i];
    return ok;
}
ALONE unsigned checksum(const uint8_t *p, int n) {
    unsigned s = 0;
    for (int i = 0; i < n; i++) //= reduction
        s += p[i] * (i + 1);
    return s;
}
ALONE uint64_t popcounts(const uint64_t *p, int n) {
    uint64_t s = 0;
    for (int i = 0; i < n; i++) //= reduction
        s += __builtin_popcountll(p[i]);
    return s;
}
ALONE int hamming(const uint8_t *a, const uint8_t *b, int n) {
    int d = 0;
    for (int i = 0; i < n; i++) //= reduction
        d += a[i] != b[i];
    return d;
}
ALONE void hex(char *o, const uint8_t *a, int n) {
    for (int i = 0; i < n; i++) { //= yes
        o[2 * i] = "0123456789abcdef"[a[i] >> 4];
        o[2 * i + 1] = "0123456789abcdef"[a[i] & 15];
    }
}
ALONE void endian(uint32_t *a, int n) {
    for (int i = 0; i < n; i++) //= yes
        a[i] = a[i] >> 24 | (a[i] >> 8 & 0xff00) | (a[i] << 8 & 0xff0000) | a[i] << 24;
}
ALONE void tables(double *s, double *c, int n) {
    for (int i = 0; i < n; i++) //= yes
        sincos(2 * M_PI * i / n, &s[i], &c[i]);
}
ALONE void splits(double *ip, double *fp, const double *a, int n) {
    for (int i = 0; i < n; i++) //= yes
        fp[i] = modf(a[i], &ip[i]);
}
ALONE void lengths3(double *o, double (*p)[3], int n) {
    for (int i = 0; i < n; i++) { //= yes
        double *q = p[i];
        o[i] = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2]);
    }
}
ALONE void heat3(double *o, const double *a, int n) {
#define I3(i, j, k) (((i)*n + (j)) * n + (k))
    for (int i = 1; i < n - 1; i++)         //= yes
        for (int j = 1; j < n - 1; j++)     //= yes
            for (int k = 1; k < n - 1; k++) //= yes
                o[I3(i, j, k)] = a[I3(i, j, k)] + 0.1 * (a[I3(i - 1, j, k)] + a[I3(i + 1, j, k)] + a[I3(i, j - 1, k)] +
                                                         a[I3(i, j + 1, k)] + a[I3(i, j, k - 1)] + a[I3(i, j, k + 1)] -
                                                         6 * a[I3(i, j, k)]);
}
ALONE double maxdiff(const double *a, const double *b, int n) {
    double m = 0;
    for (int i = 0; i < n; i++) { //= reduction
        double d = fabs(a[i] - b[i]);
        if (d > m)
            m = d;
    }
    return m;
}
ALONE double step_and_err(double *b, const double *a, int n) {
    double err = 0;
    for (int i = 1; i < n - 1; i++) { //= reduction
        b[i] = 0.5 * (a[i - 1] + a[i + 1]);
        err += fabs(b[i] - a[i]);
    }
    return err;
}
ALONE double step_and_max(double *b, const double *a, int n) {
    double err = 0, d;
    for (int i = 1; i < n - 1; i++) { //= reduction|private
        b[i] = 0.5 * (a[i - 1] + a[i + 1]);
        d = fabs(b[i] - a[i]);
        err = fmax(err, d);
    }
    return err;
}
ALONE void outer_prod(double **m, const double *a, const double *b, int n) {
    int i, j;
    for (i = 0; i < n; i++)     //= private
        for (j = 0; j < n; j++) //= yes|private
            m[i][j] = a[i] * b[j];
}
ALONE double trace(double **m, int n) {
    double t = 0;
    int i;
    for (i = 0; i < n; i++) //= reduction
        t += m[i][i];
    return t;
}
ALONE void toeplitz(int n, double m[n][n], const double *c) {
    for (int i = 0; i < n; i++)     //= yes
        for (int j = 0; j < n; j++) //= yes
            m[i][j] = c[abs(i - j)];
}
int main(void) {
    int n = 48;
    double *a = reals(4000), *b = reals(4000), *d = reals(4000);
    color *c1 = calloc(n, sizeof *c1), *c2 = calloc(n, sizeof *c2), *c3 = calloc(n, sizeof *c3);
    for (int i = 0; i < n; i++)
        c1[i].r = i, c2[i].g = i;
    blend(c3, c1, c2, 0.25f, n);
    tints(c3, n);
    printf("%g %g\n", c3[9].r, c3[9].g);
    person *p = calloc(n, sizeof *p), *q = calloc(n, sizeof *q);
    for (int i = 0; i < n; i++)
        p[i].age = i * 7 % 60, p[i].pay = i, p[i].k = i * 5 % 3;
    names(p, n);
    structs_copy(q, p, n);
    raise(q, n, 5);
    int cnt[40] = {0};
    by_kind(q, n, cnt);
    printf("%g %d %d %d\n", payroll(q, n), oldest(q, n), cnt[1], name_matches(q, n, "person c"));
    image im = {24, 20, malloc(480)}, io = {24, 20, calloc(480, 1)};
    for (int i = 0; i < 480; i++)
        im.px[i] = i * 41;
    invert(&im);
    box3(&io, &im);
    flip_h(&io);
    unsigned h[256] = {0};
    img_hist(&io, h);
    printf("%d %d\n", otsu_max(h), io.px[77]);
    mats((mat4 *)d, (mat4 *)a, (mat4 *)b, 40);
    printf("%g\n", d[77]);
    cplx *z = malloc(64 * sizeof *z);
    dft(z, a, 32);
    printf("%.6g %.6g\n", z[3].re, z[4].im);
    printf("%.6g %.6g %.6g %.6g %.6g\n", trapezoid(sin, 0, 1, 100), simpson(0, 1, 100), pi(200), leibniz(200),
           norm2(a, 100));
    normalise(a, 100);
    softmax(b, a, 100);
    relu(d, a, 100);
    printf("%.6g %.6g\n", b[7], d[33]);
    dense(d, b, a, a, 20, 30);
    printf("%.6g\n", d[4]);
    printf("%d %d\n", primes(200), perfect(60));
    uint8_t *u = calloc(1000, 1), *w = calloc(1000, 1);
    mandel(u, 24, 20);
    life(w, u, 24, 20);
    printf("%d %d\n", u[200], w[200]);
    pairwise(d, (const double(*)[3])a, 24);
    printf("%.6g %.6g\n", d[77], closest((const double(*)[3])a, 24));
    char s[] = "A man a plan a canal panama and some more letters to count over";
    int m = sizeof s - 1;
    letters(s, m, cnt);
    printf("%d %d %d %d\n", vowels(s), cnt[13], palindrome(s, m), sorted(cnt, 20));
    printf("%u %lu %d\n", checksum(u, 400), (unsigned long)popcounts((uint64_t *)a, 60), hamming(u, w, 400));
    char o[300] = {0};
    hex(o, u, 100);
    endian((uint32_t *)u, 100);
    printf("%.20s %d\n", o + 60, u[5]);
    tables(a, b, 64);
    splits(a, b, d, 64);
    lengths3(d, (double(*)[3])b, 30);
    printf("%.6g %.6g %.6g\n", a[9], b[9], d[9]);
    heat3(d, b, 12);
    printf("%.6g %.6g %.6g\n", maxdiff(a, b, 100), step_and_err(a, b, 64), step_and_max(a, d, 64));
    double *r[24];
    for (int i = 0; i < 24; i++)
        r[i] = d + 24 * i;
    outer_prod(r, a, b, 24);
    printf("%.6g\n", trace(r, 24));
    toeplitz(24, (double(*)[24])d, a);
    printf("%.6g\n", d[77]);
}
