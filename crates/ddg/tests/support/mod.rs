//! Two engines that see one recording.

use std::ffi::OsString;
use std::path::PathBuf;

use ddg::Engine;
use ddg::finish::{About, finish};
use ddg::guide::Symbols;
use profile::Profile;
use record::{Config, Encoding};
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

/// How a program is recorded after its start-up, which is the same in all of them and longer than most.
pub fn after_startup(program: impl Into<PathBuf>) -> Config {
    Config { skip_startup: true, ..Config::new(program) }
}

/// What two engines make of one run of a program.
pub fn profiles(mut config: Config, arguments: &[&str], engines: (Engine, Engine)) -> (Profile, Profile) {
    let program = config.program.clone();
    config.encoding = Encoding::Folded;
    config.args = vec![program.into_os_string()];
    config.args.extend(arguments.iter().map(OsString::from));
    let both = Both(engines.0, engines.1);
    let (_, Both(one, other)) = record::run(&config, &mut Symbols::default(), both).expect("a recording");
    (finish(one, About::default()), finish(other, About::default()))
}
