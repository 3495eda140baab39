//! Text as the grammars read it: the same number of bytes, so that places stay.

use std::borrow::Cow;

use profile::lens::Language;

use super::fortran;

/// What the C grammar does not know, and what it reads in its place, of the same length.
const KEYWORDS: [(&[u8], &[u8]); 1] = [(b"_Thread_local", b"__thread     ")];

/// Words for integers that may stand in the place of a function's name.
const INTEGERS: [&[u8]; 4] = [b"unsigned", b"signed", b"long", b"short"];

const ATTRIBUTES: [&[u8]; 2] = [b"__attribute__", b"__attribute"];

/// Longest attribute that is looked at, in bytes.
const LONGEST_ATTRIBUTE: usize = 1_000;

/// The text in the spelling that the grammar of a language reads.
pub(super) fn spelled(bytes: &[u8], language: Language) -> Cow<'_, [u8]> {
    match language {
        Language::FixedFortran => Cow::Owned(fortran::as_free_form(bytes)),
        Language::C => empty_macros(without_attributes(keywords(bytes))),
        Language::Cpp => empty_macros(without_attributes(converted(keywords(bytes)))),
        Language::Fortran | Language::Rust => Cow::Borrowed(bytes),
    }
}

fn keywords(bytes: &[u8]) -> Cow<'_, [u8]> {
    let mut out = Cow::Borrowed(bytes);
    for (word, other) in KEYWORDS {
        let mut at = 0;
        while let Some(next) = find(&bytes[at..], word) {
            out.to_mut()[at + next..at + next + other.len()].copy_from_slice(other);
            at += next + word.len();
        }
    }
    out
}

/// `unsigned(x)` as `int(x)`: the grammar knows conversions in this form by names of types and `int` alone, and loses its way in the rest
/// of the text. Which integer it is makes no difference to what is told here.
fn converted(mut text: Cow<'_, [u8]>) -> Cow<'_, [u8]> {
    for word in INTEGERS {
        let mut at = 0;
        while let Some(next) = find(&text[at..], word) {
            let (start, end) = (at + next, at + next + word.len());
            at = end;
            let before = text[..start].trim_ascii_end();
            let is_value = before.last().is_some_and(|byte| b"(,{=+-*/%<>&|?:[!~".contains(byte))
                || before.ends_with(b"return");
            let is_word = !text[..start].last().is_some_and(|byte| is_of_name(*byte));
            let follows = text[end..].trim_ascii_start();
            let is_call =
                follows.first() == Some(&b'(') && !follows[1..].trim_ascii_start().starts_with(b"*");
            if is_value && is_word && is_call {
                text.to_mut()[start..end].fill(b' ');
                text.to_mut()[start..start + 3].copy_from_slice(b"int");
            }
        }
    }
    text
}

fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Blanks in place of GNU attributes, which may stand where the grammar knows none; they change nothing that is told here.
fn without_attributes(mut text: Cow<'_, [u8]>) -> Cow<'_, [u8]> {
    for word in ATTRIBUTES {
        let mut at = 0;
        while let Some(next) = find(&text[at..], word) {
            let start = at + next;
            at = start + word.len();
            let Some(end) = end_of_parentheses(&text, at) else { continue };
            text.to_mut()[start..end].iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
            at = end;
        }
    }
    text
}

/// Definitions of macros without a value, with the blanks behind the name before it: the grammar takes the next line for the value where
/// blanks follow the name, an `#endif` too.
fn empty_macros(mut text: Cow<'_, [u8]>) -> Cow<'_, [u8]> {
    let mut start = 0;
    while start < text.len() {
        let line = &text[start..];
        let length = line.iter().position(|&byte| byte == b'\n').unwrap_or(line.len());
        let line = &line[..length];
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let name = || {
            let rest = line.trim_ascii_start().strip_prefix(b"#")?.trim_ascii_start();
            let rest = rest.strip_prefix(b"define")?;
            let value = rest.trim_ascii_start();
            let name = value.iter().take_while(|byte| is_of_name(**byte)).count();
            let is_empty = name > 0 && value.len() > name && is_blank(&value[name..]);
            (is_empty && rest.len() > value.len()).then(|| (line.len() - value.len(), value[..name].to_vec()))
        };
        if let Some((at, name)) = name() {
            let end = start + line.len();
            let text = text.to_mut();
            text[start + at..end].fill(b' ');
            text[end - name.len()..end].copy_from_slice(&name);
        }
        start += length + 1;
    }
    text
}

/// Whether a part of a line is nothing but blanks and comments that end in it.
fn is_blank(line: &[u8]) -> bool {
    let rest = line.trim_ascii_start();
    let comment = rest.strip_prefix(b"/*").map(|comment| comment.windows(2).position(|pair| pair == b"*/"));
    match comment {
        Some(Some(end)) => is_blank(&rest[end + 4..]),
        _ => rest.is_empty(),
    }
}

/// Where the parentheses end that follow a place after blanks.
fn end_of_parentheses(text: &[u8], from: usize) -> Option<usize> {
    let mut depth = 0usize;
    for (offset, &byte) in text[from..].iter().take(LONGEST_ATTRIBUTE).enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' => depth = depth.checked_sub(1)?,
            _ if depth == 0 && !byte.is_ascii_whitespace() => return None,
            _ => {}
        }
        if depth == 0 && byte == b')' {
            return Some(from + offset + 1);
        }
    }
    None
}

fn find(bytes: &[u8], word: &[u8]) -> Option<usize> {
    let first = *word.first()?;
    let mut at = 0;
    while let Some(next) = bytes[at..].iter().position(|&byte| byte == first) {
        if bytes[at + next..].starts_with(word) {
            return Some(at + next);
        }
        at += next + 1;
    }
    None
}
