/* What stands in a raw literal is no directive. */
#include "common.h"

const char *shader = R"-(
#define FAST
void main() {} // )"
)-";
#ifdef FAST
#define PUT t = a[i] * 2
#else
#define PUT if (a[i] > -1) t = a[i]
#endif
ALONE void raw(double *b, const double *a, int n) {
    double t = 0;
    for (int i = 0; i < n; i++) { //= no
        PUT;
        b[i] = t;
    }
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 50;
    double *a = (double *)calloc(n, sizeof *a), *b = (double *)calloc(n, sizeof *b);
    for (int i = 0; i < n; i++) a[i] = i; //= yes
    raw(b, a, n);
    show_reals("b", b, n);
    puts(shader);
    return 0;
}
