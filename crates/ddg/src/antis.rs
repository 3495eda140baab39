//! Anti dependences of all readers.
//!
//! Of the reads of a byte between two writes, the shadow memory names one per level at which they precede the second write
//! (crate `shadow`, "Which readers a cell needs"). That says which loops carry anti dependences. It does not say which other
//! statements have to stay before the write, nor how far apart they are in the loops inside: both matter to whoever moves
//! statements or permutes loops. Here the profile is completed from the folded addresses of the reads and writes.
//!
//! Definition: a reader r of a byte was left out for a later reader r′ of the same byte only if r and the write w first
//! differ at the same level as r′ and w do, by at least as many iterations, or r and r′ are of one row (an innermost loop's
//! iterations that are applied together; if it is carried by that loop, any distance may have been left out). So for every write and every level at which an
//! anti dependence on it was seen, each read that shares the loops up to that level, and the bytes, is added; its distances
//! are those that the addresses allow ([`fold::meeting`]).
//!
//! Invariants: ranges of distances hold those of every pair of a read and the next write to its bytes. They may hold more:
//! writes in between are not looked at, and where addresses are not affine, distances in inner loops are bounded by their
//! trip counts alone. Levels, and what loops carry, stay as they were seen. What was added has a count of 0, and names no
//! pair of iterations.
//!
//! Limits: a read whose addresses are not affine is added only if dependences were seen to pass through one of the variables
//! that the write overwrites, or through none that is known.
//!
//! Inside one iteration of all shared loops other dependences show which of the two parts of the innermost shared context runs
//! first. Where none does, a read counts as before the write if it was executed first at some time, or stands at a lower address.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use fold::Folded;
use fold::meeting::{Accesses, Meeting, Pairs, Shapes, meet};
use profile::place::{self, Part, fork, way};
use profile::{ContextIndex, Dependence, Kind, LevelSummary, ObjectUse, Profile, Use};
use rustc_hash::{FxHashMap, FxHashSet};
use shadow::MAX_DIMS;
use smallvec::SmallVec;

use crate::intervals::{Interval, Intervals};

/// Most pieces of an access that are compared one by one.
const MOST_PIECES: usize = 8;
/// Most comparisons of pieces; after that, distances are bounded by trip counts.
const MOST_MEETINGS: usize = 1 << 18;

/// Most levels of dependences that are added in all: about 250 MB.
const MOST_ADDED: usize = 1 << 19;
/// Most reads that may stand before one write.
const MOST_READS: usize = 1 << 12;

/// Adds what the shadow memory left out. Gives the outermost loops for which that would be too much, in ascending order; they
/// and all loops around and inside them are marked.
pub(crate) fn complete(profile: &mut Profile) -> Vec<ContextIndex> {
    name(profile);
    let observed = Observed::of(profile);
    let before = Before::of(profile);
    let mut shapes = Shapes::default();
    let mut reads = Reads::of(profile, &mut shapes);
    let mut meetings = Meetings { left: MOST_MEETINGS, ..Meetings::default() };
    // Per write: one list would be copied whenever it grew, and can be large.
    let (mut all, mut in_all): (Vec<Vec<Added>>, usize) = (Vec::new(), 0);
    let mut crowded: BTreeSet<ContextIndex> = BTreeSet::new();
    for (&write, levels) in &observed.writes {
        let Some(to) = Side::of(profile, &mut shapes, write) else { continue };
        // A level concerns the reads that share its loop; one outside of all loops those that share any.
        let level = levels.iter().map(|seen| seen.level.unwrap_or(0)).min().unwrap_or(0);
        let Some(&around) = to.loops.get(level) else { continue };
        let mut place: Option<Place> = None;
        let candidates = reads.overlapping(around, to.bytes);
        if candidates.len() > MOST_READS || in_all >= MOST_ADDED {
            crowded.insert(around);
            continue;
        }
        let mut added = Vec::new();
        for from in candidates {
            let from = &reads.all[from as usize];
            // Reads of one block follow one another.
            let place = match place {
                Some(place) if place.block == from.block => place,
                _ => *place.insert(Place::of(profile, &before, from, &to)),
            };
            let known = observed.pairs.get(&(from.access, write)).copied();
            let common = match known {
                Some(index) => usize::from(profile.dependences[index].common),
                None => place.common,
            };
            let pair = Pair { from, to: &to, common };
            for seen in levels {
                let level = seen.level.unwrap_or(common);
                let is_known = known.is_some_and(|at| summary(&profile.dependences[at], level).is_some());
                // Inside one iteration there are no distances that could be wider.
                let is_open = match seen.level {
                    Some(level) => level < common,
                    None => !is_known && place.may_precede(from, &to),
                };
                if !is_open {
                    continue;
                }
                // Rows of an innermost loop need not be applied in the order of their iterations, as far as loads matter to loads.
                let least = if level + 1 == from.loops.len() { seen.least.min(1) } else { seen.least };
                let is_likely = || is_known || may_share(&observed.objects, from.access, write);
                let ranges = match pair.meeting(profile, level, least, &mut meetings) {
                    Meeting::Within(ranges) => ranges,
                    Meeting::Unknown if is_likely() => pair.extents(level, least),
                    Meeting::Never | Meeting::Unknown => continue,
                };
                let (ends, summary) = ((from.access, write), seen.summary(level, &ranges));
                added.push(Added { known, ends, common, summary });
            }
        }
        in_all += added.len();
        all.push(added);
    }
    widen_without_address(profile);
    // At once: the list may be large.
    let are_new = all
        .iter()
        .map(|added| added.chunk_by(|a, b| a.ends == b.ends).filter(|own| own[0].known.is_none()).count());
    profile.dependences.reserve_exact(are_new.sum());
    all.into_iter().for_each(|added| add(profile, added));
    mark(profile, &crowded);
    crowded.into_iter().collect()
}

/// Names what the dependences of a level pass through where that was not asked for: iterations that are applied late, when
/// their frames are gone, touch what others touched before, but another reader may stand for those of a byte. It is then what
/// the same write overwrites at that level after its other readers.
fn name(profile: &mut Profile) {
    /// Levels that common loops carry, with the write that they lead to.
    fn carried(d: &mut Dependence) -> impl Iterator<Item = ((u32, u8), &mut LevelSummary)> {
        let sink = d.sink_access.filter(|_| d.kind == Kind::Anti && d.memory);
        let common = d.common;
        let levels = d.levels.iter_mut().filter(move |l| l.level < common);
        levels.filter_map(move |level| sink.map(|sink| ((sink, level.level), level)))
    }
    let mut known: FxHashMap<(u32, u8), Vec<ObjectUse>> = FxHashMap::default();
    for (at, level) in profile.dependences.iter_mut().flat_map(carried) {
        if level.objects.is_empty() {
            known.entry(at).or_default();
        }
    }
    for (at, level) in profile.dependences.iter_mut().flat_map(carried) {
        known.get_mut(&at).into_iter().for_each(|objects| take_in(objects, &level.objects));
    }
    for (at, level) in profile.dependences.iter_mut().flat_map(carried) {
        if let Some(objects) = known.get(&at).filter(|_| level.objects.is_empty()) {
            level.objects.clone_from(objects);
        }
    }
}

/// Adds uses of objects that are not in a list.
fn take_in(list: &mut Vec<ObjectUse>, more: &[ObjectUse]) {
    for used in more {
        if list.iter().all(|known| (known.object, known.callee) != (used.object, used.callee)) {
            list.push(*used);
        }
    }
}

/// Adds the levels of one write to dependences; those of a dependence that is new follow one another.
fn add(profile: &mut Profile, added: Vec<Added>) {
    let mut latest: Option<((u32, u32), usize)> = None;
    for Added { known, ends, common, summary } in added {
        let index = match (known, latest) {
            (Some(index), _) => index,
            (None, Some((same, index))) if same == ends => index,
            (None, _) => {
                profile.dependences.push(anti(profile, ends, common));
                profile.dependences.len() - 1
            }
        };
        latest = Some((ends, index));
        join(&mut profile.dependences[index], summary);
    }
}

/// Marks loops, and all loops around and inside them, as crowded.
fn mark(profile: &mut Profile, crowded: &BTreeSet<ContextIndex>) {
    for at in 0..profile.contexts.len() as ContextIndex {
        let parent = |&c: &ContextIndex| (c != 0).then(|| profile.contexts[c as usize].parent);
        if std::iter::successors(Some(at), parent).any(|c| crowded.contains(&c)) {
            profile.contexts[at as usize].is_crowded = true;
        }
    }
    for &inner in crowded {
        let mut at = inner;
        while at != 0 {
            profile.contexts[at as usize].is_crowded = true;
            at = profile.contexts[at as usize].parent;
        }
    }
}

/// A level to be added to a dependence.
struct Added {
    /// The dependence, if there is one.
    known: Option<usize>,
    /// Read and write.
    ends: (u32, u32),
    common: usize,
    summary: LevelSummary,
}

/// Bounds distances by trip counts where an end has no address function: what the system reads for a call.
fn widen_without_address(profile: &mut Profile) {
    let is_open = |d: &Dependence| {
        d.kind == Kind::Anti && d.memory && (d.source_access.is_none() || d.sink_access.is_none())
    };
    let open: Vec<usize> =
        (0..profile.dependences.len()).filter(|&at| is_open(&profile.dependences[at])).collect();
    for at in open {
        let d = &profile.dependences[at];
        let (ends, common) = ([d.source, d.sink], usize::from(d.common));
        let [from, to] = ends.map(|statement| extent(profile, statement, common));
        let widened: Vec<Ranges> =
            d.levels.iter().map(|l| extents([&from, &to], common, l.level.into(), least(l))).collect();
        for (level, ranges) in profile.dependences[at].levels.iter_mut().zip(widened) {
            widen(level, ranges.iter().map(|r| r.0), ranges.iter().map(|r| r.1));
        }
    }
}

/// Makes the ranges of a level hold other ones too.
fn widen(
    level: &mut LevelSummary,
    minimum: impl IntoIterator<Item = i64>,
    maximum: impl IntoIterator<Item = i64>,
) {
    level.minimum.iter_mut().zip(minimum).for_each(|(old, new)| *old = new.min(*old));
    level.maximum.iter_mut().zip(maximum).for_each(|(old, new)| *old = new.max(*old));
}

/// The smallest difference at a carried level.
fn least(summary: &LevelSummary) -> i64 {
    summary.minimum.get(usize::from(summary.level)).copied().unwrap_or(0)
}

/// A dependence without instances.
fn anti(profile: &Profile, (read, write): (u32, u32), common: usize) -> Dependence {
    let [source, sink] = [read, write].map(|access| profile.accesses[access as usize].statement);
    Dependence {
        kind: Kind::Anti,
        memory: true,
        source,
        sink,
        source_access: Some(read),
        sink_access: Some(write),
        role: Use::Value,
        common: common as u8,
        count: 0,
        levels: Vec::new(),
        relation: None,
        between_members: false,
        tasks: None,
        exclusion: None,
    }
}

fn summary(dependence: &Dependence, level: usize) -> Option<&LevelSummary> {
    dependence.levels.iter().find(|l| usize::from(l.level) == level)
}

/// Adds a level to a dependence, or widens the ranges of one that it has.
fn join(dependence: &mut Dependence, new: LevelSummary) {
    match dependence.levels.iter_mut().find(|l| l.level == new.level) {
        Some(old) => widen(old, new.minimum, new.maximum),
        None => {
            if dependence.levels.is_empty() {
                // There are many dependences, and most have one level.
                dependence.levels.reserve_exact(1);
            }
            dependence.levels.push(new);
        }
    }
}

/// Anti dependences on one write that were seen at one level.
struct Seen {
    /// `None`: carried by no shared loop.
    level: Option<usize>,
    /// The smallest difference at that level.
    least: i64,
    later: u8,
    address: u64,
    objects: Vec<ObjectUse>,
}

impl Seen {
    fn summary(&self, level: usize, ranges: &[(i64, i64)]) -> LevelSummary {
        LevelSummary {
            level: level as u8,
            count: 0,
            minimum: ranges.iter().map(|range| range.0).collect(),
            maximum: ranges.iter().map(|range| range.1).collect(),
            later: self.later,
            source_iv: Vec::new(),
            sink_iv: Vec::new(),
            address: self.address,
            objects: self.objects.clone(),
        }
    }
}

/// Per access the objects that dependences pass through it.
type Objects = FxHashMap<u32, FxHashSet<u32>>;

/// Whether two accesses may touch the same object: both were seen to touch one, or nothing is known of one.
fn may_share(objects: &Objects, a: u32, b: u32) -> bool {
    objects.get(&a).zip(objects.get(&b)).is_none_or(|(a, b)| !a.is_disjoint(b))
}

/// What the shadow memory saw.
#[derive(Default)]
struct Observed {
    /// Per write the levels of anti dependences on it, in order of access.
    writes: BTreeMap<u32, Vec<Seen>>,
    /// Anti dependences by read and write.
    pairs: FxHashMap<(u32, u32), usize>,
    objects: Objects,
}

impl Observed {
    fn of(profile: &Profile) -> Observed {
        let mut out = Observed::default();
        for (index, d) in profile.dependences.iter().enumerate() {
            for access in [d.source_access, d.sink_access].into_iter().flatten() {
                let mut used = d.levels.iter().flat_map(|l| &l.objects).map(|used| used.object).peekable();
                if used.peek().is_some() {
                    out.objects.entry(access).or_default().extend(used);
                }
            }
            let Some(sink) = d.sink_access else { continue };
            if d.kind == Kind::Anti {
                let levels = out.writes.entry(sink).or_default();
                d.levels.iter().for_each(|level| see(levels, d, level));
                if let Some(source) = d.source_access {
                    out.pairs.insert((source, sink), index);
                }
            }
        }
        out
    }
}

/// Adds a level of one reader to those of its write.
fn see(levels: &mut Vec<Seen>, dependence: &Dependence, summary: &LevelSummary) {
    let level = (summary.level < dependence.common).then_some(usize::from(summary.level));
    let least = least(summary);
    match levels.iter_mut().find(|seen| seen.level == level) {
        Some(seen) => {
            seen.least = seen.least.min(least);
            seen.later |= summary.later;
            take_in(&mut seen.objects, &summary.objects);
        }
        None => levels.push(Seen {
            level,
            least,
            later: summary.later,
            address: summary.address,
            objects: summary.objects.clone(),
        }),
    }
}

/// An access with the loops around it.
struct Side {
    access: u32,
    loops: SmallVec<[ContextIndex; MAX_DIMS]>,
    /// First and last byte.
    bytes: (i64, i64),
    /// The address is the same in all iterations.
    is_constant: bool,
    /// The address is known exactly, by few pieces.
    is_known: bool,
    /// If so, the shapes of these.
    shapes: SmallVec<[u32; 2]>,
    statement: u32,
    /// The block of the statement.
    block: u32,
    /// Where the statement stands.
    way: Vec<(ContextIndex, Part)>,
    /// Ranges of its coordinates.
    extent: Ranges,
}

impl Side {
    /// `None` outside all loops, or if addresses were not recorded.
    fn of<'p>(profile: &'p Profile, shapes: &mut Shapes<'p>, access: u32) -> Option<Side> {
        let own = &profile.accesses[access as usize];
        let loops: SmallVec<_> = profile.loops_around(profile.context_of(own.statement)).into();
        loops.first()?;
        let ranges = own.address.iter().filter_map(|folded| folded.ranges.first());
        let bytes = ranges.copied().reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))?;
        let is_known = own.address.iter().all(Folded::is_exact)
            && own.address.iter().map(|f| f.pieces.len()).sum::<usize>() <= MOST_PIECES;
        let pieces = own.address.iter().flat_map(|folded| &folded.pieces).filter(|_| is_known);
        let shapes = pieces.map(|piece| shapes.of(piece)).collect();
        let is_constant =
            own.address.iter().flat_map(|f| &f.ranges).all(|range| *range == (bytes.0, bytes.0));
        let last = bytes.1.saturating_add(i64::from(own.size.max(1)) - 1);
        let extent = extent(profile, own.statement, loops.len());
        let way = way(profile, own.statement);
        let (statement, bytes) = (own.statement, (bytes.0, last));
        let block = profile.statements[statement as usize].block;
        Some(Side { access, loops, bytes, is_constant, is_known, shapes, statement, block, way, extent })
    }
}

impl Side {
    /// The pieces of an address that is known.
    fn pieces<'p>(&self, profile: &'p Profile) -> impl Iterator<Item = Shaped<'p>> {
        let own = &profile.accesses[self.access as usize];
        let pieces = own.address.iter().flat_map(|folded| &folded.pieces);
        let size = own.size;
        self.shapes.iter().zip(pieces).map(move |(shape, piece)| (*shape, Accesses { piece, size }))
    }
}

/// Executed reads in loops.
struct Reads {
    all: Vec<Side>,
    /// Per loop those inside.
    inside: FxHashMap<ContextIndex, Vec<Interval>>,
    /// The same as a search tree, of loops that were asked for.
    trees: FxHashMap<ContextIndex, Intervals>,
}

impl Reads {
    fn of<'p>(profile: &'p Profile, shapes: &mut Shapes<'p>) -> Reads {
        let is_executed_read = |&access: &u32| {
            let own = &profile.accesses[access as usize];
            own.executions > 0 && !own.write
        };
        let accesses = (0..profile.accesses.len() as u32).filter(is_executed_read);
        let all: Vec<Side> = accesses.filter_map(|access| Side::of(profile, shapes, access)).collect();
        let mut inside: FxHashMap<ContextIndex, Vec<Interval>> = FxHashMap::default();
        for (at, side) in all.iter().enumerate() {
            for &around in &side.loops {
                inside.entry(around).or_default().push((side.bytes, at as u32));
            }
        }
        Reads { all, inside, trees: FxHashMap::default() }
    }

    /// The reads inside a loop that touch some of these bytes, in order of access.
    fn overlapping(&mut self, around: ContextIndex, bytes: (i64, i64)) -> Vec<u32> {
        let inside = &mut self.inside;
        let tree = self
            .trees
            .entry(around)
            .or_insert_with(|| Intervals::new(inside.remove(&around).unwrap_or_default()));
        tree.overlapping(bytes)
    }
}

/// Number of leading loops that are the same.
fn shared(a: &[ContextIndex], b: &[ContextIndex]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

/// A read and a write.
struct Pair<'a> {
    from: &'a Side,
    to: &'a Side,
    common: usize,
}

impl Pair<'_> {
    /// Between which iterations both touch the same bytes.
    fn meeting(&self, profile: &Profile, level: usize, least: i64, meetings: &mut Meetings) -> Meeting {
        if self.from.is_constant && self.to.is_constant {
            // All iterations meet: their bytes overlap.
            return Meeting::Within(self.extents(level, least));
        }
        if !self.from.is_known || !self.to.is_known {
            return Meeting::Unknown;
        }
        let extents = self.extents(level, least);
        let at_level = extents.get(level).copied().unwrap_or((0, 0));
        let pairs = Pairs { common: self.common, level, at_level };
        let mut out = Meeting::Never;
        for one in self.from.pieces(profile) {
            for other in self.to.pieces(profile) {
                out = match (out, meetings.of(one, other, pairs)) {
                    (Meeting::Never, new) => new,
                    (old, Meeting::Never) => old,
                    (Meeting::Within(old), Meeting::Within(new)) => Meeting::Within(hull(old, new)),
                    _ => return Meeting::Unknown,
                };
            }
        }
        out
    }

    /// All that trip counts allow.
    fn extents(&self, level: usize, least: i64) -> Ranges {
        extents([&self.from.extent, &self.to.extent], self.common, level, least)
    }
}

/// The ranges that trip counts allow at a level between statements with coordinates in some ranges.
fn extents([a, b]: [&Ranges; 2], common: usize, level: usize, least: i64) -> Ranges {
    let range = |q: usize| {
        let of = |ranges: &Ranges| ranges.get(q).copied().unwrap_or(UNBOUNDED);
        let ((a_low, a_high), (b_low, b_high)) = (of(a), of(b));
        let (low, high) = (b_low.saturating_sub(a_high), b_high.saturating_sub(a_low));
        match q.cmp(&level) {
            Ordering::Less => (0, 0),
            Ordering::Equal => (least, high.max(least)),
            Ordering::Greater => (low, high),
        }
    };
    (0..common).map(range).collect()
}

/// Where nothing is known of a coordinate.
const UNBOUNDED: (i64, i64) = (i64::MIN / 4, i64::MAX / 4);

/// One range per shared loop.
type Ranges = Vec<(i64, i64)>;

fn hull(mut a: Ranges, b: Ranges) -> Ranges {
    a.iter_mut().zip(b).for_each(|(a, b)| *a = (a.0.min(b.0), a.1.max(b.1)));
    a
}

/// Ranges of the first coordinates of a statement.
fn extent(profile: &Profile, statement: u32, dims: usize) -> Ranges {
    let block = profile.statements[statement as usize].block;
    let domain = profile.blocks[block as usize].domain.iter().flat_map(|folded| &folded.pieces);
    let all = domain.map(|piece| piece.extent()).reduce(hull).unwrap_or_default();
    let known = |q: usize| all.get(q).copied().unwrap_or(UNBOUNDED);
    (0..dims).map(known).collect()
}

/// A piece of an access: its shape, and what is accessed.
type Shaped<'a> = (u32, Accesses<'a>);

/// What a meeting of two pieces depends on: their shapes and sizes, the distance of their addresses, and what is asked.
type Question = ([u32; 4], i64, Pairs);

/// Meetings of pieces, those found before remembered: many accesses of a loop differ by a constant.
#[derive(Default)]
struct Meetings {
    /// How many more may be asked for.
    left: usize,
    known: FxHashMap<Question, Meeting>,
}

impl Meetings {
    fn of(&mut self, (shape, a): Shaped<'_>, (other, b): Shaped<'_>, pairs: Pairs) -> Meeting {
        let Some(left) = self.left.checked_sub(1) else { return Meeting::Unknown };
        self.left = left;
        let start = |access: Accesses<'_>| access.piece.labels.first().map_or(0, |label| label.constant);
        let Some(distance) = start(b).checked_sub(start(a)) else { return meet(a, b, pairs) };
        let question = ([shape, other, a.size, b.size], distance, pairs);
        self.known.entry(question).or_insert_with(|| meet(a, b, pairs)).clone()
    }
}

/// Which parts of a context were seen to run before which inside one iteration, as dependences between them show.
struct Before {
    edges: FxHashSet<(ContextIndex, Part, Part)>,
}

impl Before {
    fn of(profile: &Profile) -> Before {
        // Nothing is asked of what shares no loop.
        let in_loops = profile.dependences.iter().filter(|d| d.common > 0);
        let inside = in_loops.filter(|d| d.levels.iter().any(|l| l.level == d.common));
        let edges = inside.filter_map(|d| fork(&way(profile, d.source), &way(profile, d.sink)));
        Before { edges: edges.collect() }
    }

    /// Whether the block of a read may come before that of a write inside one iteration of the loops around both; `None` if
    /// that depends on which statement comes first.
    fn may_precede(&self, profile: &Profile, read: &Side, write: &Side) -> Option<bool> {
        let (context, from, to) = fork(&read.way, &write.way)?;
        let edge = |a: Part, b: Part| self.edges.contains(&(context, a, b));
        match (edge(from, to), edge(to, from)) {
            (true, _) => Some(true),
            (false, true) => Some(false),
            (false, false) => (place::address(profile, from) < place::address(profile, to)).then_some(true),
        }
    }
}

/// How a block with reads stands to a write.
#[derive(Clone, Copy)]
struct Place {
    block: u32,
    /// Loops that both share.
    common: usize,
    /// See [`Before::may_precede`].
    may_precede: Option<bool>,
}

impl Place {
    fn of(profile: &Profile, before: &Before, read: &Side, write: &Side) -> Place {
        let may_precede = before.may_precede(profile, read, write);
        Place { block: read.block, common: shared(&read.loops, &write.loops), may_precede }
    }

    /// Whether a read of the block may come before the write.
    fn may_precede(&self, read: &Side, write: &Side) -> bool {
        self.may_precede.unwrap_or(read.statement <= write.statement)
    }
}
