//! Whether two outputs are the same.

use crate::outcome::Difference;

/// Characters of a line that are shown.
const SHOWN: usize = 60;
/// Numbers that differ by less of the greater one are close.
const CLOSE: f64 = 1e-6;

/// Whether two outputs have the same words in the same lines; numbers may differ by `tolerance` of the greater one.
pub fn is_same(expected: &[u8], found: &[u8], tolerance: Option<f64>) -> bool {
    expected == found
        || tolerance.is_some_and(|tolerance| first_difference(expected, found, tolerance).is_none())
}

/// How two outputs differ; `None` if they do not.
pub(crate) fn difference(expected: &[u8], found: &[u8], tolerance: Option<f64>) -> Option<Difference> {
    if is_same(expected, found, tolerance) {
        return None;
    }
    // Without a tolerance the spaces count too.
    let line = match tolerance {
        Some(tolerance) => first_difference(expected, found, tolerance)?,
        None => lines(expected)
            .zip(lines(found))
            .position(|(a, b)| a != b)
            .unwrap_or_else(|| lines(expected).count().min(lines(found).count())),
    };
    let shown = |text: &[u8]| match lines(text).nth(line) {
        Some(line) => String::from_utf8_lossy(line).trim().chars().take(SHOWN).collect(),
        None => String::new(),
    };
    Some(Difference {
        line: line + 1,
        expected: shown(expected),
        found: shown(found),
        close: first_difference(expected, found, CLOSE).is_none(),
    })
}

fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|&byte| byte == b'\n')
}

/// The first line, from 0, in which words differ by more than a tolerance.
fn first_difference(expected: &[u8], found: &[u8], tolerance: f64) -> Option<usize> {
    let (mut a, mut b) = (lines(expected), lines(found));
    for line in 0.. {
        match (a.next(), b.next()) {
            (None, None) => return None,
            (Some(x), Some(y)) if x == y || are_close(x, y, tolerance) => {}
            _ => return Some(line),
        }
    }
    None
}

fn are_close(a: &[u8], b: &[u8], tolerance: f64) -> bool {
    let (a, b) = (String::from_utf8_lossy(a), String::from_utf8_lossy(b));
    let (mut a, mut b) = (words(&a), words(&b));
    loop {
        match (a.next(), b.next()) {
            (None, None) => return true,
            (Some(x), Some(y)) if x == y => {}
            (Some(x), Some(y)) => {
                let (Ok(x), Ok(y)) = (x.parse::<f64>(), y.parse::<f64>()) else { return false };
                let is_close = (x - y).abs() <= tolerance * x.abs().max(y.abs());
                if !is_close {
                    return false;
                }
            }
            _ => return false,
        }
    }
}

/// Words of a line: what stands between spaces and signs that are no part of numbers.
fn words(line: &str) -> impl Iterator<Item = &str> {
    let is_apart =
        |c: char| c.is_whitespace() || matches!(c, ',' | ';' | ':' | '=' | '(' | ')' | '[' | ']' | '{' | '}');
    line.split(is_apart).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_may_differ_where_that_is_allowed() {
        assert!(is_same(b"a 1.0\n", b"a 1.0\n", None));
        assert!(!is_same(b"a 1.0\n", b"a  1.0\n", None));
        assert!(is_same(b"sum=1.0, 7\n", b"sum=1.00000000001, 7\n", Some(1e-9)));
        assert!(!is_same(b"1.0", b"1.1", Some(1e-9)));
        assert!(!is_same(b"1.0\n2.0", b"1.0", Some(1e-9)));
        assert!(!is_same(b"a nan", b"b nan", Some(0.5)));
        assert!(is_same(b"nan inf", b"nan inf", Some(1e-9)));
    }

    #[test]
    fn the_first_difference_is_shown() {
        let found = difference(b"a\nb 1.0\nc", b"a\nb 1.0000000001\nc", None).expect("they differ");
        assert_eq!((found.line, found.expected.as_str(), found.close), (2, "b 1.0", true));
        let found = difference(b"a\nb\n", b"a\n", None).expect("they differ");
        assert_eq!(
            (found.line, found.expected.as_str(), found.found.as_str(), found.close),
            (2, "b", "", false)
        );
        let found = difference(b"a 1\nb 5", b"a 1.1\nb 7", Some(0.5)).is_none();
        assert!(found, "within the tolerance");
    }
}
