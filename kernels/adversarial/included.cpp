/* Functions, types and macros of a header: what keeps nothing is as good as in the file, what keeps something is seen whatever the compiler makes of it. */
#include "common.h"
#include <vector>
#include "included.h"
#define N 96
static Real X[N + 8], Y[N + 8], Z[N + 8]; static int A[N + 8], B[N + 8]; static Triple T[N + 8];
ALONE void conversions(void) {
    for (Index i = 0; i < N; i++) //= yes
        Y[i] = (X[i] + Real(1)) / Real(3) - Real(i);
}
ALONE void conversion_of_a_template(void) {
    for (Index i = 0; i < N; i++) //= yes
        Y[i] = squared(X[i]) + squared(Real(i));
}
ALONE void overloads(Real cut) {
    for (Index i = 0; i < N; i++) { //= yes
        Z[i] = X[i] * Y[i];
        if (ABS(Z[i]) < cut) Z[i] = Real(0);
        if (A[i] >= 40) Z[i] = Real(0);
        if (Z[i] < -cut) Z[i] = -cut;
    }
}
ALONE void rows(void) {
    for (Index i = 0; i < N; i++) { //= yes
        clear(T[i]);
        Y[i] = 0;
    }
}
ALONE void twice(void) {
    scale(X, N, 0.5);
    scale(X, N, 0.25);
    scale(Y, N, 2.0);
}
ALONE void accessors(Grid &g) {
    for (Index i = 0; i < g.cell(3); i++) //= yes
        g.value(g.cell(1, i)) = Real(2) * X[i];
}
ALONE void asks(const Grid &g, int *o) {
    for (int i = 0; i < N; i++) //= no|induction
        o[i] = g.ask() + A[i];
}
ALONE void tags(int *o) {
    for (int i = 0; i < N; i++) { //= no|induction
        Tag t;
        o[i] = t.own;
    }
}
ALONE void counted(int *o) {
    for (int i = 0; i < N; i++) //= no
        o[i] = counted_below(A[i]);
}
ALONE void previous_of(int *o) {
    for (int i = 0; i < N; i++) //= no
        o[i] = previous(A[i]);
}
ALONE void puts_each(int *o) {
    for (int i = 0; i < N; i++) //= yes
        PUT(o, i, A[i] + 2);
}
ALONE void nexts(int *o) {
    int s = 7;
    for (int i = 0; i < N; i++) //= no
        o[i] = NEXT(s);
}
ALONE int pushes(int *o) {
    int top = 0;
    for (int i = 0; i < N; i++) //= induction
        PUSH(o, A[i] * 2);
    return top;
}
ALONE void zero_beside(Real *__restrict s, Real *__restrict t) {
    for (int i = 0; i < N; i++) { //= yes
        s[i] = 0;
        t[i] = X[i] * 2;
    }
}
ALONE void copy_beside(Real *__restrict s, Real *__restrict t) {
    for (int i = 0; i < N; i++) { //= yes
        s[i] = X[i];
        t[i] = X[i] * t[i];
    }
}
int main(void) {
    for (int i = 0; i < N; i++) A[i] = i * 7 % 31, X[i] = i % 13 - 6, Y[i] = i % 5;
    Grid g; g.values.resize(N); g.cells.resize(N); g.cells[3] = 4; for (int i = 0; i < 8; i++) g.cells[8 + i] = i;
#define R(k) k; show(#k, B, N); show_reals("Y", Y, N); show_reals("Z", Z, N);
    R(conversions()) R(conversion_of_a_template()) R(overloads(3)) R(rows()) R(twice()) R(accessors(g)) R(asks(g, B)) R(tags(B)) R(counted(B)) R(previous_of(B)) R(puts_each(B)) R(nexts(B)) R(pushes(B)) R(zero_beside(Y, Z)) R(copy_beside(Y, Z))
    show_reals("g", g.values.data(), N);
    return 0;
}
