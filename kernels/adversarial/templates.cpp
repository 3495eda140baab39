#include "common.h"
#include <vector>
#include <array>
#include <algorithm>
#include <functional>
#include <string>
#include <memory>
#include <cmath>
using std::vector;
template <int D> __attribute__((noinline)) void shift(double *a, int n) {
    for (int i = 8; i < n; i++) //= no
        a[i] = a[i - D] * 0.5 + a[i];
}
template <class F> __attribute__((noinline)) void each(double *a, int n, F f) {
    for (int i = 0; i < n; i++) //= no|yes
        a[i] = f(a[i]);
}
struct Sum {
    double s = 0;
    Sum &operator+=(double x) {
        s += x;
        return *this;
    }
    Sum &operator<<(double x) {
        s = s * 0.5 + x;
        return *this;
    }
};
struct V2 {
    double x, y;
    V2 &operator+=(const V2 &o) {
        x += o.x;
        y += o.y;
        return *this;
    }
};
struct Filter {
    double st = 0;
    double operator()(double x) {
        st = st * 0.5 + x;
        return st;
    }
    double peek(double x) const {
        return st + x;
    }
};
struct Sim {
    vector<double> a, b;
    double total = 0;
    int steps = 0;
    static int count;
    void step();
    void relax();
    double energy();
    void scan();
    void tally();
};
int Sim::count;
__attribute__((noinline)) void Sim::step() {
    for (size_t i = 1; i + 1 < a.size(); i++) //= yes
        b[i] = 0.5 * (a[i - 1] + a[i + 1]);
}
__attribute__((noinline)) void Sim::relax() {
    for (size_t i = 1; i + 1 < a.size(); i++) //= no
        a[i] = 0.5 * (a[i - 1] + a[i + 1]);
}
__attribute__((noinline)) double Sim::energy() {
    for (size_t i = 0; i < a.size(); i++) //= reduction
        total += a[i] * a[i];
    return total;
}
__attribute__((noinline)) void Sim::scan() {
    for (size_t i = 0; i < a.size(); i++) { //= no
        total += a[i];
        b[i] = total;
    }
}
__attribute__((noinline)) void Sim::tally() {
    for (size_t i = 0; i < a.size(); i++) //= reduction
        if (a[i] > 3)
            count++, steps++;
}
ALONE void ref_alias(vector<double> &a, const vector<double> &b) {
    for (size_t i = 1; i < a.size(); i++) //= no
        a[i] = b[i - 1] * 0.5 + i;
}
ALONE void ref_alias_add(vector<double> &a, const vector<double> &b) {
    for (size_t i = 1; i < a.size(); i++) //= no
        a[i] += b[i - 1];
}
ALONE void iters(vector<double> &a) {
    for (auto p = a.begin(), q = p + 1; q != a.end(); ++p, ++q) //= no
        *q = *p * 0.5 + *q;
}
ALONE void data_ptr(vector<double> &a) {
    double *p = a.data();
    for (size_t i = 1; i < a.size(); i++) //= no
        a[i] = p[i - 1] * 0.5 + 1;
}
ALONE void back_ref(vector<double> &a) {
    for (size_t i = 1; i < a.size(); i++) { //= no
        const double &p = a[i - 1];
        a[i] += p;
    }
}
ALONE double op_sum(const vector<double> &a) {
    Sum s;
    for (size_t i = 0; i < a.size(); i++) //= words|reduction
        s += a[i];
    return s.s;
}
ALONE double op_decay(const vector<double> &a) {
    Sum s;
    for (size_t i = 0; i < a.size(); i++) //= no
        s << a[i];
    return s.s;
}
ALONE double filter(vector<double> &a) {
    Filter f;
    for (size_t i = 0; i < a.size(); i++) //= no
        a[i] = f(a[i]);
    return f.st;
}
ALONE void peek(vector<double> &a) {
    Filter f;
    f.st = 3;
    for (size_t i = 0; i < a.size(); i++) //= yes
        a[i] = f.peek(a[i]);
}
ALONE void v2(vector<V2> &a) {
    for (size_t i = 1; i < a.size(); i++) //= no
        a[i] += a[i - 1];
}
ALONE V2 v2sum(const vector<V2> &a) {
    V2 s{0, 0};
    for (size_t i = 0; i < a.size(); i++) //= words|reduction
        s += a[i];
    return s;
}
ALONE void arr_rows(std::array<std::array<double, 16>, 16> &m) {
    for (int i = 1; i < 16; i++)     //= no
        for (int j = 0; j < 16; j++) //= yes
            m[i][j] += m[i - 1][j];
}
ALONE void arr_cols(std::array<std::array<double, 16>, 16> &m) {
    for (int i = 0; i < 16; i++)     //= yes
        for (int j = 1; j < 16; j++) //= no
            m[i][j] += m[i][j - 1];
}
ALONE void row_refs(vector<vector<double>> &m) {
    for (size_t i = 1; i < m.size(); i++) { //= no
        auto &up = m[i - 1], &me = m[i];
        for (size_t j = 0; j < me.size(); j++) //= yes
            me[j] = up[j] * 0.5 + 1;
    }
}
ALONE void row_self(vector<vector<double>> &m) {
    for (size_t i = 0; i < m.size(); i++) { //= yes
        auto &a = m[i], &b = m[i];
        for (size_t j = 1; j < a.size(); j++) //= no
            a[j] = b[j - 1] * 0.5 + 1;
    }
}
ALONE void at_sum(vector<double> &a) {
    for (size_t i = 1; i < a.size(); i++) //= no
        a.at(i) += a.at(i - 1);
}
ALONE void front_acc(vector<double> &a) {
    for (size_t i = 1; i < a.size(); i++) //= reduction
        a.front() += a[i];
}
ALONE void back_push(vector<double> &a, int n) {
    for (int i = 0; i < n; i++) //= no
        a.push_back(a.back() + i);
}
ALONE void transform_all(vector<double> &a) {
    for (auto it = a.begin(); it < a.end(); ++it) //= yes
        *it = *it * 2;
}
ALONE void uptr(vector<std::unique_ptr<double>> &a) {
    for (size_t i = 1; i < a.size(); i++) //= no
        *a[i] += *a[i - 1];
}
ALONE void sptr(vector<std::shared_ptr<double>> &a) {
    for (size_t i = 0; i < a.size(); i++) //= no
        *a[i] = *a[i] * 0.5 + i;
}
ALONE int rec(const vector<double> &a, size_t i) {
    return i >= a.size() ? 0 : 1 + rec(a, i + 7);
}
ALONE void recs(vector<int> &o, const vector<double> &a) {
    for (size_t i = 0; i < o.size(); i++) //= yes
        o[i] = rec(a, i);
}
ALONE void generic(vector<int> &o) {
    auto f = [](auto x) { return x * 2 + 1; };
    for (size_t i = 0; i < o.size(); i++) //= yes
        o[i] = f(o[i]);
}
ALONE void string_index(std::string &s) {
    for (size_t i = 1; i < s.size(); i++) //= no
        s[i] = 'a' + (s[i] + s[i - 1]) % 26;
}
ALONE void string_upper(std::string &s) {
    for (size_t i = 0; i < s.size(); i++) //= yes
        if (s[i] >= 'a' && s[i] <= 'z')
            s[i] -= 32;
}
ALONE void raw_bool(bool *b, const vector<double> &a) {
    for (size_t i = 0; i < a.size(); i++) //= yes
        b[i] = a[i] > 3;
}
ALONE void copy_assign(vector<vector<double>> &o, const vector<vector<double>> &a) {
    for (size_t i = 0; i < a.size(); i++) //= yes
        o[i] = a[i];
}
ALONE void mat_vec(vector<double> &y, const vector<vector<double>> &m, const vector<double> &x) {
    for (size_t i = 0; i < m.size(); i++) { //= yes
        y[i] = 0;
        for (size_t j = 0; j < m[i].size(); j++) //= reduction
            y[i] += m[i][j] * x[j];
    }
}
int main() {
    vector<double> a(64), b(64);
    for (int i = 0; i < 64; i++)
        a[i] = i * 37 % 101, b[i] = i % 13;
    shift<1>(a.data(), 64);
    shift<3>(a.data(), 64);
    printf("%.9g\n", a[63]);
    double st = 1;
    each(a.data(), 64, [](double x) { return x * 2; });
    each(a.data(), 64, [&](double x) { return st = st * 0.5 + x; });
    printf("%.9g\n", a[63]);
    Sim s;
    s.a = a;
    s.b = b;
    s.step();
    s.relax();
    printf("%.6g\n", s.energy());
    s.scan();
    s.tally();
    printf("%.9g %d %d\n", s.b[50], s.steps, Sim::count);
    ref_alias(a, a);
    ref_alias_add(a, a);
    printf("%.9g\n", a[63]);
    iters(a);
    data_ptr(a);
    back_ref(a);
    printf("%.9g %.6g %.6g\n", a[63], op_sum(b), op_decay(b));
    filter(b);
    peek(b);
    printf("%.9g\n", b[50]);
    vector<V2> v(40, {1, 2});
    v2(v);
    V2 t = v2sum(v);
    printf("%g %g\n", t.x, t.y);
    std::array<std::array<double, 16>, 16> m;
    for (auto &r : m)
        r.fill(1.25);
    arr_rows(m);
    arr_cols(m);
    printf("%.9g\n", m[9][9]);
    vector<vector<double>> vv(16, vector<double>(16, 1.5));
    row_refs(vv);
    printf("%.9g\n", vv[9][9]);
    row_self(vv);
    printf("%.9g\n", vv[9][9]);
    for (auto &x : b)
        x = 1.5;
    at_sum(b);
    front_acc(b);
    printf("%.9g %.6g\n", b[40], b[0]);
    back_push(b, 40);
    transform_all(b);
    printf("%.9g\n", b[100]);
    vector<std::unique_ptr<double>> u;
    vector<std::shared_ptr<double>> w;
    for (int i = 0; i < 40; i++)
        u.push_back(std::make_unique<double>(i)), w.push_back(i % 4 ? w.back() : std::make_shared<double>(i));
    uptr(u);
    sptr(w);
    printf("%.9g %.9g\n", *u[30], *w[30]);
    vector<int> o(40);
    recs(o, a);
    generic(o);
    printf("%d\n", o[9]);
    std::string z = "the quick brown fox jumps over the lazy dog";
    string_index(z);
    string_upper(z);
    puts(z.c_str());
    bool bb[64];
    raw_bool(bb, vector<double>(64, 4));
    auto vo = vv;
    copy_assign(vo, vv);
    vector<double> y(16);
    mat_vec(y, vv, a);
    printf("%d %.6g\n", bb[9], y[3]);
}
