/* Frames that begin at a multiple of more than 16, and what lies in them: where depends on the frames around. */
#include "common.h"
#include <alloca.h>

#define WIDE __attribute__((aligned(64)))
#define N 40
static double in[N], out[N];

/* Elements of what lies above an array of variable length. */
ALONE static void carries_above(int m) {
    double t[8] WIDE, v[m], b[2] = {1, 1};
    t[0] = v[0] = m;
    for (int k = 0; k < N; k++) { //= no
        double z[4];
        z[0] = in[k];
        z[1] = 2;
        b[0] = b[0] * .5 + z[0];
        out[k] = b[0] + z[1];
    }
    out[0] += t[0] + v[0];
}
ALONE static void scratch_above(int m) {
    double t[8] WIDE, v[m], c[8], e[8];
    t[0] = v[0] = e[0] = m;
    for (int k = 0; k < N; k++) { //= private
        for (int j = 0; j < 8; j++) c[j] = in[k] * j; //= yes
        out[k] = c[1] + c[7];
    }
    out[0] += t[0] + v[0] + e[0];
}
ALONE static double sums_above(int m) {
    double t[8] WIDE, v[m], s = 0;
    t[0] = v[0] = m;
    for (int k = 0; k < N; k++) s += in[k] * 2; //= reduction
    return s + t[0] + v[0];
}

/* The same without one. */
ALONE static void carries(void) {
    double t[8] WIDE, b[2] = {1, 1};
    t[0] = 3;
    for (int k = 0; k < N; k++) { //= no
        double z[4];
        z[0] = in[k];
        b[0] = b[0] * .5 + z[0];
        out[k] = b[0];
    }
    out[0] += t[0];
}
ALONE static void fills(double *to, double with) {
    for (int j = 0; j < 16; j++) to[j] = with + j; //= yes
}
ALONE static void scratch(void) {
    for (int k = 0; k < N; k++) { //= yes
        double own[16] WIDE;
        fills(own, in[k]);
        out[k] = own[3] + own[12];
    }
}
ALONE static void scratch_around(void) {
    double own[16] WIDE;
    for (int k = 0; k < N; k++) { //= private|words
        fills(own, in[k]);
        out[k] = own[3] + own[12];
    }
}

/* Two scopes, one place: the second loop carries, the first does not. */
ALONE static void two_scopes(void) {
    {
        double first[16] WIDE;
        for (int k = 0; k < N; k++) { //= private|words
            fills(first, in[k]);
            out[k] += first[2];
        }
    }
    {
        double second[16] WIDE;
        fills(second, 1);
        for (int k = 0; k < N; k++) { //= no
            second[k % 16] += second[(k + 3) % 16] * in[k];
            out[k] += second[k % 16];
        }
    }
}

ALONE static double everything_at(int bytes) {
    volatile char *below = (volatile char *)alloca(bytes);
    below[0] = 0;
    carries_above(5);
    scratch_above(5);
    carries();
    scratch();
    scratch_around();
    two_scopes();
    return sums_above(5);
}

int main(void) {
    double sum = 0;
    for (int i = 0; i < N; i++) in[i] = (i * 37 % 11) * .25; //= yes
    for (int bytes = 16; bytes <= 64; bytes += 16) //= no
        sum += everything_at(bytes);
    for (int i = 0; i < N; i++) sum = sum * .5 + out[i]; //= no
    printf("%g\n", sum);
    return 0;
}
