// Objects as they are used in present C++: virtual calls, coroutines, closures, views, variants, strings, streams, linked nodes.
//: compile -std=c++20 -pthread
#include "common.h"
#include <functional>
#include <vector>
#include <string>
#include <map>
#include <memory>
#include <span>
#include <ranges>
#include <coroutine>
#include <algorithm>
#include <numeric>
#include <variant>
#include <optional>
#include <thread>
#include <mutex>
#include <atomic>
#include <sstream>

struct Shape { virtual ~Shape() = default; virtual double area() const = 0; mutable int asked = 0; };
struct Square : Shape { double s; explicit Square(double s) : s(s) {} double area() const override { return s * s; } };
struct Counted : Shape { double s; explicit Counted(double s) : s(s) {} double area() const override { asked++; return s; } };
static int total_asked;
struct Global : Shape { double s; explicit Global(double s) : s(s) {} double area() const override { return s + total_asked++; } };

ALONE static void areas(std::vector<std::unique_ptr<Shape>> &v, double *out) {
    for (size_t i = 0; i < v.size(); i++) //= yes
        out[i] = v[i]->area();
}
ALONE static void areas_shared(std::vector<std::shared_ptr<Shape>> &v, double *out, int n) {
    for (int i = 0; i < n; i++) //= no|reduction
        out[i] = v[i]->area();
}
ALONE static void areas_global(std::vector<std::unique_ptr<Shape>> &v, double *out) {
    for (size_t i = 0; i < v.size(); i++) //= no
        out[i] = v[i]->area();
}
struct Numbers {
    struct promise_type {
        int value;
        Numbers get_return_object() { return Numbers{std::coroutine_handle<promise_type>::from_promise(*this)}; }
        std::suspend_always initial_suspend() noexcept { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        std::suspend_always yield_value(int v) { value = v; return {}; }
        void return_void() {}
        void unhandled_exception() {}
    };
    std::coroutine_handle<promise_type> h;
    ~Numbers() { h.destroy(); }
    bool next() { h.resume(); return !h.done(); }
    int value() { return h.promise().value; }
};
Numbers counting(int n) { for (int i = 0; i < n; i++) co_yield i * 3; }
ALONE static void generated(double *a, int n) {
    auto g = counting(n);
    for (int i = 0; g.next(); i++) //= no
        a[i] = g.value();
}
ALONE static void own_generator(double *a, int n) {
    for (int i = 0; i < n; i++) { //= yes
        auto g = counting(5); double s = 0;
        while (g.next()) s += g.value() * i;
        a[i] = s;
    }
}
ALONE static void by_function(double *a, int n, const std::function<double(int)> &f) {
    for (int i = 0; i < n; i++) //= yes
        a[i] = f(i);
}
ALONE static void by_function_counts(double *a, int n, const std::function<double(int)> &f) {
    for (int i = 0; i < n; i++) //= no
        a[i] = f(i);
}
ALONE static void views(std::vector<double> &v) {
    for (double &x : v | std::views::filter([](double d) { return d > 3; })) //= yes|unknown
        x *= 2;
}
ALONE static void spans(std::span<double> s) {
    for (size_t i = 1; i < s.size(); i++) //= no
        s[i] += s[i - 1];
}
ALONE static void visits(std::vector<std::variant<int, double, std::string>> &v, double *out) {
    for (size_t i = 0; i < v.size(); i++) //= yes
        out[i] = std::visit([](auto &x) -> double { if constexpr (std::is_same_v<std::decay_t<decltype(x)>, std::string>) return x.size(); else return x; }, v[i]);
}
ALONE static void optionals(std::optional<double> &last, double *a, int n) {
    for (int i = 0; i < n; i++) { //= no
        if (a[i] > 4) last = a[i];
        a[i] = last.value_or(0);
    }
}
ALONE static void strings(std::vector<std::string> &v, int n) {
    for (int i = 0; i < n; i++) //= yes
        v[i] = "number " + std::to_string(i) + " is written out";
}
ALONE static void one_string(std::string &s, int n) {
    for (int i = 0; i < n; i++) //= no
        s += std::to_string(i);
}
ALONE static void memo(std::map<int, double> &m, double *a, const int *k, int n) {
    for (int i = 0; i < n; i++) { //= no
        auto it = m.find(k[i]);
        if (it == m.end()) it = m.emplace(k[i], k[i] * .5).first;
        a[i] = it->second;
    }
}
ALONE static void lookups(const std::map<int, double> &m, double *a, const int *k, int n) {
    for (int i = 0; i < n; i++) { //= yes
        auto it = m.find(k[i]);
        a[i] = it == m.end() ? 0 : it->second;
    }
}
struct Grid { std::vector<double> cells; int w; double &at(int i, int j) { return cells[i * w + j]; } };
ALONE static void blur(Grid &to, Grid &from, int h) {
    for (int i = 1; i < h - 1; i++) //= yes
        for (int j = 1; j < to.w - 1; j++) //= yes
            to.at(i, j) = (from.at(i - 1, j) + from.at(i + 1, j) + from.at(i, j - 1) + from.at(i, j + 1)) / 4;
}
ALONE static void blur_in_place(Grid &g, int h) {
    for (int i = 1; i < h - 1; i++) //= no
        for (int j = 1; j < g.w - 1; j++) //= no
            g.at(i, j) = (g.at(i - 1, j) + g.at(i + 1, j) + g.at(i, j - 1) + g.at(i, j + 1)) / 4;
}
ALONE static double static_inside(double *a, int n) {
    for (int i = 0; i < n; i++) { //= no
        static double before = 1;
        a[i] += before;
        before = a[i] * .5;
    }
    return a[n - 1];
}
ALONE static void once_inside(double *a, int n) {
    for (int i = 0; i < n; i++) { //= yes
        static const std::vector<double> table = [] { std::vector<double> t(16); std::iota(t.begin(), t.end(), 1.0); return t; }();
        a[i] = table[i & 15];
    }
}
ALONE static void locked(double *a, int n, std::mutex &m, int &shared) {
    for (int i = 0; i < n; i++) { //= reduction|no
        a[i] = i;
        std::lock_guard<std::mutex> g(m);
        shared += i;
    }
}
ALONE static void atomics(int *a, int n, std::atomic<int> &next) {
    for (int i = 0; i < n; i++) //= no
        a[next.fetch_add(1)] = i;
}
ALONE static void atomic_sum(const int *a, int n, std::atomic<int> &sum) {
    for (int i = 0; i < n; i++) //= yes|reduction
        sum += a[i];
}
ALONE static void streams(std::ostringstream &out, int n) {
    for (int i = 0; i < n; i++) //= no
        out << i << ' ';
}
ALONE static void own_streams(std::vector<std::string> &v, int n) {
    for (int i = 0; i < n; i++) { //= yes
        std::ostringstream out;
        out << i << ' ' << i * .5;
        v[i] = out.str();
    }
}
template <class T> struct Node { T value; Node *next; };
ALONE static double listed(Node<double> *p) {
    double s = 0;
    for (; p; p = p->next) //= reduction|no
        s += p->value;
    return s;
}
ALONE static void relinked(Node<double> *nodes, int n) {
    for (int i = 0; i + 1 < n; i++) //= yes
        nodes[i].next = &nodes[i + 1];
}
ALONE static void prepended(Node<double> *nodes, int n, Node<double> *&head) {
    for (int i = 0; i < n; i++) { //= no
        nodes[i].next = head;
        head = &nodes[i];
    }
}
int main() {
    std::vector<std::unique_ptr<Shape>> shapes, g; std::vector<std::shared_ptr<Shape>> shared; double *a = reals(300), *b = reals(300); int *k = integers(300);
    for (int i = 0; i < 100; i++) { shapes.push_back(i % 2 ? std::unique_ptr<Shape>(new Square(i)) : std::unique_ptr<Shape>(new Counted(i))); g.emplace_back(new Global(i)); }
    auto s0 = std::make_shared<Counted>(2); for (int i = 0; i < 100; i++) shared.push_back(s0);
    areas(shapes, a); areas_shared(shared, b, 100); areas_global(g, b); generated(a, 200); own_generator(b, 100);
    by_function(a, 100, [b](int i) { return b[i] * 2; }); int calls = 0; by_function_counts(a, 100, [&](int i) { return b[i] + calls++; });
    std::vector<double> v(a, a + 300); views(v); spans(v); std::vector<std::variant<int, double, std::string>> vs; for (int i = 0; i < 99; i++) { if (i % 3 == 0) vs.push_back(i); else if (i % 3 == 1) vs.push_back(i * .5); else vs.push_back(std::string("abc")); }
    visits(vs, b); std::optional<double> last; optionals(last, a, 200); std::vector<std::string> names(300); strings(names, 200); std::string one; one_string(one, 200);
    std::map<int, double> m; memo(m, a, k, 300); lookups(m, b, k, 300); Grid from{std::vector<double>(a, a + 300), 20}, to = from; blur(to, from, 15); blur_in_place(from, 15);
    printf("%g\n", static_inside(a, 200)); once_inside(b, 200); std::mutex mu; int sh = 0; locked(a, 200, mu, sh); std::atomic<int> next{0}, sum{0}; atomics(k, 200, next); atomic_sum(k, 300, sum);
    std::ostringstream out; streams(out, 100); own_streams(names, 100); std::vector<Node<double>> nodes(200); for (int i = 0; i < 200; i++) nodes[i].value = i; relinked(nodes.data(), 200); nodes[199].next = nullptr; printf("%g\n", listed(nodes.data())); Node<double> *head = nullptr; prepended(nodes.data(), 200, head);
    show_reals("a", a, 300); show_reals("b", b, 300); show("k", k, 300); show_reals("v", v.data(), 300); show_reals("to", to.cells.data(), 300); printf("%zu %s %d %d %d %zu %g\n", one.size(), names[7].c_str(), calls, sh, sum.load(), out.str().size(), head->value);
}
