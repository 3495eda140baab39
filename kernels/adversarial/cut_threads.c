/* The recording ends inside loops of several threads. */
//: profile --max-instructions 3000000
//: compile -pthread
#include "common.h"
#include <pthread.h>

static double shared[64];

ALONE void complete(double *a, int n) {
    for (int i = 0; i < n; i++) //= yes
        a[i] += 1;
}
ALONE double work_of_a_thread(double *a, int n) {
    double s = 0;
    for (int i = 1; i < n; i++) { //= unknown
        a[i] = i > n - 5 ? a[i - 1] : 1;
        s += a[i];
    }
    return s;
}
static void *started(void *argument) {
    double *a = calloc(1 << 20, sizeof *a);
    shared[*(int *)argument] = work_of_a_thread(a, 1 << 20);
    return NULL;
}
ALONE void wait_for_all(pthread_t *t, int n) {
    for (int i = 0; i < n; i++) //= unknown
        pthread_join(t[i], NULL);
}

int main(void) {
    pthread_t t[3];
    int number[3] = {0, 1, 2};
    double a[60] = {0};
    complete(a, 60);
    for (int i = 0; i < 3; i++)
        if (pthread_create(&t[i], NULL, started, &number[i])) return 1;
    wait_for_all(t, 3);
    printf("%g %g\n", shared[0] + shared[1] + shared[2], a[3]);
    return 0;
}
