//! Lambdas of C++.

use tree_sitter::Node;

use super::super::text::{children, words};
use super::super::written::ClosureText;
use super::C;

impl C<'_> {
    /// Reads a lambda. Captures with an initialiser are declared like parameters.
    pub(super) fn lambda(&self, node: Node, depth: u32) -> ClosureText {
        let mut out = ClosureText {
            parameters: Vec::new(),
            body: Vec::new(),
            copies: true,
            copied: Vec::new(),
            referred: Vec::new(),
        };
        if let Some(captures) = node.child_by_field_name("captures") {
            for capture in children(captures) {
                let text = self.text.tight(capture);
                match capture.kind() {
                    "lambda_default_capture" => out.copies = text == "=",
                    "lambda_capture_initializer" => {
                        let name = text.split('=').next().unwrap_or_default();
                        match name.strip_prefix('&') {
                            // Another name for what the initialiser says.
                            Some(_) => out.referred.extend(words(&text).map(str::to_owned)),
                            None => out.parameters.push(super::super::written::Declaration::plain(
                                name.to_owned(),
                                super::super::text::start(capture),
                            )),
                        }
                    }
                    _ => match text.strip_prefix('&') {
                        Some(name) => out.referred.push(name.to_owned()),
                        None if self.is_after_ampersand(capture) => out.referred.push(text),
                        None => out.copied.push(text),
                    },
                }
            }
        }
        // Members are reached through the object, which is never copied unless `*this` says so.
        if !out.copied.iter().any(|name| name == "*this") {
            out.referred.push("this".to_owned());
            out.copied.retain(|name| name != "this");
        }
        if let Some(declarator) = node.child_by_field_name("declarator") {
            out.parameters.extend(self.parameters(declarator, depth));
        }
        if let Some(body) = node.child_by_field_name("body") {
            out.body = self.statements(&children(body), depth);
        }
        out
    }

    fn is_after_ampersand(&self, node: Node) -> bool {
        let before = self.text.bytes.get(..node.start_byte()).unwrap_or_default();
        before.iter().rev().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'&')
    }
}
