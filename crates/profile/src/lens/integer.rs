//! Types of integers, as written in C, C++, Fortran and Rust, on a machine where `long` has 64 bits.

/// An integer's type; a truth value is one of one bit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Integer {
    bits: u32,
    is_signed: bool,
}

impl Integer {
    /// One of so many bits.
    pub fn new(bits: u32, is_signed: bool) -> Integer {
        Integer { bits, is_signed }
    }

    /// That of a variable, an element or what a pointer leads to, by the text of its declaration; `None` for other types, and for
    /// names that the text does not explain.
    pub fn of(text: &str) -> Option<Integer> {
        let text = text.to_ascii_lowercase();
        if let Some(rest) = text.trim_start().strip_prefix("integer") {
            let digits: String = rest.chars().filter(char::is_ascii_digit).collect();
            let attributes = rest.split(',').next().unwrap_or_default();
            let is_plain = attributes.trim().is_empty() || !digits.is_empty();
            let bytes = if digits.is_empty() { 4 } else { digits.parse().ok()? };
            let is_known = is_plain && matches!(bytes, 1 | 2 | 4 | 8);
            return is_known.then_some(Integer { bits: 8 * bytes, is_signed: true });
        }
        let words = || {
            text.split(|c: char| !c.is_alphanumeric() && c != '_')
                .filter(|word| !word.is_empty() && !PASSED_OVER.contains(word))
        };
        if words().any(|word| matches!(word, "bool" | "_bool")) {
            return (words().count() == 1).then_some(Integer { bits: 1, is_signed: false });
        }
        if let [Some(one), None] = [words().next(), words().nth(1)]
            && let Some((_, bits, is_signed)) = NAMED.iter().find(|named| named.0 == one)
        {
            return Some(Integer { bits: *bits, is_signed: *is_signed });
        }
        if words().any(|word| !BUILT.contains(&word)) || words().next().is_none() {
            return None;
        }
        let has = |word: &str| words().any(|own| own == word);
        let bits = match () {
            () if has("char") => 8,
            () if has("short") => 16,
            () if has("long") => 64,
            () => 32,
        };
        Some(Integer { bits, is_signed: !has("unsigned") })
    }

    /// Whether both are signed, or this one alone is not: none of its values is another number in the other one, if that holds them.
    pub fn is_signed_as(self, wider: Integer) -> bool {
        self.is_signed == wider.is_signed || wider.is_signed
    }

    /// Whether all values of another type are told apart in this one, in the order in which both are compared: as unsigned numbers where one is, unless
    /// they are promoted to `int` before.
    pub fn holds(self, other: Integer) -> bool {
        match (self.is_signed, other.is_signed) {
            (false, true) => self.bits >= 32 && self.bits >= other.bits,
            (true, false) => self.bits > other.bits,
            _ => self.bits >= other.bits,
        }
    }
}

/// Words of declarations that say nothing about the type of a number.
const PASSED_OVER: [&str; 14] = [
    "const",
    "constexpr",
    "static",
    "volatile",
    "register",
    "restrict",
    "__restrict",
    "__restrict__",
    "extern",
    "inline",
    "mut",
    "thread_local",
    "std",
    "ref",
];
const BUILT: [&str; 6] = ["int", "long", "short", "char", "unsigned", "signed"];
const NAMED: [(&str, u32, bool); 25] = [
    ("int8_t", 8, true),
    ("int16_t", 16, true),
    ("int32_t", 32, true),
    ("int64_t", 64, true),
    ("uint8_t", 8, false),
    ("uint16_t", 16, false),
    ("uint32_t", 32, false),
    ("uint64_t", 64, false),
    ("size_t", 64, false),
    ("ssize_t", 64, true),
    ("ptrdiff_t", 64, true),
    ("intptr_t", 64, true),
    ("uintptr_t", 64, false),
    ("i8", 8, true),
    ("i16", 16, true),
    ("i32", 32, true),
    ("i64", 64, true),
    ("i128", 128, true),
    ("isize", 64, true),
    ("u8", 8, false),
    ("u16", 16, false),
    ("u32", 32, false),
    ("u64", 64, false),
    ("u128", 128, false),
    ("usize", 64, false),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_by_their_texts() {
        let of = |text: &str| Integer::of(text).map(|own| (own.bits, own.is_signed));
        for (text, bits, is_signed) in [
            ("int", 32, true),
            ("const unsigned *", 32, false),
            ("unsigned long", 64, false),
            ("short int", 16, true),
            ("std::size_t", 64, false),
            ("static uint8_t", 8, false),
            ("bool", 1, false),
            ("_Bool", 1, false),
            ("&[u16]", 16, false),
            ("INTEGER(2)", 16, true),
            ("integer*8, intent(in)", 64, true),
            ("integer", 32, true),
        ] {
            assert_eq!(of(text), Some((bits, is_signed)), "{text}");
        }
        for text in
            ["double", "auto", "struct p *", "num", "std::vector<int>", "T", "", "integer(kind=ik)", "const"]
        {
            assert_eq!(of(text), None, "{text}");
        }
    }

    #[test]
    fn what_a_type_holds() {
        let of = |text: &str| Integer::of(text).expect(text);
        for (one, other, holds) in [
            ("int", "int", true),
            ("long", "int", true),
            ("int", "unsigned", false),
            ("long", "unsigned", true),
            ("unsigned", "int", true),
            ("size_t", "int", true),
            ("unsigned", "long", false),
            ("unsigned short", "short", false),
            ("short", "int", false),
            ("bool", "char", false),
            ("int", "bool", true),
        ] {
            assert_eq!(of(one).holds(of(other)), holds, "{one} {other}");
        }
    }
}
