//! `loopwright trace`: address streams of a program, as runs: of each instruction in each context, or of each instruction.

use std::any::Any;
use std::fs::File;
use std::io::{self, BufWriter, Write};

use anyhow::{Result, anyhow, bail};
use ddg::Engine;
use ddg::guide::{Part, Symbols};
use ddg::tracing::{Accessor, Link, Step, Tracer};
use program::image::Location;
use trace::accesses::{Kind, StreamId};
use trace::block::{Access, Address, Block, Folded};
use trace::expand::{Event, Expander, locate};
use trace::lwt::{self, Writer};
use trace::sink::{Mapping, Sink, ThreadId};
use trace::stream::{self, Special};

use crate::parquet_files;
use crate::progress::Progress;
use crate::recording::{absence, config, exit_code, output, part, record, refuse_emulated};
use crate::streams::note;
use crate::streams_args::TraceArgs;

/// Runs the command; gives the exit code.
pub fn run(args: &TraceArgs) -> Result<u8> {
    let config = config(&args.target, &args.bounds)?;
    refuse_emulated(&config, &[("--skip", config.skip.is_some())])?;
    let output = output(args.output.as_deref(), &config.program, ".lwt", false)?;
    if let Some(path) = &args.parquet {
        parquet_files::check()?;
        // It would be seen only after the run, or take the trace's place.
        if path.is_dir() {
            bail!("{} is a directory; name a file with --parquet FILE", path.display());
        }
        if *path == output {
            bail!("{}: the trace and its Parquet file need names of their own", path.display());
        }
    }
    let mut progress = Progress::new(args.quiet);
    progress.phase("recording", false);
    let part = part(&args.bounds);
    let mut exit = 0;
    let mut recorded = None;
    let mut failure = None;
    let mut nothing_ran = false;
    let written = profile::file::replace(&output, |file| {
        let to = BufWriter::new(file.try_clone()?);
        let runs = Runs { writer: Writer::new(to)?, thread_base: 0, error: None };
        let mut guide = Symbols::new(part.clone());
        let done = if args.merge_contexts {
            let streams = Streams { blocks: Vec::new(), expander: Expander::new(), runs };
            record(&config, &mut guide, streams).map(|(outcome, streams)| (outcome, Some(streams.runs)))
        } else {
            let contexts = Contexts { runs, ordered: args.ordered, streams: Vec::new() };
            let engine = Engine::tracing(Box::new(contexts));
            record(&config, &mut guide, engine).map(|(outcome, engine)| {
                let tracer = engine.traced().map(|tracer| tracer as Box<dyn Any>);
                let contexts = tracer.and_then(|tracer| tracer.downcast::<Contexts>().ok());
                (outcome, contexts.map(|contexts| contexts.runs))
            })
        };
        match done {
            Ok((outcome, runs)) => {
                let runs = runs.ok_or_else(|| io::Error::other("the trace was lost"))?;
                exit = exit_code(outcome.exit);
                let counts = (runs.writer.accesses(), runs.writer.streams());
                if counts.0 == 0 && (part != Part::Whole || config.begins_amid()) {
                    nothing_ran = true;
                    return Err(io::ErrorKind::NotFound.into());
                }
                if let Some(error) = runs.error {
                    return Err(error);
                }
                runs.writer.finish()?.flush()?;
                recorded = Some((counts, outcome));
                Ok(())
            }
            Err(error) => {
                failure = Some(error);
                Err(io::ErrorKind::Other.into())
            }
        }
    });
    progress.end();
    if let Some(error) = failure {
        return Err(error.into());
    }
    if nothing_ran {
        bail!("{}, or accessed memory: {} is not written", absence(&part), output.display());
    }
    written.map_err(|error| anyhow!("{} could not be written: {error}", output.display()))?;
    if let Some(path) = &args.parquet {
        progress.phase("writing Parquet", false);
        parquet_files::of_trace(&output, path)?;
        progress.end();
    }
    if let (Some(((accesses, streams), outcome)), false) = (recorded, args.quiet) {
        let size = std::fs::metadata(&output).map_or(0, |m| m.len());
        note(&format!("{}: {accesses} accesses of {streams} streams in {size} bytes", output.display()));
        for untracked in &outcome.untracked {
            note(&format!("not recorded: {} ({})", untracked.what, untracked.count));
        }
        if outcome.stopped.is_some() {
            note("recording ended before the program did");
        }
    }
    Ok(exit)
}

/// A stream per instruction, direction and context.
struct Contexts {
    runs: Runs,
    ordered: bool,
    /// By number, the stream and its bytes per access.
    streams: Vec<(StreamId, u16)>,
}

impl Tracer for Contexts {
    fn stream(&mut self, accessor: &Accessor) -> u32 {
        let stream = self.runs.writer.named(&name(accessor), accessor.size);
        self.streams.push((stream, accessor.size));
        (self.streams.len() - 1) as u32
    }

    fn steps(&mut self, steps: &[Step], count: u64) {
        if self.runs.error.is_some() {
            return;
        }
        let of = |step: &Step| {
            let (stream, bytes) = self.streams[step.stream as usize];
            lwt::Step { stream, bytes, start: step.start as i64, stride: step.stride }
        };
        if self.ordered {
            let steps: Vec<lwt::Step> = steps.iter().map(of).collect();
            self.runs.error = self.runs.writer.rows(&steps, count).err();
            return;
        }
        for step in steps.iter().map(of) {
            let done = self.runs.writer.run(step.stream, step.bytes, step.start, step.stride, count);
            if let Err(error) = done {
                self.runs.error = Some(error);
                return;
            }
        }
    }
}

/// What a stream is called: address and direction, the place in the source if it is known, and what leads there from `main` on, or from
/// the beginning of its thread: `L12` is a loop that begins in line 12, `helper@41` a call of `helper` in line 41. Without spaces.
fn name(accessor: &Accessor) -> String {
    let direction = match accessor.access {
        Access::Read => "load",
        Access::Write => "store",
    };
    let mut name = format!("{:#x}:{direction}", accessor.pc);
    let line = |place: &Location| place.line.map_or_else(|| "?".to_owned(), |line| line.to_string());
    if let (Some(file), Some(_)) = (&accessor.place.file, accessor.place.line) {
        let file = file.rsplit('/').next().unwrap_or(file);
        name.push_str(&format!("/{file}:{}", line(&accessor.place)));
        if let Some(column) = accessor.place.column {
            name.push_str(&format!(":{column}"));
        }
    }
    let is_main = |link: &Link| matches!(link, Link::Call(_, Some(name)) if name == "main");
    let from = accessor.links.iter().rposition(is_main).unwrap_or(0);
    for (at, link) in accessor.links.iter().enumerate().skip(from) {
        let part = match link {
            Link::Call(_, callee) if at == from => callee.clone().unwrap_or_else(|| "?".to_owned()),
            Link::Call(place, callee) => format!("{}@{}", callee.as_deref().unwrap_or("?"), line(place)),
            Link::Loop(place) => format!("L{}", line(place)),
            Link::Recursion => "recursion".to_owned(),
            Link::Entries => "entries".to_owned(),
            Link::Thread => "thread".to_owned(),
        };
        name.push('/');
        name.push_str(&part);
    }
    name.retain(|c| !c.is_whitespace() && !c.is_control());
    name
}

/// Turns records into runs per instruction and direction.
struct Streams {
    blocks: Vec<Block>,
    /// Spells out what is no run.
    expander: Expander,
    runs: Runs,
}

/// The file, and what went wrong with it.
struct Runs {
    writer: Writer<BufWriter<File>>,
    thread_base: u64,
    error: Option<io::Error>,
}

impl Runs {
    fn put(&mut self, pc: u64, access: Access, size: u16, (address, stride, count): (u64, i64, u64)) {
        let kind = match access {
            Access::Read => Kind::Load,
            Access::Write => Kind::Store,
        };
        if count > 0 && self.error.is_none() {
            let stream = StreamId { number: pc, kind };
            self.error = self.writer.run(stream, size, address as i64, stride, count).err();
        }
    }

    /// The accesses of `count` passes through a block, from a record the words of which advance by these constants.
    fn passes(&mut self, block: &Block, record: &[u64], advance: &[i64], count: u64) {
        for operand in &block.operands {
            let Some(instr) = block.instrs.get(usize::from(operand.instr)) else { continue };
            let base = self.thread_base;
            let at = |t: u64| {
                let word = |w: u16| {
                    let w = usize::from(w);
                    let stride = advance.get(w).map_or(0, |&s| s as u64);
                    record.get(w).copied().unwrap_or_default().wrapping_add(stride.wrapping_mul(t))
                };
                locate(&operand.address, u64::from(operand.size), base, &word).map(|(address, _)| address)
            };
            // Sums of words advance by a constant; what depends on a word otherwise is looked at one by one.
            let is_linear = matches!(
                operand.address,
                Address::Constant(_) | Address::Word { .. } | Address::Segment { .. }
            );
            let mut put = |run| self.put(instr.pc, operand.access, operand.size, run);
            match (at(0), at(1)) {
                (Some(first), Some(second)) if is_linear => {
                    put((first, second.wrapping_sub(first) as i64, count));
                }
                _ => (0..count).filter_map(at).for_each(|address| put((address, 0, 1))),
            }
        }
    }

    /// A loop of parts that all advance by constants.
    fn parts(&mut self, blocks: &[Block], whole: &Block, folded: &Folded, record: &[u64]) {
        let (iterations, rest) = folded.extent(record);
        let (words, advance) = (folded.at(record, 0), folded.advance(record));
        for (k, part) in whole.parts.iter().enumerate() {
            let Some(block) = blocks.get(part.block as usize) else { continue };
            let mut own = Vec::new();
            part.write(&words, &mut own);
            let of = |word: Option<u16>| word.and_then(|w| advance.get(usize::from(w))).copied().unwrap_or(0);
            let strides: Vec<i64> =
                std::iter::once(0).chain(part.words.iter().map(|word| of(word.word))).collect();
            self.passes(block, &own, &strides, iterations + u64::from(k < rest));
        }
    }
}

impl Streams {
    /// Takes the record at the beginning of `words`; gives its length.
    fn take(&mut self, words: &[u64]) -> Option<usize> {
        let head = *words.first()?;
        let special = stream::is_special(head).then(|| stream::special(words).ok());
        let (length, block) = match special {
            Some(special) => {
                let (special, length) = special?;
                if let Special::ThreadBase(base) = special {
                    self.runs.thread_base = base;
                }
                (length, None)
            }
            None => {
                let block = self.blocks.get(head as u32 as usize)?;
                (block.length(head), Some(block))
            }
        };
        let record = words.get(..length)?;
        match block.map(|block| (block, &block.folded)) {
            Some((block, None)) => self.runs.passes(block, record, &[], 1),
            Some((block, Some(folded))) if folded.each == 0 && block.parts.is_empty() => {
                self.runs.passes(block, record, &folded.advance(record), block.iterations(record));
            }
            Some((block, Some(folded))) if folded.each == 0 => {
                self.runs.parts(&self.blocks, block, folded, record);
            }
            // Iterations with words of their own, and what a fault interrupted.
            _ => {
                let runs = &mut self.runs;
                let touch = &mut |event: Event<'_>| {
                    if let Event::Touch { block, operand, address, access, .. } = event
                        && let Some(of) = block.operands.get(operand)
                        && let Some(instr) = block.instrs.get(usize::from(of.instr))
                    {
                        runs.put(instr.pc, access, of.size, (address, 0, 1));
                    }
                };
                self.expander.expand(record, &self.blocks, touch).ok()?;
            }
        }
        Some(length)
    }
}

impl Sink for Streams {
    fn mapping(&mut self, _: Mapping) {}

    fn function(&mut self, _: trace::block::FunctionCode) {}

    fn block(&mut self, block: Block) {
        self.blocks.push(block);
    }

    fn words(&mut self, _: ThreadId, mut words: &[u64]) {
        while let Some(rest) = self.take(words).and_then(|length| words.get(length..)) {
            words = rest;
        }
    }
}
