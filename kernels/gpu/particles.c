/* Particles as structures: positions advance by velocities, forces are summed over all pairs. */
#include <stdio.h>
#include <stdlib.h>

struct particle {
    char kind;
    double at[3], speed[3];
    float mass;
};

static void advance(int n, struct particle *p)
{
    for (int i = 0; i < n; i++)
        for (int d = 0; d < 3; d++)
            p[i].at[d] += 0.1 * p[i].speed[d];
}

static void attract(int n, struct particle *p)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int d = 0; d < 3; d++)
                p[i].speed[d] += p[j].mass * (p[j].at[d] - p[i].at[d]);
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 5;
    int steps = argc > 2 ? atoi(argv[2]) : 2;
    struct particle *p = calloc(n, sizeof *p);
    for (int i = 0; i < n; i++) {
        p[i].mass = 0.01f * (float)i;
        p[i].at[i % 3] = i;
    }
    for (int t = 0; t < steps; t++) {
        attract(n, p);
        advance(n, p);
    }
    double check = 0;
    for (int i = 0; i < n; i++)
        check += p[i].at[0] + p[i].kind;
    printf("%.9f\n", check);
    return 0;
}
