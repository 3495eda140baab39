/* Loops that are left early, or may be. */
#include "common.h"
#include <setjmp.h>

static jmp_buf out_of_here;

ALONE int found(const int *a, int key, int n) {
    for (int i = 0; i < n; i++) //= exit
        if (a[i] == key) return i;
    return -1;
}
ALONE int found_by_break(const int *a, int key, int n) {
    int at = -1;
    for (int i = 0; i < n; i++) { //= exit
        if (a[i] == key) {
            at = i;
            break;
        }
    }
    return at;
}
/* The key is nowhere. */
ALONE int never_found(const int *a, int key, int n) {
    for (int i = 0; i < n; i++) //= exit|yes
        if (a[i] == key) return i;
    return -1;
}
ALONE int stored_until(int *b, const int *a, int n) {
    int i;
    for (i = 0; i < n && a[i] < 50; i++) //= exit
        b[i] = a[i] * 2;
    return i;
}
ALONE int left_by_goto(int *b, const int *a, int n) {
    int i;
    for (i = 0; i < n; i++) { //= exit
        if (a[i] > 50) goto out;
        b[i] = a[i];
    }
out:
    return i;
}
ALONE int inner_break(int *b, const int *a, int n) {
    int c = 0;
    for (int i = 0; i < n; i++) { //= yes
        for (int j = i; j < n; j++) { //= exit
            if (a[j] > 40) {
                b[i] = j;
                break;
            }
        }
    }
    return c;
}
ALONE int both_left(const int *a, int n) {
    for (int i = 0; i < n; i++) //= exit
        for (int j = 0; j < i; j++) //= exit
            if (a[i] + a[j] == 77) return i * n + j;
    return -1;
}
ALONE int sum_until(const int *a, int n) {
    int s = 0;
    for (int i = 0; i < n; i++) { //= exit
        if (a[i] == 51) break;
        s += a[i];
    }
    return s;
}
ALONE int endless(int *b, int n) {
    int i = 0;
    while (1) { //= induction|no
        b[i] = i;
        if (++i == n) break;
    }
    return i;
}
ALONE int until_converged(double *x, double eps) {
    int steps = 0;
    double d;
    do { //= no
        double y = 0.5 * (*x + 2 / *x);
        d = y > *x ? y - *x : *x - y;
        *x = y;
        steps++;
    } while (d > eps);
    return steps;
}
ALONE void swept_until_stable(double *a, int n) {
    int changed = 1;
    for (int t = 0; t < 100 && changed; t++) { //= no
        changed = 0;
        for (int i = 1; i + 1 < n; i++) { //= no
            double v = (a[i - 1] + a[i + 1]) / 2;
            if (v - a[i] > 0.01) changed = 1;
            a[i] = v;
        }
    }
}
ALONE void bubbled(int *a, int n) {
    int swapped = 1;
    while (swapped) { //= no
        swapped = 0;
        for (int i = 0; i + 1 < n; i++) //= no
            if (a[i] > a[i + 1]) {
                int t = a[i];
                a[i] = a[i + 1];
                a[i + 1] = t;
                swapped = 1;
            }
    }
}
ALONE void jumps(int i) {
    if (i == 40) longjmp(out_of_here, 1);
}
ALONE int left_by_longjmp(int *b, int n) {
    if (setjmp(out_of_here)) return 1;
    for (int i = 0; i < n; i++) { //= exit
        b[i] = i;
        jumps(i);
    }
    return 0;
}
ALONE int insertion_sort(int *a, int n) {
    int moves = 0;
    for (int i = 1; i < n; i++) { //= no
        int v = a[i], j = i;
        for (; j > 0 && a[j - 1] > v; j--) { //= no
            a[j] = a[j - 1];
            moves++;
        }
        a[j] = v;
    }
    return moves;
}
ALONE void skipped_by_goto(int *b, const int *a, int n) {
    for (int i = 0; i < n; i++) { //= yes
        if (a[i] < 0) goto next;
        b[i] = a[i];
    next:;
    }
}
ALONE void switched(int *b, const int *a, int n) {
    for (int i = 0; i < n; i++) { //= yes
        switch (a[i] & 7) {
        case 0: b[i] = 1; break;
        case 1: b[i] = 7; /* fall through */
        case 2: b[i] += 3; break;
        case 5: continue;
        default: b[i] = a[i];
        }
    }
}
ALONE int limited_hits(int *hits, const int *a, int n) {
    int k = 0;
    for (int i = 0; i < n; i++) { //= no
        if (a[i] > 0) hits[k++] = i;
        if (k == 10) break;
    }
    return k;
}
ALONE int all_positive(const int *ones, int n) {
    int ok = 1;
    for (int i = 0; i < n && ok; i++) //= no|exit
        ok = ones[i] > 0;
    return ok;
}
ALONE void collatz_lengths(int *out, int n) {
    for (int i = 0; i < n; i++) { //= yes
        long v = i + 1;
        int c = 0;
        while (v != 1) { //= no
            v = v & 1 ? 3 * v + 1 : v / 2;
            c++;
        }
        out[i] = c;
    }
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 80;
    int *a = integers(n), *b = zeros(n), *ones = zeros(n);
    double *x = reals(n), root = 1 + argc;
    for (int i = 0; i < n; i++) ones[i] = argc;
    printf("%d %d %d\n", found(a, a[50], n), found_by_break(a, a[60], n), never_found(a, 5000, n));
    printf("%d %d\n", stored_until(b, a, n), left_by_goto(b, a, n));
    inner_break(b, a, n);
    show("inner_break", b, n);
    printf("%d %d %d\n", both_left(a, n), sum_until(a, n), endless(b, n));
    printf("%d\n", until_converged(&root, 1e-12));
    swept_until_stable(x, n);
    show_reals("swept", x, n);
    printf("%d\n", left_by_longjmp(b, n));
    skipped_by_goto(b, a, n);
    switched(b, a, n);
    show("switched", b, n);
    printf("%d %d\n", limited_hits(b, a, n), all_positive(ones, n));
    collatz_lengths(b, n);
    show("collatz", b, n);
    printf("%d\n", insertion_sort(b, n));
    bubbled(a, n);
    show("bubbled", a, n);
    return 0;
}
