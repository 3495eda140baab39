//! Races of tasks: what a task and other code of its region came to, and what the text does not order.
//!
//! Definition: a *construct* is a `task` or `taskloop` directive with the statement behind it. The run has shown which statements came to
//! one place ([`Dependence`]), whichever thread ran them; their order is the text's (OpenMP 5.2, sections 12.5, 15.4, 15.5 and 15.9.5). What
//! stands behind a construct follows it if a `taskwait` of the same generating task, the end of a `taskgroup` around it, or a barrier, explicit
//! or at the end of a worksharing construct or region, stands between. Two constructs are ordered so, or by `depend` clauses about one
//! variable.
//!
//! Limits: tasks of one construct that functions make which call themselves are not compared; clauses are compared by the names of their
//! variables; conditions are taken to hold.

use std::collections::{BTreeMap, BTreeSet};

use profile::{ContextIndex, ContextKind, Dependence, Kind, ObjectKind, Profile, StatementIndex, TaskOrder};
use rustc_hash::FxHashMap;
use schedule::names::of_region;

use super::Texts;
use super::between::{Between, is_of_maker, is_of_reduction, name_of, objects, places};
use super::guards::{Guarded, Guards, items, mentions, words};
use super::{clauses, is_off};

/// A task in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Construct {
    /// Lines, those of the directive included.
    lines: (u32, u32),
    /// The last line of the directive.
    directive: u32,
    /// It is a `taskloop`.
    is_loop: bool,
    /// The code behind it goes on when it is done.
    is_waited_for: bool,
    /// What its `depend` clauses name.
    depends: Vec<Depend>,
    /// It takes part in a reduction.
    reduces: bool,
    /// Every member of a team makes one.
    is_multiplied: bool,
    /// The construct around it: what makes it.
    parent: Option<usize>,
}

/// What a `depend` clause names.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Depend {
    name: String,
    /// All subscripts, without spaces; empty if there are none.
    subscripts: String,
    /// How.
    mode: Mode,
}

/// What a `depend` clause says that a task does to what it names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    In,
    /// `inoutset`: those of one set are not ordered.
    Set,
    /// `out`, `inout`, and `mutexinoutset`, of which one runs at a time.
    Out,
}

/// What has tasks end.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Wait {
    /// Those that the same code has made: on a line.
    Children(u32),
    /// Of those the ones that depend on something.
    Some(u32, Vec<Depend>),
    /// All that were made on lines up to the last of these, behind which it is.
    Group(u32, u32),
    /// All: on a line.
    Barrier(u32),
}

/// The tasks of a file.
#[derive(Debug, Clone, Default)]
pub struct Tasks {
    constructs: Vec<Construct>,
    waits: Vec<Wait>,
    /// First and last lines of loops, and the names of their iterators.
    loops: Vec<((u32, u32), Vec<String>)>,
}

impl Tasks {
    /// Those of a text, in C or Fortran.
    pub fn of(guards: &Guards, loops: Vec<((u32, u32), Vec<String>)>) -> Tasks {
        // What members of a team do one for all, or each a part of.
        const ALONE: [&str; 8] = ["single", "master", "masked", "section", "sections", "for", "do", "task"];
        let mut regions: Vec<((u32, u32), bool)> = Vec::new();
        let mut out = Tasks { loops, ..Tasks::default() };
        for (text, lines) in guards.constructs() {
            let head = text.split('(').next().unwrap_or_default().to_ascii_lowercase();
            let words: Vec<&str> = head.split(|c: char| !c.is_ascii_alphanumeric()).collect();
            if !words.contains(&"omp") || words.contains(&"end") {
                continue;
            }
            let has = |word: &str| words.contains(&word);
            let all = text.to_ascii_lowercase();
            let (own, last) = (lines.0, lines.1);
            if has("taskwait") {
                let on = depends(text, guards);
                out.waits.push(if on.is_empty() { Wait::Children(own) } else { Wait::Some(own, on) });
            } else if has("barrier") {
                out.waits.push(Wait::Barrier(own));
            } else if has("taskgroup") {
                out.waits.push(Wait::Group(own, last));
            } else if has("task") || has("taskloop") {
                let list = clauses(text);
                let is_loop = has("taskloop");
                let is_serial = list.iter().any(is_off);
                let directive = (lines.0..=lines.1).take_while(|&line| guards.is_directive(line)).last();
                out.constructs.push(Construct {
                    lines,
                    directive: directive.unwrap_or(lines.0),
                    is_loop,
                    is_waited_for: is_serial || is_loop && !all.contains("nogroup"),
                    depends: depends(text, guards),
                    reduces: list.iter().any(|clause| clause.name.ends_with("reduction")),
                    is_multiplied: false,
                    parent: None,
                });
            }
            if has("parallel") || ALONE.iter().any(|word| has(word)) {
                let is_shared = ALONE.iter().any(|word| has(word)) || has("taskloop");
                regions.push((lines, !is_shared));
            }
            if has("parallel")
                || ["single", "for", "do", "sections", "scope"].iter().any(|word| has(word))
                    && !all.contains("nowait")
            {
                out.waits.push(Wait::Barrier(last));
            }
        }
        let all = out.constructs.clone();
        for (at, own) in out.constructs.iter_mut().enumerate() {
            let around = |(other, outer): &(usize, &Construct)| {
                *other != at && outer.lines.0 < own.lines.0 && own.lines.1 <= outer.lines.1
            };
            let innermost = all.iter().enumerate().filter(around).max_by_key(|(_, outer)| outer.lines.0);
            own.parent = innermost.map(|(other, _)| other);
            let region = regions.iter().filter(|(lines, _)| lines.0 < own.lines.0 && own.lines.1 <= lines.1);
            own.is_multiplied = region.max_by_key(|(lines, _)| lines.0).is_some_and(|(_, is_team)| *is_team);
        }
        out
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.constructs.is_empty()
    }

    /// The construct whose directive stands on a line.
    fn on(&self, line: u32) -> Option<usize> {
        self.constructs.iter().position(|own| own.lines.0 == line || own.directive == line)
    }

    /// The innermost construct in which all of these lines stand.
    fn around(&self, lines: &BTreeSet<u32>) -> Option<usize> {
        let (first, last) = (*lines.first()?, *lines.last()?);
        let all = self.constructs.iter().enumerate();
        let around = all.filter(|(_, own)| own.lines.0 <= first && last <= own.lines.1);
        around.max_by_key(|(_, own)| own.lines.0).map(|(at, _)| at)
    }

    /// The innermost construct around a line, other than those that begin on it.
    fn generating(&self, line: u32) -> Option<usize> {
        let all = self.constructs.iter().enumerate();
        let around = all.filter(|(_, own)| own.lines.0 < line && line <= own.lines.1);
        around.max_by_key(|(_, own)| own.lines.0).map(|(at, _)| at)
    }

    /// Whether a task of a construct has ended where control comes to a line behind it.
    fn has_ended(&self, at: usize, line: u32) -> bool {
        let own = &self.constructs[at];
        if own.is_waited_for && self.generating(line) == own.parent {
            return true;
        }
        let is_of_maker = |on: u32| own.lines.1 < on && on <= line && self.generating(on) == own.parent;
        let is_between = |wait: &Wait| match *wait {
            Wait::Children(on) => is_of_maker(on),
            Wait::Some(on, ref depends) => {
                is_of_maker(on) && self.meet((&own.depends, own.lines), (depends, (on, on)), false)
            }
            Wait::Group(first, last) => first <= own.lines.0 && own.lines.1 <= last && last < line,
            Wait::Barrier(on) => own.lines.1 <= on && on < line,
        };
        if self.waits.iter().any(is_between) {
            return true;
        }
        // The one that makes it has waited for it, and has ended itself.
        own.parent.is_some_and(|parent| {
            let outer = self.constructs[parent].lines.1;
            line > outer && self.has_ended(at, outer) && self.has_ended(parent, line)
        })
    }

    /// The innermost loop around some lines.
    fn common_loop(&self, first: u32, last: u32) -> Option<(u32, u32)> {
        let around = self.loops.iter().map(|own| own.0).filter(|own| own.0 <= first && last <= own.1);
        around.max_by_key(|own| own.0)
    }

    /// Whether the tasks of a construct that a loop makes one after the other, or one call of a function after the other, do not overlap.
    /// `last`: the last line of the function. What calls it may wait for them as well.
    fn are_in_turn(&self, at: usize, last: Option<u32>) -> bool {
        let own = &self.constructs[at];
        if own.is_multiplied {
            return false;
        }
        let is_elsewhere = |wait: &Wait| match *wait {
            Wait::Children(on) | Wait::Some(on, _) => Some(on) > last,
            Wait::Group(first, end) => Some(first) > last || end < own.lines.0,
            Wait::Barrier(_) => false,
        };
        let of_calls = || last.filter(|_| !self.waits.iter().any(is_elsewhere));
        let of_loop = self.common_loop(own.lines.0, own.lines.1).map(|(_, end)| end);
        let Some(end) = of_loop.or_else(of_calls) else { return true };
        own.is_waited_for
            || self.has_ended(at, end)
            || self.meet((&own.depends, own.lines), (&own.depends, own.lines), true)
    }

    /// Whether a task, and what its maker does on a line, are ordered. `is_first`: the task came first in the run.
    fn is_ordered(&self, at: usize, line: u32, is_first: bool) -> bool {
        let own = &self.constructs[at];
        if line > own.lines.1 {
            return self.has_ended(at, line);
        }
        // What stands before it comes before it, but for the next iteration.
        !is_first
            || self
                .common_loop(line.min(own.lines.0), own.lines.1)
                .is_none_or(|(_, end)| own.is_waited_for || self.has_ended(at, end))
    }

    /// Whether tasks of two constructs are ordered.
    fn are_ordered(&self, a: usize, b: usize) -> bool {
        let (a, b) = if self.constructs[a].lines <= self.constructs[b].lines { (a, b) } else { (b, a) };
        let [first, second] = [a, b].map(|at| &self.constructs[at]);
        if second.lines.0 <= first.lines.1 {
            // One makes the other: what it does before it is ordered, what it does behind it is looked at by lines.
            return true;
        }
        self.has_ended(a, second.lines.0) || self.depends_on(a, b)
    }

    /// Whether clauses of two tasks, each with the lines on which it stands, name one place, and not only to read it. `is_other`: they are
    /// tasks of one construct. Elements that are written in different ways count as one, but for numbers.
    fn meet(&self, a: (&[Depend], (u32, u32)), b: (&[Depend], (u32, u32)), is_other: bool) -> bool {
        let is_number = |text: &str| text.bytes().all(|c| c.is_ascii_digit() || c == b'[' || c == b']');
        let varies = |text: &str| {
            let around = self.loops.iter().filter(|(lines, _)| lines.0 <= a.1.0 && a.1.1 <= lines.1);
            let names: Vec<&str> = around.flat_map(|(_, names)| names.iter().map(String::as_str)).collect();
            words(text).any(|word| names.contains(&word))
        };
        a.0.iter().any(|one| {
            let orders = |other: &Depend| one.mode != other.mode || one.mode == Mode::Out;
            b.0.iter().filter(|other| one.name == other.name && orders(other)).any(|other| {
                match one.subscripts == other.subscripts {
                    true => !is_other || !varies(&one.subscripts),
                    false => !is_number(&one.subscripts) || !is_number(&other.subscripts),
                }
            })
        })
    }

    /// Whether clauses order two tasks of one maker, the first before the second in the text, by those between them if need be.
    fn depends_on(&self, a: usize, b: usize) -> bool {
        // Clauses order the tasks of one task.
        if self.constructs[a].parent != self.constructs[b].parent {
            return false;
        }
        let meet =
            |a: &Construct, b: &Construct| self.meet((&a.depends, a.lines), (&b.depends, b.lines), false);
        let between = |at: &usize| {
            let own = &self.constructs[*at];
            own.parent == self.constructs[a].parent
                && self.constructs[a].lines.1 < own.lines.0
                && own.lines.1 < self.constructs[b].lines.0
        };
        let mut left: Vec<usize> = (0..self.constructs.len()).filter(between).collect();
        let mut open = vec![a];
        while let Some(at) = open.pop() {
            let own = &self.constructs[at];
            if meet(own, &self.constructs[b]) {
                return true;
            }
            let follows = |next: &usize| {
                let next = &self.constructs[*next];
                own.lines.1 < next.lines.0 && meet(own, next)
            };
            let (next, rest) = left.into_iter().partition(follows);
            (left, open) = (rest, [open, next].concat());
        }
        false
    }
}

/// What a directive's `depend` clauses name, and whether as written.
fn depends(text: &str, guards: &Guards) -> Vec<Depend> {
    let mut out = Vec::new();
    for (at, _) in text.match_indices("depend") {
        let Some(inside) = text[at + "depend".len()..].trim_start().strip_prefix('(') else { continue };
        let mut depth = 1usize;
        let end = inside.find(|c: char| {
            match c {
                '(' => depth += 1,
                ')' => depth -= 1,
                _ => {}
            }
            depth == 0
        });
        let inside = &inside[..end.unwrap_or(inside.len())];
        // `iterator(k = 0 : n), in : a[k]`.
        let mut depth = 0usize;
        let colon = inside.find(|c: char| {
            match c {
                '(' => depth += 1,
                ')' => depth = depth.saturating_sub(1),
                _ => {}
            }
            c == ':' && depth == 0
        });
        let Some(colon) = colon else { continue };
        let (modes, list) = (&inside[..colon], &inside[colon + 1..]);
        let mode = modes.rsplit([',', ')']).next().unwrap_or_default();
        let mode = match mode.trim().to_ascii_lowercase().as_str() {
            "in" => Mode::In,
            "inoutset" => Mode::Set,
            _ => Mode::Out,
        };
        out.extend(items(list).map(|item| {
            let name = item.trim().split(['[', '(']).next().unwrap_or_default();
            let name = name.trim();
            let own = match name.strip_prefix('*') {
                Some(pointer) => guards.target(pointer.trim()),
                None => name,
            };
            let subscripts = item.split_once(['[', '(']).map_or("", |(before, _)| &item[before.len()..]);
            let subscripts = subscripts.split_whitespace().collect();
            Depend { name: own.to_owned(), subscripts, mode }
        }));
    }
    out
}

/// Where one end of a dependence is, as the text of functions with tasks has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// In a task of a construct; with the context of the task.
    Task(usize, ContextIndex),
    /// On a line of the code that makes tasks.
    Line(u32),
}

/// The construct of each function that a compiler has made of one, with its file.
fn functions<'t>(profile: &Profile, texts: &'t Texts<'_>) -> FxHashMap<u32, (&'t str, usize)> {
    let mut lines: BTreeMap<u32, (String, BTreeSet<u32>)> = BTreeMap::new();
    for (at, _) in profile.statements.iter().enumerate() {
        let function = profile.contexts[profile.context_of(at as u32) as usize].function;
        let is_outlined =
            profile.functions.get(function as usize).is_some_and(|own| of_region(&own.name).is_some());
        let place = profile.location_of(at as u32);
        if is_outlined && place.line > 0 && texts.tasks.contains_key(&place.file) {
            let own = lines.entry(function).or_insert_with(|| (place.file.clone(), BTreeSet::new()));
            if own.0 == place.file {
                own.1.insert(place.line);
            }
        }
    }
    // The lines of their first instructions.
    let entry = |function: u32| profile.functions.get(function as usize).map(|own| own.entry);
    let entries: BTreeSet<u64> = lines.keys().filter_map(|&function| entry(function)).collect();
    let mut first: FxHashMap<u64, u32> = FxHashMap::default();
    for (at, statement) in (0..).zip(&profile.statements).filter(|(_, own)| entries.contains(&own.pc)) {
        first.entry(statement.pc).or_insert_with(|| profile.location_of(at).line);
    }
    let begins = |function: u32| first.get(&entry(function)?).copied();
    let construct = |(function, (file, lines)): (u32, (String, BTreeSet<u32>))| {
        let (file, tasks) = texts.tasks.get_key_value(&file)?;
        let guards = texts.guards.get(file)?;
        // A function that a compiler has made begins on the directive's line, whatever is put into it.
        let own = match begins(function).filter(|&line| guards.is_directive(line)) {
            Some(line) => tasks.on(line),
            // The compiler has begun with something else, and may have put other functions into it.
            None => tasks.around(&lines).or_else(|| {
                let is_region = guards.constructs().any(|(text, (first, _))| {
                    lines.contains(&first)
                        && text.split(|c: char| !c.is_alphanumeric()).any(|word| word == "parallel")
                });
                let met = |own: &Construct| lines.range(own.lines.0..=own.lines.1).next().is_some();
                if is_region { None } else { tasks.constructs.iter().position(met) }
            }),
        };
        Some((function, (file.as_str(), own?)))
    };
    lines.into_iter().filter_map(construct).collect()
}

/// What is known of the tasks of a profile.
pub(super) struct Judge<'a> {
    profile: &'a Profile,
    texts: &'a Texts<'a>,
    of_functions: FxHashMap<u32, (&'a str, usize)>,
    /// Functions that make tasks, by name, and their files.
    makers: FxHashMap<String, &'a str>,
}

/// Whether what a dependence passes through lies on a stack.
fn is_on_stack(profile: &Profile, d: &Dependence) -> bool {
    objects(profile, d).any(|object| matches!(object.kind, ObjectKind::Stack | ObjectKind::Frame))
}

/// The name of the function in whose text a function stands that a compiler has made.
fn plain(name: &str) -> &str {
    of_region(name).unwrap_or(name)
}

impl<'a> Judge<'a> {
    /// `None` if it has no tasks.
    pub fn of(profile: &'a Profile, texts: &'a Texts<'a>) -> Option<Judge<'a>> {
        if texts.tasks.values().all(Tasks::is_empty) {
            return None;
        }
        let of_functions = functions(profile, texts);
        if of_functions.is_empty() {
            return None;
        }
        let name = |function: &u32| profile.functions.get(*function as usize).map_or("", |own| &own.name);
        let mut makers: FxHashMap<String, &str> = FxHashMap::default();
        let mut unnamed: BTreeMap<&str, BTreeSet<u32>> = BTreeMap::new();
        for (function, &(file, construct)) in &of_functions {
            match plain(name(function)) {
                "" => {
                    let own = &texts.tasks[file].constructs[construct];
                    unnamed.entry(file).or_default().extend(own.lines.0..=own.directive);
                }
                of => _ = makers.insert(of.to_owned(), file),
            }
        }
        // Where the name does not say, those that come to the directive.
        for at in 0..if unnamed.is_empty() { 0 } else { profile.statements.len() as u32 } {
            let function = profile.contexts[profile.context_of(at) as usize].function;
            let place = profile.location_of(at);
            let file = unnamed.get_key_value(place.file.as_str());
            if let Some((file, _)) = file.filter(|(_, lines)| lines.contains(&place.line))
                && !of_functions.contains_key(&function)
            {
                makers.insert(plain(name(&function)).to_owned(), file);
            }
        }
        Some(Judge { profile, texts, of_functions, makers })
    }

    /// All races of its tasks.
    pub fn races(&self) -> Vec<Between> {
        // What the run knows to be unordered is a race of two threads as any other.
        let all =
            self.profile.dependences.iter().filter(|d| d.memory && d.tasks != Some(TaskOrder::Unordered));
        let found: BTreeSet<Between> = all.filter_map(|d| self.race(d)).collect();
        found.into_iter().collect()
    }

    /// Where a statement is executed, by the innermost activation of a task or of a function that makes some; with its file and function.
    fn place(&self, statement: StatementIndex) -> Option<(Place, &str, String)> {
        let mut at = self.profile.location_of(statement);
        let mut is_of_library = false;
        for context in self.profile.chain(self.profile.context_of(statement)) {
            let node = self.profile.contexts.get(context as usize)?;
            let ContextKind::Call { site, callee } = node.kind else { continue };
            let function = self.profile.functions.get(callee as usize)?;
            let name = plain(&function.name).to_owned();
            if let Some(&(file, construct)) = self.of_functions.get(&callee) {
                let (first, last) = self.texts.tasks.get(file)?.constructs[construct].lines;
                // The function that makes tasks, put into one of them. Some compilers do not say of which function a task is.
                let is_maker = match name.as_str() {
                    "" => self.makers.contains_key(plain(&at.function)),
                    name => plain(&at.function) == name,
                };
                let is_inlined =
                    at.file == file && at.line > 0 && is_maker && !(first..=last).contains(&at.line);
                // Of what compilers have put into a task it is not known what has called it, unless the task's own text does; nor of
                // what a function of a library does that is called on behalf of a function put in there.
                let has = |line: u32, function: &str| mentions(self.texts.line(file, line), function);
                let is_own =
                    is_maker || at.function == name || at.function.is_empty() || at.function.starts_with('.');
                let is_called = is_own || (first..=last).any(|line| has(line, &at.function));
                let is_put_in = is_of_library && self.makers.keys().any(|maker| has(at.line, maker));
                if at.line > 0 && (!is_called || is_put_in) {
                    return None;
                }
                let place = if is_inlined { Place::Line(at.line) } else { Place::Task(construct, context) };
                return Some((place, file, name));
            }
            if let Some(file) = self.makers.get(&name).copied().filter(|file| *file == at.file && at.line > 0)
            {
                return Some((Place::Line(at.line), file, name));
            }
            at = self.profile.location(site);
            is_of_library = !function.main;
        }
        None
    }

    /// Whether several may come to what a dependence passes through: no storage of the activations that do.
    fn is_shared(&self, d: &Dependence) -> Option<bool> {
        let object = objects(self.profile, d).next()?;
        Some(match object.kind {
            ObjectKind::Global | ObjectKind::Heap => {
                !object.thread_local && !object.library && !object.is_volatile
            }
            // Where compilers have several variables in one place, the run cannot tell which is meant; not while what
            // has them waits for a region.
            ObjectKind::Stack | ObjectKind::Frame => {
                let function = |end: StatementIndex| {
                    let function = self.profile.contexts[self.profile.context_of(end) as usize].function;
                    self.profile.functions.get(function as usize)
                };
                let is_unoptimised =
                    |end: StatementIndex| function(end).is_some_and(|own| own.is_unoptimised);
                // What compilers make around a task is as what they make it of.
                let is_around =
                    |end: StatementIndex| function(end).is_some_and(|own| own.name.starts_with('.'));
                // What overwrites it may be another activation's, if there are several.
                let is_once = || {
                    let is_owner = |entry: u64| object.owner.is_some_and(|(a, b)| (a..b).contains(&entry));
                    let is_main = |own: &profile::Function| matches!(plain(&own.name), "main" | "MAIN__");
                    let mut all = (0u32..).zip(&self.profile.functions);
                    let owner = all.find(|(_, own)| is_owner(own.entry));
                    owner.is_some_and(|(at, own)| {
                        let calls = self.profile.contexts.iter().filter(
                            |context| matches!(context.kind, ContextKind::Call { callee, .. } if callee == at),
                        );
                        let is_region = own.name != plain(&own.name);
                        // Nothing repeats one call that no loop is around; nor a region of the outermost function.
                        let mut dims = calls.map(|context| context.dims);
                        match is_main(own) {
                            true => !is_region || dims.all(|dims| dims == 0),
                            false => !is_region && dims.next() == Some(0) && dims.next().is_none(),
                        }
                    })
                };
                let has_a_place = || {
                    let ends = [d.source, d.sink];
                    ends.into_iter().all(|end| is_unoptimised(end) || is_around(end))
                        && ends.into_iter().any(is_unoptimised)
                };
                is_of_maker(self.profile, d) && (is_once() || has_a_place())
            }
            _ => false,
        })
    }

    fn race(&self, d: &Dependence) -> Option<Between> {
        let ends = [d.source, d.sink];
        let [(first, file, function), (second, other_file, other)] =
            [self.place(ends[0])?, self.place(ends[1])?];
        let is_one = function == other || function.is_empty() || other.is_empty();
        if file != other_file || !is_one || !self.is_shared(d)? {
            return None;
        }
        let tasks = self.texts.tasks.get(file)?;
        let places = places(self.profile, d, self.texts);
        let lines = [places[0].line, places[1].line];
        let shown = d.exclusion.map(|exclusion| (lines, exclusion));
        let guards = &self.texts.guards.get(file)?.with(shown);
        if places.iter().any(|place| place.file != file || place.line == 0 || guards.is_directive(place.line))
        {
            return None;
        }
        // What a task combines for its group is its thread's.
        let is_own = |place: &Place| matches!(place, Place::Task(at, _) if tasks.constructs[*at].reduces);
        let is_heap = || objects(self.profile, d).any(|object| object.kind == ObjectKind::Heap);
        if [first, second].iter().any(is_own) && is_heap() || is_of_reduction(self.profile, d, guards, lines)
        {
            return None;
        }
        let is_ordered = match (first, second) {
            // Activations of one function by different tasks: what made which is not known.
            (Place::Line(_), Place::Line(_)) => !self.is_met_by_tasks(d, (tasks, guards, file)),
            (Place::Task(at, _), Place::Line(line)) => tasks.is_ordered(at, line, true),
            (Place::Line(line), Place::Task(at, _)) => tasks.is_ordered(at, line, false),
            (Place::Task(one, context), Place::Task(other, second)) if one == other => {
                let dims = self.profile.contexts[context as usize].dims;
                let own = &tasks.constructs[one];
                // One is executed by one member of the team.
                let is_each = d.between_members;
                let is_one =
                    context == second && !is_each && d.levels.iter().all(|level| level.level >= dims);
                let last = guards.end_of_function(own.lines.1).filter(|_| is_each);
                is_one || own.is_loop && !own.is_multiplied || tasks.are_in_turn(one, last)
            }
            (Place::Task(one, _), Place::Task(other, _)) => {
                let is_around = |outer: usize, inner: usize| {
                    let [outer, inner] = [outer, inner].map(|at| tasks.constructs[at].lines);
                    outer.0 < inner.0 && inner.1 <= outer.1
                };
                if is_around(one, other) {
                    tasks.is_ordered(other, places[0].line, false)
                } else if is_around(other, one) {
                    tasks.is_ordered(one, places[1].line, true)
                } else {
                    tasks.are_ordered(one, other)
                }
            }
        };
        // The storage of what makes a task ends with it.
        let outlives = |at: usize, line: u32| {
            let end = guards.end_of_function(line);
            is_on_stack(self.profile, d) && end.is_some_and(|end| !tasks.has_ended(at, end))
        };
        let is_ordered = is_ordered
            && match (first, second) {
                (Place::Task(at, _), Place::Line(line)) | (Place::Line(line), Place::Task(at, _)) => {
                    !outlives(at, line)
                }
                _ => true,
            };
        if is_ordered || guards.has_flags(&lines) || guards.exclude(&lines, &Guarded::Place(&|_| true)) {
            return None;
        }
        let [one, other] = places;
        let [first, second] = if lines[0] <= lines[1] { [one, other] } else { [other, one] };
        let name =
            name_of(self.profile, d, [first.line, second.line].map(|line| self.texts.line(file, line)))?;
        Some(Between {
            file: file.to_owned(),
            lines: (first.line, second.line),
            functions: (first.function.clone(), second.function.clone()),
            name,
            is_written_twice: d.kind == Kind::Output,
        })
    }

    /// Whether tasks that nothing orders come to one variable, by functions that they call and that make tasks themselves.
    fn is_met_by_tasks(&self, d: &Dependence, (tasks, guards, file): (&Tasks, &Guards, &str)) -> bool {
        const LARGEST: u64 = 16;
        let construct = |end: StatementIndex| {
            self.profile.chain(self.profile.context_of(end)).find_map(|context| {
                match self.profile.contexts.get(context as usize)?.kind {
                    ContextKind::Call { callee, .. } => self.of_functions.get(&callee).map(|own| own.1),
                    _ => None,
                }
            })
        };
        // Of what lies elsewhere each may have its own.
        let is_variable =
            objects(self.profile, d).all(|own| own.kind == ObjectKind::Global && own.bytes <= LARGEST);
        let unordered = match (construct(d.source), construct(d.sink)) {
            (Some(a), Some(b)) if a == b => !tasks.are_in_turn(a, None),
            (Some(a), Some(b)) => !tasks.are_ordered(a, b),
            _ => false,
        };
        // What one end has made a task of, the function does on its way to the other end before it waits.
        let calls = |end: StatementIndex| -> Vec<u32> {
            let chain = self.profile.chain(self.profile.context_of(end));
            let sites = chain.filter_map(|context| match self.profile.contexts.get(context as usize)?.kind {
                ContextKind::Call { site, .. } => Some(self.profile.location(site)),
                _ => None,
            });
            let is_maker =
                |at: &&profile::Location| at.file == file && self.makers.contains_key(plain(&at.function));
            sites.filter(is_maker).map(|at| at.line).collect()
        };
        let is_beside = |task: StatementIndex, other: StatementIndex| {
            construct(task).is_some_and(|at| {
                let own = &tasks.constructs[at];
                let is_here =
                    |line: &u32| guards.end_of_function(*line) == guards.end_of_function(own.lines.0);
                calls(other)
                    .into_iter()
                    .filter(is_here)
                    .any(|line| own.lines.1 < line && !tasks.has_ended(at, line))
            })
        };
        let unordered = unordered || is_beside(d.source, d.sink) || is_beside(d.sink, d.source);
        is_variable && unordered
    }

    /// Whether an end of a dependence lies in a task.
    pub fn is_of_task(&self, d: &Dependence) -> bool {
        // A task may leave by a jump to another function at once, which the library then seems to call.
        let function = |at: u32| self.profile.functions.get(at as usize);
        let is_library = |context: ContextIndex| {
            let parent = self.profile.contexts[context as usize].parent;
            let caller = function(self.profile.contexts[parent as usize].function);
            caller.is_some_and(|own| {
                !own.main && ["libgomp", "libomp"].iter().any(|name| own.module.contains(name))
            })
        };
        let is_left = |callee: u32, context: ContextIndex| {
            function(callee).is_some_and(|own| own.main && of_region(&own.name).is_none())
                && is_library(context)
        };
        let is_in_task = |context: ContextIndex| match self.profile.contexts[context as usize].kind {
            ContextKind::Call { callee, .. } => {
                self.of_functions.contains_key(&callee) || is_left(callee, context)
            }
            _ => false,
        };
        [d.source, d.sink].iter().any(|&end| self.profile.chain(self.profile.context_of(end)).any(is_in_task))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tasks(text: &str) -> Tasks {
        Tasks::of(&Guards::of(text, profile::lens::Language::C), Vec::new())
    }

    #[test]
    fn waits_end_the_tasks_of_their_own() {
        let own = tasks(
            "#pragma omp parallel\n#pragma omp single\n{\n#pragma omp task\n{\n#pragma omp task\n x = 1;\n}\n#pragma omp taskwait\n y = x;\n}\n z = x;\n",
        );
        assert_eq!(own.constructs.iter().map(|own| own.lines).collect::<Vec<_>>(), [(4, 8), (6, 7)]);
        assert_eq!(own.constructs[1].parent, Some(0));
        assert!(own.has_ended(0, 10) && !own.has_ended(1, 10) && own.has_ended(1, 12));
    }

    #[test]
    fn clauses_name_elements() {
        let text = "{\n for (int i = 1; i < n; i++) {\n#pragma omp task depend(out: a[i])\n a[i] = a[i - 1];\n }\n for (int i = 1; i < n; i++) {\n#pragma omp task depend(in: a[i - 1]) depend(out: a[i])\n a[i] = a[i - 1];\n }\n}\n";
        let loops = vec![((2, 5), vec!["i".to_owned()]), ((6, 9), vec!["i".to_owned()])];
        let own = Tasks::of(&Guards::of(text, profile::lens::Language::C), loops);
        assert!(!own.are_in_turn(0, None) && own.are_in_turn(1, None));
        let own = tasks(
            "{\n#pragma omp task depend(out: a[1])\n a[0] = 1;\n#pragma omp task depend(in: a[0])\n b = a[0];\n#pragma omp task depend(in: a[1])\n b = a[1];\n}\n",
        );
        assert!(!own.are_ordered(0, 1) && own.are_ordered(0, 2));
        // Clauses order the tasks of one task, and one after the other.
        let own = tasks(
            "{\n#pragma omp task depend(out: x)\n x = z = 1;\n#pragma omp task depend(in: x) depend(out: y)\n y = x;\n#pragma omp task depend(in: y)\n z++;\n#pragma omp task\n{\n#pragma omp task depend(in: x)\n z = x;\n}\n}\n",
        );
        assert!(own.are_ordered(0, 2) && !own.are_ordered(0, 4));
        // One that waits for some waits for these.
        let own = tasks(
            "{\n#pragma omp task depend(out: x)\n x = 1;\n#pragma omp task depend(out: y)\n y = 1;\n#pragma omp taskwait depend(in: y)\n z = x + y;\n}\n",
        );
        assert!(!own.has_ended(0, 7) && own.has_ended(1, 7));
    }

    #[test]
    fn clauses_and_groups_order() {
        let own = tasks(
            "{\n#pragma omp task depend(out: x)\n x = 1;\n#pragma omp task depend(in: x, b[1])\n y = x;\n#pragma omp taskgroup\n{\n#pragma omp task\n y = 2;\n}\n z = y;\n}\n",
        );
        assert!(own.are_ordered(0, 1) && !own.are_ordered(1, 2));
        assert!(own.has_ended(2, 11) && !own.has_ended(1, 11));
        let found = depends("depend(inout: a[i], b) depend(in:c)", &Guards::default());
        let found: Vec<_> = found.iter().map(|own| (&*own.name, &*own.subscripts, own.mode)).collect();
        assert_eq!(found, [("a", "[i]", Mode::Out), ("b", "", Mode::Out), ("c", "", Mode::In)]);
        // Those of one set are not ordered, what follows them is.
        let own = tasks(
            "{\n#pragma omp task depend(inoutset: x)\n x += 1;\n#pragma omp task depend(inoutset: x)\n x += 2;\n#pragma omp task depend(in: x)\n y = x;\n#pragma omp task depend(mutexinoutset: z)\n z += 1;\n#pragma omp task depend(mutexinoutset: z)\n z += 2;\n}\n",
        );
        assert!(!own.are_ordered(0, 1) && own.are_ordered(1, 2) && own.are_ordered(3, 4));
    }
}
