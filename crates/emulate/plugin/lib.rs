//! Runs inside QEMU, as one of its plugins (API version 1), and tells the recorder what the program does.
//!
//! Definition: every execution of a block of translated code is one word, every access of memory one more ([`protocol`]). Code comes
//! before the first execution of it, system calls when they return. Only the program's first thread is told of; others are
//! counted.
//!
//! Invariants: nothing is written by children that the program forks; no descriptor stays open in the program; what was written before
//! the program was killed is there; when the recorder says stop, the program runs on at QEMU's own speed.
//!
//! Limits: QEMU 7.0 to 8.2 take plugins of this version. Registers are read where QEMU's code generator keeps the processor's state (host
//! register `rbp`), which is checked once (`registers`); without, they count as unknown.
//!
//! No crate but `std` is used, so that the compiler alone can build it.

mod maps;
mod memory;
pub mod protocol;
mod qemu;
mod registers;
mod ring;
mod syscalls;

use std::collections::HashMap;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

use qemu::{Info, Insn, PluginId, Tb};
use registers::Machine;

/// The version of the interface that this plugin was written for.
#[unsafe(no_mangle)]
#[allow(non_upper_case_globals, reason = "QEMU looks for this name")]
pub static qemu_plugin_version: c_int = 1;

/// What is known of a block of code; it is never freed, as code that QEMU translates anew is found again.
struct Code {
    number: u32,
    pc: u64,
    instructions: usize,
    bytes: Vec<u8>,
    /// The recorder knows it.
    is_told: AtomicBool,
    /// Registers are told at the beginning of what runs after it.
    shows_registers: bool,
}

/// Blocks by address, with all that was ever seen there.
static CODES: Mutex<Option<HashMap<u64, Vec<&'static Code>>>> = Mutex::new(None);
static NUMBERS: AtomicU32 = AtomicU32::new(0);
/// What to add to an address of the program to get one of this process.
static BASE: AtomicI64 = AtomicI64::new(0);
/// The block that ran last shows registers.
static SHOWS: AtomicBool = AtomicBool::new(true);
static IS_CHECKED: AtomicBool = AtomicBool::new(false);

/// Where a plugin begins: arguments are `ring=DESCRIPTOR`, and `self=DESCRIPTOR` for the file it was loaded from.
///
/// # Safety
/// QEMU calls it once, with valid arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qemu_plugin_install(
    id: PluginId,
    info: *const Info,
    argc: c_int,
    argv: *const *const c_char,
) -> c_int {
    let mut ring = None;
    let mut own = None;
    for at in 0..usize::try_from(argc).unwrap_or(0) {
        // SAFETY: QEMU gives `argc` strings that end with a zero byte.
        let text = unsafe { CStr::from_ptr(*argv.add(at)) }.to_string_lossy();
        match text.split_once('=') {
            Some(("ring", number)) => ring = number.parse::<c_int>().ok(),
            Some(("self", number)) => own = number.parse::<c_int>().ok(),
            _ => return -1,
        }
    }
    // SAFETY: QEMU gives a valid structure that begins with a string.
    let machine = unsafe { (*info).target_name.as_ref() }.map(|name| {
        // SAFETY: it ends with a zero byte.
        unsafe { CStr::from_ptr(name) }.to_bytes()
    });
    let (Some(descriptor), Some(machine)) = (ring, machine.and_then(Machine::of)) else { return -1 };
    if !ring::open(descriptor) {
        return -1;
    }
    registers::set(machine);
    // The program is not to see them.
    qemu::close(descriptor);
    own.into_iter().for_each(qemu::close);
    qemu::in_children(ring::silence);
    // SAFETY: the functions have the types that QEMU expects.
    unsafe {
        qemu::qemu_plugin_register_vcpu_init_cb(id, on_thread);
        qemu::qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
        qemu::qemu_plugin_register_vcpu_syscall_cb(id, syscalls::on_call);
        qemu::qemu_plugin_register_vcpu_syscall_ret_cb(id, syscalls::on_return);
    }
    0
}

extern "C" fn on_thread(_: PluginId, vcpu: c_uint) {
    if vcpu != 0 {
        ring::count_thread();
    }
}

extern "C" fn on_translation(id: PluginId, tb: *mut Tb) {
    if ring::is_over() {
        // From now on the program runs without callbacks. (Only a vCPU's own thread may ask.)
        qemu::reset_once(id);
        return;
    }
    // SAFETY: `tb` is valid until this function returns, and so are its instructions.
    unsafe {
        let pc = qemu::qemu_plugin_tb_vaddr(tb);
        let count = qemu::qemu_plugin_tb_n_insns(tb);
        let mut bytes = Vec::new();
        for at in 0..count {
            let insn: *mut Insn = qemu::qemu_plugin_tb_get_insn(tb, at);
            let (data, size) = (qemu::qemu_plugin_insn_data(insn), qemu::qemu_plugin_insn_size(insn));
            if at == 0 {
                let host = qemu::qemu_plugin_insn_haddr(insn) as i64;
                BASE.store(host.wrapping_sub(pc as i64), Ordering::Relaxed);
            }
            bytes.extend_from_slice(std::slice::from_raw_parts(data.cast::<u8>(), size));
            let index = ptr_of(at as u64);
            qemu::qemu_plugin_register_vcpu_mem_cb(insn, on_access, 0, qemu::MEM_RW, index);
        }
        let code = known(pc, count, bytes);
        let code: *const Code = code;
        qemu::qemu_plugin_register_vcpu_tb_exec_cb(tb, on_block, qemu::CB_R_REGS, code.cast_mut().cast());
    }
}

/// A number in the place of a pointer.
fn ptr_of(number: u64) -> *mut c_void {
    std::ptr::without_provenance_mut(number as usize)
}

fn known(pc: u64, instructions: usize, bytes: Vec<u8>) -> &'static Code {
    let mut codes = CODES.lock().unwrap_or_else(PoisonError::into_inner);
    let here = codes.get_or_insert_default().entry(pc).or_default();
    if let Some(code) = here.iter().find(|code| code.bytes == bytes && code.instructions == instructions) {
        return code;
    }
    let number = NUMBERS.fetch_add(1, Ordering::Relaxed);
    let shows_registers = registers::shows_after(&bytes);
    let is_told = AtomicBool::new(false);
    let code = Box::leak(Box::new(Code { number, pc, instructions, bytes, is_told, shows_registers }));
    here.push(code);
    code
}

/// A block begins. The code generator calls it with the processor's state in `rbp`, which goes on as third argument.
#[unsafe(naked)]
extern "C" fn on_block(vcpu: c_uint, code: *mut c_void) {
    std::arch::naked_asm!("mov rdx, rbp", "jmp {}", sym begin)
}

extern "C" fn begin(vcpu: c_uint, code: *mut c_void, state: *const u64) {
    if vcpu != 0 || ring::is_silent() {
        return;
    }
    // SAFETY: it was registered with a pointer to a `Code`, which is never freed.
    let code = unsafe { &*code.cast::<Code>() };
    if !code.is_told.load(Ordering::Relaxed) {
        tell(code, state);
    }
    let word = protocol::BLOCK | u64::from(code.number);
    if SHOWS.load(Ordering::Relaxed) {
        // SAFETY: the code generator's state is valid while it runs; it was checked.
        let values = unsafe { registers::read(state) };
        ring::push(word | protocol::REGISTERS);
        values.into_iter().for_each(ring::push);
    } else {
        ring::push(word);
    }
    SHOWS.store(code.shows_registers, Ordering::Relaxed);
}

#[cold]
fn tell(code: &Code, state: *const u64) {
    if !IS_CHECKED.swap(true, Ordering::Relaxed) {
        // SAFETY: only looked at where this process can read it.
        let is_readable = unsafe { registers::check(state, code.pc, base()) };
        ring::set_readable(is_readable);
        // The program's own file comes before the one that loads its libraries.
        // SAFETY: a plain function.
        maps::tell_around(unsafe { qemu::qemu_plugin_entry_code() }, base());
    }
    maps::tell_around(code.pc, base());
    ring::push(protocol::message(protocol::CODE, 4 + code.bytes.len().div_ceil(8)));
    ring::push(u64::from(code.number));
    ring::push(code.pc);
    ring::push(code.instructions as u64);
    ring::push_bytes(&code.bytes);
    code.is_told.store(true, Ordering::Relaxed);
}

fn base() -> i64 {
    BASE.load(Ordering::Relaxed)
}

extern "C" fn on_access(vcpu: c_uint, info: u32, address: u64, index: *mut c_void) {
    if vcpu != 0 || ring::is_silent() {
        return;
    }
    // SAFETY: plain functions of the number that QEMU gave.
    let (size, store) =
        unsafe { (qemu::qemu_plugin_mem_size_shift(info), qemu::qemu_plugin_mem_is_store(info)) };
    let place = (index.addr() as u64) << protocol::ADDRESS_BITS;
    let word = place | u64::from(size & 7) << protocol::SIZE_AT | u64::from(store) << protocol::STORE_AT;
    if address >> protocol::ADDRESS_BITS == 0 {
        ring::push(word | address);
    } else {
        ring::push(protocol::message(protocol::FAR_ACCESS, 2));
        ring::push(word);
        ring::push(address);
    }
}
