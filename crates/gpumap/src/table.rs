//! Rows of text in columns.

use std::fmt::Write as _;

/// Rows with cells under each other, indented by two, two spaces between columns. The last cell of a row may be of any length.
pub fn table(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let length = |cell: &String| cell.chars().count();
    let is_last = |row: &&Vec<String>, column: usize| column + 1 == row.len();
    let width = |column: usize| {
        let cells = rows.iter().filter(|row| !is_last(row, column)).filter_map(|row| row.get(column));
        cells.map(length).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut out = String::new();
    for row in rows {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(&widths) {
            // Writing to a string cannot fail.
            let _ = write!(line, "  {cell:width$}");
        }
        let _ = writeln!(out, "{}", line.trim_end());
    }
    out
}

#[cfg(test)]
mod tests {
    #[test]
    fn columns_are_as_wide_as_their_cells() {
        let rows = [["a", "bcd", "e"], ["fgh", "i", "a long end"]].map(|row| row.map(str::to_owned).to_vec());
        assert_eq!(super::table(&rows), "  a    bcd  e\n  fgh  i    a long end\n");
    }
}
