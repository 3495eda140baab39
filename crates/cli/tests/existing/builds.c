/* What a build with OpenMP has otherwise: the run of one without tells nothing of what rests on it. */
#include <stdio.h>
#include <stdlib.h>
#ifdef _OPENMP
#include <omp.h>
#define PARTS omp_get_max_threads()
#define ENTER(l) omp_set_lock(l)
#define LEAVE(l) omp_unset_lock(l)
static omp_lock_t door;
#else
#define PARTS 1
#define ENTER(l)
#define LEAVE(l)
#endif
#if defined(_OPENMP)
#define WITH_TEAM
#endif
#define ALONE static __attribute__((noipa))
static int v[300], bins[64 * 8], few[8], all;
static int whoami(void) {
#ifdef _OPENMP
    return omp_get_thread_num();
#else
    return 0;
#endif
}
static int parts(void) {
    int count = 1;
#if _OPENMP
    count = omp_get_max_threads();
#endif
    return count;
}
/*! unknown */
ALONE void summed_where_one_has_all(int n) {
    int team = parts();
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        if (team == 1)
            few[v[i] & 7] += v[i];
}
/*! unknown */
ALONE void done_where_one_has_all(int n) {
    if (PARTS > 1)
        return;
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        few[v[i] & 7] += v[i];
}
/*! unknown */
ALONE void a_part_of_each(int n) {
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        bins[whoami() * 8 + (v[i] & 7)]++;
}
/*! unknown */
ALONE void locked_by_macros(int n) {
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        ENTER(&door);
        few[v[i] & 7]++;
        LEAVE(&door);
    }
}
/*! unknown */
ALONE void guarded_in_an_arm(int n) {
#pragma omp parallel for
    for (int i = 0; i < n; i++)
#ifdef WITH_TEAM
#pragma omp critical
#endif
        few[v[i] & 7]++;
}
/*! unknown */
ALONE int where_the_builds_part(int n) {
    int s = 0;
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
#ifdef _OPENMP
        bins[omp_get_thread_num()] += v[i];
#else
        few[v[i] & 7] += v[i];
#endif
    }
    return s;
}
/*! race O0 */
ALONE int beside_what_differs(int n) {
    int s = 0, team = parts();
    if (team > 8)
        puts("many");
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        s += v[i];
    return s + team;
}
/*! race O0 */
ALONE void beside_a_number(int n) {
#pragma omp parallel
    {
#ifdef _OPENMP
        int me = omp_get_thread_num();
#else
        int me = 0;
#endif
#pragma omp for
        for (int i = 0; i < n; i++) {
            bins[me * 8] += v[i];
            all += v[i];
        }
    }
}
/*! race O0 */
ALONE void beside_another_condition(int n) {
#ifdef FEWER
    n /= 2;
#endif
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        few[v[i] & 7]++;
}
/*! none */
int main(void) {
#ifdef _OPENMP
    omp_init_lock(&door);
#endif
    for (int i = 0; i < 300; i++)
        v[i] = i * i % 97;
    summed_where_one_has_all(300), done_where_one_has_all(300), a_part_of_each(300), locked_by_macros(300);
    guarded_in_an_arm(300), beside_a_number(300), beside_another_condition(300);
    printf("%d %d %d\n", where_the_builds_part(300), beside_what_differs(300), few[1] + bins[2] + all);
}
