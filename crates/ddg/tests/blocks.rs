//! Rows that are taken in blocks give the profile that taking them one by one gives.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use crate::compare;
use crate::support;

use compare::{are_bounded, compare, points};
use ddg::Engine;
use fold::Folded;
use kernels::Level;
use profile::{Dependence, Profile};
use record::Config;

/// What blocks of rows make of a recording, and what applying all rows one by one does.
///
/// Which instance of a dependence is shown, and which dependence was seen first, is left out: operands that have no bytes in common are not taken in the order in
/// which they run.
fn check_program(what: &str, config: Config, arguments: &[&str]) {
    let engines = (Engine::default(), Engine::applying_all());
    let key = |d: &Dependence| (d.sink, d.source, d.kind as u8, d.memory, d.role as u8);
    let (mut blocks, mut rows) = support::profiles(config, arguments, engines);
    for profile in [&mut blocks, &mut rows] {
        name_objects_alike(profile);
        profile.dependences.sort_by_key(key);
        for level in profile.dependences.iter_mut().flat_map(|d| &mut d.levels) {
            level.objects.iter_mut().for_each(|object| object.offset = 0);
            level.objects.sort_by_key(|object| (object.object, object.callee));
            (level.source_iv, level.sink_iv, level.address) = (Vec::new(), Vec::new(), 0);
        }
    }
    // A run is named by its first address, so that runs of another length may name more of what accesses out of bounds come to.
    let of_rows: BTreeMap<_, _> = rows.dependences.iter().map(|d| (key(d), d)).collect();
    for block in &mut blocks.dependences {
        let Some(row) = of_rows.get(&key(block)) else { continue };
        // Of a load of bytes of several stores one may be counted twice, where others lie between its bytes.
        if block.count != row.count
            && let (Some(a), Some(b)) = (&block.relation, &row.relation)
            && !are_bounded(std::slice::from_ref(a))
            && !are_bounded(std::slice::from_ref(b))
        {
            let once = |folded: &Folded| -> BTreeSet<_> {
                points(std::slice::from_ref(folded)).into_iter().collect()
            };
            assert_eq!(once(a), once(b), "{} to {}: {what}", block.source, block.sink);
            (block.count, block.relation) = (row.count, row.relation.clone());
            block.levels.iter_mut().zip(&row.levels).for_each(|(a, b)| a.count = b.count);
        }
        for (a, b) in block.levels.iter_mut().zip(&row.levels) {
            let is_part = |one: &[_], other: &[_]| one.iter().all(|object| other.contains(object));
            if is_part(&a.objects, &b.objects) || is_part(&b.objects, &a.objects) {
                a.objects.clone_from(&b.objects);
            }
            // Of a run on several levels each is said to have sinks wherever the run has any.
            if a.later & !b.later == 0 || b.later & !a.later == 0 {
                a.later = b.later;
            }
        }
    }
    compare(what, (blocks, rows));
}

/// Numbers objects by what they are: they are met in another order.
fn name_objects_alike(profile: &mut Profile) {
    let mut order: Vec<u32> = (0..profile.objects.len() as u32).collect();
    order.sort_by_key(|&object| format!("{:?}", profile.objects[object as usize]));
    let mut number = vec![0; order.len()];
    order.iter().enumerate().for_each(|(to, &object)| number[object as usize] = to as u32);
    profile.objects = order.iter().map(|&object| profile.objects[object as usize].clone()).collect();
    for level in profile.dependences.iter_mut().flat_map(|d| &mut d.levels) {
        level.objects.iter_mut().for_each(|used| used.object = number[used.object as usize]);
    }
}

fn check(name: &str, arguments: &[&str]) {
    let table = kernels::load().unwrap();
    let kernel = table.iter().find(|k| k.name() == name).unwrap();
    let directory = tempfile::tempdir().unwrap();
    for level in Level::ALL {
        let program = kernels::compile(kernel, level, directory.path()).unwrap();
        check_program(&format!("{name} {level}"), support::after_startup(&program.path), arguments);
    }
}

/// Small random numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % n
    }

    fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len() as u64) as usize]
    }
}

/// An element of an array, by the counters around, of which there are `depth`.
fn element(random: &mut Random, depth: usize) -> String {
    let array = random.pick(&["a", "b", "c", "d", "w"]);
    let mut index = format!("{}", 200 + random.below(40));
    for counter in ["i", "j", "k"].into_iter().take(depth) {
        let factor = [0i64, 0, 1, 1, 2, 3, 8, 16, 40, -1, -8, -16][random.below(12) as usize];
        if factor != 0 {
            index += &format!(" + {factor} * {counter}");
        }
    }
    format!("{array}[{index}]")
}

/// A pointer to one of the array's own elements.
fn pointer(random: &mut Random, depth: usize) -> String {
    loop {
        let element = element(random, depth);
        if !element.starts_with('w') {
            return format!("&{element}");
        }
    }
}

fn assignment(random: &mut Random, depth: usize) -> String {
    let (to, from, other) = (element(random, depth), element(random, depth), element(random, depth));
    match random.below(6) {
        0 => format!("{to} = {from} + {other};"),
        1 => format!("{to} += {from};"),
        2 => format!("s += {from} * {other};"),
        3 => format!("{to} = s; s = {from};"),
        4 => format!("{to} = {depth};"),
        _ => format!("t = {from}; {to} = t + s;"),
    }
}

/// A loop with statements and loops inside.
fn nest(random: &mut Random, depth: usize) -> String {
    let counter = ["i", "j", "k"][depth];
    let from = random.below(3);
    let bound = match random.below(5) {
        0 if depth > 0 => format!("{} + {}", ["i", "j"][depth - 1], random.below(4)),
        1 => format!("{}", random.below(5)),
        _ => format!("{}", 4 + random.below(12)),
    };
    let mut body = String::new();
    for _ in 0..random.below(2) + u64::from(depth == 2) {
        body += &assignment(random, depth + 1);
    }
    if depth < 2 {
        for _ in 0..1 + random.below(5) / 4 {
            body += &nest(random, depth + 1);
        }
    }
    match random.below(12) {
        0 => body += &assignment(random, depth + 1),
        1 => body += &format!("if ({counter} % 7 == 5) {{ {} }}", assignment(random, depth + 1)),
        2 if depth == 1 => body += &format!("if ({counter} % 8 == 6) s += helper(i);"),
        3 | 4 => {
            let (at, count) = (pointer(random, depth + 1), 2 + random.below(9));
            body += &format!("s += leaf({at}, {count});");
        }
        5 | 6 if depth < 2 => {
            let (from, to) = (pointer(random, depth + 1), pointer(random, depth + 1));
            body += &format!("s += middle({from}, {to});");
        }
        _ => {}
    }
    format!("for (long {counter} = {from}; {counter} < {bound}; {counter}++) {{ {body} }}\n    ")
}

fn program(seed: u64) -> String {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let element = random.pick(&["int", "long", "double", "char"]);
    let narrow = random.pick(&["int", "short"]);
    // Not for bytes: how often one load of several counts depends on how the memory keeps them.
    let calls = if element == "char" { "#define leaf(p, n) *(p)\n#define middle(p, q) *(p)" } else { "" };
    let nests: String = (0..2 + random.below(3)).map(|_| nest(&mut random, 0)).collect();
    format!(
        "#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
{element} a[1200], b[1200], c[1200], d[1200];
{narrow} *w;
__attribute__((noinline)) long helper(long x)
{{
    if (x % 3 == 0)
        raise(SIGUSR1);
    if (x % 3 == 1)
        return x + (getppid() == 0);
    void *p = malloc(24);
    free(p);
    return x + (p == 0);
}}
// Loops with few iterations, in activations of their own.
__attribute__((noinline)) static long leaf({element} *p, long n)
{{
    {element} v[4];
    for (int x = 0; x < 4; x++)
        v[x] = p[x];
    for (long x = 0; x < n; x++)
        p[x + 3] = v[x & 3] + 1;
    for (int x = 1; x < 4; x++)
        for (int y = 0; y < x; y++)
            v[x] += v[y] * p[y];
    return v[n & 3];
}}
__attribute__((noinline)) static long middle({element} *p, {element} *q)
{{
    long r = 0;
    for (int y = 0; y < 3; y++)
        r += leaf(p + y, 4) * q[y];
    q[0] = r;
    return r;
}}
{calls}
static void handler(int number)
{{
    a[230] += number;
}}
__attribute__((noinline)) long run(void)
{{
    long s = 1, t = 2;
    {nests}
    return s + t;
}}
int main(void)
{{
    signal(SIGUSR1, handler);
    // Elements of another size in the same bytes.
    w = ({narrow} *)a;
    long s = run();
    for (int i = 0; i < 1200; i++)
        s += a[i] + b[i] + c[i] + d[i];
    printf(\"%ld\\n\", s);
    return 0;
}}
"
    )
}

/// Random nests of three loops: overlaps between rows, distances, elements of other sizes; conditions, system calls,
/// allocations, signals and ends of buffers in between.
#[test]
fn random_nests() {
    let first: u64 = std::env::var("LOOPWRIGHT_SEED").ok().and_then(|s| s.parse().ok()).unwrap_or(1);
    let count: u64 = std::env::var("LOOPWRIGHT_CASES").ok().and_then(|s| s.parse().ok()).unwrap_or(6);
    let directory = tempfile::tempdir().unwrap();
    for seed in first..first + count {
        let source = directory.path().join("random.c");
        std::fs::write(&source, program(seed)).unwrap();
        for flags in [&["-O1"][..], &["-O2", "-fno-strict-aliasing"], &["-O3", "-fno-strict-aliasing"]] {
            let path = directory.path().join("random");
            let status =
                Command::new("gcc").args(flags).args(["-g", "-w", "-o"]).arg(&path).arg(&source).status();
            assert!(status.unwrap().success());
            let mut config = support::after_startup(&path);
            // Rows are also cut by the end of a buffer.
            config.buffer_words = [config.buffer_words, 1 << 9, 1 << 11][seed as usize % 3];
            check_program(&format!("seed {seed} {flags:?}:\n{}", program(seed)), config, &[]);
        }
    }
}

#[test]
fn products() {
    check("blocked_product", &["9", "2"]);
    check("matmul_ikj", &["17"]);
    check("matmul_ijk", &["17"]);
    check("tensor_product", &[]);
}

#[test]
fn factorisations() {
    check("chunked_lu", &["3"]);
    check("lu", &["17"]);
    check("cholesky", &["17"]);
}

#[test]
fn stencils() {
    check("jacobi", &["13", "3"]);
    check("seidel", &["13", "3"]);
    check("sweeps", &["20", "12"]);
    check("needle", &["20", "1"]);
}

/// Sweeps over pages that a handler has to unlock first, so that rows end in the middle, in the middle of a block.
const FAULTS: &str = "#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
enum { N = 60, PAGE = 4096, BYTES = 10 * PAGE };
static char *grid;
static int faults;
static double b[N][N];
static void unlock(int number, siginfo_t *about, void *context)
{
    (void)number, (void)context;
    unsigned long page = (unsigned long)about->si_addr & ~(PAGE - 1ul);
    mprotect((void *)page, PAGE, PROT_READ | PROT_WRITE);
    faults++;
}
__attribute__((noinline)) static void sweep(double *a)
{
    for (int i = 1; i < N; i++)
        for (int j = 0; j < N; j++)
            a[i * N + j] = a[(i - 1) * N + j] + b[i][j];
}
int main(void)
{
    struct sigaction action = { .sa_sigaction = unlock, .sa_flags = SA_SIGINFO };
    sigaction(SIGSEGV, &action, 0);
    grid = mmap(0, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (int round = 0; round < 4; round++) {
        mprotect(grid + (2 + round) * PAGE, 2 * PAGE, PROT_NONE);
        sweep((double *)grid);
    }
    printf(\"%d %g\\n\", faults, ((double *)grid)[N * N - 1]);
    return faults == 0;
}
";

#[test]
fn faults_in_the_middle_of_blocks() {
    let directory = tempfile::tempdir().unwrap();
    let (source, program) = (directory.path().join("faults.c"), directory.path().join("faults"));
    std::fs::write(&source, FAULTS).unwrap();
    for level in ["-O0", "-O1", "-O3"] {
        let mut command = Command::new("gcc");
        command.args([level, "-g", "-o"]).arg(&program).arg(&source);
        assert!(command.status().unwrap().success());
        assert!(Command::new(&program).status().unwrap().success());
        check_program(&format!("faults {level}"), support::after_startup(&program), &[]);
    }
}
