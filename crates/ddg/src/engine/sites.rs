//! The calls that heap blocks are named after.

use profile::place::is_of_standard_library;
use program::image::Image;
use rustc_hash::FxHashMap;

/// Which call a heap block is named after: the first, from the allocator outwards, that the program's own text makes. What containers
/// and libraries allocate is nothing of theirs for whoever reads it.
#[derive(Debug, Default)]
pub(super) struct Sites {
    /// By the address behind a call, whether it is one of the program's own text.
    is_own: FxHashMap<u64, bool>,
}

impl Sites {
    /// The call of these, the innermost first, each by the address that it returns to; the innermost if none is of the program.
    pub(super) fn of(&mut self, image: &Image, calls: impl Iterator<Item = u64> + Clone) -> u64 {
        let mut all = calls.clone();
        let own = all.find(|&call| {
            *self.is_own.entry(call).or_insert_with(|| {
                let is_text = |place: &program::image::Location| {
                    place.file.as_deref().is_some_and(|file| !is_of_standard_library(file))
                };
                // Files without lines say nothing of what is whose.
                let is_plain = image.module(call).is_some_and(|module| !module.has_debug_information());
                image.is_own(call) && (is_plain || image.locations(call.wrapping_sub(1)).iter().any(is_text))
            })
        });
        own.or(calls.into_iter().next()).unwrap_or(0)
    }
}
