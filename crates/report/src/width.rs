//! How wide text for people is.
//!
//! Like whether it is coloured, that is a property of where it goes: it is set once, before anything is printed. What goes to
//! no terminal is as wide as ever, so that files do not depend on the window in which they were made.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Columns of what goes to no terminal.
const USUAL: usize = 100;
/// Fewest and most: narrower, lines hold no place and what is said of it; wider, the eye does not find the next one.
const BOUNDS: (usize, usize) = (60, 160);

static COLUMNS: AtomicUsize = AtomicUsize::new(USUAL);

/// Text is for a terminal of so many columns from now on.
pub fn set(columns: usize) {
    COLUMNS.store(columns.clamp(BOUNDS.0, BOUNDS.1), Ordering::Relaxed);
}

/// Columns that lines may have.
pub(crate) fn columns() -> usize {
    COLUMNS.load(Ordering::Relaxed)
}
