/* Nests whose loops compilers exchange: what stands on a line is then another loop. */
#include "common.h"
#define N 48
static double A[N][N], B[N][N], C[N][N]; static int I[N][N], J[N][N], K3[24][24][24];
ALONE void colwalk(void) {
    for (int i = 1; i < N; i++)     //= no
        for (int j = 0; j < N; j++) //= yes
            I[j][i] = I[j][i - 1] * 3 + J[j][i];
}
ALONE void colwalk2(void) {
    for (int i = 0; i < N; i++)     //= yes
        for (int j = 1; j < N; j++) //= no
            I[j][i] = I[j - 1][i] * 3 + J[j][i];
}
ALONE void colcopy(void) {
    for (int i = 0; i < N; i++)     //= yes
        for (int j = 0; j < N; j++) //= yes
            I[j][i] = J[j][i] + 1;
}
ALONE void matmul_ijk(void) {
    for (int i = 0; i < N; i++)         //= yes
        for (int j = 0; j < N; j++)     //= yes
            for (int k = 0; k < N; k++) //= reduction
                C[i][j] += A[i][k] * B[k][j];
}
ALONE void matmul_jik(void) {
    for (int j = 0; j < N; j++)         //= yes
        for (int i = 0; i < N; i++)     //= yes
            for (int k = 0; k < N; k++) //= reduction
                C[i][j] += A[i][k] * B[k][j];
}
ALONE void matmul_kji(void) {
    for (int k = 0; k < N; k++)         //= reduction
        for (int j = 0; j < N; j++)     //= yes
            for (int i = 0; i < N; i++) //= yes
                C[i][j] += A[i][k] * B[k][j];
}
ALONE void colsum(int *s) {
    for (int j = 0; j < N; j++)     //= yes
        for (int i = 0; i < N; i++) //= reduction
            s[j] += I[i][j];
}
ALONE void colsum_alias(void) {
    for (int j = 1; j < N; j++)     //= no
        for (int i = 0; i < N; i++) //= yes
            I[i][j] += I[i][j - 1];
}
ALONE void three(void) {
    for (int k = 1; k < 24; k++)         //= no
        for (int j = 0; j < 24; j++)     //= yes
            for (int i = 0; i < 24; i++) //= yes
                K3[i][j][k] = K3[i][j][k - 1] ^ (i + j * 3);
}
ALONE void three_mid(void) {
    for (int k = 0; k < 24; k++)         //= yes
        for (int j = 1; j < 24; j++)     //= no
            for (int i = 0; i < 24; i++) //= yes
                K3[i][j][k] = K3[i][j - 1][k] ^ (i + j * 3);
}
ALONE void three_in(void) {
    for (int k = 0; k < 24; k++)         //= yes
        for (int j = 0; j < 24; j++)     //= yes
            for (int i = 1; i < 24; i++) //= no
                K3[i][j][k] = K3[i - 1][j][k] ^ (i + j * 3);
}
ALONE void split_loop(int *a, const int *b, int n, int m) {
    for (int i = 1; i < n; i++) { //= no
        if (i < m) a[i] = b[i] * 2;
        else a[i] = a[i - 1] + b[i];
    }
}
ALONE void split_loop2(int *a, const int *b, int n, int m) {
    for (int i = 1; i < n; i++) { //= yes
        if (i < m) a[i] = b[i] * 2;
        else a[i] = b[i] + 7;
    }
}
ALONE void unswitched(int *a, const int *b, int n, int f) {
    for (int i = 1; i < n; i++) { //= no
        if (f) a[i] = a[i - 1] + b[i];
        else a[i] = b[i];
    }
}
ALONE void unswitched2(int *a, const int *b, int n, int f) {
    for (int i = 1; i < n; i++) { //= yes
        if (f) a[i] = a[i - 1] + b[i];
        else a[i] = b[i];
    }
}
ALONE void distributed(int *a, int *b, const int *c, int n) {
    for (int i = 1; i < n; i++) { //= no
        a[i] = 0;
        b[i] = b[i - 1] * 3 + c[i];
    }
}
ALONE void distributed2(int *restrict a, int *restrict b, const int *restrict c, int n) {
    for (int i = 1; i < n; i++) { //= no
        a[i] = c[i];
        b[i] = a[i - 1] * 3 + c[i];
    }
}
ALONE void jam(int *restrict o, int n) {
    for (int i = 1; i < N - 1; i++)     //= yes
        for (int j = 0; j < N; j++) //= reduction
            o[i] += I[i][j] * J[j][i];
}
ALONE void jam_rec(void) {
    for (int i = 1; i < N; i++)     //= no
        for (int j = 0; j < N; j++) //= yes
            J[i][j] = J[i - 1][j] * 3 + I[i][j];
}
ALONE void jam_diag(void) {
    for (int i = 1; i < N; i++)     //= no
        for (int j = 1; j < N; j++) //= yes
            J[i][j] = J[i - 1][j - 1] * 3 + I[i][j];
}
ALONE void jam_anti(void) {
    for (int i = 0; i < N - 1; i++)     //= no
        for (int j = 0; j < N; j++) //= yes
            J[i][j] = J[i + 1][j] * 3 + I[i][j];
}
ALONE void pcom(int *a, int n) {
    for (int i = 0; i + 2 < n; i++) //= no
        a[i + 2] = a[i] * 3 + a[i + 1];
}
ALONE void pcom_read(int *o, const int *a, int n) {
    for (int i = 0; i + 2 < n; i++) //= yes
        o[i] = a[i] + a[i + 1] + a[i + 2];
}
ALONE void peeled(int *a, const int *b, int n) {
    int last = n - 1;
    for (int i = 0; i < n; i++) { //= induction|no
        a[i] = b[i] + b[last];
        last = i;
    }
}
ALONE void memset_rows(int *o) {
    for (int i = 0; i < N; i++)     //= yes
        for (int j = 0; j < N; j++) //= yes
            o[i * N + j] = 0;
}
ALONE void memcpy_over(char *o, int n) {
    for (int i = 0; i < n; i++) //= no
        o[i] = o[i + 1];
}
ALONE void memcpy_prop(char *o, int n) {
    for (int i = 0; i < n; i++) //= no|folded
        o[i + 1] = o[i];
}
ALONE void sor(double w) {
    for (int i = 1; i < N - 1; i++)     //= no
        for (int j = 1; j < N - 1; j++) //= no
            A[j][i] += w * (A[j - 1][i] + A[j + 1][i] + A[j][i - 1] + A[j][i + 1] - 4 * A[j][i]);
}
ALONE void transpose_add(void) {
    for (int i = 0; i < N; i++)     //= no
        for (int j = 0; j < N; j++) //= no|yes
            I[j][i] = I[i][j] + 1;
}
ALONE void tri_inv(void) {
    for (int j = 0; j < N; j++)         //= yes
        for (int i = j + 1; i < N; i++) //= no
            for (int k = j; k < i; k++) //= reduction
                I[i][j] -= J[i][k] * I[k][j];
}
ALONE void shared_tmp_nest(int *o) {
    int t;
    for (int j = 0; j < N; j++)       //= private
        for (int i = 0; i < N; i++) { //= private
            t = I[i][j] * 2;
            J[i][j] = t * t + 1;
        }
}
ALONE void solved(double *a) { for (int t = 0; t < 3; t++) { //= no
    for (int j = 0; j < N; j++) //= no
        for (int i = j + 1; i < N; i++) //= yes
            a[i] -= B[j][i] * a[j];
    a[0] += 1; } }
int main(void) {
    int n = 96; int *a = integers(n), *b = integers(n), *c = integers(n); char *s = calloc(n + 2, 1);
    for (int i = 0; i < n; i++) s[i] = i * 7;
    for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) A[i][j] = i - j, B[i][j] = i * j % 7, I[i][j] = i * 5 + j, J[i][j] = (i ^ j);
    colwalk(); colwalk2(); show("1", I[0], N * N); colcopy(); matmul_ijk(); matmul_jik(); matmul_kji(); show_reals("mm", C[0], N * N);
    memset(a, 0, n * 4); colsum(a); show("cs", a, N); colsum_alias(); show("2", I[0], N * N); three(); three_mid(); three_in(); show("3", K3[0][0], 24 * 24 * 24);
    split_loop(a, b, n, 40); show("sp", a, n); split_loop2(a, b, n, 40); show("sp2", a, n); unswitched(a, b, n, 1); show("u", a, n); unswitched2(a, b, n, 0); show("u2", a, n);
    distributed(a, b, c, n); show("d", b, n); distributed2(a, b, c, n); show("d2", b, n); jam(a, n); show("j", a, n); jam_rec(); jam_diag(); jam_anti(); show("4", J[0], N * N);
    pcom(a, n); pcom_read(b, a, n); show("p", b, n); peeled(a, b, n); show("pl", a, n); int *o = zeros(N * N); memset_rows(o); memcpy_over(s, n); for (int i = 0; i < n; i++) a[i] = s[i]; show("mo", a, n);
    s[0] = 9; memcpy_prop(s, n); for (int i = 0; i < n; i++) a[i] = s[i]; show("mp", a, n); sor(0.5); show_reals("sor", A[0], N * N); transpose_add(); show("ta", I[0], N * N);
    tri_inv(); show("ti", I[0], N * N); shared_tmp_nest(a); show("st", J[0], N * N);
    double *v = reals(N); solved(v); show_reals("v", v, N);
    return 0;
}
