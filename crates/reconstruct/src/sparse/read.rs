//! Matrices in Matrix Market's coordinate format (Boisvert, Pozo and Remington, "The Matrix Market exchange formats: initial
//! design", NIST 1996), read by `sprs`.
//!
//! `sprs` waits for ever at the end of a file that has a header alone, and asserts what files may have wrong. So the text is
//! looked at first.

use std::str::FromStr;

use sprs::TriMatI;
use sprs::io::read_matrix_market_from_bufread;
use sprs::num_kinds::Pattern;
use thiserror::Error;

use super::Matrix;

/// Why a file is no matrix.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum Error {
    /// It does not begin as such a file does.
    #[error("no Matrix Market file: it does not begin with %%MatrixMarket matrix")]
    Foreign,
    /// Something else than real numbers one by one.
    #[error(
        "matrices of this kind cannot be taken: {0} (coordinate matrices of real numbers, integers or patterns can)"
    )]
    Kind(String),
    /// A line that says something impossible.
    #[error("line {line}: {what}")]
    Line {
        /// From 1.
        line: usize,
        /// What is wrong there.
        what: &'static str,
    },
    /// It ends too early or goes on too long.
    #[error("{stated} entries are stated, and {found} are there")]
    Length {
        /// What the line of sizes says.
        stated: usize,
        /// Lines that follow.
        found: usize,
    },
    /// What else is wrong.
    #[error("{0}")]
    Library(String),
}

/// Rows and columns, at most.
const MOST: usize = 1 << 26;

/// Reads the text of a file. Entries at the same place are added; patterns have ones.
///
/// # Errors
/// If it is no coordinate matrix of real numbers, integers or a pattern.
pub fn read(text: &str) -> Result<Matrix, Error> {
    let header = text.lines().next().unwrap_or_default().to_lowercase();
    let mut words = header.split_whitespace();
    if words.next() != Some("%%matrixmarket") || words.next() != Some("matrix") {
        return Err(Error::Foreign);
    }
    let (format, field) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    if format != "coordinate" {
        return Err(Error::Kind(format.to_owned()));
    }
    look_at(text)?;
    let library = |error: sprs::io::IoError| Error::Library(error.to_string());
    let mut bytes = text.as_bytes();
    match field {
        "real" | "double" => Ok(compressed(
            &read_matrix_market_from_bufread::<f64, usize, _>(&mut bytes).map_err(library)?,
            |v| *v,
        )),
        "integer" => Ok(compressed(
            &read_matrix_market_from_bufread::<i64, usize, _>(&mut bytes).map_err(library)?,
            |v| *v as f64,
        )),
        "pattern" => Ok(compressed(
            &read_matrix_market_from_bufread::<Pattern, usize, _>(&mut bytes).map_err(library)?,
            |_| 1.0,
        )),
        other => Err(Error::Kind(other.to_owned())),
    }
}

/// Whether sizes and places are possible.
fn look_at(text: &str) -> Result<(), Error> {
    let lines = text.lines().enumerate().skip(1).map(|(k, line)| (k + 1, line.trim()));
    let mut lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('%'));
    let (line, sizes) = lines.next().ok_or(Error::Line { line: 1, what: "no sizes follow" })?;
    let bad = |line, what| Error::Line { line, what };
    let mut numbers = sizes.split_whitespace().map(usize::from_str);
    let (Some(Ok(rows)), Some(Ok(columns)), Some(Ok(stated)), None) =
        (numbers.next(), numbers.next(), numbers.next(), numbers.next())
    else {
        return Err(bad(line, "three sizes are expected: rows, columns, entries"));
    };
    if rows > MOST || columns > MOST {
        return Err(bad(line, "more than 67108864 rows or columns"));
    }
    let mut found = 0;
    for (line, entry) in lines {
        let mut numbers = entry.split_whitespace().map(usize::from_str);
        let within =
            |number: Option<Result<usize, _>>, most| matches!(number, Some(Ok(n)) if (1..=most).contains(&n));
        if !within(numbers.next(), rows) || !within(numbers.next(), columns) {
            return Err(bad(line, "a row and a column of the matrix are expected"));
        }
        found += 1;
    }
    if found == stated { Ok(()) } else { Err(Error::Length { stated, found }) }
}

/// In rows, entries at the same place added.
fn compressed<N>(triplets: &TriMatI<N, usize>, value: impl Fn(&N) -> f64) -> Matrix {
    let places = triplets.row_inds().iter().zip(triplets.col_inds());
    let mut entries: Vec<(usize, usize, f64)> =
        places.zip(triplets.data()).map(|((&row, &column), v)| (row, column, value(v))).collect();
    entries.sort_by_key(|&(row, column, _)| (row, column));
    entries.dedup_by(|later, first| {
        let is_same = (later.0, later.1) == (first.0, first.1);
        if is_same {
            first.2 += later.2;
        }
        is_same
    });
    let mut starts = vec![0; triplets.rows() + 1];
    entries.iter().for_each(|entry| starts[entry.0 + 1] += 1);
    (0..triplets.rows()).for_each(|row| starts[row + 1] += starts[row]);
    Matrix {
        // Both were compared with MOST.
        rows: triplets.rows() as u32,
        columns: triplets.cols() as u32,
        starts,
        column: entries.iter().map(|entry| entry.1 as u32).collect(),
        value: entries.iter().map(|entry| entry.2).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symmetric_halves_and_patterns_are_completed() {
        let text = "%%MatrixMarket matrix coordinate real symmetric\n% a comment\n3 3 4\n1 1 2.5\n2 1 -1\n3 3 4\n3 3 1\n";
        let matrix = read(text).expect("a matrix");
        assert_eq!((matrix.rows, matrix.columns, &matrix.starts[..]), (3, 3, &[0, 2, 3, 4][..]));
        assert_eq!((&matrix.column[..], &matrix.value[..]), (&[0, 1, 0, 2][..], &[2.5, -1.0, -1.0, 5.0][..]));
        let pattern =
            read("%%MatrixMarket matrix coordinate pattern general\n2 3 2\n2 3\n1 1\n").expect("a pattern");
        assert_eq!((&pattern.column[..], &pattern.value[..]), (&[0, 2][..], &[1.0, 1.0][..]));
        let integers =
            read("%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 7\n").expect("integers");
        assert_eq!(integers.value, [7.0]);
    }

    /// A header alone kept `sprs` waiting for ever; places outside, and counts that are none, stopped it.
    #[test]
    fn what_is_no_matrix_is_refused_by_name() {
        let head = "%%MatrixMarket matrix coordinate real general\n";
        let of = |rest: &str| read(&format!("{head}{rest}")).expect_err("refused").to_string();
        assert_eq!(of(""), "line 1: no sizes follow");
        assert_eq!(of("3 3\n"), "line 2: three sizes are expected: rows, columns, entries");
        assert_eq!(of("3 3 1\n4 1 1.0\n"), "line 3: a row and a column of the matrix are expected");
        assert_eq!(of("3 3 1\n0 1 1.0\n"), "line 3: a row and a column of the matrix are expected");
        assert_eq!(of("3 3 9999999999999\n1 1 1.0\n"), "9999999999999 entries are stated, and 1 are there");
        assert_eq!(of("9999999999 3 0\n"), "line 2: more than 67108864 rows or columns");
        assert!(of("3 3 1\n1 1 much\n").starts_with("Bad matrix market file"));
        assert_eq!(read("1 2 3\n"), Err(Error::Foreign));
        assert_eq!(
            read("%%MatrixMarket matrix array real general\n1 1\n1\n"),
            Err(Error::Kind("array".into()))
        );
        let complex = read("%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 2\n");
        assert_eq!(complex, Err(Error::Kind("complex".into())));
    }
}
