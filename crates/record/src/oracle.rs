//! An independent recording by single steps, to check the translated one against.
//!
//! Definition: the program runs one instruction at a time; before each, the addresses of its memory operands are computed
//! from the registers. Nothing of the translator is used; the description of operands is the decoder's.
//! Limits: some ten thousand instructions a second; one thread; children run natively.

use iced_x86::Register;
use libc::user_regs_struct;
use rustc_hash::FxHashMap;
use trace::block::Access;

use crate::decode::{Decode, Decoded, Form, Mask, Memory, number};
use crate::error::Error;
use crate::process::{Resume, Status, Tracee, register};
use crate::{Config, Exit, launch};

/// One access to memory. A repeated string instruction makes one access per operand, over the whole range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Touch {
    /// Address of the instruction.
    pub pc: u64,
    /// First byte.
    pub address: u64,
    /// Number of bytes.
    pub bytes: u64,
    /// Load or store.
    pub access: Access,
}

/// Result of an oracle run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Count {
    /// How the program ended.
    pub exit: Exit,
    /// Instructions completed; a repeated string instruction is one.
    pub instructions: u64,
    /// Accesses visited.
    pub accesses: u64,
}

/// Runs a program by single steps and shows every access of its first thread, in order.
///
/// The program and the caller's thread are kept on one processor, which makes steps three times as fast.
///
/// # Errors
/// If the program cannot be started or traced.
pub fn run(config: &Config, visit: &mut dyn FnMut(Touch)) -> Result<Count, Error> {
    let pid = launch::start(config, Some(libc::PTRACE_O_EXITKILL | libc::PTRACE_O_TRACEEXEC))?;
    let tracee = Tracee::new(pid)?;
    tracee.begin()?;
    let _affinity = Affinity::share(pid);
    let mut decode = Decode::new();
    let mut known: FxHashMap<u64, Decoded> = FxHashMap::default();
    let (mut instructions, mut accesses) = (0, 0);
    let mut tracee = tracee;
    let mut deliver = 0;
    let mut regs = tracee.regs()?;
    // Start of the repeated string instruction in progress.
    let mut repeated: Option<user_regs_struct> = None;
    loop {
        let pc = regs.rip;
        let d = known.entry(pc).or_insert_with(|| {
            let mut bytes = [0; 16];
            let n = tracee.read(pc, &mut bytes);
            decode.decode(&bytes[..n], pc)
        });
        let before = *repeated.get_or_insert(regs);
        let lanes = d.memory.iter().any(|m| matches!(m.form, Form::Lanes { .. }));
        let vectors = if lanes { Some(tracee.extended_state()?) } else { None };
        let syscall = d.raw.mnemonic() == iced_x86::Mnemonic::Syscall;
        let started = deliver != 0 && tracee.catches(deliver);
        if syscall && regs.rax == libc::SYS_rseq as u64 && deliver == 0 {
            regs.rax = -i64::from(libc::ENOSYS) as u64;
            regs.rip = pc + 2;
            regs.rcx = regs.rip;
            tracee.set_regs(&regs)?;
            instructions += 1;
            repeated = None;
            continue;
        }
        tracee.resume(Resume::Step, deliver)?;
        deliver = 0;
        match tracee.wait()? {
            Status::Exited(code) => {
                return Ok(Count {
                    exit: Exit::Code(code),
                    instructions: instructions + u64::from(syscall),
                    accesses,
                });
            }
            Status::Killed(signal) => {
                return Ok(Count { exit: Exit::Signal(signal), instructions, accesses });
            }
            Status::Stopped { event: libc::PTRACE_EVENT_EXEC, .. } => {
                instructions += 1;
                repeated = None;
                known.clear();
                tracee.begin()?;
                tracee = Tracee::new(pid)?;
                regs = tracee.regs()?;
                continue;
            }
            Status::Stopped { signal, event: 0 } if signal != libc::SIGTRAP => deliver = signal,
            _ => {}
        }
        regs = tracee.regs()?;
        if started || (deliver != 0 && regs.rip == pc) {
            repeated = None;
            continue;
        }
        if regs.rip == pc && d.memory.iter().any(|m| matches!(m.form, Form::Repeated(_))) {
            continue;
        }
        repeated = None;
        instructions += 1;
        for m in &d.memory {
            touches(m, before, regs, vectors.as_ref(), &mut |address, bytes| {
                accesses += 1;
                visit(Touch { pc, address, bytes, access: m.access });
            });
        }
    }
}

/// Shows the accesses of one operand, given the registers before and after the instruction.
fn touches(
    m: &Memory,
    mut before: user_regs_struct,
    mut after: user_regs_struct,
    vectors: Option<&Vectors>,
    visit: &mut dyn FnMut(u64, u64),
) {
    let mut value = |r: Option<u8>| r.map_or(0, |r| *register(&mut before, r));
    let size = u64::from(m.size);
    let gather = matches!(m.form, Form::Lanes { index: Some(_), .. });
    let index = if gather { 0 } else { value(m.index).wrapping_mul(u64::from(m.scale)) };
    let mut address = value(m.base).wrapping_add(index).wrapping_add(m.disp as u64);
    if m.short {
        address &= 0xffff_ffff;
    }
    if m.segment {
        address = address.wrapping_add(before.fs_base);
    }
    match m.form {
        Form::Plain => visit(address, size),
        Form::Repeated(r) => {
            let (from, to) = (*register(&mut before, r), *register(&mut after, r));
            match to.wrapping_sub(from) as i64 {
                0 => {}
                n if n > 0 => visit(from, n as u64),
                n => visit(to.wrapping_add(size), n.unsigned_abs()),
            }
        }
        Form::Lanes { lanes, index, mask } => {
            let Some(vectors) = vectors else { return };
            for lane in 0..u64::from(lanes) {
                let active = match mask {
                    Mask::Bits(k) => vectors.mask(k) >> lane & 1 != 0,
                    Mask::Signs(v) => vectors.byte(v, (lane + 1) * size - 1) & 0x80 != 0,
                };
                if !active {
                    continue;
                }
                let offset = match index {
                    None => lane * size,
                    Some((v, 32)) => vectors.element(v, lane, 4) as u32 as i32 as u64 * u64::from(m.scale),
                    Some((v, _)) => vectors.element(v, lane, 8).wrapping_mul(u64::from(m.scale)),
                };
                visit(address.wrapping_add(offset), size);
            }
        }
    }
}

/// Vector and mask registers of a stopped process.
pub(crate) struct Vectors {
    area: Vec<u8>,
}

impl Vectors {
    pub(crate) fn new(area: Vec<u8>) -> Self {
        Vectors { area }
    }

    fn component(n: u32) -> usize {
        std::arch::x86_64::__cpuid_count(0xd, n).ebx as usize
    }

    fn byte(&self, register: Register, k: u64) -> u8 {
        let (n, k) = (register.number(), k as usize);
        let at = match (n, k) {
            (16.., _) => Self::component(7) + (n - 16) * 64 + k,
            (_, 0..16) => 160 + n * 16 + k,
            (_, 16..32) => Self::component(2) + n * 16 + k - 16,
            _ => Self::component(6) + n * 32 + k - 32,
        };
        self.area.get(at).copied().unwrap_or_default()
    }

    fn element(&self, register: Register, lane: u64, bytes: u64) -> u64 {
        (0..bytes).rev().fold(0, |value, k| value << 8 | u64::from(self.byte(register, lane * bytes + k)))
    }

    fn mask(&self, register: Register) -> u64 {
        let at = Self::component(5) + number(register) as usize * 8;
        (0..8)
            .rev()
            .fold(0, |value, k| value << 8 | u64::from(self.area.get(at + k).copied().unwrap_or_default()))
    }
}

/// Keeps this thread on one processor together with a process, until dropped.
struct Affinity(libc::cpu_set_t);

impl Affinity {
    fn share(pid: i32) -> Self {
        // SAFETY: processor sets are plain bit arrays; both calls get their size.
        unsafe {
            let mut old: libc::cpu_set_t = std::mem::zeroed();
            let size = std::mem::size_of::<libc::cpu_set_t>();
            libc::sched_getaffinity(0, size, &mut old);
            let mut one: libc::cpu_set_t = std::mem::zeroed();
            libc::CPU_SET(libc::sched_getcpu().max(0) as usize, &mut one);
            libc::sched_setaffinity(0, size, &one);
            libc::sched_setaffinity(pid, size, &one);
            Affinity(old)
        }
    }
}

impl Drop for Affinity {
    fn drop(&mut self) {
        // SAFETY: as above.
        unsafe { libc::sched_setaffinity(0, std::mem::size_of::<libc::cpu_set_t>(), &self.0) };
    }
}
