//! Size, time and memory of the page of a program with 5,000 loops. A file of its own, so that the memory is its alone.

use std::time::Instant;

use report::html::{Options, Sources, files, page};
use schedule::synthetic::{Shape, profile};

/// Most of this process at one time, in MiB.
fn most_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() / 1024
}

#[test]
fn five_thousand_loops_take_two_seconds() {
    for shape in [Shape::Stencil, Shape::Random] {
        let program = profile(shape, 2500);
        let start = Instant::now();
        let report = report::report(&program);
        let verdicts = start.elapsed();
        let start = Instant::now();
        let options = Options { nests: 12 };
        assert!(files(&report, options).contains("made_up.c"));
        let text = page(&report, &Sources::new(), options);
        let rendering = start.elapsed();
        let memory = most_memory();
        println!(
            "{shape:?}: {} loops: verdicts {:.2} s, page {:.2} s, {:.2} MB, at most {memory} MiB",
            report.loops.len(),
            verdicts.as_secs_f64(),
            rendering.as_secs_f64(),
            text.len() as f64 / 1e6,
        );
        assert_eq!(report.loops.len(), 5001);
        assert!(text.len() < 10_000_000, "{} bytes", text.len());
        assert!(rendering.as_secs_f64() < 2.0, "{rendering:?}");
        assert!(memory < 500, "{memory} MiB");
    }
}
