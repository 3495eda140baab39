//! What each instruction computes: the operation table.
//!
//! Integer instructions are listed; vector instructions are classified by the regular structure of their names
//! (`v` prefix, stem, element suffix), which covers SSE to AVX-512 alike. Anything unknown is [`OpKind::Other`] with
//! plain inputs, which is always safe.

use iced_x86::{Instruction, Mnemonic, OpKind as Kind, Register};
use trace::block::{Addend, OpKind, REG_VECTOR, RegRange};

use crate::decode;

/// Which inputs may be the accumulator of a reduction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Inputs {
    /// None.
    Plain,
    /// All.
    Commutative,
    /// Only the first source.
    Minuend,
    /// Only the operand with this index.
    Addend(u32),
}

/// Entry of the operation table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Class {
    /// Kind of computation.
    pub(crate) kind: OpKind,
    /// Floating point.
    pub(crate) float: bool,
    /// Accumulator rule.
    pub(crate) inputs: Inputs,
    /// Bytes of the low vector lane it works on, 0 if it works on whole registers.
    pub(crate) scalar: u8,
    /// A scalar instruction whose first register only supplies the upper lanes.
    pub(crate) merges: bool,
    /// The result is linear in the inputs.
    pub(crate) linear: bool,
    /// Works on the x87 register stack.
    pub(crate) stack: bool,
}

const fn plain(kind: OpKind) -> Class {
    Class { kind, float: false, inputs: Inputs::Plain, scalar: 0, merges: false, linear: false, stack: false }
}

const fn commutative(kind: OpKind) -> Class {
    Class { inputs: Inputs::Commutative, ..plain(kind) }
}

const fn linear(class: Class) -> Class {
    Class { linear: true, ..class }
}

/// Looks an instruction up.
pub(crate) fn class(i: &Instruction) -> Class {
    if i.is_string_instruction() {
        return match i.mnemonic() {
            Mnemonic::Cmpsb | Mnemonic::Cmpsw | Mnemonic::Cmpsd | Mnemonic::Cmpsq => plain(OpKind::Compare),
            Mnemonic::Scasb | Mnemonic::Scasw | Mnemonic::Scasd | Mnemonic::Scasq => plain(OpKind::Compare),
            _ => linear(plain(OpKind::Copy)),
        };
    }
    integer(i).unwrap_or_else(|| vector(&format!("{:?}", i.mnemonic()).to_ascii_lowercase()))
}

fn integer(i: &Instruction) -> Option<Class> {
    use Mnemonic as M;
    let immediate = matches!(
        i.op_kind(i.op_count().saturating_sub(1)),
        Kind::Immediate8
            | Kind::Immediate16
            | Kind::Immediate32
            | Kind::Immediate64
            | Kind::Immediate8to16
            | Kind::Immediate8to32
            | Kind::Immediate8to64
            | Kind::Immediate32to64
    );
    Some(match i.mnemonic() {
        M::Mov if immediate => linear(plain(OpKind::Constant)),
        M::Mov
        | M::Movzx
        | M::Movsx
        | M::Movsxd
        | M::Push
        | M::Pop
        | M::Leave
        | M::Cdqe
        | M::Cwde
        | M::Cbw => linear(plain(OpKind::Copy)),
        // Two values change places: no copy of one.
        M::Xchg => plain(OpKind::Other),
        M::Movbe | M::Pushfq | M::Popfq | M::Lahf | M::Sahf | M::Cmc => plain(OpKind::Copy),
        M::Stc | M::Clc | M::Std | M::Cld => plain(OpKind::Constant),
        M::Lea => linear(plain(OpKind::Add)),
        M::Add | M::Inc | M::Xadd => linear(commutative(OpKind::Add)),
        M::Sub | M::Dec => Class { inputs: Inputs::Minuend, ..linear(plain(OpKind::Add)) },
        M::Neg => linear(plain(OpKind::Add)),
        M::Adc | M::Sbb | M::Adcx | M::Adox => plain(OpKind::Add),
        M::Not => linear(plain(OpKind::Xor)),
        M::And => commutative(OpKind::And),
        M::Or => commutative(OpKind::Or),
        M::Xor => commutative(OpKind::Xor),
        M::Andn => plain(OpKind::And),
        M::Imul if i.op_count() == 3 => linear(plain(OpKind::Multiply)),
        M::Imul if i.op_count() == 2 => commutative(OpKind::Multiply),
        M::Imul | M::Mul | M::Mulx => plain(OpKind::Multiply),
        M::Div | M::Idiv => plain(OpKind::Divide),
        M::Shl | M::Sal if immediate => linear(plain(OpKind::Shift)),
        M::Shl
        | M::Sal
        | M::Shr
        | M::Sar
        | M::Rol
        | M::Ror
        | M::Rcl
        | M::Rcr
        | M::Shld
        | M::Shrd
        | M::Shlx
        | M::Shrx
        | M::Sarx
        | M::Rorx
        | M::Cwd
        | M::Cdq
        | M::Cqo => plain(OpKind::Shift),
        M::Bswap => plain(OpKind::Shuffle),
        M::Cmp | M::Test | M::Bt => plain(OpKind::Compare),
        M::Call | M::Ret | M::Jmp | M::Jrcxz | M::Jecxz | M::Loop | M::Loope | M::Loopne => {
            plain(OpKind::Control)
        }
        _ if i.is_jcc_short_or_near() => plain(OpKind::Control),
        M::Syscall | M::Sysenter | M::Int => plain(OpKind::System),
        _ if skips_memory(i) => plain(OpKind::Nop),
        M::Endbr64 | M::Endbr32 | M::Pause | M::Lfence | M::Mfence | M::Sfence | M::Vzeroupper => {
            plain(OpKind::Nop)
        }
        m if is_named(m, "Cmov") => plain(OpKind::Select),
        _ => return None,
    })
}

fn is_named(m: Mnemonic, prefix: &str) -> bool {
    format!("{m:?}").starts_with(prefix)
}

/// Whether the memory operand is only named, never accessed.
pub(crate) fn skips_memory(i: &Instruction) -> bool {
    matches!(
        i.mnemonic(),
        Mnemonic::Nop
            | Mnemonic::Prefetcht0
            | Mnemonic::Prefetcht1
            | Mnemonic::Prefetcht2
            | Mnemonic::Prefetchnta
            | Mnemonic::Prefetchw
            | Mnemonic::Prefetchwt1
            | Mnemonic::Prefetch
            | Mnemonic::Clflush
            | Mnemonic::Clflushopt
            | Mnemonic::Clwb
            | Mnemonic::Cldemote
            | Mnemonic::Reservednop
            | Mnemonic::Invlpg
    )
}

/// Whether an instruction with equal sources gives a result that depends on nothing.
pub(crate) fn is_zero_idiom(i: &Instruction) -> bool {
    use Mnemonic as M;
    let idiom = matches!(
        i.mnemonic(),
        M::Xor
            | M::Sub
            | M::Pxor
            | M::Xorps
            | M::Xorpd
            | M::Vpxor
            | M::Vpxord
            | M::Vpxorq
            | M::Vxorps
            | M::Vxorpd
            | M::Psubb
            | M::Psubw
            | M::Psubd
            | M::Psubq
            | M::Vpsubb
            | M::Vpsubw
            | M::Vpsubd
            | M::Vpsubq
            | M::Pcmpeqb
            | M::Pcmpeqw
            | M::Pcmpeqd
            | M::Pcmpeqq
            | M::Vpcmpeqb
            | M::Vpcmpeqw
            | M::Vpcmpeqd
            | M::Vpcmpeqq
            | M::Pcmpgtb
            | M::Pcmpgtw
            | M::Pcmpgtd
            | M::Vpcmpgtb
            | M::Vpcmpgtw
            | M::Vpcmpgtd
            | M::Kxnorb
            | M::Kxnorw
            | M::Kxnord
            | M::Kxnorq
            | M::Kxorb
            | M::Kxorw
            | M::Kxord
            | M::Kxorq
    );
    let n = i.op_count();
    idiom
        && !i.has_op_mask()
        && n >= 2
        && i.op_kind(n - 1) == Kind::Register
        && i.op_kind(n - 2) == Kind::Register
        && i.op_register(n - 1) == i.op_register(n - 2)
}

fn vector(name: &str) -> Class {
    let stem = name.strip_prefix('v').unwrap_or(name);
    let (root, suffix) = stem.split_at(stem.len().saturating_sub(2));
    let (float, scalar) = match suffix {
        "ps" | "pd" | "ph" => (true, 0),
        "ss" => (true, 4),
        "sd" => (true, 8),
        "sh" => (true, 2),
        _ => (false, 0),
    };
    let begins = |prefixes: &[&str]| prefixes.iter().any(|p| stem.starts_with(p));
    let any = |class: Class| Class { float, scalar, ..class };
    if begins(&["fmaddsub", "fmsubadd"]) {
        return any(plain(OpKind::Other));
    }
    if let Some(form) = fused(stem) {
        return any(Class { inputs: form, ..plain(OpKind::Add) });
    }
    if float {
        match root {
            "add" => return any(commutative(OpKind::Add)),
            "sub" => return any(Class { inputs: Inputs::Minuend, ..plain(OpKind::Add) }),
            "mul" => return any(commutative(OpKind::Multiply)),
            "min" => return any(commutative(OpKind::Minimum)),
            "max" => return any(commutative(OpKind::Maximum)),
            "and" => return any(commutative(OpKind::And)),
            "or" => return any(commutative(OpKind::Or)),
            "xor" => return any(commutative(OpKind::Xor)),
            "andn" => return any(plain(OpKind::And)),
            "div" => return any(plain(OpKind::Divide)),
            "sqrt" | "rsqrt" | "rcp" | "rsqrt14" | "rcp14" => {
                return any(Class { merges: true, ..plain(OpKind::Divide) });
            }
            "hadd" | "hsub" | "addsub" => return any(plain(OpKind::Add)),
            "cmp" | "comi" | "ucomi" => return any(plain(OpKind::Compare)),
            "round" | "rndscale" => return any(Class { merges: true, ..plain(OpKind::Convert) }),
            "mov" if scalar != 0 => return any(Class { merges: true, ..plain(OpKind::Copy) }),
            _ => {}
        }
    }
    if begins(&["cvt"]) {
        return conversion(stem);
    }
    let class = if begins(&["padd"]) {
        commutative(OpKind::Add)
    } else if begins(&["psub"]) {
        Class { inputs: Inputs::Minuend, ..plain(OpKind::Add) }
    } else if begins(&["phadd", "phsub"]) {
        plain(OpKind::Add)
    } else if begins(&["pmull"]) {
        commutative(OpKind::Multiply)
    } else if begins(&["pmul", "pmadd", "dp"]) {
        plain(OpKind::Multiply)
    } else if begins(&["pmin"]) {
        commutative(OpKind::Minimum)
    } else if begins(&["pmax"]) {
        commutative(OpKind::Maximum)
    } else if begins(&["pandn", "kandn"]) {
        plain(OpKind::And)
    } else if begins(&["pand", "kand"]) {
        commutative(OpKind::And)
    } else if begins(&["pslldq", "psrldq"]) {
        plain(OpKind::Shuffle)
    } else if begins(&["psll", "psrl", "psra", "prol", "pror", "pshld", "pshrd", "kshift"]) {
        plain(OpKind::Shift)
    } else if begins(&["pcmp", "ptest", "test", "kortest", "ktest"]) {
        plain(OpKind::Compare)
    } else if begins(&["por", "kor"]) {
        commutative(OpKind::Or)
    } else if begins(&["pxor", "kxor"]) && !begins(&["kxnor"]) {
        commutative(OpKind::Xor)
    } else if begins(&["pmovmsk", "movmsk"]) {
        plain(OpKind::Other)
    } else if begins(&["pmovz", "pmovs", "pmovq", "pmovd", "pmovw", "pmovus", "pack"]) {
        plain(OpKind::Convert)
    } else if begins(&["blend", "pblend"]) {
        plain(OpKind::Select)
    } else if begins(&[
        "unpck",
        "punpck",
        "shuf",
        "pshuf",
        "perm",
        "extract",
        "pextr",
        "insert",
        "pinsr",
        "broadcast",
        "pbroadcast",
        "movddup",
        "movsldup",
        "movshdup",
        "palign",
        "align",
        "movhlps",
        "movlhps",
        "compress",
        "expand",
        "pcompress",
        "pexpand",
        "kunpck",
    ]) {
        plain(OpKind::Shuffle)
    } else if begins(&["movq", "movd", "kmov"]) && !begins(&["movdq", "movddup", "movdir"]) {
        linear(plain(OpKind::Copy))
    } else if begins(&["mov", "gather", "pgather", "scatter", "pscatter", "maskmov", "pmaskmov", "lddqu"]) {
        plain(OpKind::Copy)
    } else if begins(&["set"]) {
        plain(OpKind::Convert)
    } else {
        x87(stem)
    };
    Class { float: float || class.float, ..class }
}

fn x87(stem: &str) -> Class {
    let class = match stem {
        "fld" | "fst" | "fstp" | "fldcw" | "fnstcw" | "fstcw" | "fldenv" | "fnstenv" | "fstenv" => {
            plain(OpKind::Copy)
        }
        "fild" | "fist" | "fistp" | "fisttp" => plain(OpKind::Convert),
        "fld1" | "fldz" | "fldpi" | "fldl2e" | "fldl2t" | "fldlg2" | "fldln2" => plain(OpKind::Constant),
        "fadd" | "faddp" | "fiadd" | "fsub" | "fsubp" | "fisub" | "fsubr" | "fsubrp" | "fisubr" => {
            plain(OpKind::Add)
        }
        "fmul" | "fmulp" | "fimul" => plain(OpKind::Multiply),
        "fdiv" | "fdivp" | "fdivr" | "fdivrp" | "fidiv" | "fidivr" => plain(OpKind::Divide),
        s if s.starts_with("fcom")
            || s.starts_with("fucom")
            || matches!(s, "ficom" | "ficomp" | "ftst" | "fxam") =>
        {
            plain(OpKind::Compare)
        }
        s if s.starts_with("fcmov") => plain(OpKind::Select),
        "fxch" => plain(OpKind::Nop),
        s if s.starts_with('f') && !s.starts_with("fx") || matches!(s, "fxtract" | "wait") => {
            plain(OpKind::Other)
        }
        _ => return plain(OpKind::Other),
    };
    Class { float: true, stack: true, ..class }
}

/// The accumulator rule of a fused multiply-add whose addend is added (not subtracted).
fn fused(stem: &str) -> Option<Inputs> {
    let (rest, added) = match stem {
        s if s.starts_with("fmadd") => (&s[5..], true),
        s if s.starts_with("fnmadd") => (&s[6..], true),
        s if s.starts_with("fmsub") => (&s[5..], false),
        s if s.starts_with("fnmsub") => (&s[6..], false),
        _ => return None,
    };
    let addend = match rest.get(..3)? {
        "132" => 1,
        "213" => 2,
        "231" => 0,
        _ => return None,
    };
    Some(if added { Inputs::Addend(addend) } else { Inputs::Plain })
}

/// Conversions: the destination decides the merged lane.
fn conversion(stem: &str) -> Class {
    let to = stem.rsplit('2').next().unwrap_or_default();
    let scalar = match to {
        "ss" => 4,
        "sd" => 8,
        _ => 0,
    };
    // From one width of floating point to another: a move, but for rounding.
    let linear = ["ss2sd", "sd2ss", "ps2pd", "pd2ps"].iter().any(|widths| stem.ends_with(widths));
    Class { float: true, scalar, linear, merges: scalar != 0, ..plain(OpKind::Convert) }
}

/// Bytes a scalar conversion reads from a vector register, if it is one.
pub(crate) fn conversion_source(m: Mnemonic) -> Option<u8> {
    let name = format!("{m:?}").to_ascii_lowercase();
    let stem = name.strip_prefix('v').unwrap_or(&name).strip_prefix("cvt")?;
    let stem = stem.strip_prefix('t').unwrap_or(stem);
    match stem.split('2').next()? {
        "ss" => Some(4),
        "sd" => Some(8),
        _ => None,
    }
}

/// What an integer addition adds to one other operand.
pub(crate) fn addend(i: &Instruction) -> Option<Addend> {
    let immediate = || {
        let is_immediate = matches!(
            i.op1_kind(),
            Kind::Immediate8
                | Kind::Immediate8to16
                | Kind::Immediate8to32
                | Kind::Immediate8to64
                | Kind::Immediate16
                | Kind::Immediate32
                | Kind::Immediate32to64
        );
        is_immediate.then(|| i.immediate(1) as i64)
    };
    let constant = match i.mnemonic() {
        Mnemonic::Inc => Some(1),
        Mnemonic::Dec => Some(-1),
        Mnemonic::Add => immediate(),
        Mnemonic::Sub => immediate().and_then(i64::checked_neg),
        Mnemonic::Lea if i.memory_index() == Register::None && i.memory_base().is_gpr() => {
            Some(i.memory_displacement64() as i64)
        }
        _ => None,
    };
    constant.map(Addend::Constant).or_else(|| added_register(i))
}

/// The register of at least 4 bytes that an addition adds to another one.
fn added_register(i: &Instruction) -> Option<Addend> {
    let (to, from, negated) = match i.mnemonic() {
        Mnemonic::Add | Mnemonic::Sub => {
            if (i.op0_kind(), i.op1_kind()) != (Kind::Register, Kind::Register) {
                return None;
            }
            (i.op0_register(), i.op1_register(), i.mnemonic() == Mnemonic::Sub)
        }
        Mnemonic::Lea if i.memory_index_scale() == 1 && i.memory_displacement64() == 0 => {
            let (to, base, index) = (i.op0_register(), i.memory_base(), i.memory_index());
            match (base == to, index == to) {
                (true, false) => (to, index, false),
                (false, true) => (to, base, false),
                _ => return None,
            }
        }
        _ => return None,
    };
    let (to, from) = (decode::range(to)?, decode::range(from)?);
    let is_general = |r: RegRange| r.reg < REG_VECTOR && r.lo == 0 && r.hi >= 4;
    let fits = is_general(to) && is_general(from) && to.hi == from.hi && to.reg != from.reg;
    fits.then_some(Addend::Register { to, from, negated })
}
