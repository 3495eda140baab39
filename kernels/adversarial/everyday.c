/* Loops of everyday programs whose iterations are independent. */
#include "common.h"
#include <math.h>

struct particle { double x, y, vx, vy; int cell; };

ALONE void multiply(double *c, const double *a, const double *b, int n) {
    for (int i = 0; i < n; i++) //= yes
        for (int j = 0; j < n; j++) { //= yes
            double s = 0;
            for (int k = 0; k < n; k++) //= reduction
                s += a[i * n + k] * b[k * n + j];
            c[i * n + j] = s;
        }
}
ALONE void multiply_into(double *c, const double *a, const double *b, int n) {
    for (int i = 0; i < n; i++) //= yes
        for (int j = 0; j < n; j++) //= yes
            for (int k = 0; k < n; k++) //= reduction
                c[i * n + j] += a[i * n + k] * b[k * n + j];
}
ALONE void multiply_kij(double *c, const double *a, const double *b, int n) {
    for (int k = 0; k < n; k++) //= reduction
        for (int i = 0; i < n; i++) //= yes
            for (int j = 0; j < n; j++) //= yes
                c[i * n + j] += a[i * n + k] * b[k * n + j];
}
ALONE void multiply_rows(double **c, double **a, double **b, int n) {
    for (int i = 0; i < n; i++) //= yes
        for (int k = 0; k < n; k++) { //= reduction
            double r = a[i][k];
            for (int j = 0; j < n; j++) //= yes
                c[i][j] += r * b[k][j];
        }
}
ALONE void matrix_vector(double *y, const double *a, const double *x, int n) {
    for (int i = 0; i < n; i++) { //= yes
        y[i] = 0;
        for (int j = 0; j < n; j++) //= reduction
            y[i] += a[i * n + j] * x[j];
    }
}
ALONE void five_points(double *b, const double *a, int n) {
    for (int i = 1; i < n - 1; i++) //= yes
        for (int j = 1; j < n - 1; j++) //= yes
            b[i * n + j] = 0.2 * (a[i * n + j] + a[(i - 1) * n + j] + a[(i + 1) * n + j] + a[i * n + j - 1] + a[i * n + j + 1]);
}
ALONE void gather(double *b, const double *a, const int *p, int n) {
    for (int i = 0; i < n; i++) //= yes
        b[i] = a[p[i]];
}
ALONE void move_particles(struct particle *p, int n, double h) {
    for (int i = 0; i < n; i++) { //= yes
        p[i].x += h * p[i].vx;
        p[i].y += h * p[i].vy;
        if (p[i].x < 0) {
            p[i].x = -p[i].x;
            p[i].vx = -p[i].vx;
        }
        p[i].cell = (int)p[i].x * 8 + (int)p[i].y;
    }
}
ALONE void median_filter(unsigned char *out, const unsigned char *in, int w, int h) {
    for (int y = 1; y < h - 1; y++) //= yes
        for (int x = 1; x < w - 1; x++) { //= yes
            unsigned char v[9];
            int k = 0;
            for (int dy = -1; dy <= 1; dy++)
                for (int dx = -1; dx <= 1; dx++) v[k++] = in[(y + dy) * w + x + dx];
            for (int i = 1; i < 9; i++)
                for (int j = i; j > 0 && v[j - 1] > v[j]; j--) {
                    unsigned char t = v[j];
                    v[j] = v[j - 1];
                    v[j - 1] = t;
                }
            out[y * w + x] = v[4];
        }
}
ALONE void blurred(float *out, const float *in, const float *kernel, int w, int h) {
    for (int y = 2; y < h - 2; y++) //= yes
        for (int x = 2; x < w - 2; x++) { //= yes
            float s = 0;
            for (int i = -2; i <= 2; i++) //= reduction
                for (int j = -2; j <= 2; j++) //= reduction
                    s += in[(y + i) * w + x + j] * kernel[(i + 2) * 5 + j + 2];
            out[y * w + x] = s;
        }
}
ALONE void grey(unsigned char *out, const unsigned char *rgb, int n) {
    for (int i = 0; i < n; i++) { //= yes
        int r = rgb[3 * i], g = rgb[3 * i + 1], b = rgb[3 * i + 2];
        int v = (77 * r + 150 * g + 29 * b) >> 8;
        out[i] = v > 255 ? 255 : v;
    }
}
ALONE void escape_times(int *out, int w, int h) {
    for (int y = 0; y < h; y++) //= yes
        for (int x = 0; x < w; x++) { //= yes
            double cr = 3.0 * x / w - 2, ci = 2.0 * y / h - 1, zr = 0, zi = 0;
            int k;
            for (k = 0; k < 50 && zr * zr + zi * zi < 4; k++) { //= no
                double t = zr * zr - zi * zi + cr;
                zi = 2 * zr * zi + ci;
                zr = t;
            }
            out[y * w + x] = k;
        }
}
ALONE int greatest_divisor(int a, int b) {
    while (b) { //= no
        int t = a % b;
        a = b;
        b = t;
    }
    return a;
}
ALONE void divisors(int *out, const int *a, int n) {
    for (int i = 0; i < n; i++) //= yes
        out[i] = greatest_divisor(a[i] + 100, i + 12);
}
ALONE void searched(int *out, const int *sorted, const int *keys, int n) {
    for (int i = 0; i < n; i++) { //= yes
        int lo = 0, hi = n;
        while (lo < hi) { //= no
            int mid = (lo + hi) / 2;
            if (sorted[mid] < keys[i])
                lo = mid + 1;
            else
                hi = mid;
        }
        out[i] = lo;
    }
}
ALONE void functions(double *out, const double *a, int n) {
    for (int i = 0; i < n; i++) //= yes
        out[i] = sin(a[i]) + sqrt(a[i]) * pow(a[i], 1.5);
}
ALONE void conditional_scale(double *a, const int *f, int n) {
    for (int i = 0; i < n; i++) //= yes
        if (f[i] > 0) a[i] *= 2;
}
ALONE void select_between(double *c, const double *a, const double *b, const int *f, int n) {
    for (int i = 0; i < n; i++) //= yes
        c[i] = f[i] & 1 ? a[i] : b[i];
}
ALONE void clamped(int *a, int n) {
    for (int i = 0; i < n; i++) //= yes
        a[i] = a[i] < -20 ? -20 : a[i] > 20 ? 20 : a[i];
}
ALONE void sparse(double *y, const int *start, const int *column, const double *v, const double *x, int rows) {
    for (int i = 0; i < rows; i++) { //= yes
        double s = 0;
        for (int k = start[i]; k < start[i + 1]; k++) //= reduction
            s += v[k] * x[column[k]];
        y[i] = s;
    }
}
ALONE void many_live(double *out, const double *a, int n, double c0, double c1, double c2, double c3, double c4, double c5, double c6, double c7) {
    for (int i = 0; i < n; i++) { //= yes
        double x = a[i], y = x * c0 + c1, z = y * c2 + c3, u = z * c4 + c5, v = u * c6 + c7;
        double w = fabs(x) + y * z - u * v, p = sqrt(fabs(w)), q = p * x + y, r = q * z + u, s = r * v + w;
        out[i] = floor(x) + y + z + u + v + w + p + q + r + s + sin(x * y) + c0 * p + c1 * q + c2 * r + c3 * s;
    }
}
ALONE void spilled_counters(int *out, const int *a, int n, int s1, int s2, int s3, int s4) {
    for (int i = 0; i < n; i++) { //= yes
        int k1 = i * s1, k2 = i * s2, k3 = i * s3, k4 = i * s4;
        double x = sin(k1) + sin(k2) + sin(k3) + sin(k4);
        out[i] = a[(k1 + k2) % n] + a[(k3 + k4) % n] + (int)(x * 8) + k1 * k2 + k3 * k4;
    }
}
ALONE void copied(double *b, const double *a, int n) {
    for (int i = 0; i < n; i++) //= yes
        b[i] = a[i];
}
ALONE void filled(int *a, int n) {
    for (int i = 0; i < n; i++) //= yes
        a[i] = 9;
}
ALONE void reversed(double *b, const double *a, int n) {
    for (int i = 0; i < n; i++) //= yes
        b[i] = a[n - 1 - i];
}
ALONE void interleaved(double *out, const double *a, const double *b, int n) {
    for (int i = 0; i < n; i++) { //= yes
        out[2 * i] = a[i];
        out[2 * i + 1] = b[i];
    }
}
ALONE void transposed(double *b, const double *a, int n) {
    for (int i = 0; i < n; i++) //= yes
        for (int j = 0; j < n; j++) //= yes
            b[j * n + i] = a[i * n + j];
}
ALONE void upper_triangle(double *a, int n) {
    for (int i = 0; i < n; i++) //= yes
        for (int j = i; j < n; j++) //= yes
            a[i * n + j] = 1.0 / (1 + j - i);
}
ALONE void polynomials(double *out, const double *x, const double *c, int n) {
    for (int i = 0; i < n; i++) { //= yes
        double s = c[7];
        for (int k = 6; k >= 0; k--) //= no
            s = s * x[i] + c[k];
        out[i] = s;
    }
}
ALONE void distances(double *d, const double *x, const double *y, int n) {
    for (int i = 0; i < n; i++) //= yes
        for (int j = 0; j < n; j++) { //= yes
            double dx = x[i] - x[j], dy = y[i] - y[j];
            d[i * n + j] = sqrt(dx * dx + dy * dy);
        }
}
ALONE void blocked(double *b, const double *a, int n) {
    for (int ii = 0; ii < n; ii += 8) //= yes
        for (int jj = 0; jj < n; jj += 8) //= yes
            for (int i = ii; i < ii + 8 && i < n; i++) //= yes
                for (int j = jj; j < jj + 8 && j < n; j++) //= yes
                    b[j * n + i] = a[i * n + j] + 1;
}
ALONE void continued(double *b, const double *a, const int *f, int n) {
    for (int i = 0; i < n; i++) { //= yes
        if (f[i] < 0) continue;
        b[i] = a[i] * f[i];
    }
}
ALONE void string_lengths(int *out, char **text, int n) {
    for (int i = 0; i < n; i++) //= yes
        out[i] = (int)strlen(text[i]);
}
ALONE void update_pairs(double *a, int n) {
    for (int i = 0; i + 1 < n; i += 2) { //= yes
        double t = a[i];
        a[i] = t + a[i + 1];
        a[i + 1] = t - a[i + 1];
    }
}
ALONE void butterfly(double *a, int n) {
    for (int h = 1; h < n; h *= 2) //= no
        for (int i = 0; i < n; i += 2 * h) //= yes
            for (int j = i; j < i + h; j++) { //= yes
                double x = a[j], y = a[j + h];
                a[j] = x + y;
                a[j + h] = x - y;
            }
}
ALONE void bit_counts(int *out, const int *a, int n) {
    for (int i = 0; i < n; i++) { //= yes
        unsigned v = a[i];
        int c = 0;
        while (v) { //= no
            v &= v - 1;
            c++;
        }
        out[i] = c;
    }
}
ALONE void bytes_swapped(unsigned *out, const unsigned *a, int n) {
    for (int i = 0; i < n; i++) { //= yes
        unsigned char b[4];
        for (int j = 0; j < 4; j++) b[j] = a[i] >> 8 * j;
        out[i] = (unsigned)b[0] << 24 | b[1] << 16 | b[2] << 8 | b[3];
    }
}
ALONE void through_table(unsigned char *out, const unsigned char *in, const unsigned char *table, int n) {
    for (int i = 0; i < n; i++) //= yes
        out[i] = table[in[i]];
}
ALONE double apply(double (*f)(double), double x) { return f(x); }
ALONE void by_pointer(double *out, const double *a, int n, double (*f[2])(double)) {
    for (int i = 0; i < n; i++) //= yes
        out[i] = apply(f[i & 1], a[i]);
}
ALONE int recursive(int n) { return n < 2 ? n : recursive(n - 1) + recursive(n - 2); }
ALONE void recursive_calls(int *out, int n) {
    for (int i = 0; i < n; i++) //= yes
        out[i] = recursive(i % 10);
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 24, m = n * n;
    double *a = reals(m), *b = reals(m), *c = reals(2 * m), *x = reals(m), *y = reals(m);
    int *k = integers(m), *p = permutation(m), *o = zeros(m);
    unsigned char *u = malloc(3 * m), *v = calloc(m, 1);
    for (int i = 0; i < 3 * m; i++) u[i] = i * 41;
    multiply(c, a, b, n);
    multiply_into(c, a, b, n);
    multiply_kij(c, a, b, n);
    show_reals("multiply", c, m);
    double **ra = calloc(n, sizeof *ra), **rb = calloc(n, sizeof *rb), **rc = calloc(n, sizeof *rc);
    for (int i = 0; i < n; i++) ra[i] = a + i * n, rb[i] = b + i * n, rc[i] = c + i * n;
    multiply_rows(rc, ra, rb, n);
    matrix_vector(y, a, x, n);
    show_reals("matrix_vector", y, n);
    five_points(c, a, n);
    gather(b, a, p, m);
    show_reals("gather", b, m);
    struct particle *q = calloc(100, sizeof *q);
    for (int i = 0; i < 100; i++) q[i].vx = i % 7 - 3, q[i].vy = i % 5;
    move_particles(q, 100, 0.1);
    printf("%d\n", q[33].cell);
    median_filter(v, u, n, n);
    printf("%d\n", v[n + 5]);
    float *f = malloc(4 * m), *g = calloc(4, m), w[25];
    for (int i = 0; i < m; i++) f[i] = a[i];
    for (int i = 0; i < 25; i++) w[i] = 1 / (1.0f + i);
    blurred(g, f, w, n, n);
    printf("%g\n", g[3 * n + 4]);
    grey(v, u, m);
    printf("%d\n", v[m - 1]);
    escape_times(o, n, n);
    show("escape_times", o, m);
    divisors(o, k, m / 4);
    show("divisors", o, m);
    for (int i = 0; i < m; i++) o[i] = i - 50;
    searched(p, o, k, m / 4);
    show("searched", p, m / 4);
    p = permutation(m);
    functions(c, a, 100);
    show_reals("functions", c, 100);
    conditional_scale(a, k, m);
    select_between(c, a, b, k, m);
    clamped(k, m);
    show("clamped", k, m);
    int start[41], *column = zeros(400);
    for (int i = 0; i <= 40; i++) start[i] = i * 9 + i % 3;
    for (int i = 0; i < 400; i++) column[i] = i * 17 % 40;
    sparse(y, start, column, b, x, 40);
    show_reals("sparse", y, 40);
    many_live(c, a, 100, 1, 2, 3, 4, 5, 6, 7, argc);
    spilled_counters(o, k, 100, argc, 3, 7, 2);
    show_reals("many_live", c, 100);
    show("spilled_counters", o, 100);
    copied(b, a, 100);
    filled(o, 100);
    reversed(b, a, 100);
    interleaved(c, a, b, 100);
    transposed(c, a, n);
    upper_triangle(c, n);
    polynomials(b, x, a, 100);
    show_reals("polynomials", b, 100);
    distances(c, x, y, n);
    blocked(b, c, n);
    show_reals("blocked", b, m);
    continued(b, a, k, 100);
    char *text[60];
    for (int i = 0; i < 60; i++) text[i] = &"a text of some length for all of them, in sixty pieces, and so on......................"[i];
    string_lengths(o, text, 60);
    show("string_lengths", o, 60);
    update_pairs(b, 100);
    butterfly(b, 64);
    show_reals("butterfly", b, 64);
    bit_counts(o, k, 100);
    bytes_swapped((unsigned *)p, (unsigned *)k, 100);
    show("bytes_swapped", p, 100);
    through_table(v, u, u + 300, 100);
    printf("%d\n", v[99]);
    double (*fs[2])(double) = {sin, cos};
    by_pointer(c, a, 100, fs);
    recursive_calls(o, 40);
    show("recursive", o, 40);
    show_reals("by_pointer", c, 100);
    return 0;
}
