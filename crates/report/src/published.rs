//! Published figures of the folding algorithm's evaluation, to print beside measured ones.
//!
//! The file is comma-separated with a head; cells may be quoted. Columns are found by name: `benchmark`, `dep_input`,
//! `F_P`, `F_MPI`, `FW_P`, `FW_A`, `FW_MPI`, `FGG_*`, `FGGW_*` for dependences, `ins_input`, `ins_FW_*`, `ins_FGGW_*` for
//! instructions, `optim`. Cells are printed as they stand. (The publication leaves out what is 100 % by construction, and
//! instructions of the variants in which they are the same.)

/// Figures by program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Published {
    rows: Vec<Row>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Row {
    name: String,
    /// Input, three cells per variant, advice: for dependences, then for instructions.
    cells: [Vec<String>; 2],
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

/// Columns of dependences and of instructions; `None` where the publication has none.
const COLUMNS: [[Option<&str>; 14]; 2] = [
    [
        Some("dep_input"),
        Some("F_P"),
        None,
        Some("F_MPI"),
        Some("FW_P"),
        Some("FW_A"),
        Some("FW_MPI"),
        Some("FGG_P"),
        Some("FGG_A"),
        Some("FGG_MPI"),
        Some("FGGW_P"),
        Some("FGGW_A"),
        Some("FGGW_MPI"),
        Some("optim"),
    ],
    [
        Some("ins_input"),
        None,
        None,
        None,
        Some("ins_FW_P"),
        Some("ins_FW_A"),
        Some("ins_FW_MPI"),
        None,
        None,
        None,
        Some("ins_FGGW_P"),
        Some("ins_FGGW_A"),
        Some("ins_FGGW_MPI"),
        Some("optim"),
    ],
];

impl Published {
    /// Reads a file's text.
    ///
    /// # Errors
    /// Naming the line that is not as the module describes.
    pub fn parse(text: &str) -> Result<Published, CsvError> {
        let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let head = lines.next().map_or(Ok(Vec::new()), |(at, line)| cells(at, line))?;
        let find =
            |name: &'static str| head.iter().position(|cell| cell == name).ok_or(CsvError::Column(name));
        let benchmark = find("benchmark")?;
        let mut columns = [Vec::new(), Vec::new()];
        for (wanted, found) in COLUMNS.iter().zip(&mut columns) {
            for name in wanted {
                found.push(name.map(find).transpose()?);
            }
        }
        let mut rows = Vec::new();
        for (at, line) in lines {
            let all = cells(at, line)?;
            if all.len() != head.len() {
                return Err(CsvError::Cells { line: at + 1, expected: head.len(), found: all.len() });
            }
            let of = |columns: &Vec<Option<usize>>| {
                columns.iter().map(|c| c.map_or("-", |c| &all[c]).to_owned()).collect()
            };
            rows.push(Row { name: all[benchmark].clone(), cells: columns.each_ref().map(of) });
        }
        Ok(Published { rows })
    }

    /// The lines of a program, as the table has them; none if it is not in the file.
    pub fn lines(&self, program: &str) -> Vec<Vec<String>> {
        let row = self.rows.iter().find(|row| row.name.eq_ignore_ascii_case(program));
        let line = |(streams, cells): (&str, &Vec<String>)| {
            let start = [format!("{program}, published"), streams.to_owned()];
            start.into_iter().chain(cells.iter().cloned()).collect()
        };
        row.map_or(Vec::new(), |row| {
            ["dependences", "instructions"].into_iter().zip(&row.cells).map(line).collect()
        })
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

    const HEAD: &str = "benchmark,dep_input,F_P,F_MPI,FW_P,FW_A,FW_MPI,FGG_P,FGG_A,FGG_MPI,FGGW_P,FGGW_A,FGGW_MPI,\
                        ins_input,ins_FW_P,ins_FW_A,ins_FW_MPI,ins_FGGW_P,ins_FGGW_A,ins_FGGW_MPI,optim";

    #[test]
    fn a_row_is_found_by_name() {
        let text = format!("{HEAD}\nbfs,5M,903K,965K,a,b,c,d,e,f,g,h,i,4M,j,k,l,m,n,o,\"T 2D, P\"\n");
        let published = Published::parse(&text).expect("a table");
        let lines: Vec<String> = published.lines("BFS").iter().map(|line| line.join(" ")).collect();
        assert_eq!(
            lines,
            [
                "BFS, published dependences 5M 903K - 965K a b c d e f g h i T 2D, P",
                "BFS, published instructions 4M - - - j k l - - - m n o T 2D, P"
            ]
        );
        assert!(published.lines("lud").is_empty());
    }

    #[test]
    fn what_is_wrong_is_named() {
        let wrong = |text: &str| Published::parse(text).expect_err("wrong").to_string();
        assert_eq!(wrong(""), "line 1: no column benchmark");
        assert_eq!(wrong("benchmark,F_P"), "line 1: no column dep_input");
        assert_eq!(wrong(&format!("{HEAD}\n\nbfs,1\n")), "line 3: 2 cells under a head of 21");
        assert_eq!(wrong(&format!("{HEAD}\nbfs,\"1\n")), "line 2: a quoted cell does not end");
    }
}
