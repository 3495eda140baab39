//! Sections of `docs/design/algorithms.md` that comments cite are there, and comments have nothing to run.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The number that a text begins with: `2`, `2.6`, `2.6a`; without a point that ends a sentence.
fn number(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '.').unwrap_or(text.len());
    text[..end].trim_end_matches('.')
}

/// The sections that a text cites: `ALGORITHMS 2.5`, `ALGORITHMS 3.3 and 3.8`, `ALGORITHMS section 4`.
fn cited(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    for (at, name) in text.match_indices("ALGORITHMS ") {
        let mut rest = text[at + name.len()..].trim_start_matches("section ");
        loop {
            let own = number(rest);
            if !own.starts_with(|c: char| c.is_ascii_digit()) {
                break;
            }
            out.push(own.to_owned());
            rest = &rest[own.len()..];
            match [" and ", " to ", ", "].iter().find_map(|joint| rest.strip_prefix(joint)) {
                Some(next) => rest = next,
                None => break,
            }
        }
    }
    out
}

fn sources(directory: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && path.file_name().is_some_and(|name| name != "target") {
            sources(&path, out);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            out.push(path);
        }
    }
}

/// Code in comments of documentation would be tests that nothing here runs: the book has the examples, and what runs them.
#[test]
fn comments_have_no_code_to_run() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = Vec::new();
    ["crates", "kernels", "python/src"]
        .iter()
        .for_each(|directory| sources(&root.join(directory), &mut files));
    for file in &files {
        let text = std::fs::read_to_string(file).unwrap();
        let comments = text
            .lines()
            .map(str::trim_start)
            .filter_map(|line| line.strip_prefix("///").or_else(|| line.strip_prefix("//!")).map(str::trim));
        let fences: Vec<&str> = comments.filter(|line| line.starts_with("```")).collect();
        let is_text = |pair: &[&str]| pair[0] == "```text" && pair.get(1) == Some(&"```");
        assert!(fences.chunks(2).all(is_text), "{}: {fences:?}", file.display());
    }
}

#[test]
fn cited_sections_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = std::fs::read_to_string(root.join("docs/design/algorithms.md")).unwrap();
    let heads = text.lines().filter_map(|line| line.strip_prefix('#'));
    let heads: BTreeSet<&str> = heads.map(|head| number(head.trim_start_matches(['#', ' ']))).collect();
    assert!(heads.contains("2.5") && heads.contains("2.6a") && heads.contains("8"), "{heads:?}");
    let mut files = Vec::new();
    for directory in ["crates", "xtask", "kernels"] {
        sources(&root.join(directory), &mut files);
    }
    let mut count = 0;
    for file in files.iter().filter(|file| !file.ends_with("tests/design.rs")) {
        for section in cited(&std::fs::read_to_string(file).unwrap()) {
            // `2.8.11` is an item of 2.8.
            let head: Vec<&str> = section.split('.').take(2).collect();
            assert!(heads.contains(head.join(".").as_str()), "{}: no section {section}", file.display());
            count += 1;
        }
    }
    assert!(count > 40, "{count} citations");
}

#[test]
fn citations_are_read() {
    for (text, sections) in [
        ("(ALGORITHMS 2.5).", &["2.5"][..]),
        ("ALGORITHMS 3.3 and 3.8: x", &["3.3", "3.8"]),
        ("ALGORITHMS section 4; ALGORITHMS 1.3 to 1.6.", &["4", "1.3", "1.6"]),
        ("as ALGORITHMS prints it", &[]),
        ("ALGORITHMS 2.6a, of 3", &["2.6a"]),
    ] {
        assert_eq!(cited(text), sections, "{text}");
    }
}
