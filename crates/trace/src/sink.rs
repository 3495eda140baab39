//! Who receives a recording, and who guides it.

use std::path::PathBuf;
use std::sync::Arc;

use crate::block::{Block, FunctionCode, RegRange};
use crate::contract::Deeds;

/// Number of a recorded thread; the first is 0.
pub type ThreadId = u32;

/// An executable mapping of a file (or of nothing: generated code, the kernel's shared page).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mapping {
    /// First address.
    pub start: u64,
    /// One past the last address.
    pub end: u64,
    /// Offset of `start` in the file.
    pub offset: u64,
    /// The file, or `None`.
    pub path: Option<PathBuf>,
}

/// Receives a recording. Runs on its own thread, concurrently with the program.
pub trait Sink: Send {
    /// An executable mapping appeared. Comes before the first block inside it.
    fn mapping(&mut self, mapping: Mapping);
    /// A function was entered for the first time. Comes before the first block of it.
    fn function(&mut self, code: FunctionCode);
    /// A block was translated. Comes before its first record.
    fn block(&mut self, block: Block);
    /// The function at `pc` is known by this name, whatever its file says. Comes before the function.
    fn named(&mut self, _pc: u64, _name: &str) {}
    /// Records of one thread, in execution order.
    fn words(&mut self, thread: ThreadId, words: &[u64]);
}

/// What control that comes to a place does to recording: to the entry of a function, or to what lies in one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Marker {
    /// It goes on where the function returns to.
    Begin,
    /// It is off until the next beginning.
    End,
    /// It begins here, in the middle of a function's activation.
    Enter,
    /// It is off from here on, if this is the activation in which it began.
    Leave,
}

/// A function in the middle of which recording goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Activation {
    /// Address of the function's entry.
    pub entry: u64,
    /// Its canonical frame address: what lies above the return address.
    pub frame: u64,
}

/// What a library function does, by its contract: it then runs unrecorded, and stands in the recording as one instruction and the
/// return.
///
/// A contract holds for functions that do nothing else to data: what they read of memory beside [`Contract::deeds`] is constant, or the
/// thread's own, as is what they write beside [`Contract::writes`] and the deeds (`errno`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contract {
    /// Its name.
    pub name: String,
    /// What it is handed in registers.
    pub uses: Vec<RegRange>,
    /// What it gives back in registers.
    pub defs: Vec<RegRange>,
    /// Registers with the addresses that it writes to, and how many bytes there.
    pub writes: Vec<(u8, u16)>,
    /// Instructions that it executes, about.
    pub instructions: u16,
    /// It starts its library: what it does to the library's data is left out, as the rest of the start-up is.
    pub starts_library: bool,
    /// What it does to memory and hidden state beside [`Contract::writes`], which is known when it has returned.
    pub deeds: Option<Arc<Deeds>>,
}

/// Whose code it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// The program's own file's.
    Program,
    /// A library's that belongs to the program, as far as is known.
    Library,
    /// That of a library that all others are built on: of the C library, the loader and their like.
    Base,
    /// That of a runtime of OpenMP, which runs the program's code in threads.
    Runtime,
}

/// What a function of a runtime of OpenMP is handed in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Handing {
    /// `GOMP_task`: the data of a task, and what it depends on.
    Task,
    /// `GOMP_taskwait_depend`: a list of what it depends on is its first argument.
    List,
    /// Functions of `libomp`: an array of what it depends on.
    Array {
        /// Which integer argument, from 0, is the number of its entries; the next one is the array.
        count: usize,
    },
}

/// Answers the recorder's questions about code, on the recorder's thread.
pub trait Guide: Send {
    /// An executable mapping appeared.
    fn mapping(&mut self, mapping: &Mapping);
    /// Whether a function is known to start at `pc` (a symbol): an unconditional jump there is a tail call.
    fn is_function(&mut self, pc: u64) -> bool;
    /// Whether the first three integer arguments are wanted at the entry of the function at `pc` (allocators).
    fn wants_arguments(&mut self, pc: u64) -> bool;
    /// Whether such a function of another file is called through the stub at `pc`.
    fn is_stub_of_allocator(&mut self, _pc: u64) -> bool {
        false
    }
    /// Whether a function of the mathematical library begins at `pc`: what it is handed lies in the low parts of vector registers, on the
    /// stack, or in the registers of the first two integers.
    fn takes_numbers(&mut self, _pc: u64) -> bool {
        false
    }
    /// The contract of the function at `pc`, if it has one. `word` gives the program's memory at an address. Asked only if the recorder
    /// was told to heed contracts.
    fn contract(&mut self, _pc: u64, _word: &mut dyn FnMut(u64) -> u64) -> Option<Contract> {
        None
    }
    /// Whether recording should be on inside the function entered at `pc` and everything it calls. Asked only if
    /// the recorder was told to start with recording off.
    fn starts_recording(&mut self, pc: u64) -> bool;
    /// Whether the function entered at `pc` begins or ends a window of recording. Asked only if the recorder was told to start
    /// with recording off.
    fn marker(&mut self, _pc: u64) -> Option<Marker> {
        None
    }
    /// Places in the mappings that have appeared which are marked and need not be entries of functions: blocks begin there.
    fn marked(&mut self) -> Vec<u64> {
        Vec::new()
    }
    /// The function around `pc`, which is about to run with these stack and frame pointers; `None` if nothing is known of it.
    fn activation(&mut self, _pc: u64, _stack: u64, _frame: u64) -> Option<Activation> {
        None
    }
    /// Whose code lies at `pc`, in a mapping that appeared. Asked only if the recorder was told not to record all code.
    fn owner(&mut self, _pc: u64) -> Owner {
        Owner::Program
    }
    /// What the function of a runtime at `pc` is handed in memory, if it is one that has to do with tasks.
    fn handing(&mut self, _pc: u64) -> Option<Handing> {
        None
    }
    /// Where an exception arrives that leaves the call that ends at address `after`.
    fn landing_pad(&mut self, _after: u64) -> Option<u64> {
        None
    }
    /// Where the indirect jump that ends at address `after` is known to lead (from an earlier run).
    fn jump_targets(&mut self, _after: u64) -> Vec<u64> {
        Vec::new()
    }
}

/// Something the recorder could not record, in words for the trust header.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Untracked {
    /// What it is: "thread", "child process", "modified code", …
    pub what: String,
    /// How often.
    pub count: u64,
}
