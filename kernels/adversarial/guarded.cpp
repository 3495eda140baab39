// What is made once in C++, locks that scopes hold, atomic variables, counts of owners, streams and exceptions: the bookkeeping of
// libraries orders nothing, what depends on who comes first does.
//: compile -std=c++20 -pthread
#include "common.h"
#include <atomic>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

static std::mutex mutex;
static std::recursive_mutex again;
static std::shared_mutex readers;
static std::once_flag once, once_more;
static std::vector<double> table, stack;
static double total, first_of_all, last;
static std::atomic<long> count, newest;

static const std::vector<double> &squares() {
    static const std::vector<double> t = [] {
        std::vector<double> v;
        for (int i = 0; i < 16; i++) v.push_back(i * i);
        return v;
    }();
    return t;
}
static double base(double x) {
    static const double b = x * 0.5;
    return b;
}
static std::vector<double> &cache() {
    static std::vector<double> c(16, 1.0);
    return c;
}

ALONE static void scoped_for_nothing(double *a, const double *b, int n) {
    for (int i = 0; i < n; i++) { //= yes
        std::lock_guard<std::mutex> held(mutex);
        a[i] = b[i] * 2;
    }
}
ALONE static void scoped_again(double *a, const double *b, int n) {
    for (int i = 0; i < n; i++) { //= yes
        std::lock_guard<std::recursive_mutex> held(again);
        a[i] = b[i] * 2;
    }
}
ALONE static void scoped_sum(const double *b, int n) {
    for (int i = 0; i < n; i++) { //= reduction
        std::lock_guard<std::mutex> held(mutex);
        total += b[i];
    }
}
ALONE static void scoped_stack(const double *b, int n) {
    for (int i = 0; i < n; i++) { //= no
        std::lock_guard<std::mutex> held(mutex);
        stack.push_back(b[i] + (stack.empty() ? 0 : stack.back()));
    }
}
ALONE static void scoped_last(double *a, const double *b, int n) {
    for (int i = 0; i < n; i++) { //= no
        std::unique_lock<std::mutex> held(mutex);
        a[i] = last;
        last = b[i];
        held.unlock();
    }
}
ALONE static void shared_reading(double *a, const double *b, int n) {
    for (int i = 0; i < n; i++) { //= yes
        std::shared_lock<std::shared_mutex> held(readers);
        a[i] = b[i] * total;
    }
}
ALONE static void table_of_a_function(double *a, int n) {
    for (int i = 0; i < n; i++) //= yes
        a[i] = squares()[i & 15];
}
ALONE static void table_called_for(double *a, int n) {
    for (int i = 0; i < n; i++) { //= yes
        std::call_once(once, [] { table.assign(16, 1.5); });
        a[i] = table[i & 15];
    }
}
ALONE static void first_of_all_called_for(double *a, const double *b, int n) {
    for (int i = 0; i < n; i++) { //= no
        std::call_once(once_more, [&] { first_of_all = b[i] + 1; });
        a[i] = first_of_all;
    }
}
ALONE static void first_of_all_kept(double *a, const double *b, int n) {
    for (int i = 0; i < n; i++) { //= no
        static const double first = b[i] + 2;
        a[i] = first * b[i];
    }
}
ALONE static void first_argument_kept(double *a, const double *b, int n) {
    for (int i = 0; i < n; i++) //= no
        a[i] = base(b[i]) + i;
}
ALONE static void cache_that_changes(double *a, const double *b, int n) {
    for (int i = 0; i < n; i++) { //= no
        auto &c = cache();
        c[i & 15] = c[(i + 1) & 15] * 0.5 + b[i];
        a[i] = c[i & 15];
    }
}
ALONE static void atomic_sum(const int *b, int n) {
    for (int i = 0; i < n; i++) //= yes|reduction
        count += b[i];
}
ALONE static void atomic_adds(const int *b, int n) {
    for (int i = 0; i < n; i++) //= yes|reduction
        count.fetch_add(b[i], std::memory_order_relaxed);
}
ALONE static void atomic_numbers(int *o, int n) {
    for (int i = 0; i < n; i++) //= no|induction
        o[i] = (int)count++;
}
ALONE static void atomic_sum_looked_at(int *o, const int *b, int n) {
    for (int i = 0; i < n; i++) { //= no
        count += b[i];
        o[i] = (int)count.load();
    }
}
ALONE static void atomic_newest(int *o, const int *b, int n) {
    for (int i = 0; i < n; i++) //= no
        o[i] = (int)newest.exchange(b[i]);
}
ALONE static void owned(double *a, const double *b, int n) {
    for (int i = 0; i < n; i++) { //= yes
        auto one = std::make_shared<double>(b[i]);
        auto other = one;
        a[i] = *other * 2;
    }
}
ALONE static void owners_counted(double *a, std::vector<std::shared_ptr<double>> &all, int n) {
    std::shared_ptr<double> one = std::make_shared<double>(3.0);
    for (int i = 0; i < n; i++) { //= no
        all[i] = one;
        a[i] = (double)one.use_count();
    }
}
ALONE static void thrown_and_caught(double *a, const double *b, int n) {
    for (int i = 0; i < n; i++) //= yes
        try {
            if (i % 20 == 7) throw std::runtime_error("seven");
            a[i] = b[i];
        } catch (const std::exception &) {
            a[i] = -1;
        }
}
ALONE static void thrown_on(double *a, const double *b, int n) {
    for (int i = 0; i < n; i++) //= no
        try {
            if (i % 20 == 7) throw last;
            last = b[i];
            a[i] = last;
        } catch (double before) {
            a[i] = before;
        }
}
ALONE static void written_out(std::vector<std::string> &s, const double *b, int n) {
    for (int i = 0; i < n; i++) { //= yes
        std::ostringstream out;
        out << i << ' ' << b[i];
        s[i] = out.str();
    }
}

int main() {
    int n = 60;
    double *a = reals(n), *b = reals(n);
    int *o = zeros(n), *k = integers(n);
    scoped_for_nothing(a, b, n);
    scoped_again(a, b, n);
    scoped_sum(b, n);
    scoped_stack(b, n);
    show_reals("a", a, n);
    scoped_last(a, b, n);
    show_reals("a", a, n);
    shared_reading(a, b, n);
    table_of_a_function(a, n);
    show_reals("a", a, n);
    table_called_for(a, n);
    show_reals("a", a, n);
    first_of_all_called_for(a, b, n);
    show_reals("a", a, n);
    first_of_all_kept(a, b, n);
    show_reals("a", a, n);
    first_argument_kept(a, b, n);
    show_reals("a", a, n);
    cache_that_changes(a, b, n);
    show_reals("a", a, n);
    atomic_sum(k, n);
    atomic_adds(k, n);
    atomic_numbers(o, n);
    show("o", o, n);
    atomic_sum_looked_at(o, k, n);
    show("o", o, n);
    atomic_newest(o, k, n);
    show("o", o, n);
    owned(a, b, n);
    std::vector<std::shared_ptr<double>> all(n);
    owners_counted(a, all, n);
    show_reals("a", a, n);
    thrown_and_caught(a, b, n);
    show_reals("a", a, n);
    thrown_on(a, b, n);
    show_reals("a", a, n);
    std::vector<std::string> s(n);
    written_out(s, b, n);
    printf("%.6g %.6g %ld %s %zu\n", total, last, (long)count, s[9].c_str(), stack.size());
    free(a), free(b), free(o), free(k);
}
