//! The types of numbers that names of the source stand for, from debug information: variables, parameters and members of classes, or
//! the elements of what they are or lead to.
//!
//! Limits: names are told apart by the function they are declared in, not by scope; members by their name alone. Where one name stands
//! for several types, all of them are given.

use std::path::Path;

use gimli::AttributeValue;
use rustc_hash::FxHashMap;

use crate::variables::{self, Slice, name_of};

/// The type of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Number {
    /// An integer, of so many bits.
    Integer {
        /// Bits that hold its value: one of a truth value, those of a bit field.
        bits: u32,
        /// It may be negative.
        is_signed: bool,
    },
    /// Of floating point, of so many bits.
    Float {
        /// Of a complex number those of both parts.
        bits: u32,
    },
}

/// Types by name.
#[derive(Debug, Default)]
pub struct Numbers {
    /// By function, which is empty for what lies outside of all, and name.
    variables: FxHashMap<(String, String), Vec<Number>>,
    members: FxHashMap<String, Vec<Number>>,
}

/// Most steps from a name to the type of a number.
const DEEPEST: u32 = 16;

impl Numbers {
    /// Reads those of a program. Malformed or missing debug information gives fewer names, never an error.
    pub fn read(program: &Path) -> Numbers {
        let mut out = Numbers::default();
        variables::with_units(program, |dwarf, unit, _| out.add(dwarf, unit));
        for of in out.variables.values_mut().chain(out.members.values_mut()) {
            of.sort_unstable();
            of.dedup();
        }
        out
    }

    /// The types that a variable of a function, or one outside of functions, may have; of arrays, pointers and containers that of an
    /// element.
    pub fn of_variable(&self, function: &str, name: &str) -> &[Number] {
        let of = |function: &str| self.variables.get(&(function.to_owned(), name.to_owned()));
        of(function).or_else(|| of("")).map_or(&[], Vec::as_slice)
    }

    /// The types that members of this name have.
    pub fn of_member(&self, name: &str) -> &[Number] {
        self.members.get(name).map_or(&[], Vec::as_slice)
    }

    fn add<'a>(
        &mut self,
        dwarf: &gimli::Dwarf<Slice<'a>>,
        unit: &gimli::Unit<Slice<'a>>,
    ) -> gimli::Result<()> {
        let mut functions: Vec<(isize, String)> = Vec::new();
        let mut entries = unit.entries();
        let mut depth = 0;
        while let Some((delta, entry)) = entries.next_dfs()? {
            depth += delta;
            while functions.last().is_some_and(|own| own.0 >= depth) {
                functions.pop();
            }
            match entry.tag() {
                gimli::DW_TAG_subprogram => {
                    let name = name_of(dwarf, unit, entry.offset())?.unwrap_or_default();
                    // The text has one function for all that a template makes.
                    let name = match name.split_once('<') {
                        Some((plain, _)) if !plain.starts_with("operator") => plain.to_owned(),
                        _ => name,
                    };
                    functions.push((depth, name));
                }
                tag @ (gimli::DW_TAG_variable | gimli::DW_TAG_formal_parameter | gimli::DW_TAG_member) => {
                    let Some(AttributeValue::UnitRef(of)) = entry.attr_value(gimli::DW_AT_type)? else {
                        continue;
                    };
                    let Some(number) = number(dwarf, unit, of, DEEPEST)? else { continue };
                    let Some(name) = name_of(dwarf, unit, entry.offset())? else { continue };
                    if tag == gimli::DW_TAG_member {
                        let width =
                            entry.attr_value(gimli::DW_AT_bit_size)?.and_then(|bits| bits.udata_value());
                        let number = match (number, width.and_then(|bits| u32::try_from(bits).ok())) {
                            (Number::Integer { is_signed, .. }, Some(bits)) => {
                                Number::Integer { bits, is_signed }
                            }
                            (number, _) => number,
                        };
                        self.members.entry(name).or_default().push(number);
                    } else {
                        let function = functions.last().map(|own| own.1.clone()).unwrap_or_default();
                        self.variables.entry((function, name)).or_default().push(number);
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// The number that a type is, or that its elements are.
fn number<'a>(
    dwarf: &gimli::Dwarf<Slice<'a>>,
    unit: &gimli::Unit<Slice<'a>>,
    of: gimli::UnitOffset,
    depth: u32,
) -> gimli::Result<Option<Number>> {
    let Some(depth) = depth.checked_sub(1) else { return Ok(None) };
    let die = unit.entry(of)?;
    let inner = match die.attr_value(gimli::DW_AT_type)? {
        Some(AttributeValue::UnitRef(inner)) => Some(inner),
        _ => None,
    };
    let bits = || -> gimli::Result<u32> {
        let bytes = die.attr_value(gimli::DW_AT_byte_size)?.and_then(|bytes| bytes.udata_value());
        Ok(bytes.and_then(|bytes| u32::try_from(bytes.checked_mul(8)?).ok()).unwrap_or(0))
    };
    match die.tag() {
        gimli::DW_TAG_base_type => {
            let Some(AttributeValue::Encoding(encoding)) = die.attr_value(gimli::DW_AT_encoding)? else {
                return Ok(None);
            };
            Ok(match encoding {
                gimli::DW_ATE_boolean => Some(Number::Integer { bits: 1, is_signed: false }),
                gimli::DW_ATE_signed | gimli::DW_ATE_signed_char => {
                    Some(Number::Integer { bits: bits()?, is_signed: true })
                }
                gimli::DW_ATE_unsigned | gimli::DW_ATE_unsigned_char | gimli::DW_ATE_UTF => {
                    Some(Number::Integer { bits: bits()?, is_signed: false })
                }
                gimli::DW_ATE_float | gimli::DW_ATE_complex_float => Some(Number::Float { bits: bits()? }),
                _ => None,
            })
        }
        gimli::DW_TAG_enumeration_type => match inner {
            Some(inner) => number(dwarf, unit, inner, depth),
            None => Ok(Some(Number::Integer { bits: bits()?, is_signed: true })),
        },
        gimli::DW_TAG_structure_type | gimli::DW_TAG_class_type => {
            // A container: what its first parameter says, which that of truth values does not have.
            let name = die.attr_value(gimli::DW_AT_name)?;
            let name = name.map(|name| dwarf.attr_string(unit, name)).transpose()?;
            if name.is_some_and(|name| name.to_string_lossy().starts_with("vector<bool")) {
                return Ok(Some(Number::Integer { bits: 1, is_signed: false }));
            }
            let mut tree = unit.entries_tree(Some(of))?;
            let mut children = tree.root()?.children();
            while let Some(child) = children.next()? {
                let child = child.entry();
                if child.tag() == gimli::DW_TAG_template_type_parameter
                    && let Some(AttributeValue::UnitRef(element)) = child.attr_value(gimli::DW_AT_type)?
                {
                    return number(dwarf, unit, element, depth);
                }
            }
            Ok(None)
        }
        _ => inner.map_or(Ok(None), |inner| number(dwarf, unit, inner, depth)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn types_of_a_compiled_program() {
        let folder = tempfile::tempdir().expect("temporary directory");
        let source = folder.path().join("main.cc");
        let text = "#include <vector>\ntypedef signed char tiny;\nstruct pair { short v; int bits : 5; bool is; double x; };\n\
                    unsigned long wide;\nstd::vector<int> list;\nstd::vector<bool> flags;\ntemplate<class T> long f(const int *a, T b) { auto c = b; return *a + c; }\n\
                    int main(void) { tiny m = 1; float e[3] = {}; pair p = {}; return m + e[1] + p.v + list.size() + flags.size() + f<short>(0, 1) + wide; }\n";
        std::fs::write(&source, text).expect("source");
        let integer = |bits, is_signed| Number::Integer { bits, is_signed };
        for options in [["-O0", "-gdwarf-4"], ["-O2", "-gdwarf-5"]] {
            let program = folder.path().join("main");
            let done = Command::new("c++").args(options).arg("-o").arg(&program).arg(&source).status();
            assert!(done.expect("c++").success());
            let numbers = Numbers::read(&program);
            for (function, name, number) in [
                ("main", "m", integer(8, true)),
                ("main", "e", Number::Float { bits: 32 }),
                ("main", "wide", integer(64, false)),
                ("main", "list", integer(32, true)),
                ("main", "flags", integer(1, false)),
                ("f", "c", integer(16, true)),
            ] {
                assert_eq!(numbers.of_variable(function, name), [number], "{options:?} {name}");
            }
            for (name, number) in [
                ("v", integer(16, true)),
                ("bits", integer(5, true)),
                ("is", integer(1, false)),
                ("x", Number::Float { bits: 64 }),
            ] {
                assert_eq!(numbers.of_member(name), [number], "{options:?} {name}");
            }
            assert!(numbers.of_variable("main", "p").is_empty());
        }
        assert!(Numbers::read(Path::new("/proc/self/stat")).of_member("v").is_empty());
    }
}
