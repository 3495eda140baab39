//! QEMU's plugin interface, and the few functions of the C library that the plugin needs.

use std::ffi::{c_int, c_long, c_uint, c_void};
use std::sync::atomic::{AtomicBool, Ordering};

/// A plugin, to QEMU.
pub type PluginId = u64;

/// A block while it is translated.
#[repr(C)]
pub struct Tb {
    _private: [u8; 0],
}

/// An instruction while it is translated.
#[repr(C)]
pub struct Insn {
    _private: [u8; 0],
}

/// What QEMU says of itself; more fields follow.
#[repr(C)]
pub struct Info {
    /// Name of the processor that is emulated.
    pub target_name: *const std::ffi::c_char,
}

/// Loads and stores.
pub const MEM_RW: c_int = 3;
/// The callback reads registers.
pub const CB_R_REGS: c_int = 1;

type Simple = extern "C" fn(PluginId, c_uint);
type Translation = extern "C" fn(PluginId, *mut Tb);
type Block = extern "C" fn(c_uint, *mut c_void);
type Access = extern "C" fn(c_uint, u32, u64, *mut c_void);
type Call = extern "C" fn(PluginId, c_uint, i64, u64, u64, u64, u64, u64, u64, u64, u64);
type Return = extern "C" fn(PluginId, c_uint, i64, i64);

unsafe extern "C" {
    pub fn qemu_plugin_register_vcpu_init_cb(id: PluginId, cb: Simple);
    pub fn qemu_plugin_register_vcpu_tb_trans_cb(id: PluginId, cb: Translation);
    pub fn qemu_plugin_register_vcpu_tb_exec_cb(tb: *mut Tb, cb: Block, flags: c_int, data: *mut c_void);
    pub fn qemu_plugin_register_vcpu_mem_cb(
        insn: *mut Insn,
        cb: Access,
        flags: c_int,
        rw: c_int,
        data: *mut c_void,
    );
    pub fn qemu_plugin_register_vcpu_syscall_cb(id: PluginId, cb: Call);
    pub fn qemu_plugin_register_vcpu_syscall_ret_cb(id: PluginId, cb: Return);
    pub fn qemu_plugin_tb_n_insns(tb: *const Tb) -> usize;
    pub fn qemu_plugin_tb_vaddr(tb: *const Tb) -> u64;
    pub fn qemu_plugin_tb_get_insn(tb: *const Tb, at: usize) -> *mut Insn;
    pub fn qemu_plugin_insn_data(insn: *const Insn) -> *const c_void;
    pub fn qemu_plugin_insn_size(insn: *const Insn) -> usize;
    pub fn qemu_plugin_insn_haddr(insn: *const Insn) -> *const c_void;
    pub fn qemu_plugin_entry_code() -> u64;
    pub fn qemu_plugin_mem_size_shift(info: u32) -> c_uint;
    pub fn qemu_plugin_mem_is_store(info: u32) -> bool;
    fn qemu_plugin_reset(id: PluginId, done: extern "C" fn(PluginId));

    pub fn mmap(
        at: *mut c_void,
        len: usize,
        prot: c_int,
        flags: c_int,
        fd: c_int,
        offset: i64,
    ) -> *mut c_void;
    pub fn syscall(number: c_long, ...) -> c_long;
    pub fn process_vm_readv(
        pid: c_int,
        local: *const Piece,
        locals: usize,
        remote: *const Piece,
        remotes: usize,
        flags: usize,
    ) -> isize;
    pub fn getpid() -> c_int;
    #[link_name = "close"]
    fn libc_close(fd: c_int) -> c_int;
    fn pthread_atfork(
        before: Option<extern "C" fn()>,
        parent: Option<extern "C" fn()>,
        child: Option<extern "C" fn()>,
    ) -> c_int;
}

/// A piece of memory (`struct iovec`).
#[repr(C)]
pub struct Piece {
    pub start: *mut c_void,
    pub len: usize,
}

/// Closes a descriptor.
pub fn close(descriptor: c_int) {
    // SAFETY: a plain system call.
    unsafe { libc_close(descriptor) };
}

/// Has a function called in every child that is forked.
pub fn in_children(function: extern "C" fn()) {
    // SAFETY: the function may be called at any time.
    unsafe { pthread_atfork(None, None, Some(function)) };
}

/// Removes all callbacks, the first time.
pub fn reset_once(id: PluginId) {
    static IS_RESET: AtomicBool = AtomicBool::new(false);
    extern "C" fn done(_: PluginId) {}
    if !IS_RESET.swap(true, Ordering::Relaxed) {
        // SAFETY: asked for by a plugin that is installed.
        unsafe { qemu_plugin_reset(id, done) };
    }
}
