//! Conditions of the preprocessor (C17, 6.10.1): what they are, with what is known of macros at their place.
//!
//! Definition: macros are replaced by their texts where a condition uses them, not where they are defined, each by what is then known of the names in
//! it. What is left is computed in integers of 64 bits, signed or not, with the usual conversions. `defined` asks, and is not replaced.
//!
//! What is not certain makes a condition unknown: macros whose text is not known, or that take arguments, may stand for any text that has as many
//! opening as closing parentheses, so that nothing is known of what stands with them between two parentheses; overflow, division by zero, and what no
//! condition may have.

use std::rc::Rc;

use super::macros::is_of_name;

/// Nesting beyond this is not looked into.
const DEEPEST: usize = 64;

/// Tokens beyond this number are not looked at.
const MOST: usize = 10_000;

/// What is known of a name where a condition asks for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Known {
    /// It is no macro.
    Absent,
    /// It stands for a text, and takes no arguments.
    Text(Rc<str>),
    /// It stands for one number, which is not known.
    Number,
    /// It is a macro of which no more is known.
    Defined,
    /// Nothing.
    Open,
}

impl Known {
    /// Whether the name is that of a macro, if that is known.
    pub(super) fn is_defined(&self) -> Option<bool> {
        match self {
            Known::Absent => Some(false),
            Known::Text(_) | Known::Number | Known::Defined => Some(true),
            Known::Open => None,
        }
    }
}

/// Whether a condition holds; `is_cpp`: the language is C++, in which some names are values and signs.
pub(super) fn holds(text: &str, known: &dyn Fn(&str) -> Known, is_cpp: bool) -> Option<bool> {
    let mut replaced = Replaced { known, is_cpp, out: Vec::new() };
    replaced.add(&tokens(text), &mut Vec::new())?;
    let mut reader = Reader { tokens: &replaced.out, at: 0, depth: 0 };
    let value = reader.group()?;
    if reader.at < reader.tokens.len() { None } else { value.map(|own| own.bits != 0) }
}

/// The name that a condition asks not to be defined, if that is all it asks.
pub(super) fn missing(text: &str) -> Option<String> {
    let all = tokens(text);
    let rest = match &all[..] {
        [Token::Sign("!"), Token::Name(defined), rest @ ..] if defined == "defined" => rest,
        _ => return None,
    };
    match rest {
        [Token::Name(name)] | [Token::Sign("("), Token::Name(name), Token::Sign(")")] => Some(name.clone()),
        _ => None,
    }
}

/// An integer of the preprocessor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Value {
    bits: u64,
    is_unsigned: bool,
}

impl Value {
    fn of(is: bool) -> Value {
        Value { bits: u64::from(is), is_unsigned: false }
    }

    fn signed(value: i64) -> Value {
        Value { bits: value as u64, is_unsigned: false }
    }

    fn unsigned(bits: u64) -> Value {
        Value { bits, is_unsigned: true }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    Name(String),
    /// A number or a character; `None` if it is none that a condition may have.
    Value(Option<Value>),
    Sign(&'static str),
    /// What no condition has.
    Other,
}

/// What is left of a token when macros were replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    /// One operand, with its value if that is known.
    Operand(Option<Value>),
    Sign(&'static str),
    /// Any text.
    Any,
}

const SIGNS: [&str; 24] = [
    "&&", "||", "==", "!=", "<=", ">=", "<<", ">>", "(", ")", "!", "~", "+", "-", "*", "/", "%", "<", ">",
    "&", "^", "|", "?", ":",
];

/// What C++ has as names for signs.
const NAMED: [(&str, &str); 8] = [
    ("and", "&&"),
    ("or", "||"),
    ("not", "!"),
    ("not_eq", "!="),
    ("bitand", "&"),
    ("bitor", "|"),
    ("xor", "^"),
    ("compl", "~"),
];

fn tokens(text: &str) -> Vec<Token> {
    let (mut rest, mut out) = (text, Vec::new());
    loop {
        rest = rest.trim_start();
        let Some(first) = rest.bytes().next() else { return out };
        let sign = || SIGNS.into_iter().find(|sign| rest.starts_with(sign));
        let (length, token) = if first.is_ascii_digit() {
            let length = number_length(rest.as_bytes());
            (length, Token::Value(number(&rest[..length])))
        } else if is_of_name(first) {
            let length = rest.bytes().take_while(|&byte| is_of_name(byte)).count();
            let is_prefix = rest[length..].starts_with(['"', '\'']);
            let token = if is_prefix { Token::Other } else { Token::Name(rest[..length].to_owned()) };
            (length, token)
        } else if first == b'\'' || first == b'"' {
            literal(rest)
        } else if let Some(sign) = sign() {
            (sign.len(), Token::Sign(sign))
        } else {
            (rest.chars().next().map_or(1, char::len_utf8), Token::Other)
        };
        out.push(token);
        rest = &rest[length..];
    }
}

/// The length of a number of the preprocessor, whatever it says.
fn number_length(bytes: &[u8]) -> usize {
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let is_sign =
            matches!(byte, b'+' | b'-') && at > 0 && matches!(bytes[at - 1], b'e' | b'E' | b'p' | b'P');
        let is_separator = byte == b'\'' && bytes.get(at + 1).copied().is_some_and(is_of_name);
        if !(is_of_name(byte) || byte == b'.' || is_sign || is_separator) {
            break;
        }
        at += 1;
    }
    at
}

fn number(text: &str) -> Option<Value> {
    let digits = text.trim_end_matches(['u', 'U', 'l', 'L']);
    let suffix = text[digits.len()..].to_ascii_lowercase();
    let is_unsigned = match suffix.as_str() {
        "" | "l" | "ll" => false,
        "u" | "ul" | "ull" | "lu" | "llu" => true,
        _ => return None,
    };
    let digits = digits.to_ascii_lowercase().replace('\'', "");
    let (digits, radix) = match () {
        () if digits.starts_with("0x") => (&digits[2..], 16),
        () if digits.starts_with("0b") => (&digits[2..], 2),
        () if digits.len() > 1 && digits.starts_with('0') => (&digits[1..], 8),
        () => (&digits[..], 10),
    };
    if !digits.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return None;
    }
    let bits = u64::from_str_radix(digits, radix).ok()?;
    // Decimal ones that are too large have no type in the standard; others are unsigned.
    match i64::try_from(bits) {
        _ if is_unsigned => Some(Value::unsigned(bits)),
        Ok(value) => Some(Value::signed(value)),
        Err(_) if radix == 10 => None,
        Err(_) => Some(Value::unsigned(bits)),
    }
}

/// A literal that begins a text: one character of ASCII has a value that is known.
fn literal(text: &str) -> (usize, Token) {
    let bytes = text.as_bytes();
    let mut at = 1;
    while let Some(&byte) = bytes.get(at) {
        at += match byte {
            b'\\' => 2,
            _ => 1,
        };
        if byte == bytes[0] {
            break;
        }
    }
    let mut end = at.min(text.len());
    while !text.is_char_boundary(end) {
        end += 1;
    }
    match bytes[..end] {
        [b'\'', byte, b'\''] if byte.is_ascii() && byte != b'\\' => {
            (end, Token::Value(Some(Value::signed(i64::from(byte)))))
        }
        _ => (end, Token::Other),
    }
}

/// Tokens in which macros are replaced.
struct Replaced<'k> {
    known: &'k dyn Fn(&str) -> Known,
    is_cpp: bool,
    out: Vec<Part>,
}

impl Replaced<'_> {
    /// Adds tokens; `hidden`: the macros inside of which they stand, which are not replaced again. `None` if it is too much, or `defined` asks
    /// nothing.
    fn add(&mut self, tokens: &[Token], hidden: &mut Vec<String>) -> Option<()> {
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            at += 1;
            if self.out.len() > MOST || hidden.len() > DEEPEST {
                return None;
            }
            let name = match token {
                Token::Name(name) => name.as_str(),
                Token::Value(Some(value)) => {
                    self.out.push(Part::Operand(Some(*value)));
                    continue;
                }
                Token::Sign(sign) => {
                    self.out.push(Part::Sign(sign));
                    continue;
                }
                Token::Value(None) | Token::Other => {
                    self.out.push(Part::Any);
                    continue;
                }
            };
            if name == "defined" {
                let (asked, length) = match tokens.get(at..)? {
                    [Token::Name(name), ..] => (name, 1),
                    [Token::Sign("("), Token::Name(name), Token::Sign(")"), ..] => (name, 3),
                    _ => return None,
                };
                at += length;
                let is = (self.known)(asked).is_defined();
                self.out.push(Part::Operand(is.map(Value::of)));
                continue;
            }
            if let Some((_, sign)) = NAMED.iter().find(|(own, _)| self.is_cpp && *own == name) {
                self.out.push(Part::Sign(sign));
                continue;
            }
            if hidden.iter().any(|own| own == name) {
                self.out.push(Part::Operand(Some(Value::of(false))));
                continue;
            }
            match (self.known)(name) {
                Known::Text(text) => {
                    hidden.push(name.to_owned());
                    self.add(&self::tokens(&text), hidden)?;
                    hidden.pop();
                }
                Known::Absent | Known::Open if self.is_cpp && matches!(name, "true" | "false") => {
                    self.out.push(Part::Operand(Some(Value::of(name == "true"))));
                }
                // `true` is a value in C as of 2023.
                Known::Absent if name != "true" => self.out.push(Part::Operand(Some(Value::of(false)))),
                Known::Number => self.out.push(Part::Operand(None)),
                Known::Absent | Known::Defined | Known::Open => self.out.push(Part::Any),
            }
        }
        Some(())
    }
}

/// Reads an expression; the outer `None` if it is not understood, the inner one if its value is not known.
struct Reader<'p> {
    tokens: &'p [Part],
    at: usize,
    depth: usize,
}

impl Reader<'_> {
    /// What stands to the end, or before the parenthesis that closes.
    fn group(&mut self) -> Option<Option<Value>> {
        let mut depth = 0usize;
        let mut is_any = false;
        let mut end = self.at;
        for part in &self.tokens[self.at..] {
            match part {
                Part::Sign("(") => depth += 1,
                Part::Sign(")") if depth == 0 => break,
                Part::Sign(")") => depth -= 1,
                Part::Any => is_any |= depth == 0,
                _ => {}
            }
            end += 1;
        }
        if is_any {
            self.at = end;
            return Some(None);
        }
        self.conditional()
    }

    fn conditional(&mut self) -> Option<Option<Value>> {
        self.deeper(|reader| {
            let condition = reader.binary(1)?;
            if !reader.takes("?") {
                return Some(condition);
            }
            let first = reader.conditional()?;
            if !reader.takes(":") {
                return None;
            }
            let second = reader.conditional()?;
            let (Some(first), Some(second)) = (first, second) else { return Some(None) };
            let is_unsigned = first.is_unsigned || second.is_unsigned;
            let [first, second] = [first, second].map(|own| Value { is_unsigned, ..own });
            Some(match condition {
                Some(own) => Some(if own.bits != 0 { first } else { second }),
                None => (first == second).then_some(first),
            })
        })
    }

    /// What binds at least so tightly.
    fn binary(&mut self, least: u8) -> Option<Option<Value>> {
        self.deeper(|reader| {
            let mut left = reader.unary()?;
            while let Some(&Part::Sign(sign)) = reader.tokens.get(reader.at) {
                let Some(level) = level_of(sign).filter(|level| *level >= least) else { break };
                reader.at += 1;
                let right = reader.binary(level + 1)?;
                let is = |own: Option<Value>| own.map(|own| own.bits != 0);
                left = match (sign, is(left), is(right)) {
                    ("&&", Some(false), _) | ("&&", _, Some(false)) => Some(Value::of(false)),
                    ("||", Some(true), _) | ("||", _, Some(true)) => Some(Value::of(true)),
                    _ => left.zip(right).and_then(|(left, right)| apply(sign, left, right)),
                };
            }
            Some(left)
        })
    }

    fn unary(&mut self) -> Option<Option<Value>> {
        self.deeper(|reader| {
            let part = reader.tokens.get(reader.at)?.clone();
            reader.at += 1;
            match part {
                Part::Operand(value) => Some(value),
                Part::Sign("!") => Some(reader.unary()?.map(|own| Value::of(own.bits == 0))),
                Part::Sign("~") => Some(reader.unary()?.map(|own| Value { bits: !own.bits, ..own })),
                Part::Sign("-") => Some(reader.unary()?.and_then(negative)),
                Part::Sign("+") => reader.unary(),
                Part::Sign("(") => {
                    let own = reader.group()?;
                    reader.takes(")").then_some(own)
                }
                Part::Sign(_) | Part::Any => None,
            }
        })
    }

    fn takes(&mut self, sign: &str) -> bool {
        let is = matches!(self.tokens.get(self.at), Some(Part::Sign(own)) if *own == sign);
        self.at += usize::from(is);
        is
    }

    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        self.depth += 1;
        let out = if self.depth > DEEPEST * 4 { None } else { read(self) };
        self.depth -= 1;
        out
    }
}

fn negative(of: Value) -> Option<Value> {
    match of.is_unsigned {
        true => Some(Value::unsigned(of.bits.wrapping_neg())),
        false => (of.bits as i64).checked_neg().map(Value::signed),
    }
}

fn level_of(sign: &str) -> Option<u8> {
    Some(match sign {
        "||" => 1,
        "&&" => 2,
        "|" => 3,
        "^" => 4,
        "&" => 5,
        "==" | "!=" => 6,
        "<" | ">" | "<=" | ">=" => 7,
        "<<" | ">>" => 8,
        "+" | "-" => 9,
        "*" | "/" | "%" => 10,
        _ => return None,
    })
}

/// What a sign makes of two values, with the usual conversions; `None` for what the standard leaves open.
fn apply(sign: &str, left: Value, right: Value) -> Option<Value> {
    if matches!(sign, "<<" | ">>") {
        let is_negative = !right.is_unsigned && (right.bits as i64) < 0;
        let by = u32::try_from(right.bits).ok().filter(|&by| by < u64::BITS && !is_negative)?;
        let value = left.bits as i64;
        return match (sign, left.is_unsigned) {
            ("<<", true) => Some(Value::unsigned(left.bits << by)),
            (">>", true) => Some(Value::unsigned(left.bits >> by)),
            (">>", false) => Some(Value::signed(value >> by)),
            _ => Some(Value::signed(value << by)).filter(|_| value >= 0 && (value << by) >> by == value),
        };
    }
    let (a, b) = (left.bits, right.bits);
    let (first, second) = (a as i64, b as i64);
    let is_unsigned = left.is_unsigned || right.is_unsigned;
    let order = if is_unsigned { a.cmp(&b) } else { first.cmp(&second) };
    let of = |bits: u64| Some(Value { bits, is_unsigned });
    let computed = |unsigned: Option<u64>, signed: Option<i64>| match is_unsigned {
        true => unsigned.map(Value::unsigned),
        false => signed.map(Value::signed),
    };
    match sign {
        "&&" => Some(Value::of(a != 0 && b != 0)),
        "||" => Some(Value::of(a != 0 || b != 0)),
        "|" => of(a | b),
        "^" => of(a ^ b),
        "&" => of(a & b),
        "==" => Some(Value::of(order.is_eq())),
        "!=" => Some(Value::of(order.is_ne())),
        "<" => Some(Value::of(order.is_lt())),
        ">" => Some(Value::of(order.is_gt())),
        "<=" => Some(Value::of(order.is_le())),
        ">=" => Some(Value::of(order.is_ge())),
        "+" => computed(Some(a.wrapping_add(b)), first.checked_add(second)),
        "-" => computed(Some(a.wrapping_sub(b)), first.checked_sub(second)),
        "*" => computed(Some(a.wrapping_mul(b)), first.checked_mul(second)),
        "/" => computed(a.checked_div(b), first.checked_div(second)),
        "%" => computed(a.checked_rem(b), first.checked_rem(second)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is(condition: &str, is_cpp: bool) -> Option<bool> {
        let known = |name: &str| match name {
            "ONE" => Known::Text("1".into()),
            "SUM" => Known::Text("1+1".into()),
            "LATER" => Known::Text("SUM * 2".into()),
            "EMPTY" => Known::Text("".into()),
            "MINUS" => Known::Text("- 1".into()),
            "ITSELF" => Known::Text("ITSELF".into()),
            "A_OR_B" => Known::Text("(defined ONE || defined(OPEN))".into()),
            "GONE" => Known::Absent,
            "VERSION" => Known::Number,
            "CALLED" => Known::Defined,
            _ => Known::Open,
        };
        holds(condition, &known, is_cpp)
    }

    #[test]
    fn macros_are_replaced_where_they_are_used() {
        for (condition, expected) in [
            ("SUM * 2 == 3", Some(true)),
            ("LATER == 3", Some(true)),
            ("EMPTY 1", Some(true)),
            ("EMPTY", None),
            ("2 MINUS == 1", Some(true)),
            ("5 -MINUS == 6", Some(true)),
            ("ITSELF", Some(false)),
            ("A_OR_B", Some(true)),
            ("defined(CALLED) && defined GONE", Some(false)),
            ("CALLED(1)", None),
            ("VERSION > 3", None),
            ("GONE && VERSION > 3", Some(false)),
            // Any text may stand there.
            ("GONE && OPEN", None),
            ("GONE && (OPEN)", Some(false)),
            ("ONE || (OPEN(GONE) + 1)", Some(true)),
            ("ONE || defined OPEN", Some(true)),
        ] {
            assert_eq!(is(condition, false), expected, "{condition}");
        }
    }

    #[test]
    fn integers_have_64_bits_and_a_sign_or_none() {
        for (condition, expected) in [
            ("-1 > 0u", Some(true)),
            ("(-1) / 2u > 5", Some(true)),
            ("-1 < 0", Some(true)),
            ("~0 == -1 && ~0u == 18446744073709551615u", Some(true)),
            ("0xffffffffffffffff == -1", Some(true)),
            ("18446744073709551615 > 0", None),
            ("0x7fffffffffffffff + 1 < 0", None),
            ("0x7fffffffffffffff + 1 < 0 || 1", Some(true)),
            ("1 / 0", None),
            ("1 || 1 / 0", Some(true)),
            ("1 << 2 + 1 == 8 && 5 & 4 == 4", Some(true)),
            ("-8 >> 1 == -4 && 1 << 63", None),
            ("1u << 63", Some(true)),
            ("1 << 64", None),
            ("1 >> -1", None),
            ("1 ? 0 : 1", Some(false)),
            ("0 ? 1 : 0 ? 1 : 2", Some(true)),
            ("(1 ? -1 : 0u) > 0", Some(true)),
            ("VERSION ? 2 : 2", Some(true)),
            ("VERSION ? 2 : 3", None),
            ("010 == 8 && 'a' == 97 && 0b11 == 3 && 1'000 == 1000", Some(true)),
            ("'ab' || '\\n' || L'a'", None),
            ("1.0", None),
            ("08", None),
            ("1ulu", None),
        ] {
            assert_eq!(is(condition, false), expected, "{condition}");
        }
        assert_eq!(is("true and not false", true), Some(true));
        assert_eq!(is("true", false), None);
    }

    #[test]
    fn what_is_no_condition_is_not_known() {
        for condition in
            ["", "(", ")", "1 +", "1 2", "\"a\"", "'", "defined", "defined(", "1 ? 2", "1 $ 2", "é", "'é"]
        {
            assert_eq!(is(condition, false), None, "{condition}");
        }
        assert_eq!(is(&format!("{}1{}", "(".repeat(5000), ")".repeat(5000)), false), None);
        assert_eq!(is(&"!".repeat(5000), false), None);
        assert_eq!(missing("!defined(A)").as_deref(), Some("A"));
        assert_eq!(missing("! defined A").as_deref(), Some("A"));
        assert_eq!([missing("!defined_A"), missing("!defined(A) || B"), missing("A")], [None, None, None]);
    }
}
