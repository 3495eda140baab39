//! Random programs, checked against [`crate::check`].
//!
//! A program is a tree of loops with blocks of operands; innermost loops are recorded folded (whole, in parts, or
//! with another block between the parts) or iteration by iteration. Addresses fall into a few hundred bytes around
//! a page boundary so that everything overlaps, with mixed sizes, misalignment, and strides of any sign. Some
//! operands are unrolled: several of them tile the bytes between one iteration and the next. Loops whose iterations are alike
//! are recorded as blocks of rows, from some iteration on.

use crate::check::{Observed, Reference, compare};
use crate::{Block, Gather, Iv, Memory, Operand, Options, Record};

/// A xorshift generator.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// A generator whose sequence depends on `seed` alone.
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A number below `n`, which is at least 1.
    pub fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % n
    }

    /// One of `choices`, which is not empty.
    pub fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u64) as usize]
    }

    fn chance(&mut self, one_in: u64) -> bool {
        self.below(one_in) == 0
    }
}

/// An address that is affine in the iteration vector.
#[derive(Clone, Debug)]
struct Access {
    stmt: u32,
    write: bool,
    size: u32,
    base: u64,
    strides: Vec<i64>,
}

#[derive(Clone, Debug)]
enum Node {
    Block(Vec<Access>),
    Loop {
        trip: i64,
        slope: i64,
        /// The first iteration that is a row of a block, if they can be, and most rows of it.
        rows_from: i64,
        most: i64,
        body: Vec<Node>,
    },
    /// An innermost loop recorded folded; parts of at most `part` iterations, `exit` executed after each part.
    Folded {
        trip: i64,
        slope: i64,
        part: i64,
        block: Vec<Access>,
        exit: Option<Vec<Access>>,
    },
}

struct Generator {
    random: Random,
    contexts: Vec<Vec<u32>>,
    loops: u32,
    aligned: bool,
    base: u64,
}

impl Generator {
    fn block(&mut self, path: &[u32]) -> Vec<Access> {
        let most = if self.random.chance(12) { 12 } else { 4 };
        let mut block = Vec::new();
        for _ in 0..1 + self.random.below(most) {
            if !path.is_empty() && self.random.chance(4) {
                self.unrolled(path, &mut block);
                continue;
            }
            let access = self.access(path);
            block.push(access.clone());
            if self.random.chance(4) {
                let stmt = self.contexts.len() as u32;
                self.contexts.push(path.to_vec());
                block.push(Access { stmt, write: !access.write, ..access });
            }
        }
        block
    }

    fn access(&mut self, path: &[u32]) -> Access {
        let r = &mut self.random;
        let size = if self.aligned {
            r.pick(&[8, 8, 8, 8, 16, 4])
        } else {
            r.pick(&[8, 8, 8, 4, 1, 2, 16, 32, 64, 3, 24])
        };
        let unit = i64::from(size);
        let strides = path
            .iter()
            .map(|_| match r.below(12) {
                0..=4 => unit,
                5 => -unit,
                6 | 7 => 0,
                8 => 2 * unit,
                9 => r.pick(&[8, 16, 24, 32, 64, 128, 4096]),
                10 if !self.aligned => r.below(80) as i64 - 40,
                _ => r.pick(&[-8, -64, 40, 80]),
            })
            .collect();
        let span = r.pick(&[32, 128, 400, 2000]);
        let offset = r.below(span) as i64 - 64;
        let offset = if self.aligned { offset & -i64::from(size.min(8)) } else { offset };
        let stmt = self.contexts.len() as u32;
        self.contexts.push(path.to_vec());
        Access {
            stmt,
            write: self.random.chance(2),
            size,
            base: self.base.wrapping_add_signed(offset),
            strides,
        }
    }

    /// Several operands, each with parts of what another one touches in a few iterations; some also updated.
    fn unrolled(&mut self, path: &[u32], block: &mut Vec<Access>) {
        let mut access = self.access(path);
        let parts = self.random.pick(&[2, 2, 2, 3, 4, 4, 8]);
        access.size = self.random.pick(if self.aligned { &[16, 8, 16, 32] } else { &[16, 8, 64, 4, 3, 1] });
        access.size = access.size.min(256 / parts);
        let period = i64::from(parts * access.size);
        let sign = self.random.pick(&[1, 1, 1, -1]);
        let lane = path.len() - 1;
        access.strides[lane] = sign * period;
        let mode = self.random.below(4);
        let is_shuffled = self.random.chance(4);
        let mut part = |this: &mut Generator, i: u32, write: bool| {
            let stmt = this.contexts.len() as u32;
            this.contexts.push(path.to_vec());
            let base = access.base.wrapping_add(u64::from(i * access.size));
            block.push(Access { stmt, write, base, ..access.clone() });
        };
        let stays = |this: &mut Generator| !this.random.chance(40);
        let order = |i: u32| if is_shuffled { (i + 1) % parts } else { i };
        match mode {
            0 | 1 => {
                let write = mode == 0;
                (0..parts).filter(|_| stays(self)).collect::<Vec<_>>().into_iter().for_each(|i| {
                    part(self, order(i), write);
                });
            }
            2 => {
                for i in 0..parts {
                    part(self, order(i), false);
                    if stays(self) {
                        part(self, order(i), true);
                    }
                }
            }
            _ => {
                (0..parts).for_each(|i| part(self, i, false));
                (0..parts).for_each(|i| part(self, order(i), true));
            }
        }
    }

    fn nodes(&mut self, path: &mut Vec<u32>) -> Vec<Node> {
        (0..1 + self.random.below(3)).map(|_| self.node(path)).collect()
    }

    fn node(&mut self, path: &mut Vec<u32>) -> Node {
        let kind = self.random.below(6);
        if kind == 0 || path.len() == 4 {
            return Node::Block(self.block(path));
        }
        self.loops += 1;
        path.push(self.loops);
        let slope = self.random.pick(&[0, 0, 0, 1, -1]);
        let node = if kind <= 3 || path.len() >= 3 {
            let trip = 1 + self.random.below(if path.len() > 2 { 9 } else { 40 }) as i64;
            let part = if self.random.chance(3) { 1 + self.random.below(6) as i64 } else { 1 << 40 };
            let block = self.block(path);
            let exit = self.random.chance(4).then(|| self.block(path));
            Node::Folded { trip, slope, part, block, exit }
        } else {
            let trip = 1 + self.random.below(if self.random.clone().chance(2) { 5 } else { 14 }) as i64;
            let rows_from = self.random.pick(&[0, 1, 2, 3, i64::MAX]);
            let most = self.random.pick(&[3, 5, 6, 8, i64::MAX]);
            Node::Loop { trip, slope, rows_from, most, body: self.nodes(path) }
        };
        path.pop();
        node
    }
}

fn operands(block: &[Access], iv: &[i64], lane: Option<usize>) -> Vec<Operand> {
    block
        .iter()
        .map(|a| {
            let base = a.strides.iter().zip(iv).fold(a.base, |at, (s, x)| at.wrapping_add_signed(s * x));
            Operand {
                stmt: a.stmt,
                write: a.write,
                base,
                stride: lane.map_or(0, |l| a.strides[l]),
                size: a.size,
            }
        })
        .collect()
}

fn vector(iv: &[i64]) -> Iv {
    let mut v = Iv::ZERO;
    v.0[..iv.len()].copy_from_slice(iv);
    v
}

fn emit(block: &[Access], iv: &[i64], lane: Option<usize>, count: i64, sink: &mut dyn FnMut(Recorded)) {
    sink(Recorded::Record(&Record {
        iv: vector(iv),
        lane: lane.map(|l| l as u8),
        count: count as u64,
        operands: &operands(block, iv, lane),
    }));
}

/// What is recorded.
enum Recorded<'a> {
    Record(&'a Record<'a>),
    Block(&'a Block<'a>),
}

/// The records of a row, if all rows have the same: operands, what each grows by, lane, number of iterations.
type Row = Vec<(Vec<Operand>, Vec<i64>, Option<usize>, i64)>;

fn row_of(body: &[Node], iv: &[i64]) -> Option<Row> {
    let of = |node: &Node| {
        let (block, lane, count) = match node {
            Node::Block(block) => (block, None, 1),
            Node::Folded { trip, slope: 0, part, block, exit: None } if part >= trip => {
                (block, Some(iv.len()), *trip)
            }
            _ => return None,
        };
        let inner: Vec<i64> = iv.iter().copied().chain(lane.map(|_| 0)).collect();
        let shifts = block.iter().map(|a| a.strides[iv.len() - 1]).collect();
        Some((operands(block, &inner, lane), shifts, lane, count))
    };
    body.iter().map(of).collect()
}

fn emit_rows(row: &Row, iv: &[i64], rows: u64, sink: &mut dyn FnMut(Recorded)) {
    let records: Vec<Record> = row
        .iter()
        .map(|(operands, _, lane, count)| Record {
            iv: vector(iv),
            lane: lane.map(|l| l as u8),
            count: *count as u64,
            operands,
        })
        .collect();
    let shifts: Vec<Vec<i64>> = row.iter().map(|(_, shifts, ..)| shifts.clone()).collect();
    sink(Recorded::Block(&Block { records: &records, shifts: &shifts, dim: iv.len() - 1, rows }));
}

fn run(nodes: &[Node], iv: &mut Vec<i64>, sink: &mut dyn FnMut(Recorded)) {
    for node in nodes {
        match node {
            Node::Block(block) => emit(block, iv, None, 1, sink),
            Node::Loop { trip, slope, rows_from, most, body } => {
                let trip = trip + slope * iv.last().unwrap_or(&0);
                let mut i = 0;
                while i < trip {
                    iv.push(i);
                    let row = if i == *rows_from { row_of(body, iv) } else { None };
                    let rows = (trip - i).min(if row.is_some() { *most } else { 1 });
                    match row {
                        Some(row) => emit_rows(&row, iv, rows as u64, sink),
                        None => run(body, iv, sink),
                    }
                    iv.pop();
                    i += rows;
                }
            }
            Node::Folded { trip, slope, part, block, exit } => {
                let trip = trip + slope * iv.last().unwrap_or(&0);
                let lane = iv.len();
                let mut at = 0;
                while at < trip {
                    let count = (*part).min(trip - at);
                    iv.push(at);
                    emit(block, iv, Some(lane), count, sink);
                    iv[lane] = at + count - 1;
                    if let Some(exit) = exit {
                        emit(exit, iv, None, 1, sink);
                    }
                    iv.pop();
                    at += count;
                }
            }
        }
    }
}

/// Checks the random program of `seed`; the error says what differs.
pub fn check(seed: u64) -> Result<(), String> {
    let mut random = Random::new(seed);
    let aligned = random.chance(2);
    let base = random.pick(&[0x7fff_0000_0000, 0x40_0000, 0x4000_0000, 0x1000_2000]);
    let mut generator = Generator { random, contexts: Vec::new(), loops: 0, aligned, base };
    let mut program = Vec::new();
    while generator.contexts.len() < 4 {
        program.extend(generator.nodes(&mut Vec::new()));
    }
    let Generator { contexts, mut random, .. } = generator;
    let compact_from = random.pick(&[8, 100, 1 << 16]);
    let mut memory = Memory::new(Options { compact_from });
    let mut reference = Reference::default();
    let mut observed = Observed::new(contexts);
    let scattered = random.chance(4);
    let jitter = std::array::from_fn(|_| 4 * random.below(20) as i64);
    run(&program, &mut Vec::new(), &mut |recorded| {
        let record = match recorded {
            Recorded::Record(record) => record,
            Recorded::Block(block) => {
                observed.rows_along = block.dim;
                memory.block(block, &mut observed);
                return block.each(&mut |record| reference.record(record));
            }
        };
        if random.chance(200) {
            let start = base.wrapping_add_signed(random.below(300) as i64 - 100);
            let end = start + random.pick(&[1, 8, 100, 1 << 15]);
            memory.forget(start, end, &observed);
            reference.forget(start, end);
        }
        if scattered && record.count > 1 && record.operands.iter().all(|o| !o.write) {
            return gather(record, &jitter, &mut memory, &mut reference, &mut observed);
        }
        memory.record(record, &mut observed);
        reference.record(record);
    });
    compare(&reference, &observed)
}

/// The loads of a record, each moved by some bytes: all iterations but the last operand by operand, then that one.
fn gather(
    record: &Record,
    jitter: &[i64; 7],
    memory: &mut Memory,
    reference: &mut Reference,
    observed: &mut Observed,
) {
    let lane = record.lane.unwrap_or(0);
    let at = |operand: &Operand, t: u64| {
        let moved = operand.stride * t as i64 + jitter[t as usize % jitter.len()];
        operand.base.wrapping_add_signed(moved)
    };
    let last = record.count - 1;
    for operand in record.operands {
        let addresses: Vec<u64> = (0..last).map(|t| at(operand, t)).collect();
        let (stmt, size) = (operand.stmt, operand.size);
        if let Some(pattern) = memory.pattern(&addresses) {
            let gather = Gather { stmt, size, iv: record.iv, lane, pattern, addresses: &addresses };
            memory.gather_loads(&gather, observed);
        }
    }
    for t in 0..record.count {
        let iv = record.iv.advanced(usize::from(lane), t as i64);
        let moved = |o: &Operand| Operand { base: at(o, t), stride: 0, ..*o };
        let operands: Vec<Operand> = record.operands.iter().map(moved).collect();
        let one = Record { iv, lane: None, count: 1, operands: &operands };
        reference.record(&one);
        if t == last {
            memory.record(&one, observed);
        }
    }
}
