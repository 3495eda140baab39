//! Text of a profile in HTML and in scripts: nothing of it is ever markup.

use crate::frames;

/// Text between tags and in quoted attributes.
pub fn text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // Controls are no characters of HTML.
            '\t' | '\n' => out.push(c),
            c if c.is_control() => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// A name: on one line, cut where it is very long.
pub fn name(name: &str) -> String {
    text(&frames::clean(name))
}

/// JSON inside a script element. A `<` occurs in strings alone, where it may as well be written by its number; so nothing
/// can end the element or begin a comment.
pub fn json(json: &str) -> String {
    json.replace('<', "\\u003c").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_markup() {
        assert_eq!(text("a<b> & \"c\" 'd'\u{1}"), "a&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39;\u{fffd}");
        assert_eq!(json(r#"["</script><!--"]"#), r#"["\u003c/script>\u003c!--"]"#);
        let back: Vec<String> = serde_json::from_str(&json(r#"["</script><!--"]"#)).expect("still JSON");
        assert_eq!(back, ["</script><!--"]);
        assert_eq!(name("a\nb\u{202e}c"), "a\u{fffd}b\u{fffd}c");
        assert!(name(&"x".repeat(1000)).chars().count() == frames::MOST_NAME + 1);
    }
}
