//! Receives dependences from the memory and files them under streams.

use std::ops::Range;

use profile::{Kind, Use};
use program::image::Image;
use rustc_hash::FxHashMap;
use shadow::{Client, DependenceRun, Iv};
use smallvec::SmallVec;
use trace::block::Role;

use crate::code::CodeTable;
use crate::contexts::{ContextId, Contexts};
use crate::dependences::{Ends, RunOfRows, Streams};
use crate::exchange::Exchange;
use crate::objects::{Named, Objects};
use crate::paths::{Instance, Instances};
use crate::teams::{End, Teams};
use crate::walker::{Walker, insert_zero};

/// Contexts that stand for others since a recursion was discovered late, with the dimensions to insert.
#[derive(Debug, Default)]
pub struct Canonical {
    of: FxHashMap<ContextId, (ContextId, Vec<u8>)>,
    /// By context, whether it stands for another. Contexts behind its end stand for themselves.
    is_replaced: Vec<bool>,
    known: usize,
}

impl Canonical {
    /// Looks at contexts added since the last call; all of them again if an alias was added.
    pub fn update(&mut self, contexts: &mut Contexts) {
        if self.known == contexts.aliases() {
            return;
        }
        self.known = contexts.aliases();
        self.of.clear();
        for id in 0..contexts.len() as ContextId {
            let (to, inserted) = contexts.canonical(id);
            if to != id {
                self.of.insert(id, (to, inserted));
            }
        }
        self.is_replaced = (0..contexts.len() as ContextId).map(|id| self.of.contains_key(&id)).collect();
    }

    /// Number of aliases known: what was found of contexts holds until it changes.
    #[inline]
    pub fn known(&self) -> usize {
        self.known
    }

    /// Whether a context stands for another.
    #[inline]
    pub fn replaces(&self, id: ContextId) -> bool {
        self.is_replaced.get(id as usize).copied().unwrap_or(false)
    }

    /// What a context stands for, if for another.
    #[inline]
    pub fn get(&self, id: ContextId) -> Option<&(ContextId, Vec<u8>)> {
        if self.known == 0 { None } else { self.of.get(&id) }
    }

    /// The dimensions to insert, in this order, into vectors of a context.
    pub fn inserted(&self, id: ContextId) -> &[u8] {
        self.get(id).map_or(&[], |(_, inserted)| inserted)
    }
}

/// Everything needed to file a dependence.
pub struct Observer<'a> {
    /// Where to.
    pub streams: &'a mut Streams,
    /// Names of storage.
    pub objects: &'a mut Objects,
    /// Owners of ids.
    pub instances: &'a mut Instances,
    /// Blocks.
    pub codes: &'a CodeTable,
    /// Contexts.
    pub contexts: &'a Contexts,
    /// Replaced contexts.
    pub canonical: &'a Canonical,
    /// Symbols.
    pub image: &'a Image,
    /// Live frames; `None` if only those of a later moment are known, when all storage was named before.
    pub walker: Option<&'a Walker>,
    /// Where activations lay that have ended, and others like them before: what is there was named then, but for levels that
    /// have no name yet (another reader may stand for those of a byte).
    pub named: Range<u64>,
    /// Nothing is filed.
    pub is_muted: bool,
    /// Dependences between threads.
    pub exchange: &'a mut Exchange,
    /// Those between members of a team.
    pub teams: &'a mut Teams,
}

/// The observer of an engine whose walker is borrowed already; a macro because it borrows some fields alone.
macro_rules! observer {
    ($engine:ident, $walker:ident) => {
        $crate::observer::Observer {
            streams: &mut $engine.streams,
            objects: &mut $engine.objects,
            instances: &mut $engine.instances,
            codes: &$engine.codes,
            contexts: &$engine.contexts,
            canonical: &$engine.canonical,
            image: &$engine.image,
            walker: (!$engine.is_late).then_some({
                let walker: &$crate::walker::Walker = $walker;
                walker
            }),
            named: 0..0,
            is_muted: $engine.is_muted,
            exchange: &mut $engine.threads.exchange,
            teams: &mut $engine.threads.teams,
        }
    };
}
pub(crate) use observer;

impl Observer<'_> {
    /// Whether both ids are those that dependences are filed under.
    #[inline]
    fn are_final(&self, source: u32, sink: u32) -> bool {
        let is_final = |id| !self.canonical.replaces(self.instances.owner(id).context);
        self.canonical.known() == 0 || is_final(source) && is_final(sink)
    }

    /// The stream of this kind through memory between two operands, if it was met lately and they are those that dependences
    /// are filed under.
    #[inline]
    fn known_stream(&mut self, kind: shadow::Kind, source: u32, sink: u32) -> Option<usize> {
        let at = self.streams.of_memory(kind_of(kind), source, sink)?;
        let aliases = self.canonical.known();
        if !self.streams.is_final(at, aliases) {
            if !self.are_final(source, sink) {
                return None;
            }
            self.streams.set_final(at, aliases);
        }
        Some(at)
    }

    /// The instance, id and vector that an id at a vector stands for.
    fn resolve(&mut self, id: u32, iv: &mut Iv, step: &mut Iv) -> (Instance, u32) {
        let instance = *self.instances.owner(id);
        let Some((context, inserted)) = self.canonical.get(instance.context) else { return (instance, id) };
        let to = self.instances.intern(*context, instance.code, self.codes);
        let to = *self.instances.get(to);
        for &dim in inserted {
            insert_zero(iv, dim);
            insert_zero(step, dim);
        }
        (to, to.first + (id - instance.first))
    }

    /// The stream that a dependence through memory belongs to; `None` for loads that decide control only (control
    /// dependences are not in the graph).
    fn ends(
        &self,
        kind: shadow::Kind,
        (from, source): (&Instance, u32),
        (to, sink): (&Instance, u32),
    ) -> Option<Ends> {
        let kind = kind_of(kind);
        let role = match self.codes.get(to.code).operands.get((sink - to.first - to.statements) as usize) {
            Some(operand) if kind == Kind::Flow => match operand.role {
                Role::Accumulator => Use::Accumulator,
                Role::Address => Use::Address,
                Role::Value | Role::Kept => Use::Value,
                Role::Control => return None,
            },
            _ => Use::Value,
        };
        Some(Ends {
            kind,
            memory: true,
            source,
            sink,
            role,
            common: self.contexts.common(from.context, to.context),
            source_dims: self.contexts.get(from.context).dims,
            sink_dims: self.contexts.get(to.context).dims,
            own: self.codes.brief(from.code).own && self.codes.brief(to.code).own,
        })
    }

    fn is_between_threads(&self, from: &Instance, to: &Instance) -> bool {
        self.contexts.get(from.context).thread != self.contexts.get(to.context).thread
    }

    /// Whether two tasks that had one tree, one after the other, executed the ends of a dependence: the first coordinate counts them.
    #[inline]
    fn are_of_two_tasks(&self, source: (u32, &Iv), sink: (u32, &Iv)) -> bool {
        let thread = |id: u32| self.contexts.get(self.instances.owner(id).context).thread;
        self.teams.have_run_tasks()
            && source.1.0[0] != sink.1.0[0]
            && thread(sink.0) > 0
            && thread(source.0) == thread(sink.0)
    }

    /// A run of dependences between threads.
    fn exchanged(&mut self, run: &DependenceRun, from: &Instance, to: &Instance) {
        let trees = [from, to].map(|own| self.contexts.get(own.context).thread);
        let frames = self.walker.map_or(&[][..], Walker::frames);
        if self.teams.are_of_one_thread(trees) && self.objects.is_thread_local(run.address, frames) {
            // Tasks that one thread runs have its thread-local variables one after the other.
            return;
        }
        let is_of_several = run.source_step.0[0] != 0 || run.sink_step.0[0] != 0;
        if is_of_several && run.count > 1 && self.teams.have_run_tasks() {
            // Of each task what orders it is another matter.
            for nth in 0..run.count {
                let n = nth as i64;
                let address = match run.address {
                    0 => 0,
                    first => first.wrapping_add(n.wrapping_mul(run.address_step) as u64),
                };
                let (source_iv, sink_iv) =
                    (run.source_iv.after(n, &run.source_step), run.sink_iv.after(n, &run.sink_step));
                self.exchanged(&DependenceRun { source_iv, sink_iv, address, count: 1, ..*run }, from, to);
            }
            return;
        }
        let steps = run.count.saturating_sub(1) as i64;
        let source = run.source_iv.after(steps, &run.source_step).max(run.source_iv);
        let sinks = [run.sink_iv, run.sink_iv.after(steps, &run.sink_step)];
        let source = (self.instances.owner_id(run.source), from.context, &source);
        // What decides control alone is none.
        // The effects of system calls are no operands, and have no twin in another thread.
        let is_operand = |id: u32, own: &Instance| {
            id.checked_sub(own.first + own.statements).is_some_and(|operand| operand < own.operands)
        };
        let is_listed = is_operand(run.source, from)
            && is_operand(run.sink, to)
            && self.ends(run.kind, (from, run.source), (to, run.sink)).is_some();
        let (turn, is_late) = self.exchange.latest_turn_of(self.contexts, source);
        let at = [
            End { turn, is_late, had: (trees[0], source.2.0[0]) },
            End { turn: self.exchange.turn(), is_late: false, had: (trees[1], run.sink_iv.0[0]) },
        ];
        let own = (self.contexts, &*self.instances, self.codes, run.sink);
        let common = self.contexts.get(to.context).dims;
        let mut place = naming(self.objects, self.image, (self.walker, &self.named), own, common);
        let mut object = || place(run.address, common, true).map(|(place, _)| (place.object, place.offset));
        let of = (kind_of(run.kind), run);
        if is_listed && self.teams.file(self.contexts, of, [from.context, to.context], &at, &mut object) {
            return self.exchange.count(run.count);
        }
        self.exchange.note(self.contexts, source, (to.context, &sinks[0]), run.count);
        if sinks[0] != sinks[1] {
            self.exchange.note(self.contexts, source, (to.context, &sinks[1]), 0);
        }
    }

    /// The streams, and what names the storage that a sink comes to.
    fn streams_and_names(
        &mut self,
        sink: u32,
        common: u8,
    ) -> (&mut Streams, impl FnMut(u64, u8, bool) -> Option<Named>) {
        let own = (self.contexts, &*self.instances, self.codes, sink);
        (&mut *self.streams, naming(self.objects, self.image, (self.walker, &self.named), own, common))
    }

    /// A run of dependences through memory of every row of a block, in a context that stands for no other.
    pub fn rows(&mut self, run: &RunOfRows) {
        let DependenceRun { kind, source, sink, .. } = run.first;
        let are_apart = self.are_of_two_tasks((source, &run.first.source_iv), (sink, &run.first.sink_iv));
        if are_apart || !self.are_final(source, sink) {
            return (0..run.rows).for_each(|row| self.dependence(&run.at(row)));
        }
        let mut run = *run;
        let at = match self.known_stream(kind, source, sink) {
            Some(at) => at,
            None => {
                self.dependence(&run.first);
                let Some(at) = self.known_stream(kind, source, sink) else {
                    return (1..run.rows).for_each(|row| self.dependence(&run.at(row)));
                };
                run = RunOfRows { first: run.at(1), rows: run.rows - 1, ..run };
                at
            }
        };
        if run.rows > 0 && !self.is_muted {
            let common = self.streams.common(at);
            let (streams, mut place) = self.streams_and_names(sink, common);
            streams.add_rows_to(at, &run, &mut place);
        }
    }

    /// Several runs of dependences of one stream in every row of a block, in the order of a row.
    pub fn many_rows(&mut self, runs: &[RunOfRows]) {
        let [first, ..] = runs else { return };
        let DependenceRun { kind, source, sink, .. } = first.first;
        let is_apart = |run: &RunOfRows| {
            self.are_of_two_tasks((source, &run.first.source_iv), (sink, &run.first.sink_iv))
        };
        if kind != shadow::Kind::Flow || runs.iter().any(is_apart) {
            return runs.iter().for_each(|run| self.rows(run));
        }
        let Some(at) = self.known_stream(kind, source, sink) else {
            // The first of them makes the stream known, if there is one.
            runs.iter().for_each(|run| self.dependence(&run.first));
            let rest: SmallVec<[RunOfRows; 8]> = runs
                .iter()
                .filter(|run| run.rows > 1)
                .map(|run| RunOfRows { first: run.at(1), rows: run.rows - 1, ..*run })
                .collect();
            if self.known_stream(kind, source, sink).is_some() {
                return self.many_rows(&rest);
            }
            for row in 1..first.rows {
                runs.iter().for_each(|run| self.dependence(&run.at(row)));
            }
            return;
        };
        if !self.is_muted {
            let common = self.streams.common(at);
            let (streams, mut place) = self.streams_and_names(sink, common);
            streams.add_many_rows_to(at, runs, &mut place);
        }
    }

    /// A dependence through registers, `times` times; its stream, unless the context of an end stands for another.
    pub fn register(&mut self, role: Use, mut run: DependenceRun, times: u64) -> Option<u32> {
        let are_final = self.are_final(run.source, run.sink);
        if are_final && let Some(at) = self.streams.of_register(role, run.source, run.sink) {
            self.streams.add_register_to(at, &run, times);
            return Some(at as u32);
        }
        let (from, source) = self.resolve(run.source, &mut run.source_iv, &mut run.source_step);
        let (to, sink) = self.resolve(run.sink, &mut run.sink_iv, &mut run.sink_step);
        let ends = Ends {
            kind: Kind::Flow,
            memory: false,
            source,
            sink,
            role,
            common: self.contexts.common(from.context, to.context),
            source_dims: self.contexts.get(from.context).dims,
            sink_dims: self.contexts.get(to.context).dims,
            own: false,
        };
        let at = self.streams.stream(&ends);
        self.streams.add_register_to(at, &run, times);
        are_final.then_some(at as u32)
    }

    /// Another dependence through registers of a known stream, `times` times, with or without a step of its sinks.
    pub fn register_again(&mut self, at: u32, run: &DependenceRun, times: u64) {
        let at = at as usize;
        if run.sink_step.0[..usize::from(self.streams.common(at))].iter().all(|x| *x == 0) {
            self.streams.add_uniform_to(at, &run.source_iv, &run.sink_iv, (run.count, times));
        } else {
            self.streams.add_register_to(at, run, times);
        }
    }
}

impl Client for Observer<'_> {
    fn common(&self, a: u32, b: u32) -> u32 {
        let (a, b) = (self.instances.owner(a).context, self.instances.owner(b).context);
        u32::from(self.contexts.common(a, b))
    }

    fn listens(&self) -> bool {
        !self.is_muted
    }

    fn dependence(&mut self, run: &DependenceRun) {
        if self.is_muted {
            return;
        }
        if run.kind == shadow::Kind::Flow {
            self.streams.found(run.source, run.sink, &run.sink_iv);
        }
        let are_apart = self.are_of_two_tasks((run.source, &run.source_iv), (run.sink, &run.sink_iv));
        if !are_apart && let Some(at) = self.known_stream(run.kind, run.source, run.sink) {
            let common = self.streams.common(at);
            let (streams, mut place) = self.streams_and_names(run.sink, common);
            streams.add_to(at, run, &mut place);
            return;
        }
        let mut run = *run;
        let (from, source) = self.resolve(run.source, &mut run.source_iv, &mut run.source_step);
        let (to, sink) = self.resolve(run.sink, &mut run.sink_iv, &mut run.sink_step);
        if are_apart || self.is_between_threads(&from, &to) {
            return self.exchanged(&DependenceRun { source, sink, ..run }, &from, &to);
        }
        let Some(ends) = self.ends(run.kind, (&from, source), (&to, sink)) else { return };
        let (streams, mut place) = self.streams_and_names(sink, ends.common);
        streams.add(&ends, &run, &mut place);
    }

    fn single(
        &mut self,
        kind: shadow::Kind,
        source: u32,
        source_iv: &Iv,
        sink: u32,
        sink_iv: &Iv,
        address: u64,
    ) {
        if self.is_muted {
            return;
        }
        if kind == shadow::Kind::Flow {
            self.streams.found(source, sink, sink_iv);
        }
        let are_apart = self.are_of_two_tasks((source, source_iv), (sink, sink_iv));
        if !are_apart && let Some(at) = self.known_stream(kind, source, sink) {
            let common = self.streams.common(at);
            let (streams, mut place) = self.streams_and_names(sink, common);
            streams.add_one_to(at, source_iv, sink_iv, address, &mut place);
            return;
        }
        let (from, to) = (*self.instances.owner(source), *self.instances.owner(sink));
        let is_replaced =
            self.canonical.get(from.context).is_some() || self.canonical.get(to.context).is_some();
        if is_replaced || are_apart || self.is_between_threads(&from, &to) {
            self.dependence(&DependenceRun::one(kind, (source, source_iv), (sink, sink_iv), address));
            return;
        }
        let Some(ends) = self.ends(kind, (&from, source), (&to, sink)) else { return };
        let (streams, mut place) = self.streams_and_names(sink, ends.common);
        streams.add_one(&ends, source_iv, sink_iv, address, &mut place);
    }
}

fn kind_of(kind: shadow::Kind) -> Kind {
    match kind {
        shadow::Kind::Flow => Kind::Flow,
        shadow::Kind::Anti => Kind::Anti,
        shadow::Kind::Output => Kind::Output,
    }
}

/// The address of the instruction that a statement or an operand of an instance is.
fn instruction(owner: &Instance, codes: &CodeTable, id: u32) -> u64 {
    let code = codes.get(owner.code);
    let at = id.wrapping_sub(owner.first) as usize;
    let operand = at.checked_sub(owner.statements as usize).and_then(|operand| code.operands.get(operand));
    let at = operand.map_or(at, |operand| usize::from(operand.instr));
    code.instrs.get(at).map_or(code.pc, |instr| instr.pc)
}

/// Tells what is at an address that an operand accesses, and whether the loop of a level created the frame it lies in; nothing without
/// frames.
fn naming<'a>(
    objects: &'a mut Objects,
    image: &'a Image,
    (walker, named): (Option<&'a Walker>, &'a Range<u64>),
    (contexts, instances, codes, sink): (&'a Contexts, &'a Instances, &'a CodeTable, u32),
    common: u8,
) -> impl FnMut(u64, u8, bool) -> Option<Named> + 'a {
    move |address, level, is_first| {
        let walker = walker.filter(|_| is_first || !named.contains(&address) || objects.is_heap(address))?;
        let owner = instances.owner(sink);
        let ended = walker.ended(contexts, owner.context);
        let place = objects.locate(image, (walker, ended), instruction(owner, codes, sink), address);
        let callee = level < common
            && place.frame != usize::MAX
            && place.frame >= walker.frames_outside(usize::from(level));
        Some((place, callee))
    }
}
