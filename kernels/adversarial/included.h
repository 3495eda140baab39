/* What included.cpp includes: types, functions that keep nothing, and such as do. */
#ifndef INCLUDED_H
#define INCLUDED_H
typedef double Real;
typedef int Index;
typedef double Triple[3];
using Wide = long double;
template <typename T> inline T squared(T x) { return T(x) * T(x); }
inline float ABS(float x) { return x < 0 ? -x : x; }
inline double ABS(double x) { return x < 0 ? -x : x; }
static inline void clear(Triple a) { a[0] = 0; a[1] = 0; a[2] = 0; }
static inline void scale(Real *p, Index n, Real by) {
    for (Index i = 0; i < n; i++)
        p[i] = by * p[i] + Real(1);
}
static inline int count_calls(int x) { static int calls; calls += x & 1; return calls; }
static inline int counted_below(int x) { return count_calls(x) + 1; }
static int last_seen;
static inline int previous(int x) { int old = last_seen; last_seen = x; return old; }
struct Grid {
    std::vector<Real> values; std::vector<Index> cells; mutable int asked = 0; static inline int made = 0;
    Real &value(Index i) { return values[i]; }
    Index &cell(Index r) { return cells[r]; }
    Index &cell(Index r, Index i) { return cells[r * 8 + i]; }
    int ask() const { return asked++; }
};
struct Tag { int own; Tag() : own(Grid::made++) {} };
#define PUT(a, i, v) ((a)[i] = (v))
#define NEXT(s) ((s) = ((s) * 5 + 1) & 63)
#define PUSH(a, v) ((a)[top++] = (v))
#endif
