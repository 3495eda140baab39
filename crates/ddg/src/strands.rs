//! Tasks of OpenMP, and what of them happens before what.
//!
//! Definition: a *strand* is the part of one task's execution, implicit or explicit, between two events that order it and others: it makes a
//! task, waits for some, opens or closes a group. The strands of a task are numbered from 0, and each happens before the next. What else does
//! (OpenMP Application Programming Interface, version 5.2, sections 12.5, 12.6, 15.4, 15.5 and 15.9.5):
//! - the strand that makes a task, before the task's first;
//! - the last strand of a task, before the one of its maker that begins behind a `taskwait`, or behind the task if it is not deferred;
//! - the last strands of all tasks made in a group, by whatever tasks of the group, before the one that begins behind the group;
//! - the last strand of a task, before the first of those of the same maker that depend on it.
//!
//! Only what has to be so counts, whatever thread happened to run a task first. Barriers are not here: two strands are compared between the same
//! barriers only ([`crate::teams`]), and have no task in common that outlives one.
//!
//! Method: tasks form a tree, by who makes whom. A search goes forward from a strand, over tasks: from the end of each to the strands
//! that it is joined by, which lie in tasks around it, and to its successors, which have the same maker. Where it comes to a task around
//! the other strand, the number of the strand that leads there decides. So tasks without `depend` cost as many steps as they lie deep.
//!
//! Limits: a search that takes too long, and tasks and orders beyond a number, give no answer ([`Strands::is_before`]). List items of `depend` are one if
//! they begin at one address: those that overlap otherwise are not allowed.

use rustc_hash::{FxHashMap, FxHashSet};
use trace::depends::Mode;

/// Most tasks kept at a time.
const MOST_TASKS: usize = 1 << 20;
/// Most orders between two tasks that `depend` clauses make.
const MOST_EDGES: usize = 1 << 23;
/// Most steps of one search, and answers kept.
const MOST_STEPS: usize = 1 << 13;
/// Most steps of all searches.
const MOST_STEPS_IN_ALL: u64 = 1 << 28;

/// Number of a task, from 1; 0 stands for one that is not known.
pub type TaskId = u32;

/// Number of a group, from 1; 0 for none.
type GroupId = u32;

/// See the module.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Strand {
    /// The task; 0 if it is not known.
    pub task: TaskId,
    /// Its number in the task, from 0.
    pub index: u32,
}

/// Between which barriers of a region something is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Span {
    /// Number of the region, from 1; 0 outside of all.
    pub region: u32,
    /// Barriers before it.
    pub barriers: u32,
}

/// How a task is made.
#[derive(Debug, Clone, Default)]
pub struct Making {
    /// What its `depend` clauses name, by address; 0 stands for all memory.
    pub depends: Vec<(Mode, u64)>,
    /// What makes it goes on when it is done.
    pub is_undeferred: bool,
    /// What it makes itself is not deferred.
    pub is_final: bool,
}

/// One task.
#[derive(Debug, Clone, Default)]
struct Task {
    /// The strand that makes it; that of no task for an implicit one.
    maker: Strand,
    /// Number of the strand that it is in.
    index: u32,
    /// Where its region is, or, for a task, where it has been made.
    span: Span,
    /// The strand of its maker that begins when it has ended.
    joined: Option<Strand>,
    /// The task that stands for it and others like it, which is waited for in its place; 0 if there is none.
    model: TaskId,
    /// The group that it belongs to.
    group: GroupId,
    /// The innermost group that it has opened itself.
    open: GroupId,
    /// Tasks that depend on it.
    successors: Vec<TaskId>,
    /// Those it has made and not waited for.
    children: Vec<TaskId>,
    /// What those depend on.
    depends: Option<Box<Depends>>,
    /// What it excludes others of its maker from.
    locks: Vec<u64>,
    is_final: bool,
}

/// A `taskgroup`.
#[derive(Debug, Clone, Copy)]
struct Group {
    owner: TaskId,
    /// The group around it that its owner has opened.
    outer: GroupId,
    /// The number of the strand that begins behind it.
    end: Option<u32>,
}

/// The tasks that named a place last, which are not ordered among themselves, and those they come behind.
#[derive(Debug, Clone, Default)]
struct Users {
    mode: Option<Mode>,
    latest: Vec<TaskId>,
    before: Vec<TaskId>,
}

impl Users {
    /// The tasks that one which uses the place comes behind.
    fn precede(&self, mode: Mode) -> &[TaskId] {
        match self.mode == Some(mode) && mode != Mode::Out {
            true => &self.before,
            false => &self.latest,
        }
    }

    fn add(&mut self, mode: Mode, task: TaskId) {
        if self.mode != Some(mode) || mode == Mode::Out {
            self.before = std::mem::take(&mut self.latest);
            self.mode = Some(mode);
        }
        self.latest.push(task);
    }
}

/// What the tasks that one task makes depend on.
#[derive(Debug, Clone, Default)]
struct Depends {
    places: FxHashMap<u64, Users>,
    /// Those that named all memory last.
    all: Vec<TaskId>,
}

impl Depends {
    fn precede(&self, mode: Mode, address: u64) -> Vec<TaskId> {
        match (address, self.places.get(&address)) {
            (0, _) => {
                self.places.values().flat_map(|users| &users.latest).chain(&self.all).copied().collect()
            }
            (_, Some(users)) => users.precede(mode).to_vec(),
            (_, None) => self.all.clone(),
        }
    }

    fn add(&mut self, mode: Mode, address: u64, task: TaskId) {
        if address == 0 {
            self.places.clear();
            self.all = vec![task];
            return;
        }
        let all = &self.all;
        let new = || Users { mode: None, latest: all.clone(), before: Vec::new() };
        self.places.entry(address).or_insert_with(new).add(mode, task);
    }
}

/// See the module.
#[derive(Debug, Default)]
pub struct Strands {
    tasks: Vec<Task>,
    /// Number of the first of them, less 1: those before are over.
    over: u32,
    groups: Vec<Group>,
    answers: FxHashMap<(Strand, Strand), Option<bool>>,
    /// Orders between two tasks that `depend` clauses have made.
    edges: usize,
    /// Steps of all searches.
    steps: u64,
}

impl Strands {
    fn get(&self, task: TaskId) -> Option<&Task> {
        self.tasks.get(task.checked_sub(1)?.checked_sub(self.over)? as usize)
    }

    fn get_mut(&mut self, task: TaskId) -> Option<&mut Task> {
        self.tasks.get_mut(task.checked_sub(1)?.checked_sub(self.over)? as usize)
    }

    /// Begins a task of which nothing but its maker is known; 0 if there are too many.
    fn add(&mut self, task: Task) -> TaskId {
        let id = u32::try_from(self.tasks.len() + 1).ok().and_then(|id| id.checked_add(self.over));
        match id.filter(|_| self.tasks.len() < MOST_TASKS) {
            Some(id) => {
                self.tasks.push(task);
                id
            }
            None => 0,
        }
    }

    /// All tasks are over.
    pub fn forget(&mut self) {
        self.over = self.over.saturating_add(u32::try_from(self.tasks.len()).unwrap_or(u32::MAX));
        self.tasks.clear();
        self.groups.clear();
        self.answers.clear();
        self.edges = 0;
    }

    /// The strand that a task is in.
    pub fn now(&self, task: TaskId) -> Strand {
        self.get(task).map_or(Strand::default(), |own| Strand { task, index: own.index })
    }

    /// Whether a task is one that a `task` directive makes.
    pub fn is_explicit(&self, task: TaskId) -> bool {
        self.get(task).is_some_and(|own| own.maker.task != 0)
    }

    /// Between which barriers a task is; `None` if it is over.
    pub fn span(&self, task: TaskId) -> Option<Span> {
        self.get(task).map(|own| own.span)
    }

    /// Orders between tasks could not be read: strands that none is known between may be ordered.
    pub fn lose(&mut self) {
        self.edges = MOST_EDGES;
    }

    /// A member of a team begins a region.
    pub fn implicit(&mut self, span: Span) -> TaskId {
        self.add(Task { span, ..Task::default() })
    }

    /// One of the tasks that a loop makes, all of them as another one that stands for them.
    pub fn make_like(&mut self, model: TaskId) -> TaskId {
        let Some(own) = self.get(model) else { return 0 };
        let (maker, span, group, is_final) = (own.maker, own.span, own.group, own.is_final);
        self.add(Task { maker, span, model, group, is_final, ..Task::default() })
    }

    /// Whether the tasks that a task makes are not deferred.
    pub fn is_final(&self, task: TaskId) -> bool {
        self.get(task).is_some_and(|own| own.is_final)
    }

    /// Whether what has made a task has come behind its end.
    pub fn is_waited_for(&self, task: TaskId) -> bool {
        self.get(task).is_some_and(|own| {
            let group = (own.group as usize).checked_sub(1).and_then(|at| self.groups.get(at));
            let joined = own.joined.or_else(|| self.get(own.model)?.joined);
            joined.is_some() || group.is_some_and(|group| group.end.is_some())
        })
    }

    /// What has made a task.
    pub fn maker(&self, task: TaskId) -> TaskId {
        self.get(task).map_or(0, |own| own.maker.task)
    }

    /// A task goes on with its next strand, whose number this returns.
    fn advance(&mut self, task: TaskId) -> u32 {
        self.get_mut(task).map_or(0, |own| {
            own.index = own.index.saturating_add(1);
            own.index
        })
    }

    /// A task makes another one; 0 if there are too many.
    pub fn make(&mut self, maker: TaskId, making: &Making) -> TaskId {
        let Some(own) = self.get(maker) else { return 0 };
        let (index, is_included, span) = (own.index, own.is_final, own.span);
        let group = if own.open != 0 { own.open } else { own.group };
        let is_undeferred = making.is_undeferred || is_included;
        let locks = making.depends.iter().filter(|(mode, _)| *mode == Mode::Mutex).map(|own| own.1);
        let id = self.add(Task {
            maker: Strand { task: maker, index },
            span,
            group,
            locks: locks.collect(),
            is_final: making.is_final || is_included,
            ..Task::default()
        });
        if id == 0 {
            return 0;
        }
        self.depend(maker, id, &making.depends);
        let next = self.advance(maker);
        match (is_undeferred, self.get_mut(id)) {
            (true, Some(own)) => own.joined = Some(Strand { task: maker, index: next }),
            _ => {
                if let Some(own) = self.get_mut(maker) {
                    own.children.push(id);
                }
            }
        }
        id
    }

    /// Those that a task with these clauses comes behind.
    fn preceding(&self, maker: TaskId, depends: &[(Mode, u64)]) -> Vec<TaskId> {
        let Some(of) = self.get(maker).and_then(|own| own.depends.as_deref()) else { return Vec::new() };
        let mut all: Vec<TaskId> =
            depends.iter().flat_map(|&(mode, address)| of.precede(mode, address)).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    fn depend(&mut self, maker: TaskId, task: TaskId, depends: &[(Mode, u64)]) {
        if depends.is_empty() {
            return;
        }
        for before in self.preceding(maker, depends) {
            if self.edges >= MOST_EDGES {
                break;
            }
            if let Some(own) = self.get_mut(before) {
                own.successors.push(task);
                self.edges += 1;
            }
        }
        if let Some(own) = self.get_mut(maker) {
            let of = own.depends.get_or_insert_default();
            for &(mode, address) in depends {
                of.add(mode, address, task);
            }
        }
    }

    /// A task waits for those that it has made.
    pub fn wait(&mut self, task: TaskId) {
        let index = self.advance(task);
        let children = self.get_mut(task).map(|own| std::mem::take(&mut own.children));
        for child in children.unwrap_or_default() {
            self.join(child, Strand { task, index });
        }
    }

    /// A task waits for those that it has made and that something with these clauses would come behind.
    pub fn wait_for(&mut self, task: TaskId, depends: &[(Mode, u64)]) {
        let index = self.advance(task);
        for child in self.preceding(task, depends) {
            self.join(child, Strand { task, index });
        }
    }

    fn join(&mut self, child: TaskId, by: Strand) {
        if let Some(own) = self.get_mut(child) {
            own.joined.get_or_insert(by);
        }
    }

    /// A task opens a group.
    pub fn open(&mut self, task: TaskId) {
        let Some(outer) = self.get(task).map(|own| own.open) else { return };
        self.groups.push(Group { owner: task, outer, end: None });
        let id = u32::try_from(self.groups.len()).unwrap_or(0);
        if let Some(own) = self.get_mut(task) {
            own.open = id;
        }
    }

    /// A task comes to the end of the innermost group that it has opened.
    pub fn close(&mut self, task: TaskId) {
        let index = self.advance(task);
        let Some(open) = self.get(task).map(|own| own.open) else { return };
        let group = (open as usize).checked_sub(1).and_then(|at| self.groups.get_mut(at));
        let Some(group) = group else { return };
        group.end = Some(index);
        let outer = group.outer;
        if let Some(own) = self.get_mut(task) {
            own.open = outer;
        }
    }

    /// A member of a team has come to a barrier: all tasks of its region have ended behind it.
    pub fn barrier(&mut self, task: TaskId, span: Span) {
        self.advance(task);
        if let Some(own) = self.get_mut(task) {
            own.span = span;
            own.children.clear();
            own.depends = None;
            own.open = 0;
        }
    }

    /// Whether two tasks exclude each other: `mutexinoutset` of one place, and of one maker.
    pub fn exclude(&self, a: TaskId, b: TaskId) -> bool {
        let [Some(a), Some(b)] = [a, b].map(|task| self.get(task)) else { return false };
        a.maker.task == b.maker.task && a.locks.iter().any(|lock| b.locks.contains(lock))
    }

    /// Whether one strand happens before another one that was executed later, both between the same barriers; `None` if that is not known.
    pub fn is_before(&mut self, a: Strand, b: Strand) -> Option<bool> {
        if let Some(&known) = self.answers.get(&(a, b)) {
            return known;
        }
        let answer = self.search(a, b);
        if self.answers.len() >= MOST_STEPS {
            self.answers.clear();
        }
        self.answers.insert((a, b), answer);
        answer
    }

    fn search(&mut self, a: Strand, b: Strand) -> Option<bool> {
        self.get(a.task)?;
        // The strands of the tasks around the other one that lead to it.
        let mut around: FxHashMap<TaskId, u32> = FxHashMap::default();
        let mut at = b;
        while at.task != 0 {
            around.insert(at.task, at.index);
            at = self.get(at.task)?.maker;
        }
        let mut steps = 0;
        let mut met: FxHashSet<TaskId> = FxHashSet::default();
        let mut open = vec![a];
        let found = loop {
            let Some(at) = open.pop() else { break (self.edges < MOST_EDGES).then_some(false) };
            steps += 1;
            if steps > MOST_STEPS || self.steps > MOST_STEPS_IN_ALL {
                break None;
            }
            match around.get(&at.task) {
                Some(&index) if at.index <= index => break Some(true),
                // What it does later is behind what it has made on its way to the other one.
                Some(_) => continue,
                None => {}
            }
            // From the end of a task it makes no difference where in the task the search came in.
            if !met.insert(at.task) {
                continue;
            }
            let Some(own) = self.get(at.task) else { continue };
            // Those made later than what leads to the other one do not come before it.
            let last = around.get(&own.maker.task);
            let is_early = |next: &&TaskId| {
                last.is_none_or(|last| self.get(**next).is_some_and(|next| next.maker.index <= *last))
            };
            open.extend(own.successors.iter().filter(is_early).map(|&task| Strand { task, index: 0 }));
            // What has waited for it leads there in fewest steps, and is looked at first.
            open.extend(own.joined.or_else(|| self.get(own.model)?.joined));
            let group = (own.group as usize).checked_sub(1).and_then(|at| self.groups.get(at));
            open.extend(group.and_then(|group| Some(Strand { task: group.owner, index: group.end? })));
        };
        self.steps += steps as u64;
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Run(Strands, TaskId);

    impl Run {
        fn new() -> Run {
            let mut strands = Strands::default();
            let member = strands.implicit(Span::default());
            Run(strands, member)
        }

        /// The member makes a task with such clauses.
        fn task(&mut self, depends: &[(Mode, u64)]) -> TaskId {
            self.make(self.1, depends)
        }

        fn make(&mut self, maker: TaskId, depends: &[(Mode, u64)]) -> TaskId {
            self.0.make(maker, &Making { depends: depends.to_vec(), ..Making::default() })
        }

        /// Whether a task, all of it, is before what another one does now.
        fn is_before(&mut self, a: TaskId, b: TaskId) -> bool {
            let (a, b) = (self.0.now(a), self.0.now(b));
            self.0.is_before(a, b) == Some(true)
        }
    }

    /// Tasks of a loop that are begun before their maker waits are waited for all the same.
    #[test]
    fn tasks_of_loops_are_waited_for_by_their_model() {
        let mut run = Run::new();
        let model = run.task(&[]);
        let member = run.1;
        let one = run.0.make_like(model);
        assert!(!run.is_before(one, member) && !run.0.is_waited_for(one));
        run.0.wait(member);
        assert!(run.is_before(one, member) && run.0.is_waited_for(one));
        let other = run.0.make_like(model);
        assert!(run.is_before(other, member) && !run.is_before(one, other));
    }

    #[test]
    fn who_waits_comes_behind_its_own() {
        let mut run = Run::new();
        let member = run.1;
        let before = run.0.now(member);
        let child = run.task(&[]);
        let inner = run.make(child, &[]);
        let between = run.0.now(member);
        assert_eq!(run.0.is_before(before, run.0.now(inner)), Some(true));
        assert_eq!(run.0.is_before(between, run.0.now(inner)), Some(false));
        assert!(!run.is_before(child, member));
        run.0.wait(member);
        assert!(run.is_before(child, member) && !run.is_before(inner, member));
        // What is made next comes behind the child, not behind the child's.
        let next = run.task(&[]);
        assert!(run.is_before(child, next) && !run.is_before(inner, next));
        assert!(!run.is_before(next, member));
    }

    #[test]
    fn a_group_waits_for_what_its_tasks_make() {
        let mut run = Run::new();
        let member = run.1;
        let outside = run.task(&[]);
        run.0.open(member);
        let child = run.task(&[]);
        run.0.open(child);
        let first = run.make(child, &[]);
        run.0.close(child);
        let second = run.make(child, &[]);
        assert!(run.is_before(first, second) && !run.is_before(second, child));
        run.0.close(member);
        for own in [child, first, second] {
            assert!(run.is_before(own, member));
        }
        assert!(!run.is_before(outside, member));
        let behind = run.task(&[]);
        assert!(run.is_before(second, behind) && !run.is_before(outside, behind));
    }

    #[test]
    fn clauses_order_those_of_one_maker() {
        use Mode::{In, Mutex, Out, Set};
        let mut run = Run::new();
        let member = run.1;
        let first = run.task(&[(Out, 8)]);
        let [a, b] = [(); 2].map(|()| run.task(&[(In, 8)]));
        let last = run.task(&[(Out, 8), (Out, 16)]);
        let other = run.task(&[(Out, 24)]);
        let behind = run.task(&[(In, 16)]);
        assert!(run.is_before(first, a) && run.is_before(first, b) && run.is_before(b, last));
        assert!(!run.is_before(a, b) && !run.is_before(last, other) && run.is_before(first, behind));
        // One that waits for some waits for what they come behind.
        run.0.wait_for(member, &[(In, 16)]);
        assert!(run.is_before(first, member) && run.is_before(last, member) && !run.is_before(other, member));
        assert!(!run.is_before(behind, member), "both read");
        // Of one set: not ordered among themselves.
        for mode in [Mutex, Set] {
            let mut run = Run::new();
            let zero = run.task(&[(In, 8)]);
            let [a, b] = [(); 2].map(|()| run.task(&[(mode, 8)]));
            let last = run.task(&[(In, 8)]);
            assert!(run.is_before(zero, a) && run.is_before(zero, b) && !run.is_before(a, b));
            assert!(run.is_before(a, last) && run.is_before(b, last));
            assert_eq!(run.0.exclude(a, b), mode == Mutex);
        }
        // Those of different tasks are not.
        let (one, two) = (run.task(&[]), run.task(&[]));
        let (one, two) = (run.make(one, &[(Out, 8)]), run.make(two, &[(Out, 8)]));
        assert!(!run.is_before(one, two));
    }

    #[test]
    fn all_memory_orders_all() {
        let mut run = Run::new();
        let (a, b) = (run.task(&[(Mode::Out, 8)]), run.task(&[]));
        let all = run.task(&[(Mode::Out, 0)]);
        let next = run.task(&[(Mode::In, 16)]);
        assert!(run.is_before(a, all) && !run.is_before(b, all));
        assert!(run.is_before(all, next) && run.is_before(a, next));
    }

    #[test]
    fn what_is_not_deferred_comes_before_what_follows() {
        let mut run = Run::new();
        let member = run.1;
        let making = Making { is_undeferred: true, ..Making::default() };
        let own = run.0.make(member, &making);
        let inner = run.make(own, &[]);
        assert!(run.is_before(own, member) && !run.is_before(inner, member));
        // A taskwait of the maker does not wait for what that has made.
        run.0.wait(member);
        assert!(!run.is_before(inner, member));
        // What a final task makes is included.
        let last = run.0.make(member, &Making { is_final: true, ..Making::default() });
        let included = run.make(last, &[]);
        assert!(run.is_before(included, last) && !run.is_before(last, member));
    }

    /// Two members, and what they make, are not ordered; a task that is over is not known.
    #[test]
    fn members_are_apart() {
        let mut run = Run::new();
        let other = run.0.implicit(Span::default());
        let (a, b) = (run.task(&[]), run.make(other, &[]));
        assert!(!run.is_before(a, b) && !run.is_before(a, other) && !run.is_before(run.1, b));
        let old = run.0.now(a);
        run.0.forget();
        let new = run.0.implicit(Span::default());
        assert_eq!(run.0.is_before(old, run.0.now(new)), None);
        assert!(new > b && !run.0.is_explicit(new));
    }

    /// A chain of tasks that is longer than a search may be has no answer, and a long chain of few steps has.
    #[test]
    fn long_searches_are_given_up() {
        let mut run = Run::new();
        let first = run.task(&[(Mode::Out, 8)]);
        for _ in 0..MOST_STEPS + 8 {
            run.task(&[(Mode::Out, 8)]);
        }
        let (last, beside) = (run.task(&[(Mode::In, 8)]), run.task(&[]));
        let (a, b) = (run.0.now(first), run.0.now(last));
        assert_eq!(run.0.is_before(a, b), None);
        assert_eq!(run.0.is_before(run.0.now(last), run.0.now(beside)), Some(false));
        run.0.wait(run.1);
        assert!(run.is_before(first, run.1));
    }
}
