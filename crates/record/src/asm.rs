//! A minimal assembler for the code put between the program's own instructions.
//!
//! Invariant: nothing emitted here touches the flags (except [`Code::extreme`] and [`Code::unless_equal`]) or any vector
//! register, and nothing pushes except [`Code::push`].

/// Code being assembled for a known final address.
#[derive(Debug, Clone)]
pub(crate) struct Code {
    /// Address of the first byte.
    pub(crate) base: u64,
    /// The bytes so far.
    pub(crate) bytes: Vec<u8>,
}

/// Stack pointer's number.
pub(crate) const RSP: u8 = 4;
/// Number of the register that a jump without flags tests.
pub(crate) const RCX: u8 = 1;
/// Number of `rax`.
pub(crate) const RAX: u8 = 0;
/// What stands for a comparison among the operations with a constant.
const COMPARE: u8 = 7;

impl Code {
    /// Starts at `base`.
    pub(crate) fn new(base: u64) -> Self {
        Code { base, bytes: Vec::with_capacity(256) }
    }

    /// Address of the next byte.
    pub(crate) fn here(&self) -> u64 {
        self.base + self.bytes.len() as u64
    }

    /// Appends bytes.
    pub(crate) fn raw(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    fn modrm(&mut self, wide: bool, opcode: u8, reg: u8, base: u8, disp: i32) {
        let rex = 0x40 | u8::from(wide) << 3 | (reg >> 3) << 2 | base >> 3;
        if rex != 0x40 {
            self.bytes.push(rex);
        }
        self.bytes.push(opcode);
        let (mode, len) = match disp {
            0 if base & 7 != 5 => (0, 0),
            -128..=127 => (1, 1),
            _ => (2, 4),
        };
        self.bytes.push(mode << 6 | (reg & 7) << 3 | base & 7);
        if base & 7 == 4 {
            self.bytes.push(0x24);
        }
        self.raw(&disp.to_le_bytes()[..len]);
    }

    fn state(&mut self, opcode: u8, reg: u8, slot: i32) {
        self.raw(&[0x65, 0x48 | (reg >> 3) << 2, opcode, (reg & 7) << 3 | 4, 0x25]);
        self.raw(&slot.to_le_bytes());
    }

    /// Stores `reg` to a slot of the state page.
    pub(crate) fn save(&mut self, slot: i32, reg: u8) {
        self.state(0x89, reg, slot);
    }

    /// Loads `reg` from a slot of the state page.
    pub(crate) fn restore(&mut self, reg: u8, slot: i32) {
        self.state(0x8b, reg, slot);
    }

    /// `reg = base + disp`
    pub(crate) fn lea(&mut self, reg: u8, base: u8, disp: i32) {
        self.modrm(true, 0x8d, reg, base, disp);
    }

    /// `reg = base + index * scale + disp`; `short` computes with 32-bit addresses.
    pub(crate) fn lea_full(
        &mut self,
        reg: u8,
        base: Option<u8>,
        index: Option<(u8, u8)>,
        disp: i32,
        short: bool,
    ) {
        if short {
            self.bytes.push(0x67);
        }
        let (index, scale) = index.unwrap_or((4, 1));
        let low = base.unwrap_or(5);
        self.bytes.push(0x48 | (reg >> 3) << 2 | (index >> 3) << 1 | low >> 3);
        self.bytes.push(0x8d);
        let mode = if base.is_some() { 2 } else { 0 };
        self.bytes.push(mode << 6 | (reg & 7) << 3 | 4);
        self.bytes.push((scale.trailing_zeros() as u8) << 6 | (index & 7) << 3 | low & 7);
        self.raw(&disp.to_le_bytes());
    }

    /// Stores `reg` at `base + disp`.
    pub(crate) fn store(&mut self, base: u8, disp: i32, reg: u8) {
        self.modrm(true, 0x89, reg, base, disp);
    }

    /// Stores the low half of `reg` at `base + disp`.
    pub(crate) fn store_half(&mut self, base: u8, disp: i32, reg: u8) {
        self.modrm(false, 0x89, reg, base, disp);
    }

    /// Loads `reg` from `base + disp`.
    pub(crate) fn load(&mut self, reg: u8, base: u8, disp: i32) {
        self.modrm(true, 0x8b, reg, base, disp);
    }

    /// Stores a sign-extended constant as a word at `base + disp`.
    pub(crate) fn store_constant(&mut self, base: u8, disp: i32, value: i32) {
        self.modrm(true, 0xc7, 0, base, disp);
        self.raw(&value.to_le_bytes());
    }

    /// `reg = value`
    pub(crate) fn constant(&mut self, reg: u8, value: u64) {
        if let Ok(short) = u32::try_from(value) {
            if reg >= 8 {
                self.bytes.push(0x41);
            }
            self.bytes.push(0xb8 + (reg & 7));
            self.raw(&short.to_le_bytes());
        } else {
            self.raw(&[0x48 | reg >> 3, 0xb8 + (reg & 7)]);
            self.raw(&value.to_le_bytes());
        }
    }

    /// `to = from`
    pub(crate) fn copy(&mut self, to: u8, from: u8) {
        self.raw(&[0x48 | (from >> 3) << 2 | to >> 3, 0x89, 0xc0 | (from & 7) << 3 | to & 7]);
    }

    /// `reg = !reg`
    pub(crate) fn not(&mut self, reg: u8) {
        self.raw(&[0x48 | reg >> 3, 0xf7, 0xd0 | reg & 7]);
    }

    /// Pushes `reg`.
    pub(crate) fn push(&mut self, reg: u8) {
        if reg >= 8 {
            self.bytes.push(0x41);
        }
        self.bytes.push(0x50 + (reg & 7));
    }

    /// Pushes a constant: nothing happens if that faults.
    pub(crate) fn push_constant(&mut self, value: u64) {
        let low = value as i32;
        self.bytes.push(0x68);
        self.raw(&low.to_le_bytes());
        if i64::from(low) as u64 != value {
            // mov dword [rsp + 4], high half
            self.raw(&[0xc7, 0x44, 0x24, 4]);
            self.raw(&((value >> 32) as u32).to_le_bytes());
        }
    }

    /// Compares the word at `base` with a constant. Gives the jumps ahead that are taken if they differ. Clobbers `rcx`.
    pub(crate) fn unless_at(&mut self, base: u8, value: u64) -> Vec<usize> {
        let halves = [(0, value as u32), (4, (value >> 32) as u32)];
        let compare = |(at, half): (i32, u32)| {
            self.modrm(false, 0x8b, RCX, base, at);
            // lea ecx, [rcx - half]
            self.raw(&[0x8d, 0x89]);
            self.raw(&half.wrapping_neg().to_le_bytes());
            self.unless_zero(|_| ())
        };
        halves.map(compare).to_vec()
    }

    /// Compares memory at `base` with `bytes`, four at a time if there are as many. Gives the jumps ahead that are taken if they
    /// differ. Clobbers the flags.
    pub(crate) fn unless_equal(&mut self, base: u8, bytes: &[u8]) -> Vec<usize> {
        const NOT_EQUAL: u8 = 5;
        let mut differ = Vec::with_capacity(bytes.len().div_ceil(4).max(3));
        for k in 0..bytes.len().div_ceil(4) {
            // The last ones overlap those before.
            let from = (k * 4).min(bytes.len().saturating_sub(4));
            match bytes.get(from..from + 4) {
                Some(four) => {
                    self.modrm(false, 0x81, COMPARE, base, from as i32);
                    self.raw(four);
                    differ.push(self.jump_ahead(NOT_EQUAL));
                }
                None => {
                    for (at, &byte) in bytes.iter().enumerate() {
                        self.modrm(false, 0x80, COMPARE, base, at as i32);
                        self.raw(&[byte]);
                        differ.push(self.jump_ahead(NOT_EQUAL));
                    }
                }
            }
        }
        differ
    }

    /// Unless `rcx` is 0, some short code and a jump ahead, which is given.
    pub(crate) fn unless_zero(&mut self, then: impl FnOnce(&mut Code)) -> usize {
        // jrcxz
        self.raw(&[0xe3, 0]);
        let start = self.bytes.len();
        then(self);
        self.raw(&[0xe9, 0, 0, 0, 0]);
        self.bytes[start - 1] = (self.bytes.len() - start) as u8;
        self.bytes.len()
    }

    /// A trap to the recorder.
    pub(crate) fn trap(&mut self) {
        self.bytes.push(0xcc);
    }

    /// A system call, with a trap before it unless the table at `quiet` of the state region names its number. Keeps `rcx`,
    /// which the call overwrites, in a slot. Gives the address of the trap, which the call follows.
    pub(crate) fn system_call(&mut self, quiet: i32, rcx: i32) -> u64 {
        self.save(rcx, RCX);
        // movzx ecx, ax; movzx ecx, byte ptr gs:[rcx + quiet]
        self.raw(&[0x0f, 0xb7, 0xc8, 0x65, 0x0f, 0xb6, 0x89]);
        self.raw(&quiet.to_le_bytes());
        // jrcxz to the trap; jmp over it
        self.raw(&[0xe3, 2, 0xeb, 1]);
        let trap = self.here();
        self.trap();
        self.raw(&[0x0f, 0x05]);
        trap
    }

    /// Single-byte no-operations up to a multiple of `to`.
    pub(crate) fn align(&mut self, to: u64) {
        while !self.here().is_multiple_of(to) {
            self.bytes.push(0x90);
        }
    }

    /// A jump (or, with `condition`, a conditional jump) whose 32-bit displacement does not cross a cache line, so
    /// that it can be rewritten while it runs. Returns the address of the displacement, which is left 0.
    pub(crate) fn jump(&mut self, condition: Option<u8>) -> u64 {
        let opcode = if condition.is_some() { 2 } else { 1 };
        while (self.here() + opcode) & 63 > 60 {
            self.bytes.push(0x90);
        }
        match condition {
            Some(c) => self.raw(&[0x0f, 0x80 + c]),
            None => self.raw(&[0xe9]),
        }
        let at = self.here();
        self.raw(&[0; 4]);
        at
    }

    /// A jump to a known address, never rewritten.
    pub(crate) fn jump_to(&mut self, condition: Option<u8>, target: u64) {
        match condition {
            Some(c) => self.raw(&[0x0f, 0x80 + c]),
            None => self.raw(&[0xe9]),
        }
        let rel = displacement(self.here(), target);
        self.raw(&rel.to_le_bytes());
    }

    /// Stores a constant to a slot of the state page.
    pub(crate) fn set_slot(&mut self, slot: i32, value: u32) {
        self.raw(&[0x65, 0xc7, 0x04, 0x25]);
        self.raw(&slot.to_le_bytes());
        self.raw(&value.to_le_bytes());
    }

    /// Adds one to a counter of the state region, with `scratch`.
    pub(crate) fn count(&mut self, slot: i32, scratch: u8) {
        self.restore(scratch, slot);
        self.lea(scratch, scratch, 1);
        self.save(slot, scratch);
    }

    /// Keeps `rax` and the flags in two slots. Clobbers `rax`.
    pub(crate) fn save_flags(&mut self, rax: i32, flags: i32) {
        self.save(rax, 0);
        self.take_flags(true);
        self.save(flags, 0);
    }

    /// Undoes [`Code::save_flags`].
    pub(crate) fn restore_flags(&mut self, rax: i32, flags: i32) {
        self.restore(0, flags);
        self.put_flags(true);
        self.restore(0, rax);
    }

    /// Puts the flags into AH, and with `overflow` that flag into AL.
    pub(crate) fn take_flags(&mut self, overflow: bool) {
        // lahf; seto al
        self.raw(if overflow { &[0x9f, 0x0f, 0x90, 0xc0] } else { &[0x9f] });
    }

    /// Undoes [`Code::take_flags`].
    pub(crate) fn put_flags(&mut self, overflow: bool) {
        // add al, 0x7f; sahf
        self.raw(if overflow { &[0x04, 0x7f, 0x9e] } else { &[0x9e] });
    }

    /// Keeps in a slot the smaller (`below`) or the larger of it and `value`, with `scratch`. Clobbers the flags.
    pub(crate) fn extreme(&mut self, slot: i32, value: u8, scratch: u8, below: bool) {
        self.restore(scratch, slot);
        let (v, s) = (value, scratch);
        // cmp value, scratch
        self.raw(&[0x48 | (s >> 3) << 2 | v >> 3, 0x39, 0xc0 | (s & 7) << 3 | v & 7]);
        // cmovb or cmova scratch, value
        let opcode = if below { 0x42 } else { 0x47 };
        self.raw(&[0x48 | (s >> 3) << 2 | v >> 3, 0x0f, opcode, 0xc0 | (s & 7) << 3 | v & 7]);
        self.save(slot, scratch);
    }

    /// Adds the register `value` to a counter, with `scratch`.
    pub(crate) fn add_to(&mut self, slot: i32, value: u8, scratch: u8) {
        self.restore(scratch, slot);
        self.lea_full(scratch, Some(scratch), Some((value, 1)), 0, false);
        self.save(slot, scratch);
    }

    /// A conditional jump to a place that follows; see [`Code::land`].
    pub(crate) fn jump_ahead(&mut self, condition: u8) -> usize {
        self.raw(&[0x0f, 0x80 + condition, 0, 0, 0, 0]);
        self.bytes.len()
    }

    /// Makes this the target of a jump ahead.
    pub(crate) fn land(&mut self, from: usize) {
        let distance = (self.bytes.len() - from) as u32;
        self.bytes[from - 4..from].copy_from_slice(&distance.to_le_bytes());
    }

    /// `ecx = ax` zero-extended, then a jump through entry `rcx` of the table at `table` of the state page.
    /// With `spread`, which is added first.
    pub(crate) fn jump_table(&mut self, table: i32, spread: u32) {
        if spread == 0 {
            self.raw(&[0x0f, 0xb7, 0xc8]);
        } else {
            // lea ecx, [rax + spread]; movzx ecx, cx
            self.raw(&[0x8d, 0x88]);
            self.raw(&spread.to_le_bytes());
            self.raw(&[0x0f, 0xb7, 0xc9]);
        }
        self.raw(&[0x65, 0xff, 0x24, 0xcd]);
        self.raw(&table.to_le_bytes());
    }
}

/// The 32-bit displacement stored at `at` that leads to `target`.
pub(crate) fn displacement(at: u64, target: u64) -> i32 {
    target.wrapping_sub(at + 4) as i32
}
