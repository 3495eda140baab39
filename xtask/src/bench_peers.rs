//! Sizes and times beside nested loop recognition, `xz -6` and `zstd -19`, on traces of every kind.

use std::fmt::Write;
use std::hint::black_box;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use reconstruct::codec::{self, Integers};
use reconstruct::corpus;
use reconstruct::generators;
use reconstruct::run::Run;
use reconstruct::stream::Reconstructor;

use crate::nlr::Peer;

/// Integers of a trace, at most.
const MOST: usize = 120_000;
/// What a file may be larger than any other form.
const ALLOWED: usize = 64;

/// The table.
pub fn peers() -> Result<String> {
    let mut out = String::from(
        "Bytes for the same integers, and milliseconds: `.lwc` as `loopwright compress` writes it (with the search), nested loop \
         recognition (Ketterlin and Clauss 2008; written for this table, window 32, its terms under `zstd -19` where that is \
         smaller), `xz -6` and `zstd -19` of the raw 8-byte integers. No file is to be larger than the smallest of the others \
         by more than 64 bytes, or to take more than twice as long as nested loop recognition where that finds the loops \
         (less than a byte in 100 integers).\n\n\
         | trace | integers | statements | .lwc | NLR | xz | zstd | ms | NLR ms |\n|---|---|---|---|---|---|---|---|---|\n",
    );
    let (mut large, mut slow, mut count) = (Vec::new(), Vec::new(), 0);
    for (name, values) in traces() {
        let row = measured(name, &values)?;
        let [found, lwc, nlr, xz, zstd] = row.sizes;
        writeln!(
            out,
            "| {name} | {} | {found} | {lwc} | {nlr} | {xz} | {zstd} | {:.1} | {:.1} |",
            values.len(),
            row.own * 1e3,
            row.peer * 1e3
        )?;
        count += 1;
        if lwc > nlr.min(xz).min(zstd) + ALLOWED {
            large.push(name);
        }
        if nlr * 100 < values.len() && row.own > 2.0 * row.peer {
            slow.push(name);
        }
    }
    let list =
        |names: &[&str]| if names.is_empty() { String::new() } else { format!(" ({})", names.join(", ")) };
    writeln!(
        out,
        "\nOf {count} traces, {} are larger than the smallest other form by more than {ALLOWED} bytes{}; {} take more than \
         twice as long as nested loop recognition that finds the loops{}.",
        large.len(),
        list(&large),
        slow.len(),
        list(&slow)
    )?;
    Ok(out)
}

/// All generators, cut to a size that the slowest compressor can do, and the traces that are no nests.
fn traces() -> impl Iterator<Item = (&'static str, Vec<i64>)> {
    let regular = generators::all().map(|g| {
        let mut values = Vec::new();
        g.runs(&g.sizes, &mut |run: Run| {
            let room = MOST - values.len().min(MOST);
            values.extend(run.values().take(room));
        });
        (g.name, values)
    });
    let irregular = corpus::ALL.iter().map(|trace| {
        let mut values = trace.all();
        values.truncate(MOST);
        (trace.name, values)
    });
    regular.chain(irregular)
}

struct Row {
    /// Statements, bytes of the file, of the peer, of xz, of zstd.
    sizes: [usize; 5],
    own: f64,
    peer: f64,
}

fn measured(name: &str, values: &[i64]) -> Result<Row> {
    let start = Instant::now();
    let mut all = Reconstructor::default();
    all.push(values);
    let found = all.finish();
    let file = codec::encode(&[((0, 0), &found)], None);
    let own = start.elapsed().as_secs_f64();
    let decoded = codec::decode(&file).context(name.to_owned())?;
    let back = decoded.streams.first().map(|s| Integers::of(&s.statements).eq(values.iter().copied()));
    ensure!(back == Some(true), "{name}: the file holds other integers");
    let start = Instant::now();
    let mut peer = Peer::default();
    values.iter().for_each(|&value| peer.push(value));
    let bytes = black_box(peer.bytes());
    let peer_time = start.elapsed().as_secs_f64();
    let raw: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    let nlr = bytes.len().min(zstd::encode_all(&bytes[..], 19)?.len());
    let xz = xz(&raw)?.len();
    let zstd = zstd::encode_all(&raw[..], 19)?.len();
    Ok(Row { sizes: [found.nests.len(), file.len(), nlr, xz, zstd], own, peer: peer_time })
}

fn xz(bytes: &[u8]) -> Result<Vec<u8>> {
    use std::io::Write as _;
    let mut encoder = liblzma::write::XzEncoder::new(Vec::new(), 6);
    encoder.write_all(bytes)?;
    Ok(encoder.finish()?)
}
