//! Time per record and per access of the kernels: `cargo bench -p loopwright-shadow [-- NAME-PREFIX]`.

use shadow::kernels::{ALL, Kernel};
use shadow::{Client, DependenceRun, Iv, Kind, Memory, Options, Stmt};
use std::hint::black_box;
use std::time::Instant;

struct Counting {
    common: Vec<Vec<u32>>,
    runs: u64,
    pairs: u64,
}

impl Counting {
    fn new(kernel: &Kernel) -> Counting {
        let shared = |a: &[u32], b: &[u32]| a.iter().zip(b).take_while(|(x, y)| x == y).count() as u32;
        let row = |a: &&[u32]| kernel.contexts.iter().map(|b| shared(a, b)).collect();
        Counting { common: kernel.contexts.iter().map(row).collect(), runs: 0, pairs: 0 }
    }
}

impl Client for Counting {
    fn common(&self, a: Stmt, b: Stmt) -> u32 {
        self.common[a as usize][b as usize]
    }

    fn dependence(&mut self, run: &DependenceRun) {
        black_box(run);
        self.runs += 1;
        self.pairs += run.count;
    }

    fn single(&mut self, kind: Kind, source: Stmt, source_iv: &Iv, sink: Stmt, sink_iv: &Iv, address: u64) {
        black_box((kind, source, source_iv, sink, sink_iv, address));
        self.runs += 1;
        self.pairs += 1;
    }
}

fn main() {
    // cargo adds options of its own.
    let prefix = std::env::args().skip(1).find(|a| !a.starts_with('-')).unwrap_or_default();
    println!("kernel            ns/record  ns/access  records  accesses  runs/record  MB");
    for kernel in ALL.iter().filter(|k| k.name.starts_with(&prefix)) {
        let (mut records, mut accesses) = (0u64, 0u64);
        let start = Instant::now();
        (kernel.run)(kernel.sizes[1], &mut |r| {
            records += 1;
            accesses += black_box(r).count * r.operands.len() as u64;
        });
        let idle = start.elapsed();
        let mut client = Counting::new(kernel);
        let mut memory = Memory::new(Options::default());
        let start = Instant::now();
        (kernel.run)(kernel.sizes[1], &mut |r| memory.record(r, &mut client));
        let time = start.elapsed().saturating_sub(idle).as_nanos() as f64;
        println!(
            "{:16} {:10.1} {:10.2} {:8.1e} {:9.1e} {:12.2} {:6.1}",
            kernel.name,
            time / records as f64,
            time / accesses as f64,
            records as f64,
            accesses as f64,
            client.runs as f64 / records as f64,
            memory.bytes() as f64 / 1e6,
        );
    }
}
