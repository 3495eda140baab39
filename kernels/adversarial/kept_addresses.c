/* Variables whose address is kept before a loop assigns them by their names. */
#include "common.h"
static int t; int gt; static int buf[8]; static struct { int x, y; } gs; static int pos; static double acc; static int *gp = &t;
ALONE void p1(int *view, int *o, const int *a, int n) {
    for (int i = 0; i < n; i++) { //= words
        t = a[i] * 2;
        o[i] = *view + 1;
    }
}
ALONE void p2(int *view, int *o, const int *a, int n) {
    for (int i = 0; i < n; i++) { //= words
        t = a[i] * 2;
        if (*view > 10) o[i] = 1;
    }
}
ALONE void p3(int *o, const int *a, int n) {
    for (int i = 0; i < n; i++) { //= words
        t = a[i] * 2;
        o[i] = *gp + 1;
    }
}
ALONE void p4(int *view, int *o, const int *a, int n) {
    for (int i = 0; i < n; i++) { //= words
        *view = a[i] * 2;
        o[i] = gt + 1;
    }
}
ALONE void p5(int *view, int *o, const int *a, int n) {
    for (int i = 0; i < n; i++) { //= words
        buf[0] = a[i]; buf[1] = a[i] * 2;
        o[i] = view[0] + view[1];
    }
}
ALONE void p6(int *view, int *o, const int *a, int n) {
    for (int i = 0; i < n; i++) { //= words
        for (int k = 0; k < 8; k++) buf[k] = a[i] * k;
        int s = 0;
        for (int k = 0; k < 8; k++) s += view[k]; //= reduction
        o[i] = s;
    }
}
ALONE void p7(int *view, int *o, const int *a, int n) {
    for (int i = 0; i < n; i++) { //= words
        gs.x = a[i]; gs.y = a[i] * 2;
        o[i] = view[0] + view[1];
    }
}
ALONE void p9(int *o, const int *a, int n) {
    int x = 0; int *p = &x;
    for (int i = 0; i < n; i++) { //= words
        x = a[i];
        if (*p > 3) o[i] = 5;
    }
}
static int rd(const int *p) { return *p; }
ALONE void p10(int *o, const int *a, int n) {
    int x = 0; int *p = &x;
    for (int i = 0; i < n; i++) { //= words
        x = a[i];
        o[i] = rd(p);
    }
}
ALONE void p11(int *o, const int *a, int n) {
    int x = 0;
    for (int i = 0; i < n; i++) { //= private
        x = a[i];
        o[i] = rd(&x);
    }
}
struct ctx { int *slot; int cur; };
ALONE void p12(struct ctx *c, int *o, const int *a, int n) {
    for (int i = 0; i < n; i++) { //= words
        c->cur = a[i];
        o[i] = *c->slot * 2;
    }
}
static void (*hook)(int *, int);
static void hk(int *o, int i) { o[i] = t * 3; }
ALONE void p13(int *o, const int *a, int n) {
    for (int i = 0; i < n; i++) { //= words
        t = a[i];
        hook(o, i);
    }
}
ALONE void p14(int *o, const int *a, int n) {
    int x; int *const q[2] = {&x, &x};
    for (int i = 0; i < n; i++) { //= words
        x = a[i];
        o[i] = *q[i & 1];
    }
}
ALONE void p15(int *o, const int *a, int n) {
    int w[4]; int *e = w + 4;
    for (int i = 0; i < n; i++) { //= words
        for (int k = 0; k < 4; k++) w[k] = a[i] + k;
        int s = 0;
        for (int *p = w; p < e; p++) s = s * 3 + *p; //= no
        o[i] = s;
    }
}
ALONE void p16(int *o, const int *a, int n) {
    int w[4]; int *b = w;
    for (int i = 0; i < n; i++) { //= words
        for (int k = 0; k < 4; k++) w[k] = a[i] + k;
        if (b[2] > 10) o[i] = 3;
    }
}
ALONE void p17(int *o, const int *a, int n) {
    struct { int v[4]; } w; int *b = w.v;
    for (int i = 0; i < n; i++) { //= words
        for (int k = 0; k < 4; k++) w.v[k] = a[i] + k;
        o[i] = b[2] + b[3];
    }
}
ALONE void p18(int *o, const int *a, int n) {
    struct { int x, y; } w, *b = &w;
    for (int i = 0; i < n; i++) { //= words
        w.x = a[i]; w.y = a[i] * 3;
        o[i] = b->x + b->y;
    }
}
ALONE void p19(int *o, const int *a, int n) {
    int w[2][2], (*b)[2] = w;
    for (int i = 0; i < n; i++) { //= words
        w[0][1] = a[i]; w[1][0] = a[i] * 3;
        o[i] = b[0][1] + b[1][0];
    }
}
ALONE void p20(char *s, int *o, const int *a, int n) {
    char b[16]; char *p = b;
    for (int i = 0; i < n; i++) { //= words
        sprintf(b, "%d", a[i]);
        o[i] = strlen(p) + p[0];
    }
}
ALONE void p21(int *o, const int *a, int n) {
    char b[16];
    for (int i = 0; i < n; i++) { //= private
        sprintf(b, "%d", a[i]);
        o[i] = strlen(b) + b[0];
    }
}
static char gb[16]; static const char *gname = gb;
ALONE void p22(int *o, const int *a, int n) {
    for (int i = 0; i < n; i++) { //= words
        sprintf(gb, "%d", a[i]);
        o[i] = strlen(gname) + gname[0];
    }
}
ALONE void p23(int *o, const int *a, int n) {
    int x; void *args[] = {&x};
    for (int i = 0; i < n; i++) { //= words
        x = a[i];
        o[i] = *(int *)args[0];
    }
}
ALONE void p24(int *o, const int *a, int n) {
    int x, y; int *m = a[0] > 0 ? &x : &y;
    for (int i = 0; i < n; i++) { //= words
        x = a[i]; y = a[i] * 2;
        o[i] = *m;
    }
}
ALONE void p27(int *o, const int *a, int n) {
    int i, *p = &i;
    for (i = 0; i < n; i++) //= words
        o[i] = a[i] + *p;
}
static int gi2;
ALONE void p28(int *view, int *o, const int *a, int n) {
    for (gi2 = 0; gi2 < n; gi2++) //= words
        o[gi2] = a[gi2] + *view;
}
ALONE void p29(int *view, int *o, const int *a, int n) {
    for (gi2 = 0; gi2 < n; gi2++) //= words
        if (*view % 3 == 0) o[gi2] = a[gi2];
}
int main(void) {
    int n = 90, *a = integers(n), *o = zeros(n + 10); struct ctx c = {0, 0}; c.slot = &c.cur; hook = hk;
#define R(k) memset(o, 0, 400); k; show(#k, o, n + 5);
    R(p1(&t, o, a, n))
    R(p2(&t, o, a, n))
    R(p3(o, a, n))
    R(p4(&gt, o, a, n))
    R(p5(buf, o, a, n))
    R(p6(buf, o, a, n))
    R(p7(&gs.x, o, a, n))
    R(p9(o, a, n))
    R(p10(o, a, n))
    R(p11(o, a, n))
    R(p12(&c, o, a, n))
    R(p13(o, a, n))
    R(p14(o, a, n))
    R(p15(o, a, n))
    R(p16(o, a, n))
    R(p17(o, a, n))
    R(p18(o, a, n))
    R(p19(o, a, n))
    R(p20("", o, a, n))
    R(p21(o, a, n))
    R(p22(o, a, n))
    R(p23(o, a, n))
    R(p24(o, a, n))
    R(p27(o, a, n))
    R(p28(&gi2, o, a, n))
    R(p29(&gi2, o, a, n))
    return 0;
}
