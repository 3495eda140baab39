//! A file's bytes with its tree: positions, texts, limits.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap};
use std::ops::{ControlFlow, Range};
use std::time::{Duration, Instant};

use profile::lens::{Directive, Language, Position};
use tree_sitter::{Node, ParseOptions, Parser, Tree};

/// Parsing that takes longer is given up.
const LONGEST: Duration = Duration::from_secs(5);

/// Texts of expressions are kept up to this length, in bytes.
const LONGEST_TEXT: usize = 2000;

/// The words of a text: names, keywords, numbers.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> + Clone {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// What a macro stands for, without comments: the one at the end of its line is taken for a part of it.
pub(super) fn without_comments(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("/*").into_iter().chain(rest.find("//")).min() {
        out.push_str(&rest[..at]);
        out.push(' ');
        let is_block = rest[at..].starts_with("/*");
        rest = match rest[at + 2..].find("*/").filter(|_| is_block) {
            Some(end) => &rest[at + 2 + end + 2..],
            None => "",
        };
    }
    out.push_str(rest);
    out
}

/// A file's text, while it is read.
pub(super) struct Text<'a> {
    pub bytes: &'a [u8],
    /// What marks a statement as going on in the next line.
    continuation: &'static str,
    /// Something was not read because a limit was reached.
    pub cut_short: Cell<bool>,
    /// What is read in the place of ranges, by their beginning and end.
    shown: RefCell<HashMap<(usize, usize), String>>,
    /// Directives before the bodies of statements, by where these begin.
    directives: BTreeMap<usize, Vec<Directive>>,
    /// Text that is not in the file; its ranges begin where the file ends.
    added: RefCell<String>,
}

impl<'a> Text<'a> {
    pub(super) fn new(bytes: &'a [u8], language: Language) -> Text<'a> {
        let continuation = match language {
            Language::Fortran | Language::FixedFortran => "&",
            Language::C | Language::Cpp | Language::Rust => "\\",
        };
        Text {
            bytes,
            continuation,
            cut_short: Cell::new(false),
            shown: RefCell::default(),
            directives: BTreeMap::new(),
            added: RefCell::default(),
        }
    }

    /// The same with directives before the bodies of statements, by where these begin, of which the bytes have blanks.
    pub(super) fn with_directives(self, directives: BTreeMap<usize, Vec<Directive>>) -> Text<'a> {
        Text { directives, ..self }
    }

    /// Directives that stand before a statement which begins at a byte and is the body of another one.
    pub(super) fn before(&self, start: usize) -> &[Directive] {
        self.directives.get(&start).map_or(&[], Vec::as_slice)
    }

    /// The text of a node, what is not UTF-8 replaced.
    pub(super) fn of(&self, node: Node) -> String {
        self.written(&node.byte_range())
    }

    /// Has a text read in the place of a range.
    pub(super) fn show(&self, range: Range<usize>, text: String) {
        self.shown.borrow_mut().insert((range.start, range.end), text);
    }

    /// Whether another text is read in the place of a range.
    pub(super) fn is_shown(&self, range: &Range<usize>) -> bool {
        self.shown.borrow().contains_key(&(range.start, range.end))
    }

    /// Adds a text that is not in the file; gives its range.
    pub(super) fn add(&self, text: &str) -> Range<usize> {
        let mut added = self.added.borrow_mut();
        let start = self.bytes.len() + added.len();
        added.push_str(text);
        start..start + text.len()
    }

    /// The bytes of a node, what is not UTF-8 replaced.
    pub(super) fn raw(&self, node: Node) -> std::borrow::Cow<'a, str> {
        String::from_utf8_lossy(self.bytes.get(node.byte_range()).unwrap_or_default())
    }

    /// The text of a range, white space and line continuations as single spaces, what is not UTF-8 replaced. Of long texts
    /// the beginning, and where they stand, so that different ones stay different.
    pub(super) fn range(&self, range: &Range<usize>) -> String {
        if let Some(text) = self.shown.borrow().get(&(range.start, range.end)) {
            return text.clone();
        }
        match (range.start.checked_sub(self.bytes.len()), range.end.checked_sub(self.bytes.len())) {
            (Some(start), Some(end)) if start < end => {
                self.added.borrow().get(start..end).unwrap_or_default().to_owned()
            }
            _ => self.written(range),
        }
    }

    /// The text of a range of the file, likewise.
    fn written(&self, range: &Range<usize>) -> String {
        let is_long = range.len() > LONGEST_TEXT;
        let end = if is_long { range.start + LONGEST_TEXT } else { range.end };
        let text = String::from_utf8_lossy(self.bytes.get(range.start..end).unwrap_or_default());
        let mut text = if text.contains(char::is_whitespace) {
            text.split_whitespace().filter(|word| *word != self.continuation).collect::<Vec<_>>().join(" ")
        } else {
            text.into_owned()
        };
        if is_long {
            text.push_str(&format!("… (at {})", range.start));
        }
        text
    }

    /// The text of a node without white space.
    pub(super) fn tight(&self, node: Node) -> String {
        self.of(node).split_whitespace().collect()
    }
}

/// The first character of a node.
pub(super) fn start(node: Node) -> Position {
    let point = node.start_position();
    Position { line: number(point.row) + 1, column: number(point.column) + 1 }
}

/// The last character of a node.
pub(super) fn end(node: Node) -> Position {
    let point = node.end_position();
    Position { line: number(point.row) + 1, column: number(point.column).max(1) }
}

fn number(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX - 1)
}

/// The named children of a node that are no comments.
pub(super) fn children<'t>(node: Node<'t>) -> Vec<Node<'t>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).filter(|child| !child.is_extra() || child.is_error()).collect()
}

/// The children of a node in a field.
pub(super) fn in_field<'t>(node: Node<'t>, field: &str) -> Vec<Node<'t>> {
    let mut cursor = node.walk();
    node.children_by_field_name(field, &mut cursor).filter(|child| !child.is_extra()).collect()
}

/// Parses bytes, or ranges of them. `None` if it takes too long.
pub(super) fn parse(bytes: &[u8], language: Language, ranges: &[tree_sitter::Range]) -> Option<Tree> {
    let grammar: tree_sitter::Language = match language {
        Language::C => tree_sitter_c::LANGUAGE.into(),
        Language::Cpp => tree_sitter_cpp::LANGUAGE.into(),
        Language::Fortran | Language::FixedFortran => tree_sitter_fortran::LANGUAGE.into(),
        Language::Rust => tree_sitter_rust::LANGUAGE.into(),
    };
    let mut parser = Parser::new();
    parser.set_language(&grammar).ok()?;
    parser.set_included_ranges(ranges).ok()?;
    let began = Instant::now();
    let mut progress = |_: &tree_sitter::ParseState| {
        if began.elapsed() > LONGEST { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let mut input = |at: usize, _| bytes.get(at..).unwrap_or_default();
    parser.parse_with_options(&mut input, None, Some(options))
}

/// Number of nodes that were not understood, up to a limit.
pub(super) fn errors(root: Node) -> usize {
    if !root.has_error() {
        return 0;
    }
    let mut cursor = root.walk();
    let mut count = 0;
    for _ in 0..200_000 {
        let node = cursor.node();
        count += usize::from(node.is_error() || node.is_missing());
        if node.has_error() && !node.is_error() && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return count;
            }
        }
    }
    count
}
