/* Copies and fills that compilers take out of loops, beside statements that need what earlier iterations have copied. */
#include "common.h"
#define N 400
static int A[N + 8], B[N + 8], C[N + 8], Z[N + 8]; static double X[N + 8], Y[N + 8], W[N + 8];
ALONE void copy_then_read(void) {
    int *q = A - 1;
    for (int i = 1; i < N; i++) { //= no
        A[i] = B[i];
        C[i] = q[i] * 3;
    }
}
ALONE void zero_then_read(void) {
    int *q = Z - 1;
    for (int i = 1; i < N; i++) { //= no
        Z[i] = 0;
        C[i] = q[i] + B[i];
    }
}
ALONE void zero_then_add(void) {
    int *q = Z - 1;
    for (int i = 1; i < N; i++) { //= no
        Z[i] = 0;
        q[i] += B[i];
    }
}
ALONE void copy_then_write(void) {
    int *q = A - 1;
    for (int i = 1; i < N; i++) { //= no
        A[i] = B[i];
        q[i] = C[i] * 3;
    }
}
ALONE void read_then_copy(void) {
    int *q = A + 1;
    for (int i = 0; i < N; i++) { //= no
        C[i] = q[i] * 3;
        A[i] = B[i];
    }
}
ALONE void dcopy(void) {
    double *q = X - 2;
    for (int i = 2; i < N; i++) { //= no
        X[i] = Y[i];
        W[i] = q[i] * 0.5;
    }
}
ALONE void dcopy_idx(void) {
    for (int i = 2; i < N; i++) { //= no
        int k = i - 1;
        X[i] = Y[i];
        W[i] = X[k] * 0.5;
    }
}
static inline double get(int i) { return X[i]; }
ALONE void dcopy_fn(void) {
    for (int i = 2; i < N; i++) { //= no
        X[i] = Y[i];
        W[i] = get(i - 1) * 0.5;
    }
}
ALONE void dcopy_named(void) {
    for (int i = 2; i < N; i++) { //= no
        X[i] = Y[i];
        W[i] = X[i - 1] * 0.5;
    }
}
ALONE double dcopy_sum(void) {
    double s = 0, *q = X - 1;
    for (int i = 2; i < N; i++) { //= no
        X[i] = Y[i];
        s += q[i];
    }
    return s;
}
ALONE void three(void) {
    int *q = A - 1, *r = Z - 1;
    for (int i = 1; i < N; i++) { //= no
        A[i] = B[i];
        Z[i] = q[i] ^ 5;
        C[i] = r[i] + 1;
    }
}
ALONE void scat_after(const int *p) {
    for (int i = 0; i < N; i++) { //= no
        A[i] = B[i];
        A[p[i]] = i;
    }
}
ALONE void zero_scat(const int *p) {
    for (int i = 0; i < N; i++) { //= no
        Z[i] = 0;
        Z[p[i]] += i;
    }
}
ALONE void zero_hist(int *h, const int *p) {
    for (int i = 0; i < N; i++) { //= no
        h[i] = 0;
        h[p[i] / 2]++;
    }
}
ALONE void rowzero(int (*m)[20], const int *p) {
    for (int i = 0; i < 20; i++) { //= no
        for (int j = 0; j < 20; j++) m[i][j] = 0;
        for (int j = 0; j < 20; j++) m[p[i] % 20][j] += i; //= yes
    }
}
int main(void) {
    int *p = permutation(N); static int m[20][20]; for (int i = 0; i < N; i++) A[i] = i * 7 % 31, B[i] = i % 13, C[i] = i, Z[i] = i % 5 + 1, X[i] = i % 7, Y[i] = i % 11;
#define R(k) k; show(#k, A, N); show("B", B, N); show("C", C, N); show("Z", Z, N); show_reals("X", X, N); show_reals("W", W, N);
    R(copy_then_read()) R(zero_then_read()) for (int i = 0; i < N; i++) Z[i] = i % 5 + 1; R(zero_then_add()) R(copy_then_write()) R(read_then_copy()) R(dcopy()) for (int i = 0; i < N; i++) X[i] = i % 5; R(dcopy_idx()) for (int i = 0; i < N; i++) X[i] = i % 3; R(dcopy_fn()) R(dcopy_named()) for (int i = 0; i < N; i++) X[i] = i % 5; printf("%g\n", dcopy_sum()); R(three()) R(scat_after(p)) for (int i = 0; i < N; i++) Z[i] = i % 5 + 1; R(zero_scat(p)) R(zero_hist(A, p)) R(rowzero(m, p)) show("m", m[0], 400);
    return 0;
}
