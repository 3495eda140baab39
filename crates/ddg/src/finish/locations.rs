//! Source positions, each once.

use profile::Location;
use program::image::{Image, Location as ImageLocation};
use rustc_hash::FxHashMap;

use super::LoopStatement;

/// Interns source positions.
pub(crate) struct Locations {
    pub(crate) list: Vec<Location>,
    ids: FxHashMap<Location, u32>,
    by_pc: FxHashMap<u64, u32>,
}

impl Locations {
    pub(crate) fn new() -> Locations {
        let unknown = Location::default();
        Locations {
            list: vec![unknown.clone()],
            ids: FxHashMap::from_iter([(unknown, 0)]),
            by_pc: FxHashMap::default(),
        }
    }

    /// Position of an instruction: the innermost inlined frame that is not what Rust wraps around atomic instructions; that says nothing
    /// of what they are for.
    pub(crate) fn at(&mut self, image: &Image, pc: u64) -> u32 {
        if let Some(&id) = self.by_pc.get(&pc) {
            return id;
        }
        let mut chain = image.locations(pc);
        let is_wrapper = |place: &ImageLocation| {
            place.file.as_deref().is_some_and(|file| file.ends_with("/library/core/src/sync/atomic.rs"))
        };
        let at = chain.iter().position(|place| !is_wrapper(place)).unwrap_or(0);
        let innermost = if at < chain.len() { chain.swap_remove(at) } else { ImageLocation::default() };
        let id = self.intern(image, pc, innermost);
        self.by_pc.insert(pc, id);
        id
    }

    /// Position of an instruction in the innermost frame that is of no standard library; in the innermost of all if none is.
    pub(crate) fn of_text(&mut self, image: &Image, pc: u64) -> u32 {
        let mut chain = image.locations(pc);
        let is_text = |place: &ImageLocation| {
            place.file.as_deref().is_some_and(|file| !profile::place::is_of_standard_library(file))
        };
        match chain.iter().position(is_text) {
            Some(at) => self.intern(image, pc, chain.swap_remove(at)),
            None => self.at(image, pc),
        }
    }

    /// Position of a loop, and of the calls that its function stands in the place of, the outermost first.
    ///
    /// The position is that of its deciding instruction, in the deepest inlined frame that its code shares (what is inlined into
    /// the body does not name the loop). A quarter of it may lie elsewhere: compilers move code that runs rarely, and give it the
    /// lines of what stands there. Without line information: symbol and offset.
    pub(crate) fn of_loop(&mut self, image: &Image, statement: &LoopStatement) -> (u32, Vec<u32>) {
        let mut chain: Vec<ImageLocation> = image.locations(statement.pc);
        chain.reverse();
        if chain.is_empty() {
            let name = match image.function(statement.pc) {
                Some(symbol) => format!("{}+{:#x}", symbol.name, statement.pc.wrapping_sub(symbol.address)),
                None => function_name(image, statement.pc),
            };
            let place = ImageLocation { function: Some(name), ..ImageLocation::default() };
            return (self.intern(image, statement.pc, place), Vec::new());
        }
        // How many instructions share so many frames, outermost first.
        let (mut sharing, mut all) = (vec![0usize; chain.len()], 0usize);
        for &pc in &statement.instructions {
            let mut other = image.locations(pc);
            if other.is_empty() {
                continue;
            }
            other.reverse();
            // Frames agree while the functions do and the call sites above them do.
            let same = (0..chain.len().min(other.len()))
                .take_while(|&k| {
                    other[k].function == chain[k].function
                        && (k == 0
                            || (other[k - 1].line, &other[k - 1].file)
                                == (chain[k - 1].line, &chain[k - 1].file))
                })
                .count();
            all += 1;
            sharing.iter_mut().take(same).for_each(|count| *count += 1);
        }
        let shared = sharing.iter().rposition(|&count| count * 4 >= all * 3).map_or(1, |at| at + 1);
        chain.truncate(shared);
        let mut chain: Vec<u32> =
            chain.into_iter().map(|place| self.intern(image, statement.pc, place)).collect();
        (chain.pop().unwrap_or(0), chain)
    }

    fn intern(&mut self, image: &Image, pc: u64, innermost: ImageLocation) -> u32 {
        let location = Location {
            function: innermost.function.unwrap_or_else(|| function_name(image, pc)),
            file: innermost.file.unwrap_or_default(),
            line: innermost.line.unwrap_or(0),
            column: innermost.column.unwrap_or(0),
        };
        let next = self.list.len() as u32;
        let id = *self.ids.entry(location.clone()).or_insert(next);
        if id == next {
            self.list.push(location);
        }
        id
    }
}

/// Name of the function at `pc`: its symbol, else module and offset.
pub(crate) fn function_name(image: &Image, pc: u64) -> String {
    if let Some(symbol) = image.function(pc) {
        return symbol.name;
    }
    match image.module(pc) {
        Some(module) => {
            let file = module.path().file_name().unwrap_or_default().to_string_lossy().into_owned();
            format!("{file}+{:#x}", pc.wrapping_sub(module.bias()))
        }
        None => format!("{pc:#x}"),
    }
}
