//! Cases for fuzzing: hostile text as a module.

use crate::access::show::show_ranges;
use crate::calls::{Cone, LENGTH};
use crate::control::choices;
use crate::control::show::show_loops;
use crate::reader;
use crate::recurrence::show::show_expressions;

/// Reads a text. What is accepted is consistent enough to be analysed and shown.
pub fn check(text: &str) {
    let Ok(module) = reader::read(text) else { return };
    for function in &module.functions {
        let _ = module.show_function(function);
        if !function.blocks.is_empty() {
            let function = choices::branched(&module, function);
            let _ = show_loops(&module, &function);
            let _ = show_expressions(&module, &function);
            let _ = show_ranges(&module, &Cone::new(&module, &function, LENGTH));
        }
    }
}

/// The case of a seed: a valid text with words replaced by others of it, removed, doubled or cut off.
pub fn damaged(valid: &str, seed: u64) -> String {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = move |n: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from((state >> 11) % (n.max(1) as u64)).unwrap_or(0)
    };
    let mut words: Vec<&str> = valid.split_inclusive([' ', '\n', ',', '(', ')']).collect();
    for _ in 0..1 + next(6) {
        let (at, other) = (next(words.len()), next(words.len()));
        if words.is_empty() {
            break;
        }
        match next(5) {
            0 | 1 => words[at] = words[other],
            2 => {
                words.remove(at);
            }
            3 => words.insert(at, words[other]),
            _ => words.swap(at, other),
        }
    }
    let mut text = words.concat();
    if next(4) == 0 {
        text.truncate(text.floor_char_boundary(next(text.len())));
    }
    text
}
