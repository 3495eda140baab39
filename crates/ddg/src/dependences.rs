//! Dependence streams: one per (source, sink, kind), with what verdicts need kept exactly.
//!
//! For every stream and every level at which instances are carried, the number of instances, the smallest and largest
//! difference per common dimension, one concrete instance, and the objects passed through are kept while the
//! dependences arrive; that does not depend on folding. Flow dependences through memory are folded beside it, from the
//! second instance on.
//!
//! Most streams of irregular programs have one instance, and there are hundreds of thousands: what is kept of an instance
//! has only the coordinates in use, and bounds of differences only where differences vary.

mod rows;

use std::sync::Arc;

use fold::{Folder, Gauge};
use profile::{Kind, Use};
use rustc_hash::{FxHashMap, FxHashSet};
use shadow::{DependenceRun, Iv, MAX_DIMS};
use smallvec::SmallVec;

use crate::folding::Folding;
use crate::lost::Lost;
use crate::objects::{Named, ObjectId};
pub use rows::RunOfRows;

/// Most objects kept per level.
const OBJECTS: usize = 24;
/// About what a stream takes, with its share of the indexes and of the finished profile, which is most; measured.
const STREAM_BYTES: usize = 2400;
/// What a stream takes beside that for each coordinate of its vectors, likewise.
const COORDINATE_BYTES: usize = 70;
/// Streams found without looking them up in the index.
const RECENT: usize = 1 << 12;
/// Instances after which a folder is looked at again, at least.
const RECOUNT: u64 = 64;

/// Summary of one level of one stream.
#[derive(Debug, Clone)]
pub struct Level {
    /// First differing common dimension, or the number of common dimensions.
    pub level: u8,
    /// Instances.
    pub count: u64,
    /// Smallest difference per common dimension.
    pub minimum: [i64; MAX_DIMS],
    /// Largest difference per common dimension.
    pub maximum: [i64; MAX_DIMS],
    /// Bit q: some sink was not in the first iteration of its dimension q.
    pub later: u8,
    /// One instance.
    pub source_iv: Iv,
    /// One instance.
    pub sink_iv: Iv,
    /// One instance.
    pub address: u64,
    /// Objects with the offset first seen and whether their frame was created inside the loop, only so many.
    pub objects: Vec<(ObjectId, i64, bool)>,
}

/// A [`Level`] as it is kept.
#[derive(Debug)]
struct Kept {
    level: u8,
    later: u8,
    count: u64,
    address: u64,
    /// Vector of the source, vector of the sink; then, unless all differences are that of these, the smallest and the
    /// largest difference per common dimension.
    vectors: Box<[i64]>,
    objects: Vec<(ObjectId, i64, bool)>,
    /// Addresses of the object met last; empty if none was.
    latest: (u64, u64),
}

/// Numbers of coordinates of a stream.
#[derive(Debug, Clone, Copy)]
struct Shape {
    source: usize,
    sink: usize,
    common: usize,
}

impl Kept {
    fn new(level: u8, source_iv: &Iv, sink_iv: &Iv, address: u64, shape: Shape) -> Kept {
        let vectors = [&source_iv.0[..shape.source], &sink_iv.0[..shape.sink]].concat().into_boxed_slice();
        Kept { level, later: 0, count: 0, address, vectors, objects: Vec::new(), latest: (0, 0) }
    }

    /// Difference of the instance that is kept.
    #[inline]
    fn difference(&self, q: usize, shape: Shape) -> i64 {
        self.vectors[shape.source + q].wrapping_sub(self.vectors[q])
    }

    /// Takes a difference at a common dimension into the bounds.
    #[inline]
    fn bound(&mut self, q: usize, difference: i64, shape: Shape) {
        let bounds = shape.source + shape.sink;
        if self.vectors.len() == bounds {
            if difference == self.difference(q, shape) {
                return;
            }
            let all: Vec<i64> = (0..shape.common).map(|q| self.difference(q, shape)).collect();
            self.vectors = [&self.vectors, &all[..], &all[..]].concat().into_boxed_slice();
        }
        let (low, high) = self.vectors[bounds..].split_at_mut(shape.common);
        low[q] = low[q].min(difference);
        high[q] = high[q].max(difference);
    }

    fn whole(self, shape: Shape) -> Level {
        let vector = |from: usize, length: usize| {
            let mut iv = Iv::ZERO;
            iv.0[..length].copy_from_slice(&self.vectors[from..from + length]);
            iv
        };
        let (source_iv, sink_iv) = (vector(0, shape.source), vector(shape.source, shape.sink));
        let bounds = shape.source + shape.sink;
        let (mut minimum, mut maximum) = (sink_iv.minus(&source_iv), sink_iv.minus(&source_iv));
        if self.vectors.len() > bounds {
            let (low, high) = self.vectors[bounds..].split_at(shape.common);
            minimum.0[..shape.common].copy_from_slice(low);
            maximum.0[..shape.common].copy_from_slice(high);
        }
        Level {
            level: self.level,
            count: self.count,
            minimum: minimum.0,
            maximum: maximum.0,
            later: self.later,
            source_iv,
            sink_iv,
            address: self.address,
            objects: self.objects,
        }
    }
}

/// What the latest instances of a stream have in common. Others like them are counted here, and reach their level when
/// somebody looks at that.
#[derive(Debug, Default)]
#[repr(C)]
struct Alike {
    /// Instances that the level has not been told of, and its bits of [`Kept::later`] for them.
    waiting: u64,
    later: u8,
    /// Number of the level, plus one; 0 if there is none.
    level: u8,
    /// Difference per common dimension.
    distance: [i32; MAX_DIMS],
    /// Addresses that need no name: those of the object met last, or all.
    named: (u64, u64),
}

impl Alike {
    /// Counts instances if they are like the latest.
    #[inline]
    fn takes(&mut self, source_iv: &Iv, sink_iv: &Iv, common: usize, (count, address): (u64, u64)) -> bool {
        let differs = |differs: i64, q: usize| {
            differs | (sink_iv.0[q].wrapping_sub(source_iv.0[q]) ^ i64::from(self.distance[q]))
        };
        let takes = self.level > 0
            && (0..common).fold(0, differs) == 0
            && (address == 0 || self.named.0 <= address && address < self.named.1);
        if takes {
            self.waiting = self.waiting.saturating_add(count);
            self.later |= beyond_first(sink_iv);
        }
        takes
    }
}

/// One stream. What most instances need of it comes first, in few cache lines: streams are many, and met in any order.
#[derive(Debug)]
#[repr(C)]
pub struct Stream {
    /// Source: operand id for memory, statement id for registers.
    pub source: u32,
    /// Sink, likewise.
    pub sink: u32,
    /// Kind.
    pub kind: Kind,
    /// Through memory.
    pub memory: bool,
    /// What the sink uses the value for.
    pub role: Use,
    /// Common dimensions.
    pub common: u8,
    /// Dimensions of the source's vectors.
    source_dims: u8,
    /// Dimensions of the sink's vectors.
    sink_dims: u8,
    /// Number of aliases of contexts when both ends were last found to stand for themselves, plus one; 0 if never.
    final_at: u32,
    /// Instances.
    pub count: u64,
    alike: Alike,
    /// The relation, for flow through memory.
    folder: Option<Box<Folder>>,
    /// Number of the latest tracking that noted the stream, and which of those noted it is; see [`Streams::track`].
    noted: (u32, u32),
    /// Bytes of the folder beyond what every stream counts, when they were last counted, and the number of instances to
    /// count them again at.
    counted: (usize, u64),
    /// Levels met.
    levels: Vec<Kept>,
    /// Counts the first instance while there is no folder.
    gauge: Option<Gauge>,
}

/// What a stream had when tracking began, and what it was told since of sources before the iteration before the one tracked.
#[derive(Debug)]
struct Noted {
    stream: u32,
    count: u64,
    /// Instances per level.
    levels: SmallVec<[u64; 4]>,
    /// Levels with such sources, and how far they are along the dimension that is tracked at most.
    far: SmallVec<[(u8, i64); 1]>,
    /// Such sources may be at any level.
    is_unknown: bool,
}

impl Noted {
    /// Takes note of instances, given by vector and step of both ends.
    fn take(&mut self, dim: usize, source: (&Iv, &Iv), sink: (&Iv, &Iv)) {
        if [source.1, sink.1].iter().any(|step| step.0[..=dim].iter().any(|x| *x != 0)) {
            self.is_unknown = true;
            return;
        }
        let level = level_of(dim + 1, sink.0, source.0);
        let distance = sink.0.0[dim].wrapping_sub(source.0.0[dim]);
        if usize::from(level) > dim || usize::from(level) == dim && distance == 1 {
            return;
        }
        match self.far.iter_mut().find(|far| far.0 == level) {
            Some(far) => far.1 = far.1.max(distance),
            None => self.far.push((level, distance)),
        }
    }
}

/// What identifies a stream, and its shape.
#[derive(Debug, Clone, Copy)]
pub struct Ends {
    /// Kind.
    pub kind: Kind,
    /// Through memory.
    pub memory: bool,
    /// Source id.
    pub source: u32,
    /// Sink id.
    pub sink: u32,
    /// What the sink uses the value for.
    pub role: Use,
    /// Common dimensions.
    pub common: u8,
    /// Dimensions of the source's vectors.
    pub source_dims: u8,
    /// Dimensions of the sink's vectors.
    pub sink_dims: u8,
    /// Both ends are of the program itself, not of a library.
    pub own: bool,
}

/// Streams, by a hash of kind and ends.
#[derive(Debug)]
struct Recent(Box<[u32; RECENT]>);

impl Default for Recent {
    fn default() -> Recent {
        Recent(Box::new([u32::MAX; RECENT]))
    }
}

impl Recent {
    #[inline]
    fn slot(&mut self, kind: Kind, source: u32, sink: u32) -> &mut u32 {
        let mixed = source.wrapping_mul(0x9e37_79b1) ^ sink.wrapping_mul(0x85eb_ca77) ^ (kind as u32) << 30;
        &mut self.0[(mixed.wrapping_mul(0xc2b2_ae3d) >> 20) as usize % RECENT]
    }
}

/// All streams.
#[derive(Debug, Default)]
pub struct Streams {
    folding: Arc<Folding>,
    list: Vec<Stream>,
    index: FxHashMap<(u32, u32, u8), u32>,
    /// Per sink and kind the stream met last.
    latest: Vec<[u32; 3]>,
    /// Streams met lately, by a hash of kind and ends: sinks with several sources change between them all the time.
    recent: Recent,
    /// Coordinates of the vectors of all streams.
    coordinates: usize,
    /// Bytes of large folders.
    large: usize,
    /// Instances in all.
    pub instances: u64,
    /// Streams added to since tracking began, with what they had before.
    noted: Vec<Noted>,
    /// Number of the present tracking, 0 if there is none, and of the latest.
    tracking: u32,
    latest_tracking: u32,
    /// The dimension that it tracks.
    tracked: usize,
    /// Source, sink and vector of the latest flow through memory, and sinks an instance of which had several instances of one
    /// source.
    latest_flow: Option<(u32, u32, Iv)>,
    several: FxHashSet<u32>,
    pub(crate) lost: Lost,
}

impl Streams {
    /// No stream yet.
    pub fn new(folding: &Arc<Folding>) -> Streams {
        Streams { folding: Arc::clone(folding), ..Streams::default() }
    }

    /// About how many bytes all streams use; a function of their number, dimensions and instances.
    pub fn bytes(&self) -> usize {
        self.list.len() * STREAM_BYTES + self.coordinates * COORDINATE_BYTES + self.large
    }

    /// Bytes of the folders of all streams: stream, bytes.
    pub fn folder_bytes(&self) -> impl Iterator<Item = (u32, usize)> {
        let all = self.list.iter().enumerate();
        all.filter_map(|(at, stream)| Some((at as u32, stream.folder.as_ref()?.bytes())))
    }

    /// Gives up a stream; gives its source and sink.
    pub fn abandon(&mut self, at: u32) -> Option<(u32, u32)> {
        let stream = self.list.get_mut(at as usize)?;
        stream.folder.iter_mut().for_each(|folder| folder.abandon());
        self.large -= std::mem::take(&mut stream.counted.0);
        Some((stream.source, stream.sink))
    }

    /// Counts the bytes of a folder now and then: mostly as many of its pieces are open as were.
    #[inline]
    fn count(&mut self, at: usize) {
        let stream = &mut self.list[at];
        if stream.count >= stream.counted.1 {
            let bytes =
                stream.folder.as_ref().map_or(0, |folder| folder.bytes().saturating_sub(STREAM_BYTES));
            let next = stream.count + stream.count / 4 + RECOUNT;
            let before = std::mem::replace(&mut stream.counted, (bytes, next)).0;
            self.large = self.large - before + bytes;
        }
    }

    /// All streams.
    pub fn into_all(self) -> Vec<Stream> {
        self.list
    }

    /// Notes a flow through memory that was found.
    #[inline]
    pub fn found(&mut self, source: u32, sink: u32, sink_iv: &Iv) {
        let flow = Some((source, sink, *sink_iv));
        if self.latest_flow == flow {
            self.several.insert(sink);
        }
        self.latest_flow = flow;
    }

    /// Whether an instance of a sink had several sources in one statement: it loads bytes of several stores.
    pub fn has_several(&self, sink: u32) -> bool {
        self.several.contains(&sink)
    }

    /// The stream of this kind that ended at `sink` last, if it came from `source`.
    #[inline]
    pub fn latest_of(&self, kind: Kind, source: u32, sink: u32) -> Option<usize> {
        let at = self.latest.get(sink as usize)?[kind as usize];
        let stream = self.list.get(at as usize)?;
        (stream.source == source).then_some(at as usize)
    }

    /// The stream of this kind through memory between two operands, if it was met lately. An operand that is a sink has
    /// one role.
    #[inline]
    pub fn of_memory(&mut self, kind: Kind, source: u32, sink: u32) -> Option<usize> {
        let at = self.latest_of(kind, source, sink);
        at.or_else(|| self.recent(kind, source, sink, |s| s.memory))
    }

    /// The stream of a value of this role through registers, if it was met lately.
    #[inline]
    pub fn of_register(&mut self, role: Use, source: u32, sink: u32) -> Option<usize> {
        self.recent(Kind::Flow, source, sink, |s| !s.memory && s.role == role)
    }

    /// A stream met lately that is as asked; it is then the one that ended at the sink last.
    #[inline]
    fn recent(
        &mut self,
        kind: Kind,
        source: u32,
        sink: u32,
        is_asked: impl FnOnce(&Stream) -> bool,
    ) -> Option<usize> {
        let at = *self.recent.slot(kind, source, sink);
        let stream = self.list.get(at as usize)?;
        if (stream.kind, stream.source, stream.sink) != (kind, source, sink) || !is_asked(stream) {
            return None;
        }
        self.latest.get_mut(sink as usize)?[kind as usize] = at;
        Some(at as usize)
    }

    /// The stream of some ends, made when new.
    pub fn stream(&mut self, ends: &Ends) -> usize {
        let code = (ends.kind as u8) | u8::from(ends.memory) << 2 | (ends.role as u8) << 3;
        let (sink, kind) = (ends.sink as usize, ends.kind as usize);
        let is_asked = |s: &Stream| s.memory == ends.memory && s.role == ends.role;
        if let Some(at) = self.latest_of(ends.kind, ends.source, ends.sink)
            && is_asked(&self.list[at])
        {
            return at;
        }
        if let Some(at) = self.recent(ends.kind, ends.source, ends.sink, is_asked) {
            return at;
        }
        let key = (ends.source, ends.sink, code);
        let at = match self.index.get(&key) {
            Some(&at) => at,
            None => {
                let at = self.list.len() as u32;
                let is_folded = ends.own && ends.kind == Kind::Flow && ends.memory;
                let mut gauge = self.folding.dependences.gauge(u32::from(is_folded));
                gauge.iter_mut().for_each(|gauge| gauge.show(1));
                self.coordinates += usize::from(ends.source_dims) + usize::from(ends.sink_dims);
                self.list.push(Stream {
                    kind: ends.kind,
                    memory: ends.memory,
                    source: ends.source,
                    sink: ends.sink,
                    role: ends.role,
                    common: ends.common,
                    source_dims: ends.source_dims,
                    sink_dims: ends.sink_dims,
                    count: 0,
                    // Most streams of irregular code have one level and one instance.
                    levels: Vec::with_capacity(1),
                    folder: None,
                    noted: (0, 0),
                    final_at: 0,
                    alike: Alike::default(),
                    gauge,
                    counted: (0, RECOUNT),
                });
                self.index.insert(key, at);
                at
            }
        };
        if self.latest.len() <= sink {
            self.latest.resize(sink + 1, [u32::MAX; 3]);
        }
        self.latest[sink][kind] = at;
        *self.recent.slot(ends.kind, ends.source, ends.sink) = at;
        at as usize
    }

    /// Adds one instance; see [`Streams::add`].
    pub fn add_one(
        &mut self,
        ends: &Ends,
        source_iv: &Iv,
        sink_iv: &Iv,
        address: u64,
        locate: &mut dyn FnMut(u64, u8, bool) -> Option<Named>,
    ) {
        let at = self.stream(ends);
        self.add_one_to(at, source_iv, sink_iv, address, locate);
    }

    /// Whether both ends of a stream were found to stand for themselves when so many aliases were known.
    #[inline]
    pub fn is_final(&self, at: usize, aliases: usize) -> bool {
        self.list[at].final_at as usize == aliases + 1
    }

    /// Both ends of a stream stand for themselves as long as no more aliases are known.
    pub fn set_final(&mut self, at: usize, aliases: usize) {
        self.list[at].final_at = u32::try_from(aliases + 1).unwrap_or(0);
    }

    /// Common dimensions of a stream.
    pub fn common(&self, at: usize) -> u8 {
        self.list[at].common
    }

    /// From now on notes which streams are added to in an iteration of a dimension, or stops.
    pub fn track(&mut self, dim: Option<usize>) {
        self.noted.clear();
        self.latest_tracking += u32::from(dim.is_some());
        self.tracking = if dim.is_some() { self.latest_tracking } else { 0 };
        self.tracked = dim.unwrap_or(0);
    }

    /// Number of the present tracking, 0 if there is none.
    pub fn tracking(&self) -> u32 {
        self.tracking
    }

    /// Notes a stream that is about to be added to: instances by vector and step of both ends.
    #[inline]
    fn note(&mut self, at: usize, source: (&Iv, &Iv), sink: (&Iv, &Iv)) {
        if self.tracking != 0 {
            self.note_tracked(at, source, sink);
        }
    }

    #[inline(never)]
    fn note_tracked(&mut self, at: usize, source: (&Iv, &Iv), sink: (&Iv, &Iv)) {
        let stream = &mut self.list[at];
        if stream.noted.0 != self.tracking {
            stream.noted = (self.tracking, self.noted.len() as u32);
            stream.tell_level();
            let levels = stream.levels.iter().map(|l| l.count).collect();
            let (count, far) = (stream.count, SmallVec::new());
            self.noted.push(Noted { stream: at as u32, count, levels, far, is_unknown: false });
        }
        if self.tracked < usize::from(stream.common)
            && let Some(noted) = self.noted.get_mut(stream.noted.1 as usize)
        {
            noted.take(self.tracked, source, sink);
        }
    }

    /// Whether all streams noted take further iterations of a dimension as a number, the one that was tracked having been
    /// like those before it.
    pub fn can_repeat(&mut self, dim: usize) -> bool {
        let list = &mut self.list;
        self.noted.iter().all(|noted| {
            let stream = &mut list[noted.stream as usize];
            noted.levels.len() == stream.levels.len() && {
                // Sources outside of the loop stay where they are.
                let is_same = dim >= usize::from(stream.common);
                stream.folder.as_mut().is_none_or(|folder| folder.can_repeat(dim, is_same))
            }
        })
    }

    /// Whether it is known what becomes of the dependences of the iteration that was tracked in further ones that repeat it: sources in the
    /// loop are of the same iteration or of the one before, or stay and are ever farther back. Relations have to see how far.
    pub fn are_foreseen(&self) -> bool {
        let is_folded = |at: u32| self.list.get(at as usize).is_none_or(|s| s.kind == Kind::Flow && s.memory);
        self.noted.iter().all(|noted| !noted.is_unknown && (noted.far.is_empty() || !is_folded(noted.stream)))
    }

    /// Adds `times` more iterations of a dimension that repeat the one that was tracked, whose coordinate is `latest`. Differences are left
    /// as they are: a further iteration is to follow, which bounds those of all before it. None follows if `is_last`; then differences
    /// grow as [`Streams::are_foreseen`] says.
    pub fn repeat(&mut self, dim: usize, latest: i64, times: u64, is_last: bool) {
        for noted in &self.noted {
            let stream = &mut self.list[noted.stream as usize];
            stream.tell_level();
            let each = stream.count - noted.count;
            let more = each.saturating_mul(times);
            stream.count = stream.count.saturating_add(more);
            self.instances = self.instances.saturating_add(more);
            for (level, before) in stream.levels.iter_mut().zip(&noted.levels) {
                let more = (level.count - before).saturating_mul(times);
                level.count = level.count.saturating_add(more);
            }
            let shape = stream.shape();
            let is_inside = dim < shape.common;
            for &(level, distance) in noted.far.iter().filter(|_| is_last) {
                let kept = stream.levels.iter_mut().find(|kept| kept.level == level);
                let farthest = distance.saturating_add(i64::try_from(times).unwrap_or(i64::MAX));
                kept.into_iter().for_each(|kept| kept.bound(dim, farthest, shape));
            }
            // A source in the loop goes along unless it is older than the iteration before.
            let shift = |output, label| i64::from(is_inside && output == dim && label >= latest - 1);
            let Some(folder) = &mut stream.folder else { continue };
            folder.repeat(dim, times, each, &shift);
            if is_last {
                let last = latest.saturating_add(i64::try_from(times).unwrap_or(i64::MAX));
                // Sources of the same iteration, or of the one before.
                let mut inside = stream.levels.iter().zip(&noted.levels);
                let is_same =
                    inside.any(|(level, before)| level.count > *before && usize::from(level.level) > dim);
                let largest = is_inside.then_some((dim, if is_same { last } else { last.saturating_sub(1) }));
                folder.end_repeat(dim, last, largest);
            }
        }
    }

    /// Adds one instance to a known stream; see [`Streams::add`].
    pub fn add_one_to(
        &mut self,
        at: usize,
        source_iv: &Iv,
        sink_iv: &Iv,
        address: u64,
        locate: &mut dyn FnMut(u64, u8, bool) -> Option<Named>,
    ) {
        self.instances = self.instances.saturating_add(1);
        self.note(at, (source_iv, &Iv::ZERO), (sink_iv, &Iv::ZERO));
        let stream = &mut self.list[at];
        let first = stream.count == 0;
        stream.count = stream.count.saturating_add(1);
        let (from, to) = (usize::from(stream.source_dims), usize::from(stream.sink_dims));
        if !first && let Some(folder) = stream.folder(&self.folding) {
            folder.point(&sink_iv.0[..to], &source_iv.0[..from]);
        }
        self.count(at);
        let stream = &mut self.list[at];
        let common = usize::from(stream.common);
        let leaves = from > common || to > common;
        stream.note_uniform((source_iv, sink_iv, 1, address), leaves, locate);
    }

    /// Adds a run. `locate` names the storage at an address, given the level; it is asked only where that can matter.
    pub fn add(
        &mut self,
        ends: &Ends,
        run: &DependenceRun,
        locate: &mut dyn FnMut(u64, u8, bool) -> Option<Named>,
    ) {
        let at = self.stream(ends);
        self.add_to(at, run, locate);
    }

    /// Adds `count` instances without a folder (through registers) to a known stream, `times` times: sources at `source_iv`, sinks from
    /// `sink_iv` on, of which the common coordinates do not advance.
    pub fn add_uniform_to(&mut self, at: usize, source_iv: &Iv, sink_iv: &Iv, (count, times): (u64, u64)) {
        let all = count.saturating_mul(times);
        self.instances = self.instances.saturating_add(all);
        self.note(at, (source_iv, &Iv::ZERO), (sink_iv, &Iv::ZERO));
        let stream = &mut self.list[at];
        stream.count = stream.count.saturating_add(all);
        stream.note_uniform((source_iv, sink_iv, all, 0), false, &mut |_, _, _| None);
        if count > 1 {
            let level = level_of(usize::from(stream.common), sink_iv, source_iv);
            // They differ in the innermost dimension.
            stream.later(level, 1 << stream.sink_dims.saturating_sub(1));
        }
    }

    /// Adds instances of one distance through registers, seen before, that were counted elsewhere; those of an iteration that
    /// is tracked are not among them.
    pub fn add_steady(&mut self, at: usize, distance: &Iv, count: u64, later: u8) {
        self.instances = self.instances.saturating_add(count);
        let stream = &mut self.list[at];
        stream.count = stream.count.saturating_add(count);
        let level = level_of(usize::from(stream.common), distance, &Iv::ZERO);
        let level = stream.levels.iter().position(|l| l.level == level);
        let Some(level) = self.lost.expect(level, "a steady dependence was met before") else { return };
        let kept = &mut stream.levels[level];
        kept.count = kept.count.saturating_add(count);
        kept.later |= later;
        if self.tracking != 0
            && stream.noted.0 == self.tracking
            && let Some(noted) = self.noted.get_mut(stream.noted.1 as usize)
        {
            noted.count = noted.count.saturating_add(count);
            noted.levels.get_mut(level).into_iter().for_each(|before| *before = before.saturating_add(count));
        }
    }

    /// Adds a run of dependences through registers to a known stream, `times` times.
    pub fn add_register_to(&mut self, at: usize, run: &DependenceRun, times: u64) {
        let all = run.count.saturating_mul(times);
        self.instances = self.instances.saturating_add(all);
        self.note(at, (&run.source_iv, &run.source_step), (&run.sink_iv, &run.sink_step));
        let stream = &mut self.list[at];
        stream.count = stream.count.saturating_add(all);
        stream.note_run(run, times, &mut |_, _, _| None);
    }

    /// Adds a run to a known stream; see [`Streams::add`].
    pub fn add_to(
        &mut self,
        at: usize,
        run: &DependenceRun,
        locate: &mut dyn FnMut(u64, u8, bool) -> Option<Named>,
    ) {
        self.instances = self.instances.saturating_add(run.count);
        self.note(at, (&run.source_iv, &run.source_step), (&run.sink_iv, &run.sink_step));
        let stream = &mut self.list[at];
        let (from, to) = (usize::from(stream.source_dims), usize::from(stream.sink_dims));
        let single = stream.count == 0 && run.count == 1;
        stream.count = stream.count.saturating_add(run.count);
        if !single && let Some(folder) = stream.folder(&self.folding) {
            let (dims, outputs) = (to, from);
            let lane = dims.wrapping_sub(1);
            // Runs advance along the innermost dimension; phases of vector code by more than 1.
            let step = if dims > 0 { run.sink_step.0[lane] } else { 0 };
            let along = step >= 1 && run.sink_step == Iv::along(lane, step);
            if run.count == 1 || along {
                let (sink, source) = (&run.sink_iv.0[..dims], &run.source_iv.0[..outputs]);
                folder.lattice_run(sink, step.max(1), run.count, source, &run.source_step.0[..outputs]);
            } else {
                for t in 0..run.count as i64 {
                    let (sink, source) =
                        (run.sink_iv.after(t, &run.sink_step), run.source_iv.after(t, &run.source_step));
                    folder.point(&sink.0[..dims], &source.0[..outputs]);
                }
            }
        }
        self.count(at);
        self.list[at].note_run(run, 1, locate);
    }
}

impl Stream {
    /// Notes the instances of a run, `times` times, under their levels.
    fn note_run(
        &mut self,
        run: &DependenceRun,
        times: u64,
        locate: &mut dyn FnMut(u64, u8, bool) -> Option<Named>,
    ) {
        let common = usize::from(self.common);
        // Objects are of interest where a loop carries the dependence, and where a value enters or leaves a loop.
        let leaves = self.memory && (self.source_dims > self.common || self.sink_dims > self.common);
        // One instance, or many with the same differences along the common loops.
        if run.count == 1 || run.sink_step.0[..common] == run.source_step.0[..common] {
            let one = (&run.source_iv, &run.sink_iv, run.count.saturating_mul(times), run.address);
            self.note_uniform(one, leaves, locate);
            if run.count > 1 {
                let level = level_of(common, &run.sink_iv, &run.source_iv);
                self.later(level, beyond_first(&run.sink_step));
            }
            return;
        }
        let first = run.sink_iv.minus(&run.source_iv);
        let step = run.sink_step.minus(&run.source_step);
        let mut note = |from: i64, count: i64, level: usize| {
            self.note((run, times), &first, &step, (from, count), level as u8, leaves, locate);
        };
        let last = i64::try_from(run.count).unwrap_or(i64::MAX);
        let (mut from, mut count) = (0i64, last);
        for q in 0..common {
            let (d, s) = (first.0[q], if count == 1 { 0 } else { step.0[q] });
            let here = first.0[q].wrapping_add(step.0[q].wrapping_mul(from));
            if s == 0 {
                if here != 0 {
                    note(from, count, q);
                    return;
                }
                continue;
            }
            // Differs everywhere but possibly at one iteration.
            let zero = (d % s == 0).then(|| -(d / s)).filter(|t| (from..from + count).contains(t));
            match zero {
                None => {
                    note(from, count, q);
                    return;
                }
                Some(t) => {
                    if t > from {
                        note(from, t - from, q);
                    }
                    if t + 1 < from + count {
                        note(t + 1, from + count - t - 1, q);
                    }
                    (from, count) = (t, 1);
                }
            }
        }
        note(from, count, common);
    }

    /// The folder of a flow dependence through memory, once there is more than one instance; the first one is then
    /// taken from its level.
    #[inline]
    fn folder(&mut self, folding: &Folding) -> Option<&mut Folder> {
        if self.folder.is_none() {
            self.begin_folder(folding);
        }
        self.folder.as_deref_mut()
    }

    fn begin_folder(&mut self, folding: &Folding) {
        if self.kind == Kind::Flow && self.memory {
            let (from, to) = (usize::from(self.source_dims), usize::from(self.sink_dims));
            let mut folder = Folder::new(to, from, folding.of_dependences(to)).metered(self.gauge.take());
            if let Some(level) = self.levels.first() {
                let (source, rest) = level.vectors.split_at(from);
                folder.point(&rest[..to], source);
            }
            self.folder = Some(Box::new(folder));
        }
    }

    /// The relation; once.
    pub fn relation(&mut self, folding: &Folding) -> Option<fold::Folded> {
        self.folder(folding);
        self.folder.take().map(|f| f.finish())
    }

    /// Adds what waits to its level.
    fn tell_level(&mut self) {
        let (waiting, later) =
            (std::mem::take(&mut self.alike.waiting), std::mem::take(&mut self.alike.later));
        if waiting > 0
            && let Some(entry) = self.levels.get_mut(usize::from(self.alike.level).wrapping_sub(1))
        {
            entry.count = entry.count.saturating_add(waiting);
            entry.later |= later;
        }
    }

    /// From now on, instances like one of the level at an index are counted without looking at it.
    #[inline]
    fn follow(&mut self, at: usize, source_iv: &Iv, sink_iv: &Iv, needs_names: bool) {
        self.tell_level();
        let mut distance = [0; MAX_DIMS];
        let mut fits = true;
        for (q, distance) in distance.iter_mut().enumerate().take(usize::from(self.common)) {
            let difference = sink_iv.0[q].wrapping_sub(source_iv.0[q]);
            *distance = difference as i32;
            fits &= i64::from(*distance) == difference;
        }
        let level = if fits { at as u8 + 1 } else { 0 };
        let named = if needs_names { self.levels[at].latest } else { (0, u64::MAX) };
        self.alike = Alike { level, distance, named, ..Alike::default() };
    }

    /// The levels met; once.
    pub fn levels(&mut self) -> Vec<Level> {
        self.tell_level();
        let shape = self.shape();
        std::mem::take(&mut self.levels).into_iter().map(|l| l.whole(shape)).collect()
    }

    fn shape(&self) -> Shape {
        let [source, sink, common] = [self.source_dims, self.sink_dims, self.common].map(usize::from);
        Shape { source, sink, common }
    }

    /// All instances of a run with the same differences.
    fn note_uniform(
        &mut self,
        (source_iv, sink_iv, count, address): (&Iv, &Iv, u64, u64),
        leaves: bool,
        locate: &mut dyn FnMut(u64, u8, bool) -> Option<Named>,
    ) {
        let common = usize::from(self.common);
        if self.alike.takes(source_iv, sink_iv, common, (count, address)) {
            return;
        }
        let level = level_of(common, sink_iv, source_iv);
        let shape = self.shape();
        let at = self.level(level, shape, |shape| Kept::new(level, source_iv, sink_iv, address, shape));
        let entry = &mut self.levels[at];
        entry.count = entry.count.saturating_add(count);
        entry.later |= beyond_first(sink_iv);
        // Equal vectors up to the level; beyond it the differences may vary.
        for q in usize::from(level)..shape.common {
            entry.bound(q, sink_iv.0[q].wrapping_sub(source_iv.0[q]), shape);
        }
        self.note_object(at, address, leaves, locate);
        self.follow(at, source_iv, sink_iv, self.needs_name(level, leaves));
    }

    /// Whether what an instance of a level passes through can matter.
    #[inline]
    fn needs_name(&self, level: u8, leaves: bool) -> bool {
        self.memory && (level < self.common || leaves)
    }

    /// Sinks of a level that is there were beyond the first iteration of some dimensions.
    fn later(&mut self, level: u8, dimensions: u8) {
        if let Some(entry) = self.levels.iter_mut().find(|l| l.level == level) {
            entry.later |= dimensions;
        }
    }

    /// Index of a level, made when new.
    #[inline]
    fn level(&mut self, level: u8, shape: Shape, new: impl FnOnce(Shape) -> Kept) -> usize {
        match self.levels.iter().position(|l| l.level == level) {
            Some(at) => at,
            None => {
                self.levels.push(new(shape));
                self.levels.len() - 1
            }
        }
    }

    /// Names what an instance of the level at an index passes through, where that can matter.
    fn note_object(
        &mut self,
        at: usize,
        address: u64,
        leaves: bool,
        locate: &mut dyn FnMut(u64, u8, bool) -> Option<Named>,
    ) {
        // Without an address nothing new is met: see `shadow::Gather`.
        let needs_name = self.needs_name(self.levels[at].level, leaves);
        let entry = &mut self.levels[at];
        if address == 0 || !needs_name {
            return;
        }
        if entry.latest.0 <= address && address < entry.latest.1 {
            return;
        }
        let Some((place, callee)) = locate(address, entry.level, entry.objects.is_empty()) else { return };
        entry.latest = (place.start, place.end);
        if usize::from(self.alike.level) == at + 1 {
            self.alike.named = entry.latest;
        }
        let known = entry.objects.iter().any(|o| o.0 == place.object && o.2 == callee);
        if !known && entry.objects.len() < OBJECTS {
            if entry.objects.is_empty() {
                entry.objects.reserve_exact(1);
            }
            entry.objects.push((place.object, place.offset, callee));
        }
    }

    #[expect(clippy::too_many_arguments, reason = "one call site; a struct would only rename them")]
    fn note(
        &mut self,
        (run, times): (&DependenceRun, u64),
        first: &Iv,
        step: &Iv,
        (from, count): (i64, i64),
        level: u8,
        leaves: bool,
        locate: &mut dyn FnMut(u64, u8, bool) -> Option<Named>,
    ) {
        let shape = self.shape();
        let a = first.after(from, step);
        let b = first.after(from + count - 1, step);
        let address = run.address.wrapping_add((run.address_step.wrapping_mul(from)) as u64);
        let at = self.level(level, shape, |shape| {
            let source_iv = run.source_iv.after(from, &run.source_step);
            let sink_iv = run.sink_iv.after(from, &run.sink_step);
            Kept::new(level, &source_iv, &sink_iv, address, shape)
        });
        let entry = &mut self.levels[at];
        entry.count = entry.count.saturating_add((count as u64).saturating_mul(times));
        entry.later |= beyond_first(&run.sink_iv) | beyond_first(&run.sink_step);
        for q in 0..shape.common {
            entry.bound(q, a.0[q], shape);
            entry.bound(q, b.0[q], shape);
        }
        self.note_object(at, address, leaves, locate);
    }
}

/// Bit q: coordinate q is not 0.
#[inline]
pub(crate) fn beyond_first(iv: &Iv) -> u8 {
    iv.0.iter().enumerate().fold(0, |bits, (q, x)| bits | u8::from(*x != 0) << q)
}

/// The first of the common dimensions in which two vectors differ; all of them if in none.
fn level_of(common: usize, sink: &Iv, source: &Iv) -> u8 {
    (0..common).find(|&q| sink.0[q] != source.0[q]).unwrap_or(common) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    fn iv(x: &[i64]) -> Iv {
        let mut out = Iv([0; MAX_DIMS]);
        out.0[..x.len()].copy_from_slice(x);
        out
    }

    #[test]
    fn levels_of_a_run_that_crosses_zero() {
        let mut streams = Streams::default();
        let ends = Ends {
            kind: Kind::Anti,
            memory: true,
            source: 0,
            sink: 1,
            role: Use::Value,
            common: 2,
            source_dims: 2,
            sink_dims: 2,
            own: true,
        };
        // Differences (0, t−3) for t in 0..6: carried by the inner loop except at t = 3.
        let run = DependenceRun {
            kind: shadow::Kind::Anti,
            source: 0,
            sink: 1,
            source_iv: iv(&[5, 3]),
            source_step: iv(&[0, 0]),
            sink_iv: iv(&[5, 0]),
            sink_step: iv(&[0, 1]),
            count: 6,
            address: 100,
            address_step: 8,
        };
        streams.add(&ends, &run, &mut |_, _, _| None);
        let all = streams.into_all().remove(0).levels();
        let mut levels: Vec<(u8, u64)> = all.iter().map(|l| (l.level, l.count)).collect();
        levels.sort_unstable();
        assert_eq!(levels, vec![(1, 5), (2, 1)]);
        let carried = all.iter().find(|l| l.level == 1).expect("carried");
        assert_eq!((carried.minimum[1], carried.maximum[1]), (-3, 2));
        assert_eq!(
            all.iter().find(|l| l.level == 2).map(|l| (l.sink_iv, l.address)),
            Some((iv(&[5, 3]), 124))
        );
    }
}
