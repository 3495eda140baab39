//! Fixed form as free form: the same number of bytes, so that offsets stay.
//!
//! Comment lines begin with `!`; lines that continue a statement are joined to it by blanks in place of the line break.
//! Blanks inside of names and keywords are not supported. Columns from 73 to 80 are ignored where they look like what was punched there:
//! compilers have options for longer lines.

/// Whether a line is a comment, or blank; directives are comments too.
fn is_comment(line: &[u8]) -> bool {
    matches!(line.first(), Some(b'c' | b'C' | b'*' | b'!' | b'd' | b'D' | b'#'))
        || line.trim_ascii().is_empty()
        || line.trim_ascii_start().first() == Some(&b'!')
}

fn is_directive(line: &[u8]) -> bool {
    line.get(1) == Some(&b'$') && line.len() > 5 && matches!(line[0], b'c' | b'C' | b'*' | b'!')
}

/// Whether columns 73 to 80 number or name a line: words behind a blank, or that reach to the last of them.
fn has_identification(line: &[u8]) -> bool {
    let length = line.trim_ascii_end().len();
    let is_of_word = |byte: &u8| byte.is_ascii_alphanumeric() || b" .-_".contains(byte);
    (73..=80).contains(&length)
        && line[72..length].iter().all(is_of_word)
        && (line[71] == b' ' || length == 80)
}

/// The same text in free form.
pub(in super::super) fn as_free_form(bytes: &[u8]) -> Vec<u8> {
    let mut out = bytes.to_vec();
    let mut at = 0;
    // The end of the last line of a statement's text, and where blanks must begin if it goes on.
    let mut open: Option<usize> = None;
    while at < bytes.len() {
        let end =
            bytes[at..].iter().position(|&byte| byte == b'\n').map_or(bytes.len(), |length| at + length);
        let line = &bytes[at..end];
        if is_comment(line) {
            if let Some(first) = out.get_mut(at)
                && line.first().is_some_and(|first| b"cC*dD".contains(first))
            {
                *first = b'!';
            }
            if is_directive(line) {
                open = None;
            }
            at = end + 1;
            continue;
        }
        if has_identification(line) {
            out[at + 72..end].fill(b' ');
        }
        let continues = line.len() > 5
            && !matches!(line[5], b' ' | b'0' | b'\r')
            && line[..5].iter().all(|&byte| byte == b' ');
        if continues && let Some(from) = open {
            out[from..at + 6].fill(b' ');
        }
        open = Some(code_end(&out[at..end]) + at);
        at = end + 1;
    }
    out
}

/// Where the code of a line ends: before a comment that follows it.
fn code_end(line: &[u8]) -> usize {
    let mut quote = None;
    for (at, &byte) in line.iter().enumerate() {
        match (quote, byte) {
            (None, b'!') => return at,
            (None, b'\'' | b'"') => quote = Some(byte),
            (Some(open), byte) if open == byte => quote = None,
            _ => {}
        }
    }
    line.len()
}
