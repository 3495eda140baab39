//! Text as the grammars read it: the same number of bytes, so that places stay.

use std::borrow::Cow;

use profile::lens::Language;

use super::fortran;

/// What the C grammar does not know, and what it reads in its place, of the same length.
const KEYWORDS: [(&[u8], &[u8]); 1] = [(b"_Thread_local", b"__thread     ")];

/// The text in the spelling that the grammar of a language reads.
pub(super) fn spelled(bytes: &[u8], language: Language) -> Cow<'_, [u8]> {
    match language {
        Language::FixedFortran => Cow::Owned(fortran::as_free_form(bytes)),
        Language::C | Language::Cpp => keywords(bytes),
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
