//! The `loopwright` program: arguments, exit codes, nothing else.
#![forbid(unsafe_code)]

mod args;
mod caches;
mod check_command;
mod code_files;
mod compress_command;
mod demo;
mod diff_command;
mod explain_command;
mod following;
mod generated;
mod gpu_command;
mod gpu_profile;
mod lenses;
mod merge_command;
mod open_command;
mod output;
mod parquet_files;
mod predict_command;
mod profile_command;
mod progress;
mod reconstruct_command;
mod recording;
mod report_command;
mod source_files;
mod spmv_command;
mod streams;
mod streams_args;
mod trace_command;
mod try_command;

use std::io::Write;
use std::process::ExitCode;

use clap::Parser;

use args::{Command, Options};

/// Profiles are many small vectors: the library's own allocator takes a fifth of the time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let options = match Options::try_parse() {
        Ok(options) => options,
        Err(error) => {
            // Help and version are not errors; a wrong command line is. If even printing fails there is nobody to tell.
            let _ = error.print();
            // The codes below 125 are those of the program that `profile` runs.
            let usage = if std::env::args_os().nth(1).is_some_and(|a| a == "profile" || a == "trace") {
                125
            } else {
                2
            };
            return ExitCode::from(if error.use_stderr() { usage } else { 0 });
        }
    };
    options.color.write_global();
    if let Some(columns) = columns(&options.command) {
        report::width::set(columns);
    }
    let (result, failure) = match &options.command {
        Command::Profile(profile) => (profile_command::run(profile), 125),
        Command::Report(report) => (report_command::run(report), 2),
        Command::Open(open) => (open_command::run(open), 2),
        Command::Explain(explain) => (explain_command::run(explain), 2),
        Command::Diff(diff) => (diff_command::run(diff), 2),
        Command::Merge(merge) => (merge_command::run(merge), 2),
        Command::Check(check) => (check_command::run(check), 2),
        Command::Try(tried) => (try_command::run(tried), 2),
        Command::Demo(demo) => (demo::run(demo), 2),
        Command::Trace(trace) => (trace_command::run(trace), 125),
        Command::Reconstruct(reconstruct) => (reconstruct_command::run(reconstruct), 2),
        Command::Compress(compress) => (compress_command::compress(compress), 2),
        Command::Expand(expand) => (compress_command::expand(expand), 2),
        Command::Predict(predict) => (predict_command::run(predict), 2),
        Command::Gpu(gpu) => (gpu_command::run(gpu), 2),
        Command::Header => (generated::header(), 2),
        Command::Completions(completions) => (generated::completions(completions), 2),
        Command::Man(man) => (generated::manual(man), 2),
        Command::IslWorker => (report_command::serve_schedule(), 2),
    };
    match result {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            // Where standard error is closed the exit code has to do.
            let text = message(&error);
            let _ = writeln!(anstream::stderr(), "loopwright: {}", report::plain::plain(&text));
            let code = error.downcast_ref::<record::Error>().map_or(failure, profile_command::failure_code);
            ExitCode::from(code)
        }
    }
}

/// What went wrong and why, down to a cause that is already part of the text.
fn message(error: &anyhow::Error) -> String {
    let mut text = error.to_string();
    for cause in error.chain().skip(1).map(ToString::to_string) {
        if text.contains(&cause) {
            break;
        }
        text.push_str(": ");
        text.push_str(&cause);
    }
    text
}

/// Columns of the terminal that a command writes text for people to, if it is one.
fn columns(command: &Command) -> Option<usize> {
    let size = match command {
        Command::Profile(_) => rustix::termios::tcgetwinsize(std::io::stderr()),
        _ => rustix::termios::tcgetwinsize(std::io::stdout()),
    };
    size.ok().map(|size| usize::from(size.ws_col)).filter(|columns| *columns > 0)
}
