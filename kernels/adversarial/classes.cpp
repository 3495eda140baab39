#include "common.h"
#include <vector>
#include <string>
#include <map>
#include <unordered_map>
#include <set>
#include <list>
#include <deque>
#include <array>
#include <algorithm>
#include <numeric>
#include <functional>
#include <memory>
#include <optional>
#include <tuple>
#include <complex>
#include <cmath>
#include <sstream>
using std::vector;
struct Matrix {
    int r, c;
    vector<double> d;
    Matrix(int r, int c) : r(r), c(c), d(r * c) {
    }
    double &operator()(int i, int j) {
        return d[i * c + j];
    }
    double operator()(int i, int j) const {
        return d[i * c + j];
    }
};
struct Vec3 {
    double x, y, z;
    Vec3 operator+(const Vec3 &o) const {
        return {x + o.x, y + o.y, z + o.z};
    }
    Vec3 &operator+=(const Vec3 &o) {
        x += o.x;
        y += o.y;
        z += o.z;
        return *this;
    }
    double dot(const Vec3 &o) const {
        return x * o.x + y * o.y + z * o.z;
    }
};
struct Counter {
    int n = 0;
    void hit() {
        n++;
    }
    int next() {
        return n++;
    }
};
struct Shape {
    virtual double area() const = 0;
    virtual ~Shape() {
    }
};
struct Sq : Shape {
    double s;
    Sq(double s) : s(s) {
    }
    double area() const override {
        return s * s;
    }
};
struct Ci : Shape {
    double r;
    Ci(double r) : r(r) {
    }
    double area() const override {
        return 3 * r * r;
    }
};
template <class T> struct Acc {
    T v{};
    void add(T x) {
        v += x;
    }
};
ALONE void fill(vector<double> &v) {
    for (size_t i = 0; i < v.size(); i++) //= yes
        v[i] = i * 0.5;
}
ALONE void recur(vector<double> &v) {
    for (size_t i = 1; i < v.size(); i++) //= no
        v[i] = v[i - 1] * 0.5 + i;
}
ALONE void recur_at(vector<double> &v) {
    for (size_t i = 1; i < v.size(); i++) //= no
        v.at(i) = v.at(i - 1) * 0.5 + i;
}
ALONE void recur_iter(vector<double> &v) {
    for (auto it = v.begin() + 1; it != v.end(); ++it) //= no
        *it = *(it - 1) * 0.5 + 1;
}
ALONE void recur_ref(vector<double> &v) {
    for (size_t i = 1; i < v.size(); i++) { //= no
        double &x = v[i], &y = v[i - 1];
        x = y * 0.5 + 1;
    }
}
ALONE void recur_array(std::array<double, 64> &v) {
    for (size_t i = 1; i < v.size(); i++) //= no
        v[i] = v[i - 1] * 0.5 + i;
}
ALONE void recur_matrix(Matrix &m) {
    for (int i = 0; i < m.r; i++)     //= yes
        for (int j = 1; j < m.c; j++) //= no
            m(i, j) = m(i, j - 1) * 0.5 + j;
}
ALONE void recur_vv(vector<vector<double>> &m) {
    for (size_t i = 0; i < m.size(); i++)        //= yes
        for (size_t j = 1; j < m[i].size(); j++) //= no
            m[i][j] = m[i][j - 1] * 0.5 + j;
}
ALONE void stencil_m(Matrix &b, const Matrix &a) {
    for (int i = 1; i < a.r - 1; i++)     //= yes
        for (int j = 1; j < a.c - 1; j++) //= yes
            b(i, j) = a(i - 1, j) + a(i + 1, j) + a(i, j - 1) + a(i, j + 1);
}
ALONE void matmul(Matrix &c, const Matrix &a, const Matrix &b) {
    for (int i = 0; i < c.r; i++)       //= yes
        for (int j = 0; j < c.c; j++) { //= yes
            double s = 0;
            for (int k = 0; k < a.c; k++) //= reduction
                s += a(i, k) * b(k, j);
            c(i, j) = s;
        }
}
ALONE double range_sum(const vector<double> &v) {
    double s = 0;
    for (double x : v) //= reduction
        s += x;
    return s;
}
ALONE void range_scale(vector<double> &v) {
    for (auto &x : v) //= yes
        x *= 2;
}
ALONE void range_prev(vector<double> &v) {
    double p = 0;
    for (auto &x : v) { //= no
        double t = x;
        x += p;
        p = t;
    }
}
ALONE void range_last(vector<double> &v) {
    double p = 1;
    for (auto &x : v) //= no
        p = x = x * 0.1 + p;
}
ALONE int push(vector<int> &o, const vector<int> &a) {
    for (int x : a) //= no
        if (x > 0)
            o.push_back(x);
    return o.size();
}
ALONE void vecs(vector<Vec3> &p, const vector<Vec3> &v) {
    for (size_t i = 0; i < p.size(); i++) //= yes
        p[i] = p[i] + v[i];
}
ALONE Vec3 vecsum(const vector<Vec3> &p) {
    Vec3 s{0, 0, 0};
    for (auto &x : p) //= reduction|words
        s += x;
    return s;
}
ALONE double dots(const vector<Vec3> &p) {
    double s = 0;
    for (size_t i = 0; i < p.size(); i++) //= reduction
        s += p[i].dot(p[i]);
    return s;
}
ALONE int hits(const vector<int> &a) {
    Counter c;
    for (int x : a) //= reduction|words
        if (x > 0)
            c.hit();
    return c.n;
}
ALONE void ids(vector<int> &a) {
    Counter c;
    for (auto &x : a) //= no|induction
        x = c.next();
}
ALONE double areas(const vector<std::unique_ptr<Shape>> &s) {
    double t = 0;
    for (auto &p : s) //= reduction
        t += p->area();
    return t;
}
ALONE int histogram(std::map<int, int> &h, const vector<int> &a) {
    for (int x : a) //= no
        h[x & 7]++;
    return h.size();
}
ALONE int uhist(std::unordered_map<int, int> &h, const vector<int> &a) {
    for (int x : a) //= no
        h[x & 15]++;
    return h.size();
}
ALONE int lookups(const std::map<int, int> &h, const vector<int> &a) {
    int s = 0;
    for (int x : a) { //= reduction
        auto it = h.find(x & 7);
        if (it != h.end())
            s += it->second;
    }
    return s;
}
ALONE int mapsum(const std::map<int, int> &h) {
    int s = 0;
    for (auto &[k, v] : h) //= reduction|no
        s += k * v;
    return s;
}
ALONE std::string concat(const vector<std::string> &w) {
    std::string s;
    for (auto &x : w) //= no
        s += x;
    return s;
}
ALONE void make_strings(vector<std::string> &w) {
    for (size_t i = 0; i < w.size(); i++) //= yes
        w[i] = std::to_string(i * 17) + "abc";
}
ALONE void lengths(vector<int> &o, const vector<std::string> &w) {
    for (size_t i = 0; i < w.size(); i++) //= yes
        o[i] = w[i].size() + std::count(w[i].begin(), w[i].end(), '1');
}
ALONE double lambda_cap(const vector<double> &v) {
    double s = 0;
    auto add = [&](double x) { s += x; };
    for (size_t i = 0; i < v.size(); i++) //= reduction|words
        add(v[i]);
    return s;
}
ALONE void lambda_state(vector<double> &v) {
    double st = 1;
    auto nx = [&st](double x) { return st = st * 0.5 + x; };
    for (size_t i = 0; i < v.size(); i++) //= no
        v[i] = nx(v[i]);
}
ALONE void lambda_mut(vector<double> &v) {
    auto nx = [st = 1.0](double x) mutable { return st = st * 0.5 + x; };
    for (size_t i = 0; i < v.size(); i++) //= no
        v[i] = nx(v[i]);
}
ALONE void std_fun(vector<double> &v, const std::function<double(double)> &f) {
    for (size_t i = 0; i < v.size(); i++) //= yes
        v[i] = f(v[i]);
}
ALONE void sort_rows(vector<vector<int>> &m) {
    for (auto &r : m) //= yes
        std::sort(r.begin(), r.end());
}
ALONE void local_vec(vector<double> &o) {
    for (size_t i = 0; i < o.size(); i++) { //= yes
        vector<double> t(20);
        for (int j = 0; j < 20; j++) //= yes
            t[j] = i * j;
        o[i] = std::accumulate(t.begin(), t.end(), 0.0);
    }
}
ALONE void bools(vector<bool> &b, const vector<int> &a) {
    for (size_t i = 0; i < a.size(); i++) //= no|words|reduction
        b[i] = a[i] > 0;
}
ALONE double maxv(const vector<double> &v) {
    double m = v[0];
    for (size_t i = 1; i < v.size(); i++) //= reduction
        m = std::max(m, v[i]);
    return m;
}
ALONE double minmaxv(const vector<double> &v) {
    double m = v[0], M = v[0];
    for (double x : v) { //= reduction
        m = std::min(m, x);
        M = std::max(M, x);
    }
    return M - m;
}
ALONE std::complex<double> csum(const vector<std::complex<double>> &v) {
    std::complex<double> s = 0;
    for (auto &z : v) //= reduction|words
        s += z;
    return s;
}
ALONE double accs(const vector<double> &v) {
    Acc<double> a;
    for (double x : v) //= reduction|words
        a.add(x);
    return a.v;
}
ALONE void swap_all(vector<double> &a, vector<double> &b) {
    for (size_t i = 0; i < a.size(); i++) //= yes
        std::swap(a[i], b[i]);
}
ALONE void reverse_in(vector<double> &a) {
    for (size_t i = 0; i < a.size() / 2; i++) //= yes
        std::swap(a[i], a[a.size() - 1 - i]);
}
ALONE void rotate_in(vector<double> &a) {
    for (size_t i = 0; i + 1 < a.size(); i++) //= no
        std::swap(a[i], a[i + 1]);
}
ALONE int listsum(const std::list<int> &l) {
    int s = 0;
    for (int x : l) //= no|reduction
        s += x;
    return s;
}
ALONE void dq(std::deque<int> &d) {
    for (size_t i = 0; i < d.size(); i++) //= yes
        d[i] += i;
}
ALONE std::string stream(const vector<int> &a) {
    std::ostringstream o;
    for (int x : a) //= no
        o << x << ',';
    return o.str();
}
ALONE void trycatch(vector<int> &o, const vector<int> &a) {
    for (size_t i = 0; i < o.size(); i++) { //= yes
        try {
            o[i] = a.at(i * 2 % 70);
        } catch (const std::out_of_range &) {
            o[i] = -1;
        }
    }
}
ALONE std::optional<int> findit(const vector<int> &a, int k) {
    for (size_t i = 0; i < a.size(); i++) //= exit
        if (a[i] == k)
            return (int)i;
    return {};
}
ALONE void tuples(vector<std::pair<int, double>> &p) {
    for (auto &[k, v] : p) { //= yes
        k += 3;
        v *= k;
    }
}
ALONE void dfs_fib(vector<long> &m) {
    for (size_t i = 2; i < m.size(); i++) //= no
        m[i] = m[i - 1] + m[i - 2];
}
int main() {
    vector<double> v(64), w(64);
    fill(v);
    recur(v);
    recur_at(v);
    recur_iter(v);
    recur_ref(v);
    printf("%.9g\n", v[63]);
    std::array<double, 64> ar;
    ar.fill(2);
    recur_array(ar);
    printf("%.9g\n", ar[63]);
    Matrix a(20, 20), b(20, 20), c(20, 20);
    for (int i = 0; i < 400; i++)
        a.d[i] = i * 37 % 101, b.d[i] = i % 17;
    recur_matrix(a);
    stencil_m(b, a);
    matmul(c, a, b);
    printf("%.9g\n", c(7, 9));
    vector<vector<double>> vv(20, vector<double>(20, 1.5));
    recur_vv(vv);
    printf("%.9g %.6g\n", vv[9][19], range_sum(v));
    range_scale(v);
    range_prev(v);
    range_last(v);
    printf("%.9g\n", v[50]);
    vector<int> ia(60), io, ib(60);
    for (int i = 0; i < 60; i++)
        ia[i] = i * 53 % 97 - 40;
    printf("%d\n", push(io, ia));
    vector<Vec3> p(40), q(40);
    for (int i = 0; i < 40; i++)
        p[i] = {i * 1.0, 2, 3}, q[i] = {1, i * 0.5, 2};
    vecs(p, q);
    Vec3 s = vecsum(p);
    printf("%g %g %g %g\n", s.x, s.y, s.z, dots(p));
    printf("%d\n", hits(ia));
    ids(ib);
    printf("%d\n", ib[40]);
    vector<std::unique_ptr<Shape>> sh;
    for (int i = 0; i < 40; i++)
        if (i & 1)
            sh.emplace_back(new Sq(i));
        else
            sh.emplace_back(new Ci(i));
    printf("%g\n", areas(sh));
    std::map<int, int> h;
    std::unordered_map<int, int> uh;
    printf("%d\n", histogram(h, ia));
    printf("%d\n", uhist(uh, ia));
    printf("%d %d\n", lookups(h, ia), mapsum(h));
    vector<std::string> ws(40);
    make_strings(ws);
    lengths(ib, ws);
    printf("%zu %d\n", concat(ws).size(), ib[9]);
    printf("%g\n", lambda_cap(v));
    lambda_state(v);
    lambda_mut(v);
    std_fun(v, [](double x) { return x * 0.5 + 1; });
    printf("%.9g\n", v[50]);
    vector<vector<int>> m(20, vector<int>(20));
    for (int i = 0; i < 400; i++)
        m[i / 20][i % 20] = i * 37 % 41;
    sort_rows(m);
    printf("%d\n", m[7][4]);
    local_vec(w);
    vector<bool> vb(60);
    bools(vb, ia);
    printf("%d\n", (int)std::count(vb.begin(), vb.end(), true));
    printf("%g %g %g\n", w[9], maxv(w), minmaxv(w));
    vector<std::complex<double>> z(40, {1.5, 2});
    printf("%g %g\n", csum(z).imag(), accs(v));
    swap_all(v, w);
    reverse_in(v);
    rotate_in(w);
    printf("%.9g %.9g\n", v[20], w[20]);
    std::list<int> l(ia.begin(), ia.end());
    std::deque<int> d(ia.begin(), ia.end());
    printf("%d\n", listsum(l));
    dq(d);
    printf("%d %s\n", d[33], stream(ia).c_str());
    trycatch(ib, ia);
    printf("%d %d\n", ib[31], findit(ia, 51).value_or(-7));
    vector<std::pair<int, double>> pr(40, {2, 3.0});
    tuples(pr);
    vector<long> f(40, 1);
    dfs_fib(f);
    printf("%g %ld\n", pr[9].second, f[39]);
}
