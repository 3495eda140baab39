//! Loops whose first iteration begins in the middle of their code, as compilers rotate them: recorded as one folded block, they
//! are what a recording of every iteration shows.

use std::collections::BTreeMap;
use std::process::Command;

use ddg::Engine;
use ddg::finish::{About, finish};
use ddg::guide::Symbols;
use profile::{Kind, Profile};
use record::{Config, Encoding, Exit};

/// The page in the middle of the array is made accessible when the loop gets there, by a signal handler.
const SOURCE: &str = r#"
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
static char *pages;
static void handler(int s, siginfo_t *info, void *context) {
    (void)s; (void)context;
    mprotect((void *)((long)info->si_addr & ~4095l), 4096, PROT_READ | PROT_WRITE);
}
__attribute__((noinline)) static void smooth(double *p, double *end) {
    __asm__ volatile(
        "pxor %%xmm0, %%xmm0\n pxor %%xmm1, %%xmm1\n jmp 2f\n"
        "1: movapd %%xmm1, %%xmm0\n mulsd %%xmm1, %%xmm1\n movsd %%xmm1, -8(%0)\n"
        "2: addsd (%0), %%xmm0\n movsd 8(%0), %%xmm1\n addsd %%xmm1, %%xmm0\n"
        "movsd %%xmm0, (%0)\n add $8, %0\n cmp %1, %0\n jne 1b"
        : "+r"(p) : "r"(end) : "xmm0", "xmm1", "memory", "cc");
}
int main(void) {
    struct sigaction action = {0};
    action.sa_sigaction = handler;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGSEGV, &action, 0);
    pages = mmap(0, 5 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(pages + 2 * 4096, 4096, PROT_NONE);
    double *a = (double *)pages;
    smooth(a, a + 4 * 512);
    for (long n = 1; n < 5; n++)
        for (int t = 0; t < 6; t++) smooth(a, a + n);
    printf("%g\n", a[3]);
    return 0;
}
"#;

fn profile(program: &std::path::Path, encoding: Encoding) -> Profile {
    let mut config = Config::new(program);
    config.encoding = encoding;
    config.buffer_words = 1 << 10;
    let (outcome, engine) =
        record::run(&config, &mut Symbols::default(), Engine::default()).expect("a recording");
    assert_eq!(outcome.exit, Exit::Code(0));
    finish(engine, About::default())
}

/// Loops of the program itself: place, entries, iterations.
fn loops(profile: &Profile) -> Vec<(u64, u64, u64)> {
    let own = |c: &&profile::Context| {
        profile.functions.get(c.function as usize).is_some_and(|f| f.main) && c.iterations > 0
    };
    profile.contexts.iter().filter(own).map(|c| (c.at, c.entries, c.iterations)).collect()
}

type Key = (Kind, bool, u64, u64, Vec<(u8, u64, Vec<i64>, Vec<i64>)>);

/// How often each dependence of the program itself occurs, with levels and distances.
fn dependences(profile: &Profile) -> BTreeMap<String, u64> {
    let mut out = BTreeMap::new();
    let is_own = |s: u32| {
        let function = profile.contexts[profile.context_of(s) as usize].function;
        profile.functions.get(function as usize).is_some_and(|f| f.main)
    };
    // Where a fault interrupts an iteration, a recording of every iteration loses a dependence through a register.
    let is_exact = |d: &&profile::Dependence| d.memory || d.common > 1;
    let own = profile.dependences.iter().filter(|d| is_own(d.source) && is_own(d.sink));
    for d in own.filter(is_exact) {
        let pc = |s: u32| profile.statements[s as usize].pc;
        let levels =
            d.levels.iter().map(|l| (l.level, l.count, l.minimum.clone(), l.maximum.clone())).collect();
        let key: Key = (d.kind, d.memory, pc(d.source), pc(d.sink), levels);
        *out.entry(format!("{key:x?}")).or_default() += d.count;
    }
    out
}

#[test]
fn folded_records_of_rotated_loops_are_their_iterations() {
    let directory = tempfile::tempdir().unwrap();
    let (file, program) = (directory.path().join("rotated.c"), directory.path().join("rotated"));
    std::fs::write(&file, SOURCE).unwrap();
    assert!(
        Command::new("cc").args(["-O1", "-g", "-o"]).arg(&program).arg(&file).status().unwrap().success()
    );
    let [every, folded] = [Encoding::Derived, Encoding::Folded].map(|encoding| profile(&program, encoding));
    assert_eq!(every.trust.instructions, folded.trust.instructions);
    assert_eq!(every.trust.memory_accesses, folded.trust.memory_accesses);
    assert_eq!(every.trust.main_accesses, folded.trust.main_accesses);
    assert_eq!(every.trust.main_accesses_folded, 0);
    let share = folded.trust.main_accesses_folded as f64 / folded.trust.main_accesses as f64;
    assert!(share > 0.9, "{share}");
    let found = loops(&folded);
    assert_eq!(loops(&every), found);
    // Once over the whole array, the iteration that a fault interrupts counting once, and 24 short entries.
    assert!(found.iter().any(|l| (l.1, l.2) == (1, 2048)), "{found:?}");
    assert!(found.iter().any(|l| (l.1, l.2) == (24, 60)), "{found:?}");
    let (a, b) = (dependences(&every), dependences(&folded));
    assert!(a.len() > 20, "{a:?}");
    assert_eq!(a, b);
}
