//! What keeps two threads from doing something at a time, line by line, by the text of a file.
//!
//! Definition: a line is *guarded* by the `atomic`, `critical` or `ordered` construct that it stands in, and by the locks that are held
//! there (module `locks`). Two lines exclude each other if they have a guard in common: critical sections of one name, one lock, two atomic operations
//! (OpenMP 5.2, sections 15.2, 15.8 and 18.9).
//!
//! What the run has shown of locks and critical sections comes before that ([`profile::Exclusion`]): two lines exclude each other if they always held one in
//! common, whatever the text looks like, and do not if they once had none. Operations that are atomic, and what `ordered` has wait, are the text's alone.
//!
//! Comments and what strings say are no text, nor is what was not compiled.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Deref;
use std::rc::Rc;

use profile::Exclusion;
use profile::lens::Language;

use super::locks::{Locks, assignments, braced};

/// One thing of which a thread has to have hold.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Guard {
    Atomic,
    /// The critical section of this name; that without a name has an empty one.
    Critical(String),
    Ordered,
    /// The lock that is written so, without spaces.
    Lock(String),
}

/// What a file's text says of guards.
#[derive(Debug, Default)]
pub struct Written {
    of: BTreeMap<u32, BTreeSet<Guard>>,
    /// Lines of directives.
    directives: BTreeSet<u32>,
    locks: Locks,
    /// Those among them of which compilers give the line to the array expressions that follow (Fortran).
    workshares: BTreeSet<u32>,
    /// Last lines of functions, and of what stands between them, ascending.
    units: Vec<u32>,
    /// Which of these have threads wait for what others write, or tell them, by their number.
    waiting: BTreeSet<usize>,
    /// Lines on which a thread waits until it alone goes on.
    turns: BTreeSet<u32>,
    /// Names that stand on lines with operations of atomic objects.
    atomics: BTreeSet<String>,
    /// What names are set to, without spaces.
    set_to: BTreeMap<String, BTreeSet<String>>,
    /// The text of each directive, and the first and last line of it and of what it stands before.
    constructs: Vec<(String, (u32, u32))>,
    /// Lines with operations that are atomic if a directive was compiled of which that is not known.
    may_be_atomic: BTreeSet<u32>,
    /// Locks of which the run knows nothing: those that are none of OpenMP's.
    others: BTreeSet<String>,
}

/// The guards of a file's lines: what its text says, and what the run has shown.
#[derive(Debug, Clone, Default)]
pub struct Guards {
    written: Rc<Written>,
    /// What the run has shown of two lines, the first not behind the second.
    run: BTreeMap<(u32, u32), Exclusion>,
}

impl Deref for Guards {
    type Target = Written;

    fn deref(&self) -> &Written {
        &self.written
    }
}

impl Guards {
    /// Those of a text, of which the run has shown nothing.
    #[cfg(test)]
    pub fn of(text: &str, language: Language) -> Guards {
        Guards { written: Rc::new(Written::of(text, language)), run: BTreeMap::new() }
    }

    /// Those of a text, of which the run has shown nothing. `open`: the text in which what may not have been compiled still stands. Of atomic operations
    /// no run knows: what those may guard is not said to be a race.
    pub fn with_open(text: &str, open: &str, language: Language) -> Guards {
        let mut written = Written::of(text, language);
        let other = if open == text { BTreeMap::new() } else { Written::of(open, language).of };
        let all: Vec<&str> = open.lines().collect();
        for (line, _) in other.into_iter().filter(|(_, own)| own.contains(&Guard::Atomic)) {
            let text = all.get((line as usize).saturating_sub(1)).map_or("", |text| text.trim_start());
            let is_new = written.of.entry(line).or_default().insert(Guard::Atomic);
            if is_new && !text.is_empty() && !text.starts_with(['#', '!']) {
                written.may_be_atomic.insert(line);
            }
        }
        Guards { written: Rc::new(written), run: BTreeMap::new() }
    }

    /// The same text with what the run has shown of pairs of lines.
    pub fn with(&self, pairs: impl IntoIterator<Item = ([u32; 2], Exclusion)>) -> Guards {
        let mut run: BTreeMap<(u32, u32), Exclusion> = BTreeMap::new();
        for ([a, b], exclusion) in pairs {
            let own = run.entry((a.min(b), a.max(b))).or_insert(exclusion);
            *own = exclusion.max(*own);
        }
        Guards { written: Rc::clone(&self.written), run }
    }

    /// What the run has shown of all of these lines together; `None` if some of them have met none of the others.
    fn shown(&self, lines: &[u32]) -> Option<Exclusion> {
        let is_of = |line: &u32| lines.contains(line);
        let pairs = self.run.iter().filter(|((a, b), _)| is_of(a) && is_of(b));
        let met: BTreeSet<u32> = pairs.clone().flat_map(|((a, b), _)| [*a, *b]).collect();
        let most = pairs.map(|(_, own)| *own).max()?;
        (most == Exclusion::Absent || lines.iter().all(|line| met.contains(line))).then_some(most)
    }

    /// Whether the run has shown that no lock of OpenMP is held on all of these lines; of other locks it shows nothing.
    fn is_refuted(&self, lines: &[u32]) -> bool {
        self.shown(lines) == Some(Exclusion::Absent)
    }

    /// Whether some guard is held on two lines each time that one of them writes: pairwise, as what is read twice needs none.
    pub fn separate(&self, writes: &[u32], all: &[u32], what: &Guarded<'_>) -> bool {
        !writes.is_empty()
            && writes.iter().all(|&write| all.iter().all(|&other| self.exclude(&[write, other], what)))
    }

    /// Whether a lock that is chosen by an element or a pointer is held on all of these lines, which may be one and the same. A lock that
    /// is chosen by a subscript has to name what those of the elements name; of elements without known subscripts any lock will do.
    pub fn are_locked_apart(&self, lines: &[u32], subscripts: &[String]) -> bool {
        let is_refuted = self.is_refuted(lines);
        let is_chosen = |guard: &Guard| match guard {
            Guard::Lock(lock) if is_refuted && !self.others.contains(lock) => false,
            Guard::Lock(lock) => match lock.split_once('[').and_then(|(_, rest)| rest.rsplit_once(']')) {
                Some((index, _)) => {
                    subscripts.is_empty() || subscripts.iter().any(|own| self.is_chosen_by(index, own))
                }
                None => lock.contains(['>', '.']),
            },
            _ => false,
        };
        lines.iter().all(|line| self.of.get(line).is_some_and(|own| own.iter().any(is_chosen)))
    }

    /// Whether some guard is held on all of these lines, so that no two threads are there at a time.
    pub fn exclude(&self, lines: &[u32], what: &Guarded<'_>) -> bool {
        self.exclude_by(lines, self.is_refuted(lines), what)
    }

    /// The same of lines that call what is done on others (`at`): which lock a pointer leads to, the text does not say, and the run says it of
    /// those.
    pub fn exclude_calls(&self, lines: &[u32], at: &[u32], what: &Guarded<'_>) -> bool {
        self.exclude_by(lines, self.is_refuted(lines) || self.is_refuted(at), what)
    }

    fn exclude_by(&self, lines: &[u32], is_refuted: bool, what: &Guarded<'_>) -> bool {
        if self.shown(lines) == Some(Exclusion::Held) {
            return true;
        }
        let mut all = lines.iter().map(|line| self.of.get(line));
        let Some(Some(first)) = all.next() else { return false };
        let mut common = first.clone();
        for own in all {
            let Some(own) = own else { return false };
            common.retain(|guard| own.contains(guard));
        }
        common.iter().any(|guard| match guard {
            Guard::Atomic | Guard::Ordered => true,
            Guard::Critical(_) => !is_refuted,
            Guard::Lock(lock) => (!is_refuted || self.others.contains(lock)) && guards(lock, what),
        })
    }
}

/// What a lock that is chosen by a subscript has to do with what is guarded.
pub enum Guarded<'a> {
    /// One place: only one lock guards it. The names that are not the same in all iterations.
    Place(&'a dyn Fn(&str) -> bool),
    /// Elements: a lock that is chosen by their own subscripts, which are given without spaces, guards them too.
    Elements(&'a [String]),
}

impl Written {
    /// That of a text.
    fn of(text: &str, language: Language) -> Written {
        let is_fortran = matches!(language, Language::Fortran | Language::FixedFortran);
        let plain = if is_fortran { text.to_owned() } else { plain(text) };
        let all: Vec<&str> = plain.lines().collect();
        let of_fortran: Vec<String> = all.iter().filter(|_| is_fortran).map(|line| braced(line)).collect();
        let of_fortran: Vec<&str> = of_fortran.iter().map(String::as_str).collect();
        let for_locks = if is_fortran { &of_fortran } else { &all };
        let functions = source::lens::functions(text.as_bytes(), language);
        let ends: BTreeSet<u32> = match is_fortran {
            true => ends_of_fortran(&all).collect(),
            false => functions.iter().map(|own| own.1).collect(),
        };
        let mut out =
            Written { locks: Locks::of(for_locks), units: units(&functions, &ends), ..Written::default() };
        for (name, value) in all.iter().flat_map(|line| assignments(line)) {
            let value = value.split_whitespace().collect();
            out.set_to.entry(name.to_owned()).or_default().insert(value);
        }
        let (held, others) = out.locks.held(for_locks, &ends);
        out.others = others;
        for (line, locks) in held {
            out.of.entry(line).or_default().extend(locks.into_iter().map(Guard::Lock));
        }
        // Macros that begin a construct: `#define GUARDED _Pragma("omp critical")`.
        let macros: Vec<(String, Guard)> = text
            .lines()
            .filter_map(|line| {
                let define = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("define")?;
                let (name, rest) = define.trim_start().split_once(char::is_whitespace)?;
                let pragma = rest.trim().strip_prefix("_Pragma")?.trim_start().strip_prefix("(\"")?;
                let guard = construct(&format!("#pragma {}", pragma.split('"').next()?), false)?;
                Some((name.to_owned(), guard))
            })
            .collect();
        let mut index = 0;
        while index < all.len() {
            let last = last_of(&all, index, is_fortran);
            if is_directive(all[index], is_fortran) {
                out.directives.extend(index as u32 + 1..=last as u32 + 1);
                let whole: Vec<&str> = all[index..=last]
                    .iter()
                    .map(|line| line.trim_end().trim_end_matches(['\\', '&']))
                    .collect();
                let whole = whole.join(" ");
                if let Some(guard) = construct(&whole, is_fortran) {
                    for line in lines_of(&all, (index, last), &guard, is_fortran) {
                        out.of.entry(line).or_default().insert(guard.clone());
                    }
                }
                if is_fortran && words(&whole).any(|word| word.eq_ignore_ascii_case("workshare")) {
                    out.workshares.extend(index as u32 + 1..=last as u32 + 1);
                }
                if whole.to_ascii_lowercase().contains("omp") {
                    let end = match is_fortran {
                        true => fortran_end(&all, (index, last)),
                        false => lines_of(&all, (index, last), &Guard::Ordered, false).last().copied(),
                    };
                    let first = index as u32 + 1;
                    out.constructs.push((whole, (first, end.unwrap_or(last as u32 + 1))));
                }
            } else if let Some((guard, is_whole)) = macros.iter().find_map(|(name, guard)| {
                let rest = all[index].trim_start().strip_prefix(name.as_str())?;
                let is_name = !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
                is_name.then(|| (guard, !rest.trim().is_empty()))
            }) {
                let lines = match is_whole {
                    true => vec![index as u32 + 1],
                    false => lines_of(&all, (index, index), guard, is_fortran),
                };
                for line in lines {
                    out.of.entry(line).or_default().insert(guard.clone());
                }
            } else if ATOMIC.iter().any(|name| all[index].contains(name)) {
                out.of.entry(index as u32 + 1).or_default().insert(Guard::Atomic);
            }
            index = last + 1;
        }
        out.find_flags(&all);
        out.leave_out_own_locks(&all);
        out
    }

    /// Leaves out locks that each member of a team makes for itself: they are declared in the region.
    fn leave_out_own_locks(&mut self, all: &[&str]) {
        const TYPES: [&str; 8] = [
            "mutex",
            "recursive_mutex",
            "shared_mutex",
            "timed_mutex",
            "omp_lock_t",
            "omp_nest_lock_t",
            "pthread_mutex_t",
            "mtx_t",
        ];
        let declared = |line: &str| -> Vec<String> {
            let mut own = words(line).filter(|word| !word.is_empty());
            let is_type = |word: &str| TYPES.contains(&word);
            let is_kept =
                words(line).any(|word| matches!(word, "static" | "extern")) || line.contains(['&', '*', '(']);
            if is_kept || !own.any(is_type) { Vec::new() } else { own.take(1).map(str::to_owned).collect() }
        };
        let regions = self.constructs().filter(|(text, _)| words(text).any(|word| word == "parallel"));
        let regions: Vec<(u32, u32)> = regions.map(|(_, lines)| lines).collect();
        for (first, last) in regions {
            let texts = (first..=last).filter(|line| !self.is_directive(*line));
            let texts = texts.filter_map(|line| all.get(line as usize - 1));
            let own: BTreeSet<String> = texts.flat_map(|text| declared(text)).collect();
            let is_own = |guard: &Guard| match guard {
                Guard::Lock(lock) => own.contains(lock.trim_start_matches('&')),
                _ => false,
            };
            self.of.range_mut(first..=last).for_each(|(_, guards)| guards.retain(|guard| !is_own(guard)));
        }
        self.of.retain(|_, own| !own.is_empty());
    }

    /// The lines among some with operations that are atomic if a directive was compiled of which that is not known.
    pub fn may_be_atomic(&self, lines: std::ops::RangeInclusive<u32>) -> impl Iterator<Item = u32> {
        self.may_be_atomic.range(lines).copied()
    }

    /// Whether there is some guard on a line.
    pub fn is_guarded(&self, line: u32) -> bool {
        self.of.contains_key(&line)
    }

    /// Directives, each with the first and last line of it and of the statement or block that it stands before.
    pub fn constructs(&self) -> impl Iterator<Item = (&str, (u32, u32))> {
        self.constructs.iter().map(|(text, lines)| (text.as_str(), *lines))
    }

    /// Whether all that a subscript names is in an index, or in what the file sets names of the index to, or is set to the index itself.
    fn is_chosen_by(&self, index: &str, subscript: &str) -> bool {
        let mut known: BTreeSet<&str> = BTreeSet::new();
        let mut open: Vec<&str> = names(index).collect();
        while let Some(name) = open.pop() {
            if known.insert(name) {
                open.extend(self.set_to.get(name).into_iter().flatten().flat_map(|value| names(value)));
            }
        }
        let is_known = |name: &str| {
            known.contains(name) || self.set_to.get(name).is_some_and(|values| values.contains(index))
        };
        names(subscript).all(is_known)
    }

    /// Whether threads are ordered by what they write and read, in a function in which one of these lines is: by flags, which are not
    /// followed.
    pub fn has_flags(&self, lines: &[u32]) -> bool {
        lines.iter().any(|&line| self.waiting.contains(&self.unit(line)))
    }

    /// Whether what a loop on some lines does to a variable stands behind where a thread waits until it alone goes on, or is an operation
    /// of an atomic object.
    pub fn has_turn(&self, inside: std::ops::RangeInclusive<u32>, name: Option<&str>, lines: &[u32]) -> bool {
        let is_behind = |line: &u32| self.turns.range(inside.clone()).any(|turn| turn <= line);
        let is_atomic = |name: &str| {
            let member = name.rsplit(['.', '>']).next().unwrap_or(name);
            self.atomics.contains(name) || self.atomics.contains(member)
        };
        !lines.is_empty() && lines.iter().all(is_behind) || name.is_some_and(is_atomic)
    }

    /// The functions with flags: in a directive of memory's order, where some loop waits, or in the text.
    fn find_flags(&mut self, all: &[&str]) {
        let waits = |line: &&str| words(line).any(|word| word.eq_ignore_ascii_case("while"));
        let waiting: BTreeSet<usize> =
            (1..).zip(all).filter(|(_, line)| waits(line)).map(|(number, _)| self.unit(number)).collect();
        let marked = self.constructs().filter(|(text, _)| {
            words(text).any(|word| ["flush", "acquire", "release", "acq_rel", "seq_cst"].contains(&word))
        });
        let marked = marked.map(|(_, (first, _))| self.unit(first)).filter(|unit| waiting.contains(unit));
        let is_flag = |(_, line): &(u32, &&str)| FLAGS.iter().any(|flag| line.contains(flag));
        let flags = (1..).zip(all).filter(is_flag).map(|(number, _)| self.unit(number));
        self.waiting = marked.chain(flags).collect();
        let has = |line: &str, of: &[&str]| of.iter().any(|own| line.contains(own));
        self.turns = (1..).zip(all).filter(|(_, line)| has(line, &TURNS)).map(|(number, _)| number).collect();
        let objects = all.iter().flat_map(|line| {
            OPERATIONS
                .iter()
                .filter_map(|own| line.split_once(own))
                .map(|(before, _)| before.rsplit(|c: char| !is_word(c)).next().unwrap_or_default().to_owned())
        });
        let declared = all.iter().flat_map(|line| atomics(line));
        self.atomics = objects.chain(declared).filter(|name| !name.is_empty()).collect();
    }

    /// The number of the function in which a line is.
    fn unit(&self, line: u32) -> usize {
        self.units.partition_point(|&last| last < line)
    }

    /// The last line of the function, or of what stands between two, in which a line is.
    pub fn end_of_function(&self, line: u32) -> Option<u32> {
        self.units.get(self.unit(line)).copied()
    }

    /// What a name stands for: `p` for `x` if all that the file sets it to is `&x`.
    pub fn target<'n>(&'n self, name: &'n str) -> &'n str {
        self.locks.target(name)
    }

    /// Whether a function combines what a reduction that the text declares has.
    pub fn is_combiner(&self, function: &str) -> bool {
        self.constructs().filter(|(text, _)| text.contains("declare") && text.contains("reduction")).any(
            |(text, _)| text.split(|c: char| !is_word(c)).any(|word| !word.is_empty() && word == function),
        )
    }

    /// Whether one of two lines is a directive's, and the other what it stands before: compilers put what they do for its clauses on
    /// both. A loop's without such clauses has the loop's own variables there.
    pub fn is_of_directive(&self, a: u32, b: u32) -> bool {
        self.constructs.iter().filter(|own| !is_loop_without_clauses(&own.0)).any(|(_, (first, last))| {
            let inside = |line: u32| (*first..=*last).contains(&line);
            // Its own lines, and those of directives that follow at once.
            let own = |line: u32| *first <= line && (*first..=line).all(|line| self.has_clauses(line));
            inside(a) && inside(b) && (own(a) || own(b))
        })
    }

    /// Whether a line is a directive's.
    pub fn is_directive(&self, line: u32) -> bool {
        self.directives.contains(&line)
    }

    /// Whether a line is that of a directive for the clauses of which compilers do something. What they have on that of an atomic operation is the
    /// operation, and on that of a workshare what follows.
    pub fn has_clauses(&self, line: u32) -> bool {
        let is_atomic = || self.of.get(&line).is_some_and(|own| own.contains(&Guard::Atomic));
        self.is_directive(line) && !is_atomic() && !self.workshares.contains(&line)
    }
}

/// What a line has in it that waits for what other threads write, or tells them.
const FLAGS: [&str; 16] = [
    "test_and_set",
    "compare_exchange",
    "call_once",
    "memory_order_",
    "atomic_thread_fence",
    "atomic_load",
    "atomic_store",
    "__atomic_exchange",
    "__sync_lock",
    "__sync_bool",
    "__sync_val",
    ".load(",
    ".store(",
    "pthread_cond_",
    ".wait(",
    ".notify_",
];
/// What of that lets one thread go on at a time, or before all others.
const TURNS: [&str; 5] =
    ["test_and_set", "compare_exchange", "call_once", "__sync_lock", "__atomic_exchange"];
/// Operations of atomic objects.
const OPERATIONS: [&str; 5] =
    [".compare_exchange", ".test_and_set", ".clear(", ".load(std::memory_order", ".fetch_"];
/// How compilers spell atomic operations.
const ATOMIC: [&str; 3] = ["__atomic_", "__sync_", "atomic_fetch_"];

/// The text of C or C++ without comments and without what strings say; line by line.
pub(super) fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    let mut before = ' ';
    while let Some(c) = rest.next() {
        match (c, rest.peek().copied()) {
            ('/', Some('/')) => {
                while rest.peek().is_some_and(|&c| c != '\n') {
                    rest.next();
                }
            }
            ('/', Some('*')) => {
                rest.next();
                let mut star = false;
                for c in rest.by_ref() {
                    if c == '\n' {
                        out.push(c);
                    }
                    if star && c == '/' {
                        break;
                    }
                    star = c == '*';
                }
                out.push(' ');
            }
            // Not the separator of digits.
            ('"' | '\'', _) if c == '"' || !before.is_ascii_alphanumeric() => {
                out.push(c);
                while let Some(next) = rest.next() {
                    match next {
                        '\\' => drop(rest.next()),
                        '\n' => {
                            out.push(next);
                            break;
                        }
                        _ if next == c => {
                            out.push(next);
                            break;
                        }
                        _ => {}
                    }
                }
            }
            _ => out.push(c),
        }
        before = c;
    }
    out
}

/// The last lines of functions, and of what stands before them.
fn units(functions: &[(u32, u32)], ends: &BTreeSet<u32>) -> Vec<u32> {
    let before = functions.iter().filter_map(|own| own.0.checked_sub(1));
    let all: BTreeSet<u32> = before.filter(|&line| line > 0).chain(ends.iter().copied()).collect();
    all.into_iter().collect()
}

/// The last lines of the functions and programs of Fortran.
fn ends_of_fortran(all: &[&str]) -> impl Iterator<Item = u32> {
    let is_last = |line: &str| {
        let line = line.trim_start().to_ascii_lowercase();
        let rest = line.strip_prefix("end").map(str::trim_start);
        rest.is_some_and(|rest| {
            rest.is_empty() || ["subroutine", "function", "program"].iter().any(|word| rest.starts_with(word))
        })
    };
    (1..).zip(all).filter(move |(_, line)| is_last(line)).map(|(number, _)| number)
}

/// The names of what a line declares to be atomic.
fn atomics(line: &str) -> Vec<String> {
    let Some(at) = line.find("atomic").or_else(|| line.find("_Atomic")) else { return Vec::new() };
    let rest = &line[at..];
    // Behind the type: `std::atomic<int> a{0}, b;`, `atomic_int c = 1;`, `_Atomic int d;`.
    let names = match rest.split_once('<') {
        Some(("atomic", inside)) => {
            let mut depth = 1usize;
            let end = inside.find(|c: char| {
                match c {
                    '<' => depth += 1,
                    '>' => depth -= 1,
                    _ => {}
                }
                depth == 0
            });
            end.map_or("", |end| &inside[end + 1..])
        }
        _ => rest.split_once(char::is_whitespace).map_or("", |(_, names)| names),
    };
    let Some((names, _)) = names.split_once(';').filter(|(names, _)| !names.contains("return")) else {
        return Vec::new();
    };
    let name = |one: &str| {
        let before = one.split(['=', '{', '[', ';', '(']).next().unwrap_or_default();
        before.split(|c: char| !is_word(c)).rfind(|word| !word.is_empty()).map(str::to_owned)
    };
    items(names).filter_map(name).collect()
}

/// Whether a directive shares out a loop and says nothing of what a variable is before or behind it: what is on its line is the loop's.
fn is_loop_without_clauses(text: &str) -> bool {
    let has = |all: &[&str]| words(text).any(|word| all.iter().any(|own| word.eq_ignore_ascii_case(own)));
    has(&["for", "do", "taskloop"])
        && !has(&["end"])
        && !has(&[
            "reduction",
            "in_reduction",
            "task_reduction",
            "lastprivate",
            "firstprivate",
            "linear",
            "copyin",
            "ordered",
            "inscan",
        ])
}

/// Whether a line begins a directive.
fn is_directive(line: &str, is_fortran: bool) -> bool {
    let start = line.trim_start().to_ascii_lowercase();
    match is_fortran {
        true => start.starts_with("!$omp") || start.starts_with("c$omp") || start.starts_with("*$omp"),
        false => start.strip_prefix('#').is_some_and(|rest| rest.trim_start().starts_with("pragma")),
    }
}

/// The index of the last line of what begins on one.
fn last_of(all: &[&str], index: usize, is_fortran: bool) -> usize {
    if !is_directive(all[index], is_fortran) {
        return index;
    }
    let goes_on = |line: &&str| line.trim_end().ends_with(if is_fortran { '&' } else { '\\' });
    let more = all[index..].iter().take_while(|line| goes_on(line)).count();
    (index + more).min(all.len() - 1)
}

/// Whether a lock that is written so guards something.
fn guards(lock: &str, what: &Guarded<'_>) -> bool {
    if lock.contains('?') {
        // One of two.
        return matches!(what, Guarded::Place(is_varying) if !names(lock).any(is_varying));
    }
    let Some(open) = lock.find('[') else { return true };
    let index = lock[open + 1..].rsplit_once(']').map_or("", |(index, _)| index);
    match what {
        Guarded::Place(is_varying) => !names(index).any(is_varying),
        Guarded::Elements(subscripts) => {
            index.bytes().all(|c| c.is_ascii_digit())
                || subscripts.iter().any(|own| !own.is_empty() && index.contains(own.as_str()))
        }
    }
}

/// Whether a character may be part of a name.
pub(super) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !is_word(c))
}

/// Whether a line has a name in it.
pub(super) fn mentions(line: &str, name: &str) -> bool {
    words(line).any(|word| word == name)
}

/// The items of a list with commas between; those in brackets are parts of items.
pub(super) fn items(list: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0i32;
    list.split(move |c: char| {
        match c {
            '(' | '{' | '[' => depth += 1,
            ')' | '}' | ']' => depth -= 1,
            _ => {}
        }
        c == ',' && depth == 0
    })
}

/// The names in an expression.
fn names(text: &str) -> impl Iterator<Item = &str> {
    words(text).filter(|word| word.starts_with(|c: char| c.is_alphabetic() || c == '_'))
}

/// The subscripts of elements of an array on a line, without spaces.
pub(super) fn subscripts(line: &str, array: &str) -> Vec<String> {
    let places = line.match_indices(array).filter(|(at, _)| !line[..*at].ends_with(is_word));
    let inside = places.filter_map(|(at, _)| line[at + array.len()..].trim_start().strip_prefix('['));
    inside
        .map(|inside| {
            let mut depth = 1usize;
            let own = inside.chars().take_while(|c| {
                match c {
                    '[' => depth += 1,
                    ']' => depth -= 1,
                    _ => {}
                }
                depth > 0
            });
            own.filter(|c| !c.is_whitespace()).collect()
        })
        .collect()
}

/// The construct that a directive begins which guards what follows.
fn construct(line: &str, is_fortran: bool) -> Option<Guard> {
    let line = line.trim_start().to_ascii_lowercase();
    let rest = if is_fortran {
        line.strip_prefix("!$omp").or_else(|| line.strip_prefix("c$omp"))?.to_owned()
    } else {
        let rest = line.strip_prefix('#')?.trim_start().strip_prefix("pragma")?.trim_start().to_owned();
        rest.strip_prefix("omp")?.to_owned()
    };
    let rest = rest.trim_start();
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
    let (word, rest) = rest.split_at(end);
    match word {
        "atomic" => Some(Guard::Atomic),
        // By itself it guards no statement, but has an iteration wait for others (module `doacross`).
        "ordered" if rest.contains("depend") || rest.contains("doacross") => None,
        "ordered" => Some(Guard::Ordered),
        "critical" => {
            let name = rest.trim_start().strip_prefix('(').and_then(|rest| rest.split(')').next());
            Some(Guard::Critical(name.unwrap_or_default().trim().to_owned()))
        }
        _ => None,
    }
}

/// The lines of a construct whose directive stands on some lines: the statement or block behind it, and its own, on which compilers put
/// what they do for it.
fn lines_of(all: &[&str], (index, last): (usize, usize), guard: &Guard, is_fortran: bool) -> Vec<u32> {
    let mut out: Vec<u32> = (index as u32 + 1..=last as u32 + 1).collect();
    let (mut depth, mut round) = (0i64, 0i64);
    let has_end = all[index..=last].iter().any(|line| line.to_ascii_lowercase().contains("capture"));
    let mut behind = all.iter().enumerate().skip(last + 1).take(MOST_LINES).peekable();
    let first = all.iter().skip(last + 1).map(|line| line.trim_start()).find(|line| !line.is_empty());
    let is_condition =
        first.is_some_and(|line| line.strip_prefix("if").is_some_and(|rest| !rest.starts_with(is_word)));
    while let Some((after, line)) = behind.next() {
        if is_fortran && ends(line) {
            break;
        }
        out.push(after as u32 + 1);
        if is_fortran {
            // It takes one statement without an end, unless it has to have one.
            if *guard == Guard::Atomic && !has_end && !line.trim().is_empty() {
                break;
            }
            continue;
        }
        let mut is_over = false;
        for c in line.chars() {
            match c {
                '{' => depth += 1,
                '}' => {
                    depth -= 1;
                    is_over |= depth <= 0;
                }
                '(' => round += 1,
                ')' => round -= 1,
                ';' => is_over |= depth == 0 && round == 0,
                _ => {}
            }
        }
        // Of a condition that is guarded as a whole; an `else` behind another statement is that of a condition around.
        let goes_on = |line: &str| is_condition && line.trim_start().starts_with("else");
        let more = line.rsplit(['}', ';']).next().is_some_and(goes_on)
            || behind.peek().is_some_and(|(_, next)| goes_on(next));
        if is_over && depth <= 0 && !more {
            break;
        }
    }
    out
}

/// The line on which a construct of Fortran ends whose directive stands on some lines: by the directive that says so.
fn fortran_end(all: &[&str], (index, last): (usize, usize)) -> Option<u32> {
    let word = |line: &str| -> Option<(bool, String)> {
        let line = line.trim_start().to_ascii_lowercase();
        let rest = line.strip_prefix("!$omp").or_else(|| line.strip_prefix("c$omp"))?.trim_start();
        let (is_end, rest) = rest.strip_prefix("end").map_or((false, rest), |rest| (true, rest.trim_start()));
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
        Some((is_end, rest[..end].to_owned()))
    };
    let (_, own) = word(all[index])?;
    let is_loop =
        all[index].to_ascii_lowercase().split(|c: char| !c.is_ascii_alphanumeric()).any(|word| word == "do");
    let mut depth = 0usize;
    let mut loop_end = None;
    let mut open = 1usize;
    for (at, line) in all.iter().enumerate().skip(last + 1).take(MOST_LINES) {
        match word(line) {
            Some((true, other)) if other == own => open -= 1,
            Some((false, other)) if other == own => open += 1,
            _ => {}
        }
        if open == 0 {
            return Some(at as u32 + 1);
        }
        // A loop ends its directive where no other does.
        let line = line.trim_start().to_ascii_lowercase();
        let line = line
            .split_once(':')
            .filter(|(label, _)| !label.contains(['(', '=', '!']))
            .map_or(&*line, |(_, rest)| rest.trim_start());
        if line.starts_with("do ") || line.trim_end() == "do" {
            depth += 1;
        } else if line.starts_with("end do") || line.starts_with("enddo") {
            depth = depth.saturating_sub(1);
            if depth == 0 && is_loop && loop_end.is_none() {
                loop_end = Some(at as u32 + 1);
            }
        }
        if line.starts_with("end program")
            || line.starts_with("end subroutine")
            || line.starts_with("end function")
        {
            break;
        }
    }
    loop_end
}

/// Most lines of a construct that are read.
const MOST_LINES: usize = 1 << 14;

fn ends(line: &str) -> bool {
    let line = line.trim_start().to_ascii_lowercase();
    let rest = line.strip_prefix("!$omp").unwrap_or_default().trim_start();
    rest.strip_prefix("end").is_some_and(|rest| {
        ["atomic", "critical", "ordered"].iter().any(|guard| rest.trim_start().starts_with(guard))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(guards: &Guards) -> Vec<u32> {
        guards.of.keys().copied().collect()
    }

    const ONE: Guarded<'static> = Guarded::Place(&|name| name == "i");

    #[test]
    fn guards_reach_over_a_statement_or_a_block() {
        let c = "for (;;) {\n#pragma omp atomic\n a +=\n b;\n c;\n # pragma omp critical (x)\n {\n d;\n }\n e;\n}\n";
        assert_eq!(lines(&Guards::of(c, Language::Cpp)), [2, 3, 4, 6, 7, 8, 9]);
        let f = "do i = 1, n\n!$omp atomic\n a = a + 1\n b = 2\n!$OMP CRITICAL\n c = 1\n d = 2\n!$omp end critical\n e = 1\nend do\n";
        assert_eq!(lines(&Guards::of(f, Language::Fortran)), [2, 3, 5, 6, 7]);
    }

    /// What compilers have on a directive's line is done for its clauses; of a loop without such it is the loop's.
    #[test]
    fn lines_of_directives() {
        let of = |directive: &str| {
            let c = format!("void f() {{\n#pragma omp {directive}\n for (;;) {{\n x = i;\n }}\n}}\n");
            Guards::of(&c, Language::Cpp).is_of_directive(2, 4)
        };
        assert!(
            of("parallel for reduction(+ : x)") && of("for lastprivate(x)") && of("single copyprivate(x)")
        );
        assert!(!of("parallel for") && !of("for schedule(static)"));
    }

    /// What the run has shown of locks comes before the text.
    #[test]
    fn the_run_comes_first() {
        let c = "void f() {\n omp_set_lock(&l);\n s++;\n omp_unset_lock(&l);\n t++;\n#pragma omp atomic\n s++;\n}\n";
        let guards = Guards::of(c, Language::Cpp);
        let with = |pairs: &[([u32; 2], Exclusion)]| guards.with(pairs.iter().copied());
        let other =
            with(&[([3, 3], Exclusion::Absent), ([5, 5], Exclusion::Held), ([7, 7], Exclusion::Absent)]);
        assert!(guards.exclude(&[3], &ONE) && !guards.exclude(&[5], &ONE));
        assert!(!other.exclude(&[3], &ONE) && other.exclude(&[5], &ONE) && other.exclude(&[7], &ONE));
        // Once is enough, and a line that met none of the others is the text's.
        let twice = with(&[([5, 5], Exclusion::Held), ([5, 5], Exclusion::Absent)]);
        assert!(!twice.exclude(&[5], &ONE) && !other.exclude(&[5, 8], &ONE));
        // Another kind of lock elsewhere in the file changes nothing of that.
        let more = format!(
            "{c}void g() {{\n pthread_mutex_lock(&other);\n s++;\n pthread_mutex_unlock(&other);\n}}\n"
        );
        let more = Guards::of(&more, Language::C).with([([3, 3], Exclusion::Absent)]);
        assert!(!more.exclude(&[3], &ONE) && more.exclude(&[11], &ONE));
        // Of locks of other kinds the run shows nothing.
        let text =
            c.replace("omp_set_lock", "pthread_mutex_lock").replace("omp_unset_lock", "pthread_mutex_unlock");
        assert!(Guards::of(&text, Language::Cpp).with([([3, 3], Exclusion::Absent)]).exclude(&[3], &ONE));
    }

    /// Functions end where their text does, wherever on a line that is.
    #[test]
    fn flags_are_those_of_their_function() {
        let c = "static int l; void x(void){\n while(__sync_lock_test_and_set(&l,1)) ; w++; __sync_lock_release(&l); }\nvoid a(void){\n#pragma omp parallel for\n for(;;) v+=i;\n}\n";
        let guards = Guards::of(c, Language::C);
        assert!(guards.has_flags(&[2]) && !guards.has_flags(&[5]));
        assert!(!guards.exclude(&[5], &ONE) && guards.end_of_function(2) != guards.end_of_function(5));
    }

    /// Of atomic operations no run knows.
    #[test]
    fn atomic_operations_that_may_not_be_compiled() {
        let open = "void f(void) {\n#ifdef A\n#pragma omp atomic\n#endif\n s++;\n t++;\n}\n";
        let text = open.replace("#pragma omp atomic", "");
        let guards = Guards::with_open(&text, open, Language::C);
        assert!(guards.exclude(&[5], &ONE) && !guards.exclude(&[6], &ONE));
        assert_eq!(guards.may_be_atomic(1..=7).collect::<Vec<u32>>(), [5]);
        assert!(!Guards::with_open(&text, &text, Language::C).exclude(&[5], &ONE));
    }

    #[test]
    fn what_is_not_text_guards_nothing() {
        let c = "void f() {\n // omp_set_lock(&l);\n s++;\n puts(\"}\");\n/* \n#pragma omp atomic\n*/\n s++;\n}\n";
        assert!(lines(&Guards::of(c, Language::Cpp)).is_empty());
        let c = "#pragma omp \\\n critical\n {\n puts(\"}\");\n s++;\n }\n s++;\n";
        assert_eq!(lines(&Guards::of(c, Language::Cpp)), [1, 2, 3, 4, 5, 6]);
    }

    #[test]
    fn a_guard_reaches_over_all_of_a_condition() {
        let c = "if (a)\n#pragma omp atomic\n s++;\n else\n s += 2;\n";
        assert_eq!(lines(&Guards::of(c, Language::Cpp)), [2, 3]);
        let c = "#pragma omp critical\n if (a)\n s++;\n else\n s--;\n t++;\n#pragma omp critical\n if (a) {\n s++;\n } else {\n s--;\n }\n t++;\n";
        assert_eq!(lines(&Guards::of(c, Language::Cpp)), [1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12]);
    }

    #[test]
    fn locks_are_counted_and_conditional() {
        let c = "void f() {\n omp_set_nest_lock(&l);\n omp_set_nest_lock(&l);\n s++;\n omp_unset_nest_lock(&l);\n s++;\n omp_unset_nest_lock(&l);\n s++;\n}\n";
        assert_eq!(lines(&Guards::of(c, Language::Cpp)), [2, 3, 4, 5, 6, 7]);
        let c = "void f() {\n if (i & 1) omp_set_lock(&l);\n s++;\n}\n";
        assert_eq!(lines(&Guards::of(c, Language::Cpp)), [2]);
        let c = "void f() {\n {\n std::lock_guard<std::mutex> own(m);\n s++;\n }\n s++;\n}\n";
        assert_eq!(lines(&Guards::of(c, Language::Cpp)), [3, 4, 5]);
        let c = "void f() {\n omp_set_lock(&l);\n if (k) {\n omp_unset_lock(&l);\n continue;\n }\n s++;\n omp_unset_lock(&l);\n t++;\n}\n";
        assert_eq!(lines(&Guards::of(c, Language::Cpp)), [2, 3, 4, 5, 6, 7, 8]);
    }

    #[test]
    fn locks_are_chosen_by_what_names_are_set_to() {
        let c = "void f() {\n int low = a < b ? a : b, k = hash(e);\n omp_set_lock(&m[low]);\n s[a]++;\n omp_unset_lock(&m[low]);\n omp_set_lock(&m[hash(e)]);\n s[k]++;\n omp_unset_lock(&m[hash(e)]);\n}\n";
        let guards = Guards::of(c, Language::Cpp);
        let apart = |line: u32, name: &str| guards.are_locked_apart(&[line], &[name.to_owned()]);
        assert!(apart(4, "a") && apart(4, "b") && !apart(4, "c"));
        assert!(apart(7, "k") && apart(7, "e") && !apart(7, "a"));
        let c = "void f() {\n int b = i * i % 8;\n omp_set_lock(&m[i % 3]);\n s[b]++;\n omp_unset_lock(&m[i % 3]);\n}\n";
        assert!(!Guards::of(c, Language::Cpp).are_locked_apart(&[4], &["b".to_owned()]));
        assert_eq!(subscripts("x[1] + ax[2] - x [ y[3] ]", "x"), ["1", "y[3]"]);
    }

    #[test]
    fn locks_of_objects_are_given_back() {
        let c = "void f() {\n std::unique_lock<std::mutex> g(m);\n s++;\n g.unlock();\n t++;\n}\n";
        assert_eq!(lines(&Guards::of(c, Language::Cpp)), [2, 3, 4]);
        let c = "void f() {\n if (a) {\n std::lock_guard<std::mutex> g(m);\n s++;\n } else {\n std::lock_guard<std::mutex> g(n);\n s--;\n }\n}\n";
        let guards = Guards::of(c, Language::Cpp);
        assert!(guards.exclude(&[4], &ONE) && guards.exclude(&[7], &ONE) && !guards.exclude(&[4, 7], &ONE));
        let c =
            "void f() {\n std::unique_lock<std::mutex> g(m, std::defer_lock);\n s++;\n g.lock();\n s++;\n}\n";
        assert_eq!(lines(&Guards::of(c, Language::Cpp)), [4, 5]);
        let c = "void f() {\n std::lock_guard<std::mutex> g(i & 1 ? m : n);\n s++;\n}\n";
        assert!(!Guards::of(c, Language::Cpp).exclude(&[3], &ONE));
        let c = "void f() {\n#pragma omp parallel\n {\n std::mutex m;\n std::lock_guard<std::mutex> g(m);\n s++;\n }\n}\n";
        assert!(lines(&Guards::of(c, Language::Cpp)).is_empty());
    }

    #[test]
    fn atomic_objects_are_known() {
        assert_eq!(atomics(" std::atomic<int> k{0}, last{f(1, 2)};"), ["k", "last"]);
        assert_eq!(atomics("static atomic_int one = 1;"), ["one"]);
        assert_eq!(atomics("struct S { std::atomic<std::pair<int, int>> both; };"), ["both"]);
        assert_eq!(
            atomics("struct S { std::atomic<int> bits{0}; void add(int i) { bits |= i; } };"),
            ["bits"]
        );
        assert!(atomics("f(std::atomic_load(&x));").is_empty() && atomics("#pragma omp atomic").is_empty());
    }

    #[test]
    fn a_capture_of_fortran_has_two_statements() {
        let f = "!$omp atomic capture\n n = n + 1\n k = n\n!$omp end atomic\n a = 1\n";
        assert_eq!(lines(&Guards::of(f, Language::Fortran)), [1, 2, 3]);
    }

    #[test]
    fn one_guard_has_to_be_held_everywhere() {
        let c = "#pragma omp critical(a)\n s++;\n#pragma omp critical(b)\n s++;\n#pragma omp critical(a)\n s--;\n#pragma omp critical\n s--;\n s--;\n";
        let guards = Guards::of(c, Language::Cpp);
        assert!(guards.exclude(&[2, 6], &ONE) && guards.exclude(&[2], &ONE));
        assert!(
            !guards.exclude(&[2, 4], &ONE)
                && !guards.exclude(&[2, 8], &ONE)
                && !guards.exclude(&[8, 9], &ONE)
        );
    }

    #[test]
    fn locks_are_held_until_they_are_given_back() {
        let c = "void f() {\n omp_set_lock(& l);\n s++;\n omp_unset_lock(&l);\n s++;\n omp_set_lock(&m[i & 1]);\n s++;\n h[i & 1]++;\n}\nint g() {\n s++;\n}\n";
        let guards = Guards::of(c, Language::Cpp);
        assert_eq!(lines(&guards), [2, 3, 4, 6, 7, 8]);
        assert!(guards.exclude(&[3], &ONE) && !guards.exclude(&[3, 7], &ONE));
        let apart = |name: &str| guards.are_locked_apart(&[8], &[name.to_owned()]);
        assert!(apart("i&1") && apart("i") && apart("") && !apart("d[i]"));
        // Another lock each time.
        assert!(!guards.exclude(&[7], &ONE));
        assert!(guards.exclude(&[8], &Guarded::Elements(&["i&1".to_owned()])));
        assert!(!guards.exclude(&[8], &Guarded::Elements(&["j".to_owned()])));
    }
}
