/* Distances and overlaps in memory. */
#include "common.h"

ALONE void forward(double *a, int n) {
    for (int i = 0; i + 1 < n; i++) //= no
        a[i + 1] = a[i] + 1;
}
/* The value read is overwritten later: an order, though no value goes along. */
ALONE void backward(double *a, int n) {
    for (int i = 0; i + 1 < n; i++) //= no
        a[i] = a[i + 1] + 1;
}
ALONE void distance_of_seven(double *a, int n) {
    for (int i = 7; i < n; i++) //= no
        a[i] = a[i - 7] * 0.5;
}
ALONE void distance_of_the_size(double *a, int n) {
    for (int i = 0; i < n; i++) //= yes
        a[i + n] = a[i] * 0.5;
}
ALONE void halves(double *a, int n) {
    for (int i = 0; i < n / 2; i++) //= yes
        a[i] = a[n - 1 - i] + 1;
}
ALONE void mirrored(double *a, int n) {
    for (int i = 0; i < n; i++) //= no
        a[i] = a[n - 1 - i] + 1;
}
ALONE void even_from_odd(double *a, int n) {
    for (int i = 0; i + 1 < n; i += 2) //= yes
        a[i] = a[i + 1];
}
ALONE void doubled_index(double *a, int n) {
    for (int i = 1; i < n / 2; i++) //= no
        a[2 * i] = a[i] + 1;
}
ALONE void stencil_in_place(double *a, int n) {
    for (int i = 1; i + 1 < n; i++) //= no
        a[i] = (a[i - 1] + a[i] + a[i + 1]) / 3;
}
ALONE void stencil(double *b, const double *a, int n) {
    for (int i = 1; i + 1 < n; i++) //= yes
        b[i] = (a[i - 1] + a[i] + a[i + 1]) / 3;
}
ALONE void red_black(double *a, int n) {
    for (int c = 0; c < 2; c++) //= no
        for (int i = 1 + c; i + 1 < n; i += 2) //= yes
            a[i] = (a[i - 1] + a[i + 1]) / 2;
}
ALONE void aliased(double *a, double *b, int n) {
    for (int i = 0; i < n; i++) //= no
        a[i] = b[i] + 1;
}
ALONE void not_aliased(double *a, double *b, int n) {
    for (int i = 0; i < n; i++) //= yes
        a[i] = b[i] + 1;
}
ALONE void wide_stores(unsigned char *p, int n) {
    for (int i = 0; i < n; i++) { //= no
        unsigned long v = p[8 * i] + 1;
        unsigned long w[2] = {v, v * 3};
        memcpy(p + 8 * i, w, 16);
    }
}
ALONE void overlapping_stores(unsigned char *p, int n) {
    for (int i = 0; i < n; i++) { //= no
        unsigned v = i * 2654435761u;
        memcpy(p + 3 * i, &v, 4);
    }
}
ALONE void bytes_of_words(unsigned char *p, int n) {
    for (int i = 0; i < n; i++) { //= yes
        unsigned v = i * 2654435761u;
        memcpy(p + 4 * i, &v, 4);
    }
}
ALONE void read_beside(unsigned char *p, int n) {
    for (int i = 0; i < n; i++) { //= no
        unsigned long v;
        memcpy(&v, p + i, 8);
        p[i + 8] = v >> 56;
    }
}
ALONE void by_permutation(double *a, const int *p, int n) {
    for (int i = 0; i < n; i++) //= yes
        a[p[i]] = i * 0.5;
}
ALONE void by_duplicates(double *a, const int *p, int n) {
    for (int i = 0; i < n; i++) //= no
        a[p[i] / 2] = i * 0.5;
}
ALONE void update_by_permutation(double *a, const int *p, int n) {
    for (int i = 0; i < n; i++) //= yes|reduction
        a[p[i]] += i * 0.5;
}
ALONE void read_by_permutation(double *a, const int *p, int n) {
    for (int i = 0; i < n; i++) //= no
        a[i] = a[p[i]] + 1;
}
ALONE void shift_left(int *a, int n) {
    for (int i = 0; i + 1 < n; i++) //= no
        a[i] = a[i + 1];
}
ALONE void moved_blocks(char *a, int n) {
    for (int i = 0; i < n; i++) //= no
        memmove(a + 8 * i, a + 8 * i + 4, 8);
}
ALONE void copied_blocks(char *a, const char *b, int n) {
    for (int i = 0; i < n; i++) //= yes
        memcpy(a + 8 * i, b + 4 * i, 8);
}
ALONE void overlapping_copies(char *a, const char *b, int n) {
    for (int i = 0; i < n; i++) //= no
        memcpy(a + 4 * i, b + 8 * i, 8);
}
ALONE void one_place(double *a, const double *b, int n) {
    for (int i = 0; i < n; i++) //= no
        a[(int)b[i] % 3] = b[i];
}
ALONE void fixed_read(double *a, int n) {
    for (int i = 0; i < n; i++) //= no
        a[i] = a[n / 2] + i;
}
ALONE void fixed_read_outside(double *a, int n) {
    for (int i = 0; i < n; i++) //= yes
        a[i] = a[n] + i;
}
ALONE void sweeps(double *a, double *b, int n, int steps) {
    for (int t = 0; t < steps; t++) { //= no
        for (int i = 1; i + 1 < n; i++) //= yes
            b[i] = (a[i - 1] + a[i + 1]) / 2;
        for (int i = 1; i + 1 < n; i++) //= yes
            a[i] = b[i];
    }
}
ALONE void transposed_in_place(double *a, int n) {
    for (int i = 0; i < n; i++) //= yes
        for (int j = 0; j < i; j++) { //= yes
            double t = a[i * n + j];
            a[i * n + j] = a[j * n + i];
            a[j * n + i] = t;
        }
}
ALONE void wavefront(int *a, int n) {
    for (int i = 1; i < n; i++) //= no
        for (int j = 1; j < n; j++) //= no
            a[i * n + j] = (a[(i - 1) * n + j] + a[i * n + j - 1] + 1) % 1000;
}
ALONE void rows_apart(int *a, int n) {
    for (int i = 0; i < n; i++) //= yes
        for (int j = 1; j < n; j++) //= no
            a[i * n + j] ^= a[i * n + j - 1];
}
ALONE void columns_apart(int *a, int n) {
    for (int i = 1; i < n; i++) //= no
        for (int j = 0; j < n; j++) //= yes
            a[i * n + j] ^= a[(i - 1) * n + j];
}
ALONE void odd_strides(double *a, int n) {
    for (int i = 0; i < n; i++) //= no
        a[3 * i] = a[2 * i + 1] + 1;
}
ALONE void apart_by_remainder(double *a, int n) {
    for (int i = 0; i < n; i++) //= yes
        a[4 * i] = a[4 * i + 2] + a[2 * i + 1];
}
ALONE void last_touches_first(double *a, int n) {
    for (int i = 0; i < n; i++) //= no
        a[i] = a[(i + 1) % n] * 0.5;
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 96;
    double *a = reals(4 * n + 1), *b = reals(4 * n);
    int *p = permutation(n), *k = integers(n * n);
    unsigned char *bytes = calloc(16, n + 2);
    forward(a, n);
    backward(a, n);
    distance_of_seven(a, n);
    distance_of_the_size(a, n);
    halves(a, n);
    mirrored(a, n);
    even_from_odd(a, n);
    doubled_index(a, n);
    stencil_in_place(a, n);
    stencil(b, a, n);
    red_black(a, n);
    show_reals("a", a, 4 * n);
    aliased(a + 1, a, n);
    not_aliased(b, a, n);
    show_reals("b", b, 4 * n);
    wide_stores(bytes, n);
    overlapping_stores(bytes, n);
    read_beside(bytes, n);
    for (int i = 0; i < n; i += 13) printf("%d ", bytes[i]);
    bytes_of_words(bytes, n);
    for (int i = 0; i < n; i += 13) printf("%d ", bytes[i]);
    by_permutation(a, p, n);
    by_duplicates(b, p, n);
    update_by_permutation(a, p, n);
    read_by_permutation(a, p, n);
    show_reals("a", a, n);
    shift_left(k, n);
    moved_blocks((char *)k, n);
    copied_blocks((char *)k, (char *)b, n);
    overlapping_copies((char *)k, (char *)b, n);
    show("k", k, n * n);
    one_place(a, b, n);
    fixed_read(a, n);
    fixed_read_outside(a, n);
    sweeps(a, b, n, 20);
    show_reals("sweeps", a, n);
    int m = 30;
    double *square = reals(m * m);
    transposed_in_place(square, m);
    show_reals("square", square, m * m);
    k = integers(m * m);
    for (int i = 0; i < m * m; i++) k[i] %= 4;
    wavefront(k, m);
    rows_apart(k, m);
    columns_apart(k, m);
    show("k", k, m * m);
    odd_strides(a, n);
    apart_by_remainder(a, n);
    last_touches_first(a, n);
    show_reals("a", a, 4 * n);
    return 0;
}
