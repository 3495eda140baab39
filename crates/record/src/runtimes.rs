//! Runtimes of OpenMP, which run unrecorded ([`Config::skip_runtimes`](crate::Config)).
//!
//! Definition: where recording is on and control comes to a function of a runtime, the recording gets a block that says so, with what
//! the function is handed in registers; then the function runs translated and unrecorded. What it runs of the program is recorded,
//! in whatever thread: control comes back by the border that [`crate::scope`] defines, of which this is the way out where a
//! function begins.
//!
//! Invariants: the block that stands for the entry is translated code as any other, linked and looked up as such, and
//! ends in the unrecorded translation of the function. It is in the recording before anything that the function does, in any thread: what a
//! call means for the threads of a team is known before they go on.
//!
//! Turns: one thread runs at a time, and a runtime takes no time that is worth mentioning. So that what it hands out (iterations, sections, tasks)
//! goes to several threads, as it would if they ran side by side, the turn passes where control goes to a function of a runtime, or from
//! there into the program, the first [`TURNS`] times at each place; and as often again behind each function of the program that a runtime begins for
//! the first time ([`RENEWALS`] of them): regions and tasks that come late are shared out as the first ones are.
//! Functions that are handed something in memory ([`crate::handed`]) stop the program every time.

use trace::block::{Block, CodeBlock, FunctionCode, Instr, OpKind, Operation, Registers, Terminator, Turn};
use trace::contract::INTEGER_ARGUMENTS;
use trace::sink::{Mapping, Owner};

use crate::contracts::stand_in;
use crate::error::Error;
use crate::run::Engine;
use crate::shared::{SLOT_BOUND, SLOT_FIRST, SLOT_SECOND, SLOT_TARGET};
use crate::translate::{Translation, Trap, empty, free_pair};
use crate::{Config, Encoding, Scope};

/// Words of a record: the header, and the arguments.
const WORDS: u16 = 1 + INTEGER_ARGUMENTS.len() as u16;

/// How often the turn passes at one place.
const TURNS: u32 = 128;

/// How often all places begin anew.
const RENEWALS: u32 = 256;

/// Whether runtimes run unrecorded.
pub(crate) fn heeds(config: &Config) -> bool {
    config.skip_runtimes
        && config.start_recording
        && config.encoding != Encoding::None
        && config.scope == Scope::All
}

impl Engine<'_> {
    /// A mapping appeared.
    pub(crate) fn meets(&mut self, mapping: &Mapping) {
        if heeds(self.config)
            && self.guide.owner(mapping.start) == Owner::Runtime
            && let Some(name) = mapping.path.as_deref().and_then(|path| path.file_name())
        {
            self.runtimes.insert(name.to_string_lossy().into_owned());
        }
    }

    /// Whether a function of a runtime begins at `pc`, and recording is on.
    pub(crate) fn leaves_at(&mut self, pc: u64) -> bool {
        self.on
            && !self.runtimes.is_empty()
            && self.guide.owner(pc) == Owner::Runtime
            && self.guide.is_function(pc)
    }

    /// Control is on its way to `pc`, a function of a runtime or one that a runtime calls: others may go first.
    pub(crate) fn take_turns(&mut self, pc: u64) -> Result<(), Error> {
        let taken = self.taken_turns.entry(pc).or_default();
        *taken = taken.saturating_add(1);
        let taken = *taken;
        if taken <= TURNS {
            self.threads.let_others();
        }
        let is_of_runtime = self.guide.owner(pc) == Owner::Runtime;
        if taken == TURNS && is_of_runtime {
            // From now on without a stop.
            self.leave_anew(pc)?;
        }
        if taken == 1 && !is_of_runtime && self.guide.is_function(pc) {
            self.renew_turns()?;
        }
        Ok(())
    }

    /// A region or a task begins that has not before: in it, turns pass as in the first one.
    fn renew_turns(&mut self) -> Result<(), Error> {
        if self.renewals >= RENEWALS {
            return Ok(());
        }
        self.renewals += 1;
        let all = self.taken_turns.iter();
        let over = all.filter(|&(&pc, &taken)| taken >= TURNS && self.guide.owner(pc) == Owner::Runtime);
        let mut over: Vec<u64> = over.map(|(&pc, _)| pc).collect();
        over.sort_unstable();
        for pc in over {
            self.taken_turns.remove(&pc);
            self.leave_anew(pc)?;
        }
        Ok(())
    }

    /// Translates the entry of a function of a runtime again, with a stop or without one as its turns have it.
    fn leave_anew(&mut self, pc: u64) -> Result<(), Error> {
        let is_on = self.on;
        self.switch(true);
        let translated = self.translate_leaving(pc);
        self.switch(is_on);
        translated
    }

    /// Whether control may come to `pc` from a runtime without a stop.
    pub(crate) fn has_taken_turns(&self, pc: u64) -> bool {
        !heeds(self.config) || self.taken_turns.get(&pc).is_some_and(|&taken| taken >= TURNS)
    }

    /// The graph of a function that stands for itself.
    pub(crate) fn left_code(&self, pc: u64) -> FunctionCode {
        let block = CodeBlock {
            start: pc,
            end: pc + 1,
            terminator: Terminator::Leaves,
            registers: Registers::default(),
        };
        FunctionCode { entry: pc, blocks: vec![block], landings: Vec::new() }
    }

    /// Translates the function at `pc` to what stands for its entry.
    pub(crate) fn translate_leaving(&mut self, pc: u64) -> Result<(), Error> {
        self.enter_function(pc)?;
        let Some(to) = self.unrecorded(pc)? else { return Ok(()) };
        let operation = Operation { kind: OpKind::Other, float: false, linear: false, addend: None };
        let instr = Instr {
            pc,
            len: 1,
            operation,
            uses: Vec::new(),
            defs: Vec::new(),
            conditional: false,
            turn: Turn::Stays,
        };
        let block = Block {
            id: self.blocks,
            pc,
            end: pc + 1,
            words: WORDS,
            instrs: vec![instr],
            terminator: Terminator::Leaves,
            ..empty()
        };
        let pair = free_pair(|reg| !INTEGER_ARGUMENTS.contains(&reg));
        let stops =
            self.handing(pc).is_some() || self.taken_turns.get(&pc).is_none_or(|&taken| taken < TURNS);
        let registers = INTEGER_ARGUMENTS.into_iter();
        let (mut code, fast) = stand_in(self.cache.next(), pair, self.blocks, registers, |code| {
            code.constant(pair.1, pc);
            code.save(SLOT_TARGET, pair.1);
            code.save(SLOT_FIRST, INTEGER_ARGUMENTS[0]);
            code.save(SLOT_SECOND, INTEGER_ARGUMENTS[1]);
            code.constant(pair.1, 0);
            code.save(SLOT_BOUND, pair.1);
        });
        let trap = stops.then(|| (code.here(), Trap::Leaves { pc }));
        match stops {
            true => code.trap(),
            false => code.jump_to(None, to),
        }
        let plain = Translation::plain(pair, block, WORDS, pc + 1);
        self.place(pc, &mut Translation { code, fast, trap, ..plain })
    }
}
