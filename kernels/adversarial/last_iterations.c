/* Iterations that do what no other does, first or last: compilers put them before or behind the loop. */
#include "common.h"
#define N 256
static int X[N + 8], Y[N + 8], Z[N + 8]; static double A[N + 8], B[N + 8], D[N + 8], G[40][40], H[40][40];
ALONE void last_reads_first(void) {
    for (int i = 0; i < N; i++) //= no
        if (i == N - 1) X[i] = X[0] + 1; else X[i] = Y[i] * 3;
}
ALONE void last_reads_inner(void) {
    for (int i = 0; i < N; i++) //= no
        if (i == N - 1) X[i] = X[N / 4 - 1] + 1; else X[i] = Y[i] * 3;
}
ALONE void last_in_else(void) {
    for (int i = 0; i < N; i++) //= no
        if (i < N - 1) A[i] = B[i];
        else A[i] = A[0] + A[5];
}
ALONE void periodic(void) {
    for (int i = 0; i < N; i++) { //= no
        if (i == N - 1)
            X[i] = X[0] + X[1];
        else
            X[i] = Y[i] * 2 + Y[i + 1];
    }
}
ALONE void periodic_apart(void) {
    for (int i = 0; i < N; i++) { //= yes
        if (i == N - 1)
            X[i] = Y[0] + Y[1];
        else
            X[i] = Y[i] * 2 + Y[i + 1];
    }
}
ALONE void both_ends(void) {
    for (int i = 0; i < N; i++) //= no
        if (i == 0) A[i] = B[N - 1] + B[1];
        else if (i == N - 1) A[i] = B[N - 2] + A[0];
        else A[i] = B[i - 1] + B[i + 1];
}
ALONE void both_ends_apart(void) {
    for (int i = 0; i < N; i++) //= yes
        if (i == 0) A[i] = B[N - 1] + B[1];
        else if (i == N - 1) A[i] = B[N - 2] + B[0];
        else A[i] = B[i - 1] + B[i + 1];
}
ALONE void only_ends_meet(void) {
    for (int i = 0; i < N; i++) { //= no
        if (i == 0) D[0] = B[3];
        else if (i == N - 1) D[N - 1] = D[0];
        else A[i] = B[i];
    }
}
ALONE void columns(void) {
    for (int i = 0; i < 40; i++)     //= yes
        for (int j = 0; j < 40; j++) //= no
            if (j == 39) G[i][j] = G[i][0]; else G[i][j] = A[i] + B[j];
}
ALONE void rows(void) {
    for (int i = 0; i < 40; i++)     //= no
        for (int j = 0; j < 40; j++) //= yes
            if (i == 39) G[i][j] = G[0][j]; else G[i][j] = A[i] + B[j];
}
ALONE void rows_apart(void) {
    for (int i = 0; i < 40; i++)     //= yes
        for (int j = 0; j < 40; j++) //= yes
            if (i == 39) G[i][j] = H[0][j]; else G[i][j] = A[i] + B[j];
}
ALONE void short_rows(void) {
    for (int i = 0; i < 32; i++)    //= no
        for (int j = 0; j < 8; j++) //= yes
            X[i * 8 + j] = i == 31 ? X[j] + 1 : Y[i * 8 + j];
}
ALONE void choice(void) {
    for (int i = 0; i < N; i++) //= no
        A[i] = (i == N - 1 ? A[0] : 0.0) + B[i];
}
ALONE void choice_of_length(double *a, const double *b, int n) {
    for (int i = 0; i < n; i++) //= no
        a[i] = (i == n - 1 ? a[3] : 0.0) + b[i];
}
ALONE void choice_apart(double *a, const double *b, int n) {
    for (int i = 0; i < n; i++) //= yes
        a[i] = (i == n - 1 ? b[3] : 0.0) + b[i];
}
ALONE void down(void) {
    for (int i = N - 1; i >= 0; i--) //= no
        X[i] = i == 0 ? X[N - 1] : Y[i] * 3;
}
ALONE void sum_of_two(void) {
    for (int i = 0; i < N; i++) { //= no
        A[i] = B[i] * 2;
        if (i == N - 1) D[0] = A[7] + A[100];
    }
}
ALONE void own_element(void) {
    for (int i = 0; i < N; i++) { //= yes
        A[i] = B[i] * 2;
        if (i == N - 1) D[0] = A[i] + 1;
    }
}
ALONE void overwritten_by_the_last(void) {
    for (int i = 0; i < N; i++) //= no
        if (i == N - 1) A[0] = 7; else A[i] = B[i];
}
ALONE void read_by_all(void) {
    for (int i = 0; i < N; i++) { //= no
        A[i] = B[0] + D[i];
        if (i == N - 1) B[0] = 1;
    }
}
ALONE void whole_row_at_the_end(void) {
    for (int i = 0; i < 32; i++) { //= no
        for (int j = 0; j < 8; j++) //= yes
            X[i * 8 + j] = Y[j] + i;
        if (i == 31)
            for (int j = 0; j < 8; j++) //= yes
                X[248 + j] += X[j];
    }
}
ALONE void summed_at_the_end(void) {
    for (int i = 0; i < N; i++) { //= no
        X[i] = Y[i] + 1;
        if (i == N - 1) {
            int s = 0;
            for (int k = 0; k < N; k++) //= reduction
                s += X[k];
            Z[3] = s;
        }
    }
}
ALONE void last_three(void) {
    for (int i = 0; i < N; i++) //= no
        A[i] = (i > N - 4 ? A[0] : 0.0) + B[i];
}
ALONE void last_pair(void) {
    for (int i = 0; i < N - 1; i++) { //= no
        X[i] = i == N - 2 ? X[N - 3] : Y[i];
    }
}
ALONE void first_chosen(void) {
    for (int i = 0; i < N; i++) //= no
        A[i] = i ? B[i] + A[0] : D[0];
}
ALONE void first_written(void) {
    for (int i = 0; i < N; i++) { //= no
        if (i == 0) D[0] = B[5]; else A[i] = B[i] + D[0];
    }
}
ALONE void first_alone(void) {
    for (int i = 0; i < N; i++) { //= yes
        if (i == 0) A[0] = B[5]; else A[i] = B[i] + B[i - 1];
    }
}
ALONE void upper_half(void) {
    for (int i = 0; i < N; i++) { //= no
        if (i < 128) A[i] = B[i] * 2; else D[i] = A[i - 128];
    }
}
static inline int wrapped(int i) { return X[i] * 2 + 1; }
ALONE void called_at_the_end(void) {
    for (int i = 0; i < N; i++) { //= no
        if (i == N - 1) X[i] = wrapped(0); else X[i] = Y[i];
    }
}
ALONE int combined(const int *p) {
    return p[0] * 3 + p[9];
}
ALONE void handed_over_at_the_end(void) {
    for (int i = 0; i < N; i++) { //= no
        X[i] = Y[i] * 5;
        if (i == N - 1) Z[0] = combined(X);
    }
}
ALONE void handed_over_apart(void) {
    for (int i = 0; i < N; i++) { //= yes
        X[i] = Y[i] * 5;
        if (i == N - 1) Z[0] = combined(Y);
    }
}
ALONE void left_after_storing(void) {
    for (int i = 0; i < N; i++) { //= no
        X[i] = Y[i];
        if (i == N - 1) break;
        X[i + 1] = 0;
    }
}
ALONE void behind_the_loop(void) {
    for (int i = 0; i < N; i++) //= yes
        X[i] = Y[i] * 7;
    X[N] = X[0] + X[9];
}
ALONE void before_the_loop(void) {
    X[0] = Y[3]; X[1] = X[0] + Y[2];
    for (int i = 2; i < N; i++) //= yes
        X[i] = Y[i] * 7 + Y[0];
}
ALONE void around(double *next, const double *now, int n) {
    for (int i = 0; i < n; i++) { //= yes
        int left = i == 0 ? n - 1 : i - 1, right = i == n - 1 ? 0 : i + 1;
        next[i] = 0.25 * now[left] + 0.5 * now[i] + 0.25 * now[right];
    }
}
ALONE void around_itself(double *now, int n) {
    for (int i = 0; i < n; i++) { //= no
        int right = i == n - 1 ? 0 : i + 1;
        now[i] = 0.5 * now[i] + 0.25 * now[right];
    }
}
int main(void) {
    double *a = reals(N), *b = reals(N);
    for (int i = 0; i < N + 8; i++) {
        Y[i] = i * 3 % 17;
        B[i] = i * 7 % 5 - 2;
        D[i] = 1;
    }
    last_reads_first(); show("last_reads_first", X, N);
    last_reads_inner(); show("last_reads_inner", X, N);
    last_in_else(); show_reals("last_in_else", A, N);
    periodic(); show("periodic", X, N);
    periodic_apart(); show("periodic_apart", X, N);
    both_ends(); show_reals("both_ends", A, N);
    both_ends_apart(); show_reals("both_ends_apart", A, N);
    only_ends_meet(); show_reals("only_ends_meet", D, N);
    columns(); show_reals("columns", G[0], 1600);
    rows(); show_reals("rows", G[0], 1600);
    rows_apart(); show_reals("rows_apart", G[0], 1600);
    short_rows(); show("short_rows", X, N);
    choice(); show_reals("choice", A, N);
    choice_of_length(a, b, N); show_reals("choice_of_length", a, N);
    choice_apart(a, b, N); show_reals("choice_apart", a, N);
    down(); show("down", X, N);
    sum_of_two(); show_reals("sum_of_two", D, N);
    own_element(); show_reals("own_element", D, N);
    overwritten_by_the_last(); show_reals("overwritten_by_the_last", A, N);
    read_by_all(); show_reals("read_by_all", A, N);
    whole_row_at_the_end(); show("whole_row_at_the_end", X, N);
    summed_at_the_end(); show("summed_at_the_end", Z, N);
    last_three(); show_reals("last_three", A, N);
    last_pair(); show("last_pair", X, N);
    first_chosen(); show_reals("first_chosen", A, N);
    first_written(); show_reals("first_written", A, N);
    first_alone(); show_reals("first_alone", A, N);
    upper_half(); show_reals("upper_half", D, N);
    called_at_the_end(); show("called_at_the_end", X, N);
    handed_over_at_the_end(); show("handed_over_at_the_end", Z, N);
    handed_over_apart(); show("handed_over_apart", Z, N);
    left_after_storing(); show("left_after_storing", X, N);
    behind_the_loop(); show("behind_the_loop", X, N + 1);
    before_the_loop(); show("before_the_loop", X, N);
    around(a, b, N); show_reals("around", a, N);
    around_itself(a, N); show_reals("around_itself", a, N);
    return 0;
}
