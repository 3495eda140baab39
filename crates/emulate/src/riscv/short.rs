//! The 16-bit forms, each of which stands for an instruction of 32 bits.

/// The instruction that a short one stands for; none if it is not one of RV64GC.
pub(super) fn expand(half: u16) -> Option<u32> {
    let h = u32::from(half);
    let bit = |at: u32, to: u32| (h >> at & 1) << to;
    let field = |at: u32, bits: u32| h >> at & ((1 << bits) - 1);
    // The eight registers that short fields name.
    let (low, mid) = (8 + field(2, 3), 8 + field(7, 3));
    let (rd, rs2) = (field(7, 5), field(2, 5));
    let sign = |value: u32, bits: u32| ((value << (32 - bits)) as i32 >> (32 - bits)) as u32;
    let six = sign(bit(12, 5) | field(2, 5), 6);
    let shift = bit(12, 5) | field(2, 5);
    let word = field(10, 3) << 3 | bit(6, 2) | bit(5, 6);
    let double = field(10, 3) << 3 | field(5, 2) << 6;
    Some(match (h & 3, h >> 13) {
        (0, 0) => {
            let by = field(7, 4) << 6 | field(11, 2) << 4 | bit(5, 3) | bit(6, 2);
            if by == 0 {
                return None;
            }
            i(0x13, low, 0, 2, by)
        }
        (0, 1) => i(0x07, low, 3, mid, double),
        (0, 2) => i(0x03, low, 2, mid, word),
        (0, 3) => i(0x03, low, 3, mid, double),
        (0, 5) => s(0x27, 3, mid, low, double),
        (0, 6) => s(0x23, 2, mid, low, word),
        (0, 7) => s(0x23, 3, mid, low, double),
        (1, 0) => i(0x13, rd, 0, rd, six),
        (1, 1) if rd != 0 => i(0x1b, rd, 0, rd, six),
        (1, 2) => i(0x13, rd, 0, 0, six),
        (1, 3) if rd == 2 => {
            let by = bit(12, 9) | bit(6, 4) | bit(5, 6) | field(3, 2) << 7 | bit(2, 5);
            if by == 0 {
                return None;
            }
            i(0x13, 2, 0, 2, sign(by, 10))
        }
        (1, 3) if six != 0 => six << 12 | rd << 7 | 0x37,
        (1, 4) => arithmetic(h, (mid, low), six, shift)?,
        (1, 5) => {
            let by = bit(12, 11) | bit(11, 4) | field(9, 2) << 8 | bit(8, 10) | bit(7, 6) | bit(6, 7);
            j(0, sign(by | field(3, 3) << 1 | bit(2, 5), 12))
        }
        (1, to @ (6 | 7)) => {
            let by = bit(12, 8) | field(10, 2) << 3 | field(5, 2) << 6 | field(3, 2) << 1 | bit(2, 5);
            b(to - 6, mid, 0, sign(by, 9))
        }
        (2, 0) => i(0x13, rd, 1, rd, shift),
        (2, 1) => i(0x07, rd, 3, 2, bit(12, 5) | field(5, 2) << 3 | field(2, 3) << 6),
        (2, 2) if rd != 0 => i(0x03, rd, 2, 2, bit(12, 5) | field(4, 3) << 2 | field(2, 2) << 6),
        (2, 3) if rd != 0 => i(0x03, rd, 3, 2, bit(12, 5) | field(5, 2) << 3 | field(2, 3) << 6),
        (2, 4) => match (h >> 12 & 1, rd, rs2) {
            (0, 0, _) => return None,
            (0, _, 0) => i(0x67, 0, 0, rd, 0),
            (0, ..) => r(0x33, rd, 0, 0, rs2, 0),
            // EBREAK
            (_, 0, 0) => 0x0010_0073,
            (_, _, 0) => i(0x67, 1, 0, rd, 0),
            _ => r(0x33, rd, 0, rd, rs2, 0),
        },
        (2, 5) => s(0x27, 3, 2, rs2, field(10, 3) << 3 | field(7, 3) << 6),
        (2, 6) => s(0x23, 2, 2, rs2, field(9, 4) << 2 | field(7, 2) << 6),
        (2, 7) => s(0x23, 3, 2, rs2, field(10, 3) << 3 | field(7, 3) << 6),
        _ => return None,
    })
}

fn arithmetic(h: u32, (mid, low): (u32, u32), six: u32, shift: u32) -> Option<u32> {
    Some(match (h >> 10 & 3, h >> 12 & 1, h >> 5 & 3) {
        (0, ..) => i(0x13, mid, 5, mid, shift),
        (1, ..) => i(0x13, mid, 5, mid, shift | 0x400),
        (2, ..) => i(0x13, mid, 7, mid, six),
        (_, 0, 0) => r(0x33, mid, 0, mid, low, 0x20),
        (_, 0, 1) => r(0x33, mid, 4, mid, low, 0),
        (_, 0, 2) => r(0x33, mid, 6, mid, low, 0),
        (_, 0, _) => r(0x33, mid, 7, mid, low, 0),
        (_, _, 0) => r(0x3b, mid, 0, mid, low, 0x20),
        (_, _, 1) => r(0x3b, mid, 0, mid, low, 0),
        _ => return None,
    })
}

fn i(opcode: u32, rd: u32, funct3: u32, rs1: u32, by: u32) -> u32 {
    by << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode
}

fn s(opcode: u32, funct3: u32, rs1: u32, rs2: u32, by: u32) -> u32 {
    (by >> 5 & 0x7f) << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | (by & 31) << 7 | opcode
}

fn r(opcode: u32, rd: u32, funct3: u32, rs1: u32, rs2: u32, funct7: u32) -> u32 {
    funct7 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode
}

fn b(funct3: u32, rs1: u32, rs2: u32, by: u32) -> u32 {
    let high = (by >> 12 & 1) << 31 | (by >> 5 & 0x3f) << 25;
    high | rs2 << 20 | rs1 << 15 | funct3 << 12 | (by >> 1 & 15) << 8 | (by >> 11 & 1) << 7 | 0x63
}

fn j(rd: u32, by: u32) -> u32 {
    let high = (by >> 20 & 1) << 31 | (by >> 1 & 0x3ff) << 21 | (by >> 11 & 1) << 20;
    high | (by >> 12 & 0xff) << 12 | rd << 7 | 0x6f
}
