// Streams, and positions that are taken from elements.
#include <cstdio>
#include <sstream>
#include <vector>

#define ALONE __attribute__((noinline, noipa))

struct lists {
    std::vector<int> lengths, elements;
    int &length(int row) { return lengths[row]; }
    int &element(int row, int at) { return elements[row * 64 + at]; }
};
static int lengths[8], elements[8 * 64];

ALONE void position_of_a_row(const int *row_of, int n) {
    for (int i = 0; i < n; i++) { //= no
        int row = row_of[i];
        int at = lengths[row]++;
        elements[row * 64 + at] = i;
    }
}
ALONE void position_by_method(lists &to, const int *row_of, int n) {
    for (int i = 0; i < n; i++) { //= no
        int row = row_of[i];
        int at = to.length(row)++;
        to.element(row, at) = i;
    }
}
ALONE void position_by_assignment(lists &to, const int *row_of, int n) {
    for (int i = 0; i < n; i++) { //= no
        int row = row_of[i];
        int at = (to.length(row) += 1);
        to.element(row, at - 1) = i;
    }
}
ALONE void written(std::ostream &to, int n) {
    for (int i = 0; i < n; i++) //= no
        to << i * 3 << " ";
}
ALONE void read(std::istream &from, float *a, int n) {
    for (int i = 0; i < n; i++) //= no
        from >> a[i];
}
ALONE void counted_rows(const int *row_of, int n) {
    for (int i = 0; i < n; i++) //= reduction
        lengths[row_of[i]]++;
}

int main() {
    lists to;
    to.lengths.resize(8);
    to.elements.resize(8 * 64);
    int row_of[60];
    for (int i = 0; i < 60; i++) //= yes
        row_of[i] = (i * 7 + i / 3) % 8;
    position_of_a_row(row_of, 60);
    position_by_method(to, row_of, 60);
    for (int i = 0; i < 8; i++) //= yes
        to.lengths[i] = 0;
    position_by_assignment(to, row_of, 60);
    counted_rows(row_of, 60);
    std::stringstream text;
    written(text, 20);
    static float a[20];
    read(text, a, 20);
    std::printf("%d %d %g %d\n", elements[5], to.elements[9], a[3], lengths[2]);
}
