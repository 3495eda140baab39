/* What orders tasks: each function beside the one that lacks it. A mark holds up to the next one. */
#include <omp.h>
#include <stdio.h>
#define ALONE static __attribute__((noipa))
#define SINGLE _Pragma("omp parallel") _Pragma("omp single")
#define BLOCKS 4
#define SIDE 3
static int count, x, y, z;
static int sorted[64], queue[20], cells[100], halves[64];
static double grid[8][8], tiles[BLOCKS][BLOCKS][SIDE * SIDE];

ALONE int fib(int n) { /*! */
    int a, b;
    if (n < 2)
        return n;
#pragma omp task shared(a)
    a = fib(n - 1);
#pragma omp task shared(b)
    b = fib(n - 2);
#pragma omp taskwait
    return a + b;
}
ALONE void sort(int *a, int n) { /*! */
    if (n < 2)
        return;
    int half = n / 2, merged[64], i = 0, j = half, k = 0;
#pragma omp task
    sort(a, half);
#pragma omp task
    sort(a + half, n - half);
#pragma omp taskwait
    while (i < half || j < n)
        merged[k++] = j == n || (i < half && a[i] < a[j]) ? a[i++] : a[j++];
    for (k = 0; k < n; k++)
        a[k] = merged[k];
}
ALONE void overlapping(int low, int high) { /*! race */
    if (high - low < 4) {
        for (int i = low; i < high; i++)
            halves[i]++;
        return;
    }
#pragma omp task
    overlapping(low, (low + high) / 2 + 1);
#pragma omp task
    overlapping((low + high) / 2, high);
#pragma omp taskwait
}
ALONE void wavefront(void) { /*! */
    SINGLE for (int i = 1; i < 8; i++) for (int j = 1; j < 8; j++) {
#pragma omp task depend(in : grid[i - 1][j], grid[i][j - 1]) depend(out : grid[i][j])
        grid[i][j] = 0.5 * (grid[i - 1][j] + grid[i][j - 1]);
    }
}
ALONE void front_without_the_left(void) { /*! race */
    SINGLE for (int i = 1; i < 8; i++) for (int j = 1; j < 8; j++) {
#pragma omp task depend(in : grid[i - 1][j]) depend(out : grid[i][j])
        grid[i][j] = 0.5 * (grid[i - 1][j] + grid[i][j - 1]);
    }
}
ALONE void factor(double *a) { /*! */
    for (int i = 1; i < SIDE * SIDE; i++)
        a[i] /= a[0] + 9;
}
ALONE void solve(double *d, double *a) {
    for (int i = 0; i < SIDE * SIDE; i++)
        a[i] -= d[i] * 0.1;
}
ALONE void update(double *a, double *b, double *c) {
    for (int i = 0; i < SIDE * SIDE; i++)
        c[i] -= a[i] * b[i];
}
ALONE void blocks(void) {
    SINGLE for (int k = 0; k < BLOCKS; k++) {
#pragma omp task depend(inout : tiles[k][k])
        factor(tiles[k][k]);
        for (int i = k + 1; i < BLOCKS; i++) {
#pragma omp task depend(in : tiles[k][k]) depend(inout : tiles[i][k])
            solve(tiles[k][k], tiles[i][k]);
        }
        for (int i = k + 1; i < BLOCKS; i++)
            for (int j = k + 1; j <= i; j++) {
#pragma omp task depend(in : tiles[i][k], tiles[j][k]) depend(inout : tiles[i][j])
                update(tiles[i][k], tiles[j][k], tiles[i][j]);
            }
    }
}
ALONE void produce(int i) { /*! */
#pragma omp task depend(out : queue[i])
    queue[i] = i * i;
}
ALONE void consume(int i) {
#pragma omp task depend(in : queue[i]) depend(inout : count)
    count += queue[i];
}
ALONE void chain(void) {
    SINGLE for (int i = 0; i < 20; i++) produce(i), consume(i);
}
ALONE void consume_at_a_time(int i) { /*! race */
#pragma omp task depend(in : queue[i])
    z += queue[i];
}
ALONE void broken_chain(void) {
    SINGLE for (int i = 0; i < 20; i++) produce(i), consume_at_a_time(i);
}
ALONE void set_x(void) { /*! */
#pragma omp task
    x = 3;
}
ALONE void group_of_tasks_of_tasks(void) { /*! */
    SINGLE {
#pragma omp taskgroup
        {
#pragma omp task
            set_x();
        }
        x++;
    }
}
ALONE void set_y(void) { /*! race */
#pragma omp task
    y = 3;
}
ALONE void wait_for_tasks_of_tasks(void) {
    SINGLE {
#pragma omp task
        set_y();
#pragma omp taskwait
        y++;
    }
}
ALONE void undeferred(int n) { /*! */
    SINGLE {
#pragma omp task if (n > 5)
        cells[0] = n;
        cells[0]++;
    }
}
ALONE void task_of_an_undeferred_one(int n) { /*! race */
    SINGLE {
#pragma omp task if (n > 5)
        {
#pragma omp task
            cells[1] = n;
        }
#pragma omp taskwait
        cells[1]++;
    }
}
ALONE void exclusive(void) { /*! */
    SINGLE for (int i = 0; i < 8; i++) {
#pragma omp task depend(mutexinoutset : cells[2])
        cells[2] += i;
    }
}
ALONE void loops_in_groups(void) { /*! */
    SINGLE {
#pragma omp taskloop
        for (int i = 0; i < 100; i++)
            cells[i] = i;
#pragma omp taskloop num_tasks(5)
        for (int i = 0; i < 100; i++)
            cells[i] += i;
        cells[5]++;
    }
}
ALONE void one_iteration_each(void) { /*! race */
    SINGLE {
#pragma omp taskloop grainsize(1)
        for (int i = 20; i < 30; i++)
            cells[i] = cells[i - 1] + 1;
    }
}
ALONE void one_apart_each(void) { /*! */
    SINGLE {
#pragma omp taskloop grainsize(1)
        for (int i = 20; i < 30; i++)
            cells[i] = cells[i + 10] + 1;
    }
}
ALONE void loop_without_a_group(void) { /*! race */
    SINGLE {
#pragma omp taskloop nogroup
        for (int i = 0; i < 100; i++)
            cells[i] = i;
        cells[5]++;
    }
}
ALONE void object(int n) { /*! */
    SINGLE {
        omp_depend_t on;
#pragma omp depobj(on) depend(inout : cells[3])
#pragma omp task depend(depobj : on)
        cells[3] = n;
#pragma omp task depend(in : cells[3])
        z = cells[3];
#pragma omp taskwait
#pragma omp depobj(on) destroy
    }
}
ALONE void waits_for_one(int n) { /*! */
    SINGLE {
#pragma omp task depend(out : cells[4])
        cells[4] = n;
#pragma omp task depend(out : cells[5])
        cells[5] = n;
#pragma omp taskwait depend(in : cells[4])
        cells[4]++;
#pragma omp taskwait
        cells[5]++;
    }
}
ALONE void waits_for_the_other(int n) { /*! race */
    SINGLE {
#pragma omp task depend(out : cells[6])
        cells[6] = n;
#pragma omp task depend(out : cells[7])
        cells[7] = n;
#pragma omp taskwait depend(in : cells[6])
        cells[7]++;
    }
}
static int u, v, w, total, filled[40], read_too_soon[40];
ALONE void goes_on(void) { /*! */
    SINGLE {
#pragma omp task untied
        u = 1;
#pragma omp taskwait
        v = u;
    }
}
ALONE void goes_on_beside(void) { /*! race */
    SINGLE {
#pragma omp task untied
        w = 1;
        v = w;
#pragma omp taskwait
    }
}
ALONE int loop_waited_for(void) { /*! */
    int sum = 0;
    SINGLE {
#pragma omp taskloop nogroup
        for (int i = 0; i < 40; i++)
            filled[i] = i;
#pragma omp taskwait
        sum = filled[3];
    }
    return sum;
}
ALONE int loop_read_too_soon(void) { /*! race */
    int sum = 0;
    SINGLE {
#pragma omp taskloop nogroup
        for (int i = 0; i < 40; i++)
            read_too_soon[i] = i;
        for (int i = 0; i < 40; i++)
            sum += read_too_soon[i];
#pragma omp taskwait
    }
    return sum;
}
ALONE int combined(void) { /*! */
    int sum = 0;
    SINGLE {
#pragma omp taskloop reduction(+ : total) grainsize(2)
        for (int i = 0; i < 16; i++)
            total += i;
        sum = total;
    }
    return sum;
}
ALONE int combined_by_tasks(void) { /*! */
    int sum = 0;
    SINGLE {
#pragma omp taskgroup task_reduction(+ : total)
        for (int i = 0; i < 16; i++)
#pragma omp task in_reduction(+ : total)
            total += i;
        sum = total;
    }
    return sum;
}
ALONE int of_the_maker(int n) { /*! race */
    int sum = 0;
    for (int i = 0; i < n; i++)
#pragma omp task shared(sum)
        sum += i;
#pragma omp taskwait
    return sum;
}

int main(int argc, char **argv) { /*! */
    (void)argv;
    for (int i = 0; i < 64; i++)
        sorted[i] = i * 29 % 64;
    int r = 0;
#pragma omp parallel
#pragma omp single
    r = fib(7);
#pragma omp parallel
#pragma omp single
    sort(sorted, 64);
#pragma omp parallel
#pragma omp single
    overlapping(0, 64);
    wavefront(), front_without_the_left(), blocks(), chain(), broken_chain();
    group_of_tasks_of_tasks(), wait_for_tasks_of_tasks(), undeferred(argc), task_of_an_undeferred_one(argc);
    exclusive(), loops_in_groups(), one_iteration_each(), one_apart_each(), loop_without_a_group(), object(argc), waits_for_one(argc);
    waits_for_the_other(argc), goes_on(), goes_on_beside();
    r += loop_waited_for() + loop_read_too_soon() + combined() + combined_by_tasks();
#pragma omp parallel
#pragma omp single
    r += of_the_maker(16);
#pragma omp parallel for
    for (int i = 0; i < 100; i++)
        cells[i] += i;
    printf("%d %d %d %d %d %f\n", r + v + w, count, x + y + z, sorted[5], halves[9] + cells[9], grid[3][3]);
    return 0;
}
