/* Functions that only assign what they are handed, or members of their object: what they do stands in the place of their calls. */
#include "common.h"
struct Totals {
    double sum = 0, square = 0; int count = 0;
    void put(double x) { sum += x; square += x * x; count++; }
    void put_large(double x) { if (x > 5) { sum += x; } }
    void set(double x) { sum = x; }
    void blend(double x) { sum = 0.5 * (sum + x); }
    double next(double x) { sum += x; return sum; }
    virtual void changed(double x) { sum += x; }
};
struct Other : Totals { void changed(double x) override { sum = sum * 0.5 + x; } };
struct V3 {
    double x, y, z;
    V3 &operator+=(const V3 &o) { x += o.x; y += o.y; z += o.z; return *this; }
    V3 &operator*=(double f) { x *= f; y *= f; z *= f; return *this; }
    void rotate() { double t = x; x = y; y = z; z = t; }
};
static inline void add(double *s, double x) { *s += x; }
static inline void add_to(double &s, double x) { s += x; }
static inline void keep_largest(double *m, double x) { if (x > *m) *m = x; }
static inline void keep_smallest(double &m, double x) { m = x < m ? x : m; }
static inline void add_both(double *a, double *b, double x) { *a += x; *b += x * 2; }
static inline void follow(double *s, double x) { *s = *s * 0.5 + x; }
static inline void put_at(double *a, int i, double x) { a[i] = x; }
static inline void add_at(double *a, int i, double x) { a[i] += x; }
static inline void carry(double *to, double *from) { *to = *from; }
static inline void twice(double *s, double x) { *s = x; *s = x + 1; }
static inline void count_up(int *n) { ++*n; }
static inline void push(double *a, int *n, double x) { a[*n] = x; (*n)++; }
static inline void advance(double *s, double x) { *s += x; x = 0; }
ALONE static void store_at(double *a, int i, double x) { a[i] = x; }
ALONE static double neighbour(const double *a, int i) { return a[i - 1]; }
static inline double before(const double *a) { return a[-1]; }
static inline double at(const double *a, int i) { return a[i]; }
static double overall, shared[304];
static inline double in_shared(int i) { return shared[i]; }
static inline void add_overall(double x) { overall += x; }
ALONE double by_address(const double *a, int n) {
    double s = 0;
    for (int i = 0; i < n; i++) //= reduction
        add(&s, a[i]);
    return s;
}
ALONE double by_reference(const double *a, int n) {
    double s = 0;
    for (int i = 0; i < n; i++) //= reduction
        add_to(s, a[i] * 2);
    return s;
}
ALONE double largest(const double *a, int n) {
    double m = a[0];
    for (int i = 1; i < n; i++) //= reduction
        keep_largest(&m, a[i]);
    return m;
}
ALONE double smallest(const double *a, int n) {
    double m = a[0];
    for (int i = 1; i < n; i++) //= reduction
        keep_smallest(m, a[i]);
    return m;
}
ALONE double two_sums(const double *a, int n) {
    double s = 0, t = 0;
    for (int i = 0; i < n; i++) //= reduction
        add_both(&s, &t, a[i]);
    return s - t;
}
ALONE double same_twice(const double *a, int n) {
    double s = 0;
    for (int i = 0; i < n; i++) //= reduction
        add_both(&s, &s, a[i]);
    return s;
}
ALONE double also_read(double *o, const double *a, int n) {
    double s = 0;
    for (int i = 0; i < n; i++) { //= no
        add(&s, a[i]);
        o[i] = s;
    }
    return s;
}
ALONE double of_itself(const double *a, int n) {
    double s = 1;
    for (int i = 0; i < n; i++) //= no
        add(&s, s * a[i] * 0.001);
    return s;
}
ALONE double followed(const double *a, int n) {
    double s = 0;
    for (int i = 0; i < n; i++) //= no
        follow(&s, a[i]);
    return s;
}
ALONE double carried_over(double *o, const double *a, int n) {
    double s = 0, t = 0;
    for (int i = 0; i < n; i++) { //= no
        o[i] = t;
        carry(&t, &s);
        s = a[i];
    }
    return t;
}
ALONE void set_before(double *o, const double *a, int n) {
    double t;
    for (int i = 0; i < n; i++) { //= private|words
        twice(&t, a[i]);
        o[i] = t * 3;
    }
}
ALONE double set_from_itself(double *o, const double *a, int n) {
    double t = 2;
    for (int i = 0; i < n; i++) { //= no
        twice(&t, t * 0.5 + a[i]);
        o[i] = t * 3;
    }
    return t;
}
ALONE void elements(double *o, const double *a, int n) {
    for (int i = 0; i < n; i++) //= yes
        put_at(o, i, a[i] * 2);
}
ALONE void elements_before(double *o, int n) {
    for (int i = 1; i < n; i++) //= no
        put_at(o, i, o[i - 1] * 0.5 + 1);
}
ALONE void one_element(double *o, const double *a, int n) {
    for (int i = 0; i < n; i++) //= reduction|words
        add_at(o, 3, a[i]);
}
ALONE void chosen_elements(double *o, const double *a, const int *k, int n) {
    for (int i = 0; i < n; i++) //= reduction|words
        add_at(o, k[i] & 7, a[i]);
}
ALONE int counted(const double *a, int n) {
    int c = 0;
    for (int i = 0; i < n; i++) //= reduction
        if (a[i] > 4) count_up(&c);
    return c;
}
ALONE int pushed(double *o, const double *a, int n) {
    int c = 0;
    for (int i = 0; i < n; i++) //= induction|no
        push(o, &c, a[i]);
    return c;
}
ALONE double own_copy(const double *a, int n) {
    double s = 0;
    for (int i = 0; i < n; i++) //= reduction|words
        advance(&s, a[i]);
    return s;
}
ALONE void into_a_global(const double *a, int n) {
    for (int i = 0; i < n; i++) //= reduction
        add_overall(a[i]);
}
ALONE double put_into(const double *a, int n) {
    Totals t;
    for (int i = 0; i < n; i++) //= reduction|words
        t.put(a[i]);
    return t.sum + t.square + t.count;
}
ALONE double put_large_into(const double *a, int n) {
    Totals t;
    for (int i = 0; i < n; i++) //= reduction|words
        t.put_large(a[i]);
    return t.sum;
}
ALONE double set_into(double *o, const double *a, int n) {
    Totals t;
    for (int i = 0; i < n; i++) { //= words|private
        t.set(a[i]);
        o[i] = t.sum;
    }
    return o[2];
}
ALONE double blended(const double *a, int n) {
    Totals t;
    for (int i = 0; i < n; i++) //= no
        t.blend(a[i]);
    return t.sum;
}
ALONE double asked_for(double *o, const double *a, int n) {
    Totals t;
    for (int i = 0; i < n; i++) //= no
        o[i] = t.next(a[i]);
    return t.sum;
}
ALONE double by_table(Totals *t, const double *a, int n) {
    for (int i = 0; i < n; i++) //= no
        t->changed(a[i]);
    return t->sum;
}
ALONE double vectors(const V3 *v, int n) {
    V3 s = {0, 0, 0};
    for (int i = 0; i < n; i++) //= reduction|words
        s += v[i];
    return s.x + s.y * 2 + s.z * 3;
}
ALONE double scaled(const double *a, int n) {
    V3 s = {1, 2, 3};
    for (int i = 0; i < n; i++) { //= no
        s += V3{a[i], 1, 1};
        s *= 0.5;
    }
    return s.x + s.y * 2 + s.z * 3;
}
ALONE double rotated(const double *a, int n) {
    V3 s = {1, 2, 3};
    for (int i = 0; i < n; i++) { //= no
        s.x += a[i];
        s.rotate();
    }
    return s.x + s.y * 2 + s.z * 3;
}
ALONE void each_by_itself(V3 *v, const double *a, int n) {
    for (int i = 0; i < n; i++) //= yes
        v[i] *= a[i];
}
ALONE double shadowed(const double *a, int n) {
    double s = 0; auto add = [](double *s, double x) { *s = *s * 0.5 + x; };
    for (int i = 0; i < n; i++) //= no
        add(&s, a[i]);
    return s;
}
ALONE double by_pointer(double *s, const double *a, int n) {
    for (int i = 0; i < n; i++) //= reduction|words
        add(s, a[i]);
    return *s;
}
ALONE double through_two(const double *a, int n) {
    double s = 0, *p = &s;
    for (int i = 0; i < n; i++) { //= no
        add(p, a[i]);
        if (s > 100) s = 0;
    }
    return s;
}
ALONE void called_elements(double *o, const double *a, int n) {
    for (int i = 0; i < n; i++) //= yes
        store_at(o, i, a[i] * 2);
}
ALONE void called_neighbours(double *o, int n) {
    for (int i = 1; i < n; i++) //= no
        o[i] = neighbour(o, i);
}
ALONE void neighbours_apart(double *o, const double *a, int n) {
    for (int i = 1; i < n; i++) //= yes
        o[i] = neighbour(a, i) + before(a + i);
}
ALONE void copied_along(double *o, int n) {
    for (int i = 0; i + 1 < n; i++) //= no
        o[i + 1] = at(o, i);
}
ALONE void copied_by_address(double *o, int n) {
    for (int i = 1; i < n; i++) //= no
        o[i] = before(&o[i]);
}
ALONE void copied_by_sum(double *o, int n) {
    for (int i = 1; i < n; i++) //= no
        o[i] = before(o + i);
}
ALONE void copied_in_shared(int n) {
    for (int i = 0; i + 1 < n; i++) //= no
        shared[i + 1] = in_shared(i);
}
ALONE void put_along(double *o, int n) {
    for (int i = 0; i + 1 < n; i++) //= no
        put_at(o, i + 1, at(o, i));
}
ALONE void three_times(double *o, const double *a, int n) {
    for (int t = 0; t < 3; t++) //= no
        for (int i = 0; i < n; i++) //= yes
            o[i] = at(o, i) * 0.5 + a[i];
}
int main() {
    const int n = 300;
    double *a = reals(n), *o = reals(n); int *k = integers(n);
    V3 *v = (V3 *)malloc(n * sizeof *v);
    for (int i = 0; i < n; i++) v[i] = V3{a[i], a[i] * 2, 1.0};
    Other other;
    double all[] = {by_address(a, n), by_reference(a, n), largest(a, n), smallest(a, n), two_sums(a, n), same_twice(a, n),
        also_read(o, a, n), of_itself(a, n), followed(a, n), carried_over(o, a, n)};
    show_reals("sums", all, 10);
    set_before(o, a, n); show_reals("set_before", o, n);
    double more[] = {set_from_itself(o, a, n)};
    elements(o, a, n); show_reals("elements", o, n);
    elements_before(o, n); show_reals("elements_before", o, n);
    one_element(o, a, n); chosen_elements(o, a, k, n); show_reals("chosen_elements", o, n);
    printf("%d %d\n", counted(a, n), pushed(o, a, n));
    into_a_global(a, n);
    double rest[] = {own_copy(a, n), overall, put_into(a, n), put_large_into(a, n), set_into(o, a, n), blended(a, n), asked_for(o, a, n),
        by_table(&other, a, n), vectors(v, n), scaled(a, n), rotated(a, n), shadowed(a, n), by_pointer(&o[3], a, n),
        through_two(a, n), more[0]};
    show_reals("rest", rest, 15);
    called_elements(o, a, n); called_neighbours(o, n); show_reals("called", o, n);
    neighbours_apart(o, a, n); three_times(o, a, n); show_reals("apart", o, n);
    copied_along(o, n); o[0] = 2; copied_by_address(o, n); o[0] = 3; copied_by_sum(o, n); o[0] = 4; put_along(o, n);
    shared[0] = 5; copied_in_shared(n); show_reals("along", o, n); show_reals("shared", shared, n);
    each_by_itself(v, a, n);
    printf("%.6g\n", v[7].x + v[9].y);
    return 0;
}
