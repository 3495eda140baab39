//! Threads: of which one the words are, and what belongs to each.
//!
//! Definition: the first thread's contexts are below the root. Every other one has a tree of its own, numbered from 1, below a
//! context that counts the threads which had that tree one after the other: it is free again when its thread has ended. So threads that run
//! together never share vectors, and those of one thread are in order.
//!
//! A task of OpenMP that a runtime runs is as a thread of its own: any member of its team might run it, and which one does is no matter of
//! what it does. What the thread was in that runs it is *suspended* meanwhile. As long as there is one thread alone, tasks are calls.
//!
//! Invariant: words come in the order in which they were executed, all threads together; memory is one for all.

use profile::Gap;
use rustc_hash::FxHashMap;
use shadow::Iv;
use trace::sink::ThreadId;
use trace::stream::Outside;

use super::{Allocation, Engine, outside, signals};
use crate::code::CodeId;
use crate::contexts::{ContextId, Contexts, Kind};
use crate::exchange::Exchange;
use crate::observer::observer;
use crate::registers::Registers;
use crate::teams::{Mark, Teams};
use crate::walker::Walker;

/// What belongs to one thread while the words are another's.
#[derive(Default)]
struct Thread {
    /// Number of its tree of contexts.
    tree: u32,
    walker: Option<Box<Walker>>,
    registers: Registers,
    previous: Option<CodeId>,
    thread_base: u64,
    call_slot: u64,
    entry: Option<u64>,
    away: Option<outside::Away>,
    allocations: Vec<Allocation>,
    fresh: Option<(u64, Allocation)>,
    signals: signals::Signals,
    torn: Option<(u64, u64)>,
    /// Where the return address of the task lies that was begun in its place.
    left_at: u64,
    suspended: Vec<Thread>,
}

/// Bytes below the frame of a task that its own frames may take.
const TASK_STACK: u64 = 1 << 18;

/// All threads.
#[derive(Default)]
pub(crate) struct Threads {
    /// The one whose words come, and its tree.
    current: ThreadId,
    pub(super) tree: u32,
    others: FxHashMap<ThreadId, Thread>,
    /// Trees whose threads have ended.
    free: Vec<u32>,
    /// Number of threads that each tree has had, by its number less 1.
    had: Vec<i64>,
    /// What thread-local addresses were relative to last, by tree.
    bases: FxHashMap<u32, u64>,
    /// What the thread whose words come was in before it began to run the tasks that are under way in it.
    suspended: Vec<Thread>,
    pub(crate) exchange: Exchange,
    pub(crate) teams: Teams,
    /// What the function means that was entered last, if it has not been looked at.
    pub(crate) mark: Option<Mark>,
}

impl Engine {
    /// Whether there has been another thread than the first.
    pub(crate) fn has_threads(&self) -> bool {
        self.threads.exchange.turn() > 0
    }

    /// Where threads are told apart: a loop, or blocks outside of loops, are executed from a vector on.
    pub(crate) fn note_turn(&mut self, path: u32, iv: &Iv) {
        if self.has_threads()
            && let Some(path) = self.paths.get(path)
        {
            self.threads.exchange.executes(path.innermost, &path.steps, iv);
        }
    }

    /// The words that come are those of a thread.
    pub(super) fn take_turn(&mut self, thread: ThreadId) {
        if thread == self.threads.current {
            return;
        }
        self.leave_verbatim();
        self.pass();
        let mut next = match self.threads.others.remove(&thread) {
            Some(thread) => thread,
            None => {
                let tree = self.threads.new_tree();
                self.threads.teams.runs_thread(tree);
                Thread { tree, ..Thread::default() }
            }
        };
        self.exchange_thread(&mut next);
        self.objects.resume(thread);
        self.objects.park(self.threads.current, next.walker.as_deref().map_or(&[], Walker::frames));
        self.threads.teams.turn(self.threads.exchange.turn(), self.threads.tree);
        let before = std::mem::replace(&mut self.threads.current, thread);
        self.threads.others.insert(before, next);
    }

    /// What was executed last is complete; what comes next is another thread's.
    fn pass(&mut self) {
        self.end_path(&[], 1);
        self.interrupt();
        self.mark_exchanges();
        let at = self.walker.as_ref().map(|walker| (walker.context(), walker.iv()));
        self.threads.exchange.pass(&self.contexts, self.threads.tree, at);
    }

    /// Whether the thread whose words come runs a task that has a tree of its own.
    pub(super) fn is_in_task(&self) -> bool {
        !self.threads.suspended.is_empty()
    }

    /// Control comes back from a runtime: a task may have ended, and another one begin.
    pub(super) fn pass_tasks(&mut self, outside: &Outside) {
        // That of the runtime, and the task's own.
        let is_outermost = self.walker.as_ref().is_some_and(|walker| walker.frames().len() <= 2);
        if self.is_in_task() && self.has_returned() && is_outermost {
            self.end_task();
        }
        // One that has left by a jump to the runtime is over when that is back above where it began, or enters another one there.
        while self.threads.suspended.last().is_some_and(|own| outside.stack >= own.left_at) {
            self.end_task();
        }
        if !outside.entered {
            return;
        }
        let has_strands = self.has_threads();
        let teams = &mut self.threads.teams;
        teams.enters(self.threads.tree, outside.result, outside.arguments);
        if has_strands && teams.is_task(self.threads.tree, outside.result) {
            self.suspend(outside);
            self.forget_frames(outside.stack);
        }
    }

    /// Begins a task in the place of what the thread is in.
    fn suspend(&mut self, task: &Outside) {
        self.pass();
        let base = self.thread_base;
        let (parked, frames) = (self.threads.place(), self.walker.as_deref().map_or(&[][..], Walker::frames));
        self.objects.park(parked, frames);
        let at = frames.last().map_or(0, |frame| frame.entry);
        let mut own = Thread { tree: self.threads.new_tree(), ..Thread::default() };
        let trees = (self.threads.tree, own.tree, self.threads.had_before(own.tree));
        self.threads.teams.runs_task(trees, task.result, task.arguments);
        self.exchange_thread(&mut own);
        self.threads.suspended = std::mem::take(&mut own.suspended);
        own.left_at = task.stack;
        self.threads.suspended.push(own);
        self.set_thread_base(base);
        self.threads.teams.turn(self.threads.exchange.turn(), self.threads.tree);
        // What runs it is no activation of the function that the thread has called: tasks may call that as well.
        let at = at.wrapping_add(1);
        let function = self.functions.at(at);
        self.begin_in(function, at);
    }

    /// The task that was begun last is over.
    fn end_task(&mut self) {
        self.pass();
        let stack = self.walker.as_ref().and_then(|walker| walker.frames().last()).map(|frame| frame.cfa);
        self.forget_frames(stack.unwrap_or(0));
        self.end_thread();
        let Some(mut before) = self.threads.suspended.pop() else { return };
        before.suspended = std::mem::take(&mut self.threads.suspended);
        self.exchange_thread(&mut before);
        let parked = self.threads.place();
        self.objects.resume(parked);
        self.threads.teams.turn(self.threads.exchange.turn(), self.threads.tree);
    }

    /// Frames below an address are those of another task from now on.
    fn forget_frames(&mut self, stack: u64) {
        if let Some(walker) = &self.walker {
            let observer = observer!(self, walker);
            self.memory.forget(stack.saturating_sub(TASK_STACK), stack, &observer);
        }
    }

    fn exchange_thread(&mut self, other: &mut Thread) {
        use std::mem::swap;
        swap(&mut self.threads.tree, &mut other.tree);
        swap(&mut self.walker, &mut other.walker);
        swap(&mut self.registers, &mut other.registers);
        swap(&mut self.previous, &mut other.previous);
        swap(&mut self.thread_base, &mut other.thread_base);
        self.objects.thread_base = self.thread_base;
        swap(&mut self.call_slot, &mut other.call_slot);
        swap(&mut self.entry, &mut other.entry);
        swap(&mut self.away, &mut other.away);
        swap(&mut self.allocations, &mut other.allocations);
        swap(&mut self.fresh, &mut other.fresh);
        swap(&mut self.signals, &mut other.signals);
        swap(&mut self.torn, &mut other.torn);
        swap(&mut self.threads.suspended, &mut other.suspended);
        (self.last_path, self.way) = (None, None);
    }

    /// The thread whose words come has ended: another one may have its tree.
    pub(super) fn end_thread(&mut self) {
        self.walker = None;
        self.previous = None;
        self.registers = Registers::default();
        self.allocations.clear();
        self.threads.teams.end(self.threads.tree);
        if self.threads.tree > 0 {
            self.threads.free.push(self.threads.tree);
        }
    }

    /// If a function was entered that means something for teams; all that was executed before has been applied, its own first block has not.
    pub(super) fn marked(&mut self) {
        let Some(mark) = self.threads.mark.take() else { return };
        let Some(walker) = &self.walker else { return };
        let is_task = self.is_in_task();
        let tree = self.threads.tree;
        let (context, iv) = (walker.context(), walker.iv());
        let teams = &mut self.threads.teams;
        match mark {
            Mark::Forks => return teams.fork(tree),
            Mark::Orders => return teams.orders(tree),
            Mark::Tasks => {
                if teams.tasks(tree) {
                    self.begin_strand();
                }
                return;
            }
            Mark::Locks => {
                if teams.locks(tree) {
                    self.begin_strand();
                }
                return;
            }
            Mark::Task => return teams.begin_task(walker.function()),
            Mark::Copies => teams.copies(tree),
            Mark::Combines => teams.combines(tree, true),
            Mark::HasCombined => teams.combines(tree, false),
            Mark::Barrier => {
                let loops = self.contexts.loops(context);
                teams.barrier(tree, &self.contexts, &loops);
                self.threads.exchange.refine(loops);
            }
            Mark::Region => {
                // Inside of another one it is a task, unless a region has just begun. What began it may have left by a jump to the library.
                let mut callers = walker.frames().iter().rev().skip(1);
                if !teams.is_forking(tree)
                    && (is_task || callers.any(|frame| teams.mark(frame.entry) == Some(Mark::Region)))
                {
                    return teams.begin_task(walker.function());
                }
                let chain = self.contexts.chain(context).into_iter().rev();
                let site = chain.map(|own| self.contexts.get(own).kind).find_map(|kind| match kind {
                    Kind::Call { site, .. } => Some(site),
                    _ => None,
                });
                teams.begin(tree, walker.function(), site);
            }
        }
        self.threads.begin_phase(&self.contexts, Some((context, iv)));
    }

    /// What a function is handed in memory that has to do with tasks; what came before has been applied.
    pub(super) fn handed(&mut self, function: u64, handed: (u64, u64), depends: &[u64]) {
        if self.threads.teams.handed(self.threads.tree, function, handed, depends) {
            self.begin_strand();
        }
    }

    /// What comes next is another strand of a task.
    fn begin_strand(&mut self) {
        let at = self.walker.as_ref().map(|walker| (walker.context(), walker.iv()));
        let threads = &mut self.threads;
        if let Some((context, _)) = at {
            threads.exchange.refine(self.contexts.loops(context));
        }
        threads.begin_turn(&self.contexts, at);
    }

    /// What comes next is in another phase of a team.
    pub(super) fn begin_phase(&mut self, walker: &Walker) {
        self.threads.begin_phase(&self.contexts, Some((walker.context(), walker.iv())));
    }

    /// Nothing is claimed about loops that exchange data with other threads.
    pub(crate) fn mark_exchanges(&mut self) {
        for context in self.threads.exchange.marks() {
            self.contexts.mark_gap(context, Gap::Threads);
        }
    }

    /// What thread-local addresses are relative to from now on.
    pub(super) fn set_thread_base(&mut self, base: u64) {
        self.thread_base = base;
        self.objects.thread_base = base;
        self.threads.bases.insert(self.threads.tree, base);
    }

    /// What thread-local addresses in a context were relative to last.
    pub(crate) fn thread_base_in(&self, context: crate::contexts::ContextId) -> u64 {
        self.threads.bases.get(&self.contexts.get(context).thread).copied().unwrap_or(0)
    }

    /// Where the contexts of the thread whose words come begin, and with which vector.
    pub(super) fn root(&mut self) -> (crate::contexts::ContextId, Iv) {
        let tree = self.threads.tree;
        if tree == 0 {
            return (0, Iv::ZERO);
        }
        let mut iv = Iv::ZERO;
        iv.0[0] = self.threads.had_before(tree);
        let root = self.contexts.child(0, Kind::Thread { tree });
        // It counts threads as a loop does iterations, and of all that they do.
        self.threads.exchange.refine([root]);
        (root, iv)
    }
}

impl Threads {
    /// Where the threads are whose words do not come now.
    pub(super) fn walkers(&self) -> impl Iterator<Item = &Walker> {
        self.others.values().filter_map(|thread| thread.walker.as_deref())
    }

    /// What comes next is in another phase, from a vector of a context on.
    fn begin_phase(&mut self, contexts: &Contexts, at: Option<(ContextId, &Iv)>) {
        match self.exchange.turn() {
            0 => self.teams.turn(0, self.tree),
            _ => self.begin_turn(contexts, at),
        }
    }

    /// What comes next is another turn, from a vector of a context on.
    fn begin_turn(&mut self, contexts: &Contexts, at: Option<(ContextId, &Iv)>) {
        self.exchange.pass(contexts, self.tree, at);
        self.teams.turn(self.exchange.turn(), self.tree);
    }

    /// The number under which the frames of what is suspended next are known: no thread has it.
    fn place(&self) -> ThreadId {
        !(self.current << 8 | (self.suspended.len() as ThreadId & 0xff))
    }

    /// How many threads, or tasks, had a tree before the one that has it.
    fn had_before(&self, tree: u32) -> i64 {
        let had = (tree as usize).checked_sub(1).and_then(|at| self.had.get(at));
        had.map_or(0, |had| had - 1)
    }

    /// A tree for a new thread.
    fn new_tree(&mut self) -> u32 {
        let tree = self.free.pop().unwrap_or_else(|| {
            self.had.push(0);
            self.had.len() as u32
        });
        if let Some(had) = self.had.get_mut(tree as usize - 1) {
            *had += 1;
        }
        tree
    }
}
