/* The same few patterns in unusual spellings: macros, shadowing, addresses, comma expressions, assembly. */
#include "common.h"

#define EACH(i, n) for (int i = 0; i < (n); i++)
#define NEXT(k) ((k)++)
#define PUT(out, k, x) do { (out)[(k)] = (x); (k) += 1; } while (0)
#define KEEP(t, x) t = (x)

int k;
static int cursor_storage;
static int *cursor = &cursor_storage;

ALONE void macro_loop(int *a, int n) {
    EACH(i, n) //= yes
        a[i] = i * 5;
}
ALONE void macro_loop_carried(int *a, int n) {
    int prev = 0;
    EACH(i, n) { //= no
        int t = a[i];
        a[i] = t - prev;
        prev = t;
    }
}
ALONE int macro_position(int *out, const int *a, int n) {
    int p = 0;
    for (int i = 0; i < n; i++) //= induction|no
        out[NEXT(p)] = a[i];
    return p;
}
ALONE int macro_statement(int *out, const int *a, int n) {
    int p = 0;
    for (int i = 0; i < n; i++) //= induction|no
        PUT(out, p, a[i] + 1);
    return p;
}
ALONE void macro_conditional(int *b, const int *a, int n) {
    int t = 0;
    for (int i = 0; i < n; i++) { //= no
        if (a[i] < 1000) KEEP(t, a[i]);
        b[i] = t;
    }
}
/* The inner k hides the global one, which is a position. */
ALONE void shadowed(int *out, const int *a, int n) {
    for (int i = 0; i < n; i++) { //= induction|no
        out[k++] = a[i];
        {
            int k = a[i] * 2;
            out[n + i] = k;
        }
    }
}
ALONE void shadowed_the_other_way(int *out, const int *a, int n) {
    int k = 5;
    for (int i = 0; i < n; i++) { //= yes
        int k = a[i] * 3;
        out[i] = k;
    }
    out[0] += k;
}
ALONE void shadowed_iterator(int *out, int n) {
    int i = 0;
    for (int j = 0; j < n; j++) { //= no|induction
        out[i] = j;
        i++;
        for (int i = 0; i < 3; i++) //= yes
            out[n + i] = 7;
    }
}
ALONE void by_address(int *out, const int *a, int n) {
    int p = 0, *q = &p;
    for (int i = 0; i < n; i++) { //= induction|no
        out[p] = a[i];
        *q += 1;
    }
}
ALONE void by_global_pointer(int *out, const int *a, int n) {
    for (int i = 0; i < n; i++) //= induction|no
        out[(*cursor)++] = a[i];
}
ALONE void carried_by_address(int *out, const int *a, int n) {
    int t = 0, *q = &t;
    for (int i = 0; i < n; i++) { //= no
        out[i] = t;
        *q = a[i];
    }
}
ALONE void array_of_one(int *out, const int *a, int n) {
    int p[1] = {0};
    for (int i = 0; i < n; i++) { //= induction|no
        out[p[0]] = a[i];
        p[0]++;
    }
}
ALONE void carried_in_array_of_one(int *out, const int *a, int n) {
    int t[2] = {0, 0};
    for (int i = 0; i < n; i++) { //= no
        out[i] = t[0];
        t[0] = a[i];
    }
}
ALONE void comma(int *out, const int *a, int n) {
    int p = 0, i;
    for (i = 0; i < n; i++) //= induction|no
        p++, out[p - 1] = a[i];
}
ALONE void in_a_condition(int *out, const int *a, int n) {
    int t = 0;
    for (int i = 0; i < n; i++) { //= private|no
        if ((t = a[i]) > 0) out[i] = t;
    }
}
ALONE void short_circuited(int *out, const int *a, int n) {
    int t = 0;
    for (int i = 0; i < n; i++) { //= no
        int c = a[i] < 1000 && (t = a[i], 1);
        out[i] = t + c;
    }
}
ALONE void chosen_assignment(int *out, const int *a, int n) {
    int t = 0;
    for (int i = 0; i < n; i++) { //= no
        a[i] < 1000 ? (t = a[i]) : 0;
        out[i] = t;
    }
}
ALONE void chained(int *out, int *b, const int *a, int n) {
    int t;
    for (int i = 0; i < n; i++) //= private
        out[i] = t = b[i] = a[i] * 2;
}
ALONE void struct_copied(int *out, const int *a, int n) {
    struct { int v, w; } prev = {0, 0}, now;
    for (int i = 0; i < n; i++) { //= no
        now.v = a[i];
        now.w = prev.v;
        out[i] = now.w;
        prev = now;
    }
}
ALONE void copied_by_memcpy(int *out, const int *a, int n) {
    int prev = 0;
    for (int i = 0; i < n; i++) { //= no
        out[i] = prev;
        memcpy(&prev, &a[i], sizeof prev);
    }
}
ALONE void statement_expression(int *out, const int *a, int n) {
    int p = 0;
    for (int i = 0; i < n; i++) //= induction|no
        out[({ int q = p; p++; q; })] = a[i];
}
ALONE void by_assembly(int *out, const int *a, int n) {
    int p = 0;
    for (int i = 0; i < n; i++) { //= induction|no
        out[p] = a[i];
        __asm__("addl $1, %0" : "+r"(p));
    }
}
ALONE void by_builtin(int *out, const int *a, int n) {
    int p = 0;
    for (int i = 0; i < n; i++) { //= induction|no
        out[p] = a[i];
        if (__builtin_add_overflow(p, 1, &p)) return;
    }
}
ALONE void by_atomic(int *out, const int *a, int n) {
    int p = 0;
    for (int i = 0; i < n; i++) //= no
        out[__atomic_fetch_add(&p, 1, __ATOMIC_RELAXED)] = a[i];
}
ALONE void by_goto(int *out, const int *a, int n) {
    int t = 0;
    for (int i = 0; i < n; i++) { //= no
        if (a[i] > 1000) goto use;
        t = a[i];
    use:
        out[i] = t;
    }
}
ALONE void by_switch(int *out, const int *a, int n) {
    int t = 0;
    for (int i = 0; i < n; i++) { //= no
        switch (a[i] > 1000) {
        case 0: t = a[i]; break;
        case 1: break;
        }
        out[i] = t;
    }
}
ALONE void written_in_an_inner_loop(int *out, const int *a, int n, int m) {
    int t = 0;
    for (int i = 0; i < n; i++) { //= no
        for (int j = 0; j < m; j++) //= private|no
            t = a[(i + j) % n];
        out[i] = t;
    }
}
static inline __attribute__((always_inline)) void advance(int *p) { *p += 1; }
ALONE void inlined_callee(int *out, const int *a, int n) {
    int p = 0;
    for (int i = 0; i < n; i++) { //= induction|no
        out[p] = a[i];
        advance(&p);
    }
}
static inline __attribute__((always_inline)) int kept(int x) {
    static int before;
    int r = before;
    before = x;
    return r;
}
ALONE void inlined_static(int *out, const int *a, int n) {
    for (int i = 0; i < n; i++) //= no
        out[i] = kept(a[i]);
}
static inline __attribute__((always_inline)) void one_row(int *out, const int *a, int n) {
    for (int i = 1; i < n; i++) //= no
        out[i] = out[i - 1] + a[i];
}
ALONE void inlined_loops(int *out, const int *a, int n) {
    for (int r = 0; r < 4; r++) //= yes
        one_row(out + r * n, a, n);
}
ALONE void union_member(int *out, const int *a, int n) {
    union { int i; unsigned u; } t = {0};
    for (int i = 0; i < n; i++) { //= no
        out[i] = t.u;
        t.i = a[i];
    }
}
ALONE void punned(int *out, const int *a, int n) {
    unsigned t = 0;
    for (int i = 0; i < n; i++) { //= no
        out[i] = t;
        *(int *)&t = a[i];
    }
}
ALONE void nested_function(int *out, const int *a, int n) {
    int p = 0;
    int next(void) { return p++; }
    for (int i = 0; i < n; i++) //= induction|no
        out[next()] = a[i];
}
ALONE void register_variable(int *out, const int *a, int n) {
    register int t = 0;
    for (register int i = 0; i < n; i++) { //= no
        out[i] = t;
        t = a[i];
    }
}
ALONE void parameter_carried(int *out, const int *a, int n, int t) {
    for (int i = 0; i < n; i++) { //= no
        out[i] = t;
        t = a[i] - t;
    }
}
ALONE void decremented_by_minus(int *out, const int *a, int n) {
    int p = n;
    for (int i = 0; i < n; i++) { //= induction
        p = p + -1;
        out[p] = a[i];
    }
}
ALONE void written_out(int *out, const int *a, int n) {
    int p = 0;
    for (int i = 0; i < n; i++) { //= induction
        out[p] = a[i];
        p = 1 + p;
    }
}
ALONE void through_a_copy(int *out, const int *a, int n) {
    int p = 0;
    for (int i = 0; i < n; i++) { //= induction|no
        int q = p + 1;
        out[p] = a[i];
        p = q;
    }
}
ALONE int arms_that_add_the_same(int *out, const int *a, int n) {
    int p = 0;
    for (int i = 0; i < n; i++) { //= induction|no
        if (a[i] > 0) {
            out[p] = a[i];
            p++;
        } else {
            out[p] = -a[i];
            p++;
        }
    }
    return p;
}
ALONE int arms_of_which_one_never_runs(int *out, const int *a, int n) {
    int p = 0;
    for (int i = 0; i < n; i++) { //= no
        out[p] = a[i];
        if (a[i] > 1000)
            p += 2;
        else
            p++;
    }
    return p;
}
ALONE void skipped_increment(int *out, const int *a, int n) {
    int p = 0;
    for (int i = 0; i < n; i++) { //= no
        out[p] = a[i];
        if (a[i] > 1000) continue;
        p++;
    }
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 60, *a = integers(n), *out = zeros(5 * n);
    macro_loop(out, n);
    macro_loop_carried(out, n);
    show("macro_loop", out, n);
    printf("%d %d\n", macro_position(out, a, n), macro_statement(out, a, n));
    macro_conditional(out, a, n);
    shadowed(out, a, n);
    shadowed_the_other_way(out, a, n);
    shadowed_iterator(out, n);
    show("shadowed", out, 2 * n);
    by_address(out, a, n);
    by_global_pointer(out, a, n);
    printf("%d %d\n", k, *cursor);
    carried_by_address(out, a, n);
    show("carried", out, n);
    array_of_one(out, a, n);
    carried_in_array_of_one(out, a, n);
    comma(out + n, a, n);
    in_a_condition(out, a, n);
    short_circuited(out + 2 * n, a, n);
    chosen_assignment(out + 3 * n, a, n);
    show("carried", out, 4 * n);
    chained(out, out + n, a, n);
    struct_copied(out, a, n);
    copied_by_memcpy(out + n, a, n);
    statement_expression(out + 2 * n, a, n);
    by_assembly(out + 3 * n, a, n);
    show("copies", out, 4 * n);
    by_builtin(out, a, n);
    by_atomic(out + n, a, n);
    by_goto(out + 2 * n, a, n);
    by_switch(out + 3 * n, a, n);
    show("jumps", out, 4 * n);
    written_in_an_inner_loop(out, a, n, 1 + argc);
    inlined_callee(out + n, a, n);
    inlined_static(out + 2 * n, a, n);
    show("inlined", out, 3 * n);
    inlined_loops(out, a, n);
    show("inlined_loops", out, 4 * n);
    union_member(out, a, n);
    punned(out + n, a, n);
    nested_function(out + 2 * n, a, n);
    register_variable(out + 3 * n, a, n);
    show("members", out, 4 * n);
    parameter_carried(out, a, n, argc);
    decremented_by_minus(out + n, a, n);
    written_out(out + 2 * n, a, n);
    through_a_copy(out + 3 * n, a, n);
    show("spelled", out, 4 * n);
    printf("%d\n", arms_that_add_the_same(out + n, a, n));
    printf("%d\n", arms_of_which_one_never_runs(out + 2 * n, a, n));
    skipped_increment(out + 3 * n, a, n);
    show("arms", out, 4 * n);
    return 0;
}
