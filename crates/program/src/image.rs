//! Mapped files: symbols, demangled names, source lines with inlined frames.
//!
//! A [`Image`] collects the executable mappings of a run in the order they appear; later mappings hide earlier ones at
//! the same addresses. Files are read when first asked about. A file that cannot be read or parsed has no symbols and
//! no lines; that is not an error (the report says which modules lack what).

use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

use object::read::elf::{FileHeader, ProgramHeader};
use object::{
    Endianness, Object, ObjectKind, ObjectSegment, ObjectSymbol, SegmentFlags, SymbolFlags, SymbolKind,
};
use trace::sink::{Mapping, Owner};

use crate::contracts::{self, Row};
use crate::{frames, owners, stubs};

/// One source position of an address; a chain of them where calls were inlined.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Location {
    /// Demangled function name.
    pub function: Option<String>,
    /// File as the debug information names it.
    pub file: Option<String>,
    /// Line, from 1.
    pub line: Option<u32>,
    /// Column, from 1.
    pub column: Option<u32>,
}

/// A symbol of a mapped file, at its address in the program's memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
    /// Address.
    pub address: u64,
    /// Size in bytes, 0 if unknown.
    pub size: u64,
    /// Demangled name.
    pub name: String,
}

#[derive(Debug, Clone)]
struct RawSymbol {
    address: u64,
    size: u64,
    name: String,
}

/// A part of a file that is loaded.
#[derive(Debug, Clone, Copy)]
struct Segment {
    /// Where it begins in the file, and its bytes there.
    offset: u64,
    size: u64,
    /// Where it begins in memory, without load bias, and its bytes there, with those that are zero at first.
    address: u64,
    size_in_memory: u64,
    executable: bool,
}

/// Symbols of one file, at the file's own addresses.
#[derive(Debug, Default)]
struct Tables {
    functions: Vec<RawSymbol>,
    data: Vec<RawSymbol>,
    /// Where functions begin that only choose the one of that name, at the file's own addresses (`STT_GNU_IFUNC`).
    resolvers: HashSet<u64>,
    /// Thread-local variables, by their place in the file's thread-local storage.
    thread: Vec<RawSymbol>,
    /// Size of that, with its alignment.
    thread_size: u64,
    /// Functions of other files, by the stubs through which they are called.
    stubs: HashMap<u64, String>,
    /// Slots with the addresses of functions of other files that have contracts.
    contracted: Vec<(u64, &'static Row)>,
    /// It asks the C library where `errno` is, or may do so.
    looks_at_errno: bool,
    /// It makes streams that call it or write to its memory, or has an allocator.
    has_own_streams: bool,
    /// It starts threads: what functions of the C library do for one of them is known when they have returned, too late to be told
    /// apart from what others do.
    starts_threads: bool,
    /// The loaded segments.
    segments: Vec<Segment>,
    debug: bool,
    build_id: Option<Vec<u8>>,
    /// It is a program, not a library.
    is_program: bool,
}

/// One mapped file.
pub struct Module {
    path: PathBuf,
    bias: OnceCell<u64>,
    start: u64,
    end: u64,
    offset: u64,
    tables: OnceCell<Tables>,
    lines: OnceCell<Option<addr2line::Loader>>,
    /// Where exceptions arrive, by what they leave, at the file's own addresses.
    landings: OnceCell<Vec<frames::Landing>>,
    /// Where functions begin by the unwind tables, at the file's own addresses.
    starts: OnceCell<Vec<u64>>,
}

impl std::fmt::Debug for Module {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Module").field("path", &self.path).field("start", &self.start).finish_non_exhaustive()
    }
}

impl Module {
    fn tables(&self) -> &Tables {
        self.tables.get_or_init(|| read_tables(&self.path).unwrap_or_default())
    }

    /// Difference between addresses in memory and in the file.
    pub fn bias(&self) -> u64 {
        *self.bias.get_or_init(|| {
            let segments = &self.tables().segments;
            // Segments that follow one another in a page of the file share it: of several that hold the offset, the executable one
            // was mapped, since mappings of code alone are modules.
            let holds = |s: &&Segment| {
                self.offset >= s.offset & !0xfff && self.offset < s.offset.saturating_add(s.size)
            };
            let hit = segments.iter().filter(holds).max_by_key(|s| (s.executable, s.offset));
            match hit {
                Some(&Segment { offset, address, .. }) => {
                    self.start.wrapping_sub(address.wrapping_add(self.offset.wrapping_sub(offset)))
                }
                None => self.start.wrapping_sub(self.offset),
            }
        })
    }

    /// Whether it is one of the system's libraries.
    fn is_of_system(&self) -> bool {
        self.path.starts_with("/lib") || self.path.starts_with("/usr/lib")
    }

    /// Whether the mapping covers `address`.
    pub fn contains(&self, address: u64) -> bool {
        address >= self.start && address < self.end
    }

    /// Path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the file carries line information.
    pub fn has_debug_information(&self) -> bool {
        self.tables().debug
    }

    /// The linker's build id.
    pub fn build_id(&self) -> Option<String> {
        text(self.tables().build_id.as_deref()?)
    }

    /// Whether an address lies in what the file gives to memory.
    fn has_data(&self, address: u64) -> bool {
        let inner = address.wrapping_sub(self.bias());
        let holds =
            |s: &Segment| inner.checked_sub(s.address).is_some_and(|offset| offset < s.size_in_memory);
        self.tables().segments.iter().any(holds)
    }

    fn variable(&self, address: u64) -> Option<Symbol> {
        self.symbol(&self.tables().data, address, false, variable_name)
    }

    fn symbol(
        &self,
        table: &[RawSymbol],
        address: u64,
        slack: bool,
        name: fn(&str) -> String,
    ) -> Option<Symbol> {
        let hit = self.raw(table, address, slack)?;
        Some(Symbol { address: hit.address.wrapping_add(self.bias()), size: hit.size, name: name(&hit.name) })
    }

    /// The symbol that contains an address, as the file has it.
    fn raw<'t>(&self, table: &'t [RawSymbol], address: u64, slack: bool) -> Option<&'t RawSymbol> {
        let inner = address.wrapping_sub(self.bias());
        let hit = &table[table.partition_point(|s| s.address <= inner).checked_sub(1)?];
        let inside = inner < hit.address.saturating_add(hit.size) || (hit.size == 0 && slack);
        inside.then_some(hit)
    }
}

fn read_landings(path: &Path) -> Option<Vec<frames::Landing>> {
    let bytes = std::fs::read(path).ok()?;
    Some(frames::landings(&object::File::parse(&*bytes).ok()?))
}

fn read_tables(path: &Path) -> Option<Tables> {
    let bytes = std::fs::read(path).ok()?;
    let file = object::File::parse(&*bytes).ok()?;
    let mut tables = Tables::default();
    for symbol in file.symbols().chain(file.dynamic_symbols()) {
        if symbol.is_undefined() {
            continue;
        }
        let Ok(name) = symbol.name() else { continue };
        let raw = RawSymbol { address: symbol.address(), size: symbol.size(), name: name.to_owned() };
        if let SymbolFlags::Elf { st_info, .. } = symbol.flags()
            && st_info & 0xf == object::elf::STT_GNU_IFUNC
        {
            tables.resolvers.insert(symbol.address());
        }
        match symbol.kind() {
            SymbolKind::Text if !name.is_empty() => tables.functions.push(raw),
            SymbolKind::Data if raw.size > 0 => tables.data.push(raw),
            SymbolKind::Tls if raw.size > 0 => tables.thread.push(raw),
            _ => {}
        }
    }
    for table in [&mut tables.functions, &mut tables.data, &mut tables.thread] {
        // Of several names for one address keep the one with a size, then the shortest, then the first.
        table.sort_by(|a, b| {
            (a.address, a.size == 0, a.name.len(), &a.name).cmp(&(
                b.address,
                b.size == 0,
                b.name.len(),
                &b.name,
            ))
        });
        table.dedup_by_key(|s| s.address);
    }
    for segment in file.segments() {
        let (offset, size) = segment.file_range();
        let executable = match segment.flags() {
            SegmentFlags::Elf { p_flags } => p_flags & object::elf::PF_X != 0,
            _ => true,
        };
        tables.segments.push(Segment {
            offset,
            size,
            address: segment.address(),
            size_in_memory: segment.size(),
            executable,
        });
    }
    let slots = stubs::slots(&file);
    tables.stubs = stubs::read(&file, &slots);
    tables.contracted = stubs::contracted(&slots);
    tables.looks_at_errno = stubs::looks_at_errno(&slots);
    tables.starts_threads = stubs::starts_threads(&slots);
    tables.has_own_streams = stubs::makes_streams(&slots)
        || tables.functions.iter().any(|own| ["malloc", "free", "realloc"].contains(&own.name.as_str()));
    tables.thread_size = thread_size(&bytes).unwrap_or(0);
    tables.is_program =
        file.kind() == ObjectKind::Executable || is_position_independent(&bytes) == Some(true);
    tables.debug = file.section_by_name(".debug_line").is_some();
    tables.build_id = file.build_id().ok().flatten().map(<[u8]>::to_vec);
    Some(tables)
}

/// Whether a function of this name, of the libraries of C, C++, Fortran or Rust, never returns.
fn is_last(name: &str) -> bool {
    const NAMES: &[&str] = &[
        "exit",
        "_exit",
        "_Exit",
        "quick_exit",
        "abort",
        "err",
        "errx",
        "verr",
        "verrx",
        "__assert",
        "__assert_fail",
        "__assert_fail_base",
        "__assert_perror_fail",
        "__stack_chk_fail",
        "__chk_fail",
        "__fortify_fail",
        "__libc_fatal",
        "__libc_message",
        "__libc_start_call_main",
        "longjmp",
        "_longjmp",
        "siglongjmp",
        "__longjmp_chk",
        "pthread_exit",
        "__cxa_throw",
        "__cxa_rethrow",
        "__cxa_bad_cast",
        "__cxa_bad_typeid",
        "__cxa_throw_bad_array_new_length",
        "__cxa_throw_bad_array_length",
        "__cxa_pure_virtual",
        "__cxa_call_unexpected",
        "_Unwind_Resume",
        "std::terminate",
        "std::unexpected",
        "std::rethrow_exception",
        "_gfortran_os_error",
        "_gfortran_os_error_at",
        "_gfortran_runtime_error",
        "_gfortran_runtime_error_at",
        "_gfortran_stop_numeric",
        "_gfortran_stop_string",
        "_gfortran_error_stop_numeric",
        "_gfortran_error_stop_string",
        "_gfortran_exit_i4",
        "_gfortran_exit_i8",
        "_gfortran_abort",
        "alloc::alloc::handle_alloc_error",
        "alloc::raw_vec::handle_error",
        "alloc::raw_vec::capacity_overflow",
        "core::option::unwrap_failed",
        "core::option::expect_failed",
        "core::result::unwrap_failed",
        "core::str::slice_error_fail",
        "std::process::exit",
        "std::process::abort",
    ];
    const PREFIXES: &[&str] = &[
        "std::__throw_",
        "core::panicking::",
        "core::slice::index::slice_",
        "core::cell::panic_",
        "std::panicking::begin_panic",
        "std::panicking::rust_panic",
    ];
    NAMES.contains(&name) || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

/// Size of a 64-bit file's thread-local storage, with its alignment.
fn thread_size(bytes: &[u8]) -> Option<u64> {
    let header = object::elf::FileHeader64::<Endianness>::parse(bytes).ok()?;
    let endian = header.endian().ok()?;
    let segments = header.program_headers(endian, bytes).ok()?;
    let thread = segments.iter().find(|segment| segment.p_type(endian) == object::elf::PT_TLS)?;
    thread.p_memsz(endian).checked_next_multiple_of(thread.p_align(endian).max(1))
}

/// Whether a 64-bit file that can be loaded anywhere is marked as a program.
fn is_position_independent(bytes: &[u8]) -> Option<bool> {
    let header = object::elf::FileHeader64::<Endianness>::parse(bytes).ok()?;
    let endian = header.endian().ok()?;
    let mut segments = header.program_headers(endian, bytes).ok()?.iter();
    let entries = segments.find_map(|segment| segment.dynamic(endian, bytes).ok().flatten())?;
    let mut flags =
        entries.iter().filter(|entry| entry.d_tag.get(endian) == u64::from(object::elf::DT_FLAGS_1));
    Some(flags.any(|entry| entry.d_val.get(endian) & u64::from(object::elf::DF_1_PIE) != 0))
}

/// The linker's build id of a file; `None` if it has none, or is no program.
pub fn build_id(path: &Path) -> Option<String> {
    read_tables(path).and_then(|tables| text(tables.build_id.as_deref()?))
}

fn text(id: &[u8]) -> Option<String> {
    (!id.is_empty()).then(|| id.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Demangles a C++, Rust or Fortran symbol; anything else is returned as it is. Parameters and types of results, which make
/// names of loops unreadable, are left out: overloaded functions have one name.
pub fn demangle(name: &str) -> String {
    let plain = name.split('@').next().unwrap_or(name);
    // What a compiler has made of a parallel region is named after the function that it stands in.
    let region = ["._omp_fn.", ".omp_outlined"].iter().find_map(|mark| plain.find(mark));
    if let Some(at) = region.filter(|&at| at > 0) {
        return format!("{}{}", demangle(&plain[..at]), &plain[at..]);
    }
    if let Ok(rust) = rustc_demangle::try_demangle(plain) {
        return format!("{rust:#}");
    }
    if is_placement(plain) {
        return format!("placement {}", if plain.starts_with("_Zn") { "new" } else { "delete" });
    }
    let options = cpp_demangle::DemangleOptions::new().no_params().no_return_type();
    if plain.starts_with("_Z")
        && let Ok(symbol) = cpp_demangle::Symbol::new(plain)
        && let Ok(text) = symbol.demangle(&options)
    {
        return text;
    }
    in_module(plain).map_or_else(|| plain.to_owned(), |(module, procedure)| format!("{module}::{procedure}"))
}

/// Whether a function is an `operator new` or `operator delete` with arguments of its own, which takes storage that somebody has, and not one
/// of those that allocate (ISO C++ 2020, 17.6.3): of its name everything but the parameters says the same.
fn is_placement(mangled: &str) -> bool {
    const ALLOCATING: [&str; 9] = [
        "m",
        "mRKSt9nothrow_t",
        "mSt11align_val_t",
        "mSt11align_val_tRKSt9nothrow_t",
        "Pv",
        "PvRKSt9nothrow_t",
        "PvSt11align_val_t",
        "PvmSt11align_val_t",
        "PvSt11align_val_tRKSt9nothrow_t",
    ];
    let operators = ["_Znw", "_Zna", "_Zdl", "_Zda"];
    let parameters = operators.iter().find_map(|own| mangled.strip_prefix(own));
    parameters.is_some_and(|own| own != "Pvm" && !ALLOCATING.contains(&own))
}

/// The name of a variable: as [`demangle`] has it, of a module of Fortran as its text calls it, without the module.
fn variable_name(name: &str) -> String {
    let plain = name.split('@').next().unwrap_or(name);
    in_module(plain).map_or_else(|| demangle(name), |(_, variable)| variable.to_owned())
}

/// `(module, name)` of what gfortran calls `__module_MOD_name`.
fn in_module(name: &str) -> Option<(&str, &str)> {
    let (module, own) = name.strip_prefix("__")?.split_once("_MOD_")?;
    (!module.is_empty() && !own.is_empty()).then_some((module, own))
}

/// Functions of the C library that may be chosen, when a file is linked, to be those of the kernel's own page (vdso), which is no file.
const OF_THE_KERNEL: [&str; 2] = ["gettimeofday", "time"];

/// Bytes of a function that has a name of the recorder's: two instructions stand for it.
const NAMED: u64 = 2;

/// All mapped files of a run.
#[derive(Debug, Default)]
pub struct Image {
    modules: Vec<Module>,
    /// Names of functions by their addresses, where the recorder knew better than the files.
    names: BTreeMap<u64, String>,
}

impl Image {
    /// Adds an executable mapping.
    pub fn add(&mut self, mapping: &Mapping) {
        let Some(path) = &mapping.path else { return };
        // The recorder's own memory in the program is not a module of it.
        if path.to_string_lossy().contains("memfd:loopwright") {
            return;
        }
        self.modules.push(Module {
            path: path.clone(),
            bias: OnceCell::new(),
            start: mapping.start,
            end: mapping.end,
            offset: mapping.offset,
            tables: OnceCell::new(),
            lines: OnceCell::new(),
            landings: OnceCell::new(),
            starts: OnceCell::new(),
        });
    }

    /// The function at `pc` is known by this name.
    pub fn name(&mut self, pc: u64, name: &str) {
        self.names.insert(pc, name.to_owned());
    }

    /// The name by which the functions of libraries that have contracts are known, of the one at `pc`: that of a slot through which
    /// files call it. `word` gives the memory at an address.
    pub fn contracted(&self, pc: u64, word: &mut dyn FnMut(u64) -> u64) -> Option<&'static Row> {
        let of = self.module(pc);
        if of.is_some_and(|of| !contracts::is_file(&of.path)) {
            return None;
        }
        let is_of_c = of.is_some_and(|of| contracts::is_c_library(&of.path));
        let is_its = |row: &Row| match of {
            None => row.is_of_c() && OF_THE_KERNEL.contains(&row.name()),
            Some(_) if row.is_of_c() => is_of_c,
            Some(of) => row.is_of(&of.path),
        };
        let mut slots = self.modules.iter().flat_map(|module| {
            let bias = module.bias();
            let rows = module.tables().contracted.iter().filter(move |(_, row)| is_its(row));
            rows.map(move |&(slot, row)| (slot.wrapping_add(bias), row))
        });
        // Functions of the C library are called from inside of it as well, by way of no slot.
        let exported = || {
            let of = of?;
            let function = of.symbol(&of.tables().functions, pc, false, str::to_owned)?;
            let is_resolver = of.tables().resolvers.contains(&pc.wrapping_sub(of.bias()));
            let function = Some(function).filter(|_| !is_resolver)?;
            contracts::row(&function.name).filter(|row| row.is_of(&of.path) && function.address == pc)
        };
        // Slots are read from the program, which takes its time.
        let row = exported().or_else(|| slots.find(|&(slot, _)| word(slot) == pc).map(|(_, row)| row))?;
        let lacks_errno = row.sets_errno() && self.looks_at_errno();
        let lacks_c = row.is_of_c() && self.is_without_c();
        (!lacks_errno && !lacks_c).then_some(row)
    }

    /// Whether the contracts of the C library do not hold: a file that is none of the system's libraries asks for streams of its own
    /// making, brings an allocator, or starts threads.
    fn is_without_c(&self) -> bool {
        self.own_tables().any(|tables| tables.has_own_streams || tables.starts_threads)
    }

    /// Tables of the files that are none of the system's libraries.
    fn own_tables(&self) -> impl Iterator<Item = &Tables> {
        self.modules.iter().filter(|module| !module.is_of_system()).map(|module| module.tables())
    }

    /// The address of a variable that libraries share, by its name: that of the first file which has it, as the dynamic linker
    /// sees to it.
    pub fn shared_variable(&self, name: &str) -> Option<u64> {
        self.modules.iter().find_map(|module| {
            let is_one = |symbol: &&RawSymbol| symbol.name.split('@').next() == Some(name);
            let symbol = module.tables().data.iter().find(is_one)?;
            Some(symbol.address.wrapping_add(module.bias()))
        })
    }

    /// Whether a file that is no companion of the C library asks where `errno` is.
    fn looks_at_errno(&self) -> bool {
        let mut others = self.modules.iter().filter(|module| !owners::is_of_language(&module.path));
        others.any(|module| module.tables().looks_at_errno)
    }

    /// The program itself: the first module that is a program and no library. (Under an emulator the loader appears before it.)
    pub fn program(&self) -> Option<&Module> {
        self.modules.iter().find(|module| module.tables().is_program).or(self.modules.first())
    }

    /// All modules in order of appearance.
    pub fn modules(&self) -> &[Module] {
        &self.modules
    }

    /// The module that holds the code at `pc`.
    pub fn module(&self, pc: u64) -> Option<&Module> {
        self.modules.iter().rev().find(|m| m.contains(pc))
    }

    /// Whether the code at `pc` is of the program itself, not of a library.
    pub fn is_own(&self, pc: u64) -> bool {
        self.module(pc).zip(self.program()).is_some_and(|(module, own)| module.path == own.path)
    }

    /// Whose code lies at `pc`.
    pub fn owner(&self, pc: u64) -> Owner {
        match self.module(pc) {
            Some(_) if self.is_own(pc) => Owner::Program,
            Some(module) => owners::owner(&module.path),
            // What the kernel brings.
            None => Owner::Base,
        }
    }

    /// The function that contains `pc`.
    pub fn function(&self, pc: u64) -> Option<Symbol> {
        if let Some((address, name)) = self.named(pc) {
            return Some(Symbol { address, size: NAMED, name: name.to_owned() });
        }
        let module = self.module(pc)?;
        module.symbol(&module.tables().functions, pc, true, demangle)
    }

    /// The function at `pc` that has a name of the recorder's, and where it begins.
    fn named(&self, pc: u64) -> Option<(u64, &str)> {
        let (&address, name) = self.names.range(..=pc).next_back()?;
        (pc - address < NAMED).then_some((address, name))
    }

    /// The function whose symbol starts exactly at `pc`.
    pub fn function_at(&self, pc: u64) -> Option<Symbol> {
        self.start_of_function(pc).filter(|&start| start == pc).and_then(|_| self.function(pc))
    }

    /// Where the function begins that contains `pc`. Asked far more often than for its name.
    pub fn start_of_function(&self, pc: u64) -> Option<u64> {
        if let Some((address, _)) = self.named(pc) {
            return Some(address);
        }
        let module = self.module(pc)?;
        let hit = module.raw(&module.tables().functions, pc, true)?;
        Some(hit.address.wrapping_add(module.bias()))
    }

    /// The name of the function that contains `pc`, as its file has it.
    pub fn linkage_name(&self, pc: u64) -> Option<&str> {
        let module = self.module(pc)?;
        module.raw(&module.tables().functions, pc, true).map(|symbol| symbol.name.as_str())
    }

    /// Whether a function symbol starts exactly at `pc`.
    pub fn is_function_start(&self, pc: u64) -> bool {
        let Some(module) = self.module(pc) else { return false };
        let inner = pc.wrapping_sub(module.bias());
        let functions = &module.tables().functions;
        // What a compiler moved out of a function because it is hardly ever run is jumped to, but a part of it.
        functions
            .binary_search_by_key(&inner, |s| s.address)
            .is_ok_and(|at| !functions[at].name.ends_with(".cold"))
    }

    /// Whether a function begins at `pc`, by the unwind tables of its file: those know functions without symbols too.
    pub fn is_unwound_from(&self, pc: u64) -> bool {
        let Some(module) = self.module(pc) else { return false };
        let starts = module.starts.get_or_init(|| frames::starts(&module.path));
        starts.binary_search(&pc.wrapping_sub(module.bias())).is_ok()
    }

    /// The canonical frame address of the activation that is about to go on at `pc` with these stack and frame pointers, by the
    /// unwind tables; `None` if they do not say, or in terms of other registers.
    pub fn frame(&self, pc: u64, stack: u64, frame: u64) -> Option<u64> {
        let module = self.module(pc)?;
        frames::address(&module.path, pc.wrapping_sub(module.bias()), stack, frame)
    }

    /// Whether the function at `pc`, or that which a stub there leads to, is known never to return.
    pub fn never_returns(&self, pc: u64) -> bool {
        if self.function(pc).is_some_and(|own| own.address == pc && is_last(&own.name)) {
            return true;
        }
        self.stub(pc).is_some_and(|name| is_last(&name))
    }

    /// The function of another file that is called through the stub at `pc`.
    pub fn stub(&self, pc: u64) -> Option<String> {
        let module = self.module(pc)?;
        module.tables().stubs.get(&pc.wrapping_sub(module.bias())).map(|name| demangle(name))
    }

    /// The global variable whose storage contains `address`.
    pub fn data_symbol(&self, address: u64) -> Option<Symbol> {
        // Data lies beside the module's code: the module is found through its load bias.
        self.modules.iter().find_map(|m| m.variable(address))
    }

    /// Whether an address lies in what a file gives to memory: its code and its variables, those without a name as well.
    pub fn is_mapped_data(&self, address: u64) -> bool {
        self.modules.iter().any(|module| module.has_data(address))
    }

    /// The library, by its place among the modules, in whose code or variables an address lies, named or not.
    pub fn library_data(&self, address: u64) -> Option<usize> {
        let own = self.program().map(|program| &program.path);
        self.modules.iter().position(|module| Some(&module.path) != own && module.has_data(address))
    }

    /// Bytes of thread-local storage that all files ask for together.
    pub fn thread_sizes(&self) -> u64 {
        self.modules.iter().fold(0, |sum, module| sum.saturating_add(module.tables().thread_size))
    }

    /// Where an exception arrives that leaves the call that ends at address `after`, by the tables of its file; `None` if it is not
    /// caught there and nothing is cleaned up.
    pub fn landing_pad(&self, after: u64) -> Option<u64> {
        let call = after.wrapping_sub(1);
        let module = self.modules.iter().rev().find(|m| m.contains(call))?;
        let landings = module.landings.get_or_init(|| read_landings(&module.path).unwrap_or_default());
        let inner = call.wrapping_sub(module.bias());
        let at = landings.partition_point(|l| l.0 <= inner).checked_sub(1)?;
        let &(_, end, pad) = landings.get(at)?;
        (inner < end).then(|| pad.wrapping_add(module.bias()))
    }

    /// The thread-local variable of the program itself that is this far from what such addresses are relative to; its address is such
    /// a distance too.
    pub fn thread_symbol(&self, from: i64) -> Option<Symbol> {
        let tables = self.program()?.tables();
        let inner = tables.thread_size.checked_add_signed(from).filter(|_| from < 0)?;
        let at = tables.thread.partition_point(|s| s.address <= inner).checked_sub(1)?;
        let hit = &tables.thread[at];
        (inner < hit.address.saturating_add(hit.size)).then(|| Symbol {
            address: hit.address.wrapping_sub(tables.thread_size),
            size: hit.size,
            name: variable_name(&hit.name),
        })
    }

    /// Whether thread-local data this far from what such addresses are relative to is of the program itself, not of a library.
    pub fn is_own_thread_local(&self, from: i64) -> bool {
        let own = self.program().map_or(0, |module| module.tables().thread_size);
        from < 0 && from.unsigned_abs() <= own
    }

    /// Whether the variable whose storage contains `address` is of the program itself, not of a library.
    pub fn is_own_data(&self, address: u64) -> bool {
        let holds = |m: &&Module| m.variable(address).is_some();
        let holder = self.modules.iter().find(holds);
        holder.zip(self.program()).is_some_and(|(module, own)| module.path == own.path)
    }

    /// Source positions of `pc`, the innermost inlined frame first. Empty if the module has no line information.
    pub fn locations(&self, pc: u64) -> Vec<Location> {
        let Some(module) = self.module(pc) else { return Vec::new() };
        if !module.has_debug_information() {
            return Vec::new();
        }
        let loader = module.lines.get_or_init(|| addr2line::Loader::new(&module.path).ok());
        let Some(loader) = loader else { return Vec::new() };
        let mut out = Vec::new();
        if let Ok(mut frames) = loader.find_frames(pc.wrapping_sub(module.bias())) {
            while let Ok(Some(frame)) = frames.next() {
                let place = frame.location.as_ref();
                out.push(Location {
                    function: frame
                        .function
                        .as_ref()
                        .and_then(|f| f.raw_name().ok().map(|name| demangle(&name))),
                    file: place.and_then(|p| p.file.map(str::to_owned)),
                    line: place.and_then(|p| p.line).filter(|&l| l > 0),
                    column: place.and_then(|p| p.column).filter(|&c| c > 0),
                });
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operators_that_allocate_and_others() {
        for name in ["_Znwm", "_Znam", "_ZnwmRKSt9nothrow_t", "_ZnwmSt11align_val_t"] {
            assert!(demangle(name).starts_with("operator new"), "{name}: {}", demangle(name));
        }
        for name in ["_ZdlPv", "_ZdlPvm", "_ZdaPvmSt11align_val_t"] {
            assert!(demangle(name).starts_with("operator delete"), "{name}: {}", demangle(name));
        }
        assert_eq!(
            ["_ZnwmPv", "_ZnamR5Arena", "_ZdlPvS_"].map(demangle),
            ["placement new", "placement new", "placement delete"]
        );
    }

    #[test]
    fn names_are_readable() {
        assert_eq!(demangle("main"), "main");
        assert_eq!(demangle("memcpy@@GLIBC_2.14"), "memcpy");
        assert_eq!(demangle("_ZN3foo3barEi"), "foo::bar");
        assert_eq!(demangle("_ZN3foo3barEi._omp_fn.1"), "foo::bar._omp_fn.1");
        assert_eq!(demangle("solve.omp_outlined"), "solve.omp_outlined");
        assert_eq!(demangle("_ZN4core3fmt5write17h0123456789abcdefE"), "core::fmt::write");
        assert_eq!(demangle("_ZN12_GLOBAL__N_13fooEv"), "(anonymous namespace)::foo");
        assert_eq!(demangle("_Z8evaluateIdESt6vectorIT_SaIS1_EERKS3_S5_"), "evaluate<double>");
        assert_eq!(demangle("_ZZ4mainENKUlvE_clEv"), "main::{lambda()#1}::operator() const");
        assert_eq!(demangle("__fields_MOD_smooth"), "fields::smooth");
        assert_eq!(demangle("__MOD_"), "__MOD_");
    }

    /// One that is no part of another, however this is compiled.
    #[inline(never)]
    fn a_function_with_a_symbol() -> usize {
        std::hint::black_box(1)
    }

    #[test]
    fn this_test_binary_resolves() {
        assert_eq!(a_function_with_a_symbol(), 1);
        let here = std::env::current_exe().expect("test binary");
        let tables = read_tables(&here).expect("ELF");
        assert!(tables.functions.iter().any(|s| s.name.contains("a_function_with_a_symbol")));
        assert!(tables.segments.len() > 1);
    }
}
