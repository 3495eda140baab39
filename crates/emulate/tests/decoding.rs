//! The operation tables against hand-written expectations, one assembled instruction per line; and decoders on anything.

use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use emulate::Machine;
use emulate::instruction::Decoded;
use proptest::prelude::*;
use trace::block::{REG_COUNT, REG_FLAGS, REG_MORE, REG_OTHER, REG_STACK, REG_VECTOR, RegRange, Role};

/// A register by its number in blocks: `sp`, `r` with its own number, `v` for vectors, `f` for flags.
fn range(machine: Machine, r: RegRange) -> String {
    let stack = if machine == Machine::Aarch64 { 31 } else { 2 };
    let name = match r.reg {
        REG_STACK => "sp".to_owned(),
        REG_FLAGS => "f".to_owned(),
        REG_OTHER => "o".to_owned(),
        n if !(REG_VECTOR..REG_MORE).contains(&n) => {
            let at = if n < REG_VECTOR { n } else { n - REG_MORE + 16 };
            format!("r{}", if at == stack { 4 } else { at })
        }
        n => format!("v{}", n - REG_VECTOR),
    };
    match (r.lo, r.hi) {
        (0, 8) => name,
        (0, hi) => format!("{name}.{hi}"),
        (lo, hi) => format!("{name}.{lo}-{hi}"),
    }
}

fn role(role: Role) -> &'static str {
    match role {
        Role::Value => "",
        Role::Accumulator => "+",
        Role::Address => "@",
        Role::Kept => "=",
        Role::Control => "?",
    }
}

fn render(machine: Machine, d: &Decoded) -> String {
    let i = &d.instr;
    let mut out = format!("{:?}", i.operation.kind);
    for (set, text) in [(i.operation.float, " float"), (i.operation.linear, " linear")] {
        out += if set { text } else { "" };
    }
    out += " |";
    for u in &i.uses {
        let _ = write!(out, " {}{}", role(u.role), range(machine, u.range));
    }
    if let Some(m) = d.memory.filter(|m| m.read) {
        let _ = write!(out, " {}m{}", role(m.role), m.element * u16::from(m.count));
    }
    out += " |";
    for def in &i.defs {
        let _ = write!(out, " {}", range(machine, *def));
    }
    if let Some(m) = d.memory.filter(|m| m.write) {
        let _ = write!(out, " m{}", m.element * u16::from(m.count));
    }
    if let Some(moved) = &d.moves_base {
        let _ = write!(out, " | {}", range(machine, moved.defs[0]));
        let _ = write!(out, " {:?}", moved.operation.addend.expect("it adds"));
    }
    if let Some(end) = d.end {
        let _ = write!(out, " | {}", format!("{end:?}").split(['(', ' ']).next().unwrap_or_default());
    }
    out
}

/// Assembles every left side and compares what is decoded with the right side.
fn check(machine: Machine, prefix: &str, head: &str, table: &str) {
    let directory = tempfile::tempdir().expect("a directory for the assembler");
    let path = |name: &str| directory.path().join(name);
    let lines: Vec<(&str, &str)> = table.lines().filter_map(|l| l.split_once("=>")).collect();
    let text: String = lines.iter().map(|(code, _)| format!("{code}\n")).collect();
    std::fs::write(path("t.s"), format!("{head}\n{text}")).expect("the assembler's input");
    let run = |program: String, args: &[&Path]| {
        assert!(Command::new(&program).args(args).status().expect(&program).success(), "{program}");
    };
    run(format!("{prefix}-as"), &[&path("t.s"), Path::new("-o"), &path("t.o")]);
    run(
        format!("{prefix}-objcopy"),
        &[Path::new("-Obinary"), Path::new("-j.text"), &path("t.o"), &path("t.bin")],
    );
    let bytes = std::fs::read(path("t.bin")).expect("the assembler's output");
    let (mut at, mut wrong) = (0, String::new());
    for (code, expected) in lines {
        let decoded = machine.decode(&bytes[at..], at as u64);
        at += usize::from(decoded.instr.len);
        let got = render(machine, &decoded);
        if got.trim() != expected.trim() {
            let _ = writeln!(wrong, "{} => {got}", code.trim());
        }
    }
    assert!(wrong.is_empty(), "differs:\n{wrong}");
    // The assembler fills the end up.
    assert!(bytes.len() - at < 4);
}

#[test]
fn aarch64() {
    check(Machine::Aarch64, "aarch64-linux-gnu", ".arch armv8.1-a", include_str!("aarch64.txt"));
}

#[test]
fn riscv64() {
    check(Machine::Riscv64, "riscv64-linux-gnu", ".option norelax", include_str!("riscv64.txt"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    /// Whatever the bytes are, registers are those that blocks have, and the length is one that the machine has.
    #[test]
    fn anything_decodes(bytes in proptest::collection::vec(any::<u8>(), 0..8), pc: u64) {
        for machine in [Machine::Aarch64, Machine::Riscv64] {
            let decoded = machine.decode(&bytes, pc);
            prop_assert!(matches!(decoded.instr.len, 2 | 4));
            let instrs = std::iter::once(&decoded.instr).chain(&decoded.moves_base);
            for range in instrs.flat_map(|i| i.uses.iter().map(|u| u.range).chain(i.defs.iter().copied())) {
                prop_assert!(range.reg < REG_COUNT && range.lo < range.hi, "{range:?}");
            }
        }
    }

    /// So is every instruction of 32 bits, which random bytes rarely are.
    #[test]
    fn any_word_decodes(word: u32, pc: u64) {
        for (machine, word) in [(Machine::Aarch64, word), (Machine::Riscv64, word | 3)] {
            let decoded = machine.decode(&word.to_le_bytes(), pc);
            prop_assert_eq!(decoded.instr.len, 4);
            let ranges = decoded.instr.uses.iter().map(|u| u.range).chain(decoded.instr.defs.iter().copied());
            for range in ranges {
                prop_assert!(range.reg < REG_COUNT && range.lo < range.hi, "{range:?}");
            }
        }
    }
}
