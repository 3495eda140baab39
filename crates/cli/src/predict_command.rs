//! `loopwright predict`.

use std::fmt::Write as _;

use anyhow::Result;
use reconstruct::predict::Predictor;
use reconstruct::run::Run;

use crate::progress::Progress;
use crate::streams::{self, Consumer};
use crate::streams_args::PredictArgs;

impl Consumer for Predictor {
    fn values(&mut self, values: &[i64]) {
        self.push_all(values);
    }

    fn run(&mut self, run: Run) {
        self.push_run(run);
    }
}

/// Runs the command; gives the exit code.
pub fn run(args: &PredictArgs) -> Result<u8> {
    let read = streams::open(&args.input, false, &mut Progress::new(false), |_| Predictor::new())?;
    let exit = read.exit_code(false);
    let mut out = String::new();
    let (mut predicted, mut accesses) = (0, 0);
    let share = |predicted: u64, accesses: u64| predicted as f64 * 100.0 / accesses.max(1) as f64;
    // Writing to a string cannot fail.
    let _ = writeln!(out, "{:>9}  {:>14}  {:>14}  stream", "predicted", "right", "integers");
    for stream in &read.list {
        let p = &stream.consumer;
        let (right, all) = (p.predicted(), p.accesses());
        let _ = writeln!(out, "{:>7.3} %  {right:>14}  {all:>14}  {}", share(right, all), stream.name);
        if args.next > 0 {
            let next: Vec<String> = p.following(args.next).iter().map(i64::to_string).collect();
            let _ = writeln!(out, "           next: {}", next.join(" "));
        }
        predicted += right;
        accesses += all;
    }
    let _ = writeln!(out, "{:>7.3} %  {predicted:>14}  {accesses:>14}  all", share(predicted, accesses));
    streams::write(args.output.as_deref(), |to| to.write_all(out.as_bytes()))?;
    Ok(exit)
}
