//! `loopwright compress` and `loopwright expand`.

use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use reconstruct::codec::{self, Integers, Stored};
use reconstruct::stream::{Reconstruction, Reconstructor};
use trace::accesses::{Kind, StreamId};

use crate::progress::Progress;
use crate::streams::{self, is_standard_input, note, options};
use crate::streams_args::{CompressArgs, ExpandArgs, OutputFormat};

/// Runs `compress`; gives the exit code.
pub fn compress(args: &CompressArgs) -> Result<u8> {
    let output = match &args.output {
        Some(path) => path.clone(),
        None if is_standard_input(&args.input.trace) => {
            bail!("standard input has no name; give one with -o FILE")
        }
        None => {
            let mut name = args.input.trace.clone().into_os_string();
            name.push(".lwc");
            PathBuf::from(name)
        }
    };
    let options = options(&args.search);
    let made = options.clone();
    let mut progress = Progress::new(args.quiet);
    let read = streams::open(&args.input, true, &mut progress, move || Reconstructor::new(made.clone()))?;
    let exit = read.exit_code(args.quiet);
    let streams: Vec<((u64, u8), Reconstruction)> = streams::finish(read.list, options, &mut progress)
        .into_iter()
        .map(|(id, r)| ((id.number, id.kind.code()), r))
        .collect();
    // With one stream there is no order to keep.
    let order = read.order.filter(|_| streams.len() > 1).map(Reconstructor::finish);
    let list: Vec<((u64, u8), &Reconstruction)> = streams.iter().map(|s| (s.0, &s.1)).collect();
    let bytes = codec::encode(&list, order.as_ref());
    streams::write(Some(&output), |out| out.write_all(&bytes))?;
    if !args.quiet {
        let accesses: u64 = streams.iter().map(|s| s.1.accesses).sum();
        let nests: usize = streams.iter().map(|s| s.1.nests.len()).sum();
        note(&format!(
            "{}: {accesses} integers of {} streams in {nests} nests, {} bytes ({:.2} bits per integer)",
            output.display(),
            streams.len(),
            bytes.len(),
            bytes.len() as f64 * 8.0 / accesses.max(1) as f64
        ));
    }
    Ok(exit)
}

/// Runs `expand`; gives the exit code.
pub fn expand(args: &ExpandArgs) -> Result<u8> {
    let name = args.file.display();
    let bytes = std::fs::read(&args.file).with_context(|| name.to_string())?;
    let file = codec::decode(&bytes).with_context(|| name.to_string())?;
    if args.format == OutputFormat::I64 && file.streams.len() > 1 {
        bail!(
            "{name} has {} streams; raw integers have no room for their ids, use --format text",
            file.streams.len()
        );
    }
    streams::write(args.output.as_deref(), |out| match (&file.order, args.format) {
        (Some(order), OutputFormat::Text) => interleaved(&file.streams, order, out),
        _ => one_by_one(&file.streams, args.format, out),
    })?;
    Ok(0)
}

fn id_of(stream: &Stored) -> StreamId {
    StreamId { number: stream.id.0, kind: Kind::of(stream.id.1).unwrap_or_default() }
}

fn one_by_one(streams: &[Stored], format: OutputFormat, out: &mut dyn Write) -> io::Result<()> {
    let named = streams.len() > 1 || streams.iter().any(|s| id_of(s) != StreamId::default());
    for stream in streams {
        let id = id_of(stream);
        for value in Integers::of(&stream.content) {
            match format {
                OutputFormat::I64 => out.write_all(&value.to_le_bytes())?,
                OutputFormat::Text if named => writeln!(out, "{id} {value}")?,
                OutputFormat::Text => writeln!(out, "{value}")?,
            }
        }
    }
    Ok(())
}

fn interleaved(streams: &[Stored], order: &Stored, out: &mut dyn Write) -> io::Result<()> {
    let damaged =
        || io::Error::new(io::ErrorKind::InvalidData, "damaged file: the order does not fit the streams");
    let mut all: Vec<(String, Integers<'_>)> =
        streams.iter().map(|s| (id_of(s).to_string(), Integers::of(&s.content))).collect();
    for index in Integers::of(&order.content) {
        let (id, values) = usize::try_from(index).ok().and_then(|i| all.get_mut(i)).ok_or_else(damaged)?;
        let value = values.next().ok_or_else(damaged)?;
        writeln!(out, "{id} {value}")?;
    }
    Ok(())
}
