//! Fingerprints of sequences of labels.
//!
//! The fingerprint of `v_0, v_1, …` is the pair of `Σ v_t·B^t` modulo the prime `2^61 − 1` for two fixed B; every output
//! has a factor of its own. It is additive: that of a row is the sum of those of its parts, and that of an arithmetic
//! progression of n labels takes O(log n). Different sequences share one with probability about 2^-110.

const PRIME: u64 = (1 << 61) - 1;
const BASES: [u64; 2] = [0x0f3a_9c51_7e2d_84b7, 0x1b58_e06c_3d97_a2f1];
const OUTPUTS: [u64; 2] = [0x1c69_b3f7_4ac5_ae35, 0x05fb_d1ee_9d0a_5e1b];

#[inline]
const fn product(a: u64, b: u64) -> u64 {
    let wide = a as u128 * b as u128;
    sum(wide as u64 & PRIME, (wide >> 61) as u64)
}

#[inline]
const fn sum(a: u64, b: u64) -> u64 {
    let sum = a + b;
    if sum >= PRIME { sum - PRIME } else { sum }
}

#[inline]
fn element(value: i64) -> u64 {
    let magnitude = value.unsigned_abs();
    let magnitude = sum(magnitude & PRIME, magnitude >> 61);
    if value < 0 && magnitude != 0 { PRIME - magnitude } else { magnitude }
}

/// Factor of an output, so that equal sequences of different outputs differ.
const fn factor(half: usize, output: usize) -> u64 {
    sum(OUTPUTS[half], product(BASES[1 - half], output as u64 + 1))
}

/// Of the first output, which mostly is the only one.
const FIRST: [u64; 2] = [factor(0, 0), factor(1, 0)];

/// `B^t`: what the label at position t counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Weight([u64; 2]);

impl Weight {
    /// Of position 0.
    pub const ONE: Weight = Weight([1, 1]);

    /// Of the next position.
    #[inline]
    pub fn next(self) -> Weight {
        Weight([product(self.0[0], BASES[0]), product(self.0[1], BASES[1])])
    }

    /// Of the position `count` further.
    pub fn after(self, count: i64) -> Weight {
        Weight([0, 1].map(|half| product(self.0[half], Powers::of(BASES[half], count).power)))
    }
}

/// `B^n`, `Σ_{t<n} B^t` and `Σ_{t<n} t·B^t`.
struct Powers {
    power: u64,
    plain: u64,
    linear: u64,
}

impl Powers {
    fn of(base: u64, count: i64) -> Powers {
        let count = count.max(0).unsigned_abs();
        let mut p = Powers { power: 1, plain: 0, linear: 0 };
        let mut done = 0u64;
        for bit in (0..64 - count.leading_zeros()).rev() {
            // The second half is the first, `done` positions further.
            let moved = sum(product(element(done as i64), p.plain), p.linear);
            p.linear = sum(p.linear, product(p.power, moved));
            p.plain = sum(p.plain, product(p.power, p.plain));
            p.power = product(p.power, p.power);
            done *= 2;
            if count >> bit & 1 == 1 {
                p.linear = sum(p.linear, product(element(done as i64), p.power));
                p.plain = sum(p.plain, p.power);
                p.power = product(p.power, base);
                done += 1;
            }
        }
        p
    }
}

/// See the module.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(crate) struct Fingerprint([u64; 2]);

impl Fingerprint {
    /// Adds one label at a position.
    #[inline]
    pub fn add(&mut self, at: Weight, output: usize, value: i64) {
        for (half, own) in self.0.iter_mut().enumerate() {
            let factor = if output == 0 { FIRST[half] } else { factor(half, output) };
            let value = product(element(value), factor);
            *own = sum(*own, product(at.0[half], value));
        }
    }

    /// Adds `first, first + delta, …`, `count` labels from a position on.
    pub fn add_progression(&mut self, at: Weight, output: usize, first: i64, delta: i64, count: i64) {
        for (half, own) in self.0.iter_mut().enumerate() {
            let p = Powers::of(BASES[half], count);
            let value = sum(product(element(first), p.plain), product(element(delta), p.linear));
            let value = product(value, factor(half, output));
            *own = sum(*own, product(at.0[half], value));
        }
    }

    /// Adds the labels of another fingerprint, from a position on.
    pub fn add_row(&mut self, at: Weight, row: Fingerprint) {
        for half in 0..2 {
            self.0[half] = sum(self.0[half], product(at.0[half], row.0[half]));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_progression_is_the_sum_of_its_labels() {
        for (first, delta, count) in
            [(0, 1, 0), (5, 3, 1), (-7, -2, 2), (1 << 40, -(1 << 33), 100), (3, 0, 77)]
        {
            let start = Weight::ONE.after(13);
            let (mut one, mut all) = (Fingerprint::default(), Fingerprint::default());
            let mut at = start;
            for t in 0..count {
                one.add(at, 2, first + delta * t);
                at = at.next();
            }
            all.add_progression(start, 2, first, delta, count);
            assert_eq!(one, all, "{first} {delta} {count}");
            assert_eq!(at, start.after(count));
        }
        let mut other = Fingerprint::default();
        other.add(Weight::ONE, 0, 1);
        let mut third = Fingerprint::default();
        third.add(Weight::ONE, 1, 1);
        assert_ne!(other, third);
    }
}
