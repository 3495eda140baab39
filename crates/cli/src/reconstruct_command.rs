//! `loopwright reconstruct`.

use anyhow::{Result, bail};
use reconstruct::statement::Statement;
use reconstruct::stream::Reconstructor;
use reconstruct::{codec, levels, render};

use crate::progress::Progress;
use crate::recording::INTERRUPTED;
use crate::spmv_command;
use crate::streams::{self, Found, note, options};
use crate::streams_args::{NestFormat, ReconstructArgs};

/// Runs the command; gives the exit code.
pub fn run(args: &ReconstructArgs) -> Result<u8> {
    if let Some(matrix) = &args.spmv {
        return spmv_command::run(args, matrix);
    }
    let mut options = options(&args.search);
    options.floors = args.floors;
    options.time = Some(args.search.time_limit);
    let made = options.clone();
    let mut progress = Progress::new(args.quiet);
    let read = streams::open(&args.input, false, &mut progress, move |_| Reconstructor::new(made.clone()))?;
    let mut exit = read.exit_code(args.quiet);
    if !args.quiet {
        let mixed = read.mixed();
        if !mixed.is_empty() {
            note(&format!("loopwright: accesses of several sizes in one stream: {}", mixed.join(", ")));
        }
    }
    let effort = streams::effort(&options, args.search.time_limit, read.list.len(), &read.stop);
    let unsigned = read.unsigned;
    let (mut results, is_stopped) = streams::finish(read.list, &effort, &mut progress);
    if is_stopped {
        exit = INTERRUPTED;
        if !args.quiet {
            note(streams::SEARCH_ENDED);
        }
    }
    if let Some(wanted) = args.levels {
        let modal =
            levels::modal_trips(results.iter().flat_map(|r| &r.result.nests).filter_map(Statement::nest));
        for found in &mut results {
            for statement in &mut found.result.nests {
                if let Statement::Nest(nest) = statement {
                    *nest = levels::split(nest, usize::from(wanted), args.trip, &modal)?;
                }
            }
        }
    }
    if args.format == NestFormat::C && results.len() > 1 {
        bail!(
            "the trace has {} streams and C output is one program; choose one with --stream ID",
            results.len()
        );
    }
    let text = rendered(&results, args.format, render::Numbers::of(unsigned));
    streams::write(args.output.as_deref(), |out| out.write_all(text.as_bytes()))?;
    Ok(exit)
}

fn rendered(results: &[Found], format: NestFormat, numbers: render::Numbers) -> String {
    let mut out = String::new();
    let one = |statements: &[Statement]| match format {
        NestFormat::Isl => render::isl(statements, numbers),
        _ => render::text(statements, numbers),
    };
    match format {
        NestFormat::Json => {
            let streams = results.iter().map(|found| render::Stream {
                id: &found.name,
                nests: &found.result.nests,
                accesses: found.result.accesses,
                bytes: codec::size(&found.result),
            });
            render::json(&streams.collect::<Vec<_>>(), numbers)
        }
        NestFormat::C => render::c(results.first().map_or(&[], |found| &found.result.nests), numbers),
        NestFormat::Text | NestFormat::Isl => {
            if results.is_empty() {
                return "# empty trace\n".to_owned();
            }
            for Found { name, result } in results {
                if results.len() > 1 {
                    out.push_str(&format!("# stream {name}\n"));
                }
                out.push_str(&format!("# {}\n", render::summary(result)));
                out.push_str(&one(&result.nests));
            }
            out
        }
    }
}
