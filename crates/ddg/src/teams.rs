//! Parallel regions of OpenMP: what the members of a team do to one another's data.
//!
//! Definition: compilers make a function of a parallel region (GCC `f._omp_fn.0`, clang `f.omp_outlined`), which all members of a team
//! run. Accesses of two members between the same two barriers of one execution of a region are *unordered* (OpenMP Application
//! Programming Interface, version 5.2, section 1.4.1). A dependence between them whose ends lie in one loop of the region is carried by that
//! loop: it is what iterations pass on that one thread would have run one after the other.
//!
//! Phases: of each thread the number of the region that it runs and of the barriers that it has come to in it; by turns of
//! [`Exchange`](crate::exchange::Exchange), so that the phase of what was executed earlier is known as well.
//!
//! A dependence between them whose ends lie in no such loop is one that nothing orders either, but for a lock: two loops without a barrier
//! between them, what one member alone does and another reads.
//!
//! Tasks are functions of their own as well, which any member may run, at barriers too; each has a tree of contexts of its own
//! ([`crate::engine`]). What orders them between two barriers is the module [`strands`](crate::strands)'; where that is not known, what a task and
//! another thread of its region do is listed whatever lies between, for who reads the text ([`Unordered`]).
//!
//! Limits: regions inside of regions are ordered as far as is known here; a region of one member before the second thread began
//! counts as the region after it. Loops of the region with a barrier inside share out nothing, and carry nothing of this. Of regions with
//! what else orders members in ways that are not followed ([`Mark::Orders`]) loops alone are looked at.

use profile::{Exclusion, Kind, TaskOrder};
use rustc_hash::{FxHashMap, FxHashSet};
use shadow::{DependenceRun, Iv};

use crate::contexts::{ContextId, Contexts, FunctionId, Kind as ContextKind};
use crate::locks::{LockSet, Locks, is_of_locks};
use crate::objects::ObjectId;
use crate::strands::{Span, Strand, TaskId};
pub use crate::tasks::handing;
use crate::tasks::{Tasks, flags};

/// What entering a function means for teams.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// A region begins: what comes next runs in all members.
    Forks,
    /// A member has come to a barrier.
    Barrier,
    /// A member begins to run a region, or a task.
    Region,
    /// A member begins to run a task.
    Task,
    /// A member makes tasks or waits for them.
    Tasks,
    /// One member begins what it hands copies of to all others, which wait for these: they are ordered until the barrier behind it.
    Copies,
    /// A member begins what runtimes let one member do at a time: it combines its part of a reduction with the others'.
    Combines,
    /// It has done so.
    HasCombined,
    /// A member takes a lock, or gives it back.
    Locks,
    /// Members are ordered in a way that is not followed: by iterations that wait for others, by what one broadcasts.
    Orders,
}

/// What a function of a runtime has to do with the blocks of memory in which tasks have their own data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Blocks {
    /// It copies one for the task: `GOMP_task(function, data, copies, bytes, …)`, where `copies(to, from)` is 0 or copies.
    Copies {
        /// The same for the tasks of a loop: `GOMP_taskloop`.
        is_loop: bool,
    },
    /// It makes one: `__kmpc_omp_task_alloc(_, _, _, bytes, more bytes, function)`.
    Makes,
}

/// A block for a task that a thread has asked for.
#[derive(Debug, Clone, Copy)]
struct Making {
    /// The function that makes it.
    by: u64,
    bytes: u64,
    flags: u64,
    /// That of the task.
    function: u64,
}

/// The part of an execution in which members of a team are not ordered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Phase {
    /// Number of the region, from 1; 0 outside of all.
    region: u32,
    barriers: u32,
    /// Members are ordered in a way that is not followed until the next barrier.
    is_unclear: bool,
    /// The runtime lets no other member do at the same time what is so as well.
    is_guarded: bool,
    /// The part of a task.
    strand: Strand,
    /// The locks that it holds.
    locks: LockSet,
}

impl Phase {
    fn span(&self) -> Span {
        Span { region: self.region, barriers: self.barriers }
    }
}

/// Where something was executed that is one end of a dependence.
#[derive(Debug, Clone, Copy)]
pub struct End {
    /// The turn; of one that was executed earlier the latest that it may have been.
    pub turn: u32,
    /// The turn may be too late.
    pub is_late: bool,
    /// The tree of contexts, and how many threads or tasks had it before.
    pub had: (u32, i64),
}

/// What is known of two things that were executed one after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    /// The first has to come before the second, or they exclude each other.
    Ordered,
    Unordered,
    /// Tasks may order them.
    Unknown,
}

/// All unordered dependences of one kind between two operands.
#[derive(Debug, Clone)]
pub struct Unordered {
    /// Instances.
    pub count: u64,
    /// One instance: vectors and address.
    pub source_iv: Iv,
    /// See `source_iv`.
    pub sink_iv: Iv,
    /// See `source_iv`.
    pub address: u64,
    /// What it passes through, with the offset of the first instance.
    pub object: Option<(ObjectId, i64)>,
    /// Its ends lie in one loop of the region, which carries it.
    pub is_carried: bool,
    /// Number of the region of the first instance.
    region: u32,
    /// Contexts of its ends.
    ends: [ContextId; 2],
    /// Nothing orders the ends of the first instance.
    is_certain: bool,
    /// Of the ends, those that lie in tasks.
    are_in_tasks: [bool; 2],
    /// One of the ends lies in a task, or may.
    is_of_tasks: bool,
    /// Whether locks have them exclude each other: what is least so of all instances of which as much is known.
    pub exclusion: Exclusion,
}

impl Unordered {
    /// What is known of its order, if one of its ends lies in a task.
    pub fn task_order(&self) -> Option<TaskOrder> {
        let known = if self.is_certain { TaskOrder::Unordered } else { TaskOrder::Unknown };
        self.is_of_tasks.then_some(known)
    }
}

/// See the module.
#[derive(Debug, Default)]
pub struct Teams {
    /// Entries of functions that mean something.
    marks: FxHashMap<u64, Mark>,
    /// The latest region.
    region: u32,
    /// The phases, and tasks, that threads were in when they began the regions that they are in, by tree.
    before: FxHashMap<u32, Vec<(Phase, Vec<TaskId>)>>,
    /// The thread that has begun it, as long as it does not run its function.
    forking: Option<u32>,
    /// Functions of regions, which a member of a team was seen to be started with.
    regions: FxHashSet<FunctionId>,
    /// Blocks that call them: a function of a region may leave by a jump to another one at once.
    sites: FxHashSet<u64>,
    /// The phase of each thread, by its tree of contexts.
    now: FxHashMap<u32, Phase>,
    /// The phase of the thread that had a turn, by turn.
    turns: Vec<Phase>,
    /// Regions whose members are ordered in ways that are not followed.
    unclear: FxHashSet<u32>,
    /// Regions with tasks.
    with_tasks: FxHashSet<u32>,
    /// Functions of runtimes that have to do with blocks of tasks, by entry.
    blocks: FxHashMap<u64, Blocks>,
    /// Functions that are handed such a block, by entry: which of their arguments it is, and its bytes.
    handed: FxHashMap<u64, (usize, u64)>,
    /// Functions of tasks that runtimes may run whenever they like, by entry.
    tasks: FxHashSet<u64>,
    /// The task that a thread, by its tree, runs at once, as it has to.
    at_once: FxHashMap<u32, u64>,
    /// The tree of the thread that a task's tree is run by.
    hosts: FxHashMap<u32, u32>,
    /// What a thread has asked for a block, by its tree.
    makes: FxHashMap<u32, Making>,
    /// What is known of each task.
    known: Tasks,
    /// What is known of locks.
    locks: Locks,
    /// Functions that compilers have made of regions and tasks, as far as they ran.
    outlined: FxHashSet<FunctionId>,
    /// Loops with a barrier inside, by function and header.
    barred: FxHashSet<(FunctionId, u64)>,
    unordered: FxHashMap<(Kind, u32, u32), Option<Unordered>>,
}

/// What entering a function of this name means.
fn mark(name: &str) -> Option<Mark> {
    let name = name.split('@').next().unwrap_or(name);
    const FORKS: [&str; 2] = ["__kmpc_fork_call", "__kmpc_fork_call_if"];
    const BARRIERS: [&str; 9] = [
        "GOMP_barrier",
        "GOMP_barrier_cancel",
        "GOMP_loop_end",
        "GOMP_loop_end_cancel",
        "GOMP_sections_end",
        "GOMP_sections_end_cancel",
        "GOMP_workshare_task_reduction_unregister",
        "__kmpc_barrier",
        // All members call it, and wait for one another in it.
        "__kmpc_copyprivate",
    ];
    const TASKS: [&str; 5] =
        ["GOMP_task", "__kmpc_omp_task", "__kmpc_task", "__kmpc_omp_wait_deps", "__kmpc_end_taskgroup"];
    const ORDERS: [&str; 3] = ["GOMP_doacross", "GOMP_target", "__kmpc_doacross"];
    match name {
        "GOMP_single_copy_start" => Some(Mark::Copies),
        "__kmpc_reduce" | "__kmpc_reduce_nowait" | "GOMP_atomic_start" => Some(Mark::Combines),
        "__kmpc_end_reduce" | "__kmpc_end_reduce_nowait" | "GOMP_atomic_end" => Some(Mark::HasCombined),
        _ if is_of_locks(name) => Some(Mark::Locks),
        _ if TASKS.iter().any(|own| name.starts_with(own)) => Some(Mark::Tasks),
        _ if ORDERS.iter().any(|own| name.starts_with(own)) => Some(Mark::Orders),
        _ if FORKS.contains(&name) || name.starts_with("GOMP_parallel") && !name.ends_with("_end") => {
            Some(Mark::Forks)
        }
        _ if BARRIERS.contains(&name) => Some(Mark::Barrier),
        _ if name.contains(".omp_task_entry") => Some(Mark::Task),
        _ if name.contains("._omp_fn.") || name.contains(".omp_outlined") => Some(Mark::Region),
        _ => None,
    }
}

impl Teams {
    /// Whether a block is the entry of a function that means something; `name`: that of the function that begins there.
    pub fn watches(&mut self, pc: u64, name: &str) -> bool {
        let found = mark(name);
        self.marks.extend(found.map(|mark| (pc, mark)));
        let blocks = match name.split('@').next().unwrap_or(name) {
            "__kmpc_omp_task_alloc" => Some(Blocks::Makes),
            "GOMP_task" => Some(Blocks::Copies { is_loop: false }),
            "GOMP_taskloop" | "GOMP_taskloop_ull" => Some(Blocks::Copies { is_loop: true }),
            _ => None,
        };
        self.blocks.extend(blocks.map(|blocks| (pc, blocks)));
        let is_of_tasks = self.known.watches(pc, name);
        self.locks.watches(pc, name);
        found.is_some() || blocks.is_some() || is_of_tasks
    }

    /// A thread has called a function of a runtime, with these integer arguments.
    pub fn asked(&mut self, tree: u32, entry: u64, arguments: &[u64]) {
        self.known.asked(tree, entry, arguments);
        self.locks.asked(tree, entry, arguments);
        match (self.blocks.get(&entry), arguments) {
            (Some(&Blocks::Copies { is_loop }), &[function, _, copies, bytes, _, last]) => {
                let of = if copies == 0 { function } else { copies };
                self.handed.insert(of, (0, bytes));
                self.tasks.insert(function);
                // What its `if` clause says: by itself, or among the flags.
                let may_wait = if is_loop { last & flags::IF != 0 } else { last as u8 != 0 };
                match may_wait {
                    false => self.at_once.insert(tree, function),
                    true => self.at_once.remove(&tree),
                };
            }
            (Some(Blocks::Makes), &[_, _, flags, bytes, more, function]) => {
                let bytes = bytes.saturating_add(more);
                self.handed.insert(function, (1, bytes));
                self.tasks.insert(function);
                self.makes.insert(tree, Making { by: entry, bytes, flags, function });
            }
            _ => {}
        }
    }

    /// Whether the function at `entry` is that of a task which a runtime runs in a thread because it is there.
    pub fn is_task(&self, tree: u32, entry: u64) -> bool {
        self.tasks.contains(&entry) && self.at_once.get(&tree) != Some(&entry)
    }

    /// A thread begins to run the task whose function is at `entry`, which gets a tree of its own that `had` others had before.
    pub fn runs_task(&mut self, (tree, own, had): (u32, u32, i64), entry: u64, arguments: [u64; 2]) {
        self.hosts.insert(own, self.host(tree));
        let block = self.block_of(entry, arguments).map_or(arguments[0], |(block, _)| block);
        let span = self.known.begin((tree, own, had), entry, Some(block));
        if let Some(&host) = self.now.get(&tree) {
            let span = span.unwrap_or_else(|| host.span());
            let new = Phase { region: span.region, barriers: span.barriers, ..Phase::default() };
            self.now.insert(own, new);
        }
    }

    /// A runtime enters the function at `entry` with these arguments.
    pub fn enters(&mut self, tree: u32, entry: u64, arguments: [u64; 2]) {
        self.known.copies(tree, entry, arguments[0]);
    }

    /// What a function is handed in memory ([`trace::stream::Special::Handed`]); returns whether another strand begins.
    pub fn handed(&mut self, tree: u32, function: u64, handed: (u64, u64), depends: &[u64]) -> bool {
        self.known.handed(tree, function, handed, depends)
    }

    /// A thread gets a tree, which a task may have had.
    pub fn runs_thread(&mut self, tree: u32) {
        if let Some(host) = self.hosts.get_mut(&tree) {
            *host = tree;
        }
    }

    /// Whether tasks have had trees of their own.
    #[inline]
    pub fn have_run_tasks(&self) -> bool {
        !self.hosts.is_empty()
    }

    /// The tree of the thread that runs what has a tree.
    fn host(&self, tree: u32) -> u32 {
        self.hosts.get(&tree).copied().unwrap_or(tree)
    }

    /// Whether one thread has run what has these trees.
    pub fn are_of_one_thread(&self, trees: [u32; 2]) -> bool {
        self.host(trees[0]) == self.host(trees[1])
    }

    /// The block of memory that the function at `entry`, which a runtime enters with these arguments, is handed: its address and bytes.
    pub fn block_of(&self, entry: u64, arguments: [u64; 2]) -> Option<(u64, u64)> {
        let &(nth, bytes) = self.handed.get(&entry)?;
        Some((*arguments.get(nth)?, bytes))
    }

    /// Bytes of the block that the function at `entry`, which has returned to a thread, has made.
    pub fn made(&mut self, tree: u32, entry: u64, block: u64) -> Option<u64> {
        let &Making { bytes, flags, function, .. } = self.makes.get(&tree).filter(|own| own.by == entry)?;
        self.makes.remove(&tree);
        self.known.allocated(block, flags, function);
        Some(bytes)
    }

    /// What entering the function that begins at an address means.
    pub fn mark(&self, pc: u64) -> Option<Mark> {
        if self.marks.is_empty() { None } else { self.marks.get(&pc).copied() }
    }

    /// A thread begins a region.
    pub fn fork(&mut self, tree: u32) {
        self.region = self.region.saturating_add(1);
        self.forking = Some(tree);
        let now = self.now.get(&tree).copied().unwrap_or_default();
        self.before.entry(tree).or_default().push((now, self.known.all_of(tree)));
    }

    /// The function at `entry` has returned `result` to a thread; returns whether that is in another phase by that.
    pub fn returns(&mut self, tree: u32, entry: u64, result: u64) -> bool {
        match self.mark(entry) {
            Some(Mark::Forks) => {}
            Some(Mark::Locks) => return self.locks.returned(tree, entry, result),
            _ => return self.known.returned(tree, entry),
        }
        let Some((before, tasks)) = self.before.get_mut(&tree).and_then(Vec::pop) else { return false };
        self.now.insert(tree, before);
        self.known.resume(tree, tasks);
        if self.before.values().all(Vec::is_empty) {
            self.known.forget();
        }
        true
    }

    /// Whether a thread has begun a region and does not run its function yet.
    pub fn is_forking(&self, tree: u32) -> bool {
        self.forking == Some(tree)
    }

    /// A thread begins to run the function of a region. If it has just begun one, it is that region's.
    pub fn begin(&mut self, tree: u32, function: FunctionId, site: Option<u64>) {
        if self.forking.take_if(|forking| *forking == tree).is_some() {
            self.regions.insert(function);
        }
        self.outlined.insert(function);
        self.sites.extend(site);
        if self.now.get(&tree).is_none_or(|phase| phase.region != self.region) {
            let new = Phase { region: self.region, ..Phase::default() };
            self.now.insert(tree, new);
            self.known.begin_region(tree, new.span());
        }
    }

    /// A thread begins to run a function that a compiler has made of a task.
    pub fn begin_task(&mut self, function: FunctionId) {
        self.outlined.insert(function);
    }

    /// A member makes tasks, or waits for them; returns whether another strand begins.
    pub fn tasks(&mut self, tree: u32) -> bool {
        self.with_tasks.extend(self.now.get(&tree).map(|phase| phase.region));
        self.known.happens(tree)
    }

    /// A member takes a lock, or gives it back; returns whether it holds others now.
    pub fn locks(&mut self, tree: u32) -> bool {
        self.locks.happens(tree)
    }

    /// A member orders itself after others in a way that is not followed.
    pub fn orders(&mut self, tree: u32) {
        self.unclear.extend(self.now.get(&tree).map(|phase| phase.region));
    }

    /// A member begins what one hands copies of to all, or waits for them.
    pub fn copies(&mut self, tree: u32) {
        if let Some(phase) = self.now.get_mut(&tree) {
            phase.is_unclear = true;
        }
    }

    /// A member begins, or ends, what one does at a time.
    pub fn combines(&mut self, tree: u32, begins: bool) {
        if let Some(phase) = self.now.get_mut(&tree) {
            phase.is_guarded = begins;
        }
    }

    /// A thread has come to a barrier, in these loops.
    pub fn barrier(&mut self, tree: u32, contexts: &Contexts, loops: &[ContextId]) {
        if let Some(phase) = self.now.get_mut(&tree) {
            phase.barriers = phase.barriers.saturating_add(1);
            phase.is_unclear = false;
            phase.is_guarded = false;
            self.known.barrier(tree, phase.span());
        }
        for &context in loops {
            if let ContextKind::Loop { function, header } = contexts.get(context).kind {
                self.barred.insert((function, header));
            }
        }
    }

    /// A thread has ended.
    pub fn end(&mut self, tree: u32) {
        self.now.remove(&tree);
        self.at_once.remove(&tree);
        self.before.remove(&tree);
        self.makes.remove(&tree);
        self.known.end(tree);
        self.locks.end(tree);
    }

    /// From now on a turn is that of a thread, in the phase that it is in.
    pub fn turn(&mut self, turn: u32, tree: u32) {
        // Without a region there is nothing to remember.
        if self.region > 0 {
            self.turns.resize(turn as usize, Phase::default());
            let now = self.now.get(&tree).copied().unwrap_or_default();
            self.turns.push(Phase { strand: self.known.now(tree), locks: self.locks.now(tree), ..now });
        }
    }

    /// The phase of what is one end of a dependence; whether its strand is certain.
    fn phase_of(&self, end: &End) -> Option<(Phase, bool)> {
        let turn = self.turns.get(end.turn as usize).copied();
        let (strand, is_own) =
            self.known.of_tree(end.had, turn.map_or(Strand::default(), |own| own.strand), end.is_late);
        let is_turn = turn.is_some_and(|turn| turn.strand.task == strand.task);
        let phase = match (turn, is_turn) {
            (Some(turn), true) if end.is_late => Phase { locks: LockSet::UNKNOWN, ..turn },
            (Some(turn), true) => turn,
            // The turn is another task's.
            _ => {
                let Span { region, barriers } = self.known.span(strand)?;
                Phase { region, barriers, strand, locks: LockSet::UNKNOWN, ..Phase::default() }
            }
        };
        Some((phase, is_own))
    }

    /// What is known of the order of two ends, which of them lie in tasks, and what is known of their locks.
    fn order(&mut self, ends: &[End; 2]) -> (Order, [bool; 2], u32, Exclusion) {
        let [Some((earlier, is_exact)), Some((later, _))] =
            [self.phase_of(&ends[0]), self.phase_of(&ends[1])]
        else {
            return (Order::Ordered, [false; 2], 0, Exclusion::Unknown);
        };
        let are_in_tasks = [earlier, later].map(|own| self.known.is_explicit(own.strand));
        let order = self.order_of(earlier, later, is_exact);
        (order, are_in_tasks, later.region, self.locks.exclude(earlier.locks, later.locks))
    }

    fn order_of(&mut self, earlier: Phase, later: Phase, is_exact: bool) -> Order {
        if earlier.region == 0 || earlier.region != later.region {
            return Order::Ordered;
        }
        let has_tasks = self.with_tasks.contains(&later.region);
        let is_known = |own: &Phase| own.strand.task != 0;
        let in_doubt = if has_tasks { Order::Unknown } else { Order::Unordered };
        let are_known = is_known(&earlier) && is_known(&later);
        if earlier.barriers != later.barriers {
            // All tasks end before a barrier does.
            return if are_known || !has_tasks { Order::Ordered } else { Order::Unknown };
        }
        if earlier.is_unclear || later.is_unclear {
            return if has_tasks { Order::Unknown } else { Order::Ordered };
        }
        if earlier.is_guarded && later.is_guarded {
            return Order::Ordered;
        }
        match are_known.then(|| self.known.are_apart(earlier.strand, later.strand)).flatten() {
            Some(true) => Order::Ordered,
            // An earlier strand of the task may be ordered.
            Some(false) if is_exact => Order::Unordered,
            _ => in_doubt,
        }
    }

    /// Whether a context lies in a task.
    fn is_in_task(&self, contexts: &Contexts, context: ContextId) -> bool {
        contexts.chain(context).iter().any(|&own| match contexts.get(own).kind {
            ContextKind::Call { callee, .. } => self.outlined.contains(&callee) && !self.is_region(callee),
            _ => false,
        })
    }

    /// Files a run of dependences between threads if its ends are not ordered, or may not be as there are tasks, and lie in one region; returns whether a loop of the region
    /// carries it. `at`: where its ends were executed. `place`: what is at its address.
    pub fn file(
        &mut self,
        contexts: &Contexts,
        (kind, run): (Kind, &DependenceRun),
        ends: [ContextId; 2],
        at: &[End; 2],
        place: impl FnOnce() -> Option<(ObjectId, i64)>,
    ) -> bool {
        if self.regions.is_empty() {
            return false;
        }
        let key = (kind, run.source, run.sink);
        let known = |own: &Unordered| (own.is_certain, own.exclusion);
        let known = self.unordered.get(&key).map(|own| own.as_ref().map(known));
        let (order, are_in_tasks, region, exclusion) = self.order(at);
        if order == Order::Ordered {
            return false;
        }
        let is_certain = order == Order::Unordered;
        // An instance of which more is known, and that less excludes, stands for the others.
        if known.is_none_or(|known| known.map_or(is_certain, |known| known < (is_certain, exclusion))) {
            let have_tasks = self.with_tasks.contains(&region);
            let is_carried = if is_certain { self.is_of_one_loop(contexts, ends) } else { None };
            let count = self.unordered.get(&key).and_then(Option::as_ref).map_or(0, |own| own.count);
            let new = is_carried.or(have_tasks.then_some(false)).map(|is_carried| Unordered {
                count,
                source_iv: run.source_iv,
                sink_iv: run.sink_iv,
                address: run.address,
                object: place(),
                is_carried,
                region,
                ends,
                is_certain,
                are_in_tasks,
                is_of_tasks: !is_certain || are_in_tasks.contains(&true),
                exclusion,
            });
            self.unordered.insert(key, new);
        }
        let Some(Some(own)) = self.unordered.get_mut(&key) else { return false };
        own.count = own.count.saturating_add(run.count);
        own.is_carried
    }

    /// The chain of contexts inside the region that a context lies in, with its function; `None` outside of regions and inside of tasks.
    fn in_region(&self, contexts: &Contexts, context: ContextId) -> Option<(FunctionId, Vec<ContextKind>)> {
        let chain: Vec<ContextKind> = contexts.chain(context).iter().map(|&c| contexts.get(c).kind).collect();
        let function = |kind: &ContextKind| match kind {
            ContextKind::Call { site, callee } if self.is_region(*callee) || self.sites.contains(site) => {
                Some(*callee)
            }
            _ => None,
        };
        let at = chain.iter().rposition(|kind| function(kind).is_some())?;
        Some((function(&chain[at])?, chain[at + 1..].to_vec()))
    }

    /// Whether two contexts of different threads lie in one loop of a region that has no barrier inside; `None` if they do not lie in one
    /// region.
    fn is_of_one_loop(&self, contexts: &Contexts, ends: [ContextId; 2]) -> Option<bool> {
        let [Some(a), Some(b)] = ends.map(|end| self.in_region(contexts, end)) else { return None };
        let shared = a.1.iter().zip(&b.1).take_while(|(a, b)| a == b);
        let mut shared = shared.map(|(kind, _)| kind);
        // What the function of a region left for by a jump is called by the runtime, as far as can be seen.
        Some(
            a.0 == b.0
                && shared.any(|kind| match kind {
                    ContextKind::Loop { function, header } => !self.is_barred(*function, *header),
                    _ => false,
                }),
        )
    }

    /// Whether a loop, by its function and its header, has a barrier inside.
    pub fn is_barred(&self, function: FunctionId, header: u64) -> bool {
        self.barred.contains(&(function, header))
    }

    /// Blocks that call functions of regions.
    pub fn sites(&self) -> impl Iterator<Item = u64> {
        self.sites.iter().copied()
    }

    /// Whether a function is that of a region.
    pub fn is_region(&self, function: FunctionId) -> bool {
        self.regions.contains(&function)
    }

    /// What was filed, ordered by kind and operands: source, sink.
    pub fn unordered(&mut self, contexts: &Contexts) -> Vec<((Kind, u32, u32), Unordered)> {
        let all = std::mem::take(&mut self.unordered).into_iter();
        let is_clear = |own: &Unordered| {
            let is_in_task = |end: usize| own.are_in_tasks[end] || self.is_in_task(contexts, own.ends[end]);
            // What stands behind a region, or before it, is none of it.
            let is_inside = |end: usize| is_in_task(end) || self.in_region(contexts, own.ends[end]).is_some();
            own.is_carried
                || !self.unclear.contains(&own.region)
                    && is_inside(0)
                    && is_inside(1)
                    && (own.is_certain || is_in_task(0) || is_in_task(1))
        };
        let mut out: Vec<_> = all.filter_map(|(key, own)| Some((key, own.filter(is_clear)?))).collect();
        out.sort_unstable_by_key(|(key, _)| *key);
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_of_the_runtime_libraries_are_known() {
        let of = |name: &str| mark(name);
        assert_eq!(of("GOMP_parallel"), Some(Mark::Forks));
        assert_eq!(of("GOMP_parallel_loop_dynamic@@GOMP_4.0"), Some(Mark::Forks));
        assert_eq!(of("GOMP_parallel_end"), None);
        assert_eq!(of("GOMP_barrier"), Some(Mark::Barrier));
        assert_eq!(of("GOMP_loop_end_nowait"), None);
        assert_eq!(of("GOMP_taskwait"), Some(Mark::Tasks));
        assert_eq!(of("GOMP_doacross_wait"), Some(Mark::Orders));
        assert_eq!(of("GOMP_single_copy_start"), Some(Mark::Copies));
        assert_eq!(of("GOMP_single_copy_end"), None);
        assert_eq!(of("main._omp_fn.12"), Some(Mark::Region));
        assert_eq!(of("main.omp_outlined_debug__"), Some(Mark::Region));
        assert_eq!(of(".omp_task_entry..3"), Some(Mark::Task));
        assert_eq!(of("main"), None);
    }

    /// Whether what was executed in one turn and what is in another are not ordered.
    fn are_unordered(teams: &mut Teams, earlier: u32, later: u32) -> bool {
        let end = |turn| End { turn, is_late: false, had: (0, 0) };
        teams.order(&[end(earlier), end(later)]).0 == Order::Unordered
    }

    /// Two threads in one region: what they do before the first barrier is not ordered, what the other does behind it is.
    #[test]
    fn barriers_order() {
        let mut teams = Teams::default();
        teams.turn(1, 0);
        teams.fork(0);
        for (turn, tree) in [(2, 0), (3, 1)] {
            teams.begin(tree, 7, None);
            teams.turn(turn, tree);
        }
        assert!(are_unordered(&mut teams, 2, 3) && !are_unordered(&mut teams, 1, 3) && teams.is_region(7));
        let contexts = Contexts::default();
        teams.barrier(0, &contexts, &[]);
        teams.turn(4, 0);
        assert!(!are_unordered(&mut teams, 4, 3));
        teams.barrier(1, &contexts, &[]);
        teams.turn(5, 1);
        assert!(are_unordered(&mut teams, 4, 5));
        // What one hands to all is ordered, up to the barrier behind it.
        for (turn, tree) in [(6, 0), (7, 1)] {
            teams.copies(tree);
            teams.turn(turn, tree);
        }
        assert!(!are_unordered(&mut teams, 6, 7));
        for (turn, tree) in [(8, 0), (9, 1)] {
            teams.barrier(tree, &contexts, &[]);
            teams.turn(turn, tree);
        }
        assert!(are_unordered(&mut teams, 8, 9) && !are_unordered(&mut teams, 5, 8));
        // The next region is another one.
        teams.fork(0);
        teams.begin(0, 7, None);
        teams.turn(10, 0);
        assert!(!are_unordered(&mut teams, 9, 10));
    }
}
