//! The source lens: what the text of a file says of its loops, without a compiler.
//!
//! - [`file()`] reads bytes, [`Reader`] a file with its headers; both answer in the plain types of [`profile::lens`];
//! - [`language_of`]: which language a file name stands for;
//! - [`take_back_narrowed`]: updates that cannot be in any order by the types of their places;
//! - [`functions()`]: on which lines the functions of a text are;
//! - [`Methods`]: which methods of C++ only give what an object holds; [`Modules`]: what modules of Fortran declare.
//!
//! Inside:
//! - `spelling`: bytes as the grammars read them; `text`: bytes, and their concrete syntax tree (tree-sitter, error tolerant);
//! - `written`: a function as a small tree that is the same for all languages; `c`, `fortran` and `rust` build it;
//! - `phases`: where directives of the preprocessor are; `condition`: what its conditions are; `arms`: which arms of conditional compilation were
//!   compiled; `conditionals`: what is left of conditional compilation where it cuts statements in two;
//! - `includes`: the headers of a file; `macros`: what names of macros stand for, in their place;
//! - `environment`: what a file declares around its functions; `directives`: OpenMP and OpenACC;
//! - `trace`: the function in the order of its text, as reads, writes, accesses, calls and jumps under controls;
//! - `summary`: what that says of each loop.
//!
//! Invariants:
//! - any bytes are answered, none make it panic;
//! - depth, time and size are bounded; what a bound cuts off is said ([`FileLoops::cut_short`]);
//! - text that was not understood marks all loops around it ([`SourceLoop::errors`](profile::lens::SourceLoop::errors)).

mod arms;
mod builds;
mod c;
mod condition;
mod conditionals;
mod control;
mod directives;
mod environment;
mod fortran;
mod functions;
mod includes;
mod macros;
mod methods;
mod narrowed;
mod phases;
mod pragmas;
mod read;
mod rust;
mod spelling;
mod summary;
#[cfg(test)]
mod tests;
mod text;
mod trace;
mod written;

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use profile::lens::{FileLoops, Language};

pub use arms::{Compiled, CompiledFiles};
pub use builds::differing;
pub use control::{Control, controls};
pub use fortran::Modules;
pub use functions::functions;
pub use methods::Methods;
pub use narrowed::{Name, Number, refine as take_back_narrowed};
pub use read::{LARGEST, Reader, Unreadable, language_of};

use arms::{Arms, Given, Names, Unfollowed};
use conditionals::{Branch, Variant};
use environment::Environment;
use fortran::Outside;
use macros::Macros;
use phases::Phases;
use summary::{Budget, Summary};
use text::Text;
use trace::Walker;
use written::FunctionText;

/// The loops of a file's text, of which the headers are not known, nor what was compiled of it.
pub fn file(bytes: &[u8], language: Language) -> FileLoops {
    let arms = Arms::of(bytes, Given::file(language, None), &mut Names::default(), &mut Unfollowed);
    with_others(&arms, language, (&[], &Outside::default()))
}

/// The loops of a file's text; `headers`: those that it includes, in the order in which a compiler reads them (C and
/// C++); `outside`: what it sees of other files (Fortran).
fn with_others(arms: &Arms, language: Language, (headers, outside): (&[Arms], &Outside<'_>)) -> FileLoops {
    let mut out = of_arms(arms, language, (headers, outside));
    out.left_out.clone_from(&arms.left_out);
    out.open = arms.open.iter().map(|own| own.lines).collect();
    mark_open(arms, headers, &mut out);
    out
}

fn of_arms(arms: &Arms, language: Language, (headers, outside): (&[Arms], &Outside<'_>)) -> FileLoops {
    let bytes = &arms.text[..];
    let texts = headers.iter().map(|own| &own.text[..]);
    let macros = Macros::of(texts.chain([bytes]), language);
    let around = includes::declared(headers, language, &macros);
    let mut out = text(bytes, language, (&around, &macros, outside));
    lead_lines(bytes, &mut out);
    if !out.errors || !matches!(language, Language::C | Language::Cpp) {
        return out;
    }
    let mut best = conditionals::understood(&out);
    // What a branch that is left out defines may be what was compiled.
    let mut around = around;
    for (name, own) in macros::of_all_branches(bytes) {
        match around.macros.entry(name) {
            Entry::Vacant(entry) => drop(entry.insert(own)),
            Entry::Occupied(mut entry) => entry.get_mut().join(own),
        }
    }
    for branch in [Branch::First, Branch::Else] {
        let Some(variant) = Variant::new(bytes, branch) else { continue };
        let mut other = text(&variant.text, language, (&around, &macros, outside));
        let count = variant.mark(&mut other);
        if count > best {
            other.errors = true;
            lead_lines(bytes, &mut other);
            (out, best) = (other, count);
        }
    }
    out
}

/// Marks the loops of which some of the text may not be what was compiled: an arm that nothing decides is in them, or declares something in
/// their function before them; or they name a macro, or a variable, of which that is so.
fn mark_open(arms: &Arms, headers: &[Arms], of: &mut FileLoops) {
    let texts = headers.iter().chain([arms]);
    let doubtful: BTreeSet<&str> = texts.clone().flat_map(|own| &own.doubtful).map(String::as_str).collect();
    let macros = match of.language {
        Language::C | Language::Cpp => {
            macros::unsettled(texts.map(|own| &own.text[..]), of.language, &doubtful)
        }
        _ => BTreeSet::new(),
    };
    let lines: Vec<&[u8]> = arms.text.split_inclusive(|&byte| byte == b'\n').collect();
    if arms.open.is_empty() && macros.is_empty() && headers.iter().all(|own| own.open.is_empty()) {
        return;
    }
    let is_fortran = matches!(of.language, Language::Fortran | Language::FixedFortran);
    let plain = match is_fortran {
        true => lines.iter().map(|line| String::from_utf8_lossy(line).to_ascii_lowercase()).collect(),
        false => Phases::of(&arms.text, of.language).plain,
    };
    let begins = beginnings(&arms.text, of.language, &plain);
    let begin = |line: u32| begins.range(..=line).next_back().copied().unwrap_or(1);
    let variables = headers.iter().chain([arms]).flat_map(|own| &own.open).flat_map(|own| &own.variables);
    let variables: BTreeSet<&str> = variables.map(String::as_str).collect();
    let named = |of: &dyn Fn(&str) -> bool| -> BTreeSet<u32> {
        let has = |line: &str| !line.trim_start().starts_with('#') && text::words(line).any(of);
        (1..).zip(&plain).filter(|(_, line)| has(line)).map(|(number, _)| number).collect()
    };
    let with_macros = named(&|word| macros.contains(word));
    let within =
        |of: &BTreeSet<u32>, first: u32, last: u32| first <= last && of.range(first..=last).next().is_some();
    // Of the line on which a function's text begins only what is behind that counts; what stands before it is about the function.
    let is_used = |start: u32, last: u32| {
        let is_body =
            |line: &u32| plain.get((*line as usize).saturating_sub(1)).is_some_and(|text| text.contains('{'));
        let body = if is_fortran { Some(start) } else { (start..=last).find(is_body) };
        let Some(body) = body else { return within(&with_macros, start, last) };
        let line = plain.get((body as usize).saturating_sub(1)).map_or("", String::as_str);
        let behind = line.split_once('{').map_or("", |(_, behind)| behind);
        text::words(behind).any(|word| macros.contains(word))
            || within(&with_macros, body.saturating_add(1), last)
    };
    let with_variables = named(&|word| variables.contains(word));
    let is_open = |one: &profile::lens::SourceLoop| {
        let (first, last) = (one.at.line, one.end.line);
        let start = begin(first);
        let of_arms = arms.open.iter().any(|own| {
            let is_before = own.is_directive
                && own.lines.1 < first
                && plain.get(own.lines.1 as usize..first as usize - 1).is_some_and(|between| {
                    between
                        .iter()
                        .all(|line| line.trim().is_empty() || line.trim_start().starts_with(['#', '!']))
                });
            let is_inside = own.lines.0 <= last && first <= own.lines.1;
            let is_declaration = own.declares && start <= own.lines.0 && own.lines.1 < first;
            is_before || is_inside || is_declaration
        });
        of_arms || is_used(start, last) || within(&with_variables, first, last)
    };
    for one in &mut of.loops {
        if is_open(one) {
            one.errors = true;
            one.conditional_compilation = true;
        }
    }
}

/// The lines on which functions may begin, or what stands before them: behind the ends of others.
fn beginnings(bytes: &[u8], language: Language, plain: &[String]) -> BTreeSet<u32> {
    if !matches!(language, Language::Fortran | Language::FixedFortran) {
        return functions::functions(bytes, language)
            .into_iter()
            .map(|(_, last)| last.saturating_add(1))
            .collect();
    }
    let is_last = |line: &str| {
        let line = line.trim_start();
        let rest = line.strip_prefix("end").map(str::trim_start);
        let ends = |word: &&str| rest.is_some_and(|rest| rest.starts_with(*word));
        ["subroutine", "function", "program", "module", "procedure"].iter().any(ends)
            || rest.is_some_and(str::is_empty)
            || line.trim_end() == "contains"
    };
    (2..).zip(plain).filter(|(_, line)| is_last(line)).map(|(number, _)| number).collect()
}

/// Notes which loops have nothing before them on their lines.
fn lead_lines(bytes: &[u8], of: &mut FileLoops) {
    let lines: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
    for one in &mut of.loops {
        let line = (one.at.line as usize).checked_sub(1).and_then(|at| lines.get(at));
        let before = line.and_then(|line| line.get(..(one.at.column as usize).saturating_sub(1)));
        one.leads_line = before.is_some_and(|before| before.trim_ascii().is_empty());
    }
}

/// The loops of a text as it stands; `around`: what its headers declare, and macros; `outside`: what it sees of other files.
fn text(
    bytes: &[u8],
    language: Language,
    (around, macros, outside): (&Environment, &Macros, &Outside<'_>),
) -> FileLoops {
    let mut out = FileLoops {
        language,
        loops: Vec::new(),
        errors: false,
        generated: is_generated(bytes),
        cut_short: false,
        left_out: Vec::new(),
        open: Vec::new(),
    };
    let shown = macros.show(spelling::spelled(bytes, language));
    let inside =
        matches!(language, Language::C | Language::Cpp).then(|| pragmas::inside(&shown.text)).flatten();
    let (plain, directives) = inside.map_or((None, BTreeMap::new()), |own| (Some(own.text), own.before));
    let text = Text::new(plain.as_deref().unwrap_or(&shown.text), language).with_directives(directives);
    let Some(tree) = text::parse(text.bytes, language, &[]) else {
        out.cut_short = true;
        return out;
    };
    out.errors = tree.root_node().has_error();
    let mut budget = Budget::default();
    let mut whole = true;
    let mut visit = |environment: &Environment, function: FunctionText| {
        let trace = Walker::trace(&text, environment, &function);
        let base = out.loops.len();
        whole &= Summary::loops(&trace, (&function, &environment.kept), base, &mut budget, &mut out.loops);
    };
    match language {
        Language::C | Language::Cpp => {
            c::C::read(&text, around.clone(), tree.root_node(), &mut visit);
        }
        Language::Fortran | Language::FixedFortran => {
            fortran::Fortran::read(&text, bytes, tree.root_node(), outside, &mut visit);
        }
        Language::Rust => rust::Rust::read(&text, tree.root_node(), &mut visit),
    }
    out.cut_short |= !whole || text.cut_short.get();
    if shown.is_changed() {
        out.loops.iter_mut().for_each(|one| one.each_place(&mut |at| *at = shown.place(*at)));
    }
    in_order(&mut out);
    out
}

/// The language of a header, which is C or C++: C++ if that is better understood, or if it is of a library that is installed as such.
fn language_of_header(path: &Path, bytes: &[u8]) -> Language {
    // What C does not know takes its parser long to recover from.
    if path.components().any(|part| part.as_os_str() == "c++") {
        return Language::Cpp;
    }
    let errors = |language| {
        text::parse(bytes, language, &[]).map_or(usize::MAX, |tree| text::errors(tree.root_node()))
    };
    let of_c = errors(Language::C);
    if of_c == 0 || of_c <= errors(Language::Cpp) { Language::C } else { Language::Cpp }
}

/// Whether a file has `#line` directives: other lines are meant than its own.
fn is_generated(bytes: &[u8]) -> bool {
    bytes.split(|&byte| byte == b'\n').any(|line| {
        let Some(rest) = line.trim_ascii_start().strip_prefix(b"#") else { return false };
        let rest = rest.trim_ascii_start();
        let rest = match rest.strip_prefix(b"line") {
            Some(rest) => rest.trim_ascii_start(),
            None => rest,
        };
        rest.first().is_some_and(u8::is_ascii_digit)
    })
}

/// Puts loops in the order of their keywords.
fn in_order(of: &mut FileLoops) {
    let mut order: Vec<usize> = (0..of.loops.len()).collect();
    order.sort_by_key(|&index| (of.loops[index].at, index));
    let mut place = vec![0_u32; order.len()];
    for (new, &old) in order.iter().enumerate() {
        place[old] = u32::try_from(new).unwrap_or(u32::MAX);
    }
    let mut loops: Vec<_> = std::mem::take(&mut of.loops).into_iter().map(Some).collect();
    for old in order {
        let Some(mut one) = loops[old].take() else { continue };
        one.parent = one.parent.and_then(|parent| place.get(parent as usize)).copied();
        for inner in &mut one.inner_iterators {
            inner.of = place.get(inner.of as usize).copied().unwrap_or(u32::MAX);
        }
        of.loops.push(one);
    }
}
