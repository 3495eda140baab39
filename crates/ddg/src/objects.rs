//! What an address belongs to: global, stack variable, frame part, heap block.
//!
//! Objects are identified when a dependence is seen, because stack frames and heap blocks come and go. Heap blocks are
//! one object per allocation site; stack storage one per named variable, or one per function for the unnamed rest.

use std::collections::BTreeMap;

use program::image::Image;
use program::variables::Variable;
use rustc_hash::FxHashMap;
use trace::contract::Mark;
use trace::sink::ThreadId;
use trace::stream::{CONTENT_BYTES, CONTENTS, HIDDEN, POSITIONS, Touched, touched};

use crate::walker::{Ended, Frame, Walker};

/// How far below a frame's start an address may lie and still count as stack: the usual limit of a stack.
pub const STACK_REACH: u64 = 8 << 20;

/// Heap blocks remembered by the address at which they were looked for, and bits of it that do not tell them apart.
const RECENT: usize = 256;
const RECENT_BITS: u32 = 8;

/// What the C library keeps for a thread above what its thread-local addresses are relative to (glibc's `struct pthread` has some 2,300
/// bytes), and what it sets aside below for libraries that are loaded later.
const THREAD_ABOVE: u64 = 1 << 12;
const THREAD_SURPLUS: u64 = 1 << 12;
/// How far from the base of a thread its variables are looked for.
const THREAD_LOCAL: u64 = 1 << 16;

/// The streams of the C library that are there from the start, in the order of their descriptors.
const STANDARD: [&str; 3] = ["_IO_2_1_stdin_", "_IO_2_1_stdout_", "_IO_2_1_stderr_"];

/// Number of an object.
pub type ObjectId = u32;

/// An object before it is described.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Object {
    /// A global by the address of its symbol.
    Global(u64),
    /// A variable on a stack or in a common block, by its name: index into the module's variables.
    Variable {
        /// Number of the module.
        module: usize,
        /// Index into its variables.
        index: usize,
    },
    /// The unnamed rest of the frames of the function entered at this address.
    Frame(u64),
    /// Blocks allocated by the call that returns to this address.
    Heap(u64),
    /// The state of a descriptor of a file.
    Descriptor(u64),
    /// What a file holds, by its number.
    Content(u64),
    /// A hidden state of a library, by its number.
    Hidden(u64),
    /// The state of a stream of the C library.
    Stream {
        /// The call that returns to this address opened it; 0 if that is not known.
        site: u64,
        /// It was written to, so far.
        is_output: bool,
    },
    /// A thread-local variable, by the distance of its symbol from what thread-local addresses are relative to.
    ThreadLocal(i64),
    /// What a library keeps without a name: number of its module.
    Library(usize),
    /// Anything else.
    Other,
}

/// Where an address belongs, with the range for which the answer is the same.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    /// The object.
    pub object: ObjectId,
    /// Offset of the address in it.
    pub offset: i64,
    /// First address of the object.
    pub start: u64,
    /// One past its last address.
    pub end: u64,
    /// Index of the frame that owns the storage; `usize::MAX` if none does.
    pub frame: usize,
}

/// A place, and whether the loop of a level created the frame that it lies in.
pub type Named = (Place, bool);

#[derive(Debug, Clone, Copy)]
struct HeapBlock {
    end: u64,
    site: u64,
}

/// The variables in common blocks of the program.
#[derive(Debug)]
struct Commons {
    /// Number of the program among the modules.
    module: usize,
    /// How far it was loaded from where its file says.
    bias: u64,
    /// First address in the file, one past the last, and index into the module's variables.
    members: Vec<(u64, u64, usize)>,
}

/// Tracks heap blocks and names storage.
#[derive(Debug, Default)]
pub struct Objects {
    heap: BTreeMap<u64, HeapBlock>,
    /// Streams by where their state lies: its end, and whether they were written to.
    streams: BTreeMap<u64, (u64, bool)>,
    /// Blocks found lately, by bits of the address.
    recent: Vec<(u64, HeapBlock)>,
    list: Vec<Object>,
    ids: FxHashMap<Object, ObjectId>,
    variables: FxHashMap<usize, Vec<Variable>>,
    /// What thread-local addresses of the thread that runs are relative to; 0 if that is not known.
    pub thread_base: u64,
    /// The variables in common blocks of the program, once they were asked for.
    commons: Option<Commons>,
    /// Activations of the threads that do not run: first block, canonical frame address, and where the storage of those
    /// called begins.
    parked: FxHashMap<ThreadId, Vec<(u64, u64, u64)>>,
    /// Variables by module and function start, to find stack variables fast.
    frames: FxHashMap<(usize, u64), Vec<usize>>,
}

/// The descriptor of a stream of the C library that is there from the start, by the name of its variable.
fn standard_stream(name: &str) -> Option<Object> {
    let descriptor = STANDARD.iter().position(|own| *own == name)?;
    Some(Object::Descriptor(descriptor as u64))
}

impl Objects {
    /// All objects.
    pub fn all(&self) -> &[Object] {
        &self.list
    }

    fn id(&mut self, object: Object) -> ObjectId {
        if let Some(&id) = self.ids.get(&object) {
            return id;
        }
        let id = self.list.len() as ObjectId;
        self.list.push(object.clone());
        self.ids.insert(object, id);
        id
    }

    /// A heap block was allocated by the call that returns to `site`.
    pub fn allocated(&mut self, start: u64, size: u64, site: u64) {
        self.freed(start);
        self.recent.clear();
        self.heap.insert(start, HeapBlock { end: start.saturating_add(size.max(1)), site });
    }

    /// The heap block at `start` was freed.
    pub fn freed(&mut self, start: u64) {
        self.recent.clear();
        self.heap.remove(&start);
    }

    /// Ranges of an effect say which of them are the state of streams.
    pub fn note_streams(&mut self, ranges: &[u64]) {
        for Touched { start, length, mark, .. } in touched(ranges) {
            if matches!(mark, Mark::Input | Mark::Output) {
                self.streams.insert(start, (start.saturating_add(length), mark == Mark::Output));
            }
        }
    }

    /// Ranges of an effect say which streams are none any more.
    pub fn forget_streams(&mut self, ranges: &[u64]) {
        for range in touched(ranges).filter(|range| range.mark == Mark::Freed) {
            self.streams.remove(&range.start);
        }
    }

    /// The state of a stream, if an address lies in one.
    fn locate_in_stream(&mut self, image: &Image, address: u64) -> Option<Place> {
        let (&start, &(end, is_output)) = self.streams.range(..=address).next_back()?;
        if address >= end {
            return None;
        }
        let standard = image.data_symbol(start).and_then(|symbol| standard_stream(&symbol.name));
        let object = match standard {
            Some(descriptor) => descriptor,
            None => {
                let site = self.heap_block(start).filter(|own| own.0 == start).map_or(0, |own| own.1.site);
                Object::Stream { site, is_output }
            }
        };
        let object = self.id(object);
        Some(Place { object, offset: (address - start) as i64, start, end, frame: usize::MAX })
    }

    /// Variables of a module, read on first use.
    pub fn variables(&mut self, image: &Image, module: usize) -> &[Variable] {
        self.variables.entry(module).or_insert_with(|| {
            image.modules().get(module).map(|m| program::variables::read(m.path())).unwrap_or_default()
        })
    }

    /// Whether an address lies about where the thread has its thread-local variables. Stacks of threads end there: what lies below the frame of an
    /// activation that is under way, of those in `frames` and of what waits, is on one.
    pub fn is_thread_local(&self, address: u64, frames: &[Frame]) -> bool {
        let is_below = |cfa: u64| cfa > address && cfa - address < THREAD_LOCAL;
        let mut parked = self.parked.values().flatten();
        address.abs_diff(self.thread_base) < THREAD_LOCAL
            && !frames.iter().any(|frame| is_below(frame.cfa))
            && !parked.any(|&(_, cfa, _)| is_below(cfa))
    }

    /// A thread with these activations lets another one run.
    pub fn park(&mut self, thread: ThreadId, frames: &[Frame]) {
        let all = self.parked.entry(thread).or_default();
        all.clear();
        all.extend(frames.iter().map(|frame| (frame.entry, frame.cfa, frame.bottom)));
    }

    /// A thread goes on.
    pub fn resume(&mut self, thread: ThreadId) {
        self.parked.remove(&thread);
    }

    fn heap_block(&mut self, address: u64) -> Option<(u64, HeapBlock)> {
        let slot = (address >> RECENT_BITS) as usize % RECENT;
        if let Some(&(start, block)) = self.recent.get(slot)
            && (start..block.end).contains(&address)
        {
            return Some((start, block));
        }
        let (&start, &block) = self.heap.range(..=address).next_back()?;
        if address >= block.end {
            return None;
        }
        if self.recent.is_empty() {
            self.recent.resize(RECENT, (0, HeapBlock { end: 0, site: 0 }));
        }
        self.recent[slot] = (start, block);
        Some((start, block))
    }

    /// Whether an address lies in a heap block.
    pub fn is_heap(&mut self, address: u64) -> bool {
        self.heap_block(address).is_some()
    }

    /// What `address` belongs to, for an activation that has ended meanwhile, or one that is under way; the instruction
    /// at `by` comes to it.
    pub fn locate(
        &mut self,
        image: &Image,
        (walker, ended): (&Walker, Option<&Ended>),
        by: u64,
        address: u64,
    ) -> Place {
        if POSITIONS.contains(&address) {
            let descriptor = (address - POSITIONS.start) / 8;
            let object = self.id(Object::Descriptor(descriptor));
            let start = POSITIONS.start + descriptor * 8;
            return Place { object, offset: 0, start, end: start + 8, frame: usize::MAX };
        }
        if CONTENTS.contains(&address) {
            let file = (address - CONTENTS.start) / CONTENT_BYTES;
            let object = self.id(Object::Content(file));
            let start = CONTENTS.start + file * CONTENT_BYTES;
            let (offset, end) = ((address - start) as i64, start + CONTENT_BYTES);
            return Place { object, offset, start, end, frame: usize::MAX };
        }
        if HIDDEN.contains(&address) {
            let start = address & !7;
            let object = self.id(Object::Hidden((start - HIDDEN.start) / 8));
            return Place { object, offset: 0, start, end: start + 8, frame: usize::MAX };
        }
        if !self.streams.is_empty()
            && let Some(place) = self.locate_in_stream(image, address)
        {
            return place;
        }
        if let Some((start, HeapBlock { end, site })) = self.heap_block(address) {
            let object = self.id(Object::Heap(site));
            return Place { object, offset: (address - start) as i64, start, end, frame: usize::MAX };
        }
        let frames = walker.frames();
        let own = ended.and_then(|ended| self.locate_in_ended(image, ended, by, address));
        // Frames that were not there yet have its place now.
        let frames = ended.map_or(frames, |ended| &frames[..ended.depth.min(frames.len())]);
        if let Some(place) = own.or_else(|| self.locate_on_stack(image, frames, by, address)) {
            return place;
        }
        if let Some(place) = self.locate_in_thread(image, address, true) {
            return place;
        }
        if let Some(symbol) = image.data_symbol(address) {
            if let Some(place) = self.locate_in_common(image, address) {
                return place;
            }
            let object = standard_stream(&symbol.name).unwrap_or(Object::Global(symbol.address));
            let object = self.id(object);
            return Place {
                object,
                offset: address.wrapping_sub(symbol.address) as i64,
                start: symbol.address,
                end: symbol.address.saturating_add(symbol.size),
                frame: usize::MAX,
            };
        }
        if let Some(place) = self.locate_in_thread(image, address, false) {
            return place;
        }
        if let Some(place) = self.locate_on_other_stacks(image, address) {
            return place;
        }
        let object = self.id(image.library_data(address).map_or(Object::Other, Object::Library));
        Place {
            object,
            offset: 0,
            start: address & !7,
            end: (address & !7).saturating_add(8),
            frame: usize::MAX,
        }
    }

    /// The symbol of a common block names all of it, debug information what lies in it.
    fn locate_in_common(&mut self, image: &Image, address: u64) -> Option<Place> {
        if self.commons.is_none() {
            let program = image.program()?;
            let module = image.modules().iter().position(|own| own.path() == program.path())?;
            let members = program::variables::common_members(self.variables(image, module));
            self.commons = Some(Commons { module, bias: program.bias(), members });
        }
        let Commons { module, bias, members } = self.commons.as_ref()?;
        let (module, bias, inner) = (*module, *bias, address.wrapping_sub(*bias));
        let after = members.partition_point(|own| own.0 <= inner);
        let (start, end, index) = *members.get(after.checked_sub(1)?)?;
        let start = start.wrapping_add(bias);
        (inner < end).then(|| Place {
            object: self.id(Object::Variable { module, index }),
            offset: address.wrapping_sub(start) as i64,
            start,
            end: end.wrapping_add(bias),
            frame: usize::MAX,
        })
    }

    /// Thread-local storage lies around what its addresses are relative to: that of the program's files below, the system's own
    /// above. Only what is `named` there is surely that: other storage may lie close by, as the variables of a static program do,
    /// whose first thread has its own behind them.
    fn locate_in_thread(&mut self, image: &Image, address: u64, named: bool) -> Option<Place> {
        let base = Some(self.thread_base).filter(|&base| base != 0)?;
        let from = address.wrapping_sub(base) as i64;
        let symbol = image.thread_symbol(from);
        let (start, size) = match symbol {
            Some(symbol) => (symbol.address as i64, symbol.size.max(1)),
            None if named || image.is_mapped_data(address) => return None,
            None => (from & !7, 8),
        };
        let below = image.thread_sizes().saturating_add(THREAD_SURPLUS);
        if !(base.saturating_sub(below)..base.saturating_add(THREAD_ABOVE)).contains(&address) {
            return None;
        }
        let object = self.id(Object::ThreadLocal(start));
        let first = base.wrapping_add(start as u64);
        let end = first.saturating_add(size);
        Some(Place { object, offset: from - start, start: first, end, frame: usize::MAX })
    }

    /// What a thread that waits has on its stack others may come to as well.
    fn locate_on_other_stacks(&mut self, image: &Image, address: u64) -> Option<Place> {
        let holds = |frames: &Vec<(u64, u64, u64)>| {
            let own = frames.iter().rev().find(|frame| frame.1 > address).copied()?;
            (address >= own.2 && own.1 - address <= STACK_REACH).then_some(own)
        };
        let (entry, cfa, _) = self.parked.values().filter_map(holds).min_by_key(|own| own.1)?;
        self.locate_in_frame(image, (entry, cfa, usize::MAX), [0; 2], address)
    }

    fn locate_in_ended(&mut self, image: &Image, ended: &Ended, by: u64, address: u64) -> Option<Place> {
        let is_own =
            ended.bottom.max(ended.cfa.saturating_sub(STACK_REACH)) <= address && address < ended.cfa;
        is_own
            .then(|| self.locate_in_frame(image, (ended.entry, ended.cfa, ended.depth), [by; 2], address))?
    }

    fn locate_on_stack(&mut self, image: &Image, frames: &[Frame], by: u64, address: u64) -> Option<Place> {
        let known = frames.iter().rposition(|f| f.cfa > address)?;
        // Far below the innermost frame is not stack any more.
        if frames[known].cfa - address > STACK_REACH {
            return None;
        }
        if address < frames[known].bottom {
            let object = self.id(Object::Frame(0));
            return Some(Place {
                object,
                offset: 0,
                start: address & !7,
                end: (address & !7) + 8,
                frame: known + 1,
            });
        }
        let frame = &frames[known];
        let call = frames.get(known + 1).map_or(by, |callee| callee.return_pc.saturating_sub(1));
        self.locate_in_frame(image, (frame.entry, frame.cfa, known), [by, call], address)
    }

    /// What an address in the frame of the function entered at `function` belongs to. It is come to by the first of two
    /// instructions; if that is of another function, the second is the call that led there.
    fn locate_in_frame(
        &mut self,
        image: &Image,
        (function, cfa, number): (u64, u64, usize),
        by: [u64; 2],
        address: u64,
    ) -> Option<Place> {
        let offset = address.wrapping_sub(cfa) as i64;
        if let Some((module, index)) = self.stack_variable(image, (function, cfa), by, address) {
            let variable = &self.variables[&module][index];
            let start = variable.storage.in_frame(cfa)?;
            let size = variable.size.max(1);
            let object = self.id(Object::Variable { module, index });
            return Some(Place {
                object,
                offset: address.wrapping_sub(start).cast_signed(),
                start,
                end: start.saturating_add(size),
                frame: number,
            });
        }
        let object = self.id(Object::Frame(function));
        Some(Place {
            object,
            offset,
            start: address & !7,
            end: (address & !7).saturating_add(8),
            frame: number,
        })
    }

    fn stack_variable(
        &mut self,
        image: &Image,
        (function, cfa): (u64, u64),
        by: [u64; 2],
        address: u64,
    ) -> Option<(usize, usize)> {
        let (module, m) = image.modules().iter().enumerate().rev().find(|(_, m)| m.contains(function))?;
        let inner = function.wrapping_sub(m.bias());
        let [by, call] = by.map(|pc| pc.wrapping_sub(m.bias()));
        if !self.frames.contains_key(&(module, inner)) {
            self.variables(image, module);
            let hits = self.variables[&module]
                .iter()
                .enumerate()
                .filter(|(_, v)| v.function.is_some_and(|(low, high)| low <= inner && inner < high))
                .map(|(i, _)| i)
                .collect();
            self.frames.insert((module, inner), hits);
        }
        let all = &self.variables[&module];
        let covers = |&&i: &&usize| {
            let start = all[i].storage.in_frame(cfa);
            start.is_some_and(|start| address.wrapping_sub(start) < all[i].size.max(1))
        };
        // Variables of sibling scopes share storage: it is the one of the scope that control is in. Where several are,
        // or none is, the one with the smallest scope has the most specific name.
        let fit = |&&i: &&usize| {
            let scope = &all[i].scope;
            let is_own = all[i].function.is_some_and(|(first, end)| (first..end).contains(&by));
            let at = if is_own { by } else { call };
            let is_here = scope.is_empty() || scope.iter().any(|&(first, end)| (first..end).contains(&at));
            let width = if scope.is_empty() { u64::MAX } else { scope.iter().map(|s| s.1 - s.0).sum() };
            (!is_here, width)
        };
        self.frames[&(module, inner)].iter().filter(covers).min_by_key(fit).map(|&i| (module, i))
    }
}
