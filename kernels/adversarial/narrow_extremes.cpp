/* Minima and maxima in places that do not hold what is compared, whose types no text beside them spells; and such that do. */
#include "common.h"
#include <algorithm>
#include <vector>
typedef signed char tiny;
struct Pair { int v; short w; };
struct Parts { int five : 5; unsigned three : 3; bool is : 1; short m; int whole; };
static std::vector<int> list(600);
static std::vector<Pair> pairs(600);
static Pair plain[600];
ALONE long of_a_typedef(const int *x, int n) {
    tiny m = 0;
    for (int i = 0; i < n; i++) //= no
        if (x[i] > m) m = x[i];
    return m;
}
ALONE long in_a_member(const int *x, int n) {
    Parts p = {};
    for (int i = 0; i < n; i++) //= no
        if (x[i] > p.m) p.m = x[i];
    return p.m;
}
ALONE long in_a_whole_member(const int *x, int n) {
    Parts p = {};
    for (int i = 0; i < n; i++) //= reduction
        if (x[i] > p.whole) p.whole = x[i];
    return p.whole;
}
ALONE long in_a_bit_field(const int *x, int n) {
    Parts p = {};
    for (int i = 0; i < n; i++) //= no
        if (x[i] > p.five) p.five = x[i];
    return p.five;
}
ALONE long in_an_unsigned_bit_field(const int *x, int n) {
    Parts p = {};
    for (int i = 0; i < n; i++) //= no
        p.three = std::max<int>(p.three, x[i]);
    return p.three;
}
ALONE long of_members(int n) {
    short m = 0;
    for (int i = 0; i < n; i++) //= no
        if (plain[i].v > m) m = plain[i].v;
    return m;
}
ALONE long of_members_that_fit(int n) {
    short m = 0;
    for (int i = 0; i < n; i++) //= reduction
        if (plain[i].w > m) m = plain[i].w;
    return m;
}
ALONE long of_a_container(int n) {
    short m = 0;
    for (int i = 0; i < n; i++) //= no
        if (list[i] > m) m = list[i];
    return m;
}
ALONE long of_elements(int n) {
    short m = 0;
    for (auto v : list) //= no
        if (v > m) m = v;
    return m;
}
ALONE long of_members_of_a_container(int n) {
    short m = 0;
    for (int i = 0; i < n; i++) //= no
        if (pairs[i].v > m) m = pairs[i].v;
    return m;
}
ALONE long through_a_pointer(const int *x, int n) {
    short m = 0;
    for (int i = 0; i < n; i++) //= no
        if (*(x + i) > m) m = *(x + i);
    return m;
}
ALONE long of_a_function(const int *x, int n) {
    short m = 0;
    for (int i = 0; i < n; i++) //= no
        if (std::abs(x[i]) > m) m = std::abs(x[i]);
    return m;
}
ALONE long where_a_pointer_leads(const int *x, short *m, int n) {
    for (int i = 0; i < n; i++) //= no
        if (x[i] > *m) *m = x[i];
    return *m;
}
ALONE long in_an_element(const int *x, short *m, int n) {
    for (int i = 0; i < n; i++) //= no
        if (x[i] > m[1]) m[1] = x[i];
    return m[1];
}
ALONE long in_an_element_that_fits(const int *x, long *m, int n) {
    for (int i = 0; i < n; i++) //= reduction
        if (x[i] > m[1]) m[1] = x[i];
    return m[1];
}
static long held[4];
ALONE long in_a_global_element(const int *x, int n) {
    for (int i = 0; i < n; i++) //= reduction
        if (x[i] > held[1]) held[1] = x[i];
    return held[1];
}
ALONE long by_inference(const int *x, short first, int n) {
    auto m = first;
    for (int i = 0; i < n; i++) //= no
        if (x[i] > m) m = x[i];
    return m;
}
template <class T> ALONE long of_a_template(const int *x, int n) {
    T m = 0;
    for (int i = 0; i < n; i++) //= no
        if (x[i] > m) m = x[i];
    return m;
}
ALONE double rounded(const double *x, int n) {
    float m = 0;
    for (int i = 0; i < n; i++) //= reduction
        if (x[i] > m) m = x[i];
    return m;
}
int main() {
    static int x[600];
    static double d[600];
    static short s[4];
    static long l[4];
    for (int i = 0; i < 600; i++) {
        x[i] = i * 7919 % 70001;
        d[i] = x[i] * 0.3;
        list[i] = plain[i].v = pairs[i].v = x[i];
        plain[i].w = i * 37 % 1009;
    }
    long sum = of_a_typedef(x, 600) + in_a_member(x, 600) + in_a_whole_member(x, 600) + in_a_bit_field(x, 600)
        + in_an_unsigned_bit_field(x, 600) + of_members(600) + of_members_that_fit(600) + of_a_container(600)
        + of_elements(600) + of_members_of_a_container(600) + through_a_pointer(x, 600) + of_a_function(x, 600)
        + where_a_pointer_leads(x, s, 600) + in_an_element(x, s, 600) + in_an_element_that_fits(x, l, 600)
        + in_a_global_element(x, 600) + by_inference(x, 3, 600)
        + of_a_template<short>(x, 600);
    printf("%ld %g\n", sum, rounded(d, 600));
    return 0;
}
