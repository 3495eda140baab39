//! Sections of accesses against the addresses of real runs, on the corpus of `kernels/gpu/corpus.toml`.
#![allow(clippy::unwrap_used, reason = "a failed preparation is a failed test")]

use gpumap::Compiler;
use gpumap::oracle::{Site, Verdict, check};

/// The corpus shrinks to fewer sources only by mistake.
const SOURCES: usize = 60;

/// No address lies outside of its section, and nine of ten sections are exactly what is touched.
#[test]
fn sections_hold_all_addresses_of_runs() {
    let compiler = Compiler::find().unwrap();
    let corpus = kernels::corpus().unwrap();
    assert!(corpus.len() >= SOURCES, "{}", corpus.len());
    let (mut all, mut equal, mut wrong) = (0, 0, Vec::new());
    for kernel in &corpus {
        let sites = check(&compiler, &kernel.path(), &kernel.runs);
        let sites = sites.unwrap_or_else(|error| panic!("{}: {error}", kernel.source));
        for Site { function, place, kind, section, verdict } in sites {
            if std::env::var("SHOW").is_ok() && verdict != Verdict::Equal {
                println!("{} {function} {place} {kind} | {section} | {verdict}", kernel.source);
            }
            match verdict {
                Verdict::NotRun => continue,
                Verdict::Equal => equal += 1,
                Verdict::Uncovered => {
                    wrong.push(format!("{}:{place}, {function}: {kind} {section}", kernel.source))
                }
                Verdict::Wider(_) | Verdict::Unknown(_) | Verdict::NotSeen => {}
            }
            all += 1;
        }
    }
    println!("{equal} of {all}");
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(equal * 10 >= all * 9, "{equal} of {all}");
}
