//! Command line of the commands that work on traces of integers.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use crate::args::{Bounds, Target, seconds};

/// Format of a trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum InputFormat {
    /// One integer per line, or `id address`.
    Text,
    /// Raw little-endian signed 8-byte integers.
    I64,
    /// Raw little-endian unsigned 8-byte integers.
    U64,
    /// NumPy array of integers.
    Npy,
    /// Valgrind --tool=lackey --trace-mem=yes.
    Lackey,
    /// Intel Pin pinatrace.
    Pinatrace,
    /// Written by loopwright trace.
    Lwt,
}

/// How nests are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum NestFormat {
    /// Loops, for people.
    Text,
    /// A C program that prints the trace.
    C,
    /// isl notation: domain, schedule, access.
    Isl,
    /// For programs: schema loopwright.nest/1.
    Json,
    /// With --whole: OpenScop 1.0, for tools such as Pluto.
    Openscop,
}

/// How an expanded trace is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OutputFormat {
    /// One integer per line, with the stream's id before it if there are several streams.
    Text,
    /// Raw little-endian signed 8-byte integers; for one stream.
    I64,
}

/// A trace.
#[derive(Debug, Args)]
pub struct Input {
    /// The trace; `-` or nothing is standard input.
    #[arg(value_name = "TRACE", default_value = "-")]
    pub trace: PathBuf,
    /// Format of the trace; guessed when absent.
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub input_format: Option<InputFormat>,
    /// Only the stream of this id (ADDRESS:load, ADDRESS:store, and what follows), or all whose ids begin so.
    #[arg(long, value_name = "ID")]
    pub stream: Option<String>,
}

/// How hard to search.
#[derive(Debug, Args)]
pub struct Search {
    /// Strategies tried at the same time [default: one per processor]; the result does not depend on it.
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    /// Stop looking for fewer loops or nests so long after the trace was read; the answer is exact all the same.
    #[arg(long, value_name = "SECONDS", value_parser = seconds, default_value = "60")]
    pub time_limit: Duration,
    /// Deepest nest.
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u8).range(1..=12))]
    pub max_depth: u8,
}

#[derive(Debug, Args)]
pub struct ReconstructArgs {
    #[command(flatten)]
    pub input: Input,
    /// What to print.
    #[arg(long, value_enum, default_value_t = NestFormat::Text)]
    pub format: NestFormat,
    /// Write to this file instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Split loops with a constant trip count until there are this many.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=12))]
    pub levels: Option<u8>,
    /// With --levels: the trip count of the inner loop of a split [default: the most frequent one that divides].
    #[arg(long, value_name = "COUNT", requires = "levels", value_parser = clap::value_parser!(i64).range(2..))]
    pub trip: Option<i64>,
    /// Join loops even where the bounds inside then need divisions.
    #[arg(long)]
    pub floors: bool,
    /// Of what is one nest of up to three loops: try all nests of fewer loops with one bound a side, and say that there is none.
    #[arg(long, conflicts_with_all = ["levels", "approximate", "spmv", "whole"])]
    pub prove: bool,
    /// One program of all streams together, in the order of the trace: loops whose bodies access several streams. For traces that
    /// keep this order (`trace --ordered`, text with ids, lackey, pinatrace). With --format c, a program that prints the trace.
    #[arg(long, conflicts_with_all = ["levels", "approximate", "spmv"])]
    pub whole: bool,
    /// Allow this share of the integers (0.01, or 1%) to be exceptions from the loops: integers that are others, come in addition, or
    /// are missing. They are listed, and are a trace of their own; without any where that would be no shorter.
    #[arg(long, value_name = "SHARE", value_parser = share, conflicts_with_all = ["levels"])]
    pub approximate: Option<f64>,
    /// Instead of a trace: the entries of a sparse matrix (Matrix Market), row by row. Finds blocks with affine rows and columns,
    /// checks the product y = A x that is made of them, and times it beside that from compressed rows, for which it takes `cc`.
    /// With --output, the product is written as C.
    #[arg(long, value_name = "MATRIX.mtx", conflicts_with_all = ["trace", "input_format", "stream", "levels", "approximate"])]
    pub spmv: Option<PathBuf>,
    /// Print nothing but the result and errors.
    #[arg(short, long)]
    pub quiet: bool,
    #[command(flatten)]
    pub search: Search,
}

/// A part of a whole, `0.01` or `1%`.
fn share(text: &str) -> Result<f64, String> {
    let (number, whole) = text.strip_suffix('%').map_or((text, 1.0), |percent| (percent, 100.0));
    let share = number.trim().parse::<f64>().map(|number| number / whole);
    share
        .ok()
        .filter(|share| (0.0..=1.0).contains(share))
        .ok_or_else(|| "a share is between 0 and 1, or 0% and 100%".to_owned())
}

#[derive(Debug, Args)]
pub struct CompressArgs {
    #[command(flatten)]
    pub input: Input,
    /// Where to write the compressed trace [default: TRACE.lwc]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Print nothing but errors.
    #[arg(short, long)]
    pub quiet: bool,
    #[command(flatten)]
    pub search: Search,
}

#[derive(Debug, Args)]
pub struct ExpandArgs {
    /// The compressed trace; `-` or nothing is standard input.
    #[arg(value_name = "FILE", default_value = "-")]
    pub file: PathBuf,
    /// Write only the first so many integers; a trace of more than 10^12 is written only with this.
    #[arg(long, value_name = "COUNT")]
    pub first: Option<u64>,
    /// How to write the integers.
    #[arg(long, value_enum, default_value_t = OutputFormat::Text)]
    pub format: OutputFormat,
    /// Write to this file instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct PredictArgs {
    #[command(flatten)]
    pub input: Input,
    /// Write to this file instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Also print the next integers that are expected.
    #[arg(long, value_name = "K", default_value_t = 0)]
    pub next: usize,
}

#[derive(Debug, Args)]
pub struct TraceArgs {
    /// Where to write the trace [default: PROGRAM.lwt in the current directory]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Print nothing but errors.
    #[arg(short, long)]
    pub quiet: bool,
    /// One stream per instruction and direction, whatever called it [default: one per chain of calls and loops as well]
    #[arg(long)]
    pub merge_contexts: bool,
    /// Keep the order between streams: for `reconstruct --whole`. The file is larger.
    #[arg(long, conflicts_with = "merge_contexts")]
    pub ordered: bool,
    /// Also write the accesses into this Parquet file, a row each: stream, value.
    #[arg(long, value_name = "FILE")]
    pub parquet: Option<PathBuf>,
    #[command(flatten)]
    pub bounds: Bounds,
    #[command(flatten)]
    pub target: Target,
}
