//! Register dependences of the executions of a path.

use shadow::{DependenceRun, Iv};
use smallvec::SmallVec;

use crate::code::address;
use crate::dependences::{Streams, beyond_first};
use crate::engine::Engine;
use crate::observer::observer;
use crate::paths::{Before, Path};
use crate::registers::{Registers, Writer};

/// Executions of a path from which on it is worth remembering where its registers were written.
const OFTEN: u64 = 64;

/// A register read whose writer keeps its distance: instances are counted here, and reach the stream when that changes.
#[derive(Debug, Clone, Copy)]
pub struct Steady {
    source: u32,
    stream: u32,
    common: u8,
    /// Bit q: some sink was not in the first iteration of its dimension q.
    later: u8,
    instances: u64,
    /// Of the sink from the source, along the common dimensions.
    distance: Iv,
}

impl Steady {
    fn new(source: u32, stream: u32, common: u8, distance: Iv) -> Steady {
        Steady { source, stream, common, later: 0, instances: 0, distance }
    }

    /// Counts instances of this source and distance; false if they have another.
    #[inline]
    fn takes(&mut self, source: u32, distance: &Iv, count: u64, later: u8) -> bool {
        let common = usize::from(self.common);
        // Without a call to `memcmp`, which a comparison of slices ends up as.
        let pairs = self.distance.0.iter().zip(&distance.0).take(common);
        let is_same = self.source == source && pairs.fold(0, |differs, (x, y)| differs | (x ^ y)) == 0;
        if is_same {
            self.instances += count;
            self.later |= later;
        }
        is_same
    }

    /// Adds what was counted to the stream.
    pub fn hand_over(self, streams: &mut Streams) {
        if self.instances > 0 {
            streams.add_steady(self.stream as usize, &self.distance, self.instances, self.later);
        }
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
        let restored: SmallVec<[Option<[Writer; 4]>; 2]> = path
            .restores
            .iter()
            .map(|r| self.registers.saved(r.register, slot_of(path, r.operand)?))
            .collect();
        let Some(walker) = &self.walker else { return };
        let mut observer = observer!(self, walker);
        let along = lane.map_or(Iv::ZERO, |l| Iv::along(usize::from(l), 1));
        let aliases = observer.canonical.known();
        if path.aliases != aliases {
            // Contexts may stand for others that did not before: their streams are others from now on.
            path.aliases = aliases;
            path.steady.iter_mut().filter_map(Option::take).for_each(|s| s.hand_over(observer.streams));
            path.live_in.iter_mut().for_each(|live| live.latest = None);
        }
        if path.steady.is_empty() && self.counts && path.executions >= OFTEN {
            path.steady = vec![None; path.live_in.len()];
        }
        let can_wait = self.counts && observer.streams.tracking() == 0;
        let later = beyond_first(&iv);
        let lane_bit = lane.map_or(0, |lane| 1 << lane);
        let mut distances = Distances::new(&iv);
        let (mut never, is_often) = (None, !path.steady.is_empty());
        let live_in = if self.is_muted { &mut [] } else { &mut path.live_in[..] };
        for (k, live) in live_in.iter_mut().enumerate() {
            let steady = path.steady.get_mut(k).unwrap_or(&mut never);
            let writer_of = |unit: u16| match live.restored {
                None => self.registers.writer(unit),
                Some(r) => restored[usize::from(r)].and_then(|w| w[usize::from(unit % 4)].known()),
            };
            let whole = !live.redefined && count > 1;
            let count = if whole { count } else { 1 };
            let one = match live.restored {
                None => self.registers.writer_of_all(live.from, live.to),
                Some(_) => None,
            };
            let distance = one.map(|writer| (writer.statement(), distances.of(writer, &self.registers)));
            if let (Some(steady), Some((source, distance))) = (steady.as_mut(), &distance)
                && can_wait
                && steady.takes(
                    *source,
                    distance,
                    count.saturating_mul(times),
                    later | if whole { lane_bit } else { 0 },
                )
            {
                continue;
            }
            if let Some(steady) = steady.take() {
                steady.hand_over(observer.streams);
            }
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
            if let (Some((source, distance)), Some((_, stream)), true) = (distance, live.latest, is_often) {
                let common = observer.streams.common(stream as usize);
                // All instances of a run have one distance unless the loop they advance along is a common one.
                let is_uniform = !whole || lane.is_some_and(|lane| common <= lane);
                *steady = is_uniform.then(|| Steady::new(source, stream, common, *distance));
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
        for (restore, writers) in path.restores.iter().zip(restored) {
            if let Some(writers) = writers.filter(|_| restore.lasts) {
                self.registers.restore(restore.register, writers);
            }
        }
    }
}
