//! `loopwright trace`: address streams of a program, as runs.

use std::fs::File;
use std::io::{self, BufWriter, Write};

use anyhow::{Result, anyhow};
use ddg::guide::Symbols;
use trace::accesses::{Kind, StreamId};
use trace::block::{Access, Address, Block};
use trace::expand::locate;
use trace::lwt::Writer;
use trace::sink::{Mapping, Sink, ThreadId};
use trace::stream::{self, Special};

use crate::recording::{config, exit_code, output};
use crate::streams::note;
use crate::streams_args::TraceArgs;

/// Runs the command; gives the exit code.
pub fn run(args: &TraceArgs) -> Result<u8> {
    let config = config(&args.command, &args.bounds)?;
    let output = output(args.output.as_deref(), &args.command, ".lwt")?;
    let mut exit = 0;
    let mut recorded = None;
    let mut failure = None;
    let written = profile::file::replace(&output, |file| {
        let to = BufWriter::new(file.try_clone()?);
        let streams = Streams { blocks: Vec::new(), thread_base: 0, writer: Writer::new(to)?, error: None };
        let mut guide = Symbols::new(args.bounds.function.clone());
        match record::run(&config, &mut guide, streams) {
            Ok((outcome, streams)) => {
                exit = exit_code(outcome.exit);
                let counts = (streams.writer.accesses(), streams.writer.streams());
                if let Some(error) = streams.error {
                    return Err(error);
                }
                streams.writer.finish()?.flush()?;
                recorded = Some((counts, outcome));
                Ok(())
            }
            Err(error) => {
                failure = Some(error);
                Err(io::ErrorKind::Other.into())
            }
        }
    });
    if let Some(error) = failure {
        return Err(error.into());
    }
    written.map_err(|error| anyhow!("{} could not be written: {error}", output.display()))?;
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

/// Turns records into runs per instruction and direction.
struct Streams {
    blocks: Vec<Block>,
    thread_base: u64,
    writer: Writer<BufWriter<File>>,
    error: Option<io::Error>,
}

impl Streams {
    /// The accesses of `iterations` passes through a block, of which only the first `instructions` completed.
    fn record(&mut self, id: usize, record: &[u64], iterations: u64, from: u64, instructions: usize) {
        let Some(block) = self.blocks.get(id) else { return };
        let advance = block.folded.as_ref().map(|f| f.advance(record)).unwrap_or_default();
        for operand in &block.operands {
            if usize::from(operand.instr) >= instructions {
                break;
            }
            let Some(instr) = block.instrs.get(usize::from(operand.instr)) else { continue };
            let kind = match operand.access {
                Access::Read => Kind::Load,
                Access::Write => Kind::Store,
            };
            let stream = StreamId { number: instr.pc, kind };
            let at = |t: u64| {
                let word = |w: u16| {
                    let w = usize::from(w);
                    let stride = advance.get(w).map_or(0, |&s| s as u64);
                    record.get(w).copied().unwrap_or_default().wrapping_add(stride.wrapping_mul(t))
                };
                locate(&operand.address, u64::from(operand.size), self.thread_base, &word)
            };
            // Sums of words advance by a constant; what depends on a word otherwise is looked at one by one.
            let linear = matches!(
                operand.address,
                Address::Constant(_) | Address::Word { .. } | Address::Segment { .. }
            );
            let mut put = |t: u64, stride: i64, count: u64| {
                if let Some((address, _)) = at(t)
                    && self.error.is_none()
                {
                    let result = self.writer.run(stream, operand.size, address as i64, stride, count);
                    self.error = result.err();
                }
            };
            if linear && iterations > 1 {
                let stride = match (at(from), at(from + 1)) {
                    (Some((a, _)), Some((b, _))) => b.wrapping_sub(a) as i64,
                    _ => 0,
                };
                put(from, stride, iterations);
            } else {
                (from..from + iterations).for_each(|t| put(t, 0, 1));
            }
        }
    }
}

impl Sink for Streams {
    fn mapping(&mut self, _: Mapping) {}

    fn function(&mut self, _: trace::block::FunctionCode) {}

    fn block(&mut self, block: Block) {
        self.blocks.push(block);
    }

    fn words(&mut self, _: ThreadId, words: &[u64]) {
        let mut at = 0;
        while let Some(&head) = words.get(at) {
            if stream::is_special(head) {
                let Ok((special, length)) = stream::special(&words[at..]) else { return };
                match special {
                    Special::ThreadBase(base) => self.thread_base = base,
                    Special::Partial { block, iterations, instructions, words } => {
                        let id = block as usize;
                        let Some(block) = self.blocks.get(id) else { return };
                        let mut record = vec![0; usize::from(block.words)];
                        for (to, from) in record.iter_mut().skip(1).zip(words) {
                            *to = *from;
                        }
                        let all = block.instrs.len();
                        self.record(id, &record, iterations, 0, all);
                        self.record(id, &record, 1, iterations, instructions as usize);
                    }
                    _ => {}
                }
                at += length;
                continue;
            }
            let id = head as u32 as usize;
            let Some(block) = self.blocks.get(id) else { return };
            let end = at + usize::from(block.words);
            let Some(record) = words.get(at..end) else { return };
            let (iterations, all) = (block.iterations(record), block.instrs.len());
            self.record(id, record, iterations, 0, all);
            at = end;
        }
    }
}
