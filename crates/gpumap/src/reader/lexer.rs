//! The words of a module's text.

/// A word of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Token<'t> {
    /// A keyword, type or other name without a sign.
    Word(&'t str),
    /// A decimal integer, perhaps with a sign.
    Integer(&'t str),
    /// Any other number.
    Float(&'t str),
    /// What stands between quotes, escapes as they are.
    Text(&'t str),
    /// The same after `c`: an array of characters.
    Characters(&'t str),
    /// `%name`.
    Local(&'t str),
    /// `@name`.
    Global(&'t str),
    /// `!name` or `!7`.
    Metadata(&'t str),
    /// `!` before a list or text.
    Exclamation,
    /// `#7` or `#dbg_value`.
    Hash(&'t str),
    /// `$name`.
    Comdat(&'t str),
    /// A sign.
    Sign(char),
    /// `...`.
    Ellipsis,
    /// What cannot be a word: the character it starts with, or an open quote.
    Bad(char),
    /// The end of the text.
    End,
}

impl std::fmt::Display for Token<'_> {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Token::Word(text) | Token::Integer(text) | Token::Float(text) => write!(to, "`{text}`"),
            Token::Text(text) => write!(to, "\"{text}\""),
            Token::Characters(text) => write!(to, "c\"{text}\""),
            Token::Local(name) => write!(to, "`%{name}`"),
            Token::Global(name) => write!(to, "`@{name}`"),
            Token::Metadata(name) => write!(to, "`!{name}`"),
            Token::Exclamation => write!(to, "`!`"),
            Token::Hash(name) => write!(to, "`#{name}`"),
            Token::Comdat(name) => write!(to, "`${name}`"),
            Token::Sign(sign) | Token::Bad(sign) => write!(to, "`{sign}`"),
            Token::Ellipsis => write!(to, "`...`"),
            Token::End => write!(to, "the end"),
        }
    }
}

/// Where in the text the next word starts.
#[derive(Debug, Clone, Copy)]
pub struct Lexer<'t> {
    text: &'t str,
    at: usize,
    /// Its line, from 1.
    pub line: u32,
}

/// Whether a name without quotes may have this in it.
fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'$' | b'.' | b'_')
}

impl<'t> Lexer<'t> {
    /// At the start of a text.
    pub fn new(text: &'t str) -> Lexer<'t> {
        Lexer { text, at: 0, line: 1 }
    }

    /// The line of the text with this number, without space around it.
    pub fn line_text(&self, line: u32) -> &'t str {
        self.text.lines().nth(line.saturating_sub(1) as usize).unwrap_or("").trim()
    }

    /// Goes behind the next `}` that stands at the start of a line; to the end of the text if there is none. Gives whether there is.
    pub fn skip_behind_closing_line(&mut self) -> bool {
        let rest = self.text.get(self.at..).unwrap_or("");
        let (skipped, is_found) = match rest.find("\n}") {
            Some(place) => (place + 2, true),
            None => (rest.len(), false),
        };
        let lines = rest.as_bytes()[..skipped].iter().filter(|&&byte| byte == b'\n').count();
        self.line = self.line.saturating_add(u32::try_from(lines).unwrap_or(u32::MAX));
        self.at += skipped;
        is_found
    }

    /// The text from one byte to another; empty if there is none.
    pub fn slice(&self, from: usize, to: usize) -> &'t str {
        self.text.get(from..to).unwrap_or("")
    }

    /// The byte at which the next word is looked for.
    pub fn position(&self) -> usize {
        self.at
    }

    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while let Some(byte) = self.byte() {
            match byte {
                b'\n' => self.line = self.line.saturating_add(1),
                b' ' | b'\t' | b'\r' => {}
                b';' => {
                    let rest = &self.text.as_bytes()[self.at..];
                    self.at += rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
                    continue;
                }
                _ => return,
            }
            self.at += 1;
        }
    }

    /// Takes bytes as long as they fulfil something.
    fn take(&mut self, belongs: impl Fn(u8) -> bool) -> &'t str {
        let rest = &self.text.as_bytes()[self.at..];
        let length = rest.iter().position(|&byte| !belongs(byte)).unwrap_or(rest.len());
        let start = self.at;
        self.at += length;
        // All that belongs is ASCII or stands between quotes, which are.
        self.slice(start, self.at)
    }

    /// What stands between quotes; `None` where the second one is missing.
    fn quoted(&mut self) -> Option<&'t str> {
        self.at += 1;
        let inner = self.take(|byte| byte != b'"');
        self.byte()?;
        self.at += 1;
        self.line = self.line.saturating_add(u32::try_from(inner.matches('\n').count()).unwrap_or(0));
        Some(inner)
    }

    /// A name after a sign, with quotes or without.
    fn name(&mut self) -> Option<&'t str> {
        if self.byte() == Some(b'"') { self.quoted() } else { Some(self.take(is_of_name)) }
    }

    fn number(&mut self) -> Token<'t> {
        let start = self.at;
        self.at += usize::from(matches!(self.byte(), Some(b'-' | b'+')));
        let digits = self.take(|byte| byte.is_ascii_digit());
        match self.byte() {
            Some(b'x') if digits == "0" => {
                self.take(|byte| byte.is_ascii_alphanumeric());
                Token::Float(self.slice(start, self.at))
            }
            Some(b'.') => {
                self.at += 1;
                self.take(|byte| byte.is_ascii_digit());
                if matches!(self.byte(), Some(b'e' | b'E')) {
                    self.at += 1;
                    self.at += usize::from(matches!(self.byte(), Some(b'-' | b'+')));
                    self.take(|byte| byte.is_ascii_digit());
                }
                Token::Float(self.slice(start, self.at))
            }
            _ => Token::Integer(self.slice(start, self.at)),
        }
    }

    /// The next word.
    pub fn token(&mut self) -> Token<'t> {
        self.skip_space();
        let Some(byte) = self.byte() else { return Token::End };
        let after = self.text.as_bytes().get(self.at + 1).copied().unwrap_or(b' ');
        let signed = |lexer: &mut Lexer<'t>, token: fn(&'t str) -> Token<'t>| {
            lexer.at += 1;
            lexer.name().filter(|name| !name.is_empty()).map_or(Token::Bad(char::from(byte)), token)
        };
        match byte {
            b'%' => signed(self, Token::Local),
            b'@' => signed(self, Token::Global),
            b'#' => signed(self, Token::Hash),
            b'$' => signed(self, Token::Comdat),
            b'!' => {
                self.at += 1;
                let name = self.take(|byte| is_of_name(byte) || byte == b'\\');
                if name.is_empty() { Token::Exclamation } else { Token::Metadata(name) }
            }
            b'"' => self.quoted().map_or(Token::Bad('"'), Token::Text),
            b'c' if after == b'"' => {
                self.at += 1;
                self.quoted().map_or(Token::Bad('"'), Token::Characters)
            }
            b'0'..=b'9' => self.number(),
            b'-' | b'+' if after.is_ascii_digit() => self.number(),
            b'.' if self.text[self.at..].starts_with("...") => {
                self.at += 3;
                Token::Ellipsis
            }
            _ if is_of_name(byte) => Token::Word(self.take(is_of_name)),
            b'(' | b')' | b'[' | b']' | b'{' | b'}' | b'<' | b'>' | b',' | b'=' | b'*' | b':' | b'|' => {
                self.at += 1;
                Token::Sign(char::from(byte))
            }
            _ => {
                let bad = self.text[self.at..].chars().next().unwrap_or('?');
                self.at += bad.len_utf8();
                Token::Bad(bad)
            }
        }
    }
}

/// A text with its escapes (`\5C`) replaced by what they stand for.
pub fn unescaped(text: &str) -> Box<str> {
    if !text.contains('\\') {
        return text.into();
    }
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    let digit = |at: usize| bytes.get(at).and_then(|&byte| char::from(byte).to_digit(16));
    while at < bytes.len() {
        match (bytes[at], digit(at + 1), digit(at + 2)) {
            (b'\\', Some(high), Some(low)) => {
                // Two hexadecimal digits are a byte.
                out.push((high * 16 + low) as u8);
                at += 3;
            }
            (byte, ..) => {
                out.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<Token<'_>> {
        let mut lexer = Lexer::new(text);
        std::iter::from_fn(|| Some(lexer.token()).filter(|token| *token != Token::End)).collect()
    }

    #[test]
    fn every_kind_of_word() {
        let text =
            "%i.0 = phi i32 [ -1, %\"a b\" ] ; comment\n@g #1 !dbg !12 !{ c\"x\\00\" 1.5e-3 0xK4 ... $c";
        let expected = [
            Token::Local("i.0"),
            Token::Sign('='),
            Token::Word("phi"),
            Token::Word("i32"),
            Token::Sign('['),
            Token::Integer("-1"),
            Token::Sign(','),
            Token::Local("a b"),
            Token::Sign(']'),
            Token::Global("g"),
            Token::Hash("1"),
            Token::Metadata("dbg"),
            Token::Metadata("12"),
            Token::Exclamation,
            Token::Sign('{'),
            Token::Characters("x\\00"),
            Token::Float("1.5e-3"),
            Token::Float("0xK4"),
            Token::Ellipsis,
            Token::Comdat("c"),
        ];
        assert_eq!(tokens(text), expected);
    }

    #[test]
    fn what_is_no_word_is_said() {
        assert_eq!(tokens("% \"open"), [Token::Bad('%'), Token::Bad('"')]);
        assert_eq!(tokens("é"), [Token::Bad('é')]);
    }

    #[test]
    fn escapes() {
        assert_eq!(&*unescaped("a\\5Cb\\22\\zz"), "a\\b\"\\zz");
    }
}
