//! Register dependences of the executions of a path.

use shadow::{DependenceRun, Iv};
use smallvec::SmallVec;

use crate::code::address;
use crate::dependences::{Streams, beyond_first};
use crate::engine::Engine;
use crate::observer::observer;
use crate::paths::{Before, LiveIn, Path};
use crate::registers::{Registers, SlotId, Writer};

/// Executions of a path from which on it is worth remembering where its registers were written.
const OFTEN: u64 = 64;

/// A source of the reads of a register that keeps its distance: instances are counted here, and reach the streams when that
/// changes.
///
/// What most executions need of it comes first.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
struct Steady {
    /// The latest writer, and the slot of the latest reader.
    writer: Writer,
    reader: SlotId,
    source: u32,
    /// Dimensions that the source and any of the sinks have in common.
    common: u8,
    /// Bit q: some sink was not in the first iteration of its dimension q.
    later: u8,
    instances: u64,
    /// Of the sinks from the source along the dimension of slots, if it is nothing along the others.
    along: Option<i64>,
    /// Of the sinks from the source, along the common dimensions.
    distance: Iv,
}

/// Reads of one register by the statements of a path, all of which find one writer. Two sources that take turns are
/// remembered: mostly what the first iteration of a loop reads, and what the others do.
#[derive(Debug)]
pub struct Reads {
    both: [Option<Steady>; 2],
    latest: usize,
    /// What is read, as in [`LiveIn`].
    from: u16,
    to: u16,
    redefined: bool,
    /// Neither was the source of the execution under way.
    is_missed: bool,
    /// The reads: positions in [`Path::live_in`].
    members: SmallVec<[u32; 4]>,
    /// Of both sources, the stream to each of them.
    streams: [SmallVec<[u32; 4]>; 2],
}

impl Reads {
    /// The reads of a path by register; without those of registers that are restored.
    fn of(live_in: &mut [LiveIn]) -> Vec<Reads> {
        let mut all: Vec<Reads> = Vec::new();
        for (k, live) in live_in.iter_mut().enumerate().filter(|(_, live)| live.restored.is_none()) {
            let key = (live.from, live.to, live.redefined);
            let at = all.iter().position(|reads| (reads.from, reads.to, reads.redefined) == key);
            live.reads = Some(at.unwrap_or(all.len()) as u32);
            match at.and_then(|at| all.get_mut(at)) {
                Some(reads) => reads.members.push(k as u32),
                None => all.push(Reads {
                    both: [None; 2],
                    latest: 0,
                    from: live.from,
                    to: live.to,
                    redefined: live.redefined,
                    is_missed: false,
                    members: SmallVec::from_slice(&[k as u32]),
                    streams: Default::default(),
                }),
            }
        }
        all
    }

    /// The one whose source and distance those of a writer are.
    #[inline]
    fn steady(
        &mut self,
        writer: Writer,
        reader: &Reader,
        distances: &mut Distances,
        registers: &Registers,
    ) -> Option<&mut Steady> {
        let [one, other] = [self.latest, 1 - self.latest];
        let is_plainly = |s: &Option<Steady>| s.as_ref().is_some_and(|s| s.is_plainly(writer, reader));
        let at = if is_plainly(&self.both[one]) {
            one
        } else if is_plainly(&self.both[other]) {
            other
        } else {
            let distance = distances.of(writer, registers);
            let at = (writer, reader);
            let mut takes = |steady: usize| self.both[steady].as_mut().is_some_and(|s| s.takes(at, distance));
            if takes(one) {
                one
            } else if takes(other) {
                other
            } else {
                return None;
            }
        };
        self.latest = at;
        self.both[at].as_mut()
    }

    /// Remembers a writer, all reads of which were filed, in the place of the source that came less lately.
    fn remember(
        &mut self,
        (writer, reader): (Writer, &Reader),
        (live_in, is_single): (&[LiveIn], bool),
        distance: &Iv,
        streams: &mut Streams,
    ) {
        let stream_of = |&k: &u32| live_in.get(k as usize)?.latest.filter(|(s, _)| *s == writer.statement());
        let own = self.members.iter().map(|k| stream_of(k).map(|(_, stream)| stream));
        let Some(own) = own.collect::<Option<SmallVec<[u32; 4]>>>() else { return };
        let common = own.iter().map(|stream| streams.common(*stream as usize)).max().unwrap_or(0);
        // All instances of a run have one distance unless the loop they advance along is a common one.
        if is_single || reader.lane.is_some_and(|lane| common <= lane) {
            let at = 1 - self.latest;
            self.hand_over_one(at, streams);
            self.both[at] = Some(Steady::new((writer, reader), common, *distance));
            self.streams[at] = own;
            self.latest = at;
        }
    }

    fn hand_over_one(&mut self, at: usize, streams: &mut Streams) {
        if let Some(Steady { distance, instances, later, .. }) = self.both[at].take()
            && instances > 0
        {
            for stream in &self.streams[at] {
                streams.add_steady(*stream as usize, &distance, instances, later);
            }
        }
    }

    /// Adds what was counted to the streams.
    pub fn hand_over(&mut self, streams: &mut Streams) {
        [0, 1].into_iter().for_each(|at| self.hand_over_one(at, streams));
    }
}

/// Where an execution reads registers.
#[derive(Debug, Clone, Copy)]
struct Reader {
    slot: SlotId,
    /// The dimension of slots, and the coordinate along it.
    lane: Option<u8>,
    inner: i64,
}

impl Steady {
    fn new((writer, reader): (Writer, &Reader), common: u8, distance: Iv) -> Steady {
        let lane = reader.lane.map_or(usize::MAX, usize::from);
        let mut others = distance.0.iter().take(usize::from(common)).enumerate();
        let is_along = others.all(|(q, x)| q == lane || *x == 0);
        let along = if lane < usize::from(common) { distance.0[lane] } else { 0 };
        let along = is_along.then_some(along);
        let (source, reader) = (writer.statement(), reader.slot);
        Steady { writer, reader, source, common, later: 0, instances: 0, along, distance }
    }

    /// Whether a writer is that of the source, at the distance, by slots alone: without looking at their vectors.
    #[inline]
    fn is_plainly(&self, writer: Writer, reader: &Reader) -> bool {
        let has_lane = reader.lane.is_some_and(|lane| lane < self.common);
        if writer.is_in(reader.slot) {
            let along = if has_lane { reader.inner.wrapping_sub(writer.inner()) } else { 0 };
            return self.source == writer.statement() && self.along == Some(along);
        }
        // The coordinate along the slots is all that the vectors of one slot differ in.
        !has_lane && self.writer == writer && self.reader == reader.slot
    }

    /// Whether a writer is that of the source, at the distance.
    #[inline]
    fn takes(&mut self, (writer, reader): (Writer, &Reader), distance: &Iv) -> bool {
        let common = usize::from(self.common);
        // Without a call to `memcmp`, which a comparison of slices ends up as.
        let pairs = self.distance.0.iter().zip(&distance.0).take(common);
        let is_same =
            self.source == writer.statement() && pairs.fold(0, |differs, (x, y)| differs | (x ^ y)) == 0;
        if is_same {
            (self.writer, self.reader) = (writer, reader.slot);
        }
        is_same
    }

    #[inline]
    fn count(&mut self, instances: u64, later: u8) {
        self.instances = self.instances.saturating_add(instances);
        self.later |= later;
    }
}

/// Distances of one vector from those of writers, the latest one remembered: neighbouring reads mostly share it.
struct Distances<'a> {
    iv: &'a Iv,
    latest: Option<Writer>,
    distance: Iv,
}

impl<'a> Distances<'a> {
    fn new(iv: &'a Iv) -> Distances<'a> {
        Distances { iv, latest: None, distance: Iv::ZERO }
    }

    #[inline]
    fn of(&mut self, writer: Writer, registers: &Registers) -> &Iv {
        if !self.latest.is_some_and(|latest| latest.is_at_vector_of(writer)) {
            self.distance = registers.distance(writer, self.iv);
            self.latest = Some(writer);
        }
        &self.distance
    }
}

impl Engine {
    /// Register dependences of `count` consecutive executions, which stand for `times` as many: in the others sources and
    /// distances are the same, or lie between those and ones that were filed.
    pub(crate) fn registers_of(
        &mut self,
        path: &mut Path,
        iv: Iv,
        (count, times): (u64, u64),
        lane: Option<u8>,
        words: &[u64],
    ) {
        // Taking a slot may renumber the others: first of all.
        let last = lane.map_or(iv, |l| iv.advanced(usize::from(l), count as i64 - 1));
        let slot = self.registers.slot(&last, lane);
        let thread_base = self.thread_base;
        let slot_of =
            |path: &Path, operand: u32| address(&path.operands[operand as usize].address, words, thread_base);
        let mut restored: SmallVec<[Option<[Writer; 4]>; 2]> = SmallVec::new();
        for r in &path.restores {
            let saved = slot_of(path, r.operand).and_then(|at| self.registers.saved(r.register, at));
            restored.push(saved);
        }
        let Some(walker) = &self.walker else { return };
        let mut observer = observer!(self, walker);
        let along = lane.map_or(Iv::ZERO, |l| Iv::along(usize::from(l), 1));
        let aliases = observer.canonical.known();
        if path.aliases != aliases {
            // Contexts may stand for others that did not before: their streams are others from now on.
            path.aliases = aliases;
            path.steady.iter_mut().for_each(|reads| reads.hand_over(observer.streams));
            path.live_in.iter_mut().for_each(|live| live.latest = None);
        }
        if path.steady.is_empty() && self.counts && path.executions >= OFTEN {
            path.steady = Reads::of(&mut path.live_in);
        }
        let can_wait = self.counts && observer.streams.tracking() == 0;
        let later = beyond_first(&iv);
        let lane_bit = lane.map_or(0, |lane| 1 << lane);
        let reader = Reader {
            slot: self.registers.id(slot.0),
            lane,
            inner: lane.map_or(0, |lane| iv.0[usize::from(lane)]),
        };
        let mut distances = Distances::new(&iv);
        // Of an iteration that is tracked the streams have to be told.
        let all = if can_wait && !self.is_muted { &mut path.steady[..] } else { &mut [] };
        let mut are_steady = !all.is_empty() && path.restores.is_empty();
        for reads in all.iter_mut() {
            let whole = !reads.redefined && count > 1;
            let instances = if whole { count.saturating_mul(times) } else { times };
            let writer = self.registers.writer_of_all(reads.from, reads.to);
            let steady = writer.and_then(|w| reads.steady(w, &reader, &mut distances, &self.registers));
            match steady {
                Some(steady) => {
                    steady.count(instances, later | if whole { lane_bit } else { 0 });
                    reads.is_missed = false;
                }
                None => (reads.is_missed, are_steady) = (true, false),
            }
        }
        let live_in = if self.is_muted || are_steady { &mut [] } else { &mut path.live_in[..] };
        for live in live_in.iter_mut() {
            if live.reads.and_then(|at| all.get(at as usize)).is_some_and(|reads| !reads.is_missed) {
                continue;
            }
            let writer_of = |unit: u16| match live.restored {
                None => self.registers.writer(unit),
                Some(r) => restored[usize::from(r)].and_then(|w| w[usize::from(unit % 4)].known()),
            };
            let whole = !live.redefined && count > 1;
            let count = if whole { count } else { 1 };
            let mut latest = None;
            for unit in live.from..live.to {
                let writer = writer_of(unit);
                if writer == latest {
                    continue;
                }
                latest = writer;
                let Some(writer) = writer else { continue };
                let (source, source_iv) = self.registers.resolve(writer);
                let run = DependenceRun {
                    kind: shadow::Kind::Flow,
                    source,
                    sink: live.statement,
                    source_iv,
                    source_step: Iv::ZERO,
                    sink_iv: iv,
                    sink_step: if whole { along } else { Iv::ZERO },
                    count,
                    address: 0,
                    address_step: 0,
                };
                match live.latest.filter(|latest| latest.0 == source) {
                    Some((_, stream)) => observer.register_again(stream, &run, times),
                    _ => {
                        live.latest = observer.register(live.role, run, times).map(|stream| (source, stream))
                    }
                }
            }
        }
        for reads in all.iter_mut().filter(|reads| reads.is_missed) {
            if let Some(writer) = self.registers.writer_of_all(reads.from, reads.to) {
                let is_single = reads.redefined || count == 1;
                let distance = *distances.of(writer, &self.registers);
                let filed = (&path.live_in[..], is_single);
                reads.remember((writer, &reader), filed, &distance, observer.streams);
            }
        }
        if count > 1 && !self.is_muted {
            path.repeats += (count - 1).saturating_mul(times);
            path.repeat_example.get_or_insert_with(|| Box::new(iv));
        }
        for save in &path.saves {
            let Some(at) = slot_of(path, save.operand) else { continue };
            let writers = std::array::from_fn(|unit| {
                let old = self.registers.entry(save.register, unit);
                match save.writers[unit] {
                    Before::Path => old,
                    Before::Statement(statement) => Writer::new(statement, slot),
                    Before::Restored(r) => restored[usize::from(r)].map_or(old, |w| w[unit]),
                }
            });
            self.registers.save(save.register, at, writers);
        }
        if let Some(turn) = &path.turn {
            // No order of eight slots takes longer to come back to where it was than this is a multiple of.
            const ROUND: u64 = 840;
            (0..count % ROUND).for_each(|_| self.registers.turn(turn));
        }
        for out in &path.live_out {
            self.registers.write(out.from, out.to, out.statement, slot);
        }
        for (restore, writers) in path.restores.iter().zip(&restored) {
            if let Some(writers) = writers.filter(|_| restore.lasts) {
                self.registers.restore(restore.register, writers);
            }
        }
    }
}
