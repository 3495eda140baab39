#include <omp.h>
#include <stdio.h>
#define ALONE __attribute__((noipa)) static
#define N 200
static int a[N + 1], b[N + 1], h[8], n, s, t, x, data, seen;
static double p[N + 1];
ALONE void chunks_of_one_hand_on(void) { /*! race */
#pragma omp parallel for schedule(static, 1)
    for (int i = 1; i < N; i++)
        a[i] = a[i - 1] + 1;
}
ALONE void chunks_of_three_hand_on(void) { /*! race */
#pragma omp parallel for schedule(static, 3)
    for (int i = 0; i < N; i++)
        a[i] = a[i + 1] + 1;
}
ALONE void chunks_of_one_apart(void) { /*! */
#pragma omp parallel for schedule(static, 1)
    for (int i = 1; i < N; i++)
        a[i] = b[i - 1] + 1;
}
ALONE void counted_without_a_guard(void) { /*! race */
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < N; i++)
        h[i % 7] += i;
}
ALONE void shifted(double *to, const double *from, int count) { /*! race */
#pragma omp parallel for
    for (int i = 0; i < count; i++)
        to[i] = from[i] + 1;
}
ALONE void half_guarded(void) { /*! race */
#pragma omp parallel for
    for (int i = 0; i < N; i++) {
        if (i % 2)
#pragma omp atomic
            n++;
        else
            n += 2;
    }
}
ALONE void wholly_guarded(void) { /*! */
#pragma omp parallel for
    for (int i = 0; i < N; i++) {
        if (i % 2)
#pragma omp atomic
            s++;
        else
#pragma omp atomic
            s += 2;
    }
}
ALONE void tasks_of_a_loop_without_braces(void) { /*! race */
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup
    for (int i = 0; i < 20; i++)
#pragma omp task shared(t)
        t += i;
}
ALONE void copies_for_all(void) { /*! */
#pragma omp parallel
    {
        int own;
#pragma omp single copyprivate(own)
        own = 5;
        b[omp_get_thread_num()] = own;
        own++;
    }
}
ALONE void flushed_and_not_waited_for(void) { /*! race O0 */
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num()) {
            data = 7;
#pragma omp flush
        } else {
            seen = data;
        }
    }
}
ALONE void one_iteration_counts(void) { /*! O0 */
#pragma omp parallel for
    for (int i = 0; i < N; i++)
        if (i == 50) {
            x = x + 1;
        }
}
ALONE void last_without_waiting(void) { /*! race */
    int last = 0;
#pragma omp parallel
    {
#pragma omp for lastprivate(last) nowait
        for (int i = 0; i < 60; i++)
            last = i;
        b[omp_get_thread_num()] = last;
    }
}
ALONE int recursive_too_early(int k) { /*! race O0 */
    int one, two;
    if (k < 2)
        return k;
#pragma omp task shared(one)
    one = recursive_too_early(k - 1);
#pragma omp task shared(two)
    two = recursive_too_early(k - 2);
    int both = one + two;
#pragma omp taskwait
    return both;
}
ALONE int recursive(int k) { /*! */
    int one, two;
    if (k < 2)
        return k;
#pragma omp task shared(one)
    one = recursive(k - 1);
#pragma omp task shared(two)
    two = recursive(k - 2);
#pragma omp taskwait
    return one + two;
}
static void fill(void) {
#pragma omp for nowait
    for (int i = 0; i < N; i++)
        a[i] = i;
}
static void turn(void) {
#pragma omp for
    for (int i = 0; i < N; i++)
        b[i] = a[N - 1 - i];
}
ALONE void fills_and_turns(void) { /*! */
#pragma omp parallel
    {
        fill();
#pragma omp barrier
        turn();
    }
}
int main(void) { /*! */
    chunks_of_one_hand_on(), chunks_of_three_hand_on(), chunks_of_one_apart(), counted_without_a_guard();
    shifted(p + 1, p, N), half_guarded(), wholly_guarded(), tasks_of_a_loop_without_braces();
    copies_for_all(), flushed_and_not_waited_for(), one_iteration_counts();
    last_without_waiting(), fills_and_turns();
    int r = 0, q = 0;
#pragma omp parallel
#pragma omp single
    r = recursive_too_early(6), q = recursive(6);
    printf("%d %g %d %d\n", a[3] + b[4] + h[3], p[7], n + s + t + x, r > 0 && q > 0 && seen >= 0);
    return 0;
}
