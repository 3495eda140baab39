//! Sparse matrices: the entries that are not zero, row by row, as affine blocks and a residue.
//!
//! The positions `(row, column)` of a matrix in compressed rows are a trace of pairs. Written as one integer each, they are
//! reconstructed like any other trace; a statement found there is a *block*: loops in whose counters rows and columns are
//! affine, so that a product `y = A x` needs no indices in it. What is in no block is the *residue*, kept in compressed rows.
//! (Rodríguez, Kandemir and Tourino, "Affine modeling of program traces", IEEE Transactions on Computers 2019; Augustine,
//! Sarma, Pouchet and Rodríguez, "Generating piecewise-regular code from irregular structures", PLDI 2019.)

mod code;
mod read;

pub use code::{HARNESS, c};
pub use read::{Error, read};

use crate::affine::{Affine, joined, parts};
use crate::nest::{Bound, Level, Nest};
use crate::statement::Statement;
use crate::stream::{Options, Reconstructor};
use crate::tree;

/// A sparse matrix in compressed rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Matrix {
    /// Number of rows.
    pub rows: u32,
    /// Number of columns.
    pub columns: u32,
    /// Where each row begins in the lists below, and where the last one ends.
    pub starts: Vec<usize>,
    /// Column of each entry, ascending in every row.
    pub column: Vec<u32>,
    /// Value of each entry.
    pub value: Vec<f64>,
}

impl Matrix {
    /// Number of entries.
    pub fn entries(&self) -> usize {
        self.column.len()
    }

    /// Row and column of every entry, row by row.
    fn positions(&self) -> impl Iterator<Item = (u32, u32)> {
        let rows = (0..self.rows).zip(self.starts.windows(2));
        rows.flat_map(|(row, ends)| self.column[ends[0]..ends[1]].iter().map(move |&column| (row, column)))
    }
}

/// A part of a matrix in which rows and columns are affine.
#[derive(Debug, Clone, PartialEq)]
pub struct Block {
    /// Its first entry, in the order of compressed rows; the others follow.
    pub first: usize,
    /// Number of its entries.
    pub entries: usize,
    /// The loops that visit them.
    pub nodes: Vec<Node>,
}

impl Block {
    /// Its loops, and row and column of its entries in their counters.
    pub fn text(&self) -> String {
        let entry = |entry: &Entry, indent: &str| {
            format!("{indent}A[{}][{}]\n", entry.row.text(), entry.column.text())
        };
        let mut out = String::new();
        self.nodes.iter().for_each(|node| node.text(0, &entry, &mut out));
        out
    }
}

/// An entry: its row and column, affine in the counters around it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its row.
    pub row: Affine,
    /// Its column.
    pub column: Affine,
}

/// A loop, or an entry in it.
pub type Node = tree::Node<Entry>;

/// A matrix as blocks and residue.
#[derive(Debug, Clone, PartialEq)]
pub struct Mined {
    /// In the order of their first entries; no two have an entry in common.
    pub blocks: Vec<Block>,
    /// Entries in no block, as ranges in the order of compressed rows: the first one, and behind the last one.
    pub residue: Vec<(usize, usize)>,
}

impl Mined {
    /// Number of entries in blocks.
    pub fn in_blocks(&self) -> usize {
        self.blocks.iter().map(|block| block.entries).sum()
    }

    /// Number of entries in no block.
    pub fn in_residue(&self) -> usize {
        self.residue.iter().map(|&(from, to)| to - from).sum()
    }
}

/// Entries of a block, at least: fewer are no gain for the code that they need.
const LEAST: usize = 48;
/// Blocks, at most: the largest ones are kept.
const MOST: usize = 256;
/// Bits of a column in the integer that stands for a position.
const COLUMN: u32 = 32;

/// Reconstructs the positions of a matrix.
pub fn mine(matrix: &Matrix, options: &Options) -> Mined {
    let mut all = Reconstructor::new(options.clone());
    let positions: Vec<i64> =
        matrix.positions().map(|(row, column)| joined(row.into(), column.into(), COLUMN)).collect();
    all.push(&positions);
    mined(matrix, &all.finish().nests)
}

fn mined(matrix: &Matrix, statements: &[Statement]) -> Mined {
    let entry = |nest: &Nest| {
        let (row, column) = parts(nest, COLUMN);
        Some(Entry { row, column })
    };
    let mut blocks = Vec::new();
    let mut first = 0;
    for statement in statements {
        let entries = usize::try_from(statement.accesses()).unwrap_or(usize::MAX);
        if entries >= LEAST
            && let Some(node) = Node::of(statement, &entry, &|_| None)
        {
            let block = Block { first, entries, nodes: peeled(node, 0) };
            if is_of(&block, matrix) {
                blocks.push(block);
            }
        }
        first = first.saturating_add(entries);
    }
    if blocks.len() > MOST {
        blocks.sort_by_key(|block| std::cmp::Reverse(block.entries));
        blocks.truncate(MOST);
        blocks.sort_by_key(|block| block.first);
    }
    let mut residue = Vec::new();
    let mut at = 0;
    let all = matrix.entries();
    let ends = blocks.iter().map(|b| (b.first, b.first + b.entries)).chain([(all, all)]);
    for (from, to) in ends {
        if from > at {
            residue.push((at, from));
        }
        at = to;
    }
    Mined { blocks, residue }
}

/// Parts that an index set is split into, at most.
const PARTS: usize = 8;

/// A loop split where the loops directly inside it begin to have other bounds, if that gives few parts: at the borders of a band
/// several bounds decide, between them one.
fn peeled(node: Node, outer: usize) -> Vec<Node> {
    let Node::Loop(level, body) = node else { return vec![node] };
    let body: Vec<Node> = body.into_iter().flat_map(|inner| peeled(inner, outer + 1)).collect();
    match parts_of(&level, &body, outer) {
        Some(parts) => {
            let part = |(low, high, ranges)| {
                Node::Loop(between(outer, low, high), with_ranges(&body, outer, ranges))
            };
            parts.into_iter().map(part).collect()
        }
        None => vec![Node::Loop(level, body)],
    }
}

/// First and last value of a counter, and the ranges of the loops directly inside, in order.
type Pieces = Vec<(i64, i64, Vec<(i64, i64)>)>;

fn parts_of(level: &Level, body: &[Node], outer: usize) -> Option<Pieces> {
    let inner = || {
        body.iter().filter_map(|node| match node {
            Node::Loop(level, _) => Some(level),
            Node::Leaf(_) => None,
        })
    };
    let depends = |level: &Level, most: usize| {
        level
            .lower
            .iter()
            .chain(&level.upper)
            .any(|bound| bound.coefficients.iter().take(most).any(|&c| c != 0))
    };
    let is_clipped = |level: &Level| level.lower.len() > 1 || level.upper.len() > 1;
    if depends(level, outer) || !inner().any(is_clipped) || inner().any(|level| depends(level, outer)) {
        return None;
    }
    let mut point = vec![0; outer + 1];
    let (low, high) = level.range(&point[..outer])?;
    let mut parts: Pieces = Vec::new();
    for x in low..=high {
        point[outer] = x;
        let ranges: Vec<(i64, i64)> = inner().map(|level| level.range(&point)).collect::<Option<_>>()?;
        if let Some(part) = parts.last_mut().filter(|part| part.2 == ranges) {
            part.1 = x;
        } else if parts.len() == PARTS {
            return None;
        } else {
            parts.push((x, x, ranges));
        }
    }
    Some(parts)
}

/// A loop between constants under so many others.
fn between(outer: usize, low: i64, high: i64) -> Level {
    Level { lower: vec![Bound::constant(outer, low)], upper: vec![Bound::constant(outer, high)] }
}

/// The body of a loop under `outer` others, with other ranges for the loops directly in it.
fn with_ranges(body: &[Node], outer: usize, ranges: Vec<(i64, i64)>) -> Vec<Node> {
    let mut ranges = ranges.into_iter();
    let one = |node: &Node| match node {
        Node::Loop(level, body) => {
            let level = ranges.next().map_or(level.clone(), |(low, high)| between(outer + 1, low, high));
            Node::Loop(level, body.clone())
        }
        Node::Leaf(_) => node.clone(),
    };
    body.iter().map(one).collect()
}

/// Whether a block visits exactly the entries of the matrix that it is said to, in their order.
fn is_of(block: &Block, matrix: &Matrix) -> bool {
    let Some(columns) = matrix.column.get(block.first..block.first.saturating_add(block.entries)) else {
        return false;
    };
    let mut row = matrix.starts.partition_point(|&start| start <= block.first).saturating_sub(1);
    let mut at = 0;
    let complete = block.nodes.iter().all(|node| {
        node.visit(&mut Vec::new(), &mut |entry, counters| {
            let (r, c) = (entry.row.at(counters), entry.column.at(counters));
            let number = block.first + at;
            while matrix.starts.get(row + 1).is_some_and(|&end| end <= number) {
                row += 1;
            }
            at += 1;
            let column = columns.get(at - 1).map(|&column| i64::from(column));
            column.is_some() && column == c && i64::try_from(row).ok() == r
        })
    });
    complete && at == block.entries
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fuzzing::Random;

    /// A matrix with ones at these places.
    fn matrix(rows: u32, columns: u32, mut places: Vec<(u32, u32)>) -> Matrix {
        places.sort_unstable();
        places.dedup();
        let mut starts = vec![0; rows as usize + 1];
        places.iter().for_each(|place| starts[place.0 as usize + 1] += 1);
        (0..rows as usize).for_each(|row| starts[row + 1] += starts[row]);
        let column: Vec<u32> = places.iter().map(|place| place.1).collect();
        Matrix { rows, columns, starts, value: vec![1.0; column.len()], column }
    }

    fn banded(rows: u32, width: u32) -> Matrix {
        let of = |row: u32| {
            (row.saturating_sub(width)..(row + width + 1).min(rows)).map(move |column| (row, column))
        };
        matrix(rows, rows, (0..rows).flat_map(of).collect())
    }

    /// Every entry is in one block or in the residue, and blocks visit what they are said to.
    fn is_complete(matrix: &Matrix, mined: &Mined) {
        let mut ranges: Vec<(usize, usize)> = mined.residue.clone();
        ranges.extend(mined.blocks.iter().map(|block| (block.first, block.first + block.entries)));
        ranges.sort_unstable();
        let end = ranges.iter().fold(0, |at, &(from, to)| {
            assert_eq!(from, at);
            to
        });
        assert_eq!(end, matrix.entries());
        assert!(mined.blocks.iter().all(|block| is_of(block, matrix)));
    }

    #[test]
    fn bands_are_loops_between_constants() {
        let band = banded(500, 2);
        let mined = mine(&band, &Options::default());
        is_complete(&band, &mined);
        assert_eq!((mined.blocks.len(), mined.in_residue()), (1, 0));
        let text = mined.blocks[0].text();
        assert!(text.contains("for i0 = 2 .. 497\n  for i1 = -2 .. 2\n    A[i0][i0 + i1]\n"), "{text}");
        let code = c(&band, &mined, "band");
        assert!(code.contains("v[4 * n + t] * x[i0 + 2LL]"), "{code}");
    }

    #[test]
    fn what_is_not_regular_is_the_residue() {
        let mut random = Random::new(7);
        let places = (0..4000).map(|_| (random.below(900) as u32, random.below(900) as u32)).collect();
        let scattered = matrix(900, 900, places);
        let mined = mine(&scattered, &Options::default());
        is_complete(&scattered, &mined);
        assert!(mined.in_blocks() < scattered.entries() / 20);
        let mixed = matrix(
            400,
            3000,
            (0..400)
                .flat_map(|row| {
                    (0..10)
                        .map(move |k| (row, if row % 100 < 90 { row + 7 * k } else { (row * k * k) % 2999 }))
                })
                .collect(),
        );
        let mined = mine(&mixed, &Options::default());
        is_complete(&mixed, &mined);
        assert!(
            mined.in_blocks() >= 3000 && mined.in_residue() > 0,
            "{} {}",
            mined.in_blocks(),
            mined.in_residue()
        );
        let empty = matrix(3, 3, Vec::new());
        is_complete(&empty, &mine(&empty, &Options::default()));
    }

    /// A block that is not what it is said to be is none.
    #[test]
    fn blocks_are_compared_with_the_matrix() {
        let band = banded(100, 1);
        let entry = |column: i64| {
            Node::Leaf(Entry {
                row: Affine { coefficients: vec![1], constant: 0 },
                column: Affine { coefficients: vec![0], constant: column },
            })
        };
        let of = |column, entries| Block {
            first: 0,
            entries,
            nodes: vec![Node::Loop(between(0, 0, 0), vec![entry(column)])],
        };
        assert!(is_of(&of(0, 1), &band));
        assert!(!is_of(&of(1, 1), &band) && !is_of(&of(0, 2), &band) && !is_of(&of(0, usize::MAX), &band));
    }
}
