//! What runtimes of OpenMP are asked to do with tasks, and which of the tasks that were made is the one that a thread begins.
//!
//! Definition: each thread, and each task that has a tree of contexts of its own, is in one task at a time, the innermost of those that it has begun
//! ([`crate::strands`]). Calls of the runtime begin its next strand. What they are handed in memory comes in a record behind that of the call
//! ([`trace::stream::Special::Handed`]).
//!
//! Which task begins: `libomp` hands its function the block that it has made for it (`kmp_task_t`), `libgomp` a copy of the data that it was given. Either
//! the function that copies these is recorded, and says where to, or the bytes are the same. Of several that wait with the same function and the
//! same bytes the oldest of the one that waits for its own is taken, or the oldest of all: they do the same.
//!
//! Limits: tasks of a `taskloop` are known by their function alone; where several loops with one function are under way, by different
//! tasks, which one it is of is not known. A task that is fulfilled by an event may be ordered by it, which is not followed.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;
use trace::depends::Mode;
use trace::sink::Handing;

use crate::strands::{Making, Span, Strand, Strands, TaskId};

/// What a call of a runtime does about tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Call {
    /// `GOMP_task(function, data, copies, bytes, _, is deferred, flags, depend, …)`.
    Makes,
    /// `GOMP_taskloop(function, data, copies, bytes, _, flags, …)`.
    MakesLoop,
    /// `__kmpc_omp_task(_, _, block)`.
    Queues,
    /// `__kmpc_omp_task_with_deps(_, _, block, count, depends, …)`.
    QueuesBehind,
    /// `__kmpc_taskloop(_, _, block, is deferred, …)`.
    QueuesLoop,
    /// `__kmpc_omp_task_begin_if0(_, _, block)`: its code comes next.
    Begins,
    /// `__kmpc_omp_task_complete_if0`.
    Ends,
    /// It waits for all that the task has made.
    Waits,
    /// It waits for those of them that something depends on.
    WaitsFor,
    /// It opens a group.
    Opens,
    /// It closes one.
    Closes,
    /// It orders tasks in a way that is not followed.
    Orders,
}

fn call(name: &str) -> Option<Call> {
    Some(match name.split('@').next().unwrap_or(name) {
        "GOMP_task" => Call::Makes,
        "GOMP_taskloop" | "GOMP_taskloop_ull" => Call::MakesLoop,
        "__kmpc_omp_task" => Call::Queues,
        "__kmpc_omp_task_with_deps" => Call::QueuesBehind,
        "__kmpc_taskloop" | "__kmpc_taskloop_5" => Call::QueuesLoop,
        "__kmpc_omp_task_begin_if0" => Call::Begins,
        "__kmpc_omp_task_complete_if0" => Call::Ends,
        "GOMP_taskwait" | "__kmpc_omp_taskwait" => Call::Waits,
        "GOMP_taskwait_depend" | "__kmpc_omp_wait_deps" | "__kmpc_omp_taskwait_deps_51" => Call::WaitsFor,
        "GOMP_taskgroup_start" | "__kmpc_taskgroup" => Call::Opens,
        "GOMP_taskgroup_end" | "__kmpc_end_taskgroup" => Call::Closes,
        "__kmpc_task_allow_completion_event" | "omp_fulfill_event" => Call::Orders,
        _ => return None,
    })
}

/// What a function of a runtime is handed in memory, by its name.
pub fn handing(name: &str) -> Option<Handing> {
    Some(match name.split('@').next().unwrap_or(name) {
        "GOMP_task" => Handing::Task,
        "GOMP_taskwait_depend" => Handing::List,
        "__kmpc_omp_task_with_deps" => Handing::Array { count: 3 },
        "__kmpc_omp_wait_deps" | "__kmpc_omp_taskwait_deps_51" => Handing::Array { count: 2 },
        _ => return None,
    })
}

/// `GOMP_TASK_FLAG_*` of GCC's `include/gomp-constants.h`.
pub mod flags {
    pub const FINAL: u64 = 1 << 1;
    pub const IF: u64 = 1 << 10;
    pub const NO_GROUP: u64 = 1 << 11;
    pub const DETACH: u64 = 1 << 13;
}

/// Bits of the flags of `__kmpc_omp_task_alloc` (`kmp_tasking_flags` in `openmp/runtime/src/kmp.h` of LLVM).
const KMP_FINAL: u64 = 1 << 1;

/// Tasks that a `taskloop` makes.
#[derive(Debug, Clone, Copy)]
enum Loop {
    /// All as this one, which stands for them.
    Like(TaskId),
    /// One after the other, by this one.
    Of(TaskId),
}

/// See the module.
#[derive(Debug, Default)]
pub struct Tasks {
    strands: Strands,
    calls: FxHashMap<u64, Call>,
    /// The call that a thread has come to, by its tree.
    asked: FxHashMap<u32, (u64, [u64; 6])>,
    /// The tasks that a thread is in, the innermost last, by its tree.
    current: FxHashMap<u32, Vec<TaskId>>,
    /// Calls of `GOMP_task` that a thread is in, by its tree: whether a task that it runs at once has begun by it.
    inside: FxHashMap<u32, Vec<bool>>,
    /// Threads that wait for what their own task has made, by tree.
    waits: FxHashMap<u32, TaskId>,
    /// What blocks of `libomp` are made for: the function of the task, and whether it is final.
    blocks: FxHashMap<u64, (u64, bool)>,
    /// Tasks that have not begun, by their blocks.
    queued: FxHashMap<u64, TaskId>,
    /// Tasks that have begun, by their blocks.
    running: FxHashMap<u64, TaskId>,
    /// Those that have not, by function and digest of their data.
    waiting: FxHashMap<(u64, u64), VecDeque<TaskId>>,
    /// The task for which a function is about to copy the data, by that function and the tree of the thread.
    copied: FxHashMap<(u64, u32), TaskId>,
    /// The function of the task that begins next, and a digest of its data.
    begun: Option<(u64, u64)>,
    /// Loops, by the function of their tasks.
    loops: FxHashMap<u64, Vec<Loop>>,
    /// The task that had a tree, by the tree and how many had it before.
    had: FxHashMap<(u32, i64), TaskId>,
}

impl Tasks {
    /// The function that begins at `pc` has this name.
    pub fn watches(&mut self, pc: u64, name: &str) -> bool {
        let found = call(name);
        self.calls.extend(found.map(|call| (pc, call)));
        found.is_some()
    }

    /// The strand that a thread is in.
    pub fn now(&self, tree: u32) -> Strand {
        self.strands.now(self.innermost(tree))
    }

    fn innermost(&self, tree: u32) -> TaskId {
        self.current.get(&tree).and_then(|all| all.last()).copied().unwrap_or(0)
    }

    /// A member of a team begins a region.
    pub fn begin_region(&mut self, tree: u32, span: Span) {
        let task = self.strands.implicit(span);
        self.current.insert(tree, vec![task]);
    }

    /// The tasks that a thread is in, for when it is back in them.
    pub fn all_of(&self, tree: u32) -> Vec<TaskId> {
        self.current.get(&tree).cloned().unwrap_or_default()
    }

    /// A thread is back in tasks.
    pub fn resume(&mut self, tree: u32, all: Vec<TaskId>) {
        self.current.insert(tree, all);
    }

    /// A member of a team has come to a barrier.
    pub fn barrier(&mut self, tree: u32, span: Span) {
        self.strands.barrier(self.innermost(tree), span);
        self.waits.remove(&tree);
    }

    /// All regions are over, and with them their tasks.
    pub fn forget(&mut self) {
        self.strands.forget();
        self.queued.clear();
        self.running.clear();
        self.waiting.clear();
        self.copied.clear();
        self.loops.clear();
    }

    /// A thread has ended, or the task that had its tree.
    pub fn end(&mut self, tree: u32) {
        self.current.remove(&tree);
        self.inside.remove(&tree);
        self.asked.remove(&tree);
        self.waits.remove(&tree);
    }

    /// A thread has called the function at `entry` with these integer arguments.
    pub fn asked(&mut self, tree: u32, entry: u64, arguments: &[u64]) {
        if let (true, Ok(arguments)) = (self.calls.contains_key(&entry), arguments.try_into()) {
            self.asked.insert(tree, (entry, arguments));
        }
    }

    /// A block has been made for a task with such flags that runs a function.
    pub fn allocated(&mut self, block: u64, flags: u64, function: u64) {
        self.blocks.insert(block, (function, flags & KMP_FINAL != 0));
    }

    /// What a thread has asked for, but for that for which a record tells more, happens; returns whether another strand begins.
    pub fn happens(&mut self, tree: u32) -> bool {
        let Some((entry, arguments)) = self.asked.get(&tree).copied() else { return false };
        let Some(&call) = self.calls.get(&entry) else { return false };
        if matches!(call, Call::Makes | Call::QueuesBehind | Call::WaitsFor) {
            return false;
        }
        self.asked.remove(&tree);
        self.waits.remove(&tree);
        let own = self.innermost(tree);
        let [first, _, block, fourth, _, last] = arguments;
        let (function, is_final) = self.blocks.get(&block).copied().unwrap_or_default();
        match call {
            Call::Makes | Call::QueuesBehind | Call::WaitsFor => {}
            // An untied task of `libomp` hands itself over where it may be suspended, and goes on when it is begun again.
            Call::Queues if own != 0 && self.running.get(&block) == Some(&own) => {
                self.queued.insert(block, own);
            }
            Call::Queues => {
                let making = Making { is_final, ..Making::default() };
                self.queue(own, block, &making);
            }
            Call::MakesLoop => {
                let is_grouped = last & flags::NO_GROUP == 0;
                let making = Making { is_final: last & flags::FINAL != 0, ..Making::default() };
                if is_grouped {
                    self.strands.open(own);
                }
                self.make_loop(own, first, &making, last & flags::IF == 0);
                if is_grouped {
                    self.strands.close(own);
                }
            }
            Call::QueuesLoop => {
                let making = Making { is_final, ..Making::default() };
                self.make_loop(own, function, &making, fourth as u32 == 0);
            }
            Call::Begins => {
                let making = Making { is_undeferred: true, is_final, ..Making::default() };
                self.begin_at_once(tree, &making);
            }
            Call::Ends => self.end_at_once(tree),
            Call::Waits => {
                self.strands.wait(own);
                self.waits.insert(tree, own);
            }
            Call::Opens => self.strands.open(own),
            Call::Closes => self.strands.close(own),
            Call::Orders => self.strands.lose(),
        }
        own != 0
    }

    /// What a function of a runtime that a thread has called, or that of a task which it is about to begin, is handed in memory; returns whether
    /// another strand begins. `stacked`: the first argument that lies on the stack.
    pub fn handed(
        &mut self,
        tree: u32,
        function: u64,
        (stacked, digest): (u64, u64),
        depends: &[u64],
    ) -> bool {
        let Some(&call) = self.calls.get(&function) else {
            self.begun = Some((function, digest));
            return false;
        };
        let Some((_, arguments)) = self.asked.remove(&tree).filter(|(entry, _)| *entry == function) else {
            return false;
        };
        self.waits.remove(&tree);
        let own = self.innermost(tree);
        let read: Option<Vec<(Mode, u64)>> =
            depends.chunks_exact(2).map(|own| Some((Mode::of_word(own[0])?, own[1]))).collect();
        if read.is_none() {
            self.strands.lose();
        }
        let depends = read.unwrap_or_default();
        match call {
            Call::Makes => {
                let [entry, _, copies, _, _, is_deferred] = arguments;
                if stacked & flags::DETACH != 0 {
                    self.strands.lose();
                }
                let is_undeferred = is_deferred as u8 == 0;
                let making = Making { depends, is_undeferred, is_final: stacked & flags::FINAL != 0 };
                self.inside.entry(tree).or_default().push(is_undeferred);
                if is_undeferred {
                    self.begin_at_once(tree, &making);
                    return own != 0;
                }
                match (self.strands.make(own, &making), copies) {
                    (0, _) => {}
                    (task, 0) => self.waiting.entry((entry, digest)).or_default().push_back(task),
                    (task, copies) => _ = self.copied.insert((copies, tree), task),
                }
            }
            Call::QueuesBehind => {
                let (_, is_final) = self.blocks.get(&arguments[2]).copied().unwrap_or_default();
                self.queue(own, arguments[2], &Making { depends, is_final, is_undeferred: false });
            }
            Call::WaitsFor => self.strands.wait_for(own, &depends),
            _ => {}
        }
        own != 0
    }

    fn queue(&mut self, maker: TaskId, block: u64, making: &Making) {
        match self.strands.make(maker, making) {
            0 => _ = self.queued.remove(&block),
            task => _ = self.queued.insert(block, task),
        }
    }

    fn make_loop(&mut self, maker: TaskId, function: u64, making: &Making, is_undeferred: bool) {
        let new = match is_undeferred || self.strands.is_final(maker) {
            true => Loop::Of(maker),
            false => Loop::Like(self.strands.make(maker, making)),
        };
        let strands = &self.strands;
        let maker_of = |own: &Loop| match *own {
            Loop::Of(maker) => maker,
            Loop::Like(model) => strands.maker(model),
        };
        let all = self.loops.entry(function).or_default();
        // Of one task one loop with a function is over before the next, but for those that nobody waits for.
        let is_open = |own: &Loop| {
            let is_of_another = maker_of(own) != maker;
            let is_ungrouped = matches!(*own, Loop::Like(model) if !strands.is_waited_for(model));
            strands.span(maker_of(own)) == strands.span(maker) && (is_of_another || is_ungrouped)
        };
        all.retain(is_open);
        all.push(new);
    }

    /// A thread begins a task that its own one makes and waits for; what runs next is that.
    fn begin_at_once(&mut self, tree: u32, making: &Making) {
        let own = self.innermost(tree);
        let before = self.strands.make(own, &Making { is_undeferred: true, ..making.clone() });
        self.current.entry(tree).or_default().push(before);
    }

    fn end_at_once(&mut self, tree: u32) {
        if let Some(all) = self.current.get_mut(&tree).filter(|all| all.len() > 1) {
            all.pop();
        }
    }

    /// The function of a runtime at `entry` has returned to a thread; returns whether that is in another strand by that.
    pub fn returned(&mut self, tree: u32, entry: u64) -> bool {
        self.waits.remove(&tree);
        if self.calls.get(&entry) != Some(&Call::Makes) {
            return false;
        }
        let is_over = self.inside.get_mut(&tree).and_then(Vec::pop) == Some(true);
        if is_over {
            self.end_at_once(tree);
        }
        is_over
    }

    /// A runtime enters the function at `entry`, which may be one that copies the data of a task to `to`.
    pub fn copies(&mut self, tree: u32, entry: u64, to: u64) {
        if let Some(task) = self.copied.remove(&(entry, tree)) {
            self.queued.insert(to, task);
        }
    }

    /// A thread begins to run the task whose function is at `entry`, in a tree of its own, which `had` others had before; returns where it was made, if that
    /// is known. `block`: which of the arguments it gets its data by.
    pub fn begin(
        &mut self,
        (tree, own, had): (u32, u32, i64),
        entry: u64,
        block: Option<u64>,
    ) -> Option<Span> {
        let begun = self.begun.take().filter(|begun| begun.0 == entry && begun.1 != 0);
        let queued = block.and_then(|block| self.queued.remove(&block));
        self.running.extend(block.zip(queued));
        let waiting = || -> Option<TaskId> {
            let all = self.waiting.get_mut(&begun?)?;
            let is_own = |task: &TaskId| {
                self.waits.get(&tree).is_some_and(|waits| self.strands.maker(*task) == *waits)
            };
            let at = all.iter().position(is_own).unwrap_or(0);
            all.remove(at)
        };
        let task = queued.or_else(waiting).or_else(|| self.begin_of_loop(entry)).unwrap_or(0);
        self.current.insert(own, vec![task]);
        self.had.insert((own, had), task);
        self.strands.span(task)
    }

    fn begin_of_loop(&mut self, entry: u64) -> Option<TaskId> {
        let all = self.loops.get(&entry)?;
        let &[own] = all.as_slice() else { return None };
        Some(match own {
            Loop::Like(model) => self.strands.make_like(model),
            Loop::Of(maker) => {
                let making = Making { is_undeferred: true, ..Making::default() };
                self.strands.make(maker, &making)
            }
        })
    }

    /// The strand in which something was executed in a tree that `had` others had before: `turn` is what its turn tells, which may be too late. The second is
    /// false if it may have been an earlier strand of the same task.
    pub fn of_tree(&self, (tree, had): (u32, i64), turn: Strand, is_late: bool) -> (Strand, bool) {
        let Some(&task) = self.had.get(&(tree, had)) else { return (turn, !is_late) };
        let last = match self.strands.now(task) {
            Strand { task: 0, .. } => Strand { task, index: 0 },
            last => last,
        };
        match task == turn.task {
            true => (turn, !is_late || last.index == 0),
            false => (last, last.index == 0),
        }
    }

    /// Between which barriers a strand is; `None` if it is over, or not known.
    pub fn span(&self, strand: Strand) -> Option<Span> {
        self.strands.span(strand.task)
    }

    /// Whether a strand is that of a task which a directive makes.
    pub fn is_explicit(&self, strand: Strand) -> bool {
        self.strands.is_explicit(strand.task)
    }

    /// Whether one strand happens before another one, or excludes it; `None` if that is not known.
    pub fn are_apart(&mut self, earlier: Strand, later: Strand) -> Option<bool> {
        if self.strands.exclude(earlier.task, later.task) {
            return Some(true);
        }
        self.strands.is_before(earlier, later)
    }
}
