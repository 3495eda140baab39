/* What locks guard, as the run takes them: functions that say `race` have one. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#define ALONE __attribute__((noinline))
#define N 200

static omp_lock_t a, b, many[8];
static omp_nest_lock_t nested;
static int h[64];
struct account {
    omp_lock_t own;
    int balance;
    int *total;
};

static ALONE void add_locked(int *x, omp_lock_t *l) {
    omp_set_lock(l);
    *x += 1;
    omp_unset_lock(l);
}
static ALONE void add(int *x) { *x += 1; }

/* Of one account its own lock guards its own balance, and not what all share. */
static ALONE void deposit(struct account *of) {
    omp_set_lock(&of->own);
    of->balance += 1;
    omp_unset_lock(&of->own);
}
static ALONE void deposit_all(struct account *of) {
    omp_set_lock(&of->own);
    *of->total += 1;
    omp_unset_lock(&of->own);
}

ALONE int own_locks(struct account *all) { /*! */
#pragma omp parallel for
    for (int i = 0; i < N; i++) {
        deposit(&all[i * 7 % 4]);
    }
    return all[1].balance;
}
ALONE int own_locks_of_one(struct account *all) { /*! race */
#pragma omp parallel for
    for (int i = 0; i < N; i++) {
        deposit_all(&all[i * 7 % 4]);
    }
    return *all[0].total;
}
ALONE int by_argument(void) { /*! */
    int x = 0;
#pragma omp parallel for
    for (int i = 0; i < N; i++) {
        add_locked(&x, &a);
    }
    return x;
}
ALONE int by_wrong_argument(void) { /*! race */
    int x = 0;
#pragma omp parallel for
    for (int i = 0; i < N; i++) {
        add_locked(&x, i % 3 ? &a : &b);
    }
    return x;
}
ALONE int by_caller(void) { /*! */
    int x = 0;
#pragma omp parallel for
    for (int i = 0; i < N; i++) {
        omp_set_lock(&a);
        add(&x);
        omp_unset_lock(&a);
    }
    return x;
}
ALONE int in_both_branches(void) { /*! */
    int x = 0;
#pragma omp parallel for
    for (int i = 0; i < N; i++) {
        if (i % 2) {
            omp_set_lock(&a);
            x += 2;
            omp_unset_lock(&a);
        } else {
            omp_set_lock(&a);
            x += 3;
            omp_unset_lock(&a);
        }
    }
    return x;
}
ALONE int two_in_branches(void) { /*! race */
    int x = 0;
#pragma omp parallel for
    for (int i = 0; i < N; i++) {
        if (i % 2) {
            omp_set_lock(&a);
            x += 2;
            omp_unset_lock(&a);
        } else {
            omp_set_lock(&b);
            x += 3;
            omp_unset_lock(&b);
        }
    }
    return x;
}
ALONE int on_one_line(void) { /*! */
    int x = 0;
#pragma omp parallel for
    for (int i = 0; i < N; i++) {
        omp_set_lock(&a); x += i; omp_unset_lock(&a);
    }
    return x;
}
ALONE int behind_on_one_line(void) { /*! race */
    int x = 0;
#pragma omp parallel for
    for (int i = 0; i < N; i++) {
        omp_set_lock(&a); omp_unset_lock(&a); x += i;
    }
    return x;
}
ALONE int by_element(void) { /*! */
#pragma omp parallel for
    for (int i = 0; i < N; i++) {
        int k = i * 13 % 64;
        omp_set_lock(&many[k & 7]);
        h[k] += 1;
        omp_unset_lock(&many[k & 7]);
    }
    return h[3];
}
ALONE int by_iteration(void) { /*! race */
#pragma omp parallel for
    for (int i = 0; i < N; i++) {
        int k = i / 5 % 64;
        omp_set_lock(&many[i & 7]);
        h[k] += 1;
        omp_unset_lock(&many[i & 7]);
    }
    return h[3];
}
ALONE int both_of_two(void) { /*! */
    int x = 0;
#pragma omp parallel for
    for (int i = 0; i < N; i++) {
        omp_set_lock(&a);
        if (i % 4 == 0) {
            omp_set_lock(&b);
            x += 1;
            omp_unset_lock(&b);
        } else {
            x += 2;
        }
        omp_unset_lock(&a);
    }
    return x;
}
ALONE int hand_over_hand(int *list) { /*! */
#pragma omp parallel for
    for (int i = 0; i < 16; i++) {
        omp_set_lock(&many[0]);
        for (int k = 0; k < 7; k++) {
            list[k] += 1;
            omp_set_lock(&many[k + 1]);
            omp_unset_lock(&many[k]);
        }
        omp_unset_lock(&many[7]);
    }
    return list[2];
}
ALONE int given_too_early(int *list) { /*! race */
#pragma omp parallel for
    for (int i = 0; i < 16; i++) {
        omp_set_lock(&many[0]);
        for (int k = 0; k < 7; k++) {
            omp_set_lock(&many[k + 1]);
            omp_unset_lock(&many[k]);
            list[k] += 1;
            list[k + 1] += 1;
        }
        omp_unset_lock(&many[7]);
    }
    return list[2];
}
ALONE int more_than_once(void) { /*! */
    int x = 0;
#pragma omp parallel for
    for (int i = 0; i < N; i++) {
        omp_set_nest_lock(&nested);
        omp_set_nest_lock(&nested);
        omp_unset_nest_lock(&nested);
        x += i;
        omp_unset_nest_lock(&nested);
    }
    return x;
}
ALONE int if_it_is_free(void) { /*! */
    int x = 0;
#pragma omp parallel for
    for (int i = 0; i < 8; i++) {
        while (!omp_test_lock(&a)) {
        }
        x += i;
        omp_unset_lock(&a);
    }
    return x;
}
ALONE int whether_it_is_free_or_not(void) { /*! race */
    int x = 0;
#pragma omp parallel for
    for (int i = 0; i < N; i++) {
        int has = i % 2 ? 0 : omp_test_lock(&a);
        x += i;
        if (has) {
            omp_unset_lock(&a);
        }
    }
    return x;
}
ALONE int read_without(void) { /*! race */
    int x = 0, y = 0;
#pragma omp parallel for reduction(+ : y)
    for (int i = 0; i < N; i++) {
        omp_set_lock(&a);
        x += i;
        omp_unset_lock(&a);
        y += x;
    }
    return y;
}
ALONE int by_names(void) { /*! race */
    int x = 0;
#pragma omp parallel
    {
        if (omp_get_thread_num() % 2) {
#pragma omp critical(one)
            x += 1;
        } else {
#pragma omp critical(other)
            x += 2;
        }
    }
    return x;
}
ALONE int by_one_name(void) { /*! */
    int x = 0;
#pragma omp parallel
    {
        if (omp_get_thread_num() % 2) {
#pragma omp critical(one)
            x += 1;
        } else {
#pragma omp critical(one)
            x += 2;
        }
    }
    return x;
}
static int shared_sum;
ALONE void adds(int i) { shared_sum += i; }
ALONE int around_a_call(void) { /*! */
#pragma omp parallel for
    for (int i = 0; i < 21; i++) {
        omp_lock_t *own = &a;
        omp_set_lock(own);
        adds(i);
        omp_unset_lock(own);
    }
    return shared_sum;
}
static int other_sum;
ALONE void adds_to_other(int i) { other_sum += i; }
ALONE int around_a_call_by_two(void) { /*! race */
#pragma omp parallel for
    for (int i = 0; i < 21; i++) {
        omp_lock_t *own = i % 2 ? &a : &b;
        omp_set_lock(own);
        adds_to_other(i);
        omp_unset_lock(own);
    }
    return other_sum;
}
ALONE int of_each_task(void) { /*! race */
    int x = 0;
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 20; i++) {
#pragma omp task shared(x)
        {
            omp_lock_t own;
            omp_init_lock(&own);
            omp_set_lock(&own);
            x += i;
            omp_unset_lock(&own);
            omp_destroy_lock(&own);
        }
    }
    return x;
}
ALONE int in_tasks(void) { /*! */
    int x = 0;
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 20; i++) {
#pragma omp task shared(x)
        {
            omp_set_lock(&a);
            x += i;
            omp_unset_lock(&a);
        }
    }
    return x;
}
ALONE int in_tasks_by_two(void) { /*! race */
    int x = 0;
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 20; i++) {
#pragma omp task shared(x)
        {
            omp_lock_t *own = i % 2 ? &a : &b;
            omp_set_lock(own);
            x += i;
            omp_unset_lock(own);
        }
    }
    return x;
}

int main(void) { /*! */
    int total = 0, list[8] = {0};
    struct account all[4];
    omp_init_lock(&a);
    omp_init_lock(&b);
    omp_init_nest_lock(&nested);
    for (int i = 0; i < 8; i++) {
        omp_init_lock(&many[i]);
    }
    for (int i = 0; i < 4; i++) {
        all[i].balance = 0;
        all[i].total = &total;
        omp_init_lock(&all[i].own);
    }
    int sum = own_locks(all) + own_locks_of_one(all) + by_argument() + by_wrong_argument() + by_caller();
    sum += in_both_branches() + two_in_branches() + on_one_line() + behind_on_one_line() + by_element();
    sum += by_iteration() + both_of_two() + hand_over_hand(list) + given_too_early(list) + more_than_once();
    sum += if_it_is_free() + whether_it_is_free_or_not() + read_without() + by_names() + by_one_name();
    sum += in_tasks() + in_tasks_by_two() + around_a_call() + around_a_call_by_two() + of_each_task();
    printf("%d\n", sum != 0);
    return 0;
}
