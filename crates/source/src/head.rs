//! Heads of `for` loops as directives need them.
//!
//! The *canonical form* sets one iterator, compares it with a bound, and moves it by a constant amount: `for (i = 0; i < n; i++)`. Text alone
//! decides, without a compiler: a loop that a macro writes is not of that form here.
//!
//! Source: OpenMP 5.2, 4.4.1 "Canonical Loop Nest Form".

use crate::nest::Place;

/// A loop of canonical form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// The name of the iterator.
    pub iterator: String,
    /// Where the text behind its closing parenthesis begins.
    pub end: usize,
}

/// The byte at a place of a text: lines and columns count from 1.
pub fn offset(text: &str, (line, column): Place) -> Option<usize> {
    let before = usize::try_from(line.checked_sub(1)?).ok()?;
    let start = if before == 0 { 0 } else { text.match_indices('\n').nth(before - 1)?.0 + 1 };
    start.checked_add(usize::try_from(column.checked_sub(1)?).ok()?).filter(|&at| at <= text.len())
}

/// The loop at a place, if it is of canonical form.
pub fn canonical(text: &str, place: Place) -> Option<Head> {
    let at = offset(text, place)?;
    let rest = text.get(at..)?.strip_prefix("for")?;
    let open = rest.find(|part: char| !part.is_whitespace())?;
    let inner = rest.get(open..)?.strip_prefix('(')?;
    let (parts, length) = parts(inner)?;
    let [first, condition, advance] = parts.as_slice() else { return None };
    let iterator = set(first)?;
    (is_compared(condition, &iterator) && is_advanced(advance, &iterator))
        .then(|| Head { iterator, end: text.len() - inner.len() + length })
}

/// Whether nothing stands before a place on its line.
pub fn begins_line(text: &str, place: Place) -> bool {
    let before = offset(text, (place.0, 1)).zip(offset(text, place));
    let before = before.and_then(|(start, at)| text.get(start..at));
    before.is_some_and(|before| before.trim().is_empty())
}

/// Whether nothing but opening braces and comments stands between the end of a head and the next loop.
pub fn is_perfect(text: &str, end: usize, next: Place) -> bool {
    let between = offset(text, next).and_then(|next| text.get(end..next));
    between.is_some_and(|between| {
        without_comments(between).chars().all(|part| part.is_whitespace() || part == '{')
    })
}

/// The text without comments.
fn without_comments(text: &str) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some(at) = rest.find('/') {
        out += &rest[..at];
        rest = &rest[at..];
        let end = if rest.starts_with("//") {
            rest.find('\n')
        } else if rest.starts_with("/*") {
            rest.find("*/").map(|at| at + 2)
        } else {
            out.push('/');
            Some(1)
        };
        rest = end.map_or("", |end| &rest[end..]);
    }
    out + rest
}

/// What stands between the semicolons of a head, and the bytes up to behind its closing parenthesis.
fn parts(inner: &str) -> Option<(Vec<String>, usize)> {
    let (mut parts, mut start, mut depth) = (Vec::new(), 0, 0usize);
    for (at, part) in inner.char_indices() {
        match part {
            '(' | '[' | '{' => depth += 1,
            ')' if depth == 0 => {
                parts.push(without_comments(&inner[start..at]).trim().to_owned());
                return Some((parts, at + 1));
            }
            ')' | ']' | '}' => depth = depth.checked_sub(1)?,
            ';' if depth == 0 => {
                parts.push(without_comments(&inner[start..at]).trim().to_owned());
                start = at + 1;
            }
            '"' | '\'' => return None,
            _ => {}
        }
    }
    None
}

/// The places of a text that are in no parentheses.
fn outside(text: &str) -> impl Iterator<Item = (usize, char)> {
    let mut depth = 0usize;
    text.char_indices().filter(move |(_, part)| {
        match part {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0
    })
}

fn is_name(text: &str) -> bool {
    !text.is_empty()
        && text.chars().all(|part| part.is_alphanumeric() || part == '_')
        && !text.starts_with(|first: char| first.is_ascii_digit())
}

/// The variable that is set: `int i = 0`, `i = 0`.
fn set(first: &str) -> Option<String> {
    if outside(first).any(|(_, part)| part == ',') {
        return None;
    }
    let (left, right) = first.split_once('=')?;
    let name = left.trim().rsplit(|part: char| part.is_whitespace() || part == '*').next()?;
    (is_name(name) && !right.starts_with('=')).then(|| name.to_owned())
}

/// Whether one comparison of the iterator is all that a condition is.
fn is_compared(condition: &str, iterator: &str) -> bool {
    // Members and shifts are no comparisons, and as long.
    let plain = condition.replace("->", "__").replace(">>", "__").replace("<<", "__");
    let condition = plain.as_str();
    let mut signs = outside(condition).filter(|(_, part)| "<>!=&|?,".contains(*part)).peekable();
    let Some((at, first)) = signs.next() else { return false };
    let mut end = at + 1;
    if let Some(&(next, '=')) = signs.peek()
        && next == end
    {
        signs.next();
        end += 1;
    }
    let is_sign = matches!(first, '<' | '>') || first == '!' && end == at + 2;
    let sides = [condition[..at].trim(), condition[end..].trim()];
    is_sign && signs.next().is_none() && sides.iter().filter(|side| **side == iterator).count() == 1
}

/// Whether the iterator is moved by an amount: `i++`, `i += 2`, `i = i + 2`.
fn is_advanced(advance: &str, iterator: &str) -> bool {
    if outside(advance).any(|(_, part)| part == ',') {
        return false;
    }
    let plain: String = advance.chars().filter(|part| !part.is_whitespace()).collect();
    let Some(place) = plain.find(iterator) else { return false };
    let (before, behind) = (&plain[..place], &plain[place + iterator.len()..]);
    let is_step = |step: &str| !step.is_empty() && !step.contains(iterator) && !step.contains('=');
    match (before, behind) {
        ("", "++" | "--") | ("++" | "--", "") => true,
        ("", behind) => {
            let by = behind.strip_prefix("+=").or_else(|| behind.strip_prefix("-="));
            let again = behind.strip_prefix('=').and_then(|rest| rest.strip_prefix(iterator));
            let again = again.and_then(|rest| rest.strip_prefix(['+', '-']));
            by.or(again).is_some_and(is_step)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_canonical(head: &str) -> bool {
        canonical(&format!("\n  {head} x();"), (2, 3)).is_some()
    }

    #[test]
    fn loops_of_canonical_form() {
        for head in [
            "for (int i = 0; i < n; i++)",
            "for (i = n - 1; i >= 0; --i)",
            "for ( size_t i = f(a, b) ; n > i ; i += 2 )",
            "for (long i=0;i!=n;i = i + s)",
            "for (int i = 0 /* first */; i < (a && b); i++)",
            "for (const int *p = a; p < e; p++)",
            "for (int i = 0; i < m->rows >> 1; i++)",
        ] {
            assert!(is_canonical(head), "{head}");
        }
        for head in [
            "while (i < n)",
            "for (;;)",
            "for (int i = 0, j = 9; i < j; i++)",
            "for (int i = 0; i < n && a[i]; i++)",
            "for (int i = 0; i < n; i++, j++)",
            "for (int i = 0; i * i < n; i++)",
            "for (int i = 0; i == n; i++)",
            "for (int i = 0; i < n; i *= 2)",
            "for (int i = 0; i < n; )",
            "for (int i = 0; i < n; i = 2 * i)",
            "FOR_EACH(i, n)",
        ] {
            assert!(!is_canonical(head), "{head}");
        }
    }

    #[test]
    fn nests_are_perfect_or_not() {
        let text = "for (int i = 0; i < n; i++) { // rows\n  for (int j = 0; j < m; j++)\n";
        let head = canonical(text, (1, 1)).unwrap_or_else(|| panic!("no head"));
        assert_eq!(head.iterator, "i");
        assert!(is_perfect(text, head.end, (2, 3)));
        assert!(begins_line(text, (2, 3)) && !begins_line(text, (2, 4)));
        let text = "for (int i = 0; i < n; i++) { int k;\n  for (int j = 0; j < m; j++)\n";
        assert!(!is_perfect(text, head.end, (2, 3)));
    }
}
