//! Functions of libraries that run by their contracts: each does what its contract says, and verdicts are those of a recording.

use crate::support;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write;
use std::fs;
use std::ops::Range;
use std::path::Path;
use std::process::Command;

use program::contracts;
use record::Config;
use serde_json::Value;
use support::Place;
use trace::block::{Access, Address, Block, FunctionCode, REG_STACK, REG_VECTOR, Role, Terminator};
use trace::expand::{Event, Expander};
use trace::sink::{Contract, Mapping, Sink, ThreadId};

/// A program that calls every function of the table a hundred times: `k_NAME` the one of that name.
fn source() -> (String, BTreeMap<String, Contract>) {
    let mut rows: Vec<_> = contracts::rows()
        .filter(|row| !row.prototype().is_empty() && !row.starts_library() && !row.is_of_c())
        .collect();
    rows.sort_by_key(|row| row.name());
    let mut text = "#define _GNU_SOURCE\n#include <math.h>\n#include <complex.h>\nvolatile double kept;\ndouble outs[2];\n".to_owned();
    let mut main = String::new();
    for row in &rows {
        let name = row.name();
        let (gives, arguments) = row.prototype().split_once('(').unwrap();
        let mut values = Vec::new();
        for (k, of) in arguments.trim_end_matches(')').split(", ").enumerate() {
            values.push(match of {
                _ if of.starts_with("out ") => format!("(void *)&outs[{}]", values.len() - 1),
                "int" | "long" => format!("({of})(i % 5 + 1)"),
                _ if of.starts_with("complex") => format!("({of})(x + {k} * 0.1 + 0.3 * I)"),
                _ => format!("({of})(x + {k} * 0.25)"),
            });
        }
        values.iter_mut().for_each(|value| *value = value.replace("outs[-1]", "outs[0]"));
        let call = format!("{name}({})", values.join(", "));
        let call = match gives {
            _ if gives.starts_with("void") => call,
            _ if gives.starts_with("complex") => format!("kept = __real__ {call}"),
            _ => format!("kept = {call}"),
        };
        writeln!(text, "__attribute__((noinline)) void k_{name}(void) {{ for (int i = 0; i < 100; i++) {{ double x = i * 0.0097 + 0.01; {call}; }} }}").unwrap();
        write!(main, "k_{name}(); ").unwrap();
    }
    writeln!(text, "int main(void) {{ {main} return 0; }}").unwrap();
    let contracts = rows.iter().map(|row| (row.name().to_owned(), row.contract(&|_| None).unwrap()));
    (text, contracts.collect())
}

fn compile(place: &Place, name: &str, text: &str, flags: &[&str]) -> std::path::PathBuf {
    let file = place.path(&format!("{name}.c"));
    fs::write(&file, text).unwrap();
    let program = place.path(name);
    let done = Command::new("gcc")
        .args(flags)
        .arg("-o")
        .arg(&program)
        .arg(&file)
        .args(["-lm", "-lpthread"])
        .output()
        .unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    program
}

/// What one function was seen to do.
#[derive(Default)]
struct Deeds {
    calls: u64,
    /// Bytes of registers that it read before it had written them.
    read: BTreeSet<(u8, u8)>,
    /// Bytes that it wrote of what is the program's, in one call at most.
    written: BTreeSet<u64>,
    /// Something else that it should not have done.
    others: BTreeSet<String>,
    /// Bytes of registers that it had written whenever it returned.
    given: Option<BTreeSet<(u8, u8)>>,
}

/// Watches calls of the mathematical library.
#[derive(Default)]
struct Watch {
    blocks: Vec<Block>,
    library: Vec<Range<u64>>,
    /// The program's functions.
    symbols: BTreeMap<u64, String>,
    outs: Range<u64>,
    expander: Expander,
    /// The function under way, and what it has written to registers.
    now: Option<(String, BTreeSet<(u8, u8)>)>,
    /// Where the latest call has put the address to return to.
    stack: u64,
    /// The program's own block that ran last, perhaps at the end of the words before.
    last: u64,
    deeds: HashMap<String, Deeds>,
}

impl Watch {
    fn pass(&mut self, block: &Block) {
        if !self.library.iter().any(|range| range.contains(&block.pc)) {
            if let Some((name, written)) = self.now.take() {
                let deeds = self.deeds.entry(name).or_default();
                deeds.given = Some(match deeds.given.take() {
                    Some(given) => given.intersection(&written).copied().collect(),
                    None => written,
                });
            }
            return;
        }
        let Some((name, written)) = &mut self.now else { return };
        let deeds = self.deeds.entry(name.clone()).or_default();
        for (index, instr) in block.instrs.iter().enumerate() {
            let saves =
                block.operands.iter().any(|own| usize::from(own.instr) == index && own.saves.is_some());
            for used in instr.uses.iter().filter(|used| used.role != Role::Kept && !saves) {
                let range = used.range;
                if range.reg != REG_STACK && range.reg < REG_VECTOR + 4 {
                    let bytes = (range.lo..range.hi).map(|byte| (range.reg, byte));
                    deeds.read.extend(bytes.filter(|byte| !written.contains(byte)));
                }
            }
            for range in &instr.defs {
                written.extend((range.lo..range.hi).map(|byte| (range.reg, byte)));
            }
        }
    }

    fn touch(&mut self, block: &Block, operand: usize, address: u64, bytes: u64, access: Access) {
        if self.now.is_none() {
            if access == Access::Write
                && matches!(block.terminator, Terminator::Call { .. } | Terminator::IndirectCall { .. })
            {
                self.stack = address;
            }
            return;
        }
        let Some((name, _)) = &self.now else { return };
        let deeds = self.deeds.entry(name.clone()).or_default();
        let is_own = matches!(block.operands[operand].address, Address::Segment { .. });
        let on_stack = address <= self.stack && address > self.stack.wrapping_sub(1 << 20);
        if self.outs.contains(&address) && access == Access::Write {
            deeds.written.extend(address..address + bytes);
        } else if access == Access::Write && !is_own && !on_stack {
            deeds.others.insert(format!("writes to {address:#x}"));
        } else if access == Access::Read && self.outs.contains(&address) {
            deeds.others.insert("reads what it is to write".to_owned());
        }
    }
}

impl Sink for Watch {
    fn mapping(&mut self, mapping: Mapping) {
        if mapping.path.as_deref().is_some_and(contracts::is_file) {
            self.library.push(mapping.start..mapping.end);
        }
    }
    fn function(&mut self, _: FunctionCode) {}
    fn block(&mut self, block: Block) {
        self.blocks.push(block);
    }
    fn words(&mut self, _: ThreadId, words: &[u64]) {
        let blocks = std::mem::take(&mut self.blocks);
        let mut expander = std::mem::take(&mut self.expander);
        expander
            .expand(words, &blocks, &mut |event| match event {
                Event::Pass { block, .. } => {
                    let is_library = self.library.iter().any(|range| range.contains(&block.pc));
                    if !is_library {
                        self.last = block.pc;
                    } else if self.now.is_none() {
                        let own = self.symbols.range(..=self.last).next_back().map(|own| own.1.clone());
                        if let Some(name) = own.as_deref().and_then(|own| own.strip_prefix("k_")) {
                            self.deeds.entry(name.to_owned()).or_default().calls += 1;
                            self.now = Some((name.to_owned(), BTreeSet::new()));
                        }
                    }
                    self.pass(block);
                }
                Event::Touch { block, operand, address, bytes, access } => {
                    self.touch(block, operand, address, bytes, access);
                }
                Event::Special(_) => {}
            })
            .unwrap();
        self.expander = expander;
        self.blocks = blocks;
    }
}

/// The symbols of a program, by address.
pub fn symbols(program: &Path) -> BTreeMap<u64, String> {
    let listed = Command::new("nm").arg(program).output().unwrap();
    let text = String::from_utf8(listed.stdout).unwrap();
    let parts = text.lines().map(|line| line.split(' ').collect::<Vec<_>>());
    parts.filter_map(|p| Some((u64::from_str_radix(p[0], 16).ok()?, p.get(2)?.to_string()))).collect()
}

/// Registers read, memory written and registers given by every function of the table are what its contract says.
#[test]
fn each_function_does_what_its_contract_says() {
    let place = Place::new();
    let (text, contracts) = source();
    // Stubs of the linkage table lie before all functions: the caller is told by the block before.
    let flags = ["-O1", "-g", "-fno-builtin", "-no-pie", "-fno-plt", "-Wl,-z,now", "-w"];
    let program = compile(&place, "all", &text, &flags);
    let symbols = symbols(&program);
    let outs = *symbols.iter().find(|(_, name)| *name == "outs").unwrap().0;
    let config = Config { skip_startup: true, ..Config::new(&program) };
    let watch = Watch { symbols, outs: outs..outs + 16, ..Watch::default() };
    let mut guide = ddg::guide::Symbols::new(ddg::guide::Part::Whole);
    let (_, watch) = record::run(&config, &mut guide, watch).unwrap();
    let mut wrong = Vec::new();
    for (name, contract) in &contracts {
        let Some(deeds) = watch.deeds.get(name).filter(|deeds| deeds.calls == 100) else {
            let calls = watch.deeds.get(name).map_or(0, |deeds| deeds.calls);
            wrong.push(format!("{name}: called {calls} times"));
            continue;
        };
        // Functions copy whole registers, whose upper parts nobody has handed over.
        let read: BTreeSet<u8> = deeds.read.iter().map(|byte| byte.0).collect();
        let is_handed = |reg: u8| contract.uses.iter().any(|own| own.reg == reg);
        // None but the power of complex numbers takes a fourth number; others save such registers.
        for reg in read.into_iter().filter(|&reg| !is_handed(reg) && reg < REG_VECTOR + 3) {
            wrong.push(format!("{name}: reads register {reg}"));
        }
        for own in &contract.uses {
            if !(own.lo..own.hi).any(|byte| deeds.read.contains(&(own.reg, byte))) {
                wrong.push(format!("{name}: does not read register {}", own.reg));
            }
        }
        let bytes: usize = contract.writes.iter().map(|&(_, bytes)| usize::from(bytes)).sum();
        if deeds.written.len() != bytes {
            wrong.push(format!("{name}: writes {} bytes, not {bytes}", deeds.written.len()));
        }
        let given = deeds.given.as_ref().unwrap();
        // What it was handed it may give back as it is.
        for own in
            contract.defs.iter().filter(|own| !is_handed(own.reg) && !given.contains(&(own.reg, own.lo)))
        {
            wrong.push(format!("{name}: does not always write register {}", own.reg));
        }
        wrong.extend(deeds.others.iter().map(|what| format!("{name}: {what}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

const LOOPS: &str = "#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#define N 300
static double a[N], b[N], c[N], d[N]; static int e[N];
int main(void) {
  for (int i = 0; i < N; i++)
    a[i] = i * 0.01 + 0.5;
  for (int i = 0; i < N; i++) // yes
    b[i] = exp(-a[i]) * pow(a[i], 1.5);
  double s = 0;
  for (int i = 0; i < N; i++) // reduction
    s += log(a[i]);
  double x = 0.5;
  for (int i = 0; i < N; i++) // no
    x = cos(x) + a[i];
  for (int i = 1; i < N; i++) // no
    c[i] = sin(c[i - 1]) + 1;
  for (int i = 0; i < N; i++) // yes
    d[i] = frexp(a[i], &e[i]);
  double last = 0;
  for (int i = 0; i < N; i++) { // yes or private
    double t;
    d[i] += modf(a[i] * 3, &t);
    b[i] += t;
  }
  for (int i = 0; i < N; i++) // no
    d[i] += remquo(d[i], 0.3, &e[(i + 1) % N]) + e[i];
  double (*table[2])(double) = { tanh, sqrt };
  for (int i = 0; i < N; i++) // yes
    c[i] = table[i & 1](a[i]);
  for (int i = 0; i < N; i++)
    last += b[i] + c[i] + d[i] + e[i];
  printf(\"%.12g %.12g %.12g\\n\", s, x, last);
  return 0;
}
";

fn loops(place: &Place, program: &Path, options: &[&str]) -> Value {
    let run = place
        .loopwright()
        .args(["profile", "-q", "--force", "-o", "p.lwp"])
        .args(options)
        .arg("--")
        .arg(program)
        .output()
        .unwrap();
    assert!(run.status.success(), "{run:?}");
    let native = Command::new(program).output().unwrap();
    assert_eq!(run.stdout, native.stdout);
    let report = place.loopwright().args(["report", "-q", "--format", "json", "p.lwp"]).output().unwrap();
    serde_json::from_slice(&report.stdout).unwrap()
}

fn said(report: &Value) -> Vec<(u64, String)> {
    let mut all: Vec<(u64, String)> = report["loops"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|own| own["file"].as_str().is_some_and(|file| file.ends_with("loops.c")))
        .map(|own| (own["line"].as_u64().unwrap(), own["parallel"].as_str().unwrap().to_owned()))
        .collect();
    all.sort();
    all
}

/// Verdicts with and without contracts agree, and are right; a function that stands for itself is named and counted.
#[test]
fn verdicts_are_those_of_a_recording() {
    let place = Place::new();
    for flags in [&["-g", "-O0"][..], &["-g", "-O2", "-fno-plt"], &["-g", "-O1", "-Wl,-z,now"]] {
        let program = compile(&place, "loops", LOOPS, flags);
        let with = loops(&place, &program, &[]);
        let without = loops(&place, &program, &["--record-libraries"]);
        assert_eq!(said(&with), said(&without), "{flags:?}");
        for (line, text) in (1..).zip(LOOPS.lines()) {
            let Some((_, truth)) = text.split_once("// ") else { continue };
            let found = said(&with).into_iter().find(|own| own.0 == line).unwrap().1;
            let is_right = match truth {
                "no" => found == "no",
                "reduction" => found == "reduction",
                _ => matches!(found.as_str(), "yes" | "after-privatisation"),
            };
            assert!(is_right, "{flags:?} line {line}: {found}, truth {truth}");
        }
        let counted = |report: &Value| report["trust"]["instructions"].as_u64().unwrap();
        let (few, all) = (counted(&with), counted(&without));
        assert!(few > all / 2 && few < all * 2, "{few} {all}");
    }
}

/// What has no contract is recorded: the program's own function of that name, one that was asked for, what a table of vectors calls.
#[test]
fn what_is_the_programs_own_is_recorded() {
    let place = Place::new();
    let text = "
    static double kept;
    __attribute__((noinline)) double exp(double x) { kept += x; return kept * 0.5; }
    double a[100];
    int main(void) {
      for (int i = 0; i < 100; i++)
        a[i] = exp(i * 0.25);
      return a[3] > 1e9;
    }
    ";
    let program = compile(&place, "loops", text, &["-g", "-O1", "-fno-builtin"]);
    let report = loops(&place, &program, &[]);
    assert_eq!(said(&report), [(6, "no".to_owned())]);
}

/// Signals that arrive while such a function runs are handled as natively, in threads too.
#[test]
fn signals_and_threads() {
    let place = Place::new();
    let text = "
    #define _GNU_SOURCE
    #include <math.h>
    #include <pthread.h>
    #include <signal.h>
    #include <stdio.h>
    #include <sys/time.h>
    static volatile long ticks;
    static double sums[3];
    static void tick(int signal) { ticks++; }
    static void *work(void *at) {
      double s = 0;
      for (int i = 0; i < 60000; i++)
        s += tgamma(1 + i * 1e-4) * cexp(i * 1e-5);
      *(double *)at = s;
      return 0;
    }
    int main(void) {
      struct itimerval often = { { 0, 700 }, { 0, 700 } }, never = { { 0, 0 }, { 0, 0 } };
      signal(SIGALRM, tick);
      setitimer(ITIMER_REAL, &often, 0);
      pthread_t threads[2];
      for (int t = 0; t < 2; t++)
        pthread_create(&threads[t], 0, work, &sums[t]);
      work(&sums[2]);
      for (int t = 0; t < 2; t++)
        pthread_join(threads[t], 0);
      setitimer(ITIMER_REAL, &never, 0);
      printf(\"%.15g %.15g %.15g %d\\n\", sums[0], sums[1], sums[2], ticks > 3);
      return 0;
    }
    ";
    let text = text.replace("#include <math.h>", "#include <complex.h>\n    #include <math.h>");
    let program = compile(&place, "loops", &text, &["-g", "-O1"]);
    let with = loops(&place, &program, &[]);
    assert_eq!(said(&with), said(&loops(&place, &program, &["--record-libraries"])));
}

/// A part of a run in which such functions are called, outside of it too.
#[test]
fn parts_of_a_run() {
    let place = Place::new();
    let text = "
    #include <math.h>
    #include <stdio.h>
    double a[200], s;
    __attribute__((noinline)) double f(double x) { return sin(x) * 0.5 + sqrt(x); }
    __attribute__((noinline)) void part(void) {
      for (int i = 0; i < 200; i++)
        a[i] = f(i * 0.5);
    }
    int main(void) {
      for (int t = 0; t < 4; t++) {
        for (int i = 0; i < 50; i++)
          s += f(i + t);
        part();
      }
      printf(\"%.12g %.12g\\n\", s, a[7]);
      return 0;
    }
    ";
    let program = compile(&place, "loops", text, &["-g", "-O1", "-fno-builtin"]);
    let report = loops(&place, &program, &["--function", "part"]);
    let own = report["loops"].as_array().unwrap().iter().find(|own| own["line"] == 7).unwrap();
    assert_eq!((own["iterations"].as_u64(), own["parallel"].as_str()), (Some(800), Some("yes")));
    assert_eq!(said(&report).len(), 1, "{report}");
}

/// Regression: a loop that looks at what a function has left in `errno` hands that on, and was called parallel.
#[test]
fn what_errno_says_is_recorded() {
    let place = Place::new();
    let text = "
    #include <errno.h>
    #include <math.h>
    #include <stdio.h>
    static double a[100], b[100]; static int c[100];
    int main(void) {
      for (int i = 0; i < 100; i++) a[i] = i - 50;
      errno = 0;
      for (int i = 0; i < 100; i++) {
        b[i] = log(a[i]);
        if (errno == EDOM) c[i] = 1;
      }
      printf(\"%g %d\\n\", b[99], c[99]);
      return 0;
    }
    ";
    for level in ["-O0", "-O1"] {
        let program = compile(&place, "loops", text, &["-g", level]);
        let report = loops(&place, &program, &[]);
        assert!(said(&report).contains(&(9, "no".to_owned())), "{level} {:?}", said(&report));
    }
}

/// What starts the streams of the C++ library is start-up, wherever it is called from; constructors of the program are its own.
#[test]
fn streams_are_started_unrecorded() {
    const TEXT: &str = "#include <iostream>\nstatic int t[100];
struct T { T() { for (int i = 0; i < 100; i++) t[i] = i; std::cout << \"made\\n\"; } } made;
int main() { std::ios_base::Init again; std::cout << t[7] << \"\\n\"; }\n";
    let place = Place::new();
    let file = place.path("streams.cpp");
    fs::write(&file, TEXT).unwrap();
    let program = place.path("streams");
    for compiler in ["g++", "clang++-19"] {
        let done =
            Command::new(compiler).args(["-g", "-O1", "-o"]).arg(&program).arg(&file).status().unwrap();
        assert!(done.success(), "{compiler}");
        let of = |options: &[&str]| {
            let report = loops(&place, &program, options);
            let all = report["loops"].as_array().unwrap().clone();
            let is_of_locale = |own: &&Value| own["function"].as_str().unwrap().contains("_M_install_facet");
            let own = all.iter().find(|own| own["line"] == 3).map(|own| own["parallel"].clone());
            (report["trust"]["instructions"].as_u64().unwrap(), all.iter().filter(is_of_locale).count(), own)
        };
        let (instructions, of_library, own) = of(&[]);
        assert_eq!((of_library, own), (0, Some("yes".into())), "{compiler}");
        assert!(instructions < 60_000, "{compiler}: {instructions}");
        let (whole, of_library, _) = of(&["--record-startup"]);
        assert!(of_library > 0 && whole > instructions + 60_000, "{compiler}: {whole}");
    }
}
