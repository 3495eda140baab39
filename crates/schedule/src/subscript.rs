//! Subscripts as polynomials in the names of the source, to find iterations that certainly access the same element.
//!
//! `i * n + j` is `1·i·n + 1·j`. Two subscripts name the same element at a constant distance δ of iterations of a loop, whatever the
//! values of all names are, iff their difference is δ times what the first changes by in one iteration.

use std::collections::BTreeMap;

/// A polynomial: products of names, sorted, with their coefficients; none is 0.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Polynomial {
    terms: BTreeMap<Vec<String>, i64>,
}

/// Most terms of a polynomial, and characters of a text: longer ones are not looked at.
const MOST_TERMS: usize = 64;
const LONGEST: usize = 400;

impl Polynomial {
    /// Reads sums and products of names and integers; `None` if a text is anything else.
    pub fn of(text: &str) -> Option<Polynomial> {
        let mut tokens = tokens(text)?;
        tokens.reverse();
        let value = sum(&mut tokens, 0)?;
        tokens.is_empty().then_some(value)
    }

    fn constant(value: i64) -> Polynomial {
        let mut terms = BTreeMap::new();
        if value != 0 {
            terms.insert(Vec::new(), value);
        }
        Polynomial { terms }
    }

    /// Its value if there are no names in it.
    fn constant_value(&self) -> Option<i64> {
        match self.terms.len() {
            0 => Some(0),
            1 => self.terms.get(&Vec::new()).copied(),
            _ => None,
        }
    }

    fn plus(mut self, other: &Polynomial, factor: i64) -> Option<Polynomial> {
        for (product, coefficient) in &other.terms {
            let own = self.terms.entry(product.clone()).or_insert(0);
            *own = own.checked_add(coefficient.checked_mul(factor)?)?;
            if *own == 0 {
                self.terms.remove(product);
            }
        }
        (self.terms.len() <= MOST_TERMS).then_some(self)
    }

    fn times(&self, other: &Polynomial) -> Option<Polynomial> {
        let mut out = Polynomial::default();
        for (a, x) in &self.terms {
            for (b, y) in &other.terms {
                let mut product = [&a[..], b].concat();
                product.sort();
                let one = Polynomial { terms: BTreeMap::from([(product, x.checked_mul(*y)?)]) };
                out = out.plus(&one, 1)?;
            }
        }
        Some(out)
    }

    /// What it changes by if a name grows by 1; `None` if that depends on the name.
    fn change(&self, name: &str) -> Option<Polynomial> {
        let mut terms = BTreeMap::new();
        for (product, &coefficient) in &self.terms {
            match product.iter().filter(|factor| *factor == name).count() {
                0 => {}
                1 => {
                    let rest = product.iter().filter(|factor| *factor != name).cloned().collect();
                    terms.insert(rest, coefficient);
                }
                _ => return None,
            }
        }
        Some(Polynomial { terms })
    }

    /// The number that another polynomial is multiplied by to give this one, if there is one.
    fn ratio(&self, other: &Polynomial) -> Option<i64> {
        let (product, &by) = other.terms.first_key_value()?;
        let own = self.terms.get(product).copied().unwrap_or(0);
        let ratio = own.checked_div(by).filter(|ratio| ratio.checked_mul(by) == Some(own))?;
        let rest = self.clone().plus(other, ratio.checked_neg()?)?;
        rest.terms.is_empty().then_some(ratio)
    }
}

/// Where two accesses meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meeting {
    /// The second accesses in an iteration what the first accesses where the iterator is so much less.
    After(i64),
    /// All iterations access one element.
    Everywhere,
}

/// Where a read has the subscripts that a write has, whatever the values of other names; `None` if there is no such place.
pub fn meeting(write: &[String], read: &[String], iterator: &str) -> Option<Meeting> {
    if write.len() != read.len() {
        return None;
    }
    let mut found: Option<i64> = None;
    for (write, read) in write.iter().zip(read) {
        let (write, read) = (Polynomial::of(write)?, Polynomial::of(read)?);
        let (difference, by) = (write.plus(&read, -1)?, read.change(iterator)?);
        let own = match (difference.terms.is_empty(), by.terms.is_empty()) {
            (true, true) => continue,
            (false, true) => return None,
            _ => difference.ratio(&by)?,
        };
        if found.replace(own).is_some_and(|before| before != own) {
            return None;
        }
    }
    Some(found.map_or(Meeting::Everywhere, Meeting::After))
}

/// Whether two subscripts have one value in no two iterations of a loop that are apart, whatever the values of other names, which stay:
/// they advance together, and their difference is no multiple of that, or 0.
pub fn are_apart((first, second): (&str, &str), iterator: &str, step: i64) -> bool {
    let of = || {
        let (first, second) = (Polynomial::of(first)?, Polynomial::of(second)?);
        let by = first.change(iterator)?;
        let advance = by.constant_value()?.checked_mul(step).filter(|advance| *advance != 0)?;
        let difference = second.plus(&first, -1)?.constant_value()?;
        Some(difference == 0 || difference.checked_rem(advance)? != 0)
    };
    of().unwrap_or(false)
}

/// The values that an iterator takes, as written.
#[derive(Debug, Clone, Copy)]
pub struct Course<'a> {
    /// Its name.
    pub iterator: &'a str,
    /// Its first value.
    pub start: Option<&'a str>,
    /// What it is compared with, and how: `<`, `<=`, `>`, `>=`, `!=`.
    pub bound: Option<(&'a str, &'a str)>,
    /// What is added each time.
    pub step: i64,
}

/// Whether an element that stays is none of those that a write comes to while the iterator runs, whatever the values of other names.
pub fn is_never_written(write: &[String], stays: &[String], course: Course) -> bool {
    let is_apart = |(write, stays): (&String, &String)| {
        let (write, stays) = (Polynomial::of(write)?, Polynomial::of(stays)?);
        let by = write.change(course.iterator)?.constant_value()?;
        let ahead = stays.plus(&write, -1)?;
        if by == 0 {
            return Some(ahead.constant_value()? != 0);
        }
        // How far it is from where the write comes to when the iterator has this value, in the direction that it goes.
        let forward = by.signum().checked_mul(course.step.signum())?;
        let from = |value: &str| {
            let rest = Polynomial::of(&format!("{} - ({value})", course.iterator))?;
            ahead.clone().plus(&rest, by)?.constant_value()?.checked_mul(forward)
        };
        let is_before = course.start.and_then(from).is_some_and(|by| by < 0);
        let is_behind = course.bound.and_then(|(bound, comparison)| {
            let by = from(bound)?;
            Some(if matches!(comparison, "<=" | ">=" | "..=") { by > 0 } else { by >= 0 })
        });
        Some(is_before || is_behind == Some(true))
    };
    write.len() == stays.len() && write.iter().zip(stays).any(|pair| is_apart(pair) == Some(true))
}

/// Whether two accesses have the same subscripts, which are the same in neighbouring iterations too: quotients of the iterator,
/// `i / 2` or `i >> 1`, that grow less often than it is advanced (by `step`).
pub fn repeat(first: &[String], second: &[String], iterator: &str, step: i64) -> bool {
    let plain = |text: &String| text.split_whitespace().collect::<String>();
    let are_equal =
        first.len() == second.len() && first.iter().zip(second).all(|(a, b)| plain(a) == plain(b));
    let quotients: Option<Vec<bool>> =
        first.iter().map(|text| is_quotient(&plain(text), iterator, step)).collect();
    are_equal && quotients.is_some_and(|quotients| quotients.contains(&true))
}

/// Whether a character may be part of a name.
pub(crate) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// A subscript without the subscripts in it.
fn outside_brackets(text: &str) -> String {
    let mut depth = 0u32;
    let mut own = String::new();
    for c in text.chars() {
        match c {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            _ if depth == 0 => own.push(c),
            _ => {}
        }
    }
    own
}

/// Whether a subscript has one of these names, but in what it indexes.
pub fn has_name(text: &str, names: &[&str]) -> bool {
    outside_brackets(text).split(|c| !is_word(c)).any(|word| names.contains(&word))
}

/// Whether a subscript takes one of these iterators apart: its bits, a rest, or a quotient. What it indexes does not count.
pub fn is_scrambled(text: &str, iterators: &[&str]) -> bool {
    let own = outside_brackets(text);
    let plain = own.replace("->", " ").replace("&&", " ").replace("||", " ");
    let takes_apart =
        plain.contains(['&', '|', '^']) || plain.contains(">>") || divides(&plain, iterators, 0);
    let lower = plain.to_ascii_lowercase();
    let calls =
        ["mod(", "modulo(", "iand(", "ior(", "ieor(", "ishft("].into_iter().any(|own| lower.contains(own));
    has_name(text, iterators) && (takes_apart || calls)
}

/// Deeper parentheses are taken to divide.
const MOST_LEVELS: u32 = 32;

/// Whether a term of a sum divides, or takes the rest of, something with an iterator in it: not `i + n / 2`.
fn divides(text: &str, iterators: &[&str], level: u32) -> bool {
    if level > MOST_LEVELS {
        return true;
    }
    let text = text.trim();
    let mut depth = 0i32;
    let mut closes = text.len();
    let mut terms: Vec<&str> = Vec::new();
    let mut from = 0;
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => {
                depth -= 1;
                if depth == 0 {
                    closes = closes.min(at);
                }
            }
            '+' | '-' if depth == 0 => {
                terms.push(&text[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    terms.push(&text[from..]);
    if let Some(inside) = text.strip_prefix('(').filter(|_| closes + 1 == text.len()) {
        return divides(&inside[..inside.len() - 1], iterators, level + 1);
    }
    let is_divided = |term: &&str| term.contains(['/', '%']) && has_name(term, iterators);
    match terms.len() {
        1 => is_divided(&text),
        _ => terms.iter().any(|term| divides(term, iterators, level + 1)),
    }
}

/// Whether a text has the iterator in quotients alone that repeat; `None` if it has it anywhere else.
fn is_quotient(text: &str, iterator: &str, step: i64) -> Option<bool> {
    let (mut rest, mut found) = (text, false);
    while let Some(at) = rest.find(iterator) {
        let (before, after) = (&rest[..at], &rest[at + iterator.len()..]);
        let is_part = before.ends_with(|c| is_word(c) || c == '.') || after.starts_with(is_word);
        rest = after;
        if is_part {
            continue;
        }
        let number = |text: &str| -> Option<i64> {
            text.find(|c: char| !c.is_ascii_digit()).map_or(text, |end| &text[..end]).parse().ok()
        };
        // Multiples grow faster, and what binds tighter is another expression.
        if before.ends_with(['*', '/', '%', '-', '&']) {
            return None;
        }
        let by: i64 = if let Some(rest) = after.strip_prefix('/') {
            number(rest)?
        } else {
            let by = u32::try_from(number(after.strip_prefix(">>")?)?).ok()?;
            1i64.checked_shl(by).filter(|&by| by > 0)?
        };
        if step.checked_abs()? >= by {
            return None;
        }
        found = true;
    }
    Some(found)
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    Name(String),
    Number(i64),
    Sign(char),
}

fn tokens(text: &str) -> Option<Vec<Token>> {
    if text.len() > LONGEST {
        return None;
    }
    let mut out = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let end = |is: fn(char) -> bool| rest.find(|c| !is(c)).unwrap_or(rest.len());
        let (token, length) = if first.is_ascii_digit() {
            let digits = end(|c| c.is_ascii_alphanumeric());
            let number = rest[..digits].trim_end_matches(['u', 'U', 'l', 'L']);
            (Token::Number(number.parse().ok()?), digits)
        } else if first.is_alphabetic() || first == '_' {
            let length = end(|c| c.is_alphanumeric() || c == '_');
            (Token::Name(rest[..length].to_owned()), length)
        } else if "+-*()".contains(first) {
            (Token::Sign(first), 1)
        } else {
            return None;
        };
        out.push(token);
        rest = rest[length..].trim_start();
    }
    Some(out)
}

/// Deepest nesting of parentheses.
const DEEPEST: u32 = 16;

fn sum(tokens: &mut Vec<Token>, depth: u32) -> Option<Polynomial> {
    let mut out = product(tokens, depth)?;
    while let Some(Token::Sign(sign @ ('+' | '-'))) = tokens.last().cloned() {
        tokens.pop();
        let next = product(tokens, depth)?;
        out = out.plus(&next, if sign == '+' { 1 } else { -1 })?;
    }
    Some(out)
}

fn product(tokens: &mut Vec<Token>, depth: u32) -> Option<Polynomial> {
    let mut out = factor(tokens, depth)?;
    while tokens.last() == Some(&Token::Sign('*')) {
        tokens.pop();
        out = out.times(&factor(tokens, depth)?)?;
    }
    Some(out)
}

fn factor(tokens: &mut Vec<Token>, depth: u32) -> Option<Polynomial> {
    if depth > DEEPEST {
        return None;
    }
    match tokens.pop()? {
        Token::Number(value) => Some(Polynomial::constant(value)),
        Token::Name(name) => Some(Polynomial { terms: BTreeMap::from([(vec![name], 1)]) }),
        Token::Sign('-') => Polynomial::default().plus(&factor(tokens, depth + 1)?, -1),
        Token::Sign('+') => factor(tokens, depth + 1),
        Token::Sign('(') => {
            let value = sum(tokens, depth + 1)?;
            (tokens.pop()? == Token::Sign(')')).then_some(value)
        }
        Token::Sign(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_hold_whatever_the_names_are() {
        let of = |write: &str, read: &str, iterator: &str| match meeting(
            &[write.to_owned()],
            &[read.to_owned()],
            iterator,
        ) {
            Some(Meeting::After(by)) => Some(by),
            _ => None,
        };
        assert_eq!(of("i + 1", "i", "i"), Some(1));
        assert_eq!(of("i", "i + 2", "i"), Some(-2));
        assert_eq!(of("i * n + j", "(i - 1) * n + j", "i"), Some(1));
        assert_eq!(of("i * n + j", "i * n + j - 1", "j"), Some(1));
        assert_eq!(of("i * n + j", "i * n + k", "j"), None);
        assert_eq!(of("2 * i", "2 * i + 1", "i"), None);
        assert_eq!(of("i", "i", "i"), Some(0));
        assert_eq!(meeting(&["0".into()], &["0".into()], "i"), Some(Meeting::Everywhere));
        assert_eq!(of("k[i]", "i", "i"), None);
        assert_eq!(of("i * i", "i * i - 1", "i"), None);
        assert_eq!(of(&"(".repeat(300), "i", "i"), None);
    }

    #[test]
    fn elements_that_no_iteration_writes() {
        let of = |write: &str, stays: &str, (start, bound): (&str, (&str, &str)), step| {
            let course = Course { iterator: "i", start: Some(start), bound: Some(bound), step };
            is_never_written(&[write.to_owned()], &[stays.to_owned()], course)
        };
        let up = ("1", ("n", "<"));
        assert!(of("i", "0", up, 1) && !of("i", "1", up, 1) && !of("i", "k", up, 1));
        assert!(of("i", "n", up, 1) && !of("i", "n - 1", up, 1));
        assert!(of("i", "k", ("k + 1", ("n", "<")), 1));
        assert!(of("i + 2", "2", up, 1) && !of("2 * i", "4", up, 1) && of("2 * i", "1", up, 1));
        let down = ("n - 1", ("0", ">="));
        assert!(!of("i", "0", down, -1) && of("i", "n", down, -1) && of("n - i", "0", down, -1));
        assert!(!of("n - i", "1", down, -1));
    }

    #[test]
    fn iterators_are_taken_apart_by_bits_rests_and_quotients() {
        let of = |text: &str| is_scrambled(text, &["i"]);
        for text in [
            "i ^ 1",
            "i&~3",
            "i | 1",
            "(i >> 2) + k",
            "i / 2",
            "n - i % 4",
            "mod(i, 4) + 1",
            "(i + n) / 2",
            "(n + i / 2)",
        ] {
            assert!(of(text), "{text}");
        }
        for text in [
            "i + 1",
            "x[i] & 255",
            "k >> 2",
            "2 * i",
            "p->n + i",
            "idx[i] % n",
            "i + n / 2",
            "(i + n % 2)",
            "(n / 2 - i)",
        ] {
            assert!(!of(text), "{text}");
        }
    }
}
