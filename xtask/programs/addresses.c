/* A plugin for qemu-user that does what a recorder has to do at least: it stores the address of every access, and the number
 * of every block that runs, into a buffer that is overwritten again and again.
 *
 * The interface is declared here, as Debian ships no header for it (version 1 of the interface). */
#include <stddef.h>
#include <stdint.h>

typedef uint64_t plugin_id;
struct tb;
struct insn;

size_t qemu_plugin_tb_n_insns(const struct tb *);
struct insn *qemu_plugin_tb_get_insn(const struct tb *, size_t);
void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id, void (*)(plugin_id, struct tb *));
void qemu_plugin_register_vcpu_tb_exec_cb(struct tb *, void (*)(unsigned, void *), int, void *);
void qemu_plugin_register_vcpu_mem_cb(struct insn *, void (*)(unsigned, uint32_t, uint64_t, void *), int, int, void *);

enum { NO_REGISTERS = 0, LOADS_AND_STORES = 3, WORDS = 1 << 15 };

int qemu_plugin_version = 1;

static uint64_t buffer[WORDS];
static unsigned used;

static void store(uint64_t word)
{
    buffer[used++ % WORDS] = word;
}

static void executed(unsigned cpu, void *block)
{
    (void)cpu;
    store((uintptr_t)block);
}

static void accessed(unsigned cpu, uint32_t what, uint64_t address, void *instruction)
{
    (void)cpu, (void)what, (void)instruction;
    store(address);
}

static void translated(plugin_id id, struct tb *block)
{
    static uintptr_t number;
    (void)id;
    qemu_plugin_register_vcpu_tb_exec_cb(block, executed, NO_REGISTERS, (void *)number++);
    for (size_t at = 0; at < qemu_plugin_tb_n_insns(block); at++)
        qemu_plugin_register_vcpu_mem_cb(qemu_plugin_tb_get_insn(block, at), accessed, NO_REGISTERS, LOADS_AND_STORES, NULL);
}

int qemu_plugin_install(plugin_id id, const void *about, int count, char **arguments)
{
    (void)about, (void)count, (void)arguments;
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    return 0;
}
