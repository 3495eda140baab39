use reconstruct::generators::{self, Sizes};
use reconstruct::stream::{Options, Reconstructor};
fn main() {
    let a: Vec<String> = std::env::args().skip(1).collect();
    let g = generators::named(&a[0]).expect("g");
    let v = |i: usize, d: i64| a.get(i).map_or(d, |s| s.parse().expect("n"));
    let s = Sizes { n: v(1, g.sizes.n), m: v(2, g.sizes.m), p: v(3, g.sizes.p), tile: v(4, g.sizes.tile), steps: v(5, g.sizes.steps) };
    let mut r = Reconstructor::new(Options::default());
    g.at(&s).iter().for_each(|&x| r.push_run(x));
    let t = std::time::Instant::now();
    let r = r.finish();
    println!("{} nests depth {:?} {:?}", r.nests.len(), r.nests.iter().map(|n| n.depth()).max(), t.elapsed());
    if r.nests.len() == 1 { print!("{}", reconstruct::render::text(&r.nests)); }
}
