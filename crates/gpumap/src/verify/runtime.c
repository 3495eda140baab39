#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static int lw_seed;

/* Numbers that differ from each other, and from one input to the next. */
static long lw_number(int place)
{
    static const long of[] = {7, 4, 9, 3, 6, 12, 5, 2, 1, 8};
    return of[(lw_seed * 3 + place * 7) % 10];
}

static long lw_of(long place)
{
    return (place * 7 + lw_seed * 5) % 11 - 3;
}

/* Kinds: 'f' float, 'd' double, 'i' integers of `unit` bytes, 'w' words of structures. */
static void lw_fill(void *at, long bytes, char kind, long unit)
{
    for (long i = 0; (i + 1) * unit <= bytes; i++) {
        void *to = (char *)at + i * unit;
        const float f = (float)lw_of(i) + 0.5f;
        const double d = (double)lw_of(i) + 0.25;
        const long n = lw_of(i);
        const unsigned word = 0x3ff00000u + (unsigned)(n + 3) * 0x10000u;
        if (kind == 'f')
            memcpy(to, &f, sizeof f);
        else if (kind == 'd')
            memcpy(to, &d, sizeof d);
        else if (kind == 'w')
            memcpy(to, &word, sizeof word);
        else
            memcpy(to, &n, (size_t)unit);
    }
}

static void lw_show(const char *name, const void *at, long bytes, char kind, long unit)
{
    unsigned long sum = 14695981039346656037ul;
    printf("%s", name);
    for (long i = 0; (i + 1) * unit <= bytes; i++) {
        const char *from = (const char *)at + i * unit;
        float f;
        double d;
        if (kind == 'f') {
            memcpy(&f, from, sizeof f);
            printf(" %.9g", (double)f);
        } else if (kind == 'd') {
            memcpy(&d, from, sizeof d);
            printf(" %.17g", d);
        } else {
            for (long k = 0; k < unit; k++)
                sum = (sum ^ (unsigned char)from[k]) * 1099511628211ul;
        }
    }
    printf(kind == 'i' || kind == 'w' ? " #%lx\n" : "\n", sum);
}

struct lw_block {
    unsigned char *pages, *start;
    long whole, size, unit;
    char kind;
};

/* Memory from byte `from` up to `to` of an array that begins at the address given back, between pages that may not be touched. Elements of
   `each` bytes are there as wholes; where that is 0, they are rows of a length that is not known here, and there is more on both sides. */
static void *lw_array(struct lw_block *block, long from, long to, long each, char kind, long unit)
{
    const long page = 4096, more = 1 << 16;
    unsigned char *base;
    if (each == 0) {
        from -= more;
        to = (to - from + more) / unit * unit + from;
    } else {
        from = from >= 0 ? from / each * each : -((-from + each - 1) / each * each);
        to = to >= 0 ? (to + each - 1) / each * each : -(-to / each * each);
    }
    block->size = to > from ? (to - from + unit - 1) / unit * unit : 0;
    block->whole = (block->size + page) / page * page;
    block->unit = unit;
    block->kind = kind;
    base = (unsigned char *)mmap(NULL, (size_t)(block->whole + 2 * page), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED)
        exit(3);
    block->pages = base + page;
    if (mprotect(block->pages, (size_t)block->whole, PROT_READ | PROT_WRITE) != 0)
        exit(3);
    memset(block->pages, 0xa5, (size_t)block->whole);
    block->start = lw_seed % 2 == 0 ? block->pages + block->whole - block->size : block->pages;
    lw_fill(block->start, block->size, kind, unit);
    return block->start - from;
}

static void lw_show_block(const char *name, const struct lw_block *block)
{
    const long before = block->start - block->pages;
    lw_show(name, block->start, block->size, block->kind, block->unit);
    lw_show("before", block->pages, before, 'i', 1);
    lw_show("behind", block->start + block->size, block->whole - block->size - before, 'i', 1);
}
