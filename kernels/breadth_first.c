/* Breadth-first search in a graph stored by rows of neighbours: the nodes of one depth give those of the next.

   search, loop depth: a depth is made of the nodes found at the depth before: not parallel.
   search, loops node, edge: a neighbour seen first is taken; later iterations read that it was: not parallel as they
   stand. */
#include <stdio.h>
#include <stdlib.h>

static __attribute__((noinline)) int search(const int *start, const int *neighbour, int *depth, int *list, int *next)
{
    int size = 1, found = 1;
    list[0] = 0;
    depth[0] = 0;
    for (int d = 1; size > 0; d++) { /* @depth */
        int count = 0;
        for (int f = 0; f < size; f++) { /* @node */
            int node = list[f];
            for (int e = start[node]; e < start[node + 1]; e++) { /* @edge */
                int to = neighbour[e];
                if (depth[to] < 0) {
                    depth[to] = d;
                    next[count++] = to;
                }
            }
        }
        int *done = list;
        list = next;
        next = done;
        size = count;
        found += count;
    }
    return found;
}

int main(int argc, char **argv)
{
    int nodes = argc > 1 ? atoi(argv[1]) : 300, repeat = argc > 2 ? atoi(argv[2]) : 1;
    int *start = malloc(sizeof *start * (nodes + 1)), *neighbour = malloc(sizeof *neighbour * nodes * 12);
    int *depth = malloc(sizeof *depth * nodes);
    int *list = malloc(sizeof *list * nodes), *next = malloc(sizeof *next * nodes);
    unsigned state = 7;
    int edges = 0;
    for (int node = 0; node < nodes; node++) {
        start[node] = edges;
        state = state * 1664525u + 1013904223u;
        for (int left = 2 + (state >> 29); left > 0; left--) {
            state = state * 1664525u + 1013904223u;
            neighbour[edges++] = (state >> 8) % (unsigned)nodes;
        }
    }
    start[nodes] = edges;
    int found = 0;
    for (int r = 0; r < repeat; r++) {
        for (int node = 0; node < nodes; node++)
            depth[node] = -1;
        found += search(start, neighbour, depth, list, next);
    }
    long check = found;
    for (int node = 0; node < nodes; node++)
        check += depth[node];
    printf("%ld\n", check);
    return 0;
}
