/* Loops in which the recording ends: what comes after nobody has seen. */
//: profile --max-instructions 3000000
#include "common.h"

ALONE void complete(double *a, int n) {
    for (int i = 0; i < n; i++) //= yes
        a[i] += 1;
}
/* Carries at the end only. */
ALONE void carries_later(double *a, int n) {
    for (int i = 1; i < n; i++) { //= unknown
        if (i > n - 10)
            a[i] = a[i - 1] + 1;
        else
            a[i] = i * 0.5;
    }
}
ALONE void around(double *a, int n, int rounds) {
    for (int t = 0; t < rounds; t++) { //= unknown
        complete(a, 50);
        carries_later(a + 60, n);
    }
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 1000000;
    double *a = (double *)calloc(n + 60, sizeof *a);
    complete(a, 100);
    around(a, n, 3);
    show_reals("a", a, n);
    return 0;
}
