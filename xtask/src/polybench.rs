//! The benchmarks of the published prediction table (trace reconstruction on PolyBench/C 3.2), as runs.
//!
//! Every array reference of a kernel is a stream; references that differ by a constant only are written once. Sizes are
//! the suite's standard ones, elements are counted by 1. Loops are written down to the innermost one, which is one run.

use reconstruct::predict::Predictor;
use reconstruct::run::Run;

/// A benchmark.
pub struct Benchmark {
    /// Its name in the suite.
    pub name: &'static str,
    /// Published share of the accesses predicted within discovered bounds, without the one-level heuristic, percent.
    pub published: f64,
    kernel: fn(&mut References),
}

/// The references of a benchmark.
#[derive(Default)]
pub struct References {
    /// One predictor per reference.
    pub list: Vec<Predictor>,
}

impl References {
    /// `count` accesses of a reference, `stride` apart; none if the count is not positive.
    fn row(&mut self, reference: usize, start: i64, stride: i64, count: i64) {
        if self.list.len() <= reference {
            self.list.resize_with(reference + 1, Predictor::new);
        }
        if count > 0 {
            self.list[reference].push_run(Run { start, stride, count: count as u64 });
        }
    }

    /// A matrix product, four references: the result before the innermost loop and in it, and the two factors.
    fn product(&mut self, from: usize, n: i64) {
        self.rows(from, n);
        for i in 0..n {
            for j in 0..n {
                self.row(from + 1, i * n + j, 0, n);
                self.row(from + 2, i * n, 1, n);
                self.row(from + 3, j, n, n);
            }
        }
    }

    /// A square matrix, row by row.
    fn rows(&mut self, reference: usize, n: i64) {
        (0..n).for_each(|i| self.row(reference, i * n, 1, n));
    }

    /// The products of a matrix and its transpose: like [`References::product`] with rows of both.
    fn rank_update(&mut self, n: i64) {
        self.rows(0, n);
        for i in 0..n {
            for j in 0..n {
                self.row(1, i * n + j, 0, n);
                self.row(2, i * n, 1, n);
                self.row(3, j * n, 1, n);
            }
        }
    }

    /// The inner points of a grid, again and again.
    fn stencil(&mut self, steps: i64, n: i64) {
        for _ in 0..steps {
            (1..n - 1).for_each(|i| self.row(0, i * n + 1, 1, n - 2));
        }
    }

    /// A matrix column by column, the vector along its columns, and the one across.
    fn transposed_and_vectors(&mut self, from: usize, n: i64) {
        for i in 0..n {
            self.row(from, i, n, n);
            self.row(from + 1, 0, 1, n);
            self.row(from + 2, i, 0, n);
        }
    }

    /// A matrix row by row, the vector along its rows, and the one across.
    fn matrix_and_vectors(&mut self, from: usize, n: i64) {
        for i in 0..n {
            self.row(from, i * n, 1, n);
            self.row(from + 1, 0, 1, n);
            self.row(from + 2, i, 0, n);
        }
    }
}

impl Benchmark {
    /// Replays the benchmark through one predictor per reference.
    pub fn replay(&self) -> References {
        let mut references = References::default();
        (self.kernel)(&mut references);
        references
    }
}

macro_rules! benchmarks {
    ($($name:literal $published:literal |$r:ident| $body:block)*) => {
        &[$(Benchmark { name: $name, published: $published, kernel: |$r| $body }),*]
    };
}

/// The published table, in its order.
pub const ALL: &[Benchmark] = benchmarks! {
    "3mm" 99.85 |r| { for product in 0..3 { r.product(4 * product, 1024); } }
    "trmm" 99.97 |r| {
        let n = 1024;
        for i in 1..n { for j in 0..n {
            r.row(0, i * n + j, 0, i);
            r.row(1, i * n, 1, i);
            r.row(2, j * n, 1, i);
        } }
    }
    "fdtd-2d" 98.00 |r| {
        let n = 1000;
        for t in 0..50 {
            r.row(0, 0, 1, n);
            r.row(1, t, 0, n);
            for i in 1..n { r.row(2, i * n, 1, n); }
            for i in 0..n { r.row(3, i * n + 1, 1, n - 1); }
            for i in 0..n - 1 { r.row(4, i * n, 1, n - 1); }
        }
    }
    "atax" 74.96 |r| {
        let n = 4000;
        r.row(0, 0, 1, n);
        r.matrix_and_vectors(1, n);
        r.matrix_and_vectors(4, n);
        r.row(7, 0, 1, n);
    }
    "2mm" 99.84 |r| { for product in 0..2 { r.product(4 * product, 1024); } }
    "lu" 99.71 |r| {
        let n = 1024;
        for k in 0..n {
            r.row(0, k * n + k + 1, 1, n - k - 1);
            r.row(1, k * n + k, 0, n - k - 1);
            for i in k + 1..n {
                r.row(2, i * n + k + 1, 1, n - k - 1);
                r.row(3, i * n + k, 0, n - k - 1);
                r.row(4, k * n + k + 1, 1, n - k - 1);
            }
        }
    }
    "gramschmidt" 99.61 |r| {
        let n = 512;
        for k in 0..n {
            r.row(0, k, n, n);
            r.row(1, k * n + k, 0, n);
            r.row(2, k * n + k + 1, 1, n - k - 1);
            for j in k + 1..n {
                r.row(3, k * n + j, 0, n);
                r.row(4, k, n, n);
                r.row(5, j, n, n);
            }
        }
    }
    "bicg" 74.96 |r| {
        let n = 4000;
        r.row(0, 0, 1, n);
        r.row(1, 0, 1, n);
        r.matrix_and_vectors(2, n);
        r.matrix_and_vectors(5, n);
    }
    "syr2k" 99.85 |r| { r.rank_update(1024); }
    "adi" 98.00 |r| {
        let n = 1024;
        for _ in 0..50 {
            (0..n).for_each(|i| r.row(0, i * n + 1, 1, n - 1));
            r.row(1, n - 1, n, n);
            (0..n).for_each(|i| r.row(2, i * n + n - 2, -1, n - 2));
            (1..n).for_each(|i| r.row(3, i * n, 1, n));
            r.row(4, (n - 1) * n, 1, n);
            (0..n - 2).for_each(|i| r.row(5, (n - 2 - i) * n, 1, n));
        }
    }
    "cholesky" 99.99 |r| {
        let n = 1024;
        for i in 0..n {
            r.row(0, i * n + i, 0, 1);
            r.row(1, i * n, 1, i);
            r.row(2, i, 0, 1);
            r.row(3, i * n + i + 1, 1, n - i - 1);
            r.row(4, (i + 1) * n + i, n, n - i - 1);
            for j in i + 1..n {
                r.row(5, j * n, 1, i);
                r.row(6, i * n, 1, i);
            }
        }
    }
    "mvt" 87.46 |r| {
        let n = 4000;
        r.matrix_and_vectors(0, n);
        r.transposed_and_vectors(3, n);
    }
    "syrk" 99.83 |r| { r.rank_update(1024); }
    "doitgen" 98.83 |r| {
        let n = 128;
        for rq in 0..n * n {
            r.row(0, rq * n, 1, n);
            for p in 0..n {
                r.row(1, rq * n + p, 0, n);
                r.row(2, rq * n, 1, n);
                r.row(3, p, n, n);
            }
            r.row(4, rq * n, 1, n);
        }
    }
    "gemver" 78.53 |r| {
        let n = 4000;
        r.matrix_and_vectors(0, n);
        r.transposed_and_vectors(3, n);
        r.row(6, 0, 1, n);
        r.matrix_and_vectors(7, n);
    }
    "reg_detect" 99.78 |r| {
        let (grid, length) = (6, 50);
        for _ in 0..10_000 {
            for j in 0..grid {
                for i in j..grid {
                    let at = j * grid + i;
                    r.row(0, at, 0, length);
                    r.row(1, at * length, 1, length);
                    r.row(2, at * length, 1, 1);
                    r.row(3, at * length + 1, 1, length - 1);
                }
                r.row(4, j * grid + j, 1, grid - j);
            }
            r.row(5, 0, 1, grid);
            (1..grid).for_each(|j| r.row(6, j * grid + j, 1, grid - j));
        }
    }
    "gemm" 99.83 |r| { r.product(0, 1024); }
    "dynprog" 99.98 |r| {
        let n = 50;
        for _ in 0..10_000 {
            r.rows(0, n);
            for i in 0..n - 1 {
                r.row(1, i * n + i + 1, 1, n - 1 - i);
                r.row(2, (i * n + i + 1) * n + i, n, n - 1 - i);
                for j in i + 1..n {
                    r.row(3, (i * n + j) * n + i + 1, 1, j - i - 1);
                    r.row(4, i * n + i + 1, 1, j - i - 1);
                    r.row(5, (i + 1) * n + j, n, j - i - 1);
                }
            }
        }
    }
    "seidel-2d" 95.00 |r| { r.stencil(20, 1000); }
    "durbin" 99.88 |r| {
        let n = 4000;
        r.row(0, 1, 1, n - 1);
        for k in 1..n {
            r.row(1, k, n, k);
            r.row(2, k - 1, -1, k);
            r.row(3, k - 1, n, k);
            r.row(4, k, 0, k);
            r.row(5, (k - 1) * n + k - 1, -n, k);
        }
        r.row(6, n - 1, n, n);
    }
    "symm" 99.80 |r| {
        let n = 1024;
        for i in 0..n {
            r.row(0, i * n, 1, n);
            r.row(1, i * n + i, 0, n);
            for j in 0..n {
                r.row(2, j, n, j - 1);
                r.row(3, i, n, j - 1);
                r.row(4, i * n + j, 0, j - 1);
            }
        }
    }
    "fdtd-apml" 75.62 |r| {
        let n = 256;
        let wide = n + 1;
        for z in 0..n {
            for y in 0..n {
                let row = (z * wide + y) * wide;
                r.row(0, row, 1, n);
                r.row(1, z * wide + y, 0, n);
                r.row(2, 0, 1, n);
                r.row(3, y, 0, n);
                r.row(4, z, 0, n);
                r.row(5, row + n, 0, 1);
                r.row(6, z * wide + y, 0, 1);
            }
            r.row(7, (z * wide + n) * wide, 1, n);
            r.row(8, z * wide, 1, n);
        }
    }
    "jacobi-2d" 95.00 |r| { r.stencil(20, 1000); }
    "trisolv" 99.89 |r| {
        let n = 4000;
        r.row(0, 0, 1, n);
        for i in 0..n {
            r.row(1, i * n, 1, i);
            r.row(2, 0, 1, i);
            r.row(3, i, 0, i);
        }
        r.row(4, 0, n + 1, n);
    }
    "covariance" 99.70 |r| {
        let n = 1000;
        for j in 0..n { r.row(0, j, 0, n); r.row(1, j, n, n); }
        for i in 0..n { r.row(2, i * n, 1, n); r.row(3, 0, 1, n); }
        for i in 0..n {
            r.row(4, i * n + i, n, n - i);
            for j in i..n {
                r.row(5, i * n + j, 0, n);
                r.row(6, i, n, n);
                r.row(7, j, n, n);
            }
        }
    }
    "ludcmp" 99.99 |r| {
        let n = 1024;
        for i in 0..n {
            r.row(0, (i + 1) * n + i, n, n - i - 1);
            r.row(1, i * n + i, 0, n - i - 1);
            for j in i + 1..n {
                r.row(2, j * n, 1, i);
                r.row(3, i, n, i);
                r.row(4, (i + 1) * n, 1, i + 1);
                r.row(5, j, n, i + 1);
            }
        }
        for i in 1..n { r.row(6, i * n, 1, i); r.row(7, 0, 1, i); }
        for i in 0..n { r.row(8, (n - 1 - i) * n + n - i, 1, i); r.row(9, n - i, 1, i); }
    }
    "gesummv" 74.95 |r| {
        let n = 4000;
        r.row(0, 0, 1, n);
        r.matrix_and_vectors(1, n);
        r.row(4, 0, 1, n);
    }
    "jacobi-1d" 99.00 |r| { for _ in 0..100 { r.row(0, 1, 1, 9998); } }
};
