//! Text without what could steer a terminal.
//!
//! Names of functions, files and variables are the program's, and a program may be somebody else's: characters that move a cursor,
//! change a title or erase lines would make a report say what it does not. Line ends, tabs and changes of colour stay.

use std::borrow::Cow;

/// The text with every other control character shown instead of obeyed.
pub fn plain(text: &str) -> Cow<'_, str> {
    let is_harmless = |c: char| !c.is_control() || matches!(c, '\n' | '\t');
    if text.chars().all(is_harmless) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let length = colour(rest).unwrap_or(c.len_utf8());
        let (head, tail) = rest.split_at(length);
        if is_harmless(c) || length > c.len_utf8() {
            out.push_str(head);
        } else {
            out.extend(c.escape_default());
        }
        rest = tail;
    }
    Cow::Owned(out)
}

/// Length of the change of colour that a text begins with: `ESC [`, numbers, `m`.
fn colour(text: &str) -> Option<usize> {
    let numbers = text.strip_prefix("\x1b[")?;
    let end = numbers.find(|c: char| !c.is_ascii_digit() && c != ';')?;
    numbers[end..].starts_with('m').then_some(end + 3)
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn names_do_not_steer_terminals() {
        assert_eq!(plain("a\tb\n\x1b[1;31mred\x1b[0m"), "a\tb\n\x1b[1;31mred\x1b[0m");
        assert_eq!(plain("\x1b[2Jgone"), "\\u{1b}[2Jgone");
        assert_eq!(plain("\x1b]0;title\x07"), "\\u{1b}]0;title\\u{7}");
        assert_eq!(plain("over\rwritten\u{9b}2K"), "over\\rwritten\\u{9b}2K");
        assert_eq!(plain("ends in \x1b["), "ends in \\u{1b}[");
    }
}
