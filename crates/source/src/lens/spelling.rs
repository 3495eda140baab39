//! Text as the grammars read it: the same number of bytes, so that places stay.

use std::borrow::Cow;

use profile::lens::Language;

use super::fortran;

/// What the C grammar does not know, and what it reads in its place, of the same length.
const KEYWORDS: [(&[u8], &[u8]); 1] = [(b"_Thread_local", b"__thread     ")];

const ATTRIBUTES: [&[u8]; 2] = [b"__attribute__", b"__attribute"];

/// Longest attribute that is looked at, in bytes.
const LONGEST_ATTRIBUTE: usize = 1_000;

/// The text in the spelling that the grammar of a language reads.
pub(super) fn spelled(bytes: &[u8], language: Language) -> Cow<'_, [u8]> {
    match language {
        Language::FixedFortran => Cow::Owned(fortran::as_free_form(bytes)),
        Language::C | Language::Cpp => without_attributes(keywords(bytes)),
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
