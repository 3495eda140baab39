//! Recording of the program's own code alone: what is recorded at its border is the same whether the recorder sees a passage or
//! the program passes without a stop.

use crate::support;

use std::collections::HashMap;
use std::path::Path;
use std::process::Command;

use record::{Config, Encoding, Scope};
use support::{BARE, START, compile};
use trace::block::{Block, FunctionCode};
use trace::sink::{Guide, Mapping, Owner, Sink, ThreadId};
use trace::stream::{Outside, Special};

/// Code between two symbols is a library.
struct Border {
    functions: Vec<u64>,
    library: std::ops::Range<u64>,
}

impl Guide for Border {
    fn mapping(&mut self, _: &Mapping) {}
    fn is_function(&mut self, pc: u64) -> bool {
        self.functions.contains(&pc)
    }
    fn wants_arguments(&mut self, _: u64) -> bool {
        false
    }
    fn starts_recording(&mut self, _: u64) -> bool {
        false
    }
    fn owner(&mut self, pc: u64) -> Owner {
        if self.library.contains(&pc) { Owner::Library } else { Owner::Program }
    }
}

/// What was said of library calls, and how often each block of the program ran.
#[derive(Default)]
struct Seen {
    blocks: Vec<Block>,
    passes: HashMap<u64, u64>,
    outside: Vec<Outside>,
    resumes: u64,
}

impl Sink for Seen {
    fn mapping(&mut self, _: Mapping) {}
    fn function(&mut self, _: FunctionCode) {}
    fn block(&mut self, block: Block) {
        self.blocks.push(block);
    }
    fn words(&mut self, _: ThreadId, words: &[u64]) {
        let mut at = 0;
        while at < words.len() {
            if trace::stream::is_special(words[at]) {
                let (special, length) = trace::stream::special(&words[at..]).unwrap();
                match special {
                    Special::Outside(outside) => self.outside.push(outside),
                    Special::Resume(_) => self.resumes += 1,
                    _ => {}
                }
                at += length;
            } else {
                let block = &self.blocks[words[at] as u32 as usize];
                *self.passes.entry(block.pc).or_default() += 1;
                at += block.length(words[at]);
            }
        }
    }
}

fn symbols(program: &Path) -> HashMap<String, u64> {
    let listed = Command::new("nm").arg(program).output().unwrap();
    let text = String::from_utf8(listed.stdout).unwrap();
    let parts = text.lines().map(|line| line.split(' ').collect::<Vec<_>>());
    parts.filter_map(|p| Some((p.get(2)?.to_string(), u64::from_str_radix(p[0], 16).ok()?))).collect()
}

/// Records the program's own code, where everything in the section `library` is none of it.
fn recorded(name: &str, body: &str, words: usize) -> (record::Outcome, Seen, HashMap<String, u64>) {
    let mut flags = BARE.to_vec();
    flags.push("-O1");
    let program = compile(&format!("{name}.c"), &format!("{START}{body}"), &flags);
    let symbols = symbols(&program);
    let library = symbols["__start_library"]..symbols["__stop_library"];
    let mut guide = Border { functions: symbols.values().copied().collect(), library };
    let config = Config {
        scope: Scope::Main,
        encoding: Encoding::Derived,
        buffer_words: words,
        ..Config::new(&program)
    };
    let (outcome, seen) = record::run(&config, &mut guide, Seen::default()).unwrap();
    assert_eq!(outcome.exit, record::native(&config).unwrap().exit, "{name} {words}");
    (outcome, seen, symbols)
}

const LIBRARY: &str = "
    extern char __start_library[], __stop_library[];
    __attribute__((used)) static char *bounds[2] = { __start_library, __stop_library };
    #define OUT __attribute__((section(\"library\"), noipa, used))
    OUT long twice(long a, long b) { return 2 * a + b; }
    OUT long less(long a, long b) { return a - b; }
    static long (*volatile call)(long, long);
    static volatile long kept[64];
    ";

#[test]
fn calls_pass_without_a_stop() {
    let body = format!(
        "{LIBRARY}
        int work(void) {{
            long s = 0;
            for (long i = 0; i < 4000; i++) {{ call = i % 3 ? twice : less; s += call(i, s & 15); kept[i & 63] = s; }}
            return s & 127;
        }}"
    );
    for words in [512, 1 << 14] {
        let (outcome, seen, symbols) = recorded("border", &body, words);
        let mut sum = 0u64;
        let expected = (0..4000u64).map(|i| {
            let (name, arguments) = (if i % 3 > 0 { "twice" } else { "less" }, [i, sum & 15]);
            let result = if i % 3 > 0 { 2 * i + arguments[1] } else { i.wrapping_sub(arguments[1]) };
            sum = sum.wrapping_add(result);
            (symbols[name], arguments, result)
        });
        let outside = &seen.outside[seen.outside.len() - 4000..];
        let got = outside.iter().map(|o| (o.target, o.arguments, o.result));
        assert!(got.eq(expected), "{words}");
        assert!(outside.iter().all(|o| !o.entered && o.stack == outside[0].stack));
        // Beside the stops for buffers that are full.
        let full = outcome.words / words as u64;
        assert!(outcome.stops < 200 + 2 * full, "{words}: {} of {full}", outcome.stops);
        let calls: u64 = outcome.untracked.iter().map(|u| u.count).sum();
        assert_eq!(calls, 4000, "{:?}", outcome.untracked);
    }
}

/// Signals on either side of the border, at every instruction sooner or later.
#[test]
fn signals_while_passing() {
    let body = format!(
        "{LIBRARY}
        typedef void (*handler)(int); struct action {{ handler h; unsigned long flags; void (*restore)(void); unsigned long mask; }};
        __asm__(\"restore: movl $15, %eax; syscall\"); void restore(void);
        static volatile long hits; static void caught(int s) {{ hits++; }}
        struct timer {{ long a, b, c, d; }};
        int work(void) {{
            struct action x = {{ caught, 0x04000000, restore, 0 }};
            register long r10 __asm__(\"r10\") = 8; long r;
            __asm__ volatile(\"syscall\" : \"=a\"(r) : \"a\"(13), \"D\"(14), \"S\"(&x), \"d\"(0), \"r\"(r10) : \"rcx\", \"r11\", \"memory\");
            struct timer t = {{ 0, 300, 0, 300 }};
            sys(38, 0, (long)&t, 0);
            long s = 0, n = 0;
            for (long i = 0; hits < 150; i++) {{ call = i & 1 ? twice : less; s = call(i, 5); n += s == (i & 1 ? 2 * i + 5 : i - 5) ? 0 : 1; }}
            struct timer none = {{ 0, 0, 0, 0 }};
            sys(38, 0, (long)&none, 0);
            return n;
        }}"
    );
    for words in [512, 1 << 14] {
        let (_, seen, symbols) = recorded("bordersignals", &body, words);
        let calls = |o: &&Outside| o.target == symbols["twice"] || o.target == symbols["less"];
        let (mut twice, mut less) = (-1, -2);
        // Calls in turn, one argument after the other; a signal in the library comes back by way of the handler.
        for o in seen.outside.iter().filter(calls).filter(|o| !o.entered) {
            let next = if o.target == symbols["twice"] { &mut twice } else { &mut less };
            let i = o.arguments[0] as i64;
            assert!(i == *next || i == *next + 2, "{words}: {o:x?} after {next}");
            *next = i;
        }
        assert!(twice > 100 && less > 100);
        assert!(seen.resumes > 0);
    }
}
