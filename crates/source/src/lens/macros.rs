//! Macros of C and C++ in the place of which their texts are read: what they assign, and which elements they name, is part of the
//! loops that they stand in.
//!
//! Definition: a macro is *shown* if its text is known and whole: one definition, in the file or in its headers (of two, that which the
//! other one only adds checks to that change nothing), with balanced parentheses, without loops and jumps (`do … while (0)` around it apart), and with something in it that a loop's facts need: every
//! macro that takes arguments, of others those that assign, or name elements or members. All others stay names in the text.
//!
//! Lines stay: what a macro stands for is on the line where it is used. Columns inside of it are spread over those of its use, so that
//! their order is that of the text ([`Shown::place`]).
//!
//! Limits: a text grows to at most [`MOST_GROWTH`] times its length; beyond, no macro is shown. Definitions count for the whole text,
//! wherever they stand.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use profile::lens::{Language, Position};

use super::environment::Macro;
use super::phases::Phases;
use super::text::{without_comments, words};
use super::trace::known;

/// Growth of a text beyond which nothing is shown; small texts may grow by [`ALLOWANCE`] in any case.
const MOST_GROWTH: usize = 4;
const ALLOWANCE: usize = 100_000;

/// Macros in macros are followed up to this depth.
const DEEPEST: usize = 16;

/// Longest use of a macro that is looked at, in bytes.
const LONGEST_USE: usize = 20_000;

/// What a macro stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Definition {
    /// What it calls its arguments, if it takes any.
    parameters: Option<Vec<String>>,
    body: String,
    /// The body was a `do … while (0)`.
    is_statement: bool,
}

/// The macros that some texts define and that are shown.
#[derive(Debug, Default)]
pub(super) struct Macros {
    all: HashMap<String, Option<Definition>>,
}

/// A text in which macros are shown.
pub(super) struct Shown<'a> {
    pub text: Cow<'a, [u8]>,
    /// Per line, from 1, the uses on it, in the order of the text.
    uses: Uses,
}

/// Columns of a use, from 0, in the text where it is shown and in the original one, and their numbers.
#[derive(Debug, Clone, Copy)]
struct Use {
    shown: (u32, u32),
    written: (u32, u32),
}

/// Per line, from 1, the uses on it, in the order of the text.
type Uses = HashMap<u32, Vec<Use>>;

impl Macros {
    /// The macros of texts in C or C++.
    pub(super) fn of<'t>(texts: impl IntoIterator<Item = &'t [u8]>, language: Language) -> Macros {
        let mut out = Macros::default();
        if matches!(language, Language::C | Language::Cpp) {
            texts.into_iter().for_each(|text| out.define(text, language));
        }
        out
    }

    fn define(&mut self, text: &[u8], language: Language) {
        for (name, definition) in of_directives(text, language, definition) {
            let definition = match self.all.get(&name) {
                Some(known) if *known != definition => {
                    known.as_ref().zip(definition.as_ref()).and_then(|(known, own)| known.without_checks(own))
                }
                _ => definition,
            };
            self.all.insert(name, definition);
        }
    }

    /// The text with the macros shown in it.
    pub(super) fn show<'a>(&self, text: Cow<'a, [u8]>) -> Shown<'a> {
        let shown = if self.all.values().any(Option::is_some) { self.written_out(&text) } else { None };
        match shown {
            Some((text, uses)) => Shown { text: Cow::Owned(text), uses },
            None => Shown { text, uses: HashMap::new() },
        }
    }

    fn written_out(&self, text: &[u8]) -> Option<(Vec<u8>, Uses)> {
        let most = text.len().saturating_mul(MOST_GROWTH).max(text.len() + ALLOWANCE);
        let mut out: Vec<u8> = Vec::with_capacity(text.len());
        let mut uses: Uses = HashMap::new();
        // Of the line: its number, and where it begins in both texts.
        let (mut line, mut shown_from, mut written_from) = (1u32, 0, 0);
        let (mut at, mut begins) = (0, true);
        while at < text.len() {
            let token = Token::at(text, at);
            let end = at + token.length;
            let is_directive = begins && token.kind == Kind::Sign && text[at] == b'#';
            if is_directive {
                let end = end_of_directive(text, at);
                out.extend_from_slice(&text[at..end]);
                line += newlines(&text[at..end]);
                if let Some(back) = text[at..end].iter().rposition(|&byte| byte == b'\n') {
                    written_from = at + back + 1;
                    shown_from = out.len() - (end - written_from);
                }
                at = end;
                continue;
            }
            if token.kind == Kind::Blank {
                begins |= text[at..end].contains(&b'\n');
            } else {
                begins = false;
            }
            let found = (token.kind == Kind::Name).then(|| self.use_at(text, at)).flatten();
            let Some(found) = found else {
                out.extend_from_slice(&text[at..end]);
                if let Some(back) = text[at..end].iter().rposition(|&byte| byte == b'\n') {
                    line += newlines(&text[at..end]);
                    written_from = at + back + 1;
                    shown_from = out.len() - (end - written_from);
                }
                at = end;
                continue;
            };
            let start = out.len();
            out.extend_from_slice(&self.body_of(&found, &mut Vec::new(), most)?);
            let end_of_line = text[at..found.end].iter().position(|&byte| byte == b'\n');
            uses.entry(line).or_default().push(Use {
                shown: (number(start - shown_from), number(out.len() - start)),
                written: (number(at - written_from), number(end_of_line.unwrap_or(found.end - at))),
            });
            let count = newlines(&text[at..found.end]);
            if count > 0 {
                line += count;
                out.extend(std::iter::repeat_n(b'\n', count as usize));
                written_from = at + text[at..found.end].iter().rposition(|&byte| byte == b'\n')? + 1;
                shown_from = out.len();
                out.extend(std::iter::repeat_n(b' ', found.end - written_from));
            }
            if out.len() > most {
                return None;
            }
            at = found.end;
        }
        (!uses.is_empty()).then_some((out, uses))
    }

    /// The use of a macro that begins at a name.
    fn use_at<'m, 't>(&'m self, text: &'t [u8], at: usize) -> Option<Found<'m, 't>> {
        let mut end = at + Token::at(text, at).length;
        let name = std::str::from_utf8(&text[at..end]).ok()?;
        let (name, definition) = self.all.get_key_value(name)?;
        let definition = definition.as_ref()?;
        let mut arguments: Vec<&'t [u8]> = Vec::new();
        if let Some(parameters) = &definition.parameters {
            (arguments, end) = arguments_at(text, end)?;
            if parameters.is_empty() && arguments.iter().all(|own| own.trim_ascii().is_empty()) {
                arguments.clear();
            }
            if arguments.len() != parameters.len() {
                return None;
            }
        }
        if definition.is_statement {
            // A block needs no semicolon, and has none before an `else`.
            let rest = &text[end..];
            let blanks = rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            end += if rest.get(blanks) == Some(&b';') { blanks + 1 } else { 0 };
        }
        Some(Found { name, definition, arguments, end })
    }

    /// What stands in the place of a use; `hidden`: macros inside of which it stands. `None` if that is too long.
    fn body_of(&self, found: &Found<'_, '_>, hidden: &mut Vec<String>, most: usize) -> Option<Vec<u8>> {
        let body = found.definition.body.as_bytes();
        let none = Vec::new();
        let parameters = found.definition.parameters.as_ref().unwrap_or(&none);
        let mut arguments = Vec::new();
        for argument in &found.arguments {
            let shown = self.inside(argument.trim_ascii(), hidden, most)?;
            // On one line, and nothing that ends one.
            let text = without_comments(&String::from_utf8_lossy(&shown).replace(['\n', '\r'], " "));
            arguments.push(text.trim().to_owned());
        }
        let mut out: Vec<u8> = Vec::new();
        let mut at = 0;
        while at < body.len() {
            let token = Token::at(body, at);
            let own = &body[at..at + token.length];
            let place = (token.kind == Kind::Name)
                .then(|| parameters.iter().position(|name| name.as_bytes() == own))
                .flatten();
            at += token.length;
            let Some(argument) = place.and_then(|place| arguments.get(place)) else {
                let is_pasting = own == b"#" && body.get(at) == Some(&b'#');
                if is_pasting {
                    out.truncate(out.trim_ascii_end().len());
                    at += 1;
                    at += body[at..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
                } else if own != b"#" {
                    out.extend_from_slice(own);
                }
                continue;
            };
            let is_text = out_of_sign(body, at - own.len());
            if is_text {
                out.extend_from_slice(b"\"\"");
                continue;
            }
            let is_in_parentheses = out.ends_with(b"(")
                && body[at..].trim_ascii_start().first() == Some(&b')')
                && !out[..out.len() - 1]
                    .trim_ascii_end()
                    .last()
                    .is_some_and(|&byte| is_of_name(byte) || byte == b')' || byte == b']');
            let close = at + (body.len() - at - body[at..].trim_ascii_start().len()) + 1;
            let follows = body.get(close..).unwrap_or_default().trim_ascii_start();
            let pointed = argument.strip_prefix('&').map(str::trim).filter(|of| is_postfix(of.as_bytes()));
            if is_in_parentheses && is_postfix(argument.as_bytes()) {
                out.pop();
                out.extend_from_slice(argument.as_bytes());
                at = close;
            } else if let Some(of) = pointed.filter(|_| is_in_parentheses && follows.starts_with(b"->")) {
                out.pop();
                out.extend_from_slice(of.as_bytes());
                out.push(b'.');
                at = body.len() - follows.len() + 2;
            } else {
                out.extend_from_slice(argument.as_bytes());
            }
            if out.len() > most {
                return None;
            }
        }
        hidden.push(found.name.to_owned());
        let out = if hidden.len() > DEEPEST { Some(out) } else { self.inside(&out, hidden, most) };
        hidden.pop();
        out.map(|out| {
            let inner = out.trim_ascii().strip_prefix(b"(").and_then(|rest| rest.strip_suffix(b")"));
            let inner = inner.filter(|inner| is_postfix(inner.trim_ascii()));
            inner.map_or_else(|| out.clone(), |inner| inner.trim_ascii().to_vec())
        })
    }

    /// A part of a use, with the macros in it shown.
    fn inside(&self, text: &[u8], hidden: &mut Vec<String>, most: usize) -> Option<Vec<u8>> {
        let mut out: Vec<u8> = Vec::with_capacity(text.len());
        let mut at = 0;
        while at < text.len() {
            let token = Token::at(text, at);
            let found = (token.kind == Kind::Name).then(|| self.use_at(text, at)).flatten();
            match found.filter(|found| !hidden.iter().any(|name| name == found.name)) {
                Some(found) => {
                    let own = self.body_of(&found, hidden, most)?;
                    out.extend_from_slice(&own);
                    at = found.end;
                }
                None => {
                    out.extend_from_slice(&text[at..at + token.length]);
                    at += token.length;
                }
            }
            if out.len() > most {
                return None;
            }
        }
        Some(out)
    }
}

impl Shown<'_> {
    /// Where in the original text something stands.
    pub(super) fn place(&self, of: Position) -> Position {
        let Some(uses) = self.uses.get(&of.line) else { return of };
        let column = of.column.saturating_sub(1);
        let Some(last) = uses.iter().rev().find(|own| own.shown.0 <= column) else { return of };
        let offset = column - last.shown.0;
        let written = if offset < last.shown.1 {
            let scaled = u64::from(offset) * u64::from(last.written.1) / u64::from(last.shown.1.max(1));
            last.written.0 + u32::try_from(scaled).unwrap_or(last.written.1)
        } else {
            last.written.0 + last.written.1 + (offset - last.shown.1)
        };
        Position { line: of.line, column: written + 1 }
    }

    /// Whether places differ from those of the original text.
    pub(super) fn is_changed(&self) -> bool {
        !self.uses.is_empty()
    }
}

/// The use of a macro.
struct Found<'m, 't> {
    name: &'m str,
    definition: &'m Definition,
    arguments: Vec<&'t [u8]>,
    end: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Name,
    Blank,
    /// A number, a literal.
    Other,
    Sign,
}

#[derive(Debug, Clone, Copy)]
struct Token {
    kind: Kind,
    length: usize,
}

impl Token {
    /// The token at a place of a text that has not ended there. Comments are blanks.
    fn at(text: &[u8], at: usize) -> Token {
        let rest = &text[at..];
        let count = |is: &dyn Fn(u8) -> bool| rest.iter().take_while(|&&byte| is(byte)).count();
        match rest[0] {
            byte if byte.is_ascii_digit() => {
                Token { kind: Kind::Other, length: count(&|byte| is_of_name(byte) || byte == b'.') }
            }
            byte if is_of_name(byte) => Token { kind: Kind::Name, length: count(&is_of_name) },
            byte if byte.is_ascii_whitespace() => {
                Token { kind: Kind::Blank, length: count(&|byte| byte.is_ascii_whitespace()) }
            }
            b'/' if rest.starts_with(b"//") => {
                Token { kind: Kind::Blank, length: count(&|byte| byte != b'\n') }
            }
            b'/' if rest.starts_with(b"/*") => {
                let end = rest[2..].windows(2).position(|pair| pair == b"*/");
                Token { kind: Kind::Blank, length: end.map_or(rest.len(), |end| end + 4) }
            }
            quote @ (b'"' | b'\'') => {
                let mut end = 1;
                while let Some(&byte) = rest.get(end) {
                    match byte {
                        b'\\' => end += 2,
                        b'\n' => break,
                        _ if byte == quote => {
                            end += 1;
                            break;
                        }
                        _ => end += 1,
                    }
                }
                Token { kind: Kind::Other, length: end.min(rest.len()) }
            }
            _ => Token { kind: Kind::Sign, length: 1 },
        }
    }
}

pub(super) fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// Whether a `#` that makes a text of an argument stands before a place.
fn out_of_sign(body: &[u8], at: usize) -> bool {
    let before = body[..at].trim_ascii_end();
    before.ends_with(b"#") && !before.ends_with(b"##")
}

fn newlines(text: &[u8]) -> u32 {
    number(text.iter().filter(|&&byte| byte == b'\n').count())
}

fn number(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

/// The end of a directive, its line's end excluded.
fn end_of_directive(text: &[u8], from: usize) -> usize {
    let mut at = from;
    while let Some(next) = text[at..].iter().position(|&byte| byte == b'\n') {
        let own = text[at..at + next].trim_ascii_end();
        at += next;
        if !own.ends_with(b"\\") {
            return at;
        }
        at += 1;
    }
    text.len()
}

/// The arguments in the parentheses that follow a place, and where those end.
fn arguments_at(text: &[u8], from: usize) -> Option<(Vec<&[u8]>, usize)> {
    let mut at = from;
    while text.get(at).is_some_and(u8::is_ascii_whitespace) {
        at += 1;
    }
    if text.get(at) != Some(&b'(') {
        return None;
    }
    at += 1;
    let (mut out, mut start, mut depth) = (Vec::new(), at, 0usize);
    while at < text.len() && at - from < LONGEST_USE {
        let token = Token::at(text, at);
        if token.kind == Kind::Sign {
            match text[at] {
                b'(' => depth += 1,
                b')' if depth == 0 => {
                    out.push(&text[start..at]);
                    return Some((out, at + 1));
                }
                b')' => depth -= 1,
                b',' if depth == 0 => {
                    out.push(&text[start..at]);
                    start = at + 1;
                }
                // A directive among the arguments.
                b'#' => return None,
                _ => {}
            }
        }
        at += token.length;
    }
    None
}

/// Whether a text is a name with subscripts, members and arguments behind it, or a number.
fn is_postfix(text: &[u8]) -> bool {
    let (mut at, mut depth, mut is_word) = (0, 0usize, false);
    while at < text.len() {
        let token = Token::at(text, at);
        match (token.kind, text[at]) {
            (Kind::Sign, b'(' | b'[') if at > 0 => depth += 1,
            (Kind::Sign, b')' | b']') => match depth.checked_sub(1) {
                Some(less) => depth = less,
                None => return false,
            },
            (Kind::Name | Kind::Other, _) if depth == 0 => {
                if std::mem::replace(&mut is_word, true) {
                    return false;
                }
            }
            (Kind::Sign, b'.') if depth == 0 => is_word = false,
            (Kind::Sign, b'-') if depth == 0 && text.get(at + 1) == Some(&b'>') => {
                is_word = false;
                at += 1;
            }
            _ if depth > 0 => {}
            _ => return false,
        }
        at += token.length;
    }
    depth == 0 && !text.is_empty()
}

/// What the definitions of a text are read as.
fn of_directives(
    text: &[u8],
    language: Language,
    read: impl Fn(&[u8]) -> Option<(String, Option<Definition>)>,
) -> Vec<(String, Option<Definition>)> {
    let directives = Phases::of(text, language).directives;
    let all = directives.iter().filter(|own| own.word == "define");
    all.filter_map(|own| read(format!("define {}", own.rest).as_bytes())).collect()
}

/// What all definitions of a text say of its macros, whatever conditions they stand under.
pub(super) fn of_all_branches(text: &[u8]) -> Vec<(String, Macro)> {
    let mut out = Vec::new();
    let mut lines = 0..0;
    while lines.end < text.len() {
        let start = lines.end;
        let end = end_of_directive(text, start).max(start + 1);
        lines = start..end;
        let line = text[lines.clone()].trim_ascii_start();
        if let Some((name, own)) = line.strip_prefix(b"#").and_then(written) {
            let (parameters, body) =
                own.map_or((Some(Vec::new()), "x = x".to_owned()), |own| (own.parameters, own.body));
            out.push((name, Macro::new(parameters, &body)));
        }
    }
    out
}

/// The macros of texts of which it is not known what they stand for where they are used: several definitions that differ, or one that may
/// not have been compiled (`doubtful`). Those that only name values or types, and those that only read what they are handed, are none of
/// them: they stay names in the text, and whatever they stand for changes nothing that is told here.
pub(super) fn unsettled<'t>(
    texts: impl IntoIterator<Item = &'t [u8]>,
    language: Language,
    doubtful: &BTreeSet<&str>,
) -> BTreeSet<String> {
    let mut all: BTreeMap<String, Vec<Option<Definition>>> = BTreeMap::new();
    for text in texts {
        for (name, own) in of_directives(text, language, written) {
            let known = all.entry(name).or_default();
            if !known.contains(&own) {
                known.push(own);
            }
        }
    }
    let is_open = |(name, own): &(&String, &Vec<Option<Definition>>)| {
        let is_settled = match &own[..] {
            [_] => !doubtful.contains(name.as_str()),
            [Some(one), Some(other)] => one.without_checks(other).is_some(),
            _ => false,
        };
        let is_qualifier = |own: &Definition| own.parameters.is_none() && is_qualifier(&own.body);
        let are_qualifiers = own.iter().flatten().any(is_qualifier)
            && own.iter().all(|own| {
                own.as_ref()
                    .is_some_and(|own| is_qualifier(own) || own.parameters.is_none() && own.body.is_empty())
            });
        !is_settled
            && !are_qualifiers
            && !own.iter().all(|own| own.as_ref().is_some_and(Definition::is_harmless))
    };
    let mut out: BTreeSet<String> = all.iter().filter(is_open).map(|(name, _)| name.clone()).collect();
    for _ in 0..DEEPEST {
        let names_open = |own: &&Definition| words(&own.body).any(|word| out.contains(word));
        let more = all
            .iter()
            .filter(|(name, own)| !out.contains(*name) && own.iter().flatten().any(|own| names_open(&own)));
        let more: Vec<String> = more.map(|(name, _)| name.clone()).collect();
        if more.is_empty() {
            break;
        }
        out.extend(more);
    }
    out
}

/// Whether what a macro stands for says something of functions or pointers that changes nothing that is told here.
fn is_qualifier(body: &str) -> bool {
    const WORDS: [&str; 10] = [
        "inline",
        "__inline",
        "__inline__",
        "restrict",
        "__restrict",
        "__restrict__",
        "const",
        "__forceinline",
        "__attribute__",
        "__attribute",
    ];
    let text = body.as_bytes();
    let (mut at, mut depth, mut is_any) = (0, 0usize, false);
    while at < text.len() {
        let token = Token::at(text, at);
        let own = &body[at..at + token.length];
        match (token.kind, own) {
            (Kind::Sign, "(") => depth += 1,
            (Kind::Sign, ")") => depth = depth.saturating_sub(1),
            (Kind::Name, _) if depth == 0 && WORDS.contains(&own) => is_any = true,
            (Kind::Blank, _) => {}
            _ if depth > 0 => {}
            _ => return false,
        }
        at += token.length;
    }
    is_any
}

/// The tokens of a text, blanks and comments apart; signs of one character each.
fn tokens_of(text: &str) -> Vec<&str> {
    let (mut at, mut out) = (0, Vec::new());
    while at < text.len() {
        let token = Token::at(text.as_bytes(), at);
        // What is no letter of ASCII is part of a name.
        let own = text.get(at..at + token.length).unwrap_or_default();
        if token.kind != Kind::Blank {
            out.push(own);
        }
        at += token.length;
    }
    out
}

/// Tokens without parentheses around all of them.
fn in_parentheses<'a, 't>(mut tokens: &'a [&'t str]) -> &'a [&'t str] {
    while let ["(", inside @ .., ")"] = tokens {
        let mut depth = 0usize;
        let is_one = inside.iter().all(|token| match *token {
            "(" => {
                depth += 1;
                true
            }
            ")" => {
                let is_inside = depth > 0;
                depth = depth.saturating_sub(1);
                is_inside
            }
            _ => true,
        });
        if !is_one {
            break;
        }
        tokens = inside;
    }
    tokens
}

fn is_name(token: &str) -> bool {
    token.bytes().next().is_some_and(|first| is_of_name(first) && !first.is_ascii_digit())
}

/// Words that begin statements, or parts of them: what they stand before depends on them.
const STATEMENTS: [&str; 18] = [
    "if",
    "else",
    "for",
    "while",
    "do",
    "switch",
    "case",
    "default",
    "return",
    "goto",
    "break",
    "continue",
    "throw",
    "try",
    "catch",
    "co_await",
    "co_yield",
    "co_return",
];

/// Whether some tokens call something.
fn calls(tokens: &[&str]) -> bool {
    tokens.windows(2).any(|pair| is_name(pair[0]) && pair[1] == "(" && !STATEMENTS.contains(&pair[0]))
}

/// Whether a token reads nothing that a loop may assign: no name, one that the macro is handed, a member, a constant, a type, or what is called.
fn reads_only(tokens: &[&str], at: usize, is_handed: &dyn Fn(&str) -> bool) -> bool {
    let name = tokens[at];
    let before = |back: usize| at.checked_sub(back).map(|at| tokens[at]);
    let is_member = before(1) == Some(".") || before(1) == Some(">") && before(2) == Some("-");
    let is_called = tokens.get(at + 1) == Some(&"(") && !STATEMENTS.contains(&name);
    !is_name(name) || is_handed(name) || is_member || is_called || is_constant(name) || is_type(name)
}

/// Whether a name is that of a constant, as it is written.
fn is_constant(name: &str) -> bool {
    !name.bytes().any(|byte| byte.is_ascii_lowercase()) || matches!(name, "stderr" | "stdout")
}

fn is_type(name: &str) -> bool {
    const TYPES: [&str; 13] = [
        "float", "double", "int", "long", "short", "unsigned", "signed", "char", "bool", "size_t", "void",
        "const", "sizeof",
    ];
    TYPES.contains(&name) || name.ends_with("_t")
}

fn definition(directive: &[u8]) -> Option<(String, Option<Definition>)> {
    let (name, own) = written(directive)?;
    let own = own.filter(|own| own.is_whole() && own.is_needed(&name));
    Some((name, own))
}

/// The name and the text of a definition; no text if what it takes is not understood.
fn written(directive: &[u8]) -> Option<(String, Option<Definition>)> {
    let rest = directive.trim_ascii_start().strip_prefix(b"define")?;
    let rest = rest.first().filter(|byte| byte.is_ascii_whitespace()).map(|_| rest.trim_ascii_start())?;
    let length = rest.iter().take_while(|&&byte| is_of_name(byte)).count();
    let name = String::from_utf8_lossy(&rest[..length]).into_owned();
    let (mut parameters, mut end) = (None, length);
    if rest.get(length) == Some(&b'(') {
        let Some((list, close)) = arguments_at(rest, length) else { return Some((name, None)) };
        let list = list.into_iter().map(|own| String::from_utf8_lossy(own.trim_ascii()).into_owned());
        let list: Vec<String> = list.filter(|own| !own.is_empty()).collect();
        if list.iter().any(|own| !own.bytes().all(is_of_name)) {
            return Some((name, None));
        }
        (parameters, end) = (Some(list), close);
    }
    let body = String::from_utf8_lossy(&rest[end..]).replace("\\\r\n", " ").replace("\\\n", " ");
    let body = without_comments(&body);
    let (body, is_statement) = match block_of(body.trim()) {
        Some(block) => (block, true),
        None => (body.trim(), false),
    };
    let own = Definition { parameters, body: body.to_owned(), is_statement };
    Some((name, Some(own)))
}

/// What stands between `do` and `while (0)`, braces included.
fn block_of(body: &str) -> Option<&str> {
    let rest = body.strip_prefix("do").filter(|rest| rest.starts_with([' ', '{', '\t']))?;
    let rest = rest.trim_end().trim_end_matches(';').trim_end().strip_suffix(')')?.trim_end();
    let rest = rest.strip_suffix('0').or_else(|| rest.strip_suffix("false"))?.trim_end();
    let rest = rest.strip_suffix('(')?.trim_end().strip_suffix("while")?.trim();
    (rest.starts_with('{') && rest.ends_with('}')).then_some(rest)
}

impl Definition {
    /// Of two definitions, one for a build that checks what it is handed, the one without. What the other adds assigns nothing, reads nothing but
    /// what the macro is handed and constants, and does not decide whether something is assigned:
    /// - `(check, own)`;
    /// - `check ? own : failed` or the other way round, where `failed` calls something, and `own` is an element or a member and assigns nothing.
    fn without_checks(&self, other: &Definition) -> Option<Definition> {
        let (own, longer) = if self.body.len() <= other.body.len() { (self, other) } else { (other, self) };
        if own.parameters != longer.parameters || own.is_statement || longer.is_statement {
            return None;
        }
        let (text, around) = (tokens_of(&own.body), tokens_of(&longer.body));
        let (text, around) = (in_parentheses(&text), in_parentheses(&around));
        let outer = |sign: &str| -> Vec<usize> {
            let mut depth = 0usize;
            let mut at = Vec::new();
            for (index, token) in around.iter().enumerate() {
                match *token {
                    "(" | "[" | "{" => depth += 1,
                    ")" | "]" | "}" => depth = depth.saturating_sub(1),
                    own if depth == 0 && own == sign => at.push(index),
                    _ => {}
                }
            }
            at
        };
        let rest = match (&outer("?")[..], &outer(":")[..], outer(",").last()) {
            ([], [], Some(&comma)) if in_parentheses(&around[comma + 1..]) == text => {
                around[..comma].to_vec()
            }
            (&[question], &[colon], None) if question < colon => {
                let (first, second) = (&around[question + 1..colon], &around[colon + 1..]);
                let failed = match () {
                    () if in_parentheses(first) == text => second,
                    () if in_parentheses(second) == text => first,
                    () => return None,
                };
                let place = match text {
                    ["(", handed, ")", rest @ ..] if is_name(handed) => [&[*handed], rest].concat().concat(),
                    _ => text.concat(),
                };
                let is_place = is_postfix(place.as_bytes()) && (place.contains('[') || place.contains("->"));
                if !is_place || !calls(failed) || Macro::new(None, &own.body).assigns {
                    return None;
                }
                [&around[..question], &["?"], failed].concat()
            }
            _ => return None,
        };
        let is_added =
            |name: &str| own.parameters.as_ref().is_some_and(|all| all.iter().any(|one| one == name));
        let is_check = calls(&rest)
            && !Macro::new(None, &rest.join(" ")).assigns
            && (0..rest.len()).all(|at| reads_only(&rest, at, &is_added));
        is_check.then(|| own.clone())
    }

    /// Whether it is a text that may stand in the place of its name: what leaves something open, or jumps, does not.
    fn is_whole(&self) -> bool {
        const OPEN: [&str; 14] = [
            "for",
            "while",
            "do",
            "goto",
            "break",
            "continue",
            "switch",
            "__VA_ARGS__",
            "asm",
            "__asm__",
            "typeof",
            "__typeof__",
            "_Pragma",
            "_Generic",
        ];
        let mut open: Vec<u8> = Vec::new();
        let text = self.body.as_bytes();
        let mut at = 0;
        while at < text.len() {
            let token = Token::at(text, at);
            if token.kind == Kind::Sign {
                match text[at] {
                    // Statements as an expression.
                    b'{' if text[..at].trim_ascii_end().ends_with(b"(") => return false,
                    sign @ (b'(' | b'[' | b'{') => open.push(sign),
                    b')' if open.pop() != Some(b'(') => return false,
                    b']' if open.pop() != Some(b'[') => return false,
                    b'}' if open.pop() != Some(b'{') => return false,
                    _ => {}
                }
            }
            at += token.length;
        }
        open.is_empty() && !words(&self.body).any(|word| OPEN.contains(&word))
    }

    /// Whether it only names a value or a type, or reads what it is handed.
    fn is_harmless(&self) -> bool {
        let text = self.body.as_bytes();
        if self.parameters.is_none() && self.body.is_empty() {
            return false;
        }
        let (mut at, mut last_was_value) = (0, false);
        while at < text.len() {
            let token = Token::at(text, at);
            let own = &self.body[at..at + token.length];
            at += token.length;
            match token.kind {
                Kind::Name => {
                    let is_handed =
                        self.parameters.as_ref().is_some_and(|all| all.iter().any(|name| name == own));
                    let is_called =
                        self.parameters.is_some() && text[at..].trim_ascii_start().starts_with(b"(");
                    let is_known = is_handed || is_called || is_constant(own);
                    if STATEMENTS.contains(&own) || !is_type(own) && (last_was_value || !is_known) {
                        return false;
                    }
                    last_was_value = !is_type(own);
                }
                Kind::Blank => {}
                Kind::Other => last_was_value = false,
                Kind::Sign => {
                    let follows = text.get(at).copied();
                    let before = at.checked_sub(2).map(|at| text[at]);
                    let is_assignment = own == "="
                        && follows != Some(b'=')
                        && !before.is_some_and(|before| b"=!<>".contains(&before));
                    let is_step = matches!(own, "+" | "-") && follows == Some(own.as_bytes()[0]);
                    let is_member = own == "[" || own == "." || own == "-" && follows == Some(b'>');
                    let is_block = matches!(own, "{" | "}" | ";") && !self.is_statement;
                    if is_assignment || is_step || is_member || is_block || own == "#" {
                        return false;
                    }
                    last_was_value = false;
                }
            }
        }
        true
    }

    /// Whether a loop's facts need it: names for numbers stay, and so do minima and maxima, which are known by their names. What stands for
    /// nothing, or for whole statements, is no name.
    fn is_needed(&self, name: &str) -> bool {
        let names_elements = self.body.contains(['[', '=']) || self.body.contains("->");
        let changes = self.body.contains("++") || self.body.contains("--");
        match self.parameters {
            Some(_) => names_elements || changes || known::operator(name).is_none(),
            None => names_elements && !self.body.contains('{') || changes || self.body.is_empty(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        let macros = Macros::of([text.as_bytes()], Language::C);
        let shown = macros.show(Cow::Borrowed(text.as_bytes()));
        let text = String::from_utf8_lossy(&shown.text).into_owned();
        let is_code = |line: &&str| !line.starts_with('#') && !line.starts_with('\\');
        text.lines().filter(is_code).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn checks_of_another_build_are_left_out() {
        let shown = |text: &str| {
            let text = text.as_bytes();
            let macros = Macros::of([text], Language::C);
            String::from_utf8_lossy(&macros.show(Cow::Borrowed(text)).text).into_owned()
        };
        let of = |checked: &str, own: &str| {
            shown(&format!(
                "#ifdef DEBUG\n#define AT(a, i) {checked}\n#else\n#define AT(a, i) {own}\n#endif\nx = AT(p, k);\n"
            ))
        };
        let text = of("( check(a, i) ? \\\n (a)->me[(i)] : (error(1, \"AT\"), 0.0))", "((a)->me[(i)])");
        assert!(text.ends_with("x = p->me[k];\n"), "{text}");
        let text = of("(check(a, i), (a)->me[(i)])", "((a)->me[(i)])");
        assert!(text.ends_with("x = p->me[k];\n"), "{text}");
        for (checked, own) in [
            ("(count++, (a)->me[(i)])", "((a)->me[(i)])"),
            ("((a)->me[(i) * 2])", "((a)->me[(i)])"),
            // It decides whether something is assigned, or what something else is.
            ("if ((i) > -1) t = (a)->me[(i)]", "t = (a)->me[(i)]"),
            ("(check(a, i) ? (t = (a)->me[(i)]) : fail())", "(t = (a)->me[(i)])"),
            ("(check(a, i) ? (i) : fail())", "(i)"),
            ("((a)[i] > -1)", "1"),
            // It reads what the loop may assign, or says nothing of what failed.
            ("(check(a, last) ? (a)->me[(i)] : fail())", "((a)->me[(i)])"),
            ("(check(a, i) ? (a)->me[(i)] : 0.0)", "((a)->me[(i)])"),
        ] {
            assert!(of(checked, own).ends_with("x = AT(p, k);\n"), "{checked}");
        }
    }

    #[test]
    fn uses_are_written_out() {
        for (text, is) in [
            (
                "#define AT(p, i, j) ((p)[(i) * 4 + (j)])\nAT(o, i, 0) = AT(o, i - 1, 0);",
                "o[i * 4 + 0] = o[(i - 1) * 4 + 0];",
            ),
            ("#define SQ(x) ((x) * (x))\ny = SQ(a + b) + SQ(c);", "y = ((a + b) * (a + b)) + (c * c);"),
            (
                "#define SW(a, b) do { int t = a; a = b; b = t; } while (0)\nif (x) SW(p, q); else z();",
                "if (x) { int t = p; p = q; q = t; } else z();",
            ),
            (
                "#define PUT(s, v) ((s)->a[(s)->n++] = (v))\nPUT(&r, 1); PUT(p, 2);",
                "(r.a[r.n++] = 1); (p->a[p->n++] = 2);",
            ),
            ("#define N 10\n#define CUR a[i]\nCUR = N;", "a[i] = N;"),
            ("#define A(x) B(x)\n#define B(x) A(x) + x[0]\nA(k);", "A(k) + k[0];"),
            ("#define G(n) v_##n\n#define S(n) f(#n)\nG(i)[0]; S(j);", "v_i[0]; f(\"\");"),
            ("#define F(x) g[x]\nF; f(F) ; F(1); \"F(1)\"; // F(1)", "F; f(F) ; g[1]; \"F(1)\"; // F(1)"),
            ("#define L(n) for (int i = 0; i < n; i++)\nL(3) x++;", "L(3) x++;"),
            (
                "#define V(x) a[x]\n#if A\n#define W(x) a[x]\n#else\n#define W(x) b[x]\n#endif\nV(1) = W(1);",
                "a[1] = W(1);",
            ),
        ] {
            assert_eq!(shown(text), is, "{text}");
        }
    }

    #[test]
    fn places_stay() {
        let text = "#define P(x) o[x] /* c */\nint f; P(1) = g; h;\nk = P(1 +\n  2) + z;\n";
        let macros = Macros::of([text.as_bytes()], Language::C);
        let shown = macros.show(Cow::Borrowed(text.as_bytes()));
        let out = String::from_utf8_lossy(&shown.text).into_owned();
        assert_eq!(out.lines().count(), text.lines().count());
        let lines = || out.lines().zip(text.lines()).zip(1..);
        for name in ["f;", "g;", "h;", "k ", "z;"] {
            let place = lines().find_map(|((shown, written), line)| {
                Some((line, shown.find(name)? as u32 + 1, written.find(name)? as u32 + 1))
            });
            let Some((line, at, is)) = place else { panic!("{name}") };
            assert_eq!(shown.place(Position { line, column: at }), Position { line, column: is }, "{name}");
        }
        assert_eq!(shown.place(Position { line: 2, column: 8 }), Position { line: 2, column: 8 });
    }

    /// Each of them names the next one ten times.
    #[test]
    fn what_grows_without_end_is_left() {
        let mut text = String::new();
        for depth in 0..14 {
            let body = format!("M{}(x) ", depth + 1).repeat(10);
            text += &format!("#define M{depth}(x) {body}\n");
        }
        text += "M0(a);";
        assert!(shown(&text).contains("M0(a)"));
        for bad in [
            "#define",
            "#define (",
            "#define F(",
            "#define F(x",
            "#define F(x) (\nF(",
            "#define F(x) x\nF(\"a",
            "\"",
            "#define Q /*",
        ] {
            shown(bad);
        }
    }
}
