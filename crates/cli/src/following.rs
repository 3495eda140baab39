//! `profile --follow`: processes that a program starts, each in a profile of its own beside the program's.

use std::collections::HashSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread::JoinHandle;
use std::time::Instant;

use anyhow::{Context, Result};
use ddg::finish::{About, finish};
use ddg::guide::Symbols;
use record::{Child, Config, Follow, Recorded};

use crate::lenses;
use crate::profile_command::{Plan, about, engine};
use crate::recording;

/// Characters of a command line that are shown.
const SHOWN: usize = 60;

/// Records children, and knows where their profiles are.
#[derive(Debug)]
pub struct Following {
    me: Weak<Following>,
    /// As for the program; each child takes what it needs of it.
    config: Config,
    plan: Plan,
    /// The program's profile.
    path: PathBuf,
    start: Instant,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    threads: Vec<JoinHandle<()>>,
    names: HashSet<PathBuf>,
    lines: Vec<String>,
}

impl Following {
    /// For a program that is recorded like this, into a profile at `path`.
    pub fn new(config: &Config, plan: Plan, path: &Path) -> Arc<Following> {
        Arc::new_cyclic(|me| Following {
            me: me.clone(),
            config: config.clone(),
            plan,
            path: path.to_owned(),
            start: Instant::now(),
            state: Mutex::default(),
        })
    }

    /// Waits for all children; says what became of each, in a line.
    pub fn finish(&self) -> Vec<String> {
        loop {
            // Not to be held meanwhile: children may start children.
            let thread = self.state().threads.pop();
            match thread {
                // A panic has been shown where it was.
                Some(thread) => _ = thread.join(),
                None => return std::mem::take(&mut self.state().lines),
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn record(&self, child: Child) {
        let pid = child.pid();
        let duration = self.config.duration.map(|whole| whole.saturating_sub(self.start.elapsed()));
        let follow = self.me.upgrade().map(|me| me as Arc<dyn Follow>);
        let config = Config { duration, follow, ..self.config.clone() };
        let mut make = || {
            let guide = Symbols::new(self.plan.part.clone());
            (Box::new(guide) as Box<dyn trace::sink::Guide>, engine(&self.plan))
        };
        let mut done = |recorded: Recorded<ddg::Engine>| {
            let line =
                self.keep(pid, recorded, &config).unwrap_or_else(|error| format!("process {pid}: {error:#}"));
            self.state().lines.push(line);
        };
        if let Err(error) = child.record(&config, &mut make, &mut done) {
            self.state().lines.push(format!("process {pid}: {error}"));
        }
    }

    /// Writes the profile of a program; says so.
    fn keep(&self, pid: i32, recorded: Recorded<ddg::Engine>, config: &Config) -> Result<String> {
        let Recorded { outcome, sink, program, args, is_whole } = recorded;
        let command = shown(&program, &args);
        let config = Config { args, program: program.clone(), ..config.clone() };
        let forked = (!is_whole).then_some(profile::Part::Forked);
        let part = recording::recorded_part(&self.plan.part, forked);
        let about = About { part, ..about(&config, &outcome) };
        let mut profile = finish(sink, about);
        lenses::read(&mut profile, &program);
        if self.plan.no_arguments {
            profile.program.argv.truncate(1);
        }
        if profile.trust.instructions == 0 {
            return Ok(format!("process {pid}, {command}: nothing was recorded"));
        }
        let path = self.name(&program, pid);
        profile::file::write(&profile, &path)
            .with_context(|| format!("{} could not be written", path.display()))?;
        Ok(format!("process {pid}, {command}: {}", path.display()))
    }

    /// A name of its own beside the program's profile: with the name of the child's program and its process id.
    fn name(&self, program: &Path, pid: i32) -> PathBuf {
        let mut stem = self.path.file_stem().unwrap_or_default().to_owned();
        stem.push(".");
        stem.push(program.file_name().unwrap_or_default());
        stem.push(format!(".{pid}"));
        let mut state = self.state();
        let name = |turn: usize| {
            let mut name: OsString = stem.clone();
            name.push(if turn == 0 { ".lwp".to_owned() } else { format!(".{}.lwp", turn + 1) });
            self.path.with_file_name(name)
        };
        let free = (0..).map(name).find(|path| !state.names.contains(path)).unwrap_or_else(|| name(0));
        state.names.insert(free.clone());
        free
    }
}

/// A command line, as far as it is shown.
fn shown(program: &Path, args: &[OsString]) -> String {
    let words: Vec<String> = args.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let command = if words.is_empty() { program.display().to_string() } else { words.join(" ") };
    match command.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &command[..end]),
        None => command,
    }
}

impl Follow for Following {
    fn started(&self, child: Child) {
        let Some(me) = self.me.upgrade() else { return };
        // Without a thread the child is dropped, and runs natively.
        match std::thread::Builder::new().name("child".to_owned()).spawn(move || me.record(child)) {
            Ok(thread) => self.state().threads.push(thread),
            Err(error) => self.state().lines.push(format!("a child process was not recorded: {error}")),
        }
    }
}
