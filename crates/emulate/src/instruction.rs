//! A decoded instruction, and how decoders put one together.
//!
//! Definition: general register `n` of the machine has a number by [`general`]; vector and floating-point registers are those from
//! [`REG_VECTOR`] on. An instruction that loads or stores and moves its base register as well is two: the access, then an
//! addition that has no length, so that the register is seen to be an induction variable.
//!
//! Invariant: an instruction that a decoder does not know reads and writes all registers that its fields can name, as plain
//! values of [`OpKind::Other`].

use trace::block::{
    Addend, Instr, OpKind, Operation, REG_COUNT, REG_FLAGS, REG_MORE, REG_OTHER, REG_STACK, REG_VECTOR,
    RegRange, RegUse, Role, Terminator, Turn,
};

/// What an instruction does to memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Memory {
    /// It loads.
    pub read: bool,
    /// It stores.
    pub write: bool,
    /// Bytes of one operand, where it has several side by side; 0 if that is not known.
    pub element: u16,
    /// Number of these operands.
    pub count: u8,
    /// What the loaded value is used for.
    pub role: Role,
    /// Its address, if that is a register plus a constant.
    pub base: Option<(u8, i64)>,
    /// Registers that are loaded or stored, in order of their places.
    pub data: [Option<u8>; 2],
    /// It makes no access under some condition.
    pub optional: bool,
}

/// A decoded instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decoded {
    /// What it does; a second part moves the base register.
    pub instr: Instr,
    /// That part.
    pub moves_base: Option<Instr>,
    /// Its memory operand.
    pub memory: Option<Memory>,
    /// How it ends a block, if it does.
    pub end: Option<Terminator>,
}

/// Number of general register `n` of a machine with 32 of them, the stack pointer of which is register `stack`.
pub fn general(n: u32, stack: u32) -> u8 {
    let of = |at: u32| if at < 16 { at as u8 } else { REG_MORE + (at as u8 & 15) };
    match n {
        n if n == stack => REG_STACK,
        // It changes places with the stack pointer.
        4 => of(stack),
        n => of(n & 31),
    }
}

/// The flags together.
pub const FLAGS: RegRange = RegRange { reg: REG_FLAGS, lo: 0, hi: 6 };
/// Everything that has no number of its own.
pub const OTHER: RegRange = RegRange { reg: REG_OTHER, lo: 0, hi: 8 };

/// The first bytes of a vector register.
pub fn vector(n: u32, bytes: u8) -> RegRange {
    RegRange { reg: REG_VECTOR + (n & 31) as u8, lo: 0, hi: bytes }
}

/// An instruction under construction.
#[derive(Debug, Clone)]
pub struct Build(Decoded);

impl Build {
    /// An instruction without operands.
    pub fn new(pc: u64, len: u8, kind: OpKind) -> Build {
        let operation = Operation { kind, float: false, linear: false, addend: None };
        let (uses, defs) = (Vec::new(), Vec::new());
        let instr = Instr { pc, len, operation, uses, defs, conditional: false, turn: Turn::Stays };
        Build(Decoded { instr, moves_base: None, memory: None, end: None })
    }

    /// Another kind of computation.
    pub fn kind(mut self, kind: OpKind) -> Build {
        self.0.instr.operation.kind = kind;
        self
    }

    /// Reads a register; nothing if it is one that is always 0.
    pub fn reads(mut self, range: impl Into<Option<RegRange>>, role: Role) -> Build {
        let Some(range) = range.into() else { return self };
        debug_assert!(range.reg < REG_COUNT);
        let is_sum = !self.0.instr.operation.kind.is_idempotent();
        let uses = &mut self.0.instr.uses;
        let of_values = |role| matches!(role, Role::Value | Role::Accumulator);
        match uses
            .iter_mut()
            .find(|u| u.range == range && (u.role == role || of_values(u.role) && of_values(role)))
        {
            // `x += x` doubles what was accumulated before.
            Some(known) if is_sum && (known.role, role) != (Role::Value, Role::Value) => {
                known.role = Role::Value
            }
            Some(known) if of_values(role) => {
                known.role = if known.role == role { role } else { Role::Accumulator }
            }
            Some(_) => {}
            None => uses.push(RegUse { range, role }),
        }
        self
    }

    /// Reads a register as a plain value.
    pub fn value(self, range: impl Into<Option<RegRange>>) -> Build {
        self.reads(range, Role::Value)
    }

    /// Writes a register; nothing if it is one that is always 0.
    pub fn writes(mut self, range: impl Into<Option<RegRange>>) -> Build {
        if let Some(range) = range.into()
            && !self.0.instr.defs.contains(&range)
        {
            self.0.instr.defs.push(range);
        }
        self
    }

    /// The result is linear in the inputs.
    pub fn linear(mut self) -> Build {
        self.0.instr.operation.linear = true;
        self
    }

    /// On floating point.
    pub fn float(mut self) -> Build {
        self.0.instr.operation.float = true;
        self
    }

    /// What is added to its one operand.
    pub fn adds(mut self, addend: Addend) -> Build {
        self.0.instr.operation.addend = Some(addend);
        self
    }

    /// Accesses memory.
    pub fn memory(mut self, memory: Memory) -> Build {
        self.0.memory = Some(memory);
        self
    }

    /// Ends the block.
    pub fn ends(mut self, end: Terminator) -> Build {
        self.0.end = Some(end);
        self
    }

    /// Also adds a constant, or if there is one, a register to the base register.
    pub fn moves(mut self, base: RegRange, by: i64, register: Option<RegRange>) -> Build {
        let pc = self.0.instr.pc;
        let mut moved = Build::new(pc, 0, OpKind::Add).reads(base, Role::Accumulator).writes(base).linear();
        moved = match register {
            Some(from) => moved.value(from).adds(Addend::Register { to: base, from, negated: false }),
            None => moved.adds(Addend::Constant(by)),
        };
        self.0.moves_base = Some(moved.0.instr);
        self
    }

    /// The instruction.
    pub fn done(self) -> Decoded {
        self.0
    }
}

impl Memory {
    /// A load of elements of so many bytes.
    pub fn load(element: u16) -> Memory {
        Memory {
            read: true,
            write: false,
            element,
            count: 1,
            role: Role::Value,
            base: None,
            data: [None; 2],
            optional: false,
        }
    }

    /// A store of such elements.
    pub fn store(element: u16) -> Memory {
        Memory { read: false, write: true, ..Memory::load(element) }
    }

    /// A load and store at once.
    pub fn update(element: u16) -> Memory {
        Memory { write: true, ..Memory::load(element) }
    }

    /// At a register plus a constant.
    pub fn at(self, base: u8, offset: i64) -> Memory {
        Memory { base: Some((base, offset)), ..self }
    }

    /// Of these registers.
    pub fn of(self, data: [Option<u8>; 2]) -> Memory {
        Memory { data, ..self }
    }

    /// So many operands side by side.
    pub fn times(self, count: u32) -> Memory {
        Memory { count: count as u8, ..self }
    }

    /// Only under a condition.
    pub fn maybe(self) -> Memory {
        Memory { optional: true, ..self }
    }
}
