//! The words of a text, one after the other.

use super::error::{Error, Problem, Result};
use super::lexer::{Lexer, Token};

/// Most of a line that an error shows, in characters.
const SHOWN: usize = 160;

/// Attributes that were met and are kept.
#[derive(Debug, Clone, Copy, Default)]
pub struct Attributes {
    /// `noalias`.
    pub no_alias: bool,
    /// `byval`.
    pub by_value: bool,
}

/// A place in the text: the next word, and those after it.
#[derive(Debug, Clone, Copy)]
pub struct Cursor<'t> {
    lexer: Lexer<'t>,
    /// The next word.
    pub token: Token<'t>,
    /// Its line.
    pub line: u32,
    /// Where the word before it ended.
    end: usize,
    /// The line of the word before it.
    last_line: u32,
}

impl<'t> Cursor<'t> {
    /// At the first word.
    pub fn new(text: &'t str) -> Cursor<'t> {
        let mut lexer = Lexer::new(text);
        let token = lexer.token();
        Cursor { lexer, token, line: lexer.line, end: 0, last_line: 0 }
    }

    /// Takes the next word.
    pub fn next(&mut self) -> Token<'t> {
        let token = self.token;
        self.end = self.lexer.position();
        self.last_line = self.line;
        self.token = self.lexer.token();
        self.line = self.lexer.line;
        token
    }

    /// The word after the next one.
    pub fn following(&self) -> Token<'t> {
        let mut lexer = self.lexer;
        lexer.token()
    }

    /// Whether the next word stands on the line of the one before it.
    pub fn is_on_line(&self) -> bool {
        self.line == self.last_line && self.token != Token::End
    }

    /// The text of a line, without space around it.
    pub fn line_text(&self, line: u32) -> &'t str {
        self.lexer.line_text(line)
    }

    /// Skips a function from its opening brace on: its closing one stands alone at the start of a line. Gives whether there is one.
    pub fn skip_function(&mut self) -> bool {
        let is_found = self.lexer.skip_behind_closing_line();
        self.next();
        is_found
    }

    /// Where the word before the next one ends.
    pub fn end(&self) -> usize {
        self.end
    }

    /// The text between two places, without space around it.
    pub fn between(&self, from: usize, to: usize) -> &'t str {
        self.lexer.slice(from, to).trim()
    }

    /// Something is wrong on the line of the next word.
    pub fn error(&self, problem: Problem) -> Error {
        self.error_at(self.line, problem)
    }

    /// Something is wrong on a line.
    pub fn error_at(&self, line: u32, problem: Problem) -> Error {
        let text = self.lexer.line_text(line);
        let mut shown: String = text.chars().take(SHOWN).collect();
        if shown.len() < text.len() {
            shown.push('…');
        }
        Error { line, problem, text: shown }
    }

    /// Something else should stand here.
    pub fn unexpected(&self, expected: &'static str) -> Error {
        self.error(Problem::Expected { expected, found: self.token.to_string() })
    }

    /// Takes a sign if it is next.
    pub fn accept(&mut self, sign: char) -> bool {
        let is_next = self.token == Token::Sign(sign);
        if is_next {
            self.next();
        }
        is_next
    }

    /// Takes a sign.
    pub fn expect(&mut self, sign: char) -> Result<()> {
        if self.accept(sign) {
            return Ok(());
        }
        let expected = match sign {
            '(' => "`(`",
            ')' => "`)`",
            '[' => "`[`",
            ']' => "`]`",
            '{' => "`{`",
            '}' => "`}`",
            '<' => "`<`",
            '>' => "`>`",
            ',' => "`,`",
            '=' => "`=`",
            ':' => "`:`",
            _ => "a sign",
        };
        Err(self.unexpected(expected))
    }

    /// Takes a word if it is next.
    pub fn accept_word(&mut self, word: &str) -> bool {
        let is_next = self.token == Token::Word(word);
        if is_next {
            self.next();
        }
        is_next
    }

    /// Takes a word.
    pub fn expect_word(&mut self, word: &'static str) -> Result<()> {
        if self.accept_word(word) { Ok(()) } else { Err(self.unexpected(word)) }
    }

    /// Takes an integer without a sign.
    pub fn unsigned<T: std::str::FromStr>(&mut self) -> Result<T> {
        let Token::Integer(digits) = self.token else { return Err(self.unexpected("a number")) };
        let number = digits.parse().map_err(|_| self.error(Problem::Number(digits.to_owned())))?;
        self.next();
        Ok(number)
    }

    /// Skips from an opening sign to the one that closes it.
    pub fn skip_balanced(&mut self) -> Result<()> {
        let mut open = 0usize;
        loop {
            match self.token {
                Token::Sign('(' | '[' | '{') => open += 1,
                Token::Sign(')' | ']' | '}') => open = open.saturating_sub(1),
                Token::End | Token::Bad(_) => return Err(self.unexpected("a closing sign")),
                _ => {}
            }
            self.next();
            if open == 0 {
                return Ok(());
            }
        }
    }

    /// Skips the words of attributes up to one that starts something else.
    ///
    /// An attribute is a word, perhaps with something in parentheses or a number, a text, or the number of a group.
    pub fn attributes(&mut self, starts_else: impl Fn(&str) -> bool) -> Result<Attributes> {
        let mut met = Attributes::default();
        loop {
            match self.token {
                Token::Word(word) if !starts_else(word) => {
                    met.no_alias |= word == "noalias";
                    met.by_value |= word == "byval";
                    self.next();
                    if self.token == Token::Sign('(') {
                        self.skip_balanced()?;
                    } else if matches!(word, "align" | "cc") && matches!(self.token, Token::Integer(_)) {
                        self.next();
                    }
                }
                Token::Text(_) => {
                    self.next();
                    if self.accept('=') {
                        self.next();
                    }
                }
                _ => return Ok(met),
            }
        }
    }
}
