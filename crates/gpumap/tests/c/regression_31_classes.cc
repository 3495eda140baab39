// C++: references, members, templates, containers, calls that may throw.
#include <algorithm>
#include <array>
#include <vector>
namespace app {
class Field {
public:
    explicit Field(int n) : n_(n), data_(n) {}
    void scale(double k)
    {
        for (int i = 0; i < n_; i++)
            data_[i] *= k;
    }
private:
    int n_;
    std::vector<double> data_;
};
} // namespace app
template <typename T> void axpy(int n, T a, const T *x, T *y)
{
    for (int i = 0; i < n; i++)
        y[i] += a * x[i];
}
template void axpy<double>(int, double, const double *, double *);
void refs(int &n, double &k, double *a)
{
    for (int i = 0; i < n; i++)
        a[i] *= k;
}
struct Point { double x[3]; };
void moved(int n, Point *p, std::array<double, 3> d)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 3; k++)
            p[i].x[k] += d[k];
}
int checked(int i);
int guarded(int n, int *a)
{
    try {
        for (int i = 0; i < n; i++)
            a[i] = checked(i);
    } catch (int code) {
        return code;
    }
    return 0;
}
void use() { app::Field(3).scale(2); }
