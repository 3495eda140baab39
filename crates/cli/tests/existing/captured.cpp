// What iterations share by way of closures, iterators and functions of libraries, in a run in which one thread has all of them.
#include <cstdio>
#include <cstring>
#include <tuple>
#include <vector>
#define ALONE static __attribute__((noipa))
/*! unknown O0 */
ALONE double sum_of_a_closure(const double *in, int n) {
    double total = 0;
    auto add = [&](double x) { total += x; };
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        add(in[i]);
    return total;
}
/*! unknown O0 */
ALONE double scratch_of_a_closure(const double *in, double *out, int n) {
    double last = 0;
    auto keep = [&](double x) { last = x; return last * 3; };
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        out[i] = keep(in[i]);
    return last;
}
/*! unknown O0 */
ALONE void pair_of_all(std::pair<int, double> &both, const double *in, double *out, int n) {
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        std::tie(both.first, both.second) = std::make_pair(i, in[i]);
        out[i] = both.first + both.second;
    }
}
/*! unknown O0 */
ALONE void first_of_all(std::vector<double> &row, const double *in, double *out, int n) {
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        *row.begin() = in[i];
        out[i] = row[0] * 2;
    }
}
/*! unknown O0 */
ALONE void copied_to_all(double *to, const double *in, double *out, int n) {
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        std::memcpy(to, in + i, sizeof *to);
        out[i] = to[0];
    }
}
/*! none */
ALONE double sum_by_a_clause(const double *in, int n) {
    double total = 0;
#pragma omp parallel for reduction(+ : total)
    for (int i = 0; i < n; i++)
        total += in[i];
    return total;
}
/*! none */
ALONE void closure_of_each(const double *in, double *out, int n) {
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        double last = 0;
        auto keep = [&](double x) { last = x; return last * 3; };
        out[i] = keep(in[i]);
    }
}
/*! none */
ALONE double under_a_guard(const double *in, int n) {
    double total = 0;
    auto add = [&](double x) { total += x; };
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
#pragma omp critical
        add(in[i]);
    }
    return total;
}
/*! none */
int main() {
    std::vector<double> in(200), out(200), row(8);
    for (int i = 0; i < 200; i++)
        in[i] = i * 37 % 101;
    std::pair<int, double> both;
    double sum = sum_of_a_closure(in.data(), 200) + scratch_of_a_closure(in.data(), out.data(), 200);
    pair_of_all(both, in.data(), out.data(), 200), first_of_all(row, in.data(), out.data(), 200);
    copied_to_all(&row[3], in.data(), out.data(), 200), closure_of_each(in.data(), out.data(), 200);
    sum += sum_by_a_clause(in.data(), 200) + under_a_guard(in.data(), 200);
    std::printf("%g %g %g\n", sum, both.second, out[7]);
}
