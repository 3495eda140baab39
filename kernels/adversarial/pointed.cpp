// What a pointer or a reference leads to is also read by another name, on a line of its own or on that of the loop.
#include "common.h"
#define N 200

struct counter {
    int n;
    void add(int by) { n += by; }
    int now() const { return n; }
};

ALONE int pointed_and_named(int *a) {
    int k = 0;
    int *p = &k;
    for (int i = 0; i < N; i++) { //= induction|no
        ++*p;
        a[i] += k;
    }
    return k;
}
ALONE int pointed_and_named_at_once(int *a) {
    int k = 0;
    int *p = &k;
    for (int i = 0; i < N; i++) { ++*p; a[i] += k; } //= induction|no
    return k;
}
ALONE int named_before(int *a, const int *c) {
    int k = 0;
    int *p = &k;
    for (int i = 0; i < N; i++) { a[i] = k; *p += c[i]; } //= no
    return k;
}
ALONE unsigned added_to_itself(const int *c) {
    unsigned k = 1;
    unsigned *p = &k;
    for (int i = 0; i < N; i++) //= no
        *p += k + c[i];
    return k;
}
ALONE unsigned added_to_itself_at_once(const int *c) {
    unsigned k = 1;
    unsigned *p = &k;
    for (int i = 0; i < N; i++) { *p += k + c[i]; } //= no
    return k;
}
static int shared_sum;
ALONE void global_and_pointed(int *a, const int *c, const int *p) {
    for (int i = 0; i < N; i++) { //= no
        shared_sum += c[i];
        a[i] += *p;
    }
}
ALONE void global_and_pointed_at_once(int *a, const int *c, const int *p) {
    for (int i = 0; i < N; i++) { shared_sum += c[i]; a[i] += *p; } //= no
}
ALONE void least_and_pointed(int *a, const int *c, int *least, const int *p) {
    for (int i = 0; i < N; i++) { //= no
        if (c[i] < *least)
            *least = c[i];
        a[i] += *p;
    }
}
ALONE void least_and_pointed_at_once(int *a, const int *c, int *least, const int *p) {
    for (int i = 0; i < N; i++) { if (c[i] < *least) *least = c[i]; a[i] += *p; } //= no
}
ALONE void members(int *a, counter *s, const counter *t) {
    for (int i = 0; i < N; i++) { //= induction|no
        s->n += 2;
        a[i] += t->n;
    }
}
ALONE void members_at_once(int *a, counter *s, const counter *t) {
    for (int i = 0; i < N; i++) { s->n += 2; a[i] += t->n; } //= induction|no
}
ALONE void elements(int *a, int *s, const int *t) {
    for (int i = 0; i < N; i++) { //= induction|no
        s[0] += 2;
        a[i] += t[0];
    }
}
ALONE void methods_at_once(int *a, const int *c, counter &s) {
    for (int i = 0; i < N; i++) { s.add(c[i]); a[i] += s.now(); } //= no
}
ALONE int pointer_in_the_body(int *a) {
    int v[2] = {0, 0};
    int *p = v;
    for (int i = 0; i < N; i++) { //= induction|no
        int *q = p;
        ++*q;
        a[i] = *p;
    }
    return v[0];
}
ALONE int pointer_in_the_body_at_once(int *a) {
    int v[2] = {0, 0};
    int *p = v;
    for (int i = 0; i < N; i++) { int *q = p; ++*q; a[i] = *p; } //= induction|no
    return v[0];
}
ALONE int position_behind_a_pointer(int *a) {
    int v = -1;
    int *p = &v;
    for (int i = 0; i < N; i++) { //= induction|no
        int *q = p, *r = q;
        ++*r;
        a[*p] = i;
    }
    return v;
}
ALONE int counting_closure(int *a) {
    int k = 0;
    auto count = [&] { ++k; };
    for (int i = 0; i < N; i++) { count(); a[i] = k; } //= induction|no
    return k;
}
ALONE int counting_reference(int *a) {
    int k = 0;
    int &r = k;
    for (int i = 0; i < N; i++) { r++; a[i] += k; } //= induction|no
    return k;
}
ALONE int cast_reference(int *a, const int *c) {
    int k = 0;
    const int &r = k;
    for (int i = 0; i < N; i++) { const_cast<int &>(r) += c[i]; a[i] += r; } //= no
    return k;
}
ALONE int cast_pointer(int *a, const int *c) {
    int k = 0;
    const int *p = &k;
    for (int i = 0; i < N; i++) { //= no
        a[i] = k;
        *(int *)p += c[i];
    }
    return k;
}
// Nothing else reads these.
ALONE int pointed_sum(const int *c) {
    int s = 0;
    int *p = &s;
    for (int i = 0; i < N; i++) { *p += c[i]; } //= reduction
    return s;
}
ALONE void sum_of_caller(const int *c, int *s) {
    for (int i = 0; i < N; i++) //= reduction
        *s += c[i];
}
ALONE void sum_under_a_condition(const int *c, counter *s) {
    for (int i = 0; i < N; i++) //= reduction
        if (c[i] & 1)
            s->n += c[i];
}
ALONE void least_of_caller(const int *c, int *least) {
    for (int i = 0; i < N; i++) //= reduction
        if (c[i] < *least)
            *least = c[i];
}
ALONE void sum_and_product(const double *v, double *s, double *m) {
    for (int i = 0; i < N; i++) { //= reduction
        *s += v[i];
        *m *= v[i];
    }
}

int main() {
    int *a = zeros(N), *c = integers(N);
    double *v = reals(N), s = 0, m = 1;
    counter n = {3};
    int least = 1000, sum = 0;
    unsigned r = pointed_and_named(a) + pointed_and_named_at_once(a) + added_to_itself(c) + added_to_itself_at_once(c);
    show("a", a, N);
    global_and_pointed(a, c, &shared_sum);
    global_and_pointed_at_once(a, c, &shared_sum);
    least_and_pointed(a, c, &least, &least);
    least = 1000;
    least_and_pointed_at_once(a, c, &least, &least);
    members(a, &n, &n);
    members_at_once(a, &n, &n);
    elements(a, &n.n, &n.n);
    methods_at_once(a, c, n);
    show("a", a, N);
    r += cast_reference(a, c) + counting_reference(a);
    show("a", a, N);
    r += named_before(a, c);
    show("a", a, N);
    r += pointer_in_the_body(a);
    show("a", a, N);
    r += pointer_in_the_body_at_once(a) + position_behind_a_pointer(a);
    show("a", a, N);
    r += counting_closure(a);
    show("a", a, N);
    r += cast_pointer(a, c) + pointed_sum(c);
    show("a", a, N);
    sum_of_caller(c, &sum);
    sum_under_a_condition(c, &n);
    least_of_caller(c, &least);
    sum_and_product(v, &s, &m);
    printf("%u %d %d %d %g %g\n", r, sum, least, n.n, s, m);
    return 0;
}
