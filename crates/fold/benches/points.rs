//! Points and runs folded per second, one thread: `cargo bench -p loopwright-fold [-- NAME-PREFIX]`.
//!
//! Every stream is folded as often as makes about a second; points are made in the loop that hands them over.

use fold::{Folded, Folder, Options};
use std::hint::black_box;
use std::time::{Duration, Instant};

/// Time spent on a stream at least.
const TIME: Duration = Duration::from_millis(700);

struct Stream {
    name: &'static str,
    /// Label of `(i, j)`.
    label: fn(i64, i64) -> i64,
    /// Points of row i.
    length: fn(i64) -> i64,
    rows: i64,
    /// Whether rows are runs.
    runs: bool,
    widen: bool,
}

const STREAMS: [Stream; 6] = [
    Stream {
        name: "box",
        label: |i, j| 8000 * i + 8 * j,
        length: |_| 1000,
        rows: 1000,
        runs: true,
        widen: true,
    },
    Stream {
        name: "box, short rows",
        label: |i, j| 800 * i + 8 * j,
        length: |_| 8,
        rows: 100_000,
        runs: true,
        widen: true,
    },
    Stream {
        name: "triangle",
        label: |i, j| 8000 * i + 8 * j,
        length: |i| i + 1,
        rows: 1000,
        runs: true,
        widen: true,
    },
    Stream {
        name: "rows of pointers",
        label: |i, j| (i * 7919) % 10_007 * 4096 + 8 * j,
        length: |_| 1000,
        rows: 1000,
        runs: true,
        widen: true,
    },
    Stream {
        name: "same table",
        label: |_, j| (j * 7919) % 10_007,
        length: |_| 1000,
        rows: 1000,
        runs: false,
        widen: true,
    },
    Stream {
        name: "irregular",
        label: |i, j| ((i * 1000 + j) * 7919) % 1_000_003,
        length: |_| 1000,
        rows: 1000,
        runs: false,
        widen: true,
    },
];

fn by_points(stream: &Stream) -> Folded {
    let mut folder = Folder::new(2, 1, Options::for_dimensions(2, stream.widen));
    for i in 0..stream.rows {
        for j in 0..(stream.length)(i) {
            folder.point(&[i, j], &[(stream.label)(i, j)]);
        }
    }
    folder.finish()
}

fn by_runs(stream: &Stream) -> Folded {
    let mut folder = Folder::new(2, 1, Options::for_dimensions(2, stream.widen));
    for i in 0..stream.rows {
        let advance = (stream.label)(i, 1) - (stream.label)(i, 0);
        folder.run(&[i, 0], (stream.length)(i) as u64, &[(stream.label)(i, 0)], &[advance]);
    }
    folder.finish()
}

/// Seconds of one call, from as many as take [`TIME`], and the number of pieces.
fn time(fold: impl Fn() -> Folded) -> (f64, usize) {
    let start = Instant::now();
    let (mut calls, mut pieces) = (0, 0);
    while start.elapsed() < TIME {
        pieces = black_box(fold()).pieces.len();
        calls += 1;
    }
    (start.elapsed().as_secs_f64() / f64::from(calls), pieces)
}

fn main() {
    // cargo adds options of its own.
    let prefix = std::env::args().skip(1).find(|a| !a.starts_with('-')).unwrap_or_default();
    println!("stream             M points/s  M runs/s  pieces");
    for stream in STREAMS.iter().filter(|s| s.name.starts_with(&prefix)) {
        let points: i64 = (0..stream.rows).map(stream.length).sum();
        let (seconds, pieces) = time(|| by_points(stream));
        let runs =
            stream.runs.then(|| format!("{:.1}", stream.rows as f64 / time(|| by_runs(stream)).0 / 1e6));
        let runs = runs.unwrap_or_default();
        println!("{:18} {:10.1} {runs:>9} {pieces:7}", stream.name, points as f64 / seconds / 1e6);
    }
}
