/* Recursion, trees, lists, allocators of the program's own. */
#include "common.h"

static int memo[64], depth, work;
static char arena[1 << 16];
static int arena_used;

struct tree { struct tree *left, *right; int key, sum; };
struct cell { struct cell *next; int value; };

ALONE int remembered(int n) {
    if (n < 2) return n;
    if (memo[n]) return memo[n];
    return memo[n] = remembered(n - 1) + remembered(n - 2);
}
ALONE void remembered_calls(int *out, int n) {
    for (int i = 0; i < n; i++) //= no
        out[i] = remembered(i % 40);
}
ALONE int nested(int n) {
    depth++;
    int r = n == 0 ? depth : nested(n - 1);
    depth--;
    return r;
}
ALONE void balanced_depth(int *out, int n) {
    for (int i = 0; i < n; i++) //= words|no
        out[i] = nested(i % 5);
}
ALONE struct tree *insert(struct tree *t, struct tree *node) {
    if (!t) return node;
    if (node->key < t->key)
        t->left = insert(t->left, node);
    else
        t->right = insert(t->right, node);
    return t;
}
ALONE struct tree *built(struct tree *nodes, const int *a, int n) {
    struct tree *root = NULL;
    for (int i = 0; i < n; i++) { //= no
        nodes[i].key = a[i];
        root = insert(root, &nodes[i]);
    }
    return root;
}
ALONE int height(const struct tree *t) {
    if (!t) return 0;
    int l = height(t->left), r = height(t->right);
    return 1 + (l > r ? l : r);
}
ALONE void heights(int *out, const struct tree *nodes, int n) {
    for (int i = 0; i < n; i++) //= yes
        out[i] = height(&nodes[i]);
}
ALONE void searched(int *out, const struct tree *root, const int *keys, int n) {
    for (int i = 0; i < n; i++) { //= yes
        const struct tree *t = root;
        int steps = 0;
        while (t && t->key != keys[i]) { //= no
            t = keys[i] < t->key ? t->left : t->right;
            steps++;
        }
        out[i] = steps;
    }
}
ALONE int summed(struct tree *t) {
    if (!t) return 0;
    return t->sum = t->key + summed(t->left) + summed(t->right);
}
ALONE void several_trees(struct tree **roots, int n) {
    for (int i = 0; i < n; i++) //= yes
        summed(roots[i]);
}
ALONE void one_tree_again(struct tree *root, int *out, int n) {
    for (int i = 0; i < n; i++) { //= no
        out[i] = summed(root);
        root->key++;
    }
}
ALONE void lists_of_their_own(struct cell **heads, int n) {
    for (int i = 0; i < n; i++) //= yes
        for (struct cell *c = heads[i]; c; c = c->next) //= no
            c->value *= 2;
}
ALONE void shared_tail(struct cell **heads, int n) {
    for (int i = 0; i < n; i++) //= no
        for (struct cell *c = heads[i]; c; c = c->next) //= no
            c->value = c->value * 3 % 101;
}
ALONE void *take(int size) {
    void *p = arena + arena_used;
    arena_used += size;
    return p;
}
ALONE void arena_objects(int **out, int n) {
    for (int i = 0; i < n; i++) { //= no|induction
        out[i] = take(16);
        *out[i] = i;
    }
}
ALONE void arena_of_sizes(int **out, int n) {
    for (int i = 0; i < n; i++) { //= no
        out[i] = take(8 + 8 * (i % 3));
        *out[i] = i;
    }
}
static struct cell *free_cells;
ALONE struct cell *get_cell(void) {
    struct cell *c = free_cells;
    free_cells = c->next;
    return c;
}
ALONE void put_cell(struct cell *c) {
    c->next = free_cells;
    free_cells = c;
}
ALONE void free_list(int *out, int n) {
    for (int i = 0; i < n; i++) { //= no|words
        struct cell *c = get_cell();
        c->value = i * 3;
        out[i] = c->value + 1;
        put_cell(c);
    }
}
ALONE void taken_cells(struct cell **out, int n) {
    for (int i = 0; i < n; i++) //= no
        out[i] = get_cell();
}
ALONE void quick_sort(int *a, int n) {
    if (n < 2) return;
    int p = a[n / 2], i = 0, j = n - 1;
    while (i <= j) { //= no
        while (a[i] < p) i++;
        while (a[j] > p) j--;
        if (i <= j) {
            int t = a[i];
            a[i++] = a[j];
            a[j--] = t;
        }
    }
    quick_sort(a, j + 1);
    quick_sort(a + i, n - i);
}
ALONE void sorted_rows(int *a, int rows, int columns) {
    for (int i = 0; i < rows; i++) //= yes
        quick_sort(a + i * columns, columns);
}
ALONE void visit(const struct tree *t, void (*f)(int, void *), void *context) {
    if (!t) return;
    visit(t->left, f, context);
    f(t->key, context);
    visit(t->right, f, context);
}
static void add(int key, void *context) { *(int *)context += key; }
static void append(int key, void *context) {
    int **p = context;
    *(*p)++ = key;
}
ALONE int visited_sums(struct tree **roots, int n) {
    int s = 0;
    for (int i = 0; i < n; i++) //= words
        visit(roots[i], add, &s);
    return s;
}
ALONE void visited_in_order(struct tree **roots, int *out, int n) {
    int *p = out;
    for (int i = 0; i < n; i++) //= no
        visit(roots[i], append, &p);
}
ALONE int partitions(int n, int most) {
    work++;
    if (n == 0) return 1;
    int c = 0;
    for (int k = 1; k <= most && k <= n; k++) //= words
        c += partitions(n - k, k);
    return c;
}
ALONE void hanoi(int n, int from, int to, int (*pegs)[16], int *height) {
    if (n == 0) return;
    hanoi(n - 1, from, 3 - from - to, pegs, height);
    pegs[to][height[to]++] = pegs[from][--height[from]];
    hanoi(n - 1, 3 - from - to, to, pegs, height);
}
ALONE int queue_walk(int *order, int *queue, const struct tree *nodes, const struct tree *root) {
    int head = 0, tail = 0;
    queue[tail++] = (int)(root - nodes);
    while (head < tail) { //= no
        const struct tree *t = &nodes[queue[head]];
        order[head++] = t->key;
        if (t->left) queue[tail++] = (int)(t->left - nodes);
        if (t->right) queue[tail++] = (int)(t->right - nodes);
    }
    return tail;
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 60;
    int *a = integers(n), *out = zeros(n * 20);
    remembered_calls(out, n);
    show("remembered", out, n);
    balanced_depth(out, n);
    show("depth", out, n);
    struct tree *nodes = calloc(n, sizeof *nodes), *root = built(nodes, a, n);
    heights(out, nodes, n);
    show("heights", out, n);
    searched(out, root, a, n);
    show("searched", out, n);
    struct tree *roots[8];
    int m = 0;
    for (int i = 0; i < n && m < 8; i++)
        if (height(&nodes[i]) == 2) roots[m++] = &nodes[i];
    several_trees(roots, m);
    one_tree_again(root, out, 20);
    show("one_tree", out, 20);
    struct cell *cells = calloc(n * 4, sizeof *cells), *tail = &cells[4 * n - 1];
    struct cell **heads = calloc(n, sizeof *heads);
    for (int i = 0; i < n; i++) {
        heads[i] = &cells[3 * i];
        for (int j = 0; j < 2; j++) cells[3 * i + j].next = &cells[3 * i + j + 1], cells[3 * i + j].value = i + j;
    }
    lists_of_their_own(heads, n);
    tail->value = 7;
    for (int i = 0; i < n; i++) cells[3 * i + 2].next = tail;
    shared_tail(heads, n);
    printf("%d\n", tail->value);
    int **objects = calloc(n, sizeof *objects);
    arena_objects(objects, n);
    arena_of_sizes(objects, n);
    printf("%d %d\n", arena_used, *objects[n - 1]);
    for (int i = 0; i < n; i++) put_cell(&cells[i]);
    free_list(out, n);
    taken_cells(heads, n);
    show("free_list", out, n);
    for (int i = 0; i < n * 20; i++) out[i] = i * 29 % 31;
    sorted_rows(out, n, 20);
    show("sorted_rows", out, n * 20);
    printf("%d\n", visited_sums(roots, m));
    visited_in_order(roots, out, m);
    printf("%d %d\n", partitions(12, 12), work);
    int pegs[3][16] = {{0}}, height[3] = {5, 0, 0};
    for (int i = 0; i < 5; i++) pegs[0][i] = 5 - i;
    hanoi(5, 0, 2, pegs, height);
    printf("%d %d\n", pegs[2][0], pegs[2][4]);
    int queue[200];
    printf("%d\n", queue_walk(out, queue, nodes, root));
    show("queue_walk", out, n);
    return 0;
}
