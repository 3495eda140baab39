//! An order of execution: for every statement a vector of times, component by component.
//!
//! It is the schedule tree, flattened, with bands cut into tiles. A band is tiled if it has several loops that may be permuted
//! and carries something, since then tiles use again what they fetched. If no loop of such a band is parallel, its outer tile
//! loop counts diagonals of tiles, which are parallel. Inside a tile, and in bands that are not tiled, a parallel loop with the
//! most accesses of stride 0 or one element comes last.

use std::collections::BTreeMap;

use isl::Tree;
use isl::schedule::Member;
use source::{Counted, Linear, Symbol};

use super::Cut;
use super::matched::{flat, name, statement};

/// Iterations of a loop in a tile.
const TILE: i64 = 32;

/// Whether bands are tiled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tiling {
    /// Where it helps.
    Full,
    /// Never.
    None,
}

/// A function of the coordinates of a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Per coordinate.
    pub coefficients: Vec<i64>,
    /// The constant.
    pub constant: i64,
}

/// A component of time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Component {
    /// A place in a sequence.
    Fixed(i64),
    /// The first iteration of the tile.
    Tile(Row),
    /// The diagonal on which the tile lies.
    Diagonal(Row, Row),
    /// The iteration.
    Point(Row),
}

/// A component, and whether iterations that differ in it are independent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dimension {
    /// The component.
    pub component: Component,
    /// Independent.
    pub is_parallel: bool,
}

/// When statements run.
#[derive(Debug, Clone)]
pub struct Order {
    /// Per statement; of different lengths.
    pub times: Vec<Vec<Dimension>>,
    /// Length of the longest.
    pub length: usize,
}

/// The order of a schedule tree.
pub fn order(cut: &Cut, tree: &Tree, tiling: Tiling) -> Result<Order, String> {
    let count = cut.nest.statements.len();
    let mut builder = Builder { cut, tiling, times: vec![Vec::new(); count] };
    let active: Vec<usize> = (0..count).filter(|&s| !cut.nest.statements[s].is_silent).collect();
    builder.add(tree, &active, false)?;
    let length = builder.times.iter().map(Vec::len).max().unwrap_or(0);
    Ok(Order { times: builder.times, length })
}

struct Builder<'a> {
    cut: &'a Cut<'a>,
    tiling: Tiling,
    times: Vec<Vec<Dimension>>,
}

/// A loop of a band: what it counts per statement.
struct Counting {
    rows: BTreeMap<usize, Row>,
    is_parallel: bool,
}

impl Builder<'_> {
    fn add(&mut self, tree: &Tree, statements: &[usize], is_tiled: bool) -> Result<(), String> {
        match tree {
            Tree::Leaf => {
                // Statements without an order among them keep that of the source.
                if statements.len() > 1 {
                    for (place, &s) in statements.iter().enumerate() {
                        self.push(s, Component::Fixed(place as i64), false);
                    }
                }
                Ok(())
            }
            Tree::Sequence(parts) | Tree::Unordered(parts) => {
                for (place, (names, inside)) in parts.iter().enumerate() {
                    let own: Vec<usize> = names
                        .iter()
                        .filter_map(|n| statement(n))
                        .filter(|s| statements.contains(s))
                        .collect();
                    for &s in &own {
                        self.push(s, Component::Fixed(place as i64), false);
                    }
                    self.add(inside, &own, is_tiled)?;
                }
                Ok(())
            }
            Tree::Band { members, is_permutable, inside } => {
                let tiled = self.band(members, *is_permutable, statements, is_tiled)?;
                self.add(inside, statements, is_tiled || tiled)
            }
        }
    }

    fn push(&mut self, statement: usize, component: Component, is_parallel: bool) {
        self.times[statement].push(Dimension { component, is_parallel });
    }

    /// Adds the loops of a band; says whether it was tiled.
    fn band(
        &mut self,
        members: &[Member],
        is_permutable: bool,
        statements: &[usize],
        is_tiled: bool,
    ) -> Result<bool, String> {
        let all: Vec<Counting> =
            members.iter().map(|m| counting(self.cut, m, statements)).collect::<Result<_, _>>()?;
        let mut points: Vec<usize> = (0..all.len()).collect();
        let tiles = is_permutable
            && self.tiling == Tiling::Full
            && !is_tiled
            && all.iter().filter(|c| c.counts()).count() > 1
            && all.iter().any(|c| !c.is_parallel);
        if is_permutable && let Some(last) = self.nearest(&all) {
            points.retain(|&m| m != last);
            points.push(last);
        }
        if tiles {
            let mut outer: Vec<usize> = (0..all.len()).filter(|&m| all[m].counts()).collect();
            outer.sort_by_key(|&m| !all[m].is_parallel);
            // Inside a loop that carries something, every one of its iterations would begin the diagonals anew.
            let is_outermost = statements
                .iter()
                .all(|&s| self.times[s].iter().all(|d| matches!(d.component, Component::Fixed(_))));
            let has_diagonals = !all[outer[0]].is_parallel && is_outermost;
            for (place, &m) in outer.iter().enumerate() {
                for &s in statements {
                    let row = all[m].rows[&s].clone();
                    if place == 0 && has_diagonals {
                        self.push(s, Component::Diagonal(row, all[outer[1]].rows[&s].clone()), false);
                    } else {
                        let is_parallel = all[m].is_parallel || place == 1 && has_diagonals;
                        self.push(s, Component::Tile(row), is_parallel);
                    }
                }
            }
        }
        for m in points {
            for &s in statements {
                self.push(s, Component::Point(all[m].rows[&s].clone()), all[m].is_parallel);
            }
        }
        Ok(tiles)
    }

    /// The parallel loop of a band along which most accesses advance by nothing or one element.
    fn nearest(&self, band: &[Counting]) -> Option<usize> {
        let share = |c: &Counting| -> u64 {
            let of_statement = |(&s, row): (&usize, &Row)| {
                let near = &self.cut.matched.near[s];
                let mut along = row.coefficients.iter().zip(near).filter(|(factor, _)| **factor != 0);
                match (along.next(), along.next()) {
                    (Some((1 | -1, &near)), None) => near,
                    _ => 0,
                }
            };
            c.rows.iter().map(of_statement).sum()
        };
        let parallel = (0..band.len()).filter(|&m| band[m].is_parallel);
        // Of equal ones the innermost, as it is.
        parallel.max_by_key(|&m| share(&band[m]))
    }
}

impl Counting {
    /// It is a loop for some statement, and no mere place in a sequence.
    fn counts(&self) -> bool {
        self.rows.values().any(|row| row.coefficients.iter().any(|c| *c != 0))
    }
}

fn counting(cut: &Cut, member: &Member, statements: &[usize]) -> Result<Counting, String> {
    let mut rows = BTreeMap::new();
    for &s in statements {
        let function = member.functions.iter().find(|f| f.statement == name(s));
        let affine = function.and_then(|f| f.affine.as_ref());
        // A constant as large as a loop is long stands for its length, which may be another one next time.
        let least = cut.matched.trips[s].iter().copied().min().unwrap_or(i64::MAX);
        let affine =
            affine.filter(|a| a.parameters.is_empty() && a.constant.saturating_mul(2).abs() < least.max(3));
        let affine = affine.ok_or_else(|| "its order depends on the size of the data".to_owned())?;
        rows.insert(s, Row { coefficients: affine.coefficients.clone(), constant: affine.constant });
    }
    Ok(Counting { rows, is_parallel: member.is_parallel })
}

impl Order {
    /// For isl's generator of loops: the instances of the source, with `i0`, `i1`, … for its iterators, `p0`, `p1`, … for
    /// parameters and `t0`, `t1`, … for the new loops.
    pub fn for_isl(&self, cut: &Cut) -> Result<isl::Order, String> {
        let parameters: Vec<String> = (0..cut.nest.parameters.len()).map(|p| format!("p{p}")).collect();
        let declaration =
            if parameters.is_empty() { String::new() } else { format!("[{}] -> ", parameters.join(", ")) };
        let loops = flat(cut.nest);
        let each = |(s, times): (usize, &Vec<Dimension>)| {
            let own: Vec<&Counted> = cut.matched.around[s].iter().map(|&at| loops[at].1).collect();
            let iterators: Vec<String> = (0..own.len()).map(|q| format!("i{q}")).collect();
            let offsets = offsets(&own).ok_or_else(|| "numbers of its bounds are too large".to_owned())?;
            let coordinates: Vec<String> =
                offsets.iter().enumerate().map(|(q, o)| format!("(i{q} - ({}))", o.text(&symbol))).collect();
            let mut components: Vec<String> =
                times.iter().map(|d| component(&d.component, &coordinates)).collect();
            components.resize(self.length, "0".to_owned());
            let conditions: Vec<String> = own.iter().enumerate().map(|(q, l)| condition(l, q)).collect();
            let (from, to) = (iterators.join(", "), components.join(", "));
            Ok(format!("{}[{from}] -> [{to}] : {}", name(s), conditions.join(" and ")))
        };
        let active = self.times.iter().enumerate().filter(|(s, _)| !cut.nest.statements[*s].is_silent);
        let all: Vec<String> = active.map(each).collect::<Result<_, String>>()?;
        Ok(isl::Order {
            context: format!("{declaration}{{ : }}"),
            times: format!("{declaration}{{ {} }}", all.join("; ")),
            iterators: (0..self.length).map(|d| format!("t{d}")).collect(),
            // The innermost loops.
            split: self.length.checked_sub(1).into_iter().chain(self.length.checked_sub(2)).collect(),
        })
    }
}

fn symbol(symbol: Symbol) -> String {
    match symbol {
        Symbol::Iterator(depth) => format!("i{depth}"),
        Symbol::Parameter(at) => format!("p{at}"),
    }
}

/// Iterator minus coordinate, per loop: what of the first values are parameters.
fn offsets(loops: &[&Counted]) -> Option<Vec<Linear>> {
    let mut out: Vec<Linear> = Vec::new();
    for counted in loops {
        let mut own = Linear::default();
        for (&symbol, &factor) in &counted.first.terms {
            let part = match symbol {
                Symbol::Parameter(_) => Linear::symbol(symbol),
                Symbol::Iterator(depth) => out.get(depth)?.clone(),
            };
            own = own.plus(factor, &part)?;
        }
        out.push(own);
    }
    Some(out)
}

/// The iterations of a loop.
fn condition(l: &Counted, q: usize) -> String {
    let (first, last) = (l.first.text(&symbol), l.last.text(&symbol));
    let (low, high) = if l.step > 0 { (&first, &last) } else { (&last, &first) };
    let stride = match l.step.unsigned_abs() {
        1 => String::new(),
        step => format!(" and (i{q} - ({first})) mod {step} = 0"),
    };
    format!("{low} <= i{q} <= {high}{stride}")
}

fn component(component: &Component, coordinates: &[String]) -> String {
    match component {
        Component::Fixed(place) => place.to_string(),
        Component::Point(r) => row(r, coordinates),
        Component::Tile(r) => format!("{TILE}*floor(({})/{TILE})", row(r, coordinates)),
        Component::Diagonal(a, b) => {
            format!("floor(({})/{TILE}) + floor(({})/{TILE})", row(a, coordinates), row(b, coordinates))
        }
    }
}

fn row(row: &Row, coordinates: &[String]) -> String {
    let terms = row.coefficients.iter().zip(coordinates).filter(|(factor, _)| **factor != 0);
    let mut parts: Vec<String> = terms.map(|(factor, x)| format!("{factor}*{x}")).collect();
    parts.push(row.constant.to_string());
    parts.join(" + ")
}
