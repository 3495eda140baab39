//! Command line.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use fold::GiveUp;

use crate::streams_args::{CompressArgs, ExpandArgs, PredictArgs, ReconstructArgs, TraceArgs};

/// Shown after the help.
const EXAMPLES: &str = "\
Examples:
  loopwright demo                                   see what it says of a small program
  loopwright profile -o a.lwp -- ./program input    run a program (compiled with -g) and judge its loops
  loopwright report a.lwp --schedule --format html -o a.html
                                                    everything on one page, with what the loops could become
  loopwright explain a.lwp solve.c:12               what decides the verdict on a loop, and what would change it";

/// Tells you what your loops could become.
#[derive(Debug, Parser)]
#[command(name = "loopwright", version, about, propagate_version = true, after_help = EXAMPLES)]
pub struct Options {
    #[command(flatten)]
    pub color: colorchoice_clap::Color,
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run a program, analyse its loops, print a summary and write a profile.
    Profile(ProfileArgs),
    /// Print a profile written earlier.
    Report(ReportArgs),
    /// Show the page of a profile in the browser.
    Open(OpenArgs),
    /// Say what decides the verdict on a loop, and what would change it.
    Explain(ExplainArgs),
    /// Compare the verdicts and figures of two profiles.
    Diff(DiffArgs),
    /// Put the profiles of several runs together: what its loops are on all inputs.
    Merge(MergeArgs),
    /// Fail if loops of a profile are not what they have to be.
    Check(CheckArgs),
    /// Write the directives into a copy of the sources, build it, and see whether it prints the same and is faster.
    Try(TryArgs),
    /// Compile and profile a small shipped kernel.
    Demo(DemoArgs),
    /// Run a program and write the addresses that its instructions access, as runs.
    Trace(TraceArgs),
    /// Find the loop nests that generate a trace of integers.
    Reconstruct(ReconstructArgs),
    /// Write a trace of integers as the loop nests that generate it.
    Compress(CompressArgs),
    /// Write out a compressed trace.
    Expand(ExpandArgs),
    /// Replay a trace of integers and say which share of it could be predicted.
    Predict(PredictArgs),
    /// Show what the static analyses find in a C source. Takes clang and opt, version 17 to 20.
    Gpu(GpuArgs),
    /// Print a C header with two functions that mark what is to be recorded (--region).
    Header,
    /// Print the completions for a shell.
    Completions(CompletionsArgs),
    /// Write the manual pages.
    Man(ManArgs),
    /// Answer one request for a schedule; `report --schedule` starts it.
    #[command(hide = true)]
    IslWorker,
}

/// Output format of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people, in the terminal.
    Text,
    /// For programs: schema loopwright.report/1.
    Json,
    /// One page with everything: schedule tree, source, drawings, evidence. Needs no network.
    Html,
    /// The schedule tree as a flame graph.
    Svg,
    /// The schedule tree as folded stacks, for tools that draw flame graphs.
    Folded,
    /// The schedule tree as a file for speedscope.
    Speedscope,
    /// Findings for code hosts and editors, as SARIF 2.1.0; paths are relative to the current directory.
    Sarif,
    /// The polyhedral program in the notation of isl (iscc reads it).
    Isl,
    /// The polyhedral program as OpenScop, for pluto --readscop and others.
    Openscop,
    /// The table of the folding algorithm's evaluation: pieces and affine shares under the variants profiled.
    Folding,
}

/// How much a schedule fuses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Fusion {
    /// As far as parallelism and tiling do not suffer.
    Smart,
    /// As far as dependences allow.
    Max,
}

/// Whose code is recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Scope {
    /// All code.
    All,
    /// That of the program's own file.
    Main,
}

#[derive(Debug, Args)]
pub struct ProfileArgs {
    /// Where to write the profile [default: PROGRAM.lwp, with --fast PROGRAM.fast.lwp, in the current directory; PROGRAM.2.lwp if
    /// there is one, and so on]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Replace a file that is there, whatever it is.
    #[arg(long)]
    pub force: bool,
    /// Also write a report to this file, in the format that its name ends with: .html, .json, .txt, .sarif, .svg, .folded.
    #[arg(long, value_name = "FILE", value_parser = report_file)]
    pub report: Option<ReportFile>,
    /// Print nothing but errors.
    #[arg(short, long)]
    pub quiet: bool,
    /// What to print on standard error.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
    /// Run the program once (the default).
    #[arg(long, conflicts_with_all = ["two_pass", "fast"])]
    pub single_pass: bool,
    /// Run the program twice: first only to see where control goes (its output is discarded), then to record it.
    #[arg(long, conflicts_with_all = ["fast", "pid", "skip"])]
    pub two_pass: bool,
    /// Run the program twice: first to count where it spends its time (its output is discarded), then to record the loops that do
    /// 95 % of the work, reading and writing of files aside.
    #[arg(long, conflicts_with_all = ["fast", "pid", "skip", "follow", "function", "region", "scope", "record_startup"])]
    pub focus: bool,
    /// Also record the processes that the program starts, each program that they execute into a profile of its own:
    /// NAME.CHILD.PID.lwp beside NAME.lwp.
    #[arg(long, conflicts_with_all = ["two_pass", "fast", "parquet", "skip"])]
    pub follow: bool,
    /// Only count, at almost the program's own speed: hot loops and trip counts, no dependences.
    #[arg(long, conflicts_with_all = ["function", "region", "max_instructions", "skip"])]
    pub fast: bool,
    /// Record the code of the program's own file alone: libraries run unrecorded, and loops that call them get no verdict.
    #[arg(long, value_enum, default_value_t = Scope::All, conflicts_with_all = ["fast", "function", "region"])]
    pub scope: Scope,
    /// Record also what runs before the program's first own instruction: the loader, and constructors of libraries.
    #[arg(long, conflicts_with_all = ["fast", "function", "region", "pid", "skip"])]
    pub record_startup: bool,
    /// Record also functions of libraries whose contract says what they do (those of the mathematical library and of the C
    /// library), and what a runtime of OpenMP does itself. Else they run unrecorded, and stand in the profile as what is known of them.
    #[arg(long, conflicts_with = "fast")]
    pub record_libraries: bool,
    #[command(flatten)]
    pub bounds: Bounds,
    /// Give up exact coefficients of dependences where that lets instances fold together, as is done for addresses.
    #[arg(long, conflicts_with = "fast")]
    pub widen_deps: bool,
    /// Give up a stream that needs more than N pieces at a time: only the smallest and largest iterations are then known.
    /// 4d+1 stands for the default, 4 times the number of loops around it and 1 (and 32 for the phases of vector code).
    #[arg(long, value_name = "N|4d+1|never", default_value_t = GiveUp::Published, conflicts_with = "fast")]
    pub give_up: GiveUp,
    /// When the analysis needs about this much memory, give up the streams that take most of it; stop analysing where
    /// that does not help. The program runs on.
    #[arg(long, value_name = "MIB", default_value_t = 700)]
    pub memory_limit: usize,
    /// From half of this many seconds on, give up the loops that took most of the time: they and the loops around them get no
    /// verdict, all others stay exact. Stop analysing after it. The program runs on.
    #[arg(long, value_name = "SECONDS", value_parser = seconds, conflicts_with = "fast")]
    pub time_limit: Option<Duration>,
    /// Keep the program's arguments out of the profile: they may be nobody else's business.
    #[arg(long)]
    pub no_arguments: bool,
    /// Number of loops in the summary.
    #[arg(long, value_name = "N", default_value_t = 12)]
    pub top: usize,
    /// Also write its tables as Parquet files into this directory: loops, nests, statements, accesses, dependences.
    #[arg(long, value_name = "DIR")]
    pub parquet: Option<PathBuf>,
    #[command(flatten)]
    pub target: Target,
}

/// What is recorded.
#[derive(Debug, Args)]
pub struct Target {
    /// Attach to a process that runs already instead of starting a program. It is let go of at --duration, --max-instructions or
    /// Ctrl-C, and runs on.
    #[arg(long, value_name = "PID", value_parser = clap::value_parser!(i32).range(1..), conflicts_with = "command")]
    pub pid: Option<i32>,
    /// Start the program with the variables that keep OpenMP and libraries for mathematics to one thread, so that all of it is
    /// recorded.
    #[arg(long, conflicts_with = "pid")]
    pub single_thread: bool,
    /// The program and its arguments.
    #[arg(trailing_var_arg = true, required_unless_present = "pid", value_name = "PROGRAM")]
    pub command: Vec<OsString>,
}

/// Which part of a program's run is recorded.
#[derive(Debug, Args)]
pub struct Bounds {
    /// Record only inside this function and what it calls.
    #[arg(long, value_name = "NAME")]
    pub function: Option<String>,
    /// Record only from where the function BEGIN returns to where the function END is entered, as often as that happens. The
    /// header that `loopwright header` prints has two functions for that: loopwright_begin:loopwright_end.
    #[arg(long, value_name = "BEGIN:END", value_parser = region, conflicts_with = "function")]
    pub region: Option<Region>,
    /// Let the program run for this many seconds before it is recorded: what it does first is left out, and loops that are under way
    /// then get no verdict.
    #[arg(long, value_name = "SECONDS", value_parser = seconds, conflicts_with = "pid")]
    pub skip: Option<Duration>,
    /// Stop recording after about this many instructions; the program runs on.
    #[arg(long, value_name = "N")]
    pub max_instructions: Option<u64>,
    /// Stop recording after this many seconds; the program runs on.
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub duration: Option<Duration>,
}

/// Two functions, from one to the other of which is recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Region {
    pub begin: String,
    pub end: String,
}

/// `BEGIN:END`; names of C++ may have `::` in them.
fn region(text: &str) -> Result<Region, String> {
    let is_single = |at: &usize| {
        let around =
            [at.checked_sub(1), at.checked_add(1)].map(|at| at.and_then(|at| text.as_bytes().get(at)));
        around.iter().all(|byte| *byte != Some(&b':'))
    };
    let mut places = text.match_indices(':').map(|(at, _)| at).filter(is_single);
    match (places.next(), places.next()) {
        (Some(at), None) if at > 0 && at + 1 < text.len() => {
            Ok(Region { begin: text[..at].to_owned(), end: text[at + 1..].to_owned() })
        }
        _ => Err("BEGIN:END is expected, two names of functions".to_owned()),
    }
}

#[derive(Debug, Args)]
pub struct ReportArgs {
    /// The profile; with --table or --format folding as many as wanted.
    #[arg(value_name = "PROFILE", required = true)]
    pub profiles: Vec<PathBuf>,
    /// What to print [default: what the name of the file ends with, else text]
    #[arg(long, value_enum)]
    pub format: Option<Format>,
    /// Say nothing but errors beside the report.
    #[arg(short, long)]
    pub quiet: bool,
    /// Write to this file instead of standard output (`-`).
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Number of loops in the text summary, and of nests with a section of their own with --format html.
    #[arg(long, value_name = "N", default_value_t = 12)]
    pub top: usize,
    /// With --format isl, openscop or folding: only this function and what it calls.
    #[arg(long, value_name = "NAME")]
    pub function: Option<String>,
    /// Ask isl what the hottest regions could become, and print the transformed loops (with --format text, json or html).
    #[arg(long)]
    pub schedule: bool,
    /// With --schedule or --table: processor time for all regions of a profile together [default: 60]
    #[arg(long, value_name = "SECONDS")]
    pub schedule_time: Option<u64>,
    /// With --schedule or --table: what is fused [default: smart]
    #[arg(long, value_enum)]
    pub fusion: Option<Fusion>,
    /// With --schedule or --table: this region instead of the hottest ones: a loop by its name or by FILE:LINE, or the
    /// outermost loops of a function.
    #[arg(long, value_name = "NAME")]
    pub region: Option<String>,
    /// With --schedule: compare schedules with far more pairs of iterations, and say with how many.
    #[arg(long)]
    pub verify: bool,
    /// With --schedule: weigh what is proposed for loops N times as long as those of the profile [default: 1]
    #[arg(long, value_name = "N", requires = "schedule")]
    pub longer: Option<u32>,
    /// With --schedule: write the transformed regions as C into this directory, a file per nest: the original with the nest
    /// replaced. Takes clang, and a program compiled with -O0 -g.
    #[arg(long, value_name = "DIR", requires = "schedule")]
    pub code: Option<PathBuf>,
    /// With --code: an option that the sources were compiled with, such as -DN=40 or -Iinclude; may be repeated.
    #[arg(long, value_name = "OPTION", requires = "code", allow_hyphen_values = true)]
    pub code_option: Vec<String>,
    /// With --code: write code even where it is not expected to pay.
    #[arg(long, requires = "code")]
    pub regardless: bool,
    /// Print one row per profile: size of its dependence graph, its hottest region, and what that could become.
    #[arg(long, conflicts_with = "schedule")]
    pub table: bool,
    /// With --table or --format folding: print the figures of this file beside those of programs that are named in it.
    #[arg(long, value_name = "FILE.csv")]
    pub published: Option<PathBuf>,
    /// Also write the tables of the profile as Parquet files into this directory: loops, nests, statements, accesses,
    /// dependences.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["table", "schedule"])]
    pub parquet: Option<PathBuf>,
}

impl ReportArgs {
    /// The format asked for, by name or by that of the file.
    pub fn format(&self) -> Format {
        let of_file = || self.output.as_deref().and_then(Format::of_file);
        self.format.or_else(of_file).unwrap_or(Format::Text)
    }
}

/// A file for a report.
#[derive(Debug, Clone)]
pub struct ReportFile {
    /// Where.
    pub path: PathBuf,
    /// What its name ends with.
    pub format: Format,
}

fn report_file(name: &str) -> Result<ReportFile, String> {
    let path = PathBuf::from(name);
    let format =
        Format::of_file(&path).ok_or("end the name with .html, .json, .txt, .sarif, .svg or .folded")?;
    Ok(ReportFile { path, format })
}

impl Format {
    /// The format of a file of this name, if it tells.
    pub fn of_file(path: &std::path::Path) -> Option<Format> {
        Some(match path.extension()?.to_str()? {
            "html" | "htm" => Format::Html,
            "json" => Format::Json,
            "txt" => Format::Text,
            "sarif" => Format::Sarif,
            "svg" => Format::Svg,
            "folded" => Format::Folded,
            _ => return None,
        })
    }
}

#[derive(Debug, Args)]
pub struct OpenArgs {
    /// The profile.
    #[arg(value_name = "PROFILE")]
    pub profile: PathBuf,
    /// Number of nests with a section of their own.
    #[arg(long, value_name = "N", default_value_t = 12)]
    pub top: usize,
    /// Write the page, say where it is, and start nothing.
    #[arg(long)]
    pub no_browser: bool,
}

/// Formats of small reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PlainFormat {
    /// For people.
    Text,
    /// For programs.
    Json,
}

#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// The profile.
    #[arg(value_name = "PROFILE")]
    pub profile: PathBuf,
    /// The loop by its name, by FILE:LINE, or a function for all its loops; the beginning of a name will do.
    #[arg(value_name = "LOOP")]
    pub name: String,
    /// What to print.
    #[arg(long, value_enum, default_value_t = PlainFormat::Text)]
    pub format: PlainFormat,
    /// Write to this file instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct DiffArgs {
    /// The profile before.
    #[arg(value_name = "A")]
    pub before: PathBuf,
    /// The profile after.
    #[arg(value_name = "B")]
    pub after: PathBuf,
    /// What to print.
    #[arg(long, value_enum, default_value_t = PlainFormat::Text)]
    pub format: PlainFormat,
    /// Leave out changes of counts that are smaller than this, in percent.
    #[arg(long, value_name = "PERCENT", default_value_t = 0.0)]
    pub tolerance: f64,
    /// Write to this file instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct MergeArgs {
    /// Profiles of one program; merged ones are taken apart into their runs.
    #[arg(value_name = "PROFILE", required = true)]
    pub profiles: Vec<PathBuf>,
    /// Where to write the profile of all runs.
    #[arg(short, long, value_name = "FILE", default_value = "merged.lwp")]
    pub output: PathBuf,
    /// Print nothing but errors.
    #[arg(short, long)]
    pub quiet: bool,
    /// What to print about it.
    #[arg(long, value_enum, default_value_t = PlainFormat::Text)]
    pub format: PlainFormat,
    /// Number of loops in the text summary.
    #[arg(long, value_name = "N", default_value_t = 12)]
    pub top: usize,
}

#[derive(Debug, Args)]
pub struct CheckArgs {
    /// The profile.
    #[arg(value_name = "PROFILE")]
    pub profile: PathBuf,
    /// No loop of the program's own code may have a worse verdict than in this profile.
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,
    /// A requirement: "parallel LOOP", "vectorisable LOOP", "permutable LOOP" or "exact PERCENT"; may be repeated.
    #[arg(long, value_name = "REQUIREMENT")]
    pub require: Vec<String>,
    /// Check a profile too whose recording or analysis ended at a limit; without this, that is a failure.
    #[arg(long)]
    pub allow_truncated: bool,
    /// Say nothing if all is well.
    #[arg(short, long)]
    pub quiet: bool,
}

/// Shown after the help of `try`.
const TRYING: &str = "\
Nothing is written into DIRECTORY: the tree is copied twice into the system's temporary directory (TMPDIR), and both copies are
built and run there.

OpenMP gets into the build of the changed copy through compilers in front of PATH (cc, gcc, g++, clang, gfortran, …) that call the
real ones with -fopenmp. A build that names its compiler by a full path has to take $LOOPWRIGHT_OPENMP, which is -fopenmp for the
changed copy and empty for the original: --build 'make CC=/opt/cc CFLAGS=\"-O2 $LOOPWRIGHT_OPENMP\"'.

The result is kept beside the profile as PROFILE.try.json, and later reports show it.";

#[derive(Debug, Args)]
#[command(after_help = TRYING)]
pub struct TryArgs {
    /// The profile.
    #[arg(value_name = "PROFILE")]
    pub profile: PathBuf,
    /// Only the directives of these loops: a name, FILE:LINE, or a function for all its loops [default: all that the report prints]
    #[arg(value_name = "LOOP")]
    pub loops: Vec<String>,
    /// The command that builds the program, run by sh in a copy of the directory.
    #[arg(long, value_name = "COMMAND")]
    pub build: String,
    /// The command that runs the program, run by sh in a copy of the directory.
    #[arg(long, value_name = "COMMAND")]
    pub run: String,
    /// Numbers of threads, with each of which the program is run [default: 1, 2 and so on up to the processors]
    #[arg(long, value_name = "N,…", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub threads: Vec<u32>,
    /// How often the original and the changed program are run, in turn.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub rounds: u32,
    /// Numbers in the output may differ by this share of the greater one: sums of floating-point numbers depend on their order.
    #[arg(long, value_name = "X", value_parser = share, conflicts_with = "compare")]
    pub tolerance: Option<f64>,
    /// Whether two outputs are the same is what this command says: it gets two files, and exit status 0 means the same.
    /// LOOPWRIGHT_ORIGINAL and LOOPWRIGHT_CHANGED are the directories in which the programs ran.
    #[arg(long, value_name = "COMMAND")]
    pub compare: Option<String>,
    /// Also build what holds with clang's ThreadSanitizer, and drop what has a race. Takes clang and libomp; slow.
    #[arg(long)]
    pub sanitize: bool,
    /// Write what held into this file, for patch -p1 in the directory.
    #[arg(long, value_name = "FILE")]
    pub patch: Option<PathBuf>,
    /// The tree of the sources; it is copied.
    #[arg(long, value_name = "DIRECTORY", default_value = ".")]
    pub directory: PathBuf,
    /// Longest time of one run of the original.
    #[arg(long, value_name = "SECONDS", value_parser = seconds, default_value = "600")]
    pub time_limit: Duration,
    /// What to print.
    #[arg(long, value_enum, default_value_t = PlainFormat::Text)]
    pub format: PlainFormat,
    /// Say nothing but the result.
    #[arg(short, long)]
    pub quiet: bool,
}

/// Text to paste into a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Emitted {
    /// Directives of OpenMP, with the sections to copy.
    Omp,
    /// Directives of OpenACC.
    Acc,
    /// Kernels in OpenCL C with their hosts in C, with tiles in local memory where these are advised.
    Opencl,
    /// Kernels in CUDA C++ with their hosts.
    Cuda,
}

/// Which accesses of a pointer are kept in shared memory together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Grouping {
    /// Those that start and end within a sector of each other.
    Close,
    /// All that lie in the same matrix, with what lies between them.
    Whole,
}

/// A stage of the static analyses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Stage {
    /// What is read of the source: values, branches, places.
    Ir,
    /// Loops, their places, and why some are not analysed.
    Loops,
    /// Counters, numbers of iterations and addresses in terms of inputs and iterations.
    Expressions,
    /// From which address to which accesses go, in terms of inputs.
    Ranges,
}

#[derive(Debug, Args)]
pub struct GpuArgs {
    /// The source.
    #[arg(value_name = "FILE.c")]
    pub file: PathBuf,
    /// Only this function.
    #[arg(long, value_name = "NAME")]
    pub function: Option<String>,
    /// A profile of the program: which loops' iterations depended on each other, and how often they ran.
    #[arg(long, value_name = "PROFILE", conflicts_with = "dump")]
    pub profile: Option<PathBuf>,
    /// Only the loops that begin on this line.
    #[arg(long = "loop", value_name = "LINE", conflicts_with = "dump")]
    pub line: Option<u32>,
    /// Output format.
    #[arg(long, value_enum, default_value_t = PlainFormat::Text, conflicts_with_all = ["dump", "emit"])]
    pub format: PlainFormat,
    /// Print what can be pasted into the source instead of the report.
    #[arg(long, value_enum, value_name = "KIND", conflicts_with = "dump")]
    pub emit: Option<Emitted>,
    /// Run each directive or kernel beside the sequential program before it is shown (with --emit omp, opencl or cuda): on inputs that are made up, with memory that may not be touched around every array. What fails, or cannot be run, is not shown.
    #[arg(long, requires = "emit")]
    pub verify: bool,
    /// Print a stage of the analysis instead of the report.
    #[arg(long, value_enum, value_name = "STAGE")]
    pub dump: Option<Stage>,
    /// Follow calls this deep: the functions called are analysed once for each chain of calls.
    #[arg(long, value_name = "N", default_value_t = gpumap::calls::LENGTH)]
    pub calls: usize,
    /// Threads of a block along x, y and z.
    #[arg(long, value_name = "XxYxZ", default_value_t, conflicts_with = "dump")]
    pub block: gpumap::device::Block,
    /// The device: fermi, sm_70, sm_75, sm_80, sm_86, sm_89, sm_90, sm_100 or sm_120.
    #[arg(long, value_name = "NAME", default_value = "sm_90", conflicts_with = "dump")]
    pub device: String,
    /// Which accesses of a pointer are kept in shared memory together.
    #[arg(long, value_enum, value_name = "HOW", default_value_t = Grouping::Close, conflicts_with = "dump")]
    pub grouping: Grouping,
    /// Give an input the value that it has in a run (for the report and --dump ranges): a parameter, or a member such as in->width or in.width.
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = given)]
    pub values: Vec<(String, i64)>,
    /// Write to this file instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Options for the compiler, such as -DN=40 or -Iinclude.
    #[arg(last = true, value_name = "CFLAGS")]
    pub options: Vec<String>,
}

#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell.
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
}

#[derive(Debug, Args)]
pub struct ManArgs {
    /// Directory to write them into, a page per command.
    #[arg(value_name = "DIR")]
    pub directory: PathBuf,
}

#[derive(Debug, Args)]
pub struct DemoArgs {
    /// Directory for the kernel, its program and its profile [default: a new one under the system's temporary directory]
    #[arg(long, value_name = "DIR")]
    pub directory: Option<PathBuf>,
}

/// A time in seconds.
pub fn seconds(text: &str) -> Result<Duration, String> {
    let expected = "expected a number of seconds such as 2.5";
    let number: f64 = text.parse().map_err(|_| expected.to_owned())?;
    let time = Duration::try_from_secs_f64(number).map_err(|_| expected.to_owned())?;
    if time.is_zero() { Err("nothing can be done in no time".to_owned()) } else { Ok(time) }
}

/// A share between 0 and 1.
fn share(text: &str) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|_| "expected a number such as 1e-9".to_owned())?;
    if (0.0..1.0).contains(&number) { Ok(number) } else { Err("expected a number from 0 to 1".to_owned()) }
}

/// A name and its value.
fn given(text: &str) -> Result<(String, i64), String> {
    let (name, value) = text.rsplit_once('=').ok_or("NAME=VALUE is expected")?;
    let value = value.trim().parse().map_err(|_| format!("{value:?} is no integer of 64 bits"))?;
    Ok((name.trim().to_owned(), value))
}
