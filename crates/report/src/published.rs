//! Published figures, to print beside measured ones.
//!
//! The file is comma-separated with a head; cells may be quoted. Columns are found by name, `benchmark` and those of the table
//! that is printed; cells are printed as they stand.

/// Figures by program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Published {
    head: Vec<String>,
    rows: Vec<Vec<String>>,
}

/// What is wrong with a file of figures.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CsvError {
    /// The head lacks a column.
    #[error("line 1: no column {0}")]
    Column(&'static str),
    /// A line has another number of cells than the head.
    #[error("line {line}: {found} cells under a head of {expected}")]
    Cells {
        /// Counted from 1.
        line: usize,
        /// Cells of the head.
        expected: usize,
        /// Cells of the line.
        found: usize,
    },
    /// A quoted cell does not end on its line.
    #[error("line {0}: a quoted cell does not end")]
    Quote(usize),
}

/// Column with the names of programs.
const NAME: &str = "benchmark";

impl Published {
    /// Reads a file's text; `columns` must be there.
    ///
    /// # Errors
    /// Naming the line that is not as the module describes.
    pub fn parse(text: &str, columns: &[&'static str]) -> Result<Published, CsvError> {
        let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let head = lines.next().map_or(Ok(Vec::new()), |(at, line)| cells(at, line))?;
        if let Some(missing) =
            [NAME].iter().chain(columns).find(|name| !head.iter().any(|cell| cell == *name))
        {
            return Err(CsvError::Column(missing));
        }
        let mut rows = Vec::new();
        for (at, line) in lines {
            let all = cells(at, line)?;
            if all.len() != head.len() {
                return Err(CsvError::Cells { line: at + 1, expected: head.len(), found: all.len() });
            }
            rows.push(all);
        }
        Ok(Published { head, rows })
    }

    /// The cells of a program, `-` where a column is `None`; `None` if the program is not in the file.
    pub fn cells(&self, program: &str, columns: &[Option<&str>]) -> Option<Vec<String>> {
        let find = |name: &str| self.head.iter().position(|cell| cell == name);
        let name = find(NAME)?;
        let row = self.rows.iter().find(|row| row[name].eq_ignore_ascii_case(program))?;
        let cell = |column: &Option<&str>| column.and_then(find).map_or("-", |at| &row[at]).to_owned();
        Some(columns.iter().map(cell).collect())
    }
}

/// The cells of a line.
fn cells(at: usize, line: &str) -> Result<Vec<String>, CsvError> {
    let mut cells = vec![String::new()];
    let mut quoted = false;
    let mut characters = line.trim_end_matches('\r').chars().peekable();
    while let Some(c) = characters.next() {
        match c {
            '"' if quoted && characters.peek() == Some(&'"') => {
                characters.next();
                cells.last_mut().into_iter().for_each(|cell| cell.push('"'));
            }
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(String::new()),
            c => cells.last_mut().into_iter().for_each(|cell| cell.push(c)),
        }
    }
    if quoted { Err(CsvError::Quote(at + 1)) } else { Ok(cells) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_found_by_name() {
        let published = Published::parse("benchmark,F_P,optim\nbfs,903K,\"T 2D, \"\"P\"\"\"\n", &["optim"])
            .expect("a table");
        let cells = published.cells("BFS", &[Some("optim"), None, Some("F_P")]);
        assert_eq!(cells, Some(["T 2D, \"P\"", "-", "903K"].map(str::to_owned).to_vec()));
        assert_eq!(published.cells("lud", &[]), None);
    }

    #[test]
    fn what_is_wrong_is_named() {
        let wrong = |text: &str| Published::parse(text, &["F_P"]).expect_err("wrong").to_string();
        assert_eq!(wrong(""), "line 1: no column benchmark");
        assert_eq!(wrong("benchmark,optim"), "line 1: no column F_P");
        assert_eq!(wrong("benchmark,F_P\n\nbfs\n"), "line 3: 1 cells under a head of 2");
        assert_eq!(wrong("benchmark,F_P\nbfs,\"1\n"), "line 2: a quoted cell does not end");
    }
}
