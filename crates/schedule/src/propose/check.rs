//! Checks a schedule without isl: instances of dependences are enumerated, and the times that the schedule tree gives to
//! their ends are compared.
//!
//! What is checked, for every dependence that has to be respected: the pairs of its folded relation (up to a limit), of
//! anti and output dependences those of iterations that access the same bytes, and one observed pair per level. The
//! source must come first; where a band begins at equal times, no loop of a permutable band may go backwards, and
//! parallel loops must have both ends in one iteration.
//!
//! Independent of isl, of its notation and of what was simplified on the way to it; so it finds mistakes there.

use fold::Folded;
use isl::Tree;
use isl::schedule::{Affine, Function, Member};
use profile::{Access, Dependence, Kind, LevelSummary, Profile};
use rustc_hash::FxHashMap;

use super::problem::{Formulated, Kept};
use super::replay::Replayed;

/// Pairs of each piece of a dependence that are enumerated, unless more are asked for.
pub const PAIRS: u64 = 4096;

/// Pairs that are looked for, as a multiple of iterations, where many touch the same bytes.
const LOOKS: u64 = 16;

/// What was looked at.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Checked {
    /// Dependences.
    pub dependences: usize,
    /// Those of which every pair was looked at.
    pub completely: usize,
    /// Pairs of iterations.
    pub pairs: u64,
    /// What was executed in the proposed order.
    pub replayed: Replayed,
}

/// What is wrong with a schedule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Violation {
    /// The sink of a dependence does not come after its source.
    #[error("dependence {0} goes backwards")]
    Order(u32),
    /// A loop that is called parallel has the ends of a dependence in different iterations.
    #[error("a parallel loop carries dependence {0}")]
    Parallel(u32),
    /// A loop of a permutable band takes a dependence backwards.
    #[error("a permutable loop takes dependence {0} backwards")]
    Band(u32),
    /// In the proposed order a statement reads what another instance left than in the run.
    #[error("executed in this order, statement {0} reads another value than in the run")]
    Read(String),
    /// The tree does not say when an instance runs.
    #[error("no time for statement {0}")]
    Time(String),
}

/// An instance: the statement and its iteration.
type Instance<'a> = (&'a str, &'a [i64]);

/// Checks a schedule of a problem against at most `most` pairs of each piece of a dependence.
///
/// # Errors
/// The first [`Violation`].
pub fn check(
    profile: &Profile,
    formulated: &Formulated,
    tree: &Tree,
    most: u64,
) -> Result<Checked, Violation> {
    let mut checked = Checked { dependences: formulated.kept.len(), ..Checked::default() };
    let mut pairs = 0;
    let tree = &formulated.renaming.of_blocks(tree);
    for kept in &formulated.kept {
        let dependence = &profile.dependences[kept.dependence as usize];
        let names = [kept.source, kept.sink].map(|statement| format!("S{statement}"));
        let mut one = |source: &[i64], sink: &[i64]| {
            pairs += 1;
            let (source, sink) =
                (&source[..kept.dims.0.min(source.len())], &sink[..kept.dims.1.min(sink.len())]);
            let order = order(formulated, tree, (&names[0], source), (&names[1], sink));
            order.map_err(|violation| violation.of(kept.dependence))
        };
        for level in dependence.levels.iter().filter(|l| l.count > 0 && kept.levels.contains(&l.level)) {
            one(&level.source_iv, &level.sink_iv)?;
        }
        let is_complete = match dependence.kind {
            Kind::Flow => related(dependence, kept, most, &mut one)?,
            Kind::Anti | Kind::Output => overlapping(profile, dependence, kept, most, &mut one)?,
        };
        checked.completely += usize::from(is_complete);
    }
    checked.pairs = pairs;
    Ok(checked)
}

/// What is done with a pair: source, then sink.
type Visit<'a> = dyn FnMut(&[i64], &[i64]) -> Result<(), Violation> + 'a;

/// Calls `visit` with pairs of the folded relation of a dependence, at the levels that are to be respected. Whether these
/// are all there are.
fn related(
    dependence: &Dependence,
    kept: &Kept,
    most: u64,
    visit: &mut Visit<'_>,
) -> Result<bool, Violation> {
    let mut result = Ok(());
    let Some(relation) = &dependence.relation else { return Ok(false) };
    let mut complete = relation.is_exact();
    for piece in relation.pieces.iter().filter(|piece| piece.is_affine()) {
        complete &= piece.points(most, &mut |sink, labels| {
            let source: Option<Vec<i64>> = labels.iter().copied().collect();
            let Some(source) = source.filter(|_| result.is_ok()) else { return };
            let common = usize::from(dependence.common);
            let level = (0..common).find(|&q| source.get(q) != sink.get(q)).unwrap_or(common);
            if kept.levels.contains(&(level as u8)) {
                result = visit(&source, sink);
            }
        });
    }
    result.map(|()| complete)
}

/// Calls `visit` with pairs of iterations that access a byte in common, at the levels that are to be respected and
/// within the distances that are known. Whether these are all there are.
fn overlapping(
    profile: &Profile,
    dependence: &Dependence,
    kept: &Kept,
    most: u64,
    visit: &mut Visit<'_>,
) -> Result<bool, Violation> {
    let (Some(source), Some(sink)) = (dependence.source_access, dependence.sink_access) else {
        return Ok(false);
    };
    let [source, sink] = [source, sink].map(|access| &profile.accesses[access as usize]);
    let mut at: FxHashMap<i64, Vec<usize>> = FxHashMap::default();
    let mut sources: Vec<Vec<i64>> = Vec::new();
    let mut is_complete = addresses(source, most, &mut |iteration, address| {
        for byte in 0..i64::from(source.size.max(1)) {
            at.entry(address.wrapping_add(byte)).or_default().push(sources.len());
        }
        sources.push(iteration.to_vec());
    });
    let (mut left, mut result) = (most.saturating_mul(LOOKS), Ok(()));
    let common = usize::from(dependence.common);
    let is_kept = |source: &[i64], sink: &[i64]| {
        let level = (0..common).find(|&q| source.get(q) != sink.get(q)).unwrap_or(common);
        let summary = dependence.levels.iter().find(|l| usize::from(l.level) == level);
        let is_within = |summary: &LevelSummary| {
            let bounds = summary.minimum.iter().zip(&summary.maximum);
            source.iter().zip(sink).zip(bounds).all(|((x, y), (low, high))| {
                y.checked_sub(*x).is_some_and(|distance| (*low..=*high).contains(&distance))
            })
        };
        kept.levels.contains(&(level as u8)) && summary.is_some_and(is_within)
    };
    is_complete &= addresses(sink, most, &mut |iteration, address| {
        let mut seen: Option<usize> = None;
        for byte in 0..i64::from(sink.size.max(1)) {
            for &index in at.get(&address.wrapping_add(byte)).into_iter().flatten() {
                // Sources of neighbouring bytes come in the same order.
                let is_new = seen.is_none_or(|last| index > last);
                if !is_new || left == 0 || result.is_err() {
                    continue;
                }
                (seen, left) = (Some(index), left - 1);
                if is_kept(&sources[index], iteration) {
                    result = visit(&sources[index], iteration);
                }
            }
        }
    });
    result.map(|()| is_complete && left > 0)
}

/// Calls `visit` with iterations of an access and their addresses. Whether these are all there are.
fn addresses(access: &Access, most: u64, visit: &mut dyn FnMut(&[i64], i64)) -> bool {
    let mut is_complete = access.address.iter().all(Folded::is_exact);
    for piece in access.address.iter().flat_map(|folded| &folded.pieces).filter(|piece| piece.is_affine()) {
        is_complete &= piece.points(most, &mut |iteration, labels| {
            if let Some(address) = labels.first().copied().flatten() {
                visit(iteration, address);
            }
        });
    }
    is_complete
}

/// A violation by a dependence that is not known yet.
enum Found {
    Order,
    Parallel,
    Band,
    Time(String),
}

impl Found {
    fn of(self, dependence: u32) -> Violation {
        match self {
            Found::Order => Violation::Order(dependence),
            Found::Parallel => Violation::Parallel(dependence),
            Found::Band => Violation::Band(dependence),
            Found::Time(statement) => Violation::Time(statement),
        }
    }
}

fn order(formulated: &Formulated, tree: &Tree, source: Instance, sink: Instance) -> Result<(), Found> {
    match tree {
        Tree::Leaf if source == sink => Ok(()),
        Tree::Leaf => Err(Found::Order),
        Tree::Sequence(parts) | Tree::Unordered(parts) => {
            let part = |(name, _): Instance| {
                let at = parts.iter().position(|(names, _)| names.iter().any(|n| n == name));
                at.ok_or_else(|| Found::Time(name.to_owned()))
            };
            let (from, to) = (part(source)?, part(sink)?);
            if from == to {
                return order(formulated, &parts[from].1, source, sink);
            }
            let is_ordered = matches!(tree, Tree::Sequence(_)) && from < to;
            if is_ordered { Ok(()) } else { Err(Found::Order) }
        }
        Tree::Band { members, is_permutable, inside } => {
            let mut first = 0;
            for member in members {
                let distance = time(formulated, member, sink)? - time(formulated, member, source)?;
                if member.is_parallel && distance != 0 {
                    return Err(Found::Parallel);
                }
                if *is_permutable && distance < 0 {
                    return Err(Found::Band);
                }
                if first == 0 {
                    first = distance;
                }
            }
            match first {
                0 => order(formulated, inside, source, sink),
                1.. => Ok(()),
                _ => Err(Found::Order),
            }
        }
    }
}

/// When a loop of a band runs an instance.
fn time(formulated: &Formulated, member: &Member, (name, iteration): Instance) -> Result<i128, Found> {
    let function = member.functions.iter().find(|f| f.statement == name);
    let affine = function.and_then(|Function { affine, .. }| affine.as_ref());
    let value = affine.and_then(|affine| value(formulated, affine, iteration));
    value.ok_or_else(|| Found::Time(name.to_owned()))
}

pub(super) fn value(formulated: &Formulated, affine: &Affine, iteration: &[i64]) -> Option<i128> {
    if affine.coefficients.len() != iteration.len() {
        return None;
    }
    let products = affine.coefficients.iter().zip(iteration).map(|(c, x)| i128::from(*c) * i128::from(*x));
    let parameters = affine.parameters.iter().map(|(name, factor)| {
        let value = formulated.parameters.value(name, iteration)?;
        Some(i128::from(*factor) * i128::from(value))
    });
    let parameters: Option<Vec<i128>> = parameters.collect();
    Some(i128::from(affine.constant) + products.sum::<i128>() + parameters?.into_iter().sum::<i128>())
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::renaming::Renaming;
    use super::super::statements::Statements;
    use super::*;
    use crate::notation::Parameters;

    /// A problem without statements.
    pub(in super::super) fn formulated() -> Formulated {
        Formulated {
            statements: Vec::new(),
            sorted: Statements::default(),
            problem: isl::Problem {
                context: String::new(),
                domain: String::new(),
                validity: String::new(),
                proximity: String::new(),
                observed: None,
                renaming: String::new(),
                algorithm: isl::Algorithm::Bands,
                fusion: isl::Fusion::Smart,
            },
            kept: Vec::new(),
            renaming: Renaming::default(),
            parameters: Parameters::of([100, 101].into_iter()),
        }
    }

    /// Loops of statement `S1`: each a row of coefficients, and whether its iterations are independent.
    pub(in super::super) fn band(rows: &[(&[i64], bool)], is_permutable: bool) -> Tree {
        let member = |&(row, is_parallel): &(&[i64], bool)| Member {
            is_parallel,
            functions: vec![Function {
                statement: "S1".to_owned(),
                affine: Some(Affine {
                    coefficients: row.to_vec(),
                    parameters: vec![("n0".to_owned(), 1)],
                    constant: 0,
                }),
                text: String::new(),
            }],
        };
        Tree::Band { members: rows.iter().map(member).collect(), is_permutable, inside: Box::new(Tree::Leaf) }
    }

    fn violation(tree: &Tree, source: [i64; 2], sink: [i64; 2]) -> Option<Violation> {
        order(&formulated(), tree, ("S1", &source), ("S1", &sink)).err().map(|found| found.of(7))
    }

    #[test]
    fn wrong_schedules_are_found() {
        let as_it_is = band(&[(&[1, 0], false), (&[0, 1], false)], false);
        assert_eq!(violation(&as_it_is, [0, 5], [1, 4]), None);
        assert_eq!(violation(&as_it_is, [1, 4], [0, 5]), Some(Violation::Order(7)));
        let tiled = band(&[(&[1, 0], false), (&[0, 1], false)], true);
        assert_eq!(violation(&tiled, [0, 5], [1, 4]), Some(Violation::Band(7)));
        let skewed = band(&[(&[1, 0], false), (&[1, 1], false)], true);
        assert_eq!(violation(&skewed, [0, 5], [1, 4]), None);
        let interchanged = band(&[(&[0, 1], false), (&[1, 0], false)], false);
        assert_eq!(violation(&interchanged, [0, 5], [1, 4]), Some(Violation::Order(7)));
        let parallel = band(&[(&[1, 0], true), (&[0, 1], false)], false);
        assert_eq!(violation(&parallel, [0, 5], [0, 6]), None);
        assert_eq!(violation(&parallel, [0, 5], [1, 5]), Some(Violation::Parallel(7)));
        let part = |name: &str| (vec![name.to_owned()], Tree::Leaf);
        let unordered = Tree::Unordered(vec![part("S1"), part("S2")]);
        let pair = |tree: &Tree| order(&formulated(), tree, ("S1", &[]), ("S2", &[])).is_ok();
        assert!(!pair(&unordered));
        assert!(pair(&Tree::Sequence(vec![part("S1"), part("S2")])));
        assert!(!pair(&Tree::Sequence(vec![part("S2"), part("S1")])));
        assert!(!pair(&Tree::Sequence(vec![part("S2")])));
    }
}
