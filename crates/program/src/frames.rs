//! Frames of activations, by the unwind tables of a file (`.eh_frame`).
//!
//! Limits: rules in terms of the stack and the frame pointer alone, which compilers write; no DWARF expressions.

use std::path::Path;

use gimli::{
    AArch64, BaseAddresses, CfaRule, EhFrame, LittleEndian, Register, RiscV, UnwindContext, UnwindSection,
    X86_64,
};
use object::{Architecture, Object, ObjectSection};

/// The canonical frame address at address `pc` of a file, with these stack and frame pointers.
pub(crate) fn address(path: &Path, pc: u64, stack: u64, frame: u64) -> Option<u64> {
    let bytes = std::fs::read(path).ok()?;
    let file = object::File::parse(&*bytes).ok()?;
    let section = file.section_by_name(".eh_frame")?;
    let data = section.data().ok()?;
    let address_of = |name: &str| file.section_by_name(name).map_or(0, |section| section.address());
    let bases = BaseAddresses::default()
        .set_eh_frame(section.address())
        .set_text(address_of(".text"))
        .set_got(address_of(".got"));
    let tables = EhFrame::new(data, LittleEndian);
    let mut context = UnwindContext::new();
    let row =
        tables.unwind_info_for_address(&bases, &mut context, pc, UnwindSection::cie_from_offset).ok()?;
    let &CfaRule::RegisterAndOffset { register, offset } = row.cfa() else { return None };
    let (stack_pointer, frame_pointer) = pointers(file.architecture())?;
    let base = match register {
        r if r == stack_pointer => stack,
        r if r == frame_pointer => frame,
        _ => return None,
    };
    Some(base.wrapping_add_signed(offset))
}

/// What the stack and the frame pointer are called in debug information.
fn pointers(architecture: Architecture) -> Option<(Register, Register)> {
    match architecture {
        Architecture::X86_64 => Some((X86_64::RSP, X86_64::RBP)),
        Architecture::Aarch64 => Some((AArch64::SP, AArch64::X29)),
        Architecture::Riscv64 => Some((RiscV::SP, RiscV::S0)),
        _ => None,
    }
}
