/* Values of polynomials at many points by Horner's rule, on std::vector, in templates; bad input is refused by exception.

   evaluate, loop p: every point has its own result: parallel.
   evaluate, loop c: Horner's recurrence r = r x + c, flow distance 1, multiplication and addition mixed: not parallel and
   not a reduction.
   total, loop i: carries sum alone: parallel as a reduction. */
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <vector>

template <typename T>
[[gnu::noinline]] std::vector<T> evaluate(const std::vector<T> &coefficients, const std::vector<T> &points)
{
    if (coefficients.empty())
        throw std::invalid_argument("a polynomial without coefficients");
    std::vector<T> results(points.size());
    for (std::size_t p = 0; p < points.size(); p++) { /* @p */
        T r = 0;
        for (std::size_t c = 0; c < coefficients.size(); c++) /* @c */
            r = r * points[p] + coefficients[c];
        results[p] = r;
    }
    return results;
}

template <typename T>
[[gnu::noinline]] T total(const std::vector<T> &values)
{
    T sum = 0;
    for (std::size_t i = 0; i < values.size(); i++) /* @i */
        sum += values[i];
    return sum;
}

int main(int argc, char **argv)
{
    int points = argc > 1 ? std::atoi(argv[1]) : 300;
    int degree = argc > 2 ? std::atoi(argv[2]) : 20;
    std::vector<double> x;
    for (int i = 0; i < points; i++)
        x.push_back((i % 41) / 41.0);
    int refused = 0;
    double check = 0.0;
    for (int attempt = 0; attempt < 4; attempt++) {
        std::vector<double> coefficients;
        for (int c = 0; c < degree * (attempt % 2); c++)
            coefficients.push_back(c % 3 - 1);
        try {
            check += total(evaluate(coefficients, x));
        } catch (const std::invalid_argument &) {
            refused++;
        }
    }
    std::printf("%.6f %d\n", check, refused);
    return 0;
}
