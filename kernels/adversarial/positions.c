/* Positions that a loop keeps beside its iterator, or instead of it. */
#include "common.h"

int filled;
static int used;
static int ids;
struct stack { int top; int *items; };

ALONE void global_position(int *out, const int *in, int n) {
    for (int i = 0; i < n; i++) //= induction
        out[filled++] = in[i];
}
ALONE void static_position(int *out, const int *in, int n) {
    for (int i = 0; i < n; i++) //= induction
        out[used++] = in[i] + 1;
}
ALONE int local_position(int *out, const int *in, int n) {
    int k = 0;
    for (int i = 0; i < n; i++) { //= induction
        out[k] = in[i] * 2;
        k++;
    }
    return k;
}
ALONE void pointed_position(int *out, const int *in, int n, int *at) {
    for (int i = 0; i < n; i++) { //= induction
        out[*at] = in[i];
        (*at)++;
    }
}
ALONE void member_position(struct stack *s, const int *in, int n) {
    for (int i = 0; i < n; i++) //= induction
        s->items[s->top++] = in[i];
}
ALONE int two_steps(int *out, const int *in, int n) {
    int k = 0;
    for (int i = 0; i < n; i++) { //= induction
        out[k] = in[i];
        out[k + 1] = -in[i];
        k += 2;
    }
    return k;
}
ALONE int two_increments(int *out, const int *in, int n) {
    int k = 0;
    for (int i = 0; i < n; i++) { //= induction
        out[k++] = in[i];
        out[k++] = in[i] / 2;
    }
    return k;
}
ALONE int invariant_step(int *out, const int *in, int n, int step) {
    int k = 3;
    for (int i = 0; i < n; i++) { //= induction
        out[k] = in[i];
        k += step;
    }
    return k;
}
ALONE void geometric(unsigned *out, int n) {
    unsigned k = 1;
    for (int i = 0; i < n; i++) { //= no|induction
        out[i] = k;
        k *= 3;
    }
}
ALONE int doubling(double *a, int n) {
    int steps = 0;
    for (int w = 1; w < n; w *= 2) { //= no
        a[w] = a[w / 2] + 1;
        steps++;
    }
    return steps;
}
/* The iterator is in no canonical form, though its values follow from those of a counter. */
ALONE void doubled_independent(double *a, int n) {
    for (int w = 1; w < n; w *= 2) //= induction|no
        a[w] = w + 0.5;
}
ALONE int next_id(void) {
    static int next = 100;
    return next++;
}
ALONE void ids_from_a_callee(int *id, int n) {
    for (int i = 0; i < n; i++) //= no
        id[i] = next_id();
}
ALONE int pool_take(struct stack *s) { return s->items[s->top++]; }
ALONE void pool_of_a_callee(struct stack *s, int *id, int n) {
    for (int i = 0; i < n; i++) //= no|induction
        id[i] = pool_take(s);
}
ALONE void conditional_append(int *out, const int *in, int n) {
    ids = 0;
    for (int i = 0; i < n; i++) //= no
        if (in[i] > 0) out[ids++] = in[i];
}
/* The condition holds in every iteration of this run. */
ALONE int append_all(int *out, const int *in, int n) {
    int k = 0;
    for (int i = 0; i < n; i++) //= no
        if (in[i] < 1000) out[k++] = in[i];
    return k;
}
ALONE void while_pointer(int *p, int n) {
    while (n--) //= induction
        *p++ = 7;
}
ALONE void two_headers(double *a, const double *b, int n) {
    int i;
    const double *p;
    for (i = 0, p = b; i < n; i++, p++) //= induction
        a[i] = *p * 2;
}
ALONE int do_while(int *a, int n) {
    int i = 0;
    do { //= induction
        a[i] = i * i;
        i++;
    } while (i < n);
    return i;
}
ALONE void copied_string(char *to, const char *from) {
    while ((*to = *from) != 0) { //= induction|no
        to++;
        from++;
    }
}
ALONE void countdown(int *a, int n) {
    for (int i = n - 1; i >= 0; i--) //= yes
        a[i] = i ^ 5;
}
ALONE void by_three(int *a, int n) {
    for (int i = 2; i < n; i += 3) //= yes
        a[i] += 11;
}
ALONE int *iterate_pointer(int *a, int n) {
    for (int *p = a; p < a + n; p++) //= yes
        *p += 3;
    return a;
}
/* The iterator is changed in the body as well. */
ALONE void skipping(int *a, const int *skip, int n) {
    for (int i = 0; i < n; i++) { //= no
        a[i] = 1;
        if (skip[i] > 40) i++;
    }
}
ALONE void appended_box(double (*box)[3], const double *x, int n, int *boxes) {
    for (int i = 0; i < n; i++) { //= induction
        double *b = box[*boxes];
        b[0] = x[i];
        b[1] = x[i] * 2;
        b[2] = x[i] * 3;
        *boxes += 1;
    }
}
ALONE double running_coordinate(double *y, int n, double h) {
    double x = 0;
    for (int i = 0; i < n; i++) { //= induction|no
        y[i] = x * x;
        x += h;
    }
    return x;
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 100;
    int *in = integers(n), *out = zeros(4 * n), *skip = integers(n), at = 0, boxes = 0;
    double *x = reals(n), *y = reals(n);
    double (*box)[3] = calloc(n, sizeof *box);
    struct stack s = {0, zeros(2 * n)};
    global_position(out, in, n);
    show("global_position", out, n);
    static_position(out, in, n);
    show("static_position", out, n);
    printf("%d\n", local_position(out, in, n));
    pointed_position(out, in, n, &at);
    member_position(&s, in, n);
    show("member_position", s.items, n);
    printf("%d\n", two_steps(out, in, n));
    printf("%d\n", two_increments(out, in, n));
    printf("%d\n", invariant_step(out, in, n, argc + 1));
    show("positions", out, 2 * n);
    geometric((unsigned *)out, n);
    printf("%d\n", doubling(x, n));
    doubled_independent(y, n);
    ids_from_a_callee(out, n);
    s.top = 0;
    pool_of_a_callee(&s, out + n, n);
    show("pool", out, 2 * n);
    conditional_append(out, in, n);
    printf("%d %d\n", ids, append_all(out, in, n));
    while_pointer(out, n);
    show("while_pointer", out, 2 * n);
    two_headers(x, y, n);
    printf("%d\n", do_while(out, n));
    char from[201], to[201];
    memset(from, 'x', n);
    from[n] = 0;
    copied_string(to, from);
    printf("%s\n", to);
    countdown(out, n);
    by_three(out, n);
    iterate_pointer(out, n);
    skipping(out, skip, n);
    show("out", out, 2 * n);
    appended_box(box, x, n, &boxes);
    show_reals("box", box[0], 3 * n);
    printf("%g\n", running_coordinate(y, n, 0.125 * argc));
    show_reals("x", x, n);
    show_reals("y", y, n);
    return 0;
}
