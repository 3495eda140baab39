/* Values that go from one iteration to another in scalars. */
#include "common.h"

ALONE void always_assigned(double *b, const double *a, const int *f, int n) {
    double t = -1;
    for (int i = 0; i < n; i++) { //= no
        if (f[i] < 1000) t = a[i];
        b[i] = t;
    }
}
ALONE void sometimes_assigned(double *b, const double *a, const int *f, int n) {
    double t = -1;
    for (int i = 0; i < n; i++) { //= no
        if (f[i] > 0) t = a[i];
        b[i] = t;
    }
}
ALONE void assigned_where_used(double *b, const double *a, const int *f, int n) {
    double t;
    for (int i = 0; i < n; i++) { //= private
        if (f[i] > 0) {
            t = a[i];
            b[i] = t * t;
        }
    }
}
ALONE void previous_value(double *d, const double *a, int n) {
    double prev = 0;
    for (int i = 0; i < n; i++) { //= no
        d[i] = a[i] - prev;
        prev = a[i];
    }
}
ALONE void previous_integer(int *d, const int *a, int n) {
    int prev = a[0];
    for (int i = 1; i < n; i++) { //= no
        d[i] = a[i] - prev;
        prev = a[i];
    }
}
ALONE void two_back(int *d, const int *a, int n) {
    int one = 0, two = 0;
    for (int i = 0; i < n; i++) { //= no
        d[i] = a[i] + two;
        two = one;
        one = a[i];
    }
}
ALONE int conditional_last(const int *a, int n) {
    int last = -1;
    for (int i = 0; i < n; i++) //= no
        if (a[i] > 20) last = i;
    return last;
}
ALONE int conditional_last_always(const int *a, int n) {
    int last = -1;
    for (int i = 0; i < n; i++) //= no
        if (a[i] > -1000) last = i;
    return last;
}
ALONE int unconditional_last(int *b, const int *a, int n) {
    int last = -1;
    for (int i = 0; i < n; i++) { //= private
        last = a[i] + i;
        b[i] = last * 2;
    }
    return last;
}
ALONE void wrap_around(double *b, const double *a, int n) {
    int j = n - 1;
    for (int i = 0; i < n; i++) { //= no
        b[i] = a[i] + a[j];
        j = i;
    }
}
ALONE void affine_previous(int *b, int n, int k) {
    int t = 5;
    for (int i = 0; i < n; i++) { //= no
        b[i] = t;
        t = 3 * i + k;
    }
}
ALONE void alternating(double *b, const double *a, int n) {
    double sign = 1;
    for (int i = 0; i < n; i++) { //= no
        b[i] = sign * a[i];
        sign = -sign;
    }
}
ALONE void toggled_buffers(double *x, double *y, int n) {
    double *p = x, *q = y;
    for (int i = 0; i + 1 < n; i++) { //= no
        q[i] = p[i] + 1;
        double *t = p;
        p = q;
        q = t;
    }
}
struct node { struct node *next; int value; };
ALONE struct node *push_list(struct node *pool, const int *a, int n) {
    struct node *head = NULL;
    for (int i = 0; i < n; i++) { //= no
        pool[i].value = a[i];
        pool[i].next = head;
        head = &pool[i];
    }
    return head;
}
ALONE struct node *append_list(struct node *pool, const int *a, int n) {
    struct node *head = NULL, **end = &head;
    for (int i = 0; i < n; i++) { //= no
        pool[i].value = a[i];
        pool[i].next = NULL;
        *end = &pool[i];
        end = &pool[i].next;
    }
    return head;
}
ALONE struct node *allocated_list(const int *a, int n) {
    struct node *head = NULL;
    for (int i = 0; i < n; i++) { //= no
        struct node *p = malloc(sizeof *p);
        p->value = a[i];
        p->next = head;
        head = p;
    }
    return head;
}
/* Nodes lie one after another in memory, so their addresses are affine in this run. */
ALONE void walk_list(struct node *head) {
    for (struct node *p = head; p; p = p->next) //= no
        p->value += 1;
}
ALONE long sum_list(struct node *head) {
    long s = 0;
    for (struct node *p = head; p; p = p->next) //= no
        s += p->value;
    return s;
}
ALONE void fibonacci(unsigned *f, int n) {
    unsigned a = 0, b = 1;
    for (int i = 0; i < n; i++) { //= no
        f[i] = a;
        unsigned t = a + b;
        a = b;
        b = t;
    }
}
ALONE unsigned fibonacci_last(int n) {
    unsigned a = 0, b = 1;
    for (int i = 0; i < n; i++) { //= no
        unsigned t = a + b;
        a = b;
        b = t;
    }
    return a;
}
ALONE void state_machine(int *kind, const char *text, int n) {
    int state = 0;
    for (int i = 0; i < n; i++) { //= no
        switch (state) {
        case 0: state = text[i] == '"' ? 1 : 0; break;
        case 1: state = text[i] == '\\' ? 2 : text[i] == '"' ? 0 : 1; break;
        default: state = 1;
        }
        kind[i] = state;
    }
}
/* The state is the same in every iteration of this run. */
ALONE void constant_state(int *kind, const int *a, int n) {
    int state = 0;
    for (int i = 0; i < n; i++) { //= no
        switch (state) {
        case 0: state = a[i] > 1000 ? 1 : 0; break;
        default: state = 0;
        }
        kind[i] = state;
    }
}
ALONE void random_numbers(unsigned *r, int n) {
    unsigned state = 12345;
    for (int i = 0; i < n; i++) { //= no
        state = state * 1664525u + 1013904223u;
        r[i] = state >> 16;
    }
}
ALONE int running_maximum(int *m, const int *a, int n) {
    int best = a[0];
    for (int i = 0; i < n; i++) { //= no
        if (a[i] > best) best = a[i];
        m[i] = best;
    }
    return best;
}
ALONE void running_sum(int *s, const int *a, int n) {
    int sum = 0;
    for (int i = 0; i < n; i++) { //= no
        sum += a[i];
        s[i] = sum;
    }
}
/* All ones, so the partial sums are affine. */
ALONE void running_sum_of_ones(int *s, const int *ones, int n) {
    int sum = 0;
    for (int i = 0; i < n; i++) { //= no
        sum += ones[i];
        s[i] = sum;
    }
}
ALONE void first_time(int *b, const int *a, int n) {
    int first = 1;
    for (int i = 0; i < n; i++) { //= no
        if (first) {
            b[i] = -1;
            first = 0;
        } else
            b[i] = a[i];
    }
}
ALONE void shifted_window(double *y, const double *x, int n) {
    double a = x[0], b = x[1];
    for (int i = 2; i < n; i++) { //= no
        double c = x[i];
        y[i] = (a + b + c) / 3;
        a = b;
        b = c;
    }
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 100;
    double *a = reals(n), *b = reals(n);
    int *f = integers(n), *k = zeros(n), *ones = zeros(n);
    for (int i = 0; i < n; i++) ones[i] = argc;
    always_assigned(b, a, f, n);
    show_reals("always_assigned", b, n);
    sometimes_assigned(b, a, f, n);
    show_reals("sometimes_assigned", b, n);
    assigned_where_used(b, a, f, n);
    previous_value(b, a, n);
    show_reals("previous_value", b, n);
    previous_integer(k, f, n);
    show("previous_integer", k, n);
    two_back(k, f, n);
    show("two_back", k, n);
    printf("%d %d\n", conditional_last(f, n), conditional_last_always(f, n));
    printf("%d\n", unconditional_last(k, f, n));
    wrap_around(b, a, n);
    show_reals("wrap_around", b, n);
    affine_previous(k, n, argc);
    show("affine_previous", k, n);
    alternating(b, a, n);
    show_reals("alternating", b, n);
    toggled_buffers(a, b, n);
    show_reals("toggled", b, n);
    struct node *pool = calloc(n, sizeof *pool);
    struct node *head = push_list(pool, f, n);
    printf("%d\n", head->value);
    head = append_list(pool, f, n);
    printf("%d\n", head->value);
    walk_list(head);
    printf("%ld\n", sum_list(head));
    head = allocated_list(f, n);
    printf("%d\n", head->next->value);
    fibonacci((unsigned *)k, n);
    show("fibonacci", k, n);
    printf("%u\n", fibonacci_last(n));
    char *text = malloc(n);
    for (int i = 0; i < n; i++) text[i] = "ab\"c\\"[i % 5];
    state_machine(k, text, n);
    show("state_machine", k, n);
    constant_state(k, f, n);
    show("constant_state", k, n);
    random_numbers((unsigned *)k, n);
    show("random", k, n);
    printf("%d\n", running_maximum(k, f, n));
    running_sum(k, f, n);
    show("running_sum", k, n);
    running_sum_of_ones(k, ones, n);
    show("running_sum_of_ones", k, n);
    first_time(k, f, n);
    show("first_time", k, n);
    shifted_window(b, a, n);
    show_reals("shifted_window", b, n);
    return 0;
}
