//! Directives that `loopwright gpu --emit omp` writes, compiled for a device with memory of its own: what the program prints stays the
//! same, and a clause that is an element too short is noticed.
//!
//! The device is the processor itself, through LLVM's plugin for hosts: it copies what clauses name and nothing else.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::corpus;

use corpus::{Recorded, checked};

/// Elements by which a section is made shorter.
const SHORTER: u32 = 1;

/// A program, where its directives stand.
struct Sample {
    recorded: Recorded,
    /// Line and text of each directive, last lines first.
    directives: Vec<(usize, String)>,
}

impl Sample {
    /// A source of the corpus with the directives for what a run shows to be independent.
    fn new(name: &str) -> Sample {
        let recorded = Recorded::new(name);
        let directives = directives(&recorded.emitted("omp", &[]));
        Sample { recorded, directives }
    }

    /// The program with these directives, compiled for a device.
    fn compiled(&self, directives: &[(usize, String)]) -> PathBuf {
        let text = std::fs::read_to_string(&self.recorded.source).unwrap();
        let mut lines: Vec<&str> = text.lines().collect();
        for (line, directive) in directives {
            lines.insert(line - 1, directive);
        }
        let place = self.recorded.place.path();
        let (source, program) = (place.join("device.c"), place.join("device"));
        std::fs::write(&source, lines.join("\n")).unwrap();
        let mut clang = Command::new("clang-19");
        clang.args(["-O1", "-fopenmp", "-fopenmp-targets=x86_64-pc-linux-gnu", "-o"]);
        checked(clang.arg(&program).arg(&source).arg("-lm"));
        program
    }

    /// Whether each run on the device ends and prints what is expected.
    fn agrees(&self, program: &Path, expected: &[Vec<u8>]) -> bool {
        self.recorded.agrees(expected, || on_device(program))
    }
}

/// Runs a program on the device or not at all.
fn on_device(program: &Path) -> Command {
    let library = checked(Command::new("clang-19").arg("-print-file-name=libomptarget.so"));
    let library = PathBuf::from(String::from_utf8(library.stdout).unwrap().trim());
    let mut command = Command::new(program);
    command.env("LD_LIBRARY_PATH", library.parent().unwrap()).env("OMP_TARGET_OFFLOAD", "MANDATORY");
    // What freed memory holds must not look right by chance.
    command.env("OMP_NUM_THREADS", "2").env("MALLOC_PERTURB_", "165").stderr(Stdio::null());
    command
}

/// Lines and directives of what the command printed, last lines first. Those of `main` prepare data and print it.
fn directives(printed: &str) -> Vec<(usize, String)> {
    let (mut list, mut function, mut line) = (Vec::new(), "", None);
    for text in printed.lines() {
        if let Some(name) = text.strip_prefix("function ") {
            function = name;
        } else if let Some(number) = text.trim().strip_prefix("before line ") {
            line = number.trim_end_matches(':').parse::<usize>().ok();
        } else if text.starts_with("#pragma") && function != "main" {
            list.extend(line.map(|line| (line, text.to_owned())));
        } else if text.trim().starts_with("if iterations") && list.last().map(|entry| entry.0) == line {
            // The run did not show whether they depend on each other.
            list.pop();
        }
    }
    list.sort_by_key(|entry| std::cmp::Reverse(entry.0));
    list.dedup_by_key(|entry| entry.0);
    list
}

/// The directives with the sections that come out an element shorter.
fn shortened(directives: &[(usize, String)]) -> Vec<(usize, String)> {
    let shorter = |text: &String| {
        let mut out = String::new();
        let mut clauses = text.split(" map(");
        out += clauses.next().unwrap();
        for clause in clauses {
            let comes_out = clause.starts_with("from:") || clause.starts_with("tofrom:");
            let by = format!(" - {SHORTER}]");
            out = out + " map(" + &if comes_out { clause.replace(']', &by) } else { clause.to_owned() };
        }
        out
    };
    directives.iter().map(|(line, text)| (*line, shorter(text))).collect()
}

/// The directives of a sample, and what it is to print: with them, it prints that.
fn check(name: &str) -> (Sample, Vec<Vec<u8>>) {
    let sample = Sample::new(name);
    assert!(!sample.directives.is_empty(), "{name} has no directive");
    let expected = sample.recorded.expected();
    let program = sample.compiled(&sample.directives);
    assert!(sample.agrees(&program, &expected), "{name}: {:?}", sample.directives);
    (sample, expected)
}

/// Sections an element shorter change what is printed.
fn check_shorter(name: &str) {
    let (sample, expected) = check(name);
    let short = shortened(&sample.directives);
    assert_ne!(short, sample.directives, "{name}: nothing comes out");
    let program = sample.compiled(&short);
    assert!(!sample.agrees(&program, &expected), "{name}: short clauses are not noticed: {short:?}");
}

macro_rules! samples {
    ($check:path: $($name:ident)*) => {
        $(#[test]
        fn $name() {
            let _ = $check(stringify!($name));
        })*
    };
}

samples! {
    check_shorter: matmul_ijk gemm syrk colours axpy heat_3d wave complex_product rank_two triangular_product transposed_vector
    covariance scratch_row
}

// A sum alone comes out, or what is not printed.
samples! { check: dot jacobi }
