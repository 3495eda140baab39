//! What decides whether lines of a text run, by its syntax tree.
//!
//! Definition: a *control* is a condition, or the header of a loop, with the lines that it governs: those of its statement, and where that
//! leaves a loop or a function, all that follow to the end of the function.

use profile::lens::Language;
use tree_sitter::Node;

use super::{spelling, text};

/// Most nodes that are looked at.
const MOST: usize = 2_000_000;

/// A condition and what it governs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Control {
    /// The condition, or the header of a loop, as written.
    pub condition: String,
    /// First and last lines that it governs, from 1.
    pub governs: (u32, u32),
}

/// The controls of a text, in the order of their statements; of one that takes too long to parse there are none.
pub fn controls(bytes: &[u8], language: Language) -> Vec<Control> {
    let spelled = spelling::spelled(bytes, language);
    let Some(tree) = text::parse(&spelled, language, &[]) else { return Vec::new() };
    // Statements around the node, each with its place in what was found, and the last line of the function around.
    let mut around: Vec<(usize, usize)> = Vec::new();
    let mut functions: Vec<(usize, u32)> = Vec::new();
    let (mut cursor, mut out) = (tree.walk(), Vec::<Control>::new());
    let mut depth = 0usize;
    for _ in 0..MOST {
        let node = cursor.node();
        around.retain(|(_, own)| *own < depth);
        functions.retain(|(own, _)| *own < depth);
        if is_function(node) {
            functions.push((depth, text::end(node).line));
        }
        if leaves(node, &spelled) {
            let end = functions.last().map_or(text::end(tree.root_node()).line, |(_, end)| *end);
            for (at, _) in &around {
                if let Some(own) = out.get_mut(*at) {
                    own.governs.1 = own.governs.1.max(end);
                }
            }
        }
        if let Some(condition) = condition(node, &spelled) {
            around.push((out.len(), depth));
            out.push(Control { condition, governs: (text::start(node).line, text::end(node).line) });
        }
        if cursor.goto_first_child() {
            depth += 1;
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return out;
            }
            depth -= 1;
        }
    }
    out
}

fn is_function(node: Node) -> bool {
    node.is_named()
        && matches!(
            node.kind(),
            "function_definition"
                | "function_item"
                | "subroutine"
                | "function"
                | "program"
                | "module_procedure"
        )
}

/// Whether a statement has what follows it not run.
fn leaves(node: Node, bytes: &[u8]) -> bool {
    let is_word = || {
        let text = node.utf8_text(bytes).unwrap_or_default().trim_start().to_ascii_lowercase();
        ["return", "exit", "cycle", "stop", "go"].iter().any(|word| text.starts_with(word))
    };
    match node.kind() {
        "return_statement" | "break_statement" | "continue_statement" | "goto_statement"
        | "throw_statement" => node.is_named(),
        "keyword_statement" | "stop_statement" => is_word(),
        _ => false,
    }
}

/// The condition of a statement or an expression that has one, or the header of a loop.
fn condition(node: Node, bytes: &[u8]) -> Option<String> {
    let text = |node: Node| node.utf8_text(bytes).ok().map(str::to_owned);
    let first_of = |kinds: &[&str]| {
        let mut cursor = node.walk();
        node.children(&mut cursor).find(|child| kinds.contains(&child.kind())).and_then(text)
    };
    if !node.is_named() {
        return None;
    }
    match node.kind() {
        "if_statement"
        | "while_statement"
        | "do_statement"
        | "switch_statement"
        | "conditional_expression" => match node.child_by_field_name("condition") {
            Some(own) => text(own),
            None => first_of(&["parenthesized_expression", "while_statement", "loop_control_expression"]),
        },
        "for_statement" => {
            let parts = ["initializer", "condition", "update"];
            let parts = parts.into_iter().filter_map(|part| node.child_by_field_name(part)).filter_map(text);
            Some(parts.collect::<Vec<String>>().join("; "))
        }
        "for_range_loop" => node.child_by_field_name("right").and_then(text),
        "elseif_clause" | "where_statement" | "elsewhere_clause" | "arithmetic_if_statement" => {
            first_of(&["parenthesized_expression"])
        }
        // Their first lines.
        "select_case_statement" | "do_loop" | "do_loop_statement" => {
            let own = text(node)?;
            own.lines().next().map(str::to_owned)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, language: Language) -> Vec<(String, (u32, u32))> {
        let all = controls(text.as_bytes(), language);
        all.into_iter().map(|own| (own.condition, own.governs)).collect()
    }

    #[test]
    fn conditions_govern_their_statements() {
        let c = "void f(int n) {\n if (n == 1)\n  a();\n else\n  b();\n for (int i = 0; i < n; i++)\n  c();\n d();\n}\n";
        let own = found(c, Language::C);
        assert_eq!(own[0], ("(n == 1)".to_owned(), (2, 5)));
        assert_eq!((own[1].0.contains("i < n"), own[1].1), (true, (6, 7)));
    }

    #[test]
    fn conditions_to_leave_govern_what_follows() {
        let c = "void f(int n) {\n if (n > 1)\n  return;\n a();\n b();\n}\nvoid g(void) {\n a();\n}\n";
        assert_eq!(found(c, Language::C), [("(n > 1)".to_owned(), (2, 6))]);
    }

    #[test]
    fn conditions_of_fortran() {
        let f = "subroutine s(n)\n if (n == 1) then\n  call a()\n end if\n if (n > 1) return\n call b()\nend subroutine\n";
        let own = found(f, Language::Fortran);
        assert_eq!(own[0].0, "(n == 1)");
        assert!(own[0].1.0 == 2 && own[1].0 == "(n > 1)" && own[1].1.1 >= 6, "{own:?}");
    }
}
