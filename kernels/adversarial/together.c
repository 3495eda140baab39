/* What iterations accumulate beside a variable that a clause names, and what has no clause. */
#include "common.h"

double total;
int fixed_bins[8];
static int threaded = 5;
#pragma omp threadprivate(threaded)
static int seen[500], hits[500];

ALONE static int check(int i) { seen[i] = 1; return i != 290; }
ALONE static int hit(int i) { hits[i] = 1; return i == 110; }

/* A sum, and counts in memory that no clause can name. */
ALONE double sum_and_bins(int *len, const int *v, const double *f, int n) {
    double d = 0;
    for (int i = 0; i < n; i++) { //= reduction ## none
        d += f[i];
        len[v[i]]++;
    }
    return d;
}
ALONE double sum_and_one_place(double *acc, int k, const double *f, int n) {
    double d = 0;
    for (int i = 0; i < n; i++) { //= reduction ## none
        d += f[i];
        acc[k] += f[i] * 2;
    }
    return d;
}
ALONE double largest_and_one_place(double *acc, const double *f, int n) {
    double m = -1;
    for (int i = 0; i < n; i++) { //= reduction ## none
        if (f[i] > m) m = f[i];
        acc[3] += f[i] * 2;
    }
    return m;
}
ALONE double sum_and_rows(double **rows, const int *v, const double *f, int n) {
    double d = 0;
    for (int i = 0; i < n; i++) { //= reduction ## none
        d += f[i];
        rows[v[i]][1] += f[i];
    }
    return d;
}
/* Arrays that a clause can name. */
ALONE double sum_and_array(const int *v, const double *f, int n) {
    double d = 0;
    for (int i = 0; i < n; i++) { //= reduction ## reduction(+:d) & reduction(+:fixed_bins)
        d += f[i];
        fixed_bins[v[i]]++;
    }
    return d;
}
ALONE int local_array(const int *v, int n) {
    int bins[8] = {0};
    for (int i = 0; i < n; i++) //= reduction ## reduction(+:bins)
        bins[v[i]] += 2;
    return bins[0] * 3 + bins[5];
}
ALONE int array_that_is_read(const int *v, int n) {
    int bins[8] = {0};
    for (int i = 0; i < n; i++) //= no ## none
        bins[v[i]] += bins[(v[i] + 1) & 7] + 1;
    return bins[0] * 3 + bins[5];
}

/* Variables that iterations advance: a clause gives each its value. */
ALONE int two_at_once(int *to, const int *from, int n) {
    int k = 3;
    for (int i = 0; i < n; i++) { //= induction ## linear(k:2)
        to[k] = from[i];
        k += 2;
    }
    return k;
}
ALONE double advanced_and_summed(int *to, const int *from, const double *f, int n) {
    int k = 0;
    double d = 0;
    for (int i = 0; i < n; i++) { //= induction ## linear(k:1) & reduction(+:d)
        to[k++] = from[i];
        d += f[i];
    }
    return d + k;
}
ALONE int pointer_advanced(int *to, const int *from, int n) {
    int *p = to;
    for (int i = 0; i < n; i++) { //= induction ## linear(p:2)
        *p = from[i];
        p += 2;
    }
    return (int)(p - to);
}
ALONE int advanced_now_and_then(int *to, const int *from, int n) {
    int k = 0;
    for (int i = 0; i < n; i++) //= no ## none
        if (from[i] > 0) to[k++] = from[i];
    return k;
}

/* Once the answer is known, nothing is asked any more. */
ALONE int all_asked(int n) {
    int ok = 1;
    for (int i = 0; i < n; i++) //= no ## none
        ok = ok && check(i);
    return ok;
}
ALONE int any_asked(int n) {
    int any = 0;
    for (int i = 0; i < n; i++) //= no ## none
        any = any || hit(i);
    return any;
}
ALONE int all_positive(const int *a, int n) {
    int ok = 1;
    for (int i = 0; i < n; i++) //= reduction|flag
        ok = ok && a[i] > -1000;
    return ok;
}

/* Built for threads, each has its own. */
ALONE void with_own_of_each_thread(double *a, int n) {
    for (int i = 0; i < n; i++) //= yes|words ## none
        a[i] += threaded;
}

/* Elements that are used afterwards. */
ALONE int left_in_two(int *c, int n) {
    int a2[2] = {0, 0};
    for (int i = 1; i < n; i++) { //= private|words ## none
        int r = i & 1;
        a2[r] = i;
        a2[r ^ 1] = r;
        c[i] += a2[0] - a2[1];
    }
    return a2[0] * 3 + a2[1];
}

/* Marks: all the same. */
ALONE void mark(int *marks, const int *to, int n) {
    for (int i = 0; i < n; i++) //= flag ## none
        marks[to[i]] = 1;
}
ALONE void mark_numbered(int *marks, const int *to, int n) {
    for (int i = 0; i < n; i++) //= no|words ## none
        marks[to[i]] = i;
}
ALONE void mark_and_ask(int *marks, const int *to, int n) {
    for (int i = 0; i < n; i++) //= no ## none
        if (!marks[(to[i] + 3) & 63]) marks[to[i]] = 1;
}

ALONE void mark_and_clear(int *marks, const int *to, int n) {
    for (int i = 0; i < n; i++) { //= no ## none
        marks[to[i]] = 1;
        if (i % 50 == 0) memset(marks, 0, 64 * sizeof *marks);
    }
}

/* What did not run. */
ALONE void moved_if_astray(int *cells, const int *of, int n) {
    for (int i = 0; i < n; i++) { //= yes|no ## none
        int to = of[i];
        if (to != i) {
            cells[to]++;
            cells[i]--;
        }
    }
}

ALONE void never_large(int *counts, const int *of, int n) {
    for (int i = 0; i < n; i++) //= yes|no ## none
        if (counts[of[i] & 7] < -30000) counts[of[i] & 3] += i;
}
ALONE void own_if_large(int *counts, const int *of, int n) {
    for (int i = 0; i < n; i++) //= yes ## parallel
        if (of[i] > 30000) counts[i] += of[i];
}

/* A variable of the body hides one that iterations advance, and some other one of this name has its address taken. */
ALONE int hidden_by_another(int *to, int *also, int n) {
    int sum = 0;
    {
        int k = 0, *p = &k;
        for (int i = 0; i < n; i++) { //= no|induction
            sum += *p;
            k += 4;
        }
    }
    {
        int k = 0;
        for (int i = 0; i < n; i++) { //= no|induction
            int old = k;
            {
                int k = 3;
                k += i;
                also[i] = k;
            }
            to[old] = k;
            k += 2;
        }
        sum += k;
    }
    return sum;
}

/* The place of a largest element of a table. */
ALONE int place_of_largest(double t[20][20]) {
    double mx = -1;
    int place = 0;
    for (int i = 0; i < 20; i++) //= words|reduction ## none
        for (int j = 0; j < 20; j++) //= words|reduction ## none
            if (t[i][j] > mx) {
                mx = t[i][j];
                place = i * 20 + j;
            }
    return place;
}

/* Its loop begins behind something else on its line. */
ALONE double behind(const double *f, int n) {
    double s = 1; for (int i = 0; i < n; i++) { //= reduction ## none
        s += f[i];
    }
    return s;
}

/* A condition below an infinite loop decides about it. */
ALONE void until_none_is_large(double *a, const double *b, int n, int k) {
    int again = 1;
    while (again) { //= no ## none
        again = 0;
        for (int i = 0; i < n; i++) { //= flag|private ## none
            a[i] = b[i] * 2 + k;
            if (a[i] > 40) again = 1;
        }
        if (again) {
            k -= 10;
        }
    }
}

/* Loops of a function that calls itself afterwards. */
ALONE void halves(double *p, int n) {
    for (int i = 0; i < n; i++) //= yes
        p[i] = i + n;
    if (n > 3) halves(p + n, n / 2);
}

/* A variable that nobody uses. */
ALONE void with_unused(double *c, int n) {
    int k;
    for (int i = 0; i < n; i++) { //= yes
        c[i] = 0.5;
        c[i] += i;
    }
}

int main(void) {
    enum { N = 200 };
    double *f = reals(N), *g = reals(2 * N), acc[8] = {0}, table[20][20], *rows[8];
    int *v = integers(N), *w = zeros(2 * N + 8), *own = permutation(N);
    for (int i = 0; i < N; i++) v[i] &= 7;
    for (int i = 0; i < 8; i++) rows[i] = reals(4);
    for (int i = 0; i < 400; i++) table[i / 20][i % 20] = i * 37 % 391;
    printf("%g %g\n", sum_and_bins(w, v, f, N), sum_and_one_place(acc, 2, f, N));
    printf("%g %g\n", largest_and_one_place(acc, f, N), sum_and_rows(rows, v, f, N));
    printf("%g %d %d\n", sum_and_array(v, f, N), local_array(v, N), array_that_is_read(v, 9));
    printf("%d %g %d\n", two_at_once(w, v, N), advanced_and_summed(w, v, f, N), pointer_advanced(w, v, N));
    printf("%d %d %d %d\n", advanced_now_and_then(w, v, N), all_asked(500), any_asked(500), all_positive(v, N));
    with_own_of_each_thread(f, N);
    printf("%d\n", left_in_two(w, N));
    for (int i = 0; i < N; i++) v[i] = i * 29 % 64;
    mark(w, v, N);
    mark_numbered(w, v, N);
    for (int i = 0; i < N; i++) w[i] = 0;
    mark_and_ask(w, v, N);
    mark_and_clear(w, v, N);
    for (int i = 0; i < N; i++) own[i] = i;
    moved_if_astray(w, own, N);
    never_large(w, own, N);
    own_if_large(w, own, N);
    printf("%d %g\n", place_of_largest(table), behind(f, N));
    until_none_is_large(f, g, N, 3);
    printf("%d\n", hidden_by_another(zeros(2 * N), zeros(N), N));
    halves(g, 128);
    with_unused(f, N);
    show_reals("f", f, N);
    show_reals("g", g, 2 * N);
    show_reals("acc", acc, 8);
    show("w", w, 2 * N);
    show("bins", fixed_bins, 8);
    show("seen", seen, 500);
    show("hits", hits, 500);
    return 0;
}
