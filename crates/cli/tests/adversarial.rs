//! Loops that are hard to judge, with their truth in the source (`kernels/adversarial`): none that carries may be called parallel.
//!
//! Each program at -O0 or at -O2 by turns, and everything at all four levels with `LOOPWRIGHT_THOROUGH`; `cargo xtask truth` takes all of
//! them and also says what is missed.
//! `kernels/adversarial/known.txt` lists wrong answers that are known.
#![allow(clippy::unwrap_used, reason = "a failed preparation is a failed test")]

use std::fmt::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use kernels::{Adversarial, Family, Judgement, Optimised, SaidLoop, SaidReport, judge};

const LOOPWRIGHT: &str = env!("CARGO_BIN_EXE_loopwright");

macro_rules! programs {
    ($($name:ident)*) => {
        const ALL: &[&str] = &[$(stringify!($name)),*];
        $(#[test]
        fn $name() {
            check(stringify!($name));
        })*
    };
}

programs! {
    accessors accumulators advanced afterwards algorithms aliases applications arrays asynchronous beside beside_calls captures carried_values classes clauses conditions
    constructors containers control counters cut cut_threads directives effects everyday exchanged exchanges exits
    extremes false_reductions flags fresh fresh_classes headers included inclusions iterators kept_addresses
    long_double macros made memory mixed modules names not_reductions numerics objects other_names overwritten ownership
    pieces plain_forms pointed positions recursions reduction_forms reductions references rounded selects several spelling state
    storage streams taken_out templates text textbook threads thrown guards guarded held together grids hidden last_iterations updaters mistaken reused truth_values handed_over narrow_extremes
    written_out fluid by_reference lent arms builds raw assigned defined members handed
}

/// Every program is tested, and has a name of its own.
#[test]
fn none_is_forgotten() {
    let programs = kernels::adversarial().unwrap();
    let mut names: Vec<&str> = programs.iter().map(Adversarial::name).collect();
    let mut tested = ALL.to_vec();
    names.sort_unstable();
    tested.sort_unstable();
    assert_eq!(names, tested);
    let loops: usize = programs.iter().map(|p| p.loops.len()).sum();
    assert!(loops >= 150, "{loops} loops");
}

/// Random loops, whose truth is found by running them; `cargo xtask truth --random` takes any number of them.
#[test]
fn random_loops() {
    let directory = tempfile::tempdir().unwrap();
    for (seed, level) in (1..).zip(Optimised::ALL) {
        let path = directory.path().join(format!("random_{seed}.c"));
        std::fs::write(&path, kernels::random_program(seed)).unwrap();
        check_at(&Adversarial::read(path).unwrap(), &[level]);
    }
}

fn check(name: &str) {
    let programs = kernels::adversarial().unwrap();
    let program = programs.iter().find(|p| p.name() == name).unwrap();
    let is_even = ALL.iter().position(|&other| other == name).unwrap().is_multiple_of(2);
    let levels: &[Optimised] = match is_even {
        _ if kernels::is_thorough() => &Optimised::ALL,
        true => &[Optimised::O0],
        false => &[Optimised::O2],
    };
    check_at(program, levels);
}

fn check_at(program: &Adversarial, levels: &[Optimised]) {
    let known = kernels::known().unwrap();
    let directory = tempfile::Builder::new().prefix(program.name()).tempdir().unwrap();
    let mut wrong = String::new();
    for &level in levels {
        let report = report(program, level, directory.path());
        for truth in &program.loops {
            let (judgement, said) =
                judge(truth.at(level), level, (&program.source, truth.line), &report.loops);
            if let Some(clause) = said.and_then(|said| truth.lacks(said)) {
                let said = said.map_or_else(String::new, SaidLoop::words);
                let at = format!("{}:{} {} at {level}", program.source, truth.line, truth.function);
                writeln!(wrong, "{at}: a directive without `{clause}`: {said}").unwrap();
            }
            if judgement == Judgement::WrongYes && !known.contains(&(program.key(truth), level)) {
                let said = said.map_or_else(String::new, SaidLoop::words);
                let at = format!("{}:{} {} at {level}", program.source, truth.line, truth.function);
                writeln!(wrong, "{at}: truth {}; said: {said}", truth.written).unwrap();
            }
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

fn report(program: &Adversarial, level: Optimised, directory: &Path) -> SaidReport {
    let executable =
        program.compile(Family::Machine, level, directory).unwrap_or_else(|error| panic!("{error}"));
    let native = Command::new(&executable).args(&program.run).stdin(Stdio::null()).output().unwrap();
    let profile = directory.join(format!("{level:?}.lwp"));
    let recorded = Command::new(LOOPWRIGHT)
        .args(["profile", "--quiet"])
        .args(&program.profile)
        .arg("-o")
        .arg(&profile)
        .arg("--")
        .arg(&executable)
        .args(&program.run)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert_eq!(recorded.status, native.status, "{}", String::from_utf8_lossy(&recorded.stderr));
    let report =
        Command::new(LOOPWRIGHT).args(["report", "--format", "json"]).arg(&profile).output().unwrap();
    serde_json::from_slice(&report.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&report.stderr)))
}
