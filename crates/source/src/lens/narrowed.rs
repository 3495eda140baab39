//! Updates of numbers in places that have not all of the values that are combined with them.
//!
//! What is kept of a value that does not fit is not what a minimum compared, and matters to the next comparison: the order of the iterations
//! decides. Rounding keeps the order of numbers, but what goes with the minimum then goes with the first of those that are rounded to one. A
//! sum of integers may be cut, it is the same in the end, but for truth values; one of floating point that an integer keeps is cut each time.
//!
//! Types are those that the text spells, and where it does not, those that the debug information has for its names.
//!
//! Limits: what functions return is not known; their arguments stand for it.

use profile::lens::{
    AccessMode, Array, ArrayAccess, Definition, FileLoops, Integer, Language, Operator, Scalar, ScalarForm,
    SourceLoop,
};

/// A name the type of which is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Name<'a> {
    /// A variable: of what it is, or of its elements.
    Variable {
        /// The function around; empty outside of all.
        function: &'a str,
        /// Its name.
        name: &'a str,
    },
    /// A member of a class.
    Member(&'a str),
}

/// The type of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Number {
    /// An integer.
    Integer(Integer),
    /// Of floating point, of so many bits.
    Float(u32),
}

impl Number {
    fn integer(self) -> Option<Integer> {
        match self {
            Number::Integer(integer) => Some(integer),
            Number::Float(_) => None,
        }
    }

    /// By the text of a declaration, where that says it.
    fn of(text: &str) -> Option<Number> {
        let has =
            |name: &str| text.split(|c: char| !is_of_word(c)).any(|word| word.eq_ignore_ascii_case(name));
        match () {
            () if text.contains('<') => None,
            () if has("double") && !has("long") => Some(Number::Float(64)),
            () if has("float") => Some(Number::Float(32)),
            () => Integer::of(text).map(Number::Integer),
        }
    }
}

/// What debug information says of a name: the types that it may stand for.
pub type Types<'a> = &'a dyn Fn(Name<'_>) -> Vec<Number>;

/// Takes back that updates can be combined in any order where their places do not hold what they combine.
pub fn refine(file: &mut FileLoops, types: Types<'_>) {
    let language = file.language;
    if language == Language::Rust {
        // Nothing is converted there unless the text says so.
        return;
    }
    for one in &mut file.loops {
        let text = Text { source: one, language, types };
        let of_scalar = |scalar: &Scalar| {
            let own = text.of_scalar(scalar);
            let is_taken = |definition: &Definition| {
                definition.update.as_ref().is_some_and(|update| {
                    let has_companions = !update.companions.is_empty();
                    text.is_ordered(
                        &own,
                        update.operator,
                        (&definition.value, &update.operand),
                        has_companions,
                    )
                })
            };
            let taken: Vec<bool> = scalar.definitions.iter().map(is_taken).collect();
            (taken, is_truth(&own))
        };
        let of_access = |array: &Array, access: &ArrayAccess| {
            let AccessMode::Update(operator) = access.mode else { return false };
            let own = text.of_element(array, access);
            is_sum(operator) && is_truth(&own)
                || text.is_ordered(&own, operator, (&access.value, &access.value), false)
        };
        let of_scalars: Vec<(Vec<bool>, bool)> = one.scalars.iter().map(of_scalar).collect();
        let of_arrays: Vec<Vec<bool>> = one
            .arrays
            .iter()
            .map(|array| array.accesses.iter().map(|access| of_access(array, access)).collect())
            .collect();
        for (scalar, (narrowed, is_truth)) in one.scalars.iter_mut().zip(of_scalars) {
            for (definition, _) in
                scalar.definitions.iter_mut().zip(narrowed).filter(|(_, narrowed)| *narrowed)
            {
                definition.update.iter_mut().for_each(|update| update.operator = Operator::Other);
            }
            if is_truth && scalar.form == ScalarForm::Variable {
                "bool".clone_into(&mut scalar.type_text);
            }
        }
        for (array, taken) in one.arrays.iter_mut().zip(of_arrays) {
            for (access, _) in array.accesses.iter_mut().zip(taken).filter(|(_, taken)| *taken) {
                access.mode = AccessMode::Update(Operator::Other);
            }
        }
    }
}

/// Whether what has these types is a truth value, of which only that it is not 0 is kept.
fn is_truth(own: &[Number]) -> bool {
    own.contains(&Number::Integer(Integer::new(1, false)))
}

fn is_sum(operator: Operator) -> bool {
    matches!(operator, Operator::Add | Operator::Subtract | Operator::Multiply | Operator::Xor)
}

/// The numbers that an expression is made of.
#[derive(Default)]
struct Operand {
    numbers: Vec<Number>,
    /// It is what a function returns, or the outcome of a test, in part.
    is_open: bool,
}

/// A loop, and the types of the names in it.
struct Text<'a> {
    source: &'a SourceLoop,
    language: Language,
    types: Types<'a>,
}

impl Text<'_> {
    /// Whether it matters in which order iterations combine what a place of these types has with an operand, where `value` is assigned;
    /// `has_companions`: other variables are set with it.
    fn is_ordered(
        &self,
        own: &[Number],
        operator: Operator,
        (value, operand): (&str, &str),
        has_companions: bool,
    ) -> bool {
        let is_extreme = matches!(operator, Operator::Minimum | Operator::Maximum);
        if own.is_empty() || !is_extreme && !is_sum(operator) {
            return false;
        }
        let others = match cast(operand).and_then(Integer::of) {
            Some(other) => Operand { numbers: vec![Number::Integer(other)], is_open: false },
            None => self.of_expression(operand),
        };
        let widest = |numbers: &[Number]| {
            let float = |number: &Number| match number {
                Number::Float(bits) => Some(*bits),
                Number::Integer(_) => None,
            };
            numbers.iter().filter_map(float).max()
        };
        match (widest(own), widest(&others.numbers)) {
            // Rounded, or cut.
            (own, Some(other)) if is_extreme => has_companions && own.is_none_or(|own| own < other),
            (None, Some(_)) => !others.is_open,
            (Some(_), _) => false,
            (None, None) if is_extreme => self.is_narrowed(own, value, &others.numbers),
            (None, None) => false,
        }
    }

    /// Whether a place of these integers does not hold all that a minimum compares.
    fn is_narrowed(&self, own: &[Number], value: &str, others: &[Number]) -> bool {
        // `max<T>(s, e)`: what both are converted to before they are compared, where signed numbers may be in another order.
        let named = ["max<", "min<"].iter().find_map(|own| value.split_once(own)?.1.split_once('>'));
        let compared = named.and_then(|(text, _)| Integer::of(text));
        own.iter().filter_map(|own| own.integer()).any(|own| {
            compared.is_some_and(|compared| !compared.holds(own) || !own.is_signed_as(compared))
                || others.iter().filter_map(|other| other.integer()).any(|other| !own.holds(other))
                || others.is_empty() && compared.is_some_and(|compared| !own.holds(compared))
        })
    }

    fn of_scalar(&self, scalar: &Scalar) -> Vec<Number> {
        let spelled = Number::of(&scalar.type_text).filter(|_| scalar.form == ScalarForm::Variable);
        spelled.map_or_else(|| self.of_name(&scalar.name), |own| vec![own])
    }

    fn of_element(&self, array: &Array, access: &ArrayAccess) -> Vec<Number> {
        if !access.member.is_empty() {
            return self.of_name(&format!("{}.{}", array.name, access.member));
        }
        let spelled = Number::of(&array.type_text).filter(|_| array.name == array.root);
        spelled.map_or_else(|| self.of_name(&array.name), |own| vec![own])
    }

    /// Of a variable, or of the member that a path of names ends with.
    fn of_name(&self, path: &str) -> Vec<Number> {
        let path = path.trim().trim_end_matches(')');
        let last = path.rsplit(|c: char| !is_of_word(c)).next().unwrap_or_default();
        let before = path[..path.len() - last.len()].trim_end();
        let is_member = before.ends_with(['.', '%']) || before.ends_with("->");
        if is_member || last.is_empty() {
            return (self.types)(Name::Member(last));
        }
        let function = self.source.function.as_deref().unwrap_or_default();
        (self.types)(Name::Variable { function, name: last })
    }

    /// Of the numbers that an expression is made of; in C what is computed is at least as wide as `int`.
    fn of_expression(&self, text: &str) -> Operand {
        let is_fortran = matches!(self.language, Language::Fortran | Language::FixedFortran);
        let mut out = Operand::default();
        let mut rest = text.trim_start();
        // A sign, or what leads through a pointer.
        let mut is_start = true;
        let mut is_computed = false;
        let mut path = String::new();
        while let Some(c) = rest.chars().next() {
            let length = rest.find(|c: char| !is_of_word(c)).unwrap_or(rest.len());
            if length > 0 {
                let word = &rest[..length];
                rest = &rest[length..];
                let is_name = word.chars().next().is_some_and(|first| !first.is_ascii_digit());
                path.push_str(word);
                let goes_on =
                    ['.', '%', '['].iter().any(|next| rest.starts_with(*next)) || rest.starts_with("->");
                let is_call = rest.starts_with('(');
                let of = if is_name { self.of_spelled(&path) } else { Vec::new() };
                // What is named like a variable and called is an element.
                let is_element = is_call && !of.is_empty();
                if is_name && !is_call && !goes_on || is_element {
                    // Of several types which it is here is not known.
                    out.is_open |= of.len() > 1;
                    out.numbers.extend(of);
                }
                out.is_open |= is_call && !is_element;
                if is_element {
                    rest = behind_bracket(rest);
                }
                if !goes_on {
                    path.clear();
                }
                is_start = false;
                continue;
            }
            match c {
                '[' => {
                    rest = behind_bracket(rest);
                    let goes_on =
                        ['.', '['].iter().any(|next| rest.starts_with(*next)) || rest.starts_with("->");
                    if !goes_on {
                        if !path.is_empty() {
                            let of = self.of_spelled(&path);
                            out.is_open |= of.len() > 1;
                            out.numbers.extend(of);
                        }
                        path.clear();
                    }
                    continue;
                }
                '.' | '%' if !path.is_empty() => path.push(c),
                '-' if rest.starts_with("->") => {
                    path.push_str("->");
                    rest = &rest[2..];
                    continue;
                }
                '*' | '&' if is_start => {}
                '+' | '-' | '*' | '/' | '%' | '^' | '~' => is_computed = true,
                '&' | '|' | '<' | '>' | '=' | '!' | '?' => (is_computed, out.is_open) = (true, true),
                _ => {}
            }
            is_start = matches!(c, '(' | ',') || is_start && (c.is_whitespace() || matches!(c, '*' | '&'));
            rest = &rest[c.len_utf8()..];
        }
        if is_computed && !is_fortran && !out.numbers.is_empty() {
            out.numbers.push(Number::Integer(Integer::new(32, true)));
        }
        out
    }

    /// Of a variable that the loop declares or assigns by the text, else by the debug information.
    fn of_spelled(&self, path: &str) -> Vec<Number> {
        let scalar =
            self.source.scalars.iter().find(|own| own.name == path && own.form == ScalarForm::Variable);
        let array = self.source.arrays.iter().find(|own| own.name == path && own.name == own.root);
        let text = scalar.map(|own| &own.type_text).or_else(|| Some(&array?.type_text));
        text.and_then(|text| Number::of(text)).map_or_else(|| self.of_name(path), |own| vec![own])
    }
}

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// What follows the bracket that a text begins with.
fn behind_bracket(text: &str) -> &str {
    let mut open = 0u32;
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' => open += 1,
            ')' | ']' => open = open.saturating_sub(1),
            _ => {}
        }
        if open == 0 {
            return &text[at + c.len_utf8()..];
        }
    }
    ""
}

/// The type that an expression is converted to: `(T)e`, `T(e)`, `static_cast<T>(e)`.
fn cast(operand: &str) -> Option<&str> {
    let operand = operand.trim();
    if let Some(rest) = operand.strip_prefix('(') {
        return rest.split_once(')').map(|(text, _)| text);
    }
    if let Some(rest) = operand.strip_prefix("static_cast<") {
        return rest.split_once('>').map(|(text, _)| text);
    }
    let (text, rest) = operand.split_once('(')?;
    (behind_bracket(&operand[text.len()..]).trim().is_empty() && !rest.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_combined(operator: Operator) -> bool {
        operator != Operator::Other
    }

    /// Whether each loop of a function still combines something in any order.
    fn kept(language: Language, text: &str) -> Vec<bool> {
        let mut file = super::super::file(text.as_bytes(), language);
        let types = |name: Name<'_>| match name {
            Name::Variable { function: "f", name: "tiny" } | Name::Member("v") => {
                vec![Number::Integer(Integer::new(8, true))]
            }
            Name::Variable { name: "wide", .. } => vec![Number::Integer(Integer::new(64, true))],
            Name::Variable { name: "real", .. } => vec![Number::Float(64)],
            Name::Member("bits") => vec![Number::Integer(Integer::new(5, true))],
            Name::Variable { name: "mixed", .. } => {
                vec![Number::Integer(Integer::new(16, true)), Number::Integer(Integer::new(32, true))]
            }
            _ => Vec::new(),
        };
        refine(&mut file, &types);
        let is_kept = |one: &SourceLoop| {
            let of_scalars = one
                .scalars
                .iter()
                .filter(|own| own.name != "i")
                .flat_map(|own| &own.definitions)
                .filter_map(|own| own.update.as_ref());
            let of_arrays = one.arrays.iter().flat_map(|own| &own.accesses).map(|own| own.mode);
            of_scalars.map(|update| update.operator).any(is_combined)
                || of_arrays
                    .into_iter()
                    .any(|mode| matches!(mode, AccessMode::Update(operator) if is_combined(operator)))
        };
        file.loops.iter().map(is_kept).collect()
    }

    #[test]
    fn sums_of_truth_values() {
        let text = "int f(const int *a, struct flags flag, int n) { flags s = 0; for (int i = 0; i < n; i++) { flag[2] += a[i]; flag[1] |= a[i]; } return 0; }";
        let mut file = super::super::file(text.as_bytes(), Language::Cpp);
        refine(&mut file, &|name| match name {
            Name::Variable { name: "flag", .. } => vec![Number::Integer(Integer::new(1, false))],
            _ => Vec::new(),
        });
        let modes: Vec<AccessMode> = file.loops[0]
            .arrays
            .iter()
            .filter(|own| own.name == "flag")
            .flat_map(|own| &own.accesses)
            .map(|own| own.mode)
            .collect();
        assert_eq!(modes, [AccessMode::Update(Operator::Other), AccessMode::Update(Operator::Or)]);
    }

    #[test]
    fn minima_that_do_not_fit() {
        for (body, is_kept) in [
            ("if (a[i] > m) m = a[i];", true),
            ("if (a[i] > s) s = a[i];", false),
            ("if (a[i] > tiny) tiny = a[i];", false),
            ("if (q[i].v > tiny) tiny = q[i].v;", true),
            ("if (q[i].v > s) s = q[i].v;", true),
            ("if (q[i].v + 1 > tiny) tiny = q[i].v + 1;", false),
            ("if (wide[i] > m) m = wide[i];", false),
            ("if (*(wide + i) > m) m = *(wide + i);", false),
            ("if (abs(a[i]) > s) s = abs(a[i]);", false),
            ("if (a[i] > p.bits) p.bits = a[i];", false),
            ("if (q[i].v > p.bits) p.bits = q[i].v;", false),
            ("if (a[i] > wide[3]) wide[3] = a[i];", true),
            ("if (a[i] > tiny[3]) tiny[3] = a[i];", false),
            ("if (real[i] > m) m = real[i];", true),
            ("if (mixed[i] > s) s = mixed[i];", false),
            ("if (a[i] > mixed) mixed = a[i];", false),
            ("if ((short)a[i] > s) s = (short)a[i];", true),
            ("if (other[i] > tiny) tiny = other[i];", true),
            ("m += a[i];", true),
            ("m += real[i];", false),
            ("m *= real[i] * 0.5;", false),
            ("m += (int)(real[i] * 0.5);", true),
            ("m += real[i] > 3;", true),
            ("m += round(real[i]);", true),
            ("real[2] += real[i] * a[i];", true),
            ("wide[2] += real[i];", false),
            ("{ if (real[i] > f) { f = real[i]; m = i; } }", false),
            ("{ if (real[i] > d) { d = real[i]; m = i; } }", true),
        ] {
            let text = format!(
                "int f(const int *a, const struct q *q, int n) {{ int m = 0; short s = 0; float f = 0; double d = 0; for (int i = 0; i < n; i++) {{ {body} }} return m + s; }}"
            );
            assert_eq!(kept(Language::C, &text), [is_kept], "{body}");
        }
        let text = "subroutine f(a, n, m)\ninteger(8) a(n)\ninteger m(2)\ndo i = 1, n\nm(2) = max(m(2), int(a(i)))\nend do\ndo i = 1, n\nif (a(i) > m(1)) m(1) = a(i)\nend do\nend\n";
        assert_eq!(kept(Language::Fortran, text), [true, false]);
        let text = "int f(const std::vector<int> &a, int n) { short s = 0; for (int i = 0; i < n; i++) s = std::max<int>(s, a[i]); \
                    for (int i = 0; i < n; i++) s = std::max(s, static_cast<short>(a[i])); return s; }";
        assert_eq!(kept(Language::Cpp, text), [false, true]);
    }
}
