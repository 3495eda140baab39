// Elements that are come to by methods which only return them.
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>
#define ALONE __attribute__((noipa))
using std::vector;

class Grid {
    int n;
    vector<double> v;

public:
    explicit Grid(int n) : n(n), v(n * n) {
        for (int i = 0; i < n * n; i++) //= yes
            v[i] = i % 7;
    }
    int size() const { return n; }
    int place(int i, int j) const { return i * n + j; }
    double &at(int i, int j) { return v[place(i, j)]; }
    double &operator()(int i, int j) {
        assert(i >= 0 && i < n);
        return v[i * n + j];
    }
    double operator()(int row, int column) const { return v[row * n + column]; }
    double *operator[](int i) { return &v[i * n]; }
    double &flat(int i) { return v[i]; }
    double &before(int i) { return v[i - 1]; }
    double &half(int i) { return v[i / 2]; }
    double &first() { return v[0]; }
    double &transposed(int i, int j) { return v[j * n + i]; }
    void rows();
    void fills();
    void shifts();
    void sums_up();
};

ALONE void Grid::rows() {
    for (int i = 0; i < n; i++)     //= yes
        for (int j = 0; j < n; j++) //= yes
            at(i, j) = at(i, j) * 2 + 1;
}
ALONE void Grid::fills() {
    for (int i = 0; i < n; i++) //= yes
        flat(i) = i;
}
ALONE void Grid::shifts() {
    for (int i = 1; i < n; i++) //= no
        flat(i) = before(i) + 1;
}
ALONE void Grid::sums_up() {
    for (int i = 1; i < n; i++) //= reduction|words
        first() += flat(i);
}
ALONE void copied(Grid &a, const Grid &b) {
    int n = a.size();
    for (int i = 0; i < n; i++)     //= yes
        for (int j = 0; j < n; j++) //= yes
            a(i, j) = b(i, j) + 1;
}
ALONE void down(Grid &a) {
    int n = a.size();
    for (int i = 1; i < n; i++)     //= no
        for (int j = 0; j < n; j++) //= yes
            a(i, j) = a(i - 1, j) * 0.5;
}
ALONE void along(Grid &a) {
    int n = a.size();
    for (int i = 0; i < n; i++)     //= yes
        for (int j = 1; j < n; j++) //= no
            a.at(i, j) = a.at(i, j - 1) + 1;
}
ALONE void with_rows(Grid &a) {
    int n = a.size();
    for (int i = 0; i < n; i++)     //= yes
        for (int j = 0; j < n; j++) //= yes
            a[i][j] += j;
}
ALONE void from_the_row_before(Grid &a) {
    int n = a.size();
    for (int i = 1; i < n; i++) //= no
        a[i][3] = a[i - 1][3] + 1;
}
ALONE void across(Grid *a) {
    int n = a->size();
    for (int i = 0; i < n; i++) //= no
        for (int j = 0; j < i; j++) //= yes
            a->at(i, j) = a->transposed(i, j) + (i ? a->at(i - 1, j) : 0);
}
ALONE void mirrored(Grid *a) {
    int n = a->size();
    for (int i = 0; i < n; i++)     //= yes
        for (int j = 0; j < i; j++) //= yes
            a->at(i, j) = a->transposed(i, j);
}
ALONE void by_halves(Grid &a) {
    int n = a.size();
    for (int i = 0; i < n; i++) //= no
        a.half(i) = a.half(i) * 0.5 + i;
}
ALONE void two_names(Grid &a) {
    int n = a.size();
    for (int i = 2; i < n; i++) //= no
        a.flat(i) = a.before(i - 1) + 1;
}
ALONE double one_place(Grid &a, int n) {
    double last = 0;
    for (int i = 1; i < n; i++) { //= words|private|no
        a.first() = a.flat(i) + 1;
        last = a.first();
    }
    return last;
}
ALONE double traced(const Grid &a) {
    double s = 0;
    for (int i = 0; i < a.size(); i++) //= reduction
        s += a(i, i);
    return s;
}
ALONE void products(Grid &c, const Grid &a, const Grid &b) {
    int n = c.size();
    for (int i = 0; i < n; i++)         //= yes
        for (int j = 0; j < n; j++)     //= yes
            for (int k = 0; k < n; k++) //= reduction
                c(i, j) += a(i, k) * b(k, j);
}
ALONE void four_points(Grid &to, const Grid &from) {
    int n = to.size();
    for (int i = 1; i < n - 1; i++)     //= yes
        for (int j = 1; j < n - 1; j++) //= yes
            to(i, j) = (from(i - 1, j) + from(i + 1, j) + from(i, j - 1) + from(i, j + 1)) * 0.25;
}
ALONE void in_place(Grid &a) {
    int n = a.size();
    for (int i = 1; i < n - 1; i++)     //= no
        for (int j = 1; j < n - 1; j++) //= no
            a(i, j) = (a(i - 1, j) + a(i + 1, j) + a(i, j - 1) + a(i, j + 1)) * 0.25;
}

// The same name means something else in each.
struct Plain {
    double d[64];
    double &get(int i) { return d[i]; }
    virtual double &far(int i) { return d[i]; }
    virtual ~Plain() {}
};
struct Same : Plain {
    double &get(int) { return d[0]; }
    double &far(int) override { return d[1]; }
};
ALONE void plain(Plain &p) {
    for (int i = 0; i < 64; i++) //= yes
        p.get(i) = p.get(i) + i;
}
ALONE void hidden(Same &s) {
    for (int i = 0; i < 64; i++) //= no
        s.get(i) = s.get(i) * 0.5 + i;
}
ALONE void overridden(Plain &p) {
    for (int i = 0; i < 64; i++) //= no
        p.far(i) = p.far(i) * 0.5 + i;
}

// Positions that move are no elements of an iteration's own.
struct Tape {
    double *d;
    int k;
    double &next() { return d[k++]; }
    double &here() { return d[k]; }
    double &operator()(int i) { return d[k + i]; }
};
ALONE void written_on(Tape &t, int n) {
    for (int i = 0; i < n; i++) //= no|induction
        t.next() = i;
}
ALONE void moved_on(Tape &t, int n) {
    for (int i = 0; i < n; i++) { //= no|induction
        t.here() = i;
        t.k++;
    }
}
ALONE void at_one_place(Tape &t, int n) {
    for (int i = 0; i < n; i++) //= no
        t.here() = t.here() * 0.5 + i;
}
ALONE void away_from_it(Tape &t, int n) {
    for (int i = 0; i < n; i++) //= yes
        t(i) = t(i) + i;
}
// Two objects over one array, one element apart.
ALONE void overlapping(Tape a, Tape b, int n) {
    for (int i = 0; i < n; i++) //= no
        b(i) = a(i) + 1;
}

// Local names are others than those of members.
struct Box {
    int n;
    double v[100], w[100];
    double &at(int i) { return v[i]; }
    void shadowed(double *v);
    void both();
};
ALONE void Box::shadowed(double *v) {
    for (int i = 1; i < n; i++) //= yes
        at(i) = v[i - 1] + 1;
}
ALONE void Box::both() {
    for (int i = 1; i < n; i++) //= no
        at(i) = v[i - 1] + 1;
}
ALONE void counted(Box &b, int *at) {
    int k = 0;
    for (int i = 0; i < 50; i++) //= no|induction
        b.at(k++) = at[i];
}

// Elements that templates of the library and builtins are handed.
static int pair[2], sums[64];
ALONE void exchanged() {
    for (int i = 0; i < 64; i++) { //= no
        std::swap(pair[0], pair[1]);
        sums[i] = pair[0];
    }
}
ALONE void through_an_address(const int *a) {
    for (int i = 0; i < 64; i++) //= no
        *(&pair[0]) = pair[0] * 3 + a[i];
}
// What was compiled is the branch that counts.
static unsigned steps;
#ifdef PLAIN
#define CELL(i) sums[i]
#else
#define CELL(i) sums[(steps=steps*3+1,i)]
#endif
ALONE void stepped() {
    for (int i = 0; i < 64; i++) //= no
        CELL(i) = i;
}

int main() {
    Grid a(24), b(24), c(24);
    a.rows(), a.fills(), a.shifts(), a.sums_up();
    copied(a, b), down(a), along(a), with_rows(a), from_the_row_before(a), across(&a), mirrored(&b);
    by_halves(a), two_names(a);
    double s = one_place(a, 24) + traced(b);
    products(c, a, b), four_points(a, b), in_place(a);
    Plain p = Plain();
    Same q = Same();
    plain(p), hidden(q), overridden(q);
    vector<double> d(400, 1.0);
    Tape t = {d.data(), 0};
    written_on(t, 50), moved_on(t, 50), at_one_place(t, 50), away_from_it(t, 50);
    overlapping({d.data(), 200}, {d.data(), 201}, 50);
    Box box = {100, {0}, {0}};
    vector<int> places(50, 3);
    box.shadowed(d.data()), box.both(), counted(box, places.data());
    exchanged(), through_an_address(places.data()), stepped();
    std::printf("%d %u %d\n", pair[1], steps, sums[9]);
    std::printf("%g %g %g %g %g %g %g\n", s, c(3, 4), a(5, 6), p.get(7), q.get(0), d[220], box.at(9));
    return 0;
}
