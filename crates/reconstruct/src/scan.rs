//! From integers to runs of equal differences, at the speed of memory.
//!
//! Position `i` is a *break* if `a[i+1] − a[i] ≠ a[i] − a[i−1]` (differences modulo 2^64). Breaks of a block are found by
//! vector comparisons chosen at run time (512 bits, 256 bits, or plain code that the compiler vectorises), without a
//! branch per element; then each stretch between two breaks is one step `(difference, times)`.

use pulp::x86::{V3, V4};

/// Receives differences in order.
pub trait Steps {
    /// `times` neighbouring differences of `difference` modulo 2^64.
    fn step(&mut self, difference: i64, times: u64);
}

/// Elements per block: the block and the positions of its breaks stay in the first-level cache.
const BLOCK: usize = 2048;
/// Elements per vector step.
const GROUP: usize = 32;

/// A machine's way to find breaks.
#[derive(Debug, Clone, Copy)]
enum Isa {
    Wide(V4),
    Half(V3),
    Plain,
}

/// Finds runs of equal differences in a stream of slices.
#[derive(Debug, Clone)]
pub struct Scanner {
    isa: Isa,
    breaks: Vec<u32>,
    /// The last one or two integers seen.
    last: Option<i64>,
    difference: i64,
    times: u64,
}

impl Default for Scanner {
    fn default() -> Self {
        Scanner::new()
    }
}

impl Scanner {
    /// A scanner at the start of a stream.
    pub fn new() -> Scanner {
        let isa = if let Some(wide) = V4::try_new() {
            Isa::Wide(wide)
        } else if let Some(half) = V3::try_new() {
            Isa::Half(half)
        } else {
            Isa::Plain
        };
        Scanner::with(isa)
    }

    fn with(isa: Isa) -> Scanner {
        Scanner { isa, breaks: Vec::new(), last: None, difference: 0, times: 0 }
    }

    /// Scans one slice. The step that is still open at its end is not reported yet.
    pub fn push(&mut self, values: &[i64], steps: &mut impl Steps) {
        let mut rest = values;
        // The first differences have no two neighbours in this slice to be compared with.
        while let (Some((&value, tail)), true) = (rest.split_first(), rest.len() == values.len()) {
            self.one(value, steps);
            rest = tail;
        }
        if values.len() < 3 {
            for &value in rest {
                self.one(value, steps);
            }
            return;
        }
        self.breaks.resize(BLOCK + GROUP, 0);
        // values[0] is taken; values[1] goes by itself so that the open step always ends with values[i] − values[i−1].
        self.one(values[1], steps);
        let mut at = 1;
        while at + 1 < values.len() {
            let end = (at + BLOCK).min(values.len() - 1);
            // Breaks at positions at..end; position p compares values[p−1], values[p] and values[p+1].
            let window = &values[at - 1..=end];
            let found = find(self.isa, window, &mut self.breaks);
            let mut from = at;
            for &p in &self.breaks[..found] {
                let p = at + p as usize;
                steps.step(self.difference, self.times + (p - from) as u64);
                self.difference = values[p + 1].wrapping_sub(values[p]);
                self.times = 0;
                from = p;
            }
            self.times += (end - from) as u64;
            at = end;
        }
        self.last = values.last().copied();
    }

    /// Scans one integer.
    pub fn one(&mut self, value: i64, steps: &mut impl Steps) {
        if let Some(last) = self.last {
            let difference = value.wrapping_sub(last);
            if self.times > 0 && difference == self.difference {
                self.times += 1;
            } else {
                if self.times > 0 {
                    steps.step(self.difference, self.times);
                }
                self.difference = difference;
                self.times = 1;
            }
        }
        self.last = Some(value);
    }

    /// Takes a run as if its integers had been scanned.
    pub fn run(&mut self, run: crate::run::Run, steps: &mut impl Steps) {
        if run.count == 0 {
            return;
        }
        self.one(run.start, steps);
        if run.count == 1 {
            return;
        }
        let times = run.count - 1;
        if self.times > 0 && self.difference == run.stride {
            self.times += times;
        } else {
            if self.times > 0 {
                steps.step(self.difference, self.times);
            }
            self.difference = run.stride;
            self.times = times;
        }
        self.last = Some(run.start.wrapping_add(run.stride.wrapping_mul(times as i64)));
    }

    /// The step that is still open: its difference and how often it occurred so far.
    pub fn open(&self) -> (i64, u64) {
        (self.difference, self.times)
    }

    /// Replaces the open step by that of a run of at least two integers which ends at `last`.
    pub fn reopen(&mut self, stride: i64, times: u64, last: i64) {
        (self.difference, self.times, self.last) = (stride, times, Some(last));
    }

    /// Reports the step that is still open. The next integer continues from the last one.
    pub fn flush(&mut self, steps: &mut impl Steps) {
        if self.times > 0 {
            steps.step(self.difference, self.times);
            self.times = 0;
        }
    }

    /// The last integer seen.
    pub fn last(&self) -> Option<i64> {
        self.last
    }
}

/// Writes the breaks of `window` (its elements 1 to len−2, numbered from 0) and returns how many there are.
fn find(isa: Isa, window: &[i64], breaks: &mut [u32]) -> usize {
    match isa {
        Isa::Wide(simd) => simd.vectorize(Wide { simd, window, breaks }),
        Isa::Half(simd) => simd.vectorize(Half { simd, window, breaks }),
        Isa::Plain => scan(window, breaks, plain_mask),
    }
}

struct Wide<'a> {
    simd: V4,
    window: &'a [i64],
    breaks: &'a mut [u32],
}

impl pulp::NullaryFnOnce for Wide<'_> {
    type Output = usize;

    #[inline(always)]
    fn call(self) -> usize {
        let f = self.simd.avx512f;
        scan(
            self.window,
            self.breaks,
            #[inline(always)]
            |w| {
                let mut mask = 0u32;
                for g in 0..4 {
                    let (x, y, z) = (eight(w, 8 * g), eight(w, 8 * g + 1), eight(w, 8 * g + 2));
                    let (x, y, z) = (pulp::cast(x), pulp::cast(y), pulp::cast(z));
                    let differ =
                        f._mm512_cmpneq_epi64_mask(f._mm512_sub_epi64(z, y), f._mm512_sub_epi64(y, x));
                    mask |= u32::from(differ) << (8 * g);
                }
                mask
            },
        )
    }
}

struct Half<'a> {
    simd: V3,
    window: &'a [i64],
    breaks: &'a mut [u32],
}

impl pulp::NullaryFnOnce for Half<'_> {
    type Output = usize;

    #[inline(always)]
    fn call(self) -> usize {
        let (avx, avx2) = (self.simd.avx, self.simd.avx2);
        scan(
            self.window,
            self.breaks,
            #[inline(always)]
            |w| {
                let mut mask = 0u32;
                for g in 0..8 {
                    let (x, y, z) = (four(w, 4 * g), four(w, 4 * g + 1), four(w, 4 * g + 2));
                    let (x, y, z) = (pulp::cast(x), pulp::cast(y), pulp::cast(z));
                    let equal =
                        avx2._mm256_cmpeq_epi64(avx2._mm256_sub_epi64(z, y), avx2._mm256_sub_epi64(y, x));
                    let bits = avx._mm256_movemask_pd(avx._mm256_castsi256_pd(equal));
                    mask |= ((!bits as u32) & 15) << (4 * g);
                }
                mask
            },
        )
    }
}

#[inline(always)]
fn eight(w: &[i64; GROUP + 2], at: usize) -> [i64; 8] {
    std::array::from_fn(|k| w[at + k])
}

#[inline(always)]
fn four(w: &[i64; GROUP + 2], at: usize) -> [i64; 4] {
    std::array::from_fn(|k| w[at + k])
}

#[inline(always)]
fn plain_mask(w: &[i64; GROUP + 2]) -> u32 {
    let mut any = 0;
    for k in 0..GROUP {
        any |= w[k + 2].wrapping_sub(w[k + 1]) ^ w[k + 1].wrapping_sub(w[k]);
    }
    if any == 0 {
        return 0;
    }
    let mut mask = 0;
    for k in 0..GROUP {
        mask |= u32::from(w[k + 2].wrapping_sub(w[k + 1]) != w[k + 1].wrapping_sub(w[k])) << k;
    }
    mask
}

#[inline(always)]
fn scan(window: &[i64], breaks: &mut [u32], mask: impl Fn(&[i64; GROUP + 2]) -> u32) -> usize {
    let positions = window.len() - 2;
    let mut found = 0;
    let mut at = 0;
    while let Some(group) = window.get(at..at + GROUP + 2).and_then(|w| w.first_chunk()) {
        let mut m = mask(group);
        while m != 0 {
            breaks[found] = at as u32 + m.trailing_zeros();
            found += 1;
            m &= m - 1;
        }
        at += GROUP;
    }
    for p in at..positions {
        if window[p + 2].wrapping_sub(window[p + 1]) != window[p + 1].wrapping_sub(window[p]) {
            breaks[found] = p as u32;
            found += 1;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default, PartialEq, Debug)]
    struct Collected(Vec<(i64, u64)>);

    impl Steps for Collected {
        fn step(&mut self, difference: i64, times: u64) {
            self.0.push((difference, times));
        }
    }

    fn simple(values: &[i64]) -> Vec<(i64, u64)> {
        let mut out: Vec<(i64, u64)> = Vec::new();
        for w in values.windows(2) {
            let d = w[1].wrapping_sub(w[0]);
            match out.last_mut() {
                Some((e, n)) if *e == d => *n += 1,
                _ => out.push((d, 1)),
            }
        }
        out
    }

    /// Values with runs of many lengths, from single integers to longer than a block.
    fn mixed(seed: u64, length: usize) -> Vec<i64> {
        let mut state = seed | 1;
        let mut next = move |n: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % n
        };
        let mut out = Vec::new();
        while out.len() < length {
            let (start, stride) = (next(1000) as i64, next(7) as i64 - 3);
            let n = [1, 2, 3, 31, 32, 33, 500, 5000][next(8) as usize];
            out.extend((0..n).map(|k| start + stride * k));
        }
        out.truncate(length);
        out
    }

    #[test]
    fn every_instruction_set_finds_the_same_steps_in_any_division() {
        let mut isas = vec![Isa::Plain];
        isas.extend(V3::try_new().map(Isa::Half));
        isas.extend(V4::try_new().map(Isa::Wide));
        for seed in 0..40 {
            let values = mixed(seed, 1 + (seed as usize * 977) % 20_000);
            let expected = simple(&values);
            for &isa in &isas {
                for piece in [1, 2, 3, 7, 33, 34, 2047, 2048, 2049, 100_000] {
                    let mut scanner = Scanner::with(isa);
                    let mut got = Collected::default();
                    for part in values.chunks(piece) {
                        scanner.push(part, &mut got);
                    }
                    scanner.flush(&mut got);
                    assert_eq!(got.0, expected, "{isa:?}, seed {seed}, pieces of {piece}");
                }
            }
        }
    }

    #[test]
    fn runs_are_scanned_like_their_integers() {
        let runs = [(5, 1, 3), (8, 1, 2), (20, 0, 1), (20, 0, 4), (0, 5, 2)];
        let mut scanner = Scanner::new();
        let mut got = Collected::default();
        let mut values = Vec::new();
        for (start, stride, count) in runs {
            let run = crate::run::Run { start, stride, count };
            scanner.run(run, &mut got);
            values.extend(run.values());
        }
        scanner.flush(&mut got);
        assert_eq!(got.0, simple(&values));
    }
}
