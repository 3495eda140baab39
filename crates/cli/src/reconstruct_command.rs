//! `loopwright reconstruct`.

use anyhow::{Result, bail};
use reconstruct::cursor::Cursor;
use reconstruct::nest::Nest;
use reconstruct::stream::{Reconstruction, Reconstructor};
use reconstruct::{codec, render, simplify, verify};

use crate::progress::Progress;
use crate::streams::{self, note, options};
use crate::streams_args::{NestFormat, ReconstructArgs};

/// Runs the command; gives the exit code.
pub fn run(args: &ReconstructArgs) -> Result<u8> {
    let mut options = options(&args.search);
    options.floors = args.floors;
    options.effort.depth = usize::from(args.max_depth);
    let mut progress = Progress::new(args.quiet);
    let read = streams::open(&args.input, false, &mut progress, move || Reconstructor::new(options))?;
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
    if let Some(levels) = args.levels {
        let modal = modal_trips(&results);
        for (_, result) in &mut results {
            for nest in &mut result.nests {
                *nest = split(nest, usize::from(levels), args.trip, &modal)?;
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

/// Constant trip counts of innermost loops, most frequent first.
fn modal_trips(results: &[(String, Reconstruction)]) -> Vec<i64> {
    let mut counts: Vec<(i64, usize)> = Vec::new();
    let innermost = results.iter().flat_map(|r| &r.1.nests).filter_map(|n| n.levels.last());
    for trips in innermost.filter_map(simplify::trips) {
        match counts.iter_mut().find(|c| c.0 == trips) {
            Some(count) => count.1 += 1,
            None => counts.push((trips, 1)),
        }
    }
    counts.sort_by_key(|c| (std::cmp::Reverse(c.1), c.0));
    counts.into_iter().map(|c| c.0).collect()
}

/// A nest of at least so many loops, by the trip count asked for or else one that other nests have or else evenly.
fn split(nest: &Nest, levels: usize, trip: Option<i64>, modal: &[i64]) -> Result<Nest> {
    if nest.depth() >= levels || nest.depth() == 0 {
        return Ok(nest.clone());
    }
    let tried = match trip {
        Some(_) => vec![trip],
        None => modal.iter().map(|&t| Some(t)).chain([None]).collect(),
    };
    for trip in tried {
        let more = simplify::split(nest.clone(), levels, trip);
        if more.depth() == levels && verify::generates([&more], nest.stride(), Cursor::new(nest)) {
            return Ok(more);
        }
    }
    match trip {
        Some(trip) => bail!(
            "no {levels} loops with an inner trip count of {trip}: no constant trip count of the {} found is a multiple",
            nest.depth()
        ),
        None => bail!("no {levels} loops: the {} found cannot be split evenly", nest.depth()),
    }
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
                out.push_str(&format!("# {}\n", summary(r)));
                out.push_str(&one(&r.nests));
            }
            out
        }
    }
}

fn summary(r: &Reconstruction) -> String {
    let plural = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
    let depth = r.nests.iter().map(Nest::depth).max().unwrap_or(0);
    format!("{} integers, {} of {}, exact", r.accesses, plural(r.nests.len(), "nest"), plural(depth, "loop"))
}
