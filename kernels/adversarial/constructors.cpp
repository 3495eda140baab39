// Objects that are made in loops, and what their constructors, destructors and operators do beside that; what closures keep.
#include "common.h"
#include <functional>
#include <list>
#include <utility>
#include <vector>
static int made, ended, level;
struct Counted {
    int id;
    Counted() : id(made++) {}
};
struct Body {
    int id;
    Body() { id = made; made += 2; }
};
struct Ends {
    int v;
    explicit Ends(int v) : v(v) {}
    ~Ends() { ended += v; }
};
struct Guard {
    Guard() { ++level; }
    ~Guard() { --level; }
};
struct Plain {
    int a, b;
    Plain(int x, int y) : a(x), b(y) {}
    int sum() const { return a + b; }
};
struct Base {
    int serial;
    Base() : serial(made++) {}
};
struct Derived : Base {
    int twice;
    Derived() : twice(serial * 2) {}
};
struct Holder {
    Counted c;
    int x;
};
struct Serial {
    static int next;
    int id = next++;
};
int Serial::next = 5;
struct Acc {
    int total = 0;
    Acc &operator+=(int v) { total += v; return *this; }
    void operator()(int v) { total = total * 2 + v; }
    int operator[](int i) { return total += i; }
};
ALONE void counted(int *o, int n) {
    for (int i = 0; i < n; i++) { //= no|induction
        Counted b;
        o[i] = b.id;
    }
}
ALONE void counted_in_body(int *o, int n) {
    for (int i = 0; i < n; i++) { //= no|induction
        Body b;
        o[i] = b.id;
    }
}
ALONE void counted_base(int *o, int n) {
    for (int i = 0; i < n; i++) { //= no|induction
        Derived d;
        o[i] = d.twice;
    }
}
ALONE void counted_member(int *o, int n) {
    for (int i = 0; i < n; i++) { //= no|induction
        Holder h;
        h.x = i;
        o[i] = h.c.id + h.x;
    }
}
ALONE void counted_temporary(int *o, int n) {
    for (int i = 0; i < n; i++) //= no|induction
        o[i] = Counted().id;
}
ALONE void counted_braces(int *o, int n) {
    for (int i = 0; i < n; i++) { //= no|induction
        auto b = Counted{};
        o[i] = b.id * 3;
    }
}
ALONE void serials(int *o, int n) {
    for (int i = 0; i < n; i++) { //= no|induction
        Serial s;
        o[i] = s.id;
    }
}
ALONE void ends(int *o, const int *a, int n) {
    for (int i = 0; i < n; i++) { //= no|words|reduction
        Ends e(a[i]);
        o[i] = e.v * 2;
    }
}
ALONE void ends_seen(int *o, const int *a, int n) {
    for (int i = 0; i < n; i++) { //= no
        o[i] = ended;
        Ends e(a[i]);
    }
}
ALONE void guards(int *o, const int *a, int n) {
    for (int i = 0; i < n; i++) { //= no|words|reduction
        Guard g;
        o[i] = a[i] * 2 + level;
    }
}
ALONE void plains(int *o, const int *a, int n) {
    for (int i = 0; i < n; i++) { //= yes
        Plain p(a[i], i);
        o[i] = p.sum();
    }
}
ALONE int operators(const int *a, int n) {
    Acc acc;
    for (int i = 0; i < n; i++) //= words|reduction|no
        acc += a[i];
    return acc.total;
}
ALONE int called(const int *a, int n) {
    Acc acc;
    for (int i = 0; i < n; i++) //= no
        acc(a[i]);
    return acc.total;
}
ALONE void subscripted(int *o, int n) {
    Acc acc;
    for (int i = 0; i < n; i++) //= no
        o[i] = acc[i];
}
ALONE void captured(int *o, const int *a, int n) {
    int k = 0;
    auto put = [&](int v) { o[k++] = v; };
    for (int i = 0; i < n; i++) //= no|induction
        put(a[i] + 1);
}
ALONE void captured_mutable(int *o, const int *a, int n) {
    auto next = [k = 0]() mutable { return k += 2; };
    for (int i = 0; i < n; i++) //= no|induction
        o[i] = a[i] + next();
}
ALONE void captured_inside(int *o, const int *a, int n) {
    int k = 0;
    for (int i = 0; i < n; i++) //= no|induction
        [&] { o[k] = a[i]; k++; }();
}
ALONE void captured_state(int *o, const int *a, int n) {
    int s = 1;
    auto step = [&s](int v) { s = s * 3 + v; return s & 15; };
    for (int i = 0; i < n; i++) //= no
        o[i] = step(a[i]);
}
ALONE void captured_value(int *o, const int *a, int n, int f) {
    auto scale = [f](int v) { return v * f; };
    for (int i = 0; i < n; i++) //= yes
        o[i] = scale(a[i]);
}
ALONE void erased(int *o, const int *a, int n) {
    int k = 0;
    std::function<void(int)> put = [&](int v) { o[k++] = v; };
    for (int i = 0; i < n; i++) //= no|induction
        put(a[i] + 1);
}
ALONE void swapped(int *o, int n) {
    int s = 1, t = 2;
    for (int i = 0; i < n; i++) { //= no
        std::swap(s, t);
        o[i] = s;
    }
}
ALONE void swapped_by_hand(int *o, int n) {
    int s = 1, t = 2;
    for (int i = 0; i < n; i++) { //= no
        int u = s;
        s = t;
        t = u;
        o[i] = s;
    }
}
ALONE void exchanged(int *o, const int *a, int n) {
    int last = 0;
    for (int i = 0; i < n; i++) //= no
        o[i] = std::exchange(last, a[i]);
}
ALONE void listed(std::list<int> &l) {
    for (int &x : l) //= yes|no|unknown
        x = x * 2 + 1;
}
ALONE int list_sum(const std::list<int> &l) {
    int s = 0;
    for (int x : l) //= reduction|no|unknown
        s += x;
    return s;
}
ALONE void list_prefix(std::list<int> &l) {
    int s = 0;
    for (int &x : l) { //= no
        s += x;
        x = s;
    }
}
ALONE void pairs(std::vector<std::pair<int, int>> &v) {
    for (auto &p : v) { //= yes
        std::swap(p.first, p.second);
    }
}
int main() {
    enum { N = 300 };
    int *a = integers(N), *o = integers(N);
    std::list<int> l(a, a + N);
    std::vector<std::pair<int, int>> v;
    for (int i = 0; i < N; i++) v.emplace_back(i, -i);
#define R(k) k; show(#k, o, N);
    R(counted(o, N)) R(counted_in_body(o, N)) R(counted_base(o, N)) R(counted_member(o, N)) R(counted_temporary(o, N)) R(counted_braces(o, N))
    R(serials(o, N)) R(ends(o, a, N)) R(ends_seen(o, a, N)) R(guards(o, a, N)) R(plains(o, a, N)) R(subscripted(o, N)) R(captured(o, a, N))
    R(captured_mutable(o, a, N)) R(captured_inside(o, a, N)) R(captured_state(o, a, N)) R(captured_value(o, a, N, 3)) R(erased(o, a, N))
    R(swapped(o, N)) R(swapped_by_hand(o, N)) R(exchanged(o, a, N))
    listed(l); printf("%d %d %d\n", list_sum(l), operators(a, N), called(a, N)); list_prefix(l); pairs(v);
    printf("%d %d\n", l.back(), v[7].first);
}
