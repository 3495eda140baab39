//! Functions of libraries that run unrecorded, because a contract says what they do ([`Config::contracts`](crate::Config)).
//!
//! Definition: where recording is on and control comes to a function that has a [`Contract`], the recording gets a block that stands for
//! all of the call: one instruction that reads and writes what the contract says, and the return. The function itself runs
//! translated and unrecorded; recording goes on where it returns to.
//!
//! A function whose contract has [`Deeds`] is known when it has returned: nothing is recorded at its entry but that its
//! arguments are kept in slots; where it returns to the program stops, and the recorder writes its block and the memory that it has touched
//! ([`deeds`]).
//!
//! Invariants: the block that stands for the function is translated code as any other, linked and looked up as such, and ends
//! in the unrecorded translation of the function. A slot holds the complement of the stack pointer at its entry as long as it runs. Of
//! returns that come from where recording is off, only those with this stack pointer are its own, which each of them looks at
//! first. No signal is delivered before the function has returned, and turns pass only in its system calls. A signal that interrupts a system call in
//! which it waits ends that: recording goes on there, and nothing is claimed about the loops around.
//! Limits: a fault in the function itself is that of code whose recording begins in its middle.

mod deeds;
mod early;
mod taken;

use std::sync::Arc;

use libc::user_regs_struct;
use rustc_hash::FxHashMap;
use trace::block::{
    Access, Address, Block, BlockId, CodeBlock, FunctionCode, Instr, OpKind, Operand, Operation, REG_GENERAL,
    REG_STACK, REG_VECTOR, RegRange, RegUse, Registers, Role, Terminator, Turn,
};
use trace::contract::{Deed, Deeds, INTEGER_ARGUMENTS, Mark, Place, REGISTER_ARGUMENTS, VECTOR_ARGUMENTS};
use trace::sink::Contract;
use trace::stream::{Outside, Special};

use self::early::Early;
use crate::asm::{Code, RSP};
use crate::cache::Cache;
use crate::error::Error;
use crate::interrupted::is_restart;
use crate::run::Engine;
use crate::shared::{
    SLOT_ARGUMENTS, SLOT_CALLED, SLOT_CONTRACT, SLOT_ON, SLOT_P, SLOT_POINTER, SLOT_RAX, SLOT_RCX, SLOT_S,
};
use crate::translate::{Edge, Pair, Translation, empty, free_pair};
use crate::{Config, Encoding, Scope};

const RAX: u8 = 0;
const RCX: u8 = 1;
/// A near return.
const RETURN: u8 = 0xc3;
/// Bytes of a return address.
const BACK: u64 = 8;
/// What a record of memory that a function has touched has in the place of a system call's number.
const BY_CONTRACT: u64 = u64::MAX;
/// Words of a record before those of addresses that are written to: the header, and the stack pointer.
const FIXED: u16 = 2;

/// Functions with contracts that say what they do to memory.
#[derive(Default)]
pub(crate) struct Described {
    /// The functions that were translated, by the numbers that their stand-ins keep.
    list: Vec<(u64, Arc<Deeds>, Contract)>,
    numbers: FxHashMap<u64, u32>,
    /// Blocks by the function, and how many integers and vectors it was handed.
    blocks: FxHashMap<(u64, u8, u8), BlockId>,
}

impl Described {
    /// The program is another one now.
    pub(crate) fn forget(&mut self) {
        *self = Described::default();
    }
}

/// Whether functions run by their contracts.
pub(crate) fn heeds(config: &Config) -> bool {
    config.contracts && config.encoding != Encoding::None && config.scope == Scope::All
}

impl Engine<'_> {
    pub(crate) fn heeds_contracts(&self) -> bool {
        self.cache.has_contracts
    }

    /// Whether a function runs by its contract.
    pub(crate) fn is_in_contract(&self) -> bool {
        self.cache.state.word(SLOT_CONTRACT as usize) != 0
    }

    /// Recording goes on wherever control is.
    pub(crate) fn forget_contract(&self) {
        self.cache.state.set_word(SLOT_CONTRACT as usize, 0);
    }

    /// The contract of the function at `pc`, if recording is on.
    pub(crate) fn contract(&mut self, pc: u64) -> Result<Option<Contract>, Error> {
        if !self.on || !self.heeds_contracts() {
            return Ok(None);
        }
        if let Some(known) = self.contracts.get(&pc) {
            return Ok(known.clone());
        }
        self.locate(pc)?;
        let tracee = &self.tracee;
        let mut found = self.guide.contract(pc, &mut |at| tracee.read_word(at));
        // What is asked for by its name is recorded.
        if !self.config.start_recording && found.is_some() && self.guide.starts_recording(pc) {
            found = None;
        }
        // What the library does with its streams is recorded where those are not the only ones that use their files.
        if self.files.are_shared && found.as_ref().is_some_and(uses_streams) {
            found = None;
        }
        if found.as_ref().is_some_and(|contract| contract.starts_library) {
            found = found.filter(|_| self.config.skip_startup);
        } else {
            self.contracted.extend(found.iter().map(|contract| contract.name.clone()));
        }
        self.contracts.insert(pc, found.clone());
        Ok(found)
    }

    /// Something returns to where the program is: recording goes on if that is the function that runs by its contract.
    pub(crate) fn end_contract(&mut self, regs: &user_regs_struct, edge: Option<Edge>) -> Result<(), Error> {
        let kept = self.cache.state.word(SLOT_CONTRACT as usize);
        if kept == 0 || edge != Some(Edge::Return) {
            return Ok(());
        }
        let entry = regs.rsp.wrapping_sub(BACK);
        let is_described = !kept.wrapping_add(1) == entry;
        if !kept == entry || is_described {
            self.forget_contract();
            self.switch(true);
        }
        if is_described { self.has_done(regs, entry) } else { Ok(()) }
    }

    /// A fault is delivered in the middle of a function that runs by its contract.
    pub(crate) fn leave_contract(&mut self, stack: u64) -> Result<(), Error> {
        if self.is_in_contract() {
            self.count("fault in a function of a library that is not recorded");
        }
        self.abandon_contract(stack)
    }

    /// Whether a function that runs by its contract has been interrupted in a system call that waits. It may have done anything so far.
    pub(crate) fn waits_in_contract(&self, regs: &user_regs_struct) -> bool {
        self.after_call(regs.rip).is_some() && is_restart(regs.rax)
    }

    /// Recording goes on in the middle of the function that runs by its contract, if one does.
    pub(crate) fn abandon_contract(&mut self, stack: u64) -> Result<(), Error> {
        if !self.is_in_contract() {
            return Ok(());
        }
        self.forget_contract();
        self.switch(true);
        let called = self.cache.state.word(SLOT_CALLED as usize) as usize;
        match self.described.list.get(called) {
            Some(&(target, ..)) => self.did_anything(target, 0, stack),
            None => Ok(()),
        }
    }

    /// What the function at `target` has done to memory is not known.
    fn did_anything(&mut self, target: u64, result: u64, stack: u64) -> Result<(), Error> {
        let arguments = [self.kept_argument(0), self.kept_argument(1)];
        let outside = Outside { target, arguments, result, stack, entered: false, is_runtime: false };
        self.special(&Special::Outside(outside))
    }

    fn kept_argument(&self, number: usize) -> u64 {
        self.cache.state.word(SLOT_ARGUMENTS as usize + number * 8)
    }

    /// Records what a function has done that has just returned, its stack pointer having been `entry`.
    fn has_done(&mut self, regs: &user_regs_struct, entry: u64) -> Result<(), Error> {
        let called = self.cache.state.word(SLOT_CALLED as usize) as usize;
        let Some((pc, deeds, contract)) = self.described.list.get(called).cloned() else { return Ok(()) };
        let arguments = std::array::from_fn(|number| self.kept_argument(number));
        let call = deeds::Call { arguments, stack: entry.wrapping_add(BACK), result: regs.rax };
        let Some(done) = deeds::of(&self.tracee, &deeds, &call) else {
            self.count("call of a library function whose arguments are not understood");
            return self.did_anything(pc, regs.rax, regs.rsp);
        };
        let key = (pc, done.integers, done.vectors);
        let id = match self.described.blocks.get(&key) {
            Some(&id) => id,
            None => {
                let id = self.publish(pc, &handed(contract, &done))?;
                self.described.blocks.insert(key, id);
                id
            }
        };
        self.write_record(&[u64::from(id), entry])?;
        if !done.ranges.is_empty() {
            let ranges = &done.ranges;
            self.special(&Special::Effect { number: BY_CONTRACT, result: regs.rax, ranges })?;
        }
        // Streams that are there from now on.
        let is_opened = |deed: &Deed| deed.mark == Mark::Input && deed.condition.is_some();
        if deeds.list.iter().any(is_opened)
            && let Some(descriptor) = taken::descriptor(&self.tracee, call.result)
            && u64::try_from(descriptor) != Ok(call.arguments[0])
            && self.files.opened(&self.tracee, descriptor)
        {
            self.shares_files();
        }
        Ok(())
    }

    /// From now on streams share their files with others.
    pub(crate) fn shares_files(&mut self) {
        if !std::mem::replace(&mut self.files.are_shared, true) && self.heeds_contracts() {
            self.flush();
        }
    }

    /// Publishes a block that stands for a function.
    fn publish(&mut self, pc: u64, contract: &Contract) -> Result<BlockId, Error> {
        let block = self.stand_in_block(pc, contract);
        let id = block.id;
        self.learner.add(&block);
        self.buffers.block(block)?;
        self.blocks += 1;
        Ok(id)
    }

    /// The graph of a function that has a contract.
    pub(crate) fn contracted_code(&mut self, pc: u64, contract: &Contract) -> FunctionCode {
        let mut registers = Registers::default();
        self.instructions_of(pc, contract).iter().for_each(|instr| registers.execute(instr));
        let block = CodeBlock { start: pc, end: pc + 2, terminator: Terminator::Return, registers };
        FunctionCode { entry: pc, blocks: vec![block], landings: Vec::new() }
    }

    fn instructions_of(&mut self, pc: u64, contract: &Contract) -> [Instr; 2] {
        let of_address = |reg| contract.writes.iter().any(|&(own, _)| own == reg);
        let role = |reg| if of_address(reg) { Role::Address } else { Role::Value };
        let uses = contract.uses.iter().map(|&range| RegUse { range, role: role(range.reg) });
        let is_system = contract.deeds.as_ref().is_some_and(|deeds| keeps_order(deeds));
        let kind = if is_system { OpKind::System } else { OpKind::Other };
        let operation = Operation { kind, float: contract.deeds.is_none(), linear: false, addend: None };
        let whole = Instr {
            pc,
            len: 1,
            operation,
            uses: uses.collect(),
            defs: contract.defs.clone(),
            conditional: false,
            turn: Turn::Stays,
        };
        [whole, self.translator.decoded(&[RETURN], pc + 1)]
    }

    /// Where the unrecorded translation of the function at `pc` begins, which is made if need be; recording is on.
    pub(crate) fn unrecorded(&mut self, pc: u64) -> Result<Option<u64>, Error> {
        self.switch(false);
        let translated = match self.cache.get(pc, false) {
            Some(_) => Ok(()),
            None => self.translate(pc, None, &mut std::collections::VecDeque::new()),
        };
        self.switch(true);
        translated?;
        Ok(self.cache.get(pc, false).map(|block| block.full))
    }

    /// The block that stands for the function at `pc`.
    fn stand_in_block(&mut self, pc: u64, contract: &Contract) -> Block {
        let operand = |instr, access, size, role, word| Operand {
            instr,
            access,
            size,
            role,
            address: Address::Word { word, delta: 0 },
            saves: None,
        };
        let written = contract.writes.iter().zip(FIXED..);
        let mut operands: Vec<Operand> =
            written.map(|(&(_, size), word)| operand(0, Access::Write, size, Role::Value, word)).collect();
        let early = contract.deeds.as_ref().and_then(|deeds| Early::of(deeds));
        operands.extend(early.iter().flat_map(Early::operands));
        let words = early.map_or(FIXED + contract.writes.len() as u16, |early| early.words());
        operands.push(operand(1, Access::Read, BACK as u16, Role::Control, 1));
        Block {
            id: self.blocks,
            pc,
            end: pc + 2,
            words,
            instrs: self.instructions_of(pc, contract).into(),
            operands,
            terminator: Terminator::Return,
            // Never 0: what stands for more than itself is no part of a loop's way.
            unrecorded: contract.instructions.saturating_sub(2).max(1),
            ..empty()
        }
    }

    /// Translates the function at `pc`, which runs unrecorded at `to`, to what keeps its arguments.
    fn translate_described(
        &mut self,
        pc: u64,
        to: u64,
        contract: &Contract,
        deeds: &Arc<Deeds>,
    ) -> Result<(), Error> {
        let described = &mut self.described;
        let number = *described.numbers.entry(pc).or_insert_with(|| {
            described.list.push((pc, Arc::clone(deeds), contract.clone()));
            (described.list.len() - 1) as u32
        });
        let pair = free_pair(|reg| !INTEGER_ARGUMENTS.contains(&reg));
        let (p, s) = pair;
        let mut code = Code::new(self.cache.next());
        code.save(SLOT_P, p);
        code.save(SLOT_S, s);
        code.restore(p, SLOT_POINTER);
        let fast = code.here();
        code.save(SLOT_POINTER, p);
        for (slot, register) in (SLOT_ARGUMENTS..).step_by(8).zip(INTEGER_ARGUMENTS) {
            code.save(slot, register);
        }
        code.set_slot(SLOT_CALLED, number);
        code.set_slot(SLOT_CALLED + 4, 0);
        code.copy(s, RSP);
        code.not(s);
        // One less than of a function that returns without a stop.
        code.lea(s, s, -1);
        code.save(SLOT_CONTRACT, s);
        code.set_slot(SLOT_ON, 0);
        code.restore(p, SLOT_P);
        code.restore(s, SLOT_S);
        code.jump_to(None, to);
        let plain = Translation::plain(pair, empty(), FIXED, pc + 2);
        self.place(pc, &mut Translation { code, fast, block: None, ..plain })
    }

    /// Translates the function at `pc` to what stands for it.
    pub(crate) fn translate_contract(&mut self, pc: u64, contract: &Contract) -> Result<(), Error> {
        self.enter_function(pc)?;
        let Some(to) = self.unrecorded(pc)? else { return Ok(()) };
        let early = match &contract.deeds {
            None => None,
            Some(deeds) => match Early::of(deeds) {
                None => return self.translate_described(pc, to, contract, deeds),
                early => early,
            },
        };
        let block = self.stand_in_block(pc, contract);
        let words = block.words;
        let addresses = || contract.writes.iter().map(|&(reg, _)| reg);
        let is_argument = |reg| early.is_some() && INTEGER_ARGUMENTS.contains(&reg);
        let pair = free_pair(|reg| !is_argument(reg) && addresses().all(|own| own != reg));
        let registers = std::iter::once(REG_STACK).chain(addresses());
        let (mut code, fast) = stand_in(self.cache.next(), pair, self.blocks, registers, |code| {
            if let Some(early) = &early {
                // The pointer has passed what is recorded of all functions.
                code.lea(pair.0, pair.0, -8 * i32::from(FIXED));
                early.store(code, pair.0, pair.1);
                code.lea(pair.0, pair.0, 8 * i32::from(early.words()));
                code.save(SLOT_POINTER, pair.0);
            }
            code.copy(pair.1, RSP);
            code.not(pair.1);
            code.save(SLOT_CONTRACT, pair.1);
        });
        code.jump_to(None, to);
        let plain = Translation::plain(pair, block, words, pc + 2);
        self.place(pc, &mut Translation { code, fast, ..plain })
    }
}

/// The code of a block that writes a record with these registers and ends where recording is off, and where it is entered with P and S in use.
/// `keep`: what else is kept of it, with S free.
pub(crate) fn stand_in(
    base: u64,
    (p, s): Pair,
    block: u32,
    registers: impl Iterator<Item = u8>,
    keep: impl FnOnce(&mut Code),
) -> (Code, u64) {
    let mut code = Code::new(base);
    code.save(SLOT_P, p);
    code.save(SLOT_S, s);
    code.restore(p, SLOT_POINTER);
    let fast = code.here();
    code.store_constant(p, 0, block as i32);
    let mut at = 8;
    for register in registers {
        code.store(p, at, register);
        at += 8;
    }
    code.lea(p, p, at);
    code.save(SLOT_POINTER, p);
    keep(&mut code);
    code.set_slot(SLOT_ON, 0);
    code.restore(p, SLOT_P);
    code.restore(s, SLOT_S);
    (code, fast)
}

/// The contract of a function as it was called: with arguments that a format describes.
fn handed(contract: Contract, done: &deeds::Done) -> Contract {
    let mut contract = contract;
    let Some(own) = contract.deeds.as_ref().filter(|deeds| deeds.format.is_some()) else { return contract };
    let integers = usize::from(own.integers)..usize::from(done.integers).min(REGISTER_ARGUMENTS);
    let vectors = own.vectors..done.vectors.min(VECTOR_ARGUMENTS);
    let whole = |reg| RegRange { reg, lo: 0, hi: BACK as u8 };
    contract.uses.extend(integers.map(|number| whole(REG_GENERAL + INTEGER_ARGUMENTS[number])));
    contract.uses.extend(vectors.map(|number| whole(REG_VECTOR + number)));
    contract
}

/// Whether a function works on streams.
fn uses_streams(contract: &Contract) -> bool {
    let is_stream = |deed: &Deed| matches!(deed.mark, Mark::Input | Mark::Output);
    contract.deeds.as_ref().is_some_and(|deeds| deeds.list.iter().any(is_stream))
}

/// Whether calls of a function have an order that is no matter of memory: of streams and hidden states.
fn keeps_order(deeds: &Deeds) -> bool {
    deeds.list.iter().any(|deed| {
        matches!(deed.mark, Mark::Input | Mark::Output)
            || matches!(deed.place, Place::State(_)) && deed.access == Access::Write
    })
}

/// What the slot holds is in `rcx`: leaves 0 there if the stack pointer is what it was at the entry of the function that runs by its
/// contract, but for what the return has popped.
fn compare(code: &mut Code) {
    // The complement of one and the other.
    code.lea_full(RCX, Some(RSP), Some((RCX, 1)), 1 - BACK as i32, false);
}

/// Goes on at `miss` if a return, from where recording is off, is that of the function that runs by its contract.
pub(crate) fn unless_ended(code: &mut Code, miss: u64) {
    code.restore(RCX, SLOT_CONTRACT);
    let mut compared = Code::new(code.here());
    compare(&mut compared);
    // A function whose deeds are known only now has one less there.
    let mut next = Code::new(code.here());
    next.lea(RCX, RCX, 1);
    let (next, jump) = (next.bytes.len() as u8, 5);
    // jrcxz over all of this, and over the jump that is for the end alone
    code.raw(&[0xe3, compared.bytes.len() as u8 + 2 + next + 2 + 2 + jump]);
    compare(code);
    code.raw(&[0xe3, next + 2 + 2]);
    code.lea(RCX, RCX, 1);
    code.raw(&[0xe3, 2]);
    // A short jump over the other one.
    code.raw(&[0xeb, jump]);
    code.jump_to(None, miss);
}

impl Cache {
    /// Lets the returns of functions that run by their contracts to `target` pass without a stop, if its code is translated for recording.
    pub(crate) fn pass_back(&mut self, target: u64) {
        let Some(to) = self.get(target, true).map(|block| block.full) else { return };
        if !self.returned.insert(target) {
            return;
        }
        self.stub_for(Edge::Return, false, target, None, |code, miss| {
            code.restore(RCX, SLOT_CONTRACT);
            compare(code);
            // jrcxz over the jump
            code.raw(&[0xe3, 5]);
            code.jump_to(None, miss);
            code.set_slot(SLOT_CONTRACT, 0);
            code.set_slot(SLOT_CONTRACT + 4, 0);
            code.set_slot(SLOT_ON, 1);
            code.restore(RCX, SLOT_RCX);
            code.restore(RAX, SLOT_RAX);
            code.jump_to(None, to);
        });
    }
}
