#include "common.h"
#include <math.h>
#include <stdbool.h>
#include <complex.h>
struct acc {
    double s;
    int n;
    long double q;
} A;
int hits;
double total;
static float parts[4];
ALONE int trunc_sum(const double *a, int n) {
    int s = 0;
    for (int i = 0; i < n; i++) //= no
        s += 0.3 * a[i];
    return s;
}
ALONE int mixed_ops(const int *a, int n) {
    int s = 1;
    for (int i = 0; i < n; i++) { //= no
        s += a[i];
        s *= 3;
    }
    return s;
}
ALONE int or_and(const int *a, int n) {
    int s = 0;
    for (int i = 0; i < n; i++) { //= no
        s |= a[i];
        s &= a[i] + 3;
    }
    return s;
}
ALONE double subtract_from(const double *a, int n) {
    double s = 0;
    for (int i = 0; i < n; i++) //= no
        s = a[i] - s;
    return s;
}
ALONE double subtract(const double *a, int n) {
    double s = 0;
    for (int i = 0; i < n; i++) //= reduction
        s -= a[i];
    return s;
}
ALONE double divided(const double *a, int n) {
    double s = 1e9;
    for (int i = 0; i < n; i++) //= no|reduction
        s /= 1 + a[i];
    return s;
}
ALONE double divide_into(const double *a, int n) {
    double s = 1;
    for (int i = 0; i < n; i++) //= no
        s = (1 + a[i]) / s;
    return s;
}
ALONE unsigned modulo_sum(const int *a, int n) {
    unsigned s = 0;
    for (int i = 0; i < n; i++) //= no
        s = (s + a[i]) % 97;
    return s;
}
ALONE unsigned rolling_hash(const int *a, int n) {
    unsigned h = 5381;
    for (int i = 0; i < n; i++) //= no
        h = h * 33 ^ a[i];
    return h;
}
ALONE unsigned rotated_xor(const int *a, int n) {
    unsigned h = 0;
    for (int i = 0; i < n; i++) //= no
        h = (h << 1 | h >> 31) ^ a[i];
    return h;
}
ALONE unsigned crc(const unsigned char *p, int n) {
    unsigned c = ~0u;
    for (int i = 0; i < n; i++) { //= no
        c ^= p[i];
        for (int k = 0; k < 8; k++) //= no
            c = c & 1 ? c >> 1 ^ 0xedb88320 : c >> 1;
    }
    return ~c;
}
ALONE int count_if(const int *a, int n) {
    int c = 0;
    for (int i = 0; i < n; i++) //= reduction
        if (a[i] > 0)
            c++;
    return c;
}
ALONE int count_up_down(const int *a, int n) {
    int c = 0;
    for (int i = 0; i < n; i++) //= reduction
        if (a[i] > 0)
            c++;
        else
            c--;
    return c;
}
ALONE int count_branchless(const int *a, int n) {
    int c = 0;
    for (int i = 0; i < n; i++) //= reduction
        c += a[i] > 0 && a[i] < 30;
    return c;
}
ALONE int count_self(const int *a, int n) {
    int c = 0;
    for (int i = 0; i < n; i++) //= no
        c += a[i] > c;
    return c;
}
ALONE double sum_reset(const double *a, int n) {
    double s = 0;
    for (int i = 0; i < n; i++) { //= no
        s += a[i];
        if (s > 40)
            s -= 40;
    }
    return s;
}
ALONE double compounding(const double *a, int n) {
    double s = 1;
    for (int i = 0; i < n; i++) //= no
        s += s * a[i] * 0.01;
    return s;
}
ALONE int all_of(const int *a, int n) {
    int ok = 1;
    for (int i = 0; i < n; i++) //= reduction
        ok = ok && a[i] > -50;
    return ok;
}
ALONE bool any_of(const int *a, int n) {
    bool any = false;
    for (int i = 0; i < n; i++) //= reduction
        any = any || a[i] > 500;
    return any;
}
ALONE bool any_bit(const int *a, int n) {
    bool any = false;
    for (int i = 0; i < n; i++) //= reduction
        any |= a[i] == 53;
    return any;
}
ALONE int parity(const int *a, int n) {
    int p = 0;
    for (int i = 0; i < n; i++) //= reduction
        p ^= a[i];
    return p;
}
ALONE double product(const double *a, int n) {
    double p = 1;
    for (int i = 0; i < n; i++) //= reduction
        p *= 1 + a[i] / 100;
    return p;
}
ALONE int sign_flip(const int *a, int n) {
    int s = 1;
    for (int i = 0; i < n; i++) //= reduction|no
        if (a[i] < 0)
            s = -s;
    return s;
}
ALONE double alternating(const double *a, int n) {
    double s = 0, sign = 1;
    for (int i = 0; i < n; i++) { //= no|induction
        s += sign * a[i];
        sign = -sign;
    }
    return s;
}
ALONE double alternating_ok(const double *a, int n) {
    double s = 0;
    for (int i = 0; i < n; i++) //= reduction
        s += (i & 1 ? -1 : 1) * a[i];
    return s;
}
ALONE void struct_fields(const double *a, int n) {
    for (int i = 0; i < n; i++) { //= reduction
        A.s += a[i];
        A.n++;
    }
}
ALONE void global_sum(const double *a, int n) {
    for (int i = 0; i < n; i++) //= reduction
        total += a[i];
}
ALONE void pointed(double *s, const double *a, int n) {
    for (int i = 0; i < n; i++) //= reduction
        *s += a[i];
}
ALONE void aliased_pointed(double *s, const double *a, int n) {
    for (int i = 0; i < n; i++) //= no
        *s += a[i];
}
ALONE void two_accs(const double *a, int n, double *mean, double *var) {
    double s = 0, q = 0;
    for (int i = 0; i < n; i++) { //= reduction
        s += a[i];
        q += a[i] * a[i];
    }
    *mean = s / n;
    *var = q / n - s / n * (s / n);
}
ALONE void four_parts(const double *a, int n) {
    for (int i = 0; i < n; i++) //= reduction
        parts[i & 3] += a[i];
}
ALONE long double wide(const double *a, int n) {
    long double s = 0;
    for (int i = 0; i < n; i++) //= reduction
        s += a[i];
    return s;
}
ALONE double complex csum(const double complex *z, int n) {
    double complex s = 0;
    for (int i = 0; i < n; i++) //= reduction
        s += z[i];
    return s;
}
ALONE double complex cprod(const double complex *z, int n) {
    double complex s = 1;
    for (int i = 0; i < n; i++) //= reduction
        s *= z[i];
    return s;
}
ALONE double kahan(const double *a, int n) {
    double s = 0, c = 0;
    for (int i = 0; i < n; i++) { //= no
        double y = a[i] - c, t = s + y;
        c = (t - s) - y;
        s = t;
    }
    return s;
}
ALONE double hyp(const double *a, int n) {
    double s = 0;
    for (int i = 0; i < n; i++) //= no|reduction
        s = hypot(s, a[i]);
    return s;
}
ALONE double mean_running(const double *a, int n) {
    double m = 0;
    for (int i = 0; i < n; i++) //= no
        m += (a[i] - m) / (i + 1);
    return m;
}
ALONE int ternary_max(const int *a, int n) {
    int m = a[0];
    for (int i = 1; i < n; i++) //= reduction
        m = a[i] > m ? a[i] : m;
    return m;
}
ALONE double fminmax(const double *a, int n) {
    double lo = 1e9, hi = -1e9;
    for (int i = 0; i < n; i++) { //= reduction
        lo = fmin(lo, a[i]);
        hi = fmax(hi, a[i]);
    }
    return hi - lo;
}
ALONE double clamped_walk(const double *a, int n) {
    double x = 5;
    for (int i = 0; i < n; i++) { //= no
        x = fmin(x, a[i]);
        x = fmax(x, a[(i + 1) % n] - 2);
    }
    return x;
}
ALONE int argmin(const double *a, int n) {
    int k = 0;
    double m = a[0];
    for (int i = 1; i < n; i++) //= reduction|no
        if (a[i] < m) {
            m = a[i];
            k = i;
        }
    return k;
}
ALONE int last_index(const int *a, int n) {
    int k = -1;
    for (int i = 0; i < n; i++) //= reduction|private|no|words
        if (a[i] > 40)
            k = i;
    return k;
}
ALONE short narrow_sum(const int *a, int n) {
    short s = 0;
    for (int i = 0; i < n; i++) //= reduction
        s += a[i];
    return s;
}
ALONE unsigned char sat(const int *a, int n) {
    unsigned char s = 0;
    for (int i = 0; i < n; i++) { //= no
        int t = s + (a[i] & 15);
        s = t > 255 ? 255 : t;
    }
    return s;
}
ALONE float float_from_double(const double *a, int n) {
    float s = 0;
    for (int i = 0; i < n; i++) //= reduction
        s += a[i];
    return s;
}
ALONE int nested_red(const int *a, int n) {
    int s = 0;
    for (int i = 0; i < n; i++)      //= reduction
        for (int j = 0; j <= i; j++) //= reduction
            s += a[i] ^ a[j];
    return s;
}
ALONE int sum_used_as_index(int *o, const int *a, int n) {
    int s = 0;
    for (int i = 0; i < n; i++) { //= no
        o[s % n] = i;
        s += a[i] & 7;
    }
    return s;
}
ALONE int printed_partial(const int *a, int n) {
    int s = 0;
    for (int i = 0; i < n; i++) { //= no
        s += a[i];
        if (i % 16 == 0)
            printf("%d ", s);
    }
    return s;
}
ALONE double squared_then_added(const double *a, int n) {
    double s = 1;
    for (int i = 0; i < n; i++) //= no
        s = s * s * 0.3 + a[i] * 0.01;
    return s;
}
ALONE double sum_of_abs_of_sum(const double *a, int n) {
    double s = 1;
    for (int i = 0; i < n; i++) //= no
        s = fabs(s - a[i]);
    return s;
}
ALONE int negated_and(const int *a, int n) {
    int s = ~0;
    for (int i = 0; i < n; i++) //= no
        s = ~(s & a[i]);
    return s;
}
ALONE int gcd_all(const int *a, int n) {
    int g = 0;
    for (int i = 0; i < n; i++) { //= no
        int x = abs(a[i]) * 12, y = g;
        while (y) {
            int t = x % y;
            x = y;
            y = t;
        }
        g = x;
    }
    return g;
}
int main(int argc, char **argv) {
    int n = 96;
    double *a = reals(n);
    int *k = integers(n), *o = zeros(n);
    unsigned char *u = (unsigned char *)k;
    double complex z[96];
    for (int i = 0; i < n; i++)
        z[i] = 1 + (a[i] - 6) * 0.01 * I;
    printf("%d %d %d %.6g %.6g %.6g %.6g %u %u %u %u\n", trunc_sum(a, n), mixed_ops(k, n), or_and(k, n),
           subtract_from(a, n), subtract(a, n), divided(a, n), divide_into(a, n), modulo_sum(k, n), rolling_hash(k, n),
           rotated_xor(k, n), crc(u, n));
    printf("%d %d %d %d %.6g %.6g %d %d %d %d\n", count_if(k, n), count_up_down(k, n), count_branchless(k, n),
           count_self(k, n), sum_reset(a, n), compounding(a, n), all_of(k, n), any_of(k, n), any_bit(k, n),
           parity(k, n));
    printf("%.6g %d %.6g %.6g\n", product(a, n), sign_flip(k, n), alternating(a, n), alternating_ok(a, n));
    struct_fields(a, n);
    global_sum(a, n);
    double s = 0, mean, var;
    pointed(&s, a, n);
    printf("%.6g %d %.6g %.6g\n", A.s, A.n, total, s);
    aliased_pointed(a + 40, a, n);
    printf("%.6g\n", a[40]);
    a[40] = 3;
    two_accs(a, n, &mean, &var);
    four_parts(a, n);
    printf("%.6g %.6g %.6g %.6Lg %.6g %.6g\n", mean, var, parts[2], wide(a, n), creal(csum(z, n)), cimag(cprod(z, n)));
    printf("%.6g %.6g %.6g %d %.6g %.6g %d %d %d %d %.6g\n", kahan(a, n), hyp(a, n), mean_running(a, n),
           ternary_max(k, n), fminmax(a, n), clamped_walk(a, n), argmin(a, n), last_index(k, n), narrow_sum(k, n),
           sat(k, n), float_from_double(a, n));
    printf("%d %d %d\n", nested_red(k, n), sum_used_as_index(o, k, n), printed_partial(k, n));
    show("o", o, n);
    printf("%.6g %.6g %d %d\n", squared_then_added(a, n), sum_of_abs_of_sum(a, n), negated_and(k, n), gcd_all(k, n));
}
