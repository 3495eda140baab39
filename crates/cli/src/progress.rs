//! A line on the terminal that says what is going on.
//!
//! Invariant: it is drawn only on a terminal, never with `--quiet`, and not while the program writes to a terminal too,
//! where it would overwrite the program's lines.

use std::borrow::Cow;
use std::io::IsTerminal;
use std::time::{Duration, Instant};

use ddg::Engine;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use trace::block::{Block, FunctionCode};
use trace::sink::{Mapping, Sink, ThreadId};

use crate::streams::note;

/// The line.
pub struct Progress {
    allowed: bool,
    line: ProgressBar,
    /// Instructions that a first pass says there will be.
    expected: Option<u64>,
    /// What is said when recording takes long.
    hint: Option<&'static str>,
}

impl Progress {
    /// Not drawn yet.
    pub fn new(quiet: bool) -> Progress {
        let allowed = !quiet && std::io::stderr().is_terminal();
        Progress { allowed, line: ProgressBar::hidden(), expected: None, hint: None }
    }

    /// About so many instructions will be recorded.
    pub fn expect(&mut self, instructions: u64) {
        self.expected = Some(instructions);
    }

    /// Says once what can be done, if recording takes longer than people like to wait.
    pub fn hint(&mut self, text: &'static str) {
        self.hint = Some(text);
    }

    /// A phase begins. `silent` if the program writes nothing to the terminal in it.
    pub fn phase(&mut self, what: impl Into<Cow<'static, str>>, silent: bool) {
        self.line.finish_and_clear();
        self.line = ProgressBar::hidden();
        if self.allowed && (silent || !std::io::stdout().is_terminal()) {
            self.line.set_draw_target(ProgressDrawTarget::stderr_with_hz(4));
            // The default style stands in for a template that does not parse, which a test excludes.
            self.line.set_style(style(TEMPLATE).unwrap_or_else(|_| ProgressStyle::default_spinner()));
            self.line.set_message(what);
            self.line.enable_steady_tick(Duration::from_millis(250));
        }
    }

    /// A consumer that moves the line as it goes.
    pub fn watch(&self, engine: Engine) -> Watched {
        if !self.line.is_hidden() {
            let template = if self.expected.is_some() { SHARE } else { COUNTING };
            self.line.set_style(style(template).unwrap_or_else(|_| ProgressStyle::default_spinner()));
            self.expected.inspect(|&instructions| self.line.set_length(instructions));
        }
        Watched { engine, line: self.line.clone(), since: Instant::now(), hint: self.hint }
    }

    /// A file or a stream is read, of so many bytes if that is known: the line, to be told what was read.
    pub fn reading(&mut self, length: Option<u64>) -> ProgressBar {
        self.phase("reading", true);
        if !self.line.is_hidden() {
            let template = if length.is_some() { READING } else { STREAMING };
            self.line.set_style(style(template).unwrap_or_else(|_| ProgressStyle::default_spinner()));
            length.inspect(|&bytes| self.line.set_length(bytes));
        }
        self.line.clone()
    }

    /// Nothing goes on any more.
    pub fn end(&self) {
        self.line.finish_and_clear();
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.end();
    }
}

const TEMPLATE: &str = "{spinner} {msg} ({elapsed})";
const COUNTING: &str = "{spinner} {msg}: {human_pos} instructions, {per_sec} ({elapsed})";
const SHARE: &str =
    "{spinner} {msg}: {percent} % of {human_len} instructions, {per_sec}, {eta} left ({elapsed})";
const READING: &str = "{spinner} {msg} {bar:30} {binary_bytes} of {binary_total_bytes} ({elapsed})";
const STREAMING: &str = "{spinner} {msg}: {binary_bytes}, {binary_bytes_per_sec} ({elapsed})";

fn style(template: &str) -> Result<ProgressStyle, indicatif::style::TemplateError> {
    ProgressStyle::with_template(template)
}

/// The engine, and the line that shows how far it is.
pub struct Watched {
    /// The engine.
    pub engine: Engine,
    line: ProgressBar,
    since: Instant,
    /// What is yet to be said if it takes long.
    hint: Option<&'static str>,
}

/// How long people wait before they are told what they can do instead.
const LONG: Duration = Duration::from_secs(40);

impl Sink for Watched {
    fn mapping(&mut self, mapping: Mapping) {
        self.engine.mapping(mapping);
    }

    fn function(&mut self, code: FunctionCode) {
        self.engine.function(code);
    }

    fn block(&mut self, block: Block) {
        self.engine.block(block);
    }

    fn named(&mut self, pc: u64, name: &str) {
        self.engine.named(pc, name);
    }

    fn words(&mut self, thread: ThreadId, words: &[u64]) {
        self.engine.words(thread, words);
        let instructions = self.engine.instructions();
        self.line.set_position(instructions);
        if let Some(hint) = self.hint.take_if(|_| self.since.elapsed() >= LONG) {
            let millions = instructions / 1_000_000;
            self.line.suspend(|| {
                note(&format!("loopwright: {millions} M instructions in {} s so far; {hint}", LONG.as_secs()))
            });
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn templates_parse() {
        for template in [super::TEMPLATE, super::COUNTING, super::SHARE, super::READING, super::STREAMING] {
            assert!(super::style(template).is_ok(), "{template}");
        }
    }
}
