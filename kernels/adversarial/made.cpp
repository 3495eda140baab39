// What constructors, destructors and functions that give places do where the compiler puts their text into the loop; pointers of the body.
#include "common.h"
#define N 200

static double values[N + 8], other[N + 8];
static int numbers[N + 8];

struct previous {
    static int last;
    int before;
    previous(int x) {
        before = last;
        last = x;
    }
};
int previous::last;
struct numbered {
    static int made;
    int id;
    numbered() { id = made++; }
};
int numbered::made;
struct living {
    static int alive, ended;
    int v;
    living(int x) : v(x) { alive++; }
    ~living() { ended++; }
};
int living::alive, living::ended;
struct counting {
    int &r;
    counting(int &x) : r(x) { r++; }
    ~counting() { r++; }
};
struct plain {
    int v;
    plain(int x) { v = x * 3; }
    int twice() const { return 2 * v; }
};

ALONE void reads_the_last(int *b, const int *a) {
    for (int i = 0; i < N; i++) { //= no
        previous q(a[i]);
        b[i] = q.before;
    }
}
ALONE void numbers_of_objects(int *b) {
    for (int i = 0; i < N; i++) { //= induction|no
        numbered k;
        b[i] = k.id;
    }
}
ALONE void counts_objects(int *b, const int *a) {
    for (int i = 0; i < N; i++) { //= reduction
        living l(a[i]);
        b[i] = l.v;
    }
}
ALONE int counts_by_reference(int *b) {
    int d = 0;
    for (int i = 0; i < N; i++) { //= induction|no
        counting g(d);
        b[i] = d + i;
    }
    return d;
}
ALONE void objects_of_the_body(int *b, const int *a) {
    for (int i = 0; i < N; i++) { //= yes
        plain p(a[i]);
        b[i] = p.twice();
    }
}

struct state {
    int top, t;
    int d[N + 8];
};
static state st;
static inline int *top(void) { return &numbers[5]; }
static inline double *last(void) { return &values[0]; }
static inline state *self(void) { return &st; }
static inline int *place(int i) { return numbers + i; }
static inline int &at(int *p, int i) { return p[i]; }
static inline void copy_one(int *d, const int *s) { *d = *s; }
static inline double get(const double *p) { return *p; }
static inline void set(double *p, double x) { *p = x; }

ALONE void reads_the_top(int *b, const int *a) {
    for (int i = 0; i < N; i++) { //= no
        b[i] = *top();
        *top() = a[i];
    }
}
ALONE void counts_the_top(int *b) {
    for (int i = 0; i < N; i++) //= induction|no
        b[i] = (*top())++;
}
ALONE void halves_the_last(double *e) {
    for (int i = 0; i < N; i++) { //= no
        double t = *last();
        *last() = t * .5 + i;
        e[i] = t;
    }
}
ALONE void own_state(int *b, const int *a) {
    for (int i = 0; i < N; i++) { //= no
        b[i] = self()->t;
        self()->t = a[i];
    }
}
ALONE void own_stack(const int *a) {
    for (int i = 0; i < N; i++) //= induction|no
        self()->d[self()->top++] = a[i];
}
ALONE void along_places(void) {
    for (int i = 0; i < N; i++) //= no
        *place(i + 1) = *place(i) + 3;
}
ALONE void along_elements(int *a) {
    for (int i = 0; i < N; i++) //= no
        at(a, i + 1) = at(a, i) + 1;
}
ALONE void copies_along(int *a) {
    for (int i = 0; i < N; i++) //= no
        copy_one(a + i + 1, a + i);
}
ALONE void sets_along(double *d) {
    for (int i = 0; i < N; i++) //= no
        set(d + i + 1, get(d + i));
}
ALONE void bytes_along(char *s) {
    for (int i = 0; i < N; i++) //= no
        memcpy(s + i + 1, s + i, 1);
}
ALONE void sets_beside(double *d, const double *e) {
    for (int i = 0; i < N; i++) //= yes
        set(d + i, get(e + i) * 2);
}
ALONE void pointers_along(int *a) {
    for (int i = 0; i < N; i++) { //= no
        int *p = &a[i + 1], *q = &a[i];
        *p = *q + 1;
    }
}
ALONE void pointers_along_at_once(int *a) {
    for (int i = 0; i < N; i++) { int *p = &a[i + 1], *q = &a[i]; *p = *q + 1; } //= no
}
ALONE void pointer_to_one(int *b, const int *a) {
    for (int i = 0; i < N; i++) { int *p = &numbers[5]; b[i] = *p; *p = a[i]; } //= no
}
ALONE void pointers_of_functions(void) {
    for (int i = 1; i < N; i++) { //= no
        int *p = place(i), *q = place(i - 1);
        *p = *q + 2;
    }
}
ALONE void pointers_beside(int *a) {
    for (int i = 0; i < N / 2; i++) { //= yes
        int *p = &a[2 * i], *q = &a[2 * i + 1];
        *p = *q + 1;
    }
}
ALONE void own_pointer(int *a, const int *b) {
    for (int i = 0; i < N; i++) { //= yes
        int *p = &a[i];
        const int *q = &b[i + 1];
        *p += *q;
    }
}

int main() {
    int *a = integers(N + 8), *b = zeros(N + 8);
    double *d = reals(N + 8), *e = reals(N + 8);
    char text[N + 8] = "x";
    reads_the_last(b, a);
    show("b", b, N);
    numbers_of_objects(b);
    show("b", b, N);
    counts_objects(b, a);
    unsigned r = counts_by_reference(b);
    show("b", b, N);
    objects_of_the_body(b, a);
    reads_the_top(b, a);
    show("b", b, N);
    counts_the_top(b);
    show("b", b, N);
    halves_the_last(e);
    show_reals("e", e, N);
    own_state(b, a);
    own_stack(a);
    show("b", b, N);
    along_places();
    show("n", numbers, N);
    pointers_of_functions();
    show("n", numbers, N);
    own_pointer(a, b);
    along_elements(a);
    show("a", a, N);
    pointers_beside(a);
    show("a", a, N);
    copies_along(a);
    pointers_along(a);
    show("a", a, N);
    pointers_along_at_once(a);
    show("a", a, N);
    pointer_to_one(b, a);
    show("b", b, N);
    sets_beside(d, e);
    sets_along(d);
    show_reals("d", d, N);
    bytes_along(text);
    printf("%u %c %d %d %d %g\n", r, text[N - 1], living::alive, living::ended, st.d[7], other[1]);
    return 0;
}
