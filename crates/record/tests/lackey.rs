//! Recordings agree with Valgrind's lackey, a second and independent opinion on what instructions access.

use crate::support;

use std::path::Path;
use std::process::Command;

use record::{Config, Encoding, Exit};
use support::{BARE, Checked, START, Unguided, compile};
use trace::block::Access;

/// `(is_store, address, bytes)`. Stacks lie at different places: addresses there are from the first one.
type Item = (bool, u64, u64);

/// Addresses above this one are on the stack; those of these programs lie far below.
const STACK: u64 = 0x10_0000_0000;

fn from_first(items: impl IntoIterator<Item = Item>) -> Vec<Item> {
    let mut first = None;
    let mut relative = |address: u64| match address {
        STACK.. => address.wrapping_sub(*first.get_or_insert(address)),
        _ => address,
    };
    items.into_iter().map(|(store, address, bytes)| (store, relative(address), bytes)).collect()
}

/// What lackey prints: instructions, and accesses in order.
fn lackey(program: &Path) -> (u64, Vec<Item>) {
    let output = Command::new("valgrind")
        .args(["--tool=lackey", "--trace-mem=yes", "--basic-counts=no"])
        .arg(program)
        .output()
        .unwrap_or_else(|e| panic!("valgrind: {e}: apt-get install valgrind"));
    let text = String::from_utf8(output.stderr).unwrap();
    let (mut instructions, mut items) = (0, Vec::new());
    for line in text.lines() {
        let Some((address, bytes)) = line.get(3..).and_then(|rest| rest.split_once(',')) else { continue };
        let (Ok(address), Ok(bytes)) = (u64::from_str_radix(address.trim(), 16), bytes.parse()) else {
            continue;
        };
        match line.get(..3) {
            Some("I  ") => instructions += 1,
            Some(" L ") => items.push((false, address, bytes)),
            Some(" S ") => items.push((true, address, bytes)),
            Some(" M ") => items.extend([(false, address, bytes), (true, address, bytes)]),
            _ => {}
        }
    }
    (instructions, from_first(items))
}

fn agree(name: &str, body: &str, levels: &[&[&str]]) {
    for level in levels {
        let flags: Vec<&str> = BARE.iter().chain(*level).copied().collect();
        let program = compile(&format!("{name}.c"), &format!("{START}{body}"), &flags);
        let (instructions, expected) = lackey(&program);
        assert!(expected.len() > 500, "{name} {level:?}: {} accesses", expected.len());
        for encoding in [Encoding::Addresses, Encoding::Folded] {
            let sink = Checked::with_trail();
            let config = Config { encoding, ..Config::new(&program) };
            let (outcome, got) = record::run(&config, &mut Unguided::default(), sink).unwrap();
            assert!(matches!(outcome.exit, Exit::Code(_)));
            assert_eq!(got.digest.instructions, instructions, "{name} {level:?} {encoding:?}");
            let trail = got.trail.unwrap();
            let got = from_first(trail.iter().map(|t| (t.3 == Access::Write, t.1, t.2)));
            let at = got.iter().zip(&expected).position(|(a, b)| a != b);
            let near = |items: &[Item]| {
                let from = at.unwrap_or(items.len()).saturating_sub(2);
                items.iter().skip(from).take(5).map(|i| format!("{i:x?} ")).collect::<String>()
            };
            assert!(
                got.len() == expected.len() && at.is_none(),
                "{name} {level:?} {encoding:?}: access {at:?} at {:x?}, {} and {}\n{}\n{}",
                at.map(|at| trail[at].0),
                got.len(),
                expected.len(),
                near(&got),
                near(&expected)
            );
        }
    }
}

const LEVELS: [&[&str]; 4] = [&["-O0"], &["-O1"], &["-O2"], &["-O3"]];

#[test]
fn floating_point_loops() {
    agree(
        "lackeyproduct",
        "static double a[12][12], b[12][12], c[12][12]; static float f[200], g[200];
        int work(void) {
            for (int i = 0; i < 12; i++) for (int j = 0; j < 12; j++) { a[i][j] = i + j; b[i][j] = i - j; }
            for (int i = 0; i < 12; i++) for (int k = 0; k < 12; k++) for (int j = 0; j < 12; j++) c[i][j] += a[i][k] * b[k][j];
            for (int t = 0; t < 3; t++) for (int i = 1; i < 199; i++) g[i] = 0.3f * (f[i - 1] + f[i] + f[i + 1]) + i;
            double s = g[7]; for (int i = 0; i < 12; i++) s += c[i][i];
            return (int)s & 1023;
        }",
        &LEVELS,
    );
}

#[test]
fn integers_calls_and_branches() {
    agree(
        "lackeyintegers",
        "static int a[300]; static short h[300]; static unsigned char b[300]; static long l[300]; static long *p[300];
        __attribute__((noinline)) static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
        __attribute__((noinline)) static long chase(long n) { long s = 0; for (long **q = p; n--; q = (long **)*q) s += n ^ (long)(q - p); return s; }
        typedef int (*unary)(int); static unary volatile calls[1] = { fib };
        int work(void) {
            int s = 0;
            for (int i = 299; i >= 0; i--) { a[i] = i * 5; h[i] = i; b[i] = i * 7; l[i] = -i; p[i] = (long *)&p[(i * 7 + 3) % 300]; }
            for (int i = 0; i < 300; i++) { if (b[i] & 4) a[b[i] % 300]++; else l[i] += h[i] * a[i]; s += l[i] > -9 ? a[i] : b[i]; }
            for (int i = 0; i < 10; i++) s += calls[0](i);
            return (int)(s + chase(200)) & 1023;
        }",
        &LEVELS,
    );
}
