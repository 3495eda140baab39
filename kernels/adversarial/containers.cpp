// Containers, closures, counted pointers and guards of C++.
#include "common.h"
#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

using std::vector;

ALONE void pushed(vector<int> &out, const vector<int> &in) {
    for (size_t i = 0; i < in.size(); i++) //= no
        out.push_back(in[i] * 2);
}
ALONE void pushed_into_reserved(vector<int> &out, const vector<int> &in) {
    out.reserve(in.size());
    for (int x : in) //= no|induction
        out.push_back(x + 1);
}
ALONE void resized_first(vector<int> &out, const vector<int> &in) {
    out.resize(in.size());
    for (size_t i = 0; i < in.size(); i++) //= yes
        out[i] = in[i] * 3;
}
ALONE void vector_in_the_body(vector<double> &out, const vector<double> &in) {
    for (size_t i = 0; i < in.size(); i++) { //= yes
        vector<double> t(8);
        for (size_t j = 0; j < t.size(); j++) //= yes
            t[j] = in[i] * j;
        out[i] = t[i % 8];
    }
}
ALONE void vector_outside(vector<double> &out, const vector<double> &in) {
    vector<double> t;
    for (size_t i = 0; i < in.size(); i++) { //= private|words
        t.assign(8, in[i]);
        t[3] += 1;
        out[i] = t[i % 8];
    }
}
ALONE void growing_in_the_body(vector<double> &out, const vector<double> &in) {
    for (size_t i = 0; i < in.size(); i++) { //= yes
        vector<double> t;
        for (int j = 0; j < 9; j++) //= no|induction
            t.push_back(in[i] + j);
        out[i] = t.back();
    }
}
ALONE long range_sum(const vector<int> &in) {
    long s = 0;
    for (int x : in) //= reduction
        s += x;
    return s;
}
ALONE void range_update(vector<int> &a) {
    for (int &x : a) //= yes
        x = x * 2 + 1;
}
ALONE void iterators(vector<int> &a) {
    for (auto it = a.begin(); it != a.end(); ++it) //= yes
        *it += 4;
}
ALONE void strings(vector<std::string> &out, const vector<int> &in) {
    for (size_t i = 0; i < in.size(); i++) { //= yes
        std::string s = "value " + std::to_string(in[i]) + " of a longer text";
        out[i] = s;
    }
}
ALONE std::string joined(const vector<int> &in) {
    std::string s;
    for (int x : in) //= no
        s += std::to_string(x);
    return s;
}
ALONE void counted_words(std::unordered_map<int, int> &m, const vector<int> &in) {
    for (int x : in) //= no
        m[x & 15]++;
}
ALONE void ordered_words(std::map<int, int> &m, const vector<int> &in) {
    for (int x : in) //= no
        m[x & 15] += x;
}
ALONE void looked_up(vector<int> &out, const std::unordered_map<int, int> &m, const vector<int> &in) {
    for (size_t i = 0; i < in.size(); i++) { //= yes
        auto it = m.find(in[i] & 31);
        out[i] = it == m.end() ? -1 : it->second;
    }
}
ALONE long summed_map(const std::map<int, int> &m) {
    long s = 0;
    for (auto &e : m) //= no
        s += e.second;
    return s;
}
ALONE void inserted(std::set<int> &s, const vector<int> &in) {
    for (int x : in) //= no
        s.insert(x % 20);
}
ALONE void bits_set(vector<bool> &b, const vector<int> &in) {
    for (size_t i = 0; i < in.size(); i++) //= no
        b[i] = in[i] > 3;
}
ALONE void bits_read(vector<int> &out, const vector<bool> &b) {
    for (size_t i = 0; i < out.size(); i++) //= yes
        out[i] = b[i] ? 7 : 5;
}
ALONE void shared_copies(vector<int> &out, const std::shared_ptr<int> &p) {
    for (size_t i = 0; i < out.size(); i++) { //= yes
        std::shared_ptr<int> q = p;
        out[i] = *q + (int)i;
    }
}
ALONE void shared_kept(vector<std::shared_ptr<int>> &out, const std::shared_ptr<int> &p) {
    for (size_t i = 0; i < out.size(); i++) //= yes|reduction|words
        out[i] = p;
}
ALONE void made_shared(vector<std::shared_ptr<int>> &out) {
    for (size_t i = 0; i < out.size(); i++) //= yes
        out[i] = std::make_shared<int>((int)i);
}
ALONE void unique_objects(vector<int> &out) {
    for (size_t i = 0; i < out.size(); i++) { //= yes
        auto p = std::make_unique<int>((int)i);
        *p *= 2;
        out[i] = *p;
    }
}
ALONE int closure_counter(vector<int> &out, const vector<int> &in) {
    int n = 0;
    auto put = [&](int x) { out[n++] = x; };
    for (size_t i = 0; i < in.size(); i++) //= induction|no
        put(in[i]);
    return n;
}
ALONE double closure_sum(const vector<double> &in) {
    double s = 0;
    auto add = [&](double x) { s += x; };
    for (size_t i = 0; i < in.size(); i++) //= words
        add(in[i]);
    return s;
}
ALONE void closure_by_value(vector<double> &out, const vector<double> &in, double f) {
    auto scaled = [=](double x) { return f * x; };
    for (size_t i = 0; i < in.size(); i++) //= yes
        out[i] = scaled(in[i]);
}
ALONE void function_objects(vector<double> &out, const vector<double> &in, const std::function<double(double)> &f) {
    for (size_t i = 0; i < in.size(); i++) //= yes
        out[i] = f(in[i]);
}
ALONE void closure_with_state(vector<int> &out) {
    auto next = [k = 0]() mutable { return k += 3; };
    for (size_t i = 0; i < out.size(); i++) //= no|induction
        out[i] = next();
}
struct table {
    int v[16];
    table() {
        for (int i = 0; i < 16; i++) v[i] = i * i;
    }
};
ALONE const table &squares() {
    static const table t;
    return t;
}
ALONE void guarded_static(vector<int> &out) {
    for (size_t i = 0; i < out.size(); i++) //= yes
        out[i] = squares().v[i % 16];
}
ALONE int reference_to_temporary(const vector<int> &in) {
    int &&n = 0;
    for (size_t i = 0; i < in.size(); i++) //= no
        n = in[i] - n;
    return n;
}
ALONE long atomic_sum(const vector<int> &in) {
    std::atomic<long> s{0};
    for (size_t i = 0; i < in.size(); i++) //= yes|reduction|no
        s += in[i];
    return s;
}
ALONE void atomic_tickets(vector<int> &out) {
    std::atomic<int> t{0};
    for (size_t i = 0; i < out.size(); i++) //= no
        out[i] = t++;
}
struct shape {
    virtual double area() const = 0;
    virtual ~shape() {}
};
struct square : shape {
    double a;
    explicit square(double x) : a(x) {}
    double area() const override { return a * a; }
};
struct counted_disc : shape {
    double r;
    static int asked;
    explicit counted_disc(double x) : r(x) {}
    double area() const override {
        asked++;
        return 3 * r * r;
    }
};
int counted_disc::asked;
ALONE void areas(vector<double> &out, const vector<std::unique_ptr<shape>> &s) {
    for (size_t i = 0; i < out.size(); i++) //= yes
        out[i] = s[i]->area();
}
ALONE void counted_areas(vector<double> &out, const vector<std::unique_ptr<shape>> &s) {
    for (size_t i = 0; i < out.size(); i++) //= words
        out[i] = s[i]->area();
}
ALONE void sorted_rows(vector<vector<int>> &rows) {
    for (auto &r : rows) //= yes
        std::sort(r.begin(), r.end());
}
ALONE void exceptions_inside(vector<int> &out, const vector<int> &in) {
    for (size_t i = 0; i < in.size(); i++) { //= yes
        try {
            if (in[i] % 10 == 0) throw in[i];
            out[i] = in[i];
        } catch (int v) {
            out[i] = -v;
        }
    }
}
ALONE void swapped_vectors(vector<double> &a, vector<double> &b, int steps) {
    for (int t = 0; t < steps; t++) { //= no
        for (size_t i = 1; i + 1 < a.size(); i++) //= yes
            b[i] = (a[i - 1] + a[i + 1]) / 2;
        std::swap(a, b);
    }
}
struct accumulator {
    double total = 0;
    void add(double x) { total += x; }
};
ALONE double object_sum(const vector<double> &in) {
    accumulator a;
    for (double x : in) //= reduction|words
        a.add(x);
    return a.total;
}
struct generator {
    unsigned state = 1;
    unsigned operator()() { return state = state * 1103515245u + 12345u; }
};
ALONE void generated(vector<unsigned> &out) {
    generator g;
    for (auto &x : out) //= no
        x = g();
}
ALONE void best_of(vector<int> &best, const vector<int> &in) {
    for (size_t i = 0; i < in.size(); i++) //= reduction|words
        best[0] = std::max(best[0], in[i]);
}
ALONE void two_dimensional(vector<vector<double>> &a) {
    for (size_t i = 0; i < a.size(); i++) //= yes
        for (size_t j = 1; j < a[i].size(); j++) //= no
            a[i][j] += a[i][j - 1];
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 60;
    vector<int> in(n), out, k(n);
    vector<double> x(n), y(n);
    for (int i = 0; i < n; i++) in[i] = i * 53 % 97 - 40, x[i] = i * 0.5;
    pushed(out, in);
    vector<int> more;
    pushed_into_reserved(more, in);
    resized_first(k, in);
    vector_in_the_body(y, x);
    vector_outside(y, x);
    growing_in_the_body(y, x);
    printf("%d %d %d %g\n", out[n - 1], more[n - 1], k[n - 1], y[n - 1]);
    range_update(k);
    iterators(k);
    printf("%ld\n", range_sum(k));
    vector<std::string> s(n);
    strings(s, in);
    printf("%s %s\n", s[n - 1].c_str(), joined(in).c_str());
    std::unordered_map<int, int> m;
    std::map<int, int> o;
    std::set<int> set;
    counted_words(m, in);
    ordered_words(o, in);
    looked_up(k, m, in);
    inserted(set, in);
    printf("%d %ld %zu\n", k[5], summed_map(o), set.size());
    vector<bool> b(n);
    bits_set(b, in);
    bits_read(k, b);
    printf("%d\n", k[7]);
    auto p = std::make_shared<int>(argc);
    vector<std::shared_ptr<int>> many(n);
    shared_copies(k, p);
    shared_kept(many, p);
    printf("%ld\n", (long)p.use_count());
    made_shared(many);
    unique_objects(k);
    printf("%d %d\n", *many[3], k[3]);
    printf("%d %g\n", closure_counter(k, in), closure_sum(x));
    closure_by_value(y, x, argc);
    function_objects(y, x, [argc](double v) { return v + argc; });
    closure_with_state(k);
    guarded_static(out);
    printf("%d %d %g\n", k[9], out[9], y[9]);
    printf("%d %ld\n", reference_to_temporary(in), atomic_sum(in));
    atomic_tickets(k);
    vector<std::unique_ptr<shape>> shapes, discs;
    for (int i = 0; i < n; i++) shapes.emplace_back(new square(i)), discs.emplace_back(new counted_disc(i));
    areas(y, shapes);
    counted_areas(y, discs);
    printf("%d %g\n", counted_disc::asked, y[4]);
    vector<vector<int>> rows(n, vector<int>(20));
    vector<vector<double>> grid(n, vector<double>(20, 1.5));
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 20; j++) rows[i][j] = (i + j * 7) % 13;
    sorted_rows(rows);
    exceptions_inside(k, in);
    swapped_vectors(x, y, 20);
    printf("%d %d %g\n", rows[3][4], k[8], x[n / 2]);
    printf("%g\n", object_sum(x));
    vector<unsigned> g(n);
    generated(g);
    best_of(k, in);
    two_dimensional(grid);
    printf("%u %d %g\n", g[n - 1], k[0], grid[2][19]);
    return 0;
}
