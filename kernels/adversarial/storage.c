/* Where variables live, who else touches them, and when their bytes matter. */
#include "common.h"

static double row[64];
static int hits;
static char line[64];
static double scratch;
static __thread int local_to_thread;
int shared_temporary;

/* A row that every iteration fills and reads. */
ALONE void static_row(double *out, const double *a, int n) {
    for (int i = 0; i < n; i++) { //= private
        for (int j = 0; j < 64; j++) //= yes
            row[j] = a[i] * j;
        double s = 0;
        for (int j = 0; j < 64; j++) //= reduction
            s += row[j];
        out[i] = s;
    }
}
/* Not all of it is filled anew. */
ALONE void partly_filled_row(double *out, const double *a, int n) {
    for (int i = 0; i < n; i++) { //= no
        for (int j = 0; j < 32 + i % 3; j++) //= yes
            row[j] = a[i] * j;
        double s = 0;
        for (int j = 0; j < 34; j++) //= reduction
            s += row[j];
        out[i] = s;
    }
}
ALONE void row_in_the_body(double *out, const double *a, int n) {
    for (int i = 0; i < n; i++) { //= yes
        double r[32];
        for (int j = 0; j < 32; j++) //= yes
            r[j] = a[i] * j;
        double s = 0;
        for (int j = 0; j < 32; j++) //= reduction
            s += r[j] * r[31 - j];
        out[i] = s;
    }
}
ALONE void row_outside(double *out, const double *a, int n) {
    double r[32];
    for (int i = 0; i < n; i++) { //= private
        for (int j = 0; j < 32; j++) //= yes
            r[j] = a[i] * j;
        double s = 0;
        for (int j = 0; j < 32; j++) //= reduction
            s += r[j] * r[31 - j];
        out[i] = s;
    }
}
ALONE void heap_row_outside(double *out, const double *a, int n) {
    double *r = malloc(32 * sizeof *r);
    for (int i = 0; i < n; i++) { //= words
        for (int j = 0; j < 32; j++) //= yes
            r[j] = a[i] * j;
        double s = 0;
        for (int j = 0; j < 32; j++) //= reduction
            s += r[j] * r[31 - j];
        out[i] = s;
    }
    free(r);
}
ALONE void heap_row_in_the_body(double *out, const double *a, int n) {
    for (int i = 0; i < n; i++) { //= yes
        double *r = malloc(32 * sizeof *r);
        for (int j = 0; j < 32; j++) //= yes
            r[j] = a[i] * j;
        double s = 0;
        for (int j = 0; j < 32; j++) //= reduction
            s += r[j] * r[31 - j];
        out[i] = s;
        free(r);
    }
}
/* Allocated memory that is read before it is written in the first iteration only. */
ALONE void zeroed_in_the_body(double *out, const double *a, int n) {
    for (int i = 0; i < n; i++) { //= yes
        double *r = calloc(8, sizeof *r);
        r[i % 8] += a[i];
        out[i] = r[0] + r[7];
        free(r);
    }
}
ALONE void static_in_the_body(int *out, const int *a, int n) {
    for (int i = 0; i < n; i++) { //= no
        static int kept = 0;
        out[i] = kept + a[i];
        kept = a[i];
    }
}
ALONE void counting_static_in_the_body(int *out, int n) {
    for (int i = 0; i < n; i++) { //= induction
        static int calls = 0;
        out[i] = calls++;
    }
}
ALONE void static_temporary_in_the_body(double *out, const double *a, int n) {
    for (int i = 0; i < n; i++) { //= private
        static double t;
        t = a[i] * a[i];
        out[i] = t + 1 / t;
    }
}
ALONE void global_temporary(int *out, const int *a, int n) {
    for (int i = 0; i < n; i++) { //= private
        shared_temporary = a[i] * 3;
        out[i] = shared_temporary - 1;
    }
}
ALONE void scalars_outside(double *out, const double *a, int n) {
    double t, u;
    for (int i = 0; i < n; i++) { //= private
        t = a[i] + 1;
        u = t * t;
        out[i] = u - t;
    }
}
ALONE int iterator_outside(double *out, const double *a, int n) {
    int i;
    for (i = 0; i < n; i++) //= yes|private
        out[i] = a[i] * 2;
    return i;
}
ALONE void inner_iterator_outside(double *out, const double *a, int n) {
    int i, j;
    for (i = 0; i < n; i++) //= private
        for (j = 0; j < 20; j++) //= yes|private
            out[i * 20 + j] = a[i] + j;
}
ALONE double last_value_needed(double *out, const double *a, int n) {
    double t = 0;
    for (int i = 0; i < n; i++) { //= private
        t = a[i] * 3;
        out[i] = t;
    }
    return t;
}
/* The first byte comes from before the loop. */
ALONE void first_private(char *text, int n) {
    char buffer[32];
    buffer[0] = '#';
    for (int i = 0; i < n; i++) { //= private
        sprintf(buffer + 1, "%d", i);
        memcpy(text + 8 * i, buffer, 5);
    }
}
ALONE void formatted_into_a_global(char *text, int n) {
    for (int i = 0; i < n; i++) { //= private
        sprintf(line, "%05d", i * 7);
        memcpy(text + 8 * i, line, 6);
    }
}
ALONE void formatted_in_the_body(char *text, int n) {
    for (int i = 0; i < n; i++) { //= yes
        char buffer[32];
        sprintf(buffer, "%05d", i * 7);
        memcpy(text + 8 * i, buffer, 6);
    }
}
/* What is appended stays for the next iteration. */
ALONE void appended_text(char *text, int n) {
    text[0] = 0;
    for (int i = 0; i < n; i++) { //= no
        char buffer[16];
        sprintf(buffer, "%d,", i);
        strcat(text, buffer);
    }
}
ALONE void count_hit(int i) {
    if (i & 1) hits++;
}
ALONE void counted_in_a_callee(double *out, const double *a, int n) {
    for (int i = 0; i < n; i++) { //= words
        count_hit(i);
        out[i] = a[i];
    }
}
ALONE double use_scratch(double x) {
    scratch = x * x;
    return scratch + 1 / scratch;
}
ALONE void scratch_of_a_callee(double *out, const double *a, int n) {
    for (int i = 0; i < n; i++) //= words
        out[i] = use_scratch(a[i]);
}
ALONE double remember(double x) {
    static double before = 0;
    double r = x - before;
    before = x;
    return r;
}
ALONE void memory_of_a_callee(double *out, const double *a, int n) {
    for (int i = 0; i < n; i++) //= no
        out[i] = remember(a[i]);
}
ALONE void thread_local_counter(int *out, int n) {
    for (int i = 0; i < n; i++) //= induction
        out[i] = local_to_thread++;
}
ALONE void thread_local_temporary(int *out, const int *a, int n) {
    for (int i = 0; i < n; i++) { //= yes|private
        local_to_thread = a[i];
        out[i] = local_to_thread * local_to_thread;
    }
}
ALONE double with_locals(double x, int k) {
    double t[8];
    for (int j = 0; j < 8; j++) //= yes
        t[j] = x * j;
    return t[k & 7];
}
ALONE void calls_with_locals(double *out, const double *a, int n) {
    for (int i = 0; i < n; i++) //= yes
        out[i] = with_locals(a[i], i);
}
ALONE void set(int *p, int v) { *p = v; }
ALONE void local_by_address(int *out, const int *a, int n) {
    for (int i = 0; i < n; i++) { //= yes
        int t;
        set(&t, a[i] * 5);
        out[i] = t;
    }
}
ALONE void outer_by_address(int *out, const int *a, int n) {
    int t;
    for (int i = 0; i < n; i++) { //= private
        set(&t, a[i] * 5);
        out[i] = t;
    }
}
ALONE void compound_literal(int *out, const int *a, int n) {
    int *p = (int[]){0};
    for (int i = 0; i < n; i++) { //= no
        *p = a[i] - *p;
        out[i] = *p;
    }
}
ALONE void alloca_outside(int *out, const int *a, int n) {
    int *p = __builtin_alloca(4 * sizeof *p);
    p[0] = 1;
    for (int i = 0; i < n; i++) { //= no
        out[i] = p[0];
        p[0] = a[i];
    }
}
ALONE void variable_length_in_the_body(double *out, const double *a, int n) {
    for (int i = 0; i < n; i++) { //= yes
        double r[1 + i % 7];
        r[i % 7] = a[i];
        r[0] = 1;
        out[i] = r[i % 7];
    }
}
ALONE void volatile_temporary(int *out, const int *a, int n) {
    volatile int t;
    for (int i = 0; i < n; i++) { //= private|no
        t = a[i];
        out[i] = t;
    }
}
ALONE void volatile_counter(int n, volatile int *c) {
    for (int i = 0; i < n; i++) //= no|reduction|words
        (*c)++;
}
struct particle { double x, v, old; };
ALONE void member_temporary(struct particle *p, const double *a, double *out, int n) {
    for (int i = 0; i < n; i++) { //= words
        p->old = a[i];
        out[i] = p->old * 2;
    }
}
/* Written in every iteration and read afterwards in part by condition only. */
ALONE double conditional_write(double *out, const double *a, int n) {
    double t = 0;
    for (int i = 0; i < n; i++) { //= no
        if (a[i] > 3) t = a[i];
        out[i] = a[i] * 2;
    }
    return t;
}
ALONE void union_words(unsigned *out, const float *a, int n) {
    for (int i = 0; i < n; i++) { //= yes
        union { float f; unsigned u; } w;
        w.f = a[i];
        out[i] = w.u >> 23;
    }
}
ALONE void stack_of_work(int *out, int n) {
    int todo[64];
    for (int i = 0; i < n; i++) { //= private
        int top = 0, seen = 0;
        todo[top++] = i;
        while (top > 0) { //= no
            int x = todo[--top];
            seen++;
            if (x > 3) {
                todo[top++] = x / 2;
                todo[top++] = x / 3;
            }
        }
        out[i] = seen;
    }
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 60;
    double *a = reals(20 * n), *out = reals(20 * n);
    int *k = integers(n), *o = zeros(n);
    char *text = calloc(16, n + 1);
    static_row(out, a, n);
    show_reals("static_row", out, n);
    partly_filled_row(out, a, n);
    show_reals("partly_filled_row", out, n);
    row_in_the_body(out, a, n);
    row_outside(out, a, n);
    heap_row_outside(out, a, n);
    heap_row_in_the_body(out, a, n);
    show_reals("rows", out, n);
    zeroed_in_the_body(out, a, n);
    show_reals("zeroed", out, n);
    static_in_the_body(o, k, n);
    show("static_in_the_body", o, n);
    counting_static_in_the_body(o, n);
    show("counting_static", o, n);
    static_temporary_in_the_body(out, a, n);
    show_reals("static_temporary", out, n);
    global_temporary(o, k, n);
    show("global_temporary", o, n);
    scalars_outside(out, a, n);
    show_reals("scalars_outside", out, n);
    printf("%d\n", iterator_outside(out, a, n));
    inner_iterator_outside(out, a, n);
    show_reals("inner_iterator_outside", out, n);
    printf("%g\n", last_value_needed(out, a, n));
    first_private(text, n);
    printf("%s\n", text + 8 * (n - 1));
    formatted_into_a_global(text, n);
    printf("%s\n", text + 8 * (n - 1));
    formatted_in_the_body(text, n);
    printf("%s\n", text + 8 * (n - 1));
    appended_text(text, n);
    printf("%s\n", text);
    counted_in_a_callee(out, a, n);
    printf("%d\n", hits);
    scratch_of_a_callee(out, a, n);
    memory_of_a_callee(out, a, n);
    show_reals("memory_of_a_callee", out, n);
    thread_local_counter(o, n);
    show("thread_local_counter", o, n);
    thread_local_temporary(o, k, n);
    calls_with_locals(out, a, n);
    show_reals("calls_with_locals", out, n);
    local_by_address(o, k, n);
    outer_by_address(o, k, n);
    show("outer_by_address", o, n);
    compound_literal(o, k, n);
    show("compound_literal", o, n);
    alloca_outside(o, k, n);
    show("alloca_outside", o, n);
    variable_length_in_the_body(out, a, n);
    show_reals("variable_length", out, n);
    volatile_temporary(o, k, n);
    volatile int c = 0;
    volatile_counter(n, &c);
    printf("%d\n", c);
    struct particle p = {1, 2, 3};
    member_temporary(&p, a, out, n);
    printf("%g\n", p.old);
    printf("%g\n", conditional_write(out, a, n));
    float *f = calloc(n, sizeof *f);
    for (int i = 0; i < n; i++) f[i] = a[i];
    union_words((unsigned *)o, f, n);
    show("union_words", o, n);
    stack_of_work(o, n);
    show("stack_of_work", o, n);
    return 0;
}
