//! Types of C, as clang prints them.

use crate::nest::is_integer;

/// The type of a number, or of an array of numbers or structures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shape {
    /// The type of the number, or of the elements.
    pub element: String,
    /// How it is an array; `None` for a number.
    pub rows: Option<Rows>,
}

/// How elements are arranged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rows {
    /// Numbers of rows, if it is an array itself and no pointer to its first row.
    pub count: Option<String>,
    /// Lengths of rows, the outermost first.
    pub lengths: Vec<String>,
}

impl Rows {
    /// Whether the number of rows is known to the compiler, or there is none.
    pub fn is_sized(&self) -> bool {
        self.count.as_ref().is_none_or(|count| count.parse::<u64>().is_ok())
    }
}

impl Shape {
    /// That of a type; `None` for pointers to pointers, functions, and structures by themselves.
    pub fn of(type_name: &str) -> Option<Shape> {
        let (base, sizes) = match type_name.split_once('[') {
            Some((base, sizes)) => (base.trim(), sizes.trim_end().strip_suffix(']')?.split("][").collect()),
            None => (type_name.trim(), Vec::new()),
        };
        let base = ["restrict", "const", "volatile"].iter().fold(base, |base, word| {
            base.strip_suffix(word).filter(|rest| rest.ends_with('*')).unwrap_or(base)
        });
        let to_row = |base: &str| {
            let (element, pointer) = base.split_once('(')?;
            matches!(pointer.trim_end_matches(')'), "*" | "*restrict" | "*const")
                .then(|| element.trim().to_owned())
        };
        let lengths = |sizes: &[&str]| sizes.iter().map(|size| (*size).to_owned()).collect();
        let (element, rows) = match (sizes.split_first(), base.strip_suffix('*')) {
            (None, None) => (base.to_owned(), None),
            (None, Some(element)) => {
                (element.trim().to_owned(), Some(Rows { count: None, lengths: Vec::new() }))
            }
            (Some(_), _) if base.ends_with(')') => {
                (to_row(base)?, Some(Rows { count: None, lengths: lengths(&sizes) }))
            }
            (Some(_), Some(_)) => return None,
            (Some((count, inner)), None) => {
                let count = Some((*count).to_owned());
                (base.to_owned(), Some(Rows { count, lengths: lengths(inner) }))
            }
        };
        let shape = Shape { element, rows };
        let is_plain =
            !shape.element.contains(['*', '(', '[']) && !["", "void"].contains(&shape.plain_element());
        let is_known = shape.rows.is_some() || is_number(&shape.element);
        (is_plain && is_known).then_some(shape)
    }

    /// Lengths of rows.
    pub fn lengths(&self) -> impl Iterator<Item = &str> {
        self.rows.iter().flat_map(|rows| rows.lengths.iter().map(String::as_str))
    }

    /// Whether all lengths are numbers.
    pub fn is_fixed(&self) -> bool {
        self.lengths().all(|length| length.parse::<u64>().is_ok())
    }

    /// The declaration of something of this type; an array as a pointer to its first row, without the lengths that are not
    /// numbers.
    pub fn declared(&self, name: &str) -> String {
        let element = &self.element;
        match &self.rows {
            None => format!("{element} {name}"),
            Some(rows) if rows.lengths.is_empty() || !self.is_fixed() => format!("{element} *{name}"),
            Some(rows) => format!("{element} (*{name})[{}]", rows.lengths.join("][")),
        }
    }

    /// The type of a pointer to the first row.
    pub fn pointer(&self) -> String {
        self.declared("").trim_end().to_owned()
    }

    /// The element without `const`.
    pub fn plain_element(&self) -> &str {
        self.element.trim_start_matches("const ")
    }
}

/// Whether a type is one of numbers, by its own name.
pub fn is_number(type_name: &str) -> bool {
    let base = type_name.trim_start_matches("const ").trim_start_matches("volatile ");
    is_integer(base) || matches!(base, "float" | "double" | "_Bool" | "bool") || base.starts_with("enum ")
}

/// The words of a text that are names or numbers.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|part: char| !part.is_ascii_alphanumeric() && part != '_').filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_taken_apart() {
        let declared = |text: &str| Shape::of(text).map(|shape| shape.declared("x"));
        let cases = [
            ("int", "int x"),
            ("unsigned char", "unsigned char x"),
            ("double *", "double *x"),
            ("const real *restrict", "const real *x"),
            ("double *const", "double *x"),
            ("double[100][200]", "double (*x)[200]"),
            ("float[8]", "float *x"),
            ("double (*)[m]", "double *x"),
            ("double (*)[20]", "double (*x)[20]"),
            ("double (*restrict)[4][5]", "double (*x)[4][5]"),
            ("struct particle *", "struct particle *x"),
        ];
        for (text, expected) in cases {
            assert_eq!(declared(text).as_deref(), Some(expected), "{text}");
        }
        for text in [
            "double **",
            "int (*)(int)",
            "void *",
            "const void *",
            "struct particle",
            "double *[4]",
            "image_t",
        ] {
            assert_eq!(declared(text), None, "{text}");
        }
        assert!(!Shape::of("double (*)[n + 1]").is_some_and(|shape| shape.is_fixed()));
    }
}
