/* Variables that references, lambdas and objects of classes lead to by other names. */
#include "common.h"
#include <string>
#include <string_view>
#include <vector>
#include <array>
#include <functional>
#include <algorithm>
static int gt; struct Cfg { int v; int *p; int &r; Cfg(int &x) : v(0), p(&x), r(x) {} int get() const { return r; } };
struct K { int t = 0, s = 0, b[4] = {}; int seen() const { return t * 2; } int sumb() const { return b[0] + b[3]; }
    ALONE void meth(int *o, const int *a, int n) {
        for (int i = 0; i < n; i++) { //= words
            t = a[i];
            o[i] = seen();
        }
    }
    ALONE void methb(int *o, const int *a, int n) {
        for (int i = 0; i < n; i++) { //= words
            b[0] = a[i]; b[3] = a[i] * 2;
            o[i] = sumb();
        }
    }
    ALONE void self(int *o, const int *a, int n) {
        K &me = *this;
        for (int i = 0; i < n; i++) { //= words
            t = a[i];
            o[i] = me.t * 2;
        }
    }
    ALONE void other(K *k, int *o, const int *a, int n) {
        for (int i = 0; i < n; i++) { //= words
            t = a[i];
            if (k->t > 9) o[i] = 5;
        }
    }
    ALONE void sumother(K *k, int *o, const int *a, int n) {
        for (int i = 0; i < n; i++) { //= no
            s += a[i];
            if (k->s > 99) o[i] = 5;
        }
    }
    ALONE void lam(int *o, const int *a, int n) {
        auto f = [this] { return t * 2; };
        for (int i = 0; i < n; i++) { //= words
            t = a[i];
            o[i] = f();
        }
    }
};
ALONE void lamref(int *o, const int *a, int n) {
    int t = 0; auto f = [&] { return t * 2; };
    for (int i = 0; i < n; i++) { //= words
        t = a[i];
        o[i] = f();
    }
}
ALONE void lamcond(int *o, const int *a, int n) {
    int t = 0; auto f = [&t] { return t > 9; };
    for (int i = 0; i < n; i++) { //= words
        t = a[i];
        if (f()) o[i] = 3;
    }
}
ALONE int lamsum(int *o, const int *a, int n) {
    int s = 0; auto big = [&s] { return s > 300; };
    for (int i = 0; i < n; i++) { //= no
        s += a[i];
        if (big()) o[i] = 3;
    }
    return s;
}
ALONE void lamset(int *o, const int *a, int n) {
    int t = 0; auto set = [&](int x) { t = x * 2; };
    for (int i = 0; i < n; i++) { //= words|private
        set(a[i]);
        o[i] = t + 1;
    }
}
ALONE void lamsetget(int *o, const int *a, int n) {
    int t = 0; auto set = [&](int x) { t = x * 2; }; auto get = [&] { return t; };
    for (int i = 0; i < n; i++) { //= words
        set(a[i]);
        o[i] = get() + 1;
    }
}
ALONE void lamiter(int *o, const int *a, int n) {
    int i; auto f = [&] { return a[i] * 3; };
    for (i = 0; i < n; i++) //= words
        o[i] = f();
}
ALONE void lamiter2(int *o, const int *a, int n) {
    int i; auto f = [&] { o[i] = a[i] * 3; };
    for (i = 0; i < n; i++) //= words
        f();
}
ALONE void stdfn(int *o, const int *a, int n) {
    int t = 0; std::function<int()> f = [&] { return t * 2; };
    for (int i = 0; i < n; i++) { //= words
        t = a[i];
        o[i] = f();
    }
}
ALONE void ref(int *o, const int *a, int n) {
    int t = 0; const int &r = t;
    for (int i = 0; i < n; i++) { //= words
        t = a[i];
        o[i] = r * 2;
    }
}
ALONE void refcond(int *o, const int *a, int n) {
    int t = 0; const int &r = t;
    for (int i = 0; i < n; i++) { //= words
        t = a[i];
        if (r > 9) o[i] = 1;
    }
}
ALONE int refsum(int *o, const int *a, int n) {
    int s = 0; const int &r = s;
    for (int i = 0; i < n; i++) { //= no
        s += a[i];
        if (r > 300) o[i] = 1;
    }
    return s;
}
ALONE void refparam(const int &r, int *o, const int *a, int n) {
    for (int i = 0; i < n; i++) { //= words
        gt = a[i];
        o[i] = r * 2;
    }
}
ALONE void cfg(int *o, const int *a, int n) {
    int t = 0; Cfg c(t);
    for (int i = 0; i < n; i++) { //= words
        t = a[i];
        o[i] = c.r * 2;
    }
}
ALONE void cfgget(int *o, const int *a, int n) {
    int t = 0; Cfg c(t);
    for (int i = 0; i < n; i++) { //= words
        t = a[i];
        o[i] = c.get() * 2;
    }
}
ALONE void sview(int *o, const int *a, int n) {
    char b[8] = "       "; std::string_view v(b, 4);
    for (int i = 0; i < n; i++) { //= words
        b[0] = 'a' + (a[i] & 7); b[3] = 'b';
        o[i] = v[0] + v[3];
    }
}
ALONE void iters(int *o, const int *a, int n) {
    std::array<int, 4> w{}; auto it = w.begin();
    for (int i = 0; i < n; i++) { //= words
        w[0] = a[i]; w[3] = a[i] * 2;
        o[i] = it[0] + it[3];
    }
}
ALONE void back(int *o, const int *a, int n) {
    std::array<int, 4> w{}; int &last = w.back();
    for (int i = 0; i < n; i++) { //= words
        w[3] = a[i] * 2;
        o[i] = last + 1;
    }
}
ALONE void bind(int *o, const int *a, int n) {
    std::pair<int, int> p; auto &[x, y] = p;
    for (int i = 0; i < n; i++) { //= words
        p.first = a[i]; p.second = a[i] * 2;
        o[i] = x + y;
    }
}
ALONE void minmax(int *o, const int *a, int n) {
    int lo = 0, hi = 0; const int &m = std::max(lo, hi);
    for (int i = 0; i < n; i++) { //= words|no
        lo = hi = a[i];
        o[i] = m + 1;
    }
}
int main() {
    int n = 90; int *a = integers(n), *o = zeros(n); K k;
#define T(call) memset(o, 0, n * 4); call; show(#call, o, n);
    T(k.meth(o, a, n)) T(k.methb(o, a, n)) T(k.self(o, a, n)) T(k.other(&k, o, a, n)) T(k.sumother(&k, o, a, n)) T(k.lam(o, a, n)) T(lamref(o, a, n)) T(lamcond(o, a, n)) T(lamsum(o, a, n)) T(lamset(o, a, n)) T(lamsetget(o, a, n)) T(lamiter(o, a, n)) T(lamiter2(o, a, n)) T(stdfn(o, a, n)) T(ref(o, a, n)) T(refcond(o, a, n)) T(refsum(o, a, n)) T(refparam(gt, o, a, n)) T(cfg(o, a, n)) T(cfgget(o, a, n)) T(sview(o, a, n)) T(iters(o, a, n)) T(back(o, a, n)) T(bind(o, a, n)) T(minmax(o, a, n))
    return 0;
}
