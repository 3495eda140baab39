// What is used after a loop, and subscripts that compilers take apart when they make several iterations one.
#include "common.h"

#define N 400
static int a[N + 128], b[N + 128], c[N + 128];
static _Thread_local int kept;

/* One element is read afterwards, by the function itself: what the last iteration left. */
ALONE static int element_afterwards(int n) {
    int row[4] = {0};
    for (int i = 0; i < n; i++) { //= no
        for (int j = 0; j < 4; j++) row[j] = b[i] + j;
        a[i] = row[i % 4];
    }
    return row[2];
}

ALONE static int nothing_afterwards(int n) {
    int row[4] = {0};
    for (int i = 0; i < n; i++) { //= private
        for (int j = 0; j < 4; j++) row[j] = b[i] + j;
        a[i] = row[i % 4];
    }
    return n;
}

/* Frames of other functions take its place at once. */
ALONE static int called_next(int n) {
    int other[4] = {n, 2, 3, 4};
    for (int i = 0; i < n; i++) c[i] = other[i % 4]; //= yes
    return other[n % 4];
}

ALONE static int thread_sum(int n) {
    kept = 0;
    for (int i = 0; i < n; i++) //= words|reduction
        kept += b[i];
    return kept;
}

ALONE static void other_of_pair(int n) {
    for (int i = 0; i < n; i++) //= no
        a[i ^ 1] = a[i] + 1;
}

ALONE static void first_of_four(int n) {
    for (int i = 0; i < n; i++) //= no
        a[i] = a[i & ~3] + b[i];
}

ALONE static void last_of_four(int n) {
    for (int i = 0; i < n; i++) //= no
        a[i & ~3] = b[i + 1] + 50;
}

ALONE static void quarter_sums(int n) {
    for (int i = 0; i < n; i++) //= reduction|no
        a[i >> 2] = a[i >> 2] + b[i];
}

ALONE static void quarters_and_later(int n) {
    for (int i = 0; i < n; i++) //= no
        if ((i & 7) > 5) a[i >> 1] = a[i >> 1] + a[i + 8] + 43;
}

ALONE static void histogram(int n) {
    for (int i = 0; i < n; i++) //= reduction
        c[b[i] & 63]++;
}

ALONE static void permuted_reads(int n) {
    for (int i = 0; i < n; i++) //= yes
        a[i] = b[i ^ 1] + b[i & ~3];
}

/* gcc makes several loops of it, one in another. */
ALONE static void mirrored(int n) {
    for (int i = 0; i < n; i++) { //= no
        if (i % 4 != 0) a[399 - i] = b[i + 100] + a[i] + 48;
        if (i % 4 != 0) b[i | 1] = a[i | 3] + b[i + 4] + 49;
    }
}

int main(void) {
    for (int i = 0; i < N + 128; i++) {
        a[i] = i * 7 % 31;
        b[i] = i * 17 % 89;
    }
    int r = element_afterwards(N), s = called_next(N), t = nothing_afterwards(N), u = called_next(N - 1);
    printf("%d %d %d %d %d\n", r, s, t, u, thread_sum(N));
    other_of_pair(N);
    show("pairs", a, N);
    first_of_four(N);
    last_of_four(N);
    show("fours", a, N);
    quarter_sums(N);
    quarters_and_later(N);
    show("quarters", a, N);
    histogram(N);
    permuted_reads(N);
    show("permuted", a, N);
    mirrored(N);
    show("a", a, N);
    show("b", b, N);
    show("c", c, N);
    return 0;
}
