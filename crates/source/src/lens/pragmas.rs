//! Directives of C and C++, and those among them that stand between the header of a statement and its body: `for (…)`, on the next line
//! `#pragma omp simd`, on the next one the inner loop.
//!
//! Grammars take the directive for the body. So they are given blanks in its place, and the directive is read where the body begins.

use std::collections::BTreeMap;

use profile::lens::Directive;

/// A text with blanks in the place of such directives; all positions stay.
pub(super) struct Inside {
    /// The text.
    pub text: Vec<u8>,
    /// The directives, by the first byte of the statement that they stand before.
    pub before: BTreeMap<usize, Vec<Directive>>,
}

/// The directive that a text is, if it has to do with loops or threads; `line`: the line on which it begins, from 1.
pub(super) fn directive(text: &str, line: u32) -> Option<Directive> {
    let words = text.trim_end().strip_prefix('#')?.trim_start().strip_prefix("pragma")?.trim_start();
    let is_parallel = ["omp ", "acc "].iter().any(|family| words.starts_with(family));
    // These have to stand on the loop itself: nothing fits in between.
    let binds = ["GCC unroll", "GCC ivdep", "GCC novector", "clang loop", "unroll", "nounroll", "ivdep"];
    (is_parallel || binds.iter().any(|own| words.starts_with(own)))
        .then(|| Directive { text: format!("#pragma {words}"), line })
}

/// What a scanner of C knows of what stands before a directive.
#[derive(Default)]
struct Scanner {
    /// Of each open parenthesis whether it is that of a statement's header.
    open: Vec<bool>,
    /// A statement has to follow: what stands last is a header, or `else` or `do`.
    wants_statement: bool,
    /// The word that stands last.
    word: Vec<u8>,
    /// White space stands behind it.
    is_apart: bool,
    in_comment: bool,
}

impl Scanner {
    /// Reads what stands on a line that is no directive.
    fn read(&mut self, line: &[u8]) {
        let mut at = 0;
        while let Some(&byte) = line.get(at) {
            let next = line.get(at + 1).copied();
            at += 1;
            if self.in_comment {
                if byte == b'*' && next == Some(b'/') {
                    self.in_comment = false;
                    at += 1;
                }
                continue;
            }
            match (byte, next) {
                (b'/', Some(b'/')) => return,
                (b'/', Some(b'*')) => {
                    self.in_comment = true;
                    at += 1;
                }
                // Not the separator of digits.
                (b'"' | b'\'', _) if byte == b'"' || !self.word.last().is_some_and(u8::is_ascii_digit) => {
                    while let Some(&inside) = line.get(at) {
                        at += if inside == b'\\' { 2 } else { 1 };
                        if inside == byte {
                            break;
                        }
                    }
                    self.other();
                }
                _ if byte.is_ascii_whitespace() => self.ends_word(),
                _ if byte.is_ascii_alphanumeric() || byte == b'_' => {
                    self.wants_statement = false;
                    if std::mem::take(&mut self.is_apart) {
                        self.word.clear();
                    }
                    self.word.push(byte);
                }
                (b'(', _) => {
                    let heads: [&[u8]; 5] = [b"for", b"while", b"if", b"switch", b"constexpr"];
                    self.open.push(heads.contains(&&*self.word));
                    self.other();
                }
                (b')', _) => {
                    let is_head = self.open.pop().unwrap_or(false);
                    self.other();
                    self.wants_statement = is_head;
                }
                _ => self.other(),
            }
        }
        self.ends_word();
    }

    fn ends_word(&mut self) {
        self.is_apart = true;
        self.wants_statement |= matches!(&self.word[..], b"else" | b"do");
    }

    fn other(&mut self) {
        self.word.clear();
        self.wants_statement = false;
    }
}

/// Takes the directives out that stand between a header and its body; `None` if there are none.
pub(super) fn inside(bytes: &[u8]) -> Option<Inside> {
    let mut out: Option<Inside> = None;
    let mut scanner = Scanner::default();
    let mut waiting: Vec<Directive> = Vec::new();
    let lines: Vec<&[u8]> = bytes.split_inclusive(|&byte| byte == b'\n').collect();
    let (mut at, mut index) = (0, 0);
    while let Some(&line) = lines.get(index) {
        let first = index;
        let goes_on = |line: &[u8]| line.trim_ascii_end().ends_with(b"\\");
        let is_directive = !scanner.in_comment && line.trim_ascii_start().starts_with(b"#");
        while is_directive && lines.get(index).is_some_and(|line| goes_on(line)) && index + 1 < lines.len() {
            index += 1;
        }
        index += 1;
        let length: usize = lines[first..index].iter().map(|line| line.len()).sum();
        let whole = &bytes[at..at + length];
        if !is_directive {
            let start = line.len() - line.trim_ascii_start().len();
            let is_empty = scanner.in_comment || line[start..].is_empty() || line[start..].starts_with(b"/");
            if !waiting.is_empty()
                && !is_empty
                && let Some(out) = &mut out
            {
                out.before.insert(at + start, std::mem::take(&mut waiting));
            }
            scanner.read(line);
        } else if scanner.wants_statement {
            let text = String::from_utf8_lossy(whole);
            let words: Vec<&str> = text.split_whitespace().filter(|word| *word != "\\").collect();
            let number = u32::try_from(first + 1).unwrap_or(u32::MAX);
            let is_pragma = words.concat().starts_with("#pragma");
            if is_pragma {
                let text = words.join(" ");
                waiting.extend(directive(&text, number));
                let own = out.get_or_insert_with(|| Inside { text: bytes.to_vec(), before: BTreeMap::new() });
                for byte in own.text[at..at + length].iter_mut().filter(|byte| **byte != b'\n') {
                    *byte = b' ';
                }
            }
        }
        at += length;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn before(text: &str) -> Vec<(usize, String)> {
        let found = inside(text.as_bytes());
        if let Some(found) = &found {
            assert_eq!(found.text.len(), text.len());
        }
        let all = found.into_iter().flat_map(|found| found.before);
        all.flat_map(|(at, own)| own.into_iter().map(move |own| (at, own.text))).collect()
    }

    #[test]
    fn directives_before_bodies_are_found() {
        let text = "for (i = 0; i < f(n); i++) // a\n #pragma omp \\\n simd\n  for (;;) ;\n";
        assert_eq!(before(text), [(55, "#pragma omp simd".to_owned())]);
        assert_eq!(before("if (a)\n#pragma omp atomic\nx++;\nelse\n#pragma omp atomic\ny++;\n").len(), 2);
        assert_eq!(before("do\n#pragma omp simd\nfor (;;) ;\nwhile (a);\n").len(), 1);
    }

    #[test]
    fn directives_between_statements_stay() {
        for text in [
            "f(a);\n#pragma omp simd\nfor (;;) ;\n",
            "for (;;) {\n#pragma omp simd\nfor (;;) ;\n}\n",
            "void f(int n)\n#pragma omp simd\n{}\n",
            "/* if (a)\n*/\n#pragma omp simd\nfor (;;) ;\n",
            "x = ')'; \"if (a)\"\n#pragma omp simd\nfor (;;) ;\n",
            "#define A if (a)\n#pragma omp simd\nfor (;;) ;\n",
        ] {
            assert!(before(text).is_empty(), "{text}");
        }
    }
}
