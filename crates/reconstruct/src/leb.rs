//! Numbers of variable length: LEB128, signed ones zigzag coded.

use std::fmt;

/// Bytes that end inside a number, or a number of more than 64 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Damaged;

impl fmt::Display for Damaged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no number")
    }
}

/// Appends a number.
pub fn put(to: &mut Vec<u8>, mut value: u64) {
    while value >= 128 {
        to.push(value as u8 | 128);
        value >>= 7;
    }
    to.push(value as u8);
}

/// Appends a number with a sign.
pub fn put_signed(to: &mut Vec<u8>, value: i64) {
    put(to, ((value << 1) ^ (value >> 63)) as u64);
}

/// Bytes that a number takes.
pub fn length(value: u64) -> u64 {
    u64::from((64 - (value | 1).leading_zeros()).div_ceil(7))
}

/// Bytes that a number with a sign takes.
pub fn length_signed(value: i64) -> u64 {
    length(((value << 1) ^ (value >> 63)) as u64)
}

/// Takes a number from the front.
///
/// # Errors
/// If there is none.
pub fn get(from: &mut &[u8]) -> Result<u64, Damaged> {
    let mut value = 0u64;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = from.split_first().ok_or(Damaged)?;
        *from = rest;
        let bits = u64::from(byte & 127);
        if shift == 63 && bits > 1 {
            break;
        }
        value |= bits << shift;
        if byte < 128 {
            return Ok(value);
        }
    }
    Err(Damaged)
}

/// Takes a number with a sign from the front.
///
/// # Errors
/// If there is none.
pub fn get_signed(from: &mut &[u8]) -> Result<i64, Damaged> {
    let value = get(from)?;
    Ok((value >> 1) as i64 ^ -((value & 1) as i64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back_and_have_the_length_foretold() {
        for value in [0, 1, -1, 63, 64, -64, -65, 1 << 40, i64::MAX, i64::MIN] {
            let mut bytes = Vec::new();
            put_signed(&mut bytes, value);
            assert_eq!(bytes.len() as u64, length_signed(value));
            assert_eq!(get_signed(&mut &bytes[..]), Ok(value));
            assert_eq!(get_signed(&mut &bytes[..bytes.len() - 1]), Err(Damaged));
        }
        assert_eq!(get(&mut &[0xff; 10][..]), Err(Damaged));
    }
}
