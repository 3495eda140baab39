#include <stdio.h>
#define ALONE __attribute__((noipa)) static
#define N 200
static double a[N], b[N], c[N], d[N], e[N], w[N], sum, late;
static double g[N][N], h[N][N], k[N][N], m[N][N];
ALONE void waits_for_the_one_before(void) { /*! */
#pragma omp parallel for ordered(1) schedule(static, 1)
    for (int i = 1; i < N; i++) {
#pragma omp ordered depend(sink : i - 1)
        a[i] = a[i - 1] * 0.5 + w[i];
#pragma omp ordered depend(source)
    }
}
ALONE void waits_for_one_too_early(void) { /*! race */
#pragma omp parallel for ordered(1) schedule(static, 1)
    for (int i = 2; i < N; i++) {
#pragma omp ordered depend(sink : i - 2)
        b[i] = b[i - 1] * 0.5 + w[i];
#pragma omp ordered depend(source)
    }
}
ALONE void waits_twice(void) { /*! */
#pragma omp parallel for ordered(1) schedule(static, 1)
    for (int i = 2; i < N; i++) {
#pragma omp ordered depend(sink : i - 1)
        c[i] = c[i - 2] * 0.5 + w[i];
#pragma omp ordered depend(source)
    }
}
ALONE void lets_go_too_early(void) { /*! race */
#pragma omp parallel for ordered(1) schedule(static, 1)
    for (int i = 1; i < N; i++) {
#pragma omp ordered depend(sink : i - 1)
        double t = w[i];
#pragma omp ordered depend(source)
        d[i] = d[i - 1] * 0.5 + t;
    }
}
ALONE void overwrites_what_is_read_later(void) { /*! race */
#pragma omp parallel for ordered(1) schedule(static, 1)
    for (int i = 3; i < N - 2; i++) {
#pragma omp ordered depend(sink : i - 3)
        e[i] = e[i + 2] + w[i];
#pragma omp ordered depend(source)
    }
}
ALONE void waits_on_both_sides(void) { /*! */
#pragma omp parallel for ordered(2) collapse(2) schedule(static, 1)
    for (int i = 1; i < N; i++)
        for (int j = 1; j < N; j++) {
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)
            g[i][j] = g[i - 1][j] * 0.5 + g[i][j - 1];
#pragma omp ordered depend(source)
        }
}
ALONE void waits_on_one_side(void) { /*! race */
#pragma omp parallel for ordered(2) collapse(2) schedule(static, 1)
    for (int i = 1; i < N; i++)
        for (int j = 1; j < N; j++) {
#pragma omp ordered depend(sink : i - 1, j)
            h[i][j] = h[i - 1][j] * 0.5 + h[i][j - 1];
#pragma omp ordered depend(source)
        }
}
ALONE void goes_through_rows_by_itself(void) { /*! */
#pragma omp parallel for ordered(2) schedule(static, 1)
    for (int i = 1; i < N; i++)
        for (int j = 1; j < N; j++) {
#pragma omp ordered depend(sink : i - 1, j)
            k[i][j] = k[i - 1][j] * 0.5 + k[i][j - 1];
#pragma omp ordered depend(source)
        }
}
ALONE void waits_for_the_corner_alone(void) { /*! race */
#pragma omp parallel for ordered(2) schedule(static, 1)
    for (int i = 1; i < N; i++)
        for (int j = 1; j < N; j++) {
#pragma omp ordered depend(sink : i - 1, j - 1)
            m[i][j] = m[i - 1][j] * 0.5 + m[i][j - 1];
#pragma omp ordered depend(source)
        }
}
ALONE void adds_in_turn(void) { /*! */
#pragma omp parallel for ordered(1) schedule(static, 1)
    for (int i = 1; i < N; i++) {
#pragma omp ordered depend(sink : i - 1)
        sum = sum * 0.5 + w[i];
#pragma omp ordered depend(source)
    }
}
ALONE void adds_behind_the_source(void) { /*! race */
#pragma omp parallel for ordered(1) schedule(static, 1)
    for (int i = 1; i < N; i++) {
#pragma omp ordered depend(sink : i - 1)
        w[i] += 1;
#pragma omp ordered depend(source)
        late = late * 0.5 + w[i];
    }
}
int main(void) { /*! */
    for (int i = 0; i < N; i++)
        w[i] = i % 7;
    waits_for_the_one_before(), waits_for_one_too_early(), waits_twice(), lets_go_too_early();
    overwrites_what_is_read_later(), waits_on_both_sides(), waits_on_one_side(), goes_through_rows_by_itself();
    waits_for_the_corner_alone(), adds_in_turn(), adds_behind_the_source();
    printf("%g %g\n", a[N - 1] + b[N - 1] + c[N - 1] + d[N - 1] + e[9] + sum, g[9][9] + h[9][9] + k[9][9] + m[9][9]);
    return late < 0;
}
