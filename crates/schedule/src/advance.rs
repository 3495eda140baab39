//! Variables that the text of a loop advances: whether by what is known before the loop starts, and by how much.
//!
//! Definition: a step is *known* if it is a function of the iteration. It names what the loop leaves alone (constants, parameters, elements
//! and members of such at places that stay), or, in sums and products alone, the loop's iterators and other variables that
//! are advanced by known steps. What is looked up by the iterator (`i += len[i]`), chosen by data (`k += f ? 1 : 2`), called for, or
//! assigned in the body is not known: where an iteration begins, the one before it says. Nor is the sum of floating-point
//! numbers a function of the iteration to the last bit.

use profile::lens::{Definition, DefinitionKind, LoopKind, Operator, Scalar, SourceLoop};

/// Variables that advance by each other are followed so far.
const DEEPEST: u32 = 4;

/// Whether every iteration advances a variable, unconditionally, by known steps. The conditions of loops without counters of their own run
/// with each, and so does what a header advances beside its iterator.
pub fn is_advanced(source: &SourceLoop, scalar: &Scalar) -> bool {
    advances(source, scalar, DEEPEST)
}

fn advances(source: &SourceLoop, scalar: &Scalar, depth: u32) -> bool {
    // `for (i = n; i-- > 0;)` is a `while` with a start.
    let has_step = source.iterators.iter().any(|own| own.step_value.is_some_and(|step| step != 0));
    let is_plain = matches!(source.kind, LoopKind::While | LoopKind::DoWhile)
        || source.kind == LoopKind::For && !has_step
        || source.advanced.iter().any(|own| own.name == scalar.name);
    !scalar.definitions.is_empty()
        && !is_floating(scalar)
        && scalar.definitions.iter().all(|definition| {
            !definition.conditional
                && definition.depth == 0
                && (is_plain || !definition.header)
                && has_known_step(source, scalar, definition, depth)
        })
}

/// Whether the header of a loop advances its iterators by known steps, as far as the text has them.
pub fn has_known_steps(source: &SourceLoop) -> bool {
    source.iterators.iter().filter(|own| own.step_value.is_none()).all(|own| {
        let scalar = source.scalars.iter().find(|scalar| scalar.name == own.name);
        let headers = scalar.into_iter().flat_map(|scalar| {
            let in_header = |definition: &&Definition| definition.header && definition.update.is_some();
            scalar.definitions.iter().filter(in_header).map(move |definition| (scalar, definition))
        });
        headers.into_iter().all(|(scalar, definition)| has_known_step(source, scalar, definition, DEEPEST))
    })
}

/// By how much a variable is advanced in each iteration, if that is a constant.
pub fn step(source: &SourceLoop, scalar: &Scalar) -> Option<i64> {
    if let Some(own) = source.advanced.iter().find(|own| own.name == scalar.name) {
        return own.step_value;
    }
    scalar.definitions.iter().try_fold(0i64, |sum, definition| {
        let operand =
            || definition.update.as_ref().and_then(|update| update.operand.trim().parse::<i64>().ok());
        let by = match (definition.kind, definition.update.as_ref().map(|update| update.operator)) {
            (DefinitionKind::Increment(by), _) => by,
            (_, Some(Operator::Add)) => operand()?,
            (_, Some(Operator::Subtract)) => operand()?.checked_neg()?,
            _ => return None,
        };
        sum.checked_add(by)
    })
}

fn has_known_step(source: &SourceLoop, scalar: &Scalar, definition: &Definition, depth: u32) -> bool {
    let Some(update) = &definition.update else {
        return matches!(definition.kind, DefinitionKind::Increment(_));
    };
    if update.operand_reads_itself
        || !matches!(update.operator, Operator::Add | Operator::Subtract | Operator::Multiply)
        || has_call(&update.operand)
    {
        return false;
    }
    let operand: String = update.operand.split_whitespace().collect();
    let is_read = |name: &String| definition.reads.contains(name);
    // What members and dereferences start from is read.
    let mut others = source.scalars.iter().filter(|other| {
        other.name != scalar.name && is_read(&other.root) && operand.contains(other.name.as_str())
    });
    let is_iterator = |name: &str| source.iterators.iter().any(|own| own.name == name);
    let may_move = others.clone().next().is_some() || source.iterators.iter().any(|own| is_read(&own.name));
    !may_move
        || is_sum(&operand)
            && others.all(|other| {
                let is_counter = is_iterator(&other.name) && other.definitions.iter().all(|own| own.header);
                is_counter && has_known_steps(source)
                    || depth > 0 && other.shared.is_empty() && advances(source, other, depth - 1)
            })
}

/// Whether a variable is a floating-point number.
fn is_floating(scalar: &Scalar) -> bool {
    let text = scalar.type_text.to_ascii_lowercase();
    let mut words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let is_number = words.any(|word| {
        matches!(word, "float" | "double" | "real" | "complex" | "f32" | "f64" | "_float128" | "__float128")
    });
    is_number && !scalar.storage.pointer
}

/// Whether an expression calls something: a name, or a parenthesis, before a parenthesis. Types are converted so too.
fn has_call(text: &str) -> bool {
    const TYPES: [&str; 12] = [
        "sizeof",
        "int",
        "long",
        "short",
        "char",
        "unsigned",
        "size_t",
        "ptrdiff_t",
        "int32_t",
        "int64_t",
        "uint32_t",
        "uint64_t",
    ];
    text.match_indices('(').any(|(at, _)| {
        let before = text.get(..at).unwrap_or_default().trim_end();
        let word = before.rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or_default();
        before.ends_with([')', ']']) && !is_cast(before) || !word.is_empty() && !TYPES.contains(&word)
    })
}

/// Whether an expression ends with a type in parentheses.
fn is_cast(text: &str) -> bool {
    let Some((_, inside)) = text.strip_suffix(')').and_then(|text| text.rsplit_once('(')) else {
        return false;
    };
    const WORDS: [&str; 8] = ["int", "long", "short", "char", "unsigned", "signed", "size_t", "ptrdiff_t"];
    !inside.trim().is_empty()
        && inside.split_whitespace().all(|word| WORDS.contains(&word) || word.ends_with("_t"))
}

/// Whether an expression has nothing but names, numbers, sums and products: no `*` of a pointer, no subscript, no choice.
fn is_sum(text: &str) -> bool {
    let mut before = None;
    text.chars().filter(|c| !c.is_whitespace()).all(|c| {
        let is_first = matches!(before, None | Some('+' | '-' | '*' | '('));
        before = Some(c);
        match c {
            '*' => !is_first,
            '+' | '-' | '(' | ')' | '_' => true,
            _ => c.is_ascii_alphanumeric(),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::{has_call, is_sum};

    #[test]
    fn calls_are_told_from_conversions() {
        for text in ["f(x)", "a.size()", "f (x) + 1", "t[0](x)"] {
            assert!(has_call(text), "{text}");
        }
        for text in ["(n + 1)", "2 * (k - 1)", "(long)n", "sizeof(int)", "(size_t)(n + 1)", "n", "int(n)"] {
            assert!(!has_call(text), "{text}");
        }
    }

    #[test]
    fn sums_look_nothing_up() {
        for text in ["i", "2 * i + 1", "-(i + j)", "(long)i"] {
            assert!(is_sum(text), "{text}");
        }
        for text in ["*p", "2 + *p", "a[i]", "i ? 1 : 2", "i & 1", "i % 3", "p->n", "s.n", "i > 2"] {
            assert!(!is_sum(text), "{text}");
        }
    }
}
