/* Searches in a B+ tree of fixed height: a node has up to ORDER keys in order and as many children.

   lookup, loop query: queries only read the tree and write different answers: parallel.
   lookup, loop level: the child found at one level is the node of the next: not parallel.
   lookup, loop key: leaves at the first key that is larger; iterations only compare: parallel (what decides that a loop
   ends is not a dependence here). */
#include <stdio.h>
#include <stdlib.h>

#define ORDER 8

struct node {
    int key[ORDER];
    struct node *child[ORDER];
};

static struct node *build(int height, int first, int span)
{
    struct node *node = calloc(1, sizeof *node);
    for (int k = 0; k < ORDER; k++) {
        node->key[k] = first + k * (span / ORDER);
        if (height > 1)
            node->child[k] = build(height - 1, node->key[k], span / ORDER);
    }
    return node;
}

static __attribute__((noinline)) void lookup(struct node *root, int height, int queries, const int *wanted, int *answer)
{
    for (int q = 0; q < queries; q++) { /* @query */
        struct node *node = root;
        int at = 0;
        for (int level = 0; level < height; level++) { /* @level */
            int k = 1;
            while (k < ORDER && node->key[k] <= wanted[q]) /* @key */
                k++;
            at = node->key[k - 1];
            node = node->child[k - 1];
        }
        answer[q] = at;
    }
}

int main(int argc, char **argv)
{
    int height = argc > 1 ? atoi(argv[1]) : 3, queries = argc > 2 ? atoi(argv[2]) : 60;
    int span = 1;
    for (int level = 0; level < height; level++)
        span *= ORDER;
    struct node *root = build(height, 0, span);
    int *wanted = calloc(queries, sizeof *wanted), *answer = malloc(sizeof *answer * queries);
    unsigned state = 3;
    for (int q = 0; q < queries; q++) {
        state = state * 1664525u + 1013904223u;
        wanted[q] = (state >> 8) % (unsigned)span;
    }
    lookup(root, height, queries, wanted, answer);
    long check = 0;
    for (int q = 0; q < queries; q++)
        check += answer[q] == wanted[q] ? answer[q] : -1;
    printf("%ld\n", check);
    return 0;
}
