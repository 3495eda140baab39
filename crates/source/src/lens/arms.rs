//! Conditional compilation: which arms of the preprocessor's conditionals were compiled, before anything reads the text.
//!
//! Definition: an *arm* is what stands between two directives of one conditional. It is *decided* by its condition (module `condition`), where
//! that consists of numbers, of macros that the text, or a header that it names, defines or undefines in any case, and of those that every
//! compiler for Linux has; else by what the program's debug information says of its lines ([`Compiled`]):
//! - an arm with code or declarations that the debug information knows was compiled, the others of its conditional were not;
//! - an arm inside of a compiled function without any was not compiled if it holds what leaves traces there in any case: declarations
//!   of variables, calls, constructs of OpenMP that are calls; without optimisation also assignments.
//!
//! Arms that were not compiled become blanks, and so do the directives around decided ones; all positions stay. Arms that nothing decides
//! stay in the text as *open* ones: nothing may be claimed of what they stand in. Those that hold nothing but other directives are none.
//!
//! Where debug information has code of two arms of one conditional, the file was compiled in several ways: all of them stay open.
//!
//! What a header does to macros holds from its `#include` on ([`Includes`]); one that cannot be read may do anything to them. A name that nothing
//! has defined or undefined may be given by the command line: nothing is known of it.
//!
//! Limits: a conditional that is not closed leaves the text as it is.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use profile::lens::Language;

use super::condition::{self, Known};
use super::macros::is_of_name;
use super::phases::{Directive, Phases};
use super::text::words;

/// Nesting of conditionals beyond this is not looked into.
const DEEPEST: usize = 64;

/// What a program's debug information says of one of its files.
#[derive(Debug, Clone, Default)]
pub struct Compiled {
    /// Lines with code, or with declarations that it knows.
    pub lines: BTreeSet<u32>,
    /// Those among them that each unit has of which this is the main file.
    pub always: BTreeSet<u32>,
    /// Lines on which functions are declared that were compiled.
    pub functions: BTreeSet<u32>,
    /// The compiler did not optimise.
    pub is_unoptimised: bool,
    /// Directives of OpenMP were obeyed; `None` if that is not known.
    pub openmp: Option<bool>,
    /// It was compiled as C++; `None` if that is not known, or if it was compiled as C too.
    pub is_cplusplus: Option<bool>,
}

/// What is known of a macro at some place.
#[derive(Debug, Clone, PartialEq, Eq)]
enum State {
    Undefined,
    /// The text that it stands for, if it takes no arguments and that is known.
    Defined(Option<Rc<str>>),
    Unknown,
}

/// What is known of macros at some place of a text.
#[derive(Debug, Clone, Default)]
pub(super) struct Names {
    /// Those that some text has defined or undefined.
    of: HashMap<String, State>,
    /// What `#pragma push_macro` has kept of each, the last at the end.
    pushed: HashMap<String, Vec<Option<State>>>,
    /// What was kept is not known.
    is_pushed_open: bool,
    /// A header came before that could not be read.
    is_wild: bool,
}

/// What is known of a text before its arms are decided.
#[derive(Clone, Copy)]
pub(super) struct Given<'a> {
    pub language: Language,
    /// It was compiled as C++; `None` if that is not known.
    pub is_cplusplus: Option<bool>,
    /// What the debug information says of the file.
    pub compiled: Option<&'a Compiled>,
    /// What stands in no arm was compiled.
    pub is_certain: bool,
}

impl<'a> Given<'a> {
    /// A file that was compiled by itself. Whether that was as C++ the debug information says, if there is any.
    pub(super) fn file(language: Language, compiled: Option<&'a Compiled>) -> Given<'a> {
        let is_cplusplus = match compiled {
            Some(own) if matches!(language, Language::C | Language::Cpp) => own.is_cplusplus,
            _ => Some(language == Language::Cpp),
        };
        Given { language, is_cplusplus, compiled, is_certain: true }
    }
}

/// What follows the `#include` of a text.
pub(super) trait Includes {
    /// Follows one; `what`: the text behind the word. `names`: what is known of macros before it, and afterwards what is behind it. `is_certain`: it
    /// was compiled.
    fn include(&mut self, what: &str, names: &mut Names, is_certain: bool);
}

/// The headers of a text that comes alone: those in angle brackets count as the system's.
pub(super) struct Unfollowed;

impl Includes for Unfollowed {
    fn include(&mut self, what: &str, names: &mut Names, _: bool) {
        if what.starts_with('<') { names.include_of_system() } else { names.forget() }
    }
}

/// An arm of which nothing says whether it was compiled.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Open {
    /// First and last line.
    pub lines: (u32, u32),
    /// It may declare something.
    pub declares: bool,
    /// Variables that it declares outside of functions.
    pub variables: BTreeSet<String>,
    /// It has nothing but directives for parallel execution, which are about what follows.
    pub is_directive: bool,
}

/// A text of which the arms are decided.
#[derive(Debug, Clone, Default)]
pub(super) struct Arms {
    /// The text, with blanks for what was not compiled.
    pub text: Vec<u8>,
    /// First and last lines of what became blanks, ascending.
    pub left_out: Vec<(u32, u32)>,
    /// Open arms with something in them, ascending.
    pub open: Vec<Open>,
    /// Macros that are defined or undefined in an arm that nothing decides.
    pub doubtful: BTreeSet<String>,
}

/// A conditional: its directives, the last of which ends it.
type Conditional = Vec<usize>;

struct Walker<'a> {
    given: Given<'a>,
    lines: Vec<&'a [u8]>,
    /// The lines without comments and what strings say.
    plain: Vec<String>,
    directives: Vec<Directive>,
    /// By the first directive of each.
    conditionals: HashMap<usize, Conditional>,
    /// All macros that the text defines somewhere.
    macros: BTreeSet<String>,
    names: Names,
    includes: &'a mut dyn Includes,
    /// Nothing of what the text says of macros is certain.
    is_erratic: bool,
    blank: BTreeSet<usize>,
    open: Vec<Open>,
    doubtful: BTreeSet<String>,
}

impl Arms {
    /// Decides the arms of a text. `names`: what is known of macros where it begins; afterwards what is where it ends.
    pub(super) fn of(text: &[u8], given: Given<'_>, names: &mut Names, includes: &mut dyn Includes) -> Arms {
        if given.language == Language::Rust {
            return Arms { text: text.to_vec(), ..Arms::default() };
        }
        let mut walker = Walker::new(text, given, std::mem::take(names), includes);
        if !walker.find_conditionals() {
            walker.walk_unclosed();
            *names = walker.names;
            return Arms { text: text.to_vec(), doubtful: walker.doubtful, ..Arms::default() };
        }
        walker.walk((0, walker.directives.len()), given.is_certain, 0);
        let Walker { lines, directives, blank, mut open, doubtful, names: known, .. } = walker;
        *names = known;
        open.sort_by_key(|own| own.lines);
        let mut out = Arms { open, doubtful, ..Arms::default() };
        let led: HashMap<usize, usize> = directives.iter().map(|own| (own.lines.0, own.led_by)).collect();
        for (index, line) in lines.iter().enumerate() {
            if !blank.contains(&index) {
                out.text.extend_from_slice(line);
                continue;
            }
            // The end of a comment that begins before what is left out.
            let is_kept = index.checked_sub(1).is_some_and(|before| !blank.contains(&before));
            let kept = led.get(&index).copied().filter(|_| is_kept).unwrap_or(0);
            let (before, line) = line.split_at(kept.min(line.len()));
            out.text.extend_from_slice(before);
            let spaced = line.iter().map(|&byte| if matches!(byte, b'\n' | b'\r') { byte } else { b' ' });
            out.text.extend(spaced);
            out.leave_out(number(index));
        }
        out
    }

    fn leave_out(&mut self, line: u32) {
        match self.left_out.last_mut() {
            Some(last) if last.1 + 1 == line => last.1 = line,
            _ => self.left_out.push((line, line)),
        }
    }

    /// The same text where it is included a second time: what was compiled at either place.
    pub(super) fn or(&mut self, other: Arms) {
        for (own, other) in self.text.iter_mut().zip(&other.text) {
            if *own == b' ' {
                *own = *other;
            }
        }
        let lines = |of: &[(u32, u32)]| of.iter().flat_map(|own| own.0..=own.1).collect::<BTreeSet<u32>>();
        let both: Vec<u32> = lines(&self.left_out).intersection(&lines(&other.left_out)).copied().collect();
        self.left_out.clear();
        both.into_iter().for_each(|line| self.leave_out(line));
        for own in other.open {
            if !self.open.contains(&own) {
                self.open.push(own);
            }
        }
        self.open.sort_by_key(|own| own.lines);
        self.doubtful.retain(|name| other.doubtful.contains(name));
    }
}

impl<'a> Walker<'a> {
    fn new(text: &'a [u8], given: Given<'a>, names: Names, includes: &'a mut dyn Includes) -> Walker<'a> {
        let lines: Vec<&[u8]> = text.split_inclusive(|&byte| byte == b'\n').collect();
        let Phases { plain, directives, is_ambiguous } = Phases::of(text, given.language);
        let defined = directives.iter().filter(|own| own.word == "define");
        let macros = defined.map(|own| name_of(&own.rest).to_owned()).collect();
        // The operator may stand in any macro.
        let has = |word: &[u8]| text.windows(word.len()).any(|own| own == word);
        let is_erratic = is_ambiguous || has(b"_Pragma") && has(b"pop_macro");
        Walker {
            given,
            lines,
            plain,
            directives,
            conditionals: HashMap::new(),
            macros,
            names,
            includes,
            is_erratic,
            blank: BTreeSet::new(),
            open: Vec::new(),
            doubtful: BTreeSet::new(),
        }
    }

    /// Finds which directives belong together; whether all conditionals are closed.
    fn find_conditionals(&mut self) -> bool {
        let mut stack = Vec::<Conditional>::new();
        for (at, one) in self.directives.iter().enumerate() {
            match one.word.as_str() {
                "if" | "ifdef" | "ifndef" => stack.push(vec![at]),
                "elif" | "elifdef" | "elifndef" | "else" => match stack.last_mut() {
                    Some(own) => own.push(at),
                    None => return false,
                },
                "endif" => {
                    let Some(mut own) = stack.pop() else { return false };
                    own.push(at);
                    self.conditionals.insert(own[0], own);
                }
                _ => {}
            }
        }
        stack.is_empty()
    }

    /// Goes through the directives of a text of which it is not known which of them belong together.
    fn walk_unclosed(&mut self) {
        for at in 0..self.directives.len() {
            if self.directives[at].word.starts_with("include") {
                self.names.forget();
            }
            self.step(at, false);
        }
        self.names.forget();
    }

    /// Goes through directives; `is_certain`: what stands here was compiled.
    fn walk(&mut self, (mut at, end): (usize, usize), is_certain: bool, depth: usize) {
        while at < end {
            match self.directives[at].word.as_str() {
                "if" | "ifdef" | "ifndef" => {
                    let Some(own) = self.conditionals.get(&at).cloned() else { return };
                    let last = own.last().copied().unwrap_or(at);
                    if depth < DEEPEST {
                        self.conditional(&own, is_certain, depth);
                    } else {
                        self.names.forget();
                    }
                    at = last;
                }
                _ => self.step(at, is_certain),
            }
            at += 1;
        }
    }

    /// What a directive that is no conditional does to macros.
    fn step(&mut self, at: usize, is_certain: bool) {
        let Directive { word, rest, .. } = &self.directives[at];
        let name = name_of(rest).to_owned();
        match word.as_str() {
            "define" => {
                let text = &rest[name.len()..];
                let text = (!text.starts_with('(')).then(|| Rc::from(text.trim()));
                self.names.of.insert(name.clone(), State::Defined(text));
            }
            "undef" => drop(self.names.of.insert(name.clone(), State::Undefined)),
            "pragma" if matches!(name.as_str(), "push_macro" | "pop_macro") => {
                let kept = quoted(&rest[name.len()..]).map(str::to_owned);
                self.names.keep(kept, name == "push_macro");
                return;
            }
            "include" => {
                let what = rest.clone();
                self.includes.include(&what, &mut self.names, is_certain);
                return;
            }
            "include_next" | "import" => return self.names.forget(),
            _ => return,
        }
        if !is_certain {
            self.doubtful.insert(name);
        }
    }

    fn conditional(&mut self, own: &Conditional, is_certain: bool, depth: usize) {
        let verdicts = self.decide(own);
        let before = self.names.clone();
        let mut after: Vec<Names> = Vec::new();
        let has_else = own.iter().any(|&at| self.directives[at].word == "else");
        for (pair, verdict) in own.windows(2).zip(&verdicts) {
            let body = (self.directives[pair[0]].lines.1, self.directives[pair[1]].lines.0);
            self.names = before.clone();
            match verdict {
                Some(false) => {
                    self.blank.extend(body.0..body.1);
                    continue;
                }
                Some(true) => self.walk((pair[0] + 1, pair[1]), is_certain, depth + 1),
                None => {
                    self.walk((pair[0] + 1, pair[1]), false, depth + 1);
                    self.keep_open(body);
                }
            }
            // The header may have been included before, and what it did been changed since.
            if self.is_guard(pair[0]) && before.may_have_included(name_of(&self.directives[pair[0]].rest)) {
                self.names.where_changed(&before);
            }
            after.push(std::mem::take(&mut self.names));
        }
        let is_decided = verdicts.iter().all(Option::is_some);
        let is_open = verdicts.iter().all(Option::is_none);
        if is_open && has_else && own.windows(2).all(|pair| self.shares_out(pair)) {
            // In any case what follows is shared out: the first of the directives stands for all of them.
            let (first, end) = (self.directives[own[0]].lines.0, self.directives[own[own.len() - 1]].lines.1);
            let kept = self.directives[own[0]].lines.1..self.directives[own[1]].lines.0;
            self.blank.extend((first..end).filter(|line| !kept.contains(line)));
        }
        if !is_decided && !has_else && !verdicts.contains(&Some(true)) {
            let mut none = before.clone();
            // Otherwise the first arm would have been compiled.
            if let Some(name) = self.missing(own[0]) {
                none.of.insert(name, State::Defined(None));
            }
            after.push(none);
        }
        self.names = after.into_iter().reduce(Names::or).unwrap_or(before);
        if is_decided {
            for &at in own {
                let (first, end) = self.directives[at].lines;
                self.blank.extend(first..end);
            }
        }
    }

    /// Of each arm of a conditional whether it was compiled.
    fn decide(&self, own: &Conditional) -> Vec<Option<bool>> {
        let arms: Vec<(usize, usize)> = own.windows(2).map(|pair| (pair[0], pair[1])).collect();
        let mut out: Vec<Option<bool>> = Vec::new();
        // Whether one of the arms before was.
        let mut before = Some(false);
        for &(at, _) in &arms {
            let condition = self.condition(at);
            let taken = match (before, condition) {
                (Some(true), _) | (_, Some(false)) => Some(false),
                (Some(false), condition) => condition,
                (None, _) => None,
            };
            out.push(taken);
            before = match (before, taken) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (Some(false), Some(false)) => Some(false),
                _ => None,
            };
        }
        let Some(compiled) = self.given.compiled else { return out };
        let body = |(from, to): (usize, usize)| (self.directives[from].lines.1, self.directives[to].lines.0);
        let has = |of: &BTreeSet<u32>, arm: (usize, usize)| {
            let (first, end) = body(arm);
            of.range(number(first)..number(end)).next().is_some()
        };
        let with: Vec<bool> = arms.iter().map(|&arm| has(&compiled.lines, arm)).collect();
        let always: Vec<bool> = arms.iter().map(|&arm| has(&compiled.always, arm)).collect();
        let is_contradicted = with.iter().zip(&out).any(|(with, own)| *with && *own == Some(false));
        let only = with.iter().position(|with| *with);
        let is_several = with.iter().filter(|with| **with).count() > 1;
        match only {
            _ if is_contradicted || is_several => return vec![None; arms.len()],
            Some(at) if always[at] => {
                return (0..arms.len()).map(|other| Some(other == at)).collect();
            }
            // In some units only.
            Some(_) => return vec![None; arms.len()],
            None => {}
        }
        for (own, &arm) in out.iter_mut().zip(&arms) {
            if own.is_none() && self.would_leave_traces(body(arm), compiled) {
                *own = Some(false);
            }
        }
        let has_else = own.iter().any(|&at| self.directives[at].word == "else");
        let mut open = (0..out.len()).filter(|&at| out[at].is_none());
        if let (Some(one), None) = (open.next(), open.next())
            && has_else
            && !out.contains(&Some(true))
        {
            out[one] = Some(true);
        }
        out
    }

    /// Whether the condition of an arm holds, its predecessors apart.
    fn condition(&self, at: usize) -> Option<bool> {
        let Directive { word, rest, .. } = &self.directives[at];
        let defined = |name: &str| self.is_defined(name);
        let name = name_of(rest);
        match word.as_str() {
            "ifdef" if self.is_about_directives(at) => Some(true),
            "ifdef" | "elifdef" => defined(name),
            // What keeps a header from being read twice.
            "ifndef" if self.is_guard(at) => Some(defined(name) != Some(true)),
            "ifndef" | "elifndef" => defined(name).map(|own| !own),
            "else" => Some(true),
            _ => condition::holds(rest, &|name| self.known(name), self.given.is_cplusplus == Some(true)),
        }
    }

    /// Whether an arm is for compilers that know OpenMP, and has nothing but its directives, which others leave out anyway.
    fn is_about_directives(&self, at: usize) -> bool {
        let end = self.directives.get(at + 1..).and_then(|rest| rest.iter().find(|own| own.word != "pragma"));
        let is_own = name_of(&self.directives[at].rest) == "_OPENMP";
        let Some(end) = end.filter(|end| is_own && end.word == "endif") else { return false };
        let mut lines = self.directives[at].lines.1..end.lines.0;
        lines.all(|line| self.is_pragma(line) || self.plain[line].trim().is_empty())
    }

    /// Whether a line is part of a directive of OpenMP.
    fn is_pragma(&self, line: usize) -> bool {
        match self.given.language {
            Language::Fortran | Language::FixedFortran => is_fortran_directive(&self.plain[line]),
            _ => self.directives.iter().any(|own| {
                (own.lines.0..own.lines.1).contains(&line) && own.word == "pragma" && is_parallel(&own.rest)
            }),
        }
    }

    /// Whether an arm consists of one directive that shares out what follows.
    fn shares_out(&self, pair: &[usize]) -> bool {
        let body = self.directives[pair[0]].lines.1..self.directives[pair[1]].lines.0;
        let lines: Vec<usize> = body.filter(|&line| !self.plain[line].trim().is_empty()).collect();
        let text: Vec<&str> = lines.iter().map(|&line| self.plain[line].as_str()).collect();
        let own = profile::lens::Directive { text: text.join(" "), line: 0 };
        let starts = text.iter().filter(|line| {
            let line = line.trim_start();
            line.starts_with('#') || is_fortran_directive(line) && !line.contains("$omp&")
        });
        !lines.is_empty()
            && starts.count() == 1
            && lines.iter().all(|&line| self.is_pragma(line))
            && own.shares_out()
    }

    /// Whether an `#ifndef` defines that very macro at once, without a value, and stands around the rest of the text.
    fn is_guard(&self, at: usize) -> bool {
        let name = name_of(&self.directives[at].rest);
        let defines = |own: &Directive| own.word == "define" && own.rest.trim() == name;
        let is_first = (0..self.directives[at].lines.0).all(|line| self.plain[line].trim().is_empty());
        let is_whole = self.conditionals.get(&at).is_some_and(|own| own.len() == 2);
        is_first && is_whole && self.directives.get(at + 1).is_some_and(defines)
    }

    /// The macro of which an arm says that it is not there.
    fn missing(&self, at: usize) -> Option<String> {
        let Directive { word, rest, .. } = &self.directives[at];
        match word.as_str() {
            "ifndef" => Some(name_of(rest).to_owned()),
            "if" => condition::missing(rest),
            _ => None,
        }
    }

    fn is_defined(&self, name: &str) -> Option<bool> {
        self.known(name).is_defined()
    }

    /// What is known of a name: by the text, else by what all compilers for Linux define. The command line may define any other.
    fn known(&self, name: &str) -> Known {
        const ONE: [&str; 5] = ["__linux__", "__linux", "__unix__", "__unix", "__STDC__"];
        match self.names.of.get(name) {
            Some(_) if self.is_erratic => return Known::Open,
            Some(State::Undefined) => return Known::Absent,
            Some(State::Defined(Some(text))) => return Known::Text(Rc::clone(text)),
            Some(State::Defined(None)) => return Known::Defined,
            Some(State::Unknown) => return Known::Open,
            None => {}
        }
        let by = |is: Option<bool>| match is {
            Some(true) => Known::Number,
            Some(false) => Known::Absent,
            None => Known::Open,
        };
        match name {
            "__cplusplus" => by(self.given.is_cplusplus),
            "_OPENMP" => by(self.given.compiled.and_then(|own| own.openmp)),
            _ if !matches!(self.given.language, Language::C | Language::Cpp) => Known::Open,
            "__GNUC__" => Known::Number,
            _ if ONE.contains(&name) => Known::Text("1".into()),
            _ => Known::Open,
        }
    }

    /// Notes an arm that nothing decides, if something stands in it.
    fn keep_open(&mut self, (first, end): (usize, usize)) {
        let (mut has_text, mut has_directive) = (false, false);
        for line in first..end {
            if self.is_pragma(line) {
                has_directive = true;
            } else if !self.is_in_directive(line) && !self.plain[line].trim().is_empty() {
                has_text = true;
            }
        }
        if !has_text && !has_directive {
            return;
        }
        let lines = (number(first), number(end).saturating_sub(1));
        let pieces = self.pieces(first, end);
        let is_fortran = matches!(self.given.language, Language::Fortran | Language::FixedFortran);
        let declares = match is_fortran {
            true => (first..end).any(|line| may_declare_in_fortran(&self.plain[line])),
            false => pieces.iter().any(|piece| may_declare(piece)),
        };
        let variables = match is_fortran {
            true => (first..end).flat_map(|line| declared_in_fortran(&self.plain[line])).collect(),
            false => pieces.iter().flat_map(|piece| declared(piece)).collect(),
        };
        self.open.push(Open { lines, declares, variables, is_directive: !has_text });
    }

    fn is_in_directive(&self, line: usize) -> bool {
        let at = self.directives.partition_point(|own| own.lines.1 <= line);
        self.directives.get(at).is_some_and(|own| own.lines.0 <= line)
    }

    /// The statements on some lines, those in conditionals inside apart, without what ends them.
    fn pieces(&self, first: usize, end: usize) -> Vec<String> {
        let mut text = String::new();
        let mut depth = 0usize;
        for line in first..end {
            let at = self.directives.partition_point(|own| own.lines.1 <= line);
            match self.directives.get(at).filter(|own| own.lines.0 <= line) {
                Some(own) if own.lines.0 == line && own.word.starts_with("if") => depth += 1,
                Some(own) if own.lines.0 == line && own.word == "endif" => depth = depth.saturating_sub(1),
                Some(_) => {}
                None if depth == 0 => {
                    text.push_str(&self.plain[line]);
                    text.push(' ');
                }
                None => {}
            }
        }
        text.split(['{', '}', ';'])
            .map(|piece| piece.trim().to_owned())
            .filter(|own| !own.is_empty())
            .collect()
    }

    /// Whether what stands on some lines, none of which has code, would have left some if it had been compiled.
    fn would_leave_traces(&self, (first, end): (usize, usize), compiled: &Compiled) -> bool {
        let Some(function) = compiled.functions.range(..=number(first)).next_back() else { return false };
        let next = compiled.functions.range(function.saturating_add(1)..).next().copied().unwrap_or(u32::MAX);
        let after = number(end);
        if after >= next || compiled.lines.range(after..next).next().is_none() {
            return false;
        }
        let is_fortran = matches!(self.given.language, Language::Fortran | Language::FixedFortran);
        let mut depth = 0usize;
        for line in first..end {
            let at = self.directives.partition_point(|own| own.lines.1 <= line);
            let own = self.directives.get(at).filter(|own| own.lines.0 == line);
            match own.map(|own| own.word.as_str()) {
                Some("if" | "ifdef" | "ifndef") => depth += 1,
                Some("endif") => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0
                && compiled.openmp == Some(true)
                && self.is_pragma(line)
                && is_call_of_openmp(&self.plain[line])
            {
                return true;
            }
            if is_fortran
                && depth == 0
                && leaves_traces_in_fortran(&self.plain[line], compiled.is_unoptimised)
            {
                return true;
            }
        }
        let is_call = |piece: &String| {
            called(piece).is_some_and(|name| {
                let is_macro = self.macros.contains(name) || self.names.of.contains_key(name);
                !is_macro && name != "assert" && name.bytes().any(|byte| byte.is_ascii_lowercase())
            })
        };
        !is_fortran
            && self.pieces(first, end).iter().any(|piece| {
                is_local_variable(piece)
                    || is_call(piece)
                    || compiled.is_unoptimised && !may_declare(piece) && assigns(piece)
            })
    }
}

impl Names {
    /// What is known if either may hold.
    pub(super) fn or(mut self, other: Names) -> Names {
        for (name, state) in &mut self.of {
            let own = other.of.get(name);
            *state = match (&state, own) {
                (State::Defined(a), Some(State::Defined(b))) if a == b => continue,
                (State::Defined(_), Some(State::Defined(_))) => State::Defined(None),
                (State::Undefined, Some(State::Undefined)) => State::Undefined,
                _ => State::Unknown,
            };
        }
        for name in other.of.into_keys() {
            self.of.entry(name).or_insert(State::Unknown);
        }
        self.is_pushed_open |= other.is_pushed_open || self.pushed != other.pushed;
        self.is_wild |= other.is_wild;
        self
    }

    /// Behind a header that cannot be read: it may have defined and undefined anything.
    pub(super) fn forget(&mut self) {
        self.of.clear();
        (self.is_wild, self.is_pushed_open) = (true, true);
    }

    /// Behind a header of the system: what it defines is not known. Names that a program has defined before it leaves alone (C17, 7.1.3).
    pub(super) fn include_of_system(&mut self) {
        self.of.retain(|_, state| *state != State::Undefined);
    }

    /// `#pragma push_macro` or `pop_macro` of a name; `None` if that is not understood.
    fn keep(&mut self, name: Option<String>, is_pushed: bool) {
        let Some(name) = name else { return self.forget() };
        if is_pushed {
            let own = self.of.get(&name).cloned();
            self.pushed.entry(name).or_default().push(own);
            return;
        }
        let last = self.pushed.get_mut(&name).map(Vec::pop);
        match last {
            _ if self.is_pushed_open => drop(self.of.insert(name, State::Unknown)),
            Some(Some(Some(state))) => drop(self.of.insert(name, state)),
            Some(Some(None)) => drop(self.of.remove(&name)),
            // Without a first one it does nothing.
            Some(None) | None => {}
        }
    }

    /// Whether a header with this guard may have been included before.
    fn may_have_included(&self, guard: &str) -> bool {
        self.is_wild || self.of.get(guard) == Some(&State::Unknown)
    }

    /// Takes for unknown what was known before and is not the same.
    fn where_changed(&mut self, before: &Names) {
        for (name, state) in &mut self.of {
            if before.of.get(name).is_some_and(|own| own != state) {
                *state = State::Unknown;
            }
        }
    }
}

/// What stands between two quotes in parentheses.
fn quoted(text: &str) -> Option<&str> {
    let inside = text.trim().strip_prefix('(')?.strip_suffix(')')?.trim();
    inside.strip_prefix('"')?.strip_suffix('"').filter(|name| name.bytes().all(is_of_name))
}

/// The number of a line, from 1.
fn number(index: usize) -> u32 {
    u32::try_from(index + 1).unwrap_or(u32::MAX)
}

fn name_of(rest: &str) -> &str {
    let rest = rest.trim_start();
    let end = rest.bytes().take_while(|&byte| is_of_name(byte)).count();
    &rest[..end]
}

/// Whether what follows `#pragma` is for parallel execution.
fn is_parallel(rest: &str) -> bool {
    matches!(name_of(rest), "omp" | "acc")
}

fn is_fortran_directive(line: &str) -> bool {
    let line = line.trim_start().to_ascii_lowercase();
    ["!$omp", "c$omp", "*$omp", "!$acc"].iter().any(|mark| line.starts_with(mark))
}

/// Whether a directive of OpenMP has compilers call its runtime on its own line.
fn is_call_of_openmp(line: &str) -> bool {
    const CALLS: [&str; 8] =
        ["parallel", "critical", "barrier", "master", "single", "sections", "task", "taskwait"];
    let head = line.split('(').next().unwrap_or_default().to_ascii_lowercase();
    let is_end = words(&head).any(|word| word.starts_with("end"));
    !is_end && words(&head).any(|word| CALLS.contains(&word))
}

/// Words that begin statements, or declare what leaves no traces in all cases.
const NOT_LOCAL: [&str; 29] = [
    "return",
    "goto",
    "else",
    "case",
    "delete",
    "throw",
    "new",
    "if",
    "for",
    "while",
    "do",
    "switch",
    "typedef",
    "extern",
    "static",
    "using",
    "namespace",
    "template",
    "friend",
    "class",
    "enum",
    "union",
    "sizeof",
    "default",
    "public",
    "private",
    "constexpr",
    "register",
    "operator",
];

/// The first words of a piece, the stars and references between them left out, and what follows them.
fn leading(piece: &str) -> (Vec<&str>, &str) {
    let (mut out, mut rest) = (Vec::new(), piece.trim_start());
    loop {
        let name = name_of(rest);
        if name.is_empty() {
            return (out, rest);
        }
        out.push(name);
        rest = rest[name.len()..].trim_start();
        let more = rest.trim_start_matches(['*', '&', ' ', '\t']);
        if !name_of(more).is_empty() && !rest.starts_with("&&") {
            rest = more;
        }
    }
}

/// Whether a piece of C may declare something: two names follow one another, or it is no statement that is known.
fn may_declare(piece: &str) -> bool {
    const STATEMENTS: [&str; 8] =
        ["return", "goto", "case", "delete", "throw", "break", "continue", "default"];
    let (names, rest) = leading(piece);
    match names[..] {
        [] => false,
        [first, ..] if STATEMENTS.contains(&first) => false,
        ["else", ref more @ ..] => more.len() > 1,
        // What it stands before is another piece, or follows its parentheses.
        ["if" | "while" | "switch"] => {
            let after = behind_parentheses(rest);
            !after.is_empty() && may_declare(after)
        }
        // Its variables are its own.
        ["for"] => false,
        [_] => rest.starts_with('<') || rest.starts_with("::") && rest.contains('<'),
        [_, _, ..] => !is_product(piece),
    }
}

/// Whether two names of a piece are parted by a sign after all: `a * b` as a statement does not exist, `*p = q` does.
fn is_product(piece: &str) -> bool {
    piece.starts_with(['*', '(', '+', '-'])
}

fn behind_parentheses(text: &str) -> &str {
    let mut depth = 0usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return text[at + 1..].trim_start();
                }
            }
            _ if depth == 0 && !byte.is_ascii_whitespace() => return text,
            _ => {}
        }
    }
    ""
}

/// Whether a piece declares a variable that debug information has in any case, if it stands in a function.
fn is_local_variable(piece: &str) -> bool {
    let (names, rest) = leading(piece);
    let is_type = |name: &&str| name.bytes().any(|byte| byte.is_ascii_lowercase());
    names.len() > 1
        && !names.iter().any(|name| NOT_LOCAL.contains(name))
        && names[..names.len() - 1].iter().all(is_type)
        && (rest.is_empty()
            || rest.starts_with([',', '['])
            || rest.starts_with('=') && !rest.starts_with("=="))
        && !is_product(piece)
}

/// The variables that a piece declares, outside of functions.
fn declared(piece: &str) -> Vec<String> {
    let (names, rest) = leading(piece);
    if names.len() < 2 || rest.starts_with('(') || names.contains(&"typedef") || is_product(piece) {
        return Vec::new();
    }
    let more = rest.split(',').skip(1).filter_map(|one| {
        let name = name_of(one.trim_start_matches([' ', '\t', '*', '&']));
        (!name.is_empty()).then(|| name.to_owned())
    });
    names.last().map(|own| (*own).to_owned()).into_iter().chain(more).collect()
}

/// What a piece calls, if it is nothing but a call.
fn called(piece: &str) -> Option<&str> {
    let mut rest = piece.trim();
    loop {
        let name = name_of(rest);
        if name.is_empty() || NOT_LOCAL.contains(&name) {
            return None;
        }
        rest = rest[name.len()..].trim_start();
        if rest.starts_with('(') {
            return behind_parentheses(rest).is_empty().then_some(name).filter(|_| rest.ends_with(')'));
        }
        rest = ["->", "::", "."].iter().find_map(|sign| rest.strip_prefix(sign))?.trim_start();
    }
}

/// Whether a piece is an assignment.
fn assigns(piece: &str) -> bool {
    if piece.contains("++") || piece.contains("--") {
        return true;
    }
    let bytes = piece.as_bytes();
    (0..bytes.len()).any(|at| {
        let before = at.checked_sub(1).map(|at| bytes[at]);
        bytes[at] == b'='
            && bytes.get(at + 1) != Some(&b'=')
            && !before.is_some_and(|before| b"=!<>".contains(&before))
    })
}

fn may_declare_in_fortran(line: &str) -> bool {
    const WORDS: [&str; 12] = [
        "integer",
        "real",
        "double",
        "complex",
        "logical",
        "character",
        "type",
        "save",
        "common",
        "dimension",
        "data",
        "block",
    ];
    let line = line.trim_start().to_ascii_lowercase();
    line.contains("::") || WORDS.contains(&name_of(&line))
}

fn declared_in_fortran(line: &str) -> Vec<String> {
    let Some((_, names)) = line.split_once("::") else { return Vec::new() };
    names.split(',').map(|one| name_of(one).to_ascii_lowercase()).filter(|own| !own.is_empty()).collect()
}

fn leaves_traces_in_fortran(line: &str, is_unoptimised: bool) -> bool {
    let line = line.trim_start().to_ascii_lowercase();
    let first = name_of(&line);
    let rest = line[first.len()..].trim_start();
    if line.starts_with(['!', 'c', '*', '#']) && !line.starts_with("call") {
        return false;
    }
    match first {
        "call" | "print" => !rest.starts_with(['=', '(']),
        "write" => rest.starts_with('('),
        _ => {
            let behind = if rest.starts_with('(') { behind_parentheses(rest) } else { rest };
            is_unoptimised && !first.is_empty() && behind.starts_with('=') && !behind.starts_with("==")
        }
    }
}

/// Per file, what the debug information says.
pub type CompiledFiles = BTreeMap<std::path::PathBuf, Compiled>;
