//! Record streams of well-known kernels, for tests and measurements.

use crate::{Iv, Operand, Record};

/// Receives the records of a kernel.
pub type Sink<'a> = &'a mut dyn FnMut(&Record);

/// A kernel that can be generated at any size.
pub struct Kernel {
    /// Its name.
    pub name: &'static str,
    /// For each statement, the loops around it, outermost first.
    pub contexts: &'static [&'static [u32]],
    /// Emits its records at size `n`.
    pub run: fn(n: i64, sink: Sink),
    /// A size at which every pair can be enumerated, and one worth timing.
    pub sizes: [i64; 2],
}

/// All kernels.
pub const ALL: &[Kernel] = &[
    Kernel { name: "matmul-ikj", contexts: MATMUL_IKJ, run: matmul_ikj, sizes: [14, 500] },
    Kernel { name: "matmul-ijk", contexts: MATMUL_IJK, run: matmul_ijk, sizes: [14, 500] },
    Kernel { name: "jacobi", contexts: JACOBI, run: jacobi, sizes: [12, 1000] },
    Kernel { name: "seidel", contexts: SEIDEL, run: seidel, sizes: [12, 1000] },
    Kernel { name: "cholesky", contexts: CHOLESKY, run: cholesky, sizes: [16, 600] },
    Kernel { name: "lu", contexts: LU, run: lu, sizes: [14, 500] },
    Kernel { name: "floyd-warshall", contexts: FLOYD, run: floyd_warshall, sizes: [12, 300] },
    Kernel { name: "column-sweep", contexts: COLUMNS, run: column_sweep, sizes: [20, 1000] },
    Kernel { name: "histogram", contexts: HISTOGRAM, run: histogram, sizes: [300, 2_000_000] },
    Kernel { name: "random-table", contexts: HISTOGRAM, run: random_table, sizes: [300, 2_000_000] },
    Kernel { name: "scatter", contexts: SCATTER, run: scatter, sizes: [300, 2_000_000] },
    Kernel { name: "gather", contexts: GATHER, run: gather, sizes: [40, 20_000] },
    Kernel { name: "vector-stores", contexts: VECTORS, run: vector_stores, sizes: [24, 1024] },
    Kernel { name: "matmul-vector", contexts: MATMUL_VECTOR, run: matmul_vector, sizes: [16, 500] },
    Kernel { name: "matmul-avx512", contexts: MATMUL_VECTOR, run: matmul_avx512, sizes: [20, 500] },
    Kernel { name: "jacobi-memcpy", contexts: JACOBI_MEMCPY, run: jacobi_memcpy, sizes: [70, 1000] },
    Kernel { name: "jacobi-vector", contexts: JACOBI_VECTOR, run: jacobi_vector, sizes: [18, 1000] },
    Kernel { name: "mixed-sizes", contexts: MIXED, run: mixed_sizes, sizes: [40, 1000] },
    Kernel { name: "structs", contexts: STRUCTS, run: structs, sizes: [40, 1000] },
    Kernel { name: "accumulators", contexts: ACCUMULATORS, run: accumulators, sizes: [40, 300_000] },
    Kernel { name: "thawing-rows", contexts: THAW, run: thawing_rows, sizes: [900, 1000] },
    Kernel { name: "exit-rows", contexts: EXITS, run: exit_rows, sizes: [40, 1000] },
    Kernel { name: "reread-rows", contexts: ROWS, run: reread_rows, sizes: [20, 1000] },
];

const A: u64 = 0x10_0001_0010;
/// A stack slot.
const SLOT: u64 = 0x7fff_ffff_e040;

fn load(stmt: u32, base: u64, stride: i64) -> Operand {
    Operand { stmt, write: false, base, stride, size: 8 }
}

fn store(stmt: u32, base: u64, stride: i64) -> Operand {
    Operand { stmt, write: true, base, stride, size: 8 }
}

fn sized(size: u32, o: Operand) -> Operand {
    Operand { size, ..o }
}

fn vector(iv: &[i64]) -> Iv {
    let mut v = Iv::ZERO;
    v.0[..iv.len()].copy_from_slice(iv);
    v
}

/// A folded loop below the iterations `outer`.
fn folded(sink: Sink, outer: &[i64], count: i64, operands: &[Operand]) {
    folded_from(sink, outer, 0, count, operands);
}

fn folded_from(sink: Sink, outer: &[i64], first: i64, count: i64, operands: &[Operand]) {
    if count > 0 {
        let mut iv = vector(outer);
        iv.0[outer.len()] = first;
        sink(&Record { iv, lane: Some(outer.len() as u8), count: count as u64, operands });
    }
}

fn once(sink: Sink, iv: &[i64], operands: &[Operand]) {
    sink(&Record { iv: vector(iv), lane: None, count: 1, operands });
}

/// Row-major square matrices of doubles, one after the other.
#[derive(Clone, Copy)]
struct Matrix {
    base: u64,
    row: i64,
}

fn matrix(number: u64, n: i64) -> Matrix {
    let size = (n * n * 8 + 4096 + 64) as u64 & !15;
    Matrix { base: A + number * size, row: 8 * n }
}

impl Matrix {
    fn at(self, i: i64, j: i64) -> u64 {
        self.base.wrapping_add_signed(i * self.row + 8 * j)
    }
}

const MATMUL_IKJ: &[&[u32]] =
    &[&[0, 1], &[0, 1], &[0, 1], &[2, 3], &[2, 3], &[2, 3, 4], &[2, 3, 4], &[2, 3, 4], &[2, 3, 4]];

fn matmul_ikj(n: i64, sink: Sink) {
    let (a, b, c) = (matrix(0, n), matrix(1, n), matrix(2, n));
    for i in 0..n {
        folded(sink, &[i], n, &[store(0, a.at(i, 0), 8), store(1, b.at(i, 0), 8), store(2, c.at(i, 0), 8)]);
    }
    for i in 0..n {
        for k in 0..n {
            once(sink, &[i, k], &[load(3, a.at(i, k), 0), store(4, SLOT, 0)]);
            let (b, c) = (b.at(k, 0), c.at(i, 0));
            folded(sink, &[i, k], n, &[load(5, SLOT, 0), load(6, b, 8), load(7, c, 8), store(8, c, 8)]);
        }
    }
}

const MATMUL_IJK: &[&[u32]] =
    &[&[0, 1], &[0, 1], &[2, 3], &[2, 3, 4], &[2, 3, 4], &[2, 3, 4], &[2, 3, 4], &[2, 3], &[2, 3]];

fn matmul_ijk(n: i64, sink: Sink) {
    let (a, b, c) = (matrix(0, n), matrix(1, n), matrix(2, n));
    for i in 0..n {
        folded(sink, &[i], n, &[store(0, a.at(i, 0), 8), store(1, b.at(i, 0), 8)]);
    }
    for i in 0..n {
        for j in 0..n {
            once(sink, &[i, j], &[store(2, SLOT, 0)]);
            let (a, b) = (load(3, a.at(i, 0), 8), load(4, b.at(0, j), b.row));
            folded(sink, &[i, j], n, &[a, b, load(5, SLOT, 0), store(6, SLOT, 0)]);
            once(sink, &[i, j], &[load(7, SLOT, 0), store(8, c.at(i, j), 0)]);
        }
    }
}

const JACOBI: &[&[u32]] = &[
    &[0, 1],
    &[0, 1],
    &[2, 3, 4],
    &[2, 3, 4],
    &[2, 3, 4],
    &[2, 3, 4],
    &[2, 3, 4],
    &[2, 3, 4],
    &[2, 5, 6],
    &[2, 5, 6],
];

fn steps(n: i64) -> i64 {
    if n > 100 { 20 } else { 4 }
}

fn jacobi(n: i64, sink: Sink) {
    let (a, b) = (matrix(0, n), matrix(1, n));
    for i in 0..n {
        folded(sink, &[i], n, &[store(0, a.at(i, 0), 8), store(1, b.at(i, 0), 8)]);
    }
    for t in 0..steps(n) {
        for i in 1..n - 1 {
            let reads = [(i, 1), (i, 0), (i, 2), (i + 1, 1), (i - 1, 1)];
            let mut operands: Vec<_> = (2..).zip(reads).map(|(s, (i, j))| load(s, a.at(i, j), 8)).collect();
            operands.push(store(7, b.at(i, 1), 8));
            folded(sink, &[t, i], n - 2, &operands);
        }
        for i in 1..n - 1 {
            folded(sink, &[t, i], n - 2, &[load(8, b.at(i, 1), 8), store(9, a.at(i, 1), 8)]);
        }
    }
}

const SEIDEL: &[&[u32]] = &[
    &[0, 1],
    &[2, 3, 4],
    &[2, 3, 4],
    &[2, 3, 4],
    &[2, 3, 4],
    &[2, 3, 4],
    &[2, 3, 4],
    &[2, 3, 4],
    &[2, 3, 4],
    &[2, 3, 4],
    &[2, 3, 4],
];

fn seidel(n: i64, sink: Sink) {
    let a = matrix(0, n);
    for i in 0..n {
        folded(sink, &[i], n, &[store(0, a.at(i, 0), 8)]);
    }
    for t in 0..steps(n) {
        for i in 1..n - 1 {
            let around = (i - 1..=i + 1).flat_map(|i| (0..3).map(move |j| (i, j)));
            let mut operands: Vec<_> = (1..).zip(around).map(|(s, (i, j))| load(s, a.at(i, j), 8)).collect();
            operands.push(store(10, a.at(i, 1), 8));
            folded(sink, &[t, i], n - 2, &operands);
        }
    }
}

const CHOLESKY: &[&[u32]] = &[
    &[0, 1],
    &[2, 3, 4],
    &[2, 3, 4],
    &[2, 3, 4],
    &[2, 3, 4],
    &[2, 3],
    &[2, 3],
    &[2, 3],
    &[2, 5],
    &[2, 5],
    &[2, 5],
    &[2],
    &[2],
];

fn cholesky(n: i64, sink: Sink) {
    let a = matrix(0, n);
    for i in 0..n {
        folded(sink, &[i], i + 1, &[store(0, a.at(i, 0), 8)]);
    }
    for i in 0..n {
        for j in 0..i {
            let x = a.at(i, j);
            let (p, q) = (load(2, a.at(i, 0), 8), load(3, a.at(j, 0), 8));
            folded(sink, &[i, j], j, &[load(1, x, 0), p, q, store(4, x, 0)]);
            once(sink, &[i, j], &[load(5, x, 0), load(6, a.at(j, j), 0), store(7, x, 0)]);
        }
        let x = a.at(i, i);
        folded(sink, &[i], i, &[load(8, x, 0), load(9, a.at(i, 0), 8), store(10, x, 0)]);
        once(sink, &[i], &[load(11, x, 0), store(12, x, 0)]);
    }
}

const LU: &[&[u32]] = &[
    &[0, 1],
    &[2, 3, 4],
    &[2, 3, 4],
    &[2, 3, 4],
    &[2, 3, 4],
    &[2, 3],
    &[2, 3],
    &[2, 3],
    &[2, 5, 6],
    &[2, 5, 6],
    &[2, 5, 6],
    &[2, 5, 6],
];

fn lu(n: i64, sink: Sink) {
    let a = matrix(0, n);
    for i in 0..n {
        folded(sink, &[i], n, &[store(0, a.at(i, 0), 8)]);
    }
    for i in 0..n {
        for j in 0..i {
            let x = a.at(i, j);
            let (p, q) = (load(2, a.at(i, 0), 8), load(3, a.at(0, j), a.row));
            folded(sink, &[i, j], j, &[load(1, x, 0), p, q, store(4, x, 0)]);
            once(sink, &[i, j], &[load(5, x, 0), load(6, a.at(j, j), 0), store(7, x, 0)]);
        }
        for j in i..n {
            let x = a.at(i, j);
            let (p, q) = (load(9, a.at(i, 0), 8), load(10, a.at(0, j), a.row));
            folded(sink, &[i, j], i, &[load(8, x, 0), p, q, store(11, x, 0)]);
        }
    }
}

const FLOYD: &[&[u32]] = &[&[0, 1], &[2, 3, 4], &[2, 3, 4], &[2, 3, 4], &[2, 3, 4]];

fn floyd_warshall(n: i64, sink: Sink) {
    let a = matrix(0, n);
    for i in 0..n {
        folded(sink, &[i], n, &[store(0, a.at(i, 0), 8)]);
    }
    for k in 0..n {
        for i in 0..n {
            let (ij, ik, kj) = (load(1, a.at(i, 0), 8), load(2, a.at(i, k), 0), load(3, a.at(k, 0), 8));
            folded(sink, &[k, i], n, &[ij, ik, kj, store(4, a.at(i, 0), 8)]);
        }
    }
}

const COLUMNS: &[&[u32]] = &[&[0, 1], &[2, 3, 4], &[2, 3, 4], &[2, 3, 4]];

fn column_sweep(n: i64, sink: Sink) {
    let a = matrix(0, n);
    for i in 0..n {
        folded(sink, &[i], n, &[store(0, a.at(i, 0), 8)]);
    }
    for t in 0..3 {
        for j in 0..n {
            let (above, this) = (load(1, a.at(0, j), a.row), load(2, a.at(1, j), a.row));
            folded(sink, &[t, j], n - 1, &[above, this, store(3, a.at(1, j), a.row)]);
        }
    }
}

fn random(x: &mut u64) -> u64 {
    *x = x.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    *x >> 33
}

const HISTOGRAM: &[&[u32]] = &[&[0], &[1], &[1], &[1]];

fn histogram(n: i64, sink: Sink) {
    let bins = if n > 10_000 { 65_536 } else { 37 };
    let (keys, counts) = (A, A + (1 << 24));
    folded(sink, &[], bins as i64, &[sized(4, store(0, counts, 4))]);
    let mut x = 12345;
    for i in 0..n {
        let count = counts + random(&mut x) % bins * 4;
        let key = keys + (i as u64 % (1 << 20)) * 4;
        let operands = [load(1, key, 0), load(2, count, 0), store(3, count, 0)].map(|o| sized(4, o));
        once(sink, &[i], &operands);
    }
}

/// Single accesses to a table that fits into the nearest cache.
fn random_table(n: i64, sink: Sink) {
    let mut x = 12345;
    for i in 0..n {
        let mut place = || A + random(&mut x) % 512 * 8;
        once(sink, &[i], &[load(1, place(), 0), load(2, place(), 0), store(3, place(), 0)]);
    }
}

const SCATTER: &[&[u32]] = &[&[0], &[1]];

fn scatter(n: i64, sink: Sink) {
    let place = |i: u64| A + (i.wrapping_mul(2_654_435_761) ^ (i >> 3)) % n as u64 * 8;
    for i in 0..n {
        once(sink, &[i], &[store(0, place(i as u64), 0)]);
    }
    for i in 0..n {
        once(sink, &[i], &[load(1, place((i * 7 % n) as u64), 0)]);
    }
}

const GATHER: &[&[u32]] = &[&[0], &[1, 2, 3], &[1, 2, 3], &[1, 2, 3], &[1, 2, 3], &[1, 2, 3], &[1, 4]];

/// Sparse matrix times vector, repeated, the vector rewritten after each product.
fn gather(n: i64, sink: Sink) {
    let (values, columns, x) = (A, A + (1 << 26), A + (1 << 27));
    folded(sink, &[], n, &[store(0, x, 8)]);
    for t in 0..4 {
        let mut seed = 99;
        for i in 0..n {
            for k in 0..5 {
                let at = (i * 5 + k) as u64;
                let column = random(&mut seed) % n as u64;
                let (v, c) = (load(1, values + at * 8, 0), sized(4, load(2, columns + at * 4, 0)));
                let sum = (load(4, SLOT, 0), store(5, SLOT, 0));
                once(sink, &[t, i, k], &[v, c, load(3, x + column * 8, 0), sum.0, sum.1]);
            }
        }
        folded(sink, &[t], n, &[store(6, x, 8)]);
    }
}

const VECTORS: &[&[u32]] = &[&[0, 1], &[0, 1], &[0, 2], &[0, 2], &[0, 3], &[0, 3]];

/// 16-byte stores read by 8-byte loads, 8-byte stores read by 32-byte loads.
fn vector_stores(n: i64, sink: Sink) {
    let (a, b) = (A, A + (1 << 20));
    for t in 0..if n > 100 { 2000 } else { 4 } {
        folded(sink, &[t], n / 4, &[sized(16, store(0, a, 32)), sized(16, store(1, a + 16, 32))]);
        folded(sink, &[t], n, &[load(2, a, 8), store(3, b, 8)]);
        folded(sink, &[t], n / 4, &[sized(32, load(4, b, 32)), sized(16, store(5, a, 32))]);
    }
}

const MATMUL_VECTOR: &[&[u32]] = &[
    &[0, 1],
    &[0, 1],
    &[0, 1],
    &[0, 1],
    &[0, 1],
    &[2, 3],
    &[2, 3, 4],
    &[2, 3, 4],
    &[2, 3, 4],
    &[2, 3, 4],
    &[2, 3, 4],
    &[2, 3, 4],
    &[2, 3, 4],
    &[2, 3, 4],
    &[2, 3, 4],
    &[2, 3, 4],
];

fn matmul_vector(n: i64, sink: Sink) {
    matmul_with(16, n, sink);
}

fn matmul_avx512(n: i64, sink: Sink) {
    matmul_with(64, n, sink);
}

/// Two vectors of `width` bytes per iteration, and a remainder of scalars.
fn matmul_with(width: u32, n: i64, sink: Sink) {
    let (a, b, c) = (matrix(0, n), matrix(1, n), matrix(2, n));
    let (half, stride) = (u64::from(width), 2 * i64::from(width));
    let count = 8 * n / stride;
    let done = count * stride / 8;
    let wide = |o| sized(width, o);
    for i in 0..n {
        let (b, c) = (b.at(i, 0), c.at(i, 0));
        folded(sink, &[i], n, &[store(0, a.at(i, 0), 8)]);
        let stores = [
            wide(store(1, b, stride)),
            wide(store(2, b + half, stride)),
            wide(store(3, c, stride)),
            wide(store(4, c + half, stride)),
        ];
        folded(sink, &[i], count, &stores);
        for j in done..n {
            let at = 8 * j as u64;
            once(sink, &[i, j], &[store(1, b + at, 0), store(3, c + at, 0)]);
        }
    }
    for i in 0..n {
        for k in 0..n {
            once(sink, &[i, k], &[load(5, a.at(i, k), 0)]);
            let (b, c) = (b.at(k, 0), c.at(i, 0));
            let operands = [
                wide(load(6, b, stride)),
                wide(load(7, b + half, stride)),
                wide(load(8, c, stride)),
                wide(load(9, c + half, stride)),
                wide(store(10, c, stride)),
                wide(store(11, c + half, stride)),
            ];
            folded(sink, &[i, k], count, &operands);
            for j in done..n {
                let at = 8 * j as u64;
                let operands = [load(12, b + at, 0), load(13, c + at, 0), store(14, c + at, 0)];
                once(sink, &[i, k, j], &operands);
            }
        }
    }
}

const JACOBI_MEMCPY: &[&[u32]] = &[
    &[0, 1],
    &[0, 1],
    &[2, 3, 4],
    &[2, 3, 4],
    &[2, 3, 4],
    &[2, 3, 4],
    &[2, 3, 4],
    &[2, 3, 4],
    &[2, 5, 6],
    &[2, 5, 6],
    &[2, 5, 6],
    &[2, 5, 6],
    &[2, 5, 6],
    &[2, 5, 6],
    &[2, 5, 6],
    &[2, 5, 6],
    &[2, 5, 7],
    &[2, 5, 7],
];

/// A stencil whose result is copied back by 64-byte moves, four per iteration.
fn jacobi_memcpy(n: i64, sink: Sink) {
    let (a, b) = (matrix(0, n), matrix(1, n));
    for i in 0..n {
        folded(sink, &[i], n, &[store(0, a.at(i, 0), 8), store(1, b.at(i, 0), 8)]);
    }
    for t in 0..steps(n) {
        for i in 1..n - 1 {
            let reads = [(i, 1), (i, 0), (i, 2), (i + 1, 1), (i - 1, 1)];
            let mut operands: Vec<_> = (2..).zip(reads).map(|(s, (i, j))| load(s, a.at(i, j), 8)).collect();
            operands.push(store(7, b.at(i, 1), 8));
            folded(sink, &[t, i], n - 2, &operands);
        }
        for i in 1..n - 1 {
            let (from, to) = (b.at(i, 1), a.at(i, 1));
            let loads = (0..4).map(|v| sized(64, load(8 + v, from + 64 * u64::from(v), 256)));
            let stores = (0..4).map(|v| sized(64, store(12 + v, to + 64 * u64::from(v), 256)));
            let count = (n - 2) / 32;
            folded(sink, &[t, i], count, &loads.chain(stores).collect::<Vec<_>>());
            for j in count * 32..n - 2 {
                let at = 8 * j as u64;
                once(sink, &[t, i, j], &[load(16, from + at, 0), store(17, to + at, 0)]);
            }
        }
    }
}

const STENCIL: &[u32] = &[2, 3, 4];
const COPY: &[u32] = &[2, 5, 6];
const JACOBI_VECTOR: &[&[u32]] = &[
    &[0, 1],
    &[0, 1],
    STENCIL,
    STENCIL,
    STENCIL,
    STENCIL,
    STENCIL,
    STENCIL,
    STENCIL,
    STENCIL,
    STENCIL,
    STENCIL,
    STENCIL,
    STENCIL,
    COPY,
    COPY,
];

/// A stencil by 16-byte vectors, two per iteration, unaligned at its ends.
fn jacobi_vector(n: i64, sink: Sink) {
    let (a, b) = (matrix(0, n), matrix(1, n));
    for i in 0..n {
        folded(sink, &[i], n, &[store(0, a.at(i, 0), 8), store(1, b.at(i, 0), 8)]);
    }
    let count = (n - 2) / 4;
    for t in 0..steps(n) {
        for i in 1..n - 1 {
            let reads = [(i, 1), (i, 0), (i, 2), (i + 1, 1), (i - 1, 1)];
            let mut operands = Vec::new();
            for v in 0..2 {
                for (s, (i, j)) in (0..).zip(reads) {
                    operands.push(sized(16, load(2 + 6 * v + s, a.at(i, j + 2 * i64::from(v)), 32)));
                }
                operands.push(sized(16, store(7 + 6 * v, b.at(i, 1 + 2 * i64::from(v)), 32)));
            }
            folded(sink, &[t, i], count, &operands);
        }
        for i in 1..n - 1 {
            let (from, to) = (b.at(i, 1), a.at(i, 1));
            folded(sink, &[t, i], count * 2, &[sized(16, load(14, from, 16)), sized(16, store(15, to, 16))]);
        }
    }
}

const BODY: &[u32] = &[0, 1];
const MIXED: &[&[u32]] = &[BODY; 15];

fn mixed_sizes(n: i64, sink: Sink) {
    let (a, b, c) = (matrix(0, n), matrix(1, n), matrix(2, n));
    for i in 0..n {
        let mut first = 0;
        let (a, b, c) = (a.at(i, 0), b.at(i, 0), c.at(i, 0));
        let end = 8 * n as u64;
        let mut part = |count: i64, operands: &[Operand]| {
            folded_from(sink, &[i], first, count, operands);
            first += count;
        };
        part(n / 4, &[sized(32, store(0, a, 32))]);
        part(n, &[load(1, a, 8)]);
        part(2 * n - 1, &[sized(4, load(2, a, 4)), sized(4, store(3, b, 4))]);
        part(n - 1, &[load(4, b + 4, 8), store(5, b + 4, 8)]);
        part(n - 1, &[load(6, b, 4), sized(4, store(7, b + 8, 4)), sized(4, store(8, b + 4, 4))]);
        part(n - 1, &[load(9, b + end - 16, -8), store(10, c + end - 8, -8)]);
        part(n - 1, &[load(11, c, 8), store(12, c + end, -8)]);
        part(5, &[sized(1, load(13, c, 1)), sized(2, store(14, c + 3, 1))]);
    }
}

const STRUCTS: &[&[u32]] = &[&[0, 1], &[0, 1], &[0, 1], &[0, 1], &[0, 1], &[0, 1], &[0, 2], &[0, 2], &[0, 2]];

fn structs(n: i64, sink: Sink) {
    for t in 0..if n > 100 { 1000 } else { 5 } {
        let field = |f: u64| A + 8 * f;
        let (x, y, z) = (load(0, field(0), 32), load(1, field(1), 32), load(2, field(2), 32));
        let stores = [store(3, field(0), 32), store(4, field(1), 32), store(5, field(2), 32)];
        folded(sink, &[t], n, &[x, y, z, stores[0], stores[1], stores[2]]);
        folded(sink, &[t], n, &[load(6, field(3), 32), load(7, field(0), 32), store(8, field(3), 32)]);
    }
}

const ACCUMULATORS: &[&[u32]] = &[&[0], &[0, 1], &[0, 1], &[0], &[0], &[0, 1], &[0, 1], &[0, 1]];

/// Two accumulators on the stack, one updated in a folded loop, one once per outer iteration.
fn accumulators(n: i64, sink: Sink) {
    for i in 0..n {
        once(sink, &[i], &[store(0, SLOT, 0)]);
        let x = load(5, A, 8);
        folded(sink, &[i], 1 + i % 7, &[x, load(1, SLOT, 0), store(2, SLOT, 0), load(6, SLOT + 16, 0)]);
        once(sink, &[i], &[load(3, SLOT + 8, 0), store(4, SLOT + 8, 0)]);
    }
}

const THAW: &[&[u32]] = &[&[0], &[0], &[1, 2], &[1, 2], &[1, 3], &[1, 3], &[1, 4]];

/// Scattered single accesses, then rows by vectors, shorter than a page.
fn thawing_rows(n: i64, sink: Sink) {
    for i in 0..n {
        let place = A + (i as u64 * 7919) % (n as u64) * 8;
        once(sink, &[i], &[store(0, place, 0), load(1, place, 0)]);
    }
    for t in 0..if n > 900 { 2000 } else { 24 } {
        let stores = [sized(16, store(2, A, 32)), sized(16, store(3, A + 16, 32))];
        folded(sink, &[t], n / 4, &stores);
        let loads = [sized(32, load(4, A, 64)), sized(32, load(5, A + 32, 64))];
        folded(sink, &[t], n / 8, &loads);
        folded(sink, &[t], n - 8, &[load(6, A, 8)]);
    }
}

const EXITS: &[&[u32]] =
    &[&[0, 1], &[2, 3], &[2, 3], &[2, 3, 4], &[2, 3, 4], &[2, 3, 5], &[2, 3, 5], &[2, 3, 6], &[2, 3, 6]];

/// Parts of a loop read elements upwards and downwards; the last iteration of each part reads whole rows in an inner
/// loop, so that it meets its own element after those of other iterations; some parts end by writing.
fn exit_rows(n: i64, sink: Sink) {
    let (a, b) = (matrix(0, n).base, matrix(1, n).base);
    let end = b + 8 * (n as u64 - 1);
    folded(sink, &[0], n, &[store(0, a, 8)]);
    for t in 0..3 {
        let mut from = 0;
        while from < n {
            let count = (n - from).min(8);
            let by = 8 * from as u64;
            folded_from(sink, &[t], from, count, &[load(1, a + by, 8), load(2, end - by, -8)]);
            from += count;
            folded(sink, &[t, from - 1], n, &[load(3, a, 8), load(4, b, 8)]);
            folded(sink, &[t, from - 1], n, &[load(7, a, 8), load(8, b, 8)]);
            if from % 16 == 0 {
                folded(sink, &[t, from - 1], n, &[store(5, a, 8), store(6, b, 8)]);
            }
        }
    }
}

const ROWS: &[&[u32]] = &[&[0, 1], &[2, 3, 4], &[2, 5], &[2, 5]];

/// Triangular rereading of all rows between updates of one row.
fn reread_rows(n: i64, sink: Sink) {
    let a = matrix(0, n);
    for i in 0..n {
        folded(sink, &[i], n, &[store(0, a.at(i, 0), 8)]);
    }
    for t in 0..n {
        for i in 0..n.min(30) {
            folded(sink, &[t, i], n - i, &[load(1, a.at(i, i), 8)]);
        }
        let row = a.at(t, 0);
        folded(sink, &[t], n, &[load(2, row + 8 * n as u64 - 8, -8), store(3, row, 8)]);
    }
}
