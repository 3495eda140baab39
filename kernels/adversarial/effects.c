/* Effects that order iterations though no variable of the program does. */
#define _GNU_SOURCE
#include "common.h"
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

ALONE void printed(const int *a, int n) {
    for (int i = 0; i < n; i++) //= no
        printf("%d ", a[i]);
    printf("\n");
}
ALONE void put_characters(const int *a, int n) {
    for (int i = 0; i < n; i++) //= no
        putchar('a' + (a[i] & 15));
    putchar('\n');
}
ALONE void written(int out, const int *a, int n) {
    for (int i = 0; i < n; i++) { //= no
        char c = 'a' + (a[i] & 15);
        if (write(out, &c, 1) != 1) exit(1);
    }
}
ALONE void read_in_turn(int in, unsigned char *to, int n) {
    for (int i = 0; i < n; i++) //= no
        if (read(in, to + i, 1) != 1) exit(1);
}
ALONE void read_at(int in, unsigned char *to, int n) {
    for (int i = 0; i < n; i++) //= yes
        if (pread(in, to + i, 1, i) != 1) exit(1);
}
ALONE void write_at(int out, int n) {
    for (int i = 0; i < n; i++) { //= yes
        unsigned char c = i * 7;
        if (pwrite(out, &c, 1, i) != 1) exit(1);
    }
}
ALONE void sought(int in, unsigned char *to, int n) {
    for (int i = 0; i < n; i++) { //= no
        lseek(in, n - 1 - i, SEEK_SET);
        if (read(in, to + i, 1) != 1) exit(1);
    }
}
ALONE void characters_of_a_file(FILE *f, unsigned char *to, int n) {
    for (int i = 0; i < n; i++) //= no
        to[i] = getc(f);
}
ALONE void scanned(FILE *f, int *to, int n) {
    for (int i = 0; i < n; i++) //= no
        if (fscanf(f, "%d", &to[i]) != 1) exit(1);
}
ALONE void random_values(int *to, int n) {
    for (int i = 0; i < n; i++) //= no
        to[i] = rand() & 63;
}
ALONE void random_values_48(double *to, int n) {
    for (int i = 0; i < n; i++) //= no
        to[i] = drand48();
}
ALONE void own_generators(int *to, int n) {
    for (int i = 0; i < n; i++) { //= yes
        unsigned seed = i;
        to[i] = rand_r(&seed) & 63;
    }
}
ALONE void one_generator(int *to, int n) {
    unsigned seed = 5;
    for (int i = 0; i < n; i++) //= no
        to[i] = rand_r(&seed) & 63;
}
ALONE int tokens(char *text, int *lengths, int n) {
    strtok(text, ",");
    int found = 0;
    for (int i = 0; i < n; i++) { //= no
        char *t = strtok(NULL, ",");
        lengths[i] = t ? (int)strlen(t) : 0;
    }
    return found;
}
ALONE void parsed(double *to, const char (*text)[16], int n) {
    for (int i = 0; i < n; i++) //= yes
        to[i] = atof(text[i]);
}
ALONE void parsed_integers(long *to, const char (*text)[16], int n) {
    for (int i = 0; i < n; i++) //= yes
        to[i] = strtol(text[i], NULL, 10);
}
/* Some of the calls set errno; nobody reads it. */
ALONE void errors_nobody_reads(double *to, const double *a, int n) {
    for (int i = 0; i < n; i++) //= yes
        to[i] = log(a[i] - 4) + exp(a[i] * 100);
}
/* The error of an earlier iteration is seen by a later one. */
ALONE void kept_error(int *to, const char (*text)[32], int n) {
    errno = 0;
    for (int i = 0; i < n; i++) { //= no
        long v = strtol(text[i], NULL, 10);
        to[i] = errno == ERANGE ? -1 : (int)v;
    }
}
ALONE void own_error(int *to, const char (*text)[32], int n) {
    for (int i = 0; i < n; i++) { //= yes|private
        errno = 0;
        long v = strtol(text[i], NULL, 10);
        to[i] = errno == ERANGE ? -1 : (int)v;
    }
}
ALONE void two_mappings(volatile int *to, volatile int *from, int n) {
    for (int i = 1; i < n; i++) //= no
        to[i] = from[i - 1] + 1;
}
ALONE void two_mappings_apart(int *to, const int *from, int n) {
    for (int i = 0; i < n; i++) //= yes
        to[i] = from[i] + 1;
}
ALONE void allocated(int **to, int n) {
    for (int i = 0; i < n; i++) { //= yes
        to[i] = malloc(8 + 8 * (i % 5));
        to[i][0] = i;
    }
}
ALONE void freed(int **to, int n) {
    for (int i = 0; i < n; i++) //= yes
        free(to[i]);
}
ALONE void duplicated(char **to, const char (*text)[16], int n) {
    for (int i = 0; i < n; i++) //= yes
        to[i] = strdup(text[i]);
}
ALONE void environment(int n) {
    for (int i = 0; i < n; i++) { //= no
        char value[16];
        snprintf(value, sizeof value, "%d", i);
        setenv("CORPUS_VALUE", value, 1);
    }
}
ALONE void split_times(int *to, int n) {
    for (int i = 0; i < n; i++) { //= no|words
        time_t t = 86400L * i;
        struct tm *parts = gmtime(&t);
        to[i] = parts->tm_mday;
    }
}
ALONE void split_times_apart(int *to, int n) {
    for (int i = 0; i < n; i++) { //= yes
        time_t t = 86400L * i;
        struct tm parts;
        gmtime_r(&t, &parts);
        to[i] = parts.tm_mday;
    }
}
ALONE void piped(int in, int out, unsigned char *to, int n) {
    for (int i = 0; i < n; i++) { //= no
        unsigned char c = i;
        if (write(out, &c, 1) != 1 || read(in, to + i, 1) != 1) exit(1);
    }
}
ALONE void sorted_rows(int *a, int rows, int columns, int (*compare)(const void *, const void *)) {
    for (int i = 0; i < rows; i++) //= yes
        qsort(a + i * columns, columns, sizeof *a, compare);
}
static int compared(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static int comparisons;
static int counted(const void *a, const void *b) {
    comparisons++;
    return *(const int *)a - *(const int *)b;
}
ALONE void sorted_rows_counted(int *a, int rows, int columns) {
    for (int i = 0; i < rows; i++) //= words
        qsort(a + i * columns, columns, sizeof *a, counted);
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 50;
    int *a = integers(n), *to = zeros(n * n);
    double *x = reals(n), *y = reals(n);
    long *l = calloc(n, sizeof *l);
    unsigned char *bytes = calloc(n, 1);
    char(*text)[16] = calloc(n, 16), (*wide)[32] = calloc(n, 32);
    printed(a, n);
    put_characters(a, n);
    FILE *f = tmpfile();
    int file = fileno(f);
    write_at(file, n);
    lseek(file, 0, SEEK_SET);
    read_in_turn(file, bytes, n);
    read_at(file, bytes, n);
    sought(file, bytes, n);
    lseek(file, 0, SEEK_SET);
    written(file, a, n);
    rewind(f);
    characters_of_a_file(f, bytes, n);
    rewind(f);
    for (int i = 0; i < n; i++) fprintf(f, "%d ", a[i]);
    rewind(f);
    scanned(f, to, n);
    show("scanned", to, n);
    random_values(to, n);
    random_values_48(y, n);
    show("random", to, n);
    own_generators(to, n);
    one_generator(to, n);
    show("random", to, n);
    char *list = malloc(8 * n);
    list[0] = 0;
    for (int i = 0; i < n; i++) sprintf(list + strlen(list), "%d,", i * i);
    printf("%d\n", tokens(list, to, n));
    for (int i = 0; i < n; i++) {
        sprintf(text[i], "%d.25", a[i]);
        sprintf(wide[i], i % 7 ? "%d" : "%d9999999999999999999999", i + 1);
    }
    parsed(y, text, n);
    parsed_integers(l, text, n);
    printf("%ld\n", l[n - 1]);
    show_reals("parsed", y, n);
    errors_nobody_reads(y, x, n);
    printf("%g\n", y[n - 1]);
    kept_error(to, wide, n);
    show("kept_error", to, n);
    own_error(to, wide, n);
    show("own_error", to, n);
    int memory = memfd_create("corpus", 0);
    if (ftruncate(memory, 4096)) return 1;
    int *one = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
    int *two = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
    two_mappings(one, two, n);
    show("two_mappings", two, n);
    two_mappings_apart(one + 512, two, n);
    show("two_mappings", one + 512, n);
    int **heap = calloc(n, sizeof *heap);
    allocated(heap, n);
    freed(heap, n);
    duplicated((char **)heap, text, n);
    environment(n);
    printf("%s %s\n", getenv("CORPUS_VALUE"), (char *)heap[3]);
    split_times(to, n);
    split_times_apart(to, n);
    show("times", to, n);
    int ends[2];
    if (pipe(ends)) return 1;
    piped(ends[0], ends[1], bytes, n);
    printf("%d\n", bytes[n - 1]);
    for (int i = 0; i < n * n; i++) to[i] = i * 29 % 31;
    sorted_rows(to, n, 20, compared);
    for (int i = 0; i < n * n; i++) to[i] = i * 29 % 31;
    sorted_rows_counted(to, n, 20);
    show("sorted", to, n * n);
    printf("%d\n", comparisons);
    return 0;
}
