/* What a program instrumented by the address oracle calls: notes, per invocation of a function, the values that its sections are
   made of, and of every access the least and greatest address.

   Where an access stands, and what its address is noted relative to, is said by oracle_site, called directly before the compiler's
   own callback, which gives address and size. The log is a sequence of 64-bit words; src/oracle/run.rs reads it. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct value { uint64_t known, bits, changed; };
struct site { uint64_t announced, seen, shape; int64_t least, most; };
struct frame {
    struct frame *caller;
    uint64_t function, values, sites;
    /* Its own number, that of the frame that called it, by which call; the call that it is about to make. 0 for none. */
    uint64_t number, parent, via, call;
    struct value *value;
    struct site *site;
};

static FILE *out;
static struct frame *top;
static struct site *pending;
/* What the address of the pending access is relative to. */
static uint64_t base;
/* A callback without an announcement is a site that was not matched. */
static uint64_t unmatched;

extern void oracle_globals(void);

static void fail(const char *what)
{
    fprintf(stderr, "address oracle: %s\n", what);
    abort();
}

static void put(const void *from, size_t words)
{
    if (fwrite(from, sizeof(uint64_t), words, out) != words)
        fail("the log cannot be written");
}

static void end_frame(void)
{
    struct frame *ended = top;
    uint64_t head[] = {2, ended->function, ended->number, ended->parent, ended->via, ended->values, ended->sites};
    put(head, sizeof head / sizeof *head);
    put(ended->value, 3 * ended->values);
    put(ended->site, 5 * ended->sites);
    top = ended->caller;
    free(ended->value);
    free(ended->site);
    free(ended);
}

/* Functions that exit() has left end here. */
static void finish(void)
{
    while (top)
        end_frame();
    uint64_t tail[] = {3, unmatched};
    put(tail, 2);
    if (fclose(out))
        fail("the log cannot be written");
}

__attribute__((constructor)) static void start(void)
{
    const char *name = getenv("LOOPWRIGHT_ORACLE_LOG");
    out = name ? fopen(name, "wb") : NULL;
    if (!out)
        fail("the log cannot be opened");
    oracle_globals();
    atexit(finish);
}

void oracle_global(uint32_t number, const void *address)
{
    uint64_t words[] = {1, number, (uintptr_t)address};
    put(words, 3);
}

void oracle_enter(uint32_t function, uint32_t values, uint32_t sites)
{
    struct frame *frame = malloc(sizeof *frame);
    struct value *value = calloc(values + 1, sizeof *value);
    struct site *site = calloc(sites + 1, sizeof *site);
    if (!frame || !value || !site)
        fail("no memory");
    static uint64_t last;
    uint64_t parent = top ? top->number : 0, via = top ? top->call : 0;
    *frame = (struct frame){top, function, values, sites, ++last, parent, via, 0, value, site};
    if (top)
        top->call = 0;
    top = frame;
}

void oracle_leave(void)
{
    end_frame();
}

void oracle_call(uint32_t line)
{
    top->call = line;
}

void oracle_value(uint32_t number, uint64_t bits)
{
    struct value *value = &top->value[number];
    value->changed |= value->known && value->bits != bits;
    value->known = 1;
    value->bits = bits;
}

void oracle_site(uint32_t number, uint64_t relative_to)
{
    base = relative_to;
    pending = &top->site[number];
    pending->announced++;
}

static void see(uintptr_t address, uint64_t bytes, uint64_t is_store)
{
    struct site *site = pending;
    pending = NULL;
    if (!site) {
        unmatched++;
        return;
    }
    int64_t start = (int64_t)(address - base);
    if (!site->seen || start < site->least)
        site->least = start;
    if (!site->seen || start > site->most)
        site->most = start;
    site->seen++;
    site->shape = 2 * bytes + is_store;
}

#define CALLBACKS(bytes) \
    void __sanitizer_cov_load##bytes(void *address) { see((uintptr_t)address, bytes, 0); } \
    void __sanitizer_cov_store##bytes(void *address) { see((uintptr_t)address, bytes, 1); }
CALLBACKS(1)
CALLBACKS(2)
CALLBACKS(4)
CALLBACKS(8)
CALLBACKS(16)

void __sanitizer_cov_trace_pc(void)
{
}
