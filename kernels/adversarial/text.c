/* Text: bounds that are computed anew, positions, states, formats. */
#define _GNU_SOURCE
#include "common.h"
#include <ctype.h>

ALONE void raised(char *s) {
    for (size_t i = 0; i < strlen(s); i++) //= yes|words
        s[i] = s[i] >= 'a' && s[i] <= 'z' ? s[i] - 32 : s[i];
}
ALONE int counted(const char *s) {
    int c = 0;
    for (size_t i = 0; i < strlen(s); i++) //= reduction
        if (s[i] == 'a') c++;
    return c;
}
ALONE int counted_by_pointer(const char *s) {
    int c = 0;
    while (*s) { //= induction|no
        if (*s == 'b') c++;
        s++;
    }
    return c;
}
ALONE void copied_to_the_end(char *to, const char *from) {
    int i;
    for (i = 0; from[i]; i++) //= exit
        to[i] = from[i] ^ 1;
    to[i] = 0;
}
ALONE int words(const char *s, int n) {
    int c = 0, inside = 0;
    for (int i = 0; i < n; i++) { //= no
        if (s[i] == ' ')
            inside = 0;
        else if (!inside) {
            inside = 1;
            c++;
        }
    }
    return c;
}
/* The neighbour is read instead of a state. */
ALONE int words_by_neighbour(const char *s, int n) {
    int c = s[0] != ' ';
    for (int i = 1; i < n; i++) //= reduction
        if (s[i] != ' ' && s[i - 1] == ' ') c++;
    return c;
}
ALONE void copied_rows(char (*to)[16], char **from, int n) {
    for (int i = 0; i < n; i++) //= yes
        strcpy(to[i], from[i]);
}
ALONE void reversed_rows(char (*rows)[16], int n) {
    for (int i = 0; i < n; i++) { //= yes
        int length = (int)strlen(rows[i]);
        for (int j = 0; j < length / 2; j++) { //= yes
            char t = rows[i][j];
            rows[i][j] = rows[i][length - 1 - j];
            rows[i][length - 1 - j] = t;
        }
    }
}
ALONE void shifted_letters(char *s, int n) {
    for (int i = 0; i < n; i++) //= yes
        if (isalpha((unsigned char)s[i])) s[i] = 'a' + (s[i] - 'a' + 3) % 26;
}
ALONE int parsed_number(const char *s, int n) {
    int v = 0;
    for (int i = 0; i < n; i++) //= no
        v = v * 10 + (s[i] - '0');
    return v;
}
ALONE int formatted(char *to, int size, int n) {
    int at = 0;
    for (int i = 0; i < n; i++) //= no
        at += snprintf(to + at, size - at, "%d,", i);
    return at;
}
/* Every piece has the same length in this run, so positions are affine. */
ALONE int formatted_evenly(char *to, int size, int n) {
    int at = 0;
    for (int i = 0; i < n; i++) //= no
        at += snprintf(to + at, size - at, "%04d,", i);
    return at;
}
ALONE int without_repeats(char *s, int n) {
    int k = 1;
    for (int i = 1; i < n; i++) //= no
        if (s[i] != s[k - 1]) s[k++] = s[i];
    return k;
}
ALONE int without_blanks(char *s, int n) {
    int k = 0;
    for (int i = 0; i < n; i++) //= no
        if (s[i] != ' ') s[k++] = s[i];
    return k;
}
/* There are no blanks: every character is stored where it was. */
ALONE int without_blanks_that_are_none(char *s, int n) {
    int k = 0;
    for (int i = 0; i < n; i++) //= no
        if (s[i] != ' ') s[k++] = s[i];
    return k;
}
ALONE int fields(char (*rows)[16], int n) {
    int c = 0;
    for (int i = 0; i < n; i++) { //= reduction
        char *state;
        for (char *t = strtok_r(rows[i], "-", &state); t; t = strtok_r(NULL, "-", &state)) //= no
            c++;
    }
    return c;
}
ALONE void compared_neighbours(int *out, char (*rows)[16], int n) {
    for (int i = 0; i + 1 < n; i++) //= yes
        out[i] = strcmp(rows[i], rows[i + 1]);
}
ALONE void run_lengths(int *out, const char *s, int n) {
    int run = 0;
    for (int i = 0; i < n; i++) { //= no
        run = i > 0 && s[i] == s[i - 1] ? run + 1 : 1;
        out[i] = run;
    }
}
ALONE void nesting(int *out, const char *s, int n) {
    int depth = 0;
    for (int i = 0; i < n; i++) { //= no
        if (s[i] == '(') depth++;
        out[i] = depth;
        if (s[i] == ')') depth--;
    }
}
ALONE void row_buffers(char *to, int n) {
    for (int i = 0; i < n; i++) { //= yes
        char line[24];
        int k = 0;
        for (int v = i + 1; v > 0; v /= 10) //= no
            line[k++] = '0' + v % 10;
        line[k] = 0;
        memcpy(to + 8 * i, line, k + 1);
    }
}
ALONE unsigned checksum(const char *s, int n) {
    unsigned a = 1, b = 0;
    for (int i = 0; i < n; i++) { //= no
        a = (a + (unsigned char)s[i]) % 65521;
        b = (b + a) % 65521;
    }
    return b << 16 | a;
}
ALONE void edit_distance(int *d, const char *s, const char *t, int n) {
    for (int i = 1; i <= n; i++) //= no
        for (int j = 1; j <= n; j++) { //= no
            int *row = d + i * (n + 1), *above = row - (n + 1);
            int best = above[j - 1] + (s[i - 1] != t[j - 1]);
            if (above[j] + 1 < best) best = above[j] + 1;
            if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
            row[j] = best;
        }
}
ALONE void one_buffer_printed_whole(int n) {
    char line[32] = "";
    for (int i = 0; i < n; i++) { //= no
        line[i % 30] = 'a' + i % 26;
        puts(line);
    }
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 60, *out = zeros(n * n + 4 * n);
    char *s = calloc(16, n), *t = calloc(16, n), (*rows)[16] = calloc(n, 16), **from = calloc(n, sizeof *from);
    for (int i = 0; i < n; i++) {
        s[i] = "ab ((c)) d"[i * 7 % 10];
        from[i] = malloc(16);
        sprintf(from[i], "%d-%d", i, i * 7);
    }
    printf("%d %d %d %d\n", counted(s), counted_by_pointer(s), words(s, n), words_by_neighbour(s, n));
    copied_to_the_end(t, s);
    copied_rows(rows, from, n);
    reversed_rows(rows, n);
    run_lengths(out, s, n);
    nesting(out + n, s, n);
    show("nesting", out, 2 * n);
    printf("%u\n", checksum(s, n));
    for (int i = 0; i <= n; i++) out[i] = out[i * (n + 1)] = i;
    edit_distance(out, s, t, n);
    printf("%d\n", out[n * (n + 1) + n]);
    shifted_letters(t, n);
    raised(t);
    compared_neighbours(out, rows, n);
    show("compared", out, n);
    printf("%d %s\n", fields(rows, n), rows[5]);
    printf("%d\n", parsed_number("1234567", 7));
    printf("%d %s\n", formatted(t, 16 * n, n), t);
    printf("%d %s\n", formatted_evenly(t, 16 * n, n), t);
    printf("%d\n", without_repeats(s, n));
    printf("%d\n", without_blanks(s, n));
    memset(t, 'x', n);
    printf("%d %.5s\n", without_blanks_that_are_none(t, n), t);
    row_buffers(t, n);
    printf("%s\n", t + 8 * (n - 1));
    one_buffer_printed_whole(40);
    return 0;
}
