/* Elements that threads choose by their number, by way of functions, macros, variables, arguments and rows. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#define ALONE static __attribute__((noipa))
#define MINE omp_get_thread_num()
static int v[300], table[64 * 8], sums[64], pairs[64], one[8], lone;
struct tally { int count, cells[4]; };
static struct tally tallies[64];
static int rank(void) { return omp_get_thread_num(); }
static int twice(void) { return 2 * rank() + 1; }
static void bump(int *p, int by) { *p += by; }
static void bump_of(int who, int by) { sums[who] += by; }
static void bump_own(int by) { sums[rank()] += by; }
static void take(struct tally *t, int x) { t->cells[x & 3] += x; t->count++; }
/*! none */
ALONE void by_a_function(int n) {
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        table[rank() * 8 + (v[i] & 7)]++;
}
/*! none */
ALONE void by_a_macro(int n) {
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        table[MINE * 8 + (v[i] & 7)]++;
}
/*! none */
ALONE void by_a_function_of_that(int n) {
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        pairs[twice() % 64] += v[i];
}
/*! none */
ALONE void by_a_variable_of_the_region(int n) {
#pragma omp parallel
    {
        const int me = rank();
        int *row = table + 8 * me;
#pragma omp for
        for (int i = 0; i < n; i++)
            row[v[i] & 7]++;
    }
}
/*! none */
ALONE void by_a_row(int n) {
    int (*rows)[8] = (int (*)[8])table;
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        rows[rank()][v[i] & 7]++;
}
/*! none */
ALONE void by_an_address(int n) {
#pragma omp parallel
    {
        int me = omp_get_thread_num();
#pragma omp for
        for (int i = 0; i < n; i++)
            bump(&sums[me], v[i]);
    }
}
/*! none */
ALONE void by_an_argument(int n) {
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        bump_of(omp_get_thread_num(), v[i]);
}
/*! none */
ALONE void in_the_callee(int n) {
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        bump_own(v[i]);
}
/*! none */
ALONE void by_a_structure(int n) {
#pragma omp parallel
    {
        int me = rank();
#pragma omp for
        for (int i = 0; i < n; i++)
            take(&tallies[me], v[i]);
    }
}
/*! race */
ALONE int number_itself(int n) {
    int me;
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        me = rank();
        sums[me] += v[i];
    }
    return me;
}
/*! race */
ALONE void another_array_beside(int n) {
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        sums[rank()] += v[i];
        one[v[i] & 7]++;
    }
}
/*! race */
ALONE void one_for_both(int n) {
#pragma omp parallel for schedule(static, 1)
    for (int i = 0; i < n; i++)
        sums[rank() / 64] += v[i];
}
/*! race */
ALONE int sum_beside(int n) {
    int s = 0;
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        sums[rank()] += v[i];
        s += v[i];
    }
    return s;
}
/*! none */
ALONE void first_alone(int n) {
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        if (rank() == 0)
            lone += v[i];
}
/*! none */
int main(void) {
    for (int i = 0; i < 300; i++)
        v[i] = i * i % 97;
    by_a_function(300), by_a_macro(300), by_a_function_of_that(300), by_a_variable_of_the_region(300);
    by_a_row(300), by_an_address(300), by_an_argument(300), in_the_callee(300), by_a_structure(300);
    another_array_beside(300), one_for_both(300), first_alone(300);
    printf("%d %d %d\n", number_itself(300), sum_beside(300), sums[0] + pairs[1] + one[2] + table[3] + lone);
}
