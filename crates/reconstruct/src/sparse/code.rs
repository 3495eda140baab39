//! The product `y += A x` of a mined matrix as C.
//!
//! Where the body of a loop visits the same few entries in every iteration, the loop is a *band*: its entries are written out,
//! and the values are kept entry by entry rather than iteration by iteration, so that everything in the loop advances by
//! constants and compilers make vectors of it. What is in no block is multiplied from compressed rows.

use std::fmt::Write;

use super::{Entry, Matrix, Mined, Node};
use crate::affine::Affine;
use crate::render::{c_head, c_helpers, c_range, counter};

/// A program that checks and times the C of [`c`]; compiled and linked with it. Its argument is a file of a matrix in compressed
/// rows in the machine's order of bytes: numbers of rows, columns and entries and the starts of rows (8 bytes each), columns (4
/// bytes each), values. It prints seconds of a product from compressed rows, seconds of one from blocks, the largest
/// difference of a sum in terms of the sum of magnitudes, and whether all are as near as rounding allows.
pub const HARNESS: &str = include_str!("harness.c");

/// Entries of an iteration of a band, at most.
const UNROLLED: usize = 32;
/// Numbers on a line.
const IN_A_LINE: usize = 16;

/// C functions `spmv_arrange`, which puts the values of compressed rows into the order that blocks need, and `spmv`, which adds
/// the product to `y`.
pub fn c(matrix: &Matrix, mined: &Mined, name: &str) -> String {
    let mut code = Code { out: String::new(), part: Part::Arrange };
    let mut levels = Vec::new();
    mined.blocks.iter().flat_map(|block| &block.nodes).for_each(|node| node.levels(&mut levels));
    code.line(
        0,
        &format!(
            "/* {}: y += A x, {} rows, {} columns, {} entries: {} in {} blocks without an index, {} in compressed rows. */",
            name.replace("*/", "* /"),
            matrix.rows,
            matrix.columns,
            matrix.entries(),
            mined.in_blocks(),
            mined.blocks.len(),
            mined.in_residue()
        ),
    );
    code.out.push_str("#include <string.h>\n\n");
    code.out.push_str(&c_helpers(&levels));
    residue(matrix, mined, &mut code.out);
    code.line(0, "\n/* The values of compressed rows in the order that spmv takes them. */");
    code.line(0, "void spmv_arrange(const double *csr, double *value);");
    code.line(0, "void spmv_arrange(const double *csr, double *value)\n{");
    code.line(1, "double *v = value;");
    for block in &mined.blocks {
        code.line(1, &format!("{{\n        const double *c = csr + {};", block.first));
        block.nodes.iter().for_each(|node| code.node(node, 0, 2));
        code.line(1, "}");
    }
    for &(from, to) in &mined.residue {
        let count = to - from;
        code.line(1, &format!("memcpy(v, csr + {from}, {count} * sizeof *v);\n    v += {count};"));
    }
    code.line(0, "}");
    code.part = Part::Multiply;
    code.line(0, "\n/* Adds the product to y. */");
    code.line(0, "void spmv(const double *restrict value, const double *restrict x, double *restrict y);");
    code.line(0, "void spmv(const double *restrict value, const double *restrict x, double *restrict y)\n{");
    code.line(1, "const double *restrict v = value;");
    mined.blocks.iter().flat_map(|block| &block.nodes).for_each(|node| code.node(node, 0, 1));
    if mined.in_residue() > 0 {
        code.out.push_str(
            "    for (long r = 0; r < ROWS_LEFT; r++) {\n        double s = 0;\n        \
             for (long k = start[r]; k < start[r + 1]; k++)\n            s += v[k] * x[column[k]];\n        \
             y[row[r]] += s;\n    }\n",
        );
    }
    code.line(0, "}");
    code.out
}

/// Rows that have entries in no block, where each begins, and the columns.
fn residue(matrix: &Matrix, mined: &Mined, out: &mut String) {
    if mined.residue.is_empty() {
        return;
    }
    let (mut rows, mut starts, mut columns) = (Vec::new(), Vec::new(), Vec::new());
    for &(from, to) in &mined.residue {
        let mut row = matrix.starts.partition_point(|&start| start <= from).saturating_sub(1);
        for entry in from..to {
            while matrix.starts[row + 1] <= entry {
                row += 1;
            }
            if rows.last() != Some(&row) {
                rows.push(row);
                starts.push(columns.len());
            }
            columns.push(matrix.column[entry]);
        }
    }
    starts.push(columns.len());
    // Writing to a string cannot fail.
    let _ = writeln!(out, "\nenum {{ ROWS_LEFT = {} }};", rows.len());
    list(out, "int row", &rows);
    list(out, "long start", &starts);
    list(out, "int column", &columns);
}

fn list<N: ToString>(out: &mut String, name: &str, numbers: &[N]) {
    let _ = writeln!(out, "static const {name}[] = {{");
    for line in numbers.chunks(IN_A_LINE) {
        let line: Vec<String> = line.iter().map(ToString::to_string).collect();
        let _ = writeln!(out, "    {},", line.join(", "));
    }
    out.push_str("};\n");
}

/// Which function is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Arrange,
    Multiply,
}

struct Code {
    out: String,
    part: Part,
}

impl Code {
    fn line(&mut self, depth: usize, text: &str) {
        let _ = writeln!(self.out, "{:indent$}{text}", "", indent = 4 * depth);
    }

    /// A node under so many loops.
    fn node(&mut self, node: &Node, outer: usize, depth: usize) {
        match node {
            Node::Leaf(Entry { row, column }) => {
                let text = match self.part {
                    Part::Arrange => "*v++ = *c++;".to_owned(),
                    Part::Multiply => format!("y[{}] += *v++ * x[{}];", row.c(), column.c()),
                };
                self.line(depth, &text);
            }
            Node::Loop(level, body) => {
                if let Some(entries) = written_out(body, outer) {
                    let (low, high) = c_range(level);
                    self.band((&low, &high), &entries, outer, depth);
                    return;
                }
                self.line(depth, &format!("{} {{", c_head(outer, level)));
                body.iter().for_each(|inner| self.node(inner, outer + 1, depth + 1));
                self.line(depth, "}");
            }
        }
    }

    /// A loop the iterations of which have the same entries.
    fn band(&mut self, (low, high): (&str, &str), entries: &[(Affine, Affine)], q: usize, depth: usize) {
        let many = entries.len();
        self.line(depth, "{");
        let inner = depth + 1;
        self.line(
            inner,
            &format!(
                "const long long first = {low}, last = {high}, n = last < first ? 0 : last - first + 1;"
            ),
        );
        match self.part {
            Part::Arrange if many == 1 => self.line(inner, "memcpy(v, c, n * sizeof *v);"),
            Part::Arrange => {
                self.line(inner, "for (long long t = 0; t < n; t++)");
                self.line(inner + 1, &format!("for (long long p = 0; p < {many}; p++)"));
                self.line(inner + 2, &format!("v[p * n + t] = c[t * {many} + p];"));
            }
            Part::Multiply => self.sums(entries, q, inner),
        }
        if self.part == Part::Arrange {
            self.line(inner, &format!("c += {many} * n;"));
        }
        self.line(inner, &format!("v += {many} * n;"));
        self.line(depth, "}");
    }

    /// The body of a band: a sum per row.
    fn sums(&mut self, entries: &[(Affine, Affine)], q: usize, depth: usize) {
        let mut rows: Vec<(&Affine, Vec<String>)> = Vec::new();
        for (k, (row, column)) in entries.iter().enumerate() {
            let value = if k == 0 { "v[t]".to_owned() } else { format!("v[{k} * n + t]") };
            let term = format!("{value} * x[{}]", column.c());
            match rows.iter_mut().find(|(other, _)| *other == row) {
                Some((_, terms)) => terms.push(term),
                None => rows.push((row, vec![term])),
            }
        }
        let stays = |row: &Affine| row.coefficients.get(q).is_none_or(|&c| c == 0);
        let kept: Vec<bool> = rows.iter().map(|(row, _)| stays(row)).collect();
        (0..rows.len()).filter(|&k| kept[k]).for_each(|k| self.line(depth, &format!("double s{k} = 0;")));
        self.line(depth, "for (long long t = 0; t < n; t++) {");
        self.line(depth + 1, &format!("const long long {} = first + t;", counter(q)));
        for (k, (row, terms)) in rows.iter().enumerate() {
            let to = if kept[k] { format!("s{k}") } else { format!("y[{}]", row.c()) };
            self.line(depth + 1, &format!("{to} += {};", terms.join(" + ")));
        }
        self.line(depth, "}");
        for (k, (row, _)) in rows.iter().enumerate().filter(|&(k, _)| kept[k]) {
            self.line(depth, &format!("y[{}] += s{k};", row.c()));
        }
    }
}

/// The entries of an iteration of the loop over counter `q`, if they are few and the same in all: affine in the counters up to `q`.
fn written_out(body: &[Node], q: usize) -> Option<Vec<(Affine, Affine)>> {
    let mut all = Vec::new();
    body.iter().try_for_each(|node| write_out(node, q + 1, &mut Vec::new(), &mut all))?;
    Some(all)
}

fn write_out(node: &Node, outer: usize, inner: &mut Vec<i64>, to: &mut Vec<(Affine, Affine)>) -> Option<()> {
    match node {
        Node::Leaf(Entry { row, column }) => {
            to.push((row.at_inner(outer, inner)?, column.at_inner(outer, inner)?));
            (to.len() <= UNROLLED).then_some(())
        }
        Node::Loop(level, body) => {
            let mut bounds = level.lower.iter().chain(&level.upper);
            if !bounds.all(|bound| bound.coefficients.iter().take(outer).all(|&c| c == 0)) {
                return None;
            }
            let point: Vec<i64> = std::iter::repeat_n(0, outer).chain(inner.iter().copied()).collect();
            let (low, high) = level.range(&point)?;
            for x in low..=high {
                inner.push(x);
                let done = body.iter().try_for_each(|node| write_out(node, outer, inner, to));
                inner.pop();
                done?;
            }
            Some(())
        }
    }
}
