//! Loop nests whose traces are known, as runs: for tests, fuzzing and benchmarks.
//!
//! Every generator is written as the loops themselves, in the order in which the program would make the accesses, down
//! to the innermost loop, which is one run. Nothing here uses the model that reconstruction produces.
//!
//! Three families: affine kernels of one domain at their published large sizes, small piecewise nests, and tiled kernels
//! in the style of automatic tiling (rectangular and triangular tiles, skewed time tiles, diamonds, two levels).

use crate::run::Run;

/// Sizes of a tiled nest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    /// Extent of the data.
    pub n: i64,
    /// Second extent.
    pub m: i64,
    /// Third extent.
    pub p: i64,
    /// Tile size.
    pub tile: i64,
    /// Time steps.
    pub steps: i64,
}

/// A nest with a known depth.
#[derive(Debug, Clone, Copy)]
pub struct Generator {
    /// Its name.
    pub name: &'static str,
    /// Number of loops as written.
    pub depth: usize,
    /// Sizes that are used by default (of a family of fixed size: the published ones).
    pub sizes: Sizes,
    rows: fn(&Sizes, &mut Rows<'_>),
}

impl Generator {
    /// Calls `emit` with every run of the nest, in order.
    pub fn runs(&self, sizes: &Sizes, emit: &mut dyn FnMut(Run)) {
        (self.rows)(sizes, &mut Rows { emit });
    }

    /// The runs at the default sizes.
    pub fn all(&self) -> Vec<Run> {
        self.at(&self.sizes)
    }

    /// The runs at given sizes.
    pub fn at(&self, sizes: &Sizes) -> Vec<Run> {
        let mut out = Vec::new();
        self.runs(sizes, &mut |run| out.push(run));
        out
    }
}

/// Receives rows.
struct Rows<'a> {
    emit: &'a mut dyn FnMut(Run),
}

impl Rows<'_> {
    /// `base + stride·x` for x from `low` to `high`, both included.
    fn row(&mut self, base: i64, stride: i64, low: i64, high: i64) {
        if low <= high {
            (self.emit)(Run { start: base + stride * low, stride, count: (high - low + 1) as u64 });
        }
    }
}

fn floor(a: i64, b: i64) -> i64 {
    a.div_euclid(b)
}

fn ceil(a: i64, b: i64) -> i64 {
    -(-a).div_euclid(b)
}

const fn sizes(n: i64, m: i64, p: i64, tile: i64, steps: i64) -> Sizes {
    Sizes { n, m, p, tile, steps }
}

const fn fixed(n: i64, m: i64, p: i64) -> Sizes {
    sizes(n, m, p, 1, 1)
}

macro_rules! generators {
    ($($name:literal $depth:literal ($($size:expr)?) |$s:pat_param, $e:ident| $body:block)*) => {
        &[$(Generator { name: $name, depth: $depth, sizes: $($size)?, rows: |$s, $e| $body }),*]
    };
}

/// Affine kernels of one domain: every reference of interest at its published size, one access per element of 1.
pub const SINGLE: &[Generator] = generators! {
    "gemm_A" 3 (fixed(1000, 1100, 1200)) |s, e| {
        for i in 0..s.n { for k in 0..s.p { e.row(i * s.p + k, 0, 0, s.m - 1); } }
    }
    "gemm_B" 3 (fixed(1000, 1100, 1200)) |s, e| {
        for _ in 0..s.n { for k in 0..s.p { e.row(k * s.m, 1, 0, s.m - 1); } }
    }
    "gemm_C" 3 (fixed(1000, 1100, 1200)) |s, e| {
        for i in 0..s.n { for _ in 0..s.p { e.row(i * s.m, 1, 0, s.m - 1); } }
    }
    "cholesky_Aik" 3 (fixed(2000, 0, 0)) |s, e| {
        for i in 0..s.n { for j in 0..i { e.row(i * s.n, 1, 0, j - 1); } }
    }
    "cholesky_Ajk" 3 (fixed(2000, 0, 0)) |s, e| {
        for i in 0..s.n { for j in 0..i { e.row(j * s.n, 1, 0, j - 1); } }
    }
    "cholesky_Aij" 3 (fixed(2000, 0, 0)) |s, e| {
        for i in 0..s.n { for j in 0..i { e.row(i * s.n + j, 0, 0, j - 1); } }
    }
    "doitgen_A" 4 (fixed(150, 140, 160)) |s, e| {
        for r in 0..s.n { for q in 0..s.m { for _ in 0..s.p { e.row((r * s.m + q) * s.p, 1, 0, s.p - 1); } } }
    }
    "doitgen_C4" 4 (fixed(150, 140, 160)) |s, e| {
        for _ in 0..s.n { for _ in 0..s.m { for p in 0..s.p { e.row(p, s.p, 0, s.p - 1); } } }
    }
    "doitgen_sum" 3 (fixed(150, 140, 160)) |s, e| {
        for _ in 0..s.n { for _ in 0..s.m { e.row(0, 1, 0, s.p - 1); } }
    }
    "lu_Aik" 3 (fixed(2000, 0, 0)) |s, e| {
        for i in 0..s.n { for _ in i..s.n { e.row(i * s.n, 1, 0, i - 1); } }
    }
    "lu_Akj" 3 (fixed(2000, 0, 0)) |s, e| {
        for i in 0..s.n { for j in i..s.n { e.row(j, s.n, 0, i - 1); } }
    }
    "seidel" 3 (fixed(2000, 500, 0)) |s, e| {
        for _ in 0..s.m { for i in 1..s.n - 1 { e.row(i * s.n, 1, 1, s.n - 2); } }
    }
    "fdtd_ey" 3 (fixed(1000, 1200, 500)) |s, e| {
        for _ in 0..s.p { for i in 1..s.n { e.row(i * s.m, 1, 0, s.m - 1); } }
    }
    "fdtd_hz" 3 (fixed(1000, 1200, 500)) |s, e| {
        for _ in 0..s.p { for i in 0..s.n - 1 { e.row(i * s.m, 1, 0, s.m - 2); } }
    }
    "jacobi1d" 2 (fixed(2000, 500, 0)) |s, e| {
        for _ in 0..s.m { e.row(0, 1, 1, s.n - 2); }
    }
    "symm_Cij" 3 (fixed(1000, 1200, 0)) |s, e| {
        for i in 0..s.n { for j in 0..s.m { e.row(j, s.m, 0, i - 1); } }
    }
    "symm_Aik" 3 (fixed(1000, 1200, 0)) |s, e| {
        for i in 0..s.n { for _ in 0..s.m { e.row(i * s.n, 1, 0, i - 1); } }
    }
    "trmm_Aki" 3 (fixed(1000, 1200, 0)) |s, e| {
        for i in 0..s.n { for _ in 0..s.m { e.row(i, s.n, i + 1, s.n - 1); } }
    }
    "trmm_Bkj" 3 (fixed(1000, 1200, 0)) |s, e| {
        for i in 0..s.n { for j in 0..s.m { e.row(j, s.m, i + 1, s.n - 1); } }
    }
    "deriche_y1" 2 (fixed(4096, 2160, 0)) |s, e| {
        for i in 0..s.n { e.row(i * s.m, 1, 0, s.m - 1); }
    }
    "deriche_y2" 2 (fixed(4096, 2160, 0)) |s, e| {
        for i in 0..s.n { e.row(i * s.m, -1, 1 - s.m, 0); }
    }
    "deriche_col" 2 (fixed(4096, 2160, 0)) |s, e| {
        for j in 0..s.m { e.row(j, s.m, 0, s.n - 1); }
    }
    "nussinov_ik" 3 (fixed(2500, 0, 0)) |s, e| {
        for i in (0..s.n).rev() { for j in i + 1..s.n { e.row(i * s.n, 1, i + 1, j - 1); } }
    }
    "nussinov_kj" 3 (fixed(2500, 0, 0)) |s, e| {
        for i in (0..s.n).rev() { for j in i + 1..s.n { e.row(j, s.n, i + 2, j); } }
    }
    "floyd_ij" 3 (fixed(500, 0, 0)) |s, e| {
        for _ in 0..s.n { for i in 0..s.n { e.row(i * s.n, 1, 0, s.n - 1); } }
    }
    "floyd_kj" 3 (fixed(500, 0, 0)) |s, e| {
        for k in 0..s.n { for _ in 0..s.n { e.row(k * s.n, 1, 0, s.n - 1); } }
    }
    "syrk_Ajk" 3 (fixed(1200, 1000, 0)) |s, e| {
        for i in 0..s.n { for k in 0..s.m { e.row(k, s.m, 0, i); } }
    }
    "covariance_i" 3 (fixed(1200, 1400, 0)) |s, e| {
        for i in 0..s.n { for _ in i..s.n { e.row(i, s.n, 0, s.m - 1); } }
    }
    "covariance_j" 3 (fixed(1200, 1400, 0)) |s, e| {
        for i in 0..s.n { for j in i..s.n { e.row(j, s.n, 0, s.m - 1); } }
    }
    "gramschmidt" 3 (fixed(1200, 1000, 0)) |s, e| {
        for k in 0..s.n { for j in k + 1..s.n { e.row(j, s.n, 0, s.m - 1); } }
    }
    "antitriangle" 2 (fixed(2000, 0, 0)) |s, e| {
        for i in 0..s.n { e.row(i * s.n, 1, 0, s.n - 1 - i); }
    }
};

/// Piecewise nests of the publications' examples.
pub const SMALL: &[Generator] = generators! {
    "two_upper" 3 (fixed(20, 10, 10)) |s, e| {
        for _ in 0..s.p { for i in 0..s.n { e.row(i * 100, 1, 0, (i + 2).min(s.m - 1)); } }
    }
    "two_lower" 3 (fixed(20, 10, 10)) |s, e| {
        for r in 0..s.p { for i in 0..s.n { e.row(r * 10_000 + i * 100, 1, (i - s.m).max(0), s.m - 1); } }
    }
    "rational" 2 (fixed(300, 0, 0)) |s, e| {
        for i in 0..s.n { e.row(i * 1000, 1, 0, floor(i, 3) + 5); }
    }
    "rational_both" 3 (fixed(300, 40, 0)) |s, e| {
        for i in 0..s.n { for j in 0..s.m {
            e.row(i * 100_000 + j * 1000, 1, ceil(i + j, 4), floor(2 * i + j, 3) + 10);
        } }
    }
};

/// Tiled nests.
pub const TILED: &[Generator] = generators! {
    "tiled_mm_A" 6 (sizes(200, 180, 210, 32, 0)) |s, e| { matmul(s, |i, _| (i * s.p, 1), e); }
    "tiled_mm_B" 6 (sizes(200, 180, 210, 32, 0)) |s, e| { matmul(s, |_, j| (j * s.m, 1), e); }
    "tiled_mm_C" 6 (sizes(200, 180, 210, 32, 0)) |s, e| { matmul(s, |i, j| (i * s.m + j, 0), e); }
    "tiled_lower" 4 (sizes(500, 0, 0, 32, 0)) |s, e| {
        let (n, t) = (s.n, s.tile);
        for it in 0..ceil(n, t) { for jt in 0..=it { for i in it * t..n.min(it * t + t) {
            e.row(i * n, 1, jt * t, (jt * t + t - 1).min(i));
        } } }
    }
    "tiled_upper" 4 (sizes(500, 0, 0, 32, 0)) |s, e| {
        let (n, t) = (s.n, s.tile);
        for it in 0..ceil(n, t) { for jt in it..ceil(n, t) { for i in it * t..n.min(it * t + t) {
            e.row(i * n, 1, (jt * t).max(i), (jt * t + t - 1).min(n - 1));
        } } }
    }
    "tiled_cholesky_ik" 6 (sizes(300, 0, 0, 32, 0)) |s, e| { cholesky(s, |i, _| (i * s.n, 1), e); }
    "tiled_cholesky_jk" 6 (sizes(300, 0, 0, 32, 0)) |s, e| { cholesky(s, |_, j| (j * s.n, 1), e); }
    "tiled_cholesky_ij" 6 (sizes(300, 0, 0, 32, 0)) |s, e| { cholesky(s, |i, j| (i * s.n + j, 0), e); }
    "tiled_lu_ij" 6 (sizes(300, 0, 0, 32, 0)) |s, e| { lu(s, |_, i| (i * s.n, 1), e); }
    "tiled_lu_ik" 6 (sizes(300, 0, 0, 32, 0)) |s, e| { lu(s, |k, i| (i * s.n + k, 0), e); }
    "tiled_lu_kj" 6 (sizes(300, 0, 0, 32, 0)) |s, e| { lu(s, |k, _| (k * s.n, 1), e); }
    "tiled_jacobi1d" 4 (sizes(1000, 0, 0, 32, 200)) |s, e| {
        let (n, t) = (s.n, s.tile);
        for tt in 0..ceil(s.steps, t) {
            for it in floor(2 * tt * t + 1, t)..=floor((2 * (s.steps - 1)).min(2 * (tt * t + t - 1)) + n - 2, t) {
                let first = (tt * t).max(ceil(it * t - n + 2, 2));
                let last = (s.steps - 1).min(tt * t + t - 1).min(floor(it * t + t - 2, 2));
                for u in first..=last {
                    e.row(-2 * u, 1, (it * t).max(2 * u + 1), (it * t + t - 1).min(2 * u + n - 2));
                }
            }
        }
    }
    "tiled_jacobi2d" 6 (sizes(130, 0, 0, 16, 64)) |s, e| {
        let (n, t) = (s.n, s.tile);
        for tt in 0..ceil(s.steps, t) {
            let (from, to) = skewed(s, tt);
            for it in from..=to { for jt in from..=to {
                for u in tt * t..=(s.steps - 1).min(tt * t + t - 1) {
                    for i in (it * t).max(2 * u + 1)..=(it * t + t - 1).min(2 * u + n - 2) {
                        let base = (i - 2 * u) * n - 2 * u;
                        e.row(base, 1, (jt * t).max(2 * u + 1), (jt * t + t - 1).min(2 * u + n - 2));
                    }
                }
            } }
        }
    }
    "tiled_heat3d" 8 (sizes(40, 0, 0, 8, 40)) |s, e| {
        let (n, t) = (s.n, s.tile);
        for tt in 0..ceil(s.steps, t) {
            let (from, to) = skewed(s, tt);
            for it in from..=to { for jt in from..=to { for kt in from..=to {
                for u in tt * t..=(s.steps - 1).min(tt * t + t - 1) {
                    let clip = |x: i64| ((x * t).max(2 * u + 1), (x * t + t - 1).min(2 * u + n - 2));
                    for i in clip(it).0..=clip(it).1 { for j in clip(jt).0..=clip(jt).1 {
                        let base = ((i - 2 * u) * n + (j - 2 * u)) * n - 2 * u;
                        e.row(base, 1, clip(kt).0, clip(kt).1);
                    } }
                }
            } } }
        }
    }
    "tiled_gramschmidt_k" 5 (sizes(120, 100, 0, 32, 0)) |s, e| {
        let (n, m, t) = (s.n, s.m, s.tile);
        for k in 0..n { for jt in floor(k + 1, t)..ceil(n, t) { for it in 0..ceil(m, t) {
            for j in (jt * t).max(k + 1)..n.min(jt * t + t) {
                e.row(j, n, it * t, m.min(it * t + t) - 1);
            }
        } } }
    }
    "tiled_diamond1d" 4 (sizes(300, 0, 0, 16, 100)) |s, e| {
        let (n, b) = (s.n, s.tile);
        for u in 0..ceil(s.steps + n, b) { for v in -ceil(n, b)..=floor(s.steps, b) {
            for t in 0..s.steps {
                let low = (u * b - t).max(t - (v * b + b - 1)).max(1);
                e.row(0, 1, low, (u * b + b - 1 - t).min(t - v * b).min(n - 2));
            }
        } }
    }
    "tiled_seidel2d" 6 (sizes(120, 0, 0, 16, 40)) |s, e| {
        // Skewed by (t, t+i, 2t+i+j), as a Gauss-Seidel sweep has to be.
        let (n, t) = (s.n, s.tile);
        for tt in 0..ceil(s.steps, t) {
            let last = (s.steps - 1).min(tt * t + t - 1);
            for it in floor(tt * t + 1, t)..=floor(last + n - 2, t) {
                for jt in floor(tt * t + it * t + 1, t)..=floor(last + (it * t + t - 1).min(last + n - 2) + n - 2, t) {
                    for u in tt * t..=last {
                        for i in (it * t).max(u + 1)..=(it * t + t - 1).min(u + n - 2) {
                            let base = (i - u) * n - u - i;
                            e.row(base, 1, (jt * t).max(u + i + 1), (jt * t + t - 1).min(u + i + n - 2));
                        }
                    }
                }
            }
        }
    }
    "tiled_two_level" 6 (sizes(250, 230, 0, 32, 0)) |s, e| {
        let (n, m, t, f) = (s.n, s.m, s.tile, (s.tile / 4).max(2));
        for it in 0..ceil(n, t) { for jt in 0..ceil(m, t) {
            for iu in floor(it * t, f)..=floor(n.min(it * t + t) - 1, f) {
                for ju in floor(jt * t, f)..=floor(m.min(jt * t + t) - 1, f) {
                    for i in (iu * f).max(it * t)..=(iu * f + f - 1).min(n.min(it * t + t) - 1) {
                        e.row(i * m, 1, (ju * f).max(jt * t), (ju * f + f - 1).min(m.min(jt * t + t) - 1));
                    }
                }
            }
        } }
    }
    "tiled_transpose" 4 (sizes(300, 260, 0, 32, 0)) |s, e| {
        let (n, m, t) = (s.n, s.m, s.tile);
        for it in 0..ceil(n, t) { for jt in 0..ceil(m, t) { for i in it * t..n.min(it * t + t) {
            e.row(i, n, jt * t, m.min(jt * t + t) - 1);
        } } }
    }
    "tiled_banded" 4 (sizes(400, 0, 0, 16, 0)) |s, e| {
        let (n, t, w) = (s.n, s.tile, s.tile + 5);
        for it in 0..ceil(n, t) {
            for jt in floor((it * t - w).max(0), t)..=floor((it * t + t - 1 + w).min(n - 1), t) {
                for i in it * t..n.min(it * t + t) {
                    e.row(i * n, 1, (jt * t).max(i - w).max(0), (jt * t + t - 1).min(i + w).min(n - 1));
                }
            }
        }
    }
    "tiled_reversed" 4 (sizes(300, 260, 0, 32, 0)) |s, e| {
        let (n, m, t) = (s.n, s.m, s.tile);
        for it in (0..ceil(n, t)).rev() { for jt in (0..ceil(m, t)).rev() {
            for i in (it * t..n.min(it * t + t)).rev() {
                let (low, high) = (jt * t, m.min(jt * t + t) - 1);
                e.row(i * m, -1, -high, -low);
            }
        } }
    }
};

/// Rectangular tiles of a product, order i, j, k.
fn matmul(s: &Sizes, access: impl Fn(i64, i64) -> (i64, i64), e: &mut Rows<'_>) {
    let t = s.tile;
    for it in 0..ceil(s.n, t) {
        for jt in 0..ceil(s.m, t) {
            for kt in 0..ceil(s.p, t) {
                for i in it * t..s.n.min(it * t + t) {
                    for j in jt * t..s.m.min(jt * t + t) {
                        let (base, stride) = access(i, j);
                        e.row(base, stride, kt * t, s.p.min(kt * t + t) - 1);
                    }
                }
            }
        }
    }
}

/// k < j ≤ i, all tiled.
fn cholesky(s: &Sizes, access: impl Fn(i64, i64) -> (i64, i64), e: &mut Rows<'_>) {
    let (n, t) = (s.n, s.tile);
    for it in 0..ceil(n, t) {
        for jt in 0..=it {
            for kt in 0..=jt {
                for i in it * t..n.min(it * t + t) {
                    for j in jt * t..(jt * t + t).min(i) {
                        let (base, stride) = access(i, j);
                        e.row(base, stride, kt * t, (kt * t + t - 1).min(j - 1));
                    }
                }
            }
        }
    }
}

/// i > k, j > k, k outermost, all tiled.
fn lu(s: &Sizes, access: impl Fn(i64, i64) -> (i64, i64), e: &mut Rows<'_>) {
    let (n, t) = (s.n, s.tile);
    for kt in 0..ceil(n, t) {
        for it in kt..ceil(n, t) {
            for jt in kt..ceil(n, t) {
                for k in kt * t..n.min(kt * t + t) {
                    for i in (it * t).max(k + 1)..n.min(it * t + t) {
                        let (base, stride) = access(k, i);
                        e.row(base, stride, (jt * t).max(k + 1), n.min(jt * t + t) - 1);
                    }
                }
            }
        }
    }
}

/// First and last space tile of a time tile, skewed by 2.
fn skewed(s: &Sizes, tt: i64) -> (i64, i64) {
    let t = s.tile;
    (floor(2 * tt * t + 1, t), floor(2 * (s.steps - 1).min(tt * t + t - 1) + s.n - 2, t))
}

/// Every generator.
pub fn all() -> impl Iterator<Item = &'static Generator> {
    SINGLE.iter().chain(SMALL).chain(TILED)
}

/// The generator of a name.
pub fn named(name: &str) -> Option<&'static Generator> {
    all().find(|g| g.name == name)
}
