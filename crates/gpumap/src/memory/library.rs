//! What functions that the module only declares do to memory: those of the C library and intrinsics, by their names.
//!
//! Sources: ISO C 7; LLVM language reference, "Intrinsic Functions". `errno` is no object that a program's data lies in.
//! None of these keeps an address that it is given.

use crate::ir::module::Definition;
use crate::ir::{Module, SymbolId, Type};

/// What a function writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Writes {
    /// Nothing that existed before.
    Nothing,
    /// What its first argument points to.
    First,
    /// What its arguments point to.
    Arguments,
}

/// Functions that give new memory.
const ALLOCATE: [&str; 5] = ["malloc", "calloc", "realloc", "aligned_alloc", "valloc"];

/// Functions on numbers, in their versions for `float` and `long double` too.
const MATHEMATICS: [&str; 34] = [
    "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "ceil", "copysign", "cos", "cosh",
    "erf", "erfc", "exp", "exp2", "expm1", "fabs", "fdim", "floor", "fma", "fmax", "fmin", "fmod", "hypot",
    "log", "log10", "log1p", "log2", "pow", "round", "sin", "sqrt", "tan",
];

/// Others that write nothing that the program can read.
const READERS: [&str; 20] = [
    "abs",
    "labs",
    "llabs",
    "tanh",
    "sinh",
    "trunc",
    "rint",
    "lrint",
    "nearbyint",
    "rand",
    "clock",
    "strlen",
    "strcmp",
    "strncmp",
    "memcmp",
    "free",
    "exit",
    "abort",
    "putchar",
    "atoi",
];

/// Those that write what arguments point to: formats may ask for it.
const PRINTERS: [&str; 8] = ["printf", "fprintf", "puts", "fputs", "putc", "fputc", "fflush", "time"];

/// Those that write to what their first argument points to.
const FILLERS: [&str; 9] =
    ["memcpy", "memmove", "memset", "strcpy", "strncpy", "strcat", "strncat", "fread", "fgets"];

/// Parts of the names of intrinsics that access no memory of the program.
const INTRINSICS: [&str; 8] = [
    "llvm.dbg.",
    "llvm.lifetime.",
    "llvm.assume",
    "llvm.expect",
    "llvm.experimental.noalias",
    "llvm.prefetch",
    "llvm.stacksave",
    "llvm.stackrestore",
];

/// Blocks of memory that an intrinsic touches: whether it writes each, and which argument is its address.
pub fn blocks_touched(module: &Module, symbol: SymbolId) -> &'static [(bool, usize)] {
    let name = module.name(symbol);
    if name.starts_with("llvm.memset.") {
        &[(true, 0)]
    } else if name.starts_with("llvm.memcpy.") || name.starts_with("llvm.memmove.") {
        &[(false, 1), (true, 0)]
    } else {
        &[]
    }
}

/// Whether a call of a declared function touches memory that existed before in ways that are known of no part of it; `false` for
/// intrinsics whose blocks are known ([`blocks_touched`]).
pub fn touches_memory(module: &Module, symbol: SymbolId) -> bool {
    let name = module.name(symbol);
    let is_mark = INTRINSICS.iter().any(|prefix| name.starts_with(prefix));
    let manages = ["malloc", "free", "abort", "exit"].contains(&name);
    !(is_mark || manages || only_computes(module, symbol) || !blocks_touched(module, symbol).is_empty())
}

/// Whether a declared function only computes a number from its arguments.
pub fn only_computes(module: &Module, symbol: SymbolId) -> bool {
    let name = module.name(symbol);
    let plain = name.strip_suffix(['f', 'l']).unwrap_or(name);
    let is_named = (MATHEMATICS.contains(&name) || MATHEMATICS.contains(&plain))
        && is_numeric(module, symbol)
        || name.starts_with("llvm.") && says_no_memory(module, symbol);
    is_named && known(module, symbol).is_some()
}

/// Whether a function takes and gives floating-point numbers alone: others of these names are a program's own.
fn is_numeric(module: &Module, symbol: SymbolId) -> bool {
    let Definition::Function(place) = module.symbols[symbol.index()].definition else { return false };
    let function = &module.functions[place];
    let is_number = |of| matches!(module.types.get(of), Type::Float(_));
    is_number(function.result)
        && !function.variadic
        && function.parameters.iter().all(|parameter| is_number(function.value(parameter.value).of))
}

fn says_no_memory(module: &Module, symbol: SymbolId) -> bool {
    let Definition::Function(place) = module.symbols[symbol.index()].definition else { return false };
    let groups = module.functions[place].attributes.iter();
    groups.filter_map(|group| module.attributes.get(group)).any(|text| text.contains("memory(none)"))
}

/// What a declared function writes; `None` for one that is defined here or not known.
pub fn known(module: &Module, symbol: SymbolId) -> Option<Writes> {
    let Definition::Function(place) = module.symbols[symbol.index()].definition else { return None };
    let function = &module.functions[place];
    if !function.blocks.is_empty() || module.is_unread(symbol) {
        return None;
    }
    let name = module.name(symbol);
    if let Some(intrinsic) = name.strip_prefix("llvm.") {
        let fills = ["memcpy", "memmove", "memset"];
        if fills.iter().any(|fill| intrinsic.starts_with(fill)) {
            return Some(Writes::First);
        }
        if INTRINSICS.iter().any(|prefix| name.starts_with(prefix)) {
            return Some(Writes::Nothing);
        }
        return has_no_effect(module, &function.attributes).then_some(Writes::Nothing);
    }
    let plain = name.strip_suffix(['f', 'l']).unwrap_or(name);
    let is_among = |list: &[&str]| list.contains(&name);
    let is_mathematical = MATHEMATICS.contains(&plain) || is_among(&MATHEMATICS);
    if is_mathematical && is_numeric(module, symbol) || is_among(&READERS) || is_among(&ALLOCATE) {
        Some(Writes::Nothing)
    } else if is_among(&FILLERS) {
        Some(Writes::First)
    } else if is_among(&PRINTERS) {
        Some(Writes::Arguments)
    } else {
        has_no_effect(module, &function.attributes).then_some(Writes::Nothing)
    }
}

/// Whether groups of attributes say that memory is at most read.
pub fn has_no_effect(module: &Module, groups: &[u32]) -> bool {
    let texts = groups.iter().filter_map(|group| module.attributes.get(group));
    texts.into_iter().any(|text| text.contains("memory(none)") || text.contains("memory(read)"))
}

/// Whether a function gives memory that is nobody else's.
pub fn allocates(module: &Module, symbol: SymbolId) -> bool {
    ALLOCATE.contains(&module.name(symbol)) && known(module, symbol).is_some()
}
