//! Conditional compilation: which arms of the preprocessor's conditionals were compiled, before anything reads the text.
//!
//! Definition: an *arm* is what stands between two directives of one conditional. It is *decided* by its condition, where that consists of
//! numbers, of macros that the text (or a header that it names) defines or undefines in any case, and of those that every compiler for Linux
//! has; else by what the program's debug information says of its lines ([`Compiled`]):
//! - an arm with code or declarations that the debug information knows was compiled, the others of its conditional were not;
//! - an arm inside of a compiled function without any was not compiled if it holds what leaves traces there in any case: declarations
//!   of variables, calls, constructs of OpenMP that are calls; without optimisation also assignments.
//!
//! Arms that were not compiled become blanks, and so do the directives around decided ones; all positions stay. Arms that nothing decides
//! stay in the text as *open* ones: nothing may be claimed of what they stand in. Those that hold nothing but other directives are none.
//!
//! Where debug information has code of two arms of one conditional, the file was compiled in several ways: all of them stay open.
//!
//! Limits: a conditional that is not closed leaves the text as it is.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use profile::lens::Language;

use super::macros::is_of_name;
use super::text::{without_comments, words};

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
}

/// What is known of a macro at some place.
#[derive(Debug, Clone, PartialEq, Eq)]
enum State {
    Undefined,
    /// Its value, if that is a number.
    Defined(Option<i64>),
    Unknown,
}

/// The macros that are known at the end of a text, for those that include it.
#[derive(Debug, Clone, Default)]
pub(super) struct Names {
    of: HashMap<String, State>,
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
    /// Macros with a definition in an arm that nothing decides, apart from those that only stand in for a missing one.
    pub doubtful: BTreeSet<String>,
}

/// A directive: its lines, from 0, the second one behind it, and its text.
#[derive(Debug, Clone)]
struct Directive {
    lines: (usize, usize),
    word: String,
    rest: String,
}

/// A conditional: its directives, the last of which ends it.
type Conditional = Vec<usize>;

struct Walker<'a> {
    language: Language,
    compiled: Option<&'a Compiled>,
    lines: Vec<&'a [u8]>,
    /// The lines without comments and what strings say.
    plain: Vec<String>,
    directives: Vec<Directive>,
    /// By the first directive of each.
    conditionals: HashMap<usize, Conditional>,
    /// All macros that the text defines somewhere.
    macros: BTreeSet<String>,
    names: Names,
    blank: BTreeSet<usize>,
    open: Vec<Open>,
    doubtful: BTreeSet<String>,
}

impl Arms {
    /// Decides the arms of a text. `names`: what is known of macros where it begins; afterwards what is where it ends.
    pub(super) fn of(
        text: &[u8],
        language: Language,
        compiled: Option<&Compiled>,
        names: &mut Names,
    ) -> Arms {
        let whole = || Arms { text: text.to_vec(), ..Arms::default() };
        if language == Language::Rust {
            return whole();
        }
        let Some(mut walker) = Walker::new(text, language, compiled, names.clone()) else { return whole() };
        walker.walk((0, walker.directives.len()), true, 0);
        let Walker { lines, blank, mut open, doubtful, names: known, .. } = walker;
        *names = known;
        open.sort_by_key(|own| own.lines);
        let mut out = Arms { open, doubtful, ..Arms::default() };
        for (index, line) in lines.iter().enumerate() {
            if !blank.contains(&index) {
                out.text.extend_from_slice(line);
                continue;
            }
            let spaced = line.iter().map(|&byte| if matches!(byte, b'\n' | b'\r') { byte } else { b' ' });
            out.text.extend(spaced);
            let number = u32::try_from(index + 1).unwrap_or(u32::MAX);
            match out.left_out.last_mut() {
                Some(last) if last.1 + 1 == number => last.1 = number,
                _ => out.left_out.push((number, number)),
            }
        }
        out
    }
}

impl<'a> Walker<'a> {
    /// `None` if the text has no conditionals, or if they are not closed.
    fn new(
        text: &'a [u8],
        language: Language,
        compiled: Option<&'a Compiled>,
        names: Names,
    ) -> Option<Walker<'a>> {
        let is_c = matches!(language, Language::C | Language::Cpp);
        let lines: Vec<&[u8]> = text.split_inclusive(|&byte| byte == b'\n').collect();
        let plain = if is_c { plain(&lines) } else { lines.iter().map(|line| lossy(line)).collect() };
        let mut directives: Vec<Directive> = Vec::new();
        let mut index = 0;
        while index < plain.len() {
            let start = match is_c {
                true => plain[index].trim_start(),
                false => plain[index].as_str(),
            };
            let first = index;
            index += 1;
            let Some(rest) = start.strip_prefix('#') else { continue };
            let mut whole = rest.trim().to_owned();
            while whole.ends_with('\\') && index < plain.len() {
                whole.pop();
                whole.push(' ');
                whole.push_str(plain[index].trim());
                index += 1;
            }
            let rest = whole.trim_start();
            let length = rest.bytes().take_while(|&byte| is_of_name(byte)).count();
            let (word, rest) = rest.split_at(length);
            let (word, rest) = (word.to_owned(), without_comments(rest).trim().to_owned());
            directives.push(Directive { lines: (first, index), word, rest });
        }
        let (mut conditionals, mut stack) = (HashMap::new(), Vec::<Conditional>::new());
        for (at, one) in directives.iter().enumerate() {
            match one.word.as_str() {
                "if" | "ifdef" | "ifndef" => stack.push(vec![at]),
                "elif" | "elifdef" | "elifndef" | "else" => stack.last_mut()?.push(at),
                "endif" => {
                    let mut own = stack.pop()?;
                    own.push(at);
                    conditionals.insert(own[0], own);
                }
                _ => {}
            }
        }
        if !stack.is_empty() {
            return None;
        }
        let defined = directives.iter().filter(|own| own.word == "define");
        let macros = defined.map(|own| name_of(&own.rest).to_owned()).collect();
        Some(Walker {
            language,
            compiled,
            lines,
            plain,
            directives,
            conditionals,
            macros,
            names,
            blank: BTreeSet::new(),
            open: Vec::new(),
            doubtful: BTreeSet::new(),
        })
    }

    /// Goes through directives; `is_certain`: what stands here was compiled.
    fn walk(&mut self, (mut at, end): (usize, usize), is_certain: bool, depth: usize) {
        while at < end {
            let Directive { word, rest, .. } = self.directives[at].clone();
            match word.as_str() {
                "if" | "ifdef" | "ifndef" => {
                    let Some(own) = self.conditionals.get(&at).cloned() else { return };
                    let last = own.last().copied().unwrap_or(at);
                    if depth < DEEPEST {
                        self.conditional(&own, is_certain, depth);
                    }
                    at = last;
                }
                "define" => {
                    let name = name_of(&rest);
                    let value = rest[name.len()..].trim();
                    let number = self.value(value);
                    self.names.of.insert(name.to_owned(), State::Defined(number));
                    if !is_certain {
                        self.doubtful.insert(name.to_owned());
                    }
                }
                "undef" => drop(self.names.of.insert(name_of(&rest).to_owned(), State::Undefined)),
                // What it undefines is defined elsewhere again in no program that lives long; what it may define is not known.
                "include" => {
                    self.names.of.retain(|_, state| *state != State::Undefined);
                }
                _ => {}
            }
            at += 1;
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
                    let doubtful = self.doubtful.clone();
                    self.walk((pair[0] + 1, pair[1]), false, depth + 1);
                    // What only stands in for a macro that is not there.
                    if let Some(name) = self.missing(pair[0]).filter(|name| self.stands_in(name, pair))
                        && !doubtful.contains(&name)
                    {
                        self.doubtful.remove(&name);
                    }
                    self.keep_open(body);
                }
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
        let Some(compiled) = self.compiled else { return out };
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
            "ifndef" if self.is_guard(at) => Some(true),
            "ifndef" | "elifndef" => defined(name).map(|own| !own),
            "else" => Some(true),
            _ => self.value(rest).map(|value| value != 0),
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
        match self.language {
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
        let rest: String = rest.split_whitespace().collect();
        let name = match word.as_str() {
            "ifndef" => rest.as_str(),
            "if" => rest.strip_prefix("!defined")?.trim_start_matches('(').trim_end_matches(')'),
            _ => return None,
        };
        name.bytes().all(is_of_name).then(|| name.to_owned())
    }

    /// Whether an arm that is for a missing macro defines it, and does so once, with arguments or a number.
    fn stands_in(&self, name: &str, pair: &[usize]) -> bool {
        let inside = &self.directives[pair[0] + 1..pair[1]];
        let mut own = inside.iter().filter(|own| own.word == "define" && name_of(&own.rest) == name);
        let is_fitting = |own: &Directive| {
            let rest = &own.rest[name.len()..];
            rest.starts_with('(') || self.value(rest.trim()).is_some()
        };
        matches!((own.next(), own.next()), (Some(own), None) if is_fitting(own))
    }

    fn is_defined(&self, name: &str) -> Option<bool> {
        const CERTAIN: [&str; 7] =
            ["__GNUC__", "__linux__", "__linux", "__unix__", "__unix", "__STDC__", "__STDC_VERSION__"];
        const ABSENT: [&str; 8] = [
            "_WIN32",
            "_WIN64",
            "WIN32",
            "_MSC_VER",
            "__APPLE__",
            "__MINGW32__",
            "__CYGWIN__",
            "__BORLANDC__",
        ];
        match self.names.of.get(name) {
            Some(State::Undefined) => return Some(false),
            Some(State::Defined(_)) => return Some(true),
            Some(State::Unknown) => return None,
            None => {}
        }
        match name {
            "__cplusplus" => match self.language {
                Language::Cpp => Some(true),
                Language::C => Some(false),
                _ => None,
            },
            "__STDC_VERSION__" if self.language != Language::C => None,
            "_OPENMP" => self.compiled.and_then(|own| own.openmp),
            _ if ABSENT.contains(&name) => Some(false),
            _ if CERTAIN.contains(&name) => Some(true),
            _ => None,
        }
    }

    /// The value of an expression, if it is known.
    fn value(&self, text: &str) -> Option<i64> {
        let mut tokens = tokens(text);
        tokens.reverse();
        let mut expression = Expression { walker: self, tokens, depth: 0 };
        let value = expression.binary(0)?;
        if expression.tokens.is_empty() { value } else { None }
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
        let is_fortran = matches!(self.language, Language::Fortran | Language::FixedFortran);
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
        let is_fortran = matches!(self.language, Language::Fortran | Language::FixedFortran);
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
                (State::Defined(a), Some(State::Defined(b))) if a == b => State::Defined(*a),
                (State::Defined(_), Some(State::Defined(_))) => State::Defined(None),
                (State::Undefined, Some(State::Undefined)) => State::Undefined,
                _ => State::Unknown,
            };
        }
        for name in other.of.into_keys() {
            self.of.entry(name).or_insert(State::Unknown);
        }
        self
    }
}

/// The value of a condition, from the last token back.
struct Expression<'w, 'a> {
    walker: &'w Walker<'a>,
    tokens: Vec<String>,
    depth: usize,
}

impl Expression<'_, '_> {
    /// The value of what binds at least so tightly; the outer `None` if it is not understood, the inner one if it is not known.
    fn binary(&mut self, least: u8) -> Option<Option<i64>> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return None;
        }
        let mut left = self.unary()?;
        while let Some((operator, level)) =
            self.tokens.last().and_then(|own| level_of(own).map(|level| (own.clone(), level)))
        {
            if level < least {
                break;
            }
            self.tokens.pop();
            let right = self.binary(level + 1)?;
            left = match (operator.as_str(), left, right) {
                ("&&", Some(0), _) | ("&&", _, Some(0)) => Some(0),
                ("||", Some(own), _) | ("||", _, Some(own)) if own != 0 => Some(1),
                (_, Some(left), Some(right)) => apply(&operator, left, right),
                _ => None,
            };
        }
        self.depth -= 1;
        Some(left)
    }

    fn unary(&mut self) -> Option<Option<i64>> {
        let token = self.tokens.pop()?;
        let first = token.bytes().next()?;
        match token.as_str() {
            "!" => Some(self.nested()?.map(|own| i64::from(own == 0))),
            "-" => Some(self.nested()?.and_then(i64::checked_neg)),
            "+" => self.nested(),
            "(" => {
                let own = self.binary(0)?;
                (self.tokens.pop()? == ")").then_some(own)
            }
            "defined" => {
                let mut name = self.tokens.pop()?;
                if name == "(" {
                    name = self.tokens.pop()?;
                    if self.tokens.pop()? != ")" {
                        return None;
                    }
                }
                Some(self.walker.is_defined(&name).map(i64::from))
            }
            _ if first.is_ascii_digit() => {
                let digits = token.trim_end_matches(['u', 'U', 'l', 'L']);
                Some(match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
                    Some(hexadecimal) => i64::from_str_radix(hexadecimal, 16).ok(),
                    None if digits.len() > 1 && digits.starts_with('0') => {
                        i64::from_str_radix(digits, 8).ok()
                    }
                    None => digits.parse().ok(),
                })
            }
            // With arguments it is a macro or an operator that is not followed.
            _ if is_of_name(first) && self.tokens.last().is_none_or(|next| next != "(") => {
                Some(match self.walker.names.of.get(&token) {
                    Some(State::Undefined) => Some(0),
                    Some(State::Defined(value)) => *value,
                    _ if self.walker.is_defined(&token) == Some(false) => Some(0),
                    _ => None,
                })
            }
            _ => None,
        }
    }

    fn nested(&mut self) -> Option<Option<i64>> {
        self.depth += 1;
        let own = if self.depth > DEEPEST { None } else { self.unary() };
        self.depth = self.depth.saturating_sub(1);
        own
    }
}

fn level_of(operator: &str) -> Option<u8> {
    Some(match operator {
        "||" => 1,
        "&&" => 2,
        "|" => 3,
        "^" => 4,
        "&" => 5,
        "==" | "!=" => 6,
        "<" | ">" | "<=" | ">=" => 7,
        "<<" | ">>" => 8,
        "+" | "-" => 9,
        "*" | "/" | "%" => 10,
        _ => return None,
    })
}

fn apply(operator: &str, left: i64, right: i64) -> Option<i64> {
    let shift = || u32::try_from(right).ok();
    match operator {
        "||" => Some(i64::from(left != 0 || right != 0)),
        "&&" => Some(i64::from(left != 0 && right != 0)),
        "|" => Some(left | right),
        "^" => Some(left ^ right),
        "&" => Some(left & right),
        "==" => Some(i64::from(left == right)),
        "!=" => Some(i64::from(left != right)),
        "<" => Some(i64::from(left < right)),
        ">" => Some(i64::from(left > right)),
        "<=" => Some(i64::from(left <= right)),
        ">=" => Some(i64::from(left >= right)),
        "<<" => left.checked_shl(shift()?),
        ">>" => left.checked_shr(shift()?),
        "+" => left.checked_add(right),
        "-" => left.checked_sub(right),
        "*" => left.checked_mul(right),
        "/" => left.checked_div(right),
        "%" => left.checked_rem(right),
        _ => None,
    }
}

/// Names, numbers and signs.
fn tokens(text: &str) -> Vec<String> {
    let bytes = text.as_bytes();
    let (mut at, mut out) = (0, Vec::new());
    while at < bytes.len() {
        let start = at;
        if bytes[at].is_ascii_whitespace() {
            at += 1;
            continue;
        }
        if is_of_name(bytes[at]) {
            while bytes.get(at).is_some_and(|&byte| is_of_name(byte)) {
                at += 1;
            }
        } else {
            let pair = bytes.get(at..at + 2).unwrap_or_default();
            let is_pair = [&b"&&"[..], b"||", b"==", b"!=", b"<=", b">=", b"<<", b">>"].contains(&pair);
            at += if is_pair { 2 } else { 1 };
        }
        out.push(lossy(&bytes[start..at]));
    }
    out
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
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

/// The lines of C or C++ without comments and what strings say.
pub(super) fn plain(lines: &[&[u8]]) -> Vec<String> {
    let (mut in_comment, mut out) = (false, Vec::with_capacity(lines.len()));
    for line in lines {
        let mut own: Vec<u8> = Vec::with_capacity(line.len());
        let mut at = 0;
        while let Some(&byte) = line.get(at) {
            let next = line.get(at + 1).copied();
            at += 1;
            if in_comment {
                if byte == b'*' && next == Some(b'/') {
                    (in_comment, at) = (false, at + 1);
                }
                continue;
            }
            match (byte, next) {
                (b'/', Some(b'/')) => break,
                (b'/', Some(b'*')) => {
                    (in_comment, at) = (true, at + 1);
                    own.push(b' ');
                }
                (b'"' | b'\'', _) if byte == b'"' || !own.last().is_some_and(u8::is_ascii_alphanumeric) => {
                    own.push(byte);
                    while let Some(&inside) = line.get(at) {
                        at += if inside == b'\\' { 2 } else { 1 };
                        if inside == byte || inside == b'\n' {
                            break;
                        }
                    }
                    own.push(byte);
                }
                _ => own.push(byte),
            }
        }
        out.push(lossy(&own));
    }
    out
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
