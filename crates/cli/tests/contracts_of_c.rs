//! Functions of the C library do what their contracts say: each is called in a program that is recorded twice, by contracts and whole, and
//! what it reads and writes of the program's memory is compared, call by call.
//!
//! The library reads texts with vectors, up to [`REACH`] bytes beside what it was asked for: that much more may be read, nothing more may be written, and
//! what a contract says is written is.

use crate::contracts::symbols;
use crate::support;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::ops::Range;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use program::contracts;
use record::Config;
use support::Place;
use trace::block::{Access, Block, FunctionCode, Terminator};
use trace::expand::{Event, Expander};
use trace::sink::{Mapping, Sink, ThreadId};
use trace::stream::{Special, Touched, touched};

/// Calls of each function.
const CALLS: u64 = 24;
/// How far vectors read beside a text.
const REACH: u64 = 128;

/// How each function is called, where the types of its arguments do not say it: `i` is the number of the call; `p`, `q`, `r` are three blocks of memory
/// with texts, `w` one to write to, `in` and `out` are streams.
const CALLED: &[(&str, &str)] = &[
    ("printf", "printf(\"%d %s %5.2f %c\\n\", i, p, i * 0.5, 'a')"),
    ("__printf_chk", "__printf_chk(1, \"%*d %.*s|%g %s\\n\", 6, i, i % 4, p, i * 0.5, q)"),
    ("fprintf", "fprintf(out, \"%ld %s %s %s %d %d %s\\n\", (long)i, p, q, \"c\", i, i, r)"),
    ("__fprintf_chk", "__fprintf_chk(out, 1, \"%s%%%s\\n\", p, q)"),
    ("sprintf", "sprintf(w, \"%d %s %.3e\", i * i * i, p, i / 3.0)"),
    ("__sprintf_chk", "__sprintf_chk(w, 1, 512, \"%x %s\", i, p)"),
    ("snprintf", "snprintf(w, i + 1, \"%d %s\", i, p)"),
    (
        "__snprintf_chk",
        "__snprintf_chk(w, i + 1, 1, 512, \"%s %s %f %f %f %f %f %f %f %f %f\", p, q, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, (double)i)",
    ),
    ("scanf", "scanf(\"%d %63s %lf\", (int *)w, w + 64, (double *)(w + 128))"),
    (
        "fscanf",
        "fscanf(in, \"%d %63[a-z] %c %*d %hd%n\", (int *)w, w + 64, w + 128, (short *)(w + 192), (int *)(w + 256))",
    ),
    ("sscanf", "sscanf(numbers[i % 4], \"%d %lf %9s\", (int *)w, (double *)(w + 64), w + 128)"),
    ("fwrite", "fwrite(p, 3, i % 5, out)"),
    ("fwrite_unlocked", "fwrite_unlocked(p, 1, i % 7, out)"),
    ("fread", "fread(w, 2, i % 9, in)"),
    ("fgets", "fgets(w, i % 9 + 1, in)"),
    ("fgets_unlocked", "fgets_unlocked(w, 40, in)"),
    ("__fgets_chk", "__fgets_chk(w, 512, 30, in)"),
    ("getline", "(memset(w, 0, 99), getline((char **)w, (size_t *)(w + 64), in))"),
    ("getdelim", "(memset(w, 0, 99), getdelim((char **)w, (size_t *)(w + 64), 'a', in))"),
    ("ungetc", "(getc(in), ungetc('x', in))"),
    ("fopen", "keep = fopen(\"in.txt\", i & 1 ? \"r\" : \"rb\")"),
    ("fdopen", "keep = fdopen(open(\"in.txt\", 0), \"r\")"),
    ("tmpfile", "keep = tmpfile()"),
    ("fclose", "fclose(own[i])"),
    ("fseek", "fseek(in, i, 0)"),
    ("fseeko", "fseeko(in, i, 0)"),
    ("fgetpos", "fgetpos(in, (fpos_t *)w)"),
    ("fsetpos", "fsetpos(in, (fpos_t *)places)"),
    ("perror", "perror(p)"),
    ("fflush", "fflush(out)"),
    ("fflush_unlocked", "fflush_unlocked(out)"),
    ("time", "(time(0), time((time_t *)w))"),
    ("remove", "remove(\"no/such\")"),
    ("rename", "rename(\"no/such\", \"no/other\")"),
    ("unlink", "unlink(\"no/such\")"),
    ("mkdir", "mkdir(\"in.txt\", 0700)"),
    ("rmdir", "rmdir(\"no/such\")"),
    ("access", "access(\"in.txt\", 0)"),
    ("chdir", "chdir(\".\")"),
    ("strtol", "strtol(numbers[i % 4], (char **)w, 10)"),
    ("strtoul", "strtoul(numbers[i % 4], (char **)w, 10)"),
    ("strtod", "strtod(numbers[i % 4], (char **)w)"),
    ("strtof", "strtof(numbers[i % 4], (char **)w)"),
    ("atoi", "atoi(numbers[i % 4])"),
    ("atol", "atol(numbers[i % 4])"),
    ("atof", "atof(numbers[i % 4])"),
    ("memchr", "memchr(p, i & 1 ? 'e' : 'z', 40)"),
    ("strncpy", "strncpy(w, p, i)"),
    ("stpncpy", "stpncpy(w, p, i)"),
    ("strcat", "(w[i] = 0, strcat(w, q))"),
    ("strncat", "(w[i] = 0, strncat(w, q, i % 7))"),
    ("strcmp", "strcmp(p, same)"),
    ("strncmp", "strncmp(p, same, i)"),
    ("setlocale", "setlocale(LC_ALL, \"C\")"),
    ("clock_gettime", "clock_gettime(1, (struct timespec *)w)"),
    ("clock_getres", "clock_getres(1, (struct timespec *)w)"),
    ("getrusage", "getrusage(0, (struct rusage *)w)"),
    ("gettimeofday", "gettimeofday((struct timeval *)w, 0)"),
    ("asctime", "asctime((struct tm *)date)"),
    ("asctime_r", "asctime_r((struct tm *)date, w)"),
    ("getenv", "getenv(\"HOME\")"),
    ("setenv", "setenv(\"OWN\", p, 1)"),
    ("unsetenv", "unsetenv(\"NONE\")"),
    ("clearenv", "clearenv()"),
    ("sysconf", "sysconf(30)"),
    ("isatty", "isatty(7)"),
    ("gethostname", "gethostname(w, 100)"),
    ("memset", "memset(w, 0, i * 3)"),
    ("bzero", "bzero(w, i)"),
    ("bcopy", "bcopy(p, w, i)"),
    ("umask", "umask(022)"),
];

const HEAD: &str = "#define _GNU_SOURCE
#include <ctype.h>
#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/times.h>
#include <arpa/inet.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>
// Blocks lie far apart, so that reading beside one of them is told from reading another.
struct { char p[4096], same[4096], q[4096], r[4096], w[4096], places[4096], date[4096], states[4096], numbers[4][1024]; } arena
  __attribute__((aligned(4096)));
#define p arena.p
#define same arena.same
#define q arena.q
#define r arena.r
#define w arena.w
#define places arena.places
#define date arena.date
#define states arena.states
#define numbers arena.numbers
static FILE *in, *out, *own[1000];
void *volatile keep;
volatile double number;
";

/// A program that calls every function of the table: `k_NAME` the one of that name.
fn source() -> (String, Vec<String>) {
    let mut rows: Vec<_> = contracts::rows().filter(|row| row.is_of_c()).collect();
    rows.sort_by_key(|row| row.name());
    let (mut text, mut main, mut names) = (HEAD.to_owned(), String::new(), Vec::new());
    for row in rows {
        let (head, arguments) = row.prototype().split_once('(').unwrap();
        // Other names of a function are the same one.
        if head.rsplit(' ').next() != Some(row.name()) {
            continue;
        }
        let name = row.name();
        let mut texts = ["p", "q", "r"].into_iter();
        let mut blocks = ["p", "w", "r"].into_iter();
        let argument = |text: &str| match text.trim().split(' ').next().unwrap() {
            "text" => texts.next().unwrap().to_owned(),
            "pointer" => match text.trim() {
                "pointer to" | "pointer state" | "pointer seed" => "(void *)w".to_owned(),
                _ => format!("(void *){}", blocks.next().unwrap()),
            },
            "input" => "in".to_owned(),
            "output" => "out".to_owned(),
            _ => match text.trim() {
                "int what" => "'a' + i % 26".to_owned(),
                _ => "i % 30 + 1".to_owned(),
            },
        };
        let arguments = arguments.trim_end_matches(')');
        let arguments: Vec<String> = match arguments {
            "void" => Vec::new(),
            _ => arguments.split(", ").map(argument).collect(),
        };
        let call = CALLED.iter().find(|own| own.0 == name).map(|own| own.1.to_owned());
        let call = call.unwrap_or_else(|| format!("{name}({})", arguments.join(", ")));
        let call = match head.split(' ').next() {
            Some("void") => call,
            Some("double" | "float") => format!("number = {call}"),
            _ => format!("keep = (void *)(long)({call})"),
        };
        let declared = if name.starts_with("__") {
            format!("{} {name}();\n", if name.ends_with("gets_chk") { "char *" } else { "int" })
        } else {
            String::new()
        };
        writeln!(text, "{declared}__attribute__((noinline)) void k_{name}(int i) {{ {call}; }}").unwrap();
        writeln!(main, "  for (int i = 0; i < {CALLS}; i++) {{ fill(i); k_{name}(i); }}").unwrap();
        names.push(name.to_owned());
    }
    text.push_str("void fill(int i) {
  for (int k = 0; k < 300; k++) p[k] = same[k] = \"the quick brown fox \"[(k + i) % 20];
  p[i + 20] = 0; same[i + 10] = i & 1 ? 'Z' : same[i + 10]; same[i + 20] = 0;
  for (int k = 0; k < 300; k++) q[k] = \"abcde\"[(k + i) % 5], r[k] = \"xyz \"[(k * i) % 4];
  q[i % 9 + 1] = 0; r[i % 11 + 1] = 0;
  memset(w, i & 1 ? 'k' : 0, 400);
  w[400] = 0;
  if (i == 0) memset(w, 0, 400);
  *(struct tm *)date = (struct tm){ .tm_mday = 1 + i, .tm_year = 100 };
  for (int k = 0; k < 4; k++) snprintf(numbers[k], 900, k & 1 ? \"  %d.5 12.25e1 word%d more\" : \"-%d 3.5 x%d,y\", i * 7, i);
  if (i % 8 == 0) rewind(in);
  fgetpos(in, (fpos_t *)places);
}
");
    writeln!(
        text,
        "int main(void) {{
  if (chdir(PLACE)) return 1;
  in = fopen(\"in.txt\", \"r\"); out = fopen(\"out.txt\", \"w\");
  for (int i = 0; i < {CALLS}; i++) own[i] = fopen(\"in.txt\", \"r\");
  srand(1); 
{main}  return 0;
}}"
    )
    .unwrap();
    (text, names)
}

/// What calls of a function did, call by call: ranges read and written.
#[derive(Debug, Default, Clone)]
struct Deeds {
    read: Vec<BTreeSet<u64>>,
    written: Vec<BTreeSet<u64>>,
    /// Something of the library's own was written.
    keeps: bool,
}

/// Watches what the library does to the program's memory.
#[derive(Default)]
struct Watch {
    blocks: Vec<Block>,
    library: Vec<Range<u64>>,
    /// What it does is what contracts say.
    has_contracts: bool,
    /// The program's functions.
    symbols: BTreeMap<u64, String>,
    arena: Range<u64>,
    expander: Expander,
    now: Option<String>,
    deeds: BTreeMap<String, Deeds>,
}

impl Watch {
    fn touch(&mut self, address: u64, bytes: u64, access: Access) {
        let Some(name) = &self.now else { return };
        let is_of_library = self.is_of_library(address);
        let deeds = self.deeds.get_mut(name).unwrap();
        if self.arena.contains(&address) {
            let all = if access == Access::Read { &mut deeds.read } else { &mut deeds.written };
            let start = address - self.arena.start;
            all.last_mut().unwrap().extend(start..start + bytes);
        } else if access == Access::Write && (self.has_contracts || is_of_library) {
            deeds.keeps = true;
        }
    }

    /// Streams, hidden states, and data of the library's file, but for what the loader keeps.
    fn is_of_library(&self, address: u64) -> bool {
        address < 0x100
            || self.library.iter().any(|range| (range.end..range.end + (1 << 19)).contains(&address))
    }
}

impl Sink for Watch {
    fn mapping(&mut self, mapping: Mapping) {
        if mapping.path.as_deref().is_some_and(|path| path.to_string_lossy().contains("libc")) {
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
        let mut caller = 0;
        expander
            .expand(words, &blocks, &mut |event| match event {
                Event::Pass { block, .. } => {
                    let is_library = self.library.iter().any(|range| range.contains(&block.pc));
                    let own = self.symbols.range(..=block.pc).next_back();
                    let own = own.and_then(|own| own.1.strip_prefix("k_")).filter(|_| !is_library);
                    match own {
                        Some(name) => {
                            let calls = matches!(
                                block.terminator,
                                Terminator::Call { .. }
                                    | Terminator::IndirectCall { .. }
                                    | Terminator::IndirectJump
                            );
                            if self.now.is_none() {
                                let deeds = self.deeds.entry(name.to_owned()).or_default();
                                if caller != 1 {
                                    deeds.read.push(BTreeSet::new());
                                    deeds.written.push(BTreeSet::new());
                                }
                            }
                            self.now = None;
                            caller = 1;
                            if calls {
                                // What comes next is the function.
                                self.now = Some(name.to_owned());
                            }
                        }
                        // Not what the kernel brings.
                        None if block.pc < self.arena.end => {
                            caller = 0;
                            self.now = None;
                        }
                        None => {}
                    }
                }
                Event::Touch { block, address, bytes, access, .. } => {
                    // What the kernel brings is called by the library.
                    if block.pc >= self.arena.end {
                        self.touch(address, bytes, access);
                    }
                }
                Event::Special(Special::Effect { ranges, .. }) => {
                    for Touched { start, length, write, .. } in touched(ranges) {
                        self.touch(start, length, if write { Access::Write } else { Access::Read });
                    }
                }
                Event::Special(_) => {}
            })
            .unwrap();
        self.expander = expander;
        self.blocks = blocks;
    }
}

fn watched(place: &Place, program: &Path, has_contracts: bool) -> BTreeMap<String, Deeds> {
    let symbols = symbols(program);
    let arena = *symbols.iter().find(|own| own.1 == "arena").unwrap().0;
    let input = fs::File::open(place.path("in.txt")).unwrap();
    let config = Config {
        skip_startup: true,
        silent: true,
        contracts: has_contracts,
        input: Some(Arc::new(input.into())),
        ..Config::new(program)
    };
    let watch = Watch { symbols, arena: arena..arena + 9 * 4096, has_contracts, ..Watch::default() };
    let mut guide = ddg::guide::Symbols::new(ddg::guide::Part::Whole);
    record::run(&config, &mut guide, watch).unwrap().1.deeds
}

/// Whether a byte lies close to one of a set.
fn is_near(bytes: &BTreeSet<u64>, byte: u64) -> bool {
    bytes.range(byte.saturating_sub(REACH)..byte + REACH).next().is_some()
}

#[test]
fn each_function_of_the_c_library_does_what_its_contract_says() {
    let place = Place::new();
    let (text, names) = source();
    let file = place.path("all.c");
    fs::write(&file, text).unwrap();
    let mut input = String::new();
    for i in 0..2000 {
        writeln!(input, "{i} word {} 17 -5 abc {}", ['x', 'y'][i % 2], i * 3).unwrap();
    }
    fs::write(place.path("in.txt"), input).unwrap();
    let program = place.path("all");
    let flags = [
        "-O1",
        "-U__OPTIMIZE__",
        "-g",
        "-fno-builtin",
        "-no-pie",
        "-fno-plt",
        "-Wl,-z,now",
        "-w",
        "-fno-optimize-sibling-calls",
    ];
    let done = Command::new("gcc")
        .args(flags)
        .arg(format!("-DPLACE={:?}", place.path(".")))
        .arg("-o")
        .arg(&program)
        .arg(&file)
        .output()
        .unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let said = watched(&place, &program, true);
    let seen = watched(&place, &program, false);
    let mut wrong = Vec::new();
    for name in &names {
        let (Some(said), Some(seen)) = (said.get(name), seen.get(name)) else {
            wrong.push(format!("{name}: was not called"));
            continue;
        };
        if said.read.len() as u64 != CALLS || seen.read.len() as u64 != CALLS {
            wrong.push(format!("{name}: {} and {} calls", said.read.len(), seen.read.len()));
            continue;
        }
        if seen.keeps && !said.keeps {
            wrong.push(format!("{name}: keeps something in its library"));
        }
        let mut told = BTreeSet::new();
        for call in 0..CALLS as usize {
            let more = seen.written[call].difference(&said.written[call]).next();
            // What may be written is read, too: it may stay.
            let is_sure = |byte: &&u64| !said.read[call].contains(byte);
            let less = said.written[call].difference(&seen.written[call]).find(is_sure);
            // What it has itself written it may read.
            let is_told = |byte: u64| is_near(&said.written[call], byte) || is_near(&said.read[call], byte);
            let unread = seen.read[call].iter().find(|&&byte| !is_told(byte));
            let is_idle = |byte: u64| !is_near(&seen.read[call], byte) && !said.written[call].contains(&byte);
            let idle = said.read[call].iter().find(|&&byte| is_idle(byte));
            for (what, byte) in
                [("writes", more), ("does not write", less), ("reads", unread), ("does not read", idle)]
            {
                if let Some(byte) = byte
                    && told.insert(what)
                {
                    let (block, at) = (byte / 4096, byte % 4096);
                    wrong.push(format!("{name}, call {call}: {what} {block}+{at}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {}\n{}", wrong.len(), names.len(), wrong.join("\n"));
}

const LOOPS: &str = "#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define N 200
static double a[N]; static char s[N][16], t[N][16]; static int l[N];
static sigjmp_buf back; static volatile int caught;
static void fault(int signal) { caught++; siglongjmp(back, 1); }
int main(void) {
  FILE *f = tmpfile();
  for (int i = 0; i < N; i++) // no: order of output to a stream
    fprintf(f, \"%f\\n\", i * 0.5);
  rewind(f);
  for (int i = 0; i < N; i++) // no: position of a stream
    if (fscanf(f, \"%lf\", &a[i]) != 1) return 1;
  for (int i = 0; i < N; i++) // no: order of standard output
    printf(\"%g \", a[i]);
  for (int i = 0; i < N; i++) // no: state of `rand`
    a[i] += rand() % 3;
  for (int i = 0; i < N; i++) // yes:
    sprintf(s[i], \"%d\", i);
  for (int i = 0; i < N; i++) // yes:
    { strcpy(t[i], s[i]); strcat(t[i], \"x\"); l[i] = strlen(t[i]) + (strcmp(s[i], t[i]) < 0); }
  for (int i = 1; i < N; i++) // no: s
    memcpy(s[i], s[i - 1], 8);
  for (int i = 0; i < N; i++) // yes:
    { char *p = malloc(16 + i % 7); sprintf(p, \"%d\", i); l[i] += atoi(p); free(p); }
  signal(SIGSEGV, fault);
  for (int i = 0; i < 3; i++)
    if (!sigsetjmp(back, 1)) l[i] = strlen(i ? (char *)8 : s[3]);
  for (int i = 0; i < N; i++) a[0] += l[i];
  printf(\"%g %s %d\\n\", a[0], s[5], caught);
  return 0;
}
";

/// What orders calls of the C library is named, what does not is no obstacle, and programs do what they do natively.
#[test]
fn loops_around_the_c_library() {
    let place = Place::new();
    let file = place.path("loops.c");
    fs::write(&file, LOOPS).unwrap();
    let program = place.path("loops");
    for level in ["-O0", "-O1"] {
        let flags = [level, "-g", "-fno-builtin"];
        let done = Command::new("gcc").args(flags).arg("-o").arg(&program).arg(&file).status().unwrap();
        assert!(done.success());
        let run =
            place.loopwright().args(["profile", "-q", "--force", "-o", "p.lwp", "--"]).arg(&program).output();
        let run = run.unwrap();
        assert!(run.status.success(), "{run:?}");
        assert_eq!(run.stdout, Command::new(&program).output().unwrap().stdout);
        let report = place.loopwright().args(["report", "-q", "--format", "json", "p.lwp"]).output().unwrap();
        let report: serde_json::Value = serde_json::from_slice(&report.stdout).unwrap();
        let loops = report["loops"].as_array().unwrap();
        for (line, text) in (1..).zip(LOOPS.lines()) {
            let Some((_, truth)) = text.split_once("// ") else { continue };
            let (truth, name) = truth.split_once(':').unwrap();
            let is_here = |own: &&serde_json::Value| {
                own["line"] == line && own["file"].as_str().is_some_and(|file| file.ends_with("loops.c"))
            };
            let own = loops.iter().find(is_here).unwrap();
            assert_eq!(own["parallel"], truth, "{level} line {line}: {own}");
            assert!(own.to_string().contains(name.trim()), "{level} line {line}: {own}");
        }
    }
}

/// Compiles a program, records it with these options, and compares what is said of each loop with the comments on their lines: verdicts, and a word that
/// comes with them.
fn check_loops(place: &Place, name: &str, text: &str, flags: &[&str], options: &[&str]) {
    let file = place.path(&format!("{name}.c"));
    fs::write(&file, text).unwrap();
    let program = place.path(name);
    let done = Command::new("gcc").args(["-g", "-w"]).arg("-o").arg(&program).arg(&file).args(flags).output();
    let done = done.unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let run = place
        .loopwright()
        .args(["profile", "-q", "--force", "-o", "p.lwp"])
        .args(options)
        .arg("--")
        .arg(&program)
        .output()
        .unwrap();
    assert!(run.status.success(), "{run:?}");
    let report = place.loopwright().args(["report", "-q", "--format", "json", "p.lwp"]).output().unwrap();
    let report: serde_json::Value = serde_json::from_slice(&report.stdout).unwrap();
    let loops = report["loops"].as_array().unwrap();
    let mut wrong = Vec::new();
    for (line, text) in (1..).zip(text.lines()) {
        let Some((_, truth)) = text.split_once("// ") else { continue };
        let (truth, word) = truth.split_once(':').unwrap();
        let own = loops.iter().find(|own| {
            own["line"] == line && own["file"].as_str().is_some_and(|at| at.ends_with(&format!("{name}.c")))
        });
        let own = own.unwrap_or_else(|| panic!("line {line} has no loop"));
        if own["parallel"] != truth || !own.to_string().contains(word.trim()) {
            wrong.push(format!("{options:?} {flags:?} line {line}, {text}: {own}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

const MIDWAY: &str = "#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#define N 40
static char a[8 * N + 64], s[N][16]; static int r[N]; static FILE *f[N]; static char big[(20 << 20) + 1];
static void files(const char *text, int bytes) {
  memset(a, 'z', sizeof a);
  for (int i = 0; i < N; i++) { f[i] = tmpfile(); fwrite(text, 1, bytes, f[i]); rewind(f[i]); }
}
int main(void) {
  files(\"\\0abcdefg\\n\", 9);
  for (int i = 0; i < N; i++) // unknown: left out
    { r[i] = a[4 * i + 2]; fgets(a + 4 * i, 16, f[i]); }
  files(\"ab\\0abcdefg\", 10);
  for (int i = 0; i < N; i++) // unknown: left out
    { r[i] = a[4 * i + 4]; fgets(a + 4 * i, 16, f[i]); }
  files(\"1 \\0abcdefg 2\\n\", 13);
  for (int i = 0; i < N; i++) // unknown: left out
    { int x, y; r[i] = a[4 * i + 2]; fscanf(f[i], \"%d %15s %d\", &x, a + 4 * i, &y); }
  files(\"\\0abcdefg,\\n\", 10);
  for (int i = 0; i < N; i++) // unknown: left out
    { r[i] = a[4 * i + 2]; fscanf(f[i], \"%[^,]\", a + 4 * i); }
  files(\"abc\", 3);
  for (int i = 0; i < N; i++) // yes:
    { r[i] = a[4 * i + 2]; fgets(a + 4 * i, 16, f[i]); }
  files(\"1 abc,d\", 7);
  for (int i = 0; i < N; i++) // yes:
    { int x; r[i] = a[8 * i + 3]; fscanf(f[i], \"%d %[^,],\", &x, a + 8 * i); fscanf(f[i], \"%9s\", s[i]); }
  files(\"abcde\", 5);
  for (int i = 0; i < N; i++) // unknown: left out
    { r[i] = a[4 * i + 2]; r[i] += fread(a + 4 * i, 8, 1, f[i]); }
  files(\"abcdefgh\", 8);
  for (int i = 0; i < N; i++) // yes:
    { r[i] = a[8 * i + 2]; r[i] += fread(a + 8 * i, 4, 2, f[i]); }
  for (int i = 0; i < N; i++) // unknown: left out
    { sscanf(\"xyz\", \"%8c\", a); r[i] = a[5]; a[5]++; }
  for (int i = 0; i < N; i++) // yes:
    { r[i] = a[8 * i + 5]; sscanf(\"a:stuvwxyz\", \"a:%8c\", a + 8 * i); }
  memset(big, 'a', sizeof big - 1);
  for (int i = 0; i < 6; i++) // unknown: left out
    { r[i] = strlen(big); big[(18 << 20) - i] = 0; }
  char *end = s[0];
  for (int i = 0; i < N; i++) // unknown: left out
    { strtol(s[i], &end, i % 3 ? 37 : 10); r[i] = end - s[0]; }
  struct timespec t = {0};
  for (int i = 0; i < N; i++) // no: \"t\"
    { clock_gettime(i % 3 ? 99 : CLOCK_REALTIME, &t); r[i] = t.tv_sec != 0; t.tv_sec = i; }
  struct rusage u = {0};
  for (int i = 0; i < N; i++) // no: \"u\"
    { getrusage(i % 3 ? 99 : 0, &u); r[i] = u.ru_maxrss != 0; u.ru_maxrss = i; }
  printf(\"%d\\n\", r[3]);
  return 0;
}
";

/// Of calls that wrote less than is usual, or more than can be seen, nothing wrong is said, and of those like them that did not, as much as ever.
#[test]
fn calls_that_write_something_else() {
    check_loops(&Place::new(), "midway", MIDWAY, &["-O0", "-fno-builtin"], &[]);
}

const SCRATCH: &str = "#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define N 40
static char s[N][16], c[16] = \"abcdefghijklmno\"; static int r[N]; static long q[N];
__attribute__((noinline)) static void later(void) {
  int n = 0;
  for (int i = 0; i < N; i++) // no: \"n\"
    { r[i] = n; sprintf(s[i], \"%d%n\", i, &n); n += i; }
}
int main(void) {
  char b[64], *e; int y;
  for (int i = 0; i < N; i++) // yes:
    sprintf(s[i], \"%d\", i);
  for (int i = 0; i < N; i++) // after-privatisation: \"way\":\"private\"
    { sprintf(b, \"%d\", i); r[i] = strlen(b); }
  for (int i = 0; i < N; i++) // after-privatisation: \"way\":\"private\"
    { sscanf(s[i], \"%d\", &y); r[i] += y; }
  for (int i = 0; i < N; i++) // after-privatisation: \"way\":\"private\"
    { q[i] = strtol(s[i], &e, 10); r[i] += e - s[i]; }
  for (int i = 0; i < N; i++) // after-privatisation: \"way\":\"private\"
    { strcpy(b, s[i]); r[i] += b[0]; }
  for (int i = 0; i < N; i++) // no: \"b\"
    { if (i % 5 == 0) sprintf(b, \"%d\", i); r[i] += strlen(b); }
  for (int i = 0; i < N; i++) // no: \"c\"
    { c[0] = i + 33; r[i] += strlen(c); }
  later();
  printf(\"%d\\n\", r[3]);
  return 0;
}
";

/// What calls fill and use again in every iteration can be the iterations' own, unless they find something there.
#[test]
fn scratch_that_calls_fill() {
    check_loops(&Place::new(), "scratch", SCRATCH, &["-O0", "-fno-builtin"], &[]);
}

/// What an earlier iteration has left in `errno` is seen, whoever looks: a library of the program's, or one that asks for it by name.
#[test]
fn errno_that_others_look_at() {
    const LIBRARY: &str = "#include <errno.h>\nint left(void) { return errno; }\n";
    const PROGRAM: &str = "#include <stdio.h>
#include <stdlib.h>
#ifdef NAMED
#include <dlfcn.h>
static int *at;
static int left(void) { return *at; }
#else
int left(void);
#endif
static long q[40]; static int r[40]; static const char *s[40];
int main(void) {
#ifdef NAMED
  at = ((int *(*)(void))dlsym(RTLD_DEFAULT, \"__errno_location\"))();
#endif
  for (int i = 0; i < 40; i++)
    s[i] = i == 7 ? \"999999999999999999999999\" : \"12\";
  for (int i = 0; i < 40; i++) // no: flow
    { q[i] = strtol(s[i], 0, 10); r[i] = left(); }
  printf(\"%d\\n\", r[9]);
  return 0;
}
";
    let place = Place::new();
    fs::write(place.path("left.c"), LIBRARY).unwrap();
    let library = place.path("libleft.so");
    let mut build = Command::new("gcc");
    build.args(["-g", "-shared", "-fPIC", "-o"]).arg(&library).arg(place.path("left.c"));
    assert!(build.status().unwrap().success());
    let path = format!("-Wl,-rpath,{}", library.parent().unwrap().display());
    for options in [&[][..], &["--record-libraries"]] {
        let linked = ["-O1", library.to_str().unwrap(), &path];
        check_loops(&place, "linked", PROGRAM, &linked, options);
        check_loops(&place, "named", PROGRAM, &["-O1", "-D_GNU_SOURCE", "-DNAMED", "-ldl"], options);
    }
}

const FILES: &str = "#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#define N 20
static int f[N]; static FILE *o[N], *p[N]; static char b[N][16];
static char *name(char *to, int i) { sprintf(to, \"f%d\", i); return to; }
int main(void) {
  char n[16]; int fd;
  FILE *w = fopen(\"in\", \"w\");
  for (int i = 0; i < 100; i++) fprintf(w, \"%07d\\n\", i);
  fclose(w);
  for (int i = 0; i < N; i++) f[i] = open(\"in\", O_RDONLY);
  for (int i = 0; i < N; i++) // yes:
    read(f[i], b[i], 8);
  for (int i = 0; i < N; i++) o[i] = fopen(name(n, i), \"w\");
  for (int i = 0; i < N; i++) // yes:
    { fprintf(o[i], \"%d\\n\", i); fflush(o[i]); }
  for (int i = 1; i < N; i++) f[i] = dup(f[0]);
  for (int i = 0; i < N; i++) // no: position of descriptor
    read(f[i], b[i], 8);
  for (int i = 0; i < N; i++) o[i] = fopen(\"log\", \"a\");
  for (int i = 0; i < N; i++) // no: what a file holds
    { fprintf(o[i], \"%d\\n\", i); fflush(o[i]); }
  for (int i = 0; i < N; i++) { o[i] = fopen(name(n, i), \"w\"); p[i] = fopen(n, \"r\"); }
  fprintf(o[0], \"1\\n\"); fflush(o[0]);
  for (int i = 1; i < N; i++) // no: what a file holds
    { int x = 0; fscanf(p[i - 1], \"%d\", &x); fprintf(o[i], \"%d\\n\", 2 * x + 1); fflush(o[i]); }
  fd = open(\"at\", O_RDWR | O_CREAT, 0600);
  for (int i = 0; i < N; i++) // unknown: pwrite
    pwrite(fd, b[i], 16, i * 16);
  for (int i = 1; i < N; i++) // no: what a file holds
    { pread(fd, b[i], 16, i * 16 - 16); b[i][1] = i; pwrite(fd, b[i], 16, i * 16); }
  return 0;
}
";

/// Positions belong to what was opened, bytes to files: whoever shares them is kept in order, and nobody else.
#[test]
fn files_that_descriptors_share() {
    let place = Place::new();
    for options in [&[][..], &["--record-libraries"]] {
        check_loops(&place, "files", FILES, &["-O0"], options);
    }
}
