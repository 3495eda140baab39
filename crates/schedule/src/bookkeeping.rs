//! What libraries keep for themselves, which orders nothing when iterations run in parallel (ALGORITHMS 2.6, 2.8.4, 2.8.8): the words of
//! locks, thread-local data, flags that let code run once, counts of references, caches of functions that several threads may call at a time.
//!
//! Everything here is about both ends of a dependence: what the program itself reads of it counts. What a lock protects is judged as if it
//! were not there.

use profile::place::is_of_standard_library;
use profile::{
    ContextIndex, ContextKind, Dependence, Kind, Object, ObjectKind, ObjectUse, Profile, StatementIndex,
};

use crate::graph::is_flow;

/// What code does for the library that it is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Duty {
    /// Nothing that is known here.
    Other,
    /// Takes a lock.
    Acquires,
    /// Gives it back.
    Releases,
    /// Sees to it that something runs once.
    Once,
    /// A function of the C or C++ library that several threads may call at a time (POSIX.1-2017, 2.9.1; "MT-Safe" in the manual of the GNU C
    /// library), and whose static data a program cannot tell from none.
    Safe,
    /// Fills a cache of its library with what is the same whoever fills it.
    Fills,
    /// Tells its caller whether it came first.
    Tells,
    /// Starts, orders and ends teams of threads: the runtime library of OpenMP.
    Teams,
}

/// Names of C, without leading underscores. Attempts to take a lock are none of them: what comes of those, programs see.
const ACQUIRE: [&str; 7] = [
    "pthread_mutex_lock",
    "pthread_mutex_cond_lock",
    "pthread_spin_lock",
    "pthread_rwlock_rdlock",
    "pthread_rwlock_wrlock",
    "mtx_lock",
    "lll_lock_wait",
];
// (The GNU C library has one function that gives spin locks back and initialises them.)
const RELEASE: [&str; 7] = [
    "pthread_spin_init",
    "pthread_mutex_unlock",
    "pthread_mutex_unlock_usercnt",
    "pthread_spin_unlock",
    "pthread_rwlock_unlock",
    "mtx_unlock",
    "lll_lock_wake",
];
const ONCE: [&str; 6] = [
    "pthread_once",
    "pthread_once_slow",
    "call_once",
    "cxa_guard_acquire",
    "cxa_guard_release",
    "cxa_guard_abort",
];
const SAFE: [&str; 17] = [
    // Time zones are read once.
    "gmtime_r",
    "localtime_r",
    "mktime",
    "timegm",
    "strftime",
    "tz_convert",
    "tzset",
    // Exceptions: where tables are, the objects that were found last.
    "cxa_throw",
    "cxa_rethrow",
    "cxa_begin_catch",
    "cxa_end_catch",
    "cxa_allocate_exception",
    "cxa_free_exception",
    "gxx_personality_v0",
    "dl_iterate_phdr",
    "dl_find_object",
    "dl_addr",
];
/// Functions of the standard libraries of C++ and Rust, as their paths begin, type parameters and signs of implementation left out.
const PATHS: [(&str, Duty); 28] = [
    ("std::sync::once_lock::OnceLock::set", Duty::Tells),
    ("std::sync::once_lock::OnceLock::try_insert", Duty::Tells),
    // Facets of the locale, counted and numbered at their first use. (`std::locale::global` is none of these.)
    ("std::locale::locale", Duty::Safe),
    ("std::locale::~locale", Duty::Safe),
    ("std::locale::operator=", Duty::Safe),
    ("std::locale::id::_M_id", Duty::Safe),
    ("std::ctype::_M_widen_init", Duty::Fills),
    ("std::ctype::_M_narrow_init", Duty::Fills),
    ("std::locale::_Impl::_M_install_cache", Duty::Fills),
    ("std::numpunct::_M_initialize_numpunct", Duty::Fills),
    ("std::__numpunct_cache::_M_cache", Duty::Fills),
    ("std::call_once", Duty::Once),
    ("std::sys::sync::mutex::futex::Mutex::lock", Duty::Acquires),
    ("std::sys::sync::mutex::futex::Mutex::unlock", Duty::Releases),
    ("std::sys::sync::mutex::futex::Mutex::wake", Duty::Releases),
    ("std::sys::sync::rwlock::futex::RwLock::read_unlock", Duty::Releases),
    ("std::sys::sync::rwlock::futex::RwLock::write_unlock", Duty::Releases),
    ("std::sys::sync::rwlock::futex::RwLock::wake", Duty::Releases),
    ("std::sys::sync::rwlock::futex::RwLock::read", Duty::Acquires),
    ("std::sys::sync::rwlock::futex::RwLock::write", Duty::Acquires),
    ("parking_lot::raw_mutex::RawMutex::lock", Duty::Acquires),
    ("parking_lot::raw_mutex::RawMutex::unlock", Duty::Releases),
    // (What tells whether something has run already is none of these.)
    ("std::sys::sync::once::futex::Once::call", Duty::Once),
    ("std::sync::once::Once::call_once", Duty::Once),
    ("std::sync::once_lock::OnceLock::get_or_init", Duty::Once),
    ("std::sync::once_lock::OnceLock::initialize", Duty::Once),
    ("std::sync::lazy_lock::LazyLock::force", Duty::Once),
    ("std::sync::lazy_lock::LazyLock as core::ops::deref::Deref", Duty::Once),
];

/// The duty of a function, by its name.
pub(crate) fn duty_of(name: &str) -> Duty {
    let name = name.split('@').next().unwrap_or(name);
    let plain = name.trim_start_matches('_');
    let lists = [
        (&ACQUIRE[..], Duty::Acquires),
        (&RELEASE[..], Duty::Releases),
        (&ONCE[..], Duty::Once),
        (&SAFE[..], Duty::Safe),
    ];
    if let Some((_, duty)) = lists.iter().find(|(names, _)| names.contains(&plain)) {
        return *duty;
    }
    if is_unwinder(name) {
        return Duty::Safe;
    }
    let path = path(name);
    // Of names that one begins with, the longest.
    let known = PATHS.iter().filter(|(own, _)| path.starts_with(own)).max_by_key(|(own, _)| own.len());
    known.map_or(Duty::Other, |(_, duty)| *duty)
}

/// Whether a name is one that programs may not give to functions of their own.
fn is_reserved(name: &str) -> bool {
    name.starts_with('_') || name.starts_with("pthread_") || is_of_library(name) || name.starts_with('<')
}

/// Whether a library is one that runs OpenMP programs: those of GCC, LLVM and Intel.
fn is_of_openmp(module: &str) -> bool {
    ["libgomp.so", "libomp.so", "libiomp5.so"].iter().any(|name| module.starts_with(name))
}

/// Whether a variable is one that clang has made for a parallel region: of the part of the iterations that a thread runs. Each has its own.
pub(crate) fn is_of_compiler(object: &Object) -> bool {
    object.kind == ObjectKind::Stack && object.name.starts_with(".omp.")
}

/// Whether a function, as locations name it, is of the library that unwinds the stack for exceptions.
fn is_unwinder(function: &str) -> bool {
    ["libgcc_s.so", "_Unwind_", "libunwind.so"].iter().any(|name| function.starts_with(name))
}

/// A path of Rust without what stands in angle brackets as arguments: `<std::sync::once_lock::OnceLock<T>>::get_or_init` is
/// `std::sync::once_lock::OnceLock::get_or_init`.
fn path(name: &str) -> String {
    let inner = name.strip_prefix('<').unwrap_or(name);
    let mut out = String::with_capacity(inner.len());
    let mut depth = 0u32;
    for c in inner.chars() {
        match c {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            _ if depth == 0 => out.push(c),
            _ => {}
        }
    }
    out
}

/// Whether a function is of a standard library, by its name: what it is called for is its caller's duty.
fn is_of_library(name: &str) -> bool {
    let path = path(name);
    ["std::", "core::", "alloc::", "__gthread", "__gnu_cxx::"].iter().any(|start| path.starts_with(start))
}

/// The duties of all contexts of a profile.
#[derive(Debug)]
pub(crate) struct Bookkeeping<'a> {
    profile: &'a Profile,
    /// Per context.
    duties: Vec<Duty>,
    /// Per location, by the function that the compiler has put there.
    located: Vec<Duty>,
}

impl<'a> Bookkeeping<'a> {
    /// Looks at the names of all functions that ran.
    pub(crate) fn new(profile: &'a Profile) -> Bookkeeping<'a> {
        let named = profile.functions.iter().map(|function| {
            // A program may have a function of its own that is called so.
            let is_meant = !function.main || is_reserved(&function.name);
            match is_meant {
                _ if is_of_openmp(&function.module) => Duty::Teams,
                true => duty_of(&function.name),
                false => Duty::Other,
            }
        });
        let named: Vec<Duty> = named.collect();
        let located: Vec<Duty> = profile
            .locations
            .iter()
            .map(|place| if is_reserved(&place.function) { duty_of(&place.function) } else { Duty::Other })
            .collect();
        let mut duties = vec![Duty::Other; profile.contexts.len()];
        for (index, context) in profile.contexts.iter().enumerate().skip(1) {
            // Parents stand before children.
            let above = duties.get(context.parent as usize).copied().unwrap_or(Duty::Other);
            duties[index] = match context.kind {
                ContextKind::Call { callee, site } => {
                    let function = profile.functions.get(callee as usize);
                    let own = named.get(callee as usize).copied().unwrap_or(Duty::Other);
                    // A function of the program that a library calls back does the program's work.
                    let is_theirs = function.is_some_and(|f| !f.main || is_of_library(&f.name));
                    // What the compiler has put in the place of a call calls it.
                    let caller = located.get(site as usize).copied().unwrap_or(Duty::Other);
                    if above == Duty::Tells && is_theirs {
                        above
                    } else if own != Duty::Other {
                        own
                    } else if is_theirs {
                        if caller == Duty::Other { above } else { caller }
                    } else {
                        Duty::Other
                    }
                }
                _ => above,
            };
        }
        Bookkeeping { profile, duties, located }
    }

    /// What a statement's code does, by the function that it is of in the source, or else by the call that it runs in.
    pub(crate) fn duty(&self, statement: StatementIndex) -> Duty {
        let location = self.profile.statements.get(statement as usize).map_or(0, |s| s.location);
        match self.located.get(location as usize) {
            None | Some(Duty::Other) => self.of_context(self.profile.context_of(statement)),
            Some(own) => *own,
        }
    }

    /// What the code that runs in a context does.
    pub(crate) fn of_context(&self, context: ContextIndex) -> Duty {
        self.duties.get(context as usize).copied().unwrap_or(Duty::Other)
    }

    /// Whether a dependence is of such bookkeeping.
    pub(crate) fn has(&self, d: &Dependence) -> bool {
        if !d.memory {
            return false;
        }
        if self.counts_references(d) || self.is_thread_local(d) {
            return true;
        }
        let is_guard = |object: &Object| object.name.starts_with("guard variable for ");
        if self.all_objects(d, is_guard) || self.all_objects(d, is_of_compiler) {
            return true;
        }
        match [d.source, d.sink].map(|s| self.duty(s)) {
            // A lock that one iteration takes and another gives back protects what they hand on.
            [Duty::Acquires | Duty::Releases, Duty::Acquires | Duty::Releases] => {
                !(is_flow(d) && self.duty(d.source) == Duty::Acquires && self.duty(d.sink) == Duty::Releases)
            }
            // What the program's threads pass on themselves lies in its own code.
            [Duty::Once, Duty::Once] | [Duty::Teams, Duty::Teams] => true,
            [Duty::Fills, _] => {
                let is_theirs = !self.profile.is_own(self.profile.context_of(d.sink))
                    || is_of_standard_library(&self.profile.location_of(d.sink).file);
                is_theirs && self.all_objects(d, |object| object.library)
            }
            // Which iterations a thread runs next, it is told by way of variables of the region's function that only the compiler knows.
            [Duty::Teams, Duty::Other] | [Duty::Other, Duty::Teams] => {
                self.all_objects(d, |object| object.kind == ObjectKind::Frame || is_of_compiler(object))
            }
            [Duty::Safe, Duty::Safe] => self.all_objects(d, |object| object.library),
            _ => false,
        }
    }

    fn all_objects(&self, d: &Dependence, is: impl Fn(&Object) -> bool) -> bool {
        let mut objects = d.levels.iter().flat_map(|level| &level.objects).peekable();
        let object = |used: &ObjectUse| self.profile.objects.get(used.object as usize);
        objects.peek().is_some() && objects.all(|used| object(used).is_some_and(&is))
    }

    /// Counts of references that atomic operations keep: what copies and drops references, not what asks for the count.
    fn counts_references(&self, d: &Dependence) -> bool {
        let is_count = |s: StatementIndex| {
            let place = self.profile.location_of(s);
            let is_kept = || ["::clone", "::drop"].iter().any(|end| place.function.ends_with(end));
            let is_released =
                || place.function.contains("_M_release") || place.function.contains("_M_add_ref");
            place.file.ends_with("/ext/atomicity.h")
                || place.file.ends_with("/bits/shared_ptr_base.h") && is_released()
                || place.file.ends_with("/library/alloc/src/sync.rs") && is_kept()
        };
        is_count(d.source) && is_count(d.sink)
    }

    /// Thread-local data of libraries (`errno`, caches) that only libraries read. What another library than the one that writes it makes of
    /// it may be what the program asks for.
    fn is_thread_local(&self, d: &Dependence) -> bool {
        let function = |s: StatementIndex| {
            let context = self.profile.contexts.get(self.profile.context_of(s) as usize)?;
            self.profile.functions.get(context.function as usize)
        };
        let (first, second) = (function(d.source), function(d.sink));
        let is_unread = match d.kind {
            Kind::Flow => {
                second.is_some_and(|own| !own.main)
                    && first.map(|own| &own.module) == second.map(|own| &own.module)
            }
            Kind::Anti => first.is_none_or(|own| !own.main),
            Kind::Output => true,
        };
        is_unread
            && self.all_objects(d, |object| {
                object.thread_local && object.library || object.name.starts_with("guard variable for ")
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_have_duties() {
        for (name, duty) in [
            ("pthread_mutex_lock", Duty::Acquires),
            ("___pthread_mutex_unlock", Duty::Releases),
            ("__pthread_rwlock_rdlock", Duty::Acquires),
            ("pthread_mutex_trylock", Duty::Other),
            ("pthread_mutex_locked_total", Duty::Other),
            ("<std::sys::sync::mutex::futex::Mutex>::lock_contended", Duty::Acquires),
            ("std::sys::sync::rwlock::futex::RwLock::read", Duty::Acquires),
            ("std::sys::sync::rwlock::futex::RwLock::read_unlock", Duty::Releases),
            ("<std::sync::once_lock::OnceLock<alloc::vec::Vec<f64>>>::get_or_init::<f>", Duty::Once),
            ("_Unwind_RaiseException", Duty::Safe),
            ("std::locale::locale", Duty::Safe),
            ("std::locale::global", Duty::Other),
            ("<std::sync::once_lock::OnceLock<u64>>::set", Duty::Tells),
            ("<std::sync::lazy_lock::LazyLock<u64> as core::ops::deref::Deref>::deref", Duty::Once),
            ("std::call_once<main::{lambda()#1}>", Duty::Once),
            ("rand", Duty::Other),
        ] {
            assert_eq!(duty_of(name), duty, "{name}");
        }
    }
}
