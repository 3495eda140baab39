//! Instructions analysed per second, without clang and opt: `cargo bench -p loopwright-gpumap [-- FILTER]`.
//!
//! *analysed*: everything from cones to the sections of all accesses of a source, as `loopwright gpu --dump ranges` shows them;
//! *read*: reading the text. `corpus` is all sources together; its rate is the one that has a target.

use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput};
use gpumap::access::show::show_ranges;
use gpumap::calls::{Cone, LENGTH};
use gpumap::ir::Module;
use gpumap::{Compiler, reader};

struct Source {
    name: String,
    text: String,
    module: Module,
}

impl Source {
    fn instructions(&self) -> u64 {
        let blocks = self.module.defined().flat_map(|function| &function.blocks);
        blocks.map(|block| block.instructions.len() as u64).sum()
    }
}

fn sources() -> Vec<Source> {
    let compiler = Compiler::find().expect("clang and opt are needed");
    let source = |kernel: &kernels::Static| {
        let text = compiler.text(&kernel.path(), &[]).expect("kernels compile");
        let module = reader::read(&text).expect("kernels can be read");
        Source { name: kernel.name().to_owned(), text, module }
    };
    kernels::corpus().expect("the corpus is there").iter().map(source).collect()
}

fn analyse(module: &Module) {
    for function in module.defined() {
        black_box(show_ranges(module, &Cone::new(module, function, LENGTH)));
    }
}

fn analysis(criterion: &mut Criterion) {
    let sources = sources();
    let all = sources.iter().map(Source::instructions).sum();
    let mut group = criterion.benchmark_group("corpus");
    group.sample_size(10).throughput(Throughput::Elements(all));
    group.bench_function("read", |bencher| {
        bencher.iter(|| {
            for source in &sources {
                drop(black_box(reader::read(black_box(&source.text))));
            }
        });
    });
    group.bench_function("analysed", |bencher| {
        bencher.iter(|| sources.iter().for_each(|source| analyse(black_box(&source.module))));
    });
    group.finish();
    let mut group = criterion.benchmark_group("source");
    group
        .sample_size(10)
        .warm_up_time(Duration::from_millis(100))
        .measurement_time(Duration::from_millis(500));
    for source in &sources {
        group.throughput(Throughput::Elements(source.instructions()));
        let id = BenchmarkId::new("analysed", &source.name);
        group.bench_with_input(id, &source.module, |bencher, module| bencher.iter(|| analyse(module)));
    }
    group.finish();
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    analysis(&mut criterion);
    criterion.final_summary();
}
