// Rows of a table are summed up to their first bad entry; what is bad is thrown two calls deep and caught outside the loop.
//
// sums, loop row: rows write different sums: parallel. (Not in the table: the registers that unwinding restores are taken
// for values that iterations hand on.)
// row_sum, loop entry: carries the sum: parallel as a reduction (what decides that a loop ends is not a dependence here).
#include <cstdio>
#include <cstdlib>
#include <vector>

struct Bad {
    int at;
};

__attribute__((noinline)) static long checked(const int *in, int at)
{
    if (in[at] == 77)
        throw Bad{at};
    return in[at];
}

__attribute__((noinline)) static long row_sum(const int *in, int columns)
{
    long sum = 0;
    for (int c = 0; c < columns; c++) /* @entry */
        sum += checked(in, c);
    return sum;
}

__attribute__((noinline)) static void sums(const std::vector<int> &in, int columns, std::vector<long> &out)
{
    for (unsigned r = 0; r < out.size(); r++) { /* @row */
        try {
            out[r] = row_sum(&in[r * columns], columns);
        } catch (const Bad &bad) {
            out[r] = -bad.at;
        }
    }
}

int main(int argc, char **argv)
{
    int rows = argc > 1 ? std::atoi(argv[1]) : 30, columns = 40;
    std::vector<int> in(rows * columns);
    for (unsigned i = 0; i < in.size(); i++)
        in[i] = i % 397 == 60 ? 77 : i % 50;
    std::vector<long> out(rows);
    sums(in, columns, out);
    long check = 0;
    for (long x : out)
        check = check * 3 + x;
    std::printf("%ld\n", check);
    return 0;
}
