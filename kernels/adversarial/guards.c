// Locks, guards of what is made once, atomic operations, what libraries keep for themselves: bookkeeping orders nothing, what is kept
// under it does.
//: compile -pthread -lm
#include "common.h"
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_rwlock_t readers = PTHREAD_RWLOCK_INITIALIZER;
static pthread_once_t first_time = PTHREAD_ONCE_INIT, second_time = PTHREAD_ONCE_INIT, third_time = PTHREAD_ONCE_INIT,
                      fourth_time = PTHREAD_ONCE_INIT;
static double total, last, table[16], chosen, late[16], rare[16];
static long count;
static int logged[4096], at, current;
static atomic_long updates, newest;

static void fill_table(void) {
    for (int i = 0; i < 16; i++) table[i] = i * 0.5; //= yes
}
static void fill_late(void) {
    for (int i = 0; i < 16; i++) late[i] = i + 0.25; //= yes
}
static void fill_rare(void) {
    for (int i = 0; i < 16; i++) rare[i] = i + 0.75; //= yes
}
static void choose(void) { chosen = current; }

ALONE static void locked_for_nothing(double *a, const double *b, int n) {
    for (int i = 0; i < n; i++) { //= yes
        pthread_mutex_lock(&mutex);
        a[i] = b[i] * 2;
        pthread_mutex_unlock(&mutex);
    }
}
ALONE static void locked_sum(const double *b, int n) {
    for (int i = 0; i < n; i++) { //= reduction
        double x = sqrt(b[i]);
        pthread_mutex_lock(&mutex);
        total += x;
        pthread_mutex_unlock(&mutex);
    }
}
ALONE static void locked_smoothing(const double *b, int n) {
    for (int i = 0; i < n; i++) { //= no
        pthread_mutex_lock(&mutex);
        last = last * 0.5 + b[i];
        pthread_mutex_unlock(&mutex);
    }
}
ALONE static void locked_log(int n) {
    for (int i = 0; i < n; i++) { //= no|induction
        pthread_mutex_lock(&mutex);
        logged[at++] = i;
        pthread_mutex_unlock(&mutex);
    }
}
ALONE static void previous_under_lock(double *a, const double *b, int n) {
    for (int i = 0; i < n; i++) { //= no
        pthread_mutex_lock(&mutex);
        a[i] = last;
        last = b[i];
        pthread_mutex_unlock(&mutex);
    }
}
ALONE static void handed_over(double *a, const double *b, int n) {
    for (int i = 0; i < n; i++) { //= no
        if (i % 2 == 0) pthread_mutex_lock(&mutex);
        a[i] = b[i] + 1;
        if (i % 2 == 1) pthread_mutex_unlock(&mutex);
    }
}
ALONE static void spinning(double *a, const double *b, int n) {
    for (int i = 0; i < n; i++) { //= yes
        pthread_spin_lock(&spin);
        a[i] = b[i] * 3;
        pthread_spin_unlock(&spin);
    }
}
ALONE static void spinning_sum(const double *b, int n) {
    for (int i = 0; i < n; i++) { //= reduction
        pthread_spin_lock(&spin);
        total += b[i];
        pthread_spin_unlock(&spin);
    }
}
ALONE static void reading(double *a, const double *b, int n) {
    for (int i = 0; i < n; i++) { //= yes
        pthread_rwlock_rdlock(&readers);
        a[i] = b[i] * total;
        pthread_rwlock_unlock(&readers);
    }
}
ALONE static void reading_and_writing(double *a, const double *b, int n) {
    for (int i = 0; i < n; i++) { //= no
        pthread_rwlock_rdlock(&readers);
        a[i] = b[i] * last;
        pthread_rwlock_unlock(&readers);
        pthread_rwlock_wrlock(&readers);
        last = a[i] * 0.5;
        pthread_rwlock_unlock(&readers);
    }
}
ALONE static void made_once(double *a, int n) {
    for (int i = 0; i < n; i++) { //= yes
        pthread_once(&first_time, fill_table);
        a[i] = table[i % 16];
    }
}
ALONE static void made_of_the_first(double *a, const double *b, int n) {
    for (int i = 0; i < n; i++) { //= no
        current = (int)b[i];
        pthread_once(&second_time, choose);
        a[i] = chosen * 2;
    }
}
ALONE static void read_before_it_is_made(double *a, int n) {
    for (int i = 0; i < n; i++) { //= no
        a[i] = late[i % 16];
        pthread_once(&third_time, fill_late);
    }
}
ALONE static void made_now_and_then(double *a, const int *b, int n) {
    for (int i = 0; i < n; i++) { //= no
        if (b[i] > 0) pthread_once(&fourth_time, fill_rare);
        a[i] = rare[i % 16];
    }
}
static int calls;
ALONE static int call_once(int *flag) {
    if (!*flag) *flag = ++calls;
    return ++*flag;
}
ALONE static void own_function_of_that_name(int *o, int n) {
    static int flag;
    for (int i = 0; i < n; i++) //= no
        o[i] = call_once(&flag) * 2 % 7;
}
ALONE static void atomic_sum(const int *b, int n) {
    for (int i = 0; i < n; i++) //= yes|reduction
        atomic_fetch_add(&updates, b[i]);
}
ALONE static void builtin_sum(const int *b, int n) {
    for (int i = 0; i < n; i++) //= yes|reduction
        __atomic_fetch_add(&count, b[i], __ATOMIC_RELAXED);
}
ALONE static void numbered(int *o, int n) {
    for (int i = 0; i < n; i++) //= no|induction
        o[i] = (int)atomic_fetch_add(&updates, 1);
}
ALONE static void exchanged(int *o, const int *b, int n) {
    for (int i = 0; i < n; i++) //= no
        o[i] = (int)atomic_exchange(&newest, b[i]);
}
ALONE static void asked_each_time(double *a, const double *b, int n) {
    for (int i = 0; i < n; i++) { //= yes|private|words
        errno = 0;
        a[i] = sqrt(b[i] - 3);
        if (errno) a[i] = -1;
    }
}
ALONE static void asked_later(double *a, const double *b, int n) {
    for (int i = 0; i < n; i++) { //= no
        a[i] = errno;
        errno = (int)b[i];
    }
}
ALONE static void dates(int *o, int n) {
    for (int i = 0; i < n; i++) { //= yes
        time_t at = i * 86400L * 40;
        struct tm day;
        gmtime_r(&at, &day);
        o[i] = day.tm_mday;
    }
}
ALONE static void hours(int *o, int n) {
    for (int i = 0; i < n; i++) { //= yes
        time_t at = i * 3600L * 7;
        struct tm day;
        localtime_r(&at, &day);
        o[i] = day.tm_hour;
    }
}

int main(void) {
    int n = 60;
    double *a = reals(n), *b = reals(n);
    int *o = zeros(n), *k = integers(n);
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    locked_for_nothing(a, b, n);
    locked_sum(b, n);
    locked_smoothing(b, n);
    locked_log(n);
    show_reals("a", a, n);
    previous_under_lock(a, b, n);
    show_reals("a", a, n);
    handed_over(a, b, n);
    spinning(a, b, n);
    spinning_sum(b, n);
    show_reals("a", a, n);
    reading(a, b, n);
    show_reals("a", a, n);
    reading_and_writing(a, b, n);
    show_reals("a", a, n);
    made_once(a, n);
    show_reals("a", a, n);
    made_of_the_first(a, b, n);
    show_reals("a", a, n);
    read_before_it_is_made(a, n);
    show_reals("a", a, n);
    made_now_and_then(a, k, n);
    show_reals("a", a, n);
    own_function_of_that_name(o, n);
    show("o", o, n);
    atomic_sum(k, n);
    builtin_sum(k, n);
    numbered(o, n);
    show("o", o, n);
    exchanged(o, k, n);
    show("o", o, n);
    asked_each_time(a, b, n);
    show_reals("a", a, n);
    asked_later(a, b, n);
    show_reals("a", a, n);
    dates(o, n);
    show("o", o, n);
    hours(o, n);
    show("logged", logged, n);
    printf("%.6g %.6g %ld %ld\n", total, last, count, (long)updates);
    free(a), free(b), free(o), free(k);
}
