//! Instructions in architecture-neutral terms. With [`crate::classes`] the only place that knows the meaning of
//! machine instructions; the translator knows their bytes.
//!
//! Invariants: memory operands are listed reads first; a register read only for an address has the role `Address`.

use iced_x86::{
    ConditionCode, Decoder, DecoderOptions, EncodingKind, Instruction, InstructionInfoFactory, MemorySize,
    Mnemonic, OpAccess, OpKind as Kind, Register, RflagsBits,
};
use rustc_hash::FxHashMap;
use trace::block::{
    Access, Instr, OpKind, Operation, REG_FLAGS, REG_MASK, REG_OTHER, REG_VECTOR, REG_X87, RegRange, RegUse,
    Role, Turn,
};

use crate::classes::{self, Class, Inputs};
use crate::x87;

/// Which lanes of a vector access are active.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mask {
    /// Bit per lane of a mask register.
    Bits(Register),
    /// Sign bit per lane of a vector register.
    Signs(Register),
}

/// The form of a memory operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// One access.
    Plain,
    /// A repeated string operand whose address is in this register.
    Repeated(u8),
    /// Lanes of `size` bytes, consecutive under a mask, or each with its own index.
    Lanes {
        /// Number of lanes.
        lanes: u8,
        /// Register of indices and bits of each, for gathers and scatters.
        index: Option<(Register, u8)>,
        /// Which lanes are active.
        mask: Mask,
    },
}

/// A memory operand before its address is given a recipe.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Memory {
    pub(crate) access: Access,
    pub(crate) size: u16,
    pub(crate) role: Role,
    pub(crate) base: Option<u8>,
    pub(crate) index: Option<u8>,
    pub(crate) scale: u8,
    pub(crate) disp: i64,
    /// Relative to the thread's base.
    pub(crate) segment: bool,
    /// Address arithmetic in 32 bits.
    pub(crate) short: bool,
    pub(crate) form: Form,
}

/// A decoded instruction.
#[derive(Debug, Clone)]
pub(crate) struct Decoded {
    pub(crate) raw: Instruction,
    /// Its bytes.
    pub(crate) encoded: [u8; LONGEST],
    pub(crate) instr: Instr,
    pub(crate) memory: Vec<Memory>,
    /// General-purpose registers it mentions in any way, one bit each.
    pub(crate) touched: u16,
    /// General-purpose registers it may write.
    pub(crate) written: u16,
    /// Mentions AH, BH, CH or DH, which exclude the upper eight registers from its encoding.
    pub(crate) high_byte: bool,
}

/// Most bytes of an instruction.
const LONGEST: usize = 15;

impl Decoded {
    /// The bytes of the instruction.
    pub(crate) fn bytes(&self) -> &[u8] {
        self.encoded.get(..self.raw.len()).unwrap_or_default()
    }
}

/// Decodes instructions, remembering the operation table's answers.
pub(crate) struct Decode {
    factory: InstructionInfoFactory,
    classes: FxHashMap<iced_x86::Code, Class>,
}

/// Decodes the bytes only.
pub(crate) fn raw(bytes: &[u8], pc: u64) -> Instruction {
    Decoder::with_ip(64, bytes, pc, DecoderOptions::NONE).decode()
}

/// Number of a general-purpose register of any width.
pub(crate) fn number(r: Register) -> u8 {
    r.full_register().number() as u8
}

fn general(r: Register) -> Option<u8> {
    r.is_gpr().then(|| number(r))
}

fn is_high(r: Register) -> bool {
    matches!(r, Register::AH | Register::BH | Register::CH | Register::DH)
}

/// The bytes a register names; `None` for registers that carry no data here (segments, the instruction pointer).
pub(crate) fn range(r: Register) -> Option<RegRange> {
    let n = r.number() as u8;
    Some(if r.is_gpr() {
        let reg = number(r);
        if is_high(r) { RegRange { reg, lo: 1, hi: 2 } } else { RegRange { reg, lo: 0, hi: r.size() as u8 } }
    } else if r.is_vector_register() {
        RegRange { reg: REG_VECTOR + n, lo: 0, hi: r.size() as u8 }
    } else if r.is_k() {
        RegRange { reg: REG_MASK + n, lo: 0, hi: 8 }
    } else if r.is_st() {
        RegRange { reg: REG_X87 + (n & 7), lo: 0, hi: 10 }
    } else if r.is_mm() {
        RegRange { reg: REG_X87 + (n & 7), lo: 0, hi: 8 }
    } else if r.is_segment_register() || r.is_ip() || r == Register::None {
        return None;
    } else {
        RegRange { reg: REG_OTHER, lo: 0, hi: 8 }
    })
}

fn reads(a: OpAccess) -> bool {
    matches!(a, OpAccess::Read | OpAccess::CondRead | OpAccess::ReadWrite | OpAccess::ReadCondWrite)
}

fn writes(a: OpAccess) -> bool {
    matches!(a, OpAccess::Write | OpAccess::CondWrite | OpAccess::ReadWrite | OpAccess::ReadCondWrite)
}

fn conditional(a: OpAccess) -> bool {
    matches!(a, OpAccess::CondWrite | OpAccess::ReadCondWrite)
}

const FLAGS: [u32; 7] = [
    RflagsBits::CF,
    RflagsBits::PF,
    RflagsBits::AF,
    RflagsBits::ZF,
    RflagsBits::SF,
    RflagsBits::OF,
    RflagsBits::DF,
];

fn flag_ranges(bits: u32) -> impl Iterator<Item = RegRange> {
    let present = move |k: usize| k < FLAGS.len() && bits & FLAGS[k] != 0;
    (0..FLAGS.len()).filter(move |&k| present(k) && (k == 0 || !present(k - 1))).map(move |lo| {
        let hi = (lo..=FLAGS.len()).find(|&k| !present(k)).unwrap_or(FLAGS.len());
        RegRange { reg: REG_FLAGS, lo: lo as u8, hi: hi as u8 }
    })
}

fn is_transfer(m: Mnemonic) -> bool {
    matches!(
        m,
        Mnemonic::Push | Mnemonic::Pop | Mnemonic::Call | Mnemonic::Ret | Mnemonic::Pushfq | Mnemonic::Popfq
    )
}

impl Decode {
    /// An empty table.
    pub(crate) fn new() -> Self {
        Decode { factory: InstructionInfoFactory::new(), classes: FxHashMap::default() }
    }

    /// Decodes the instruction at the start of `bytes`, which lie at `pc`.
    pub(crate) fn decode(&mut self, bytes: &[u8], pc: u64) -> Decoded {
        let i = raw(bytes, pc);
        let class = *self.classes.entry(i.code()).or_insert_with(|| classes::class(&i));
        let info = self.factory.info(&i);
        let mut uses = Uses::default();
        let mut defs: Vec<RegRange> = Vec::new();
        let mut guarded = false;
        let (mut touched, mut written, mut high_byte) = (0u16, 0u16, false);
        for u in info.used_registers() {
            if let Some(n) = general(u.register()) {
                touched |= 1 << n;
                high_byte |= is_high(u.register());
                if writes(u.access()) {
                    written |= 1 << n;
                }
            }
        }
        for m in info.used_memory() {
            for r in [m.base(), m.index()] {
                touched |= general(r).map_or(0, |n| 1 << n);
            }
        }
        let idiom = classes::is_zero_idiom(&i);
        let nothing = idiom || class.kind == OpKind::Nop;
        let shape = Shape::new(&i, class);
        let mut explicit = 0u128;
        let first_source = u32::from(i.op_count() > 2 && i.encoding() != EncodingKind::Legacy);
        // `x += x` doubles what was accumulated before.
        let is_twice = |operand: u32| {
            let is_source = |k: &u32| i.op_kind(*k) == Kind::Register && reads(info.op_access(*k));
            let others = (0..i.op_count()).filter(|&k| k != operand).filter(is_source);
            is_source(&operand)
                && !class.kind.is_idempotent()
                && others.into_iter().any(|k| i.op_register(k) == i.op_register(operand))
        };
        let role = |operand: u32| match class.inputs {
            _ if is_twice(operand) && class.kind != OpKind::Control => Role::Value,
            Inputs::Commutative => Role::Accumulator,
            Inputs::Minuend if operand == first_source => Role::Accumulator,
            Inputs::Addend(addend) if operand == addend => Role::Accumulator,
            _ if class.kind == OpKind::Control => Role::Control,
            _ => Role::Value,
        };
        for k in 0..i.op_count() {
            if i.op_kind(k) != Kind::Register {
                continue;
            }
            let (register, access) = (i.op_register(k), info.op_access(k));
            let Some(full) = range(register) else { continue };
            // What `lea` writes it may read too, as a part of the sum.
            explicit |= u128::from(i.mnemonic() != Mnemonic::Lea) << full.reg;
            if nothing {
                continue;
            }
            let (value, kept) = shape.source(k, register, full);
            if reads(access) || (k == 0 && shape.legacy && kept.is_some()) {
                if let Some(value) = value.filter(|_| reads(access)) {
                    uses.add(value, role(k));
                }
                if let Some(kept) = kept {
                    uses.add(kept, Role::Kept);
                }
            }
        }
        let mut addresses = 0u128;
        let mut memory = Vec::new();
        let explicit_memory = (0..i.op_count()).find(|&k| i.op_kind(k) == Kind::Memory);
        let load_role = match explicit_memory {
            _ if class.kind == OpKind::Control => Role::Control,
            Some(_) if class.stack => x87::role_of_load(&i, class.kind),
            Some(k) => role(k),
            None => Role::Value,
        };
        if !classes::skips_memory(&i) && i.mnemonic() != Mnemonic::Lea {
            for m in info.used_memory() {
                for r in [m.base(), m.index()] {
                    if let Some(r) = range(r) {
                        addresses |= 1 << r.reg;
                        uses.add(r, Role::Address);
                    }
                }
                let (size, lanes) = extent(&i, m);
                if size == 0 || size > usize::from(u16::MAX) {
                    continue;
                }
                let repeated = i.is_string_instruction() && (i.has_rep_prefix() || i.has_repne_prefix());
                let form = match lanes {
                    Some(form) => form,
                    None if repeated => Form::Repeated(general(m.base()).unwrap_or(7)),
                    None => Form::Plain,
                };
                let rip = m.base() == Register::RIP || m.base() == Register::EIP;
                let operand = Memory {
                    access: Access::Read,
                    size: size as u16,
                    role: load_role,
                    base: if rip { None } else { general(m.base()) },
                    index: general(m.index()),
                    scale: m.scale() as u8,
                    disp: m.displacement() as i64,
                    segment: m.segment() == Register::FS,
                    short: m.address_size() == iced_x86::CodeSize::Code32,
                    form,
                };
                if reads(m.access()) {
                    memory.push(operand);
                }
                if writes(m.access()) {
                    memory.push(Memory { access: Access::Write, role: Role::Value, ..operand });
                }
            }
            memory.sort_by_key(|m| m.access == Access::Write);
        }
        if i.mnemonic() == Mnemonic::Pop && general(i.memory_base()) == Some(4) {
            // The destination is addressed with the stack pointer as it is after the pop.
            for m in memory.iter_mut().filter(|m| m.access == Access::Write) {
                m.disp += i64::from(m.size);
            }
        }
        for u in info.used_registers() {
            let Some(full) = range(u.register()) else { continue };
            let seen = (explicit | addresses) >> full.reg & 1 != 0;
            if reads(u.access()) && !seen && !nothing {
                let counts = i.is_string_instruction() || matches!(class.kind, OpKind::Control);
                uses.add(full, if counts { Role::Control } else { Role::Value });
            }
            if !writes(u.access()) || (full.reg == 4 && is_transfer(i.mnemonic())) {
                continue;
            }
            let def = shape.target(u.register(), full);
            guarded |= conditional(u.access()) && !idiom;
            if conditional(u.access()) && !idiom && !i.is_string_instruction() {
                uses.add(def, Role::Value);
            }
            if !defs.contains(&def) {
                defs.push(def);
            }
        }
        let masked =
            i.has_op_mask() && !i.zeroing_masking() && i.op_kind(0) == Kind::Register && !chooses_by_mask(&i);
        if masked || is_conditional_move(&i) {
            guarded = true;
            uses.0.extend(
                range(i.op_register(0))
                    .filter(|full| uses.0.iter().all(|u| u.range != *full))
                    .map(|range| RegUse { range, role: Role::Value }),
            );
        }
        let mut turn = Turn::Stays;
        if class.stack {
            let effect = x87::effect(&i, class.kind);
            uses.0.retain(|u| !(REG_X87..=REG_OTHER).contains(&u.range.reg));
            defs.retain(|d| !(REG_X87..=REG_OTHER).contains(&d.reg));
            effect.uses.into_iter().for_each(|(range, role)| uses.add(range, role));
            defs.extend(effect.defs);
            turn = effect.turn;
        }
        if i.mnemonic() == Mnemonic::Syscall {
            uses.add(RegRange { reg: 0, lo: 0, hi: 8 }, Role::Control);
            let rax = RegRange { reg: 0, lo: 0, hi: 8 };
            if !defs.contains(&rax) {
                defs.push(rax);
            }
            written |= 1;
        }
        if !nothing && class.kind != OpKind::System {
            let control = class.kind == OpKind::Control || i.is_string_instruction();
            for f in flag_ranges(i.rflags_read()) {
                uses.add(f, if control { Role::Control } else { Role::Value });
            }
        }
        let by_count =
            class.kind == OpKind::Shift && i.op_kind(i.op_count().saturating_sub(1)) == Kind::Register;
        for f in flag_ranges(i.rflags_modified()) {
            if by_count && i.encoding() == EncodingKind::Legacy {
                guarded = true;
                uses.add(f, Role::Value);
            }
            defs.push(f);
        }
        if memory
            .iter()
            .any(|m| m.access == Access::Read && matches!(m.form, Form::Lanes { index: Some(_), .. }))
            && let Some(destination) = range(i.op_register(0))
        {
            // Lanes a gather does not load keep what they held.
            for u in uses.0.iter_mut().filter(|u| u.range.reg == destination.reg) {
                u.role = Role::Kept;
            }
        }
        if i.mnemonic() == Mnemonic::Lea && i.memory_base() != i.memory_index() {
            // Parts with coefficient 1 may accumulate: `lea edx, [rax+1]` is how compilers write `x + 1`.
            let unit = |reg: u8| {
                general(i.memory_base()) == Some(reg)
                    || (general(i.memory_index()) == Some(reg) && i.memory_index_scale() == 1)
            };
            for u in uses.0.iter_mut().filter(|u| u.role == Role::Value && unit(u.range.reg)) {
                u.role = Role::Accumulator;
            }
        }
        let kind = match class.kind {
            _ if idiom || is_constant_lea(&i) => OpKind::Constant,
            _ if class.stack && x87::is_renaming(&i) => OpKind::Nop,
            kind => kind,
        };
        let instr = Instr {
            pc,
            len: i.len() as u8,
            operation: Operation {
                kind,
                float: class.float,
                linear: class.linear,
                addend: classes::addend(&i),
            },
            uses: uses.0,
            defs,
            conditional: guarded,
            turn,
        };
        let mut encoded = [0; LONGEST];
        encoded.iter_mut().zip(bytes).take(i.len()).for_each(|(to, from)| *to = *from);
        Decoded { raw: i, encoded, instr, memory, touched, written, high_byte }
    }
}

fn is_conditional_move(i: &Instruction) -> bool {
    i.op_count() == 2 && i.op_kind(0) == Kind::Register && i.condition_code() != ConditionCode::None
}

/// Whether a mask says which of two sources each lane is of, or which lanes of a mask are clear: none keeps what it held.
fn chooses_by_mask(i: &Instruction) -> bool {
    use Mnemonic as M;
    let blends = matches!(
        i.mnemonic(),
        M::Vblendmps | M::Vblendmpd | M::Vpblendmb | M::Vpblendmw | M::Vpblendmd | M::Vpblendmq
    );
    blends || i.op_register(0).is_k()
}

fn is_constant_lea(i: &Instruction) -> bool {
    i.mnemonic() == Mnemonic::Lea && i.is_ip_rel_memory_operand()
}

/// Bytes of a memory operand, or of one of its lanes if they are masked or indexed one by one.
fn extent(i: &Instruction, m: &iced_x86::UsedMemory) -> (usize, Option<Form>) {
    use Mnemonic as M;
    let size = m.memory_size();
    if m.vsib_size() != 0 {
        let element = size.element_size();
        let data = if i.op_kind(0) == Kind::Register { i.op_register(0) } else { i.op_register(1) };
        let mask = if i.has_op_mask() { Mask::Bits(i.op_mask()) } else { Mask::Signs(i.op_register(2)) };
        if !data.is_vector_register() || element == 0 {
            return (0, None);
        }
        let lanes = (data.size() / element).min(m.index().size() / m.vsib_size() as usize) as u8;
        let index = Some((m.index(), m.vsib_size() as u8 * 8));
        return (element, Some(Form::Lanes { lanes, index, mask }));
    }
    let signs = matches!(i.mnemonic(), M::Vmaskmovps | M::Vmaskmovpd | M::Vpmaskmovd | M::Vpmaskmovq);
    let squeezed = matches!(
        i.mnemonic(),
        M::Vexpandps
            | M::Vexpandpd
            | M::Vpexpandb
            | M::Vpexpandw
            | M::Vpexpandd
            | M::Vpexpandq
            | M::Vcompressps
            | M::Vcompresspd
            | M::Vpcompressb
            | M::Vpcompressw
            | M::Vpcompressd
            | M::Vpcompressq
    );
    if (signs || i.has_op_mask()) && !size.is_broadcast() && !squeezed {
        let element = size.element_size().max(1);
        let lanes = (size.size() / element) as u8;
        let mask = if signs { Mask::Signs(i.op_register(1)) } else { Mask::Bits(i.op_mask()) };
        return (element, Some(Form::Lanes { lanes, index: None, mask }));
    }
    // The extent of a repeated string instruction is unknown here; its elements are not.
    (if i.is_string_instruction() { i.memory_size().size() } else { bytes(size) }, None)
}

fn bytes(size: MemorySize) -> usize {
    if size.is_broadcast() { size.element_size() } else { size.size() }
}

/// A duplicate-free list of uses.
#[derive(Default)]
struct Uses(Vec<RegUse>);

impl Uses {
    fn add(&mut self, range: RegRange, role: Role) {
        let covered = self.0.iter().any(|u| {
            u.range.reg == range.reg
                && u.range.lo <= range.lo
                && range.hi <= u.range.hi
                && (u.role == role || (role == Role::Value && u.role == Role::Accumulator))
        });
        if !covered {
            self.0.push(RegUse { range, role });
        }
    }
}

/// Which bytes of its vector registers an instruction computes with, keeps and writes.
struct Shape {
    legacy: bool,
    scalar: u8,
    merges: bool,
    loads: bool,
    operands: u32,
    source: Option<u8>,
    half: Option<Half>,
    destination: Register,
}

/// Instructions that move or replace one half of a register.
#[derive(Clone, Copy)]
struct Half {
    from: u8,
    to: u8,
}

impl Shape {
    fn new(i: &Instruction, class: Class) -> Self {
        use Mnemonic as M;
        let half = match i.mnemonic() {
            M::Movlps | M::Movlpd | M::Vmovlps | M::Vmovlpd => Some(Half { from: 0, to: 0 }),
            M::Movhps | M::Movhpd | M::Vmovhps | M::Vmovhpd => Some(Half { from: 8, to: 8 }),
            M::Movhlps | M::Vmovhlps => Some(Half { from: 8, to: 0 }),
            M::Movlhps | M::Vmovlhps => Some(Half { from: 0, to: 8 }),
            _ => None,
        };
        let compares = class.kind == OpKind::Compare && i.op_count() == 2;
        let converts = class.kind == OpKind::Convert;
        let narrow = match i.mnemonic() {
            M::Movd | M::Vmovd => Some(4),
            M::Movq | M::Vmovq | M::Movddup => Some(8),
            m if converts => classes::conversion_source(m),
            _ => None,
        };
        Shape {
            legacy: i.encoding() == EncodingKind::Legacy,
            scalar: class.scalar,
            merges: class.merges,
            loads: class.kind == OpKind::Copy && i.op_kind(1) == Kind::Memory,
            operands: i.op_count(),
            source: narrow,
            half,
            destination: if i.op_kind(0) == Kind::Register && !compares {
                i.op_register(0)
            } else {
                Register::None
            },
        }
    }

    /// The bytes operand `k` contributes to the computation and the bytes that only pass through.
    fn source(&self, k: u32, register: Register, full: RegRange) -> (Option<RegRange>, Option<RegRange>) {
        if !register.is_vector_register() {
            return (Some(full), None);
        }
        let part = |lo: u8, hi: u8| Some(RegRange { lo, hi, ..full });
        let first = k == 0 || (k == 1 && self.operands >= 3 && !self.legacy);
        if let Some(half) = self.half {
            let kept = if half.to == 0 { part(8, 16) } else { part(0, 8) };
            let is_store = self.destination == Register::None;
            return if first && !is_store && (self.legacy || k == 1) {
                (None, kept)
            } else {
                (part(half.from, half.from + 8), None)
            };
        }
        if self.scalar == 0 {
            return match self.source {
                Some(n) => (part(0, n), None),
                None => (Some(full), None),
            };
        }
        let s = self.scalar;
        let upper = if self.destination == register || self.operands >= 3 { part(s, 16) } else { None };
        match (first, self.merges) {
            (true, true) if self.destination == Register::None => (part(0, s), None),
            (true, true) if self.loads => (None, None),
            (true, true) => (None, part(s, 16)),
            (true, false) => (part(0, s), upper),
            (false, _) => (part(0, self.source.unwrap_or(s)), None),
        }
    }

    /// The bytes written when `register` is written.
    fn target(&self, register: Register, full: RegRange) -> RegRange {
        if register.is_gpr32() {
            return RegRange { hi: 8, ..full };
        }
        if !register.is_vector_register() {
            return full;
        }
        if !self.legacy {
            return RegRange { lo: 0, hi: 64, ..full };
        }
        if register != self.destination {
            return full;
        }
        match (self.half, self.scalar) {
            (Some(half), _) => RegRange { lo: half.to, hi: half.to + 8, ..full },
            (None, s) if s != 0 && !self.loads => RegRange { lo: 0, hi: s, ..full },
            _ => full,
        }
    }
}

#[cfg(test)]
mod tests;
