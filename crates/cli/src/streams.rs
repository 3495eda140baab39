//! Traces as streams: opening, guessing the format, splitting by instruction.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, IsTerminal, Read, Write};
use std::os::fd::AsFd;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};
use indicatif::ProgressBar;
use reconstruct::codec::Id;
use reconstruct::piecewise::Effort;
use reconstruct::stream::{Options, Reconstruction, Reconstructor};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use trace::accesses::{Accesses, Kind, StreamId};
use trace::foreign::{Format, guess, read};

use crate::progress::Progress;
use crate::recording::INTERRUPTED;
use crate::streams_args::{Input, InputFormat, Search};

/// What a command keeps per stream.
pub trait Consumer {
    /// Consecutive integers.
    fn values(&mut self, values: &[i64]);
    /// A run of integers.
    fn run(&mut self, run: reconstruct::run::Run);
}

/// One stream of a trace.
pub struct Stream<C> {
    /// What it is called.
    pub name: String,
    /// What is made of it.
    pub consumer: C,
    size: Option<u32>,
    mixed: bool,
}

/// The streams of a trace, in order of appearance.
pub struct Streams<C> {
    make: Box<dyn Fn(&Id) -> C>,
    only: Option<String>,
    indices: HashMap<StreamId, usize>,
    names: HashMap<StreamId, String>,
    /// The streams.
    pub list: Vec<Stream<C>>,
    /// The index of the stream of every access, while it is known.
    pub order: Option<C>,
    /// The trace was interrupted by the user.
    pub interrupted: bool,
    /// Negative integers stand for themselves plus 2^64.
    pub unsigned: bool,
    /// Set when the user interrupts again.
    pub stop: Arc<AtomicBool>,
}

/// A stream's id as compressed files keep it.
fn id_of(stream: StreamId, name: Option<&String>) -> Id {
    Id { number: stream.number, kind: stream.kind.code(), name: name.cloned().unwrap_or_default() }
}

/// What a stream of a compressed file is called.
pub fn name_of(id: &Id) -> String {
    match id.name.is_empty() {
        true => StreamId { number: id.number, kind: Kind::of(id.kind).unwrap_or_default() }.to_string(),
        false => id.name.clone(),
    }
}

impl<C: Consumer> Streams<C> {
    fn stream(&mut self, id: StreamId) -> Option<usize> {
        if let Some(&index) = self.indices.get(&id) {
            return Some(index);
        }
        let id_in_files = id_of(id, self.names.get(&id));
        let name = name_of(&id_in_files);
        if self.only.as_ref().is_some_and(|only| !name.starts_with(only)) {
            return None;
        }
        let index = self.list.len();
        self.indices.insert(id, index);
        let consumer = (self.make)(&id_in_files);
        self.list.push(Stream { name, consumer, size: None, mixed: false });
        Some(index)
    }

    /// A stream that is called exactly as was asked for is the only one that was meant.
    fn choose(&mut self) {
        if let Some(only) = &self.only
            && let Some(at) = self.list.iter().position(|stream| stream.name == *only)
        {
            self.list.swap(0, at);
            self.list.truncate(1);
        }
    }

    /// The streams and the order between them, without what made them.
    pub fn into_parts(self) -> (Vec<Stream<C>>, Option<C>) {
        (self.list, self.order)
    }

    /// The exit code of a command that did its work on what was read; if that is not all, says so unless `quiet`.
    pub fn exit_code(&self, quiet: bool) -> u8 {
        if !self.interrupted {
            return 0;
        }
        if !quiet {
            note("loopwright: interrupted; this is the trace up to there");
        }
        INTERRUPTED
    }

    /// Streams whose accesses are of several sizes.
    pub fn mixed(&self) -> Vec<String> {
        self.list.iter().filter(|s| s.mixed).map(|s| s.name.clone()).collect()
    }
}

impl<C: Consumer> Accesses for Streams<C> {
    fn values(&mut self, stream: StreamId, values: &[i64]) {
        if values.is_empty() {
            return;
        }
        let Some(index) = self.stream(stream) else { return };
        self.list[index].consumer.values(values);
        if let Some(order) = &mut self.order {
            let count = values.len() as u64;
            order.run(reconstruct::run::Run { start: index as i64, stride: 0, count });
        }
    }

    fn run(&mut self, stream: StreamId, start: i64, stride: i64, count: u64) {
        // Runs say nothing about the order between streams.
        self.order = None;
        if let Some(index) = self.stream(stream) {
            self.list[index].consumer.run(reconstruct::run::Run { start, stride, count });
        }
    }

    fn rows(&mut self, steps: &[(StreamId, i64, i64)], count: u64) {
        if self.order.is_none() {
            return trace::accesses::rows_as_runs(self, steps, count);
        }
        for t in 0..count {
            // A file says in a few bytes how many there are.
            if t % LOOK == 0 && self.stop.load(Ordering::Relaxed) {
                return;
            }
            for &(stream, start, stride) in steps {
                self.values(stream, &[start.wrapping_add(stride.wrapping_mul(t as i64))]);
            }
        }
    }

    fn size(&mut self, stream: StreamId, bytes: u32) {
        if let Some(index) = self.stream(stream) {
            let stream = &mut self.list[index];
            stream.mixed |= stream.size.is_some_and(|s| s != bytes);
            stream.size = Some(bytes);
        }
    }

    fn named(&mut self, stream: StreamId, name: &str) {
        self.names.insert(stream, name.to_owned());
    }

    fn unsigned(&mut self) {
        self.unsigned = true;
    }
}

/// A reader that fails where the user interrupts: what was read of an unfinished line or integer is no input.
struct Interruptible {
    from: File,
    interrupted: Arc<AtomicBool>,
    line: ProgressBar,
}

/// How long an interrupt may go unnoticed while there is no input.
const NOTICE: Timespec = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };

impl Read for Interruptible {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        // A read that waits is not ended by a signal; waiting for input is.
        while !self.interrupted.load(Ordering::Relaxed) {
            match poll(&mut [PollFd::new(&self.from, PollFlags::IN)], Some(&NOTICE)) {
                Ok(0) | Err(Errno::INTR) => {}
                _ => {
                    let count = self.from.read(to)?;
                    self.line.inc(count as u64);
                    return Ok(count);
                }
            }
        }
        // Not of the kind `Interrupted`, which readers try again.
        Err(io::Error::other("interrupted"))
    }
}

/// Rows that are taken between two looks at whether the user has interrupted.
const LOOK: u64 = 1 << 12;

/// Bytes that the format is guessed from.
const HEAD: usize = 1 << 12;

/// Reads a trace into one consumer per stream; `ordered` keeps the order between streams where the format has one.
pub fn open<C: Consumer>(
    input: &Input,
    ordered: bool,
    progress: &mut Progress,
    make: impl Fn(&Id) -> C + 'static,
) -> Result<Streams<C>> {
    let name = if is_standard_input(&input.trace) {
        "standard input".into()
    } else {
        input.trace.display().to_string()
    };
    let from = if is_standard_input(&input.trace) {
        File::from(io::stdin().as_fd().try_clone_to_owned().with_context(|| name.clone())?)
    } else {
        if input.trace.is_dir() {
            bail!("{name} is a directory; name a trace");
        }
        File::open(&input.trace).with_context(|| name.clone())?
    };
    let interrupted = Arc::new(AtomicBool::new(false));
    // A second interrupt ends the program; the first only the input. Without the handler it is as usual.
    let _ = signal_hook::flag::register_conditional_default(signal_hook::consts::SIGINT, interrupted.clone());
    let _ = signal_hook::flag::register(signal_hook::consts::SIGINT, interrupted.clone());
    // What is typed is not overwritten.
    let line = if from.is_terminal() {
        ProgressBar::hidden()
    } else {
        progress.reading(from.metadata().ok().filter(|file| file.is_file()).map(|file| file.len()))
    };
    let from = Interruptible { from, interrupted: interrupted.clone(), line };
    let mut from = BufReader::with_capacity(1 << 18, from);
    let format = match input.input_format {
        Some(format) => known(format),
        None => {
            let head = match from.fill_buf() {
                Err(_) if interrupted.load(Ordering::Relaxed) => &[],
                head => head.with_context(|| name.clone())?,
            };
            guess(&head[..head.len().min(HEAD)]).map_err(|error| anyhow!("{name}: {error}"))?
        }
    };
    let order = ordered.then(|| make(&Id::default()));
    let mut streams = Streams {
        make: Box::new(make),
        only: input.stream.clone(),
        indices: HashMap::new(),
        names: HashMap::new(),
        list: Vec::new(),
        order,
        interrupted: false,
        unsigned: format == Format::U64,
        stop: interrupted.clone(),
    };
    let result = read(format, &mut from, &mut streams);
    progress.end();
    // What follows can be interrupted by itself.
    streams.interrupted = interrupted.swap(false, Ordering::Relaxed);
    streams.choose();
    match result {
        // What was cut off by the interrupt is not an error of the input.
        Err(_) if streams.interrupted => {}
        other => other.map_err(|error| anyhow!("{name}: {error}"))?,
    }
    if let Some(only) = &input.stream
        && streams.list.is_empty()
    {
        bail!("{name} has no stream that begins with {only}; run without --stream to see all");
    }
    Ok(streams)
}

/// Whether `-` was given.
pub fn is_standard_input(path: &Path) -> bool {
    path == Path::new("-")
}

fn known(format: InputFormat) -> Format {
    match format {
        InputFormat::Text => Format::Text,
        InputFormat::I64 => Format::I64,
        InputFormat::U64 => Format::U64,
        InputFormat::Npy => Format::Npy,
        InputFormat::Lackey => Format::Lackey,
        InputFormat::Pinatrace => Format::Pinatrace,
        InputFormat::Lwt => Format::Lwt,
    }
}

impl Consumer for Reconstructor {
    fn values(&mut self, values: &[i64]) {
        self.push(values);
    }

    fn run(&mut self, run: reconstruct::run::Run) {
        self.push_run(run);
    }
}

/// A reconstructed stream and its name.
pub struct Found {
    /// What the stream is called.
    pub name: String,
    /// What it consists of.
    pub result: Reconstruction,
}

/// The effort for streams the reading of which is over: the time limit begins now, and an interrupt ends it.
pub fn effort(options: &Options, limit: Duration, streams: usize, stop: &Arc<AtomicBool>) -> Effort {
    let mut effort = options.effort.clone().for_streams(streams);
    effort.deadline = Instant::now().checked_add(limit);
    effort.stop = Some(stop.clone());
    effort
}

/// Ends the reconstruction of all streams; whether it was interrupted.
pub fn finish(
    streams: Vec<Stream<Reconstructor>>,
    effort: &Effort,
    progress: &mut Progress,
) -> (Vec<Found>, bool) {
    progress.phase("finding loops", true);
    let one = |mut s: Stream<Reconstructor>| {
        s.consumer.set_effort(effort.clone());
        Found { name: s.name, result: s.consumer.finish() }
    };
    let found = streams.into_iter().map(one).collect();
    progress.end();
    (found, effort.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed)))
}

/// What is said of a search that was interrupted.
pub const SEARCH_ENDED: &str =
    "loopwright: interrupted; the search ended early, the result is exact all the same";

/// Options of the search as the library takes them. The time limit is that of the search after the trace was read.
pub fn options(search: &Search) -> Options {
    let mut options = Options::default();
    let processors = || std::thread::available_parallelism().map_or(1, usize::from);
    options.effort.threads = search.threads.unwrap_or_else(processors).clamp(1, 256);
    options.effort.depth = usize::from(search.max_depth);
    options
}

/// Whether a file given for output is standard output.
fn is_standard_output(path: Option<&Path>) -> bool {
    path.is_none_or(|path| path == Path::new("-"))
}

/// Writes to a file, all or nothing, or to standard output, which is also meant by `-`.
pub fn write(output: Option<&Path>, content: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
    match output.filter(|_| !is_standard_output(output)) {
        Some(path) => profile::file::replace(path, |file| {
            let mut buffered = io::BufWriter::with_capacity(1 << 18, file);
            content(&mut buffered)?;
            buffered.flush()
        })
        .with_context(|| format!("{} could not be written", path.display())),
        None => {
            let mut out = io::BufWriter::with_capacity(1 << 18, io::stdout().lock());
            match content(&mut out).and_then(|()| out.flush()) {
                // A reader that has seen enough is not an error.
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
                other => other.context("standard output"),
            }
        }
    }
}

/// Tells the user something that is not part of the result.
pub fn note(text: &str) {
    // Where standard error is closed nobody wants to know.
    let _ = writeln!(anstream::stderr(), "{text}");
}
