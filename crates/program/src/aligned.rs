//! Frames that begin at a multiple of more than 16, on x86-64: compilers align the stack pointer for what vector
//! instructions store, and for variables that ask for it. How far it then lies below the canonical frame address
//! depends on that address, so unwind tables do not say it; the prologue does.
//!
//! Definition: the pointers as the straight piece of code leaves them with which a function begins.
//! Limit: what is moved behind a branch (shrink-wrapping) is not seen.

use iced_x86::{
    Decoder, DecoderOptions, FlowControl, Instruction, InstructionInfoFactory, Mnemonic, OpAccess, Register,
};

/// A pointer into the frame: the canonical frame address less `below`, rounded down to a multiple of `alignment`, less
/// `size`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Pointer {
    pub(crate) below: i64,
    pub(crate) alignment: i64,
    pub(crate) size: i64,
}

/// Where the pointers of a function's body lie, of those that the prologue aligns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Pointers {
    pub(crate) stack: Option<Pointer>,
    pub(crate) frame: Option<Pointer>,
}

/// Most instructions of a prologue, with what is moved between them.
const LONGEST: usize = 64;

/// Follows the stack pointer through the code that a function begins with.
pub(crate) fn pointers(code: &[u8]) -> Pointers {
    let mut factory = InstructionInfoFactory::new();
    // The return address.
    let mut stack = Pointer { below: 8, alignment: 1, size: 0 };
    let (mut frame, mut is_known) = (None, true);
    for i in Decoder::new(64, code, DecoderOptions::NONE).iter().take(LONGEST) {
        if i.is_invalid() || i.flow_control() != FlowControl::Next {
            break;
        }
        let moved = match i.mnemonic() {
            Mnemonic::Push => Some(8),
            Mnemonic::Sub => constant(&i),
            Mnemonic::Add => constant(&i).map(i64::wrapping_neg),
            _ => None,
        };
        match moved {
            Some(by) if stack.alignment == 1 => stack.below = stack.below.wrapping_add(by),
            Some(by) => stack.size = stack.size.wrapping_add(by),
            None if i.mnemonic() == Mnemonic::And && stack.alignment == 1 && constant(&i).is_some() => {
                stack.alignment = constant(&i).map_or(1, i64::wrapping_neg);
                if stack.alignment <= 0 || !stack.alignment.cast_unsigned().is_power_of_two() {
                    return Pointers::default();
                }
            }
            None if i.mnemonic() == Mnemonic::Mov && i.op0_register() == Register::RBP => {
                frame = (i.op1_register() == Register::RSP).then_some(stack);
            }
            // What has no constant length (arrays, `alloca`) lies below; the frame pointer stays.
            None if writes(&mut factory, &i, Register::RSP) => {
                is_known = false;
                break;
            }
            None => {}
        }
    }
    let is_aligned = |own: &Pointer| own.alignment > 1;
    Pointers { stack: Some(stack).filter(|own| is_known && is_aligned(own)), frame: frame.filter(is_aligned) }
}

/// What an instruction that computes the stack pointer anew computes it with, if that is a constant.
fn constant(i: &Instruction) -> Option<i64> {
    let is_immediate = i.op_count() == 2
        && i.op1_kind() != iced_x86::OpKind::Register
        && i.op1_kind() != iced_x86::OpKind::Memory;
    (i.op0_register() == Register::RSP && is_immediate).then(|| i.immediate(1).cast_signed())
}

fn writes(factory: &mut InstructionInfoFactory, i: &Instruction, register: Register) -> bool {
    let mut used = factory.info(i).used_registers().iter();
    used.any(|own| {
        own.register().full_register() == register
            && !matches!(own.access(), OpAccess::Read | OpAccess::CondRead)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// push rbp; mov rbp, rsp; push rbx; and rsp, -64; sub rsp, 0x100; ret
    #[test]
    fn behind_a_frame_pointer() {
        let code = [0x55, 0x48, 0x89, 0xe5, 0x53, 0x48, 0x83, 0xe4, 0xc0, 0x48, 0x81, 0xec, 0, 1, 0, 0, 0xc3];
        let found = pointers(&code);
        assert_eq!(found.stack, Some(Pointer { below: 24, alignment: 64, size: 256 }));
        assert_eq!(found.frame, None);
    }

    /// lea r10, [rsp+8]; and rsp, -32; push [r10-8]; push rbp; mov rbp, rsp; sub rsp, 64; ret
    #[test]
    fn in_front_of_a_frame_pointer() {
        let code = [
            0x4c, 0x8d, 0x54, 0x24, 8, 0x48, 0x83, 0xe4, 0xe0, 0x41, 0xff, 0x72, 0xf8, 0x55, 0x48, 0x89,
            0xe5, 0x48, 0x83, 0xec, 64, 0xc3,
        ];
        let found = pointers(&code);
        assert_eq!(found.frame, Some(Pointer { below: 8, alignment: 32, size: 16 }));
        assert_eq!(found.stack, Some(Pointer { below: 8, alignment: 32, size: 80 }));
        // sub rsp, rax: an array of variable length below it.
        let mut longer = code[..code.len() - 1].to_vec();
        longer.extend([0x48, 0x29, 0xc4, 0xc3]);
        assert_eq!(pointers(&longer), Pointers { stack: None, frame: found.frame });
    }

    #[test]
    fn others_are_not_aligned() {
        // sub rsp, 8; ret
        assert_eq!(pointers(&[0x48, 0x83, 0xec, 8, 0xc3]), Pointers::default());
        // and rsp, -32; sub rsp, rax: not known how far.
        assert_eq!(pointers(&[0x48, 0x83, 0xe4, 0xe0, 0x48, 0x29, 0xc4, 0xc3]), Pointers::default());
        assert_eq!(pointers(&[0xff, 0xff, 0xff]), Pointers::default());
    }
}
