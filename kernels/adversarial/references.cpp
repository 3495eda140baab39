// Names that stand for other names in C++: references, closures, operators, objects with state.
#include "common.h"
#include <algorithm>
#include <array>
#include <deque>
#include <list>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

using std::vector;

ALONE int by_reference(vector<int> &out, const vector<int> &a) {
    int n = 0;
    int &r = n;
    for (size_t i = 0; i < a.size(); i++) //= induction|no
        out[r++] = a[i];
    return n;
}
ALONE int carried_by_reference(vector<int> &out, const vector<int> &a) {
    int t = 0;
    int &r = t;
    for (size_t i = 0; i < a.size(); i++) { //= no
        out[i] = t;
        r = a[i];
    }
    return t;
}
ALONE void reference_in_the_body(vector<int> &out, const vector<int> &a) {
    for (size_t i = 0; i < a.size(); i++) { //= yes
        int &r = out[i];
        r = a[i] * 2;
        r += 1;
    }
}
ALONE void reference_to_one_in_the_body(vector<int> &out, const vector<int> &a) {
    for (size_t i = 0; i < a.size(); i++) { //= no
        int &r = out[0];
        r = a[i] - r;
    }
}
ALONE void swapped_scalars(vector<int> &out, const vector<int> &a) {
    int s = 1, t = 2;
    for (size_t i = 0; i < a.size(); i++) { //= no
        out[i] = a[i] + s;
        std::swap(s, t);
    }
}
ALONE void exchanged(vector<int> &out, const vector<int> &a) {
    int t = 0;
    for (size_t i = 0; i < a.size(); i++) //= no
        out[i] = std::exchange(t, a[i]);
}
ALONE void tied(vector<int> &out) {
    int s = 0, t = 1;
    for (size_t i = 0; i < out.size(); i++) { //= no
        out[i] = s;
        std::tie(s, t) = std::make_pair(t, (s + t) % 1000);
    }
}
struct counter {
    int v = 0;
    int operator++(int) { return v++; }
    operator int() const { return v; }
};
ALONE int by_operator(vector<int> &out, const vector<int> &a) {
    counter c;
    for (size_t i = 0; i < a.size(); i++) //= induction|no
        out[c++] = a[i];
    return c;
}
struct meter {
    double total = 0;
    meter &operator+=(double x) {
        total += x;
        return *this;
    }
};
ALONE double sum_by_operator(const vector<double> &a) {
    meter m;
    for (double x : a) //= reduction|words
        m += x;
    return m.total;
}
struct smoother {
    double last = 0;
    double operator()(double x) { return last = 0.5 * (last + x); }
};
ALONE void filtered(vector<double> &out, const vector<double> &a) {
    smoother s;
    for (size_t i = 0; i < a.size(); i++) //= no
        out[i] = s(a[i]);
}
ALONE void filter_in_the_body(vector<double> &out, const vector<double> &a) {
    for (size_t i = 0; i < a.size(); i++) { //= yes
        smoother s;
        s(a[i]);
        out[i] = s(1.0);
    }
}
ALONE void back_inserted(vector<int> &out, const vector<int> &a) {
    out.clear();
    out.reserve(a.size());
    auto to = std::back_inserter(out);
    for (size_t i = 0; i < a.size(); i++) //= no|induction
        *to++ = a[i] * 2;
}
ALONE void output_iterator(vector<int> &out, const vector<int> &a) {
    auto to = out.begin();
    for (int x : a) //= induction|no
        *to++ = x * 3;
}
ALONE void two_iterators(vector<int> &out, const vector<int> &a) {
    auto to = out.begin();
    for (auto from = a.begin(); from != a.end(); ++from, ++to) //= induction|no
        *to = *from + 1;
}
ALONE void written_through_deque(std::deque<int> &d, const vector<int> &a) {
    for (size_t i = 0; i < a.size(); i++) //= yes
        d[i] = a[i] * 7;
}
ALONE void pushed_front(std::deque<int> &d, const vector<int> &a) {
    for (int x : a) //= no
        d.push_front(x);
}
ALONE long sum_of_a_list(const std::list<int> &l) {
    long s = 0;
    for (int x : l) //= no
        s += x;
    return s;
}
ALONE void sorted_insert(vector<int> &out, const vector<int> &a) {
    out.clear();
    for (int x : a) //= no
        out.insert(std::lower_bound(out.begin(), out.end(), x), x);
}
ALONE void nested_closures(vector<int> &out, const vector<int> &a) {
    int n = 0;
    auto next = [&] { return n++; };
    auto put = [&](int x) { out[next()] = x; };
    for (int x : a) //= no|induction
        put(x);
}
ALONE void closure_carries(vector<int> &out, const vector<int> &a) {
    int last = 0;
    auto changed = [&](int x) {
        int d = x - last;
        last = x;
        return d;
    };
    for (size_t i = 0; i < a.size(); i++) //= no
        out[i] = changed(a[i]);
}
ALONE void closure_with_temporary(vector<int> &out, const vector<int> &a) {
    int t;
    auto twice = [&](int x) {
        t = x;
        return t + t;
    };
    for (size_t i = 0; i < a.size(); i++) //= words
        out[i] = twice(a[i]);
}
template <class F> ALONE void each(const vector<int> &a, F f) {
    for (size_t i = 0; i < a.size(); i++) //= induction|no
        f(i, a[i]);
}
ALONE int given_a_closure(vector<int> &out, const vector<int> &a) {
    int n = 0;
    each(a, [&](size_t, int x) { out[n++] = x; });
    return n;
}
ALONE double folded(const vector<double> &a) {
    double s = 0;
    std::for_each(a.begin(), a.end(), [&](double x) { s += x; });
    return s + std::accumulate(a.begin(), a.end(), 0.0);
}
struct grid {
    vector<double> v;
    int w;
    double &at(int i, int j) { return v[i * w + j]; }
};
ALONE void grid_rows(grid &g, int h) {
    for (int i = 0; i < h; i++) //= yes
        for (int j = 1; j < g.w; j++) //= no
            g.at(i, j) += g.at(i, j - 1);
}
ALONE void grid_columns(grid &g, int h) {
    for (int i = 1; i < h; i++) //= no
        for (int j = 0; j < g.w; j++) //= yes
            g.at(i, j) += g.at(i - 1, j);
}
class pool {
    vector<double> slots;
    size_t used = 0;

public:
    explicit pool(size_t n) : slots(n) {}
    double *take() { return &slots[used++]; }
    size_t count() const { return used; }
};
ALONE void from_a_pool(vector<double *> &out, pool &p) {
    for (auto &o : out) //= no|induction
        o = p.take();
}
struct cached {
    mutable double key = -1, value = 0;
    double get(double x) const {
        if (x != key) {
            key = x;
            value = x * x;
        }
        return value;
    }
};
/* Every key is new in this run, so the cache is written before it is read. */
ALONE void through_a_cache(vector<double> &out, const cached &c) {
    for (size_t i = 0; i < out.size(); i++) //= no|words
        out[i] = c.get(i + 0.5);
}
ALONE void cached_hits(vector<double> &out, const cached &c) {
    for (size_t i = 0; i < out.size(); i++) //= no
        out[i] = c.get(double(i / 3));
}
ALONE int structured(vector<std::pair<int, int>> &out) {
    int n = 0;
    for (auto &[x, y] : out) { //= induction|no
        x = n++;
        y = x * 2;
    }
    return n;
}
ALONE void structured_update(vector<std::pair<int, int>> &out) {
    for (auto &[x, y] : out) //= yes
        std::swap(x, y);
}
ALONE void initialised_in_the_condition(vector<int> &out, const vector<int> &a) {
    for (size_t i = 0; i < a.size(); i++) //= yes
        if (int t = a[i] % 7; t > 2) out[i] = t;
}
ALONE void thrown_counter(vector<int> &out, const vector<int> &a) {
    int n = 0;
    for (size_t i = 0; i < a.size(); i++) { //= no
        try {
            if (a[i] % 5 == 0) throw 1;
            out[n] = a[i];
            n++;
        } catch (int) {
        }
    }
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 60;
    vector<int> a(n), out(n);
    vector<double> x(n), y(n);
    for (int i = 0; i < n; i++) a[i] = i * 53 % 97 - 40, x[i] = i * 0.5;
    printf("%d %d\n", by_reference(out, a), carried_by_reference(out, a));
    reference_in_the_body(out, a);
    reference_to_one_in_the_body(out, a);
    printf("%d\n", out[0]);
    swapped_scalars(out, a);
    exchanged(out, a);
    tied(out);
    printf("%d %d\n", out[n - 1], by_operator(out, a));
    printf("%g\n", sum_by_operator(x));
    filtered(y, x);
    filter_in_the_body(x, x);
    printf("%g %g\n", y[n - 1], x[n - 1]);
    vector<int> more;
    back_inserted(more, a);
    output_iterator(out, a);
    two_iterators(out, a);
    std::deque<int> d(n);
    written_through_deque(d, a);
    pushed_front(d, a);
    std::list<int> l(a.begin(), a.end());
    printf("%d %d %d %ld\n", more[3], out[4], d[5], sum_of_a_list(l));
    sorted_insert(more, a);
    nested_closures(out, a);
    closure_carries(out, a);
    closure_with_temporary(out, a);
    printf("%d %d %d\n", more[3], out[9], given_a_closure(out, a));
    printf("%g\n", folded(x));
    grid g{vector<double>(n * 20, 1.5), 20};
    grid_rows(g, n);
    grid_columns(g, n);
    printf("%g\n", g.at(n - 1, 19));
    vector<double *> taken(n);
    pool p(n);
    from_a_pool(taken, p);
    printf("%zu\n", p.count());
    cached c;
    through_a_cache(y, c);
    cached_hits(x, c);
    printf("%g %g\n", x[n - 1], y[n - 1]);
    vector<std::pair<int, int>> pairs(n);
    printf("%d\n", structured(pairs));
    structured_update(pairs);
    initialised_in_the_condition(out, a);
    printf("%d %d\n", pairs[3].first, out[8]);
    thrown_counter(out, a);
    printf("%d\n", out[7]);
    return 0;
}
