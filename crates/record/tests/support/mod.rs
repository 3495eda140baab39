//! Compiling small programs, and comparing recordings with the oracle.
#![allow(clippy::unwrap_used, reason = "a failed preparation is a failed test")]
#![allow(dead_code, reason = "each test file uses a part")]

use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use record::{Config, Encoding, Exit, Outcome};
use trace::block::{Access, Block, FunctionCode};
use trace::expand::{Event, Expander};
use trace::sink::{Guide, Mapping, Sink, ThreadId};
use trace::stream::Special;

/// A guide that knows nothing.
#[derive(Default)]
pub struct Unguided {
    /// Functions inside which recording is on.
    pub region: Option<u64>,
    /// Functions whose arguments are wanted.
    pub arguments: Option<u64>,
}

impl Guide for Unguided {
    fn mapping(&mut self, _: &Mapping) {}
    fn is_function(&mut self, _: u64) -> bool {
        false
    }
    fn wants_arguments(&mut self, pc: u64) -> bool {
        self.arguments == Some(pc)
    }
    fn starts_recording(&mut self, pc: u64) -> bool {
        self.region == Some(pc)
    }
}

/// Ordered digest of accesses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Digest {
    pub instructions: u64,
    pub accesses: u64,
    pub hash: u64,
}

impl Digest {
    pub fn touch(&mut self, address: u64, bytes: u64, access: Access) {
        self.accesses += 1;
        let item = address ^ bytes.rotate_left(48) ^ u64::from(access == Access::Write) << 63;
        self.hash = (self.hash ^ item).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23);
    }
}

/// Everything a recording says, checked for consistency.
#[derive(Default)]
pub struct Checked {
    pub digest: Digest,
    pub blocks: Vec<Block>,
    pub functions: Vec<FunctionCode>,
    pub mappings: Vec<Mapping>,
    pub signals: u64,
    pub resumes: u64,
    pub partials: u64,
    pub folded_passes: u64,
    /// Passes through blocks that came in records of loops of several blocks.
    pub passes_along_ways: u64,
    /// Those of loops with some words of every iteration.
    pub partly: u64,
    /// Accesses as `(pc, address, bytes, access)`, kept if asked for.
    pub trail: Option<Vec<(u64, u64, u64, Access)>>,
    pub records: Vec<(u32, Vec<u64>)>,
    passes: HashMap<u64, u64>,
    entries: HashSet<u64>,
    expander: Expander,
}

impl Sink for Checked {
    fn mapping(&mut self, mapping: Mapping) {
        self.mappings.push(mapping);
        // Another function may lie there now.
        self.entries.clear();
    }
    fn function(&mut self, code: FunctionCode) {
        assert!(self.entries.insert(code.entry), "published twice: {:#x}", code.entry);
        assert!(code.blocks.windows(2).all(|w| w[0].start < w[1].start));
        self.functions.push(code);
    }
    fn block(&mut self, block: Block) {
        assert_eq!(block.id as usize, self.blocks.len());
        assert!(self.mappings.iter().any(|m| (m.start..m.end).contains(&block.pc)), "{:#x}", block.pc);
        assert!(block.operands.windows(2).all(|w| w[0].instr <= w[1].instr));
        self.blocks.push(block);
    }
    fn words(&mut self, _: ThreadId, words: &[u64]) {
        let Self { passes, digest, blocks, signals, resumes, folded_passes, trail, expander, .. } = self;
        expander
            .expand(words, blocks, &mut |event| match event {
                Event::Pass { block, instructions } => {
                    digest.instructions += instructions as u64;
                    *passes.entry(block.pc).or_default() += 1;
                    *folded_passes += u64::from(block.folded.is_some());
                }
                Event::Touch { block, operand, address, bytes, access } => {
                    digest.touch(address, bytes, access);
                    if let Some(trail) = trail {
                        let pc = block.instrs[usize::from(block.operands[operand].instr)].pc;
                        trail.push((pc, address, bytes, access));
                    }
                }
                Event::Special(Special::Signal { .. }) => *signals += 1,
                Event::Special(Special::Resume(_)) => *resumes += 1,
                Event::Special(_) => {}
            })
            .unwrap();
        let mut at = 0;
        while at < words.len() {
            if trace::stream::is_special(words[at]) {
                let (special, len) = trace::stream::special(&words[at..]).unwrap();
                self.partials += u64::from(matches!(special, Special::Partial { .. }));
                at += len;
            } else {
                let id = words[at] as u32;
                let block = &self.blocks[id as usize];
                let end = at + block.length(words[at]);
                if let Some(folded) = block.folded.as_ref().filter(|_| !block.parts.is_empty()) {
                    let (whole, rest) = folded.extent(&words[at..end]);
                    let passes = whole * block.parts.len() as u64 + rest as u64;
                    self.passes_along_ways += passes;
                    self.partly += if folded.each > 0 { passes } else { 0 };
                }
                if self.blocks[id as usize].arguments.is_some() {
                    self.records.push((id, words[at..end].to_vec()));
                }
                at = end;
            }
        }
    }
}

impl Checked {
    /// Keeps every access.
    pub fn with_trail() -> Checked {
        Checked { trail: Some(Vec::new()), ..Checked::default() }
    }

    /// Number of passes through all blocks.
    pub fn all_passes(&self) -> u64 {
        self.passes.values().sum()
    }

    /// Number of passes through the block that starts at `pc`.
    pub fn calls_to(&self, pc: u64) -> u64 {
        self.passes.get(&pc).copied().unwrap_or_default()
    }
}

/// Directory for what tests build.
pub fn directory() -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
}

/// Compiles `source` with `flags`; the compiler follows from the file name's extension.
pub fn compile(file: &str, source: &str, flags: &[&str]) -> PathBuf {
    let (stem, extension) = file.split_once('.').unwrap();
    let tag: String = flags.concat().chars().filter(|c| c.is_alphanumeric()).collect();
    let code = directory().join(format!("{stem}-{tag}.{extension}"));
    let program = directory().join(format!("{stem}-{tag}"));
    std::fs::write(&code, source).unwrap();
    let compiler = if extension == "c" { "cc" } else { "c++" };
    let status =
        Command::new(compiler).args(flags).arg(&code).arg("-o").arg(&program).arg("-lpthread").status();
    assert!(status.unwrap().success(), "{compiler} {flags:?} {}", code.display());
    program
}

/// Waits until there is something, for a limited time.
pub fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(start.elapsed() < Duration::from_secs(30), "{what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// A program of loops that are folded, calls, system calls, timers every so many microseconds, faults and jumps out of handlers, for
/// a number of rounds. `prepare` sets up more, before the last handler, that of SIGSEGV; `show` prints what depends on all of it: `left`, `faults`, `rounds`, `a`.
pub fn rounds(prepare: &str, micros: u32, show: &str) -> String {
    let head = "#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>
static double a[3000]; static int order[500]; static volatile int ticks, others; static sigjmp_buf b; static char *volatile wrong;
static void tick(int s) { ticks++; } static void other(int s) { others++; } static void fault(int s) { siglongjmp(b, 1); }
static int by(const void *x, const void *y) { return *(const int *)x - *(const int *)y; }";
    let body = "for (int r = 0; r < rounds; r++) {
        for (int i = 1; i < 3000; i++) a[i] = a[i - 1] * 0.5 + i + r;
        for (int i = 0; i < 500; i++) order[i] = (i * 7919 + r) % 1009;
        qsort(order, 500, sizeof *order, by); char c[64]; memset(c, order[7], 64); write(ends[1], c, 64); while (read(ends[0], c, 64) < 0);
        if (!sigsetjmp(b, 1)) { wrong = 0; wrong[r & 7] = 1; } else faults++;
        usleep(50); left += order[3] + c[9];
    }
    memset(&t, 0, sizeof t); setitimer(ITIMER_REAL, &t, 0);";
    format!(
        "{head}\nint main(int n, char **v) {{
    int rounds = atoi(v[1]), left = 0, faults = 0; signal(SIGALRM, tick);
    {prepare}
    signal(SIGSEGV, fault);
    struct itimerval t = {{ {{ 0, {micros} }}, {{ 0, {micros} }} }}; setitimer(ITIMER_REAL, &t, 0); int ends[2]; pipe(ends);
    {body}
    {show}
    return left & 63; }}"
    )
}

/// The start of a program without a library; its `work` says how it ends.
pub const START: &str = r#"
static long sys(long n, long a, long b, long c) {
    long r;
    __asm__ volatile("syscall" : "=a"(r) : "a"(n), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
    return r;
}
int work(void);
__attribute__((noreturn)) void _start(void) {
    __asm__ volatile("andq $-16, %rsp");
    char c = '0' + (unsigned)work() % 10;
    sys(1, 1, (long)&c, 1);
    sys(231, c & 7, 0, 0);
    __builtin_unreachable();
}
"#;

/// Flags for such a program.
pub const BARE: [&str; 6] =
    ["-nostdlib", "-static", "-ffreestanding", "-fno-stack-protector", "-fcf-protection=none", "-fno-pic"];

/// The encodings that are compared.
pub const ENCODINGS: [Encoding; 3] = [Encoding::Addresses, Encoding::Derived, Encoding::Folded];

/// Records a program with everything checked.
pub fn record(program: &Path, args: &[&str], encoding: Encoding, buffer_words: usize) -> (Outcome, Checked) {
    let mut argv: Vec<OsString> = vec![program.into()];
    argv.extend(args.iter().map(OsString::from));
    let config = Config { args: argv, encoding, buffer_words, ..Config::new(program) };
    record::run(&config, &mut Unguided::default(), Checked::default()).unwrap()
}

/// Digest of a single-step run.
pub fn oracle(program: &Path) -> (Exit, Digest) {
    let mut digest = Digest::default();
    let count =
        record::oracle::run(&Config::new(program), &mut |t| digest.touch(t.address, t.bytes, t.access))
            .unwrap();
    digest.instructions = count.instructions;
    (count.exit, digest)
}

/// Where a recording first differs from the oracle, for messages.
pub fn difference(program: &Path, encoding: Encoding) -> String {
    let mut expected = Vec::new();
    record::oracle::run(&Config::new(program), &mut |t| expected.push((t.pc, t.address, t.bytes, t.access)))
        .unwrap();
    let config = Config { encoding, ..Config::new(program) };
    let sink = Checked::with_trail();
    let (_, got) = record::run(&config, &mut Unguided::default(), sink).unwrap();
    let got = got.trail.unwrap();
    let at = expected.iter().zip(&got).position(|(a, b)| a != b).unwrap_or(expected.len().min(got.len()));
    let near = |v: &[(u64, u64, u64, Access)]| {
        v.iter().skip(at.saturating_sub(2)).take(5).map(|x| format!("{x:x?}\n")).collect::<String>()
    };
    format!(
        "access {at} of {}/{}\nexpected\n{}got\n{}",
        expected.len(),
        got.len(),
        near(&expected),
        near(&got)
    )
}

/// Checks a program without a library at one level, in every encoding and with small and large buffers, against single
/// steps; `more` looks at what was recorded.
pub fn agrees(name: &str, body: &str, level: &[&str], more: &dyn Fn(Encoding, usize, &Checked)) {
    let all: Vec<_> = ENCODINGS.into_iter().flat_map(|e| [512, 1 << 14].map(|buffer| (e, buffer))).collect();
    agrees_in(&all, name, body, level, more);
}

/// The same, recorded in these encodings with buffers of so many words.
pub fn agrees_in(
    ways: &[(Encoding, usize)],
    name: &str,
    body: &str,
    level: &[&str],
    more: &dyn Fn(Encoding, usize, &Checked),
) {
    let mut flags = BARE.to_vec();
    flags.extend_from_slice(level);
    let program = compile(&format!("{name}.c"), &format!("{START}{body}"), &flags);
    let (exit, expected) = oracle(&program);
    for &(encoding, buffer) in ways {
        let (outcome, got) = record(&program, &[], encoding, buffer);
        assert_eq!(outcome.exit, exit, "{name} {level:?} {encoding:?}");
        let differs = || difference(&program, encoding);
        assert_eq!(got.digest, expected, "{name} {level:?} {encoding:?} {buffer}: {}", differs());
        more(encoding, buffer, &got);
    }
}

/// The same; with records of whole loops, at least `share` percent of the passes through blocks come in records of loops of
/// several blocks.
pub fn agrees_along_ways(name: &str, body: &str, level: &[&str], share: u64) {
    agrees(name, body, level, &|encoding, buffer, got| {
        if encoding == Encoding::Folded {
            let (along, all) = (got.passes_along_ways, got.all_passes());
            assert!(along * 100 >= share * all, "{name} {level:?} {buffer}: {along} of {all}");
        }
    });
}

/// Program that [`recorded_process`] is to record.
const REQUEST: &str = "LOOPWRIGHT_TEST_RECORD";

/// How much translated code such a process keeps.
pub const CODE_BYTES: &str = "LOOPWRIGHT_TEST_CODE_BYTES";

/// Runs the program natively and recorded, and compares output and exit.
pub fn same(program: &Path, args: &[&str]) {
    same_under(program, args, &|_| {});
}

/// The same; `prepare` sets up the processes in which the program is started.
pub fn same_under(program: &Path, args: &[&str], prepare: &dyn Fn(&mut Command)) {
    same_in(&["addresses", "folded", "none", "survey"], program, args, prepare);
}

/// The same, recorded in these ways.
pub fn same_in(ways: &[&str], program: &Path, args: &[&str], prepare: &dyn Fn(&mut Command)) {
    use std::os::unix::process::ExitStatusExt;
    let mut command = Command::new(program);
    prepare(&mut command);
    let native = command.args(args).env_remove(REQUEST).stderr(Stdio::null()).output().unwrap();
    let expected = match native.status.code() {
        Some(code) => Exit::Code(code),
        None => Exit::Signal(native.status.signal().unwrap()),
    };
    for encoding in ways {
        let mut command = recording(program, args, encoding);
        prepare(&mut command);
        let (text, exit) = output_and_exit(&command.output().unwrap(), &format!("{program:?} {encoding}"));
        assert_eq!(text, String::from_utf8_lossy(&native.stdout), "{program:?} {encoding}");
        assert_eq!(exit, format!("{expected:?}"), "{program:?} {encoding}");
    }
}

/// A process that records a program, by way of [`recorded_process`].
pub fn recording(program: &Path, args: &[&str], encoding: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", "support::recorded_process", "--nocapture", "--test-threads=1", "--quiet"])
        .env(REQUEST, encoding)
        .env("LOOPWRIGHT_TEST_PROGRAM", program)
        .env("LOOPWRIGHT_TEST_ARGS", args.join("\n"));
    command
}

/// What the recorded program printed, and how it ended.
pub fn output_and_exit(output: &std::process::Output, what: &str) -> (String, String) {
    let text = String::from_utf8_lossy(&output.stdout);
    let failed = || format!("{what}: {text} {}", String::from_utf8_lossy(&output.stderr));
    let begin = text.find("<begin>").unwrap_or_else(|| panic!("{}", failed()));
    let end = text.find("<end ").unwrap_or_else(|| panic!("{}", failed()));
    let exit = text[end + 5..].split('>').next().unwrap();
    (text[begin + 7..end].to_owned(), exit.to_owned())
}

/// Records the program that a [`recording`] names, with small buffers; by itself it is no test.
#[test]
fn recorded_process() {
    use std::io::Write;
    let Ok(encoding) = std::env::var(REQUEST) else { return };
    let program = std::env::var_os("LOOPWRIGHT_TEST_PROGRAM").unwrap();
    let args = std::env::var("LOOPWRIGHT_TEST_ARGS").unwrap();
    let args: Vec<&str> = args.split('\n').filter(|a| !a.is_empty()).collect();
    let is_survey = encoding == "survey";
    let encoding = match encoding.as_str() {
        "addresses" => Encoding::Addresses,
        "derived" => Encoding::Derived,
        "folded" => Encoding::Folded,
        _ => Encoding::None,
    };
    print!("<begin>");
    std::io::stdout().flush().unwrap();
    let code_bytes = std::env::var(CODE_BYTES).ok().and_then(|n| n.parse().ok()).unwrap_or(usize::MAX);
    let mut argv = vec![program.clone()];
    argv.extend(args.iter().map(OsString::from));
    let config = Config { args: argv, encoding, buffer_words: 2048, code_bytes, ..Config::new(&program) };
    let outcome = if is_survey {
        record::survey(&config, &mut Unguided::default()).unwrap().0
    } else {
        record::run(&config, &mut Unguided::default(), Checked::default()).unwrap().0
    };
    print!("<end {:?}>", outcome.exit);
    std::io::stdout().flush().unwrap();
}
