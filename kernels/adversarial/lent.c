/* Addresses of variables that end with a call, and ones that are kept. */
#include <alloca.h>
#include <string.h>

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
/* What a function leaves of it is what it was before the loop. */
ALONE static void begins(double *p, int i) {
    for (int j = 0; j < 2; j++)
        p[j] = i;
}
ALONE static void written_in_part(void) {
    double s[4] = {1, 2, 3, 4};
    for (int i = 0; i < N; i++) { //= private ## firstprivate(s)
        begins(s, i);
        out[i] = s[0] + s[3];
    }
}
ALONE static void copied_in_part(void) {
    double s[4] = {1, 2, 3, 4};
    for (int i = 0; i < N; i++) { //= private ## firstprivate(s)
        memcpy(s, x + i, 8);
        out[i] = s[0] + s[3];
    }
}
/* Another function comes to it by the address that was kept: no clause. */
ALONE static void more(int i) { *kept += 3 * i; }
ALONE static void kept_before(void) {
    double t;
    keep(&t);
    for (int i = 0; i < N; i++) { //= private ## none
        memset(&t, 0, sizeof t);
        more(i);
        out[i] = t;
    }
}
ALONE static void looked_at_inside(void) {
    double t;
    keep(&t);
    for (int i = 0; i < N; i++) { //= private ## none
        memset(&t, i & 1, sizeof t);
        out[i] = *kept;
        memset(&t, 0, sizeof t);
    }
}
/* Read behind the loop, if not in this run. */
ALONE static double used_behind(int c) {
    double t, s = 0;
    for (int i = 0; i < N; i++) { //= private ## none
        memcpy(&t, x + i, 8);
        out[i] = t;
    }
    if (c > 1) s = t;
    return s;
}
/* A compiler may load at the end of an iteration what the next one reads. */
static int setting;
ALONE static void set(int i) { setting = i; }
ALONE static void read_before_it_is_set(void) {
    int *p = &setting;
    *p = 1;
    for (int i = 0; i < N; i++) { //= no
        out[i] += *p;
        set(i);
    }
}
ALONE static void tested_before_it_is_set(void) {
    int *p = &setting;
    *p = 1;
    for (int i = 0; i < N; i++) { //= no
        if (*p > 50) out[i] = 5;
        set(i);
    }
}
/* Storage of the function's own that has no name. */
ALONE static void fills(int *p, int i) {
    for (int j = 0; j < 20; j++)
        p[j] = i % 100 + j;
}
ALONE static int adds(const int *p) {
    int s = 0;
    for (int j = 0; j < 20; j++)
        s += p[j];
    return s;
}
ALONE static void unnamed(void) {
    int *buffer = alloca(20 * sizeof *buffer);
    for (int i = 0; i < N; i++) { //= private ## none
        fills(buffer, i);
        out[i] = adds(buffer);
    }
}
ALONE static void unnamed_element(void) {
    int *buffer = alloca(20 * sizeof *buffer);
    for (int i = 0; i < N; i++) { //= private ## none
        buffer[3] = i;
        out[i] = buffer[3];
    }
}
ALONE static void of_a_length(int n) {
    int buffer[n];
    for (int i = 0; i < N; i++) { //= private
        fills(buffer, i);
        out[i] = adds(buffer);
    }
}

int main(int argc, char **argv) {
    (void)argv;
    for (int i = 0; i < N; i++) { //= yes
        x[i] = (i * 37 % 101) / 50.0 - 1;
    }
    double s = ends_with_the_call() + read_behind() + read_by_another_name();
    seeds_of_each();
    s += out[7];
    one_seed();
    s += out[7];
    set_once();
    written_in_part();
    s += out[7];
    copied_in_part();
    s += out[7];
    kept_before();
    s += out[7];
    looked_at_inside();
    s += out[7] + used_behind(argc);
    read_before_it_is_set();
    tested_before_it_is_set();
    unnamed();
    s += out[7];
    unnamed_element();
    s += out[7];
    of_a_length(20);
    return s + out[7] > 1e9;
}
