/* Variables that are advanced by what an iteration finds: where the next one begins, only that one says. And by what is known. */
#include "common.h"

int up, down;

/* Headers that step by data. */
ALONE void step_by_choice(int *a, const int *f, int n) {
    for (int i = 0; i < n; i += (f[i] & 1) ? 1 : 2) //= no
        a[i] = f[i] + 1;
}
ALONE void step_by_length(int *a, const int *length, int n) {
    for (int i = 0; i < n; i += length[i]) //= no
        a[i] = length[i] + 2;
}
ALONE int characters(const unsigned char *s, int n) {
    int k = 0;
    for (int i = 0; i < n; i += s[i] < 4 ? 1 : s[i] < 7 ? 2 : 3) //= no
        k++;
    return k;
}
ALONE int records(const unsigned char *from, const unsigned char *to) {
    int k = 0;
    for (const unsigned char *p = from; p < to; p += *p) //= no
        k += *p & 1;
    return k;
}
ALONE void step_set_in_the_body(int *a, const int *f, int n) {
    int s = 1;
    for (int i = 0; i < n; i += s) { //= no
        a[i] = f[i] + 3;
        s = f[i] > 0 ? 1 : 2;
    }
}
ALONE void step_set_by_branch(int *a, const int *f, int n) {
    int s = 1;
    for (int i = 0; i < n; i += s) { //= no
        if (f[i] > 0)
            s = 2;
        else
            s = 1;
        a[i] = f[i] + 4;
    }
}
ALONE void step_of_a_parameter(int *a, int n, int by) {
    for (int i = 0; i < n; i += by) //= yes
        a[i] = i * 3;
}

/* Positions that move by data. */
ALONE int offsets(int *at, const int *length, int n) {
    int position = 0;
    for (int i = 0; i < n; i++) { //= no
        at[i] = position;
        position += length[i];
    }
    return position;
}
ALONE void sliding_sum(int *out, const int *a, int n) {
    int s = 0;
    for (int i = 8; i < n; i++) { //= no
        s += a[i] - a[i - 8];
        out[i] = s;
    }
}
ALONE int nesting(int *deepest, const int *f, int n) {
    int depth = n;
    for (int i = 0; i < n; i++) { //= no
        depth += f[i] > 0 ? 1 : -1;
        deepest[i] = depth;
    }
    return depth;
}
ALONE int nesting_by_variables(int *deepest, const int *f, int n) {
    int depth = n;
    for (int i = 0; i < n; i++) { //= no
        depth += f[i] > 0 ? up : down;
        deepest[i] = depth;
    }
    return depth;
}
ALONE int kept_where_both(int *out, const int *f, const int *g, int n) {
    int k = 0;
    for (int i = 0; i < n; i++) { //= no
        out[k] = i;
        k += f[i] > 0 && g[i] > 0;
    }
    return k;
}
ALONE int kept_by_choice(int *out, const int *f, int n) {
    int k = 0;
    for (int i = 0; i < n; i++) { //= no
        out[k] = f[i];
        k += f[i] > 10 ? 1 : 0;
    }
    return k;
}
ALONE int hopping(const int *length, int n) {
    int position = 0, k = 0;
    while (position < n) { //= no
        k++;
        position += length[position];
    }
    return k;
}
ALONE int until_too_much(int *out, const int *a, int n, int most) {
    int s = 0, i;
    for (i = 0; i < n; i++) { //= no
        s += a[i];
        if (s > most) break;
        out[i] = s;
    }
    return i;
}
ALONE void by_the_step_before(int *out, int n) {
    int k = 0, by = 3;
    for (int i = 0; i < n; i++) { //= no|induction
        k += by;
        out[k % n] = i;
        by = 2;
    }
}

struct box {
    int count, length;
};
ALONE int by_a_member_of_the_body(int *at, const int *length, int n, struct box *box) {
    int position = 0;
    for (int i = 0; i < n; i++) { //= no
        at[i] = position;
        box->length = length[i];
        position += box->length;
    }
    return position;
}
ALONE int by_what_is_pointed_to(int *at, const int *length, int n, int *by) {
    int position = 0;
    for (int i = 0; i < n; i++) { //= no
        at[i] = position;
        *by = length[i];
        position += *by;
    }
    return position;
}

/* Positions that move by what is known. */
ALONE void by_a_parameter(int *out, int n, int by) {
    int k = 0;
    for (int i = 0; i < n; i++) { //= induction
        out[k] = i;
        k += by;
    }
}
ALONE void by_an_element(int *out, const int *by, int n) {
    int k = 0;
    for (int i = 0; i < n; i++) { //= induction
        out[k] = i;
        k += by[0];
    }
}
ALONE void by_a_member(int *out, const struct box *box, int n) {
    int k = 0;
    for (int i = 0; i < n; i++) { //= induction
        out[k] = i;
        k += box->length;
    }
}
ALONE void by_the_iterator(int *out, int n) {
    int k = 0;
    for (int i = 0; i < n; i++) { //= induction|no
        out[k] = i;
        k += i;
    }
}

/* Conditions that look at what the loop moves to. */
ALONE void flipped(char *s) {
    for (char *p = s; *p; p++) //= exit
        *p ^= 1;
}
ALONE int length_of(const char *s) {
    int n = 0;
    while (s[n]) n++; //= exit|induction|no
    return n;
}
ALONE int up_to(const int *a, int key) {
    int i = 0;
    while (a[i] != key) //= exit|induction|no
        i++;
    return i;
}

int main(int argc, char **argv) {
    int n = 40 + argc - 1;
    int *a = zeros(n * n), *f = integers(n), *g = integers(n + 8), *length = zeros(n);
    unsigned char *bytes = (unsigned char *)malloc(4 * n);
    char *text = (char *)calloc(n + 1, 1);
    for (int i = 0; i < n; i++) length[i] = 1 + i * 7 % 3;
    for (int i = 0; i < 4 * n; i++) bytes[i] = 1 + i * 11 % 8;
    for (int i = 0; i < n; i++) text[i] = 'b' + i % 20;
    up = argc;
    down = -2 * argc;
    step_by_choice(a, f, n);
    step_by_length(a, length, n);
    printf("%d %d\n", characters(bytes, 4 * n), records(bytes, bytes + 4 * n));
    step_set_in_the_body(a, f, n);
    step_set_by_branch(a, f, n);
    step_of_a_parameter(a, n, argc + 1);
    show("steps", a, n);
    printf("%d\n", offsets(a, length, n));
    sliding_sum(a, f, n);
    show("sliding_sum", a, n);
    printf("%d %d\n", nesting(a, f, n), nesting_by_variables(a, f, n));
    printf("%d %d\n", kept_where_both(a, f, g + 8, n), kept_by_choice(a, f, n));
    printf("%d %d\n", hopping(length, n), until_too_much(a, length, n, 3 * n));
    by_the_step_before(a, n);
    struct box box = {argc, argc + 1};
    by_a_member(a, &box, n);
    printf("%d %d\n", by_a_member_of_the_body(a, length, n, &box), by_what_is_pointed_to(a, length, n, &box.count));
    by_a_parameter(a, n, argc + 1);
    by_an_element(a, length + argc, n);
    by_the_iterator(a, n);
    show("positions", a, n);
    flipped(text);
    printf("%s %d %d\n", text, length_of(text), up_to(f, f[n - 1]));
    return 0;
}
