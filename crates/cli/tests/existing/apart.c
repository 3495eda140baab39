/* Locks, flags and atomic operations excuse what they are about, and nothing else of their file. */
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
static int w, q0, q1, q2, q3, q4, q5;
static volatile int held;
static omp_lock_t one, two;
static pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;
static pthread_spinlock_t spinning;
/*! none */
void takes_a_mutex(void) { pthread_mutex_lock(&other); w++; pthread_mutex_unlock(&other); }
void takes_a_spinlock(void) {
    pthread_spin_init(&spinning, 0);
    pthread_spin_lock(&spinning);
    w++;
    pthread_spin_unlock(&spinning);
}
void waits(void) {
    for (int i = 0; i < 10; i++) { while (__sync_lock_test_and_set(&held, 1)) ; w++; __sync_lock_release(&held); } }
/*! race */
void open(void) {
#pragma omp parallel for
    for (int i = 0; i < 40; i++)
        q0 += i;
}
/*! race */
void of_two(void) {
#pragma omp parallel for
    for (int i = 0; i < 40; i++) { if (i & 1) { omp_set_lock(&one); q1 += i; omp_unset_lock(&one); } else { omp_set_lock(&two); q1 += i; omp_unset_lock(&two); } }
}
/*! none */
void of_one(void) {
#pragma omp parallel for
    for (int i = 0; i < 40; i++) { omp_set_lock(&one); q2 += i; omp_unset_lock(&one); }
}
/*! none */
void of_a_mutex(void) {
#pragma omp parallel for
    for (int i = 0; i < 40; i++) { pthread_mutex_lock(&other); q3 += i; pthread_mutex_unlock(&other); }
}
/*! none */
void maybe_atomic(void) {
#pragma omp parallel for
    for (int i = 0; i < 40; i++) {
#ifndef PLAIN
#pragma omp atomic
#endif
        q4 += i;
    }
}
/*! race */
void not_atomic(void) {
#pragma omp parallel for
    for (int i = 0; i < 40; i++) {
#if 0
#pragma omp atomic
#endif
        q5 += i;
    }
}
/*! none */
int main(void) {
    omp_init_lock(&one), omp_init_lock(&two);
    takes_a_mutex(), takes_a_spinlock(), waits();
    open(), of_two(), of_one(), of_a_mutex(), maybe_atomic(), not_atomic();
    printf("%d %d\n", w, q0 + q1 + q2 + q3 + q4 + q5);
}
