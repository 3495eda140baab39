//! How long a description is: the objective of a reconstruction.
//!
//! The length of a statement is the number of bytes of its parts written one after the other: per loop a byte and its bounds
//! (divisor, constant, one slope per counter around it, in variable length), per access a byte, 4 bytes for its address and 2
//! for a coefficient that is not 0, whatever they are, so that nothing depends on where an array lies and how large its
//! elements are. An integer by itself takes 8 bytes, as in the raw trace.
//! A statement is believed to say something about the trace only where it is shorter than the integers that it makes
//! ([`listed`]); of several descriptions of a trace the shortest is best. (Rissanen, "Modeling by shortest data
//! description", Automatica 1978.)

use crate::leb::length_signed;
use crate::nest::{Bound, Level, Nest};
use crate::packed::{BLOCK, Packed};
use crate::statement::Statement;

/// Bytes of a raw integer.
pub const RAW: u64 = 8;

/// Bytes of an address.
const ADDRESS: u64 = 4;
/// Bytes of a coefficient that is not 0.
const COEFFICIENT: u64 = 2;

/// Length of statements in bytes.
pub fn length(statements: &[Statement]) -> u64 {
    statements.iter().map(one).sum()
}

fn one(statement: &Statement) -> u64 {
    match statement {
        Statement::Nest(nest) => of_nest(nest),
        Statement::Loop(l) => of_level(&l.level) + length(&l.body),
        Statement::Integers(packed) => RAW * packed.count(),
    }
}

fn of_nest(nest: &Nest) -> u64 {
    let coefficients = nest.coefficients.iter().map(|&c| if c == 0 { 1 } else { COEFFICIENT });
    1 + ADDRESS + coefficients.sum::<u64>() + nest.levels.iter().map(of_level).sum::<u64>()
}

fn of_level(level: &Level) -> u64 {
    let bound = |b: &Bound| {
        length_signed(b.divisor)
            + length_signed(b.constant)
            + b.coefficients.iter().map(|&c| length_signed(c)).sum::<u64>()
    };
    1 + level.lower.iter().chain(&level.upper).map(bound).sum::<u64>()
}

/// A part of a trace that is not condensed yet.
#[derive(Debug, Clone)]
pub enum Piece {
    /// Some integers.
    Statement(Statement),
    /// One integer.
    Integer(i64),
}

impl From<Nest> for Piece {
    fn from(nest: Nest) -> Piece {
        if nest.levels.is_empty() { Piece::Integer(nest.base) } else { Piece::Statement(nest.into()) }
    }
}

impl From<Statement> for Piece {
    fn from(statement: Statement) -> Piece {
        match statement {
            Statement::Nest(nest) => nest.into(),
            other => Piece::Statement(other),
        }
    }
}

/// Every piece as a statement.
pub fn statements(pieces: Vec<Piece>) -> Vec<Statement> {
    let one = |piece| match piece {
        Piece::Statement(statement) => statement,
        Piece::Integer(value) => Nest::point(value).into(),
    };
    pieces.into_iter().map(one).collect()
}

/// Statements that are shorter than their integers, and the other integers, as many together as follow each other.
#[derive(Debug, Clone, Default)]
pub struct Listed {
    /// What is complete.
    pub statements: Vec<Statement>,
    /// Integers that follow it.
    open: Vec<i64>,
    /// Bytes, about, of what is complete.
    size: usize,
}

/// Bytes of a statement per loop, about.
const STATEMENT: usize = 200;
/// Bytes that a statement between integers costs beside its own.
const PARTING: u64 = 16;
/// Packed integers of so few are put together with those around them.
const SMALL: u64 = 1 << 12;

impl Listed {
    /// Takes the next pieces.
    pub fn extend(&mut self, pieces: Vec<Piece>) {
        for piece in pieces {
            match piece {
                Piece::Integer(value) => self.push(value),
                Piece::Statement(Statement::Integers(packed)) if packed.count() < SMALL => {
                    self.open.extend(packed.values());
                }
                Piece::Statement(Statement::Integers(packed)) => {
                    self.close();
                    self.keep(Statement::Integers(packed));
                }
                Piece::Statement(statement) => {
                    // Other integers would become two lists.
                    let parting = if self.open.is_empty() { 0 } else { PARTING };
                    let most = usize::try_from((one(&statement) + parting) / RAW).unwrap_or(usize::MAX);
                    if !dissolved(&statement, most, &mut self.open) {
                        self.close();
                        self.keep(statement);
                    }
                }
            }
            if self.open.len() >= BLOCK {
                self.close();
            }
        }
    }

    /// Takes an integer.
    #[inline]
    pub fn push(&mut self, value: i64) {
        self.open.push(value);
        if self.open.len() >= BLOCK {
            self.close();
        }
    }

    fn keep(&mut self, statement: Statement) {
        self.size += match &statement {
            Statement::Integers(packed) => packed.bytes().len(),
            other => STATEMENT * other.depth().max(1),
        };
        self.statements.push(statement);
    }

    /// Bytes, about, of all of it.
    pub fn size(&self) -> usize {
        self.size + RAW as usize * self.open.len()
    }

    /// Hands over what is complete.
    pub fn take(&mut self) -> Vec<Statement> {
        self.size = 0;
        std::mem::take(&mut self.statements)
    }

    /// Packs the integers that follow each other so far.
    pub fn close(&mut self) {
        let mut open = std::mem::take(&mut self.open);
        match open[..] {
            [value] => self.keep(Nest::point(value).into()),
            _ => open.chunks(BLOCK).for_each(|block| self.keep(Statement::Integers(Packed::of(block)))),
        }
        open.clear();
        self.open = open;
    }
}

/// The pieces, with statements that are longer than their integers taken as integers.
pub fn listed(pieces: Vec<Piece>) -> Vec<Statement> {
    let mut all = Listed::default();
    all.extend(pieces);
    all.close();
    all.statements
}

/// Appends the integers of a statement if there are at most so many.
fn dissolved(statement: &Statement, most: usize, to: &mut Vec<i64>) -> bool {
    let before = to.len();
    let complete = statement.runs(&mut |start, stride, count| {
        let fits = usize::try_from(count).is_ok_and(|n| to.len() - before + n <= most);
        if fits {
            to.extend((0..count).map(|k| start.wrapping_add(stride.wrapping_mul(k))));
        }
        fits
    });
    if !complete {
        to.truncate(before);
    }
    complete
}

/// Whether a nest is shorter than its integers.
pub fn pays(nest: &Nest) -> bool {
    let most = of_nest(nest) / RAW;
    let mut count = 0u64;
    let all = nest.runs(&mut |_, n: i64| {
        count = count.saturating_add(n.unsigned_abs());
        count <= most
    });
    !all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check;
    use crate::fuzzing::planted;

    #[test]
    fn the_length_of_a_line_is_that_of_its_numbers() {
        // Loop: a byte, two bounds of two numbers; access: a byte, its address, its stride.
        assert_eq!(length(&[Nest::line(5, 8, 60).into()]), (1 + 4) + (1 + 4 + 2));
        assert_eq!(
            length(&[Nest::line(1 << 40, 0, 66).into(), Nest::point(5).into()]),
            (1 + 5) + (1 + 4 + 1) + 5
        );
        assert!(pays(&Nest::line(5, 8, 2)));
        assert!(!pays(&levels_of_one(3)) && !pays(&levels_of_one(1)));
    }

    /// Loops that run once.
    fn levels_of_one(depth: usize) -> Nest {
        let once =
            |q: usize| Level { lower: vec![Bound::constant(q, 0)], upper: vec![Bound::constant(q, 0)] };
        Nest { levels: (0..depth).map(once).collect(), base: 5, coefficients: vec![8; depth] }
    }

    #[test]
    fn listing_changes_no_integer() {
        for seed in 0..60 {
            let nest = planted(seed);
            let empty = Nest { levels: nest.levels.clone(), coefficients: vec![1; nest.depth()], base: 9 };
            let nests = [Nest::point(3), nest, empty, Nest::point(7), Nest::point(1)];
            let statements: Vec<Statement> = nests.clone().map(Statement::from).to_vec();
            let mut values = Vec::new();
            statements.iter().for_each(|s| {
                check::integers(s, &mut |v| {
                    values.push(v);
                    true
                });
            });
            let listed = listed(nests.map(Piece::from).to_vec());
            assert_eq!(check::check(&listed, values), Ok(()), "seed {seed}");
            assert!(length(&listed) <= length(&statements) + 6 * RAW);
            assert!(matches!(listed.last(), Some(Statement::Integers(packed)) if packed.count() >= 2));
        }
    }
}
