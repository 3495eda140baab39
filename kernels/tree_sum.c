/* Sums of the values in binary search trees, by recursion.

   all, loop t: trees are independent and each result has its own place; the calls reuse the same stack bytes, which is
   not a dependence between iterations: parallel.
   sum: the two recursive calls are independent of each other; the recursion as a whole is a sum over the nodes. */
#include <stdio.h>
#include <stdlib.h>

struct node {
    struct node *left, *right;
    long key;
};

static struct node *insert(struct node *tree, struct node *new)
{
    struct node **at = &tree;
    while (*at)
        at = new->key < (*at)->key ? &(*at)->left : &(*at)->right;
    *at = new;
    return tree;
}

static __attribute__((noinline)) long sum(const struct node *tree)
{
    if (!tree)
        return 0;
    long left = sum(tree->left);
    long right = sum(tree->right);
    return left + tree->key + right;
}

static __attribute__((noinline)) void all(int trees, struct node *const *roots, long *sums)
{
    for (int t = 0; t < trees; t++) /* @t */
        sums[t] = sum(roots[t]);
}

int main(int argc, char **argv)
{
    int trees = argc > 1 ? atoi(argv[1]) : 12;
    int nodes = argc > 2 ? atoi(argv[2]) : 60;
    int repeat = argc > 3 ? atoi(argv[3]) : 1;
    struct node **roots = calloc(trees, sizeof *roots), *pool = calloc((size_t)trees * nodes, sizeof *pool);
    long *sums = malloc(sizeof *sums * trees);
    unsigned state = 7;
    for (int i = 0; i < trees * nodes; i++) {
        state = state * 1664525u + 1013904223u;
        pool[i].key = state >> 12;
        roots[i % trees] = insert(roots[i % trees], &pool[i]);
    }
    for (int r = 0; r < repeat; r++)
        all(trees, roots, sums);
    long check = 0;
    for (int t = 0; t < trees; t++)
        check += sums[t] * (t + 1);
    printf("%ld\n", check);
    return 0;
}
