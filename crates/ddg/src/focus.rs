//! Which loops of a program are worth recording, by a survey of a run.
//!
//! Definitions: the *work* of a loop is what it executes, with all that it calls, but for functions that read and write text and files:
//! that is no work of the loop, and no part of what it could become. A loop of which most is that is left out. A function that several places call counts for each by how
//! often it calls. *Outermost* are loops of the program's own file that no other of these is around, by calls neither; a recursion of
//! the program stands like a loop. Of these the ones are chosen that do the most work, until they do 95 % of it.
//!
//! Limits: calls by unwinding and callbacks that one call makes of several functions are not told apart; a loop that is entered very
//! often is not chosen, because every entry stops the program.

use std::path::PathBuf;

use profile::{Context, ContextKind};
use program::executed::{Call, Executed};
use program::image::Image;
use rustc_hash::{FxHashMap, FxHashSet};
use trace::sink::Mapping;
use trace::survey::{Survey, Way};

use crate::finish::{About, function_name};
use crate::hot;

/// Share of the work that the chosen loops do, in hundredths.
const ENOUGH: u64 = 95;
/// Least share of one loop, in thousandths.
const LEAST: u64 = 5;
/// Most entries of a loop.
const MOST_ENTRIES: u64 = 20_000;

/// A place in a file of code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The file.
    pub file: PathBuf,
    /// Offset of the instruction in it.
    pub offset: u64,
}

impl Place {
    /// That of an address.
    fn of(mappings: &[Mapping], pc: u64) -> Option<Place> {
        let mapping = mappings.iter().rev().find(|own| (own.start..own.end).contains(&pc))?;
        Some(Place { file: mapping.path.clone()?, offset: pc - mapping.start + mapping.offset })
    }

    /// Its address in a mapping, if it lies there.
    pub fn in_mapping(&self, mapping: &Mapping) -> Option<u64> {
        let at = self.offset.checked_sub(mapping.offset)?;
        let is_there = mapping.path.as_ref() == Some(&self.file) && at < mapping.end - mapping.start;
        is_there.then(|| mapping.start + at)
    }
}

/// A loop, or a recursion, that is recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spot {
    /// File and line, or the function.
    pub name: String,
    /// Where it is entered.
    pub enter: Place,
    /// Where it is left to; nothing for a recursion, which ends with its first activation.
    pub leave: Vec<Place>,
}

/// What is recorded of a program.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Focus {
    /// Loops, by the work that they do.
    pub spots: Vec<Spot>,
    /// Instructions of the whole run.
    pub instructions: u64,
}

/// Finds the loops that do most of a program's work.
pub fn find(survey: &Survey) -> Focus {
    let executed = Executed::new(survey);
    let mut image = Image::default();
    survey.mappings.iter().for_each(|mapping| image.add(mapping));
    let mut all = Work::new(survey, &executed, &image);
    let roots: Vec<usize> = (0..executed.functions.len()).filter(|f| !all.into.contains_key(f)).collect();
    roots.into_iter().for_each(|root| all.visit(root));
    let mut found = std::mem::take(&mut all.found);
    found.retain(|own| own.entries <= MOST_ENTRIES && own.cost.work >= own.cost.all / 2);
    found.sort_by_key(|own| std::cmp::Reverse(own.cost.work));
    let total: u64 = found.iter().map(|own| own.cost.work).sum();
    let names = names(survey);
    let mut done = 0;
    let mut spots = Vec::new();
    for own in found {
        if done * 100 >= total * ENOUGH || own.cost.work * 1000 < total * LEAST {
            break;
        }
        done += own.cost.work;
        let place = |pc| Place::of(&survey.mappings, pc);
        let Some(enter) = place(own.enter) else { continue };
        let leave = own.leave.iter().filter_map(|&pc| place(pc)).collect();
        let name = names.get(&own.enter).cloned();
        spots.push(Spot { name: name.unwrap_or_else(|| function_name(&image, own.enter)), enter, leave });
    }
    Focus { spots, instructions: all.instructions }
}

/// File and line of loops, by the addresses of their headers.
fn names(survey: &Survey) -> FxHashMap<u64, String> {
    let counted = hot::profile(survey, About::default());
    let of = |context: &Context| {
        let at = counted.location(context.location);
        let file = at.file.rsplit('/').next().filter(|_| context.kind == ContextKind::Loop && at.line > 0)?;
        Some((context.at, format!("{file}:{}", at.line)))
    };
    counted.contexts.iter().filter_map(of).collect()
}

/// A loop that may be chosen.
struct Found {
    cost: Cost,
    entries: u64,
    enter: u64,
    leave: Vec<u64>,
}

/// Instructions.
#[derive(Debug, Clone, Copy, Default)]
struct Cost {
    /// All.
    all: u64,
    /// Of these, what is no reading or writing of text and files.
    work: u64,
}

impl Cost {
    fn of(instructions: u64) -> Cost {
        Cost { all: instructions, work: instructions }
    }

    fn and(self, other: Cost) -> Cost {
        Cost { all: self.all.saturating_add(other.all), work: self.work.saturating_add(other.work) }
    }

    /// The share of `count` in `of`.
    fn share(self, count: u64, of: u64) -> Cost {
        let part = |all: u64| {
            let share = u128::from(all) * u128::from(count) / u128::from(of.max(1));
            u64::try_from(share).unwrap_or(u64::MAX)
        };
        Cost { all: part(self.all), work: part(self.work) }
    }
}

struct Work<'a> {
    survey: &'a Survey,
    executed: &'a Executed,
    image: &'a Image,
    calls: FxHashMap<usize, Vec<Call>>,
    /// How often each function was called.
    into: FxHashMap<usize, u64>,
    own: Vec<u64>,
    /// Of each function with all that it calls, once known; `None` while it is computed.
    all: FxHashMap<usize, Option<Cost>>,
    recursive: FxHashSet<usize>,
    seen: FxHashSet<usize>,
    found: Vec<Found>,
    instructions: u64,
}

impl<'a> Work<'a> {
    fn new(survey: &'a Survey, executed: &'a Executed, image: &'a Image) -> Work<'a> {
        let mut calls: FxHashMap<usize, Vec<Call>> = FxHashMap::default();
        let mut into: FxHashMap<usize, u64> = FxHashMap::default();
        for call in executed.resolved_calls() {
            calls.entry(call.caller).or_default().push(call);
            let all = into.entry(call.callee).or_default();
            *all = all.saturating_add(call.count);
        }
        let cost = |start: &u64| {
            let block = executed.block(*start);
            block.map_or(0, |block| block.executions.saturating_mul(block.instrs.len() as u64))
        };
        let of = |blocks: &[u64]| blocks.iter().map(cost).fold(0u64, u64::saturating_add);
        let own: Vec<u64> = executed.functions.iter().map(|function| of(&function.blocks)).collect();
        let components = executed.components();
        let recursive = components.iter().flat_map(|component| component.functions.iter().copied()).collect();
        let instructions = own.iter().fold(0u64, |all, one| all.saturating_add(*one));
        Work {
            survey,
            executed,
            image,
            calls,
            into,
            own,
            all: FxHashMap::default(),
            recursive,
            seen: FxHashSet::default(),
            found: Vec::new(),
            instructions,
        }
    }

    /// What a function executes, with all that it calls, in the whole run.
    fn whole(&mut self, function: usize) -> Cost {
        match self.all.get(&function) {
            Some(known) => return known.unwrap_or_default(),
            None => self.all.insert(function, None),
        };
        let calls = self.calls.get(&function).cloned().unwrap_or_default();
        let called = calls.iter().map(|call| self.part(call)).fold(Cost::default(), Cost::and);
        let mut cost = Cost::of(self.own[function]).and(called);
        if self.is_for_text(function) {
            cost.work = 0;
        }
        self.all.insert(function, Some(cost));
        cost
    }

    /// What the calls from one place execute.
    fn part(&mut self, call: &Call) -> Cost {
        let all = self.into.get(&call.callee).copied().unwrap_or(1);
        self.whole(call.callee).share(call.count, all)
    }

    /// Whether a function of a library reads or writes text or files.
    fn is_for_text(&self, function: usize) -> bool {
        let entry = self.executed.functions[function].entry;
        !self.image.is_own(entry) && self.image.function(entry).is_some_and(|own| is_for_text(&own.name))
    }

    /// Finds the outermost loops of a function and of what it calls outside of them.
    fn visit(&mut self, function: usize) {
        if !self.seen.insert(function) {
            return;
        }
        let executed = self.executed;
        let own = &executed.functions[function];
        let calls = self.calls.get(&function).cloned().unwrap_or_default();
        if !self.image.is_own(own.entry) {
            calls.iter().for_each(|call| self.visit(call.callee));
            return;
        }
        if self.recursive.contains(&function) {
            let cost = self.whole(function);
            self.found.push(Found { cost, entries: 1, enter: own.entry, leave: Vec::new() });
            return;
        }
        for l in own.loops.iter().filter(|l| l.parent.is_none()) {
            let is_inside = |start: &u64| l.blocks.binary_search(start).is_ok();
            let blocks = l.blocks.iter().filter_map(|start| executed.block(*start));
            let alone: u64 =
                blocks.map(|block| block.executions.saturating_mul(block.instrs.len() as u64)).sum();
            let inside: Vec<&Call> = calls.iter().filter(|call| is_inside(&call.site)).collect();
            let called = inside.iter().map(|call| self.part(call)).fold(Cost::default(), Cost::and);
            let ends: FxHashSet<u64> =
                l.blocks.iter().filter_map(|start| executed.block(*start)).map(|block| block.end()).collect();
            let out = self.survey.transfers.iter().filter(|transfer| {
                transfer.way != Way::Call && ends.contains(&transfer.from) && !is_inside(&transfer.to)
            });
            let leave = out.map(|transfer| transfer.to).collect();
            let cost = Cost::of(alone).and(called);
            self.found.push(Found { cost, entries: l.entries, enter: l.header, leave });
        }
        for call in calls.iter().filter(|call| own.loop_of(call.site).is_none()) {
            self.visit(call.callee);
        }
    }
}

/// Whether a function of this name reads or writes text or files, or what it reads was written as.
fn is_for_text(name: &str) -> bool {
    let plain = name.trim_start_matches('_').trim_start_matches("isoc99_").trim_start_matches("isoc23_");
    const PARTS: [&str; 6] =
        ["printf", "scanf", "_gfortran_st_", "_gfortran_transfer", "std::ostream", "std::istream"];
    const NAMES: [&str; 35] = [
        "fopen", "fclose", "fread", "fwrite", "fgets", "fputs", "fgetc", "fputc", "getc", "putc", "getchar",
        "putchar", "puts", "gets", "getline", "getdelim", "ungetc", "fflush", "fseek", "ftell", "rewind",
        "read", "write", "open", "close", "lseek", "strtod", "strtof", "strtol", "strtoul", "strtoll",
        "strtoull", "atoi", "atol", "atof",
    ];
    PARTS.iter().any(|part| name.contains(part))
        || NAMES.contains(&plain)
        || plain.starts_with("std::basic_ostream")
        || plain.starts_with("std::basic_istream")
        || plain.starts_with("std::operator<<")
        || plain.starts_with("std::operator>>")
}

#[cfg(test)]
mod tests {
    use super::is_for_text;

    #[test]
    fn what_reads_and_writes_text() {
        for name in
            ["__isoc99_fscanf", "printf", "atoi", "_gfortran_st_read", "std::ostream::operator<<", "fgets"]
        {
            assert!(is_for_text(name), "{name}");
        }
        for name in ["exp", "memcpy", "qsort", "malloc", "std::sort", "readers"] {
            assert!(!is_for_text(name), "{name}");
        }
    }
}
