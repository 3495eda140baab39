// Locks of objects: which of two, taken later, and beside those of OpenMP.
#include <cstdio>
#include <mutex>
#include <omp.h>
static int q1, q2, q3, q4, q5;
static std::mutex a, b;
/*! none */
void of_one() {
#pragma omp parallel for
    for (int i = 0; i < 40; i++) {
        std::lock_guard<std::mutex> g(a);
        q1 += i;
    }
}
/*! race */
void of_two() {
#pragma omp parallel for
    for (int i = 0; i < 40; i++) {
        std::lock_guard<std::mutex> g(i & 1 ? a : b);
        q2 += i;
    }
}
/*! race */
void never_taken() {
#pragma omp parallel for
    for (int i = 0; i < 40; i++) {
        std::unique_lock<std::mutex> g(a, std::defer_lock);
        q3 += i;
    }
}
/*! none */
void taken_later() {
#pragma omp parallel for
    for (int i = 0; i < 40; i++) {
        std::unique_lock<std::mutex> g(a, std::defer_lock);
        g.lock();
        q4 += i;
    }
}
/*! race */
struct Account {
    omp_lock_t l;
    Account() { omp_init_lock(&l); }
    void add(int i) { omp_set_lock(&l); q5 += i; omp_unset_lock(&l); }
};
void of_two_objects() {
    Account x, y;
#pragma omp parallel for
    for (int i = 0; i < 40; i++) {
        if (i & 1) x.add(i);
        else y.add(i);
    }
}
/*! none */
int main() {
    of_one(), of_two(), never_taken(), taken_later(), of_two_objects();
    std::printf("%d\n", q1 + q2 + q3 + q4 + q5);
}
