/* Addresses of variables that end with a call, and ones that are kept. */
#include "common.h"

#define N 200
static double x[N], out[N];
static double *kept;

ALONE static double draw(double *seed, double a) {
    *seed = *seed * a / 3 + 1;
    return *seed;
}
ALONE static void keep(double *p) { kept = p; }

/* The value that a condition sets is used where it is set, and nowhere else. */
ALONE static double ends_with_the_call(void) {
    double s = 0, t = 0.5, first = draw(&t, 0.5);
    for (int i = 0; i < N; i++) { //= reduction
        double y = x[i];
        if (y <= 1) {
            t = y + 1;
            s += t * x[i];
        }
    }
    return s + first;
}
ALONE static double read_behind(void) {
    double s = 0, t = 0.5, first = draw(&t, 0.5);
    for (int i = 0; i < N; i++) { //= no
        double y = x[i];
        if (y <= 1) {
            t = y + 1;
            s += t * x[i];
        }
    }
    return s + first + t;
}
ALONE static double read_by_another_name(void) {
    double s = 0, t = 0.5;
    keep(&t);
    for (int i = 0; i < N; i++) { //= no
        double y = x[i];
        if (y <= 1) {
            t = y + 1;
            s += t * x[i];
        }
    }
    return s + *kept;
}
/* Each iteration begins with a value of its own. */
ALONE static void seeds_of_each(void) {
    double t;
    for (int i = 0; i < N; i++) { //= private
        t = i;
        draw(&t, 0.5);
        out[i] = t + draw(&t, 2);
    }
}
ALONE static void one_seed(void) {
    double t = 1;
    for (int i = 0; i < N; i++) { //= no
        out[i] = draw(&t, 0.5);
    }
}
ALONE static void set_once(void) {
    double t = 1;
    for (int i = 0; i < N; i++) { //= no
        if (i % 50 == 0) t = i;
        out[i] = draw(&t, 0.5);
    }
}

int main(void) {
    for (int i = 0; i < N; i++) { //= yes
        x[i] = (i * 37 % 101) / 50.0 - 1;
    }
    double s = ends_with_the_call() + read_behind() + read_by_another_name();
    seeds_of_each();
    s += out[7];
    one_seed();
    s += out[7];
    set_once();
    return s + out[7] > 1e9;
}
