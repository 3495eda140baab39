//! `loopwright compress` and `loopwright expand`.

use std::cell::RefCell;
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use anyhow::{Context, Result, anyhow, bail};
use reconstruct::codec::{self, Aim, File, Id, Integers, Stored};
use reconstruct::run::Run;
use reconstruct::stream::{Options, Reconstruction, Reconstructor};
use trace::accesses::StreamId;

use crate::progress::Progress;
use crate::streams::{self, Consumer, is_standard_input, name_of, note, options};
use crate::streams_args::{CompressArgs, ExpandArgs, OutputFormat};

/// Bytes of closed parts after which they are written.
const WRITTEN: usize = 1 << 22;
/// Integers that are written only where somebody says how many.
const MOST: u64 = 1_000_000_000_000;

/// The file that is written while the trace is read.
struct Output {
    writer: codec::Writer<Box<dyn Write>>,
    nests: u64,
    accesses: u64,
    error: Option<io::Error>,
}

impl Output {
    fn keep<T>(&mut self, result: io::Result<T>) -> Option<T> {
        result.map_err(|error| self.error.get_or_insert(error).kind()).ok()
    }

    fn part(&mut self, target: Target, part: &Reconstruction) {
        if part.accesses == 0 || self.error.is_some() {
            return;
        }
        let section = codec::section(part, Aim::Small);
        let written = match target {
            Target::Order => self.writer.order(&section),
            Target::Stream(index) => {
                self.nests += part.nests.len() as u64;
                self.accesses += part.accesses;
                self.writer.part(index, &section)
            }
        };
        self.keep(written);
    }
}

/// What the parts are of.
#[derive(Clone, Copy)]
enum Target {
    Stream(u64),
    Order,
}

/// A stream whose closed parts are written as it is read.
struct Compressed {
    all: Reconstructor,
    target: Target,
    to: Rc<RefCell<Output>>,
}

impl Compressed {
    fn relieve(&mut self) {
        if self.all.closed_size() > WRITTEN {
            let part = self.all.take_closed();
            self.to.borrow_mut().part(self.target, &part);
        }
    }
}

impl Consumer for Compressed {
    fn values(&mut self, values: &[i64]) {
        self.all.push(values);
        self.relieve();
    }

    fn run(&mut self, run: Run) {
        self.all.push_run(run);
        self.relieve();
    }
}

/// Runs `compress`; gives the exit code.
pub fn compress(args: &CompressArgs) -> Result<u8> {
    let output = match &args.output {
        Some(path) => path.clone(),
        None if is_standard_input(&args.input.trace) => {
            bail!("standard input has no name; give one with -o FILE, or -o - for standard output")
        }
        None => {
            let mut name = args.input.trace.clone().into_os_string();
            name.push(".lwc");
            PathBuf::from(name)
        }
    };
    if is_standard_input(&output) {
        return written(args, Box::new(io::stdout()), "standard output");
    }
    let mut outcome = None;
    let replaced = profile::file::replace(&output, |file| {
        let to = Box::new(BufWriter::new(file.try_clone()?));
        let result = written(args, to, &output.display().to_string());
        let is_written = result.is_ok();
        outcome = Some(result);
        if is_written { Ok(()) } else { Err(io::ErrorKind::Other.into()) }
    });
    match outcome {
        Some(Err(error)) => Err(error),
        Some(Ok(exit)) => {
            replaced.with_context(|| format!("{} could not be written", output.display()))?;
            Ok(exit)
        }
        None => Err(anyhow!("{} could not be written", output.display())
            .context(replaced.err().map_or_else(String::new, |error| error.to_string()))),
    }
}

/// Compresses a trace into a file.
fn written(args: &CompressArgs, to: Box<dyn Write>, name: &str) -> Result<u8> {
    let unwritable = || format!("{name} could not be written");
    let mut options = options(&args.search);
    options.time = Some(args.search.time_limit);
    let writer = codec::Writer::new(to).with_context(unwritable)?;
    let output = Rc::new(RefCell::new(Output { writer, nests: 0, accesses: 0, error: None }));
    let mut progress = Progress::new(args.quiet);
    let read = streams::open(&args.input, true, &mut progress, make(&output, &options))?;
    let mut exit = read.exit_code(args.quiet);
    let (stop, unsigned) = (read.stop.clone(), read.unsigned);
    let (list, order) = read.into_parts();
    let effort = streams::effort(&options, args.search.time_limit, list.len(), &stop);
    progress.phase("finding loops", true);
    let count = list.len();
    // With one stream there is no order to keep.
    let order = order.filter(|_| count > 1);
    for mut stream in list.into_iter().map(|s| s.consumer).chain(order) {
        stream.all.set_effort(effort.clone());
        let rest = stream.all.finish();
        output.borrow_mut().part(stream.target, &rest);
    }
    progress.end();
    if effort.is_stopped() {
        exit = crate::recording::INTERRUPTED;
        if !args.quiet {
            note(streams::SEARCH_ENDED);
        }
    }
    let output = Rc::into_inner(output).context("the streams are still read")?.into_inner();
    if let Some(error) = output.error {
        return Err(error).with_context(unwritable);
    }
    let (mut writer, accesses, nests) = (output.writer, output.accesses, output.nests);
    if unsigned {
        writer.unsigned().with_context(unwritable)?;
    }
    let bytes = writer.written() + END;
    writer.finish().and_then(|mut to| to.flush()).with_context(unwritable)?;
    if !args.quiet {
        note(&format!(
            "{name}: {accesses} integers of {count} streams in {nests} parts, {bytes} bytes ({:.2} bits per integer)",
            bytes as f64 * 8.0 / accesses.max(1) as f64
        ));
    }
    Ok(exit)
}

/// Bytes of the end of a file.
const END: u64 = 5;

/// Makes what keeps a stream; the first is that of the order, which has no id.
fn make(output: &Rc<RefCell<Output>>, options: &Options) -> impl Fn(&Id) -> Compressed + use<> {
    let (output, options) = (output.clone(), options.clone());
    let order = RefCell::new(Some(Target::Order));
    move |id| {
        let target = order.take().unwrap_or_else(|| {
            let mut output = output.borrow_mut();
            let index = output.writer.stream(id);
            Target::Stream(output.keep(index).unwrap_or_default())
        });
        Compressed { all: Reconstructor::new(options.clone()), target, to: output.clone() }
    }
}

/// Runs `expand`; gives the exit code.
pub fn expand(args: &ExpandArgs) -> Result<u8> {
    let name = if is_standard_input(&args.file) {
        "standard input".to_owned()
    } else {
        args.file.display().to_string()
    };
    let bytes = contents(&args.file).with_context(|| name.clone())?;
    let file = codec::decode(&bytes).with_context(|| name.clone())?;
    if args.format == OutputFormat::I64 && file.streams.len() > 1 {
        bail!(
            "{name} has {} streams; raw integers have no room for their ids, use --format text",
            file.streams.len()
        );
    }
    let all = file.streams.iter().fold(0u64, |sum, stream| sum.saturating_add(stream.accesses));
    if all > MOST && args.first.is_none() {
        bail!("{name} stands for {all} integers; say how many are wanted with --first COUNT");
    }
    let first = args.first.unwrap_or(u64::MAX);
    streams::write(args.output.as_deref(), |out| match (&file.order, args.format) {
        (Some(order), OutputFormat::Text) => interleaved(&file, order, first, out),
        _ => one_by_one(&file, args.format, first, out),
    })?;
    Ok(0)
}

fn contents(path: &Path) -> io::Result<Vec<u8>> {
    if !is_standard_input(path) {
        return std::fs::read(path);
    }
    let mut bytes = Vec::new();
    io::stdin().lock().read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Writes a line of an integer.
fn line(out: &mut dyn Write, file: &File, id: Option<&str>, value: i64) -> io::Result<()> {
    match (id, file.unsigned) {
        (None, false) => writeln!(out, "{value}"),
        (None, true) => writeln!(out, "{}", value as u64),
        (Some(id), false) => writeln!(out, "{id} {value}"),
        (Some(id), true) => writeln!(out, "{id} {}", value as u64),
    }
}

fn one_by_one(file: &File, format: OutputFormat, first: u64, out: &mut dyn Write) -> io::Result<()> {
    let plain = Id::from((StreamId::default().number, StreamId::default().kind.code()));
    let named = file.streams.len() > 1 || file.streams.iter().any(|s| s.id != plain);
    let mut left = first;
    for stream in &file.streams {
        let id = named.then(|| name_of(&stream.id));
        for value in Integers::of(&stream.statements) {
            if left == 0 {
                return Ok(());
            }
            left -= 1;
            match format {
                OutputFormat::I64 => out.write_all(&value.to_le_bytes())?,
                OutputFormat::Text => line(out, file, id.as_deref(), value)?,
            }
        }
    }
    Ok(())
}

fn interleaved(file: &File, order: &Stored, first: u64, out: &mut dyn Write) -> io::Result<()> {
    let damaged =
        || io::Error::new(io::ErrorKind::InvalidData, "damaged file: the order does not fit the streams");
    let mut all: Vec<(String, Integers<'_>)> =
        file.streams.iter().map(|s| (name_of(&s.id), Integers::of(&s.statements))).collect();
    let most = usize::try_from(first).unwrap_or(usize::MAX);
    for index in Integers::of(&order.statements).take(most) {
        let (id, values) = usize::try_from(index).ok().and_then(|i| all.get_mut(i)).ok_or_else(damaged)?;
        let value = values.next().ok_or_else(damaged)?;
        line(out, file, Some(id), value)?;
    }
    Ok(())
}
