//! An estimate of the processor cycles that an order takes, from loops, strides and caches.
//!
//! Per statement, with t the iterations of a loop, σ the bytes by which an access advances along it, and the loops counted
//! from the innermost:
//!
//! - *lines* of some inner loops: per access `min(Π t · min(1, |σ least| / 64), (Σ |σ| (t − 1) + size) / 64 + 1)`, the product over
//!   the loops with σ ≠ 0; accesses with equal strides whose ranges overlap count once;
//! - *misses* of a cache: the most inner loops whose lines fit it keep what they touch from one iteration of the loop around
//!   them to the next, so misses are the lines of those loops and that one, times the iterations of the loops further out; lines that
//!   follow one another along the innermost loop are foreseen, cost less, and come while the processor works;
//! - *operations*: `RECORDED_PER_CYCLE` recorded instructions a cycle; divided by the elements of a vector if the innermost loop
//!   is parallel and all accesses have a stride of 0 or one element; at least `LATENCY` where it is not parallel; `GUARD` more
//!   where it runs conditions, without vectors; `PAGED` more per access that is in another page every time;
//! - *bounds*: `ENTRY`, `BOUND` per loop over tiles and for vectors, and `JUMP` per access that goes on in another page when
//!   the innermost loop begins again, shared by the iterations of the innermost loop;
//! - *processors*: all of it divided by `t / ⌈t / processors⌉` of the outermost parallel loop, or the mean width of its diagonals;
//!   `START` each time it starts.
//!
//! Limits: it ranks orders, it foresees no times. Statements are weighed one by one: what one fetches for another in the same
//! iteration counts for both. Bandwidth that processors share, and sets of caches, are left out.

use std::collections::BTreeSet;

use super::Machine;
use super::facts::{Facts, Touch};
use super::times::{Blocks, Component, Dimension, Order, Row};

/// Bytes of a cache line.
const LINE: f64 = 64.0;
/// Bytes of a vector.
const VECTOR: f64 = 32.0;
/// Instructions of a program without optimisation that take a cycle once they are optimised.
const RECORDED_PER_CYCLE: f64 = 8.0;
/// Cycles from one iteration to the next where it needs a result of that before.
const LATENCY: f64 = 4.0;
/// Cycles of conditions inside an innermost loop.
const GUARD: f64 = 3.0;
/// Cycles to begin an innermost loop, and for the end of it, which is seldom foreseen.
const ENTRY: f64 = 16.0;
/// Cycles for each further bound, and for what vectors leave over.
const BOUND: f64 = 4.0;
/// Bytes of a page.
const PAGE: f64 = 4096.0;
/// Cycles to find another page, and until what comes next is foreseen again.
const JUMP: f64 = 20.0;
/// Cycles of an access that is in another page than the one before.
const PAGED: f64 = 5.0;
/// Cycles to start a loop on several processors and to wait for its end.
const START: f64 = 30_000.0;
/// Cycles of a miss in the first, second and third cache.
const MISS: [f64; 3] = [5.0, 12.0, 40.0];
/// Those of one that was foreseen.
const STREAM: [f64; 3] = [1.0, 4.0, 12.0];
/// Lines after which what comes next is foreseen.
const STREAMS: f64 = 4.0;

/// Cycles.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Estimate {
    /// On one processor.
    pub one: f64,
    /// On all.
    pub all: f64,
}

/// A loop around a statement.
#[derive(Debug, Clone)]
struct Around {
    trips: f64,
    /// Per access.
    strides: Vec<f64>,
    is_parallel: bool,
    is_tile: bool,
    is_diagonal: bool,
    /// Its component of time.
    at: usize,
}

/// Cycles of an order; `None` if some statement's loops do not say where its iterations go.
pub fn estimate(facts: &[Facts], order: &Order, machine: &Machine) -> Option<Estimate> {
    let mut total = Estimate::default();
    let mut started = BTreeSet::new();
    for (s, own) in facts.iter().enumerate().filter(|(_, own)| own.is_active) {
        let times = &order.times[s];
        let loops = around(own, times)?;
        let Parted { streamed, others } = memory(own, &loops, machine);
        // What is foreseen arrives while the processor works.
        let operations = operations(own, &loops, is_guarded(facts, order, s));
        let one = own.entries * (operations.max(streamed) + others);
        total.one += one;
        total.all += one;
        let Some(outermost) = loops.iter().position(|l| l.is_parallel).filter(|_| machine.processors > 1)
        else {
            continue;
        };
        let (width, starts) = shared(&loops, outermost);
        let waves = (width / machine.processors as f64).ceil().max(1.0);
        total.all -= one * (1.0 - waves / width.max(1.0));
        let fixed = times[..loops[outermost].at].iter().map(|d| match d.component {
            Component::Fixed(place) => place,
            _ => -1,
        });
        if started.insert(fixed.collect::<Vec<i64>>()) {
            total.all += START * starts * own.entries;
        }
    }
    Some(total)
}

/// Bytes that one iteration of the outermost loop that repeats touches, the most of all statements: what is used again by the
/// next has to stay in a cache that long.
pub fn used_again(facts: &[Facts], order: &Order) -> f64 {
    let of_statement = |(s, own): (usize, &Facts)| {
        let loops = around(own, &order.times[s])?;
        Some(loops.get(1..).map_or(0.0, |inner| lines(own, inner).all()) * LINE)
    };
    let active = facts.iter().enumerate().filter(|(_, own)| own.is_active);
    active.filter_map(of_statement).fold(0.0, f64::max)
}

/// Share of the executed accesses with a stride of 0 or one element along the innermost loops.
pub fn near(facts: &[Facts], order: &Order) -> Option<f64> {
    let (mut good, mut all) = (0.0, 0.0);
    for (s, own) in facts.iter().enumerate().filter(|(_, own)| own.is_active) {
        let loops = around(own, &order.times[s])?;
        let Some(innermost) = loops.last() else { continue };
        let is_near = |(touch, stride): &(&Touch, &f64)| stride.abs() <= touch.size;
        good += own.executions * own.touches.iter().zip(&innermost.strides).filter(is_near).count() as f64;
        all += own.executions * own.touches.len() as f64;
    }
    (all > 0.0).then(|| good / all)
}

/// Iterations that processors share, and how often that starts per entry.
fn shared(loops: &[Around], outermost: usize) -> (f64, f64) {
    let outside: f64 = loops[..outermost].iter().map(|l| l.trips).product();
    match loops[..outermost].last().filter(|l| l.is_diagonal) {
        Some(diagonal) => {
            let (across, along) = (loops[outermost].trips, diagonal.trips);
            let waves = across + along - 1.0;
            (across * along / waves, waves)
        }
        None => (loops[outermost].trips, outside),
    }
}

/// Cycles of the operations of an entry.
fn operations(own: &Facts, loops: &[Around], is_guarded: bool) -> f64 {
    let runs = own.executions / own.entries;
    let plain = (own.instructions / RECORDED_PER_CYCLE).max(1.0);
    let Some(innermost) = loops.last() else { return runs * plain };
    let tiles = loops.iter().filter(|l| l.is_tile).count() as f64;
    let jumps = JUMP * own.apart().filter(|&at| next_page(loops, at)).count() as f64;
    let bounds = |more: f64| (ENTRY + BOUND * (tiles + more) + jumps) / innermost.trips.max(1.0);
    let is_near = own.touches.iter().zip(&innermost.strides).all(|(touch, s)| s.abs() <= touch.size);
    let pages = PAGED * own.apart().filter(|&at| innermost.strides[at].abs() >= PAGE).count() as f64;
    let widest = own.touches.iter().zip(&innermost.strides).filter(|(_, s)| **s != 0.0);
    let lanes = (VECTOR / widest.map(|(touch, _)| touch.size).fold(4.0, f64::max)).max(1.0);
    runs * match (innermost.is_parallel, is_guarded) {
        (true, false) if is_near && own.is_plain => {
            plain * (innermost.trips / lanes).ceil() / innermost.trips.max(1.0) + bounds(2.0)
        }
        (true, false) => plain + pages + bounds(0.0),
        (true, true) => plain + pages + GUARD + bounds(0.0),
        (false, false) => plain.max(LATENCY) + pages + bounds(0.0),
        (false, true) => plain.max(LATENCY) + pages + GUARD + bounds(0.0),
    }
}

/// Cycles that an entry waits for memory.
fn memory(own: &Facts, loops: &[Around], machine: &Machine) -> Parted {
    let mut out = Parted::default();
    let levels = machine.caches.iter().zip(MISS.iter().zip(STREAM)).filter(|(bytes, _)| **bytes > 0);
    for (&bytes, (miss, stream)) in levels {
        let Parted { streamed, others } = misses(own, loops, bytes as f64);
        out.streamed += stream * streamed;
        out.others += miss * others;
    }
    out
}

/// Lines that an entry fetches into a cache of so many bytes.
fn misses(own: &Facts, loops: &[Around], cache: f64) -> Parted {
    let fitting =
        (0..=loops.len()).find(|&at| lines(own, &loops[at..]).all() * LINE <= cache).unwrap_or(loops.len());
    let kept = fitting.saturating_sub(1);
    let again: f64 = loops[..kept].iter().map(|l| l.trips).product();
    let Parted { streamed, others } = lines(own, &loops[kept..]);
    Parted { streamed: streamed * again, others: others * again }
}

/// Whether an access is in another page in the next iteration of the loop around the innermost one.
fn next_page(loops: &[Around], access: usize) -> bool {
    let outer = loops.len().checked_sub(2).and_then(|at| loops.get(at));
    outer.is_some_and(|l| l.strides[access].abs() >= PAGE)
}

/// Lines of memory, or cycles of waiting for them.
#[derive(Debug, Clone, Copy, Default)]
struct Parted {
    /// Of lines that follow one another along an innermost loop: they are fetched before they are asked for.
    streamed: f64,
    /// Of all others.
    others: f64,
}

impl Parted {
    fn all(self) -> f64 {
        self.streamed + self.others
    }
}

/// Lines that some inner loops touch.
fn lines(own: &Facts, loops: &[Around]) -> Parted {
    let of_access = |at: usize| {
        let touch = &own.touches[at];
        let (mut all, mut span, mut least) = (1.0, touch.size, LINE);
        for l in loops.iter().filter(|l| l.strides[at] != 0.0) {
            let stride = l.strides[at].abs();
            all *= l.trips;
            span += stride * (l.trips - 1.0);
            least = stride.min(least);
        }
        (all * (least / LINE)).max(1.0).min(span / LINE + 1.0)
    };
    let is_streamed = |at: usize| {
        loops.last().is_some_and(|l| {
            let stride = l.strides[at].abs();
            stride > 0.0 && stride <= LINE && stride * l.trips >= STREAMS * LINE
        })
    };
    let mut out = Parted::default();
    for at in own.apart() {
        let part = if is_streamed(at) { &mut out.streamed } else { &mut out.others };
        *part += of_access(at);
    }
    out
}

impl Facts {
    /// The accesses, without those that go through the data of an earlier one side by side with it.
    fn apart(&self) -> impl Iterator<Item = usize> {
        (0..self.touches.len())
            .filter(|&at| self.touches[..at].iter().all(|earlier| !self.touches[at].is_beside(earlier)))
    }
}

impl Touch {
    /// Whether two accesses go through the same data side by side.
    fn is_beside(&self, other: &Touch) -> bool {
        let common = self.range.1.min(other.range.1) - self.range.0.max(other.range.0);
        self.strides == other.strides && common * 2.0 >= (self.range.1 - self.range.0)
    }
}

/// Whether the innermost loop of a statement runs others too, and some of them not in every iteration.
fn is_guarded(facts: &[Facts], order: &Order, s: usize) -> bool {
    let times = &order.times[s];
    let Some(at) = times.iter().rposition(|d| matches!(d.component, Component::Point(_))) else {
        return false;
    };
    let shares = |other: usize| {
        let theirs = &order.times[other];
        let same = |(a, b): (&Dimension, &Dimension)| match (&a.component, &b.component) {
            (Component::Fixed(a), Component::Fixed(b)) => a == b,
            (Component::Fixed(_), _) | (_, Component::Fixed(_)) => false,
            _ => true,
        };
        theirs.len() > at && times[..=at].iter().zip(&theirs[..=at]).all(same)
    };
    let is_bound = |other: usize| {
        let rows = points(&order.times[other][..=at]);
        rows.last().is_none_or(|(place, _)| *place != at)
    };
    (0..facts.len()).filter(|&o| facts[o].is_active && shares(o)).any(is_bound)
}

/// The independent functions among components, with their places.
fn points(times: &[Dimension]) -> Vec<(usize, &Row)> {
    let mut out: Vec<(usize, &Row)> = Vec::new();
    let mut reduced: Vec<Vec<f64>> = Vec::new();
    for (at, dimension) in times.iter().enumerate() {
        let Component::Point(row) = &dimension.component else { continue };
        let mut own: Vec<f64> = row.coefficients.iter().map(|&c| c as f64).collect();
        for known in &reduced {
            let Some(lead) = known.iter().position(|x| *x != 0.0) else { continue };
            let factor = own[lead] / known[lead];
            own.iter_mut().zip(known).for_each(|(x, k)| *x -= factor * k);
            own[lead] = 0.0;
        }
        own.iter_mut().filter(|x| x.abs() < 1e-9).for_each(|x| *x = 0.0);
        if own.iter().any(|x| *x != 0.0) {
            reduced.push(own);
            out.push((at, row));
        }
    }
    out
}

/// The loops around a statement, outermost first.
fn around(own: &Facts, times: &[Dimension]) -> Option<Vec<Around>> {
    let points = points(times);
    let dims = own.observed.len();
    let rows: Vec<Vec<f64>> =
        points.iter().map(|(_, row)| row.coefficients.iter().map(|&c| c as f64).collect()).collect();
    let directions = inverse(rows, dims)?;
    let box_of = |row: &Row| -> f64 {
        let parts = row.coefficients.iter().enumerate();
        1.0 + parts.map(|(q, c)| c.unsigned_abs() as f64 * (own.extent(q) - 1.0)).sum::<f64>()
    };
    let all: f64 = points.iter().map(|(_, row)| box_of(row)).product();
    // Domains that are no boxes: all loops are taken for shorter in equal parts.
    let scale = (own.executions / own.entries / all).min(1.0).powf(1.0 / dims.max(1) as f64);
    let length = |row: &Row| (box_of(row) * scale).max(1.0);
    let strides = |m: usize, times: f64| -> Vec<f64> {
        let along =
            |touch: &Touch| touch.strides.iter().enumerate().map(|(q, s)| s * directions[q][m]).sum::<f64>();
        own.touches.iter().map(|touch| times * along(touch)).collect()
    };
    let member = |row: &Row| points.iter().position(|(_, own)| own.coefficients == row.coefficients);
    let size_of = |row: &Row| -> f64 {
        let sizes = times.iter().flat_map(|d| match &d.component {
            Component::Tile(b) | Component::Diagonal(b, _) => Some(b),
            _ => None,
        });
        sizes
            .filter(|b| b.row.coefficients == row.coefficients)
            .map(|b| b.size as f64)
            .fold(f64::INFINITY, f64::min)
    };
    let mut out = Vec::new();
    for (at, dimension) in times.iter().enumerate() {
        let tile = |blocks: &Blocks, is_diagonal: bool| -> Option<Around> {
            let trips = (length(&blocks.row) / blocks.size as f64).ceil();
            let strides = strides(member(&blocks.row)?, blocks.size as f64);
            Some(Around {
                trips,
                strides,
                is_parallel: dimension.is_parallel,
                is_tile: true,
                is_diagonal,
                at,
            })
        };
        match &dimension.component {
            Component::Fixed(_) => {}
            Component::Tile(blocks) => out.extend(tile(blocks, false)),
            Component::Diagonal(blocks, _) => out.extend(tile(blocks, true)),
            Component::Point(row) => {
                let Some(m) = points.iter().position(|(place, _)| *place == at) else { continue };
                let trips = length(row).min(size_of(row));
                let (is_parallel, is_tile) = (dimension.is_parallel, false);
                out.push(Around {
                    trips,
                    strides: strides(m, 1.0),
                    is_parallel,
                    is_tile,
                    is_diagonal: false,
                    at,
                });
            }
        }
    }
    Some(out)
}

/// The inverse of a square matrix, by rows.
fn inverse(mut rows: Vec<Vec<f64>>, dims: usize) -> Option<Vec<Vec<f64>>> {
    if rows.len() != dims || rows.iter().any(|row| row.len() != dims) {
        return None;
    }
    for (at, row) in rows.iter_mut().enumerate() {
        row.extend((0..dims).map(|q| f64::from(u8::from(q == at))));
    }
    for column in 0..dims {
        let size = |r: &usize| rows[*r][column].abs();
        let pivot = (column..dims).max_by(|a, b| size(a).total_cmp(&size(b)))?;
        if rows[pivot][column].abs() < 1e-9 {
            return None;
        }
        rows.swap(column, pivot);
        let lead = rows[column][column];
        rows[column].iter_mut().for_each(|x| *x /= lead);
        let own = rows[column].clone();
        for (_, row) in rows.iter_mut().enumerate().filter(|(at, _)| *at != column) {
            let factor = row[column];
            row.iter_mut().zip(&own).for_each(|(x, o)| *x -= factor * o);
        }
    }
    Some(rows.into_iter().map(|row| row[dims..].to_vec()).collect())
}
