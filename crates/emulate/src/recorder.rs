//! From what the plugin tells to records.
//!
//! Invariants: a unit becomes records when it is known what came after it, for only then is known whether it ran to its end; tables
//! come before the words that need them.

mod signals;
mod units;
mod windows;

use std::collections::BTreeMap;

use record::other::{Surroundings, decode_function};
use rustc_hash::{FxHashMap, FxHashSet};
use trace::block::{FunctionCode, Instr, Terminator};
use trace::sink::{Guide, Mapping};
use trace::stream::Special;

use crate::blocks::{Made, Unit, key};
use crate::code::Files;
use crate::machine::Machine;
use crate::message::{Event, Registers};
use crate::output::{Output, Table};
use crate::saves::{self, Marks};
use crate::syscalls::{RT_SIGRETURN, Returned};

/// See the module.
pub(crate) struct Recorder<'a> {
    machine: Machine,
    guide: &'a mut dyn Guide,
    pub(crate) output: Output,
    files: Files,
    units: Vec<Option<Unit>>,
    /// Addresses that control may come to from elsewhere.
    leaders: FxHashSet<u64>,
    /// Functions that were entered.
    entries: FxHashSet<u64>,
    marks: Marks,
    /// Counts changes of what units are cut and marked by.
    epoch: u64,
    /// The unit that runs, by number, and what it has accessed.
    current: Option<u32>,
    made: Vec<Made>,
    /// Registers as of when they were told last.
    registers: Registers,
    /// They are those of the current unit.
    are_fresh: bool,
    /// The records of the current unit are written.
    is_complete: bool,
    /// Whether registers mean anything.
    pub(crate) has_registers: bool,
    signals: signals::Signals,
    windows: windows::Windows,
    /// Instructions recorded.
    pub(crate) instructions: u64,
    /// After so many, nothing more is taken.
    pub(crate) limit: u64,
    /// Calls that another program may come from.
    calls_open: u64,
    pub(crate) untracked: BTreeMap<String, u64>,
    /// The stream is not what a plugin writes.
    pub(crate) is_broken: bool,
}

impl<'a> Recorder<'a> {
    /// Records from the first instruction on, or where the guide says.
    pub(crate) fn new(machine: Machine, guide: &'a mut dyn Guide, output: Output, start: bool) -> Self {
        Recorder {
            machine,
            guide,
            output,
            files: Files::default(),
            units: Vec::new(),
            leaders: FxHashSet::default(),
            entries: FxHashSet::default(),
            marks: Marks::default(),
            epoch: 1,
            current: None,
            made: Vec::new(),
            registers: Registers::default(),
            are_fresh: false,
            is_complete: false,
            has_registers: true,
            signals: signals::Signals::default(),
            windows: windows::Windows::new(start),
            instructions: 0,
            limit: u64::MAX,
            calls_open: 0,
            untracked: BTreeMap::new(),
            is_broken: false,
        }
    }

    /// Takes whole events; gives the number of words taken.
    pub(crate) fn take(&mut self, words: &[u64]) -> usize {
        let mut at = 0;
        while !self.is_broken && self.instructions < self.limit {
            let Some((event, length)) = crate::message::next(&words[at..]) else { break };
            self.event(event);
            at += length;
        }
        if self.is_broken { words.len() } else { at }
    }

    fn event(&mut self, event: Event) {
        match event {
            Event::Access(word, address) => {
                if self.windows.is_on() {
                    self.made.push(Made { key: key(word), address });
                }
            }
            Event::Block(number, registers) => self.begin(number, registers),
            Event::Code(number, pc, count, bytes) => self.code(number, pc, count, &bytes),
            Event::Mapping(mapping) => self.mapping(mapping),
            Event::Returned(returned) => self.returned(&returned),
            Event::Called => self.calls_open += 1,
            Event::Thread => self.count("thread"),
            Event::Broken => self.is_broken = true,
        }
    }

    fn count(&mut self, what: &str) {
        *self.untracked.entry(what.to_owned()).or_default() += 1;
    }

    fn code(&mut self, number: u32, pc: u64, count: u64, bytes: &[u8]) {
        let instrs = self.machine.decode_all(bytes, pc);
        let at = number as usize;
        // Numbers are given in order, but told in the order of the first executions.
        if instrs.len() as u64 != count || at > self.units.len().saturating_add(1 << 20) {
            self.is_broken = true;
            return;
        }
        if self.units.len() <= at {
            self.units.resize(at + 1, None);
        }
        self.units[at] = Some(Unit::new(pc, instrs, |register| self.machine.is_for_linkage(register)));
    }

    fn mapping(&mut self, mapping: Mapping) {
        if self.files.add(&mapping) {
            self.guide.mapping(&mapping);
            self.output.table(Table::Mapping(mapping));
        }
    }

    /// A unit begins.
    fn begin(&mut self, number: u32, registers: Option<Registers>) {
        let Some(pc) = self.unit(number).map(|unit| unit.pc) else {
            self.is_broken = true;
            return;
        };
        if !self.windows.is_on() {
            self.registers = registers.unwrap_or(self.registers);
            self.are_fresh = registers.is_some();
            self.pass(number, pc);
            return;
        }
        let arrival = self.arrival(pc, registers);
        self.complete(arrival);
        self.registers = registers.unwrap_or(self.registers);
        self.are_fresh = registers.is_some();
        self.close_word(arrival);
        self.output.pause();
        if self.are_fresh && self.leaves_window(pc) {
            self.current = Some(number);
            return;
        }
        self.announce(pc, arrival);
        self.enter(pc, arrival);
        self.current = Some(number);
    }

    fn unit(&self, number: u32) -> Option<&Unit> {
        self.units.get(number as usize)?.as_ref()
    }

    /// How the unit that ran last ends.
    fn terminator(&self) -> Option<Terminator> {
        Some(self.unit(self.current?)?.terminator)
    }

    /// Control comes to `pc`: makes its function known.
    fn enter(&mut self, pc: u64, arrival: Arrival) {
        let from = self.terminator();
        let is_entry = match (arrival, from) {
            (Arrival::Handler, _) => true,
            (_, None) => self.entries.is_empty(),
            (Arrival::Resumed | Arrival::Again(_), _) => false,
            (_, Some(Terminator::Call { next, .. } | Terminator::IndirectCall { next })) => next != pc,
            (_, Some(Terminator::Jump(_) | Terminator::IndirectJump)) => {
                !self.entries.contains(&pc) && self.guide.is_function(pc)
            }
            _ => false,
        };
        if is_entry {
            self.enter_function(pc);
        } else if matches!(from, Some(Terminator::IndirectJump)) && self.leaders.insert(pc) {
            self.epoch += 1;
        }
    }

    /// Decodes a function when it is entered for the first time.
    fn enter_function(&mut self, pc: u64) {
        if !self.entries.insert(pc) {
            return;
        }
        let (machine, files) = (self.machine, &mut self.files);
        let code: FunctionCode = decode_function(pc, &mut Around { machine, files, guide: self.guide });
        self.leaders.extend(code.blocks.iter().map(|block| block.start));
        let found = saves::find(machine, &code, |start, end| {
            let len = usize::try_from(end.saturating_sub(start)).unwrap_or(0);
            machine.decode_all(&files.read(start, len), start)
        });
        self.marks.extend(found);
        self.epoch += 1;
        self.output.table(Table::Function(code));
    }

    fn returned(&mut self, returned: &Returned) {
        self.calls_open = self.calls_open.saturating_sub(u64::from(returned.replaces_program()));
        self.signals.sets(returned);
        if returned.forks() {
            self.count("child process");
        }
        if !self.windows.is_on() {
            return;
        }
        self.complete(Arrival::Expected);
        self.is_complete = true;
        if returned.number == RT_SIGRETURN {
            self.signals.resumes();
            return;
        }
        let ranges = returned.ranges();
        if !ranges.is_empty() {
            let (number, result) = (returned.number, returned.result);
            self.output.special(&Special::Effect { number, result, ranges: &ranges });
        }
    }

    /// The stream is at its end, as far as it was written. `killed`: the program did not end by itself.
    pub(crate) fn finish(&mut self, killed: bool) {
        if self.windows.is_on() {
            self.complete(if killed { Arrival::End } else { Arrival::Expected });
        }
        if self.calls_open > 0 {
            self.count("program executed in place of this one");
        }
    }
}

/// How control comes to a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Arrival {
    /// As the unit before ended.
    Expected,
    /// A handler of a signal starts.
    Handler,
    /// A handler has returned.
    Resumed,
    /// The unit before was left at this instruction, which runs again.
    Again(u64),
    /// The program has ended.
    End,
}

/// What decoding a function asks.
struct Around<'a, 'g> {
    machine: Machine,
    files: &'a mut Files,
    guide: &'g mut dyn Guide,
}

impl Surroundings for Around<'_, '_> {
    fn bytes(&mut self, pc: u64) -> Vec<u8> {
        self.files.bytes(pc)
    }

    fn instruction(&self, bytes: &[u8], pc: u64) -> (u64, Option<Terminator>) {
        self.machine.step(bytes, pc)
    }

    fn decoded(&mut self, bytes: &[u8], pc: u64) -> Instr {
        self.machine.decode(bytes, pc).instr
    }

    fn is_function(&mut self, pc: u64) -> bool {
        self.guide.is_function(pc)
    }

    fn jump_targets(&mut self, after: u64) -> Vec<u64> {
        self.guide.jump_targets(after)
    }

    fn landing_pad(&mut self, after: u64) -> Option<u64> {
        self.guide.landing_pad(after)
    }
}

/// Addresses, for the map of what functions a program has asked for.
type Known<T> = FxHashMap<u64, T>;

#[cfg(test)]
mod tests;
