/* Members of variables of the function as temporaries: each thread has the variable for itself. */
#include "common.h"

#define N 2000
typedef struct {
    double v[4];
    double s;
    int k;
} Element;
typedef struct {
    double x, y;
    int n;
} Point;
static Element elements[N];
static double x[N], out[N];

/* The variable is overwritten first. */
ALONE static void overwritten(void) {
    Element t;
    for (int i = 0; i < N; i++) { //= private
        t = elements[i];
        t.s = t.v[0] + t.v[1];
        t.k = i;
        elements[i] = t;
    }
}
/* Each member that is used is. */
ALONE static void both(void) {
    Point p = {0, 0, 3};
    for (int i = 0; i < N; i++) { //= private
        p.x = x[i] * 2;
        p.y = p.x + 1;
        out[i] = p.x * p.y + p.n;
    }
}
/* What the last iteration leaves in one is used, and what was in another before. */
ALONE static double last(void) {
    Point p = {0, 0, 5};
    for (int i = 0; i < N; i++) { //= private
        p.x = x[i] * 2;
        out[i] = p.x + p.n;
    }
    return p.x + p.n + p.y;
}
/* One of them is handed on. */
ALONE static double handed_on(void) {
    Point p = {0, 0, 0};
    for (int i = 0; i < N; i++) { //= no ## none
        p.x = x[i] * 2;
        p.y = p.y * 0.5 + p.x;
        out[i] = p.x + p.y;
    }
    return p.y;
}
/* Counted, too. */
ALONE static double counted(void) {
    Point p = {0, 0, 0};
    for (int i = 0; i < N; i++) { //= no|words ## none
        p.x = x[i] * 2;
        p.n++;
        out[i] = p.x;
    }
    return p.x + p.n;
}
/* Under a condition. */
ALONE static double sometimes(void) {
    Point p = {1, 0, 0};
    for (int i = 0; i < N; i++) { //= no ## none
        if (i % 3 == 0)
            p.x = x[i];
        out[i] = p.x;
    }
    return p.x;
}
/* Another name for it. */
ALONE static double named_twice(void) {
    Point p = {1, 0, 0}, *q = &p;
    for (int i = 0; i < N; i++) { //= no|private ## none
        p.x = x[i];
        out[i] = q->x + q->n;
    }
    return p.x;
}

int main(void) {
    for (int i = 0; i < N; i++) { //= yes
        x[i] = (i * 37) % 101 + 0.5;
        elements[i].v[0] = i;
    }
    overwritten();
    both();
    double s = last() + handed_on() + counted() + sometimes() + named_twice();
    printf("%g %g %g %d\n", s, out[9], elements[7].s, elements[11].k);
    return 0;
}
