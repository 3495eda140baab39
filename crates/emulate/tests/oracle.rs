//! Records against an independent run: QEMU's own debugging server steps through the program, and every address is computed from the
//! registers that it shows. Neither the plugin nor the cutting into blocks takes part in that.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use emulate::Machine;
use trace::block::{Access, Block, FunctionCode, REG_MORE, REG_STACK};
use trace::expand::{Event, Expander};
use trace::sink::{Guide, Mapping, Sink, ThreadId};

/// Loops with one and two registers per access, bases that move, indices, calls that save registers, and a division by what
/// was loaded; no libraries.
const PROGRAM: &str = r#"
static double a[6][6], b[6][6], c[6][6];
static int index[16];
static long table[16];
__attribute__((noinline)) static long sum(long *from, int n) {
    long s = 0;
    for (int i = 0; i < n; i++) s += from[index[i]];
    return s;
}
__attribute__((noinline)) static long work(int n) {
    long s = 0;
    for (int i = 0; i < 16; i++) { index[i] = i * 5 % 16; table[i] = i; }
    for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) { a[i][j] = i + j; b[i][j] = i - j; }
    for (int i = 0; i < n; i++) for (int k = 0; k < n; k++) for (int j = 0; j < n; j++) c[i][j] += a[i][k] * b[k][j];
    for (int i = 0; i < 3; i++) s += sum(table, 4 * i) / (table[i + 1] + 1);
    for (long *at = table + 15; at > table; at--) at[-1] ^= at[0];
    return s + (long)c[3][2] + table[0];
}
void _start(void) {
    register long code __asm__(CODE) = work(4) & 127;
    register long number __asm__(NUMBER) = 93;
    __asm__ volatile(CALL : : "r"(code), "r"(number) : "memory");
    __builtin_unreachable();
}
"#;

type Touch = (u64, u64, u64, Access);

fn compile(machine: Machine, directory: &Path, level: &str) -> PathBuf {
    let (compiler, code, number, call) = match machine {
        Machine::Aarch64 => ("aarch64-linux-gnu-gcc", "x0", "x8", "svc 0"),
        Machine::Riscv64 => ("riscv64-linux-gnu-gcc", "a0", "a7", "ecall"),
    };
    let (source, program) = (directory.join("p.c"), directory.join(format!("p{level}")));
    std::fs::write(&source, PROGRAM).unwrap();
    let output = Command::new(compiler)
        .args([
            level,
            "-g",
            "-nostdlib",
            "-static",
            "-ffreestanding",
            "-fno-stack-protector",
            "-Wl,--no-relax",
            "-o",
        ])
        .arg(&program)
        .arg(&source)
        .args([format!("-DCODE=\"{code}\""), format!("-DNUMBER=\"{number}\""), format!("-DCALL=\"{call}\"")])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    program
}

/// Keeps all accesses and the number of instructions.
#[derive(Default)]
struct Kept {
    blocks: Vec<Block>,
    expander: Expander,
    touches: Vec<Touch>,
    instructions: u64,
}

impl Sink for Kept {
    fn mapping(&mut self, _: Mapping) {}
    fn function(&mut self, _: FunctionCode) {}
    fn block(&mut self, block: Block) {
        assert_eq!(block.id as usize, self.blocks.len());
        self.blocks.push(block);
    }
    fn words(&mut self, _: ThreadId, words: &[u64]) {
        let (touches, count) = (&mut self.touches, &mut self.instructions);
        let mut visit = |event: Event<'_>| match event {
            Event::Pass { block, instructions } => *count += block.count_to(instructions),
            Event::Touch { block, operand, address, bytes, access } => {
                let instr = &block.instrs[usize::from(block.operands[operand].instr)];
                touches.push((instr.pc, address, bytes, access));
            }
            Event::Special(_) => {}
        };
        self.expander.expand(words, &self.blocks, &mut visit).unwrap();
    }
}

struct Nobody;

impl Guide for Nobody {
    fn mapping(&mut self, _: &Mapping) {}
    fn is_function(&mut self, _: u64) -> bool {
        false
    }
    fn wants_arguments(&mut self, _: u64) -> bool {
        false
    }
    fn starts_recording(&mut self, _: u64) -> bool {
        false
    }
}

/// A connection to QEMU's debugging server.
struct Debugger {
    child: Child,
    stream: UnixStream,
}

impl Debugger {
    fn start(machine: Machine, program: &Path, directory: &Path) -> Debugger {
        let socket = directory.join("debug");
        let _ = std::fs::remove_file(&socket);
        let child = Command::new(machine.emulator())
            .arg("-g")
            .arg(&socket)
            .arg(program)
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let end = Instant::now() + Duration::from_secs(20);
        let stream = loop {
            match UnixStream::connect(&socket) {
                Ok(stream) => break stream,
                Err(error) if Instant::now() > end => panic!("no debugging server: {error}"),
                Err(_) => std::thread::sleep(Duration::from_millis(20)),
            }
        };
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        Debugger { child, stream }
    }

    fn byte(&mut self) -> u8 {
        let mut byte = [0];
        self.stream.read_exact(&mut byte).unwrap();
        byte[0]
    }

    fn ask(&mut self, text: &str) -> String {
        let sum = text.bytes().fold(0u8, u8::wrapping_add);
        self.stream.write_all(format!("+${text}#{sum:02x}").as_bytes()).unwrap();
        while self.byte() != b'$' {}
        let mut answer = String::new();
        loop {
            match self.byte() {
                b'#' => break,
                byte => answer.push(byte as char),
            }
        }
        let _ = (self.byte(), self.byte());
        answer
    }

    /// The first 33 registers of 64 bits.
    fn registers(&mut self) -> Vec<u64> {
        let text = self.ask("g");
        let word = |at: usize| u64::from_str_radix(&text[16 * at..16 * (at + 1)], 16).unwrap().swap_bytes();
        (0..33).map(word).collect()
    }

    fn memory(&mut self, at: u64, len: usize) -> Vec<u8> {
        let text = self.ask(&format!("m{at:x},{len:x}"));
        (0..text.len() / 2).map(|k| u8::from_str_radix(&text[2 * k..2 * k + 2], 16).unwrap()).collect()
    }
}

/// The address of an access with an index register, which only ARM has.
fn indexed(word: u32, registers: &[u64]) -> u64 {
    let register = |n: u32| if n == 31 { 0 } else { registers[n as usize] };
    let base = registers[(word >> 5 & 31) as usize];
    let index = register(word >> 16 & 31);
    let index = match word >> 13 & 7 {
        2 => index & 0xffff_ffff,
        6 => index as u32 as i32 as u64,
        _ => index,
    };
    let scale = if word >> 26 & 1 == 1 && word >> 23 & 1 == 1 { 4 } else { word >> 30 };
    base.wrapping_add(index << if word >> 12 & 1 == 1 { scale } else { 0 })
}

/// Steps through a program: its accesses, and the number of its instructions.
fn step_through(machine: Machine, program: &Path, directory: &Path) -> (Vec<Touch>, u64, i32) {
    let mut debugger = Debugger::start(machine, program, directory);
    let (mut touches, mut count) = (Vec::new(), 0);
    let mut code: HashMap<u64, Vec<u8>> = HashMap::new();
    loop {
        let registers = debugger.registers();
        let pc = registers[32];
        let bytes = code.entry(pc).or_insert_with(|| debugger.memory(pc, 4)).clone();
        let decoded = machine.decode(&bytes, pc);
        if let Some(memory) = decoded.memory {
            let address = match memory.base {
                Some((base, offset)) => {
                    let stack = if machine == Machine::Aarch64 { 31 } else { 2 };
                    let at = match base {
                        REG_STACK => stack,
                        n => {
                            let at = if n < 16 { usize::from(n) } else { usize::from(n - REG_MORE) + 16 };
                            if at == stack { 4 } else { at }
                        }
                    };
                    registers[at].wrapping_add_signed(offset)
                }
                None => indexed(u32::from_le_bytes(bytes.try_into().unwrap()), &registers),
            };
            for k in 0..u64::from(memory.count) {
                let bytes = u64::from(memory.element);
                let access = if memory.write { Access::Write } else { Access::Read };
                touches.push((pc, address + k * bytes, bytes, access));
            }
        }
        count += 1;
        let answer = debugger.ask("s");
        if let Some(code) = answer.strip_prefix('W') {
            // It waits for an answer, which nobody needs.
            let _ = debugger.child.kill();
            debugger.child.wait().unwrap();
            return (touches, count, i32::from_str_radix(&code[..2], 16).unwrap());
        }
        assert!(answer.starts_with("T05") || answer.starts_with("S05"), "stopped by {answer} at {pc:#x}");
    }
}

fn check(machine: Machine) {
    let directory = tempfile::tempdir().unwrap();
    for level in ["-O0", "-O1", "-O2", "-O3"] {
        let program = compile(machine, directory.path(), level);
        let config = record::Config::new(&program);
        let (outcome, kept) = emulate::run(machine, &config, &mut Nobody, Kept::default()).unwrap();
        let (touches, count, code) = step_through(machine, &program, directory.path());
        assert_eq!(outcome.exit, record::Exit::Code(code), "{level}");
        assert!(outcome.untracked.is_empty(), "{:?}", outcome.untracked);
        let first = touches.iter().zip(&kept.touches).position(|(a, b)| a != b);
        if let Some(at) = first {
            panic!("{level}: access {at} is {:x?}, recorded {:x?}", touches[at], kept.touches[at]);
        }
        assert_eq!((touches.len(), count), (kept.touches.len(), kept.instructions), "{level}");
        assert!(count > 100 && touches.len() > 50, "{level}: {count} instructions");
    }
}

#[test]
fn aarch64() {
    check(Machine::Aarch64);
}

#[test]
fn riscv64() {
    check(Machine::Riscv64);
}
