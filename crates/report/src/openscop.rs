//! The polyhedral program in OpenScop 1.0, for tools such as `pluto --readscop`.
//!
//! Limits, said in the file: OpenScop has no dependences, tools compute them from the accesses, so what was observed and
//! is not affine is lost: an access without an affine address is one that may touch its whole range. Memory is one array
//! of bytes that starts at the lowest address; an access names its first byte alone, so accesses that overlap without
//! starting at the same byte are taken for different ones.

use std::fmt::{self, Write};

use fold::{Folded, Label, Piece};
use poly::Affine;
use profile::Access;

use crate::polyhedral::{Program, Statement};

/// Identifier of the array that memory is.
const MEMORY: i64 = 1;

/// All of a program.
pub fn text(program: &Program) -> String {
    let mut out = String::new();
    // Writing to a string does not fail.
    let _ = write_all(&mut out, program);
    out
}

fn write_all(out: &mut String, program: &Program) -> fmt::Result {
    let base = lowest_address(program);
    writeln!(out, "<OpenScop>")?;
    writeln!(out, "# The polyhedral program of: {}", program.profile.program.argv.join(" "))?;
    writeln!(
        out,
        "# Observed dependences are not part of this format: tools compute them from the accesses."
    )?;
    writeln!(
        out,
        "# Array {MEMORY} is memory in bytes, from address {base} on; an access names its first byte."
    )?;
    writeln!(out, "\n# Language\nC\n\n# Context\nCONTEXT\n0 2 0 0 0 0\n\n# Parameters are not provided\n0")?;
    writeln!(out, "\n# Number of statements\n{}", program.statements.len())?;
    for (number, statement) in program.statements.iter().enumerate() {
        write_statement(out, program, number + 1, statement, base)?;
    }
    writeln!(out, "\n</OpenScop>")
}

fn write_statement(
    out: &mut String,
    program: &Program,
    number: usize,
    statement: &Statement,
    base: i64,
) -> fmt::Result {
    let at = program.profile.location_of(statement.index);
    writeln!(out, "\n# Statement {number}: S{} at {}:{}", statement.index, at.file, at.line)?;
    writeln!(out, "# Number of relations\n{}", 2 + statement.accesses.len())?;
    let domain = statement.domain.iter().flat_map(|f| &f.pieces).map(Relation::domain).collect();
    write_union(out, "DOMAIN", domain)?;
    write_union(out, "SCATTERING", vec![Relation::scattering(statement)])?;
    for access in &statement.accesses {
        let kind = if access.write { "WRITE" } else { "READ" };
        let parts = access.address.iter().flat_map(|f| f.pieces.iter().map(move |piece| (f, piece)));
        let mut parts: Vec<Relation> = parts.map(|(f, piece)| Relation::access(f, piece, base)).collect();
        if parts.is_empty() {
            parts.push(Relation::anywhere(statement.dims));
        }
        write_union(out, kind, parts)?;
    }
    let names: Vec<String> = (0..statement.dims).map(|q| format!("i{q}")).collect();
    writeln!(out, "# Number of statement extensions\n1\n<body>\n# Number of iterators\n{}", names.len())?;
    if !names.is_empty() {
        writeln!(out, "# Iterators\n{}", names.join(" "))?;
    }
    writeln!(out, "# Expression\nS{}({});\n</body>", statement.index, names.join(", "))
}

fn lowest_address(program: &Program) -> i64 {
    let accesses = program.statements.iter().flat_map(|s| &s.accesses);
    let ranges = accesses.flat_map(|a: &&Access| &a.address).filter_map(|f| f.ranges.first());
    ranges.map(|range| range.0).min().unwrap_or(0)
}

fn write_union(out: &mut String, kind: &str, parts: Vec<Relation>) -> fmt::Result {
    writeln!(out, "{kind}")?;
    if parts.len() != 1 {
        writeln!(out, "{}", parts.len())?;
    }
    for part in parts {
        let columns = 2 + part.outputs + part.inputs + part.locals;
        writeln!(out, "{} {columns} {} {} {} 0", part.rows.len(), part.outputs, part.inputs, part.locals)?;
        for row in part.rows {
            let numbers: Vec<String> = row.iter().map(|n| format!("{n:4}")).collect();
            writeln!(out, "{}", numbers.join(" "))?;
        }
    }
    Ok(())
}

/// A matrix; a row is 0 for an equality and 1 for an inequality (≥ 0), then the coefficients of outputs, inputs and local
/// variables, then the constant.
struct Relation {
    outputs: usize,
    inputs: usize,
    locals: usize,
    rows: Vec<Vec<i64>>,
}

/// Whether a row is an equality.
#[derive(Clone, Copy)]
enum Sign {
    Zero = 0,
    NotNegative = 1,
}

impl Relation {
    /// The points of a piece: coordinates are outputs.
    fn domain(piece: &Piece) -> Relation {
        let mut relation = Relation { outputs: piece.dims(), inputs: 0, locals: 0, rows: Vec::new() };
        relation.points(piece, 1);
        relation
    }

    /// Positions and counters alternate.
    fn scattering(statement: &Statement) -> Relation {
        let outputs = 2 * statement.dims + 1;
        let mut relation = Relation { outputs, inputs: statement.dims, locals: 0, rows: Vec::new() };
        for (q, position) in statement.positions.iter().enumerate() {
            if q > 0 {
                let row = [(2 * q, -1), (1 + outputs + q - 1, 1)];
                relation.row(Sign::Zero, &row, 0);
            }
            relation.row(Sign::Zero, &[(1 + 2 * q, -1)], *position as i64);
        }
        relation
    }

    /// The first byte accessed at the points of a piece: array and place in it are outputs, coordinates inputs.
    fn access(folded: &Folded, piece: &Piece, base: i64) -> Relation {
        let mut relation = Relation { outputs: 2, inputs: piece.dims(), locals: 0, rows: Vec::new() };
        let first_input = 3;
        let first_counter = relation.points(piece, first_input);
        relation.row(Sign::Zero, &[(1, -1)], MEMORY);
        let in_coordinates = piece.label(0).and_then(|l| l.function()).map(|f| (f, Some(first_input)));
        let in_counters = || piece.labels.first().and_then(Label::function).map(|f| (f, first_counter));
        match in_coordinates.or_else(in_counters) {
            Some((address, Some(from))) if !piece.over_approximated => {
                let mut row = vec![(2, -1)];
                row.extend(address.coefficients.iter().enumerate().map(|(q, c)| (from + q, *c)));
                relation.row(Sign::Zero, &row, address.constant.wrapping_sub(base));
            }
            _ => {
                let (low, high) = folded.ranges.first().copied().unwrap_or((base, base));
                relation.row(Sign::NotNegative, &[(2, 1)], base.wrapping_sub(low));
                relation.row(Sign::NotNegative, &[(2, -1)], high.wrapping_sub(base));
            }
        }
        relation
    }

    /// Any byte, at any point: repeated string instructions, lanes that are not always active.
    fn anywhere(inputs: usize) -> Relation {
        let mut relation = Relation { outputs: 2, inputs, locals: 0, rows: Vec::new() };
        relation.row(Sign::Zero, &[(1, -1)], MEMORY);
        relation
    }

    /// Adds the points of a piece, before any other row; its coordinates are in the columns from `first` on. Gives the first
    /// column of the counters of its levels if they were needed.
    fn points(&mut self, piece: &Piece, first: usize) -> Option<usize> {
        let domain = piece.domain().filter(|_| piece.is_in_coordinates());
        let domain = domain.filter(|d| d.dimensions.iter().all(|b| b.step <= 1));
        if let Some(domain) = domain {
            for (q, bounds) in domain.dimensions.iter().enumerate() {
                self.above(&[(first + q, 1)], &bounds.lower, first, -1);
                self.above(&[(first + q, -1)], &bounds.upper, first, 1);
            }
            return None;
        }
        let counters = 1 + self.outputs + self.inputs;
        self.locals = piece.levels.len();
        let mut coordinates = first..;
        for (q, level) in piece.levels.iter().enumerate() {
            // A new dimension has a counter alone.
            if !level.is_new
                && let Some(coordinate) = coordinates.next()
            {
                let mut row = vec![(coordinate, -1), (counters + q, level.step)];
                row.extend(level.start.coefficients.iter().enumerate().map(|(q, c)| (counters + q, *c)));
                self.row(Sign::Zero, &row, level.start.constant);
            }
            self.row(Sign::NotNegative, &[(counters + q, 1)], 0);
            let last = Affine { constant: level.count.constant.wrapping_sub(1), ..level.count.clone() };
            self.above(&[(counters + q, -1)], &last, counters, 1);
        }
        Some(counters)
    }

    /// Adds `variable + sign · bound ≥ 0`, the coordinates of the bound in the columns from `from` on.
    fn above(&mut self, variable: &[(usize, i64)], bound: &Affine, from: usize, sign: i64) {
        let mut row = variable.to_vec();
        row.extend(bound.coefficients.iter().enumerate().map(|(q, c)| (from + q, sign.wrapping_mul(*c))));
        self.row(Sign::NotNegative, &row, sign.wrapping_mul(bound.constant));
    }

    /// Adds a row given by column and coefficient.
    fn row(&mut self, sign: Sign, entries: &[(usize, i64)], constant: i64) {
        let mut row = vec![0; 2 + self.outputs + self.inputs + self.locals];
        row[0] = sign as i64;
        for &(column, coefficient) in entries {
            row[column] = coefficient.wrapping_add(row[column]);
        }
        if let Some(last) = row.last_mut() {
            *last = constant;
        }
        self.rows.push(row);
    }
}
