//! What the recorder asks about code, answered from symbols.

use program::image::Image;
use program::known::Known;
use trace::sink::{Guide, Mapping};

/// Answers from the symbols of the mapped files.
#[derive(Debug, Default)]
pub struct Symbols {
    image: Image,
    function: Option<String>,
    known: Option<Known>,
}

impl Symbols {
    /// Recording starts in the function of this name; `None` if it is on all the time.
    pub fn new(function: Option<String>) -> Symbols {
        Symbols { function, ..Symbols::default() }
    }

    /// The same, with what an earlier run showed.
    pub fn knowing(function: Option<String>, known: Known) -> Symbols {
        Symbols { function, known: Some(known), ..Symbols::default() }
    }

    fn starts(&self, pc: u64) -> Option<String> {
        self.image.function(pc).filter(|s| s.address == pc).map(|s| s.name)
    }
}

impl Guide for Symbols {
    fn mapping(&mut self, mapping: &Mapping) {
        self.image.add(mapping);
        if let Some(known) = &mut self.known {
            known.mapping(mapping);
        }
    }

    fn is_function(&mut self, pc: u64) -> bool {
        self.image.is_function_start(pc)
    }

    fn wants_arguments(&mut self, pc: u64) -> bool {
        self.starts(pc).is_some_and(|name| crate::allocator(&name).is_some())
    }

    fn starts_recording(&mut self, pc: u64) -> bool {
        self.function.is_some() && self.starts(pc) == self.function
    }

    fn is_own(&mut self, pc: u64) -> bool {
        self.image.is_own(pc)
    }

    fn jump_targets(&mut self, after: u64) -> Vec<u64> {
        self.known.as_ref().map(|known| known.jump_targets(after)).unwrap_or_default()
    }
}
