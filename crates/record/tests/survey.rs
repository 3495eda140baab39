//! A survey counts exactly what a recording records, and disturbs nothing.

use crate::support;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use record::{Config, Encoding, Exit};
use support::{Unguided, compile, oracle};
use trace::block::{Block, FunctionCode, Terminator};
use trace::expand::{Event, Expander};
use trace::sink::{Mapping, Sink, ThreadId};
use trace::survey::{Survey, Way};

/// Executions by address, and transfers out of branches, from a recording.
#[derive(Default)]
struct Counts {
    executions: BTreeMap<u64, u64>,
    edges: BTreeMap<(u64, u64), u64>,
    previous: Option<(u64, Terminator)>,
    blocks: Vec<Block>,
    expander: Expander,
}

impl Sink for Counts {
    fn mapping(&mut self, _: Mapping) {}
    fn function(&mut self, _: FunctionCode) {}
    fn block(&mut self, block: Block) {
        self.blocks.push(block);
    }
    fn words(&mut self, _: ThreadId, words: &[u64]) {
        let Self { executions, edges, previous, blocks, expander } = self;
        expander
            .expand(words, blocks, &mut |event| match event {
                Event::Pass { block, instructions } => {
                    for instr in &block.instrs[..instructions] {
                        *executions.entry(instr.pc).or_default() += 1;
                    }
                    if let Some((end, Terminator::Branch { .. } | Terminator::IndirectJump)) = *previous {
                        *edges.entry((end, block.pc)).or_default() += 1;
                    }
                    *previous = Some((block.end, block.terminator));
                }
                Event::Special(_) => *previous = None,
                Event::Touch { .. } => {}
            })
            .unwrap();
    }
}

fn survey(program: &Path) -> (Exit, Survey) {
    let (outcome, survey) = record::survey(&Config::new(program), &mut Unguided::default()).unwrap();
    (outcome.exit, survey)
}

fn executions(survey: &Survey) -> BTreeMap<u64, u64> {
    let mut out = BTreeMap::new();
    for stretch in &survey.stretches {
        for &pc in &stretch.instrs {
            *out.entry(pc).or_default() += stretch.executions;
        }
    }
    out
}

const VARIED: &str = "#include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    __attribute__((noipa)) long triangle(long n) { long s = 0; for (long i = 0; i < n; i++) for (long j = 0; j <= i; j++) s += j ^ i; return s; }
    __attribute__((noipa)) long choose(long k) { switch (k % 7) { case 0: return 3; case 1: return k * 2; case 2: return k - 9; case 3: return ~k; case 4: return k / 3; case 5: return 11; default: return -k; } }
    __attribute__((noipa)) long fib(long n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
    static long twice(long x) { return 2 * x; }
    static long thrice(long x) { return 3 * x; }
    static int order(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
    int main(void) {
        long (*volatile f[2])(long) = { twice, thrice };
        long s = triangle(30) + fib(12);
        for (long i = 0; i < 200; i++) s += choose(i) + f[i % 3 == 0](i);
        int a[100];
        for (int i = 0; i < 100; i++) a[i] = (i * 37) % 101;
        qsort(a, 100, sizeof *a, order);
        char text[64]; memset(text, 'x', 63); text[63] = 0;
        __asm__ volatile(\"mov $9, %%ecx\\n1: add $1, %0\\n loop 1b\\n\" : \"+r\"(s) : : \"rcx\", \"cc\");
        printf(\"%ld %d %zu\\n\", s, a[50], strlen(text));
        return (int)(s & 63);
    }";

/// Every instruction and every branch, against a recording, whose instructions are those of single-stepping.
#[test]
fn counts_are_those_of_a_recording() {
    for flags in [&["-O0"][..], &["-O2", "-static"], &["-O1", "-no-pie"]] {
        let program = compile("varied.c", VARIED, flags);
        let config = Config { encoding: Encoding::Derived, ..Config::new(&program) };
        let (outcome, recorded) = record::run(&config, &mut Unguided::default(), Counts::default()).unwrap();
        let (exit, survey) = survey(&program);
        assert_eq!(exit, outcome.exit);
        let counted = executions(&survey);
        let differs = counted.iter().find(|(pc, n)| recorded.executions.get(*pc) != Some(*n));
        assert_eq!(differs, None, "{flags:?}: recorded {:?}", differs.map(|d| recorded.executions.get(d.0)));
        assert_eq!(counted.len(), recorded.executions.len(), "{flags:?}");
        assert_eq!(counted.values().sum::<u64>(), oracle(&program).1.instructions, "{flags:?}");
        let edges: BTreeMap<(u64, u64), u64> = survey
            .transfers
            .iter()
            .filter(|t| recorded.edges.contains_key(&(t.from, t.to)) && t.way != Way::Call)
            .map(|t| ((t.from, t.to), t.count))
            .collect();
        assert_eq!(edges, recorded.edges, "{flags:?}");
        assert!(survey.transfers.windows(2).all(|t| t[0] < t[1]));
        assert!(survey.transfers.iter().any(|t| t.way == Way::IndirectJump), "{flags:?}");
    }
}

#[test]
fn trip_counts_have_extremes() {
    let source = "static int a[1000];
        __attribute__((noipa)) void fill(int n) { for (int i = 0; i < n; i++) a[i] = 7 * i; }
        int main(void) { fill(40); fill(3); fill(800); for (int i = 0; i < 20; i++) fill(11); return a[5]; }";
    let program = compile("trips.c", source, &["-O1"]);
    let (exit, survey) = survey(&program);
    assert_eq!(exit, Exit::Code(35));
    let total = 40 + 3 + 800 + 20 * 11;
    let found: Vec<_> = survey.stretches.iter().filter(|s| s.executions == total).collect();
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].trips, Some((3, 800)));
    let back = |s: &trace::survey::Stretch| {
        survey.transfers.iter().find(|t| t.from == s.end && t.to == s.instrs[0]).map(|t| t.count)
    };
    assert_eq!(back(found[0]), Some(total - 23));
}

/// A loop that leaves the flags of its last comparison to what follows.
#[test]
fn flags_survive_a_counted_loop() {
    let source = "#include <stdio.h>
        int main(void) {
            unsigned long seen = 0;
            for (long start = -3; start < 4; start++) {
                long x = start; unsigned long f;
                __asm__ volatile(\"1: add %2, %0\\n js 1b\\n pushfq\\n pop %1\\n\" : \"+r\"(x), \"=&r\"(f) : \"r\"(0x2000000000000001) : \"cc\");
                seen = seen * 31 + (f & 0x8d5) + (unsigned long)x;
            }
            printf(\"%lx\\n\", seen);
            return (int)(seen & 127);
        }";
    let program = compile("flags.c", source, &["-O2", "-mno-red-zone"]);
    let native = Command::new(&program).status().unwrap();
    assert_eq!(Some(survey(&program).0), native.code().map(Exit::Code));
}

/// Signals in the middle of counted loops: every iteration is counted once.
#[test]
fn interrupted_loops_are_counted_whole() {
    let source = "#include <signal.h>
        #include <sys/time.h>
        static volatile int ticks;
        static void tick(int s) { (void)s; ticks++; }
        __attribute__((noipa)) void spin(long n) { __asm__ volatile(\"1: dec %0\\n jnz 1b\\n\" : \"+r\"(n) : : \"cc\"); }
        int main(void) {
            struct itimerval t = { { 0, 2000 }, { 0, 2000 } };
            signal(SIGALRM, tick); setitimer(ITIMER_REAL, &t, 0);
            for (int i = 0; i < 10; i++) spin(30000000);
            return ticks > 3 ? 5 : 6;
        }";
    let program = compile("ticks.c", source, &["-O2"]);
    let (exit, survey) = survey(&program);
    assert_eq!(exit, Exit::Code(5), "signals came and their handler ran");
    let hottest = survey.stretches.iter().max_by_key(|s| s.executions).unwrap();
    assert_eq!(hottest.executions, 300_000_000);
    assert_eq!(hottest.trips, None, "an entry was seen in parts");
}

/// A program that another one at the same addresses replaces is told of, if not shown.
#[test]
fn replaced_programs() {
    let source = "#include <unistd.h>
        static volatile long a[100];
        int main(int n, char **v) { for (int i = 0; i < 900; i++) a[i % 100] = i; execv(v[1], v + 1); return 1; }";
    let program = compile("replaced.c", source, &["-O1"]);
    let after = compile("trips.c", "int main(void) { return 35; }", &["-O0"]);
    let args = vec![program.clone().into(), after.into()];
    let config = Config { args, ..Config::new(&program) };
    let (outcome, survey) = record::survey(&config, &mut Unguided::default()).unwrap();
    assert_eq!(outcome.exit, Exit::Code(35));
    let told = outcome.untracked.iter().find(|u| u.what.contains("replaced"));
    assert!(told.is_some_and(|u| u.count > 900), "{:?}", outcome.untracked);
    let lost = survey
        .stretches
        .iter()
        .all(|s| survey.mappings.iter().any(|m| (m.start..m.end).contains(&s.instrs[0])));
    assert!(lost, "a stretch of nowhere");
}

/// What a program did before it was killed or replaced itself by another.
#[test]
fn abrupt_ends() {
    let source = "#include <unistd.h>
        static volatile long a[100];
        int main(int n, char **v) { for (int i = 0; i < 777; i++) a[i % 100] = i; if (n > 1) execl(v[0], v[0], (char *)0); *(volatile int *)0 = 1; }";
    let program = compile("abrupt.c", source, &["-O1"]);
    let args = vec![program.clone().into(), "again".into()];
    for config in [Config::new(&program), Config { args, ..Config::new(&program) }] {
        let (outcome, survey) = record::survey(&config, &mut Unguided::default()).unwrap();
        assert_eq!(outcome.exit, Exit::Signal(libc::SIGSEGV));
        assert!(survey.stretches.iter().any(|s| s.executions % 777 == 0), "{:?}", config.args);
    }
}
