//! Reconstructs generated nests and prints what was found and how fast.
use std::time::Instant;

use reconstruct::generators::{self, Sizes};
use reconstruct::stream::{Options, Reconstructor};

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let list: Vec<_> = match args.first().map(String::as_str) {
        Some("single") => generators::SINGLE.iter().collect(),
        Some("small") => generators::SMALL.iter().collect(),
        Some("tiled") => generators::TILED.iter().collect(),
        Some(name) => vec![generators::named(name).expect("a generator")],
        None => generators::all().collect(),
    };
    let value = |key: &str| args.iter().find_map(|a| a.strip_prefix(key).map(|v| v.parse().expect("number")));
    for g in list {
        let d = g.sizes;
        let s = Sizes {
            n: value("n=").unwrap_or(d.n),
            m: value("m=").unwrap_or(d.m),
            p: value("p=").unwrap_or(d.p),
            tile: value("tile=").unwrap_or(d.tile),
            steps: value("steps=").unwrap_or(d.steps),
        };
        let runs = g.at(&s);
        let mut options = Options::default();
        options.effort.threads = value("threads=").unwrap_or(1) as usize;
        let t = Instant::now();
        let mut r = Reconstructor::new(options);
        runs.iter().for_each(|&run| r.push_run(run));
        let result = r.finish();
        let time = t.elapsed().as_secs_f64();
        let depth = result.nests.iter().map(|n| n.depth()).max().unwrap_or(0);
        let faces: usize = result.nests.iter().map(|n| n.faces()).sum();
        println!(
            "{:16} {:>11} {:>8} depth {} -> {} nests {:>4} faces {:>3} {:>9.2} ms {:>10.1} M/s {}",
            g.name, result.accesses, runs.len(), g.depth, depth, result.nests.len(), faces, time * 1e3,
            result.accesses as f64 / time / 1e6,
            if result.nests.len() > 1 { "SEVERAL" } else if depth > g.depth { "DEEPER" } else { "" }
        );
    }
}
