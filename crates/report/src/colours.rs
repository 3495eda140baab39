//! Colours and letters of verdicts, which every drawing shares: the palette of Okabe and Ito, which people with any colour
//! vision tell apart, and a letter for those who see none.

use schedule::Parallel;

use crate::frames::{Frame, Shade};

/// Red, green, blue.
pub type Colour = [u8; 3];

/// The colour of a verdict.
pub fn of_verdict(verdict: Parallel) -> Colour {
    match verdict {
        Parallel::Yes => [0x00, 0x9e, 0x73],
        Parallel::Reduction => [0x56, 0xb4, 0xe9],
        Parallel::AfterPrivatisation => [0xf0, 0xc0, 0x30],
        Parallel::No => [0xd5, 0x5e, 0x00],
        Parallel::Unknown => GREY,
    }
}

/// Little is known, or nobody can change it.
pub const GREY: Colour = [0xb4, 0xb4, 0xb4];
/// Calls of the program's own functions, which have no verdict.
pub const CALL: Colour = [0xe3, 0xdc, 0xcf];

/// The colour of a frame.
pub fn of_frame(frame: &Frame) -> Colour {
    match (frame.shade, frame.verdict) {
        (Shade::Affine, Some(verdict)) => of_verdict(verdict),
        (Shade::Affine, None) => CALL,
        _ => GREY,
    }
}

/// The letter of a verdict: parallel, reduction, after privatisation, not parallel.
pub fn letter(verdict: Parallel) -> char {
    match verdict {
        Parallel::Yes => 'P',
        Parallel::Reduction => 'R',
        Parallel::AfterPrivatisation => 'V',
        Parallel::No => 'N',
        Parallel::Unknown => '?',
    }
}
