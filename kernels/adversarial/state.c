#include "common.h"
#include <math.h>
#include <errno.h>
#include <ctype.h>
#include <stdarg.h>
#include <time.h>
#include <unistd.h>
static unsigned seed = 1;
static int calls;
static double cache[64];
static char have[64];
static char logbuf[4096];
static int logat;
struct rng {
    unsigned long s;
};
typedef struct node {
    int v;
    struct node *next;
} node;
ALONE int lcg(void) {
    return seed = seed * 1103515245 + 12345, seed >> 16 & 0x7fff;
}
ALONE int counter_id(void) {
    static int id;
    return id++;
}
ALONE double memo(int k) {
    if (!have[k]) {
        cache[k] = sqrt(k);
        have[k] = 1;
    }
    return cache[k];
}
ALONE void logit(const char *s) {
    logat += sprintf(logbuf + logat, "%s;", s);
}
ALONE int pure(int x) {
    return x * x + 3;
}
ALONE int counted(int x) {
    calls++;
    return x * 3;
}
ALONE unsigned next_rng(struct rng *r) {
    r->s = r->s * 6364136223846793005UL + 1442695040888963407UL;
    return r->s >> 33;
}
ALONE int *static_buf(int x) {
    static int b[4];
    b[0] = x;
    b[1] = x * 2;
    return b;
}
ALONE int vsum(int n, ...) {
    va_list ap;
    va_start(ap, n);
    int s = 0;
    for (int i = 0; i < n; i++)
        s += va_arg(ap, int);
    va_end(ap);
    return s;
}
ALONE void f_lcg(int *o, int n) {
    for (int i = 0; i < n; i++) //= no
        o[i] = lcg();
}
ALONE void f_rand(int *o, int n) {
    for (int i = 0; i < n; i++) //= no
        o[i] = rand() % 100;
}
ALONE void f_rand_r(int *o, int n) {
    for (int i = 0; i < n; i++) { //= yes
        unsigned s = i;
        o[i] = rand_r(&s) % 100;
    }
}
ALONE void f_drand(double *o, int n) {
    for (int i = 0; i < n; i++) //= no
        o[i] = drand48();
}
ALONE double f_monte(int n) {
    int in = 0;
    unsigned s = 42;
    for (int i = 0; i < n; i++) { //= no
        s = s * 1664525 + 1013904223;
        double x = (s >> 8) / 16777216.0;
        s = s * 1664525 + 1013904223;
        double y = (s >> 8) / 16777216.0;
        if (x * x + y * y < 1)
            in++;
    }
    return 4.0 * in / n;
}
ALONE double f_monte_ok(int n) {
    int in = 0;
    for (int i = 0; i < n; i++) { //= reduction
        unsigned s = i * 2654435761u;
        s ^= s >> 13;
        s *= 0x5bd1e995;
        double x = (s >> 8) / 16777216.0;
        s = s * 1664525 + 1013904223;
        double y = (s >> 8) / 16777216.0;
        if (x * x + y * y < 1)
            in++;
    }
    return 4.0 * in / n;
}
ALONE void f_struct_rng(unsigned *o, int n) {
    struct rng r = {7};
    for (int i = 0; i < n; i++) //= no
        o[i] = next_rng(&r);
}
ALONE void f_struct_rng_own(unsigned *o, int n) {
    for (int i = 0; i < n; i++) { //= yes
        struct rng r = {i};
        o[i] = next_rng(&r) + next_rng(&r);
    }
}
ALONE void f_id(int *o, int n) {
    for (int i = 0; i < n; i++) //= no|induction
        o[i] = counter_id();
}
ALONE void f_memo(double *o, int n) {
    for (int i = 0; i < n; i++) //= no|words
        o[i] = memo(i * i % 13);
}
ALONE void f_log(int n) {
    for (int i = 0; i < n; i++) //= no
        logit(i & 1 ? "odd" : "even");
}
ALONE void f_pure(int *o, const int *a, int n) {
    for (int i = 0; i < n; i++) //= yes
        o[i] = pure(a[i]);
}
ALONE void f_counted(int *o, const int *a, int n) {
    for (int i = 0; i < n; i++) //= reduction|words
        o[i] = counted(a[i]);
}
ALONE void f_static_buf(int *o, const int *a, int n) {
    for (int i = 0; i < n; i++) { //= words|no
        int *p = static_buf(a[i]);
        o[i] = p[0] + p[1];
    }
}
ALONE void f_print(const int *a, int n) {
    for (int i = 0; i < n; i++) //= no
        printf("%d ", a[i]);
    printf("\n");
}
ALONE void f_print_rare(int *a, int n) {
    for (int i = 0; i < n; i++) { //= no
        a[i]++;
        if (a[i] % 23 == 0)
            printf("%d ", a[i]);
    }
    printf("\n");
}
ALONE void f_print_never(int *a, int n) {
    for (int i = 0; i < n; i++) { //= no|yes
        a[i]++;
        if (a[i] == 12345)
            printf("%d ", a[i]);
    }
}
ALONE void f_putchar(const int *a, int n) {
    for (int i = 0; i < n; i++) //= no
        putchar('a' + (a[i] & 15));
    putchar('\n');
}
ALONE void f_write(int n) {
    fflush(stdout);
    for (int i = 0; i < n; i++) //= no
        if (write(1, "0123456789" + i % 10, 1) < 0)
            abort();
}
ALONE int f_strtok(char *s) {
    int k = 0;
    for (char *t = strtok(s, " "); t; t = strtok(NULL, " ")) //= no
        k += strlen(t) * 2;
    return k;
}
ALONE void f_sprintf(char (*o)[32], const int *a, int n) {
    for (int i = 0; i < n; i++) //= yes
        sprintf(o[i], "%d-%x", a[i], a[i]);
}
ALONE void f_snprintf_f(char (*o)[32], const double *a, int n) {
    for (int i = 0; i < n; i++) //= yes
        snprintf(o[i], 32, "%.3f", a[i]);
}
ALONE void f_malloc(int **o, int n) {
    for (int i = 0; i < n; i++) { //= yes
        o[i] = malloc(16);
        o[i][0] = i;
    }
}
ALONE void f_malloc_free(int *o, int n) {
    for (int i = 0; i < n; i++) { //= yes
        int *p = malloc(40);
        for (int j = 0; j < 10; j++)
            p[j] = i * j;
        o[i] = p[9] + p[3];
        free(p);
    }
}
ALONE void f_free(int **o, int n) {
    for (int i = 0; i < n; i++) //= yes
        free(o[i]);
}
ALONE void f_strdup(char **o, char (*s)[32], int n) {
    for (int i = 0; i < n; i++) //= yes
        o[i] = strdup(s[i]);
}
ALONE int f_realloc(int n) {
    int *p = NULL, k = 0;
    for (int i = 0; i < n; i++) { //= no
        p = realloc(p, (k + 1) * sizeof *p);
        p[k++] = i;
    }
    int r = p[k / 2];
    free(p);
    return r;
}
ALONE node *f_push(int n) {
    node *h = NULL;
    for (int i = 0; i < n; i++) { //= no
        node *x = malloc(sizeof *x);
        x->v = i;
        x->next = h;
        h = x;
    }
    return h;
}
ALONE int f_list_sum(node *h) {
    int s = 0;
    for (node *p = h; p; p = p->next) //= no
        s += p->v;
    return s;
}
ALONE node *f_list_rev(node *h) {
    node *r = NULL;
    while (h) { //= no
        node *t = h->next;
        h->next = r;
        r = h;
        h = t;
    }
    return r;
}
ALONE void f_list_scale(node *h) {
    for (node *p = h; p; p = p->next) //= no
        p->v *= 2;
}
ALONE void f_errno(double *o, const double *a, int n) {
    for (int i = 0; i < n; i++) //= yes
        o[i] = log(a[i] - 3);
}
ALONE void f_upper(char *s, int n) {
    for (int i = 0; i < n; i++) //= yes
        s[i] = toupper(s[i]);
}
ALONE void f_varargs(int *o, const int *a, int n) {
    for (int i = 0; i < n; i++) //= yes
        o[i] = vsum(3, a[i], i, 7);
}
ALONE void f_qsort_rows(int *a, int n, int (*cmp)(const void *, const void *)) {
    for (int i = 0; i < n; i++) //= yes
        qsort(a + 16 * i, 16, sizeof *a, cmp);
}
ALONE int cmp(const void *x, const void *y) {
    return *(int *)x - *(int *)y;
}
ALONE void f_memcpy_rows(double *o, const double *a, int n) {
    for (int i = 0; i < n; i++) //= yes
        memcpy(o + i * 20, a + i * 20, 20 * sizeof *a);
}
ALONE void f_memcpy_overlap(double *a, int n) {
    for (int i = 1; i < n; i++) //= no
        memcpy(a + i * 20, a + (i - 1) * 20 + 1, 19 * sizeof *a);
}
ALONE void f_memmove_shift(char *s, int n) {
    for (int i = 0; i < n; i++) //= no
        memmove(s + 1, s, 40);
}
ALONE void f_strcat(char *d, int n) {
    d[0] = 0;
    for (int i = 0; i < n; i++) //= no
        strcat(d, i & 1 ? "ab" : "c");
}
ALONE void f_alloca(int *o, int n) {
    for (int i = 0; i < n; i++) { //= yes
        int v[i + 1];
        for (int j = 0; j <= i; j++)
            v[j] = j * i;
        o[i] = v[i] + v[i / 2];
    }
}
ALONE void f_gmtime(int *o, int n) {
    for (int i = 0; i < n; i++) { //= no|words
        time_t t = i * 86400L * 40;
        o[i] = gmtime(&t)->tm_mon;
    }
}
ALONE void f_gmtime_r(int *o, int n) {
    for (int i = 0; i < n; i++) { //= yes
        time_t t = i * 86400L * 40;
        struct tm m;
        o[i] = gmtime_r(&t, &m)->tm_mon;
    }
}
ALONE void f_strtol(int *o, char (*s)[32], int n) {
    for (int i = 0; i < n; i++) //= yes
        o[i] = strtol(s[i], NULL, 10);
}
ALONE void f_sscanf(int *o, char (*s)[32], int n) {
    for (int i = 0; i < n; i++) //= yes
        sscanf(s[i], "%d", &o[i]);
}
ALONE void f_fgets(FILE *f, int *o, int n) {
    char line[80];
    for (int i = 0; i < n; i++) //= no
        if (fgets(line, 80, f))
            o[i] = strlen(line);
}
static __thread double factor_of_thread = 1;
static __thread int numbers_of_thread;
static inline double factor(void) { return factor_of_thread; }
static inline int next_number(void) { return ++numbers_of_thread; }
ALONE void scaled_by_the_threads_own(double *out, const double *a, int n) {
    for (int i = 0; i < n; i++) //= words|private
        out[i] = factor_of_thread * a[i];
}
ALONE void scaled_by_a_function(double *out, const double *a, int n) {
    for (int i = 0; i < n; i++) //= words|private
        out[i] = factor() * a[i];
}
ALONE void numbered_by_a_function(int *out, int n) {
    for (int i = 0; i < n; i++) //= no|induction
        out[i] = next_number();
}

int main(void) {
    int n = 48;
    int *a = integers(1000), *o = zeros(1000);
    double *d = reals(2000), *e = reals(2000);
    char(*s)[32] = calloc(n, 32);
    int **pp = calloc(n, sizeof *pp);
    f_lcg(o, n);
    show("o", o, n);
    f_rand(o, n);
    show("o", o, n);
    f_rand_r(o, n);
    show("o", o, n);
    f_drand(d, n);
    show_reals("d", d, n);
    printf("%g %g\n", f_monte(200), f_monte_ok(200));
    f_struct_rng((unsigned *)o, n);
    show("o", o, n);
    f_struct_rng_own((unsigned *)o, n);
    show("o", o, n);
    f_id(o, n);
    show("o", o, n);
    f_memo(d, n);
    show_reals("d", d, n);
    f_log(n);
    printf("%s\n", logbuf);
    f_pure(o, a, n);
    show("o", o, n);
    f_counted(o, a, n);
    printf("%d\n", calls);
    f_static_buf(o, a, n);
    show("o", o, n);
    f_print(a, n);
    f_print_rare(a, n);
    f_print_never(a, n);
    f_putchar(a, n);
    f_write(n);
    char t[] = "the quick brown fox jumps over the lazy dog and runs away from it all quickly";
    f_upper(t, sizeof t - 1);
    printf("%d\n", f_strtok(t));
    f_snprintf_f(s, d, n);
    printf("%s\n", s[9]);
    f_sprintf(s, a, n);
    printf("%s %s\n", s[3], s[40]);
    f_malloc(pp, n);
    printf("%d\n", pp[9][0]);
    f_malloc_free(o, n);
    show("o", o, n);
    f_free(pp, n);
    char *dd[48];
    f_strdup(dd, s, n);
    printf("%s\n", dd[5]);
    printf("%d\n", f_realloc(n));
    node *h = f_push(n);
    printf("%d\n", f_list_sum(h));
    h = f_list_rev(h);
    f_list_scale(h);
    printf("%d\n", f_list_sum(h));
    f_errno(e, e, n);
    f_varargs(o, a, n);
    show("o", o, n);
    f_qsort_rows(a, n, cmp);
    show("a", a, 600);
    double *g = reals(2000);
    f_memcpy_rows(g, g + 1000, 48);
    f_memcpy_overlap(g, 48);
    show_reals("g", g, 1000);
    char z[400] = "hello world";
    f_memmove_shift(z, n);
    z[90] = 0;
    printf("%s\n", z);
    f_strcat(z, n);
    printf("%s\n", z);
    f_alloca(o, n);
    show("o", o, n);
    f_gmtime(o, n);
    show("o", o, n);
    f_gmtime_r(o, n);
    show("o", o, n);
    f_strtol(o, s, n);
    show("o", o, n);
    f_sscanf(o, s, n);
    show("o", o, n);
    FILE *f = fopen("/etc/passwd", "r");
    f_fgets(f, o, n);
    fclose(f);
    show("o", o, n);
    double *x = reals(n), *y = reals(n);
    factor_of_thread = x[1];
    scaled_by_the_threads_own(y, x, n);
    scaled_by_a_function(y, x, n);
    show_reals("scaled", y, n);
    numbered_by_a_function(o, n);
    show("o", o, n);
}
