/* Iterations that compilers put beside the loop because they make its call with other arguments, and accumulators that a function combines
   with themselves. */
#include "common.h"
static long B[200][24], C[200][24], D[200][24], E[200][24], F[200][24];
static unsigned W[300][40], g3 = 1, g4 = 1, g5 = 1; static double q[200];
ALONE void combine(long *out, const long *a, const long *b) {
    long m[12][12];
    for (int j = 0; j < 12; j++)
        for (int l = 0; l < 12; l++) m[j][l] = a[j] + l * b[l];
    for (int j = 0; j < 12; j++) out[j] = m[j][11 - j] + m[j][3];
}
static unsigned weighted(int i) {
    unsigned s = 0;
    for (int j = 0; j < 40; j++) s += W[i][j] * j;
    return s;
}
static void doubled(void) { g3 += g3; }
static void always(void) { g4 += g4; g4 += W[1][1]; }
static void update(unsigned *p, unsigned v, int c) { *p += v; if (c) *p += *p; }
ALONE void add(double *to, const double *from) {
    for (int k = 0; k < 200; k++) to[k] += from[k];
}
ALONE void first_writes_ahead(void) {
    for (int i = 0; i < 200; i++) //= no
        combine(B[i == 0 ? 150 : i], D[i], B[i]);
}
ALONE void last_reads_back(void) {
    for (int i = 0; i < 200; i++) //= no
        combine(C[i], D[i], C[i == 199 ? 7 : i]);
}
ALONE void last_calls_apart(void) {
    for (int i = 0; i < 200; i++) { //= no
        if (i == 199) combine(E[i], E[17], B[i]);
        else combine(E[i], D[i], B[i]);
    }
}
ALONE void others_read_first(void) {
    for (int i = 0; i < 200; i++) //= no
        combine(E[i], D[i], i == 0 ? D[3] : E[0]);
}
ALONE void last_reads_another(void) {
    for (int i = 0; i < 200; i++) //= yes
        combine(F[i], D[i], C[i == 199 ? 7 : i]);
}
ALONE void doubles_once(void) {
    for (int i = 0; i < 300; i++) { //= no
        g3 += weighted(i);
        if (i == 150) doubled();
    }
}
ALONE void doubles_always(void) {
    for (int i = 0; i < 300; i++) //= no
        always();
}
ALONE void doubles_behind_a_pointer(void) {
    for (int i = 0; i < 300; i++) //= no
        update(&g5, weighted(i), i == 150);
}
ALONE void doubles_an_array(void) {
    for (int i = 0; i < 30; i++) //= no
        add(q, q);
}
int main(void) {
    for (int i = 0; i < 200; i++) {
        q[i] = i;
        for (int j = 0; j < 24; j++) {
            B[i][j] = C[i][j] = E[i][j] = F[i][j] = i % 7 + j;
            D[i][j] = (i + j) % 5;
        }
    }
    for (int i = 0; i < 300; i++)
        for (int j = 0; j < 40; j++) W[i][j] = i + j;
    first_writes_ahead(); last_reads_back(); last_calls_apart(); others_read_first(); last_reads_another();
    doubles_once(); doubles_always(); doubles_behind_a_pointer(); doubles_an_array();
    long h = 0;
    for (int i = 0; i < 200; i++)
        for (int j = 0; j < 24; j++) h = h * 31 + B[i][j] + C[i][j] * 3 + D[i][j] * 7 + E[i][j] * 11 + F[i][j] * 13;
    printf("%ld %u %u %u %g\n", h, g3, g4, g5, q[3]);
    return 0;
}
