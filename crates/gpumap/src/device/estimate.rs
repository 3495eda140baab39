//! Least times of a kernel and of copies, from the printed figures of a product.
//!
//! *Roofline*: a kernel takes at least as long as its bytes take through memory, and as its operations take at the peak rate
//! (S. Williams, A. Waterman, D. Patterson, 2009). No kernel is faster; how much slower it is, nothing here says.

use super::Device;

/// What a product does in a second, in units of 10⁹.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rates {
    /// Multiprocessors, not in a second.
    pub multiprocessors: u32,
    /// Bytes between multiprocessors and device memory.
    pub memory: u32,
    /// Bytes from the host or to it, in one direction.
    pub transfer: u32,
    /// Operations in single precision, of which a fused one is two.
    pub single: u32,
    /// Operations in double precision.
    pub double: u32,
}

/// What numbers a kernel works with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Precision {
    /// 32 bits. Integers count as these.
    Single,
    /// 64 bits.
    Double,
}

const GIGA: f64 = 1e9;

impl Device {
    /// The least time of a kernel in seconds, given the bytes that it moves and the operations that it makes: an estimate.
    pub fn roofline(&self, bytes: u64, operations: u64, precision: Precision) -> f64 {
        let rate = match precision {
            Precision::Single => self.rates.single,
            Precision::Double => self.rates.double,
        };
        let memory = bytes as f64 / (f64::from(self.rates.memory) * GIGA);
        memory.max(operations as f64 / (f64::from(rate) * GIGA))
    }

    /// The least time in seconds that so many bytes take from the host or to it: an estimate.
    pub fn transfer(&self, bytes: u64) -> f64 {
        bytes as f64 / (f64::from(self.rates.transfer) * GIGA)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slower_part_counts() {
        let Ok(device) = Device::named("sm_90") else { panic!("it is known") };
        let close = |a: f64, b: f64| (a / b - 1.0).abs() < 1e-9;
        assert!(close(device.roofline(3_350_000_000, 0, Precision::Single), 1e-3));
        assert!(close(device.roofline(3_350_000_000, 134_000_000_000, Precision::Single), 2e-3));
        assert!(close(device.roofline(3_350_000_000, 134_000_000_000, Precision::Double), 134.0 / 34_000.0));
        assert!(close(device.transfer(64_000_000_000), 1.0));
    }
}
