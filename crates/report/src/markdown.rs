//! Tables in Markdown, and what their cells hold.

use std::fmt::Write;

/// The name of a program's file.
pub fn file_name(argv: &[String]) -> &str {
    argv.first().map_or("", |path| path.rsplit('/').next().unwrap_or(path))
}

/// A name without what follows a dot: what publications call the program.
pub fn stem(name: &str) -> &str {
    name.split('.').next().filter(|stem| !stem.is_empty()).unwrap_or(name)
}

/// A count as the publication prints it: 950, 19K, 3M, 1G.
pub fn short(count: u64) -> String {
    match [(1_000_000_000, "G"), (1_000_000, "M"), (1000, "K")].into_iter().find(|(unit, _)| count >= *unit) {
        Some((unit, letter)) => format!("{}{letter}", count / unit),
        None => count.to_string(),
    }
}

/// Lines of cells as a table in Markdown, the first being the head; figures stand to the right, text to the left.
pub fn aligned(lines: &[Vec<String>], is_text: &dyn Fn(usize) -> bool) -> String {
    let columns = lines.first().map_or(0, Vec::len);
    let width = |column: usize| lines.iter().map(|cells| cells[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut out = String::new();
    for (at, cells) in lines.iter().enumerate() {
        for (column, (cell, &width)) in cells.iter().zip(&widths).enumerate() {
            // Writing to a string cannot fail.
            let _ = match is_text(column) {
                true => write!(out, "| {cell:<width$} "),
                false => write!(out, "| {cell:>width$} "),
            };
        }
        out.push_str("|\n");
        if at == 0 {
            for (column, &width) in widths.iter().enumerate() {
                let dashes = "-".repeat(width);
                out += &if is_text(column) { format!("|-{dashes}-") } else { format!("|-{dashes}:") };
            }
            out.push_str("|\n");
        }
    }
    out
}
