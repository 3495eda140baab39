//! What the number of a thread, and how many there are, decide by the text: to which element a line comes, and whether it runs.
//!
//! Definition: a text *rests on* the thread's number if it has the call for that in it, a macro or a function whose text has, a variable that is set
//! to what rests on it, or a parameter that a call hands such. It is the number *itself* where that chain has nothing but definitions: threads
//! come to different elements there if one of its subscripts is that, multiplied and moved by numbers. In the same way a text rests on the
//! *team*: on how many threads there are, or on what a build with OpenMP has otherwise ([`source::lens::differing`]).
//!
//! Limits: variables count by their names in a function, wherever in it they are set; what is behind pointers in memory is not followed.

use std::collections::{BTreeMap, BTreeSet};

use profile::lens::Language;
use source::lens::Control;

use super::guards::{is_word, items, mentions, plain, words};
use super::locks::{assignments, calls};

/// What gives a thread its number.
const NUMBER: [&str; 2] = ["omp_get_thread_num", "omp_get_ancestor_thread_num"];
/// What gives each thread another value.
const OF_THREAD: [&str; 3] = ["pthread_self", "get_id", "sched_getcpu"];
/// What depends on how many threads there are.
const TEAM: [&str; 7] = [
    "omp_get_max_threads",
    "omp_get_num_threads",
    "omp_get_num_procs",
    "omp_get_thread_limit",
    "omp_get_team_size",
    "omp_in_parallel",
    "omp_get_level",
];
/// Words before parentheses that call nothing.
const KEYWORDS: [&str; 10] =
    ["if", "for", "while", "switch", "sizeof", "return", "int", "real", "dble", "allocated"];
/// Chains of definitions are followed so far.
const DEEPEST: usize = 8;
/// Rounds over all functions.
const ROUNDS: usize = 6;

/// What a text rests on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Rests {
    /// On the thread's number.
    pub number: bool,
    /// On how many threads there are.
    pub team: bool,
}

impl Rests {
    fn is_any(self) -> bool {
        self.number || self.team
    }

    pub fn with(self, other: Rests) -> Rests {
        Rests { number: self.number || other.number, team: self.team || other.team }
    }
}

/// A function of the text.
#[derive(Debug)]
struct Function {
    name: String,
    lines: (u32, u32),
    parameters: Vec<String>,
    /// Its statements, each with the line on which it begins.
    statements: Vec<(u32, String)>,
    /// What variables and parameters rest on.
    known: BTreeMap<String, Rests>,
}

/// What the text of a file says.
#[derive(Debug, Default)]
struct File {
    is_fortran: bool,
    lines: Vec<String>,
    functions: Vec<Function>,
    macros: BTreeMap<String, String>,
    controls: Vec<Control>,
    /// Lines that a build with OpenMP has otherwise.
    differing: BTreeSet<u32>,
    /// Words of declarations outside of functions.
    outside: BTreeSet<String>,
}

/// What the texts of a program say.
#[derive(Debug, Default)]
pub(super) struct Origins {
    files: BTreeMap<String, File>,
    /// What functions, macros and variables of files rest on.
    known: BTreeMap<String, Rests>,
    /// The build that ran had OpenMP: of lines that differ, it is known which ran.
    has_openmp: bool,
    /// Functions and macros that do something else in a build with OpenMP than give another value.
    effects: BTreeSet<String>,
}

impl Origins {
    /// Those of some texts, by the names of their files; `has_openmp`: the build that ran had it.
    pub fn of<'t>(
        texts: impl Iterator<Item = (&'t str, &'t str, Language)> + Clone,
        has_openmp: bool,
    ) -> Origins {
        let mut out = Origins { has_openmp, ..Origins::default() };
        let asks = |(_, text, _): (&str, &str, Language)| {
            let sources = NUMBER.iter().chain(&OF_THREAD).chain(&TEAM);
            sources.into_iter().any(|own| mentions(text, own)) || !has_openmp && text.contains("_OPENMP")
        };
        if !texts.clone().any(asks) {
            return out;
        }
        for (name, text, language) in texts {
            let (file, macros) = File::of(text, language);
            if !has_openmp {
                out.known.extend(macros.into_iter().map(|own| (own, Rests { team: true, number: false })));
            }
            out.files.insert(name.to_owned(), file);
        }
        for _ in 0..ROUNDS {
            if !out.follow() {
                break;
            }
        }
        out
    }

    /// One round over all texts; whether something is new.
    fn follow(&mut self) -> bool {
        let mut is_new = false;
        let mut learn = |known: &mut BTreeMap<String, Rests>, name: &str, rests: Rests| {
            let own = known.entry(name.to_owned()).or_default();
            let both = own.with(rests);
            is_new |= both != *own;
            *own = both;
        };
        let mut known = self.known.clone();
        let mut effects = self.effects.clone();
        for file in self.files.values() {
            for (name, body) in &file.macros {
                let rests = self.rests(body, None);
                if rests.is_any() {
                    learn(&mut known, name, rests);
                }
                let differs = self.known.get(name).is_some_and(|own| own.team);
                if differs && does_more(body, file.is_fortran)
                    || words(body).any(|word| self.effects.contains(word))
                {
                    effects.insert(name.clone());
                }
            }
            for function in &file.functions {
                let mut rests = Rests::default();
                for (line, text) in &function.statements {
                    rests = rests.with(self.rests(text, None));
                    let differs = self.differs(file, *line);
                    rests.team |= differs;
                    let has_effect = differs && does_more(text, file.is_fortran);
                    if has_effect || words(text).any(|word| self.effects.contains(word)) {
                        effects.insert(function.name.clone());
                    }
                }
                if rests.is_any() && !function.name.is_empty() {
                    learn(&mut known, &function.name, rests);
                }
                for (name, rests) in &function.known {
                    if file.outside.contains(name) {
                        learn(&mut known, name, *rests);
                    }
                }
            }
        }
        // What calls hand to parameters: only functions of the texts have some.
        let names: BTreeSet<&str> =
            self.files.values().flat_map(|file| &file.functions).map(|own| own.name.as_str()).collect();
        let mut handed: BTreeMap<(String, usize), Rests> = BTreeMap::new();
        for function in self.files.values().flat_map(|file| &file.functions) {
            for (_, text) in &function.statements {
                for name in words(text).filter(|word| names.contains(word)).collect::<BTreeSet<&str>>() {
                    for (object, given) in calls(text, name) {
                        for (at, argument) in given.iter().enumerate() {
                            let rests = self.rests(argument, Some(function));
                            let own = handed.entry((name.to_owned(), at)).or_default();
                            *own = own.with(rests);
                        }
                        let rests = object.map(|own| self.rests(&own, Some(function))).unwrap_or_default();
                        let own = handed.entry((name.to_owned(), usize::MAX)).or_default();
                        *own = own.with(rests);
                    }
                }
            }
        }
        let (all, files) = (known.clone(), std::mem::take(&mut self.files));
        self.known = known;
        self.effects = effects;
        let mut files = files;
        for file in files.values_mut() {
            let (is_fortran, differing) = (file.is_fortran, &file.differing);
            let has_openmp = self.has_openmp;
            for function in &mut file.functions {
                let mut own = function.known.clone();
                for (at, name) in function.parameters.iter().enumerate() {
                    if let Some(rests) =
                        handed.get(&(function.name.clone(), at)).filter(|rests| rests.is_any())
                    {
                        learn(&mut own, name, *rests);
                    }
                }
                if let Some(rests) =
                    handed.get(&(function.name.clone(), usize::MAX)).filter(|rests| rests.is_any())
                {
                    learn(&mut own, "this", *rests);
                }
                for (line, text) in &function.statements {
                    let differs = !has_openmp && differing.contains(line);
                    for (name, value) in assignments(text) {
                        let mut rests = self.rests(value, Some(function));
                        rests.team |= differs;
                        if rests.is_any() {
                            learn(&mut own, name, rests);
                        }
                    }
                    for name in changed(text, is_fortran, &|name| {
                        differs || all.get(name).is_some_and(|own| own.is_any())
                    }) {
                        let mut rests = self.rests(text, None);
                        rests.team |= differs;
                        learn(&mut own, &name, rests);
                    }
                }
                function.known = own;
            }
        }
        self.files = files;
        is_new
    }

    /// Whether the build that ran has other text in the place of a line than one with OpenMP.
    fn differs(&self, file: &File, line: u32) -> bool {
        !self.has_openmp && file.differing.contains(&line)
    }

    /// What a text rests on, in a function if one is given.
    fn rests(&self, text: &str, function: Option<&Function>) -> Rests {
        words(text).fold(Rests::default(), |rests, word| {
            let own = Rests {
                number: NUMBER.contains(&word) || OF_THREAD.contains(&word),
                team: TEAM.contains(&word),
            };
            let local = function.and_then(|own| own.known.get(word)).copied().unwrap_or_default();
            rests.with(own).with(local).with(self.known.get(word).copied().unwrap_or_default())
        })
    }

    /// The function in which a line of a file is.
    fn function(&self, file: &str, line: u32) -> Option<(&File, &Function)> {
        let file = self.files.get(file)?;
        let around = file.functions.iter().filter(|own| own.lines.0 <= line && line <= own.lines.1);
        around.max_by_key(|own| own.lines.0).map(|own| (file, own))
    }

    /// What the place of an object on a line of a file rests on, and whether it is another one for each thread. `name`: what a report calls it.
    fn place(&self, file: &str, line: u32, name: &str) -> (Rests, bool) {
        let Some((file, function)) = self.function(file, line) else { return (Rests::default(), false) };
        let statements = function.statements_on(line);
        let (mut rests, mut own) = (Rests::default(), !statements.is_empty());
        for text in &statements {
            let places = accesses(text, root_of(name), file.is_fortran);
            if places.is_empty() && mentions(text, root_of(name)) {
                own = false;
                continue;
            }
            let is_own = |place: &String| {
                groups(place).any(|subscript| self.is_number(subscript, (file, function), 0))
            };
            own &= match places.is_empty() {
                true => self.has_own_target(text, (file, function)),
                false => places.iter().all(is_own),
            };
            let all: Vec<&str> = match places.is_empty() {
                true => vec![text],
                false => places.iter().map(String::as_str).collect(),
            };
            rests = all.into_iter().fold(rests, |rests, text| rests.with(self.rests(text, Some(function))));
        }
        rests = rests.with(function.known.get("this").copied().unwrap_or_default());
        (rests, own)
    }

    /// What the place of an object on some lines of files rests on, and whether it is another one for each thread on all of them.
    pub fn places<'p>(&self, all: impl IntoIterator<Item = (&'p str, u32)>, name: &str) -> (Rests, bool) {
        let found: Vec<(Rests, bool)> =
            all.into_iter().map(|(file, line)| self.place(file, line, name)).collect();
        let is_own = !found.is_empty() && found.iter().all(|(_, is_own)| *is_own);
        (found.into_iter().map(|own| own.0).fold(Rests::default(), Rests::with), is_own)
    }

    /// What decides whether a line of a file runs rests on.
    pub fn controls(&self, file: &str, line: u32) -> Rests {
        let Some((file, function)) = self.function(file, line) else { return Rests::default() };
        let governs = |own: &&Control| {
            own.governs.0 <= line && line <= own.governs.1 && function.lines.0 <= own.governs.0
        };
        let all = file.controls.iter().filter(governs).map(|own| self.rests(&own.condition, Some(function)));
        let differs = Rests { team: self.differs(file, line), number: false };
        all.fold(differs, Rests::with)
    }

    /// Whether a build with OpenMP does something else on some lines of a file than to set variables to other values.
    pub fn does_otherwise(&self, file: &str, lines: (u32, u32)) -> bool {
        let Some(own) = self.files.get(file) else { return false };
        let statements = own.functions.iter().flat_map(|function| &function.statements);
        let mut inside = statements.filter(|(line, _)| lines.0 <= *line && *line <= lines.1);
        let differs = |line: u32| self.differs(own, line);
        let is_directive = |line: u32| {
            let text = own.lines.get((line as usize).wrapping_sub(1)).map_or("", |line| line.trim_start());
            text.strip_prefix('#').is_some_and(|rest| rest.trim_start().starts_with("pragma"))
        };
        inside.any(|(line, text)| {
            differs(*line) && does_more(text, own.is_fortran)
                || words(text).any(|word| self.effects.contains(word))
        }) || (lines.0..=lines.1).any(|line| differs(line) && is_directive(line))
    }

    /// The lines of the function in which a line is.
    pub fn lines_of_function(&self, file: &str, line: u32) -> Option<(u32, u32)> {
        self.function(file, line).map(|(_, own)| own.lines)
    }

    /// Whether an expression is the thread's number, multiplied and moved by numbers.
    fn is_number(&self, text: &str, place: (&File, &Function), depth: usize) -> bool {
        let text: String = text.split_whitespace().collect();
        let text = without_parentheses(&text);
        let is_literal = |text: &str| !text.is_empty() && text.bytes().all(|c| c.is_ascii_digit());
        if depth > DEEPEST || text.is_empty() {
            return false;
        }
        let terms = split(text, &['+', '-']);
        if terms.len() > 1 {
            let (numbers, others): (Vec<&str>, Vec<&str>) =
                terms.into_iter().partition(|own| !is_literal(own));
            return numbers.len() == 1 && !others.is_empty() && self.is_number(numbers[0], place, depth + 1);
        }
        let factors = split(text, &['*']);
        if factors.len() > 1 {
            let (numbers, others): (Vec<&str>, Vec<&str>) =
                factors.into_iter().partition(|own| !is_literal(own));
            let is_zero = |own: &&str| own.bytes().all(|c| c == b'0');
            return numbers.len() == 1
                && !others.iter().any(is_zero)
                && self.is_number(numbers[0], place, depth + 1);
        }
        if let Some(called) = text.strip_suffix("()") {
            return called == NUMBER[0] || self.gives_number(called, depth);
        }
        let (file, function) = place;
        if let Some(body) = file.macros.get(text) {
            return self.is_number(body, place, depth + 1);
        }
        let set: Vec<(u32, &str)> = function.set(text);
        match function.parameters.iter().position(|own| own == text) {
            Some(at) if set.is_empty() => {
                self.hands_only(function, at, &|value, place| self.is_number(value, place, depth + 1))
            }
            Some(_) => false,
            None => self.are_numbers(&set, place, depth),
        }
    }

    /// Whether what a variable is set to is the number in a build with OpenMP.
    fn are_numbers(&self, set: &[(u32, &str)], place: (&File, &Function), depth: usize) -> bool {
        let is_own = |(_, value): &&(u32, &str)| self.is_number(value, place, depth + 1);
        let own: Vec<&(u32, &str)> = set.iter().filter(is_own).collect();
        // What another build sets it to, and what stands before a line that a build with OpenMP alone has.
        let differs = |line: u32| place.0.differing.contains(&line);
        let is_other = |(line, value): &(u32, &str)| {
            let is_before = || place.0.is_fortran && own.iter().all(|own| *line < own.0 && differs(own.0));
            let is_number = !value.is_empty() && value.bytes().all(|c| c.is_ascii_digit());
            is_number && (differs(*line) || is_before())
        };
        own.len() == 1 && set.iter().filter(|one| !own.contains(one)).all(is_other)
    }

    /// Whether a function without arguments gives the number.
    fn gives_number(&self, name: &str, depth: usize) -> bool {
        let mut all = self.files.values().flat_map(|file| file.functions.iter().map(move |own| (file, own)));
        let mut own = all.by_ref().filter(|(_, own)| own.name == name);
        let Some((file, function)) = own.next() else { return false };
        if own.next().is_some() {
            return false;
        }
        let given: Vec<(u32, &str)> = match file.is_fortran {
            true => function.set(name),
            false => function.returned(),
        };
        self.are_numbers(&given, (file, function), depth)
    }

    /// Whether all calls hand a parameter what is meant.
    fn hands_only(
        &self,
        of: &Function,
        at: usize,
        is_meant: &dyn Fn(&str, (&File, &Function)) -> bool,
    ) -> bool {
        let mut is_handed = false;
        for file in self.files.values() {
            for function in &file.functions {
                for (_, text) in function.statements.iter().filter(|(_, text)| mentions(text, &of.name)) {
                    for (_, given) in calls(text, &of.name) {
                        let Some(own) = given.get(at).filter(|own| is_meant(own, (file, function))) else {
                            return false;
                        };
                        is_handed |= !own.is_empty();
                    }
                }
            }
        }
        is_handed
    }

    /// Whether a statement comes to one element alone through a parameter, and calls hand that the address of one of the thread's own.
    fn has_own_target(&self, text: &str, (_, function): (&File, &Function)) -> bool {
        let is_led = |name: &str| {
            text.match_indices(name).all(|(at, _)| {
                let (before, after) = (&text[..at], text[at + name.len()..].trim_start());
                before.ends_with(is_word)
                    || after.starts_with(is_word)
                    || after.starts_with("->")
                    || before.trim_end().ends_with('*') && !after.starts_with('[')
            })
        };
        let mut used = (0..).zip(&function.parameters).filter(|(_, name)| {
            mentions(text, name)
                && (text.contains(&format!("*{name}")) || text.contains(&format!("{name}->")))
        });
        let Some((at, name)) = used.next() else { return false };
        used.next().is_none()
            && is_led(name)
            && function.set(name).is_empty()
            && self.hands_only(function, at, &|value, place| self.is_own_address(value, place))
    }

    /// Whether an argument is the address of an element that is another one for each thread.
    fn is_own_address(&self, value: &str, place: (&File, &Function)) -> bool {
        if let Some(element) = value.strip_prefix('&') {
            return element.ends_with(']') && groups(element).any(|own| self.is_number(own, place, 0));
        }
        let terms = split(value, &['+']);
        match terms[..] {
            [array, index] => words(array).count() == 1 && self.is_number(index, place, 0),
            _ => false,
        }
    }
}

impl Function {
    /// The statements that have a part on a line: those that begin on it, and the last one before.
    fn statements_on(&self, line: u32) -> Vec<&str> {
        let here: Vec<&str> =
            self.statements.iter().filter(|(at, _)| *at == line).map(|(_, text)| text.as_str()).collect();
        match here.is_empty() {
            false => here,
            true => {
                let before = self.statements.iter().rev().find(|(at, _)| *at < line);
                before.into_iter().map(|(_, text)| text.as_str()).collect()
            }
        }
    }

    /// What a variable is set to, with the lines.
    fn set(&self, name: &str) -> Vec<(u32, &str)> {
        let all =
            self.statements.iter().flat_map(|(line, text)| assignments(text).map(move |own| (*line, own)));
        let mut out: Vec<(u32, &str)> =
            all.filter(|(_, (own, _))| *own == name).map(|(line, (_, value))| (line, value.trim())).collect();
        // Changed otherwise, its value is not known.
        let is_changed = |text: &str| {
            text.match_indices(name).any(|(at, _)| {
                let (before, after) = (text[..at].trim_end(), text[at + name.len()..].trim_start());
                // What it leads to is something else.
                let is_led_to =
                    before.strip_suffix('*').is_some_and(|own| !own.trim_end().ends_with(is_word));
                let is_name = !text[..at].ends_with(is_word) && !after.starts_with(is_word) && !is_led_to;
                let operator = after.trim_start_matches(['+', '-', '*', '/', '%', '&', '|', '^', '<', '>']);
                let is_combined = operator.len() < after.len()
                    && operator.starts_with('=')
                    && !after.starts_with(['<', '>']);
                is_name
                    && (after.starts_with("++")
                        || after.starts_with("--")
                        || is_combined
                        || before.ends_with("++")
                        || before.ends_with("--"))
            })
        };
        out.extend(self.statements.iter().filter(|(_, text)| is_changed(text)).map(|(line, _)| (*line, "")));
        out
    }

    /// What it returns, with the lines.
    fn returned(&self) -> Vec<(u32, &str)> {
        let all = self.statements.iter().filter_map(|(line, text)| {
            let (_, value) = text.split_once("return")?;
            Some((*line, value.trim().trim_end_matches(';').trim_end()))
        });
        all.collect()
    }
}

impl File {
    /// That of a text, and the macros that a build with OpenMP has otherwise.
    fn of(text: &str, language: Language) -> (File, BTreeSet<String>) {
        let is_fortran = matches!(language, Language::Fortran | Language::FixedFortran);
        let (differing, macros) = source::lens::differing(text.as_bytes(), language);
        let lines: Vec<String> = match is_fortran {
            true => text.lines().map(statement_of_fortran).collect(),
            false => plain(text).lines().map(str::to_owned).collect(),
        };
        let ranges = source::lens::functions(text.as_bytes(), language);
        let functions: Vec<Function> =
            ranges.iter().map(|&range| Function::of(&lines, range, is_fortran)).collect();
        let mut outside = BTreeSet::new();
        let mut depth = 0i64;
        for (line, number) in lines.iter().zip(1..) {
            let is_inside = functions.iter().any(|own| {
                own.lines.0 <= number && number <= own.lines.1 && (!is_fortran || !own.name.is_empty())
            });
            if is_inside || line.trim_start().starts_with('#') {
                continue;
            }
            let at = depth;
            depth += line.matches('{').count() as i64 - line.matches('}').count() as i64;
            if at == 0 && depth == 0 && !line.contains('(') {
                outside.extend(words(line).filter(|word| !word.is_empty()).map(str::to_owned));
            }
        }
        let controls = source::lens::controls(text.as_bytes(), language);
        let controls = match is_fortran {
            true => controls
                .into_iter()
                .map(|own| Control { condition: own.condition.to_lowercase(), ..own })
                .collect(),
            false => controls,
        };
        let defined = self::macros(text, is_fortran);
        (File { is_fortran, lines, functions, macros: defined, controls, differing, outside }, macros)
    }
}

impl Function {
    fn of(lines: &[String], (first, last): (u32, u32), is_fortran: bool) -> Function {
        let own = lines.iter().zip(1u32..).skip((first as usize).saturating_sub(1));
        let own = own.take((last + 1).saturating_sub(first) as usize);
        let statements = match is_fortran {
            true => statements_of_fortran(own),
            false => statements(own),
        };
        let (name, parameters) = head(&statements, is_fortran);
        // Its own head is no statement of it.
        let skipped = usize::from(!name.is_empty());
        let statements = statements.into_iter().skip(skipped).collect();
        Function { name, lines: (first, last), parameters, statements, known: BTreeMap::new() }
    }
}

/// The statements of lines of C: what ends at `;`, `{` or `}` outside of parentheses.
fn statements<'l>(lines: impl Iterator<Item = (&'l String, u32)>) -> Vec<(u32, String)> {
    let mut out: Vec<(u32, String)> = Vec::new();
    let (mut text, mut at, mut depth, mut is_directive) = (String::new(), 0u32, 0usize, false);
    for (line, number) in lines {
        let begins = is_directive || line.trim_start().starts_with('#');
        is_directive = begins && line.trim_end().ends_with('\\');
        if begins {
            continue;
        }
        for c in line.chars() {
            match c {
                '(' | '[' => depth += 1,
                ')' | ']' => depth = depth.saturating_sub(1),
                _ => {}
            }
            if text.trim().is_empty() {
                at = number;
            }
            text.push(c);
            if matches!(c, '{' | '}') || c == ';' && depth == 0 {
                depth = 0;
                if text.chars().any(char::is_alphanumeric) {
                    out.push((at, std::mem::take(&mut text)));
                }
                text.clear();
            }
        }
        text.push(' ');
    }
    out
}

/// The statements of lines of Fortran: those that `&` joins.
fn statements_of_fortran<'l>(lines: impl Iterator<Item = (&'l String, u32)>) -> Vec<(u32, String)> {
    let mut out: Vec<(u32, String)> = Vec::new();
    let mut goes_on = false;
    for (line, number) in lines {
        let text = line.trim();
        if text.is_empty() {
            continue;
        }
        let own = text.trim_start_matches('&').trim_end_matches('&');
        match out.last_mut().filter(|_| goes_on) {
            Some((_, before)) => before.push_str(own),
            None => out.push((number, own.to_owned())),
        }
        goes_on = text.ends_with('&');
    }
    out
}

/// A line of Fortran in small letters, without its comment and without the sentinel of conditional compilation.
fn statement_of_fortran(line: &str) -> String {
    let start = line.trim_start();
    let own = ["!$ ", "c$ ", "C$ ", "*$ "].iter().find_map(|mark| start.strip_prefix(mark)).unwrap_or(line);
    own.split('!').next().unwrap_or_default().to_ascii_lowercase()
}

/// The name and the parameters of a function, by its first statement; an empty name if it has none.
fn head(statements: &[(u32, String)], is_fortran: bool) -> (String, Vec<String>) {
    const OTHERS: [&str; 6] = ["__attribute__", "noexcept", "decltype", "alignas", "__declspec", "explicit"];
    let Some((_, text)) = statements.first() else { return Default::default() };
    let last_word = |text: &str| -> String {
        let text = text.trim_end();
        text[text.trim_end_matches(is_word).len()..].to_owned()
    };
    if is_fortran {
        let mut rest = ["function ", "subroutine "]
            .iter()
            .filter_map(|word| text.find(word).map(|at| &text[at + word.len()..]));
        let Some(rest) = rest.next() else { return Default::default() };
        let (name, rest) = rest.split_once('(').unwrap_or((rest, ""));
        let inside = rest.split(')').next().unwrap_or_default();
        let names = items(inside).map(|own| own.trim().to_owned()).filter(|own| !own.is_empty());
        return (name.trim().to_owned(), names.collect());
    }
    let (mut depth, mut from) = (0usize, None);
    for (at, c) in text.char_indices() {
        match c {
            '(' => {
                let name = last_word(&text[..at]);
                if depth == 0 && !name.is_empty() && !OTHERS.contains(&name.as_str()) {
                    from = Some((name, at + 1));
                }
                depth += 1;
            }
            ')' => {
                depth = depth.saturating_sub(1);
                if let Some((name, start)) = from.as_ref().filter(|_| depth == 0) {
                    let parameters = items(&text[*start..at]).map(|own| {
                        let own = own.split(['=', '[']).next().unwrap_or_default();
                        last_word(own)
                    });
                    return (name.clone(), parameters.collect());
                }
            }
            _ => {}
        }
    }
    Default::default()
}

/// The macros of a text, and what they stand for; of several definitions of one all texts.
fn macros(text: &str, is_fortran: bool) -> BTreeMap<String, String> {
    let mut out: BTreeMap<String, String> = BTreeMap::new();
    let joined = text.replace("\\\r\n", " ").replace("\\\n", " ");
    for line in joined.lines() {
        let define =
            line.trim_start().strip_prefix('#').and_then(|rest| rest.trim_start().strip_prefix("define"));
        let Some(rest) = define.map(str::trim_start) else { continue };
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        let (name, mut body) = rest.split_at(end);
        if let Some(inside) = body.strip_prefix('(') {
            body = inside.split_once(')').map_or("", |(_, body)| body);
        }
        let body = body.split("//").next().unwrap_or_default().trim();
        let body = if is_fortran { body.to_ascii_lowercase() } else { body.to_owned() };
        let own = out.entry(name.to_owned()).or_default();
        if !own.is_empty() {
            own.push(' ');
        }
        own.push_str(&body);
    }
    out
}

/// Whether a statement does more than to set variables to what can be asked for: it calls others, leaves, decides, or sets elements.
fn does_more(text: &str, is_fortran: bool) -> bool {
    const DECIDING: [&str; 12] =
        ["if", "else", "while", "for", "do", "switch", "case", "break", "continue", "goto", "cycle", "exit"];
    if words(text).any(|word| DECIDING.contains(&word) || word == "_Pragma")
        || is_fortran && mentions(text, "call")
    {
        return true;
    }
    let calls_others = text.match_indices('(').any(|(at, _)| {
        let before = text[..at].trim_end();
        let name = &before[before.trim_end_matches(is_word).len()..];
        let is_asked = |name: &str| {
            name.starts_with("omp_get_") || name == "omp_in_parallel" || KEYWORDS.contains(&name)
        };
        !name.is_empty() && !is_asked(name)
    });
    let sets_elements = text.match_indices('=').any(|(at, _)| {
        let before = text[..at].trim_end().trim_end_matches(['+', '-', '*', '/', '|', '&', '^']).trim_end();
        before.ends_with([']', ')'])
    });
    calls_others || sets_elements || text.contains("++") || text.contains("--")
}

/// Names that a statement may change otherwise than by an assignment: those whose addresses it hands to functions that are meant, and in Fortran all
/// that a call hands; and what it declares with such a value.
fn changed(text: &str, is_fortran: bool, is_meant: &dyn Fn(&str) -> bool) -> Vec<String> {
    let is_called = words(text).any(is_meant);
    if !is_called {
        return Vec::new();
    }
    if is_fortran {
        let called = text.trim_start().strip_prefix("call ").and_then(|rest| rest.split_once('('));
        return called.map_or(Vec::new(), |(_, inside)| {
            words(inside).filter(|word| word.starts_with(char::is_alphabetic)).map(str::to_owned).collect()
        });
    }
    let addresses = text.match_indices('&').filter_map(|(at, _)| {
        let is_address = text[..at].trim_end().ends_with(['(', ',']);
        let rest = &text[at + 1..];
        let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        let is_whole = rest[end..].trim_start().starts_with([',', ')']);
        (is_address && is_whole && end > 0).then(|| rest[..end].to_owned())
    });
    // `const int id{number()};`, `int id(number());`
    let declared = text.find(['{', '(']).filter(|_| !text.contains('=')).and_then(|at| {
        let before = text[..at].trim_end();
        let name = &before[before.trim_end_matches(is_word).len()..];
        let kind = before[..before.len() - name.len()].trim_end();
        let is_type =
            kind.ends_with(|c| is_word(c) || matches!(c, '>' | '*' | '&')) && !kind.ends_with("return");
        (is_type && !name.is_empty()).then(|| name.to_owned())
    });
    addresses.chain(declared).collect()
}

/// The variable from which what a report names starts.
pub(super) fn root_of(name: &str) -> &str {
    let name = name.trim_start_matches(['*', '(', '&']);
    let end = name.find(|c| !is_word(c)).unwrap_or(name.len());
    &name[..end]
}

/// The elements of a variable, and what it leads to, in a statement: from its name to its last subscript or member.
fn accesses(text: &str, root: &str, is_fortran: bool) -> Vec<String> {
    let mut out = Vec::new();
    for (at, _) in text.match_indices(root).filter(|_| !root.is_empty()) {
        let rest = &text[at + root.len()..];
        if text[..at].ends_with(is_word) || rest.starts_with(is_word) {
            continue;
        }
        let (mut end, mut depth, mut is_element) = (0usize, 0usize, text[..at].trim_end().ends_with('*'));
        let mut chars = rest.char_indices().peekable();
        while let Some((place, c)) = chars.next() {
            match c {
                '[' => (depth, is_element) = (depth + 1, true),
                '(' if is_fortran || depth > 0 => (depth, is_element) = (depth + 1, true),
                ']' | ')' if depth > 0 => depth -= 1,
                _ if depth > 0 => {}
                '-' if chars.peek().is_some_and(|(_, c)| *c == '>') => {
                    is_element = true;
                    chars.next();
                }
                '.' | '%' => {}
                c if is_word(c) || c.is_whitespace() => {}
                _ => break,
            }
            end = place + c.len_utf8();
        }
        if is_element {
            out.push(text[at..at + root.len() + end].to_owned());
        }
    }
    out
}

/// What stands in the brackets and parentheses of an access, each subscript by itself.
fn groups(access: &str) -> impl Iterator<Item = &str> {
    let (mut depth, mut from) = (0usize, 0usize);
    let mut out = Vec::new();
    for (at, c) in access.char_indices() {
        match c {
            '[' | '(' => {
                if depth == 0 {
                    from = at + 1;
                }
                depth += 1;
            }
            ']' | ')' if depth > 0 => {
                depth -= 1;
                if depth == 0 {
                    out.extend(items(&access[from..at]));
                }
            }
            _ => {}
        }
    }
    out.into_iter()
}

/// The parts of an expression between some operators outside of parentheses.
fn split<'t>(text: &'t str, operators: &[char]) -> Vec<&'t str> {
    let mut depth = 0usize;
    text.split(|c: char| {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && operators.contains(&c)
    })
    .collect()
}

/// A text without parentheses around all of it.
fn without_parentheses(text: &str) -> &str {
    let Some(inside) = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) else { return text };
    let mut depth = 0i64;
    let closes_early = inside.chars().any(|c| {
        depth += i64::from(c == '(') - i64::from(c == ')');
        depth < 0
    });
    if closes_early { text } else { without_parentheses(inside) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str, language: Language, has_openmp: bool) -> Origins {
        Origins::of([("x", text, language)].into_iter(), has_openmp)
    }

    #[test]
    fn numbers_come_through_functions_macros_variables_and_arguments() {
        let c = "#define ME omp_get_thread_num()\nstatic int own(void) { return ME; }\nstatic void add(double *p, double x) {\n *p += x;\n}\nvoid f(int n) {\n int t = own();\n a[t]++;\n a[2 * ME + 1]++;\n a[t % 2]++;\n a[n]++;\n add(&a[t], 1);\n a[8 * t + n]++;\n}\n";
        let own = of(c, Language::C, true);
        let at = |line: u32, name: &str| {
            let (rests, is_own) = own.place("x", line, name);
            (rests.number, is_own)
        };
        assert_eq!(at(8, "a[:]"), (true, true));
        assert_eq!(at(9, "a[:]"), (true, true));
        assert_eq!(at(10, "a[:]"), (true, false));
        assert_eq!(at(11, "a[:]"), (false, false));
        assert_eq!(at(13, "a[:]"), (true, false));
        assert_eq!(at(4, "a"), (true, true));
    }

    #[test]
    fn numbers_of_fortran() {
        let f = "integer function me()\n me = 1\n !$ me = omp_get_thread_num() + 1\nend function\nsubroutine s(n)\n id = me()\n part(id) = part(id) + 1\n part(n) = 1\nend subroutine\n";
        let own = of(f, Language::Fortran, false);
        assert!(own.place("x", 7, "part[:]").0.number && !own.place("x", 8, "part[:]").0.number);
    }

    #[test]
    fn what_builds_have_otherwise_decides() {
        let c = "void f(double *s) {\n#ifdef _OPENMP\n int nt = omp_get_max_threads();\n#else\n int nt = 1;\n#endif\n for (;;) {\n  if (nt == 1)\n   s[0]++;\n  s[1]++;\n }\n}\nvoid g(double *s) {\n for (;;) {\n#ifdef _OPENMP\n  omp_set_lock(&l);\n#endif\n  s[0]++;\n }\n}\n";
        let own = of(c, Language::C, false);
        assert!(own.controls("x", 9).team && !own.controls("x", 10).team);
        assert!(!own.does_otherwise("x", (7, 11)) && own.does_otherwise("x", (14, 19)));
        // Then it is known which of them ran.
        assert!(!of(c, Language::C, true).does_otherwise("x", (14, 19)));
        assert!(of(c, Language::C, true).controls("x", 9).team);
    }

    #[test]
    fn odd_texts() {
        for text in [
            "",
            "_OPENMP(",
            "omp_get_thread_num",
            "void f() { a[omp_get_thread_num()",
            "#define omp_get_thread_num",
        ] {
            let own = of(text, Language::Cpp, false);
            own.place("x", 1, "a[:]");
            own.controls("x", 1);
        }
    }
}
