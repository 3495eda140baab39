//! `loopwright reconstruct`.

use anyhow::{Result, bail};
use reconstruct::nest::Nest;
use reconstruct::stream::{Reconstruction, Reconstructor};
use reconstruct::{codec, levels, render};

use crate::progress::Progress;
use crate::streams::{self, note, options};
use crate::streams_args::{NestFormat, ReconstructArgs};

/// Runs the command; gives the exit code.
pub fn run(args: &ReconstructArgs) -> Result<u8> {
    let mut options = options(&args.search);
    options.floors = args.floors;
    options.effort.depth = usize::from(args.max_depth);
    let made = options.clone();
    let mut progress = Progress::new(args.quiet);
    let read = streams::open(&args.input, false, &mut progress, move || Reconstructor::new(made.clone()))?;
    let exit = read.exit_code(args.quiet);
    if !args.quiet {
        let mixed = read.mixed();
        if !mixed.is_empty() {
            note(&format!("loopwright: accesses of several sizes in one stream: {}", mixed.join(", ")));
        }
    }
    let mut results: Vec<(String, Reconstruction)> = streams::finish(read.list, options, &mut progress)
        .into_iter()
        .map(|(id, r)| (id.to_string(), r))
        .collect();
    if let Some(wanted) = args.levels {
        let modal = levels::modal_trips(results.iter().flat_map(|r| &r.1.nests));
        for (_, result) in &mut results {
            for nest in &mut result.nests {
                *nest = levels::split(nest, usize::from(wanted), args.trip, &modal)?;
            }
        }
    }
    if args.format == NestFormat::C && results.len() > 1 {
        bail!(
            "the trace has {} streams and C output is one program; choose one with --stream ID",
            results.len()
        );
    }
    let text = rendered(&results, args.format);
    streams::write(args.output.as_deref(), |out| out.write_all(text.as_bytes()))?;
    Ok(exit)
}

fn rendered(results: &[(String, Reconstruction)], format: NestFormat) -> String {
    let mut out = String::new();
    let one = |nests: &[Nest]| match format {
        NestFormat::Isl => render::isl(nests),
        _ => render::text(nests),
    };
    match format {
        NestFormat::Json => {
            let streams: Vec<render::Stream<'_>> = results
                .iter()
                .map(|(id, r)| render::Stream {
                    id,
                    nests: &r.nests,
                    accesses: r.accesses,
                    bytes: codec::size(r),
                })
                .collect();
            match streams.is_empty() {
                true => render::json(&[render::Stream { id: "0", nests: &[], accesses: 0, bytes: 0 }]),
                false => render::json(&streams),
            }
        }
        NestFormat::C => render::c(results.first().map_or(&[], |r| &r.1.nests)),
        NestFormat::Text | NestFormat::Isl => {
            if results.is_empty() {
                return "# empty trace\n".to_owned();
            }
            for (id, r) in results {
                if results.len() > 1 {
                    out.push_str(&format!("# stream {id}\n"));
                }
                out.push_str(&format!("# {}\n", render::summary(r)));
                out.push_str(&one(&r.nests));
            }
            out
        }
    }
}
