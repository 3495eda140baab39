//! Frames of activations, by the unwind tables of a file (`.eh_frame`), little-endian.
//!
//! Limits: rules in terms of the stack and the frame pointer alone, which compilers write; no DWARF expressions.

use std::path::Path;

use gimli::{
    AArch64, BaseAddresses, CfaRule, CieOrFde, EhFrame, EndianSlice, LittleEndian, Pointer, Reader, Register,
    RiscV, UnwindContext, UnwindSection, X86_64,
};
use object::{Architecture, Object, ObjectSection};

/// Hands over the tables of a file, with what their addresses count from.
fn with_tables<T>(
    file: &object::File<'_>,
    take: impl FnOnce(&EhFrame<EndianSlice<'_, LittleEndian>>, &BaseAddresses) -> Option<T>,
) -> Option<T> {
    let section = file.section_by_name(".eh_frame")?;
    let data = section.data().ok()?;
    let address_of = |name: &str| file.section_by_name(name).map_or(0, |section| section.address());
    let bases = BaseAddresses::default()
        .set_eh_frame(section.address())
        .set_text(address_of(".text"))
        .set_got(address_of(".got"));
    take(&EhFrame::new(data, LittleEndian), &bases)
}

/// The canonical frame address at address `pc` of a file, with these stack and frame pointers.
pub(crate) fn address(path: &Path, pc: u64, stack: u64, frame: u64) -> Option<u64> {
    let bytes = std::fs::read(path).ok()?;
    let file = object::File::parse(&*bytes).ok()?;
    let (register, offset) = with_tables(&file, |tables, bases| {
        let mut context = UnwindContext::new();
        let row =
            tables.unwind_info_for_address(bases, &mut context, pc, UnwindSection::cie_from_offset).ok()?;
        match row.cfa() {
            &CfaRule::RegisterAndOffset { register, offset } => Some((register, offset)),
            CfaRule::Expression(_) => None,
        }
    })?;
    let (stack_pointer, frame_pointer) = pointers(file.architecture())?;
    let base = match register {
        r if r == stack_pointer => stack,
        r if r == frame_pointer => frame,
        _ => return None,
    };
    Some(base.wrapping_add_signed(offset))
}

/// How the canonical frame address is found in the body of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Rule {
    pub(crate) first: u64,
    pub(crate) end: u64,
    /// How far the stack pointer lies below it once the prologue has run, of functions that find it by the stack
    /// pointer. Those that find it by another register may align the stack pointer, or move it as they go.
    pub(crate) size: Option<i64>,
    /// It takes more than a register and a constant: the stack pointer was aligned in front of the frame pointer.
    pub(crate) is_expression: bool,
}

/// The rules of a file's functions, by address. What cannot be read is left out.
pub(crate) fn rules(file: &object::File<'_>) -> Vec<Rule> {
    let Some((stack_pointer, _)) = pointers(file.architecture()) else { return Vec::new() };
    let found = with_tables(file, |tables, bases| {
        let mut out = Vec::new();
        let mut context = UnwindContext::new();
        let mut entries = tables.entries(bases);
        while let Ok(Some(entry)) = entries.next() {
            let CieOrFde::Fde(entry) = entry else { continue };
            let Ok(entry) = entry.parse(EhFrame::cie_from_offset) else { continue };
            let Ok(mut rows) = entry.rows(tables, bases, &mut context) else { continue };
            let (mut size, mut is_by_stack, mut is_expression) = (None, true, false);
            while let Ok(Some(row)) = rows.next_row() {
                match row.cfa() {
                    &CfaRule::RegisterAndOffset { register, offset } if register == stack_pointer => {
                        size = size.max(Some(offset));
                    }
                    CfaRule::RegisterAndOffset { .. } => is_by_stack = false,
                    CfaRule::Expression(_) => (is_by_stack, is_expression) = (false, true),
                }
            }
            let (first, end) = (entry.initial_address(), entry.initial_address().saturating_add(entry.len()));
            out.push(Rule { first, end, size: size.filter(|_| is_by_stack), is_expression });
        }
        out.sort_unstable();
        Some(out)
    });
    found.unwrap_or_default()
}

/// First addresses of the functions that a file has unwind tables for, ascending. What cannot be read is left out.
pub(crate) fn starts(path: &Path) -> Vec<u64> {
    let Ok(bytes) = std::fs::read(path) else { return Vec::new() };
    let Ok(file) = object::File::parse(&*bytes) else { return Vec::new() };
    let found = with_tables(&file, |tables, bases| {
        let mut out = Vec::new();
        let mut entries = tables.entries(bases);
        while let Ok(Some(entry)) = entries.next() {
            let CieOrFde::Fde(entry) = entry else { continue };
            out.extend(entry.parse(EhFrame::cie_from_offset).ok().map(|entry| entry.initial_address()));
        }
        out.sort_unstable();
        Some(out)
    });
    found.unwrap_or_default()
}

/// A stretch of calls, its first address and its end, and where exceptions arrive that leave one of them.
pub(crate) type Landing = (u64, u64, u64);

/// All such stretches of a file, ascending. What cannot be read is left out.
///
/// The tables' form is the one that compilers of C++ share (Itanium C++ ABI, Exception Handling Tables): where landing pads count from,
/// the types that are caught (not needed here), then the calls of the function in order.
pub(crate) fn landings(file: &object::File<'_>) -> Vec<Landing> {
    let found = with_tables(file, |tables, bases| {
        let mut out = Vec::new();
        let mut entries = tables.entries(bases);
        while let Ok(Some(entry)) = entries.next() {
            let CieOrFde::Fde(entry) = entry else { continue };
            let Ok(entry) = entry.parse(EhFrame::cie_from_offset) else { continue };
            let Some(Pointer::Direct(at)) = entry.lsda() else { continue };
            let _ = function_landings(file, at, entry.initial_address(), &mut out);
        }
        out.sort_unstable();
        Some(out)
    });
    found.unwrap_or_default()
}

/// Those of the function at `start` whose table lies at `at`; `None` if the table is of an unknown form, where it is.
fn function_landings(file: &object::File<'_>, at: u64, start: u64, out: &mut Vec<Landing>) -> Option<()> {
    let holds = |s: &object::Section<'_, '_>| at.checked_sub(s.address()).is_some_and(|from| from < s.size());
    let section = file.sections().find(holds)?;
    let from = usize::try_from(at - section.address()).ok()?;
    let mut table = EndianSlice::new(section.data().ok()?.get(from..)?, LittleEndian);
    // Compilers let landing pads count from the function's start.
    if table.read_u8().ok()? != gimli::DW_EH_PE_omit.0 {
        return None;
    }
    if table.read_u8().ok()? != gimli::DW_EH_PE_omit.0 {
        table.read_uleb128().ok()?;
    }
    let form = table.read_u8().ok()?;
    let length = usize::try_from(table.read_uleb128().ok()?).ok()?;
    let mut calls = table.split(length).ok()?;
    while !calls.is_empty() {
        let (first, length, pad) =
            (number(&mut calls, form)?, number(&mut calls, form)?, number(&mut calls, form)?);
        calls.read_uleb128().ok()?;
        if pad > 0 {
            let first = start.checked_add(first)?;
            out.push((first, first.checked_add(length)?, start.checked_add(pad)?));
        }
    }
    Some(())
}

/// A number in one of the forms that compilers use in these tables.
fn number(table: &mut EndianSlice<'_, LittleEndian>, form: u8) -> Option<u64> {
    match gimli::DwEhPe(form) {
        gimli::DW_EH_PE_uleb128 => table.read_uleb128().ok(),
        gimli::DW_EH_PE_udata2 => table.read_u16().ok().map(u64::from),
        gimli::DW_EH_PE_udata4 => table.read_u32().ok().map(u64::from),
        gimli::DW_EH_PE_udata8 => table.read_u64().ok(),
        _ => None,
    }
}

/// What the stack and the frame pointer are called in debug information.
pub(crate) fn pointers(architecture: Architecture) -> Option<(Register, Register)> {
    match architecture {
        Architecture::X86_64 => Some((X86_64::RSP, X86_64::RBP)),
        Architecture::Aarch64 => Some((AArch64::SP, AArch64::X29)),
        Architecture::Riscv64 => Some((RiscV::SP, RiscV::S0)),
        _ => None,
    }
}
