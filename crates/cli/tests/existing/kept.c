/* Loops of one region that nobody waits between, and what the second takes of the first. */
#include <stdio.h>
#define ALONE static __attribute__((noipa))
static double from[600], mid[600], to[600];
/*! none */
ALONE void of_the_same_iteration(int n) {
#pragma omp parallel
    {
#pragma omp for schedule(static) nowait
        for (int i = 0; i < n; i++)
            mid[i] = i * 3;
#pragma omp for schedule(static)
        for (int k = 0; k < n; k++)
            to[k] = mid[k] * 0.5;
    }
}
/*! none */
ALONE void in_single_precision_behind(float *small, int n) {
#pragma omp parallel
    {
#pragma omp for schedule(static) nowait
        for (int i = 0; i < n; i++)
            small[i] = from[i];
#pragma omp for schedule(static)
        for (int i = 0; i < n; i++)
            to[i] = small[i] + 1;
    }
}
/*! race */
ALONE void of_the_next_iteration(int n) {
#pragma omp parallel
    {
#pragma omp for schedule(static) nowait
        for (int i = 0; i < n; i++)
            mid[i] = i;
#pragma omp for schedule(static)
        for (int i = 0; i < n; i++)
            to[i] = mid[i + 1] * 2;
    }
}
/*! none */
int main(void) {
    static float small[600];
    of_the_same_iteration(500), in_single_precision_behind(small, 500), of_the_next_iteration(500);
    printf("%g %g\n", to[3], mid[4] + small[5]);
}
