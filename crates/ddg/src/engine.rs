//! From records to streams: the consumer of a recording.
//!
//! Records are cut into paths at loop events. Consecutive iterations that follow one path are one *run*: the engine
//! finds them by comparing whole iterations of raw words, so the cost of a repeated iteration is a few compares. Words
//! that advance by constants give accesses with strides; the others are looked at one iteration at a time.

mod outside;
mod signals;
mod sites;
mod threads;
mod unfinished;
mod unroll;

use std::sync::Arc;
use std::time::Duration;

use fold::Row;
use program::image::Image;
use program::known::Known;
use rustc_hash::FxHashMap;
use shadow::{Iv, Operand, Record};
use trace::block::{Block, FunctionCode, Terminator};
use trace::contract::Mark;
use trace::sink::{Mapping, Sink, ThreadId};
use trace::stream::{self, Special, Touched, touched};

use self::sites::Sites;
use crate::blocks::Marks;
use crate::budget::{Budget, Reached};
use crate::code::{Brief, CodeId, CodeTable, FunctionTable, OwnAccesses, address, return_slot};
use crate::contexts::{ContextId, Contexts, FunctionId, Kind};
use crate::dependences::Streams;
use crate::folding::Folding;
use crate::happenings::Happening;
use crate::jumps::{Jump, Jumps};
use crate::lost::Lost;
use crate::objects::Objects;
use crate::observer::Canonical;
use crate::paths::{Follow, InstanceId, Instances, LONGEST, Moment, NodeId, Paths, Step, build};
use crate::reference::{AnyMemory, ByteMemory};
use crate::registers::Registers;
use crate::relief::Relieved;
use crate::repeats::Repeats;
use crate::shared::Shared;
use crate::tracing::Tracing;
use crate::verbatim::Verbatim;
use crate::walker::{Event, Frame, Walker};

/// How often a loop context was entered and iterated.
#[derive(Debug, Clone, Copy, Default)]
pub struct LoopCount {
    /// Entries.
    pub entries: u64,
    /// Iterations.
    pub iterations: u64,
}

/// An allocation in progress: a frame that runs an allocator.
#[derive(Debug, Clone, Copy)]
struct Allocation {
    depth: usize,
    kind: Allocator,
    size: u64,
    site: u64,
}

/// What an allocating function does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Allocator {
    /// `size` is the first argument.
    Allocate,
    /// `size` is the product of the first two arguments.
    AllocateArray,
    /// `size` is the second argument, the first is an alignment.
    AllocateAligned,
    /// The first argument is a block to resize to the second.
    Resize,
    /// The first argument is freed.
    Free,
}

impl Allocator {
    /// Bytes of the block that a call with these first arguments makes.
    fn size(self, a: u64, b: u64) -> u64 {
        match self {
            Allocator::Allocate => a,
            Allocator::AllocateArray => a.saturating_mul(b),
            Allocator::AllocateAligned | Allocator::Resize => b,
            Allocator::Free => 0,
        }
    }
}

/// Bytes the analysis may use unless told otherwise.
const DEFAULT_LIMIT: usize = 700 << 20;

/// The allocator of this (demangled or plain) name.
pub fn allocator(name: &str) -> Option<Allocator> {
    Some(match name {
        "malloc" | "__libc_malloc" | "operator new" | "operator new[]" | "valloc" | "_Znwm" | "_Znam" => {
            Allocator::Allocate
        }
        "calloc" | "__libc_calloc" => Allocator::AllocateArray,
        "aligned_alloc" | "memalign" | "__libc_memalign" => Allocator::AllocateAligned,
        "realloc" | "__libc_realloc" => Allocator::Resize,
        "free" | "cfree" | "__libc_free" | "operator delete" | "operator delete[]" => Allocator::Free,
        _ => return None,
    })
}

/// The consumer. Feed it as a [`Sink`], then [`Engine::finish`](crate::finish).
pub struct Engine {
    pub(crate) image: Image,
    pub(crate) functions: FunctionTable,
    pub(crate) codes: CodeTable,
    pub(crate) contexts: Contexts,
    pub(crate) instances: Instances,
    pub(crate) paths: Paths,
    pub(crate) shared: Shared,
    pub(crate) streams: Streams,
    pub(crate) folding: Arc<Folding>,
    /// Streams that were given up to free memory, and where some of them are.
    pub(crate) relieved: Relieved,
    pub(crate) objects: Objects,
    pub(crate) canonical: Canonical,
    pub(crate) loops: FxHashMap<ContextId, LoopCount>,
    pub(crate) instructions: u64,
    pub(crate) accesses: u64,
    /// Bytes that system calls, and functions by their contracts, have read, by the instance of the block that made them.
    pub(crate) effects: FxHashMap<InstanceId, u64>,
    /// Those of instructions of the program's own file.
    pub(crate) main_accesses: OwnAccesses,
    pub(crate) unrecorded: u64,
    pub(crate) malformed: u64,
    /// Instructions of records that came after the analysis had ended.
    pub(crate) unanalysed: u64,
    /// Broken invariants met, and what was left out for them.
    pub(crate) lost: Lost,
    /// Boxed, as it is taken out for every step.
    pub(crate) walker: Option<Box<Walker>>,
    jumps: Jumps,
    pub(crate) memory: AnyMemory,
    /// Every iteration on its own, every byte on its own (see [`crate::reference`]).
    reference: bool,
    pub(crate) registers: Registers,
    pub(crate) threads: threads::Threads,
    /// Iterations that repeat the one before, and whether they are counted.
    pub(crate) repeats: Repeats,
    pub(crate) verbatim: Verbatim,
    pub(crate) counts: bool,
    /// Memory is moved on over iterations that were counted also where applying two of them is cheaper.
    pub(crate) always_moves: bool,
    /// Where iterations begin, to find rows that go on as those before them.
    pub(crate) marks: Marks,
    pub(crate) row_space: crate::rows::Space,
    /// Executions change memory and registers, nothing else.
    pub(crate) is_muted: bool,
    /// Executions are applied later than they happened.
    pub(crate) is_late: bool,
    /// Where recording begins at the header of a loop, that is entered there.
    pub(crate) enters_loops: bool,
    node: Option<NodeId>,
    previous: Option<CodeId>,
    /// Words of the current path that came in earlier slices.
    pub(crate) pending: Vec<u64>,
    pub(crate) start_iv: Iv,
    pub(crate) thread_base: u64,
    call_slot: u64,
    /// Canonical frame address of the function at whose entry recording goes on.
    entry: Option<u64>,
    /// Control is about to come back from code that is not recorded.
    away: Option<outside::Away>,
    pub(crate) operands: Vec<Operand>,
    /// By number of a pattern of addresses, how it folds.
    pub(crate) rows: Vec<Row>,
    allocations: Vec<Allocation>,
    /// An allocation whose path has not ended yet.
    fresh: Option<(u64, Allocation)>,
    allocator_at: FxHashMap<u64, Option<Allocator>>,
    sites: Sites,
    signals: signals::Signals,
    /// Addresses of the block that a fault has just interrupted.
    torn: Option<(u64, u64)>,
    /// Bytes the analysis may use, about.
    pub(crate) limit: usize,
    /// Time for the analysis.
    pub(crate) budget: Budget,
    /// The analysis ended at its limit of time.
    pub(crate) is_out_of_time: bool,
    /// The limit of memory was reached.
    pub(crate) saturated: bool,
    pub(crate) last_path: Option<u32>,
    /// The iteration of a loop of parts found last.
    way: Option<unroll::Way>,
    /// Space for records of parts.
    parts_out: Vec<u64>,
    /// What an earlier run showed.
    known: Option<Known>,
    /// Members of recursive components known from it.
    members: Vec<(u32, u32, bool)>,
    /// Accesses are handed on, and nothing else is looked at.
    pub(crate) tracing: Option<Box<Tracing>>,
}

impl Default for Engine {
    fn default() -> Self {
        Engine {
            image: Image::default(),
            functions: FunctionTable::default(),
            codes: CodeTable::default(),
            contexts: Contexts::default(),
            instances: Instances::default(),
            paths: Paths::default(),
            shared: Shared::default(),
            streams: Streams::default(),
            folding: Arc::default(),
            relieved: Relieved::default(),
            objects: Objects::default(),
            canonical: Canonical::default(),
            loops: FxHashMap::default(),
            instructions: 0,
            accesses: 0,
            effects: FxHashMap::default(),
            main_accesses: OwnAccesses::default(),
            unrecorded: 0,
            malformed: 0,
            unanalysed: 0,
            lost: Lost::default(),
            walker: None,
            jumps: Jumps::default(),
            memory: AnyMemory::runs(),
            reference: false,
            registers: Registers::default(),
            threads: threads::Threads::default(),
            repeats: Repeats::default(),
            verbatim: Verbatim::default(),
            counts: true,
            always_moves: false,
            marks: Marks::default(),
            row_space: crate::rows::Space::default(),
            is_muted: false,
            is_late: false,
            enters_loops: false,
            node: None,
            previous: None,
            pending: Vec::new(),
            start_iv: Iv::ZERO,
            thread_base: 0,
            call_slot: 0,
            entry: None,
            away: None,
            operands: Vec::new(),
            rows: Vec::new(),
            allocations: Vec::new(),
            fresh: None,
            allocator_at: FxHashMap::default(),
            sites: Sites::default(),
            signals: signals::Signals::default(),
            torn: None,
            limit: DEFAULT_LIMIT,
            budget: Budget::default(),
            is_out_of_time: false,
            saturated: false,
            last_path: None,
            way: None,
            parts_out: Vec::new(),
            known: None,
            members: Vec::new(),
            tracing: None,
        }
    }
}

impl Sink for Engine {
    fn mapping(&mut self, mapping: Mapping) {
        self.image.add(&mapping);
        if let Some(known) = &mut self.known {
            known.mapping(&mapping);
        }
    }

    fn function(&mut self, mut code: FunctionCode) {
        self.leave_verbatim();
        // What follows a call that never returns belongs to something else.
        let start_up =
            self.image.function_at(code.entry).is_some_and(|s| s.name.starts_with("__libc_start_main"));
        for block in &mut code.blocks {
            // glibc's start-up calls a nameless local function just before it, which calls main and exits.
            let calls_main = |target: u64| {
                start_up
                    && (code.entry.saturating_sub(0x400)..code.entry).contains(&target)
                    && self.image.start_of_function(target) != Some(target)
            };
            if let Terminator::Call { target, .. } = block.terminator
                && (self.image.never_returns(target) || calls_main(target))
            {
                block.terminator = Terminator::Trap;
            }
        }
        self.add_function(&code);
    }

    fn block(&mut self, block: Block) {
        if block.folded.is_some() && block.parts.is_empty() {
            self.functions.folds(block.pc);
        }
        let own = self.image.is_own(block.pc);
        let begins = self.image.function_at(block.pc);
        let watched = begins.is_some_and(|symbol| self.threads.teams.watches(block.pc, &symbol.name));
        self.codes.add(block, own, watched);
    }

    fn named(&mut self, pc: u64, name: &str) {
        self.image.name(pc, name);
    }

    fn words(&mut self, thread: ThreadId, words: &[u64]) {
        if !self.is_over() {
            self.marks.clear();
            self.take_turn(thread);
            let compared = self.compare(words);
            self.take_records(&words[compared..]);
            self.mark_exchanges();
        } else {
            self.count_unanalysed(words);
        }
    }
}

impl Engine {
    /// Whether a limit of time or memory has ended the analysis; what can be done against it is done.
    fn is_over(&mut self) -> bool {
        if self.saturated || self.is_out_of_time {
            return true;
        }
        match self.budget.reached() {
            None => {}
            Some(Reached::Mark) => self.give_up_loops(),
            Some(Reached::End) => {
                self.end();
                self.mark_unfinished();
                self.is_out_of_time = true;
                return true;
            }
        }
        if self.bytes() > self.limit {
            // What is remembered of executions goes first.
            self.interrupt();
            self.repeats.give_back();
        }
        if self.bytes() > self.limit && !self.relieve() {
            // What was seen stays; the rest of the run is not analysed.
            self.end();
            self.mark_unfinished();
            self.saturated = true;
        }
        self.saturated
    }

    /// Takes whole records, one after the other.
    fn take_records(&mut self, words: &[u64]) {
        self.take_records_from(words, false);
    }

    /// Takes whole records, one after the other; the walker may have come to the first of them already.
    pub(crate) fn take_records_from(&mut self, words: &[u64], mut has_come: bool) {
        let mut start = 0;
        let mut at = 0;
        while at < words.len() {
            let head = words[at];
            if stream::is_special(head) {
                match stream::special(&words[at..]) {
                    Ok((special, length)) => {
                        self.end_path(&words[start..at], 1);
                        self.special(&special);
                        at += length;
                        start = at;
                    }
                    Err(_) => {
                        self.malformed += 1;
                        break;
                    }
                }
                continue;
            }
            let Some(code) = self.codes.of_header(head) else {
                self.malformed += 1;
                break;
            };
            let brief = self.codes.brief(code);
            let length = brief.words;
            if at + length > words.len() || length == 0 {
                self.malformed += 1;
                break;
            }
            if brief.has_parts {
                let length = self.codes.get(code).length(head);
                if at + length > words.len() {
                    self.malformed += 1;
                    break;
                }
                self.pending.extend_from_slice(&words[start..at]);
                let record = &words[at..at + length];
                self.unroll(code, record);
                if self.saturated || self.is_out_of_time {
                    return;
                }
                at += length;
                start = at;
                continue;
            }
            if self.reference {
                self.one_by_one(code, &words[at..at + length]);
                at += length;
                start = at;
                continue;
            }
            // Where members of a team come to a point that orders them, what came before is applied first.
            if brief.special
                && !has_come
                && self.node.is_some()
                && self.threads.teams.mark(brief.pc).is_some()
            {
                self.end_path(&words[start..at], 1);
                start = at;
            }
            // The common case: the path goes on as it did before.
            if !has_come
                && let Some(node) = self.node
                && let Some((next, follow)) = self.paths.next(node, code, self.functions.epoch)
                && self.follow(brief.pc, next, follow)
            {
                self.node = Some(next);
                self.arrived(code, brief, &words[at..at + length]);
                at += length;
                start = self.cut(words, start, at);
                continue;
            }
            let was_outside = self.node.is_none();
            let ended = !std::mem::take(&mut has_come) && self.step(code, brief.pc, &words[start..at]);
            if ended {
                let taken = self.begin_verbatim(words, at);
                if taken > 0 {
                    at += taken;
                    start = at;
                    continue;
                }
            }
            if ended || was_outside {
                let mut repeated = self.repeat(words, start, at);
                if repeated == 0 {
                    repeated = self.take_block(words, at);
                }
                at += repeated;
                start = at;
                if repeated > 0 {
                    // The next record is the same block again, now standing for a later iteration.
                    self.restart(code);
                }
            }
            if brief.folded {
                start = self.folded(code, brief, &words[at..at + length], (start, at));
                at += length;
                continue;
            }
            self.arrived(code, brief, &words[at..at + length]);
            at += length;
            start = self.cut(words, start, at);
        }
        self.pending.extend_from_slice(words.get(start..).unwrap_or(&[]));
        if !self.marks.is_inside {
            self.verbatim.end_slice(words);
        }
        if at < words.len() {
            // Nothing after a malformed record can be trusted.
            self.pending.clear();
            self.node = None;
        }
    }

    /// An engine that stops analysing when it uses about this many bytes.
    pub fn with_limit(limit: usize) -> Engine {
        Engine { limit, repeats: Repeats::within(limit), ..Engine::default() }
    }

    /// The same with streams folded as asked; before anything was recorded.
    pub fn folding(self, folding: Folding) -> Engine {
        let folding = Arc::new(folding);
        Engine { streams: Streams::new(&folding), folding, ..self }
    }

    /// An engine for recordings that begin where loops are entered.
    pub fn entering_loops(self) -> Engine {
        Engine { enters_loops: true, ..self }
    }

    /// From now on relies on what an earlier run of the program showed, where that is known.
    pub fn knowing(self, known: Known) -> Engine {
        Engine { known: Some(known), ..self }
    }

    /// An engine that gives up loops when more and more of `limit` from now is used, and ignores what comes later.
    pub fn within(self, limit: Duration) -> Engine {
        Engine { budget: Budget::of_time(limit), ..self }
    }

    /// The same with a limit of work, which is a function of the records alone (about one unit per run of accesses).
    pub fn within_work(self, limit: u64) -> Engine {
        Engine { budget: Budget::of_work(limit), ..self }
    }

    fn add_function(&mut self, code: &FunctionCode) {
        let Some(known) = &self.known else {
            self.functions.add(code);
            return;
        };
        let id = match known.edges(code) {
            Some(edges) => self.functions.add_known(code, &edges),
            None => self.functions.add(code),
        };
        if let Some((component, header)) = known.member(code.entry) {
            if let Some(walker) = &mut self.walker {
                walker.join(component, id, header);
            }
            // Threads that begin, or go on, later are told then.
            self.members.push((component, id, header));
        }
    }

    /// Instructions seen so far.
    pub fn instructions(&self) -> u64 {
        self.instructions.saturating_add(self.repeats.instructions(self.verbatim.complete()))
    }

    /// About how many bytes the analysis uses; a function of what it saw alone, so that equal runs end equally.
    pub(crate) fn bytes(&self) -> usize {
        self.streams.bytes()
            + self.paths.bytes()
            + self.shared.bytes()
            + self.memory.bytes()
            + self.repeats.bytes()
            + self.verbatim.bytes()
    }

    /// Whether every byte is looked at on its own.
    pub(crate) fn is_reference(&self) -> bool {
        self.reference
    }

    /// An engine that computes the same the slow, obvious way.
    pub fn reference() -> Engine {
        let memory = AnyMemory::Bytes(ByteMemory::default());
        Engine { memory, reference: true, counts: false, ..Engine::default() }
    }

    /// An engine that applies every iteration, also those that repeat the one before.
    pub fn applying_all() -> Engine {
        Engine { counts: false, ..Engine::default() }
    }

    /// An engine that moves memory on over iterations that were counted, however short they are.
    pub fn always_moving() -> Engine {
        Engine { always_moves: true, ..Engine::default() }
    }

    /// Takes every iteration of a record as a path of its own.
    fn one_by_one(&mut self, code: CodeId, record: &[u64]) {
        let block = Arc::clone(self.codes.get(code));
        for t in 0..block.iterations(record) {
            let words = block.folded.as_ref().map_or_else(|| record.to_vec(), |f| f.at(record, t));
            self.step(code, block.pc, &[]);
            self.arrived(code, self.codes.brief(code), &words);
            self.marked();
            self.end_path(&words, 1);
            self.allocated();
        }
    }

    /// Ends the path at `at` if an allocator has just returned: what came before must be applied before the block's
    /// old content is forgotten. Returns where the words of the current path begin.
    fn cut(&mut self, words: &[u64], start: usize, at: usize) -> usize {
        self.marked();
        if self.fresh.is_none() {
            return start;
        }
        self.end_path(&words[start..at], 1);
        self.allocated();
        at
    }

    /// A heap block has come into being.
    fn allocated(&mut self) {
        let Some((start, done)) = self.fresh.take() else { return };
        let is_new = done.kind != Allocator::Resize;
        self.happens(Happening::Allocated { is_new }, &[start, done.size, done.site]);
    }

    /// Ends the path that is under way.
    pub(crate) fn end(&mut self) {
        self.leave_verbatim();
        self.end_path(&[], 1);
        self.interrupt();
        self.paths.hand_over(&mut self.streams);
    }

    /// Repeats a cached transition; false if the frame stack does not fit it.
    fn follow(&mut self, pc: u64, next: NodeId, follow: Follow) -> bool {
        let Some(walker) = &mut self.walker else { return false };
        match follow {
            Follow::Plain => {
                walker.follow(pc);
                true
            }
            Follow::Call { function, return_pc } => {
                if !walker.is_plain_call(function) {
                    return false;
                }
                walker.follow_call(function, pc, return_pc, self.paths.context(next), self.call_slot);
                true
            }
            Follow::TailCall { function } => {
                walker.is_plain_call(function)
                    && walker.follow_tail_call(function, pc, self.paths.context(next))
            }
            Follow::Return => walker.follow_return(pc, self.paths.context(next)),
        }
    }

    /// Notes what later steps need of a record that was just reached.
    #[inline]
    fn arrived(&mut self, code: CodeId, brief: Brief, record: &[u64]) {
        self.previous = Some(code);
        if !brief.special {
            return;
        }
        let block = Arc::clone(self.codes.get(code));
        self.threads.mark = self.threads.teams.mark(block.pc);
        if block.terminator == Terminator::Leaves {
            self.threads.teams.asked(self.threads.tree, block.pc, record.get(1..).unwrap_or_default());
        }
        if let Some(slot) = return_slot(&block, record, self.thread_base) {
            self.call_slot = slot.wrapping_add(8);
        } else if let Some(word) = block.frame {
            self.call_slot = record.get(usize::from(word)).copied().unwrap_or(0);
        }
        if block.arguments.is_some() || block.result.is_some() {
            self.allocation(&block, record);
        }
    }

    /// The thread whose words come begins at `pc`.
    fn begin(&mut self, pc: u64) {
        let function = self.begins_in(pc);
        self.begin_in(function, pc);
    }

    /// The same in a function.
    pub(crate) fn begin_in(&mut self, function: FunctionId, pc: u64) {
        self.functions.executed(function, None, pc);
        let root = self.root();
        let (contexts, functions) = (&mut self.contexts, &mut self.functions);
        let is_amid = self.entry.is_some();
        let mut walker = match self.entry.take() {
            Some(cfa) => Walker::entered(contexts, functions, function, pc, cfa, root),
            None => Walker::new(contexts, functions, function, pc, root),
        };
        walker.lost = self.lost.clone();
        walker.declare(self.known.as_ref().map_or(0, Known::components));
        for &(component, function, header) in &self.members {
            walker.join(component, function, header);
        }
        self.count_events(&walker.events);
        if is_amid {
            self.mark_begun_amid(&walker);
        }
        self.walker = Some(Box::new(walker));
    }

    /// Moves the walker to `block` the general way. Returns whether a path ended before it.
    fn step(&mut self, code: CodeId, pc: u64, path_words: &[u64]) -> bool {
        let Some(mut walker) = self.walker.take() else {
            self.away = None;
            self.begin(pc);
            self.restart(code);
            return false;
        };
        let follow = self.transition(&mut walker, pc);
        if self.contexts.has_aliases() {
            self.canonical.update(&mut self.contexts);
        }
        let moves = walker.events.iter().any(|e| e.moves());
        let too_long = self.node.is_some_and(|n| self.paths.length(n) >= LONGEST);
        let ended = match self.node {
            Some(node) if !moves && !too_long => {
                let step = Step { context: walker.context(), code };
                self.node = Some(self.paths.extend(node, step, follow, self.functions.epoch));
                self.walker = Some(walker);
                return false;
            }
            Some(_) => true,
            None => false,
        };
        let events = std::mem::take(&mut walker.events);
        // Storage is named as of the end of the path, with the frames it ends with.
        self.walker = Some(walker);
        if ended {
            self.end_path(path_words, 1);
        }
        self.count_events(&events);
        if let Some(walker) = &mut self.walker {
            walker.events = events;
        }
        self.restart(code);
        ended
    }

    /// Starts a path with the block the walker stands at.
    fn restart(&mut self, code: CodeId) {
        if let Some(walker) = &self.walker {
            self.start_iv = *walker.iv();
            self.node = Some(self.paths.root(Step { context: walker.context(), code }));
        }
    }

    fn count_events(&mut self, events: &[Event]) {
        for event in events {
            match event {
                Event::Enter(c) | Event::EnterCall(c) => {
                    let count = self.loops.entry(*c).or_default();
                    count.entries += 1;
                    count.iterations += 1;
                }
                Event::Iterate(c) | Event::IterateCall(c) | Event::IterateReturn(c) => {
                    self.loops.entry(*c).or_default().iterations += 1;
                }
                _ => {}
            }
        }
    }

    /// The function in which recording goes on at `pc`: at its entry, or in its middle.
    fn begins_in(&mut self, pc: u64) -> FunctionId {
        let around = self.image.start_of_function(pc);
        let entry = around.filter(|&entry| self.functions.is_entry(entry) && !self.functions.is_entry(pc));
        self.functions.at(entry.unwrap_or(pc))
    }

    /// Decides what kind of transfer leads to `pc` and tells the walker. Returns how to repeat it cheaply, if it can be.
    fn transition(&mut self, walker: &mut Walker, pc: u64) -> Option<Follow> {
        let torn = self.torn.take();
        if let Some(cfa) = self.entry.take() {
            let function = self.begins_in(pc);
            self.functions.executed(function, None, pc);
            if walker.enter_again(&mut self.contexts, &mut self.functions, function, pc, cfa) {
                self.mark_begun_amid(walker);
                self.signals.forget();
                return None;
            }
        }
        if self.after_handler(walker, pc) {
            return None;
        }
        if let Some(away) = self.away.take() {
            self.come_back(walker, &away, pc);
            return None;
        }
        if self.enter_handlers(walker, torn) {
            return None;
        }
        self.transfer(walker, pc)
    }

    /// The transfer that the last block ended with leads to `pc`.
    fn transfer(&mut self, walker: &mut Walker, pc: u64) -> Option<Follow> {
        let function = walker.function();
        let from = walker.block();
        let previous = self.previous.map(|c| Arc::clone(self.codes.get(c)));
        let terminator = previous.as_ref().map_or(Terminator::Trap, |b| b.terminator);
        match terminator {
            // A call to the next instruction only reads the program counter; it falls through to a jump.
            Terminator::Call { next, .. } | Terminator::IndirectCall { next } if pc != next => {
                let callee = self.functions.at(pc);
                let plain = walker.is_plain_call(callee);
                self.functions.executed(callee, None, pc);
                walker.call(&mut self.contexts, &mut self.functions, callee, pc, next);
                walker.set_cfa(self.call_slot);
                let simple = plain && walker.events == [Event::Call];
                simple.then_some(Follow::Call { function: callee, return_pc: next })
            }
            Terminator::Return => {
                let frames = walker.frames();
                if let Some(at) = frames.iter().rposition(|f| f.return_pc == pc && f.return_pc != 0) {
                    self.note_return(walker, at, pc);
                    if at + 1 == frames.len() {
                        walker.ret(&mut self.contexts, &mut self.functions, pc);
                        return (walker.events == [Event::Return]).then_some(Follow::Return);
                    }
                    walker.unwind(&mut self.contexts, &mut self.functions, at, pc);
                    return None;
                }
                self.foreign(walker, pc)
            }
            Terminator::Jump(target) if !self.functions.contains(function, target) => {
                self.tail_call(walker, pc)
            }
            Terminator::IndirectJump => {
                if self.functions.contains(function, pc) && !self.is_other_entry(function, pc) {
                    return self.jump(walker, function, from, pc);
                }
                if self.same_symbol(from, pc) && !self.functions.is_entry(pc) {
                    return self.jump(walker, function, from, pc);
                }
                self.foreign(walker, pc)
            }
            Terminator::Trap if previous.is_none() => {
                // The stream starts again (after a gap): place the block where it belongs.
                self.foreign(walker, pc)
            }
            _ => self.jump(walker, function, from, pc),
        }
    }

    fn is_other_entry(&self, function: u32, pc: u64) -> bool {
        self.functions.is_entry(pc) && self.functions.all()[function as usize].entry != pc
    }

    /// A jump inside the current activation.
    fn jump(&mut self, walker: &mut Walker, function: u32, from: u64, pc: u64) -> Option<Follow> {
        let jump = Jump { context: walker.context(), base: walker.base(), from, to: pc };
        match self.jumps.get(&jump, self.functions.epoch) {
            Some(events) => walker.repeat_jump(&self.contexts, pc, events),
            None => {
                self.functions.executed(function, Some(from), pc);
                walker.jump(&mut self.contexts, &mut self.functions, pc);
                self.jumps.set(jump, self.functions.epoch, &walker.events);
            }
        }
        (walker.events == [Event::Plain]).then_some(Follow::Plain)
    }

    /// Control goes back to `pc`, in the activation that called the one with index `callee`: behind the call, or to where
    /// an exception is caught. That is an edge from the calling block, so that it leaves no loop that both lie in.
    fn note_return(&mut self, walker: &Walker, callee: usize, pc: u64) {
        let Some(caller) = callee.checked_sub(1).and_then(|at| walker.frames().get(at)) else { return };
        let site = walker.frames().get(callee).and_then(|f| match self.contexts.get(f.base).kind {
            Kind::Call { site, .. } => Some(site),
            _ => None,
        });
        self.functions.executed(caller.function, site, pc);
    }

    fn same_symbol(&self, a: u64, b: u64) -> bool {
        let start = |pc| self.image.start_of_function(pc);
        let Some((a, b)) = start(a).zip(start(b)) else { return false };
        let name = |start| self.image.linkage_name(start);
        a == b || name(a).zip(name(b)).is_some_and(|(a, b)| are_parts(a, b))
    }

    fn tail_call(&mut self, walker: &mut Walker, pc: u64) -> Option<Follow> {
        let function = self.functions.at(pc);
        let plain = walker.is_plain_call(function) && walker.in_plain_call();
        self.functions.executed(function, None, pc);
        walker.tail_call(&mut self.contexts, &mut self.functions, function, pc);
        (plain && walker.events == [Event::Call]).then_some(Follow::TailCall { function })
    }

    /// Control arrives at `pc` from outside its function's activation: longjmp, exception, coroutine, tail call.
    fn foreign(&mut self, walker: &mut Walker, pc: u64) -> Option<Follow> {
        let frames = walker.frames();
        // Decoding goes on behind calls that never return, into the functions that follow: what symbols say comes first.
        let of_symbol = |f: &Frame| self.same_symbol(f.entry, pc) && !self.functions.is_entry(pc);
        let of_graph =
            |f: &Frame| self.functions.contains(f.function, pc) && !self.is_other_entry(f.function, pc);
        let hit = frames.iter().rposition(of_symbol).or_else(|| frames.iter().rposition(of_graph));
        match hit {
            Some(at) if !(self.functions.is_entry(pc)) => {
                if at + 1 < frames.len() {
                    self.note_return(walker, at + 1, pc);
                } else {
                    self.functions.executed(frames[at].function, None, pc);
                }
                walker.unwind(&mut self.contexts, &mut self.functions, at + 1, pc);
                None
            }
            _ => self.tail_call(walker, pc),
        }
    }

    /// Looks for further iterations of the path that just ended at `at`, and absorbs them. Returns their words.
    fn repeat(&mut self, words: &[u64], start: usize, at: usize) -> usize {
        let length = at - start;
        let Some(walker) = &mut self.walker else { return 0 };
        // Only an iteration of the innermost loop, and nothing else, leads back to the same path.
        if length == 0 || !self.pending.is_empty() || walker.events.len() != 1 {
            return 0;
        }
        let Event::Iterate(context) = walker.events[0] else { return 0 };
        let Some(last) = self.last_path else { return 0 };
        let Some(path) = self.paths.get(last) else { return 0 };
        if path.context != context || path.length != length || path.folded.is_some() || path.allocates {
            return 0;
        }
        let heads: Vec<(usize, u64)> =
            path.headers.iter().map(|&h| (usize::from(h), words[start + usize::from(h)])).collect();
        if heads.first().map(|h| h.1) != Some(words[at]) {
            return 0;
        }
        let mut count = 0usize;
        loop {
            let from = at + count * length;
            // An iteration counts only if another one follows: its end is then known.
            if from + length >= words.len() || words[from + length] != heads[0].1 {
                break;
            }
            if !heads.iter().all(|&(h, head)| words[from + h] == head) {
                break;
            }
            count += 1;
        }
        if count == 0 {
            return 0;
        }
        walker.advance(&self.contexts, count as i64);
        self.loops.entry(context).or_default().iterations += count as u64;
        let iv = self.start_iv;
        self.run(last, iv, count as u64, &words[at..at + count * length]);
        count * length
    }

    /// Ends the current path: `words` are its last words, after the pending ones.
    fn end_path(&mut self, words: &[u64], count: u64) {
        let Some(node) = self.node.take() else {
            self.pending.clear();
            return;
        };
        let mut joined = std::mem::take(&mut self.pending);
        let whole = joined.is_empty();
        let words = if whole {
            words
        } else {
            joined.extend_from_slice(words);
            &joined
        };
        let path = match self.paths.built(node) {
            Some(path) => path,
            None => self.build(node, words),
        };
        // `repeat` compares with an iteration that stands in the slice in one piece.
        self.last_path = whole.then_some(path);
        self.run(path, self.start_iv, count, words);
        joined.clear();
        self.pending = joined;
    }

    fn build(&mut self, node: NodeId, words: &[u64]) -> u32 {
        // A new path repeats nothing, and looks at registers.
        self.resume();
        let steps = self.paths.steps(node);
        let context = *self.contexts.get(self.paths.context(node));
        let allocators = &self.allocator_at;
        let flat = self.contexts.inside_flat(self.paths.context(node));
        let moment = Moment {
            words,
            thread_base: self.thread_base,
            is_saved: &|register, slot| self.registers.is_saved(register, slot),
            is_allocator: &|pc| allocators.get(&pc).is_some_and(Option::is_some),
            folding: &self.folding,
        };
        let mut path = build(&steps, context.dims, flat, &self.codes, &mut self.instances, &moment);
        path.innermost = self.contexts.loops(self.paths.context(node)).last().copied();
        if path.innermost.is_some_and(|innermost| self.budget.has_given_up(innermost)) {
            path.seen.give_up();
            path.is_given_up = true;
        }
        self.paths.add(node, path)
    }

    /// A record that stands for all iterations of a folded block. The walker has just arrived at it. Returns where the
    /// words of the path that goes on begin; they began at `start`.
    fn folded(&mut self, code: CodeId, brief: Brief, record: &[u64], (start, at): (usize, usize)) -> usize {
        let block = Arc::clone(self.codes.get(code));
        let n = block.iterations(record);
        let Some(walker) = &self.walker else { return start };
        let context = walker.context();
        let node = self.paths.root(Step { context, code });
        if self.node != Some(node) {
            // Not at a loop header (the loop was not recognised): take it as single iterations of a plain block.
            self.arrived(code, brief, record);
            return start;
        }
        let alone = {
            let function = walker.function();
            self.functions.is_alone(function, block.pc)
        };
        let path = match self.paths.built(node) {
            Some(path) => path,
            None => self.build(node, record),
        };
        let whole = if alone { n } else { n - 1 };
        let iv = self.start_iv;
        if whole > 0 {
            self.run(path, iv, whole, record);
        }
        self.last_path = None;
        let extra = n - 1;
        if extra > 0 {
            self.loops.entry(context).or_default().iterations += extra;
            if let Some(walker) = &mut self.walker {
                walker.advance(&self.contexts, extra as i64);
                self.start_iv = *walker.iv();
            }
        }
        self.previous = Some(code);
        if alone {
            // Nothing else belongs to this iteration; what follows starts a path of its own.
            self.node = None;
            return at + record.len();
        }
        // The last iteration goes on with other blocks: its words are those of the last iteration.
        self.pending = block.folded.as_ref().map_or_else(|| record.to_vec(), |f| f.at(record, extra));
        at + record.len()
    }

    fn special(&mut self, special: &Special) {
        // What a system call does to memory can be repeated like anything else.
        if !matches!(special, Special::Effect { .. }) {
            self.interrupt();
        }
        match *special {
            Special::ThreadBase(base) => self.set_thread_base(base),
            Special::Effect { ranges, .. } => self.effect(ranges),
            Special::Partial { block, iterations, instructions, words } => {
                self.partial(block, iterations, instructions, words);
            }
            Special::Signal { handler, .. } => {
                self.signals.delivered(handler, self.away.take());
            }
            Special::Resume(pc) => self.signals.returned(pc),
            Special::Outside(outside) => self.leave(outside),
            Special::Handed { function, stacked, digest, depends } => {
                self.handed(function, (stacked, digest), depends);
            }
            Special::End => self.end_thread(),
            Special::Closed => {
                if let Some(walker) = &mut self.walker {
                    walker.is_closed = true;
                }
            }
            Special::Gap { instructions, stack } => {
                self.mark_unfinished_here();
                if let Some(walker) = &mut self.walker {
                    walker.is_closed = false;
                }
                self.unrecorded = self.unrecorded.saturating_add(instructions);
                self.previous = None;
                self.registers.forget();
                // The return address lies at the stack pointer, the frame begins above it.
                self.entry = Some(stack.wrapping_add(8));
            }
        }
    }

    /// Memory that a system call, or a function by its contract, touched: a statement of its own at the current vector.
    fn effect(&mut self, ranges: &[u64]) {
        if self.tracing.is_some() {
            return;
        }
        let (Some(code), Some(walker)) = (self.previous, &self.walker) else { return };
        let id = self.instances.intern(walker.context(), code, &self.codes);
        let is_begun = |range: &Touched| matches!(range.mark, Mark::Allocated | Mark::Resized);
        // What begins is there before it is written to, what ends after it was.
        if touched(ranges).any(|range| is_begun(&range)) {
            let calls: Vec<u64> = walker.frames().iter().rev().map(|frame| frame.return_pc).collect();
            let site = self.sites.of(&self.image, calls.iter().copied());
            for Touched { start, length, mark, .. } in touched(ranges).filter(is_begun) {
                self.happens(
                    Happening::Allocated { is_new: mark == Mark::Allocated },
                    &[start, length, site],
                );
            }
        }
        self.happens(Happening::Effect(id), ranges);
        for range in touched(ranges).filter(|range| range.mark == Mark::Freed) {
            self.happens(Happening::Freed, &[range.start]);
        }
    }

    /// A block that a fault interrupted.
    fn partial(&mut self, block: u32, iterations: u64, instructions: u64, words: &[u64]) {
        let Some(code) = self.codes.of_header(u64::from(block)) else {
            // Recorders describe blocks before they run.
            self.malformed += 1;
            return;
        };
        let block = Arc::clone(self.codes.get(code));
        if !block.parts.is_empty() {
            let mut record = vec![u64::from(block.id)];
            record.extend_from_slice(words);
            record.resize(record.len().max(usize::from(block.words)), 0);
            return self.partial_parts(&block, iterations, instructions, &record);
        }
        self.step(code, block.pc, &[]);
        let (Some(walker), Some(_)) = (&self.walker, self.node) else { return };
        let (context, iv) = (walker.context(), *walker.iv());
        let mut record = vec![u64::from(block.id)];
        record.extend_from_slice(words);
        let id = self.instances.intern(context, code, &self.codes);
        let instance = *self.instances.get(id);
        let dims = self.contexts.get(context).dims;
        let mut operands = std::mem::take(&mut self.operands);
        for t in 0..=iterations {
            operands.clear();
            let moved = block.folded.as_ref().map_or_else(|| record.clone(), |f| f.at(&record, t));
            for (i, operand) in block.operands.iter().enumerate() {
                if t == iterations && u64::from(operand.instr) >= instructions {
                    break;
                }
                if let Some(base) = address(&operand.address, &moved, self.thread_base) {
                    operands.push(Operand {
                        stmt: instance.first + instance.statements + i as u32,
                        write: operand.access == trace::block::Access::Write,
                        base,
                        stride: 0,
                        size: u32::from(operand.size),
                    });
                }
            }
            let iv = match dims.checked_sub(1) {
                Some(lane) => iv.advanced(usize::from(lane), t as i64),
                None => iv,
            };
            self.accesses += operands.len() as u64;
            self.main_accesses.add(OwnAccesses::of(self.codes.brief(code), operands.len()), 1);
            self.record(&Record { iv, lane: None, count: 1, operands: &operands });
            let ran = if t == iterations { instructions as usize } else { block.instrs.len() };
            self.instructions += block.count_to(ran);
        }
        self.operands = operands;
        self.node = None;
        self.pending.clear();
        self.previous = None;
        self.torn = Some((block.pc, block.end));
    }

    /// Whether an allocator is under way.
    pub(crate) fn is_allocating(&self) -> bool {
        !self.allocations.is_empty() || self.fresh.is_some()
    }

    /// Whether the function that begins at an address is an allocator, as far as is known.
    pub(crate) fn may_allocate(&self, pc: u64) -> bool {
        self.allocator_at.get(&pc).is_none_or(Option::is_some)
    }

    /// Follows allocators: sizes at their entry, results at their return.
    fn allocation(&mut self, block: &Block, record: &[u64]) {
        let Some(walker) = &self.walker else { return };
        let depth = walker.frames().len();
        let word = |at: u16| record.get(usize::from(at)).copied().unwrap_or(0);
        if let Some(arguments) = block.arguments
            && walker.frames().last().is_some_and(|f| f.entry == block.pc)
        {
            let image = &self.image;
            let kind = *self
                .allocator_at
                .entry(block.pc)
                .or_insert_with(|| image.function(block.pc).and_then(|s| allocator(&s.name)));
            // Only the outermost allocator counts: calloc may call malloc.
            self.allocations.retain(|a| a.depth < depth);
            if let Some(kind) = kind
                && self.allocations.is_empty()
            {
                let (a, b) = (word(arguments[0]), word(arguments[1]));
                let calls = walker.frames().iter().rev().map(|frame| frame.return_pc);
                let site = self.sites.of(&self.image, calls);
                let size = kind.size(a, b);
                if matches!(kind, Allocator::Free | Allocator::Resize) {
                    self.happens(Happening::Freed, &[a]);
                }
                self.allocations.push(Allocation { depth, kind, size, site });
            }
        }
        if let Some(result) = block.result
            && let Some(&top) = self.allocations.last()
            && depth <= top.depth
        {
            self.allocations.pop();
            let start = word(result);
            if depth == top.depth && start != 0 && top.kind != Allocator::Free {
                self.fresh = Some((start, top));
            }
        }
    }
}

/// Whether two symbols are parts of one function that the compiler has split.
fn are_parts(a: &str, b: &str) -> bool {
    let whole = |name: &'_ str| name.split_once(".cold").map_or(name.len(), |(whole, _)| whole.len());
    a.len() != b.len() && a[..whole(a)] == b[..whole(b)]
}

/// Cuts a byte range into operands of a size the memory takes.
pub(crate) fn pieces(start: u64, length: u64, stmt: u32, write: bool, out: &mut Vec<Operand>) {
    let mut at = start;
    let mut left = length.min(1 << 32);
    while left > 0 {
        let size = left.min(4096);
        out.push(Operand { stmt, write, base: at, stride: 0, size: size as u32 });
        at = at.wrapping_add(size);
        left -= size;
    }
}
