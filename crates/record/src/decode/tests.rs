//! The operation table against hand-written expectations, one assembled instruction per line of `operations.txt`.

use std::fmt::Write;
use std::process::Command;

use trace::block::{Access, Instr, REG_FLAGS, REG_MASK, REG_VECTOR, REG_X87, RegRange, Role, Turn};

use super::{Decode, Memory};

const TABLE: &str = include_str!("operations.txt");

fn range(r: RegRange) -> String {
    const GENERAL: [&str; 16] = [
        "ax", "cx", "dx", "bx", "sp", "bp", "si", "di", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15",
    ];
    let name = match r.reg {
        n if n < REG_VECTOR => GENERAL[usize::from(n)].to_owned(),
        n if n < REG_MASK => format!("v{}", n - REG_VECTOR),
        n if n < REG_FLAGS => format!("k{}", n - REG_MASK),
        REG_FLAGS => "f".to_owned(),
        n => format!("x{}", n - REG_X87),
    };
    format!("{name}[{}..{}]", r.lo, r.hi)
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

fn render(i: &Instr, memory: &[Memory]) -> String {
    let mut out = format!("{:?}", i.operation.kind);
    for (set, text) in
        [(i.operation.float, " float"), (i.operation.linear, " linear"), (i.conditional, " conditional")]
    {
        if set {
            out += text;
        }
    }
    out += " |";
    for u in &i.uses {
        let _ = write!(out, " {}{}", role(u.role), range(u.range));
    }
    for m in memory.iter().filter(|m| m.access == Access::Read) {
        let _ = write!(out, " {}m{}", role(m.role), m.size);
    }
    out += " |";
    for d in &i.defs {
        let _ = write!(out, " {}", range(*d));
    }
    for m in memory.iter().filter(|m| m.access == Access::Write) {
        let _ = write!(out, " m{}", m.size);
    }
    if i.turn != Turn::Stays {
        let _ = write!(out, " | {:?}", i.turn);
    }
    out
}

#[test]
fn every_line_of_the_table() {
    let directory = std::env::temp_dir().join(format!("loopwright-operations-{}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("a directory for the assembler");
    let (source, object, image) = (directory.join("t.s"), directory.join("t.o"), directory.join("t.bin"));
    let lines: Vec<(&str, &str)> = TABLE.lines().filter_map(|l| l.split_once("=>")).collect();
    let text: String = lines.iter().map(|(code, _)| format!("{code}\n")).collect();
    std::fs::write(&source, format!(".intel_syntax noprefix\n{text}")).expect("the assembler's input");
    let run = |program: &str, args: &[&std::ffi::OsStr]| {
        assert!(Command::new(program).args(args).status().expect(program).success(), "{program}");
    };
    run("as", &[source.as_os_str(), "-o".as_ref(), object.as_os_str()]);
    run("objcopy", &["-Obinary".as_ref(), "-j.text".as_ref(), object.as_os_str(), image.as_os_str()]);
    let bytes = std::fs::read(&image).expect("the assembler's output");
    let mut decode = Decode::new();
    let (mut at, mut wrong) = (0, String::new());
    for (code, expected) in lines {
        let d = decode.decode(&bytes[at..], at as u64);
        at += d.raw.len();
        let got = render(&d.instr, &d.memory);
        if got.trim() != expected.trim() {
            let _ = writeln!(wrong, "{} => {got}", code.trim());
        }
    }
    let _ = std::fs::remove_dir_all(&directory);
    assert!(wrong.is_empty(), "differs:\n{wrong}");
}
