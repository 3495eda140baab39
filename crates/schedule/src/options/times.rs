//! An order of execution: for every statement a vector of times, component by component.
//!
//! It is the schedule tree, flattened, with the loops of its bands in the order of a [`Choice`], and cut into tiles where it
//! says so. Where no loop of a tiled band is parallel, its outer tile loop can count diagonals of tiles, which are.
//!
//! Invariant: an order respects what its tree respects, whatever the choice: loops are permuted, and cut into tiles, in
//! permutable bands alone.

use std::collections::BTreeMap;

use isl::Tree;
use isl::schedule::Member;

use super::facts::Facts;

/// A function of the coordinates of a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Per coordinate.
    pub coefficients: Vec<i64>,
    /// The constant.
    pub constant: i64,
}

/// Blocks of so many values of a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blocks {
    /// The function.
    pub row: Row,
    /// The number.
    pub size: i64,
}

/// A component of time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Component {
    /// A place in a sequence.
    Fixed(i64),
    /// The first iteration of the tile.
    Tile(Blocks),
    /// The diagonal on which the tile lies.
    Diagonal(Blocks, Blocks),
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
    /// Per statement; of different lengths, and empty for those that do nothing.
    pub times: Vec<Vec<Dimension>>,
    /// Length of the longest.
    pub length: usize,
}

/// What is done with a band.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Choice {
    /// The member that becomes the innermost loop; as it is without.
    pub innermost: Option<usize>,
    /// Iterations in a tile, of the innermost loop and of all others.
    pub tiles: Option<(i64, i64)>,
    /// Tiles on a diagonal run in parallel.
    pub has_diagonals: bool,
}

/// A band of a tree, as far as choices go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Band {
    /// Members that can become the innermost loop.
    pub innermost: Vec<usize>,
    /// It may be tiled, and tiles could use again what they fetched: it has two loops or more, and carries something.
    pub is_tilable: bool,
    /// If it is tiled, its tiles can run on diagonals, and none of them is parallel otherwise.
    pub is_diagonal: bool,
}

/// The order of a schedule tree, with a choice for each of its bands, outer ones first; the bands in that order.
///
/// # Errors
/// What is not understood, in words.
pub fn order(facts: &[Facts], tree: &Tree, choices: &[Choice]) -> Result<(Order, Vec<Band>), String> {
    let mut builder = Builder { facts, choices, times: vec![Vec::new(); facts.len()], bands: Vec::new() };
    let active: Vec<usize> = (0..facts.len()).filter(|&s| facts[s].is_active).collect();
    builder.add(tree, &active, false)?;
    let length = builder.times.iter().map(Vec::len).max().unwrap_or(0);
    Ok((Order { times: builder.times, length }, builder.bands))
}

struct Builder<'a> {
    facts: &'a [Facts],
    choices: &'a [Choice],
    times: Vec<Vec<Dimension>>,
    bands: Vec<Band>,
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
                    let is_here = |s: &usize| names.contains(&self.facts[*s].name);
                    let own: Vec<usize> = statements.iter().copied().filter(is_here).collect();
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
            members.iter().map(|m| counting(self.facts, m, statements)).collect::<Result<_, _>>()?;
        let counted: Vec<usize> = (0..all.len()).filter(|&m| all[m].counts()).collect();
        let is_tilable =
            is_permutable && !is_tiled && counted.len() > 1 && all.iter().any(|c| !c.is_parallel);
        // Inside a loop that carries something, every one of its iterations would begin the diagonals anew.
        let is_outermost = statements
            .iter()
            .all(|&s| self.times[s].iter().all(|d| matches!(d.component, Component::Fixed(_))));
        let is_diagonal = is_tilable && is_outermost && counted.iter().all(|&m| !all[m].is_parallel);
        let innermost = counted.iter().copied().filter(|&m| is_permutable && all[m].is_parallel).collect();
        self.bands.push(Band { innermost, is_tilable, is_diagonal });
        let choice = self.choices.get(self.bands.len() - 1).cloned().unwrap_or_default();
        let mut points: Vec<usize> = (0..all.len()).collect();
        if let Some(last) =
            choice.innermost.filter(|m| self.bands[self.bands.len() - 1].innermost.contains(m))
        {
            points.retain(|&m| m != last);
            points.push(last);
        }
        let tiles = choice.tiles.filter(|_| is_tilable);
        if let Some(sizes) = tiles {
            self.tile(&all, &points, statements, sizes, choice.has_diagonals && is_diagonal);
        }
        for m in points {
            for &s in statements {
                self.push(s, Component::Point(all[m].rows[&s].clone()), all[m].is_parallel);
            }
        }
        Ok(tiles.is_some())
    }

    /// Adds the loops over tiles; parallel ones first.
    fn tile(
        &mut self,
        all: &[Counting],
        points: &[usize],
        statements: &[usize],
        (inner, outer): (i64, i64),
        has_diagonals: bool,
    ) {
        let mut loops: Vec<usize> = (0..all.len()).filter(|&m| all[m].counts()).collect();
        let last = points.iter().rev().find(|m| loops.contains(m)).copied();
        loops.sort_by_key(|&m| !all[m].is_parallel);
        let size = |m: usize| if Some(m) == last { inner } else { outer };
        for (place, &m) in loops.iter().enumerate() {
            for &s in statements {
                let blocks = |m: usize| Blocks { row: all[m].rows[&s].clone(), size: size(m) };
                if place == 0 && has_diagonals {
                    self.push(s, Component::Diagonal(blocks(m), blocks(loops[1])), false);
                } else {
                    let is_parallel = all[m].is_parallel || place == 1 && has_diagonals;
                    self.push(s, Component::Tile(blocks(m)), is_parallel);
                }
            }
        }
    }
}

impl Counting {
    /// It is a loop for some statement, and no mere place in a sequence.
    fn counts(&self) -> bool {
        self.rows.values().any(|row| row.coefficients.iter().any(|c| *c != 0))
    }
}

fn counting(facts: &[Facts], member: &Member, statements: &[usize]) -> Result<Counting, String> {
    let mut rows = BTreeMap::new();
    for &s in statements {
        let function = member.functions.iter().find(|f| f.statement == facts[s].name);
        let affine = function.and_then(|f| f.affine.as_ref());
        // A constant as large as a loop is long stands for its length, which may be another one next time.
        let least = facts[s].observed.iter().copied().min().unwrap_or(i64::MAX);
        let affine =
            affine.filter(|a| a.parameters.is_empty() && a.constant.saturating_mul(2).abs() < least.max(3));
        let affine = affine.ok_or_else(|| "its order depends on the size of the data".to_owned())?;
        rows.insert(s, Row { coefficients: affine.coefficients.clone(), constant: affine.constant });
    }
    Ok(Counting { rows, is_parallel: member.is_parallel })
}
