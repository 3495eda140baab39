//! Replays a region in a proposed order: its recorded instances are executed one after the other, and every read has to find
//! the write that it found in the run.
//!
//! Knows addresses and producers of values, as they were recorded, and the tree that gives every instance its time;
//! nothing of levels, of anti and output dependences, of what orders iterations, or of isl. So it finds mistakes in
//! those.
//!
//! The region is executed once per iteration of what is around it, in memory of its own, in three ways: as the tree says;
//! with parallel loops from their ends and parts without order the other way round; and with permutable bands in tiles.
//! Granularity: what a statement reads in an instance comes before what it writes there. Storage that iterations have for
//! themselves is renamed: of a read from it, the write must have been executed before.
//!
//! Not replayed: reads of which addresses or producers are not known exactly, and of induction variables, which every
//! iteration computes for itself.

use std::collections::BTreeMap;

use fold::{Folded, Piece};
use isl::Tree;
use isl::schedule::Member;
use profile::{ContextIndex, Kind, Operation, Profile, StatementIndex};
use rustc_hash::{FxHashMap, FxHashSet};

use super::check::{Violation, value};
use super::problem::{Formulated, outermost};
use super::region::Region;
use super::statements::allocated;
use crate::SourceLoop;
use crate::graph::inside;
use crate::verdict::Verdict;

/// Points of each piece of an access or a dependence that are executed at most. All that lies in an iteration of the
/// region's loop that is not complete is left out.
const POINTS: u64 = 2048;

/// Size of tiles. Small, so that few iterations fill several.
const TILE: i128 = 3;

/// What was executed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Replayed {
    /// Instances of statements, in one of the ways.
    pub instances: u64,
    /// Reads that were compared, in one of the ways.
    pub reads: u64,
}

/// An instance: the block that names its statement, and its coordinates.
type Instance = (u32, Vec<i64>);

/// One execution of the region: which of its contexts, and the coordinates of what is around it.
type Around = (ContextIndex, Vec<i64>);

/// A read of an instance.
struct Read {
    address: i64,
    size: u32,
    /// The instances whose values it read, in the same execution of the region.
    from: Vec<usize>,
    is_renamed: bool,
}

/// What an instance does.
#[derive(Default)]
struct Done {
    reads: Vec<Read>,
    /// Addresses and sizes.
    writes: Vec<(i64, u32)>,
}

/// One execution of the region.
#[derive(Default)]
struct Execution {
    numbers: FxHashMap<Instance, usize>,
    instances: Vec<(Instance, Done)>,
}

impl Execution {
    fn number(&mut self, instance: Instance) -> usize {
        let next = self.instances.len();
        let number = *self.numbers.entry(instance.clone()).or_insert(next);
        if number == next {
            self.instances.push((instance, Done::default()));
        }
        number
    }
}

/// Producers of what reads take.
type Producers = FxHashMap<(u32, Vec<i64>), Vec<(Around, Instance)>>;

/// An access at a vector.
struct Touch {
    access: u32,
    iv: Vec<i64>,
    at: (Around, Instance),
    address: i64,
}

/// What is done with a point and its labels.
type Visit<'a> = dyn FnMut(&[i64], &[Option<i64>]) + 'a;

/// In which of the orders that a tree allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    AsWritten,
    Backwards,
    Tiled,
}

/// The recorded instances of a region, to be executed in several orders.
pub struct Replay<'a> {
    formulated: &'a Formulated,
    executions: BTreeMap<Around, Execution>,
}

impl<'a> Replay<'a> {
    /// What is executed of a region.
    pub fn new(
        profile: &Profile,
        loops: &[SourceLoop],
        region: &Region,
        formulated: &'a Formulated,
    ) -> Replay<'a> {
        Replay { formulated, executions: Recorded::of(profile, loops, region, formulated).executions() }
    }

    /// Executes it in the order of a tree, which is in terms of blocks.
    ///
    /// # Errors
    /// The first read that finds another write than in the run.
    pub fn check(&self, tree: &Tree) -> Result<Replayed, Violation> {
        let mut replayed = Replayed::default();
        for execution in self.executions.values() {
            replayed.instances += execution.instances.len() as u64;
            replayed.reads +=
                execution.instances.iter().map(|(_, done)| done.reads.len() as u64).sum::<u64>();
            for way in [Way::AsWritten, Way::Backwards, Way::Tiled] {
                run(self.formulated, tree, execution, way)?;
            }
        }
        Ok(replayed)
    }
}

/// Executes the instances of one execution.
fn run(formulated: &Formulated, tree: &Tree, execution: &Execution, way: Way) -> Result<(), Violation> {
    let mut order = Vec::with_capacity(execution.instances.len());
    for (number, (instance, _)) in execution.instances.iter().enumerate() {
        let mut time = Vec::new();
        times(formulated, tree, instance, way, &mut time)?;
        order.push((time, number));
    }
    order.sort_unstable();
    let mut is_done = vec![false; execution.instances.len()];
    let mut memory: FxHashMap<i64, usize> = FxHashMap::default();
    for (_, number) in order {
        let (instance, done) = &execution.instances[number];
        let bytes =
            |address: i64, size: u32| (0..i64::from(size)).map(move |byte| address.wrapping_add(byte));
        for read in &done.reads {
            let others = || read.from.iter().filter(|&&from| from != number);
            let is_right = if read.is_renamed {
                others().all(|&from| is_done[from])
            } else {
                let mut found: Vec<usize> =
                    bytes(read.address, read.size).filter_map(|byte| memory.get(&byte).copied()).collect();
                found.sort_unstable();
                found.dedup();
                // Bytes that the instance itself wrote before hide what lay there.
                let hides = read.from.contains(&number);
                others().all(|from| found.contains(from))
                    && (hides || found.iter().all(|writer| read.from.contains(writer)))
            };
            if !is_right {
                return Err(Violation::Read(format!("S{}", instance.0)));
            }
        }
        for byte in done.writes.iter().flat_map(|&(address, size)| bytes(address, size)) {
            memory.insert(byte, number);
        }
        is_done[number] = true;
    }
    Ok(())
}

/// When an instance runs: numbers that are compared one after the other.
fn times(
    formulated: &Formulated,
    tree: &Tree,
    instance: &Instance,
    way: Way,
    out: &mut Vec<i128>,
) -> Result<(), Violation> {
    let name = format!("S{}", instance.0);
    match tree {
        Tree::Leaf => Ok(()),
        Tree::Sequence(parts) | Tree::Unordered(parts) => {
            let at = parts.iter().position(|(names, _)| names.contains(&name));
            let at = at.ok_or(Violation::Time(name))?;
            let is_reversed = way == Way::Backwards && matches!(tree, Tree::Unordered(_));
            out.push(if is_reversed { -(at as i128) } else { at as i128 });
            times(formulated, &parts[at].1, instance, way, out)
        }
        Tree::Band { members, is_permutable, inside } => {
            let time = |member: &Member| {
                let function = member.functions.iter().find(|f| f.statement == name);
                let affine = function.and_then(|f| f.affine.as_ref());
                let time = affine.and_then(|affine| value(formulated, affine, &instance.1));
                let is_reversed = way == Way::Backwards && member.is_parallel;
                let time = time.ok_or_else(|| Violation::Time(name.clone()))?;
                Ok(if is_reversed { -time } else { time })
            };
            let all: Vec<i128> = members.iter().map(time).collect::<Result<_, _>>()?;
            if way == Way::Tiled && *is_permutable {
                out.extend(all.iter().map(|time| time.div_euclid(TILE)));
            }
            out.extend(all);
            times(formulated, inside, instance, way, out)
        }
    }
}

/// What was recorded of a region.
struct Recorded<'a> {
    profile: &'a Profile,
    formulated: &'a Formulated,
    /// Coordinates of what is around the region.
    fixed: usize,
    /// The context of the region's loop above each context inside.
    of: FxHashMap<ContextIndex, ContextIndex>,
    /// Memory accesses whose producers are not known, or are of no matter.
    unknown: FxHashSet<u32>,
    /// Accesses of storage that iterations have for themselves.
    renamed: FxHashSet<u32>,
}

impl<'a> Recorded<'a> {
    fn of(
        profile: &'a Profile,
        loops: &[SourceLoop],
        region: &Region,
        formulated: &'a Formulated,
    ) -> Recorded<'a> {
        let contexts = inside(profile, &region.contexts);
        let mut of: FxHashMap<ContextIndex, ContextIndex> =
            region.contexts.iter().map(|&context| (context, context)).collect();
        // Parents stand before children.
        for (index, context) in profile.contexts.iter().enumerate() {
            if let Some(&above) = of.get(&context.parent).filter(|_| contexts.contains(&(index as u32))) {
                of.entry(index as ContextIndex).or_insert(above);
            }
        }
        let own = loops.iter().flat_map(|l| l.contexts.iter().zip(&l.verdicts));
        let verdicts: Vec<&Verdict> = own.filter(|(c, _)| contexts.contains(c)).map(|(_, v)| v).collect();
        let allocated = allocated(profile, &contexts);
        let is_computed = |statement: StatementIndex| {
            !allocated.contains(&statement)
                && verdicts.iter().any(|v| v.scevs.binary_search(&statement).is_ok())
        };
        let mut recorded = Recorded {
            profile,
            formulated,
            fixed: outermost(profile, region),
            of,
            unknown: FxHashSet::default(),
            renamed: FxHashSet::default(),
        };
        let is_private = |object: u32| {
            verdicts.iter().any(|v| v.privatise.contains(&object) || v.is_spill(profile, object))
        };
        for dependence in profile.dependences.iter().filter(|d| d.memory) {
            let ends = [dependence.source_access, dependence.sink_access];
            let mut objects = dependence.levels.iter().flat_map(|level| &level.objects);
            if objects.any(|used| used.callee || is_private(used.object)) {
                recorded.renamed.extend(ends.into_iter().flatten());
            }
            let is_exact = dependence.relation.as_ref().is_some_and(Folded::is_exact);
            let is_known = is_exact && recorded.place(dependence.source).is_none_or(|_| ends[0].is_some());
            if dependence.kind == Kind::Flow && (!is_known || is_computed(dependence.source)) {
                recorded.unknown.extend(ends[1]);
            }
        }
        recorded
    }

    /// Whether what an instruction reads is where to go on: returns.
    fn is_control(&self, instruction: StatementIndex) -> bool {
        self.profile.statements[instruction as usize].operation == Operation::Control
    }

    /// The statement that an instruction belongs to, and the context of the region above it.
    fn place(&self, instruction: StatementIndex) -> Option<(u32, ContextIndex)> {
        let statement = self.formulated.sorted.of(self.profile, instruction)?;
        // Others, which compute the counters of loops, have no place in the order.
        self.formulated.statements.binary_search_by_key(&statement, |(name, _)| *name).ok()?;
        let context = self.profile.blocks[statement as usize].context;
        Some((statement, *self.of.get(&context)?))
    }

    /// The execution and the instance of a vector of an instruction.
    fn instance(&self, (statement, above): (u32, ContextIndex), iv: &[i64]) -> Option<(Around, Instance)> {
        let context = self.profile.blocks[statement as usize].context;
        let dims = usize::from(self.profile.contexts[context as usize].dims);
        Some(((above, iv.get(..self.fixed)?.to_vec()), (statement, iv.get(..dims)?.to_vec())))
    }

    /// All that is executed.
    fn executions(&self) -> BTreeMap<Around, Execution> {
        // Nothing from this iteration of the region's loop on is complete.
        let mut end: Option<Vec<i64>> = None;
        let producers = self.producers(&mut end);
        let touches = self.touches(&mut end);
        let mut executions: BTreeMap<Around, Execution> = BTreeMap::new();
        for Touch { access, iv, at: (around, instance), address } in touches {
            let prefix = &instance.1[..instance.1.len().min(self.fixed + 1)];
            if end.as_ref().is_some_and(|end| prefix >= end.as_slice()) {
                continue;
            }
            let execution = executions.entry(around.clone()).or_default();
            let number = execution.number(instance);
            let own = &self.profile.accesses[access as usize];
            if own.write {
                execution.instances[number].1.writes.push((address, own.size));
                continue;
            }
            // What another execution of the region left is as good as what lay there at first.
            let from = producers.get(&(access, iv)).into_iter().flatten();
            let from = from.filter(|(other, _)| *other == around);
            let from = from.map(|(_, instance)| execution.number(instance.clone())).collect();
            let is_renamed = self.renamed.contains(&access);
            execution.instances[number].1.reads.push(Read { address, size: own.size, from, is_renamed });
        }
        executions
    }

    /// The instances whose values reads take, by the access and its vector.
    fn producers(&self, end: &mut Option<Vec<i64>>) -> Producers {
        let mut producers = Producers::default();
        for d in self.profile.dependences.iter().filter(|d| d.memory && d.kind == Kind::Flow) {
            let (Some(source), Some(_)) = (self.place(d.source), self.place(d.sink)) else { continue };
            let Some(access) = d.sink_access.filter(|access| !self.unknown.contains(access)) else {
                continue;
            };
            for piece in d.relation.iter().flat_map(|relation| &relation.pieces) {
                self.points(piece, end, &mut |iv, labels| {
                    let from: Option<Vec<i64>> = labels.iter().copied().collect();
                    if let Some(from) = from.and_then(|from| self.instance(source, &from)) {
                        producers.entry((access, iv.to_vec())).or_default().push(from);
                    }
                });
            }
        }
        producers
    }

    /// Accesses of which everything is known, one by one.
    fn touches(&self, end: &mut Option<Vec<i64>>) -> Vec<Touch> {
        let mut touches = Vec::new();
        for (index, access) in self.profile.accesses.iter().enumerate().filter(|(_, a)| a.executions > 0) {
            let index = index as u32;
            let Some(place) = self.place(access.statement) else { continue };
            let is_read_unknown = self.unknown.contains(&index) || self.is_control(access.statement);
            if !access.address.iter().all(Folded::is_exact) || !access.write && is_read_unknown {
                continue;
            }
            for piece in access.address.iter().flat_map(|folded| &folded.pieces) {
                self.points(piece, end, &mut |iv, labels| {
                    let address = labels.first().copied().flatten();
                    let at = self.instance(place, iv);
                    touches.extend(address.zip(at).map(|(address, at)| Touch {
                        access: index,
                        iv: iv.to_vec(),
                        at,
                        address,
                    }));
                });
            }
        }
        touches
    }

    /// Visits points of a piece; `end` moves to the last one where there are more.
    fn points(&self, piece: &Piece, end: &mut Option<Vec<i64>>, visit: &mut Visit<'_>) {
        let mut last: Vec<i64> = Vec::new();
        let is_complete = piece.points(POINTS, &mut |iv, labels| {
            last = iv.to_vec();
            visit(iv, labels);
        });
        if !is_complete {
            last.truncate(self.fixed + 1);
            if end.as_ref().is_none_or(|known| last < *known) {
                *end = Some(last);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::check::tests::{band, formulated};
    use super::*;

    /// `a[i][j] = a[i - 1][j + 1]`, seven by seven.
    fn diagonal(is_renamed: bool) -> Execution {
        let mut execution = Execution::default();
        for (i, j) in (0..7i64).flat_map(|i| (0..7i64).map(move |j| (i, j))) {
            let from = (i > 0 && j < 6).then(|| execution.number((1, vec![i - 1, j + 1])));
            let number = execution.number((1, vec![i, j]));
            let address = (10 * (i + 1) + j) * 8;
            execution.instances[number].1.writes.push((address, 8));
            execution.instances[number].1.reads.push(Read {
                address: address - 72,
                size: 8,
                from: from.into_iter().collect(),
                is_renamed,
            });
        }
        execution
    }

    fn stands(tree: &Tree, execution: &Execution) -> bool {
        let each = |way| run(&formulated(), tree, execution, way);
        [Way::AsWritten, Way::Backwards, Way::Tiled].into_iter().all(|way| match each(way) {
            Ok(()) => true,
            Err(Violation::Read(statement)) => {
                assert_eq!(statement, "S1");
                false
            }
            Err(other) => panic!("{other}"),
        })
    }

    #[test]
    fn a_read_finds_what_it_found() {
        let rows = |outer: bool, inner: bool, is_permutable: bool| {
            band(&[(&[1, 0], outer), (&[0, 1], inner)], is_permutable)
        };
        for is_renamed in [false, true] {
            let execution = diagonal(is_renamed);
            assert!(stands(&rows(false, false, false), &execution));
            assert!(stands(&rows(false, true, false), &execution));
            assert!(!stands(&rows(true, false, false), &execution));
            assert!(!stands(&rows(false, true, true), &execution));
            assert!(!stands(&band(&[(&[0, 1], false), (&[1, 0], false)], false), &execution));
            assert!(stands(&band(&[(&[1, 0], false), (&[1, 1], false)], true), &execution));
        }
    }

    /// What a read must not find is overwritten too early.
    #[test]
    fn a_write_stays_behind_the_reads_before_it() {
        // `a[j] = a[j + 1]` of what was there before.
        let mut execution = Execution::default();
        for j in 0..7i64 {
            let number = execution.number((1, vec![0, j]));
            execution.instances[number].1.writes.push((8 * j, 8));
            let read = Read { address: 8 * (j + 1), size: 8, from: Vec::new(), is_renamed: false };
            execution.instances[number].1.reads.push(read);
        }
        assert!(stands(&band(&[(&[1, 0], false), (&[0, 1], false)], false), &execution));
        assert!(!stands(&band(&[(&[1, 0], false), (&[0, -1], false)], false), &execution));
        assert!(!stands(&band(&[(&[1, 0], false), (&[0, 1], true)], false), &execution));
    }
}
