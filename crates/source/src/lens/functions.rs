//! Where the functions of a text are, by its syntax tree.

use profile::lens::Language;
use tree_sitter::Node;

use super::{spelling, text};

/// Most nodes that are looked at.
const MOST: usize = 2_000_000;

/// First and last lines, from 1, of the functions of a text, ascending; in Fortran also of those inside of others, and of programs. Those in a
/// part that was not understood are found where their own text is; of a text that takes too long to parse there are none.
pub fn functions(bytes: &[u8], language: Language) -> Vec<(u32, u32)> {
    let spelled = spelling::spelled(bytes, language);
    let Some(tree) = text::parse(&spelled, language, &[]) else { return Vec::new() };
    let is_function = |node: Node| {
        matches!(
            node.kind(),
            "function_definition"
                | "inline_method_definition"
                | "function_item"
                | "subroutine"
                | "function"
                | "program"
                | "module_procedure"
        ) && node.is_named()
    };
    let is_nested = matches!(language, Language::Fortran | Language::FixedFortran);
    let (mut cursor, mut out) = (tree.walk(), Vec::new());
    for _ in 0..MOST {
        let node = cursor.node();
        let is_one = is_function(node);
        if is_one {
            out.push((text::start(node).line, last_line(node)));
        }
        // What was not understood may have taken in functions that follow.
        if (!is_one || is_nested || node.has_error()) && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                out.sort_unstable();
                return out;
            }
        }
    }
    out.sort_unstable();
    out
}

/// The line of the last character of a node, the end of its line apart.
fn last_line(node: Node) -> u32 {
    let end = text::end(node);
    if node.end_position().column == 0 { end.line.saturating_sub(1) } else { end.line }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_end_where_their_braces_do() {
        let c = "static int v; void x(void) {\n for (;;) {\n} }\n  int y(void)\n  { return 1;\n  }\nint z;\n";
        assert_eq!(functions(c.as_bytes(), Language::C), [(1, 3), (4, 6)]);
        let cpp = "namespace n {\n struct S {\n  void f() {\n   auto g = [] { };\n  }\n  int h() { return 1; }\n };\n}\n";
        assert_eq!(functions(cpp.as_bytes(), Language::Cpp), [(3, 5), (6, 6)]);
        let fortran =
            "program p\n call s\ncontains\n subroutine s\n  print *, 1\n end subroutine\nend program\n";
        assert_eq!(functions(fortran.as_bytes(), Language::Fortran), [(1, 7), (4, 6)]);
        let rust = "fn f() {\n}\nmod m { fn g() {} }\n";
        assert_eq!(functions(rust.as_bytes(), Language::Rust), [(1, 2), (3, 3)]);
    }

    #[test]
    fn what_is_not_understood_hides_none() {
        let c = "void f(void) {\n MACRO(1) x {{ ;\n#else\n}\nvoid g(void) {\n}\n";
        let found = functions(c.as_bytes(), Language::C);
        assert!(found.iter().any(|own| own.0 == 5) || found.is_empty(), "{found:?}");
        for text in ["", "{", "}", "void f(", "\u{0}"] {
            functions(text.as_bytes(), Language::Cpp);
        }
    }
}
