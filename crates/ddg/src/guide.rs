//! What the recorder asks about code, answered from symbols.

use profile::Untracked;
use program::image::Image;
use program::known::Known;
use rustc_hash::FxHashMap;
use trace::sink::{Activation, Contract, Guide, Handing, Mapping, Marker, Owner};

use crate::focus::{Focus, Place};

/// Which part of a run is recorded.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Part {
    /// All of it.
    #[default]
    Whole,
    /// What runs inside the function of this name.
    Function(String),
    /// What runs from the return of the first function to the entry of the second.
    Windows(String, String),
    /// What runs in some loops.
    Focus(Focus),
}

/// Answers from the symbols of the mapped files.
#[derive(Debug, Default)]
pub struct Symbols {
    image: Image,
    part: Part,
    known: Option<Known>,
    /// Functions that begin and end windows were met: control came to them, or code that calls them was translated.
    met: (bool, bool),
    /// Where loops that are recorded are entered and left.
    spots: FxHashMap<u64, Marker>,
}

impl Symbols {
    /// Part of a run is recorded.
    pub fn new(part: Part) -> Symbols {
        Symbols { part, ..Symbols::default() }
    }

    /// The same, with what an earlier run showed.
    pub fn knowing(part: Part, known: Known) -> Symbols {
        Symbols { part, known: Some(known), ..Symbols::default() }
    }

    /// What was asked for but not met in the run.
    pub fn missing(&self) -> Option<Untracked> {
        let Part::Windows(begin, end) = &self.part else { return None };
        let unless = |is_met: bool, name: &String| (!is_met).then(|| name.clone());
        let (begin, end) = (unless(self.met.0, begin), unless(self.met.1, end));
        (begin.is_some() || end.is_some()).then_some(Untracked::NotMet { begin, end })
    }

    fn starts(&self, pc: u64) -> Option<String> {
        self.image.function_at(pc).map(|symbol| symbol.name)
    }
}

/// Whether a symbol is the function `name`, or what a compiler made of it: a copy for one file or for some arguments.
fn is_of(symbol: &str, name: &str) -> bool {
    const COPIES: [&str; 3] = [".lto_priv", ".constprop", ".isra"];
    let rest = symbol.strip_prefix(name);
    rest.is_some_and(|rest| rest.is_empty() || COPIES.iter().any(|copy| rest.starts_with(copy)))
}

impl Guide for Symbols {
    fn mapping(&mut self, mapping: &Mapping) {
        self.image.add(mapping);
        if let Part::Focus(focus) = &self.part {
            let of = |places: &[Place], marker| {
                let found = places.iter().filter_map(|place| place.in_mapping(mapping));
                found.map(|pc| (pc, marker)).collect::<Vec<_>>()
            };
            self.spots.extend(of(&focus.leave, Marker::Leave));
            self.spots.extend(of(&focus.enter, Marker::Enter));
        }
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

    fn is_stub_of_allocator(&mut self, pc: u64) -> bool {
        self.image.stub(pc).is_some_and(|name| crate::allocator(&name).is_some())
    }

    fn takes_numbers(&mut self, pc: u64) -> bool {
        let file = self.image.module(pc).and_then(|module| module.path().file_name());
        let is_library = file.is_some_and(|name| {
            let name = name.to_string_lossy();
            name.starts_with("libm.so") || name.starts_with("libm-")
        });
        is_library && self.image.is_unwound_from(pc)
    }

    fn contract(&mut self, pc: u64, word: &mut dyn FnMut(u64) -> u64) -> Option<Contract> {
        self.image.contracted(pc, word)?.contract(&|name| self.image.shared_variable(name))
    }

    fn starts_recording(&mut self, pc: u64) -> bool {
        matches!(&self.part, Part::Function(name) if self.starts(pc).is_some_and(|symbol| is_of(&symbol, name)))
    }

    fn marked(&mut self) -> Vec<u64> {
        self.spots.keys().copied().collect()
    }

    fn marker(&mut self, pc: u64) -> Option<Marker> {
        if matches!(self.part, Part::Focus(_)) {
            return self.spots.get(&pc).copied();
        }
        let Part::Windows(begin, end) = &self.part else { return None };
        match self.starts(pc)? {
            name if is_of(&name, begin) => {
                self.met.0 = true;
                Some(Marker::Begin)
            }
            name if is_of(&name, end) => {
                self.met.1 = true;
                Some(Marker::End)
            }
            _ => None,
        }
    }

    fn activation(&mut self, pc: u64, stack: u64, frame: u64) -> Option<Activation> {
        let entry = self.image.start_of_function(pc)?;
        Some(Activation { entry, frame: self.image.frame(pc, stack, frame)? })
    }

    fn owner(&mut self, pc: u64) -> Owner {
        self.image.owner(pc)
    }

    fn handing(&mut self, pc: u64) -> Option<Handing> {
        crate::teams::handing(&self.starts(pc)?)
    }

    fn landing_pad(&mut self, after: u64) -> Option<u64> {
        self.image.landing_pad(after)
    }

    fn jump_targets(&mut self, after: u64) -> Vec<u64> {
        self.known.as_ref().map(|known| known.jump_targets(after)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::is_of;

    /// Regression: markers in several files of a program that is optimised as a whole.
    #[test]
    fn copies_are_of_their_function() {
        for symbol in ["f", "f.lto_priv.0", "f.constprop.1", "f.isra.0", "f.constprop.0.isra.0"] {
            assert!(is_of(symbol, "f"), "{symbol}");
        }
        for symbol in ["ff", "f2.isra.0", "f.cold", "f.part.0", "g"] {
            assert!(!is_of(symbol, "f"), "{symbol}");
        }
    }
}
