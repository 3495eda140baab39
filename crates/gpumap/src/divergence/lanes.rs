//! Warps whose lanes part at a branch, one by one.
//!
//! Needs numbers for everything that decides the branch and how often loops run. A thread comes to the branch if all branches before
//! let it; where one of these is not computed, every thread that may come there counts, so that what is found is the most.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{Signed, ToPrimitive};

use crate::control::LoopId;
use crate::cost::Grid;
use crate::device::Block;
use crate::ir::BlockId;
use crate::ir::instruction::Predicate;
use crate::recurrence::conditions::Condition;
use crate::recurrence::{Forms, Reading};
use crate::symbolic::{AtomId, Polynomial};

/// Most threads, and threads times iterations of each of the loops inside, that are looked at.
const MOST: u64 = 1 << 18;

/// In how many warps lanes part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Parted {
    /// How often a warp comes to the branch and its lanes go different ways.
    pub parted: u64,
    /// How often a warp comes to the branch.
    pub all: u64,
    /// Whether these are the most, as it is not known which threads come there.
    pub is_most: bool,
}

/// A comparison with a number for each thread: both sides as polynomials.
struct Test {
    predicate: Predicate,
    left: Polynomial,
    right: Polynomial,
}

/// A loop that threads run: its iteration, and the last one in which the branch is reached.
struct Inside {
    atom: AtomId,
    lasts: Vec<Polynomial>,
}

struct Count<'a, 'f> {
    forms: &'a Forms<'f>,
    axes: Vec<(AtomId, Polynomial)>,
    inside: Vec<Inside>,
    /// What has to hold for a thread to come to the branch.
    before: Vec<Test>,
    test: Test,
    found: Parted,
    left: u64,
}

/// In how many warps the lanes part at the branch of a block; `None` if that cannot be counted. `axes` are the mapped loops, x first.
pub fn parted(forms: &mut Forms<'_>, axes: &[LoopId], block: Block, at: BlockId) -> Option<Parted> {
    let outermost = axes.iter().copied().min_by_key(|&id| forms.control.loops.get(id).depth)?;
    let extents = Grid::new(forms, axes, outermost, block).numbers()?;
    let mut is_most = false;
    let inside = inside(forms, axes, at, &mut is_most)?;
    let before = before(forms, outermost, at, &mut is_most);
    let to = *forms.control.successors[at.index()].first()?;
    let test = forms.condition_of(at, to).and_then(|condition| test(forms, condition))?;
    let mut counts = Vec::new();
    for &id in axes {
        let trips = forms.trips(id);
        counts.push((forms.iteration(id), trips.iter().find(|trips| trips.exact)?.count.clone()));
    }
    let found = Parted { is_most, ..Parted::default() };
    let mut count = Count { forms, axes: counts, inside, before, test, found, left: MOST };
    let firsts = |axis: usize| (0..extents[axis]).step_by(block.extent(axis).max(1) as usize);
    for z in firsts(2) {
        for y in firsts(1) {
            for x in firsts(0) {
                for warp in 0..block.warps() {
                    let thread =
                        |own: [u32; 3]| [x + u64::from(own[0]), y + u64::from(own[1]), z + u64::from(own[2])];
                    let is_inside =
                        |thread: &[u64; 3]| thread.iter().zip(extents).all(|(place, end)| *place < end);
                    let lanes: Vec<[u64; 3]> = block.lanes(warp).map(thread).filter(is_inside).collect();
                    count.warp(&lanes)?;
                }
            }
        }
    }
    Some(count.found)
}

/// The loops that a thread runs around a block, outermost first.
fn inside(forms: &mut Forms<'_>, axes: &[LoopId], at: BlockId, is_most: &mut bool) -> Option<Vec<Inside>> {
    let around: Vec<LoopId> = forms.control.loops.around(at).take_while(|id| !axes.contains(id)).collect();
    let mut list = Vec::new();
    for id in around.into_iter().rev() {
        let trips = forms.trips(id);
        *is_most |= !trips.iter().any(|trips| trips.exact);
        let mut lasts = forms.last_iterations(id, at);
        if lasts.is_empty() {
            // Before the test, which is made once more than the loop goes on.
            lasts = trips.iter().map(|trips| trips.count.clone()).collect();
        }
        if lasts.is_empty() {
            return None;
        }
        list.push(Inside { atom: forms.iteration(id), lasts });
    }
    Some(list)
}

/// What has to hold for a thread to come to a block, as far as it is computed.
fn before(forms: &mut Forms<'_>, outermost: LoopId, at: BlockId, is_most: &mut bool) -> Vec<Test> {
    let mut tests = Vec::new();
    for (from, to) in forms.edges_to(at) {
        if !forms.control.loops.contains(outermost, from) {
            continue;
        }
        match forms.condition_of(from, to).and_then(|condition| test(forms, condition)) {
            Some(test) => tests.push(test),
            None => *is_most = true,
        }
    }
    *is_most |= !is_reached_by_edges_alone(forms, outermost, at);
    tests
}

/// Whether a block is reached whenever the branches on the way through its dominators are taken: where ways meet, every way from the
/// dominator comes there.
fn is_reached_by_edges_alone(forms: &Forms<'_>, outermost: LoopId, at: BlockId) -> bool {
    let control = forms.control;
    let mut to = at;
    while let Some(from) = control.dominators.immediate(to) {
        if !control.loops.contains(outermost, from) {
            break;
        }
        let is_join = control.predecessors[to.index()].len() > 1 && control.loops.headed_by(to).is_none();
        if is_join && may_avoid(forms, from, to) {
            return false;
        }
        to = from;
    }
    true
}

/// Whether control may come from a block to the end of an iteration, or out of the function, without coming to another block.
fn may_avoid(forms: &Forms<'_>, from: BlockId, to: BlockId) -> bool {
    let control = forms.control;
    let around = control.loops.innermost(to);
    let (mut seen, mut open) = (vec![from], vec![from]);
    while let Some(block) = open.pop() {
        let next = &control.successors[block.index()];
        if next.is_empty() {
            return true;
        }
        for &next in next {
            let is_outside = around
                .is_some_and(|id| !control.loops.contains(id, next) || control.loops.get(id).header == next);
            if next != to && is_outside {
                return true;
            }
            if next != to && !seen.contains(&next) {
                seen.push(next);
                open.push(next);
            }
        }
    }
    false
}

fn test(forms: &mut Forms<'_>, condition: Condition) -> Option<Test> {
    let readings = match condition.reading() {
        Some(reading) => vec![reading],
        None => vec![Reading::Signed, Reading::Unsigned],
    };
    readings.into_iter().find_map(|reading| {
        let (left, right) = (forms.of(condition.left, reading)?, forms.of(condition.right, reading)?);
        let is_known = !forms.mentions_opaque(&left) && !forms.mentions_opaque(&right);
        is_known.then_some(Test { predicate: condition.predicate, left, right })
    })
}

/// A thread with its iterations of the loops inside.
type Place = Vec<(AtomId, u64)>;

impl Count<'_, '_> {
    /// Counts a warp; `None` if something has no number, or there are too many.
    fn warp(&mut self, lanes: &[[u64; 3]]) -> Option<()> {
        self.spend(lanes.len())?;
        let mut places: Vec<Place> = Vec::new();
        for lane in lanes {
            let place: Place = self.axes.iter().map(|axis| axis.0).zip(lane.iter().copied()).collect();
            // Where rows have different lengths, threads behind the end of theirs do nothing.
            let mut is_in_row = true;
            for ((_, count), at) in self.axes.iter().zip(lane) {
                is_in_row &= BigRational::from(BigInt::from(*at)) < self.value(count, &place)?;
            }
            if is_in_row {
                places.push(place);
            }
        }
        self.iterate(&places, 0)
    }

    /// Looks at so many threads; `None` if these are too many.
    fn spend(&mut self, threads: usize) -> Option<()> {
        self.left = self.left.checked_sub(threads as u64)?;
        Some(())
    }

    fn iterate(&mut self, places: &[Place], depth: usize) -> Option<()> {
        if places.is_empty() {
            return Some(());
        }
        let Some(inside) = self.inside.get(depth) else { return self.branch(places) };
        let atom = inside.atom;
        let mut lasts = Vec::new();
        for place in places {
            let all: Option<Vec<BigRational>> =
                inside.lasts.iter().map(|last| self.value(last, place)).collect();
            lasts.push(all?.into_iter().min()?);
        }
        let most = lasts.iter().max()?.to_integer();
        if most.is_negative() {
            return Some(());
        }
        for at in 0..=most.to_u64()? {
            let number = BigRational::from(BigInt::from(at));
            let going = places.iter().zip(&lasts).filter(|(_, last)| number <= **last);
            let with = |(place, _): (&Place, _)| place.iter().copied().chain([(atom, at)]).collect();
            let going: Vec<Place> = going.map(with).collect();
            self.spend(going.len())?;
            self.iterate(&going, depth + 1)?;
        }
        Some(())
    }

    /// Lanes that come to the branch in step.
    fn branch(&mut self, places: &[Place]) -> Option<()> {
        let (mut taken, mut others) = (false, false);
        for place in places {
            let mut comes = true;
            for test in &self.before {
                comes &= self.holds(test, place)?;
            }
            if comes {
                let holds = self.holds(&self.test, place)?;
                taken |= holds;
                others |= !holds;
            }
        }
        self.found.all += u64::from(taken || others);
        self.found.parted += u64::from(taken && others);
        Some(())
    }

    fn holds(&self, test: &Test, place: &Place) -> Option<bool> {
        let (left, right) = (self.value(&test.left, place)?, self.value(&test.right, place)?);
        Some(match test.predicate {
            Predicate::Equal => left == right,
            Predicate::Unequal => left != right,
            Predicate::GreaterUnsigned | Predicate::GreaterSigned => left > right,
            Predicate::GreaterEqualUnsigned | Predicate::GreaterEqualSigned => left >= right,
            Predicate::LessUnsigned | Predicate::LessSigned => left < right,
            Predicate::LessEqualUnsigned | Predicate::LessEqualSigned => left <= right,
        })
    }

    fn value(&self, of: &Polynomial, place: &Place) -> Option<BigRational> {
        let known = |atom: AtomId| {
            let at = place.iter().find(|entry| entry.0 == atom)?;
            Some(BigRational::from(BigInt::from(at.1)))
        };
        self.forms.atoms.value(of, &known)
    }
}
