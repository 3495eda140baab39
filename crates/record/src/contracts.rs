//! Functions of libraries that run unrecorded, because a contract says what they do ([`Config::contracts`](crate::Config)).
//!
//! Definition: where recording is on and control comes to a function that has a [`Contract`], the recording gets a block that stands for
//! all of the call: one instruction that reads and writes what the contract says, and the return. The function itself runs
//! translated and unrecorded; recording goes on where it returns to.
//!
//! Invariants: the block that stands for the function is translated code as any other, linked and looked up as such, and ends
//! in the unrecorded translation of the function. A slot holds the complement of the stack pointer at its entry as long as it runs. Of
//! returns that come from where recording is off, only those with this stack pointer are its own, which each of them looks at
//! first. No signal is delivered, and no turn passes, before the function has returned.
//! Limits: a fault in the function itself is that of code whose recording begins in its middle.

use libc::user_regs_struct;
use trace::block::{
    Access, Address, Block, CodeBlock, FunctionCode, Instr, OpKind, Operand, Operation, REG_STACK, RegUse,
    Registers, Role, Terminator, Turn,
};
use trace::sink::Contract;

use crate::asm::{Code, RSP};
use crate::cache::Cache;
use crate::error::Error;
use crate::run::Engine;
use crate::shared::{SLOT_CONTRACT, SLOT_ON, SLOT_P, SLOT_POINTER, SLOT_RAX, SLOT_RCX, SLOT_S};
use crate::translate::{Edge, Pair, Translation, empty, free_pair};
use crate::{Config, Encoding, Scope};

const RAX: u8 = 0;
const RCX: u8 = 1;
/// A near return.
const RETURN: u8 = 0xc3;
/// Bytes of a return address.
const BACK: u64 = 8;
/// Words of a record before those of addresses that are written to: the header, and the stack pointer.
const FIXED: u16 = 2;

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
        if found.as_ref().is_some_and(|contract| contract.starts_library) {
            found = found.filter(|_| self.config.skip_startup);
        } else {
            self.contracted.extend(found.iter().map(|contract| contract.name.clone()));
        }
        self.contracts.insert(pc, found.clone());
        Ok(found)
    }

    /// Something returns to `pc`: recording goes on if that is the function that runs by its contract.
    pub(crate) fn end_contract(&mut self, regs: &user_regs_struct, edge: Option<Edge>) {
        let kept = self.cache.state.word(SLOT_CONTRACT as usize);
        if kept != 0 && edge == Some(Edge::Return) && !kept == regs.rsp.wrapping_sub(BACK) {
            self.forget_contract();
            self.switch(true);
        }
    }

    /// A fault is delivered in the middle of a function that runs by its contract.
    pub(crate) fn leave_contract(&mut self) {
        if self.is_in_contract() {
            self.count("fault in a function of a library that is not recorded");
            self.forget_contract();
            self.switch(true);
        }
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
        let operation = Operation { kind: OpKind::Other, float: true, linear: false, addend: None };
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

    /// Translates the function at `pc` to what stands for it.
    pub(crate) fn translate_contract(&mut self, pc: u64, contract: &Contract) -> Result<(), Error> {
        self.enter_function(pc)?;
        let Some(to) = self.unrecorded(pc)? else { return Ok(()) };
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
        operands.push(operand(1, Access::Read, BACK as u16, Role::Control, 1));
        let words = FIXED + contract.writes.len() as u16;
        let block = Block {
            id: self.blocks,
            pc,
            end: pc + 2,
            words,
            instrs: self.instructions_of(pc, contract).into(),
            operands,
            terminator: Terminator::Return,
            unrecorded: contract.instructions.saturating_sub(2),
            ..empty()
        };
        let addresses = || contract.writes.iter().map(|&(reg, _)| reg);
        let pair = free_pair(|reg| addresses().all(|own| own != reg));
        let registers = std::iter::once(REG_STACK).chain(addresses());
        let (mut code, fast) = stand_in(self.cache.next(), pair, self.blocks, registers, |code| {
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
    let jump = 5;
    // jrcxz over all of this, and over the jump that is for the end alone
    code.raw(&[0xe3, compared.bytes.len() as u8 + 2 + 2 + jump]);
    compare(code);
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
