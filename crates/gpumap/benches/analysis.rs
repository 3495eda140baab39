//! Instructions analysed per second, without clang and opt: `cargo bench -p loopwright-gpumap [-- NAME-PREFIX]`.
//!
//! What is timed: everything from cones to the sections of all accesses of a source, as `loopwright gpu --dump ranges` shows them.
//! Reading the text is timed apart. Each source is analysed as often as makes about the time below; the last line is the corpus
//! as a whole.

use std::hint::black_box;
use std::time::{Duration, Instant};

use gpumap::access::show::show_ranges;
use gpumap::calls::{Cone, LENGTH};
use gpumap::ir::Module;
use gpumap::{Compiler, reader};

/// Time spent on a source at least.
const TIME: Duration = Duration::from_millis(100);

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let prefix = std::env::args().skip(1).find(|argument| !argument.starts_with('-')).unwrap_or_default();
    let compiler = Compiler::find()?;
    let (mut instructions, mut reading, mut analysing) = (0, 0.0, 0.0);
    println!("{:24} {:>12} {:>14} {:>16}", "source", "instructions", "read, 1/s", "analysed, 1/s");
    for kernel in kernels::corpus()?.iter().filter(|kernel| kernel.name().starts_with(&prefix)) {
        let text = compiler.text(&kernel.path(), &[])?;
        let module = reader::read(&text)?;
        let count = instructions_of(&module);
        let read = seconds(|| drop(black_box(reader::read(black_box(&text)))));
        let analysed = seconds(|| analyse(black_box(&module)));
        let rate = |seconds: f64| count as f64 / seconds;
        println!("{:24} {count:12} {:14.0} {:16.0}", kernel.name(), rate(read), rate(analysed));
        instructions += count;
        reading += read;
        analysing += analysed;
    }
    let rate = |seconds: f64| instructions as f64 / seconds;
    println!("{:24} {instructions:12} {:14.0} {:16.0}", "all", rate(reading), rate(analysing));
    Ok(())
}

fn instructions_of(module: &Module) -> usize {
    module.defined().flat_map(|function| &function.blocks).map(|block| block.instructions.len()).sum()
}

fn analyse(module: &Module) {
    for function in module.defined() {
        black_box(show_ranges(module, &Cone::new(module, function, LENGTH)));
    }
}

/// Seconds that something takes, on average over about [`TIME`].
fn seconds(mut run: impl FnMut()) -> f64 {
    run();
    let start = Instant::now();
    let mut times = 0;
    while start.elapsed() < TIME {
        run();
        times += 1;
    }
    start.elapsed().as_secs_f64() / f64::from(times.max(1))
}
