//! Variables that optimised code keeps in registers, by their locations in debug information.
//!
//! Only whole registers name a variable here: a value that is computed from one (`DW_OP_stack_value`) is not the variable.

use std::path::Path;

use gimli::{Operation, Register, X86_64};
use object::Architecture;

use crate::variables::{Slice, name_of, ranges, with_units};

/// What is asked for: the variable in a register, numbered as in blocks, before the instruction at an address of the file.
pub type Question = (u64, u8);

/// The variables in registers, one answer per question. Of several variables that share a register that with the widest scope: what is
/// handed from one iteration of a loop to the next is declared outside of its body.
pub fn variables(path: &Path, questions: &[Question]) -> Vec<Option<String>> {
    let mut order: Vec<usize> = (0..questions.len()).collect();
    order.sort_unstable_by_key(|&at| questions[at]);
    let asked: Vec<u64> = order.iter().map(|&at| questions[at].0).collect();
    let mut found: Vec<Option<(u64, String)>> = vec![None; questions.len()];
    with_units(path, |dwarf, unit, frames| {
        if frames.architecture() != Architecture::X86_64 {
            return Ok(());
        }
        let mut scopes: Vec<(isize, Vec<(u64, u64)>)> = Vec::new();
        let mut entries = unit.entries();
        let mut depth = 0;
        while let Some((delta, entry)) = entries.next_dfs()? {
            depth += delta;
            while scopes.last().is_some_and(|scope| scope.0 >= depth) {
                scopes.pop();
            }
            match entry.tag() {
                gimli::DW_TAG_subprogram | gimli::DW_TAG_lexical_block | gimli::DW_TAG_inlined_subroutine => {
                    scopes.push((depth, ranges(dwarf, unit, entry)?));
                }
                gimli::DW_TAG_variable | gimli::DW_TAG_formal_parameter => {
                    let Some(value) = entry.attr_value(gimli::DW_AT_location)? else { continue };
                    let Some((_, scope)) = scopes.last() else { continue };
                    let width = scope.iter().fold(0u64, |sum, range| sum.saturating_add(range.1 - range.0));
                    let mut places: Vec<(u64, u64, gimli::Expression<Slice<'_>>)> = Vec::new();
                    if let Some(mut list) = dwarf.attr_locations(unit, value)? {
                        while let Some(place) = list.next()? {
                            places.push((place.range.begin, place.range.end, place.data));
                        }
                    } else if let Some(expression) = value.exprloc_value() {
                        places.extend(scope.iter().map(|&(begin, end)| (begin, end, expression)));
                    }
                    for (begin, end, expression) in places {
                        let from = asked.partition_point(|&pc| pc < begin);
                        let to = asked.partition_point(|&pc| pc < end);
                        if from >= to {
                            continue;
                        }
                        let Some(register) = register(expression, unit.encoding()) else { continue };
                        for &at in order[from..to].iter().filter(|&&at| questions[at].1 == register) {
                            if found[at].as_ref().is_none_or(|other| other.0 < width)
                                && let Some(name) = name_of(dwarf, unit, entry.offset())?
                            {
                                found[at] = Some((width, name));
                            }
                        }
                    }
                }
                _ => {}
            }
        }
        Ok(())
    });
    found.into_iter().map(|found| found.map(|(_, name)| name)).collect()
}

/// The register, numbered as in blocks, that a location is.
fn register(expression: gimli::Expression<Slice<'_>>, encoding: gimli::Encoding) -> Option<u8> {
    let mut operations = expression.operations(encoding);
    let Ok(Some(Operation::Register { register })) = operations.next() else { return None };
    operations.next().ok()?.is_none().then(|| number(register))?
}

/// The number of a register of x86-64 in blocks; the stack pointer and what has no number of its own there have none.
fn number(register: Register) -> Option<u8> {
    // In the order of their encoding.
    const GENERAL: [Register; 16] = [
        X86_64::RAX,
        X86_64::RCX,
        X86_64::RDX,
        X86_64::RBX,
        X86_64::RSP,
        X86_64::RBP,
        X86_64::RSI,
        X86_64::RDI,
        X86_64::R8,
        X86_64::R9,
        X86_64::R10,
        X86_64::R11,
        X86_64::R12,
        X86_64::R13,
        X86_64::R14,
        X86_64::R15,
    ];
    if let Some(at) = GENERAL.iter().position(|own| *own == register) {
        return Some(trace::block::REG_GENERAL + at as u8).filter(|&own| own != trace::block::REG_STACK);
    }
    let vector = match register.0 {
        17..=32 => register.0 - 17,
        67..=82 => register.0 - 67 + 16,
        _ => return None,
    };
    Some(trace::block::REG_VECTOR + vector as u8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn registers_are_numbered_as_in_blocks() {
        assert_eq!(number(X86_64::RAX), Some(0));
        assert_eq!(number(X86_64::RDI), Some(7));
        assert_eq!(number(X86_64::RSP), None);
        assert_eq!(number(X86_64::XMM3), Some(19));
        assert_eq!(number(X86_64::ST0), None);
    }

    /// Every register at every address of a small function: the sum is in one of them, and no other variable is where it is.
    #[test]
    fn variables_of_optimised_code_have_names() {
        let dir = tempfile::tempdir().expect("a directory");
        let (source, binary) = (dir.path().join("r.c"), dir.path().join("r"));
        std::fs::write(
            &source,
            "__attribute__((noinline)) double total(const double *x, long n) {\n double sum = 0;\n\
             for (long i = 0; i < n; i++) sum = sum * 0.5 + x[i];\n return sum; }\n\
             int main(void) { double a[4] = {1, 2, 3, 4}; return (int)total(a, 4); }\n",
        )
        .expect("source");
        let status =
            Command::new("cc").args(["-g", "-O1", "-o"]).arg(&binary).arg(&source).status().expect("cc");
        assert!(status.success());
        let bytes = std::fs::read(&binary).expect("the binary");
        let file = object::File::parse(&*bytes).expect("ELF");
        if object::Object::architecture(&file) != Architecture::X86_64 {
            return;
        }
        use object::{Object, ObjectSymbol};
        let total = file.symbols().find(|s| s.name() == Ok("total")).expect("the function");
        let places = total.address()..total.address() + total.size();
        let questions: Vec<Question> =
            places.flat_map(|pc| (0..trace::block::REG_MASK).map(move |register| (pc, register))).collect();
        let names = variables(&binary, &questions);
        assert_eq!(names.len(), questions.len());
        let of = |name: &str| {
            let all = questions.iter().zip(&names).filter(|(_, own)| own.as_deref() == Some(name));
            all.map(|(question, _)| question.1).collect::<std::collections::BTreeSet<u8>>()
        };
        assert_eq!(
            of("sum"),
            [trace::block::REG_VECTOR].into(),
            "the sum is returned in the first vector register"
        );
        assert!(of("x").contains(&7), "{:?}", of("x"));
        assert!(of("nothing").is_empty());
    }
}
