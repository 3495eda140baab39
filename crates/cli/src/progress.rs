//! A line on the terminal that says what is going on.
//!
//! Invariant: it is drawn only on a terminal, never with `--quiet`, and not while the program writes to a terminal too,
//! where it would overwrite the program's lines.

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
    pub fn phase(&mut self, what: &'static str, silent: bool) {
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

    fn words(&mut self, thread: ThreadId, words: &[u64]) {
        self.engine.words(thread, words);
        self.line.set_position(self.engine.instructions());
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn templates_parse() {
        assert!(super::style(super::TEMPLATE).is_ok());
        assert!(super::style(super::COUNTING).is_ok());
    }
}
