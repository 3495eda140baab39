// What an assignment does that a function makes, and what functions give or copy to: places that the text does not show.
#include <cstdio>
#include <cstring>
#include <tuple>
#include <utility>
#include <vector>

#include "common.h"

static const int n = 200;
static double x[n], out[n];

// Counts as well.
struct Gauge {
    double value = 0;
    int times = 0;
    Gauge &operator=(double v) {
        value = v;
        times++;
        return *this;
    }
};
ALONE static double counted() {
    Gauge gauge;
    for (int i = 0; i < n; i++) { //= no|reduction ## none
        gauge = x[i];
        out[i] = gauge.value * 2;
    }
    return gauge.value + gauge.times;
}
ALONE static double counted_elsewhere(Gauge &gauge) {
    for (int i = 0; i < n; i++) { //= no|reduction ## none
        gauge = x[i];
        out[i] = gauge.value + 1;
    }
    return gauge.times;
}

// Keeps what it finds.
struct Peak {
    double most = -1;
    Peak &operator=(double v) {
        if (v > most)
            most = v;
        return *this;
    }
};
ALONE static double kept() {
    Peak peak;
    for (int i = 0; i < n; i++) { //= no|reduction ## none
        peak = x[i];
        out[i] = 1;
    }
    return peak.most;
}

// Writes through a member.
struct Port {
    double *to;
    double latest;
    Port &operator=(double v) {
        latest = v;
        *to = v;
        return *this;
    }
};
ALONE static double led() {
    double last = 0;
    Port port{&last, 0};
    for (int i = 0; i < n; i++) { //= no|private|unknown ## none
        port = x[i];
        out[i] = x[i];
    }
    return last + port.latest;
}

// Sums.
struct Total {
    double sum = 0;
    Total &operator+=(double v) {
        sum = sum * 0.5 + v;
        return *this;
    }
    Total &operator++() {
        sum = sum * 0.5 + 1;
        return *this;
    }
};
ALONE static double summed() {
    Total total;
    for (int i = 0; i < n; i++) { //= no ## none
        total += x[i];
        out[i] = i;
    }
    return total.sum;
}
ALONE static double advanced() {
    Total total;
    for (int i = 0; i < n; i++) { //= no ## none
        ++total;
        out[i] = i;
    }
    return total.sum;
}
// Each iteration has its own.
ALONE static void own() {
    for (int i = 0; i < n; i++) { //= yes|unknown
        Total total;
        total += x[i];
        out[i] = total.sum;
    }
}

// What functions give.
ALONE static double tied(std::pair<double, int> &pair) {
    for (int i = 0; i < n; i++) { //= no|private|unknown ## none
        std::tie(pair.first, pair.second) = std::make_pair(x[i], i);
        out[i] = pair.first * pair.second;
    }
    return pair.first;
}
ALONE static double begun(std::vector<double> &v) {
    for (int i = 0; i < n; i++) { //= no|private|unknown ## none
        *v.begin() = x[i];
        out[i] = v[0] + 1;
    }
    return v[0];
}
ALONE static double third(std::vector<double> &v) {
    for (int i = 0; i < n; i++) { //= no|private|unknown ## none
        v.data()[2] = x[i];
        out[i] = v[2] + 1;
    }
    return v[2];
}
ALONE static void moved(std::vector<double> &v) {
    for (int i = 0; i < n; i++) { //= yes|unknown
        *(v.begin() + i) = x[i];
    }
}

// What functions of the library copy to.
ALONE static double copied(double *w) {
    for (int i = 0; i < n; i++) { //= no|private|unknown ## none
        memcpy(w, x + i, sizeof *w);
        out[i] = w[0] * 2;
    }
    return w[0];
}
struct Message {
    unsigned length;
    unsigned char text[16];
};
ALONE static int written(Message *message) {
    for (int i = 0; i < n; i++) { //= no|private|unknown ## none
        unsigned v = i * 77;
        memmove(message->text, &v, 4);
        out[i] = message->text[0] + message->text[1];
    }
    return message->text[0];
}
ALONE static void elements(unsigned char *to) {
    for (int i = 0; i < n; i++) { //= yes|unknown
        unsigned v = i * 77;
        memcpy(to + 4 * i, &v, 4);
    }
}
ALONE static void values() {
    for (int i = 0; i < n; i++) { //= yes
        double v;
        memcpy(&v, x + i, sizeof v);
        out[i] = v * 2;
    }
}

// Counted by a member, of which there is one for all.
struct Sweep {
    int i = 0;
    ALONE void scale(double *p, int m) {
        for (i = 0; i < m; i++) //= no|induction ## none
            p[i] *= 2;
    }
    ALONE void copy(double *p, const double *q, int m) {
        for (i = 0; i < m; i++) //= no|induction ## none
            p[i] = q[i] + 1;
    }
};

int main() {
    Sweep sweep;
    static double y[n];
    sweep.copy(y, out, n);
    sweep.scale(y, n);
    for (int i = 0; i < n; i++)
        x[i] = (i * 37) % 101 + 0.5;
    Gauge gauge;
    double sum = counted() + counted_elsewhere(gauge) + kept() + led() + summed() + advanced();
    own();
    std::pair<double, int> pair;
    std::vector<double> v(n);
    sum += tied(pair) + begun(v) + third(v);
    moved(v);
    double w[4] = {0};
    Message message = {0, {0}};
    static unsigned char bytes[4 * n];
    sum += copied(w) + written(&message);
    elements(bytes);
    values();
    printf("%g %g %d\n", sum, out[7] + v[9] + y[5], bytes[44] + sweep.i);
}
