//! Variables of which iterations need their own copies, and where the new loops can declare them.
//!
//! A variable that the body of a loop declares, or that its verdict calls private, has one value per iteration of that loop.
//! Its *home* is the outermost place in the new loops inside of which nothing but one such iteration runs: there it is declared.
//! If there is no such place the order is of no use with a single variable, and another one is tried.

use std::collections::{BTreeMap, BTreeSet};

use profile::{ObjectIndex, ObjectKind, Profile};
use rustc_hash::FxHashMap;

use super::matched::flat;

use super::{Cut, Refused};
use crate::SourceLoop;
use crate::options::times::Blocks;
use crate::options::{Component, Order, Row};
use crate::verdict::Verdict;

/// A variable with one value per iteration of a loop of the source.
struct Group {
    /// clang's name.
    variable: String,
    /// The number of loops around, down to that one.
    loops: usize,
    /// The statements in it that mention the variable.
    statements: Vec<usize>,
}

/// The variables of a nest that can have copies.
pub struct Private<'a> {
    profile: &'a Profile,
    names: BTreeSet<&'a str>,
    /// Those that the nest itself declares.
    inside: BTreeSet<&'a str>,
    groups: Vec<Group>,
}

/// Where a variable is declared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Home {
    /// clang's name for it.
    pub variable: String,
    /// The statements that use this copy.
    pub statements: Vec<usize>,
    /// Inside of so many components of time.
    pub inside: usize,
    /// It is an array, with an element for each iteration of a loop in a tile.
    pub expanded: Option<Expanded>,
}

/// An array in place of a variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expanded {
    /// The component of time that counts tiles.
    pub tile: usize,
    /// The loop around its statements, from the outermost, whose iterations have an element each.
    pub of: usize,
    /// Number of elements.
    pub size: i64,
}

impl<'a> Private<'a> {
    /// Those of a nest.
    pub fn new(profile: &'a Profile, loops: &[SourceLoop], cut: &Cut<'a>) -> Private<'a> {
        let nest = cut.nest;
        let iterators: BTreeSet<&str> = flat(nest).iter().map(|(_, l)| l.iterator.as_str()).collect();
        let declared: BTreeMap<&str, usize> = nest
            .statements
            .iter()
            .enumerate()
            .flat_map(|(s, statement)| statement.declares.iter().map(move |d| (d.id.as_str(), s)))
            .collect();
        let is_single = |name: &str| nest.variables.values().filter(|v| v.name == name).count() == 1;
        let can_have_copies = |(id, v): &(&String, &source::Variable)| {
            let is_value = !v.type_name.contains(['[', '(']);
            !iterators.contains(id.as_str())
                && is_single(&v.name)
                && (is_value || declared.contains_key(id.as_str()))
        };
        let able: Vec<(&String, &source::Variable)> = nest.variables.iter().filter(can_have_copies).collect();
        let verdicts: FxHashMap<u32, &Verdict> =
            loops.iter().flat_map(|l| l.contexts.iter().copied().zip(&l.verdicts)).collect();
        let is_private_in = |name: &str, at: usize| {
            let of_loop = cut.matched.loops[at].iter().filter_map(|c| verdicts.get(c));
            of_loop.flat_map(|v| &v.privatise).any(|&object| is_named(profile, object, name))
        };
        let mentions = |s: usize, id: &str| nest.statements[s].references.iter().any(|r| r.id == id);
        let mut found: BTreeMap<(&str, Vec<usize>), Vec<usize>> = BTreeMap::new();
        for s in 0..nest.statements.len() {
            let around = &cut.matched.around[s];
            for (id, variable) in &able {
                let own = declared.get(id.as_str());
                if nest.statements[s].is_silent || !mentions(s, id) && own != Some(&s) {
                    continue;
                }
                let depth = match own {
                    Some(&home) => Some(cut.matched.around[home].len()),
                    None => (0..around.len())
                        .rev()
                        .find(|&q| is_private_in(&variable.name, around[q]))
                        .map(|q| q + 1),
                };
                if let Some(depth) = depth {
                    found.entry((id.as_str(), around[..depth].to_vec())).or_default().push(s);
                }
            }
        }
        let is_local_to_one = |id: &str, statements: &[usize]| {
            declared.get(id).is_some_and(|home| statements.iter().all(|s| s == home))
        };
        let groups = found
            .into_iter()
            .filter(|((id, _), statements)| !is_local_to_one(id, statements))
            .map(|((id, path), statements)| Group { variable: id.to_owned(), loops: path.len(), statements })
            .collect();
        let inside = nest.variables.values().filter(|v| v.is_inside && is_single(&v.name));
        let inside = inside.map(|v| v.name.as_str()).collect();
        Private { profile, inside, names: able.iter().map(|(_, v)| v.name.as_str()).collect(), groups }
    }

    /// Whether what a verdict says of storage can be done in code.
    pub fn covers(&self, verdict: &Verdict, object: ObjectIndex) -> bool {
        let has = |names: &BTreeSet<&str>| names.iter().any(|name| is_named(self.profile, object, name));
        has(&self.inside) || verdict.privatise.contains(&object) && has(&self.names)
    }

    /// Where the variables are declared in an order.
    ///
    /// # Errors
    /// The variable for which there is no place.
    pub fn homes(&self, cut: &Cut, order: &Order) -> Result<Vec<Home>, Refused> {
        let loops = flat(cut.nest);
        let home = |group: &Group| {
            let is_value = |v: &source::Variable| !v.type_name.contains(['[', '(']);
            let can_expand = cut.nest.variables.get(&group.variable).is_some_and(is_value);
            let found = home(order, group).filter(|(_, expanded)| expanded.is_none() || can_expand);
            let (inside, expanded) = found.ok_or_else(|| {
                let name = cut.nest.variables.get(&group.variable).map_or("?", |v| &v.name);
                let why = format!("{name} would have to become an array: its values live across the loops of the proposed order");
                // The loops directly inside the one of which every iteration has its own value.
                let paths = group.statements.iter().filter_map(|&s| cut.matched.around[s].get(group.loops));
                Refused { why, whole: paths.map(|&at| loops[at].1.from.0).collect() }
            })?;
            Ok(Home {
                variable: group.variable.clone(),
                statements: group.statements.clone(),
                inside,
                expanded,
            })
        };
        self.groups.iter().map(home).collect()
    }
}

fn is_named(profile: &Profile, object: ObjectIndex, name: &str) -> bool {
    profile
        .objects
        .get(object as usize)
        .is_some_and(|o| matches!(o.kind, ObjectKind::Stack | ObjectKind::Global) && o.name == name)
}

/// The number of components inside of which one iteration of a group's loops runs; or else one tile of a loop of them, so that
/// the variable has to be an array.
fn home(order: &Order, group: &Group) -> Option<(usize, Option<Expanded>)> {
    let first = *group.statements.first()?;
    let mut known: Vec<Vec<i64>> = Vec::new();
    let mut array = None;
    let length = group.statements.iter().map(|&s| order.times[s].len()).min()?;
    for at in 0..=length {
        if rank(&known) == group.loops {
            return Some((at, None));
        }
        let component = order.times[first].get(at).map(|d| &d.component);
        let is_common = |component: &&Component| {
            let has_it = |&s: &usize| {
                order.times[s].get(at).is_some_and(|d| d.component.agrees(component, group.loops))
            };
            group.statements.iter().all(has_it)
        };
        let Some(component) = component.filter(is_common) else { break };
        match component {
            Component::Point(row) => known.push(row.coefficients.iter().copied().take(group.loops).collect()),
            Component::Tile(blocks) if rank(&known) + 1 == group.loops && array.is_none() => {
                array = expanded(blocks, &known, group.loops, at);
            }
            _ => {}
        }
    }
    array.map(|array| (array.tile + 1, Some(array)))
}

/// The array for a tile of one loop, where all others around are known.
fn expanded(blocks: &Blocks, known: &[Vec<i64>], loops: usize, at: usize) -> Option<Expanded> {
    let own: Vec<i64> = blocks.row.coefficients.iter().copied().take(loops).collect();
    let mut all = known.to_vec();
    all.push(own.clone());
    let mut factors = own.iter().enumerate().filter(|(_, factor)| **factor != 0);
    let is_unit = |of: usize| own[of] == 1 && blocks.row.constant == 0 && rank(&all) == loops;
    match (factors.next(), factors.next()) {
        (Some((of, _)), None) if is_unit(of) => Some(Expanded { tile: at, of, size: blocks.size }),
        _ => None,
    }
}

impl Component {
    /// Whether two components are the same function of the first coordinates, and of no other.
    fn agrees(&self, other: &Component, loops: usize) -> bool {
        let same = |a: &Row, b: &Row| {
            let own = |row: &Row| -> Vec<i64> { row.coefficients.iter().copied().take(loops).collect() };
            let others = |row: &Row| row.coefficients.iter().skip(loops).any(|c| *c != 0);
            a.constant == b.constant && own(a) == own(b) && !others(a) && !others(b)
        };
        let same_blocks = |a: &Blocks, b: &Blocks| a.size == b.size && same(&a.row, &b.row);
        match (self, other) {
            (Component::Fixed(a), Component::Fixed(b)) => a == b,
            (Component::Point(a), Component::Point(b)) => same(a, b),
            (Component::Tile(a), Component::Tile(b)) => same_blocks(a, b),
            (Component::Diagonal(a, b), Component::Diagonal(c, d)) => same_blocks(a, c) && same_blocks(b, d),
            _ => false,
        }
    }
}

/// Rank of a matrix of small integers.
fn rank(rows: &[Vec<i64>]) -> usize {
    let mut rows: Vec<Vec<i128>> =
        rows.iter().map(|row| row.iter().map(|&x| i128::from(x)).collect()).collect();
    let width = rows.first().map_or(0, Vec::len);
    let mut rank = 0;
    for column in 0..width {
        let Some(pivot) = (rank..rows.len()).find(|&r| rows[r][column] != 0) else { continue };
        rows.swap(rank, pivot);
        let lead = rows[rank].clone();
        for row in rows.iter_mut().skip(rank + 1) {
            let factor = row[column];
            for (x, l) in row.iter_mut().zip(&lead) {
                *x = x.saturating_mul(lead[column]).saturating_sub(l.saturating_mul(factor));
            }
        }
        rank += 1;
    }
    rank
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Dimension;

    fn order(times: &[&[Component]]) -> Order {
        let dimension = |c: &Component| Dimension { component: c.clone(), is_parallel: false };
        let times: Vec<Vec<Dimension>> = times.iter().map(|t| t.iter().map(dimension).collect()).collect();
        Order { length: times.iter().map(Vec::len).max().unwrap_or(0), times }
    }

    fn point(row: &[i64]) -> Component {
        Component::Point(Row { coefficients: row.to_vec(), constant: 0 })
    }

    fn group(loops: usize) -> Group {
        Group { variable: String::new(), loops, statements: vec![0, 1] }
    }

    #[test]
    fn homes_are_where_an_iteration_is_fixed() {
        // for i, j { s = ..; for k s += ..; }
        let as_it_is = order(&[
            &[point(&[1, 0]), point(&[0, 1]), Component::Fixed(0)],
            &[point(&[1, 0, 0]), point(&[0, 1, 0]), Component::Fixed(1), point(&[0, 0, 1])],
        ]);
        assert_eq!(home(&as_it_is, &group(2)), Some((2, None)));
        assert_eq!(home(&as_it_is, &group(1)), Some((1, None)));
        let distributed =
            order(&[&[Component::Fixed(0), point(&[1, 0])], &[Component::Fixed(1), point(&[1, 0, 0])]]);
        assert_eq!(home(&distributed, &group(1)), None);
        let sum_outside =
            order(&[&[point(&[0, 0]), point(&[1, 0])], &[point(&[0, 0, 1]), point(&[1, 0, 0])]]);
        assert_eq!(home(&sum_outside, &group(1)), None);
        let skewed = order(&[&[point(&[1, 1]), point(&[0, 1])], &[point(&[1, 1]), point(&[0, 1])]]);
        assert_eq!(home(&skewed, &group(2)), Some((2, None)));
        assert_eq!(rank(&[vec![1, 1], vec![2, 2]]), 1);
    }
}
