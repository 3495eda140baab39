// Everyday loops of C++: objects with state, iterators, algorithms with callables, operators, templates, smart pointers, strings.
#include "common.h"
#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <unordered_map>
#include <vector>
struct Rng {
    unsigned s = 1;
    unsigned operator()() { s = s * 1664525u + 1013904223u; return s >> 16; }
    unsigned peek() const { return s; }
};
struct Cursor {
    int *at;
    void put(int v) { *at++ = v; }
    Cursor &operator<<(int v) { *at++ = v; return *this; }
};
struct Mean {
    double sum = 0;
    int count = 0;
    void add(double v) { sum += v; ++count; }
    double value() const { return count ? sum / count : 0; }
};
template <class T> struct Grid {
    int w, h;
    std::vector<T> cells;
    Grid(int w, int h) : w(w), h(h), cells(w * h) {}
    T &operator()(int x, int y) { return cells[y * w + x]; }
    const T &get(int x, int y) const { return cells[y * w + x]; }
    void set(int x, int y, T v) { cells[y * w + x] = v; }
};
struct Shape {
    virtual ~Shape() = default;
    virtual double area() = 0;
};
static int areas_asked;
struct Square : Shape {
    double a;
    explicit Square(double a) : a(a) {}
    double area() override { return a * a; }
};
struct Asked : Shape {
    double a;
    explicit Asked(double a) : a(a) {}
    double area() override { return a * ++areas_asked; }
};
struct Window {
    double last[4] = {0, 0, 0, 0};
    int at = 0;
    double push(double v) {
        last[at++ & 3] = v;
        return last[0] + last[1] + last[2] + last[3];
    }
};
class Particle {
public:
    double x = 0, v = 1;
    void step(double dt) { x += v * dt; v *= 0.99; }
};
ALONE void random_fill(int *o, int n) {
    Rng r;
    for (int i = 0; i < n; i++) //= no
        o[i] = r() & 255;
}
ALONE void random_each(int *o, int n) {
    for (int i = 0; i < n; i++) { //= yes
        Rng r{unsigned(i)};
        o[i] = r() & 255;
    }
}
ALONE void cursor_put(int *o, const int *a, int n) {
    Cursor c{o};
    for (int i = 0; i < n; i++) //= no|induction
        c.put(a[i]);
}
ALONE void cursor_stream(int *o, const int *a, int n) {
    Cursor c{o};
    for (int i = 0; i < n; i++) //= no|induction
        c << a[i];
}
ALONE double mean(const double *a, int n) {
    Mean m;
    for (int i = 0; i < n; i++) //= reduction|words|no
        m.add(a[i]);
    return m.value();
}
ALONE void running_mean(double *o, const double *a, int n) {
    Mean m;
    for (int i = 0; i < n; i++) { //= no
        m.add(a[i]);
        o[i] = m.value();
    }
}
ALONE void windowed(double *o, const double *a, int n) {
    Window w;
    for (int i = 0; i < n; i++) //= no
        o[i] = w.push(a[i]);
}
ALONE void grid_scale(Grid<double> &g) {
    for (int y = 0; y < g.h; y++) //= yes
        for (int x = 0; x < g.w; x++) //= yes
            g(x, y) = g(x, y) * 2 + 1;
}
ALONE void grid_down(Grid<double> &g) {
    for (int y = 1; y < g.h; y++) //= no
        for (int x = 0; x < g.w; x++) //= yes
            g(x, y) = g(x, y - 1) + 1;
}
ALONE void grid_set(Grid<double> &g) {
    for (int x = 1; x < g.w; x++) //= no
        g.set(x, 0, g.get(x - 1, 0) * 0.5 + 1);
}
ALONE double areas(std::vector<std::unique_ptr<Shape>> &v) {
    double s = 0;
    for (auto &p : v) //= reduction
        s += p->area();
    return s;
}
ALONE void areas_numbered(std::vector<std::unique_ptr<Shape>> &v, double *o) {
    for (size_t i = 0; i < v.size(); i++) //= no
        o[i] = v[i]->area();
}
ALONE void particles(std::vector<Particle> &v) {
    for (auto &p : v) //= yes
        p.step(0.1);
}
ALONE void particle_steps(Particle &p, double *o, int n) {
    for (int i = 0; i < n; i++) { //= no
        p.step(0.1);
        o[i] = p.x;
    }
}
ALONE void pushed(std::vector<int> &v, const int *a, int n) {
    v.reserve(n);
    for (int i = 0; i < n; i++) //= no|induction
        v.push_back(a[i]);
}
ALONE void filtered(std::vector<int> &v, const int *a, int n) {
    for (int i = 0; i < n; i++) //= no
        if (a[i] > 0) v.push_back(a[i]);
}
ALONE void appended(std::string &s, const int *a, int n) {
    for (int i = 0; i < n; i++) //= no
        s += char('a' + (a[i] & 15));
}
ALONE int counted(std::map<int, int> &m, const int *a, int n) {
    for (int i = 0; i < n; i++) //= no|words|reduction
        m[a[i] & 31]++;
    return m.size();
}
ALONE void looked_up(const std::map<int, int> &m, int *o, int n) {
    for (int i = 0; i < n; i++) { //= yes
        auto it = m.find(i & 31);
        o[i] = it == m.end() ? 0 : it->second;
    }
}
ALONE void transformed(std::vector<int> &v) {
    int k = 0;
    std::for_each(v.begin(), v.end(), [&k](int &x) { x += k++; });
    for (auto &x : v) //= no|induction
        x = k++;
}
ALONE void references(int *o, const int *a, int n) {
    int last = 0;
    int &r = last;
    for (int i = 0; i < n; i++) { //= no
        o[i] = r;
        last = a[i];
    }
}
ALONE void pointed(int *o, const int *a, int n) {
    int last = 0, *p = &last;
    for (int i = 0; i < n; i++) { //= no
        o[i] = *p;
        last = a[i];
    }
}
ALONE void shared_counter(std::shared_ptr<int> c, int *o, int n) {
    for (int i = 0; i < n; i++) //= no|induction
        o[i] = (*c)++;
}
ALONE void shared_copies(std::shared_ptr<int> c, int *o, int n) {
    for (int i = 0; i < n; i++) { //= yes
        auto d = c;
        o[i] = *d + i;
    }
}
ALONE void arrays(std::vector<std::array<int, 3>> &v) {
    for (size_t i = 1; i < v.size(); i++) //= no
        v[i][0] = v[i - 1][0] + 1;
}
ALONE void arrays_own(std::vector<std::array<int, 3>> &v) {
    for (size_t i = 1; i < v.size(); i++) //= yes
        v[i][0] = v[i][2] + 1;
}
ALONE void scratch_vector(double *o, const double *a, int n) {
    std::vector<double> t(8);
    for (int i = 0; i < n; i++) { //= private|words
        for (int j = 0; j < 8; j++) t[j] = a[i] * j;
        o[i] = std::accumulate(t.begin(), t.end(), 0.0);
    }
}
ALONE void scratch_vector_inside(double *o, const double *a, int n) {
    for (int i = 0; i < n; i++) { //= yes
        std::vector<double> t(8, a[i]);
        o[i] = std::accumulate(t.begin(), t.end(), 0.0);
    }
}
ALONE int thrown(const int *a, int n) {
    int bad = 0;
    for (int i = 0; i < n; i++) { //= reduction
        try {
            if (a[i] > 50) throw a[i];
        } catch (int v) {
            bad += v;
        }
    }
    return bad;
}
ALONE void memo(std::unordered_map<int, int> &m, int *o, const int *a, int n) {
    for (int i = 0; i < n; i++) { //= no
        auto it = m.find(a[i] & 7);
        if (it == m.end()) it = m.emplace(a[i] & 7, i).first;
        o[i] = it->second;
    }
}
ALONE void bound_minimum(const int *a, int n, int &m) {
    for (int i = 0; i < n; i++) //= reduction|words
        m = std::min(m, a[i]);
}
ALONE void lagged(int *o, const int *a, int n) {
    std::array<int, 2> lag{0, 0};
    for (int i = 0; i < n; i++) { //= no
        o[i] = lag[0] + lag[1];
        lag[1] = lag[0];
        lag[0] = a[i];
    }
}
ALONE void composed(int *o, const int *a, int n, const std::function<int(int)> &f) {
    for (int i = 0; i < n; i++) //= no
        o[i] = f(a[i]);
}
int main() {
    enum { N = 200 };
    int *a = integers(N), *o = zeros(N);
    double *x = reals(N), *y = reals(N);
    Grid<double> g(20, 20);
    std::vector<std::unique_ptr<Shape>> squares, asked;
    for (int i = 0; i < 50; i++) squares.emplace_back(new Square(i)), asked.emplace_back(new Asked(i));
    std::vector<Particle> ps(50);
    Particle p;
    std::vector<int> v, w;
    std::string s;
    std::map<int, int> m;
    std::unordered_map<int, int> u;
    std::vector<std::array<int, 3>> t(N);
    int low = 1000, kept = 1;
#define R(k) k; show(#k, o, N); show_reals("y", y, N);
    R(random_fill(o, N)) R(random_each(o, N)) R(cursor_put(o, a, N)) R(cursor_stream(o, a, N)) R(running_mean(y, x, N)) R(windowed(y, x, N))
    grid_scale(g); grid_down(g); grid_set(g); particles(ps); R(particle_steps(p, y, N)) R(areas_numbered(asked, y)) pushed(v, a, N); filtered(w, a, N);
    appended(s, a, N); printf("%g %g %d %g %zu %s\n", mean(x, N), areas(squares), counted(m, a, N), g(3, 7), w.size(), s.c_str());
    R(looked_up(m, o, N)) transformed(v); R(references(o, a, N)) R(pointed(o, a, N)) R(shared_counter(std::make_shared<int>(4), o, N)) R(shared_copies(std::make_shared<int>(4), o, N))
    arrays(t); arrays_own(t); R(scratch_vector(y, x, N)) R(scratch_vector_inside(y, x, N)) printf("%d\n", thrown(a, N)); R(memo(u, o, a, N)) bound_minimum(a, N, low); R(lagged(o, a, N))
    R(composed(o, a, N, [&kept](int v) { kept = kept * 3 + v; return kept & 63; })) printf("%d %d %d\n", low, v[9], t[9][0]);
}
