//! Records a program and prints what it cost: `record [addresses|derived|folded|none|survey] PROGRAM ARGS…`
//!
//! With `--alone FILE` before that the program is not run natively beside it, nothing is printed, the processor seconds of the
//! program are written to FILE, and the exit code is the program's.

use std::process::ExitCode;
use std::time::Instant;

use record::{Config, Encoding, Exit};
use trace::block::{Block, FunctionCode};
use trace::sink::{Guide, Mapping, Sink, ThreadId};

struct Alone;

impl Guide for Alone {
    fn mapping(&mut self, _: &Mapping) {}
    fn is_function(&mut self, _: u64) -> bool {
        false
    }
    fn wants_arguments(&mut self, _: u64) -> bool {
        false
    }
    fn starts_recording(&mut self, _: u64) -> bool {
        false
    }
}

#[derive(Default)]
struct Counts {
    blocks: Vec<Block>,
    functions: u64,
    instructions: u64,
    folded: u64,
    records: u64,
}

impl Sink for Counts {
    fn mapping(&mut self, _: Mapping) {}
    fn function(&mut self, _: FunctionCode) {
        self.functions += 1;
    }
    fn block(&mut self, block: Block) {
        self.blocks.push(block);
    }
    fn words(&mut self, _: ThreadId, words: &[u64]) {
        let mut at = 0;
        while let Some(&head) = words.get(at) {
            if trace::stream::is_special(head) {
                at += 1 + (head >> 32) as usize;
                continue;
            }
            let block = &self.blocks[head as u32 as usize];
            let end = at + block.length(head);
            let of = |id: u32| self.blocks[id as usize].instrs.len() as u64;
            let each = block.instrs.len() as u64 + block.parts.iter().map(|part| of(part.block)).sum::<u64>();
            let n = block.iterations(&words[at..end]) * each;
            self.instructions += n;
            self.records += 1;
            if block.folded.is_some() {
                self.folded += n;
            }
            at = end;
        }
    }
}

/// Takes the records and does nothing with them.
struct Nothing;

impl Sink for Nothing {
    fn mapping(&mut self, _: Mapping) {}
    fn function(&mut self, _: FunctionCode) {}
    fn block(&mut self, _: Block) {}
    fn words(&mut self, _: ThreadId, _: &[u64]) {}
}

fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let mut args: Vec<_> = std::env::args_os().skip(1).collect();
    let mut alone = None;
    if args.first().is_some_and(|a| a == "--alone") && args.len() > 2 {
        alone = args.drain(..2).nth(1);
    }
    let encoding = match args.first().and_then(|a| a.to_str()) {
        Some("addresses") => Some(Encoding::Addresses),
        Some("derived") => Some(Encoding::Derived),
        Some("folded") => Some(Encoding::Folded),
        Some("none" | "survey") => Some(Encoding::None),
        _ => None,
    };
    let survey = args.first().is_some_and(|a| a == "survey");
    if encoding.is_some() {
        args.remove(0);
    }
    let Some(program) = args.first() else {
        eprintln!("usage: record [--alone FILE] [addresses|derived|folded|none|survey] PROGRAM ARGS…");
        return Ok(ExitCode::FAILURE);
    };
    let config =
        Config { args: args.clone(), encoding: encoding.unwrap_or_default(), ..Config::new(program) };
    if let Some(file) = alone {
        let (outcome, _) = record::run(&config, &mut Alone, Nothing)?;
        std::fs::write(file, outcome.child_cpu.as_secs_f64().to_string())?;
        return Ok(match outcome.exit {
            Exit::Code(code) => ExitCode::from(code as u8),
            Exit::Signal(signal) => ExitCode::from(128 + signal as u8),
            Exit::Running => ExitCode::SUCCESS,
        });
    }
    let start = Instant::now();
    let native = record::native(&config)?;
    let native_wall = start.elapsed();
    let start = Instant::now();
    let (outcome, counts) = if survey {
        let (outcome, survey) = record::survey(&config, &mut Alone)?;
        let instructions = survey.stretches.iter().map(|s| s.executions * s.instrs.len() as u64).sum();
        let functions = survey.entries.len() as u64;
        (outcome, Counts { instructions, functions, ..Counts::default() })
    } else {
        record::run(&config, &mut Alone, Counts::default())?
    };
    let wall = start.elapsed();
    eprintln!(
        "{:?}, {} instructions ({:.1} % folded), {} records, {} words, {} blocks, {} functions, {} stops, untracked {:?}",
        outcome.exit,
        counts.instructions,
        100.0 * counts.folded as f64 / counts.instructions.max(1) as f64,
        counts.records,
        outcome.words,
        outcome.blocks,
        counts.functions,
        outcome.stops,
        outcome.untracked,
    );
    eprintln!(
        "program {:.3} s, native {:.3} s: {:.2}x; wall {:.3} s, native {:.3} s",
        outcome.child_cpu.as_secs_f64(),
        native.child_cpu.as_secs_f64(),
        outcome.child_cpu.as_secs_f64() / native.child_cpu.as_secs_f64(),
        wall.as_secs_f64(),
        native_wall.as_secs_f64(),
    );
    Ok(ExitCode::SUCCESS)
}
