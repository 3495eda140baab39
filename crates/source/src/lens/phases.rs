//! The first translation phases of C and C++ (C17, 5.1.1.2; C++20, 5.2): lines that `\` joins, comments, literals, and the directives between them.
//!
//! Definition: a *directive* is a line that begins with `#` or `%:`, comments and blanks apart, after lines that end with `\` were joined and comments
//! became blanks. It ends where that line does: a comment in it may reach over many. What stands in comments and literals is no directive; a raw
//! literal of C++ is as long as its delimiters say, whatever lines it has.
//!
//! Compilers take blanks between `\` and the end of a line for none, and so does this.

use profile::lens::Language;

use super::macros::is_of_name;
use super::text::without_comments;

/// A directive of the preprocessor.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Directive {
    /// Its lines, from 0, the second one behind it.
    pub lines: (usize, usize),
    /// The bytes before it on its first line, if a comment ends there.
    pub led_by: usize,
    /// The word behind `#`.
    pub word: String,
    /// What stands behind the word, without comments.
    pub rest: String,
}

/// What a text is after these phases.
#[derive(Debug, Default)]
pub(super) struct Phases {
    /// The lines without comments and what literals say.
    pub plain: Vec<String>,
    /// All directives, in their order.
    pub directives: Vec<Directive>,
    /// It has a literal that is raw for some compilers of its language, and not for others: where directives begin is not certain.
    pub is_ambiguous: bool,
}

impl Phases {
    /// Those of a text.
    pub(super) fn of(text: &[u8], language: Language) -> Phases {
        match language {
            Language::C | Language::Cpp => Scanner::new(text, language).scan(),
            Language::Fortran | Language::FixedFortran | Language::Rust => of_lines(text),
        }
    }
}

/// The directives of a text in another language: lines that begin with `#`, and those that `\` joins to them.
fn of_lines(text: &[u8]) -> Phases {
    let plain: Vec<String> = text.split_inclusive(|&byte| byte == b'\n').map(lossy).collect();
    let mut directives = Vec::new();
    let mut index = 0;
    while index < plain.len() {
        let first = index;
        index += 1;
        let Some(rest) = plain[first].strip_prefix('#') else { continue };
        let mut whole = rest.trim().to_owned();
        while whole.ends_with('\\') && index < plain.len() {
            whole.pop();
            whole.push(' ');
            whole.push_str(plain[index].trim());
            index += 1;
        }
        directives.push(Directive::new((first, index), 0, &without_comments(&whole)));
    }
    Phases { plain, directives, is_ambiguous: false }
}

impl Directive {
    fn new(lines: (usize, usize), led_by: usize, text: &str) -> Directive {
        let text = text.trim();
        let length = text.bytes().take_while(|&byte| is_of_name(byte)).count();
        let (word, rest) = text.split_at(length);
        Directive { lines, led_by, word: word.to_owned(), rest: rest.trim().to_owned() }
    }
}

/// A directive that has begun: its first line, the bytes before it there if a comment ends on that, and what was read of it.
struct Begun {
    line: usize,
    led_by: usize,
    text: Vec<u8>,
}

struct Scanner<'t> {
    text: &'t [u8],
    language: Language,
    at: usize,
    /// The line of `at`, from 0, and where it begins.
    line: usize,
    start: usize,
    plain: Vec<Vec<u8>>,
    begun: Option<Begun>,
    directives: Vec<Directive>,
    is_ambiguous: bool,
    /// A raw literal did not end: no other is looked for.
    is_open: bool,
}

impl<'t> Scanner<'t> {
    fn new(text: &'t [u8], language: Language) -> Scanner<'t> {
        let lines = text.split_inclusive(|&byte| byte == b'\n').count();
        let plain = vec![Vec::new(); lines.max(1)];
        let (begun, directives) = (None, Vec::new());
        let (is_ambiguous, is_open) = (false, false);
        Scanner { text, language, at: 0, line: 0, start: 0, plain, begun, directives, is_ambiguous, is_open }
    }

    fn scan(mut self) -> Phases {
        // Nothing but blanks and comments stands before this place on its joined lines; a comment from a line before ended here.
        let (mut begins, mut is_led) = (true, false);
        while let Some(byte) = self.peek() {
            let next = self.second();
            let is_blank = byte.is_ascii_whitespace();
            match (byte, next) {
                (b'\n', _) => {
                    self.end_directive(self.line + 1);
                    self.bump();
                    (begins, is_led) = (true, false);
                    continue;
                }
                (b'/', Some(b'/')) => {
                    while self.peek().is_some_and(|byte| byte != b'\n') {
                        self.bump();
                    }
                    continue;
                }
                (b'/', Some(b'*')) => {
                    let line = self.line;
                    self.comment();
                    is_led |= self.line > line;
                    continue;
                }
                (b'#', _) | (b'%', Some(b':')) if begins => {
                    let led_by = if is_led { self.at - self.start } else { 0 };
                    if byte == b'%' {
                        self.bump();
                        self.peek();
                    }
                    self.bump();
                    self.write_plain(b'#');
                    self.begun = Some(Begun { line: self.line, led_by, text: Vec::new() });
                }
                (b'"' | b'\'', _) => self.literal(byte),
                (b'<', _) if self.is_before_header() => self.header(),
                _ if byte.is_ascii_digit()
                    || byte == b'.' && next.is_some_and(|next| next.is_ascii_digit()) =>
                {
                    self.number();
                }
                _ if is_of_name(byte) => self.name(),
                _ => self.take(byte),
            }
            begins &= is_blank;
        }
        self.end_directive(self.plain.len());
        let plain = self.plain.iter().map(|line| lossy(line)).collect();
        Phases { plain, directives: self.directives, is_ambiguous: self.is_ambiguous }
    }

    /// The byte that follows, of joined lines.
    fn peek(&mut self) -> Option<u8> {
        while let Some(end) = self.joined(self.at) {
            (self.at, self.line, self.start) = (end, self.line + 1, end);
        }
        self.text.get(self.at).copied()
    }

    /// The byte behind that.
    fn second(&self) -> Option<u8> {
        let mut at = self.at + 1;
        while let Some(end) = self.joined(at) {
            at = end;
        }
        self.text.get(at).copied()
    }

    /// Where the next line begins, if a `\` stands at a place that joins it to this one.
    fn joined(&self, at: usize) -> Option<usize> {
        let rest = self.text.get(at..)?.strip_prefix(b"\\")?;
        let blanks = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r')).count();
        (rest.get(blanks) == Some(&b'\n')).then_some(at + blanks + 2)
    }

    fn bump(&mut self) {
        if self.text.get(self.at) == Some(&b'\n') {
            self.line += 1;
            self.start = self.at + 1;
        }
        self.at += 1;
    }

    fn write_plain(&mut self, byte: u8) {
        if let Some(line) = self.plain.get_mut(self.line) {
            line.push(byte);
        }
    }

    fn write_directive(&mut self, byte: u8) {
        if let Some(begun) = &mut self.begun {
            begun.text.push(byte);
        }
    }

    /// Takes a byte as it stands.
    fn take(&mut self, byte: u8) {
        self.write_plain(byte);
        self.write_directive(byte);
        self.bump();
    }

    fn comment(&mut self) {
        self.bump();
        self.peek();
        self.bump();
        self.write_plain(b' ');
        self.write_directive(b' ');
        while let Some(byte) = self.peek() {
            let is_end = byte == b'*' && self.second() == Some(b'/');
            self.bump();
            if is_end {
                self.peek();
                self.bump();
                return;
            }
        }
    }

    /// A literal between two quotes: to the end of the line if there is no second one.
    fn literal(&mut self, quote: u8) {
        self.write_plain(quote);
        self.write_plain(quote);
        self.write_directive(quote);
        self.bump();
        while let Some(byte) = self.peek().filter(|&byte| byte != b'\n') {
            self.write_directive(byte);
            self.bump();
            if byte == quote {
                return;
            }
            if byte == b'\\'
                && let Some(next) = self.peek().filter(|&next| next != b'\n')
            {
                self.write_directive(next);
                self.bump();
            }
        }
    }

    /// Whether what follows is the name of a header between `<` and `>`, in which nothing is a comment.
    fn is_before_header(&self) -> bool {
        let before = self.begun.as_ref().map(|begun| begun.text.trim_ascii());
        before.is_some_and(|word| matches!(word, b"include" | b"include_next" | b"import" | b"embed"))
    }

    fn header(&mut self) {
        while let Some(byte) = self.peek().filter(|&byte| byte != b'\n') {
            self.take(byte);
            if byte == b'>' {
                return;
            }
        }
    }

    fn number(&mut self) {
        let mut last = 0;
        while let Some(byte) = self.peek() {
            let is_sign = matches!(byte, b'+' | b'-') && matches!(last, b'e' | b'E' | b'p' | b'P');
            let is_separator = byte == b'\'' && self.second().is_some_and(is_of_name);
            if !(is_of_name(byte) || byte == b'.' || is_sign || is_separator) {
                return;
            }
            self.take(byte);
            last = byte;
        }
    }

    fn name(&mut self) {
        let mut name = Vec::new();
        while let Some(byte) = self.peek().filter(|&byte| is_of_name(byte)) {
            name.push(byte);
            self.take(byte);
        }
        if !self.is_open
            && self.peek() == Some(b'"')
            && matches!(&name[..], b"R" | b"LR" | b"uR" | b"UR" | b"u8R")
        {
            self.raw_literal();
        }
    }

    /// A raw literal from its first quote on, if it is one. No lines are joined in it.
    fn raw_literal(&mut self) {
        const LONGEST_DELIMITER: usize = 16;
        let rest = self.text.get(self.at + 1..).unwrap_or_default();
        let length = rest.iter().take(LONGEST_DELIMITER + 1).position(|&byte| byte == b'(');
        let Some(delimiter) = length.map(|length| &rest[..length]) else { return };
        if delimiter.iter().any(|&byte| byte.is_ascii_whitespace() || matches!(byte, b')' | b'\\' | b'"')) {
            return;
        }
        let end: Vec<u8> = [b")", delimiter, b"\""].concat();
        let inside = &rest[delimiter.len() + 1..];
        let Some(length) = inside.windows(end.len()).position(|own| own == end) else {
            (self.is_ambiguous, self.is_open) = (true, true);
            return;
        };
        // GNU's C knows them, ISO's does not.
        let is_one_line = !inside[..length].iter().any(|byte| matches!(byte, b'\n' | b'"' | b'\\'));
        self.is_ambiguous |= self.language == Language::C && !is_one_line;
        self.write_plain(b'"');
        self.write_plain(b'"');
        self.write_directive(b'"');
        self.write_directive(b'"');
        for _ in 0..delimiter.len() + length + end.len() + 2 {
            self.bump();
        }
    }

    fn end_directive(&mut self, end: usize) {
        if let Some(begun) = self.begun.take() {
            self.directives.push(Directive::new((begun.line, end), begun.led_by, &lossy(&begun.text)));
        }
    }
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn directives(text: &str, language: Language) -> Vec<(usize, usize, String)> {
        let own = Phases::of(text.as_bytes(), language);
        assert_eq!(own.plain.len(), text.split_inclusive('\n').count().max(1));
        let one = |own: Directive| (own.lines.0, own.lines.1, format!("{} {}", own.word, own.rest));
        own.directives.into_iter().map(one).collect()
    }

    fn words(text: &str) -> Vec<String> {
        directives(text, Language::C).into_iter().map(|own| own.2).collect()
    }

    #[test]
    fn lines_are_joined_before_anything_else() {
        for (text, expected) in [
            ("#def\\\nine A 1\n", &["define A 1"][..]),
            ("// a \\\n#undef A\n#undef B\n", &["undef B"]),
            ("// a \\ \t\n#undef A\n", &[]),
            ("/\\\n/ #undef A\n", &[]),
            ("#define A \\\n#undef B\n", &["define A #undef B"]),
            ("x = \"\\\n#undef A \\\n\";\n#undef B\n", &["undef B"]),
            ("%:define A 1\n%\\\n: undef B\n", &["define A 1", "undef B"]),
        ] {
            assert_eq!(words(text), expected, "{text}");
        }
    }

    #[test]
    fn comments_are_blanks() {
        for (text, expected) in [
            ("#if 1 /*\n*/ == 2\n#endif\n", &[(0, 2, "if 1   == 2"), (2, 3, "endif ")][..]),
            ("/* a */ # /* b */ define/*c*/A/*d*/1\n", &[(0, 1, "define A 1")]),
            ("#define A 1 /*\n#undef A\n*/\n", &[(0, 3, "define A 1")]),
            ("#include <a//b>\n#include \"a//b\"\n", &[(0, 1, "include <a//b>"), (1, 2, "include \"a//b\"")]),
            ("x; # if\n", &[]),
        ] {
            let expected: Vec<_> = expected.iter().map(|own| (own.0, own.1, own.2.to_owned())).collect();
            assert_eq!(directives(text, Language::C), expected, "{text}");
        }
        let own = Phases::of(b"/*\n*/ #if A\n#endif\n", Language::C);
        assert_eq!(own.directives[0].led_by, 3);
    }

    #[test]
    fn literals_are_none() {
        let c = |text: &str| words(text);
        assert_eq!(c("s = \"/*\";\n#define A\nt = \"*/\";\n"), ["define A"]);
        assert_eq!(c("c = '\"'; /* \" */\n#define A\n"), ["define A"]);
        assert_eq!(c("#if 0\n it's don't \"\n#endif\n#define A\n"), ["if 0", "endif ", "define A"]);
        assert_eq!(c("n = 1'000'000; c = L'\"';\n#define A\n"), ["define A"]);
        let raw = "s = R\"-(\n#define A\n)\" \\\n)-\";\n#define B\n";
        assert_eq!(directives(raw, Language::Cpp), [(4, 5, "define B ".trim().to_owned())]);
        assert!(!Phases::of(raw.as_bytes(), Language::Cpp).is_ambiguous);
        assert!(Phases::of(raw.as_bytes(), Language::C).is_ambiguous);
        assert!(Phases::of(b"R\"(\n#define A\n", Language::Cpp).is_ambiguous);
        assert_eq!(Phases::of(b"f(\"a\", 'b') // c", Language::C).plain, ["f(\"\", '') "]);
    }

    #[test]
    fn nothing_is_too_short() {
        for text in
            ["", "#", "%:", "\\", "/*", "/", "\"", "'", "R\"", "R\"(", "#include <", "\\\n", "1'", "%"]
        {
            for language in [Language::C, Language::Cpp, Language::Fortran] {
                Phases::of(text.as_bytes(), language);
            }
        }
    }
}
