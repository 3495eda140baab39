//! Random instructions leave the same registers, flags and memory as alone, and access what single steps show.
//! `LOOPWRIGHT_FUZZ` says how many programs of 60 sequences are made, `LOOPWRIGHT_FUZZ_SECONDS` how long programs of thousands are,
//! `LOOPWRIGHT_FUZZ_SEED` with which both begin. `cargo xtask fuzz-instructions` makes millions.

use crate::support;

use std::fmt::Write;
use std::time::{Duration, Instant};

use record::Encoding;
use support::{agrees, agrees_in, compile, directory, same, same_in};

/// Sequences of one program, and how often they are run.
#[derive(Clone, Copy)]
struct Shape {
    sequences: usize,
    rounds: &'static [u32],
}

/// Many rounds, so that loops are folded.
const FEW: Shape = Shape { sequences: 60, rounds: &[1, 3, 40, 90] };
/// Sequences that are stepped: each instruction takes long.
const STEPPED: Shape = Shape { sequences: 60, rounds: MANY.rounds };
/// For every so manieth program of many sequences there is one that is stepped.
const STEPS: u64 = 5;
/// Many sequences: most of them are over soon.
const MANY: Shape = Shape { sequences: 3000, rounds: &[1, 1, 1, 2, 2, 2, 3, 3, 3, 1, 1, 2, 2, 3, 3, 40] };

/// Registers by number: their names with 64, 32, 16 and 8 bits. Without the stack pointer and `r15`, which ends loops.
const REGISTERS: [[&str; 4]; 14] = [
    ["rax", "eax", "ax", "al"],
    ["rcx", "ecx", "cx", "cl"],
    ["rdx", "edx", "dx", "dl"],
    ["rbx", "ebx", "bx", "bl"],
    ["rbp", "ebp", "bp", "bpl"],
    ["rsi", "esi", "si", "sil"],
    ["rdi", "edi", "di", "dil"],
    ["r8", "r8d", "r8w", "r8b"],
    ["r9", "r9d", "r9w", "r9b"],
    ["r10", "r10d", "r10w", "r10b"],
    ["r11", "r11d", "r11w", "r11b"],
    ["r12", "r12d", "r12w", "r12b"],
    ["r13", "r13d", "r13w", "r13b"],
    ["r14", "r14d", "r14w", "r14b"],
];

/// Suffixes of those widths.
const SUFFIXES: [&str; 4] = ["q", "l", "w", "b"];

const CONDITIONS: [&str; 16] =
    ["o", "no", "b", "ae", "e", "ne", "be", "a", "s", "ns", "p", "np", "l", "ge", "le", "g"];

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        ((self.0 >> 33) as usize) % n
    }

    fn of<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }
}

/// A memory operand within the buffer, and the instructions before it that make it one.
fn memory(r: &mut Random, out: &mut String) -> String {
    let base = r.below(14);
    let b = REGISTERS[base][0];
    let disp = r.below(64) as i64 * r.of(&[1, 8]) - 32;
    match r.below(3) {
        0 => return format!("buffer+{}(%rip)", disp + 128),
        1 => writeln!(out, "lea buffer+256(%rip), %{b}").unwrap(),
        _ => {
            let index = (base + 1 + r.below(13)) % 14;
            writeln!(out, "lea buffer+256(%rip), %{b}\nand $63, %{}", REGISTERS[index][1]).unwrap();
            return format!("{disp}(%{b},%{},{})", REGISTERS[index][0], r.of(&[1, 2, 4, 8]));
        }
    }
    format!("{disp}(%{b})")
}

/// One instruction, or a few that belong together.
fn instruction(r: &mut Random, out: &mut String, label: &str) {
    let width = r.below(4);
    let (a, b) = (REGISTERS[r.below(14)], REGISTERS[r.below(14)]);
    let s = SUFFIXES[width];
    let binary = ["add", "sub", "adc", "sbb", "xor", "and", "or", "cmp", "test", "mov", "xchg", "xadd"];
    let x = format!("%xmm{}", r.below(6));
    let y = format!("%xmm{}", r.below(6));
    let text = match r.below(24) {
        0..4 => format!("{}{s} %{}, %{}", r.of(&binary), a[width], b[width]),
        4..7 => {
            let m = memory(r, out);
            format!("{}{s} %{}, {m}", r.of(&binary), a[width])
        }
        7..9 => {
            let m = memory(r, out);
            format!("{}{s} {m}, %{}", r.of(&["add", "sub", "adc", "xor", "mov", "cmp"]), a[width])
        }
        9 => format!("{}{s} ${}, %{}", r.of(&["add", "sub", "and", "or", "cmp"]), r.below(100), a[width]),
        10 => {
            format!("{}{s} ${}, %{}", r.of(&["shl", "shr", "sar", "rol", "ror", "rcl"]), r.below(9), a[width])
        }
        11 => format!("{}{s} %cl, %{}", r.of(&["shl", "shr", "sar", "rol"]), a[width]),
        12 => format!("{}{s} %{}", r.of(&["inc", "dec", "neg", "not"]), a[width]),
        13 => {
            let m = memory(r, out);
            format!("{}{s} {m}", r.of(&["inc", "dec", "neg", "not"]))
        }
        14 => format!("lea {}(%{},%{},4), %{}", r.below(999), a[0], b[0], a[0]),
        15 => format!("cmov{} %{}, %{}\nset{} %{}", r.of(&CONDITIONS), a[0], b[0], r.of(&CONDITIONS), a[3]),
        16 => format!("j{} {label}f\nadd ${}, %{}\n{label}:", r.of(&CONDITIONS), r.below(50), a[1]),
        17 => format!("push %{}\npop %{}\npushfq\npop %{}", a[0], b[0], a[0]),
        18 => format!("imul %{}, %{}\nbswap %{}\nmovslq %{}, %{}", a[0], b[0], a[0], b[1], a[0]),
        19 => format!("addb %ah, %bl\nmovb %dh, %ch\n{}", r.of(&["stc", "clc", "cmc", "lahf", "sahf"])),
        20 => {
            let m = memory(r, out);
            format!("movdqu {m}, {x}\npaddd {x}, {y}\nmovdqu {y}, {m}")
        }
        21 => format!("movq %{}, {x}\npxor {x}, {y}\nmovq {y}, %{}", a[0], b[0]),
        22 => format!(
            "lea buffer(%rip), %rdi\nlea buffer+512(%rip), %rsi\nand $15, %ecx\n{}",
            r.of(&["rep movsb", "rep stosq", "rep movsl", "repe cmpsb", "repne scasb", "lodsq", "stosw"])
        ),
        _ => format!("call leaf{}", r.below(3)),
    };
    writeln!(out, "{text}").unwrap();
}

/// Functions `run0`… of random instructions, each of which leaves its registers and flags in `state`. Single steps show in the
/// flags on the stack: those of programs that are to be `stepped` are not looked at.
fn sequences(Shape { sequences, rounds }: Shape, seed: u64, stepped: bool) -> String {
    let mut r = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut out = String::from(
        ".text\nleaf0: add $3, %rax\nret\nleaf1: push %rbx\nmov buffer+64(%rip), %rbx\nadc %rbx, buffer+72(%rip)\npop %rbx\nret\n\
        leaf2: xor %r8, %r9\njc 1f\nincq buffer(%rip)\n1: ret\n",
    );
    // What all of them begin and end with.
    out.push_str("enter: push %rbx\npush %rbp\npush %r12\npush %r13\npush %r14\npush %r15\n");
    (0..6).for_each(|x| writeln!(out, "pxor %xmm{x}, %xmm{x}").unwrap());
    writeln!(out, "jmp *%rax\nleave: pushfq\npop state+112(%rip)").unwrap();
    for (at, register) in REGISTERS.iter().enumerate() {
        writeln!(out, "mov %{}, state+{}(%rip)", register[0], at * 8).unwrap();
    }
    (0..6).for_each(|x| writeln!(out, "movdqu %xmm{x}, state+{}(%rip)", 128 + 16 * x).unwrap());
    writeln!(out, "pop %r15\npop %r14\npop %r13\npop %r12\npop %rbp\npop %rbx\nret").unwrap();
    for k in 0..sequences {
        writeln!(out, "run{k}: lea 1f(%rip), %rax\njmp enter\n1: xor %eax, %eax").unwrap();
        for register in REGISTERS {
            let value = (r.below(1 << 30) as u64) << r.below(34);
            writeln!(out, "movabs ${value}, %{}", register[0]).unwrap();
        }
        let loops = r.of(rounds);
        writeln!(out, "mov ${loops}, %r15d\n1:").unwrap();
        for i in 0..2 + r.below(24) {
            instruction(&mut r, &mut out, &format!("{}", i + 2));
        }
        let again =
            if r.below(2) == 0 { "dec %r15\njne 1b" } else { "lea -1(%r15), %r15\ntest %r15, %r15\njne 1b" };
        writeln!(out, "{again}\njmp leave").unwrap();
    }
    if stepped {
        out = out.replace("pushfq\npop state+112(%rip)\n", "").replace("pushfq\npop", "push %r8\npop");
    }
    // The assembler reads it from a file: a compiler takes long over so much text.
    let file = directory().join(format!("sequences{sequences}{stepped}{}.s", mark()));
    std::fs::write(&file, out).unwrap();
    let mut code = format!(
        "unsigned long state[32]; unsigned char buffer[2048];\n__asm__(\".include \\\"{}\\\"\\n\");\n",
        file.display()
    );
    for k in 0..sequences {
        writeln!(code, "void run{k}(void);").unwrap();
    }
    let names: Vec<String> = (0..sequences).map(|k| format!("run{k}")).collect();
    writeln!(code, "static void (*const runs[])(void) = {{ {} }};", names.join(", ")).unwrap();
    code
}

/// `main` that shows what every sequence leaves.
const SHOWN: &str = "#include <stdio.h>\nint main(void) { for (int k = 0; k < (int)(sizeof runs / sizeof *runs); k++) { runs[k](); printf(\"%d:\", k); for (int i = 0; i < 28; i++) printf(\" %lx\", state[i]);
            unsigned long h = 0; for (int i = 0; i < 2048; i++) h = h * 31 + buffer[i]; printf(\" %lx\\n\", h); } return 0; }";

/// `work` that sums it up.
const SUMMED: &str = "int work(void) { unsigned long h = 0; for (unsigned k = 0; k < sizeof runs / sizeof *runs; k++) { runs[k](); for (int i = 0; i < 28; i++) h = h * 31 + state[i]; } return h & 1023; }";

/// What the files of this thread's test have in their names: several processes make such files.
fn mark() -> String {
    let test = std::thread::current().name().map_or(0, str::len);
    format!("-{}-{test}-", std::process::id())
}

/// Removes them.
fn clear() {
    for entry in std::fs::read_dir(directory()).unwrap().flatten() {
        if entry.file_name().to_string_lossy().contains(&mark()) {
            std::fs::remove_file(entry.path()).unwrap();
        }
    }
}

fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(otherwise)
}

#[test]
fn random_instructions() {
    let (first, programs) = (number("LOOPWRIGHT_FUZZ_SEED", 1), number("LOOPWRIGHT_FUZZ", 4));
    for seed in first..first + programs {
        let code = sequences(FEW, seed, false);
        same(&compile(&format!("fuzz{}.c", mark()), &format!("{code}{SHOWN}"), &["-O1", "-no-pie"]), &[]);
        let code = sequences(FEW, seed, true);
        agrees(&format!("fuzzed{}", mark()), &format!("{code}{SUMMED}"), &["-O1"], &|_, _, _| {});
    }
    clear();
}

/// Lets a program write to its code, which then is compared whenever control comes in.
const WRITABLE: &str = "
#include <sys/mman.h>
extern char __executable_start, etext;
static void __attribute__((constructor)) writable(void) {
    unsigned long start = (unsigned long)&__executable_start & -4096;
    if (mprotect((void *)start, (unsigned long)&etext - start, PROT_READ | PROT_WRITE | PROT_EXEC)) __builtin_trap(); }
";

/// Thousands of sequences in a program, and some whose accesses are compared; each is recorded in one way, and the ways take turns.
#[test]
fn many_random_instructions() {
    let (first, seconds) = (number("LOOPWRIGHT_FUZZ_SEED", 1), number("LOOPWRIGHT_FUZZ_SECONDS", 20));
    let (start, mut done) = (Instant::now(), 0);
    for seed in first.. {
        let turn = (seed % 12) as usize;
        let code = sequences(MANY, seed, false);
        let writable = if turn < 8 { "" } else { WRITABLE };
        let code = format!("{code}{SHOWN}{writable}");
        let program = compile(&format!("fuzzmany{}.c", mark()), &code, &["-O0", "-no-pie"]);
        same_in(
            &[["addresses", "folded", "derived", "none", "folded", "survey"][turn % 6]],
            &program,
            &[],
            &|_| {},
        );
        done += MANY.sequences;
        if start.elapsed() >= Duration::from_secs(seconds) {
            println!("\n{done} sequences, seeds {first} to {seed}");
            break;
        }
        // Steps take long.
        if !seed.is_multiple_of(STEPS) {
            continue;
        }
        let code = sequences(STEPPED, seed.wrapping_add(1 << 40), true);
        let turn = (seed / STEPS) as usize;
        let encoding = [Encoding::Folded, Encoding::Addresses, Encoding::Folded, Encoding::Derived][turn % 4];
        let way = [(encoding, [512, 1 << 14, 1 << 12][turn % 3])];
        agrees_in(
            &way,
            &format!("fuzzedmany{}", mark()),
            &format!("{code}{SUMMED}"),
            &["-O0"],
            &|_, _, _| {},
        );
    }
    clear();
}
