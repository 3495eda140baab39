//! Register units: the granularity at which register dependences are tracked (ALGORITHMS 2.2).
//!
//! A general-purpose register has four units (byte 0, byte 1, bytes 2–3, bytes 4–7), a vector register sixteen of four
//! bytes, every flag one, the control word and the status word of the floating-point stack one each, every other register one. A write that covers a unit only in part counts as a write of it.

use std::ops::Range;

use trace::block::{REG_COUNT, REG_FLAGS, REG_MASK, REG_MORE, REG_OTHER, REG_VECTOR, REG_X87, RegRange};

const VECTORS: u16 = 64;
const MASKS: u16 = VECTORS + 32 * 16;
const FLAGS: u16 = MASKS + 8;
/// The floating-point stack, by distance from the top.
pub const X87: u16 = FLAGS + 8;
const OTHER: u16 = X87 + 8;

const MORE: u16 = OTHER + 2;

/// Number of units.
pub const UNITS: usize = MORE as usize + 4 * 16;

/// The units a register range touches; empty for unknown registers.
pub fn units(range: RegRange) -> Range<u16> {
    let r = u16::from(range.reg);
    if range.hi <= range.lo || range.reg >= REG_COUNT {
        return 0..0;
    }
    match range.reg {
        0..REG_VECTOR => general(4 * r, range),
        REG_VECTOR..REG_MASK => {
            let base = VECTORS + 16 * (r - u16::from(REG_VECTOR));
            base + u16::from(range.lo / 4).min(15)..base + u16::from((range.hi - 1) / 4).min(15) + 1
        }
        REG_MASK..REG_FLAGS => {
            let at = MASKS + r - u16::from(REG_MASK);
            at..at + 1
        }
        REG_FLAGS => FLAGS + u16::from(range.lo).min(7)..FLAGS + u16::from(range.hi).min(8),
        REG_X87..REG_OTHER => {
            let at = X87 + r - u16::from(REG_X87);
            at..at + 1
        }
        REG_OTHER => OTHER + u16::from(range.lo >= 2)..OTHER + 1 + u16::from(range.hi > 2),
        _ => general(MORE + 4 * (r - u16::from(REG_MORE)), range),
    }
}

/// The units of a general register that begin at `first`.
fn general(first: u16, range: RegRange) -> Range<u16> {
    let unit = |byte: u8| match byte {
        0 => 0,
        1 => 1,
        2 | 3 => 2,
        _ => 3,
    };
    first + unit(range.lo)..first + unit(range.hi - 1) + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_disjoint_between_registers_and_cover_partial_writes() {
        let mut seen = vec![None; UNITS];
        for reg in 0..REG_COUNT {
            for unit in units(RegRange { reg, lo: 0, hi: 64 }) {
                assert_eq!(seen[usize::from(unit)].replace(reg), None, "unit {unit}");
            }
        }
        assert_eq!(units(RegRange { reg: 3, lo: 1, hi: 2 }), 13..14);
        assert_eq!(units(RegRange { reg: 3, lo: 0, hi: 4 }), 12..15);
        assert_eq!(units(RegRange { reg: 16, lo: 0, hi: 8 }), 64..66);
        assert_eq!(units(RegRange { reg: 200, lo: 0, hi: 8 }), 0..0);
        assert_eq!(units(RegRange { reg: 3, lo: 4, hi: 4 }), 0..0);
    }
}
