// Exceptions that are caught in the body of a loop: it goes on, and what iterations hand on is seen across them.
#include "common.h"
#include <stdexcept>
#include <string>
#include <vector>

struct Bad {
    int at;
};

static double made[300], other[300];
static int hits, failures[8];

ALONE static double checked(int i, int every) {
    if (i % every == 0)
        throw Bad{i};
    return i * .5;
}

struct Held {
    int *count;
    explicit Held(int *count) : count(count) {
        ++*count;
    }
    ~Held() {
        --*count;
    }
};

// The first iterations are independent, those after the first exception are not.
ALONE static void late(double *a, int n, int every) {
    for (int i = 0; i < n; i++) { //= no
        try {
            a[i] = checked(i + 1, every) + (i > 2 * every ? a[i - 1] : 0);
        } catch (const Bad &bad) {
            a[i] = i > 2 * every ? a[i - 1] - bad.at : 0;
        }
    }
}

ALONE static void chain(double *a, int n, int every) {
    for (int i = 1; i < n; i++) { //= no
        a[i] = a[i - 1] * .5;
        try {
            a[i] += checked(i, every);
        } catch (const Bad &bad) {
            a[i] += bad.at;
        }
    }
}

ALONE static void handed_on(double *a, int n, int every) {
    double last = 0;
    for (int i = 0; i < n; i++) { //= no
        a[i] = last;
        try {
            last = checked(i, every);
        } catch (const Bad &bad) {
            last = -bad.at;
        }
    }
}

ALONE static void each(double *a, int n, int every) {
    for (int i = 0; i < n; i++) { //= yes
        try {
            a[i] = checked(i, every);
        } catch (const Bad &bad) {
            a[i] = -bad.at;
        }
    }
}

ALONE static void every_one(double *a, int n) {
    for (int i = 0; i < n; i++) { //= yes
        try {
            a[i] = checked(i, 1);
        } catch (const Bad &bad) {
            a[i] = -bad.at;
        }
    }
}

ALONE static void every_one_hands_on(double *a, int n) {
    for (int i = 1; i < n; i++) { //= no
        try {
            a[i] = checked(i, 1);
        } catch (const Bad &bad) {
            a[i] = a[i - 1] - bad.at;
        }
    }
}

ALONE static void counted(int n, int every) {
    for (int i = 0; i < n; i++) { //= reduction
        try {
            made[i] = checked(i, every);
        } catch (const Bad &) {
            hits++;
        }
    }
}

ALONE static void by_kind(int n, int every) {
    for (int i = 0; i < n; i++) { //= no|reduction
        try {
            made[i] = checked(i, every);
        } catch (const Bad &bad) {
            failures[bad.at & 7]++;
        }
    }
}

ALONE static void two_kinds(double *a, int n) {
    for (int i = 0; i < n; i++) { //= yes
        try {
            if (i % 5 == 0)
                throw std::runtime_error("five");
            a[i] = checked(i, 3);
        } catch (const Bad &bad) {
            a[i] = bad.at;
        } catch (const std::exception &e) {
            a[i] = e.what()[0];
        }
    }
}

// Nested: the inner loop is left by the exception, the outer goes on.
ALONE static void rows(double *a, int n, int m, int every) {
    for (int i = 0; i < n; i++) { //= yes
        try {
            for (int j = 0; j < m; j++) //= yes
                a[i * m + j] = checked(i * m + j + 1, every);
        } catch (const Bad &bad) {
            a[i * m] = -bad.at;
        }
    }
}

ALONE static void rows_hand_on(double *a, int n, int m, int every) {
    for (int i = 1; i < n; i++) { //= no
        try {
            for (int j = 0; j < m; j++)
                a[i * m + j] = checked(i * m + j, every);
        } catch (const Bad &bad) {
            a[i * m] = a[(i - 1) * m] - bad.at;
        }
    }
}

// Cleaned up on the way: the count is as before after every iteration.
ALONE static void cleaned(double *a, int n, int every) {
    for (int i = 0; i < n; i++) { //= yes|private
        int open = 0;
        try {
            Held held(&open);
            a[i] = checked(i, every) + open;
        } catch (const Bad &bad) {
            a[i] = -bad.at - open;
        }
    }
}

// Thrown again, and caught further out, in the next loop.
ALONE static double inner(int i, int every) {
    try {
        return checked(i, every);
    } catch (const Bad &bad) {
        if (bad.at & 1)
            throw;
        return -1;
    }
}

ALONE static void again(double *a, int n, int every) {
    for (int i = 0; i < n; i++) { //= yes
        try {
            a[i] = inner(i, every);
        } catch (const Bad &bad) {
            a[i] = -bad.at;
        }
    }
}

ALONE static void again_hands_on(double *a, int n, int every) {
    for (int i = 1; i < n; i++) { //= no
        try {
            a[i] = inner(i, every);
        } catch (const Bad &bad) {
            a[i] = a[i - 1] + bad.at;
        }
    }
}

// The exception ends the loop.
ALONE static int until(double *a, int n, int bad) {
    int i = 0;
    try {
        for (; i < n; i++) { //= no
            if (i == bad)
                throw Bad{i};
            a[i] = i * .25;
        }
    } catch (const Bad &b) {
        return b.at;
    }
    return i;
}

int main() {
    late(made, 300, 4);
    show_reals("late", made, 300);
    chain(made, 300, 3);
    show_reals("chain", made, 300);
    handed_on(made, 300, 4);
    show_reals("handed_on", made, 300);
    each(made, 300, 3);
    show_reals("each", made, 300);
    every_one(made, 200);
    show_reals("every_one", made, 300);
    every_one_hands_on(made, 200);
    show_reals("every_one_hands_on", made, 300);
    counted(300, 5);
    by_kind(300, 3);
    printf("%d %d\n", hits, failures[3]);
    two_kinds(made, 300);
    show_reals("two_kinds", made, 300);
    rows(other, 15, 20, 17);
    show_reals("rows", other, 300);
    rows_hand_on(other, 15, 20, 17);
    show_reals("rows_hand_on", other, 300);
    cleaned(made, 300, 6);
    show_reals("cleaned", made, 300);
    again(made, 300, 3);
    show_reals("again", made, 300);
    again_hands_on(made, 300, 3);
    show_reals("again_hands_on", made, 300);
    printf("%d\n", until(made, 300, 250));
    return 0;
}
