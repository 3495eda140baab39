//! What calls into libraries go through: stubs of the procedure linkage table, which jump to the address in a slot that the dynamic
//! linker fills.
//!
//! Source: System V ABI, AMD64 supplement, "Procedure Linkage Table". Limits: x86-64; stubs that compilers write in other forms have no
//! name.

use std::collections::HashMap;

use crate::contracts::{self, Row};
use object::{Architecture, Object, ObjectSection, ObjectSymbol, ObjectSymbolTable, RelocationTarget};

/// The name of the function that each stub leads to, by the stub's address in the file.
pub(crate) fn read(file: &object::File<'_>, slots: &HashMap<u64, String>) -> HashMap<u64, String> {
    let mut out = HashMap::new();
    for (section, size) in [(".plt", 16), (".plt.sec", 16), (".plt.got", 8)] {
        let Some(section) = file.section_by_name(section) else { continue };
        let Ok(code) = section.data() else { continue };
        // With `endbr64` stubs of 8 bytes take 16.
        let size = if size == 8 && code.starts_with(&ENDBR64) { 16 } else { size };
        for (index, stub) in code.chunks_exact(size).enumerate() {
            let at = section.address().wrapping_add((index * size) as u64);
            let name = slot(at, stub).and_then(|slot| slots.get(&slot));
            out.extend(name.map(|name| (at, name.clone())));
        }
    }
    out
}

const ENDBR64: [u8; 4] = [0xf3, 0x0f, 0x1e, 0xfa];

/// The slot that a stub jumps through: `[endbr64] [bnd] jmp *slot(%rip)`.
fn slot(at: u64, stub: &[u8]) -> Option<u64> {
    let mut skipped = 0;
    let mut rest = stub;
    for prefix in [&ENDBR64[..], &[0xf2]] {
        if let Some(after) = rest.strip_prefix(prefix) {
            rest = after;
            skipped += prefix.len();
        }
    }
    let distance = rest.strip_prefix(&[0xff, 0x25])?.first_chunk::<4>()?;
    let next = at.wrapping_add(skipped as u64 + 6);
    Some(next.wrapping_add_signed(i64::from(i32::from_le_bytes(*distance))))
}

/// Slots with the addresses of functions that have contracts.
pub(crate) fn contracted(slots: &HashMap<u64, String>) -> Vec<(u64, &'static Row)> {
    let of = |(&slot, name): (&u64, &String)| Some((slot, contracts::row(name.split('@').next()?)?));
    slots.iter().filter_map(of).collect()
}

/// Whether a file asks the C library (glibc, musl) where `errno` is, or may do so by way of names that it makes up as it runs.
pub(crate) fn looks_at_errno(slots: &HashMap<u64, String>) -> bool {
    let is_one = |name: &str| name.ends_with("_errno_location") || name == "dlsym" || name == "dlvsym";
    slots.values().any(|name| name.split('@').next().is_some_and(is_one))
}

/// Whether a file asks for what makes streams that call it, or that read and write its own memory, adds to what formats mean, or hands over memory
/// for the state of random numbers.
pub(crate) fn makes_streams(slots: &HashMap<u64, String>) -> bool {
    const MAKE: [&str; 13] = [
        "fopencookie",
        "fmemopen",
        "open_memstream",
        "open_wmemstream",
        "setvbuf",
        "setbuf",
        "setbuffer",
        "register_printf_function",
        "register_printf_specifier",
        "register_printf_modifier",
        "obstack_printf",
        "initstate",
        "setstate",
    ];
    slots.values().any(|name| name.split('@').next().is_some_and(|name| MAKE.contains(&name)))
}

/// Whether a file starts threads, by itself or by way of OpenMP or the C++ library.
pub(crate) fn starts_threads(slots: &HashMap<u64, String>) -> bool {
    const PLAIN: [&str; 2] = ["pthread_create", "thrd_create"];
    const BEGINNINGS: [&str; 4] = ["GOMP_", "__kmpc_", "_ZNSt6thread", "_ZNSt3__16thread"];
    slots.values().any(|name| {
        PLAIN.iter().any(|own| name.split('@').next() == Some(own))
            || BEGINNINGS.iter().any(|own| name.starts_with(own))
    })
}

/// The functions whose addresses the dynamic linker puts into slots.
pub(crate) fn slots(file: &object::File<'_>) -> HashMap<u64, String> {
    if file.architecture() != Architecture::X86_64 {
        return HashMap::new();
    }
    let (Some(relocations), Some(symbols)) = (file.dynamic_relocations(), file.dynamic_symbol_table()) else {
        return HashMap::new();
    };
    relocations
        .filter_map(|(slot, relocation)| {
            let RelocationTarget::Symbol(index) = relocation.target() else { return None };
            let name = symbols.symbol_by_index(index).ok()?.name().ok()?.to_owned();
            Some((slot, name))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slot_of_each_form_of_stub() {
        let plain = [0xff, 0x25, 0x10, 0, 0, 0, 0x68, 0, 0, 0, 0, 0xe9, 0, 0, 0, 0];
        assert_eq!(slot(0x1000, &plain), Some(0x1016));
        let marked = [0xf3, 0x0f, 0x1e, 0xfa, 0xf2, 0xff, 0x25, 0xf0, 0xff, 0xff, 0xff, 0x90];
        assert_eq!(slot(0x1000, &marked), Some(0x100b - 0x10));
        assert_eq!(slot(0x1000, &[0xff, 0x35, 0, 0, 0, 0]), None);
        assert_eq!(slot(0x1000, &[0xff, 0x25, 0]), None);
    }
}
