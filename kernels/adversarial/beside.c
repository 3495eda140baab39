// What compilers put beside a loop, make another loop of, or merge with one inside.
#include "common.h"

#define SIZE 1024
static unsigned a[SIZE], b[SIZE], m[40][40];
static int table[SIZE], other[SIZE];
typedef struct { unsigned x, y; } pair;
static pair p[SIZE];

static inline unsigned get(const unsigned *of, int at) { return of[at]; }
static inline void put(unsigned *to, int at, unsigned value) { to[at] = value; }

/* The last of all stores is left, behind the loop. */
ALONE static void last_of_all(void) {
    for (int i = 1; i < 30; i++) { //= private|words
        for (int j = 4 - 1; j >= 0; j--) //= private|words
            m[0][j / 3] = i * 7 + j * 3 + 1;
    }
}

/* The first iterations stand before the loop, and one of them stores what all others read. */
ALONE static void peeled(int n) {
    for (int i = 0; i < n; i++) { //= no
        unsigned first = p[2].x * 3 + p[i + 100].x * 3 + i * 7 + 1;
        for (int j = n - 1; j >= 0; j--) //= private|words
            p[2 * i].x = first * 3 + i * 7 + j * 3 + 1;
        if (i == 2) continue;
        if (other[i] > 30) m[i][i] = m[i][i + 1] * 3 + i * 7 + 1;
    }
}

/* The store of one iteration, by a function in the place of its call. */
ALONE static void first_alone(unsigned *v, int n) {
    for (int i = 2; i < n; i++) { //= no
        if (i < 3) put(v, 3 * i, i * 7 + 1);
        v[(3 * i) >> 2] = v[(3 * i) >> 2] + (i * 7 + 1);
    }
}

/* Two loops that change places. */
ALONE static void exchanged(unsigned *v, int n) {
    for (int i = 1; i < n; i++)         //= private|words
        for (int j = 0; j < n - 1; j++) //= yes
            put(v, j + 100, i * 7 + j * 3 + 1);
}

/* All elements in registers until the end. */
ALONE static void in_registers(unsigned *v, int n) {
    for (int i = 0; i < n; i++)      //= no
        for (int j = 0; j < 16; j++) //= no
            put(v, j, get(v, 0) * 3 + i * 7 + j * 3 + 1);
}

/* Of several stores to an element the last is left. */
ALONE static void diagonals(int n) {
    for (int j = 0; j < n; j++) //= private|words
        for (int k = 0; k < 12; k++) //= yes
            p[k - j + 64].y = j * 3 + k * 5 + 1;
}

ALONE static void diagonals_with_sums(int n) {
    unsigned own[16] = {1, 2, 3};
    for (int i = 0; i < 16; i++) //= reduction|private|words
        for (int j = 0; j < n; j++) //= private|words
            for (int k = 0; k < 12; k++) { //= reduction|words
                m[k >> 2][j + 1] = m[k >> 2][j + 1] + (i * 7 + j * 3 + k * 5 + 1);
                p[k - j + 64].y = own[k] * 4 + i * 7 + j * 3 + k * 5 + 1;
            }
}

/* A part of the body is a loop of its own. */
ALONE static void in_parts(unsigned *v, int n) {
    for (int i = 1; i < n; i++) { //= private|words
        if (i % 3 == 2) b[i + 40] = i * 7 + 1;
        for (int j = 0; j < 4; j++) //= yes
            put(v, 3 * j + i + 2, i * 7 + j * 3 + 1);
        if (other[i] > 30) continue;
        b[2 * i + 1] = get(v, i + 100) * 3 + i * 7 + 1;
    }
}

/* Loops inside that are written out: of what iterations write again the last is left. */
ALONE static void four_ahead(unsigned *v, int n) {
    for (int i = 0; i < n; i++)         //= private|words
        for (int j = i; j < i + 4; j++) //= yes
            put(v, j, i * 7 + j * 3 + 1);
}

ALONE static void always_the_same(int n) {
    for (int i = n - 1; i >= 0; i--) { //= private|words
        int j = 1;
        while (j < 4) { //= yes|induction
            m[j][j] = p[-j + 8 * i + 64].y + i * 7 + j * 3 + 1;
            if (i > j) m[i + 1][j] = i * 7 + j * 3 + 1;
            j++;
        }
    }
}

ALONE static void three_each(unsigned *v, int n) {
    for (int i = 0; i < n; i++) //= yes
        for (int k = 0; k < 3; k++) v[table[3 * i + k]] = i + k;
}

/* One header for both loops. */
ALONE static void one_header(unsigned *v) {
    for (int i = 2; i < 24; i++)           //= no
        for (int j = i + 1; j < 16; j++) { //= no
            p[(j + 40) % 5].x = a[j] * 3 + i * 7 + j * 3 + 1;
            put(v, j, get(v, -j + 20 * i + 100) * 3 + i * 7 + j * 3 + 1);
        }
}

/* An array whose place debug information does not say, as its function aligns the stack. */
ALONE static unsigned without_a_place(unsigned *v, int n) {
    unsigned own[16] = {1, 2, 3};
    for (int i = 12 - 1; i >= 0; i--) { //= no
        for (int j = 0; j < 5; j++)     //= no
            for (int k = 0; k < n; k++) { //= no
                own[k] = own[k] * 3 + i * 7 + j * 3 + k * 5 + 1;
                v[0] = v[k] * 3 + i * 7 + j * 3 + k * 5 + 1;
            }
        v[table[3 * i + 8]] = v[table[3 * i + 8]] + (own[i] * 3 + i * 7 + 1);
        for (int j = 0; j < 5; j += 2)                       //= private|words
            for (int k = other[j] % 12 - 1; k >= 0; k--) { //= yes
                own[k] = i * 7 + j * 3 + k * 5 + 1;
                if (j == 2) continue;
                v[k + 3] = i * 7 + j * 3 + k * 5 + 1;
            }
    }
    return own[2];
}

/* Plain nests, of which all of this is not to be said. */
ALONE static void product(unsigned *c, const unsigned *x, const unsigned *y, int n) {
    for (int i = 0; i < n; i++)       //= yes
        for (int j = 0; j < n; j++) { //= yes
            unsigned s = 0;
            for (int k = 0; k < n; k++) //= reduction
                s += x[i * n + k] * y[k * n + j];
            c[i * n + j] = s;
        }
}

ALONE static void members(pair *q, int n) {
    for (int i = 0; i < n; i++) { //= yes
        q[i].x = i * 3;
        q[i].y = i * 5;
    }
}

int main(void) {
    for (int i = 0; i < SIZE; i++) {
        table[i] = (i * 37 + 11) % SIZE;
        other[i] = i * i % 61;
        a[i] = i * 7 % 31, b[i] = i * 5 % 23, p[i].x = i % 13, p[i].y = i % 17;
    }
    last_of_all();
    peeled(24);
    first_alone(a, 64);
    exchanged(a, 38);
    in_registers(a + 500, 38);
    diagonals(16);
    diagonals_with_sums(16);
    in_parts(a, 24);
    four_ahead(a + 200, 30);
    always_the_same(16);
    three_each(a, 40);
    one_header(a + 1);
    unsigned sum = without_a_place(a, 12);
    product(a + 100, b, b + 200, 12);
    members(p + 300, 100);
    for (int i = 0; i < SIZE; i++) sum = sum * 31 + a[i] + 3 * b[i] + 5 * p[i].x + 7 * p[i].y;
    for (int i = 0; i < 40; i++)
        for (int j = 0; j < 40; j++) sum = sum * 31 + m[i][j];
    printf("%u\n", sum);
    return 0;
}
