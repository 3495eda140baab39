//! Traces that are no perfect nests, or none at all: for tests and benchmarks.
//!
//! Each is written as the program that makes the accesses, one integer at a time, and takes a size; data that steer a
//! program are pseudo-random and the same every time. Nothing here uses the model that reconstruction produces.

use crate::fuzzing::Random;

/// A trace of a given size.
#[derive(Debug, Clone, Copy)]
pub struct Trace {
    /// Its name.
    pub name: &'static str,
    /// The size used by default: rows, elements or steps, as the trace has it.
    pub size: i64,
    make: fn(i64, &mut Vec<i64>),
}

impl Trace {
    /// The integers at the default size.
    pub fn all(&self) -> Vec<i64> {
        self.at(self.size)
    }

    /// The integers at a size.
    pub fn at(&self, size: i64) -> Vec<i64> {
        let mut out = Vec::new();
        (self.make)(size, &mut out);
        out
    }
}

macro_rules! traces {
    ($($name:literal $size:literal |$n:ident, $e:ident| $body:block)*) => {
        &[$(Trace { name: $name, size: $size, make: |$n, $e| $body }),*]
    };
}

/// All traces.
pub const ALL: &[Trace] = traces! {
    // Bodies of several statements.
    "alternating" 50_000 |n, e| { for i in 0..n { e.extend([i, 1_000_000 + 3 * i]); } }
    "interleaved_3" 30_000 |n, e| { for i in 0..n { e.extend([8 * i, 5_000_000 - 8 * i, 9_000_000 + 4 * i]); } }
    "interleaved_rows" 200 |n, e| {
        for i in 0..n { for j in 0..n { e.extend([n * i + j, 1_000_000 + n * j + i, 2_000_000 + j]); } }
    }
    "statements_around" 400 |n, e| {
        for i in 0..n {
            e.push(i);
            e.extend((0..=i).map(|j| 1_000_000 + n * i + j));
            e.push(2_000_000 + i);
        }
    }
    "two_inner_loops" 300 |n, e| {
        for i in 0..n {
            e.extend((0..i).map(|j| n * i + j));
            e.push(-i);
            e.extend((i..n).map(|j| 1_000_000 + n * j + i));
        }
    }
    "tile_loop_outside_230" 60 |n, e| { outside(n, 230, e); }
    "tile_loop_outside_260" 60 |n, e| { outside(n, 260, e); }
    "tile_loop_outside_288" 60 |n, e| { outside(n, 288, e); }
    "tile_loop_outside_300" 60 |n, e| { outside(n, 300, e); }
    "red_black" 400 |n, e| {
        for colour in 0..2 {
            for i in 1..n - 1 {
                for j in (1 + (i + colour) % 2..n - 1).step_by(2) {
                    e.extend([n * (i - 1) + j, n * i + j - 1, n * i + j + 1, n * (i + 1) + j]);
                }
            }
        }
    }
    // Compressed sparse rows: the columns of the elements, row by row.
    "csr_arrow" 40_000 |n, e| { e.extend(0..n); for i in 1..n { e.extend([0, i]); } }
    "csr_band" 20_000 |n, e| { for i in 0..n { e.extend((i - 2).max(0)..(i + 3).min(n)); } }
    "csr_blocks" 4_000 |n, e| {
        for block in 0..n { for _ in 0..5 { e.extend((0..5).map(|j| 5 * block + j)); } }
    }
    "csr_stencil_5" 150 |n, e| { stencil(n, &[(-1, 0), (0, -1), (0, 0), (0, 1), (1, 0)], e); }
    "csr_stencil_9" 120 |n, e| {
        let all: Vec<(i64, i64)> = (-1..=1).flat_map(|a| (-1..=1).map(move |b| (a, b))).collect();
        stencil(n, &all, e);
    }
    "csr_random" 20_000 |n, e| {
        let mut random = Random::new(11);
        for _ in 0..n {
            let mut row: Vec<i64> = (0..5).map(|_| random.between(0, n - 1)).collect();
            row.sort_unstable();
            e.extend(row);
        }
    }
    // Orders of transforms and curves.
    "butterflies" 13 |n, e| {
        let size = 1 << n;
        for step in 0..n {
            let half = 1i64 << step;
            for base in (0..size).step_by(2 * half as usize) {
                for k in 0..half { e.extend([base + k, base + k + half]); }
            }
        }
    }
    "morton" 9 |n, e| {
        let part = |x: i64| (0..n).map(|b| ((x >> b) & 1) << (2 * b)).sum::<i64>();
        let width = 1i64 << n;
        let unpart = |z: i64| (0..n).map(|b| ((z >> (2 * b)) & 1) << b).sum::<i64>();
        for z in 0..part(width - 1) * 3 + 1 { e.push(width * unpart(z >> 1) + unpart(z)); }
    }
    "bit_reversal" 17 |n, e| {
        for i in 0..1i64 << n { e.push((0..n).map(|b| ((i >> b) & 1) << (n - 1 - b)).sum()); }
    }
    // What data decide.
    "hash_probes" 60_000 |n, e| {
        let mut random = Random::new(5);
        for _ in 0..n { let at = random.between(0, 65_535); e.extend((0..1 + random.between(0, 2)).map(|k| 16 * ((at + k) % 65_536))); }
    }
    "noise_20_bits" 200_000 |n, e| { let mut r = Random::new(1); e.extend((0..n).map(|_| r.between(0, (1 << 20) - 1))); }
    "noise_53_bits" 100_000 |n, e| { let mut r = Random::new(2); e.extend((0..n).map(|_| r.below(1 << 53) as i64)); }
    "noise_2_bits" 200_000 |n, e| { let mut r = Random::new(3); e.extend((0..n).map(|_| r.between(0, 3))); }
    "random_walk" 150_000 |n, e| {
        let (mut r, mut at) = (Random::new(4), 0);
        for _ in 0..n { at += r.between(-5, 5); e.push(at); }
    }
    "noise_twice" 40_000 |n, e| {
        let mut r = Random::new(8);
        let once: Vec<i64> = (0..n).map(|_| r.below(1 << 40) as i64).collect();
        e.extend(once.iter().chain(&once));
    }
    "quicksort" 12_000 |n, e| {
        let mut r = Random::new(6);
        let mut data: Vec<u64> = (0..n).map(|_| r.below(1 << 30)).collect();
        quicksort(&mut data, 0, e);
    }
    "binary_search" 12_000 |n, e| {
        let mut r = Random::new(9);
        for _ in 0..n {
            let wanted = r.between(0, 4095);
            let (mut low, mut high) = (0, 4096);
            while low < high {
                let middle = (low + high) / 2;
                e.push(8 * middle);
                if middle < wanted { low = middle + 1 } else { high = middle }
            }
        }
    }
    "floyd_conditional" 56 |n, e| {
        let mut r = Random::new(7);
        let size = n as usize;
        let mut path: Vec<i64> = (0..n * n).map(|_| r.between(1, 1000)).collect();
        for k in 0..size { for i in 0..size { for j in 0..size {
            let through = path[size * i + k] + path[size * k + j];
            e.push((size * i + j) as i64);
            if path[size * i + j] > through {
                path[size * i + j] = through;
                e.push((size * i + j) as i64 + 100_000);
            }
        } } }
    }
    "noisy_rows" 400 |n, e| {
        let mut r = Random::new(10);
        for i in 0..n { for j in 0..n {
            e.push(if r.below(200) == 0 { r.between(0, n * n) } else { n * i + j });
        } }
    }
    "rows_of_random_lengths" 4_000 |n, e| {
        let mut r = Random::new(12);
        for i in 0..n { let length = r.between(1, 60); e.extend((0..length).map(|j| 1000 * i + 8 * j)); }
    }
};

/// A reference `k·n + j` with k outside the tiles of i and j.
fn outside(rows: i64, n: i64, e: &mut Vec<i64>) {
    for k in 0..rows {
        for it in (0..n).step_by(32) {
            for jt in (0..n).step_by(32) {
                for _ in it..n.min(it + 32) {
                    e.extend((jt..n.min(jt + 32)).map(|j| n * k + j));
                }
            }
        }
    }
}

/// Columns of the matrix of a stencil on an n × n grid.
fn stencil(n: i64, points: &[(i64, i64)], e: &mut Vec<i64>) {
    for i in 0..n {
        for j in 0..n {
            let inside = |&&(a, b): &&(i64, i64)| (0..n).contains(&(i + a)) && (0..n).contains(&(j + b));
            e.extend(points.iter().filter(inside).map(|(a, b)| n * (i + a) + j + b));
        }
    }
}

fn quicksort(data: &mut [u64], base: i64, e: &mut Vec<i64>) {
    if data.len() < 2 {
        return;
    }
    let (pivot, last) = (data[data.len() - 1], data.len() - 1);
    let mut store = 0;
    for i in 0..last {
        e.push(base + i as i64);
        if data[i] < pivot {
            data.swap(i, store);
            store += 1;
        }
    }
    data.swap(store, last);
    let (left, right) = data.split_at_mut(store);
    quicksort(left, base, e);
    quicksort(&mut right[1..], base + store as i64 + 1, e);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::Reconstructor;
    use crate::{check, codec};

    #[test]
    fn every_trace_comes_back_through_a_file() {
        for trace in ALL {
            let part = kernels::cases(20, 50);
            let size = if trace.size < 100 { trace.size.min(8) } else { trace.size / part };
            let values = trace.at(size);
            assert!(!values.is_empty(), "{}", trace.name);
            let mut all = Reconstructor::default();
            all.push(&values);
            let found = all.finish();
            assert_eq!(check::check(&found.nests, values.iter().copied()), Ok(()), "{}", trace.name);
            let file = codec::decode(&codec::encode(&[((0, 0), &found)], None)).expect("its own file");
            assert!(codec::Integers::of(&file.streams[0].statements).eq(values), "{}", trace.name);
        }
    }

    /// Bodies of several statements are one nest at the depth they were written at; first iterations that look like something
    /// else may stand beside it.
    #[test]
    fn imperfect_nests_are_found_whole() {
        for (name, nests, loops) in [
            ("alternating", 1, 1),
            ("interleaved_3", 1, 1),
            ("interleaved_rows", 1, 2),
            ("statements_around", 1, 2),
            ("two_inner_loops", 2, 2),
            ("tile_loop_outside_230", 1, 5),
            ("tile_loop_outside_260", 1, 5),
            ("tile_loop_outside_288", 1, 5),
            ("tile_loop_outside_300", 1, 5),
            ("csr_arrow", 2, 1),
            ("csr_blocks", 1, 3),
        ] {
            let trace = ALL.iter().find(|trace| trace.name == name).expect("a trace");
            let size = if trace.size < 100 { trace.size } else { trace.size / 10 };
            let mut all = Reconstructor::default();
            all.push(&trace.at(size));
            let found = all.finish().nests;
            assert!(found.len() <= nests, "{name}: {found:?}");
            assert!(found.iter().all(|nest| nest.depth() <= loops), "{name}: {found:?}");
        }
    }

    /// A trace that ends amid its nest is that nest, and what has begun of the last iteration of each loop: at most the parts of a
    /// body that are complete, and two iterations of a loop, which are none yet.
    #[test]
    fn nests_are_found_where_a_trace_ends_amid_them() {
        const LAST: usize = 8;
        for name in ["tile_loop_outside_230", "tile_loop_outside_260", "tile_loop_outside_300"] {
            let trace = ALL.iter().find(|trace| trace.name == name).expect("a trace");
            let whole = trace.at(5);
            let lengths = [whole.len() - 1, whole.len() * 19 / 20, whole.len() * 17 / 20];
            for &length in &lengths[..kernels::cases(3, 2)] {
                let values = &whole[..length];
                let mut all = Reconstructor::default();
                all.push(values);
                let found = all.finish().nests;
                assert_eq!(check::check(&found, values.iter().copied()), Ok(()), "{name}, {length}");
                let depths: Vec<usize> = found.iter().map(|nest| nest.depth()).collect();
                assert!(depths.iter().all(|&depth| depth <= 5), "{name}, {length}: {depths:?}");
                assert!(depths.contains(&5) && depths.len() <= 1 + LAST, "{name}, {length}: {depths:?}");
            }
        }
    }
}
