/* Flags and packed bits: places that several iterations write. */
#include "common.h"

int seen_negative, code;

ALONE void same_value(const int *a, int n) {
    for (int i = 0; i < n; i++) //= flag
        if (a[i] < 0) seen_negative = 1;
}
ALONE int same_value_local(const int *a, int n) {
    int found = 0;
    for (int i = 0; i < n; i++) //= flag
        if (a[i] < 0) found = 1;
    return found;
}
ALONE void same_value_marks(int *seen, const int *a, int n) {
    for (int i = 0; i < n; i++) //= flag
        seen[(a[i] + 64) & 15] = 1;
}
ALONE int read_flag(int *b, const int *a, int n) {
    int found = 0;
    for (int i = 0; i < n; i++) //= no
        if (!found && a[i] < 0) {
            found = 1;
            b[i] = 1;
        }
    return found;
}
ALONE void read_marks(int *first, int *seen, const int *a, int n) {
    for (int i = 0; i < n; i++) { //= no
        int k = (a[i] + 64) & 15;
        first[i] = !seen[k];
        seen[k] = 1;
    }
}
ALONE void two_values(const int *a, int n) {
    for (int i = 0; i < n; i++) { //= no
        if (a[i] < 0) code = 1;
        if (a[i] > 30) code = 2;
    }
}
ALONE void last_value_of_all(const int *a, int n) {
    for (int i = 0; i < n; i++) //= private
        code = a[i];
}
ALONE void bit_set(unsigned char *flags, int n) {
    for (int i = 0; i < n; i++) //= reduction
        flags[i >> 3] |= 1 << (i & 7);
}
ALONE void bit_stored(unsigned char *flags, const int *a, int n) {
    for (int i = 0; i < n; i++) { //= no
        if (a[i] > 0)
            flags[i >> 3] |= 1 << (i & 7);
        else
            flags[i >> 3] &= ~(1 << (i & 7));
    }
}
ALONE void nibbles(unsigned char *p, const int *a, int n) {
    for (int i = 0; i < n; i++) { //= no
        int s = 4 * (i & 1);
        p[i / 2] = (p[i / 2] & ~(15 << s)) | (a[i] & 15) << s;
    }
}
struct fields { unsigned a : 3, b : 5, c : 8; };
ALONE void own_fields(struct fields *f, const int *a, int n) {
    for (int i = 0; i < n; i++) { //= yes
        f[i].b = a[i];
        f[i].c = a[i] >> 2;
    }
}
ALONE void fields_of_one(struct fields *f, const int *a, int n) {
    for (int i = 0; i < n; i++) { //= no
        f->b = a[i];
        f->c = f->c + 1;
    }
}
ALONE void packed_words(unsigned *w, const int *a, int n) {
    for (int i = 0; i < n; i++) { //= no
        int bit = i * 6;
        w[bit / 32] |= (unsigned)(a[i] & 63) << bit % 32;
        if (bit % 32 > 26) w[bit / 32 + 1] = (a[i] & 63) >> (32 - bit % 32);
    }
}
ALONE void bytes_of_a_word(unsigned long *w, int n) {
    for (int i = 0; i < n; i++) //= yes
        ((unsigned char *)w)[i] = i * 3;
}
ALONE void sieve(unsigned char *composite, int n) {
    for (int i = 2; i * i < n; i++) //= no
        if (!composite[i])
            for (int j = i * i; j < n; j += i) //= yes
                composite[j] = 1;
}
ALONE void relaxed(int *d, const int *from, const int *to, const int *w, int n) {
    for (int e = 0; e < n; e++) //= no
        if (d[from[e]] + w[e] < d[to[e]]) d[to[e]] = d[from[e]] + w[e];
}
ALONE void lowered(int *d, const int *to, const int *w, int n) {
    for (int e = 0; e < n; e++) //= reduction
        if (w[e] < d[to[e]]) d[to[e]] = w[e];
}
ALONE void zeroed_again(int *row, int *out, const int *a, int n) {
    for (int i = 0; i < n; i++) { //= words
        row[0] = 0;
        row[1] = a[i];
        out[i] = row[0] + row[1];
    }
}
ALONE int union_by_root(int *parent, const int *a, const int *b, int n) {
    int joined = 0;
    for (int i = 0; i < n; i++) { //= no
        int x = a[i], y = b[i];
        while (parent[x] != x) //= no
            x = parent[x];
        while (parent[y] != y) //= no
            y = parent[y];
        if (x != y) {
            parent[x] = y;
            joined++;
        }
    }
    return joined;
}
ALONE void counting_sort(int *out, int *start, const int *key, int n) {
    for (int i = 0; i < n; i++) //= no
        out[start[key[i]]++] = i;
}
ALONE void guarded_once(int *table, int *out, int n) {
    static int ready;
    for (int i = 0; i < n; i++) { //= no
        if (!ready) {
            for (int j = 0; j < 16; j++) //= yes
                table[j] = j * j;
            ready = 1;
        }
        out[i] = table[i & 15];
    }
}
ALONE void stored_over(int *a, int n) {
    for (int i = 0; i < n; i++) //= no
        a[i % 10] = i;
}
ALONE void marked_twice(int *a, int n) {
    for (int i = 0; i + 1 < n; i++) { //= no
        a[i] = 1;
        a[i + 1] = 2;
    }
}
ALONE void marked_twice_the_same(int *a, int n) {
    for (int i = 0; i + 1 < n; i++) { //= flag
        a[i] = 7;
        a[i + 1] = 7;
    }
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 80;
    int *a = integers(n), *b = zeros(n), *seen = zeros(64), *p = permutation(n), *q = zeros(n);
    unsigned char *bytes = calloc(n, 8);
    same_value(a, n);
    printf("%d %d\n", seen_negative, same_value_local(a, n));
    same_value_marks(seen, a, n);
    show("marks", seen, 16);
    printf("%d\n", read_flag(b, a, n));
    memset(seen, 0, 64 * sizeof *seen);
    read_marks(b, seen, a, n);
    show("first", b, n);
    two_values(a, n);
    printf("%d\n", code);
    last_value_of_all(a, n);
    printf("%d\n", code);
    bit_set(bytes, n);
    bit_stored(bytes + n, a, n);
    nibbles(bytes + 2 * n, a, n);
    struct fields *f = calloc(n, sizeof *f);
    own_fields(f, a, n);
    fields_of_one(f, a, n);
    printf("%d %d\n", f[0].c, f[5].b);
    packed_words((unsigned *)(bytes + 4 * n), a, n);
    bytes_of_a_word((unsigned long *)(bytes + 6 * n), n);
    for (int i = 0; i < 7; i++) printf("%d ", bytes[i * n + i]);
    memset(bytes, 0, n);
    sieve(bytes, n);
    printf("%d %d\n", bytes[77], bytes[79]);
    int *d = zeros(n), *w = zeros(n), *seen_at = zeros(n);
    for (int i = 0; i < n; i++) d[i] = i ? 1000 : 0, w[i] = 1 + i % 5, q[i] = i / 2;
    for (int i = 0; i < n; i++) b[i] = i, seen_at[i] = (i + 1) % n;
    relaxed(d, b, seen_at, w, n);
    lowered(d, q, w, n);
    show("relaxed", d, n);
    zeroed_again(b, seen, a, 60);
    for (int i = 0; i < n; i++) d[i] = i;
    printf("%d\n", union_by_root(d, p, q, n));
    int start[8] = {0};
    for (int i = 0; i < n; i++) q[i] = (a[i] + 64) & 7;
    for (int i = 1; i < 8; i++)
        for (int j = 0; j < n; j++) start[i] += q[j] < i;
    counting_sort(b, start, q, n);
    show("counting_sort", b, n);
    guarded_once(seen, b, n);
    stored_over(b, n);
    show("stored", b, n);
    marked_twice(b, n);
    show("marked", b, n);
    marked_twice_the_same(b, n);
    show("marked", b, n);
    return 0;
}
