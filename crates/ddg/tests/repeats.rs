//! Iterations that are counted because they repeat the one before give the profile that applying them gives.
#![allow(clippy::unwrap_used, reason = "a failed preparation is a failed test")]

use ddg::Engine;
use ddg::finish::{About, finish};
use ddg::guide::Symbols;
use kernels::Level;
use profile::{Kind, Profile};
use record::Config;
use trace::block::{Block, FunctionCode};
use trace::sink::{Mapping, Sink, ThreadId};

/// Hands one recording to two engines.
struct Both(Engine, Engine);

impl Sink for Both {
    fn mapping(&mut self, mapping: Mapping) {
        self.0.mapping(mapping.clone());
        self.1.mapping(mapping);
    }
    fn function(&mut self, code: FunctionCode) {
        self.0.function(code.clone());
        self.1.function(code);
    }
    fn block(&mut self, block: Block) {
        self.0.block(block.clone());
        self.1.block(block);
    }
    fn words(&mut self, thread: ThreadId, words: &[u64]) {
        self.0.words(thread, words);
        self.1.words(thread, words);
    }
}

fn record(name: &str, level: Level, arguments: &[&str]) -> (Profile, Profile) {
    let table = kernels::load().unwrap();
    let kernel = table.iter().find(|k| k.name() == name).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let program = kernels::compile(kernel, level, directory.path()).unwrap();
    let mut config = Config::new(&program.path);
    config.args = vec![program.path.clone().into_os_string()];
    config.args.extend(arguments.iter().map(Into::into));
    let both = Both(Engine::default(), Engine::applying_all());
    let (_, Both(counting, applying)) = record::run(&config, &mut Symbols::default(), both).unwrap();
    (finish(counting, About::default()), finish(applying, About::default()))
}

fn check(name: &str, arguments: &[&str]) {
    for level in Level::ALL {
        let (mut counted, mut applied) = record(name, level, arguments);
        // How many instances of an anti dependence are told apart depends on how the memory keeps its readers.
        for profile in [&mut counted, &mut applied] {
            profile.trust.dependences = 0;
            for anti in profile.dependences.iter_mut().filter(|d| d.kind == Kind::Anti) {
                anti.count = 0;
                anti.levels.iter_mut().for_each(|level| level.count = 0);
            }
        }
        assert_eq!(counted.trust, applied.trust, "{name} {level}");
        assert_eq!(counted.contexts, applied.contexts, "{name} {level}");
        assert_eq!(counted.blocks, applied.blocks, "{name} {level}");
        for (a, b) in counted.dependences.iter().zip(&applied.dependences) {
            assert_eq!(a, b, "{name} {level}");
        }
        assert!(counted == applied, "{name} {level}");
    }
}

#[test]
fn jacobi() {
    check("jacobi", &["30", "20"]);
}

#[test]
fn sweeps() {
    check("sweeps", &["40", "150"]);
}

#[test]
fn perceptron() {
    check("perceptron", &["9"]);
}

#[test]
fn spmv() {
    check("spmv", &["40", "12"]);
}

#[test]
fn needle() {
    check("needle", &["20", "9"]);
}
