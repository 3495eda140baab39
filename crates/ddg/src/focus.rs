//! Which loops of a program are worth recording, by a survey of a run.
//!
//! Definitions: the *work* of a loop is what it executes, with all that it calls, but for functions that read and write text
//! and files: that is no work of the loop, and no part of what it could become. A loop of which most is that is left out. A function that
//! several places call counts for each by how often it calls. *Outermost* are loops of the program's own file that no other of
//! these is around, by calls neither; a recursion of the program stands like a loop. Of these the ones are chosen that do the
//! most work, until they do 95 % of it. Compilers put iterations beside a loop: what is recorded of a function is its *region*, the
//! blocks of the chosen loops, those whose source lines are among the lines of these, and the loops that such blocks are in.
//!
//! Nothing is chosen of programs with threads, exceptions, jumps out of functions or signal handlers: what they do in the middle of a
//! recording that has begun in the middle of a function cannot be told apart.
//!
//! Limits: calls by unwinding and callbacks that one call makes of several functions are not told apart; a loop that is entered very
//! often is not chosen, because every entry stops the program.

use std::collections::BTreeMap;
use std::path::PathBuf;

use profile::{Context, ContextKind};
use program::executed::{Block, Call, Executed};
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

/// What is recorded of a program.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Focus {
    /// File and line, or the function, of the chosen loops, by the work that they do.
    pub loops: Vec<String>,
    /// Where recording begins.
    pub enter: Vec<Place>,
    /// Where it ends; a recursion ends with its first activation.
    pub leave: Vec<Place>,
    /// Files and lines of what ran in their functions beside what is recorded.
    pub beside: Vec<(String, u32)>,
    /// Instructions of the whole run.
    pub instructions: u64,
    /// Of these, those in the loops.
    pub recorded: u64,
}

/// Finds the loops that do most of a program's work.
pub fn find(survey: &Survey) -> Focus {
    let executed = Executed::new(survey);
    let mut image = Image::default();
    survey.mappings.iter().for_each(|mapping| image.add(mapping));
    let mut all = Work::new(survey, &executed, &image);
    let mut focus = Focus { instructions: all.instructions, ..Focus::default() };
    let roots: Vec<usize> = (0..executed.functions.len()).filter(|f| !all.into.contains_key(f)).collect();
    let is_start =
        |f: usize| image.function(executed.functions[f].entry).is_some_and(|own| own.name == "_start");
    let handlers =
        roots.iter().filter(|&&f| image.is_own(executed.functions[f].entry) && !is_start(f)).count();
    if handlers > 0 || executed.functions.iter().any(|own| goes_elsewhere(&image, own.entry)) {
        return focus;
    }
    roots.into_iter().for_each(|root| all.visit(root));
    let mut found = std::mem::take(&mut all.found);
    found.retain(|own| own.entries <= MOST_ENTRIES && own.cost.work >= own.cost.all / 2);
    found.sort_by_key(|own| std::cmp::Reverse(own.cost.work));
    let total: u64 = found.iter().map(|own| own.cost.work).sum();
    let statements = statements(survey);
    let mut done = 0;
    let mut chosen: BTreeMap<usize, Vec<Found>> = BTreeMap::new();
    for own in found {
        if done * 100 >= total * ENOUGH || own.cost.work * 1000 < total * LEAST {
            break;
        }
        done += own.cost.work;
        focus.recorded = focus.recorded.saturating_add(own.cost.all);
        let name = match statements.get(&own.header) {
            Some((file, line)) => format!("{}:{line}", last(file)),
            None => function_name(&image, own.header),
        };
        focus.loops.push(name);
        chosen.entry(own.function).or_default().push(own);
    }
    for (function, loops) in chosen {
        let region = all.region(function, &loops, &statements, &mut focus.beside);
        let [enter, leave] = all.borders(function, &region);
        // Where frames are not known, neither is where they return to.
        if enter.iter().any(|&pc| image.frame(pc, STACK, STACK).is_none()) {
            return Focus { instructions: focus.instructions, ..Focus::default() };
        }
        let place = |pc: &u64| Place::of(&survey.mappings, *pc);
        focus.enter.extend(enter.iter().filter_map(place));
        focus.leave.extend(leave.iter().filter_map(place));
    }
    focus.beside.sort();
    focus.beside.dedup();
    focus
}

/// Some stack pointer.
const STACK: u64 = 0x7fff_0000;

/// Whether the function at an address makes threads, or goes on elsewhere than where it was called.
fn goes_elsewhere(image: &Image, entry: u64) -> bool {
    const NAMES: [&str; 12] = [
        "pthread_create",
        "clone3",
        "GOMP_parallel",
        "GOMP_task",
        "__kmpc_fork_call",
        "__cxa_throw",
        "_Unwind_RaiseException",
        "longjmp",
        "siglongjmp",
        "swapcontext",
        "setcontext",
        "__longjmp_chk",
    ];
    let is_one = |name: &str| {
        let plain = name.split('@').next().unwrap_or(name).trim_start_matches('_');
        NAMES.iter().any(|own| own.trim_start_matches('_') == plain)
    };
    image.function(entry).is_some_and(|own| own.address == entry && is_one(&own.name))
}

/// File and line of loops, by the addresses of their headers.
fn statements(survey: &Survey) -> FxHashMap<u64, (String, u32)> {
    let counted = hot::profile(survey, About::default());
    let of = |context: &Context| {
        let at = counted.location(context.location);
        let is_known = context.kind == ContextKind::Loop && at.line > 0;
        is_known.then(|| (context.at, (at.file.clone(), at.line)))
    };
    counted.contexts.iter().filter_map(of).collect()
}

fn last(file: &str) -> &str {
    file.rsplit('/').next().unwrap_or(file)
}

/// A loop that may be chosen.
struct Found {
    cost: Cost,
    entries: u64,
    function: usize,
    header: u64,
    /// Starts of its blocks; of a recursion none.
    blocks: Vec<u64>,
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

/// What blocks, by their starts, executed.
fn instructions(executed: &Executed, blocks: &[u64]) -> u64 {
    let of = |start: &u64| executed.block(*start).map_or(0, Block::instructions);
    blocks.iter().map(of).fold(0, u64::saturating_add)
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
        let own: Vec<u64> =
            executed.functions.iter().map(|own| instructions(executed, &own.blocks)).collect();
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
            self.found.push(Found { cost, entries: 1, function, header: own.entry, blocks: Vec::new() });
            return;
        }
        for l in own.loops.iter().filter(|l| l.parent.is_none()) {
            let is_inside = |start: &u64| l.blocks.binary_search(start).is_ok();
            let alone = instructions(executed, &l.blocks);
            let inside: Vec<&Call> = calls.iter().filter(|call| is_inside(&call.site)).collect();
            let called = inside.iter().map(|call| self.part(call)).fold(Cost::default(), Cost::and);
            let cost = Cost::of(alone).and(called);
            self.found.push(Found {
                cost,
                entries: l.entries,
                function,
                header: l.header,
                blocks: l.blocks.clone(),
            });
        }
        for call in calls.iter().filter(|call| own.loop_of(call.site).is_none()) {
            self.visit(call.callee);
        }
    }

    /// Lines of a block, with those that calls in them were put in the place of, and how many of its instructions are of each.
    fn lines(&self, start: u64) -> FxHashMap<(String, u32), u64> {
        let block = self.executed.block(start);
        let instrs = block.into_iter().flat_map(|block| &block.instrs);
        let mut out = FxHashMap::default();
        for place in instrs.flat_map(|&pc| self.image.locations(pc)) {
            if let (Some(file), Some(line)) = (place.file, place.line) {
                *out.entry((file, line)).or_default() += 1;
            }
        }
        out
    }

    /// What is recorded of a function, and in `beside` the lines of the rest.
    fn region(
        &self,
        function: usize,
        loops: &[Found],
        statements: &FxHashMap<u64, (String, u32)>,
        beside: &mut Vec<(String, u32)>,
    ) -> FxHashSet<u64> {
        let own = &self.executed.functions[function];
        if loops.iter().any(|l| l.blocks.is_empty()) {
            return own.blocks.iter().copied().collect();
        }
        let lines: FxHashMap<u64, FxHashMap<(String, u32), u64>> =
            own.blocks.iter().map(|&start| (start, self.lines(start))).collect();
        let mut region: FxHashSet<u64> = FxHashSet::default();
        let mut all: FxHashMap<&(String, u32), u64> = FxHashMap::default();
        lines.values().flatten().for_each(|(line, count)| *all.entry(line).or_default() += count);
        for l in loops {
            let mut inside: FxHashMap<&(String, u32), u64> = FxHashMap::default();
            let of_loop = l.blocks.iter().filter_map(|start| lines.get(start)).flatten();
            of_loop.for_each(|(line, count)| *inside.entry(line).or_default() += count);
            let start = statements.get(&l.header);
            let is_behind = |(file, line): &(String, u32)| {
                start.is_some_and(|start| last(file) == last(&start.0) && *line >= start.1)
            };
            // What was computed before the loop may have been moved into it.
            inside
                .retain(|line, count| is_behind(line) || *count * 2 >= all.get(*line).copied().unwrap_or(0));
            let end = inside.keys().filter(|line| is_behind(line)).map(|line| line.1).max();
            let is_of = |line: &(String, u32)| {
                inside.contains_key(line) || is_behind(line) && end.is_some_and(|end| line.1 <= end)
            };
            region.extend(&l.blocks);
            region.extend(
                own.blocks.iter().filter(|start| lines.get(start).is_some_and(|all| all.keys().any(is_of))),
            );
        }
        let outermost = own.loops.iter().filter(|l| l.parent.is_none());
        for l in outermost.filter(|l| l.blocks.iter().any(|start| region.contains(start))).collect::<Vec<_>>()
        {
            region.extend(&l.blocks);
        }
        // There the frame is not set up yet: where the loop was left could not be told.
        if loops.iter().all(|l| !l.blocks.contains(&own.entry)) {
            region.remove(&own.entry);
        }
        // What is called at the end by a jump takes the place of the activation.
        let ends = self.executed.calls.iter().filter(|call| call.tail && call.caller == function);
        for call in ends.filter(|call| loops.iter().all(|l| !l.blocks.contains(&call.site))) {
            region.remove(&call.site);
        }
        let rest = own.blocks.iter().filter(|start| !region.contains(start));
        beside.extend(rest.filter_map(|start| lines.get(start)).flat_map(FxHashMap::keys).cloned());
        region
    }

    /// Where control comes into a region of a function, and where it leaves it to in the same activation.
    fn borders(&self, function: usize, region: &FxHashSet<u64>) -> [Vec<u64>; 2] {
        let own = &self.executed.functions[function];
        let blocks: FxHashSet<u64> = own.blocks.iter().copied().collect();
        let mut borders = [Vec::new(), Vec::new()];
        if region.contains(&own.entry) {
            borders[0].push(own.entry);
        }
        let mut from: FxHashMap<u64, Vec<u64>> = FxHashMap::default();
        for transfer in self.survey.transfers.iter().filter(|transfer| transfer.way != Way::Call) {
            from.entry(transfer.from).or_default().push(transfer.to);
        }
        for &start in &own.blocks {
            let Some(block) = self.executed.block(start) else { continue };
            let out = from.get(&block.end()).into_iter().flatten().copied();
            // Behind a call, or where the block was cut, control goes on in the next one.
            for to in out.chain([block.end()]).filter(|to| blocks.contains(to)) {
                match (region.contains(&start), region.contains(&to)) {
                    (false, true) => borders[0].push(to),
                    (true, false) => borders[1].push(to),
                    _ => {}
                }
            }
        }
        borders.iter_mut().for_each(|all| {
            all.sort_unstable();
            all.dedup();
        });
        borders
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
