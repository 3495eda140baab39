//! A line on the terminal that says what is going on.
//!
//! Invariant: it is drawn only on a terminal, never with `--quiet`, and not while the program writes to a terminal too,
//! where it would overwrite the program's lines.

use std::borrow::Cow;
use std::io::IsTerminal;
use std::time::Duration;

use ddg::Engine;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use trace::block::{Block, FunctionCode};
use trace::sink::{Mapping, Sink, ThreadId};

/// The line.
pub struct Progress {
    allowed: bool,
    line: ProgressBar,
}

impl Progress {
    /// Not drawn yet.
    pub fn new(quiet: bool) -> Progress {
        Progress { allowed: !quiet && std::io::stderr().is_terminal(), line: ProgressBar::hidden() }
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
            self.line.set_style(style(COUNTING).unwrap_or_else(|_| ProgressStyle::default_spinner()));
        }
        Watched { engine, line: self.line.clone() }
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
}

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
        self.line.set_position(self.engine.instructions());
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn templates_parse() {
        for template in [super::TEMPLATE, super::COUNTING, super::READING, super::STREAMING] {
            assert!(super::style(template).is_ok(), "{template}");
        }
    }
}
