//! Runs an instrumented module, and reads what its runtime noted.

use std::path::Path;
use std::process::Command;

use source::program;

use super::Failure;

/// The runtime, in C.
const RUNTIME: &str = include_str!("runtime.c");
/// The compiler's own callbacks.
const COVERAGE: &str = "-fsanitize-coverage=func,trace-pc,trace-loads,trace-stores";
/// Where the runtime writes.
const LOG: &str = "LOOPWRIGHT_ORACLE_LOG";

/// A value that a function noted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Noted {
    /// Its bits.
    pub bits: u64,
    /// Whether it had other bits before in the same invocation.
    pub changed: bool,
}

/// An access in one invocation of its function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seen {
    /// How often the call before it was made.
    pub announced: u64,
    /// How often the compiler's callback was.
    pub seen: u64,
    /// Bytes that it touches.
    pub bytes: u64,
    /// Whether it writes.
    pub is_store: bool,
    /// The least address at which it starts, relative to the base of its section.
    pub least: i64,
    /// The greatest one.
    pub most: i64,
}

/// One invocation of a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invocation {
    /// The function's number.
    pub function: usize,
    /// Its own number, from 1.
    pub number: u64,
    /// The number of the invocation that called it; 0 for none.
    pub parent: u64,
    /// The line of the call; 0 if it is not one of the text.
    pub via: u64,
    /// Its values; `None` for those that it did not come to.
    pub values: Vec<Option<Noted>>,
    /// Its accesses.
    pub sites: Vec<Seen>,
}

/// What a run noted.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Log {
    /// Addresses of symbols by their number.
    pub globals: Vec<(u64, u64)>,
    /// Invocations in the order in which they ended.
    pub invocations: Vec<Invocation>,
}

/// An instrumented program.
#[derive(Debug)]
pub struct Program {
    directory: tempfile::TempDir,
}

impl Program {
    /// Compiles an instrumented text without optimisation, with the compiler's callbacks, and links it with the runtime.
    ///
    /// # Errors
    /// See [`Failure`].
    pub fn build(clang: &Path, text: &str) -> Result<Program, Failure> {
        let directory = tempfile::tempdir()?;
        let file = |name: &str| directory.path().join(name);
        std::fs::write(file("module.ll"), text)?;
        std::fs::write(file("runtime.c"), RUNTIME)?;
        let command = |args: &[&str]| {
            let mut command = Command::new(clang);
            output(command.args(["-w"]).args(args).current_dir(directory.path())).map(drop)
        };
        command(&["-O0", COVERAGE, "-c", "module.ll", "-o", "module.o"])?;
        command(&["-O1", "runtime.c", "module.o", "-o", "program", "-lm"])?;
        Ok(Program { directory })
    }

    /// Runs it with these arguments.
    ///
    /// # Errors
    /// See [`Failure`]. A program that ends with a failure is one.
    pub fn run(&self, arguments: &[String]) -> Result<Log, Failure> {
        let log = self.directory.path().join("log");
        output(Command::new(self.directory.path().join("program")).args(arguments).env(LOG, &log))?;
        let bytes = std::fs::read(log)?;
        let mut words =
            bytes.chunks_exact(8).map(|word| word.iter().rev().fold(0, |sum, &b| sum << 8 | u64::from(b)));
        read(&mut words).ok_or(Failure::Log)
    }
}

fn output(command: &mut Command) -> Result<Vec<u8>, Failure> {
    let name = command.get_program().to_string_lossy().into_owned();
    program::output(command).map_err(|failure| match failure {
        program::Failure::Start(error) => Failure::File(error),
        program::Failure::Said(said) => Failure::Ended { program: name, said },
    })
}

/// Reads a log up to its end; `None` if it has none, or an access was not announced.
fn read(words: &mut impl Iterator<Item = u64>) -> Option<Log> {
    let mut log = Log::default();
    loop {
        match words.next()? {
            1 => log.globals.push((words.next()?, words.next()?)),
            2 => log.invocations.push(invocation(words)?),
            3 => return (words.next()? == 0).then_some(log),
            _ => return None,
        }
    }
}

fn invocation(words: &mut impl Iterator<Item = u64>) -> Option<Invocation> {
    let function = usize::try_from(words.next()?).ok()?;
    let (number, parent, via) = (words.next()?, words.next()?, words.next()?);
    let (values, sites) = (words.next()?, words.next()?);
    let mut next = || words.next();
    let values = (0..values).map(|_| {
        let (known, bits, changed) = (next()?, next()?, next()? != 0);
        Some((known != 0).then_some(Noted { bits, changed }))
    });
    let values = values.collect::<Option<Vec<_>>>()?;
    let sites = (0..sites).map(|_| {
        let (announced, seen, shape, least, most) = (next()?, next()?, next()?, next()?, next()?);
        // Addresses of a program are less than 2^63.
        let (least, most) = (least.cast_signed(), most.cast_signed());
        Some(Seen { announced, seen, bytes: shape / 2, is_store: shape % 2 == 1, least, most })
    });
    Some(Invocation { function, number, parent, via, values, sites: sites.collect::<Option<Vec<_>>>()? })
}
