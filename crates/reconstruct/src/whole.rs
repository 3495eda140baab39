//! Several streams as one program: all accesses in the order in which they were made.
//!
//! The number of a stream and an address are written as one integer, and the trace of these integers is reconstructed like
//! any other ([`crate::stream`]): what comes out are loops whose bodies access several streams. Streams get numbers that are
//! in no progression, so that no loop runs from stream to stream; where one does all the same, it is written out. A program
//! is believed only if it makes the accesses that were read, in their order ([`Whole`] is made no other way).

use std::hash::Hasher;

use rustc_hash::FxHasher;

use crate::affine::{Affine, joined, parted, parts};
use crate::codec::Integers;
use crate::fuzzing::Random;
use crate::nest::{Bound, Nest};
use crate::packed::Packed;
use crate::statement::{Loop, Statement};
use crate::stream::{Options, Reconstructor};
use crate::tree;

mod render;

/// Bits of an address in the integer that stands for an access.
const ADDRESS: u32 = 48;
/// Streams, at most.
const STREAMS: usize = 1 << 10;
/// Their numbers begin there, so that no integer is too large to be part of a loop.
const FIRST: i64 = -(STREAMS as i64 / 2);
/// Iterations of a loop from stream to stream that are written out, at most.
const WRITTEN_OUT: i64 = 64;

/// Why accesses are no program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// Too many streams.
    #[error("more than {STREAMS} streams: choose some with --stream, or record one function")]
    Streams,
    /// An address that does not fit.
    #[error("{0} is beyond the 48 bits, the sign included, that addresses may have here")]
    Address(i64),
    /// The program makes other accesses than were read.
    #[error("the program does not make the accesses that were read; please report this")]
    Differs,
}

/// Accesses at a place of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Accesses {
    /// One, of a stream; its address affine in the counters around.
    One(usize, Affine),
    /// Streams and addresses where nothing repeats.
    List(Vec<(usize, i64)>),
}

/// A part of a program.
pub type Node = tree::Node<Accesses>;

/// A program that makes the accesses of several streams.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Whole {
    /// What it consists of.
    pub nodes: Vec<Node>,
    /// Number of accesses.
    pub accesses: u64,
}

/// Takes accesses of several streams in their order.
pub struct Combiner {
    all: Reconstructor,
    /// Numbers of streams, by index, and back.
    codes: Vec<i64>,
    indices: Vec<Option<usize>>,
    random: Random,
    hash: FxHasher,
    accesses: u64,
    error: Option<Error>,
}

impl Combiner {
    /// Without any yet.
    pub fn new(options: &Options) -> Combiner {
        Combiner {
            all: Reconstructor::new(options.clone()),
            codes: Vec::new(),
            indices: vec![None; STREAMS],
            random: Random::new(1),
            hash: FxHasher::default(),
            accesses: 0,
            error: None,
        }
    }

    /// The effort of the search at the end.
    pub fn set_effort(&mut self, effort: crate::piecewise::Effort) {
        self.all.set_effort(effort);
    }

    /// Number of streams so far.
    pub fn streams(&self) -> usize {
        self.codes.len()
    }

    fn code(&mut self, stream: usize) -> Option<i64> {
        while self.codes.len() <= stream {
            if self.codes.len() == STREAMS {
                self.error.get_or_insert(Error::Streams);
                return None;
            }
            let mut code = self.random.below(STREAMS as u64) as usize;
            while self.indices[code].is_some() {
                code = (code + 1) % STREAMS;
            }
            self.indices[code] = Some(self.codes.len());
            self.codes.push(code as i64 + FIRST);
        }
        Some(self.codes[stream])
    }

    /// The next accesses, all of the stream of this index.
    pub fn push(&mut self, stream: usize, addresses: &[i64]) {
        let Some(code) = self.code(stream) else { return };
        let mut values = Vec::with_capacity(addresses.len());
        for &address in addresses {
            if parted(address, ADDRESS) != (0, address) {
                self.error.get_or_insert(Error::Address(address));
                return;
            }
            noted(&mut self.hash, stream, address);
            values.push(joined(code, address, ADDRESS));
        }
        self.accesses += values.len() as u64;
        self.all.push(&values);
    }

    /// The program.
    ///
    /// # Errors
    /// If there is none, or it makes other accesses.
    pub fn finish(self) -> Result<Whole, Error> {
        if let Some(error) = self.error {
            return Err(error);
        }
        let statements = self.all.finish().nests;
        let separate: Vec<Statement> = statements.iter().flat_map(|s| separated(s, 0)).collect();
        let nodes =
            separate.iter().map(|one| node(one, &self.indices).or_else(|| listed(one, &self.indices)));
        let nodes = nodes.collect::<Option<Vec<_>>>();
        let whole = Whole { nodes: nodes.ok_or(Error::Differs)?, accesses: self.accesses };
        let mut hash = FxHasher::default();
        let mut count = 0u64;
        let complete = whole.accesses(&mut |stream, address| {
            noted(&mut hash, stream, address);
            count += 1;
            count <= whole.accesses
        });
        let is_same = complete && count == whole.accesses && hash.finish() == self.hash.finish();
        if is_same { Ok(whole) } else { Err(Error::Differs) }
    }
}

fn noted(hash: &mut FxHasher, stream: usize, address: i64) {
    hash.write_u64(stream as u64);
    hash.write_i64(address);
}

impl Whole {
    /// Calls `visit` with stream and address of every access, in order, until it returns false; whether it wanted all and
    /// everything could be computed.
    pub fn accesses(&self, visit: &mut dyn FnMut(usize, i64) -> bool) -> bool {
        let mut at = |own: &Accesses, counters: &[i64]| match own {
            Accesses::One(stream, address) => {
                address.at(counters).is_some_and(|address| visit(*stream, address))
            }
            Accesses::List(list) => list.iter().all(|&(stream, address)| visit(stream, address)),
        };
        self.nodes.iter().all(|node| node.visit(&mut Vec::new(), &mut at))
    }
}

/// A statement under so many loops, with loops from stream to stream written out.
fn separated(statement: &Statement, outer: usize) -> Vec<Statement> {
    match statement {
        Statement::Integers(_) => vec![statement.clone()],
        Statement::Loop(l) => {
            let body = l.body.iter().flat_map(|inner| separated(inner, outer + 1)).collect();
            vec![Statement::Loop(Loop { level: l.level.clone(), body })]
        }
        Statement::Nest(nest) => {
            let (stream, _) = parts(nest, ADDRESS);
            let own = stream.coefficients.get(outer..).unwrap_or_default();
            let Some(at) = own.iter().position(|&c| c != 0) else { return vec![statement.clone()] };
            match written_out(nest, outer, at) {
                Some(copies) => copies.iter().flat_map(|copy| separated(copy, outer)).collect(),
                None => vec![statement.clone()],
            }
        }
    }
}

/// The iterations of the level at an index of a nest's own, each as a statement; only where it runs between constants.
fn written_out(nest: &Nest, outer: usize, at: usize) -> Option<Vec<Statement>> {
    let level = &nest.levels[at];
    let bounds = || level.lower.iter().chain(&level.upper);
    if bounds().any(|bound| bound.coefficients.iter().any(|&c| c != 0)) {
        return None;
    }
    let (low, high) = level.range(&vec![0; outer + at])?;
    if high.checked_sub(low)? >= WRITTEN_OUT {
        return None;
    }
    let counter = outer + at;
    let copy = |x: i64| {
        let mut copy = nest.clone();
        copy.levels.remove(at);
        let by = copy.coefficients.remove(counter);
        copy.base = copy.base.checked_add(by.checked_mul(x)?)?;
        for bound in
            copy.levels[at..].iter_mut().flat_map(|level| level.lower.iter_mut().chain(&mut level.upper))
        {
            let by = bound.coefficients.remove(counter);
            bound.constant = bound.constant.checked_add(by.checked_mul(x)?)?;
        }
        Some(Statement::Nest(copy))
    };
    let copies = (low..=high).map(copy).collect::<Option<Vec<_>>>()?;
    // Loops around the level go around all copies.
    let around = &nest.levels[..at];
    if around.is_empty() {
        return Some(copies);
    }
    let bodies: Vec<Statement> = copies
        .into_iter()
        .filter_map(|copy| match copy {
            Statement::Nest(mut nest) => {
                nest.levels.drain(..at);
                Some(Statement::Nest(nest))
            }
            _ => None,
        })
        .collect();
    let mut levels = around.iter().rev();
    let innermost = Loop { level: levels.next()?.clone(), body: bodies };
    let all = levels
        .fold(innermost, |inner, level| Loop { level: level.clone(), body: vec![Statement::Loop(inner)] });
    Some(vec![Statement::Loop(all)])
}

/// A statement as a part of the program; `None` where a loop runs from stream to stream, or a number is of no stream.
fn node(statement: &Statement, indices: &[Option<usize>]) -> Option<Node> {
    let access = |nest: &Nest| {
        let (stream, address) = parts(nest, ADDRESS);
        let stays = stream.coefficients.iter().all(|&c| c == 0);
        stays.then(|| index(stream.constant, indices))?.map(|index| Accesses::One(index, address))
    };
    let integers = |packed: &Packed| list(packed.values(), indices);
    Node::of(statement, &access, &integers)
}

/// The index of the stream that has a number.
fn index(code: i64, indices: &[Option<usize>]) -> Option<usize> {
    let at = usize::try_from(code.checked_sub(FIRST)?).ok()?;
    indices.get(at).copied().flatten()
}

/// Integers as the accesses that they stand for.
fn list(values: impl IntoIterator<Item = i64>, indices: &[Option<usize>]) -> Option<Accesses> {
    let one = |value: i64| {
        let (code, address) = parted(value, ADDRESS);
        Some((index(code, indices)?, address))
    };
    values.into_iter().map(one).collect::<Option<Vec<_>>>().map(Accesses::List)
}

/// Accesses of a statement that are listed, at most.
const LISTED: u128 = 1 << 20;

/// The accesses of a statement one by one: of one that runs from stream to stream and cannot be written out.
fn listed(statement: &Statement, indices: &[Option<usize>]) -> Option<Node> {
    let is_short = statement.accesses() <= LISTED;
    is_short.then(|| list(Integers::of(std::slice::from_ref(statement)), indices))?.map(Node::Leaf)
}

/// A bound's row in a relation: `sign · (divisor · counter − bound) ≥ 0`.
fn row(bound: &Bound, counter: usize, counters: usize, sign: i64) -> Vec<i64> {
    let mut row = vec![0; counters + 2];
    row[0] = 1;
    for (q, c) in bound.coefficients.iter().enumerate() {
        row[1 + q] = -sign * c;
    }
    row[1 + counter] += sign * bound.divisor;
    row[counters + 1] = -sign * bound.constant;
    row
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nest::Level;

    fn combined(accesses: &[(usize, i64)]) -> Result<Whole, Error> {
        let mut all = Combiner::new(&Options::default());
        accesses.iter().for_each(|&(stream, address)| all.push(stream, &[address]));
        all.finish()
    }

    fn made(whole: &Whole) -> Vec<(usize, i64)> {
        let mut out = Vec::new();
        assert!(whole.accesses(&mut |stream, address| {
            out.push((stream, address));
            true
        }));
        out
    }

    /// `for i { y[i]; for j { a[i][j]; x[j] }; y[i] }`
    fn product(n: i64) -> Vec<(usize, i64)> {
        let row = |i: i64| {
            let inner = (0..n).flat_map(move |j| [(1, 1 << 40 | (800 * i + 8 * j)), (2, 9000 + 8 * j)]);
            std::iter::once((0, 70_000 + 8 * i)).chain(inner).chain([(3, 70_000 + 8 * i)])
        };
        (0..n).flat_map(row).collect()
    }

    #[test]
    fn streams_are_statements_of_one_program() {
        let accesses = product(40);
        let whole = combined(&accesses).expect("a program");
        assert_eq!(made(&whole), accesses);
        assert_eq!(whole.nodes.len(), 1, "{:?}", whole.nodes);
        let names: Vec<String> = ["y:load", "a:load", "x:load", "y:store"].map(str::to_owned).to_vec();
        let text = whole.text(&names);
        let loops = "for i0 = 0 .. 39\n  S0: 8*i0 + 70000\n  for i1 = 0 .. 39\n    S1: 800*i0 + 8*i1 + 1099511627776\n    S2: 8*i1 + 9000\n  S3: 8*i0 + 70000\n";
        assert!(text.starts_with("# S0 is y:load\n") && text.ends_with(loops), "{text}");
        assert!(whole.c(&names).contains("access(2, 8LL*i1 + 9000LL);"));
        let isl = whole.isl(&names);
        assert!(isl.contains("schedule: { A2[i0, i1] -> [0, i0, 1, i1, 1] }"), "{isl}");
        let scop = whole.openscop(&names, &|name| name.ends_with("store"));
        assert!(
            scop.contains("# Number of statements\n4\n") && scop.matches("\nWRITE\n").count() == 1,
            "{scop}"
        );
    }

    /// Streams in a row, strides that are alike, and accesses without any order.
    #[test]
    fn no_loop_runs_from_stream_to_stream() {
        let regular: Vec<(usize, i64)> =
            (0..50).flat_map(|i| (0..12).map(move |s| (s, 1000 * s as i64 + 8 * i))).collect();
        assert_eq!(made(&combined(&regular).expect("a program")), regular);
        let mut random = Random::new(9);
        let noise: Vec<(usize, i64)> =
            (0..500).map(|_| (random.below(30) as usize, random.between(-1000, 1000))).collect();
        assert_eq!(made(&combined(&noise).expect("a program")), noise);
        assert_eq!(combined(&[]).map(|whole| whole.accesses), Ok(0));
    }

    /// Regression: any three integers are a triangle of two loops, which was refused where it ran from stream to stream.
    #[test]
    fn regression_1_three_accesses_of_two_streams() {
        for seed in 0..60 {
            let mut random = Random::new(seed);
            let few: Vec<(usize, i64)> =
                (0..3).map(|_| (random.below(3) as usize, random.between(0, 20))).collect();
            assert_eq!(made(&combined(&few).expect("a program")), few);
        }
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        assert_eq!(combined(&[(0, 1 << 50)]), Err(Error::Address(1 << 50)));
        assert_eq!(combined(&[(STREAMS, 5)]), Err(Error::Streams));
    }

    /// A loop over two streams is written out, wherever it stands.
    #[test]
    fn loops_from_stream_to_stream_are_written_out() {
        let level = |outer: usize, last: i64| Level {
            lower: vec![Bound::constant(outer, 0)],
            upper: vec![Bound::constant(outer, last)],
        };
        let step = joined(1, 100, ADDRESS);
        let nest = Nest {
            levels: vec![level(0, 4), level(1, 1), level(2, 3)],
            base: joined(1, 7, ADDRESS),
            coefficients: vec![10, step, 1],
        };
        let before = Statement::from(nest);
        let after = separated(&before, 0);
        let integers = |statements: &[Statement]| -> Vec<i64> {
            statements.iter().flat_map(crate::fuzzing::integers_of).collect()
        };
        assert_eq!(integers(&after), integers(&[before]));
        let mut indices = vec![None; STREAMS];
        let at = |code: i64| (code - FIRST) as usize;
        (indices[at(1)], indices[at(2)]) = (Some(0), Some(1));
        assert!(after.iter().all(|statement| node(statement, &indices).is_some()));
    }
}
