//! The directive to paste above a loop, and what is said where there is none.
//!
//! Invariants: a directive stands only on a loop whose source was read and has the form that OpenMP asks for; every variable that
//! the loop assigns and that is declared outside of it is in a clause, or it is the iterator; a clause names a variable only if every
//! access of it in the loop is written there by its name.

use profile::lens::{
    AccessMode, AfterLoop, Call, Home, InMacro, Language, LoopKind, Operator, Position, Scalar, ScalarForm,
    SharingKind,
};
use profile::{ContextKind, ObjectIndex, Profile};
use rustc_hash::FxHashMap;
use schedule::facts::{Facts, Role, may_keep};
use schedule::needs::{Need, Way};
use schedule::{Parallel, SourceLoop};

use trial::Form;

use crate::existing;
use crate::finding::{self, ReductionFinding, Report};
use crate::worth::{Choice, Withheld};
use crate::{algorithms, rayon};

/// Why there is no directive for a loop whose iterations can run in parallel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Absent {
    /// Its source was not read, or not understood there.
    NoSource,
    /// Which part of its text was compiled is not known.
    Open,
    /// It is left otherwise than by its condition, or ends where data says so.
    LeftEarly,
    /// It has not the form that directives ask for.
    Form,
    /// It stands in a macro, or which text is compiled is not known.
    Macro,
    /// It has a directive already.
    Has(String),
    /// Another loop begins before it on its line.
    SameLine,
    /// Something else begins before it on its line.
    NotFirst,
    /// Reached by other calls, it is not parallel, or only after other changes.
    Elsewhere,
    /// There are no directives in this language: what to write instead, if that is known.
    Language(Option<String>),
    /// This variable cannot be named in a clause, or the text does not show that it is safe.
    Variable(String),
    /// It accumulates, with this operator on this line, what has no name.
    Unnamed(&'static str, u32),
    /// Iterations combine elements of these arrays with these operators, and how long they are, is not known, or too much.
    Elements(Vec<(&'static str, String)>),
    /// Iterations set it, or elements of it, to one value, on these lines.
    OneValue(String, Vec<u32>),
    /// This line did not run, and may come to what other iterations come to.
    NotRun(u32),
}

/// Most bytes of an array of which each thread has a copy on its stack.
const MOST_COPIED: u64 = 1 << 18;

/// The clauses of a loop whose iterations can run in parallel, or why there is no directive; `None` for one whose iterations cannot.
pub(crate) fn clauses(profile: &Profile, entry: &SourceLoop) -> Option<Result<Clauses, Absent>> {
    if finding::is_parallelisable(entry) { Some(found(profile, entry)) } else { advancing(profile, entry) }
}

/// The clauses of a loop that hands on nothing but variables which each iteration advances by a constant: `linear` gives each its value.
fn advancing(profile: &Profile, entry: &SourceLoop) -> Option<Result<Clauses, Absent>> {
    let needs = entry.needs();
    let is_advance = |need: &Need| matches!(need.way, Way::Induction(_));
    if entry.parallel != Parallel::No || !needs.iter().any(is_advance) {
        return None;
    }
    let clauses = found(profile, entry).ok()?;
    let is_met = |need: &Need| {
        let name = finding::need_name(profile, need);
        match need.way {
            Way::Induction(Some(step)) => clauses.linear.iter().any(|own| own.0 == name && own.1 == step),
            Way::Private | Way::LastPrivate => {
                clauses.lists.iter().any(|list| list.1.iter().any(|own| own == name))
            }
            _ => false,
        }
    };
    needs.iter().all(is_met).then_some(Ok(clauses))
}

/// The directive that has a loop's iterations run in lockstep, with the clauses that its variables need; `None` if there is none.
pub(crate) fn on_lanes(profile: &Profile, entry: &SourceLoop) -> Option<String> {
    clauses(profile, entry)?.ok()?.lanes()
}

/// Whether what the text says of a loop rests on arms of conditional compilation of which it is not known whether they were compiled.
fn is_open(profile: &Profile, entry: &SourceLoop) -> bool {
    let text = entry.contexts.first().and_then(|&context| Facts::source(profile, context));
    text.is_some_and(profile::lens::SourceLoop::is_open)
}

fn found(profile: &Profile, entry: &SourceLoop) -> Result<Clauses, Absent> {
    let facts = entry.contexts.first().and_then(|&context| Facts::of(profile, context));
    let facts = facts.filter(|_| !entry.recursive && entry.line > 0).ok_or_else(|| {
        match is_open(profile, entry) {
            true => Absent::Open,
            false => Absent::NoSource,
        }
    })?;
    let source = facts.source;
    if let Some(directive) = source.directive.as_ref().or(source.in_parallel.as_ref()) {
        return Err(Absent::Has(directive.text.clone()));
    }
    if is_left_early(profile, entry) {
        return Err(Absent::LeftEarly);
    }
    if source.in_macro != InMacro::No || source.conditional_compilation {
        return Err(Absent::Macro);
    }
    let is_fortran = matches!(facts.language, Language::Fortran | Language::FixedFortran);
    let is_loop = matches!(source.kind, LoopKind::For | LoopKind::RangeFor | LoopKind::FortranDo);
    if entry.differs_elsewhere {
        return Err(Absent::Elsewhere);
    }
    if !facts.is_first_on_line() {
        return Err(Absent::SameLine);
    }
    if !source.leads_line {
        return Err(Absent::NotFirst);
    }
    // Built for threads, each has its own, whether or not it had when it was recorded; iterations find what is there.
    let is_each_threads =
        |name: &str| profile.objects.iter().any(|object| object.name == name && object.thread_local);
    // What iterations would have for themselves anyway the threads' own does for; what an iteration leaves alone, it
    // may read.
    let privatised = finding::privatise(profile, entry);
    let is_private = |name: &String| {
        let role = facts.scalars.iter().find(|(scalar, _)| scalar.name == *name).map(|(_, role)| role);
        match role {
            Some(role) => matches!(role, Role::Private { last: false }),
            None => privatised.contains(name),
        }
    };
    let names = source.thread_locals.iter().map(|(name, _)| name).filter(|name| !is_each_threads(name));
    let mut copied_in: Vec<String> = names.cloned().collect();
    copied_in.sort();
    if let Some(name) = copied_in.iter().find(|name| !is_private(name)) {
        return Err(Absent::Variable(name.clone()));
    }
    match facts.language {
        Language::Rust => return Err(Absent::Language(rayon::advice(&facts))),
        _ if !source.canonical.is_yes() || !is_loop => return Err(Absent::Form),
        _ => {}
    }
    let needs = entry.needs();
    let mut arrays: Vec<(&'static str, String)> = Vec::new();
    // What is combined has no clause, or not the iterations' own storage.
    for need in &needs {
        let name = finding::need_name(profile, need);
        let own = match need.way {
            Way::Combine => combined(profile, entry, &facts, name),
            Way::CombinePair | Way::CopyIn => None,
            _ => continue,
        };
        arrays.push(own.ok_or_else(|| Absent::Variable(name.to_owned()))?);
    }
    // Of an array that the code has not kept it is not known whether threads have room for it.
    let is_missing = |need: &Need| need.way == Way::Private && need.object == ObjectIndex::MAX;
    let is_vanished = |name: &str| needs.iter().any(|need| is_missing(need) && need.name == name);
    if let Some(array) = facts.scratch_arrays().find(|array| is_vanished(&array.name)) {
        return Err(Absent::Variable(array.name.clone()));
    }
    if let Some(need) = needs.iter().find(|need| need.way == Way::AtomicWrite) {
        let name = finding::need_name(profile, need).to_owned();
        return Err(Absent::OneValue(name, need.lines.clone()));
    }
    if let Some(line) = not_run(profile, entry, &facts) {
        return Err(Absent::NotRun(line));
    }
    let mut linear: Vec<(String, i64)> = Vec::new();
    let mut lists: [(String, Vec<String>); 3] =
        ["private", "firstprivate", "lastprivate"].map(|clause| (clause.to_owned(), Vec::new()));
    let mut reductions: Vec<(&'static str, String)> = Vec::new();
    // Where all accesses are in the code, the run shows of storage the address of which is handed on what becomes of it.
    let is_seen = finding::is_unoptimised(profile, entry) && !profile.trust.is_cut_short();
    let is_private_by_run = |name: &String| {
        is_seen
            && needs.iter().any(|need| need.way == Way::Private && finding::need_name(profile, need) == name)
    };
    // Functions that the loop calls use the variable itself, not the copy of a clause.
    let is_reached = |name: &String| entry.verdicts.iter().any(|verdict| verdict.reached.contains(name));
    // Of what functions are handed the run may say that each iteration begins with what it writes itself.
    let is_left_to_run = |name: &String, after: AfterLoop| {
        !matches!(after, AfterLoop::Read(_)) && !is_reached(name) && is_private_by_run(name)
    };
    for (scalar, role) in &facts.scalars {
        let name = scalar.name.clone();
        if copied_in.contains(&name) {
            continue;
        }
        let is_plain = scalar.form == ScalarForm::Variable;
        let is_outside = scalar.home != Home::InHeader && scalar.home != Home::InBody;
        // A name of the body cannot be said above the loop.
        let is_inside =
            scalar.declared.is_some_and(|at| (source.at.line..=source.end.line).contains(&at.line));
        let is_named_inside = is_inside && scalar.home != Home::InHeader;
        match role {
            // Each thread has its own iterators; what is used afterwards is that of the last iteration.
            Role::Iterator if is_outside && scalar.after != AfterLoop::Unused => {
                let own = source.iterators.iter().any(|iterator| iterator.name == name);
                if !own && !scalar.always_written || !is_plain {
                    return Err(Absent::Variable(name));
                }
                lists[2].1.push(name);
            }
            Role::Iterator | Role::Own => {}
            // Functions are handed its address: that of a copy is as good if each iteration begins with what it writes itself, and no
            // other function comes to it. What they leave of it, the iteration may read.
            Role::Shared
                if is_plain
                    && !is_named_inside
                    && is_handed_alone(scalar)
                    && is_left_to_run(&name, scalar.after) =>
            {
                lists[1].1.push(name);
            }
            _ if is_reached(&name) || is_named_inside || !is_allowed(scalar) => {
                return Err(Absent::Variable(name));
            }
            Role::Reduction(_) if !is_number(scalar, is_fortran) => return Err(Absent::Variable(name)),
            Role::Reduction(operator) if is_plain => {
                reductions.push((
                    operator_name(*operator, is_fortran).ok_or(Absent::Variable(name.clone()))?,
                    name,
                ));
            }
            Role::Private { last } if is_plain => lists[if *last { 2 } else { 0 }].1.push(name),
            // The variable that it is a member of is private as a whole.
            Role::Private { last } if scalar.form == ScalarForm::Member => {
                let whole = whole_of(&facts, scalar).map(str::to_owned);
                let whole = whole.filter(|whole| !is_reached(whole)).ok_or(Absent::Variable(name))?;
                let is_overwritten = facts.scalars.iter().any(|(own, _)| own.name == whole);
                if !is_overwritten {
                    // Members that the loop does not write may be read in it, or afterwards.
                    lists[1].1.push(whole.clone());
                }
                if *last {
                    lists[2].1.push(whole);
                }
            }
            Role::Induction(Some(step)) if is_plain && is_whole(scalar, is_fortran) => {
                linear.push((name, *step))
            }
            // What the run has seen of memory that is not one place decides about it.
            Role::Shared if matches!(scalar.form, ScalarForm::Dereference | ScalarForm::PointedMember) => {}
            _ => return Err(Absent::Variable(name)),
        }
    }
    for name in privatised.iter().filter(|name| !copied_in.contains(name)).cloned() {
        let is_known = facts.scalars.iter().any(|(scalar, _)| scalar.name == name)
            || lists.iter().any(|(_, names)| names.contains(&name));
        if is_known || facts.declares(&name) == Some(true) || is_own_variable(profile, entry, &name) {
            continue;
        }
        let array = source.arrays.iter().find(|array| array.name == name);
        let array = array.filter(|array| array.fixed && is_small(profile, &name));
        let is_named = array.is_some_and(|array| {
            let is_handed = array.accesses.iter().any(|own| own.mode == AccessMode::Shared);
            match is_handed {
                true => array.home == Home::Local && is_left_to_run(&name, array.after),
                false => !array.shared && !is_reached(&name),
            }
        });
        if !is_named {
            return Err(Absent::Variable(name));
        }
        // Parts that the loop does not write may be read in it.
        lists[1].1.push(name);
    }
    let mut unknown: Vec<(&'static str, String)> = Vec::new();
    for ReductionFinding { operator, name, line, is_in_memory } in finding::reductions(profile, entry) {
        let name = name.ok_or(Absent::Unnamed(operator, line));
        let is_known = |name: &String| {
            facts
                .scalars
                .iter()
                .any(|(scalar, role)| scalar.name == *name && matches!(role, Role::Reduction(_)))
        };
        match name {
            Ok(name) if is_known(&name) => {}
            Ok(name) => {
                let array = name.trim_end_matches("[:]").to_owned();
                let own = combined(profile, entry, &facts, &array);
                let is_array = array != name;
                match own {
                    Some(own) => arrays.push(own),
                    None if is_array => unknown.push((operator, array)),
                    None => return Err(Absent::Variable(name)),
                }
            }
            // In a register: the text names it, and nothing else that it could be.
            Err(_) if !is_in_memory && (!reductions.is_empty() || !arrays.is_empty()) => {
                if let Some((name, _)) = facts.combined_element() {
                    let own = combined(profile, entry, &facts, name);
                    arrays.push(own.ok_or_else(|| Absent::Variable(name.to_owned()))?);
                }
            }
            Err(unnamed) => return Err(unnamed),
        }
    }
    if !unknown.is_empty() {
        unknown.sort();
        unknown.dedup();
        return Err(Absent::Elements(unknown));
    }
    arrays.sort();
    arrays.dedup();
    for (_, names) in &mut lists {
        names.sort();
        names.dedup();
    }
    // What the last iteration leaves in a member, it leaves in the variable.
    let [(_, private), _, (_, kept)] = &mut lists;
    private.retain(|name| !kept.contains(name));
    let own = source.iterators.iter().map(|iterator| iterator.name.clone()).collect();
    Ok(Clauses { is_fortran, own, reductions, arrays, linear, copied_in, lists })
}

/// The variable of the function that a member is one of, if each iteration has its own of it, of all that the loop writes of it: it
/// overwrites the variable first, or each of these members. (Of a class of C++ it is not known what its copy does, nor of what begins anew.)
fn whole_of<'a>(facts: &'a Facts<'_>, member: &Scalar) -> Option<&'a str> {
    let own = || facts.scalars.iter().filter(|(scalar, _)| scalar.root == member.root);
    let is_private = |role: &Role| matches!(role, Role::Private { .. } | Role::Own);
    let is_of_members = |form: ScalarForm| matches!(form, ScalarForm::Variable | ScalarForm::Member);
    let are_all = own()
        .all(|(scalar, role)| is_private(role) && is_of_members(scalar.form) && scalar.shared.is_empty());
    let mut arrays = facts.source.arrays.iter().filter(|array| array.root == member.root);
    let is_overwritten = own().any(|(scalar, _)| scalar.form == ScalarForm::Variable);
    let is_variable = matches!(member.home, Home::Local | Home::Parameter)
        && !member.storage.pointer
        && !member.storage.reference;
    let may_copy = is_overwritten || facts.language == Language::C;
    let is_whole = are_all
        && is_variable
        && may_copy
        && (is_overwritten || !arrays.any(profile::lens::Array::is_written));
    own().next().filter(|_| is_whole).map(|(scalar, _)| scalar.root.as_str())
}

/// The clause of an array of which iterations only combine elements with one operator, so that each thread can have a copy: the operator
/// and the name. `None` if it has none: a pointer does not say how long it is, and what others come to is not the copy.
fn combined(
    profile: &Profile,
    entry: &SourceLoop,
    facts: &Facts<'_>,
    name: &str,
) -> Option<(&'static str, String)> {
    let is_fortran = matches!(facts.language, Language::Fortran | Language::FixedFortran);
    let array = facts.source.arrays.iter().find(|array| array.name == name && array.root == name)?;
    let is_inside = matches!(array.home, Home::InBody | Home::InHeader);
    let is_reached = entry.verdicts.iter().any(|verdict| verdict.reached.iter().any(|own| own == name));
    if !array.fixed || array.shared || is_inside || is_reached || !is_of_numbers(&array.type_text, is_fortran)
    {
        return None;
    }
    let mut operators = array.accesses.iter().map(|access| match access.mode {
        AccessMode::Update(operator) if access.member.is_empty() => operator_name(operator, is_fortran),
        _ => None,
    });
    let operator = operators.next()??;
    (operators.all(|other| other == Some(operator)) && is_small(profile, name))
        .then(|| (operator, name.to_owned()))
}

/// Whether each thread can have a copy of an array on its stack: all that has this name is known to be that small.
fn is_small(profile: &Profile, name: &str) -> bool {
    let mut objects = profile.objects.iter().filter(|object| object.name == name).peekable();
    objects.peek().is_some() && objects.all(|object| (1..=MOST_COPIED).contains(&object.bytes))
}

/// A line of a loop that did not run, and that may come to what other iterations come to if it does: elements of arrays that the loop
/// writes, but for each iteration's own, and whatever functions come to that neither print nor end the program.
fn not_run(profile: &Profile, entry: &SourceLoop, facts: &Facts<'_>) -> Option<u32> {
    let source = facts.source;
    // Where they stand, and whether they store.
    let mut open: Vec<(Position, bool)> = Vec::new();
    for array in &source.arrays {
        let is_written = array.is_written();
        for access in array.accesses.iter().filter(|access| access.conditional && is_written) {
            let is_own = || {
                let element = access.element();
                array
                    .accesses
                    .iter()
                    .all(|other| other.element() == element && facts.step_of(array, other) == Some(true))
            };
            if array.home != Home::InBody && !is_own() {
                open.push((access.at, access.mode != AccessMode::Read));
            }
        }
    }
    let may_change = |call: &&Call| {
        let name = call.callee.rsplit([':', '.', '>']).next().unwrap_or_default();
        let is_harmless = ENDS.contains(&name) || name.contains("print") || name.contains("assert");
        call.conditional && !is_harmless && may_keep(call)
    };
    open.extend(source.calls.iter().filter(may_change).map(|call| (call.at, false)));
    if open.is_empty() {
        return None;
    }
    let own = profile.location(profile.contexts.get(*entry.contexts.first()? as usize)?.location);
    let contexts = schedule::graph::inside(profile, &entry.contexts);
    // The last column of each line that ran, and that stored: what stands under a condition stands behind it.
    let mut ran: FxHashMap<(u32, bool), u32> = FxHashMap::default();
    let mut note = |statement: u32, stores: bool| {
        let place = profile.location_of(statement);
        if contexts.contains(&profile.context_of(statement)) && place.file == own.file {
            let column = if place.column == 0 { u32::MAX } else { place.column };
            let last = ran.entry((place.line, stores)).or_default();
            *last = column.max(*last);
        }
    };
    (0..profile.statements.len() as u32).for_each(|statement| note(statement, false));
    profile.accesses.iter().filter(|access| access.write).for_each(|access| note(access.statement, true));
    let file = profile.sources.iter().find(|source| source.file == own.file);
    let loops = file.and_then(|source| source.loops.as_ref());
    // Compilers that optimise give what they make of several statements the line of one: all of an iteration of a loop
    // has run if there was one, but for what stands under conditions.
    let is_in_iteration = |at: &Position| {
        let column = Some(at.column).filter(|&column| column > 1);
        let Some(inner) = loops.and_then(|loops| loops.around(at.line, column)) else { return false };
        let mut always = inner.arrays.iter().flat_map(|array| &array.accesses);
        always.any(|access| access.at == *at && !access.conditional)
            && contexts.iter().filter_map(|&context| profile.contexts.get(context as usize)).any(|context| {
                let place = profile.location(context.location);
                let function = profile.functions.get(context.function as usize);
                context.kind == ContextKind::Loop
                    && (place.line, &place.file) == (inner.at.line, &own.file)
                    && context.entries > 0
                    && context.iterations >= context.entries
                    && function.is_some_and(|function| !function.is_unoptimised)
            })
    };
    // What a statement stores is made of what it reads, whatever compilers make of reading the same twice.
    let is_stored = |at: &Position| {
        let writes = source.arrays.iter().flat_map(|array| &array.accesses);
        let mut writes = writes.filter(|own| own.at.line == at.line && own.mode != AccessMode::Read);
        let only = writes.next().filter(|_| writes.next().is_none());
        only.is_some_and(|own| {
            own.at.column < at.column
                && !own.value.contains(['?', '&', '|', '{'])
                && ran.get(&(at.line, true)).is_some_and(|&last| last >= own.at.column)
        })
    };
    let has_run = |at: &Position, stores: bool| {
        ran.get(&(at.line, stores)).is_some_and(|&last| last >= at.column)
            || is_in_iteration(at)
            || !stores && is_stored(at)
    };
    open.iter().filter(|(at, stores)| !has_run(at, *stores)).map(|(at, _)| at.line).min()
}

/// Functions that end the program, or say why.
const ENDS: [&str; 8] = ["exit", "abort", "_exit", "quick_exit", "terminate", "perror", "puts", "fputs"];

/// Whether a variable is an integer or a pointer by its type as written.
fn is_whole(scalar: &Scalar, is_fortran: bool) -> bool {
    if is_fortran {
        return scalar.type_text.trim().to_ascii_lowercase().starts_with("integer");
    }
    let text = scalar.type_text.trim();
    scalar.storage.pointer && text.ends_with('*') || crate::worth::is_integer(text)
}

/// Whether an array has numbers for elements, by its type as written.
fn is_of_numbers(text: &str, is_fortran: bool) -> bool {
    let text = text.to_ascii_lowercase();
    let mut words =
        text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|word| !word.is_empty());
    match words.next() {
        Some(first) if is_fortran => ["integer", "real", "double", "logical"].contains(&first),
        Some(_) => {
            let element = text.split('[').next().unwrap_or_default();
            let is_float = |word: &str| matches!(word, "float" | "double" | "static" | "volatile" | "extern");
            !text.contains(['*', '<'])
                && element.split_whitespace().all(|word| is_float(word) || crate::worth::is_integer(word))
        }
        None => false,
    }
}

/// What a directive says of variables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Clauses {
    pub(crate) is_fortran: bool,
    /// Iterators of the loop itself.
    own: Vec<String>,
    reductions: Vec<(&'static str, String)>,
    /// Arrays of which each thread has a copy, and the operator that combines them.
    arrays: Vec<(&'static str, String)>,
    /// Variables that each iteration advances, and by how much.
    linear: Vec<(String, i64)>,
    /// Variables of which each thread has its own, which is to begin as that of the thread that comes to the loop.
    copied_in: Vec<String>,
    /// `private`, `firstprivate`, `lastprivate`.
    lists: [(String, Vec<String>); 3],
}

impl Clauses {
    /// What iterations accumulate, if they need nothing else: operators and names.
    fn reductions_alone(&self) -> Option<&[(&'static str, String)]> {
        let is_listed = |name: &String| !self.own.contains(name);
        let others = self.lists.iter().any(|list| list.1.iter().any(is_listed));
        let is_plain =
            !others && self.arrays.is_empty() && self.linear.is_empty() && self.copied_in.is_empty();
        is_plain.then_some(&self.reductions)
    }

    /// A directive for threads, with further clauses.
    pub(crate) fn threads(&self, more: &str) -> String {
        let head = if self.is_fortran { "!$omp parallel do" } else { "#pragma omp parallel for" };
        format!("{head}{}{more}", self.text(|_| true))
    }

    /// A directive for lanes; `None` where that does not take the clauses.
    pub(crate) fn lanes(&self) -> Option<String> {
        // The iterator is linear by itself, and has its last value after the loop.
        let is_listed = |name: &String| !self.own.contains(name);
        if self.lists[1].1.iter().any(is_listed) || !self.arrays.is_empty() || !self.copied_in.is_empty() {
            return None;
        }
        let head = if self.is_fortran { "!$omp simd" } else { "#pragma omp simd" };
        Some(format!("{head}{}", self.text(is_listed)))
    }

    /// Whether the order in which threads take iterations shows in a sum.
    pub(crate) fn reduces(&self) -> bool {
        !(self.reductions.is_empty() && self.arrays.is_empty())
    }

    /// Whether variables that each iteration advances have their value by a clause.
    pub(crate) fn advances(&self) -> bool {
        !self.linear.is_empty()
    }

    /// The clauses that combine something, and whether the order of what they combine shows in none of them.
    pub(crate) fn combining(&self) -> (String, bool) {
        let all = || self.reductions.iter().chain(&self.arrays);
        let clauses: Vec<String> =
            all().map(|(operator, name)| format!("reduction({operator}:{name})")).collect();
        let is_sum = |operator: &str| matches!(operator, "+" | "-" | "*");
        (clauses.join(" "), !all().any(|(operator, _)| is_sum(operator)))
    }

    fn text(&self, is_listed: impl Fn(&String) -> bool) -> String {
        let mut text = String::new();
        if self.reduces() {
            text += &format!(" {}", self.combining().0);
        }
        for (name, step) in &self.linear {
            text += &format!(" linear({name}:{step})");
        }
        if !self.copied_in.is_empty() {
            text += &format!(" copyin({})", self.copied_in.join(", "));
        }
        for (clause, names) in &self.lists {
            let names: Vec<&str> = names.iter().filter(|name| is_listed(name)).map(String::as_str).collect();
            if !names.is_empty() {
                text += &format!(" {clause}({})", names.join(", "));
            }
        }
        text
    }
}

/// Whether all that a loop's text does with the address of a variable is to hand it to functions.
fn is_handed_alone(scalar: &Scalar) -> bool {
    let is_handed = |own: &profile::lens::Sharing| {
        matches!(own.kind, SharingKind::Address | SharingKind::Reference) && !own.callee.is_empty()
    };
    let is_local = scalar.home == Home::Local && !scalar.storage.reference;
    is_local && !scalar.shared.is_empty() && scalar.shared.iter().all(is_handed)
}

/// Whether a clause may name a variable: not one of which each thread has its own, nor a member of a class.
fn is_allowed(scalar: &Scalar) -> bool {
    let is_memory = matches!(scalar.form, ScalarForm::Dereference | ScalarForm::PointedMember);
    is_memory || !scalar.storage.thread_local && !scalar.name.contains("::")
}

/// Whether a variable is a number by its type as written, as far as that tells: operators on others are functions.
fn is_number(scalar: &Scalar, is_fortran: bool) -> bool {
    if is_fortran {
        let text = scalar.type_text.to_ascii_lowercase();
        return !["type", "class", "character"].iter().any(|other| text.starts_with(other));
    }
    let is_other = |word: &str| matches!(word, "enum" | "struct" | "class" | "union");
    let mut words = scalar.type_text.split(|c: char| !c.is_alphanumeric() && c != '_');
    !scalar.storage.pointer
        && !scalar.storage.object
        && !scalar.type_text.contains(['<', '*', '('])
        && !words.any(is_other)
}

/// Whether a variable to be private is one that the loop's body declares: every iteration has its own.
fn is_own_variable(profile: &Profile, entry: &SourceLoop, name: &str) -> bool {
    let mut objects = entry.contexts.iter().zip(&entry.verdicts).flat_map(|(&context, verdict)| {
        let objects = verdict.privatise.iter().filter_map(|&object| profile.objects.get(object as usize));
        objects.map(move |object| (context, object))
    });
    objects
        .all(|(context, object)| object.name != name || schedule::scev::is_scoped(profile, context, object))
}

/// An operator as clauses name it.
pub(crate) fn operator_name(operator: Operator, is_fortran: bool) -> Option<&'static str> {
    Some(match (operator, is_fortran) {
        (Operator::Add | Operator::Subtract, _) => "+",
        (Operator::Multiply, _) => "*",
        (Operator::Minimum, _) => "min",
        (Operator::Maximum, _) => "max",
        (Operator::And, false) => "&",
        (Operator::Or, false) => "|",
        (Operator::Xor, false) => "^",
        (Operator::And, true) => "iand",
        (Operator::Or, true) => "ior",
        (Operator::Xor, true) => "ieor",
        (Operator::LogicalAnd, false) => "&&",
        (Operator::LogicalOr, false) => "||",
        (Operator::LogicalAnd, true) => ".and.",
        (Operator::LogicalOr, true) => ".or.",
        (Operator::Equivalent, true) => ".eqv.",
        (Operator::NotEquivalent, true) => ".neqv.",
        _ => return None,
    })
}

/// Whether a loop has ways out beside its own condition: by its source a `break`, a `return` and the like; without it, several
/// places in its code that leave it.
pub fn is_left_early(profile: &Profile, entry: &SourceLoop) -> bool {
    let is_unwound = |context: u32| profile.contexts.get(context as usize).is_some_and(|own| own.is_unwound);
    entry.contexts.iter().any(|&context| {
        is_unwound(context)
            || match Facts::of(profile, context) {
                Some(facts) => !facts.source.leaves.is_empty() || facts.tests_data(),
                None => profile.contexts.get(context as usize).is_some_and(|context| context.exits > 1),
            }
    })
}

/// The directive to paste above a loop, if there is one.
pub fn pasted<'a>(report: &'a Report<'_>, at: usize) -> Option<&'a str> {
    match report.directives.get(at)? {
        Some(Choice::Paste { text, .. }) => Some(text),
        _ => None,
    }
}

/// What a loop that has a directive to paste is as a call of a parallel algorithm of C++17, if there is one.
pub fn as_algorithm<'a>(report: &'a Report<'_>, at: usize) -> Option<&'a str> {
    match report.directives.get(at)? {
        Some(Choice::Paste { algorithm, .. }) => algorithm.as_deref(),
        _ => None,
    }
}

/// The call of a parallel algorithm of C++17 that a loop with these clauses is, if there is one.
pub(crate) fn algorithm(profile: &Profile, entry: &SourceLoop, clauses: &Clauses) -> Option<String> {
    let facts = Facts::of(profile, *entry.contexts.first()?)?;
    algorithms::call(&facts, clauses.reductions_alone()?)
}

/// The directive that makes a loop parallel, whether or not that pays.
pub fn alone<'a>(report: &'a Report<'_>, at: usize) -> Option<&'a str> {
    match report.directives.get(at)? {
        Some(Choice::Paste { alone, .. } | Choice::Withheld { alone, .. }) => Some(alone),
        _ => None,
    }
}

/// A directive for a loop as the form of its source has it, on several lines where one is too short.
pub fn in_lines(report: &Report<'_>, at: usize, text: &str) -> Vec<String> {
    let context = report.loops.get(at).and_then(|entry| entry.contexts.first());
    let language =
        context.and_then(|&context| Facts::of(report.profile, context)).map(|facts| facts.language);
    let lines = trial::continued(text, form(language), b"");
    lines.into_iter().map(|line| String::from_utf8_lossy(&line).into_owned()).collect()
}

/// The form in which a language has directives.
pub(crate) fn form(language: Option<Language>) -> Form {
    match language {
        Some(Language::Fortran) => Form::Free,
        Some(Language::FixedFortran) => Form::Fixed,
        _ => Form::Pragma,
    }
}

/// What is said of a loop that could be parallel where there is no directive to paste.
pub fn instead(report: &Report<'_>, at: usize) -> Option<String> {
    let entry = report.loops.get(at)?;
    if let Some(existing) = report.existing.get(at)? {
        return Some(existing::words(entry, existing).join("; "));
    }
    match report.directives.get(at)?.as_ref()? {
        Choice::Paste { .. } => None,
        Choice::Withheld { why, .. } => Some(withheld(report, why)),
        Choice::Absent(absent) => missing(entry, absent),
    }
}

/// Why a directive is withheld, in words.
fn withheld(report: &Report<'_>, why: &Withheld) -> String {
    match why {
        Withheld::Little => "no directive: less than a thousandth of the instructions run in it".to_owned(),
        Withheld::Few(trips) => {
            format!("no directive: {trips:.1} iterations at a time are too few to share out")
        }
        Withheld::Short(instructions) => format!(
            "no directive: {} instructions at a time take less than starting threads does",
            crate::text::number(*instructions)
        ),
        Withheld::Within(outer) => {
            let outer = report.loops.get(*outer).map(SourceLoop::place).unwrap_or_default();
            format!("no directive: it runs inside the parallel loop {outer}")
        }
        Withheld::Tried(reason) => {
            format!("no directive: it was tried, and {}", crate::trying::reason(reason))
        }
    }
}

fn missing(entry: &SourceLoop, absent: &Absent) -> Option<String> {
    Some(match absent {
        Absent::NoSource if entry.line == 0 => return None,
        Absent::NoSource => {
            "this is about the loop as it was compiled; its source was not read, so there is no directive".to_owned()
        }
        Absent::Open => {
            "this is about the loop as it was compiled; which parts of its text were compiled is not known, so there is no directive"
                .to_owned()
        }
        Absent::LeftEarly => {
            "its iterations do not depend on one another, but it is left early: no directive makes it parallel".to_owned()
        }
        Absent::Form => {
            "its iterations do not depend on one another; directives need a loop that counts: for (i = …; i < n; i++)"
                .to_owned()
        }
        Absent::Macro => "no directive: it stands in a macro or in text that may be compiled otherwise".to_owned(),
        Absent::Has(text) => format!("it has a directive: {text}"),
        Absent::SameLine => {
            "no directive: another loop begins before it on its line, and a directive would be about that one".to_owned()
        }
        Absent::NotFirst => {
            "no directive: something else stands before it on its line, and a directive would be about that".to_owned()
        }
        Absent::Elsewhere => {
            "no directive: the same loop, reached by other calls, is not parallel, or only after other changes".to_owned()
        }
        Absent::Language(words) => return words.clone(),
        Absent::Variable(name) => {
            format!("no directive: `{name}` has no place in one; make it the iterations' own or combine it by hand")
        }
        Absent::Elements(all) => {
            let is_extreme = |(operator, _): &&(&str, String)| matches!(*operator, "min" | "max");
            let guard = if all.iter().any(|own| is_extreme(&own)) { "omp critical" } else { "omp atomic" };
            let names: Vec<String> = all.iter().map(|(operator, name)| format!("`{name}` by {operator}")).collect();
            let clauses: Vec<String> =
                all.iter().map(|(operator, name)| format!("reduction({operator}:{name}[:N])")).collect();
            format!(
                "no directive: iterations combine elements of {}; put {guard} on that, or add {} for N elements",
                names.join(" and of "),
                clauses.join(" ")
            )
        }
        Absent::OneValue(name, lines) => {
            let place = if lines.is_empty() { String::new() } else { format!(" in {}", crate::sequence::in_lines(lines)) };
            format!(
                "no directive alone: iterations set `{name}` to one value; with omp atomic write{place} a parallel loop may"
            )
        }
        Absent::NotRun(line) => {
            format!("no directive: line {line} did not run, and what it does to other iterations the run does not show")
        }
        Absent::Unnamed(operator, line) => {
            format!("omp parallel for, with a reduction: {operator} of what line {line} accumulates")
        }
    })
}
